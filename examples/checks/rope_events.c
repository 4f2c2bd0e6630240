// With s = f t / m the flight is
//
//     v = v0 e^-s - g t E1(s) e_y,   x = x0 + v0 t E1(s) - g t^2 E2(s) e_y,
//     E1 = (1 - e^-s) / s,  E2 = (s - 1 + e^-s) / s^2,
//
// which are 1 and 1/2 without drag.
#include "checks/rope_events.h"

#include "elliptic.h"

#include <math.h>
#include <string.h>

static double E1(double s)
{
    return s == 0 ? 1 : -expm1(-s) / s;
}

static double E2(double s)
{
    if (s > 0.5) return (s + expm1(-s)) / (s * s);
    // sum of (-s)^k / (k + 2)!
    double term = 0.5, sum = 0.5;
    for (int k = 1; k < 20; ++k) {
        term *= -s / (k + 2);
        sum += term;
    }
    return sum;
}

void rope_flight(const rope_def *def, const double x0[2], const double v0[2], double t, double x[2],
                 double v[2])
{
    const double s = def->drag * t / def->mass, g[2] = {0, def->gravity};
    for (int k = 0; k < 2; ++k) {
        v[k] = v0[k] * exp(-s) - g[k] * t * E1(s);
        x[k] = x0[k] + v0[k] * t * E1(s) - g[k] * t * t * E2(s);
    }
}

// ---- the end of a flight ------------------------------------------------------------------------

typedef struct flight {
    const rope_def *def;
    const double *x0, *v0;
} flight;

static double reach_of(const flight *f, double t)
{
    double x[2], v[2];
    rope_flight(f->def, f->x0, f->v0, t, x, v);
    const double *a = f->def->anchor;
    return hypot(x[0] - a[0], x[1] - a[1]) - f->def->length;
}

static int reach(void *user, const double *t, double *out)
{
    *out = reach_of(user, *t);
    return 0;
}

static int reach_slope(void *user, const double *t, double *out)
{
    const flight *f = user;
    double x[2], v[2];
    rope_flight(f->def, f->x0, f->v0, *t, x, v);
    const double d[2] = {x[0] - f->def->anchor[0], x[1] - f->def->anchor[1]};
    *out = (d[0] * v[0] + d[1] * v[1]) / hypot(d[0], d[1]);
    return 0;
}

pcs_status rope_tautness(const rope_def *def, const double x0[2], const double v0[2], double most,
                         double *t, double v[2])
{
    flight f = {def, x0, v0};
    // look for the change of sign, then refine it
    const double look = 1e-3 * most;
    double guess = NAN, before = -1;
    for (int i = 1; i <= 1000 && isnan(guess); ++i) {
        const double now = reach_of(&f, i * look);
        if (before < 0 && now >= 0) guess = (i - 0.5) * look;
        before = now;
    }
    if (isnan(guess)) return PCS_ERR_ARG;

    const pcs_map map = {.n = 1, .m = 1, .f = reach, .jacobian = reach_slope, .user = &f};
    pcs_arena work;
    PCS_TRY(pcs_arena_create(NULL, pcs_root_solve_bytes(1), &work));
    pcs_root_report report = {.outcome = PCS_ROOT_STALLED};
    const pcs_status status = pcs_root_solve(&map, NULL, work, &guess, &report);
    pcs_arena_destroy(NULL, &work);
    if (status != PCS_OK) return status;
    if (report.outcome != PCS_ROOT_CONVERGED) guess = NAN;
    *t = guess;
    double x[2];
    rope_flight(def, x0, v0, guess, x, v);
    return PCS_OK;
}

// ---- taut arcs ----------------------------------------------------------------------------------

static int swing(void *user, double t, const double *x, double *dxdt)
{
    (void)t;
    const rope_def *def = user;
    dxdt[0] = x[1];
    dxdt[1] = -def->gravity / def->length * cos(x[0]) - def->drag / def->mass * x[1];
    return 0;
}

pcs_status rope_arc_begin(rope_arc *arc, const rope_def *def, double t, const double x[2],
                          const double v[2])
{
    rope_arc_end(arc);
    arc->def = *def;
    const double theta = atan2(x[1] - def->anchor[1], x[0] - def->anchor[0]);
    const double start[2] = {theta, (v[1] * cos(theta) - v[0] * sin(theta)) / def->length};
    const pcs_ode ode = {.n = 2, .f = swing, .user = &arc->def};
    pcs_ode_opts opts = pcs_ode_opts_default();
    opts.rtol = 1e-13;
    opts.atol = 1e-14;
    PCS_TRY(pcs_integrator_create(NULL, &ode, &opts, &arc->run));
    return pcs_integrator_start(arc->run, t, start);
}

pcs_status rope_arc_at(rope_arc *arc, double t, double x[2], double v[2], double *S)
{
    const rope_def *def = &arc->def;
    PCS_TRY(pcs_integrator_advance(arc->run, t, NULL));
    const double *y = pcs_integrator_x(arc->run), c = cos(y[0]), s = sin(y[0]);
    x[0] = def->anchor[0] + def->length * c;
    x[1] = def->anchor[1] + def->length * s;
    v[0] = -def->length * y[1] * s;
    v[1] = def->length * y[1] * c;
    *S = def->mass * (def->length * y[1] * y[1] - def->gravity * s);
    return PCS_OK;
}

void rope_arc_end(rope_arc *arc)
{
    pcs_integrator_destroy(arc->run);
    arc->run = NULL;
}

// phi from the vertical, k = v / (2 sqrt(g l)): sin(phi/2) = k sn(wt | k^2), cos(phi/2) = dn; past
// the top (k > 1) sn(k wt | 1/k^2) and cn
void rope_elliptic(const rope_def *def, double v, double t, double x[2])
{
    const double omega = sqrt(def->gravity / def->length), k = v / (2 * omega * def->length);
    const double m = k < 1 ? k * k : 1 / (k * k);
    double sn, cn, dn;
    jacobi(k < 1 ? omega * t : k * omega * t, m, 1 - m, &sn, &cn, &dn);
    const double s = k < 1 ? k * sn : sn, c = k < 1 ? dn : cn;
    x[0] = def->anchor[0] + 2 * def->length * s * c;
    x[1] = def->anchor[1] - def->length * (1 - 2 * s * s);
}
