// The conversion of every form of a rotation to every other, singular cases included, and the
// nearest rotation.
#include "support.h"

#include <float.h>

#include <percuss/rotation.h>

#include "linalg/m3.h"
#include "rotations.h"

#define DRAWS TEST_DRAWS(2000)

enum { FORMS = PCS_ROTATION_FORM_ZYZ + 1 };

// angles at which conversions may fail
static double awkward_angle(test_random *r)
{
    const double cases[] = {0,         1e-200,        1e-9,   PI - 1e-9, PI,
                            PI + 1e-9, 2 * PI - 1e-9, PI / 2, -1e-9,     random_between(r, -7, 7)};
    return cases[(int)(random_unit(r) * 10)];
}

static void awkward_rotation(test_random *r, double Q[4])
{
    double k[3];
    random_vector(r, k, 3);
    const int kind = (int)(random_unit(r) * 6);
    if (kind < 3) {
        k[kind] = k[(kind + 1) % 3] = 0;
        CK_OK(pcs_quat_from_axis_angle(k, awkward_angle(r), Q));
    } else if (kind == 3) {
        CK_OK(pcs_quat_from_axis_angle(k, awkward_angle(r), Q));
    } else if (kind == 4) {
        const double off[] = {0, 1e-9, 1e-4}, sign = random_unit(r) < 0.5 ? -1 : 1;
        pcs_quat_from_zyx(awkward_angle(r), sign * (PI / 2 - off[(int)(random_unit(r) * 3)]),
                          awkward_angle(r), Q);
    } else {
        random_long(r, Q);
    }
}

TEST(every_form_into_every_other)
{
    test_random r = random_seed(1);
    for (int n = 0; n < DRAWS; ++n) {
        double Q[4];
        awkward_rotation(&r, Q);
        for (int from = 0; from < FORMS; ++from) {
            for (int to = 0; to < FORMS; ++to) {
                double a[9], b[9], back[4];
                pcs_rotation_case first, second;
                CK_OK(pcs_rotation_convert(PCS_ROTATION_FORM_QUATERNION, Q, (pcs_rotation_form)from,
                                           a, &first));
                CK_OK(pcs_rotation_convert((pcs_rotation_form)from, a, (pcs_rotation_form)to, b,
                                           &second));
                CK_OK(pcs_rotation_convert((pcs_rotation_form)to, b, PCS_ROTATION_FORM_QUATERNION,
                                           back, NULL));
                // near gimbal lock ZYX drops up to 3e-6 by its own rule; no other conversion drops
                // anything
                const bool dropped =
                    (from == PCS_ROTATION_FORM_ZYX && first == PCS_ROTATION_CASE_GIMBAL) ||
                    (to == PCS_ROTATION_FORM_ZYX && second == PCS_ROTATION_CASE_GIMBAL);
                CK_NEAR(rotation_error(Q, back), 0, dropped ? 6e-6 : 1e-14);
            }
        }
    }
}

TEST(small_rotations_keep_their_digits)
{
    // sums of angles of order one have an accuracy of 1e-16 of a revolution, so ZYZ is not in this
    // test
    const pcs_rotation_form forms[] = {PCS_ROTATION_FORM_MATRIX, PCS_ROTATION_FORM_AXIS_ANGLE,
                                       PCS_ROTATION_FORM_QUATERNION,
                                       PCS_ROTATION_FORM_EULER_PARAMETERS, PCS_ROTATION_FORM_ZYX};
    test_random r = random_seed(2);
    for (int n = 0; n < DRAWS; ++n) {
        double w[3], a[9], back[3];
        random_vector(&r, w, 3);
        v3_unit(w, w);
        const double length = pow(10, random_between(&r, -200, -9));
        v3_scale(length, w, w);
        for (int k = 0; k < 5; ++k) {
            CK_OK(pcs_rotation_convert(PCS_ROTATION_FORM_ROTATION_VECTOR, w, forms[k], a, NULL));
            CK_OK(pcs_rotation_convert(forms[k], a, PCS_ROTATION_FORM_ROTATION_VECTOR, back, NULL));
            // the rotation vector equals the angles up to their square
            const double tol = forms[k] == PCS_ROTATION_FORM_ZYX ? 1e-15 + length : 1e-15;
            expect_same(back, w, 3, tol * length);
        }
    }
}

