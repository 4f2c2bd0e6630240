// The flips of a free body by a Runge-Kutta method, each located as an event: a zero of omega_2.
#ifndef EXAMPLES_CHECKS_FLIP_EVENTS_H
#define EXAMPLES_CHECKS_FLIP_EVENTS_H

#include "checks.h"
#include "checks/free_top.h"
#include "csv.h"
#include "method.h"

enum { MOST_FLIPS = 50 };

typedef struct flip_run {
    const free_top *top;
    double omega[3]; // at the start, body axes, which are inertial there
    double t_end;    // s
    double sample;   // s between the rows of the table
    csv *out;        // t, omega, omega in closed form, energy, angular momentum
} flip_run;

typedef struct flip_errors {
    double omega, energy, momentum, norm; // largest over the ends of steps, relative; of |Q|
    double flip[MOST_FLIPS];              // when omega_2 changed sign, s
    int direction[MOST_FLIPS];            // -1: fell through zero
    int flips;
    pcs_ode_report report;
} flip_errors;

// Runs to t_end, stopping at every flip and going on from it.
pcs_status flips_by_events(const flip_run *run, const method *m, flip_errors *err);

// Times and directions of the flips against the closed form, the period against 4 K(m) / n, omega
// and what stays: `n` flips, times to `allowed` (s), the rest in proportion.
void check_flip_events(checks *c, const flip_run *run, const flip_errors *err, int n,
                       double allowed);

#endif
