// Rotating and placing single vectors, inline: contact detection takes tens of nanoseconds for a
// pair, so that calls would count. The same maps as <percuss/rotation.h>, homogeneous of degree 0
// in Q. A pose q = (x, Q); null means the world frame.
#ifndef ROTATION_POSE_H
#define ROTATION_POSE_H

#include "linalg/m3.h"

// y = R x with R = I + (2 s [p]x + 2 [p]x [p]x) / |Q|^2 for sign = 1, y = R^T x for sign = -1;
// y may be x
static inline void quat_turn(const double Q[4], double sign, const double x[3], double y[3])
{
    const double two = 2 / (Q[0] * Q[0] + Q[1] * Q[1] + Q[2] * Q[2] + Q[3] * Q[3]);
    double a[3], b[3];
    v3_cross(Q + 1, x, a);
    v3_cross(Q + 1, a, b);
    for (int i = 0; i < 3; ++i) {
        y[i] = x[i] + two * (sign * Q[0] * a[i] + b[i]);
    }
}

// the image of the z axis, third column of R
static inline void quat_z_axis(const double Q[4], double z[3])
{
    const double s2 = Q[0] * Q[0] + Q[3] * Q[3], p2 = Q[1] * Q[1] + Q[2] * Q[2];
    const double inv = 1 / (s2 + p2);
    z[0] = 2 * (Q[1] * Q[3] + Q[0] * Q[2]) * inv;
    z[1] = 2 * (Q[2] * Q[3] - Q[0] * Q[1]) * inv;
    z[2] = (s2 - p2) * inv;
}

// R(Q), column-major
static inline void quat_matrix(const double Q[4], double R[9])
{
    const double two = 2 / (Q[0] * Q[0] + Q[1] * Q[1] + Q[2] * Q[2] + Q[3] * Q[3]);
    const double s = Q[0], x = Q[1], y = Q[2], z = Q[3];
    R[0] = 1 - two * (y * y + z * z);
    R[1] = two * (x * y + s * z);
    R[2] = two * (x * z - s * y);
    R[3] = two * (x * y - s * z);
    R[4] = 1 - two * (x * x + z * z);
    R[5] = two * (y * z + s * x);
    R[6] = two * (x * z + s * y);
    R[7] = two * (y * z - s * x);
    R[8] = 1 - two * (x * x + y * y);
}

// body to inertial; y may be d
static inline void pose_direction(const double *q, const double d[3], double y[3])
{
    if (q) {
        quat_turn(q + 3, 1, d, y);
    } else {
        v3_copy(d, y);
    }
}

// inertial to body; y may be d
static inline void pose_direction_back(const double *q, const double d[3], double y[3])
{
    if (q) {
        quat_turn(q + 3, -1, d, y);
    } else {
        v3_copy(d, y);
    }
}

// body to inertial; y may be p. Most shapes have their point at G
static inline void pose_point(const double *q, const double p[3], double y[3])
{
    if (q && p[0] == 0 && p[1] == 0 && p[2] == 0) {
        v3_copy(q, y);
        return;
    }
    pose_direction(q, p, y);
    if (q) v3_along(y, 1, q, y);
}

#endif
