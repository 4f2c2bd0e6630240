// Cylinders against dense samples of their surface, closed forms, and motions that do not change
// the gap.
#include "contacts.h"

static const double pi = 3.14159265358979323846;

static pcs_shape random_cylinder(test_random *r)
{
    const double radius = random_between(r, 0.1, 0.5);
    pcs_shape s = pcs_shape_cylinder(radius, random_between(r, 0.1, 1));
    if (random_unit(r) < 0.7) random_place(r, &s);
    return s;
}

// a point of the frame of the shape, inertial
static void surface_point(const pcs_shape *s, const double *q, const double x[3], double y[3])
{
    double b[3];
    quat_turn(s->orientation, 1, x, b);
    v3_along(s->position, 1, b, b);
    pose_point(q, b, y);
}

// two caps that face each other, apart or overlapping a little, turned by any angle and tilted a
// little: there is a contact, and every one lies on both discs, also where the outlines of these
// have nothing in common
TEST(contacts_of_caps_lie_on_both)
{
    test_random r = random_seed(23);
    for (int k = 0; k < TEST_DRAWS(3000); ++k) {
        const double r1 = random_between(&r, 0.2, 1), r2 = random_between(&r, 0.2, 1);
        const double h1 = random_between(&r, 0.05, 0.5), h2 = random_between(&r, 0.05, 0.5);
        const pcs_shape one = pcs_shape_cylinder(r1, h1), two = pcs_shape_cylinder(r2, h2);
        // the overlap of the discs along the line of their centres
        const double in = pow(10, random_between(&r, -2, -0.3)) * fmin(r1, r2);
        const double d = r1 + r2 - in, at = random_between(&r, -pi, pi);
        const double gap = (k % 3 - 1) * pow(10, random_between(&r, -9, -4));
        const double spin = random_between(&r, -pi, pi), tilt = k % 2 * 1e-4 * random_unit(&r);
        const double q[7] = {d * cos(at), d * sin(at), 0.5 * (h1 + h2) + gap, cos(spin / 2),
                             0.5 * tilt,  0,           sin(spin / 2)};
        const double tol = 1e-6 + fabs(tilt) * h2; // the tilt moves the cap of the second
        contacts c;
        find_contacts(&one, NULL, &two, q, 0.01, &c);
        ck_assert_int_ge(c.n, 1);
        for (int i = 0; i < c.n; ++i) {
            const double *P = c.gap[i].P1;
            const double far1 = hypot(P[0], P[1]), far2 = hypot(P[0] - q[0], P[1] - q[1]);
            ck_assert_msg(far1 <= r1 + tol && far2 <= r2 + tol,
                          "draw %d: r %g %g, overlap %g, gap %g: contact %d of %d is %g and %g "
                          "from the axes",
                          k, r1, r2, in, gap, i, c.n, far1, far2);
        }
    }
}

TEST(half_space_against_the_rims)
{
    test_random r = random_seed(11);
    for (int k = 0; k < TEST_DRAWS(2000); ++k) {
        const pcs_shape s = random_cylinder(&r);
        double n[3], q[7], low = INFINITY;
        random_direction(&r, n);
        const double d = random_between(&r, -1, 1);
        const pcs_shape floor = pcs_shape_half_space(n, d);
        random_pose(&r, 1, q);

        // the rims by their angle: 720 points, then golden section about the lowest
        for (int side = -1; side <= 1; side += 2) {
            double best = 0, step = pi / 360, x[3], y[3], lowest = INFINITY;
            for (int round = 0; round < 40; ++round) {
                const int m = round == 0 ? 720 : 2;
                const double from = round == 0 ? 0 : best - step, middle = best;
                for (int i = 0; i <= m; ++i) {
                    const double at = from + i * step;
                    if (round > 0 && at == middle) continue;
                    x[0] = s.radius * cos(at);
                    x[1] = s.radius * sin(at);
                    x[2] = side * s.half[2];
                    surface_point(&s, q, x, y);
                    const double g = v3_dot(n, y) - d;
                    if (g < lowest) {
                        lowest = g;
                        best = at;
                    }
                }
                step *= round == 0 ? 1 : 0.5;
            }
            low = fmin(low, lowest);
        }
        contacts c;
        find_contacts(&s, q, &floor, NULL, 10, &c);
        ck_assert_int_ge(c.n, 1);
        CK_NEAR(c.gap[0].g, low, 1e-13);
        ck_assert_int_eq(pcs_collide(&s, q, &floor, NULL, low - 1e-12, 0, NULL), 0);

        // every contact point is on the surface, at its own gap above the plane
        for (int i = 0; i < c.n; ++i) {
            CK_NEAR(v3_dot(n, c.gap[i].P1) - d, c.gap[i].g, 1e-14);
        }
    }
}

