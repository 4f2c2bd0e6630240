// Bodies with prescribed motion: their poses at both ends of the step, and their velocities in the
// rows of contacts and joints.
//
// A body on a driven one has u' = 0 and moves by the theta-mean of its own velocities. Let v0 and
// v1 be the velocities that the motion callback returns at t and t + h, and vm = (q(t + h) - q(t))
// / h the mean velocity of its pose. Rows use v0 at the start (restitution, prediction), and at the
// end
//
//     v1                                      tangents, and all rows for theta < 1/2
//     v1 + vm - (theta v1 + (1 - theta) v0)   rows with a gap, theta >= 1/2.
//
// A closed gap then stays closed for constant accelerations; for theta = 1 (x) for any motion; for
// theta = 1/2 with a total error of order h^3. The velocities at the end of one step and at the
// start of the next differ by O(h) (h^2 for theta = 1/2); `slack` keeps the prediction from losing
// a contact by this difference.
//
// Where the velocity of the motion jumps within the step (kink.c), contacts that may rebound have
// an impact. The step is cut there if such a contact is near (step.c): the kink is then at the end
// of one part, which has the motion before it, and its jump is in the approach at the start of the
// next. A kink close to one end of the step counts as one at this end. All other rows, and steps of
// schemes that must not be cut, have the motion as it is.
//
// A body that sticks to a rotating body moves along an arc. To second order its chord is the
// velocity of the driven body at the place of the contact in the middle of the step, not at t.
// Tangents use that velocity (follow_arc); otherwise a box would creep outwards on a turntable.
//
// Force elements act on systems that are ahead (order.c) at coordinates half a step behind, and so
// they do on driven bodies: at both ends of the step half of its displacement behind.
//
// A relation y = g(q) - f(t) adds -df/dt at the start of the step, and at the end the velocity with
// which f arrives at f(t + h) by the theta-mean, -(vm - (1 - theta) v0) / theta (theta >= 1/2).
#include "step/step.h"

#include <float.h>
#include <string.h>

#include "linalg/m3.h"
#include "model/carried.h"
#include "relations/joint_kinds.h"
#include "step/kink.h"

// data per driven system; HIT: what contacts that a kink hits have in place of the first three, and
// CUT: s from the start of the step to a kink within it, or 0
enum {
    START = 0,
    GAPS = 6,
    TANGENTS = 12,
    HIT = 18,
    MEAN = 36,
    JUMP = 42,
    BEHIND = 48,
    BEHIND_END = 55,
    CUT = 62,
    DRIVEN
};

// m or rad: rounding error of a coordinate of this size and rate at rounded times
static double rounding_of(const trial *t, double size, double rate)
{
    return 8 * DBL_EPSILON * (size + fabs(t->st->t * rate));
}

// The mean velocity of a coordinate that changes by d in the step, h > 0, with these rates at its
// ends. Where d differs from that of their mean by rounding alone, the velocity is their mean: over
// a tiny h rounding would be a velocity
static double mean_rate(const trial *t, double d, double start, double end, double size)
{
    const double mean = 0.5 * (start + end);
    return fabs(d - t->h * mean) <= rounding_of(t, size, mean) ? mean : d / t->h;
}

// the velocity at the end of a step of rows with a gap
static double closing_speed(double theta, double v0, double v1, double mean)
{
    return theta >= 0.5 ? v1 + (mean - (theta * v1 + (1 - theta) * v0)) : v1;
}

// so many kinks of a step, close to its ends, are found
#define MOST_KINKS 4

