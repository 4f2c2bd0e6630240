// Cholesky of the mass, Householder QR with column pivoting of L^-1 A^T.
#include "mechanics/saddle.h"

#include <float.h>

#include "linalg/dense.h"

// blocked code is faster from this number of rows on
enum { BLOCKS_FROM = 32 };

// A column of B depends on the others when the part that remains of it is below this part of its
// length: derivatives by differences are accurate to about 1e-12, and multipliers of constraints
// this close would have only a few correct digits.
#define DEPENDENT 1e-11
// The squared norms of the remaining parts come from subtraction; below this part of the first
// value they are summed again.
#define DOWNDATED 1e-6

size_t saddle_doubles(int n, int m)
{
    const size_t N = (size_t)n, M = (size_t)m;
    return N * N + N * M + N + 4 * M;
}

void saddle_lay_out(saddle *S, int n, int m, double *memory, int *ints)
{
    const size_t N = (size_t)n, M = (size_t)m;
    *S = (saddle){.n = n, .m = m, .place = ints};
    S->L = memory;
    S->B = S->L + N * N;
    S->y = S->B + N * M;
    S->size = S->y + N;
    S->left = S->size + M;
    S->beta = S->left + M;
    S->s = S->beta + M;
}

static pcs_status singular_mass(const char *who, int k)
{
    return pcs_fail(PCS_ERR_SINGULAR,
                    "%s: the mass matrix is not positive definite to working precision: the pivot"
                    " of velocity %d (from 0) vanishes",
                    who, k);
}

// the smallest pivot that distinguishes M from a singular matrix
static double least_pivot(int n, double diagonal)
{
    return 16 * n * DBL_EPSILON * diagonal;
}

static int cholesky(int n, double *A)
{
    for (int k = 0; k < n; ++k) {
        double *column = A + (size_t)n * (size_t)k;
        const double diagonal = column[k];
        for (int j = 0; j < k; ++j) {
            const double *Lj = A + (size_t)n * (size_t)j;
            if (Lj[k] == 0) continue; // systems that are not coupled
            for (int i = k; i < n; ++i) {
                column[i] -= Lj[i] * Lj[k];
            }
        }
        if (!(column[k] > least_pivot(n, diagonal)) || !(diagonal > 0)) return k;
        const double root = sqrt(column[k]);
        for (int i = k; i < n; ++i) {
            column[i] /= root;
        }
    }
    return -1;
}

// the same for large n, where the diagonal is kept in `work`
static int blocked_cholesky(int n, double *A, double *work)
{
    for (int k = 0; k < n; ++k) {
        work[k] = A[(size_t)k * ((size_t)n + 1)];
    }
    if (!dense_cholesky(n, A)) return 0;
    for (int k = 0; k < n; ++k) {
        const double root = A[(size_t)k * ((size_t)n + 1)];
        if (!(root * root > least_pivot(n, work[k]))) return k;
    }
    return -1;
}

pcs_status saddle_factor_mass(saddle *S, const char *who)
{
    const int bad = S->n < BLOCKS_FROM ? cholesky(S->n, S->L) : blocked_cholesky(S->n, S->L, S->y);
    return bad < 0 ? PCS_OK : singular_mass(who, bad);
}

// x = L^-1 x
static void forward(const saddle *S, double *x)
{
    for (int k = 0; k < S->n; ++k) {
        const double *column = S->L + (size_t)S->n * (size_t)k;
        if (x[k] == 0) continue; // a constraint sees few velocities
        x[k] /= column[k];
        for (int i = k + 1; i < S->n; ++i) {
            x[i] -= column[i] * x[k];
        }
    }
}

// x = L^-T x
static void backward(const saddle *S, double *x)
{
    for (int k = S->n - 1; k >= 0; --k) {
        const double *column = S->L + (size_t)S->n * (size_t)k;
        for (int i = k + 1; i < S->n; ++i) {
            x[k] -= column[i] * x[i];
        }
        x[k] /= column[k];
    }
}

void saddle_mass_solve(const saddle *S, double *x)
{
    forward(S, x);
    backward(S, x);
}

static double length(int n, const double *x)
{
    const double square = dense_dot(n, x, x);
    if (square > 0x1p-900 && square < 0x1p900) return sqrt(square);

    // x is scaled when its squares overflow or vanish
    double most = 0, sum = 0;
    for (int i = 0; i < n; ++i) {
        most = fmax(most, fabs(x[i]));
    }
    if (!(most > 0)) return 0;
    for (int i = 0; i < n; ++i) {
        sum += (x[i] / most) * (x[i] / most);
    }
    return most * sqrt(sum);
}

