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

bool dense_eigenvalues(int n, double *A, double *re, double *im, double *work)
{
    if (n == 0) return true;
    return LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', 'N', n, A, n, re, im, NULL, 1, NULL, 1, work,
                              3 * n) == 0;
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

// what dgeqp3, dgeqrf and dorgqr ask for with block size 64
static size_t null_work(int n)
{
    return 2 * (size_t)n + 64 * ((size_t)n + 1);
}

size_t dense_null_bytes(int n)
{
    return (null_work(n) + (size_t)n) * sizeof(double) + (size_t)n * sizeof(int) + 256;
}

// the columns of P [-R_11^-1 R_12; 1], made orthonormal
static bool null_basis(int m, int n, int rank, double *A, const int *jpvt, double *Z, double *tau,
                       double *work, int lwork)
{
    const int k = n - rank;
    double *R12 = A + (size_t)m * (size_t)rank;
    if (rank > 0) {
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasUpper, CblasNoTrans, CblasNonUnit, rank, k, 1, A,
                    m, R12, m);
    }
    for (int c = 0; c < k; ++c) {
        double *z = Z + (size_t)n * (size_t)c;
        for (int i = 0; i < n; ++i) {
            z[jpvt[i] - 1] = i < rank ? -R12[i + (size_t)m * (size_t)c] : i - rank == c;
        }
    }
    return LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, n, k, Z, n, tau, work, lwork) == 0 &&
           LAPACKE_dorgqr_work(LAPACK_COL_MAJOR, n, k, k, Z, n, tau, work, lwork) == 0;
}

int dense_null(int m, int n, double *A, double *Z, double rcond, pcs_arena scratch)
{
    PCS_ASSERT(m >= n);
    if (n == 0) return 0;
    const size_t lwork = null_work(n);
    double *work = PCS_TAKE(&scratch, lwork, double), *tau = PCS_TAKE(&scratch, (size_t)n, double);
    int *jpvt = PCS_TAKE(&scratch, (size_t)n, int);
    if (!work || !tau || !jpvt || lwork > INT32_MAX) return -1;
    for (int j = 0; j < n; ++j) {
        jpvt[j] = 0;
    }
    if (LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, m, n, A, m, jpvt, tau, work, (int)lwork) != 0) {
        return -1;
    }
    int rank = 0;
    while (rank < n && fabs(A[(size_t)rank * ((size_t)m + 1)]) > rcond * fabs(A[0])) {
        ++rank;
    }
    if (!Z || rank == n) return rank;
    return null_basis(m, n, rank, A, jpvt, Z, tau, work, (int)lwork) ? rank : -1;
}
