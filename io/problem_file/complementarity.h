// LCP and MLCP files: one function per kind, each given the text at its first byte.
#ifndef PROBLEM_FILE_COMPLEMENTARITY_H
#define PROBLEM_FILE_COMPLEMENTARITY_H

#include <percuss/problem_file.h>

#include "problem_file/pool.h"
#include "problem_file/text.h"

// fill everything but kind, recognised and memory; memory that the problem borrows comes from
// `keep`
pcs_status lcp_read(text *t, pcs_pool *keep, pcs_pool *scratch, pcs_problem_file *file);
pcs_status mlcp_read(text *t, pcs_pool *keep, pcs_pool *scratch, pcs_problem_file *file);

// true when the first numbers of the text fit the kind
bool lcp_fits(const text *t);
bool mlcp_fits(const text *t);

#endif
