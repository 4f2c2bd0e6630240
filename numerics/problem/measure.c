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

// ---- sums of squares -------------------------------------------------------------------------

// a sum of squares within these bounds has neither overflowed nor underflowed
#define SQUARES_LOW  1e-280
#define SQUARES_HIGH 1e280
// numbers beyond these are multiplied by UP or DOWN first (Blue 1978)
#define SMALL 0x1p-511
#define BIG   0x1p486
#define UP    0x1p537
#define DOWN  0x1p-538

void squares_add(squares *s, size_t n, const double *x)
{
    double sum = 0;
    for (size_t i = 0; i < n; ++i) {
        sum += x[i] * x[i];
    }
    if (sum > SQUARES_LOW && sum < SQUARES_HIGH) {
        s->middle += sum;
        return;
    }
    for (size_t i = 0; i < n; ++i) {
        const double a = fabs(x[i]);
        if (a < SMALL) {
            s->low += UP * a * (UP * a);
        } else if (a > BIG) {
            s->high += DOWN * a * (DOWN * a);
        } else {
            s->middle += a * a; // a NaN, too
        }
    }
}

void squares_join(squares *s, const squares *other)
{
    s->low += other->low;
    s->middle += other->middle;
    s->high += other->high;
}

double squares_root(const squares *s)
{
    if (s->high != 0) return sqrt(s->high + s->middle * DOWN * DOWN) / DOWN;
    return s->middle != 0 ? sqrt(s->middle + s->low / UP / UP) : sqrt(s->low) / UP;
}

double problem_norm(int n, const double *x)
{
    squares s = {0};
    squares_add(&s, (size_t)n, x);
    return squares_root(&s);
}

// ---- a block ---------------------------------------------------------------------------------

// F_i / rho_i with s = 1 / rho_i; the natural map with s = 1
static void add_map(squares *sum, const pcs_block *k, double s, const double *r, const double *u)
{
    double f[3] = {0};
    switch (k->cone) {
    case PCS_CONE_EQUALITY:
        squares_add(sum, (size_t)k->dim, u);
        break;
    case PCS_CONE_UNILATERAL:
        f[0] = cone_min(s * r[0], u[0]);
        squares_add(sum, 1, f);
        break;
    case PCS_CONE_COULOMB:
        cone_violation_coulomb(k->dim, k->mu, s, r, u, f);
        squares_add(sum, (size_t)k->dim, f);
        break;
    case PCS_CONE_BOX:
        f[0] = cone_natural_box(k->mu, s, r[0], u[0]);
        squares_add(sum, 1, f);
        break;
    }
}

void measure_add_violation(measure_sums *m, const pcs_block *k, double s, const double *r,
                           const double *u)
{
    add_map(&m->violation, k, s, r, u);
}

void measure_add_natural(measure_sums *m, const pcs_block *k, const double *r, const double *u)
{
    add_map(&m->natural, k, 1, r, u);
    squares_add(&m->r, (size_t)k->dim, r);
    squares_add(&m->u, (size_t)k->dim, u);
}

void measure_velocity(measure_sums *m, int n, const double *q, double *u)
{
    squares_add(&m->wr, (size_t)n, u);
    squares_add(&m->q, (size_t)n, q);
    for (int i = 0; i < n; ++i) {
        u[i] += q[i];
    }
}

double problem_natural_map(const pcs_problem *p, const double *r, const double *u)
{
    squares sum = {0};
    for (int b = 0; b < p->nb; ++b) {
        const int row = p->block[b].row;
        add_map(&sum, &p->block[b], 1, r + row, u + row);
    }
    return squares_root(&sum);
}

// ---- the load --------------------------------------------------------------------------------

// rows of |W||r| at a time
#define CHUNK 64

// rows `first` and so on, at most CHUNK of them, of block row i of |W||r|
static void add_load(const pcs_bsr *W, int i, int first, const double *r, squares *load)
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
    squares_add(load, (size_t)n, sum);
}

double problem_load(const pcs_bsr *W, const double *r)
{
    squares load = {0};
    for (int i = 0; i < W->m; ++i) {
        for (int first = 0; first < W->row[i + 1] - W->row[i]; first += CHUNK) {
            add_load(W, i, first, r, &load);
        }
    }
    return squares_root(&load);
}

double problem_norm_of(const pcs_bsr *W)
{
    squares s = {0};
    for (int i = 0; i < W->m; ++i) {
        const size_t h = (size_t)(W->row[i + 1] - W->row[i]);
        for (int k = W->ptr[i]; k < W->ptr[i + 1]; ++k) {
            const size_t w = (size_t)(W->col[W->idx[k] + 1] - W->col[W->idx[k]]);
            squares_add(&s, h * w, W->val + W->off[k]);
        }
    }
    return squares_root(&s);
}

// ---- the measure -----------------------------------------------------------------------------

