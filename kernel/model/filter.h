// The pairs of shapes that may touch.
#ifndef MODEL_FILTER_H
#define MODEL_FILTER_H

#include "model/model.h"
#include <percuss/state.h>

// true when anything keeps shapes apart
static inline bool model_filters(const pcs_model *m)
{
    return m->grouped || m->filter || m->n_joins > 0 || m->n_carried > 0;
}

// tells whether an interaction acts in a state
typedef struct filter_joints {
    bool (*act)(const pcs_model *m, const pcs_state *state, int interaction);
    const pcs_state *state;
} filter_joints;

// drops the pairs of shapes that groups, joints that act in the state, or the filter keep apart;
// the order of the others stays
pcs_status filter_pairs(const pcs_model *m, filter_joints joints, int (*pair)[2], int *n);

#endif
