// The text form of percuss.
#ifndef PROBLEM_FILE_NATIVE_H
#define PROBLEM_FILE_NATIVE_H

#include <percuss/problem_file.h>

#include "problem_file/pool.h"
#include "problem_file/text.h"

// true when the text begins with the first line of the form
bool native_fits(const text *t);

// fills in everything but recognised and memory
pcs_status native_read(text *t, pcs_pool *scratch, pcs_problem_file *file);

#endif
