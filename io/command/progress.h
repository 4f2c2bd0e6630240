// The progress of a run: on a terminal one line that is replaced, elsewhere a line from time to
// time.
#ifndef COMMAND_PROGRESS_H
#define COMMAND_PROGRESS_H

#include <stdbool.h>

#include <percuss/step.h>

typedef struct progress {
    bool quiet, terminal, shown;
    double begun, last; // s, by the clock
    double t0, t_end;   // s, times of the run
    long steps;
    double residual; // the worst so far
} progress;

progress progress_begin(bool quiet, double t0, double t_end);
// after a step that ended at t
void progress_step(progress *p, double t, const pcs_step_report *report);
// removes the live line
void progress_end(progress *p);

#endif
