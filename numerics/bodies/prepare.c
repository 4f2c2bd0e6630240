// Makes the records that the sweeps read from frames, levers and rows; see prepared.h.
#include "bodies/prepared.h"

#include <string.h>

#include "bodies/arrange.h"
#include "bodies/packs.h"
#include "cone/cone.h"
#include "linalg/m3.h"

static int width_of(const prepared *p, int place)
{
    const int *start = p->of.b->A->start, s = p->sys[place];
    return start[s + 1] - start[s];
}

// ---- systems -----------------------------------------------------------------------------------

// K = R (rotational block)^-1 R^T
static void rotated_inverse(const bodies_problem *b, int s, body_inverse *out)
{
    const block_lu *A = b->A;
    const double *R = b->R + 9 * (size_t)s;
    double B[9], RB[9];
    for (int j = 0; j < 3; ++j) {
        double x[6] = {0};
        x[3 + j] = 1;
        block_lu_solve(A, s, x);
        v3_copy(x + 3, B + 3 * j);
    }
    m3_mul_m3(R, B, RB);
    for (int j = 0; j < 3; ++j) {
        for (int i = 0; i < 3; ++i) {
            out->K[i + 3 * j] = RB[i] * R[j] + RB[i + 3] * R[j + 3] + RB[i + 6] * R[j + 6];
        }
    }
    out->m = 1 / A->lu[A->off[s]];
}

static int frame_of(const bodies_problem *b, int s, body_inverse *out)
{
    const block_lu *A = b->A;
    const int kind = A->kind ? A->kind[s] : BLOCK_DENSE;
    const double *d = A->lu + A->off[s];
    if (A->start[s + 1] - A->start[s] != 6 || kind == BLOCK_DENSE) return FRAME_INERTIAL;
    if (kind == BLOCK_DIAGONAL) {
        if (d[0] != d[1] || d[0] != d[2]) return FRAME_INERTIAL;
        if (d[3] == d[4] && d[3] == d[5]) {
            *out = (body_inverse){.m = 1 / d[0],
                                  .K = {1 / d[3], 0, 0, 0, 1 / d[3], 0, 0, 0, 1 / d[3]}};
            return FRAME_ISOTROPIC;
        }
    }
    rotated_inverse(b, s, out);
    return FRAME_RIGID;
}

// marks the systems in blocks of frame and levers; any thread may set a mark: all write the same
// value
static void mark_systems(void *arg, int begin, int end)
{
    const prepared *p = arg;
    for (int k = begin; k < end; ++k) {
        const bodies_block *block = &p->of.b->block[p->of.block[k]];
        for (int e = 0; e < 2; ++e) {
            const int s = place_of(p, block, e);
            if (s < 0 || block->rows[e]) continue;
            if (atomic_load_explicit(&p->frame[s], memory_order_relaxed) == FRAME_INERTIAL)
                continue;
            atomic_store_explicit(&p->frame[s], FRAME_INERTIAL, memory_order_relaxed);
        }
    }
}

static void make_systems(void *arg, int begin, int end)
{
    const prepared *p = arg;
    for (int s = begin; s < end; ++s) {
        if (p->frame[s] == FRAME_OWN) continue;
        p->frame[s] = (unsigned char)frame_of(p->of.b, p->sys[s], prepared_body(p, p->at[s]));
    }
}

static pcs_status prepare_systems(prepared *p, pcs_arena *arena)
{
    const size_t ns = (size_t)p->of.ns;
    p->frame = PCS_TAKE(arena, ns, atomic_uchar);
    p->at = PCS_TAKE(arena, ns + 1, int);
    p->sys = PCS_TAKE(arena, ns, int);
    if (!p->frame || !p->at || !p->sys) return pcs_fail_memory("sweeps");

    for (int s = 0; s < p->of.ns; ++s) {
        p->sys[p->slot ? p->slot[s] : s] = p->of.sys[s];
    }
    p->at[0] = 0;
    for (int s = 0; s < p->of.ns; ++s) {
        atomic_init(&p->frame[s], FRAME_OWN);
        p->at[s + 1] = p->at[s] + (width_of(p, s) + LINE - 1) / LINE * LINE;
    }
    p->body = PCS_TAKE(arena, (size_t)p->at[ns] / LINE + 1, body_inverse);
    if (!p->body) return pcs_fail_memory("sweeps");
    p->body[0] = (body_inverse){0};
    threads_each(p->team, p->of.nb, mark_systems, p);
    threads_each(p->team, p->of.ns, make_systems, p);
    return PCS_OK;
}

