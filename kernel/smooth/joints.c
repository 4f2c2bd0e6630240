// Joints as constraints: phi = g, A = C T of the systems that move, phi_t the same of prescribed
// motions, and gamma in closed form for the built-in relations, by differences of C T v along the
// motion for others.
#include "smooth/smooth.h"

#include <stdlib.h>
#include <string.h>

#include "linalg/bsr.h"
#include "mechanics/difference.h"
#include "relations/joint.h"
#include "systems/systems.h"

static bool is_driven(const model_system *s)
{
    return s->motion && !s->disabled;
}

pcs_status smooth_drive(pcs_smooth *sys, double t, double *driven_q, double *driven_v)
{
    const pcs_model *m = sys->model;
    for (int i = 0; i < m->n_systems; ++i) {
        const model_system *s = &m->system[i];
        if (is_driven(s)) {
            PCS_TRY(system_motion(s, t, driven_q + 7 * s->driven, driven_v + 6 * s->driven));
        }
    }
    return PCS_OK;
}

// sys->q = q, with bodies of prescribed motion at their poses at t
static pcs_status place(pcs_smooth *sys, double t, const double *q)
{
    memcpy(sys->q, q, (size_t)sys->nq * sizeof *q);
    if (!sys->driven) return PCS_OK;
    PCS_TRY(smooth_drive(sys, t, sys->driven_q, sys->driven_v));
    const pcs_model *m = sys->model;
    for (int i = 0; i < m->n_systems; ++i) {
        const model_system *s = &m->system[i];
        if (is_driven(s)) {
            memcpy(sys->q + s->q_at, sys->driven_q + 7 * s->driven, 7 * sizeof *sys->q);
        }
    }
    return PCS_OK;
}

static const model_system *system_of(const pcs_smooth *sys, int index)
{
    return index < 0 ? NULL : &sys->model->system[index];
}

static const double *q_of(const pcs_smooth *sys, int index)
{
    return index < 0 ? NULL : sys->q + sys->model->system[index].q_at;
}

static const pcs_relation *relation_of(const pcs_smooth *sys, const smooth_joint *j)
{
    return &sys->model->interaction[j->interaction].relation;
}

// ---- phi and A

int smooth_phi(void *user, double t, const double *q, double *phi)
{
    pcs_smooth *sys = user;
    pcs_status status = place(sys, t, q);
    for (int k = 0; k < sys->n_joints && status == PCS_OK; ++k) {
        const smooth_joint *j = &sys->joint[k];
        status = pcs_relation_gap(relation_of(sys, j), q_of(sys, j->sys1), q_of(sys, j->sys2),
                                  phi + j->row);
    }
    return (int)status;
}

static pcs_status gradient(pcs_smooth *sys, const smooth_joint *j, const double *q1,
                           const double *q2)
{
    const model_system *s1 = system_of(sys, j->sys1), *s2 = system_of(sys, j->sys2);
    return pcs_relation_gradient(relation_of(sys, j), s1->nq, q1, s2 ? s2->nq : 0, q2, sys->C1,
                                 s2 ? sys->C2 : NULL);
}

static void add_block(pcs_smooth *sys, const smooth_joint *j, const model_system *s, int dim,
                      const double *q, const double *C, double *A)
{
    if (!s || s->nv == 0) return;
    system_times_T(s, dim, q, C, sys->J);
    for (int c = 0; c < s->nv; ++c) {
        double *column = A + j->row + (size_t)sys->m * (size_t)(s->v_at + c);
        for (int i = 0; i < dim; ++i) {
            column[i] += sys->J[i + (size_t)dim * (size_t)c];
        }
    }
}

int smooth_A(void *user, double t, const double *q, double *A)
{
    pcs_smooth *sys = user;
    pcs_status status = place(sys, t, q);
    for (int k = 0; k < sys->n_joints && status == PCS_OK; ++k) {
        const smooth_joint *j = &sys->joint[k];
        const int dim = relation_of(sys, j)->dim;
        const double *q1 = q_of(sys, j->sys1), *q2 = q_of(sys, j->sys2);
        status = gradient(sys, j, q1, q2);
        if (status != PCS_OK) break;
        add_block(sys, j, system_of(sys, j->sys1), dim, q1, sys->C1, A);
        add_block(sys, j, system_of(sys, j->sys2), dim, q2, sys->C2, A);
    }
    return (int)status;
}

// ---- rates

// the velocities of a system: from v, from its prescribed motion, or null
static const double *v_of(const pcs_smooth *sys, int index, const double *v)
{
    const model_system *s = system_of(sys, index);
    if (!s) return NULL;
    if (is_driven(s)) return sys->driven_v + 6 * s->driven;
    return s->nv > 0 && v ? v + s->v_at : NULL;
}

// out += C T v of one system
static void add_rate(pcs_smooth *sys, const model_system *s, int dim, const double *q,
                     const double *v, const double *C, double *out)
{
    if (!s || !v) return;
    system_times_T(s, dim, q, C, sys->J);
    block_addmul(dim, s->kind == SYSTEM_LAGRANGIAN ? s->nv : 6, sys->J, v, out);
}

// dg/dt of a joint with its systems at q1, q2
static pcs_status joint_rate(pcs_smooth *sys, const smooth_joint *j, const double *q1,
                             const double *q2, const double *v1, const double *v2, double *out)
{
    const int dim = relation_of(sys, j)->dim;
    PCS_TRY(gradient(sys, j, q1, q2));
    memset(out, 0, (size_t)dim * sizeof *out);
    add_rate(sys, system_of(sys, j->sys1), dim, q1, v1, sys->C1, out);
    add_rate(sys, system_of(sys, j->sys2), dim, q2, v2, sys->C2, out);
    return PCS_OK;
}

