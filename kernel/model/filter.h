// The pairs of shapes that may touch.
#ifndef MODEL_FILTER_H
#define MODEL_FILTER_H

#include "model/model.h"

// true when anything keeps shapes apart
static inline bool model_filters(const pcs_model *m)
{
    return m->grouped || m->filter || m->n_joins > 0 || m->n_carried > 0;
}

// drops the pairs of shapes that groups, joints or the filter keep apart, the order of the others
// stays
pcs_status filter_pairs(const pcs_model *m, int (*pair)[2], int *n);

#endif
