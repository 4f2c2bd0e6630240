// The meaning of a candidate at given coordinates: its gaps, the cone block of its rows (frame and
// levers for shapes, J = C T for relations), and the same rows as matrices.
#include "step/step.h"

#include <string.h>

#include "linalg/bsr.h"
#include "linalg/m3.h"
#include "model/carried.h"
#include "relations/contact.h"
#include "relations/joint_kinds.h"
#include "rotation/pose.h"

// ---- gaps ---------------------------------------------------------------------------------------

void contact_gap(const pcs_model *m, const candidate *c, const double *q, double *g)
{
    pcs_gap gap;
    pcs_feature_gap(c->feature, system_q(m, c->pose1, q), system_q(m, c->pose2, q), &gap);
    g[0] = gap.g;
}

static bool has_moved(const trial *t, int system)
{
    if (system < 0) return false;
    const model_system *s = &t->m->system[system];
    const double *q = t->st->q + s->q_at, *end = t->end.q + s->q_at;
    return memcmp(q, end, (size_t)s->nq * sizeof *q) != 0;
}

void contact_end_gap(const trial *t, candidate *c, feature_pose at[2])
{
    // the gap of a meeting on the paths is not that at q_k
    if (c->held && !c->proven && !has_moved(t, c->pose1) && !has_moved(t, c->pose2)) {
        c->g_end[0] = c->g[0];
        return;
    }
    pcs_gap gap;
    feature_pose_at(&at[0], system_q(t->m, c->pose1, t->end.q));
    feature_pose_at(&at[1], system_q(t->m, c->pose2, t->end.q));
    feature_gap(c->feature, &at[0], &at[1], &gap);
    c->g_end[0] = gap.g;
}

pcs_status candidate_gap(const pcs_model *m, const candidate *c, const double *q, pcs_arena mem,
                         double *g)
{
    if (c->interaction < 0) {
        contact_gap(m, c, q, g);
        return PCS_OK;
    }

    const double *q1 = system_q(m, c->pose1, q), *q2 = system_q(m, c->pose2, q);
    const pcs_relation *rel = &m->interaction[c->interaction].relation;
    double *all = PCS_TAKE(&mem, (size_t)rel->dim, double);
    if (!all) return pcs_fail_memory("step: an interaction");
    const unsigned long mark = pcs_fail_mark();
    if (pcs_relation_gap(rel, q1, q2, all) != PCS_OK) {
        char words[PART_WORDS];
        part_words(m, PART_INTERACTION, "interaction ", c->interaction + 1, words);
        return pcs_fail_since(mark, PCS_ERR_CALLBACK, "%s", words);
    }
    memcpy(g, all + c->joint->row, (size_t)candidate_measures(c) * sizeof *g);
    if (!c->timed || rel->of_speed) return PCS_OK;

    // whole turns of an angle do not count
    double turn;
    joint_row_size(rel, &turn);
    g[0] -= c->joint->time_f[1];
    if (turn > 0) g[0] = remainder(g[0], turn);
    return PCS_OK;
}

// ---- frames and levers -------------------------------------------------------------------------

// true when a side of a feature has no core point for levers
static bool has_no_point(const pcs_feature *f, int side)
{
    if (side == 1) return f->kind == PCS_FEATURE_PLANE_POINT || f->kind >= PCS_FEATURE_EDGE_POINT;
    return f->kind == PCS_FEATURE_POINT_PLANE || f->kind == PCS_FEATURE_POINT_EDGE ||
           f->kind == PCS_FEATURE_EDGE_EDGE;
}

// Distance in units of the gap, from its own contact point towards the other one, at which friction
// acts on a side (D-2). P1 - P2 = g N, so the normal row does not depend on it.
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
    return system_can_move(m, c->pose1) && system_can_move(m, c->pose2) ? 0.5 : 0;
}

// the frame of a contact with the new normal N: t1 rotates as little as possible, while the rule
// for new frames may rotate it by a right angle
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

