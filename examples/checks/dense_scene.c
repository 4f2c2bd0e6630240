// Checks of a dense scene.
#include "checks/dense_scene.h"

#include <math.h>

void world_check(checks *c, const world *w, double overlap, double rise)
{
    check_that(c, "every step taken", !w->stuck, pcs_outcome_text(w->outcome));
    check_value(c, "worst residual", w->residual, 0, fmax(1e-4, w->scheme.solver.tol));
    check_value(c, "deepest overlap (m)", fmax(w->overlap, world_overlap(w)), 0,
                fmax(overlap, w->scheme.proj_tol));
    check_value(c, "largest rise of energy (J)", w->rise, 0, rise);
    check_value(c, "energy ledger of every step (J)", w->closure, 0, 1e-12 * (1 + fabs(w->energy)));
}
