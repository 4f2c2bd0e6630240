// The kinds of prepared blocks. Of a round contact only the tangential rotation matters: with dv =
// v1 - v2 and dw = c1 w1 - c2 w2
//
//     H y = (N dv, t1 dv + t2 dw, t2 dv - t1 dw)
//
// and, W_ii being diagonal, the sliding impulse is opposite to the tangential velocity without
// friction.
#include "bodies/sweep_blocks.h"

#include <string.h>

#include "bodies/packs.h"
#include "cone/cone.h"
#include "linalg/bsr.h"
#include "linalg/m3.h"

// squares outside these bounds may have lost digits
#define SQUARE_LOW  1e-280
#define SQUARE_HIGH 1e280

// ---- round -------------------------------------------------------------------------------------

static inline void round_velocity(const round_contact *c, const double t2[3], const double *a,
                                  const double *b, double *u)
{
    double dv[3], dw[3];
    for (int i = 0; i < 3; ++i) {
        dv[i] = a[i] - b[i];
        dw[i] = c->c[0] * a[3 + i] - c->c[1] * b[3 + i];
    }
    u[0] = v3_dot(c->N, dv);
    u[1] = v3_dot(c->t1, dv) + v3_dot(t2, dw);
    u[2] = v3_dot(t2, dv) - v3_dot(c->t1, dw);
}

static inline void round_push(const round_contact *c, const double t2[3], const double *d,
                              double *a, double *b)
{
    for (int i = 0; i < 3; ++i) {
        const double P = c->N[i] * d[0] + c->t1[i] * d[1] + t2[i] * d[2];
        const double T = t2[i] * d[1] - c->t1[i] * d[2];
        a[i] += c->m[0] * P;
        b[i] -= c->m[1] * P;
        a[3 + i] += c->jc[0] * T;
        b[3 + i] -= c->jc[1] * T;
    }
}

// u is the velocity with the impulse r; x = r - W_ii^-1 u would make it zero
static inline void round_solve(const round_contact *c, const double *u, const double *r, double *x)
{
    x[0] = r[0] - u[0] * c->iN;
    x[1] = r[1] - u[1] * c->iT;
    x[2] = r[2] - u[2] * c->iT;
    if (x[0] <= 0) {
        x[0] = x[1] = x[2] = 0;
        return;
    }
    const double most = c->mu * x[0], square = x[1] * x[1] + x[2] * x[2];
    double part = 1;
    if (square > SQUARE_LOW && square < SQUARE_HIGH) {
        if (square > most * most) part = most / sqrt(square);
    } else {
        const double t = cone_tangent(3, x);
        if (t > most) part = most / t;
    }
    x[1] *= part;
    x[2] *= part;
}

static inline double visit_round(const round_contact *c, double s, double *spare, double *y,
                                 double *r)
{
    double *a = c->at[0] < 0 ? spare : y + c->at[0], *b = c->at[1] < 0 ? spare : y + c->at[1];
    double u[3], x[3], d[3];
    double t2[3];
    v3_cross(c->N, c->t1, t2);
    round_velocity(c, t2, a, b, u);
    for (int i = 0; i < 3; ++i) {
        u[i] += c->q[i];
    }
    round_solve(c, u, r, x);
    v3_sub(x, r, d);
    if (d[0] == 0 && d[1] == 0 && d[2] == 0) return 0;
    v3_copy(x, r);
    round_push(c, t2, d, a, b);
    return s * s * v3_dot(d, d);
}

// ---- rigid -------------------------------------------------------------------------------------

static inline void rigid_velocity(const rigid_contact *c, const double *y, double *u)
{
    double x[3] = {0}, z[3] = {0}, w[3];
    if (c->at[0] >= 0) {
        const double *a = y + c->at[0];
        v3_cross(a + 3, c->core[0], w);
        for (int i = 0; i < 3; ++i) {
            x[i] = a[i] + w[i];
            z[i] = c->along[0] * a[3 + i];
        }
    }
    if (c->at[1] >= 0) {
        const double *b = y + c->at[1];
        v3_cross(b + 3, c->core[1], w);
        for (int i = 0; i < 3; ++i) {
            x[i] -= b[i] + w[i];
            z[i] -= c->along[1] * b[3 + i];
        }
    }
    m3_mul_t(c->F, x, u);
    u[1] += v3_dot(z, c->F + 6);
    u[2] -= v3_dot(z, c->F + 3);
}

