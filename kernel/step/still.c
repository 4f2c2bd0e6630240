// Bodies that sleep keep their poses to the bit, and a search finds the features of the last one
// with the same gaps and rows. They are kept in the work with what they depend on: the number of
// changes of the model, the coordinates of the systems, and how far the search of each pair
// reached. Whatever differs is found anew, so a work may serve other states in between. Only
// schemes that let bodies sleep keep them.
#include "step/still.h"

#include <string.h>

static int smaller(const int pair[2])
{
    return pair[0] < pair[1] ? pair[0] : pair[1];
}

static bool pair_before(const int a[2], const int b[2])
{
    const int a0 = smaller(a), b0 = smaller(b);
    return a0 < b0 || (a0 == b0 && a[0] + a[1] - a0 < b[0] + b[1] - b0);
}

static bool keeps(const trial *t)
{
    return t->m->scheme.sleep && !t->work->always_searches;
}

pcs_status still_begin(const trial *t, pcs_arena *mem, const bool **same)
{
    const pcs_model *m = t->m;
    const step_still *s = &t->work->still;
    *same = NULL;
    if (!keeps(t) || !s->known || s->changes != model_changes(m)) return PCS_OK;
    bool *is = PCS_TAKE(mem, (size_t)m->n_systems, bool);
    if (!is) return pcs_fail_memory("step: contact detection");
    for (int i = 0; i < m->n_systems; ++i) {
        const model_system *of = &m->system[i];
        is[i] = !skips(t, i) &&
                memcmp(s->q + of->q_at, t->st->q + of->q_at, (size_t)of->nq * sizeof *s->q) == 0;
    }
    *same = is;
    return PCS_OK;
}

double still_extra(double extra)
{
    int exponent;
    frexp(extra, &exponent); // extra < 2^exponent
    return ldexp(1, 4 * (exponent > 0 ? (exponent + 3) / 4 : exponent / 4));
}

int still_find(const step_still *s, const int pair[2], double reach, int *cursor)
{
    if (*cursor < 0) {
        int low = 0, high = s->n_pairs;
        while (low < high) {
            const int mid = low + (high - low) / 2;
            if (pair_before(s->pair[mid], pair)) {
                low = mid + 1;
            } else {
                high = mid;
            }
        }
        *cursor = low;
    }
    while (*cursor < s->n_pairs && pair_before(s->pair[*cursor], pair)) {
        *cursor += 1;
    }
    if (*cursor == s->n_pairs || pair_before(pair, s->pair[*cursor])) return -1;
    return s->reach[*cursor] == reach ? *cursor : -1;
}

// memory, *fresh where it is new; on failure nothing is kept
static bool reserve(const pcs_model *m, int n_pairs, int n, step_still *s, bool *fresh)
{
    *fresh = !s->q || n_pairs > s->pair_room || n > s->room;
    if (!*fresh) return true;
    const pcs_env *env = &m->env;
    const int pairs = n_pairs + n_pairs / 4 + 8, features = n + n / 4 + 8;
    still_release(env, s);
    s->pair = pcs_env_alloc(env, (size_t)pairs, sizeof *s->pair);
    s->start = pcs_env_alloc(env, (size_t)pairs + 1, sizeof *s->start);
    s->reach = pcs_env_alloc(env, (size_t)pairs, sizeof *s->reach);
    s->f = pcs_env_alloc(env, (size_t)features, sizeof *s->f);
    s->place = pcs_env_alloc(env, (size_t)features, sizeof *s->place);
    s->q = pcs_env_alloc(env, (size_t)m->nq, sizeof *s->q);
    if (!s->pair || !s->start || !s->reach || !s->f || !s->place || !s->q) {
        still_release(env, s);
        return false;
    }
    s->pair_room = pairs;
    s->room = features;
    s->q_room = m->nq;
    return true;
}

void still_keep(const trial *t, const touches *near, int first)
{
    const pcs_model *m = t->m;
    step_still *s = &t->work->still;
    bool fresh;
    s->known = false;
    if (!keeps(t) || !reserve(m, near->n_pairs, near->n, s, &fresh)) return;
    for (int i = 0, k = 0; i < near->n_pairs; ++i) {
        memcpy(s->pair[i], near->pair[i], sizeof *s->pair);
        s->start[i] = k;
        s->reach[i] = near->reach[i];
        while (k < near->n && near->pair_of[k] == i) {
            k += 1;
        }
    }
    s->start[near->n_pairs] = near->n;
    for (int k = 0; k < near->n; ++k) {
        s->hits += near->from && near->from[k] >= 0;
        if (!fresh && near->from && near->from[k] == k) continue; // still there
        const candidate *c = &t->list.c[first + k];
        s->f[k] = near->f[k];
        s->place[k] = (still_place){.k = t->list.k[first + k], .g = c->g[0]};
        v3_copy(c->P1, s->place[k].P1);
        v3_copy(c->P2, s->place[k].P2);
    }
    for (int k = 0; k < t->n_runs; ++k) {
        const trial_run *run = &t->run[k];
        memcpy(s->q + run->q, t->st->q + run->q, (size_t)run->nq * sizeof *s->q);
    }
    s->n_pairs = near->n_pairs;
    s->changes = model_changes(m);
    s->known = true;
}

void still_release(const pcs_env *env, step_still *s)
{
    pcs_env_free(env, s->pair);
    pcs_env_free(env, s->start);
    pcs_env_free(env, s->reach);
    pcs_env_free(env, s->f);
    pcs_env_free(env, s->place);
    pcs_env_free(env, s->q);
    *s = (step_still){.hits = s->hits};
}

size_t still_bytes(const step_still *s)
{
    return (size_t)s->pair_room * (sizeof *s->pair + sizeof *s->start + sizeof *s->reach) +
           (size_t)s->room * (sizeof *s->f + sizeof *s->place) + (size_t)s->q_room * sizeof *s->q;
}