// Looks for kinks that are not too small for a rebound: one within the step, and before it those
// close to its ends, with what contacts have of them
static pcs_status begin_kinks(const trial *t, const model_system *s, const double v0[6],
                              const double v1[6], double *of)
{
    const step_kinks *mode = &t->work->kinks;
    const double least = 2 * t->h * v3_norm(t->m->gravity);
    double start[6], end[6], mean[6], from = 0, to = t->h;
    memcpy(start, v0, sizeof start);
    memcpy(end, v1, sizeof end);
    memcpy(mean, of + MEAN, sizeof mean);
    for (int n = 0; n < MOST_KINKS && mode->on && to > from; ++n) {
        kink k;
        PCS_TRY(kink_find(s, t->st->t + from, to - from, start, end, least, &k));
        const double at = from + k.part * (to - from);
        const bool early = at < mode->least && at <= t->h - at, late = t->h - at < mode->least;
        if (!k.found || !(early || late || mode->cuts)) break;
        memcpy(of + JUMP, k.jump, sizeof k.jump);
        if (!early && !late) of[CUT] = at;
        if (!early && !late) break;
        *(early ? &from : &to) = at;
        for (int i = 0; i < 6; ++i) {
            *(early ? &start[i] : &end[i]) += early ? k.jump[i] : -k.jump[i];
            mean[i] += k.jump[i] * (early ? at : at - t->h) / t->h;
        }
    }
    for (int i = 0; i < 6; ++i) {
        of[HIT + START + i] = start[i];
        of[HIT + TANGENTS + i] = end[i];
        of[HIT + GAPS + i] = closing_speed(t->m->scheme.theta, start[i], end[i], mean[i]);
    }
    return PCS_OK;
}

static pcs_status begin_one(trial *t, int system)
{
    const model_system *s = &t->m->system[system];
    double *v0 = t->driven + (size_t)DRIVEN * (size_t)s->driven, *gaps = v0 + GAPS,
           *tangents = v0 + TANGENTS, *pose = v0 + MEAN, q[7], v1[6], d[6];
    PCS_TRY(system_motion(s, t->st->t, q, v0));
    memcpy(gaps, v0, 6 * sizeof *v0);
    memcpy(tangents, v0, 6 * sizeof *v0);
    memset(pose, 0, (DRIVEN - MEAN) * sizeof *pose);
    memcpy(v0 + HIT, v0, 18 * sizeof *v0);
    if (t->h == 0) return PCS_OK; // an impact or a projection: the body stays where it is

    PCS_TRY(system_motion(s, t->st->t + t->h, t->end.q + s->q_at, v1));
    pose_displacement(t->st->q + s->q_at, t->end.q + s->q_at, d);
    const double theta = t->m->scheme.theta, far = v3_norm(t->end.q + s->q_at);
    for (int i = 0; i < 6; ++i) {
        tangents[i] = v1[i];
        pose[i] = mean_rate(t, d[i], v0[i], v1[i], i < 3 ? far : 1);
        gaps[i] = closing_speed(theta, v0[i], v1[i], pose[i]);
    }
    PCS_TRY(begin_kinks(t, s, v0, v1, v0));
    pcs_body_advance(t->st->q + s->q_at, -0.5 * t->h, pose, PCS_QUAT_UPDATE_EXP, v0 + BEHIND);
    pcs_body_advance(t->st->q + s->q_at, 0.5 * t->h, pose, PCS_QUAT_UPDATE_EXP, v0 + BEHIND_END);
    t->turn[system] = v3_norm(d + 3);
    t->reach[system] = v3_norm(d) + t->turn[system] * s->reach;
    const double speed = v3_norm(v1) + v3_norm(v1 + 3) * s->reach;
    t->rounding[system] = rounding_of(t, far + s->reach, speed);
    return PCS_OK;
}

pcs_status driven_begin(trial *t, pcs_arena *mem)
{
    if (t->m->n_driven == 0) return PCS_OK;
    t->driven = PCS_TAKE(mem, (size_t)DRIVEN * (size_t)t->m->n_driven, double);
    if (!t->driven) return pcs_fail_memory("step: driven bodies");
    for (int i = 0; i < t->m->n_systems; ++i) {
        if (t->m->system[i].motion && !t->m->system[i].disabled) PCS_TRY(begin_one(t, i));
    }
    return PCS_OK;
}

