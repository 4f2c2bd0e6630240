// The matrix section of the text formats (doc/files.md), and its conversion to block-sparse rows.
#ifndef PROBLEM_FILE_MATRIX_SECTION_H
#define PROBLEM_FILE_MATRIX_SECTION_H

#include <percuss/linalg.h>
#include <percuss/problem_file.h>

#include "problem_file/entries.h"
#include "problem_file/pool.h"
#include "problem_file/text.h"

// a matrix in the form of the file
typedef struct file_matrix {
    pcs_file_storage storage;
    int rows, cols;
    double *dense; // PCS_FILE_STORAGE_DENSE: column-major
    pcs_bsr bsr;   // PCS_FILE_STORAGE_BLOCKS
    int entries; // PCS_FILE_STORAGE_SPARSE: entry k is (i[k], j[k]), x[k]; entries at one place are
                 // added
    bool half;   // the file has one half of a symmetric matrix; the entries are both halves
    int *i, *j;
    double *x;
} file_matrix;

// Reads a matrix section. Values that the result may keep come from `keep`, the rest from
// `scratch`. Memory is limited by the length of the text.
pcs_status matrix_read(text *t, const char *name, pcs_pool *keep, pcs_pool *scratch,
                       file_matrix *out);

// Block-sparse rows of a square matrix: its own blocks when it has some; one block when it is
// dense; for a sparse one the partition `start` (n + 1), or single entries if that would take
// much more memory than the entries. Fails (with t's place) when a block-sparse matrix has
// different row and column blocks.
pcs_status matrix_to_bsr(const file_matrix *A, const text *t, int n, const int *start,
                         pcs_pool *keep, pcs_pool *scratch, pcs_bsr *out);

// The entries of a matrix; zeros of stored blocks only if `zeros`. Those of a sparse matrix are all
// borrowed.
pcs_status matrix_to_entries(const file_matrix *A, bool zeros, pcs_pool *scratch, entries *out);

// the largest relative difference of two forms of one number: the digits of the storage
double matrix_digits(pcs_file_storage storage);

#endif
