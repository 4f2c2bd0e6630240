// Cylinders, between the files that deal with them.
#ifndef COLLIDE_CYLINDER_H
#define COLLIDE_CYLINDER_H

#include <percuss/shape.h>

#include "linalg/m3.h"

// points of a rim that stand for it where a cap lies on something
enum { RIM_POINTS = 6 };

// rim point k of 0 .. RIM_POINTS - 1 of the upper (side = 1) or lower (-1) cap, frame of the shape
void cylinder_rim(const pcs_shape *s, int side, int k, double x[3]);

// The core of a point x of the surface, where the outward normal is u (unit); frame of the shape. A
// point of the side or of a rim looks the same however the cylinder turns about its axis: it is
// given as a point of the axis with a radius, so that rolling leaves the gap alone. That point lies
// where the normal meets the axis, r / |u_xy| away. Nearly along the axis it would be far off, and
// the point itself is taken, with radius 0.
void cylinder_core(const pcs_shape *s, const double x[3], const double u[3], double p[3],
                   double *radius);

#endif
