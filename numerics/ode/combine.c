// Sums of stage derivatives: the point of a stage, x + h sum a_ij K_j, and the end of a step, x + h
// sum b_j K_j, which carries the rounding error of x to the next step (Kahan 1965).
#include "ode/integrator.h"

// y = sum_{j < count} w_j K_j
static void sum(const pcs_integrator *run, int count, const double *w, double *y)
{
    const int n = run->n;
    for (int i = 0; i < n; ++i) {
        y[i] = 0;
    }
    for (int j = 0; j < count; ++j) {
        const double a = w[j], *Kj = run->K + (size_t)n * j;
        if (a == 0) continue;
        for (int i = 0; i < n; ++i) {
            y[i] += a * Kj[i];
        }
    }
}

void ode_stage_point(pcs_integrator *run, int i, double h)
{
    sum(run, i, run->tableau->A + (size_t)run->s * i, run->stage);
    for (int k = 0; k < run->n; ++k) {
        run->stage[k] = run->x[k] + h * run->stage[k];
    }
}

void ode_end_point(pcs_integrator *run, double h)
{
    sum(run, run->s, run->tableau->b, run->stage);
    for (int k = 0; k < run->n; ++k) {
        const double change = h * run->stage[k] + run->carry[k];
        run->x_new[k] = run->x[k] + change;
        run->carry_new[k] = (run->x[k] - run->x_new[k]) + change;
    }
}
