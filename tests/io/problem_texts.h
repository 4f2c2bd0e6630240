// The problem files of tests/data, and the texts from which tests of good and of malformed files
// start.
#ifndef IO_PROBLEM_TEXTS_H
#define IO_PROBLEM_TEXTS_H

#include "sound.h"
#include "support.h"

#include <stdio.h>

#include <percuss/problem_file.h>

static const char *const all_files[] = {
    "lcp_dense.dat",       "lcp_blocks.dat",     "lcp_triplets.dat",   "lcp_columns.dat",
    "lcp_rows.dat",        "lcp_degenerate.dat", "lcp_infeasible.dat", "mlcp_both.dat",
    "mlcp_parts.dat",      "mlcp_blocks.dat",    "mlcp_triplets.dat",  "mlcp_singular.dat",
    "mlcp_infeasible.dat", "fc3d_dense.dat",     "fc3d_blocks.dat",    "fc3d_triplets.dat",
    "fc2d_dense.dat",      "gfc3d_dense.dat",    "gfc3d_blocks.dat",   "gfc2d_triplets.dat",
    "mixed.pcs",           "entries.pcs",        "global.pcs"};
enum { N_FILES = sizeof all_files / sizeof *all_files };

// the form of percuss
#define OWN "percuss-problem "

// half of a matrix of two rows, up to its numbers
#define HALF "2 2 2 2 4\nx\ntriplet: 2-by-2, nzmax: "

// an MLCP with a row of each kind, up to its parts
#define MLCP_11 "1 1 1 1  0 1 2  0 1  0 2 2 2 2  1 0 -1 1  -1 1 "

static const char *path_of(const char *name)
{
    static _Thread_local char path[600];
    snprintf(path, sizeof path, "%s/%s", PERCUSS_TEST_DATA, name);
    return path;
}

// the bytes of a file of percuss; the caller frees
static inline char *bytes_of(const char *name, size_t *size)
{
    FILE *f = fopen(path_of(name), "rb");
    ck_assert_msg(f != NULL, "%s is missing", path_of(name));
    char *bytes = malloc(100000);
    ck_assert_ptr_nonnull(bytes);
    *size = fread(bytes, 1, 100000, f);
    ck_assert(*size > 0 && *size < 100000);
    fclose(f);
    return bytes;
}

static inline pcs_status parse(const char *text, pcs_file_kind kind, pcs_problem_file **out)
{
    return pcs_problem_file_parse(NULL, text, strlen(text), "t", kind, out);
}

#endif
