// Rays against one shape.
#ifndef COLLIDE_RAY_H
#define COLLIDE_RAY_H

#include <stdbool.h>

#include <percuss/shape.h>

// True when the ray from + t along (inertial, `along` unit) meets the shape at the pose q of its
// body (null: the world) for some 0 <= t <= reach: the least such t, and the outward unit normal
// there (inertial). Inside a solid t is 0 and the normal is against the ray.
bool shape_ray(const pcs_shape *s, const double *q, const double from[3], const double along[3],
               double reach, double *t, double normal[3]);

// the part [*t0, *t1] of the ray from + t along (any length) within a box; false if there is none
bool box_ray(const double low[3], const double high[3], const double from[3], const double along[3],
             double *t0, double *t1);

#endif
