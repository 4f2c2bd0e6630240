// Private side of <percuss/rotation.h>: quaternions of any length.
#ifndef ROTATION_ROTATION_H
#define ROTATION_ROTATION_H

#include <percuss/body.h>
#include <percuss/rotation.h>

#include "linalg/m3.h"

// C = A (x) B; C must not overlap A or B
static inline void quat_mul(const double A[4], const double B[4], double C[4])
{
    C[0] = A[0] * B[0] - A[1] * B[1] - A[2] * B[2] - A[3] * B[3];
    C[1] = A[0] * B[1] + A[1] * B[0] + A[2] * B[3] - A[3] * B[2];
    C[2] = A[0] * B[2] + A[2] * B[0] + A[3] * B[1] - A[1] * B[3];
    C[3] = A[0] * B[3] + A[3] * B[0] + A[1] * B[2] - A[2] * B[1];
}

// S = scale Q and |S|^2. The scale is a power of two, so that it rounds nothing, and 1 unless |Q|^2
// would overflow or underflow. Rotations do not depend on it; results divided by |Q| once do.
static inline double quat_scaled(const double Q[4], double S[4], double *scale)
{
    const double square = Q[0] * Q[0] + Q[1] * Q[1] + Q[2] * Q[2] + Q[3] * Q[3];
    *scale = square_scale(square);
    for (int i = 0; i < 4; ++i) {
        S[i] = *scale * Q[i];
    }
    if (*scale == 1) return square;
    return S[0] * S[0] + S[1] * S[1] + S[2] * S[2] + S[3] * S[3];
}

// true when only the sum or the difference of the outer Euler angles is determined, by the rule of
// pcs_quat_to_zyx or pcs_quat_to_zyz
bool euler_locked(const double Q[4], bool zyx);

// Q or -Q: the one with q0 > 0, or q0 = 0 and the first nonzero of q1..q3 positive (ASM-2)
static inline void quat_positive(double Q[4])
{
    int i = 0;
    while (i < 3 && Q[i] == 0) {
        i += 1;
    }
    if (!(Q[i] < 0)) return;
    for (int k = 0; k < 4; ++k) {
        Q[k] = -Q[k];
    }
}

#endif
