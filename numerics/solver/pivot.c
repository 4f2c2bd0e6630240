// Dense pivoting on an MLCP: scaling, elimination of the equalities, dictionaries.
//
// Scaling. Ruiz's iteration (rows and columns by the square root of their largest entry) brings
// every row and column to a largest entry near 1; a symmetric W is scaled symmetrically. Positive
// scaling of a row or a column changes the units of u_i or r_j, not the problem.
//
// Equalities. W_EE is eliminated with complete pivoting, a diagonal pivot preferred where it is
// nearly as large, until what is left is rounding. If W is positive semidefinite, symmetric or
// not, the same vectors span its null spaces from both sides, and with those the reduced matrix
// | 0 A; B S | is positive semidefinite, so that A = -B^T. The pivots need not have left the rows
// and columns matched like that, and an equality may have been written with the other sign: the
// left-over rows are therefore recombined by a regular G with G^T A = -B^T, as nearly as there is
// one. Recombining equalities leaves the solutions as they are; the gain is a reduced matrix
// that is positive semidefinite as soon as S is, for which Lemke's method is proved.
#include "solver/pivot.h"

#include <float.h>
#include <string.h>

#include "linalg/dense.h"
#include "problem/measure.h"
#include "problem/problem.h"
#include "solver/solver.h"

// a pivot of W'_EE below this times ne is rounding: W' has entries of about 1
#define RANK_TOL (64 * DBL_EPSILON)
// a diagonal pivot is taken if it is at least this fraction of the largest entry
#define DIAGONAL_BIAS 0.25
// the rounding that elimination leaves in a zero, relative to the products summed in it
#define CLEAN_TOL (16 * DBL_EPSILON)
// a recombination of equalities worse conditioned than this is not used
#define REGULAR_G 1e-8

// ---- building ----------------------------------------------------------------------------------

// memory of a condition estimate or a least-squares solve
static size_t pivot_scratch(const pcs_problem *p)
{
    const size_t n = (size_t)p->n;
    const size_t rcond = solver_bytes(4 * n, sizeof(double)) + solver_bytes(n, sizeof(int));
    const size_t least = solver_bytes(1, dense_min_norm_bytes(p->n, p->n)) + 128;
    return rcond > least ? rcond : least;
}

size_t pivot_problem_bytes(const pcs_problem *p)
{
    const size_t n = (size_t)p->n;
    return 2 * solver_bytes(n * (n + 1), sizeof(double)) + 2 * solver_bytes(n, sizeof(int)) +
           3 * solver_bytes(n, sizeof(double)) + 2 * solver_bytes(n * n, sizeof(double)) +
           solver_bytes(n + 1, sizeof(double)) + solver_bytes(n, sizeof(int)) + pivot_scratch(p);
}

// the power of two nearest to x > 0, by ratio
static double near_power(double x)
{
    int e;
    const double f = frexp(x, &e);
    return ldexp(1, f < 0.70710678118654752 ? e - 1 : e);
}

static void equilibrate(const pivot_problem *d, double *worst)
{
    const int n = d->n;
    double most = 0;
    for (size_t k = 0; k < (size_t)n * (size_t)n; ++k) {
        if (fabs(d->W[k]) > most) most = fabs(d->W[k]);
    }
    // an empty row or column gets the scale of the largest entry
    const double unit = most > 0 ? 1 / sqrt(most) : 1;
    for (int i = 0; i < n; ++i) {
        d->rs[i] = d->cs[i] = unit;
    }

    for (int sweep = 0; sweep < 6; ++sweep) {
        memset(worst, 0, (size_t)n * sizeof *worst);
        for (int j = 0; j < n; ++j) {
            const double *w = d->W + (size_t)n * (size_t)j;
            double top = 0;
            for (int i = 0; i < n; ++i) {
                const double a = d->rs[i] * fabs(w[i]) * d->cs[j];
                if (a > worst[i]) worst[i] = a;
                if (a > top) top = a;
            }
            d->T[j] = top; // rows and columns change together, at the end of the sweep
        }
        for (int i = 0; i < n; ++i) {
            if (worst[i] > 0) d->rs[i] /= sqrt(worst[i]);
            if (d->T[i] > 0) d->cs[i] /= sqrt(d->T[i]);
        }
    }
    for (int i = 0; i < n; ++i) {
        d->rs[i] = near_power(d->rs[i]);
        d->cs[i] = near_power(d->cs[i]);
    }
}

