// Butcher tableaus: orders by the conditions of the rooted trees, families, checks of user-defined
// tableaus.
#include "support.h"

#include <percuss/tableau.h>

// all conditions of exactly this order hold, for weights b (null: those of the tableau)
static double worst_residual(const pcs_tableau *t, const double *b, int order)
{
    double r[115], worst = 0;
    CK_OK(pcs_tableau_residuals(t, b, order, r));
    for (int k = 0; k < pcs_tableau_condition_count(order); ++k) {
        if (!(fabs(r[k]) <= worst)) worst = fabs(r[k]);
    }
    return worst;
}

TEST(as_many_conditions_as_rooted_trees)
{
    const int known[10] = {0, 1, 1, 2, 4, 9, 20, 48, 115, 0};
    for (int order = 0; order < 10; ++order) {
        ck_assert_int_eq(pcs_tableau_condition_count(order), known[order]);
    }
    ck_assert_int_eq(pcs_tableau_condition_count(-1), 0);
}

// The residuals against the conditions written out by hand, on coefficients that satisfy none
TEST(conditions_are_those_of_the_textbooks)
{
    test_random rng = random_seed(1);
    double A[16], b[4], c[4], r[9];
    for (int i = 0; i < 4; ++i) {
        b[i] = random_normal(&rng);
        c[i] = 0;
        for (int j = 0; j < 4; ++j) {
            c[i] += A[4 * i + j] = random_normal(&rng);
        }
    }
    const pcs_tableau t = {.s = 4, .A = A, .b = b, .c = c, .order = 1};
    double s1 = 0, s2 = 0, s31 = 0, s32 = 0, s4[4] = {0};
    for (int i = 0; i < 4; ++i) {
        s1 += b[i];
        s2 += b[i] * c[i];
        s31 += b[i] * c[i] * c[i];
        s4[3] += b[i] * c[i] * c[i] * c[i];
        for (int j = 0; j < 4; ++j) {
            s32 += b[i] * A[4 * i + j] * c[j];
            s4[2] += b[i] * c[i] * A[4 * i + j] * c[j];
            s4[1] += b[i] * A[4 * i + j] * c[j] * c[j];
            for (int k = 0; k < 4; ++k) {
                s4[0] += b[i] * A[4 * i + j] * A[4 * j + k] * c[k];
            }
        }
    }
    CK_OK(pcs_tableau_residuals(&t, NULL, 1, r));
    CK_NEAR(r[0], s1 - 1, 1e-13);
    CK_OK(pcs_tableau_residuals(&t, NULL, 2, r));
    CK_NEAR(r[0], s2 - 1.0 / 2, 1e-13);
    // the trees of each order, from the path to the bush
    CK_OK(pcs_tableau_residuals(&t, NULL, 3, r));
    CK_NEAR(r[0], s32 - 1.0 / 6, 1e-13);
    CK_NEAR(r[1], s31 - 1.0 / 3, 1e-13);
    CK_OK(pcs_tableau_residuals(&t, NULL, 4, r));
    CK_NEAR(r[0], s4[0] - 1.0 / 24, 1e-12);
    CK_NEAR(r[1], s4[1] - 1.0 / 12, 1e-12);
    CK_NEAR(r[2], s4[2] - 1.0 / 8, 1e-12);
    CK_NEAR(r[3], s4[3] - 1.0 / 4, 1e-12);
}

// a tableau with b as its weights has this order and no more
static void expect_order(const pcs_tableau *t, const double *b, int order)
{
    for (int k = 1; k <= order; ++k) {
        const double worst = worst_residual(t, b, k);
        ck_assert_msg(worst <= 1e-15 * 4, "%s: a condition of order %d misses by %g", t->name, k,
                      worst);
    }
    ck_assert_msg(worst_residual(t, b, order + 1) > 1e-4, "%s: order above %d", t->name, order);
    ck_assert_int_eq(pcs_tableau_order(t, b, 1e-13), order);
}

