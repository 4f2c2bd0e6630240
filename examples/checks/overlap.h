// What bodies do wrong, from their poses and velocities alone, by brute force over all pairs and
// planes; shares no code with any engine, the library's own contact detection included.
#ifndef EXAMPLES_CHECKS_OVERLAP_H
#define EXAMPLES_CHECKS_OVERLAP_H

#include "scenes/bodies.h"

// Depth (m) to which two solids overlap at poses q = (x, Q), |Q| = 1; 0 if they do not. Spheres:
// the sum of the radii less the distance. Boxes: the least overlap of their shadows on the normals
// of their faces and the cross products of their edges, 15 axes. A sphere and a box: the way out of
// the box for the centre, and the radius.
double overlap_of_pair(const rigid *a, const double qa[7], const rigid *b, const double qb[7]);

// the same of a solid and the half-space n . x <= d
double overlap_with_plane(const rigid *a, const double q[7], const double plane[4]);

typedef struct overlaps {
    double deepest; // m, over all pairs that can move and all planes; NaN if a pose is
    int first;      // body it is of, or -1
    int second;     // the other, or -1 - plane
    double energy;  // J, kinetic and potential; zero of the potential at the origin
    int outside;    // bodies whose centre is within a plane
} overlaps;

// q has 7 and v 6 entries (inertial, body axes) for every body of the scene. False: no memory
bool overlap_measure(const bodies *s, const double *q, const double *v, overlaps *out);

#endif
