// A growing text, and how it comes to the disk: written to a new file in the same folder,
// synchronised, renamed. Whatever fails, the old file is as it was and nothing else is left.
#define _POSIX_C_SOURCE 200809L
#include "problem_file/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "problem_file/links.h"

sink sink_begin(const pcs_env *env)
{
    sink s = {.env = env};
    decimal_point(s.point);
    return s;
}

void sink_end(sink *s)
{
    pcs_env_free(s->env, s->bytes);
    s->bytes = NULL;
}

void sink_bytes(sink *s, const char *bytes, size_t size)
{
    if (s->failed || size == 0) return;
    if (size > s->room - s->size) {
        size_t room = s->room > 0 ? 2 * s->room : 4096;
        while (room - s->size < size && room < SIZE_MAX / 2) {
            room *= 2;
        }
        char *larger = pcs_env_alloc(s->env, room, 1);
        if (!larger) {
            s->failed = true;
            return;
        }
        if (s->bytes) memcpy(larger, s->bytes, s->size);
        pcs_env_free(s->env, s->bytes);
        s->bytes = larger;
        s->room = room;
    }
    memcpy(s->bytes + s->size, bytes, size);
    s->size += size;
}

void sink_text(sink *s, const char *words)
{
    sink_bytes(s, words, strlen(words));
}

void sink_int(sink *s, long long x)
{
    char digits[32];
    sink_bytes(s, digits, (size_t)snprintf(digits, sizeof digits, "%lld ", x));
}

void sink_digits(sink *s, double x)
{
    // 15 digits where they suffice: most numbers were once written by hand
    char digits[64];
    int n = snprintf(digits, sizeof digits, "%.15g", x);
    if (strtod(digits, NULL) != x) n = snprintf(digits, sizeof digits, "%.17g", x);

    const char *point = strstr(digits, s->point);
    if (strcmp(s->point, ".") != 0 && point) {
        const size_t width = strlen(s->point), head = (size_t)(point - digits);
        sink_bytes(s, digits, head);
        sink_text(s, ".");
        sink_bytes(s, point + width, (size_t)n - head - width);
    } else {
        sink_bytes(s, digits, (size_t)n);
    }
}

void sink_real(sink *s, double x)
{
    sink_digits(s, x);
    sink_text(s, " ");
}

void sink_ints(sink *s, size_t n, const int *x)
{
    for (size_t i = 0; i < n; ++i) {
        sink_int(s, x[i]);
    }
    sink_line(s);
}

void sink_reals(sink *s, size_t n, const double *x)
{
    for (size_t i = 0; i < n; ++i) {
        sink_real(s, x[i]);
    }
    sink_line(s);
}

void sink_line(sink *s)
{
    if (s->failed) return;
    if (s->size > 0 && s->bytes[s->size - 1] == ' ') s->size -= 1;
    sink_text(s, "\n");
}

// ---- the disk ----------------------------------------------------------------------------------

static pcs_status fail_file(const char *path, const char *what)
{
    const int error = errno;
    const size_t length = strlen(path), shown = 200;
    const bool cut = length > shown;
    return pcs_fail(PCS_ERR_FILE, "%s%s: %s: %s", cut ? "..." : "",
                    path + (cut ? length - shown : 0), what,
                    error != 0 ? strerror(error) : "unknown reason");
}

static bool write_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        const size_t part = size < 1u << 30 ? size : 1u << 30;
        const ssize_t n = write(fd, bytes, part);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        bytes += n;
        size -= (size_t)n;
    }
    return true;
}

// only a regular file can be replaced
static pcs_status store_directly(const char *path, const char *bytes, size_t size)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return fail_file(path, "cannot be opened for writing");
    const bool written = write_all(fd, bytes, size);
    const int error = errno;
    const bool closed = close(fd) == 0;
    if (!written) errno = error;
    return written && closed ? PCS_OK : fail_file(path, "cannot be written");
}

// a new file in the folder of `path`: its name, at most `size` long, and its descriptor
static int open_beside(const char *path, char *name, size_t size)
{
    const char *slash = strrchr(path, '/');
    const int folder = slash ? (int)(slash + 1 - path) : 0;
    for (int k = 0; k < 10000; ++k) {
        const int n =
            snprintf(name, size, "%.*s.percuss-%ld-%d.tmp", folder, path, (long)getpid(), k);
        if (n < 0 || (size_t)n >= size) {
            errno = ENAMETOOLONG;
            return -1;
        }
        const int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST) return fd;
    }
    return -1;
}

// a rename is on the disk when its folder is; not every file system can be asked
static void sync_folder(char *name)
{
    char *slash = strrchr(name, '/');
    const char *folder = slash ? name : ".";
    if (slash) slash[slash == name ? 1 : 0] = '\0';
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    (void)fsync(fd);
    close(fd);
}

static pcs_status replace(const char *path, const struct stat *old, const char *bytes, size_t size)
{
    char name[4200];
    const int fd = open_beside(path, name, sizeof name);
    if (fd < 0) return fail_file(path, "no file can be created in its folder");

    bool good = write_all(fd, bytes, size) && (!old || fchmod(fd, old->st_mode & 07777) == 0) &&
                fsync(fd) == 0;
    int error = errno;
    if (close(fd) != 0 && good) {
        good = false;
        error = errno;
    }
    if (good && rename(name, path) != 0) {
        good = false;
        error = errno;
    }
    if (good) {
        sync_folder(name);
        return PCS_OK;
    }
    unlink(name);
    errno = error;
    return fail_file(path, "cannot be written");
}

pcs_status store(const char *path, const char *bytes, size_t size)
{
    // what is there and no file, a pipe behind /dev/stdout say, takes the bytes as they are
    char end[4096];
    struct stat old;
    if (stat(path, &old) == 0 && !S_ISREG(old.st_mode) && !S_ISDIR(old.st_mode)) {
        return store_directly(path, bytes, size);
    }
    // a link stays, and its target is created or replaced
    errno = 0;
    if (!links_end(path, end, sizeof end)) return fail_file(path, "cannot be written");
    if (stat(end, &old) != 0) {
        if (errno != ENOENT) return fail_file(path, "cannot be written");
        return replace(end, NULL, bytes, size);
    }
    if (S_ISDIR(old.st_mode)) {
        errno = EISDIR;
        return fail_file(path, "cannot be written");
    }
    // a file that may not be written is not replaced either
    if (access(end, W_OK) != 0) return fail_file(path, "cannot be written");
    return replace(end, &old, bytes, size);
}
