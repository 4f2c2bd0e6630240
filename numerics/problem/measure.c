// The measures of r as a solution of u = W r + q (doc/measures.md).
//
//     F_i = r_i - P_K(r_i - rho_i s(u_i)),   rho_i = d_i / tr W_ii
//     residual = |(F_i / rho_i)_i| / max(|q|, |W r|),   natural map = |r - P_K(r - s(u))|
//
// with s(u) = u + mu |u_T| e_N on Coulomb blocks. F_i / rho_i is u_i on equality rows and
// min(u_i, r_i / rho_i) on unilateral ones.
//
// u is a sum of W_ij r_j with rounded W_ij: its error is about eps | |W||r| |, for any method of
// computation. No rounded r_T has exactly the length mu r_N, which gives F_i / rho_i an error of
// eps |r_T| / rho_i; it is the larger one where the entries of the diagonal of W_ii differ much.
// Neither measure is reported smaller than these.
#include "problem/measure.h"

#include <float.h>

#include "cone/cone.h"
#include "linalg/bsr.h"
#include "problem/problem.h"

// ---- norms -----------------------------------------------------------------------------------

// a sum of squares within these bounds has neither overflowed nor underflowed
#define SQUARES_LOW  1e-280
#define SQUARES_HIGH 1e280

double problem_norm(int n, const double *x)
{
    double sum = 0, most = 0;
    for (int i = 0; i < n; ++i) {
        sum += x[i] * x[i];
    }
    if (sum > SQUARES_LOW && sum < SQUARES_HIGH) return sqrt(sum);

    for (int i = 0; i < n; ++i) {
        if (fabs(x[i]) > most || isnan(x[i])) most = fabs(x[i]);
    }
    if (most == 0 || !isfinite(most)) return most;
    sum = 0;
    for (int i = 0; i < n; ++i) {
        sum += (x[i] / most) * (x[i] / most);
    }
    return most * sqrt(sum);
}

// sum of squares of f / unit, and the largest entry
typedef struct map_sum {
    double unit, sum, most;
} map_sum;

static void map_add(map_sum *m, double f)
{
    const double x = f / m->unit;
    m->sum += x * x;
    if (fabs(f) > m->most || isnan(f)) m->most = fabs(f);
}

// true when the squares have neither overflowed nor underflowed
static bool within_range(const map_sum *m)
{
    return m->sum > SQUARES_LOW && m->sum < SQUARES_HIGH;
}

// the norm of F_i / rho_i, or of the natural map when natural
static map_sum map_squares(const pcs_problem *p, const double *r, const double *u, bool natural,
                           double unit)
{
    map_sum m = {.unit = unit};
    double trace = -1;
    for (int b = 0, wrow = 0; b < p->nb; ++b) {
        const pcs_block *k = &p->block[b];
        const double *rb = r + k->row, *ub = u + k->row;
        const double s =
            natural || k->cone == PCS_CONE_EQUALITY ? 1 : problem_block_scale(p, b, &wrow, &trace);
        double f[3];
        switch (k->cone) {
        case PCS_CONE_EQUALITY:
            for (int c = 0; c < k->dim; ++c) {
                map_add(&m, ub[c]);
            }
            break;
        case PCS_CONE_UNILATERAL:
            map_add(&m, cone_min(s * rb[0], ub[0]));
            break;
        case PCS_CONE_COULOMB:
            cone_natural_coulomb(k->dim, k->mu, s, rb, ub, f);
            for (int c = 0; c < k->dim; ++c) {
                map_add(&m, f[c]);
            }
            break;
        }
    }
    return m;
}

static double map_norm(const pcs_problem *p, const double *r, const double *u, bool natural)
{
    const map_sum m = map_squares(p, r, u, natural, 1);
    if (within_range(&m)) return sqrt(m.sum);
    if (m.most == 0 || !isfinite(m.most)) return m.most;
    return m.most * sqrt(map_squares(p, r, u, natural, m.most).sum);
}

double problem_natural_map(const pcs_problem *p, const double *r, const double *u)
{
    return map_norm(p, r, u, true);
}

// rows of |W||r| at a time
#define CHUNK 64

// squares of rows `first` and so on, at most CHUNK of them, of block row i of |W||r|
static void add_load(const pcs_bsr *W, int i, int first, const double *r, map_sum *m)
{
    const int h = W->row[i + 1] - W->row[i], n = h - first < CHUNK ? h - first : CHUNK;
    double sum[CHUNK] = {0};
    for (int k = W->ptr[i]; k < W->ptr[i + 1]; ++k) {
        const double *w = W->val + W->off[k] + first;
        for (int c = W->col[W->idx[k]]; c < W->col[W->idx[k] + 1]; ++c, w += h) {
            const double x = fabs(r[c]);
            for (int l = 0; l < n; ++l) {
                sum[l] += fabs(w[l]) * x;
            }
        }
    }
    for (int l = 0; l < n; ++l) {
        map_add(m, sum[l]);
    }
}

static map_sum load_squares(const pcs_bsr *W, const double *r, double unit)
{
    map_sum m = {.unit = unit};
    for (int i = 0; i < W->m; ++i) {
        for (int first = 0; first < W->row[i + 1] - W->row[i]; first += CHUNK) {
            add_load(W, i, first, r, &m);
        }
    }
    return m;
}

double problem_load(const pcs_bsr *W, const double *r)
{
    const map_sum m = load_squares(W, r, 1);
    if (within_range(&m)) return sqrt(m.sum);
    if (m.most == 0 || !isfinite(m.most)) return m.most;
    return m.most * sqrt(load_squares(W, r, m.most).sum);
}

