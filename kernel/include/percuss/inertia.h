/// @file
/// Mass, centre of mass and inertia of rigid bodies: from mass elements, common solids and closed
/// meshes; translated, rotated, combined and checked (theory 3.4).
///
/// SI units. Inertia tensors are 3 x 3, column-major: J = int (|r|^2 I - r r^T) dm, so that the
/// entries off the diagonal are minus the products of inertia. When a function fails its output is
/// unchanged.
#ifndef PERCUSS_INERTIA_H
#define PERCUSS_INERTIA_H

#include <percuss/body.h>
#include <percuss/shape.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @name Elements, solids and thin bodies
/// @{

/// n mass elements: masses (n, kg, none negative, not all zero) at points (3 n). PCS_ERR_ARG
/// otherwise.
PCS_NODISCARD PCS_API pcs_status pcs_inertia_of_points(int n, const double *masses,
                                                       const double *points, pcs_inertia *out);

/// The inside of a closed surface of triangles, three vertices each (numbers from 0 into n_vertices
/// points x y z), counter-clockwise from outside: exact integrals of the polyhedron. Vertices at
/// equal coordinates are one. The surface may have several pieces, and cavities whose triangles are
/// counter-clockwise seen from within them; overlaps count twice. PCS_ERR_ARG with a sentence where
/// the triangles do not use an edge equally often in both directions (the surface is open, or its
/// triangles are not consistently oriented), for a surface inside out, one without volume (1e-12 of
/// its bounding box), a vertex number out of range, or a number that is not finite.
PCS_NODISCARD PCS_API pcs_status pcs_inertia_of_mesh(int n_vertices, const double *vertices,
                                                     int n_triangles, const int *triangles,
                                                     double density, pcs_inertia *out);

/// A contact shape with its pose, filled with a density in kg/m^3; G and J in the frame of the
/// body. Refuses half-spaces, height fields and surfaces that are not closed.
PCS_NODISCARD PCS_API pcs_status pcs_inertia_of_shape(const pcs_shape *shape, double density,
                                                      pcs_inertia *out);

/// n >= 1 contact shapes together, each with its density. Where shapes overlap both count.
PCS_NODISCARD PCS_API pcs_status pcs_inertia_of_shapes(int n, const pcs_shape *shapes,
                                                       const double *densities, pcs_inertia *out);

/// Scales mass and inertia to a total mass: for solids whose mass is known and density is not.
/// PCS_ERR_ARG unless both masses are positive and finite.
PCS_NODISCARD PCS_API pcs_status pcs_inertia_set_mass(pcs_inertia *b, double mass);

/// @}
/// @name Common solids
/// About the origin of their frame; `axis` is the axis of a solid of revolution: 0, 1 or 2 for x,
/// y, z. Density in kg/m^3, of thin bodies in kg/m^2 or kg/m as stated. Lengths are full lengths.
/// PCS_ERR_ARG for sizes and densities that are not positive and finite, and for other axes.
/// @{

/// Ball.
PCS_NODISCARD PCS_API pcs_status pcs_solid_sphere(double density, double radius, pcs_inertia *out);
/// Ball with a concentric hollow, 0 <= inner < outer; no digits are lost as inner approaches outer.
PCS_NODISCARD PCS_API pcs_status pcs_solid_hollow_sphere(double density, double outer, double inner,
                                                         pcs_inertia *out);
/// Half a ball on the side of the positive axis, its flat side through the origin: G at 3/8 radius.
PCS_NODISCARD PCS_API pcs_status pcs_solid_hemisphere(double density, double radius, int axis,
                                                      pcs_inertia *out);
/// Half axes a, b, c along x, y, z.
PCS_NODISCARD PCS_API pcs_status pcs_solid_ellipsoid(double density, double a, double b, double c,
                                                     pcs_inertia *out);
/// Full edges a, b, c along x, y, z.
PCS_NODISCARD PCS_API pcs_status pcs_solid_box(double density, double a, double b, double c,
                                               pcs_inertia *out);
/// Cylinder.
PCS_NODISCARD PCS_API pcs_status pcs_solid_cylinder(double density, double radius, double length,
                                                    int axis, pcs_inertia *out);
/// Cylinder with a coaxial bore, 0 <= inner < outer.
PCS_NODISCARD PCS_API pcs_status pcs_solid_tube(double density, double outer, double inner,
                                                double length, int axis, pcs_inertia *out);
/// Cone with the centre of its base at the origin and its tip at +height: G at height/4.
PCS_NODISCARD PCS_API pcs_status pcs_solid_cone(double density, double radius, double height,
                                                int axis, pcs_inertia *out);
/// Cylinder of this length between two half balls; length may be 0.
PCS_NODISCARD PCS_API pcs_status pcs_solid_capsule(double density, double radius, double length,
                                                   int axis, pcs_inertia *out);
/// Torus: a disc of radius `minor` swept round the axis at distance `major` >= minor.
PCS_NODISCARD PCS_API pcs_status pcs_solid_torus(double density, double major, double minor,
                                                 int axis, pcs_inertia *out);
/// Tetrahedron of four corners (3 each), in any order; PCS_ERR_ARG if they are in a plane.
PCS_NODISCARD PCS_API pcs_status pcs_solid_tetrahedron(double density, const double corners[12],
                                                       pcs_inertia *out);
/// Sphere without thickness, kg/m^2.
PCS_NODISCARD PCS_API pcs_status pcs_thin_sphere(double density, double radius, pcs_inertia *out);
/// Cylinder mantle without thickness or ends, kg/m^2.
PCS_NODISCARD PCS_API pcs_status pcs_thin_tube(double density, double radius, double length,
                                               int axis, pcs_inertia *out);
