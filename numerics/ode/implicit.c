// One attempt at a step of an implicit Runge-Kutta method (theory 10). The unknowns are the stage
// derivatives K_i (and z_i): this works for any A, singular or not, and x + h sum b_i K_i uses the
// K_i that Newton's method solved for, without the rounding that a stiff f magnifies.
//
// Stages are solved in groups that depend on each other: all at once (Gauss, Radau), one after the
// other (diagonally implicit), or by evaluation (explicit first stage). Newton's method is
// simplified: J from the start of some step serves all stages, and factors are kept while h does
// not change. If the iteration does not contract, J is formed again; if that does not help, each
// stage gets its own J and the step a line search.
#include "ode/implicit.h"

#include <string.h>

// ---- the guess

// beyond these limits an extrapolated polynomial mainly magnifies rounding
#define GUESS_NODES 8

// w_j: the Lagrange polynomials of the last nodes at tau
static void lagrange(const pcs_integrator *run, double tau, double *w)
{
    const double *c = run->tableau->c;
    const int s = run->s, first = s > GUESS_NODES ? s - GUESS_NODES : 0;
    for (int j = 0; j < s; ++j) {
        w[j] = j < first ? 0 : 1;
        for (int k = first; k < s; ++k) {
            if (k != j) w[j] *= (tau - c[k]) / (c[j] - c[k]);
        }
    }
}

// v = (K, z) of a stage from the polynomial through columns of K and Z
static void blend(const pcs_integrator *run, const double *w, const double *K, const double *Z,
                  double *v_K, double *v_z)
{
    const int n = run->n, nz = run->nz;
    for (int i = 0; i < n; ++i) {
        v_K[i] = 0;
        for (int j = 0; j < run->s; ++j) {
            v_K[i] += w[j] * K[(size_t)n * j + i];
        }
    }
    for (int i = 0; i < nz; ++i) {
        v_z[i] = 0;
        for (int j = 0; j < run->s; ++j) {
            v_z[i] += w[j] * Z[(size_t)nz * j + i];
        }
    }
}

static bool can_extrapolate(const pcs_integrator *run, const ode_stages *st)
{
    return run->h_last > 0 && st->h_of_last > 0 && st->distinct && st->h <= 4 * st->h_of_last;
}

typedef enum guess_kind {
    GUESS_LAST,  // the polynomial of the last step
    GUESS_RATES, // x' now
    GUESS_STILL  // K = 0: all stages at x, where f is defined
} guess_kind;

// writes V0 of a group
static pcs_status guess(pcs_integrator *run, ode_stages *st, const stage_group *g, guess_kind kind)
{
    const int n = run->n, nz = run->nz, N = st->N;
    for (int l = 0; l < g->size; ++l) {
        double *v = st->V0 + (size_t)N * l;
        const int i = g->first + l;
        if (kind == GUESS_LAST) {
            lagrange(run, 1 + run->tableau->c[i] * st->h / st->h_of_last, st->weight);
            blend(run, st->weight, st->K_last, st->Z_last, v, v + n);
            continue;
        }
        if (l > 0) {
            memcpy(v, st->V0, (size_t)N * sizeof *v);
            continue;
        }
        if (kind == GUESS_STILL) {
            memset(v, 0, (size_t)n * sizeof *v);
        } else {
            PCS_TRY(ode_slope(run));
            memcpy(v, run->f, (size_t)n * sizeof *v);
        }
        if (nz > 0) memcpy(v + n, run->z, (size_t)nz * sizeof *v);
    }
    return PCS_OK;
}

// ---- groups

static pcs_status failed(const pcs_integrator *run, const ode_stages *st, unsigned long mark,
                         pcs_status status, const pcs_root_report *report)
{
    switch (status) {
    case PCS_ERR_SINGULAR:
        return pcs_fail(status,
                        "integration: the matrix of the stage equations is singular in the step of "
                        "%.6g from t = %.9g; take a smaller step, or look for an algebraic unknown "
                        "that is not determined",
                        st->h, run->t);
    case PCS_ERR_CALLBACK:
        return pcs_fail_since(
            mark, status,
            "integration: a callback failed, or gave a number that is not finite, in the "
            "stages of the step of %.6g from t = %.9g",
            st->h, run->t);
    case PCS_OK:
        return pcs_fail(PCS_ERR_STEP,
                        "integration: Newton's method on the stages of the step of %.6g from t = "
                        "%.9g %s (%d iterations, last step %.3g of its unknowns); take a smaller "
                        "step",
                        st->h, run->t, pcs_root_outcome_text(report->outcome), report->iters,
                        report->step);
    default:
        return status;
    }
}

static pcs_status with_line_search(pcs_integrator *run, ode_stages *st, const stage_group *g,
                                   guess_kind kind)
{
    const unsigned long mark = pcs_fail_mark();
    pcs_root_report report;
    pcs_status status;
    for (;; ++kind) {
        PCS_TRY(guess(run, st, g, kind));
        report = (pcs_root_report){.outcome = PCS_ROOT_STALLED};
        status = stages_searched(run, st, g, &report);
        if (status == PCS_OK && newton_found(&report)) {
            // the next step begins with a new J
            st->extra = INFINITY;
            return PCS_OK;
        }
        // the last step may be a bad guess for this one, and the rates may lead to points where f
        // is not defined
        if (kind == GUESS_STILL || (kind == GUESS_RATES && status != PCS_ERR_CALLBACK)) break;
    }
    return failed(run, st, mark, status, &report);
}

