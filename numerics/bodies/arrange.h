// Places the blocks of an island among those of their kind, and groups some into packs.
#ifndef BODIES_ARRANGE_H
#define BODIES_ARRANGE_H

#include "bodies/prepared.h"

// a cluster: its first place of each kind, its first row, its largest trace
typedef struct piece {
    int first[VISIT_KINDS];
    int row;
    double trace;
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

// The kinds of the units must be known. Packs rigid contacts, orders every cluster and numbers its
// units within it; counts the kinds and rows of the island, and those before each cluster. r is
// that of the whole problem
pcs_status arrange(prepared *p, const double *r, piece *pieces, pcs_arena scratch);

#endif
