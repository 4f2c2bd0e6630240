/// @file
/// Rigid motions, twists and wrenches, motion seen from moving frames, force systems (theory 1.5,
/// 2.4, 3.1, 3.2).
///
/// A pose q = (x, Q) places a frame B in a frame A, as a body's coordinates place it in the
/// inertial frame: x is the origin of B in A components, Q maps B to A components, any |Q| > 0. A
/// twist is (V, omega), the velocity of the point at the origin and the angular velocity; a wrench
/// is (F, M), the force and the moment about the origin; both entirely in the components of one
/// frame. Matrices are column-major. Unless said otherwise outputs may be inputs.
#ifndef PERCUSS_RIGID_H
#define PERCUSS_RIGID_H

#include <percuss/euler.h>
#include <percuss/rotation.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @name Rigid motions, SE(3)
/// @{

/// x = 0, Q = (1, 0, 0, 0).
PCS_API void pcs_pose_identity(double q[7]);

/// PCS_ERR_ARG, with a sentence, unless all numbers are finite and Q is not zero.
PCS_NODISCARD PCS_API pcs_status pcs_pose_check(const double q[7]);

/// The pose of C in A from those of B in A and of C in B: (x1 + R1 x2, Q1 (x) Q2).
PCS_API void pcs_pose_compose(const double AB[7], const double BC[7], double AC[7]);

/// The pose of A in B: (-R^T x, Q*/|Q|^2).
PCS_API void pcs_pose_inverse(const double q[7], double out[7]);

/// A point, B to A: y = x + R p.
PCS_API void pcs_pose_point(const double q[7], const double p[3], double y[3]);

/// A point, A to B: y = R^T (p - x).
PCS_API void pcs_pose_point_back(const double q[7], const double p[3], double y[3]);

/// A free vector, B to A: y = R d.
PCS_API void pcs_pose_vector(const double q[7], const double d[3], double y[3]);

/// A free vector, A to B: y = R^T d.
PCS_API void pcs_pose_vector_back(const double q[7], const double d[3], double y[3]);

/// The homogeneous matrix T = [R x; 0 1], 4 x 4: T (p, 1) is the point and T (d, 0) the free vector
/// in A.
PCS_API void pcs_pose_to_matrix(const double q[7], double T[16]);

/// The inverse, with the sign of ASM-2. PCS_ERR_ARG if the last row is not (0, 0, 0, 1), R is not a
/// rotation to 1e-6, or x is not finite.
PCS_NODISCARD PCS_API pcs_status pcs_pose_from_matrix(const double T[16], double q[7]);

/// The motion reached in unit time with a constant twist in body components,
/// q = (V(omega) V, exp(omega)) with the V(w) of pcs_rotation_vector_omega: a screw.
PCS_API void pcs_pose_exp(const double twist[6], double q[7]);

/// The twist of least angle, |omega| in [0, pi], that leads to q.
PCS_API void pcs_pose_log(const double q[7], double twist[6]);

/// @}
/// @name Twists and wrenches
/// @{

/// The twist at another point of the same body, d from the present one: (V + omega x d, omega).
PCS_API void pcs_twist_at(const double twist[6], const double d[3], double out[6]);

/// The same forces with the moment about another point, d from the present one: (F, M - d x F).
PCS_API void pcs_wrench_at(const double wrench[6], const double d[3], double out[6]);

/// Components and reference point from B and its origin to A and its origin: omega_A = R omega_B,
/// V_A = R V_B + x x omega_A. (This is one motion in the components of two frames; if A itself
/// moves use pcs_frame_compose.)
PCS_API void pcs_pose_twist(const double q[7], const double twist_B[6], double twist_A[6]);

/// The inverse.
PCS_API void pcs_pose_twist_back(const double q[7], const double twist_A[6], double twist_B[6]);

/// F_A = R F_B, M_A = R M_B + x x F_A.
PCS_API void pcs_pose_wrench(const double q[7], const double wrench_B[6], double wrench_A[6]);

/// The inverse.
PCS_API void pcs_pose_wrench_back(const double q[7], const double wrench_A[6], double wrench_B[6]);

/// Ad (6 x 6) of pcs_pose_twist: twist_A = Ad twist_B, and wrench_B = Ad^T wrench_A.
PCS_API void pcs_pose_adjoint(const double q[7], double Ad[36]);

/// F . V + M . omega, W: the same at every point and in every frame.
PCS_API double pcs_wrench_power(const double wrench[6], const double twist[6]);

/// @}
/// @name Kinematics of a body with body-frame velocities (theory 2.4)
/// nu = (V, omega), both in body components; the library's own v has dx/dt inertial
/// (pcs_body_rate). They correspond to pcs_euler_rate and so on. Any |Q| > 0. Outputs must not
/// overlap inputs.
/// @{

/// dx/dt = R V, dQ/dt = 1/2 Q (x) (0, omega).
PCS_API void pcs_pose_rate(const double q[7], const double nu[6], double qdot[7]);

