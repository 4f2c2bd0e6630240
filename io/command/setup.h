// From command-line words to a problem in memory and the options of a solver.
#ifndef COMMAND_SETUP_H
#define COMMAND_SETUP_H

#include <percuss/bodies.h>
#include <percuss/problem_file.h>
#include <percuss/solver.h>
#include <percuss/solver_table.h>

#include "command/command_line.h"
#include "command/describe.h"

// the words of the kinds of files, in the order of pcs_file_kind, and of the measures, of pcs_stop
extern const char *const setup_kinds; // any|lcp|...
#define SETUP_MEASURES "residual|natural|both|relaxed"
extern const char *const setup_measure[4];
extern const char *const setup_start_text[2]; // of setup_start

// where a solve starts
#define SETUP_STARTS "file|zero"
typedef enum setup_start { SETUP_START_FILE, SETUP_START_ZERO } setup_start;

// The values of --solver and the flags beside it. Where no value is given, that of the file counts
// if it has options, else the default.
typedef struct setup {
    const char *solver; // null: not given
    double tol;         // NaN: not given
    int measure;        // pcs_stop; -1: not given
    int max_iters;      // -1: not given
    double max_seconds; // NaN: not given
    int kind;           // pcs_file_kind
    int start;          // setup_start; -1: not given
    args_list opt;      // name=value
} setup;

// nothing given
setup setup_none(void);

// the flags of a setup, for the table of a subcommand

// clang-format off
#define SETUP_FLAGS(s)                                                                      \
    {"--kind", 0, ARGS_CHOICE, &(s).kind, .what = setup_kinds,                              \
     .help = "kind of problem, for files that do not state it"},                            \
    {"--measure", 0, ARGS_CHOICE, &(s).measure, .what = SETUP_MEASURES,                     \
     .help = "the measure that must be <= tol (relaxed; of a captured step its own)"},      \
    {"--max-iters", 0, ARGS_INT, &(s).max_iters, .low = 0, .high = INT_MAX, .what = "N",    \
     .help = "limit of iterations; for auto of products with W (that of the solver)"},      \
    {"--max-seconds", 0, ARGS_REAL, &(s).max_seconds, .low = 0, .high = HUGE_VAL,           \
     .what = "S", .help = "stops a solve after S seconds; 0: no limit"}
#define SETUP_START(s)                                                                      \
    {"--start", 0, ARGS_CHOICE, &(s).start, .what = SETUP_STARTS,                           \
     .help = "file: the start in a .pcs file, the first guess in an FCLIB file; zero: r = 0 "\
             "(the start in a .pcs file that has one, else zero)"}
#define SETUP_OPTIONS(s)                                                                    \
    {"--opt", 0, ARGS_LIST, &(s).opt, .what = "NAME=VALUE,...",                             \
     .help = "options of the solver; 'percuss solvers NAME' lists them"}
// clang-format on

// The row of the solver table of this name; null after a line on stderr.
const pcs_solver_info *setup_solver(const char *who, const char *name);

// stored: the options of a file, or null. False after a line on stderr.
bool setup_options(const char *who, const setup *s, const pcs_solver_opts *stored,
                   pcs_solver_opts *out);

// An open file, and one form of its problem: the local one of a local file, and of any where
// `local` asks for it; the global one of the others. False after a line on stderr.
typedef struct opened {
    pcs_problem_file *file;
    const pcs_problem *p;        // or null
    const pcs_global_problem *g; // or null
} opened;
bool setup_open(const char *path, int kind, bool local, opened *out);
bool setup_open_input(const input *in, int kind, bool local, opened *out);
void setup_close(opened *o);

// The start of a solve of this file: rows numbers, or null for r = 0. False after a line on stderr
// where one is asked for that the file does not have.
bool setup_start_of(const char *who, const setup *s, const char *path, const pcs_problem_file *f,
                    const double **out);

// the hash of the bits of a solution, 16 hexadecimal digits; v and u may be null
void solution_hash(const pcs_problem_file *f, const double *v, const double *r, const double *u,
                   char out[17]);

#endif
