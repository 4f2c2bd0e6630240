// Parts of mechanisms: bars, and joints where the bodies are.
#ifndef EXAMPLES_SCENES_MECHANISM_H
#define EXAMPLES_SCENES_MECHANISM_H

#include <percuss/joint.h>

// Adds a square bar from a to b (m, inertial), its z axis in that direction, as a body with a
// shape.
pcs_status mechanism_bar(pcs_model *model, const double a[3], const double b[3], double mass,
                         double width, pcs_system *out);

// Adds a joint of system1 to system2 ({0}: the world) at a point and along an axis, both inertial.
// `out` may be null.
pcs_status mechanism_joint(pcs_model *model, pcs_joint_kind kind, pcs_system system1,
                           pcs_system system2, const double point[3], const double axis[3],
                           pcs_interaction *out);

#endif
