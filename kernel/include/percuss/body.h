/// @file
/// A Newton-Euler body in the coordinates of a state: q = (x, Q) with x of the centre of mass G and
/// any |Q| > 0, v = (velocity of G inertial, omega in body components) (theory 2, 3). Motion with a
/// velocity in body components is in <percuss/rigid.h> (pcs_pose_rate and so on).
#ifndef PERCUSS_BODY_H
#define PERCUSS_BODY_H

#include <percuss/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The mass properties of a rigid body in some frame; <percuss/inertia.h> computes them.
typedef struct pcs_inertia {
    double m;    ///< mass, kg
    double G[3]; ///< centre of mass, m
    double J[9]; ///< inertia about G in the axes of the frame, kg m^2
} pcs_inertia;

/// T(q) of one Newton-Euler body (7 x 6, column-major): dq/dt = T v with q = (x, Q) and
/// v = (dx/dt inertial, omega in the body frame).
PCS_API void pcs_body_T(const double q[7], double T[42]);

/// dq/dt = T(q) v.
PCS_API void pcs_body_rate(const double q[7], const double v[6], double qdot[7]);

/// The body's velocity from dq/dt: v = (T^T T)^-1 T^T dq/dt; any |Q| > 0.
PCS_API void pcs_body_velocity(const double q[7], const double qdot[7], double v[6]);

/// How positions are advanced (decision D-1).
typedef enum pcs_quat_update {
    PCS_QUAT_UPDATE_EXP, ///< Q (x) exp(h omega): exact for constant omega
    PCS_QUAT_UPDATE_ADD  ///< normalise(Q + h/2 L(Q) omega): angle error -(h |omega|)^2 / 12
} pcs_quat_update;

/// q1 = q advanced by h v: x + h v_x, and Q as `update` says, normalised. q1 may be q.
PCS_API void pcs_body_advance(const double q[7], double h, const double v[6],
                              pcs_quat_update update, double q1[7]);

/// 1/2 m |v|^2 + 1/2 omega^T J omega, J: a body of the kernel, J about G in body axes, v =
/// (velocity of G inertial, omega body) (theory 3.3).
PCS_API double pcs_body_energy(double m, const double J[9], const double v[6]);

/// Momentum m v and angular momentum about an inertial point, (x - about) x m v + R J omega, both
/// in inertial components; q = (x, Q) and v of a body of the kernel, any |Q| > 0.
PCS_API void pcs_body_momentum(double m, const double J[9], const double q[7], const double v[6],
                               const double about[3], double momentum[6]);

/// The load of a Newton-Euler body at q = (x_G, Q) from n forces (3 n) at points (3 n), both
/// inertial: F in inertial and the moment about G in body components, R^T sum (P_k - x_G) x F_k
/// (theory 3.1). PCS_ERR_ARG as pcs_wrench_of_forces and pcs_pose_check.
PCS_NODISCARD PCS_API pcs_status pcs_body_load(const double q[7], int n, const double *points,
                                               const double *forces, double load[6]);

#ifdef __cplusplus
}
#endif

#endif
