// From the local form to a global one: for a symmetric positive semidefinite W
//
//     W = H H^T,   M = 1,   f = 0,   w = q
//
// with H = P L from a Cholesky factorisation with complete pivoting, as many columns as W has rank.
#include <float.h>
#include <string.h>

#include <percuss/global.h>

#include "linalg/bsr.h"
#include "linalg/dense.h"
#include "problem/problem.h"

// allowed difference of W from its transpose and from H H^T, in roundings of the largest diagonal
// entry and row
#define SLACK 100

typedef struct factor {
    int n, rank;
    double *W, *L; // n x n each; L lower, of P^T W P
    int *place;    // row k of L is row place[k] of W
    double most;   // largest diagonal entry of W
} factor;

// the largest |W - W^T|
static double lopsided(int n, const double *W)
{
    double most = 0;
    for (size_t j = 0; j < (size_t)n; ++j) {
        for (size_t i = 0; i < j; ++i) {
            const double x = fabs(W[i + (size_t)n * j] - W[j + (size_t)n * i]);
            if (x > most) most = x;
        }
    }
    return most;
}

static pcs_status factorise(const pcs_problem *p, pcs_arena *scratch, factor *f)
{
    const size_t n = (size_t)p->n;
    *f = (factor){.n = p->n};
    f->W = PCS_TAKE(scratch, n * n, double);
    f->L = PCS_TAKE(scratch, n * n, double);
    f->place = PCS_TAKE(scratch, n, int);
    double *work = PCS_TAKE(scratch, 2 * n, double);
    if (!f->W || !f->L || !f->place || !work) return pcs_fail_memory("pcs_problem_to_global");

    pcs_bsr_to_dense(&p->W, f->W);
    for (size_t i = 0; i < n; ++i) {
        if (f->W[i * (n + 1)] > f->most) f->most = f->W[i * (n + 1)];
    }
    const double skew = lopsided(p->n, f->W), slack = SLACK * DBL_EPSILON * p->n * f->most;
    if (!(skew <= slack)) {
        return pcs_fail(PCS_ERR_UNSUPPORTED,
                        "pcs_problem_to_global: W is not symmetric (by %g); it must be, and"
                        " positive semidefinite",
                        skew);
    }
    memcpy(f->L, f->W, n * n * sizeof *f->L);
    f->rank = dense_pivoted_cholesky(p->n, f->L, f->place, work);
    return PCS_OK;
}

// H = P L, block rows those of W, one block column
static pcs_status fill(const pcs_problem *p, const factor *f, pcs_arena *arena, pcs_bsr *H)
{
    const size_t m = (size_t)p->W.m, rank = (size_t)f->rank;
    *H = (pcs_bsr){.m = p->W.m, .n = f->rank > 0, .row = p->W.row};
    H->col = PCS_TAKE(arena, 2, int);
    H->ptr = PCS_TAKE(arena, m + 1, int);
    H->idx = PCS_TAKE(arena, m, int);
    H->off = PCS_TAKE(arena, m, size_t);
    H->val = PCS_TAKE(arena, (size_t)p->n * rank, double);
    if (!H->col || !H->ptr || !H->idx || !H->off || !H->val) {
        return pcs_fail_memory("pcs_problem_to_global");
    }
    if (!f->L) return PCS_OK;

    H->col[0] = 0;
    H->col[1] = f->rank;
    for (int i = 0; i < p->W.m; ++i) {
        H->idx[i] = 0;
        H->off[i] = (size_t)p->W.row[i] * rank;
        H->ptr[i + 1] = f->rank > 0 ? i + 1 : 0;
    }
    H->ptr[0] = 0;

    for (int k = 0; k < f->n; ++k) {
        const int at = f->place[k];
        int i = 0;
        for (int high = p->W.m; high - i > 1;) {
            const int middle = i + (high - i) / 2;
            if (p->W.row[middle] <= at) {
                i = middle;
            } else {
                high = middle;
            }
        }
        const size_t h = (size_t)(p->W.row[i + 1] - p->W.row[i]);
        double *row = H->val + H->off[i] + (at - p->W.row[i]);
        for (size_t c = 0; c < rank; ++c) {
            row[h * c] = c <= (size_t)k ? f->L[(size_t)k + (size_t)f->n * c] : 0;
        }
    }
    return PCS_OK;
}

