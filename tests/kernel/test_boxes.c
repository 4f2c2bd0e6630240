// Contacts of two boxes against independent answers: points that prove a gap, the separation along
// the 15 axes, pairs made with a known gap, and a count of points.
#include "collide_checks.h"

#include <stdio.h>

static const double quarter = 0.78539816339744831; // 45 degrees

static pcs_shape unit_box(void)
{
    return pcs_shape_box(1, 1, 1);
}

// a box as its centre, axes and half edges, inertial
static void box_point(const placed *p, const double *half, const double sign[3], double x[3])
{
    v3_along(p->x, 0, p->x, x);
    for (int i = 0; i < 3; ++i) {
        v3_along(x, sign[i] * half[i], p->R + 3 * i, x);
    }
}

// n . x at its largest over the vertices
static double support(const placed *p, const double *half, const double n[3])
{
    double most = -INFINITY;
    for (int v = 0; v < 8; ++v) {
        const double sign[3] = {v & 1 ? 1 : -1, v & 2 ? 1 : -1, v & 4 ? 1 : -1};
        double x[3];
        box_point(p, half, sign, x);
        most = fmax(most, v3_dot(n, x));
    }
    return most;
}

// the distance by which n, from 2 to 1, separates the boxes: never more than the signed gap
static double separation(const placed *a, const double *half1, const placed *b, const double *half2,
                         const double n[3])
{
    const double m[3] = {-n[0], -n[1], -n[2]};
    return -support(a, half1, m) - support(b, half2, n);
}

// the largest separation over the 15 axes and their opposites
static double separation15(const placed *a, const double *half1, const placed *b,
                           const double *half2)
{
    double axis[15][3], best = -INFINITY;
    int n = 0;
    for (int i = 0; i < 3; ++i) {
        memcpy(axis[n++], a->R + 3 * i, sizeof axis[0]);
        memcpy(axis[n++], b->R + 3 * i, sizeof axis[0]);
        for (int j = 0; j < 3; ++j) {
            v3_cross(a->R + 3 * i, b->R + 3 * j, axis[n++]);
        }
    }
    for (int k = 0; k < n; ++k) {
        const double length = v3_norm(axis[k]);
        if (length < 1e-7) continue;
        for (int sign = -1; sign <= 1; sign += 2) {
            double u[3];
            for (int i = 0; i < 3; ++i) {
                u[i] = sign * axis[k][i] / length;
            }
            best = fmax(best, separation(a, half1, b, half2, u));
        }
    }
    return best;
}

// distance of a point to a box in its pose
static double apart(const double x[3], const placed *p, const double *half)
{
    double to[3], c[3];
    v3_sub(x, p->x, to);
    m3_mul_t(p->R, to, c);
    return point_to_box(c, half);
}

// The proof of the gap of separated boxes: P1 and P2 belong to their boxes and have that distance
// (so the gap is no larger), and the plane between them separates the boxes by that distance (so it
// is no smaller).
TEST(separated_boxes_have_a_certificate)
{
    test_random r = random_seed(8);
    int seen[6] = {0};
    double worst = 0;
    for (int k = 0; k < TEST_DRAWS(12000); ++k) {
        const pcs_shape s1 = random_box(&r), s2 = random_box(&r);
        double q1[7], q2[7];
        random_pose(&r, q1, 0.7);
        random_pose(&r, q2, 0.7);
        const double *world = k % 3 ? q2 : NULL;
        const placed a = place(&s1, q1), b = place(&s2, world);

        pcs_feature f[PCS_FEATURES_MAX];
        const int n = pcs_collide(&s1, q1, &s2, world, 10, PCS_FEATURES_MAX, f);
        const pcs_gap c = check_set(f, n, q1, world, 10);
        if (c.g <= 1e-3) continue;

        CK_NEAR(apart(c.P1, &a, s1.half), 0, 2e-15);
        CK_NEAR(apart(c.P2, &b, s2.half), 0, 2e-15);
        double w[3];
        v3_sub(c.P1, c.P2, w);
        CK_NEAR(v3_norm(w), c.g, 2e-15);
        const double error = fabs(separation(&a, s1.half, &b, s2.half, c.N) - c.g);
        ck_assert_msg(error < 2e-14, "case %d, kind %d: gap %g off by %g", k, (int)f[0].kind, c.g,
                      error);
        worst = fmax(worst, error);
        seen[f[0].kind] += 1;

        // the reach is respected from both sides
        pcs_feature few[PCS_FEATURES_MAX];
        ck_assert_int_eq(pcs_collide(&s1, q1, &s2, world, c.g - 1e-12, PCS_FEATURES_MAX, few), 0);
        const int m = pcs_collide(&s1, q1, &s2, world, c.g + 1e-12, PCS_FEATURES_MAX, few);
        CK_NEAR(check_set(few, m, q1, world, c.g + 1e-12).g, c.g, 1e-15);
    }
    for (int kind = 0; kind < 6; ++kind) {
        ck_assert_msg(seen[kind] > 10, "kind %d only %d times", kind, seen[kind]);
    }
    if (getenv("COLLIDE_VERBOSE")) printf("separated boxes: worst gap error %g\n", worst);
}

