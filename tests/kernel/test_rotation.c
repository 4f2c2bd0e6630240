// Rotations: every conversion and its inverse, homogeneity, the algebra, T(q), and the advance.
#include "support.h"

#include <float.h>

#include <percuss/kinematics.h>

#include "complex_step.h"
#include "linalg/m3.h"
#include "rotations.h"

#define DRAWS TEST_DRAWS(4000)

// R = cos I + sin [k]x + (1 - cos) k k^T
static void rodrigues(const double k[3], double angle, double R[9])
{
    double S[9];
    m3_skew(k, S);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            R[i + 3 * j] =
                (i == j) * cos(angle) + sin(angle) * S[i + 3 * j] + (1 - cos(angle)) * k[i] * k[j];
        }
    }
}

static void about(int axis, double angle, double R[9])
{
    double k[3] = {0};
    k[axis] = 1;
    rodrigues(k, angle, R);
}

// R = R_i(a) R_j(b) R_k(c), rotations about axes of the frame
static void about_three(int i, double a, int j, double b, int k, double c, double R[9])
{
    double Ri[9], Rj[9], Rk[9], RiRj[9];
    about(i, a, Ri);
    about(j, b, Rj);
    about(k, c, Rk);
    m3_mul_m3(Ri, Rj, RiRj);
    m3_mul_m3(RiRj, Rk, R);
}

// ---- algebra

TEST(products_are_compositions)
{
    // i j = k fixes the handedness; norms and the homomorphism do not
    const double i[4] = {0, 1, 0, 0}, j[4] = {0, 0, 1, 0}, k[4] = {0, 0, 0, 1};
    double ij[4];
    pcs_quat_mul(i, j, ij);
    expect_same(ij, k, 4, 0);

    test_random r = random_seed(1);
    for (int n = 0; n < DRAWS; ++n) {
        double A[4], B[4], AB[4], RA[9], RB[9], RAB[9], product[9];
        random_long(&r, A);
        random_long(&r, B);
        pcs_quat_mul(A, B, AB);
        pcs_quat_to_matrix(A, RA);
        pcs_quat_to_matrix(B, RB);
        pcs_quat_to_matrix(AB, RAB);
        m3_mul_m3(RA, RB, product);
        expect_same(RAB, product, 9, 4e-15);
        CK_NEAR(pcs_quat_norm(AB), pcs_quat_norm(A) * pcs_quat_norm(B), 1e-14);
    }
}

TEST(conjugate_is_the_inverse_rotation)
{
    test_random r = random_seed(2);
    for (int n = 0; n < DRAWS; ++n) {
        double Q[4], C[4], QC[4], R[9], RC[9];
        random_long(&r, Q);
        pcs_quat_conj(Q, C);
        pcs_quat_mul(Q, C, QC);
        const double square = pcs_quat_norm(Q) * pcs_quat_norm(Q);
        expect_same(QC, (double[]){square, 0, 0, 0}, 4, 1e-14);
        pcs_quat_to_matrix(Q, R);
        pcs_quat_to_matrix(C, RC);
        for (int i = 0; i < 9; ++i) {
            CK_NEAR(R[i], RC[3 * (i % 3) + i / 3], 1e-15);
        }
        pcs_quat_conj(Q, Q);
        expect_same(Q, C, 4, 0);
    }
}

TEST(matrix_is_a_rotation_by_the_definition)
{
    test_random r = random_seed(3);
    for (int n = 0; n < DRAWS; ++n) {
        double Q[4], R[9], x[3], y[3], Rx[3];
        random_long(&r, Q);
        random_vector(&r, x, 3);
        pcs_quat_to_matrix(Q, R);
        pcs_quat_rotate(Q, x, y);
        m3_mul(R, x, Rx);
        expect_same(y, Rx, 3, 1e-14);

        const cplx Z[4] = {Q[0], Q[1], Q[2], Q[3]};
        cplx z[3];
        z_rotate(Z, x, false, z);
        for (int i = 0; i < 3; ++i) {
            CK_NEAR(y[i], creal(z[i]), 1e-14);
            for (int j = 0; j < 3; ++j) {
                CK_NEAR(v3_dot(R + 3 * i, R + 3 * j), i == j ? 1 : 0, 2e-15);
            }
        }
        CK_NEAR(m3_det(R), 1, 3e-15);
    }
}

