// Checks that hold for every run of bodies that touch.
#ifndef EXAMPLES_CHECKS_RUN_CHECKS_H
#define EXAMPLES_CHECKS_RUN_CHECKS_H

#include "checks.h"
#include "checks/run_tally.h"

// Every step has a residual of at most 1e-4 (or the tolerance of the scheme) and a ledger that
// closes; the energy never rises by more than `rise` (J) and what the projection lifts; nothing
// overlaps by more than `overlap` (m, or what the projection leaves).
void check_run(checks *c, const run_tally *tally, const pcs_scheme *scheme, double overlap,
               double rise);

#endif
