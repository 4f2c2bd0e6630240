// Private helpers on block-sparse rows.
#ifndef LINALG_BSR_H
#define LINALG_BSR_H

#include "base/base.h"
#include <percuss/linalg.h>

static inline int bsr_rows(const pcs_bsr *A)
{
    return A->row ? A->row[A->m] : 0;
}

static inline int bsr_cols(const pcs_bsr *A)
{
    return A->col ? A->col[A->n] : 0;
}

// number of entries that A stores
static inline double bsr_stored(const pcs_bsr *A)
{
    double sum = 0;
    for (int i = 0; i < A->m; ++i) {
        for (int k = A->ptr[i]; k < A->ptr[i + 1]; ++k) {
            const int j = A->idx[k];
            sum += (double)(A->row[i + 1] - A->row[i]) * (A->col[j + 1] - A->col[j]);
        }
    }
    return sum;
}

// The largest |A_ij - A_ji| of a square A, a block that is not stored being zero; `relative`: over
// sqrt(A_ii A_jj), for a positive diagonal. *lone (or null): the same over the blocks whose mate is
// not stored
double bsr_skew(const pcs_bsr *A, bool relative, double *lone);

// y = y + a (h x w, column-major) x
static inline void block_addmul(int h, int w, const double *a, const double *x, double *y)
{
    for (int c = 0; c < w; ++c) {
        const double xc = x[c];
        for (int r = 0; r < h; ++r) {
            y[r] += a[r + (size_t)h * c] * xc;
        }
    }
}

// the dot product of one scalar row of A (row local of block row i) with x
double bsr_row_dot(const pcs_bsr *A, int i, int local, const double *x);

#endif
