/// @file
/// Joints between two bodies, or a body and the world: their frames, and how they are read.
#ifndef PERCUSS_JOINT_H
#define PERCUSS_JOINT_H

#include <percuss/query.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The kinds of joints. Each body carries a frame; x1, y1, z1 and x2, y2, z2 are the axes of the
/// two frames, P1 and P2 their origins. Behind each kind: what it holds, and the coordinates that
/// it leaves free, in the order of pcs_joint_state. Angles are those of frame 1 relative to frame
/// 2, displacements those of P1 relative to P2; an angle lies in (-pi, pi].
typedef enum pcs_joint_kind {
    PCS_JOINT_BALL,          ///< P1 = P2; rotation vector (3). The axes have no effect
    PCS_JOINT_HINGE,         ///< P1 = P2, z1 = z2; the angle about z
    PCS_JOINT_SLIDER,        ///< moves along z only; the displacement along z
    PCS_JOINT_CYLINDRICAL,   ///< P1 on the line (P2, z2), z1 = z2; displacement, angle
    PCS_JOINT_FIXED,         ///< the two frames coincide; nothing
    PCS_JOINT_UNIVERSAL,     ///< P1 = P2, x1 at right angles to z2; angle about z2, angle about x1
    PCS_JOINT_PLANAR,        ///< P1 in the plane (P2, z2), z1 = z2; displacements along x2 and y2,
                             ///< angle
    PCS_JOINT_POINT_ON_LINE, ///< P1 on the line (P2, z2); displacement, rotation vector (3)
    PCS_JOINT_SCREW,     ///< as cylindrical, and displacement = pitch angle / 2 pi; displacement,
                         ///< angle
    PCS_JOINT_GEAR,      ///< teeth[0] psi1 + teeth[1] psi2 = 0, psi the angle about z from the
                         ///< x axis of a gear to the centre of the other (in its xy plane), so
                         ///< that whatever carries the gears may move; psi1, psi2. The axes may
                         ///< cross (bevel gears). It holds nothing else: give each gear its hinge
    PCS_JOINT_DISTANCE,  ///< |P1 - P2| = length; this distance, which it holds: it has no limits,
                         ///< motors or friction. The axes have no effect
    PCS_JOINT_KIND_COUNT ///< number of kinds
} pcs_joint_kind;

/// A joint. Start from pcs_joint_def_default or pcs_model_place_joint.
typedef struct pcs_joint_def {
    pcs_joint_kind kind; ///< which
    pcs_system system1;  ///< a body
    pcs_system system2;  ///< a body, or {0}: the world
    double point1[3];    ///< origin of frame 1 in the frame of system1 (from its G), m
    double axes1[4];     ///< axes of frame 1 in the frame of system1, as a quaternion; any length
                         ///< > 0 (pcs_joint_axes makes it from directions)
    double point2[3];    ///< origin of frame 2 in the frame of system2 (of the world: inertial), m
    double axes2[4];     ///< its axes, as axes1
    double pitch;        ///< of a screw, m per turn, not 0; > 0: right-handed
    int teeth[2];  ///< of a gear: numbers of teeth, not 0 and at most 10000; equal signs where
                   ///< the teeth are outside on both, opposite ones where one has them inside
    double length; ///< of a distance joint, m, > 0
    double arm;    ///< m, length by which directions and angles are multiplied in the rows of
                   ///< the joint, so that all of them are lengths; it decides how errors of
                   ///< position and direction compare. 0: pcs_model_add_joint takes the
                   ///< radius of gyration of the smaller of the bodies that move
} pcs_joint_def;

/// Both frames at the origins of their systems, along their axes; system2 is the world.
PCS_API pcs_joint_def pcs_joint_def_default(pcs_joint_kind kind);

/// The quaternion of axes with this z axis (any length > 0), and with the x axis in the direction
/// of x as far as that is at right angles to z; x null: any. PCS_ERR_ARG, with `axes` unchanged,
/// for a direction that is zero or not finite, or an x parallel to z.
PCS_NODISCARD PCS_API pcs_status pcs_joint_axes(const double z[3], const double *x, double axes[4]);

/// Places both frames of a joint whose kind and systems are set at the same inertial pose, with the
/// systems where their definitions put them (a prescribed motion is called at t = 0): the origins
/// at `point`, z along `z` (the axis of a hinge, slider, cylindrical joint or screw, the line of a
/// point, the normal of a plane; of a universal joint the axis in system2, and x the other one), x
/// as in pcs_joint_axes. Not for distance joints and gears, whose two points differ. Nothing is
/// written when it fails.
PCS_NODISCARD PCS_API pcs_status pcs_model_place_joint(const pcs_model *model,
                                                       const double point[3], const double z[3],
                                                       const double *x, pcs_joint_def *def);

