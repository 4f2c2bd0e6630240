// Planar bodies: disks, rectangles and convex polygons with a density per area. In
// contact detection a disk is a sphere and a polygon a prism along the normal of the plane, as deep
// as the polygon is wide: two of them never part along the normal.
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

#include <percuss/meshes.h>
#include <percuss/parts.h>
#include <percuss/planar.h>

#include "linalg/m3.h"
#include "mass/inertia.h"
#include "rotation/pose.h"

// the two axes of a plane
static void plane_axes(pcs_plane plane, int *first, int *second)
{
    *first = plane == PCS_PLANE_YZ ? 1 : 0;
    *second = plane == PCS_PLANE_XY ? 1 : 2;
}

static pcs_status check_plane(const char *who, pcs_plane plane)
{
    if (plane >= PCS_PLANE_XY && plane <= PCS_PLANE_YZ) return PCS_OK;
    return pcs_fail(PCS_ERR_ARG, "%s: set the plane of the body, for example PCS_PLANE_XZ", who);
}

static pcs_status check(const char *who, const pcs_model *m, const pcs_body_def *def,
                        double density)
{
    if (!m || !def) return pcs_fail(PCS_ERR_ARG, "%s: an argument is null", who);
    PCS_TRY(model_may_change(m, who));
    PCS_TRY(check_plane(who, def->plane));
    if (density > 0 && isfinite(density)) return PCS_OK;
    return pcs_fail(PCS_ERR_ARG, "%s: the density is %g kg/m^2; it must be positive", who, density);
}

static pcs_status check_length(const char *who, const char *what, double x)
{
    if (x > 0 && x <= MODEL_LARGEST) return PCS_OK;
    return pcs_fail(PCS_ERR_ARG, "%s: the %s is %g m; it must be positive", who, what, x);
}

// adds the body with this mass and moment of inertia, and its shape
static pcs_status add(pcs_model *m, const char *who, const pcs_body_def *def, double mass, double J,
                      const pcs_shape *shape, pcs_material material, pcs_system *out)
{
    pcs_body_def own = *def;
    pcs_system body;
    own.mass = mass;
    for (int i = 0; i < 9; ++i) {
        own.inertia[i] = i % 4 == 0 ? J : 0;
    }
    PCS_TRY(model_check_shape(m, who, (pcs_system){0}, shape, material));
    if (!model_grow(&m->env, (void **)&m->shape, m->n_shapes, &m->cap_shapes, sizeof *m->shape)) {
        return pcs_fail_memory(who);
    }
    PCS_TRY(pcs_model_add_body(m, &own, &body));
    PCS_TRY(pcs_model_add_shape(m, body, shape, material));
    if (out) *out = body;
    return PCS_OK;
}

pcs_status pcs_model_add_disk(pcs_model *m, const pcs_body_def *def, double radius, double density,
                              pcs_material material, pcs_system *out)
{
    static const char who[] = "pcs_model_add_disk";
    PCS_TRY(check(who, m, def, density));
    PCS_TRY(check_length(who, "radius", radius));
    const double mass = density * acos(-1) * radius * radius;
    const pcs_shape disk = pcs_shape_sphere(radius);
    return add(m, who, def, mass, 0.5 * mass * radius * radius, &disk, material, out);
}

pcs_status pcs_model_add_rectangle(pcs_model *m, const pcs_body_def *def, double a, double b,
                                   double density, pcs_material material, pcs_system *out)
{
    static const char who[] = "pcs_model_add_rectangle";
    PCS_TRY(check(who, m, def, density));
    PCS_TRY(check_length(who, "edge a", a));
    PCS_TRY(check_length(who, "edge b", b));
    const pcs_shape box = pcs_shape_rectangle(def->plane, a, b);
    const double mass = density * a * b;
    return add(m, who, def, mass, mass * (a * a + b * b) / 12, &box, material, out);
}

// ---- polygons ----------------------------------------------------------------------------------

// the corners of a polygon in order, two numbers each
typedef struct outline {
    int n;
    const double *x;
} outline;

typedef struct polygon_mass {
    double area, centre[2], J, width; // J: about the centre, of density 1
} polygon_mass;

// coordinates of corner i, counted round
static const double *corner(const outline *o, int i)
{
    return o->x + 2 * (size_t)(i % o->n);
}

