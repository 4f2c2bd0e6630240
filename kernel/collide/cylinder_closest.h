// The gap of a cylinder and another convex shape, in the frame of the cylinder.
#ifndef COLLIDE_CYLINDER_CLOSEST_H
#define COLLIDE_CYLINDER_CLOSEST_H

#include <percuss/shape.h>

#include "collide/solid.h"

typedef struct cylinder_pair {
    const pcs_shape *s1, *s2;
    solid b; // shape 2 in the frame of the cylinder
    convex core;
    convex_pair at;
    double size;
} cylinder_pair;

// The direction u (unit, from 1 to 2) with the largest s(u), and the points x1 of the cylinder and
// x2 of the core of 2 that are closest along u: x1 + s u = x2. `placed` is false where cap and face
// lie on each other and x1 and x2 are any of their points.
typedef struct cylinder_gap {
    double s, u[3], x1[3], x2[3];
    bool placed;
} cylinder_gap;

// false if the cores are more than reach apart
bool cylinder_closest(const cylinder_pair *p, double reach, cylinder_gap *out);

#endif
