// The order of the visits of an island, in which several threads can sweep.
#ifndef BODIES_COLOURS_H
#define BODIES_COLOURS_H

#include "bodies/prepared.h"

// Blocks in clusters, clusters in colours. Clusters of one colour share no moving system, so that
// they may be visited in any order, or at once; blocks of a cluster are visited one by one.
typedef struct colours {
    int n;
    int *colour;  // n + 1, into cluster
    int *cluster; // clusters + 1, into order
    int *order;   // blocks by their number in the island
    int *rank;    // of the systems of the island, near ones close together; null: as they come
} colours;

// clusters of `size` blocks; an island of few blocks is one cluster in its natural order. Depends
// on the island alone. arena: keeps the result
pcs_status colours_make(const island *of, int size, threads *team, pcs_arena *arena, colours *out);

static inline int colours_clusters(const colours *c)
{
    return c->colour[c->n];
}

#endif