TEST(left_matrix_identities)
{
    test_random r = random_seed(4);
    for (int n = 0; n < DRAWS; ++n) {
        double Q[4], L[12], w[3], product[4];
        random_long(&r, Q);
        random_vector(&r, w, 3);
        pcs_quat_left(Q, L);
        pcs_quat_mul(Q, (double[]){0, w[0], w[1], w[2]}, product);
        const double square = Q[0] * Q[0] + Q[1] * Q[1] + Q[2] * Q[2] + Q[3] * Q[3];
        for (int i = 0; i < 4; ++i) {
            CK_NEAR(L[i] * w[0] + L[i + 4] * w[1] + L[i + 8] * w[2], product[i], 1e-14);
            for (int j = 0; j < 4; ++j) {
                double LLt = 0;
                for (int k = 0; k < 3; ++k) {
                    LLt += L[i + 4 * k] * L[j + 4 * k];
                }
                CK_NEAR(LLt, (i == j) * square - Q[i] * Q[j], 1e-14);
            }
        }
        for (int j = 0; j < 3; ++j) {
            double LtQ = 0;
            for (int i = 0; i < 4; ++i) {
                LtQ += L[i + 4 * j] * Q[i];
            }
            CK_NEAR(LtQ, 0, 1e-15);
            for (int k = 0; k < 3; ++k) {
                double LtL = 0;
                for (int i = 0; i < 4; ++i) {
                    LtL += L[i + 4 * j] * L[i + 4 * k];
                }
                CK_NEAR(LtL, (j == k) * square, 1e-14);
            }
        }
    }
}

TEST(normalise_keeps_direction_and_refuses_nothing_else)
{
    test_random r = random_seed(5);
    for (int n = 0; n < DRAWS; ++n) {
        double Q[4], U[4];
        random_quaternion(&r, Q);
        const double scale = pow(10, random_between(&r, -300, 300));
        for (int i = 0; i < 4; ++i) {
            U[i] = scale * Q[i];
        }
        CK_NEAR(pcs_quat_norm(U) / scale, 1, 1e-15);
        CK_OK(pcs_quat_normalise(U));
        expect_same(U, Q, 4, 4e-16);
    }
    double tiny[4] = {0, 5e-324, 0, 0}, most[4] = {DBL_MAX, DBL_MAX, 0, 0};
    CK_OK(pcs_quat_normalise(tiny));
    CK_NEAR(tiny[1], 1, 0);
    CK_OK(pcs_quat_normalise(most));
    CK_NEAR(most[1], sqrt(0.5), 2e-16);

    double bad[][4] = {{0, 0, 0, 0}, {1, NAN, 0, 0}, {0, 0, INFINITY, 0}};
    for (int i = 0; i < 3; ++i) {
        double before[4];
        memcpy(before, bad[i], sizeof before);
        CK_FAILS(pcs_quat_normalise(bad[i]), PCS_ERR_ARG);
        ck_assert(memcmp(before, bad[i], sizeof before) == 0);
    }
}

