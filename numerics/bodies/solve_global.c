// pcs_solve_global: the global form is solved as bodies, or condensed where it has no bodies. The
// result is measured in the global form, and only that measure decides about convergence.
#include <string.h>

#include "bodies/from_global.h"
#include "cone/cone.h"
#include "linalg/bsr.h"
#include "solver/solver.h"

// arenas grow to the demand; the limit is above the number of parts that ask for memory
enum { ROUNDS = 20 };

typedef pcs_status (*taker)(const pcs_global_problem *g, pcs_arena *arena, void *out);

static pcs_status take_terms(const pcs_global_problem *g, pcs_arena *arena, void *out)
{
    return global_terms_take(g, NULL, arena, out);
}

static pcs_status take_condensed(const pcs_global_problem *g, pcs_arena *arena, void *out)
{
    return pcs_global_condense(g, arena, out);
}

static pcs_status take_bodies(const pcs_global_problem *g, pcs_arena *arena, void *out)
{
    return bodies_from_global(g, arena, out);
}

// calls `take` with an arena that grows until it fits
static pcs_status take_grown(const pcs_env *env, const pcs_global_problem *g, taker take,
                             pcs_arena *arena, void *out)
{
    size_t peak = 0;
    pcs_failure before;
    pcs_failure_keep(&before);
    pcs_status status = PCS_ERR_MEMORY;
    for (int k = 0; k < ROUNDS && status == PCS_ERR_MEMORY; ++k) {
        const size_t had = peak;
        pcs_arena_destroy(env, arena);
        PCS_TRY(pcs_arena_create(env, peak, arena));
        arena->peak = &peak;
        status = take(g, arena, out);
        // the method fits, but memory ran out
        if (peak <= had) break;
    }
    arena->peak = NULL;
    if (status == PCS_OK) pcs_failure_restore(&before);
    return status;
}

// a solve in one of the forms, from r; it writes v, r, u and the report
typedef struct form {
    const pcs_env *env;
    const global_terms *t;
    pcs_watch watch;
    pcs_problem condensed;
    bodies_problem bodies;
    pcs_status (*solve)(const struct form *f, const pcs_solver_opts *o, double *v, double *r,
                        double *u, pcs_report *out);
} form;

static pcs_status solve_condensed(const form *f, const pcs_solver_opts *o, double *v, double *r,
                                  double *u, pcs_report *out)
{
    (void)v;
    pcs_arena work;
    PCS_TRY(pcs_arena_create(f->env, pcs_solve_bytes(&f->condensed, o), &work));
    const pcs_status status = pcs_solve(&f->condensed, o, f->watch, work, r, u, out);
    pcs_arena_destroy(f->env, &work);
    return status;
}

static pcs_status solve_bodies(const form *f, const pcs_solver_opts *o, double *v, double *r,
                               double *u, pcs_report *out)
{
    bodies_report report;
    PCS_TRY(bodies_solve_alloc(f->env, &f->bodies, f->t->v_free, o, f->watch, INFINITY, v, r, u,
                               &report));
    *out = report.solve;
    out->units = report.units;
    return PCS_OK;
}

// A measure within rounding of tol may be on either side of it in the other form: the second pass
// uses a smaller tolerance
#define SECOND_TOL 0.5

static pcs_status solve_form(const form *f, const pcs_solver_opts *o, double *v, double *r,
                             double *u, pcs_report *out)
{
    pcs_solver_opts opts = *o;
    for (int pass = 0, iters = 0; pass < 2; ++pass) {
        PCS_TRY(f->solve(f, &opts, v, r, u, out));
        out->iters += iters;
        if (out->outcome != PCS_OUTCOME_CONVERGED) break;

        pcs_measure m;
        PCS_TRY(global_terms_measure(f->t, r, v, u, &m));
        if (solver_verdict(o, &m, PCS_OUTCOME_STALLED) == PCS_OUTCOME_CONVERGED) break;
        opts.tol *= SECOND_TOL;
        iters = out->iters;
    }
    return PCS_OK;
}

static pcs_status solve_any(form *f, const solver_class *c, const pcs_solver_opts *o, double *v,
                            double *r, double *u, pcs_report *out)
{
    const pcs_global_problem *g = f->t->g;
    pcs_arena arena = {0};
    pcs_status status = PCS_ERR_UNSUPPORTED;
    f->solve = solve_bodies;
    if (c->solve_bodies) status = take_grown(f->env, g, take_bodies, &arena, &f->bodies);
    if (status == PCS_ERR_UNSUPPORTED) {
        f->solve = solve_condensed;
        status = take_grown(f->env, g, take_condensed, &arena, &f->condensed);
    }
    if (status == PCS_OK) status = solve_form(f, o, v, r, u, out);
    pcs_arena_destroy(f->env, &arena);
    return status;
}

static pcs_status run(const pcs_env *env, const solver_class *c, const global_terms *t,
                      const pcs_solver_opts *o, pcs_watch watch, double *v, double *r, double *u,
                      pcs_report *report)
{
    report->outcome = PCS_OUTCOME_STALLED;
    form f = {.env = env, .t = t, .watch = watch};
    PCS_TRY(solve_any(&f, c, o, v, r, u, report));

    // the caller never receives a number that is not finite
    if (!pcs_all_finite(r, (size_t)t->n)) {
        memset(r, 0, (size_t)t->n * sizeof *r);
        report->outcome = PCS_OUTCOME_DIVERGED;
    }
    PCS_TRY(global_terms_measure(t, r, v, u, &report->measure));
    report->outcome = solver_verdict(o, &report->measure, report->outcome);
    return PCS_OK;
}

pcs_status pcs_solve_global(const pcs_env *env, const pcs_global_problem *g,
                            const pcs_solver_opts *opts, pcs_watch watch, double *v, double *r,
                            double *u, pcs_report *report)
{
    if (!report) return pcs_fail(PCS_ERR_ARG, "pcs_solve_global: report is null");
    const solver_class *c = solver_class_of(opts ? opts->kind : PCS_SOLVER_AUTO);
    const pcs_solver_opts *o = opts ? opts : c ? &c->defaults : NULL;
    if (!c) {
        return pcs_fail(PCS_ERR_ARG, "pcs_solve_global: there is no solver of kind %d",
                        (int)opts->kind);
    }
    PCS_TRY(pcs_solver_opts_check(o));
    PCS_TRY(pcs_global_check(g));
    PCS_TRY(solver_check_cones(c, 0, g->nb, g->block));
    const int n = bsr_rows(&g->H), nv = bsr_cols(&g->H);
    if ((n > 0 && (!r || !u)) || (nv > 0 && !v)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_solve_global: v, r or u is null");
    }
    PCS_TRY(solver_check_start(n, r));

    // without contacts the velocities are those without impulses
    *report = (pcs_report){.outcome = PCS_OUTCOME_CONVERGED, .solver = o->kind};
    if (n == 0) return nv > 0 ? pcs_mass_matrix_solve(g->M, g->f, v) : PCS_OK;

    const double start = solver_clock();
    cone_project(g->nb, g->block, r);
    pcs_arena arena = {0};
    global_terms t;
    pcs_status status = take_grown(env, g, take_terms, &arena, &t);
    if (status == PCS_OK) status = run(env, c, &t, o, watch, v, r, u, report);
    pcs_arena_destroy(env, &arena);
    report->seconds = solver_clock() - start;
    return status;
}
