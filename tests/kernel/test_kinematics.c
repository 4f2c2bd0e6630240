// Angular velocity and acceleration by every function, on random smooth motions whose derivatives
// are known to rounding; Euler angles and quaternions against each other.
#include "support.h"

#include <percuss/kernel.h>

#include "complex_step.h"
#include "jets.h"
#include "linalg/m3.h"

#define DRAWS TEST_DRAWS(1000)

static const int zyx[3] = {2, 1, 0}, zyz[3] = {2, 1, 2};

// a random motion in angles whose middle one stays away from its singularity
static void random_motion(test_random *r, const int axes[3], jet angles[3])
{
    for (int i = 0; i < 3; ++i) {
        angles[i] = jet_random(r);
    }
    angles[1].f = axes == zyx ? random_between(r, -1.4, 1.4) : random_between(r, 0.2, 2.9);
}

// omega_A and its derivative, as the image of omega_B in body components
static void to_inertial(const jet J[9], const double w[3], double y[3])
{
    double R[9];
    jet_take(J, 9, 0, R);
    m3_mul(R, w, y);
}

TEST(omega_of_a_moving_matrix)
{
    test_random r = random_seed(1);
    for (int n = 0; n < DRAWS; ++n) {
        jet angles[3], J[9];
        double R[9], Rdot[9], w[3], dw[3], A[3], B[3], wA[3], back[9];
        random_motion(&r, zyx, angles);
        jet_rotation(zyx, angles, J);
        jet_omega(J, w, dw);
        jet_take(J, 9, 0, R);
        jet_take(J, 9, 1, Rdot);
        to_inertial(J, w, wA);
        pcs_matrix_omega(R, Rdot, A, B);
        expect_close(B, w, 3, 1e-14);
        expect_close(A, wA, 3, 1e-14);
        pcs_matrix_omega(R, Rdot, NULL, B);
        pcs_matrix_omega(R, Rdot, A, NULL);
        pcs_matrix_rate(R, w, back);
        expect_close(back, Rdot, 9, 1e-14);

        // omega_A by its definition: dR/dt = [omega_A]x R
        double S[9];
        m3_skew(A, S);
        m3_mul_m3(S, R, back);
        expect_close(back, Rdot, 9, 1e-14);
    }
}

