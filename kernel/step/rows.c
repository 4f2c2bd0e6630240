// The meaning of a candidate at given coordinates: its gaps, the cone block of its rows (frame and
// levers for shapes, J = C T for relations), and the same rows as matrices.
#include "step/step.h"

#include <string.h>

#include "linalg/m3.h"
#include "relations/contact.h"
#include "relations/joint_kinds.h"
#include "rotation/pose.h"

// ---- gaps ---------------------------------------------------------------------------------------

void contact_gap(const pcs_model *m, const candidate *c, const double *q, double *g)
{
    pcs_gap gap;
    pcs_feature_gap(c->feature, system_q(m, c->sys1, q), system_q(m, c->sys2, q), &gap);
    g[0] = gap.g;
}

pcs_status candidate_gap(const pcs_model *m, const candidate *c, const double *q, pcs_arena mem,
                         double *g)
{
    if (c->interaction < 0) {
        contact_gap(m, c, q, g);
        return PCS_OK;
    }

    const double *q1 = system_q(m, c->sys1, q), *q2 = system_q(m, c->sys2, q);
    const pcs_relation *rel = &m->interaction[c->interaction].relation;
    double *all = PCS_TAKE(&mem, (size_t)rel->dim, double);
    if (!all) return pcs_fail_memory("step: an interaction");
    const unsigned long mark = pcs_fail_mark();
    if (pcs_relation_gap(rel, q1, q2, all) != PCS_OK) {
        char words[PART_WORDS];
        part_words(m, PART_INTERACTION, "interaction ", c->interaction + 1, words);
        return pcs_fail_since(mark, PCS_ERR_CALLBACK, "%s", words);
    }
    memcpy(g, all + c->row, (size_t)candidate_gaps(c) * sizeof *g);
    if (!c->timed) return PCS_OK;

    // whole turns of an angle do not count
    double turn;
    joint_row_size(rel, &turn);
    g[0] -= c->time_f[1];
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
    return system_moves(m, c->sys1) && system_moves(m, c->sys2) ? 0.5 : 0;
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

static void contact_block(const pcs_model *m, const candidate *c, const double *q1,
                          const double *q2, bool carry, bodies_block *k, pcs_gap *gap)
{
    pcs_feature_gap(c->feature, q1, q2, gap);
    if (carry) {
        double F[9];
        carry_frame(k->F, gap->N, F);
        memcpy(k->F, F, sizeof F);
    } else {
        pcs_contact_frame(gap->N, k->F);
    }
    if (k->sys[0] >= 0) contact_lever(m, c, 1, q1, gap, k);
    if (k->sys[1] >= 0) contact_lever(m, c, 2, q2, gap, k);
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

// rows row .. row + dim - 1 of a D x n matrix
static void take_rows(int D, int n, const double *all, int row, int dim, double *out)
{
    for (int j = 0; j < n; ++j) {
        memcpy(out + (size_t)dim * (size_t)j, all + row + (size_t)D * (size_t)j,
               (size_t)dim * sizeof *out);
    }
}

// `dim` rows of a relation: J, and C if it is not null
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
    const unsigned long mark = pcs_fail_mark();
    if (pcs_relation_gradient(rel, nq1, q1, nq2, q2, all1, s2 ? all2 : NULL) != PCS_OK) {
        char words[PART_WORDS];
        part_words(m, PART_INTERACTION, "interaction ", c->interaction + 1, words);
        return pcs_fail_since(mark, PCS_ERR_CALLBACK, "%s", words);
    }
    take_rows(rel->dim, nq1, all1, c->row, dim, own1);
    take_rows(rel->dim, nq2, all2, c->row, dim, own2);
    if (J1) system_times_T(s1, dim, q1, own1, J1);
    if (J2) system_times_T(s2, dim, q2, own2, J2);
    return PCS_OK;
}

// ---- candidates --------------------------------------------------------------------------------

void candidate_contact(const pcs_model *m, const candidate *c, const double *q1, const double *q2,
                       bodies_block *k, pcs_gap *gap)
{
    contact_block(m, c, q1, q2, false, k, gap);
}

pcs_status candidate_block(const pcs_model *m, const candidate *c, const double *q, bool carry,
                           pcs_arena mem, bodies_block *k, pcs_gap *gap)
{
    if (c->interaction < 0) {
        pcs_gap own;
        contact_block(m, c, system_q(m, c->sys1, q), system_q(m, c->sys2, q), carry, k,
                      gap ? gap : &own);
        return PCS_OK;
    }
    return interaction_rows(m, c, c->dim, q, mem, c->J[0], c->J[1], NULL, NULL);
}

pcs_status candidate_side(const pcs_model *m, const candidate *c, int side, const double *q,
                          const double F[9], pcs_arena mem, double *J, bodies_block *out)
{
    *out = (bodies_block){.cone = candidate_cone(c), .dim = c->dim, .sys = {-1, -1}};
    out->sys[side] = 0;
    if (c->interaction >= 0) {
        out->rows[side] = J;
        return interaction_rows(m, c, c->dim, q, mem, side == 0 ? J : NULL, side == 1 ? J : NULL,
                                NULL, NULL);
    }
    const double *q1 = system_q(m, c->sys1, q), *q2 = system_q(m, c->sys2, q);
    pcs_gap gap;
    pcs_feature_gap(c->feature, q1, q2, &gap);
    memcpy(out->F, F, sizeof out->F);
    contact_lever(m, c, side + 1, side == 0 ? q1 : q2, &gap, out);
    return PCS_OK;
}

pcs_status candidate_rows(const pcs_model *m, const candidate *c, const double *q, pcs_arena mem,
                          double *const J[2], double *const C[2])
{
    if (c->interaction >= 0) {
        return interaction_rows(m, c, candidate_gaps(c), q, mem, J[0], J[1], C[0], C[1]);
    }
    const double *q1 = system_q(m, c->sys1, q), *q2 = system_q(m, c->sys2, q);
    pcs_gap gap;
    pcs_feature_gap(c->feature, q1, q2, &gap);
    if (J[0]) contact_rows(c->feature, 1, q1, &gap, J[0], C[0]);
    if (J[1]) contact_rows(c->feature, 2, q2, &gap, J[1], C[1]);
    return PCS_OK;
}
