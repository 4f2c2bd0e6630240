// The interior point method: iterations of large problems, redundant equalities, problems without a
// solution, friction.
#include "friction.h"
#include "scratch.h"

#include "linalg/dense.h"

static pcs_report solve(const pcs_problem *p, pcs_solver kind, double tol, double *r, double *u)
{
    pcs_solver_opts o = pcs_solver_opts_default(kind);
    pcs_report report;
    o.tol = tol;
    memset(r, 0, (size_t)p->n * sizeof *r);
    CK_OK(pcs_solve_alloc(NULL, p, &o, r, u, &report));
    return report;
}

// the number of iterations of a hyperstatic problem grows by a few when the problem grows tenfold,
// and u, which is unique for symmetric W, is that of lemke
TEST(iterations_hardly_grow_and_u_is_that_of_pivoting)
{
    int most[2] = {0, 0};
    for (int k = 0; k < 2; ++k) {
        const int n = k == 0 ? 20 : 200;
        for (uint64_t seed = 0; seed < 10; ++seed) {
            reset();
            const pcs_problem p = family_problem(FAMILY_PSD, n, seed, &arena, NULL);
            double r[200], u[200], r2[200], u2[200];
            const pcs_report a = solve(&p, PCS_SOLVER_IPM, 1e-9, r, u);
            ck_assert_int_eq(a.outcome, PCS_OUTCOME_CONVERGED);
            if (a.iters > most[k]) most[k] = a.iters;
            const pcs_report b = solve(&p, PCS_SOLVER_LEMKE, 1e-9, r2, u2);
            ck_assert_int_eq(b.outcome, PCS_OUTCOME_CONVERGED);
            for (int i = 0; i < p.n; ++i) {
                CK_NEAR(u[i], u2[i], 1e-4 * a.measure.norm_q);
            }
        }
    }
    ck_assert_int_lt(most[1], 2 * most[0] + 10);
}

// redundant equality rows beside unilateral ones: W = G G' with repeated rows of G
TEST(redundant_equalities_do_no_harm)
{
    test_random rng = random_seed(7);
    for (int trial = 0; trial < 50; ++trial) {
        enum { n = 9, k = 5 };
        double G[n * k], W[n * n], q[n], v[k];
        for (int i = 0; i < n * k; ++i) {
            G[i] = random_normal(&rng);
        }
        for (int c = 0; c < k; ++c) {
            G[1 + n * c] = G[0 + n * c];                    // row 1 repeats row 0
            G[2 + n * c] = 2 * G[0 + n * c] - G[3 + n * c]; // row 2 combines 0 and 3
            v[c] = random_normal(&rng);
        }
        dense_mul_dense(false, true, n, n, k, 1, G, G, 0, W);
        dense_mul(n, k, 1, G, v, 0, q); // consistent: q lies in the range of G
        pcs_cone kind[n];
        for (int i = 0; i < n; ++i) {
            kind[i] = i < 4 ? PCS_CONE_EQUALITY : PCS_CONE_UNILATERAL;
        }
        reset();
        const pcs_problem p = dense_problem(n, kind, true, W, q, &arena);
        double r[n], u[n];
        const pcs_report report = solve(&p, PCS_SOLVER_IPM, 1e-8, r, u);
        ck_assert_msg(report.outcome == PCS_OUTCOME_CONVERGED, "trial %d: %s, residual %g", trial,
                      pcs_outcome_text(report.outcome), report.measure.residual);
    }
}

// two contacts on one coordinate that require more than they can give: u_0 = r_0 - r_1 - 1 and u_1
// = -u_0 - 2 cannot both be positive
TEST(problems_without_a_solution_never_converge)
{
    double W[4] = {1, -1, -1, 1};
    const double q[2] = {-1, -1};
    const pcs_cone kind[2] = {PCS_CONE_UNILATERAL, PCS_CONE_UNILATERAL};
    reset();
    const pcs_problem p = dense_problem(2, kind, false, W, q, &arena);
    double r[2], u[2];
    const pcs_report report = solve(&p, PCS_SOLVER_IPM, 1e-8, r, u);
    ck_assert_int_eq(report.outcome, PCS_OUTCOME_INFEASIBLE);
    ck_assert(isfinite(r[0]) && isfinite(r[1]));
}

// equalities only: a linear system
TEST(without_unilateral_rows_it_is_a_linear_solve)
{
    reset();
    const pcs_problem p = family_problem(FAMILY_EQUALITY, 12, 1, &arena, NULL);
    double r[64], u[64];
    ck_assert_int_le(p.n, 64);
    const pcs_report report = solve(&p, PCS_SOLVER_IPM, 1e-12, r, u);
    ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
    ck_assert_int_le(report.iters, 3);
}

