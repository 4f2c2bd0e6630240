// The words of the scheme's choices, in the order of their enumerations: what args_choice stores
// may be cast. And whether the choices go together.
#ifndef EXAMPLES_FLAGS_SCHEME_H
#define EXAMPLES_FLAGS_SCHEME_H

#include "args.h"

#include <percuss/kernel.h>

#define ACTIVATION_WORDS "automatic|predictive|speculative|end-of-step"
#define PROJECTION_WORDS "none|direct|overlaps|direct-hysteresis|combined|combined-equality"

// ends the program if they do not
static inline void scheme_fits(const pcs_scheme *scheme)
{
    if (pcs_scheme_check(scheme) == PCS_OK) return;
    args_refuse("--theta, --projection and the other flags of the scheme: %s", pcs_error_text());
}

#endif
