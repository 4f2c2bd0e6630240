// The candidates for contact: interactions of the model, and features of shapes within reach, with
// their gaps, rows and velocities at q_k. Rows at meetings are those of a later pose.
#include "step/candidates.h"

#include <string.h>

#include "collide/collide.h"
#include "laws/law.h"
#include "linalg/m3.h"
#include "relations/joint_kinds.h"
#include "rotation/pose.h"
#include "step/confirm.h"
#include "step/path.h"
#include "step/skip.h"
#include "step/still.h"

// with fewer contacts one thread is faster
#define FEW_CONTACTS 128

// ---- the list ---------------------------------------------------------------------------------

// puts the five row vectors of a candidate into one block of memory
static void lay_rows(candidate *c, double *room)
{
    const int gaps = candidate_measures(c);
    c->g = room;
    c->g_end = c->g + gaps;
    c->u_k = c->g_end + gaps;
    c->r = c->u_k + c->dim;
    c->u = c->r + c->dim;
}

static bool has_own_room(const candidate *c)
{
    return 2 * candidate_measures(c) + 3 * c->dim <= (int)(sizeof c->own / sizeof *c->own);
}

void candidate_copy(const candidate *from, candidate *to)
{
    *to = *from;
    if (has_own_room(to)) lay_rows(to, to->own);
}

// memory for `cap` candidates; the first call also computes the rotations of the bodies at q_k
static bool reserve(const trial *t, int cap, pcs_arena *mem, candidates *list)
{
    if (cap <= list->cap) return true;
    if (list->cap == 0) {
        trial_rotations(t, t->st->q, t->rotation_k);
        if (t->rotation != t->rotation_k) trial_rotations(t, t->st->q, t->rotation);
    }
    candidate *bigger = PCS_TAKE(mem, (size_t)cap, candidate);
    bodies_block *blocks = PCS_TAKE(mem, (size_t)cap, bodies_block);
    if (!bigger || !blocks) return false;
    for (int i = 0; i < list->n; ++i) {
        candidate_copy(&list->c[i], &bigger[i]);
        blocks[i] = list->k[i];
    }
    list->c = bigger;
    list->k = blocks;
    list->cap = cap;
    return true;
}

// appends a candidate with memory for its rows; null when memory is out
static candidate *add(const trial *t, const pcs_law *law, int dim, pcs_arena *mem, candidates *list)
{
    if (list->n == list->cap && !reserve(t, list->cap + list->cap / 4 + 8, mem, list)) return NULL;
    candidate *c = &list->c[list->n];
    *c = (candidate){.law = *law,
                     .dim = dim,
                     .interaction = -1,
                     .at = -1,
                     .sys1 = -1,
                     .sys2 = -1,
                     .pose1 = -1,
                     .pose2 = -1};
    double *room = c->own;
    if (!has_own_room(c)) {
        room = PCS_TAKE(mem, 5 * (size_t)dim, double);
        if (!room) return NULL;
        memset(room, 0, 5 * (size_t)dim * sizeof *room);
    }
    lay_rows(c, room);
    list->n += 1;
    return c;
}

// cone, friction and systems of its block; the rows follow
static void start_block(const pcs_model *m, double h, const candidate *c, bodies_block *k)
{
    *k = (bodies_block){.cone = candidate_cone(c), .dim = c->dim, .sys = {-1, -1}};
    if (k->cone == PCS_CONE_COULOMB) k->mu = c->law.mu;
    if (k->cone == PCS_CONE_BOX) k->mu = h * c->law.limit;
    if (system_moves(m, c->sys1)) k->sys[0] = m->system[c->sys1].block;
    if (system_moves(m, c->sys2)) k->sys[1] = m->system[c->sys2].block;
}

// The count of steps at rest. Contacts that slept are remembered with their forces: r becomes their
// impulse
static void take_rests(const trial *t, const remembered *r, candidate *c, double local[3])
{
    const int rests = r->active - 1;
    for (int j = 0; rests > RESTS_MOST && j < 3; ++j) {
        local[j] *= t->h;
    }
    if (t->m->scheme.sleep && rests != RESTS_WOKEN) c->rests = rests;
}

