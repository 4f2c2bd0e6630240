// Contacts that the end of the step shows: features that overlap at q' and were not within reach at
// q_k, what a body may have passed, and the meetings of such pairs on their paths.
#include <string.h>

#include "collide/collide.h"
#include "step/candidates.h"
#include "step/confirm.h"
#include "step/path.h"
#include "step/project.h"

// 1 - cos of the angle up to which two normals are one: 1e-3 rad
#define SAME_NORMAL 5e-7

// two reaches are one, up to rounding
#define SAME_REACH 1e-6

// true when feature f of a pair overlaps at q_k
static bool overlaps_before(const trial *t, const int shape[2], const pcs_feature *f)
{
    const pcs_model *m = t->m;
    pcs_gap gap;
    pcs_feature_gap(f, system_q(m, m->shape[shape[0]].system, t->st->q),
                    system_q(m, m->shape[shape[1]].system, t->st->q), &gap);
    return gap.g < 0;
}

// adds the rows at the meeting of a pair that was out of reach at q_k and overlaps at q'
static pcs_status add_met(const trial *t, const int shape[2], pcs_arena *mem, candidates *list)
{
    const pcs_model *m = t->m;
    const int one = m->shape[shape[0]].system, two = m->shape[shape[1]].system;
    candidate c = {.interaction = -1, .key = {shape[0], shape[1], 0}};
    pair_meeting meeting;
    candidate_join(m, &c, one, two);
    PCS_TRY(path_of_pair(t, &c, t->end.v, *mem, &meeting));
    PCS_TRY(path_meet(t, contact_slop(t, &c), mem, &meeting));
    for (int i = 0; i < meeting.n && meeting.meets; ++i) {
        PCS_TRY(step_add_meeting(t, &meeting, &meeting.f[i], t->end.v, MEETING_PLAIN, mem, list));
    }
    return PCS_OK;
}

// The listed contact of a key, or null: beside place i, which has a contact of the same pair, or
// among those added later, which are in any order.
static candidate *find_feature(const trial *t, int i, contact_key key)
{
    candidate *c = t->list.c;
    for (int k = i; k < t->list.n && contact_same_pair(&c[k].key, &key); ++k) {
        if (c[k].key.feature == key.feature) return &c[k];
    }
    for (int k = i - 1; k >= 0 && contact_same_pair(&c[k].key, &key); --k) {
        if (c[k].key.feature == key.feature) return &c[k];
    }
    for (int k = t->list.n_start; k < t->list.n; ++k) {
        if (contact_key_compare(&c[k].key, &key) == 0) return &c[k];
    }
    return NULL;
}

// True when a feature of a listed pair overlaps at q' by more than `deeper` and was open at q_k. A
// feature already closed at q_k while its bodies were apart is not a collision of this step.
static bool worth_adding(const trial *t, const int pair[2], const pcs_feature *f, double deeper)
{
    const pcs_model *m = t->m;
    const int one = m->shape[pair[0]].system, two = m->shape[pair[1]].system;
    pcs_gap gap;
    pcs_feature_gap(f, system_q(m, one, t->end.q), system_q(m, two, t->end.q), &gap);
    if (!(gap.g < -deeper)) return false;
    pcs_feature_gap(f, system_q(m, one, t->st->q), system_q(m, two, t->st->q), &gap);
    return gap.g >= -deeper;
}

// marks the contacts of the pair of place i, which overlaps at q', that have the normal of that
// overlap: others belong to places that the bodies have left
static void mark_overlap(const trial *t, const candidates *list, int i, const pcs_feature *f)
{
    if (i < 0) return;
    const contact_key key = list->c[i].key;
    const double *q1 = system_q(t->m, list->c[i].pose1, t->end.q);
    const double *q2 = system_q(t->m, list->c[i].pose2, t->end.q);
    pcs_gap overlap, own;
    pcs_feature_gap(f, q1, q2, &overlap);
    int k = i;
    while (k > 0 && contact_same_pair(&list->c[k - 1].key, &key)) {
        --k;
    }
    for (; k < list->n && contact_same_pair(&list->c[k].key, &key); ++k) {
        if (list->c[k].overlaps) continue;
        pcs_feature_gap(list->c[k].feature, q1, q2, &own);
        list->c[k].overlaps = v3_dot(own.N, overlap.N) >= 1 - SAME_NORMAL;
    }
}

// A contact that closes at q' acts along the normal there: a ball that was above an edge at q_k has
// come down on the face beside it. Both have the same id.
static pcs_status turn_to(const trial *t, candidate *c, const pcs_feature *f, pcs_arena *mem,
                          candidates *list)
{
    const double *q1 = system_q(t->m, c->pose1, t->end.q), *q2 = system_q(t->m, c->pose2, t->end.q);
    const int i = (int)(c - t->list.c);
    int hint = 0;
    pcs_gap now, then;
    if (c->active) return PCS_OK;
    pcs_feature_gap(f, q1, q2, &now);
    pcs_feature_gap(c->feature, q1, q2, &then);
    if (v3_dot(now.N, then.N) >= 1 - SAME_NORMAL) return PCS_OK;
    feature_pose at[2] = {0};
    const double least = candidates_pair_gap(t, (const int[]){c->key.shape1, c->key.shape2});
    c->feature = f;
    list->n_plain = 0;
    PCS_TRY(candidate_place(t, i, at, *mem));
    c->g[0] = candidate_later_gap(c->g[0], least);
    PCS_TRY(candidate_drive(t, c, &t->list.k[i], t->st->q, mem));
    candidate_complete(t, c, &t->list.k[i], &hint);
    if (i < t->list.n_first) t->list.first[i] = t->list.k[i];
    return PCS_OK;
}

