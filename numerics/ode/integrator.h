// Private side of <percuss/ode.h>: the parts of an integration, and the one function that each kind
// of method provides: an attempt at a step, which does not change the current state.
#ifndef ODE_INTEGRATOR_H
#define ODE_INTEGRATOR_H

#include <percuss/ode.h>

#include "base/base.h"

typedef enum ode_kind { ODE_EXPLICIT_FORM, ODE_IMPLICIT_FORM, ODE_SEMI_EXPLICIT_FORM } ode_kind;

typedef struct ode_stages ode_stages; // Newton's method on implicit stages: implicit.c

typedef struct ode_watch {
    pcs_event event;
    double g;      // g at the current time
    bool armed;    // false: g was zero and has not left zero yet
    bool at_event; // the current time is that of an event of this function
    double g_new;  // g at the end of the attempt
    bool settled;  // the attempt ends at a zero that is already treated
} ode_watch;

struct pcs_integrator {
    pcs_env env;
    pcs_arena arena;   // memory of all arrays below
    pcs_ode_opts opts; // atol_each is null: it is copied to atol
    ode_kind kind;
    pcs_ode ode;            // system of ODE_EXPLICIT_FORM
    pcs_dae dae;            // system of ODE_IMPLICIT_FORM
    pcs_semi_explicit semi; // system of ODE_SEMI_EXPLICIT_FORM
    const pcs_tableau *tableau;
    int s, n, nz;         // stages; differential and algebraic unknowns
    bool explicit_method; // an explicit tableau on an explicit system
    bool first_is_start;  // first stage: c = 0, a row of zeros
    bool last_is_end;     // the last stage is f at the end of the step
    bool started;

    // The current state. The rounding errors of t and x are kept (Kahan 1965), so that sums of many
    // small steps are accurate; a start, a jump and a projection reset them
    double t, t_carry, h_next;
    double *x;     // n
    double *carry; // n
    double *z;     // nz
    double *xdot;  // n, x' of a fully implicit system
    double *f;     // n, f(t, x) when f_known
    bool f_known;

    // the last attempt, over h_tried from now
    double h_tried;
    double t_new;      // time of its end: t + h_tried up to rounding
    double *K;         // n x s, stage derivatives by columns
    double *Z;         // nz x s, algebraic unknowns of the stages
    double *x_new;     // n
    double *carry_new; // n
    double *z_new;     // nz
    double *stage;     // n, scratch
    double *f_new;     // n, f at its end when f_new_known
    bool f_new_known;
    bool end_moved; // the projection changed its end

    // the last accepted step, for dense output
    double t_old, h_last; // h_last = 0: there is none
    double *x_old;        // n
    double *f_old;        // n, when f_old_known
    bool f_old_known;
    double *K_last; // n x s, its K (exchanged with K)
    bool K_last_known;

    double *atol;       // n
    ode_stages *stages; // null for an explicit method of an explicit system

    int events;
    ode_watch *watch; // allocated separately, by pcs_integrator_set_events
    double *x_event;  // n
    // events found in this call, in order of time, followed by those of the attempt
    pcs_event_found *found; // allocated separately, when it must grow
    int found_room, found_count, found_new;

    pcs_ode_report report;
};

// One attempt from (t, x) over h: fills K, x_new (Z, z_new); the current state does not change.
// PCS_ERR_CALLBACK, PCS_ERR_STEP (Newton did not converge) and PCS_ERR_SINGULAR may not occur with
// a smaller step, which an adaptive run tries.
pcs_status ode_attempt(pcs_integrator *run, double h);
pcs_status ode_explicit_attempt(pcs_integrator *run, double h);
pcs_status ode_implicit_attempt(pcs_integrator *run, double h);

// run->stage = x + h sum_{j < i} a_ij K_j, the point of stage i of an explicit tableau
void ode_stage_point(pcs_integrator *run, int i, double h);
// x_new = x + h sum b_j K_j and carry_new; uses run->stage
void ode_end_point(pcs_integrator *run, double h);

// creates run->stages; run->kind, tableau, sizes and opts are set
pcs_status ode_stages_create(pcs_integrator *run);
void ode_stages_destroy(pcs_integrator *run);
// called after the attempt is accepted: updates data kept between steps (xdot too)
void ode_stages_accepted(pcs_integrator *run);
// filters the error estimate of the attempt for stiff systems
void ode_stages_filter(const pcs_integrator *run, double *error);

// z (and xdot) of a DAE at run->t, run->x, from the guesses in run->z, run->xdot, which do not
// change on failure; checks the index
pcs_status ode_consistent(pcs_integrator *run);

// out = f(t, x) of an explicit system, counted; a failure or a number that is not finite is
// PCS_ERR_CALLBACK
pcs_status ode_rates(pcs_integrator *run, double t, const double *x, double *out);

// computes run->f, the current x' of any kind of system (of a fully implicit one run->xdot)
pcs_status ode_slope(pcs_integrator *run);

// x at `theta` of the last attempt (now to x_new)
pcs_status ode_interpolate_attempt(pcs_integrator *run, double theta, double *x);

// Finds events within the attempt and appends them to run->found. If one is terminal, the attempt
// is repeated up to it, and *stop is set.
pcs_status ode_find_events(pcs_integrator *run, bool *stop);
// computes g at the next state of the run; nothing else changes
pcs_status ode_event_values(pcs_integrator *run, double t, const double *x);
// that state is the current one, after a start or jump: a function at zero has no event until it
// has left zero
void ode_arm_events(pcs_integrator *run);
// that state is the current one, after an accepted attempt: its events are counted
void ode_accept_events(pcs_integrator *run);

// RMS of the error estimate over atol + rtol max(|x|, |x+|)
double ode_error(pcs_integrator *run);
// a first step (Hairer, Norsett, Wanner: Solving ODEs I, II.4)
pcs_status ode_first_step(pcs_integrator *run, double *h);

#endif
