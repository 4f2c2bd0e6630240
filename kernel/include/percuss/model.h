/// @file
/// The definitions of the user: systems, shapes, materials, laws, interactions, the scheme.
/// Definition structs with defaults in, small typed ids out. A model is const during a step and may
/// serve several states at once.
#ifndef PERCUSS_MODEL_H
#define PERCUSS_MODEL_H

#include <stdbool.h>

#include <percuss/body.h>
#include <percuss/linalg.h>
#include <percuss/relation.h>
#include <percuss/shape.h>
#include <percuss/solver.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A body or a Lagrangian system. {0} is the world: fixed, without coordinates.
typedef struct pcs_system {
    int id; ///< from 1 in the order added; 0 is the world
} pcs_system;

/// A material. {0} is the default material: e = 0, no friction.
typedef struct pcs_material {
    int id; ///< from 1 in the order added; 0 is the default
} pcs_material;

/// An interaction given by pcs_model_add_interaction.
typedef struct pcs_interaction {
    int id; ///< from 1 in the order added
} pcs_interaction;

// ---- systems

/// Force in the inertial frame (F[0..2], N) and moment about G in the body frame (F[3..5], N m)
/// at time t, pose q = (x, Q) and velocity v = (inertial, omega body). Gravity and the
/// gyroscopic moment are not part of it. A non-zero return value stops the step with
/// PCS_ERR_CALLBACK and leaves the state as it was; so does a number that is not finite at the
/// coordinates and velocities of the start, or at its end with the velocities of the start. At an
/// iterate of Newton's loop such a number ends the step in the outcome PCS_OUTCOME_DIVERGED. Like
/// every callback of a model it is called any number of times per step, also for steps that are not
/// committed: its result must depend on its arguments only.
typedef int (*pcs_body_force_fn)(void *user, double t, const double q[7], const double v[6],
                                 double F[6]);

/// dF/dq (6 x 7) and dF/dv (6 x 6), column-major, of a pcs_body_force_fn.
typedef int (*pcs_body_jacobian_fn)(void *user, double t, const double q[7], const double v[6],
                                    double dFdq[42], double dFdv[36]);

/// Potential energy (J) of the forces of a callback at coordinates q.
typedef int (*pcs_potential_fn)(void *user, const double *q, double *V);

/// Prescribed motion: pose q = (x, Q) (any |Q| > 0) and velocity v = (inertial, omega body) at time
/// t, all entries of both must be written. A non-zero return value, or a number beyond 1e150, is
/// PCS_ERR_CALLBACK. A v that is not the rate of the pose makes a conveyor, which moves the bodies
/// that lie on it: doc/stepping.md says which rows use v and which the pose. A step asks for any
/// times in it, in any order; a jump of v is an impact on what it pushes.
typedef int (*pcs_body_motion_fn)(void *user, double t, double q[7], double v[6]);

/// A plane in which a body moves, named by its two axes.
typedef enum pcs_plane {
    PCS_PLANE_NONE, ///< in space
    PCS_PLANE_XY,   ///< rotates about z
    PCS_PLANE_XZ,   ///< rotates about y, from z to x
    PCS_PLANE_YZ    ///< rotates about x
} pcs_plane;

/// Pose (x, Q), any |Q| > 0, of a carried body at the coordinates q of its carrier: a smooth
/// function. All entries must be written. A non-zero return value, a number that is not finite and
/// a zero quaternion stop the step with PCS_ERR_CALLBACK.
typedef int (*pcs_body_pose_fn)(void *user, const double *q, double pose[7]);

/// The rows of its velocity, 6 x n column-major, zero at the call: (velocity of its origin,
/// inertial, and omega, body axes) = J v, with v = dq/dt the velocities of the carrier.
typedef int (*pcs_body_pose_jacobian_fn)(void *user, const double *q, double *J);