void candidate_complete(const trial *t, candidate *c, const bodies_block *k, int *hint)
{
    bodies_block_velocity(k, t->m->block_start, t->rotation_k, t->st->v, c->u_k);
    for (int i = 0; c->drive_k && i < c->dim; ++i) {
        c->u_k[i] += c->drive_k[i];
    }
    if (t->st->memory->n == 0) return;
    if (c->slack > 0) c->touched = state_recalls_pair(t->st, c->key);

    contact_key key = c->key;
    if (remembers_force(c)) {
        // the impulse is stored in inertial components: the frame may have rotated since
        const remembered *r = c->recalled = state_recall(t->st, key, hint);
        if (!r) return;
        double local[3];
        m3_mul_t(k->F, r->r, local);
        take_rests(t, r, c, local);
        memcpy(c->r, local, (size_t)c->dim * sizeof *c->r);
        c->was_active = r->active != 0;
        return;
    }
    for (int i = 0; i < c->dim; ++i) {
        if (c->interaction >= 0) key.feature = (unsigned)(c->joint->row + i);
        if (i >= 3 && !t->m->scheme.sleep) break;
        const remembered *r = state_recall(t->st, key, hint);
        if (!r || (i >= 3 && r->active <= RESTS_MOST)) continue;
        double local[3] = {r->r[0]};
        take_rests(t, r, c, local);
        c->r[i] = local[0];
        c->was_active |= r->active != 0;
    }
}

// 1 + the candidate of the joint that loads friction, which is listed before it; 0: there is none
static int find_load(const pcs_model *m, const candidates *list, int i)
{
    pcs_interaction joint;
    int number, k = list->n;
    const pcs_law *law = &m->interaction[i].law;
    if (law->kind != PCS_LAW_LIMITED || law->mu == 0) return 0;
    joint_read_coordinate(&m->interaction[i].relation, &joint, &number);
    while (k > 0 && list->c[k - 1].interaction >= joint.id) {
        k -= 1;
    }
    return k > 0 && list->c[k - 1].interaction == joint.id - 1 ? k : 0;
}

static pcs_status add_interaction(const trial *t, int i, int row, int dim, pcs_arena *mem,
                                  candidates *list)
{
    const pcs_model *m = t->m;
    const pcs_interaction_def *def = &m->interaction[i];
    int hint = 0;
    const int load = find_load(m, list, i);
    candidate *c = add(t, &def->law, dim, mem, list);
    if (!c) return pcs_fail_memory("step: an interaction");
    c->interaction = i;
    c->joint = PCS_TAKE(mem, 1, candidate_joint);
    if (!c->joint) return pcs_fail_memory("step: an interaction");
    *c->joint = (candidate_joint){.row = row, .load = load};
    c->key = (contact_key){-1, i, (unsigned)row};
    candidate_join(m, c, def->system1.id - 1, def->system2.id - 1);
    bodies_block *k = &list->k[list->n - 1];
    start_block(m, t->h, c, k);
    for (int side = 0; side < 2; ++side) {
        PCS_TRY(candidate_take_rows(m, side == 0 ? c->sys1 : c->sys2, dim, mem, &c->J[side]));
        k->rows[side] = c->J[side];
        if (!is_carried(m, side == 0 ? c->pose1 : c->pose2)) continue;
        c->joint->carried[side] = PCS_TAKE(mem, 6 * (size_t)dim + BODY_NQ, double);
        if (!c->joint->carried[side]) return pcs_fail_memory("step: an interaction");
    }
    PCS_TRY(candidate_time(t, c));
    const double end = c->joint->time_f[1];
    c->joint->time_f[1] = c->joint->time_f[0];
    PCS_TRY(candidate_gap(m, c, t->st->q, *mem, c->g));
    c->joint->time_f[1] = end;
    PCS_TRY(candidate_block(m, c, t->st->q, false, *mem, k, NULL));
    PCS_TRY(candidate_drive(t, c, k, t->st->q, mem));
    candidate_complete(t, c, k, &hint);
    return PCS_OK;
}

