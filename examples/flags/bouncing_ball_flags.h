// The command line of bouncing_ball.
#ifndef EXAMPLES_FLAGS_BOUNCING_BALL_FLAGS_H
#define EXAMPLES_FLAGS_BOUNCING_BALL_FLAGS_H

#include <stdbool.h>

#include <percuss/model.h>

enum { NEWTON_EULER, LAGRANGIAN };
enum { MOST_HALVINGS = 10 };

// SI units throughout
typedef struct settings {
    double mass, radius, inertia, z0, v0[3], omega0[3], e, gravity; // inertia 0: a solid sphere's
    double h, t_end;
    pcs_scheme scheme;
    int formulation, study;
    const char *csv;
} settings;

// Reads the flags, or prints why not and ends the program.
void read_flags(settings *s, int argc, char **argv);

#endif