TEST(standing_lying_and_tilted)
{
    const double up[3] = {0, 0, 1};
    const pcs_shape s = pcs_shape_cylinder(0.3, 1), floor = pcs_shape_half_space(up, 0);
    contacts c;
    const double standing[7] = {1, 2, 0.5, cos(0.4), 0, 0, sin(0.4)};
    find_contacts(&s, standing, &floor, NULL, 1e-9, &c);
    ck_assert_int_eq(c.n, 6);
    double middle[3] = {0};
    for (int i = 0; i < c.n; ++i) {
        CK_NEAR(c.gap[i].g, 0, 1e-16);
        CK_NEAR(hypot(c.gap[i].P1[0] - 1, c.gap[i].P1[1] - 2), 0.3, 1e-15);
        v3_along(middle, 1.0 / 6, c.gap[i].P1, middle);
    }
    CK_NEAR(hypot(middle[0] - 1, middle[1] - 2), 0, 1e-15);

    // a nearly zero tilt: the same ids, and the lowest point
    for (double tilt = 1e-15; tilt < 1e-2; tilt *= 7) {
        const double q[7] = {1, 2, 0.5, cos(tilt / 2), 0.6 * sin(tilt / 2), 0.8 * sin(tilt / 2), 0};
        find_contacts(&s, q, &floor, NULL, 0.7 * tilt, &c);
        ck_assert_int_eq(c.n, 7);
        CK_NEAR(c.gap[0].g, 0.5 - 0.5 * cos(tilt) - 0.3 * sin(tilt), 1e-15);
        unsigned seen = 0;
        for (int i = 0; i < c.n; ++i) {
            seen |= 1u << c.f[i].id;
        }
        ck_assert_uint_eq(seen, 0x13f);
    }

    const double lying[7] = {0, 0, 0.3, sqrt(0.5), 0, sqrt(0.5), 0};
    find_contacts(&s, lying, &floor, NULL, 1e-9, &c);
    ck_assert_int_eq(c.n, 2);
    CK_NEAR(fabs(c.gap[0].P1[0] - c.gap[1].P1[0]), 1, 1e-15);

    const double tilted[7] = {0, 0, 0.3, cos(0.3), sin(0.3), 0, 0};
    find_contacts(&s, tilted, &floor, NULL, 0, &c);
    ck_assert_int_eq(c.n, 1);
    find_contacts(&s, tilted, &floor, NULL, 5, &c);
    ck_assert_int_eq(c.n, 2);
}

