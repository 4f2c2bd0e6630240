// The candidates for contact: interactions of the model, and features of shapes within reach, with
// their gaps, rows and velocities at q_k; and features that overlap at q'.
#include <string.h>

#include "collide/collide.h"
#include "laws/law.h"
#include "linalg/m3.h"
#include "relations/joint_kinds.h"
#include "rotation/pose.h"
#include "rotation/rotation.h"
#include "step/confirm.h"
#include "step/path.h"
#include "step/project.h"
#include "step/skip.h"
#include "step/still.h"

// with fewer contacts one thread is faster
#define FEW_CONTACTS 128

// 1 - cos of the angle up to which two normals are one: 1e-3 rad
#define SAME_NORMAL 5e-7

// two reaches are one, up to rounding
#define SAME_REACH 1e-6

// relative to the size of a shape: a length that is rounding
#define ON_AXIS 1e-12

// the same of a lever about the axis: that of a cap at rest is not zero
#define TILTED 1e-6

// relative difference up to which two moments of inertia are one
#define SYMMETRIC 1e-9

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

// velocities at the start, and the impulses of the last step
static void complete(const trial *t, candidate *c, const bodies_block *k, int *hint)
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
    complete(t, c, k, &hint);
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

// gap and rows; at: zeroed, or the poses of the contact before it
static pcs_status place_contact(const trial *t, int i, feature_pose at[2], pcs_arena mem)
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

static pcs_status law_of(const trial *t, const int shape[2], pcs_law *out)
{
    const pcs_model *m = t->m;
    return law_between(m, t->laws, m->shape[shape[0]].material, m->shape[shape[1]].material, out);
}

static bool same_pair(const contact_key *a, const contact_key *b)
{
    return a->shape1 == b->shape1 && a->shape2 == b->shape2;
}

static bool pair_before(const contact_key *a, const contact_key *b)
{
    const int a0 = a->shape1 < a->shape2 ? a->shape1 : a->shape2, a1 = a->shape1 + a->shape2 - a0;
    const int b0 = b->shape1 < b->shape2 ? b->shape1 : b->shape2, b1 = b->shape1 + b->shape2 - b0;
    return a0 < b0 || (a0 == b0 && a1 < b1);
}

// The place in the list of a contact of a pair, or -1. Interactions come first, then the contacts
// found at the start, sorted by pair. Callers search in the same order: the search starts at
// *cursor, the end of the last one. Contacts added later are in any order.
static int find_listed(const trial *t, int shape1, int shape2, int *cursor)
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
    if (low < n && same_pair(&c[low].key, &key)) return low;
    for (int i = n; i < t->list.n; ++i) {
        if (same_pair(&c[i].key, &key)) return i;
    }
    return -1;
}

// m: the least gap of a pair at q_k; 0: those not found there are apart
static double pair_gap(const trial *t, const int shape[2])
{
    int cursor = 0, i = find_listed(t, shape[0], shape[1], &cursor);
    if (i < 0 || i >= t->list.n_start) return 0;
    const candidate *first = &t->list.c[i];
    double least = first->g[0];
    while (++i < t->list.n_start && same_pair(&t->list.c[i].key, &first->key)) {
        least = fmin(least, t->list.c[i].g[0]);
    }
    return least;
}

// The gap at q_k of a feature found later. The features of bodies that turn or pass each other may
// overlap at q_k while the shapes are `least` apart
static double later_gap(double g, double least)
{
    return g < 0 ? fmax(g, least) : g;
}

// The axis of a shape of revolution through G, in the frame of the body; false: it has none
static bool axis_through_G(const pcs_shape *s, double e[3])
{
    static const double z[3] = {0, 0, 1};
    const double tiny = ON_AXIS * shape_radius(s);
    if (s->kind == PCS_SHAPE_SPHERE) return v3_unit(s->position, e) > tiny;
    if (s->kind != PCS_SHAPE_CAPSULE && s->kind != PCS_SHAPE_CYLINDER) return false;
    double off[3];
    quat_turn(s->orientation, 1, z, e);
    v3_cross(s->position, e, off);
    return v3_norm(off) <= tiny;
}

