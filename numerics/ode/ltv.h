// Private side of the linear systems that vary with time, in <percuss/lti.h>.
#ifndef ODE_LTV_H
#define ODE_LTV_H

#include <percuss/lti.h>

#include "base/base.h"

// sizes, and times that rise
pcs_status ltv_check(const pcs_ltv *ltv, const char *who);

#endif