// lying, tilted up to 60 degrees: a rotation about its own axis has no effect, however large
TEST(rolling_keeps_the_gap)
{
    test_random r = random_seed(12);
    const double up[3] = {0, 0, 1};
    const pcs_shape floor = pcs_shape_half_space(up, 0);
    contacts c;
    for (int k = 0; k < 200; ++k) {
        const pcs_shape s = random_cylinder(&r);
        double n[3], Q[4], axis[3], turn[4], q[7] = {0};
        random_pose(&r, 1, q);
        quat_z_axis(s.orientation, n);
        pose_direction(q, n, axis);
        if (fabs(axis[2]) > 0.8) continue;
        find_contacts(&s, q, &floor, NULL, 10, &c);
        ck_assert_int_eq(c.n, 2);

        // about the axis of the shape, which need not pass through the origin of the body
        double p[7], centre[3], was[3];
        CK_OK(pcs_quat_from_axis_angle(n, random_between(&r, -3, 3), turn));
        pcs_quat_mul(q + 3, turn, Q);
        memcpy(p + 3, Q, sizeof Q);
        memset(p, 0, 3 * sizeof *p);
        pose_point(q, s.position, was);
        pose_point(p, s.position, centre);
        v3_sub(was, centre, p);
        for (int i = 0; i < 2; ++i) {
            pcs_gap kept;
            pcs_feature_gap(&c.f[i], p, NULL, &kept);
            CK_NEAR(kept.g, c.gap[i].g, 1e-14);
        }
    }
}

TEST(sphere_against_samples)
{
    test_random r = random_seed(13);
    for (int k = 0; k < TEST_DRAWS(300); ++k) {
        const pcs_shape cyl = random_cylinder(&r), ball = pcs_shape_sphere(0.2);
        double q1[7], q2[7], nearest = INFINITY, c[3];
        random_pose(&r, 0.8, q1);
        random_pose(&r, 0.3, q2);

        // the centre in the frame of the cylinder, and the distance to 400 x 300 points
        double x[3], at[3];
        pose_point(q2, cyl.position, at);
        v3_sub(q1, at, x);
        pose_direction_back(q2, x, x);
        quat_turn(cyl.orientation, -1, x, c);
        const bool inside = hypot(c[0], c[1]) < cyl.radius && fabs(c[2]) < cyl.half[2];
        for (int i = 0; i < 400; ++i) {
            const double angle = 2 * pi * i / 400;
            for (int j = 0; j <= 300; ++j) {
                const double t = 3 * (j / 300.0); // a cap, the side, the other cap
                const double rho = cyl.radius * (t < 1 ? t : t < 2 ? 1 : 3 - t);
                const double z = cyl.half[2] * (t < 1 ? -1 : t < 2 ? 2 * (t - 1) - 1 : 1);
                const double d[3] = {rho * cos(angle) - c[0], rho * sin(angle) - c[1], z - c[2]};
                nearest = fmin(nearest, v3_norm(d));
            }
        }
        const double g = pair_gap(&ball, q1, &cyl, q2, 10);
        const double from = (g + 0.2) * (inside ? -1 : 1), spacing = 0.02;
        ck_assert_msg(from <= nearest + 1e-14 && nearest <= from + spacing * spacing / from + 1e-3,
                      "gap of the centre %.17g, nearest sample %.17g", from, nearest);
        CK_NEAR(pair_gap(&cyl, q2, &ball, q1, 10), g, 1e-14);
    }
}

TEST(features_follow_their_gap)
{
    test_random r = random_seed(14);
    const double h = 1e-6;
    for (int k = 0; k < TEST_DRAWS(3000); ++k) {
        const pcs_shape s = random_cylinder(&r);
        double n[3], q1[7], q2[7], error;
        random_direction(&r, n);
        random_pose(&r, 0.8, q1);
        random_pose(&r, 0.3, q2);
        const pcs_shape floor = pcs_shape_half_space(n, 0), ball = pcs_shape_sphere(0.2);
        if (follows_gap(&r, &s, q1, &floor, NULL, 0.5, h, &error)) CK_NEAR(error, 0, 1e-10);
        if (follows_gap(&r, &ball, q1, &s, q2, 0.5, h, &error)) CK_NEAR(error, 0, 1e-10);
        if (follows_gap(&r, &s, q1, &ball, q2, 0.5, h, &error)) CK_NEAR(error, 0, 1e-10);
    }
}

// ---- convex pairs -----------------------------------------------------------------------------

