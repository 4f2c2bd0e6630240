// Who touches whom, and where: candidates for contact at q_k with their gaps, rows J (u = J v)
// and velocities, and the interactions of the model beside them.
#include "step/step.h"

#include <string.h>

#include "collide/broad.h"
#include "collide/collide.h"
#include "laws/law.h"
#include "linalg/bsr.h"
#include "linalg/m3.h"
#include "rotation/pose.h"

// ---- one candidate -----------------------------------------------------------------------------

pcs_status candidate_gap(const pcs_model *m, const candidate *c, const double *q, pcs_arena mem,
                         double *g)
{
    const double *q1 = system_q(m, c->sys1, q), *q2 = system_q(m, c->sys2, q);
    if (c->interaction < 0) {
        pcs_gap gap;
        pcs_feature_gap(&c->feature, q1, q2, &gap);
        g[0] = gap.g;
        return PCS_OK;
    }

    const pcs_relation *rel = &m->interaction[c->interaction].relation;
    double *all = PCS_TAKE(&mem, (size_t)rel->dim, double);
    if (!all) return pcs_fail_memory("step: an interaction");
    if (pcs_relation_gap(rel, q1, q2, all) != PCS_OK) {
        return pcs_fail(PCS_ERR_CALLBACK,
                        "the gap callback of interaction %d failed, or left an entry unset or not"
                        " finite",
                        c->interaction + 1);
    }
    memcpy(g, all + c->row, (size_t)candidate_gaps(c) * sizeof *g);
    return PCS_OK;
}

// whether a side of a feature has no core point to take levers from
static bool has_no_point(const pcs_feature *f, int side)
{
    if (side == 1) return f->kind == PCS_PLANE_POINT || f->kind >= PCS_EDGE_POINT;
    return f->kind == PCS_POINT_PLANE || f->kind == PCS_POINT_EDGE || f->kind == PCS_EDGE_EDGE;
}

// R^T (GP x N), the moment of a unit normal impulse about G in the body frame. A point feature
// needs no lever: p x R^T N with p its core, since the radius is parallel to N. So the moment of
// a sphere's contact about its centre is exactly zero.
static void normal_moment(const pcs_feature *f, int side, const double *q, const pcs_gap *gap,
                          double out[3])
{
    double R[9];
    pcs_quat_to_matrix(q + 3, R);
    if (has_no_point(f, side)) {
        double lever[3], moment[3];
        v3_sub(side == 1 ? gap->P1 : gap->P2, q, lever);
        v3_cross(lever, gap->N, moment);
        m3_mul_t(R, moment, out);
        return;
    }
    double N[3];
    m3_mul_t(R, gap->N, N);
    v3_cross(side == 1 ? f->p1 : f->p2, N, out);
}

#ifndef NDEBUG
// |C (0, Q)| over 1 + |C|: zero for a gap that depends on R(Q/|Q|) only (theory 8.3)
static double radial_part(const double *q, const double *C)
{
    double along = 0, square = 0;
    for (int i = 0; i < 4; ++i) {
        along += C[3 + i] * q[3 + i];
        square += C[3 + i] * C[3 + i];
    }
    return fabs(along) / (1 + sqrt(square));
}
#endif

// the 1 x 6 row of one side and, when asked, its 1 x 7 gradient: (N, 2/|Q|^2 L R^T (GP x N))
static void contact_rows(const pcs_feature *f, int side, const double *q, const pcs_gap *gap,
                         double *J, double *C)
{
    const double sign = side == 1 ? 1 : -1;
    double moment[3];
    normal_moment(f, side, q, gap, moment);
    for (int i = 0; i < 3; ++i) {
        J[i] = sign * gap->N[i];
        J[3 + i] = sign * moment[i];
    }
    if (!C) return;

    double L[12];
    pcs_quat_left(q + 3, L);
    const double s = 2 / (q[3] * q[3] + q[4] * q[4] + q[5] * q[5] + q[6] * q[6]);
    for (int i = 0; i < 3; ++i) {
        C[i] = J[i];
    }
    for (int i = 0; i < 4; ++i) {
        C[3 + i] = s * (L[i] * J[3] + L[i + 4] * J[4] + L[i + 8] * J[5]);
    }
    PCS_ASSERT(radial_part(q, C) <= 1e-12);
}

