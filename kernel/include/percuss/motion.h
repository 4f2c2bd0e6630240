/// @file
/// Motions and loads of bodies that are given by numbers, in place of callbacks: a scene file can
/// hold them (doc/scene-files.md).
///
///     pcs_motion lift = pcs_motion_default(); // at the origin: the pose of `def` is not read
///     lift.polynomial[1][2] = 0.2;            // 0.2 m/s upwards
///     def.motion = pcs_motion_follow;
///     def.user = &lift;
#ifndef PERCUSS_MOTION_H
#define PERCUSS_MOTION_H

#include <percuss/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Coefficients of the polynomials of a motion: of t^0 to t^(PCS_MOTION_TERMS - 1).
enum { PCS_MOTION_TERMS = 8 };

/// A prescribed motion. With the displacement and the angle
///
///     d(t)     = sum_k polynomial[k] t^k + amplitude sin(2 pi frequency t + phase)
///     alpha(t) = sum_k angle[k] t^k + swing sin(2 pi swing_frequency t + swing_phase)
///
/// the body is rotated by alpha about `axis` through `centre`, then moved by d:
///
///     x = centre + R (position - centre) + d,  Q = (axis, alpha) (x) orientation
///
/// Its velocity is the rate of this pose, plus `belt`: a conveyor. A table replaces everything
/// except the belt: between its rows the position is linear in t and the rotation uniform; before
/// the first and after the last row the body does not move.
typedef struct pcs_motion {
    double position[3];                     ///< m, inertial
    double orientation[4];                  ///< body to inertial; any length > 0
    double polynomial[PCS_MOTION_TERMS][3]; ///< m/s^k, inertial
    double amplitude[3];                    ///< m, inertial
    double frequency;                       ///< Hz
    double phase;                           ///< rad
    double axis[3];                         ///< inertial, any length > 0
    double centre[3];                       ///< m, a point of the axis, inertial
    double angle[PCS_MOTION_TERMS];         ///< rad/s^k
    double swing;                           ///< rad
    double swing_frequency;                 ///< Hz
    double swing_phase;                     ///< rad
    double belt[3];                         ///< m/s, inertial
    const double *table; ///< or null; borrowed. Rows t, x, y, z or t, x, y, z, Q with t (s)
                         ///< ascending; without Q the orientation is that above
    int rows;            ///< number of rows of the table, >= 2
    int columns;         ///< number of columns of the table: 4 or 8
} pcs_motion;

/// At rest at the origin; the axis is z.
PCS_API pcs_motion pcs_motion_default(void);

/// PCS_ERR_ARG, with a sentence, for numbers that are not finite or out of range.
PCS_NODISCARD PCS_API pcs_status pcs_motion_check(const pcs_motion *motion);

/// The pcs_body_motion_fn of a pcs_motion, which is its `user`; it must pass pcs_motion_check and
/// outlive the model. Returns 0, or PCS_ERR_ARG when the axis is zero.
PCS_API int pcs_motion_follow(void *motion, double t, double q[7], double v[6]);

/// A constant load and linear damping of a body:
///
///     F = force + R body_force - damping v,  M = R^T torque + body_torque - angular_damping omega
typedef struct pcs_load {
    double force[3];        ///< N, at G, inertial
    double torque[3];       ///< N m, inertial
    double body_force[3];   ///< N, at G, body axes: rotates with the body
    double body_torque[3];  ///< N m, body axes
    double damping;         ///< N s/m, >= 0
    double angular_damping; ///< N m s, >= 0
} pcs_load;

/// PCS_ERR_ARG, with a sentence, for a number that is not finite and for negative damping.
PCS_NODISCARD PCS_API pcs_status pcs_load_check(const pcs_load *load);

/// The pcs_body_force_fn of a pcs_load, which is its `user`; it must pass pcs_load_check and
/// outlive the model.
PCS_API int pcs_load_act(void *load, double t, const double q[7], const double v[6], double F[6]);

#ifdef __cplusplus
}
#endif

#endif