static void swap_rows(const pivot_problem *d, int a, int b)
{
    if (a == b) return;
    const size_t n = (size_t)d->n;
    for (size_t j = 0; j <= n; ++j) {
        const double t = d->T[(size_t)a + n * j];
        d->T[(size_t)a + n * j] = d->T[(size_t)b + n * j];
        d->T[(size_t)b + n * j] = t;
    }
    const int t = d->row[a];
    d->row[a] = d->row[b];
    d->row[b] = t;
}

static void swap_columns(const pivot_problem *d, int a, int b)
{
    if (a == b) return;
    const size_t n = (size_t)d->n;
    for (size_t i = 0; i < n; ++i) {
        const double t = d->T[i + n * (size_t)a];
        d->T[i + n * (size_t)a] = d->T[i + n * (size_t)b];
        d->T[i + n * (size_t)b] = t;
    }
    const int t = d->col[a];
    d->col[a] = d->col[b];
    d->col[b] = t;
}

// the pivot of step k: the largest entry of what is left of W_EE, or a diagonal one nearly as large
static double find_pivot(const pivot_problem *d, int k, int *pi, int *pj)
{
    double most = 0, diagonal = 0;
    int di = k, dj = k;
    *pi = *pj = k;
    for (int j = k; j < d->ne; ++j) {
        const double *t = d->T + (size_t)d->n * (size_t)j;
        for (int i = k; i < d->ne; ++i) {
            const double a = fabs(t[i]);
            if (a > most) {
                most = a;
                *pi = i;
                *pj = j;
            }
            if (d->row[i] == d->col[j] && a > diagonal) {
                diagonal = a;
                di = i;
                dj = j;
            }
        }
    }
    if (diagonal > 0 && diagonal >= DIAGONAL_BIAS * most) {
        *pi = di;
        *pj = dj;
        return diagonal;
    }
    return most;
}

static bool is_late(const solver_track *track)
{
    return track && track_late(track);
}

static int eliminate(const pivot_problem *d, const solver_track *track)
{
    const size_t n = (size_t)d->n;
    for (int k = 0; k < d->ne && !is_late(track); ++k) {
        int pi, pj;
        if (!(find_pivot(d, k, &pi, &pj) > RANK_TOL * d->ne)) return k;
        swap_rows(d, k, pi);
        swap_columns(d, k, pj);

        double *l = d->T + n * (size_t)k;
        const double pivot = l[k];
        for (size_t i = (size_t)k + 1; i < n; ++i) {
            l[i] /= pivot;
        }
        for (size_t j = (size_t)k + 1; j <= n; ++j) {
            double *t = d->T + n * j;
            const double a = t[k];
            if (a == 0) continue;
            for (size_t i = (size_t)k + 1; i < n; ++i) {
                t[i] -= l[i] * a;
            }
        }
    }
    return d->ne;
}

// sets entry (i, j) of the reduced problem to zero if it is small compared with the products in it
static void clean_entry(const pivot_problem *d, int i, int j, double extra)
{
    const size_t n = (size_t)d->n;
    double *t = d->T + (size_t)i + n * (size_t)j;
    if (*t == 0) return;
    const double first = j < d->n ? d->W[(size_t)d->row[i] + n * (size_t)d->col[j]] *
                                        d->rs[d->row[i]] * d->cs[d->col[j]]
                                  : d->p->q[d->row[i]] * d->rs[d->row[i]] / d->s;
    double size = fabs(first);
    for (int k = 0; k < d->rank; ++k) {
        size += fabs(d->T[(size_t)i + n * (size_t)k] * d->T[(size_t)k + n * (size_t)j]);
    }
    if (fabs(*t) <= CLEAN_TOL * (d->rank + 1) * size + extra) *t = 0;
}

