// Events of an integration against Jacobi's elliptic functions.
#include "checks/flip_events.h"

#include <math.h>
#include <string.h>

#include "elliptic.h"
#include "scenes/quaternion_body.h"

enum { N = QUATERNION_BODY_N, W = QUATERNION_BODY_OMEGA };

static int middle(void *user, double t, const double *x, double *g)
{
    (void)user, (void)t;
    *g = x[W + 1];
    return 0;
}

static void row(const flip_run *run, const quaternion_body *body, double t, const double *x)
{
    double w[3], L[3];
    free_top_omega(run->top, t, w);
    quaternion_body_momentum(body, x, L);
    CSV_ROW(run->out, t, x[W], x[W + 1], x[W + 2], w[0], w[1], w[2],
            quaternion_body_energy(body, x), L[0], L[1], L[2]);
}

static void watch(const flip_run *run, const quaternion_body *body, const double *x0, double t,
                  const double *x, flip_errors *err)
{
    double w[3], L0[3], L[3], off = 0, far = 0, size = 0;
    free_top_omega(run->top, t, w);
    quaternion_body_momentum(body, x0, L0);
    quaternion_body_momentum(body, x, L);
    for (int i = 0; i < 3; ++i) {
        off += pow(x[W + i] - w[i], 2);
        far += pow(L[i] - L0[i], 2);
        size += L0[i] * L0[i];
    }
    const double E0 = quaternion_body_energy(body, x0), E = quaternion_body_energy(body, x);
    const double norm = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
    err->omega = fmax(err->omega, sqrt(off) / fabs(run->omega[1]));
    err->energy = fmax(err->energy, fabs(E / E0 - 1));
    err->momentum = fmax(err->momentum, sqrt(far / size));
    err->norm = fmax(err->norm, fabs(norm - 1));
}

static pcs_status samples(const flip_run *run, const quaternion_body *body, pcs_integrator *it,
                          double *next)
{
    double x[N];
    while (run->out->file && *next <= pcs_integrator_t(it)) {
        PCS_TRY(pcs_integrator_at(it, *next, x));
        row(run, body, *next, x);
        *next += run->sample;
    }
    return PCS_OK;
}

static pcs_status follow(const flip_run *run, const quaternion_body *body, pcs_integrator *it,
                         flip_errors *err)
{
    double x0[N] = {1}, next = 0;
    memcpy(x0 + W, run->omega, sizeof run->omega);
    PCS_TRY(pcs_integrator_start(it, 0, x0));
    while (pcs_integrator_t(it) < run->t_end) {
        pcs_ode_report *r = &err->report;
        const double left = run->t_end - pcs_integrator_t(it);
        const pcs_ode_report now = pcs_integrator_report(it);
        // the last step ends at t_end
        if (now.steps > 0 && left <= now.h_next) {
            PCS_TRY(pcs_integrator_advance(it, run->t_end, r));
        } else {
            PCS_TRY(pcs_integrator_step(it, r));
        }
        PCS_TRY(samples(run, body, it, &next));
        watch(run, body, x0, pcs_integrator_t(it), pcs_integrator_x(it), err);
        if (r->end == PCS_ODE_EVENT && err->flips < MOST_FLIPS) {
            err->flip[err->flips] = r->event.t;
            err->direction[err->flips++] = r->event.direction;
        }
    }
    return PCS_OK;
}

pcs_status flips_by_events(const flip_run *run, const method *m, flip_errors *err)
{
    *err = (flip_errors){0};
    const quaternion_body body = {.J = {run->top->I[0], run->top->I[1], run->top->I[2]}};
    const pcs_ode ode = quaternion_body_ode(&body);
    const pcs_event events[2] = {{.g = middle, .direction = -1, .terminal = true},
                                 {.g = middle, .direction = 1, .terminal = true}};
    pcs_integrator *it;
    PCS_TRY(pcs_integrator_create(NULL, &ode, &m->opts, &it));
    pcs_status status = pcs_integrator_set_events(it, 2, events);
    if (status == PCS_OK) status = follow(run, &body, it, err);
    pcs_integrator_destroy(it);
    return status;
}

void check_flip_events(checks *c, const flip_run *run, const flip_errors *err, int n,
                       double allowed)
{
    const double flip = free_top_flip(run->top);
    bool directions = true;
    double worst = 0, period = 0;
    for (int i = 0; i < err->flips; ++i) {
        // omega_2 falls through zero first
        directions = directions && err->direction[i] == (i % 2 == 0 ? -1 : 1);
        worst = fmax(worst, fabs(err->flip[i] - (i + 0.5) * flip));
        if (i >= 2) {
            period = fmax(period, fabs(err->flip[i] - err->flip[i - 2] -
                                       4 * elliptic_K(run->top->m1) / run->top->rate));
        }
    }
    check_that(c, "every flip found", err->flips == n, "one event each");
    check_that(c, "they alternate", directions, "falling, rising, ...");
    check_value(c, "flip times (s)", worst, 0, allowed);
    if (n > 2) check_value(c, "period - 4 K / n (s)", period, 0, 2 * allowed);
    // all quantities change in times of 1 / rate
    const double relative = run->top->rate * allowed;
    check_value(c, "omega", err->omega, 0, 4 * relative);
    check_value(c, "energy", err->energy, 0, relative);
    check_value(c, "R J omega", err->momentum, 0, relative);
    check_value(c, "|Q| - 1", err->norm, 0, relative);
}