static pcs_shape random_other(test_random *r, int kind)
{
    pcs_shape s = pcs_shape_box(random_between(r, 0.1, 0.8), random_between(r, 0.1, 0.8),
                                random_between(r, 0.1, 0.8));
    if (kind == 1) s = pcs_shape_capsule(random_between(r, 0.1, 0.3), random_between(r, 0.1, 0.8));
    if (kind == 2) return random_cylinder(r);
    random_place(r, &s);
    return s;
}

// the extent of a shape along u, inertial
static double reaches(const pcs_shape *s, const double *q, const double u[3])
{
    double at[3], d[3];
    pose_point(q, s->position, at);
    pose_direction_back(q, u, d);
    quat_turn(s->orientation, -1, d, d);
    double far = v3_dot(u, at);
    if (s->kind == PCS_SHAPE_BOX) {
        for (int i = 0; i < 3; ++i) {
            far += fabs(d[i]) * s->half[i];
        }
        return far;
    }
    far += fabs(d[2]) * s->half[2];
    return far + s->radius * (s->kind == PCS_SHAPE_CAPSULE ? 1 : hypot(d[0], d[1]));
}

// The largest s(u) = -extent of 1 along u - extent of 2 along -u over 2000 directions, then by
// smaller and smaller steps about the best: never more than the gap, and at the end equal to it
// (the global maximum; a local one is less)
static double by_directions(test_random *r, const pcs_shape *s1, const double *q1,
                            const pcs_shape *s2, const double *q2)
{
    double best[3] = {0, 0, 1}, most = -INFINITY, step = 0.3;
    for (int k = 0; k < 6000; ++k) {
        double u[3], back[3];
        random_direction(r, u);
        if (k >= 2000) {
            v3_along(best, step, u, u);
            v3_unit(u, u);
            if (k % 20 == 0) step *= 0.87;
        }
        v3_scale(-1, u, back);
        const double s = -reaches(s1, q1, u) - reaches(s2, q2, back);
        if (s > most) {
            most = s;
            v3_copy(u, best);
        }
    }
    return most;
}

// the documented accuracy: 1e-9 m
TEST(convex_pairs_against_all_directions)
{
    test_random r = random_seed(15);
    contacts c;
    for (int k = 0; k < TEST_DRAWS(900); ++k) {
        const int kind = k % 3;
        const pcs_shape s1 = random_cylinder(&r), s2 = random_other(&r, kind);
        double q1[7], q2[7];
        random_pose(&r, 0.6, q1);
        random_pose(&r, 0.2, q2);
        find_contacts(&s1, q1, &s2, q2, 10, &c);
        ck_assert_int_ge(c.n, 1);
        double u[3];
        v3_scale(-1, c.gap[0].N, u);
        const double lower = by_directions(&r, &s1, q1, &s2, q2);
        const double g = c.gap[0].g;

        // s(u) of the normal of the contact is the same, and no direction separates them further
        double back[3];
        v3_scale(-1, u, back);
        CK_NEAR(-reaches(&s1, q1, u) - reaches(&s2, q2, back), g, 1e-9);
        ck_assert_msg(lower <= g + 1e-9, "kind %d: %.17g over %.17g", kind, lower, g);

        // moved along the normal to a shallow overlap: u still separates them there, so the gap is
        // no less, and no direction separates them further
        static const double depth[] = {1e-2, 1e-4, 1e-6, 1e-9, 1e-12};
        const double target = -depth[k % 5];
        v3_along(q1, target - g, c.gap[0].N, q1);
        find_contacts(&s1, q1, &s2, q2, 10, &c);
        ck_assert_msg(c.gap[0].g >= target - 1e-9, "gap %.17g, not %g", c.gap[0].g, target);
        const double again = by_directions(&r, &s1, q1, &s2, q2);
        ck_assert_msg(again <= c.gap[0].g + 1e-9, "%.17g over %.17g", again, c.gap[0].g);
    }
}

