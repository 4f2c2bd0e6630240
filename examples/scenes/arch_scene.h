// A masonry arch: a half circle of stones without mortar, all joints radial, the first and the last
// on the ground.
#ifndef EXAMPLES_SCENES_ARCH_SCENE_H
#define EXAMPLES_SCENES_ARCH_SCENE_H

#include <percuss/scene.h>

typedef struct arch_def {
    int stones;       // straight blocks between joints, all alike
    double radius;    // of the middle, m
    double thickness; // along the joints, m
    double depth;     // across the arch, m
    double density;   // kg/m^3
    double mu;        // friction
} arch_def;

// 45 stones, the middle 1 m from the centre; thick enough to stand, at 0.112 of that
arch_def arch_default(void);

// least edge of a stone, m
double arch_size(const arch_def *def);

// Adds the ground, shape 0, and the stones from left to right, systems 1 to `stones`.
pcs_status arch_build(const arch_def *def, pcs_scene *scene);

#endif
