// Contact detection against independent answers: closed forms for spheres and planes, projections
// and vertices for boxes, and for two boxes a search of all pairs of features.
#include "support.h"

#include <percuss/shape.h>

#include "collide/broad.h"
#include "linalg/m3.h"
#include "rotation/pose.h"

// ---- what the features say, computed here

typedef struct gap {
    double g, N[3], P1[3], P2[3];
} gap;

static gap feature_gap(const pcs_feature *f, const double *q1, const double *q2)
{
    gap out;
    double a[3], b[3], d1[3], d2[3], n[3], ab[3];
    pose_point(q1, f->p1, a);
    pose_point(q2, f->p2, b);
    pose_direction(q1, f->d1, d1);
    pose_direction(q2, f->d2, d2);
    pose_direction(q2, f->n2, n);
    v3_sub(a, b, ab);

    double N[3] = {0};
    switch (f->kind) {
    case PCS_POINT_PLANE:
        v3_along(d2, 0, d2, N);
        break;
    case PCS_PLANE_POINT:
        for (int i = 0; i < 3; ++i) {
            N[i] = -d1[i];
        }
        break;
    case PCS_POINT_POINT:
        v3_along(ab, 0, ab, N);
        break;
    case PCS_POINT_EDGE:
        v3_along(ab, -v3_dot(ab, d2), d2, N);
        break;
    case PCS_EDGE_POINT:
        v3_along(ab, -v3_dot(ab, d1), d1, N);
        break;
    case PCS_EDGE_EDGE:
        v3_cross(d1, d2, N);
        break;
    }
    const double norm = v3_norm(N), sign = v3_dot(N, n) < 0 ? -1 : 1;
    for (int i = 0; i < 3; ++i) {
        out.N[i] = norm > 0 ? sign * N[i] / norm : n[i];
    }
    out.g = v3_dot(out.N, ab) - f->radius1 - f->radius2;
    if (f->kind == PCS_PLANE_POINT || f->kind == PCS_EDGE_POINT) {
        v3_along(b, f->radius2, out.N, out.P2);
        v3_along(out.P2, out.g, out.N, out.P1);
    } else {
        v3_along(a, -f->radius1, out.N, out.P1);
        v3_along(out.P1, -out.g, out.N, out.P2);
    }
    return out;
}

// the smallest gap of a set, and what must hold for every member
static gap check_set(const pcs_feature *f, int n, const double *q1, const double *q2, double reach)
{
    ck_assert_int_ge(n, 1);
    ck_assert_int_le(n, PCS_FEATURES_MAX);
    gap least = {.g = INFINITY};
    for (int i = 0; i < n; ++i) {
        const gap c = feature_gap(&f[i], q1, q2);
        ck_assert_msg(isfinite(c.g), "gap %g", c.g);
        CK_NEAR(v3_norm(c.N), 1, 1e-14);
        CK_NEAR(v3_norm(f[i].n2), 1, 1e-14);
        ck_assert_msg(c.g <= reach + 1e-14, "gap %g beyond the reach %g", c.g, reach);

        double n2[3];
        pose_direction(q2, f[i].n2, n2);
        ck_assert_msg(v3_dot(n2, c.N) > 0.999, "kind %d: normal off by %g", (int)f[i].kind,
                      acos(v3_dot(n2, c.N)));
        for (int k = 0; k < i; ++k) {
            ck_assert_msg(f[i].id != f[k].id, "features %d and %d share the id %u", i, k, f[i].id);
        }
        if (c.g < least.g) least = c;
    }
    CK_NEAR(feature_gap(&f[0], q1, q2).g, least.g, 1e-14);
    return least;
}

// ---- random scenes

static void random_pose(test_random *r, double q[7], double spread)
{
    random_quaternion(r, q + 3);
    const double length = random_between(r, 0.5, 2);
    for (int i = 0; i < 3; ++i) {
        q[i] = random_between(r, -spread, spread);
    }
    for (int i = 3; i < 7; ++i) {
        q[i] *= length;
    }
}