/// nu from dq/dt: V = R^T dx/dt, omega as pcs_quat_omega.
PCS_API void pcs_pose_velocity(const double q[7], const double qdot[7], double nu[6]);

/// d2x/dt2 = R (dV/dt + omega x V), d2Q/dt2 as pcs_quat_second_rate; dV/dt is the derivative of
/// the components of V.
PCS_API void pcs_pose_second_rate(const double q[7], const double nu[6], const double nudot[6],
                                  double qddot[7]);

/// dnu/dt from the first two derivatives of q, |Q| not necessarily constant.
PCS_API void pcs_pose_acceleration(const double q[7], const double qdot[7], const double qddot[7],
                                   double nudot[6]);

/// The equations of motion in body components about G (theory 3.2):
/// m (dV/dt + omega x V) = F, J domega/dt + omega x J omega = M. J 3 x 3 about G in body axes.
/// PCS_ERR_ARG for m <= 0 or a number that is not finite, PCS_ERR_SINGULAR if J is not positive
/// definite; nudot is then unchanged.
PCS_NODISCARD PCS_API pcs_status pcs_newton_euler(double m, const double J[9], const double nu[6],
                                                  const double wrench[6], double nudot[6]);

/// @}
/// @name Points in moving frames
/// @{

/// The motion of a frame B in a frame A at an instant. The same numbers as coordinates, velocity
/// and acceleration of a Newton-Euler body in the kernel.
typedef struct pcs_frame {
    double q[7]; ///< pose of B in A, any |Q| > 0
    double v[6]; ///< velocity of the origin of B in A components, angular velocity in B components
    double a[6]; ///< dv/dt: acceleration of the origin in A, derivative of omega in B components
} pcs_frame;

/// The motion of a point in some frame: components and their derivatives.
typedef struct pcs_point_motion {
    double x[3]; ///< position
    double v[3]; ///< its derivative
    double a[3]; ///< its second derivative
} pcs_point_motion;

/// The terms of the acceleration of a point.
typedef struct pcs_point_motion_terms {
    double origin[3];      ///< acceleration of the origin of B
    double relative[3];    ///< R d2p/dt2
    double coriolis[3];    ///< R 2 omega x dp/dt
    double centripetal[3]; ///< R omega x (omega x p)
    double euler[3];       ///< R domega/dt x p
} pcs_point_motion_terms;

/// The motion in A of a point that moves by p in B (theory 1.5):
///
///     x + R p,   v + R (dp/dt + omega x p),
///     a + R (d2p/dt2 + 2 omega x dp/dt + domega/dt x p + omega x (omega x p))
///
/// With p.v = p.a = 0 the point is fixed in B. All vectors are given in A components, or with
/// PCS_AXES_BODY in those of B (they are then not derivatives of each other). terms may be null.
PCS_API void pcs_frame_point(const pcs_frame *frame, const pcs_point_motion *p, pcs_axes axes,
                             pcs_point_motion *out, pcs_point_motion_terms *terms);

/// The motion in B, as an observer in B sees it, of a point that moves by p in A.
PCS_API void pcs_frame_point_back(const pcs_frame *frame, const pcs_point_motion *p,
                                  pcs_point_motion *out);

/// The motion of C in A from those of B in A and C in B. Angular velocities add in C components:
/// R2^T omega1 + omega2.
PCS_API void pcs_frame_compose(const pcs_frame *AB, const pcs_frame *BC, pcs_frame *AC);

/// The motion of A in B.
PCS_API void pcs_frame_inverse(const pcs_frame *frame, pcs_frame *out);

/// @}
/// @name Force systems
/// @{

/// Resultant of n forces (3 n) at points (3 n) and n_couples couples (3 n_couples, N m), moment
/// about a point: F = sum F_k, M = sum (P_k - about) x F_k + sum couples. All in one frame. Arrays
/// without entries may be null. PCS_ERR_ARG for a negative count, a null array or a number that
/// is not finite.
PCS_NODISCARD PCS_API pcs_status pcs_wrench_of_forces(int n, const double *points,
                                                      const double *forces, int n_couples,
                                                      const double *couples, const double about[3],
                                                      double wrench[6]);

/// The couple of F at P1 and -F at P2: (P1 - P2) x F, the same about every point. couple must not
/// overlap F.
PCS_API void pcs_couple_moment(const double F[3], const double P1[3], const double P2[3],
                               double couple[3]);

/// The central axis of a wrench: along F through `point`, the point of the axis nearest to the
/// reference point, relative to which it is given; about the axis the moment is pitch F, with pitch
/// in m. PCS_ERR_SINGULAR for a couple, which has none (F = 0), PCS_ERR_ARG for numbers that are
/// not finite.
PCS_NODISCARD PCS_API pcs_status pcs_wrench_axis(const double wrench[6], double point[3],
                                                 double *pitch);

/// @}

#ifdef __cplusplus
}
#endif

#endif