/// Disc across the axis, kg/m^2.
PCS_NODISCARD PCS_API pcs_status pcs_thin_disc(double density, double radius, int axis,
                                               pcs_inertia *out);
/// Ring across the axis, kg/m.
PCS_NODISCARD PCS_API pcs_status pcs_thin_ring(double density, double radius, int axis,
                                               pcs_inertia *out);
/// Rectangle with full edges a along x and b along y, kg/m^2.
PCS_NODISCARD PCS_API pcs_status pcs_thin_plate(double density, double a, double b,
                                                pcs_inertia *out);
/// Rod along the axis, centred, kg/m. It has no inertia about the axis (pcs_inertia_check).
PCS_NODISCARD PCS_API pcs_status pcs_thin_rod(double density, double length, int axis,
                                              pcs_inertia *out);

/// @}
/// @name Solids of known mass
/// About their centre, which is the origin: for pcs_body_def_of_inertia (theory 3.4).
/// @{

/// Sphere.
PCS_API pcs_inertia pcs_inertia_sphere(double mass, double radius);
/// Box with full edges a, b, c along the axes.
PCS_API pcs_inertia pcs_inertia_box(double mass, double a, double b, double c);
/// Cylinder about the z axis with its full length.
PCS_API pcs_inertia pcs_inertia_cylinder(double mass, double radius, double length);
/// Capsule about the z axis; length is that of the core, without the caps.
PCS_API pcs_inertia pcs_inertia_capsule(double mass, double radius, double length);

/// @}
/// @name Axes and frames
/// @{

/// J about a point O at d from G (or at -d): J_G + m (|d|^2 I - d d^T) (theory 3.4, E-33). J_O may
/// be J_G.
PCS_API void pcs_parallel_axes(double m, const double d[3], const double J_G[9], double J_O[9]);

/// The inverse, from O to G: J_O - m (|d|^2 I - d d^T). J_G may be J_O. Both hold only between G
/// and another point: between two other points go through G.
PCS_API void pcs_parallel_axes_back(double m, const double d[3], const double J_O[9],
                                    double J_G[9]);

/// The inertia about a point of the frame.
PCS_API void pcs_inertia_about(const pcs_inertia *b, const double point[3], double J[9]);

/// A body whose inertia is known about some point. PCS_ERR_ARG if the inertia about G is impossible
/// (pcs_inertia_check, also about bodies that are a line).
PCS_NODISCARD PCS_API pcs_status pcs_inertia_from_about(double m, const double G[3],
                                                        const double point[3], const double J[9],
                                                        pcs_inertia *out);

/// R J R^T: from body components to those of the frame into which R maps; exactly symmetric. out
/// may be J.
PCS_API void pcs_inertia_rotate(const double R[9], const double J[9], double out[9]);

/// The body in another frame, in which its frame has the pose q = (x, Q), any |Q| > 0: x + R G,
/// R J R^T. out may be b.
PCS_API void pcs_inertia_transform(const double q[7], const pcs_inertia *b, pcs_inertia *out);

/// Moments (Jxx, Jyy, Jzz) and products of inertia (Ixy, Iyz, Izx), I_xy = int x y dm = -J_xy.
PCS_API void pcs_inertia_products(const double J[9], double moments[3], double products[3]);

/// J from moments and products of inertia.
PCS_API void pcs_inertia_from_products(const double moments[3], const double products[3],
                                       double J[9]);

/// Principal moments in ascending order and axes, the columns of the rotation R: J = R diag R^T.
/// By Jacobi's rotations, which for a definite J keep the digits of the small moments too. Of a
/// diagonal J the axes are exact; the largest entries of the first two columns are positive.
/// PCS_ERR_ARG if J is not finite or not symmetric to 1e-9.
PCS_NODISCARD PCS_API pcs_status pcs_inertia_principal(const double J[9], double moments[3],
                                                       double R[9]);

/// @}
/// @name Bodies together
/// @{

/// n >= 1 bodies, all in one frame, as one. PCS_ERR_ARG for a mass that is not positive, or a
/// number that is not finite.
PCS_NODISCARD PCS_API pcs_status pcs_inertia_combine(int n, const pcs_inertia *bodies,
                                                     pcs_inertia *out);

/// A body with a part cut out, both in one frame. PCS_ERR_ARG if no mass remains, or the rest is
/// impossible (pcs_inertia_check). out may be either.
PCS_NODISCARD PCS_API pcs_status pcs_inertia_remove(const pcs_inertia *whole,
                                                    const pcs_inertia *part, pcs_inertia *out);

/// Checks that a body can exist and move: PCS_ERR_ARG for a mass that is not positive, a J that is
/// not symmetric to 1e-9, a negative moment, a largest principal moment beyond the sum of the
/// others (to 1e-9: no distribution of mass has that); PCS_ERR_SINGULAR if only a principal moment
/// is too small, below 1e-12 of the largest, as for mass on a line or in one point.
PCS_NODISCARD PCS_API pcs_status pcs_inertia_check(const pcs_inertia *b);

/// M (6 x 6) of a body in a frame fixed in it whose origin need not be G: kinetic energy
/// 1/2 nu^T M nu with nu = (V, omega) of the origin, in the components of the frame:
/// [m I, -m [G]x; m [G]x, J about the origin].
PCS_API void pcs_inertia_mass_matrix(const pcs_inertia *b, double M[36]);

/// @}

#ifdef __cplusplus
}
#endif

#endif
