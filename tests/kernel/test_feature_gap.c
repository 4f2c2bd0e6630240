// The gap of a pair of features: derivatives against complex steps of formulas written here, for
// quaternions of length 0.3 to 3; special positions of points and lines.
#include "rotations.h"

#include <float.h>

#include <percuss/features.h>
#include <percuss/kinematics.h>

#include "complex_step.h"
#include "linalg/m3.h"

#define DRAWS TEST_DRAWS(4000)

// a pair of features of any kind at random, with every mixture of radii
static pcs_feature random_feature(test_random *r, int n)
{
    pcs_feature f = {.kind = (pcs_feature_kind)(n % 6)};
    random_vector(r, f.p1, 3);
    random_vector(r, f.p2, 3);
    random_direction(r, f.d1);
    random_direction(r, f.d2);
    random_direction(r, f.n2);
    if (n / 6 % 2) f.radius1 = random_between(r, 0, 2);
    if (n / 12 % 2) f.radius2 = random_between(r, 0, 2);
    return f;
}

// the distance of the cores, signed for planes, squared under a root otherwise: formulas of their
// own, for complex poses. `sine` is that of the angle between crossed edges, 1 for other features
static cplx core_distance(const pcs_feature *f, const cplx *z1, const cplx *z2, double *sine)
{
    cplx p1[3], p2[3], d1[3], d2[3], w[3], c[3];
    z_point(z1, f->p1, p1);
    z_point(z2, f->p2, p2);
    z_direction(z1, f->d1, d1);
    z_direction(z2, f->d2, d2);
    for (int i = 0; i < 3; ++i) {
        w[i] = p1[i] - p2[i];
    }
    *sine = 1;
    switch (f->kind) {
    case PCS_FEATURE_POINT_PLANE:
        return z_dot(w, d2);
    case PCS_FEATURE_PLANE_POINT:
        return -z_dot(w, d1);
    case PCS_FEATURE_POINT_POINT:
        return csqrt(z_dot(w, w));
    case PCS_FEATURE_POINT_EDGE:
        z_cross(w, d2, c);
        return csqrt(z_dot(c, c));
    case PCS_FEATURE_EDGE_POINT:
        z_cross(w, d1, c);
        return csqrt(z_dot(c, c));
    default:
        z_cross(d1, d2, c);
        *sine = creal(csqrt(z_dot(c, c)));
        const cplx D = z_dot(w, c) / csqrt(z_dot(c, c));
        return creal(D) < 0 ? -D : D;
    }
}

// the sign of the side on which bare points and lines are
static double side_of(const pcs_feature *f, const double *q2, const pcs_gap *gap)
{
    const bool plane = f->kind == PCS_FEATURE_POINT_PLANE || f->kind == PCS_FEATURE_PLANE_POINT;
    if (plane || f->radius1 > 0 || f->radius2 > 0) return 1;
    double n2[3] = {f->n2[0], f->n2[1], f->n2[2]};
    if (q2) pcs_quat_rotate(q2 + 3, f->n2, n2);
    ck_assert_msg(v3_dot(n2, gap->N) >= 0, "the normal of a bare pair turned away from n2");
    return gap->g < 0 ? -1 : 1;
}

