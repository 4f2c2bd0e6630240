// Memory for the problems of a test; see scratch.h.
#include "scratch.h"

pcs_arena arena;

// fresh memory each time would cost more than most solves under the sanitizers
void reset(void)
{
    if (!arena.base) CK_OK(pcs_arena_create(NULL, (size_t)1 << 26, &arena));
    arena.used = 0;
}
