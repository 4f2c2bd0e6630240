// percuss as an engine of bench_scenes.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <percuss/kernel.h>

#include "engine.h"
#include "scenes/bodies_model.h"

typedef struct world {
    pcs_model *m;
    pcs_state *st;
    pcs_work *wk;
    int n;
    size_t held; // bytes
} world;

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
    world *w = self;
    if (!w) return;
    pcs_work_destroy(w->wk);
    pcs_state_destroy(w->st);
    pcs_model_destroy(w->m);
    free(w);
}

static pcs_status fill(world *w, const bodies *s, const engine_options *o)
{
    pcs_scheme scheme = bodies_scheme(o->tol);
    scheme.accept_unconverged = true;
    scheme.threads = o->threads;
    if (o->iterations > 0) scheme.solver.max_iters = o->iterations;
    const pcs_env env = {
        .alloc = counted_alloc, .release = counted_release, .alloc_user = &w->held};
    PCS_TRY(bodies_model(&env, s, &scheme, &w->m));
    PCS_TRY(pcs_state_create(w->m, &w->st));
    return pcs_work_create(w->m, &w->wk);
}

static void *create(const bodies *s, const engine_options *o)
{
    world *w = calloc(1, sizeof *w);
    if (!w) return NULL;
    w->n = s->n;
    if (fill(w, s, o) != PCS_OK) {
        fprintf(stderr, "percuss: %s\n", pcs_error_text());
        destroy(w);
        return NULL;
    }
    return w;
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
    world *w = self;
    pcs_step_report r;
    *out = (engine_step){0};
    if (pcs_step(w->m, w->st, w->wk, h, &r) != PCS_OK) {
        fprintf(stderr, "percuss: %s\n", pcs_error_text());
        return false;
    }
    out->contacts = r.candidates;
    out->active = r.active;
    out->iterations = r.solve.iters;
    out->finish = r.finish_iters;
    out->islands = r.islands;
    out->largest = r.largest_island;
    out->projections = r.projection_iters;
    out->projected = r.projection_residual;
    out->residual = r.solve.measure.residual;
    out->violation = r.violation_after;
    out->good = r.outcome == PCS_CONVERGED;
    out->words = pcs_outcome_text(r.outcome);
    tell_times(&r.times, out);
    if (!r.committed) fprintf(stderr, "percuss: a step ended %s\n", out->words);
    return r.committed;
}

static void read(void *self, double *q, double *v)
{
    world *w = self;
    memset(v, 0, 6 * (size_t)w->n * sizeof *v);
    for (int i = 0; i < w->n; ++i) {
        const pcs_system system = {i + 1};
        const double *qi = pcs_state_q(w->m, w->st, system), *vi = pcs_state_v(w->m, w->st, system);
        memcpy(q + 7 * (size_t)i, qi, 7 * sizeof *q);
        if (vi) memcpy(v + 6 * (size_t)i, vi, 6 * sizeof *v);
    }
}

static void write(void *self, const double *q, const double *v)
{
    world *w = self;
    for (int i = 0; i < w->n; ++i) {
        const pcs_system system = {i + 1};
        double *qi = pcs_state_q(w->m, w->st, system), *vi = pcs_state_v(w->m, w->st, system);
        memcpy(qi, q + 7 * (size_t)i, 7 * sizeof *q);
        if (vi) memcpy(vi, v + 6 * (size_t)i, 6 * sizeof *v);
    }
}

static size_t bytes(void *self, size_t *spare)
{
    const world *w = self;
    const size_t demand = pcs_work_demand(w->wk), work = pcs_work_bytes(w->wk);
    *spare = work > demand ? work - demand : 0;
    return w->held;
}

static unsigned long long hash(void *self)
{
    return pcs_state_hash(((world *)self)->st);
}

const engine engine_percuss = {.name = "percuss",
                               .create = create,
                               .destroy = destroy,
                               .step = step,
                               .read = read,
                               .write = write,
                               .bytes = bytes,
                               .hash = hash};
