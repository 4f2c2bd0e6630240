// A file that is there whole or not at all: written to a new file in the same folder, synced, and
// renamed. A link stays a link: its target is written. A path that leads to something else than a
// file (/dev/stdout, a pipe) is written in place.
#ifndef PROBLEM_FILE_NEW_FILE_H
#define PROBLEM_FILE_NEW_FILE_H

#include <percuss/base.h>

#include <stdbool.h>
#include <stdio.h>

typedef struct new_file {
    FILE *f;
    const char *path; // borrowed
    char end[4096];   // where the links of path lead
    char name[4200];  // of the new file; "" when it is written in place
} new_file;

pcs_status new_file_begin(const char *path, new_file *out);

// whether all that was written so far is on the disk
pcs_status new_file_check(new_file *n);

// The file is in its place, or a status and no file, if `good`; otherwise it gives up and the
// status is PCS_OK.
pcs_status new_file_end(new_file *n, bool good);

// Puts the bytes into a file at once.
pcs_status store(const char *path, const char *bytes, size_t size);

#endif
