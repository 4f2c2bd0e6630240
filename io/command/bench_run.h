// One solve of one problem: its input and its result, as a row of runs.csv, a JSON object, a
// line.
#ifndef COMMAND_BENCH_RUN_H
#define COMMAND_BENCH_RUN_H

#include <stdbool.h>
#include <stdio.h>

#include "problem_file/json.h"

// texts are borrowed
typedef struct run {
    const char *file, *kind, *solver, *measure, *outcome, *by, *message, *digest;
    double tol, seconds, residual, natural_map, relative, norm_q, norm_r, norm_u;
    int rows, blocks, contacts, iterations;
    int open, closed, stick, slide, undecided;
} run;

// every number NaN or 0, every text empty
run run_none(void);

// true when the run converged
bool run_solved(const run *x);

// the last part of the path of the problem
const char *run_problem(const run *x);

// run_csv and run_line print one line each
void run_csv_header(FILE *out);
void run_csv(FILE *out, const run *x);

// Reads a row (the line is cut into fields, which are borrowed). `place` (RUN_COLUMNS) is the
// column of each field; -1: absent. False when it is no row.
#define RUN_COLUMNS 25
bool run_read_header(char *line, int *place, int *fields);
bool run_read(char *line, const int *place, int fields, run *out);

// writes a run as members of an open JSON object
void run_json(json *j, const run *x);

#endif