static bool is_driven(const pcs_model *m, int system)
{
    return system >= 0 && m->system[system].motion;
}

// v of a driven body for the tangents of a contact: v1 + (3/2 - theta) h omega x (v_G - V), with V
// and omega the mean velocities of its pose and v_G the velocity of the other body. The factor is
// half a step for theta = 1; for theta = 1/2 it also corrects the part of v_k. Rows at a later q
// have a part of this displacement already
static void follow_arc(const trial *t, int system, int other, const double *q, const double R[9],
                       const double *tangents, double v[6])
{
    const model_system *s = &t->m->system[system], *to = &t->m->system[other];
    const double *driven = t->driven + (size_t)DRIVEN * (size_t)s->driven;
    memcpy(v, tangents, 6 * sizeof *v);
    if (!system_moves(t->m, other) || to->kind != SYSTEM_BODY) return;
    const double *from = t->st->q, ahead = (1.5 - t->m->scheme.theta) * t->h;
    double omega[3], along[3], rotated[3];
    m3_mul(R, driven + MEAN + 3, omega);
    for (int i = 0; i < 3; ++i) {
        const double moved = q[to->q_at + i] - from[to->q_at + i],
                     carried = q[s->q_at + i] - from[s->q_at + i];
        along[i] = ahead * (t->st->v[to->v_at + i] - driven[MEAN + i]) - (moved - carried);
    }
    v3_cross(omega, along, rotated);
    v3_along(v, 1, rotated, v);
}

bool candidate_is_driven(const trial *t, const candidate *c)
{
    return t->m->n_driven > 0 && (is_driven(t->m, c->sys1) || is_driven(t->m, c->sys2));
}

pcs_status candidate_time(const trial *t, candidate *c)
{
    const pcs_relation *relation = &t->m->interaction[c->interaction].relation;
    c->timed = relation_has_time(relation);
    double turn;
    const double size = joint_row_size(relation, &turn);
    for (int end = 0; end < 2 && c->timed; ++end) {
        const unsigned long mark = pcs_fail_mark();
        const double at = t->st->t + (end == 1 ? t->h : 0);
        double *f = &c->joint->time_f[end], *rate = &c->joint->time_rate[end];
        if (pcs_time_function_at(&relation->time, at, f, rate) != PCS_OK) {
            char words[PART_WORDS];
            part_words(t->m, PART_INTERACTION, "interaction ", c->interaction + 1, words);
            return pcs_fail_since(mark, PCS_ERR_CALLBACK, "%s", words);
        }
        *f *= size;
        *rate *= size;
        if (relation->of_speed) *rate = *f;
    }
    return PCS_OK;
}

// The part of an error of position that a motor removes in a step. With v the speed that this adds,
// e' = e - h (theta v' + (1 - theta) v) and v' = part e / h: the part for which both roots of this
// map are equal. It is 1 for theta = 1, where the position is reached at the end of the step.
static double approach(double theta)
{
    if (!(theta > 0)) return 0.25;
    const double root = 1 - sqrt(1 - theta);
    return root * root / (theta * theta);
}

// subtracts the velocities of f
static void add_time(const trial *t, candidate *c)
{
    const pcs_relation *relation = &t->m->interaction[c->interaction].relation;
    const double *f = c->joint->time_f, *rate = c->joint->time_rate;
    const double theta = t->end.theta[candidate_mover(t, c)], start = rate[0];
    double turn;
    joint_row_size(relation, &turn);
    const double size = turn + fabs(f[0]) + fabs(f[1]);
    const double mean = t->h > 0 ? mean_rate(t, f[1] - f[0], start, rate[1], size) : start;
    double end = theta >= 0.5 ? (mean - (1 - theta) * start) / theta : rate[1];
    if (relation->of_speed) {
        end = rate[1];
    } else if (c->law.kind == PCS_LAW_LIMITED && t->h > 0) {
        const double rounding = rounding_of(t, size, start) + step_gap_rounding(t, c);
        const double way = copysign(fmax(0, fabs(c->g[0]) - rounding), c->g[0]);
        end -= approach(theta) * way / t->h;
    }
    c->slack += fabs(end - start);
    c->drive_k[0] -= start;
    c->drive[0] -= end;
}

