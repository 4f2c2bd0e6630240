// The words of the scheme's choices, in the order of their enumerations: what args_choice stores
// may be cast.
#ifndef EXAMPLES_FLAGS_SCHEME_H
#define EXAMPLES_FLAGS_SCHEME_H

#define ACTIVATION_WORDS "predictive|speculative|end-of-step"
#define PROJECTION_WORDS "none|direct|overlaps|direct-hysteresis|combined|combined-equality"

#endif