// |W - H H^T| against rounding: the remainder is the part that the pivots did not reach, and would
// have to be negative
static pcs_status verify(const factor *f, const pcs_bsr *H, double *dense)
{
    const size_t n = (size_t)f->n;
    double most = 0;
    pcs_bsr_to_dense(H, dense);
    dense_mul_dense(false, true, f->n, f->n, f->rank, -1, dense, dense, 1, f->W);
    for (size_t k = 0; k < n * n; ++k) {
        if (!(fabs(f->W[k]) <= most)) most = fabs(f->W[k]);
    }
    if (most <= SLACK * DBL_EPSILON * f->n * f->most) return PCS_OK;
    return pcs_fail(PCS_ERR_UNSUPPORTED,
                    "pcs_problem_to_global: W is not positive semidefinite (the remainder is %g "
                    "after %d pivots)",
                    most, f->rank);
}

static pcs_status identity(const pcs_env *env, int rank, double *one, pcs_mass_matrix **M)
{
    if (rank == 0) return pcs_mass_matrix_create_blocks(env, 0, NULL, NULL, M);
    memset(one, 0, (size_t)rank * (size_t)rank * sizeof *one);
    for (size_t i = 0; i < (size_t)rank; ++i) {
        one[i * ((size_t)rank + 1)] = 1;
    }
    return pcs_mass_matrix_create_blocks(env, 1, &rank, one, M);
}

static pcs_status empty(const pcs_env *env, pcs_arena *arena, pcs_mass_matrix **M,
                        pcs_global_problem *out)
{
    int *zero = PCS_TAKE(arena, 1, int);
    if (!zero) return pcs_fail_memory("pcs_problem_to_global");
    *zero = 0;
    out->H = (pcs_bsr){.row = zero, .col = zero, .ptr = zero};
    PCS_TRY(identity(env, 0, NULL, M));
    out->M = *M;
    return PCS_OK;
}

pcs_status pcs_problem_to_global(const pcs_env *env, const pcs_problem *p, pcs_arena *arena,
                                 pcs_mass_matrix **M, pcs_global_problem *out)
{
    if (!arena || !M || !out) {
        return pcs_fail(PCS_ERR_ARG, "pcs_problem_to_global: an argument is null");
    }
    *M = NULL;
    PCS_TRY(pcs_problem_check(p));
    *out = (pcs_global_problem){.nb = p->nb, .block = p->block, .w = p->q};

    if (p->n == 0) return empty(env, arena, M, out);

    // the result is taken from the arena once the rank is known; before that the same memory is
    // scratch, with room for full rank
    const size_t n = (size_t)p->n;
    pcs_arena scratch = *arena;
    pcs_bsr H;
    factor f = {.n = p->n, .rank = p->n};
    const pcs_status room = fill(p, &f, &scratch, &H);
    double *zero = PCS_TAKE(&scratch, n, double), *dense = PCS_TAKE(&scratch, n * n, double);
    PCS_TRY(factorise(p, &scratch, &f));
    if (room != PCS_OK || !zero || !dense) return pcs_fail_memory("pcs_problem_to_global");

    PCS_TRY(fill(p, &f, arena, &H));
    PCS_TRY(verify(&f, &H, dense));
    double *force = PCS_TAKE(arena, (size_t)f.rank, double);
    if (!force) return pcs_fail_memory("pcs_problem_to_global");
    for (int i = 0; i < f.rank; ++i) {
        force[i] = 0;
    }
    PCS_TRY(identity(env, f.rank, dense, M));
    out->H = H;
    out->f = force;
    out->M = *M;
    return PCS_OK;
}
