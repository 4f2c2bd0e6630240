// The part of a convex shape that faces a direction, as points: a vertex, an edge, the outline of a
// face; and its part over another outline.
#ifndef COLLIDE_PATCH_H
#define COLLIDE_PATCH_H

#include <percuss/shape.h>

enum { PATCH_MAX = 31 };

// In the frame of the shape: 1 point, 2 ends of a segment, or a convex outline in either sense. Of
// spheres and capsules it is the core, without the radius
typedef struct patch {
    int n;
    double x[PATCH_MAX][3];
    int number[PATCH_MAX];     // number of the point in its shape, -1 for a point of a cut
    unsigned sides[PATCH_MAX]; // after patch_clip: bit k set on side k of the outline
} patch;

// the extreme feature along d (unit, frame of the shape): a face or an edge if d is normal to it up
// to a sine of tol. A cap gives RIM_POINTS points and the foremost, the side of a cylinder two ends
void patch_facing(const pcs_shape *s, const double d[3], double tol, patch *p);

// A patch brought to another frame: x -> R x + t.
void patch_move(patch *p, const double R[9], const double t[3]);

// The part of `p` over the convex outline of 3 <= n <= PATCH_MAX points x y z, seen along N (unit);
// points up to snap (m) outside count as inside. Corners of the outline over the inside of p are in
// the result. Sides whose bit is set in `open` cut nothing.
void patch_clip(patch *p, int n, const double *outline, const double N[3], double snap,
                unsigned open);

#endif