// true when all directions across e have the same moment of inertia: only moments change the spin
static bool is_symmetric_about(const double e[3], const double J[9])
{
    double Je[3], most = 0;
    m3_mul(J, e, Je);
    const double trace = J[0] + J[4] + J[8], along = v3_dot(e, Je), across = 0.5 * (trace - along);
    for (int i = 0; i < 9; ++i) {
        const double of = (along - across) * e[i / 3] * e[i % 3] + (i % 4 == 0 ? across : 0);
        most = fmax(most, fabs(J[i] - of));
    }
    return most <= SYMMETRIC * trace;
}

// The part about e of the rotation from the pose q_k to q, in the frame of the body
static void twist_about(const double e[3], const double *q_k, const double *q, double twist[4])
{
    const double back[4] = {q_k[3], -q_k[4], -q_k[5], -q_k[6]};
    quat_mul(back, q + 3, twist);
    v3_scale(v3_dot(twist + 1, e), e, twist + 1);
    if (twist[0] == 0 && v3_norm(twist + 1) == 0) twist[0] = 1;
}

// Rows of a side for the meeting at the pose q, which turn with the axis of a shape of revolution.
// There the normal meets the axis, but not the axis at q_k: the lever of the meeting, about G at
// q_k, would change the spin of the body about its axis. So the moment is turned from the axis at q
// to that at q_k, by the least rotation. In the frame of the body this is R^T m, turned by the
// part of the rotation from q_k to q that is about the axis: spinning does not turn it. What is
// left about the axis is that of points on a cap that is not parallel to what it meets.
static pcs_status turn_with_axis(const trial *t, candidate *c, int side, const double *q,
                                 double tiny, pcs_arena *mem, bodies_block *k)
{
    const int system = side == 0 ? c->pose1 : c->pose2;
    const pcs_shape *s = &t->m->shape[side == 0 ? c->key.shape1 : c->key.shape2].shape;
    double e[3], at_q_k[3], m[3], lever[3], twist[4];
    if (k->sys[side] < 0 || is_mapped(t->m, system) || !axis_through_G(s, e)) return PCS_OK;
    if (!is_symmetric_about(e, t->m->system[system].J)) return PCS_OK;
    const double *q_k = system_q(t->m, system, t->st->q), sign = side == 0 ? 1 : -1;
    pose_direction(q_k, e, at_q_k);
    v3_cross(k->core[side], k->F, m);
    if (fabs(v3_dot(m, at_q_k)) <= tiny * shape_radius(s)) return PCS_OK;
    PCS_TRY(candidate_take_rows(t->m, system, k->dim, mem, &c->J[side]));
    twist_about(e, q_k, q, twist);
    v3_along(k->core[side], k->along[side], k->F, lever);
    for (int i = 0; i < k->dim; ++i) {
        v3_cross(i == 0 ? k->core[side] : lever, k->F + 3 * i, m);
        pose_direction_back(q, m, m);
        quat_turn(twist, 1, m, m);
        if (i == 0) v3_along(m, -v3_dot(m, e), e, m);
        for (int a = 0; a < 3; ++a) {
            c->J[side][i + k->dim * a] = sign * k->F[a + 3 * i];
            c->J[side][i + k->dim * (3 + a)] = sign * m[a];
        }
    }
    k->rows[side] = c->J[side];
    return PCS_OK;
}

// The same at q_k for contact i: the normal of a feature of another pose, or of a point of a cap
// that is tilted on what it meets, misses the axis
static pcs_status level(const trial *t, int i, pcs_arena *mem)
{
    candidate *c = &t->list.c[i];
    const double *q1 = system_q(t->m, c->pose1, t->st->q), *q2 = system_q(t->m, c->pose2, t->st->q);
    PCS_TRY(turn_with_axis(t, c, 0, q1, TILTED, mem, &t->list.k[i]));
    return turn_with_axis(t, c, 1, q2, TILTED, mem, &t->list.k[i]);
}

