// The bounces of a ball in closed form, and how far from it a run may be.
#include "bounces.h"

#include <math.h>

double gap_bound(const settings *s, double h, double speed)
{
    const bool at_end = s->activation == PCS_END_OF_STEP || s->projection == PCS_PROJECT_COMBINED ||
                        s->projection == PCS_PROJECT_COMBINED_EQUALITY;
    const double a = at_end ? 1 : fmax(s->gamma, 1 - s->gamma);
    return a * h * (speed + s->gravity * h) + s->proj_tol + 1e-7;
}

static flight first_flight(const settings *s, double h)
{
    const double g = s->gravity, v = s->v0[2], up = fmax(v, 0);
    flight f = {.speed = sqrt(v * v + 2 * g * (s->z0 - s->radius))};
    f.apex = s->z0 - s->radius + up * up / (2 * g);
    f.time = (v + f.speed) / g;
    f.apex_bound = fabs(0.5 - s->theta) * g * h * (f.time + h);
    f.time_bound = h + 2 * (2 * f.apex_bound + gap_bound(s, h, f.speed)) / f.speed;
    return f;
}

static flight next_flight(const settings *s, double h, flight f)
{
    const double g = s->gravity, e = s->e;
    const double speed = sqrt(f.speed * f.speed + 2 * g * f.apex_bound);
    const double moved = fabs(1 - s->theta - s->theta * e) * h * speed;
    const double G = gap_bound(s, h, speed);

    flight n = {.speed = e * f.speed};
    n.apex = n.speed * n.speed / (2 * g);
    n.time = f.time + 2 * n.speed / g;
    n.apex_bound =
        e * e * (f.apex_bound + G) + G + moved + fabs(0.5 - s->theta) * h * (2 * e * speed + g * h);
    n.time_bound = f.time_bound + h + 2 * (2 * n.apex_bound + 2 * G + moved) / n.speed;
    return n;
}

static bool speculative(const settings *s)
{
    return s->activation == PCS_SPECULATIVE && s->projection < PCS_PROJECT_COMBINED;
}

// the closed forms need a ball that falls onto a floor below it, in steps that resolve the fall
const char *bounces_why_not(const settings *s)
{
    if (s->gravity == 0) return "without gravity there is no apex";
    if (s->z0 < s->radius) return "the ball starts inside the floor";
    if (s->z0 == s->radius && s->v0[2] <= 0) return "the ball starts at rest on the floor";
    const flight f = first_flight(s, s->h);
    if (!(f.time + f.time_bound <= s->t_end))
        return "the ball does not reach the floor before --tend";
    if (f.speed < 10 * s->gravity * s->h) return "the step is too coarse for the first fall";
    if (speculative(s)) return "speculative activation slows the ball down before it bounces";
    return NULL;
}

int bounces_closed_form(const settings *s, double h, flight f[MOST_BOUNCES])
{
    int n = 1;
    for (f[0] = first_flight(s, h); n < MOST_BOUNCES; ++n) {
        f[n] = next_flight(s, h, f[n - 1]);
        const bool resolved = 2 * f[n].speed >= 20 * s->gravity * h;
        if (!resolved || !(f[n].time + f[n].time_bound <= s->t_end)) break;
    }
    return n;
}

double zeno_time(const settings *s, double time, double speed)
{
    return time + 2 * speed / (s->gravity * (1 - s->e));
}

double overlap_bound(const settings *s, double speed)
{
    const double rounding = 1e-14 * (s->z0 + s->radius);
    if (s->projection >= PCS_PROJECT_COMBINED) return s->proj_tol + rounding;
    if (speculative(s)) return (1 - s->theta) * s->h * (speed + s->gravity * s->h) + rounding;
    return gap_bound(s, s->h, speed) + fabs(1 - s->theta - s->theta * s->e) * s->h * speed;
}
