// Makes a problem from the data of a reader: the cones, the global form with its factorised mass.
#ifndef PROBLEM_FILE_ASSEMBLE_H
#define PROBLEM_FILE_ASSEMBLE_H

#include <percuss/problem_file.h>

#include "problem_file/entries.h"
#include "problem_file/pool.h"

// fails with "name: ..."; of a long name only the end
pcs_status fail_named(const char *name, pcs_status status, const char *format, ...)
    PCS_PRINTF(3, 4);

// propagates the status, with the name in front of its sentence
pcs_status pass_named(const char *name, pcs_status status);

// nc contacts of `dim` rows, then one block for each of `equalities` rows; mu has nc numbers
pcs_status contact_blocks(const char *name, int dim, int nc, const double *mu, int equalities,
                          pcs_pool *keep, const pcs_block **out);

// counts the kinds of rows into the file object, and returns the kind of problem that the blocks
// make
void count_rows(int nb, const pcs_block *block, pcs_problem_file *file);
pcs_file_kind kind_of(int nb, const pcs_block *block, int global);

// A partition of n such that only zeros couple two of its blocks: the finest one.
pcs_status diagonal_blocks(const entries *M, pcs_pool *pool, partition *out);

// a global problem in the form of a file
typedef struct global_parts {
    int nb;
    const pcs_block *block;
    entries M;
    entries H;        // constraints x velocities: already transposed
    bool may_be_half; // entries of M on one side of its diagonal only are those of a symmetric one
    partition hint;   // desired blocks of M, or n = 0
    const double *f;  // velocities
    const double *w;  // constraints
} global_parts;

// Factorises M and fills in `global`, `half` and the counts of rows. M is block-diagonal where its
// blocks are dense enough, else sparse.
pcs_status global_build(const char *name, const global_parts *g, pcs_pool *scratch,
                        pcs_problem_file *file);

// Fills in a local problem from the entries of W: its blocks are the cone blocks; equality blocks
// are split into rows where that saves much memory.
pcs_status local_build(const char *name, int nb, const pcs_block *block, const entries *W,
                       const double *q, pcs_pool *scratch, pcs_problem_file *file);

#endif
