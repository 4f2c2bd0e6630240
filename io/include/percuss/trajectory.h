/// @file
/// Trajectories: the motion of a model as an HDF5 file, recorded by an observer of pcs_run and read
/// back frame by frame. doc/trajectories.md has the layout.
#ifndef PERCUSS_TRAJECTORY_H
#define PERCUSS_TRAJECTORY_H

#include <percuss/force.h>
#include <percuss/step.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @name Recording
/// A file can be read while it is written, and has all complete frames when the program is killed.
/// HDF5 allocates with malloc; unless HDF5 is built thread-safe, only one thread at a time may
/// record or read.
/// @{

/// The options of a recording. Start from pcs_recorder_def_default.
typedef struct pcs_recorder_def {
    int every;     ///< a frame after every n-th step, >= 1; the first state is always a frame
    double dt;     ///< if > 0: a frame when the time reaches the next multiple of dt (s); 0: by
                   ///< `every`
    bool contacts; ///< with the contacts of the frames
    unsigned long long seed; ///< random seed of the scene, stored for the reader
    const char *title;       ///< a line about the run, or null; copied
    const char *scene;       ///< the text that the scene was made from, or null; copied
} pcs_recorder_def;

/// Every step, with contacts.
PCS_API pcs_recorder_def pcs_recorder_def_default(void);

/// An open trajectory file that grows.
typedef struct pcs_recorder pcs_recorder;

/// Creates the file with the model as it is now. The file has another name in the same folder until
/// it is ready for frames, and is then renamed: after a failure an old file of that name is
/// unchanged. PCS_ERR_FILE when it cannot be written, or another process has it open; PCS_ERR_ARG
/// for a definition out of range. `def` may be null. The model must not get new systems during the
/// recording. Release with pcs_recorder_close.
PCS_NODISCARD PCS_API pcs_status pcs_recorder_open(const char *path, const pcs_model *model,
                                                   const pcs_recorder_def *def, pcs_recorder **out);

/// The pcs_observer_fn to give to pcs_run, with the recorder as its user. Returns non-zero, which
/// stops the run, when the file cannot be written, or an argument is null (but `report`, and
/// `work` without one); pcs_recorder_close then says why. A step that
/// was not committed gives no frame.
PCS_API int pcs_recorder_observe(void *recorder, const pcs_model *model, const pcs_state *state,
                                 pcs_work *work, const pcs_step_report *report);

/// Records a frame of this state at any time, for drivers that call pcs_step themselves. `report`
/// is that of the step that led to the state, or null: there was no step, and the frame has no
/// contacts.
PCS_NODISCARD PCS_API pcs_status pcs_recorder_add(pcs_recorder *recorder, const pcs_model *model,
                                                  const pcs_state *state, pcs_work *work,
                                                  const pcs_step_report *report);

/// Frames recorded so far.
PCS_API long pcs_recorder_frames(const pcs_recorder *recorder);

/// Completes the file and releases the recorder, also after a failure: the status is that of the
/// first failure. Frames recorded before it stay in the file. Accepts null.
PCS_NODISCARD PCS_API pcs_status pcs_recorder_close(pcs_recorder *recorder);

/// @}
/// @name Reading
/// @{

/// A trajectory file that is open for reading.
typedef struct pcs_trajectory pcs_trajectory;

/// The origin of a trajectory. The texts belong to the trajectory.
typedef struct pcs_trajectory_info {
    long frames;                   ///< complete frames
    long steps;                    ///< reports of steps
    bool closed;                   ///< true when the recording was ended by pcs_recorder_close
    const char *version;           ///< version of percuss that recorded it
    const char *title;             ///< "" if it has none
    const char *scene;             ///< the text of the scene, "" if it has none
    const char *solver_options;    ///< a line NAME=VALUE for each
    unsigned long long seed;       ///< seed of pcs_recorder_def
    unsigned long long model_hash; ///< pcs_model_hash of the model that was recorded
} pcs_trajectory_info;

