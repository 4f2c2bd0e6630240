// What a projection acts on, and one linearised step of it: dq so that g + C dq obeys the rows.
#ifndef STEP_PROJECT_H
#define STEP_PROJECT_H

#include "step/step.h"

typedef struct project_set {
    int n;
    candidate **row; // n
    int rows;        // gaps of them all
    bool joints;     // some are bilateral
    pcs_cone *kind;  // rows
    double *Lambda;  // rows: where to start and, in the mass metric, what it came to; null: from 0
    const bool *unturned; // per moving system, null for none: bodies that keep their orientation
                          // (mass metric)
} project_set;

// sweeps over many rows, at most: the next linearisation goes on from there
#define PROJECT_SWEEPS 40

// one candidate more; there is room for it
void project_add(project_set *set, candidate *c);
// who solves the linearised problem with gaps g, and how far: joints, which sweeps carry along a
// chain by one link each, directly
pcs_solver_opts project_options(const project_set *set, const double *g, double tol);

// shortest dq (nq) in the mass metric, on the velocities of bodies: any number of rows
pcs_status project_in_mass(const trial *t, const project_set *set, const double *g,
                           const pcs_solver_opts *opts, pcs_arena mem, double *dq,
                           pcs_report *report);
// and in any other, with rows written out
pcs_status project_in_metric(const trial *t, const project_set *set, const double *g,
                             const pcs_solver_opts *opts, pcs_arena mem, double *dq,
                             pcs_report *report);
// in the metric of the scheme; *out learns of the linearised problem
pcs_status project_linear(const trial *t, const project_set *set, const double *g,
                          const pcs_solver_opts *opts, pcs_arena mem, double *dq,
                          pcs_step_report *out, pcs_outcome *outcome);

// a linearised problem more, in the report
// takes a violation (m) for violation_after if it is the worst: of two shapes, or -1 and the id of
// an interaction
void project_worst(double by, int one, int two, pcs_step_report *out);
void project_remember(pcs_step_report *out, double residual, pcs_outcome outcome);

// q + dq, renormalised; false if a quaternion vanished or a number is not finite
bool project_move(const pcs_model *m, const double *dq, double *q);

// largest coordinate of a system that moves, else 0
double project_coordinate(const trial *t, int system);

// ---- who is near whom while positions move (project_near.c) ------------------------------------

// two shapes that a projection may bring together
typedef struct near_pair {
    int shape[2]; // the first moves
    double depth; // m, of the deepest overlap at q'; 0 when there is none
    bool taken;   // its rows are in the linearised problem
    int seen;     // the last search that came by
} near_pair;

typedef struct near_pairs {
    int n;
    near_pair *pair; // n
    int *start, *at; // those of system i: at[start[i]] ... at[start[i + 1] - 1]
    double margin;   // m: so far every shape may move before there can be others
    double *path;    // m, per system: so far it has moved
    int search;      // the last one
} near_pairs;

// the pairs at t->end.q whose bounds are within twice the margin, with the depths of `over`
pcs_status near_find(const trial *t, const touches *over, double margin, pcs_arena *mem,
                     near_pairs *out);
// features of a pair that are nearer than reach at q, from the arena
pcs_status near_features(const trial *t, const near_pair *p, const double *q, double reach,
                         pcs_arena *mem, pcs_feature **f, int *n);
// the gap of a feature of the pair at q
double near_gap(const trial *t, const near_pair *p, const pcs_feature *f, const double *q);
// t->reach and t->turn: bounds on the ways from t->st->q to t->end.q
void near_ways(const trial *t);
// the depths at t->end.q of the pairs of systems with a way
pcs_status near_look(const trial *t, near_pairs *near, pcs_arena mem);
// whether a pair overlaps by more than the tolerance
bool near_overlaps(const trial *t, const near_pair *p);
// what is taken for no violation between two systems: tol or the rounding of gaps, m
double project_slack(const trial *t, double tol, int system1, int system2);

// One linearised projection around what overlaps, linearised at t->end.q: q is moved on from there.
// In the mass metric, for bodies without joints; features further apart than `margin` do not count,
// and the later the round the less bodies move without their other pairs being looked at.
// False in *good: that led nowhere
pcs_status project_around(const trial *t, near_pairs *near, const bool *unturned, int round,
                          double margin, pcs_arena mem, double *q, pcs_step_report *out,
                          bool *good);

#endif
