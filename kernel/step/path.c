// The paths of two bodies through a step, and the first meeting of their shapes on them.
//
// A path is a start pose, a translation d and a rotation vector w (body axes): x(s) = x + s d,
// Q(s) = Q exp(s w), 0 <= s <= 1. Conservative advancement finds the first s at which the gap of a
// pair of shapes is -depth. With N the normal of the closest features and g their gap, the plane
// between two convex shapes separates them until s has grown by
//
//     (g + depth) / (|w1| l1 + |w2| l2 - N . (d1 - d2)),
//
// where l is the distance from G to the furthest surface point: no meeting is missed. If the
// closest features do not approach each other, the shapes do not meet. In overlap the normal may
// change, and |d1 - d2| replaces -N . (d1 - d2).
#include "step/path.h"

#include <float.h>
#include <string.h>

#include "collide/collide.h"
#include "model/carried.h"
#include "rotation/pose.h"

// Collision queries per pair: the first SURE miss no meeting. A pair that needs more slides along a
// surface; the rest of its path is sampled evenly, and a meeting is located to COARSE of it.
#define LOOKS  96
#define SURE   32
#define COARSE 1e-3

// relative size of a gap that counts as zero
#define CLOSED 1e-12

// relative error of the depth: the bound in overlap is coarse
#define NEARLY 0.1

void path_pose(const body_path *p, double s, double q[7])
{
    double w[3], turn[4];
    v3_along(p->q, s, p->d, q);
    v3_scale(s, p->d + 3, w);
    pcs_quat_exp(w, turn);
    pcs_quat_mul(p->q + 3, turn, q + 3);
}

// to the pose at the coordinates that the carrier has at the end
static pcs_status path_of_carried(const trial *t, const model_system *s, const double *v,
                                  pcs_arena mem, body_path *out)
{
    const int carrier = s->carrier.id - 1;
    const model_system *by = &t->m->system[carrier];
    const double theta = t->end.theta[carrier], *q_k = t->st->q + by->q_at;
    const double *v_k = t->st->v + by->v_at;
    double *q = PCS_TAKE(&mem, (size_t)by->nq, double), pose[7];
    if (!q) return pcs_fail_memory("step: paths");
    for (int i = 0; i < by->nq; ++i) {
        q[i] = q_k[i] + t->h * (theta * v[by->v_at + i] + (1 - theta) * v_k[i]);
    }
    PCS_TRY(carried_pose(s, q, pose));
    pose_displacement(out->q, pose, out->d);
    return PCS_OK;
}

pcs_status path_of(const trial *t, int system, const double *v, pcs_arena mem, body_path *to)
{
    body_path out = {.q = NULL};
    *to = out;
    if (system < 0) return PCS_OK;
    const model_system *s = &t->m->system[system];
    out.q = t->st->q + s->q_at;
    if (s->carrier.id > 0) {
        PCS_TRY(path_of_carried(t, s, v, mem, &out));
    } else if (s->nv > 0) {
        const double theta = t->end.theta[system], *v_k = t->st->v + s->v_at;
        for (int i = 0; i < 6; ++i) {
            out.d[i] = t->h * (theta * v[s->v_at + i] + (1 - theta) * v_k[i]);
        }
        // the angle of rotation that the update gives for h omega
        const double angle = v3_norm(out.d + 3);
        if (t->m->scheme.update == PCS_QUAT_UPDATE_ADD && angle > 0) {
            v3_scale(2 * atan(0.5 * angle) / angle, out.d + 3, out.d + 3);
        }
    } else if (s->motion) {
        pose_displacement(out.q, t->end.q + s->q_at, out.d);
    }
    *to = out;
    return PCS_OK;
}

// bound on the distance that the rotation of its body moves a surface point near the other shape;
// the surface of a half-space reaches there
static double rotation_of(const pcs_shape *s, const body_path *own, const pcs_shape *other,
                          const body_path *path)
{
    const double angle = v3_norm(own->d + 3);
    if (angle == 0) return 0;
    double lever = v3_norm(s->position) + (s->kind == PCS_SHAPE_SPHERE ? 0 : shape_radius(s));
    if (s->kind == PCS_SHAPE_HALF_SPACE) {
        double apart[3] = {0};
        if (path->q) v3_sub(path->q, own->q, apart);
        lever = v3_norm(apart) + v3_norm(path->d) + v3_norm(other->position) + shape_radius(other);
    }
    return angle * lever;
}

