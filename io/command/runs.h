// Many runs: in memory, and as the file runs.csv, to which finished ones are appended line by line.
#ifndef COMMAND_RUNS_H
#define COMMAND_RUNS_H

#include "command/bench_run.h"

typedef struct runs {
    run *at;     // n; the texts live in line[]
    char **line; // n, owned
    int n, room;
} runs;

// appends a row as run_csv prints it (without its line end; copied); false if it is no row
bool runs_add(runs *x, const char *line, const int *place, int fields);
// appends a copy of a run
void runs_put(runs *x, const run *r);
// removes the runs of a file with another digest; returns their number
int runs_forget(runs *x, const char *file, const char *digest);
void runs_free(runs *x);

// Reads any file with the columns of runs.csv, in any order; lines that begin with # are skipped.
// False after a line on stderr.
bool runs_read(runs *x, const char *path);

// The file of one bench. While open it is locked, and a row that was cut short is removed.
typedef struct ledger {
    int fd;
    char *path;
    char *settings; // its first line, after "# "
} ledger;

// `settings` are all settings that the results depend on; a file with other settings is refused
// unless `keep`, and replaced with `fresh`. Its rows go to *old. False after a line on stderr.
bool ledger_open(ledger *l, const char *path, const char *settings, bool fresh, bool keep,
                 runs *old);

// the row is in the file completely or not at all; false after a line on stderr
bool ledger_append(ledger *l, const run *r);
void ledger_close(ledger *l);

#endif
