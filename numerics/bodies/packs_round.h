// The functions of packs.h for packs of round contacts, after packs_lanes.h: every lane does the
// arithmetic of the single contact in sweep_blocks.c, to the last bit.
#include "cone/cone.h"

static inline void round_lanes_velocity(const round_pack *c, const lanes *t2, const lanes *v1,
                                        const lanes *v2, lanes *u)
{
    lanes dv[3], dw[3];
    for (int i = 0; i < 3; ++i) {
        dv[i] = v1[i] - v2[i];
        dw[i] = c->c[0] * v1[3 + i] - c->c[1] * v2[3 + i];
    }
    u[0] = dot(c->N, dv);
    u[1] = dot(c->t1, dv) + dot(t2, dw);
    u[2] = dot(t2, dv) - dot(c->t1, dw);
}

static inline void round_lanes_push(const round_pack *c, const lanes *t2, const lanes *d, lanes *v1,
                                    lanes *v2)
{
    for (int i = 0; i < 3; ++i) {
        const lanes P = c->N[i] * d[0] + c->t1[i] * d[1] + t2[i] * d[2];
        const lanes T = t2[i] * d[1] - c->t1[i] * d[2];
        v1[i] += c->m[0] * P;
        v2[i] -= c->m[1] * P;
        v1[3 + i] += c->jc[0] * T;
        v2[3 + i] -= c->jc[1] * T;
    }
}

// the part of the tangential impulse that friction allows
static inline lanes part_within(lanes mu, const lanes *x, mask open)
{
    const lanes most = mu * x[0], square = x[1] * x[1] + x[2] * x[2];
    const mask sure = (square > SQUARE_LOW) & (square < SQUARE_HIGH);
    const mask slides = ~open & sure & (square > most * most);
    const mask odd = ~open & ~sure & ((x[1] != 0) | (x[2] != 0));
    lanes part = all(1);
    if (any(slides)) part = choose(slides, most / root(square), part);
    for (int l = 0; l < LANES && any(odd); ++l) {
        if (!odd[l]) continue;
        const double lane[3] = {x[0][l], x[1][l], x[2][l]}, t = cone_tangent(3, lane);
        if (t > most[l]) part[l] = most[l] / t;
    }
    return part;
}

static inline void round_lanes_solve(const round_pack *c, const lanes *u, const lanes *r, lanes *x)
{
    x[0] = r[0] - u[0] * c->iN;
    x[1] = r[1] - u[1] * c->iT;
    x[2] = r[2] - u[2] * c->iT;
    const mask open = x[0] <= 0;
    const lanes part = part_within(c->mu, x, open);
    x[0] = choose(open, all(0), x[0]);
    x[1] = choose(open, all(0), x[1] * part);
    x[2] = choose(open, all(0), x[2] * part);
}

static inline double visit_round_pack(const round_pack *c, double *spare, double *y, double *r)
{
    double *a[LANES], *b[LANES];
    lanes t2[3], v1[6], v2[6], u[3], x[3], ri[3], d[3];
    places(c->at[0], spare, y, a);
    places(c->at[1], spare, y, b);
    load_side((const double *const *)a, v1);
    load_side((const double *const *)b, v2);
    cross(c->N, c->t1, t2);
    round_lanes_velocity(c, t2, v1, v2, u);
    for (int i = 0; i < 3; ++i) {
        u[i] += c->q[i];
        ri[i] = load(r + LANES * i);
    }
    round_lanes_solve(c, u, ri, x);
    mask moved = {0};
    for (int i = 0; i < 3; ++i) {
        d[i] = x[i] - ri[i];
        moved |= d[i] != 0;
    }
    if (!any(moved)) return 0;
    for (int i = 0; i < 3; ++i) {
        store(x[i], r + LANES * i);
    }
    round_lanes_push(c, t2, d, v1, v2);
    store_side(v1, a);
    store_side(v2, b);
    const lanes sum = c->s * c->s * dot(d, d);
    return sum[0] + sum[1] + sum[2] + sum[3];
}

double PACKS(visit_round)(const round_pack *c, int n, double *spare, double *y, double *r)
{
    double sum = 0;
    for (int k = 0; k < n; ++k) {
        sum += visit_round_pack(&c[k], spare, y, r + c[k].row);
    }
    return sum;
}

void PACKS(push_round)(const round_pack *c, double *spare, const double *r, double *y)
{
    double *a[LANES], *b[LANES];
    lanes t2[3], v1[6], v2[6], d[3];
    places(c->at[0], spare, y, a);
    places(c->at[1], spare, y, b);
    load_side((const double *const *)a, v1);
    load_side((const double *const *)b, v2);
    cross(c->N, c->t1, t2);
    for (int i = 0; i < 3; ++i) {
        d[i] = load(r + c->row + LANES * i);
    }
    round_lanes_push(c, t2, d, v1, v2);
    store_side(v1, a);
    store_side(v2, b);
}

bool PACKS(measure_round)(const round_pack *c, const double *spare, const double *y,
                          const double *r, double *u, measure_sums *out)
{
    lanes t2[3], v1[6], v2[6], x[3];
    read_sides(c->at, spare, y, v1, v2);
    cross(c->N, c->t1, t2);
    round_lanes_velocity(c, t2, v1, v2, x);
    return measure_lanes(c->q, c->mu, c->s, r, x, u, out);
}