// ---- blocks ------------------------------------------------------------------------------------

// writes all fields except the frame and q; returns the trace of W_ii
static bool make_round(const prepared *p, const bodies_block *k, round_contact *c, double *trace)
{
    *c = (round_contact){.mu = k->mu, .at = {-1, -1}};
    double wN = 0, wT = 0;
    for (int e = 0; e < 2; ++e) {
        const int s = place_of(p, k, e);
        if (s < 0) continue;
        const double *core = k->core[e];
        if (p->frame[s] != FRAME_ISOTROPIC) return false;
        if (core[0] != 0 || core[1] != 0 || core[2] != 0) return false;
        c->at[e] = p->at[s];
        c->c[e] = k->along[e];
        c->m[e] = prepared_body(p, p->at[s])->m;
        c->jc[e] = prepared_body(p, p->at[s])->K[0] * c->c[e];
        wN += c->m[e];
        wT += c->m[e] + c->jc[e] * c->c[e];
    }
    c->iN = 1 / wN;
    c->iT = 1 / wT;
    *trace = wN + 2 * wT;
    return wN > 0 && wT > 0 && isfinite(c->iN) && isfinite(c->iT);
}

static bool is_rigid(const prepared *p, const bodies_block *k)
{
    for (int e = 0; e < 2; ++e) {
        const int s = place_of(p, k, e);
        if (s >= 0 && (k->rows[e] || p->frame[s] < FRAME_RIGID)) return false;
    }
    return k->cone == PCS_CONE_COULOMB && k->dim == 3 && (k->sys[0] >= 0 || k->sys[1] >= 0);
}

static void rigid_operator(const prepared *p, const rigid_contact *c, double W[9])
{
    memset(W, 0, 9 * sizeof *W);
    for (int e = 0; e < 2; ++e) {
        if (c->at[e] < 0) continue;
        const body_inverse *A = prepared_body(p, c->at[e]);
        for (int j = 0; j < 3; ++j) {
            const double *f = c->F + 3 * (size_t)j, *t1 = c->F + 3, *t2 = c->F + 6;
            double moment[3], w[3], x[3], u[3];
            v3_cross(c->core[e], f, moment);
            if (j == 1) v3_along(moment, c->along[e], t2, moment);
            if (j == 2) v3_along(moment, -c->along[e], t1, moment);
            m3_mul(A->K, moment, w);
            v3_cross(w, c->core[e], x);
            v3_along(x, A->m, f, x);
            m3_mul_t(c->F, x, u);
            u[1] += c->along[e] * v3_dot(w, t2);
            u[2] -= c->along[e] * v3_dot(w, t1);
            for (int i = 0; i < 3; ++i) {
                W[i + 3 * j] += u[i];
            }
        }
    }
}

static void make_rigid(const prepared *p, const bodies_block *k, rigid_contact *c, double W[9])
{
    *c = (rigid_contact){.at = {-1, -1}};
    memcpy(c->F, k->F, sizeof c->F);
    memcpy(c->core, k->core, sizeof c->core);
    memcpy(c->along, k->along, sizeof c->along);
    for (int e = 0; e < 2; ++e) {
        const int s = place_of(p, k, e);
        if (s >= 0) c->at[e] = p->at[s];
    }
    rigid_operator(p, c, W);
}

// transforms the angular columns of J (dim x 6) from the body's frame to the inertial one
static void turn_rows(int dim, const double *R, double *J)
{
    for (int i = 0; i < dim; ++i) {
        const double w[3] = {J[i + 3 * dim], J[i + 4 * dim], J[i + 5 * dim]};
        double x[3];
        m3_mul(R, w, x);
        for (int c = 0; c < 3; ++c) {
            J[i + (3 + c) * dim] = x[c];
        }
    }
}

