// LU without pivoting within the envelope of a sparse matrix.
//
// E. Cuthill, J. McKee, Reducing the bandwidth of sparse symmetric matrices, 1969; reversed after
// A. George, 1971. The order of a matrix also serves its principal submatrices: leaving rows out
// never widens the envelope of the others.
#include "linalg/skyline.h"

#include <float.h>
#include <string.h>

// a pivot below this times the size, relative to the largest, is rounding
#define PIVOT_TOL (64 * DBL_EPSILON)

// ---- order -----------------------------------------------------------------------------------

static int degree(const pcs_bsr *W, int i)
{
    return W->ptr[i + 1] - W->ptr[i];
}

// breadth first from root over block rows not yet marked with `mark`; neighbours by degree.
// Returns the end of the list that starts at `from`
static int spread(const pcs_bsr *W, int root, int mark, int *marked, int *list, int from)
{
    int end = from;
    list[end++] = root;
    marked[root] = mark;
    for (int at = from; at < end; ++at) {
        const int i = list[at], first = end;
        for (int k = W->ptr[i]; k < W->ptr[i + 1]; ++k) {
            const int j = W->idx[k];
            if (marked[j] == mark || marked[j] < 0) continue;
            marked[j] = mark;
            int to = end++;
            while (to > first && degree(W, list[to - 1]) > degree(W, j)) {
                list[to] = list[to - 1];
                --to;
            }
            list[to] = j;
        }
    }
    return end;
}

void skyline_order(const pcs_bsr *W, int *order, int *work)
{
    const int m = W->m;
    int *marked = work, *list = work + m;
    memset(marked, 0, (size_t)m * sizeof *marked);

    // each connected part from a block row at its rim: the end of a search begun anywhere in it
    int done = 0, mark = 0;
    for (int i = 0; i < m; ++i) {
        if (marked[i] < 0) continue;
        int root = i;
        for (int pass = 0; pass < 2; ++pass) {
            const int end = spread(W, root, ++mark, marked, list, done);
            root = list[end - 1];
        }
        const int end = spread(W, root, ++mark, marked, list, done);
        for (int k = done; k < end; ++k) {
            marked[list[k]] = -1;
        }
        done = end;
    }

    int place = 0;
    for (int k = m - 1; k >= 0; --k) {
        for (int i = W->row[list[k]]; i < W->row[list[k] + 1]; ++i) {
            order[i] = place++;
        }
    }
}

// ---- factors ---------------------------------------------------------------------------------

size_t skyline_profile(const pcs_bsr *W, const int *place, int n, int *first, size_t *start)
{
    for (int k = 0; k < n; ++k) {
        first[k] = k;
    }
    for (int i = 0; i < W->m; ++i) {
        for (int k = W->ptr[i]; k < W->ptr[i + 1]; ++k) {
            const int j = W->idx[k];
            for (int c = W->col[j]; c < W->col[j + 1]; ++c) {
                const int b = place[c];
                for (int l = W->row[i]; b >= 0 && l < W->row[i + 1]; ++l) {
                    const int a = place[l];
                    if (a < 0) continue;
                    if (a < b && a < first[b]) first[b] = a;
                    if (b < a && b < first[a]) first[a] = b;
                }
            }
        }
    }
    start[0] = 0;
    for (int k = 0; k < n; ++k) {
        start[k + 1] = start[k] + (size_t)(k - first[k]);
    }
    return start[n];
}

static void fill(skyline *f, const pcs_bsr *W, const int *place, const double *s, double shift)
{
    memset(f->L, 0, f->start[f->n] * sizeof *f->L);
    memset(f->U, 0, f->start[f->n] * sizeof *f->U);
    for (int k = 0; k < f->n; ++k) {
        f->D[k] = shift;
    }
    for (int i = 0; i < W->m; ++i) {
        const int h = W->row[i + 1] - W->row[i];
        for (int k = W->ptr[i]; k < W->ptr[i + 1]; ++k) {
            const int j = W->idx[k];
            const double *w = W->val + W->off[k];
            for (int c = W->col[j]; c < W->col[j + 1]; ++c, w += h) {
                const int b = place[c];
                for (int l = 0; b >= 0 && l < h; ++l) {
                    const int row = W->row[i] + l, a = place[row];
                    if (a < 0) continue;
                    const double x = w[l] / sqrt(s[row] * s[c]);
                    if (a == b) {
                        f->D[a] += x;
                    } else if (a < b) {
                        f->U[f->start[b] + (size_t)(a - f->first[b])] = x;
                    } else {
                        f->L[f->start[a] + (size_t)(b - f->first[a])] = x;
                    }
                }
            }
        }
    }
}

// four sums side by side: the order is fixed, and the adder is kept busy
static double dot(int n, const double *x, const double *y)
{
    double a = 0, b = 0, c = 0, d = 0;
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        a += x[i] * y[i];
        b += x[i + 1] * y[i + 1];
        c += x[i + 2] * y[i + 2];
        d += x[i + 3] * y[i + 3];
    }
    for (; i < n; ++i) {
        a += x[i] * y[i];
    }
    return (a + b) + (c + d);
}

bool skyline_factor(skyline *f, const pcs_bsr *W, const int *place, const double *s, double shift)
{
    fill(f, W, place, s, shift);
    double most = 0;
    for (int k = 0; k < f->n; ++k) {
        const int fk = f->first[k];
        double *Lk = f->L + f->start[k], *Uk = f->U + f->start[k];
        for (int j = fk; j < k; ++j) {
            const int fj = f->first[j], low = fj > fk ? fj : fk;
            const double *Lj = f->L + f->start[j] + (low - fj),
                         *Uj = f->U + f->start[j] + (low - fj);
            Uk[j - fk] -= dot(j - low, Lj, Uk + (low - fk));
            Lk[j - fk] = (Lk[j - fk] - dot(j - low, Uj, Lk + (low - fk))) / f->D[j];
        }
        f->D[k] -= dot(k - fk, Lk, Uk);
        if (fabs(f->D[k]) > most) most = fabs(f->D[k]);
        if (!(fabs(f->D[k]) > PIVOT_TOL * f->n * most)) return false;
    }
    return true;
}

void skyline_solve(const skyline *f, double *x)
{
    for (int k = 0; k < f->n; ++k) {
        x[k] -= dot(k - f->first[k], f->L + f->start[k], x + f->first[k]);
    }
    for (int k = f->n - 1; k >= 0; --k) {
        x[k] /= f->D[k];
        const double *Uk = f->U + f->start[k];
        for (int i = f->first[k]; i < k; ++i) {
            x[i] -= Uk[i - f->first[k]] * x[k];
        }
    }
}
