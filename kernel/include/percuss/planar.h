/// @file
/// Shapes of planar bodies, and bodies of several of them with a density in kg/m^2. Bodies of one
/// shape are made by pcs_model_add_disk, pcs_model_add_rectangle and pcs_model_add_polygon. The
/// axes of a plane are x and y, x and z, or y and z. In contact detection a disk is a sphere
/// (pcs_shape_sphere) and a polygon a prism along the normal, as deep as it is wide.
#ifndef PERCUSS_PLANAR_H
#define PERCUSS_PLANAR_H

#include <percuss/meshes.h>
#include <percuss/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A rectangle about the body's origin with full edges a and b along the two axes of the plane: a
/// box whose third edge is the diagonal.
PCS_API pcs_shape pcs_shape_rectangle(pcs_plane plane, double a, double b);

/// The prism of a convex polygon of n >= 3 corners (2 n numbers along the axes of the plane, in
/// order, either way round) as a hull, for pcs_shape_hull. PCS_ERR_ARG for polygons that are not
/// convex. Copied. Destroy with pcs_geometry_destroy.
PCS_NODISCARD PCS_API pcs_status pcs_geometry_create_polygon(const pcs_env *env, pcs_plane plane,
                                                             int n, const double *corners,
                                                             pcs_geometry **out);

/// Number of corners of a geometry that pcs_geometry_create_polygon makes in this plane, which are
/// written to `corners` (2 each, counter-clockwise from the first axis to the second) unless it is
/// null; 0 for any other geometry. Creating one from these corners gives the same geometry again.
PCS_API int pcs_geometry_polygon(const pcs_geometry *geometry, pcs_plane plane, double *corners);

/// pcs_body_def_of_shapes in the plane def->plane, with densities in kg/m^2: shapes are spheres
/// (disks), boxes (rectangles) and prisms of polygons. Of the inertia only the moment about the
/// normal counts; it is on all of the diagonal. PCS_ERR_ARG for other shapes, and for those whose
/// pose leaves the plane.
PCS_NODISCARD PCS_API pcs_status pcs_body_def_of_planar_shapes(int n, const pcs_shape *shapes,
                                                               const double *densities,
                                                               pcs_body_def *def,
                                                               pcs_shape *about_G);

/// pcs_model_add_solid in the plane def->plane, with a density in kg/m^2, of shapes as
/// pcs_body_def_of_planar_shapes takes them. Geometries are borrowed. `out` may be null.
PCS_NODISCARD PCS_API pcs_status pcs_model_add_planar_solid(pcs_model *model,
                                                            const pcs_body_def *def, int n,
                                                            const pcs_shape *shapes, double density,
                                                            pcs_material material, pcs_system *out);

#ifdef __cplusplus
}
#endif

#endif
