// Who touches whom, and where: candidates for contact at q_k with their gaps, rows and velocities,
// and the interactions of the model beside them.
#include "step/step.h"

#include <string.h>

#include "collide/broad.h"
#include "collide/collide.h"
#include "laws/law.h"
#include "linalg/m3.h"
#include "model/filter.h"
#include "rotation/pose.h"

// ---- the list ---------------------------------------------------------------------------------

// where the five row vectors of a candidate are
static void take_own(candidate *c)
{
    c->g = c->own;
    c->g_end = c->own + 3;
    c->u_k = c->own + 6;
    c->r = c->own + 9;
    c->u = c->own + 12;
}

// a new candidate at the end of the list with room for its rows, or null
static candidate *add(trial *t, int dim, pcs_arena *mem)
{
    candidates *list = &t->list;
    if (list->n == list->cap) {
        const int cap = 2 * list->cap + 16;
        candidate *bigger = PCS_TAKE(mem, (size_t)cap, candidate);
        bodies_block *blocks = PCS_TAKE(mem, (size_t)cap, bodies_block);
        if (!bigger || !blocks) return NULL;
        for (int i = 0; i < list->n; ++i) {
            bigger[i] = list->c[i];
            blocks[i] = list->k[i];
            if (bigger[i].dim <= 3) take_own(&bigger[i]);
        }
        list->c = bigger;
        list->k = blocks;
        list->cap = cap;
    }
    candidate *c = &list->c[list->n];
    *c = (candidate){.dim = dim, .interaction = -1, .sys1 = -1, .sys2 = -1};
    take_own(c);
    if (dim > 3) {
        double *rows = PCS_TAKE(mem, 5 * (size_t)dim, double);
        if (!rows) return NULL;
        memset(rows, 0, 5 * (size_t)dim * sizeof *rows);
        c->g = rows;
        c->g_end = rows + dim;
        c->u_k = rows + 2 * (size_t)dim;
        c->r = rows + 3 * (size_t)dim;
        c->u = rows + 4 * (size_t)dim;
    }
    list->n += 1;
    return c;
}

// its cone block but for the rows
static bodies_block *add_block(trial *t, const candidate *c)
{
    const pcs_model *m = t->m;
    bodies_block *k = &t->list.k[t->list.n - 1];
    *k = (bodies_block){.cone = candidate_cone(c), .dim = c->dim, .sys = {-1, -1}};
    if (k->cone == PCS_COULOMB) k->mu = c->law.mu;
    if (system_moves(m, c->sys1)) k->sys[0] = m->system[c->sys1].block;
    if (system_moves(m, c->sys2)) k->sys[1] = m->system[c->sys2].block;
    return k;
}

// velocities at the start, and what the last step remembers
static void complete(const trial *t, candidate *c, const bodies_block *k)
{
    bodies_block_velocity(k, t->m->block_start, t->rotation_k, t->st->v, c->u_k);
    for (int i = 0; c->drive_k && i < c->dim; ++i) {
        c->u_k[i] += c->drive_k[i];
    }
    if (t->st->memory->n == 0) return;

    contact_key key = c->key;
    if (remembers_force(c)) {
        // the impulse is remembered in space: its frame may have turned since
        const remembered *r = state_recall(t->st, key);
        if (!r) return;
        m3_mul_t(k->F, r->r, c->guess);
        c->was_active = r->active != 0;
        return;
    }
    for (int i = 0; i < c->dim && i < 3; ++i) {
        if (c->interaction >= 0) key.feature = (unsigned)(c->row + i);
        const remembered *r = state_recall(t->st, key);
        if (!r) continue;
        c->guess[i] = r->r[0];
        c->was_active |= r->active != 0;
    }
}