/// One frame. Its arrays belong to the trajectory until the next frame is read.
typedef struct pcs_trajectory_frame {
    double t;                   ///< s
    long step;                  ///< steps made before it; pcs_trajectory_read_steps gives the
                                ///< report of the last of them as number step - 1
    unsigned long long hash;    ///< pcs_state_hash of the state
    int nq;                     ///< entries of q
    int nv;                     ///< entries of v
    const double *q;            ///< as pcs_state.q, to the bit
    const double *v;            ///< as pcs_state.v, to the bit
    const double *driven_v;     ///< velocities of bodies with a prescribed motion, 6 each in the
                                ///< order of their ids; null if the file has none
    int contact_count;          ///< entries of contact
    const pcs_contact *contact; ///< active contacts of the step before it, to seven digits; the law
                                ///< has its mu only
    int force_count;            ///< entries of force: all force elements; 0 if the file has none
    const pcs_force_result *force; ///< what element i + 1 does in this state, to seven digits; NaN
                                   ///< where it could not be evaluated
} pcs_trajectory_frame;

/// Opens a trajectory, also one that is being recorded or whose recording was killed: its frames
/// are those that are complete now. PCS_ERR_FILE: it cannot be read. PCS_ERR_FORMAT: it is not a
/// trajectory, has another version, or is damaged. PCS_ERR_SIZE: sizes disagree. `env` null:
/// malloc. Release with pcs_trajectory_close.
PCS_NODISCARD PCS_API pcs_status pcs_trajectory_open(const pcs_env *env, const char *path,
                                                     pcs_trajectory **out);

/// True when a file is HDF5 and marked as a trajectory; its content is not checked.
PCS_API bool pcs_trajectory_fits(const char *path);

/// Accepts null.
PCS_API void pcs_trajectory_close(pcs_trajectory *trajectory);

/// Counts and provenance.
PCS_API pcs_trajectory_info pcs_trajectory_info_of(const pcs_trajectory *trajectory);

/// The model as it was when the recording began, for <percuss/parts.h>: ids, names, shapes with
/// their geometry, masses, materials, interactions, scheme. A file contains no code: forces are
/// missing, bodies with a prescribed motion are fixed, relations of the user and Lagrangian systems
/// fail when a step calls them. Bodies are at the origin: frames have their poses. Force elements
/// are not in it: pcs_trajectory_force has them. It belongs to the trajectory.
PCS_API const pcs_model *pcs_trajectory_model(const pcs_trajectory *trajectory);

/// Number of force elements of the recorded model; their ids run from 1. 0 for files of versions
/// that did not store them.
PCS_API int pcs_trajectory_force_count(const pcs_trajectory *trajectory);

/// The definition of a force element as pcs_model_force gave it when the recording began, without
/// callbacks. `enabled` may be null. PCS_ERR_ARG for one that does not exist.
PCS_NODISCARD PCS_API pcs_status pcs_trajectory_force(const pcs_trajectory *trajectory,
                                                      pcs_force force, pcs_force_def *out,
                                                      bool *enabled);

/// The name of a force element, "" for one without a name or that does not exist.
PCS_API const char *pcs_trajectory_force_name(const pcs_trajectory *trajectory, pcs_force force);

/// Times of all frames, s, in the order of the frames. They belong to the trajectory.
PCS_API const double *pcs_trajectory_times(const pcs_trajectory *trajectory);

/// Reads frame `number`, from 0. PCS_ERR_FORMAT for numbers that are not finite and for shapes or
/// systems that do not exist.
PCS_NODISCARD PCS_API pcs_status pcs_trajectory_read_frame(pcs_trajectory *trajectory, long number,
                                                           pcs_trajectory_frame *out);

/// The index of the first entry of q and v of a system in those of a frame; -1 if the system has
/// none.
PCS_API void pcs_trajectory_place(const pcs_trajectory *trajectory, pcs_system system, int *q,
                                  int *v);

/// The velocity of a body in a frame: of its centre of mass (m/s, inertial axes), then its angular
/// velocity (rad/s, body axes). For a body with a prescribed motion it is that of the motion; a
/// fixed body and the world {0} have zeros. NaN: the system is a Lagrangian one or does not exist,
/// or the version of percuss that wrote the file did not store velocities of prescribed motions.
/// Returns whether the body can move, by forces or a prescribed motion; `frame` may be null if only
/// this is wanted.
PCS_API bool pcs_trajectory_velocity(const pcs_trajectory *trajectory,
                                     const pcs_trajectory_frame *frame, pcs_system body,
                                     double v[6]);

/// Reads the reports of n steps from number `first` on; `t` (n, may be null) are the times at their
/// ends. Doubts have their counts only; members that are not in the file are zero.
PCS_NODISCARD PCS_API pcs_status pcs_trajectory_read_steps(pcs_trajectory *trajectory, long first,
                                                           long n, double *t, pcs_step_report *out);

/// @}

#ifdef __cplusplus
}
#endif

#endif
