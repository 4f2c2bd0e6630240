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
// closest features do not approach each other, the shapes do not meet. This holds in overlap, too,
// since a shift along N would separate convex shapes. With a mesh or a height field the normal may
// change there, and |d1 - d2| replaces -N . (d1 - d2).
//
// Convex shapes that rest on each other, slide or roll would need a query for each small part of
// the path. The plane shows more. Let N turn with the angular velocity W, that of the world (zero),
// of body 1 or of body 2. For any two points of the shapes phi(s) = N . (x1 - x2) has
//
//     |phi''| <= k = sum (|W - w|^2 + |(W - w) x w|) l + |W| (|d| + |D|),  d = d1 - d2,
//
// with D = d - W x (G1 - G2), the motion of G1 that the plane sees, so that phi is no less than its
// chord on [a, b] by more than k (b - a)^2 / 8. Therefore the least of them, F(s) = min over 1 of
// N . x - max over 2 of N . x, no more than the gap, has F >= min(F(a), F(b)) - k (b - a)^2 / 8 on
// all of [a, b]. F costs little beside a query.
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

// values of F for one plane
#define CHORDS 24

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

static bool is_convex(const pcs_shape *s)
{
    return s->kind != PCS_SHAPE_MESH && s->kind != PCS_SHAPE_HEIGHT_FIELD;
}

static double lever_of(const pcs_shape *s)
{
    return v3_norm(s->position) + (s->kind == PCS_SHAPE_SPHERE ? 0 : shape_radius(s));
}

// bound on the distance that the rotation of its body moves a surface point near the other shape;
// the surface of a half-space reaches there
static double rotation_of(const pcs_shape *s, const body_path *own, const pcs_shape *other,
                          const body_path *path)
{
    const double angle = v3_norm(own->d + 3);
    if (angle == 0) return 0;
    double lever = lever_of(s);
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
    bool convex;    // the normal of the closest features is that of a plane between both shapes
    double w[3][3]; // of the world, body 1 and body 2, inertial
    double l[2];    // distance from G of the furthest surface point that a rotation moves
} pair_path;