TEST(omega_of_a_moving_axis)
{
    test_random r = random_seed(2);
    for (int n = 0; n < DRAWS; ++n) {
        // an axis on the sphere by two angles, the rotation by Rodrigues' formula on jets
        jet a[3], k[3], S[9], S2[9], J[9];
        for (int i = 0; i < 3; ++i) {
            a[i] = jet_random(&r);
        }
        k[0] = jet_mul(jet_cos(a[0]), jet_cos(a[1]));
        k[1] = jet_mul(jet_sin(a[0]), jet_cos(a[1]));
        k[2] = jet_sin(a[1]);
        const jet s = jet_sin(a[2]), c = jet_cos(a[2]), zero = {0, 0, 0};
        const jet cross[9] = {zero,
                              k[2],
                              jet_scale(-1, k[1]),
                              jet_scale(-1, k[2]),
                              zero,
                              k[0],
                              k[1],
                              jet_scale(-1, k[0]),
                              zero};
        memcpy(S, cross, sizeof S);
        jet_matrix_mul(S, S, S2);
        for (int i = 0; i < 9; ++i) {
            const jet one = {i % 4 == 0, 0, 0}, v = {1 - c.f, -c.d, -c.dd};
            J[i] = jet_add(jet_add(one, 1, jet_mul(s, S[i])), 1, jet_mul(v, S2[i]));
        }
        double w[3], dw[3], wA[3], axis[3], rate[3], A[3], B[3];
        jet_omega(J, w, dw);
        to_inertial(J, w, wA);

        // any length of the axis, constant or not, gives the same motion
        const double length = random_between(&r, 0.1, 10), stretch = random_normal(&r);
        jet_take(k, 3, 0, axis);
        jet_take(k, 3, 1, rate);
        for (int i = 0; i < 3; ++i) {
            rate[i] = length * rate[i] + stretch * axis[i];
            axis[i] *= length;
        }
        CK_OK(pcs_axis_angle_omega(axis, a[2].f, rate, a[2].d, A, B));
        expect_close(A, wA, 3, 2e-14);
        expect_close(B, w, 3, 2e-14);

        // the inverse
        double angle_rate;
        CK_OK(pcs_axis_angle_rates(axis, a[2].f, wA, rate, &angle_rate));
        CK_NEAR(angle_rate, a[2].d, 1e-14 * (1 + fabs(a[2].d)));
        for (int i = 0; i < 3; ++i) {
            CK_NEAR(rate[i], k[i].d, 1e-14 * (1 + v3_norm(wA)) / fabs(sin(a[2].f / 2)));
        }
    }
    double out[3], rate;
    const double z[3] = {0, 0, 1}, zero[3] = {0}, bad[3] = {0, NAN, 0};
    CK_FAILS(pcs_axis_angle_omega(zero, 1, z, 1, out, NULL), PCS_ERR_ARG);
    CK_FAILS(pcs_axis_angle_omega(z, 1, bad, 1, out, NULL), PCS_ERR_ARG);
    CK_FAILS(pcs_axis_angle_omega(z, NAN, z, 1, out, NULL), PCS_ERR_ARG);
    CK_FAILS(pcs_axis_angle_rates(z, 0, z, out, &rate), PCS_ERR_SINGULAR);
    CK_FAILS(pcs_axis_angle_rates(z, 2 * PI, z, out, &rate), PCS_ERR_SINGULAR);
    CK_FAILS(pcs_axis_angle_rates(zero, 1, z, out, &rate), PCS_ERR_ARG);
    CK_OK(pcs_axis_angle_rates(z, PI, z, out, &rate));
}

TEST(omega_of_a_moving_rotation_vector)
{
    test_random r = random_seed(3);
    for (int n = 0; n < DRAWS; ++n) {
        double w[3], wdot[3], A[3], B[3], axis[3], rate[3], A2[3], B2[3], back[3], R[9], rotated[3];
        random_vector(&r, w, 3);
        random_vector(&r, wdot, 3);
        v3_unit(w, axis);
        const double lengths[] =
            {random_between(&r, 0.01, 6), 2 - 1e-9, 2 + 1e-9, PI, 1e-9, 1e-200},
                     a = lengths[n % 6];
        v3_scale(a, axis, w);
        pcs_rotation_vector_omega(w, wdot, A, B);

        // w = a k: the angle and the axis change
        const double arate = v3_dot(axis, wdot);
        for (int i = 0; i < 3; ++i) {
            rate[i] = (wdot[i] - arate * axis[i]) / a;
        }
        CK_OK(pcs_axis_angle_omega(axis, a, rate, arate, A2, B2));
        const double tol = 1e-14;
        expect_close(A, A2, 3, tol);
        expect_close(B, B2, 3, tol);
        pcs_matrix_exp(w, R);
        m3_mul(R, B, rotated);
        expect_close(A, rotated, 3, tol);
        CK_OK(pcs_rotation_vector_rate(w, A, back));
        expect_close(back, wdot, 3, 1e-14 / fmin(1, fabs(sin(a / 2) / (a / 2))));
    }

    const double zero[3] = {0}, x[3] = {1, 2, 3}, turn[3] = {0, 0, 2 * PI}, bad[3] = {NAN, 0, 0};
    double A[3], B[3];
    pcs_rotation_vector_omega(zero, x, A, B);
    expect_same(A, x, 3, 0);
    expect_same(B, x, 3, 0);
    CK_OK(pcs_rotation_vector_rate(zero, x, A));
    expect_same(A, x, 3, 0);
    CK_FAILS(pcs_rotation_vector_rate(turn, x, A), PCS_ERR_SINGULAR);
    CK_FAILS(pcs_rotation_vector_rate(bad, x, A), PCS_ERR_ARG);
}

