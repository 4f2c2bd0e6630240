// The velocities that impulses other than those of a step give bodies, whose joints answer.
#ifndef STEP_JOINTED_H
#define STEP_JOINTED_H

#include "step/step.h"

// moving systems that joints connect with each other
typedef struct jointed {
    int n;                    // groups
    int *group;               // per block of the model: its group, or -1: it has no joint
    int *start, *block;       // blocks of group g: block[start[g]] ... block[start[g + 1] - 1]
    int *joint_start, *joint; // its joints: candidates
    bool *pushed;             // per group: it has got impulses, its velocities are not set yet
    bool *loose;              // per group: its velocities do not keep its joints
} jointed;

// all that have active joints; none is pushed
pcs_status jointed_find(const trial *t, pcs_arena *mem, jointed *out);

// the group of block b, or -1
static inline int jointed_group(const jointed *j, int b)
{
    return j->n > 0 ? j->group[b] : -1;
}

// The velocities v of block b, and of all blocks of its group, with the impulses p: H^T r of the
// whole model, to which the answer of the joints is added
pcs_status jointed_velocity(const trial *t, jointed *j, int b, pcs_arena mem, double *p, double *v);

#endif
