// The heavy top whose tip is held, from an axis at rest: where its axis is, and what holds it.
#ifndef EXAMPLES_CHECKS_HELD_TOP_H
#define EXAMPLES_CHECKS_HELD_TOP_H

#include "checks/top_motion.h"

// cosine of the tilt after t seconds
double held_top_cosine(const heavy_top *top, double t);

// The force of the joint on the tip at the cosine u with the rate udot, N: its vertical part, its
// part along the axis e, and its product with e_z x e.
typedef struct held_reaction {
    double vertical, axial, across;
} held_reaction;

held_reaction held_top_reaction(const heavy_top *top, double u, double udot);

#endif
