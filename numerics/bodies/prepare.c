// From frames, levers and rows to what the sweeps read; see prepared.h.
#include "bodies/prepared.h"

#include <string.h>

#include "linalg/m3.h"

static const bodies_block *block_at(const prepared *p, int k)
{
    return &p->of.b->block[p->of.block[p->order[k]]];
}

static int place_of(const prepared *p, const bodies_block *k, int side)
{
    return k->sys[side] < 0 ? -1 : p->of.place[k->sys[side]];
}

static int width_of(const prepared *p, int place)
{
    const int *start = p->of.b->A->start, s = p->of.sys[place];
    return start[s + 1] - start[s];
}

// ---- systems -----------------------------------------------------------------------------------

// K = R (rotational block)^-1 R^T
static void turned_inverse(const bodies_problem *b, int s, body_inverse *out)
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
    if (A->start[s + 1] - A->start[s] != 6 || kind == BLOCK_DENSE) return FRAME_TURNED;
    if (kind == BLOCK_DIAGONAL) {
        if (d[0] != d[1] || d[0] != d[2]) return FRAME_TURNED;
        if (d[3] == d[4] && d[3] == d[5]) {
            *out = (body_inverse){.m = 1 / d[0],
                                  .K = {1 / d[3], 0, 0, 0, 1 / d[3], 0, 0, 0, 1 / d[3]}};
            return FRAME_ISOTROPIC;
        }
    }
    turned_inverse(b, s, out);
    return FRAME_RIGID;
}

static pcs_status prepare_systems(prepared *p, pcs_arena *arena)
{
    const size_t ns = (size_t)p->of.ns;
    p->body = PCS_TAKE(arena, ns, body_inverse);
    p->frame = PCS_TAKE(arena, ns, unsigned char);
    p->at = PCS_TAKE(arena, ns + 1, int);
    if (!p->body || !p->frame || !p->at) return pcs_fail_memory("sweeps");

    memset(p->frame, FRAME_OWN, ns);
    for (int k = 0; k < p->of.nb; ++k) {
        const bodies_block *block = block_at(p, k);
        for (int e = 0; e < 2; ++e) {
            const int s = place_of(p, block, e);
            if (s >= 0 && !block->rows[e]) p->frame[s] = FRAME_TURNED;
        }
    }
    p->at[0] = 0;
    for (int s = 0; s < p->of.ns; ++s) {
        p->at[s + 1] = p->at[s] + (width_of(p, s) + LINE - 1) / LINE * LINE;
        if (p->frame[s] == FRAME_OWN) continue;
        p->frame[s] = (unsigned char)frame_of(p->of.b, p->of.sys[s], &p->body[s]);
    }
    return PCS_OK;
}

// ---- blocks ------------------------------------------------------------------------------------

static bool make_round(const prepared *p, const bodies_block *k, round_contact *c)
{
    *c = (round_contact){.mu = k->mu, .at = {-1, -1}};
    for (int e = 0; e < 2; ++e) {
        const int s = place_of(p, k, e);
        if (s < 0) continue;
        const double *core = k->core[e];
        if (p->frame[s] != FRAME_ISOTROPIC) return false;
        if (core[0] != 0 || core[1] != 0 || core[2] != 0) return false;
        c->at[e] = p->at[s];
        c->c[e] = k->along[e];
        c->m[e] = p->body[s].m;
        c->jc[e] = p->body[s].K[0] * c->c[e];
        c->wN += c->m[e];
        c->wT += c->m[e] + c->jc[e] * c->c[e];
    }
    c->iN = 1 / c->wN;
    c->iT = 1 / c->wT;
    memcpy(c->F, k->F, sizeof c->F);
    return c->wN > 0 && c->wT > 0 && isfinite(c->iN) && isfinite(c->iT);
}

static bool is_rigid(const prepared *p, const bodies_block *k)
{
    for (int e = 0; e < 2; ++e) {
        const int s = place_of(p, k, e);
        if (s >= 0 && (k->rows[e] || p->frame[s] < FRAME_RIGID)) return false;
    }
    return k->cone == PCS_COULOMB && k->dim == 3 && (k->sys[0] >= 0 || k->sys[1] >= 0);
}

