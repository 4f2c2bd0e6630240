// `auto` with friction. In this order, each from the best r found so far, until one converges:
//
//   1. nsgs, as long as the rate at which it converges promises an end sooner than Newton's method
//      would cost
//   2. prox: Newton on proximal problems, which hyperstatic contacts do not make singular
//   3. ipm from the inside of the cones, and Newton steps of least norm for the digits that
//   rounding
//      denies to an interior point; again with shorter steps
//   4. nsgs without a promise, the second time damped, as friction lets it go round in circles
//   5. Newton steps of least norm from the best r
#include <string.h>

#include "problem/problem.h"
#include "solver/polish.h"
#include "solver/portfolio.h"

// ---- what things cost ------------------------------------------------------------------------

// of one local solve of a contact, in multiplications
#define LOCAL_COST 150
// of a sparse factorisation, in products with W; of a dense one in n^3
#define SPARSE_STEP 200
#define DENSE_STEP  0.2
#define DENSE_ROWS  120

typedef struct costs {
    double sweep; // of nsgs, in products with W
    double step;  // of Newton's method or of an interior point
} costs;

static costs costs_of(const pcs_problem *p)
{
    double stored = 0;
    for (int i = 0; i < p->W.m; ++i) {
        for (int k = p->W.ptr[i]; k < p->W.ptr[i + 1]; ++k) {
            const int j = p->W.idx[k];
            stored += (double)(p->W.row[i + 1] - p->W.row[i]) * (p->W.col[j + 1] - p->W.col[j]);
        }
    }
    const double n = p->n, product = stored + 10 * n;
    costs c = {.sweep = 1 + LOCAL_COST * p->nb / product, .step = SPARSE_STEP};
    if (n <= DENSE_ROWS || stored > 0.25 * n * n) c.step = 10 + DENSE_STEP * n * n * n / product;
    return c;
}

// ---- nsgs as long as it promises something -----------------------------------------------------

// sweeps before its rate is believed, and those that a promise may ask for at least
#define FIRST_SWEEPS 20
#define LEAST_SWEEPS 40
// steps after which Newton's method is expected to have converged
#define NEWTON_STEPS 15
// checks that a rate is taken over
#define WINDOW 4

typedef struct promise {
    pcs_watch user;
    double tol;
    int patience;        // sweeps that may be promised
    double last[WINDOW]; // stop values of the last checks
    int at[WINDOW];      // and their sweeps
    int checks;
    bool broken;
} promise;

static int keep_promise(void *user, const pcs_progress *now)
{
    promise *w = user;
    if (w->user.fn && w->user.fn(w->user.user, now) != 0) return 1;

    const int k = w->checks % WINDOW, before = w->checks - (WINDOW - 1);
    w->last[k] = now->value;
    w->at[k] = now->iters;
    w->checks += 1;
    if (now->iters < FIRST_SWEEPS || before < 0) return 0;
    const double digits = log(w->last[before % WINDOW] / now->value);
    const double sweeps = now->iters - w->at[before % WINDOW];
    const double left = log(now->value / w->tol);
    w->broken = !(digits * w->patience >= left * sweeps);
    return w->broken;
}

static pcs_status promised(portfolio *f, costs c)
{
    promise w = {.user = f->watch, .tol = f->o->tol};
    w.patience = (int)(NEWTON_STEPS * c.step / c.sweep);
    if (w.patience < LEAST_SWEEPS) w.patience = LEAST_SWEEPS;
    f->watch = (pcs_watch){keep_promise, &w};
    pcs_solver_opts o = portfolio_options(f, &solver_nsgs);
    o.max_iters = 100000;
    const pcs_status status = portfolio_run(f, &solver_nsgs, &o, c.sweep, NULL);
    f->watch = w.user;
    if (f->over && f->t.outcome == PCS_STOPPED && w.broken) f->over = false;
    return status;
}

// ---- the parts -------------------------------------------------------------------------------

// Newton steps of least norm, and when they have become cheap
#define POLISH_STEPS 20

static pcs_status last_digits(portfolio *f, costs c)
{
    if (f->over || f->infeasible || f->budget <= 0) return PCS_OK;
    double value;
    memcpy(f->r, f->t.best, (size_t)f->p->n * sizeof *f->r);
    const int steps = polish(f->p, f->o, POLISH_STEPS, f->work, f->r, f->u, &value);
    if (steps < 0) return pcs_fail_memory("auto");
    f->budget -= steps * c.step;
    if (value < f->t.best_value) f->winner = PCS_NEWTON;
    portfolio_look(f, f->r);
    return PCS_OK;
}

static pcs_status proximal(portfolio *f, costs c, int steps)
{
    pcs_solver_opts o = portfolio_options(f, &solver_prox);
    o.max_iters = steps;
    return portfolio_run(f, &solver_prox, &o, c.step, NULL);
}

static pcs_status interior(portfolio *f, costs c, double fraction, pcs_shift shift)
{
    if (f->over || f->infeasible) return PCS_OK;
    pcs_solver_opts o = portfolio_options(f, &solver_ipm);
    o.as.ipm.step_fraction = fraction;
    o.as.ipm.shift = shift;
    PCS_TRY(portfolio_run(f, &solver_ipm, &o, c.step, NULL));
    return last_digits(f, c);
}

static pcs_status splitting(portfolio *f, costs c, int iterations)
{
    (void)c;
    pcs_solver_opts o = portfolio_options(f, &solver_admm);
    o.max_iters = iterations;
    return portfolio_run(f, &solver_admm, &o, 4, NULL);
}

static pcs_status sweeps(portfolio *f, costs c, double relaxation, int rounds)
{
    pcs_solver_opts o = portfolio_options(f, &solver_nsgs);
    o.as.nsgs.relaxation = relaxation;
    o.max_iters = 2000;
    double before = INFINITY;
    for (int k = 0; k < rounds && f->t.best_value < 0.5 * before; ++k) {
        before = f->t.best_value;
        PCS_TRY(portfolio_run(f, &solver_nsgs, &o, c.sweep, NULL));
    }
    return PCS_OK;
}

size_t portfolio_friction_bytes(const pcs_problem *p, const pcs_solver_opts *o)
{
    const solver_class *const parts[] = {&solver_nsgs, &solver_prox, &solver_ipm, &solver_admm};
    size_t most = polish_bytes(p);
    for (size_t k = 0; k < sizeof parts / sizeof *parts; ++k) {
        pcs_solver_opts part = parts[k]->defaults;
        part.stop = o->stop;
        const size_t bytes = parts[k]->work_bytes(p, &part);
        if (bytes > most) most = bytes;
    }
    return most;
}

pcs_status portfolio_friction(portfolio *f)
{
    const costs c = costs_of(f->p);
    PCS_TRY(promised(f, c));
    PCS_TRY(proximal(f, c, 25));
    PCS_TRY(splitting(f, c, 2000));
    PCS_TRY(last_digits(f, c));
    PCS_TRY(interior(f, c, 0.99, PCS_SHIFT_DIFFERENTIATED));
    PCS_TRY(proximal(f, c, 100));
    PCS_TRY(splitting(f, c, 10000));
    PCS_TRY(last_digits(f, c));
    PCS_TRY(interior(f, c, 0.9, PCS_SHIFT_DIFFERENTIATED));
    PCS_TRY(proximal(f, c, 300));
    PCS_TRY(sweeps(f, c, 1, 3));
    PCS_TRY(sweeps(f, c, 0.5, 3));
    PCS_TRY(last_digits(f, c));
    return PCS_OK;
}
