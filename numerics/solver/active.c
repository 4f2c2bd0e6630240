// Linear algebra on a set A of closed rows:  r = 0 outside A,  u_A = (W r + q)_A = 0.
//
// With S the scales of the rows and y = S^1/2 r the matrix is B = S^-1/2 W_AA S^-1/2, of unit
// diagonal when W is definite: a pivot then says something about rank whatever the masses are.
// B regular: LU and refinement. B singular: proximal steps
//
//     (B + delta I) d = -S^-1/2 u_A,   y <- y + d
//
// which for a monotone W converge like (delta / sigma)^k, sigma the smallest singular value that
// is not zero, and leave the part of y in the null space alone: of all solutions the one nearest
// the start. If they do not converge: least squares of minimum norm.
#include "solver/active.h"

#include <float.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/lu.h"

// below this many rows our own loops beat BLAS
#define SMALL 24
// a pivot below this times the number of rows is rounding: rank decided on a unit diagonal
#define PIVOT_TOL (64 * DBL_EPSILON)
// proximal weight on the unit diagonal: 1e-6 squared still beats rounding, so that two or three
// steps are enough unless the matrix is itself badly conditioned
#define PROX       1e-5
#define PROX_STEPS 12
// a defect below this part of the largest term of u is rounding
#define ROUNDING 1e-12
// what refinement must make of the defect for an envelope to be believed
#define SPARSE_GAIN 1e-8
// rank threshold of least squares
#define LEAST_RCOND 1e-12

// up to this many rows a dense matrix is made; above only an envelope of this mean width
#define DENSE_ROWS  3000
#define SPARSE_ROWS 20000
#define MEAN_WIDTH  256
// W is worth an envelope when it stores less than this part of all its entries
#define SPARSE_PART 0.125

static double stored(const pcs_bsr *W)
{
    double sum = 0;
    for (int i = 0; i < W->m; ++i) {
        for (int k = W->ptr[i]; k < W->ptr[i + 1]; ++k) {
            const int j = W->idx[k];
            sum += (double)(W->row[i + 1] - W->row[i]) * (W->col[j + 1] - W->col[j]);
        }
    }
    return sum;
}

static bool is_sparse(const pcs_problem *p)
{
    return p->n > 2 * SMALL && stored(&p->W) < SPARSE_PART * p->n * p->n;
}

bool active_takes(const pcs_problem *p)
{
    return p->n <= DENSE_ROWS || (p->n <= SPARSE_ROWS && is_sparse(p));
}

static size_t room(const pcs_problem *p)
{
    const bool wide = p->n <= DENSE_ROWS || !is_sparse(p);
    return (size_t)p->n * (size_t)(wide ? p->n : MEAN_WIDTH);
}

static size_t least_bytes(const pcs_problem *p)
{
    return p->n <= DENSE_ROWS || !is_sparse(p) ? dense_min_norm_bytes(p->n, p->n) : 0;
}

size_t active_bytes(const pcs_problem *p)
{
    const size_t n = (size_t)p->n;
    size_t sparse = 0;
    if (is_sparse(p)) {
        sparse = 2 * solver_bytes(n, sizeof(int)) + solver_bytes(n + 1, sizeof(size_t)) +
                 solver_bytes(n, sizeof(double)) + solver_bytes(2 * (size_t)p->W.m, sizeof(int));
    }
    return solver_bytes(n, 1) + 3 * solver_bytes(n, sizeof(int)) +
           2 * solver_bytes(n, sizeof(double)) + solver_bytes(room(p), sizeof(double)) + sparse +
           solver_bytes(1, least_bytes(p));
}

// true when every diagonal entry of W is positive
static bool positive_diagonal(const pcs_problem *p)
{
    for (int b = 0, wrow = 0; b < p->nb; ++b) {
        int ld;
        const double *D = problem_diagonal(p, b, &wrow, &ld);
        for (int c = 0; c < p->block[b].dim; ++c) {
            if (!D || !(D[(size_t)c * ((size_t)ld + 1)] > 0)) return false;
        }
    }
    return true;
}

