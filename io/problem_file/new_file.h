// A file that appears complete or not at all: written to a new file in the same folder, synced, and
// renamed. A link stays a link: its target is written. A pipe or device is written directly; an
// open stream (/dev/stdout, /dev/fd/3) continues at its position, also when it is a file.
#ifndef PROBLEM_FILE_NEW_FILE_H
#define PROBLEM_FILE_NEW_FILE_H

#include <percuss/base.h>

#include <stdbool.h>
#include <stdio.h>

typedef struct new_file {
    FILE *f;
    const char *path; // borrowed
    char end[4096];   // the target of all links of path
    char name[4200];  // name of the new file; "" when the path is written directly
} new_file;

pcs_status new_file_begin(const char *path, new_file *out);

// true when all that was written so far is on the disk
pcs_status new_file_check(new_file *n);

// If `good`, moves the file to its place, or returns a status and leaves no file; otherwise removes
// the file and returns PCS_OK.
pcs_status new_file_end(new_file *n, bool good);

// Writes a file with these bytes.
pcs_status store(const char *path, const char *bytes, size_t size);

#endif
