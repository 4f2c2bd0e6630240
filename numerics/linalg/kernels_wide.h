// The inner loops for one kind of registers: those of kernels.h, and B = T^-1 B for a block on the
// diagonal of a triangle and TILE_COLUMNS columns.
#ifndef LINALG_KERNELS_WIDE_H
#define LINALG_KERNELS_WIDE_H

#include "linalg/kernels.h"

#define KERNELS_DECLARE(suffix)                                                                    \
    void columns_add_##suffix(int m, int n, double a, const double *A, size_t ld, const double *x, \
                              double *y);                                                          \
    void columns_dot_##suffix(int m, int n, const double *A, size_t ld, const double *x,           \
                              double *y);                                                          \
    void multiply_tile_##suffix(int k, const double *A, const double *B, double *t);               \
    void solve_tile_##suffix(triangle kind, int n, const double *T, size_t ld, double *B,          \
                             size_t ldb)

KERNELS_DECLARE(plain);
KERNELS_DECLARE(avx2);

#endif
