// Where the blocks of an island lie among those of their kind, and which are visited together.
#ifndef BODIES_ARRANGE_H
#define BODIES_ARRANGE_H

#include "bodies/prepared.h"

// what is known of a cluster: places of each kind and rows before it, and the largest numbers in it
typedef struct piece {
    int first[VISIT_KINDS];
    int row;
    double trace, q;
} piece;

static inline const bodies_block *block_at(const prepared *p, int k)
{
    return &p->of.b->block[p->number[k]];
}

static inline int place_of(const prepared *p, const bodies_block *k, int side)
{
    if (k->sys[side] < 0) return -1;
    if (!p->of.place) return side == 1 && k->sys[0] >= 0;
    const int place = p->of.place[k->sys[side]];
    return p->slot ? p->slot[place] : place;
}

// kinds of the units are known. Packs rigid contacts, orders every cluster, numbers its units
// within it; counts kinds and rows of all, and those before each cluster. r of the whole problem
pcs_status arrange(prepared *p, const double *r, piece *pieces, pcs_arena scratch);

#endif