TEST(feature_gap_follows_the_formula_of_its_kind)
{
    test_random r = random_seed(5);
    int negative = 0;
    for (int n = 0; n < 6 * DRAWS; ++n) {
        double q1[7], q2[7], sine;
        random_pose(&r, q1);
        random_pose(&r, q2);
        const pcs_feature f = random_feature(&r, n);
        const double *pose1 = n / 24 % 8 == 1 ? NULL : q1, *pose2 = n / 24 % 8 == 2 ? NULL : q2;
        pcs_gap gap;
        pcs_feature_gap(&f, pose1, pose2, &gap);

        cplx z1[7], z2[7];
        for (int i = 0; i < 7; ++i) {
            z1[i] = q1[i];
            z2[i] = q2[i];
        }
        const double D = creal(core_distance(&f, pose1 ? z1 : NULL, pose2 ? z2 : NULL, &sine));
        const double side = side_of(&f, pose2, &gap);
        const double tol = 1e-13 / sine;
        CK_NEAR(gap.g, side * D - f.radius1 - f.radius2, tol);
        CK_NEAR(v3_norm(gap.N), 1, 1e-15);
        for (int c = 0; c < 3; ++c) {
            CK_NEAR(gap.P1[c] - gap.P2[c], gap.g * gap.N[c], tol * (1 + largest(gap.P1, 3)));
        }
        negative += gap.g < 0;
    }
    ck_assert(negative > DRAWS && negative < 5 * DRAWS);
}

TEST(feature_points_lie_on_their_bodies)
{
    // P1 + radius1 N is on core 1, P2 - radius2 N on core 2: same point, plane or line
    test_random r = random_seed(6);
    for (int n = 0; n < 6 * DRAWS; ++n) {
        double q1[7], q2[7], c1[3], c2[3], b1[3], b2[3], w1[3], w2[3], x[3];
        random_pose(&r, q1);
        random_pose(&r, q2);
        const pcs_feature f = random_feature(&r, n);
        pcs_gap gap;
        pcs_feature_gap(&f, q1, q2, &gap);
        v3_along(gap.P1, f.radius1, gap.N, c1);
        v3_along(gap.P2, -f.radius2, gap.N, c2);
        to_body(q1, c1, b1);
        to_body(q2, c2, b2);
        v3_sub(b1, f.p1, w1);
        v3_sub(b2, f.p2, w2);

        double off1 = v3_norm(w1), off2 = v3_norm(w2), tol = 1e-13;
        if (f.kind == PCS_FEATURE_PLANE_POINT) off1 = v3_dot(w1, f.d1);
        if (f.kind == PCS_FEATURE_POINT_PLANE) off2 = v3_dot(w2, f.d2);
        if (f.kind == PCS_FEATURE_EDGE_POINT || f.kind == PCS_FEATURE_EDGE_EDGE) {
            v3_cross(w1, f.d1, x);
            off1 = v3_norm(x);
        }
        if (f.kind == PCS_FEATURE_POINT_EDGE || f.kind == PCS_FEATURE_EDGE_EDGE) {
            v3_cross(w2, f.d2, x);
            off2 = v3_norm(x);
        }
        if (f.kind == PCS_FEATURE_EDGE_EDGE) tol *= 1 + v3_dot(w1, w1);
        CK_NEAR(off1, 0, tol);
        CK_NEAR(off2, 0, tol);
    }
}

// foot points make a frozen normal exact: C equals the derivative of the gap in which everything
// moves
TEST(feature_gradient_with_the_moving_normal)
{
    test_random r = random_seed(7);
    int tried[6] = {0};
    for (int n = 0; n < 6 * DRAWS; ++n) {
        double q1[7], q2[7], C[14], sine;
        random_pose(&r, q1);
        random_pose(&r, q2);
        const pcs_feature f = random_feature(&r, n);
        pcs_gap gap;
        pcs_feature_gap(&f, q1, q2, &gap);
        pcs_contact_gap_gradient(q1, gap.P1, q2, gap.P2, gap.N, C);

        // the root has a kink where points or lines meet, and so has the quotient where edges
        // become parallel
        const double side = side_of(&f, q2, &gap);
        cplx z[14];
        step_poses(q1, q2, 0, z);
        const double D = creal(core_distance(&f, z, z + 7, &sine));
        if (fabs(D) < 0.05 || sine < 0.05) continue;
        const double size = fabs(D) < 1 ? 1 / fabs(D) : 1;

        tried[f.kind] += 1;
        for (int i = 0; i < 14; ++i) {
            step_poses(q1, q2, i, z);
            const double exact = side * cimag(core_distance(&f, z, z + 7, &sine)) / STEP;
            CK_NEAR(C[i], exact, 1e-13 * (1 + largest(C, 14)) * size / (sine * sine));
        }
    }
    for (int k = 0; k < 6; ++k) {
        ck_assert(tried[k] > DRAWS / 2);
    }
}