// x -= beta h (h . x), h from entry k on, its first entry the 1 that is not stored
static void reflect(int n, int k, const double *h, double beta, double *x)
{
    const double along = beta * (x[k] + dense_dot(n - k - 1, h + k + 1, x + k + 1));
    if (along == 0) return;
    x[k] -= along;
    for (int i = k + 1; i < n; ++i) {
        x[i] -= along * h[i];
    }
}

// the reflector that makes x[k + 1 ..] zero: vector and R_kk in place
static double make_reflection(int n, int k, double *x)
{
    const double norm = length(n - k, x + k), root = x[k] > 0 ? -norm : norm;
    const double head = x[k] - root;
    for (int i = k + 1; i < n; ++i) {
        x[i] /= head;
    }
    x[k] = root;
    return -head / root;
}

static void exchange(saddle *S, int a, int b)
{
    exchange_columns(S->n, S->B + (size_t)S->n * (size_t)a, S->B + (size_t)S->n * (size_t)b);
    swap_numbers(&S->size[a], &S->size[b]);
    swap_numbers(&S->left[a], &S->left[b]);
    const int place = S->place[a];
    S->place[a] = S->place[b];
    S->place[b] = place;
}

// the constraint, from k on, of which the largest part remains
static int next_column(const saddle *S, int k)
{
    int best = k;
    for (int j = k + 1; j < S->m; ++j) {
        if (S->left[j] > S->left[best]) best = j;
    }
    return best;
}

// the remaining norms of the columns from k on, summed again
static void measure_left(saddle *S, int k)
{
    for (int j = k; j < S->m; ++j) {
        const double part = length(S->n - k, S->B + k + (size_t)S->n * (size_t)j) / S->size[j];
        S->left[j] = part * part;
    }
}

pcs_status saddle_factor_constraints(saddle *S, const char *who)
{
    const int n = S->n, m = S->m;
    for (int j = 0; j < m; ++j) {
        double *column = S->B + (size_t)n * (size_t)j;
        forward(S, column);
        S->size[j] = length(n, column);
        S->left[j] = S->size[j] > 0 ? 1 : 0;
        S->place[j] = j;
    }
    for (int k = 0; k < m; ++k) {
        int best = next_column(S, k);
        if (!(S->left[best] > DOWNDATED)) {
            measure_left(S, k);
            best = next_column(S, k);
        }
        if (!(S->left[best] > DEPENDENT * DEPENDENT)) {
            return pcs_fail(PCS_ERR_SINGULAR,
                            "%s: constraint %d (from 0) depends on the others, or has no gradient"
                            " here: A M^-1 A^T is singular, of rank %d for %d constraints; leave"
                            " redundant constraints out",
                            who, S->place[best], k, m);
        }
        if (best != k) exchange(S, best, k);
        double *h = S->B + (size_t)n * (size_t)k;
        S->beta[k] = make_reflection(n, k, h);
        for (int j = k + 1; j < m; ++j) {
            double *column = S->B + (size_t)n * (size_t)j;
            reflect(n, k, h, S->beta[k], column);
            const double taken = column[k] / S->size[j];
            S->left[j] -= taken * taken;
        }
    }
    return PCS_OK;
}

void saddle_nearest(saddle *S, const double *g, double *x, double *lambda)
{
    const int n = S->n, m = S->m;
    double *y = S->y, *s = S->s;

    // y = L^T x
    for (int k = 0; k < n; ++k) {
        y[k] = dense_dot(n - k, S->L + k + (size_t)n * (size_t)k, x + k);
    }
    for (int k = 0; k < m; ++k) {
        reflect(n, k, S->B + (size_t)n * (size_t)k, S->beta[k], y);
    }

    // R^T s = g permuted: the part of y that enters the constraints must become -s
    for (int k = 0; k < m; ++k) {
        const double *R = S->B + (size_t)n * (size_t)k;
        s[k] = (g[S->place[k]] - dense_dot(k, R, s)) / R[k];
    }
    for (int k = 0; k < m; ++k) {
        const double change = -s[k] - y[k];
        y[k] = -s[k];
        s[k] = change;
    }

    // R lambda = the change
    if (lambda) {
        for (int k = m - 1; k >= 0; --k) {
            const double *R = S->B + (size_t)n * (size_t)k;
            s[k] /= R[k];
            for (int i = 0; i < k; ++i) {
                s[i] -= R[i] * s[k];
            }
        }
        for (int k = 0; k < m; ++k) {
            lambda[S->place[k]] = s[k];
        }
    }
    for (int k = m - 1; k >= 0; --k) {
        reflect(n, k, S->B + (size_t)n * (size_t)k, S->beta[k], y);
    }
    for (int k = 0; k < n; ++k) {
        x[k] = y[k];
    }
    backward(S, x);
}