TEST(named_methods_have_their_orders)
{
    const int order[12] = {1, 2, 2, 2, 3, 3, 4, 3, 5, 1, 2, 4};
    ck_assert_int_eq(pcs_tableau_count(), 12);
    ck_assert_ptr_null(pcs_tableau_at(-1));
    ck_assert_ptr_null(pcs_tableau_at(12));
    for (int i = 0; i < 12; ++i) {
        const pcs_tableau *t = pcs_tableau_at(i);
        CK_OK(pcs_tableau_check(t));
        ck_assert_int_eq(t->order, order[i]);
        expect_order(t, NULL, t->order);
        if (t->b_hat) expect_order(t, t->b_hat, t->order_hat);
        ck_assert_int_eq(pcs_tableau_is_explicit(t), i < 9);
    }
    ck_assert_ptr_eq(pcs_tableau_at(6), pcs_tableau_rk4());
    ck_assert_ptr_eq(pcs_tableau_at(8), pcs_tableau_dormand_prince());

    ck_assert(pcs_tableau_is_stiffly_accurate(pcs_tableau_bogacki_shampine()));
    ck_assert(pcs_tableau_is_stiffly_accurate(pcs_tableau_dormand_prince()));
    ck_assert(pcs_tableau_is_stiffly_accurate(pcs_tableau_implicit_euler()));
    ck_assert(pcs_tableau_is_stiffly_accurate(pcs_tableau_trapezoid()));
    ck_assert(!pcs_tableau_is_stiffly_accurate(pcs_tableau_explicit_euler()));
    ck_assert(!pcs_tableau_is_stiffly_accurate(pcs_tableau_rk4()));
}

// the sheet's printed weights (erratum E-35) are not even consistent
TEST(misprinted_weights_are_refused)
{
    const double midpoint[2] = {0, 0.5}, ralston[2] = {0.25, 1.0 / 3};
    pcs_tableau t = *pcs_tableau_midpoint();
    t.b = midpoint;
    CK_FAILS(pcs_tableau_check(&t), PCS_ERR_ARG);
    ck_assert_int_eq(pcs_tableau_order(&t, NULL, 1e-10), 0);
    t = *pcs_tableau_ralston();
    t.b = ralston;
    CK_FAILS(pcs_tableau_check(&t), PCS_ERR_ARG);
    ck_assert_int_eq(pcs_tableau_order(&t, NULL, 1e-10), 0);
}

// b_i(theta) of the dense output at theta
static void dense_weights(const pcs_tableau *t, double theta, double *b)
{
    for (int i = 0; i < t->s; ++i) {
        b[i] = 0;
        for (int k = t->degree; k > 0; --k) {
            b[i] = (b[i] + t->dense[t->degree * i + k - 1]) * theta;
        }
    }
}

// the method with weights b(theta) / theta and nodes and matrix in units of theta is of order 4
TEST(dense_output_is_of_order_four)
{
    const pcs_tableau *t = pcs_tableau_dormand_prince();
    double b[7], r[9];
    dense_weights(t, 1, b);
    for (int i = 0; i < 7; ++i) {
        CK_NEAR(b[i], t->b[i], 1e-15);
    }
    for (double theta = 0.05; theta < 0.96; theta += 0.1) {
        dense_weights(t, theta, b);
        for (int order = 1; order <= 5; ++order) {
            double worst = 0;
            const double power = pow(theta, order);
            for (int i = 0; i < 7; ++i) {
                b[i] /= power;
            }
            CK_OK(pcs_tableau_residuals(t, b, order, r));
            for (int k = 0; k < pcs_tableau_condition_count(order); ++k) {
                worst = fmax(worst, fabs(r[k]) * power);
            }
            for (int i = 0; i < 7; ++i) {
                b[i] *= power;
            }
            ck_assert_msg(order == 5 ? worst > 1e-6 : worst <= 4e-15, "order %d at %g: %g", order,
                          theta, worst);
        }
    }

    // leaves with the first slope and arrives with the last
    for (int i = 0; i < 7; ++i) {
        double end = 0;
        for (int k = 1; k <= 4; ++k) {
            end += k * t->dense[4 * i + k - 1];
        }
        CK_NEAR(t->dense[4 * i], i == 0, 1e-15);
        CK_NEAR(end, i == 6, 1e-14);
    }
}

