// Near shapes at given coordinates: pairs of shapes by their bounds, then the features of each
// pair. Result and order do not depend on the number of threads.
#include "step/step.h"

#include <string.h>

#include "collide/collide.h"
#include "collide/kept.h"
#include "model/filter.h"
#include "rotation/pose.h"
#include "step/skip.h"
#include "step/still.h"

// with fewer shapes or pairs one thread is faster
#define FEW_SHAPES 128
#define FEW_PAIRS  128

// two places are one, relative to their distance from a body
#define SAME_PLACE 1e-9

// bounds of all shapes at q, enlarged by `extra` and optionally by the reach of their bodies
typedef struct bounding {
    const trial *t;
    const double *q;
    double extra;
    bool with_reach;
    collide_item *item;
} bounding;

static void bound_shapes(void *arg, int begin, int end)
{
    const bounding *b = arg;
    const pcs_model *m = b->t->m;
    for (int i = begin; i < end; ++i) {
        const int system = m->shape[i].system;
        const double reach = b->extra + (b->with_reach && system >= 0 ? b->t->reach[system] : 0);
        collide_item *it = &b->item[i];
        if (skips(b->t, system)) {
            *it = b->t->work->skip.item[i];
            continue;
        }
        it->body = system + 1;
        it->movable = system_can_move(m, system);
        it->shape = i;
        collide_bounds(&m->shape[i].shape, system_q(m, system, b->q), reach, it->low, it->high,
                       &it->unbounded);
        if (is_disabled(m, system) || m->shape[i].disabled) {
            it->low[0] = NAN; // NaN meets nothing
            it->unbounded = false;
        }
    }
}

pcs_status step_pairs(const trial *t, const double *q, double extra, bool with_reach,
                      pcs_arena *mem, int (**pair)[2], int *n_pairs)
{
    const pcs_model *m = t->m;
    bounding b = {t, q, extra, with_reach, PCS_TAKE(mem, (size_t)m->n_shapes, collide_item)};
    if (!b.item) return pcs_fail_memory("step: contact detection");
    threads *team = m->n_shapes < FEW_SHAPES ? NULL : t->work->team;
    threads_each(team, m->n_shapes, bound_shapes, &b);
    PCS_TRY(t->work->always_searches ? collide_pairs(b.item, m->n_shapes, team, mem, pair, n_pairs)
                                     : kept_search(&t->work->kept, &m->env, b.item, m->n_shapes,
                                                   team, mem, pair, n_pairs));
    const filter_joints joints = {state_acts, t->st};
    if (model_filters(m)) PCS_TRY(filter_pairs(m, joints, *pair, n_pairs));
    if (t->skipped && with_reach) PCS_TRY(skip_pairs(t, *pair, n_pairs));

    // the memory of the bounds is released, and the pairs move into it
    const size_t bytes = (size_t)*n_pairs * sizeof **pair;
    if (bytes > 0) memmove(b.item, *pair, bytes);
    *pair = (int(*)[2])(void *)b.item;
    mem->used = (size_t)((unsigned char *)b.item - mem->base) + bytes;
    return PCS_OK;
}

// the surface of a half-space moves by its rotation times the distance of the other shape
double step_reach(const trial *t, int shape, int other)
{
    const model_shape *a = &t->m->shape[shape], *b = &t->m->shape[other];
    if (a->system < 0) return 0;
    const double reach = t->reach[a->system], turn = t->turn[a->system];
    if (a->shape.kind != PCS_SHAPE_HALF_SPACE || turn == 0) return reach;

    double at[3], lever[3];
    pose_point(system_q(t->m, b->system, t->st->q), b->shape.position, at);
    v3_sub(at, system_q(t->m, a->system, t->st->q), lever);
    return reach + turn * (v3_norm(lever) + shape_radius(&b->shape));
}

// Drops the features of planar bodies on the far side of their plane that have a partner on the
// near side: prisms touch at both of their ends. Returns the number left.
static int flatten(const pcs_model *m, int shape1, int shape2, const double *q1, const double *q2,
                   pcs_feature *f, int n)
{
    const pcs_plane plane = pair_plane(m, m->shape[shape1].system, m->shape[shape2].system);
    if (plane == PCS_PLANE_NONE || n < 2 || n > PCS_FEATURES_MAX) return n;
    const int normal = plane_normal(plane);
    double P[PCS_FEATURES_MAX][3], size = 0;
    bool far[PCS_FEATURES_MAX];
    const double *G = q1 ? q1 : q2;
    for (int i = 0; i < n; ++i) {
        pcs_gap gap;
        pcs_feature_gap(&f[i], q1, q2, &gap);
        v3_sub(gap.P1, G, P[i]);
        size = fmax(size, v3_norm(P[i]));
    }
    int left = 0;
    for (int i = 0; i < n; ++i) {
        far[i] = false;
        for (int k = 0; P[i][normal] < 0 && k < n; ++k) {
            double d[3];
            v3_sub(P[i], P[k], d);
            d[normal] = P[i][normal] + P[k][normal];
            far[i] = far[i] || (P[k][normal] > 0 && v3_norm(d) < SAME_PLACE * size);
        }
    }
    for (int i = 0; i < n; ++i) {
        if (!far[i]) f[left++] = f[i];
    }
    return left;
}