// A q of no more than this times its rounding has less than half of its digits, and counts as if it
// had: what is left of it is no unit. The factor 2 leaves room for the rounding of W r
#define DIGITS_OF_Q (2 * MEASURE_ROUNDINGS / HALF_OF_DIGITS)

static double larger(double a, double b)
{
    return a > b || isnan(a) ? a : b;
}

double measure_size(const pcs_measure *m)
{
    const double size = larger(m->q_unit, m->norm_wr);
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

void measure_join(measure_sums *m, const measure_sums *other)
{
    squares_join(&m->violation, &other->violation);
    squares_join(&m->natural, &other->natural);
    squares_join(&m->q, &other->q);
    squares_join(&m->wr, &other->wr);
    squares_join(&m->r, &other->r);
    squares_join(&m->u, &other->u);
    squares_join(&m->load, &other->load);
}

void measure_close(const measure_sums *m, pcs_measure *out)
{
    const double q = squares_root(&m->q), digits = DIGITS_OF_Q * m->far.rounding;
    const double rounding = DBL_EPSILON * squares_root(&m->load);
    *out = (pcs_measure){.q_unit = larger(m->far.met > 0 ? m->far.unit : q, digits),
                         .norm_q = larger(m->far.met > 0 ? m->far.met : q, digits),
                         .norm_wr = squares_root(&m->wr),
                         .norm_r = squares_root(&m->r),
                         .norm_u = squares_root(&m->u),
                         .natural_map = squares_root(&m->natural),
                         .rounding = rounding + m->far.rounding};
    // not finite: no comparison may pass
    const double size = measure_size(out);
    if (!isfinite(out->norm_r) || !isfinite(size) || !isfinite(out->rounding)) {
        out->residual = out->natural_map = NAN;
        return;
    }
    const double least = larger(squares_root(&m->violation), rounding);
    out->residual = least == 0 ? 0 : least / size;
    out->natural_map = larger(out->natural_map, rounding);
}

measure_sums problem_sums(const pcs_problem *p, const double *r, double *u)
{
    measure_sums m = {.far = p->far};
    double trace = -1;
    measure_velocity(&m, p->n, p->q, u);
    for (int b = 0, wrow = 0; b < p->nb; ++b) {
        const pcs_block *k = &p->block[b];
        const double s =
            k->cone == PCS_CONE_EQUALITY ? 1 : problem_block_scale(p, b, &wrow, &trace);
        measure_add_violation(&m, k, s, r + k->row, u + k->row);
        measure_add_natural(&m, k, r + k->row, u + k->row);
    }
    return m;
}

// the norm of |r_T| / rho_i over the blocks with friction
static double tangent_load(const pcs_problem *p, const double *r)
{
    squares sum = {0};
    double trace = -1;
    for (int b = 0, wrow = 0; b < p->nb; ++b) {
        const pcs_block *k = &p->block[b];
        if (k->cone != PCS_CONE_COULOMB || k->mu == 0) continue;
        const double t = cone_tangent(k->dim, r + k->row);
        const double x = problem_block_scale(p, b, &wrow, &trace) * t;
        squares_add(&sum, 1, &x);
    }
    return squares_root(&sum);
}

void problem_measure_from(const pcs_problem *p, double load, const double *r, measure_sums *m,
                          pcs_measure *out)
{
    // with q = 0 the scale is | |W||r| | alone
    if (squares_root(&m->q) != 0) load = larger(load, tangent_load(p, r));
    squares_add(&m->load, 1, &load);
    measure_close(m, out);
}

bool measure_is_coarse(const measure_sums *m, double norm_w, pcs_measure *out)
{
    measure_close(m, out);
    const double least = fmin(squares_root(&m->violation), out->natural_map);
    const double rounding = DBL_EPSILON * norm_w * out->norm_r + m->far.rounding;
    return norm_w > 0 && MEASURE_ROUNDINGS * rounding <= least;
}

void pcs_problem_measure(const pcs_problem *p, const double *r, double *u, pcs_measure *out)
{
    if (!out) return;
    if (!p || (p->n > 0 && (!r || !u))) {
        *out = (pcs_measure){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
        return;
    }
    problem_measure_near(p, INFINITY, r, u, out);
}

void problem_measure_near(const pcs_problem *p, double norm_w, const double *r, double *u,
                          pcs_measure *out)
{
    *out = (pcs_measure){0};
    if (p->n == 0) return;

    pcs_bsr_mul(&p->W, r, u);
    measure_sums m = problem_sums(p, r, u);
    if (!measure_is_coarse(&m, norm_w, out)) {
        problem_measure_from(p, problem_load(&p->W, r), r, &m, out);
    }
}

double pcs_measure_relative_natural_map(const pcs_measure *m)
{
    if (!m) return NAN;
    const double size = larger(m->norm_q, larger(m->norm_r, m->norm_u));
    return size <= DBL_EPSILON ? m->natural_map : m->natural_map / size;
}
