/// @file
/// Quaternions, rotation matrices, Euler angles, the exponential, and the map
/// T(q) from velocities to coordinate rates (theory 1 and 2).
///
/// Q = (s, p) is scalar first, Hamilton product, and maps body to inertial components. Every map
/// of Q to a rotation is homogeneous of degree 0: Q and 5 Q are the same rotation. Matrices are
/// column-major: R[i + 3 j], so that R + 3 j is the image of body axis j. Angles in radians.
#ifndef PERCUSS_ROTATION_H
#define PERCUSS_ROTATION_H

#include <percuss/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// C = A (x) B. C must not overlap A or B.
PCS_API void pcs_quat_mul(const double A[4], const double B[4], double C[4]);

/// The conjugate (s, -p). out may be Q.
PCS_API void pcs_quat_conj(const double Q[4], double out[4]);

/// |Q|.
PCS_API double pcs_quat_norm(const double Q[4]);

/// Q <- Q / |Q|; PCS_ERR_ARG (Q unchanged) if |Q| is zero or not finite.
PCS_NODISCARD PCS_API pcs_status pcs_quat_normalize(double Q[4]);

/// y = R(Q) x, any |Q| > 0. y must not overlap x.
PCS_API void pcs_quat_rotate(const double Q[4], const double x[3], double y[3]);

/// R(Q), any |Q| > 0 (theory 1.2).
PCS_API void pcs_quat_to_matrix(const double Q[4], double R[9]);

/// The unit quaternion of a rotation matrix, sign rule of ASM-2: q0 >= 0, and if q0 = 0 the first
/// nonzero of q1..q3 positive (Shepperd 1978). PCS_ERR_ARG if R is not a rotation to 1e-6.
PCS_NODISCARD PCS_API pcs_status pcs_quat_from_matrix(const double R[9], double Q[4]);

/// exp(w) = (cos |w|/2, sin(|w|/2) w/|w|): rotation by the vector w.
PCS_API void pcs_quat_exp(const double w[3], double Q[4]);

/// The rotation vector of Q, |w| in [0, pi]; any |Q| > 0.
PCS_API void pcs_quat_log(const double Q[4], double w[3]);

/// Rotation by angle about axis (any length > 0; PCS_ERR_ARG otherwise).
PCS_NODISCARD PCS_API pcs_status pcs_quat_from_axis_angle(const double axis[3], double angle,
                                                          double Q[4]);

/// Unit axis and angle in [0, pi] of Q; for the identity the axis is (1, 0, 0) and the angle 0.
PCS_API void pcs_quat_to_axis_angle(const double Q[4], double axis[3], double *angle);

/// ZYX Euler angles (roll phi, pitch theta, yaw psi): R = Rz(psi) Ry(theta) Rx(phi).
PCS_API void pcs_quat_from_zyx(double roll, double pitch, double yaw, double Q[4]);

/// Back from R(Q): pitch in [-pi/2, pi/2]; where |r31| > 1 - 1e-12 (gimbal lock) roll = 0 is
/// chosen, and the angles give the rotation back to 2 cos(pitch) <= 3e-6 only.
PCS_API void pcs_quat_to_zyx(const double Q[4], double *roll, double *pitch, double *yaw);

/// Classical ZYZ Euler angles: R = Rz(psi) Ry(theta) Rz(phi).
PCS_API void pcs_quat_from_zyz(double psi, double theta, double phi, double Q[4]);

/// Back from R(Q): theta in [0, pi]; where sin(theta) vanishes phi = 0 is chosen.
PCS_API void pcs_quat_to_zyz(const double Q[4], double *psi, double *theta, double *phi);

/// The left matrix L (4 x 3, column-major): Q (x) (0, w) = L w (theory 1.3).
PCS_API void pcs_quat_left(const double Q[4], double L[12]);

/// T(q) of one Newton-Euler body (7 x 6, column-major): dq/dt = T v with q = (x, Q) and
/// v = (dx/dt inertial, omega in the body frame).
PCS_API void pcs_body_T(const double q[7], double T[42]);

/// dq/dt = T(q) v.
PCS_API void pcs_body_rate(const double q[7], const double v[6], double qdot[7]);

/// The body's velocity from dq/dt: v = (T^T T)^-1 T^T dq/dt; any |Q| > 0.
PCS_API void pcs_body_velocity(const double q[7], const double qdot[7], double v[6]);

/// How positions are advanced (decision D-1).
typedef enum pcs_update {
    PCS_UPDATE_EXP, ///< Q (x) exp(h omega): exact for constant omega
    PCS_UPDATE_ADD  ///< normalise(Q + h/2 L(Q) omega): angle error -(h |omega|)^2 / 12
} pcs_update;

/// q1 = q advanced by h v: x + h v_x, and Q as `update` says, normalised. q1 may be q.
PCS_API void pcs_body_advance(const double q[7], double h, const double v[6], pcs_update update,
                              double q1[7]);

#ifdef __cplusplus
}
#endif

#endif
