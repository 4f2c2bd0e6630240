// The inner loops of kernels.h without vectors: the sums of kernels_lanes.h in the same order, and
// so the same bits.
#include <string.h>

#include "base/lanes.h"
#include "linalg/kernels_wide.h"

void columns_add_plain(int m, int n, double a, const double *A, size_t ld, const double *x,
                       double *y)
{
    for (int j = 0; j < n; ++j, A += ld) {
        for (int i = 0; i < m; ++i) {
            y[i] += A[i] * (a * x[j]);
        }
    }
}

void columns_dot_plain(int m, int n, const double *A, size_t ld, const double *x, double *y)
{
    for (int j = 0; j < n; ++j, A += ld) {
        lanes v = {0};
        int i = 0;
        for (; i < m - m % LANES; ++i) {
            v[i % LANES] += A[i] * x[i];
        }
        y[j] = (v[0] + v[1]) + (v[2] + v[3]);
        for (; i < m; ++i) {
            y[j] += A[i] * x[i];
        }
    }
}

void multiply_tile_plain(int k, const double *A, const double *B, double *t)
{
    memset(t, 0, TILE_ROWS * TILE_COLUMNS * sizeof *t);
    for (int l = 0; l < k; ++l, A += TILE_ROWS, B += TILE_COLUMNS) {
        for (int i = 0; i < TILE_ROWS * TILE_COLUMNS; ++i) {
            t[i] += A[i % TILE_ROWS] * B[i / TILE_ROWS];
        }
    }
}
