// The command line of falling_brick, and its initial conditions.
#ifndef EXAMPLES_FLAGS_FALLING_BRICK_FLAGS_H
#define EXAMPLES_FLAGS_FALLING_BRICK_FLAGS_H

#include "checks/free_box.h"
#include "flags/run_flags.h"

enum { MOST_LEVELS = 8, MOST_RUNS = 100 };

// SI units throughout
typedef struct settings {
    run_settings run;
    free_box box;
    double mass, size[3], e, mu;
    double height, v0[3], tilt, omega;
    double rtol; // of the reference of the flight
    double rest; // speed of a brick at rest
    int seed, runs, study;
} settings;

// Reads the flags, or prints why not and ends the program.
void read_flags(settings *set, int argc, char **argv);

// pose and velocity at the start of the run with this seed
void start_of(const settings *set, int seed, double q[7], double v[6]);

#endif
