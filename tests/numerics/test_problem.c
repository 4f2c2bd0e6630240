// Measures of a problem against the theory, their units and limits, bad problems, certificates.
#include <percuss/global.h>
#include <percuss/solver_table.h>

#include "friction.h"
#include "problems.h"
#include "scratch.h"

#include "linalg/bsr.h"
#include "problem/measure.h"
#include "problem/problem.h"

TEST(residual_is_that_of_the_theory)
{
    test_random rng = random_seed(3);
    for (int f = 0; f < FAMILY_COUNT; ++f) {
        for (uint64_t seed = 0; seed < 6; ++seed) {
            reset();
            double r[12], u[12];
            const pcs_problem p = family_problem((family)f, 12, seed, &arena, NULL);
            CK_OK(pcs_problem_check(&p));
            for (int i = 0; i < p.n; ++i) {
                r[i] = random_normal(&rng);
            }
            pcs_measure m;
            pcs_problem_measure(&p, r, u, &m);
            const double slow = slow_residual(&p, r, arena);
            CK_NEAR(m.residual, slow, 1e-12 * (1 + slow));
        }
    }
}

TEST(solutions_measure_zero)
{
    for (int f = 0; f < FAMILY_COUNT; ++f) {
        reset();
        double *r, u[12];
        const pcs_problem p = family_problem((family)f, 12, 5, &arena, &r);
        pcs_measure m;
        pcs_problem_measure(&p, r, u, &m);
        CK_NEAR(m.residual, 0, 1e-14);
        CK_NEAR(pcs_measure_relative_natural_map(&m), 0, 1e-14);
    }
}

// one row, all by hand
TEST(measures_of_one_row)
{
    reset();
    double W[1] = {4}, q[1] = {-2}, r[1] = {0}, u[1];
    const pcs_cone kind[1] = {PCS_CONE_UNILATERAL};
    const pcs_problem p = dense_problem(1, kind, false, W, q, &arena);
    pcs_measure m;

    // r = 0: u = -2, min(4 * 0, -2) = -2 over max(2, 0); rho = 1: min(0, -2)
    pcs_problem_measure(&p, r, u, &m);
    CK_NEAR(u[0], -2, 0);
    CK_NEAR(m.residual, 1, 0);
    CK_NEAR(m.natural_map, 2, 0);

    // r = 1: u = 2, min(4, 2) over max(2, 4); rho = 1: min(1, 2), norms 2, 1, 2
    r[0] = 1;
    pcs_problem_measure(&p, r, u, &m);
    CK_NEAR(m.residual, 0.5, 0);
    CK_NEAR(m.natural_map, 1, 0);
    CK_NEAR(pcs_measure_relative_natural_map(&m), 0.5, 0);
    CK_NEAR(m.norm_q, 2, 0);
    CK_NEAR(m.norm_r, 1, 0);
    CK_NEAR(m.norm_u, 2, 0);
}

// a velocity over a velocity: scaling W and q, or r, changes nothing, whatever the factor
TEST(residual_has_no_units)
{
    reset();
    test_random rng = random_seed(8);
    double r[9], u[9];
    pcs_problem p = family_problem(FAMILY_MIXED, 9, 1, &arena, NULL);
    for (int i = 0; i < 9; ++i) {
        r[i] = random_normal(&rng);
    }
    pcs_measure m, n;
    pcs_problem_measure(&p, r, u, &m);
    const double by[6] = {1e-3, 7, 1e170, 1e-170, 1e-300, 1e290};
    for (int k = 0; k < 6; ++k) {
        double q[9], s[9];
        for (int i = 0; i < 9; ++i) {
            q[i] = by[k] * p.q[i];
            s[i] = by[k] * r[i];
        }
        pcs_problem scaled = p;
        scaled.q = q;
        pcs_problem_measure(&scaled, s, u, &n);
        CK_NEAR(n.residual, m.residual, 1e-12);
    }
}

