// Scenes of bodies as models of percuss.
#ifndef EXAMPLES_SCENES_BODIES_MODEL_H
#define EXAMPLES_SCENES_BODIES_MODEL_H

#include "scenes/bodies.h"
#include "scenes/world.h"

// The planes and then the bodies of the scene, in their order, with one material; then starts the
// world, which has been opened with the gravity of the scene.
PCS_NODISCARD pcs_status world_bodies(world *w, const bodies *s);

#endif
