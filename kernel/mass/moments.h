// Volume, first and second moments of a solid from the triangles of its surface, by the divergence
// theorem: every triangle (a, b, c), counter-clockwise from outside, spans a tetrahedron with a
// fixed point o, counted with the sign of its orientation. With d = a . (b x c), all from o, and
// s = a + b + c,
//     V = sum d / 6,   int x dV = sum d s / 24,
//     int x x^T dV = sum d (s s^T + a a^T + b b^T + c c^T) / 120
#ifndef MASS_MOMENTS_H
#define MASS_MOMENTS_H

#include "linalg/m3.h"

// for density 1; relative to the point `origin`, which should be inside or near, for less rounding
typedef struct moments {
    double origin[3];
    double volume, first[3], second[9];
} moments;

static inline void moments_add(moments *m, const double p1[3], const double p2[3],
                               const double p3[3])
{
    double a[3], b[3], c[3], bc[3], s[3];
    v3_sub(p1, m->origin, a);
    v3_sub(p2, m->origin, b);
    v3_sub(p3, m->origin, c);
    v3_cross(b, c, bc);
    const double d = v3_dot(a, bc);
    for (int i = 0; i < 3; ++i) {
        s[i] = a[i] + b[i] + c[i];
        m->first[i] += d * s[i] / 24;
    }
    m->volume += d / 6;
    for (int j = 0; j < 3; ++j) {
        for (int i = 0; i < 3; ++i) {
            m->second[i + 3 * j] +=
                d * (s[i] * s[j] + a[i] * a[j] + b[i] * b[j] + c[i] * c[j]) / 120;
        }
    }
}

// centre and inertia about it, of density 1; the volume must not be zero
static inline void moments_centre(const moments *m, double centre[3], double J[9])
{
    double C[9], d[3];
    for (int i = 0; i < 3; ++i) {
        d[i] = m->first[i] / m->volume;
        centre[i] = m->origin[i] + d[i];
    }
    for (int j = 0; j < 3; ++j) {
        for (int i = 0; i < 3; ++i) {
            C[i + 3 * j] = m->second[i + 3 * j] - m->volume * d[i] * d[j];
        }
    }
    for (int i = 0; i < 9; ++i) {
        J[i] = (i % 4 == 0 ? C[0] + C[4] + C[8] : 0) - C[i];
    }
}

#endif