bool step_bounds_gaps(const pcs_model *m)
{
    if (m->n_driven > 0) return false;
    for (int i = 0; i < m->n_shapes; ++i) {
        const pcs_shape_kind kind = m->shape[i].shape.kind;
        if (kind == PCS_SHAPE_MESH || kind == PCS_SHAPE_HEIGHT_FIELD) return false;
        if (kind == PCS_SHAPE_HALF_SPACE && system_can_move(m, m->shape[i].system)) return false;
    }
    return true;
}

// Finds the pairs for which a search at q' has nothing to add and the projection nothing to do. A
// gap changes by no more than its shapes move: pairs that were out of reach at q_k stay apart where
// no shape moves farther than its reach, and the others overlap by no more than they did and have
// moved since. Half of the tolerances is left for errors of gaps. Contacts that wait need the
// search. *open, per system: only pairs with one of these need the search; null: all pairs do
static pcs_status find_open(const trial *t, pcs_arena *mem, bool **open, int *n_open)
{
    const pcs_model *m = t->m;
    const size_t ns = (size_t)m->n_systems;
    *open = NULL;
    if (t->work->always_searches || !step_adds_features(t) || !step_bounds_gaps(m)) return PCS_OK;
    bool *is_open = PCS_TAKE(mem, ns, bool);
    pcs_arena scope = *mem;
    trial moved = *t;
    moved.reach = PCS_TAKE(&scope, 2 * ns, double);
    if (!is_open || !moved.reach) return pcs_fail_memory("step: contact detection");
    memset(moved.reach, 0, 2 * ns * sizeof *moved.reach);
    moved.turn = moved.reach + ns;
    near_bound_motion(&moved);
    for (size_t i = 0; i < ns; ++i) {
        is_open[i] = !(moved.reach[i] <= 0.5 * t->reach[i]);
    }
    for (int i = 0; i < t->list.n; ++i) {
        const candidate *c = &t->list.c[i];
        candidates_fetch(&t->list, i);
        if (c->interaction >= 0) continue;
        const bool waits = !c->active && !c->held && !c->bounces && !c->lands && !c->refuted &&
                           !c->other_face;
        const double one = c->pose1 < 0 ? 0 : moved.reach[c->pose1];
        const double two = c->pose2 < 0 ? 0 : moved.reach[c->pose2];
        if (!waits && c->g[0] - one - two >= -0.5 * t->proj_tol) continue;
        if (c->pose1 >= 0) is_open[c->pose1] = true;
        if (c->pose2 >= 0) is_open[c->pose2] = true;
    }
    *n_open = 0;
    for (size_t i = 0; i < ns; ++i) {
        *n_open += is_open[i];
    }
    *open = is_open;
    return PCS_OK;
}

// true when no feature overlaps at q' by more than a proof would allow
static bool all_shallow(const trial *t, const touches *over)
{
    const pcs_model *m = t->m;
    for (int k = 0; k < over->n; ++k) {
        const int *pair = over->pair[over->pair_of[k]];
        pcs_gap gap;
        pcs_feature_gap(&over->f[k], system_q(m, m->shape[pair[0]].system, t->end.q),
                        system_q(m, m->shape[pair[1]].system, t->end.q), &gap);
        if (!(gap.g >= -0.5 * t->proj_tol)) return false;
    }
    return true;
}

// The overlaps at q', without those that change nothing: list->clear is true then
static pcs_status find_overlaps(const trial *t, pcs_arena *mem, candidates *list, touches *over)
{
    bool *open;
    int n_open;
    *over = (touches){0};
    PCS_TRY(find_open(t, mem, &open, &n_open));
    list->clear = open && n_open == 0;
    t->work->proofs += list->clear;
    if (list->clear) return PCS_OK;
    // few bodies that move do not make all others be searched
    if (open && n_open <= t->m->n_systems / 2) {
        PCS_TRY(step_find(t, t->end.q, 0, false, open, mem, over));
        list->clear = all_shallow(t, over);
        t->work->part_proofs += list->clear;
        if (list->clear) return PCS_OK;
    }
    return step_find(t, t->end.q, 0, false, NULL, mem, over);
}

// True when a body moves further than its reach, which leaves out what motors and impacts give it,
// and than half of its thickness: it may have passed another body, or the middle of one that it
// overlaps at q', from where the closest features are those of the far side
static bool may_have_passed(const trial *t, const trial *moved, int system)
{
    const double most = fmax(t->reach[system], 0.5 * t->m->system[system].thickness);
    return moved->reach[system] > (1 + SAME_REACH) * most;
}

