// Reads links one after another; a relative one starts from the folder of the link.
#define _POSIX_C_SOURCE 200809L // readlink, stat

#include "problem_file/links.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// the limit of Linux
#define MOST_LINKS 40

// The descriptor that a name of a stream has, or -1. Such a name is a link to the path of its file,
// too, but opening that path loses the position in the stream and its append mode.
static int stream_of(const char *name)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; ++i) {
        const size_t length = strlen(folders[i]);
        if (strncmp(name, folders[i], length) != 0) continue;
        const char *digits = name + length;
        const size_t n = strspn(digits, "0123456789");
        if (n > 0 && n < 10 && digits[n] == '\0') return atoi(digits);
    }
    return -1;
}

bool links_end(const char *path, char *end, size_t size, int *stream)
{
    char words[4096];
    *stream = -1;
    if (strlen(path) >= size) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(end, path, strlen(path) + 1);
    for (int k = 0; k < MOST_LINKS; ++k) {
        *stream = stream_of(end);
        if (*stream >= 0) return true;
        const ssize_t got = readlink(end, words, sizeof words - 1);
        if (got < 0) return true; // no link, or the path does not exist
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

// cuts a path, which need not exist, into its folder and its name in it
static const char *cut(char *path, const char **folder)
{
    for (size_t n = strlen(path); n > 1 && path[n - 1] == '/'; --n) {
        path[n - 1] = '\0';
    }
    char *slash = strrchr(path, '/');
    *folder = !slash ? "." : slash == path ? "/" : path;
    if (slash) *slash = '\0';
    return slash ? slash + 1 : path;
}

bool same_place(const char *a, const char *b)
{
    struct stat s, t;
    const bool is_a = stat(a, &s) == 0, is_b = stat(b, &t) == 0;
    if (is_a != is_b) return false;
    if (is_a) {
        return s.st_dev == t.st_dev && s.st_ino == t.st_ino &&
               (S_ISREG(s.st_mode) || S_ISDIR(s.st_mode));
    }
    // neither exists: one name in one folder
    char end_a[4096], end_b[4096];
    const char *in_a, *in_b;
    int stream;
    if (!links_end(a, end_a, sizeof end_a, &stream) ||
        !links_end(b, end_b, sizeof end_b, &stream)) {
        return false;
    }
    if (strcmp(end_a, end_b) == 0) return true;
    const char *name_a = cut(end_a, &in_a), *name_b = cut(end_b, &in_b);
    return strcmp(name_a, name_b) == 0 && stat(in_a, &s) == 0 && stat(in_b, &t) == 0 &&
           s.st_dev == t.st_dev && s.st_ino == t.st_ino;
}

bool is_in_folder(const char *path, const char *folder, const char *begins)
{
    char end[4096];
    const char *in;
    int stream;
    if (!links_end(path, end, sizeof end, &stream)) return false;
    const char *name = cut(end, &in);
    return strncmp(name, begins, strlen(begins)) == 0 && same_place(in, folder);
}
