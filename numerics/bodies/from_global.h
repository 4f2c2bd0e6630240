// The global form as a contact problem of bodies.
#ifndef BODIES_FROM_GLOBAL_H
#define BODIES_FROM_GLOBAL_H

#include "bodies/bodies.h"
#include <percuss/global.h>

// Borrows from g, the rest comes from the arena. PCS_ERR_UNSUPPORTED, without a sentence, where M
// is not block-diagonal, or a cone block touches none or more than two of its blocks
pcs_status bodies_from_global(const pcs_global_problem *g, pcs_arena *arena, bodies_problem *out);

#endif
