// The pendulum and the wheel of doc/linear_systems.md.
#include "frame.h"

// x = (rate, angle): angle'' = -sin(angle) + u
static int swings(void *user, double t, const double *x, const double *u, double *xdot)
{
    xdot[0] = -sin(x[1]) + u[0];
    xdot[1] = x[0];
    return 0;
}

static int torque(void *user, double t, double *u)
{
    u[0] = 0.5 * sin(t);
    return 0;
}

static int push(void *user, double t, double *u)
{
    u[0] = 1e-3;
    return 0;
}

static pcs_status along_a_trajectory(void)
{
    const pcs_plant pendulum = {.nx = 2, .nu = 1, .f = swings};
    const double x0[2] = {0, 0.3};
    pcs_plant linear;
    pcs_driven *driven, *small;
    pcs_ode ode;
    pcs_integrator *run;
    pcs_arena work;
#include "block_1.c"
    for (int k = 0; k <= 100; ++k) {
        EXPECT(fabs(near.A[4 * k + 2] + cos(near.x[2 * k + 1])) < 1e-8); // d/d angle of -sin
        EXPECT(fabs(near.B[2 * k] - 1) < 1e-8);
    }
    EXPECT(ode.n == 2);
    pcs_driven_destroy(small);
    pcs_integrator_destroy(run);
    pcs_driven_destroy(driven);
    pcs_arena_destroy(NULL, &work);
    return PCS_OK;
}

static pcs_status response(void)
{
    const double c = 0.8, k = 9, height = 0.1, t = 0.5, at_rest[2] = {0};
    double A[4], B[2], C[2], D[1], x[2];
    pcs_arena work;
    PCS_TRY(pcs_arena_create(NULL, (size_t)1 << 16, &work));
#include "block_2.c"
    EXPECT(D[0] == 0 && isfinite(x[0]) && isfinite(x[1]));
    pcs_arena_destroy(NULL, &work);
    return PCS_OK;
}

int main(void)
{
    return along_a_trajectory() != PCS_OK || response() != PCS_OK;
}