// J and Y = A^-1 J^T of a side in the frame of the sweeps, W += J Y; J is dim x width, Y width x
// dim
static void make_side(const prepared *p, int number, int side, double *J, double *Y, double *W)
{
    const bodies_problem *b = p->of.b;
    const bodies_block *block = &b->block[number];
    const int d = block->dim, s = place_of(p, block, side), width = width_of(p, s);
    bodies_rows(b, number, side, J);
    for (int i = 0; i < d; ++i) {
        double *y = Y + (size_t)width * (size_t)i;
        for (int c = 0; c < width; ++c) {
            y[c] = J[i + (size_t)d * (size_t)c];
        }
        block_lu_solve(b->A, p->sys[s], y);
        for (int j = 0; j < d; ++j) {
            for (int c = 0; c < width; ++c) {
                W[j + (size_t)d * (size_t)i] += J[j + (size_t)d * (size_t)c] * y[c];
            }
        }
    }
    if (p->frame[s] == FRAME_OWN) return;
    const double *R = b->R + 9 * (size_t)p->sys[s];
    turn_rows(d, R, J);
    for (int i = 0; i < d; ++i) {
        double *y = Y + 6 * (size_t)i + 3, w[3];
        v3_copy(y, w);
        m3_mul(R, w, y);
    }
}

static bool is_single_row(const prepared *p, const bodies_block *k)
{
    if (k->cone != PCS_CONE_UNILATERAL) return false;
    for (int e = 0; e < 2; ++e) {
        const int s = place_of(p, k, e);
        if (s >= 0 && width_of(p, s) > ROW_WIDTH) return false;
    }
    return true;
}

static void make_single_row(const prepared *p, int number, single_row *c, double *W)
{
    *c = (single_row){.at = {-1, -1}};
    W[0] = 0;
    for (int e = 0; e < 2; ++e) {
        const int s = place_of(p, &p->of.b->block[number], e);
        if (s < 0) continue;
        c->at[e] = p->at[s];
        make_side(p, number, e, c->J[e], c->Y[e], W);
    }
}

static pcs_status make_general(const prepared *p, int number, pcs_arena *arena, general_block *g,
                               double *W)
{
    const bodies_block *block = &p->of.b->block[number];
    const int d = block->dim;
    *g = (general_block){.cone = block->cone, .dim = d, .row = g->row, .at = {-1, -1}};
    g->q = PCS_TAKE(arena, 4 * (size_t)d, double);
    memset(W, 0, (size_t)d * (size_t)d * sizeof *W);
    for (int e = 0; e < 2; ++e) {
        const int s = place_of(p, block, e);
        if (s < 0) continue;
        g->at[e] = p->at[s];
        g->width[e] = width_of(p, s);
        g->J[e] = PCS_TAKE(arena, (size_t)d * (size_t)g->width[e], double);
        g->Y[e] = PCS_TAKE(arena, (size_t)d * (size_t)g->width[e], double);
        if (!g->J[e] || !g->Y[e]) return pcs_fail_memory("sweeps");
        make_side(p, number, e, g->J[e], g->Y[e], W);
    }
    if (!g->q) return pcs_fail_memory("sweeps");
    g->scratch = g->q + d;
    return PCS_OK;
}

static double trace_of(int d, const double *W)
{
    double t = 0;
    for (int i = 0; i < d; ++i) {
        t += W[(size_t)i * ((size_t)d + 1)];
    }
    return t;
}

typedef struct making {
    prepared *p;
    const int *order;
    const double *v_free;
    piece *piece;
} making;

static int kind_of(const prepared *p, const bodies_block *block)
{
    round_contact c;
    double trace;
    if (is_rigid(p, block)) return make_round(p, block, &c, &trace) ? VISIT_ROUND : VISIT_RIGID;
    return is_single_row(p, block) ? VISIT_ROW : VISIT_GENERAL;
}

