// Boxes: one row in closed form, and problems with equality, unilateral, box and Coulomb blocks
// together, on which all solvers that take boxes agree.
#include <percuss/certificate.h>
#include <percuss/solver_table.h>

#include <string.h>

#include "problems.h"
#include "scratch.h"

// one row: r = P(-q / W), and the certificate says stick or slide
TEST(one_box_in_closed_form)
{
    static const double cases[][4] = {// W, q, bound, r
                                      {2, -1, 3, 0.5}, {2, 1, 3, -0.5}, {2, -10, 3, 3},
                                      {2, 10, 3, -3},  {2, 5, 0, 0},    {0, -1, 3, 3}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        reset();
        double W = cases[k][0], q = cases[k][1], r = 0, u;
        const pcs_cone kind = PCS_CONE_BOX;
        pcs_problem p = dense_problem(1, &kind, false, &W, &q, &arena);
        pcs_block block = {PCS_CONE_BOX, 0, 1, cases[k][2]};
        p.block = &block;
        static const struct {
            pcs_solver kind;
            double error;
        } of[] = {{PCS_SOLVER_AUTO, 1e-15}, {PCS_SOLVER_IPM, 1e-9}, {PCS_SOLVER_HOMOTOPY, 1e-9}};
        for (size_t l = 0; l < sizeof of / sizeof *of; ++l) {
            pcs_solver_opts o = pcs_solver_opts_default(of[l].kind);
            pcs_report report;
            r = 0;
            CK_OK(pcs_solve_alloc(NULL, &p, &o, &r, &u, &report));
            ck_assert(report.outcome == PCS_OUTCOME_CONVERGED);
            CK_NEAR(r, cases[k][3], of[l].error);
            CK_NEAR(u, W * r + q, 1e-15);
        }
    }
}

// a mixed problem of 14 rows: 2 equalities of 2 rows, 3 unilateral, 4 boxes, a contact in space; of
// W = H H^T with fewer columns than rows when it is singular
static pcs_problem mixed(test_random *rng, bool singular, pcs_block block[10])
{
    enum { N = 14 };
    static const pcs_cone cones[10] = {
        PCS_CONE_EQUALITY, PCS_CONE_BOX, PCS_CONE_UNILATERAL, PCS_CONE_BOX, PCS_CONE_EQUALITY,
        PCS_CONE_COULOMB,  PCS_CONE_BOX, PCS_CONE_UNILATERAL, PCS_CONE_BOX, PCS_CONE_UNILATERAL};
    const int m = singular ? 12 : N + 2;
    double H[N * (N + 2)];
    for (int i = 0; i < N * m; ++i) {
        H[i] = random_normal(rng);
    }
    double *W = PCS_TAKE(&arena, N * N, double), *q = PCS_TAKE(&arena, N, double);
    pcs_cone kind[N];
    for (int i = 0; i < N; ++i) {
        kind[i] = PCS_CONE_UNILATERAL;
        q[i] = 0;
        for (int k = 0; k < m; ++k) {
            q[i] +=
                3 * H[i + N * k] * sin(k + 1.0); // in the range of W: a velocity without impulses
        }
        for (int j = 0; j < N; ++j) {
            W[i + N * j] = 0;
            for (int k = 0; k < m; ++k) {
                W[i + N * j] += H[i + N * k] * H[j + N * k];
            }
        }
    }
    pcs_problem p = dense_problem(N, kind, false, W, q, &arena);
    for (int b = 0, row = 0; b < 10; ++b) {
        const int dim = cones[b] == PCS_CONE_EQUALITY ? 2 : cones[b] == PCS_CONE_COULOMB ? 3 : 1;
        block[b] = (pcs_block){cones[b], row, dim, 0};
        if (cones[b] == PCS_CONE_BOX) block[b].mu = random_between(rng, 0, 0.5);
        if (cones[b] == PCS_CONE_COULOMB) block[b].mu = 0.4;
        row += dim;
    }
    static int one[2] = {0, N};
    static const int first[2] = {0, 1}, none[1] = {0};
    static const size_t zero[1] = {0};
    p.block = block;
    p.nb = 10;
    p.W = (pcs_bsr){.m = 1,
                    .n = 1,
                    .row = one,
                    .col = one,
                    .ptr = (int *)first,
                    .idx = (int *)none,
                    .off = (size_t *)zero,
                    .val = W};
    return p;
}

