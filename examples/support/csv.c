// CSV files of the examples, complete or absent.
#include "csv.h"

#include "problem_file/links.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// a new file beside the target: target.part0, or the next number that is free
static FILE *open_part(csv *c)
{
    enum { LONGEST = 4096 };
    int stream;
    c->target = malloc(LONGEST);
    c->part = malloc(LONGEST + 16);
    if (!c->target || !c->part || !links_end(c->path, c->target, LONGEST, &stream)) return NULL;
    for (int k = 0; k < 100; ++k) {
        snprintf(c->part, LONGEST + 16, "%s.part%d", c->target, k);
        FILE *file = fopen(c->part, "wbx");
        if (file || errno != EEXIST) return file;
    }
    return NULL;
}

static void release(csv *c)
{
    free(c->target);
    free(c->part);
    *c = (csv){0};
}

bool csv_open(csv *c, const char *path, const char *header)
{
    *c = (csv){.path = path};
    if (!path) return true;

    if (strcmp(path, "-") == 0) {
        c->file = stdout;
    } else if (strncmp(path, "/dev/", 5) == 0) {
        c->file = fopen(path, "wb");
    } else {
        c->file = open_part(c);
    }
    if (!c->file) {
        fprintf(stderr, "%s: cannot be written: %s\n", path, strerror(errno));
        release(c);
        return false;
    }

    c->columns = 1;
    for (const char *s = header; *s != '\0'; ++s) {
        if (*s == ',') c->columns += 1;
    }
    if (fprintf(c->file, "%s\n", header) < 0) c->failed = strerror(errno);
    return true;
}

static bool begin_cell(csv *c)
{
    if (!c->file) return false;
    if (c->at++ > 0 && fputc(',', c->file) == EOF && !c->failed) c->failed = strerror(errno);
    return true;
}

void csv_real(csv *c, double x)
{
    if (!begin_cell(c)) return;
    if (!isfinite(x)) return;
    if (fprintf(c->file, "%.17g", x) < 0 && !c->failed) c->failed = strerror(errno);
}

void csv_reals(csv *c, const double *x, int n)
{
    for (int i = 0; i < n; ++i) {
        csv_real(c, x[i]);
    }
}

void csv_text(csv *c, const char *text)
{
    if (!begin_cell(c)) return;

    // quoted when it must be, quotes doubled
    const bool quote = strpbrk(text, ",\"\r\n") != NULL;
    if (quote) fputc('"', c->file);
    for (; *text != '\0'; ++text) {
        if (*text == '"') fputc('"', c->file);
        fputc(*text, c->file);
    }
    if (quote) fputc('"', c->file);
    if (ferror(c->file) && !c->failed) c->failed = strerror(errno);
}

void csv_end(csv *c)
{
    if (!c->file) return;
    if (c->at != c->columns && !c->failed) {
        c->failed = "a row and the header have different numbers of cells";
    }
    c->at = 0;
    if (fputc('\n', c->file) == EOF && !c->failed) c->failed = strerror(errno);
}

void csv_row(csv *c, const double *x, int n)
{
    csv_reals(c, x, n);
    csv_end(c);
}

// closes the stream; stdout is only flushed
static bool finish(csv *c)
{
    const bool flushed = fflush(c->file) == 0 && !ferror(c->file);
    const bool closed = c->file == stdout || fclose(c->file) == 0;
    return flushed && closed;
}

bool csv_close(csv *c)
{
    if (!c->file) return true;
    if (c->at != 0 && !c->failed) c->failed = "its last row is not complete";
    if (!finish(c) && !c->failed) c->failed = strerror(errno);
    c->file = NULL;

    if (!c->failed && c->part && rename(c->part, c->target) != 0) c->failed = strerror(errno);
    if (c->failed) {
        if (c->part) remove(c->part);
        fprintf(stderr, "%s: not written: %s\n", c->path, c->failed);
    }
    const bool good = !c->failed;
    release(c);
    return good;
}

void csv_drop(csv *c)
{
    if (c->file) finish(c);
    if (c->part) remove(c->part);
    release(c);
}