// all maps of Q, for lengths whose squares leave the range of a double
TEST(any_length_is_the_same_rotation)
{
    const double scales[] = {1e-320, 1e-300, 1e-200, 1e-150, 1e-100, 0.3,
                             -1,     3,      1e100,  1e150,  1e200,  -1e300};
    test_random r = random_seed(6);
    for (int n = 0; n < 500; ++n) {
        double q[7] = {0}, v[6], x[3], R[9], y[3], w[3], axis[3], e[7];
        random_quaternion(&r, q + 3);
        random_vector(&r, v, 6);
        random_vector(&r, x, 3);
        const double *Q = q + 3;
        pcs_quat_to_matrix(Q, R);
        pcs_quat_rotate(Q, x, y);
        pcs_quat_log(Q, w);
        pcs_quat_to_axis_angle(Q, axis, &e[0]);
        pcs_quat_to_zyx(Q, &e[1], &e[2], &e[3]);
        pcs_quat_to_zyz(Q, &e[4], &e[5], &e[6]);

        for (size_t s = 0; s < sizeof scales / sizeof *scales; ++s) {
            // the components near the smallest double have only a few digits
            const double tol = fabs(scales[s]) < 1e-310 ? 1e-2 : 2e-14;
            double q2[7] = {0}, R2[9], y2[3], w2[3], axis2[3], e2[7], q3[7], q4[7], rate[7], v2[6];
            for (int i = 0; i < 4; ++i) {
                q2[3 + i] = scales[s] * Q[i];
            }
            const double *Q2 = q2 + 3;
            pcs_quat_to_matrix(Q2, R2);
            expect_same(R, R2, 9, tol);
            pcs_quat_rotate(Q2, x, y2);
            expect_same(y, y2, 3, 4 * tol);

            // logarithms near half a revolution may have either sign
            if (fabs(Q[0]) < 1e-3) continue;
            pcs_quat_log(Q2, w2);
            expect_same(w, w2, 3, 4 * tol);
            pcs_quat_to_axis_angle(Q2, axis2, &e2[0]);
            expect_same(axis, axis2, 3, 100 * tol);
            pcs_quat_to_zyx(Q2, &e2[1], &e2[2], &e2[3]);
            pcs_quat_to_zyz(Q2, &e2[4], &e2[5], &e2[6]);
            for (int i = 0; i < 7; ++i) {
                const double apart = remainder(e[i] - e2[i], 2 * PI);
                if (tol < 1e-10) CK_NEAR(apart, 0, 1e-10);
            }

            // a step normalises; the rate scales with Q and gives the velocity back
            for (int update = 0; update < 2; ++update) {
                pcs_body_advance(q, 0.1, v, (pcs_quat_update)update, q3);
                pcs_body_advance(q2, 0.1, v, (pcs_quat_update)update, q4);
                CK_NEAR(rotation_error(q3 + 3, q4 + 3), 0, tol);
                CK_NEAR(pcs_quat_norm(q4 + 3), 1, 4e-16);
            }
            pcs_body_rate(q2, v, rate);
            pcs_body_velocity(q2, rate, v2);
            if (tol < 1e-10) expect_same(v, v2, 6, 1e-14);
        }
    }
}

// ---- matrix

static void expect_matrix_round_trip(const double Q[4])
{
    double R[9], B[4], U[4];
    pcs_quat_to_matrix(Q, R);
    CK_OK(pcs_quat_from_matrix(R, B));
    CK_NEAR(rotation_error(Q, B), 0, 2e-15);

    // the same quaternion up to sign, with the sign of the rule
    memcpy(U, Q, sizeof U);
    CK_OK(pcs_quat_normalise(U));
    double dot = 0;
    for (int i = 0; i < 4; ++i) {
        dot += U[i] * B[i];
    }
    for (int i = 0; i < 4; ++i) {
        CK_NEAR(B[i], dot > 0 ? U[i] : -U[i], 1e-15);
    }
    ck_assert(B[0] >= 0);
    if (B[0] == 0) {
        const double first = B[1] != 0 ? B[1] : B[2] != 0 ? B[2] : B[3];
        ck_assert(first > 0);
    }
}

TEST(matrix_there_and_back)
{
    test_random r = random_seed(7);
    for (int n = 0; n < DRAWS; ++n) {
        double Q[4];
        random_long(&r, Q);
        expect_matrix_round_trip(Q);

        // half revolutions, exactly and nearly
        Q[0] = 0;
        expect_matrix_round_trip(Q);
        Q[0] = pow(10, random_between(&r, -18, -6));
        expect_matrix_round_trip(Q);
    }

    // the borders between the cases: half and third revolutions about the axes and the diagonals
    for (int code = 1; code < 81; ++code) {
        const double Q[4] = {code % 3 - 1, code / 3 % 3 - 1, code / 9 % 3 - 1, code / 27 - 1};
        if (v3_dot(Q + 1, Q + 1) + Q[0] * Q[0] > 0) expect_matrix_round_trip(Q);
    }
}

