// The vehicle with ZYX Euler angles instead of the quaternion (theory 2.3): d eta/dt = J(eta) nu
// with eta = (X, roll, pitch, yaw).
#include "systems/vehicle.h"

#include <string.h>

#include <percuss/euler.h>

#include "rotation/pose.h"

pcs_status pcs_vehicle_rates_euler(const pcs_vehicle *v, double t, const double *x,
                                   const pcs_vehicle_command *command, double *xdot)
{
    if (!v || !x || !command || !xdot) {
        return pcs_fail(PCS_ERR_ARG, "pcs_vehicle_rates_euler: an argument is null");
    }
    if (!pcs_all_finite(x, PCS_VEHICLE_STATE_EULER_SIZE) || !vehicle_command_finite(v, command)) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_vehicle_rates_euler: the state or the command is not finite at"
                        " t = %g s",
                        t);
    }
    double q[7], R[9], rate[6], nudot[6];
    PCS_TRY(pcs_euler_rate(x, x + 6, rate));
    pcs_euler_to_pose(x, q);
    quat_matrix(q + 3, R);
    PCS_TRY(vehicle_acceleration(v, R, x + 6, command, nudot));
    memcpy(xdot, rate, sizeof rate);
    memcpy(xdot + 6, nudot, sizeof nudot);
    return PCS_OK;
}