// the order of the rows, once: it serves every active set
static bool begin_sparse(active_set *a, pcs_arena *work)
{
    const size_t n = (size_t)a->p->n;
    a->walk = PCS_TAKE(work, n, int);
    a->sky.first = PCS_TAKE(work, n, int);
    a->sky.start = PCS_TAKE(work, n + 1, size_t);
    a->sky.D = PCS_TAKE(work, n, double);
    int *scratch = PCS_TAKE(work, 2 * (size_t)a->p->W.m, int);
    if (!a->walk || !a->sky.first || !a->sky.start || !a->sky.D || !scratch) return false;

    skyline_order(&a->p->W, a->place, scratch);
    for (size_t i = 0; i < n; ++i) {
        a->walk[a->place[i]] = (int)i;
    }
    return true;
}

bool active_begin(active_set *a, const pcs_problem *p, const double *s, pcs_arena *work)
{
    const size_t n = (size_t)p->n;
    *a = (active_set){.p = p, .s = s, .least = true, .room = room(p)};
    a->closed = PCS_TAKE(work, n, unsigned char);
    a->place = PCS_TAKE(work, n, int);
    a->list = PCS_TAKE(work, n, int);
    a->piv = PCS_TAKE(work, n, int);
    a->d = PCS_TAKE(work, n, double);
    a->best = PCS_TAKE(work, n, double);
    a->A = PCS_TAKE(work, a->room, double);
    if (!a->closed || !a->place || !a->list || !a->piv || !a->d || !a->best || !a->A) return false;
    if (is_sparse(p) && positive_diagonal(p) && !begin_sparse(a, work)) return false;

    for (int b = 0; b < p->nb; ++b) {
        memset(a->closed + p->block[b].row, p->block[b].cone == PCS_EQUALITY,
               (size_t)p->block[b].dim);
    }
    a->arena = *work;
    return pcs_arena_take(work, least_bytes(p)) != NULL;
}

void active_guess(active_set *a, const double *r, const double *u)
{
    for (int b = 0; b < a->p->nb; ++b) {
        const int i = a->p->block[b].row;
        if (a->p->block[b].cone != PCS_EQUALITY) a->closed[i] = a->s[i] * r[i] > u[i];
    }
}

// lists the closed rows and clears r on the open ones
static int list_closed(active_set *a, double *r)
{
    int na = 0;
    for (int k = 0; k < a->p->n; ++k) {
        const int i = a->walk ? a->walk[k] : k;
        a->place[i] = -1;
        if (a->closed[i]) {
            a->place[i] = na;
            a->list[na++] = i;
        } else {
            r[i] = 0;
        }
    }
    return na;
}

typedef enum factor_end { FACTOR_GOOD, FACTOR_SINGULAR, FACTOR_LOST } factor_end;

// true when the envelope of the closed rows pays, and its pivots need no exchanges
static bool choose_sparse(active_set *a, int na)
{
    if (!a->walk || na <= SMALL) return false;
    skyline *f = &a->sky;
    f->n = na;
    const size_t entries = skyline_profile(&a->p->W, a->place, na, f->first, f->start);
    f->L = a->A;
    f->U = a->A + entries;
    return 2 * entries <= a->room && 4 * entries < (size_t)na * (size_t)na;
}

// factors B + shift I
static factor_end factor(active_set *a, int na, double shift)
{
    if (a->sparse) {
        return skyline_factor(&a->sky, &a->p->W, a->place, a->s, shift + a->shift)
                   ? FACTOR_GOOD
                   : FACTOR_SINGULAR;
    }
    if ((size_t)na * (size_t)na > a->room) return FACTOR_LOST;
    problem_restrict(a->p, a->place, na, a->s, a->A);
    for (int i = 0; i < na; ++i) {
        a->A[(size_t)i * ((size_t)na + 1)] += shift + a->shift;
    }
    if (!(na <= SMALL ? lu_factor(na, a->A, a->piv) : dense_lu(na, a->A, a->piv))) {
        return FACTOR_SINGULAR;
    }

    double least = INFINITY, most = 0;
    for (int i = 0; i < na; ++i) {
        const double pivot = fabs(a->A[(size_t)i * ((size_t)na + 1)]);
        if (pivot < least || isnan(pivot)) least = pivot;
        if (pivot > most || isnan(pivot)) most = pivot;
    }
    return least > PIVOT_TOL * na * most ? FACTOR_GOOD : FACTOR_SINGULAR;
}

