/// @file
/// Geometry of a point contact of two bodies: its frame, the gradients of a point and of the gap,
/// and the operators from velocities of bodies to the local velocity (theory 4-6).
#ifndef PERCUSS_CONTACT_H
#define PERCUSS_CONTACT_H

#include <percuss/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The contact frame F = [N t1 t2], columns, right-handed (theory 4.2, ASM-3): with e the unit
/// vector of the smallest |N_k| (lowest index on ties), t1 = e x N / |e x N|, t2 = N x t1. N unit.
PCS_API void pcs_contact_frame(const double N[3], double F[9]);

/// dP/dQ (3 x 4, column-major) of the body-fixed point that is at P (inertial) when the pose is
/// q = (x, Q): (5.1), with the normalisation term, for any |Q| > 0. dP/dQ Q = 0.
PCS_API void pcs_contact_point_gradient(const double q[7], const double P[3], double dPdQ[12]);

/// C (1 x 14, or 1 x 7 when q2 is null: the world) of the gap N . (P1 - P2), normal frozen (5.3).
/// Exact to first order for foot points (P1 - P2 parallel to N). Where N passes through G up to
/// the rounding of P and G (a ball), the rotational part is exactly zero, here and in CT.
PCS_API void pcs_contact_gap_gradient(const double q1[7], const double P1[3], const double *q2,
                                      const double P2[3], const double N[3], double *C);

/// CT of one body (3 x 6, column-major): CT v = F^T (v_G + R omega x GP), the local velocity
/// (N, t1, t2) of its point at P, with v = (velocity of G inertial, omega body) (6.1). Its
/// transpose maps a contact impulse r to (force F r, body-frame moment R^T (GP x F r)).
PCS_API void pcs_contact_body_CT(const double q[7], const double P[3], const double F[9],
                                 double CT[18]);

/// CT of two bodies (3 x 12): u = CT_1 v_1 - CT_2 v_2, each with its own centre and point.
PCS_API void pcs_contact_CT(const double q1[7], const double P1[3], const double q2[7],
                            const double P2[3], const double F[9], double CT[36]);

#ifdef __cplusplus
}
#endif

#endif
