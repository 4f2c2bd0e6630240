// `auto` with friction. In this order, until one converges:
//
//   1. nsgs, while its rate of convergence predicts that it ends sooner than the next methods
//   2. few rows: prox, Newton on proximal problems, which stay regular for hyperstatic contacts;
//      then Newton on the problem itself, with steps of least norm
//   3. ADMM for some hundred iterations, then Newton steps of least norm for the last digits
//   4. ipm from the inside of the cones, then the same steps; with few rows, again with shorter
//      steps: where impulses of hyperstatic contacts have to move to other contacts, they pass
//      along the edge of the cones, where the other methods take thousands of iterations
//   5. ADMM with more iterations; prox; few contacts: enumeration
//   6. ADMM with other penalties, memories and dampings, each from the start: where the shift of
//      friction makes one of them cycle, another may not
//   7. ipm with shorter steps (many rows), prox with more iterations, nsgs to its limit and damped,
//      Newton with more iterations
//
// Each continues from the best r so far unless said otherwise; the best r is returned.
#include <string.h>

#include "linalg/bsr.h"
#include "problem/problem.h"
#include "solver/polish.h"
#include "solver/portfolio.h"

// ---- costs -------------------------------------------------------------------------------------

// cost of one local solve of a contact, in multiplications
#define LOCAL_COST 150
// cost of a sparse factorisation, in products with W; of a dense one in n^3
#define SPARSE_STEP 200
#define DENSE_STEP  0.2
#define DENSE_ROWS  120

typedef struct costs {
    double sweep; // cost of a sweep of nsgs, in products with W
    double step;  // cost of a step of Newton's method or of an interior point method
} costs;

static costs costs_of(const pcs_problem *p)
{
    const double stored = bsr_stored(&p->W);
    const double n = p->n, product = stored + 10 * n;
    costs c = {.sweep = 1 + LOCAL_COST * p->nb / product, .step = SPARSE_STEP};
    if (n <= DENSE_ROWS || stored > 0.25 * n * n) c.step = 10 + DENSE_STEP * n * n * n / product;
    return c;
}

// ---- nsgs while its rate predicts convergence --------------------------------------------------

// sweeps before the rate is used, and the least number of sweeps that is always allowed
#define FIRST_SWEEPS 20
#define LEAST_SWEEPS 40
// expected number of steps of Newton's method, and cost of ADMM in products
#define NEWTON_STEPS 15
#define OTHERS       500
// number of checks for one rate
#define WINDOW 4

typedef struct promise {
    pcs_watch user;
    double tol;
    int patience;        // largest number of predicted sweeps
    double last[WINDOW]; // stop values of the last checks
    int at[WINDOW];      // number of sweeps at these checks
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
    w.patience = (int)(fmin(NEWTON_STEPS * c.step, OTHERS) / c.sweep);
    if (w.patience < LEAST_SWEEPS) w.patience = LEAST_SWEEPS;
    f->watch = (pcs_watch){keep_promise, &w};
    pcs_solver_opts o = portfolio_options(f, &solver_nsgs);
    o.max_iters = 100000;
    const pcs_status status = portfolio_run(f, &solver_nsgs, &o, c.sweep, NULL);
    f->watch = w.user;
    if (f->over && f->t.outcome == PCS_OUTCOME_STOPPED && w.broken) f->over = false;
    return status;
}

// ---- the parts -------------------------------------------------------------------------------

// up to this many rows Newton's method is the first after nsgs, and an interior point method the
// second
#define SMALL_ROWS    240
#define INTERIOR_ROWS 3000
// largest number of Newton steps of least norm
#define POLISH_STEPS 20
// mean number of Newton steps of a try of enum
#define TRY_STEPS 3
// cost of an iteration of ADMM
#define ADMM_COST 4

// Newton steps of least norm from the best r
static pcs_status last_digits(portfolio *f, costs c)
{
    if (f->over || f->infeasible || f->budget <= 0) return PCS_OK;
    double value;
    pcs_solver_opts o = *f->o;
    if (o.max_seconds > 0) {
        o.max_seconds -= solver_clock() - f->t.start;
        // the next check of the clock ends the solve
        if (!(o.max_seconds > 0)) return PCS_OK;
    }
    memcpy(f->r, f->t.best, (size_t)f->p->n * sizeof *f->r);
    const int steps = polish(f->p, &o, POLISH_STEPS, f->work, f->r, f->u, &value);
    if (steps < 0) return pcs_fail_memory("auto");
    f->budget -= steps * c.step;
    if (value < f->t.best_value) f->winner = PCS_SOLVER_NEWTON;
    portfolio_measure(f, f->r);
    return PCS_OK;
}

static pcs_status proximal(portfolio *f, costs c, int steps, const double *start)
{
    pcs_solver_opts o = portfolio_options(f, &solver_prox);
    o.max_iters = steps;
    return portfolio_run(f, &solver_prox, &o, c.step, start);
}

