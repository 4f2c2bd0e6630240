// Planar bodies as they are drawn: plates of one depth. In contact detection disks are spheres, and
// rectangles and polygons are as deep as they are wide.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <percuss/meshes.h>
#include <percuss/planar.h>
#include <percuss/rotation.h>

#include "base/base.h"
#include "view/book.h"

static pcs_plane plane_of(const book *b, pcs_system body)
{
    pcs_body_def def;
    if (body.id == 0 || pcs_model_is_lagrangian(b->model, body)) return PCS_PLANE_NONE;
    return pcs_model_body(b->model, body, &def) == PCS_OK ? def.plane : PCS_PLANE_NONE;
}

// the two axes of a plane, and its normal
static void axes_of(pcs_plane plane, int axis[3])
{
    axis[0] = plane == PCS_PLANE_YZ ? 1 : 0;
    axis[1] = plane == PCS_PLANE_XY ? 1 : 2;
    axis[2] = 3 - axis[0] - axis[1];
}

// the smaller width of a shape along the axes of its plane; infinite for shapes that stay as they
// are
static double width_of(const pcs_shape *s, pcs_plane plane)
{
    int axis[3];
    axes_of(plane, axis);
    if (s->kind == PCS_SHAPE_SPHERE) return 2 * s->radius;
    if (s->kind == PCS_SHAPE_BOX) return 2 * fmin(s->half[axis[0]], s->half[axis[1]]);
    const double *x;
    const int n = s->kind == PCS_SHAPE_HULL && pcs_geometry_polygon(s->geometry, plane, NULL) > 0
                      ? pcs_geometry_vertices(s->geometry, &x)
                      : 0;
    double width = INFINITY;
    for (int k = 0; k < 2 && n > 0; ++k) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < n; ++i) {
            low = fmin(low, x[3 * i + axis[k]]);
            high = fmax(high, x[3 * i + axis[k]]);
        }
        width = fmin(width, high - low);
    }
    return width;
}

static double least_width(const book *b)
{
    double depth = INFINITY;
    for (int k = 0; k < pcs_model_shape_count(b->model); ++k) {
        pcs_model_shape_def def;
        if (pcs_model_shape(b->model, k, &def) != PCS_OK) continue;
        const pcs_plane plane = plane_of(b, def.system);
        if (plane != PCS_PLANE_NONE) depth = fmin(depth, width_of(&def.shape, plane));
    }
    return depth;
}

// the prism with the depth of all
static pcs_status flatten_prism(book *b, int normal, pcs_shape *s)
{
    for (int i = b->flats - 1; i >= 0; --i) {
        if (b->flat_of[i] != s->geometry) continue;
        s->geometry = b->flat[i];
        return PCS_OK;
    }
    const double *x;
    const int n = pcs_geometry_vertices(s->geometry, &x);
    double *point = malloc(3 * (size_t)n * sizeof *point);
    if (!point) return pcs_fail_memory("pcs_replay_write");
    for (int i = 0; i < 3 * n; ++i) {
        point[i] = i % 3 == normal ? copysign(0.5 * b->depth, x[i]) : x[i];
    }
    const pcs_status status = pcs_geometry_create_hull(NULL, n, point, &b->flat[b->flats]);
    free(point);
    PCS_TRY(status);
    b->flat_of[b->flats] = s->geometry;
    s->geometry = b->flat[b->flats++];
    return PCS_OK;
}

pcs_status book_flatten(book *b, pcs_system body, pcs_shape *s)
{
    const pcs_plane plane = plane_of(b, body);
    if (plane == PCS_PLANE_NONE || isinf(width_of(s, plane))) return PCS_OK;
    if (!(b->depth > 0)) b->depth = least_width(b);
    int axis[3];
    axes_of(plane, axis);
    if (s->kind == PCS_SHAPE_BOX) {
        s->half[axis[2]] = 0.5 * b->depth;
    } else if (s->kind == PCS_SHAPE_HULL) {
        return flatten_prism(b, axis[2], s);
    } else {
        // the z axis of a cylinder becomes the normal
        const double half = sqrt(0.5);
        const double turn[3][4] = {{half, 0, half, 0}, {half, -half, 0, 0}, {1, 0, 0, 0}};
        double own[4];
        memcpy(own, s->orientation, sizeof own);
        pcs_quat_mul(own, turn[axis[2]], s->orientation);
        s->kind = PCS_SHAPE_CYLINDER;
        s->half[2] = 0.5 * b->depth;
    }
    return PCS_OK;
}