// after elimination: the left-over block is zero, and so is every other entry that is rounding
static void clean(const pivot_problem *d)
{
    const size_t n = (size_t)d->n;
    double most = 0;
    for (int i = 0; i < d->n; ++i) {
        if (fabs(d->p->q[i]) > most) most = fabs(d->p->q[i]);
    }
    const double rounding = CLEAN_TOL * d->ne * most + MEASURE_ROUNDINGS * d->p->far.rounding;
    for (int j = d->rank; j <= d->n; ++j) {
        for (int i = d->rank; i < d->n; ++i) {
            if (i < d->ne && j < d->ne) {
                d->T[(size_t)i + n * (size_t)j] = 0;
                continue;
            }
            // a contradiction between equalities below the rounding of q is ignored
            const bool contradiction = i < d->ne && j == d->n;
            clean_entry(d, i, j, contradiction ? rounding * d->rs[d->row[i]] / d->s : 0);
        }
    }
}

// G from A^T G = -B (in the units of the data) by least squares, plus the projector on the left
// null space of A, so that empty equalities do not make it singular; null when it is singular
static void recombine(pivot_problem *d, double *a, pcs_arena work)
{
    const size_t nl = (size_t)d->nl, ni = (size_t)d->ni, ne = (size_t)d->ne;
    const size_t most = nl > ni ? nl : ni;
    double *G = d->G;
    d->G = NULL;
    double *x = PCS_TAKE(&work, most + 1, double);
    int *piv = PCS_TAKE(&work, nl, int);
    if (!x || !piv) return;

    for (size_t j = 0; j < nl; ++j) {
        // column j of the least-squares part
        for (size_t k = 0; k < ni; ++k) {
            const int row = d->row[ne + k];
            for (size_t l = 0; l < nl; ++l) {
                a[k + ni * l] = pivot_reduced(d, (int)l, (int)(nl + k));
            }
            x[k] = -pivot_reduced(d, (int)(nl + k), (int)j) * d->cs[row] / d->rs[row];
        }
        if (dense_min_norm((int)ni, (int)nl, a, x, RANK_TOL * d->n, work) < 0) return;
        memcpy(G + nl * j, x, nl * sizeof *G);

        // column j of the projector: e_j - A A^+ e_j
        for (size_t k = 0; k < ni; ++k) {
            for (size_t l = 0; l < nl; ++l) {
                a[l + nl * k] = pivot_reduced(d, (int)l, (int)(nl + k));
            }
        }
        memset(x, 0, most * sizeof *x);
        x[j] = 1;
        if (dense_min_norm((int)nl, (int)ni, a, x, RANK_TOL * d->n, work) < 0) return;
        G[j * (nl + 1)] += 1;
        for (size_t k = 0; k < ni; ++k) {
            for (size_t l = 0; l < nl; ++l) {
                G[l + nl * j] -= pivot_reduced(d, (int)l, (int)(nl + k)) * x[k];
            }
        }

        // the unit of a combined row is arbitrary
        double top = 0;
        for (size_t l = 0; l < nl; ++l) {
            if (fabs(G[l + nl * j]) > top) top = fabs(G[l + nl * j]);
        }
        if (!(top > 0)) return;
        for (size_t l = 0; l < nl; ++l) {
            G[l + nl * j] /= top;
        }
    }

    // only a regular G keeps the solutions of the problem
    memcpy(a, G, nl * nl * sizeof *a);
    if (!dense_lu(d->nl, a, piv) || !(dense_rcond(d->nl, a, (double)nl, work) > REGULAR_G)) return;
    d->G = G;
    for (size_t j = ne; j <= (size_t)d->n; ++j) {
        double *t = d->T + (size_t)d->n * j + d->rank;
        memcpy(x, t, nl * sizeof *x);
        for (size_t i = 0; i < nl; ++i) {
            t[i] = 0;
            for (size_t l = 0; l < nl; ++l) {
                t[i] += G[l + nl * i] * x[l];
            }
        }
    }
}

