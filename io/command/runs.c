// See runs.h.
#define _DEFAULT_SOURCE // flock, open_memstream

#include "command/runs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/command.h"

// ---- in memory ---------------------------------------------------------------------------------

bool runs_add(runs *x, const char *line, const int *place, int fields)
{
    if (x->n == x->room) {
        const int room = x->room ? 2 * x->room : 256;
        run *at = take((size_t)room, sizeof *at);
        char **lines = take((size_t)room, sizeof *lines);
        if (x->n > 0) {
            memcpy(at, x->at, (size_t)x->n * sizeof *at);
            memcpy(lines, x->line, (size_t)x->n * sizeof *lines);
        }
        free(x->at);
        free(x->line);
        x->at = at;
        x->line = lines;
        x->room = room;
    }
    char *copy = join(line, "", "");
    if (!run_read(copy, place, fields, &x->at[x->n])) {
        free(copy);
        return false;
    }
    x->line[x->n++] = copy;
    return true;
}

// the row of a run as text, newly allocated
static char *row_text(const run *r, size_t *size)
{
    char *text = NULL;
    FILE *f = open_memstream(&text, size);
    if (f) run_csv(f, r);
    if (!f || fclose(f) != 0) exit(complain("out of memory while writing a row"));
    return text;
}

void runs_put(runs *x, const run *r)
{
    int place[RUN_COLUMNS];
    for (int i = 0; i < RUN_COLUMNS; ++i) {
        place[i] = i;
    }
    size_t size;
    char *text = row_text(r, &size);
    if (!runs_add(x, text, place, RUN_COLUMNS)) complain("a row could not be saved: %s", text);
    free(text);
}

int runs_forget(runs *x, const char *file, const char *digest)
{
    int kept = 0, n = x->n;
    for (int i = 0; i < n; ++i) {
        const run *r = &x->at[i];
        if (strcmp(r->file, file) == 0 && strcmp(r->digest, digest) != 0) {
            free(x->line[i]);
            continue;
        }
        x->at[kept] = x->at[i];
        x->line[kept++] = x->line[i];
    }
    x->n = kept;
    return n - kept;
}

void runs_free(runs *x)
{
    for (int i = 0; i < x->n; ++i) {
        free(x->line[i]);
    }
    free(x->line);
    free(x->at);
    *x = (runs){0};
}

// ---- files -------------------------------------------------------------------------------------

// longest line: a name of 4096 bytes takes at most four times as many
#define LONGEST_LINE (1 << 16)

// rows of an open file; *settings is its first comment (or null), *whole the bytes up to the last
// line end
static bool read_rows(FILE *f, const char *path, runs *x, char **settings, off_t *whole)
{
    char *line = take(LONGEST_LINE, 1);
    int place[RUN_COLUMNS], fields = 0, number = 0;
    bool good = true;
    *whole = 0;
    while (good && fgets(line, LONGEST_LINE, f)) {
        const size_t got = strlen(line);
        number += 1;
        if (got == 0 || line[got - 1] != '\n') {
            // a last line without an end is incomplete
            good = feof(f);
            if (!good)
                complain("%s:%d: this is not a row of a runs.csv; give another file", path, number);
            break;
        }
        *whole += (off_t)got;
        if (line[0] == '#') {
            line[strcspn(line, "\r\n")] = '\0';
            if (!*settings) *settings = join(line + 1 + strspn(line + 1, " "), "", "");
        } else if (fields == 0) {
            good = run_read_header(line, place, &fields);
            if (!good) {
                complain("%s:%d: this is not the header of a runs.csv (file, solver, tol, outcome, "
                         "seconds, ...); give another file",
                         path, number);
            }
        } else if (!runs_add(x, line, place, fields)) {
            good = false;
            complain("%s:%d: a row does not fit its header; delete that line", path, number);
        }
    }
    free(line);
    return good;
}

bool runs_read(runs *x, const char *path)
{
    FILE *f = fopen(path, "r");
    if (!f) {
        complain("%s cannot be read: %s", path, strerror(errno));
        return false;
    }
    char *settings = NULL;
    off_t whole;
    const bool good = read_rows(f, path, x, &settings, &whole);
    free(settings);
    fclose(f);
    return good;
}

static bool put(ledger *l, const char *text, size_t size)
{
    const off_t before = lseek(l->fd, 0, SEEK_END);
    size_t done = 0;
    while (done < size) {
        const ssize_t got = write(l->fd, text + done, size - done);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        done += (size_t)got;
    }
    if (done == size) return true;
    complain("%s cannot be written: %s; free disk space and run the same command again", l->path,
             strerror(errno));
    if (before >= 0) (void)!ftruncate(l->fd, before);
    return false;
}

static bool put_header(ledger *l, const char *settings)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (f) {
        fprintf(f, "# %s\n", settings);
        run_csv_header(f);
    }
    if (!f || fclose(f) != 0) exit(complain("out of memory while writing a header"));
    const bool good = put(l, text, size);
    free(text);
    return good;
}

static bool begin(ledger *l, const char *settings, bool fresh, bool keep, runs *old)
{
    if (flock(l->fd, LOCK_EX | LOCK_NB) != 0) {
        complain("%s is being written by another bench; wait for it or choose another -o", l->path);
        return false;
    }
    if (fresh) return ftruncate(l->fd, 0) == 0 && put_header(l, settings);

    FILE *f = fopen(l->path, "r");
    if (!f) return false;
    off_t whole = 0;
    const bool good = read_rows(f, l->path, old, &l->settings, &whole);
    fclose(f);
    if (!good) return false;
    if (whole == 0) return ftruncate(l->fd, 0) == 0 && put_header(l, settings);
    if (!keep && (!l->settings || strcmp(l->settings, settings) != 0)) {
        complain("%s was made with other settings or another build: '%s', now '%s'; --fresh starts "
                 "again, --keep uses it as it is",
                 l->path, l->settings ? l->settings : "none", settings);
        return false;
    }
    return ftruncate(l->fd, whole) == 0;
}

bool ledger_open(ledger *l, const char *path, const char *settings, bool fresh, bool keep,
                 runs *old)
{
    *l = (ledger){.path = join(path, "", "")};
    l->fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (l->fd < 0) {
        complain("%s cannot be written: %s; choose another -o", path, strerror(errno));
    } else if (begin(l, settings, fresh, keep, old)) {
        return true;
    }
    ledger_close(l);
    return false;
}

bool ledger_append(ledger *l, const run *r)
{
    size_t size;
    char *text = row_text(r, &size);
    const bool good = put(l, text, size);
    free(text);
    return good;
}

void ledger_close(ledger *l)
{
    if (l->fd >= 0) close(l->fd);
    free(l->path);
    free(l->settings);
    *l = (ledger){.fd = -1};
}
