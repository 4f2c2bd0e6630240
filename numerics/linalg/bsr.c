// Block-sparse rows: checks, products, dense views.
#include "linalg/bsr.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static pcs_status check_partition(const char *what, int n, const int *start)
{
    if (n < 0)
        return pcs_fail(PCS_ERR_SIZE,
                        "matrix: it has %d block %ss; the number must not be negative", n, what);
    if (!start) return pcs_fail(PCS_ERR_ARG, "matrix: the block %s offsets are null", what);
    if (start[0] != 0) {
        return pcs_fail(PCS_ERR_SIZE, "matrix: block %s 0 starts at %d; it must be 0", what,
                        start[0]);
    }
    for (int i = 0; i < n; ++i) {
        if (start[i + 1] < start[i]) {
            return pcs_fail(PCS_ERR_SIZE, "matrix: block %s %d ends before it starts", what, i);
        }
    }
    return PCS_OK;
}

pcs_status pcs_bsr_check(const pcs_bsr *A)
{
    if (!A) return pcs_fail(PCS_ERR_ARG, "matrix: it is null");
    PCS_TRY(check_partition("row", A->m, A->row));
    PCS_TRY(check_partition("column", A->n, A->col));
    if (!A->ptr || A->ptr[0] != 0) {
        return pcs_fail(PCS_ERR_ARG, "matrix: the block pointers are null or do not start at 0");
    }

    for (int i = 0; i < A->m; ++i) {
        if (A->ptr[i + 1] < A->ptr[i]) {
            return pcs_fail(PCS_ERR_SIZE, "matrix: the pointers of block row %d decrease", i);
        }
        if (A->ptr[i + 1] > A->ptr[i] && (!A->idx || !A->off || !A->val)) {
            return pcs_fail(PCS_ERR_ARG, "matrix: block row %d has blocks but no values", i);
        }
        for (int k = A->ptr[i]; k < A->ptr[i + 1]; ++k) {
            const int j = A->idx[k];
            if (j < 0 || j >= A->n) {
                return pcs_fail(PCS_ERR_SIZE,
                                "matrix: block %d of block row %d lies in column %d"
                                " of %d",
                                k - A->ptr[i], i, j, A->n);
            }
            if (k > A->ptr[i] && j <= A->idx[k - 1]) {
                return pcs_fail(PCS_ERR_SIZE,
                                "matrix: block columns of block row %d do not"
                                " increase at %d",
                                i, j);
            }
            const size_t h = (size_t)(A->row[i + 1] - A->row[i]);
            const size_t w = (size_t)(A->col[j + 1] - A->col[j]);
            if (!pcs_all_finite(A->val + A->off[k], h * w)) {
                return pcs_fail(PCS_ERR_ARG,
                                "matrix: block (%d, %d) has an entry that is not"
                                " finite",
                                i, j);
            }
        }
    }
    return PCS_OK;
}

pcs_status pcs_bsr_from_dense(int m, int n, double *val, pcs_arena *arena, pcs_bsr *out)
{
    if (m < 0 || n < 0)
        return pcs_fail(PCS_ERR_SIZE, "dense matrix: its size is %d x %d; it must not be negative",
                        m, n);
    if (!arena || !out || (!val && m > 0 && n > 0)) {
        return pcs_fail(PCS_ERR_ARG, "dense matrix: an argument is null");
    }

    int *index = PCS_TAKE(arena, 7, int);
    size_t *off = PCS_TAKE(arena, 1, size_t);
    if (!index || !off) return pcs_fail_memory("dense matrix");

    const int values[7] = {0, m, 0, n, 0, 1, 0};
    memcpy(index, values, sizeof values);
    off[0] = 0;
    *out = (pcs_bsr){.m = 1,
                     .n = 1,
                     .row = index,
                     .col = index + 2,
                     .ptr = index + 4,
                     .idx = index + 6,
                     .off = off,
                     .val = val};
    return PCS_OK;
}

int pcs_bsr_find(const pcs_bsr *A, int i, int j)
{
    if (!A) return -1;
    int low = A->ptr[i], high = A->ptr[i + 1] - 1;
    while (low <= high) {
        const int mid = low + (high - low) / 2;
        if (A->idx[mid] == j) return mid;
        if (A->idx[mid] < j) {
            low = mid + 1;
        } else {
            high = mid - 1;
        }
    }
    return -1;
}