// N, the tangent in the plane, and the normal of the plane
static void plane_frame(pcs_plane plane, const double N[3], double F[9])
{
    double e[3] = {0};
    e[plane_normal(plane)] = 1;
    v3_copy(N, F);
    v3_cross(e, N, F + 3);
    v3_unit(F + 3, F + 3);
    v3_cross(F, F + 3, F + 6);
}

// The lever of a side for normal and friction. With a core point p it is GP = R p - rho N, with rho
// the radius and the share: no difference of large coordinates.
static void contact_lever(const pcs_model *m, const candidate *c, int side, const double *q,
                          const pcs_gap *gap, bodies_block *k)
{
    const pcs_feature *f = c->feature;
    const double sign = side == 1 ? 1 : -1, share = lever_share(m, c, side) * gap->g;
    double *core = k->core[side - 1], *along = &k->along[side - 1];
    if (has_no_point(f, side)) {
        v3_sub(side == 1 ? gap->P1 : gap->P2, q, core);
        *along = -sign * share;
        return;
    }
    pose_direction(q, side == 1 ? f->p1 : f->p2, core);
    *along = -sign * ((side == 1 ? f->radius1 : f->radius2) + share);
}

// the side whose rows are those of the mover of a side: side 0 for both bodies of one carrier
static int side_of_mover(const candidate *c, int side)
{
    return side == 1 && c->sys2 < 0 && c->pose2 >= 0 ? 0 : side;
}

// parts of a row below this are rounding of rotations, relative to the row of the body in space
#define ROW_ROUNDING 1e-12

// True when row i of K, of a planar body, is rounding in its plane: it holds what the plane already
// does, as a joint does whose axis is the normal. Left in, it would act with impulses of any size
static bool leaves_plane(const model_system *s, int dim, const double *K, int i)
{
    double all[2] = {0}, in[2] = {0}; // of translation; of rotation, over the size of the body
    const double size = system_size(s);
    for (int k = 0; k < BODY_NV; ++k) {
        const double part = fabs(K[i + dim * k]) / (k < 3 ? 1 : size);
        all[k / 3] = fmax(all[k / 3], part);
        if (!system_locks(s, k)) in[k / 3] = fmax(in[k / 3], part);
    }
    return in[0] <= ROW_ROUNDING * all[0] && in[1] <= ROW_ROUNDING * fmax(all[0], all[1]);
}

// J += K B, where B are the rows of a carried body at the coordinates q of all systems, 6 x n, or
// the columns of a planar body in its plane
static pcs_status add_mapped(const pcs_model *m, int system, int dim, const double *K,
                             const double *q, pcs_arena mem, double *J)
{
    const model_system *s = &m->system[system], *carrier = &m->system[s->carrier.id - 1];
    for (int i = 0; s->plane != PCS_PLANE_NONE && i < dim; ++i) {
        if (leaves_plane(s, dim, K, i)) continue;
        for (int k = 0; k < BODY_NV; ++k) {
            if (!system_locks(s, k)) J[i + dim * k] += K[i + dim * k];
        }
    }
    if (s->plane != PCS_PLANE_NONE) return PCS_OK;
    const size_t n = (size_t)carrier->nv;
    double *B = PCS_TAKE(&mem, 7 * n, double);
    if (!B) return pcs_fail_memory("step: a carried body");
    PCS_TRY(carried_rows(s, carrier->nv, q + carrier->q_at, B + 6 * n, B));
    for (size_t j = 0; j < n; ++j) {
        block_addmul(dim, 6, K, B + 6 * j, J + (size_t)dim * j);
    }
    return PCS_OK;
}

