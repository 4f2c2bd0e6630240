// Impacts of two solids, compared with conservation laws and the energy loss.
#ifndef EXAMPLES_CHECKS_TWO_SOLIDS_CHECKS_H
#define EXAMPLES_CHECKS_TWO_SOLIDS_CHECKS_H

#include "checks.h"
#include "csv.h"
#include "flags/two_solids_flags.h"

#include <percuss/kernel.h>

// the two solids at one instant, and what contacts gave them in the step or impact before
typedef struct snapshot {
    double t;
    double q[2][7], v[2][6]; // the ground is at the origin, at rest
    double wrench[2][6];     // impulse, inertial frame, N s; moment about G, body axes, N m s
    double P[3], L[3];       // momentum; angular momentum about the origin
    double kinetic, potential;
    int contacts;
} snapshot;

// the impulse on the first, N s
double impulse_of(const snapshot *now);

// What the ground gave in the step or impact before: momentum, and angular momentum about the
// origin, at poses q. Between two bodies both vanish.
void sum_wrenches(const snapshot *now, const double q[2][7], double P[3], double L[3]);

// data of a run for the checks
typedef struct record {
    const scene *s;
    double h, theta;
    snapshot now;

    bool struck;                  // there was a step with an impulse; of the first such:
    double after[2][6], loss;     // velocities after it, energy lost in it
    double jump[3], predicted[3]; // of the angular momentum

    double leak, closure; // worst of all steps: momentum, energy
} record;

// report: of the step before; null at the start
void record_add(record *run, const snapshot *now, const pcs_step_report *report);

// Impact at frozen configuration: the head of the table, and a row with its checks.
void impact_head(void);
void check_impact(checks *c, const settings *set, const scene *s, const snapshot *before,
                  const snapshot *after, pcs_outcome outcome);

// A run of the driver: steps of h from `before` seconds before the touch to t_end, or, if `once`,
// only to the impact.
typedef pcs_status (*run_fn)(const settings *set, const scene *s, double h, double before,
                             bool once, csv *out, record *run, pcs_run_report *report);

// Time stepping: the head of the table, and a row with its checks. Orders are observed by many more
// runs. Solids that do not approach each other are not worth a run.
void stepping_head(const settings *set);
bool worth_stepping(checks *c, const settings *set, const scene *s);
pcs_status check_stepping(checks *c, const settings *set, const scene *s, const record *run,
                          pcs_outcome outcome, run_fn simulate);

#endif
