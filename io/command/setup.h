// From command-line words to a problem in memory and the options of a solver.
#ifndef COMMAND_SETUP_H
#define COMMAND_SETUP_H

#include <percuss/problem_file.h>
#include <percuss/solver.h>
#include <percuss/solver_table.h>

#include "command/command_line.h"

// the words of the kinds of files, in the order of pcs_file_kind, and of the measures, of pcs_stop
extern const char *const setup_kinds; // any|lcp|...
#define SETUP_MEASURES "residual|natural|both|relaxed"
extern const char *const setup_measure[4];

// the values of --solver and the flags beside it
typedef struct setup {
    const char *solver;
    double tol;
    int measure;   // pcs_stop
    int max_iters; // -1: the default of the solver
    double max_seconds;
    int kind;      // pcs_file_kind
    args_list opt; // name=value
} setup;

setup setup_default(void);

// the flags of a setup, for the table of a subcommand clang-format off
#define SETUP_FLAGS(s)                                                                          \
    {"--kind",                                                                                  \
     0,                                                                                         \
     ARGS_CHOICE,                                                                               \
     &(s).kind,                                                                                 \
     .what = setup_kinds,                                                                       \
     .help = "kind of problem, for files that do not state it"},                                \
        {"--measure",                                                                           \
         0,                                                                                     \
         ARGS_CHOICE,                                                                           \
         &(s).measure,                                                                          \
         .what = SETUP_MEASURES,                                                                \
         .help = "the measure that must be <= tol"},                                            \
        {"--max-iters",                                                                         \
         0,                                                                                     \
         ARGS_INT,                                                                              \
         &(s).max_iters,                                                                        \
         .low = 0,                                                                              \
         .high = INT_MAX,                                                                       \
         .what = "N",                                                                           \
         .help =                                                                                \
             "limit of iterations; for auto of products with W (default: that of the solver)"}, \
    {                                                                                           \
        "--max-seconds", 0, ARGS_REAL, &(s).max_seconds,                                        \
            .low = 0, .high = HUGE_VAL, .what = "S",                                            \
            .help = "stops a solve after S seconds; 0: no limit"                                \
    }
#define SETUP_OPTIONS(s)                                                       \
    {                                                                          \
        "--opt", 0, ARGS_LIST, &(s).opt,                                       \
            .what = "NAME=VALUE,...",                                          \
            .help = "options of the solver; 'percuss solvers NAME' lists them" \
    }
// clang-format on

// The row of the solver table of this name; null after a line on stderr.
const pcs_solver_info *setup_solver(const char *who, const char *name);

// False after a line on stderr.
bool setup_options(const char *who, const setup *s, pcs_solver_opts *out);

// An open file. False after a line on stderr. `local` condenses a global problem; else p is null.
typedef struct opened {
    pcs_problem_file *file;
    const pcs_problem *p;
} opened;
bool setup_open(const char *path, int kind, bool local, opened *out);
void setup_close(opened *o);

#endif