// adds the rows of a carried side to those of its carrier: the velocity at the contact point is
// V + (R omega) x (core + along N)
static pcs_status add_contact_rows(const pcs_model *m, const candidate *c, int side,
                                   const double *pose, const double *q, pcs_arena mem,
                                   const bodies_block *k, double *J)
{
    double K[18], lever[3], moment[3];
    const double sign = side == 0 ? 1 : -1;
    v3_along(k->core[side], k->along[side], k->F, lever);
    for (int i = 0; i < k->dim; ++i) {
        v3_cross(i == 0 ? k->core[side] : lever, k->F + 3 * i, moment);
        pose_direction_back(pose, moment, moment);
        for (int a = 0; a < 3; ++a) {
            K[i + k->dim * a] = sign * k->F[a + 3 * i];
            K[i + k->dim * (3 + a)] = sign * moment[a];
        }
    }
    return add_mapped(m, side == 0 ? c->pose1 : c->pose2, k->dim, K, q, mem, J);
}

static void clear_rows(const pcs_model *m, const candidate *c, int dim, double *const J[2])
{
    for (int side = 0; side < 2; ++side) {
        const int system = side == 0 ? c->sys1 : c->sys2;
        if (!J[side] || !system_moves(m, system)) continue;
        memset(J[side], 0, (size_t)dim * (size_t)m->system[system].nv * sizeof *J[side]);
    }
}

// the 1 x 7 gradient of a 1 x 6 row, with the distance `step` of entries
static void row_gradient(const double *q, int step, const double *J, double *C)
{
    double L[12];
    pcs_quat_left(q + 3, L);
    const double s = 2 / (q[3] * q[3] + q[4] * q[4] + q[5] * q[5] + q[6] * q[6]);
    for (int i = 0; i < 3; ++i) {
        C[step * i] = J[step * i];
    }
    for (int i = 0; i < 4; ++i) {
        C[step * (3 + i)] =
            s * (L[i] * J[step * 3] + L[i + 4] * J[step * 4] + L[i + 8] * J[step * 5]);
    }
}

// gradients from rows: the rows themselves of carriers, as dq/dt = v, those in the plane of planar
// bodies
static void copy_mapped(const pcs_model *m, const candidate *c, int dim, const double *q,
                        double *const J[2], double *const C[2])
{
    for (int side = 0; side < 2; ++side) {
        const int system = side == 0 ? c->sys1 : c->sys2;
        if (!C[side] || !J[side] || !system_moves(m, system)) continue;
        const model_system *s = &m->system[system];
        for (int i = 0; s->plane != PCS_PLANE_NONE && i < dim; ++i) {
            row_gradient(q + s->q_at, dim, J[side] + i, C[side] + i);
        }
        if (s->kind != SYSTEM_LAGRANGIAN) continue;
        memcpy(C[side], J[side], (size_t)dim * (size_t)m->system[system].nv * sizeof *J[side]);
    }
}

static pcs_status contact_block(const pcs_model *m, const candidate *c, feature_pose at[2],
                                const double *q, bool carry, pcs_arena mem, bodies_block *k,
                                pcs_gap *gap)
{
    feature_gap(c->feature, &at[0], &at[1], gap);
    const pcs_plane plane = m->n_planar > 0 ? pair_plane(m, c->pose1, c->pose2) : PCS_PLANE_NONE;
    if (plane != PCS_PLANE_NONE) {
        plane_frame(plane, gap->N, k->F);
    } else if (carry) {
        double F[9];
        carry_frame(k->F, gap->N, F);
        memcpy(k->F, F, sizeof F);
    } else {
        pcs_contact_frame(gap->N, k->F);
    }
    k->rows[0] = k->rows[1] = NULL;
    if (!candidate_is_mapped(m, c)) {
        if (k->sys[0] >= 0) contact_lever(m, c, 1, at[0].q, gap, k);
        if (k->sys[1] >= 0) contact_lever(m, c, 2, at[1].q, gap, k);
        return PCS_OK;
    }
    clear_rows(m, c, k->dim, c->J);
    for (int side = 0; side < 2; ++side) {
        const int pose = side == 0 ? c->pose1 : c->pose2, to = side_of_mover(c, side);
        if (!system_can_move(m, pose)) continue;
        contact_lever(m, c, side + 1, at[side].q, gap, k);
        if (!is_mapped(m, pose)) continue;
        PCS_TRY(add_contact_rows(m, c, side, at[side].q, q, mem, k, c->J[to]));
        k->rows[to] = c->J[to];
    }
    return PCS_OK;
}