TEST(convex_features_follow_their_gap)
{
    test_random r = random_seed(16);
    const double h = 1e-6;
    int off = 0, all = 0;
    for (int k = 0; k < TEST_DRAWS(3000); ++k) {
        const pcs_shape s1 = random_cylinder(&r), s2 = random_other(&r, k % 3);
        double q1[7], q2[7], error;
        random_pose(&r, 0.8, q1);
        random_pose(&r, 0.2, q2);
        const double g = pair_gap(&s1, q1, &s2, q2, 10);
        if (fabs(g) < 1e-3) continue;
        if (!follows_gap(&r, &s1, q1, &s2, q2, 1, h, &error)) continue;
        all += 1;
        off += error > 1e-9;
        CK_NEAR(error, 0, 1e-6);
    }
    // two features may exchange their order within h
    ck_assert_int_gt(all, TEST_DRAWS(2500));
    ck_assert_int_le(off, 5);
}

TEST(box_as_a_hull_is_the_box)
{
    test_random r = random_seed(17);
    contacts a, b;
    for (int k = 0; k < TEST_DRAWS(400); ++k) {
        const pcs_shape s = random_cylinder(&r), box = random_other(&r, 0);
        pcs_geometry *g;
        const pcs_shape hull = hull_of_box(&box, &g);
        double q1[7], q2[7];
        random_pose(&r, 0.6, q1);
        random_pose(&r, 0.2, q2);
        find_contacts(&s, q1, &box, q2, 10, &a);
        find_contacts(&hull, q2, &s, q1, 10, &b);
        ck_assert_int_ge(b.n, 1);
        CK_NEAR(a.gap[0].g, b.gap[0].g, 1e-10);
        CK_NEAR(v3_dot(a.gap[0].N, b.gap[0].N), -1, 1e-6);
        pcs_geometry_destroy(g);
    }
}

TEST(cylinders_on_boxes_and_each_other)
{
    contacts c;
    const pcs_shape s = pcs_shape_cylinder(0.3, 1), table = pcs_shape_box(2, 2, 0.2);
    const pcs_shape post = pcs_shape_box(0.1, 0.1, 0.2), thin = pcs_shape_capsule(0.05, 0.4);
    for (int k = -1; k <= 1; ++k) {
        // standing, lying, over the edge, on a smaller one, a capsule on the cap
        const double e = 1e-7 * k;
        const double stands[7] = {0.2, 0.1, 0.6 + e, 1, 0, 0, 0};
        const double lies[7] = {0.2, 0.1, 0.4 + e, sqrt(0.5), 0, sqrt(0.5), 0};
        const double border[7] = {1, 0, 0.6 + e, 1, 0, 0, 0};
        const double half_off[7] = {1, 0, 0.4 + e, sqrt(0.5), 0, sqrt(0.5), 0};
        const double above[7] = {0.05, 0.05, 0.55 + e, sqrt(0.5), 0, sqrt(0.5), 0};
        const double post_above[7] = {0, 0, 0.6 + e, 1, 0, 0, 0};
        const double world[7] = {0, 0, 0, 1, 0, 0, 0};
        find_contacts(&s, stands, &table, world, 1e-5, &c);
        ck_assert_int_eq(c.n, 6);
        find_contacts(&s, lies, &table, world, 1e-5, &c);
        ck_assert_int_eq(c.n, 2);
        CK_NEAR(fabs(c.gap[0].P1[0] - c.gap[1].P1[0]), 1, 1e-9);
        find_contacts(&s, border, &table, world, 1e-5, &c);
        ck_assert_int_ge(c.n, 4);
        for (int i = 0; i < c.n; ++i) {
            ck_assert(c.gap[i].P1[0] <= 1 + 1e-6);
            CK_NEAR(c.gap[i].g, e, 1e-12);
        }
        find_contacts(&s, half_off, &table, world, 1e-5, &c);
        ck_assert_int_eq(c.n, 2);
        CK_NEAR(fmax(c.gap[0].P1[0], c.gap[1].P1[0]), 1, 1e-6);
        find_contacts(&post, post_above, &s, world, 1e-5, &c);
        ck_assert_int_eq(c.n, 4);
        find_contacts(&thin, above, &s, world, 1e-5, &c);
        ck_assert_int_eq(c.n, 2);
        CK_NEAR(c.gap[0].g, e, 1e-12);

        // cap on cap, side along side, side across side
        const double high[7] = {0.1, 0.05, 1 + e, 1, 0, 0, 0};
        find_contacts(&s, high, &s, world, 1e-5, &c);
        ck_assert_int_ge(c.n, 4);
        CK_NEAR(c.gap[0].g, e, 1e-12);
        const double beside[7] = {0.6 + e, 0, 0.3, 1, 0, 0, 0};
        find_contacts(&s, beside, &s, world, 1e-5, &c);
        ck_assert_int_eq(c.n, 2);
        CK_NEAR(c.gap[0].g, e, 1e-9);
        CK_NEAR(fabs(c.gap[0].P1[2] - c.gap[1].P1[2]), 0.7, 1e-6);
        const double crossed[7] = {0.6 + e, 0.1, 0.2, sqrt(0.5), sqrt(0.5), 0, 0};
        find_contacts(&s, crossed, &s, world, 1e-5, &c);
        ck_assert_int_eq(c.n, 1);
        CK_NEAR(c.gap[0].g, e, 1e-9);
        CK_NEAR(c.gap[0].P1[1], 0, 1e-6);
        CK_NEAR(c.gap[0].P1[2], 0.2, 1e-6);
    }
}