// a shape with a pose of its own in its body, now and then the plain one
static void random_local_pose(test_random *r, pcs_shape *s)
{
    double q[7];
    if (random_unit(r) < 0.3) return;
    random_pose(r, q, 0.4);
    memcpy(s->position, q, sizeof s->position);
    memcpy(s->orientation, q + 3, sizeof s->orientation);
}

static pcs_shape random_sphere(test_random *r)
{
    pcs_shape s = pcs_shape_sphere(random_between(r, 0.1, 0.5));
    random_local_pose(r, &s);
    return s;
}

static pcs_shape random_box(test_random *r)
{
    pcs_shape s = pcs_shape_box(random_between(r, 0.2, 1), random_between(r, 0.2, 1),
                                random_between(r, 0.2, 1));
    random_local_pose(r, &s);
    return s;
}

static pcs_shape random_half_space(test_random *r)
{
    const double n[3] = {random_normal(r), random_normal(r), random_normal(r)};
    pcs_shape s = pcs_shape_half_space(n, random_normal(r));
    random_local_pose(r, &s);
    return s;
}

// origin and axes of a shape, inertial
typedef struct placed {
    double x[3], R[9];
} placed;

static placed place(const pcs_shape *s, const double *q)
{
    placed p;
    pose_point(q, s->position, p.x);
    quat_matrix(s->orientation, p.R);
    for (int j = 0; j < 3; ++j) {
        pose_direction(q, p.R + 3 * j, p.R + 3 * j);
    }
    return p;
}

// the same contacts with the bodies exchanged
static void check_swap(const pcs_shape *s1, const double *q1, const pcs_shape *s2, const double *q2,
                       double reach)
{
    pcs_feature f[PCS_FEATURES_MAX], b[PCS_FEATURES_MAX];
    const int n = pcs_collide(s1, q1, s2, q2, reach, f);
    ck_assert_int_eq(pcs_collide(s2, q2, s1, q1, reach, b), n);
    for (int i = 0; i < n; ++i) {
        const gap there = feature_gap(&f[i], q1, q2), back = feature_gap(&b[i], q2, q1);
        ck_assert_uint_eq(f[i].id, b[i].id);
        CK_NEAR(there.g, back.g, 1e-14);
        for (int c = 0; c < 3; ++c) {
            CK_NEAR(there.N[c], -back.N[c], 1e-14);
            CK_NEAR(there.P1[c], back.P2[c], 1e-14);
            CK_NEAR(there.P2[c], back.P1[c], 1e-14);
        }
    }
}

// ---- shapes

START_TEST(half_space_takes_any_normal)
{
    test_random r = random_seed(1);
    for (int k = 0; k < 1000; ++k) {
        double n[3] = {random_normal(&r), random_normal(&r), random_normal(&r)};
        if (k < 6) {
            n[0] = n[1] = n[2] = 0;
            n[k / 2] = k % 2 ? -3 : 3;
        }
        if (k % 5 == 4) n[2] = -fabs(n[2]) * 1e9; // next to -e_z
        const double length = v3_norm(n), d = random_normal(&r);

        const pcs_shape s = pcs_shape_half_space(n, d);
        CK_OK(pcs_shape_check(&s));
        double z[3];
        quat_z_axis(s.orientation, z);
        for (int i = 0; i < 3; ++i) {
            CK_NEAR(z[i], n[i] / length, 1e-15);
        }
        CK_NEAR(v3_dot(z, s.position), d / length, 1e-14);
    }

    // lengths whose squares underflow or overflow
    const pcs_shape tiny = pcs_shape_half_space((double[3]){0, 3e-200, 4e-200}, 5e-200);
    const pcs_shape huge = pcs_shape_half_space((double[3]){0, 3e200, 4e200}, 5e200);
    CK_OK(pcs_shape_check(&tiny));
    CK_NEAR(tiny.position[2], 0.8, 1e-15);
    CK_NEAR(huge.position[1], 0.6, 1e-15);
}
END_TEST

