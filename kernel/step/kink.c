// Bisects a step towards the larger change of a velocity. Where the velocity is continuous the
// change becomes small with the time around it, and the search ends after two or three halves.
#include "step/kink.h"

#include <math.h>
#include <string.h>

// part of the change over the step that a jump is at least
#define MOST 0.6
// relative to the velocities: a smaller change is rounding
#define ROUNDING 1e-10

static double length(int n, const double *size, const double *from, const double *to)
{
    double sum = 0;
    for (int i = 0; i < n; ++i) {
        const double d = size[i] * (to[i] - (from ? from[i] : 0));
        sum += d * d;
    }
    return sqrt(sum);
}

pcs_status kink_find(kink_velocity_fn velocity, const void *of, int n, const double *size, double t,
                     double h, const double *v0, const double *v1, kink *out)
{
    double low = 0, high = 1, before[KINK_MOST], after[KINK_MOST], v[KINK_MOST];
    const double whole = length(n, size, v0, v1);
    *out = (kink){0};
    if (!(whole > ROUNDING * (length(n, size, NULL, v0) + length(n, size, NULL, v1)))) {
        return PCS_OK;
    }
    memcpy(before, v0, (size_t)n * sizeof *v0);
    memcpy(after, v1, (size_t)n * sizeof *v1);
    for (;;) {
        const double middle = 0.5 * (low + high), at = t + middle * h;
        if (!(at > t + low * h && at < t + high * h)) break;
        PCS_TRY(velocity(of, at, v));
        const bool late = length(n, size, v, after) > length(n, size, before, v);
        double *end = late ? before : after;
        memcpy(end, v, (size_t)n * sizeof *v);
        *(late ? &low : &high) = middle;
        if (!(length(n, size, before, after) >= MOST * whole)) return PCS_OK;
    }
    out->found = true;
    out->part = high;
    for (int i = 0; i < n; ++i) {
        out->jump[i] = after[i] - before[i];
    }
    return PCS_OK;
}