TEST(matrix_that_is_no_rotation_is_refused)
{
    double Q[4];
    const double reflection[9] = {1, 0, 0, 0, 1, 0, 0, 0, -1};
    const double scaled[9] = {1.00001, 0, 0, 0, 1.00001, 0, 0, 0, 1.00001};
    const double sheared[9] = {1, 0, 0, 1e-5, 1, 0, 0, 0, 1};
    const double zero[9] = {0};
    const double nan[9] = {1, 0, 0, 0, 1, 0, 0, NAN, 1};
    CK_FAILS(pcs_quat_from_matrix(reflection, Q), PCS_ERR_ARG);
    CK_FAILS(pcs_quat_from_matrix(scaled, Q), PCS_ERR_ARG);
    CK_FAILS(pcs_quat_from_matrix(sheared, Q), PCS_ERR_ARG);
    CK_FAILS(pcs_quat_from_matrix(zero, Q), PCS_ERR_ARG);
    CK_FAILS(pcs_quat_from_matrix(nan, Q), PCS_ERR_ARG);

    // seven digits are accepted, and give a unit quaternion
    const double typed[9] = {0.8660254, 0.5, 0, -0.5, 0.8660254, 0, 0, 0, 1};
    CK_OK(pcs_quat_from_matrix(typed, Q));
    CK_NEAR(pcs_quat_norm(Q), 1, 4e-16);
    CK_NEAR(Q[3], sin(PI / 12), 1e-7);
}

// ---- axis and angle, exponential

TEST(axis_and_angle_by_rodrigues)
{
    test_random r = random_seed(8);
    for (int n = 0; n < DRAWS; ++n) {
        double k[3], unit[3], Q[4], R[9], expected[9], axis[3], angle;
        random_vector(&r, k, 3);
        v3_unit(k, unit);
        const double turn = random_between(&r, -2 * PI, 2 * PI);
        const double length = pow(10, random_between(&r, -300, 300));
        for (int i = 0; i < 3; ++i) {
            k[i] = length * unit[i];
        }
        CK_OK(pcs_quat_from_axis_angle(k, turn, Q));
        CK_NEAR(pcs_quat_norm(Q), 1, 4e-16);
        pcs_quat_to_matrix(Q, R);
        rodrigues(unit, turn, expected);
        expect_same(R, expected, 9, 2e-15);
        CK_NEAR((R[0] + R[4] + R[8] - 1) / 2, cos(turn), 2e-15);

        pcs_quat_to_axis_angle(Q, axis, &angle);
        ck_assert(angle >= 0 && angle <= PI);
        CK_NEAR(v3_norm(axis), 1, 4e-16);
        rodrigues(axis, angle, expected);
        expect_same(R, expected, 9, 4e-15);
    }

    // all digits of a small angle, and the identity
    double Q[4], axis[3], angle;
    CK_OK(pcs_quat_from_axis_angle((double[]){0, 0, -2}, 1e-200, Q));
    pcs_quat_to_axis_angle(Q, axis, &angle);
    CK_NEAR(angle / 1e-200, 1, 4e-16);
    CK_NEAR(axis[2], -1, 0);
    pcs_quat_to_axis_angle((double[]){-3, 0, 0, 0}, axis, &angle);
    CK_NEAR(angle, 0, 0);
    expect_same(axis, (double[]){1, 0, 0}, 3, 0);

    CK_FAILS(pcs_quat_from_axis_angle((double[]){0, 0, 0}, 1, Q), PCS_ERR_ARG);
    CK_FAILS(pcs_quat_from_axis_angle((double[]){0, NAN, 1}, 1, Q), PCS_ERR_ARG);
    CK_FAILS(pcs_quat_from_axis_angle((double[]){0, INFINITY, 1}, 1, Q), PCS_ERR_ARG);
    CK_FAILS(pcs_quat_from_axis_angle((double[]){0, 0, 1}, NAN, Q), PCS_ERR_ARG);
}

