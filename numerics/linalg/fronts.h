// Numbers of a sparse Cholesky factor L L^T whose columns are taken together where they have the
// same rows (a front, Rothberg and Gupta's supernode): dense products in a fixed order. The pattern
// is CHOLMOD's. Memory is CHOLMOD's too.
#ifndef LINALG_FRONTS_H
#define LINALG_FRONTS_H

#include <cholmod.h>

#include "base/base.h"
#include <percuss/linalg.h>

typedef struct fronts fronts;

// for matrices with the pattern of `upper`, of which L is CHOLMOD's symbolic factor by fronts; L is
// borrowed. null: out of memory
fronts *fronts_create(const cholmod_factor *L, const pcs_csc *upper, cholmod_common *c);
// accepts null
void fronts_destroy(fronts *f, cholmod_common *c);

// Factorises the matrix whose upper triangle has the values x. Returns the ratio of the smallest to
// the largest pivot; 0 when it is not positive definite
double fronts_factor(fronts *f, const double *x);

// x = A^-1 x
void fronts_solve(fronts *f, double *x);

#endif
