// Products with a small block V of d x w numbers by rows. Those over columns fill registers of any
// width with the same order of sums. A contact of two bodies in space has three rows and six
// columns for each of them: loops of these lengths are unrolled.
#ifndef LINALG_ROWS_H
#define LINALG_ROWS_H

// y = y + V' x
void rows_add_transposed(int d, int w, const double *V, const double *x, double *y);

// x = x + V y
void rows_add(int d, int w, const double *V, const double *y, double *x);

// to = T' V, T d x d by columns
void rows_turn(int d, int w, const double *T, const double *V, double *to);

// column at[j] .. at[j] + w - 1 of `to` = itself + V' times column j of X, d x n by rows
void rows_add_columns(int d, int w, int n, const double *restrict V, const double *restrict X,
                      const int *restrict at, double *restrict to);

#endif
