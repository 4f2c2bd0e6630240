/// @file
/// Checkpoints: the state of a run as a file, from which it continues with the same bits.
#ifndef PERCUSS_CHECKPOINT_H
#define PERCUSS_CHECKPOINT_H

#include <percuss/state.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The data that a checkpoint contains beside the state.
typedef struct pcs_checkpoint_info {
    double t;                      ///< s, of the state
    long steps;                    ///< steps before the state, as given to pcs_checkpoint_write
    int nq;                        ///< coordinates
    int nv;                        ///< velocities
    unsigned long long model_hash; ///< pcs_model_hash of its model
    unsigned long long hash;       ///< pcs_state_hash of the state
    char version[24];              ///< version of percuss that wrote the file
} pcs_checkpoint_info;

/// Writes the state, with its remembered impulses, to a file. The file appears complete or not at
/// all; after a failure (PCS_ERR_FILE) an old file of that name is unchanged. `steps` (0 to
/// LONG_MAX / 2, else PCS_ERR_ARG) is stored with it. PCS_ERR_SIZE for a state that is not of this
/// model, or was not extended (pcs_state_extend) since systems were added to it.
PCS_NODISCARD PCS_API pcs_status pcs_checkpoint_write(const char *path, const pcs_model *model,
                                                      const pcs_state *state, long steps);

/// Reads a checkpoint into a state of the same model. The run then continues with the same bits as
/// without interruption, with any work. PCS_ERR_FORMAT when the file is no checkpoint, is cut or
/// changed (a checksum), has an impossible number of steps, was written by another version of
/// percuss, or on another kind of machine; PCS_ERR_ARG when it belongs to another model
/// (pcs_model_hash). After an error the state is unchanged. `info` may be null.
PCS_NODISCARD PCS_API pcs_status pcs_checkpoint_read(const char *path, const pcs_model *model,
                                                     pcs_state *state, pcs_checkpoint_info *info);

/// Reads and checks a checkpoint without its model.
PCS_NODISCARD PCS_API pcs_status pcs_checkpoint_read_info(const char *path,
                                                          pcs_checkpoint_info *info);

#ifdef __cplusplus
}
#endif

#endif
