// The command line of bouncing_ball.
#ifndef EXAMPLES_FLAGS_BOUNCING_BALL_FLAGS_H
#define EXAMPLES_FLAGS_BOUNCING_BALL_FLAGS_H

#include <stdbool.h>

#include "flags/run_flags.h"

enum { NEWTON_EULER, LAGRANGIAN };
enum { MOST_HALVINGS = 10 };

// SI units throughout
typedef struct settings {
    run_settings run;
    double mass, radius, inertia, z0, v0[3], omega0[3], e; // inertia 0: a solid sphere's
    int formulation, study;
    int bounces; // after which the run ends; 0: at its t_end
} settings;

// Reads the flags, or prints why not and ends the program.
void read_flags(settings *s, int argc, char **argv);

#endif
