// Spheres, capsules, boxes and hulls as points with a radius, and checks of their contacts. Two
// facts prove a gap: a direction that separates the points by at least the gap, and two points of
// the bodies at that distance. Where the cores overlap, all directions between points of one body
// and of both are tried.
#ifndef KERNEL_CLOUD_H
#define KERNEL_CLOUD_H

#include "collide_checks.h"

enum { POINTS_MAX = 40 };

typedef struct cloud {
    int n;
    double x[POINTS_MAX][3], radius;
} cloud;

typedef struct proof {
    double tol_apart;  // of points on their bodies
    double tol_inside; // of the depth
    double tol_normal; // of the separation along the normal
} proof;

pcs_shape random_shape(test_random *r, pcs_shape_kind kind, double size);
pcs_geometry *hull_of(int n, const double *points);
pcs_geometry *random_hull(test_random *r, int n, double size);
pcs_geometry *box_hull(double a, double b, double c);
void release(pcs_shape *s); // the geometry of a hull

cloud cloud_of(const pcs_shape *s, const double *q);

// the distance by which n (any length), from 2 to 1, separates the cores
double apart_along(const cloud *a, const cloud *b, const double n[3]);

// the largest of these separations over all planes of three points of one, and all pairs of lines
// of both
double depth_of_all(const cloud *a, const cloud *b);

// proves all contacts, of shapes of about size 1; returns the smallest gap
pcs_gap prove_set(const pcs_shape *s1, const double *q1, const pcs_shape *s2, const double *q2,
                  double reach, const pcs_feature *f, int n, const proof *tol);

// the kinds of shapes that are treated as polyhedra, beside pairs of boxes
enum { PAIRS = 7 };
extern const pcs_shape_kind pairs[PAIRS][2];

#endif