double problem_norm_of(const pcs_bsr *W)
{
    map_sum m = {.unit = 1};
    for (int i = 0; i < W->m; ++i) {
        const size_t h = (size_t)(W->row[i + 1] - W->row[i]);
        for (int k = W->ptr[i]; k < W->ptr[i + 1]; ++k) {
            const size_t w = (size_t)(W->col[W->idx[k] + 1] - W->col[W->idx[k]]);
            for (size_t e = 0; e < h * w; ++e) {
                map_add(&m, W->val[W->off[k] + e]);
            }
        }
    }
    // infinite where squares overflow: an upper bound is enough
    return within_range(&m) ? sqrt(m.sum) : m.most == 0 ? 0 : INFINITY;
}

// ---- the measure -----------------------------------------------------------------------------

static double larger(double a, double b)
{
    return a > b || isnan(a) ? a : b;
}

// the norm of |r_T| / rho_i over the blocks with friction; with q = 0 the scale is | |W||r| | alone
static double tangent_load(const pcs_problem *p, double norm_q, const double *r)
{
    map_sum m = {.unit = 1};
    double trace = -1;
    if (norm_q == 0) return 0;
    for (int b = 0, wrow = 0; b < p->nb; ++b) {
        const pcs_block *k = &p->block[b];
        if (k->cone != PCS_CONE_COULOMB || k->mu == 0) continue;
        map_add(&m, problem_block_scale(p, b, &wrow, &trace) * cone_tangent(k->dim, r + k->row));
    }
    return within_range(&m) ? sqrt(m.sum) : m.most;
}

double measure_size(const pcs_measure *m)
{
    const double size = larger(m->norm_q, m->norm_wr);
    // with q = 0 any multiple of r solves as well: its own size is the only scale
    return m->norm_q == 0 ? larger(size, m->rounding / DBL_EPSILON) : size;
}

double measure_against_q(const pcs_measure *m)
{
    return m->norm_q > 0 ? m->residual * (measure_size(m) / m->norm_q) : 0;
}

double measure_error(const pcs_measure *m, double tol)
{
    const double against_q = measure_against_q(m), error = 2 * m->residual;
    if (against_q > Q_FORGOTTEN && against_q > tol) return INFINITY;
    return error <= tol ? tol : error;
}

void measure_close(double violation, pcs_measure *m)
{
    // not finite: no comparison may pass
    const double size = measure_size(m);
    if (!isfinite(m->norm_r) || !isfinite(size) || !isfinite(m->rounding)) {
        m->residual = m->natural_map = NAN;
        return;
    }
    const double least = larger(violation, m->rounding);
    m->residual = least == 0 ? 0 : least / size;
    m->natural_map = larger(m->natural_map, m->rounding);
}

// the same for a single row, where every norm is an absolute value: one ball on the ground needs no
// loops
static void measure_one(const pcs_problem *p, double r, double *u, pcs_measure *out)
{
    const double W = problem_scalar(p), q = p->q[0], wr = W * r;
    const bool equality = p->block[0].cone == PCS_CONE_EQUALITY;
    *u = wr + q;
    *out = (pcs_measure){.natural_map = fabs(equality ? *u : cone_min(r, *u)),
                         .norm_q = fabs(q),
                         .norm_wr = fabs(wr),
                         .norm_r = fabs(r),
                         .norm_u = fabs(*u),
                         .rounding = DBL_EPSILON * fabs(wr)};
    measure_close(fabs(equality ? *u : cone_min(W > 0 ? wr : r, *u)), out);
}

// all norms but the rounding; returns that of the violation
static double take_norms(const pcs_problem *p, double norm_wr, const double *r, const double *u,
                         pcs_measure *out)
{
    *out = (pcs_measure){.natural_map = map_norm(p, r, u, true),
                         .norm_q = problem_norm(p->n, p->q),
                         .norm_wr = norm_wr,
                         .norm_r = problem_norm(p->n, r),
                         .norm_u = problem_norm(p->n, u)};
    return map_norm(p, r, u, false);
}

void pcs_problem_measure(const pcs_problem *p, const double *r, double *u, pcs_measure *out)
{
    problem_measure_near(p, INFINITY, r, u, out);
}

void problem_measure_near(const pcs_problem *p, double norm_w, const double *r, double *u,
                          pcs_measure *out)
{
    *out = (pcs_measure){0};
    if (p->n == 0) return;
    if (problem_is_scalar(p)) {
        measure_one(p, r[0], u, out);
        return;
    }

    pcs_bsr_mul(&p->W, r, u);
    const double norm_wr = problem_norm(p->n, u);
    for (int i = 0; i < p->n; ++i) {
        u[i] += p->q[i];
    }
    const double violation = take_norms(p, norm_wr, r, u, out);
    const double least = violation < out->natural_map ? violation : out->natural_map;
    if (!(norm_w > 0 && MEASURE_ROUNDINGS * DBL_EPSILON * norm_w * out->norm_r <= least)) {
        out->rounding =
            DBL_EPSILON * larger(problem_load(&p->W, r), tangent_load(p, out->norm_q, r));
    }
    measure_close(violation, out);
}

void problem_measure_from(const pcs_problem *p, double norm_wr, double load, const double *r,
                          const double *u, pcs_measure *out)
{
    const double violation = take_norms(p, norm_wr, r, u, out);
    out->rounding = DBL_EPSILON * larger(load, tangent_load(p, out->norm_q, r));
    measure_close(violation, out);
}

double pcs_measure_relative_natural_map(const pcs_measure *m)
{
    const double size = larger(m->norm_q, larger(m->norm_r, m->norm_u));
    return size <= DBL_EPSILON ? m->natural_map : m->natural_map / size;
}