static void rigid_operator(const prepared *p, const rigid_contact *c, double W[9])
{
    memset(W, 0, 9 * sizeof *W);
    for (int e = 0; e < 2; ++e) {
        if (c->at[e] < 0) continue;
        const body_inverse *A = &p->body[c->sys[e]];
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
    *c = (rigid_contact){.at = {-1, -1}, .sys = {-1, -1}};
    memcpy(c->F, k->F, sizeof c->F);
    memcpy(c->core, k->core, sizeof c->core);
    memcpy(c->along, k->along, sizeof c->along);
    for (int e = 0; e < 2; ++e) {
        c->sys[e] = place_of(p, k, e);
        if (c->sys[e] >= 0) c->at[e] = p->at[c->sys[e]];
    }
    rigid_operator(p, c, W);
}

// angular columns of J (dim x 6) from the body's frame to the inertial one
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

// J and Y = A^-1 J^T of a side in the frame of the sweeps, D += J Y; J is dim x width, Y width x
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
        block_lu_solve(b->A, p->of.sys[s], y);
        for (int j = 0; j < d; ++j) {
            for (int c = 0; c < width; ++c) {
                W[j + (size_t)d * (size_t)i] += J[j + (size_t)d * (size_t)c] * y[c];
            }
        }
    }
    if (p->frame[s] == FRAME_OWN) return;
    const double *R = b->R + 9 * (size_t)p->of.sys[s];
    turn_rows(d, R, J);
    for (int i = 0; i < d; ++i) {
        double *y = Y + 6 * (size_t)i + 3, w[3];
        v3_copy(y, w);
        m3_mul(R, w, y);
    }
}