/// A Newton-Euler body. With added mass A its mass matrix diag(m I, J) + diag(R, I) A diag(R^T, I)
/// rotates with it, and A contributes to the gyroscopic force (theory 11.1, doc/vehicle.md).
typedef struct pcs_body_def {
    bool fixed; ///< never moves; mass, inertia, velocity and force are ignored
    pcs_body_motion_fn
        motion; ///< or null. When given, it prescribes the motion, and forces have no effect: like
                ///< a fixed body it has no velocities in a state. The members that `fixed` ignores,
                ///< and the pose below, are ignored
    pcs_plane
        plane; ///< planar body: it moves in this plane only, with three degrees of freedom.
               ///< Forces and impulses that leave the plane have no effect on it; of its
               ///< inertia the moment about the normal counts. Orientation and velocity must
               ///< be in the plane; no added mass. No effect where forces do not move the body
    pcs_system carrier; ///< {0}, or a Lagrangian system that carries the body: its pose is that of
                        ///< `pose` at the coordinates of the carrier, contacts, joints and force
                        ///< elements on it act on the carrier. It has no mass of its own; what
                        ///< `fixed` ignores, and the pose below, are ignored
    pcs_body_pose_fn pose;                   ///< of a carried body, else null
    pcs_body_pose_jacobian_fn pose_jacobian; ///< or null: differences of `pose`, of order 8
    bool touches_carried; ///< a carried body touches others of its carrier that have this flag, too
    double mass;          ///< kg, > 0
    double inertia[9];    ///< about G, body axes, symmetric positive definite, no principal
                          ///< moment larger than the sum of the others, kg m^2. All zero: the
                          ///< inertia of its shapes, with this mass at uniform density (about their
    ///< own centre of mass; overlaps count once for each shape). Without shapes
    ///< that of a solid sphere of radius 0.1, whatever the unit of length: the
    ///< log warns
    double added_mass[36]; ///< added mass of the fluid around it, 6x6 column-major, on the velocity
                           ///< of G and omega, both in body axes; kg, kg m, kg m^2. Zero: none.
                           ///< Symmetric, and positive definite together with mass and inertia.
                           ///< Moves with the body, has no weight
    double position[3];    ///< position of G, m
    double orientation[4]; ///< body to inertial; any length > 0, normalised when added
    double velocity[3];    ///< velocity of G, inertial, m/s
    double omega[3];       ///< angular velocity, body frame, rad/s
    pcs_body_force_fn force;       ///< or null
    pcs_body_jacobian_fn jacobian; ///< or null: finite differences of force
    pcs_potential_fn potential;    ///< or null. When given, force is taken as conservative in the
                                   ///< energy ledger
    void *user;                    ///< passed to the callbacks; must outlive the model
} pcs_body_def;

/// 1 kg, inertia zero (that of its shapes), at the origin, at rest. A body that gets no shapes then
/// has the inertia of a ball of radius 0.1: set `inertia` of a mass on a rod or of a link, above
/// all where lengths are not in m.
PCS_API pcs_body_def pcs_body_def_default(void);

/// The same with this mass and inertia, at position inertia.G; the body axes are those of the
/// frame.
PCS_API pcs_body_def pcs_body_def_of_inertia(pcs_inertia inertia);

/// Makes a body of n shapes with their densities (kg/m^3). The shapes are given in any frame, whose
/// pose is def->position and def->orientation on entry; on return def->position is that of G, the
/// orientation is unchanged, mass and inertia are those of pcs_inertia_of_shapes, and about_G
/// contains the shapes shifted so that G is their origin, as pcs_model_add_shape needs them.
/// about_G has room for n shapes and may be `shapes`.
PCS_NODISCARD PCS_API pcs_status pcs_body_def_of_shapes(int n, const pcs_shape *shapes,
                                                        const double *densities, pcs_body_def *def,
                                                        pcs_shape *about_G);

/// M(q), n x n column-major, symmetric positive definite.
typedef int (*pcs_lagrangian_mass_fn)(void *user, const double *q, double *M);
/// Generalised forces F(t, q, v), n entries, Coriolis terms included: M dv/dt = F.
typedef int (*pcs_lagrangian_force_fn)(void *user, double t, const double *q, const double *v,
                                       double *F);
