// Friction problems, local and global, in space and in the plane.
#ifndef PROBLEM_FILE_FRICTION_H
#define PROBLEM_FILE_FRICTION_H

#include <percuss/problem_file.h>

#include "problem_file/pool.h"
#include "problem_file/text.h"

// fills everything but kind, recognised and memory; memory that the problem borrows comes from
// `keep`
pcs_status friction_read(text *t, pcs_pool *keep, pcs_pool *scratch, pcs_problem_file *file);

// true when the first numbers of the text fit contacts in `dim` dimensions
bool friction_fits(const text *t, int dim);

// the same for global problems. If M has as many rows as the contacts, both forms fit: then true
// when the header of another matrix follows M
pcs_status global_read(text *t, pcs_pool *keep, pcs_pool *scratch, pcs_problem_file *file);
bool global_fits(const text *t, int dim);
pcs_status global_follows(const text *t, int dim, pcs_pool *scratch, bool *out);

#endif
