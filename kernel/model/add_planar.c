// Planar bodies of one shape: disks, rectangles and convex polygons with a density per area. In
// contact detection a disk is a sphere and a polygon a prism along the normal of the plane, as deep
// as the polygon is wide: two of them never part along the normal.
#include "model/model.h"

#include <string.h>

#include <percuss/meshes.h>

#include "linalg/m3.h"
#include "rotation/pose.h"

// the two axes of a plane
static void plane_axes(pcs_plane plane, int *first, int *second)
{
    *first = plane == PCS_PLANE_YZ ? 1 : 0;
    *second = plane == PCS_PLANE_XY ? 1 : 2;
}

static pcs_status check(const char *who, const pcs_model *m, const pcs_body_def *def,
                        double density)
{
    if (!m || !def) return pcs_fail(PCS_ERR_ARG, "%s: an argument is null", who);
    PCS_TRY(model_may_change(m, who));
    if (def->plane < PCS_PLANE_XY || def->plane > PCS_PLANE_YZ) {
        return pcs_fail(PCS_ERR_ARG, "%s: set the plane of the body, for example PCS_PLANE_XZ",
                        who);
    }
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
    int first, second;
    plane_axes(def->plane, &first, &second);
    double edge[3];
    edge[plane_normal(def->plane)] = hypot(a, b);
    edge[first] = a;
    edge[second] = b;
    const pcs_shape box = pcs_shape_box(edge[0], edge[1], edge[2]);
    const double mass = density * a * b;
    return add(m, who, def, mass, mass * (a * a + b * b) / 12, &box, material, out);
}

// ---- polygons ----------------------------------------------------------------------------------

typedef struct polygon_mass {
    double area, centre[2], J, width; // J: about the centre, of density 1
} polygon_mass;

// of the triangles from the first corner; false for polygons that are not convex
static bool measure(int n, const double *x, polygon_mass *out)
{
    double sum = 0, moment[2] = {0, 0}, J = 0, wide = 0;
    bool left = false, right = false;
    for (int i = 0; i < n; ++i) {
        const double *a = x + 2 * i, *b = x + 2 * ((i + 1) % n), *c = x + 2 * ((i + 2) % n);
        const double turn = (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]);
        left = left || turn > 0;
        right = right || turn < 0;
        for (int j = 0; j < i; ++j) {
            wide = fmax(wide, hypot(a[0] - x[2 * j], a[1] - x[2 * j + 1]));
        }
        if (i == 0 || i == n - 1) continue;
        const double p[2] = {a[0] - x[0], a[1] - x[1]}, q[2] = {b[0] - x[0], b[1] - x[1]};
        const double twice = p[0] * q[1] - p[1] * q[0];
        sum += 0.5 * twice;
        for (int k = 0; k < 2; ++k) {
            moment[k] += twice * (p[k] + q[k]) / 6;
            J += twice * (p[k] * p[k] + p[k] * q[k] + q[k] * q[k]) / 12;
        }
    }
    // a star turns to one side only, too, but several times round
    double round = 0;
    for (int i = 0; i < n; ++i) {
        const double *a = x + 2 * i, *b = x + 2 * ((i + 1) % n), *c = x + 2 * ((i + 2) % n);
        const double p[2] = {b[0] - a[0], b[1] - a[1]}, q[2] = {c[0] - b[0], c[1] - b[1]};
        round += atan2(p[0] * q[1] - p[1] * q[0], p[0] * q[0] + p[1] * q[1]);
    }
    const double sign = sum < 0 ? -1 : 1;
    const double at[2] = {moment[0] / sum, moment[1] / sum};
    *out = (polygon_mass){.area = sign * sum,
                          .centre = {x[0] + at[0], x[1] + at[1]},
                          .J = sign * (J - sum * (at[0] * at[0] + at[1] * at[1])),
                          .width = wide};
    return left != right && out->area > 1e-9 * wide * wide && fabs(round) < 7;
}

// the prism of a polygon about its centre, owned by the model
static pcs_status make_prism(pcs_model *m, pcs_plane plane, int n, const double *x,
                             const polygon_mass *of, pcs_geometry **out)
{
    int first, second;
    plane_axes(plane, &first, &second);
    double *point = pcs_env_alloc(&m->env, 6 * (size_t)n, sizeof *point);
    if (!point ||
        !model_grow(&m->env, (void **)&m->prism, m->n_prisms, &m->cap_prisms, sizeof *m->prism)) {
        pcs_env_free(&m->env, point);
        return pcs_fail_memory("pcs_model_add_polygon");
    }
    for (int i = 0; i < 2 * n; ++i) {
        double *to = point + 3 * i;
        to[first] = x[2 * (i / 2)] - of->centre[0];
        to[second] = x[2 * (i / 2) + 1] - of->centre[1];
        to[plane_normal(plane)] = (i % 2 == 0 ? 0.5 : -0.5) * of->width;
    }
    const pcs_status status = pcs_geometry_create_hull(&m->env, 2 * n, point, out);
    pcs_env_free(&m->env, point);
    return status;
}

pcs_status pcs_model_add_polygon(pcs_model *m, const pcs_body_def *def, int n,
                                 const double *corners, double density, pcs_material material,
                                 pcs_system *out)
{
    static const char who[] = "pcs_model_add_polygon";
    PCS_TRY(check(who, m, def, density));
    polygon_mass of;
    if (!corners || n < 3 || !pcs_all_finite(corners, 2 * (size_t)n) || !measure(n, corners, &of)) {
        return pcs_fail(PCS_ERR_ARG,
                        "%s: a polygon needs at least 3 finite corners in order, with every angle"
                        " convex (there are %d); use several shapes for other outlines",
                        who, n);
    }
    pcs_geometry *prism;
    PCS_TRY(make_prism(m, def->plane, n, corners, &of, &prism));
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