// How far from its own contact point, in units of the gap and towards the other one, friction acts
// on a side (D-2). P1 - P2 = g N, so the normal row does not see it.
static double lever_share(const pcs_model *m, const candidate *c, int side)
{
    switch (m->scheme.lever) {
    case PCS_LEVER_OWN:
        return 0;
    case PCS_LEVER_FIRST:
        return side == 1 ? 0 : 1;
    case PCS_LEVER_MIDPOINT:
        break;
    }
    return c->J1 && c->J2 ? 0.5 : 0;
}

// R^T (GP x t1) and R^T (GP x t2), with P the point of `gap` moved by `share` of the gap. Where
// there is a core point p, GP = R p - rho N with rho the radius and the share: no difference of
// large coordinates, and N x t1 = t2 leaves the spin of a sphere about N alone.
static void tangent_moments(const pcs_feature *f, int side, const double *q, const pcs_gap *gap,
                            double share, const double F[9], double out[2][3])
{
    const double sign = side == 1 ? 1 : -1;
    double R[9];
    pcs_quat_to_matrix(q + 3, R);
    if (has_no_point(f, side)) {
        double lever[3], moment[3];
        v3_sub(side == 1 ? gap->P1 : gap->P2, q, lever);
        v3_along(lever, -sign * share * gap->g, gap->N, lever);
        for (int k = 0; k < 2; ++k) {
            v3_cross(lever, F + 3 + 3 * k, moment);
            m3_mul_t(R, moment, out[k]);
        }
        return;
    }
    const double *p = side == 1 ? f->p1 : f->p2;
    const double rho = sign * ((side == 1 ? f->radius1 : f->radius2) + share * gap->g);
    double t[2][3];
    for (int k = 0; k < 2; ++k) {
        m3_mul_t(R, F + 3 + 3 * k, t[k]);
        v3_cross(p, t[k], out[k]);
    }
    v3_along(out[0], -rho, t[1], out[0]);
    v3_along(out[1], rho, t[0], out[1]);
}

// the 3 x 6 rows N, T1, T2 of one side: CT, or -CT of the second
static void friction_rows(const pcs_model *m, const candidate *c, int side, const double *q,
                          const pcs_gap *gap, const double F[9], double *J)
{
    double row[6], moment[2][3];
    contact_rows(&c->feature, side, q, gap, row, NULL);
    tangent_moments(&c->feature, side, q, gap, lever_share(m, c, side), F, moment);
    const double sign = side == 1 ? 1 : -1;
    for (int i = 0; i < 6; ++i) {
        J[3 * i] = row[i];
    }
    for (int k = 0; k < 2; ++k) {
        for (int i = 0; i < 3; ++i) {
            J[1 + k + 3 * i] = sign * F[3 + 3 * k + i];
            J[1 + k + 3 * (3 + i)] = sign * moment[k][i];
        }
    }
}

// the frame of a contact whose normal has become N: t1 follows with as little turning as there can
// be, where the rule for new frames may turn by a right angle
static void carry_frame(const double from[9], const double N[3], double F[9])
{
    v3_copy(N, F);
    v3_along(from + 3, -v3_dot(N, from + 3), N, F + 3);
    if (v3_unit(F + 3, F + 3) < 0.1) {
        pcs_contact_frame(N, F);
        return;
    }
    v3_cross(N, F + 3, F + 6);
}

// J = C T of one system
static void times_T(const model_system *s, int dim, const double *q, const double *C, double *J)
{
    if (s->kind == SYSTEM_LAGRANGIAN) {
        memcpy(J, C, (size_t)dim * (size_t)s->nv * sizeof *J);
        return;
    }
    double T[42];
    pcs_body_T(q, T);
    memset(J, 0, 6 * (size_t)dim * sizeof *J);
    for (int j = 0; j < 6; ++j) {
        block_addmul(dim, 7, C, T + 7 * j, J + (size_t)dim * (size_t)j);
    }
}

// rows row .. row + dim - 1 of a D x n matrix
static void take_rows(int D, int n, const double *all, int row, int dim, double *out)
{
    for (int j = 0; j < n; ++j) {
        memcpy(out + (size_t)dim * (size_t)j, all + row + (size_t)D * (size_t)j,
               (size_t)dim * sizeof *out);
    }
}

