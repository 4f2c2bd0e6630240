// Events: zeros of g(t, x) within an attempt. Sampled on the interpolant, bracketed, located there
// by Brent's method; a terminal one is then located on the length of the step itself, so that the
// state at the event is as good as the end of a step.
#include "ode/integrator.h"

#include <float.h>
#include <string.h>

enum { SAMPLES = 8 }; // intervals of a step in which a sign change is looked for

// ---- g

static pcs_status value_at(const ode_watch *w, double t, const double *x, double *g)
{
    const unsigned long mark = pcs_fail_mark();
    const int code = w->event.g(w->event.user, t, x, g);
    if (code != 0 || !isfinite(*g)) {
        return pcs_fail_since(mark, PCS_ERR_CALLBACK,
                              "integration: an event function %s at t = %.9g",
                              code != 0 ? "failed" : "gave a number that is not finite", t);
    }
    return PCS_OK;
}

// g on the interpolant, at theta in [0, 1] of the attempt
static pcs_status value(pcs_integrator *run, const ode_watch *w, double theta, double *g)
{
    if (theta == 1) return value_at(w, run->t_new, run->x_new, g);
    const double t = run->t + theta * run->h_tried;
    PCS_TRY(ode_interpolate_attempt(run, theta, run->x_event));
    return value_at(w, t, run->x_event, g);
}

// ---- watching

pcs_status pcs_integrator_set_events(pcs_integrator *run, int n, const pcs_event *events)
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
    ode_watch *watch = NULL;
    if (n > 0) {
        watch = pcs_env_alloc(&run->env, (size_t)n, sizeof *watch);
        if (!watch) return pcs_fail_memory("pcs_integrator_set_events");
    }
    for (int i = 0; i < n; ++i) {
        watch[i].event = events[i];
    }
    ode_watch *before = run->watch;
    const int events_before = run->events;
    run->watch = watch;
    run->events = n;
    const pcs_status status = run->started ? ode_arm_events(run, true) : PCS_OK;
    if (status != PCS_OK) {
        run->watch = before;
        run->events = events_before;
        before = watch;
    }
    pcs_env_free(&run->env, before);
    return status;
}

pcs_status ode_arm_events(pcs_integrator *run, bool fresh)
{
    const pcs_event_found *at = &run->report.event;
    for (int i = 0; i < run->events; ++i) {
        ode_watch *w = &run->watch[i];
        PCS_TRY(value_at(w, run->t, run->x, &w->g));
        const bool left = fabs(w->g) > run->opts.event_tol;
        w->armed = fresh ? left : left || (w->armed && w->g != 0);
        // at a terminal event g is zero, whatever rounding made of it
        if (w->event.terminal && at->index == i && at->t == run->t) w->armed = false;
    }
    return PCS_OK;
}

// ---- brackets

// samples of one event function: theta ascending
typedef struct samples {
    int n;
    double theta[SAMPLES + 8], g[SAMPLES + 8];
    double size; // of |g|
} samples;

static pcs_status sample(pcs_integrator *run, const ode_watch *w, samples *at)
{
    *at = (samples){0};
    at->theta[0] = 0;
    at->g[0] = w->g;
    at->n = 1;
    if (!w->armed) {
        // it starts at zero: which side it goes to is seen right behind the start
        at->n = 0;
        for (double theta = 1e-10; theta < 0.1; theta *= 100) {
            double g;
            PCS_TRY(value(run, w, theta, &g));
            if (fabs(g) <= fmax(10 * fabs(w->g), DBL_MIN)) continue;
            at->theta[at->n] = theta;
            at->g[at->n++] = g;
        }
    }
    for (int k = 1; k <= SAMPLES; ++k) {
        const double theta = (double)k / SAMPLES;
        double g;
        PCS_TRY(value(run, w, theta, &g));
        at->theta[at->n] = theta;
        at->g[at->n++] = g;
    }
    for (int k = 0; k < at->n; ++k) {
        at->size = fmax(at->size, fabs(at->g[k]));
    }
    return PCS_OK;
}

// ---- locating on the interpolant

