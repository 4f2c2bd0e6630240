/// @file
/// Smooth differential equations: x' = f(t, x) and differential-algebraic systems of index 1 by
/// Runge-Kutta methods (theory 10), with fixed or adaptive steps, dense output and events.
///
/// @code
/// pcs_ode pendulum = {.n = 2, .f = swing, .user = &length};
/// pcs_ode_opts opts = pcs_ode_opts_default(); // Dormand-Prince, rtol = 1e-8
/// pcs_integrator *run;
/// pcs_integrator_create(NULL, &pendulum, &opts, &run);
/// pcs_integrator_start(run, 0, x0);
/// pcs_integrator_advance(run, 10, NULL); // pcs_integrator_x(run) is x(10)
/// pcs_integrator_destroy(run);
/// @endcode
///
/// All vectors are in the caller's units; matrices are column-major (tableaus as they are printed).
/// After creation nothing allocates, except for the list of found events when it has to grow. An
/// error status leaves time and state as they were before the step that failed.
#ifndef PERCUSS_ODE_H
#define PERCUSS_ODE_H

#include <percuss/root.h>
#include <percuss/tableau.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- systems

/// dxdt = f(t, x), n numbers each. A non-zero return value, or a number that is not finite, is
/// PCS_ERR_CALLBACK; with adaptive steps a smaller step is tried first, since the point may lie
/// outside the domain of f.
typedef int (*pcs_ode_fn)(void *user, double t, const double *x, double *dxdt);
/// df/dx, n x n column-major.
typedef int (*pcs_ode_jacobian_fn)(void *user, double t, const double *x, double *dfdx);
/// f of a complex x, for derivatives without cancellation (complex step).
typedef int (*pcs_ode_complex_fn)(void *user, double t, const pcs_complex *x, pcs_complex *dxdt);
/// Restores a condition on x (|Q| = 1, a constraint) after every accepted step.
typedef int (*pcs_ode_project_fn)(void *user, double t, double *x);

/// x' = f(t, x).
typedef struct pcs_ode {
    int n;                        ///< size of x, >= 1
    pcs_ode_fn f;                 ///< must not be null
    pcs_ode_jacobian_fn jacobian; ///< or null; used by implicit methods only
    pcs_ode_complex_fn f_complex; ///< or null; used by implicit methods only
    pcs_ode_project_fn project;   ///< or null
    void *user;                   ///< passed to the callbacks; must outlive the integrator
} pcs_ode;

/// Residual F(t, x', x, z) = 0, nx + nz numbers.
typedef int (*pcs_dae_fn)(void *user, double t, const double *xdot, const double *x,
                          const double *z, double *F);
/// dF/dx' (N x nx), dF/dx (N x nx), dF/dz (N x nz), column-major, N = nx + nz.
typedef int (*pcs_dae_jacobian_fn)(void *user, double t, const double *xdot, const double *x,
                                   const double *z, double *dFdxdot, double *dFdx, double *dFdz);
/// F of complex arguments.
typedef int (*pcs_dae_complex_fn)(void *user, double t, const pcs_complex *xdot,
                                  const pcs_complex *x, const pcs_complex *z, pcs_complex *F);

/// A fully implicit system F(t, x', x, z) = 0 with nx differential and nz algebraic unknowns. Index
/// 1: [dF/dx' dF/dz] is regular. A system of higher index must be reduced first
/// (<percuss/mechanics.h> does so for constrained mechanical systems).
typedef struct pcs_dae {
    int nx;                       ///< >= 1
    int nz;                       ///< >= 0
    pcs_dae_fn F;                 ///< must not be null
    pcs_dae_jacobian_fn jacobian; ///< or null
    pcs_dae_complex_fn F_complex; ///< or null
    void *user;                   ///< passed to the callbacks; must outlive the integrator
} pcs_dae;

/// The right-hand side (nx numbers) or the constraint (nz numbers) of a semi-explicit system.
typedef int (*pcs_semi_explicit_fn)(void *user, double t, const double *x, const double *z,
                                    double *out);

/// x' = f(t, x, z), 0 = g(t, x, z). Index 1: dg/dz is regular.
typedef struct pcs_semi_explicit {
    int nx;                 ///< >= 1
    int nz;                 ///< >= 0
    pcs_semi_explicit_fn f; ///< nx numbers
    pcs_semi_explicit_fn g; ///< nz numbers; null if nz is 0
    void *user;             ///< passed to the callbacks; must outlive the integrator
} pcs_semi_explicit;

/// The highest derivative x^(order) (m numbers) from t and the lower ones, the highest first:
/// chi = (x^(order - 1), ..., x', x), order m numbers (theory 14).
typedef int (*pcs_highest_fn)(void *user, double t, const double *chi, double *highest);