pcs_status pair_features(const pcs_model *m, int shape1, int shape2, const double *q1,
                         const double *q2, double reach, pcs_arena *mem, pcs_feature **f, int *n)
{
    for (int room = PCS_FEATURES_MAX;; room = *n) {
        pcs_arena scope = *mem;
        *f = PCS_TAKE(&scope, (size_t)room, pcs_feature);
        if (!*f) return pcs_fail_memory("step: contact detection");
        *n = pcs_collide(&m->shape[shape1].shape, q1, &m->shape[shape2].shape, q2, reach, room, *f);
        if (*n > room) continue;
        if (m->n_planar > 0) *n = flatten(m, shape1, shape2, q1, q2, *f, *n);
        *f = PCS_TAKE(mem, (size_t)*n, pcs_feature); // keeps only the used part
        return PCS_OK;
    }
}

// a search shared by the threads
typedef struct search {
    const trial *t;
    const double *q;
    double extra;
    bool with_reach, ridges;
    int n_pairs, ranks;
    int (*pair)[2];
    double *reach;     // per pair
    const bool *rests; // systems without velocity, or null
    const bool *same;  // systems that have not moved since the last search, or null
    pcs_feature *f;    // `capacity` in all, the same number for each rank
    int *pair_of, *from;
    int capacity;
    int *found; // per rank: number found; more than its part when that was too small
} search;

// how far a pair is searched
static double pair_reach(const search *s, const int pair[2])
{
    const pcs_model *m = s->t->m;
    const int one = m->shape[pair[0]].system, two = m->shape[pair[1]].system;
    double extra = s->extra;
    if (!s->with_reach) return extra;
    if (s->rests && (one < 0 || s->rests[one]) && (two < 0 || s->rests[two])) {
        extra = still_extra(extra);
    }
    return extra + (step_reach(s->t, pair[0], pair[1]) + step_reach(s->t, pair[1], pair[0]));
}

// The place of a pair of which neither shape has moved in the list of the last search, or -1
static int find_still(const search *s, const int pair[2], double reach, int *cursor)
{
    const pcs_model *m = s->t->m;
    const int one = m->shape[pair[0]].system, two = m->shape[pair[1]].system;
    if (!s->same || (one >= 0 && !s->same[one]) || (two >= 0 && !s->same[two])) return -1;
    return still_find(&s->t->work->still, pair, reach, cursor);
}

static void search_share(void *argument, int rank)
{
    const search *s = argument;
    const pcs_model *m = s->t->m;
    const int room = s->capacity / s->ranks;
    pcs_feature *f = s->f + (size_t)room * (size_t)rank;
    int *pair_of = s->pair_of + (size_t)room * (size_t)rank;
    int *from = s->from ? s->from + (size_t)room * (size_t)rank : NULL;
    const step_still *still = &s->t->work->still;
    int begin, end, n = 0, cursor = -1;
    threads_share(s->n_pairs, s->ranks, rank, &begin, &end);
    for (int i = begin; i < end; ++i) {
        const int *ab = s->pair[i];
        const double reach = pair_reach(s, ab);
        const int left = n < room ? room - n : 0, at = find_still(s, ab, reach, &cursor);
        if (s->reach) s->reach[i] = reach;
        pcs_feature *to = f + (n < room ? n : 0);
        if (at >= 0) {
            const int begins = still->start[at], more = still->start[at + 1] - begins;
            for (int k = 0; k < more && k < left; ++k) {
                to[k] = still->f[begins + k];
                pair_of[n + k] = i;
                from[n + k] = begins + k;
            }
            n += more;
            continue;
        }
        const model_shape *a = &m->shape[ab[0]], *b = &m->shape[ab[1]];
        const double *q1 = system_q(m, a->system, s->q), *q2 = system_q(m, b->system, s->q);
        int more = pcs_collide(&a->shape, q1, &b->shape, q2, reach, left, to);
        if (s->ridges && more <= left) {
            more = collide_ridge(&a->shape, q1, &b->shape, q2, 0, more, left, to);
        }
        if (m->n_planar > 0 && more <= left) more = flatten(m, ab[0], ab[1], q1, q2, to, more);
        for (int k = 0; k < more && k < left; ++k) {
            pair_of[n + k] = i;
            if (from) from[n + k] = -1;
        }
        n += more;
    }
    s->found[rank] = n;
}

