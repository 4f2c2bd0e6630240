// The text form of percuss.
#ifndef PROBLEM_FILE_NATIVE_H
#define PROBLEM_FILE_NATIVE_H

#include <percuss/problem_file.h>

#include "problem_file/pool.h"
#include "problem_file/text.h"
#include "problem_file/write.h"

// true when the text begins with the first line of the form
bool native_fits(const text *t);

// fills in everything but recognised and memory
pcs_status native_read(text *t, pcs_pool *scratch, pcs_problem_file *file);

// the kind `bodies` (bodies_text.c): the problem, and the options that follow the start
pcs_status bodies_text_read(text *t, pcs_problem_file *file);
pcs_status bodies_text_read_options(text *t, pcs_problem_file *file);
pcs_status bodies_text_write(const written *w, pcs_pool *scratch, sink *s);
void bodies_text_put_options(sink *s, const pcs_file_content *c);

// parts that kinds share: a word that must follow; a cone whose first row is `row`; a vector of n
// numbers behind its name
pcs_status native_key(text *t, const char *key);
pcs_status native_cone(text *t, int row, pcs_block *block);
pcs_status native_vector(text *t, const char *name, int n, pcs_pool *keep, const double **out);
void native_put_cone(sink *s, const pcs_block *b);
void native_put_vector(sink *s, const char *name, size_t n, const double *x);

#endif
