// Contacts are used as theory 7 has them: impulses r act at P1 of the pose at the start of the
// step, the gyroscopic moment is the theta-mean of both ends.
#include "checks/brick_contacts.h"

#include <math.h>
#include <string.h>

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// velocity of the body-fixed point at P in the contact frame
static void local_velocity(const double q[7], const double v[6], const double P[3],
                           const double F[9], double u[3])
{
    double w[3], lever[3], turn[3];
    pcs_quat_rotate(q + 3, v + 3, w);
    for (int k = 0; k < 3; ++k) {
        lever[k] = P[k] - q[k];
    }
    cross(w, lever, turn);
    for (int k = 0; k < 3; ++k) {
        turn[k] += v[k];
    }
    for (int k = 0; k < 3; ++k) {
        u[k] = dot(F + 3 * k, turn);
    }
}

// force and moment (inertial axes) of one contact, added up
static void add_push(const pcs_contact *c, const double q0[7], double p[3], double M[3])
{
    double f[3], lever[3], moment[3];
    for (int k = 0; k < 3; ++k) {
        f[k] = c->F[k] * c->r[0] + c->F[3 + k] * c->r[1] + c->F[6 + k] * c->r[2];
        lever[k] = c->P1[k] - q0[k];
    }
    cross(lever, f, moment);
    for (int k = 0; k < 3; ++k) {
        p[k] += f[k];
        M[k] += moment[k];
    }
}

// the laws of impact and friction for one contact; one that is slower than `lands` need not rebound
static void look_at_laws(const pcs_contact *c, const double u0[3], const double u1[3], double lands,
                         ground_faults *worst)
{
    const double *r = c->r;
    if (fabs(u0[0]) > lands) {
        worst->restitution = fmax(worst->restitution, -c->law.e * u0[0] - u1[0]);
    }
    if (u0[0] <= 0) worst->normal = fmax(worst->normal, 0.5 * (u0[0] + u1[0]) * r[0]);
    worst->tangential = fmax(worst->tangential, u1[1] * r[1] + u1[2] * r[2]);
}

static void look_at_balances(double theta, const free_box *box, double h, const double q0[7],
                             const double v0[6], const double v[6], const double p[3],
                             const double M[3], ground_faults *worst)
{
    const double *w0 = v0 + 3, *w1 = v + 3, *J = box->J;
    double back[4], moment[3], dv[3], dw[3];
    pcs_quat_conj(q0 + 3, back);
    pcs_quat_rotate(back, M, moment);
    for (int k = 0; k < 3; ++k) {
        const int l = (k + 1) % 3, m = (k + 2) % 3;
        const double weight = k == 2 ? -box->mass * box->gravity : 0;
        const double gyro = (J[l] - J[m]) * (theta * w1[l] * w1[m] + (1 - theta) * w0[l] * w0[m]);
        dv[k] = v[k] - v0[k] - (h * weight + p[k]) / box->mass;
        dw[k] = w1[k] - w0[k] - (h * gyro + moment[k]) / J[k];
    }
    const double radius = 0.5 * sqrt(dot(box->size, box->size));
    worst->momentum = fmax(worst->momentum, sqrt(dot(dv, dv)));
    worst->spin = fmax(worst->spin, radius * sqrt(dot(dw, dw)));
}

// Speed up to which contacts may land without a rebound, m/s: what weight and the gyroscopic moment
// give a vertex in a step, where a projection works on predicted contacts (doc/stepping.md).
static double landing_speed(pcs_projection p, const free_box *box, double h, const double w0[3])
{
    if (p != PCS_PROJECTION_DIRECT && p != PCS_PROJECTION_DIRECT_HYSTERESIS) return 0;
    const double *J = box->J, least = fmin(J[0], fmin(J[1], J[2]));
    const double L[3] = {J[0] * w0[0], J[1] * w0[1], J[2] * w0[2]};
    double M[3];
    cross(w0, L, M);
    const double radius = 0.5 * sqrt(dot(box->size, box->size));
    return h * (box->gravity + radius * sqrt(dot(M, M)) / least);
}

pcs_status ground_look(const pcs_model *model, pcs_work *work, const free_box *box, double h,
                       const double q0[7], const double v0[6], const double v1[6],
                       ground_faults *worst, ground_push *out)
{
    const pcs_scheme scheme = pcs_model_scheme(model);
    double M[3] = {0, 0, 0}, outside = 0, largest = 0;
    const double lands = landing_speed(scheme.projection, box, h, v0 + 3);
    const pcs_contact *c;
    int n;
    PCS_TRY(pcs_work_contacts(work, &n, &c));
    *out = (ground_push){0};
    for (int i = 0; i < n; ++i) {
        if (!c[i].active) continue;
        double u0[3], u1[3];
        local_velocity(q0, v0, c[i].P1, c[i].F, u0);
        local_velocity(q0, v1, c[i].P1, c[i].F, u1);
        add_push(&c[i], q0, out->p, M);
        look_at_laws(&c[i], u0, u1, lands, worst);
        const double *r = c[i].r;
        outside = fmax(outside, hypot(r[1], r[2]) - c[i].law.mu * r[0]);
        largest = fmax(largest, r[0]);
        out->normal += r[0];
        out->contacts += r[0] > 0;
    }
    if (largest > 0) worst->cone = fmax(worst->cone, outside / largest);
    look_at_balances(scheme.theta, box, h, q0, v0, v1, out->p, M, worst);
    return PCS_OK;
}
