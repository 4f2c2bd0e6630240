// Tables of numbers from files.
#include "flags/auv_flags.h"

#include "args.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 1000, MOST_ROWS = 100000 };

// the cells of one line; false when they are not `columns` finite numbers
static bool cells(const char *line, int columns, double *row)
{
    for (int c = 0; c < columns; ++c) {
        char *end;
        row[c] = strtod(line, &end);
        if (end == line || !isfinite(row[c])) return false;
        while (isspace((unsigned char)*end)) {
            ++end;
        }
        if (*end != (c + 1 < columns ? ',' : '\0')) return false;
        line = end + 1;
    }
    return true;
}

// an empty line, a remark, or names of columns in place of the first row ("nan" is no name)
static bool passed_over(const char *line, bool first)
{
    while (isspace((unsigned char)*line)) {
        ++line;
    }
    if (*line == '\0' || *line == '#') return true;
    char *end;
    (void)strtod(line, &end);
    return first && isalpha((unsigned char)*line) && end == line;
}

static void read_lines(FILE *file, const char *path, int columns, const char *what, double *rows,
                       int *n)
{
    char line[LONGEST];
    bool first = true;
    *n = 0;
    for (int number = 1; fgets(line, sizeof line, file); ++number) {
        if (passed_over(line, first)) {
            if (isalpha((unsigned char)line[0])) first = false;
            continue;
        }
        first = false;
        if (*n == MOST_ROWS) {
            args_refuse("%s has more than %d rows", path, MOST_ROWS);
        }
        if (strlen(line) + 1 == sizeof line || !cells(line, columns, rows + *n * columns)) {
            args_refuse("%s, line %d: a row is %d finite numbers with commas: %s", path, number,
                        columns, what);
        }
        *n += 1;
    }
    if (ferror(file) || *n == 0) {
        args_refuse("%s: %s", path, ferror(file) ? strerror(errno) : "has no rows");
    }
}

void read_table(const char *path, int columns, const char *what, double **rows, int *n)
{
    FILE *file = fopen(path, "r");
    if (!file) args_refuse("%s: cannot be read: %s", path, strerror(errno));
    *rows = malloc((size_t)MOST_ROWS * (size_t)columns * sizeof **rows);
    if (!*rows) args_refuse("%s: out of memory", path);
    read_lines(file, path, columns, what, *rows, n);
    fclose(file);
}