static pcs_status interaction_rows(const pcs_model *m, const candidate *c, int dim, const double *q,
                                   pcs_arena mem, double *J1, double *J2, double *C1, double *C2)
{
    const pcs_relation *rel = &m->interaction[c->interaction].relation;
    const model_system *s1 = &m->system[c->sys1], *s2 = c->sys2 < 0 ? NULL : &m->system[c->sys2];
    const int nq1 = s1->nq, nq2 = s2 ? s2->nq : 0;
    const size_t n1 = (size_t)rel->dim * (size_t)nq1, n2 = (size_t)rel->dim * (size_t)nq2;
    double *all1 = PCS_TAKE(&mem, n1, double), *all2 = PCS_TAKE(&mem, n2, double);
    double *own1 = C1 ? C1 : PCS_TAKE(&mem, (size_t)dim * (size_t)nq1, double);
    double *own2 = C2 ? C2 : PCS_TAKE(&mem, (size_t)dim * (size_t)nq2, double);
    if (!all1 || !all2 || !own1 || !own2) return pcs_fail_memory("step: an interaction");

    const double *q1 = system_q(m, c->sys1, q), *q2 = system_q(m, c->sys2, q);
    if (pcs_relation_gradient(rel, nq1, q1, nq2, q2, all1, s2 ? all2 : NULL) != PCS_OK) {
        return pcs_fail(PCS_ERR_CALLBACK,
                        "the gradient callback of interaction %d failed, or gave a number that is"
                        " not finite",
                        c->interaction + 1);
    }
    take_rows(rel->dim, nq1, all1, c->row, dim, own1);
    take_rows(rel->dim, nq2, all2, c->row, dim, own2);
    if (J1) times_T(s1, dim, q1, own1, J1);
    if (J2) times_T(s2, dim, q2, own2, J2);
    return PCS_OK;
}

pcs_status candidate_rows(const pcs_model *m, const candidate *c, int dim, const double *q,
                          pcs_arena mem, double *J1, double *J2, double *C1, double *C2)
{
    if (c->interaction >= 0) return interaction_rows(m, c, dim, q, mem, J1, J2, C1, C2);

    const double *q1 = system_q(m, c->sys1, q), *q2 = system_q(m, c->sys2, q);
    pcs_gap gap;
    pcs_feature_gap(&c->feature, q1, q2, &gap);
    if (dim > 1) {
        double F[9];
        carry_frame(c->F, gap.N, F);
        if (J1) friction_rows(m, c, 1, q1, &gap, F, J1);
        if (J2) friction_rows(m, c, 2, q2, &gap, F, J2);
        return PCS_OK;
    }
    if (J1) contact_rows(&c->feature, 1, q1, &gap, J1, C1);
    if (J2) contact_rows(&c->feature, 2, q2, &gap, J2, C2);
    return PCS_OK;
}

void candidate_velocity(const pcs_model *m, const candidate *c, const double *v,
                        const double *drive, double *u)
{
    memset(u, 0, (size_t)c->dim * sizeof *u);
    for (int i = 0; drive && i < c->dim; ++i) {
        u[i] = drive[i];
    }
    for (int side = 0; side < 2; ++side) {
        const double *J = side == 0 ? c->J1 : c->J2;
        if (!J) continue;
        const model_system *s = &m->system[side == 0 ? c->sys1 : c->sys2];
        block_addmul(c->dim, s->nv, J, v + s->v_at, u);
    }
}

// ---- the list ---------------------------------------------------------------------------------

static bool moves(const pcs_model *m, int system)
{
    return system >= 0 && m->system[system].nv > 0;
}

// a new candidate at the end of the list with room for its rows, or null
static candidate *add(trial *t, int dim, pcs_arena *mem)
{
    candidates *list = &t->list;
    if (list->n == list->cap) {
        const int cap = 2 * list->cap + 16;
        candidate *bigger = PCS_TAKE(mem, (size_t)cap, candidate);
        if (!bigger) return NULL;
        for (int i = 0; i < list->n; ++i) {
            candidate *c = &bigger[i];
            *c = list->c[i];

            // rows kept inside the candidate move with it
            if (c->interaction < 0 && c->dim == 1) {
                if (c->J1) c->J1 = c->row1;
                if (c->J2) c->J2 = c->row2;
            }
        }
        list->c = bigger;
        list->cap = cap;
    }
    double *rows = PCS_TAKE(mem, 5 * (size_t)dim, double);
    if (!rows) return NULL;
    memset(rows, 0, 5 * (size_t)dim * sizeof *rows);
    candidate *c = &list->c[list->n++];
    *c = (candidate){.dim = dim, .interaction = -1, .sys1 = -1, .sys2 = -1};
    c->g = rows;
    c->g_end = rows + dim;
    c->u_k = rows + 2 * (size_t)dim;
    c->r = rows + 3 * (size_t)dim;
    c->u = rows + 4 * (size_t)dim;
    return c;
}

