// A polytope of points of a convex body C, which grows towards C where its faces are nearest to the
// origin. If the origin is inside, no face of C is nearer than the nearest face of the polytope.
#ifndef COLLIDE_POLYTOPE_H
#define COLLIDE_POLYTOPE_H

#include <stdbool.h>

enum { POLYTOPE_POINTS = 160, POLYTOPE_FACES = 2 * POLYTOPE_POINTS };

typedef struct polytope_face {
    int at[3];      // points, counter-clockwise from outside
    double n[3], d; // the plane n . w = d; n unit, outward
    bool closed;    // not to be asked for again
} polytope_face;

typedef struct polytope {
    int n_points, n_faces;
    double w[POLYTOPE_POINTS][3];
    polytope_face face[POLYTOPE_FACES];
    double eps; // height over a plane that is rounding
} polytope;

// The tetrahedron of four points of a body of this size; false if they are in a plane
bool polytope_begin(polytope *p, double w[4][3], double size);

// the open face nearest to the origin (a negative d: beyond it), or null
polytope_face *polytope_nearest(polytope *p);

// adds a point, unless it is inside; false when there is no more room
bool polytope_add(polytope *p, const double w[3]);

#endif
