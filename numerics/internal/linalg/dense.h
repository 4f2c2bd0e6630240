// Dense linear algebra in a fixed order of sums: the same bits on every machine, from every
// compiler, with any BLAS installed. Matrices are column-major; work memory comes from the
// caller's arena, nothing allocates. All return false when a matrix is singular to working
// precision or the arena is too small.
#ifndef LINALG_DENSE_H
#define LINALG_DENSE_H

#include "base/base.h"

static inline void swap_numbers(double *a, double *b)
{
    const double t = *a;
    *a = *b;
    *b = t;
}

// the first n numbers of two columns
static inline void exchange_columns(int n, double *a, double *b)
{
    for (int i = 0; i < n; ++i) {
        swap_numbers(&a[i], &b[i]);
    }
}

// x . y
static inline double dense_dot(int n, const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < n; ++i) {
        sum += x[i] * y[i];
    }
    return sum;
}

// y = a A x + b y, A m x n
PCS_API void dense_mul(int m, int n, double a, const double *A, const double *x, double b,
                       double *y);

// C = a op(A) op(B) + b C, op(A) m x k, op(B) k x n
void dense_mul_dense(bool ta, bool tb, int m, int n, int k, double a, const double *A,
                     const double *B, double b, double *C);

// Cholesky factor of the symmetric A (lower triangle read), in place; false if A is not positive
// definite
PCS_API bool dense_cholesky(int n, double *A);
// the first n columns of the factor of a symmetric m x m matrix, of which these columns are given
bool dense_cholesky_part(int m, int n, double *A, size_t ld);
// b = A^-1 b with the factor of dense_cholesky
void dense_cholesky_solve(int n, const double *L, double *b);

// Cholesky factor of P^T A P with complete pivoting, A symmetric (lower triangle read), in place:
// as many columns as pivots above n eps times the largest diagonal entry, which is the answer. Row
// k of it is row place[k] of A. work has 2 n entries
int dense_pivoted_cholesky(int n, double *A, int *place, double *work);

// LU with partial pivoting, in place; piv has n entries: row k was swapped with row piv[k], as by
// lu_factor. false when a pivot is zero or not finite
bool dense_lu(int n, double *A, int *piv);
// the sign of det A from the factors of dense_lu
int dense_lu_sign(int n, const double *lu, const int *piv);
// B = A^-1 B for nrhs columns, with the factors of dense_lu; transposed: A^-T
void dense_lu_solve(int n, const double *lu, const int *piv, bool transposed, int nrhs, double *B);

// 1-norm condition estimate: reciprocal condition number from the factors and the norm of A
double dense_rcond(int n, const double *lu, double norm1, pcs_arena arena);

// Minimum-norm least-squares solution of A x = b (complete orthogonal factorisation; the rank is
// the number of pivots of QR above rcond times the first). A (m x n) is destroyed; b has max(m, n)
// entries: right side in, solution out. The rank is returned, -1 when A is not finite or the arena
// too small.
int dense_min_norm(int m, int n, double *A, double *b, double rcond, pcs_arena arena);
// X = the pseudo-inverse of A (n x n, destroyed), its rank likewise
int dense_pseudo_inverse(int n, double *A, double *X, double rcond, pcs_arena arena);
// The rank of A (m x n, destroyed; m >= n), likewise. Z null, or n x n: where rank < n its first n -
// rank columns become an orthonormal basis of the null space, and the others of its complement.
// scratch has dense_null_bytes(n).
int dense_null(int m, int n, double *A, double *Z, double rcond, pcs_arena scratch);
size_t dense_null_bytes(int n);
// Eigenvalues re + i im of A (n x n, destroyed, finite), conjugate pairs next to each other. work
// has 3 n entries (1 for n = 0). false if the iteration does not end
bool dense_eigenvalues(int n, double *A, double *re, double *im, double *work);
// arena bytes dense_min_norm (and, with m = n, dense_pseudo_inverse) takes
size_t dense_min_norm_bytes(int m, int n);

#endif
