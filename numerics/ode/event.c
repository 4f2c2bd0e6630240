// Events: zeros of g(t, x) within an attempt. They are sampled and bracketed on the interpolant,
// and located there by Brent's method; a terminal event is then located on the length of the step
// itself, so that the state at the event is as accurate as the end of a step. No event counts
// before the attempt is accepted.
#include "ode/event.h"

#include <float.h>
#include <string.h>

enum { SAMPLES = 8 }; // intervals of a step, each searched for a sign change

// ---- list of events

static pcs_status check_events(const pcs_integrator *run, int n, const pcs_event *events)
{
    if (!run || n < 0 || (n > 0 && !events)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_integrator_set_events: run or events is null, or n < 0");
    }
    for (int i = 0; i < n; ++i) {
        if (!events[i].g || events[i].direction < -1 || events[i].direction > 1) {
            return pcs_fail(PCS_ERR_ARG,
                            "pcs_integrator_set_events: event %d has no function, or a direction "
                            "other than -1, 0, 1",
                            i);
        }
    }
    return PCS_OK;
}

pcs_status pcs_integrator_set_events(pcs_integrator *run, int n, const pcs_event *events)
{
    PCS_TRY(check_events(run, n, events));
    ode_watch *watch = NULL;
    if (n > 0) {
        watch = pcs_env_alloc(&run->env, (size_t)n, sizeof *watch);
        if (!watch) return pcs_fail_memory("pcs_integrator_set_events");
    }
    for (int i = 0; i < n; ++i) {
        watch[i] = (ode_watch){.event = events[i]};
    }
    ode_watch *before = run->watch;
    const int events_before = run->events;
    run->watch = watch;
    run->events = n;
    const pcs_status status = run->started ? ode_event_values(run, run->t, run->x) : PCS_OK;
    if (status != PCS_OK) {
        run->watch = before;
        run->events = events_before;
        before = watch;
    } else if (run->started) {
        ode_arm_events(run);
    }
    pcs_env_free(&run->env, before);
    return status;
}

pcs_status ode_event_values(pcs_integrator *run, double t, const double *x)
{
    for (int i = 0; i < run->events; ++i) {
        PCS_TRY(ode_event_at(&run->watch[i], t, x, &run->watch[i].g_new));
    }
    return PCS_OK;
}

void ode_arm_events(pcs_integrator *run)
{
    for (int i = 0; i < run->events; ++i) {
        ode_watch *w = &run->watch[i];
        // at an event g is zero, up to rounding
        const double zero = w->at_event ? 2 * fabs(w->g) : 0;
        w->g = w->g_new;
        w->armed = fabs(w->g) > fmax(run->opts.event_tol, zero);
    }
}

void ode_accept_events(pcs_integrator *run)
{
    for (int i = 0; i < run->events; ++i) {
        ode_watch *w = &run->watch[i];
        const bool left = fabs(w->g_new) > run->opts.event_tol;
        w->at_event = w->settled;
        w->g = w->g_new;
        w->armed = !w->settled && (left || (w->armed && w->g != 0));
    }
    for (int k = 0; k < run->found_new; ++k) {
        const pcs_event_found *f = &run->found[run->found_count + k];
        run->report.events += f->direction != 0;
        run->report.touches += f->direction == 0;
        run->report.event = *f;
    }
    run->found_count += run->found_new;
    run->found_new = 0;
}

int pcs_integrator_found(const pcs_integrator *run, const pcs_event_found **found)
{
    if (found) *found = run ? run->found : NULL;
    return run ? run->found_count : 0;
}

// ---- samples

// samples of one event function, theta ascending
typedef struct samples {
    int n;
    double theta[SAMPLES + 8], g[SAMPLES + 8];
    double zero; // |g| below this is zero to rounding
} samples;

static pcs_status sample(pcs_integrator *run, const ode_watch *w, samples *at)
{
    *at = (samples){0};
    at->theta[0] = 0;
    at->g[0] = w->g;
    at->n = 1;
    if (!w->armed) {
        // it starts at zero: its sign just after the start decides
        at->n = 0;
        for (double theta = 1e-10; theta < 0.1; theta *= 100) {
            double g;
            PCS_TRY(ode_event_value(run, w, theta, &g));
            if (fabs(g) <= fmax(10 * fabs(w->g), DBL_MIN)) continue;
            at->theta[at->n] = theta;
            at->g[at->n++] = g;
        }
    }
    for (int k = 1; k <= SAMPLES; ++k) {
        const double theta = (double)k / SAMPLES;
        double g;
        PCS_TRY(ode_event_value(run, w, theta, &g));
        at->theta[at->n] = theta;
        at->g[at->n++] = g;
    }
    double size = 0;
    for (int k = 0; k < at->n; ++k) {
        size = fmax(size, fabs(at->g[k]));
    }
    at->zero = run->opts.event_tol * size;
    return PCS_OK;
}