// rows of zeros, no constant term, one row, matrices that are not monotone, ends of the range: the
// right outcome and finite numbers
TEST(small_and_odd_problems)
{
    const struct {
        int n;
        double W[4], q[2], start;
        pcs_outcome outcome; // PCS_OUTCOME_STALLED: anything but converged
    } odd[] = {
        {1, {2}, {-1}, 0, PCS_OUTCOME_CONVERGED},
        {1, {2}, {1}, 3, PCS_OUTCOME_CONVERGED},
        {1, {2}, {0}, 5, PCS_OUTCOME_CONVERGED},
        {1, {0}, {0}, 5, PCS_OUTCOME_CONVERGED},
        {1, {0}, {1}, 5, PCS_OUTCOME_CONVERGED},
        {1, {0}, {-1}, 0, PCS_OUTCOME_INFEASIBLE},
        {1, {-1}, {-1}, 0, PCS_OUTCOME_STALLED},
        {2, {1, 0, 0, 0}, {-1, 0}, 0, PCS_OUTCOME_CONVERGED},
        {2, {1, 0, 0, 0}, {-1, 1}, 0, PCS_OUTCOME_CONVERGED},
        {2, {1, 0, 0, 0}, {-1, -1}, 0, PCS_OUTCOME_INFEASIBLE},
        {2, {1, 0, 0, 0}, {0, 0}, 1, PCS_OUTCOME_CONVERGED},
        {2, {0, -1, 1, 0}, {-1, 2}, 0, PCS_OUTCOME_CONVERGED},
        {2, {0, -1, 1, 0}, {1, -1}, 0, PCS_OUTCOME_INFEASIBLE},
        {2, {1, 0, 0, 1e-13}, {-1, -1}, 0, PCS_OUTCOME_CONVERGED},
        {2, {1e308, 1e308, 1e308, 1e308}, {-1, -1}, 0, PCS_OUTCOME_CONVERGED},
        {2, {1, 0, 0, 1}, {-1e308, -1e308}, 0, PCS_OUTCOME_CONVERGED},
        {2, {1, 1, 1, 1}, {-1, -1}, 0, PCS_OUTCOME_CONVERGED},
    };
    for (size_t k = 0; k < sizeof odd / sizeof *odd; ++k) {
        double W[4], r[2] = {odd[k].start, odd[k].start}, u[2];
        memcpy(W, odd[k].W, sizeof W);
        const pcs_cone kind[2] = {PCS_CONE_UNILATERAL, PCS_CONE_UNILATERAL};
        reset();
        const pcs_problem p = dense_problem(odd[k].n, kind, false, W, odd[k].q, &arena);
        const pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_IPM);
        pcs_report report;
        CK_OK(pcs_solve_alloc(NULL, &p, &o, r, u, &report));
        ck_assert(pcs_all_finite(r, (size_t)p.n) && pcs_all_finite(u, (size_t)p.n));
        const bool as_said = odd[k].outcome == PCS_OUTCOME_STALLED
                                 ? report.outcome != PCS_OUTCOME_CONVERGED
                                 : report.outcome == odd[k].outcome;
        ck_assert_msg(as_said, "problem %d: %s, residual %g", (int)k,
                      pcs_outcome_text(report.outcome), report.measure.residual);
    }
}

// friction in space and in the plane, beside other blocks, of half rank and unsymmetric: to the
// last digits with the shift differentiated, at least roughly with the shift lagged
TEST(friction_is_solved_with_either_shift)
{
    for (int f = 0; f < FRICTION_COUNT; ++f) {
        for (uint64_t seed = 0; seed < 10; ++seed) {
            reset();
            const pcs_problem p = friction_problem((friction)f, 3, seed, &arena, NULL);
            double r[200], u[200];
            ck_assert_int_le(p.n, 200);
            for (int shift = PCS_IPM_SHIFT_DIFFERENTIATED; shift <= PCS_IPM_SHIFT_LAGGED; ++shift) {
                pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_IPM);
                pcs_report report;
                o.tol = 1e-12;
                o.as.ipm.shift = (pcs_ipm_shift)shift;
                memset(r, 0, (size_t)p.n * sizeof *r);
                CK_OK(pcs_solve_alloc(NULL, &p, &o, r, u, &report));
                const double enough = shift == PCS_IPM_SHIFT_DIFFERENTIATED ? 1e-8 : 1e-3;
                ck_assert_msg(report.measure.residual <= enough, "%s %d, shift %d: residual %g",
                              friction_name[f], (int)seed, shift, report.measure.residual);
            }
        }
    }
}
