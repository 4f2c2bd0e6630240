// One attempt at a step of an explicit Runge-Kutta method (theory 10):
// K_i = f(t + c_i h, x + h sum_{j < i} a_ij K_j), x+ = x + h sum b_i K_i.
#include "ode/integrator.h"

#include <string.h>

// y = sum_{j < count} w_j K_j
static void combine(const pcs_integrator *run, int count, const double *w, double *y)
{
    const int n = run->n;
    const double *K = run->K;
    for (int i = 0; i < n; ++i) {
        y[i] = 0;
    }
    for (int j = 0; j < count; ++j) {
        const double a = w[j], *Kj = K + (size_t)n * j;
        if (a == 0) continue;
        for (int i = 0; i < n; ++i) {
            y[i] += a * Kj[i];
        }
    }
}

pcs_status ode_explicit_attempt(pcs_integrator *run, double h)
{
    const pcs_tableau *tab = run->tableau;
    const int n = run->n, s = run->s;
    for (int i = 0; i < s; ++i) {
        double *Ki = run->K + (size_t)n * i;
        if (i == 0) {
            // the first stage is f now: known from the end of the last step, or worth keeping
            if (!run->f_known) PCS_TRY(ode_rates(run, run->t, run->x, run->f));
            run->f_known = true;
            memcpy(Ki, run->f, (size_t)n * sizeof *Ki);
            continue;
        }
        combine(run, i, tab->A + (size_t)s * i, run->stage);
        for (int k = 0; k < n; ++k) {
            run->stage[k] = run->x[k] + h * run->stage[k];
        }
        PCS_TRY(ode_rates(run, run->t + tab->c[i] * h, run->stage, Ki));
    }
    combine(run, s, tab->b, run->stage);
    for (int k = 0; k < n; ++k) {
        const double change = h * run->stage[k] + run->carry[k];
        run->x_new[k] = run->x[k] + change;
        run->carry_new[k] = (run->x[k] - run->x_new[k]) + change;
    }
    return PCS_OK;
}
