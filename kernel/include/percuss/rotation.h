/// @file
/// Quaternions, rotation matrices, Euler angles, the exponential, and angular velocity and
/// acceleration (theory 1 and 2). Rates of Euler angles are in <percuss/euler.h>, rigid motions in
/// <percuss/rigid.h>, bodies of a model in <percuss/body.h>.
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
PCS_NODISCARD PCS_API pcs_status pcs_quat_normalise(double Q[4]);

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

/// The inverse, from R(Q): pitch in [-pi/2, pi/2]; where |r31| > 1 - 1e-12 (gimbal lock) roll = 0
/// is chosen, and the angles reproduce the rotation only to 2 cos(pitch) <= 3e-6. pcs_quat_case
/// tells this case.
PCS_API void pcs_quat_to_zyx(const double Q[4], double *roll, double *pitch, double *yaw);

/// Classical ZYZ Euler angles: R = Rz(psi) Ry(theta) Rz(phi).
PCS_API void pcs_quat_from_zyz(double psi, double theta, double phi, double Q[4]);

/// The inverse, from R(Q): theta in [0, pi]; where sin(theta) vanishes (below 1e-15) phi = 0 is
/// chosen. pcs_quat_case tells this case.
PCS_API void pcs_quat_to_zyz(const double Q[4], double *psi, double *theta, double *phi);

/// The left matrix L (4 x 3, column-major): Q (x) (0, w) = L w (theory 1.3).
PCS_API void pcs_quat_left(const double Q[4], double L[12]);

/// @name Conversions between the forms of a rotation
/// @{

/// The forms of a rotation, and the number of entries of each.
typedef enum pcs_rotation_form {
    PCS_ROTATION_FORM_MATRIX,     ///< 9: R, column-major
    PCS_ROTATION_FORM_AXIS_ANGLE, ///< 4: unit axis k, then the angle in [0, pi]; read with any axis
                                  ///< but zero and any angle
    PCS_ROTATION_FORM_ROTATION_VECTOR,  ///< 3: angle times axis
    PCS_ROTATION_FORM_EULER_PARAMETERS, ///< 4: (eta, epsilon), the unit quaternion with eta >= 0,
                                        ///< ASM-2
    PCS_ROTATION_FORM_QUATERNION,       ///< 4: Q of any length but zero; written with unit length
    PCS_ROTATION_FORM_ZYX,              ///< 3: roll, pitch, yaw
    PCS_ROTATION_FORM_ZYZ               ///< 3: psi, theta, phi
} pcs_rotation_form;

/// Says whether a rotation determines its numbers in some form.
typedef enum pcs_rotation_case {
    PCS_ROTATION_CASE_REGULAR, ///< one set of numbers in the ranges documented here
    PCS_ROTATION_CASE_NO_AXIS, ///< axis and angle: the identity, any axis; (1, 0, 0) is taken
    PCS_ROTATION_CASE_TWO_WAY, ///< axis and angle, rotation vector, Euler parameters: half a
                               ///< revolution up to rounding (q0 < 1e-15 |Q|); k and -k are the
                               ///< same
    PCS_ROTATION_CASE_GIMBAL   ///< Euler angles: only the sum or the difference of the outer angles
                               ///< is determined; roll (ZYX) or phi (ZYZ) is set to zero
} pcs_rotation_case;

/// The number of entries of a form: 9, 4 or 3; 0 for an invalid form.
PCS_API int pcs_rotation_form_size(pcs_rotation_form form);

/// Writes the rotation `in`, in the form `from`, as `out` in the form `to`; out may be in. If
/// `which` is not null it gets whether the numbers written are the only ones. Exact to a few
/// roundings also at tiny angles, half revolutions and near gimbal lock (inside the shell of
/// pcs_quat_to_zyx roll is dropped). PCS_ERR_ARG (out unchanged): a number that is not finite, a
/// zero axis or quaternion, a matrix that is not a rotation to 1e-6, Euler parameters whose length
/// is not 1 to 1e-6, an unknown form.
PCS_NODISCARD PCS_API pcs_status pcs_rotation_convert(pcs_rotation_form from, const double *in,
                                                      pcs_rotation_form to, double *out,
                                                      pcs_rotation_case *which);

