// Dense linear algebra through BLAS and LAPACKE.
#include "linalg/dense.h"

#include <cblas.h>
#include <lapacke.h>

void dense_mul(int m, int n, double a, const double *A, const double *x, double b, double *y)
{
    if (m == 0) return;
    if (n == 0) {
        for (int i = 0; i < m; ++i) {
            y[i] = b == 0 ? 0 : b * y[i];
        }
        return;
    }
    cblas_dgemv(CblasColMajor, CblasNoTrans, m, n, a, A, m, x, 1, b, y, 1);
}

void dense_mul_dense(bool ta, bool tb, int m, int n, int k, double a, const double *A,
                     const double *B, double b, double *C)
{
    if (m == 0 || n == 0) return;
    const int lda = ta ? k : m, ldb = tb ? n : k;
    cblas_dgemm(CblasColMajor, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans, m, n,
                k, a, A, lda > 0 ? lda : 1, B, ldb > 0 ? ldb : 1, b, C, m);
}

bool dense_cholesky(int n, double *A)
{
    if (n == 0) return true;
    return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, A, n) == 0;
}

void dense_cholesky_solve(int n, const double *L, double *b)
{
    if (n > 0) LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', n, 1, L, n, b, n);
}

int dense_pivoted_cholesky(int n, double *A, int *place, double *work)
{
    int rank = 0;
    for (int i = 0; i < n; ++i) {
        place[i] = i + 1;
    }
    if (n > 0) LAPACKE_dpstrf_work(LAPACK_COL_MAJOR, 'L', n, A, n, place, &rank, -1, work);
    for (int i = 0; i < n; ++i) {
        place[i] -= 1;
    }
    return rank;
}

bool dense_lu(int n, double *A, int *piv)
{
    if (n == 0) return true;
    return LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, A, n, piv) == 0;
}

void dense_lu_solve(int n, const double *lu, const int *piv, bool transposed, int nrhs, double *B)
{
    if (n == 0 || nrhs == 0) return;
    LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, transposed ? 'T' : 'N', n, nrhs, lu, n, piv, B, n);
}

double dense_rcond(int n, const double *lu, double norm1, pcs_arena arena)
{
    if (n == 0) return 1;
    double *work = PCS_TAKE(&arena, 4 * (size_t)n, double);
    int *iwork = PCS_TAKE(&arena, (size_t)n, int);
    double rcond = 0;
    if (!work || !iwork) return 0;
    LAPACKE_dgecon_work(LAPACK_COL_MAJOR, '1', n, lu, n, norm1, &rcond, work, iwork);
    return rcond;
}

// what dgelsy asks for with block size 64: mn + 3 n + 1 + 64 (n + 1), 2 mn + 64
static size_t gelsy_work(int m, int n)
{
    const size_t mn = (size_t)(m < n ? m : n);
    const size_t a = mn + 3 * (size_t)n + 1 + 64 * ((size_t)n + 1), b = 2 * mn + 64 + 64 * mn;
    return a > b ? a : b;
}

size_t dense_min_norm_bytes(int m, int n)
{
    return gelsy_work(m, n) * sizeof(double) + (size_t)n * sizeof(int) + 192;
}

static int min_norm(int m, int n, double *A, int nrhs, double *B, double rcond, pcs_arena arena)
{
    const size_t lwork = gelsy_work(m, n);
    double *work = PCS_TAKE(&arena, lwork, double);
    int *jpvt = PCS_TAKE(&arena, (size_t)n, int);
    if (!work || !jpvt || lwork > INT32_MAX) return -1;
    for (int j = 0; j < n; ++j) {
        jpvt[j] = 0;
    }

    int rank = 0;
    const int ldb = m > n ? m : n;
    if (LAPACKE_dgelsy_work(LAPACK_COL_MAJOR, m, n, nrhs, A, m, B, ldb, jpvt, rcond, &rank, work,
                            (int)lwork) != 0) {
        return -1;
    }
    return rank;
}

int dense_min_norm(int m, int n, double *A, double *b, double rcond, pcs_arena arena)
{
    if (n == 0) return 0;
    if (m == 0) {
        for (int j = 0; j < n; ++j) {
            b[j] = 0;
        }
        return 0;
    }
    return min_norm(m, n, A, 1, b, rcond, arena);
}

int dense_pseudo_inverse(int n, double *A, double *X, double rcond, pcs_arena arena)
{
    if (n == 0) return 0;
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
            X[i + (size_t)n * (size_t)j] = i == j;
        }
    }
    return min_norm(n, n, A, n, X, rcond, arena);
}
