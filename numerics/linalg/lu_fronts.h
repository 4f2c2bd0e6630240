// The values of a sparse LU of a matrix with a symmetric pattern. Columns with the same rows form a
// front, as in fronts.h; rows are exchanged inside a front only. Pattern and order come from
// CHOLMOD; products are summed in a fixed order.
#ifndef LINALG_LU_FRONTS_H
#define LINALG_LU_FRONTS_H

#include "base/base.h"
#include <percuss/linalg.h>

typedef struct lu_fronts lu_fronts;

// Fronts for matrices with the pattern of A, in memory of their own. Null where the pattern is not
// symmetric, the fronts would be small, or without memory
lu_fronts *lu_fronts_create(const pcs_csc *A);
// accepts null
void lu_fronts_destroy(lu_fronts *f);

// the cost of a factorisation, in multiplications of one column by column
double lu_fronts_cost(const lu_fronts *f);

// Factorises the matrix of that pattern with these values, rows scaled to a largest entry of 1.
// Returns the ratio of the smallest to the largest pivot; 0 where a pivot is zero or not finite
double lu_fronts_factor(lu_fronts *f, const pcs_csc *A);

// the sign of det A
int lu_fronts_sign(const lu_fronts *f);

// x = A^-1 x; work (2 n) is overwritten; null: memory of the fronts, for one thread at a time
void lu_fronts_solve(const lu_fronts *f, double *work, double *x);

#endif
