// How many contacts are open, stick, slide, or are too close to a boundary to say.
#ifndef COMMAND_STATUS_H
#define COMMAND_STATUS_H

#include <percuss/problem.h>

#include "command/run.h"

// Fills open, closed (unilateral rows), stick, slide and undecided of *out from a solution (r, u)
// that is good to `tol` and has these measures. W null: of a global problem, which has none.
void status_count(int nb, const pcs_block *block, const pcs_bsr *W, const double *r,
                  const double *u, const pcs_measure *m, double tol, run *out);

#endif