pcs_status pivot_problem_build(const pcs_problem *p, const solver_track *t, pcs_arena *arena,
                               pivot_problem *d)
{
    const size_t n = (size_t)p->n;
    *d = (pivot_problem){.p = p, .n = p->n};
    d->W = PCS_TAKE(arena, n * (n + 1), double);
    d->T = PCS_TAKE(arena, n * (n + 1), double);
    d->row = PCS_TAKE(arena, n, int);
    d->col = PCS_TAKE(arena, n, int);
    d->rs = PCS_TAKE(arena, n, double);
    d->cs = PCS_TAKE(arena, n, double);
    double *worst = PCS_TAKE(arena, n, double);
    d->G = PCS_TAKE(arena, n * n, double);
    double *copy = PCS_TAKE(arena, n * n, double);
    if (!d->W || !d->T || !d->row || !d->col || !d->rs || !d->cs || !worst || !d->G || !copy) {
        return pcs_fail_memory("pivoting");
    }

    // equality rows first, everything in the order of the problem
    for (int want = 0, at = 0; want < 2; ++want) {
        for (int b = 0; b < p->nb; ++b) {
            if ((p->block[b].cone == PCS_CONE_EQUALITY) != (want == 0)) continue;
            for (int c = 0; c < p->block[b].dim; ++c) {
                d->row[at] = d->col[at] = p->block[b].row + c;
                ++at;
            }
        }
        if (want == 0) d->ne = at;
    }
    d->ni = d->n - d->ne;

    pcs_bsr_to_dense(&p->W, d->W);
    equilibrate(d, worst);
    double most = 0;
    for (int i = 0; i < d->n; ++i) {
        const double a = d->rs[i] * fabs(p->q[i]);
        if (a > most) most = a;
    }
    int e = 0;
    if (most > 0) frexp(most, &e);
    d->s = ldexp(1, e);

    for (size_t j = 0; j <= n; ++j) {
        for (size_t i = 0; i < n; ++i) {
            const int r = d->row[i];
            d->T[i + n * j] =
                j < n ? d->rs[r] * d->W[(size_t)r + n * (size_t)d->col[j]] * d->cs[d->col[j]]
                      : d->rs[r] * p->q[r] / d->s;
        }
    }

    d->rank = eliminate(d, t);
    if (is_late(t)) return PCS_OK;
    d->nl = d->ne - d->rank;
    d->nr = d->n - d->rank;
    if (d->ne > 0) clean(d);
    if (d->nl > 0) {
        recombine(d, copy, *arena);
    } else {
        d->G = NULL;
    }
    return PCS_OK;
}

// ---- back to the problem ----------------------------------------------------------------------

void pivot_expand(const pivot_problem *d, const double *yx, double *r)
{
    const size_t n = (size_t)d->n;

    // r holds r' by place until the end: places are a permutation of the columns
    for (int j = 0; j < d->nr; ++j) {
        r[d->col[d->rank + j]] = yx[j];
    }
    for (int k = d->rank - 1; k >= 0; --k) {
        double v = -d->T[(size_t)k + n * n];
        for (int j = k + 1; j < d->n; ++j) {
            v -= d->T[(size_t)k + n * (size_t)j] * r[d->col[j]];
        }
        r[d->col[k]] = v / d->T[(size_t)k + n * (size_t)k];
    }
    for (int j = 0; j < d->n; ++j) {
        r[j] *= d->s * d->cs[j];
    }
}

size_t pivot_sharpen_bytes(const pcs_problem *p)
{
    const size_t n = (size_t)p->n;
    return solver_bytes(n * n, sizeof(double)) + 2 * solver_bytes(n, sizeof(double)) +
           3 * solver_bytes(n, sizeof(int)) + pivot_scratch(p);
}

// the scaled sub-matrix of the listed rows and columns; its 1-norm
static double gather(const pivot_problem *d, int m, const int *rows, int k, const int *cols,
                     double *A)
{
    double norm1 = 0;
    for (int j = 0; j < k; ++j) {
        const double *w = d->W + (size_t)d->n * (size_t)cols[j];
        double *a = A + (size_t)m * (size_t)j, sum = 0;
        for (int i = 0; i < m; ++i) {
            a[i] = d->rs[rows[i]] * w[rows[i]] * d->cs[cols[j]];
            sum += fabs(a[i]);
        }
        if (sum > norm1) norm1 = sum;
    }
    return norm1;
}

