// The linear systems of Newton and interior point methods in contact space,
//
//     J x = b,   J = A W + B,   A and B block diagonal over the cone blocks,
//
// by dense LU when W is small or full, else by sparse LU; its pattern is ordered once.
#ifndef SOLVER_BLOCK_SYSTEM_H
#define SOLVER_BLOCK_SYSTEM_H

#include "linalg/sparse_lu.h"
#include <percuss/problem.h>

// The part of block b starts at BLOCK_SYSTEM_STRIDE * b in A and in B: d x d column-major for
// unilateral and Coulomb blocks, one number (a multiple of the identity) for equality blocks.
#define BLOCK_SYSTEM_STRIDE 9

typedef struct block_system {
    const pcs_problem *p;
    bool dense;     // J is a full matrix
    bool analysed;  // the order of the sparse pattern is known
    double *J;      // n x n when dense
    int *piv;       // n
    pcs_csc S;      // else: the pattern of W with full diagonal blocks
    int *next;      // n, the next free entry of a column
    int *last;      // n, the cone block that filled it last
    sparse_lu *lu;  //
    double rcond;   // smallest over largest pivot of the last factors
    double *t, *t2; // n
} block_system;

// arena bytes of a system on p
size_t block_system_bytes(const pcs_problem *p);

// false when the arena is too small
bool block_system_begin(block_system *s, const pcs_problem *p, pcs_arena *arena);
// frees what SuiteSparse allocated; a zeroed struct is allowed
void block_system_end(block_system *s);

// Forms and factorises J = A W + B; A null means the identity. SPARSE_LU_SINGULAR when J is
// singular, or when the ratio of its pivots is not above rcond.
sparse_lu_outcome block_system_factor(block_system *s, const double *A, const double *B,
                                      double rcond);

// the sign of det J of the last factors; needs SPARSE_LU_GOOD
int block_system_sign(const block_system *s);

// b <- J^-1 b with the last factors and `refine` steps of refinement, for which A and B are those
// of the last call of block_system_factor; false: out of memory
bool block_system_solve(block_system *s, const double *A, const double *B, int refine, double *b);

// y = J x; x and y must not overlap
void block_system_mul(const block_system *s, const double *A, const double *B, const double *x,
                      double *y);

#endif
