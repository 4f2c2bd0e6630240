// Private side of <percuss/shape.h>: the functions in the table of collide.c, one per pair of
// kinds in one order; the other order is mirrored there. Each writes the features of gap <= reach,
// body 1 being the one that carries s1, and returns how many.
#ifndef COLLIDE_COLLIDE_H
#define COLLIDE_COLLIDE_H

#include <percuss/features.h>

#include <string.h>

#include "rotation/pose.h"

// radius of the ball about the origin of the shape that contains it; 0 for half-spaces
double shape_radius(const pcs_shape *s);
// thickness: diameter or least edge (hull: diameter of a ball inside); infinite for shapes without
// another side
double shape_thickness(const pcs_shape *s);
// its middle, in the frame of the body
void shape_middle(const pcs_shape *s, double x[3]);

// true when a shape is rotated in its body; most are not
static inline bool shape_is_turned(const pcs_shape *s)
{
    static const double one[4] = {1, 0, 0, 0};
    return memcmp(s->orientation, one, sizeof one) != 0;
}

// an inertial direction in the frame of a shape
static inline void shape_direction(const pcs_shape *s, const double *q, const double d[3],
                                   double out[3])
{
    pose_direction_back(q, d, out);
    quat_turn(s->orientation, -1, out, out);
}

// an inertial point in the frame of a shape
static inline void shape_point(const pcs_shape *s, const double *q, const double x[3],
                               double out[3])
{
    double at[3];
    pose_point(q, s->position, at);
    v3_sub(x, at, out);
    shape_direction(s, q, out, out);
}

// a point against the half-space s2 of normal n2 (in the frame of its body); the caller sets p1
static inline pcs_feature shape_on_plane(const pcs_shape *s2, const double n2[3], unsigned id,
                                         double radius)
{
    pcs_feature f = {.kind = PCS_FEATURE_POINT_PLANE, .id = id, .radius1 = radius};
    v3_copy(s2->position, f.p2);
    v3_copy(n2, f.d2);
    v3_copy(n2, f.n2);
    return f;
}

// shape 2 in the frame of shape 1: x1 = R x2 + t
void shape_relative(const pcs_shape *s1, const double *q1, const pcs_shape *s2, const double *q2,
                    double R[9], double t[3]);

// a half-space s2: its normal in the frame of its body (n2) and inertial (n); returns the height of
// the origin of s1 above its plane
double shape_over_plane(const pcs_shape *s1, const double *q1, const pcs_shape *s2,
                        const double *q2, double n2[3], double n[3]);

typedef int collide_fn(const pcs_shape *s1, const double *q1, const pcs_shape *s2, const double *q2,
                       double reach, pcs_feature out[PCS_FEATURES_MAX]);

// The largest n . x (n unit, inertial) of the points of a shape at the pose q of its body (null:
// the world): for a mesh or a height field only points in the cube of half width `radius` about
// `centre` (inertial), -infinity if there are none; +infinity for a half-space unless n is its
// normal.
double collide_top(const pcs_shape *s, const double *q, const double n[3], const double centre[3],
                   double radius);

collide_fn collide_sphere_sphere;
collide_fn collide_sphere_capsule;
collide_fn collide_capsule_half_space;
collide_fn collide_capsule_capsule;
collide_fn collide_hull_half_space;
collide_fn collide_hull_hull;

// capsules, boxes and hulls (and a sphere first) where one is a hull, or they are capsule and box
collide_fn collide_polyhedra;

collide_fn collide_sphere_half_space;
collide_fn collide_sphere_box;
collide_fn collide_box_half_space;
collide_fn collide_box_box;
collide_fn collide_cylinder_convex;
collide_fn collide_cylinder_cylinder;
collide_fn collide_cylinder_half_space;
collide_fn collide_sphere_cylinder;

// writes the points x, the directions d and the normal n2 of a feature, given in the frames of the
// shapes, into those of their bodies
void collide_place(const pcs_shape *s1, const double x1[3], const double d1[3], const pcs_shape *s2,
                   const double x2[3], const double d2[3], const double n2[3], pcs_feature *f);

// Which of two equal shapes comes first where this matters, so that it does not depend on the order
// of their bodies: the one that is ahead along the axis on which they are furthest apart
bool collide_leads(const pcs_shape *s1, const double *q1, const pcs_shape *s2, const double *q2);

// the feature seen with the bodies exchanged; q1 and q2 are the poses before that
void collide_mirror(pcs_feature *f, const double *q1, const double *q2);

// the same against a surface, which may give any number: writes at most capacity, returns how many
// there are (at least that many, when more than capacity)
typedef int collide_many_fn(const pcs_shape *s1, const double *q1, const pcs_shape *s2,
                            const double *q2, double reach, int capacity, pcs_feature *out);

collide_many_fn collide_ground;

// Completes the n contacts f of two polyhedra that touch edge on edge (ridge.c) by those of a
// second face; where the edges are apart by no more than rounding, those of both faces replace
// them. even: a length up to which the edges are at one place, where it is larger than errors of
// the solver. Writes at most `room`, returns how many there are
int collide_ridge(const pcs_shape *s1, const double *q1, const pcs_shape *s2, const double *q2,
                  double even, int n, int room, pcs_feature *f);
bool collide_may_ridge(const pcs_shape *s1, const pcs_shape *s2);
bool collide_is_of_face(const pcs_feature *f);
// true for such a contact: N is its normal, N_first that of the first contact of the pair
bool collide_of_ridge(const pcs_feature *f, const double N[3], const double N_first[3]);
// True where an edge of one body lies beyond the second face, by the gap g along it: more than
// rounding and the overlap along the first face admit
bool collide_beyond(double g, double g_first, double rounding);

// set in the id of a contact on an edge or a corner of a mesh or a height field
#define SURFACE_EDGE (1u << 31)

#endif
