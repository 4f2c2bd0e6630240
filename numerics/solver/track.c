// What all iterative solvers do between two steps.
#include <string.h>

#include "problem/measure.h"
#include "problem/problem.h"
#include "solver/solver.h"

size_t track_bytes(const pcs_problem *p)
{
    return solver_bytes((size_t)p->n, sizeof(double)) + solver_bytes(2 * (size_t)p->nb, 1);
}

bool track_begin(solver_track *t, const pcs_problem *p, const pcs_solver_opts *o, pcs_watch watch,
                 pcs_arena *work, const double *r)
{
    *t = (solver_track){.p = p,
                        .o = o,
                        .watch = watch,
                        .best_value = INFINITY,
                        .value = INFINITY,
                        .norm_w = problem_norm_of(&p->W),
                        .step = NAN,
                        .penalty = NAN};
    if (o->max_seconds > 0) t->start = t->last = solver_clock();
    t->best = PCS_TAKE(work, (size_t)p->n, double);
    t->status = PCS_TAKE(work, 2 * (size_t)p->nb, unsigned char);
    if (!t->best || !t->status) return false;
    t->reported = t->status + p->nb;
    memcpy(t->best, r, (size_t)p->n * sizeof *r);
    return true;
}

// keeps r if its measure, the last one, is the best
static void keep(solver_track *t, const double *r)
{
    t->value = solver_stop_value(t->o, &t->measure);
    if (t->value < t->best_value) {
        t->best_value = t->value;
        t->best_measure = t->measure;
        memcpy(t->best, r, (size_t)t->p->n * sizeof *r);
    }
}

void track_adopt(solver_track *t, const double *r, const pcs_measure *measure)
{
    t->measure = *measure;
    keep(t, r);
}

double track_measure(solver_track *t, const double *r, double *u)
{
    if (!t->terms) {
        problem_measure_near(t->p, t->norm_w, r, u, &t->measure);
    } else if (global_terms_measure_near(t->terms, r, t->v, u, &t->measure) != PCS_OK) {
        t->measure.residual = t->measure.natural_map = NAN;
    }
    if (t->watch.fn) problem_status(t->p, r, u, t->status);
    keep(t, r);
    return t->value;
}

bool track_watch(solver_track *t, int iters)
{
    if (!t->watch.fn) return false;
    int changes = t->heard ? 0 : -1;
    for (int b = 0; b < t->p->nb && t->heard; ++b) {
        changes += t->status[b] != t->reported[b];
    }
    memcpy(t->reported, t->status, (size_t)t->p->nb);
    t->heard = true;

    const pcs_progress now = {
        .solver = t->o->kind,
        .iters = iters,
        .value = t->value,
        .residual = t->measure.residual,
        .natural_map = pcs_measure_relative_natural_map(&t->measure),
        .step = t->step,
        .penalty = t->penalty,
        .status_changes = changes,
    };
    return t->watch.fn(t->watch.user, &now) != 0;
}

bool track_late(const solver_track *t)
{
    return t->o->max_seconds > 0 && solver_clock() - t->start > t->o->max_seconds;
}

// true when max_seconds are over, or would be after as much time as since the last call
static bool next_is_late(solver_track *t)
{
    if (!(t->o->max_seconds > 0)) return false;
    const double now = solver_clock(), next = now + (now - t->last);
    t->last = now;
    return next - t->start > t->o->max_seconds;
}

bool track_done(solver_track *t, int iters)
{
    t->iters = iters;
    if (t->value <= t->o->tol) {
        t->outcome = PCS_OUTCOME_CONVERGED;
        return true;
    }
    if (!isfinite(t->value)) {
        t->outcome = PCS_OUTCOME_DIVERGED;
        return true;
    }
    if (track_watch(t, iters)) {
        t->outcome = PCS_OUTCOME_STOPPED;
        return true;
    }
    if (next_is_late(t)) {
        t->outcome = PCS_OUTCOME_TIME_LIMIT;
        return true;
    }
    t->outcome = PCS_OUTCOME_MAX_ITERS;
    return iters >= t->o->max_iters;
}

// without a constant term r = 0 is a solution, which the iterates only approach
static bool try_zero(const pcs_problem *p, solver_track *t, double *r, double *u)
{
    for (int i = 0; i < p->n; ++i) {
        if (p->q[i] != 0) return false;
    }
    memset(r, 0, (size_t)p->n * sizeof *r);
    track_measure(t, r, u);
    return track_done(t, 0);
}

bool track_is_over(solver_track *t, double *r, double *u)
{
    track_measure(t, r, u);
    return track_done(t, 0) || try_zero(t->p, t, r, u);
}

void track_end(const solver_track *t, double *r, pcs_report *out)
{
    memcpy(r, t->best, (size_t)t->p->n * sizeof *r);
    out->outcome = t->outcome;
    out->iters = t->iters;
    if (t->best_value < INFINITY) out->measure = t->best_measure;
}
