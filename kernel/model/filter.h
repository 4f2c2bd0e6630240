// Which pairs of shapes may touch at all.
#ifndef MODEL_FILTER_H
#define MODEL_FILTER_H

#include "model/model.h"

// drops the pairs of shapes that groups, joints or the filter keep apart, the order of the others
// stays
pcs_status filter_pairs(const pcs_model *m, int (*pair)[2], int *n);

#endif