// moves the features of all ranks together
static int gather(search *s)
{
    const int room = s->capacity / s->ranks;
    int n = s->found[0];
    for (int rank = 1; rank < s->ranks; ++rank) {
        for (int k = 0; k < s->found[rank]; ++k) {
            s->f[n] = s->f[(size_t)room * (size_t)rank + (size_t)k];
            s->pair_of[n] = s->pair_of[(size_t)room * (size_t)rank + (size_t)k];
            if (s->from) s->from[n] = s->from[(size_t)room * (size_t)rank + (size_t)k];
            n += 1;
        }
    }
    return n;
}

// drops the pairs without an open system; the world is not open
static void keep_open(const pcs_model *m, const bool *open, int (*pair)[2], int *n_pairs)
{
    int n = 0;
    for (int i = 0; i < *n_pairs; ++i) {
        const int one = m->shape[pair[i][0]].system, two = m->shape[pair[i][1]].system;
        if (!(one >= 0 && open[one]) && !(two >= 0 && open[two])) continue;
        memmove(pair[n++], pair[i], sizeof *pair);
    }
    *n_pairs = n;
}

// systems without velocity: those that sleep are among them
static pcs_status find_resting(const trial *t, pcs_arena *mem, const bool **rests)
{
    const pcs_model *m = t->m;
    bool *is = PCS_TAKE(mem, (size_t)m->n_systems, bool);
    if (!is) return pcs_fail_memory("step: contact detection");
    for (int i = 0; i < m->n_systems; ++i) {
        is[i] = true;
        for (int k = 0; k < m->system[i].nv && !skips(t, i); ++k) {
            is[i] = is[i] && t->st->v[m->system[i].v_at + k] == 0;
        }
    }
    *rests = is;
    return PCS_OK;
}

pcs_status step_find(const trial *t, const double *q, double extra, bool with_reach,
                     const bool *open, pcs_arena *mem, touches *out)
{
    *out = (touches){0};
    if (t->m->n_shapes == 0) return PCS_OK;
    pcs_work *wk = t->work;
    search s = {.t = t,
                .q = q,
                .extra = extra,
                .with_reach = with_reach,
                .ridges = with_reach && t->rule == PCS_ACTIVATION_SPECULATIVE,
                .ranks = 1};
    PCS_TRY(step_pairs(t, q, extra, with_reach, mem, &s.pair, &s.n_pairs));
    if (open) keep_open(t->m, open, s.pair, &s.n_pairs);
    if (with_reach && t->m->scheme.sleep) {
        s.reach = PCS_TAKE(mem, (size_t)s.n_pairs, double);
        if (!s.reach) return pcs_fail_memory("step: contact detection");
        if (extra > 0 && isfinite(extra)) PCS_TRY(find_resting(t, mem, &s.rests));
        PCS_TRY(still_begin(t, mem, &s.same));
    }
    threads *team = s.n_pairs < FEW_PAIRS ? NULL : wk->team;
    s.ranks = threads_count(team);
    int alone;
    s.found = s.ranks == 1 ? &alone : PCS_TAKE(mem, (size_t)s.ranks, int);
    if (!s.found) return pcs_fail_memory("step: contact detection");
    if (s.n_pairs == 0) return PCS_OK;

    // memory for the count of the last search plus a margin; repeated when that was too small
    const int last = wk->touches + wk->touches / 4;
    int room = s.ranks == 1 ? last + 16 : last / s.ranks + last / 8 + 16;
    for (;;) {
        pcs_arena scope = *mem;
        s.capacity = s.ranks * room;
        s.pair_of = PCS_TAKE(&scope, (size_t)s.capacity, int);
        s.from = s.same ? PCS_TAKE(&scope, (size_t)s.capacity, int) : NULL;
        s.f = PCS_TAKE(&scope, (size_t)s.capacity, pcs_feature);
        if (!s.f || !s.pair_of || (s.same && !s.from))
            return pcs_fail_memory("step: contact detection");
        threads_run(team, search_share, &s);
        int most = 0;
        for (int rank = 0; rank < s.ranks; ++rank) {
            if (s.found[rank] > most) most = s.found[rank];
        }
        if (most <= room) {
            *mem = scope;
            break;
        }
        room = most + most / 4;
    }
    *out = (touches){gather(&s), s.f, s.pair_of, s.n_pairs, s.pair, s.reach, s.from};
    if (out->n > wk->touches) wk->touches = out->n;

    // releases unused memory, as the features were taken last
    mem->used -= (size_t)(s.capacity - out->n) * sizeof *s.f;
    return PCS_OK;
}
