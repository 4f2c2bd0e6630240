// One table of columns for writing and reading.
#include "command/bench_run.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "command/command.h"
#include "problem_file/csv_table.h"

typedef enum column_type { TEXT, REAL, INT } column_type;

typedef struct column {
    const char *name;
    column_type type;
    size_t offset;
} column;

#define COLUMN(name, type, member)        \
    {                                     \
        name, type, offsetof(run, member) \
    }

static const column columns[RUN_COLUMNS] = {
    COLUMN("file", TEXT, file),
    COLUMN("kind", TEXT, kind),
    COLUMN("rows", INT, rows),
    COLUMN("blocks", INT, blocks),
    COLUMN("contacts", INT, contacts),
    COLUMN("solver", TEXT, solver),
    COLUMN("tol", REAL, tol),
    COLUMN("measure", TEXT, measure),
    COLUMN("outcome", TEXT, outcome),
    COLUMN("by", TEXT, by),
    COLUMN("iterations", INT, iterations),
    COLUMN("seconds", REAL, seconds),
    COLUMN("residual", REAL, residual),
    COLUMN("natural_map", REAL, natural_map),
    COLUMN("relative_natural_map", REAL, relative),
    COLUMN("norm_q", REAL, norm_q),
    COLUMN("norm_r", REAL, norm_r),
    COLUMN("norm_u", REAL, norm_u),
    COLUMN("open", INT, open),
    COLUMN("closed", INT, closed),
    COLUMN("stick", INT, stick),
    COLUMN("slide", INT, slide),
    COLUMN("undecided", INT, undecided),
    COLUMN("message", TEXT, message),
    COLUMN("digest", TEXT, digest),
};

run run_none(void)
{
    run x = {.file = "",
             .kind = "",
             .solver = "",
             .measure = "",
             .outcome = "",
             .by = "",
             .message = "",
             .digest = ""};
    x.tol = x.seconds = x.residual = x.natural_map = x.relative = NAN;
    x.norm_q = x.norm_r = x.norm_u = NAN;
    return x;
}

bool run_solved(const run *x)
{
    return strcmp(x->outcome, "converged") == 0;
}

const char *run_problem(const run *x)
{
    const char *slash = strrchr(x->file, '/');
    return slash && slash[1] ? slash + 1 : x->file;
}

static const void *at(const run *x, const column *c)
{
    return (const char *)x + c->offset;
}

static const char *text_of(const run *x, const column *c)
{
    const char *text = *(const char *const *)at(x, c);
    return text ? text : "";
}

void run_csv_header(FILE *out)
{
    for (int i = 0; i < RUN_COLUMNS; ++i) {
        csv_text(out, i == 0, columns[i].name);
    }
    csv_end(out);
}

void run_csv(FILE *out, const run *x)
{
    for (int i = 0; i < RUN_COLUMNS; ++i) {
        const column *c = &columns[i];
        if (c->type == TEXT) csv_text(out, i == 0, text_of(x, c));
        if (c->type == REAL) csv_real(out, i == 0, *(const double *)at(x, c));
        if (c->type == INT) csv_int(out, i == 0, *(const int *)at(x, c));
    }
    csv_end(out);
}

void run_json(json *j, const run *x)
{
    for (int i = 0; i < RUN_COLUMNS; ++i) {
        const column *c = &columns[i];
        if (c->type == TEXT) json_text(j, c->name, text_of(x, c));
        if (c->type == REAL) json_real(j, c->name, *(const double *)at(x, c));
        if (c->type == INT) json_int(j, c->name, *(const int *)at(x, c));
    }
}

// ---- reading -----------------------------------------------------------------------------------

#define MOST_FIELDS 64

bool run_read_header(char *line, int *place, int *fields)
{
    char *field[MOST_FIELDS];
    const int n = csv_split(line, MOST_FIELDS, field);
    for (int i = 0; i < RUN_COLUMNS; ++i) {
        place[i] = -1;
        for (int k = 0; k < n; ++k) {
            if (strcmp(field[k], columns[i].name) == 0) place[i] = k;
        }
        // columns that every row needs
        const size_t o = columns[i].offset;
        const bool needed = o == offsetof(run, file) || o == offsetof(run, solver) ||
                            o == offsetof(run, tol) || o == offsetof(run, outcome) ||
                            o == offsetof(run, seconds);
        if (needed && place[i] < 0) return false;
    }
    *fields = n;
    return n > 0;
}

bool run_read(char *line, const int *place, int fields, run *out)
{
    char *field[MOST_FIELDS];
    const int n = csv_split(line, MOST_FIELDS, field);
    if (n != fields) return false;
    *out = run_none();
    for (int i = 0; i < RUN_COLUMNS; ++i) {
        if (place[i] < 0) continue;
        const char *text = field[place[i]];
        char *to = (char *)out + columns[i].offset;
        if (columns[i].type == TEXT) {
            memcpy(to, &text, sizeof text);
        } else if (columns[i].type == INT) {
            int value = 0;
            if (*text && !read_int(text, &value)) return false;
            memcpy(to, &value, sizeof value);
        } else {
            double value = NAN;
            if (*text && !read_real(text, &value)) return false;
            memcpy(to, &value, sizeof value);
        }
    }
    return out->file[0] != '\0' && out->solver[0] != '\0' && out->tol > 0;
}