// quantities that do not depend on s
typedef struct pair_path {
    const pcs_shape *shape1, *shape2;
    const body_path *path1, *path2;
    double d[3], length; // d1 - d2 and its norm
    double turn;         // bound on the part of both rotations
    double tiny;         // a gap that counts as zero
} pair_path;

static pair_path pair_of(const trial *t, const pair_meeting *m)
{
    pair_path p = {.shape1 = &t->m->shape[m->shape1].shape,
                   .shape2 = &t->m->shape[m->shape2].shape,
                   .path1 = &m->path1,
                   .path2 = &m->path2};
    v3_sub(m->path1.d, m->path2.d, p.d);
    p.length = v3_norm(p.d);
    p.turn = rotation_of(p.shape1, p.path1, p.shape2, p.path2) +
             rotation_of(p.shape2, p.path2, p.shape1, p.path1);
    double far = p.length;
    for (int i = 0; i < 3; ++i) {
        if (m->path1.q) far = fmax(far, fabs(m->path1.q[i]));
    }
    p.tiny = CLOSED * (shape_radius(p.shape1) + p.length) + 8 * DBL_EPSILON * far;
    return p;
}

double path_rotation(const trial *t, const pair_meeting *m)
{
    return pair_of(t, m).turn;
}

// increment of s before which no feature has the gap -depth; 0 if one already has it
static double free_part(const pair_path *p, const pair_meeting *m, double depth)
{
    double least = INFINITY;
    for (int i = 0; i < m->n; ++i) {
        pcs_gap gap;
        pcs_feature_gap(&m->f[i], m->path1.q ? m->q1 : NULL, m->path2.q ? m->q2 : NULL, &gap);
        const double left = gap.g + depth;
        if (left <= fmax(p->tiny, NEARLY * depth)) return 0;
        const double closing = (gap.g > 0 ? -v3_dot(gap.N, p->d) : p->length) + p->turn;
        if (closing > 0) least = fmin(least, left / closing);
    }
    return least;
}

// the features at s that the rest of the path may close
static pcs_status look(const trial *t, const pair_path *p, double s, double depth, pair_meeting *m,
                       pcs_arena *mem)
{
    m->s = s;
    if (m->path1.q) path_pose(&m->path1, s, m->q1);
    if (m->path2.q) path_pose(&m->path2, s, m->q2);
    const double reach = (1 - s) * (p->length + p->turn) + p->tiny + fmax(0, -depth);
    return pair_features(t->m, m->shape1, m->shape2, m->path1.q ? m->q1 : NULL,
                         m->path2.q ? m->q2 : NULL, reach, mem, &m->f, &m->n);
}

pcs_status path_of_pair(const trial *t, const candidate *c, const double *v, pcs_arena mem,
                        pair_meeting *m)
{
    *m = (pair_meeting){.shape1 = c->key.shape1, .shape2 = c->key.shape2};
    PCS_TRY(path_of(t, c->pose1, v, mem, &m->path1));
    PCS_TRY(path_of(t, c->pose2, v, mem, &m->path2));
    if (t->rule != PCS_ACTIVATION_PREDICTIVE) return PCS_OK;
    // for gamma > 1 the rule predicts beyond the end of the step
    const double longer = fmax(1, t->m->scheme.gamma);
    for (int k = 0; k < 6; ++k) {
        m->path1.d[k] *= longer;
        m->path2.d[k] *= longer;
    }
    return PCS_OK;
}

pcs_status path_meet(const trial *t, double depth, pcs_arena *mem, pair_meeting *m)
{
    const pair_path p = pair_of(t, m);
    double s = 0, before = 0;
    m->meets = false;
    for (int n = 0; n < LOOKS; ++n) {
        pcs_arena scope = *mem;
        PCS_TRY(look(t, &p, s, depth, m, &scope));
        const double further = free_part(&p, m, depth);
        if (further == 0 && n > SURE && s - before > COARSE * (1 - before)) {
            s = 0.5 * (before + s); // the sample is too far: back towards the meeting
            continue;
        }
        if (further == 0) {
            *mem = scope;
            m->meets = true;
            return PCS_OK;
        }
        // sliding along a surface would take infinitely many queries
        const double least = n < SURE ? 0 : (1 - s) / (LOOKS - n);
        if (!(s + further <= 1)) return PCS_OK;
        before = s;
        s = fmin(1, s + fmax(further, least));
    }
    return PCS_OK;
}
