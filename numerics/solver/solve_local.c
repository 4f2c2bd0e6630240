// pcs_solve checks everything once, runs the solver and measures its result again; only that
// measure decides about convergence.
#define _POSIX_C_SOURCE 200809L // clock_gettime

#include <string.h>
#include <time.h>

#include "cone/cone.h"
#include "problem/problem.h"
#include "solver/solver.h"

double solver_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- checks ----------------------------------------------------------------------------------

pcs_status solver_check_cones(const solver_class *c, int first, int nb, const pcs_block *block)
{
    static const char *const words[] = {[PCS_CONE_EQUALITY] = "an equality",
                                        [PCS_CONE_UNILATERAL] = "a contact without friction",
                                        [PCS_CONE_COULOMB] = "a contact with friction",
                                        [PCS_CONE_BOX] = "dry friction or a limited motor"};
    for (int b = 0; b < nb; ++b) {
        if (c->info.cones & 1u << block[b].cone) continue;
        return pcs_fail(PCS_ERR_UNSUPPORTED,
                        "%s does not take the cone of block %d, %s; auto takes every cone,"
                        " and 'percuss solvers' lists what the others take",
                        c->info.name, first + b, words[block[b].cone]);
    }
    return PCS_OK;
}

pcs_status solver_check_start(int n, const double *r)
{
    for (int i = 0; i < n; ++i) {
        if (!isfinite(r[i])) {
            return pcs_fail(PCS_ERR_ARG, "the start r[%d] is %g; it must be finite", i, r[i]);
        }
    }
    return PCS_OK;
}

// options null: those of auto; the class is null when the kind is unknown
static const solver_class *pick(const pcs_solver_opts **opts)
{
    if (!*opts) *opts = &solver_auto.defaults;
    return solver_class_of((*opts)->kind);
}

// ---- the entries -----------------------------------------------------------------------------

size_t pcs_solve_bytes(const pcs_problem *p, const pcs_solver_opts *opts)
{
    const solver_class *c = pick(&opts);
    return p && c && p->n > 0 ? c->work_bytes(p, opts) : 0;
}

static bool asks_for_bodies(const pcs_solver_opts *o)
{
    return (o->kind == PCS_SOLVER_IPM && o->as.ipm.space == PCS_IPM_SPACE_BODY) ||
           (o->kind == PCS_SOLVER_HOMOTOPY && o->as.homotopy.space == PCS_IPM_SPACE_BODY);
}

pcs_status pcs_solve(const pcs_problem *p, const pcs_solver_opts *opts, pcs_watch watch,
                     pcs_arena work, double *r, double *u, pcs_report *report)
{
    if (!report) return pcs_fail(PCS_ERR_ARG, "pcs_solve: report is null");
    const solver_class *c = pick(&opts);
    if (!c) {
        return pcs_fail(PCS_ERR_ARG, "pcs_solve: there is no solver of kind %d", (int)opts->kind);
    }
    PCS_TRY(pcs_solver_opts_check(opts));
    if (asks_for_bodies(opts)) {
        return pcs_fail(PCS_ERR_UNSUPPORTED,
                        "%s: space is body, but there are no bodies: W is given, or M is not"
                        " block-diagonal, or a constraint touches three of its blocks; set space ="
                        " automatic or contact",
                        c->info.name);
    }
    PCS_TRY(pcs_problem_check(p));
    PCS_TRY(solver_check_cones(c, 0, p->nb, p->block));
    if (p->n > 0 && (!r || !u)) return pcs_fail(PCS_ERR_ARG, "pcs_solve: r or u is null");
    PCS_TRY(solver_check_start(p->n, r));

    *report = (pcs_report){.outcome = PCS_OUTCOME_CONVERGED, .solver = opts->kind};
    if (p->n == 0) return PCS_OK;

    const size_t bytes = c->work_bytes(p, opts);
    pcs_arena trial = work;
    if (bytes > 0 && !pcs_arena_take(&trial, bytes)) {
        return pcs_fail(PCS_ERR_MEMORY, "pcs_solve: %s needs %zu bytes of work memory",
                        c->info.name, bytes);
    }

    // a single row takes less time than reading the clock
    const bool timed = !problem_is_scalar(p);
    const double start = timed ? solver_clock() : 0;
    cone_project(p->nb, p->block, r);
    report->outcome = PCS_OUTCOME_STALLED;
    PCS_TRY(c->solve(p, opts, watch, work, r, u, report));

    // the caller never receives a number that is not finite
    if (!pcs_all_finite(r, (size_t)p->n)) {
        memset(r, 0, (size_t)p->n * sizeof *r);
        report->outcome = PCS_OUTCOME_DIVERGED;
    }

    // one measure for all solvers; a NaN is not <= tol
    pcs_problem_measure(p, r, u, &report->measure);
    report->outcome = solver_verdict(opts, &report->measure, report->outcome);
    if (timed) report->seconds = solver_clock() - start;
    return PCS_OK;
}

static bool has_friction(const pcs_problem *p)
{
    for (int b = 0; b < p->nb; ++b) {
        if (p->block[b].cone == PCS_CONE_COULOMB) return true;
    }
    return false;
}

pcs_status pcs_solve_alloc(const pcs_env *env, const pcs_problem *p, const pcs_solver_opts *opts,
                           double *r, double *u, pcs_report *report)
{
    // work_bytes trusts the blocks and the partitions of W
    PCS_TRY(pcs_problem_check(p));
    pcs_arena store = {0}, work = {0};
    pcs_problem lean = *p;
    pcs_status status = PCS_OK;
    if (has_friction(p)) {
        status = pcs_arena_create(env, problem_compress_bytes(p), &store);
        if (status == PCS_OK) status = pcs_problem_compress(p, &store, &lean);
    }
    if (status == PCS_OK) {
        status = pcs_arena_create(env, pcs_solve_bytes(&lean, opts), &work);
    }
    if (status == PCS_OK) {
        status = pcs_solve(&lean, opts, (pcs_watch){0}, work, r, u, report);
    }
    pcs_arena_destroy(env, &work);
    pcs_arena_destroy(env, &store);
    return status;
}
