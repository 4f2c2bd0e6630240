/// @file
/// The parts of a model: their names, their definitions, and how to disable them. The results of
/// these functions are enough to build the model again, except for the code of its callbacks.
#ifndef PERCUSS_PARTS_H
#define PERCUSS_PARTS_H

#include <percuss/inertia.h>
#include <percuss/touching.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @name Names
/// A part has no name ("") until it is given one. A name is UTF-8 of any length without control
/// characters or line ends, and it is copied. Two parts of one kind (system, shape, material,
/// interaction) cannot have the same name. Setting "" removes a name. Messages about a part show
/// its name beside its number. The names "world" and "default" (material {0}) cannot be changed.
/// @{

/// PCS_ERR_ARG for a name that is not valid, a name that another system has, and for the world.
PCS_NODISCARD PCS_API pcs_status pcs_model_set_system_name(pcs_model *model, pcs_system system,
                                                           const char *name);
/// "" if it has none. The text belongs to the model and is valid until the name changes.
PCS_API const char *pcs_model_system_name(const pcs_model *model, pcs_system system);
/// The system with this name. PCS_ERR_ARG, with `out` unchanged, when there is none.
PCS_NODISCARD PCS_API pcs_status pcs_model_find_system(const pcs_model *model, const char *name,
                                                       pcs_system *out);

/// The same for shapes, by their numbers from 0.
PCS_NODISCARD PCS_API pcs_status pcs_model_set_shape_name(pcs_model *model, int shape,
                                                          const char *name);
/// As pcs_model_system_name.
PCS_API const char *pcs_model_shape_name(const pcs_model *model, int shape);
/// As pcs_model_find_system.
PCS_NODISCARD PCS_API pcs_status pcs_model_find_shape(const pcs_model *model, const char *name,
                                                      int *out);

/// The same for materials.
PCS_NODISCARD PCS_API pcs_status pcs_model_set_material_name(pcs_model *model,
                                                             pcs_material material,
                                                             const char *name);
/// As pcs_model_system_name.
PCS_API const char *pcs_model_material_name(const pcs_model *model, pcs_material material);
/// As pcs_model_find_system.
PCS_NODISCARD PCS_API pcs_status pcs_model_find_material(const pcs_model *model, const char *name,
                                                         pcs_material *out);

/// The same for interactions.
PCS_NODISCARD PCS_API pcs_status pcs_model_set_interaction_name(pcs_model *model,
                                                                pcs_interaction interaction,
                                                                const char *name);
/// As pcs_model_system_name.
PCS_API const char *pcs_model_interaction_name(const pcs_model *model, pcs_interaction interaction);
/// As pcs_model_find_system.
PCS_NODISCARD PCS_API pcs_status pcs_model_find_interaction(const pcs_model *model,
                                                            const char *name, pcs_interaction *out);

/// @}
/// @name Disabling parts
/// Ids, states and works stay valid, and a part that is enabled again acts as before. Parts cannot
/// be removed in any other way.
/// @{

/// Disables a system, or enables it again. A disabled system stays as it is in every state: nothing
/// acts on it or touches it, its interactions do not act, its callbacks are not called, and
/// energies and momenta do not include it.
PCS_NODISCARD PCS_API pcs_status pcs_model_set_enabled(pcs_model *model, pcs_system system,
                                                       bool enabled);

/// True when a system takes part; the world does, an unknown system does not.
PCS_API bool pcs_model_enabled(const pcs_model *model, pcs_system system);

/// Disables a shape, or enables it again. A disabled shape touches nothing. Mass and inertia of its
/// body do not change.
PCS_NODISCARD PCS_API pcs_status pcs_model_set_shape_enabled(pcs_model *model, int shape,
                                                             bool enabled);

/// True when a shape exists and is enabled; its system may still be disabled.
PCS_API bool pcs_model_shape_enabled(const pcs_model *model, int shape);

/// Disables an interaction, or enables it again. A disabled interaction acts as if it had not been
/// added: its systems may also touch. To prevent that, give their shapes groups
/// (pcs_model_set_groups).
PCS_NODISCARD PCS_API pcs_status pcs_model_set_interaction_enabled(pcs_model *model,
                                                                   pcs_interaction interaction,
                                                                   bool enabled);

/// True when an interaction exists and is enabled; its systems may still be disabled.
PCS_API bool pcs_model_interaction_enabled(const pcs_model *model, pcs_interaction interaction);

/// @}
/// @name Definitions
/// A definition is returned as it was given, to the bit; members that are ignored have their
/// defaults. If they are added to an empty model in the order of their ids, that model steps with
/// the same bits. PCS_ERR_ARG, with `out` unchanged, for a part that does not exist. Data that a
/// definition points to belongs to the model or, where the model borrows it, to its owner.
/// @{

/// Gravity, m/s^2, inertial frame.
PCS_API void pcs_model_gravity(const pcs_model *model, double g[3]);

/// The scheme; the default one for a null model.
PCS_API pcs_scheme pcs_model_scheme(const pcs_model *model);

/// True for a Lagrangian system; false for bodies, the world and unknown systems.
PCS_API bool pcs_model_is_lagrangian(const pcs_model *model, pcs_system system);

/// The definition of a body. Of one added by pcs_model_add_solid it has the mass, inertia and
/// position that followed from its shapes. An inertia that is computed from the shapes is zero
/// here, too.
PCS_NODISCARD PCS_API pcs_status pcs_model_body(const pcs_model *model, pcs_system body,
                                                pcs_body_def *out);

