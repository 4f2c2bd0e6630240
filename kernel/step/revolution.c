// Contacts of bodies of revolution: capsules, cylinders and balls, whose axis passes through G, on
// bodies with one moment of inertia across it. All normals meet the axis, so contacts without
// friction never change the spin about it. Rows of a later pose are for the axis at q_k.
#include "step/candidates.h"

#include "collide/collide.h"
#include "linalg/m3.h"
#include "rotation/pose.h"
#include "rotation/rotation.h"
#include "step/confirm.h"

// relative to the size of a shape: a length that is rounding
#define ON_AXIS 1e-12

// the same of a lever about the axis: that of a cap at rest is not zero
#define TILTED 1e-6

// relative difference up to which two moments of inertia are one
#define SYMMETRIC 1e-9

// The axis of a shape of revolution through G, in the frame of the body; false: it has none
static bool axis_through_G(const pcs_shape *s, double e[3])
{
    static const double z[3] = {0, 0, 1};
    const double tiny = ON_AXIS * shape_radius(s);
    if (s->kind == PCS_SHAPE_SPHERE) return v3_unit(s->position, e) > tiny;
    if (s->kind != PCS_SHAPE_CAPSULE && s->kind != PCS_SHAPE_CYLINDER) return false;
    double off[3];
    quat_turn(s->orientation, 1, z, e);
    v3_cross(s->position, e, off);
    return v3_norm(off) <= tiny;
}

// true when all directions across e have the same moment of inertia: only moments change the spin
static bool is_symmetric_about(const double e[3], const double J[9])
{
    double Je[3], most = 0;
    m3_mul(J, e, Je);
    const double trace = J[0] + J[4] + J[8], along = v3_dot(e, Je), across = 0.5 * (trace - along);
    for (int i = 0; i < 9; ++i) {
        const double of = (along - across) * e[i / 3] * e[i % 3] + (i % 4 == 0 ? across : 0);
        most = fmax(most, fabs(J[i] - of));
    }
    return most <= SYMMETRIC * trace;
}

// The part about e of the rotation from the pose q_k to q, in the frame of the body
static void twist_about(const double e[3], const double *q_k, const double *q, double twist[4])
{
    const double back[4] = {q_k[3], -q_k[4], -q_k[5], -q_k[6]};
    quat_mul(back, q + 3, twist);
    v3_scale(v3_dot(twist + 1, e), e, twist + 1);
    if (twist[0] == 0 && v3_norm(twist + 1) == 0) twist[0] = 1;
}

// Rows of a side for the meeting at the pose q, which turn with the axis of a shape of revolution.
// There the normal meets the axis, but not the axis at q_k: the lever of the meeting, about G at
// q_k, would change the spin of the body about its axis. So the moment is turned from the axis at q
// to that at q_k, by the least rotation. In the frame of the body this is R^T m, turned by the
// part of the rotation from q_k to q that is about the axis: spinning does not turn it. What is
// left about the axis is that of points on a cap that is not parallel to what it meets.
static pcs_status turn_with_axis(const trial *t, candidate *c, int side, const double *q,
                                 double tiny, pcs_arena *mem, bodies_block *k)
{
    const int system = side == 0 ? c->pose1 : c->pose2;
    const pcs_shape *s = &t->m->shape[side == 0 ? c->key.shape1 : c->key.shape2].shape;
    double e[3], at_q_k[3], m[3], lever[3], twist[4];
    if (k->sys[side] < 0 || is_mapped(t->m, system) || !axis_through_G(s, e)) return PCS_OK;
    if (!is_symmetric_about(e, t->m->system[system].J)) return PCS_OK;
    const double *q_k = system_q(t->m, system, t->st->q), sign = side == 0 ? 1 : -1;
    pose_direction(q_k, e, at_q_k);
    v3_cross(k->core[side], k->F, m);
    if (fabs(v3_dot(m, at_q_k)) <= tiny * shape_radius(s)) return PCS_OK;
    PCS_TRY(candidate_take_rows(t->m, system, k->dim, mem, &c->J[side]));
    twist_about(e, q_k, q, twist);
    v3_along(k->core[side], k->along[side], k->F, lever);
    for (int i = 0; i < k->dim; ++i) {
        v3_cross(i == 0 ? k->core[side] : lever, k->F + 3 * i, m);
        pose_direction_back(q, m, m);
        quat_turn(twist, 1, m, m);
        if (i == 0) v3_along(m, -v3_dot(m, e), e, m);
        for (int a = 0; a < 3; ++a) {
            c->J[side][i + k->dim * a] = sign * k->F[a + 3 * i];
            c->J[side][i + k->dim * (3 + a)] = sign * m[a];
        }
    }
    k->rows[side] = c->J[side];
    return PCS_OK;
}

pcs_status revolution_meeting(const trial *t, int i, const double q1[7], const double q2[7],
                              pcs_arena *mem)
{
    candidate *c = &t->list.c[i];
    PCS_TRY(turn_with_axis(t, c, 0, q1, ON_AXIS, mem, &t->list.k[i]));
    return turn_with_axis(t, c, 1, q2, ON_AXIS, mem, &t->list.k[i]);
}

pcs_status revolution_level(const trial *t, int i, pcs_arena *mem)
{
    candidate *c = &t->list.c[i];
    const double *q1 = system_q(t->m, c->pose1, t->st->q), *q2 = system_q(t->m, c->pose2, t->st->q);
    PCS_TRY(turn_with_axis(t, c, 0, q1, TILTED, mem, &t->list.k[i]));
    return turn_with_axis(t, c, 1, q2, TILTED, mem, &t->list.k[i]);
}

pcs_status revolution_level_caps(const trial *t, int first, pcs_arena *mem)
{
    for (int i = first; i < t->list.n; ++i) {
        candidate *c = &t->list.c[i];
        const bodies_block *k = &t->list.k[i];
        candidates_fetch(&t->list, i);
        if (candidate_is_mapped(t->m, c) || !(c->g[0] > contact_slop(t, c))) continue;
        PCS_TRY(revolution_level(t, i, mem));
        if (!k->rows[0] && !k->rows[1]) continue;
        bodies_block_velocity(k, t->m->block_start, t->rotation_k, t->st->v, c->u_k);
    }
    return PCS_OK;
}
