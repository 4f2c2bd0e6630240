// Where a velocity that is given as a function of time jumps within a step.
#ifndef STEP_KINK_H
#define STEP_KINK_H

#include "base/base.h"

enum { KINK_MOST = 6 };

// n velocities at time t
typedef pcs_status (*kink_velocity_fn)(const void *of, double t, double *v);

typedef struct kink {
    bool found;
    double part;            // of the step that is before the jump, 0 to 1
    double jump[KINK_MOST]; // of the velocities
} kink;

// The jump between t and t + h, where the velocities are v0 and v1 (n <= KINK_MOST); `size`: of
// each of them in m/s. It is a jump if it is most of v1 - v0, however short the time around it
pcs_status kink_find(kink_velocity_fn velocity, const void *of, int n, const double *size, double t,
                     double h, const double *v0, const double *v1, kink *out);

#endif
