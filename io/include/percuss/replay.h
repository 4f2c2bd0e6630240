/// @file
/// The replay page: a trajectory as one HTML file that shows it in a browser, without a server and
/// without a network (doc/replay.md).
#ifndef PERCUSS_REPLAY_H
#define PERCUSS_REPLAY_H

#include <percuss/trajectory.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The options of a page. Start from pcs_replay_def_default.
typedef struct pcs_replay_def {
    const char *title; ///< null: the title of the trajectory, or "trajectory" if it has none
    int every;         ///< shows every n-th frame, >= 1; the last one always
    double most_bytes; ///< leaves out more frames where the page would become larger; > 0
    bool contacts;     ///< shows the contact points and impulses
} pcs_replay_def;

/// Every frame, at most 40 million bytes, with contacts.
PCS_API pcs_replay_def pcs_replay_def_default(void);

/// Writes the page of a trajectory to a file, which appears complete or not at all. `def` may be
/// null. Poses are rounded to 1/65535 of the box in which a body moves, rotations to 1/32767;
/// contacts are at their places at the start of the step before a frame. *frames, which may be
/// null, is the number of frames on the page. PCS_ERR_ARG for a trajectory without a frame and a
/// definition out of range; PCS_ERR_FILE when the file cannot be written; else the errors of
/// reading.
PCS_NODISCARD PCS_API pcs_status pcs_replay_write(pcs_trajectory *trajectory,
                                                  const pcs_replay_def *def, const char *path,
                                                  long *frames);

#ifdef __cplusplus
}
#endif

#endif
