// Two solids watched step by step.
#include "motion.h"

#include <math.h>
#include <string.h>

void read_bodies(const world *w, double q[2][7], double v[2][6])
{
    for (int b = 0; b < 2; ++b) {
        const double *pose = pcs_state_q(w->model, w->state, w->system[b]);
        const double *velocity = pcs_state_v(w->model, w->state, w->system[b]);
        memset(q[b], 0, sizeof q[b]);
        memset(v[b], 0, sizeof v[b]);
        q[b][3] = 1;
        if (pose) memcpy(q[b], pose, sizeof q[b]);
        if (velocity) memcpy(v[b], velocity, sizeof v[b]);
    }
}

// What contacts gave to body b at pose q: the impulse p, and its moment about G, inertial frame.
static void read_wrench(const world *w, int b, const double q[7], double p[3], double moment[3])
{
    double wrench[6];
    pcs_contact_wrench(w->work, w->system[b], wrench);
    memcpy(p, wrench, 3 * sizeof *p);
    pcs_quat_rotate(q + 3, wrench + 3, moment);
}

void sum_wrenches(const world *w, double q[2][7], double P[3], double L[3])
{
    memset(P, 0, 3 * sizeof *P);
    memset(L, 0, 3 * sizeof *L);
    for (int b = 0; b < 2; ++b) {
        double p[3], moment[3], lever[3];
        read_wrench(w, b, q[b], p, moment);
        hand_cross(q[b], p, lever);
        for (int i = 0; i < 3; ++i) {
            P[i] += p[i];
            L[i] += lever[i] + moment[i];
        }
    }
}

double largest(int n, const double *a, const double *b)
{
    double worst = 0;
    for (int i = 0; i < n; ++i) {
        const double d = fabs(a[i] - (b ? b[i] : 0));
        if (d > worst || isnan(d)) worst = d;
    }
    return worst;
}

double impulse_of(const world *w)
{
    double wrench[6];
    pcs_contact_wrench(w->work, w->system[0], wrench);
    return sqrt(hand_dot(wrench, wrench));
}

// the smallest gap between the two, in reach or not
static double gap_now(const scene *s, double q[2][7])
{
    pcs_feature f[PCS_FEATURES_MAX];
    double smallest = INFINITY;
    const int n = pcs_collide(&s->shape[0], q[0], &s->shape[1], q[1], 1e9, f);
    for (int i = 0; i < n; ++i) {
        pcs_gap gap;
        pcs_feature_gap(&f[i], q[0], q[1], &gap);
        smallest = fmin(smallest, gap.g);
    }
    return smallest;
}

static void write_row(motion *m, double t, double impulse, double potential)
{
    if (!m->out->file) return;
    csv_real(m->out, t);
    for (int b = 0; b < 2; ++b) {
        csv_reals(m->out, m->q[b], 7);
        csv_reals(m->out, m->v[b], 6);
    }
    csv_reals(m->out, (double[]){impulse, gap_now(m->s, m->q), m->kinetic, potential}, 4);
    csv_reals(m->out, m->P, 3);
    csv_reals(m->out, m->L, 3);
    csv_text(m->out, solids_name[m->s->kind]);
    csv_end(m->out);
}

// the step of the impact: `before` is the motion as it was at its start, m as it is at its end
static void measure(motion *m, const motion *before, double h, double impulse)
{
    double P[3], L[3];
    double start[2][7];
    memcpy(start, before->q, sizeof start);
    sum_wrenches(m->w, start, P, L);
    m->struck = true;
    m->h = h;
    m->impulse = impulse;
    m->loss = before->kinetic - m->kinetic;
    memcpy(m->after, m->v, sizeof m->after);
    for (int i = 0; i < 3; ++i) {
        m->jump[i] = m->L[i] - before->L[i] - (m->s->ground ? L[i] : 0);
        m->predicted[i] = 0;
    }
    for (int b = 0; b < 2; ++b) {
        double p[3], moment[3], omega[3], moved[3], turned[3];
        read_wrench(m->w, b, start[b], p, moment);
        pcs_quat_rotate(start[b] + 3, before->v[b] + 3, omega);
        hand_cross(before->v[b], p, moved);
        hand_cross(omega, moment, turned);
        for (int i = 0; i < 3; ++i) {
            m->predicted[i] += (1 - m->theta) * h * (moved[i] + turned[i]);
        }
    }
}

int motion_observe(void *user, const pcs_model *model, const pcs_state *state, const pcs_work *work,
                   const pcs_step_report *report)
{
    motion *m = user;
    const motion before = *m;
    double potential;
    (void)work;
    read_bodies(m->w, m->q, m->v);
    pcs_momentum(model, state, m->P, m->L);
    if (pcs_kinetic_energy(model, state, &m->kinetic) != PCS_OK) return 1;
    if (pcs_potential_energy(model, state, &potential) != PCS_OK) return 1;

    double impulse = 0;
    if (report) {
        double P[3], L[3];
        sum_wrenches(m->w, m->q, P, L);
        impulse = impulse_of(m->w);
        for (int i = 0; i < 3; ++i) {
            const double gained = m->P[i] - before.P[i] - (m->s->ground ? P[i] : 0);
            m->leak = fmax(m->leak, fabs(gained));
        }
        m->closure = fmax(m->closure, fabs(report->energy.closure));
        if (impulse > 0 && !m->struck) measure(m, &before, m->h, impulse);
    }
    write_row(m, state->t, impulse, potential);
    return m->once && m->struck;
}
