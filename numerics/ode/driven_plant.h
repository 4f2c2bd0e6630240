// Private side of <percuss/plant.h>.
#ifndef ODE_DRIVEN_PLANT_H
#define ODE_DRIVEN_PLANT_H

#include <percuss/plant.h>

#include "base/base.h"

// checks the sizes, f, and g if there are outputs
pcs_status plant_check(const pcs_plant *plant, const char *who);

const pcs_plant *driven_plant(const pcs_driven *driven);

// computes u at t, nu finite numbers, or returns PCS_ERR_CALLBACK
pcs_status driven_input(pcs_driven *driven, double t, double *u);

#endif