START_TEST(bad_shapes_are_refused)
{
    const double z[3] = {0, 0, 1}, nothing[3] = {0, 0, 0}, wrong[3] = {0, NAN, 1};
    const pcs_shape good[] = {pcs_shape_sphere(1), pcs_shape_box(1, 2, 3),
                              pcs_shape_half_space(z, -1)};
    pcs_shape bad[] = {
        pcs_shape_sphere(0),
        pcs_shape_sphere(-1),
        pcs_shape_sphere(NAN),
        pcs_shape_sphere(INFINITY),
        pcs_shape_box(1, 0, 1),
        pcs_shape_box(1, 1, -1),
        pcs_shape_box(NAN, 1, 1),
        pcs_shape_box(1, INFINITY, 1),
        pcs_shape_half_space(nothing, 1),
        pcs_shape_half_space(wrong, 1),
        pcs_shape_half_space(z, NAN),
        good[0],
        good[1],
        good[2],
        good[0],
    };
    const int n = (int)(sizeof bad / sizeof *bad);
    memset(bad[n - 4].orientation, 0, sizeof bad->orientation);
    bad[n - 3].position[1] = INFINITY;
    bad[n - 2].orientation[2] = NAN;
    bad[n - 1].kind = (pcs_shape_kind)17;

    for (int i = 0; i < 3; ++i) {
        CK_OK(pcs_shape_check(&good[i]));
    }
    for (int i = 0; i < n; ++i) {
        CK_FAILS(pcs_shape_check(&bad[i]), PCS_ERR_ARG);
    }
    CK_FAILS(pcs_shape_check(NULL), PCS_ERR_ARG);
}
END_TEST

// ---- spheres and planes

START_TEST(sphere_and_half_space)
{
    test_random r = random_seed(2);
    int touching = 0;
    for (int k = 0; k < 5000; ++k) {
        const pcs_shape s = random_sphere(&r), p = random_half_space(&r);
        double q1[7], q2[7];
        random_pose(&r, q1, 1);
        random_pose(&r, q2, 1);
        const double *world = k % 3 ? q2 : NULL;

        const placed a = place(&s, q1), b = place(&p, world);
        const double to[3] = {a.x[0] - b.x[0], a.x[1] - b.x[1], a.x[2] - b.x[2]};
        const double g = v3_dot(b.R + 6, to) - s.radius, reach = random_between(&r, -0.5, 1);

        pcs_feature f[PCS_FEATURES_MAX];
        const int n = pcs_collide(&s, q1, &p, world, reach, f);
        ck_assert_int_eq(n, g <= reach);
        if (n == 0) continue;
        const gap c = check_set(f, n, q1, world, reach);
        CK_NEAR(c.g, g, 1e-14);
        CK_NEAR(v3_dot(c.N, b.R + 6), 1, 1e-14);
        check_swap(&s, q1, &p, world, reach);
        touching += 1;
    }
    ck_assert_int_gt(touching, 1000);
}
END_TEST

