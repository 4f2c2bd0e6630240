/// @file
/// The matrix of a problem: block-sparse rows, of which a dense matrix is one block.
///
/// Matrices are column-major everywhere: entry (i, j) of an m x n matrix A is
/// A[i + m * j].
#ifndef PERCUSS_BSR_H
#define PERCUSS_BSR_H

#include <percuss/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Block-sparse rows with blocks of any size. Block row i covers scalar rows
/// row[i] .. row[i + 1] - 1, block column j scalar columns col[j] .. col[j + 1] - 1;
/// stored block k of block row i (ptr[i] <= k < ptr[i + 1]) lies in block column idx[k]
/// and its values, column-major, start at val[off[k]]. A dense matrix is one block
/// (pcs_bsr_from_dense). The struct borrows all its arrays.
typedef struct pcs_bsr {
    int m;       ///< block rows
    int n;       ///< block columns
    int *row;    ///< m + 1, increasing, row[0] = 0; row[m] scalar rows in all
    int *col;    ///< n + 1, increasing, col[0] = 0; col[n] scalar columns in all
    int *ptr;    ///< m + 1, ptr[0] = 0
    int *idx;    ///< ptr[m] block columns, strictly increasing within a block row
    size_t *off; ///< ptr[m] starts of blocks in val
    double *val; ///< the blocks
} pcs_bsr;

/// Checks sizes, order and finiteness; the sentence says which entry is wrong.
PCS_NODISCARD PCS_API pcs_status pcs_bsr_check(const pcs_bsr *A);

/// A dense m x n matrix as one block; borrows `val`, takes the index arrays from the arena.
/// m, n >= 0.
PCS_NODISCARD PCS_API pcs_status pcs_bsr_from_dense(int m, int n, double *val, pcs_arena *arena,
                                                    pcs_bsr *out);

#ifdef __cplusplus
}
#endif

#endif
