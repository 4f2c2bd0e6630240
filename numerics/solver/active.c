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
// rank threshold of least squares
#define LEAST_RCOND 1e-12

size_t active_bytes(const pcs_problem *p)
{
    const size_t n = (size_t)p->n;
    return solver_bytes(n, 1) + 3 * solver_bytes(n, sizeof(int)) +
           2 * solver_bytes(n, sizeof(double)) + solver_bytes(n * n, sizeof(double)) +
           solver_bytes(1, dense_min_norm_bytes(p->n, p->n));
}

bool active_begin(active_set *a, const pcs_problem *p, const double *s, pcs_arena *work)
{
    const size_t n = (size_t)p->n;
    *a = (active_set){.p = p, .s = s, .least = true};
    a->closed = PCS_TAKE(work, n, unsigned char);
    a->place = PCS_TAKE(work, n, int);
    a->list = PCS_TAKE(work, n, int);
    a->piv = PCS_TAKE(work, n, int);
    a->d = PCS_TAKE(work, n, double);
    a->best = PCS_TAKE(work, n, double);
    a->A = PCS_TAKE(work, n * n, double);
    a->arena = *work;
    if (!a->closed || !a->place || !a->list || !a->piv || !a->d || !a->best || !a->A) return false;

    for (int b = 0; b < p->nb; ++b) {
        memset(a->closed + p->block[b].row, p->block[b].cone == PCS_EQUALITY,
               (size_t)p->block[b].dim);
    }
    return pcs_arena_take(work, dense_min_norm_bytes(p->n, p->n)) != NULL;
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
    for (int i = 0; i < a->p->n; ++i) {
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

// factors B + shift I; false when it is singular to working precision
static bool factor(active_set *a, int na, double shift)
{
    problem_restrict(a->p, a->place, na, a->s, a->A);
    for (int i = 0; i < na; ++i) {
        a->A[(size_t)i * ((size_t)na + 1)] += shift + a->shift;
    }
    if (!(na <= SMALL ? lu_factor(na, a->A, a->piv) : dense_lu(na, a->A, a->piv))) return false;

    double least = INFINITY, most = 0;
    for (int i = 0; i < na; ++i) {
        const double pivot = fabs(a->A[(size_t)i * ((size_t)na + 1)]);
        if (pivot < least || isnan(pivot)) least = pivot;
        if (pivot > most || isnan(pivot)) most = pivot;
    }
    return least > PIVOT_TOL * na * most;
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
        if (na <= SMALL) {
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

active_end active_solve(active_set *a, double *r, double *u)
{
    const int na = list_closed(a, r);
    memset(a->d, 0, (size_t)na * sizeof *a->d);
    add_step(a, na, r, u);
    if (na == 0) return ACTIVE_REGULAR;

    const double begin = load(a, na, u);
    if (begin == 0) return ACTIVE_REGULAR;
    if (factor(a, na, 0)) {
        refine(a, na, 3, r, u);
        return ACTIVE_REGULAR;
    }

    // what is left must be rounding, measured against the terms of u
    double size = 0;
    for (int k = 0; k < na; ++k) {
        const int i = a->list[k];
        const double t = (fabs(a->p->q[i]) + a->s[i] * fabs(r[i])) / sqrt(a->s[i]);
        if (t > size) size = t;
    }
    const double enough = 1e-12 * size;
    if (factor(a, na, PROX) && refine(a, na, PROX_STEPS, r, u) <= enough) return ACTIVE_SINGULAR;
    if (!a->least) return ACTIVE_LEAST;

    problem_restrict(a->p, a->place, na, a->s, a->A);
    load(a, na, u);
    if (dense_min_norm(na, na, a->A, a->d, LEAST_RCOND, a->arena) >= 0) add_step(a, na, r, u);
    return load(a, na, u) <= enough ? ACTIVE_SINGULAR : ACTIVE_LEAST;
}
