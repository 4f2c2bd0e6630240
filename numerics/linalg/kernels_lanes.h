// Implements the functions of kernels_wide.h for the registers of the including file; the names get
// a suffix. Each lane holds one row or one right side.
#include <string.h>

#include "base/lanes.h"
#include "linalg/kernels_wide.h"

static inline lanes load(const double *x)
{
    lanes v;
    memcpy(&v, x, sizeof v);
    return v;
}

static inline void store(lanes v, double *x)
{
    memcpy(x, &v, sizeof v);
}

static void add_four(int m, const double *A, size_t ld, const double *x, double *restrict y)
{
    const double *a0 = A, *a1 = a0 + ld, *a2 = a1 + ld, *a3 = a2 + ld;
    int i = 0;
    for (; i + LANES <= m; i += LANES) {
        lanes v = load(y + i);
        v = v + load(a0 + i) * x[0];
        v = v + load(a1 + i) * x[1];
        v = v + load(a2 + i) * x[2];
        v = v + load(a3 + i) * x[3];
        store(v, y + i);
    }
    for (; i < m; ++i) {
        y[i] = (((y[i] + a0[i] * x[0]) + a1[i] * x[1]) + a2[i] * x[2]) + a3[i] * x[3];
    }
}

static void add_one(int m, const double *A, double x, double *restrict y)
{
    int i = 0;
    for (; i + LANES <= m; i += LANES) {
        store(load(y + i) + load(A + i) * x, y + i);
    }
    for (; i < m; ++i) {
        y[i] = y[i] + A[i] * x;
    }
}

void WIDE(columns_add)(int m, int n, double a, const double *A, size_t ld, const double *x,
                       double *y)
{
    int j = 0;
    for (; j + 4 <= n; j += 4) {
        const double four[] = {a * x[j], a * x[j + 1], a * x[j + 2], a * x[j + 3]};
        add_four(m, A + ld * (size_t)j, ld, four, y);
    }
    for (; j < n; ++j) {
        add_one(m, A + ld * (size_t)j, a * x[j], y);
    }
}

static double dot_end(lanes v, int i, int m, const double *a, const double *x)
{
    double sum = (v[0] + v[1]) + (v[2] + v[3]);
    for (; i < m; ++i) {
        sum += a[i] * x[i];
    }
    return sum;
}

static void dot_four(int m, const double *A, size_t ld, const double *x, double *y)
{
    const double *a0 = A, *a1 = a0 + ld, *a2 = a1 + ld, *a3 = a2 + ld;
    lanes v0 = {0}, v1 = {0}, v2 = {0}, v3 = {0};
    int i = 0;
    for (; i + LANES <= m; i += LANES) {
        const lanes t = load(x + i);
        v0 = v0 + load(a0 + i) * t;
        v1 = v1 + load(a1 + i) * t;
        v2 = v2 + load(a2 + i) * t;
        v3 = v3 + load(a3 + i) * t;
    }
    y[0] = dot_end(v0, i, m, a0, x);
    y[1] = dot_end(v1, i, m, a1, x);
    y[2] = dot_end(v2, i, m, a2, x);
    y[3] = dot_end(v3, i, m, a3, x);
}

void WIDE(columns_dot)(int m, int n, const double *A, size_t ld, const double *x, double *y)
{
    int j = 0;
    for (; j + 4 <= n; j += 4) {
        dot_four(m, A + ld * (size_t)j, ld, x, y + j);
    }
    for (; j < n; ++j) {
        const double *a = A + ld * (size_t)j;
        lanes v = {0};
        int i = 0;
        for (; i + LANES <= m; i += LANES) {
            v = v + load(a + i) * load(x + i);
        }
        y[j] = dot_end(v, i, m, a, x);
    }
}

void WIDE(multiply_tile)(int k, const double *A, const double *B, double *t)
{
    lanes t0 = {0}, t1 = {0}, t2 = {0}, t3 = {0}, s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
    for (int l = 0; l < k; ++l, A += TILE_ROWS, B += TILE_COLUMNS) {
        const lanes a = load(A), b = load(A + LANES);
        t0 = t0 + a * B[0];
        s0 = s0 + b * B[0];
        t1 = t1 + a * B[1];
        s1 = s1 + b * B[1];
        t2 = t2 + a * B[2];
        s2 = s2 + b * B[2];
        t3 = t3 + a * B[3];
        s3 = s3 + b * B[3];
    }
    store(t0, t);
    store(s0, t + LANES);
    store(t1, t + 2 * LANES);
    store(s1, t + 3 * LANES);
    store(t2, t + 4 * LANES);
    store(s2, t + 5 * LANES);
    store(t3, t + 6 * LANES);
    store(s3, t + 7 * LANES);
}

// each lane computes as solve_block of kernels.c
void WIDE(solve_tile)(triangle kind, int n, const double *T, size_t ld, double *B, size_t ldb)
{
    const bool forward = kind.lower != kind.transposed;
    lanes x[TRIANGLE];
    for (int i = 0; i < n; ++i) {
        x[i] = (lanes){B[i], B[(size_t)i + ldb], B[(size_t)i + 2 * ldb], B[(size_t)i + 3 * ldb]};
    }
    for (int s = 0; s < n; ++s) {
        const int i = forward ? s : n - 1 - s;
        const int from = kind.lower ? i + 1 : 0, to = kind.lower ? n : i;
        const double *column = T + ld * (size_t)i;
        lanes sum = x[i];
        if (!kind.transposed && !kind.unit) sum = sum / column[i];
        for (int j = from; j < to; ++j) {
            if (kind.transposed) {
                sum = sum - x[j] * column[j];
            } else {
                x[j] = x[j] - sum * column[j];
            }
        }
        if (kind.transposed && !kind.unit) sum = sum / column[i];
        x[i] = sum;
    }
    for (int i = 0; i < n; ++i) {
        for (int c = 0; c < LANES; ++c) {
            B[(size_t)i + ldb * (size_t)c] = x[i][c];
        }
    }
}