START_TEST(two_spheres)
{
    test_random r = random_seed(3);
    int touching = 0;
    for (int k = 0; k < 5000; ++k) {
        const pcs_shape s1 = random_sphere(&r), s2 = random_sphere(&r);
        double q1[7], q2[7];
        random_pose(&r, q1, 0.5);
        random_pose(&r, q2, 0.5);
        const double *world = k % 3 ? q2 : NULL;

        const placed a = place(&s1, q1), b = place(&s2, world);
        double to[3];
        v3_sub(a.x, b.x, to);
        const double g = v3_norm(to) - s1.radius - s2.radius, reach = random_between(&r, -0.5, 1);

        pcs_feature f[PCS_FEATURES_MAX];
        const int n = pcs_collide(&s1, q1, &s2, world, reach, f);
        ck_assert_int_eq(n, g <= reach);
        if (n == 0) continue;
        const gap c = check_set(f, n, q1, world, reach);
        CK_NEAR(c.g, g, 1e-14);
        CK_NEAR(v3_dot(c.N, to), v3_norm(to), 1e-14);
        check_swap(&s1, q1, &s2, world, reach);
        touching += 1;
    }
    ck_assert_int_gt(touching, 1000);

    // concentric: some normal, the full depth, no NaN
    const pcs_shape s = pcs_shape_sphere(0.5);
    const double q[7] = {1, 2, 3, 0.5, 0.5, 0.5, 0.5};
    pcs_feature f[PCS_FEATURES_MAX];
    ck_assert_int_eq(pcs_collide(&s, q, &s, q, 0, f), 1);
    CK_NEAR(check_set(f, 1, q, q, 0).g, -1, 1e-15);
    ck_assert_int_eq(pcs_collide(&s, q, &s, q, -2, f), 0);
}
END_TEST

// signed distance of a point to a box, both in the frame of the box
static double point_to_box(const double c[3], const double half[3])
{
    double far2 = 0, inner = -INFINITY;
    for (int i = 0; i < 3; ++i) {
        const double d = fabs(c[i]) - half[i];
        far2 += d > 0 ? d * d : 0;
        inner = fmax(inner, d);
    }
    return inner > 0 ? sqrt(far2) : inner;
}

START_TEST(sphere_and_box)
{
    test_random r = random_seed(4);
    int touching = 0, inside = 0;
    for (int k = 0; k < 20000; ++k) {
        const pcs_shape s = random_sphere(&r), b = random_box(&r);
        double q1[7], q2[7];
        random_pose(&r, q1, 0.6);
        random_pose(&r, q2, 0.3);
        const double *world = k % 3 ? q2 : NULL;

        const placed x = place(&s, q1), box = place(&b, world);
        double to[3], c[3];
        v3_sub(x.x, box.x, to);
        m3_mul_t(box.R, to, c);
        const double d = point_to_box(c, b.half), g = d - s.radius;
        const double reach = random_between(&r, -0.3, 0.5);

        pcs_feature f[PCS_FEATURES_MAX];
        const int n = pcs_collide(&s, q1, &b, world, reach, f);
        ck_assert_int_eq(n, g <= reach);
        if (n == 0) continue;
        const gap a = check_set(f, n, q1, world, reach);
        CK_NEAR(a.g, g, 3e-15);
        check_swap(&s, q1, &b, world, reach);
        touching += 1;
        inside += d < 0;
    }
    ck_assert_int_gt(touching, 5000);
    ck_assert_int_gt(inside, 500);
}
END_TEST

START_TEST(sphere_passes_through_a_box)
{
    // along a line through the box the gap is continuous with slope 1 at most, and centres exactly
    // on faces, edges, vertices and the middle give numbers
    const pcs_shape b = pcs_shape_box(1, 2, 3), s = pcs_shape_sphere(0.25);
    const double start[3] = {-1, -2, -3}, step = 1.0 / 1024;
    double before = NAN;
    for (int k = 0; k <= 2048; ++k) {
        double q[7] = {0, 0, 0, 1, 0, 0, 0};
        v3_along(start, -(k * step), start, q);
        pcs_feature f[PCS_FEATURES_MAX];
        const int n = pcs_collide(&s, q, &b, NULL, 100, f);
        const gap c = check_set(f, n, q, NULL, 100);
        ck_assert_uint_eq(f[0].id, 0);
        if (k > 0) ck_assert_msg(fabs(c.g - before) <= step * sqrt(14) + 1e-12, "jump at %d", k);
        before = c.g;
    }
}
END_TEST

