// Explicit tableaus on x' = f(t, x, z), 0 = g(t, x, z) of index 1: at every stage g is solved for
// z_i, so that the stages are those of x' = f(t, x, z(t, x)) and the order is that of the tableau.
#include "ode/implicit.h"

#include <string.h>

pcs_status ode_half_explicit_attempt(pcs_integrator *run, double h)
{
    ode_stages *st = run->stages;
    const pcs_tableau *tab = run->tableau;
    const size_t n = (size_t)run->n, nz = (size_t)run->nz, bytes = nz * sizeof(double);
    const int s = run->s;
    for (int i = 0; i < s; ++i) {
        double *K = run->K + n * (size_t)i, *z = run->Z + nz * (size_t)i;
        const double t = run->t + tab->c[i] * h;
        if (nz > 0) memcpy(z, i == 0 ? run->z : z - nz, bytes);
        ode_stage_point(run, i, h);
        // z is consistent at the start: nothing to solve
        if (nz > 0 && !(i == 0 && run->first_is_start)) {
            PCS_TRY(algebraic_solve(st, t, run->stage, NULL, z));
        }
        PCS_TRY(system_rates(st, t, run->stage, z, K));
    }
    ode_end_point(run, h);
    if (nz == 0) return PCS_OK;
    memcpy(run->z_new, run->Z + nz * (size_t)(s - 1), bytes);
    if (pcs_tableau_is_stiffly_accurate(tab)) return PCS_OK;
    return algebraic_solve(st, run->t + h, run->x_new, NULL, run->z_new);
}