TEST(exponential_to_the_last_digit)
{
    test_random r = random_seed(9);
    for (int n = 0; n < 10 * DRAWS; ++n) {
        // both branches, with many points about the border between them at |w| = 1/2
        double w[3], Q[4];
        random_vector(&r, w, 3);
        v3_unit(w, w);
        const double length =
            n % 2 ? random_between(&r, 0.45, 0.55) : pow(10, random_between(&r, -20, 1.5));
        for (int i = 0; i < 3; ++i) {
            w[i] *= length;
        }
        pcs_quat_exp(w, Q);

        const long double a = 0.5L * sqrtl((long double)w[0] * w[0] + (long double)w[1] * w[1] +
                                           (long double)w[2] * w[2]);
        const double s = (double)(0.5L * sinl(a) / a);
        const double tol = 1.2e-16 * (length < 0.5 ? 1 : 2 + length); // an ulp for the series
        CK_NEAR(Q[0], (double)cosl(a), tol);
        for (int i = 0; i < 3; ++i) {
            CK_NEAR(Q[1 + i], s * w[i], tol * fabs(w[i]) + 2e-16 * fabs(s * w[i]));
        }
        CK_NEAR(pcs_quat_norm(Q), 1, 5e-16);
    }

    // no component is lost or added at the ends
    double Q[4];
    pcs_quat_exp((double[]){0, 0, 0}, Q);
    expect_same(Q, (double[]){1, 0, 0, 0}, 4, 0);
    pcs_quat_exp((double[]){0, 1e-300, 0}, Q);
    expect_same(Q, (double[]){1, 0, 0.5e-300, 0}, 4, 0);
    pcs_quat_exp((double[]){1e200, -1e200, 1e200}, Q);
    CK_NEAR(pcs_quat_norm(Q), 1, 5e-16);
}

TEST(logarithm_undoes_the_exponential)
{
    test_random r = random_seed(10);
    for (int n = 0; n < DRAWS; ++n) {
        double w[3], Q[4], back[3];
        random_vector(&r, w, 3);
        v3_unit(w, w);
        const double length =
            n % 2 ? random_between(&r, 0, PI - 1e-9) : pow(10, random_between(&r, -300, 0));
        for (int i = 0; i < 3; ++i) {
            w[i] *= length;
        }
        pcs_quat_exp(w, Q);
        pcs_quat_log(Q, back);
        expect_same(back, w, 3, 1e-15 * length);

        // the logarithm of any quaternion is the shorter rotation
        random_long(&r, Q);
        pcs_quat_log(Q, w);
        ck_assert(v3_norm(w) <= PI * (1 + DBL_EPSILON));
        double E[4];
        pcs_quat_exp(w, E);
        CK_NEAR(rotation_error(E, Q), 0, 2e-15);
    }
}

// ---- Euler angles

TEST(zyx_by_its_matrices)
{
    test_random r = random_seed(11);
    for (int n = 0; n < DRAWS; ++n) {
        const double roll = random_between(&r, -PI, PI), yaw = random_between(&r, -PI, PI);
        const double pitch = random_between(&r, -PI / 2, PI / 2);
        double expected[9], R[9], Q[4], a[3];
        about_three(2, yaw, 1, pitch, 0, roll, expected);
        pcs_quat_from_zyx(roll, pitch, yaw, Q);
        pcs_quat_to_matrix(Q, R);
        expect_same(R, expected, 9, 2e-15);

        pcs_quat_to_zyx(Q, &a[0], &a[1], &a[2]);
        if (cos(pitch) < 1e-3) continue;
        CK_NEAR(a[0], roll, 2e-15 / cos(pitch));
        CK_NEAR(a[1], pitch, 2e-15);
        CK_NEAR(a[2], yaw, 2e-15 / cos(pitch));
    }
}

TEST(zyx_through_gimbal_lock)
{
    test_random r = random_seed(12);
    for (int n = 0; n < DRAWS; ++n) {
        const double roll = random_between(&r, -PI, PI), yaw = random_between(&r, -PI, PI);
        const double sign = n % 2 ? 1 : -1;
        double Q[4], B[4], a[3];

        // exactly locked
        pcs_quat_from_zyx(roll, sign * PI / 2, yaw, Q);
        pcs_quat_to_zyx(Q, &a[0], &a[1], &a[2]);
        CK_NEAR(a[0], 0, 0);
        CK_NEAR(a[1], sign * PI / 2, 1e-15);
        pcs_quat_from_zyx(a[0], a[1], a[2], B);
        CK_NEAR(rotation_error(Q, B), 0, 2e-15);

        // inside the shell |r31| > 1 - 1e-12 roll is dropped, which costs 2 cos(pitch)
        const double off = pow(10, random_between(&r, n % 3 ? -5.9 : -12, -5.8));
        pcs_quat_from_zyx(roll, sign * (PI / 2 - off), yaw, Q);
        pcs_quat_to_zyx(Q, &a[0], &a[1], &a[2]);
        pcs_quat_from_zyx(a[0], a[1], a[2], B);
        if (1 - cos(off) > 1e-12 * 1.001) {
            CK_NEAR(rotation_error(Q, B), 0, 2e-15);
        } else if (1 - cos(off) < 1e-12 * 0.999) {
            CK_NEAR(a[0], 0, 0);
            CK_NEAR(rotation_error(Q, B), 0, 2 * off + 2e-15);
        }
        CK_NEAR(a[1], sign * (PI / 2 - off), 1e-15);
    }
}

