// The command line of rope_pendulum.
#ifndef EXAMPLES_FLAGS_ROPE_PENDULUM_FLAGS_H
#define EXAMPLES_FLAGS_ROPE_PENDULUM_FLAGS_H

#include "flags/run_flags.h"
#include "scenes/rope_scene.h"

enum { MOST_LEVELS = 8 };

// SI units throughout
typedef struct settings {
    run_settings run;
    rope_def rope;
    double x0[2], v0[2]; // start of the drop
    double throw_speed;  // at the lowest point, of the second motion; 0: none
    int study;
} settings;

// Reads the flags, or prints why not and ends the program.
void read_flags(settings *set, int argc, char **argv);

#endif
