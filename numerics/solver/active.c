// Linear algebra on a set A of closed rows:  r = 0 outside A,  u_A = (W r + q)_A = 0.
//
// With S the scales of the rows and y = S^1/2 r the matrix is B = S^-1/2 W_AA S^-1/2. Its diagonal
// is one when W is definite, so that a small pivot indicates low rank whatever the masses are. B
// regular: LU and refinement; for a sparse symmetric W with positive diagonal the Cholesky factors
// of CHOLMOD, with one ordering for all sets. B singular: proximal steps
//
//     (B + delta I) d = -S^-1/2 u_A,   y <- y + d
//
// For a monotone W these converge like (delta / sigma)^k, where sigma is the smallest singular
// value that is not zero. They do not change the part of y in the null space: the result is the
// solution nearest the start. If they do not converge: least squares of minimum norm.
#include "solver/active.h"

#include <float.h>
#include <string.h>

#include "linalg/bsr.h"
#include "linalg/dense.h"
#include "linalg/lu.h"

// below this many rows our own loops beat BLAS
#define SMALL 24
// a pivot below this times the number of rows counts as rounding; the diagonal is one
#define PIVOT_TOL (64 * DBL_EPSILON)
// entries of a vector that no small symmetry cancels
#define GOLDEN 0.6180339887498949
// a least pivot below this may be one that rounding has left of zero
#define PIVOT_DOUBT 1e-4
// proximal weight for a diagonal of one: 1e-6 squared is still above rounding, so that two or three
// steps suffice unless the matrix is badly conditioned; then, where factors are cheap, a weight
// that leaves them half of the digits
#define PROX       1e-5
#define PROX_FINE  1e-9
#define PROX_STEPS 12
// a defect below this part of the largest term of u is rounding
#define ROUNDING 1e-12
// sparse factors are rejected unless refinement reduces the defect to this part
#define SPARSE_GAIN 1e-8
// rank threshold of least squares
#define LEAST_RCOND 1e-12

// a dense matrix is used up to this many rows; larger sparse problems allow only sets of few rows
#define DENSE_ROWS  3000
#define DENSE_SETS  1000
#define SPARSE_ROWS 1000000
// W is factorised as sparse when it stores less than this part of all its entries, and a set when
// it has at least this many rows
#define SPARSE_PART 0.125
#define SPARSE_SET  32
// entries of a factor, 8 bytes each
#define SPARSE_MOST 1e8
// entries (i, j) and (j, i) are equal when they differ by less than this part of sqrt(W_ii W_jj),
// which bounds both where W is semidefinite: a few roundings of sums of products
#define SYMMETRY_TOL (64 * DBL_EPSILON)
// when the difference is below this part, the symmetric part is factorised and refined in at most
// this many steps: spinning bodies make W unsymmetric, in proportion to their rotation in a step
#define SKEW_MOST  0.5
#define SKEW_STEPS 100

// a sparse set: the upper triangle of its matrix for CHOLMOD
typedef struct active_sparse {
    chol_work *chol;
    int *walk;          // n, the rows in an order with little fill
    int *block;         // n, the block row of a row
    int *mate;          // per block (i, j) of W: the number of block (j, i)
    double *before;     // n, the defect before a step
    double *f;          // n, 1 / sqrt(s)
    pcs_csc B;          // memory for all entries of W
    unsigned char *was; // n, closed when B was last analysed
    bool analysed;
} active_sparse;

