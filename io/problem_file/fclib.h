// FCLIB's layout in HDF5.
#ifndef PROBLEM_FILE_FCLIB_H
#define PROBLEM_FILE_FCLIB_H

#include <percuss/problem_file.h>

#include "problem_file/pool.h"

// fills in everything but recognised and memory
pcs_status fclib_read(const char *name, const char *bytes, size_t size, pcs_pool *scratch,
                      pcs_problem_file *file);

#endif
