// Where a velocity that is given as a function of time jumps within a step.
#ifndef STEP_KINK_H
#define STEP_KINK_H

#include "model/model.h"

typedef struct kink {
    bool found;
    double part;    // of the step that is before the jump, 0 to 1
    double jump[6]; // of the velocities
} kink;

// The jump of the velocity of a driven system between t and t + h, where it is v0 and v1. It is at
// least `least` (m/s, of a point of its surface) and a tenth of v1 - v0, however short the time
// around it
pcs_status kink_find(const model_system *s, double t, double h, const double v0[6],
                     const double v1[6], double least, kink *out);

#endif
