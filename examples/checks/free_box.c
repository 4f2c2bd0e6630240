// Newton-Euler equations without contact,
//
//     x' = v,  Q' = Q (0, w) / 2,  v' = -g e_z,  J w' = -w x J w,
//
// 13 numbers (x, Q, v, w), with an event for each of the eight vertices: z_i falls through 0.
#include "checks/free_box.h"

#include <math.h>
#include <string.h>

#include <percuss/kernel.h>
#include <percuss/ode.h>

free_box free_box_make(double mass, const double size[3], double gravity)
{
    free_box box = {.mass = mass, .gravity = gravity};
    memcpy(box.size, size, sizeof box.size);
    const pcs_inertia solid = pcs_inertia_box(mass, size[0], size[1], size[2]);
    for (int k = 0; k < 3; ++k) {
        box.J[k] = solid.J[4 * k];
    }
    return box;
}

void free_box_vertex(const free_box *box, const double q[7], int i, double P[3])
{
    double p[3];
    for (int k = 0; k < 3; ++k) {
        p[k] = (i >> k & 1 ? 0.5 : -0.5) * box->size[k];
    }
    pcs_quat_rotate(q + 3, p, P);
    for (int k = 0; k < 3; ++k) {
        P[k] += q[k];
    }
}

double free_box_lowest(const free_box *box, const double q[7])
{
    double lowest = INFINITY;
    for (int i = 0; i < 8; ++i) {
        double P[3];
        free_box_vertex(box, q, i, P);
        lowest = fmin(lowest, P[2]);
    }
    return lowest;
}

double free_box_kinetic(const free_box *box, const double v[6])
{
    double K = 0;
    for (int k = 0; k < 3; ++k) {
        K += 0.5 * box->mass * v[k] * v[k] + 0.5 * box->J[k] * v[3 + k] * v[3 + k];
    }
    return K;
}

double free_box_energy(const free_box *box, const double q[7], const double v[6])
{
    return free_box_kinetic(box, v) + box->mass * box->gravity * q[2];
}

void free_box_spin(const free_box *box, const double q[7], const double v[6], double L[3])
{
    const double *J = box->J, *w = v + 3;
    pcs_quat_rotate(q + 3, (const double[]){J[0] * w[0], J[1] * w[1], J[2] * w[2]}, L);
}

// ---- the flight ---------------------------------------------------------------------------------

static int fall(void *user, double t, const double *x, double *dxdt)
{
    (void)t;
    const free_box *box = user;
    const double *Q = x + 3, *v = x + 7, *w = x + 10, *J = box->J;
    double QW[4];
    pcs_quat_mul(Q, (const double[]){0, w[0], w[1], w[2]}, QW);
    for (int k = 0; k < 3; ++k) {
        dxdt[k] = v[k];
        dxdt[7 + k] = k == 2 ? -box->gravity : 0;
    }
    for (int k = 0; k < 4; ++k) {
        dxdt[3 + k] = 0.5 * QW[k];
    }
    dxdt[10] = (J[1] - J[2]) * w[1] * w[2] / J[0];
    dxdt[11] = (J[2] - J[0]) * w[2] * w[0] / J[1];
    dxdt[12] = (J[0] - J[1]) * w[0] * w[1] / J[2];
    return 0;
}

static int normalise(void *user, double t, double *x)
{
    (void)user;
    (void)t;
    return pcs_quat_normalise(x + 3) == PCS_OK ? 0 : 1;
}

typedef struct corner {
    const free_box *box;
    int vertex;
} corner;

static int height(void *user, double t, const double *x, double *g)
{
    (void)t;
    const corner *c = user;
    double P[3];
    free_box_vertex(c->box, x, c->vertex, P);
    *g = P[2];
    return 0;
}

static pcs_status watch_corners(pcs_integrator *run, const free_box *box, corner c[8])
{
    pcs_event event[8];
    for (int i = 0; i < 8; ++i) {
        c[i] = (corner){box, i};
        event[i] = (pcs_event){.g = height, .direction = -1, .terminal = true, .user = &c[i]};
    }
    return pcs_integrator_set_events(run, 8, event);
}

pcs_status free_box_fly(const free_box *box, double rtol, const double q[7], const double v[6],
                        double t_end, free_flight *out)
{
    free_box copy = *box; // callbacks take no const
    const pcs_ode flight = {.n = 13, .f = fall, .project = normalise, .user = &copy};
    pcs_ode_opts opts = pcs_ode_opts_default();
    opts.rtol = rtol;
    opts.atol = 0.1 * rtol;
    double x[13];
    memcpy(x, q, 7 * sizeof *x);
    memcpy(x + 7, v, 6 * sizeof *x);

    pcs_integrator *run = NULL;
    pcs_ode_report report = {0};
    corner c[8];
    pcs_status status = pcs_integrator_create(NULL, &flight, &opts, &run);
    if (status == PCS_OK) status = watch_corners(run, &copy, c);
    if (status == PCS_OK) status = pcs_integrator_start(run, 0, x);
    if (status == PCS_OK) status = pcs_integrator_advance(run, t_end, &report);
    if (status == PCS_OK) {
        *out = (free_flight){.t = pcs_integrator_t(run), .vertex = -1, .steps = report.steps};
        if (report.end == PCS_ODE_EVENT) out->vertex = report.event.index;
        memcpy(out->q, pcs_integrator_x(run), sizeof out->q);
        memcpy(out->v, pcs_integrator_x(run) + 7, sizeof out->v);
    }
    pcs_integrator_destroy(run);
    return status;
}