static pcs_status solve_group(pcs_integrator *run, ode_stages *st, const stage_group *g)
{
    st->now = g;
    const guess_kind kind = can_extrapolate(run, st) ? GUESS_LAST : GUESS_RATES;
    PCS_TRY(guess(run, st, g, kind));
    for (int fresh = stages_J_is_of_now(run, st); fresh < 2; ++fresh) {
        if (fresh == 1 && !stages_J_is_of_now(run, st)) PCS_TRY(stages_form_jacobian(run, st));
        if (stages_factorise(run, st, g) && stages_simplified(run, st, g) == NEWTON_CONVERGED)
            return PCS_OK;
    }
    return with_line_search(run, st, g, kind);
}

// K = f(t, X) for a stage that depends on earlier ones only
static pcs_status evaluate(pcs_integrator *run, ode_stages *st, const stage_group *g)
{
    const int i = g->first, n = run->n;
    double *K = run->K + (size_t)n * i;
    if (i == 0 && run->first_is_start) {
        PCS_TRY(ode_slope(run));
        memcpy(K, run->f, (size_t)n * sizeof *K);
        return PCS_OK;
    }
    st->now = &(stage_group){.first = i};
    stages_point(st, i, st->V, st->X);
    st->now = g;
    return ode_rates(run, run->t + run->tableau->c[i] * st->h, st->X, K);
}

// ---- the attempt

// a new J is formed when the old one has cost as much as a new one
static pcs_status choose_jacobian(pcs_integrator *run, ode_stages *st)
{
    const double price = run->s + (st->how == PCS_DERIVATIVE_CALLBACK  ? 1
                                   : st->how == PCS_DERIVATIVE_COMPLEX ? 2. * st->map.n
                                                                       : 1. * st->map.n);
    // a start forgets the earlier run
    const bool begun = run->h_last > 0;
    if (stages_J_is_of_now(run, st) || (begun && st->J_known && st->extra < price)) return PCS_OK;
    return stages_form_jacobian(run, st);
}

static void keep(pcs_integrator *run, const ode_stages *st, const stage_group *g)
{
    const size_t n = (size_t)run->n, nz = (size_t)run->nz;
    for (int l = 0; l < g->size; ++l) {
        const size_t i = (size_t)(g->first + l);
        const double *v = st->V + (size_t)st->N * l;
        memcpy(run->K + n * i, v, n * sizeof *v);
        if (nz > 0) memcpy(run->Z + nz * i, v + n, nz * sizeof *v);
    }
}

// z (and x') at the end of the step: those of the last stage, or computed there
static pcs_status algebraic_end(pcs_integrator *run, ode_stages *st)
{
    const size_t n = (size_t)run->n, nz = (size_t)run->nz, last = (size_t)(run->s - 1);
    if (pcs_tableau_is_stiffly_accurate(run->tableau) || !st->distinct) {
        memcpy(st->xdot_end, run->K + n * last, n * sizeof(double));
        if (nz > 0) memcpy(run->z_new, run->Z + nz * last, nz * sizeof(double));
    } else {
        lagrange(run, 1, st->weight);
        blend(run, st->weight, run->K, run->Z, st->xdot_end, run->z_new);
    }
    if (pcs_tableau_is_stiffly_accurate(run->tableau) || st->part.map.n == 0) return PCS_OK;
    return algebraic_solve(st, run->t + st->h, run->x_new, st->xdot_end, run->z_new);
}

// x' at both ends, for dense output; for x' = f they are computed when needed
static pcs_status slopes(pcs_integrator *run, ode_stages *st)
{
    const size_t bytes = (size_t)run->n * sizeof(double);
    if (run->tableau->dense || run->tableau->collocation) return PCS_OK;
    PCS_TRY(ode_slope(run));
    if (run->kind == ODE_IMPLICIT_FORM) {
        memcpy(run->f_new, st->xdot_end, bytes);
    } else if (pcs_tableau_is_stiffly_accurate(run->tableau)) {
        memcpy(run->f_new, run->K + (size_t)run->n * (size_t)(run->s - 1), bytes);
    } else {
        PCS_TRY(system_rates(st, run->t + st->h, run->x_new, run->z_new, run->f_new));
    }
    run->f_new_known = true;
    return PCS_OK;
}

pcs_status ode_implicit_attempt(pcs_integrator *run, double h)
{
    ode_stages *st = run->stages;
    st->h = h;
    st->iters = 0;
    if (run->h_last == 0) {
        for (int i = 0; i < run->nz; ++i) {
            st->z_seen[i] = fabs(run->z[i]);
        }
    }
    if (st->explicit_tableau) {
        PCS_TRY(ode_half_explicit_attempt(run, h));
        return slopes(run, st);
    }

    PCS_TRY(choose_jacobian(run, st));
    for (int k = 0; k < st->groups; ++k) {
        const stage_group *g = &st->group[k];
        if (g->factor < 0) {
            PCS_TRY(evaluate(run, st, g));
        } else {
            PCS_TRY(solve_group(run, st, g));
            keep(run, st, g);
        }
    }
    if (stages_J_is_of_now(run, st)) st->iters_new = st->iters;
    st->extra += fmax(0, st->iters - st->iters_new);

    ode_end_point(run, h);
    if (run->kind == ODE_EXPLICIT_FORM) return PCS_OK;
    PCS_TRY(algebraic_end(run, st));
    return slopes(run, st);
}