bool pivot_sharpen(const pivot_problem *d, const unsigned char *rows, const unsigned char *cols,
                   pcs_arena work, double *r)
{
    const size_t n = (size_t)d->n;
    double *A = PCS_TAKE(&work, n * n, double);
    double *b = PCS_TAKE(&work, n, double);
    double *x = PCS_TAKE(&work, n, double);
    int *rl = PCS_TAKE(&work, n, int);
    int *cl = PCS_TAKE(&work, n, int);
    int *piv = PCS_TAKE(&work, n, int);
    if (!A || !b || !x || !rl || !cl || !piv) return false;

    int m = 0, k = 0;
    for (int i = 0; i < d->n; ++i) {
        if (rows[i]) rl[m++] = i;
        if (cols[i]) cl[k++] = i;
    }
    memset(x, 0, n * sizeof *x);

    const double norm1 = gather(d, m, rl, k, cl, A);
    const bool regular =
        m == k && dense_lu(m, A, piv) && dense_rcond(m, A, norm1, work) > DBL_EPSILON * (m + 1);

    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < m; ++i) {
            double s = d->p->q[rl[i]] / d->s;
            for (int j = 0; j < k; ++j) {
                s += d->W[(size_t)rl[i] + n * (size_t)cl[j]] * d->cs[cl[j]] * x[j];
            }
            b[i] = -d->rs[rl[i]] * s;
        }
        if (regular) {
            dense_lu_solve(m, A, piv, false, 1, b);
        } else {
            gather(d, m, rl, k, cl, A);
            if (dense_min_norm(m, k, A, b, DBL_EPSILON * (m + k), work) < 0) return false;
        }
        for (int j = 0; j < k; ++j) {
            x[j] += b[j];
        }
    }
    if (!pcs_all_finite(x, (size_t)k)) return false;

    memset(r, 0, n * sizeof *r);
    for (int j = 0; j < k; ++j) {
        r[cl[j]] = d->s * d->cs[cl[j]] * x[j];
    }
    for (int i = d->ne; i < d->n; ++i) {
        if (r[d->row[i]] < 0) r[d->row[i]] = 0;
    }
    return true;
}

// ---- certificates -----------------------------------------------------------------------------

// multipliers smaller than this part of the largest are rounding
#define REFUTE_NOISE 1e-12

size_t pivot_refutes_bytes(const pcs_problem *p)
{
    return 4 * solver_bytes((size_t)p->n, sizeof(double));
}

bool pivot_refutes(const pivot_problem *d, const double *z, pcs_arena work)
{
    const size_t n = (size_t)d->n;
    double *v = PCS_TAKE(&work, n, double); // multipliers by place
    double *y = PCS_TAKE(&work, n, double); // and by row of the problem
    double *t = PCS_TAKE(&work, 2 * n, double);
    if (!v || !y || !t) return false;

    double most = 0;
    for (int i = 0; i < d->nr; ++i) {
        if (!isfinite(z[i])) return false;
        if (fabs(z[i]) > most) most = fabs(z[i]);
    }
    if (!(most > 0)) return false;
    for (int i = 0; i < d->nr; ++i) {
        v[d->rank + i] = fabs(z[i]) <= REFUTE_NOISE * most ? 0 : z[i] / most;
        if (i >= d->nl && v[d->rank + i] < 0) return false;
    }
    if (d->G) {
        for (int i = 0; i < d->nl; ++i) {
            y[i] = 0;
            for (int j = 0; j < d->nl; ++j) {
                y[i] += d->G[(size_t)i + (size_t)d->nl * (size_t)j] * v[d->rank + j];
            }
        }
        memcpy(v + d->rank, y, (size_t)d->nl * sizeof *v);
    }

    // the eliminated rows enter so that the eliminated columns of y^T W vanish: L^T v = 0 there
    for (int k = d->rank - 1; k >= 0; --k) {
        double sum = 0, sizes = 0;
        for (int i = k + 1; i < d->n; ++i) {
            const double a = d->T[(size_t)i + n * (size_t)k] * v[i];
            sum -= a;
            sizes += fabs(a);
        }
        v[k] = fabs(sum) <= REFUTE_NOISE * sizes ? 0 : sum;
    }
    most = 0;
    for (int i = 0; i < d->n; ++i) {
        const double yi = d->rs[d->row[i]] * v[i];
        y[d->row[i]] = yi;
        if (!isfinite(yi)) return false;
        if (fabs(yi) > most) most = fabs(yi);
    }
    for (size_t i = 0; i < n; ++i) {
        y[i] /= most;
    }
    return most > 0 && problem_proof(d->p, y, t);
}