// sums of squares that over- or underflow keep their digits, in any order and in parts; a NaN stays
TEST(sums_of_squares_hold_numbers_of_any_size)
{
    for (int e = -1070; e <= 1020; e += 10) {
        const double x[4] = {ldexp(3, e), ldexp(-4, e), ldexp(12, e), ldexp(84, e)};
        const double five = problem_norm(2, x), all = problem_norm(4, x);
        CK_NEAR(five, ldexp(5, e), 1e-15 * five);
        if (isfinite(x[3])) CK_NEAR(all, ldexp(85, e), 1e-15 * all);
        squares parts[2] = {0};
        squares_add(&parts[0], 1, &x[1]);
        squares_add(&parts[1], 1, &x[0]);
        squares_join(&parts[0], &parts[1]);
        CK_NEAR(squares_root(&parts[0]), five, 1e-15 * five);
    }
    CK_NEAR(problem_norm(3, (double[]){1e200, 1, 1e-200}), 1e200, 0);
    CK_NEAR(problem_norm(3, (double[]){3e-200, 0, 4e-200}), 5e-200, 1e-215);
    ck_assert(isnan(problem_norm(2, (double[]){1e200, NAN})));
    ck_assert(isnan(problem_norm(2, (double[]){NAN, 1e-200})));
    ck_assert(isinf(problem_norm(2, (double[]){-INFINITY, 1})));
    ck_assert_double_eq(problem_norm(0, NULL), 0);
}

// a second row of zeros, with a zero-dimensional block row of W before it, changes no measure
TEST(rows_of_zeros_add_nothing)
{
    const double W[4] = {2, 0, -1, 1e-20}, q[5] = {-1, 1, 0, -3e5, 1e-9}, r[4] = {0, 0.5, 3, 1e8};
    int row[3] = {0, 0, 1}, one[2] = {0, 1}, ptr[3] = {0, 0, 1}, ptr1[2] = {0, 1}, idx[1] = {1};
    int idx1[1] = {0};
    size_t off[1] = {0};
    for (int k = 0; k < 4 * 5 * 4 * 2; ++k) {
        double w = W[k % 4], u[2];
        const double x = r[k / 20 % 4];
        const pcs_block block = {k < 80 ? PCS_CONE_UNILATERAL : PCS_CONE_EQUALITY, 0, 1, 0};
        pcs_problem p = {.n = 1,
                         .nb = 1,
                         .block = &block,
                         .W = {1, 1, one, one, ptr1, idx1, off, &w},
                         .q = &q[k / 4 % 5]};
        pcs_measure alone, beside;
        CK_OK(pcs_problem_check(&p));
        pcs_problem_measure(&p, &x, &u[0], &alone);
        p.W = (pcs_bsr){2, 2, row, row, ptr, idx, off, &w};
        CK_OK(pcs_problem_check(&p));
        pcs_problem_measure(&p, &x, &u[1], &beside);
        CK_NEAR(u[0], u[1], 0);
        CK_NEAR(alone.residual, beside.residual, 1e-15 * beside.residual);
        CK_NEAR(alone.natural_map, beside.natural_map, 1e-15 * beside.natural_map);
        CK_NEAR(alone.norm_q, beside.norm_q, 1e-15 * beside.norm_q);
        CK_NEAR(alone.norm_r, beside.norm_r, 1e-15 * beside.norm_r);
        CK_NEAR(alone.norm_u, beside.norm_u, 1e-15 * beside.norm_u);

        // both solve
        double z = 0;
        pcs_report report;
        CK_OK(pcs_solve_alloc(NULL, &p, NULL, &z, u, &report));
    }
}

