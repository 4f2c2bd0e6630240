// Scenes of bodies as models of percuss, and the one setting of the scheme they all run with.
#ifndef EXAMPLES_SCENES_BODIES_MODEL_H
#define EXAMPLES_SCENES_BODIES_MODEL_H

#include <percuss/model.h>

#include "scenes/bodies.h"

// For dense packings without restitution: theta = 1, contacts seen before they close, positions
// projected with the masses as metric; the velocity problem to a residual of tol.
pcs_scheme bodies_scheme(double tol);

// A model of the scene, one system per body in their order; env null: malloc and silence. Release
// with pcs_model_destroy.
PCS_NODISCARD pcs_status bodies_model(const pcs_env *env, const bodies *s, const pcs_scheme *scheme,
                                      pcs_model **out);

#endif
