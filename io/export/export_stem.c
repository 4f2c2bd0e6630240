// See export_stem.h.
#include "export/export_stem.h"

#include <string.h>
#include <strings.h>

#include "problem_file/links.h"

bool export_stem(const char *path, const char *ending, char *stem, size_t size, int *stream)
{
    if (!links_end(path, stem, size, stream)) return false;
    char *slash = strrchr(stem, '/'), *file = slash ? slash + 1 : stem, *dot = strrchr(file, '.');
    if (dot && dot > file && strcasecmp(dot + 1, ending) == 0) *dot = '\0';
    return true;
}
