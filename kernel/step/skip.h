// Bodies that sleep and need not be looked at (skip.c).
#ifndef STEP_SKIP_H
#define STEP_SKIP_H

#include "step/step.h"

// Before an attempt: the bodies whose proof of rest holds because nothing has changed since it was
// tested. They are t->skipped
void skip_begin(const pcs_state *st, double h, trial *t);

// The same bodies are skipped only in searches that reach as far; fails when they are not
pcs_status skip_check_reach(const trial *t, double extra);
// drops the pairs at the start of a step of skipped bodies that have not moved; fails when a
// skipped body may touch one that has
pcs_status skip_pairs(const trial *t, int (*pair)[2], int *n_pairs);
// A skipped body takes part in the step after all: fails, and the attempt is repeated with its
// island
pcs_status skip_touch(const trial *t, int system);

// Before a commit: finds the sleeping islands of the step that the next one may skip
pcs_status skip_choose(trial *t, pcs_arena *mem);
// after it: keeps them; where memory is out no body is skipped
void skip_keep(const trial *t, const pcs_state *st);

// replaces the remembered contacts of a state, which has those of skipped bodies, by these and the
// sorted ones of all others
void skip_remember(const step_skip *s, const pcs_memory *others, pcs_state *st);

void skip_release(const pcs_env *env, step_skip *s);
size_t skip_bytes(const step_skip *s);

#endif