// ---- dictionaries -----------------------------------------------------------------------------

size_t dict_bytes(int m, int n)
{
    return solver_bytes((size_t)m * ((size_t)n + 1), sizeof(double)) +
           solver_bytes((size_t)m, sizeof(int)) + solver_bytes((size_t)n, sizeof(int));
}

bool dict_take(int m, int n, pcs_arena *arena, dict *d)
{
    *d = (dict){.m = m, .n = n, .ld = m};
    d->t = PCS_TAKE(arena, (size_t)m * ((size_t)n + 1), double);
    d->basic = PCS_TAKE(arena, (size_t)m, int);
    d->nonbasic = PCS_TAKE(arena, (size_t)n, int);
    return d->t && d->basic && d->nonbasic;
}

void dict_copy(const dict *from, dict *to)
{
    to->m = to->ld = from->m;
    to->n = from->n;
    for (int j = 0; j <= from->n; ++j) {
        memcpy(dict_column(to, j), dict_column(from, j), (size_t)from->m * sizeof(double));
    }
    memcpy(to->basic, from->basic, (size_t)from->m * sizeof(int));
    memcpy(to->nonbasic, from->nonbasic, (size_t)from->n * sizeof(int));
}

// t <- t + a c, for the column of an exchange
static inline void add_multiple(int m, double a, const double *restrict c, double *restrict t)
{
    for (int i = 0; i < m; ++i) {
        t[i] += a * c[i];
    }
}

void dict_exchange(dict *d, int i, int j)
{
    double *c = dict_column(d, j);
    const double pivot = c[i];

    // row i solved for the entering variable and put into the others
    for (int k = 0; k <= d->n; ++k) {
        double *t = dict_column(d, k);
        if (k == j || t[i] == 0) continue;
        const double a = -t[i] / pivot;
        t[i] = 0;
        add_multiple(d->m, a, c, t);
        t[i] = a;
    }
    for (int k = 0; k < d->m; ++k) {
        c[k] /= pivot;
    }
    c[i] = 1 / pivot;

    const int code = d->basic[i];
    d->basic[i] = d->nonbasic[j];
    d->nonbasic[j] = code;
}

void dict_drop_column(dict *d, int j)
{
    const int last = d->n - 1;
    if (j != last) {
        memcpy(dict_column(d, j), dict_column(d, last), (size_t)d->m * sizeof(double));
    }
    memcpy(dict_column(d, last), dict_column(d, d->n), (size_t)d->m * sizeof(double));
    d->nonbasic[j] = d->nonbasic[last];
    d->n = last;
}

// removes basic i, which has no constraint; the last one takes its place
static void drop_row(dict *d, int i)
{
    const int last = d->m - 1;
    for (int j = 0; j <= d->n; ++j) {
        dict_column(d, j)[i] = dict_column(d, j)[last];
    }
    d->basic[i] = d->basic[last];
    d->m = last;
}

// ---- the polyhedron ---------------------------------------------------------------------------

// a basic variable within this of zero is zero: q' has entries up to 1
#define POLY_FEASIBLE_TOL 1e-11
// a basic variable that is wrong by less than this may be wrong by rounding
#define POLY_PROOF_GAP 1e-8
// a coefficient below the rounding of the first dictionary, whose entries go up to about 1, is zero
#define POLY_NOISE 1e-13
// a dictionary with entries beyond this has lost too many digits for a proof
#define POLY_GROWTH 1e4

size_t poly_bytes(const pcs_problem *p)
{
    return dict_bytes(p->n, p->n);
}

bool poly_build(const pivot_problem *p, pcs_arena *arena, dict *d)
{
    if (!dict_take(p->nr, p->nr, arena, d)) return false;
    const int free_code = 2 * p->ni + p->nl;
    for (int j = 0; j <= p->nr; ++j) {
        for (int i = 0; i < p->nr; ++i) {
            dict_column(d, j)[i] = pivot_reduced(p, i, j);
        }
    }
    for (int i = 0; i < p->nr; ++i) {
        d->basic[i] = i < p->nl ? 2 * p->ni + i : p->ni + i - p->nl;
        d->nonbasic[i] = i < p->nl ? free_code + i : i - p->nl;
    }

    // a free variable is exchanged with the row on which it has the largest effect; one without
    // effect stays zero
    for (int l = 0; l < p->nl; ++l) {
        int j = 0, at = -1;
        while (d->nonbasic[j] != free_code + l) {
            ++j;
        }
        double most = RANK_TOL * p->nr;
        for (int i = 0; i < d->m; ++i) {
            if (fabs(dict_column(d, j)[i]) > most) {
                most = fabs(dict_column(d, j)[i]);
                at = i;
            }
        }
        if (at < 0) {
            dict_drop_column(d, j);
        } else {
            dict_exchange(d, at, j);
            drop_row(d, at);
        }
    }
    return true;
}

