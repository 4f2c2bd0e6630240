// The derivative of a real formula without cancellation: f(x + i h) = f(x) + i h f'(x) + O(h^2), so
// Im f / h is exact to rounding for h = 1e-200. The formulas of the kernel are repeated here for
// complex numbers; products are never conjugated.
#ifndef KERNEL_COMPLEX_STEP_H
#define KERNEL_COMPLEX_STEP_H

#include <complex.h>
#include <stdbool.h>

typedef double complex cplx;

#define STEP 1e-200

static inline cplx z_dot(const cplx a[3], const cplx b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void z_cross(const cplx a[3], const cplx b[3], cplx c[3])
{
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        c[i] = a[j] * b[k] - a[k] * b[j];
    }
}

static inline void z_mul(const cplx A[4], const cplx B[4], cplx C[4])
{
    cplx axb[3];
    z_cross(A + 1, B + 1, axb);
    C[0] = A[0] * B[0] - z_dot(A + 1, B + 1);
    for (int i = 1; i < 4; ++i) {
        C[i] = A[0] * B[i] + B[0] * A[i] + axb[i - 1];
    }
}

// y = Im(Q (x) (0, x) (x) Q*) / |Q|^2; `raw` omits the division
static inline void z_rotate(const cplx Q[4], const double x[3], bool raw, cplx y[3])
{
    const cplx X[4] = {0, x[0], x[1], x[2]}, conj_Q[4] = {Q[0], -Q[1], -Q[2], -Q[3]};
    cplx QX[4], Y[4];
    z_mul(Q, X, QX);
    z_mul(QX, conj_Q, Y);
    const cplx square = raw ? 1 : Q[0] * Q[0] + z_dot(Q + 1, Q + 1);
    for (int i = 0; i < 3; ++i) {
        y[i] = Y[1 + i] / square;
    }
}

// the body-fixed point p of a body at q; q null: the world
static inline void z_point(const cplx *q, const double p[3], cplx P[3])
{
    for (int i = 0; i < 3; ++i) {
        P[i] = p[i];
    }
    if (!q) return;
    z_rotate(q + 3, p, false, P);
    for (int i = 0; i < 3; ++i) {
        P[i] += q[i];
    }
}

// the body-fixed direction d
static inline void z_direction(const cplx *q, const double d[3], cplx D[3])
{
    for (int i = 0; i < 3; ++i) {
        D[i] = d[i];
    }
    if (q) z_rotate(q + 3, d, false, D);
}

// q1 and q2 as one row of complex numbers with coordinate `i` moved by the step; q2 may be null
static inline void step_poses(const double *q1, const double *q2, int i, cplx z[14])
{
    for (int k = 0; k < 14; ++k) {
        z[k] = k < 7 ? q1[k] : q2 ? q2[k - 7] : 0;
    }
    z[i] += I * STEP;
}

#endif
