// Gaps, gradients and velocity operators: derivatives against complex steps of the gaps, for
// quaternions of length 0.3 to 3, and the identities between them.
#include "rotations.h"

#include <float.h>

#include <percuss/features.h>
#include <percuss/kinematics.h>
#include <percuss/relation.h>

#include "complex_step.h"
#include "linalg/m3.h"

#define DRAWS TEST_DRAWS(4000)

static void random_direction(test_random *r, double d[3])
{
    random_vector(r, d, 3);
    v3_unit(d, d);
}

static double largest(const double *x, int n)
{
    double m = 0;
    for (int i = 0; i < n; ++i) {
        if (fabs(x[i]) > m) m = fabs(x[i]);
    }
    return m;
}

// in body axes, the point of the body at P
static void to_body(const double q[7], const double P[3], double p[3])
{
    double back[4], GP[3];
    pcs_quat_conj(q + 3, back);
    v3_sub(P, q, GP);
    pcs_quat_rotate(back, GP, p);
}

// q1 and q2 as one row of complex numbers with coordinate `i` moved by the step; q2 may be null
static void step_poses(const double *q1, const double *q2, int i, cplx z[14])
{
    for (int k = 0; k < 14; ++k) {
        z[k] = k < 7 ? q1[k] : q2 ? q2[k - 7] : 0;
    }
    z[i] += I * STEP;
}

// ---- the frame

TEST(frame_is_right_handed_by_the_rule)
{
    test_random r = random_seed(1);
    for (int n = 0; n < DRAWS; ++n) {
        double N[3], F[9], e[3] = {0}, t1[3];
        random_direction(&r, N);
        if (n % 7 == 0) N[n % 3] = 0;
        v3_unit(N, N);
        pcs_contact_frame(N, F);
        for (int i = 0; i < 3; ++i) {
            ck_assert(F[i] == N[i]);
            for (int j = 0; j < 3; ++j) {
                CK_NEAR(v3_dot(F + 3 * i, F + 3 * j), i == j, 1e-15);
            }
        }
        CK_NEAR(m3_det(F), 1, 1e-15);

        const int k = fabs(N[0]) <= fabs(N[1]) && fabs(N[0]) <= fabs(N[2]) ? 0
                      : fabs(N[1]) <= fabs(N[2])                           ? 1
                                                                           : 2;
        e[k] = 1;
        v3_cross(e, N, t1);
        v3_unit(t1, t1);
        expect_same(F + 3, t1, 3, 1e-15);
    }

    // ties go to the lowest axis
    double F[9];
    pcs_contact_frame((double[]){0, 0, 1}, F);
    expect_same(F, (double[]){0, 0, 1, 0, -1, 0, 1, 0, 0}, 9, 0);
    pcs_contact_frame((double[]){1, 0, 0}, F);
    expect_same(F, (double[]){1, 0, 0, 0, 0, -1, 0, 1, 0}, 9, 0);
    pcs_contact_frame((double[]){0, -1, 0}, F);
    expect_same(F, (double[]){0, -1, 0, 0, 0, -1, 1, 0, 0}, 9, 0);
}

// ---- the gradient of a point

// (5.1) as it is written: Im(e_i Q* GP + GP Q e_i* - 2 Q_i GP) / |Q|^2
static void gradient_51(const double q[7], const double P[3], double out[12])
{
    double GP[4] = {0}, conj_Q[4];
    v3_sub(P, q, GP + 1);
    pcs_quat_conj(q + 3, conj_Q);
    const double square = pcs_quat_norm(q + 3) * pcs_quat_norm(q + 3);
    for (int i = 0; i < 4; ++i) {
        double e[4] = {0}, conj_e[4], a[4], eQG[4], b[4], GQe[4];
        e[i] = 1;
        pcs_quat_conj(e, conj_e);
        pcs_quat_mul(e, conj_Q, a);
        pcs_quat_mul(a, GP, eQG);
        pcs_quat_mul(GP, q + 3, b);
        pcs_quat_mul(b, conj_e, GQe);
        for (int c = 0; c < 3; ++c) {
            out[c + 3 * i] = (eQG[1 + c] + GQe[1 + c] - 2 * q[3 + i] * GP[1 + c]) / square;
        }
    }
}

