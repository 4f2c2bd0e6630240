// Parts of mechanisms: bars, and joints where the bodies are.
#ifndef EXAMPLES_SCENES_MECHANISM_H
#define EXAMPLES_SCENES_MECHANISM_H

#include <percuss/joint.h>
#include <percuss/motion.h>
#include <percuss/scene.h>

// A square bar. Its z axis is the direction from a to b.
typedef struct bar {
    double a[3], b[3];   // ends, inertial, m
    double va[3], vb[3]; // their velocities at the start, m/s
    double spin;         // about its z axis at the start, rad/s
    double mass, width;  // kg, m
    double J;            // moment of inertia about axes across it, kg m^2; 0: that of a uniform bar
} bar;

// Adds it as a body with a shape that touches nothing: bars cross where they are joined.
pcs_status mechanism_bar(pcs_model *model, const bar *def, pcs_system *out);

// Adds a joint of system1 to system2 ({0}: the world) at a point and along an axis, both inertial.
// `out` may be null.
pcs_status mechanism_joint(pcs_model *model, pcs_joint_kind kind, pcs_system system1,
                           pcs_system system2, const double point[3], const double axis[3],
                           pcs_interaction *out);

// Adds a shape that touches nothing, for pictures.
pcs_status mechanism_shape(pcs_model *model, pcs_system system, pcs_shape shape);

// Adds a body that a Lagrangian system carries. The scene keeps a copy of the linkage, without the
// numbers `by` of its moves.
pcs_status mechanism_carried(pcs_scene *scene, pcs_system carrier, const pcs_linkage *linkage,
                             pcs_system *out);

#endif
