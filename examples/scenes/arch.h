// A masonry arch: a half circle of stones without mortar, all joints radial, the first and the last
// on the ground.
#ifndef EXAMPLES_SCENES_ARCH_H
#define EXAMPLES_SCENES_ARCH_H

#include "scenes/world.h"

typedef struct arch_def {
    int stones;       // straight blocks between joints, all alike
    double radius;    // of the middle, m
    double thickness; // along the joints, m
    double depth;     // across the arch, m
    double density;   // kg/m^3
} arch_def;

// Adds ground and stones, from left to right, with the material the world has. `stone` is what
// their shapes are made of: destroy it with pcs_geometry_destroy after the world.
pcs_status arch_build(world *w, const arch_def *def, pcs_geometry **stone);

#endif
