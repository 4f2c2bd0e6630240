// Collocation methods of any number of stages: closed forms for few stages, identities for many.
#include "support.h"

#include <percuss/tableau.h>

static double integral_of_power(const pcs_tableau *t, int power)
{
    double sum = 0;
    for (int i = 0; i < t->s; ++i) {
        sum += t->b[i] * pow(t->c[i], power);
    }
    return sum;
}

static void expect(const pcs_tableau *t, const double *A, const double *b, const double *c)
{
    for (int i = 0; i < t->s; ++i) {
        CK_NEAR(t->b[i], b[i], 4e-16);
        CK_NEAR(t->c[i], c[i], 2e-16);
        for (int j = 0; j < t->s; ++j) {
            CK_NEAR(t->A[t->s * i + j], A[t->s * i + j], 4e-16);
        }
    }
}

// theory 10
TEST(gauss_in_closed_form)
{
    pcs_tableau *t;
    CK_OK(pcs_tableau_create_gauss(NULL, 1, &t));
    ck_assert_str_eq(t->name, "gauss1");
    expect(t, (const double[]){0.5}, (const double[]){1}, (const double[]){0.5});
    pcs_tableau_destroy(t);

    const double g = sqrt(3) / 6;
    CK_OK(pcs_tableau_create_gauss(NULL, 2, &t));
    expect(t, (const double[]){0.25, 0.25 - g, 0.25 + g, 0.25}, (const double[]){0.5, 0.5},
           (const double[]){0.5 - g, 0.5 + g});
    pcs_tableau_destroy(t);

    const double r = sqrt(15);
    CK_OK(pcs_tableau_create_gauss(NULL, 3, &t));
    expect(t,
           (const double[]){5.0 / 36, 2.0 / 9 - r / 15, 5.0 / 36 - r / 30, 5.0 / 36 + r / 24,
                            2.0 / 9, 5.0 / 36 - r / 24, 5.0 / 36 + r / 30, 2.0 / 9 + r / 15,
                            5.0 / 36},
           (const double[]){5.0 / 18, 4.0 / 9, 5.0 / 18},
           (const double[]){0.5 - r / 10, 0.5, 0.5 + r / 10});
    pcs_tableau_destroy(t);
}

// Hairer, Wanner, Solving ODE II, tables IV.5.5 and 5.6
TEST(radau_in_closed_form)
{
    pcs_tableau *t;
    CK_OK(pcs_tableau_create_radau(NULL, 1, &t));
    expect(t, (const double[]){1}, (const double[]){1}, (const double[]){1});
    pcs_tableau_destroy(t);

    CK_OK(pcs_tableau_create_radau(NULL, 2, &t));
    expect(t, (const double[]){5.0 / 12, -1.0 / 12, 0.75, 0.25}, (const double[]){0.75, 0.25},
           (const double[]){1.0 / 3, 1});
    pcs_tableau_destroy(t);

    const double r = sqrt(6);
    CK_OK(pcs_tableau_create_radau(NULL, 3, &t));
    expect(t,
           (const double[]){(88 - 7 * r) / 360, (296 - 169 * r) / 1800, (-2 + 3 * r) / 225,
                            (296 + 169 * r) / 1800, (88 + 7 * r) / 360, (-2 - 3 * r) / 225,
                            (16 - r) / 36, (16 + r) / 36, 1.0 / 9},
           (const double[]){(16 - r) / 36, (16 + r) / 36, 1.0 / 9},
           (const double[]){(4 - r) / 10, (4 + r) / 10, 1});
    pcs_tableau_destroy(t);
}

// identities for any number of stages
static void expect_method(const pcs_tableau *t, int order)
{
    CK_OK(pcs_tableau_check(t));
    const int s = t->s;
    for (int i = 0; i < s; ++i) {
        ck_assert(t->c[i] > (i > 0 ? t->c[i - 1] : 0) && t->c[i] <= 1 && t->b[i] > 0);
    }
    // powers are integrated exactly up to degree order - 1
    for (int k = 0; k < order; ++k) {
        CK_NEAR(integral_of_power(t, k), 1.0 / (k + 1), 1e-15);
    }
    int p, eta, zeta;
    ck_assert_int_eq(pcs_tableau_simplifying(t, 1e-13, &p, &eta, &zeta), order);
    ck_assert_int_eq(p, order);
    ck_assert_int_eq(eta, s);
    ck_assert_int_eq(zeta, order - s);
    ck_assert_int_eq(t->order, order);
    if (order < 8) {
        ck_assert_int_eq(pcs_tableau_order(t, NULL, 1e-14), order);
    } else {
        ck_assert_int_eq(pcs_tableau_order(t, NULL, 1e-14), 8);
    }
    ck_assert(t->collocation && !pcs_tableau_is_explicit(t));
}