// d = -u_A in the scaled unknowns; its largest entry
static double load(active_set *a, int na, const double *u)
{
    double most = 0;
    for (int k = 0; k < na; ++k) {
        const int i = a->list[k];
        a->d[k] = -u[i] / sqrt(a->s[i]);
        if (fabs(a->d[k]) > most || isnan(a->d[k])) most = fabs(a->d[k]);
    }
    return most;
}

static void add_step(active_set *a, int na, double *r, double *u)
{
    for (int k = 0; k < na; ++k) {
        const int i = a->list[k];
        r[i] += a->d[k] / sqrt(a->s[i]);
    }
    pcs_bsr_mul(&a->p->W, r, u);
    for (int i = 0; i < a->p->n; ++i) {
        u[i] += a->p->q[i];
    }
    for (int i = 0; a->shift > 0 && i < a->p->n; ++i) {
        u[i] += a->shift * a->s[i] * (r[i] - a->center[i]);
    }
}

// steps with the factors of A until the error stops falling by half; its last value
static double refine(active_set *a, int na, int steps, double *r, double *u)
{
    double error = load(a, na, u);
    for (int k = 0; k < steps && error > 0; ++k) {
        for (int j = 0; j < na; ++j) {
            a->best[j] = r[a->list[j]];
        }
        if (a->sparse) {
            skyline_solve(&a->sky, a->d);
        } else if (na <= SMALL) {
            lu_solve(na, a->A, a->piv, a->d);
        } else {
            dense_lu_solve(na, a->A, a->piv, false, 1, a->d);
        }
        add_step(a, na, r, u);
        const double before = error;
        error = load(a, na, u);
        if (!(error < before)) {
            // rounding, or no convergence: the step is taken back
            for (int j = 0; j < na; ++j) {
                r[a->list[j]] = a->best[j];
                a->d[j] = 0;
            }
            add_step(a, na, r, u);
            return before;
        }
        if (!(error < 0.5 * before)) break;
    }
    return error;
}

// the defect of the closed rows that is rounding: a part of the largest term of u
static double rounding(const active_set *a, int na, const double *r)
{
    double size = 0;
    for (int k = 0; k < na; ++k) {
        const int i = a->list[k];
        const double t = (fabs(a->p->q[i]) + a->s[i] * fabs(r[i])) / sqrt(a->s[i]);
        if (t > size) size = t;
    }
    return ROUNDING * size;
}

active_end active_solve(active_set *a, double *r, double *u)
{
    const int na = list_closed(a, r);
    memset(a->d, 0, (size_t)na * sizeof *a->d);
    add_step(a, na, r, u);
    if (na == 0) return ACTIVE_REGULAR;

    const double begin = load(a, na, u);
    if (begin == 0) return ACTIVE_REGULAR;
    a->sparse = choose_sparse(a, na);
    factor_end end = factor(a, na, 0);
    if (end == FACTOR_GOOD) {
        const double error = refine(a, na, 3, r, u);
        if (!a->sparse || error <= SPARSE_GAIN * begin || error <= rounding(a, na, r)) {
            return ACTIVE_REGULAR;
        }

        // without exchanges of rows the pivots may be small where the matrix is not definite
        a->sparse = false;
        end = factor(a, na, 0);
        if (end == FACTOR_GOOD) refine(a, na, 3, r, u);
        if (end != FACTOR_SINGULAR) return ACTIVE_REGULAR;
    }
    if (end == FACTOR_LOST) return ACTIVE_LOST;

    if (factor(a, na, PROX) == FACTOR_GOOD &&
        refine(a, na, PROX_STEPS, r, u) <= rounding(a, na, r)) {
        return ACTIVE_SINGULAR;
    }
    if (!a->least || (size_t)na * (size_t)na > a->room) return ACTIVE_LEAST;

    problem_restrict(a->p, a->place, na, a->s, a->A);
    load(a, na, u);
    if (dense_min_norm(na, na, a->A, a->d, LEAST_RCOND, a->arena) >= 0) add_step(a, na, r, u);
    return load(a, na, u) <= rounding(a, na, r) ? ACTIVE_SINGULAR : ACTIVE_LEAST;
}