// velocities at the start, and what the last step remembers
static void complete(const trial *t, candidate *c)
{
    candidate_velocity(t->m, c, t->st->v, c->drive_k, c->u_k);
    if (t->st->memory->n == 0) return;

    contact_key key = c->key;
    if (c->F) {
        // the impulse is remembered in space: its frame may have turned since
        const remembered *r = state_recall(t->st, key);
        if (!r) return;
        m3_mul_t(c->F, r->r, c->guess);
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
    if (moves(m, c->sys1)) {
        c->J1 = PCS_TAKE(mem, (size_t)dim * (size_t)m->system[c->sys1].nv, double);
        if (!c->J1) return pcs_fail_memory("step: an interaction");
    }
    if (moves(m, c->sys2)) {
        c->J2 = PCS_TAKE(mem, (size_t)dim * (size_t)m->system[c->sys2].nv, double);
        if (!c->J2) return pcs_fail_memory("step: an interaction");
    }
    PCS_TRY(candidate_gap(m, c, t->st->q, *mem, c->g));
    PCS_TRY(candidate_rows(m, c, dim, t->st->q, *mem, c->J1, c->J2, NULL, NULL));
    PCS_TRY(candidate_drive(t, c, t->st->q, mem));
    complete(t, c);
    return PCS_OK;
}

static pcs_status add_interactions(trial *t, pcs_arena *mem)
{
    const pcs_model *m = t->m;
    for (int i = 0; i < m->n_interactions; ++i) {
        const pcs_interaction_def *def = &m->interaction[i];
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

// frame and rows of a contact with friction
static pcs_status add_friction(const pcs_model *m, candidate *c, const double *q1, const double *q2,
                               pcs_arena *mem)
{
    c->F = PCS_TAKE(mem, 9 + 18 * (size_t)((c->J1 != NULL) + (c->J2 != NULL)), double);
    if (!c->F) return pcs_fail_memory("step: a contact");
    pcs_contact_frame(c->gap.N, c->F);
    double *rows = c->F + 9;
    if (c->J1) {
        c->J1 = rows;
        friction_rows(m, c, 1, q1, &c->gap, c->F, c->J1);
        rows += 18;
    }
    if (c->J2) {
        c->J2 = rows;
        friction_rows(m, c, 2, q2, &c->gap, c->F, c->J2);
    }
    return PCS_OK;
}

static pcs_status add_contact(trial *t, int shape1, int shape2, const pcs_feature *f,
                              pcs_arena *mem)
{
    const pcs_model *m = t->m;
    pcs_law law;
    PCS_TRY(law_between(m, m->shape[shape1].material, m->shape[shape2].material, &law));
    const bool friction = law_has_friction(&law);
    candidate *c = add(t, friction ? 3 : 1, mem);
    if (!c) return pcs_fail_memory("step: a contact");
    c->law = law;
    c->key = (contact_key){shape1, shape2, f->id};
    c->sys1 = m->shape[shape1].system;
    c->sys2 = m->shape[shape2].system;
    c->feature = *f;

    const double *q1 = system_q(m, c->sys1, t->st->q), *q2 = system_q(m, c->sys2, t->st->q);
    pcs_feature_gap(f, q1, q2, &c->gap);
    c->g[0] = c->gap.g;
    if (moves(m, c->sys1)) c->J1 = c->row1;
    if (moves(m, c->sys2)) c->J2 = c->row2;
    if (friction) {
        PCS_TRY(add_friction(m, c, q1, q2, mem));
    } else {
        if (c->J1) contact_rows(f, 1, q1, &c->gap, c->J1, NULL);
        if (c->J2) contact_rows(f, 2, q2, &c->gap, c->J2, NULL);
    }
    PCS_TRY(candidate_drive(t, c, t->st->q, mem));
    complete(t, c);
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
        item[i] = (collide_item){.body = system + 1, .movable = moves(m, system), .shape = i};
        collide_bounds(&m->shape[i].shape, system_q(m, system, q), reach, item[i].low, item[i].high,
                       &item[i].unbounded);
    }

    // as many as fit in a first guess; when there are more, once again with room for them all
    for (int capacity = 4 * m->n_shapes;; capacity = *n_pairs) {
        pcs_arena room = *mem;
        *pair = (int(*)[2])pcs_arena_take_array(&room, (size_t)capacity, sizeof **pair);
        if (!*pair) return pcs_fail_memory("step: contact detection");
        *n_pairs = collide_pairs(item, m->n_shapes, *pair, capacity);
        if (*n_pairs <= capacity) {
            *mem = room;
            return PCS_OK;
        }
    }
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
    if (!moves(m, m->shape[*shape1].system)) {
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
