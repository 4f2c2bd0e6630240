// With L = R J omega constant, a free body with J1 = J2 turns about L at |L| / J1 and about its
// axis at the rest of omega:
//
//     Q(t) = exp(t L / J1) (x) Q(0) (x) exp(t (1 - J3 / J1) omega_3 e_3).
#include "checks/norm_ways.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <percuss/rotation.h>
#include <percuss/smooth.h>

enum { N = QUATERNION_BODY_N, W = QUATERNION_BODY_OMEGA, SECOND = 14 };

const char *way_name(norm_way way)
{
    static const char *const name[WAYS] = {"additive",   "normalised", "exponential",
                                           "multiplier", "Baumgarte",  "projected"};
    return name[way];
}

// ---- the reference

struct way_reference {
    int n;
    double *x;
};

static void in_closed_form(const way_run *run, double t, double *x)
{
    const double *J = run->body->J;
    double x0[N], L[3], about_L[4], about_axis[4], half[4];
    memcpy(x0, run->Q, sizeof run->Q);
    memcpy(x0 + W, run->omega, sizeof run->omega);
    quaternion_body_momentum(run->body, x0, L);
    const double own = (1 - J[2] / J[0]) * run->omega[2];
    pcs_quat_exp((const double[]){t * L[0] / J[0], t * L[1] / J[0], t * L[2] / J[0]}, about_L);
    pcs_quat_exp((const double[]){0, 0, t * own}, about_axis);
    pcs_quat_mul(about_L, run->Q, half);
    pcs_quat_mul(half, about_axis, x);
    // omega rotates about the axis in the other direction
    const double c = cos(own * t), s = sin(own * t);
    x[W] = c * run->omega[0] + s * run->omega[1];
    x[W + 1] = c * run->omega[1] - s * run->omega[0];
    x[W + 2] = run->omega[2];
}

static pcs_status integrate(const way_run *run, double step, way_reference *r)
{
    const pcs_ode ode = quaternion_body_ode(run->body);
    method gauss;
    PCS_TRY(method_open(&gauss, "gauss8", step, 0));
    pcs_integrator *it = NULL;
    pcs_status status = pcs_integrator_create(NULL, &ode, &gauss.opts, &it);
    if (status == PCS_OK) status = pcs_integrator_start(it, 0, r->x);
    for (int i = 1; i <= r->n && status == PCS_OK; ++i) {
        status = pcs_integrator_advance(it, i * step, NULL);
        memcpy(r->x + (size_t)N * i, pcs_integrator_x(it), N * sizeof *r->x);
    }
    pcs_integrator_destroy(it);
    method_close(&gauss);
    return status;
}

pcs_status reference_create(const way_run *run, double step, way_reference **out)
{
    way_reference *r = calloc(1, sizeof *r);
    *out = r;
    if (!r) return PCS_ERR_MEMORY;
    r->n = (int)round(run->t_end / step);
    r->x = calloc((size_t)N * (r->n + 1), sizeof *r->x);
    if (!r->x) return PCS_ERR_MEMORY;
    memcpy(r->x, run->Q, sizeof run->Q);
    memcpy(r->x + W, run->omega, sizeof run->omega);
    const quaternion_body *b = run->body;
    const bool free_ = b->torque[0] == 0 && b->torque[1] == 0 && b->torque[2] == 0;
    if (!free_ || b->J[0] != b->J[1]) return integrate(run, step, r);
    for (int i = 1; i <= r->n; ++i) {
        in_closed_form(run, i * step, r->x + (size_t)N * i);
    }
    return PCS_OK;
}

void reference_destroy(way_reference *r)
{
    if (r) free(r->x);
    free(r);
}

const double *reference_at(const way_reference *r, int i)
{
    return r->x + (size_t)N * i;
}

// ---- observed quantities

typedef struct watcher {
    const way_run *run;
    const way_reference *ref;
    int stride;
    norm_way way;
    double E0, squares;
    csv *out;
    way_result *result;
} watcher;

static void watch(watcher *w, int i, double t, const double *x)
{
    const quaternion_body *b = w->run->body;
    const double norm = fabs(pcs_quat_norm(x) - 1);
    const bool free_ = b->torque[0] == 0 && b->torque[1] == 0 && b->torque[2] == 0;
    const double energy = free_ ? fabs(quaternion_body_energy(b, x) / w->E0 - 1) : 0;
    const double angle = quaternion_angle(reference_at(w->ref, i * w->stride), x);
    w->squares += angle * angle;
    if (!(norm <= w->result->norm)) w->result->norm = norm;
    if (!(energy <= w->result->energy)) w->result->energy = energy;
    if (!w->out->file) return;
    csv_text(w->out, way_name(w->way));
    csv_reals(w->out, (const double[]){t, norm, angle, energy}, 4);
    csv_end(w->out);
}

// ---- first-order methods: omega by the implicit midpoint rule, Q with the mean of both ends

static int omega_rates(void *user, double t, const double *w, double *wdot)
{
    (void)t;
    const quaternion_body *b = user;
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        wdot[i] = (b->torque[i] + (b->J[j] - b->J[k]) * w[j] * w[k]) / b->J[i];
    }
    return 0;
}

static int omega_slopes(void *user, double t, const double *w, double *S)
{
    (void)t;
    const quaternion_body *b = user;
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        S[i + 3 * i] = 0;
        S[i + 3 * j] = (b->J[j] - b->J[k]) * w[k] / b->J[i];
        S[i + 3 * k] = (b->J[j] - b->J[k]) * w[j] / b->J[i];
    }
    return 0;
}

