// Eigenvalues of an unsymmetric matrix: balanced by powers of two, brought to Hessenberg form by
// reflectors, and then deflated from below by implicit double steps of QR (Francis, The QR
// transformation, Comput. J. 4 (1961); Golub and Van Loan, Matrix Computations, 7.5).
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/kernels.h"

enum {
    FAR = 100,       // exponent of two beyond which products of two entries are not safe
    EXCEPTIONAL = 10 // steps without a deflation before a step with other shifts
};
#define MOST_STEPS 60 // without a deflation

static double *entry(int n, double *A, int i, int j)
{
    return A + (size_t)i + (size_t)n * (size_t)j;
}

// A / 2^exponent, its largest entry near 1 where it was far from it; the exponent
static int scale(int n, double *A)
{
    const size_t all = (size_t)n * (size_t)n;
    double most = 0;
    int exponent = 0;
    for (size_t i = 0; i < all; ++i) {
        most = fmax(most, fabs(A[i]));
    }
    frexp(most, &exponent);
    if (abs(exponent) <= FAR) return 0;
    for (size_t i = 0; i < all; ++i) {
        A[i] = ldexp(A[i], -exponent);
    }
    return exponent;
}

// the power of two that makes a column and a row of these lengths alike; 1: they are
static double factor(double column, double row)
{
    if (!(column > 0) || !(row > 0)) return 1;
    double f = 1, c = column;
    for (; c < row / 2; c *= 4) {
        f *= 2;
    }
    for (; c >= row * 2; c /= 4) {
        f /= 2;
    }
    return (c + row) / f < 0.95 * (column + row) ? f : 1;
}

// D^-1 A D, whose rows are about as long as its columns (Parlett and Reinsch, Numer. Math. 13
// (1969))
static void balance(int n, double *A)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < n; ++i) {
            double column = 0, row = 0;
            for (int j = 0; j < n; ++j) {
                if (j == i) continue;
                column += fabs(*entry(n, A, j, i));
                row += fabs(*entry(n, A, i, j));
            }
            const double f = factor(column, row);
            if (f == 1) continue;
            changed = true;
            for (int j = 0; j < n; ++j) {
                *entry(n, A, i, j) /= f;
                *entry(n, A, j, i) *= f;
            }
        }
    }
}

// zero below the first subdiagonal; v and w have n entries
static void hessenberg(int n, double *A, double *v, double *w)
{
    const size_t ld = (size_t)n;
    for (int k = 0; k + 2 < n; ++k) {
        const int m = n - k - 1;
        double *x = entry(n, A, k + 1, k), rest;
        columns_dot(m - 1, 1, x + 1, ld, x + 1, &rest);
        if (rest == 0) continue;
        const double beta = -copysign(sqrt(x[0] * x[0] + rest), x[0]);
        memcpy(v, x, (size_t)m * sizeof *v);
        v[0] -= beta;
        // H = 1 - v v^T / (-beta v_0)
        const double tau = -1 / (beta * v[0]);
        memset(x, 0, (size_t)m * sizeof *x);
        x[0] = beta;
        double *right = entry(n, A, k + 1, k + 1);
        columns_dot(m, m, right, ld, v, w);
        for (int j = 0; j < m; ++j) {
            columns_add(m, 1, -tau * w[j], v, ld, &(double){1}, right + ld * (size_t)j);
        }
        double *columns = entry(n, A, 0, k + 1);
        memset(w, 0, ld * sizeof *w);
        columns_add(n, m, 1, columns, ld, v, w);
        for (int j = 0; j < m; ++j) {
            columns_add(n, 1, -tau * v[j], w, ld, &(double){1}, columns + ld * (size_t)j);
        }
    }
}

