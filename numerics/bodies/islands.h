// Islands: systems connected by blocks, directly or through other systems. A system that cannot
// move connects nothing.
#ifndef BODIES_ISLANDS_H
#define BODIES_ISLANDS_H

#include "bodies/bodies.h"

// Islands in the order of their first blocks; blocks and systems of an island in increasing order.
// A system without blocks belongs to no island.
typedef struct islands {
    int n;
    int *block_start; // n + 1, into block
    int *block;       // all blocks
    int *sys_start;   // n + 1, into sys
    int *sys;         // moving systems
    int *place;       // ns, place of a moving system in its island, or -1
} islands;

static inline int islands_blocks(const islands *s, int island)
{
    return s->block_start[island + 1] - s->block_start[island];
}

pcs_status islands_find(const bodies_problem *b, pcs_arena *arena, islands *out);

// Makes a problem of one island, in the arena: blocks, systems and rows are renumbered; rows of H,
// factors and rotations are those of the whole problem
pcs_status islands_extract(const bodies_problem *b, const islands *s, int island, pcs_arena *arena,
                           bodies_problem *out);

#endif
