// Two polyhedra with a radius around each (spheres, capsules, boxes, hulls, triangles):
// declarations shared by the files of this method, which polyhedra.c describes.
//
// Work is done in the frame of polyhedron 1. u is a unit direction from 1 to 2 in that frame.
#ifndef COLLIDE_POLYHEDRA_H
#define COLLIDE_POLYHEDRA_H

#include <stdbool.h>

#include <percuss/features.h>

#include "collide/convex.h"
#include "collide/polyhedron.h"
#include "linalg/m3.h"

// lengths whose difference is less than this times the size of the pair are equal
static const double polyhedra_tie = 1e-14;

// cores nearer than this, relative to the size, touch: the direction between their closest points
// is rounding noise, and the best axis is the normal
static const double polyhedra_touch = 1e-13;

// sine below which the normal is that of the face: the gap errs by half its square, relatively
static const double polyhedra_flush = 1e-6;

typedef struct polyhedra {
    const polyhedron *p1, *p2;
    double radius1, radius2;
    convex_pair at; // 2 in the frame of 1
    convex core1, core2;
    double size; // size of both, for tolerances
} polyhedra;

// one contact of the cores; x1 and d1 in frame 1, x2 and d2 in frame 2, as in pcs_feature
typedef struct polyhedra_contact {
    pcs_feature_kind kind;
    int part1, part2; // the parts that face each other
    double x1[3], d1[3], x2[3], d2[3];
    double u[3];
    double g;     // gap of the cores
    double at[3]; // contact point of 1 (frame 1)
} polyhedra_contact;

typedef struct polyhedra_contacts {
    polyhedra_contact at[PCS_FEATURES_MAX];
    int n;
} polyhedra_contacts;

// an axis: the direction, its features, the separation of the cores along it
typedef enum axis_kind { AXIS_NONE, AXIS_FACE1, AXIS_FACE2, AXIS_EDGES } axis_kind;
typedef struct polyhedra_axis {
    axis_kind kind;
    int i, j; // face of 1 and vertex of 2; vertex of 1 and face of 2; edges of 1 and 2
    double s, u[3];
} polyhedra_axis;

// the largest s over the faces, or the edges, of both; an axis replaces *best only when it is
// larger by more than a tie. False as soon as an axis is beyond far; axes that cannot be the best
// are skipped. *all is false if there were too many edges to test
bool polyhedra_faces(const polyhedra *p, double far, polyhedra_axis *best);
bool polyhedra_edges(const polyhedra *p, double far, polyhedra_axis *best, bool *all);

// the same over the parts about the vertices furthest along u
void polyhedra_axes_near(const polyhedra *p, const double u[3], polyhedra_axis *best);

// the closest features; false if the cores are more than far apart
bool polyhedra_closest(const polyhedra *p, double far, polyhedra_contact *c);

// the lines of two edges; false if they are parallel
bool polyhedra_meet(const polyhedra *p, int e1, int e2, double x1[3], double x2[3], double *s1,
                    double *s2);

// all contacts whose cores are at most far apart, the closest first
void polyhedra_manifold(const polyhedra *p, const polyhedra_contact *closest, double far,
                        polyhedra_contacts *list);

// fills in cores and size of *p, then the list
void polyhedra_contacts_find(polyhedra *p, double reach, polyhedra_contacts *list);

// fills in d1 and d2 from the parts
void polyhedra_directions(const polyhedra *p, polyhedra_contact *c);

static inline void from_2(const polyhedra *p, const double x[3], double y[3])
{
    double Rx[3];
    m3_mul(p->at.R, x, Rx);
    v3_along(p->at.t, 1, Rx, y);
}

static inline void into_2(const polyhedra *p, const double x[3], double y[3])
{
    double r[3];
    v3_sub(x, p->at.t, r);
    m3_mul_t(p->at.R, r, y);
}

#endif