// applies the reflector that takes x to (beta, 0 ..) to rows and columns k .. k + m - 1 of the
// window low .. high
static void reflect(int n, double *H, int low, int high, int k, int m, const double *x)
{
    double square = 0, v[3];
    for (int i = 0; i < m; ++i) {
        square += x[i] * x[i];
        v[i] = x[i];
    }
    if (square == 0) return;
    const double beta = -copysign(sqrt(square), x[0]);
    v[0] -= beta;
    const double tau = -1 / (beta * v[0]);
    for (int j = k > low ? k - 1 : low; j <= high; ++j) {
        double *h = entry(n, H, k, j), sum = 0;
        for (int i = 0; i < m; ++i) {
            sum += v[i] * h[i];
        }
        for (int i = 0; i < m; ++i) {
            h[i] -= tau * sum * v[i];
        }
    }
    for (int i = low; i <= (k + 3 < high ? k + 3 : high); ++i) {
        double sum = 0;
        for (int j = 0; j < m; ++j) {
            sum += v[j] * *entry(n, H, i, k + j);
        }
        for (int j = 0; j < m; ++j) {
            *entry(n, H, i, k + j) -= tau * sum * v[j];
        }
    }
    for (int i = 1; i < m && k > low; ++i) {
        *entry(n, H, k + i, k - 1) = 0;
    }
}

// a double step on low .. high with shifts of this sum and product
static void step(int n, double *H, int low, int high, double sum, double product)
{
    const double a = *entry(n, H, low, low), b = *entry(n, H, low + 1, low);
    double x[3] = {a * a + *entry(n, H, low, low + 1) * b - sum * a + product,
                   b * (a + *entry(n, H, low + 1, low + 1) - sum),
                   b * *entry(n, H, low + 2, low + 1)};
    for (int k = low; k < high; ++k) {
        const int m = k + 2 <= high ? 3 : 2;
        for (int i = 0; i < m && k > low; ++i) {
            x[i] = *entry(n, H, k + i, k - 1);
        }
        reflect(n, H, low, high, k, m, x);
    }
}

// eigenvalues of the block of rows and columns k, k + 1
static void solve_pair(int n, double *H, int k, double *re, double *im)
{
    const double a = *entry(n, H, k, k), d = *entry(n, H, k + 1, k + 1);
    const double bc = *entry(n, H, k, k + 1) * *entry(n, H, k + 1, k);
    const double p = 0.5 * (a - d), q = p * p + bc, root = sqrt(fabs(q));
    im[k] = im[k + 1] = 0;
    if (q < 0) {
        re[k] = re[k + 1] = d + p;
        im[k] = root;
        im[k + 1] = -root;
        return;
    }
    const double z = p + copysign(root, p);
    re[k] = d + z;
    re[k + 1] = z != 0 ? d - bc / z : re[k];
}

// the first row of the undivided block that ends with row `high`
static int divide(int n, double *H, int high, double norm)
{
    int low = high;
    for (; low > 0; --low) {
        double size = fabs(*entry(n, H, low - 1, low - 1)) + fabs(*entry(n, H, low, low));
        if (size == 0) size = norm;
        double *below = entry(n, H, low, low - 1);
        if (fabs(*below) <= DBL_EPSILON * size) {
            *below = 0;
            break;
        }
    }
    return low;
}

static bool deflate(int n, double *H, double *re, double *im)
{
    double norm = 0;
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i <= j + 1 && i < n; ++i) {
            norm = fmax(norm, fabs(*entry(n, H, i, j)));
        }
    }
    for (int high = n - 1, steps = 0; high >= 0;) {
        const int low = divide(n, H, high, norm);
        if (low == high) {
            re[high] = *entry(n, H, high, high);
            im[high] = 0;
        } else if (low == high - 1) {
            solve_pair(n, H, low, re, im);
        }
        if (low >= high - 1) {
            high = low - 1;
            steps = 0;
            continue;
        }
        if (++steps > MOST_STEPS) return false;
        const double a = *entry(n, H, high - 1, high - 1), d = *entry(n, H, high, high);
        double sum = a + d;
        double product = a * d - *entry(n, H, high - 1, high) * *entry(n, H, high, high - 1);
        if (steps % EXCEPTIONAL == 0) {
            const double size =
                fabs(*entry(n, H, high, high - 1)) + fabs(*entry(n, H, high - 1, high - 2));
            sum = 1.5 * size;
            product = size * size;
        }
        step(n, H, low, high, sum, product);
    }
    return true;
}

bool dense_eigenvalues(int n, double *A, double *re, double *im, double *work)
{
    if (!pcs_all_finite(A, (size_t)n * (size_t)n)) return false;
    const int exponent = scale(n, A);
    balance(n, A);
    hessenberg(n, A, work, work + n);
    if (!deflate(n, A, re, im)) return false;
    for (int i = 0; i < n && exponent != 0; ++i) {
        re[i] = ldexp(re[i], exponent);
        im[i] = ldexp(im[i], exponent);
    }
    return true;
}
