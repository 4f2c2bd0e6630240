// Bodies that are projected from violated constraints, and the checks of each of the four metrics.
#ifndef EXAMPLES_CHECKS_PROJECTION_CHECKS_H
#define EXAMPLES_CHECKS_PROJECTION_CHECKS_H

#include "checks.h"
#include "csv.h"
#include "flags/projection_flags.h"

#include <percuss/kernel.h>

enum { METRICS = 4 };
extern const char *const metric_name[METRICS]; // as pcs_metric

// state of an iteration, row 0 the start
typedef struct trace {
    pcs_outcome outcome;
    int iterations;
    double violation[MOST_STEPS + 1]; // m
    double stretch;                   // largest ||Q| - 1| before normalising
} trace;

// a row of the CSV per step
void write_trace(csv *out, const char *what, const char *metric, double radius, const trace *t);

// largest ||Q| - 1| of n bodies
double stretch_of(int n, const double *q);

// The head of the table of metrics, and a row with its checks: q is where the iteration by hand has
// ended, by_model where pcs_project has.
void metrics_head(const settings *set);
void check_metric(checks *c, const settings *set, const row_of_boxes *s, pcs_metric metric,
                  const double *q, const trace *t, const double *by_model,
                  const pcs_step_report *report);

// the first steps that the metrics take from the same violation
void check_first_steps(checks *c, int nq, double first[METRICS][NQ]);

#endif
