// `auto` with friction: the parts of the table `course` in its order, until one converges. nsgs
// runs while its rate of convergence predicts that it ends sooner than the next parts.
//
// After admm and ipm follow Newton steps of least norm for the last digits. With few rows newton
// comes first: where the gaps of hyperstatic contacts do not quite fit a plane, its steps of least
// norm move impulses as far as they have to, and prox takes small steps. Where the shift of
// friction makes ADMM cycle, another penalty often does not. What all of them leave is followed
// along its path, and where there are few rows, Newton's method tries random starts.
// doc/solver-auto.md shows what each part solves.
#include <string.h>

#include "cone/cone.h"
#include "linalg/bsr.h"
#include "problem/problem.h"
#include "solver/polish.h"
#include "solver/portfolio.h"
#include "solver/random.h"

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
    const double sweeps = now->iters - w->at[before % WINDOW];
    w->broken = !solver_arrives(w->last[before % WINDOW], now->value, sweeps, w->tol, w->patience);
    return w->broken;
}

static pcs_status promised(portfolio *f, const pcs_solver_opts *o, costs c)
{
    promise w = {.user = f->watch, .tol = f->o->tol};
    w.patience = (int)(fmin(NEWTON_STEPS * c.step, OTHERS) / c.sweep);
    if (w.patience < LEAST_SWEEPS) w.patience = LEAST_SWEEPS;
    f->watch = (pcs_watch){keep_promise, &w};
    const pcs_status status = portfolio_run(f, &solver_nsgs, o, c.sweep, NULL);
    f->watch = w.user;
    if (f->over && f->t.outcome == PCS_OUTCOME_STOPPED && w.broken) f->over = false;
    return status;
}

// ---- the parts -------------------------------------------------------------------------------

// up to this many rows prox and newton are the first after nsgs
#define SMALL_ROWS 240
// largest number of Newton steps of least norm
#define POLISH_STEPS 20
// cost of an iteration of ADMM
#define ADMM_COST 4
// largest number of factorisations of homotopy, and those that the budget must pay for: few paths
// arrive with less
#define PATH_ITERS 3000
#define PATH_LEAST 300

typedef struct part {
    auto_part number;
    const solver_class *solver;
    int iters;
    bool from_start; // from the start of the solve, else from the best r so far
    int most_rows;   // of the problems that have this part; 0: no limit
    double rho;      // of admm; 0: the default
} part;

static const part course[] = {
    {.number = PART_NSGS, .solver = &solver_nsgs, .iters = 100000},
    {.number = PART_PROX,
     .solver = &solver_prox,
     .iters = 30,
     .from_start = true,
     .most_rows = SMALL_ROWS},
    {.number = PART_NEWTON_FEW,
     .solver = &solver_newton,
     .iters = 60,
     .from_start = true,
     .most_rows = SMALL_ROWS},
    {.number = PART_ADMM, .solver = &solver_admm, .iters = 300},
    {.number = PART_IPM, .solver = &solver_ipm, .iters = 60},
    {.number = PART_ADMM_AGAIN,
     .solver = &solver_admm,
     .iters = 4000,
     .from_start = true,
     .rho = 0.01},
    {.number = PART_HOMOTOPY, .solver = &solver_homotopy, .iters = PATH_ITERS},
};
#define PARTS ((int)(sizeof course / sizeof *course))

static bool takes(const part *k, const portfolio *f)
{
    if (f->boxes > 0 && !(k->solver->info.cones & 1u << PCS_CONE_BOX)) return false;
    return k->most_rows == 0 || f->p->n <= k->most_rows;
}

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
    if (value < f->t.best_value) portfolio_credit(f, PCS_SOLVER_NEWTON);
    portfolio_measure(f, f->r);
    return PCS_OK;
}

// diverging impulses may follow a proof that there is no solution
static void refute(portfolio *f)
{
    if (f->over || f->infeasible) return;
    memcpy(f->r, f->t.best, (size_t)f->p->n * sizeof *f->r);
    f->infeasible = problem_refuted_by(f->p, f->r, f->scratch);
    f->budget -= 1;
}

