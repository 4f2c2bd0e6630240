// Impulses on bodies in the last step: H^T r of some rows alone, on one body, as
//     f (inertial), m_G (body axes);  about a point p of the body  m_p = m_G - p x R^T f;
// those of joints with what they take where a projection lifts (brake.c).
#include "step/step.h"

#include <string.h>

#include "relations/joint_kinds.h"
#include "rotation/pose.h"
#include <percuss/query.h>

// cosine of the largest angle between the normals of a contact and its face
#define SAME_FACE 0.99500416527802577 // cos 0.1

// the contacts of a step are in two lists: the second one has those of skipped bodies (skip.c)
static const candidates *list_of(const pcs_work *wk, int number, int *n)
{
    const candidates *list = number == 0 ? &wk->list : &wk->skip.list;
    *n = number == 0 || wk->skips ? list->n : 0;
    return list;
}

// R of a body in the step; room for it where the step has not computed it
static const double *rotation_of(const pcs_work *wk, int body, double room[9])
{
    if (wk->skips && wk->skip.skipped[body]) {
        quat_matrix(wk->skip.q + wk->model->system[body].q_at + 3, room);
        return room;
    }
    return wk->rotation + 9 * (size_t)rotation_at(wk->model, body);
}

// adds the impulse of a candidate on a body, an index
static void add_impulse(const pcs_work *wk, const candidates *list, int i, int body,
                        double wrench[6])
{
    const candidate *c = &list->c[i];
    double R[9];
    for (int side = 0; side < 2; ++side) {
        if ((side == 0 ? c->pose1 : c->pose2) != body) continue;

        // as if the body were the only one, and moved by itself
        const int start[2] = {0, BODY_NV};
        bodies_block one = list->k[i];
        one.sys[1 - side] = -1;
        one.sys[side] = 0;
        if (is_carried(wk->model, body)) {
            one.rows[side] = c->joint ? c->joint->carried[side] : NULL;
        }
        bodies_block_impulse(&one, start, rotation_of(wk, body, R), c->r, wrench);
    }
}

static void add_numbers(const double *from, double wrench[6])
{
    for (int i = 0; i < 6; ++i) {
        wrench[i] += from[i];
    }
}

static bool has_wrench(const model_system *s)
{
    return s && (s->kind == SYSTEM_BODY || s->carrier.id > 0);
}

// the index of a body that forces or a carrier move, -1 for any other system and before a step
static int body_of(const pcs_work *wk, pcs_system body)
{
    return wk && has_wrench(model_find(wk->model, body)) ? body.id - 1 : -1;
}

// adds what candidate i, of a joint, takes from a body where a projection lifts
static void add_brake(const pcs_work *wk, int i, int body, double wrench[6])
{
    const candidate *c = &wk->list.c[i];
    for (int side = 0; wk->braked && side < 2; ++side) {
        if ((side == 0 ? c->pose1 : c->pose2) != body) continue;
        add_numbers(wk->braked + 12 * (size_t)i + 6 * side, wrench);
    }
}

void pcs_work_contact_wrench(const pcs_work *wk, pcs_system system, double wrench[6])
{
    memset(wrench, 0, 6 * sizeof *wrench);
    const int body = body_of(wk, system);
    for (int k = 0; body >= 0 && k < 2; ++k) {
        int n;
        const candidates *list = list_of(wk, k, &n);
        for (int i = 0; i < n; ++i) {
            if (!list->c[i].kept_on) add_impulse(wk, list, i, body, wrench);
        }
    }
    for (int i = 0; body >= 0 && i < wk->list.n && wk->list.c[i].joint; ++i) {
        add_brake(wk, i, body, wrench);
    }
}

double pcs_work_step_size(const pcs_work *wk)
{
    return wk && wk->model ? wk->h : 0;
}

// ---- frames ------------------------------------------------------------------------------------

pcs_body_frame pcs_body_frame_of(pcs_system body)
{
    return (pcs_body_frame){.body = body, .orientation = {1, 0, 0, 0}};
}

static pcs_status check_frame(const char *who, const pcs_work *wk, const pcs_body_frame *frame)
{
    const model_system *s = model_find(wk->owner, frame->body);
    if (!has_wrench(s)) {
        char words[PART_WORDS];
        return pcs_fail(PCS_ERR_ARG, "%s: %s is no body that forces move; give the frame to one",
                        who, part_words(wk->owner, PART_SYSTEM, "system ", frame->body.id, words));
    }
    const double *Q = frame->orientation;
    const bool has_axes = pcs_all_finite(Q, 4) && (frame->inertial || pcs_quat_norm(Q) > 0);
    if (has_axes && pcs_all_finite(frame->origin, 3)) return PCS_OK;
    return pcs_fail(PCS_ERR_ARG, "%s: the frame is not finite, or its quaternion zero", who);
}

