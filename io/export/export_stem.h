// The common beginning of the names of all files of an export.
#ifndef EXPORT_EXPORT_STEM_H
#define EXPORT_EXPORT_STEM_H

#include <stdbool.h>
#include <stddef.h>

// The output without the ending of its format (without its dot); of a symbolic link, its target. No
// other ending is cut: run.1 and run.2 are two names. false with errno as links_end, and *stream as
// there.
bool export_stem(const char *path, const char *ending, char *stem, size_t size, int *stream);

#endif
