// A convex shape in the frame of another shape, and features written from there.
#ifndef COLLIDE_SOLID_H
#define COLLIDE_SOLID_H

#include <percuss/features.h>

#include "collide/convex.h"
#include "linalg/m3.h"

typedef struct solid {
    const pcs_shape *s;
    convex core;
    double R[9], t[3]; // axes and origin of the shape in the other's frame
} solid;

// the core of a convex shape, in its frame
void solid_core(const pcs_shape *s, convex *core);

// shape 1 in the frame of shape 2
void solid_place(const pcs_shape *s1, const double *q1, const pcs_shape *s2, const double *q2,
                 solid *out);

// the point of the core that is least along n; its coordinates in the other's frame
void solid_lowest(const solid *b, const double n[3], double x[3]);

// The contact of a point of shape 1 with the plane through y with the normal N (unit), both in the
// frame of shape 2. The point is given in the frame of shape 1, with its radius.
void solid_point_plane(const solid *b, const pcs_shape *s2, unsigned id, const double p[3],
                       double radius, const double y[3], const double N[3], pcs_feature *f);

// y = R^T (x - t), the inverse; y must not overlap x
static inline void solid_into(const solid *b, const double x[3], double y[3])
{
    double d[3];
    v3_sub(x, b->t, d);
    m3_mul_t(b->R, d, y);
}

static inline void solid_from(const solid *b, const double x[3], double y[3])
{
    m3_mul(b->R, x, y);
    v3_along(b->t, 1, y, y);
}

#endif
