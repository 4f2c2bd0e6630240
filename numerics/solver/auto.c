// The portfolio: first the start itself and a single row in closed form, then one of two sequences,
// without friction (auto_rows.c) or with it (auto_friction.c). Each part starts from the best r so
// far, until one converges; the best r is returned.
//
// The budget is counted in products with W, so that the answer does not depend on the clock.
#include <string.h>

#include "cone/cone.h"
#include "problem/problem.h"
#include "solver/portfolio.h"

static int count(const pcs_problem *p, pcs_cone cone)
{
    int sum = 0;
    for (int b = 0; b < p->nb; ++b) {
        sum += p->block[b].cone == cone;
    }
    return sum;
}

static size_t work_bytes(const pcs_problem *p, const pcs_solver_opts *o)
{
    if (problem_is_scalar(p)) return 0;
    const size_t own = count(p, PCS_CONE_COULOMB) + count(p, PCS_CONE_BOX) > 0
                           ? portfolio_friction_bytes(p, o)
                           : portfolio_rows_bytes(p, o);
    return 128 + track_bytes(p) + 3 * solver_bytes((size_t)p->n, sizeof(double)) + own;
}

// one row in closed form, u = W r + q: the case of the bouncing ball
static void solve_one(const pcs_problem *p, double *r, double *u, pcs_report *out)
{
    const double q = p->q[0];
    const double W = problem_scalar(p);
    out->outcome = PCS_OUTCOME_CONVERGED;
    if (p->block[0].cone == PCS_CONE_EQUALITY) {
        r[0] = W != 0 ? -q / W : 0;
        if (W == 0 && q != 0) out->outcome = PCS_OUTCOME_INFEASIBLE;
    } else if (p->block[0].cone == PCS_CONE_BOX) {
        // W <= 0: the impulse of sliding, whatever u is
        r[0] = W > 0    ? cone_project_box(p->block[0].mu, -q / W)
               : q == 0 ? 0
                        : copysign(p->block[0].mu, -q);
    } else {
        r[0] = q < 0 && W > 0 ? -q / W : 0;
        // W <= 0 and q < 0: u < 0 for every r >= 0
        if (q < 0 && !(W > 0)) out->outcome = PCS_OUTCOME_INFEASIBLE;
    }
    u[0] = W * r[0] + q;
}

static pcs_status solve(const pcs_problem *p, const pcs_solver_opts *o, pcs_watch watch,
                        pcs_arena work, double *r, double *u, pcs_report *out)
{
    if (problem_is_scalar(p)) {
        solve_one(p, r, u, out);
        return PCS_OK;
    }

    portfolio f = {.p = p, .o = o, .user = watch, .r = r, .u = u, .winner = PCS_SOLVER_AUTO};
    f.watch = portfolio_watch(&f);
    f.budget = o->max_iters;
    f.rows = count(p, PCS_CONE_UNILATERAL);
    f.boxes = count(p, PCS_CONE_BOX);
    f.contacts = count(p, PCS_CONE_COULOMB) + f.boxes;
    f.s = PCS_TAKE(&work, (size_t)p->n, double);
    f.scratch = PCS_TAKE(&work, 2 * (size_t)p->n, double);
    if (!f.s || !f.scratch || !track_begin(&f.t, p, o, f.watch, &work, r)) {
        return pcs_fail_memory("auto");
    }
    f.work = work;

    // the start may already be the solution
    track_measure(&f.t, r, u);
    f.over = track_done(&f.t, 0);
    if (f.over) {
        track_end(&f.t, r, out);
        return PCS_OK;
    }
    problem_scales(p, f.s);
    PCS_TRY(f.contacts > 0 ? portfolio_friction(&f) : portfolio_rows(&f));

    if (f.t.best_value <= o->tol) {
        f.t.outcome = PCS_OUTCOME_CONVERGED;
    } else if (f.infeasible || (f.t.outcome != PCS_OUTCOME_STOPPED && portfolio_refuted(&f))) {
        // a proof counts also where the time is over
        f.t.outcome = PCS_OUTCOME_INFEASIBLE;
    } else if (!f.over) {
        f.t.outcome = f.budget > 0 ? PCS_OUTCOME_STALLED : PCS_OUTCOME_MAX_ITERS;
    }
    track_end(&f.t, r, out);
    out->units = o->max_iters - f.budget;
    out->solver = f.winner;
    out->part = f.winning;
    out->least = f.least;
    out->undecided = f.undecided;
    return PCS_OK;
}

static const pcs_opt options[] = {
    OPT_INT("without", portfolio.without, 0, PART_MASK,
            "parts that are left out: the sum of 2^(number - 1)"),
    OPT_REAL("kappa", portfolio.kappa, 0, 1e10,
             "kappa with which proximal points begin, and the finish; 0: 10"),
};

const solver_class solver_auto = {
    SOLVER_ROW("auto", PCS_SOLVER_AUTO, ALL_CONES, 1e-10, 1000000,
               "the portfolio: a sequence of solvers that ends when one converges"),
    SOLVER_OPTIONS(options),
    .solve_bodies = bodies_auto,
};
