// Memory for the problems of a test, released as a whole.
#ifndef SUPPORT_SCRATCH_H
#define SUPPORT_SCRATCH_H

#include "support.h"

extern pcs_arena arena; // 64 MB after the first reset

// makes it empty
void reset(void);

#endif
