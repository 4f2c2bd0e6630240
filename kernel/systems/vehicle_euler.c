// The vehicle in ZYX Euler angles Phi = (roll phi, pitch theta, yaw psi) (theory 2.3):
//
//     dX/dt = R(Phi) V,   dPhi/dt = E(Phi) omega,   E = | 1  s_phi t_theta  c_phi t_theta |
//                                                      | 0  c_phi          -s_phi        |
//                                                      | 0  s_phi/c_theta  c_phi/c_theta |
#include "systems/vehicle.h"

#include <math.h>
#include <string.h>

#include <percuss/rotation.h>

#include "linalg/m3.h"

// cos(pitch) below which E has no meaning (theory 2.3)
#define SINGULAR 1e-8

pcs_status pcs_vehicle_rates_euler(const pcs_vehicle *v, double t, const double *x,
                                   const pcs_vehicle_command *command, double *xdot)
{
    if (!v || !x || !command || !xdot) {
        return pcs_fail(PCS_ERR_ARG, "pcs_vehicle_rates_euler: an argument is null");
    }
    if (!pcs_all_finite(x, PCS_VEHICLE_STATE_EULER) || !vehicle_command_finite(v, command)) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_vehicle_rates_euler: the state or the command is not finite at"
                        " t = %g s",
                        t);
    }
    const double *angle = x + 3, *nu = x + 6, *omega = nu + 3;
    const double c_theta = cos(angle[1]);
    if (fabs(c_theta) < SINGULAR) {
        return pcs_fail(PCS_ERR_SINGULAR,
                        "pcs_vehicle_rates_euler: the pitch is %g rad at t = %g s, where Euler"
                        " angles have no rates; use quaternions (pcs_vehicle_rates)",
                        angle[1], t);
    }
    double Q[4], R[9], nudot[6];
    pcs_quat_from_zyx(angle[0], angle[1], angle[2], Q);
    pcs_quat_to_matrix(Q, R);
    PCS_TRY(vehicle_acceleration(v, R, nu, command, nudot));

    const double s_phi = sin(angle[0]), c_phi = cos(angle[0]);
    const double yaw = (s_phi * omega[1] + c_phi * omega[2]) / c_theta;
    const double rate[3] = {omega[0] + sin(angle[1]) * yaw, c_phi * omega[1] - s_phi * omega[2],
                            yaw};
    double velocity[3];
    m3_mul(R, nu, velocity);
    memcpy(xdot, velocity, sizeof velocity);
    memcpy(xdot + 3, rate, sizeof rate);
    memcpy(xdot + 6, nudot, sizeof nudot);
    return PCS_OK;
}
