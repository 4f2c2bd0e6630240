/// @file
/// Contact detection between two shapes, without a model: the pairs of features that face each
/// other, and their gap at any pose.
#ifndef PERCUSS_FEATURES_H
#define PERCUSS_FEATURES_H

#include <percuss/shape.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The kinds of pairs of features. The normal points into body 1.
typedef enum pcs_feature_kind {
    PCS_FEATURE_POINT_PLANE, ///< a point of body 1 and a face plane of body 2
    PCS_FEATURE_PLANE_POINT, ///< a face plane of body 1 and a point of body 2
    PCS_FEATURE_POINT_POINT, ///< two points
    PCS_FEATURE_POINT_EDGE,  ///< a point of body 1 and an edge line of body 2
    PCS_FEATURE_EDGE_POINT,  ///< an edge line of body 1 and a point of body 2
    PCS_FEATURE_EDGE_EDGE    ///< two edge lines
} pcs_feature_kind;

/// One contact between two bodies as a pair of features, each fixed in its body: enough to compute
/// gap, normal and contact points at any pose. A point may carry a radius (sphere: its centre). The
/// id is unique within a pair of shapes: 0 for the one contact of a sphere, the number of the
/// vertex for a box or a hull on a half-space, else the two parts (face, edge, vertex) that face
/// each other.
typedef struct pcs_feature {
    pcs_feature_kind kind; ///< kind of the pair
    unsigned id;           ///< stable between steps while the same features face each other
    double p1[3];          ///< body 1 frame: the point, or a point of the plane or line
    double d1[3];   ///< body 1 frame: outward unit normal of the plane, unit direction of the edge
    double radius1; ///< m, >= 0
    double p2[3];   ///< body 2 frame, as p1
    double d2[3];   ///< body 2 frame, as d1
    double radius2; ///< m, >= 0
    double n2[3];   ///< body 2 frame: the normal (2 to 1) when detected; decides signs when points
                    ///< or lines meet
} pcs_feature;

/// The gap of a feature pair at given poses (theory 4.1).
typedef struct pcs_gap {
    double g;     ///< N . (P1 - P2), m; positive when apart
    double N[3];  ///< unit, from body 2 to body 1, inertial
    double P1[3]; ///< contact point of body 1, inertial
    double P2[3]; ///< contact point of body 2: the foot point, P1 - g N
} pcs_gap;

/// Gap, normal and points of a feature pair at the poses q1 and q2 (7 entries each, x and Q; null
/// for the world). Any |Q| > 0.
PCS_API void pcs_feature_gap(const pcs_feature *f, const double *q1, const double *q2,
                             pcs_gap *out);

/// The most features pcs_collide finds for a pair of convex shapes (or one and a half-space).
#define PCS_FEATURES_MAX 16

/// The contacts of two shapes at poses q1 and q2 of their bodies (null: the world) whose gap is at
/// most `reach` (m, may be negative for overlaps only): the closest features first, then the
/// manifold. Gaps of both signs: the distance of separated shapes; of overlapping ones, minus the
/// length of the shortest translation that separates them. Writes at most `capacity` of them to out
/// (which may be null if that is 0) and returns how many there are: no more than PCS_FEATURES_MAX,
/// except under meshes and height fields, where a large shape may rest on any number of triangles;
/// if the number is larger than `capacity`, call again with more room. Deterministic. Two
/// half-spaces never touch. Shapes must have passed pcs_shape_check; a shape at a pose that is not
/// finite touches nothing.
PCS_API int pcs_collide(const pcs_shape *shape1, const double *q1, const pcs_shape *shape2,
                        const double *q2, double reach, int capacity, pcs_feature *out);

#ifdef __cplusplus
}
#endif

#endif