TEST(overlapping_boxes_have_the_least_depth)
{
    test_random r = random_seed(9);
    int seen[6] = {0}, overlaps = 0;
    double worst = 0;
    for (int k = 0; k < TEST_DRAWS(4000); ++k) {
        pcs_shape s1 = random_box(&r), s2 = random_box(&r);
        double q1[7], q2[7];
        random_pose(&r, q1, 0.3);
        random_pose(&r, q2, 0.3);
        if (k % 10 == 0) memcpy(q2, q1, 3 * sizeof *q2); // deep
        if (k % 20 == 0) memcpy(q2, q1, sizeof q2);      // and aligned
        const placed a = place(&s1, q1), b = place(&s2, q2);
        const double g = separation15(&a, s1.half, &b, s2.half);
        if (g > 0) continue;

        pcs_feature f[PCS_FEATURES_MAX];
        const int n = pcs_collide(&s1, q1, &s2, q2, 0.01, PCS_FEATURES_MAX, f);
        const pcs_gap c = check_set(f, n, q1, q2, 0.01);
        worst = fmax(worst, fabs(c.g - g));
        ck_assert_msg(fabs(c.g - g) < 1e-14, "case %d: gap %.17g, expected %.17g", k, c.g, g);
        CK_NEAR(separation(&a, s1.half, &b, s2.half, c.N), g, 1e-14);
        seen[f[0].kind] += 1;
        overlaps += 1;
        ck_assert_int_eq(pcs_collide(&s1, q1, &s2, q2, g - 1e-12, PCS_FEATURES_MAX, f), 0);
    }
    ck_assert_int_gt(overlaps, TEST_DRAWS(3000) - 20);
    ck_assert_int_gt(seen[PCS_FEATURE_POINT_PLANE], TEST_DRAWS(300) - 20);
    ck_assert_int_gt(seen[PCS_FEATURE_PLANE_POINT], TEST_DRAWS(300) - 20);
    ck_assert_int_gt(seen[PCS_FEATURE_EDGE_EDGE], TEST_DRAWS(300) - 20);
    if (getenv("COLLIDE_VERBOSE")) printf("overlapping boxes: worst gap error %g\n", worst);
}

// a random unit vector among the outward normals of the part with these signs
static void random_normal_of(test_random *r, const placed *p, const double sign[3], double n[3])
{
    double c[3];
    for (int i = 0; i < 3; ++i) {
        c[i] = sign[i] * random_between(r, 0.2, 1);
    }
    m3_mul(p->R, c, n);
    const double length = v3_norm(n);
    for (int i = 0; i < 3; ++i) {
        n[i] /= length;
    }
}