static void find_kinds(void *arg, int begin, int end)
{
    const making *m = arg;
    prepared *p = m->p;
    for (int k = begin; k < end; ++k) {
        p->number[k] = p->of.block[m->order[k]];
        p->unit[k] = (visit){kind_of(p, block_at(p, k)), 0};
    }
}

static void keep_scale(const prepared *p, int k, double trace, int d, piece *here)
{
    p->s[k] = trace / d;
    if (trace > here->trace) here->trace = trace;
}

// writes a contact into a lane of a pack; lane 0 also fills the other lanes with contacts that stay
// open
static void make_lane(const prepared *p, const bodies_block *block, int l, const double *q,
                      rigid_pack *out)
{
    if (l == 0) {
        *out = (rigid_pack){.row = out->row, .isotropic = true};
        for (int i = 0; i < LANES; ++i) {
            out->q[0][i] = 1;
            out->at[0][i] = out->at[1][i] = -1;
        }
    }
    out->n = l + 1;
    out->mu[l] = block->mu;
    for (int i = 0; i < 3; ++i) {
        out->N[i][l] = block->F[i];
        out->t1[i][l] = block->F[3 + i];
        out->q[i][l] = q[i];
    }
    for (int e = 0; e < 2; ++e) {
        const int s = place_of(p, block, e);
        out->along[e][l] = block->along[e];
        for (int i = 0; i < 3; ++i) {
            out->core[e][i][l] = block->core[e][i];
        }
        if (s < 0) continue;
        out->isotropic = out->isotropic && p->frame[s] == FRAME_ISOTROPIC;
        out->at[e][l] = p->at[s];
    }
}

// the same for a round contact
static void make_round_lane(const round_contact *c, double s, int l, round_pack *out)
{
    if (l == 0) {
        *out = (round_pack){.row = c->row};
        for (int i = 0; i < LANES; ++i) {
            out->q[0][i] = out->iN[i] = out->iT[i] = 1;
            out->at[0][i] = out->at[1][i] = -1;
        }
    }
    out->n = l + 1;
    for (int i = 0; i < 3; ++i) {
        out->N[i][l] = c->N[i];
        out->t1[i][l] = c->t1[i];
        out->q[i][l] = c->q[i];
    }
    for (int e = 0; e < 2; ++e) {
        out->c[e][l] = c->c[e];
        out->m[e][l] = c->m[e];
        out->jc[e][l] = c->jc[e];
        out->at[e][l] = c->at[e];
    }
    out->iN[l] = c->iN;
    out->iT[l] = c->iT;
    out->mu[l] = c->mu;
    out->s[l] = s;
}

// makes the record of a block of any kind except VISIT_GENERAL
static void make_block(const making *m, int k, int row, piece *here)
{
    const prepared *p = m->p;
    const bodies_block *block = block_at(p, k);
    const int i = p->unit[k].index;
    double W[9];
    if (p->unit[k].kind == VISIT_ROUND || p->unit[k].kind == VISIT_ROUND_PACK) {
        round_contact c;
        double trace;
        make_round(p, block, &c, &trace);
        v3_copy(block->F, c.N);
        v3_copy(block->F + 3, c.t1);
        c.row = row;
        bodies_block_constant(p->of.b, p->number[k], m->v_free, c.q);
        keep_scale(p, k, trace, 3, here);
        if (p->unit[k].kind == VISIT_ROUND) {
            p->round[i] = c;
        } else {
            make_round_lane(&c, p->s[k], i % LANES, &p->round_pack[i / LANES]);
        }
    } else if (p->unit[k].kind == VISIT_PACK) {
        rigid_pack *c = &p->pack[i / LANES];
        double q[3];
        if (i % LANES == 0) c->row = row;
        bodies_block_constant(p->of.b, p->number[k], m->v_free, q);
        make_lane(p, block, i % LANES, q, c);
    } else if (p->unit[k].kind == VISIT_RIGID) {
        rigid_contact *c = &p->rigid[i];
        make_rigid(p, block, c, W);
        c->row = row;
        bodies_block_constant(p->of.b, p->number[k], m->v_free, c->q);
        keep_scale(p, k, trace_of(3, W), 3, here);
        contact_prepare(&c->law, 3, block->mu, W, 3, p->s[k]);
    } else {
        single_row *c = &p->single[i];
        make_single_row(p, p->number[k], c, W);
        c->row = row;
        bodies_block_constant(p->of.b, p->number[k], m->v_free, &c->q);
        keep_scale(p, k, W[0], 1, here);
        c->inverse = 1 / p->s[k];
    }
}

