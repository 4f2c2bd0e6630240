// Impacts of two solids with friction, compared with Coulomb's law and, for spheres, with a closed
// form.
#ifndef EXAMPLES_CHECKS_ROUGH_SOLIDS_H
#define EXAMPLES_CHECKS_ROUGH_SOLIDS_H

#include "checks/two_solids_checks.h"

// Impact at frozen configuration: the head of the table, and a row with its checks.
void rough_head(const settings *set);
void check_rough(checks *c, const settings *set, const scene *s, const snapshot *before,
                 const snapshot *after, pcs_outcome outcome);

// Two spheres, or one and a wall, without spin, whose sliding speed is `factor` times the largest
// at which they stick; and whether they did.
scene border_scene(const settings *set, bool wall, double factor);
void check_border(checks *c, const settings *set, const scene *s, double factor,
                  const snapshot *after);

// A run by time stepping: what every step must keep.
void check_rough_stepping(checks *c, const scene *s, const record *run, pcs_outcome outcome);

#endif
