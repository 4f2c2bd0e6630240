// A file that appears complete or not at all (problem_file/new_file.h), with lines on stderr.
#ifndef COMMAND_OUTPUT_H
#define COMMAND_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "problem_file/new_file.h"

typedef struct output {
    FILE *f;
    new_file file;
} output;

// false after a line on stderr
bool output_open(output *o, const char *path);

// True when an output can be opened at this path, without a change; true for null (no output).
// False after a line on stderr.
bool output_possible(const char *path);

// true when the file is in its place; false after a line on stderr, without a partial file
bool output_commit(output *o);

// removes the new file silently; accepts an output that was never opened
void output_abandon(output *o);

#endif
