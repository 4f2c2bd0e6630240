// A lattice of side^3 bodies falls into an open box: the scenes of many bodies that engines are
// compared on. Body i has its place at x = i mod side, y = (i / side) mod side, z = i / side^2,
// 0.22 m apart and 0.3 m above the floor, moved by up to 5 mm along each axis; cubes are rotated at
// random. Floor z = 0, walls at +-(0.11 side + 0.02) m. Density 1000 kg/m^3, friction 0.5,
// restitution 0, 400 steps of 1/200 s.
#ifndef EXAMPLES_SCENES_LATTICE_H
#define EXAMPLES_SCENES_LATTICE_H

#include "scenes/bodies.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LATTICE_H      0.005 // s
#define LATTICE_RADIUS 0.1   // of a sphere, m
#define LATTICE_HALF   0.06  // half an edge of a cube, m
enum { LATTICE_STEPS = 400 };

// A: spheres of radius 0.1 m; false: no memory
bool lattice_spheres(bodies *s, int side);

// B: cubes with half edges of 0.06 m; false: no memory
bool lattice_cubes(bodies *s, int side);

#ifdef __cplusplus
}
#endif

#endif
