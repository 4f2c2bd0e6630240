// An output file that appears complete or not at all: written beside its place under another name,
// synced, and renamed. A link stays a link: its target is written. A path that is not a regular
// file (/dev/stdout, a pipe) is written in place.
#ifndef COMMAND_OUTPUT_H
#define COMMAND_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

typedef struct output {
    FILE *f;
    const char *path; // borrowed
    char *temporary;  // null when written in place
    char *end;        // the target of all links of path
} output;

// false after a line on stderr
bool output_open(output *o, const char *path);

// true when the file is in its place; false after a line on stderr, without a partial file
bool output_commit(output *o);

// gives up without a message; accepts an output that was never opened
void output_abandon(output *o);

#endif
