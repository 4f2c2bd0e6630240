// Sparse columns: checks, products, and the second triangle of a symmetric matrix.
#include "linalg/csc.h"

#include <limits.h>
#include <string.h>

pcs_status csc_check_square(const pcs_csc *M, const char *name)
{
    if (!M || !M->p || M->m != M->n || M->n < 0 || M->p[0] != 0) {
        return pcs_fail(PCS_ERR_ARG, "%s: it is null or not square", name);
    }
    for (int j = 0; j < M->n; ++j) {
        if (M->p[j + 1] < M->p[j] || (M->p[j + 1] > M->p[j] && (!M->i || !M->x))) {
            return pcs_fail(PCS_ERR_SIZE, "%s: the entries of column %d are missing", name, j);
        }
        for (int k = M->p[j]; k < M->p[j + 1]; ++k) {
            if (M->i[k] < 0 || M->i[k] >= M->m || (k > M->p[j] && M->i[k] <= M->i[k - 1])) {
                return pcs_fail(PCS_ERR_SIZE,
                                "%s: the rows of column %d are out of range"
                                " or do not increase at entry %d",
                                name, j, k - M->p[j]);
            }
            if (!isfinite(M->x[k])) {
                return pcs_fail(PCS_ERR_ARG, "%s: entry (%d, %d) is not finite", name, M->i[k], j);
            }
        }
    }
    return PCS_OK;
}

static double entry(const pcs_csc *M, int i, int j)
{
    int low = M->p[j], high = M->p[j + 1] - 1;
    while (low <= high) {
        const int mid = low + (high - low) / 2;
        if (M->i[mid] == i) return M->x[mid];
        if (M->i[mid] < i) {
            low = mid + 1;
        } else {
            high = mid - 1;
        }
    }
    return 0;
}

// largest difference of opposite entries, relative to the geometric mean of their diagonal entries,
// which bounds them in a positive definite matrix
#define SYMMETRIC_TOL 1e-14

bool csc_is_symmetric(const pcs_csc *M)
{
    for (int j = 0; j < M->n; ++j) {
        const double dj = sqrt(fabs(entry(M, j, j)));
        for (int k = M->p[j]; k < M->p[j + 1]; ++k) {
            const int i = M->i[k];
            const double apart = fabs(M->x[k] - entry(M, j, i));
            if (!(apart <= SYMMETRIC_TOL * dj * sqrt(fabs(entry(M, i, i))))) return false;
        }
    }
    return true;
}

bool csc_take(pcs_arena *arena, int n, int nnz, pcs_csc *out)
{
    *out = (pcs_csc){.m = n, .n = n};
    out->p = PCS_TAKE(arena, (size_t)n + 1, int);
    out->i = PCS_TAKE(arena, (size_t)nnz, int);
    out->x = PCS_TAKE(arena, (size_t)nnz, double);
    return out->p && out->i && out->x;
}

// reports whether M has entries above and below the diagonal
static void triangles_of(const pcs_csc *M, bool *upper, bool *lower)
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
    triangles_of(M, &upper, &lower);
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
