// The command line of projection.
#ifndef EXAMPLES_FLAGS_PROJECTION_FLAGS_H
#define EXAMPLES_FLAGS_PROJECTION_FLAGS_H

#include "scenes/row_of_boxes.h"

#include <stdbool.h>

enum { MOST_STEPS = 1000 };

typedef struct settings {
    boxes_def def;
    int max;
    double radius, tol;
    const char *csv;
} settings;

// Reads the flags, or prints why not and ends the program.
void read_flags(settings *set, int argc, char **argv);

#endif