static pcs_status add_interactions(const trial *t, pcs_arena *mem, candidates *list)
{
    const pcs_model *m = t->m;
    for (int i = 0; i < m->n_interactions; ++i) {
        const pcs_interaction_def *def = &m->interaction[i];
        if (!state_acts(m, t->st, i)) continue;
        if (is_disabled(m, def->system1.id - 1) || is_disabled(m, def->system2.id - 1)) continue;
        if (def->law.kind == PCS_LAW_EQUALITY || law_has_friction(&def->law)) {
            PCS_TRY(add_interaction(t, i, 0, def->relation.dim, mem, list));
            continue;
        }
        // without friction only the normal row of a frame remains
        if (def->law.kind == PCS_LAW_NEWTON_COULOMB) {
            PCS_TRY(add_interaction(t, i, 0, 1, mem, list));
            continue;
        }
        for (int row = 0; row < def->relation.dim; ++row) {
            PCS_TRY(add_interaction(t, i, row, 1, mem, list));
        }
    }
    return PCS_OK;
}

// ---- contacts of shapes ------------------------------------------------------------------------

// rows of a contact: with friction the normal and two tangents, in a plane one
static int contact_rows(const pcs_model *m, const pcs_law *law, int shape1, int shape2)
{
    if (!law_has_friction(law)) return 1;
    if (m->n_planar == 0) return 3;
    return pair_plane(m, m->shape[shape1].system, m->shape[shape2].system) ? 2 : 3;
}

// writes all of candidate i that does not depend on the poses
static void list_contact(const trial *t, int i, const int shape[2], const pcs_law *law,
                         const pcs_feature *f)
{
    const pcs_model *m = t->m;
    const int shape1 = shape[0], shape2 = shape[1];
    candidate *c = &t->list.c[i];
    *c = (candidate){.interaction = -1,
                     .law = *law,
                     .dim = contact_rows(m, law, shape1, shape2),
                     .key = {shape1, shape2, f->id},
                     .at = -1,
                     .feature = f};
    candidate_join(m, c, m->shape[shape1].system, m->shape[shape2].system);
    lay_rows(c, c->own);
    start_block(m, t->h, c, &t->list.k[i]);
}

// memory for the rows of carried and planar bodies
static pcs_status take_mapped(const trial *t, candidate *c, pcs_arena *mem)
{
    const int pose[2] = {c->pose1, c->pose2};
    for (int side = 0; side < 2 && candidate_is_mapped(t->m, c); ++side) {
        if (!is_mapped(t->m, pose[side]) || !system_can_move(t->m, pose[side])) continue;
        const int to = side == 1 && c->sys2 < 0 ? 0 : side; // one carrier of both
        if (c->J[to]) continue;
        PCS_TRY(candidate_take_rows(t->m, to == 0 ? c->sys1 : c->sys2, c->dim, mem, &c->J[to]));
    }
    return PCS_OK;
}

// the same as place_contact for a feature that has not moved since the last search; false when its
// rows are others
static bool take_place(const trial *t, int i, const still_place *p)
{
    candidate *c = &t->list.c[i];
    bodies_block *k = &t->list.k[i];
    if (p->k.dim != k->dim) return false;
    bodies_block of = p->k;
    of.cone = k->cone;
    of.rows[0] = of.rows[1] = NULL; // those of caps follow
    of.mu = k->mu;
    *k = of;
    c->g[0] = p->g;
    v3_copy(p->P1, c->P1);
    v3_copy(p->P2, c->P2);
    return true;
}

pcs_status candidate_place(const trial *t, int i, feature_pose at[2], pcs_arena mem)
{
    candidate *c = &t->list.c[i];
    pcs_gap gap;
    feature_pose_at(&at[0], system_q(t->m, c->pose1, t->st->q));
    feature_pose_at(&at[1], system_q(t->m, c->pose2, t->st->q));
    PCS_TRY(candidate_contact(t->m, c, at, t->st->q, mem, &t->list.k[i], &gap));
    c->g[0] = gap.g;
    v3_copy(gap.P1, c->P1);
    v3_copy(gap.P2, c->P2);
    return PCS_OK;
}

pcs_status contact_law(const trial *t, const int shape[2], pcs_law *out)
{
    const pcs_model *m = t->m;
    return law_between(m, t->laws, m->shape[shape[0]].material, m->shape[shape[1]].material, out);
}

bool contact_same_pair(const contact_key *a, const contact_key *b)
{
    return a->shape1 == b->shape1 && a->shape2 == b->shape2;
}

