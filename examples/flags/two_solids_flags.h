// The command line of two_solids.
#ifndef EXAMPLES_FLAGS_TWO_SOLIDS_FLAGS_H
#define EXAMPLES_FLAGS_TWO_SOLIDS_FLAGS_H

#include "scenes/two_solids_scene.h"

#include <stdbool.h>

#include <percuss/model.h>

enum { MOST_HALVINGS = 8 };

typedef struct settings {
    solids_def def;
    double e, mu, h, t_end;
    double hit; // when they touch, s
    pcs_scheme scheme;
    int scene, study;
    const char *csv;
} settings;

// Reads the flags, or prints why not and ends the program.
void read_flags(settings *set, int argc, char **argv);

#endif
