// Boxes that should come to rest: a cube with four contacts, a plank with eight, a heavy cube on a
// light one.
#ifndef EXAMPLES_SCENES_RESTING_H
#define EXAMPLES_SCENES_RESTING_H

#include "scenes/bodies.h"

#include <percuss/kernel.h>

#ifdef __cplusplus
extern "C" {
#endif

// a cube with edges of 1 m on the floor, perturbed after 20 steps; false: no memory
bool resting_cube(bodies *s);

// a plank of 0.6 x 0.2 x 0.04 m across two fixed blocks, perturbed after 20 steps; false: no memory
bool resting_plank(bodies *s);

// one cube on another
typedef struct heavy_def {
    double mass, ratio;  // of the lower, kg; of the upper over it
    double lower, upper; // edges, m
    double aside;        // the upper off the middle, over its edge: so far along x, half along y
    double drop;         // gap below each at the start, m
    double mu;
} heavy_def;

// 1e4 kg on 1 kg, edges of 1 m, in the middle and at rest
heavy_def heavy_default(void);

// bodies on a floor; false: no memory
bool resting_heavy(bodies *s, const heavy_def *def);

// the floor, the lower cube as system 1 and the upper one as 2 of a model
pcs_status heavy_build(const heavy_def *def, pcs_model *model);

#ifdef __cplusplus
}
#endif

#endif
