// Rigid motions as a group, screws, invariants of twists and wrenches, and points in moving frames
// on motions whose derivatives are known to rounding.
#include "support.h"

#include <percuss/kernel.h>

#include "jets.h"
#include "linalg/m3.h"

#define DRAWS TEST_DRAWS(1000)

static void expect_same_pose(const double a[7], const double b[7], double tol)
{
    expect_close(a, b, 3, tol);
    CK_NEAR(rotation_error(a + 3, b + 3), 0, tol);
}

// ---- the group

TEST(composition_is_the_product_of_matrices)
{
    test_random r = random_seed(1);
    for (int n = 0; n < DRAWS; ++n) {
        double a[7], b[7], ab[7], A[16], B[16], AB[16], product[16], back[7], one[7], identity[7];
        random_pose(&r, a);
        random_pose(&r, b);
        pcs_pose_compose(a, b, ab);
        pcs_pose_to_matrix(a, A);
        pcs_pose_to_matrix(b, B);
        pcs_pose_to_matrix(ab, AB);
        multiply(4, A, B, product);
        expect_same(AB, product, 16, 2e-14);
        CK_OK(pcs_pose_from_matrix(AB, back));
        expect_same_pose(back, ab, 1e-14);

        pcs_pose_identity(identity);
        pcs_pose_inverse(a, back);
        pcs_pose_compose(a, back, one);
        expect_same_pose(one, identity, 2e-14);
        CK_NEAR(pcs_quat_norm(one + 3), 1, 1e-15);
        pcs_pose_compose(back, a, back); // in place
        expect_same_pose(back, identity, 2e-14);

        // the lengths of the quaternions are inverse too, and may be extreme
        const double length = pow(10, random_between(&r, -280, 280));
        for (int i = 3; i < 7; ++i) {
            a[i] *= length;
        }
        pcs_pose_inverse(a, back);
        CK_NEAR(pcs_quat_norm(a + 3) * pcs_quat_norm(back + 3), 1, 1e-15);

        // points, and free vectors without the translation; direct and inverse
        double p[3], y[3], z[3];
        random_vector(&r, p, 3);
        pcs_pose_point(a, p, y);
        for (int i = 0; i < 3; ++i) {
            CK_NEAR(y[i], A[i] * p[0] + A[i + 4] * p[1] + A[i + 8] * p[2] + A[i + 12], 2e-14);
        }
        pcs_pose_point_back(a, y, z);
        expect_same(z, p, 3, 2e-14);
        pcs_pose_vector(a, p, y);
        for (int i = 0; i < 3; ++i) {
            CK_NEAR(y[i], A[i] * p[0] + A[i + 4] * p[1] + A[i + 8] * p[2], 2e-14);
        }
        pcs_pose_vector_back(a, y, y); // in place
        expect_same(y, p, 3, 2e-14);
    }
}

TEST(bad_poses_are_refused)
{
    double q[7], T[16];
    pcs_pose_identity(q);
    CK_OK(pcs_pose_check(q));
    pcs_pose_to_matrix(q, T);
    T[3] = 1e-9;
    CK_FAILS(pcs_pose_from_matrix(T, q), PCS_ERR_ARG);
    pcs_pose_to_matrix(q, T);
    T[12] = NAN;
    CK_FAILS(pcs_pose_from_matrix(T, q), PCS_ERR_ARG);
    pcs_pose_to_matrix(q, T);
    T[0] = 2;
    CK_FAILS(pcs_pose_from_matrix(T, q), PCS_ERR_ARG);
    q[3] = 0;
    CK_FAILS(pcs_pose_check(q), PCS_ERR_ARG);
    q[3] = 1;
    q[1] = INFINITY;
    CK_FAILS(pcs_pose_check(q), PCS_ERR_ARG);
}

