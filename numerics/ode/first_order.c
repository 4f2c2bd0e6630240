// A system of n-th order as one of first order: chi = (x^(n-1), ..., x', x) (theory 14).
#include "ode/integrator.h"

#include <string.h>

static int reduced(void *user, double t, const double *chi, double *rate)
{
    const pcs_higher_order *def = user;
    const int code = def->fn(def->user, t, chi, rate);
    if (def->order > 1) {
        memcpy(rate + def->m, chi, (size_t)(def->order - 1) * (size_t)def->m * sizeof *rate);
    }
    return code;
}

pcs_status pcs_ode_of_order(const pcs_higher_order *def, pcs_ode *out)
{
    if (!def || !out || !def->fn) {
        return pcs_fail(PCS_ERR_ARG, "pcs_ode_of_order: def, def->fn and out must not be null");
    }
    if (def->order < 1 || def->m < 1 || def->order > (1 << 24) / def->m) {
        return pcs_fail(PCS_ERR_SIZE,
                        "pcs_ode_of_order: order %d of %d unknowns; both must be at least 1, and "
                        "order m at most 2^24",
                        def->order, def->m);
    }
    *out = (pcs_ode){.n = def->order * def->m, .f = reduced, .user = (void *)(uintptr_t)def};
    return PCS_OK;
}