/// dF/dq and dF/dv, n x n column-major.
typedef int (*pcs_lagrangian_jacobian_fn)(void *user, double t, const double *q, const double *v,
                                          double *dFdq, double *dFdv);

/// A Lagrangian system: M(q) dv/dt = F(t, q, v) + load - damping v - stiffness q, dq/dt = v. With
/// constant mass and no force callback it is linear and time-invariant: its iteration matrix
/// M + h theta D + h^2 theta^2 K is factorised once per step size. With sparse matrices a step
/// costs n w, w the width of their band: number the unknowns along a chain or a bar. Such a system
/// is linear and time-invariant, without callbacks, and force elements do not act on it.
typedef struct pcs_lagrangian_def {
    int n;                               ///< dofs, >= 1
    const double *q0;                    ///< n coordinates; null: zeros. Copied
    const double *v0;                    ///< n velocities; null: zeros. Copied
    const double *mass;                  ///< n x n, constant; copied. Null: mass_fn
    const double *stiffness;             ///< K, n x n, or null; copied; must be symmetric
    const double *damping;               ///< D, n x n, or null; copied
    const double *load;                  ///< constant load, n, or null; copied
    const pcs_csc *sparse_mass;          ///< M as a sparse matrix in place of `mass`, n x n,
                                         ///< symmetric: both triangles or one; copied
    const pcs_csc *sparse_stiffness;     ///< K with sparse_mass, or null; copied
    const pcs_csc *sparse_damping;       ///< D with sparse_mass, symmetric, or null; copied
    pcs_lagrangian_mass_fn mass_fn;      ///< or null
    pcs_lagrangian_force_fn force;       ///< or null
    pcs_lagrangian_jacobian_fn jacobian; ///< or null: finite differences of force
    pcs_potential_fn potential; ///< potential of `force`, or null; load and stiffness have theirs
    void *user;                 ///< passed to the callbacks; must outlive the model
} pcs_lagrangian_def;

/// All zero: fill in n and mass.
PCS_API pcs_lagrangian_def pcs_lagrangian_def_default(void);

// ---- laws

/// The nonsmooth laws.
typedef enum pcs_law_kind {
    PCS_LAW_EQUALITY,       ///< u' = 0, impulse free
    PCS_LAW_NEWTON_IMPACT,  ///< 0 <= u' + e u_k, impulse >= 0, orthogonal
    PCS_LAW_NEWTON_COULOMB, ///< with w = (u'_N + e u_kN, u'_T + e_t u_kT): open, r = 0 and
                            ///< w_N >= 0; stick, w = 0 and |r_T| <= mu r_N; slide, w_N = 0 and
                            ///< r_T = -mu r_N w_T / |w_T|
    PCS_LAW_LIMITED         ///< u' = 0, or |r| at most h limit against u': motors and dry friction
} pcs_law_kind;

/// A nonsmooth law.
typedef struct pcs_law {
    pcs_law_kind kind; ///< which
    double e;          ///< restitution in [0, 1]
    double e_t;        ///< tangential restitution in [0, 1], of Newton-Coulomb
    double mu;    ///< friction, >= 0 and finite, of Newton-Coulomb; 0 acts as Newton impact. Of
                  ///< limited: the part of the force of the joint that adds to the limit; 0 but
                  ///< for joint friction
    double limit; ///< of limited: the largest |r| / h, >= 0, in N for a row that is a length;
                  ///< INFINITY: u' = 0 always
} pcs_law;

