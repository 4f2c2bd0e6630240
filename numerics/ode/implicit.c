// Stages of implicit methods.
#include "ode/integrator.h"

pcs_status ode_stages_create(pcs_integrator *run)
{
    (void)run;
    return pcs_fail(PCS_ERR_UNSUPPORTED, "pcs_integrator_create: explicit tableaus only");
}

void ode_stages_destroy(pcs_integrator *run)
{
    run->stages = NULL;
}

void ode_stages_accepted(pcs_integrator *run)
{
    (void)run;
}

pcs_status ode_implicit_attempt(pcs_integrator *run, double h)
{
    (void)run;
    (void)h;
    return pcs_fail(PCS_ERR_UNSUPPORTED, "integration: explicit tableaus only");
}

pcs_status ode_consistent(pcs_integrator *run)
{
    (void)run;
    return pcs_fail(PCS_ERR_UNSUPPORTED, "integration: explicit tableaus only");
}
