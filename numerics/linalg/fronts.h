// The values of a sparse Cholesky factor L L^T. Columns with the same rows form a front (Rothberg
// and Gupta's supernode), which needs only dense products, in a fixed order. Pattern and memory
// come from CHOLMOD.
#ifndef LINALG_FRONTS_H
#define LINALG_FRONTS_H

#include <cholmod.h>

#include "base/base.h"
#include <percuss/linalg.h>

typedef struct fronts fronts;

// fronts for matrices with the pattern of `upper`; L, borrowed, is the symbolic factor by CHOLMOD.
// null: out of memory
fronts *fronts_create(const cholmod_factor *L, const pcs_csc *upper, cholmod_common *c);
// accepts null
void fronts_destroy(fronts *f, cholmod_common *c);

// Factorises the matrix whose upper triangle has the values x. Returns the ratio of the smallest to
// the largest pivot; 0 when it is not positive definite
double fronts_factor(fronts *f, const double *x);

// x = A^-1 x
void fronts_solve(fronts *f, double *x);

#endif
