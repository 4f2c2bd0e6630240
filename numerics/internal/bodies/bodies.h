// The contact problem of a step on the velocities of bodies (<percuss/bodies.h>) with A factorised:
// its solution and products. W is formed for small islands only.
#ifndef BODIES_BODIES_H
#define BODIES_BODIES_H

#include "base/threads.h"
#include "linalg/mass.h"
#include "problem/masses.h"
#include <percuss/bodies.h>

// one cone block between two systems
typedef pcs_bodies_block bodies_block;

static inline pcs_block bodies_cone(const bodies_block *k)
{
    const bool bound = k->cone == PCS_CONE_COULOMB || k->cone == PCS_CONE_BOX;
    return (pcs_block){k->cone, k->row, k->dim, bound ? k->mu : 0};
}

// The contacts at rest before. Where all contacts of an island that have an impulse were, and its
// solution slides, auto looks for one at rest. In this one gaps need not close: where it is
// found, the shift of rows N is that of `still`
typedef struct bodies_rest {
    const unsigned char *rested; // nb: not 0 where the block was at rest; of joints 1
    const double *still;         // nb: shift of the row N of a contact whose gap stays as it is
    double *shift;               // that of the problem
} bodies_rest;

typedef struct bodies_problem {
    int n, nb;                 // scalar rows, blocks
    const bodies_block *block; // nb
    const double *shift;       // n
    const block_lu *A;         // factors, a block per moving system; A->start: places in v
    const double *R;         // 9 per moving system, body to inertial, column-major; read for rigid
                             // bodies only
    pcs_far far;             // norms of q, of a problem of one island; zero: |q|
    const bodies_rest *rest; // or null: auto prefers no solution
} bodies_problem;

typedef struct bodies_report {
    pcs_report
        solve; // outcome, sweeps of the longest island or steps of its solver, measure of all
    int islands;
    int largest;   // blocks of the largest island
    int sweeps;    // sweeps of all islands
    int finish;    // steps of Newton or interior point methods, of all islands
    double units;  // cost in visits of a block by a sweep
    double rounds; // the same in sweeps over all blocks, without the preparation of one solve
    double wants;  // least budget with which a method that the budget left out would have been
                   // tried; 0: none was left out
    double path;   // least budget that leaves enough for the first path of homotopy, where it was
                   // not tried; 0: it was, or its cost is not known
    double kappa;  // with which the finish of auto ended where its first turn solved the island and
                   // Newton's method never failed, in more than a few steps: the least of all
                   // islands. -1: in one of them not so; 0: it did not run
    double seconds_sweeps, seconds_finish;
} bodies_report;

// r: the start on entry (projected on K), the best impulse found on return. v: v_free on entry, on
// return the velocity that belongs to r. u: n. Outcome and measure as those of pcs_solve for the
// whole problem (theory 7.7). Each island is solved by solve_bodies of the row o->kind; where that
// is missing, or the island or an option needs W, W of the island is assembled. It spends
// at most `budget` units, divided among the islands by their numbers of blocks, and ends with
// PCS_OUTCOME_MAX_ITERS where that is not enough; the running method may exceed it by one of its
// steps. The result has the same bits for any team. `work` is by value: PCS_ERR_MEMORY, with the
// demand in *work.peak, when it is too small.
// The watch hears of one island after another, from the calling thread; status_changes counts the
// blocks of the island. Where it stops the solve, the islands that follow keep their start
PCS_API pcs_status bodies_solve(const bodies_problem *b, const pcs_solver_opts *o, pcs_watch watch,
                                double budget, threads *team, pcs_arena work, double *v, double *r,
                                double *u, bodies_report *out);

// As bodies_solve by one thread, with memory from env (null: malloc), released on return; v is
// written only
pcs_status bodies_solve_alloc(const pcs_env *env, const bodies_problem *b, const double *v_free,
                              const pcs_solver_opts *o, pcs_watch watch, double budget, double *v,
                              double *r, double *u, bodies_report *out);

// W, q and the cones, from the arena; v_free as above
PCS_API pcs_status bodies_assemble(const bodies_problem *b, const double *v_free, pcs_arena *arena,
                                   pcs_problem *out);

// the rows of H in blocks of dim x width, a block column per system
pcs_status bodies_stack(const bodies_problem *b, pcs_arena *mem, pcs_bsr *H);

