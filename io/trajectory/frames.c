// See frames.h.
#include "trajectory/frames.h"

#include <math.h>
#include <string.h>

#include <percuss/parts.h>

long frames_chosen(const frame_choice *c)
{
    const long n = c->last - c->first;
    return n / c->every + 1 + (n % c->every != 0);
}

long frame_chosen(const frame_choice *c, long k)
{
    return k <= (c->last - c->first) / c->every ? c->first + k * c->every : c->last;
}

void frame_pose(const pcs_trajectory *t, const pcs_trajectory_frame *frame, int body,
                double pose[7])
{
    int at = -1;
    memcpy(pose, (double[7]){[3] = 1}, 7 * sizeof *pose);
    if (body > 0 && !pcs_model_is_lagrangian(pcs_trajectory_model(t), (pcs_system){body})) {
        pcs_trajectory_place(t, (pcs_system){body}, &at, NULL);
    }
    if (at < 0) return;
    memcpy(pose, frame->q + at, 7 * sizeof *pose);
    const double *Q = pose + 3;
    const double norm = sqrt(Q[0] * Q[0] + Q[1] * Q[1] + Q[2] * Q[2] + Q[3] * Q[3]);
    for (int i = 3; i < 7; ++i) {
        pose[i] = norm > 0 ? pose[i] / norm : i == 3;
    }
}

bool force_has_line(const pcs_trajectory *t, pcs_force force, pcs_force_def *out)
{
    if (pcs_trajectory_force(t, force, out, NULL) != PCS_OK) return false;
    const pcs_model *m = pcs_trajectory_model(t);
    if (pcs_model_is_lagrangian(m, out->system1) || pcs_model_is_lagrangian(m, out->system2)) {
        return false;
    }
    return out->system2.id > 0 || (out->kind != PCS_FORCE_TORSION && out->kind != PCS_FORCE_USER);
}

void contact_point(const pcs_contact *c, double x[3])
{
    for (int i = 0; i < 3; ++i) {
        x[i] = 0.5 * (c->P1[i] + c->P2[i]);
    }
}

void contact_impulse(const pcs_contact *c, double r[3])
{
    for (int i = 0; i < 3; ++i) {
        r[i] = c->F[i] * c->r[0] + c->F[i + 3] * c->r[1] + c->F[i + 6] * c->r[2];
    }
}