/// Mass and inertia (about G, body axes; G = 0) that the steps use for a body that forces move.
PCS_NODISCARD PCS_API pcs_status pcs_model_inertia(const pcs_model *model, pcs_system body,
                                                   pcs_inertia *out);

/// The definition of a Lagrangian system, without sparse matrices. Its arrays belong to the model.
PCS_NODISCARD PCS_API pcs_status pcs_model_lagrangian(const pcs_model *model, pcs_system system,
                                                      pcs_lagrangian_def *out);

/// Number of materials, the default one ({0}) included.
PCS_API int pcs_model_material_count(const pcs_model *model);

/// The definition of a material.
PCS_NODISCARD PCS_API pcs_status pcs_model_material(const pcs_model *model, pcs_material material,
                                                    pcs_material_def *out);

/// True when two materials (in either order) have a law of their own by pcs_model_set_pair_law;
/// writes it to `law`, which may be null.
PCS_API bool pcs_model_pair_law(const pcs_model *model, pcs_material material1,
                                pcs_material material2, pcs_law *law);

/// The rule that makes a law from two materials, null for the default one; its user to *user, which
/// may be null.
PCS_API pcs_combine_fn pcs_model_combine(const pcs_model *model, void **user);

/// The filter for pairs of shapes, or null; its user to *user, which may be null.
PCS_API pcs_filter_fn pcs_model_filter(const pcs_model *model, void **user);

/// A shape as it is in a model.
typedef struct pcs_model_shape_def {
    pcs_shape shape;       ///< with its pose in the frame of its system; borrows its geometry
    pcs_system system;     ///< the body that carries it; {0}: the world
    pcs_material material; ///< material of its surface
    unsigned group;        ///< bits, see pcs_model_set_groups
    unsigned mask;         ///< bits
} pcs_model_shape_def;

/// A shape by its number.
PCS_NODISCARD PCS_API pcs_status pcs_model_shape(const pcs_model *model, int shape,
                                                 pcs_model_shape_def *out);

/// Number of interactions; their ids run from 1.
PCS_API int pcs_model_interaction_count(const pcs_model *model);

/// The definition of an interaction.
PCS_NODISCARD PCS_API pcs_status pcs_model_interaction(const pcs_model *model,
                                                       pcs_interaction interaction,
                                                       pcs_interaction_def *out);

/// True when the systems of an interaction may touch (pcs_model_set_touching), and for interactions
/// that are not joints.
PCS_API bool pcs_model_touching(const pcs_model *model, pcs_interaction interaction);

/// The kinds of relations. The parameters of a built-in one are in `data`.
typedef enum pcs_relation_kind {
    PCS_RELATION_USER,       ///< callbacks of the user
    PCS_RELATION_DISTANCE,   ///< data: p1 (3), p2 (3), length
    PCS_RELATION_BALL_JOINT, ///< data: p1 (3), p2 (3)
    PCS_RELATION_LINEAR,     ///< data: n, c (n), b; with 2 rows then t (n)
    PCS_RELATION_ROPE,       ///< data: p1 (3), p2 (3), length
    PCS_RELATION_JOINT,      ///< a joint of other kinds; pcs_model_joint reads it
    PCS_RELATION_LIMITS,     ///< limits of a joint; pcs_model_joint_limits reads them
    PCS_RELATION_COORDINATE  ///< a coordinate of a joint; pcs_model_joint_motor reads it
} pcs_relation_kind;

/// The kind of a relation; PCS_RELATION_USER for null.
PCS_API pcs_relation_kind pcs_relation_kind_of(const pcs_relation *relation);

/// A 64-bit FNV-1a hash of all definitions, including the scheme and the disabled parts. Of
/// callbacks it contains only whether there is one, of names nothing. Two models with the same hash
/// (and the same callbacks) step with the same bits.
PCS_API unsigned long long pcs_model_hash(const pcs_model *model);

/// @}
/// @name Geometries
/// The data of hulls, meshes and height fields, in the frame of the shape. They belong to the
/// geometry. Creating one from them gives the same geometry again.
/// @{

/// PCS_SHAPE_HULL, PCS_SHAPE_MESH or PCS_SHAPE_HEIGHT_FIELD; PCS_SHAPE_SPHERE of null.
PCS_API pcs_shape_kind pcs_geometry_kind(const pcs_geometry *geometry);

/// Writes the vertices of a hull or a mesh (x y z each) to *out and returns their number. Of a hull
/// those points that are vertices, in the order of x, then y, then z; of a mesh all points given. 0
/// for a height field.
PCS_API int pcs_geometry_vertices(const pcs_geometry *geometry, const double **out);

/// Writes the triangles of a mesh (three numbers of vertices each) to *out and returns their
/// number. Triangles that are too thin are left out; of vertices at equal coordinates the first is
/// used. 0 for other kinds.
PCS_API int pcs_geometry_triangles(const pcs_geometry *geometry, const int **out);

/// Faces of a hull, flat polygons: face f has the vertices corner[first[f]] ... corner[first[f + 1]
/// - 1], counter-clockwise from outside. Returns their number; 0 for other kinds.
PCS_API int pcs_geometry_faces(const pcs_geometry *geometry, const int **first, const int **corner);

/// Writes the nx ny heights of a height field to *out, with its grid; false, and nothing is
/// written, for other kinds.
PCS_API bool pcs_geometry_heights(const pcs_geometry *geometry, int *nx, int *ny, double *dx,
                                  double *dy, const double **out);

/// @}

#ifdef __cplusplus
}
#endif

#endif