TEST(angular_velocities_of_carried_frames_add)
{
    test_random r = random_seed(4);
    for (int n = 0; n < DRAWS; ++n) {
        jet a[3], b[3], A[9], B[9], AB[9];
        double wa[3], wb[3], w[3], dw[3], RB[9], sum[3];
        random_motion(&r, zyx, a);
        random_motion(&r, zyz, b);
        jet_rotation(zyx, a, A);
        jet_rotation(zyz, b, B);
        jet_matrix_mul(A, B, AB);
        jet_omega(A, wa, dw);
        jet_omega(B, wb, dw);
        jet_omega(AB, w, dw);
        jet_take(B, 9, 0, RB);
        m3_mul_t(RB, wa, sum);
        v3_along(sum, 1, wb, sum);
        expect_close(sum, w, 3, 2e-14);
    }
}

// ---- Euler angles

// angles in the order of the library: (roll, pitch, yaw), (psi, theta, phi)
static void in_order(const int axes[3], const double a[3], double out[3])
{
    for (int i = 0; i < 3; ++i) {
        out[i] = axes == zyx ? a[2 - i] : a[i];
    }
}

TEST(angle_rates_and_angular_velocity)
{
    test_random r = random_seed(5);
    for (int n = 0; n < DRAWS; ++n) {
        for (int k = 0; k < 2; ++k) {
            const int *axes = k ? zyz : zyx;
            jet angles[3], J[9];
            double a[3], rates[3], second[3], raw[3], w[2][3], dw[2][3];
            random_motion(&r, axes, angles);
            jet_rotation(axes, angles, J);
            jet_omega(J, w[0], dw[0]);
            to_inertial(J, w[0], w[1]);
            to_inertial(J, dw[0], dw[1]); // the derivative of omega is one vector in both
            jet_take(angles, 3, 0, raw);
            in_order(axes, raw, a);
            jet_take(angles, 3, 1, raw);
            in_order(axes, raw, rates);
            jet_take(angles, 3, 2, raw);
            in_order(axes, raw, second);

            for (int c = 0; c < 2; ++c) {
                double W[9], Wdot[9], E[9], Edot[9], y[3], z[3];
                const pcs_axes in = (pcs_axes)c;
                if (k) {
                    pcs_zyz_W(a, in, W);
                    pcs_zyz_W_rate(a, rates, in, Wdot);
                    CK_OK(pcs_zyz_E(a, in, E));
                    CK_OK(pcs_zyz_E_rate(a, rates, in, Edot));
                } else {
                    pcs_zyx_W(a, in, W);
                    pcs_zyx_W_rate(a, rates, in, Wdot);
                    CK_OK(pcs_zyx_E(a, in, E));
                    CK_OK(pcs_zyx_E_rate(a, rates, in, Edot));
                }
                // omega = W rates, domega/dt = W second + Wdot rates
                m3_mul(W, rates, y);
                expect_close(y, w[c], 3, 1e-14);
                m3_mul(W, second, y);
                m3_mul(Wdot, rates, z);
                v3_along(y, 1, z, y);
                expect_close(y, dw[c], 3, 4e-14);

                // rates = E omega, second = E domega/dt + Edot omega
                m3_mul(E, w[c], y);
                expect_close(y, rates, 3, 4e-14);
                m3_mul(E, dw[c], y);
                m3_mul(Edot, w[c], z);
                v3_along(y, 1, z, y);
                expect_close(y, second, 3, 1e-11);
                CK_NEAR(m3_det(W), k ? -sin(a[1]) : cos(a[1]), 1e-15);
            }
        }
    }
}

