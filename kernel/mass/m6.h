// 6x6 matrices of one body, column-major, inline: A[i + 6 j]; a vector is (linear, angular).
#ifndef MASS_M6_H
#define MASS_M6_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "linalg/m3.h"

// y = A x; y must not overlap x
static inline void m6_mul(const double A[36], const double x[6], double y[6])
{
    for (int i = 0; i < 6; ++i) {
        y[i] = 0;
    }
    for (int j = 0; j < 6; ++j) {
        for (int i = 0; i < 6; ++i) {
            y[i] += A[i + 6 * j] * x[j];
        }
    }
}

// out = C(nu) nu = (omega x P; omega x H + V x P) of the momentum (P, H) = M nu (theory 11.1)
static inline void m6_coriolis(const double M[36], const double nu[6], double out[6])
{
    double momentum[6], slip[3];
    m6_mul(M, nu, momentum);
    v3_cross(nu + 3, momentum, out);
    v3_cross(nu + 3, momentum + 3, out + 3);
    v3_cross(nu, momentum, slip);
    v3_along(out + 3, 1, slip, out + 3);
}

static inline double v6_dot(const double a[6], const double b[6])
{
    return v3_dot(a, b) + v3_dot(a + 3, b + 3);
}

// true when A is symmetric to the rounding of the two diagonal entries that an entry couples, so
// that metres and radians need no common scale
static inline bool m6_is_symmetric(const double A[36])
{
    for (int j = 0; j < 6; ++j) {
        for (int i = 0; i < j; ++i) {
            const double a = A[i + 6 * j], b = A[j + 6 * i];
            const double size = fmax(fabs(a), fmax(fabs(b), sqrt(fabs(A[7 * i] * A[7 * j]))));
            if (!(fabs(a - b) <= 1e-10 * size)) return false;
        }
    }
    return true;
}

// A = L L^T, the upper triangle of L is not written; false when A is not positive definite beyond
// rounding
static inline bool m6_cholesky(const double A[36], double L[36])
{
    for (int j = 0; j < 6; ++j) {
        for (int i = j; i < 6; ++i) {
            double a = A[i + 6 * j];
            for (int k = 0; k < j; ++k) {
                a -= L[i + 6 * k] * L[j + 6 * k];
            }
            if (i > j) {
                L[i + 6 * j] = a / L[7 * j];
                continue;
            }
            if (!(a > 16 * DBL_EPSILON * A[7 * j]) || !isfinite(a)) return false;
            L[7 * j] = sqrt(a);
        }
    }
    return true;
}

// x = (L L^T)^-1 x
static inline void m6_cholesky_solve(const double L[36], double x[6])
{
    for (int j = 0; j < 6; ++j) {
        x[j] /= L[7 * j];
        for (int i = j + 1; i < 6; ++i) {
            x[i] -= L[i + 6 * j] * x[j];
        }
    }
    for (int j = 5; j >= 0; --j) {
        for (int i = j + 1; i < 6; ++i) {
            x[j] -= L[i + 6 * j] * x[i];
        }
        x[j] /= L[7 * j];
    }
}

#endif