// A cylinder lies across the edge of a table, not along it: the closest points are on both, though
// the opposite edge has the same direction and each other edge nearly the same separation.
TEST(a_crossing_is_on_side_and_edge)
{
    test_random r = random_seed(31);
    contacts c;
    for (int k = 0; k < TEST_DRAWS(4000); ++k) {
        const double radius = random_between(&r, 0.02, 0.1), l = random_between(&r, 0.05, 0.3);
        const double yaw = random_between(&r, 0.06, 0.2), quarter[4] = {sqrt(0.5), sqrt(0.5), 0, 0};
        const double tilt = 0.05 * pow(10, -4 * random_unit(&r)) * (k % 2 ? 1 : -1);
        const double about_z[4] = {cos(yaw / 2), 0, 0, sin(yaw / 2)};
        const double about_x[4] = {cos(tilt / 2), sin(tilt / 2), 0, 0};
        const pcs_shape s = pcs_shape_cylinder(radius, l);
        pcs_shape table = pcs_shape_box(random_between(&r, 0.3, 0.6), 3, 0.2);
        table.position[0] = table.half[0];
        table.position[2] = -table.half[2];
        double q[7] = {random_between(&r, -0.02, 0.002), random_between(&r, -0.2, 0.2)}, Q[4];
        q[2] = radius + 0.5 * fabs(tilt) * l + 1e-2 * pow(10, -4 * random_unit(&r));
        pcs_quat_mul(about_x, quarter, Q);
        pcs_quat_mul(about_z, Q, q + 3);
        const double world[7] = {0, 0, 0, 1, 0, 0, 0};
        find_contacts(&s, q, &table, world, 0.05, &c);
        if (c.n == 0) continue;
        double from[3], axis[3];
        v3_sub(c.gap[0].P1, q, from);
        pcs_quat_rotate(q + 3, (double[3]){0, 0, 1}, axis);
        ck_assert_msg(fabs(v3_dot(from, axis)) <= 0.5 * l + 1e-9, "%d: %g along a cylinder of %g m",
                      k, v3_dot(from, axis), l);
        for (int i = 0; i < 3; ++i) {
            CK_NEAR(fmax(0, fabs(c.gap[0].P2[i] - table.position[i]) - table.half[i]), 0, 1e-6);
        }
    }
}

// ---- the first contact --------------------------------------------------------------------------