TEST(pitch_keeps_its_digits_everywhere)
{
    test_random r = random_seed(3);
    for (int n = 0; n < DRAWS; ++n) {
        // angles near lock, where an arc sine of r31 has an error of up to 1e-8
        const double off = pow(10, random_between(&r, -16, -1)), sign = n % 2 ? 1 : -1;
        double Q[4], R[9], roll, pitch, yaw;
        const double a = random_between(&r, -3, 3), b = random_between(&r, -3, 3);
        pcs_quat_from_zyx(a, sign * (PI / 2 - off), b, Q);
        pcs_quat_to_zyx(Q, &roll, &pitch, &yaw);
        CK_NEAR(pitch, sign * (PI / 2 - off), 6e-16);
        pcs_matrix_from_zyx(a, sign * (PI / 2 - off), b, R);
        CK_OK(pcs_matrix_to_zyx(R, &roll, &pitch, &yaw));
        CK_NEAR(pitch, sign * (PI / 2 - off), 1e-15);

        // a small pitch is exact to the last digit
        const double small = pow(10, random_between(&r, -290, -1));
        pcs_quat_from_zyx(0, small, 0, Q);
        pcs_quat_to_zyx(Q, &roll, &pitch, &yaw);
        CK_NEAR(pitch / small, 1, 6e-16);
        CK_NEAR(roll, 0, 0);
        CK_NEAR(yaw, 0, 0);
    }
}

TEST(cases_are_distinguished)
{
    double a[9];
    pcs_rotation_case which;
    const double identity[4] = {-2, 0, 0, 0}, half[4] = {0, 0, -3, 0};
    CK_OK(pcs_rotation_convert(PCS_ROTATION_FORM_QUATERNION, identity, PCS_ROTATION_FORM_AXIS_ANGLE,
                               a, &which));
    ck_assert(which == PCS_ROTATION_CASE_NO_AXIS);
    expect_same(a, (double[]){1, 0, 0, 0}, 4, 0);
    CK_OK(pcs_rotation_convert(PCS_ROTATION_FORM_QUATERNION, identity,
                               PCS_ROTATION_FORM_ROTATION_VECTOR, a, &which));
    ck_assert(which == PCS_ROTATION_CASE_REGULAR);
    CK_OK(pcs_rotation_convert(PCS_ROTATION_FORM_QUATERNION, half,
                               PCS_ROTATION_FORM_EULER_PARAMETERS, a, &which));
    ck_assert(which == PCS_ROTATION_CASE_TWO_WAY);
    expect_same(a, (double[]){0, 0, 1, 0}, 4, 0);
    CK_OK(pcs_rotation_convert(PCS_ROTATION_FORM_QUATERNION, half, PCS_ROTATION_FORM_AXIS_ANGLE, a,
                               &which));
    ck_assert(which == PCS_ROTATION_CASE_TWO_WAY);
    expect_same(a, (double[]){0, 1, 0, PI}, 4, 0);
    CK_OK(pcs_rotation_convert(PCS_ROTATION_FORM_QUATERNION, half, PCS_ROTATION_FORM_MATRIX, a,
                               &which));
    ck_assert(which == PCS_ROTATION_CASE_REGULAR);

    const double up[3] = {0.3, PI / 2, -0.4}, near[3] = {0.3, PI / 2 - 1e-5, -0.4};
    CK_OK(pcs_rotation_convert(PCS_ROTATION_FORM_ZYX, up, PCS_ROTATION_FORM_ZYX, a, &which));
    ck_assert(which == PCS_ROTATION_CASE_GIMBAL);
    expect_same(a, (double[]){0, PI / 2, -0.7}, 3, 1e-15);
    CK_OK(pcs_rotation_convert(PCS_ROTATION_FORM_ZYX, near, PCS_ROTATION_FORM_ZYX, a, &which));
    ck_assert(which == PCS_ROTATION_CASE_REGULAR);
    expect_same(a, near, 3, 1e-10);
    const double flat[3] = {0.3, 0, 0.4}, down[3] = {0.3, PI, 0.4};
    CK_OK(pcs_rotation_convert(PCS_ROTATION_FORM_ZYZ, flat, PCS_ROTATION_FORM_ZYZ, a, &which));
    ck_assert(which == PCS_ROTATION_CASE_GIMBAL);
    expect_same(a, (double[]){0.7, 0, 0}, 3, 1e-15);
    CK_OK(pcs_rotation_convert(PCS_ROTATION_FORM_ZYZ, down, PCS_ROTATION_FORM_ZYZ, a, &which));
    ck_assert(which == PCS_ROTATION_CASE_GIMBAL);
    expect_same(a, (double[]){-0.1, PI, 0}, 3, 1e-15);

    // the rule is the one that the conversion follows, at any length
    test_random r = random_seed(4);
    for (int n = 0; n < DRAWS; ++n) {
        double Q[4], roll, pitch, yaw;
        pcs_quat_from_zyx(random_between(&r, -3, 3), PI / 2 - pow(10, random_between(&r, -7, -5)),
                          random_between(&r, -3, 3), Q);
        const pcs_rotation_case unit = pcs_quat_case(Q, PCS_ROTATION_FORM_ZYX);
        for (int i = 0; i < 4; ++i) {
            Q[i] *= n % 2 ? 1e160 : 100;
        }
        ck_assert(pcs_quat_case(Q, PCS_ROTATION_FORM_ZYX) == unit);
        pcs_quat_to_zyx(Q, &roll, &pitch, &yaw);
        ck_assert((roll == 0) ==
                  (pcs_quat_case(Q, PCS_ROTATION_FORM_ZYX) == PCS_ROTATION_CASE_GIMBAL));
    }
}

