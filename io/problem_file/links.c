// Reads links one after another; a relative one starts from the folder of the link.
#define _POSIX_C_SOURCE 200809L // readlink

#include "problem_file/links.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// the limit of Linux
#define MOST_LINKS 40

bool links_end(const char *path, char *end, size_t size)
{
    char words[4096];
    if (strlen(path) >= size) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(end, path, strlen(path) + 1);
    for (int k = 0; k < MOST_LINKS; ++k) {
        const ssize_t got = readlink(end, words, sizeof words - 1);
        if (got < 0) return true; // no link, or nothing there
        words[got] = '\0';
        char *slash = strrchr(end, '/');
        const size_t folder = words[0] == '/' || !slash ? 0 : (size_t)(slash + 1 - end);
        if (folder + (size_t)got >= size) {
            errno = ENAMETOOLONG;
            return false;
        }
        memcpy(end + folder, words, (size_t)got + 1);
    }
    errno = ELOOP;
    return false;
}