TEST(zero_over_zero_is_zero)
{
    reset();
    double W[4] = {0}, q[2] = {0}, r[2] = {0}, u[2];
    const pcs_cone kind[2] = {PCS_CONE_UNILATERAL, PCS_CONE_EQUALITY};
    const pcs_problem p = dense_problem(2, kind, false, W, q, &arena);
    pcs_measure m;
    pcs_problem_measure(&p, r, u, &m);
    CK_NEAR(m.residual, 0, 0);
    CK_NEAR(pcs_measure_relative_natural_map(&m), 0, 0);

    const pcs_problem empty = {0};
    CK_OK(pcs_problem_check(&empty));
    pcs_problem_measure(&empty, NULL, NULL, &m);
    CK_NEAR(m.residual, 0, 0);
}

TEST(nan_flows_through)
{
    for (int f = 0; f < FAMILY_COUNT; ++f) {
        for (int i = 0; i < 8; ++i) {
            reset();
            double *r, u[8];
            const pcs_problem p = family_problem((family)f, 8, 4, &arena, &r);
            pcs_measure m;
            r[i] = NAN;
            pcs_problem_measure(&p, r, u, &m);
            ck_assert(isnan(m.residual) && isnan(m.natural_map));
            ck_assert(isnan(pcs_measure_relative_natural_map(&m)));
            r[i] = INFINITY;
            pcs_problem_measure(&p, r, u, &m);
            ck_assert(!(m.residual <= 1e10));
        }
    }
}

// the fallbacks: tr W_ii <= 0 takes the largest trace, and 1 when there is none
TEST(scales_fall_back)
{
    reset();
    double W[9] = {0, 0, 0, 0, 5, 0, 0, 0, -3}, q[3] = {1, 1, 1}, s[3];
    const pcs_cone kind[3] = {PCS_CONE_UNILATERAL, PCS_CONE_UNILATERAL, PCS_CONE_UNILATERAL};
    pcs_problem p = dense_problem(3, kind, false, W, q, &arena);
    problem_scales(&p, s);
    for (int i = 0; i < 3; ++i) {
        CK_NEAR(s[i], 5, 0);
    }
    W[4] = 0;
    problem_scales(&p, s);
    for (int i = 0; i < 3; ++i) {
        CK_NEAR(s[i], 1, 0);
    }
}

TEST(bad_problems_are_refused)
{
    reset();
    double W[9] = {2, 1, 0, 1, 2, 0, 0, 0, 1}, q[3] = {1, -1, 0};
    const pcs_cone kind[3] = {PCS_CONE_EQUALITY, PCS_CONE_EQUALITY, PCS_CONE_UNILATERAL};
    const pcs_problem good = dense_problem(3, kind, true, W, q, &arena);
    pcs_block block[2] = {good.block[0], good.block[1]};
    pcs_problem p = good;
    CK_OK(pcs_problem_check(&p));
    CK_FAILS(pcs_problem_check(NULL), PCS_ERR_ARG);

    p.n = -1;
    CK_FAILS(pcs_problem_check(&p), PCS_ERR_SIZE);
    p = good;
    p.n = 2;
    CK_FAILS(pcs_problem_check(&p), PCS_ERR_SIZE);
    p = good;
    p.nb = 1;
    CK_FAILS(pcs_problem_check(&p), PCS_ERR_SIZE);
    p = good;
    p.block = NULL;
    CK_FAILS(pcs_problem_check(&p), PCS_ERR_ARG);
    p = good;
    p.q = NULL;
    CK_FAILS(pcs_problem_check(&p), PCS_ERR_ARG);
    p = good;
    p.W.row = NULL;
    CK_FAILS(pcs_problem_check(&p), PCS_ERR_ARG);

    const pcs_far far[] = {{NAN, 1, 0}, {1, NAN, 0}, {1, -1, 0},   {-1, 1, 0},      {0, 1, 0},
                           {1, 0, 0},   {0, 0, NAN}, {0, 0, -1.0}, {0, 0, INFINITY}};
    for (size_t k = 0; k < sizeof far / sizeof *far; ++k) {
        p = good;
        p.far = far[k];
        CK_FAILS(pcs_problem_check(&p), PCS_ERR_ARG);
    }
    p.far = (pcs_far){1, 2, 3};
    CK_OK(pcs_problem_check(&p));

    p = good;
    p.block = block;
    block[0].dim = 3;
    CK_FAILS(pcs_problem_check(&p), PCS_ERR_SIZE);
    block[0] = (pcs_block){PCS_CONE_UNILATERAL, 0, 2, 0};
    CK_FAILS(pcs_problem_check(&p), PCS_ERR_SIZE);
    block[0] = (pcs_block){(pcs_cone)17, 0, 2, 0};
    CK_FAILS(pcs_problem_check(&p), PCS_ERR_ARG);
    block[0] = (pcs_block){PCS_CONE_EQUALITY, 1, 2, 0};
    CK_FAILS(pcs_problem_check(&p), PCS_ERR_SIZE);

    // a block across two block rows of W
    int row[3] = {0, 1, 3}, ptr[3] = {0, 1, 2}, idx[2] = {0, 1};
    size_t off[2] = {0, 4};
    p = good;
    p.W = (pcs_bsr){2, 2, row, row, ptr, idx, off, W};
    CK_FAILS(pcs_problem_check(&p), PCS_ERR_SIZE);

    const double bad[2] = {NAN, -INFINITY};
    for (int k = 0; k < 2; ++k) {
        q[1] = bad[k];
        CK_FAILS(pcs_problem_check(&good), PCS_ERR_ARG);
        q[1] = 0;
        W[3] = bad[k];
        CK_FAILS(pcs_problem_check(&good), PCS_ERR_ARG);
        W[3] = 0;
    }
    CK_OK(pcs_problem_check(&good));
}

