// A classical mistake: projection with the gradient of a rotation that is not normalised.
#ifndef EXAMPLES_CHECKS_RAW_GRADIENT_H
#define EXAMPLES_CHECKS_RAW_GRADIENT_H

#include "checks/projection_checks.h"

// a table of balls in the floor, of three radii, by the right gradient and by the raw one
pcs_status show_raw_gradient(checks *c, const settings *set, csv *out);

#endif
