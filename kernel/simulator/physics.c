// Physics for the simulator: an integrator of smooth systems, or steps of a model with contact.
#include <percuss/simulator.h>

#include "base/base.h"

#include <string.h>

void pcs_physics_release(pcs_physics *physics)
{
    if (!physics) return;
    if (physics->release) physics->release(physics->user);
    *physics = (pcs_physics){0};
}

// ---- a smooth system

typedef struct smooth_physics {
    pcs_env env;
    pcs_controlled system; // the system, if it is a controlled one
    pcs_integrator *run;
    int n, m;
    double *u;   // the command that f reads
    double *own; // u, if it belongs to the physics
    bool started;
} smooth_physics;

static int rates(void *user, double t, const double *x, double *xdot)
{
    const smooth_physics *p = user;
    return p->system.f(p->system.user, t, x, p->u, xdot);
}

static int project(void *user, double t, double *x)
{
    const smooth_physics *p = user;
    return p->system.project(p->system.user, t, x);
}

static pcs_status smooth_advance(void *user, double t, double t_next, const double *u, double *x)
{
    smooth_physics *p = user;
    const size_t n = (size_t)p->n, m = (size_t)p->m;
    const bool told = m > 0 && memcmp(p->u, u, m * sizeof *u) != 0;
    if (told) memcpy(p->u, u, m * sizeof *u);
    const bool goes_on = p->started && pcs_integrator_t(p->run) == t;
    // after a failure the state of the integrator is undefined: the next call restarts it
    p->started = false;
    if (!goes_on) {
        PCS_TRY(pcs_integrator_start(p->run, t, x));
    } else if (told || memcmp(pcs_integrator_x(p->run), x, n * sizeof *x) != 0) {
        // f has changed: its stored value at t no longer holds
        PCS_TRY(pcs_integrator_jump(p->run, x));
    }
    PCS_TRY(pcs_integrator_advance(p->run, t_next, NULL));
    p->started = true;
    memcpy(x, pcs_integrator_x(p->run), n * sizeof *x);
    return PCS_OK;
}

static void smooth_release(void *user)
{
    smooth_physics *p = user;
    const pcs_env env = p->env;
    pcs_integrator_destroy(p->run);
    pcs_env_free(&env, p->own);
    pcs_env_free(&env, p);
}

static pcs_status make(const pcs_env *env, const pcs_ode *ode, const pcs_ode_opts *opts,
                       smooth_physics *p, pcs_physics *out)
{
    const pcs_status status = pcs_integrator_create(env, ode, opts, &p->run);
    if (status != PCS_OK) {
        smooth_release(p);
        return status;
    }
    p->n = ode->n;
    *out = (pcs_physics){
        .n = p->n, .m = p->m, .advance = smooth_advance, .release = smooth_release, .user = p};
    return PCS_OK;
}

static smooth_physics *room(const pcs_env *env, int m, bool own)
{
    smooth_physics *p = pcs_env_alloc(env, 1, sizeof *p);
    if (!p) return NULL;
    if (env) p->env = *env;
    p->m = m;
    if (own) {
        p->u = p->own = pcs_env_alloc(env, (size_t)m + 1, sizeof *p->u);
        if (!p->own) {
            smooth_release(p);
            return NULL;
        }
    }
    return p;
}

pcs_status pcs_physics_of_system(const pcs_env *env, const pcs_controlled *system,
                                 const pcs_ode_opts *opts, pcs_physics *out)
{
    if (!system || !out || !system->f || system->m < 0) {
        return pcs_fail(PCS_ERR_ARG, "pcs_physics_of_system: system, system->f and out must not be "
                                     "null, and m >= 0");
    }
    *out = (pcs_physics){0};
    smooth_physics *p = room(env, system->m, true);
    if (!p) return pcs_fail_memory("pcs_physics_of_system");
    p->system = *system;
    const pcs_ode ode = {
        .n = system->n, .f = rates, .project = system->project ? project : NULL, .user = p};
    return make(env, &ode, opts, p, out);
}

pcs_status pcs_physics_of_ode(const pcs_env *env, const pcs_ode *ode, const pcs_ode_opts *opts,
                              int m, double *command, pcs_physics *out)
{
    if (!ode || !out || m < 0 || (m > 0 && !command)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_physics_of_ode: ode, out and (with m > 0) command must "
                                     "not be null, and m >= 0");
    }
    *out = (pcs_physics){0};
    smooth_physics *p = room(env, m, false);
    if (!p) return pcs_fail_memory("pcs_physics_of_ode");
    p->u = command;
    return make(env, ode, opts, p, out);
}

// ---- a model

typedef struct model_physics {
    pcs_env env;
    const pcs_model *model;
    pcs_state *state;
    pcs_work *work;
    int m;
    double *command;
} model_physics;

static pcs_status model_advance(void *user, double t, double t_next, const double *u, double *x)
{
    model_physics *p = user;
    pcs_state *s = p->state;
    memcpy(s->q, x, (size_t)s->nq * sizeof *x);
    if (s->nv > 0) memcpy(s->v, x + s->nq, (size_t)s->nv * sizeof *x);
    if (p->m > 0) memcpy(p->command, u, (size_t)p->m * sizeof *u);
    s->t = t;
    pcs_step_report report;
    PCS_TRY(pcs_step(p->model, s, p->work, t_next - t, &report));
    if (!report.committed) {
        return pcs_fail(PCS_ERR_STEP,
                        "physics: the step of the model from t = %.9g to %.9g ended as %s and was "
                        "not committed",
                        t, t_next, pcs_outcome_text(report.outcome));
    }
    s->t = t_next;
    memcpy(x, s->q, (size_t)s->nq * sizeof *x);
    if (s->nv > 0) memcpy(x + s->nq, s->v, (size_t)s->nv * sizeof *x);
    return PCS_OK;
}

static void model_release(void *user)
{
    model_physics *p = user;
    const pcs_env env = p->env;
    pcs_env_free(&env, p);
}

pcs_status pcs_physics_of_model(const pcs_env *env, const pcs_model *model, pcs_state *state,
                                pcs_work *work, int m, double *command, pcs_physics *out)
{
    if (!model || !state || !work || !out || m < 0 || (m > 0 && !command)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_physics_of_model: model, state, work, out and (with "
                                     "m > 0) command must not be null");
    }
    *out = (pcs_physics){0};
    if (state->nq != pcs_model_nq(model) || state->nv != pcs_model_nv(model) || state->nq < 1) {
        return pcs_fail(PCS_ERR_SIZE,
                        "pcs_physics_of_model: the state has %d coordinates, the model %d; it must "
                        "be a state of this model, of at least one system",
                        state->nq, pcs_model_nq(model));
    }
    model_physics *p = pcs_env_alloc(env, 1, sizeof *p);
    if (!p) return pcs_fail_memory("pcs_physics_of_model");
    if (env) p->env = *env;
    p->model = model;
    p->state = state;
    p->work = work;
    p->m = m;
    p->command = command;
    *out = (pcs_physics){.n = state->nq + state->nv,
                         .m = m,
                         .advance = model_advance,
                         .release = model_release,
                         .user = p};
    return PCS_OK;
}