TEST(certificates_prove)
{
    reset();
    // u = -r + q with q < 0; u1 = r2 + q1, u2 = -r1 + q2
    double W[4] = {0, -1, 1, 0}, q[2] = {1, -1}, y[2] = {0, 1}, t[4];
    const pcs_cone kind[2] = {PCS_CONE_UNILATERAL, PCS_CONE_UNILATERAL};
    const pcs_problem skew = dense_problem(2, kind, false, W, q, &arena);
    ck_assert(problem_refuted_by(&skew, y, t));
    y[0] = 1;
    y[1] = 0;
    ck_assert(!problem_refuted_by(&skew, y, t));

    // no direction refutes a problem that has a solution
    test_random rng = random_seed(5);
    for (int f = 0; f < FAMILY_COUNT; ++f) {
        for (int trial = 0; trial < 50; ++trial) {
            pcs_arena scope = arena;
            double z[6], x[12];
            const pcs_problem p = family_problem((family)f, 6, (uint64_t)trial, &scope, NULL);
            for (int i = 0; i < 6; ++i) {
                z[i] = random_normal(&rng);
            }
            ck_assert(!problem_refuted_by(&p, z, x));
        }
    }
}

// a certificate is valid up to rounding, but a small column is not the rounding of a large one
TEST(certificates_are_judged_column_by_column)
{
    reset();
    const pcs_cone uni[3] = {PCS_CONE_UNILATERAL, PCS_CONE_UNILATERAL, PCS_CONE_UNILATERAL};
    const pcs_cone equ[3] = {PCS_CONE_EQUALITY, PCS_CONE_EQUALITY, PCS_CONE_EQUALITY};
    double t[6];

    // r = (1, 1e13) solves it
    double D[4] = {1, 0, 0, 1e-13}, y[3] = {0, 1, 0};
    const double q[2] = {-1, -1};
    const pcs_problem small = dense_problem(2, uni, false, D, q, &arena);
    ck_assert(!problem_refuted_by(&small, y, t));
    y[0] = 1e-14;
    y[1] = 1;
    ck_assert(!problem_refuted_by(&small, y, t));
    double r[2] = {0}, u[2];
    pcs_report report;
    for (int s = 0; s < pcs_solver_count(); ++s) {
        if (!(pcs_solver_at(s)->cones & 1u << PCS_CONE_UNILATERAL)) continue;
        const pcs_solver_opts o = pcs_solver_opts_default(pcs_solver_at(s)->kind);
        r[0] = r[1] = 0;
        CK_OK(pcs_solve_alloc(NULL, &small, &o, r, u, &report));
        ck_assert_msg(report.outcome != PCS_OUTCOME_INFEASIBLE, "%s", pcs_solver_at(s)->name);
    }

    // entries that overflow prove nothing
    double H[4] = {1e308, 1e308, 1e308, 1e308};
    const pcs_problem huge = dense_problem(2, uni, false, H, q, &arena);
    y[0] = y[1] = 1;
    ck_assert(!problem_refuted_by(&huge, y, t));

    // W = 0
    double Z[9] = {0};
    const double q3[3] = {1, 2, -3};
    y[0] = y[1] = 0;
    y[2] = 5;
    const pcs_problem zero = dense_problem(3, uni, false, Z, q3, &arena);
    ck_assert(problem_refuted_by(&zero, y, t));

    // inconsistent equalities of rank one, in separate units; y with rounding errors
    const double d[3] = {1e-3, 1, 1e4};
    double R[9], b[3];
    for (int i = 0; i < 3; ++i) {
        b[i] = d[i] * (i + 1);
        for (int j = 0; j < 3; ++j) {
            R[i + 3 * j] = d[i] * d[j] / 3;
        }
    }
    const pcs_problem rank1 = dense_problem(3, equ, true, R, b, &arena);
    y[0] = (1 + 1e-15) / d[0];
    y[1] = 0;
    y[2] = -1 / d[2];
    ck_assert(problem_refuted_by(&rank1, y, t));
    y[2] *= 1.001;
    ck_assert(!problem_refuted_by(&rank1, y, t));
    b[1] = 2 * b[0] / d[0];
    b[2] = 3 * b[0] * d[2] / d[0];
    y[0] = 1 / d[0];
    y[1] = -1;
    y[2] = 1e-13;
    ck_assert(problem_refuted_by(&rank1, y, t));

    // a multiplier of rounding size where a column has no other entry: without it the proof is
    // valid
    double K[9] = {0, 0, 0, 0, 0, 0, 0, 0, 1};
    const double q4[3] = {-1, 1, 1};
    y[0] = 1;
    y[1] = 0;
    y[2] = 1e-15;
    const pcs_problem noisy = dense_problem(3, uni, false, K, q4, &arena);
    ck_assert(problem_refuted_by(&noisy, y, t));
}

