// Direct solution when every block is an equality:  W r + q = 0.
//
// Regular W: factors and refinement. Singular W: the solution nearest the start (of minimum norm
// from r = 0). If there is none, the defect u of the least squares solution proves it: with y =
// S^-1 u, W^T y = 0 and q'y > 0, so y'(W r + q) = q'y for every r.
#include "linalg/dense.h"
#include "solver/active.h"

#include <string.h>

static size_t work_bytes(const pcs_problem *p, const pcs_solver_opts *o)
{
    (void)o;
    return active_bytes(p) + 4 * solver_bytes((size_t)p->n, sizeof(double)) + 64;
}

static pcs_status solve(const pcs_problem *p, const pcs_solver_opts *o, pcs_watch watch,
                        pcs_arena work, double *r, double *u, pcs_report *out)
{
    const size_t n = (size_t)p->n;
    active_set a;
    double *s = PCS_TAKE(&work, n, double), *y = PCS_TAKE(&work, n, double);
    double *t = PCS_TAKE(&work, 2 * n, double);
    if (!s || !y || !t) return pcs_fail_memory("direct");
    problem_scales(p, s);
    if (!active_begin(&a, p, s, &work)) {
        active_free(&a);
        return pcs_fail_memory("direct");
    }
    // dense least squares only where the proximal steps of a singular W leave more than the
    // tolerance
    a.least = false;
    active_end end = active_solve(&a, r, u);
    bool within = true;
    if (end == ACTIVE_LEAST) {
        pcs_measure m;
        pcs_problem_measure(p, r, u, &m);
        within = solver_stop_value(o, &m) <= o->tol;
        a.least = true;
        if (!within) end = active_solve(&a, r, u);
    }
    active_free(&a);
    out->iters = 1;
    out->outcome = end == ACTIVE_LOST ? PCS_OUTCOME_STALLED : PCS_OUTCOME_CONVERGED;
    if (end == ACTIVE_LEAST && !within) {
        out->outcome = PCS_OUTCOME_STALLED;
        for (size_t i = 0; i < n; ++i) {
            y[i] = -u[i] / s[i];
        }
        if (problem_refuted_by(p, y, t)) out->outcome = PCS_OUTCOME_INFEASIBLE;
    }

    // pcs_solve measures; the watch is called for the one step
    if (watch.fn) {
        pcs_measure m;
        pcs_problem_measure(p, r, u, &m);
        const double value = solver_stop_value(o, &m);
        const pcs_progress now = {.solver = PCS_SOLVER_DIRECT,
                                  .iters = 1,
                                  .value = value,
                                  .residual = m.residual,
                                  .natural_map = pcs_measure_relative_natural_map(&m),
                                  .step = 1,
                                  .penalty = NAN,
                                  .status_changes = -1};
        if (watch.fn(watch.user, &now) && !(value <= o->tol)) out->outcome = PCS_OUTCOME_STOPPED;
    }
    return PCS_OK;
}

const solver_class solver_direct = {
    SOLVER_ROW("direct", PCS_SOLVER_DIRECT, 1u << PCS_CONE_EQUALITY, 1e-10, 1,
               "linear solve of equality blocks, minimum norm when W is singular"),
};