// the public form, with A as it was before factorisation; what it does not borrow is from the arena
PCS_API pcs_status bodies_publish(const bodies_problem *b, const double *v_free, pcs_arena *arena,
                                  pcs_bodies_problem *out);

// Products with the rows of one block; start: places in v of the moving systems, R as in
// bodies_problem. u = J v, and p += J^T r
PCS_API void bodies_block_velocity(const bodies_block *k, const int *start, const double *R,
                                   const double *v, double *u);
PCS_API void bodies_block_impulse(const bodies_block *k, const int *start, const double *R,
                                  const double *r, double *p);

// q = J v_free + shift of one block
void bodies_block_constant(const bodies_problem *b, int block, const double *v_free, double *q);

// p = H^T r, p of the size of v
PCS_API void bodies_impulses(const bodies_problem *b, const double *r, double *p);

// size = the sum of the absolute values of its terms, which are the forces and moments of the
// blocks on rigid bodies, and elsewhere the products of H^T r
PCS_API void bodies_impulse_sizes(const bodies_problem *b, const double *r, double *size);

// W_ii of a block, dim x dim column-major; Z (2 x dim x the wider of its systems) is scratch
PCS_API void bodies_diagonal(const bodies_problem *b, int block, double *Z, double *W);

// Inverse masses of the blocks, as their first rows move bodies; from the arena
PCS_API pcs_status bodies_masses(const bodies_problem *b, pcs_arena *mem, problem_masses *out);

// nb: 1 / rho_i = tr W_ii / d_i of theory 7.7
pcs_status bodies_scales(const bodies_problem *b, pcs_arena mem, double *scale);

typedef struct measure_sums measure_sums; // problem/measure.h

// What r and u = W r + q leave in each island: the sums of its violation, and in `load` those of
// r / rho. *island (nb): the number of the island of each block. Both from the arena
PCS_API pcs_status bodies_island_sums(const bodies_problem *b, const double *r, const double *u,
                                      pcs_arena *mem, int **island, measure_sums **of);

// The norms of q without far targets, of blocks[0 .. nb - 1] (null: of all). Memory from the arena
// by value
PCS_API pcs_status bodies_find_far(const bodies_problem *b, int nb, const int *blocks,
                                   const double *v_free, pcs_arena work, pcs_far *out);

// The norm of u = H v + shift computed with the absolute values of all terms: times DBL_EPSILON it
// bounds the rounding of u. v_free null: of the impulses alone, |H| sum |A^-1 H_i^T r_i|, where the
// terms of a block may cancel. A shift counts up to `most` beyond the other terms of its row: more
// is the rounding of a far target. Memory from the arena by value; negative when that is too small
PCS_API double bodies_load(const bodies_problem *b, const double *v_free, double most,
                           const double *r, pcs_arena work);

// What H^T r + load leaves of every body, forces and moments apart, relative to the sums of the
// sizes of their terms: ns numbers, infinite for systems that are no bodies. Only rows of blocks
// with take, nb, count (null: all); these are between bodies, with at most 6 rows
PCS_API pcs_status bodies_imbalance(const bodies_problem *b, const unsigned char *take,
                                    const double *load, const double *r, pcs_arena work,
                                    double *out);

// largest imbalance that is rounding
#define BODIES_BALANCED 1e-12

// Looks for impulses near r, in their cones, with H^T r + load = 0 up to rounding, for all systems
// that blocks with take move: a proof that these bodies can rest (balance.c). Those blocks are as
// above, and no box; other blocks keep their r, and of other systems nothing is read. holds, ns:
// true where r balances the system on return. free, nv, of these systems: the part of the
// velocities v that these contacts do not resist; where H v determines v it is nearly zero, however
// small H v is beside v. It costs some solves with one sparse Cholesky factorisation.
// PCS_ERR_MEMORY, with the demand in *work.peak, when the arena is too small.
PCS_API pcs_status bodies_balance(const bodies_problem *b, const unsigned char *take,
                                  const double *load, const double *v, pcs_arena work, double *r,
                                  bool *holds, double *free);

// J of side s of a block, dim x width, column-major, sign included
PCS_API void bodies_rows(const bodies_problem *b, int block, int side, double *J);

#endif
