// Dense linear algebra by blocks, in a fixed order of sums.
#include "linalg/dense.h"

#include <float.h>
#include <string.h>

#include "linalg/kernels.h"

// columns that are factorised before the rest is updated
enum { PANEL = 32 };

static int least(int a, int b)
{
    return a < b ? a : b;
}

// y = b y; with b = 0 y may be uninitialised
static void scale(int n, double b, double *y)
{
    for (int i = 0; i < n; ++i) {
        y[i] = b == 0 ? 0 : b * y[i];
    }
}

void dense_mul(int m, int n, double a, const double *A, const double *x, double b, double *y)
{
    scale(m, b, y);
    columns_add(m, n, a, A, (size_t)m, x, y);
}

void dense_mul_dense(bool ta, bool tb, int m, int n, int k, double a, const double *A,
                     const double *B, double b, double *C)
{
    const size_t lda = (size_t)(ta ? k : m), ldb = (size_t)(tb ? n : k);
    for (int j = 0; j < n; ++j) {
        scale(m, b, C + (size_t)m * (size_t)j);
    }
    if (n == 1 && !ta) {
        columns_add(m, k, a, A, lda, B, C);
    } else {
        multiply_add(ta, tb, false, m, n, k, a, A, lda, B, ldb, C, (size_t)m);
    }
}

// ---- Cholesky ----------------------------------------------------------------------------------

// the first w columns of the factor, from m rows
static bool cholesky_panel(int m, int w, double *A, size_t ld)
{
    double row[PANEL];
    for (int j = 0; j < w; ++j) {
        double *column = A + ld * (size_t)j + j;
        for (int k = 0; k < j; ++k) {
            row[k] = A[(size_t)j + ld * (size_t)k];
        }
        columns_add(m - j, j, -1, A + j, ld, row, column);
        // NaN fails too
        if (!(column[0] > 0)) return false;
        const double root = sqrt(column[0]);
        for (int i = 0; i < m - j; ++i) {
            column[i] /= root;
        }
        column[0] = root;
    }
    return true;
}

bool dense_cholesky_part(int m, int n, double *A, size_t ld)
{
    for (int j = 0; j < n; j += PANEL) {
        const int w = least(PANEL, n - j), rest = n - j - w;
        double *P = A + (ld + 1) * (size_t)j;
        if (!cholesky_panel(m - j, w, P, ld)) return false;
        multiply_add(false, true, true, m - j - w, rest, w, -1, P + w, ld, P + w, ld,
                     P + (ld + 1) * (size_t)w, ld);
    }
    return true;
}

bool dense_cholesky(int n, double *A)
{
    return dense_cholesky_part(n, n, A, (size_t)n);
}

void dense_cholesky_solve(int n, const double *L, double *b)
{
    const size_t ld = (size_t)n;
    triangle_solve((triangle){.lower = true}, n, L, ld, 1, b, ld);
    triangle_solve((triangle){.lower = true, .transposed = true}, n, L, ld, 1, b, ld);
}

static void swap(double *a, double *b)
{
    const double t = *a;
    *a = *b;
    *b = t;
}

// exchanges rows and columns j < p of a symmetric matrix whose columns before j are factors already
static void swap_symmetric(int n, double *A, int j, int p)
{
    const size_t ld = (size_t)n;
    A[(ld + 1) * (size_t)p] = A[(ld + 1) * (size_t)j]; // the other entry is not read again
    for (int k = 0; k < j; ++k) {
        swap(A + j + ld * (size_t)k, A + p + ld * (size_t)k);
    }
    for (int i = j + 1; i < p; ++i) {
        swap(A + i + ld * (size_t)j, A + p + ld * (size_t)i);
    }
    for (int i = p + 1; i < n; ++i) {
        swap(A + i + ld * (size_t)j, A + i + ld * (size_t)p);
    }
}

int dense_pivoted_cholesky(int n, double *A, int *place, double *work)
{
    const size_t ld = (size_t)n;
    double *square = work, *row = work + n; // squares of the rows so far; the row of the pivot
    double most = 0;
    for (int i = 0; i < n; ++i) {
        place[i] = i;
        square[i] = 0;
        most = fmax(most, A[(ld + 1) * (size_t)i]);
    }
    for (int j = 0; j < n; ++j) {
        int p = j;
        double pivot = -INFINITY;
        for (int i = j; i < n; ++i) {
            const double left = A[(ld + 1) * (size_t)i] - square[i];
            if (left > pivot) {
                pivot = left;
                p = i;
            }
        }
        // NaN ends the loop too
        if (!(pivot > n * DBL_EPSILON * most)) return j;
        if (p != j) {
            swap_symmetric(n, A, j, p);
            swap(square + j, square + p);
            const int t = place[j];
            place[j] = place[p];
            place[p] = t;
        }
        double *column = A + (ld + 1) * (size_t)j;
        for (int k = 0; k < j; ++k) {
            row[k] = A[(size_t)j + ld * (size_t)k];
        }
        columns_add(n - j - 1, j, -1, A + j + 1, ld, row, column + 1);
        column[0] = sqrt(pivot);
        for (int i = 1; i < n - j; ++i) {
            column[i] /= column[0];
            square[j + i] += column[i] * column[i];
        }
    }
    return n;
}

// ---- LU ----------------------------------------------------------------------------------------

