// percuss as an engine of bench_scenes.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks/run_tally.h"
#include "engine.h"
#include "scene_list.h"
#include "scenes/bodies_model.h"

typedef struct counted {
    simulation s;
    run_tally tally;
    size_t held; // bytes
} counted;

// malloc with the size in front, so that the bytes held can be counted
static void *counted_alloc(size_t bytes, void *user)
{
    size_t *p = malloc(bytes + 16);
    if (!p) return NULL;
    p[0] = bytes;
    *(size_t *)user += bytes;
    return p + 2;
}

static void counted_release(void *pointer, void *user)
{
    if (!pointer) return;
    size_t *p = (size_t *)pointer - 2;
    *(size_t *)user -= p[0];
    free(p);
}

static void destroy(void *self)
{
    counted *c = self;
    if (c) simulation_close(&c->s);
    free(c);
}

static counted *open_model(const engine_options *o, double size)
{
    counted *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    pcs_scheme scheme = pcs_scheme_dense(o->tol, size);
    scheme.accept_unconverged = true;
    if (o->iterations > 0) scheme.solver.max_iters = o->iterations;
    const pcs_env env = {
        .alloc = counted_alloc, .release = counted_release, .alloc_user = &c->held};
    if (pcs_scene_create(&env, &c->s.scene) == PCS_OK &&
        pcs_model_set_scheme(c->s.scene->model, &scheme) == PCS_OK) {
        return c;
    }
    destroy(c);
    return NULL;
}

// the model is complete
static void *start(counted *c, const engine_options *o, pcs_status status)
{
    if (status == PCS_OK) status = simulation_start(&c->s, o->threads);
    if (status == PCS_OK) {
        status =
            (pcs_status)run_tally_step(&c->tally, c->s.scene->model, c->s.state, c->s.work, NULL);
    }
    if (status == PCS_OK) return c;
    fprintf(stderr, "percuss: %s\n", pcs_error_text());
    destroy(c);
    return NULL;
}

static void *create(const bodies *s, const engine_options *o)
{
    counted *c = open_model(o, s->size);
    if (!c) return NULL;
    pcs_status status = pcs_model_set_gravity(c->s.scene->model, s->gravity);
    if (status == PCS_OK) status = bodies_build(s, c->s.scene->model);
    return start(c, o, status);
}

static void *create_model(const model_scene *s, const engine_options *o)
{
    counted *c = open_model(o, s->size);
    return c ? start(c, o, s->build(&c->s)) : NULL;
}

static const simulation *simulation_of(const void *self)
{
    return &((const counted *)self)->s;
}

static const run_tally *tally_of(const void *self)
{
    return &((const counted *)self)->tally;
}

static void tell_times(const pcs_step_times *t, engine_step *out)
{
    const char *const name[] = {"detect", "solve", "project", "rest"};
    const double rest = t->total - t->detect - t->solve - t->project;
    const double seconds[] = {t->detect, t->solve, t->project, rest};
    if (!(t->total > 0)) return;
    out->stages = 4;
    for (int i = 0; i < out->stages; ++i) {
        out->stage[i] = name[i];
        out->seconds[i] = seconds[i];
    }
}

static bool step(void *self, double h, engine_step *out)
{
    counted *c = self;
    pcs_step_report report;
    const pcs_step_report *r = &report;
    *out = (engine_step){0};
    if (pcs_step(c->s.scene->model, c->s.state, c->s.work, h, &report) != PCS_OK) {
        fprintf(stderr, "percuss: %s\n", pcs_error_text());
        return false;
    }
    if (r->committed) run_tally_step(&c->tally, c->s.scene->model, c->s.state, c->s.work, r);
    out->contacts = r->candidates;
    out->active = r->active;
    out->iterations = r->solve.iters;
    out->finish = r->finish_iters;
    out->islands = r->islands;
    out->largest = r->largest_island;
    out->projections = r->projection_iters;
    out->projected = r->projection_residual;
    out->residual = r->solve.measure.residual;
    out->violation = r->violation_after;
    out->good = r->outcome == PCS_OUTCOME_CONVERGED;
    out->words = pcs_outcome_text(r->outcome);
    tell_times(&r->times, out);
    if (!r->committed) fprintf(stderr, "percuss: a step ended %s\n", out->words);
    return r->committed;
}

static void read(void *self, double *q, double *v)
{
    const simulation *s = simulation_of(self);
    const int n = pcs_model_system_count(s->scene->model);
    memset(v, 0, 6 * (size_t)n * sizeof *v);
    for (int i = 0; i < n; ++i) {
        const pcs_system system = {i + 1};
        const double *qi = pcs_state_q(s->scene->model, s->state, system);
        const double *vi = pcs_state_v(s->scene->model, s->state, system);
        memcpy(q + 7 * (size_t)i, qi, 7 * sizeof *q);
        if (vi) memcpy(v + 6 * (size_t)i, vi, 6 * sizeof *v);
    }
}

static void write(void *self, const double *q, const double *v)
{
    const simulation *s = simulation_of(self);
    const int n = pcs_model_system_count(s->scene->model);
    for (int i = 0; i < n; ++i) {
        const pcs_system system = {i + 1};
        double *qi = pcs_state_q(s->scene->model, s->state, system);
        double *vi = pcs_state_v(s->scene->model, s->state, system);
        memcpy(qi, q + 7 * (size_t)i, 7 * sizeof *q);
        if (vi) memcpy(vi, v + 6 * (size_t)i, 6 * sizeof *v);
    }
}

static size_t bytes(void *self, size_t *spare)
{
    const counted *c = self;
    const size_t demand = pcs_work_step_bytes(c->s.work), work = pcs_work_held(c->s.work);
    *spare = work > demand ? work - demand : 0;
    return c->held;
}

static unsigned long long hash(void *self)
{
    return pcs_state_hash(simulation_of(self)->state);
}

const engine engine_percuss = {"percuss", 0,     create, destroy,      step,          read,
                               write,     bytes, hash,   create_model, simulation_of, tally_of};