// A pose of box 2 with a known answer: a point of a part of box 1, with a normal n of that part,
// faces a point of a part of box 2 whose normal is -n. Any rotation of box 2 that has such a normal
// will do; a part is given by signs, 0 along directions in which it extends.
TEST(constructed_pairs_have_the_gap_they_were_given)
{
    test_random r = random_seed(10);
    double worst = 0;
    for (int k = 0; k < TEST_DRAWS(12000); ++k) {
        pcs_shape s1 = unit_box(), s2 = unit_box();
        random_vector(&r, 0.15, 0.5, s1.half);
        random_vector(&r, 0.15, 0.5, s2.half);
        double q1[7], q2[7], sign1[3] = {0}, sign2[3] = {0}, n[3], m[3], in1[3], in2[3];
        random_pose(&r, q1, 0.5);
        random_pose(&r, q2, 0.5);
        if (k % 4 == 0) q1[3] = 1, q1[4] = q1[5] = q1[6] = 0; // aligned with the axes

        // parts with 1, 2 or 3 signs, and a point inside them
        const int count1 = 1 + k % 3, count2 = 1 + k / 3 % 3;
        for (int i = 0; i < 3; ++i) {
            if (i < count1) sign1[(i + k) % 3] = random_unit(&r) < 0.5 ? -1 : 1;
            if (i < count2) sign2[(i + k / 7) % 3] = random_unit(&r) < 0.5 ? -1 : 1;
        }
        for (int i = 0; i < 3; ++i) {
            in1[i] = sign1[i] != 0 ? sign1[i] : random_between(&r, -0.9, 0.9);
            in2[i] = sign2[i] != 0 ? sign2[i] : random_between(&r, -0.9, 0.9);
        }

        // rotate box 2 so that a normal of its part opposes a normal of the other; sometimes edges
        // and faces become parallel
        const placed a = place(&s1, q1), loose = place(&s2, q2);
        random_normal_of(&r, &a, sign1, n);
        random_normal_of(&r, &loose, sign2, m);
        double axis[3], turn[4], Q[4];
        v3_cross(m, n, axis);
        turn[0] = 1 - v3_dot(m, n); // m to -n
        for (int i = 0; i < 3; ++i) {
            turn[1 + i] = -axis[i];
        }
        if (turn[0] < 1e-3) continue;
        pcs_quat_mul(turn, q2 + 3, Q);
        memcpy(q2 + 3, Q, sizeof Q);

        const double g = pow(10, random_between(&r, -12, -2));
        double P1[3];
        box_point(&a, s1.half, in1, P1);
        memset(q2, 0, 3 * sizeof *q2);
        const placed b0 = place(&s2, q2);
        double P2[3];
        box_point(&b0, s2.half, in2, P2);
        for (int i = 0; i < 3; ++i) {
            q2[i] = P1[i] + g * n[i] - P2[i];
        }

        pcs_feature f[PCS_FEATURES_MAX];
        const int count = pcs_collide(&s1, q1, &s2, q2, 0.02, PCS_FEATURES_MAX, f);
        const pcs_gap c = check_set(f, count, q1, q2, 0.02);
        worst = fmax(worst, fabs(c.g - g));
        ck_assert_msg(fabs(c.g - g) < 2e-14, "case %d, parts %d %d: gap %.17g given %.17g", k,
                      count1, count2, c.g, g);
        if (g > 1e-6) CK_NEAR(v3_dot(c.N, n), -1, 1e-9);
    }
    if (getenv("COLLIDE_VERBOSE")) printf("constructed pairs: worst gap error %g\n", worst);
}

// q of the upper box, rotated by a ZYX-like product of angles about x, then z, at height z
static void upper(double q[7], double x, double y, double z, double about_x, double about_y,
                  double about_z)
{
    const double X[4] = {cos(about_x / 2), sin(about_x / 2), 0, 0};
    const double Y[4] = {cos(about_y / 2), 0, sin(about_y / 2), 0};
    const double Z[4] = {cos(about_z / 2), 0, 0, sin(about_z / 2)};
    double YX[4];
    pcs_quat_mul(Y, X, YX);
    pcs_quat_mul(Z, YX, q + 3);
    q[0] = x;
    q[1] = y;
    q[2] = z;
}

static const double still[7] = {0, 0, 0, 1, 0, 0, 0};

static int count_contacts(const double q[7], double reach, pcs_feature f[PCS_FEATURES_MAX])
{
    const pcs_shape s = unit_box(), floor = pcs_shape_box(3, 3, 1);
    return pcs_collide(&s, q, &floor, still, reach, PCS_FEATURES_MAX, f);
}

