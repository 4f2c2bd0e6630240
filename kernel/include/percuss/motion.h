/// @file
/// Motions, loads and linkages of bodies that are given by numbers, in place of callbacks: a scene
/// file can hold them (doc/scene-files.md).
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

/// One move of a linkage, by the amount `offset` + `by` . q.
typedef struct pcs_move {
    bool slides;      ///< true: along the axis, m; false: about it, rad
    double axis[3];   ///< inertial, where all amounts are zero; any length > 0
    double centre[3]; ///< a point of the axis of a turn, m
    double offset;    ///< m or rad
    const double *by; ///< as many numbers as the carrier has coordinates; borrowed
} pcs_move;

/// The pose of a carried body as a chain of moves by the coordinates q of its carrier, each of
/// which moves the axes of those after it: a pendulum turns about its pivot, a second one on it
/// about a pivot that the first turn moves.
///
///     pose(q) = move[0] ( move[1] ( ... (position, orientation)))
typedef struct pcs_linkage {
    int n;                 ///< coordinates of the carrier
    double position[3];    ///< where all amounts are zero, m, inertial
    double orientation[4]; ///< there, body to inertial; any length > 0
    int moves;             ///< number of moves, >= 0
    const pcs_move *move;  ///< borrowed
} pcs_linkage;

/// PCS_ERR_ARG, with a sentence, for numbers that are not finite, an axis or a quaternion of length
/// zero.
PCS_NODISCARD PCS_API pcs_status pcs_linkage_check(const pcs_linkage *linkage);

/// The pcs_body_pose_fn of a pcs_linkage, which is its `user`; it must pass pcs_linkage_check, have
/// the n of the carrier and outlive the model. Returns 0.
PCS_API int pcs_linkage_place(void *linkage, const double *q, double pose[7]);

/// The pcs_body_pose_jacobian_fn of the same. Returns 0.
PCS_API int pcs_linkage_rows(void *linkage, const double *q, double *J);

#ifdef __cplusplus
}
#endif

#endif