// how far a point (inertial) is outside of a shape
static double outside(const pcs_shape *s, const double *q, const double x[3])
{
    double at[3], d[3];
    pose_point(q, s->position, at);
    v3_sub(x, at, d);
    pose_direction_back(q, d, d);
    quat_turn(s->orientation, -1, d, d);
    if (s->kind == PCS_SHAPE_BOX) {
        double far = -INFINITY;
        for (int i = 0; i < 3; ++i) {
            far = fmax(far, fabs(d[i]) - s->half[i]);
        }
        return far;
    }
    const double radial = hypot(d[0], d[1]);
    if (s->kind == PCS_SHAPE_CYLINDER) return fmax(radial - s->radius, fabs(d[2]) - s->half[2]);
    return hypot(radial, fmax(0, fabs(d[2]) - s->half[2])) - s->radius;
}

// a solid, a thin disc or a long rod
static pcs_shape any_cylinder(test_random *r)
{
    const double kind = random_unit(r);
    if (kind < 0.4) return random_cylinder(r);
    const double thin = pow(10, random_between(r, -3, -1)), wide = random_between(r, 0.2, 1);
    return kind < 0.7 ? pcs_shape_cylinder(wide, thin) : pcs_shape_cylinder(thin, 2 * wide);
}

// Two shapes, at random or with nearly aligned axes, moved to a gap of +-1e-1 to 1e-9: the plane of
// the first contact separates them by its gap, its points are on both, and no direction separates
// them further
TEST(the_first_contact_is_the_closest)
{
    test_random r = random_seed(41);
    contacts c;
    for (int k = 0; k < TEST_DRAWS(4000); ++k) {
        const int kind = k % 4;
        pcs_geometry *g = NULL;
        const pcs_shape s1 = any_cylinder(&r);
        const pcs_shape s2 = kind == 2 ? any_cylinder(&r) : random_other(&r, kind % 3);
        const pcs_shape other = kind == 3 ? hull_of_box(&s2, &g) : s2;
        double q1[7], q2[7], tilt[3], turn[4], back[3], u[3];
        random_pose(&r, 0.6, q1);
        random_pose(&r, 0.2, q2);
        if (k % 8 < 4) {
            // axes of both along each other or across, up to a small tilt
            const double quarter[4] = {sqrt(0.5), k % 16 < 8 ? sqrt(0.5) : 0, 0,
                                       k % 16 < 8 ? 0 : sqrt(0.5)};
            random_direction(&r, tilt);
            CK_OK(pcs_quat_from_axis_angle(tilt, pow(10, random_between(&r, -6, -1)), turn));
            double Q[4], P[4],
                own[4] = {s1.orientation[0], -s1.orientation[1], -s1.orientation[2],
                          -s1.orientation[3]};
            pcs_quat_mul(q2 + 3, s2.orientation, Q);
            pcs_quat_mul(Q, quarter, P);
            pcs_quat_mul(P, turn, Q);
            pcs_quat_mul(Q, own, q1 + 3);
        }
        find_contacts(&s1, q1, &other, q2, 10, &c);
        const double target = (k % 3 ? 1 : -1) * pow(10, random_between(&r, -9, -1));
        v3_along(q1, target - c.gap[0].g, c.gap[0].N, q1);
        find_contacts(&s1, q1, &other, q2, 10, &c);
        ck_assert_int_ge(c.n, 1);
        const pcs_gap *first = &c.gap[0];
        v3_scale(-1, first->N, u);
        v3_copy(first->N, back);
        const double s = -reaches(&s1, q1, u) - reaches(&s2, q2, back);
        ck_assert_msg(fabs(s - first->g) <= 1e-10,
                      "draw %d: gap %.17g, its plane separates by %.17g", k, first->g, s);
        const double off = fmax(outside(&s1, q1, first->P1), outside(&s2, q2, first->P2));
        ck_assert_msg(off <= 1e-7, "draw %d: gap %g, a point %g outside", k, first->g, off);
        for (int i = 1; i < c.n; ++i) {
            ck_assert_msg(c.gap[i].g >= first->g - 1e-8, "draw %d: %.17g below %.17g", k,
                          c.gap[i].g, first->g);
        }
        if (k % 4 == k / 4 % 4) {
            const double lower = by_directions(&r, &s1, q1, &s2, q2);
            ck_assert_msg(lower <= first->g + 1e-9, "draw %d: %.17g over %.17g", k, lower,
                          first->g);
        }
        pcs_geometry_destroy(g);
    }
}

