// All runs of a bench as a table problems x solvers x tolerances, and its summary.
#ifndef COMMAND_PROFILE_H
#define COMMAND_PROFILE_H

#include "command/runs.h"
#include "command/svg.h"

typedef struct study {
    int problems, solvers, tols;
    const char **problem; // files, borrowed
    const char **solver;  // borrowed
    const double *tol;    // borrowed
    const run **cell;     // null: no run
} study;

// Sorts runs into the table: those of `own`, then those of `added`, whose solvers are appended;
// runs of other problems or tolerances are left out. Allocates; study_free.
void study_make(study *s, int problems, const char **problem, int solvers, const char **solver,
                int tols, const double *tol, const runs *own, const runs *added);
void study_free(study *s);

const run *study_run(const study *s, int problem, int solver, int tol);

// seconds, never below 0.1 us; infinite when not solved
double study_time(const study *s, int problem, int solver, int tol);
// seconds of the fastest solver
double study_best(const study *s, int problem, int tol);

// the results of a solver at one tolerance
typedef struct study_sum {
    int tried, solved, fastest, lost; // lost: crash or timeout
    double ratio;   // geometric mean of time / best over solved problems; NaN: none
    double worst;   // the largest of these
    double seconds; // sum over solved problems
} study_sum;
study_sum study_summary(const study *s, int solver, int tol);

// The share of problems solved within a factor of the best (Dolan and More 2002), or within a time.
typedef enum study_plot { STUDY_PROFILE, STUDY_SUCCESS } study_plot;
void study_draw(FILE *f, const study *s, study_plot plot, int tol, bool standalone);

#endif