START_TEST(box_and_half_space)
{
    test_random r = random_seed(5);
    int seen[9] = {0};
    for (int k = 0; k < 5000; ++k) {
        const pcs_shape s = random_box(&r), p = random_half_space(&r);
        double q1[7], q2[7];
        random_pose(&r, q1, 1);
        random_pose(&r, q2, 1);
        const double *world = k % 3 ? q2 : NULL;
        const double reach = random_between(&r, -0.5, 1);

        // every vertex, one by one
        const placed a = place(&s, q1), b = place(&p, world);
        double g[8], least = INFINITY;
        int within = 0;
        for (int v = 0; v < 8; ++v) {
            double x[3] = {-b.x[0], -b.x[1], -b.x[2]};
            v3_along(x, 1, a.x, x);
            for (int i = 0; i < 3; ++i) {
                v3_along(x, v >> i & 1 ? s.half[i] : -s.half[i], a.R + 3 * i, x);
            }
            g[v] = v3_dot(b.R + 6, x);
            least = fmin(least, g[v]);
            within += g[v] <= reach;
        }

        pcs_feature f[PCS_FEATURES_MAX];
        const int n = pcs_collide(&s, q1, &p, world, reach, f);
        ck_assert_int_eq(n, within);
        seen[n] += 1;
        if (n == 0) continue;
        CK_NEAR(check_set(f, n, q1, world, reach).g, least, 1e-14);
        for (int i = 0; i < n; ++i) {
            CK_NEAR(feature_gap(&f[i], q1, world).g, g[f[i].id], 1e-14);
        }
        check_swap(&s, q1, &p, world, reach);
    }
    for (int n = 0; n < 9; ++n) {
        ck_assert_msg(seen[n] > 0, "never %d vertices", n);
    }
}
END_TEST

START_TEST(half_spaces_never_touch)
{
    const pcs_shape a = pcs_shape_half_space((double[3]){0, 0, 1}, 0);
    const pcs_shape b = pcs_shape_half_space((double[3]){0, 1, -1}, 5);
    pcs_feature f[PCS_FEATURES_MAX];
    ck_assert_int_eq(pcs_collide(&a, NULL, &b, NULL, 1e9, f), 0);
}
END_TEST

START_TEST(what_is_not_finite_touches_nothing)
{
    const pcs_shape s[] = {pcs_shape_sphere(1), pcs_shape_box(1, 1, 1),
                           pcs_shape_half_space((double[3]){0, 0, 1}, 0)};
    const double bad[2][7] = {{NAN, 0, 0, 1, 0, 0, 0}, {0, 0, 0, NAN, 0, 0, 0}};
    pcs_feature f[PCS_FEATURES_MAX];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            // turning a sphere, by whatever, about its centre changes nothing: only its place can
            // be wrong
            ck_assert_int_eq(pcs_collide(&s[i], bad[0], &s[j], NULL, 1, f), 0);
            ck_assert_int_eq(pcs_collide(&s[i], NULL, &s[j], bad[0], 1, f), 0);
        }
    }
    ck_assert_int_eq(pcs_collide(&s[1], bad[1], &s[2], NULL, 1, f), 0);
}
END_TEST

// ---- broad phase