TEST(families_have_their_orders)
{
    test_random rng = random_seed(2);
    pcs_tableau *t;
    for (int trial = 0; trial < 1000; ++trial) {
        const double alpha = random_between(&rng, -2, 2);
        CK_OK(pcs_tableau_create_second_order(NULL, alpha, &t));
        CK_OK(pcs_tableau_check(t));
        ck_assert_int_eq(t->order, 2);
        CK_NEAR(worst_residual(t, NULL, 1), 0, 1e-15 * (1 + 1 / fabs(alpha)));
        CK_NEAR(worst_residual(t, NULL, 2), 0, 1e-15);
        ck_assert(worst_residual(t, NULL, 3) > 0.1 && pcs_tableau_is_explicit(t));
        pcs_tableau_destroy(t);

        const double u = random_between(&rng, -1, 1), v = random_between(&rng, -1, 1);
        CK_OK(pcs_tableau_create_third_order(NULL, u, v, &t));
        CK_OK(pcs_tableau_check(t));
        ck_assert_int_eq(t->order, 3);
        const double size = fabs(t->b[0]) + fabs(t->b[1]) + fabs(t->b[2]);
        for (int order = 1; order <= 3; ++order) {
            CK_NEAR(worst_residual(t, NULL, order), 0, 2e-15 * size * (1 + fabs(t->A[7])));
        }
        // b3 a32 u = 1/6 leaves nothing for the path with four vertices
        ck_assert(worst_residual(t, NULL, 4) >= 0.99 / 24 && pcs_tableau_is_explicit(t));
        pcs_tableau_destroy(t);
    }
}

static void expect_same_tableau(const pcs_tableau *a, const pcs_tableau *b)
{
    ck_assert_int_eq(a->s, b->s);
    ck_assert_int_eq(a->order, b->order);
    for (int i = 0; i < a->s; ++i) {
        CK_NEAR(a->b[i], b->b[i], 4e-16);
        CK_NEAR(a->c[i], b->c[i], 4e-16);
        for (int j = 0; j < a->s; ++j) {
            CK_NEAR(a->A[a->s * i + j], b->A[a->s * i + j], 4e-16);
        }
    }
}

TEST(families_contain_the_named_methods)
{
    pcs_tableau *t;
    const double alpha[3] = {0.5, 2.0 / 3, 1};
    for (int k = 0; k < 3; ++k) {
        CK_OK(pcs_tableau_create_second_order(NULL, alpha[k], &t));
        expect_same_tableau(t, pcs_tableau_at(1 + k));
        pcs_tableau_destroy(t);
    }
    CK_OK(pcs_tableau_create_third_order(NULL, 0.5, 1, &t));
    expect_same_tableau(t, pcs_tableau_kutta3());
    pcs_tableau_destroy(t);
    CK_OK(pcs_tableau_create_third_order(NULL, 1.0 / 3, 2.0 / 3, &t));
    expect_same_tableau(t, pcs_tableau_heun3());
    pcs_tableau_destroy(t);
    CK_OK(pcs_tableau_create_third_order(NULL, 0.5, 0.75, &t));
    for (int i = 0; i < 3; ++i) {
        CK_NEAR(t->b[i], pcs_tableau_bogacki_shampine()->b[i], 4e-16);
    }
    pcs_tableau_destroy(t);
}

