// Contacts of spheres, half-spaces and boxes against closed forms, projections and vertices; two
// boxes are in test_boxes.c.
#include "collide_checks.h"

#include "collide/broad.h"

// ---- shapes

TEST(half_space_takes_any_normal)
{
    test_random r = random_seed(1);
    for (int k = 0; k < TEST_DRAWS(1000); ++k) {
        double n[3];
        random_vector(&r, -1, 1, n);
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

TEST(bad_shapes_are_refused)
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
        pcs_shape_half_space(NULL, 1),
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

    // a half-space without a normal is refused
    const double none[3] = {0, -0.0, 0}, nan[3] = {0, NAN, 1}, up[3] = {0, 0, 2};
    const pcs_shape flat[] = {pcs_shape_half_space(none, 0), pcs_shape_half_space(nan, 0),
                              pcs_shape_half_space(NULL, 0), pcs_shape_half_space(up, INFINITY)};
    static const char *const words[] = {"the normal of the half-space is zero",
                                        "the normal of the half-space is null, or",
                                        "the normal of the half-space is null, or", "the offset"};
    for (int i = 0; i < 4; ++i) {
        CK_SAYS(pcs_shape_check(&flat[i]), PCS_ERR_ARG, words[i]);
    }
}

// ---- spheres and planes

// a sphere and a half-space or a sphere: the gap, and the normal
static void check_spheres(uint64_t seed, pcs_shape (*second)(test_random *), double spread)
{
    test_random r = random_seed(seed);
    int touching = 0;
    for (int k = 0; k < TEST_DRAWS(5000); ++k) {
        shape_pair p;
        random_pair(&p, &r, random_sphere, second, spread, spread, k % 3 == 0);
        const bool plane = p.s2.kind == PCS_SHAPE_HALF_SPACE;
        const double *n = plane ? p.b.R + 6 : p.to;
        const double distance = plane ? v3_dot(n, p.to) : v3_norm(n);
        const double g = distance - p.s1.radius - p.s2.radius; // a plane has no radius
        pcs_gap c;
        if (!expect_gap(&p, g, random_between(&r, -0.5, 1), 1e-14, &c)) continue;
        CK_NEAR(v3_dot(c.N, n), v3_norm(n), 1e-14);
        touching += 1;
    }
    ck_assert_int_gt(touching, TEST_DRAWS(1000) - 20);
}

TEST(sphere_and_half_space)
{
    check_spheres(2, random_half_space, 1);
}

TEST(two_spheres)
{
    check_spheres(3, random_sphere, 0.5);

    // concentric: any normal, the full depth, no NaN
    const pcs_shape s = pcs_shape_sphere(0.5);
    const double q[7] = {1, 2, 3, 0.5, 0.5, 0.5, 0.5};
    pcs_feature f[PCS_FEATURES_MAX];
    ck_assert_int_eq(pcs_collide(&s, q, &s, q, 0, PCS_FEATURES_MAX, f), 1);
    CK_NEAR(check_set(f, 1, q, q, 0).g, -1, 1e-15);
    ck_assert_int_eq(pcs_collide(&s, q, &s, q, -2, PCS_FEATURES_MAX, f), 0);
}

TEST(sphere_and_box)
{
    test_random r = random_seed(4);
    int touching = 0, inside = 0;
    for (int k = 0; k < TEST_DRAWS(8000); ++k) {
        shape_pair p;
        double c[3];
        random_pair(&p, &r, random_sphere, random_box, 0.6, 0.3, k % 3 == 0);
        m3_mul_t(p.b.R, p.to, c);
        pcs_gap gap;
        const double d = point_to_box(c, p.s2.half), g = d - p.s1.radius;
        if (!expect_gap(&p, g, random_between(&r, -0.3, 0.5), 3e-15, &gap)) continue;
        touching += 1;
        inside += d < 0;
    }
    ck_assert_int_gt(touching, TEST_DRAWS(2000) - 20);
    ck_assert_int_gt(inside, TEST_DRAWS(200) - 20);
}

TEST(sphere_passes_through_a_box)
{
    // along a line through the box the gap is continuous with slope 1 at most, and centres exactly
    // on faces, edges, vertices and at the middle give finite numbers
    const pcs_shape b = pcs_shape_box(1, 2, 3), s = pcs_shape_sphere(0.25);
    const double start[3] = {-1, -2, -3}, step = 1.0 / 1024;
    double before = NAN;
    for (int k = 0; k <= 2048; ++k) {
        double q[7] = {0, 0, 0, 1, 0, 0, 0};
        v3_along(start, -(k * step), start, q);
        pcs_feature f[PCS_FEATURES_MAX];
        const int n = pcs_collide(&s, q, &b, NULL, 100, PCS_FEATURES_MAX, f);
        const pcs_gap c = check_set(f, n, q, NULL, 100);
        ck_assert_uint_eq(f[0].id, 0);
        if (k > 0) ck_assert_msg(fabs(c.g - before) <= step * sqrt(14) + 1e-12, "jump at %d", k);
        before = c.g;
    }
}

TEST(box_and_half_space)
{
    test_random r = random_seed(5);
    int seen[9] = {0};
    for (int k = 0; k < TEST_DRAWS(5000); ++k) {
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
        const int n = pcs_collide(&s, q1, &p, world, reach, PCS_FEATURES_MAX, f);
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

TEST(half_spaces_never_touch)
{
    const pcs_shape a = pcs_shape_half_space((double[3]){0, 0, 1}, 0);
    const pcs_shape b = pcs_shape_half_space((double[3]){0, 1, -1}, 5);
    pcs_feature f[PCS_FEATURES_MAX];
    ck_assert_int_eq(pcs_collide(&a, NULL, &b, NULL, 1e9, PCS_FEATURES_MAX, f), 0);
}

TEST(shapes_at_nan_touch_nothing)
{
    const pcs_shape s[] = {pcs_shape_sphere(1), pcs_shape_box(1, 1, 1),
                           pcs_shape_half_space((double[3]){0, 0, 1}, 0)};
    const double bad[2][7] = {{NAN, 0, 0, 1, 0, 0, 0}, {0, 0, 0, NAN, 0, 0, 0}};
    pcs_feature f[PCS_FEATURES_MAX];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            // a rotation of a sphere about its centre changes nothing, whatever its quaternion:
            // only its position can be wrong
            ck_assert_int_eq(pcs_collide(&s[i], bad[0], &s[j], NULL, 1, PCS_FEATURES_MAX, f), 0);
            ck_assert_int_eq(pcs_collide(&s[i], NULL, &s[j], bad[0], 1, PCS_FEATURES_MAX, f), 0);
        }
    }
    ck_assert_int_eq(pcs_collide(&s[1], bad[1], &s[2], NULL, 1, PCS_FEATURES_MAX, f), 0);
}

// ---- pairs of any kinds

static bool same_ids(const pcs_feature *a, int n, const pcs_feature *b, int m)
{
    int matched = 0;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < m; ++j) {
            matched += a[i].id == b[j].id;
        }
    }
    return n == m && matched == n;
}