// those of caps found at the start that are apart. Closed ones rest, where these moments balance:
// they keep their levers
static pcs_status level_caps(const trial *t, int first, pcs_arena *mem)
{
    for (int i = first; i < t->list.n; ++i) {
        candidate *c = &t->list.c[i];
        const bodies_block *k = &t->list.k[i];
        candidates_fetch(&t->list, i);
        if (candidate_is_mapped(t->m, c) || !(c->g[0] > contact_slop(t, c))) continue;
        PCS_TRY(level(t, i, mem));
        if (!k->rows[0] && !k->rows[1]) continue;
        bodies_block_velocity(k, t->m->block_start, t->rotation_k, t->st->v, c->u_k);
    }
    return PCS_OK;
}

static pcs_status add_contact(const trial *t, const int shape[2], const pcs_feature *f,
                              pcs_arena *mem, candidates *list)
{
    pcs_law law;
    const int one = t->m->shape[shape[0]].system, two = t->m->shape[shape[1]].system;
    if (skips(t, one) || skips(t, two)) return skip_touch(t, skips(t, one) ? one : two);
    PCS_TRY(law_of(t, shape, &law));
    candidate *c = add(t, &law, contact_rows(t->m, &law, shape[0], shape[1]), mem, list);
    if (!c) return pcs_fail_memory("step: a contact");
    const int i = list->n - 1;
    int hint = 0;
    list_contact(t, i, shape, &law, f);
    feature_pose at[2] = {0};
    PCS_TRY(take_mapped(t, c, mem));
    PCS_TRY(place_contact(t, i, at, *mem));
    PCS_TRY(level(t, i, mem));
    c->g[0] = later_gap(c->g[0], pair_gap(t, shape));
    PCS_TRY(candidate_drive(t, c, &list->k[i], t->st->q, mem));
    complete(t, c, &list->k[i], &hint);
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
    const double least = pair_gap(t, shape);
    PCS_TRY(law_of(t, shape, &law));
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
        PCS_TRY(turn_with_axis(t, c, 0, m->q1, ON_AXIS, mem, k));
        PCS_TRY(turn_with_axis(t, c, 1, m->q2, ON_AXIS, mem, k));
    }
    PCS_TRY(candidate_drive(t, c, k, t->st->q, mem));
    complete(t, c, k, &hint);

    // the gap at q_k along the normal of the meeting
    c->g[0] = gap.g - m->s * t->h * mean_approach(t, i, v);
    // the row is linear in the rotation: where it sees an overlap at q_k, the bodies may be apart
    c->g[0] = later_gap(c->g[0], least);
    move_back(&m->path1, m->q1, gap.P1, c->P1);
    move_back(&m->path2, m->q2, gap.P2, c->P2);
    c->proven = c->holds = true;
    PCS_TRY(step_take(t, c, *mem));
    c->bounces = c->bounces || row == MEETING_AT_ONCE;
    c->lands = !c->bounces && c->lands;
    return PCS_OK;
}

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
            const pcs_status status = place_contact(t, i, at, none);
            PCS_ASSERT(status == PCS_OK);
            (void)status;
        }
        if (!in_order(t->m)) complete(t, &t->list.c[i], &t->list.k[i], &hint);
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
        PCS_TRY(law_of(t, near->pair[pair], &law[pair]));
        for (int side = 0; side < 2; ++side) {
            caps |= t->m->shape[near->pair[pair][side]].shape.kind == PCS_SHAPE_CYLINDER;
        }
    }
    placing p = {t, near, law, first};
    threads_each(near->n < FEW_CONTACTS ? NULL : t->work->team, near->n, place_share, &p);
    list->n += near->n;
    if (caps) PCS_TRY(level_caps(t, first, mem));
    feature_pose at[2] = {0};
    for (int i = first, hint = 0; i < list->n && in_order(t->m); ++i) {
        if (candidate_is_mapped(t->m, &list->c[i])) {
            PCS_TRY(take_mapped(t, &list->c[i], mem));
            PCS_TRY(place_contact(t, i, at, *mem));
        }
        PCS_TRY(candidate_drive(t, &list->c[i], &list->k[i], t->st->q, mem));
        complete(t, &list->c[i], &list->k[i], &hint);
    }
    return PCS_OK;
}