/// u' = 0: joints.
PCS_API pcs_law pcs_law_equality(void);
/// Newton's impact law with restitution e.
PCS_API pcs_law pcs_law_newton_impact(double e);
/// Newton's impact law with Coulomb friction: restitution e, tangential restitution e_t (usually 0:
/// with other values a contact that slides back and forth may gain energy), friction mu.
PCS_API pcs_law pcs_law_newton_coulomb(double e, double e_t, double mu);
/// What the function of time of a relation of one row says, a value or a speed, as far as a force
/// of at most `limit` allows; without one (relation.timed) the speed is 0, dry friction. In an
/// impact, which has no duration, a limited force has no effect.
PCS_API pcs_law pcs_law_limited(double limit);

/// The surface of a shape.
typedef struct pcs_material_def {
    double e;   ///< restitution in [0, 1]
    double e_t; ///< tangential restitution in [0, 1]; without friction it has no effect
    double mu;  ///< friction, >= 0 and finite
} pcs_material_def;

/// e = 0, no friction.
PCS_API pcs_material_def pcs_material_def_default(void);

/// The law between two materials, Newton impact or Newton-Coulomb. The default takes the larger of
/// each of e, e_t and mu: it is enough to give one of the two surfaces its friction. The result
/// must depend on the arguments only: the step uses it for other contacts, too.
typedef pcs_law (*pcs_combine_fn)(void *user, const pcs_material_def *a, const pcs_material_def *b);

/// A relation with a law between one or two systems (the second {0}: the world). With an equality
/// law it is a joint, and the shapes of its two systems do not touch (pcs_model_set_touching).
typedef struct pcs_interaction_def {
    pcs_relation relation; ///< copied; its `user` must outlive the model
    pcs_law law;           ///< applies to every row of the relation. Newton-Coulomb: the relation
                           ///< has 3 rows N, T1, T2 (2, N and T, in the plane); g[0] is the gap, of
                           ///< the other rows only the gradient is used, u = C T v
    pcs_system system1;    ///< not the world
    pcs_system system2;    ///< {0}: the world
} pcs_interaction_def;

/// No relation yet, an equality law, both systems the world: fill in relation and system1.
PCS_API pcs_interaction_def pcs_interaction_def_default(void);

// ---- the scheme

/// Which contacts are in a velocity problem (theory 7.2).
typedef enum pcs_activation {
    PCS_ACTIVATION_AUTOMATIC,   ///< the one that suits the projection: end of step with the
                                ///< combined ones and, for 0 < theta < 1 or
                                ///< PCS_CONFIGURATION_ITERATE, PCS_PROJECTION_OVERLAPS; speculative
                                ///< with that and theta = 1; otherwise predictive
    PCS_ACTIVATION_PREDICTIVE,  ///< g + gamma h dg/dt <= 0 at the start of the step
    PCS_ACTIVATION_SPECULATIVE, ///< theta = 1 only. e = 0: all within reach, u' >= -g/h while g >
                                ///< 0. e > 0: contacts that free motion may close; u' >= -e u_k if
                                ///< it closes fast, else as e = 0
    PCS_ACTIVATION_END_OF_STEP  ///< those whose gap at the end would be <= 0; the step is solved
                                ///< again
} pcs_activation;

/// How positions are projected (theory 8.5).
typedef enum pcs_projection {
    PCS_PROJECTION_NONE,
    PCS_PROJECTION_DIRECT,   ///< active contacts and joints, when violated
    PCS_PROJECTION_OVERLAPS, ///< joints, and every overlap at the end of the step, on the features
                             ///< that face each other there: for dense scenes. Joints to 1e-10 of
                             ///< the smallest body where their rows are independent
    PCS_PROJECTION_DIRECT_HYSTERESIS, ///< as direct; predictive, and a contact stays active until
                                      ///< it opens
    PCS_PROJECTION_COMBINED,          ///< end-of-step active set, then all violated gaps are
                                      ///< projected
    PCS_PROJECTION_COMBINED_EQUALITY  ///< end-of-step active set and joints, then both are
                                      ///< projected as equalities, from both sides
} pcs_projection;

