// Solid bodies on a floor, with what every scene wants to know of its run: the deepest overlap,
// the largest rise of energy, the weight and who carries it.
//
//     world w;
//     PCS_TRY(world_open(&w, &scheme, 9.81));
//     ... world_floor, world_box ...
//     PCS_TRY(world_start(&w));
//     while (world_goes_on(&w, h, t_end)) PCS_TRY(world_step(&w, h));
//     world_close(&w);
#ifndef EXAMPLES_SCENES_WORLD_H
#define EXAMPLES_SCENES_WORLD_H

#include <stdbool.h>

#include <percuss/kernel.h>

#include "args.h"
#include "checks.h"

// one solid: all of them have one shape
typedef struct world_body {
    pcs_system system; // {0}: part of the world
    pcs_shape shape;
    double mass;
} world_body;

typedef struct world {
    pcs_model *model;
    pcs_state *state;
    pcs_work *work;
    pcs_scheme scheme;
    pcs_material material; // of all that is added from now on
    double gravity;        // m/s^2
    world_body *body;      // in the order added, those of the world included
    int n, room;
    double *mark; // poses that world_mark kept

    // of the run so far
    long steps, iterations, contacts; // sums over the steps
    int iters, active;                // of the last step
    double overlap;                   // m, deepest at the end of a step
    double rise;                      // J, largest of kinetic + potential in one step
    double closure;                   // J, worst of the energy ledgers
    double energy;                    // J, kinetic + potential now
    double residual;                  // worst of the velocity problems
    long loose;                       // steps taken though something did not converge
    bool stuck;                       // the last step was not taken
    pcs_outcome outcome;              // of the last step
} world;

// numbers every scene has
typedef struct world_run {
    double h, t_end, gravity;
    int solver; // 0 auto, 1 nsgs
    pcs_scheme scheme;
    const char *csv;
} world_run;

// The scheme for dense scenes with e = 0: theta = 1, speculative, direct projection. Where `auto`
// spends its budget before tol is reached, as happens while a pile comes to rest, the step is taken
// all the same and counted as loose.
pcs_scheme world_dense_scheme(void);

// adds --h, --tend, --gravity, --solver, --tol, --budget, --projection-tol and --csv, whose help
// says which columns
void world_flags(args *a, world_run *run, const char *columns);

// whether h and t_end go together, saying so if they do not; gives the scheme the solver
bool world_run_check(const char *program, world_run *run);

// Release with world_close also when anything failed.
pcs_status world_open(world *w, const pcs_scheme *scheme, double gravity);
void world_close(world *w);

// friction and restitution of what is added next
pcs_status world_material(world *w, double mu, double e);

// the half-space { n . x <= d } as part of the world
pcs_status world_plane(world *w, const double n[3], double d);

// the ground, z <= 0
pcs_status world_floor(world *w);

// a body at rest: centre x, orientation Q (null: along the axes); `out` may be null
pcs_status world_box(world *w, double mass, const double size[3], const double x[3],
                     const double Q[4], pcs_system *out);
pcs_status world_sphere(world *w, double mass, double radius, const double x[3], pcs_system *out);

// any shape about the centre of mass; def gives mass, inertia, pose and velocity
pcs_status world_solid(world *w, const pcs_body_def *def, const pcs_shape *shape, pcs_system *out);

// state and work, after the last body; call it once
pcs_status world_start(world *w);

// whether another step of h ends before t_end, and the last one was taken
bool world_goes_on(const world *w, double h, double t_end);
pcs_status world_step(world *w, double h);

double *world_q(const world *w, int body);
double *world_v(const world *w, int body); // null for what cannot move

// remembers where everything is; how far the farthest has moved since (m, of the centres)
pcs_status world_mark(world *w);
double world_moved(const world *w);

// sum of the weights, N
double world_weight(const world *w);

// force of the world on the bodies in the last step of h, N
void world_support(const world *w, double h, double F[3]);

// deepest overlap of all pairs, found without the broad phase and the contacts of the step, m
double world_overlap(const world *w);

// what holds in every scene with e = 0: every step was taken with a residual of 1e-4 at most, its
// ledger closed, energy never rose by more than `rise`, nothing overlapped by more than `overlap`
// (m)
void world_check(checks *c, const world *w, double overlap, double rise);

#endif