static double width_of(const outline *o)
{
    double wide = 0;
    for (int i = 0; i < o->n; ++i) {
        const double *a = corner(o, i);
        for (int j = 0; j < i; ++j) {
            const double *b = corner(o, j);
            wide = fmax(wide, hypot(a[0] - b[0], a[1] - b[1]));
        }
    }
    return wide;
}

// every angle turns to the same side, or not at all to rounding, and once round: a star does so
// too, but several times
static bool is_convex(const outline *o, double wide)
{
    bool left = false, right = false;
    double round = 0;
    for (int i = 0; i < o->n; ++i) {
        const double *a = corner(o, i), *b = corner(o, i + 1), *c = corner(o, i + 2);
        const double p[2] = {b[0] - a[0], b[1] - a[1]}, q[2] = {c[0] - b[0], c[1] - b[1]};
        const double turn = p[0] * q[1] - p[1] * q[0];
        left = left || turn > 1e-13 * wide * wide;
        right = right || turn < -1e-13 * wide * wide;
        round += atan2(turn, p[0] * q[0] + p[1] * q[1]);
    }
    return left != right && fabs(round) < 7;
}

// of the triangles from the first corner; false for polygons that are not convex
static bool measure(const outline *o, polygon_mass *out)
{
    double sum = 0, moment[2] = {0, 0}, J = 0;
    const double *x = corner(o, 0);
    for (int i = 1; i < o->n - 1; ++i) {
        const double *a = corner(o, i), *b = corner(o, i + 1);
        const double p[2] = {a[0] - x[0], a[1] - x[1]}, q[2] = {b[0] - x[0], b[1] - x[1]};
        const double twice = p[0] * q[1] - p[1] * q[0];
        sum += 0.5 * twice;
        for (int k = 0; k < 2; ++k) {
            moment[k] += twice * (p[k] + q[k]) / 6;
            J += twice * (p[k] * p[k] + p[k] * q[k] + q[k] * q[k]) / 12;
        }
    }
    const double sign = sum < 0 ? -1 : 1, wide = width_of(o);
    const double at[2] = {moment[0] / sum, moment[1] / sum};
    *out = (polygon_mass){.area = sign * sum,
                          .centre = {x[0] + at[0], x[1] + at[1]},
                          .J = sign * (J - sum * (at[0] * at[0] + at[1] * at[1])),
                          .width = wide};
    return is_convex(o, wide) && out->area > 1e-9 * wide * wide;
}

static pcs_status check_corners(const char *who, int n, const double *corners, polygon_mass *of)
{
    if (corners && n >= 3 && pcs_all_finite(corners, 2 * (size_t)n) &&
        measure(&(outline){n, corners}, of)) {
        return PCS_OK;
    }
    return pcs_fail(PCS_ERR_ARG,
                    "%s: a polygon needs at least 3 finite corners in order, with every angle"
                    " convex (there are %d); use several shapes for other outlines",
                    who, n);
}

// the prism of corners relative to `centre`
static pcs_status make_prism(const pcs_env *env, const char *who, pcs_plane plane, int n,
                             const double *x, const double centre[2], double width,
                             pcs_geometry **out)
{
    int first, second;
    plane_axes(plane, &first, &second);
    double *point = pcs_env_alloc(env, 6 * (size_t)n, sizeof *point);
    if (!point) return pcs_fail_memory(who);
    for (int i = 0; i < 2 * n; ++i) {
        double *to = point + 3 * i;
        to[first] = x[2 * (i / 2)] - centre[0];
        to[second] = x[2 * (i / 2) + 1] - centre[1];
        to[plane_normal(plane)] = (i % 2 == 0 ? 0.5 : -0.5) * width;
    }
    const pcs_status status = pcs_geometry_create_hull(env, 2 * n, point, out);
    pcs_env_free(env, point);
    return status;
}

pcs_status pcs_geometry_create_polygon(const pcs_env *env, pcs_plane plane, int n,
                                       const double *corners, pcs_geometry **out)
{
    static const char who[] = "pcs_geometry_create_polygon";
    static const double origin[2] = {0, 0};
    polygon_mass of;
    if (!out) return pcs_fail(PCS_ERR_ARG, "%s: out is null", who);
    *out = NULL;
    PCS_TRY(check_plane(who, plane));
    PCS_TRY(check_corners(who, n, corners, &of));
    return make_prism(env, who, plane, n, corners, origin, of.width, out);
}

// ---- the polygon of a prism --------------------------------------------------------------------

