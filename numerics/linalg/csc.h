// Private helpers on sparse columns.
#ifndef LINALG_CSC_H
#define LINALG_CSC_H

#include "base/base.h"
#include <percuss/linalg.h>

// sizes, order and finiteness of a square matrix called `name`
pcs_status csc_check_square(const pcs_csc *M, const char *name);

// true when M, which is good and has both triangles, is symmetric to rounding
bool csc_is_symmetric(const pcs_csc *M);

// a square matrix of n rows with room for nnz entries, from the arena
bool csc_take(pcs_arena *arena, int n, int nnz, pcs_csc *out);

// A copy of M (good: square, rows increasing) with both triangles; M may have only one of them.
// From env, released by csc_free; false when memory is out or an int cannot count it.
bool csc_complete(const pcs_env *env, const pcs_csc *M, pcs_csc *out);
void csc_free(const pcs_env *env, pcs_csc *A);

// y = y + A x
void csc_addmul(const pcs_csc *A, const double *x, double *y);

#endif
