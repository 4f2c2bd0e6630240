// Complete orthogonal factorisation of an m x n matrix of rank r,
//
//     A P = Q [T 0; 0 0] Z,   T upper triangular, r x r
//
// from which least squares of minimum norm and the null space follow. Q R by Householder reflectors
// with column pivoting, whose products with the remaining columns are collected in F and applied
// panel by panel: A - Y F^T, as Quintana-Orti, Sun and Bischof, A BLAS-3 version of the QR
// factorization with column pivoting, SIAM J. Sci. Comput. 19 (1998). Reflectors from the right
// then remove the part of R to the right of T.
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/kernels.h"

// columns of a panel; beyond 2^FAR and below 2^-FAR squares of rounding might be lost
enum { PANEL = 32, FAR = 200 };

typedef struct factors {
    int m, n, rank;
    double *A;     // m x n: R, below it the reflectors of Q, to the right of T those of Z
    size_t ld;     // m
    double *q, *z; // n each, the scales of the reflectors
    double *norm;  // n, norm of the remaining part of a column
    double *exact; // n, that norm when it was last summed
    double *F;     // n x PANEL
    double *t;     // n
    int *place;    // n, the column of A at this place
    double rcond;  //
    int exponent;  // A is the given matrix over 2^exponent
} factors;

static double *column(const factors *f, int j)
{
    return f->A + f->ld * (size_t)j;
}

static double square(int n, const double *x)
{
    double sum;
    columns_dot(n, 1, x, (size_t)n, x, &sum);
    return sum;
}

static size_t bytes(int n)
{
    return (PANEL + 5) * (size_t)n * sizeof(double) + (size_t)n * sizeof(int) + 7 * 64;
}

size_t dense_min_norm_bytes(int m, int n)
{
    (void)m;
    return bytes(n);
}

size_t dense_null_bytes(int n)
{
    return bytes(n);
}

// A times a power of two, when its squares might be lost; false when A is not finite
static bool begin(factors *f, int m, int n, double *A, double rcond, pcs_arena arena)
{
    const size_t k = (size_t)n;
    *f = (factors){.m = m, .n = n, .A = A, .ld = (size_t)m, .rcond = rcond};
    TAKE_DOUBLES(&arena, k, &f->q, &f->z, &f->norm, &f->exact, &f->t);
    f->F = PCS_TAKE(&arena, PANEL * k, double);
    f->place = PCS_TAKE(&arena, k, int);
    if (!f->q || !f->z || !f->norm || !f->exact || !f->F || !f->t || !f->place) return false;

    double most = 0;
    for (size_t i = 0; i < f->ld * k; ++i) {
        if (!isfinite(A[i])) return false;
        most = fmax(most, fabs(A[i]));
    }
    int exponent = 0;
    frexp(most, &exponent);
    if (abs(exponent) > FAR) f->exponent = exponent;
    for (size_t i = 0; i < f->ld * k && f->exponent != 0; ++i) {
        A[i] = ldexp(A[i], -exponent);
    }
    for (int j = 0; j < n; ++j) {
        f->place[j] = j;
        f->norm[j] = f->exact[j] = sqrt(square(m, column(f, j)));
    }
    return true;
}

// x = (beta, 0 ..) by H = 1 - tau v v^T; v = (1, the new x[1 ..])
static double reflector(int n, double *x)
{
    const double rest = square(n - 1, x + 1);
    if (rest == 0) return 0;
    const double beta = -copysign(sqrt(x[0] * x[0] + rest), x[0]);
    const double head = x[0] - beta;
    for (int i = 1; i < n; ++i) {
        x[i] /= head;
    }
    x[0] = beta;
    return -head / beta;
}

// ---- Q R ---------------------------------------------------------------------------------------

static void exchange(factors *f, int from, int k, int p)
{
    exchange_columns(f->m, column(f, k), column(f, p));
    for (int l = 0; l < k - from; ++l) {
        double *F = f->F + (size_t)f->n * (size_t)l;
        swap_numbers(&F[k], &F[p]);
    }
    const int t = f->place[k];
    f->place[k] = f->place[p];
    f->place[p] = t;
    f->norm[p] = f->norm[k];
    f->exact[p] = f->exact[k];
}