// number of rows that start at visit k: those of a pack belong to its first lane
static int rows_of(const prepared *p, int k)
{
    if (!visit_is_packed(p->unit[k].kind)) return block_at(p, k)->dim;
    return p->unit[k].index % LANES == 0 ? 3 * LANES : 0;
}

// computes what all lanes of a pack need together
static void complete_packs(const prepared *p, int k, int end, piece *here)
{
    for (; k < end && p->unit[k].kind == VISIT_PACK; ++k) {
        const int l = p->unit[k].index % LANES;
        rigid_pack *c = &p->pack[p->unit[k].index / LANES];
        if (l == 0) packs_make(p, c);
        p->s[k] = c->s[l];
        if (3 * c->s[l] > here->trace) here->trace = 3 * c->s[l];
    }
}

static void make_clusters(void *arg, int begin, int end)
{
    const making *m = arg;
    const prepared *p = m->p;
    for (int i = begin; i < end; ++i) {
        piece *here = &m->piece[i];
        int row = here->row;
        for (int k = p->cluster[i]; k < p->cluster[i + 1]; ++k) {
            visit *unit = &p->unit[k];
            unit->index += here->first[unit->kind];
            if (unit->kind == VISIT_GENERAL) {
                p->general[unit->index].row = row;
            } else {
                make_block(m, k, row, here);
            }
            row += rows_of(p, k);
        }
        complete_packs(p, p->cluster[i], p->cluster[i + 1], here);
    }
}

// makes the general blocks one after another, as they take memory
static pcs_status make_generals(const making *m, pcs_arena *arena)
{
    const prepared *p = m->p;
    if (p->kinds[VISIT_GENERAL] == 0) return PCS_OK;
    size_t square = 0;
    for (int k = 0; k < p->of.nb; ++k) {
        const size_t d = (size_t)block_at(p, k)->dim;
        if (p->unit[k].kind == VISIT_GENERAL && d * d > square) square = d * d;
    }
    double *W = PCS_TAKE(arena, square, double);
    if (!W) return pcs_fail_memory("sweeps");
    for (int k = 0; k < p->of.nb; ++k) {
        if (p->unit[k].kind != VISIT_GENERAL) continue;
        const bodies_block *block = block_at(p, k);
        const int d = block->dim;
        general_block *g = &p->general[p->unit[k].index];
        PCS_TRY(make_general(p, p->number[k], arena, g, W));
        bodies_block_constant(p->of.b, p->number[k], m->v_free, g->q);
        keep_scale(p, k, trace_of(d, W), d, &m->piece[0]);
        g->inverse = 1 / p->s[k];
        if (g->cone == PCS_CONE_COULOMB) {
            contact_prepare(&g->law, d, block->mu, W, d, p->s[k]);
        } else if (g->cone == PCS_CONE_BOX) {
            g->law.mu = block->mu;
        } else if (g->cone == PCS_CONE_EQUALITY && !equality_prepare(&g->e, d, W, d, arena)) {
            return pcs_fail_memory("sweeps");
        }
    }
    return PCS_OK;
}

