// See bytes.h.
#define _POSIX_C_SOURCE 200809L // S_ISREG
#include "problem_file/bytes.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/base.h"
#include "problem_file/assemble.h"

static pcs_status fail_file(const char *path, const char *what)
{
    return pcs_fail(PCS_ERR_FILE, "%.200s: %s: %s", path, what,
                    errno != 0 ? strerror(errno) : "unknown reason");
}

// largest number of bytes: a device or a pipe may never end
#define MOST_BYTES ((size_t)1 << 30)

// reads the rest of a stream into a buffer that doubles
static pcs_status load(const pcs_env *env, FILE *stream, const char *path, bytes_check *check,
                       char **bytes, size_t *size)
{
    size_t room = 0;
    do {
        if (*size == room) {
            room = room > 0 ? 2 * room : 65536;
            char *larger = room > *size ? pcs_env_alloc(env, room, 1) : NULL;
            if (!larger) return pcs_fail_memory(path);
            if (*bytes) memcpy(larger, *bytes, *size);
            pcs_env_free(env, *bytes);
            *bytes = larger;
        }
        errno = 0;
        const size_t had = *size;
        *size += fread(*bytes + *size, 1, room - *size, stream);
        if (ferror(stream)) return fail_file(path, "cannot be read");
        if (check) PCS_TRY(check(path, *bytes, had, *size));
        if (*size >= MOST_BYTES) {
            return pcs_fail(PCS_ERR_FILE,
                            "%.200s: it has more than %zu bytes; larger files are not read", path,
                            MOST_BYTES);
        }
    } while (!feof(stream));
    return PCS_OK;
}

pcs_status bytes_load(const pcs_env *env, const char *path, bytes_check *check, char **bytes,
                      size_t *size)
{
    *bytes = NULL;
    *size = 0;
    errno = 0;
    FILE *stream = fopen(path, "rb");
    if (!stream) return fail_file(path, "cannot be opened");
    const pcs_status status = load(env, stream, path, check, bytes, size);
    fclose(stream);
    return status;
}

pcs_status bytes_open_regular(const char *path, FILE **out, size_t *size)
{
    struct stat s;
    *out = NULL;
    errno = 0;
    const bool there = stat(path, &s) == 0;
    if (there && !S_ISREG(s.st_mode)) return fail_named(path, PCS_ERR_FILE, "it is not a file");
    if (there) *out = fopen(path, "rb");
    if (!*out) return fail_named(path, PCS_ERR_FILE, "it cannot be read: %s", strerror(errno));
    *size = (size_t)s.st_size;
    return PCS_OK;
}

size_t bytes_mark(const char *bytes, size_t size)
{
    return size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}
