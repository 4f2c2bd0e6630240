// Step sizes: the error of a step by its embedded pair, and the first step (theory 10).
#include "ode/integrator.h"

double ode_error(pcs_integrator *run)
{
    const pcs_tableau *tab = run->tableau;
    const int n = run->n;
    double *e = run->stage;
    for (int i = 0; i < n; ++i) {
        e[i] = 0;
        for (int j = 0; j < run->s; ++j) {
            e[i] += (tab->b[j] - tab->b_hat[j]) * run->K[(size_t)n * j + i];
        }
        e[i] *= run->h_tried;
    }
    if (run->stages) ode_stages_filter(run, e);
    double sum = 0;
    for (int i = 0; i < n; ++i) {
        const double size = fmax(fabs(run->x[i]), fabs(run->x_new[i]));
        const double r = e[i] / (run->atol[i] + run->opts.rtol * size);
        // without error and tolerance the ratio is 0, not 0 / 0
        if (e[i] != 0) sum += r * r;
    }
    return sqrt(sum / n);
}

static double norm(const pcs_integrator *run, const double *y)
{
    double sum = 0;
    for (int i = 0; i < run->n; ++i) {
        const double scale = run->atol[i] + run->opts.rtol * fabs(run->x[i]);
        const double r = y[i] / (scale > 0 ? scale : 1);
        sum += r * r;
    }
    return sqrt(sum / run->n);
}

pcs_status ode_first_step(pcs_integrator *run, double *h)
{
    // a step that moves x by a hundredth of itself, then one that keeps f'' small
    const int n = run->n;
    PCS_TRY(ode_slope(run));
    const double d0 = norm(run, run->x), d1 = norm(run, run->f);
    double h0 = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
    if (run->opts.h_max > 0) h0 = fmin(h0, run->opts.h_max);
    for (int i = 0; i < n; ++i) {
        run->stage[i] = run->x[i] + h0 * run->f[i];
    }
    *h = h0;
    if (run->kind != ODE_EXPLICIT_FORM) return PCS_OK;
    // f may not be defined there: then the small step is taken
    if (ode_rates(run, run->t + h0, run->stage, run->x_new) != PCS_OK) return PCS_OK;
    for (int i = 0; i < n; ++i) {
        run->stage[i] = run->x_new[i] - run->f[i];
    }
    const double d2 = norm(run, run->stage) / h0, most = fmax(d1, d2);
    const double h1 = most <= 1e-15 ? fmax(1e-6, h0 * 1e-3)
                                    : pow(0.01 / most, 1.0 / (run->tableau->order_hat + 1));
    *h = fmin(100 * h0, h1);
    return PCS_OK;
}
