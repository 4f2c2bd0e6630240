// Force systems: resultants, couples, the central axis, power, the equations of motion in body
// components, and the integration of both forms of the state of a body.
#include "support.h"

#include <percuss/kernel.h>

#include "linalg/m3.h"
#include "rotations.h"

#define DRAWS TEST_DRAWS(1000)

enum { FORCES = 7 };

TEST(force_systems)
{
    test_random r = random_seed(7);
    for (int n = 0; n < DRAWS; ++n) {
        double P[3 * FORCES], F[3 * FORCES], C[6], O[3], O2[3], d[3], w[6], w2[6], moved[6];
        random_vector(&r, P, 3 * FORCES);
        random_vector(&r, F, 3 * FORCES);
        random_vector(&r, C, 6);
        random_vector(&r, O, 3);
        random_vector(&r, O2, 3);
        CK_OK(pcs_wrench_of_forces(FORCES, P, F, 2, C, O, w));
        CK_OK(pcs_wrench_of_forces(FORCES, P, F, 2, C, O2, w2));
        v3_sub(O2, O, d);
        pcs_wrench_at(w, d, moved);
        expect_close(moved, w2, 6, 1e-14);

        // the power of the forces on any rigid motion
        double t[6], power;
        random_vector(&r, t, 6); // twist at O
        power = v3_dot(C, t + 3) + v3_dot(C + 3, t + 3);
        for (int k = 0; k < FORCES; ++k) {
            double at[6];
            v3_sub(P + 3 * k, O, d);
            pcs_twist_at(t, d, at);
            power += v3_dot(F + 3 * k, at);
        }
        CK_NEAR(pcs_wrench_power(w, t), power, 1e-12);

        // central axis: there the moment is along the force
        double axis[3], pitch;
        CK_OK(pcs_wrench_axis(w, axis, &pitch));
        pcs_wrench_at(w, axis, moved);
        for (int i = 0; i < 3; ++i) {
            CK_NEAR(moved[3 + i], pitch * w[i], 1e-12 * (1 + fabs(pitch)));
        }
        CK_NEAR(v3_dot(axis, w), 0, 1e-12 * (1 + v3_norm(axis)));

        // a couple is the same about every point
        double couple[3], pair[6] = {0}, back[6], at[6];
        v3_copy(F, pair);
        v3_scale(-1, F, pair + 3);
        pcs_couple_moment(F, P, P + 3, couple);
        CK_OK(pcs_wrench_of_forces(2, P, pair, 0, NULL, O, at));
        CK_OK(pcs_wrench_of_forces(2, P, pair, 0, NULL, O2, back));
        expect_same(at + 3, couple, 3, 1e-13);
        expect_same(back + 3, couple, 3, 1e-13);
        expect_same(at, (double[]){0, 0, 0}, 3, 0);

        // forces on a body
        double q[7], load[6], about_G[6], M[3];
        random_vector(&r, q, 3);
        random_long(&r, q + 3);
        CK_OK(pcs_body_load(q, FORCES, P, F, load));
        CK_OK(pcs_wrench_of_forces(FORCES, P, F, 0, NULL, q, about_G));
        expect_same(load, about_G, 3, 0);
        pcs_pose_vector(q, load + 3, M);
        expect_close(M, about_G + 3, 3, 1e-14);
    }
}

TEST(bad_forces_are_refused)
{
    const double P[6] = {0}, F[6] = {0, 0, 0, NAN, 0, 0}, O[3] = {0}, zero[7] = {0};
    const double lever[6] = {0, 0, 0, 1, 2, 3};
    double w[6] = {1, 2, 3, 4, 5, 6}, x[3], pitch;
    CK_SAYS(pcs_wrench_of_forces(2, P, F, 0, NULL, O, w), PCS_ERR_ARG, "number 1 of the forces");
    CK_FAILS(pcs_wrench_of_forces(-1, P, F, 0, NULL, O, w), PCS_ERR_ARG);
    CK_FAILS(pcs_wrench_of_forces(1, NULL, F, 0, NULL, O, w), PCS_ERR_ARG);
    CK_FAILS(pcs_wrench_of_forces(0, NULL, NULL, 1, NULL, O, w), PCS_ERR_ARG);
    expect_same(w, (double[]){1, 2, 3, 4, 5, 6}, 6, 0);
    CK_OK(pcs_wrench_of_forces(0, NULL, NULL, 0, NULL, O, w));
    expect_same(w, zero, 6, 0);
    CK_FAILS(pcs_wrench_axis(lever, x, &pitch), PCS_ERR_SINGULAR);
    CK_FAILS(pcs_wrench_axis(F, x, &pitch), PCS_ERR_ARG);
    CK_FAILS(pcs_body_load(zero, 0, NULL, NULL, w), PCS_ERR_ARG);
}

