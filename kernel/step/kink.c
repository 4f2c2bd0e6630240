// Bisects a step towards the larger change of a velocity. Where the velocity is continuous the
// change becomes small with the time around it, and the search ends after a few halves.
#include "step/kink.h"

#include "linalg/m3.h"
#include "systems/systems.h"

#include <string.h>

// part of the change over the step that a jump is at least
#define PART 0.1
// parts of the step: a change in a shorter time is a jump
#define SHORTEST 1e-9

static double change(const model_system *s, const double from[6], const double to[6])
{
    double d[6];
    v3_sub(to, from, d);
    v3_sub(to + 3, from + 3, d + 3);
    return v3_norm(d) + v3_norm(d + 3) * s->reach;
}

pcs_status kink_find(const model_system *s, double t, double h, const double v0[6],
                     const double v1[6], double least, kink *out)
{
    double low = 0, high = 1, before[6], after[6], q[7], v[6];
    const double whole = change(s, v0, v1);
    *out = (kink){0};
    least = fmax(least, PART * whole);
    if (!(whole > least)) return PCS_OK;
    memcpy(before, v0, sizeof before);
    memcpy(after, v1, sizeof after);
    while (high - low > SHORTEST) {
        const double middle = 0.5 * (low + high);
        PCS_TRY(system_motion(s, t + middle * h, q, v));
        const bool late = change(s, v, after) > change(s, before, v);
        memcpy(late ? before : after, v, sizeof v);
        *(late ? &low : &high) = middle;
        if (!(change(s, before, after) > least)) return PCS_OK;
    }
    out->found = true;
    out->part = high;
    for (int i = 0; i < 6; ++i) {
        out->jump[i] = after[i] - before[i];
    }
    return PCS_OK;
}
