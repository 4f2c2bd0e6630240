// Products and triangular solves by blocks, in the widest registers of the machine. A product is
// summed DEPTH terms at a time; blocks do not depend on the machine.
#include "linalg/kernels.h"

#include <string.h>

#include "linalg/kernels_wide.h"

#ifdef PERCUSS_AVX2
#define WIDEST(name) (__builtin_cpu_supports("avx2") ? name##_avx2 : name##_plain)
#else
#define WIDEST(name) name##_plain
#endif

void columns_add(int m, int n, double a, const double *A, size_t ld, const double *x, double *y)
{
    WIDEST(columns_add)(m, n, a, A, ld, x, y);
}

void columns_dot(int m, int n, const double *A, size_t ld, const double *x, double *y)
{
    WIDEST(columns_dot)(m, n, A, ld, x, y);
}

void multiply_tile(int k, const double *A, const double *B, double *t)
{
    WIDEST(multiply_tile)(k, A, B, t);
}

// ---- products ----------------------------------------------------------------------------------

// a block of A and a strip of B, copied together in 68 KB of the stack
enum { DEPTH = 128, HEIGHT = 8 * TILE_ROWS };

// a matrix or its transpose
typedef struct view {
    const double *at;
    size_t down, right;
} view;

// op(A) from its entry (i, j)
static view view_of(bool transposed, const double *A, size_t ld, int i, int j)
{
    return transposed ? (view){A + ld * (size_t)i + j, ld, 1}
                      : (view){A + i + ld * (size_t)j, 1, ld};
}

// `width` vectors of length k side by side
static inline void pack_all(int width, int k, const double *from, size_t across, size_t along,
                            double *to)
{
    for (int l = 0; l < k; ++l, from += along, to += width) {
        for (int c = 0; c < width; ++c) {
            to[c] = from[across * (size_t)c];
        }
    }
}

// the same at the edge of a matrix: `count` vectors exist and the others are zero
static void pack_some(int count, int width, int k, const double *from, size_t across, size_t along,
                      double *to)
{
    memset(to, 0, (size_t)width * (size_t)k * sizeof *to);
    for (int l = 0; l < k; ++l, from += along, to += width) {
        for (int c = 0; c < count; ++c) {
            to[c] = from[across * (size_t)c];
        }
    }
}