// Lists pairs that were out of reach at q_k and that a body may have passed. Nothing shows yet that
// they meet: they take no part until their paths do (confirm.c)
static pcs_status list_passed(const trial *t, pcs_arena *mem, candidates *list)
{
    const pcs_model *m = t->m;
    const size_t ns = (size_t)m->n_systems;
    pcs_arena scope = *mem;
    trial moved = *t;
    moved.reach = PCS_TAKE(mem, 2 * ns, double);
    bool *passed = PCS_TAKE(mem, ns, bool), any = false;
    if (!moved.reach || !passed) return pcs_fail_memory("step: contact detection");
    memset(moved.reach, 0, 2 * ns * sizeof *moved.reach);
    moved.turn = moved.reach + ns;
    near_bound_motion(&moved);
    for (size_t i = 0; i < ns; ++i) {
        passed[i] = may_have_passed(t, &moved, (int)i);
        any = any || passed[i];
    }
    if (!any) {
        *mem = scope;
        return PCS_OK;
    }
    int(*pair)[2], n_pairs, cursor = 0;
    PCS_TRY(step_pairs(&moved, t->st->q, 0, true, mem, &pair, &n_pairs));
    for (int k = 0; k < n_pairs; ++k) {
        const int one = m->shape[pair[k][0]].system, two = m->shape[pair[k][1]].system;
        if (!(one >= 0 && passed[one]) && !(two >= 0 && passed[two])) continue;
        if (candidates_find(t, pair[k][0], pair[k][1], &cursor) >= 0) continue;
        const double reach =
            step_reach(&moved, pair[k][0], pair[k][1]) + step_reach(&moved, pair[k][1], pair[k][0]);
        pcs_feature *f;
        int n;
        PCS_TRY(pair_features(m, pair[k][0], pair[k][1], system_q(m, one, t->st->q),
                              system_q(m, two, t->st->q), reach, mem, &f, &n));
        for (int i = 0; i < n; ++i) {
            PCS_TRY(candidates_add_contact(t, pair[k], &f[i], mem, list));
            list->c[list->n - 1].refuted = true;
        }
    }
    return PCS_OK;
}

// true when a pair has candidates from `from` on
static bool is_among(const candidates *list, int from, const int pair[2])
{
    bool found = false;
    for (int i = from; i < list->n && !found; ++i) {
        const contact_key *key = &list->c[i].key;
        found = key->shape1 == pair[0] && key->shape2 == pair[1];
    }
    return found;
}

pcs_status step_detect_end(const trial *t, double deeper, bool refuted, pcs_arena *mem,
                           candidates *list)
{
    const bool at_end = t->rule == PCS_ACTIVATION_END_OF_STEP;
    const int old = list->n;
    touches over;
    PCS_TRY(find_overlaps(t, mem, list, &over));
    list->over = over;
    list->over_known = !list->clear;
    if (t->rule == PCS_ACTIVATION_SPECULATIVE) PCS_TRY(list_passed(t, mem, list));
    if (list->clear && over.n == 0) return PCS_OK;
    for (int i = 0; i < list->n; ++i) {
        list->c[i].overlaps = false;
    }
    for (int k = 0, cursor = 0; k < over.n; ++k) {
        const int *pair = over.pair[over.pair_of[k]];
        const int first = candidates_find(t, pair[0], pair[1], &cursor);
        const contact_key key = {pair[0], pair[1], over.f[k].id};
        candidate *known = first < 0 ? NULL : find_feature(t, first, key);
        if (at_end) mark_overlap(t, list, first, &over.f[k]);
        // an edge that hits the second face of a ridge does so as if it were not listed
        if (known && (known->active || !known->other_face)) {
            known->closed = true;
            if (at_end) PCS_TRY(turn_to(t, known, &over.f[k], mem, list));
            continue;
        }
        // a rebound belongs to the next step, with the speed at the start of that step, but the
        // contact must be known where a projection lifts
        pcs_law law;
        PCS_TRY(contact_law(t, pair, &law));
        const bool waits = step_restores(t, &law);
        const bool listed = waits ? first >= 0 && first < list->n_start : first >= 0;
        if (deeper > 0 && listed && !worth_adding(t, pair, &over.f[k], deeper)) continue;
        // a feature that overlaps at q_k, where the pair is apart, is behind the one that it meets
        const bool skipped =
            skips(t, t->m->shape[pair[0]].system) || skips(t, t->m->shape[pair[1]].system);
        const bool passed = is_among(list, old, pair), later = first < 0 || passed;
        if (!at_end && !skipped && later && overlaps_before(t, pair, &over.f[k])) {
            if (!refuted && !passed && !waits) PCS_TRY(add_met(t, pair, mem, list));
            continue;
        }
        const int n = list->n;
        PCS_TRY(candidates_add_contact(t, pair, &over.f[k], mem, list));
        if (waits && list->n > n) list->c[n].lands = true;
    }
    return PCS_OK;
}