static bool is_single_row(const prepared *p, const bodies_block *k)
{
    if (k->cone != PCS_UNILATERAL) return false;
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
    *g = (general_block){.cone = block->cone, .dim = d, .at = {-1, -1}};
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

// q of a block: H v_free + shift, with what bodies_rows says
static void free_velocity(const bodies_problem *b, int number, const double *v, double *J,
                          double *q)
{
    const bodies_block *k = &b->block[number];
    memcpy(q, b->shift + k->row, (size_t)k->dim * sizeof *q);
    for (int e = 0; e < 2; ++e) {
        if (k->sys[e] < 0) continue;
        const int at = b->A->start[k->sys[e]], width = b->A->start[k->sys[e] + 1] - at;
        bodies_rows(b, number, e, J);
        for (int c = 0; c < width; ++c) {
            for (int i = 0; i < k->dim; ++i) {
                q[i] += J[i + (size_t)k->dim * (size_t)c] * v[at + c];
            }
        }
    }
}

// the law of a block, once W_ii and its scale are known
static pcs_status prepare_law(prepared *p, int k, const double *W, pcs_arena *arena)
{
    const bodies_block *block = block_at(p, k);
    const int i = p->unit[k].index;
    if (p->unit[k].kind == VISIT_RIGID) {
        contact_prepare(&p->rigid[i].law, 3, block->mu, W, 3, p->s[k]);
    } else if (p->unit[k].kind == VISIT_ROW) {
        p->single[i].inverse = 1 / p->s[k];
    } else if (p->unit[k].kind == VISIT_GENERAL) {
        general_block *g = &p->general[i];
        g->inverse = 1 / p->s[k];
        if (g->cone == PCS_COULOMB) {
            contact_prepare(&g->law, g->dim, block->mu, W, g->dim, p->s[k]);
        } else if (g->cone == PCS_EQUALITY && !equality_prepare(&g->e, g->dim, W, g->dim, arena)) {
            return pcs_fail_memory("sweeps");
        }
    }
    return PCS_OK;
}

static void count_kinds(prepared *p)
{
    memset(p->kinds, 0, sizeof p->kinds);
    for (int k = 0; k < p->of.nb; ++k) {
        const bodies_block *block = block_at(p, k);
        round_contact c;
        int kind = is_single_row(p, block) ? VISIT_ROW : VISIT_GENERAL;
        if (is_rigid(p, block)) kind = make_round(p, block, &c) ? VISIT_ROUND : VISIT_RIGID;
        p->unit[k] = (visit){kind, p->kinds[kind]++};
        p->n += block->dim;
    }
}

static void widest(const prepared *p, size_t *square, size_t *rows)
{
    *square = *rows = 0;
    for (int k = 0; k < p->of.nb; ++k) {
        const bodies_block *block = block_at(p, k);
        const size_t d = (size_t)block->dim;
        if (d * d > *square) *square = d * d;
        for (int e = 0; e < 2; ++e) {
            const int s = place_of(p, block, e);
            const size_t size = s < 0 ? 0 : d * (size_t)width_of(p, s);
            if (size > *rows) *rows = size;
        }
    }
}

static pcs_status prepare_blocks(prepared *p, const double *v_free, pcs_arena *arena)
{
    size_t square, rows;
    widest(p, &square, &rows);
    double *W = PCS_TAKE(arena, square, double), *J = PCS_TAKE(arena, rows, double);
    if (!W || !J) return pcs_fail_memory("sweeps");
    double most = 0, largest = 0;
    for (int k = 0, row = 0; k < p->of.nb; ++k) {
        const bodies_block *block = block_at(p, k);
        const int i = p->unit[k].index, d = block->dim;
        double trace, *q;
        if (p->unit[k].kind == VISIT_ROUND) {
            round_contact *c = &p->round[i];
            make_round(p, block, c);
            c->row = row;
            q = c->q;
            trace = c->wN + 2 * c->wT;
        } else if (p->unit[k].kind == VISIT_RIGID) {
            make_rigid(p, block, &p->rigid[i], W);
            p->rigid[i].row = row;
            q = p->rigid[i].q;
            trace = trace_of(3, W);
        } else if (p->unit[k].kind == VISIT_ROW) {
            make_single_row(p, p->of.block[p->order[k]], &p->single[i], W);
            p->single[i].row = row;
            q = &p->single[i].q;
            trace = W[0];
        } else {
            PCS_TRY(make_general(p, p->of.block[p->order[k]], arena, &p->general[i], W));
            p->general[i].row = row;
            q = p->general[i].q;
            trace = trace_of(d, W);
        }
        free_velocity(p->of.b, p->of.block[p->order[k]], v_free, J, q);
        for (int c = 0; c < d; ++c) {
            if (fabs(q[c]) > largest) largest = fabs(q[c]);
        }
        p->s[k] = trace / d;
        if (trace > most) most = trace;
        PCS_TRY(prepare_law(p, k, W, arena));
        row += d;
    }
    // a block whose trace is not positive has the scale of the largest
    for (int k = 0; k < p->of.nb; ++k) {
        if (p->s[k] > 0) continue;
        p->s[k] = most > 0 ? most / block_at(p, k)->dim : 1;
        if (p->unit[k].kind == VISIT_RIGID) p->rigid[p->unit[k].index].law.s = p->s[k];
        if (p->unit[k].kind == VISIT_ROW) p->single[p->unit[k].index].inverse = 1 / p->s[k];
        if (p->unit[k].kind != VISIT_GENERAL) continue;
        p->general[p->unit[k].index].inverse = 1 / p->s[k];
        p->general[p->unit[k].index].law.s = p->s[k];
    }
    int exponent = 0;
    if (largest > 0 && isfinite(largest)) frexp(largest, &exponent);
    const int most_exponent = 1000;
    if (exponent > most_exponent) exponent = most_exponent;
    if (exponent < -most_exponent) exponent = -most_exponent;
    p->per_unit = ldexp(1, -exponent);
    return PCS_OK;
}

pcs_status prepared_make(const island *of, const int *order, const double *v_free, pcs_arena *arena,
                         prepared *out)
{
    prepared *p = out;
    *p = (prepared){.of = *of};
    const size_t nb = (size_t)of->nb;
    p->order = PCS_TAKE(arena, nb, int);
    p->unit = PCS_TAKE(arena, nb, visit);
    p->s = PCS_TAKE(arena, nb, double);
    if (!p->order || !p->unit || !p->s) return pcs_fail_memory("sweeps");
    for (int k = 0; k < of->nb; ++k) {
        p->order[k] = order ? order[k] : k;
    }
    PCS_TRY(prepare_systems(p, arena));
    count_kinds(p);
    p->round = PCS_TAKE(arena, (size_t)p->kinds[VISIT_ROUND], round_contact);
    p->rigid = PCS_TAKE(arena, (size_t)p->kinds[VISIT_RIGID], rigid_contact);
    p->single = PCS_TAKE(arena, (size_t)p->kinds[VISIT_ROW], single_row);
    p->general = PCS_TAKE(arena, (size_t)p->kinds[VISIT_GENERAL], general_block);
    if (!p->round || !p->rigid || !p->single || !p->general) return pcs_fail_memory("sweeps");
    return prepare_blocks(p, v_free, arena);
}

// ---- in and out --------------------------------------------------------------------------------

void prepared_add(const prepared *p, const double *v_free, const double *y, double *v)
{
    const bodies_problem *b = p->of.b;
    for (int s = 0; s < p->of.ns; ++s) {
        const double *from = y + p->at[s];
        const double *base = v_free + b->A->start[p->of.sys[s]];
        double *to = v + b->A->start[p->of.sys[s]], w[3];
        const int width = p->frame[s] == FRAME_OWN ? width_of(p, s) : 3;
        for (int c = 0; c < width; ++c) {
            to[c] = base[c] + from[c];
        }
        if (p->frame[s] == FRAME_OWN) continue;
        m3_mul_t(b->R + 9 * (size_t)p->of.sys[s], from + 3, w);
        for (int c = 0; c < 3; ++c) {
            to[3 + c] = base[3 + c] + w[c];
        }
    }
}

void prepared_gather(const prepared *p, const double *whole, double *mine)
{
    for (int k = 0; k < p->of.nb; ++k) {
        const bodies_block *block = block_at(p, k);
        memcpy(mine, whole + block->row, (size_t)block->dim * sizeof *mine);
        mine += block->dim;
    }
}

void prepared_scatter(const prepared *p, const double *mine, double *whole)
{
    for (int k = 0; k < p->of.nb; ++k) {
        const bodies_block *block = block_at(p, k);
        memcpy(whole + block->row, mine, (size_t)block->dim * sizeof *mine);
        mine += block->dim;
    }
}
