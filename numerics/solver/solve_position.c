// The entries of the position projection: assembles the step, solves its MLCP from zero, moves.
#include "problem/position.h"

#include <math.h>
#include <string.h>

#include "linalg/bsr.h"
#include "solver/solver.h"

#define SMALLEST_TOL 1e-14

// true when there is nothing to solve: no row, and no unit constraint either
static bool nothing(const pcs_position_problem *p, pcs_metric metric)
{
    return p->m == 0 && !(metric == PCS_METRIC_Q1 && p->n_quat > 0);
}

// memory for a step whose S is assembled: the impulses, and the larger of solver and motion
static size_t rest_bytes(const pcs_position_problem *p, const position_step *s,
                         const pcs_solver_opts *opts)
{
    const size_t solve = pcs_solve_bytes(&s->mlcp, opts) + 64;
    const size_t motion = solver_bytes(p->T ? (size_t)bsr_cols(p->T) : 0, sizeof(double)) + 64;
    return 2 * solver_bytes((size_t)s->rows, sizeof(double)) + 128 +
           (solve > motion ? solve : motion);
}

// The residual is relative to |g|, which rows far open make large: then the start L = 0 may count
// as a solution although other rows are violated. Therefore the tolerance is at most a tenth of the
// residual of the start, down to rounding; the result is still reported against the given
// tolerance.
static pcs_status solve(const pcs_problem *p, const pcs_solver_opts *opts, pcs_arena work,
                        double *L, double *w, pcs_report *report)
{
    pcs_solver_opts o = opts ? *opts : pcs_solver_opts_default(PCS_SOLVER_AUTO);
    PCS_TRY(pcs_solver_opts_check(&o));
    const double tol = o.tol;
    pcs_measure start;
    pcs_problem_measure(p, L, w, &start);
    const double value = solver_stop_value(&o, &start);
    if (value > 0) o.tol = fmin(tol, fmax(value / 10, SMALLEST_TOL));
    PCS_TRY(pcs_solve(p, &o, (pcs_watch){0}, work, L, w, report));
    if (solver_stop_value(&o, &report->measure) <= tol) report->outcome = PCS_OUTCOME_CONVERGED;
    return PCS_OK;
}

pcs_status pcs_solve_position(const pcs_position_problem *p, pcs_metric metric,
                              const pcs_solver_opts *opts, pcs_arena work, double *Lambda,
                              double *dq, pcs_report *report)
{
    if (!report) return pcs_fail(PCS_ERR_ARG, "position: report is null");
    if (!p) return pcs_fail(PCS_ERR_ARG, "position: the problem is null");
    if ((p->nq > 0 && !dq) || (p->m > 0 && !Lambda)) {
        return pcs_fail(PCS_ERR_ARG, "position: Lambda or dq is null");
    }
    if (nothing(p, metric)) {
        if (p->nq > 0) memset(dq, 0, (size_t)p->nq * sizeof *dq);
        *report = (pcs_report){.outcome = PCS_OUTCOME_CONVERGED,
                               .solver = opts ? opts->kind : PCS_SOLVER_AUTO};
        return PCS_OK;
    }
    PCS_TRY(position_check(p, metric));

    position_step s;
    PCS_TRY(position_assemble(p, metric, &work, &s));
    double *L = PCS_TAKE(&work, (size_t)s.rows, double);
    double *w = PCS_TAKE(&work, (size_t)s.rows, double);
    if (!L || !w) return pcs_fail_memory("position projection");
    memset(L, 0, (size_t)s.rows * sizeof *L);
    PCS_TRY(solve(&s.mlcp, opts, work, L, w, report));
    PCS_TRY(position_move(p, metric, &s, work, L, dq));
    if (p->m > 0) memcpy(Lambda, L, (size_t)p->m * sizeof *L);

    // an overflow is reported as an outcome
    if (!pcs_all_finite(dq, (size_t)p->nq)) {
        memset(dq, 0, (size_t)p->nq * sizeof *dq);
        report->outcome = PCS_OUTCOME_DIVERGED;
    }
    return PCS_OK;
}

pcs_status pcs_solve_position_bytes(const pcs_env *env, const pcs_position_problem *p,
                                    pcs_metric metric, const pcs_solver_opts *opts, size_t *bytes)
{
    if (!bytes) return pcs_fail(PCS_ERR_ARG, "position: bytes is null");
    *bytes = 0;
    if (!p) return pcs_fail(PCS_ERR_ARG, "position: the problem is null");
    if (nothing(p, metric)) return PCS_OK;
    PCS_TRY(position_check(p, metric));

    // the real assembly; the demand is known only as far as the last attempt came
    pcs_failure before;
    pcs_failure_keep(&before);
    for (size_t size = 4096;;) {
        size_t peak = 0;
        pcs_arena arena;
        PCS_TRY(pcs_arena_create(env, size, &arena));
        pcs_arena trial = arena;
        trial.peak = &peak;
        position_step s;
        const pcs_status status = position_assemble(p, metric, &trial, &s);
        if (status == PCS_OK) {
            const size_t end = trial.used + rest_bytes(p, &s, opts);
            *bytes = peak > end ? peak : end;
            pcs_failure_restore(&before);
        }
        pcs_arena_destroy(env, &arena);
        if (status != PCS_ERR_MEMORY) return status;
        if (peak <= size) return status; // the arena was large enough: the machine has no memory
        size = peak > 2 * size ? peak : 2 * size;
    }
}

pcs_status pcs_solve_position_alloc(const pcs_env *env, const pcs_position_problem *p,
                                    pcs_metric metric, const pcs_solver_opts *opts, double *Lambda,
                                    double *dq, pcs_report *report)
{
    size_t bytes;
    pcs_arena work;
    PCS_TRY(pcs_solve_position_bytes(env, p, metric, opts, &bytes));
    PCS_TRY(pcs_arena_create(env, bytes, &work));
    const pcs_status status = pcs_solve_position(p, metric, opts, work, Lambda, dq, report);
    pcs_arena_destroy(env, &work);
    return status;
}
