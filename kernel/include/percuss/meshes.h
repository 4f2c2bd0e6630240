/// @file
/// Shapes made of points: convex hulls, meshes and height fields. Their data is created once and
/// shared by shapes and models.
#ifndef PERCUSS_MESHES_H
#define PERCUSS_MESHES_H

#include <percuss/shape.h>

#ifdef __cplusplus
extern "C" {
#endif

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
/// makes contacts: a shape that is entirely beneath a triangle does not touch it. So a closed
/// surface of triangles that are clockwise from outside is a room, which holds what is in it and
/// lets in what is outside; pcs_inertia_of_mesh refuses it, and tells whether a list is inside out.
/// Triangles whose least height is under 1e-12 of their longest side are left out; vertices at
/// equal coordinates count as one, so that triangles are neighbours even if the list repeats
/// vertices. Copied. Destroy with pcs_geometry_destroy.
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

#ifdef __cplusplus
}
#endif

#endif
