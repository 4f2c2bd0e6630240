// The law between two materials of a model.
#ifndef LAWS_LAW_H
#define LAWS_LAW_H

#include "model/model.h"

// asks the model's rule; PCS_ERR_CALLBACK when the rule answers something that is no contact law
pcs_status law_between(const pcs_model *m, int material1, int material2, pcs_law *out);

// whether the law makes a Coulomb block: with mu = 0 it is Newton impact, one row
bool law_has_friction(const pcs_law *law);

#endif
