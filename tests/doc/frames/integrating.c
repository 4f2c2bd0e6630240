// The wheel on a road of doc/integrating.md.
#include "frame.h"

#include "block_1.c"

static pcs_status ride(void)
{
    pcs_input_output *equation;
    pcs_driven *driven;
    pcs_plant plant;
    pcs_ode ode;
#include "block_2.c"
    // a wheel at rest on a level road that begins to rise at 0.3 m/s: the damper pulls it up
    const double at_rest[2] = {0, 0};
    double rate[2];
    EXPECT(ode.n == 2 && ode.f(ode.user, 0, at_rest, rate) == 0);
    EXPECT(fabs(rate[0] - 0.8 * 0.3) < 1e-12 && rate[1] == 0);
    pcs_driven_destroy(driven);
    pcs_input_output_destroy(equation);
    return PCS_OK;
}

int main(void)
{
    return ride() != PCS_OK;
}
