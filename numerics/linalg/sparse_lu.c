// Sparse LU with UMFPACK (unsymmetric multifrontal), or with KLU where the GPL is not wanted.
#include "linalg/sparse_lu.h"

#include <string.h>

#ifdef PERCUSS_NO_GPL
#include <klu.h>
#else
#include <umfpack.h>
#endif

#ifdef PERCUSS_NO_GPL

struct sparse_lu {
    int n;
    klu_common c;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
};

size_t sparse_lu_bytes(int n)
{
    (void)n;
    return (sizeof(sparse_lu) + 63) / 64 * 64 + 64;
}

sparse_lu *sparse_lu_begin(int n, pcs_arena *arena)
{
    sparse_lu *w = pcs_arena_take(arena, sizeof *w);
    if (!w) return NULL;
    memset(w, 0, sizeof *w);
    w->n = n;
    klu_defaults(&w->c);
    return w;
}

void sparse_lu_end(sparse_lu *w)
{
    if (!w) return;
    if (w->numeric) klu_free_numeric(&w->numeric, &w->c);
    if (w->symbolic) klu_free_symbolic(&w->symbolic, &w->c);
}

sparse_lu_outcome sparse_lu_refactor(sparse_lu *w, const pcs_csc *A, bool same)
{
    if (w->numeric) klu_free_numeric(&w->numeric, &w->c);
    if (!same || !w->symbolic) {
        if (w->symbolic) klu_free_symbolic(&w->symbolic, &w->c);
        w->symbolic = klu_analyze(A->n, A->p, A->i, &w->c);
        if (!w->symbolic) {
            return w->c.status == KLU_SINGULAR ? SPARSE_LU_SINGULAR : SPARSE_LU_LOST;
        }
    }
    w->numeric = klu_factor(A->p, A->i, A->x, w->symbolic, &w->c);
    if (!w->numeric || w->c.status != KLU_OK) {
        const bool singular = w->c.status == KLU_SINGULAR;
        if (w->numeric) klu_free_numeric(&w->numeric, &w->c);
        return singular ? SPARSE_LU_SINGULAR : SPARSE_LU_LOST;
    }
    klu_rcond(w->symbolic, w->numeric, &w->c);
    return w->c.rcond > 0 ? SPARSE_LU_GOOD : SPARSE_LU_SINGULAR;
}

double sparse_lu_rcond(const sparse_lu *w)
{
    return w->c.rcond;
}

bool sparse_lu_apply(sparse_lu *w, double *x)
{
    return klu_solve(w->symbolic, w->numeric, w->n, 1, x, &w->c) != 0;
}

#else

struct sparse_lu {
    int n;
    double control[UMFPACK_CONTROL], info[UMFPACK_INFO];
    void *symbolic, *numeric;
    int *order;    // n, of umfpack_di_wsolve
    double *x, *t; // n and 5 n
};

size_t sparse_lu_bytes(int n)
{
    return (sizeof(sparse_lu) + 63) / 64 * 64 + 7 * (size_t)n * sizeof(double) + 4 * (size_t)64;
}

sparse_lu *sparse_lu_begin(int n, pcs_arena *arena)
{
    sparse_lu *w = pcs_arena_take(arena, sizeof *w);
    int *order = PCS_TAKE(arena, (size_t)n, int);
    double *x = PCS_TAKE(arena, (size_t)n, double);
    double *t = PCS_TAKE(arena, 5 * (size_t)n, double);
    if (!w || !order || !x || !t) return NULL;
    memset(w, 0, sizeof *w);
    w->n = n;
    w->order = order;
    w->x = x;
    w->t = t;
    umfpack_di_defaults(w->control);
    w->control[UMFPACK_PRL] = 0;
    // refinement is the caller's, who knows the matrix as a product
    w->control[UMFPACK_IRSTEP] = 0;
    return w;
}

void sparse_lu_end(sparse_lu *w)
{
    if (!w) return;
    if (w->numeric) umfpack_di_free_numeric(&w->numeric);
    if (w->symbolic) umfpack_di_free_symbolic(&w->symbolic);
}

static sparse_lu_outcome outcome_of(int status)
{
    if (status == UMFPACK_OK) return SPARSE_LU_GOOD;
    return status == UMFPACK_WARNING_singular_matrix ? SPARSE_LU_SINGULAR : SPARSE_LU_LOST;
}

sparse_lu_outcome sparse_lu_refactor(sparse_lu *w, const pcs_csc *A, bool same)
{
    if (w->numeric) umfpack_di_free_numeric(&w->numeric);
    w->numeric = NULL;
    if (!same || !w->symbolic) {
        if (w->symbolic) umfpack_di_free_symbolic(&w->symbolic);
        w->symbolic = NULL;
        const int status =
            umfpack_di_symbolic(w->n, w->n, A->p, A->i, A->x, &w->symbolic, w->control, w->info);
        if (status != UMFPACK_OK) return outcome_of(status);
    }
    const int status =
        umfpack_di_numeric(A->p, A->i, A->x, w->symbolic, &w->numeric, w->control, w->info);
    const sparse_lu_outcome end = outcome_of(status);
    // a NaN fails too
    if (end == SPARSE_LU_GOOD && !(w->info[UMFPACK_RCOND] > 0)) return SPARSE_LU_SINGULAR;
    return end;
}

double sparse_lu_rcond(const sparse_lu *w)
{
    return w->info[UMFPACK_RCOND];
}

bool sparse_lu_apply(sparse_lu *w, double *x)
{
    // without refinement the matrix itself is not read
    memcpy(w->x, x, (size_t)w->n * sizeof *x);
    return umfpack_di_wsolve(UMFPACK_A, NULL, NULL, NULL, x, w->x, w->numeric, w->control, w->info,
                             w->order, w->t) == UMFPACK_OK;
}

#endif