// exp of [[w]x V; 0 0] by its series
static void exponential_series(const double t[6], double T[16])
{
    double X[16] = {0}, term[16] = {0}, S[9];
    m3_skew(t + 3, S);
    for (int j = 0; j < 3; ++j) {
        v3_copy(S + 3 * j, X + 4 * j);
    }
    v3_copy(t, X + 12);
    for (int i = 0; i < 16; ++i) {
        T[i] = term[i] = i % 5 == 0;
    }
    for (int k = 1; k < 60; ++k) {
        double next[16];
        multiply(4, X, term, next);
        for (int i = 0; i < 16; ++i) {
            term[i] = next[i] / k;
            T[i] += term[i];
        }
    }
}

TEST(exponential_is_a_screw)
{
    test_random r = random_seed(2);
    for (int n = 0; n < DRAWS; ++n) {
        double t[6], T[16], E[16], q[7], back[6], whole[7], parts[7], part[6];
        random_vector(&r, t, 6);
        v3_unit(t + 3, t + 3);
        const double angles[] = {
            random_between(&r, 0, PI - 1e-6), 0, 1e-200, 1e-9, PI - 1e-9, 2 - 1e-9, 2 + 1e-9};
        v3_scale(angles[n % 7], t + 3, t + 3);
        pcs_pose_exp(t, q);
        pcs_pose_to_matrix(q, T);
        exponential_series(t, E);
        expect_close(T, E, 16, 4e-15);
        pcs_pose_log(q, back);
        expect_same(back, t, 6, 1e-14 * (1 + v3_norm(t)));

        // two parts of one screw motion
        for (int i = 0; i < 6; ++i) {
            part[i] = 0.3 * t[i];
        }
        pcs_pose_exp(part, parts);
        for (int i = 0; i < 6; ++i) {
            part[i] = 0.7 * t[i];
        }
        pcs_pose_exp(part, whole);
        pcs_pose_compose(parts, whole, parts);
        expect_same_pose(parts, q, 1e-14);

        // any pose is a screw
        random_pose(&r, q);
        pcs_pose_log(q, t);
        pcs_pose_exp(t, whole);
        expect_same_pose(whole, q, 2e-14);
    }

    // half a revolution, exactly
    const double half[7] = {1, 2, 3, 0, 0, 0, 1};
    double t[6], q[7];
    pcs_pose_log(half, t);
    CK_NEAR(t[5], PI, 0);
    pcs_pose_exp(t, q);
    expect_same_pose(q, half, 1e-15);
}

// ---- twists and wrenches

TEST(adjoint_is_conjugation)
{
    test_random r = random_seed(3);
    for (int n = 0; n < DRAWS; ++n) {
        double q[7], inverse[7], t[6], moved[6], e[7], left[7], right[7];
        random_pose(&r, q);
        random_vector(&r, t, 6);
        pcs_pose_twist(q, t, moved);

        // q exp(t) q^-1 = exp(Ad t)
        pcs_pose_exp(t, e);
        pcs_pose_compose(q, e, left);
        pcs_pose_inverse(q, inverse);
        pcs_pose_compose(left, inverse, left);
        pcs_pose_exp(moved, right);
        expect_same_pose(left, right, 4e-14);

        // the matrix, the inverse, and the matrix of the inverse
        double Ad[36], back[6], by_matrix;
        pcs_pose_adjoint(q, Ad);
        for (int i = 0; i < 6; ++i) {
            by_matrix = 0;
            for (int j = 0; j < 6; ++j) {
                by_matrix += Ad[i + 6 * j] * t[j];
            }
            CK_NEAR(by_matrix, moved[i], 1e-13);
        }
        pcs_pose_twist_back(q, moved, back);
        expect_same(back, t, 6, 4e-14);
        pcs_pose_twist(inverse, moved, back);
        expect_same(back, t, 6, 4e-14);

        double f[6], f_A[6];
        random_vector(&r, f, 6);
        pcs_pose_wrench(q, f, f_A);
        for (int j = 0; j < 6; ++j) {
            by_matrix = 0;
            for (int i = 0; i < 6; ++i) {
                by_matrix += Ad[i + 6 * j] * f_A[i];
            }
            CK_NEAR(by_matrix, f[j], 1e-13); // Ad^T
        }
        pcs_pose_wrench_back(q, f_A, f_A); // in place
        expect_same(f_A, f, 6, 4e-14);
    }
}

