// The velocity problems of a run as files that `percuss solve` and `percuss bench` take: the last
// solve of every part of a step, or all solves.
#ifndef COMMAND_CAPTURE_H
#define COMMAND_CAPTURE_H

#include <stdbool.h>

#include <percuss/step.h>

#define CAPTURE_FORMS "bodies|global|local"
typedef enum capture_form { CAPTURE_BODIES, CAPTURE_GLOBAL, CAPTURE_LOCAL } capture_form;

typedef struct capture {
    const char *folder; // null: none
    bool failing;       // only problems that were not solved
    bool solves;        // all solves
    int form;           // capture_form
    const char *scene;  // for the description
    double steps;       // approximate number of steps of the whole run
    long files;

    // private: the last solve, until it is known whether it is kept, and its place in the run
    bool held;
    pcs_arena memory; // of the copies
    pcs_velocity_solve last;
    char title[200];
    bool unsolved;
    long step;
    int files_part, files_solve; // of the last file of the step
    bool broken;
} capture;

// True, after a line on stderr, when a captured problem could replace the file of this path (null:
// none), which need not exist.
bool capture_replaces(const capture *c, const char *path);

// Makes the folder and follows the solves of the work, from the step `first` (from 1) on. A folder
// with captured problems is refused, except for a run that continues one (first > 1). False after a
// line on stderr.
bool capture_begin(capture *c, pcs_work *work, long first);
// Ends a step, which may not have been committed. False after a line on stderr.
bool capture_step(capture *c, const pcs_step_report *report);
void capture_end(capture *c);

#endif
