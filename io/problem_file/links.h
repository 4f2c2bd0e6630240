// The target of a path that is a symbolic link, and whether two paths lead to one place.
#ifndef PROBLEM_FILE_LINKS_H
#define PROBLEM_FILE_LINKS_H

#include <stdbool.h>
#include <stddef.h>

// The path that writing to `path` reaches: the end of its chain of symbolic links, which need not
// exist, or `path` itself if it is no link. false with errno when the links form a cycle, or the
// name does not fit. The chain ends also at an open stream: *stream is the descriptor N of
// /dev/fd/N (to which /dev/stdout is a link), else -1.
bool links_end(const char *path, char *end, size_t size, int *stream);

// True when two paths name one file or folder, however they are spelled: also by links, and when it
// does not exist yet. Devices and pipes may be shared: of these false.
bool same_place(const char *a, const char *b);

// True when the path leads to a file in this folder whose name begins like this; neither the file
// nor the folder need exist.
bool is_in_folder(const char *path, const char *folder, const char *begins);

#endif
