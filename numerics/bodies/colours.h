// Orders the visits of an island so that several threads can sweep.
#ifndef BODIES_COLOURS_H
#define BODIES_COLOURS_H

#include "bodies/prepared.h"

// blocks of a cluster: enough to find full packs of similar contacts
enum { CLUSTER = 128 };

// Clusters of blocks, and colours of clusters. Clusters of one colour share no moving system: they
// may be visited in any order, or in parallel. Blocks of a cluster are visited one after another.
typedef struct colours {
    int n;
    int *colour;  // n + 1, into cluster
    int *cluster; // clusters + 1, into order
    int *order;   // blocks by their number in the island
    int *rank;    // rank of a system, near systems close together; null: the given order
} colours;

// Makes clusters of CLUSTER blocks; an island of few blocks is one cluster in the given order. The
// result depends on the island alone and is stored in the arena
pcs_status colours_make(const island *of, threads *team, pcs_arena *arena, colours *out);

static inline int colours_clusters(const colours *c)
{
    return c->colour[c->n];
}

#endif