int smooth_phi_t(void *user, double t, const double *q, double *phi_t)
{
    pcs_smooth *sys = user;
    pcs_status status = place(sys, t, q);
    for (int k = 0; k < sys->n_joints && status == PCS_OK; ++k) {
        const smooth_joint *j = &sys->joint[k];
        status = joint_rate(sys, j, q_of(sys, j->sys1), q_of(sys, j->sys2),
                            v_of(sys, j->sys1, NULL), v_of(sys, j->sys2, NULL), phi_t + j->row);
    }
    return (int)status;
}

// ---- gamma

// accelerations of prescribed motions: differences of their velocities over a 64th of a second. The
// velocities at t remain in driven_v
static pcs_status drive_accelerations(pcs_smooth *sys, double t)
{
    const size_t n = 6 * (size_t)sys->model->n_driven;
    double *a = sys->driven_a, *v = a + n, *q = v + n;
    const double d = difference_step(1);
    memset(a, 0, n * sizeof *a);
    for (int k = -DIFFERENCE_POINTS; k <= DIFFERENCE_POINTS; ++k) {
        if (k == 0) continue;
        PCS_TRY(smooth_drive(sys, t + k * d, q, v));
        const double w = (k > 0 ? 1 : -1) * difference_weight(abs(k)) / d;
        for (size_t i = 0; i < n; ++i) {
            a[i] += w * v[i];
        }
    }
    return PCS_OK;
}

static relation_side side_of(const pcs_smooth *sys, int index, const double *v)
{
    const model_system *s = system_of(sys, index);
    return (relation_side){.q = q_of(sys, index),
                           .v = v_of(sys, index, v),
                           .a = s && is_driven(s) ? sys->driven_a + 6 * s->driven : NULL};
}

static void rate_of(const model_system *s, const double *q, const double *v, double *qdot)
{
    memset(qdot, 0, (size_t)s->nq * sizeof *qdot);
    if (!v) return;
    if (s->kind == SYSTEM_LAGRANGIAN) {
        memcpy(qdot, v, (size_t)s->nq * sizeof *qdot);
    } else {
        pcs_body_rate(q, v, qdot);
    }
}

// q + s qdot, or the pose of its prescribed motion at t + s; and its velocities there
static pcs_status moved(pcs_smooth *sys, int index, double t, double s, const double *v,
                        const double *qdot, double *q, double motion[6], const double **v_then)
{
    const model_system *sy = system_of(sys, index);
    *v_then = v;
    if (!sy) return PCS_OK;
    if (is_driven(sy)) {
        *v_then = motion;
        return system_motion(sy, t + s, q, motion);
    }
    const double *from = q_of(sys, index);
    for (int i = 0; i < sy->nq; ++i) {
        q[i] = from[i] + s * qdot[i];
    }
    return PCS_OK;
}

// Shortest lengths (m, and of Q) over which relations by callbacks change: a distance of a few
// centimetres, for example, is curved on that scale
#define CURVED 0.25

// gamma of a relation by callbacks
static pcs_status gamma_by_differences(pcs_smooth *sys, const smooth_joint *j, double t,
                                       const double *v, double *gamma)
{
    const model_system *s1 = system_of(sys, j->sys1), *s2 = system_of(sys, j->sys2);
    const double *v1 = v_of(sys, j->sys1, v), *v2 = v_of(sys, j->sys2, v);
    double motion1[6], motion2[6];
    const double *now1, *now2;
    double fastest = is_driven(s1) || (s2 && is_driven(s2)) ? 1 : 0;
    rate_of(s1, q_of(sys, j->sys1), v1, sys->qdot1);
    for (int i = 0; i < s1->nq; ++i) {
        fastest = fmax(fastest, fabs(sys->qdot1[i]));
    }
    if (s2) rate_of(s2, q_of(sys, j->sys2), v2, sys->qdot2);
    for (int i = 0; s2 && i < s2->nq; ++i) {
        fastest = fmax(fastest, fabs(sys->qdot2[i]));
    }
    if (!(fastest > 0)) return PCS_OK;

    const int dim = relation_of(sys, j)->dim;
    const double d = difference_step(CURVED / fastest);
    for (int k = -DIFFERENCE_POINTS; k <= DIFFERENCE_POINTS; ++k) {
        if (k == 0) continue;
        PCS_TRY(moved(sys, j->sys1, t, k * d, v1, sys->qdot1, sys->q1, motion1, &now1));
        PCS_TRY(moved(sys, j->sys2, t, k * d, v2, sys->qdot2, sys->q2, motion2, &now2));
        PCS_TRY(joint_rate(sys, j, sys->q1, s2 ? sys->q2 : NULL, now1, now2, sys->rate));
        const double w = (k > 0 ? 1 : -1) * difference_weight(abs(k)) / d;
        for (int i = 0; i < dim; ++i) {
            gamma[i] += w * sys->rate[i];
        }
    }
    return PCS_OK;
}

static pcs_status gammas(pcs_smooth *sys, double t, const double *q, const double *v, double *gamma)
{
    PCS_TRY(place(sys, t, q));
    if (sys->driven) PCS_TRY(drive_accelerations(sys, t));
    for (int k = 0; k < sys->n_joints; ++k) {
        const smooth_joint *j = &sys->joint[k];
        const relation_side side1 = side_of(sys, j->sys1, v), side2 = side_of(sys, j->sys2, v);
        if (!relation_convective(relation_of(sys, j), &side1, &side2, gamma + j->row)) {
            PCS_TRY(gamma_by_differences(sys, j, t, v, gamma + j->row));
        }
    }
    return PCS_OK;
}

int smooth_gamma(void *user, double t, const double *q, const double *v, double *gamma)
{
    return (int)gammas(user, t, q, v, gamma);
}
