// A mechanism in steps of h, h/2 and h/4, whose errors at the end of the run are of second order.
//
//     refined r = {.n = 2, .read = angles, .out = out};
//     PCS_TRY(refined_run(&r, build, set));
//     *c = checks_begin();
//     check_second_order(c, "angles", &r, exact, 0.1);
//     check_joined(c, &r, size, energy);
#ifndef EXAMPLES_CHECKS_REFINED_H
#define EXAMPLES_CHECKS_REFINED_H

#include "checks.h"
#include "checks/run_tally.h"
#include "csv.h"
#include "example.h"

enum { REFINED_RUNS = 3, REFINED_MOST = 20 };

typedef struct refined {
    int n;      // values that are compared
    int others; // further ones, for the table
    // the values at a state; the work is that of the step before, or null
    pcs_status (*read)(const pcs_model *model, const pcs_state *state, pcs_work *work, double *y);
    csv *out;                             // rows t, values of the first run; or null
    double y[REFINED_RUNS][REFINED_MOST]; // found: the values at the end of each run
    run_tally tally[REFINED_RUNS];        // and its sums
} refined;

// Runs the scene three times, first with its step, and prints how its energy changed.
pcs_status refined_run(refined *r, example_scene *build, const void *settings);

// The values against exact ones: with h/4 to `most`; and what one extrapolation leaves is at most
// 0.3 of the error with h/2.
void check_second_order(checks *c, const char *name, const refined *r, const double *exact,
                        double most);

// What holds for every mechanism without losses: joints closed to `open` (m), energy constant up
// to an error of second order, and the ledger of every step closed; `energy` (J) is its scale.
void check_joined(checks *c, const refined *r, double open, double energy);

#endif