/// Reports whether Q determines its numbers in a form, by the rules of the conversions; any |Q| >
/// 0.
PCS_API pcs_rotation_case pcs_quat_case(const double Q[4], pcs_rotation_form form);

/// @}
/// @name Rotation matrices
/// @{

/// C = A B, 3 x 3. C must not overlap A or B.
PCS_API void pcs_matrix_mul(const double A[9], const double B[9], double C[9]);

/// y = R x: body to inertial components. y must not overlap x.
PCS_API void pcs_matrix_apply(const double R[9], const double x[3], double y[3]);

/// y = R^T x: inertial to body components. y must not overlap x.
PCS_API void pcs_matrix_apply_back(const double R[9], const double x[3], double y[3]);

/// S = [a]x, so that S b = a x b (theory 0).
PCS_API void pcs_matrix_skew(const double a[3], double S[9]);

/// R = cos I + sin [k]x + (1 - cos) k k^T (theory 1.4), k = axis / |axis|. PCS_ERR_ARG as
/// pcs_quat_from_axis_angle.
PCS_NODISCARD PCS_API pcs_status pcs_matrix_from_axis_angle(const double axis[3], double angle,
                                                            double R[9]);

/// Unit axis and angle in [0, pi]; the identity has axis (1, 0, 0). PCS_ERR_ARG if R is not a
/// rotation to 1e-6, here and in the following.
PCS_NODISCARD PCS_API pcs_status pcs_matrix_to_axis_angle(const double R[9], double axis[3],
                                                          double *angle);

/// exp([w]x).
PCS_API void pcs_matrix_exp(const double w[3], double R[9]);

/// The rotation vector of R, |w| in [0, pi].
PCS_NODISCARD PCS_API pcs_status pcs_matrix_log(const double R[9], double w[3]);

/// R = Rz(yaw) Ry(pitch) Rx(roll), entry by entry (theory 1.4, E-30).
PCS_API void pcs_matrix_from_zyx(double roll, double pitch, double yaw, double R[9]);

/// As pcs_quat_to_zyx.
PCS_NODISCARD PCS_API pcs_status pcs_matrix_to_zyx(const double R[9], double *roll, double *pitch,
                                                   double *yaw);

/// R = Rz(psi) Ry(theta) Rz(phi), entry by entry.
PCS_API void pcs_matrix_from_zyz(double psi, double theta, double phi, double R[9]);

/// As pcs_quat_to_zyz.
PCS_NODISCARD PCS_API pcs_status pcs_matrix_to_zyz(const double R[9], double *psi, double *theta,
                                                   double *phi);

/// PCS_ERR_ARG, with a sentence, unless every entry of R^T R - I is at most tol and R is
/// right-handed.
PCS_NODISCARD PCS_API pcs_status pcs_matrix_check(const double R[9], double tol);

/// The rotation nearest to A in the sum of squares: the orthogonal factor of A = R S, S symmetric
/// positive definite (Higham 1986, Newton's iteration), orthonormal to rounding. For matrices with
/// drift or with few digits. R may be A. PCS_ERR_ARG if an entry is not finite, PCS_ERR_SINGULAR if
/// A is singular to 1e-12 or maps right-handed axes to left-handed ones; R is then unchanged.
PCS_NODISCARD PCS_API pcs_status pcs_matrix_nearest(const double A[9], double R[9]);

/// @}
/// @name Angular velocity (theory 1.5)
/// omega_A is in inertial, omega_B in body components, omega_A = R omega_B. Angular velocities of
/// frames that carry each other add when all are in one frame (pcs_frame_compose). An output may
/// be null.
/// @{

/// dR/dt = R [omega_B]x.
PCS_API void pcs_matrix_rate(const double R[9], const double omega_B[3], double Rdot[9]);

