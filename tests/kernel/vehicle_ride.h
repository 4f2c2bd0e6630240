// A vehicle, and its motion by its own rates.
#ifndef KERNEL_VEHICLE_RIDE_H
#define KERNEL_VEHICLE_RIDE_H

#include "smooth.h"
#include "support.h"

#include <percuss/ode.h>
#include <percuss/vehicle.h>

static inline pcs_vehicle *vehicle_make(const pcs_vehicle_def *def)
{
    pcs_vehicle *v;
    CK_OK(pcs_vehicle_create(NULL, def, &v));
    return v;
}

// x after T more seconds with the command held, by classical Runge-Kutta
static inline void vehicle_ride(const pcs_vehicle *v, const pcs_vehicle_command *command, double T,
                                int steps, double *x)
{
    pcs_vehicle_ride ride = {.vehicle = v, .command = *command};
    const pcs_ode ode = {.n = PCS_VEHICLE_STATE_SIZE, .f = pcs_vehicle_ode, .user = &ride};
    const pcs_ode_opts opts = pcs_ode_opts_fixed(pcs_tableau_rk4(), T / steps);
    pcs_integrator *run = smooth_run(&ode, &opts, 0, x);
    CK_OK(pcs_integrator_advance(run, T, NULL));
    memcpy(x, pcs_integrator_x(run), PCS_VEHICLE_STATE_SIZE * sizeof *x);
    pcs_integrator_destroy(run);
}

#endif
