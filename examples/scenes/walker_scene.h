// The simplest walker as bodies: a hip and two legs walk down tiles on a slope.
#ifndef EXAMPLES_SCENES_WALKER_SCENE_H
#define EXAMPLES_SCENES_WALKER_SCENE_H

#include "flags/run_flags.h"

// In units of the leg, the mass of the hip and gravity. The leg in front has the angle theta from
// the normal of the slope, and the other -theta; their rates are `rate` and `other`.
typedef struct walker_scene {
    double slope, theta, rate, other;
    double feet, turn; // mass of a leg, all of it in its foot; its moment of inertia about the foot
    int tiles;
} walker_scene;

// Bodies 1 hip, 2 and 3 the legs, with their origins in the feet: planar, in x-z. x points down the
// slope. A foot touches tiles only where it comes down, and between them it may swing below their
// faces: every second tile is on the side of the other leg.
pcs_status walker_scene_build(const run_settings *run, const walker_scene *def, pcs_scene **out);

#endif