static pcs_status turn(norm_way way, double h, const double w[3], double Q[4])
{
    double rate[4], by[4];
    if (way == WAY_EXPONENTIAL) {
        pcs_quat_exp((const double[]){h * w[0], h * w[1], h * w[2]}, by);
        memcpy(rate, Q, sizeof rate);
        pcs_quat_mul(rate, by, Q);
        return PCS_OK;
    }
    pcs_quat_rate(Q, w, rate);
    for (int i = 0; i < 4; ++i) {
        Q[i] += h * rate[i];
    }
    return way == WAY_NORMALISED ? pcs_quat_normalise(Q) : PCS_OK;
}

static pcs_status by_update(const way_run *run, norm_way way, int n, watcher *see,
                            pcs_integrator *it)
{
    const double h = run->t_end / n;
    double x[N], grown = 0;
    memcpy(x, run->Q, sizeof run->Q);
    memcpy(x + W, run->omega, sizeof run->omega);
    PCS_TRY(pcs_integrator_start(it, 0, x + W));
    for (int i = 1; i <= n; ++i) {
        PCS_TRY(pcs_integrator_step_by(it, h, NULL));
        const double *now = pcs_integrator_x(it);
        double mean[3], square = 0;
        for (int k = 0; k < 3; ++k) {
            mean[k] = 0.5 * (x[W + k] + now[k]);
            square += mean[k] * mean[k];
            x[W + k] = now[k];
        }
        PCS_TRY(turn(way, h, mean, x));
        grown += 0.5 * log1p(h * h * square / 4);
        watch(see, i, i * h, x);
    }
    see->result->growth = exp(grown);
    memcpy(see->result->x, x, sizeof x);
    return PCS_OK;
}

// ---- the 15 x 15 system

// |Q| = 1 and Q.Q' = 0
static int project(void *user, double t, double *x)
{
    (void)user, (void)t;
    if (pcs_quat_normalise(x + 3) != PCS_OK) return 1;
    double along = 0;
    for (int i = 0; i < 4; ++i) {
        along += x[3 + i] * x[10 + i];
    }
    for (int i = 0; i < 4; ++i) {
        x[10 + i] -= along * x[3 + i];
    }
    return 0;
}

static pcs_status by_system(const way_run *run, int n, watcher *see, pcs_integrator *it)
{
    const double h = run->t_end / n;
    double x[SECOND] = {0}, seen[N];
    memcpy(x + 3, run->Q, sizeof run->Q);
    pcs_quat_rate(run->Q, run->omega, x + 10);
    PCS_TRY(pcs_integrator_start(it, 0, x));
    for (int i = 1; i <= n; ++i) {
        PCS_TRY(pcs_integrator_step_by(it, h, NULL));
        const double *now = pcs_integrator_x(it);
        memcpy(seen, now + 3, 4 * sizeof *seen);
        pcs_quat_omega(now + 3, now + 10, seen + W);
        watch(see, i, i * h, seen);
    }
    memcpy(see->result->x, seen, sizeof seen);
    return PCS_OK;
}

static int torque_only(void *user, double t, const double q[7], const double v[6], double F[6])
{
    (void)t, (void)q, (void)v;
    const quaternion_body *b = user;
    memset(F, 0, 3 * sizeof *F);
    memcpy(F + 3, b->torque, sizeof b->torque);
    return 0;
}

pcs_status way_follow(const way_run *run, norm_way way, int n, const way_reference *ref, int stride,
                      csv *out, way_result *result)
{
    *result = (way_result){0};
    double x0[N];
    memcpy(x0, run->Q, sizeof run->Q);
    memcpy(x0 + W, run->omega, sizeof run->omega);
    watcher see = {.run = run,
                   .ref = ref,
                   .stride = stride,
                   .way = way,
                   .out = out,
                   .E0 = quaternion_body_energy(run->body, x0),
                   .result = result};
    const double *J = run->body->J;
    const pcs_quaternion_norm_body body = {.mass = 1,
                                           .inertia = {J[0], 0, 0, 0, J[1], 0, 0, 0, J[2]},
                                           .alpha = way == WAY_BAUMGARTE ? run->alpha : 0,
                                           .force = torque_only,
                                           .user = (void *)run->body};
    pcs_ode ode = {.n = 3, .f = omega_rates, .jacobian = omega_slopes, .user = (void *)run->body};
    if (way >= WAY_MULTIPLIER) PCS_TRY(pcs_quaternion_norm_ode(&body, &ode));
    if (way == WAY_PROJECTED) ode.project = project;

    method m;
    PCS_TRY(method_open(&m, way < WAY_MULTIPLIER ? "gauss1" : run->method, run->t_end / n, 0));
    pcs_integrator *it = NULL;
    pcs_status status = pcs_integrator_create(NULL, &ode, &m.opts, &it);
    const clock_t before = clock();
    if (status == PCS_OK) {
        status =
            way < WAY_MULTIPLIER ? by_update(run, way, n, &see, it) : by_system(run, n, &see, it);
    }
    if (status == PCS_OK) {
        result->seconds = (double)(clock() - before) / CLOCKS_PER_SEC / n;
        result->evaluations = (double)pcs_integrator_report(it).evaluations / n;
        result->attitude = sqrt(see.squares / n);
    }
    pcs_integrator_destroy(it);
    method_close(&m);
    return status;
}