// two bodies, three constraints: the condensed problem against its definition
TEST(global_condenses)
{
    reset();
    const int size[2] = {2, 1};
    const double M[5] = {2, 0.5, 0.5, 1, 4};
    int row[3] = {0, 1, 3}, col[3] = {0, 2, 3}, ptr[3] = {0, 1, 3}, idx[3] = {0, 0, 1};
    size_t off[3] = {0, 2, 6};
    double val[8] = {1, 2, 0, 1, -1, 1, 3, -1};
    const pcs_block block[2] = {{PCS_CONE_UNILATERAL, 0, 1, 0}, {PCS_CONE_EQUALITY, 1, 2, 0}};
    const double f[3] = {1, -2, 3}, w[3] = {0.5, 0, -1};
    pcs_mass_matrix *mass;
    CK_OK(pcs_mass_matrix_create_blocks(NULL, 2, size, M, &mass));
    pcs_global_problem g = {.nb = 2, .block = block, .M = mass, .f = f, .w = w};
    g.H = (pcs_bsr){2, 2, row, col, ptr, idx, off, val};

    pcs_problem p;
    CK_OK(pcs_global_condense(&g, &arena, &p));
    const double r[3] = {0.3, -1, 2};
    double v[3], u[3], Hv[3];
    pcs_measure m;
    pcs_problem_measure(&p, r, u, &m);
    CK_OK(pcs_global_velocity(&g, r, v));
    pcs_bsr_mul(&g.H, v, Hv);
    for (int i = 0; i < 3; ++i) {
        CK_NEAR(u[i], Hv[i] + w[i], 1e-14);
    }

    // the demand is recorded: an arena of exactly that size suffices
    size_t peak = 0;
    pcs_arena none = {.peak = &peak};
    CK_FAILS(pcs_global_condense(&g, &none, &p), PCS_ERR_MEMORY);
    for (int k = 0; k < 8; ++k) {
        const size_t had = peak;
        pcs_arena exact;
        CK_OK(pcs_arena_create(NULL, peak, &exact));
        exact.peak = &peak;
        const pcs_status s = pcs_global_condense(&g, &exact, &p);
        pcs_arena_destroy(NULL, &exact);
        if (s == PCS_OK) break;
        ck_assert(s == PCS_ERR_MEMORY && peak > had);
    }

    const double bad[3] = {1, NAN, 0};
    g.f = bad;
    CK_FAILS(pcs_global_condense(&g, &arena, &p), PCS_ERR_ARG);
    CK_FAILS(pcs_global_velocity(&g, r, v), PCS_ERR_ARG);
    g.f = NULL;
    CK_FAILS(pcs_global_condense(&g, &arena, &p), PCS_ERR_ARG);
    CK_FAILS(pcs_global_condense(NULL, &arena, &p), PCS_ERR_ARG);
    CK_FAILS(pcs_global_condense(&g, NULL, &p), PCS_ERR_ARG);
    CK_FAILS(pcs_global_velocity(NULL, r, v), PCS_ERR_ARG);
    pcs_mass_matrix_destroy(mass);
}

