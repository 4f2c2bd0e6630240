// Boxes that should come to rest: a cube with four contacts, a plank with eight, a tower of planks,
// a heavy cube on a light one.
#ifndef EXAMPLES_SCENES_RESTING_H
#define EXAMPLES_SCENES_RESTING_H

#include "scenes/bodies.h"

#ifdef __cplusplus
extern "C" {
#endif

// a cube with edges of 1 m on the floor, perturbed after 20 steps; false: no memory
bool resting_cube(bodies *s);

// a plank of 0.6 x 0.2 x 0.04 m across two fixed blocks, perturbed after 20 steps; false: no memory
bool resting_plank(bodies *s);

// layers of three such planks, crosswise, 3 mm apart: perturbed from the start, with so much room
// between the layers that none overlaps. 60 s; nothing should move since second 5. False: no memory
bool resting_tower(bodies *s, int layers);

// a cube of 1e4 kg on one of 1 kg, both with edges of 1 m; false: no memory
bool resting_heavy(bodies *s);

#ifdef __cplusplus
}
#endif

#endif
