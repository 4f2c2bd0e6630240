// The circuit of doc/implicit.md: a diode between a capacitor and a resistor.
#include "frame.h"

// x: voltage of the capacitor, z: current; x' = -z and z = exp(x) - 1
static int diode(void *user, double t, const double *xdot, const double *x, const double *z,
                 double *F)
{
    F[0] = xdot[0] + z[0];
    F[1] = z[0] - (exp(x[0]) - 1);
    return 0;
}

static pcs_status discharge(void)
{
    const double x0[1] = {1};
    pcs_integrator *run;
#include "block_1.c"
    // closed form: 1 - exp(-x) decays as exp(-t)
    const double x = pcs_integrator_x(run)[0];
    EXPECT(fabs((1 - exp(-x)) / ((1 - exp(-1.0)) * exp(-10.0)) - 1) < 1e-3);
    pcs_integrator_destroy(run);
    return PCS_OK;
}

int main(void)
{
    return discharge() != PCS_OK;
}
