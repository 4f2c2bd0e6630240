// Not there yet: islands that sweeps do not solve are assembled.
#include "bodies/finish.h"

pcs_status bodies_finish(const bodies_problem *island, const pcs_solver_opts *o, pcs_arena work,
                         double *v, double *r, double *u, bodies_report *out)
{
    (void)island, (void)o, (void)work, (void)v, (void)r, (void)u, (void)out;
    return PCS_ERR_UNSUPPORTED;
}
