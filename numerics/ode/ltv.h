// Private side of the linear systems that vary with time, in <percuss/lti.h>.
#ifndef ODE_LTV_H
#define ODE_LTV_H

#include <percuss/lti.h>

#include "base/base.h"

// checks sizes, and that times increase
pcs_status ltv_check(const pcs_ltv *ltv, const char *who);

#endif
