// One attempt at a step of an explicit Runge-Kutta method (theory 10):
// K_i = f(t + c_i h, x + h sum_{j < i} a_ij K_j), x+ = x + h sum b_i K_i.
#include "ode/integrator.h"

#include <string.h>

pcs_status ode_explicit_attempt(pcs_integrator *run, double h)
{
    const pcs_tableau *tab = run->tableau;
    const int n = run->n, s = run->s;
    for (int i = 0; i < s; ++i) {
        double *Ki = run->K + (size_t)n * i;
        if (i == 0) {
            // the first stage is f now: known from the end of the last step, or kept for later
            if (!run->f_known) PCS_TRY(ode_rates(run, run->t, run->x, run->f));
            run->f_known = true;
            memcpy(Ki, run->f, (size_t)n * sizeof *Ki);
            continue;
        }
        ode_stage_point(run, i, h);
        PCS_TRY(ode_rates(run, run->t + tab->c[i] * h, run->stage, Ki));
    }
    ode_end_point(run, h);
    return PCS_OK;
}
