// Local friction problems, in space and in the plane.
#ifndef PROBLEM_FILE_FRICTION_H
#define PROBLEM_FILE_FRICTION_H

#include <percuss/problem_file.h>

#include "problem_file/pool.h"
#include "problem_file/text.h"

// fills everything but kind, recognised and memory; what the problem borrows comes from `keep`
pcs_status friction_read(text *t, pcs_pool *keep, pcs_pool *scratch, pcs_problem_file *file);

// whether the first numbers of the text fit contacts in `dim` dimensions
bool friction_fits(const text *t, int dim);

#endif
