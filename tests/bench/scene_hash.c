// A hash of the state at the end of a scene; see scene_hash.h.
#include "scene_hash.h"

#include <stdlib.h>

#include "scenes/simulation.h"

static const engine *const e = &engine_percuss;

// x and v have room for all bodies
static bool advance(const course *c, void *self, int from, int to, double *x, double *v)
{
    for (int k = from; k < to; ++k) {
        if (k == c->perturb_at) {
            e->read(self, x, v);
            bodies_perturb(c->s, x, v);
            e->write(self, x, v);
        }
        const simulation *s = e->simulation(self);
        pcs_step_report report;
        if (pcs_step(s->scene->model, s->state, s->work, c->h, &report) != PCS_OK) return false;
        if (!report.committed) return false;
    }
    return true;
}

static bool load(const pcs_state *from, pcs_state *to)
{
    const size_t size = pcs_state_save_bytes(from);
    void *bytes = malloc(size);
    if (!bytes) return false;
    pcs_state_save(from, bytes);
    const pcs_status status = pcs_state_load(to, bytes, size);
    free(bytes);
    return status == PCS_OK;
}

enum { STRAIGHT, RESTART, BRANCH, WAYS };

bool scene_hash(const char *name, const course *c, const engine_options *o, int steps,
                unsigned long long *hash)
{
    const char *const words[] = {"straight", "saved and loaded", "copied"};
    void *run[WAYS] = {0};
    double *x = NULL, *v = NULL;
    bool good = true;
    for (int i = 0; i < WAYS && good; ++i) {
        run[i] = c->s ? e->create(c->s, o) : e->create_model(c->m, o);
        good = run[i] != NULL;
    }
    if (good) {
        const size_t n = (size_t)pcs_model_system_count(e->simulation(run[0])->scene->model);
        x = calloc(7 * n + 1, sizeof *x);
        v = calloc(6 * n + 1, sizeof *v);
        good = x && v && advance(c, run[STRAIGHT], 0, steps / 2, x, v);
    }
    if (good) {
        const pcs_state *half = e->simulation(run[STRAIGHT])->state;
        good = load(half, e->simulation(run[RESTART])->state) &&
               pcs_state_copy(half, e->simulation(run[BRANCH])->state) == PCS_OK;
    }
    for (int i = 0; i < WAYS && good; ++i) {
        good = advance(c, run[i], steps / 2, steps, x, v);
    }
    if (!good) fprintf(stderr, "%s: a run failed\n", name);
    for (int i = 0; i < WAYS && good; ++i) {
        const unsigned long long now = e->hash(run[i]);
        if (i == 0) *hash = now;
        if (now == *hash) continue;
        fprintf(stderr, "%s: the run that was %s ended in %016llx, the straight one in %016llx\n",
                name, words[i], now, *hash);
        good = false;
    }
    for (int i = 0; i < WAYS; ++i) {
        e->destroy(run[i]);
    }
    free(x);
    free(v);
    return good;
}
