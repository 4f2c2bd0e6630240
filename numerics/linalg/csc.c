// Sparse columns: products, and the second triangle of a symmetric matrix.
#include "linalg/csc.h"

#include <limits.h>
#include <string.h>

bool csc_take(pcs_arena *arena, int n, int nnz, pcs_csc *out)
{
    *out = (pcs_csc){.m = n, .n = n};
    out->p = PCS_TAKE(arena, (size_t)n + 1, int);
    out->i = PCS_TAKE(arena, (size_t)nnz, int);
    out->x = PCS_TAKE(arena, (size_t)nnz, double);
    return out->p && out->i && out->x;
}

void csc_triangles(const pcs_csc *M, bool *upper, bool *lower)
{
    *upper = *lower = false;
    for (int j = 0; j < M->n; ++j) {
        for (int k = M->p[j]; k < M->p[j + 1]; ++k) {
            *upper |= M->i[k] < j;
            *lower |= M->i[k] > j;
        }
    }
}

void csc_free(const pcs_env *env, pcs_csc *A)
{
    pcs_env_free(env, A->p);
    pcs_env_free(env, A->i);
    pcs_env_free(env, A->x);
}

static void append(pcs_csc *A, int i, int j, double x)
{
    const int at = A->p[j + 1]++;
    A->i[at] = i;
    A->x[at] = x;
}

bool csc_complete(const pcs_env *env, const pcs_csc *M, pcs_csc *out)
{
    bool upper, lower;
    csc_triangles(M, &upper, &lower);
    const bool half = upper != lower;
    const size_t given = (size_t)M->p[M->n], most = half ? 2 * given : given;
    *out = (pcs_csc){.m = M->n, .n = M->n};
    if (most > INT_MAX) return false;
    out->p = pcs_env_alloc(env, (size_t)M->n + 2, sizeof(int));
    out->i = pcs_env_alloc(env, most, sizeof(int));
    out->x = pcs_env_alloc(env, most, sizeof(double));
    if (!out->p || !out->i || !out->x) {
        csc_free(env, out);
        *out = (pcs_csc){0};
        return false;
    }

    // p[j + 1] becomes the start of column j, and moves to its end as entries arrive
    int *p = out->p;
    for (int j = 0; j < M->n; ++j) {
        for (int k = M->p[j]; k < M->p[j + 1]; ++k) {
            p[j + 2] += 1;
            if (half && M->i[k] != j) p[M->i[k] + 2] += 1;
        }
    }
    for (int j = 0; j < M->n; ++j) {
        p[j + 2] += p[j + 1];
    }

    // column by column, rows arrive in order: those of the other triangle before or after all of
    // the column's own
    for (int j = 0; j < M->n; ++j) {
        for (int k = M->p[j]; k < M->p[j + 1]; ++k) {
            append(out, M->i[k], j, M->x[k]);
            if (half && M->i[k] != j) append(out, j, M->i[k], M->x[k]);
        }
    }
    return true;
}

void csc_addmul(const pcs_csc *A, const double *x, double *y)
{
    for (int j = 0; j < A->n; ++j) {
        for (int k = A->p[j]; k < A->p[j + 1]; ++k) {
            y[A->i[k]] += A->x[k] * x[j];
        }
    }
}
