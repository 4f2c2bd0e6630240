/// @file
/// Force elements: springs, dampers, torsional springs, bushings, gravity, and forces by callback
/// between two systems, or a system and the world. They are implicit in the theta scheme, with
/// their Jacobians: stiff elements are stable at any step for theta = 1, linear ones for theta >=
/// 1/2 (doc/forces.md, "Stiff springs", with the formulas).
///
///     pcs_force_def spring = pcs_force_def_default(PCS_FORCE_SPRING);
///     spring.system1 = a;         // system2 {0}: the world
///     spring.stiffness = 1000;    // N/m
///     spring.length = 0.5;        // m, without force
///     PCS_TRY(pcs_model_add_force(model, &spring, NULL));
#ifndef PERCUSS_FORCE_H
#define PERCUSS_FORCE_H

#include <percuss/state.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A force element given by pcs_model_add_force.
typedef struct pcs_force {
    int id; ///< from 1 in the order added
} pcs_force;

/// The kinds of force elements. d = P1 - P2 is the vector between the points p1 and p2, l its
/// length and n = d / l; tension is a force that pulls the points together.
typedef enum pcs_force_kind {
    PCS_FORCE_SPRING,  ///< tension stiffness (l - length) + damping dl/dt. With length 0 the spring
                       ///< is linear in d, and d may vanish
    PCS_FORCE_TORSION, ///< moment stiffness (phi - angle) + damping dphi/dt about an axis fixed in
                       ///< system 1; phi in (-pi, pi] is the angle by which system 2 has turned
                       ///< about it, relative to system 1: the twist of the relative rotation,
                       ///< which has none where the axes of both have turned apart by pi
    PCS_FORCE_BUSHING, ///< K y + D dy/dt with the displacement y of frame 2 from frame 1, in the
                       ///< axes of frame 1: P2 - P1, and the rotation vector
    PCS_FORCE_GRAVITY, ///< tension strength / l^2 between the points: two masses m1 and m2 at p1 =
                       ///< p2 = 0 have strength G m1 m2, charges a negative one
    PCS_FORCE_USER     ///< a callback
} pcs_force_kind;

/// Generalised forces F1 on system 1 and F2 on system 2 at time t, in the velocities of each: of a
/// body as pcs_body_force_fn, of a Lagrangian system n numbers. Of the world q2, v2 and F2 are
/// null. F1 and F2 are zero at the call. Failures as those of pcs_body_force_fn.
typedef int (*pcs_force_fn)(void *user, double t, const double *q1, const double *v1,
                            const double *q2, const double *v2, double *F1, double *F2);

/// Derivatives of the forces F = (F1, F2) with respect to q = (q1, q2) and v = (v1, v2), both
/// column-major with as many rows as F; of the world there are no rows or columns. Zero at the
/// call.
typedef int (*pcs_force_jacobian_fn)(void *user, double t, const double *q1, const double *v1,
                                     const double *q2, const double *v2, double *dFdq,
                                     double *dFdv);

/// Potential energy (J) of the forces of a callback.
typedef int (*pcs_force_potential_fn)(void *user, const double *q1, const double *q2, double *V);

/// A force element. Start from pcs_force_def_default; members that its kind does not name are
/// ignored. Spring, torsion, bushing and gravity act between rigid bodies, also those that
/// Lagrangian systems carry, or on a body from the world; only a callback may act on Lagrangian
/// systems themselves, of which those with sparse matrices must be carriers.
typedef struct pcs_force_def {
    pcs_force_kind kind; ///< which
    pcs_system system1;  ///< not the world
    pcs_system system2;  ///< {0}: the world
    double p1[3];        ///< spring, bushing, gravity: point in the frame of body 1, m
    double p2[3];        ///< point in the frame of body 2; of the world inertial
    double axis[3];      ///< torsion: axis in the frame of body 1, any length > 0
    double stiffness;    ///< spring N/m, torsion N m/rad; >= 0
    double damping;      ///< spring N s/m, torsion N m s/rad; >= 0
    double length;       ///< spring: length without force, m, >= 0
    double angle;        ///< torsion: angle without moment, rad, in (-pi, pi); where system 2 is the
                         ///< world, phi is minus the angle by which body 1 has turned
    double strength;     ///< gravity: N m^2, not 0
    double frame1[4];    ///< bushing: orientation of frame 1 in body 1, any length > 0
    double frame2[4];    ///< bushing: orientation of frame 2 in body 2
    double K[36];        ///< bushing: stiffness, 6x6, symmetric positive semidefinite; N/m, N, N m
    double D[36];        ///< bushing: damping, 6x6, symmetric positive semidefinite
    pcs_force_fn force;  ///< callback
    pcs_force_jacobian_fn jacobian;   ///< callback, or null: finite differences of force
    pcs_force_potential_fn potential; ///< callback, or null. When given, force counts as
                                      ///< conservative in the energy ledger
    void *user;                       ///< passed to the callbacks; must outlive the model
} pcs_force_def;

