// percuss as an engine of bench_scenes.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "scene_list.h"
#include "scenes/bodies_model.h"

typedef struct counted {
    world w;
    size_t held; // bytes
} counted;

// malloc with the size in front, so that what is held can be counted
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
    if (c) world_close(&c->w);
    free(c);
}

static pcs_status open_world(counted *c, const engine_options *o, pcs_scheme scheme, double gravity)
{
    scheme.accept_unconverged = true;
    if (o->iterations > 0) scheme.solver.max_iters = o->iterations;
    const pcs_env env = {
        .alloc = counted_alloc, .release = counted_release, .alloc_user = &c->held};
    PCS_TRY(world_open(&c->w, &env, &scheme, gravity));
    c->w.threads = o->threads;
    return PCS_OK;
}

static void *created(counted *c, pcs_status status)
{
    if (c && status == PCS_OK) return c;
    fprintf(stderr, "percuss: %s\n", c ? pcs_error_text() : "out of memory");
    destroy(c);
    return NULL;
}

static void *create(const bodies *s, const engine_options *o)
{
    counted *c = calloc(1, sizeof *c);
    if (!c) return created(NULL, PCS_ERR_MEMORY);
    pcs_status status = open_world(c, o, pcs_scheme_dense(o->tol, s->size), -s->gravity[2]);
    if (status == PCS_OK) status = world_bodies(&c->w, s);
    return created(c, status);
}

static void *create_model(const model_scene *s, const engine_options *o)
{
    counted *c = calloc(1, sizeof *c);
    if (!c) return created(NULL, PCS_ERR_MEMORY);
    pcs_status status = open_world(c, o, pcs_scheme_dense(o->tol, s->size), s->gravity);
    if (status == PCS_OK) status = s->build(&c->w);
    return created(c, status);
}

static const world *world_of(const void *self)
{
    return &((const counted *)self)->w;
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
    world *w = &((counted *)self)->w;
    const pcs_step_report *r = &w->report;
    *out = (engine_step){0};
    if (world_step(w, h) != PCS_OK) {
        fprintf(stderr, "percuss: %s\n", pcs_error_text());
        return false;
    }
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
    const world *w = world_of(self);
    const int n = pcs_model_system_count(w->model);
    memset(v, 0, 6 * (size_t)n * sizeof *v);
    for (int i = 0; i < n; ++i) {
        const pcs_system system = {i + 1};
        const double *qi = pcs_state_q(w->model, w->state, system);
        const double *vi = pcs_state_v(w->model, w->state, system);
        memcpy(q + 7 * (size_t)i, qi, 7 * sizeof *q);
        if (vi) memcpy(v + 6 * (size_t)i, vi, 6 * sizeof *v);
    }
}

static void write(void *self, const double *q, const double *v)
{
    const world *w = world_of(self);
    const int n = pcs_model_system_count(w->model);
    for (int i = 0; i < n; ++i) {
        const pcs_system system = {i + 1};
        double *qi = pcs_state_q(w->model, w->state, system);
        double *vi = pcs_state_v(w->model, w->state, system);
        memcpy(qi, q + 7 * (size_t)i, 7 * sizeof *q);
        if (vi) memcpy(vi, v + 6 * (size_t)i, 6 * sizeof *v);
    }
}

static size_t bytes(void *self, size_t *spare)
{
    const counted *c = self;
    const size_t demand = pcs_work_step_bytes(c->w.work), work = pcs_work_held(c->w.work);
    *spare = work > demand ? work - demand : 0;
    return c->held;
}

static unsigned long long hash(void *self)
{
    return pcs_state_hash(world_of(self)->state);
}

const engine engine_percuss = {.name = "percuss",
                               .create = create,
                               .destroy = destroy,
                               .step = step,
                               .read = read,
                               .write = write,
                               .bytes = bytes,
                               .hash = hash,
                               .create_model = create_model,
                               .world = world_of};
