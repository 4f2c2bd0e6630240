/// @file
/// Shapes, and contact detection between two of them.
#ifndef PERCUSS_SHAPE_H
#define PERCUSS_SHAPE_H

#include <percuss/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The shapes.
typedef enum pcs_shape_kind {
    PCS_SHAPE_SPHERE,     ///< radius about the shape's origin
    PCS_SHAPE_HALF_SPACE, ///< all points with z <= 0 in the shape's frame; the normal is its z axis
    PCS_SHAPE_BOX,        ///< |x_i| <= half[i] in the shape's frame
    PCS_SHAPE_CAPSULE,    ///< all points within radius of the segment |z| <= half[2] of the z axis
    PCS_SHAPE_CYLINDER,   ///< x^2 + y^2 <= radius^2, |z| <= half[2] in the shape's frame
    PCS_SHAPE_HULL,       ///< convex hull of points; geometry
    PCS_SHAPE_MESH,       ///< triangles of a surface with an inside; geometry; no force moves it
    PCS_SHAPE_HEIGHT_FIELD ///< z <= height(x, y) over a rectangle; geometry; likewise
} pcs_shape_kind;

/// The data of a hull, a mesh or a height field: immutable, created once, shared by any number of
/// shapes and models, which borrow it.
typedef struct pcs_geometry pcs_geometry;

/// A shape with its pose in the frame of the body that carries it (origin G, body axes).
typedef struct pcs_shape {
    pcs_shape_kind kind;   ///< decides which sizes below count
    double position[3];    ///< of the shape's origin, m
    double orientation[4]; ///< quaternion, shape to body; any length > 0
    double radius;         ///< sphere, capsule, cylinder, m
    double half[3]; ///< box: half edges; capsule and cylinder: half[2] is half the length of the
                    ///< core along z (of a capsule without its caps), m
    const pcs_geometry *geometry; ///< hull, mesh, height field: borrowed, must outlive the shape
                                  ///< and every model that has it
} pcs_shape;

/// A sphere about the body's origin.
PCS_API pcs_shape pcs_shape_sphere(double radius);

/// A box about the body's origin along its axes, with full edges a, b, c.
PCS_API pcs_shape pcs_shape_box(double a, double b, double c);

/// A capsule about the body's origin along its z axis; length is that of the core segment, so the
/// whole is length + 2 radius long.
PCS_API pcs_shape pcs_shape_capsule(double radius, double length);

/// A cylinder about the body's origin along its z axis.
PCS_API pcs_shape pcs_shape_cylinder(double radius, double length);

/// The half-space { x : n . x <= d }; n any nonzero vector, d in units of |n| times metres. A null
/// or zero n, or one that is not finite, gives a shape that pcs_shape_check refuses.
PCS_API pcs_shape pcs_shape_half_space(const double n[3], double d);

/// The convex hull of n points (x y z each; any order, any number inside). The faces of the hull
/// do not depend on their order. Vertices are kept as given; facets that bend by less than 1e-12
/// of the size are one face (1e-8 where no closed hull is found otherwise). Refused are fewer than
/// four points, coordinates that are not finite or beyond 1e30 m, points that are nearly in one
/// plane (to 1e-9 of their extent), and hulls of more than 65535 vertices, edges and faces.
/// Copied. Destroy with pcs_geometry_destroy. Qhull, which finds the hull, allocates with malloc.
PCS_NODISCARD PCS_API pcs_status pcs_geometry_create_hull(const pcs_env *env, int n,
                                                          const double *points, pcs_geometry **out);

/// A surface of triangles: three vertices each (numbers from 0 into n_vertices points x y z),
/// counter-clockwise from outside. It has an inside, beneath its triangles, but only its surface
/// makes contacts: a shape that is entirely beneath a triangle does not touch it. Triangles whose
/// least height is under 1e-12 of their longest side are left out; vertices at equal coordinates
/// are one, so that triangles are neighbours however they were written. Copied. Destroy with
/// pcs_geometry_destroy.
PCS_NODISCARD PCS_API pcs_status pcs_geometry_create_mesh(const pcs_env *env, int n_vertices,
                                                          const double *vertices, int n_triangles,
                                                          const int *triangles, pcs_geometry **out);

/// Ground over the rectangle [0, (nx - 1) dx] x [0, (ny - 1) dy]: heights[i + nx j] (m) above the
/// point (i dx, j dy). Each cell is two triangles, which share the diagonal from (i, j). Copied.
/// Destroy with pcs_geometry_destroy.
PCS_NODISCARD PCS_API pcs_status pcs_geometry_create_height_field(const pcs_env *env, int nx,
                                                                  int ny, double dx, double dy,
                                                                  const double *heights,
                                                                  pcs_geometry **out);

/// Releases the data of a hull, a mesh or a height field. No shape may use it afterwards.
/// Accepts null.
PCS_API void pcs_geometry_destroy(pcs_geometry *geometry);

/// A convex hull as its points were given about the body's origin; borrows its geometry.
PCS_API pcs_shape pcs_shape_hull(const pcs_geometry *hull);

/// A mesh at the body's origin; borrows its geometry. Only for systems that no force moves: the
/// world, fixed bodies and those with a prescribed motion.
PCS_API pcs_shape pcs_shape_mesh(const pcs_geometry *mesh);

/// A height field whose corner is the body's origin, z upwards; as pcs_shape_mesh.
PCS_API pcs_shape pcs_shape_height_field(const pcs_geometry *field);

/// Refuses shapes that are not finite or have no size, with a sentence.
PCS_NODISCARD PCS_API pcs_status pcs_shape_check(const pcs_shape *shape);

/// What touches what. Body 1 is the one the normal points into.
typedef enum pcs_feature_kind {
    PCS_FEATURE_POINT_PLANE, ///< a point of body 1 and a face plane of body 2
    PCS_FEATURE_PLANE_POINT, ///< a face plane of body 1 and a point of body 2
    PCS_FEATURE_POINT_POINT, ///< two points
    PCS_FEATURE_POINT_EDGE,  ///< a point of body 1 and an edge line of body 2
    PCS_FEATURE_EDGE_POINT,  ///< an edge line of body 1 and a point of body 2
    PCS_FEATURE_EDGE_EDGE    ///< two edge lines
} pcs_feature_kind;

/// One contact between two bodies as a pair of features, each fixed in its body: enough to say
/// gap, normal and contact points at any pose. A point may carry a radius (sphere: its centre).
/// The id is unique within a pair of shapes: 0 for the one contact of a sphere, the number of the
/// vertex for a box or a hull on a half-space, else the two parts (face, edge, vertex) that face
/// each other.
typedef struct pcs_feature {
    pcs_feature_kind kind; ///< what touches what
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

/// Where a feature pair stands at given poses (theory 4.1).
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
/// shortest translation that parts them. Writes at most `capacity` of them to out (which may be
/// null if that is 0) and returns how many there are: no more than PCS_FEATURES_MAX, except under
/// meshes and height fields, where a large shape may rest on any number of triangles; if there are
/// more than were written, ask again with more room. Deterministic. Two half-spaces never touch.
/// Shapes must have passed pcs_shape_check; a pose that is not finite touches nothing.
PCS_API int pcs_collide(const pcs_shape *shape1, const double *q1, const pcs_shape *shape2,
                        const double *q2, double reach, int capacity, pcs_feature *out);

#ifdef __cplusplus
}
#endif

#endif
