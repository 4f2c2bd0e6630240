// Tables in an HDF5 file that grow by rows while it is written, and are read by rows. A row is an
// array of one type, or a record of named columns.
#ifndef TRAJECTORY_H5_TABLES_H
#define TRAJECTORY_H5_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "problem_file/hdf5.h"

typedef enum column_type {
    COLUMN_I32,
    COLUMN_U32,
    COLUMN_I64,
    COLUMN_U64,
    COLUMN_F32,
    COLUMN_F64
} column_type;

// one column of a record: n numbers from byte `at` of the row
typedef struct column {
    const char *name;
    column_type type;
    int n;
    size_t at;
    const char *units; // "" if there is none
} column;

// A row of n numbers of one type, or of n_columns columns. The bytes of a row in memory are those
// of the file on a little-endian machine, without gaps.
typedef struct table_def {
    const char *path, *units, *about;
    column_type type;
    const column *column;
    int n_columns; // 0: an array
    bool by_rows;  // it is read by rows, never as a whole
} table_def;

typedef struct table {
    const table_def *def;
    int64_t set, type; // ids of HDF5
    int width;         // numbers in the row of an array; 0 for a record
    size_t row_bytes;
    long rows;
} table;

// ---- writing

// number of bytes of a file that HDF5 uses
int64_t table_file_size(const h5_file *f);

// An empty table; `width` numbers in a row of an array (1: the set has one dimension). table_open
// opens it, and rows are appended.
pcs_status table_create(h5_file *f, const table_def *def, int width, int chunk_rows, bool compress);
pcs_status table_append(const h5_file *f, table *t, long n, const void *rows);
// passes all rows to the operating system, the length of the table last
pcs_status table_flush(const h5_file *f, table *t);

// Writes a set once: rank 1 (columns = 1) or 2.
pcs_status table_put(h5_file *f, const char *path, const char *units, column_type type, size_t rows,
                     size_t columns, const void *x);

// Replaces the one number of a set of table_put, also while tables grow.
pcs_status table_replace(const h5_file *f, const char *path, column_type type, const void *x);

// ---- reading

// number of entries in a row of a set of rank 2; 0 when there is none
int table_width(const h5_file *f, const char *path);

// Refuses a set of another type or width, and one that claims more rows than the file can hold.
pcs_status table_open(const h5_file *f, const table_def *def, int width, table *out);
pcs_status table_read(const h5_file *f, const table *t, long first, long n, void *rows);

void table_close(table *t);

#endif
