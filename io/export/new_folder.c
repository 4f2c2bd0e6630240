// See new_folder.h.
#define _DEFAULT_SOURCE // flock, dirent
#include "export/new_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "problem_file/assemble.h"

static pcs_status fail(const new_folder *f, const char *what)
{
    return fail_named(f->path, PCS_ERR_FILE, "%s: %s", what, strerror(errno));
}

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static bool has_ending(const char *name, const char *ending)
{
    const size_t n = strlen(name), m = strlen(ending);
    return n > m && strcmp(name + n - m, ending) == 0;
}

int place_lock(const char *path)
{
    char folder[4400];
    const char *slash = strrchr(path, '/');
    const int n = slash == path ? 1 : slash ? (int)(slash - path) : 0;
    snprintf(folder, sizeof folder, "%.*s", n, path);
    const int fd = open(n > 0 ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (fd >= 0 && flock(fd, LOCK_EX) != 0 && errno == EINTR) {
    }
    return fd;
}

void place_unlock(int lock)
{
    if (lock >= 0) close(lock);
}

// true when the existing folder may be replaced
static pcs_status check_old(const new_folder *f)
{
    struct stat s;
    if (lstat(f->path, &s) != 0) return errno == ENOENT ? PCS_OK : fail(f, "it cannot be written");
    if (!S_ISDIR(s.st_mode)) {
        return fail_named(f->path, PCS_ERR_FILE,
                          "it exists and is not a folder; frames are written to a folder of this "
                          "name; choose another output");
    }
    DIR *folder = opendir(f->path);
    // another export may just replace it
    if (!folder && errno == ENOENT) return PCS_OK;
    if (!folder) return fail(f, "it cannot be read");
    pcs_status status = PCS_OK;
    for (const struct dirent *e; status == PCS_OK && (e = readdir(folder));) {
        if (is_dots(e->d_name) || has_ending(e->d_name, f->ending)) continue;
        status = fail_named(f->path, PCS_ERR_FILE,
                            "it is a folder with files of another kind than '%s', and would be "
                            "replaced; choose another output",
                            f->ending);
    }
    closedir(folder);
    return status;
}

// removes the files of a folder, and the folder if it is then empty
static void remove_folder(const char *path, const char *ending)
{
    DIR *folder = opendir(path);
    if (!folder) return;
    for (const struct dirent *e; (e = readdir(folder));) {
        if (has_ending(e->d_name, ending)) unlinkat(dirfd(folder), e->d_name, 0);
    }
    closedir(folder);
    rmdir(path);
}

// Makes a folder of a new name beside its place, or moves `from` there; a process of the same
// number may have left some of these names. false with errno
static bool put_beside(const new_folder *f, const char *from, const char *what, char *name,
                       size_t size)
{
    for (int k = 0; k < 10000; ++k) {
        const int n = snprintf(name, size, "%s.percuss-%ld-%d%s", f->path, (long)getpid(), k, what);
        if (n < 0 || (size_t)n >= size) {
            errno = ENAMETOOLONG;
            return false;
        }
        if ((from ? rename(from, name) : mkdir(name, 0777)) == 0) return true;
        if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR) return false;
    }
    return false;
}

pcs_status new_folder_begin(const char *path, const char *ending, new_folder *f)
{
    *f = (new_folder){.path = path, .ending = ending};
    PCS_TRY(check_old(f));
    if (put_beside(f, NULL, ".tmp", f->name, sizeof f->name)) return PCS_OK;
    f->name[0] = '\0';
    return fail(f, "it cannot be created");
}

pcs_status new_folder_end(new_folder *f, bool good)
{
    char old[4200];
    if (f->name[0] == '\0') return PCS_OK;
    pcs_status status = PCS_OK;
    if (good) {
        const bool moved = put_beside(f, f->path, ".old", old, sizeof old);
        if (!moved && errno != ENOENT) {
            status = fail(f, "it cannot be replaced");
        } else if (rename(f->name, f->path) != 0) {
            status = fail(f, "it cannot be created");
            if (moved) (void)rename(old, f->path);
        } else if (moved) {
            remove_folder(old, f->ending);
        }
    }
    if (!good || status != PCS_OK) remove_folder(f->name, f->ending);
    f->name[0] = '\0';
    return status;
}