static pair_path pair_of(const trial *t, const pair_meeting *m)
{
    pair_path p = {.shape1 = &t->m->shape[m->shape1].shape,
                   .shape2 = &t->m->shape[m->shape2].shape,
                   .path1 = &m->path1,
                   .path2 = &m->path2};
    // features of planar bodies are those of their outlines
    p.convex = is_convex(p.shape1) && is_convex(p.shape2) && t->m->n_planar == 0;
    p.l[0] = lever_of(p.shape1);
    p.l[1] = lever_of(p.shape2);
    if (m->path1.q) pose_direction(m->path1.q, m->path1.d + 3, p.w[1]);
    if (m->path2.q) pose_direction(m->path2.q, m->path2.d + 3, p.w[2]);
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

// F + depth at s; the plane has the normal N at m->s and turns with W
static double plane_gap(const pair_path *p, const pair_meeting *m, const double N[3],
                        const double W[3], double s, double depth)
{
    double w[3], turn[4], u[3], back[3], q1[7], q2[7];
    v3_scale(s - m->s, W, w);
    pcs_quat_exp(w, turn);
    quat_turn(turn, 1, N, u);
    v3_scale(-1, u, back);
    if (p->path1->q) path_pose(p->path1, s, q1);
    if (p->path2->q) path_pose(p->path2, s, q2);
    const double low = -collide_top(p->shape1, p->path1->q ? q1 : NULL, back, u, 0);
    return low - collide_top(p->shape2, p->path2->q ? q2 : NULL, u, u, 0) + depth;
}

// k of the plane that turns with W
static double bend_of(const pair_path *p, const pair_meeting *m, const double W[3])
{
    double apart[3] = {0}, D[3];
    for (int i = 0; i < 3; ++i) {
        apart[i] = (p->path1->q ? m->q1[i] : 0) - (p->path2->q ? m->q2[i] : 0);
    }
    v3_cross(W, apart, D);
    v3_sub(p->d, D, D);
    const double angle = v3_norm(W);
    // D changes by d on the rest of the path, seen from the plane
    double k = angle * (p->length * (1 + angle * (1 - m->s)) + v3_norm(D));
    for (int i = 0; i < 2; ++i) {
        double from[3], x[3];
        v3_sub(W, p->w[1 + i], from);
        v3_cross(from, p->w[1 + i], x);
        k += (v3_dot(from, from) + v3_norm(x)) * p->l[i];
    }
    return k;
}

// The s up to which the plane that turns with W shows no gap below -depth. `now`: the gap less
// -depth at m->s; the search ends where no more than `left` of it is left
static double plane_holds(const pair_path *p, const pair_meeting *m, const double N[3],
                          const double W[3], double depth, double now, double left)
{
    const double k = bend_of(p, m, W);
    double a = m->s, at_a = now, size = 1 - a;
    for (int n = 0; n < CHORDS && a < 1 && at_a > left; ++n) {
        // a longer chord proves nothing
        size = fmin(size, sqrt(8 * at_a / k));
        const double b = fmin(1, a + size), at_b = plane_gap(p, m, N, W, b, depth);
        const double sag = 0.125 * k * (b - a) * (b - a);
        if (at_a >= sag && at_b >= sag) {
            a = b;
            at_a = at_b;
            size *= 2;
            continue;
        }
        // towards the place where the chord has less than `left`
        const double part = (at_a - 0.5 * left) / (at_a - at_b);
        size = (b - a) * (part > 0 && part < 0.5 ? part : 0.5);
    }
    return a;
}

// false for what no plane turns with: a body that does not rotate, as the world; and what is not
// the body of a half-space, whose surface no other plane bounds
static bool may_turn(const pair_path *p, int with)
{
    const bool rotates[3] = {false, v3_norm(p->w[1]) > 0, v3_norm(p->w[2]) > 0};
    if (with > 0 && !rotates[with]) return false;
    if (p->shape1->kind == PCS_SHAPE_HALF_SPACE) return with == (rotates[1] ? 1 : 0);
    if (p->shape2->kind == PCS_SHAPE_HALF_SPACE) return with == (rotates[2] ? 2 : 0);
    return true;
}

// Increment of s before which no feature has the gap -depth; 0 if one already has it. The plane of
// the closest features bounds a pair of convex shapes
static double free_part(const pair_path *p, const pair_meeting *m, double depth)
{
    const double nearly = fmax(p->tiny, NEARLY * depth);
    double least = INFINITY, left = 0;
    pcs_gap gap;
    for (int i = 0; i < (p->convex ? m->n > 0 : m->n); ++i) {
        pcs_feature_gap(&m->f[i], m->path1.q ? m->q1 : NULL, m->path2.q ? m->q2 : NULL, &gap);
        left = gap.g + depth;
        if (left <= nearly) return 0;
        const bool along = p->convex || gap.g > 0;
        const double closing = (along ? -v3_dot(gap.N, p->d) : p->length) + p->turn;
        if (closing > 0) least = fmin(least, left / closing);
    }
    // without rotations that plane is followed already
    for (int i = 0; p->convex && p->turn > 0 && i < 3 && m->s + least <= 1; ++i) {
        if (!may_turn(p, i)) continue;
        const double s = plane_holds(p, m, gap.N, p->w[i], depth, left, nearly);
        least = s < 1 ? fmax(least, s - m->s) : INFINITY;
    }
    return least;
}

// the features at s that the rest of the path may close
static pcs_status look(const trial *t, const pair_path *p, double s, double depth, pair_meeting *m,
                       pcs_arena *mem)
{
    m->s = s;
    m->looks += 1;
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
    m->looks = 0;
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