// ---- events of the attempt

typedef struct first_event {
    int index; // -1: none
    double theta;
    int direction;
} first_event;

// appends a found event, not counted yet
static pcs_status note(pcs_integrator *run, int index, double theta, int direction)
{
    const int n = run->found_count + run->found_new;
    if (n == run->found_room) {
        const int room = n < 8 ? 16 : 2 * n;
        pcs_event_found *more = pcs_env_alloc(&run->env, (size_t)room, sizeof *more);
        if (!more) return pcs_fail_memory("integration: the list of events");
        if (n > 0) memcpy(more, run->found, (size_t)n * sizeof *more);
        pcs_env_free(&run->env, run->found);
        run->found = more;
        run->found_room = room;
    }
    const double t = theta == 1 ? run->t_new : run->t + theta * run->h_tried;
    run->found[n] = (pcs_event_found){.index = index, .t = t, .direction = direction};
    run->found_new += 1;
    return PCS_OK;
}

static pcs_status crossed(pcs_integrator *run, int index, double theta, int direction,
                          first_event *first)
{
    const pcs_event *e = &run->watch[index].event;
    if (e->direction != 0 && e->direction != direction) return PCS_OK;
    if (e->terminal && (first->index < 0 || theta < first->theta)) {
        *first = (first_event){index, theta, direction};
    }
    return note(run, index, theta, direction);
}

// a sign change between two places, g0 != 0
static pcs_status crossing(pcs_integrator *run, int index, double a, double ga, double b, double gb,
                           double tol, first_event *first)
{
    double theta = b;
    if (gb != 0) {
        PCS_TRY(ode_event_locate(run, &run->watch[index], a, ga, b, gb, tol, &theta));
    }
    return crossed(run, index, theta, ga < 0 ? 1 : -1, first);
}

// True when g may have come close to zero between samples k - 1, k and k + 1 of one sign, judged by
// the parabola through them, taken as equally spaced. Every place is tested once, the first and
// last intervals of a step with their neighbours.
static bool may_dip(const ode_watch *w, const samples *at, int k)
{
    const double ga = at->g[k - 1], gm = at->g[k], gb = at->g[k + 1];
    if ((ga > 0) != (gm > 0) || (gb > 0) != (gm > 0)) return false;
    const double bend = ga - 2 * gm + gb, slope = 0.5 * (gb - ga);
    const bool lowest = fabs(gm) <= fabs(ga) && fabs(gm) <= fabs(gb);
    const double low = bend != 0 ? gm - 0.5 * slope * slope / bend : gm;
    if (!lowest) {
        const bool front = k == 1 && w->armed && fabs(ga) <= fabs(gm);
        const bool back = k == at->n - 2 && fabs(gb) <= fabs(gm);
        if ((!front && !back) || !(bend * gm > 0) || fabs(slope) > 1.75 * fabs(bend)) return false;
    }
    return low * gm <= 0 || fabs(low) <= 0.3 * fmax(fabs(ga), fabs(gb));
}

// it may touch, or cross twice
static pcs_status dip(pcs_integrator *run, int index, const samples *at, int k, double tol,
                      first_event *first)
{
    const double a = at->theta[k - 1], b = at->theta[k + 1], gm = at->g[k];
    double theta, g;
    PCS_TRY(ode_event_lowest(run, &run->watch[index], a, b, gm > 0 ? 1 : -1, tol, &theta, &g));
    if (fabs(g) <= at->zero) return note(run, index, theta, 0);
    if ((g > 0) == (gm > 0)) return PCS_OK;
    PCS_TRY(crossing(run, index, a, at->g[k - 1], theta, g, tol, first));
    return crossing(run, index, theta, g, b, at->g[k + 1], tol, first);
}

