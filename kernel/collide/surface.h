// The triangles of a mesh or a height field for collision: one at a time with its neighbours, those
// near a box, and the normals that a vertex can have. Frame of the shape.
#ifndef COLLIDE_SURFACE_H
#define COLLIDE_SURFACE_H

#include <stdbool.h>

#include "collide/geometry.h"

// sine of the angle between two triangles below which they are one plane
#define SURFACE_FLAT 1e-6

typedef struct surface_triangle {
    int number;
    double v[3][3];        // counter-clockwise from outside
    double n[3];           // unit, outward
    int vertex[3];         // numbers of the corners
    int edge[3];           // numbers of the edges k to k + 1, the same from both sides
    bool inner[3];         // a triangle is across the edge
    double opposite[3][3]; // its third corner
    bool flat[3];          // that triangle lies in the same plane
} surface_triangle;

void surface_get(const pcs_geometry *g, int number, surface_triangle *t);

// sets the flags of a mesh that surface_get reads: once, when it is made
void surface_find_flat(mesh_geometry *m);

// calls visit for each triangle whose bounds meet the box, in an order that depends on the geometry
// only
typedef void surface_visit_fn(void *user, int number);
void surface_near(const pcs_geometry *g, const double low[3], const double high[3],
                  surface_visit_fn *visit, void *user);

// True when N can be the normal of a contact at a corner of a triangle: no edge from there rises
// along N, so that the corner is the highest point nearby. Sines up to tol count as no rise.
bool surface_corner_allows(const pcs_geometry *g, const surface_triangle *t, int corner,
                           const double N[3], double tol);

#endif