/// A system of n-th order, x^(order) = fn(t, x^(order-1), ..., x). Second order: (x', x). Equations
/// that are implicit, or have derivatives of an input, are in <percuss/plant.h>.
typedef struct pcs_higher_order {
    int order;         ///< >= 1
    int m;             ///< size of x
    pcs_highest_fn fn; ///< must not be null
    void *user;        ///< passed to fn
} pcs_higher_order;

/// The first-order system of an n-th order one: chi' = (x^(order), ..., x''  , x'). `def` is
/// borrowed: it must outlive the use of the system.
PCS_NODISCARD PCS_API pcs_status pcs_ode_of_order(const pcs_higher_order *def, pcs_ode *out);

// ---- options

/// The options of an integrator: its steps and the solution of its equations.
typedef struct pcs_ode_opts {
    const pcs_tableau *tableau; ///< null: Dormand-Prince. Borrowed
    double h;                   ///< fixed: the step. Adaptive: the first step; 0 lets the
                                ///< integrator choose it
    bool adaptive;              ///< adapts steps by the embedded pair, which the tableau must have
    double rtol;                ///< adaptive: the error of a step is kept below
    double atol;                ///< atol + rtol max(|x|, |x+|), root mean square over components
    const double *atol_each;    ///< n values in place of atol, or null; copied
    double h_max;               ///< largest step of adaptive runs; 0: none
    double h_min;  ///< below it PCS_ERR_STEP; never below 16 eps |t|, where t + h cannot be
                   ///< distinguished from t
    int max_steps; ///< limit for one pcs_integrator_advance, rejected steps included; beyond it
                   ///< PCS_ERR_STEP
    /// Of implicit stages: their residual is below tol (default 1e-15: rounding) times the change
    /// over the step; of adaptive runs, below a hundredth of the tolerances, whichever is larger.
    /// max_iters, backtracks and derivative as in pcs_root_opts.
    pcs_root_opts newton;
    /// An event is first located on the dense output. True (default): then on the length of the
    /// step itself, so that the state at the event has the accuracy of a step.
    bool event_by_step;
    double event_tol; ///< tolerance of the time of an event, relative to the larger of |t| and the
                      ///< step, and of a zero of an event function at a start; default 1e-12
} pcs_ode_opts;

/// Dormand-Prince, adaptive, rtol = 1e-8, atol = 1e-10, 100 000 steps.
PCS_API pcs_ode_opts pcs_ode_opts_default(void);

/// A fixed step h of a method.
PCS_API pcs_ode_opts pcs_ode_opts_fixed(const pcs_tableau *tableau, double h);

// ---- events

/// Event function: an event is a zero of g(t, x). `x` is n numbers (of a DAE the nx differential
/// ones). g is evaluated at eight points of every step. A pair of crossings between two of them is
/// found only if the samples bend towards zero, so events that are close together need an h_max of
/// their distance. It is also evaluated a little after the end of a step that ends at zero, to
/// distinguish a crossing from a touch; there the function may fail.
typedef int (*pcs_event_fn)(void *user, double t, const double *x, double *g);

/// An event to find.
typedef struct pcs_event {
    pcs_event_fn g; ///< must not be null
    int direction;  ///< +1: only where g rises, -1: only where it falls, 0: both
    bool terminal;  ///< the run stops at the event
    void *user;     ///< passed to g
} pcs_event;

/// How the last call ended.
typedef enum pcs_ode_end {
    PCS_ODE_REACHED, ///< the requested time is reached
    PCS_ODE_EVENT,   ///< a terminal event: t and x are those of the event
    PCS_ODE_STEPPED  ///< one requested step was made
} pcs_ode_end;

/// A found event.
typedef struct pcs_event_found {
    int index;     ///< index of the event in the list given; -1: none yet
    double t;      ///< its time
    int direction; ///< +1 rising, -1 falling, 0: touched zero without crossing it
} pcs_event_found;

/// Counts since pcs_integrator_start, and the end of the last call.
typedef struct pcs_ode_report {
    pcs_ode_end end;   ///< how the last call ended
    long steps;        ///< accepted
    long rejected;     ///< steps given up: too large an error, Newton without convergence, or a
                       ///< callback that failed
    long evaluations;  ///< evaluations of f (F of a DAE), including those for finite differences
    long jacobians;    ///< Jacobians formed
    long factors;      ///< matrices factorised
    long newton_iters; ///< iterations of Newton's method on the stages
    double h_last;     ///< the last accepted step
    double h_next;     ///< the next step to try
    double error; ///< error of the last accepted step, relative to the tolerances; adaptive only
    long events;  ///< found, terminal or not, touches not counted
    long touches; ///< points where an event function reached zero within event_tol of its
                  ///< scale without crossing it: reported, never a stop
    pcs_event_found event; ///< the last one found; pcs_integrator_found lists all
} pcs_ode_report;

