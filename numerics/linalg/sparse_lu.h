// Sparse LU of unsymmetric matrices that change while a solver works: the only file that calls KLU.
// KLU allocates with malloc, and sparse_lu_end frees it.
#ifndef LINALG_SPARSE_LU_H
#define LINALG_SPARSE_LU_H

#include "base/base.h"
#include <percuss/linalg.h>

// lives in an arena
typedef struct sparse_lu sparse_lu;

// arena bytes for matrices of n rows
size_t sparse_lu_bytes(int n);

// null when the arena is too small
sparse_lu *sparse_lu_begin(int n, pcs_arena *arena);
// The diagonal will be strong, as that of a definite matrix with an unsymmetric part: where the
// pattern is symmetric, rows are exchanged in a front of lu_fronts.h only, which is faster
void sparse_lu_expect_strong(sparse_lu *w);
// The diagonal was not strong enough: true where the factors were those of fronts, and the next
// ones, by an analysis of their own, will not be
bool sparse_lu_expect_weak(sparse_lu *w);
// Any row of a column may be its pivot, as where the diagonal has zeros: the order is one whose fill
// is bounded for any pivots. The order of the others counts on the diagonal, and other pivots may
// then fill the factors
void sparse_lu_expect_any(sparse_lu *w);
// accepts null
void sparse_lu_end(sparse_lu *w);

typedef enum sparse_lu_outcome {
    SPARSE_LU_GOOD,
    SPARSE_LU_SINGULAR,
    SPARSE_LU_LOST
} sparse_lu_outcome;

// A = P L U Q of an n x n matrix. same: the pattern and the order are those of the last call.
// SPARSE_LU_SINGULAR when a pivot is exactly zero or not finite; SPARSE_LU_LOST when memory ran
// out. A is not kept.
sparse_lu_outcome sparse_lu_refactor(sparse_lu *w, const pcs_csc *A, bool same);

// The same with the pivots of the last factors, for a third of the cost where no fronts are used.
// False where they are, or such a pivot is zero: sparse_lu_refactor with `same` is next. How much a
// weak pivot loses is not checked
bool sparse_lu_repeat(sparse_lu *w, const pcs_csc *A);

// The analysis that the next call of sparse_lu_refactor with `same` uses: returns the number of
// multiplications of such a factorisation without pivoting, or those that it is worth by fronts;
// NaN where the pattern is singular, or without memory. The values of A are not read.
double sparse_lu_analyse(sparse_lu *w, const pcs_csc *A);

// the smallest over the largest pivot after SPARSE_LU_GOOD: a rough reciprocal condition number
double sparse_lu_rcond(const sparse_lu *w);

// the sign of det A after SPARSE_LU_GOOD
int sparse_lu_sign(const sparse_lu *w);

// x = A^-1 x with the factors of the last SPARSE_LU_GOOD, without refinement; false: out of memory
bool sparse_lu_apply(sparse_lu *w, double *x);

// The same for several threads at a time: klu_solve writes to `room`, sparse_lu_room bytes, aligned
// as a double
size_t sparse_lu_room(const sparse_lu *w);
bool sparse_lu_solve(const sparse_lu *w, void *room, double *x);

#endif
