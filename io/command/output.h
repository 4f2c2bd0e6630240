// A file that is there whole or not at all (problem_file/new_file.h), with lines on stderr.
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

// Whether an output can be opened there, without a change; true for null (none is wanted). False
// after a line on stderr.
bool output_possible(const char *path);

// true when the file is in its place; false after a line on stderr, without a partial file
bool output_commit(output *o);

// gives up without a word; accepts what was never opened
void output_abandon(output *o);

#endif