// ---- integrating

/// A running integration: state, stages, work. One per thread.
typedef struct pcs_integrator pcs_integrator;

/// For x' = f(t, x). Explicit and implicit tableaus. The structs `ode` and opts are copied; the
/// tableau is borrowed. Release with pcs_integrator_destroy. PCS_ERR_ARG for an inconsistent
/// tableau, an adaptive run of a tableau without pair, or numbers out of range.
PCS_NODISCARD PCS_API pcs_status pcs_integrator_create(const pcs_env *env, const pcs_ode *ode,
                                                       const pcs_ode_opts *opts,
                                                       pcs_integrator **out);
/// For F(t, x', x, z) = 0: implicit tableaus with regular A (Gauss, Radau, implicit Euler) only.
PCS_NODISCARD PCS_API pcs_status pcs_integrator_create_dae(const pcs_env *env, const pcs_dae *dae,
                                                           const pcs_ode_opts *opts,
                                                           pcs_integrator **out);
/// For x' = f, 0 = g. Implicit tableaus as above; with an explicit tableau g is solved for z at
/// every stage.
PCS_NODISCARD PCS_API pcs_status pcs_integrator_create_semi_explicit(const pcs_env *env,
                                                                     const pcs_semi_explicit *dae,
                                                                     const pcs_ode_opts *opts,
                                                                     pcs_integrator **out);
/// Accepts null.
PCS_API void pcs_integrator_destroy(pcs_integrator *run);

/// Watches n events from now on; they are copied. After a start or a jump an event function that is
/// zero (to rounding) has no event until it has left zero. Allocates.
PCS_NODISCARD PCS_API pcs_status pcs_integrator_set_events(pcs_integrator *run, int n,
                                                           const pcs_event *events);

/// Starts at t0, x0 and resets the counters. PCS_ERR_CALLBACK when f fails at x0: there is then no
/// run until another start succeeds. After PCS_ERR_ARG nothing has changed.
PCS_NODISCARD PCS_API pcs_status pcs_integrator_start(pcs_integrator *run, double t0,
                                                      const double *x0);
/// Starts a DAE: solves for z (and x' of a fully implicit one) from the guesses z0 and xdot0 (null:
/// zeros). PCS_ERR_UNSUPPORTED with a sentence when [dF/dx' dF/dz] (dg/dz) is singular at the
/// solution: the index is above 1. PCS_ERR_ARG when no consistent z is found.
PCS_NODISCARD PCS_API pcs_status pcs_integrator_start_dae(pcs_integrator *run, double t0,
                                                          const double *x0, const double *z0,
                                                          const double *xdot0);

/// Continues from another state at the current time, for example after an impact. Counters
/// continue, and so does the size of steps.
PCS_NODISCARD PCS_API pcs_status pcs_integrator_jump(pcs_integrator *run, const double *x);

/// One accepted step: of the adapted size, or of opts.h. Stops at a terminal event within it.
/// `report` may be null.
PCS_NODISCARD PCS_API pcs_status pcs_integrator_step(pcs_integrator *run, pcs_ode_report *report);

/// One step of exactly h (> 0), without error control, up to a terminal event within it.
PCS_NODISCARD PCS_API pcs_status pcs_integrator_step_by(pcs_integrator *run, double h,
                                                        pcs_ode_report *report);

/// Steps until t_end exactly (the last step ends there; a remainder below rounding is joined to the
/// step before it), or up to a terminal event. t_end >= t.
PCS_NODISCARD PCS_API pcs_status pcs_integrator_advance(pcs_integrator *run, double t_end,
                                                        pcs_ode_report *report);

/// The events that the last call of pcs_integrator_step, _step_by or _advance found, in order of
/// time, touches included (direction 0), and how many there are. A terminal event is the last one;
/// others at the same time, which are not found again when the run continues, precede it. Valid
/// until the next call. `found` may be null.
PCS_API int pcs_integrator_found(const pcs_integrator *run, const pcs_event_found **found);

/// Current time.
PCS_API double pcs_integrator_t(const pcs_integrator *run);
/// Current state, n (nx) numbers; valid until the next call that changes it.
PCS_API const double *pcs_integrator_x(const pcs_integrator *run);
/// Algebraic unknowns of a DAE, nz numbers; null otherwise.
PCS_API const double *pcs_integrator_z(const pcs_integrator *run);
/// Dense output: x at a time between the start of the last step and now (PCS_ERR_ARG outside).
/// After a projection the interpolant differs from the projected state at its end by the size of
/// the projection.
PCS_NODISCARD PCS_API pcs_status pcs_integrator_at(pcs_integrator *run, double t, double *x);
/// The report so far.
PCS_API pcs_ode_report pcs_integrator_report(const pcs_integrator *run);

#ifdef __cplusplus
}
#endif

#endif
