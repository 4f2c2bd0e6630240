#include "linalg/rows.h"

enum { D = 3, W = 6 };

static inline void add_transposed(int d, int w, const double *restrict V, const double *restrict x,
                                  double *restrict y)
{
    for (int l = 0; l < d; ++l) {
        for (int c = 0; c < w; ++c) {
            y[c] += V[c + w * l] * x[l];
        }
    }
}

void rows_add_transposed(int d, int w, const double *V, const double *x, double *y)
{
    if (d == D && w == W) {
        add_transposed(D, W, V, x, y);
    } else {
        add_transposed(d, w, V, x, y);
    }
}

static inline void add(int d, int w, const double *restrict V, const double *restrict y,
                       double *restrict x)
{
    for (int l = 0; l < d; ++l) {
        double sum = x[l];
        for (int c = 0; c < w; ++c) {
            sum += V[c + w * l] * y[c];
        }
        x[l] = sum;
    }
}

// The sums of the rows go side by side: one after another, each waits for its own last term
static inline void add_side_by_side(const double *restrict V, const double *restrict y,
                                    double *restrict x)
{
    double sum[D];
    for (int l = 0; l < D; ++l) {
        sum[l] = x[l];
    }
    for (int c = 0; c < W; ++c) {
        for (int l = 0; l < D; ++l) {
            sum[l] += V[c + W * l] * y[c];
        }
    }
    for (int l = 0; l < D; ++l) {
        x[l] = sum[l];
    }
}

void rows_add(int d, int w, const double *V, const double *y, double *x)
{
    if (d == D && w == W) {
        add_side_by_side(V, y, x);
    } else {
        add(d, w, V, y, x);
    }
}

static inline void turn(int d, int w, const double *restrict T, const double *restrict V,
                        double *restrict to)
{
    for (int i = 0; i < d; ++i) {
        for (int c = 0; c < w; ++c) {
            to[c + w * i] = 0;
        }
        for (int l = 0; l < d; ++l) {
            for (int c = 0; c < w; ++c) {
                to[c + w * i] += T[l + d * i] * V[c + w * l];
            }
        }
    }
}

void rows_turn(int d, int w, const double *T, const double *V, double *to)
{
    if (d == D && w == W) {
        turn(D, W, T, V, to);
    } else {
        turn(d, w, T, V, to);
    }
}

// A column of the product of entries of bodies; sums of constant length stay in registers
static inline void add_column(const double *restrict V, const double *restrict x,
                              double *restrict y)
{
    double sum[W];
    for (int c = 0; c < W; ++c) {
        sum[c] = y[c];
    }
    for (int l = 0; l < D; ++l) {
        for (int c = 0; c < W; ++c) {
            sum[c] += V[c + W * l] * x[W * l];
        }
    }
    for (int c = 0; c < W; ++c) {
        y[c] = sum[c];
    }
}

void rows_add_columns(int d, int w, int n, const double *restrict V, const double *restrict X,
                      const int *restrict at, double *restrict to)
{
    if (d == D && w == W && n == W) {
        for (int j = 0; j < W; ++j) {
            add_column(V, X + j, to + at[j]);
        }
        return;
    }
    for (int j = 0; j < n; ++j) {
        for (int l = 0; l < d; ++l) {
            for (int c = 0; c < w; ++c) {
                to[at[j] + c] += V[c + w * l] * X[j + n * l];
            }
        }
    }
}
