// What every iterative solver does between two steps.
#include <string.h>

#include "solver/solver.h"

size_t track_bytes(const pcs_problem *p)
{
    return solver_bytes((size_t)p->n, sizeof(double));
}

bool track_begin(solver_track *t, const pcs_problem *p, const pcs_solver_opts *o, pcs_watch watch,
                 pcs_arena *work, const double *r)
{
    *t = (solver_track){.p = p, .o = o, .watch = watch, .best_value = INFINITY, .value = INFINITY};
    if (o->max_seconds > 0) t->start = solver_clock();
    t->best = PCS_TAKE(work, (size_t)p->n, double);
    if (!t->best) return false;
    memcpy(t->best, r, (size_t)p->n * sizeof *r);
    return true;
}

double track_measure(solver_track *t, const double *r, double *u)
{
    pcs_problem_measure(t->p, r, u, &t->measure);
    t->value = solver_stop_value(t->o, &t->measure);
    if (t->value < t->best_value) {
        t->best_value = t->value;
        memcpy(t->best, r, (size_t)t->p->n * sizeof *r);
    }
    return t->value;
}

bool track_done(solver_track *t, int iters)
{
    t->iters = iters;
    if (t->value <= t->o->tol) {
        t->outcome = PCS_CONVERGED;
        return true;
    }
    if (!isfinite(t->value)) {
        t->outcome = PCS_DIVERGED;
        return true;
    }
    if (t->watch.fn && t->watch.fn(t->watch.user, iters, t->value)) {
        t->outcome = PCS_STOPPED;
        return true;
    }
    if (t->o->max_seconds > 0 && solver_clock() - t->start > t->o->max_seconds) {
        t->outcome = PCS_TIME_LIMIT;
        return true;
    }
    t->outcome = PCS_MAX_ITERS;
    return iters >= t->o->max_iters;
}

void track_end(const solver_track *t, double *r, pcs_report *out)
{
    memcpy(r, t->best, (size_t)t->p->n * sizeof *r);
    out->outcome = t->outcome;
    out->iters = t->iters;
}
