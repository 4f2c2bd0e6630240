// Random rotations and vectors, and comparisons for the tests of rotations.
#ifndef KERNEL_ROTATIONS_H
#define KERNEL_ROTATIONS_H

#include "support.h"

#include <percuss/rotation.h>

#include "linalg/m3.h"

#define PI 3.14159265358979323846

// a unit quaternion times a length between 0.3 and 3
static inline double random_long(test_random *r, double Q[4])
{
    random_quaternion(r, Q);
    const double length = random_between(r, 0.3, 3);
    for (int i = 0; i < 4; ++i) {
        Q[i] *= length;
    }
    return length;
}

static inline void random_vector(test_random *r, double v[], int n)
{
    for (int i = 0; i < n; ++i) {
        v[i] = random_normal(r);
    }
}

static inline void random_pose(test_random *r, double q[7])
{
    random_vector(r, q, 3);
    random_long(r, q + 3);
}

// Q1 and Q2 are the same rotation
static inline double rotation_error(const double Q1[4], const double Q2[4])
{
    double R1[9], R2[9], worst = 0;
    pcs_quat_to_matrix(Q1, R1);
    pcs_quat_to_matrix(Q2, R2);
    for (int i = 0; i < 9; ++i) {
        const double e = fabs(R1[i] - R2[i]);
        if (e > worst || isnan(e)) worst = e;
    }
    return worst;
}

// entries of length n with a bound relative to the largest of b, or to 1
static inline void expect_close(const double *a, const double *b, int n, double tol)
{
    double size = 1;
    for (int i = 0; i < n; ++i) {
        size = fmax(size, fabs(b[i]));
    }
    expect_same(a, b, n, tol * size);
}

// the n x 4 derivatives D by the components of Q are zero along Q
static inline void expect_not_radial(int n, const double *D, const double Q[4], double tol)
{
    for (int row = 0; row < n; ++row) {
        double radial = 0;
        for (int i = 0; i < 4; ++i) {
            radial += D[row + n * i] * Q[i];
        }
        CK_NEAR(radial, 0, tol);
    }
}

static inline void random_direction(test_random *r, double d[3])
{
    random_vector(r, d, 3);
    v3_unit(d, d);
}

static inline double largest(const double *x, int n)
{
    double m = 0;
    for (int i = 0; i < n; ++i) {
        if (fabs(x[i]) > m) m = fabs(x[i]);
    }
    return m;
}

// the point of the body at P, in body axes
static inline void to_body(const double q[7], const double P[3], double p[3])
{
    double back[4], GP[3];
    pcs_quat_conj(q + 3, back);
    v3_sub(P, q, GP);
    pcs_quat_rotate(back, GP, p);
}

#endif