// ---- the list at both ends of the step ---------------------------------------------------------

pcs_status step_detect(const trial *t, double extra, pcs_arena *mem, candidates *list)
{
    touches near;
    PCS_TRY(skip_check_reach(t, extra));
    PCS_TRY(add_interactions(t, mem, list));
    PCS_TRY(step_find(t, t->st->q, extra, true, NULL, mem, &near));
    const int first = list->n;
    if (near.n > 0) PCS_TRY(add_contacts(t, &near, mem, list));
    still_keep(t, &near, first);
    list->pair = near.pair;
    list->n_pairs = near.n_pairs;
    list->n_start = list->n;
    list->plain = PCS_TAKE(mem, (size_t)t->m->n_systems, bool);
    return list->plain ? PCS_OK : pcs_fail_memory("step: the contacts");
}

// The listed contact of a key, or null: beside place i, which has a contact of the same pair, or
// among those added later, which are in any order.
static candidate *find_feature(const trial *t, int i, contact_key key)
{
    candidate *c = t->list.c;
    for (int k = i; k < t->list.n && same_pair(&c[k].key, &key); ++k) {
        if (c[k].key.feature == key.feature) return &c[k];
    }
    for (int k = i - 1; k >= 0 && same_pair(&c[k].key, &key); --k) {
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
    while (k > 0 && same_pair(&list->c[k - 1].key, &key)) {
        --k;
    }
    for (; k < list->n && same_pair(&list->c[k].key, &key); ++k) {
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
    const double least = pair_gap(t, (const int[]){c->key.shape1, c->key.shape2});
    c->feature = f;
    list->n_plain = 0;
    PCS_TRY(place_contact(t, i, at, *mem));
    c->g[0] = later_gap(c->g[0], least);
    PCS_TRY(candidate_drive(t, c, &t->list.k[i], t->st->q, mem));
    complete(t, c, &t->list.k[i], &hint);
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
        const bool waits = !c->active && !c->held && !c->bounces && !c->lands && !c->refuted;
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
        if (find_listed(t, pair[k][0], pair[k][1], &cursor) >= 0) continue;
        const double reach =
            step_reach(&moved, pair[k][0], pair[k][1]) + step_reach(&moved, pair[k][1], pair[k][0]);
        pcs_feature *f;
        int n;
        PCS_TRY(pair_features(m, pair[k][0], pair[k][1], system_q(m, one, t->st->q),
                              system_q(m, two, t->st->q), reach, mem, &f, &n));
        for (int i = 0; i < n; ++i) {
            PCS_TRY(add_contact(t, pair[k], &f[i], mem, list));
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
        const int first = find_listed(t, pair[0], pair[1], &cursor);
        const contact_key key = {pair[0], pair[1], over.f[k].id};
        candidate *known = first < 0 ? NULL : find_feature(t, first, key);
        if (at_end) mark_overlap(t, list, first, &over.f[k]);
        if (known) {
            known->closed = true;
            if (at_end) PCS_TRY(turn_to(t, known, &over.f[k], mem, list));
            continue;
        }
        // a rebound belongs to the next step, with the speed at the start of that step, but the
        // contact must be known where a projection lifts
        pcs_law law;
        PCS_TRY(law_of(t, pair, &law));
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
        PCS_TRY(add_contact(t, pair, &over.f[k], mem, list));
        if (waits && list->n > n) list->c[n].lands = true;
    }
    return PCS_OK;
}