// The attempt ends at a zero after sample k. The extrapolated interpolant after the end shows
// whether g crosses zero or only touches it.
static pcs_status end_at_zero(pcs_integrator *run, int index, const samples *at, int k, double tol,
                              first_event *first)
{
    ode_watch *w = &run->watch[index];
    const double ga = at->g[k], gb = at->g[at->n - 1];
    double beyond = 0;
    const bool seen =
        ode_event_value(run, w, 1 + 1.0 / 128, &beyond) == PCS_OK && fabs(beyond) > at->zero;
    if (!seen && gb != 0 && (gb > 0) == (ga > 0)) return PCS_OK; // undecided until the next step
    w->settled = true;
    if (seen && (beyond > 0) == (ga > 0)) return note(run, index, 1, 0);
    if (gb == 0 || (gb > 0) == (ga > 0)) return crossed(run, index, 1, ga < 0 ? 1 : -1, first);
    return crossing(run, index, at->theta[k], ga, 1, gb, tol, first);
}

static pcs_status look(pcs_integrator *run, int index, double tol, first_event *first)
{
    ode_watch *w = &run->watch[index];
    samples at;
    PCS_TRY(sample(run, w, &at));
    bool left = w->armed;
    int next;
    for (int k = 0; k + 1 < at.n; k = next) {
        const double ga = at.g[k];
        next = k + 1;
        left = left || fabs(ga) > at.zero;
        if (ga == 0) continue;
        // samples that are zero belong to the interval before them
        while (next < at.n - 1 && fabs(at.g[next]) <= at.zero) {
            ++next;
        }
        const double gb = at.g[next];
        if (next == at.n - 1 && fabs(gb) <= at.zero) {
            return end_at_zero(run, index, &at, k, tol, first);
        }
        if ((ga > 0) != (gb > 0)) {
            PCS_TRY(crossing(run, index, at.theta[k], ga, at.theta[next], gb, tol, first));
        } else if (left && next > k + 1) {
            PCS_TRY(note(run, index, at.theta[k + 1], 0));
        }
        if (k > 0 && next == k + 1 && fabs(at.g[k - 1]) > at.zero && may_dip(w, &at, k)) {
            PCS_TRY(dip(run, index, &at, k, tol, first));
        }
    }
    return PCS_OK;
}

// ---- all events of an attempt

// Events after the stop are dropped; the rest is sorted by time.
static void sort_found(pcs_integrator *run, const first_event *first, double t_first)
{
    if (run->found_new == 0) return; // the list may not exist yet
    pcs_event_found *found = run->found + run->found_count;
    int n = 0;
    for (int k = 0; k < run->found_new; ++k) {
        const pcs_event_found f = found[k];
        if (first->index >= 0) {
            if (f.index == first->index && f.t == t_first && f.direction != 0) continue;
            if (f.t > t_first) continue;
        }
        int at = n++;
        for (; at > 0 && found[at - 1].t > f.t; --at) {
            found[at] = found[at - 1];
        }
        found[at] = f;
    }
    run->found_new = n;
}

// The run stops at the first terminal event: the attempt is repeated up to it.
static pcs_status stop_at(pcs_integrator *run, const first_event *first, double tol)
{
    const double h = run->h_tried,
                 t_first = first->theta == 1 ? run->t_new : run->t + first->theta * h;
    sort_found(run, first, t_first);
    if (first->theta < 1) {
        PCS_TRY(ode_event_shorten(run, first->index, first->theta));
        run->t_new = run->t + run->h_tried;
    }
    for (int k = 0; k < run->found_new; ++k) {
        pcs_event_found *f = &run->found[run->found_count + k];
        // events that the interpolant found at the same time are kept
        if (t_first - f->t <= 2 * tol * h || f->t > run->t_new) {
            f->t = run->t_new;
            run->watch[f->index].settled = true;
        }
    }
    run->watch[first->index].settled = true;
    return note(run, first->index, 1, first->direction);
}

pcs_status ode_find_events(pcs_integrator *run, bool *stop)
{
    const double h = fmax(run->h_tried, DBL_MIN);
    const double tol = fmin(run->opts.event_tol * fmax(fabs(run->t), h) / h, 1e-3);
    first_event first = {.index = -1};
    *stop = false;
    run->found_new = 0;
    for (int i = 0; i < run->events; ++i) {
        run->watch[i].settled = false;
        PCS_TRY(look(run, i, tol, &first));
    }
    *stop = first.index >= 0;
    if (*stop) return stop_at(run, &first, tol);
    sort_found(run, &first, 0);
    return PCS_OK;
}
