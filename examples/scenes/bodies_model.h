// Scenes of bodies as models of percuss.
#ifndef EXAMPLES_SCENES_BODIES_MODEL_H
#define EXAMPLES_SCENES_BODIES_MODEL_H

#include "scenes/bodies.h"

#include <percuss/kernel.h>

// Adds the planes of the scene, shapes 0 to planes - 1, and its bodies, systems 1 to n, all of one
// material.
PCS_NODISCARD pcs_status bodies_build(const bodies *s, pcs_model *model);

// the same, and destroys the scene
PCS_NODISCARD pcs_status bodies_move(bodies *s, pcs_model *model);

#endif