TEST(gauss_of_any_stages)
{
    for (int s = 1; s <= 64; s += s < 8 || TEST_DRAWS(10) == 10 ? 1 : 8) {
        pcs_tableau *t;
        CK_OK(pcs_tableau_create_gauss(NULL, s, &t));
        expect_method(t, 2 * s);
        ck_assert(!pcs_tableau_is_stiffly_accurate(t));
        for (int i = 0; i < s; ++i) {
            const int m = s - 1 - i;
            CK_NEAR(t->c[i] + t->c[m], 1, 0);
            CK_NEAR(t->b[i], t->b[m], 0);
            for (int j = 0; j < s; ++j) {
                // symplectic, and symmetric
                const double a = t->A[s * i + j], b = t->A[s * j + i];
                CK_NEAR(t->b[i] * a + t->b[j] * b, t->b[i] * t->b[j], 1e-16);
                CK_NEAR(a + t->A[s * m + s - 1 - j], t->b[j], 3e-16);
            }
        }
        pcs_tableau_destroy(t);
    }
}

TEST(radau_of_any_stages)
{
    for (int s = 1; s <= 64; s += s < 8 || TEST_DRAWS(10) == 10 ? 1 : 8) {
        pcs_tableau *t;
        CK_OK(pcs_tableau_create_radau(NULL, s, &t));
        expect_method(t, 2 * s - 1);
        ck_assert(pcs_tableau_is_stiffly_accurate(t) && t->c[s - 1] == 1);
        for (int j = 0; j < s; ++j) {
            ck_assert(t->A[s * (s - 1) + j] == t->b[j]);
        }
        // W^-1 A W has two entries on its diagonal
        double trace = 0;
        for (int i = 0; i < s; ++i) {
            trace += t->A[(s + 1) * i];
        }
        CK_NEAR(trace, 0.5 + 1.0 / (4 * s - 2), 1e-14);
        pcs_tableau_destroy(t);
    }
}

// two methods for the same coefficients: orthogonal polynomials and Lagrange's products
TEST(general_nodes_give_the_same_method)
{
    for (int s = 1; s <= 64; s += s < 8 ? 1 : 7) {
        for (int radau = 0; radau < 2; ++radau) {
            pcs_tableau *t, *u;
            CK_OK(radau ? pcs_tableau_create_radau(NULL, s, &t)
                        : pcs_tableau_create_gauss(NULL, s, &t));
            CK_OK(pcs_tableau_create_collocation(NULL, s, t->c, &u));
            ck_assert_int_eq(u->order, t->order);
            ck_assert_int_eq(pcs_tableau_is_stiffly_accurate(u), radau);
            for (int i = 0; i < s; ++i) {
                CK_NEAR(u->b[i], t->b[i], 4e-15);
                for (int j = 0; j < s; ++j) {
                    CK_NEAR(u->A[s * i + j], t->A[s * i + j], 4e-15);
                }
            }
            pcs_tableau_destroy(t);
            pcs_tableau_destroy(u);
        }
    }
}

TEST(known_methods_are_collocation)
{
    const double ends[2] = {0, 1}, thirds[3] = {0, 0.5, 1};
    pcs_tableau *t;
    CK_OK(pcs_tableau_create_collocation(NULL, 2, ends, &t));
    ck_assert_int_eq(t->order, 2);
    expect(t, pcs_tableau_trapezoid()->A, pcs_tableau_trapezoid()->b, ends);
    for (int k = 0; k < 4; ++k) {
        CK_NEAR(t->dense[k], pcs_tableau_trapezoid()->dense[k], 0);
    }
    pcs_tableau_destroy(t);

    // Lobatto IIIA, with Simpson's weights
    CK_OK(pcs_tableau_create_collocation(NULL, 3, thirds, &t));
    ck_assert_int_eq(t->order, 4);
    expect(t, (const double[]){0, 0, 0, 5.0 / 24, 1.0 / 3, -1.0 / 24, 1.0 / 6, 2.0 / 3, 1.0 / 6},
           (const double[]){1.0 / 6, 2.0 / 3, 1.0 / 6}, thirds);
    ck_assert(pcs_tableau_is_stiffly_accurate(t));
    pcs_tableau_destroy(t);

    CK_OK(pcs_tableau_create_collocation(NULL, 1, (const double[]){0}, &t));
    expect(t, (const double[]){0}, (const double[]){1}, (const double[]){0});
    ck_assert(pcs_tableau_is_explicit(t) && t->order == 1);
    pcs_tableau_destroy(t);
}

