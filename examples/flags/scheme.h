// The words for the choices of the scheme, in the order of their enumerations, so that the number
// that args_choice stores can be cast; and a check that the choices go together.
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
