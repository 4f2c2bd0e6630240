// Features and rows of pairs of shapes that have not moved since the last search, in no bit.
#ifndef STEP_STILL_H
#define STEP_STILL_H

#include "step/step.h"

// Per system: its coordinates are those of the last search, to the bit, and so is the model. Null:
// of none, or nothing is kept
pcs_status still_begin(const trial *t, pcs_arena *mem, const bool **same);

// The place of a pair, searched with the same reach, in the list that is kept, or -1. Callers
// search in the order of the list: *cursor is the end of the last search, at first -1
int still_find(const step_still *s, const int pair[2], double reach, int *cursor);

// keeps the features of a search and their places at the start of the step, candidates from `first`
// on; where memory is out nothing is kept
void still_keep(const trial *t, const touches *near, int first);

// The tolerance of a search for pairs at rest: a power of 16 at least as large as `extra`, so that
// these searches are alike from step to step
double still_extra(double extra);

void still_release(const pcs_env *env, step_still *s);
size_t still_bytes(const step_still *s);

#endif