// compression leaves the same matrix, and does not change a W that is full or in cone blocks
TEST(compressing_changes_nothing_but_storage)
{
    for (int kind = 0; kind < FRICTION_COUNT; ++kind) {
        pcs_arena all;
        CK_OK(pcs_arena_create(NULL, friction_bytes(kind, 40) + (size_t)4 * 1024 * 1024, &all));
        double *solution;
        const pcs_problem p = friction_problem(kind, 40, 5, &all, &solution);
        const size_t n = (size_t)p.n;
        double *W = PCS_TAKE(&all, n * n, double), *V = PCS_TAKE(&all, n * n, double);
        ck_assert(W && V);
        pcs_bsr_to_dense(&p.W, W);
        pcs_problem dense = p, lean;
        CK_OK(pcs_bsr_from_dense(p.n, p.n, W, &all, &dense.W));

        pcs_arena own;
        CK_OK(pcs_arena_create(NULL, problem_compress_bytes(&dense), &own));
        CK_OK(pcs_problem_compress(&dense, &own, &lean));
        CK_OK(pcs_problem_check(&lean));
        pcs_bsr_to_dense(&lean.W, V);
        ck_assert_int_eq(memcmp(W, V, n * n * sizeof *W), 0);
        size_t zeros = 0;
        for (size_t i = 0; i < n * n; ++i) {
            zeros += W[i] == 0;
        }
        if (kind == FRICTION_SPHERES || kind == FRICTION_BOXES) {
            ck_assert_int_eq(lean.W.m, p.nb);
        } else if (zeros == 0) {
            ck_assert_int_eq(lean.W.m, 1);
        }
        pcs_problem again;
        CK_OK(pcs_problem_compress(&lean, &own, &again));
        ck_assert(again.W.val == lean.W.val);

        if (lean.W.m > 1) {
            pcs_arena_destroy(NULL, &own);
            CK_OK(pcs_arena_create(NULL, 64, &own));
            ck_assert_int_eq(pcs_problem_compress(&dense, &own, &lean), PCS_ERR_MEMORY);
        }
        pcs_arena_destroy(NULL, &own);
        pcs_arena_destroy(NULL, &all);
    }
}
