// Solid bodies on a floor, with what the checks of a scene want to know of its run: the deepest
// overlap, the largest gain of energy, the weight and the forces that carry it. It serves the
// scenes that are checked and the bench, and is not a layer for drivers: a driver needs nine calls
// of the library (first.c), and bouncing_ball.c shows one that watches its steps.
//
//     world w;
//     PCS_TRY(world_open(&w, NULL, &scheme, 9.81));
//     ... world_floor, world_box ...
//     PCS_TRY(world_start(&w));
//     while (world_goes_on(&w, h, t_end)) PCS_TRY(world_step(&w, h));
//     world_close(&w);
#ifndef EXAMPLES_SCENES_WORLD_H
#define EXAMPLES_SCENES_WORLD_H

#include <stdbool.h>

#include <percuss/kernel.h>

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
    int threads;           // that share a step; 1 unless set before world_start
    world_body *body;      // in the order added, those of the world included
    int n, room;
    double *mark;       // poses that world_mark kept
    pcs_geometry *kept; // by world_keep

    // of the run so far
    long steps, iterations, contacts; // sums over the steps
    int iters, active;                // of the last step
    double overlap;                   // m, deepest at the end of a step
    double rise;                      // J, largest of kinetic + potential in one step, but for
                                      // the work of the projection
    double closure;                   // J, worst of the energy ledgers
    double energy;                    // J, kinetic + potential now
    double residual;                  // worst of the velocity problems
    long loose;                       // steps taken though something did not converge
    bool stuck;                       // the last step was not taken
    pcs_outcome outcome;              // of the last step
    pcs_step_report report;           // of the last step
} world;

// The scheme for bodies that roll, turn or bounce: theta = 1/2, contacts as they close, joints and
// contacts kept to tol (m), velocities solved to tol.
pcs_scheme world_smooth_scheme(double tol);

// An empty world. `env`: memory of its model, state and work, and the receiver of warnings; null:
// malloc and stderr. Release with world_close also when anything failed.
pcs_status world_open(world *w, const pcs_env *env, const pcs_scheme *scheme, double gravity);
void world_close(world *w);

// friction and restitution of the bodies added next
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

// geometries of its shapes, destroyed with the world; one
void world_keep(world *w, pcs_geometry *geometry);

// state and work, after the last body; call it once
pcs_status world_start(world *w);

// computes the energy again, where velocities were set after the start
pcs_status world_energy(world *w);

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
pcs_status world_support(const world *w, double h, double F[3]);

// deepest overlap of all pairs, found without the broad phase and the contacts of the step, m
double world_overlap(const world *w);

#endif