TEST(the_matrices_of_the_theory)
{
    test_random r = random_seed(6);
    for (int n = 0; n < DRAWS; ++n) {
        const double f = random_normal(&r), t = random_between(&r, -1.5, 1.5),
                     p = random_normal(&r);
        const double a[3] = {f, t, p};
        double E[9], W[9], rates[3], w[3];
        const double expected[9] = {1,
                                    0,
                                    0,
                                    sin(f) * tan(t),
                                    cos(f),
                                    sin(f) / cos(t),
                                    cos(f) * tan(t),
                                    -sin(f),
                                    cos(f) / cos(t)};
        CK_OK(pcs_zyx_E(a, PCS_AXES_BODY, E));
        expect_close(E, expected, 9, 1e-15);
        random_vector(&r, rates, 3);
        pcs_zyx_W(a, PCS_AXES_INERTIAL, W);
        m3_mul(W, rates, w);
        CK_NEAR(w[0], -sin(p) * rates[1] + cos(p) * cos(t) * rates[0], 1e-14);
        CK_NEAR(w[1], cos(p) * rates[1] + sin(p) * cos(t) * rates[0], 1e-14);
        CK_NEAR(w[2], rates[2] - sin(t) * rates[0], 1e-14);
    }
}

TEST(gimbal_lock_is_refused)
{
    const double rates[3] = {1, 1, 1};
    double M[36], out[6] = {5, 5, 5, 5, 5, 5};
    for (int k = 0; k < 8; ++k) {
        // both ends of both ranges, exactly and almost
        const double off = k / 2 % 2 ? 5e-9 : 0, sign = k % 2 ? 1 : -1;
        const double locked[3] = {0.1, k < 4 ? sign * (PI / 2 - off) : (k % 2) * PI + off, 0.2};
        const double eta[6] = {0, 0, 0, locked[0], locked[1], locked[2]},
                     nu[6] = {1, 2, 3, 4, 5, 6};
        for (int c = 0; c < 2; ++c) {
            const pcs_axes in = (pcs_axes)c;
            if (k < 4) {
                CK_FAILS(pcs_zyx_E(locked, in, M), PCS_ERR_SINGULAR);
                CK_FAILS(pcs_zyx_E_rate(locked, rates, in, M), PCS_ERR_SINGULAR);
            } else {
                CK_FAILS(pcs_zyz_E(locked, in, M), PCS_ERR_SINGULAR);
                CK_FAILS(pcs_zyz_E_rate(locked, rates, in, M), PCS_ERR_SINGULAR);
            }
        }
        if (k >= 4) continue;
        CK_FAILS(pcs_euler_jacobian(eta, M), PCS_ERR_SINGULAR);
        CK_SAYS(pcs_euler_rate(eta, nu, out), PCS_ERR_SINGULAR, "gimbal");
        CK_FAILS(pcs_euler_second_rate(eta, nu, nu, out), PCS_ERR_SINGULAR);
        expect_same(out, (double[]){5, 5, 5, 5, 5, 5}, 6, 0);
        double w[6];
        CK_OK(pcs_euler_velocity(eta, nu, w)); // angles to velocities always go
        CK_OK(pcs_euler_acceleration(eta, nu, nu, w));
    }

    // just outside, E is right to rounding of the angle
    const double close[3] = {0.4, PI / 2 - 3e-8, 0.2};
    double W[9], E[9], WE[9];
    CK_OK(pcs_zyx_E(close, PCS_AXES_BODY, E));
    pcs_zyx_W(close, PCS_AXES_BODY, W);
    m3_mul_m3(W, E, WE);
    for (int i = 0; i < 9; ++i) {
        CK_NEAR(WE[i], i % 4 == 0, 1e-15 / 3e-8);
    }

    const double bad[6] = {0, 0, 0, 0, NAN, 0}, fine[6] = {0};
    CK_FAILS(pcs_zyx_E(bad + 3, PCS_AXES_BODY, E), PCS_ERR_ARG);
    CK_FAILS(pcs_zyz_E(bad + 3, PCS_AXES_BODY, E), PCS_ERR_ARG);
    CK_FAILS(pcs_zyx_E_rate(fine, bad + 3, PCS_AXES_BODY, E), PCS_ERR_ARG);
    CK_FAILS(pcs_euler_rate(bad, fine, out), PCS_ERR_ARG);
    CK_FAILS(pcs_euler_rate(fine, bad, out), PCS_ERR_ARG);
    CK_FAILS(pcs_euler_second_rate(fine, fine, bad, out), PCS_ERR_ARG);
    CK_FAILS(pcs_euler_acceleration(fine, fine, bad, out), PCS_ERR_ARG);
}

