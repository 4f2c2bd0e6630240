// LU of the square matrices of Newton's method: inline for small ones, by blocks for larger ones.
#ifndef ODE_SMALL_LU_H
#define ODE_SMALL_LU_H

#include "linalg/dense.h"
#include "linalg/lu.h"

#define MATRIX_SMALL 32

// A = P L U in place; false when a pivot is zero or not finite
static inline bool matrix_lu(int n, double *A, int *piv)
{
    return n <= MATRIX_SMALL ? lu_factor(n, A, piv) : dense_lu(n, A, piv);
}

// the smallest pivot over the largest; a few eps for a singular equilibrated matrix
static inline double matrix_pivots(int n, const double *lu)
{
    double least = INFINITY, most = 0;
    for (int k = 0; k < n; ++k) {
        const double pivot = fabs(lu[(size_t)k * ((size_t)n + 1)]);
        if (!isfinite(pivot)) return 0;
        least = fmin(least, pivot);
        most = fmax(most, pivot);
    }
    return n == 0 ? 1 : least / most;
}

// x = A^-1 x with the factors of matrix_lu
static inline void matrix_solve(int n, const double *lu, const int *piv, double *x)
{
    if (n <= MATRIX_SMALL) {
        lu_solve(n, lu, piv, x);
    } else {
        dense_lu_solve(n, lu, piv, false, 1, x);
    }
}

#endif
