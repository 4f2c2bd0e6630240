// pcs_solve: everything is checked here, once; the solver runs; what it returns is measured
// again, and only that measure says converged.
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

static double option_value(const pcs_solver_opts *o, const pcs_opt *opt)
{
    const char *at = (const char *)o + opt->offset;
    if (opt->type == PCS_OPT_REAL) {
        double x;
        memcpy(&x, at, sizeof x);
        return x;
    }
    int i;
    memcpy(&i, at, sizeof i);
    return i;
}

// the choice that decides whether an option is read
static const pcs_opt *needed_by(const solver_class *c, const pcs_opt *opt)
{
    for (int i = 0; opt->needs && i < c->info.n_opts; ++i) {
        if (strcmp(c->info.opt[i].name, opt->needs) == 0) return &c->info.opt[i];
    }
    return NULL;
}

// a value that is not read must be the default: nobody has set it
static pcs_status check_unread(const solver_class *c, const pcs_solver_opts *o, const pcs_opt *opt)
{
    const pcs_opt *needs = needed_by(c, opt);
    const double x = option_value(o, opt), usual = option_value(&c->defaults, opt);
    if (!needs || x == usual) return PCS_OK;
    const int has = (int)option_value(o, needs), low = (int)needs->low;
    if (opt->needs_values & 1u << has) return PCS_OK;
    int set = 0;
    while (!(opt->needs_values & 1u << set)) {
        ++set;
    }
    return pcs_fail(
        PCS_ERR_ARG,
        "%s: %s is %g, which nothing reads with %s = %s: set %s = %s, or leave %s at %g",
        c->info.name, opt->name, x, needs->name, needs->words[has - low], needs->name,
        needs->words[set - low], opt->name, usual);
}

static pcs_status check_options(const solver_class *c, const pcs_solver_opts *o)
{
    const char *name = c->info.name;
    if (!(o->tol > 0) || !isfinite(o->tol)) {
        return pcs_fail(PCS_ERR_ARG, "%s: tol is %g; it must be positive and finite", name, o->tol);
    }
    if ((int)o->stop < PCS_STOP_RESIDUAL || (int)o->stop > PCS_STOP_RELAXED) {
        return pcs_fail(PCS_ERR_ARG, "%s: stop is %d; it must be one of pcs_stop", name,
                        (int)o->stop);
    }
    if (o->max_iters < 0) {
        return pcs_fail(PCS_ERR_ARG, "%s: max_iters is %d; it must not be negative", name,
                        o->max_iters);
    }
    if (!(o->max_seconds >= 0)) {
        return pcs_fail(PCS_ERR_ARG, "%s: max_seconds is %g; it must not be negative (0: no limit)",
                        name, o->max_seconds);
    }
    for (int i = 0; i < c->info.n_opts; ++i) {
        const pcs_opt *opt = &c->info.opt[i];
        const double x = option_value(o, opt);
        if (!(x >= opt->low && x <= opt->high)) {
            return pcs_fail(PCS_ERR_ARG, "%s: %s is %g; it must lie in [%g, %g]", name, opt->name,
                            x, opt->low, opt->high);
        }
    }
    for (int i = 0; i < c->info.n_opts; ++i) {
        PCS_TRY(check_unread(c, o, &c->info.opt[i]));
    }
    return PCS_OK;
}

pcs_status solver_check_cones(const solver_class *c, int nb, const pcs_block *block)
{
    for (int b = 0; b < nb; ++b) {
        if (!(c->info.cones & 1u << block[b].cone)) {
            return pcs_fail(PCS_ERR_UNSUPPORTED, "%s does not take the cone of block %d",
                            c->info.name, b);
        }
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

pcs_status pcs_solver_opts_check(const pcs_solver_opts *opts)
{
    if (!opts) return pcs_fail(PCS_ERR_ARG, "solver options: they are null");
    const solver_class *c = solver_class_of(opts->kind);
    if (!c) return pcs_fail(PCS_ERR_ARG, "solver options: there is no solver %d", (int)opts->kind);
    return check_options(c, opts);
}

pcs_status pcs_solve(const pcs_problem *p, const pcs_solver_opts *opts, pcs_watch watch,
                     pcs_arena work, double *r, double *u, pcs_report *report)
{
    if (!report) return pcs_fail(PCS_ERR_ARG, "pcs_solve: the place for the report is null");
    const solver_class *c = pick(&opts);
    if (!c) {
        return pcs_fail(PCS_ERR_ARG, "pcs_solve: there is no solver of kind %d", (int)opts->kind);
    }
    PCS_TRY(check_options(c, opts));
    if (opts->kind == PCS_SOLVER_IPM && opts->as.ipm.space == PCS_IPM_SPACE_BODY) {
        return pcs_fail(PCS_ERR_UNSUPPORTED,
                        "ipm: space is body, but W is given and not M and H: set space = automatic"
                        " or contact, or solve the global form (pcs_solve_global)");
    }
    PCS_TRY(pcs_problem_check(p));
    PCS_TRY(solver_check_cones(c, p->nb, p->block));
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

    // the caller never sees a number that is not finite
    if (!pcs_all_finite(r, (size_t)p->n)) {
        memset(r, 0, (size_t)p->n * sizeof *r);
        report->outcome = PCS_OUTCOME_DIVERGED;
    }

    // one measure for everybody; a NaN is not <= tol
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