// ---- both formalisms

TEST(second_derivatives_agree_in_both_formalisms)
{
    test_random r = random_seed(7);
    for (int n = 0; n < DRAWS; ++n) {
        // the same motion with angles, with a quaternion of any length, and with one that changes
        jet angles[3], x[3], Q[4], constant[4], J[9];
        random_motion(&r, zyx, angles);
        for (int i = 0; i < 3; ++i) {
            x[i] = jet_random(&r);
        }
        const jet fixed = {random_between(&r, 0.3, 3), 0, 0},
                  changing = {fixed.f, random_normal(&r), random_normal(&r)};
        jet_quaternion(zyx, angles, changing, Q);
        jet_quaternion(zyx, angles, fixed, constant);
        jet_rotation(zyx, angles, J);

        double eta[3][6], q[3][7], unit[3][7];
        for (int order = 0; order < 3; ++order) {
            double raw[3];
            jet_take(x, 3, order, eta[order]);
            jet_take(x, 3, order, q[order]);
            jet_take(x, 3, order, unit[order]);
            jet_take(angles, 3, order, raw);
            in_order(zyx, raw, eta[order] + 3);
            jet_take(Q, 4, order, q[order] + 3);
            jet_take(constant, 4, order, unit[order] + 3);
        }
        double w[3], dw[3], nu[6], nudot[6], by_q[6], by_qdot[6];
        jet_omega(J, w, dw);

        // inverse: velocities and their derivatives
        CK_OK(pcs_euler_velocity(eta[0], eta[1], nu));
        CK_OK(pcs_euler_acceleration(eta[0], eta[1], eta[2], nudot));
        pcs_pose_velocity(q[0], q[1], by_q);
        pcs_pose_acceleration(q[0], q[1], q[2], by_qdot);
        expect_close(nu + 3, w, 3, 1e-14);
        expect_close(nudot + 3, dw, 3, 4e-14);
        expect_close(by_q, nu, 6, 4e-14);
        expect_close(by_qdot, nudot, 6, 4e-13);
        pcs_quat_omega_rate(q[0] + 3, q[1] + 3, q[2] + 3, w);
        expect_same(w, by_qdot + 3, 3, 0);

        // direct: rates and second derivatives
        double etadot[6], etaddot[6], qdot[7], qddot[7], J6[36];
        CK_OK(pcs_euler_rate(eta[0], nu, etadot));
        CK_OK(pcs_euler_second_rate(eta[0], nu, nudot, etaddot));
        expect_close(etadot, eta[1], 6, 4e-14);
        expect_close(etaddot, eta[2], 6, 1e-11);
        pcs_pose_rate(unit[0], nu, qdot);
        pcs_pose_second_rate(unit[0], nu, nudot, qddot);
        expect_close(qdot, unit[1], 7, 2e-14);
        expect_close(qddot, unit[2], 7, 2e-13);
        CK_OK(pcs_euler_jacobian(eta[0], J6));
        for (int i = 0; i < 6; ++i) {
            double sum = 0;
            for (int j = 0; j < 6; ++j) {
                sum += J6[i + 6 * j] * nu[j];
            }
            CK_NEAR(sum, etadot[i], 1e-13 * (1 + fabs(etadot[i])));
        }

        // Q . d2Q/dt2 = -|omega|^2 |Q|^2 / 4 for constant length
        double along = 0;
        for (int i = 0; i < 4; ++i) {
            along += unit[0][3 + i] * qddot[3 + i];
        }
        const double expected = -0.25 * v3_dot(nu + 3, nu + 3) * fixed.f * fixed.f;
        CK_NEAR(along, expected, 1e-13 * (1 + fabs(expected)));
    }
}