bool active_is_sparse(const pcs_problem *p)
{
    return p->n > 2 * SPARSE_SET && p->n <= SPARSE_ROWS &&
           bsr_stored(&p->W) < SPARSE_PART * p->n * p->n;
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

// the asymmetry of a W with positive diagonal; infinite when its pattern is not symmetric
static double skew_part(const pcs_bsr *W)
{
    double lone;
    const double most = bsr_skew(W, true, &lone);
    return lone <= SYMMETRY_TOL ? most : INFINITY;
}

// true when CHOLMOD may be used
static bool chol_takes(const pcs_problem *p)
{
    return active_is_sparse(p) && positive_diagonal(p) && skew_part(&p->W) <= SKEW_MOST;
}

bool active_takes(const pcs_problem *p)
{
    for (int b = 0; b < p->nb; ++b) {
        if (p->block[b].cone == PCS_CONE_COULOMB) return false;
    }
    return p->n <= DENSE_ROWS || chol_takes(p);
}

// largest number of rows of a set that is solved as dense
static int most_dense(const pcs_problem *p)
{
    return p->n <= DENSE_ROWS || !active_is_sparse(p) ? p->n : DENSE_SETS;
}

// Entries of a dense matrix that the arena has from the start: where sparse factors may be used,
// those of the sets that are too small for them. More are allocated when CHOLMOD fails
static size_t room(const pcs_problem *p)
{
    const int most = active_is_sparse(p) ? SPARSE_SET : p->n;
    return (size_t)most * (size_t)most;
}

static size_t least_bytes(const pcs_problem *p)
{
    return active_is_sparse(p) ? 0 : dense_min_norm_bytes(p->n, p->n);
}

size_t active_bytes(const pcs_problem *p)
{
    const size_t n = (size_t)p->n;
    size_t sparse = 0;
    if (active_is_sparse(p)) {
        const size_t entries = (size_t)bsr_stored(&p->W);
        sparse = solver_bytes(1, sizeof(active_sparse)) + chol_work_bytes() + solver_bytes(n, 1) +
                 2 * solver_bytes(n, sizeof(int)) + solver_bytes(n + 1, sizeof(int)) +
                 2 * solver_bytes(n, sizeof(double)) + 2 * solver_bytes(entries, sizeof(int)) +
                 solver_bytes(entries, sizeof(double));
    }
    return solver_bytes(n, 1) + 3 * solver_bytes(n, sizeof(int)) +
           2 * solver_bytes(n, sizeof(double)) + solver_bytes(room(p), sizeof(double)) + sparse +
           solver_bytes(1, least_bytes(p));
}

// entry (l, c) of the symmetric part of block b of W, which starts at w
static double symmetric_entry(const pcs_bsr *W, const int *mate, int b, int l, int c, int width,
                              const double *w)
{
    if (mate[b] < 0) return *w;
    return 0.5 * (*w + W->val[W->off[mate[b]] + (size_t)c + (size_t)width * (size_t)l]);
}

// the upper triangle of B + shift I, of its symmetric part, in the order of the closed rows
static void assemble(active_set *a, int na, double shift)
{
    const pcs_bsr *W = &a->p->W;
    active_sparse *sp = a->sp;
    int at = 0;
    for (int k = 0; k < na; ++k) {
        const int row = a->list[k], i = sp->block[row];
        const int h = W->row[i + 1] - W->row[i], l = row - W->row[i];
        sp->B.p[k] = at;
        for (int b = W->ptr[i]; b < W->ptr[i + 1]; ++b) {
            const int j = W->idx[b];
            const double *w = W->val + W->off[b] + l;
            for (int c = W->col[j]; c < W->col[j + 1]; ++c, w += h) {
                // column k from the entries of row k
                const int place = a->place[c];
                if (place < 0 || place > k) continue;
                double x = *w;
                if (a->skew) {
                    const int width = W->col[j + 1] - W->col[j];
                    x = symmetric_entry(W, sp->mate, b, l, c - W->col[j], width, w);
                }
                sp->B.i[at] = place;
                sp->B.x[at++] = x * (sp->f[row] * sp->f[c]) + (place == k ? shift : 0);
            }
        }
    }
    sp->B.p[na] = at;
    sp->B.m = sp->B.n = na;
}

// orders the rows once, for all active sets
static bool begin_sparse(active_set *a, pcs_arena *work)
{
    const pcs_bsr *W = &a->p->W;
    const size_t n = (size_t)a->p->n, entries = (size_t)bsr_stored(W);
    active_sparse *sp = PCS_TAKE(work, 1, active_sparse);
    if (!sp) return false;
    *sp = (active_sparse){.walk = PCS_TAKE(work, n, int),
                          .block = PCS_TAKE(work, n, int),
                          .mate = PCS_TAKE(work, (size_t)W->ptr[W->m], int),
                          .before = PCS_TAKE(work, n, double),
                          .f = PCS_TAKE(work, n, double),
                          .was = PCS_TAKE(work, n, unsigned char),
                          .B = {.p = PCS_TAKE(work, n + 1, int),
                                .i = PCS_TAKE(work, entries, int),
                                .x = PCS_TAKE(work, entries, double)}};
    if (!sp->walk || !sp->block || !sp->mate || !sp->before || !sp->f || !sp->was || !sp->B.p ||
        !sp->B.i || !sp->B.x) {
        return false;
    }
    sp->chol = chol_begin(work);
    if (!sp->chol) return false;

    a->skew = !(skew_part(W) <= SYMMETRY_TOL);
    for (int b = 0; b < W->m; ++b) {
        for (int k = W->ptr[b]; a->skew && k < W->ptr[b + 1]; ++k) {
            sp->mate[k] = pcs_bsr_find(W, W->idx[k], b);
        }
        for (int i = W->row[b]; i < W->row[b + 1]; ++i) {
            sp->block[i] = b;
            sp->f[i] = 1 / sqrt(a->s[i]);
            a->list[i] = a->place[i] = i;
        }
    }
    a->sp = sp;
    assemble(a, a->p->n, 0);
    if (!chol_order(sp->chol, &sp->B, sp->walk)) {
        // CHOLMOD has no memory: use dense factors where they fit
        chol_end(sp->chol);
        a->sp = NULL;
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
    if (chol_takes(p) && !begin_sparse(a, work)) return false;

    for (int b = 0; b < p->nb; ++b) {
        memset(a->closed + p->block[b].row, p->block[b].cone == PCS_CONE_EQUALITY,
               (size_t)p->block[b].dim);
    }
    a->arena = *work;
    return pcs_arena_take(work, least_bytes(p)) != NULL;
}

void active_free(active_set *a)
{
    if (a->sp) chol_end(a->sp->chol);
    a->sp = NULL;
    pcs_env_free(NULL, a->own);
    a->own = NULL;
}

// makes room for a dense matrix of na rows; false: too many, or no memory
static bool make_room(active_set *a, int na)
{
    const size_t need = (size_t)na * (size_t)na;
    if (need <= a->room) return true;
    if (na > most_dense(a->p)) return false;
    double *A = pcs_env_alloc(NULL, need, sizeof *A);
    if (!A) return false;
    pcs_env_free(NULL, a->own);
    a->own = a->A = A;
    a->room = need;
    return true;
}

void active_guess(active_set *a, const double *r, const double *u)
{
    for (int b = 0; b < a->p->nb; ++b) {
        const int i = a->p->block[b].row;
        if (a->p->block[b].cone != PCS_CONE_EQUALITY) a->closed[i] = a->s[i] * r[i] > u[i];
    }
}

// lists the closed rows and clears r on the open ones
static int list_closed(active_set *a, double *r)
{
    int na = 0;
    for (int k = 0; k < a->p->n; ++k) {
        const int i = a->sp ? a->sp->walk[k] : k;
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

// factors B + shift I with CHOLMOD
static factor_end factor_sparse(active_set *a, int na, double shift)
{
    active_sparse *sp = a->sp;
    const size_t n = (size_t)a->p->n;
    const bool same = sp->analysed && memcmp(sp->was, a->closed, n) == 0;
    assemble(a, na, shift);
    const chol_outcome end = chol_refactor(sp->chol, &sp->B, same, PIVOT_TOL * na, SPARSE_MOST);
    sp->analysed = end != CHOL_LOST;
    memcpy(sp->was, a->closed, n);
    return end == CHOL_GOOD ? FACTOR_GOOD : end == CHOL_LOST ? FACTOR_LOST : FACTOR_SINGULAR;
}

static bool apply_factors(active_set *a, int na)
{
    if (a->sparse) return chol_apply(a->sp->chol, a->d);
    if (na <= SMALL) {
        lu_solve(na, a->A, a->piv, a->d);
    } else {
        dense_lu_solve(na, a->A, a->piv, false, 1, a->d);
    }
    return true;
}

// Norm of the inverse of the factors, nearly: two steps of inverse iteration from entries of all
// sizes. Where pivots are not taken from the diagonal the last one of a singular matrix may be
// rounding over the one before it, and the pivots alone do not tell
static double inverse_norm(active_set *a, int na)
{
    double before = 0, after = 0;
    memcpy(a->best, a->d, (size_t)na * sizeof *a->d);
    for (int i = 0; i < na; ++i) {
        a->d[i] = 0.5 + fmod(GOLDEN * i, 1);
    }
    for (int k = 0; k < 2; ++k) {
        apply_factors(a, na);
        before = after;
        after = 0;
        for (int i = 0; i < na; ++i) {
            after = fmax(after, fabs(a->d[i]));
        }
    }
    memcpy(a->d, a->best, (size_t)na * sizeof *a->d);
    return after / before;
}

// factors B + shift I
static factor_end factor(active_set *a, int na, double shift)
{
    if (a->sparse) return factor_sparse(a, na, shift + a->shift);
    if (!make_room(a, na)) return FACTOR_LOST;
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
    const double tol = PIVOT_TOL * na * most;
    if (!(least > tol)) return FACTOR_SINGULAR;
    if (least > PIVOT_DOUBT * most) return FACTOR_GOOD;
    return inverse_norm(a, na) * tol < 1 ? FACTOR_GOOD : FACTOR_SINGULAR;
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

// Scales the step d of the factors of the symmetric part to the length with the least defect
// (minimal residuals): the defect then falls however large the skew part is
static void fit_length(active_set *a, int na, double *r, double *u)
{
    double along = 0, square = 0;
    for (int k = 0; k < na; ++k) {
        const int i = a->list[k];
        const double w = u[i] / sqrt(a->s[i]) + a->sp->before[k];
        along += w * a->sp->before[k];
        square += w * w;
    }
    const double length = square > 0 ? along / square : 1;
    for (int k = 0; k < na; ++k) {
        a->d[k] *= length - 1;
    }
    add_step(a, na, r, u);
}

// refines with the factors of A until the error no longer halves; returns the last error
static double refine(active_set *a, int na, int steps, double *r, double *u)
{
    const bool skew = a->sparse && a->skew;
    double error = load(a, na, u);
    for (int k = 0; k < (skew ? SKEW_STEPS : steps) && error > 0; ++k) {
        for (int j = 0; j < na; ++j) {
            a->best[j] = r[a->list[j]];
        }
        if (skew) memcpy(a->sp->before, a->d, (size_t)na * sizeof *a->d);
        if (!apply_factors(a, na)) return INFINITY;
        add_step(a, na, r, u);
        if (skew) fit_length(a, na, r, u);
        const double before = error;
        error = load(a, na, u);
        if (!(error < before)) {
            // rounding, or no convergence: undo the step
            for (int j = 0; j < na; ++j) {
                r[a->list[j]] = a->best[j];
                a->d[j] = 0;
            }
            add_step(a, na, r, u);
            return before;
        }
        if (!(error < (skew ? 0.95 : 0.5) * before)) break;
    }
    return error;
}

// the rounding in the defect of the closed rows: a part of the largest term of u
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

// Solves with the factors that a->sparse selects: ACTIVE_REGULAR or ACTIVE_SINGULAR when solved,
// ACTIVE_LEAST when the matrix is singular and proximal steps do not converge, ACTIVE_LOST when
// there are no accurate factors.
static active_end solve_set(active_set *a, int na, double *r, double *u)
{
    const double begin = load(a, na, u);
    factor_end end = factor(a, na, 0);
    const bool regular = end == FACTOR_GOOD;
    if (regular) {
        const double error = refine(a, na, 3, r, u);
        if (!a->sparse || error <= SPARSE_GAIN * begin || error <= rounding(a, na, r)) {
            return ACTIVE_REGULAR;
        }
    }
    if (end == FACTOR_LOST) return ACTIVE_LOST;

    end = factor(a, na, PROX);
    if (end == FACTOR_GOOD && refine(a, na, PROX_STEPS, r, u) <= rounding(a, na, r)) {
        return ACTIVE_SINGULAR;
    }
    if (!a->sparse) return ACTIVE_LEAST;
    if (factor(a, na, PROX_FINE) == FACTOR_GOOD &&
        refine(a, na, PROX_STEPS, r, u) <= rounding(a, na, r)) {
        return ACTIVE_SINGULAR;
    }
    return regular || end != FACTOR_GOOD ? ACTIVE_LOST : ACTIVE_LEAST;
}

// a step of least squares and minimum norm
static active_end solve_least(active_set *a, int na, double *r, double *u)
{
    pcs_arena own = {0}, work = a->arena;
    const size_t bytes = dense_min_norm_bytes(na, na);
    bool good = make_room(a, na);
    if (good && active_is_sparse(a->p)) {
        good = pcs_arena_create(NULL, bytes, &own) == PCS_OK;
        work = own;
    }
    if (good) {
        problem_restrict(a->p, a->place, na, a->s, a->A);
        load(a, na, u);
        if (dense_min_norm(na, na, a->A, a->d, LEAST_RCOND, work) >= 0) add_step(a, na, r, u);
    }
    pcs_arena_destroy(NULL, &own);
    if (!good) return ACTIVE_LEAST;
    return load(a, na, u) <= rounding(a, na, r) ? ACTIVE_SINGULAR : ACTIVE_LEAST;
}

active_end active_solve(active_set *a, double *r, double *u)
{
    const int na = list_closed(a, r);
    memset(a->d, 0, (size_t)na * sizeof *a->d);
    add_step(a, na, r, u);
    if (na == 0 || load(a, na, u) == 0) return ACTIVE_REGULAR;

    // not definite, or too large for CHOLMOD: solve again as dense
    a->sparse = a->sp && na > SPARSE_SET;
    active_end end = solve_set(a, na, r, u);
    if (a->sparse && end == ACTIVE_LOST) {
        a->sparse = false;
        end = solve_set(a, na, r, u);
    }
    if (end == ACTIVE_LEAST && a->least) return solve_least(a, na, r, u);
    return end;
}
