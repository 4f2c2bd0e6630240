// Axis-aligned bounds of a shape at a pose, enlarged by a reach, for the broad phase.
#include "collide/broad.h"

#include "base/base.h"
#include "collide/collide.h"
#include "collide/geometry.h"
#include "rotation/pose.h"

// half extents along the inertial axes: |R| h for a box rotated by R; |z| l for a core segment
// along the axis z of R with half length l, plus the radius around it, which a cylinder has across
// its axis only
static void rotated_extent(const pcs_shape *s, const double *q, double extent[3])
{
    double R[9], S[9];
    quat_matrix(s->orientation, S);
    for (int j = 0; j < 3; ++j) {
        pose_direction(q, S + 3 * j, R + 3 * j);
    }
    for (int i = 0; i < 3; ++i) {
        const double z = fabs(R[i + 6]), across = sqrt(fmax(0, 1 - z * z));
        if (s->kind == PCS_SHAPE_BOX) {
            extent[i] = fabs(R[i]) * s->half[0] + fabs(R[i + 3]) * s->half[1] + z * s->half[2];
        } else {
            extent[i] = z * s->half[2] + s->radius * (s->kind == PCS_SHAPE_CYLINDER ? across : 1);
        }
    }
}

// bounds given in the frame of the shape, rotated: their middle and half extents
static void geometry_extent(const pcs_shape *s, const double *q, double c[3], double extent[3])
{
    double middle[3], half[3], S[9], R[9], at[3];
    for (int i = 0; i < 3; ++i) {
        middle[i] = 0.5 * (s->geometry->low[i] + s->geometry->high[i]);
        half[i] = 0.5 * (s->geometry->high[i] - s->geometry->low[i]);
    }
    quat_matrix(s->orientation, S);
    m3_mul(S, middle, at);
    v3_along(s->position, 1, at, at);
    pose_point(q, at, c);
    for (int j = 0; j < 3; ++j) {
        pose_direction(q, S + 3 * j, R + 3 * j);
    }
    for (int i = 0; i < 3; ++i) {
        extent[i] = fabs(R[i]) * half[0] + fabs(R[i + 3]) * half[1] + fabs(R[i + 6]) * half[2];
    }
}

// bounds of the vertices, one by one or by climbing from neighbour to neighbour
static void hull_extent(const pcs_shape *s, const double *q, double c[3], double extent[3])
{
    const polyhedron *h = &s->geometry->of.hull;
    double low[3], high[3];
    for (int i = 0; i < 3; ++i) {
        const double axis[3] = {i == 0, i == 1, i == 2};
        double d[3], back[3];
        shape_direction(s, q, axis, d);
        v3_scale(-1, d, back);
        high[i] = v3_dot(d, polyhedron_vertex(h, polyhedron_top(h, d)));
        low[i] = v3_dot(d, polyhedron_vertex(h, polyhedron_top(h, back)));
    }
    pose_point(q, s->position, c);
    for (int i = 0; i < 3; ++i) {
        extent[i] = 0.5 * (high[i] - low[i]);
        c[i] += 0.5 * (high[i] + low[i]);
    }
}

void collide_bounds(const pcs_shape *s, const double *q, double reach, double low[3],
                    double high[3], bool *unbounded)
{
    *unbounded = s->kind == PCS_SHAPE_HALF_SPACE;
    if (*unbounded) {
        for (int i = 0; i < 3; ++i) {
            low[i] = -INFINITY;
            high[i] = INFINITY;
        }
        return;
    }
    double c[3], extent[3] = {s->radius, s->radius, s->radius};
    pose_point(q, s->position, c);
    if (s->kind == PCS_SHAPE_MESH || s->kind == PCS_SHAPE_HEIGHT_FIELD)
        geometry_extent(s, q, c, extent);
    if (s->kind == PCS_SHAPE_HULL) hull_extent(s, q, c, extent);
    if (s->kind == PCS_SHAPE_BOX || s->kind == PCS_SHAPE_CAPSULE || s->kind == PCS_SHAPE_CYLINDER) {
        rotated_extent(s, q, extent);
    }

    for (int i = 0; i < 3; ++i) {
        low[i] = c[i] - extent[i] - reach;
        high[i] = c[i] + extent[i] + reach;
    }
}
