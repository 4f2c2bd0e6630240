// LU with partial pivoting for small blocks (bodies: 6x6), column-major, in place and inline; from
// about 32 unknowns dense_lu is faster.
#ifndef LINALG_LU_H
#define LINALG_LU_H

#include <math.h>
#include <stdbool.h>

// A = P L U, overwritten by L (unit diagonal) and U; piv[k] is the row swapped with k.
// false when a pivot is zero or not finite: A is singular to working precision.
static inline bool lu_factor(int n, double *A, int *piv)
{
    for (int k = 0; k < n; ++k) {
        int p = k;
        for (int i = k + 1; i < n; ++i) {
            if (fabs(A[i + n * k]) > fabs(A[p + n * k])) p = i;
        }
        piv[k] = p;

        const double pivot = A[p + n * k];
        if (!(fabs(pivot) > 0) || !isfinite(pivot)) return false;

        if (p != k) {
            for (int j = 0; j < n; ++j) {
                const double t = A[k + n * j];
                A[k + n * j] = A[p + n * j];
                A[p + n * j] = t;
            }
        }
        for (int i = k + 1; i < n; ++i) {
            A[i + n * k] /= pivot;
        }
        for (int j = k + 1; j < n; ++j) {
            const double a = A[k + n * j];
            if (a == 0) continue;
            for (int i = k + 1; i < n; ++i) {
                A[i + n * j] -= A[i + n * k] * a;
            }
        }
    }
    return true;
}

// x = A^-1 x with the factors of lu_factor
static inline void lu_solve(int n, const double *A, const int *piv, double *x)
{
    for (int k = 0; k < n; ++k) {
        const double t = x[k];
        x[k] = x[piv[k]];
        x[piv[k]] = t;
    }
    for (int k = 0; k < n; ++k) {
        for (int i = k + 1; i < n; ++i) {
            x[i] -= A[i + n * k] * x[k];
        }
    }
    for (int k = n - 1; k >= 0; --k) {
        x[k] /= A[k + n * k];
        for (int i = 0; i < k; ++i) {
            x[i] -= A[i + n * k] * x[k];
        }
    }
}

#endif
