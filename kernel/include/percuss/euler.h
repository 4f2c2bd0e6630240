/// @file
/// Rates of Euler angles, and the state of a body with ZYX angles (theory 2.3): for smooth motion,
/// away from gimbal lock.
///
/// Angles are three numbers in the order of <percuss/rotation.h>: (roll, pitch, yaw) for ZYX,
/// (psi, theta, phi) for ZYZ. 3 x 3 and 6 x 6 matrices are column-major.
#ifndef PERCUSS_EULER_H
#define PERCUSS_EULER_H

#include <percuss/rotation.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The axes that components refer to.
typedef enum pcs_axes {
    PCS_AXES_BODY,    ///< those of the body, or of the moving frame
    PCS_AXES_INERTIAL ///< those of the inertial frame, or of the frame of reference
} pcs_axes;

/// |cos(pitch)|, for ZYZ |sin(theta)|, below which rates of angles are refused.
#define PCS_EULER_LOCK 1e-8

/// @name Rates of angles and angular velocity
/// omega = W rates and rates = E omega, E = W^-1, with omega in body or inertial components. W
/// always exists; det W = cos(pitch) (ZYX), -sin(theta) (ZYZ). Functions that need E return
/// PCS_ERR_SINGULAR below PCS_EULER_LOCK, and PCS_ERR_ARG for numbers that are not finite; the
/// output is then unchanged.
/// @{

/// W of ZYX. In body axes it has the columns (1, 0, 0), (0, cos roll, -sin roll) and
/// (-sin pitch, sin roll cos pitch, cos roll cos pitch).
PCS_API void pcs_zyx_W(const double angles[3], pcs_axes axes, double W[9]);

/// dW/dt of ZYX as the angles change with `rates`.
PCS_API void pcs_zyx_W_rate(const double angles[3], const double rates[3], pcs_axes axes,
                            double Wdot[9]);

/// E of ZYX, the E of theory 2.3 in body axes.
PCS_NODISCARD PCS_API pcs_status pcs_zyx_E(const double angles[3], pcs_axes axes, double E[9]);

/// dE/dt of ZYX = -E dW/dt E.
PCS_NODISCARD PCS_API pcs_status pcs_zyx_E_rate(const double angles[3], const double rates[3],
                                                pcs_axes axes, double Edot[9]);

/// W of ZYZ. In inertial axes it has the columns (0, 0, 1), (-sin psi, cos psi, 0) and
/// (cos psi sin theta, sin psi sin theta, cos theta).
PCS_API void pcs_zyz_W(const double angles[3], pcs_axes axes, double W[9]);

/// dW/dt of ZYZ.
PCS_API void pcs_zyz_W_rate(const double angles[3], const double rates[3], pcs_axes axes,
                            double Wdot[9]);

/// E of ZYZ.
PCS_NODISCARD PCS_API pcs_status pcs_zyz_E(const double angles[3], pcs_axes axes, double E[9]);

/// dE/dt of ZYZ.
PCS_NODISCARD PCS_API pcs_status pcs_zyz_E_rate(const double angles[3], const double rates[3],
                                                pcs_axes axes, double Edot[9]);

/// @}
/// @name The body state with ZYX angles
/// eta = (x, roll, pitch, yaw) and nu = (V, omega), both in body components: dx/dt = R V and rates
/// = E omega (theory 2.3, E-17). Each function has its twin for the state with a quaternion in
/// <percuss/rigid.h> (pcs_pose_rate and so on). All return PCS_ERR_SINGULAR with a sentence where
/// |cos(pitch)| < PCS_EULER_LOCK and PCS_ERR_ARG where a number is not finite, the output is then
/// unchanged. A right-hand side may return this status to its integrator.
/// @{

/// J(eta) = diag(R, E), 6 x 6: d eta/dt = J nu.
PCS_NODISCARD PCS_API pcs_status pcs_euler_jacobian(const double eta[6], double J[36]);

/// d eta/dt = J nu.
PCS_NODISCARD PCS_API pcs_status pcs_euler_rate(const double eta[6], const double nu[6],
                                                double etadot[6]);

/// nu = J^-1 d eta/dt, which exists at gimbal lock too: PCS_ERR_ARG only.
PCS_NODISCARD PCS_API pcs_status pcs_euler_velocity(const double eta[6], const double etadot[6],
                                                    double nu[6]);

/// d2 eta/dt2 = J dnu/dt + dJ/dt nu, with d eta/dt = J nu.
PCS_NODISCARD PCS_API pcs_status pcs_euler_second_rate(const double eta[6], const double nu[6],
                                                       const double nudot[6], double etaddot[6]);

/// dnu/dt from the first two derivatives of eta: PCS_ERR_ARG only.
PCS_NODISCARD PCS_API pcs_status pcs_euler_acceleration(const double eta[6], const double etadot[6],
                                                        const double etaddot[6], double nudot[6]);

/// q = (x, Q) of eta.
PCS_API void pcs_euler_to_pose(const double eta[6], double q[7]);

/// eta of q, any |Q| > 0; at gimbal lock by the rule of pcs_quat_to_zyx.
PCS_API void pcs_euler_from_pose(const double q[7], double eta[6]);

/// @}

#ifdef __cplusplus
}
#endif

#endif
