// See output.h.
#define _POSIX_C_SOURCE 200809L // mkstemp, fsync, fchmod

#include "command/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/command.h"
#include "problem_file/links.h"

static bool refuse(const char *path, int error)
{
    complain("%s cannot be written: %s; choose another place", path, strerror(error));
    return false;
}

static bool in_place(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && !S_ISREG(s.st_mode);
}

static int open_temporary(output *o)
{
    struct stat s;
    if (stat(o->end, &s) == 0 && S_ISREG(s.st_mode) && access(o->end, W_OK) != 0) {
        refuse(o->path, errno);
        return -1;
    }
    o->temporary = join(o->end, "", ".part-XXXXXX");
    const int fd = mkstemp(o->temporary);
    if (fd < 0) {
        refuse(o->path, errno);
        free(o->temporary);
        o->temporary = NULL;
        return -1;
    }
    // mkstemp makes a private file; the output gets the usual permissions
    const mode_t mask = umask(0);
    umask(mask);
    (void)!fchmod(fd, 0666 & ~mask);
    return fd;
}

bool output_open(output *o, const char *path)
{
    *o = (output){.path = path};
    if (in_place(path)) {
        o->f = fopen(path, "w");
        return o->f || refuse(path, errno);
    }
    char end[4096];
    if (!links_end(path, end, sizeof end)) return refuse(path, errno);
    o->end = join(end, "", "");
    const int fd = open_temporary(o);
    if (fd < 0) {
        output_abandon(o);
        return false;
    }
    o->f = fdopen(fd, "w");
    if (o->f) return true;
    close(fd);
    output_abandon(o);
    return refuse(path, errno);
}

void output_abandon(output *o)
{
    if (o->f) fclose(o->f);
    if (o->temporary) {
        unlink(o->temporary);
        free(o->temporary);
    }
    free(o->end);
    *o = (output){0};
}

bool output_commit(output *o)
{
    // a write that failed has said why
    if (!ferror(o->f)) errno = 0;
    bool good = fflush(o->f) == 0 && !ferror(o->f);
    // a pipe cannot be synced, and need not be
    if (good && o->temporary) good = fsync(fileno(o->f)) == 0;
    int error = good ? 0 : errno ? errno : EIO;
    if (fclose(o->f) != 0 && !error) error = errno;
    o->f = NULL;
    if (!error && o->temporary && rename(o->temporary, o->end) != 0) error = errno;
    if (!error) {
        free(o->temporary);
        free(o->end);
        *o = (output){0};
        return true;
    }
    const char *path = o->path;
    output_abandon(o);
    return refuse(path, error);
}
