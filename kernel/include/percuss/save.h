/// @file
/// Saving a state as bytes, and comparing states bit by bit.
#ifndef PERCUSS_SAVE_H
#define PERCUSS_SAVE_H

#include <percuss/state.h>

#ifdef __cplusplus
extern "C" {
#endif

/// True when all bits agree, remembered impulses included.
PCS_API bool pcs_state_equal(const pcs_state *a, const pcs_state *b);

/// A 64-bit FNV-1a hash of all that pcs_state_equal compares.
PCS_API unsigned long long pcs_state_hash(const pcs_state *state);

/// Bytes pcs_state_save writes.
PCS_API size_t pcs_state_save_bytes(const pcs_state *state);

/// Writes the state to `bytes` (pcs_state_save_bytes of them), for pcs_state_load on the same kind
/// of machine.
PCS_API void pcs_state_save(const pcs_state *state, void *bytes);

/// Reads bytes of pcs_state_save into a state of the same model. PCS_ERR_SIZE for another number of
/// bytes than were saved, or a state of another model; PCS_ERR_FORMAT for bytes that are not a
/// state, are in the layout of another version, or have changed since (a checksum). After an error
/// the state is unchanged. The bytes are those of this machine's integers and doubles.
PCS_NODISCARD PCS_API pcs_status pcs_state_load(pcs_state *state, const void *bytes, size_t size);

#ifdef __cplusplus
}
#endif

#endif