// ---- rows as matrices ---------------------------------------------------------------------------

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
    row_gradient(q, 1, J, C);
    PCS_ASSERT(radial_part(q, C) <= 1e-12);
}

// rows row .. row + dim - 1 of a D x n matrix
static void take_rows(int D, int n, const double *all, int row, int dim, double *out)
{
    for (int j = 0; j < n; ++j) {
        memcpy(out + (size_t)dim * (size_t)j, all + row + (size_t)D * (size_t)j,
               (size_t)dim * sizeof *out);
    }
}

// J of one side from its gradient C at q; `add`: to the rows of the other side, which has the same
// carrier
static pcs_status side_rows(const pcs_model *m, int system, int dim, const double *C,
                            const double *q, bool add, pcs_arena mem, double *J)
{
    const model_system *s = &m->system[system];
    if (!is_mapped(m, system)) {
        if (!add) system_times_T(s, dim, q + s->q_at, C, J);
        for (size_t i = 0; add && i < (size_t)dim * (size_t)s->nv; ++i) {
            J[i] += C[i];
        }
        return PCS_OK;
    }
    double *K = PCS_TAKE(&mem, 6 * (size_t)dim, double);
    if (!K) return pcs_fail_memory("step: an interaction");
    system_times_T(s, dim, q + s->q_at, C, K);
    return add_mapped(m, system, dim, K, q, mem, J);
}

// keeps the rows of a carried body itself, from which its own reaction follows
static void keep_own(const pcs_model *m, const candidate *c, int side, const double *C,
                     const double *q)
{
    const model_system *s = &m->system[side == 0 ? c->pose1 : c->pose2];
    system_times_T(s, c->dim, q + s->q_at, C, c->joint->carried[side]);
    memcpy(c->joint->carried[side] + 6 * (size_t)c->dim, q + s->q_at, BODY_NQ * sizeof *q);
}

// `dim` rows of a relation: J, and C if it is not null
static pcs_status interaction_rows(const pcs_model *m, const candidate *c, int dim, const double *q,
                                   pcs_arena mem, double *const J[2], double *const C[2])
{
    const pcs_relation *rel = &m->interaction[c->interaction].relation;
    const int pose[2] = {c->pose1, c->pose2};
    const double *of[2] = {system_q(m, c->pose1, q), system_q(m, c->pose2, q)};
    int nq[2];
    double *all[2], *own[2];
    for (int side = 0; side < 2; ++side) {
        nq[side] = pose[side] < 0 ? 0 : m->system[pose[side]].nq;
        all[side] = PCS_TAKE(&mem, (size_t)rel->dim * (size_t)nq[side], double);
        own[side] = C[side] && !is_mapped(m, pose[side])
                        ? C[side]
                        : PCS_TAKE(&mem, (size_t)dim * (size_t)nq[side], double);
        if (!all[side] || !own[side]) return pcs_fail_memory("step: an interaction");
    }
    const unsigned long mark = pcs_fail_mark();
    if (pcs_relation_gradient(rel, nq[0], of[0], nq[1], of[1], all[0],
                              pose[1] < 0 ? NULL : all[1]) != PCS_OK) {
        char words[PART_WORDS];
        part_words(m, PART_INTERACTION, "interaction ", c->interaction + 1, words);
        return pcs_fail_since(mark, PCS_ERR_CALLBACK, "%s", words);
    }
    if (candidate_is_mapped(m, c)) clear_rows(m, c, dim, J);
    for (int side = 0; side < 2; ++side) {
        const int to = side_of_mover(c, side);
        take_rows(rel->dim, nq[side], all[side], c->joint->row, dim, own[side]);
        if (pose[side] < 0 || !J[to]) continue;
        if (J == c->J && c->joint->carried[side]) keep_own(m, c, side, own[side], q);
        PCS_TRY(side_rows(m, pose[side], dim, own[side], q, to != side, mem, J[to]));
    }
    if (candidate_is_mapped(m, c)) copy_mapped(m, c, dim, q, J, C);
    return PCS_OK;
}