TEST(feature_gap_has_degree_zero_in_Q)
{
    test_random r = random_seed(8);
    for (int n = 0; n < DRAWS; ++n) {
        double q1[7], q2[7];
        random_pose(&r, q1);
        random_pose(&r, q2);
        const pcs_feature f = random_feature(&r, n);
        pcs_gap a, b;
        pcs_feature_gap(&f, q1, q2, &a);
        for (int i = 3; i < 7; ++i) {
            q1[i] *= -0x1p520; // a power of two: the same bits
            q2[i] *= 0x1p-500;
        }
        pcs_feature_gap(&f, q1, q2, &b);
        ck_assert(memcmp(&a, &b, sizeof a) == 0);
    }
}

TEST(bare_gaps_pass_through_zero)
{
    // core 1 is pushed along n2 through core 2, to the other side: g is the height all the time,
    // with no kink at zero, and the normal never reverses
    const pcs_feature_kind kinds[] = {PCS_FEATURE_POINT_POINT, PCS_FEATURE_POINT_EDGE,
                                      PCS_FEATURE_EDGE_POINT, PCS_FEATURE_EDGE_EDGE};
    test_random r = random_seed(9);
    for (int n = 0; n < 400; ++n) {
        pcs_feature f = {.kind = kinds[n % 4]};
        double q1[7], q2[7], n2[3], P2[3], R[9];
        random_pose(&r, q1);
        random_pose(&r, q2);
        random_vector(&r, f.p2, 3);
        random_direction(&r, f.n2);
        double F[9];
        pcs_contact_frame(f.n2, F);

        // edges lie across n2
        memcpy(f.d2, F + 3, sizeof f.d2);
        pcs_quat_to_matrix(q2 + 3, R);
        m3_mul(R, f.n2, n2);
        m3_mul(R, f.p2, P2);
        v3_along(q2, 1, P2, P2);
        double across[3], back[4];
        m3_mul(R, F + 6, across);
        pcs_quat_conj(q1 + 3, back);
        pcs_quat_rotate(back, across, f.d1);

        for (int k = -20; k <= 20; ++k) {
            const double height = k * 1e-3;
            v3_along(P2, height, n2, q1); // p1 is at G
            pcs_gap gap;
            pcs_feature_gap(&f, q1, q2, &gap);
            CK_NEAR(gap.g, height, 1e-14);
            expect_same(gap.N, n2, 3, 1e-11);
        }
    }
}

TEST(cores_that_meet_fall_back_to_n2)
{
    test_random r = random_seed(10);
    for (int n = 0; n < 600; ++n) {
        pcs_feature f = random_feature(&r, n);
        double q1[7], q2[7], n2[3];
        random_pose(&r, q1);
        random_pose(&r, q2);
        const pcs_feature_kind kinds[] = {PCS_FEATURE_POINT_POINT, PCS_FEATURE_POINT_EDGE,
                                          PCS_FEATURE_EDGE_EDGE};
        f.kind = kinds[n % 3];

        // p2 onto p1
        double P1[3], d[3], along1[3], along2[3];
        pcs_quat_rotate(q1 + 3, f.p1, P1);
        v3_along(P1, 1, q1, P1);
        to_body(q2, P1, f.p2);
        if (f.kind == PCS_FEATURE_EDGE_EDGE) {
            pcs_quat_rotate(q1 + 3, f.d1, along1);
            pcs_quat_rotate(q2 + 3, f.d2, along2);
            v3_cross(along1, along2, n2);
            if (v3_unit(n2, n2) < 0.05) continue;
            pcs_quat_rotate(q2 + 3, f.n2, d);
            const double side = v3_dot(d, n2) < 0 ? -1 : 1;
            for (int i = 0; i < 3; ++i) {
                n2[i] *= side;
            }
        } else {
            v3_along(f.n2, f.kind == PCS_FEATURE_POINT_EDGE ? -v3_dot(f.n2, f.d2) : 0, f.d2, d);
            v3_unit(d, d);
            pcs_quat_rotate(q2 + 3, d, n2);
        }

        pcs_gap gap;
        pcs_feature_gap(&f, q1, q2, &gap);
        CK_NEAR(gap.g, -f.radius1 - f.radius2, 2e-14);
        expect_same(gap.N, n2, 3, 1e-13);
    }
}