/// From dR/dt: [omega_A]x = dR/dt R^T, [omega_B]x = R^T dR/dt. R must be orthonormal; the symmetric
/// part of these products, which is no rotation, is dropped.
PCS_API void pcs_matrix_omega(const double R[9], const double Rdot[9], double omega_A[3],
                              double omega_B[3]);

/// From axis and angle and their rates, the axis moving as well (E-32):
///
///     omega_A = rate k + sin(angle) dk/dt + (1 - cos(angle)) k x dk/dt
///     omega_B = rate k + sin(angle) dk/dt - (1 - cos(angle)) k x dk/dt
///
/// The axis may have any length but zero; k is its direction, and the component of axis_rate along
/// k is dropped. PCS_ERR_ARG for a zero axis or a number that is not finite.
PCS_NODISCARD PCS_API pcs_status pcs_axis_angle_omega(const double axis[3], double angle,
                                                      const double axis_rate[3], double rate,
                                                      double omega_A[3], double omega_B[3]);

/// The inverse, for a unit axis: rate = k . omega_A, and dk/dt orthogonal to k. PCS_ERR_SINGULAR
/// where |sin(angle / 2)| < 1e-8: at the identity the axis is not determined.
PCS_NODISCARD PCS_API pcs_status pcs_axis_angle_rates(const double axis[3], double angle,
                                                      const double omega_A[3], double axis_rate[3],
                                                      double *rate);

/// omega of R = exp([w]x) from dw/dt: omega_A = V(w) dw/dt, omega_B = V(-w) dw/dt with
/// V(w) = I + (1 - cos a)/a^2 [w]x + (a - sin a)/a^3 [w]x^2, a = |w|. Series near a = 0.
PCS_API void pcs_rotation_vector_omega(const double w[3], const double wdot[3], double omega_A[3],
                                       double omega_B[3]);

/// The inverse, dw/dt = V(w)^-1 omega_A. PCS_ERR_SINGULAR where |w| is a nonzero multiple of
/// 2 pi to 1e-8; keep |w| <= pi (w and w - 2 pi w/|w| are the same rotation).
PCS_NODISCARD PCS_API pcs_status pcs_rotation_vector_rate(const double w[3],
                                                          const double omega_A[3], double wdot[3]);

/// @}
/// @name Quaternion kinematics, direct and inverse (theory 2.1, 2.4)
/// Any |Q| > 0. omega and its derivative are in body components; for inertial ones rotate them by
/// pcs_quat_rotate first (the derivative of omega is one vector in both frames: R d(omega_B)/dt =
/// d(omega_A)/dt).
/// @{

/// dQ/dt = 1/2 Q (x) (0, omega). Qdot must not overlap Q.
PCS_API void pcs_quat_rate(const double Q[4], const double omega[3], double Qdot[4]);

/// omega = 2 Im(Q* (x) dQ/dt) / |Q|^2; the component of dQ/dt along Q is dropped.
PCS_API void pcs_quat_omega(const double Q[4], const double Qdot[4], double omega[3]);

/// d2Q/dt2 = 1/2 (Q (x) (0, domega/dt) + dQ/dt (x) (0, omega)) with dQ/dt as in pcs_quat_rate
/// (E-15). Its part along Q is -|omega|^2/4 Q. Qddot must not overlap Q.
PCS_API void pcs_quat_second_rate(const double Q[4], const double omega[3],
                                  const double omega_rate[3], double Qddot[4]);

/// domega/dt from the first two derivatives of Q, |Q| not necessarily constant:
/// 2 Im(Q* (x) d2Q/dt2) / |Q|^2 - 2 (Q . dQ/dt) / |Q|^2 omega.
PCS_API void pcs_quat_omega_rate(const double Q[4], const double Qdot[4], const double Qddot[4],
                                 double omega_rate[3]);

/// @}

#ifdef __cplusplus
}
#endif

#endif