static pcs_status add_interaction(trial *t, int i, int row, int dim, pcs_arena *mem)
{
    const pcs_model *m = t->m;
    const pcs_interaction_def *def = &m->interaction[i];
    candidate *c = add(t, dim, mem);
    if (!c) return pcs_fail_memory("step: an interaction");
    c->interaction = i;
    c->row = row;
    c->key = (contact_key){-1, i, (unsigned)row};
    c->sys1 = def->system1.id - 1;
    c->sys2 = def->system2.id - 1;
    c->law = def->law;
    bodies_block *k = add_block(t, c);
    for (int side = 0; side < 2; ++side) {
        const int system = side == 0 ? c->sys1 : c->sys2;
        if (!system_moves(m, system)) continue;
        c->J[side] = PCS_TAKE(mem, (size_t)dim * (size_t)m->system[system].nv, double);
        if (!c->J[side]) return pcs_fail_memory("step: an interaction");
        k->rows[side] = c->J[side];
    }
    PCS_TRY(candidate_gap(m, c, t->st->q, *mem, c->g));
    PCS_TRY(candidate_block(m, c, t->st->q, false, *mem, k, NULL));
    PCS_TRY(candidate_drive(t, c, k, t->st->q, mem));
    complete(t, c, k);
    return PCS_OK;
}

static bool is_disabled(const pcs_model *m, int system)
{
    return system >= 0 && m->system[system].disabled;
}

static pcs_status add_interactions(trial *t, pcs_arena *mem)
{
    const pcs_model *m = t->m;
    for (int i = 0; i < m->n_interactions; ++i) {
        const pcs_interaction_def *def = &m->interaction[i];
        if (is_disabled(m, def->system1.id - 1) || is_disabled(m, def->system2.id - 1)) continue;
        if (def->law.kind == PCS_LAW_EQUALITY || law_has_friction(&def->law)) {
            PCS_TRY(add_interaction(t, i, 0, def->relation.dim, mem));
            continue;
        }
        // without friction only the normal row of a frame is left
        if (def->law.kind == PCS_LAW_NEWTON_COULOMB) {
            PCS_TRY(add_interaction(t, i, 0, 1, mem));
            continue;
        }
        for (int row = 0; row < def->relation.dim; ++row) {
            PCS_TRY(add_interaction(t, i, row, 1, mem));
        }
    }
    return PCS_OK;
}

static pcs_status add_contact(trial *t, int shape1, int shape2, const pcs_feature *f,
                              pcs_arena *mem)
{
    const pcs_model *m = t->m;
    pcs_law law;
    PCS_TRY(law_between(m, &t->laws, m->shape[shape1].material, m->shape[shape2].material, &law));
    const bool friction = law_has_friction(&law);
    candidate *c = add(t, friction ? 3 : 1, mem);
    if (!c) return pcs_fail_memory("step: a contact");
    c->law = law;
    c->key = (contact_key){shape1, shape2, f->id};
    c->sys1 = m->shape[shape1].system;
    c->sys2 = m->shape[shape2].system;
    c->feature = *f;

    bodies_block *k = add_block(t, c);
    pcs_gap gap;
    PCS_TRY(candidate_block(m, c, t->st->q, false, *mem, k, &gap));
    c->g[0] = gap.g;
    v3_copy(gap.P1, c->P1);
    PCS_TRY(candidate_drive(t, c, k, t->st->q, mem));
    complete(t, c, k);
    return PCS_OK;
}

// ---- pairs of shapes --------------------------------------------------------------------------

// all pairs whose bounds, fattened by reach, overlap at q
static pcs_status find_pairs(const trial *t, const double *q, double extra, bool with_reach,
                             pcs_arena *mem, int (**pair)[2], int *n_pairs)
{
    const pcs_model *m = t->m;
    collide_item *item = PCS_TAKE(mem, (size_t)m->n_shapes, collide_item);
    if (!item) return pcs_fail_memory("step: contact detection");
    for (int i = 0; i < m->n_shapes; ++i) {
        const int system = m->shape[i].system;
        const double reach = extra + (with_reach && system >= 0 ? t->reach[system] : 0);
        item[i] =
            (collide_item){.body = system + 1, .movable = system_moves(m, system), .shape = i};
        collide_bounds(&m->shape[i].shape, system_q(m, system, q), reach, item[i].low, item[i].high,
                       &item[i].unbounded);
        if (is_disabled(m, system)) {
            item[i].low[0] = NAN; // meets nothing
            item[i].unbounded = false;
        }
    }

    PCS_TRY(collide_pairs(item, m->n_shapes, mem, pair, n_pairs));
    return filter_pairs(m, *pair, n_pairs);
}