/// Where friction acts when the two contact points are apart (D-2, theory 6). The normal row is the
/// same for all.
typedef enum pcs_lever {
    PCS_LEVER_MIDPOINT, ///< at P1 against a system that cannot move, at the middle of P1 P2 between
                        ///< two bodies: conserves angular momentum
    PCS_LEVER_OWN,      ///< each body at its own point: a torque gap times friction appears
    PCS_LEVER_FIRST     ///< both at P1: conserves angular momentum
} pcs_lever;

/// Where in a step the rows H of the velocity problem are evaluated (D-5). A mass that varies is
/// evaluated at the theta-mean of q_k and q', except with PCS_CONFIGURATION_PREDICTED.
typedef enum pcs_configuration {
    PCS_CONFIGURATION_START,   ///< at q_k
    PCS_CONFIGURATION_ITERATE, ///< at q' of the previous Newton iterate; at convergence, at q'. Not
                               ///< with speculative contacts
    PCS_CONFIGURATION_MIDDLE,  ///< rows of equality laws (joints) at q_k advanced by theta h v_k;
                               ///< the theta-mean of v_k and v' obeys them: for theta = 1/2 the
                               ///< motion of joints is of second order and they do no work. Rows of
                               ///< contacts at q_k: an impact law compares u' and u_k on the same
                               ///< rows. Limited forces (motors, dry friction) have such rows with
                               ///< PCS_CONFIGURATION_START, too
    PCS_CONFIGURATION_PREDICTED ///< all rows, and masses that vary, at q_k advanced by gamma h v_k;
                                ///< u_k of the impact law too. The active contacts are chosen at
                                ///< q_k
} pcs_configuration;

