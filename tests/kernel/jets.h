// A function of time by its value and first two derivatives at one instant. The product and chain
// rules give the derivatives of computed quantities, exact to rounding and independent of any
// formula for angular velocities.
#ifndef KERNEL_JETS_H
#define KERNEL_JETS_H

#include <math.h>

#include "rotations.h"

typedef struct jet {
    double f, d, dd;
} jet;

static inline jet jet_add(jet a, double s, jet b)
{
    return (jet){a.f + s * b.f, a.d + s * b.d, a.dd + s * b.dd};
}

static inline jet jet_mul(jet a, jet b)
{
    return (jet){a.f * b.f, a.d * b.f + a.f * b.d, a.dd * b.f + 2 * a.d * b.d + a.f * b.dd};
}

static inline jet jet_scale(double s, jet a)
{
    return (jet){s * a.f, s * a.d, s * a.dd};
}

static inline jet jet_sin(jet a)
{
    const double s = sin(a.f), c = cos(a.f);
    return (jet){s, c * a.d, c * a.dd - s * a.d * a.d};
}

static inline jet jet_cos(jet a)
{
    const double s = sin(a.f), c = cos(a.f);
    return (jet){c, -s * a.d, -s * a.dd - c * a.d * a.d};
}

static inline jet jet_random(test_random *r)
{
    return (jet){random_normal(r), random_normal(r), random_normal(r)};
}

static inline void jet_matrix_mul(const jet A[9], const jet B[9], jet C[9])
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            jet sum = jet_mul(A[i], B[3 * j]);
            for (int k = 1; k < 3; ++k) {
                sum = jet_add(sum, 1, jet_mul(A[i + 3 * k], B[k + 3 * j]));
            }
            C[i + 3 * j] = sum;
        }
    }
}

// y = A x, x may be y
static inline void jet_matrix_apply(const jet A[9], const jet x[3], jet y[3])
{
    jet sum[3];
    for (int i = 0; i < 3; ++i) {
        sum[i] = jet_mul(A[i], x[0]);
        for (int k = 1; k < 3; ++k) {
            sum[i] = jet_add(sum[i], 1, jet_mul(A[i + 3 * k], x[k]));
        }
    }
    for (int i = 0; i < 3; ++i) {
        y[i] = sum[i];
    }
}

// rotation by an angle about a coordinate axis
static inline void jet_about(int axis, jet angle, jet R[9])
{
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    for (int k = 0; k < 9; ++k) {
        R[k] = (jet){0, 0, 0};
    }
    R[4 * axis].f = 1;
    R[4 * i] = R[4 * j] = jet_cos(angle);
    R[j + 3 * i] = jet_sin(angle);
    R[i + 3 * j] = jet_scale(-1, R[j + 3 * i]);
}

// Ra(angle[0]) Rb(angle[1]) Rc(angle[2])
static inline void jet_rotation(const int axes[3], const jet angles[3], jet R[9])
{
    jet A[9], B[9], AB[9], C[9];
    jet_about(axes[0], angles[0], A);
    jet_about(axes[1], angles[1], B);
    jet_about(axes[2], angles[2], C);
    jet_matrix_mul(A, B, AB);
    jet_matrix_mul(AB, C, R);
}

// the quaternion of the same rotation, times a length that may vary
static inline void jet_quaternion(const int axes[3], const jet angles[3], jet length, jet Q[4])
{
    jet P[4] = {length, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    for (int n = 0; n < 3; ++n) {
        // P (x) (c, s e): for an axis e the product swaps entries in pairs
        const jet c = jet_cos(jet_scale(0.5, angles[n])), s = jet_sin(jet_scale(0.5, angles[n]));
        const int a = 1 + axes[n], b = 1 + (axes[n] + 1) % 3, d = 1 + (axes[n] + 2) % 3;
        const jet p0 = P[0], pa = P[a], pb = P[b], pd = P[d];
        P[0] = jet_add(jet_mul(c, p0), -1, jet_mul(s, pa));
        P[a] = jet_add(jet_mul(c, pa), 1, jet_mul(s, p0));
        P[b] = jet_add(jet_mul(c, pb), 1, jet_mul(s, pd));
        P[d] = jet_add(jet_mul(c, pd), -1, jet_mul(s, pb));
    }
    for (int i = 0; i < 4; ++i) {
        Q[i] = P[i];
    }
}

// value, first or second derivative of n jets
static inline void jet_take(const jet *a, int n, int order, double *out)
{
    for (int i = 0; i < n; ++i) {
        out[i] = order == 0 ? a[i].f : order == 1 ? a[i].d : a[i].dd;
    }
}

// omega_B and its derivative from R^T dR/dt = [w]x and R^T d2R/dt2 = [dw/dt]x + [w]x^2
static inline void jet_omega(const jet R[9], double w[3], double dw[3])
{
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3; // entry (k, j) of [w]x is w_i
        w[i] = dw[i] = 0;
        for (int m = 0; m < 3; ++m) {
            w[i] += 0.5 * (R[m + 3 * k].f * R[m + 3 * j].d - R[m + 3 * j].f * R[m + 3 * k].d);
            dw[i] += 0.5 * (R[m + 3 * k].f * R[m + 3 * j].dd - R[m + 3 * j].f * R[m + 3 * k].dd);
        }
    }
}

#endif