static bool pair_before(const contact_key *a, const contact_key *b)
{
    const int a0 = a->shape1 < a->shape2 ? a->shape1 : a->shape2, a1 = a->shape1 + a->shape2 - a0;
    const int b0 = b->shape1 < b->shape2 ? b->shape1 : b->shape2, b1 = b->shape1 + b->shape2 - b0;
    return a0 < b0 || (a0 == b0 && a1 < b1);
}

int candidates_find(const trial *t, int shape1, int shape2, int *cursor)
{
    const contact_key key = {shape1, shape2, 0};
    const candidate *c = t->list.c;
    const int n = t->list.n_start;
    int low = *cursor, high = n, steps = 0;
    while (low < n && steps < 8 && pair_before(&c[low].key, &key)) {
        low += 1;
        steps += 1;
    }
    if (steps == 8 || (low > 0 && !pair_before(&c[low - 1].key, &key))) {
        low = 0;
        while (low < high) {
            const int mid = low + (high - low) / 2;
            if (pair_before(&c[mid].key, &key)) {
                low = mid + 1;
            } else {
                high = mid;
            }
        }
    }
    *cursor = low;
    if (low < n && contact_same_pair(&c[low].key, &key)) return low;
    for (int i = n; i < t->list.n; ++i) {
        if (contact_same_pair(&c[i].key, &key)) return i;
    }
    return -1;
}

double candidates_pair_gap(const trial *t, const int shape[2])
{
    int cursor = 0, i = candidates_find(t, shape[0], shape[1], &cursor);
    if (i < 0 || i >= t->list.n_start) return 0;
    const candidate *first = &t->list.c[i];
    double least = first->g[0];
    while (++i < t->list.n_start && contact_same_pair(&t->list.c[i].key, &first->key)) {
        least = fmin(least, t->list.c[i].g[0]);
    }
    return least;
}

double candidate_later_gap(double g, double least)
{
    return g < 0 ? fmax(g, least) : g;
}

pcs_status candidates_add_contact(const trial *t, const int shape[2], const pcs_feature *f,
                                  pcs_arena *mem, candidates *list)
{
    pcs_law law;
    const int one = t->m->shape[shape[0]].system, two = t->m->shape[shape[1]].system;
    if (skips(t, one) || skips(t, two)) return skip_touch(t, skips(t, one) ? one : two);
    PCS_TRY(contact_law(t, shape, &law));
    candidate *c = add(t, &law, contact_rows(t->m, &law, shape[0], shape[1]), mem, list);
    if (!c) return pcs_fail_memory("step: a contact");
    const int i = list->n - 1;
    int hint = 0;
    list_contact(t, i, shape, &law, f);
    feature_pose at[2] = {0};
    PCS_TRY(take_mapped(t, c, mem));
    PCS_TRY(candidate_place(t, i, at, *mem));
    PCS_TRY(revolution_level(t, i, mem));
    c->g[0] = candidate_later_gap(c->g[0], candidates_pair_gap(t, shape));
    PCS_TRY(candidate_drive(t, c, &list->k[i], t->st->q, mem));
    candidate_complete(t, c, &list->k[i], &hint);
    return PCS_OK;
}

// a point of a body at the meeting, with its lever there, about G at q_k
static void move_back(const body_path *path, const double q[7], const double P[3], double out[3])
{
    v3_copy(P, out);
    for (int i = 0; path->q && i < 3; ++i) {
        out[i] += path->q[i] - q[i];
    }
}

// Mean velocity along the normal of contact i on paths with the velocities v at the end. A body has
// the theta with which it moves alone: one that others carry and one in flight may differ. Driven
// bodies have that of their drive
static double mean_approach(const trial *t, int i, const double *v)
{
    const candidate *c = &t->list.c[i];
    const double driven = t->m->scheme.theta;
    double mean = 0;
    if (c->drive) mean = driven * c->drive[0] + (1 - driven) * c->drive_k[0];
    for (int side = 0; side < 2; ++side) {
        const int system = side == 0 ? c->sys1 : c->sys2;
        if (!system_moves(t->m, system)) continue;
        const double theta = t->end.theta[system];
        double u[3], u_k[3];
        bodies_block alone = t->list.k[i];
        alone.sys[1 - side] = -1;
        bodies_block_velocity(&alone, t->m->block_start, t->rotation, v, u);
        bodies_block_velocity(&alone, t->m->block_start, t->rotation_k, t->st->v, u_k);
        mean += theta * u[0] + (1 - theta) * u_k[0];
    }
    return mean;
}

