// The loop of control, physics and display (theory 14). The parts meet in two records only.
#include <percuss/simulator.h>

#include "base/base.h"

#include <string.h>

// an event at t0 + k period, k = 0, 1, 2 ...: it is counted, so that nothing drifts
typedef struct clock {
    double period; // 0: never
    double next;   // k of the next event
} clock;

struct pcs_simulator {
    pcs_env env;
    pcs_simulator_def def;
    clock step, control, display;
    double t;
    double *x, *u;         // the records
    double *x_new, *u_new; // records of the running step
    pcs_simulator_report report;
};

static double due(const pcs_simulator *sim, const clock *c)
{
    return c->period > 0 ? sim->def.t0 + c->next * c->period : INFINITY;
}

// true when two times differ by rounding only
static bool same(const pcs_simulator *sim, double a, double b)
{
    return fabs(a - b) <= 1e-9 * sim->def.h;
}

static void pass(const pcs_simulator *sim, clock *c)
{
    while (due(sim, c) <= sim->t || same(sim, due(sim, c), sim->t)) {
        c->next += 1;
    }
}

// ---- creation

static pcs_status check(const pcs_simulator_def *d)
{
    if (!d->physics.advance || d->physics.n < 1 || d->physics.m < 0) {
        return pcs_fail(PCS_ERR_ARG, "pcs_simulator_create: the physics has no advance, no state "
                                     "(n < 1) or m < 0");
    }
    if (!(d->h > 0) || !isfinite(d->h) || !isfinite(d->t0)) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_simulator_create: h is %g s and t0 %g s; h must be positive and both "
                        "finite",
                        d->h, d->t0);
    }
    const double periods[2] = {d->control_period, d->display_period};
    for (int i = 0; i < 2; ++i) {
        if (!(periods[i] >= 0) || !isfinite(periods[i]) ||
            (periods[i] > 0 && periods[i] < 1e-6 * d->h)) {
            return pcs_fail(PCS_ERR_ARG,
                            "pcs_simulator_create: the %s period is %g s; it must be 0 (every h) "
                            "or positive, and not below 1e-6 h",
                            i == 0 ? "control" : "display", periods[i]);
        }
    }
    if (!d->x0 || !pcs_all_finite(d->x0, (size_t)d->physics.n) ||
        (d->u0 && !pcs_all_finite(d->u0, (size_t)d->physics.m))) {
        return pcs_fail(PCS_ERR_ARG, "pcs_simulator_create: x0 is null, or x0 or u0 is not finite");
    }
    return PCS_OK;
}

pcs_status pcs_simulator_create(const pcs_env *env, const pcs_simulator_def *def,
                                pcs_simulator **out)
{
    if (!def || !out) {
        return pcs_fail(PCS_ERR_ARG, "pcs_simulator_create: def and out must not be null");
    }
    *out = NULL;
    PCS_TRY(check(def));
    const size_t n = (size_t)def->physics.n, m = (size_t)def->physics.m;
    pcs_simulator *sim = pcs_env_alloc(env, 1, sizeof *sim);
    double *records = pcs_env_alloc(env, 2 * (n + m), sizeof *records);
    if (!sim || !records) {
        pcs_env_free(env, records);
        pcs_env_free(env, sim);
        return pcs_fail_memory("pcs_simulator_create");
    }
    *sim = (pcs_simulator){.def = *def,
                           .t = def->t0,
                           .x = records,
                           .u = records + n,
                           .x_new = records + n + m,
                           .u_new = records + 2 * n + m};
    if (env) sim->env = *env;
    memcpy(sim->x, def->x0, n * sizeof *sim->x);
    if (def->u0 && m > 0) memcpy(sim->u, def->u0, m * sizeof *sim->u);
    sim->def.x0 = sim->def.u0 = NULL;
    sim->step = (clock){def->h, 1};
    sim->control = (clock){!def->control             ? 0
                           : def->control_period > 0 ? def->control_period
                                                     : def->h,
                           0};
    sim->display = (clock){!def->display             ? 0
                           : def->display_period > 0 ? def->display_period
                                                     : def->h,
                           0};
    *out = sim;
    return PCS_OK;
}