// Its steps of least norm move impulses of hyperstatic contacts as far as they have to, where the
// proximal points take small steps: contacts whose gaps do not quite fit a plane
static pcs_status least_norm(portfolio *f, costs c, int steps, const double *start)
{
    pcs_solver_opts o = portfolio_options(f, &solver_newton);
    o.max_iters = steps;
    return portfolio_run(f, &solver_newton, &o, c.step, start);
}

static bool is_enumerable(const portfolio *f)
{
    const pcs_enum_opts *o = &solver_enum.defaults.as.enumerate;
    return f->contacts <= o->max_contacts && f->rows <= o->max_rows;
}

// tries every combination of open, stick and slide
static pcs_status enumerated(portfolio *f, costs c)
{
    const pcs_solver_opts o = portfolio_options(f, &solver_enum);
    return portfolio_run(f, &solver_enum, &o, TRY_STEPS * c.step, NULL);
}

static pcs_status interior(portfolio *f, costs c, double fraction)
{
    if (f->over || f->infeasible) return PCS_OK;
    pcs_solver_opts o = portfolio_options(f, &solver_ipm);
    o.as.ipm.step_fraction = fraction;
    PCS_TRY(portfolio_run(f, &solver_ipm, &o, c.step, NULL));
    return last_digits(f, c);
}

// diverging impulses may follow a proof that there is no solution
static void refute(portfolio *f)
{
    if (f->over || f->infeasible) return;
    memcpy(f->r, f->t.best, (size_t)f->p->n * sizeof *f->r);
    f->infeasible = problem_refuted_by(f->p, f->r, f->scratch);
    f->budget -= 1;
}

// ADMM converges on most problems; where the shift of friction makes it cycle, another penalty,
// memory or damping often helps
static pcs_status splitting(portfolio *f, const pcs_admm_opts *variant, int iterations,
                            const double *start)
{
    pcs_solver_opts o = portfolio_options(f, &solver_admm);
    if (variant) o.as.admm = *variant;
    o.max_iters = iterations;
    return portfolio_run(f, &solver_admm, &o, ADMM_COST, start);
}

static pcs_status variants(portfolio *f, costs c, const double *start)
{
    enum { VARIANTS = 5 };
    for (int k = 0; k < VARIANTS; ++k) {
        pcs_admm_opts variant = solver_admm.defaults.as.admm;
        if (k == 0) variant.depth = 5;
        if (k == 1) variant.rho = 1;
        if (k == 2) variant.damping = 0.3;
        if (k == 3) variant.rho = 0.01;
        if (k == 4) variant.damping = 0.1;
        PCS_TRY(splitting(f, &variant, 4000, start));
        PCS_TRY(last_digits(f, c));
        PCS_TRY(proximal(f, c, 60, NULL));
    }
    return PCS_OK;
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
    const solver_class *const parts[] = {&solver_nsgs, &solver_prox, &solver_newton,
                                         &solver_ipm,  &solver_admm, &solver_enum};
    size_t most = polish_bytes(p);
    for (size_t k = 0; k < sizeof parts / sizeof *parts; ++k) {
        pcs_solver_opts part = parts[k]->defaults;
        part.stop = o->stop;
        const size_t bytes = parts[k]->work_bytes(p, &part);
        if (bytes > most) most = bytes;
    }
    return most + solver_bytes((size_t)p->n, sizeof(double));
}

pcs_status portfolio_friction(portfolio *f)
{
    const costs c = costs_of(f->p);
    double *start = PCS_TAKE(&f->work, (size_t)f->p->n, double);
    if (!start) return pcs_fail_memory("auto");
    memcpy(start, f->r, (size_t)f->p->n * sizeof *start);
    PCS_TRY(promised(f, c));
    const bool small = f->p->n <= SMALL_ROWS;
    if (small) PCS_TRY(proximal(f, c, 30, start));
    if (small) PCS_TRY(least_norm(f, c, 60, start));
    PCS_TRY(splitting(f, NULL, 300, NULL));
    PCS_TRY(last_digits(f, c));
    refute(f);
    const bool interior_first = f->p->n <= INTERIOR_ROWS;
    if (interior_first) PCS_TRY(interior(f, c, 0.99));
    if (small) PCS_TRY(interior(f, c, 0.9));
    PCS_TRY(splitting(f, NULL, 2000, start));
    PCS_TRY(last_digits(f, c));
    if (!interior_first) PCS_TRY(interior(f, c, 0.99));
    PCS_TRY(proximal(f, c, 100, NULL));
    if (is_enumerable(f)) PCS_TRY(enumerated(f, c));
    PCS_TRY(variants(f, c, start));
    PCS_TRY(splitting(f, NULL, 10000, NULL));
    PCS_TRY(last_digits(f, c));
    if (!small) PCS_TRY(interior(f, c, 0.9));
    PCS_TRY(proximal(f, c, 300, start));
    PCS_TRY(sweeps(f, c, 1, 3));
    PCS_TRY(sweeps(f, c, 0.5, 3));
    PCS_TRY(last_digits(f, c));
    if (small) PCS_TRY(least_norm(f, c, 500, NULL));
    return PCS_OK;
}