// the first w columns of the factors, from m rows; piv counts from the first row
static bool lu_panel(int m, int w, double *A, size_t ld, int *piv)
{
    for (int j = 0; j < w; ++j) {
        double *c = A + ld * (size_t)j;
        for (int k = 0; k < j; ++k) {
            swap(c + k, c + piv[k]);
        }
        for (int k = 0; k < j; ++k) {
            for (int i = k + 1; i < j; ++i) {
                c[i] -= A[(size_t)i + ld * (size_t)k] * c[k];
            }
        }
        columns_add(m - j, j, -1, A + j, ld, c, c + j);
        int p = j;
        for (int i = j + 1; i < m; ++i) {
            if (fabs(c[i]) > fabs(c[p])) p = i;
        }
        piv[j] = p;
        const double pivot = c[p];
        if (!(fabs(pivot) > 0) || !isfinite(pivot)) return false;
        for (int k = 0; k <= j && p != j; ++k) {
            swap(A + (size_t)j + ld * (size_t)k, A + (size_t)p + ld * (size_t)k);
        }
        for (int i = j + 1; i < m; ++i) {
            c[i] /= pivot;
        }
    }
    return true;
}

// exchanges rows j .. j + w - 1 with their pivots, in `columns` columns from A
static void swap_rows(int j, int w, const int *piv, int columns, double *A, size_t ld)
{
    for (int c = 0; c < columns; ++c, A += ld) {
        for (int k = j; k < j + w; ++k) {
            swap(A + k, A + piv[k]);
        }
    }
}

bool dense_lu(int n, double *A, int *piv)
{
    const size_t ld = (size_t)n;
    for (int j = 0; j < n; j += PANEL) {
        const int w = least(PANEL, n - j), rest = n - j - w;
        double *P = A + (ld + 1) * (size_t)j, *right = P + ld * (size_t)w;
        if (!lu_panel(n - j, w, P, ld, piv + j)) return false;
        for (int k = j; k < j + w; ++k) {
            piv[k] += j;
        }
        swap_rows(j, w, piv, j, A, ld);
        swap_rows(j, w, piv, rest, A + ld * (size_t)(j + w), ld);
        triangle_solve((triangle){.lower = true, .unit = true}, w, P, ld, rest, right, ld);
        multiply_add(false, false, false, rest, rest, w, -1, P + w, ld, right, ld, right + w, ld);
    }
    return true;
}

int dense_lu_sign(int n, const double *lu, const int *piv)
{
    int sign = 1;
    for (int k = 0; k < n; ++k) {
        if (piv[k] != k) sign = -sign;
        if (lu[((size_t)n + 1) * (size_t)k] < 0) sign = -sign;
    }
    return sign;
}

void dense_lu_solve(int n, const double *lu, const int *piv, bool transposed, int nrhs, double *B)
{
    const size_t ld = (size_t)n;
    const triangle L = {.lower = true, .unit = true, .transposed = transposed};
    const triangle U = {.transposed = transposed};
    if (!transposed) swap_rows(0, n, piv, nrhs, B, ld);
    triangle_solve(transposed ? U : L, n, lu, ld, nrhs, B, ld);
    triangle_solve(transposed ? L : U, n, lu, ld, nrhs, B, ld);
    for (int c = 0; transposed && c < nrhs; ++c) {
        for (int k = n - 1; k >= 0; --k) {
            swap(B + ld * (size_t)c + k, B + ld * (size_t)c + piv[k]);
        }
    }
}

static double sum_of_sizes(int n, const double *x)
{
    double sum = 0;
    for (int i = 0; i < n; ++i) {
        sum += fabs(x[i]);
    }
    return sum;
}

// x = A^-1 x or A^-T x up to the order of rows, which does not affect the norms below
static void solve_unordered(int n, const double *lu, bool transposed, double *x)
{
    const size_t ld = (size_t)n;
    const triangle L = {.lower = true, .unit = true, .transposed = transposed};
    const triangle U = {.transposed = transposed};
    triangle_solve(transposed ? U : L, n, lu, ld, 1, x, ld);
    triangle_solve(transposed ? L : U, n, lu, ld, 1, x, ld);
}

// x = the signs of x, then A^-T x; the place of its largest entry
static int ascend(int n, const double *lu, double *x)
{
    int most = 0;
    for (int i = 0; i < n; ++i) {
        x[i] = x[i] < 0 ? -1 : 1;
    }
    solve_unordered(n, lu, true, x);
    for (int i = 1; i < n; ++i) {
        if (fabs(x[i]) > fabs(x[most])) most = i;
    }
    return most;
}

// Higham, FORTRAN codes for estimating the one-norm of a real or complex matrix, ACM TOMS 14
// (1988): |A^-1|_1 from below, by ascent over the corners of the unit ball, and by one more vector
double dense_rcond(int n, const double *lu, double norm1, pcs_arena arena)
{
    enum { STEPS = 5 };
    if (n == 0) return 1;
    double *x = PCS_TAKE(&arena, (size_t)n, double);
    if (!x || !(norm1 > 0)) return 0;
    for (int i = 0; i < n; ++i) {
        x[i] = 1.0 / n;
    }
    double most = 0;
    for (int step = 0, corner = -1; step < STEPS; ++step) {
        solve_unordered(n, lu, false, x);
        const double size = sum_of_sizes(n, x);
        if (!(size > most)) break;
        most = size;
        const int next = ascend(n, lu, x);
        if (next == corner) break;
        corner = next;
        memset(x, 0, (size_t)n * sizeof *x);
        x[corner] = 1;
    }
    for (int i = 0; i < n; ++i) {
        x[i] = (i % 2 == 0 ? 1 : -1) * (1 + (n > 1 ? (double)i / (n - 1) : 0));
    }
    solve_unordered(n, lu, false, x);
    const double size = 2 * sum_of_sizes(n, x) / (3.0 * n);
    const double rcond = 1 / fmax(most, size) / norm1;
    return isfinite(size) && isfinite(rcond) ? rcond : 0;
}