// P is the impulse, T the moment of its tangential part with a lever of length 1 along N
static inline void rigid_push_one(const body_inverse *A, const double *core, double along,
                                  const double *P, const double *T, double *y)
{
    double moment[3], w[3];
    v3_cross(core, P, moment);
    v3_along(moment, along, T, moment);
    m3_mul(A->K, moment, w);
    for (int i = 0; i < 3; ++i) {
        y[i] += A->m * P[i];
        y[3 + i] += w[i];
    }
}

static inline void rigid_push(const prepared *p, const rigid_contact *c, const double *d, double *y)
{
    const double *t1 = c->F + 3, *t2 = c->F + 6;
    double P[3], T[3];
    m3_mul(c->F, d, P);
    for (int i = 0; i < 3; ++i) {
        T[i] = t2[i] * d[1] - t1[i] * d[2];
    }
    if (c->at[0] >= 0) {
        rigid_push_one(prepared_body(p, c->at[0]), c->core[0], c->along[0], P, T, y + c->at[0]);
    }
    if (c->at[1] < 0) return;
    v3_scale(-1, P, P);
    v3_scale(-1, T, T);
    rigid_push_one(prepared_body(p, c->at[1]), c->core[1], c->along[1], P, T, y + c->at[1]);
}

static inline bool within(double mu, const double *r)
{
    const double square = r[1] * r[1] + r[2] * r[2], most = mu * r[0];
    if (!(r[0] >= 0)) return false;
    if (square > SQUARE_LOW && square < SQUARE_HIGH) return square <= most * most;
    return cone_tangent(3, r) <= most;
}

// Most contacts are open or stick. Solving from u, and not from the velocity without r, makes the
// rounding of the inverse vanish over the sweeps
void rigid_solve(const contact *law, const double *u, const double *r, double *x)
{
    const double *W = law->W;
    if (u[0] - (W[0] * r[0] + W[3] * r[1] + W[6] * r[2]) >= 0) {
        x[0] = x[1] = x[2] = 0;
        return;
    }
    if (law->regular) {
        double dr[3];
        m3_mul(law->inverse, u, dr);
        v3_sub(r, dr, x);
        if (within(law->mu, x)) return;
    }
    double Wr[3], q[3];
    m3_mul(W, r, Wr);
    v3_sub(u, Wr, q);
    v3_copy(r, x);
    if (law->regular && contact_slide(law, q, x)) return;
    v3_copy(r, x);
    contact_solve(law, q, x);
}

static inline double visit_rigid(const prepared *p, const rigid_contact *c, double s, double *y,
                                 double *r)
{
    double u[3], x[3], d[3];
    rigid_velocity(c, y, u);
    for (int i = 0; i < 3; ++i) {
        u[i] += c->q[i];
    }
    rigid_solve(&c->law, u, r, x);
    v3_sub(x, r, d);
    if (d[0] == 0 && d[1] == 0 && d[2] == 0) return 0;
    v3_copy(x, r);
    rigid_push(p, c, d, y);
    return s * s * v3_dot(d, d);
}

// ---- a row -------------------------------------------------------------------------------------

static inline double single_velocity(const single_row *c, const double *a, const double *b)
{
    double u = 0;
    for (int i = 0; i < ROW_WIDTH; ++i) {
        u += c->J[0][i] * a[i] + c->J[1][i] * b[i];
    }
    return u;
}

static inline void single_push(const single_row *c, double d, double *a, double *b)
{
    for (int i = 0; i < ROW_WIDTH; ++i) {
        a[i] += c->Y[0][i] * d;
        b[i] += c->Y[1][i] * d;
    }
}

static inline double visit_single(const single_row *c, double s, double *spare, double *y,
                                  double *r)
{
    double *a = c->at[0] < 0 ? spare : y + c->at[0], *b = c->at[1] < 0 ? spare : y + c->at[1];
    const double u = c->q + single_velocity(c, a, b);
    const double x = cone_project_unilateral(r[0] - c->inverse * u), d = x - r[0];
    if (d == 0) return 0;
    r[0] = x;
    single_push(c, d, a, b);
    return s * s * d * d;
}

// ---- general -----------------------------------------------------------------------------------

static void general_velocity(const general_block *g, const double *y, double *u)
{
    memset(u, 0, (size_t)g->dim * sizeof *u);
    for (int e = 0; e < 2; ++e) {
        if (g->at[e] >= 0) block_addmul(g->dim, g->width[e], g->J[e], y + g->at[e], u);
    }
}

