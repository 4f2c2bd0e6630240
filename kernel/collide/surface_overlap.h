// The least overlap of a convex core with a triangle of a surface, along the normals that the
// surface has there. Frame of the surface.
#ifndef COLLIDE_SURFACE_OVERLAP_H
#define COLLIDE_SURFACE_OVERLAP_H

#include "collide/solid.h"
#include "collide/surface.h"

typedef struct surface_overlap {
    double s;     // least of N . x over the core, less that of the feature: negative in overlap
    double N[3];  // unit, outward
    double x[3];  // the point of the core
    unsigned set; // bits of the corners that are the feature: 7 the face, two an edge, one a corner
} surface_overlap;

// With its normals, the face, the edges where the surface bends outward, and the corners that are
// peaks, are as those of a solid: the largest s over them is the overlap of the core with it. Found
// exactly for polyhedra, and to 1e-14 of the size for cylinders.
void surface_find_overlap(const solid *b, const pcs_geometry *g, const surface_triangle *t,
                          surface_overlap *out);

#endif
