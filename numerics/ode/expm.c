// The matrix exponential by scaling and squaring (Higham 2005, The scaling and squaring method for
// the matrix exponential revisited): exp(X) = exp(X / 2^k)^(2^k), with the Pade approximation
//     p(X) / p(-X) = (V + U) / (V - U),  U odd, V even
// of degree 3, 5, 7, 9 or 13 for the scaled matrix. Its remainder is below eps for |X|_1 up to
// `reach[degree]`.
//
// F = exp - 1 = 2 (V - U)^-1 U is squared by F <- 2 F + F^2: a fast mode needs many squarings, and
// beside it exp of a slow mode is 1 plus a small number, whose digits would be lost, more with each
// squaring.
//
// X is balanced first by a diagonal of powers of 2 (Parlett, Reinsch 1969), which is exact and
// removes the influence of the units.
#include <percuss/lti.h>

#include <math.h>
#include <string.h>

#include "base/base.h"
#include "ode/small_lu.h"

static const double pade[5][14] = {
    {120, 60, 12, 1},
    {30240, 15120, 3360, 420, 30, 1},
    {17297280, 8648640, 1995840, 277200, 25200, 1512, 56, 1},
    {17643225600, 8821612800, 2075673600, 302702400, 30270240, 2162160, 110880, 3960, 90, 1},
    {64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000,
     10559470521600, 670442572800, 33522128640, 1323241920, 40840800, 960960, 16380, 182, 1}};
static const int degrees[5] = {3, 5, 7, 9, 13};
static const double reach[5] = {1.495585217958292e-2, 2.539398330063230e-1, 9.504178996162932e-1,
                                2.097847961257068, 5.371920351148152};

// C = A B
static void multiply(int n, const double *A, const double *B, double *C)
{
    if (n > MATRIX_SMALL) {
        dense_mul_dense(false, false, n, n, n, 1, A, B, 0, C);
        return;
    }
    memset(C, 0, (size_t)n * (size_t)n * sizeof *C);
    for (int j = 0; j < n; ++j) {
        for (int k = 0; k < n; ++k) {
            const double b = B[k + n * j];
            if (b == 0) continue;
            for (int i = 0; i < n; ++i) {
                C[i + n * j] += A[i + n * k] * b;
            }
        }
    }
}

static double norm1(int n, const double *A)
{
    double most = 0;
    for (int j = 0; j < n; ++j) {
        double sum = 0;
        for (int i = 0; i < n; ++i) {
            sum += fabs(A[i + (size_t)n * j]);
        }
        if (!(sum <= most)) most = sum;
    }
    return most;
}

// X <- D^-1 X D with powers of 2 that scale rows and columns off the diagonal to similar sizes; d =
// D
static void balance(int n, double *X, double *d)
{
    for (int i = 0; i < n; ++i) {
        d[i] = 1;
    }
    bool moved = true;
    for (int sweep = 0; moved && sweep < 40; ++sweep) {
        moved = false;
        for (int i = 0; i < n; ++i) {
            double row = 0, column = 0;
            for (int j = 0; j < n; ++j) {
                if (j == i) continue;
                row += fabs(X[i + (size_t)n * j]);
                column += fabs(X[j + (size_t)n * i]);
            }
            // a row or column without a partner could be scaled without limit
            if (row == 0 || column == 0) continue;
            const double by = exp2(round(0.5 * log2(row / column)));
            if (!(column * by + row / by < 0.95 * (row + column)) || !isfinite(by)) continue;
            moved = true;
            d[i] *= by;
            for (int j = 0; j < n; ++j) {
                X[j + (size_t)n * i] *= by;
                X[i + (size_t)n * j] /= by;
            }
        }
    }
}

typedef struct scratch {
    double *X, *X2, *X4, *X6, *U, *V, *W;
    double *d;
    int *piv;
} scratch;

static bool take(int n, pcs_arena *arena, scratch *s)
{
    const size_t nn = (size_t)n * (size_t)n;
    double **const all[7] = {&s->X, &s->X2, &s->X4, &s->X6, &s->U, &s->V, &s->W};
    for (int k = 0; k < 7; ++k) {
        *all[k] = PCS_TAKE(arena, nn, double);
    }
    s->d = PCS_TAKE(arena, (size_t)n, double);
    s->piv = PCS_TAKE(arena, (size_t)n, int);
    return s->piv != NULL;
}

size_t pcs_expm_bytes(int n)
{
    if (n < 0) return 0;
    const size_t m = (size_t)n;
    return 7 * (m * m * sizeof(double) + 64) + m * (sizeof(double) + sizeof(int)) + 2 * 64;
}

