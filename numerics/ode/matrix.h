// LU of the square matrices of Newton's method: by our own loops while they are small (no BLAS call
// pays below about 32 unknowns), by LAPACK beyond.
#ifndef ODE_MATRIX_H
#define ODE_MATRIX_H

#include "linalg/dense.h"
#include "linalg/lu.h"

#define MATRIX_SMALL 32

// A = P L U in place; false when it is singular to working precision
static inline bool matrix_factor(int n, double *A, int *piv)
{
    if (!(n <= MATRIX_SMALL ? lu_factor(n, A, piv) : dense_lu(n, A, piv))) return false;

    // rounding leaves pivots of a singular matrix at n eps of the others; A is equilibrated
    double least = INFINITY, most = 0;
    for (int k = 0; k < n; ++k) {
        const double pivot = fabs(A[(size_t)k * ((size_t)n + 1)]);
        if (!isfinite(pivot)) return false;
        least = fmin(least, pivot);
        most = fmax(most, pivot);
    }
    return n == 0 || least > 0.25 * n * 2.3e-16 * most;
}

// x = A^-1 x with the factors of matrix_factor
static inline void matrix_solve(int n, const double *lu, const int *piv, double *x)
{
    if (n <= MATRIX_SMALL) {
        lu_solve(n, lu, piv, x);
    } else {
        dense_lu_solve(n, lu, piv, false, 1, x);
    }
}

#endif
