// Gauss-Seidel sweeps over one island, on the velocities of its bodies. For each block in turn, the
// others held fixed,
//
//     u_i = q_i + H_i y,   r_i <- the solution of the block alone,   y <- y + A^-1 H_i^T dr_i
#ifndef BODIES_SWEEP_H
#define BODIES_SWEEP_H

#include "bodies/prepared.h"

typedef struct sweep_result {
    pcs_outcome outcome;
    int sweeps;
    pcs_measure measure; // measure of this island without the rounding; natural map and |r| only
                         // where o->stop needs them
} sweep_result;

typedef struct sweep_opts {
    const pcs_solver_opts *o; // reads stop and max_seconds
    double tol;               // tolerance of this island
    int max_sweeps;           // 0: only measures r
    int patience; // largest number of further sweeps, by the present rate, and of sweeps in which
                  // the residual must fall to 0.7 of its value; 0: no limit
    int window;   // number of sweeps for one rate, from the least changes in each such window
    int first;    // number of sweeps before the rate is evaluated
    double near;  // residual above which the rate is not evaluated
    bool accelerate;
    double clock;    // time at which the whole solve began
    pcs_watch watch; // called by the first thread with every measure, when r and u have been
                     // written
} sweep_opts;

// Solves the island to tol, or until it stalls. All vectors are those of the whole problem; the
// parts of the island are read and written. r: start on entry, the best on return, with its u and v
// = v_free + A^-1 H^T r; v may be v_free.
pcs_status sweep_island(const island *of, const sweep_opts *o, threads *team, pcs_arena work,
                        const double *v_free, double *v, double *r, double *u, sweep_result *out);

// The same for one block of the problem whose bodies no other block touches: its exact solution,
// within o->tol. False where there is no closed form, or where rounding leaves more than o->tol;
// then nothing is written.
bool sweep_one(const bodies_problem *b, int block, const pcs_solver_opts *o, pcs_far far,
               const double *v_free, double *v, double *r, double *u, pcs_measure *out);

#endif
