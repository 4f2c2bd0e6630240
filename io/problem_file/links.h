// Where a path that is a symbolic link leads.
#ifndef PROBLEM_FILE_LINKS_H
#define PROBLEM_FILE_LINKS_H

#include <stdbool.h>
#include <stddef.h>

// What can be written through `path`: the end of its chain of symbolic links, whether it is there
// or not, and `path` itself where it is no link. false with errno when the links go round, or the
// name does not fit.
bool links_end(const char *path, char *end, size_t size);

#endif
