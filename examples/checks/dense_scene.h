// Checks of a dense scene.
#ifndef EXAMPLES_CHECKS_DENSE_SCENE_H
#define EXAMPLES_CHECKS_DENSE_SCENE_H

#include "checks.h"
#include "scenes/world.h"

// Every step was taken with a residual of 1e-4 at most, its ledger closed, energy never rose by
// more than `rise` (J) and what the projection lifted, nothing overlapped by more than `overlap`
// (m), over all pairs at the end.
void world_check(checks *c, const world *w, double overlap, double rise);

#endif