// Random nodes: order s and no more, polynomials of degree s followed from node to node
TEST(random_nodes_have_order_s)
{
    test_random rng = random_seed(3);
    for (int trial = 0; trial < TEST_DRAWS(300); ++trial) {
        const int s = 1 + trial % 8;
        double c[8];
        for (int i = 0; i < s; ++i) {
            c[i] = (i + random_between(&rng, 0.1, 0.9)) / s;
        }
        pcs_tableau *t;
        CK_OK(pcs_tableau_create_collocation(NULL, s, c, &t));
        int p, eta, zeta;
        ck_assert_int_eq(t->order, s);
        ck_assert_int_eq(pcs_tableau_simplifying(t, 1e-11, &p, &eta, &zeta), s);
        ck_assert(p == s && eta == s && zeta == 0);
        for (int k = 1; k <= s; ++k) {
            for (int i = 0; i < s; ++i) {
                double sum = 0;
                for (int j = 0; j < s; ++j) {
                    sum += t->A[s * i + j] * k * pow(c[j], k - 1);
                }
                CK_NEAR(sum, pow(c[i], k), 1e-12);
            }
        }
        pcs_tableau_destroy(t);
    }
}

// b_j(c_i) = a_ij, b_j(1) = b_j, polynomials of degree s integrated anywhere: from power sums where
// the tableau has them and without
TEST(dense_output_collocates)
{
    for (int s = 1; s <= 64; s += s < 12 ? 1 : 13) {
        pcs_tableau *t;
        CK_OK(pcs_tableau_create_radau(NULL, s, &t));
        ck_assert_int_eq(t->dense != NULL, s <= 7);
        pcs_tableau bare = *t;
        bare.dense = NULL;
        bare.degree = 0;
        CK_OK(pcs_tableau_check(&bare));
        double b[64], sum_of[64];
        for (int i = 0; i < s; ++i) {
            CK_OK(pcs_tableau_weights(&bare, t->c[i], b));
            CK_OK(pcs_tableau_weights(t, t->c[i], sum_of));
            for (int j = 0; j < s; ++j) {
                CK_NEAR(b[j], t->A[s * i + j], 4e-15);
                CK_NEAR(sum_of[j], t->A[s * i + j], 1e-12);
            }
        }
        for (double theta = -0.1; theta < 1.15; theta += 0.1) {
            if (s > 12 && (theta < 0 || theta > 1)) continue;
            CK_OK(pcs_tableau_weights(t, theta, b));
            for (int k = 1; k <= s; ++k) {
                double sum = 0, size = 0;
                for (int j = 0; j < s; ++j) {
                    sum += b[j] * k * pow(t->c[j], k - 1);
                    size += fabs(b[j]) * k;
                }
                CK_NEAR(sum, pow(theta, k), 1e-12 * size);
            }
        }
        pcs_tableau_destroy(t);
    }
    double b[4];
    CK_FAILS(pcs_tableau_weights(pcs_tableau_rk4(), 0.5, b), PCS_ERR_UNSUPPORTED);
    CK_FAILS(pcs_tableau_weights(pcs_tableau_trapezoid(), NAN, b), PCS_ERR_ARG);
    CK_FAILS(pcs_tableau_weights(pcs_tableau_trapezoid(), 0.5, NULL), PCS_ERR_ARG);
    CK_OK(pcs_tableau_weights(pcs_tableau_trapezoid(), 0.5, b));
    CK_NEAR(b[0], 0.375, 0);
    CK_NEAR(b[1], 0.125, 0);
}

// many equidistant nodes: the weights of Newton and Cotes alternate and grow, and remain consistent
TEST(equidistant_nodes_are_consistent)
{
    double c[64];
    for (int s = 2; s <= 64; s += s < 12 ? 1 : 13) {
        for (int i = 0; i < s; ++i) {
            c[i] = (double)i / (s - 1);
        }
        pcs_tableau *t;
        CK_OK(pcs_tableau_create_collocation(NULL, s, c, &t));
        // an odd number of nodes has one order more, by symmetry
        ck_assert_int_eq(t->order, s + s % 2);
        CK_OK(pcs_tableau_check(t));
        pcs_tableau_destroy(t);
    }
}