// zero of g between a and b, where its signs differ (Brent 1973)
static pcs_status locate(pcs_integrator *run, const ode_watch *w, double a, double ga, double b,
                         double gb, double tol, double *root)
{
    double c = a, gc = ga, d = b - a, e = d;
    for (int it = 0; it < 200; ++it) {
        if ((gb > 0) == (gc > 0)) {
            c = a, gc = ga;
            d = e = b - a;
        }
        if (fabs(gc) < fabs(gb)) {
            a = b, b = c, c = a;
            ga = gb, gb = gc, gc = ga;
        }
        const double small = 2 * DBL_EPSILON * fabs(b) + 0.5 * tol, m = 0.5 * (c - b);
        if (fabs(m) <= small || gb == 0) break;
        if (fabs(e) >= small && fabs(ga) > fabs(gb)) {
            const double s = gb / ga;
            double p, q;
            if (a == c) { // secant
                p = 2 * m * s;
                q = 1 - s;
            } else { // inverse quadratic interpolation
                const double u = ga / gc, r = gb / gc;
                p = s * (2 * m * u * (u - r) - (b - a) * (r - 1));
                q = (u - 1) * (r - 1) * (s - 1);
            }
            if (p > 0) {
                q = -q;
            } else {
                p = -p;
            }
            if (2 * p < fmin(3 * m * q - fabs(small * q), fabs(e * q))) {
                e = d;
                d = p / q;
            } else {
                d = e = m;
            }
        } else {
            d = e = m;
        }
        a = b, ga = gb;
        b += fabs(d) > small ? d : copysign(small, m);
        PCS_TRY(value(run, w, b, &gb));
    }
    *root = b;
    return PCS_OK;
}

// least side g between a and b by golden section, given up below zero: g may reach zero there
// without the samples showing it
static pcs_status lowest(pcs_integrator *run, const ode_watch *w, double a, double b, double side,
                         double tol, double *theta, double *g)
{
    const double ratio = 0.5 * (sqrt(5) - 1);
    double l = b - ratio * (b - a), r = a + ratio * (b - a), gl, gr;
    PCS_TRY(value(run, w, l, &gl));
    PCS_TRY(value(run, w, r, &gr));
    // the square root of rounding is all that a minimum shows of its place
    while (b - a > fmax(tol, 1e-9) && side * gl > 0 && side * gr > 0) {
        if (side * gl < side * gr) {
            b = r;
            r = l, gr = gl;
            l = b - ratio * (b - a);
            PCS_TRY(value(run, w, l, &gl));
        } else {
            a = l;
            l = r, gl = gr;
            r = a + ratio * (b - a);
            PCS_TRY(value(run, w, r, &gr));
        }
    }
    const bool left = side * gl < side * gr;
    *theta = left ? l : r;
    *g = left ? gl : gr;
    return PCS_OK;
}

// ---- what the attempt holds

typedef struct first_event {
    int index; // -1: none
    double theta;
    int direction;
} first_event;

static bool wanted(const ode_watch *w, int direction)
{
    return w->event.direction == 0 || w->event.direction == direction;
}

static void note(pcs_integrator *run, int index, double theta, int direction)
{
    run->report.event = (pcs_event_found){
        .index = index, .t = run->t + theta * run->h_tried, .direction = direction};
}

// a sign change between two places, g0 != 0
static pcs_status crossing(pcs_integrator *run, int index, double a, double ga, double b, double gb,
                           double tol, first_event *first)
{
    const ode_watch *w = &run->watch[index];
    const int direction = ga < 0 ? 1 : -1;
    if (!wanted(w, direction)) return PCS_OK;
    double theta = b;
    if (gb != 0) PCS_TRY(locate(run, w, a, ga, b, gb, tol, &theta));
    if (w->event.terminal) {
        if (first->index < 0 || theta < first->theta) {
            *first = (first_event){index, theta, direction};
        }
    } else if (first->index < 0 || theta <= first->theta) {
        note(run, index, theta, direction);
        run->report.events += 1;
    }
    return PCS_OK;
}

// three samples of one sign with the middle one nearest to zero: it may touch, or cross twice
static pcs_status dip(pcs_integrator *run, int index, const samples *at, int k, double tol,
                      first_event *first)
{
    const ode_watch *w = &run->watch[index];
    const double ga = at->g[k - 1], gm = at->g[k], gb = at->g[k + 1];
    // the parabola through them, taken as equally spaced, stays well away from zero
    const double bend = ga - 2 * gm + gb, slope = 0.5 * (gb - ga);
    const double low = bend != 0 ? gm - 0.5 * slope * slope / bend : gm;
    if (low * gm > 0 && fabs(low) > 0.05 * fmax(fabs(ga), fabs(gb))) return PCS_OK;
    double theta, g;
    PCS_TRY(lowest(run, w, at->theta[k - 1], at->theta[k + 1], gm > 0 ? 1 : -1, tol, &theta, &g));
    if (fabs(g) <= run->opts.event_tol * fmax(at->size, fabs(gm))) {
        if (first->index < 0 || theta <= first->theta) {
            note(run, index, theta, 0);
            run->report.touches += 1;
        }
        return PCS_OK;
    }
    if ((g > 0) == (gm > 0)) return PCS_OK;
    PCS_TRY(crossing(run, index, at->theta[k - 1], ga, theta, g, tol, first));
    return crossing(run, index, theta, g, at->theta[k + 1], gb, tol, first);
}

