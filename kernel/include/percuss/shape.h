/// @file
/// Shapes. Hulls, meshes and height fields are in <percuss/meshes.h>, contact detection between two
/// shapes in <percuss/features.h>.
#ifndef PERCUSS_SHAPE_H
#define PERCUSS_SHAPE_H

#include <percuss/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The kinds of shapes.
typedef enum pcs_shape_kind {
    PCS_SHAPE_SPHERE,     ///< radius about the shape's origin
    PCS_SHAPE_HALF_SPACE, ///< all points with z <= 0 in the shape's frame; the normal is its z axis
    PCS_SHAPE_BOX,        ///< |x_i| <= half[i] in the shape's frame
    PCS_SHAPE_CAPSULE,    ///< all points within radius of the segment |z| <= half[2] of the z axis
    PCS_SHAPE_CYLINDER,   ///< x^2 + y^2 <= radius^2, |z| <= half[2] in the shape's frame
    PCS_SHAPE_HULL,       ///< convex hull of points; geometry
    PCS_SHAPE_MESH,       ///< triangles of a surface with an inside; geometry; only on bodies that
                          ///< no force moves
    PCS_SHAPE_HEIGHT_FIELD ///< z <= height(x, y) over a rectangle; geometry; likewise
} pcs_shape_kind;

/// The data of a hull, a mesh or a height field: immutable, created once, shared by any number of
/// shapes and models, which borrow it.
typedef struct pcs_geometry pcs_geometry;

/// A shape with its pose in the frame of the body that carries it (origin G, body axes).
typedef struct pcs_shape {
    pcs_shape_kind kind;   ///< decides which of the sizes below are used
    double position[3];    ///< position of the origin of the shape, m
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

/// Refuses shapes that are not finite or have no size, with a sentence.
PCS_NODISCARD PCS_API pcs_status pcs_shape_check(const pcs_shape *shape);

#ifdef __cplusplus
}
#endif

#endif