void pcs_bsr_mul(const pcs_bsr *A, const double *x, double *y)
{
    for (int i = 0; i < A->m; ++i) {
        const int h = A->row[i + 1] - A->row[i];
        double *yi = y + A->row[i];
        for (int r = 0; r < h; ++r) {
            yi[r] = 0;
        }
        for (int k = A->ptr[i]; k < A->ptr[i + 1]; ++k) {
            const int j = A->idx[k], w = A->col[j + 1] - A->col[j];
            const double *a = A->val + A->off[k];
            if (h == 3 && w == 3) {
                block_addmul(3, 3, a, x + A->col[j], yi);
            } else {
                block_addmul(h, w, a, x + A->col[j], yi);
            }
        }
    }
}

void pcs_bsr_addmul_t(const pcs_bsr *A, const double *x, double *y)
{
    for (int i = 0; i < A->m; ++i) {
        const int h = A->row[i + 1] - A->row[i];
        const double *xi = x + A->row[i];
        for (int k = A->ptr[i]; k < A->ptr[i + 1]; ++k) {
            const int j = A->idx[k], w = A->col[j + 1] - A->col[j];
            const double *a = A->val + A->off[k];
            double *yj = y + A->col[j];
            for (int c = 0; c < w; ++c) {
                double s = 0;
                for (int r = 0; r < h; ++r) {
                    s += a[r + (size_t)h * c] * xi[r];
                }
                yj[c] += s;
            }
        }
    }
}

void pcs_bsr_to_dense(const pcs_bsr *A, double *dense)
{
    const int rows = bsr_rows(A), cols = bsr_cols(A);
    memset(dense, 0, (size_t)rows * (size_t)cols * sizeof *dense);
    for (int i = 0; i < A->m; ++i) {
        const int h = A->row[i + 1] - A->row[i];
        for (int k = A->ptr[i]; k < A->ptr[i + 1]; ++k) {
            const int j = A->idx[k], w = A->col[j + 1] - A->col[j];
            const double *a = A->val + A->off[k];
            for (int c = 0; c < w; ++c) {
                memcpy(dense + (size_t)A->row[i] + (size_t)rows * (size_t)(A->col[j] + c),
                       a + (size_t)h * (size_t)c, (size_t)h * sizeof *a);
            }
        }
    }
}

double bsr_row_dot(const pcs_bsr *A, int i, int local, const double *x)
{
    const int h = A->row[i + 1] - A->row[i];
    double s = 0;
    for (int k = A->ptr[i]; k < A->ptr[i + 1]; ++k) {
        const int j = A->idx[k], w = A->col[j + 1] - A->col[j];
        const double *a = A->val + A->off[k] + local;
        const double *xj = x + A->col[j];
        for (int c = 0; c < w; ++c) {
            s += a[(size_t)h * (size_t)c] * xj[c];
        }
    }
    return s;
}

static double diagonal(const pcs_bsr *A, int i, int l)
{
    const int k = pcs_bsr_find(A, i, i), h = A->row[i + 1] - A->row[i];
    return A->val[A->off[k] + (size_t)l * ((size_t)h + 1)];
}

// largest difference of block k of block row i and its mate
static double skew_of_block(const pcs_bsr *A, int i, int k, int mate, bool relative)
{
    const int j = A->idx[k], h = A->row[i + 1] - A->row[i], w = A->row[j + 1] - A->row[j];
    double most = 0;
    for (int c = 0; c < w; ++c) {
        for (int l = 0; l < h; ++l) {
            const double x = A->val[A->off[k] + (size_t)l + (size_t)h * (size_t)c];
            const double y =
                mate < 0 ? 0 : A->val[A->off[mate] + (size_t)c + (size_t)w * (size_t)l];
            if (x == y) continue;
            const double size = relative ? sqrt(diagonal(A, i, l)) * sqrt(diagonal(A, j, c)) : 1;
            const double d = fabs(x - y) / size;
            if (d > most || isnan(d)) most = d;
        }
    }
    return most;
}

double bsr_skew(const pcs_bsr *A, bool relative, double *lone)
{
    double most = 0, alone = 0;
    for (int i = 0; i < A->m; ++i) {
        for (int k = A->ptr[i]; k < A->ptr[i + 1]; ++k) {
            const int j = A->idx[k], mate = pcs_bsr_find(A, j, i);
            if (mate >= 0 && j < i) continue; // already compared from the other side
            const double d = skew_of_block(A, i, k, mate, relative);
            if (d > most || isnan(d)) most = d;
            if (mate < 0 && (d > alone || isnan(d))) alone = d;
        }
    }
    if (lone) *lone = alone;
    return most;
}