// a small motion of a pose
static void nudge(test_random *r, double size, const double q[7], double out[7])
{
    double w[4] = {1}, x[3];
    random_vector(r, -2 * size, 2 * size, w + 1);
    random_vector(r, -2 * size, 2 * size, x);
    pcs_quat_mul(w, q + 3, out + 3);
    v3_along(q, 1, x, out);
}

TEST(a_common_motion_changes_nothing)
{
    test_random r = random_seed(13);
    for (int k = 0; k < TEST_DRAWS(5000); ++k) {
        const pcs_shape s1 = k % 2 ? random_box(&r) : random_sphere(&r), s2 = random_box(&r);
        double q1[7], q2[7], by[7], r1[7], r2[7];
        random_pose(&r, q1, 0.5);
        random_pose(&r, q2, 0.5);
        random_pose(&r, by, 2);
        carry(by, q1, r1);
        carry(by, q2, r2);

        pcs_feature f[PCS_FEATURES_MAX], h[PCS_FEATURES_MAX];
        const int n = pcs_collide(&s1, q1, &s2, q2, 0.1, PCS_FEATURES_MAX, f);
        const int m = pcs_collide(&s1, r1, &s2, r2, 0.1, PCS_FEATURES_MAX, h);
        ck_assert(same_ids(f, n, h, m));
        for (int i = 0; i < n; ++i) {
            ck_assert_uint_eq(f[i].id, h[i].id);
            ck_assert_int_eq(f[i].kind, h[i].kind);
            CK_NEAR(feature_gap(&f[i], q1, q2).g, feature_gap(&h[i], r1, r2).g, 1e-13);
            for (int c = 0; c < 3; ++c) {
                CK_NEAR(f[i].p1[c], h[i].p1[c], 1e-11);
                CK_NEAR(f[i].n2[c], h[i].n2[c], 1e-10);
            }
        }
    }
}

TEST(gap_moves_with_the_normal)
{
    // dg = N . (dP1 - dP2) for the points fixed in the bodies, all pairs of kinds
    test_random r = random_seed(16);
    int compared = 0, off = 0;
    for (int k = 0; k < TEST_DRAWS(4000); ++k) {
        pcs_shape s1 = k % 2 ? random_box(&r) : random_sphere(&r);
        pcs_shape s2 = k % 3 == 0   ? random_half_space(&r)
                       : k % 3 == 1 ? random_box(&r)
                                    : random_sphere(&r);
        double q1[7], q2[7], m1[7], m2[7];
        random_pose(&r, q1, 0.5);
        random_pose(&r, q2, 0.5);
        pcs_feature f[PCS_FEATURES_MAX], h[PCS_FEATURES_MAX];
        const int n = pcs_collide(&s1, q1, &s2, q2, 0.5, PCS_FEATURES_MAX, f);
        if (n == 0) continue;
        const pcs_gap before = check_set(f, n, q1, q2, 0.5);

        // both bodies move by 1e-6 and rotate a little
        nudge(&r, 1e-6, q1, m1);
        nudge(&r, 1e-6, q2, m2);
        const int m = pcs_collide(&s1, m1, &s2, m2, 0.6, PCS_FEATURES_MAX, h);
        const pcs_gap after = check_set(h, m, m1, m2, 0.6);
        if (h[0].id != f[0].id || h[0].kind != f[0].kind) continue;

        // the new places of the old points, fixed in their bodies
        double to[3], P1[3], P2[3], dP[3];
        v3_sub(before.P1, q1, to);
        quat_turn(q1 + 3, -1, to, to);
        pose_point(m1, to, P1);
        v3_sub(before.P2, q2, to);
        quat_turn(q2 + 3, -1, to, to);
        pose_point(m2, to, P2);
        for (int i = 0; i < 3; ++i) {
            dP[i] = P1[i] - before.P1[i] - (P2[i] - before.P2[i]);
        }
        const double expected = v3_dot(before.N, dP), change = after.g - before.g;
        compared += 1;
        off += !(fabs(change - expected) < 1e-9);
    }
    ck_assert_int_gt(compared, TEST_DRAWS(1000) - 20);
    ck_assert_int_le(off, compared / 200); // the gap near an edge curves more
}

// ---- broad phase

TEST(bounds_hold_their_shape)
{
    test_random r = random_seed(6);
    for (int k = 0; k < TEST_DRAWS(1000); ++k) {
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