// (5.2) as it is written: -2 [GP]x R L^T / |Q|^2
static void gradient_52(const double q[7], const double P[3], double out[12])
{
    double GP[3], S[9], R[9], SR[9], L[12];
    v3_sub(P, q, GP);
    m3_skew(GP, S);
    pcs_quat_to_matrix(q + 3, R);
    m3_mul_m3(S, R, SR);
    pcs_quat_left(q + 3, L);
    const double square = pcs_quat_norm(q + 3) * pcs_quat_norm(q + 3);
    for (int c = 0; c < 3; ++c) {
        for (int i = 0; i < 4; ++i) {
            double sum = 0;
            for (int k = 0; k < 3; ++k) {
                sum += SR[c + 3 * k] * L[i + 4 * k];
            }
            out[c + 3 * i] = -2 * sum / square;
        }
    }
}

TEST(point_gradient_in_three_ways)
{
    test_random r = random_seed(2);
    for (int n = 0; n < DRAWS; ++n) {
        double q[7], P[3], p[3], D[12], D51[12], D52[12];
        random_pose(&r, q);
        random_vector(&r, P, 3);
        pcs_contact_point_gradient(q, P, D);
        gradient_51(q, P, D51);
        gradient_52(q, P, D52);
        const double tol = 1e-14 * (1 + largest(D, 12));
        expect_same(D, D51, 12, tol);
        expect_same(D, D52, 12, tol);

        // the derivative of the position of the point
        to_body(q, P, p);
        for (int i = 0; i < 4; ++i) {
            cplx z[14], Z[3];
            step_poses(q, NULL, 3 + i, z);
            z_point(z, p, Z);
            for (int c = 0; c < 3; ++c) {
                CK_NEAR(cimag(Z[c]) / STEP, D[c + 3 * i], tol);
            }
        }

        // no change along Q
        for (int c = 0; c < 3; ++c) {
            double radial = 0;
            for (int i = 0; i < 4; ++i) {
                radial += D[c + 3 * i] * q[3 + i];
            }
            CK_NEAR(radial, 0, tol);
        }
    }
}

TEST(a_gradient_without_normalisation_would_be_radial)
{
    // (5.1) without its last term: the derivative of Q p Q*, whose radial part is 2 GP
    test_random r = random_seed(3);
    for (int n = 0; n < 100; ++n) {
        double q[7] = {0}, p[3], P[3], D[12];
        random_quaternion(&r, q + 3);
        random_vector(&r, p, 3);
        pcs_quat_rotate(q + 3, p, P);
        pcs_contact_point_gradient(q, P, D);
        double radial[3] = {0};
        for (int i = 0; i < 4; ++i) {
            cplx z[14], Z[3];
            step_poses(q, NULL, 3 + i, z);
            z_rotate(z + 3, p, true, Z);
            for (int c = 0; c < 3; ++c) {
                CK_NEAR(cimag(Z[c]) / STEP, D[c + 3 * i] + 2 * q[3 + i] * P[c], 1e-14);
                radial[c] += cimag(Z[c]) / STEP * q[3 + i];
            }
        }
        expect_same(radial, (double[]){2 * P[0], 2 * P[1], 2 * P[2]}, 3, 1e-14);
    }
}

// ---- the gradient of a gap

