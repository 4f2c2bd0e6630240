// The options of admm, and sparse factors against dense ones.
#include <percuss/linalg.h>

#include "friction.h"

// every penalty, with and without acceleration, over-relaxation and damping
TEST(options_work)
{
    pcs_arena arena;
    CK_OK(pcs_arena_create(NULL, friction_bytes(FRICTION_MIXED, 12), &arena));
    const pcs_problem p = friction_problem(FRICTION_MIXED, 12, 1, &arena, NULL);
    for (int k = 0; k < 16; ++k) {
        pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_ADMM);
        o.tol = 1e-8;
        o.max_iters = 50000;
        o.as.admm.penalty = (pcs_admm_penalty)(k % 4);
        if (k / 4 == 1) o.as.admm.depth = 0;
        if (k / 4 == 2) o.as.admm.relaxation = 1;
        if (k / 4 == 3) o.as.admm.damping = 0.5;
        double r[100] = {0}, u[100];
        pcs_report report;
        ck_assert(p.n <= 100);
        CK_OK(pcs_solve_alloc(NULL, &p, &o, r, u, &report));
        ck_assert_msg(report.outcome == PCS_OUTCOME_CONVERGED, "variant %d: %s, %g", k,
                      pcs_outcome_text(report.outcome), report.measure.residual);
    }
    pcs_arena_destroy(NULL, &arena);
}

// sparse factors, symmetric and not: as with W in one dense block
TEST(sparse_is_dense)
{
    for (int f = FRICTION_SPHERES; f <= FRICTION_GYRO; ++f) {
        pcs_arena arena;
        CK_OK(pcs_arena_create(NULL, (size_t)1 << 23, &arena));
        const pcs_problem p = friction_problem((friction)f, 80, 3, &arena, NULL);
        const size_t n = (size_t)p.n;
        pcs_problem dense = p;
        double *W = pcs_arena_take_array(&arena, n * n, sizeof *W);
        pcs_bsr_to_dense(&p.W, W);
        CK_OK(pcs_bsr_from_dense(p.n, p.n, W, &arena, &dense.W));
        double a[300] = {0}, b[300] = {0}, u[300];
        pcs_report report;
        pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_ADMM);
        o.tol = 1e-14;
        o.max_iters = 10;
        CK_OK(pcs_solve_alloc(NULL, &p, &o, a, u, &report));
        CK_OK(pcs_solve_alloc(NULL, &dense, &o, b, u, &report));
        for (int i = 0; i < p.n; ++i) {
            CK_NEAR(a[i], b[i], 1e-7 * report.measure.norm_r);
        }
        pcs_arena_destroy(NULL, &arena);
    }
}
