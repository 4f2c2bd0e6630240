// The bounces of a ball in closed form, and how far from it the run of a scheme may be.
#ifndef EXAMPLES_BOUNCES_H
#define EXAMPLES_BOUNCES_H

#include <percuss/model.h>

#define MOST_BOUNCES 100

enum { NEWTON_EULER, LAGRANGIAN };

// what the flags say
typedef struct settings {
    double mass, radius, inertia, z0, v0[3], omega0[3], e, gravity;
    double h, theta, t_end, gamma, proj_tol;
    int activation, projection, metric, proj_max, formulation, study;
    const char *csv;
} settings;

// Flight k, from bounce k - 1 to bounce k: its apex above the floor, the speed at its end, the time
// of bounce k; and bounds on the error of a run with step h. The scheme takes bounce k in a step
// that starts with a gap of at most a h s, s the speed of approach: a = max(gamma, 1 - gamma) when
// the contact is predicted, 1 when it is seen at the end of the step. Over that step the ball moves
// by (1 - theta - theta e) h s, and its speed is multiplied by exactly -e. So its energy, read as
// the height H = gap + v^2 / 2g, goes from H to e^2 H within c h s, c = a (1 + e^2) + |1 - theta -
// theta e|. In flight H changes by g h^2 (1/2 - theta) per step.
typedef struct flight {
    double apex, speed, time;
    double apex_bound, time_bound;
} flight;

// Fills in flights 0 .. n - 1 for steps of h and returns n: those that end before t_end and, behind
// the first, last at least 20 steps each.
int bounces_closed_form(const settings *s, double h, flight f[MOST_BOUNCES]);

// Why there is no closed form of this ball; null if there is.
const char *bounces_why_not(const settings *s);

// The end of all bounces, from the time of one and the speed behind it; infinite when e = 1.
double zeno_time(const settings *s, double time, double speed);

// the largest gap at the start of a step that takes a bounce, with this speed of approach
double gap_bound(const settings *s, double h, double speed);

// how deep the ball may sink before its contact is seen, and in the step of the bounce
double overlap_bound(const settings *s, double speed);

#endif
