// Balls on a line: positions between events are straight lines, so the events are exact.
#include "checks/line_impacts.h"

#include <math.h>

line line_row(int n, double mass, double ratio, double radius, double gap, double speed, double e)
{
    line l = {.n = n, .radius = radius, .e = e, .closest = INFINITY, .v = {speed}};
    for (int i = 0; i < n; ++i) {
        l.m[i] = mass * pow(ratio, i);
        l.x[i] = i * (2 * radius + gap);
        l.last[i] = -INFINITY;
    }
    return l;
}

bool line_next(line *l, double end, int *pair)
{
    double wait = end - l->t, tiny = 0;
    for (int i = 0; i < l->n; ++i) {
        tiny = fmax(tiny, 1e-14 * fabs(l->v[i])); // balls that go together, but for rounding
    }
    *pair = -1;
    for (int i = 0; i + 1 < l->n; ++i) {
        const double closing = l->v[i] - l->v[i + 1];
        const double gap = l->x[i + 1] - l->x[i] - 2 * l->radius;
        if (closing <= tiny || gap > closing * wait) continue;
        wait = fmax(gap, 0) / closing;
        *pair = i;
    }
    for (int i = 0; i < l->n; ++i) {
        l->x[i] += wait * l->v[i];
    }
    l->t += wait;
    if (*pair < 0) return false;

    // the place of the two is known better than by adding
    const int i = *pair;
    const double middle = 0.5 * (l->x[i] + l->x[i + 1]);
    l->x[i] = middle - l->radius;
    l->x[i + 1] = middle + l->radius;
    for (int k = i; k <= i + 1; ++k) {
        l->closest = fmin(l->closest, l->t - l->last[k]);
        l->last[k] = l->t;
    }
    l->events += 1;
    return true;
}

// plastic: balls that have met continue together
static void line_clump(line *l, int i)
{
    const double touch = 1e-9 * l->radius;
    int first = i, last = i + 1;
    while (first > 0 && l->x[first] - l->x[first - 1] - 2 * l->radius < touch) {
        first -= 1;
    }
    while (last + 1 < l->n && l->x[last + 1] - l->x[last] - 2 * l->radius < touch) {
        last += 1;
    }
    double mass = 0, momentum = 0;
    for (int k = first; k <= last; ++k) {
        mass += l->m[k];
        momentum += l->m[k] * l->v[k];
    }
    for (int k = first; k <= last; ++k) {
        l->v[k] = momentum / mass;
    }
}

void line_impact(line *l, int i)
{
    if (l->e == 0) {
        line_clump(l, i);
        return;
    }
    const double m = l->m[i] * l->m[i + 1] / (l->m[i] + l->m[i + 1]);
    const double p = (1 + l->e) * m * (l->v[i] - l->v[i + 1]);
    l->v[i] -= p / l->m[i];
    l->v[i + 1] += p / l->m[i + 1];
}

void line_at_once(const line *l, double v[MOST_BALLS])
{
    double rest = 0;
    for (int i = 1; i < l->n; ++i) {
        rest += l->m[i];
    }
    v[0] = (l->m[0] - l->e * rest) / (l->m[0] + rest) * l->v[0];
    for (int i = 1; i < l->n; ++i) {
        v[i] = (1 + l->e) * l->m[0] / (l->m[0] + rest) * l->v[0];
    }
}

double line_relay(const line *l)
{
    double v = l->v[0];
    if (l->e == 0) {
        double mass = 0;
        for (int i = 0; i < l->n; ++i) {
            mass += l->m[i];
        }
        return v * l->m[0] / mass;
    }
    for (int i = 0; i + 1 < l->n; ++i) {
        v *= (1 + l->e) * l->m[i] / (l->m[i] + l->m[i + 1]);
    }
    return v;
}

double line_momentum(const line *l, const double *v)
{
    double p = 0;
    for (int i = 0; i < l->n; ++i) {
        p += l->m[i] * v[i];
    }
    return p;
}

double line_kinetic(const line *l, const double *v)
{
    double k = 0;
    for (int i = 0; i < l->n; ++i) {
        k += 0.5 * l->m[i] * v[i] * v[i];
    }
    return k;
}