TEST(equations_of_motion_balance_power)
{
    test_random r = random_seed(8);
    for (int n = 0; n < DRAWS; ++n) {
        double A[9], J[9], nu[6], wrench[6], nudot[6], Jw[3], Jdw[3];
        random_vector(&r, A, 9);
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                J[i + 3 * j] = (i == j) + A[i] * A[j] + A[i + 3] * A[j + 3] + A[i + 6] * A[j + 6];
            }
        }
        const double m = random_between(&r, 0.1, 10);
        random_vector(&r, nu, 6);
        random_vector(&r, wrench, 6);
        CK_OK(pcs_newton_euler(m, J, nu, wrench, nudot));
        m3_mul(J, nu + 3, Jw);
        m3_mul(J, nudot + 3, Jdw);
        const double rate = m * v3_dot(nu, nudot) + v3_dot(nu + 3, Jdw);
        CK_NEAR(rate, pcs_wrench_power(wrench, nu), 1e-12);

        // momenta in inertial components change by force and moment
        double turn[3];
        v3_cross(nu + 3, Jw, turn);
        for (int i = 0; i < 3; ++i) {
            CK_NEAR(Jdw[i] + turn[i], wrench[3 + i], 1e-12);
        }
        v3_cross(nu + 3, nu, turn);
        for (int i = 0; i < 3; ++i) {
            CK_NEAR(m * (nudot[i] + turn[i]), wrench[i], 1e-13);
        }
    }
    const double J[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, rod[9] = {1, 0, 0, 0, 1, 0, 0, 0, 0};
    const double zero[6] = {0}, bad[6] = {NAN};
    double out[6];
    CK_FAILS(pcs_newton_euler(0, J, zero, zero, out), PCS_ERR_ARG);
    CK_FAILS(pcs_newton_euler(NAN, J, zero, zero, out), PCS_ERR_ARG);
    CK_FAILS(pcs_newton_euler(1, J, bad, zero, out), PCS_ERR_ARG);
    CK_FAILS(pcs_newton_euler(1, rod, zero, zero, out), PCS_ERR_SINGULAR);
}

// ---- integration

typedef struct spinner {
    double m, J[9], load[6];
    bool angles;
} spinner;

// x = (q or eta, nu); as a right-hand side of an integrator, non-zero is a failure
static int motion(const spinner *b, const double *x, double *dxdt)
{
    const double *nu = x + (b->angles ? 6 : 7);
    if (b->angles) {
        if (pcs_euler_rate(x, nu, dxdt)) return 1;
    } else {
        pcs_pose_rate(x, nu, dxdt);
    }
    return pcs_newton_euler(b->m, b->J, nu, b->load, dxdt + (b->angles ? 6 : 7)) != PCS_OK;
}

// the classical Runge-Kutta method; false where the right-hand side fails
static bool integrate(const spinner *b, int steps, double h, double *x)
{
    const int n = b->angles ? 12 : 13;
    double k[4][13], y[13];
    const double to[4] = {0, 0.5, 0.5, 1}, share[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    for (int s = 0; s < steps; ++s) {
        for (int i = 0; i < 4; ++i) {
            for (int c = 0; c < n; ++c) {
                y[c] = x[c] + (i ? h * to[i] * k[i - 1][c] : 0);
            }
            if (motion(b, y, k[i])) return false;
        }
        for (int i = 0; i < 4; ++i) {
            for (int c = 0; c < n; ++c) {
                x[c] += h * share[i] * k[i][c];
            }
        }
    }
    return true;
}

TEST(both_states_integrate_to_the_same_motion)
{
    test_random r = random_seed(9);
    for (int n = 0; n < TEST_DRAWS(20); ++n) {
        spinner b = {.m = 1.5, .J = {1, 0, 0, 0, 2, 0, 0, 0, 2.5}};
        double eta[12], q[13], back[6];
        random_vector(&r, eta, 12);
        eta[4] = random_between(&r, -0.5, 0.5);
        random_vector(&r, b.load, 6);
        pcs_euler_to_pose(eta, q);
        memcpy(q + 7, eta + 6, 6 * sizeof *q);
        b.angles = true;
        if (!integrate(&b, 200, 1e-3, eta)) continue;
        b.angles = false;
        ck_assert(integrate(&b, 200, 1e-3, q));
        if (cos(eta[4]) < 0.1) continue;
        pcs_euler_from_pose(q, back);
        for (int i = 3; i < 6; ++i) {
            eta[i] = remainder(eta[i] - back[i], 2 * PI) + back[i];
        }
        expect_same(back, eta, 6, 1e-7); // the angles are stiff near lock
        expect_same(q + 7, eta + 6, 6, 1e-10);
    }

    // steady pitching up: the angles end at gimbal lock, with an error sentence; the quaternion
    // passes through
    spinner b = {.m = 1, .J = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .angles = true};
    double eta[12] = {0}, q[13] = {0, 0, 0, 1};
    eta[10] = q[11] = PI / 2;
    ck_assert(!integrate(&b, 1, 1, (double[12]){[4] = PI / 2, [10] = 1}));
    ck_assert(strstr(pcs_error_text(), "gimbal"));
    ck_assert(!integrate(&b, 100, 0.02, eta)); // a step ends at pi/2
    b.angles = false;
    ck_assert(integrate(&b, 100, 0.02, q));
    double roll, pitch, yaw;
    pcs_quat_to_zyx(q + 3, &roll, &pitch, &yaw);
    CK_NEAR(pitch, 0, 1e-8); // half a turn about y: roll and yaw of pi
    CK_NEAR(fabs(roll), PI, 1e-15);
}