static void into_frame(const pcs_work *wk, const pcs_body_frame *frame, const double about_G[6],
                       double wrench[6])
{
    double R[9], f[3], m[3];
    const double *of = rotation_of(wk, frame->body.id - 1, R);
    if (of != R) memcpy(R, of, sizeof R);
    m3_mul_t(R, about_G, f);
    v3_cross(frame->origin, f, m);
    v3_sub(about_G + 3, m, m);
    if (frame->inertial) {
        v3_copy(about_G, wrench);
        m3_mul(R, m, wrench + 3);
    } else {
        quat_turn(frame->orientation, -1, f, wrench);
        quat_turn(frame->orientation, -1, m, wrench + 3);
    }
}

// ---- wrenches ----------------------------------------------------------------------------------

// the first candidate of an interaction, or n: interactions come first, in their order
static int find_interaction(const pcs_work *wk, pcs_interaction interaction)
{
    const candidate *c = wk->list.c;
    int low = 0, high = wk->list.n;
    while (low < high) {
        const int mid = low + (high - low) / 2;
        if (c[mid].interaction >= 0 && c[mid].interaction < interaction.id - 1) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low < wk->list.n && c[low].interaction == interaction.id - 1 ? low : wk->list.n;
}

static bool is_of(const pcs_work *wk, int i, pcs_interaction interaction)
{
    return i < wk->list.n && wk->list.c[i].interaction == interaction.id - 1;
}

void work_reaction(const pcs_work *wk, pcs_interaction interaction, pcs_system system,
                   double wrench[6])
{
    const int body = body_of(wk, system);
    memset(wrench, 0, 6 * sizeof *wrench);
    if (body < 0) return;
    for (int i = find_interaction(wk, interaction); is_of(wk, i, interaction); ++i) {
        add_impulse(wk, &wk->list, i, body, wrench);
        add_brake(wk, i, body, wrench);
    }
}

void work_carried_pose(const pcs_work *wk, pcs_interaction interaction, pcs_system body,
                       const double **q)
{
    const int i = body_of(wk, body) < 0 ? wk->list.n : find_interaction(wk, interaction);
    if (!is_of(wk, i, interaction)) return;
    const candidate *c = &wk->list.c[i];
    const double *rows = c->joint->carried[c->pose1 == body.id - 1 ? 0 : 1];
    if (rows) *q = rows + 6 * (size_t)c->dim;
}

pcs_status pcs_work_reaction(const pcs_work *wk, pcs_interaction interaction,
                             const pcs_body_frame *frame, double wrench[6])
{
    static const char who[] = "pcs_work_reaction";
    if (!wk || !frame || !wrench) return pcs_fail(PCS_ERR_ARG, "%s: an argument is null", who);
    memset(wrench, 0, 6 * sizeof *wrench);
    const pcs_model *m = wk->owner;
    if (interaction.id < 1 || interaction.id > m->n_interactions) {
        return pcs_fail(PCS_ERR_ARG, "%s: there is no interaction %d", who, interaction.id);
    }
    PCS_TRY(check_frame(who, wk, frame));
    const pcs_interaction_def *def = &m->interaction[interaction.id - 1];
    if (def->system1.id != frame->body.id && def->system2.id != frame->body.id) {
        char one[PART_WORDS], two[PART_WORDS];
        return pcs_fail(PCS_ERR_ARG, "%s: %s does not hold %s", who,
                        part_words(m, PART_INTERACTION, "interaction ", interaction.id, one),
                        part_words(m, PART_SYSTEM, "system ", frame->body.id, two));
    }
    if (body_of(wk, frame->body) < 0) return PCS_OK; // no step yet
    double about_G[6];
    work_reaction(wk, interaction, frame->body, about_G);
    into_frame(wk, frame, about_G, wrench);
    return PCS_OK;
}

pcs_status pcs_work_joint_effort(const pcs_work *wk, pcs_interaction interaction, double *effort)
{
    static const char who[] = "pcs_work_joint_effort";
    if (!wk || !effort) return pcs_fail(PCS_ERR_ARG, "%s: an argument is null", who);
    const pcs_model *m = wk->owner;
    const bool exists = interaction.id >= 1 && interaction.id <= m->n_interactions;
    if (!exists || !joint_is_coordinate(&m->interaction[interaction.id - 1].relation)) {
        return pcs_fail(PCS_ERR_ARG, "%s: interaction %d is no motor", who, interaction.id);
    }
    double turn;
    const double size = joint_row_size(&m->interaction[interaction.id - 1].relation, &turn);
    *effort = 0;
    const int i = find_interaction(wk, interaction);
    if (is_of(wk, i, interaction)) *effort = size * wk->list.c[i].r[0] / (wk->h > 0 ? wk->h : 1);
    return PCS_OK;
}

pcs_status pcs_work_pair_wrench(const pcs_work *wk, pcs_system other, const pcs_body_frame *frame,
                                double wrench[6])
{
    static const char who[] = "pcs_work_pair_wrench";
    if (!wk || !frame || !wrench) return pcs_fail(PCS_ERR_ARG, "%s: an argument is null", who);
    memset(wrench, 0, 6 * sizeof *wrench);
    PCS_TRY(check_frame(who, wk, frame));
    if (other.id != 0 && !model_find(wk->owner, other)) {
        return pcs_fail(PCS_ERR_ARG, "%s: there is no system %d", who, other.id);
    }
    double about_G[6] = {0};
    const int body = body_of(wk, frame->body);
    if (body < 0) return PCS_OK;
    for (int k = 0; k < 2; ++k) {
        int n;
        const candidates *list = list_of(wk, k, &n);
        for (int i = 0; i < n; ++i) {
            const candidate *c = &list->c[i];
            if (c->interaction >= 0 || c->kept_on) continue;
            const bool first = c->pose1 == body && c->pose2 == other.id - 1;
            const bool second = c->pose2 == body && c->pose1 == other.id - 1;
            if (first || second) add_impulse(wk, list, i, body, about_G);
        }
    }
    into_frame(wk, frame, about_G, wrench);
    return PCS_OK;
}

// ---- pressure ----------------------------------------------------------------------------------

// true when a contact of a shape is on its face with the outward normal n (unit, frame of the
// shape)
static bool on_face(const pcs_work *wk, const candidates *list, int i, bool first,
                    const pcs_shape *s, const double n[3])
{
    const candidate *c = &list->c[i];
    double outward[3], R[9];
    if (first) {
        // body 1 moves
        m3_mul_t(rotation_of(wk, c->pose1, R), candidate_first(list, i)->F, outward);
        v3_scale(-1, outward, outward);
    } else {
        v3_copy(c->feature->n2, outward);
    }
    quat_turn(s->orientation, -1, outward, outward);
    return v3_dot(outward, n) >= SAME_FACE;
}

static void add_pressure(const candidates *list, int i, bool first, pcs_pressure *out)
{
    const candidate *c = &list->c[i];
    const double *F = candidate_first(list, i)->F, sign = first ? 1 : -1;
    out->contacts += 1;
    out->normal += c->r[0];
    for (int k = 0; k < c->dim; ++k) {
        v3_along(out->impulse, sign * c->r[k], F + 3 * k, out->impulse);
    }
    v3_along(out->centre, c->r[0], first ? c->P1 : c->P2, out->centre);
}

pcs_status pcs_work_pressure(const pcs_work *wk, int shape, int by, const double *face,
                             pcs_pressure *out)
{
    static const char who[] = "pcs_work_pressure";
    if (!wk || !out) return pcs_fail(PCS_ERR_ARG, "%s: an argument is null", who);
    *out = (pcs_pressure){0};
    const pcs_model *m = wk->owner;
    if (shape < 0 || shape >= m->n_shapes || by < -1 || by >= m->n_shapes) {
        return pcs_fail(PCS_ERR_ARG, "%s: there is no shape %d; the model has %d, from 0", who,
                        shape < 0 || shape >= m->n_shapes ? shape : by, m->n_shapes);
    }
    double n[3];
    if (face && (!pcs_all_finite(face, 3) || !(v3_unit(face, n) > 0))) {
        return pcs_fail(PCS_ERR_ARG, "%s: the normal of the face is zero or not finite", who);
    }
    for (int k = 0; wk->model && k < 2; ++k) {
        int count;
        const candidates *list = list_of(wk, k, &count);
        for (int i = 0; i < count; ++i) {
            const candidate *c = &list->c[i];
            const bool first = c->key.shape1 == shape, second = c->key.shape2 == shape;
            if (c->interaction >= 0 || !(first || second) || !(c->r[0] > 0)) continue;
            const int other = first ? c->key.shape2 : c->key.shape1;
            if (c->kept_on || (by >= 0 && other != by)) continue;
            if (face && !on_face(wk, list, i, first, &m->shape[shape].shape, n)) continue;
            add_pressure(list, i, first, out);
        }
    }
    if (out->normal > 0) v3_scale(1 / out->normal, out->centre, out->centre);
    return PCS_OK;
}
