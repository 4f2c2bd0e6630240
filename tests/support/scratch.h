// Memory for the problems of a test: everything in it is given up together.
#ifndef SUPPORT_SCRATCH_H
#define SUPPORT_SCRATCH_H

#include "support.h"

extern pcs_arena arena; // 64 MB after the first reset

// empties it
void reset(void);

#endif