pcs_status step_add_meeting(const trial *t, const pair_meeting *m, const pcs_feature *f,
                            const double *v, meeting_row row, pcs_arena *mem, candidates *list)
{
    pcs_law law;
    pcs_gap gap;
    const int shape[2] = {m->shape1, m->shape2};
    const double least = candidates_pair_gap(t, shape);
    PCS_TRY(contact_law(t, shape, &law));
    candidate *c = add(t, &law, contact_rows(t->m, &law, m->shape1, m->shape2), mem, list);
    if (!c) return pcs_fail_memory("step: a contact");
    const int i = list->n - 1;
    bodies_block *k = &list->k[i];
    int hint = 0;
    list_contact(t, i, shape, &law, f);
    PCS_TRY(take_mapped(t, c, mem));
    feature_pose at[2] = {{.q = m->path1.q ? m->q1 : NULL}, {.q = m->path2.q ? m->q2 : NULL}};
    PCS_TRY(candidate_contact(t->m, c, at, t->st->q, *mem, k, &gap));
    if (row == MEETING_OF_CENTRES) {
        memset(k->core, 0, sizeof k->core);
        memset(k->along, 0, sizeof k->along);
    } else {
        PCS_TRY(revolution_meeting(t, i, m->q1, m->q2, mem));
    }
    PCS_TRY(candidate_drive(t, c, k, t->st->q, mem));
    candidate_complete(t, c, k, &hint);

    // the gap at q_k along the normal of the meeting
    c->g[0] = gap.g - m->s * t->h * mean_approach(t, i, v);
    // the row is linear in the rotation: where it sees an overlap at q_k, the bodies may be apart
    c->g[0] = candidate_later_gap(c->g[0], least);
    move_back(&m->path1, m->q1, gap.P1, c->P1);
    move_back(&m->path2, m->q2, gap.P2, c->P2);
    c->proven = c->holds = true;
    PCS_TRY(step_take(t, c, *mem));
    c->bounces = c->bounces || row == MEETING_AT_ONCE;
    c->lands = !c->bounces && c->lands;
    return PCS_OK;
}

// true when contacts need memory, or callbacks of the user: they are then placed one after another
static bool in_order(const pcs_model *m)
{
    return m->n_driven > 0 || m->n_carried > 0 || m->n_planar > 0;
}

// places the contacts of the list from `first` on, a share per thread
typedef struct placing {
    const trial *t;
    const touches *near;
    const pcs_law *law; // of each pair
    int first;
} placing;

static void place_share(void *argument, int begin, int end)
{
    const placing *p = argument;
    const trial *t = p->t;
    const pcs_arena none = {0};
    feature_pose at[2] = {0};
    for (int k = begin, hint = 0; k < end; ++k) {
        const int pair = p->near->pair_of[k], i = p->first + k;
        list_contact(t, i, p->near->pair[pair], &p->law[pair], &p->near->f[k]);
        if (candidate_is_mapped(t->m, &t->list.c[i])) continue;
        const int from = p->near->from ? p->near->from[k] : -1;
        if (from < 0 || !take_place(t, i, &t->work->still.place[from])) {
            const pcs_status status = candidate_place(t, i, at, none);
            PCS_ASSERT(status == PCS_OK);
            (void)status;
        }
        if (!in_order(t->m)) candidate_complete(t, &t->list.c[i], &t->list.k[i], &hint);
    }
}

