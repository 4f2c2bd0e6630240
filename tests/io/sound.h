// Checks of a problem that a reader returns, and an environment that counts bytes, to detect a
// reader that trusts a header.
#ifndef IO_SOUND_H
#define IO_SOUND_H

#include <percuss/problem_file.h>

// null if the problem is as <percuss/problem.h> says, else the error
const char *unsound(const pcs_problem_file *file);

typedef struct byte_count {
    size_t taken; // over all allocations, released or not
    size_t limit; // allocations beyond it fail
} byte_count;
pcs_env counting_env(byte_count *count);

// the limit of memory for reading `size` bytes
size_t fair_memory(size_t size);

// Reads the text and checks the result by `unsound` and `fair_memory`. Null if there is no error.
// *read counts the problems read.
const char *read_as(pcs_file_kind kind, const char *text, size_t size, int *read);
const char *read_as_every_kind(const char *text, size_t size, int *read);

#endif
