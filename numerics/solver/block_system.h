// The linear systems of Newton and interior point methods in contact space,
//
//     J x = b,   J = A W + B,   A and B block diagonal over the cone blocks,
//
// by dense LU when W is small or full, else by sparse LU, whose pattern is ordered once.
#ifndef SOLVER_BLOCK_SYSTEM_H
#define SOLVER_BLOCK_SYSTEM_H

#include "linalg/sparse_lu.h"
#include <percuss/problem.h>

// Where the part of block b starts in A and in B: at BLOCK_SYSTEM_STRIDE * b, d x d column-major
// for unilateral and Coulomb blocks, one number (a multiple of the identity) for equality blocks.
#define BLOCK_SYSTEM_STRIDE 9

typedef struct block_system {
    const pcs_problem *p;
    bool dense;     // J is a full matrix
    bool analysed;  // the sparse pattern has an order
    double *J;      // n x n when dense
    int *piv;       // n
    pcs_csc S;      // else this, of the pattern of W and full diagonal blocks
    int *next;      // n, where a column is filled next
    int *last;      // n, the cone block that filled it last
    sparse_lu *lu;  //
    double rcond;   // smallest over largest pivot of the last factors
    double *t, *t2; // n
} block_system;

// arena bytes of a system on p
size_t block_system_bytes(const pcs_problem *p);

// false when the arena is too small
bool block_system_begin(block_system *s, const pcs_problem *p, pcs_arena *arena);
// gives back what SuiteSparse allocated; also of a zeroed struct
void block_system_end(block_system *s);

// J = A W + B, factorised; A null means the identity. SPARSE_LU_SINGULAR when it is, or when the
// ratio of its pivots is not above rcond.
sparse_lu_outcome block_system_factor(block_system *s, const double *A, const double *B,
                                      double rcond);

// b <- J^-1 b with the last factors and `refine` steps of refinement, for which A and B are those
// of the last call of block_system_factor; false: out of memory
bool block_system_solve(block_system *s, const double *A, const double *B, int refine, double *b);

// y = J x; x and y must not overlap
void block_system_mul(const block_system *s, const double *A, const double *B, const double *x,
                      double *y);

#endif