TEST(zyz_by_its_matrices)
{
    test_random r = random_seed(13);
    for (int n = 0; n < DRAWS; ++n) {
        const double psi = random_between(&r, -PI, PI), phi = random_between(&r, -PI, PI);
        // everywhere, at both singular ends, and close to them
        const double off = pow(10, random_between(&r, -18, -3));
        const double cases[] = {random_between(&r, 0, PI), 0, PI, off, PI - off};
        const double theta = cases[n % 5];
        double expected[9], R[9], Q[4], B[4], a[3];
        about_three(2, psi, 1, theta, 2, phi, expected);
        pcs_quat_from_zyz(psi, theta, phi, Q);
        pcs_quat_to_matrix(Q, R);
        expect_same(R, expected, 9, 2e-15);

        // the conversion back always gives the same rotation, and the same angles where they are
        // unique
        pcs_quat_to_zyz(Q, &a[0], &a[1], &a[2]);
        ck_assert(a[1] >= 0 && a[1] <= PI);
        CK_NEAR(a[1], theta, 2e-15);
        pcs_quat_from_zyz(a[0], a[1], a[2], B);
        CK_NEAR(rotation_error(Q, B), 0, 3e-15);
        if (n % 5 == 1 || n % 5 == 2) CK_NEAR(a[2], 0, 0);
        if (sin(theta) > 1e-3) {
            CK_NEAR(a[0], psi, 1e-15 / sin(theta) + 1e-15);
            CK_NEAR(a[2], phi, 1e-15 / sin(theta) + 1e-15);
        }
    }
}

// ---- T(q) and the advance

TEST(T_rate_and_velocity_agree)
{
    test_random r = random_seed(14);
    for (int n = 0; n < DRAWS; ++n) {
        double q[7], v[6], T[42], rate[7], back[6];
        random_vector(&r, q, 3);
        random_long(&r, q + 3);
        random_vector(&r, v, 6);
        pcs_body_T(q, T);
        pcs_body_rate(q, v, rate);
        for (int i = 0; i < 7; ++i) {
            double Tv = 0;
            for (int j = 0; j < 6; ++j) {
                Tv += T[i + 7 * j] * v[j];
            }
            CK_NEAR(rate[i], Tv, 1e-14);
        }

        // T^T T = diag(I, |Q|^2/4 I)
        const double square = pcs_quat_norm(q + 3) * pcs_quat_norm(q + 3);
        for (int i = 0; i < 6; ++i) {
            for (int j = 0; j < 6; ++j) {
                double TtT = 0;
                for (int k = 0; k < 7; ++k) {
                    TtT += T[k + 7 * i] * T[k + 7 * j];
                }
                CK_NEAR(TtT, i != j ? 0 : i < 3 ? 1 : square / 4, 1e-14);
            }
        }

        // the inverse, which ignores the component along Q
        for (int i = 3; i < 7; ++i) {
            rate[i] += 0.7 * q[i];
        }
        pcs_body_velocity(q, rate, back);
        expect_same(back, v, 6, 2e-14);
    }
}

TEST(matrix_turns_with_omega)
{
    test_random r = random_seed(15);
    for (int n = 0; n < DRAWS; ++n) {
        double q[7] = {0}, v[6], rate[7], R[9], S[9], RS[9], omega_A[3], SR[9];
        random_long(&r, q + 3);
        random_vector(&r, v, 6);
        pcs_body_rate(q, v, rate);
        pcs_quat_to_matrix(q + 3, R);

        // dR/dt = R [omega_B]x = [omega_A]x R
        m3_skew(v + 3, S);
        m3_mul_m3(R, S, RS);
        m3_mul(R, v + 3, omega_A);
        m3_skew(omega_A, S);
        m3_mul_m3(S, R, SR);
        cplx Z[4];
        for (int i = 0; i < 4; ++i) {
            Z[i] = q[3 + i] + I * STEP * rate[3 + i];
        }
        for (int j = 0; j < 3; ++j) {
            double e[3] = {0};
            e[j] = 1;
            cplx column[3];
            z_rotate(Z, e, false, column);
            for (int i = 0; i < 3; ++i) {
                CK_NEAR(cimag(column[i]) / STEP, RS[i + 3 * j], 1e-14);
                CK_NEAR(cimag(column[i]) / STEP, SR[i + 3 * j], 1e-14);
            }
        }
    }
}