/// Moreau-Jean theta scheme with projection. Start from one of the constructors below and change
/// fields: pcs_model_set_scheme refuses choices that contradict each other, and a number that the
/// scheme does not use (pcs_scheme_check).
typedef struct pcs_scheme {
    double theta; ///< in [0, 1]; 1/2 is exact for a parabola, 1 damps
    double gamma; ///< used by the predictive activation and PCS_CONFIGURATION_PREDICTED, in [0,
                  ///< 3/2]; 1/2 is usual
    pcs_activation activation; ///< which contacts are in a velocity problem
    double active_tol; ///< m, gap up to which a contact counts as closed: rounding must not decide
                       ///< whether a resting contact is active
    double hysteresis; ///< m, replaces active_tol with PCS_PROJECTION_DIRECT_HYSTERESIS
    pcs_projection projection; ///< how positions are projected
    pcs_metric metric; ///< metric of the projection; with PCS_PROJECTION_NONE metric, proj_tol and
                       ///< proj_max are used by pcs_project only
    double proj_tol;   ///< m, violation left by the projection (no less than the rounding of
                       ///< the coordinates allows: 4 eps of the largest). 0: 3e-4 of the smallest
                       ///< body that moves, as the model is in that step
    int proj_max;      ///< projection iterations
    pcs_quat_update update;          ///< how quaternions are advanced
    pcs_lever lever;                 ///< where friction acts when there is a gap
    pcs_configuration configuration; ///< where the rows H are taken; default: at q_k
    bool second_order; ///< bodies whose island (what contacts that touch and joints hold together)
                       ///< has no contact that touches and no driven body move with theta = 1/2
                       ///< whatever theta says, and with PCS_CONFIGURATION_START joints at the
                       ///< middle: of second order, without damping. What may rebound does so half
                       ///< a step ahead (doc/stepping.md). Default true, textbook false
    double newton_tol; ///< residual of (7.1) of each system, relative to its own terms
    int newton_max;    ///< iterations of the theta scheme's Newton loop
    double accept; ///< in [0, 1]: a step that runs out of iterations, budget or digits is committed
                   ///< all the same when its residuals (newton_residual, solve.measure.residual)
                   ///< are no more than this and the violation left is no more than this part of
                   ///< the smallest body that moves. Where the budget is what ended it, parts
                   ///< (halvings) are tried first. The report keeps its outcome and counts it.
                   ///< Refused where a proof says that no impulses leave a smaller residual
    bool accept_unconverged; ///< commit a step whatever its residuals (the report says so either
                             ///< way), but for numbers that are not finite; default false. Its
                             ///< smallest parts (halvings) are committed in the same way; where
                             ///< they use up their budget the step is committed undivided
    bool sleep;   ///< islands (what contacts within reach and joints connect) sleep while it is
                  ///< proven that they rest: impulses in the cones of their contacts balance their
                  ///< loads to rounding. Bodies then have the velocity 0 and keep their poses to
                  ///< the bit, and are solved again in the step in which something comes within
                  ///< reach, or in which a load, a law or a contact differs. Default false; with
                  ///< speculative contacts and PCS_PROJECTION_OVERLAPS only. doc/sleep.md
    int halvings; ///< largest number of times that a step that does not converge is cut in two
                  ///< before it fails or, with accept or accept_unconverged, is committed unsolved:
                  ///< 0 to 20. A step that accept allows is only cut where the budget of its first
                  ///< attempt ended it: 1/8 of all but at least 8e6 units (1.25e7 for at most
                  ///< 450 contacts within reach and the default budget; with 451 to 1000 it has
                  ///< three quarters, with accept_unconverged all, and is not cut). A program
                  ///< that must keep time sets 0. The report is that of the last part
    double budget;  ///< Work units that a step may take in all, over halvings, passes, Newton loop,
                    ///< projection and solves; a unit is the cost of one contact in a sweep, 30 ns
                    ///< to 500 ns. 0 (default): 1e7, and 1.5e5 for each contact or joint within
                    ///< reach, 2e4 for each beyond 450, of which at most 30 for each body count; 20
                    ///< times as many with accept 0, where what is not solved is refused. A step
                    ///< that has used them up ends with PCS_OUTCOME_MAX_ITERS, at the same bits
                    ///< everywhere. The running operation, such as a factorisation, may exceed it;
                    ///< so may the first iterate of the velocities, which is always made
    int max_sweeps; ///< Sweeps that all solves of a step may make in all, at most 1e9; 0 (default):
                    ///< no limit. A sweep is the work of visiting each contact of the problem once,
                    ///< with which other methods are counted too; what prepares a solve is not
                    ///< counted, and every solve makes at least one sweep. A step that has used
                    ///< them up is not divided, and ends with PCS_OUTCOME_MAX_ITERS, at the same
                    ///< bits everywhere
    double max_seconds; ///< s that a step may take in all; 0 (default): no limit. It then ends with
                        ///< PCS_OUTCOME_TIME_LIMIT; the clock decides nothing else
    pcs_solver_opts solver; ///< solver of the velocity problem
} pcs_scheme;

/// The scheme of a new model, for a ball, a heap and a mechanism alike: theta = 1, speculative,
/// joints and every overlap projected at the end of the step. Joints are left open by up to 1e-10,
/// overlaps up to 3e-4 of the smallest body that moves (the diameter or least edge of its thickest
/// shape; of a body without shapes the diameter of gyration; 1 mm in models without bodies),
/// velocities are solved to 1e-8. With e > 0 an impact reverses the speed at the start of its step,
/// and contacts that it closes collide in the next step; a contact whose closing speed is less than
/// its forces reach in two steps does not rebound. Systems without contact, also mechanisms, move
/// with second order (second_order); theta = 1 damps bodies that rotate while they touch, by a
/// fraction of order h omega: for tops and wheels use pcs_scheme_moreau_jean, for mechanisms with
/// contacts the same with PCS_CONFIGURATION_MIDDLE and a projection. A step that fails is halved up
/// to four times; one that misses its tolerances by little is committed and counted (accept =
/// 1e-2). doc/which-scheme.md compares.
PCS_API pcs_scheme pcs_scheme_default(void);

/// The default with its two numbers given: velocities to `tol` (1e-4 looks right, with 1e-8 and
/// less bodies rest for long), overlaps to 3e-4 of `size` (m) for any model. For series of runs
/// that must not change when a smaller body is added, and where 1e-8 is too expensive.
PCS_API pcs_scheme pcs_scheme_dense(double tol, double size);

