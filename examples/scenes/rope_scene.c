// The state machine of the rope: two integrators, one for each mode, and the transitions between
// them. Both integrate the work of the drag as a fifth unknown.
#include "scenes/rope_scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ON_ROPE 1e-12 // of the length: what counts as a start on the rope

static double outwards(const rope_def *def, const double x[2], const double v[2])
{
    const double d[2] = {x[0] - def->anchor[0], x[1] - def->anchor[1]};
    return (d[0] * v[0] + d[1] * v[1]) / hypot(d[0], d[1]);
}

// ---- the constraint -----------------------------------------------------------------------------

static int mass(void *user, double t, const double *q, double *M)
{
    (void)t;
    (void)q;
    const rope *r = user;
    M[0] = M[3] = r->def.mass;
    return 0;
}

static int force(void *user, double t, const double *q, const double *v, double *F)
{
    (void)t;
    (void)q;
    const rope_def *def = &((const rope *)user)->def;
    F[0] = -def->drag * v[0];
    F[1] = -def->drag * v[1] - def->mass * def->gravity;
    return 0;
}

// phi = |x - x_R|^2 - l^2
static int phi(void *user, double t, const double *q, double *out)
{
    (void)t;
    const rope_def *def = &((const rope *)user)->def;
    const double d[2] = {q[0] - def->anchor[0], q[1] - def->anchor[1]};
    // a product: the difference of two squares would cancel
    const double distance = hypot(d[0], d[1]);
    *out = (distance - def->length) * (distance + def->length);
    return 0;
}

static int jacobian(void *user, double t, const double *q, double *A)
{
    (void)t;
    const rope_def *def = &((const rope *)user)->def;
    A[0] = 2 * (q[0] - def->anchor[0]);
    A[1] = 2 * (q[1] - def->anchor[1]);
    return 0;
}

static int gamma_of(void *user, double t, const double *q, const double *v, double *gamma)
{
    (void)user;
    (void)t;
    (void)q;
    *gamma = 2 * (v[0] * v[0] + v[1] * v[1]);
    return 0;
}

static pcs_status make_system(rope *r)
{
    const pcs_constrained_def def = {.nv = 2,
                                     .m = 1,
                                     .mass = mass,
                                     .force = force,
                                     .phi = phi,
                                     .A = jacobian,
                                     .gamma = gamma_of,
                                     .stabilisation = r->def.stabilisation,
                                     .alpha = r->def.alpha,
                                     .tol = 1e-14 * r->def.length * r->def.length,
                                     .user = r};
    PCS_TRY(pcs_constrained_create(NULL, &def, &r->system));
    return pcs_constrained_ode(r->system, &r->taut);
}

static pcs_status tension_at(const rope *r, double t, const double *x, double *S)
{
    double lambda;
    PCS_TRY(pcs_constrained_reactions(r->system, t, x, x + 2, &lambda, NULL));
    *S = -2 * r->def.length * lambda;
    return PCS_OK;
}

// ---- the two modes ------------------------------------------------------------------------------

static double drag_power(const rope *r, const double *x)
{
    return r->def.drag * (x[2] * x[2] + x[3] * x[3]);
}

static int slack_rate(void *user, double t, const double *x, double *dxdt)
{
    const rope *r = user;
    double F[2];
    force(user, t, x, x + 2, F);
    dxdt[0] = x[2];
    dxdt[1] = x[3];
    dxdt[2] = F[0] / r->def.mass;
    dxdt[3] = F[1] / r->def.mass;
    dxdt[4] = drag_power(r, x);
    return 0;
}

static int taut_rate(void *user, double t, const double *x, double *dxdt)
{
    const rope *r = user;
    dxdt[4] = drag_power(r, x);
    return r->taut.f(r->taut.user, t, x, dxdt);
}

static int taut_project(void *user, double t, double *x)
{
    const rope *r = user;
    return r->taut.project(r->taut.user, t, x);
}

static int reach(void *user, double t, const double *x, double *g)
{
    return phi(user, t, x, g);
}

static int pull(void *user, double t, const double *x, double *g)
{
    return tension_at(user, t, x, g) == PCS_OK ? 0 : 1;
}

static pcs_status make_runs(rope *r)
{
    pcs_ode_opts opts = pcs_ode_opts_default();
    opts.rtol = r->def.rtol;
    opts.atol = 0.1 * r->def.rtol * r->def.length;
    const pcs_ode slack = {.n = 5, .f = slack_rate, .user = r};
    const pcs_ode taut = {
        .n = 5, .f = taut_rate, .project = r->taut.project ? taut_project : NULL, .user = r};
    const pcs_event reached = {.g = reach, .direction = 1, .terminal = true, .user = r};
    const pcs_event let_go = {.g = pull, .direction = -1, .terminal = true, .user = r};
    PCS_TRY(pcs_integrator_create(NULL, &slack, &opts, &r->run[ROPE_SLACK]));
    PCS_TRY(pcs_integrator_create(NULL, &taut, &opts, &r->run[ROPE_TAUT]));
    PCS_TRY(pcs_integrator_set_events(r->run[ROPE_SLACK], 1, &reached));
    return pcs_integrator_set_events(r->run[ROPE_TAUT], 1, &let_go);
}

// ---- from one to the other ----------------------------------------------------------------------

