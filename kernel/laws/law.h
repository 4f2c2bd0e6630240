// The law between two materials of a model.
#ifndef LAWS_LAW_H
#define LAWS_LAW_H

#include "model/model.h"

// asks the model's rule; PCS_ERR_CALLBACK when the rule answers something that is no contact law
pcs_status law_between(const pcs_model *m, int material1, int material2, pcs_law *out);

#endif