/// Adds a joint, an interaction with an equality law (`out` may be null). Names, enabling and
/// pcs_model_set_touching are those of interactions. PCS_ERR_ARG, with a sentence, for a body
/// joined to itself, frames that are not finite or whose quaternion is zero, parameters out of
/// range, and axes that would have to turn by more than a right angle to meet. A joint that is open
/// is accepted: pcs_project assembles a state, or says what is left; a step closes it by a jump,
/// with a doubt.
PCS_NODISCARD PCS_API pcs_status pcs_model_add_joint(pcs_model *model, const pcs_joint_def *def,
                                                     pcs_interaction *out);

/// The definition of a joint with the arm that it uses. PCS_ERR_ARG, with `out` unchanged, for
/// interactions that are not joints of these kinds. Ball and distance joints that were added by
/// their relations are joints, too.
PCS_NODISCARD PCS_API pcs_status pcs_model_joint(const pcs_model *model,
                                                 pcs_interaction interaction, pcs_joint_def *out);

/// The relation of a joint between systems 1 and 2 of an interaction; arm must be > 0. A definition
/// that is not valid gives a relation that models refuse.
PCS_API pcs_relation pcs_relation_joint(const pcs_joint_def *def);

/// True when a free coordinate of a kind is an angle, and what acts on it a moment; false for
/// displacements, the parts of rotation vectors and numbers that the kind does not have.
PCS_API bool pcs_joint_is_angle(pcs_joint_kind kind, int coordinate);

/// Limits of a free coordinate of a joint: low <= c <= high, with Newton's impact law. They hold
/// from both sides or, with an infinite limit, from one.
typedef struct pcs_joint_limits {
    pcs_interaction joint; ///< the joint
    int coordinate;        ///< number of the coordinate, as in pcs_joint_state; not of a rotation
                           ///< vector
    double low;            ///< m or rad; of a length it may be -INFINITY
    double high; ///< m or rad; of a length it may be INFINITY. Limits of an angle are less
                 ///< than a turn apart, anywhere
    double e;    ///< restitution, in [0, 1]
} pcs_joint_limits;

/// Adds limits to a joint, as an interaction of its own with Newton's impact law (`out` may be
/// null): it is disabled by itself, and pcs_work_reaction gives its impulse. The limits keep the
/// frames that the joint has now. PCS_ERR_ARG, with a sentence, for limits that are reversed or not
/// numbers, and coordinates without limits.
PCS_NODISCARD PCS_API pcs_status pcs_model_add_joint_limits(pcs_model *model,
                                                            const pcs_joint_limits *limits,
                                                            pcs_interaction *out);

/// Reads limits back. PCS_ERR_ARG, with `out` unchanged, for other interactions.
PCS_NODISCARD PCS_API pcs_status pcs_model_joint_limits(const pcs_model *model,
                                                        pcs_interaction interaction,
                                                        pcs_joint_limits *out);

/// The relation of limits, with one row for each finite one: c - low, high - c, angles times the
/// arm of the joint. Invalid arguments give a relation that models refuse.
PCS_API pcs_relation pcs_relation_joint_limits(const pcs_joint_def *joint,
                                               const pcs_joint_limits *limits);

/// The relation of a coordinate of a joint, one row: angles times the arm of the joint. Its
/// function of time is in m or rad. `id` is the joint that pcs_model_joint_motor names, {0} where
/// there is none. Invalid arguments give a relation that models refuse.
PCS_API pcs_relation pcs_relation_joint_coordinate(const pcs_joint_def *joint, pcs_interaction id,
                                                   int coordinate);

/// A motor on a free coordinate of a joint.
typedef struct pcs_joint_motor {
    pcs_interaction joint;    ///< the joint
    int coordinate;           ///< number of the coordinate, as in pcs_joint_state; not of a
                              ///< rotation vector
    pcs_time_function target; ///< the coordinate, m or rad
    bool of_speed;            ///< true: the target is its speed, m/s or rad/s
    double limit; ///< largest force (N) or moment (N m), >= 0; INFINITY: as much as necessary
} pcs_joint_motor;

/// Holds the first coordinate at 0 without limit: fill in the target.
PCS_API pcs_joint_motor pcs_joint_motor_default(pcs_interaction joint);

