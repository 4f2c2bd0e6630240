// Sines and cosines of three Euler angles, computed once for all their results.
#ifndef ROTATION_ANGLES_H
#define ROTATION_ANGLES_H

#include <math.h>

typedef struct angles {
    double s[3], c[3];
} angles;

static inline angles angles_of(const double a[3])
{
    angles t;
    for (int i = 0; i < 3; ++i) {
        t.s[i] = sin(a[i]);
        t.c[i] = cos(a[i]);
    }
    return t;
}

// R = Rz(yaw) Ry(pitch) Rx(roll) of (roll, pitch, yaw)
static inline void zyx_matrix(const angles *t, double R[9])
{
    const double cx = t->c[0], sx = t->s[0], cy = t->c[1], sy = t->s[1], cz = t->c[2], sz = t->s[2];
    R[0] = cz * cy;
    R[1] = sz * cy;
    R[2] = -sy;
    R[3] = cz * sy * sx - sz * cx;
    R[4] = sz * sy * sx + cz * cx;
    R[5] = cy * sx;
    R[6] = cz * sy * cx + sz * sx;
    R[7] = sz * sy * cx - cz * sx;
    R[8] = cy * cx;
}

// R = Rz(psi) Ry(theta) Rz(phi) of (psi, theta, phi)
static inline void zyz_matrix(const angles *t, double R[9])
{
    const double c1 = t->c[0], s1 = t->s[0], c2 = t->c[1], s2 = t->s[1], c3 = t->c[2], s3 = t->s[2];
    R[0] = c1 * c2 * c3 - s1 * s3;
    R[1] = s1 * c2 * c3 + c1 * s3;
    R[2] = -s2 * c3;
    R[3] = -c1 * c2 * s3 - s1 * c3;
    R[4] = -s1 * c2 * s3 + c1 * c3;
    R[5] = s2 * s3;
    R[6] = c1 * s2;
    R[7] = s1 * s2;
    R[8] = c2;
}

#endif
