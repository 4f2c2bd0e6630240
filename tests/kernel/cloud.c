// Spheres, capsules, boxes and hulls as points with a radius, and checks of their contacts; see
// cloud.h.
#include "cloud.h"

#include <percuss/rotation.h>

#include "collide/geometry.h"
#include "linalg/m3.h"
#include "rotation/pose.h"

pcs_geometry *hull_of(int n, const double *points)
{
    pcs_geometry *g;
    CK_OK(pcs_geometry_create_hull(NULL, n, points, &g));
    return g;
}

pcs_geometry *random_hull(test_random *r, int n, double size)
{
    double x[3 * POINTS_MAX];
    for (int i = 0; i < n; ++i) {
        random_vector(r, -size, size, x + 3 * i);
    }
    return hull_of(n, x);
}

pcs_geometry *box_hull(double a, double b, double c)
{
    double x[24];
    for (int v = 0; v < 8; ++v) {
        x[3 * v] = v & 1 ? a / 2 : -a / 2;
        x[3 * v + 1] = v & 2 ? b / 2 : -b / 2;
        x[3 * v + 2] = v & 4 ? c / 2 : -c / 2;
    }
    return hull_of(8, x);
}

// ---- a shape as points with a radius

cloud cloud_of(const pcs_shape *s, const double *q)
{
    cloud c = {.radius =
                   s->kind == PCS_SHAPE_SPHERE || s->kind == PCS_SHAPE_CAPSULE ? s->radius : 0};
    if (s->kind == PCS_SHAPE_SPHERE) c.n = 1;
    if (s->kind == PCS_SHAPE_CAPSULE) {
        c.n = 2;
        c.x[0][2] = s->half[2];
        c.x[1][2] = -s->half[2];
    }
    for (int v = 0; s->kind == PCS_SHAPE_BOX && v < 8; ++v) {
        c.n = 8;
        for (int i = 0; i < 3; ++i) {
            c.x[v][i] = v >> i & 1 ? s->half[i] : -s->half[i];
        }
    }
    if (s->kind == PCS_SHAPE_HULL) {
        c.n = s->geometry->of.hull.n_vertices;
        ck_assert_int_le(c.n, POINTS_MAX);
        memcpy(c.x, s->geometry->of.hull.vertex, (size_t)c.n * sizeof c.x[0]);
    }
    for (int v = 0; v < c.n; ++v) {
        quat_turn(s->orientation, 1, c.x[v], c.x[v]);
        v3_along(c.x[v], 1, s->position, c.x[v]);
        pose_point(q, c.x[v], c.x[v]);
    }
    return c;
}

// the distance by which n (any length), from 2 to 1, separates the cores
double apart_along(const cloud *a, const cloud *b, const double n[3])
{
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < a->n; ++i) {
        low = fmin(low, v3_dot(n, a->x[i]));
    }
    for (int i = 0; i < b->n; ++i) {
        high = fmax(high, v3_dot(n, b->x[i]));
    }
    return (low - high) / v3_norm(n);
}

static double apart_both_ways(const cloud *a, const cloud *b, const double d[3], const double e[3])
{
    double n[3];
    v3_cross(d, e, n);
    if (!(v3_norm(n) > 1e-9 * v3_norm(d) * v3_norm(e))) return -INFINITY;
    const double back[3] = {-n[0], -n[1], -n[2]};
    return fmax(apart_along(a, b, n), apart_along(a, b, back));
}

static int differences(const cloud *a, double (*d)[3])
{
    int n = 0;
    for (int i = 0; i < a->n; ++i) {
        for (int j = 0; j < i; ++j) {
            v3_sub(a->x[i], a->x[j], d[n++]);
        }
    }
    return n;
}

// the largest separation over all planes of three points of one cloud, and all pairs of lines of
// both
double depth_of_all(const cloud *a, const cloud *b)
{
    static double da[POINTS_MAX * POINTS_MAX / 2][3], db[POINTS_MAX * POINTS_MAX / 2][3];
    const int na = differences(a, da), nb = differences(b, db);
    double most = -INFINITY;
    for (int i = 0; i < na; ++i) {
        for (int j = 0; j < i; ++j) {
            most = fmax(most, apart_both_ways(a, b, da[i], da[j]));
        }
        for (int j = 0; j < nb; ++j) {
            most = fmax(most, apart_both_ways(a, b, da[i], db[j]));
        }
    }
    for (int i = 0; i < nb; ++i) {
        for (int j = 0; j < i; ++j) {
            most = fmax(most, apart_both_ways(a, b, db[i], db[j]));
        }
    }
    return most;
}

// ---- checks of features