TEST(families_refuse_their_gaps)
{
    pcs_tableau *t;
    const double alpha[5] = {0, -0.0, 1e-310, NAN, INFINITY};
    for (int k = 0; k < 5; ++k) {
        CK_FAILS(pcs_tableau_create_second_order(NULL, alpha[k], &t), PCS_ERR_ARG);
        ck_assert_ptr_null(t);
    }
    const double uv[8][2] = {{0, 0.5},   {0.5, 0},   {0.5, 0.5},      {2.0 / 3, 0.5},
                             {NAN, 0.5}, {0.5, NAN}, {INFINITY, 0.5}, {0.5, -INFINITY}};
    for (int k = 0; k < 8; ++k) {
        CK_FAILS(pcs_tableau_create_third_order(NULL, uv[k][0], uv[k][1], &t), PCS_ERR_ARG);
        ck_assert_ptr_null(t);
    }
    CK_FAILS(pcs_tableau_create_second_order(NULL, 1, NULL), PCS_ERR_ARG);
    CK_FAILS(pcs_tableau_create_third_order(NULL, 0.5, 1, NULL), PCS_ERR_ARG);
    pcs_tableau_destroy(NULL);
}

TEST(methods_are_found_by_name)
{
    pcs_tableau *t;
    for (int i = 0; i < pcs_tableau_count(); ++i) {
        const pcs_tableau *known = pcs_tableau_at(i);
        CK_OK(pcs_tableau_create_named(NULL, known->name, &t));
        expect_same_tableau(t, known);
        ck_assert_str_eq(t->name, known->name);
        ck_assert_int_eq(t->b_hat != NULL, known->b_hat != NULL);
        ck_assert_int_eq(t->order_hat, known->order_hat);
        ck_assert_int_eq(t->degree, known->degree);
        for (int k = 0; k < t->s * t->degree; ++k) {
            ck_assert(t->dense[k] == known->dense[k]);
        }
        CK_OK(pcs_tableau_check(t));
        pcs_tableau_destroy(t);
    }
    CK_FAILS(pcs_tableau_create_named(NULL, "rk5", &t), PCS_ERR_ARG);
    for (int i = 0; i < pcs_tableau_count(); ++i) {
        ck_assert_ptr_nonnull(strstr(pcs_error_text(), pcs_tableau_at(i)->name));
    }
    CK_FAILS(pcs_tableau_create_named(NULL, "", &t), PCS_ERR_ARG);
    CK_FAILS(pcs_tableau_create_named(NULL, NULL, &t), PCS_ERR_ARG);
    CK_FAILS(pcs_tableau_create_named(NULL, "rk4", NULL), PCS_ERR_ARG);
}

