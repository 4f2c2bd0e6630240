// The rows of a projection, and one linearised step: dq so that g + C dq obeys the rows.
#ifndef STEP_PROJECT_H
#define STEP_PROJECT_H

#include "step/step.h"

typedef struct project_set {
    int n;
    candidate **row;        // n
    int rows;               // number of gaps of all rows
    bool joints;            // some are bilateral
    pcs_cone *kind;         // rows
    double *Lambda;         // per gap: start and, in the mass metric, result; null: start from 0
    const bool *translated; // per moving system, or null: bodies that keep their orientation
                            // (mass metric)
    double *w;              // rows: result g + C dq of a linearised problem, or null
} project_set;

// limit of sweeps over many rows: the next linearisation continues
#define PROJECT_SWEEPS 40

// adds a candidate; there is memory for it
void project_add(project_set *set, candidate *c);
// moves the joints of a set until they are closed at t->end.q, which is q
pcs_status project_joints(const trial *t, project_set *set, int steps, pcs_arena mem, double *q,
                          pcs_step_report *out);
// solver and tolerance of the linearised problem with gaps g. Joints are solved directly: a sweep
// propagates along a chain by one link only
pcs_solver_opts project_options(const project_set *set, const double *g, double tol);

// factors of the masses at q', with the stiffness of joints under tension; `translated` as in a set
pcs_status project_masses(const trial *t, const bool *translated, pcs_arena *mem, block_lu *F);
// shortest dq (nq) in the mass metric, on the velocities of bodies: any number of rows
pcs_status project_in_mass(const trial *t, const project_set *set, const double *g,
                           const pcs_solver_opts *opts, pcs_arena mem, double *dq,
                           pcs_report *report);
// the same in any other metric, with rows as matrices
pcs_status project_in_metric(const trial *t, const project_set *set, const double *g,
                             const pcs_solver_opts *opts, pcs_arena mem, double *dq,
                             pcs_report *report);
// in the metric of the scheme; adds the linearised problem to the report
pcs_status project_linear(const trial *t, const project_set *set, const double *g,
                          const pcs_solver_opts *opts, pcs_arena mem, double *dq,
                          pcs_step_report *out, pcs_outcome *outcome);

// names the constraints that contradict each other, where positions have no solution
pcs_status project_conflicts(const trial *t, pcs_arena mem, pcs_step_report *out);

// replaces violation_after by a larger one (m), of two shapes, or of -1 and the id of an
// interaction
void project_worst(double by, int one, int two, pcs_step_report *out);
// adds a linearised problem to the report
void project_remember(pcs_step_report *out, double residual, pcs_outcome outcome);

// q + dq, renormalised; false if a quaternion vanished or a number is not finite
bool project_move(const pcs_model *m, const double *dq, double *q);

// largest coordinate of a system that moves, else 0
double project_coordinate(const trial *t, int system);

// ---- near pairs while positions move (project_near.c) -------------------------------------------

// two shapes that a projection may bring together
typedef struct near_pair {
    int shape[2]; // the first moves
    double depth; // m: deepest overlap at q'; 0 when there is none
    bool taken;   // its rows are in the linearised problem
    int seen;     // number of the last search that visited it
} near_pair;

typedef struct near_pairs {
    int n;
    near_pair *pair; // n
    int *start, *at; // those of system i: at[start[i]] ... at[start[i + 1] - 1]
    double margin;   // m: no other pairs meet while every shape moves less
    double *path;    // m, per system: distance moved so far
    int search;      // number of the last search
} near_pairs;

// the pairs at t->end.q whose bounds are within twice the margin, with the depths of `over`
pcs_status near_find(const trial *t, const touches *over, double margin, pcs_arena *mem,
                     near_pairs *out);
// features of a pair that are nearer than reach at q, from the arena
pcs_status near_features(const trial *t, const near_pair *p, const double *q, double reach,
                         pcs_arena *mem, pcs_feature **f, int *n);
// gap of a feature of the pair at q
double near_gap(const trial *t, const near_pair *p, const pcs_feature *f, const double *q);
// sets t->reach and t->turn: bounds on the motion from t->st->q to t->end.q
void near_bound_motion(const trial *t);
// updates the depths at t->end.q of pairs of systems that have moved
pcs_status near_update(const trial *t, near_pairs *near, pcs_arena mem);
// true when a pair overlaps by more than the tolerance
bool near_overlaps(const trial *t, const near_pair *p);
// m: violation between two systems that does not count: tol, or the rounding error of gaps
double project_slack(const trial *t, double tol, int system1, int system2);

// One linearised projection of overlaps and the bodies around them, from t->end.q to q. In the mass
// metric, for bodies without joints. Features further apart than `margin` do not count. In later
// rounds bodies move less before their other pairs are added. *good is false where q is not finite
pcs_status project_around(const trial *t, near_pairs *near, const bool *translated, int round,
                          double margin, pcs_arena mem, double *q, pcs_step_report *out,
                          bool *good);

#endif