TEST(matrix_forms_agree_with_quaternions)
{
    test_random r = random_seed(5);
    for (int n = 0; n < DRAWS; ++n) {
        double a[3], Q[4], R[9], S[9], w[3], k[3], axis[3], angle;
        random_vector(&r, a, 3);
        pcs_matrix_from_zyx(a[0], a[1], a[2], R);
        pcs_quat_from_zyx(a[0], a[1], a[2], Q);
        pcs_quat_to_matrix(Q, S);
        expect_same(R, S, 9, 2e-15);
        pcs_matrix_from_zyz(a[0], a[1], a[2], R);
        pcs_quat_from_zyz(a[0], a[1], a[2], Q);
        pcs_quat_to_matrix(Q, S);
        expect_same(R, S, 9, 2e-15);
        CK_OK(pcs_matrix_to_zyz(R, &a[0], &a[1], &a[2]));
        pcs_matrix_from_zyz(a[0], a[1], a[2], S);
        expect_same(R, S, 9, 4e-15);

        random_vector(&r, k, 3);
        CK_OK(pcs_matrix_from_axis_angle(k, 1.7, R));
        v3_unit(k, k);
        v3_scale(1.7, k, w);
        pcs_matrix_exp(w, S);
        expect_same(R, S, 9, 2e-15);
        CK_OK(pcs_matrix_log(R, a));
        expect_same(a, w, 3, 4e-15);
        CK_OK(pcs_matrix_to_axis_angle(R, axis, &angle));
        CK_NEAR(angle, 1.7, 1e-15);
        expect_same(axis, k, 3, 2e-15);

        // images of vectors, and the skew matrix
        double y[3], z[3], back[3];
        pcs_matrix_apply(R, a, y);
        CK_OK(pcs_quat_from_matrix(R, Q));
        pcs_quat_rotate(Q, a, z);
        expect_same(y, z, 3, 4e-15);
        pcs_matrix_apply_back(R, y, back);
        expect_same(back, a, 3, 4e-15);
        pcs_matrix_skew(a, S);
        pcs_matrix_apply(S, y, z);
        v3_cross(a, y, back);
        expect_same(z, back, 3, 1e-15);
    }
}

// S = A A^T + s I
static void random_definite(test_random *r, double s, double S[9])
{
    double A[9];
    random_vector(r, A, 9);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            S[i + 3 * j] = (i == j) * s;
            for (int k = 0; k < 3; ++k) {
                S[i + 3 * j] += A[i + 3 * k] * A[j + 3 * k];
            }
        }
    }
}

