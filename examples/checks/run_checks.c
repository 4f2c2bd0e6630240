// Checks that hold for every run of bodies that touch.
#include "checks/run_checks.h"

#include <math.h>

void check_run(checks *c, const run_tally *tally, const pcs_scheme *scheme, double overlap,
               double rise)
{
    const double energy = fabs(tally->start) + fabs(tally->energy);
    check_value(c, "worst residual", tally->residual, 0, fmax(1e-4, scheme->solver.tol));
    check_value(c, "deepest overlap (m)", tally->overlap, 0, fmax(overlap, scheme->proj_tol));
    check_value(c, "largest rise of energy (J)", tally->rise, 0, rise);
    check_value(c, "energy ledger of every step (J)", tally->closure, 0, 1e-12 * energy);
}