// the law of every block by its words, with an error
static void check_laws(const pcs_problem *p, const double *r, const double *u, double error)
{
    for (int b = 0; b < p->nb; ++b) {
        const pcs_block *k = &p->block[b];
        const double *rb = r + k->row, *ub = u + k->row;
        if (k->cone == PCS_CONE_EQUALITY) CK_NEAR(hypot(ub[0], ub[1]), 0, error);
        if (k->cone == PCS_CONE_UNILATERAL) CK_NEAR(fmin(rb[0], ub[0]), 0, error);
        if (k->cone != PCS_CONE_BOX) continue;
        ck_assert_double_le(fabs(rb[0]), k->mu * (1 + 1e-14));
        if (ub[0] > error) CK_NEAR(rb[0], -k->mu, error);
        if (ub[0] < -error) CK_NEAR(rb[0], k->mu, error);
    }
}

TEST(mixed_problems_agree)
{
    static const struct {
        pcs_solver kind;
        double tol;
    } of[] = {{PCS_SOLVER_AUTO, 1e-12},   {PCS_SOLVER_PROX, 1e-12},
              {PCS_SOLVER_NEWTON, 1e-12}, {PCS_SOLVER_NSGS, 1e-10},
              {PCS_SOLVER_ADMM, 1e-10},   {PCS_SOLVER_EXTRAGRADIENT, 1e-6},
              {PCS_SOLVER_IPM, 1e-10},    {PCS_SOLVER_HOMOTOPY, 1e-10}};
    enum { SOLVERS = sizeof of / sizeof *of };
    test_random rng = random_seed(71);
    int solved[SOLVERS] = {0};
    const int draws = TEST_DRAWS(60);
    for (int n = 0; n < draws; ++n) {
        reset();
        pcs_block block[10];
        const pcs_problem p = mixed(&rng, n % 2 == 1, block);
        CK_OK(pcs_problem_check(&p));
        double first[14], size = 0;
        for (int k = 0; k < SOLVERS; ++k) {
            double r[14] = {0}, u[14];
            pcs_solver_opts o = pcs_solver_opts_default(of[k].kind);
            o.tol = of[k].tol;
            o.max_iters = 200000;
            pcs_report report;
            CK_OK(pcs_solve_alloc(NULL, &p, &o, r, u, &report));
            if (k == 0) ck_assert_msg(report.outcome == PCS_OUTCOME_CONVERGED, "draw %d", n);
            if (report.outcome != PCS_OUTCOME_CONVERGED) continue;
            solved[k] += 1;
            size = fmax(report.measure.norm_q, report.measure.norm_wr);
            check_laws(&p, r, u, 1e3 * of[k].tol * size);
            if (k == 0) memcpy(first, u, sizeof first);
            // of a symmetric W with small friction u is unique
            for (int i = 0; i < p.n; ++i) {
                CK_NEAR(u[i], first[i], 1e4 * of[k].tol * size);
            }
        }
    }
    for (int k = 0; k < SOLVERS; ++k) {
        ck_assert_int_ge(solved[k], draws - draws / 20);
    }
}

TEST(boxes_that_are_refused)
{
    reset();
    double W = 1, q = 1, r = 0, u;
    const pcs_cone kind = PCS_CONE_BOX;
    pcs_problem p = dense_problem(1, &kind, false, &W, &q, &arena);
    pcs_block block = {PCS_CONE_BOX, 0, 1, -1};
    p.block = &block;
    CK_SAYS(pcs_problem_check(&p), PCS_ERR_ARG, "bound of box 0 is -1");
    block.mu = INFINITY;
    CK_SAYS(pcs_problem_check(&p), PCS_ERR_ARG, "bound of box 0 is inf");
    block.mu = 1;
    pcs_report report;
    static const pcs_solver none[] = {PCS_SOLVER_ENUM, PCS_SOLVER_LEMKE, PCS_SOLVER_DIRECT};
    for (int k = 0; k < 3; ++k) {
        const pcs_solver_opts o = pcs_solver_opts_default(none[k]);
        ck_assert_int_eq(pcs_solve_alloc(NULL, &p, &o, &r, &u, &report), PCS_ERR_UNSUPPORTED);
    }
}
