// Gauss-Seidel sweeps over one island, on the velocities of its bodies. For each block in turn,
// with the others held,
//
//     u_i = q_i + H_i y,   r_i <- the solution of the block alone,   y <- y + A^-1 H_i^T dr_i
#ifndef BODIES_SWEEP_H
#define BODIES_SWEEP_H

#include "bodies/prepared.h"

typedef struct sweep_result {
    pcs_outcome outcome;
    int sweeps;
    pcs_measure measure; // of this island; natural map and |r| where they are stopped on only; the
                         // rounding is not looked at
} sweep_result;

typedef struct sweep_opts {
    const pcs_solver_opts *o; // stop, max_seconds
    double tol;               // of this island
    int max_sweeps;           // 0: r is measured
    int patience; // sweeps that may still be ahead, by the rate so far, and those in which the
                  // residual must fall to 0.7 of what it was; 0: no end is set
    int window;   // sweeps that a rate is taken over, by the least changes in each such window
    int first;    // sweeps before it is asked for
    double near;  // residual above which the rate is not asked for
    bool accelerate;
    double clock; // when the whole solve began
} sweep_opts;

// Solves the island until tol, or until it stalls. All vectors are those of the whole problem, of
// which the parts of the island are read and written. r: start on entry, the best on return with
// its u and v = v_free + A^-1 H^T r, which may be v_free.
pcs_status sweep_island(const island *of, const sweep_opts *o, threads *team, pcs_arena work,
                        const double *v_free, double *v, double *r, double *u, sweep_result *out);

// The same for one block of the problem whose bodies no other touches: its exact solution, within
// o->tol. False where it has none in closed form or rounding leaves more than o->tol: nothing is
// written then.
bool sweep_one(const bodies_problem *b, int block, const pcs_solver_opts *o, const double *v_free,
               double *v, double *r, double *u, pcs_measure *out);

#endif