/// Adds a motor to a joint, as an interaction of its own (`out` may be null): it is disabled by
/// itself, and pcs_work_joint_effort gives its force or moment. Without limit a coordinate is
/// prescribed: it follows the target exactly. A limited motor is a row of the velocity problem with
/// |r| <= h limit: it has the speed of its target, or that which reaches the target at the end of
/// the step, wherever its limit allows; it has no gains. Where a target jumps such a motor arrives
/// with its full moment, and passes it: let the target move as fast as the limit allows. Of an
/// angle the way is the shorter one, as turns are not counted. The motor keeps the frames that the
/// joint has now. PCS_ERR_ARG, with a sentence, for coordinates that have no motor and numbers that
/// are not finite or negative.
PCS_NODISCARD PCS_API pcs_status pcs_model_add_joint_motor(pcs_model *model,
                                                           const pcs_joint_motor *motor,
                                                           pcs_interaction *out);

/// Reads a motor back. PCS_ERR_ARG, with `out` unchanged, for other interactions, friction too.
PCS_NODISCARD PCS_API pcs_status pcs_model_joint_motor(const pcs_model *model,
                                                       pcs_interaction interaction,
                                                       pcs_joint_motor *out);

/// Dry friction on a free coordinate of a joint: a force (N) or moment (N m) against its speed of
/// at most limit + mu |R|, for an angle limit + mu radius |R|, where R is the force that the joint
/// transmits in the same step. It sticks. On bodies that turn the place is kept to second order in
/// the step size where theta is 1/2 (in an island that touches nothing; configurations start and
/// middle), and creeps by an amount of order h where it is 1.
typedef struct pcs_joint_friction {
    pcs_interaction joint; ///< the joint
    int coordinate;        ///< number of the coordinate; not of a rotation vector
    double limit;          ///< constant part, N or N m, >= 0 and finite
    double mu;             ///< friction of the bearing, >= 0 and finite
    double radius;         ///< of the bearing, m, > 0 where mu > 0; displacements do not use it
} pcs_joint_friction;

/// Adds dry friction to a joint, as an interaction of its own (`out` may be null): a box row of the
/// velocity problem, |r| <= h (limit + mu radius |R|). Where mu > 0 the bound depends on the
/// solution: the velocity problem is solved again with new bounds until the solution obeys those
/// that it loads, to the tolerance of the solver (pcs_step_report: friction_residual). R is the
/// norm of the rows that hold positions: of a hinge the radial and axial force, of a slider the
/// force across. Moments that a slider transmits do not count. pcs_work_joint_effort gives the
/// force or moment. PCS_ERR_ARG, with a sentence, as for motors.
PCS_NODISCARD PCS_API pcs_status pcs_model_add_joint_friction(pcs_model *model,
                                                              const pcs_joint_friction *friction,
                                                              pcs_interaction *out);

/// Reads friction back; `radius` is 1 and `mu` their product for an angle. PCS_ERR_ARG, with `out`
/// unchanged, for other interactions, motors too.
PCS_NODISCARD PCS_API pcs_status pcs_model_joint_friction(const pcs_model *model,
                                                          pcs_interaction interaction,
                                                          pcs_joint_friction *out);

/// The effort of a motor or of friction: the mean force (N) or moment (N m) along its coordinate
/// over the last step, on system 1; after an impact its impulse. Zero if it did not act.
/// PCS_ERR_ARG for interactions that are neither.
PCS_NODISCARD PCS_API pcs_status pcs_work_joint_effort(const pcs_work *work,
                                                       pcs_interaction interaction, double *effort);

/// A joint at a state.
typedef struct pcs_joint_state {
    pcs_joint_kind kind; ///< its kind
    int count;           ///< free coordinates that it has
    double position[4];  ///< those coordinates, m or rad, in the order of pcs_joint_kind
    double speed[4];     ///< their rates, m/s or rad/s; of a rotation vector the angular velocity
                         ///< of frame 1 relative to frame 2, in the axes of frame 2
    bool broken;         ///< it does not act any more (pcs_model_set_strength)
    double violation;    ///< largest of its rows, m: error of position, or of direction times arm
    double force1[3];    ///< on system1 by the joint, axes of frame 1, N: mean of the last step
                         ///< of the work, with the frames where the middle of that step had them
    double moment1[3];   ///< on system1 about P1, axes of frame 1, N m
    double force2[3];    ///< on system2 by the joint, axes of frame 2, N
    double moment2[3];   ///< on system2 about P2, axes of frame 2, N m
} pcs_joint_state;

/// Reads a joint: coordinates, rates and violation at the state, in which the last step of the work
/// ended; force and moment of that step, both zero if the joint did not act (`work` may be null;
/// after pcs_impact, which takes no time, they are impulses, N s and N m s). In smooth motion they
/// are those of the middle of the step, to second order.
PCS_NODISCARD PCS_API pcs_status pcs_state_joint(const pcs_model *model, const pcs_state *state,
                                                 const pcs_work *work, pcs_interaction interaction,
                                                 pcs_joint_state *out);

#ifdef __cplusplus
}
#endif

#endif