TEST(parallel_edges_keep_their_distance)
{
    test_random r = random_seed(11);
    for (int n = 0; n < 600; ++n) {
        pcs_feature f = random_feature(&r, n);
        f.kind = PCS_FEATURE_EDGE_EDGE;
        double q1[7], q2[7], d[3], back[4], w[3], x[3], P1[3], P2[3];
        random_pose(&r, q1);
        random_pose(&r, q2);
        pcs_quat_rotate(q1 + 3, f.d1, d);
        pcs_quat_conj(q2 + 3, back);
        pcs_quat_rotate(back, d, f.d2);
        for (int i = 0; i < 3; ++i) {
            f.d2[i] *= n % 2 ? -1 : 1;
        }

        pcs_quat_rotate(q1 + 3, f.p1, P1);
        pcs_quat_rotate(q2 + 3, f.p2, P2);
        for (int i = 0; i < 3; ++i) {
            w[i] = q1[i] + P1[i] - q2[i] - P2[i];
        }
        v3_cross(w, d, x);
        pcs_gap gap;
        pcs_feature_gap(&f, q1, q2, &gap);
        const double side = side_of(&f, q2, &gap);
        CK_NEAR(gap.g, side * v3_norm(x) - f.radius1 - f.radius2, 1e-13);
        CK_NEAR(v3_dot(gap.N, d), 0, 1e-12);
        CK_NEAR(v3_norm(gap.N), 1, 1e-15);
    }
}

TEST(no_finite_feature_gives_a_nan)
{
    // points, lines and directions that coincide, vanish, or are far away
    const double values[] = {0, 1, -1, 1e-160, 1e-300, 1e150};
    test_random r = random_seed(12);
    for (int n = 0; n < 60 * DRAWS; ++n) {
        pcs_feature f = {.kind = (pcs_feature_kind)(n % 6)};
        double q1[7] = {0, 0, 0, 1, 0, 0, 0}, q2[7] = {0, 0, 0, 1, 0, 0, 0};
        for (int i = 0; i < 3; ++i) {
            f.p1[i] = values[(int)(6 * random_unit(&r))];
            f.p2[i] = n % 5 ? values[(int)(6 * random_unit(&r))] : f.p1[i];
            q1[i] = n % 3 ? 0 : values[(int)(6 * random_unit(&r))];
        }
        f.d1[(int)(3 * random_unit(&r))] = 1;
        f.d2[(int)(3 * random_unit(&r))] = n % 7 ? 1 : -1;
        f.n2[(int)(3 * random_unit(&r))] = n % 11 ? 1 : -1;
        if (n / 6 % 2) f.radius1 = 0.1;

        pcs_gap gap;
        pcs_feature_gap(&f, q1, n % 2 ? q2 : NULL, &gap);
        const double all[10] = {gap.g,     gap.N[0],  gap.N[1],  gap.N[2],  gap.P1[0],
                                gap.P1[1], gap.P1[2], gap.P2[0], gap.P2[1], gap.P2[2]};
        for (int i = 0; i < 10; ++i) {
            ck_assert_msg(isfinite(all[i]), "entry %d of kind %d", i, (int)f.kind);
        }
        CK_NEAR(v3_norm(gap.N), 1, 1e-15);
    }
}