TEST(gap_gradient_with_a_frozen_normal)
{
    test_random r = random_seed(4);
    for (int n = 0; n < DRAWS; ++n) {
        double q1[7], q2[7], P1[3], P2[3], N[3], p1[3], p2[3], C[14], alone[7];
        random_pose(&r, q1);
        random_pose(&r, q2);
        random_vector(&r, P1, 3);
        random_direction(&r, N);
        v3_along(P1, random_normal(&r), N, P2);
        to_body(q1, P1, p1);
        to_body(q2, P2, p2);
        pcs_contact_gap_gradient(q1, P1, q2, P2, N, C);
        pcs_contact_gap_gradient(q1, P1, NULL, P2, N, alone);
        ck_assert(memcmp(C, alone, sizeof alone) == 0);

        for (int i = 0; i < 14; ++i) {
            cplx z[14], Z1[3], Z2[3], g = 0;
            step_poses(q1, q2, i, z);
            z_point(z, p1, Z1);
            z_point(z + 7, p2, Z2);
            for (int c = 0; c < 3; ++c) {
                g += N[c] * (Z1[c] - Z2[c]);
            }
            CK_NEAR(C[i], cimag(g) / STEP, 1e-13 * largest(C, 14));
        }

        // theory 8.3: no component along Q
        for (int b = 0; b < 14; b += 7) {
            double radial = 0;
            for (int i = 3; i < 7; ++i) {
                radial += C[b + i] * (b == 0 ? q1 : q2)[i];
            }
            CK_NEAR(radial, 0, 1e-15 * (1 + largest(C, 14)));
        }
    }
}

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

// ---- balls

static void expect_no_spin(const double q1[7], const double *q2, const pcs_gap *gap,
                           const double at1[3], const double at2[3])
{
    double C[14], CT[36], F[9];
    pcs_contact_gap_gradient(q1, at1, q2, at2, gap->N, C);
    pcs_contact_frame(gap->N, F);
    if (q2) {
        pcs_contact_CT(q1, at1, q2, at2, F, CT);
    } else {
        pcs_contact_body_CT(q1, at1, F, CT);
    }
    for (int i = 3; i < 7; ++i) {
        ck_assert_msg(C[i] == 0, "C[%d] = %g", i, C[i]);
        if (q2) ck_assert_msg(C[7 + i] == 0, "C[%d] = %g", 7 + i, C[7 + i]);
        if (i == 6) continue;
        ck_assert_msg(CT[3 * i] == 0, "CT[0, %d] = %g", i, CT[3 * i]);
        if (q2) ck_assert_msg(CT[3 * i + 18] == 0, "CT[0, %d] = %g", 6 + i, CT[3 * i + 18]);
    }
}

TEST(a_ball_is_never_spun_by_a_normal_impulse)
{
    test_random r = random_seed(13);
    for (int n = 0; n < 10 * DRAWS; ++n) {
        // a ball of 1 mm to 1 km over a plane of the world, up to 10 km from the origin
        pcs_feature f = {.kind = PCS_FEATURE_POINT_PLANE};
        f.radius1 = pow(10, random_between(&r, -3, 3));
        random_direction(&r, f.d2);
        memcpy(f.n2, f.d2, sizeof f.n2);
        random_vector(&r, f.p2, 3);
        double q1[7], q2[7];
        random_pose(&r, q1);
        const double away = pow(10, random_between(&r, -3, 4));
        for (int i = 0; i < 3; ++i) {
            q1[i] *= away;
        }
        pcs_gap gap;
        pcs_feature_gap(&f, q1, NULL, &gap);
        expect_no_spin(q1, NULL, &gap, gap.P1, gap.P1);

        // two balls, at their own points and with the lever at the midpoint
        f.kind = PCS_FEATURE_POINT_POINT;
        f.radius2 = f.radius1 * random_between(&r, 0.2, 5);
        memset(f.p2, 0, sizeof f.p2);
        random_pose(&r, q2);
        double u[3], middle[3];
        random_direction(&r, u);
        v3_along(q1, (f.radius1 + f.radius2) * random_between(&r, 0.9, 1.2), u, q2);
        pcs_feature_gap(&f, q1, q2, &gap);
        expect_no_spin(q1, q2, &gap, gap.P1, gap.P2);
        for (int i = 0; i < 3; ++i) {
            middle[i] = 0.5 * (gap.P1[i] + gap.P2[i]);
        }
        expect_no_spin(q1, q2, &gap, middle, middle);
    }
}

