/// @file
/// A model as a smooth system: bodies, Lagrangian systems and joints as x' = f(t, x) for every
/// integrator of <percuss/ode.h>, joints by multipliers (<percuss/mechanics.h>). And the norm of a
/// quaternion as a Lagrange constraint, the 15 x 15 system of theory 9.3.
///
/// @code
/// pcs_smooth_def def = pcs_smooth_def_default();
/// pcs_smooth *smooth;
/// pcs_smooth_create(NULL, model, &def, &smooth);
/// pcs_ode ode;
/// pcs_smooth_ode(smooth, &ode); // to an integrator; x is pcs_smooth_size(smooth) numbers
/// pcs_smooth_from_state(smooth, state, x);
/// @endcode
#ifndef PERCUSS_SMOOTH_H
#define PERCUSS_SMOOTH_H

#include <percuss/mechanics.h>
#include <percuss/state.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- models

/// How |Q| of bodies is controlled. dQ/dt = 1/2 Q (x) (0, omega) keeps it exactly, Runge-Kutta
/// methods up to their error; no rotation depends on |Q|.
typedef enum pcs_smooth_norm {
    PCS_SMOOTH_NORM_NORMALISE, ///< Q / |Q| after every step
    PCS_SMOOTH_NORM_FREE,      ///< nothing
    PCS_SMOOTH_NORM_MULTIPLIER ///< dQ/dt = 1/2 Q (x) (0, omega) + lambda Q with psi' = -alpha psi,
                               ///< psi = (|Q|^2 - 1) / 2: lambda = -alpha psi / |Q|^2
} pcs_smooth_norm;

/// How a model becomes a smooth system.
typedef struct pcs_smooth_def {
    pcs_smooth_norm norm;            ///< how |Q| = 1 is kept
    double norm_alpha;               ///< 1/s, >= 0, rate of PCS_SMOOTH_NORM_MULTIPLIER
    pcs_stabilisation stabilisation; ///< stabilisation of the joints
    double alpha;                    ///< 1/s, >= 0, rate of Baumgarte and GGL
    double tol;           ///< tolerance of projections, in the units of the relations; 0: 1e-12
    bool ignore_contacts; ///< leaves out shapes that may touch and laws of contact;
                          ///< otherwise they are refused
} pcs_smooth_def;

/// Quaternions are normalised and joints projected after every step.
PCS_API pcs_smooth_def pcs_smooth_def_default(void);

/// A model as a smooth system.
typedef struct pcs_smooth pcs_smooth;

/// Takes all systems and, as constraints, all interactions whose law is an equality. The model is
/// borrowed and must not change meanwhile. Disabled systems stand still and their joints do not
/// act; disabled interactions are left out; bodies with prescribed motion follow it.
/// PCS_ERR_UNSUPPORTED for contacts unless they are ignored, and for a model in which nothing
/// moves. PCS_ERR_SINGULAR for more rows of joints than velocities; redundant joints are reported
/// at the first evaluation. Release with pcs_smooth_destroy. One object per thread.
PCS_NODISCARD PCS_API pcs_status pcs_smooth_create(const pcs_env *env, const pcs_model *model,
                                                   const pcs_smooth_def *def, pcs_smooth **out);
/// Accepts null.
PCS_API void pcs_smooth_destroy(pcs_smooth *smooth);

/// Size of x = (q, v): nq + nv of a state.
PCS_API int pcs_smooth_size(const pcs_smooth *smooth);

/// x' = f(t, x), with the normalisation and projection after steps.
PCS_NODISCARD PCS_API pcs_status pcs_smooth_ode(pcs_smooth *smooth, pcs_ode *out);

/// x of a state of the model.
PCS_NODISCARD PCS_API pcs_status pcs_smooth_from_state(const pcs_smooth *smooth,
                                                       const pcs_state *state, double *x);
/// t, q and v of a state of the model from x; quaternions are normalised, bodies with prescribed
/// motion get its pose. Remembered impulses stay. On failure the state is unchanged.
PCS_NODISCARD PCS_API pcs_status pcs_smooth_to_state(const pcs_smooth *smooth, double t,
                                                     const double *x, pcs_state *state);

/// The joints as a constrained system of <percuss/mechanics.h>, with q = x and v = x + nq: to check
/// and project initial data, for reactions, impacts and the differential-algebraic forms. Owned by
/// `smooth`. Its kinematics do not include the term of PCS_SMOOTH_NORM_MULTIPLIER.
PCS_API pcs_constrained *pcs_smooth_constrained(pcs_smooth *smooth);

/// The force r of a joint at (t, x), as many numbers as its relation has rows: (C T)^T r acts on
/// the systems, so that the impulses of pcs_step tend to h r. Zero for interactions that are left
/// out.
PCS_NODISCARD PCS_API pcs_status pcs_smooth_reaction(pcs_smooth *smooth, double t, const double *x,
                                                     pcs_interaction interaction, double *r);

// ---- the norm of a quaternion as a constraint (theory 9.3)

/// A rigid motion at an instant; V and omega in the body frame, any |Q| > 0.
typedef struct pcs_quaternion_norm_motion {
    double Q[4];         ///< body to inertial
    double Qdot[4];      ///< its rate, a separate unknown
    double Xdot[3];      ///< velocity of G, inertial
    double V[3];         ///< the same in the body frame
    double Vdot[3];      ///< derivative of its components
    double omega[3];     ///< angular velocity
    double omega_dot[3]; ///< derivative of its components
} pcs_quaternion_norm_motion;

/// The system (9.2) of the second-order form in which Q carries the multiplier lambda of
/// psi = (Q.Q - 1)/2: unknowns x = (X''(3), Q''(4), X'(3), Q'(4), lambda), A (15 x 15,
/// column-major) x = b, with Baumgarte's alpha (1/s; 0: none).
PCS_API void pcs_quaternion_norm_fill(const pcs_quaternion_norm_motion *motion, double alpha,
                                      double A[225], double b[15]);
/// x of that system, by dense LU.
PCS_NODISCARD PCS_API pcs_status pcs_quaternion_norm_solve(const pcs_quaternion_norm_motion *motion,
                                                           double alpha, double x[15]);
/// lambda in closed form: -(Q'.Q' + Q.f_Q + 2 alpha Q.Q' + alpha^2 psi) / Q.Q. Zero when |Q| = 1,
/// Q.Q' = 0 and omega is that of Q': the right-hand side alone conserves the norm.
PCS_API double pcs_quaternion_norm_lambda(const pcs_quaternion_norm_motion *motion, double alpha);

/// A body in that form.
typedef struct pcs_quaternion_norm_body {
    double mass;             ///< kg, > 0
    double inertia[9];       ///< about G, body axes, symmetric positive definite, kg m^2
    double alpha;            ///< 1/s, rate of Baumgarte; 0: none
    pcs_body_force_fn force; ///< or null; gets q = (X, Q) and v = (X', omega)
    void *user;              ///< passed to force
} pcs_quaternion_norm_body;

/// The body for the integrators: x = (X, Q, X', Q'), 14 numbers. omega is recovered from Q' as Im(2
/// Q* (x) Q') / |Q|^2; every evaluation solves the 15 x 15 system. While |Q| drifts the rotation
/// slows with it: omega |Q| obeys Euler's equations. `body` is borrowed.
PCS_NODISCARD PCS_API pcs_status pcs_quaternion_norm_ode(const pcs_quaternion_norm_body *body,
                                                         pcs_ode *out);

#ifdef __cplusplus
}
#endif

#endif
