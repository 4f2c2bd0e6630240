// The contact problems of a run as files that `percuss solve` and `percuss bench` take.
#ifndef COMMAND_CAPTURE_H
#define COMMAND_CAPTURE_H

#include <stdbool.h>

#include <percuss/step.h>

typedef struct capture {
    const char *folder; // null: none
    bool failing;       // only problems of steps that did not converge
    const char *scene;  // text for the description
    double steps;       // approximate number of steps of the whole run
    long files;
} capture;

// creates the folder; false after a line on stderr
bool capture_begin(const capture *c);
// Stores the problem of the step `number` (from 1) that ended at t, or was not committed. False
// after a line on stderr.
bool capture_step(capture *c, pcs_work *work, long number, double t, const pcs_step_report *report);

#endif