TEST(a_lever_above_rounding_is_used)
{
    // a ball whose centre of mass is off by a nanometre does spin
    double C[7];
    const double q[7] = {1, 2, 3, 1, 0, 0, 0}, N[3] = {0, 0, 1};
    const double P[3] = {1 + 1e-9, 2, 2.9};
    pcs_contact_gap_gradient(q, P, NULL, P, N, C);
    CK_NEAR(C[5] / -2e-9, 1, 1e-6); // (0, m) (x) Q with m = (0, -1e-9, 0), twice
}

// ---- velocities

TEST(CT_is_the_velocity_of_the_points)
{
    test_random r = random_seed(14);
    for (int n = 0; n < DRAWS; ++n) {
        double q1[7], q2[7], v[12], P1[3], P2[3], N[3], F[9], CT[36], velocity[3], u[3];
        random_pose(&r, q1);
        random_pose(&r, q2);
        random_vector(&r, v, 12);
        random_vector(&r, P1, 3);
        random_vector(&r, P2, 3);
        random_direction(&r, N);
        pcs_contact_frame(N, F);
        pcs_contact_CT(q1, P1, q2, P2, F, CT);

        // material velocities by a complex step along dq/dt
        for (int c = 0; c < 3; ++c) {
            velocity[c] = 0;
        }
        for (int b = 0; b < 2; ++b) {
            const double *q = b ? q2 : q1;
            double rate[7], p[3];
            cplx z[7], Z[3];
            pcs_body_rate(q, v + 6 * b, rate);
            to_body(q, b ? P2 : P1, p);
            for (int i = 0; i < 7; ++i) {
                z[i] = q[i] + I * STEP * rate[i];
            }
            z_point(z, p, Z);
            for (int c = 0; c < 3; ++c) {
                velocity[c] += (b ? -1 : 1) * cimag(Z[c]) / STEP;
            }
        }
        m3_mul_t(F, velocity, u);
        for (int c = 0; c < 3; ++c) {
            double CTv = 0;
            for (int j = 0; j < 12; ++j) {
                CTv += CT[c + 3 * j] * v[j];
            }
            CK_NEAR(CTv, u[c], 1e-13);
        }

        // the first body's part is its own CT
        double CT1[18];
        pcs_contact_body_CT(q1, P1, F, CT1);
        ck_assert(memcmp(CT, CT1, sizeof CT1) == 0);
    }
}

TEST(C_T_is_the_normal_row_of_CT)
{
    test_random r = random_seed(15);
    for (int n = 0; n < DRAWS; ++n) {
        double q[2][7], P1[3], P2[3], N[3], F[9], C[14], CT[36], T[42], alone[18], C_world[7];
        random_pose(&r, q[0]);
        random_pose(&r, q[1]);
        random_vector(&r, P1, 3);
        random_vector(&r, P2, 3);
        random_direction(&r, N);
        pcs_contact_frame(N, F);
        pcs_contact_gap_gradient(q[0], P1, q[1], P2, N, C);
        pcs_contact_CT(q[0], P1, q[1], P2, F, CT);
        pcs_contact_gap_gradient(q[0], P1, NULL, P2, N, C_world);
        pcs_contact_body_CT(q[0], P1, F, alone);
        for (int b = 0; b < 2; ++b) {
            pcs_body_T(q[b], T);
            for (int j = 0; j < 6; ++j) {
                double row = 0, row_world = 0;
                for (int i = 0; i < 7; ++i) {
                    row += C[7 * b + i] * T[i + 7 * j];
                    row_world += C_world[i] * T[i + 7 * j];
                }
                CK_NEAR(row, CT[3 * (6 * b + j)], 1e-14);
                if (b == 0) CK_NEAR(row_world, alone[3 * j], 1e-14);
            }
        }
    }
}

