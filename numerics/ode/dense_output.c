// Dense output: the method's own interpolant, or the cubic through both ends with their slopes.
#include "ode/integrator.h"

#include <string.h>

// true when the method has weights for all theta: coefficients, or a collocation polynomial
static bool has_weights(const pcs_tableau *tab)
{
    return tab->dense || tab->collocation;
}

// x0 + h sum_i b_i(theta) K_i
static pcs_status by_stages(const pcs_integrator *run, const double *K, const double *x0, double h,
                            double theta, double *x)
{
    const int n = run->n;
    double b[PCS_TABLEAU_STAGES_MAX];
    PCS_TRY(pcs_tableau_weights(run->tableau, theta, b));
    for (int i = 0; i < n; ++i) {
        x[i] = 0;
    }
    for (int j = 0; j < run->s; ++j) {
        if (b[j] == 0) continue;
        for (int i = 0; i < n; ++i) {
            x[i] += b[j] * K[(size_t)n * j + i];
        }
    }
    for (int i = 0; i < n; ++i) {
        x[i] = x0[i] + h * x[i];
    }
    return PCS_OK;
}

// Hermite's cubic
static void by_ends(int n, const double *x0, const double *f0, const double *x1, const double *f1,
                    double h, double theta, double *x)
{
    const double r = 1 - theta, d = theta * theta * (3 - 2 * theta);
    for (int i = 0; i < n; ++i) {
        x[i] = x0[i] + d * (x1[i] - x0[i]) + h * theta * r * (r * f0[i] - theta * f1[i]);
    }
}

// the straight line, when there are no slopes
static void by_line(int n, const double *x0, const double *x1, double theta, double *x)
{
    for (int i = 0; i < n; ++i) {
        x[i] = x0[i] + theta * (x1[i] - x0[i]);
    }
}

pcs_status ode_interpolate_attempt(pcs_integrator *run, double theta, double *x)
{
    const int n = run->n;
    if (has_weights(run->tableau)) {
        PCS_TRY(by_stages(run, run->K, run->x, run->h_tried, theta, x));
    } else if (run->kind != ODE_EXPLICIT_FORM && !(run->f_known && run->f_new_known)) {
        by_line(n, run->x, run->x_new, theta, x);
    } else {
        if (!run->f_known) PCS_TRY(ode_rates(run, run->t, run->x, run->f));
        run->f_known = true;
        if (!run->f_new_known) {
            PCS_TRY(ode_rates(run, run->t + run->h_tried, run->x_new, run->f_new));
        }
        run->f_new_known = true;
        by_ends(n, run->x, run->f, run->x_new, run->f_new, run->h_tried, theta, x);
    }
    return PCS_OK;
}

// x at `theta` of the last accepted step (x_old to now)
static pcs_status interpolate_last(pcs_integrator *run, double theta, double *x)
{
    const int n = run->n;
    if (has_weights(run->tableau) && run->K_last_known) {
        PCS_TRY(by_stages(run, run->K_last, run->x_old, run->h_last, theta, x));
    } else if (run->kind != ODE_EXPLICIT_FORM && !(run->f_old_known && run->f_known)) {
        by_line(n, run->x_old, run->x, theta, x);
    } else {
        if (!run->f_old_known) PCS_TRY(ode_rates(run, run->t_old, run->x_old, run->f_old));
        run->f_old_known = true;
        if (!run->f_known) PCS_TRY(ode_rates(run, run->t, run->x, run->f));
        run->f_known = true;
        by_ends(n, run->x_old, run->f_old, run->x, run->f, run->h_last, theta, x);
    }
    return PCS_OK;
}

pcs_status pcs_integrator_at(pcs_integrator *run, double t, double *x)
{
    if (!run || !x || !run->started) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_integrator_at: run and x must not be null, the run started");
    }
    if (!(t >= run->t_old) || !(t <= run->t)) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_integrator_at: t = %.17g is outside of the last step, %.17g to %.17g",
                        t, run->t_old, run->t);
    }
    if (t == run->t || run->h_last == 0) {
        memcpy(x, run->x, (size_t)run->n * sizeof *x);
        return PCS_OK;
    }
    return interpolate_last(run, (t - run->t_old) / run->h_last, x);
}
