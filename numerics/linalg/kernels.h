// The inner loops of dense linear algebra, in a fixed order of sums: the same bits for any width of
// the registers, any compiler and any number of threads. Column-major, ld is the distance of
// columns.
#ifndef LINALG_KERNELS_H
#define LINALG_KERNELS_H

#include "base/base.h"

// rows and columns of a tile, rows of a block on the diagonal of a triangle
enum { TILE_ROWS = 8, TILE_COLUMNS = 4, TRIANGLE = 16 };

// y = y + a A x, A m x n, column after column
void columns_add(int m, int n, double a, const double *A, size_t ld, const double *x, double *y);

// y_j = the product of column j of A (m x n) with x: four sums over every fourth row, then their
// sum
void columns_dot(int m, int n, const double *A, size_t ld, const double *x, double *y);

// t = A B, A TILE_ROWS x k given by columns, B k x TILE_COLUMNS given by rows; terms are added one
// after another
void multiply_tile(int k, const double *A, const double *B, double *t);

// C = C + a op(A) op(B), op(A) m x k, op(B) k x n; lower: only the entries on or below the diagonal
// of C
void multiply_add(bool ta, bool tb, bool lower, int m, int n, int k, double a, const double *A,
                  size_t lda, const double *B, size_t ldb, double *C, size_t ldc);

// a triangular matrix: the half that is stored, transposed or not, with a diagonal of ones or not
typedef struct triangle {
    bool lower, transposed, unit;
} triangle;

// B = T^-1 B, T n x n, B n x nrhs
void triangle_solve(triangle kind, int n, const double *T, size_t ld, int nrhs, double *B,
                    size_t ldb);

#endif
