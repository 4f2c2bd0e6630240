// The paths of two bodies through a step, and where on them their shapes meet.
//
// A path is a start pose, a translation d and a rotation vector w (body axes): x(s) = x + s d,
// Q(s) = Q exp(s w), 0 <= s <= 1. Conservative advancement finds the first s at which the gap of a
// pair of shapes is -depth. With N the normal of the closest features and g their gap, the plane
// between two convex shapes goes on to part them until s has grown by
//
//     (g + depth) / (|w1| l1 + |w2| l2 - N . (d1 - d2)),
//
// l the distance from G to the surface point that is furthest from it, so no meeting is stepped
// over. Where the closest features do not approach, the shapes do not meet at all. In overlap,
// where the normal may change, |d1 - d2| takes the place of -N . (d1 - d2).
#include "step/path.h"

#include <float.h>
#include <string.h>

#include "collide/collide.h"
#include "rotation/pose.h"

// Looks at a pair: as many as SURE are sure to step over nothing; what has not come to an end by
// then slides along a surface, and the rest of the path is looked at in even parts, and where they
// meet in parts of COARSE of it.
#define LOOKS  96
#define SURE   32
#define COARSE 1e-3

// gaps of this part of the lengths at hand are zero
#define CLOSED 1e-12

// part of the depth that may be missing: the bound in overlap is a coarse one
#define NEARLY 0.1

void path_pose(const body_path *p, double s, double q[7])
{
    double w[3], turn[4];
    v3_along(p->q, s, p->d, q);
    v3_scale(s, p->d + 3, w);
    pcs_quat_exp(w, turn);
    pcs_quat_mul(p->q + 3, turn, q + 3);
}

body_path path_of(const trial *t, int system, const double *v)
{
    body_path out = {.q = NULL};
    if (system < 0) return out;
    const model_system *s = &t->m->system[system];
    out.q = t->st->q + s->q_at;
    if (s->nv > 0) {
        const double theta = t->end.theta[system], *v_k = t->st->v + s->v_at;
        for (int i = 0; i < 6; ++i) {
            out.d[i] = t->h * (theta * v[s->v_at + i] + (1 - theta) * v_k[i]);
        }
    } else if (s->motion) {
        system_displacement(out.q, t->end.q + s->q_at, out.d);
    }
    return out;
}

// Bound on how far the rotation of its body moves a surface point where the other shape may be: a
// half-space goes on to there.
static double turning(const pcs_shape *s, const body_path *own, const pcs_shape *other,
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

// what does not depend on s
typedef struct pair_path {
    const pcs_shape *shape1, *shape2;
    const body_path *path1, *path2;
    double d[3], length; // d1 - d2 and its norm
    double turn;         // bound on what both rotations add
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
    p.turn = turning(p.shape1, p.path1, p.shape2, p.path2) +
             turning(p.shape2, p.path2, p.shape1, p.path1);
    double far = p.length;
    for (int i = 0; i < 3; ++i) {
        if (m->path1.q) far = fmax(far, fabs(m->path1.q[i]));
    }
    p.tiny = CLOSED * (shape_radius(p.shape1) + p.length) + 8 * DBL_EPSILON * far;
    return p;
}

double path_turning(const trial *t, const pair_meeting *m)
{
    return pair_of(t, m).turn;
}

// How much further s can go before the gap of one of the features is -depth; 0 when it is so here.
static double free_way(const pair_path *p, const pair_meeting *m, double depth)
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
static pcs_status look(const trial *t, const pair_path *p, double s, pair_meeting *m,
                       pcs_arena *mem)
{
    m->s = s;
    if (m->path1.q) path_pose(&m->path1, s, m->q1);
    if (m->path2.q) path_pose(&m->path2, s, m->q2);
    const double reach = (1 - s) * (p->length + p->turn) + p->tiny;
    return pair_features(t->m, m->shape1, m->shape2, m->path1.q ? m->q1 : NULL,
                         m->path2.q ? m->q2 : NULL, reach, mem, &m->f, &m->n);
}

pcs_status path_meet(const trial *t, double depth, pcs_arena *mem, pair_meeting *m)
{
    const pair_path p = pair_of(t, m);
    double s = 0, before = 0;
    m->meets = false;
    for (int n = 0; n < LOOKS; ++n) {
        pcs_arena scope = *mem;
        PCS_TRY(look(t, &p, s, m, &scope));
        const double further = free_way(&p, m, depth);
        if (further == 0 && n > SURE && s - before > COARSE * (1 - before)) {
            s = 0.5 * (before + s); // was this far on a guess: back to where they meet
            continue;
        }
        if (further == 0) {
            *mem = scope;
            m->meets = true;
            return PCS_OK;
        }
        // what slides along a surface would take for ever
        const double least = n < SURE ? 0 : (1 - s) / (LOOKS - n);
        if (!(s + further <= 1)) return PCS_OK;
        before = s;
        s = fmin(1, s + fmax(further, least));
    }
    return PCS_OK;
}
