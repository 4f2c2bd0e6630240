/// @file
/// A scene: a model, the objects that it borrows, and the settings of its run, as one object and as
/// a file (doc/scene-files.md).
///
///     pcs_scene *scene;
///     PCS_TRY(pcs_scene_read(NULL, "heap.json", &scene));
///     PCS_TRY(pcs_state_create(scene->model, &state));
///     PCS_TRY(pcs_work_create(scene->model, &work));
///     PCS_TRY(pcs_scene_run(scene, state, work, NULL, NULL, &why, &report));
#ifndef PERCUSS_SCENE_H
#define PERCUSS_SCENE_H

#include <stdbool.h>

#include <percuss/step.h>
#include <percuss/vehicle.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The settings of a run. A zero switches a setting off.
typedef struct pcs_scene_settings {
    double h;             ///< s, size of a step
    double t_end;         ///< s, end of the run
    int frame_steps;      ///< a frame of a trajectory every so many steps; 0: see frame_seconds
    double frame_seconds; ///< s, a frame every so many seconds; both 0: every step
    double rest_speed; ///< m/s: ends the run when every body is slower for rest_time; the speed of
                       ///< a body is the root mean square over its matter, that of a Lagrangian
                       ///< system its fastest coordinate
    double rest_time;  ///< s
    bool unconverged;  ///< ends it at the first step that did not converge, though the scheme
                       ///< commits it
    bool box;          ///< ends it when the centre of mass of a body leaves the box
    pcs_system box_body; ///< body that ends the run; {0}: any
    double box_low[3];   ///< m, lower corner, inertial
    double box_high[3];  ///< m, upper corner
    int max_steps;       ///< ends it after so many steps
} pcs_scene_settings;

/// A scene. The model and the settings may be changed.
typedef struct pcs_scene {
    pcs_model *model;                ///< owned
    pcs_scene_settings settings;     ///< the settings of a run
    const char *name;                ///< or ""; set by pcs_scene_describe
    const char *description;         ///< or ""
    struct pcs_scene_memory *memory; ///< private
} pcs_scene;

/// A scene with an empty model. env null: malloc and silence. Release with pcs_scene_destroy.
PCS_NODISCARD PCS_API pcs_status pcs_scene_create(const pcs_env *env, pcs_scene **out);

/// Destroys the scene, its model and all that it keeps. Accepts null. Destroy the states and works
/// of the model first.
PCS_API void pcs_scene_destroy(pcs_scene *scene);

/// Sets the name and the description of a scene, copied; null: "".
PCS_NODISCARD PCS_API pcs_status pcs_scene_describe(pcs_scene *scene, const char *name,
                                                    const char *description);

/// Gives a geometry to the scene, which destroys it with the model. After a failure it is
/// destroyed, too.
PCS_NODISCARD PCS_API pcs_status pcs_scene_keep(pcs_scene *scene, pcs_geometry *geometry);

/// The same for a vehicle.
PCS_NODISCARD PCS_API pcs_status pcs_scene_keep_vehicle(pcs_scene *scene, pcs_vehicle *vehicle);

/// Memory that lives as long as the scene, zeroed, for the data of `user` pointers. Null when
/// memory is out.
PCS_API void *pcs_scene_alloc(pcs_scene *scene, size_t bytes);

/// Reads a scene file. Reading is strict: unknown keys, numbers out of range and parts that do not
/// exist are refused, with a sentence that has file, line, column, path and the valid values.
/// PCS_ERR_FILE: it cannot be read; PCS_ERR_FORMAT, PCS_ERR_SIZE, PCS_ERR_ARG: its content. The
/// paths of other files in it are relative to its folder. `out` is null after a failure. The parser
/// of JSON (jansson) allocates with malloc.
PCS_NODISCARD PCS_API pcs_status pcs_scene_read(const pcs_env *env, const char *path,
                                                pcs_scene **out);

/// The same from a text in memory of `size` bytes; `name` stands for the path in sentences, and its
/// folder is that of other files (null: "scene", in the current folder).
PCS_NODISCARD PCS_API pcs_status pcs_scene_parse(const pcs_env *env, const char *text, size_t size,
                                                 const char *name, pcs_scene **out);

/// Writes the scene as a file for pcs_scene_read, with all digits of every number: the scene read
/// from it steps with the same bits. The file appears complete or not at all. PCS_ERR_UNSUPPORTED,
/// with a sentence that names the part, for callbacks that a file cannot hold.
PCS_NODISCARD PCS_API pcs_status pcs_scene_write(const pcs_scene *scene, const char *path);

/// Writes the JSON schema of scene files (draft 2020-12), which is made from the tables that the
/// reader uses. The file appears complete or not at all.
PCS_NODISCARD PCS_API pcs_status pcs_scene_write_schema(const char *path);

/// The reason why a run of a scene ended.
typedef enum pcs_scene_end {
    PCS_SCENE_END_TIME,        ///< the run reached t_end, or a step was not committed
    PCS_SCENE_END_OBSERVER,    ///< the observer stopped it
    PCS_SCENE_END_REST,        ///< all systems were at rest
    PCS_SCENE_END_UNCONVERGED, ///< a step did not converge
    PCS_SCENE_END_BOX,         ///< a body left the box
    PCS_SCENE_END_STEPS        ///< max_steps were made
} pcs_scene_end;

/// The reason in words.
PCS_API const char *pcs_scene_end_text(pcs_scene_end end);

/// Runs the scene by its settings: pcs_run from the time of the state to t_end in steps of h (both
/// > 0, else PCS_ERR_ARG), or until a stop condition holds after a step. The observer is called
/// first. `observer`, `end` and `report` may be null.
PCS_NODISCARD PCS_API pcs_status pcs_scene_run(const pcs_scene *scene, pcs_state *state,
                                               pcs_work *work, pcs_observer_fn observer, void *user,
                                               pcs_scene_end *end, pcs_run_report *report);

#ifdef __cplusplus
}
#endif

#endif