START_TEST(bounds_hold_their_shape)
{
    test_random r = random_seed(6);
    for (int k = 0; k < 1000; ++k) {
        double q[7], low[3], high[3];
        bool unbounded;
        random_pose(&r, q, 1);

        const pcs_shape b = random_box(&r);
        collide_bounds(&b, q, 0.125, low, high, &unbounded);
        ck_assert(!unbounded);
        const placed p = place(&b, q);
        double least[3] = {1e9, 1e9, 1e9}, most[3] = {-1e9, -1e9, -1e9};
        for (int v = 0; v < 8; ++v) {
            double x[3];
            v3_along(p.x, 0, p.x, x);
            for (int i = 0; i < 3; ++i) {
                v3_along(x, v >> i & 1 ? b.half[i] : -b.half[i], p.R + 3 * i, x);
            }
            for (int i = 0; i < 3; ++i) {
                least[i] = fmin(least[i], x[i]);
                most[i] = fmax(most[i], x[i]);
            }
        }
        for (int i = 0; i < 3; ++i) {
            CK_NEAR(low[i], least[i] - 0.125, 1e-14);
            CK_NEAR(high[i], most[i] + 0.125, 1e-14);
        }

        const pcs_shape s = random_sphere(&r);
        collide_bounds(&s, k % 2 ? q : NULL, 0.125, low, high, &unbounded);
        const placed c = place(&s, k % 2 ? q : NULL);
        for (int i = 0; i < 3; ++i) {
            CK_NEAR(low[i], c.x[i] - s.radius - 0.125, 1e-14);
            CK_NEAR(high[i], c.x[i] + s.radius + 0.125, 1e-14);
        }
    }
    const pcs_shape p = pcs_shape_half_space((double[3]){0, 0, 1}, 0);
    double low[3], high[3];
    bool unbounded;
    collide_bounds(&p, NULL, 0.125, low, high, &unbounded);
    ck_assert(unbounded);
}
END_TEST

START_TEST(pairs_are_those_that_may_meet)
{
    enum { n = 60 };
    test_random r = random_seed(7);
    collide_item item[n];
    for (int i = 0; i < n; ++i) {
        const pcs_shape s = i % 7 ? pcs_shape_sphere(random_between(&r, 0.1, 0.6))
                                  : pcs_shape_half_space((double[3]){0, 0, 1}, 0);
        double q[7];
        random_pose(&r, q, 1.5);
        item[i] = (collide_item){.body = i / 3, .movable = i / 3 % 4 != 0, .shape = i};
        collide_bounds(&s, q, 0.1, item[i].low, item[i].high, &item[i].unbounded);
    }

    static int pair[n * n][2], few[10][2];
    const int found = collide_pairs(item, n, pair, n * n);
    int expected = 0;
    for (int i = 0; i < n; ++i) {
        for (int j = i + 1; j < n; ++j) {
            const collide_item *a = &item[i], *b = &item[j];
            bool meet =
                a->body != b->body && (a->movable || b->movable) && !(a->unbounded && b->unbounded);
            for (int c = 0; c < 3; ++c) {
                meet = meet && a->low[c] <= b->high[c] && b->low[c] <= a->high[c];
            }
            if (!meet) continue;
            ck_assert_int_lt(expected, found);
            const int *p = pair[expected++];
            ck_assert_int_eq(p[0] < p[1] ? p[0] : p[1], i);
            ck_assert_int_eq(p[0] < p[1] ? p[1] : p[0], j);
            ck_assert(item[p[0]].movable);
            if (item[p[1]].movable) ck_assert_int_lt(p[0], p[1]);
        }
    }
    ck_assert_int_eq(found, expected);
    ck_assert_int_gt(found, 10);

    // too little room: the count all the same, and nothing beyond the room
    few[9][0] = few[9][1] = -7;
    ck_assert_int_eq(collide_pairs(item, n, few, 9), found);
    ck_assert_int_eq(memcmp(few, pair, 9 * sizeof *few), 0);
    ck_assert_int_eq(few[9][0], -7);
    ck_assert_int_eq(collide_pairs(item, n, NULL, 0), found);
    ck_assert_int_eq(collide_pairs(NULL, 0, NULL, 0), 0);
}
END_TEST

PCS_TEST_MAIN("collide", half_space_takes_any_normal, bad_shapes_are_refused, sphere_and_half_space,
              two_spheres, sphere_and_box, sphere_passes_through_a_box, box_and_half_space,
              half_spaces_never_touch, what_is_not_finite_touches_nothing, bounds_hold_their_shape,
              pairs_are_those_that_may_meet)