static pcs_status look(pcs_integrator *run, int index, double tol, first_event *first)
{
    samples at;
    PCS_TRY(sample(run, &run->watch[index], &at));
    for (int k = 0; k + 1 < at.n; ++k) {
        const double ga = at.g[k], gb = at.g[k + 1];
        if (ga == 0) continue; // seen from the interval before it
        if (gb == 0 || (ga > 0) != (gb > 0)) {
            PCS_TRY(crossing(run, index, at.theta[k], ga, at.theta[k + 1], gb, tol, first));
        } else if (k > 0 && (at.g[k - 1] > 0) == (ga > 0) && at.g[k - 1] != 0 &&
                   fabs(ga) <= fabs(gb) && fabs(ga) <= fabs(at.g[k - 1])) {
            PCS_TRY(dip(run, index, &at, k, tol, first));
        }
    }
    return PCS_OK;
}

// ---- locating on the length of the step

// g at the end of a step of tau
static pcs_status value_by_step(pcs_integrator *run, const ode_watch *w, double tau, double *g)
{
    PCS_TRY(ode_attempt(run, tau));
    return value_at(w, run->t + tau, run->x_new, g);
}

// The attempt ends at the event: secant steps on tau from where the interpolant has it. When they
// fail the place on the interpolant stands.
static pcs_status shorten(pcs_integrator *run, const first_event *first)
{
    const ode_watch *w = &run->watch[first->index];
    const double h = run->h_tried, there = first->theta * h;
    double tau = there, g, before, slope;
    if (!run->opts.event_by_step) return ode_attempt(run, there);

    // the slope of g there, from the interpolant; at the very ends its place is good enough
    const double d = fmin(1e-4, fmin(first->theta, 1 - first->theta) * 0.5);
    if (d > 0) {
        double low, high;
        PCS_TRY(value(run, w, first->theta - d, &low));
        PCS_TRY(value(run, w, first->theta + d, &high));
        slope = (high - low) / (2 * d * h);
    } else {
        slope = 0;
    }
    pcs_status status = value_by_step(run, w, tau, &g);
    const double tol = fmax(4 * DBL_EPSILON * fabs(run->t + tau), 1e-3 * run->opts.event_tol * h);
    for (int it = 0; it < 12 && status == PCS_OK && g != 0 && slope != 0; ++it) {
        const double change = -g / slope, next = tau + change;
        // the interpolant is never that far off
        if (!(fabs(next - there) <= 0.1 * h) || !(next > 0)) break;
        if (fabs(change) <= tol) {
            return PCS_OK;
        }
        before = g;
        status = value_by_step(run, w, next, &g);
        if (status == PCS_OK && g != before) slope = (g - before) / (next - tau);
        tau = next;
    }
    if (status == PCS_OK && g == 0) return PCS_OK;
    return ode_attempt(run, there);
}

pcs_status ode_find_events(pcs_integrator *run, bool *stop)
{
    const double h = fmax(run->h_tried, DBL_MIN);
    const double tol = run->opts.event_tol * fmax(fabs(run->t), h) / h;
    first_event first = {.index = -1};
    *stop = false;
    // terminal events first: what lies behind the first of them does not happen
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < run->events; ++i) {
            if (run->watch[i].event.terminal == (pass == 0)) {
                PCS_TRY(look(run, i, fmin(tol, 1e-3), &first));
            }
        }
    }
    if (first.index < 0) return PCS_OK;
    if (first.theta < 1) PCS_TRY(shorten(run, &first));
    if (first.theta < 1) run->t_new = run->t + run->h_tried;
    run->report.event =
        (pcs_event_found){.index = first.index, .t = run->t_new, .direction = first.direction};
    run->report.events += 1;
    *stop = true;
    return PCS_OK;
}