static pcs_status run(portfolio *f, const part *k, costs c, const double *start)
{
    if (k->solver == &solver_homotopy && f->budget < PATH_LEAST * c.step) return PCS_OK;
    pcs_solver_opts o = portfolio_options(f, k->solver);
    o.max_iters = k->iters;
    if (k->rho > 0) o.as.admm.rho = k->rho;
    if (k->solver == &solver_prox && f->o->as.portfolio.kappa > 0) {
        o.as.prox.alpha = 1 / f->o->as.portfolio.kappa;
    }
    if (k->solver == &solver_nsgs) return promised(f, &o, c);
    const double cost = k->solver == &solver_admm ? ADMM_COST : c.step;
    PCS_TRY(portfolio_run(f, k->solver, &o, cost, k->from_start ? start : NULL));
    if (k->solver == &solver_prox || k->solver == &solver_newton) return PCS_OK;
    PCS_TRY(last_digits(f, c));
    refute(f);
    return PCS_OK;
}

// ---- random starts ---------------------------------------------------------------------------

// largest number of rows that have this part, number of starts, and Newton steps from each
#define START_ROWS  60
#define STARTS      150
#define START_STEPS 40
// Size of the random part over |q| / s: 10^-FAR_LOG to 10^FAR_LOG, and near the best r
// 10^-NEAR_LOG to 1
#define FAR_LOG  1.5
#define NEAR_LOG 5

// a random point of K, or the best r changed at random; each block has a size of its own
static void draw(const portfolio *f, bool near, uint64_t *state, double *r)
{
    for (int b = 0; b < f->p->nb; ++b) {
        const pcs_block *k = &f->p->block[b];
        const double unit = xorshift_unit(state),
                     log = near ? -NEAR_LOG * unit : FAR_LOG * (2 * unit - 1);
        for (int i = k->row; i < k->row + k->dim; ++i) {
            const double size = f->t.best_measure.q_unit * pow(10, log) / f->s[i];
            r[i] = (near ? f->t.best[i] : 0) + size * (2 * xorshift_unit(state) - 1);
        }
    }
    cone_project(f->p->nb, f->p->block, r);
}

// Newton's method from random statuses of the contacts, on functions with which it changes these as
// an active set method does: within few steps it is at a solution or at a kink of |F|. With the one
// of Fischer and Burmeister it needs more starts and more steps.
static pcs_status random_starts(portfolio *f, costs c)
{
    static const pcs_newton_function functions[] = {PCS_NEWTON_FUNCTION_AC,
                                                    PCS_NEWTON_FUNCTION_NATURAL};
    pcs_solver_opts o = portfolio_options(f, &solver_newton);
    o.max_iters = START_STEPS;
    o.as.newton.restarts = 0;
    uint64_t state = 88172645463325252u;
    for (int k = 0; k < STARTS && !f->over && !f->infeasible; ++k) {
        o.as.newton.function = functions[k % 2];
        draw(f, k % 4 >= 2, &state, f->scratch);
        PCS_TRY(portfolio_run(f, &solver_newton, &o, c.step, f->scratch));
    }
    return last_digits(f, c);
}

size_t portfolio_friction_bytes(const pcs_problem *p, const pcs_solver_opts *o)
{
    size_t most = polish_bytes(p);
    for (int k = 0; k < PARTS; ++k) {
        pcs_solver_opts part_opts = course[k].solver->defaults;
        part_opts.stop = o->stop;
        const size_t bytes = course[k].solver->work_bytes(p, &part_opts);
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
    for (int k = 0; k < PARTS; ++k) {
        if (!takes(&course[k], f) || !portfolio_begins(f, course[k].number)) continue;
        PCS_TRY(run(f, &course[k], c, start));
    }
    if (f->p->n > START_ROWS || !portfolio_begins(f, PART_STARTS)) return PCS_OK;
    return random_starts(f, c);
}
