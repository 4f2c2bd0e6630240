// How many contacts are open, stick, slide, or are too close to a boundary to say.
#ifndef COMMAND_STATUS_H
#define COMMAND_STATUS_H

#include <percuss/problem.h>

#include "command/run.h"

// Fills open, closed (unilateral rows), stick, slide and undecided of *out from a solution (r, u)
// that is good to `tol`, relative to the largest velocity |q|, |u|.
void status_count(const pcs_problem *p, const double *r, const double *u, double tol, run *out);

#endif