void pcs_simulator_destroy(pcs_simulator *sim)
{
    if (!sim) return;
    const pcs_env env = sim->env;
    pcs_env_free(&env, sim->x);
    pcs_env_free(&env, sim);
}

// ---- the three parts

static pcs_status decide(pcs_simulator *sim)
{
    const size_t m = (size_t)sim->def.physics.m;
    if (m > 0) memcpy(sim->u_new, sim->u, m * sizeof *sim->u);
    const unsigned long mark = pcs_fail_mark();
    const int code = sim->def.control(sim->def.control_user, sim->t, sim->x, sim->u_new);
    if (code != 0 || !pcs_all_finite(sim->u_new, m)) {
        return pcs_fail_since(mark, PCS_ERR_CALLBACK,
                              "pcs_simulator_run: the control %s at t = %.9g",
                              code != 0 ? "failed" : "gave a number that is not finite", sim->t);
    }
    if (m > 0) memcpy(sim->u, sim->u_new, m * sizeof *sim->u);
    sim->report.controls += 1;
    return PCS_OK;
}

static bool show(pcs_simulator *sim)
{
    sim->report.displays += 1;
    return sim->def.display(sim->def.display_user, sim->t, sim->x, sim->u) == 0;
}

static pcs_status move(pcs_simulator *sim, double t_next)
{
    const size_t n = (size_t)sim->def.physics.n;
    memcpy(sim->x_new, sim->x, n * sizeof *sim->x);
    PCS_TRY(sim->def.physics.advance(sim->def.physics.user, sim->t, t_next, sim->u, sim->x_new));
    if (!pcs_all_finite(sim->x_new, n)) {
        return pcs_fail(PCS_ERR_CALLBACK,
                        "pcs_simulator_run: the physics gave a number that is not finite between t "
                        "= %.9g and %.9g",
                        sim->t, t_next);
    }
    memcpy(sim->x, sim->x_new, n * sizeof *sim->x);
    sim->t = t_next;
    sim->report.steps += 1;
    return PCS_OK;
}

// the end of the next step: the multiple of h, or earlier at a control or at t_end
static double step_end(const pcs_simulator *sim, double t_end)
{
    double t = due(sim, &sim->step);
    const double control = due(sim, &sim->control);
    if (control < t && !same(sim, control, t)) t = control;
    return t_end < t || same(sim, t_end, t) ? t_end : t;
}

static pcs_status go(pcs_simulator *sim, double t_end)
{
    for (;;) {
        if (due(sim, &sim->control) <= sim->t || same(sim, due(sim, &sim->control), sim->t)) {
            PCS_TRY(decide(sim));
            pass(sim, &sim->control);
        }
        if (due(sim, &sim->display) <= sim->t || same(sim, due(sim, &sim->display), sim->t)) {
            pass(sim, &sim->display);
            if (!show(sim)) {
                sim->report.stopped = true;
                return PCS_OK;
            }
        }
        if (sim->t >= t_end) return PCS_OK;
        PCS_TRY(move(sim, step_end(sim, t_end)));
        pass(sim, &sim->step);
    }
}

pcs_status pcs_simulator_run(pcs_simulator *sim, double t_end, pcs_simulator_report *report)
{
    if (!sim || !(t_end >= sim->t) || !isfinite(t_end)) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_simulator_run: sim is null, or t_end = %g lies before the present "
                        "time",
                        t_end);
    }
    sim->report.stopped = false;
    const pcs_status status = go(sim, t_end);
    if (report) *report = sim->report;
    return status;
}

double pcs_simulator_t(const pcs_simulator *sim)
{
    return sim ? sim->t : 0;
}

const double *pcs_simulator_x(const pcs_simulator *sim)
{
    return sim ? sim->x : NULL;
}

const double *pcs_simulator_u(const pcs_simulator *sim)
{
    return sim ? sim->u : NULL;
}