// +1 if the value must rise, -1 if it must fall, 0 if it is feasible
static int wanted(double value, bool held)
{
    if (value < -POLY_FEASIBLE_TOL) return 1;
    if (held && value > POLY_FEASIBLE_TOL) return -1;
    return 0;
}

static double largest_entry(const dict *d)
{
    double most = 0;
    for (int j = 0; j < d->n; ++j) {
        for (int i = 0; i < d->m; ++i) {
            most = fmax(most, fabs(dict_column(d, j)[i]));
        }
    }
    return most;
}

poly_end poly_restore(dict *d, const unsigned char *held, double least, int most, int *pivots,
                      int *bad, bool *doubt)
{
    // after this many exchanges by size, Bland's rule, which cannot cycle
    const int patience = 2 * (d->m + d->n), own = 50 * (d->m + d->n) + 1000;
    const int limit = most < own ? most : own;

    for (int count = 0; count < limit; ++count) {
        const bool bland = count >= patience;
        double *value = dict_column(d, d->n);
        int row = -1;
        double worst = 0;
        for (int i = 0; i < d->m; ++i) {
            if (!isfinite(value[i])) return POLY_LOST;
            if (wanted(value[i], held[d->basic[i]]) == 0) continue;
            if (bland ? row < 0 || d->basic[i] < d->basic[row] : fabs(value[i]) > worst) {
                worst = fabs(value[i]);
                row = i;
            }
        }
        if (row < 0) return POLY_FEASIBLE;

        // the variables that can move it in the right direction
        const int sign = value[row] < 0 ? 1 : -1;
        double size = 0, best = 0;
        for (int j = 0; j < d->n; ++j) {
            const double a = fabs(dict_column(d, j)[row]);
            if (a > size) size = a;
        }
        int enter = -1;
        bool faint = false; // some coefficient is too small to pivot on, but not certainly zero
        const double part = least * (size < 1 ? size : 1);
        const double floor = part > POLY_NOISE ? part : POLY_NOISE;
        for (int j = 0; j < d->n; ++j) {
            const double a = sign * dict_column(d, j)[row];
            if (held[d->nonbasic[j]]) continue;
            faint = faint || a > POLY_NOISE * (size > 1 ? size : 1);
            if (!(a > floor)) continue;
            if (bland ? enter < 0 || d->nonbasic[j] < d->nonbasic[enter] : a > best) {
                best = a;
                enter = j;
            }
        }
        if (enter < 0) {
            *bad = row;
            if (faint || largest_entry(d) > POLY_GROWTH) *doubt = true;
            if (fabs(value[row]) > POLY_PROOF_GAP) return POLY_EMPTY;
            *doubt = true;
            value[row] = 0;
            continue;
        }
        dict_exchange(d, row, enter);
        *pivots += 1;
    }
    return POLY_LOST;
}

void poly_multipliers(const pivot_problem *p, const dict *d, int bad, double *z)
{
    // +-v = gap + sum a_j nonbasic_j with all a_j <= 0 where nonbasic_j >= 0
    const double sign = dict_column(d, d->n)[bad] < 0 ? 1 : -1;
    memset(z, 0, (size_t)p->nr * sizeof *z);
    for (int j = -1; j < d->n; ++j) {
        const int code = j < 0 ? d->basic[bad] : d->nonbasic[j];
        const double a = j < 0 ? sign : -sign * dict_column(d, j)[bad];
        if (code >= 2 * p->ni) {
            z[code - 2 * p->ni] = a;
        } else if (code >= p->ni) {
            z[p->nl + code - p->ni] = a < 0 ? 0 : a;
        }
    }
}