// Boxes with parallel axes up to eighths of a turn and a tilt of 1e-16 to 1e-2, on top of each
// other or beside, sometimes with vertices on planes. The gap is proved from both sides as above;
// where it is so small that rounding decides its direction, to a fraction of itself.
TEST(nearly_aligned_boxes)
{
    test_random r = random_seed(17);
    double worst = 0, overlap = 0;
    for (int k = 0; k < TEST_DRAWS(20000); ++k) {
        pcs_shape s1 = unit_box(), s2 = unit_box();
        if (k % 3) random_vector(&r, 0.15, 0.5, s1.half);
        double q1[7], q2[7] = {0, 0, 0, 1, 0, 0, 0}, by[7], w[4] = {1}, Q[4];
        const double tilt = k % 5 ? pow(10, random_between(&r, -16, -2)) : 0;
        random_vector(&r, -tilt, tilt, w + 1);
        for (int axis = 0; axis < 3; ++axis) {
            const double half_angle = (int)random_between(&r, 0, 8) * 0.5 * quarter;
            double turn[4] = {cos(half_angle)};
            turn[1 + axis] = sin(half_angle);
            pcs_quat_mul(turn, w, Q);
            memcpy(w, Q, sizeof w);
        }
        memcpy(q1 + 3, w, sizeof w);
        random_vector(&r, -0.5, 0.5, q1);
        if (k % 7 < 3) q1[k % 7] = 0;

        // to a height where the gap is about the wanted one: a motion along z changes it by no more
        // than its length
        const double sign = random_unit(&r) < 0.5 ? -1 : 1;
        const double wanted = sign * pow(10, random_between(&r, -12, -2));
        const placed loose = place(&s1, q1), b0 = place(&s2, q2);
        const double z[3] = {0, 0, 1}, down[3] = {0, 0, -1};
        q1[2] += support(&b0, s2.half, z) + support(&loose, s1.half, down) + wanted;
        if (k % 2) {
            random_pose(&r, by, 1);
            carry(by, q1, q1);
            carry(by, q2, q2);
        }

        const placed a = place(&s1, q1), b = place(&s2, q2);
        pcs_feature f[PCS_FEATURES_MAX];
        const int n = pcs_collide(&s1, q1, &s2, q2, 3, PCS_FEATURES_MAX, f);
        const pcs_gap c = check_set(f, n, q1, q2, 3);
        double bound = separation15(&a, s1.half, &b, s2.half);
        if (bound <= 0) {
            overlap = fmax(overlap, fabs(c.g - bound));
            ck_assert_msg(fabs(c.g - bound) < 5e-14, "case %d: gap %g, expected %g", k, c.g, bound);
            continue;
        }
        bound = fmax(bound, separation(&a, s1.half, &b, s2.half, c.N));
        CK_NEAR(apart(c.P1, &a, s1.half), 0, 1e-6); // detection moves points onto the faces
        CK_NEAR(apart(c.P2, &b, s2.half), 0, 1e-6);
        const double noise = c.g < 1e-6 ? 0.75 * c.g : 5e-14;
        ck_assert_msg(c.g >= bound - 5e-14 && c.g <= bound + noise, "case %d: gap %g, bound %g", k,
                      c.g, bound);
        worst = fmax(worst, bound - c.g);
        if (c.g >= 1e-6) worst = fmax(worst, c.g - bound);
    }
    if (getenv("COLLIDE_VERBOSE")) {
        printf("nearly aligned boxes: worst gap error %g apart, %g in overlap\n", worst, overlap);
    }
}

