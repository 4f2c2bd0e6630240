// Declarations shared by the files of cylinders.
#ifndef COLLIDE_CYLINDER_H
#define COLLIDE_CYLINDER_H

#include <stdbool.h>

#include <percuss/shape.h>

#include "linalg/m3.h"

// points of a rim that represent it where a cap lies on a surface
enum { RIM_POINTS = 6 };

// id of a contact with a convex shape at the closest points, where no face lies on the other shape
enum { CYLINDER_CLOSEST = 5 };

// rim point k of 0 .. RIM_POINTS - 1 of the upper (side = 1) or lower (-1) cap, frame of the shape
void cylinder_rim(const pcs_shape *s, int side, int k, double x[3]);

// The core of a point x of the surface, where the outward normal is u (unit); frame of the shape. A
// point of the side or of a rim is given as a point of the axis with a radius, so that rotation
// about the axis does not change the gap. That point lies where the normal meets the axis, r /
// |u_xy| away. If u is nearly along the axis, it would be far away, and the point itself is taken,
// with radius 0.
void cylinder_core(const pcs_shape *s, const double x[3], const double u[3], double p[3],
                   double *radius);

// Point k of 0 .. 2 + RIM_POINTS - 1 that a plane with the normal m (unit, frame of the shape) may
// touch: the lowest of each rim; all points of the rim of a cap that lies on the plane. Returns its
// core and radius; *number, in 0 .. 31, does not depend on the cap. False if there is no such
// point.
bool cylinder_point(const pcs_shape *s, const double m[3], int k, double p[3], double *radius,
                    unsigned *number);

#endif
