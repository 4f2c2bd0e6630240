// Matrices as lists of entries, and their conversion to block-sparse rows.
#ifndef PROBLEM_FILE_ENTRIES_H
#define PROBLEM_FILE_ENTRIES_H

#include <percuss/linalg.h>

#include <stdbool.h>

#include "problem_file/pool.h"

// entry k is x[k] at row i[k], column j[k]; entries at one place are added
typedef struct entries {
    int rows, cols;
    int n;
    int *i, *j;
    double *x;
} entries;

// takes memory for n entries
pcs_status entries_take(int rows, int cols, int n, pcs_pool *pool, entries *out);

// the same matrix with rows and columns exchanged; borrows the arrays
entries entries_transposed(const entries *A);

// true if there are entries on one side of the diagonal, zeros apart, and none on the other
bool entries_one_sided(const entries *A);

// true if all entries, zeros apart, are on the diagonal
bool entries_diagonal(const entries *A);

// A and its mirror image, with the diagonal once
pcs_status entries_mirror(const entries *A, pcs_pool *scratch, entries *out);

// block b covers start[b] .. start[b + 1] - 1
typedef struct partition {
    int n;
    int *start;
} partition;

// n blocks of one
pcs_status partition_single(int n, pcs_pool *pool, partition *out);

// true if every block of `fine` lies within one of `coarse`
bool partition_refines(const partition *fine, const partition *coarse);

// Entries sorted by block row, then block column.
typedef struct block_order {
    partition row, col;
    int *row_part, *col_part; // the block of each row and column
    int *order;               // entries, those of a block together
    int blocks;               // blocks with an entry
    size_t values;            // numbers in all blocks
} block_order;

pcs_status entries_order(const entries *A, partition row, partition col, pcs_pool *scratch,
                         block_order *out);

// The blocks, from `keep`; the partitions are borrowed. PCS_ERR_FORMAT, with `where` in front of
// the sentence, when entries at one place add up to more than a double can be.
pcs_status entries_to_bsr(const entries *A, const block_order *o, const char *where, pcs_pool *keep,
                          pcs_bsr *out);

// the entries of a matrix; those that are zero only if `zeros`
pcs_status bsr_to_entries(const pcs_bsr *A, bool zeros, pcs_pool *scratch, entries *out);

#endif
