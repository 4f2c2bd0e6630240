// Runs the parts of `auto`, each from the best r so far.
#include "solver/portfolio.h"

#include <string.h>

#include "cone/cone.h"
#include "problem/problem.h"

pcs_solver_opts portfolio_options(const portfolio *f, const solver_class *c)
{
    pcs_solver_opts part = c->defaults;
    part.tol = f->o->tol;
    part.stop = f->o->stop;
    return part;
}

bool portfolio_begins(portfolio *f, auto_part part)
{
    f->part = part;
    return part_runs(f->o, part);
}

static int tell(void *user, const pcs_progress *now)
{
    const portfolio *f = user;
    pcs_progress next = *now;
    next.part = f->part;
    return f->user.fn(f->user.user, &next);
}

pcs_watch portfolio_watch(portfolio *f)
{
    return f->user.fn ? (pcs_watch){tell, f} : (pcs_watch){0};
}

void portfolio_credit(portfolio *f, pcs_solver solver)
{
    f->winner = solver;
    f->winning = f->part;
}

bool portfolio_measure(portfolio *f, double *r)
{
    cone_project(f->p->nb, f->p->block, r);
    const double before = f->t.best_value;
    track_measure(&f->t, r, f->u);
    f->budget -= 1;
    if (f->t.best_value < before) portfolio_credit(f, PCS_SOLVER_AUTO);
    // what comes next is a part, which keeps the time itself, and no iteration
    if (f->o->max_seconds > 0) f->t.last = solver_clock();
    f->over = track_done(&f->t, f->t.iters + 1);
    return f->over;
}

pcs_status portfolio_run(portfolio *f, const solver_class *c, const pcs_solver_opts *options,
                         double cost, const double *start)
{
    if (f->over || f->infeasible || f->budget <= 0) return PCS_OK;

    pcs_solver_opts part = *options;
    const double allowed = f->budget / cost;
    if (!(part.max_iters < allowed)) part.max_iters = (int)allowed + 1;
    if (f->o->max_seconds > 0) {
        part.max_seconds = f->o->max_seconds - (solver_clock() - f->t.start);
        if (!(part.max_seconds > 0)) {
            f->t.outcome = PCS_OUTCOME_TIME_LIMIT;
            f->over = true;
            return PCS_OK;
        }
    }

    pcs_report report = {
        .outcome = PCS_OUTCOME_STALLED, .solver = c->info.kind, .measure.norm_q = -1};
    memcpy(f->r, start ? start : f->t.best, (size_t)f->p->n * sizeof *f->r);
    PCS_TRY(c->solve(f->p, &part, f->watch, f->work, f->r, f->u, &report));
    f->budget -= report.iters * cost;
    f->t.iters += report.iters;
    if (report.least > 0) {
        f->least = report.least;
        f->undecided = report.undecided;
    }

    const double before = f->t.best_value;
    // parts with a track have measured what they return
    if (report.measure.norm_q >= 0) {
        track_adopt(&f->t, f->r, &report.measure);
    } else if (pcs_all_finite(f->r, (size_t)f->p->n)) {
        track_measure(&f->t, f->r, f->u);
    }
    if (f->t.best_value < before) portfolio_credit(f, c->info.kind);
    f->infeasible = report.outcome == PCS_OUTCOME_INFEASIBLE && !(f->t.best_value <= f->o->tol);
    if (f->t.best_value <= f->o->tol) {
        f->t.outcome = PCS_OUTCOME_CONVERGED;
        f->over = true;
    } else if (report.outcome == PCS_OUTCOME_STOPPED || report.outcome == PCS_OUTCOME_TIME_LIMIT) {
        f->t.outcome = report.outcome;
        f->over = true;
    }
    return PCS_OK;
}

bool portfolio_refuted(portfolio *f)
{
    const int n = f->p->n;
    double *y = f->r, *t = f->scratch;
    for (int i = 0; i < n && n <= 200; ++i) {
        memset(y, 0, (size_t)n * sizeof *y);
        y[i] = f->p->q[i] > 0 ? -1 : 1;
        if (problem_refuted_by(f->p, y, t)) return true;
    }
    memcpy(y, f->t.best, (size_t)n * sizeof *y);
    if (problem_refuted_by(f->p, y, t)) return true;
    pcs_measure m;
    pcs_problem_measure(f->p, f->t.best, t, &m);
    for (int i = 0; i < n; ++i) {
        y[i] = -t[i] / f->s[i];
    }
    return problem_refuted_by(f->p, y, t);
}
