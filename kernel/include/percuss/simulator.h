/// @file
/// A simulator with the structure of the texts (theory 14): control, physics, display. The three
/// are independent; they share two records, the state x (n numbers) and the
/// command u (m numbers).
///
///     control   every control_period: u = law(t, x), held until the next one (zero-order hold)
///     physics   every h: x(t) -> x(t + h) with u held; any integrator, or a model with contact
///     display   every display_period: sees t, x and u; a log, a table, a window. It changes
///               nothing, not even the size of a step
///
/// Headless unless a display is given.
#ifndef PERCUSS_SIMULATOR_H
#define PERCUSS_SIMULATOR_H

#include <percuss/ode.h>
#include <percuss/step.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- physics

/// Takes the state record x (n numbers) from t to t_next > t with the command u (m numbers) held.
/// After an error status x must be as it was, and pcs_error_text should say why.
typedef pcs_status (*pcs_physics_fn)(void *user, double t, double t_next, const double *u,
                                     double *x);

/// A method that advances a state record. Made by one of the functions below, or by the caller.
typedef struct pcs_physics {
    int n;                       ///< size of the state record, >= 1
    int m;                       ///< size of the command record, >= 0
    pcs_physics_fn advance;      ///< must not be null
    void (*release)(void *user); ///< or null; see pcs_physics_release
    void *user;                  ///< passed to both
} pcs_physics;

/// Rates of a system with commands: xdot = f(t, x, u). A non-zero return value, or a number that is
/// not finite, is PCS_ERR_CALLBACK.
typedef int (*pcs_controlled_fn)(void *user, double t, const double *x, const double *u,
                                 double *xdot);

/// x' = f(t, x, u).
typedef struct pcs_controlled {
    int n;                      ///< size of x, >= 1
    int m;                      ///< size of u, >= 0
    pcs_controlled_fn f;        ///< must not be null
    pcs_ode_project_fn project; ///< or null: corrects x after every step of the integrator
    void *user;                 ///< passed to both; must outlive the physics
} pcs_controlled;

/// Physics by an integrator of <percuss/ode.h>: any tableau, fixed or adaptive steps. With fixed
/// steps opts->h divides the interval of the simulator, and the last step is shorter where needed;
/// adaptive steps end where the command may change. `system` and opts are copied. Release with
/// pcs_physics_release.
PCS_NODISCARD PCS_API pcs_status pcs_physics_of_system(const pcs_env *env,
                                                       const pcs_controlled *system,
                                                       const pcs_ode_opts *opts, pcs_physics *out);

/// Physics by an integrator of any smooth system of <percuss/ode.h>: a model taken as one
/// (<percuss/smooth.h>), constraints (<percuss/mechanics.h>), a vehicle. The command is written to
/// `command` (m numbers of the caller's, borrowed), where f reads it. Otherwise as
/// pcs_physics_of_system.
PCS_NODISCARD PCS_API pcs_status pcs_physics_of_ode(const pcs_env *env, const pcs_ode *ode,
                                                    const pcs_ode_opts *opts, int m,
                                                    double *command, pcs_physics *out);

/// Physics by pcs_step: bodies, joints, contacts with friction. The state record is (q, v) of the
/// model's state, nq + nv numbers. Before each step the command is written to `command` (m numbers
/// of the caller's), where the model's force callbacks read it; the state gets the values of the
/// record. A step that is not committed is PCS_ERR_STEP. All is borrowed and must outlive the
/// physics. Release with pcs_physics_release.
PCS_NODISCARD PCS_API pcs_status pcs_physics_of_model(const pcs_env *env, const pcs_model *model,
                                                      pcs_state *state, pcs_work *work, int m,
                                                      double *command, pcs_physics *out);

/// Releases the memory of a physics and clears it. Accepts null and a cleared one.
PCS_API void pcs_physics_release(pcs_physics *physics);

// ---- the loop

/// u = law(t, x): writes the command, which holds the present one on entry. A non-zero return
/// value, or a number that is not finite, is PCS_ERR_CALLBACK.
typedef int (*pcs_control_fn)(void *user, double t, const double *x, double *u);

/// Shows the records. A non-zero return value stops the run.
typedef int (*pcs_display_fn)(void *user, double t, const double *x, const double *u);

/// The parts of a simulator.
typedef struct pcs_simulator_def {
    pcs_physics physics; ///< borrowed: release it after the simulator
    double t0;           ///< s
    const double *x0;    ///< n numbers; copied
    const double *u0;    ///< m numbers, the command until the first control; null: zeros. Copied
    double h;            ///< s, physics step, > 0. A step is cut where a control falls inside it

    pcs_control_fn control; ///< or null: u0 for ever
    double control_period;  ///< s; 0: every h
    void *control_user;     ///< passed to control

    pcs_display_fn display; ///< or null: headless
    double display_period;  ///< s; 0: every h. Shown at the end of the first step at or after it
    void *display_user;     ///< passed to display
} pcs_simulator_def;

/// A running simulation.
typedef struct pcs_simulator pcs_simulator;

/// The report of a run.
typedef struct pcs_simulator_report {
    bool stopped;  ///< by the display
    long steps;    ///< steps of the physics, since creation
    long controls; ///< calls of the control
    long displays; ///< calls of the display
} pcs_simulator_report;

/// Creates a simulator without calling any part of it. After creation only the physics may
/// allocate. Release with pcs_simulator_destroy.
PCS_NODISCARD PCS_API pcs_status pcs_simulator_create(const pcs_env *env,
                                                      const pcs_simulator_def *def,
                                                      pcs_simulator **out);

/// Accepts null. The physics stays.
PCS_API void pcs_simulator_destroy(pcs_simulator *sim);

/// Runs to t_end, at which the last step ends: control and display at the start time first, if they
/// are due. The times of controls, displays and steps are multiples of their periods, counted from
/// t0: no drift. On an error the records are those of the last step that succeeded. `report` may be
/// null.
PCS_NODISCARD PCS_API pcs_status pcs_simulator_run(pcs_simulator *sim, double t_end,
                                                   pcs_simulator_report *report);

/// Current time, s.
PCS_API double pcs_simulator_t(const pcs_simulator *sim);
/// The state record, n numbers.
PCS_API const double *pcs_simulator_x(const pcs_simulator *sim);
/// The command record, m numbers.
PCS_API const double *pcs_simulator_u(const pcs_simulator *sim);

#ifdef __cplusplus
}
#endif

#endif
