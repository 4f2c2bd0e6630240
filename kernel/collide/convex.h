// Two convex cores, each with a radius round it: their signed gap and closest points.
//
// A core is a point, a segment, a box, a cylinder or the hull of points (a triangle, a polyhedron)
// in its own frame; the body is the set of points within `radius` of it. A pair is seen from the
// frame of core 1, where core 2 has the axes R (columns) and the origin t.
//
// Cores that are apart have the gap |x1 - x2| - radius1 - radius2 with x1, x2 their closest points
// (gjk.c: Gilbert, Johnson and Keerthi 1988), exact to rounding for polyhedra. With u a unit
// direction from 1 to 2,
//     s(u) = min over core 2 of u . x  -  max over core 1 of u . x
// is never more than the signed distance of the cores, which is its largest value: overlapping
// cores have s(u) < 0 for every u, and the direction comes from libccd's expanding polytope
// (epa.c), accurate to 1e-9 of the size for polyhedra and less so for cylinders, for which
// cylinder_closest.c finds it.
#ifndef COLLIDE_CONVEX_H
#define COLLIDE_CONVEX_H

#include <stdbool.h>

typedef enum convex_kind {
    CONVEX_POINT,    // the origin
    CONVEX_SEGMENT,  // |z| <= half[2] of the z axis
    CONVEX_BOX,      // |x_i| <= half[i]
    CONVEX_CYLINDER, // x^2 + y^2 <= disc^2, |z| <= half[2]
    CONVEX_POINTS    // the hull of n points
} convex_kind;

typedef struct convex {
    convex_kind kind;
    double radius; // round the core, >= 0
    double half[3];
    double disc;
    const double *points; // 3 n, x y z of one point after the other
    int n;
    // neighbours of point i: next[first[i]] ... next[first[i + 1] - 1]. Null: all points are
    // tested. Else every point is a vertex of the hull, and its neighbours are along edges
    const int *first, *next;
} convex;

typedef struct convex_pair {
    double R[9], t[3];
} convex_pair;

// a corner of the Minkowski difference: w = a - b, a of core 1, b of core 2, frame of core 1. The
// numbers are those of vertices (of a segment 0 below, 1 above; of a box bit i set for +half[i]),
// -1 on a cylinder
typedef struct convex_corner {
    double w[3], a[3], b[3];
    int i1, i2;
} convex_corner;

typedef struct convex_gap {
    double g;            // gap of the bodies; distance = g + radius1 + radius2
    double distance;     // distance of the cores, negative when they overlap
    double u[3];         // unit, from core 1 to core 2; the normal of a contact is -u
    double x1[3], x2[3]; // closest points of the cores, x1 + distance u = x2. Overlap: a point of
                         // core 1 furthest along u, and that of core 2 up to a shift across u
    bool overlap;        // the cores overlap or touch: u, x1, x2 come from the polytope
    convex_corner
        corner[3]; // apart: the one to three corners of which x1 - x2 is a combination; else none
    double weight[3];
    int corners;
} convex_gap;

// a point of the core furthest along d (any length), its number in *index
void convex_support(const convex *c, const double d[3], double x[3], int *index);

// the radius of a ball about the origin that holds the core
double convex_extent(const convex *c);

// s(u); x1 and x2, if not null, get the points of the cores (frame of core 1) that define it
double convex_separation(const convex *c1, const convex *c2, const convex_pair *p,
                         const double u[3], double x1[3], double x2[3]);

// The gap; false if it is more than reach (or the pair has a NaN), out then undefined.
// Deterministic; needs no memory while the cores are apart, libccd allocates when they overlap.
bool convex_distance(const convex *c1, const convex *c2, const convex_pair *p, double reach,
                     convex_gap *out);

// the corner of the Minkowski difference furthest along -v, that is the cores' points facing each
// other when v points from 2 to 1
void convex_corner_against(const convex *c1, const convex *c2, const convex_pair *p,
                           const double v[3], convex_corner *out);

// A face of the simplex of the search for the distance, and its point v nearest to the origin
typedef struct convex_face {
    int n, at[3];
    double weight[3], v[3], square;
} convex_face;

// that search: the simplex c[0] ... c[n - 1], of which `best` is the nearest face
typedef struct convex_search {
    convex_corner c[4];
    int n, rounds;
    convex_face best;
    double largest; // square of the largest |w| so far
    double v[3];    // the direction searched last
    double below;   // the distance is no less
} convex_search;

typedef enum gjk_result { GJK_GOES_ON, GJK_APART, GJK_BEYOND, GJK_OVERLAP } gjk_result;

// The search one round at a time: apart when nothing is left to gain, beyond `far`, or overlapping.
// Until then and when apart, |best.v| is no less than the distance
void convex_begin(const convex *c1, const convex *c2, const convex_pair *p, convex_search *s);
gjk_result convex_round(const convex *c1, const convex *c2, const convex_pair *p, double far,
                        convex_search *s);

// everything but g of cores that are apart, from the nearest face
void convex_closest(const convex_search *s, convex_gap *out);

// The two halves of convex_distance, both without g. All rounds of the search: apart with
// everything but g filled in, beyond `far`, or overlapping with u a guess of the direction.
gjk_result convex_apart(const convex *c1, const convex *c2, const convex_pair *p, double far,
                        convex_gap *out);

// The distance, u, x1, x2 of cores that overlap or touch, by libccd; on entry u is a guess (unit),
// which remains if no direction separates the cores by a shorter way.
void convex_penetration(const convex *c1, const convex *c2, const convex_pair *p, convex_gap *out);

#endif
