// The reaction of a joint in the last step: force and moment on both systems, about the origins of
// its frames and in their axes.
#include "step/step.h"

#include <string.h>

#include "linalg/m3.h"
#include "rotation/pose.h"
#include "systems/systems.h"

// the pose of a system in the middle of the last step, of length h, which ended at the state; of a
// carried body that of the rows of the interaction
static pcs_status middle_of(const pcs_model *m, const pcs_state *st, pcs_system system, double h,
                            const pcs_work *wk, pcs_interaction interaction, double room[7],
                            const double **q)
{
    const model_system *s = model_find(m, system);
    double v[6];
    *q = s ? st->q + s->q_at : NULL;
    if (s && s->carrier.id > 0) work_carried_pose(wk, interaction, system, q);
    if (!s || (s->nv == 0 && !s->motion)) return PCS_OK;
    if (s->motion) {
        PCS_TRY(system_motion(s, st->t - 0.5 * h, room, v));
    } else {
        system_advance(s, *q, -0.5 * h, st->v + s->v_at, m->scheme.update, room);
    }
    *q = room;
    return PCS_OK;
}

// force and moment on a body about the origin of the frame, in its axes; q: the pose of the body
// where the reaction acts
static void react(const pcs_work *wk, pcs_interaction interaction, pcs_system body, const double *q,
                  const double point[3], const double axes[4], double scale, double force[3],
                  double moment[3])
{
    double wrench[6], f[3], about[3];
    work_reaction(wk, interaction, body, wrench);
    quat_turn(q + 3, -1, wrench, f);
    v3_cross(point, f, about);
    v3_sub(wrench + 3, about, about);
    quat_turn(axes, -1, f, force);
    quat_turn(axes, -1, about, moment);
    v3_scale(scale, force, force);
    v3_scale(scale, moment, moment);
}

// the pose of a frame of a joint
static void frame_pose(const double *q, const double point[3], const double axes[4], double P[3],
                       double Q[4])
{
    pose_point(q, point, P);
    memcpy(Q, axes, 4 * sizeof *Q);
    if (q) pcs_quat_mul(q + 3, axes, Q);
}

// the reaction on a side that forces do not move, from that on the other: -f, and -m - (P - P') x f
static void turn_round(double pose[2][7], int from, const double f[3], const double m[3],
                       double force[3], double moment[3])
{
    const double *one = pose[from], *two = pose[1 - from];
    double inertial[3], about[3], d[3], lever[3];
    quat_turn(one + 3, 1, f, inertial);
    quat_turn(one + 3, 1, m, about);
    v3_sub(one, two, d);
    v3_cross(d, inertial, lever);
    v3_along(about, 1, lever, about);
    v3_scale(-1, inertial, inertial);
    v3_scale(-1, about, about);
    quat_turn(two + 3, -1, inertial, force);
    quat_turn(two + 3, -1, about, moment);
}

// The mean reaction over the last step acts in the middle of it, at the poses there: those of the
// state would turn it by h/2 omega, an error of first order
pcs_status joint_reactions(const pcs_model *m, const pcs_state *st, const pcs_work *wk,
                           pcs_interaction interaction, pcs_joint_state *out)
{
    pcs_joint_def read, *def = &read;
    PCS_TRY(pcs_model_joint(m, interaction, def));
    const double h = pcs_work_step_size(wk), scale = h > 0 ? 1 / h : 1;
    const bool moves[2] = {system_can_move(m, def->system1.id - 1),
                           system_can_move(m, def->system2.id - 1)};
    const double *q[2];
    double pose[2][7], room[2][7];
    PCS_TRY(middle_of(m, st, def->system1, h, wk, interaction, room[0], &q[0]));
    PCS_TRY(middle_of(m, st, def->system2, h, wk, interaction, room[1], &q[1]));
    frame_pose(q[0], def->point1, def->axes1, pose[0], pose[0] + 3);
    frame_pose(q[1], def->point2, def->axes2, pose[1], pose[1] + 3);
    if (moves[0]) {
        react(wk, interaction, def->system1, q[0], def->point1, def->axes1, scale, out->force1,
              out->moment1);
    }
    if (moves[1]) {
        react(wk, interaction, def->system2, q[1], def->point2, def->axes2, scale, out->force2,
              out->moment2);
    }
    if (!moves[1]) turn_round(pose, 0, out->force1, out->moment1, out->force2, out->moment2);
    if (!moves[0]) turn_round(pose, 1, out->force2, out->moment2, out->force1, out->moment1);
    return PCS_OK;
}