// a corner and its direction from the mean of all
typedef struct ray {
    double angle, x[2];
} ray;

static int compare_rays(const void *a, const void *b)
{
    const double one = ((const ray *)a)->angle, other = ((const ray *)b)->angle;
    return (one > other) - (one < other);
}

// the corners on the upper side of a prism, which are those on the lower side: a hull has its
// vertices in the order of their coordinates. False for other hulls
static bool find_corners(int n, const double *x, pcs_plane plane, ray *out)
{
    int first, second, top = 0, bottom = 0;
    const int up = plane_normal(plane);
    const double height = fabs(x[up]);
    plane_axes(plane, &first, &second);
    for (int i = 0; i < n; ++i) {
        const bool upper = x[3 * i + up] > 0;
        if (fabs(x[3 * i + up]) != height || (upper ? top : bottom) == n / 2) return false;
        if (upper) {
            out[top].x[0] = x[3 * i + first];
            out[top++].x[1] = x[3 * i + second];
        } else {
            out[n / 2 + bottom].x[0] = x[3 * i + first];
            out[n / 2 + bottom++].x[1] = x[3 * i + second];
        }
    }
    for (int i = 0; i < n / 2; ++i) {
        const double *a = out[i].x, *b = out[n / 2 + i].x;
        if (a[0] != b[0] || a[1] != b[1]) return false;
    }
    return true;
}

static void sort_corners(int n, ray *r)
{
    double mean[2] = {0, 0};
    for (int i = 0; i < n; ++i) {
        mean[0] += r[i].x[0] / n;
        mean[1] += r[i].x[1] / n;
    }
    for (int i = 0; i < n; ++i) {
        r[i].angle = atan2(r[i].x[1] - mean[1], r[i].x[0] - mean[0]);
    }
    qsort(r, (size_t)n, sizeof *r, compare_rays);
}

// the polygon of a hull that is the prism of one; *out is released by the caller. False also
// without memory
static bool prism_outline(const pcs_geometry *g, pcs_plane plane, double **corners, outline *out,
                          polygon_mass *of)
{
    const double *x;
    const int n = g && pcs_geometry_kind(g) == PCS_SHAPE_HULL ? pcs_geometry_vertices(g, &x) : 0;
    *corners = NULL;
    if (n < 6 || n % 2 != 0 || plane < PCS_PLANE_XY || plane > PCS_PLANE_YZ) return false;
    ray *r = pcs_env_alloc(NULL, (size_t)n, sizeof *r);
    *corners = pcs_env_alloc(NULL, (size_t)n, sizeof **corners);
    bool is = r && *corners && find_corners(n, x, plane, r);
    if (is) {
        sort_corners(n / 2, r);
        for (int i = 0; i < n; ++i) {
            (*corners)[i] = r[i / 2].x[i % 2];
        }
        *out = (outline){n / 2, *corners};
        is = measure(out, of) && fabs(x[plane_normal(plane)]) == 0.5 * of->width;
    }
    pcs_env_free(NULL, r);
    return is;
}

int pcs_geometry_polygon(const pcs_geometry *g, pcs_plane plane, double *corners)
{
    outline o = {0};
    polygon_mass of;
    double *own;
    const bool is = prism_outline(g, plane, &own, &o, &of);
    if (is && corners) memcpy(corners, own, 2 * (size_t)o.n * sizeof *own);
    pcs_env_free(NULL, own);
    return is ? o.n : 0;
}

pcs_status pcs_model_add_polygon(pcs_model *m, const pcs_body_def *def, int n,
                                 const double *corners, double density, pcs_material material,
                                 pcs_system *out)
{
    static const char who[] = "pcs_model_add_polygon";
    PCS_TRY(check(who, m, def, density));
    polygon_mass of;
    PCS_TRY(check_corners(who, n, corners, &of));
    if (!model_grow(&m->env, (void **)&m->prism, m->n_prisms, &m->cap_prisms, sizeof *m->prism)) {
        return pcs_fail_memory(who);
    }
    pcs_geometry *prism;
    PCS_TRY(make_prism(&m->env, who, def->plane, n, corners, of.centre, of.width, &prism));
    int first, second;
    plane_axes(def->plane, &first, &second);
    pcs_body_def own = *def;
    double centre[3] = {0};
    centre[first] = of.centre[0];
    centre[second] = of.centre[1];
    if (pcs_quat_norm(own.orientation) > 0) quat_turn(own.orientation, 1, centre, centre);
    v3_along(own.position, 1, centre, own.position);
    const pcs_shape hull = pcs_shape_hull(prism);
    const pcs_status status =
        add(m, who, &own, density * of.area, density * of.J, &hull, material, out);
    if (status != PCS_OK) {
        pcs_geometry_destroy(prism);
        return status;
    }
    m->prism[m->n_prisms++] = prism;
    return PCS_OK;
}

