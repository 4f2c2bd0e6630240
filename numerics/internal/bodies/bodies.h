// The contact problem of a step, on the velocities of bodies:
//
//     v = v_free + A^-1 H^T r,   u = H v + shift,   K* contains s(u), orthogonal to r in K
//
// A is the block-diagonal iteration matrix. H is stored as a frame and two levers per contact of
// rigid bodies, and as dense rows for everything else (joints, relations, Lagrangian systems). With
// W = H A^-1 H^T and q = H v_free + shift it is the problem of <percuss/problem.h>; here W is
// formed for small islands only.
#ifndef BODIES_BODIES_H
#define BODIES_BODIES_H

#include "base/threads.h"
#include "linalg/mass.h"
#include <percuss/solver.h>

// One cone block between two systems. u += J1 v1 + J2 v2 with, on the side s of a rigid body whose
// velocity is v = (x_G' inertial, omega body),
//
//     J = sign F^T [ I, -[core + along N]x R ],   sign + for side 0 and - for side 1   (6.1)
//
// with t2 = N x t1 inserted, so that the part along N of a sphere (core 0) has no normal moment and
// needs no difference of large numbers: the tangential rows get along (omega . t2) and -along
// (omega . t1). Only the first dim rows of J are used (N, or N T1 T2). Where rows[s] is given, J =
// rows[s].
typedef struct bodies_block {
    pcs_cone cone;
    int dim;
    int row;               // first scalar row; blocks follow one another without gaps
    double mu;             // Coulomb
    int sys[2];            // numbers of moving systems, -1 where that side cannot move
    const double *rows[2]; // dim x width of the system, column-major, sign included; or null
    double F[9];           // [N t1 t2], inertial; not used where rows are given
    double core[2][3];     // contact point minus G, inertial, m: core + along N
    double along[2];       // m
} bodies_block;

typedef struct bodies_problem {
    int n, nb;                 // scalar rows, blocks
    const bodies_block *block; // nb
    const double *shift;       // n
    const block_lu *A;         // factors, a block per moving system; A->start: places in v
    const double *R; // 9 per moving system, body to inertial, column-major; read for rigid
                     // bodies only
} bodies_problem;

typedef struct bodies_report {
    pcs_report
        solve; // outcome, sweeps of the longest island or steps of its solver, measure of all
    int islands;
    int largest;  // blocks of the largest island
    int sweeps;   // of all islands
    int finish;   // steps of Newton or interior point methods, of all islands
    double units; // cost in visits of a block by a sweep
    double seconds_sweeps, seconds_finish;
} bodies_report;

// r: the start on entry (projected on K), the best impulse found on return. v: v_free on entry, on
// return the velocity that belongs to r. u: n. Outcome and measure as those of pcs_solve for the
// whole problem (theory 7.7). o->kind: PCS_SOLVER_AUTO for the portfolio of this form,
// PCS_SOLVER_NSGS for sweeps alone; for any other kind W is assembled, island by island. It spends
// at most `budget` units, divided among the islands by their numbers of blocks, and ends with
// PCS_OUTCOME_MAX_ITERS where that is not enough; the running method may exceed it by one of its
// steps. The result has the same bits for any team. `work` is by value: PCS_ERR_MEMORY, with the
// demand in *work.peak, when it is too small.
PCS_API pcs_status bodies_solve(const bodies_problem *b, const pcs_solver_opts *o, double budget,
                                threads *team, pcs_arena work, double *v, double *r, double *u,
                                bodies_report *out);

// W, q and the cones, from the arena; v_free as above
PCS_API pcs_status bodies_assemble(const bodies_problem *b, const double *v_free, pcs_arena *arena,
                                   pcs_problem *out);

// Products with the rows of one block; start: places in v of the moving systems, R as in
// bodies_problem. u = J v, and p += J^T r
PCS_API void bodies_block_velocity(const bodies_block *k, const int *start, const double *R,
                                   const double *v, double *u);
PCS_API void bodies_block_impulse(const bodies_block *k, const int *start, const double *R,
                                  const double *r, double *p);

// p = H^T r, p of the size of v
PCS_API void bodies_impulses(const bodies_problem *b, const double *r, double *p);

// W_ii of a block, dim x dim column-major; Z (2 x dim x the wider of its systems) is scratch
PCS_API void bodies_diagonal(const bodies_problem *b, int block, double *Z, double *W);

// The norm of u = H v + shift computed with the absolute values of all terms: times DBL_EPSILON it
// bounds the rounding of u. v_free null: of the impulses alone, |H| |A^-1 H^T r|. Memory from the
// arena by value; negative when that is too small
PCS_API double bodies_load(const bodies_problem *b, const double *v_free, const double *r,
                           pcs_arena work);

// F of theory 7.7 in every row, from r and u: u in equality rows; in all others the natural map of
// s r, where s is the scale of the block (null: 1)
void bodies_natural(const bodies_problem *b, const double *scale, const double *r, const double *u,
                    double *F);

// J of side s of a block, dim x width, column-major, sign included
void bodies_rows(const bodies_problem *b, int block, int side, double *J);

#endif