TEST(impulses_act_as_force_and_moment_and_do_the_same_work)
{
    test_random r = random_seed(16);
    for (int n = 0; n < DRAWS; ++n) {
        double q1[7], q2[7], v[12], P[3], N[3], F[9], CT[36], imp[3], force[3], w[12];
        random_pose(&r, q1);
        random_pose(&r, q2);
        random_vector(&r, v, 12);
        random_vector(&r, P, 3);
        random_vector(&r, imp, 3);
        random_direction(&r, N);
        pcs_contact_frame(N, F);
        pcs_contact_CT(q1, P, q2, P, F, CT);
        m3_mul(F, imp, force);

        // force F r and body-frame moment R^T (GP x F r), reversed on body 2
        double momentum[3] = {0}, angular[3] = {0};
        for (int b = 0; b < 2; ++b) {
            const double *q = b ? q2 : q1, sign = b ? -1 : 1;
            double GP[3], moment[3], R[9], body_moment[3], x_force[3], w_moment[3];
            v3_sub(P, q, GP);
            v3_cross(GP, force, moment);
            pcs_quat_to_matrix(q + 3, R);
            m3_mul_t(R, moment, body_moment);
            for (int j = 0; j < 6; ++j) {
                const double *column = CT + 3 * (6 * b + j);
                w[6 * b + j] = v3_dot(column, imp);
                const double expected = sign * (j < 3 ? force[j] : body_moment[j - 3]);
                CK_NEAR(w[6 * b + j], expected, 1e-13);
            }

            // one point for both: momentum and angular momentum about the origin balance
            v3_cross(q, w + 6 * b, x_force);
            m3_mul(R, w + 6 * b + 3, w_moment);
            for (int c = 0; c < 3; ++c) {
                momentum[c] += w[6 * b + c];
                angular[c] += x_force[c] + w_moment[c];
            }
        }
        expect_same(momentum, (double[]){0, 0, 0}, 3, 0);
        expect_same(angular, (double[]){0, 0, 0}, 3, 1e-13);

        // u . r = v . (CT^T r)
        double power = 0, dual = 0;
        for (int j = 0; j < 12; ++j) {
            dual += v[j] * w[j];
            for (int c = 0; c < 3; ++c) {
                power += imp[c] * CT[c + 3 * j] * v[j];
            }
        }
        CK_NEAR(power, dual, 1e-13);
    }
}

// ---- relations given by callback

// the gap of a built-in relation on complex poses, by formulas of its own
static void joint_gap(const pcs_relation *relation, const cplx *z1, const cplx *z2, cplx g[3])
{
    cplx P1[3], P2[3], w[3];
    z_point(z1, relation->data, P1);
    z_point(z2, relation->data + 3, P2);
    for (int i = 0; i < 3; ++i) {
        w[i] = P1[i] - P2[i];
        g[i] = w[i];
    }
    if (relation->dim == 1) g[0] = csqrt(z_dot(w, w)) - relation->data[6];
}

