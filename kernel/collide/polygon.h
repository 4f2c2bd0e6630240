// Convex polygons in space, cut by planes. Every side has a label that names its origin:
// the labels of its two sides identify a corner, after any number of cuts.
#ifndef COLLIDE_POLYGON_H
#define COLLIDE_POLYGON_H

#include <stdbool.h>

typedef struct polygon_corner {
    double x[3];
    int vertex; // number in the uncut polygon, -1 for a corner that a cut has made
    int side;   // label of the side from this corner to the next
} polygon_corner;

enum { POLYGON_MAX = 128 };

typedef struct polygon {
    polygon_corner at[POLYGON_MAX]; // two corners: a segment, forward and back
    int n;
} polygon;

// Keeps the side normal . x <= offset (Sutherland and Hodgman 1974); the new side gets the label.
// Corners beyond by at most snap stay. A polygon that would get too many corners loses the last.
void polygon_cut(const polygon *in, const double normal[3], double offset, double snap, int label,
                 polygon *out);

#endif
