// Sparse matrices of dense blocks with a symmetric pattern, as of bodies that springs connect, and
// their factors A = L U: without pivoting between blocks, with pivoting within those of the
// diagonal. Memory comes from an arena. The sums have a fixed order.
#ifndef LINALG_BLOCK_SPARSE_H
#define LINALG_BLOCK_SPARSE_H

#include "base/base.h"
#include "linalg/mass.h"

// Block column b of A has the blocks of rows index[first[b]] .. index[first[b + 1] - 1], ascending,
// b among them, each column-major. Of the factors column k, in the order of elimination, has the
// places row[ptr[k]] .. below k.
typedef struct block_sparse {
    int n;                    // blocks
    const int *start;         // n + 1: their velocities in a vector
    const int *first, *index; // pattern of A
    size_t *at;               // per entry of A: its block in val
    double *val;              // A
    const int *order;         // blocks in the order of elimination
    int *place;               // back
    int *ptr, *row;           // pattern of the factors
    size_t *off;              // per entry: L, then U, in lu
    double *lu;
    size_t values;   // numbers in lu
    block_lu pivots; // the diagonal blocks, factors of U
    double *x;       // a vector for products
    double *inverse; // the blocks of A^-1 in the layout of lu and of pivots; null: not known
} block_sparse;

// An order of the blocks with little fill; CHOLMOD finds it with memory from malloc
PCS_API pcs_status block_sparse_order(int n, const int *first, const int *index, pcs_arena scratch,
                                      int *order);

// borrows start, first, index and order
PCS_API pcs_status block_sparse_take(int n, const int *start, const int *first, const int *index,
                                     const int *order, pcs_arena *mem, block_sparse *out);

// block (i, j) of A, which is in the pattern; its columns follow one another
PCS_API double *block_sparse_entry(const block_sparse *A, int i, int j);

// false where a pivot is singular
PCS_API bool block_sparse_factor(block_sparse *A);

// x = A^-1 x with these factors
PCS_API void block_sparse_solve(const block_sparse *A, double *x);

// The blocks of A^-1 where the factors have entries (Takahashi, Fagan and Chen), from the arena;
// diagonal block b
PCS_API pcs_status block_sparse_invert(block_sparse *A, pcs_arena *mem);
PCS_API const double *block_sparse_inverse(const block_sparse *A, int b);

#endif
