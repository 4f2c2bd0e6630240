// CSV files of the examples: a header line, then rows of %.17g, a cell without a number where it is
// not finite (there is no such value). Rows go to a temporary file in
// the same folder, which takes the final name at csv_close only: a reader never sees half a file.
//
//     csv out;
//     if (!csv_open(&out, path, "t,z,vz")) return 2;
//     CSV_ROW(&out, t, z, vz);
//     if (!csv_close(&out)) return 2;
//
// A null path makes every call succeed and do nothing, so that --csv needs no if. "-" is stdout;
// devices (/dev/...) are written directly. A link stays: the file at its end is written.
#ifndef EXAMPLES_CSV_H
#define EXAMPLES_CSV_H

#include <stdbool.h>
#include <stdio.h>

typedef struct csv {
    FILE *file;         // null: does nothing
    const char *path;   // borrowed
    char *target;       // the end of the links of `path`; null when written directly
    char *part;         // name of the temporary file; null when written directly
    int columns;        // as the header counts them
    int at;             // cells so far in this row
    const char *failed; // what went wrong first; reported by csv_close
} csv;

// False after printing why on stderr. `path` must live until csv_close.
bool csv_open(csv *c, const char *path, const char *header);

// one row of numbers: CSV_ROW(&out, t, x, y, z)
#define CSV_ROW(c, ...)                         \
    csv_row((c), (const double[]){__VA_ARGS__}, \
            (int)(sizeof((const double[]){__VA_ARGS__}) / sizeof(double)))
void csv_row(csv *c, const double *x, int n);

// a row cell by cell, closed by csv_end
void csv_real(csv *c, double x);
void csv_reals(csv *c, const double *x, int n);
void csv_text(csv *c, const char *text);
void csv_end(csv *c);

// Gives the file its name. False after a sentence on stderr, without a partial file: also
// when an earlier write failed or a row had the wrong number of cells.
bool csv_close(csv *c);

// Removes the unfinished file. For the exit after another error; harmless after csv_close.
void csv_drop(csv *c);

#endif