TEST(manifolds_have_the_right_number_of_points)
{
    pcs_feature f[PCS_FEATURES_MAX];
    const pcs_shape s = unit_box();
    double q[7];
    const double gaps[] = {-0.01, -1e-12, 0, 1e-12, 1e-3};
    for (int k = 0; k < 5; ++k) {
        const double g = gaps[k];

        // face on face: the corners of the smaller
        upper(q, 0.3, -0.2, 1 + g, 0, 0, 0.4);
        ck_assert_int_eq(count_contacts(q, 0.01, f), 4);
        CK_NEAR(check_set(f, 4, q, still, 0.01).g, g, 1e-15);

        // two of one size, one rotated: an octagon; without the rotation: four corners
        upper(q, 0, 0, 1 + g, 0, 0, quarter);
        ck_assert_int_eq(pcs_collide(&s, q, &s, still, 0.01, PCS_FEATURES_MAX, f), 8);
        CK_NEAR(check_set(f, 8, q, still, 0.01).g, g, 1e-15);
        upper(q, 0, 0, 1 + g, 0, 0, 0);
        ck_assert_int_eq(pcs_collide(&s, q, &s, still, 0.01, PCS_FEATURES_MAX, f), 4);
        CK_NEAR(check_set(f, 4, q, still, 0.01).g, g, 1e-15);

        // an edge on a face, and an edge that overhangs the face
        upper(q, 0.1, 0.2, 0.5 + sqrt(0.5) + g, quarter, 0, 0.3);
        ck_assert_int_eq(count_contacts(q, 0.02, f), 2);
        CK_NEAR(check_set(f, 2, q, still, 0.02).g, g, 1e-15);
        upper(q, 1.3, 0, 0.5 + sqrt(0.5) + g, quarter, 0, 0);
        ck_assert_int_eq(count_contacts(q, 0.02, f), 2);
        CK_NEAR(check_set(f, 2, q, still, 0.02).g, g, 1e-15);

        // a corner on a face
        upper(q, 0.1, 0.2, 0.5 + sqrt(3) / 2 + g, quarter, -atan(sqrt(0.5)), 0.3);
        ck_assert_int_eq(count_contacts(q, 0.02, f), 1);
        CK_NEAR(check_set(f, 1, q, still, 0.02).g, g, 1e-14);

        // edges across each other, an upright roof on a reversed roof
        const pcs_shape roof = unit_box();
        double below[7];
        upper(below, 0, 0, 0, quarter, 0, 0);
        upper(q, 0.1, 0.1, sqrt(2) + g, quarter, 0, 1);
        ck_assert_int_eq(pcs_collide(&roof, q, &roof, below, 0.02, PCS_FEATURES_MAX, f), 1);
        ck_assert_int_eq(f[0].kind, PCS_FEATURE_EDGE_EDGE);
        CK_NEAR(check_set(f, 1, q, below, 0.02).g, g, 1e-15);

        // parallel edges: both ends of their common part
        if (g > 0) {
            upper(q, 0.25, 0, sqrt(2) + g, quarter, 0, 0);
            ck_assert_int_eq(pcs_collide(&roof, q, &roof, below, 0.02, PCS_FEATURES_MAX, f), 2);
            const pcs_gap c = check_set(f, 2, q, below, 0.02), d = feature_gap(&f[1], q, below);
            CK_NEAR(c.g, g, 1e-15);
            CK_NEAR(fabs(c.P1[0] - d.P1[0]), 0.75, 1e-14);
        }
    }

    // sideways off the face: the closest features alone
    upper(q, 2.1, 0, 0.5, 0, 0, 0);
    ck_assert_int_eq(count_contacts(q, 0.2, f), 4); // side against side
    upper(q, 2.1, 2.1, 1.1, 0, 0, 0);
    ck_assert_int_eq(count_contacts(q, 0.2, f), 1);
    ck_assert_int_eq(f[0].kind, PCS_FEATURE_POINT_POINT);
    CK_NEAR(check_set(f, 1, q, still, 0.2).g, 0.1 * sqrt(3), 1e-15);
}

// parallel edges that are apart: how they turn against each other is rounding, and so is where they
// cross. The contacts lie on both boxes all the same
TEST(parallel_edges_apart_have_their_contacts_on_both)
{
    test_random r = random_seed(14);
    const pcs_shape s = unit_box();
    for (int k = 0; k < TEST_DRAWS(4000); ++k) {
        double q[7], below[7];
        const double g = pow(10, random_between(&r, -5, -3));
        const double turn = pow(10, random_between(&r, -13, -9));
        upper(below, 0, 0, 0, quarter, 0, 0);
        const double tilt = random_between(&r, -0.5, 0.5), x = random_between(&r, -0.9, 0.9);
        const double z = sqrt(0.5) * (1 + cos(tilt)) + g;
        upper(q, x, -sqrt(0.5) * sin(tilt), z, quarter + tilt, 0, turn);
        const placed a = place(&s, q), b = place(&s, below);
        pcs_feature f[PCS_FEATURES_MAX];
        const int n = pcs_collide(&s, q, &s, below, 0.01, PCS_FEATURES_MAX, f);
        for (int i = 0; i < n; ++i) {
            const pcs_gap c = feature_gap(&f[i], q, below);
            CK_NEAR(apart(c.P1, &a, s.half), 0, 1e-9);
            CK_NEAR(apart(c.P2, &b, s.half), 0, 1e-9);
        }
        CK_NEAR(check_set(f, n, q, below, 0.01).g, g, 1e-6 * g + 1e-12);
    }
}

