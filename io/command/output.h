// A file that is there whole or not at all: written beside its place under another name, synced,
// and renamed. A link stays a link: its target is written. A path that leads to something
// else than a file (/dev/stdout, a pipe) is written in place.
#ifndef COMMAND_OUTPUT_H
#define COMMAND_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

typedef struct output {
    FILE *f;
    const char *path; // borrowed
    char *temporary;  // null when written in place
    char *end;        // where the links of path lead
} output;

// false after a line on stderr
bool output_open(output *o, const char *path);

// true when the file is in its place; false after a line on stderr, without a partial file
bool output_commit(output *o);

// gives up without a word; accepts what was never opened
void output_abandon(output *o);

#endif
