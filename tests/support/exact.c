// The measures of theory 7.7 with 113 binary digits.
#include "exact.h"

#include <math.h>
#include <stdbool.h>

__extension__ typedef __float128 quad;

// a square root by a step of Newton's method from the double
static quad root(quad x)
{
    const double start = sqrt((double)x);
    if (!(start > 0) || !isfinite(start)) return start;
    quad s = start;
    for (int k = 0; k < 3; ++k) {
        s = (s + x / s) / 2;
    }
    return s;
}

static quad norm(int n, const quad *x)
{
    quad sum = 0;
    for (int i = 0; i < n; ++i) {
        sum += x[i] * x[i];
    }
    return root(sum);
}

static quad larger(quad a, quad b)
{
    return a > b ? a : b;
}

static quad tangent(int d, const quad *x)
{
    return d == 2 ? (x[1] < 0 ? -x[1] : x[1]) : root(x[1] * x[1] + x[2] * x[2]);
}

// f = s r - P_K(s r - s(u)), in velocities
static void natural(const pcs_block *k, quad s, const quad *r, const quad *u, quad *f)
{
    if (k->cone == PCS_CONE_EQUALITY) {
        for (int c = 0; c < k->dim; ++c) {
            f[c] = u[c];
        }
        return;
    }
    if (k->cone == PCS_CONE_UNILATERAL) {
        f[0] = s * r[0] < u[0] ? s * r[0] : u[0];
        return;
    }
    const quad mu = k->mu;
    quad x[3] = {0}, t;
    for (int c = 0; c < k->dim; ++c) {
        x[c] = s * r[c] - u[c] - (c == 0 ? mu * tangent(k->dim, u) : 0);
    }
    t = tangent(k->dim, x);
    for (int c = 0; c < k->dim; ++c) {
        const quad slide = (x[0] + mu * t) / (1 + mu * mu);
        quad P = c == 0 ? slide : mu * slide * x[c] / t;
        if (mu * t <= -x[0]) P = 0;
        if (x[0] >= 0 && t <= mu * x[0]) P = x[c];
        f[c] = s * r[c] - P;
    }
}

static quad trace(const pcs_problem *p, int b)
{
    const pcs_block *k = &p->block[b];
    quad sum = 0;
    for (int i = k->row; i < k->row + k->dim; ++i) {
        sum += p->W.val[(size_t)i * ((size_t)p->n + 1)];
    }
    return sum;
}

// 1 / rho of every block; 1 for equalities, whose F / rho is u
static void scales(const pcs_problem *p, quad *s)
{
    quad most = 0;
    for (int b = 0; b < p->nb; ++b) {
        most = larger(most, trace(p, b));
    }
    for (int b = 0; b < p->nb; ++b) {
        const quad t = trace(p, b);
        s[b] = t > 0 ? t / p->block[b].dim : most > 0 ? most / p->block[b].dim : 1;
    }
}

// y = H x, or H^T x
static void multiply(int rows, int columns, const double *H, bool transposed, const quad *x,
                     quad *y)
{
    for (int i = 0; i < (transposed ? columns : rows); ++i) {
        y[i] = 0;
        for (int j = 0; j < (transposed ? rows : columns); ++j) {
            const int at = transposed ? j + rows * i : i + rows * j;
            y[i] += (quad)H[at] * x[j];
        }
    }
}

static quad load_of(const pcs_problem *p, const double *r)
{
    quad row[EXACT_ROWS];
    for (int i = 0; i < p->n; ++i) {
        row[i] = 0;
        for (int j = 0; j < p->n; ++j) {
            row[i] += fabs(p->W.val[(size_t)i + (size_t)p->n * (size_t)j]) * (quad)fabs(r[j]);
        }
    }
    return norm(p->n, row);
}

// load: | |W||r| |, the scale where q = 0
static exact_measure judge(const pcs_problem *p, const quad *x, const quad *Wr, quad load)
{
    quad q[EXACT_ROWS], u[EXACT_ROWS], s[EXACT_ROWS], f[EXACT_ROWS], g[EXACT_ROWS];
    for (int i = 0; i < p->n; ++i) {
        q[i] = p->q[i];
        u[i] = Wr[i] + q[i];
    }
    scales(p, s);
    for (int b = 0; b < p->nb; ++b) {
        const int row = p->block[b].row;
        natural(&p->block[b], s[b], x + row, u + row, f + row);
        natural(&p->block[b], 1, x + row, u + row, g + row);
    }
    const quad violation = norm(p->n, f), map = norm(p->n, g), nq = norm(p->n, q);
    // r is compared with itself where W r and q vanish
    const quad least = load > 0 ? load : norm(p->n, x);
    const quad size = nq > 0 ? larger(nq, norm(p->n, Wr)) : least;
    const quad all = larger(nq, larger(norm(p->n, x), norm(p->n, u)));
    return (exact_measure){.residual = violation == 0 ? 0 : (double)(violation / size),
                           .against_q = violation == 0 ? 0 : (double)(violation / nq),
                           .natural = map == 0 ? 0 : (double)(map / all)};
}

exact_measure exact_measure_of(const pcs_problem *p, const double *r)
{
    quad x[EXACT_ROWS], Wr[EXACT_ROWS];
    for (int i = 0; i < p->n; ++i) {
        x[i] = r[i];
    }
    multiply(p->n, p->n, p->W.val, false, x, Wr);
    return judge(p, x, Wr, load_of(p, r));
}

exact_measure exact_measure_of_gram(const pcs_problem *p, int m, const double *H, const double *r)
{
    quad x[EXACT_ROWS], v[EXACT_ROWS], Wr[EXACT_ROWS];
    for (int i = 0; i < p->n; ++i) {
        x[i] = r[i];
    }
    multiply(p->n, m, H, true, x, v);
    multiply(p->n, m, H, false, v, Wr);
    return judge(p, x, Wr, load_of(p, r));
}
