/// @file
/// Who may touch whom: groups and masks of shapes, a filter, and the systems that a joint holds
/// together (doc/stepping.md).
#ifndef PERCUSS_TOUCHING_H
#define PERCUSS_TOUCHING_H

#include <percuss/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Whether two shapes may touch: 1 yes, 0 no, negative stops the step with PCS_ERR_CALLBACK. Asked
/// for pairs whose bounds are within reach and whose groups agree, the smaller number first;
/// systems {0} is the world. The same pair must always get the same answer.
typedef int (*pcs_filter_fn)(void *user, pcs_system system1, int shape1, pcs_system system2,
                             int shape2);

/// Group and mask bits of all shapes that a body (or the world, {0}) has so far. Two shapes may
/// touch when the group of each has a bit of the mask of the other; at first every group is 1 and
/// every mask ~0, so that all touch.
PCS_NODISCARD PCS_API pcs_status pcs_model_set_groups(pcs_model *model, pcs_system system,
                                                      unsigned group, unsigned mask);

/// The same of one shape.
PCS_NODISCARD PCS_API pcs_status pcs_model_set_shape_groups(pcs_model *model, int shape,
                                                            unsigned group, unsigned mask);

/// A filter for pairs of shapes, or null: none.
PCS_NODISCARD PCS_API pcs_status pcs_model_set_filter(pcs_model *model, pcs_filter_fn fn,
                                                      void *user);

/// Whether the shapes of two systems may touch though an interaction with an equality law holds
/// them together. At first they do not: at most joints they overlap. One such interaction of a pair
/// is enough to keep it apart. The world is floor and walls, too: of its shapes only those are left
/// out that one of the system overlaps however it turns about a pcs_relation_ball_joint (its end in
/// a post, say). Other laws keep nothing apart, and are refused here.
PCS_NODISCARD PCS_API pcs_status pcs_model_set_touching(pcs_model *model,
                                                        pcs_interaction interaction, bool touching);

#ifdef __cplusplus
}
#endif

#endif
