// The command line of projection.
#ifndef EXAMPLES_FLAGS_PROJECTION_H
#define EXAMPLES_FLAGS_PROJECTION_H

#include "scenes/row_of_boxes.h"

#include <stdbool.h>

enum { MOST_STEPS = 1000 };

typedef struct settings {
    boxes_def def;
    int max;
    double radius, tol;
    const char *csv;
} settings;

// False: stop and return *code; the words have been printed.
bool read_flags(settings *set, int argc, char **argv, int *code);

#endif