TEST(power_is_the_same_everywhere)
{
    test_random r = random_seed(4);
    for (int n = 0; n < DRAWS; ++n) {
        double q[7], t[6], f[6], t2[6], f2[6], d[3];
        random_pose(&r, q);
        random_vector(&r, t, 6);
        random_vector(&r, f, 6);
        random_vector(&r, d, 3);
        const double power = pcs_wrench_power(f, t);
        pcs_twist_at(t, d, t2);
        pcs_wrench_at(f, d, f2);
        CK_NEAR(pcs_wrench_power(f2, t2), power, 1e-13);
        pcs_pose_twist(q, t, t2);
        pcs_pose_wrench(q, f, f2);
        CK_NEAR(pcs_wrench_power(f2, t2), power, 1e-13);

        // a wrench moved to a point and back
        pcs_wrench_at(f, d, f2);
        v3_scale(-1, d, d);
        pcs_wrench_at(f2, d, f2);
        expect_same(f2, f, 6, 2e-14);
    }
}

// ---- moving frames

static const int zyx[3] = {2, 1, 0};

// a random motion of a frame, as jets and as the struct
static void random_frame(test_random *r, jet x[3], jet R[9], jet Q[4], pcs_frame *f)
{
    jet angles[3];
    for (int i = 0; i < 3; ++i) {
        angles[i] = jet_random(r);
        x[i] = jet_random(r);
    }
    jet_rotation(zyx, angles, R);
    jet_quaternion(zyx, angles, (jet){random_between(r, 0.5, 2), 0, 0}, Q);
    jet_take(x, 3, 0, f->q);
    jet_take(x, 3, 1, f->v);
    jet_take(x, 3, 2, f->a);
    jet_take(Q, 4, 0, f->q + 3);
    jet_omega(R, f->v + 3, f->a + 3);
}

static void expect_motion(const pcs_point_motion *m, const jet x[3], double tol)
{
    double expected[3];
    jet_take(x, 3, 0, expected);
    expect_close(m->x, expected, 3, tol);
    jet_take(x, 3, 1, expected);
    expect_close(m->v, expected, 3, tol);
    jet_take(x, 3, 2, expected);
    expect_close(m->a, expected, 3, tol);
}

TEST(points_in_moving_frames)
{
    test_random r = random_seed(5);
    for (int n = 0; n < DRAWS; ++n) {
        jet x[3], R[9], Q[4], p[3], y[3];
        pcs_frame f;
        pcs_point_motion in, out, body, back;
        pcs_point_motion_terms t, tb;
        random_frame(&r, x, R, Q, &f);
        for (int i = 0; i < 3; ++i) {
            p[i] = n % 2 ? jet_random(&r) : (jet){random_normal(&r), 0, 0}; // every other is fixed
        }
        jet_take(p, 3, 0, in.x);
        jet_take(p, 3, 1, in.v);
        jet_take(p, 3, 2, in.a);
        jet_matrix_apply(R, p, y);
        for (int i = 0; i < 3; ++i) {
            y[i] = jet_add(y[i], 1, x[i]);
        }
        pcs_frame_point(&f, &in, PCS_AXES_INERTIAL, &out, &t);
        expect_motion(&out, y, 4e-14);
        for (int i = 0; i < 3; ++i) {
            CK_NEAR(t.origin[i] + t.relative[i] + t.coriolis[i] + t.centripetal[i] + t.euler[i],
                    out.a[i], 1e-13);
        }
        if (n % 2 == 0) {
            expect_same(t.coriolis, (double[]){0, 0, 0}, 3, 0);
            expect_same(t.relative, (double[]){0, 0, 0}, 3, 0);
        }
        // towards the axis, and with the square of the speed about it
        double w[3];
        pcs_pose_vector(f.q, f.v + 3, w);
        CK_NEAR(v3_dot(t.centripetal, w), 0, 1e-11);

        // vectors in the axes of the frame: the same vectors, rotated
        pcs_frame_point(&f, &in, PCS_AXES_BODY, &body, &tb);
        const double *const A[] = {out.x, out.v, out.a, t.origin, t.euler, t.coriolis};
        const double *const B[] = {body.x, body.v, body.a, tb.origin, tb.euler, tb.coriolis};
        for (int k = 0; k < 6; ++k) {
            double rotated[3];
            pcs_pose_vector(f.q, B[k], rotated);
            expect_close(rotated, A[k], 3, 4e-14);
        }
        pcs_frame_point(&f, &in, PCS_AXES_INERTIAL, &out, NULL);
        pcs_frame_point_back(&f, &out, &back);
        expect_motion(&back, p, 1e-12);
    }
}

