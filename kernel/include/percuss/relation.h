/// @file
/// Relations y = g(q) between systems: joints, and relations given by callback (theory 4).
#ifndef PERCUSS_RELATION_H
#define PERCUSS_RELATION_H

#include <stdbool.h>

#include <percuss/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// y = g(q1, q2), dim rows. q1 and q2 are the coordinates of the two systems (7 for a body, n for
/// a Lagrangian system); q2 is null when the second system is the world. A non-zero return
/// value stops the step with PCS_ERR_CALLBACK; so does a number that is not finite at the start of
/// the step. Where the step has moved the systems such a number makes it diverge: an outcome.
typedef int (*pcs_relation_gap_fn)(void *user, const double *q1, const double *q2, double *g);

/// C1 = dg/dq1 (dim x nq1) and C2 = dg/dq2 (dim x nq2), column-major; C2 is null when the second
/// system is the world. A gap that depends on a quaternion must depend on R(Q/|Q|) only, so that C
/// (0, Q) = 0 (theory 8.3): the step uses C T, which never sees a radial part, but the projection
/// metrics Q and Q1 do. C1 and C2 are zero at the call: entries that are zero need not be set.
typedef int (*pcs_relation_gradient_fn)(void *user, const double *q1, const double *q2, double *C1,
                                        double *C2);

/// f and df/dt at time t. A non-zero return value stops the step with PCS_ERR_CALLBACK; so does a
/// number that is not finite.
typedef int (*pcs_time_fn)(void *user, double t, double *f, double *df);

/// A number that depends on time, f(t) = offset + rate t + amplitude sin(frequency t + phase): a
/// constant, a ramp, an oscillation; or a callback. All zero is f = 0.
typedef struct pcs_time_function {
    double offset;    ///< value at t = 0 without the oscillation
    double rate;      ///< per s
    double amplitude; ///< of the oscillation
    double frequency; ///< rad/s
    double phase;     ///< rad
    pcs_time_fn fn;   ///< or null; replaces the five numbers
    void *user;       ///< passed to fn; must outlive the model
} pcs_time_function;

/// f and df/dt (null: not needed) at time t. PCS_ERR_CALLBACK where the callback fails or gives
/// numbers that are not finite.
PCS_NODISCARD PCS_API pcs_status pcs_time_function_at(const pcs_time_function *function, double t,
                                                      double *f, double *df);

/// Numbers that a relation carries.
enum { PCS_RELATION_DATA = 20 };

/// A relation. A value that a model copies; `user` must outlive the model.
typedef struct pcs_relation {
    int dim;                           ///< rows, >= 1
    pcs_relation_gap_fn gap;           ///< required
    pcs_relation_gradient_fn gradient; ///< required
    void *user;                        ///< passed to the callbacks, unless has_data
    bool has_data; ///< the callbacks get a pointer to `data` of this copy instead of user
    double data[PCS_RELATION_DATA]; ///< parameters of the built-in relations; free for others
    pcs_time_function time; ///< a model holds y = g(q1, q2) - time(t); of relations with one row.
                            ///< With an equality law it prescribes g, and the reaction is that of
                            ///< the interaction
    bool timed;    ///< true: the time function counts also where it is zero, as that of a motor
                   ///< with the target 0. One that is not zero always counts. A limited law
                   ///< without it is dry friction
    bool of_speed; ///< true: time(t) is dg/dt, and g has no value to hold; with a limited law only
} pcs_relation;

/// g(q1, q2) without the time function, dim entries, with a check of the callback: PCS_ERR_CALLBACK
/// when it fails or leaves an entry unset or not finite.
PCS_NODISCARD PCS_API pcs_status pcs_relation_gap(const pcs_relation *relation, const double *q1,
                                                  const double *q2, double *g);

/// C1 (dim x nq1) and C2 (dim x nq2, null for the world), column-major, zeroed before the call of
/// the callback and checked afterwards.
PCS_NODISCARD PCS_API pcs_status pcs_relation_gradient(const pcs_relation *relation, int nq1,
                                                       const double *q1, int nq2, const double *q2,
                                                       double *C1, double *C2);

/// Compares the gradient of a relation with differences of its gap at the coordinates q1 and q2
/// (null for the world), to what the differences resolve: about 1e-9 of the largest entry where the
/// gap is smooth over a centimetre. PCS_ERR_CALLBACK where an entry differs, with a sentence that
/// names row and coordinate (both from 0), the system and both numbers. For a test of one's own
/// callbacks, at some random coordinates.
PCS_NODISCARD PCS_API pcs_status pcs_relation_check(const pcs_relation *relation, int nq1,
                                                    const double *q1, int nq2, const double *q2);

/// Distance joint between two body-fixed points (body frames; for the world: inertial):
/// |P1 - P2| - length, 1 row. length > 0 and finite, or a model refuses it: where the points meet
/// the gap has no gradient, and pcs_relation_gradient fails. With a null point the relation has no
/// callbacks, and is refused, too.
PCS_API pcs_relation pcs_relation_distance(const double p1[3], const double p2[3], double length);

/// Rope between two body-fixed points: length - |P1 - P2|, 1 row; points and length as those of a
/// distance joint. With an impact law it holds the points when it is taut, and is slack otherwise.
PCS_API pcs_relation pcs_relation_rope(const double p1[3], const double p2[3], double length);

/// Ball joint: P1 - P2, 3 rows (inertial axes).
PCS_API pcs_relation pcs_relation_ball_joint(const double p1[3], const double p2[3]);

/// Linear relation of a Lagrangian system of n dofs to the world: y = c . q + b, 1 row. c is
/// copied; 1 <= n <= 7 (beyond that the relation has no callbacks, and is refused); not all of c
/// may be zero. Of a rigid body n = 7, and c is zero but for the centre of mass, as no gap may
/// depend on the length of a quaternion.
PCS_API pcs_relation pcs_relation_linear(int n, const double *c, double b);

/// Contact of a Lagrangian system with a surface of the world, both linear in its coordinates: the
/// gap y_N = c . q + b and the place y_T = t . q along the surface, 2 rows. n, c and rigid bodies as
/// for a linear relation; t is copied and not all zero. With a Newton-Coulomb law it has planar
/// friction.
PCS_API pcs_relation pcs_relation_linear_contact(int n, const double *c, double b, const double *t);

#ifdef __cplusplus
}
#endif

#endif
