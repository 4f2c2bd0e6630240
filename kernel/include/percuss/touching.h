/// @file
/// The shapes that may touch: groups and masks of shapes, a filter, and the systems that a joint
/// connects (doc/stepping.md).
#ifndef PERCUSS_TOUCHING_H
#define PERCUSS_TOUCHING_H

#include <percuss/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Decides if two shapes may touch: 1 yes, 0 no, negative stops the step with PCS_ERR_CALLBACK.
/// Called for pairs whose bounds are within reach and whose groups agree, the smaller number first;
/// system {0} is the world. It must always return the same for the same pair.
typedef int (*pcs_filter_fn)(void *user, pcs_system system1, int shape1, pcs_system system2,
                             int shape2);

/// Sets group and mask bits of all shapes that a body (or the world, {0}) has so far. Two shapes
/// may touch when the group of each has a bit of the mask of the other; initially every group is 1
/// and every mask ~0, so that all touch.
PCS_NODISCARD PCS_API pcs_status pcs_model_set_groups(pcs_model *model, pcs_system system,
                                                      unsigned group, unsigned mask);

/// The same for one shape.
PCS_NODISCARD PCS_API pcs_status pcs_model_set_shape_groups(pcs_model *model, int shape,
                                                            unsigned group, unsigned mask);

/// A filter for pairs of shapes, or null: none.
PCS_NODISCARD PCS_API pcs_status pcs_model_set_filter(pcs_model *model, pcs_filter_fn fn,
                                                      void *user);

/// Sets whether the shapes of two systems may touch although an interaction with an equality law (a
/// joint) connects them. Initially they may not, since shapes overlap at most joints. One such
/// interaction prevents all contacts of its two systems. With the world as the second system, which
/// also has floor and walls, only those shapes of the world are excluded that a shape of the system
/// overlaps in every orientation about a pcs_relation_ball_joint (its end in a post, for example).
/// Interactions with other laws prevent no contacts, and are refused here (PCS_ERR_ARG).
PCS_NODISCARD PCS_API pcs_status pcs_model_set_touching(pcs_model *model,
                                                        pcs_interaction interaction, bool touching);

#ifdef __cplusplus
}
#endif

#endif