TEST(frames_carry_frames)
{
    test_random r = random_seed(6);
    for (int n = 0; n < DRAWS; ++n) {
        jet x1[3], R1[9], Q1[4], x2[3], R2[9], Q2[4], R[9], x[3];
        pcs_frame a, b, ab, inverse, one;
        double w[3], dw[3];
        random_frame(&r, x1, R1, Q1, &a);
        random_frame(&r, x2, R2, Q2, &b);
        jet_matrix_mul(R1, R2, R);
        jet_matrix_apply(R1, x2, x);
        for (int i = 0; i < 3; ++i) {
            x[i] = jet_add(x[i], 1, x1[i]);
        }
        jet_omega(R, w, dw);
        pcs_frame_compose(&a, &b, &ab);
        pcs_point_motion origin;
        v3_copy(ab.q, origin.x);
        v3_copy(ab.v, origin.v);
        v3_copy(ab.a, origin.a);
        expect_motion(&origin, x, 4e-14);
        expect_close(ab.v + 3, w, 3, 4e-14);
        expect_close(ab.a + 3, dw, 3, 1e-13);

        pcs_frame_inverse(&a, &inverse);
        pcs_frame_compose(&a, &inverse, &one);
        double identity[7];
        const double zero[6] = {0};
        pcs_pose_identity(identity);
        expect_same_pose(one.q, identity, 4e-14);
        expect_same(one.v, zero, 6, 1e-12);
        expect_same(one.a, zero, 6, 1e-11);

        // a motion from the reference frame into the frame of b: the inverse through both
        pcs_frame_compose(&inverse, &ab, &one);
        expect_same_pose(one.q, b.q, 4e-14);
        expect_close(one.v, b.v, 6, 1e-12);
        expect_close(one.a, b.a, 6, 1e-11);
    }
}

TEST(falling_past_a_merry_go_round)
{
    // a stone at rest in the inertial frame, seen from a carousel that rotates at w: its apparent
    // motion is a circle in the opposite direction, and the centripetal and Coriolis terms must
    // cancel
    const double w = 0.7, rho = 3;
    const pcs_frame carousel = {.q = {0, 0, 0, 1, 0, 0, 0}, .v = {0, 0, 0, 0, 0, w}};
    const pcs_point_motion stone = {.x = {rho, 0, 1}};
    pcs_point_motion seen, again;
    pcs_point_motion_terms t;
    pcs_frame_point_back(&carousel, &stone, &seen);
    expect_same(seen.v, (double[]){0, -w * rho, 0}, 3, 1e-15);
    expect_same(seen.a, (double[]){-w * w * rho, 0, 0}, 3, 1e-15);
    pcs_frame_point(&carousel, &seen, PCS_AXES_INERTIAL, &again, &t);
    CK_NEAR(t.coriolis[0], 2 * w * w * rho, 1e-15);
    CK_NEAR(t.centripetal[0], -w * w * rho, 1e-15);
    CK_NEAR(t.relative[0], -w * w * rho, 1e-15);
    expect_same(again.a, (double[]){0, 0, 0}, 3, 1e-15);
}