/// The textbook scheme: theta = 1/2, gamma = 1/2, predictive, no projection, mass metric, midpoint
/// lever, `auto`. Of second order in smooth motion; joints drift apart, bodies overlap by up to
/// their motion in a step, fast bodies pass through thin ones. For few bodies and orders of
/// convergence, with the projection set by hand.
PCS_API pcs_scheme pcs_scheme_moreau_jean(void);

/// Changes a scheme so that its steps keep time. All solves of the velocities in a step together
/// make at most `sweeps` sweeps (0: no limit; at most 1e9; max_sweeps), and a solve ends when the
/// step has taken `seconds` by the clock (s, 0: no limit; max_seconds). No step is divided
/// (halvings = 0), and each is committed with the best iterate found (accept_unconverged); its
/// report says how far that is from a solution: outcome, solve.measure, PCS_DOUBT_UNSOLVED. The
/// same bits everywhere with a cap in sweeps, not with one in seconds, which may be exceeded by the
/// search for contacts, ten sweeps and a round of the projection, and by an iteration or a
/// factorisation that has begun. PCS_ERR_ARG, and nothing is changed, for a cap that is negative or
/// not finite, and where both are 0.
PCS_NODISCARD PCS_API pcs_status pcs_scheme_keep_time(pcs_scheme *scheme, int sweeps,
                                                      double seconds);

/// The activation that a scheme has: its own, or the one that PCS_ACTIVATION_AUTOMATIC stands for.
/// PCS_ACTIVATION_AUTOMATIC of null.
PCS_API pcs_activation pcs_scheme_activation(const pcs_scheme *scheme);

/// Refuses with PCS_ERR_ARG, and a sentence that names the field, its value and what to set
/// instead: numbers out of range; an activation that contradicts the projection or theta;
/// PCS_CONFIGURATION_MIDDLE with theta = 0; PCS_CONFIGURATION_ITERATE with speculative contacts;
/// and gamma, active_tol, hysteresis or accept when they have no effect, unless they have the value
/// of a constructor. doc/stepping.md has the table of valid combinations.
PCS_NODISCARD PCS_API pcs_status pcs_scheme_check(const pcs_scheme *scheme);

// ---- the model

/// The definitions of the user. Opaque; const during a step: functions that change it return
/// PCS_ERR_ARG when a callback calls them. Between steps, for example in an observer, anything may
/// be set, and shapes, materials and interactions added; after new systems extend the states
/// (pcs_state_extend) and create the works again.
typedef struct pcs_model pcs_model;

/// An empty model; env null: malloc and silence. Gravity is (0, 0, -9.81). Release with
/// pcs_model_destroy.
PCS_NODISCARD PCS_API pcs_status pcs_model_create(const pcs_env *env, pcs_model **out);

/// Accepts null. Destroy the states and works of the model first. In a callback of a step of this
/// model it does nothing.
PCS_API void pcs_model_destroy(pcs_model *model);

/// Gravity, m/s^2, inertial frame, each component at most 1e20 in size; acts on bodies only.
PCS_NODISCARD PCS_API pcs_status pcs_model_set_gravity(pcs_model *model, const double g[3]);

/// Replaces the scheme by one that passes pcs_scheme_check.
PCS_NODISCARD PCS_API pcs_status pcs_model_set_scheme(pcs_model *model, const pcs_scheme *scheme);

/// Adds a Newton-Euler body. `out` may be null.
PCS_NODISCARD PCS_API pcs_status pcs_model_add_body(pcs_model *model, const pcs_body_def *def,
                                                    pcs_system *out);