// room for the features of one pair, as much as any pair has needed yet
typedef struct features {
    pcs_feature *at;
    int n, capacity;
} features;

// features of one pair; shape1 is the one that moves when the other cannot
static pcs_status touch(const trial *t, const double *q, double reach, pcs_arena *mem, int *shape1,
                        int *shape2, features *f)
{
    const pcs_model *m = t->m;
    if (!system_moves(m, m->shape[*shape1].system)) {
        const int other = *shape1;
        *shape1 = *shape2;
        *shape2 = other;
    }
    const model_shape *a = &m->shape[*shape1], *b = &m->shape[*shape2];
    const double *qa = system_q(m, a->system, q), *qb = system_q(m, b->system, q);
    for (int wanted = PCS_FEATURES_MAX;; wanted = 2 * f->n) {
        if (wanted > f->capacity) {
            f->at = PCS_TAKE(mem, (size_t)wanted, pcs_feature);
            if (!f->at) return pcs_fail_memory("step: contact detection");
            f->capacity = wanted;
        }
        f->n = pcs_collide(&a->shape, qa, &b->shape, qb, reach, f->capacity, f->at);
        if (f->n <= f->capacity) return PCS_OK;
    }
}

// how far the surface of a shape moves within the step where it may meet the other one. A
// half-space goes on for ever: its turn counts by the distance of the other shape
static double reach_of(const trial *t, int shape, int other)
{
    const model_shape *a = &t->m->shape[shape], *b = &t->m->shape[other];
    if (a->system < 0) return 0;
    const double reach = t->reach[a->system], turn = t->turn[a->system];
    if (a->shape.kind != PCS_HALF_SPACE || turn == 0) return reach;

    double at[3], lever[3];
    pose_point(system_q(t->m, b->system, t->st->q), b->shape.position, at);
    v3_sub(at, system_q(t->m, a->system, t->st->q), lever);
    return reach + turn * (v3_norm(lever) + shape_radius(&b->shape));
}

pcs_status step_detect(trial *t, double extra, pcs_arena *mem)
{
    PCS_TRY(add_interactions(t, mem));
    if (t->m->n_shapes == 0) return PCS_OK;

    int(*pair)[2], n = 0;
    PCS_TRY(find_pairs(t, t->st->q, extra, true, mem, &pair, &n));
    features f = {0};
    for (int i = 0; i < n; ++i) {
        int a = pair[i][0], b = pair[i][1];
        const double reach = extra + reach_of(t, a, b) + reach_of(t, b, a);
        PCS_TRY(touch(t, t->st->q, reach, mem, &a, &b, &f));
        for (int k = 0; k < f.n; ++k) {
            PCS_TRY(add_contact(t, a, b, &f.at[k], mem));
        }
    }
    return PCS_OK;
}

// The candidate of a key, or null. Contacts are found in the order in which they were listed, so
// the search goes on from where the last one ended.
static candidate *find_listed(const trial *t, contact_key key, int *cursor)
{
    for (int k = 0; k < t->list.n; ++k) {
        const int i = *cursor + k < t->list.n ? *cursor + k : *cursor + k - t->list.n;
        if (contact_key_compare(&t->list.c[i].key, &key) != 0) continue;
        *cursor = i;
        return &t->list.c[i];
    }
    return NULL;
}

pcs_status step_detect_end(trial *t, pcs_arena *mem, int *added)
{
    *added = 0;
    if (t->m->n_shapes == 0) return PCS_OK;

    int(*pair)[2], n = 0, cursor = 0;
    PCS_TRY(find_pairs(t, t->q, 0, false, mem, &pair, &n));
    features f = {0};
    for (int i = 0; i < n; ++i) {
        int a = pair[i][0], b = pair[i][1];
        PCS_TRY(touch(t, t->q, 0, mem, &a, &b, &f));
        for (int k = 0; k < f.n; ++k) {
            candidate *known = find_listed(t, (contact_key){a, b, f.at[k].id}, &cursor);
            if (known) {
                known->closed = true;
                continue;
            }
            PCS_TRY(add_contact(t, a, b, &f.at[k], mem));
            *added += 1;
        }
    }
    return PCS_OK;
}