// The distance of a point to a shape other than a sphere would be that of a tiny sphere, which is
// the code under test. Instead: no plane with one of many random normals separates it from the
// points
static double outside(const cloud *a, const double x[3], test_random *r)
{
    double most = -INFINITY;
    cloud point = {.n = 1};
    v3_copy(x, point.x[0]);
    for (int k = 0; k < 20; ++k) {
        double n[3];
        random_vector(r, -1, 1, n);
        most = fmax(most, apart_along(&point, a, n) - a->radius);
    }
    return most;
}

pcs_gap prove_set(const pcs_shape *s1, const double *q1, const pcs_shape *s2, const double *q2,
                  double reach, const pcs_feature *f, int n, const proof *tol)
{
    const cloud a = cloud_of(s1, q1), b = cloud_of(s2, q2);
    test_random r = random_seed(77);
    check_features(f, n, q1, q2, reach, 1e-12, 0.99);
    const pcs_gap least = feature_gap(&f[0], q1, q2);
    for (int i = 0; i < n; ++i) {
        const pcs_gap c = feature_gap(&f[i], q1, q2);
        ck_assert_msg(c.g >= least.g - 1e-12, "feature %d is deeper than the first by %g", i,
                      least.g - c.g);
        // one of the points belongs to its body; the other is its foot on a plane or line
        const double off = fmin(outside(&a, c.P1, &r), outside(&b, c.P2, &r));
        ck_assert_msg(off <= 1e-6, "feature %d of kind %d: neither point on its body, by %g", i,
                      (int)f[i].kind, off);
    }

    const double core = least.g + a.radius + b.radius;
    const bool joined = f[0].kind != PCS_FEATURE_POINT_PLANE &&
                        f[0].kind != PCS_FEATURE_PLANE_POINT &&
                        (f[0].kind != PCS_FEATURE_EDGE_EDGE || a.radius + b.radius > 0);
    if (core > 1e-13) {
        // points that are close define their direction with fewer digits, in proportion
        CK_NEAR(apart_along(&a, &b, least.N), core, tol->tol_normal + (joined ? 4e-15 / core : 0));
        const double out1 = outside(&a, least.P1, &r), out2 = outside(&b, least.P2, &r);
        ck_assert_msg(out1 <= tol->tol_apart && out2 <= tol->tol_apart,
                      "gap %g: P1 is outside by %g, P2 by %g", least.g, out1, out2);
        double w[3];
        v3_sub(least.P1, least.P2, w);
        CK_NEAR(v3_dot(w, least.N), least.g, tol->tol_apart);
    } else {
        // points and parallel lines span no direction: their depth is zero
        const double most = depth_of_all(&a, &b);
        CK_NEAR(core, isinf(most) ? 0 : most, tol->tol_inside);
        CK_NEAR(apart_along(&a, &b, least.N), core, tol->tol_normal);
    }
    return least;
}

pcs_shape random_shape(test_random *r, pcs_shape_kind kind, double size)
{
    pcs_shape s;
    double q[7];
    switch (kind) {
    case PCS_SHAPE_SPHERE:
        s = pcs_shape_sphere(size * random_between(r, 0.1, 0.5));
        break;
    case PCS_SHAPE_CAPSULE:
        s = pcs_shape_capsule(size * random_between(r, 0.05, 0.3),
                              size * random_between(r, 0.2, 1));
        break;
    case PCS_SHAPE_BOX:
        s = pcs_shape_box(1, 1, 1);
        random_vector(r, 0.1 * size, 0.5 * size, s.half);
        break;
    default:
        if (random_unit(r) < 0.3) {
            double e[3];
            random_vector(r, 0.2 * size, size, e);
            s = pcs_shape_hull(box_hull(e[0], e[1], e[2]));
        } else {
            s = pcs_shape_hull(random_hull(r, 4 + (int)(7 * random_unit(r)), 0.5 * size));
        }
    }
    random_pose(r, q, 0.2 * size);
    if (random_unit(r) < 0.7) {
        memcpy(s.position, q, sizeof s.position);
        memcpy(s.orientation, q + 3, sizeof s.orientation);
    }
    return s;
}

void release(pcs_shape *s)
{
    if (s->kind == PCS_SHAPE_HULL) pcs_geometry_destroy((pcs_geometry *)s->geometry);
}

const pcs_shape_kind pairs[PAIRS][2] = {
    {PCS_SHAPE_CAPSULE, PCS_SHAPE_SPHERE}, {PCS_SHAPE_CAPSULE, PCS_SHAPE_CAPSULE},
    {PCS_SHAPE_CAPSULE, PCS_SHAPE_BOX},    {PCS_SHAPE_HULL, PCS_SHAPE_SPHERE},
    {PCS_SHAPE_HULL, PCS_SHAPE_CAPSULE},   {PCS_SHAPE_HULL, PCS_SHAPE_BOX},
    {PCS_SHAPE_HULL, PCS_SHAPE_HULL},
};