// ---- bodies of several shapes ------------------------------------------------------------------

// a shape of a planar body lies in its plane: its origin is in it, and it turns about the normal
static bool lies_in(const pcs_shape *shape, int normal)
{
    bool in = shape->position[normal] == 0;
    for (int i = 0; i < 3; ++i) {
        in = in && (i == normal || shape->orientation[1 + i] == 0);
    }
    return in;
}

// mass, centre and moment about the normal (three times, as planar bodies have it) of a shape with
// a density per area, in the frame of the body
static pcs_status section(const char *who, int k, pcs_plane plane, const pcs_shape *shape,
                          double density, pcs_inertia *out)
{
    int first, second;
    const int normal = plane_normal(plane);
    plane_axes(plane, &first, &second);
    double J, at[3] = {0};
    outline o;
    polygon_mass of;
    double *corners = NULL;
    if (!(density > 0) || !isfinite(density)) {
        return pcs_fail(PCS_ERR_ARG,
                        "%s: the density of shape %d is %g kg/m^2; it must be"
                        " positive",
                        who, k, density);
    }
    PCS_TRY(pcs_shape_check(shape));
    if (!lies_in(shape, normal)) {
        return pcs_fail(PCS_ERR_ARG,
                        "%s: shape %d does not lie in the plane: its position has a component along"
                        " %c, or its orientation is not a rotation about %c",
                        who, k, "xyz"[normal], "xyz"[normal]);
    }
    if (shape->kind == PCS_SHAPE_SPHERE) {
        const double r = shape->radius;
        out->m = density * acos(-1) * r * r;
        J = 0.5 * out->m * r * r;
    } else if (shape->kind == PCS_SHAPE_BOX) {
        const double a = 2 * shape->half[first], b = 2 * shape->half[second];
        out->m = density * a * b;
        J = out->m * (a * a + b * b) / 12;
    } else if (shape->kind == PCS_SHAPE_HULL &&
               prism_outline(shape->geometry, plane, &corners, &o, &of)) {
        out->m = density * of.area;
        J = density * of.J;
        at[first] = of.centre[0];
        at[second] = of.centre[1];
    } else {
        pcs_env_free(NULL, corners);
        return pcs_fail(PCS_ERR_ARG,
                        "%s: shape %d is no sphere (a disk), box (a rectangle) or prism of a"
                        " polygon in this plane; give the body its mass and inertia",
                        who, k);
    }
    pcs_env_free(NULL, corners);
    pcs_quat_rotate(shape->orientation, at, out->G);
    v3_along(out->G, 1, shape->position, out->G);
    for (int i = 0; i < 9; ++i) {
        out->J[i] = i % 4 == 0 ? J : 0;
    }
    return PCS_OK;
}

pcs_status pcs_body_def_of_planar_shapes(int n, const pcs_shape *shapes, const double *densities,
                                         pcs_body_def *def, pcs_shape *about_G)
{
    static const char who[] = "pcs_body_def_of_planar_shapes";
    pcs_inertia all = {0};
    if (n < 1 || !shapes || !densities || !def || !about_G) {
        return pcs_fail(PCS_ERR_ARG, "%s: %d shapes, or an argument is null", who, n);
    }
    PCS_TRY(check_plane(who, def->plane));
    for (int k = 0; k < n; ++k) {
        pcs_inertia one = {0};
        PCS_TRY(section(who, k, def->plane, &shapes[k], densities[k], &one));
        inertia_join(&all, &one);
    }
    return model_shapes_about(who, &all, n, shapes, def, about_G);
}

pcs_shape pcs_shape_rectangle(pcs_plane plane, double a, double b)
{
    int first, second;
    double edge[3];
    plane_axes(plane, &first, &second);
    edge[plane_normal(plane)] = hypot(a, b);
    edge[first] = a;
    edge[second] = b;
    return pcs_shape_box(edge[0], edge[1], edge[2]);
}