/// Adds a body that is n >= 1 shapes of one material and one density (kg/m^3): mass, centre of mass
/// and inertia are those of the shapes; those in def are ignored. def->position and orientation are
/// the pose of the frame in which the shapes are given; the body's own position is that of G, its
/// axes are those of the frame, so that pcs_state_q starts at def->position + R com. A fixed body,
/// or one with a motion, keeps the frame and takes any shapes. pcs_body_def_of_shapes is for parts
/// of several densities or materials. `out` may be null.
PCS_NODISCARD PCS_API pcs_status pcs_model_add_solid(pcs_model *model, const pcs_body_def *def,
                                                     int n, const pcs_shape *shapes, double density,
                                                     pcs_material material, pcs_system *out);

/// Adds a planar body that is a disk of this radius (m) with a density in kg/m^2: mass and moment
/// of inertia follow from it, those in def are ignored; def->plane must not be PCS_PLANE_NONE.
/// Bodies in space see a sphere. def may be fixed. `out` may be null.
PCS_NODISCARD PCS_API pcs_status pcs_model_add_disk(pcs_model *model, const pcs_body_def *def,
                                                    double radius, double density,
                                                    pcs_material material, pcs_system *out);

/// The same of a rectangle of full edges a and b along the first and the second axis of the plane.
/// Bodies in space see a box whose third edge is its diagonal.
PCS_NODISCARD PCS_API pcs_status pcs_model_add_rectangle(pcs_model *model, const pcs_body_def *def,
                                                         double a, double b, double density,
                                                         pcs_material material, pcs_system *out);

/// The same of a convex polygon of n >= 3 corners (2 n numbers, along the axes of the plane from
/// def->position, in order, either way round); the position of the body becomes that of its
/// centroid. Bodies in space see a prism. Refused are polygons that are not convex.
PCS_NODISCARD PCS_API pcs_status pcs_model_add_polygon(pcs_model *model, const pcs_body_def *def,
                                                       int n, const double *corners, double density,
                                                       pcs_material material, pcs_system *out);

/// Adds a Lagrangian system. `out` may be null.
PCS_NODISCARD PCS_API pcs_status pcs_model_add_lagrangian(pcs_model *model,
                                                          const pcs_lagrangian_def *def,
                                                          pcs_system *out);

/// Adds a material. `out` may be null.
PCS_NODISCARD PCS_API pcs_status pcs_model_add_material(pcs_model *model,
                                                        const pcs_material_def *def,
                                                        pcs_material *out);

/// Replaces the rule that makes a law from two materials; null: the default rule.
PCS_NODISCARD PCS_API pcs_status pcs_model_set_combine(pcs_model *model, pcs_combine_fn fn,
                                                       void *user);

/// The law between two materials (in either order, or twice the same), in place of the rule's:
/// Newton impact or Newton-Coulomb. Null removes it.
PCS_NODISCARD PCS_API pcs_status pcs_model_set_pair_law(pcs_model *model, pcs_material material1,
                                                        pcs_material material2, const pcs_law *law);

/// Gives a body (or the world, {0}) a shape; several shapes per body are fine. Shapes of one body,
/// and shapes that cannot move, never touch each other. Shapes are numbered in the order added,
/// from 0: this one is pcs_model_shape_count(model) - 1 afterwards.
PCS_NODISCARD PCS_API pcs_status pcs_model_add_shape(pcs_model *model, pcs_system system,
                                                     const pcs_shape *shape, pcs_material material);

/// Number of shapes added so far.
PCS_API int pcs_model_shape_count(const pcs_model *model);

/// Adds an interaction between one or two systems. `out` may be null.
PCS_NODISCARD PCS_API pcs_status pcs_model_add_interaction(pcs_model *model,
                                                           const pcs_interaction_def *def,
                                                           pcs_interaction *out);

/// Scalar coordinates of all systems.
PCS_API int pcs_model_nq(const pcs_model *model);

/// Scalar velocities of all systems that can move: all but fixed bodies and prescribed motions.
PCS_API int pcs_model_nv(const pcs_model *model);

/// Number of systems added so far; their ids run from 1.
PCS_API int pcs_model_system_count(const pcs_model *model);

#ifdef __cplusplus
}
#endif

#endif
