// A search for pairs of bounds that repeats what an earlier one found.
#ifndef COLLIDE_KEPT_H
#define COLLIDE_KEPT_H

#include "base/base.h"
#include "collide/broad.h"

// The enlarged bounds of a search and the pairs that overlap then. As long as they hold the bounds
// of a later search, its pairs are among these. Zeroed it is empty
typedef struct kept_pairs {
    int n, n_pairs;      // of items and of pairs; n = 0: nothing is kept
    int room, pair_room; // memory for these
    collide_item *outer; // enlarged
    double *low;         // 3 n, lower ends in the last search
    int n_low;           // number of items in it
    int (*pair)[2];
    long hits; // for tests: number of searches that were repeated
} kept_pairs;

// collide_pairs, with the same result to the bit whatever the searches before it were of
pcs_status kept_search(kept_pairs *k, const pcs_env *env, const collide_item *items, int n,
                       threads *team, pcs_arena *mem, int (**pair)[2], int *n_pairs);

void kept_release(const pcs_env *env, kept_pairs *k);
size_t kept_bytes(const kept_pairs *k);

#endif
