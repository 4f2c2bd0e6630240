// A run of the bouncing ball held against closed forms.
#ifndef EXAMPLES_CHECKS_BOUNCES_H
#define EXAMPLES_CHECKS_BOUNCES_H

#include "checks.h"
#include "csv.h"
#include "flags/bouncing_ball_flags.h"

#include <percuss/kernel.h>

enum { MOST_BOUNCES = 100 };

// the ball at one instant, and the impulse of the floor in the step before
typedef struct sample {
    double t, q[7], v[6];
    double impulse, gap;       // N s, m
    double kinetic, potential; // J
} sample;

// What the checks remember of a run. A bounce is a step with an impulse, or several in a row;
// flights lie between. Start from {.top = -INFINITY}.
typedef struct history {
    sample now;
    double impulses; // sum over the steps, N s
    double first;    // impulse of the first impact
    double closure;  // largest |closure| of an energy ledger, J
    double overlap;  // deepest, m
    double fastest;  // largest |vz|, m/s
    double energy;   // largest kinetic energy met, J
    double start;    // kinetic + potential energy at the start, J

    int bounces;
    double apex[MOST_BOUNCES];  // of the first ones, [k]: the highest z before bounce k
    double time[MOST_BOUNCES];  // [k]: the end of the step with bounce k
    double speed[MOST_BOUNCES]; // [k]: with which the ball leaves it
    double top;                 // highest z of this flight
    bool striking;              // the last step had an impulse
} history;

// report: of the step before; null at the start
void history_add(history *run, const sample *now, const pcs_step_report *report);

// apexes, first impulse and Zeno time, within C h
void check_bounces(checks *c, const settings *s, const history *run);

// quantities that hold to rounding for all flags; the run has lasted t
void check_balances(checks *c, const settings *s, const history *run, double t);

// A run of the driver: steps of h until t_end, or until bounce number `bounces` has happened.
typedef pcs_status (*run_fn)(const settings *s, double h, int bounces, csv *out, history *run,
                             pcs_run_report *report);

// The errors for h, h/2, h/4 ... as a table, and the order at which they go to zero.
pcs_status check_orders(checks *c, const settings *s, run_fn simulate);

#endif
