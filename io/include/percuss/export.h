/// @file
/// Trajectories for other programs: tables (CSV), ParaView (VTK), Blender and browsers (glTF), film
/// and robotics software (USD). doc/export.md compares them.
#ifndef PERCUSS_EXPORT_H
#define PERCUSS_EXPORT_H

#include <percuss/trajectory.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The formats.
typedef enum pcs_export_kind {
    PCS_EXPORT_CSV,    ///< .csv: tables of bodies, contacts, force elements and steps
    PCS_EXPORT_PVD,    ///< .pvd: a list of .vtp files, one for each frame, in a folder beside it
    PCS_EXPORT_VTKHDF, ///< .vtkhdf: all frames in one HDF5 file (ParaView 5.12 and later)
    PCS_EXPORT_GLTF,   ///< .glb: binary glTF 2.0 with an animation
    PCS_EXPORT_USD,    ///< .usda: USD as text, with time samples
    PCS_EXPORT_COUNT   ///< number of them
} pcs_export_kind;

/// The tables of a CSV export.
typedef enum pcs_export_table {
    PCS_EXPORT_TABLE_ALL,         ///< all of the following, NAME-bodies.csv for NAME.csv and so on
    PCS_EXPORT_TABLE_BODIES,      ///< a row for each frame and body
    PCS_EXPORT_TABLE_COORDINATES, ///< a row for each frame and coordinate of a Lagrangian system
    PCS_EXPORT_TABLE_CONTACTS,    ///< a row for each contact, and row of an interaction, of a frame
    PCS_EXPORT_TABLE_STEPS,       ///< a row for each step: its report and energies
    PCS_EXPORT_TABLE_FORCES,      ///< a row for each force element of a frame
    PCS_EXPORT_TABLE_COUNT        ///< number of them
} pcs_export_table;

/// The options of an export. Start from pcs_export_def_default.
typedef struct pcs_export_def {
    long first;             ///< number of the first frame, from 0
    long last;              ///< number of the last frame; -1: the last of the trajectory
    int every;              ///< every n-th frame from the first on, >= 1; the last one always
    bool contacts;          ///< with contacts, in the formats that can show them
    double tolerance;       ///< depth of triangles inside a round surface, relative to its
                            ///< radius, 1e-6 to 0.5; 0: 0.02, and 0.1 in the formats of ParaView,
                            ///< where every frame has its triangles
    pcs_export_table table; ///< CSV only
} pcs_export_def;

/// All frames, with contacts, the tolerance of the format, all tables.
PCS_API pcs_export_def pcs_export_def_default(void);

/// The file ending of a format, without its dot: "csv", "pvd", "vtkhdf", "glb", "usda"; "" for an
/// invalid format.
PCS_API const char *pcs_export_ending(pcs_export_kind kind);

/// The format of a file by the ending of its name, in any case of letters. PCS_ERR_ARG for any
/// other ending.
PCS_NODISCARD PCS_API pcs_status pcs_export_kind_of(const char *path, pcs_export_kind *out);

/// Writes a trajectory in another format. `def` may be null. A file appears complete or not at all;
/// for formats with several files doc/export.md describes the state after a failure. *frames (may
/// be null) gets the number of frames written. PCS_ERR_ARG for a trajectory without a frame and a
/// definition out of range; PCS_ERR_FILE when something cannot be written; else the errors of
/// reading.
PCS_NODISCARD PCS_API pcs_status pcs_trajectory_export(pcs_trajectory *trajectory,
                                                       pcs_export_kind kind,
                                                       const pcs_export_def *def, const char *path,
                                                       long *frames);

#ifdef __cplusplus
}
#endif

#endif