// a block whose trace is not positive gets the scale of the largest of all clusters
static void mend_scales(const prepared *p, const piece *pieces)
{
    double most = 0;
    for (int i = 0; i < p->clusters; ++i) {
        if (pieces[i].trace > most) most = pieces[i].trace;
    }
    for (int k = 0; k < p->of.nb; ++k) {
        if (p->s[k] > 0) continue;
        p->s[k] = most > 0 ? most / block_at(p, k)->dim : 1;
        const int i = p->unit[k].index;
        if (p->unit[k].kind == VISIT_PACK) p->pack[i / LANES].s[i % LANES] = p->s[k];
        if (p->unit[k].kind == VISIT_RIGID) p->rigid[p->unit[k].index].law.s = p->s[k];
        if (p->unit[k].kind == VISIT_ROW) p->single[p->unit[k].index].inverse = 1 / p->s[k];
        if (p->unit[k].kind != VISIT_GENERAL) continue;
        p->general[p->unit[k].index].inverse = 1 / p->s[k];
        p->general[p->unit[k].index].law.s = p->s[k];
    }
}

pcs_status prepared_make(const island *of, const int *order, const int *cluster, int clusters,
                         int *rank, const double *v_free, const double *r, threads *team,
                         pcs_arena *arena, prepared *out)
{
    prepared *p = out;
    *p =
        (prepared){.of = *of, .team = team, .slot = rank, .cluster = cluster, .clusters = clusters};
    const size_t nb = (size_t)of->nb;
    p->number = PCS_TAKE(arena, nb, int);
    p->unit = PCS_TAKE(arena, nb, visit);
    p->s = PCS_TAKE(arena, nb, double);
    if (!p->number || !p->unit || !p->s) return pcs_fail_memory("sweeps");
    PCS_TRY(prepare_systems(p, arena));

    making m = {p, order, v_free, PCS_TAKE(arena, (size_t)clusters, piece)};
    if (!m.piece) return pcs_fail_memory("sweeps");
    threads_each(team, of->nb, find_kinds, &m);
    PCS_TRY(arrange(p, r, m.piece, *arena));
    p->pack = PCS_TAKE(arena, (size_t)(p->kinds[VISIT_PACK] / LANES), rigid_pack);
    p->round_pack = PCS_TAKE(arena, (size_t)(p->kinds[VISIT_ROUND_PACK] / LANES), round_pack);
    p->round = PCS_TAKE(arena, (size_t)p->kinds[VISIT_ROUND], round_contact);
    p->rigid = PCS_TAKE(arena, (size_t)p->kinds[VISIT_RIGID], rigid_contact);
    p->single = PCS_TAKE(arena, (size_t)p->kinds[VISIT_ROW], single_row);
    p->general = PCS_TAKE(arena, (size_t)p->kinds[VISIT_GENERAL], general_block);
    if (!p->pack || !p->round_pack || !p->round || !p->rigid || !p->single || !p->general) {
        return pcs_fail_memory("sweeps");
    }
    threads_each(team, clusters, make_clusters, &m);
    PCS_TRY(make_generals(&m, arena));
    mend_scales(p, m.piece);
    return PCS_OK;
}

bool prepared_make_one(const bodies_problem *b, int block, const double *v_free, prepared_one *out)
{
    const bodies_block *k = &b->block[block];
    prepared *p = &out->p;
    if (k->cone == PCS_CONE_EQUALITY || k->sys[0] == k->sys[1]) return false;
    out->block = out->number = block;
    out->body[0] = (body_inverse){0};
    *p = (prepared){.of = {.b = b, .nb = 1, .block = &out->block, .sys = out->sys},
                    .clusters = 1,
                    .n = k->dim,
                    .number = &out->number,
                    .sys = out->sys,
                    .unit = &out->unit,
                    .round = &out->of.round,
                    .rigid = &out->of.rigid,
                    .single = &out->of.single,
                    .s = &out->s,
                    .body = out->body,
                    .frame = out->frame,
                    .at = out->at};
    for (int e = 0; e < 2; ++e) {
        if (k->sys[e] < 0) continue;
        const int s = p->of.ns++;
        out->sys[s] = k->sys[e];
        out->at[s] = s * LINE;
        atomic_init(&out->frame[s], k->rows[e] ? FRAME_OWN : FRAME_INERTIAL);
        if (width_of(p, s) > LINE) return false;
    }
    make_systems(p, 0, p->of.ns);
    out->unit = (visit){kind_of(p, k), 0};
    if (out->unit.kind == VISIT_GENERAL) return false;
    piece here = {.first = {0}};
    const making m = {p, NULL, v_free, NULL};
    make_block(&m, 0, 0, &here);
    mend_scales(p, &here);
    return true;
}