TEST(joints_against_the_complex_step)
{
    test_random r = random_seed(17);
    for (int n = 0; n < DRAWS; ++n) {
        double q1[7], q2[7], p1[3], p2[3], g[3], C1[21], C2[21];
        random_pose(&r, q1);
        random_pose(&r, q2);
        random_vector(&r, p1, 3);
        random_vector(&r, p2, 3);
        const pcs_relation relation =
            n % 2 ? pcs_relation_ball_joint(p1, p2) : pcs_relation_distance(p1, p2, 0.7);
        const bool world = n % 3 == 0;
        const double *pose2 = world ? NULL : q2;
        CK_OK(pcs_relation_gap(&relation, q1, pose2, g));
        CK_OK(pcs_relation_gradient(&relation, 7, q1, world ? 0 : 7, pose2, C1, world ? NULL : C2));

        cplx z[14], zg[3];
        step_poses(q1, pose2, 0, z);
        joint_gap(&relation, z, world ? NULL : z + 7, zg);
        if (!(creal(zg[0]) + 0.7 > 0.05) && relation.dim == 1) continue;
        for (int row = 0; row < relation.dim; ++row) {
            CK_NEAR(g[row], creal(zg[row]), 1e-14);
        }
        for (int i = 0; i < (world ? 7 : 14); ++i) {
            step_poses(q1, pose2, i, z);
            joint_gap(&relation, z, world ? NULL : z + 7, zg);
            const double *C = i < 7 ? C1 + relation.dim * i : C2 + relation.dim * (i - 7);
            for (int row = 0; row < relation.dim; ++row) {
                CK_NEAR(C[row], cimag(zg[row]) / STEP, 1e-13 * (1 + largest(C1, 7 * relation.dim)));
            }
        }
        for (int row = 0; row < relation.dim; ++row) {
            double radial = 0;
            for (int i = 3; i < 7; ++i) {
                radial += C1[row + relation.dim * i] * q1[i];
            }
            CK_NEAR(radial, 0, 1e-14 * (1 + largest(C1, 7 * relation.dim)));
        }
    }
}

TEST(distance_of_coincident_points_has_no_gradient)
{
    const double p[3] = {0.1, 0.2, 0.3}, q1[7] = {0.5, 0, 0, 1, 0, 0, 0};
    const double q2[7] = {0.6, 0.2, 0.3, 1, 0, 0, 0};
    const pcs_relation relation = pcs_relation_distance(p, (double[]){0, 0, 0}, 1);
    double g, C1[7], C2[7];
    CK_OK(pcs_relation_gap(&relation, q1, q2, &g));
    CK_NEAR(g, -1, 1e-15);
    CK_FAILS(pcs_relation_gradient(&relation, 7, q1, 7, q2, C1, C2), PCS_ERR_CALLBACK);
    ck_assert(strstr(pcs_error_text(), "at the same place") &&
              !strstr(pcs_error_text(), "callback"));
}

TEST(linear_relation_is_linear)
{
    for (int n = 1; n <= 7; ++n) {
        double c[7], q[7], g, C[7], expected = 0.25;
        for (int i = 0; i < n; ++i) {
            c[i] = i + 1;
            q[i] = 1.0 / (i + 2);
            expected += c[i] * q[i];
        }
        pcs_relation relation = pcs_relation_linear(n, c, 0.25);
        memset(c, 0, sizeof c); // copied, not kept
        CK_OK(pcs_relation_gap(&relation, q, NULL, &g));
        CK_NEAR(g, expected, 1e-15);
        CK_OK(pcs_relation_gradient(&relation, n, q, 0, NULL, C, NULL));
        for (int i = 0; i < n; ++i) {
            CK_NEAR(C[i], i + 1, 0);
        }
    }
    const double c[8] = {0};
    double g;
    const pcs_relation none[] = {pcs_relation_linear(0, c, 0), pcs_relation_linear(8, c, 0),
                                 pcs_relation_linear(3, NULL, 0)};
    for (int i = 0; i < 3; ++i) {
        CK_FAILS(pcs_relation_gap(&none[i], c, NULL, &g), PCS_ERR_ARG);
    }
}

// a callback that returns the values in its user data
typedef enum misbehave { BEHAVE, FAIL, GIVE_NAN, GIVE_INFINITY, FORGET } misbehave;

static int give(void *user, double *out)
{
    const misbehave how = *(const misbehave *)user;
    if (how == FAIL) return 3;
    if (how != FORGET) out[0] = how == GIVE_NAN ? NAN : how == GIVE_INFINITY ? INFINITY : 1;
    out[1] = 2;
    return 0;
}

static int gap_as_told(void *user, const double *q1, const double *q2, double *g)
{
    return give(user, g);
}