static void general_push(const general_block *g, const double *d, double *y)
{
    for (int e = 0; e < 2; ++e) {
        if (g->at[e] >= 0) block_addmul(g->width[e], g->dim, g->Y[e], d, y + g->at[e]);
    }
}

static double visit_general(const general_block *g, double s, double *y, double *r)
{
    double *u = g->scratch, *d = g->scratch + g->dim, sum = 0;
    bool moved = false;
    general_velocity(g, y, u);
    for (int i = 0; i < g->dim; ++i) {
        u[i] += g->q[i];
    }
    if (g->cone == PCS_CONE_EQUALITY) {
        for (int i = 0; i < g->dim; ++i) {
            d[i] = -u[i];
        }
        equality_solve(&g->e, d, g->scratch + 2 * (size_t)g->dim);
        for (int i = 0; i < g->dim; ++i) {
            r[i] += d[i];
        }
    } else if (g->cone == PCS_CONE_UNILATERAL || g->cone == PCS_CONE_BOX) {
        const double free = r[0] - g->inverse * u[0];
        const double x = g->cone == PCS_CONE_BOX ? cone_project_box(g->law.mu, free)
                                                 : cone_project_unilateral(free);
        d[0] = x - r[0];
        r[0] = x;
    } else {
        double q[3] = {0}, x[3] = {0};
        for (int i = 0; i < g->dim; ++i) {
            q[i] = u[i];
            x[i] = r[i];
            for (int j = 0; j < g->dim; ++j) {
                q[i] -= g->law.W[i + g->dim * j] * r[j];
            }
        }
        contact_solve(&g->law, q, x);
        for (int i = 0; i < g->dim; ++i) {
            d[i] = x[i] - r[i];
            r[i] = x[i];
        }
    }
    for (int i = 0; i < g->dim; ++i) {
        sum += d[i] * d[i];
        moved = moved || d[i] != 0;
    }
    if (moved) general_push(g, d, y);
    return s * s * sum;
}

// ---- many --------------------------------------------------------------------------------------

double blocks_visit(const prepared *p, int begin, int end, double *spare, double *y, double *r)
{
    double sum = 0;
    int k = begin;
    if (k < end && p->unit[k].kind == VISIT_PACK) {
        const int first = p->unit[k].index / LANES;
        int last = first;
        for (; k < end && p->unit[k].kind == VISIT_PACK; k += p->pack[last++].n) {
        }
        sum += packs_visit(p, p->pack + first, last - first, spare, y, r);
    }
    if (k < end && p->unit[k].kind == VISIT_ROUND_PACK) {
        const int first = p->unit[k].index / LANES;
        int last = first;
        for (; k < end && p->unit[k].kind == VISIT_ROUND_PACK; k += p->round_pack[last++].n) {
        }
        sum += packs_visit_round(p->round_pack + first, last - first, spare, y, r);
    }
    for (; k < end; ++k) {
        const int i = p->unit[k].index;
        const double s = p->s[k];
        if (p->unit[k].kind == VISIT_ROUND) {
            const round_contact *c = &p->round[i];
            sum += visit_round(c, s, spare, y, r + c->row);
        } else if (p->unit[k].kind == VISIT_RIGID) {
            const rigid_contact *c = &p->rigid[i];
            sum += visit_rigid(p, c, s, y, r + c->row);
        } else if (p->unit[k].kind == VISIT_ROW) {
            const single_row *c = &p->single[i];
            sum += visit_single(c, s, spare, y, r + c->row);
        } else {
            const general_block *g = &p->general[i];
            sum += visit_general(g, s, y, r + g->row);
        }
    }
    return sum;
}

void blocks_push(const prepared *p, int begin, int end, double *spare, const double *r, double *y)
{
    for (int k = begin; k < end; ++k) {
        const int i = p->unit[k].index;
        if (p->unit[k].kind == VISIT_PACK) {
            if (i % LANES == 0) packs_push(p, &p->pack[i / LANES], spare, r, y);
        } else if (p->unit[k].kind == VISIT_ROUND_PACK) {
            if (i % LANES == 0) packs_push_round(&p->round_pack[i / LANES], spare, r, y);
        } else if (p->unit[k].kind == VISIT_ROUND) {
            const round_contact *c = &p->round[i];
            double *a = c->at[0] < 0 ? spare : y + c->at[0];
            double *b = c->at[1] < 0 ? spare : y + c->at[1];
            double t2[3];
            v3_cross(c->N, c->t1, t2);
            round_push(c, t2, r + c->row, a, b);
        } else if (p->unit[k].kind == VISIT_RIGID) {
            rigid_push(p, &p->rigid[i], r + p->rigid[i].row, y);
        } else if (p->unit[k].kind == VISIT_ROW) {
            const single_row *c = &p->single[i];
            single_push(c, r[c->row], c->at[0] < 0 ? spare : y + c->at[0],
                        c->at[1] < 0 ? spare : y + c->at[1]);
        } else {
            general_push(&p->general[i], r + p->general[i].row, y);
        }
    }
}