// the first rows of a view
static inline void pack(int count, int width, int k, view p, double *to)
{
    if (count < width) {
        pack_some(count, width, k, p.at, p.down, p.right, to);
    } else if (p.down == 1) {
        pack_all(width, k, p.at, 1, p.right, to);
    } else {
        pack_all(width, k, p.at, p.down, 1, to);
    }
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

// C = C + a t for the part of the tile inside C, without the rows `above` its diagonal
static void add_tile(int m, int n, int above, double a, const double *t, double *C, size_t ldc)
{
    for (int j = 0; j < n; ++j, C += ldc, t += TILE_ROWS) {
        for (int i = above + j > 0 ? above + j : 0; i < m; ++i) {
            C[i] += a * t[i];
        }
    }
}

void multiply_add(bool ta, bool tb, bool lower, int m, int n, int k, double a, const double *A,
                  size_t lda, const double *B, size_t ldb, double *C, size_t ldc)
{
    double left[HEIGHT * DEPTH], right[TILE_COLUMNS * DEPTH], t[TILE_ROWS * TILE_COLUMNS];
    for (int k0 = 0; k0 < k; k0 += DEPTH) {
        const int kb = least(DEPTH, k - k0);
        for (int i0 = 0; i0 < m; i0 += HEIGHT) {
            const int i1 = least(i0 + HEIGHT, m), last = lower ? least(n, i1) : n;
            for (int i = i0; i < i1; i += TILE_ROWS) {
                pack(least(TILE_ROWS, i1 - i), TILE_ROWS, kb, view_of(ta, A, lda, i, k0),
                     left + (i - i0) * DEPTH);
            }
            for (int j = 0; j < last; j += TILE_COLUMNS) {
                const int w = least(TILE_COLUMNS, n - j);
                pack(w, TILE_COLUMNS, kb, view_of(!tb, B, ldb, j, k0), right);
                for (int i = i0; i < i1; i += TILE_ROWS) {
                    if (lower && i + TILE_ROWS <= j) continue;
                    multiply_tile(kb, left + (i - i0) * DEPTH, right, t);
                    add_tile(least(TILE_ROWS, i1 - i), w, lower ? j - i : -TILE_ROWS, a, t,
                             C + (size_t)i + ldc * (size_t)j, ldc);
                }
            }
        }
    }
}

// ---- triangles ---------------------------------------------------------------------------------

enum { FEW = 4 };

// x = T^-1 x for a block on the diagonal
static void solve_block(triangle kind, int n, const double *T, size_t ld, double *x)
{
    const bool forward = kind.lower != kind.transposed;
    for (int s = 0; s < n; ++s) {
        const int i = forward ? s : n - 1 - s;
        const int from = kind.lower ? i + 1 : 0, to = kind.lower ? n : i;
        const double *column = T + ld * (size_t)i;
        if (kind.transposed) {
            double sum = x[i];
            for (int j = from; j < to; ++j) {
                sum -= column[j] * x[j];
            }
            x[i] = kind.unit ? sum : sum / column[i];
        } else {
            if (!kind.unit) x[i] /= column[i];
            for (int j = from; j < to; ++j) {
                x[j] -= column[j] * x[i];
            }
        }
    }
}

// the same for TILE_COLUMNS right sides
static void solve_tile(triangle kind, int n, const double *T, size_t ld, double *B, size_t ldb)
{
#ifdef PERCUSS_VECTORS
    WIDEST(solve_tile)(kind, n, T, ld, B, ldb);
#else
    for (int c = 0; c < TILE_COLUMNS; ++c) {
        solve_block(kind, n, T, ld, B + ldb * (size_t)c);
    }
#endif
}

// the update of the `rest` rows beside the block of columns k .. k + w - 1
static void update(triangle kind, int w, int rest, const double *T, size_t ld, int nrhs,
                   double *beside, double *block, size_t ldb)
{
    double *to = kind.transposed ? block : beside;
    const double *from = kind.transposed ? beside : block;
    if (nrhs >= FEW) {
        multiply_add(kind.transposed, false, false, kind.transposed ? w : rest, nrhs,
                     kind.transposed ? rest : w, -1, T, ld, from, ldb, to, ldb);
        return;
    }
    for (int c = 0; c < nrhs; ++c, to += ldb, from += ldb) {
        if (!kind.transposed) {
            columns_add(rest, w, -1, T, ld, from, to);
            continue;
        }
        double sums[TRIANGLE];
        columns_dot(rest, w, T, ld, from, sums);
        for (int i = 0; i < w; ++i) {
            to[i] -= sums[i];
        }
    }
}

void triangle_solve(triangle kind, int n, const double *T, size_t ld, int nrhs, double *B,
                    size_t ldb)
{
    const bool forward = kind.lower != kind.transposed;
    const int blocks = (n + TRIANGLE - 1) / TRIANGLE;
    for (int s = 0; s < blocks; ++s) {
        const int k = TRIANGLE * (forward ? s : blocks - 1 - s), w = least(TRIANGLE, n - k);
        const int beside = kind.lower ? k + w : 0, rest = kind.lower ? n - k - w : k;
        const double *column = T + ld * (size_t)k;
        if (kind.transposed) {
            update(kind, w, rest, column + beside, ld, nrhs, B + beside, B + k, ldb);
        }
        int c = 0;
        for (; c + TILE_COLUMNS <= nrhs; c += TILE_COLUMNS) {
            solve_tile(kind, w, column + k, ld, B + k + ldb * (size_t)c, ldb);
        }
        for (; c < nrhs; ++c) {
            solve_block(kind, w, column + k, ld, B + k + ldb * (size_t)c);
        }
        if (!kind.transposed) {
            update(kind, w, rest, column + beside, ld, nrhs, B + beside, B + k, ldb);
        }
    }
}
