// Zeros and least values of an event function: on the interpolant of an attempt, and on the length
// of the step itself.
#include "ode/event.h"

#include <float.h>

pcs_status ode_event_at(const ode_watch *w, double t, const double *x, double *g)
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

pcs_status ode_event_value(pcs_integrator *run, const ode_watch *w, double theta, double *g)
{
    if (theta == 1) return ode_event_at(w, run->t_new, run->x_new, g);
    const double t = run->t + theta * run->h_tried;
    PCS_TRY(ode_interpolate_attempt(run, theta, run->x_event));
    return ode_event_at(w, t, run->x_event, g);
}

// ---- on the interpolant

// Brent 1973
pcs_status ode_event_locate(pcs_integrator *run, const ode_watch *w, double a, double ga, double b,
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
        PCS_TRY(ode_event_value(run, w, b, &gb));
    }
    *root = b;
    return PCS_OK;
}

// minimum by golden section
pcs_status ode_event_lowest(pcs_integrator *run, const ode_watch *w, double a, double b,
                            double side, double tol, double *theta, double *g)
{
    const double ratio = 0.5 * (sqrt(5) - 1);
    double l = b - ratio * (b - a), r = a + ratio * (b - a), gl, gr;
    PCS_TRY(ode_event_value(run, w, l, &gl));
    PCS_TRY(ode_event_value(run, w, r, &gr));
    // the place of a minimum is known only to the square root of rounding
    while (b - a > fmax(tol, 1e-9) && side * gl > 0 && side * gr > 0) {
        if (side * gl < side * gr) {
            b = r;
            r = l, gr = gl;
            l = b - ratio * (b - a);
            PCS_TRY(ode_event_value(run, w, l, &gl));
        } else {
            a = l;
            l = r, gl = gr;
            r = a + ratio * (b - a);
            PCS_TRY(ode_event_value(run, w, r, &gr));
        }
    }
    const bool left = side * gl < side * gr;
    *theta = left ? l : r;
    *g = left ? gl : gr;
    return PCS_OK;
}

// ---- on the length of the step

// g at the end of a step of length tau
static pcs_status value_by_step(pcs_integrator *run, const ode_watch *w, double tau, double *g)
{
    PCS_TRY(ode_attempt(run, tau));
    return ode_event_at(w, run->t + tau, run->x_new, g);
}

pcs_status ode_event_shorten(pcs_integrator *run, int index, double theta)
{
    const ode_watch *w = &run->watch[index];
    const double h = run->h_tried, there = theta * h;
    double tau = there, g, before, slope;
    if (!run->opts.event_by_step) return ode_attempt(run, there);

    // the slope of g there, from the interpolant; at both ends the place is accurate enough
    const double d = fmin(1e-4, fmin(theta, 1 - theta) * 0.5);
    if (d > 0) {
        double low, high;
        PCS_TRY(ode_event_value(run, w, theta - d, &low));
        PCS_TRY(ode_event_value(run, w, theta + d, &high));
        slope = (high - low) / (2 * d * h);
    } else {
        slope = 0;
    }
    pcs_status status = value_by_step(run, w, tau, &g);
    const double tol = fmax(4 * DBL_EPSILON * fabs(run->t + tau), 1e-3 * run->opts.event_tol * h);
    for (int it = 0; it < 12 && status == PCS_OK && g != 0 && slope != 0; ++it) {
        const double change = -g / slope, next = tau + change;
        // the error of the interpolant is never that large
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