static int gradient_as_told(void *user, const double *q1, const double *q2, double *C1, double *C2)
{
    if (C2) C2[0] = C2[1] = 0;
    return give(user, C1);
}

TEST(callbacks_are_not_trusted)
{
    misbehave how = BEHAVE;
    const pcs_relation relation = {
        .dim = 2, .gap = gap_as_told, .gradient = gradient_as_told, .user = &how};
    const double q = 0;
    double g[2], C1[2], C2[2];
    CK_OK(pcs_relation_gap(&relation, &q, NULL, g));
    CK_OK(pcs_relation_gradient(&relation, 1, &q, 1, &q, C1, C2));
    CK_NEAR(g[1], 2, 0);
    for (how = FAIL; how <= FORGET; ++how) {
        g[0] = C1[0] = 0; // the value that FORGET leaves unwritten
        CK_FAILS(pcs_relation_gap(&relation, &q, NULL, g), PCS_ERR_CALLBACK);
        if (how == FORGET) {
            CK_OK(pcs_relation_gradient(&relation, 1, &q, 1, &q, C1, C2));
            CK_NEAR(C1[0], 0, 0); // gradients are zero at the call
        } else {
            CK_FAILS(pcs_relation_gradient(&relation, 1, &q, 1, &q, C1, C2), PCS_ERR_CALLBACK);
        }
    }

    pcs_relation bad = relation;
    how = BEHAVE;
    bad.gap = NULL;
    CK_FAILS(pcs_relation_gap(&bad, &q, NULL, g), PCS_ERR_ARG);
    bad = relation;
    bad.dim = 0;
    CK_FAILS(pcs_relation_gap(&bad, &q, NULL, g), PCS_ERR_ARG);
    CK_FAILS(pcs_relation_gap(NULL, &q, NULL, g), PCS_ERR_ARG);
    CK_FAILS(pcs_relation_gap(&relation, NULL, NULL, g), PCS_ERR_ARG);
    CK_FAILS(pcs_relation_gradient(&relation, 1, &q, 1, &q, C1, NULL), PCS_ERR_ARG);
    CK_FAILS(pcs_relation_gradient(&relation, 1, &q, 0, NULL, C1, C2), PCS_ERR_ARG);
}

// ---- inertia

// adds the point mass m at x: m (|x|^2 I - x x^T)
static void add_point(double m, const double x[3], double J[9])
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            J[i + 3 * j] += m * ((i == j) * v3_dot(x, x) - x[i] * x[j]);
        }
    }
}

TEST(inertia_by_quadrature)
{
    // two Gauss points per edge are exact for second moments of a box
    const double edges[3] = {0.3, 0.5, 1.1};
    double J[9], sum[9] = {0};
    memcpy(J, pcs_inertia_box(6, edges[0], edges[1], edges[2]).J, sizeof J);
    for (int corner = 0; corner < 8; ++corner) {
        double x[3];
        for (int i = 0; i < 3; ++i) {
            x[i] = (corner >> i & 1 ? 0.5 : -0.5) * edges[i] / sqrt(3);
        }
        add_point(6.0 / 8, x, sum);
    }
    expect_same(J, sum, 9, 1e-15);

    // the six axis points are exact for second moments of a shell; shells weigh 3 s^2 ds, three
    // Gauss points along the radius are exact for s^4
    memset(sum, 0, sizeof sum);
    memcpy(J, pcs_inertia_sphere(6, 0.7).J, sizeof J);
    const double node[3] = {0.5 - sqrt(0.15), 0.5, 0.5 + sqrt(0.15)};
    const double weight[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    for (int k = 0; k < 3; ++k) {
        for (int side = 0; side < 6; ++side) {
            double x[3] = {0};
            x[side % 3] = (side < 3 ? 0.7 : -0.7) * node[k];
            add_point(6 * weight[k] * 3 * node[k] * node[k] / 6, x, sum);
        }
    }
    expect_same(J, sum, 9, 1e-15);
}
