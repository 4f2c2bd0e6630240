// Captured time series: the problems of a run solved in order, each from the start that it had.
#ifndef COMMAND_SERIES_H
#define COMMAND_SERIES_H

#include "command/setup.h"

typedef struct series_bench {
    const char *self;         // path of this program
    const args_list *solvers; // none: those of the files
    int tols;                 // 0: those of the files
    const double *tol;
    int n; // number of series
    char *const *name;
    const args_list *files; // of each series, in the order of time
    const char *out;        // folder for series.csv and problems.csv, or null
    const setup *s;
    int repeat;
} series_bench;

// Solves each series with each solver and tolerance, and prints a line for each; returns an exit
// code. A problem that ends its process, or exceeds its time, counts as lost; the next one is
// solved.
int series_run(const series_bench *b);

#endif