TEST(both_updates_follow_the_rate)
{
    test_random r = random_seed(16);
    for (int n = 0; n < 500; ++n) {
        double q[7], v[6], rate[7], ahead[7], behind[7];
        random_vector(&r, q, 3);
        random_quaternion(&r, q + 3);
        random_vector(&r, v, 6);
        pcs_body_rate(q, v, rate);
        for (int update = 0; update < 2; ++update) {
            const double h = 1e-5;
            pcs_body_advance(q, h, v, (pcs_quat_update)update, ahead);
            pcs_body_advance(q, -h, v, (pcs_quat_update)update, behind);
            for (int i = 0; i < 7; ++i) {
                CK_NEAR((ahead[i] - behind[i]) / (2 * h), rate[i], 1e-8);
            }
        }
    }
}

TEST(exponential_update_is_exact_for_constant_omega)
{
    test_random r = random_seed(17);
    for (int n = 0; n < 200; ++n) {
        double q[7], v[6], once[7], many[7];
        random_vector(&r, q, 3);
        random_long(&r, q + 3);
        random_vector(&r, v, 6);
        const int steps = 100;
        const double h = random_between(&r, 1e-3, 0.5);
        pcs_body_advance(q, steps * h, v, PCS_QUAT_UPDATE_EXP, once);
        memcpy(many, q, sizeof many);
        for (int k = 0; k < steps; ++k) {
            pcs_body_advance(many, h, v, PCS_QUAT_UPDATE_EXP, many); // in place
        }
        CK_NEAR(rotation_error(once + 3, many + 3), 0, 1e-13);
        expect_same(once, many, 3, 1e-12);
        CK_NEAR(pcs_quat_norm(many + 3), 1, 4e-16);
    }
}

TEST(additive_update_is_late_by_the_known_angle)
{
    // the angle rotated is 2 atan(h |w| / 2), by -(h |w|)^2 / 12 relative, and the axis is kept
    test_random r = random_seed(18);
    for (int n = 0; n < 500; ++n) {
        double q[7] = {0}, v[6] = {0}, q1[7], back[4], turn[4], w[3];
        random_long(&r, q + 3);
        random_vector(&r, v + 3, 3);
        const double speed = v3_norm(v + 3), a = random_between(&r, 0.01, 1), h = a / speed;
        pcs_body_advance(q, h, v, PCS_QUAT_UPDATE_ADD, q1);
        CK_NEAR(pcs_quat_norm(q1 + 3), 1, 4e-16);

        pcs_quat_conj(q + 3, back);
        pcs_quat_mul(back, q1 + 3, turn);
        pcs_quat_log(turn, w);
        CK_NEAR(v3_norm(w), 2 * atan(a / 2), 4e-15);
        CK_NEAR(v3_dot(w, v + 3), v3_norm(w) * speed, 1e-14);
        if (a < 0.1) CK_NEAR((v3_norm(w) - a) / a / (a * a), -1.0 / 12, 0.01 * a + 1e-9 / a);
    }
}

TEST(a_million_steps_stay_on_the_sphere)
{
    double q[7] = {0, 0, 0, 1, 0, 0, 0};
    const double v[6] = {1, 0, 0, 3, -2, 5};
    const int steps = TEST_DRAWS(1000000);
    for (int k = 0; k < steps; ++k) {
        pcs_body_advance(q, 1e-3, v, PCS_QUAT_UPDATE_EXP, q);
        if (k % 1000 == 0) CK_NEAR(pcs_quat_norm(q + 3), 1, 4e-16);
    }
    double exact[4];
    const double t = 1e-3 * steps;
    pcs_quat_exp((double[]){3 * t, -2 * t, 5 * t}, exact);
    CK_NEAR(rotation_error(exact, q + 3), 0, 1e-9);
}
