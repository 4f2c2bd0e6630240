// HDF5 for the problem files, which are images in memory, so that HDF5 reads only bytes that the
// caller gives; and for the trajectories, which grow on the disk (trajectory/h5_tables.h has the
// rest). HDF5's own printing of errors is switched off from h5_open or h5_create to h5_close, which
// restores it. HDF5's memory comes from malloc.
#ifndef PROBLEM_FILE_HDF5_H
#define PROBLEM_FILE_HDF5_H

#include <percuss/base.h>

#include <stdbool.h>
#include <stdint.h>

#include "problem_file/pool.h"
#include "problem_file/sink.h"

typedef struct h5_file {
    const char *name; // for sentences
    size_t size;      // size of the image: limit of the size of data sets
    int64_t id;
    void *printer, *printer_data; // the error functions of HDF5 outside
} h5_file;

// true when the bytes begin like an HDF5 file
bool h5_fits(const char *bytes, size_t size);

pcs_status h5_open(const char *name, const char *bytes, size_t size, h5_file *out);
pcs_status h5_create(const char *name, h5_file *out);
void h5_close(h5_file *f);

// as h5_create, in the format of HDF5 1.10, which one process may write while others read
pcs_status h5_create_growing(const char *name, h5_file *out);

// Files on the disk; `name` is for sentences. The first function is for a file that others read
// while it is written (only the tables in it grow), the second one reads it, also while it is being
// written.
pcs_status h5_open_growing(const char *path, const char *name, h5_file *out);
pcs_status h5_open_file(const char *path, h5_file *out);

// the image of a file that was created
pcs_status h5_image(h5_file *f, sink *s);

// ---- reading: paths are absolute and of groups and data sets of the file itself

bool h5_has(const h5_file *f, const char *path);

// The limit of the expansion of a compressed set, relative to the size of the file: smaller when it
// is read as a whole, since a small file must not ask for much memory; when it is read by rows, the
// limit of deflate.
typedef enum h5_compressed { H5_WHOLE = 16, H5_BY_ROWS = 1032 } h5_compressed;

// the bytes that a set may take: those of the file, more if it is compressed; 0 when it is stored
// in another file
size_t h5_most_bytes(const h5_file *f, int64_t set, size_t type_size, h5_compressed compressed);

// reads a single integer
pcs_status h5_int(const h5_file *f, const char *path, int *out);

// read arrays of one dimension; *n entries are expected, or any number if it is negative
pcs_status h5_ints(const h5_file *f, const char *path, int *n, pcs_pool *pool, int **out);
pcs_status h5_reals(const h5_file *f, const char *path, int *n, pcs_pool *pool, double **out);

// reads a string; null if there is no string of fixed length
pcs_status h5_words(const h5_file *f, const char *path, pcs_pool *pool, const char **out);

// ---- writing

pcs_status h5_put_group(h5_file *f, const char *path);
pcs_status h5_put_ints(h5_file *f, const char *path, size_t n, const int *x);
pcs_status h5_put_reals(h5_file *f, const char *path, size_t n, const double *x);
pcs_status h5_put_words(h5_file *f, const char *path, const char *words);

// write attributes of a group: n integers (one is a scalar), a text
pcs_status h5_tag_ints(h5_file *f, const char *path, const char *name, size_t n, const int *x);
pcs_status h5_tag_words(h5_file *f, const char *path, const char *name, const char *words);

#endif