TEST(bad_nodes_are_refused)
{
    pcs_tableau *t;
    for (int s = -1; s <= 65; s += s == 0 ? 65 : 1) {
        double c[65];
        for (int i = 0; i < 65; ++i) {
            c[i] = i / 64.0;
        }
        CK_FAILS(pcs_tableau_create_gauss(NULL, s, &t), PCS_ERR_ARG);
        CK_FAILS(pcs_tableau_create_radau(NULL, s, &t), PCS_ERR_ARG);
        CK_FAILS(pcs_tableau_create_collocation(NULL, s, c, &t), PCS_ERR_ARG);
        ck_assert_ptr_null(t);
    }
    const double bad[8][2] = {{0.5, 0.5}, {0.6, 0.5}, {-0.1, 0.5}, {0.5, 1.1},
                              {NAN, 0.5}, {0.5, NAN}, {0, 5e-324}, {0.5, INFINITY}};
    for (int k = 0; k < 8; ++k) {
        CK_FAILS(pcs_tableau_create_collocation(NULL, 2, bad[k], &t), PCS_ERR_ARG);
        ck_assert_ptr_null(t);
    }
    const double good[2] = {0.25, 0.5};
    CK_FAILS(pcs_tableau_create_collocation(NULL, 2, NULL, &t), PCS_ERR_ARG);
    CK_FAILS(pcs_tableau_create_collocation(NULL, 2, good, NULL), PCS_ERR_ARG);
    CK_FAILS(pcs_tableau_create_gauss(NULL, 2, NULL), PCS_ERR_ARG);
    CK_FAILS(pcs_tableau_create_radau(NULL, 2, NULL), PCS_ERR_ARG);

    // one that only claims to be a collocation method
    const double same[2] = {0.5, 0.5};
    pcs_tableau liar = *pcs_tableau_heun();
    liar.collocation = true;
    CK_OK(pcs_tableau_check(&liar)); // on its nodes the trapezoidal weights
    liar = *pcs_tableau_ralston();
    liar.collocation = true;
    CK_OK(pcs_tableau_check(&liar));
    liar.b = same;
    CK_FAILS(pcs_tableau_check(&liar), PCS_ERR_ARG);
    const double A[4] = {0.25, 0.25, 0.25, 0.25};
    liar = (pcs_tableau){.s = 2, .A = A, .b = same, .c = same, .order = 1, .collocation = true};
    CK_FAILS(pcs_tableau_check(&liar), PCS_ERR_ARG);
}

TEST(names_and_memory)
{
    pcs_tableau *t;
    CK_OK(pcs_tableau_create_named(NULL, "gauss3", &t));
    ck_assert(t->s == 3 && t->order == 6 && strcmp(t->name, "gauss3") == 0);
    pcs_tableau_destroy(t);
    CK_OK(pcs_tableau_create_named(NULL, "radau64", &t));
    ck_assert(t->s == 64 && t->order == 127);
    pcs_tableau_destroy(t);
    const char *const bad[7] = {
        "gauss", "gauss0", "gauss65", "radau-1", "gauss3x", "radau 2", "gauss99999999999999999"};
    for (int k = 0; k < 7; ++k) {
        CK_FAILS(pcs_tableau_create_named(NULL, bad[k], &t), PCS_ERR_ARG);
        ck_assert_ptr_null(t);
    }

    test_memory memory = {.fail_at = -1};
    const pcs_env env = test_env(&memory);
    const double nodes[2] = {0.25, 0.75}, close[2] = {0, 5e-324};
    CK_OK(pcs_tableau_create_gauss(&env, 20, &t));
    pcs_tableau_destroy(t);
    CK_OK(pcs_tableau_create_collocation(&env, 2, nodes, &t));
    pcs_tableau_destroy(t);
    CK_FAILS(pcs_tableau_create_collocation(&env, 2, close, &t), PCS_ERR_ARG);
    ck_assert_int_eq((int)memory.live, 0);
    memory.fail_at = 0;
    CK_FAILS(pcs_tableau_create_gauss(&env, 2, &t), PCS_ERR_MEMORY);
    memory.fail_at = 0;
    CK_FAILS(pcs_tableau_create_collocation(&env, 2, nodes, &t), PCS_ERR_MEMORY);
}