static pcs_status add_contacts(const trial *t, const touches *near, pcs_arena *mem,
                               candidates *list)
{
    const int first = list->n;
    // with memory for those that the end of the step adds
    const int cap = first + near->n + near->n / 32;
    if (!reserve(t, cap, mem, list)) return pcs_fail_memory("step: the contacts");

    // one after another, as the rule for laws may be a callback
    bool caps = false;
    pcs_arena scope = *mem;
    pcs_law *law = PCS_TAKE(&scope, (size_t)near->n_pairs, pcs_law);
    if (!law) return pcs_fail_memory("step: the contacts");
    for (int k = 0; k < near->n; ++k) {
        const int pair = near->pair_of[k];
        if (k > 0 && pair == near->pair_of[k - 1]) continue;
        PCS_TRY(contact_law(t, near->pair[pair], &law[pair]));
        for (int side = 0; side < 2; ++side) {
            caps |= t->m->shape[near->pair[pair][side]].shape.kind == PCS_SHAPE_CYLINDER;
        }
    }
    placing p = {t, near, law, first};
    threads_each(near->n < FEW_CONTACTS ? NULL : t->work->team, near->n, place_share, &p);
    list->n += near->n;
    if (caps) PCS_TRY(revolution_level_caps(t, first, mem));
    feature_pose at[2] = {0};
    for (int i = first, hint = 0; i < list->n && in_order(t->m); ++i) {
        if (candidate_is_mapped(t->m, &list->c[i])) {
            PCS_TRY(take_mapped(t, &list->c[i], mem));
            PCS_TRY(candidate_place(t, i, at, *mem));
        }
        PCS_TRY(candidate_drive(t, &list->c[i], &list->k[i], t->st->q, mem));
        candidate_complete(t, &list->c[i], &list->k[i], &hint);
    }
    return PCS_OK;
}

static bool was_loaded(const candidate *c)
{
    return c->was_active && c->r[0] > 0;
}

// Marks the contacts of the second faces of ridges among those of one pair, of the places from
// `first` to `end`. Those beyond which the edge lies take no part, unless the edges pressed on each
// other along more than one normal in the last step: along both faces, or along the direction
// between edges that were apart. Then they are at one place up to errors of the solver, and where
// one of them is behind a face, the gap along this face is that of the pair
static void mark_pair(const trial *t, int first, int end, candidates *list)
{
    const candidate *one = &list->c[first];
    const pcs_shape *s1 = &t->m->shape[one->key.shape1].shape;
    const pcs_shape *s2 = &t->m->shape[one->key.shape2].shape;
    bool ridge = false, on_one = was_loaded(one), on_other = false;
    if (end - first < 2 || !collide_may_ridge(s1, s2)) return;
    for (int i = first + 1; i < end; ++i) {
        candidate *c = &list->c[i];
        c->other_face = collide_of_ridge(c->feature, list->k[i].F, list->k[first].F);
        // edges that are apart begin with the direction between them
        if (c->other_face && !collide_is_of_face(one->feature)) c->was_active = false;
        ridge = ridge || c->other_face;
        if (was_loaded(c)) *(c->other_face ? &on_other : &on_one) = true;
    }
    if (!ridge) return;
    const bool edges = on_other || (!on_one && state_pressed_pair(t->st, one->key));
    for (int i = first + 1; i < end; ++i) {
        candidate *c = &list->c[i];
        if (!c->other_face) continue;
        c->refuted = !edges && collide_beyond(c->g[0], one->g[0], step_gap_rounding(t, c));
        c->g[0] = candidate_later_gap(c->g[0], one->g[0]);
    }
}

static void mark_ridges(const trial *t, int from, candidates *list)
{
    if (t->rule != PCS_ACTIVATION_SPECULATIVE) return;
    for (int i = from, end; i < list->n; i = end) {
        for (end = i + 1; end < list->n && contact_same_pair(&list->c[i].key, &list->c[end].key);) {
            candidates_fetch(list, end++);
        }
        mark_pair(t, i, end, list);
    }
}

// ---- the list at the start of the step -----------------------------------------------------------

pcs_status step_detect(const trial *t, double extra, pcs_arena *mem, candidates *list)
{
    touches near;
    PCS_TRY(skip_check_reach(t, extra));
    PCS_TRY(add_interactions(t, mem, list));
    PCS_TRY(step_find(t, t->st->q, extra, true, NULL, mem, &near));
    const int first = list->n;
    if (near.n > 0) PCS_TRY(add_contacts(t, &near, mem, list));
    mark_ridges(t, first, list);
    still_keep(t, &near, first);
    list->pair = near.pair;
    list->n_pairs = near.n_pairs;
    list->n_start = list->n;
    list->plain = PCS_TAKE(mem, (size_t)t->m->n_systems, bool);
    return list->plain ? PCS_OK : pcs_fail_memory("step: the contacts");
}
