// The height of a shape over a plane: the largest n . x of its points. All points of convex shapes
// count; of meshes and height fields, which may rise elsewhere, only those in a cube about a given
// place; a half-space has no highest point unless n is its own normal.
#include "collide/collide.h"

#include "base/base.h"
#include "collide/polygon.h"
#include "collide/solid.h"
#include "collide/surface.h"
#include "rotation/pose.h"

// 1 - cos of the angle up to which n is the normal of a half-space
#define SAME_NORMAL 5e-7

// the highest feature in a cube, in the frame of the shape
typedef struct highest {
    const pcs_geometry *geometry;
    double n[3], low[3], high[3], top;
} highest;

static void look(void *user, int number)
{
    highest *h = user;
    surface_triangle t;
    surface_get(h->geometry, number, &t);
    polygon p[2] = {{.n = 3}};
    for (int k = 0; k < 3; ++k) {
        v3_copy(t.v[k], p[0].at[k].x);
    }
    for (int i = 0; i < 3; ++i) {
        const double along[3] = {i == 0, i == 1, i == 2},
                     back[3] = {-along[0], -along[1], -along[2]};
        polygon_cut(&p[0], along, h->high[i], 0, 0, &p[1]);
        polygon_cut(&p[1], back, -h->low[i], 0, 0, &p[0]);
    }
    for (int k = 0; k < p[0].n; ++k) {
        h->top = fmax(h->top, v3_dot(h->n, p[0].at[k].x));
    }
}

// in the frame of the shape: n unit, centre and radius of the cube
static double top_of(const pcs_shape *s, const double n[3], const double centre[3], double radius)
{
    switch (s->kind) {
    case PCS_SHAPE_HALF_SPACE:
        return n[2] >= 1 - SAME_NORMAL ? 0 : INFINITY;
    case PCS_SHAPE_MESH:
    case PCS_SHAPE_HEIGHT_FIELD: {
        highest h = {.geometry = s->geometry, .top = -INFINITY};
        v3_copy(n, h.n);
        for (int i = 0; i < 3; ++i) {
            h.low[i] = centre[i] - radius;
            h.high[i] = centre[i] + radius;
        }
        surface_near(s->geometry, h.low, h.high, look, &h);
        return h.top;
    }
    default: {
        convex core;
        double x[3];
        int index;
        solid_core(s, &core);
        convex_support(&core, n, x, &index);
        return v3_dot(n, x) + core.radius;
    }
    }
}

double collide_top(const pcs_shape *s, const double *q, const double n[3], const double centre[3],
                   double radius)
{
    double own[3], from[3], origin[3];
    pose_point(q, s->position, origin);
    shape_point(s, q, centre, from);
    shape_direction(s, q, n, own);
    return v3_dot(n, origin) + top_of(s, own, from, radius);
}