// true when free flight from x leaves the circle of the rope: so it does from the height of the
// anchor at rest, where the tension is zero and grows
static bool flies_outwards(rope *r, const double x[5])
{
    const double tau = 1e-2 * sqrt(r->def.length / r->def.gravity);
    double F[2], at[2];
    force(r, 0, x, x + 2, F);
    for (int k = 0; k < 2; ++k) {
        at[k] = x[k] + tau * x[2 + k] + 0.5 * tau * tau * F[k] / r->def.mass - r->def.anchor[k];
    }
    return hypot(at[0], at[1]) > r->def.length * (1 + ON_ROPE);
}

// Continues at t from x (5 numbers) in the right mode; `e` gets the event before it.
static pcs_status go_on(rope *r, double t, const double x[5], rope_event *e)
{
    const bool on_rope =
        hypot(x[0] - r->def.anchor[0], x[1] - r->def.anchor[1]) >= r->def.length * (1 - ON_ROPE);
    const double rounding = ON_ROPE * sqrt(r->def.gravity * r->def.length);
    // a released rope is at S = 0 to rounding: it does not become taut again
    const bool may_pull = e->impulse > 0 || r->events == 0;
    double S = 0;
    if (on_rope && may_pull && outwards(&r->def, x, x + 2) >= -rounding) {
        PCS_TRY(tension_at(r, t, x, &S));
    }
    const bool at_rest = on_rope && r->events == 0 && e->impulse == 0;
    const bool taut = S > 0 || (at_rest && S >= 0 && flies_outwards(r, x));
    r->mode = taut ? ROPE_TAUT : ROPE_SLACK;
    e->t = t;
    e->mode = r->mode;
    e->tension = fmax(S, 0);
    memcpy(e->x, x, sizeof e->x);
    memcpy(e->after, x + 2, sizeof e->after);
    if (r->events < ROPE_EVENTS) r->event[r->events] = *e;
    r->events += 1;
    return pcs_integrator_start(r->run[r->mode], t, x);
}

// the mass reached the end of the rope with the velocity x[2..3] outwards
static pcs_status capture(rope *r, double t, const double at[5])
{
    double x[5], impulse;
    memcpy(x, at, sizeof x);
    const double u = outwards(&r->def, x, x + 2), e = u > r->def.settle ? r->def.e : 0;
    rope_event event = {.before = {x[2], x[3]}};
    PCS_TRY(pcs_constrained_impact(r->system, t, x, x + 2, &e, x + 2, &impulse));
    event.impulse = 2 * r->def.length * fabs(impulse);
    r->lost += 0.5 * r->def.mass * (1 - e * e) * u * u;
    // e = 0: consistent with the constraint, to the last digit
    if (e == 0) PCS_TRY(pcs_constrained_project(r->system, t, x, x + 2));
    return go_on(r, t, x, &event);
}

static pcs_status release(rope *r, double t, const double at[5])
{
    double x[5];
    memcpy(x, at, sizeof x);
    rope_event event = {.before = {x[2], x[3]}};
    return go_on(r, t, x, &event);
}

// the transition of the event that ended the present mode
static pcs_status change(rope *r)
{
    const double t = rope_time(r), *x = rope_state(r);
    return r->mode == ROPE_SLACK ? capture(r, t, x) : release(r, t, x);
}

pcs_status rope_open(rope *r, const rope_def *def, const double x[2], const double v[2])
{
    *r = (rope){.def = *def, .least = INFINITY};
    PCS_TRY(make_system(r));
    PCS_TRY(make_runs(r));
    const double start[5] = {x[0], x[1], v[0], v[1], 0};
    const double distance = hypot(x[0] - def->anchor[0], x[1] - def->anchor[1]);
    if (distance > def->length * (1 + ON_ROPE)) return PCS_ERR_ARG;
    const double u = outwards(def, x, v), rounding = ON_ROPE * sqrt(def->gravity * def->length);
    if (distance >= def->length * (1 - ON_ROPE) && u > rounding) return capture(r, 0, start);
    rope_event event = {.before = {v[0], v[1]}};
    return go_on(r, 0, start, &event);
}

void rope_close(rope *r)
{
    pcs_integrator_destroy(r->run[0]);
    pcs_integrator_destroy(r->run[1]);
    pcs_constrained_destroy(r->system);
}

pcs_status rope_advance(rope *r, double t)
{
    for (;;) {
        pcs_ode_report report;
        PCS_TRY(pcs_integrator_advance(r->run[r->mode], t, &report));
        const double now = rope_time(r), *x = rope_state(r);
        if (r->mode == ROPE_TAUT) {
            double S;
            PCS_TRY(tension_at(r, now, x, &S));
            r->least = fmin(r->least, S);
            const double d = hypot(x[0] - r->def.anchor[0], x[1] - r->def.anchor[1]);
            r->drift = fmax(r->drift, fabs(d - r->def.length));
        }
        if (report.end != PCS_ODE_EVENT) return PCS_OK;
        PCS_TRY(change(r));
    }
}

pcs_status rope_glance(rope *r, double t, double x[5])
{
    while (rope_time(r) < t) {
        if (r->ended) {
            r->ended = false;
            PCS_TRY(change(r));
        } else {
            pcs_ode_report report;
            PCS_TRY(pcs_integrator_step(r->run[r->mode], &report));
            r->ended = report.end == PCS_ODE_EVENT;
        }
    }
    return pcs_integrator_at(r->run[r->mode], t, x);
}

double rope_time(const rope *r)
{
    return pcs_integrator_t(r->run[r->mode]);
}

const double *rope_state(const rope *r)
{
    return pcs_integrator_x(r->run[r->mode]);
}

pcs_status rope_tension(const rope *r, double *S)
{
    *S = 0;
    if (r->mode == ROPE_SLACK) return PCS_OK;
    return tension_at(r, rope_time(r), rope_state(r), S);
}