/// All zero but for the kind and the orientations of the frames, which are those of the bodies.
PCS_API pcs_force_def pcs_force_def_default(pcs_force_kind kind);

/// Adds a force element. `out` may be null. PCS_ERR_ARG, with a sentence, for systems that do not
/// exist, are equal or cannot move, and for numbers outside of the ranges above; also where the
/// points of a spring with a length, or of gravity, meet in the initial poses. PCS_ERR_UNSUPPORTED
/// for a callback on the coordinates of a system with sparse matrices. Where more than 192
/// coordinates of such a system move a body with an element, the step is PCS_ERR_UNSUPPORTED.
PCS_NODISCARD PCS_API pcs_status pcs_model_add_force(pcs_model *model, const pcs_force_def *def,
                                                     pcs_force *out);

/// Number of force elements; their ids run from 1.
PCS_API int pcs_model_force_count(const pcs_model *model);

/// The definition of a force element as it was given; members that its kind does not name have
/// their defaults.
PCS_NODISCARD PCS_API pcs_status pcs_model_force(const pcs_model *model, pcs_force force,
                                                 pcs_force_def *out);

/// Disables a force element, or enables it again. A disabled one acts on nothing and has no energy.
PCS_NODISCARD PCS_API pcs_status pcs_model_set_force_enabled(pcs_model *model, pcs_force force,
                                                             bool enabled);

/// True when a force element exists and is enabled; its systems may still be disabled.
PCS_API bool pcs_model_force_enabled(const pcs_model *model, pcs_force force);

/// The word of a kind, as trajectories and exports have it: "spring", "torsion", "bushing",
/// "gravity" or "callback"; a constant. Null for any other number.
PCS_API const char *pcs_force_kind_word(pcs_force_kind kind);

/// As pcs_model_set_system_name.
PCS_NODISCARD PCS_API pcs_status pcs_model_set_force_name(pcs_model *model, pcs_force force,
                                                          const char *name);
/// As pcs_model_system_name.
PCS_API const char *pcs_model_force_name(const pcs_model *model, pcs_force force);
/// As pcs_model_find_system.
PCS_NODISCARD PCS_API pcs_status pcs_model_find_force(const pcs_model *model, const char *name,
                                                      pcs_force *out);

/// What a force element does in a state.
typedef struct pcs_force_result {
    double length;    ///< spring, gravity: l, m; torsion: phi, rad
    double speed;     ///< its rate, m/s or rad/s
    double force;     ///< tension, N; torsion: moment that turns system 2 back, N m
    double energy;    ///< potential energy, J
    double power;     ///< of the part without potential on both systems, W; a damper: <= 0
    double strain[6]; ///< bushing: y, m and rad; other kinds: 0
    double stress[6]; ///< bushing: K y + D dy/dt, N and N m
    double F1[6]; ///< on system 1, of a body: force inertial, N, and moment about G in body axes,
                  ///< N m; 0 for a Lagrangian system
    double F2[6]; ///< on system 2
    double P1[3]; ///< the points, inertial, m: of a callback and of torsion the centres of mass
    double P2[3]; ///< 0 for the world without a point, and for Lagrangian systems
} pcs_force_result;

/// Reads a force element at the time, coordinates and velocities of a state. A disabled one, or one
/// of a disabled system, has no force, energy and power.
PCS_NODISCARD PCS_API pcs_status pcs_state_force(const pcs_model *model, const pcs_state *state,
                                                 pcs_force force, pcs_force_result *out);

/// The largest differences that pcs_force_check finds, each relative to the largest entry of what
/// it is compared with.
typedef struct pcs_force_errors {
    double position; ///< of dF/dq on motions of the systems
    double velocity; ///< of dF/dv
    double energy;   ///< of the force and minus the gradient of the potential; 0 without potential
} pcs_force_errors;

/// Compares the Jacobian and the potential of a force element with central differences of its
/// forces at a state: a correct one has errors of 1e-6 and less. PCS_ERR_ARG, with a sentence that
/// names the worst entry, when one is larger than `tol` (0: 1e-5). `out` may be null.
PCS_NODISCARD PCS_API pcs_status pcs_force_check(const pcs_model *model, const pcs_state *state,
                                                 pcs_force force, double tol,
                                                 pcs_force_errors *out);

#ifdef __cplusplus
}
#endif

#endif