// d2x/dt2 by the three products of the slides, the quaternion not necessarily a unit one
TEST(acceleration_by_the_three_quaternion_products)
{
    test_random r = random_seed(8);
    for (int n = 0; n < DRAWS; ++n) {
        double q[7] = {0}, nu[6], nudot[6], qdot[7], qddot[7], sum[4] = {0};
        random_quaternion(&r, q + 3);
        random_vector(&r, nu, 6);
        random_vector(&r, nudot, 6);
        pcs_pose_rate(q, nu, qdot);
        pcs_pose_second_rate(q, nu, nudot, qddot);
        const double V[4] = {0, nu[0], nu[1], nu[2]}, dV[4] = {0, nudot[0], nudot[1], nudot[2]};
        const double *const left[3] = {q + 3, qdot + 3, q + 3}, *const middle[3] = {dV, V, V},
                            *const right[3] = {q + 3, q + 3, qdot + 3};
        for (int k = 0; k < 3; ++k) {
            double conj[4], a[4], b[4];
            pcs_quat_conj(right[k], conj);
            pcs_quat_mul(left[k], middle[k], a);
            pcs_quat_mul(a, conj, b);
            for (int i = 0; i < 4; ++i) {
                sum[i] += b[i];
            }
        }
        expect_close(sum + 1, qddot, 3, 1e-14);
        CK_NEAR(sum[0], 0, 1e-13);
    }
}

TEST(omega_by_complex_step_of_the_exponential)
{
    // Q(t) = Q0 exp(t w) has omega = w; its derivative by a step of 1e-200 i in Q's formula
    test_random r = random_seed(9);
    for (int n = 0; n < DRAWS; ++n) {
        double Q[4], w[3], Qdot[4], back[3];
        random_long(&r, Q);
        random_vector(&r, w, 3);
        const cplx Z[4] = {Q[0], Q[1], Q[2], Q[3]};
        const cplx E[4] = {1, 0.5 * I * STEP * w[0], 0.5 * I * STEP * w[1], 0.5 * I * STEP * w[2]};
        cplx P[4];
        z_mul(Z, E, P);
        pcs_quat_rate(Q, w, Qdot);
        for (int i = 0; i < 4; ++i) {
            CK_NEAR(cimag(P[i]) / STEP, Qdot[i], 1e-14);
        }

        // quaternions of any length, and without the component along Q
        const double scale = pow(10, random_between(&r, -290, 290));
        for (int i = 0; i < 4; ++i) {
            Qdot[i] = scale * (Qdot[i] + 0.3 * Q[i]);
            Q[i] *= scale;
        }
        pcs_quat_omega(Q, Qdot, back);
        expect_close(back, w, 3, 1e-14);
    }
}

TEST(poses_and_angles_there_and_back)
{
    test_random r = random_seed(10);
    for (int n = 0; n < DRAWS; ++n) {
        double eta[6], q[7], back[6];
        random_vector(&r, eta, 6);
        eta[4] = random_between(&r, -1.5, 1.5);
        for (int i = 3; i < 6; i += 2) {
            eta[i] = random_between(&r, -PI, PI);
        }
        pcs_euler_to_pose(eta, q);
        for (int i = 3; i < 7; ++i) {
            q[i] *= 3;
        }
        pcs_euler_from_pose(q, back);
        expect_same(back, eta, 6, 2e-14);
    }
}
