// Mass properties that are moved, rotated, combined and checked, and energy and momenta, against
// sums over the mass elements of random bodies.
#include "support.h"

#include <percuss/kernel.h>
#include <percuss/parts.h>

#include "elements.h"
#include "linalg/m3.h"

#define DRAWS TEST_DRAWS(300)

TEST(parallel_axes_there_and_back)
{
    test_random r = random_seed(5);
    for (int n = 0; n < DRAWS; ++n) {
        const cloud c = random_cloud(&r, 12);
        const pcs_inertia b = weigh(&c);
        double O[3], expected[9] = {0}, J[9];
        random_vector(&r, O, 3);
        for (int k = 0; k < c.n; ++k) {
            // -m [r]x [r]x by its definition
            double d[3], S[9], SS[9];
            v3_sub(c.x + 3 * k, O, d);
            m3_skew(d, S);
            m3_mul_m3(S, S, SS);
            for (int i = 0; i < 9; ++i) {
                expected[i] -= c.m[k] * SS[i];
            }
        }
        pcs_inertia_about(&b, O, J);
        expect_close(J, expected, 9, 1e-14);
        pcs_inertia back;
        CK_OK(pcs_inertia_from_about(b.m, b.G, O, J, &back));
        expect_body(&back, &b, 1e-13);

        // about another point two moments are larger by m d^2, and one is equal
        double d[3];
        v3_sub(O, b.G, d);
        const double trace = J[0] + J[4] + J[8] - b.J[0] - b.J[4] - b.J[8];
        CK_NEAR(trace, 2 * b.m * v3_dot(d, d), 1e-12 * (1 + fabs(trace)));

        // the sign of the sheet's second line (E-33) leaves an impossible tensor
        pcs_inertia wrong = b;
        pcs_parallel_axes_back(b.m, d, wrong.J, wrong.J); // in place
        if (b.J[0] + b.J[4] + b.J[8] < 2 * b.m * v3_dot(d, d)) {
            CK_FAILS(pcs_inertia_check(&wrong), PCS_ERR_ARG);
        }
    }
    const double origin[3] = {0}, far[3] = {5, 0, 0}, J[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    pcs_inertia b;
    CK_FAILS(pcs_inertia_from_about(1, origin, far, J, &b), PCS_ERR_ARG);
}

TEST(products_of_inertia)
{
    test_random r = random_seed(6);
    for (int n = 0; n < DRAWS; ++n) {
        const cloud c = random_cloud(&r, 9);
        const pcs_inertia b = weigh(&c);
        double moments[3], products[3], J[9], expected[3] = {0};
        for (int k = 0; k < c.n; ++k) {
            double d[3];
            v3_sub(c.x + 3 * k, b.G, d);
            for (int i = 0; i < 3; ++i) {
                expected[i] += c.m[k] * d[i] * d[(i + 1) % 3];
            }
        }
        pcs_inertia_products(b.J, moments, products);
        expect_close(products, expected, 3, 1e-13);
        pcs_inertia_from_products(moments, products, J);
        expect_same(J, b.J, 9, 0);
    }
}

TEST(placed_bodies_are_placed_clouds)
{
    test_random r = random_seed(7);
    for (int n = 0; n < DRAWS; ++n) {
        cloud c = random_cloud(&r, 10);
        const pcs_inertia b = weigh(&c);
        double q[7], R[9], J[9];
        random_vector(&r, q, 3);
        random_long(&r, q + 3);
        for (int k = 0; k < c.n; ++k) {
            pcs_pose_point(q, c.x + 3 * k, c.x + 3 * k);
        }
        const pcs_inertia expected = weigh(&c);
        pcs_inertia placed = b;
        pcs_inertia_transform(q, &placed, &placed);
        expect_body(&placed, &expected, 1e-13);
        pcs_quat_to_matrix(q + 3, R);
        pcs_inertia_rotate(R, b.J, J);
        expect_same(J, placed.J, 9, 0);
        for (int i = 0; i < 9; ++i) {
            CK_NEAR(J[i], J[i / 3 + 3 * (i % 3)], 0); // symmetric to the last bit
        }
    }
}

TEST(bodies_add_and_subtract)
{
    test_random r = random_seed(8);
    for (int n = 0; n < DRAWS; ++n) {
        cloud all = {.n = 0};
        pcs_inertia b[4], sum, left, part;
        for (int k = 0; k < 4; ++k) {
            const cloud c = random_cloud(&r, 5);
            for (int i = 0; i < c.n; ++i) {
                add_element(&all, c.m[i], c.x[3 * i], c.x[3 * i + 1], c.x[3 * i + 2]);
            }
            b[k] = weigh(&c);
        }
        const pcs_inertia expected = weigh(&all);
        CK_OK(pcs_inertia_combine(4, b, &sum));
        expect_body(&sum, &expected, 1e-13);
        CK_OK(pcs_inertia_combine(3, b, &left));
        CK_OK(pcs_inertia_remove(&sum, &b[3], &part));
        expect_body(&part, &left, 1e-12);
    }
    pcs_inertia small, large, out;
    CK_OK(pcs_solid_sphere(1, 1, &small));
    CK_OK(pcs_solid_sphere(1, 2, &large));
    CK_FAILS(pcs_inertia_remove(&small, &large, &out), PCS_ERR_ARG);
    CK_FAILS(pcs_inertia_remove(&small, &small, &out), PCS_ERR_ARG);
    small.G[0] = 50; // a hole far outside
    CK_FAILS(pcs_inertia_remove(&large, &small, &out), PCS_ERR_ARG);
    CK_FAILS(pcs_inertia_combine(0, &small, &out), PCS_ERR_ARG);
    small.J[3] = NAN;
    CK_FAILS(pcs_inertia_combine(1, &small, &out), PCS_ERR_ARG);
}

// ---- principal axes

static void expect_principal(const double J[9], double size)
{
    double p[3], R[9], back[9], D[9] = {0};
    CK_OK(pcs_inertia_principal(J, p, R));
    ck_assert(p[0] <= p[1] && p[1] <= p[2]);
    CK_OK(pcs_matrix_check(R, 2e-15));
    for (int i = 0; i < 3; ++i) {
        D[4 * i] = p[i];
    }
    pcs_inertia_rotate(R, D, back);
    expect_same(back, J, 9, 4e-15 * size);
}

TEST(principal_axes)
{
    test_random r = random_seed(9);
    for (int n = 0; n < DRAWS; ++n) {
        const cloud c = random_cloud(&r, 8);
        pcs_inertia b = weigh(&c);
        expect_principal(b.J, b.J[0] + b.J[4] + b.J[8]);
        CK_OK(pcs_inertia_check(&b));

        // moments of any size
        const double size = pow(10, random_between(&r, -300, 300));
        for (int i = 0; i < 9; ++i) {
            b.J[i] *= size;
        }
        expect_principal(b.J, b.J[0] + b.J[4] + b.J[8]);

        // two equal moments, three, and a rod, rotated
        double Q[4], R[9], J[9];
        random_quaternion(&r, Q);
        pcs_quat_to_matrix(Q, R);
        const double known[4][3] = {{1, 1, 1.7}, {0.4, 1, 1}, {1, 1, 1}, {1e-14, 1, 1}};
        for (int k = 0; k < 4; ++k) {
            const double D[9] = {known[k][0], 0, 0, 0, known[k][1], 0, 0, 0, known[k][2]};
            double p[3], A[9];
            pcs_inertia_rotate(R, D, J);
            expect_principal(J, 3);
            CK_OK(pcs_inertia_principal(J, p, A));
            expect_same(p, known[k], 3, 4e-15);
        }
    }

    // a diagonal one keeps its axes, and its numbers to the last bit
    const double J[9] = {3, 0, 0, 0, 1, 0, 0, 0, 2};
    double p[3], R[9];
    CK_OK(pcs_inertia_principal(J, p, R));
    expect_same(p, (double[]){1, 2, 3}, 3, 0);
    expect_same(R, (double[]){0, 1, 0, 0, 0, 1, 1, 0, 0}, 9, 0);

    // a graded definite matrix: the small moment has all its digits. With T = diag(1, s, s^2) and
    // B = [2 1 1; 1 2 1; 1 1 2] the determinant of T B T is 4 s^6, and of its upper block 3 s^2
    const double s = 1e-6;
    double graded[9];
    for (int i = 0; i < 9; ++i) {
        graded[i] = (i % 4 == 0 ? 2 : 1) * pow(s, i % 3 + i / 3);
    }
    CK_OK(pcs_inertia_principal(graded, p, R));
    CK_NEAR(p[0] / (4.0 / 3 * pow(s, 4)), 1, 2 * s);
    CK_NEAR(p[0] * p[1] * p[2] / (4 * pow(s, 6)), 1, 1e-14);
}

TEST(impossible_bodies_are_refused)
{
    pcs_inertia b, fine;
    double p[3], R[9];
    CK_OK(pcs_solid_box(1, 1, 2, 3, &fine));
    b = fine;
    b.J[8] = b.J[0] + b.J[4] + 1e-6;
    CK_SAYS(pcs_inertia_check(&b), PCS_ERR_ARG, "sum of the other two");
    b = (pcs_inertia){.m = 1, .J = {1, 0, 0, 0, 1, 0, 0, 0, 2.0000001}};
    CK_SAYS(pcs_inertia_check(&b), PCS_ERR_ARG, "1, 1, 2.0000001 kg m^2");
    b = fine;
    b.J[8] = b.J[0] + b.J[4]; // a plate
    CK_OK(pcs_inertia_check(&b));
    b = fine;
    b.J[0] = -1;
    CK_SAYS(pcs_inertia_check(&b), PCS_ERR_ARG, "negative");
    b = fine;
    b.J[1] = 0.1;
    CK_SAYS(pcs_inertia_check(&b), PCS_ERR_ARG, "symmetric");
    CK_FAILS(pcs_inertia_principal(b.J, p, R), PCS_ERR_ARG);
    b.J[1] = NAN;
    CK_FAILS(pcs_inertia_check(&b), PCS_ERR_ARG);
    CK_FAILS(pcs_inertia_principal(b.J, p, R), PCS_ERR_ARG);
    b = fine;
    b.m = 0;
    CK_FAILS(pcs_inertia_check(&b), PCS_ERR_ARG);
    b = fine;
    b.G[1] = INFINITY;
    CK_FAILS(pcs_inertia_check(&b), PCS_ERR_ARG);
    const pcs_inertia point = {.m = 1};
    CK_FAILS(pcs_inertia_check(&point), PCS_ERR_SINGULAR);
}

// ---- null arguments

TEST(null_bodies_are_refused)
{
    const double zero[3] = {0}, J[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    pcs_inertia b = {.m = 2, .J = {1, 0, 0, 0, 1, 0, 0, 0, 1}}, half = b, out;
    half.m = 1;
    ck_assert_int_eq(pcs_inertia_check(NULL), PCS_ERR_ARG);
    ck_assert_int_eq(pcs_inertia_set_mass(NULL, 1), PCS_ERR_ARG);
    ck_assert_int_eq(pcs_inertia_remove(NULL, &half, &out), PCS_ERR_ARG);
    ck_assert_int_eq(pcs_inertia_remove(&b, NULL, &out), PCS_ERR_ARG);
    ck_assert_int_eq(pcs_inertia_remove(&b, &half, NULL), PCS_ERR_ARG);
    ck_assert_int_eq(pcs_inertia_from_about(1, zero, zero, J, NULL), PCS_ERR_ARG);
    // queries have no status
    ck_assert_int_eq(pcs_scheme_activation(NULL), PCS_ACTIVATION_AUTOMATIC);
    ck_assert_int_eq(pcs_geometry_kind(NULL), PCS_SHAPE_SPHERE);
    ck_assert(isnan(pcs_measure_relative_natural_map(NULL)));
    CK_FAILS(pcs_solid_sphere(1, 1, NULL), PCS_ERR_ARG);
    CK_FAILS(pcs_solid_cylinder(1, 1, 1, 0, NULL), PCS_ERR_ARG);
    CK_FAILS(pcs_solid_tetrahedron(1, (double[12]){0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, NULL),
             PCS_ERR_ARG);
}

// ---- energy and momenta

TEST(energy_and_momenta_are_those_of_the_elements)
{
    test_random r = random_seed(10);
    for (int n = 0; n < DRAWS; ++n) {
        cloud c = random_cloud(&r, 10);
        const pcs_inertia b = weigh(&c);
        double q[7], v[6], O[3], sum[6] = {0}, momentum[6], K = 0;
        random_vector(&r, q, 3);
        random_long(&r, q + 3);
        random_vector(&r, v, 6);
        random_vector(&r, O, 3);

        // elements at x_G + R d, moving with the body
        pcs_frame f = {.a = {0}};
        memcpy(f.q, q, sizeof f.q);
        memcpy(f.v, v, sizeof f.v);
        for (int k = 0; k < c.n; ++k) {
            pcs_point_motion in = {.x = {0}}, out;
            double arm[3], moment[3];
            v3_sub(c.x + 3 * k, b.G, in.x);
            pcs_frame_point(&f, &in, PCS_AXES_INERTIAL, &out, NULL);
            K += 0.5 * c.m[k] * v3_dot(out.v, out.v);
            v3_along(sum, c.m[k], out.v, sum);
            v3_sub(out.x, O, arm);
            v3_cross(arm, out.v, moment);
            v3_along(sum + 3, c.m[k], moment, sum + 3);
        }
        CK_NEAR(pcs_body_energy(b.m, b.J, v), K, 1e-13 * K);
        pcs_body_momentum(b.m, b.J, q, v, O, momentum);
        expect_close(momentum, sum, 6, 1e-13);

        // the 6 x 6 matrix about the origin of the frame, whose twist is that of G moved there
        double M[36], nu[6], at_G[6], d[3], by_matrix = 0;
        pcs_pose_vector_back(q, v, at_G);
        v3_copy(v + 3, at_G + 3);
        v3_scale(-1, b.G, d);
        pcs_twist_at(at_G, d, nu);
        pcs_inertia_mass_matrix(&b, M);
        for (int i = 0; i < 6; ++i) {
            for (int j = 0; j < 6; ++j) {
                by_matrix += 0.5 * nu[i] * M[i + 6 * j] * nu[j];
                CK_NEAR(M[i + 6 * j], M[j + 6 * i], 1e-14 * b.m);
            }
        }
        CK_NEAR(by_matrix, K, 1e-12 * K);
    }
}
