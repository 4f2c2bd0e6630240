// The command line of two_solids.
#ifndef EXAMPLES_FLAGS_TWO_SOLIDS_FLAGS_H
#define EXAMPLES_FLAGS_TWO_SOLIDS_FLAGS_H

#include "flags/run_flags.h"
#include "scenes/two_solids_scene.h"

#include <stdbool.h>

enum { MOST_HALVINGS = 8 };

typedef struct settings {
    run_settings run;
    solids_def def;
    double e, mu;
    double hit; // when they touch, s
    int scene, study;
} settings;

// Reads the flags, or prints why not and ends the program.
void read_flags(settings *set, int argc, char **argv);

#endif
