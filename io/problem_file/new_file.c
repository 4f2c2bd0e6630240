// A new file in the same folder: written, synchronised, renamed. After any failure the old file is
// unchanged and no other file is left.
#define _POSIX_C_SOURCE 200809L
#include "problem_file/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "problem_file/links.h"

static pcs_status fail_file(const char *path, const char *what)
{
    const int error = errno;
    const size_t length = strlen(path), shown = 200;
    const bool cut = length > shown;
    return pcs_fail(PCS_ERR_FILE, "%s%s: %s: %s", cut ? "..." : "",
                    path + (cut ? length - shown : 0), what,
                    error != 0 ? strerror(error) : "unknown reason");
}

// a new file in the folder of the target: its descriptor
static int open_beside(new_file *n)
{
    const char *slash = strrchr(n->end, '/');
    const int folder = slash ? (int)(slash + 1 - n->end) : 0;
    for (int k = 0; k < 10000; ++k) {
        const int size = snprintf(n->name, sizeof n->name, "%.*s.percuss-%ld-%d.tmp", folder,
                                  n->end, (long)getpid(), k);
        if (size < 0 || (size_t)size >= sizeof n->name) {
            errno = ENAMETOOLONG;
            return -1;
        }
        const int fd = open(n->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST) return fd;
    }
    return -1;
}

static pcs_status open_new(new_file *n, const struct stat *old)
{
    int fd = open_beside(n);
    if (fd < 0) {
        n->name[0] = '\0';
        return fail_file(n->path, "no file can be created in its folder");
    }
    const bool good = !old || fchmod(fd, old->st_mode & 07777) == 0;
    n->f = good ? fdopen(fd, "w") : NULL;
    if (n->f) return PCS_OK;
    const int error = errno;
    close(fd);
    unlink(n->name);
    errno = error;
    return fail_file(n->path, "cannot be written");
}

// the stream gets the descriptor and continues at its position
static pcs_status write_in_place(new_file *n, int fd)
{
    n->f = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (n->f) return PCS_OK;
    const int error = errno;
    if (fd >= 0) close(fd);
    errno = error;
    return fail_file(n->path, "cannot be opened for writing");
}

pcs_status new_file_begin(const char *path, new_file *n)
{
    *n = (new_file){.path = path};
    // a link is kept, and its target is created or replaced
    int stream;
    errno = 0;
    if (!links_end(path, n->end, sizeof n->end, &stream)) {
        return fail_file(path, "cannot be written");
    }
    if (stream >= 0) return write_in_place(n, fcntl(stream, F_DUPFD_CLOEXEC, 0));
    // an existing path that is no file, such as a pipe, gets the bytes directly
    struct stat old;
    if (stat(path, &old) == 0 && !S_ISREG(old.st_mode) && !S_ISDIR(old.st_mode)) {
        return write_in_place(n, open(path, O_WRONLY | O_CLOEXEC));
    }
    errno = 0;
    if (stat(n->end, &old) != 0) {
        return errno == ENOENT ? open_new(n, NULL) : fail_file(path, "cannot be written");
    }
    if (S_ISDIR(old.st_mode)) {
        errno = EISDIR;
        return fail_file(path, "cannot be written");
    }
    // a file without write permission is not replaced
    if (access(n->end, W_OK) != 0) return fail_file(path, "cannot be written");
    return open_new(n, &old);
}

// the rename is on the disk once its folder is synced; not every file system supports that
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

// A stream remembers that a write failed, but not why: writing one more byte gives the reason. The
// file is removed in any case.
static int reason(FILE *f)
{
    errno = 0;
    return write(fileno(f), "\n", 1) == 1 || errno == 0 ? EIO : errno;
}

pcs_status new_file_check(new_file *n)
{
    errno = 0;
    // a pipe cannot be synced
    const bool good =
        fflush(n->f) == 0 && !ferror(n->f) && (n->name[0] == '\0' || fsync(fileno(n->f)) == 0);
    if (good) return PCS_OK;
    const int error = errno != 0 ? errno : reason(n->f);
    errno = error;
    const pcs_status status = fail_file(n->path, "cannot be written");
    errno = error;
    return status;
}

pcs_status new_file_end(new_file *n, bool good)
{
    if (!n->f) return PCS_OK;
    const bool beside = n->name[0] != '\0', wanted = good;
    good = good && new_file_check(n) == PCS_OK;
    int error = errno;
    if (fclose(n->f) != 0 && good) {
        good = false;
        error = errno;
    }
    n->f = NULL;
    if (good && beside && rename(n->name, n->end) != 0) {
        good = false;
        error = errno;
    }
    if (good && beside) sync_folder(n->name);
    if (!good && beside) unlink(n->name);
    errno = error;
    return good || !wanted ? PCS_OK : fail_file(n->path, "cannot be written");
}

pcs_status store(const char *path, const char *bytes, size_t size)
{
    new_file n;
    PCS_TRY(new_file_begin(path, &n));
    fwrite(bytes, 1, size, n.f);
    return new_file_end(&n, true);
}