// Long rods that cross at a small angle touch where they are near each other, not at the ends of
// what they share, where they are far apart beside each other: every contact is on both
TEST(crossing_rods_touch_on_both)
{
    test_random r = random_seed(42);
    contacts c;
    for (int k = 0; k < TEST_DRAWS(2000); ++k) {
        const double r1 = pow(10, random_between(&r, -3, -1)),
                     r2 = pow(10, random_between(&r, -3, -1));
        const pcs_shape one = pcs_shape_cylinder(r1, random_between(&r, 1.4, 2));
        const pcs_shape two = pcs_shape_cylinder(r2, random_between(&r, 1.4, 2));
        const double angle = pow(10, random_between(&r, -5, -1.4)),
                     world[7] = {0, 0, 0, 1, 0, 0, 0};
        const double gap = (k % 2 ? 1 : -0.01) * pow(10, random_between(&r, -6, -1)) * fmin(r1, r2);
        const double q[7] = {r1 + r2 + gap,
                             random_between(&r, -0.3, 0.3) * angle,
                             random_between(&r, -0.2, 0.2),
                             cos(angle / 2),
                             sin(angle / 2),
                             0,
                             0};
        find_contacts(&two, q, &one, world, 10, &c);
        ck_assert_int_ge(c.n, 1);
        CK_NEAR(c.gap[0].g, gap, 1e-12);
        for (int i = 0; i < c.n; ++i) {
            const double off =
                fmax(outside(&two, q, c.gap[i].P1), outside(&one, world, c.gap[i].P2));
            ck_assert_msg(off <= 1e-10 && c.gap[i].g >= gap - 1e-12,
                          "draw %d: contact %d of %d, gap %g, is %g outside", k, i, c.n, c.gap[i].g,
                          off);
        }
    }
}

// Two cylinders near each other, their caps or sides nearly parallel or not, have the same contacts
// in both orders: the same gaps and points, and opposite normals
TEST(cylinders_touch_alike_in_both_orders)
{
    test_random r = random_seed(31);
    for (int k = 0; k < TEST_DRAWS(1000); ++k) {
        pcs_shape one = random_cylinder(&r), two = random_cylinder(&r);
        if (k % 3 == 0) two = one;
        double q1[7], q2[7], d[3];
        random_pose(&r, 1, q1);
        random_pose(&r, 1, q2);
        if (k % 2 == 0) {
            // caps on each other, or sides along each other
            memcpy(q2, q1, sizeof q2);
            memcpy(two.orientation, one.orientation, sizeof two.orientation);
            for (int i = 3; i < 7; ++i) {
                q2[i] += random_between(&r, -0.01, 0.01);
            }
        }
        random_direction(&r, d);
        v3_along(q1, random_between(&r, 0.3, 1), d, q2);
        contacts a, b;
        find_contacts(&one, q1, &two, q2, 0.1, &a);
        find_contacts(&two, q2, &one, q1, 0.1, &b);
        ck_assert_int_eq(a.n, b.n);
        for (int i = 0; i < a.n; ++i) {
            ck_assert_uint_eq(a.f[i].id, b.f[i].id);
            CK_NEAR(a.gap[i].g, b.gap[i].g, 1e-14);
            for (int c = 0; c < 3; ++c) {
                CK_NEAR(a.gap[i].N[c], -b.gap[i].N[c], 1e-12);
                CK_NEAR(a.gap[i].P1[c], b.gap[i].P2[c], 1e-12);
            }
        }
    }
}
