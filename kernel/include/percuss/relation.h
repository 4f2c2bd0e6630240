/// @file
/// Relations y = g(q): the contact frame, gradients and velocity operators of a point contact
/// (theory 4-6), and relations given by callback.
#ifndef PERCUSS_RELATION_H
#define PERCUSS_RELATION_H

#include <stdbool.h>

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

/// y = g(q1, q2), dim rows. q1 and q2 are the coordinates of the two systems (7 for a body, n for
/// a Lagrangian system); q2 is null when the second system is the world. A non-zero return
/// value stops the step with PCS_ERR_CALLBACK; so does a number that is not finite at the start of
/// the step. Where the step has moved the systems such a number makes it diverge: an outcome.
typedef int (*pcs_relation_gap_fn)(void *user, const double *q1, const double *q2, double *g);

/// C1 = dg/dq1 (dim x nq1) and C2 = dg/dq2 (dim x nq2), column-major; C2 is null when the second
/// system is the world. A gap that depends on a quaternion must depend on R(Q/|Q|) only, so that
/// C (0, Q) = 0 (theory 8.3): the step uses C T, which never sees a radial part, but the
/// projection metrics Q and Q1 do. C1 and C2 arrive zeroed: entries that vanish need not be set.
typedef int (*pcs_relation_gradient_fn)(void *user, const double *q1, const double *q2, double *C1,
                                        double *C2);

/// A relation. A value that a model copies; `user` must outlive the model.
typedef struct pcs_relation {
    int dim;                           ///< rows, >= 1
    pcs_relation_gap_fn gap;           ///< required
    pcs_relation_gradient_fn gradient; ///< required
    void *user;                        ///< passed to the callbacks, unless has_data
    bool has_data;  ///< the callbacks get a pointer to `data` of this copy instead of user
    double data[9]; ///< parameters of the built-in relations; free for others
} pcs_relation;

/// g(q1, q2), dim entries, with the callback's answer checked: PCS_ERR_CALLBACK when it fails or
/// leaves an entry unset or not finite.
PCS_NODISCARD PCS_API pcs_status pcs_relation_gap(const pcs_relation *relation, const double *q1,
                                                  const double *q2, double *g);

/// C1 (dim x nq1) and C2 (dim x nq2, null for the world), column-major, zeroed before the
/// callback is asked and checked afterwards.
PCS_NODISCARD PCS_API pcs_status pcs_relation_gradient(const pcs_relation *relation, int nq1,
                                                       const double *q1, int nq2, const double *q2,
                                                       double *C1, double *C2);

/// Distance joint between two body-fixed points (body frames; for the world: inertial):
/// |P1 - P2| - length, 1 row. length > 0 and finite, or a model refuses it: where the points meet
/// the gap has no gradient, and pcs_relation_gradient fails. With a null point the relation has no
/// callbacks, and is refused, too.
PCS_API pcs_relation pcs_relation_distance(const double p1[3], const double p2[3], double length);

/// Ball joint: P1 - P2, 3 rows (inertial axes).
PCS_API pcs_relation pcs_relation_ball_joint(const double p1[3], const double p2[3]);

/// Linear relation of a Lagrangian system of n dofs to the world: y = c . q + b, 1 row. c is
/// copied; 1 <= n <= 7 (beyond that the relation has no callbacks, and is refused); not all of c
/// may be zero.
PCS_API pcs_relation pcs_relation_linear(int n, const double *c, double b);

#ifdef __cplusplus
}
#endif

#endif