TEST(bad_tableaus_are_refused)
{
    double A[4] = {0, 0, 1, 0}, b[2] = {0.5, 0.5}, c[2] = {0, 1}, b_hat[2] = {1, 0};
    double dense[4] = {1, -0.5, 0, 0.5};
    const pcs_tableau good = {.name = "mine",
                              .s = 2,
                              .A = A,
                              .b = b,
                              .c = c,
                              .order = 2,
                              .b_hat = b_hat,
                              .order_hat = 1,
                              .dense = dense,
                              .degree = 2};
    CK_OK(pcs_tableau_check(&good));
    CK_FAILS(pcs_tableau_check(NULL), PCS_ERR_ARG);

    pcs_tableau t;
#define REFUSED(field, value) \
    t = good;                 \
    t.field = (value);        \
    CK_FAILS(pcs_tableau_check(&t), PCS_ERR_ARG)
    REFUSED(s, 0);
    REFUSED(s, -1);
    REFUSED(s, PCS_TABLEAU_STAGES_MAX + 1);
    REFUSED(A, NULL);
    REFUSED(b, NULL);
    REFUSED(c, NULL);
    REFUSED(order, 0);
    REFUSED(order_hat, 0);
    REFUSED(degree, 0);
    REFUSED(degree, 1);
    REFUSED(degree, PCS_TABLEAU_STAGES_MAX + 1);
    t = good;
    t.s = 65;
    double r[2];
    ck_assert_int_eq(pcs_tableau_order(&t, NULL, 1e-10), 0);
    CK_FAILS(pcs_tableau_residuals(&t, NULL, 1, r), PCS_ERR_ARG);
    CK_FAILS(pcs_tableau_residuals(&good, NULL, 0, r), PCS_ERR_ARG);
    CK_FAILS(pcs_tableau_residuals(&good, NULL, 9, r), PCS_ERR_ARG);
    CK_FAILS(pcs_tableau_residuals(&good, NULL, 1, NULL), PCS_ERR_ARG);

    double *const places[5] = {&A[1], &b[0], &c[1], &b_hat[1], &dense[2]};
    const double values[4] = {NAN, INFINITY, -INFINITY, 1e-3};
    for (int k = 0; k < 5; ++k) {
        const double keep = *places[k];
        for (int v = 0; v < 4; ++v) {
            *places[k] = values[v];
            CK_FAILS(pcs_tableau_check(&good), PCS_ERR_ARG);
        }
        *places[k] = keep;
    }
    A[2] = 0.9;
    CK_SAYS(pcs_tableau_check(&good), PCS_ERR_ARG, "row 2");
    A[2] = 1;
    CK_OK(pcs_tableau_check(&good));
    ck_assert(!pcs_tableau_is_explicit(NULL));
    ck_assert(!pcs_tableau_is_stiffly_accurate(NULL));
    ck_assert(isnan(pcs_tableau_cost(NULL, 1e-6, 1)));
}

TEST(claimed_orders_are_checked)
{
    for (int i = 0; pcs_tableau_at(i); ++i) {
        pcs_tableau t = *pcs_tableau_at(i);
        CK_OK(pcs_tableau_check(&t));
        if (t.order < 5) {
            t.order += 1;
            CK_SAYS(pcs_tableau_check(&t), PCS_ERR_ARG, "order");
        }
        t = *pcs_tableau_at(i);
        if (!t.b_hat) continue;
        t.order_hat += 1;
        CK_FAILS(pcs_tableau_check(&t), PCS_ERR_ARG);
    }
}

TEST(memory_is_released)
{
    test_memory memory = {.fail_at = -1};
    const pcs_env env = test_env(&memory);
    pcs_tableau *t;
    CK_OK(pcs_tableau_create_named(&env, "dormand_prince", &t));
    ck_assert_int_eq((int)memory.live, 1);
    pcs_tableau_destroy(t);
    CK_OK(pcs_tableau_create_second_order(&env, 1, &t));
    pcs_tableau_destroy(t);
    ck_assert_int_eq((int)memory.live, 0);
    memory.fail_at = 0;
    CK_FAILS(pcs_tableau_create_named(&env, "rk4", &t), PCS_ERR_MEMORY);
    memory.fail_at = 0;
    CK_FAILS(pcs_tableau_create_second_order(&env, 1, &t), PCS_ERR_MEMORY);
    memory.fail_at = 0;
    CK_FAILS(pcs_tableau_create_third_order(&env, 0.5, 1, &t), PCS_ERR_MEMORY);
    ck_assert_ptr_null(t);
}

// theory 10: n / T >= s (Tol / c)^(-1 / o), the stages to be paid for a tolerance
TEST(work_estimate_counts_stages)
{
    CK_NEAR(pcs_tableau_cost(pcs_tableau_explicit_euler(), 1e-3, 1), 1000, 1e-9);
    CK_NEAR(pcs_tableau_cost(pcs_tableau_rk4(), 1e-8, 1), 400, 1e-9);
    CK_NEAR(pcs_tableau_cost(pcs_tableau_heun(), 1e-4, 4), 400, 1e-9);
}