// t = row i of the first `count` columns of X
static void row_of(const double *X, size_t ld, int i, int count, double *t)
{
    for (int l = 0; l < count; ++l) {
        t[l] = X[(size_t)i + ld * (size_t)l];
    }
}

// column k of F: the products of reflector k with the columns to the right, as if the reflectors of
// the panel before it had been applied to them
static void gather(factors *f, int from, int k)
{
    const size_t n = (size_t)f->n;
    const int right = f->n - k - 1, done = k - from;
    double *v = column(f, k) + k, *F = f->F + n * (size_t)done, t[PANEL];
    columns_dot(f->m - k, right, v + f->ld, f->ld, v, F + k + 1);
    columns_dot(f->m - k, done, column(f, from) + k, f->ld, v, t);
    columns_add(right, done, -1, f->F + k + 1, n, t, F + k + 1);
    for (int j = k + 1; j < f->n; ++j) {
        F[j] *= f->q[k];
    }
}

// Row k of R, and the norms of the columns below it; false when cancellation makes the norm of a
// column inaccurate, which a negative norm marks
static bool finish_row(factors *f, int from, int k)
{
    const size_t n = (size_t)f->n;
    const int right = f->n - k - 1;
    double row[PANEL];
    row_of(column(f, from), f->ld, k, k - from + 1, row);
    memset(f->t, 0, n * sizeof *f->t);
    columns_add(right, k - from + 1, 1, f->F + k + 1, n, row, f->t);
    bool known = true;
    for (int j = k + 1; j < f->n; ++j) {
        double *R = column(f, j) + k;
        *R -= f->t[j - k - 1];
        if (!(f->norm[j] > 0)) continue;
        const double part = fabs(*R) / f->norm[j], left = fmax(0, (1 + part) * (1 - part));
        const double ratio = f->norm[j] / f->exact[j];
        if (left * ratio * ratio <= sqrt(DBL_EPSILON)) {
            f->norm[j] = -1;
            known = false;
        } else {
            f->norm[j] *= sqrt(left);
        }
    }
    return known;
}

// factorises a panel from column `from`; returns the number of columns done, fewer than asked for
// when norms must be summed again; *ended: the remaining pivots are negligible
static int panel(factors *f, int from, int width, bool *ended)
{
    bool known = true;
    int k = from;
    for (; known && k < from + width; ++k) {
        int p = k;
        for (int j = k + 1; j < f->n; ++j) {
            if (f->norm[j] > f->norm[p]) p = j;
        }
        if (p != k) exchange(f, from, k, p);
        double *v = column(f, k) + k, row[PANEL];
        row_of(f->F, (size_t)f->n, k, k - from, row);
        columns_add(f->m - k, k - from, -1, column(f, from) + k, f->ld, row, v);
        f->q[k] = reflector(f->m - k, v);
        const double pivot = v[0];
        if (!(fabs(pivot) > (k == 0 ? 0 : f->rcond * fabs(f->A[0])))) {
            *ended = true;
            break;
        }
        v[0] = 1;
        gather(f, from, k);
        known = finish_row(f, from, k);
        v[0] = pivot;
        f->rank = k + 1;
    }
    return k - from;
}

static void factorise(factors *f)
{
    const int most = f->m < f->n ? f->m : f->n;
    bool ended = false;
    while (!ended && f->rank < most) {
        const int from = f->rank, width = most - from < PANEL ? most - from : PANEL;
        const int k = from + panel(f, from, width, &ended);
        if (ended || k == most) continue;
        multiply_add(false, true, false, f->m - k, f->n - k, k - from, -1, column(f, from) + k,
                     f->ld, f->F + k, (size_t)f->n, column(f, k) + k, f->ld);
        for (int j = k; j < f->n; ++j) {
            if (f->norm[j] < 0) f->norm[j] = f->exact[j] = sqrt(square(f->m - k, column(f, j) + k));
        }
    }
}

// ---- Z -----------------------------------------------------------------------------------------

