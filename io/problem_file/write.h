// The writers, one for each format: each writes a valid problem to a sink, or fails with a sentence
// about what the format cannot contain.
#ifndef PROBLEM_FILE_WRITE_H
#define PROBLEM_FILE_WRITE_H

#include <percuss/bodies.h>
#include <percuss/problem_file.h>

#include "problem_file/entries.h"
#include "problem_file/sink.h"

// the content to write, after the checks
typedef struct written {
    const char *name; // name for sentences
    const pcs_file_content *content;
    pcs_file_kind kind;
    int rows, velocities;
    int nb;
    const pcs_block *block;
    pcs_csc M;          // M of a global problem: both triangles
    entries M_entries;  // the same
    partition M_blocks; // diagonal blocks of M: the block columns of H if they fit
} written;

// Makes the matrices as blocks, none of them without rows or columns; M only if it has such
// diagonal blocks (else *worth is false), H in the form of the library, or transposed.
pcs_status written_W(const written *w, pcs_pool *scratch, pcs_bsr *out);
pcs_status written_M(const written *w, pcs_pool *scratch, pcs_bsr *out, bool *worth);
pcs_status written_H(const written *w, bool transposed, pcs_pool *scratch, pcs_bsr *out);

pcs_status dat_write(const written *w, pcs_pool *scratch, sink *s);
pcs_status native_write(const written *w, pcs_pool *scratch, sink *s);
pcs_status fclib_write(const written *w, pcs_pool *scratch, sink *s);

#endif