// ---- candidates --------------------------------------------------------------------------------

pcs_status candidate_take_rows(const pcs_model *m, int system, int dim, pcs_arena *mem, double **J)
{
    *J = NULL;
    if (!system_moves(m, system)) return PCS_OK;
    *J = PCS_TAKE(mem, (size_t)dim * (size_t)m->system[system].nv, double);
    return *J ? PCS_OK : pcs_fail_memory("step: the rows");
}

pcs_status candidate_contact(const pcs_model *m, const candidate *c, feature_pose at[2],
                             const double *q, pcs_arena mem, bodies_block *k, pcs_gap *gap)
{
    return contact_block(m, c, at, q, false, mem, k, gap);
}

pcs_status candidate_block(const pcs_model *m, const candidate *c, const double *q, bool carry,
                           pcs_arena mem, bodies_block *k, pcs_gap *gap)
{
    if (c->interaction < 0) {
        pcs_gap own;
        feature_pose at[2] = {{.q = system_q(m, c->pose1, q)}, {.q = system_q(m, c->pose2, q)}};
        return contact_block(m, c, at, q, carry, mem, k, gap ? gap : &own);
    }
    double *const none[2] = {NULL, NULL};
    return interaction_rows(m, c, c->dim, q, mem, c->J, none);
}

pcs_status candidate_side(const pcs_model *m, const candidate *c, int side, const double *q,
                          const double F[9], pcs_arena mem, double *J, bodies_block *out)
{
    *out = (bodies_block){.cone = candidate_cone(c), .dim = c->dim, .sys = {-1, -1}};
    out->sys[side] = 0;
    if (c->interaction >= 0) {
        double *const only[2] = {side == 0 ? J : NULL, side == 1 ? J : NULL};
        double *const none[2] = {NULL, NULL};
        out->rows[side] = J;
        return interaction_rows(m, c, c->dim, q, mem, only, none);
    }
    const double *q1 = system_q(m, c->pose1, q), *q2 = system_q(m, c->pose2, q);
    pcs_gap gap;
    pcs_feature_gap(c->feature, q1, q2, &gap);
    memcpy(out->F, F, sizeof out->F);
    contact_lever(m, c, side + 1, side == 0 ? q1 : q2, &gap, out);
    return PCS_OK;
}

pcs_status candidate_rows(const pcs_model *m, const candidate *c, const double *q, pcs_arena mem,
                          double *const J[2], double *const C[2])
{
    if (c->interaction >= 0) return interaction_rows(m, c, candidate_gaps(c), q, mem, J, C);
    const bool mapped = candidate_is_mapped(m, c);
    pcs_gap gap;
    pcs_feature_gap(c->feature, system_q(m, c->pose1, q), system_q(m, c->pose2, q), &gap);
    if (mapped) clear_rows(m, c, 1, J);
    for (int side = 0; side < 2; ++side) {
        const int pose = side == 0 ? c->pose1 : c->pose2, to = side_of_mover(c, side);
        double row[6];
        if (!J[to] || !system_can_move(m, pose)) continue;
        const bool own = !is_mapped(m, pose);
        contact_rows(c->feature, side + 1, system_q(m, pose, q), &gap, own ? J[to] : row,
                     own ? C[to] : NULL);
        if (!own) PCS_TRY(add_mapped(m, pose, 1, row, q, mem, J[to]));
    }
    if (mapped) copy_mapped(m, c, 1, q, J, C);
    return PCS_OK;
}