// edges that touch and cross at nearly zero angle: rounding decides where they cross, so both ends
// become contacts
TEST(edges_along_each_other_touch_on_a_length)
{
    pcs_feature f[PCS_FEATURES_MAX];
    const pcs_shape roof = unit_box();
    const double turns[] = {0, 1e-13, 1e-11, 1e-9}, gaps[] = {1e-15, 0, -1e-14, -1e-12, -1e-6};
    double below[7], q[7];
    upper(below, 0, 0, 0, quarter, 0, 0);
    for (int k = 0; k < 20; ++k) {
        const double turn = turns[k % 4], g = gaps[k / 4];
        upper(q, 0.25, 0, sqrt(2) + g, quarter, 0, turn);
        const int n = pcs_collide(&roof, q, &roof, below, 0.02, PCS_FEATURES_MAX, f);
        ck_assert_int_ge(n, 2);
        double first = INFINITY, last = -INFINITY;
        const pcs_gap c = feature_gap(&f[0], q, below);
        for (int i = 0; i < n; ++i) {
            const pcs_gap d = feature_gap(&f[i], q, below);
            CK_NEAR(d.N[0], c.N[0], 2e-9);
            CK_NEAR(fabs(d.N[1]), sqrt(0.5), 2e-9); // of a side of the roof
            CK_NEAR(d.N[2], sqrt(0.5), 2e-9);
            CK_NEAR(d.g, g * sqrt(0.5), turn + 1e-14);
            first = fmin(first, d.P1[0]);
            last = fmax(last, d.P1[0]);
        }
        CK_NEAR(last - first, 0.75, 1e-6);
    }

    // nearly zero gaps, in another direction at each end
    for (int k = 0; k < 4; ++k) {
        const double g = 1e-13 * pow(10, k);
        upper(q, 0.25, 0.65 * g, sqrt(2) + g, quarter, 0, 1.2 * g);
        const int n = pcs_collide(&roof, q, &roof, below, 0.02, PCS_FEATURES_MAX, f);
        ck_assert_int_ge(n, 2);
        double first = INFINITY, last = -INFINITY;
        for (int i = 0; i < n; ++i) {
            const pcs_gap d = feature_gap(&f[i], q, below);
            ck_assert(d.g >= -1e-15 && d.g <= 4 * g);
            ck_assert_double_ge(d.N[2], sqrt(0.5) - 1e-3);
            first = fmin(first, d.P1[0]);
            last = fmax(last, d.P1[0]);
        }
        CK_NEAR(last - first, 0.75, 1e-6);
    }
}

TEST(nearly_flush_faces_keep_four_points)
{
    pcs_feature f[PCS_FEATURES_MAX];
    double q[7];
    for (double tilt = 1e-15; tilt < 5e-3; tilt *= 10) {
        for (int side = 0; side < 4; ++side) {
            const double c = cos(side * 1.7), d = sin(side * 1.7);

            // wholly above the floor, and overhanging it by a corner
            upper(q, 0.2, 0.1, 1, tilt * c, tilt * d, 0.3);
            int n = count_contacts(q, 0.02, f);
            ck_assert_int_eq(n, 4);
            check_set(f, n, q, still, 0.02);

            upper(q, 1.2, 1.3, 1, tilt * c, tilt * d, 0.3);
            const pcs_shape s = unit_box(), floor = pcs_shape_box(3, 3, 1);
            const placed a = place(&s, q), b = place(&floor, still);
            n = count_contacts(q, 0.02, f);
            ck_assert_int_ge(n, 4);
            const double g = separation15(&a, s.half, &b, floor.half);
            const pcs_gap least = check_set(f, n, q, still, 0.02);
            CK_NEAR(least.g, g, 1e-14);
        }
    }
}

// A floor of half edges (1, 0.8, 0.3) with its middle at the origin, and a card that stands on its
// upper face by one of its long edges, at `slope` to it. The edge begins above the floor, at height
// `high`, and hangs over the side x = 1; it falls by `tilt` per length.
static void card_on_edge(double slope, double turn, double high, double tilt, pcs_shape *card,
                         double q[7])
{
    *card = pcs_shape_box(1, 0.02, 0.6);
    // the middle of the edge, and its axes: along the edge, and the others turned about it
    const double inner[3] = {0.4, -0.3, 0.3 + high}, norm = sqrt(1 + tilt * tilt);
    const double e[3] = {cos(turn) / norm, sin(turn) / norm, -tilt / norm};
    const double side[3] = {-sin(turn), cos(turn), 0};
    double up[3], R[9], edge[3] = {-0.5, -0.01, -0.3};
    v3_cross(e, side, up);
    for (int i = 0; i < 3; ++i) {
        R[i] = e[i];
        R[i + 3] = cos(slope) * side[i] + sin(slope) * up[i];
        R[i + 6] = cos(slope) * up[i] - sin(slope) * side[i];
    }
    ck_assert_int_eq(pcs_quat_from_matrix(R, q + 3), PCS_OK);
    for (int i = 0; i < 3; ++i) {
        q[i] = inner[i] - (R[i] * edge[0] + R[i + 3] * edge[1] + R[i + 6] * edge[2]);
    }
}