// [T right] -> [T 0]: the reflector of row k has 1 in column k and its other entries in `right`
static void triangulate(factors *f)
{
    const int r = f->rank, k = f->n - r;
    for (int i = r - 1; i >= 0 && k > 0; --i) {
        double *T = column(f, i), *right = column(f, r), *v = f->t, *w = f->F;
        v[0] = T[i];
        row_of(right, f->ld, i, k, v + 1);
        f->z[i] = reflector(k + 1, v);
        T[i] = v[0];
        for (int l = 0; l < k; ++l) {
            right[(size_t)i + f->ld * (size_t)l] = v[l + 1];
        }
        memcpy(w, T, (size_t)i * sizeof *w);
        columns_add(i, k, 1, right, f->ld, v + 1, w);
        for (int l = 0; l < i; ++l) {
            w[l] *= -f->z[i];
            T[l] += w[l];
        }
        for (int l = 0; l < k; ++l) {
            columns_add(i, 1, v[l + 1], w, (size_t)f->n, &(double){1}, right + f->ld * (size_t)l);
        }
    }
}

// x = P Z^T y, y of n entries; t is work
static void turn_back(factors *f, double *y, double *x)
{
    const int r = f->rank, k = f->n - r;
    const double *right = f->A + f->ld * (size_t)r;
    for (int i = 0; i < r && k > 0; ++i) {
        row_of(right + i, f->ld, 0, k, f->t);
        double sum;
        columns_dot(k, 1, f->t, (size_t)k, y + r, &sum);
        sum = f->z[i] * (y[i] + sum);
        y[i] -= sum;
        for (int l = 0; l < k; ++l) {
            y[r + l] -= sum * f->t[l];
        }
    }
    for (int j = 0; j < f->n; ++j) {
        x[f->place[j]] = y[j];
    }
}

// ---- results --------------------------------------------------------------------------

// b = Q^T b
static void apply_q(const factors *f, double *b)
{
    for (int k = 0; k < f->rank; ++k) {
        const double *v = column(f, k) + k;
        double sum;
        columns_dot(f->m - k - 1, 1, v + 1, f->ld, b + k + 1, &sum);
        sum = -f->q[k] * (b[k] + sum);
        b[k] += sum;
        columns_add(f->m - k - 1, 1, sum, v + 1, f->ld, &(double){1}, b + k + 1);
    }
}

static int solve(factors *f, int nrhs, double *B, size_t ldb)
{
    const triangle T = {0};
    factorise(f);
    triangulate(f);
    for (int c = 0; c < nrhs; ++c) {
        double *b = B + ldb * (size_t)c, *y = f->F;
        apply_q(f, b);
        memcpy(y, b, (size_t)f->rank * sizeof *y);
        memset(y + f->rank, 0, (size_t)(f->n - f->rank) * sizeof *y);
        triangle_solve(T, f->rank, f->A, f->ld, 1, y, ldb);
        turn_back(f, y, b);
        for (int i = 0; i < f->n && f->exponent != 0; ++i) {
            b[i] = ldexp(b[i], -f->exponent);
        }
    }
    return f->rank;
}

int dense_min_norm(int m, int n, double *A, double *b, double rcond, pcs_arena arena)
{
    factors f;
    return begin(&f, m, n, A, rcond, arena) ? solve(&f, 1, b, 0) : -1;
}

int dense_pseudo_inverse(int n, double *A, double *X, double rcond, pcs_arena arena)
{
    factors f;
    if (!begin(&f, n, n, A, rcond, arena)) return -1;
    memset(X, 0, (size_t)n * (size_t)n * sizeof *X);
    for (int i = 0; i < n; ++i) {
        X[(size_t)i * ((size_t)n + 1)] = 1;
    }
    return solve(&f, n, X, (size_t)n);
}

int dense_null(int m, int n, double *A, double *Z, double rcond, pcs_arena scratch)
{
    PCS_ASSERT(m >= n);
    factors f;
    if (!begin(&f, m, n, A, rcond, scratch)) return -1;
    factorise(&f);
    if (!Z || f.rank == n) return f.rank;
    triangulate(&f);
    for (int c = 0; c < n; ++c) {
        double *y = f.F;
        memset(y, 0, (size_t)n * sizeof *y);
        y[(f.rank + c) % n] = 1;
        turn_back(&f, y, Z + (size_t)n * (size_t)c);
    }
    return f.rank;
}
