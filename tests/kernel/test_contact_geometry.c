// Frame, gradients and velocity operators of a contact: derivatives against complex steps, for
// quaternions of length 0.3 to 3, and the identities between them.
#include "rotations.h"

#include <percuss/features.h>
#include <percuss/kinematics.h>

#include "complex_step.h"
#include "linalg/m3.h"

#define DRAWS TEST_DRAWS(4000)

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

        // the gap does not change along Q
        expect_not_radial(3, D, q + 3, tol);
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

// two bodies with twists v, two vectors and a contact frame
static void random_contact(test_random *r, double q1[7], double q2[7], double v[12], double a[3],
                           double b[3], double F[9])
{
    double N[3];
    random_pose(r, q1);
    random_pose(r, q2);
    random_vector(r, v, 12);
    random_vector(r, a, 3);
    random_vector(r, b, 3);
    random_direction(r, N);
    pcs_contact_frame(N, F);
}

TEST(CT_is_the_velocity_of_the_points)
{
    test_random r = random_seed(14);
    for (int n = 0; n < DRAWS; ++n) {
        double q1[7], q2[7], v[12], P1[3], P2[3], F[9], CT[36], velocity[3], u[3];
        random_contact(&r, q1, q2, v, P1, P2, F);
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
        double q1[7], q2[7], v[12], P[3], F[9], CT[36], imp[3], force[3], w[12];
        random_contact(&r, q1, q2, v, P, imp, F);
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