// An edge on a face, which hangs over an edge of it: both ends of what they share are contacts, in
// either order and at any tilt, and the gap of each is the closed form
TEST(an_edge_on_a_face_has_both_ends)
{
    test_random r = random_seed(16);
    const pcs_shape floor = pcs_shape_box(2, 1.6, 0.6);
    for (int k = 0; k < TEST_DRAWS(4000); ++k) {
        const double depth = pow(10, random_between(&r, -12, -4));
        const double tilt = k % 10 == 0 ? 0 : pow(10, random_between(&r, -9, -4));
        const double slope = random_between(&r, 0.2, 1.3), turn = random_between(&r, -0.6, 0.6);
        const double high = random_between(&r, -depth, depth);
        pcs_shape card;
        double q[2][7], by[7];
        memcpy(q[0], still, sizeof still);
        card_on_edge(slope, turn, high, tilt, &card, q[1]);

        // both boxes moved together, and with their names exchanged
        random_pose(&r, by, 0.5);
        for (int i = 0; i < 2; ++i) {
            double Q[4];
            pose_point(by, q[i], q[i]);
            pcs_quat_mul(by + 3, q[i] + 3, Q);
            memcpy(q[i] + 3, Q, sizeof Q);
        }
        const bool upper_first = k % 2 == 1;
        const double *q1 = q[upper_first], *q2 = q[!upper_first];
        pcs_feature f[PCS_FEATURES_MAX];
        const int n = pcs_collide(upper_first ? &card : &floor, q1, upper_first ? &floor : &card,
                                  q2, 1e-3, PCS_FEATURES_MAX, f);
        ck_assert_msg(n == 2, "tilt %g, high %g: %d contacts", tilt, high, n);

        // heights above the face, at the end of the card and above the edge of the floor
        const double over = tilt * 0.6 / cos(turn), end[2] = {high, high - over};
        const double reach[2] = {0, 0.6 / cos(turn)};
        double up[3];
        pose_direction(by, (const double[3]){0, 0, upper_first ? 1 : -1}, up);
        for (int at = 0; at < 2; ++at) {
            int found = 0;
            for (int i = 0; i < n; ++i) {
                const pcs_gap c = feature_gap(&f[i], q1, q2);
                double first[3] = {0.4, -0.3, 0.3}, d[3];
                pose_point(by, first, first);
                v3_sub(c.P1, first, d);
                if (fabs(v3_norm(d) - reach[at]) > 1e-3) continue;
                found += 1;
                CK_NEAR(v3_dot(c.N, up), 1, tilt * tilt + 1e-14);
                CK_NEAR(c.g, end[at], fabs(end[at]) * tilt * tilt + 4e-15);
            }
            ck_assert_int_eq(found, 1);
        }
    }
}

