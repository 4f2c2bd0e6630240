/// @file
/// Interactions that break: joints, ropes and other relations that bear a limited force or moment
/// (doc/joints.md).
#ifndef PERCUSS_STRENGTH_H
#define PERCUSS_STRENGTH_H

#include <percuss/state.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What an interaction bears, both > 0; INFINITY: any.
typedef struct pcs_strength {
    double force;  ///< N
    double moment; ///< N m
} pcs_strength;

/// Sets what an interaction bears; initially it bears everything. It breaks in a step in which its
/// mean reaction is larger: of a joint the norm of force1 or of moment1 of pcs_joint_state, of
/// other relations the norm of the impulses of their rows over the length of the step (a force
/// where the gaps are lengths; they have no moment). The reaction is that which the step has
/// computed and applied; from the next step on (of a step that is divided, from its next part) the
/// interaction does not act, and neither do the limits, motors and friction of that joint. Their
/// own forces do not count. An impact within a step counts with its impulse over the step;
/// pcs_impact and pcs_project break nothing. Broken is a part of the state. PCS_ERR_ARG, with a
/// sentence, for numbers that are not positive, a moment of a relation that is no joint, and
/// limits, motors and friction.
PCS_NODISCARD PCS_API pcs_status pcs_model_set_strength(pcs_model *model,
                                                        pcs_interaction interaction,
                                                        pcs_strength strength);

/// What an interaction bears; zero for an unknown one.
PCS_API pcs_strength pcs_model_strength(const pcs_model *model, pcs_interaction interaction);

/// True when the interaction is broken in the state, or what it acts on: the joint of limits, of a
/// motor or of friction.
PCS_API bool pcs_state_broken(const pcs_model *model, const pcs_state *state,
                              pcs_interaction interaction);

/// Breaks an interaction that may have any strength, or mends it: then it acts from the next step
/// on, and closes a joint that is open by a jump. PCS_ERR_ARG as pcs_model_set_strength;
/// PCS_ERR_MEMORY. On an error the state is unchanged.
PCS_NODISCARD PCS_API pcs_status pcs_state_set_broken(const pcs_model *model, pcs_state *state,
                                                      pcs_interaction interaction, bool broken);

#ifdef __cplusplus
}
#endif

#endif
