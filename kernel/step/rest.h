// Certified sleep of islands (rest.c).
#ifndef STEP_REST_H
#define STEP_REST_H

#include "step/step.h"

#include <string.h>

// true when all n numbers are zero, of either sign
static inline bool step_is_zero(const double *v, int n)
{
    uint64_t any = 0;
    for (int i = 0; i < n; ++i) {
        uint64_t bits;
        memcpy(&bits, v + i, sizeof bits);
        any |= bits << 1; // without the sign
    }
    return any == 0;
}

// Before the first pass: islands whose proof of rest still holds take no part in the step. Their
// candidates are held and not active, no force acts on their bodies
pcs_status step_hold(trial *t, pcs_arena *mem, candidates *list);
// After a projection: a body that sleeps and that it has moved is awake in the next step
void step_wake_moved(trial *t, candidates *list);
// At the end of a step that is solved: counts the steps at rest, and lets islands sleep whose rest
// can be proven
pcs_status step_fall_asleep(trial *t, pcs_arena *mem, candidates *list);

// After a step in which `slept` systems slept from the start: if these are all that move, the next
// steps cost nothing as long as nothing changes
void step_remember_rest(const pcs_model *m, const pcs_state *st, pcs_work *wk, double h, int slept,
                        const pcs_step_report *out);
// true when that is so: the step is made
bool step_rests(const pcs_model *m, pcs_state *st, pcs_work *wk, double h, pcs_step_report *out);

#endif