TEST(gap_goes_through_zero_without_a_jump)
{
    // straight down, for many rotations: the gap changes no faster than the box moves
    test_random r = random_seed(11);
    const int boxes = TEST_FEW(12, 60);
    int through = 0;
    for (int k = 0; k < boxes; ++k) {
        const pcs_shape s1 = random_box(&r), s2 = random_box(&r);
        double q1[7], q2[7];
        random_pose(&r, q1, 0.1);
        random_pose(&r, q2, 0.1);
        const double step = 1.0 / 256;
        double before = NAN, lowest = INFINITY, highest = -INFINITY;
        q1[2] = 2;
        for (int t = 0; t < 1024; ++t) {
            q1[2] -= step;
            pcs_feature f[PCS_FEATURES_MAX];
            const int n = pcs_collide(&s1, q1, &s2, q2, 10, PCS_FEATURES_MAX, f);
            const double g = check_set(f, n, q1, q2, 10).g;
            if (t > 0) {
                ck_assert_msg(fabs(g - before) <= step + 1e-12, "jump of %g", g - before);
            }
            before = g;
            lowest = fmin(lowest, g);
            highest = fmax(highest, g);
        }
        through += lowest < 0 && highest > 0;
    }
    ck_assert_int_gt(through, boxes / 2);

    // finely, around the moment of touching
    for (int k = 0; k < 60; ++k) {
        const pcs_shape s1 = random_box(&r), s2 = random_box(&r);
        double q1[7], q2[7];
        random_pose(&r, q1, 0.1);
        random_pose(&r, q2, 0.1);
        double low = -2, high = 2, before = NAN;
        pcs_feature f[PCS_FEATURES_MAX];
        q1[2] = 2;
        low = q2[2];
        for (int t = 0; t < 60; ++t) {
            q1[2] = 0.5 * (low + high);
            const int n = pcs_collide(&s1, q1, &s2, q2, 10, PCS_FEATURES_MAX, f);
            if (check_set(f, n, q1, q2, 10).g > 0) {
                high = q1[2];
            } else {
                low = q1[2];
            }
        }
        const double touch = low;
        q1[2] = touch;
        ck_assert_int_ge(pcs_collide(&s1, q1, &s2, q2, 10, PCS_FEATURES_MAX, f), 1);
        if (feature_gap(&f[0], q1, q2).g > 0) continue; // beside each other
        for (int t = -40; t <= 40; ++t) {
            q1[2] = touch + t * 1e-13;
            const int n = pcs_collide(&s1, q1, &s2, q2, 10, PCS_FEATURES_MAX, f);
            ck_assert_int_ge(n, 1);
            const double g = feature_gap(&f[0], q1, q2).g;
            ck_assert_msg(fabs(g) < 41e-13 + 1e-14, "gap %g at height %g", g, t * 1e-13);
            if (t > -40) {
                ck_assert_msg(fabs(g - before) <= 1.5e-13, "jump of %g at %d", g - before, t);
            }
            before = g;
        }
    }
}

// the gap of both pairs is the same, and `cosine` that of the angle between its normals; false when
// they are out of reach, else the first contact of each pair
static bool expect_same_gap(const shape_pair *p, const shape_pair *t, double cosine,
                            pcs_feature first[2])
{
    pcs_feature f[PCS_FEATURES_MAX], h[PCS_FEATURES_MAX];
    const int n = pcs_collide(&p->s1, p->q1, &p->s2, p->q2, 0.1, PCS_FEATURES_MAX, f);
    ck_assert_int_eq(pcs_collide(&t->s1, t->q1, &t->s2, t->q2, 0.1, PCS_FEATURES_MAX, h), n);
    if (n == 0) return false;
    const pcs_gap a = check_set(f, n, p->q1, p->q2, 0.1), b = check_set(h, n, t->q1, t->q2, 0.1);
    CK_NEAR(a.g, b.g, 1e-14);
    CK_NEAR(v3_dot(a.N, b.N), cosine, 1e-9);
    first[0] = f[0];
    first[1] = h[0];
    return true;
}

TEST(renaming_the_axes_changes_nothing)
{
    // the same box with its edges listed in another order and its frame rotated to match
    test_random r = random_seed(14);
    for (int k = 0; k < TEST_DRAWS(5000); ++k) {
        shape_pair p;
        random_pair(&p, &r, random_box, random_box, 0.5, 0.5, false);

        // (x y z) -> (y z x): a third of a turn about (1 1 1)
        shape_pair t = p;
        const double third[4] = {0.5, 0.5, 0.5, 0.5};
        pcs_quat_mul(p.s1.orientation, third, t.s1.orientation);
        for (int i = 0; i < 3; ++i) {
            t.s1.half[i] = p.s1.half[(i + 1) % 3];
        }
        pcs_feature first[2];
        expect_same_gap(&p, &t, 1, first);
    }
}

TEST(exchanged_boxes_mirror)
{
    test_random r = random_seed(15);
    for (int k = 0; k < TEST_DRAWS(4000); ++k) {
        shape_pair p;
        random_pair(&p, &r, random_box, random_box, 0.5, 0.5, false);
        shape_pair t = {.s1 = p.s2, .s2 = p.s1};
        memcpy(t.q1, p.q2, sizeof t.q1);
        memcpy(t.q2, p.q1, sizeof t.q2);
        pcs_feature first[2];
        if (!expect_same_gap(&p, &t, -1, first)) continue;
        ck_assert_uint_eq(first[0].id, first[1].id % 27 * 27 + first[1].id / 27);
    }
}