int prepared_row(const prepared *p, int k)
{
    if (k == p->of.nb) return p->n;
    const int i = p->unit[k].index;
    switch (p->unit[k].kind) {
    case VISIT_PACK:
        return p->pack[i / LANES].row + i % LANES;
    case VISIT_ROUND_PACK:
        return p->round_pack[i / LANES].row + i % LANES;
    case VISIT_ROUND:
        return p->round[i].row;
    case VISIT_RIGID:
        return p->rigid[i].row;
    case VISIT_ROW:
        return p->single[i].row;
    default:
        return p->general[i].row;
    }
}

// distance of the rows of visit k
static int stride_of(const prepared *p, int k)
{
    return visit_is_packed(p->unit[k].kind) ? LANES : 1;
}

// ---- in and out --------------------------------------------------------------------------------

typedef struct copying {
    const prepared *p;
    const double *from;
    const double *more;
    double *to;
} copying;

static void add_systems(void *arg, int begin, int end)
{
    const copying *c = arg;
    const prepared *p = c->p;
    const bodies_problem *b = p->of.b;
    for (int s = begin; s < end; ++s) {
        const double *from = c->from + p->at[s];
        const double *base = c->more + b->A->start[p->sys[s]];
        double *to = c->to + b->A->start[p->sys[s]], w[3];
        const int width = p->frame[s] == FRAME_OWN ? width_of(p, s) : 3;
        for (int i = 0; i < width; ++i) {
            to[i] = base[i] + from[i];
        }
        if (p->frame[s] == FRAME_OWN) continue;
        m3_mul_t(b->R + 9 * (size_t)p->sys[s], from + 3, w);
        for (int i = 0; i < 3; ++i) {
            to[3 + i] = base[3 + i] + w[i];
        }
    }
}

void prepared_add(const prepared *p, const double *v_free, const double *y, double *v)
{
    copying c = {p, y, v_free, v};
    threads_each(p->team, p->of.ns, add_systems, &c);
}

static void gather_blocks(void *arg, int begin, int end)
{
    const copying *c = arg;
    const prepared *p = c->p;
    for (int k = begin; k < end; ++k) {
        const bodies_block *b = block_at(p, k);
        double *to = c->to + prepared_row(p, k), lane[3];
        const bool packed = visit_is_packed(p->unit[k].kind);
        double *mine = packed ? lane : to;
        memcpy(mine, c->from + b->row, (size_t)b->dim * sizeof *mine);
        const pcs_block cone = {b->cone, 0, b->dim, b->mu};
        cone_project(1, &cone, mine);
        for (int i = 0; packed && i < 3; ++i) {
            to[LANES * i] = lane[i];
        }
    }
}

void prepared_gather(const prepared *p, const double *whole, double *mine)
{
    copying c = {p, whole, NULL, mine};
    if (p->kinds[VISIT_PACK] + p->kinds[VISIT_ROUND_PACK] > 0)
        memset(mine, 0, (size_t)p->n * sizeof *mine);
    threads_each(p->team, p->of.nb, gather_blocks, &c);
}

static void scatter_blocks(void *arg, int begin, int end)
{
    const copying *c = arg;
    const prepared *p = c->p;
    for (int k = begin; k < end; ++k) {
        const bodies_block *b = block_at(p, k);
        const double *from = c->from + prepared_row(p, k);
        const int stride = stride_of(p, k);
        for (int i = 0; i < b->dim; ++i) {
            c->to[b->row + i] = from[stride * i];
        }
    }
}

void prepared_scatter(const prepared *p, const double *mine, double *whole)
{
    copying c = {p, mine, NULL, whole};
    threads_each(p->team, p->of.nb, scatter_blocks, &c);
}