// With theta = 1 a contact without restitution only follows: for it a kink is no impact
static bool meets_kinks(const trial *t, const candidate *c)
{
    return law_is_unilateral(&c->law) && (c->law.e > 0 || t->m->scheme.theta < 1);
}

pcs_status candidate_drive(const trial *t, candidate *c, const bodies_block *k, const double *q,
                           pcs_arena *mem)
{
    const pcs_model *m = t->m;
    if (!c->timed && !candidate_is_driven(t, c)) return PCS_OK;
    // a limited row in the middle takes the mean velocity, as joints do
    const int dim = c->dim, gaps = step_at_middle(t, c) ? dim : candidate_gaps(c);
    if (!c->drive_k) c->drive_k = PCS_TAKE(mem, 2 * (size_t)dim + CANDIDATE_KINK, double);
    pcs_arena scope = *mem;
    double *J = PCS_TAKE(&scope, 6 * (size_t)dim, double);
    double *u = PCS_TAKE(&scope, 3 * (size_t)dim, double);
    if (!c->drive_k || !J || !u) return pcs_fail_memory("step: driven bodies");
    c->drive = c->drive_k + dim;
    c->slack = 0;
    *candidate_kink_of(c) = (candidate_kink){0};
    memset(c->drive_k, 0, 2 * (size_t)dim * sizeof *c->drive_k);
    for (int side = 0; side < 2; ++side) {
        const int system = side == 0 ? c->sys1 : c->sys2, start[2] = {0, BODY_NV};
        if (!is_driven(m, system)) continue;
        const double *of = t->driven + (size_t)DRIVEN * (size_t)m->system[system].driven;
        const double *v = meets_kinks(t, c) ? of + HIT : of;
        bodies_block one;
        bool recedes = false;
        double R[9], tangents[6], *at_start = u, *at_gaps = u + dim,
                                  *at_tangents = u + 2 * (size_t)dim;
        PCS_TRY(candidate_side(m, c, side, q, k->F, scope, J, &one));
        pcs_quat_to_matrix(system_q(m, system, q) + 3, R);
        if (v != of) {
            bodies_block_velocity(&one, start, R, of + JUMP, at_start);
            *candidate_kink_of(c) = (candidate_kink){at_start[0], of[CUT]};
            // a gap that the kink opens has its own motion
            recedes = at_start[0] > 0;
        }
        bodies_block_velocity(&one, start, R, v + START, at_start);
        bodies_block_velocity(&one, start, R, (recedes ? of : v) + GAPS, at_gaps);
        bodies_block_velocity(&one, start, R, v + TANGENTS, at_tangents);
        c->slack += fabs(at_gaps[0] - at_start[0]) + 4 * fabs(at_tangents[0] - at_gaps[0]);
        follow_arc(t, system, side == 0 ? c->sys2 : c->sys1, q, R, v + TANGENTS, tangents);
        bodies_block_velocity(&one, start, R, tangents, at_tangents);
        for (int j = 0; j < dim; ++j) {
            c->drive_k[j] += at_start[j];
            c->drive[j] += j < gaps ? at_gaps[j] : at_tangents[j];
        }
    }
    if (c->timed) add_time(t, c);
    return PCS_OK;
}

const double *driven_velocity(const trial *t, int system, bool end)
{
    if (!is_driven(t->m, system) || t->m->system[system].disabled) return NULL;
    const double *of = t->driven + (size_t)DRIVEN * (size_t)t->m->system[system].driven;
    return of + (end ? TANGENTS : START);
}

const double *driven_behind(const trial *t, int system, bool end)
{
    const double *of = t->driven + (size_t)DRIVEN * (size_t)t->m->system[system].driven;
    return of + (end ? BEHIND_END : BEHIND);
}