// Y = c[0] I + c[2] X2 + c[4] X4 + c[6] X6
static void even(int n, const double *c, const scratch *s, double *Y)
{
    const size_t nn = (size_t)n * (size_t)n;
    for (size_t k = 0; k < nn; ++k) {
        Y[k] = c[2] * s->X2[k] + c[4] * s->X4[k] + c[6] * s->X6[k];
    }
    for (size_t i = 0; i < nn; i += (size_t)n + 1) {
        Y[i] += c[0];
    }
}

// U and V of the degree, from powers of X: up to 6 by sums, beyond by one more product
static void odd_and_even(int n, int which, scratch *s)
{
    const size_t nn = (size_t)n * (size_t)n;
    const double *b = pade[which];
    const int degree = degrees[which];
    multiply(n, s->X, s->X, s->X2);
    if (degree > 3) {
        multiply(n, s->X2, s->X2, s->X4);
    } else {
        memset(s->X4, 0, nn * sizeof *s->X4);
    }
    if (degree > 5) {
        multiply(n, s->X4, s->X2, s->X6);
    } else {
        memset(s->X6, 0, nn * sizeof *s->X6);
    }

    // V = b0 + b2 X2 + b4 X4 + b6 X6 + X6 (b8 X2 + b10 X4 + b12 X6)
    double high[7];
    even(n, b, s, s->V);
    if (degree > 7) {
        for (int k = 0; k < 7; ++k) {
            high[k] = k > 0 && k + 6 <= degree ? b[k + 6] : 0;
        }
        even(n, high, s, s->W);
        multiply(n, s->X6, s->W, s->U);
        for (size_t k = 0; k < nn; ++k) {
            s->V[k] += s->U[k];
        }
    }
    // U = X (b1 + b3 X2 + b5 X4 + b7 X6 + X6 (b9 X2 + b11 X4 + b13 X6))
    even(n, b + 1, s, s->W);
    if (degree > 7) {
        for (int k = 0; k < 7; ++k) {
            high[k] = k > 0 && k + 7 <= degree ? b[k + 7] : 0;
        }
        // X2 and X4 are not used after this sum
        even(n, high, s, s->U);
        multiply(n, s->X6, s->U, s->X2);
        for (size_t k = 0; k < nn; ++k) {
            s->W[k] += s->X2[k];
        }
    }
    multiply(n, s->X, s->W, s->U);
}

// F = exp(X) - 1 for |X|_1 within reach, into s->U
static bool small_exponential(int n, int which, scratch *s)
{
    const size_t nn = (size_t)n * (size_t)n;
    odd_and_even(n, which, s);
    for (size_t k = 0; k < nn; ++k) {
        s->V[k] -= s->U[k];
        s->U[k] *= 2;
    }
    if (!matrix_lu(n, s->V, s->piv)) return false;
    for (int j = 0; j < n; ++j) {
        matrix_solve(n, s->V, s->piv, s->U + (size_t)n * j);
    }
    return true;
}

static pcs_status beyond(double size)
{
    return pcs_fail(PCS_ERR_ARG,
                    "pcs_expm: the exponential of a matrix of norm %g exceeds the range of doubles",
                    size);
}

pcs_status pcs_expm(int n, const double *A, double t, pcs_arena work, double *E)
{
    if (n < 1 || n > (1 << 14)) {
        return pcs_fail(PCS_ERR_SIZE, "pcs_expm: n is %d; it must be 1 to %d", n, 1 << 14);
    }
    const size_t nn = (size_t)n * (size_t)n;
    if (!A || !E || !isfinite(t) || !pcs_all_finite(A, nn)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_expm: A or E is null, or A or t is not finite");
    }
    scratch s;
    if (!take(n, &work, &s)) return pcs_fail_memory("pcs_expm (work arena)");
    for (size_t k = 0; k < nn; ++k) {
        s.X[k] = t * A[k];
    }
    if (n == 1) {
        E[0] = exp(s.X[0]);
        return isfinite(E[0]) ? PCS_OK : beyond(fabs(s.X[0]));
    }
    balance(n, s.X, s.d);
    double size = norm1(n, s.X);
    if (!isfinite(size)) return beyond(size);

    int which = 0, squarings = 0;
    while (which < 4 && size > reach[which]) {
        ++which;
    }
    for (; size > reach[4]; size *= 0.5) {
        ++squarings;
    }
    for (size_t k = 0; k < nn; ++k) {
        s.X[k] = ldexp(s.X[k], -squarings);
    }
    if (!small_exponential(n, which, &s)) return beyond(size);

    for (int q = 0; q < squarings; ++q) {
        multiply(n, s.U, s.U, s.V);
        for (size_t k = 0; k < nn; ++k) {
            s.U[k] = 2 * s.U[k] + s.V[k];
        }
    }
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
            const size_t k = (size_t)i + (size_t)n * j;
            E[k] = s.U[k] * s.d[i] / s.d[j] + (i == j);
        }
    }
    return pcs_all_finite(E, nn) ? PCS_OK : beyond(ldexp(size, squarings));
}
