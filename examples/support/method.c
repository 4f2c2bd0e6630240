// A Runge-Kutta method by its name.
#include "method.h"

#include <stddef.h>

pcs_status method_open(method *m, const char *name, double h, double rtol)
{
    *m = (method){0};
    PCS_TRY(pcs_tableau_create_named(NULL, name, &m->tab));
    if (m->tab->b_hat && rtol > 0) {
        m->opts = pcs_ode_opts_default();
        m->opts.tableau = m->tab;
        m->opts.rtol = rtol;
        m->opts.atol = 0.1 * rtol;
        m->opts.max_steps = 10000000;
    } else {
        m->opts = pcs_ode_opts_fixed(m->tab, h);
        m->opts.max_steps = 100000000;
    }
    return PCS_OK;
}

void method_close(method *m)
{
    pcs_tableau_destroy(m->tab);
    *m = (method){0};
}