TEST(nearest_rotation_is_the_polar_factor)
{
    test_random r = random_seed(6);
    for (int n = 0; n < DRAWS; ++n) {
        double Q[4], R[9], S[9], A[9], N[9], again[9];
        random_quaternion(&r, Q);
        pcs_quat_to_matrix(Q, R);
        random_definite(&r, 0.1, S);
        pcs_matrix_mul(R, S, A);
        const double size = pow(10, random_between(&r, -150, 150));
        for (int i = 0; i < 9; ++i) {
            A[i] *= size;
        }
        CK_OK(pcs_matrix_nearest(A, N));
        expect_same(N, R, 9, 1e-13);
        CK_OK(pcs_matrix_check(N, 2e-15));
        memcpy(again, N, sizeof N);
        CK_OK(pcs_matrix_nearest(again, again)); // in place
        expect_same(again, N, 9, 1e-15);

        // no rotated matrix is nearer
        double w[3], E[9], T[9], here = 0, there = 0;
        random_vector(&r, w, 3);
        v3_scale(0.01, w, w);
        pcs_matrix_exp(w, E);
        pcs_matrix_mul(E, N, T);
        for (int i = 0; i < 9; ++i) {
            here += (A[i] / size - N[i]) * (A[i] / size - N[i]);
            there += (A[i] / size - T[i]) * (A[i] / size - T[i]);
        }
        ck_assert(here < there);
    }

    // far from a rotation, where a singular value of 1e-11 of the others still decides between a
    // rotation and its mirror image
    double N[9];
    const double squeezed[9] = {0, 1, 0, 0, 0, 1, 1e-11, 0, 0};
    CK_OK(pcs_matrix_nearest(squeezed, N));
    expect_same(N, (double[]){0, 1, 0, 0, 0, 1, 1, 0, 0}, 9, 1e-15);

    const double reflection[9] = {1, 0, 0, 0, 1, 0, 0, 0, -1}, zero[9] = {0};
    const double flat[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, bad[9] = {1, 0, 0, 0, 1, 0, 0, NAN, 1};
    CK_FAILS(pcs_matrix_nearest(reflection, N), PCS_ERR_SINGULAR);
    CK_FAILS(pcs_matrix_nearest(zero, N), PCS_ERR_SINGULAR);
    CK_FAILS(pcs_matrix_nearest(flat, N), PCS_ERR_SINGULAR);
    CK_FAILS(pcs_matrix_nearest(bad, N), PCS_ERR_ARG);
}

TEST(bad_input_is_refused)
{
    double out[9] = {7, 7, 7, 7, 7, 7, 7, 7, 7};
    const double zero[9] = {0}, nan[9] = {NAN, 1, 1, 1, 1, 1, 1, 1, 1};
    for (int from = 0; from < FORMS; ++from) {
        CK_FAILS(
            pcs_rotation_convert((pcs_rotation_form)from, nan, PCS_ROTATION_FORM_ZYX, out, NULL),
            PCS_ERR_ARG);
    }
    const pcs_rotation_form need[] = {PCS_ROTATION_FORM_MATRIX, PCS_ROTATION_FORM_AXIS_ANGLE,
                                      PCS_ROTATION_FORM_QUATERNION,
                                      PCS_ROTATION_FORM_EULER_PARAMETERS};
    for (int k = 0; k < 4; ++k) {
        CK_FAILS(pcs_rotation_convert(need[k], zero, PCS_ROTATION_FORM_ZYX, out, NULL),
                 PCS_ERR_ARG);
    }
    const double twice[4] = {2, 0, 0, 0}, typed[4] = {0.7071068, 0, 0.7071068, 0};
    CK_FAILS(pcs_rotation_convert(PCS_ROTATION_FORM_EULER_PARAMETERS, twice, PCS_ROTATION_FORM_ZYX,
                                  out, NULL),
             PCS_ERR_ARG);
    CK_FAILS(pcs_rotation_convert((pcs_rotation_form)99, zero, PCS_ROTATION_FORM_ZYX, out, NULL),
             PCS_ERR_ARG);
    CK_FAILS(pcs_rotation_convert(PCS_ROTATION_FORM_ZYX, zero, (pcs_rotation_form)-1, out, NULL),
             PCS_ERR_ARG);
    CK_FAILS(pcs_rotation_convert(PCS_ROTATION_FORM_ZYX, NULL, PCS_ROTATION_FORM_ZYX, out, NULL),
             PCS_ERR_ARG);
    expect_same(out, (double[]){7, 7, 7, 7, 7, 7, 7, 7, 7}, 9, 0);
    CK_OK(pcs_rotation_convert(PCS_ROTATION_FORM_EULER_PARAMETERS, typed, PCS_ROTATION_FORM_ZYX,
                               out, NULL));

    // the sentence names the defect of a matrix
    const double sheared[9] = {1, 0, 0, 0.5, 1, 0, 0, 0, 1};
    const double left[9] = {1, 0, 0, 0, 1, 0, 0, 0, -1};
    CK_SAYS(pcs_matrix_check(sheared, 1e-6), PCS_ERR_ARG, "0.5");
    CK_SAYS(pcs_matrix_check(left, 1e-6), PCS_ERR_ARG, "right-handed");
    CK_FAILS(pcs_matrix_check(nan, 1e-6), PCS_ERR_ARG);
    CK_FAILS(pcs_matrix_to_zyx(sheared, out, out + 1, out + 2), PCS_ERR_ARG);
    CK_FAILS(pcs_matrix_from_axis_angle(zero, 1, out), PCS_ERR_ARG);
}