// data of a block for its measure
typedef struct measured {
    pcs_block block;
    const double *q;
} measured;

static measured coulomb(int row, double mu, const double *q)
{
    return (measured){{PCS_CONE_COULOMB, row, 3, mu}, q};
}

// that data; writes H y of the block into u
static measured velocity(const prepared *p, int k, const double *spare, const double *y, double *u)
{
    const int i = p->unit[k].index;
    if (p->unit[k].kind == VISIT_ROUND) {
        const round_contact *c = &p->round[i];
        double t2[3];
        v3_cross(c->N, c->t1, t2);
        round_velocity(c, t2, c->at[0] < 0 ? spare : y + c->at[0],
                       c->at[1] < 0 ? spare : y + c->at[1], u + c->row);
        return coulomb(c->row, c->mu, c->q);
    }
    if (p->unit[k].kind == VISIT_RIGID) {
        const rigid_contact *c = &p->rigid[i];
        rigid_velocity(c, y, u + c->row);
        return coulomb(c->row, c->law.mu, c->q);
    }
    if (p->unit[k].kind == VISIT_ROW) {
        const single_row *c = &p->single[i];
        u[c->row] = single_velocity(c, c->at[0] < 0 ? spare : y + c->at[0],
                                    c->at[1] < 0 ? spare : y + c->at[1]);
        return (measured){{PCS_CONE_UNILATERAL, c->row, 1, 0}, &c->q};
    }
    const general_block *g = &p->general[i];
    general_velocity(g, y, u + g->row);
    return (measured){{g->cone, g->row, g->dim, g->law.mu}, g->q};
}

// one lane after another: what packs_measure left out, and the natural map on request
static void measure_lanes(int n, const lanes *q, const lanes *mu, const lanes *s, bool violated,
                          bool natural, const double *r, double *u, measure_sums *out)
{
    for (int l = 0; l < n; ++l) {
        const pcs_block block = {PCS_CONE_COULOMB, 0, 3, (*mu)[l]};
        double rl[3], ql[3], ul[3];
        for (int i = 0; i < 3; ++i) {
            rl[i] = r[LANES * i + l];
            ql[i] = q[i][l];
            ul[i] = u[LANES * i + l];
        }
        if (!violated) {
            measure_velocity(out, 3, ql, ul);
            measure_add_violation(out, &block, (*s)[l], rl, ul);
        }
        if (natural) measure_add_natural(out, &block, rl, ul);
        for (int i = 0; i < 3; ++i) {
            u[LANES * i + l] = ul[i];
        }
    }
}

void blocks_measure(const prepared *p, int begin, int end, const double *spare, const double *y,
                    const double *r, bool natural, double *u, measure_sums *out)
{
    int k = begin;
    while (k < end && p->unit[k].kind == VISIT_PACK) {
        const rigid_pack *c = &p->pack[p->unit[k].index / LANES];
        const double *rk = r + c->row;
        double *uk = u + c->row;
        const bool violated = packs_measure(c, spare, y, rk, uk, out);
        if (natural || !violated) {
            measure_lanes(c->n, c->q, &c->mu, &c->s, violated, natural, rk, uk, out);
        }
        k += c->n;
    }
    while (k < end && p->unit[k].kind == VISIT_ROUND_PACK) {
        const round_pack *c = &p->round_pack[p->unit[k].index / LANES];
        const double *rk = r + c->row;
        double *uk = u + c->row;
        const bool violated = packs_measure_round(c, spare, y, rk, uk, out);
        if (natural || !violated) {
            measure_lanes(c->n, c->q, &c->mu, &c->s, violated, natural, rk, uk, out);
        }
        k += c->n;
    }
    for (; k < end; ++k) {
        const measured m = velocity(p, k, spare, y, u);
        const double *rk = r + m.block.row;
        double *uk = u + m.block.row;
        measure_velocity(out, m.block.dim, m.q, uk);
        measure_add_violation(out, &m.block, p->s[k], rk, uk);
        if (natural) measure_add_natural(out, &m.block, rk, uk);
    }
}
