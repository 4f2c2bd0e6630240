// Broad phase: the pairs of shapes that are near enough for pcs_collide. The caller keeps one item
// per shape, updates its bounds when the body moves, and searches the pairs.
#ifndef COLLIDE_BROAD_H
#define COLLIDE_BROAD_H

#include <stdbool.h>

#include "base/threads.h"
#include <percuss/features.h>

typedef struct collide_item {
    int body;               // 0 the world, systems from 1; shapes of one body never meet
    bool movable;           // two items that cannot move never meet
    int shape;              // number for the caller; not used here
    double low[3], high[3]; // axis-aligned bounds, inertial, fattened by the item's own reach
    bool unbounded;         // meets every bounded item; low and high are not used
} collide_item;

// Bounds of a shape at the pose q of its body (null: the world), fattened by reach on all sides. A
// half-space is unbounded; low and high are then infinite.
void collide_bounds(const pcs_shape *s, const double *q, double reach, double low[3],
                    double high[3], bool *unbounded);

// true for bounds that are not numbers: they meet nothing
bool collide_nowhere(const collide_item *it);
// true when two items are a pair
bool collide_may_meet(const collide_item *a, const collide_item *b);

// The pairs of items whose bounds overlap: all that are nearer than the sum of their reaches, and
// some more; bounds that are not numbers meet nothing. pair[k] holds two indices into items: the
// first can always move; if both can, the first is the smaller. Pairs come in the order of their
// smaller, then of their larger index, for any number of threads. They are taken from `mem`; all
// scratch memory is released. PCS_ERR_MEMORY when the arena is too small (with the demand in its
// peak), PCS_ERR_SIZE when there are more than an int can count.
pcs_status collide_pairs(const collide_item *items, int n, threads *team, pcs_arena *mem,
                         int (**pair)[2], int *n_pairs);

#endif
