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
// A kink of the motion, where the velocity jumps within the step (kink.c), is an impact of its own:
// a contact that it hits has v0 plus the jump at the start, so that restitution has all of it.
// Where the contact rebounds, the row of its end is that of a kink at the start of the step.
// Otherwise it is that above, which closes the gap, but no faster than the driven body itself.
//
// The work of a driven body on the others is counted with its velocity at the time of the mean
// velocity 1/2 (v' + v_k) of a body that follows, which is t for theta = 1: the mean of what rows
// with a gap take in this step and in one as long before it, and after a kink vm + (1/2 - theta)
// (v1
// - v0). A body that only follows then loses nothing to it.
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

// A velocity in the rows of a step: as reported at its start, the same with the jump of a kink,
// that of rows with a gap, of those that rebound after a kink, as reported at the end, and that
// with which the work is counted
enum { START, STRUCK, CLOSING, LEAVING, END, WORK, ROLES };

// data per driven system
enum {
    MEAN = 6 * ROLES,
    BEHIND = MEAN + 6,
    BEHIND_END = BEHIND + 7,
    PART = BEHIND_END + 7, // of the step before a kink, or -1
    RECENT,                // 1: a kink in this step or in the one before
    DRIVEN
};

// a kink closer to the end of the step, in parts of it, is at the start of the next one
#define AT_END 1e-9

// ---- the motion of a body -----------------------------------------------------------------------

static pcs_status body_velocity(const void *of, double t, double v[6])
{
    double q[7];
    return system_motion(of, t, q, v);
}

// the velocity of rows with a gap at the end of a step
static double closing_speed(double theta, double v0, double v1, double mean)
{
    return theta >= 0.5 ? v1 + (mean - (theta * v1 + (1 - theta) * v0)) : v1;
}

// n velocities: what rows take of v0, v1, the mean velocity of the coordinates, and a kink
static void set_roles(double theta, int n, const double *v0, const double *v1, const double *mean,
                      const kink *k, double *const role[ROLES])
{
    for (int i = 0; i < n; ++i) {
        const double struck = v0[i] + k->jump[i], after = mean[i] + k->part * k->jump[i];
        role[START][i] = v0[i];
        role[STRUCK][i] = struck;
        role[CLOSING][i] = closing_speed(theta, v0[i], v1[i], mean[i]);
        role[LEAVING][i] = closing_speed(theta, struck, v1[i], after);
        role[END][i] = v1[i];
        role[WORK][i] = after + (0.5 - fmax(theta, 0.5)) * (v1[i] - struck);
    }
}

// True where the last step, of this length, is one of the motion, too: it begins at t = 0
static bool has_last(const trial *t)
{
    return t->h > 0 && t->st->t >= t->h;
}

// The kink of this step, and whether there is one in this step or in the last, which begins with
// the velocities `last` (null: none). A motion that is not at rest at t = 0 begins with a kink
static pcs_status find_kinks(kink_velocity_fn velocity, const void *of, int n, const double *size,
                             const trial *t, const double *last, const double *v0, double *v1,
                             kink *k, bool *recent)
{
    const double start = t->st->t;
    kink of_last;
    PCS_TRY(kink_find(velocity, of, n, size, start, t->h, v0, v1, k));
    if (k->found && k->part > 1 - AT_END) {
        for (int i = 0; i < n; ++i) {
            v1[i] -= k->jump[i];
        }
        *k = (kink){0};
    }
    *recent = k->found || !last;
    if (*recent) return PCS_OK;
    PCS_TRY(kink_find(velocity, of, n, size, start - t->h, t->h, last, v0, &of_last));
    *recent = of_last.found;
    return PCS_OK;
}

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

static pcs_status begin_one(trial *t, int system)
{
    const model_system *s = &t->m->system[system];
    const double L = s->reach > 0 ? s->reach : 1, size[6] = {1, 1, 1, L, L, L};
    double *of = t->driven + (size_t)DRIVEN * (size_t)s->driven, *role[ROLES], *pose = of + MEAN,
           q[7], last[6], v0[6], v1[6], d[6];
    for (int i = 0; i < ROLES; ++i) {
        role[i] = of + 6 * i;
    }
    memset(of, 0, DRIVEN * sizeof *of);
    of[PART] = -1;
    PCS_TRY(system_motion(s, t->st->t, q, v0));
    for (int i = 0; i < ROLES; ++i) {
        memcpy(role[i], v0, sizeof v0);
    }
    if (t->h == 0) return PCS_OK; // an impact or a projection: the body stays where it is

    kink k;
    bool recent;
    PCS_TRY(system_motion(s, t->st->t + t->h, t->end.q + s->q_at, v1));
    if (has_last(t)) PCS_TRY(system_motion(s, t->st->t - t->h, q, last));
    PCS_TRY(
        find_kinks(body_velocity, s, 6, size, t, has_last(t) ? last : NULL, v0, v1, &k, &recent));
    pose_displacement(t->st->q + s->q_at, t->end.q + s->q_at, d);
    const double theta = t->m->scheme.theta, far = v3_norm(t->end.q + s->q_at);
    for (int i = 0; i < 6; ++i) {
        pose[i] = mean_rate(t, d[i], v0[i], v1[i], i < 3 ? far : 1);
    }
    set_roles(theta, 6, v0, v1, pose, &k, role);
    if (k.found) of[PART] = k.part;
    pose_displacement(q, t->st->q + s->q_at, d);
    for (int i = 0; !recent && i < 6; ++i) {
        const double mean = mean_rate(t, d[i], last[i], v0[i], i < 3 ? far : 1);
        const double before = closing_speed(theta, last[i], v0[i], mean);
        role[WORK][i] = 0.5 * (before + role[CLOSING][i]);
    }
    of[RECENT] = recent;
    pcs_body_advance(t->st->q + s->q_at, -0.5 * t->h, pose, PCS_QUAT_UPDATE_EXP, of + BEHIND);
    pcs_body_advance(t->st->q + s->q_at, 0.5 * t->h, pose, PCS_QUAT_UPDATE_EXP, of + BEHIND_END);
    t->turn[system] = t->h * v3_norm(pose + 3);
    t->reach[system] = t->h * v3_norm(pose) + t->turn[system] * s->reach;
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
                       double v[6])
{
    const model_system *s = &t->m->system[system], *to = &t->m->system[other];
    const double *driven = t->driven + (size_t)DRIVEN * (size_t)s->driven;
    memcpy(v, driven + 6 * END, 6 * sizeof *v);
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

static pcs_status time_velocity(const void *of, double t, double *v)
{
    double f;
    return pcs_time_function_at(of, t, &f, v);
}

// what the sources of the drive of a candidate add up to
typedef struct drive_sum {
    int dim, gaps;       // rows; those that a gap or a joint holds
    double *role[ROLES]; // dim each
    double part;         // of the step before a kink, or -1
    bool recent;         // as RECENT
} drive_sum;

// To close the gap that a kink leaves, theta < 1 would take a body faster than the driven one ever
// is
static double within(double theta, double start, double end, double closing)
{
    const double low = fmin(start, end), high = fmax(start, end);
    return theta < 1 ? fmax(low, fmin(closing, high)) : closing;
}

// subtracts the velocities of f
static pcs_status add_time(const trial *t, const candidate *c, drive_sum *sum)
{
    const pcs_relation *relation = &t->m->interaction[c->interaction].relation;
    const double theta = t->end.theta[candidate_mover(t, c)];
    const double *f = c->joint->time_f;
    double turn, v0 = c->joint->time_rate[0], v1 = c->joint->time_rate[1], own[ROLES];
    const double size = joint_row_size(relation, &turn);
    const double whole = turn + fabs(f[0]) + fabs(f[1]);
    double *const role[ROLES] = {&own[0], &own[1], &own[2], &own[3], &own[4], &own[5]};
    kink k = {0};
    bool recent = false;
    double mean = 0.5 * (v0 + v1);
    const bool moves = t->h > 0 && !relation->of_speed, follows = theta >= 0.5;
    double last = v0, before = v0; // at the start of the last step, and its mean
    if (moves) {
        // in the units of f
        double from = v0 / size, to = v1 / size, f_last = 0;
        if (has_last(t)) {
            PCS_TRY(pcs_time_function_at(&relation->time, t->st->t - t->h, &f_last, &last));
        }
        PCS_TRY(find_kinks(time_velocity, &relation->time, 1, &size, t, has_last(t) ? &last : NULL,
                           &from, &to, &k, &recent));
        if (k.found) k.jump[0] *= size;
        if (to != v1 / size) v1 = to * size;
        last *= size;
        mean = mean_rate(t, f[1] - f[0], v0, v1, whole);
        before = mean_rate(t, f[0] - f_last * size, last, v0, whole);
    }
    set_roles(theta, 1, &v0, &v1, &mean, &k, role);
    if (relation->of_speed) {
        own[CLOSING] = own[LEAVING] = v1;
        own[WORK] = mean;
    } else if (follows) {
        own[CLOSING] = (mean - (1 - theta) * v0) / theta;
        own[LEAVING] = (mean + k.part * k.jump[0] - (1 - theta) * own[STRUCK]) / theta;
    }
    if (moves && !recent) {
        before = follows ? (before - (1 - theta) * last) / theta : v0;
        own[WORK] = 0.5 * (before + own[CLOSING]);
    }
    if (k.found) own[CLOSING] = within(theta, v0, v1, own[CLOSING]);
    if (candidate_reaches(t, c) && t->h > 0) {
        const double rounding = rounding_of(t, whole, v0) + step_gap_rounding(t, c);
        const double way = copysign(fmax(0, fabs(c->g[0]) - rounding), c->g[0]);
        own[CLOSING] -= approach(theta) * way / t->h;
    }
    own[END] = c->law.kind == PCS_LAW_LIMITED ? own[CLOSING] : own[LEAVING];
    for (int i = 0; i < ROLES; ++i) {
        sum->role[i][0] -= own[i];
    }
    if (k.found) sum->part = k.part;
    sum->recent = sum->recent || recent;
    return PCS_OK;
}

// adds the velocities of the driven body of a side
static pcs_status add_body(const trial *t, const candidate *c, int side, const double *q,
                           const double F[9], pcs_arena mem, drive_sum *sum)
{
    const pcs_model *m = t->m;
    const int system = side == 0 ? c->sys1 : c->sys2, start[2] = {0, BODY_NV};
    if (!is_driven(m, system)) return PCS_OK;
    const double *of = t->driven + (size_t)DRIVEN * (size_t)m->system[system].driven;
    const size_t dim = (size_t)sum->dim;
    double *J = PCS_TAKE(&mem, 6 * dim, double), *u = PCS_TAKE(&mem, ROLES * dim, double);
    double R[9], along[6];
    bodies_block one;
    if (!J || !u) return pcs_fail_memory("step: driven bodies");
    PCS_TRY(candidate_side(m, c, side, q, F, mem, J, &one));
    pcs_quat_to_matrix(system_q(m, system, q) + 3, R);
    for (size_t i = 0; i < ROLES; ++i) {
        bodies_block_velocity(&one, start, R, of + 6 * i, u + i * dim);
    }
    double *closing = u + CLOSING * dim, *end = u + END * dim;
    for (int j = 0; of[PART] >= 0 && j < sum->gaps; ++j) {
        closing[j] = within(t->m->scheme.theta, u[j], end[j], closing[j]);
    }
    // tangents follow the arc
    const double normal = end[0];
    follow_arc(t, system, side == 0 ? c->sys2 : c->sys1, q, R, along);
    bodies_block_velocity(&one, start, R, along, end);
    if (sum->gaps > 0) end[0] = normal;
    for (size_t i = 0; i < ROLES; ++i) {
        for (size_t j = 0; j < dim; ++j) {
            sum->role[i][j] += u[i * dim + j];
        }
    }
    if (of[PART] >= 0) sum->part = of[PART];
    sum->recent = sum->recent || of[RECENT] > 0;
    return PCS_OK;
}

// True where a contact meets the velocity after the kink: its gap is open until then, or it closes
// no slower then. Otherwise it meets that before
static bool meets_kink(const trial *t, const candidate *c, const bodies_block *k,
                       const drive_sum *sum, double *u)
{
    if (!c->kinked) return false;
    bodies_block_velocity(k, t->m->block_start, t->rotation_k, t->st->v, u);
    const double before = u[0] + sum->role[START][0], after = u[0] + sum->role[STRUCK][0];
    return after * t->h <= before * t->h + t->hold || c->g[0] + sum->part * t->h * before > 0;
}

void candidate_settle_kink(const trial *t, candidate *c)
{
    if (!c->kinked) return;
    const bool may = !step_restores(t, &c->law) || c->bounces;
    const bool leaves = may && !c->lands && c->law.e > 0 && c->u_k[0] < 0;
    c->drive[0] = c->drive_leaving[leaves ? 1 : 0];
}

pcs_status candidate_drive(const trial *t, candidate *c, const bodies_block *k, const double *q,
                           pcs_arena *mem)
{
    if (!c->timed && !candidate_is_driven(t, c)) return PCS_OK;
    // a limited row in the middle takes the mean velocity, as joints do
    const int dim = c->dim, gaps = step_at_middle(t, c) ? dim : candidate_gaps(c);
    if (!c->drive_k) c->drive_k = PCS_TAKE(mem, 3 * (size_t)dim + 2, double);
    pcs_arena scope = *mem;
    double *u = PCS_TAKE(&scope, (ROLES + 1) * (size_t)dim, double);
    if (!c->drive_k || !u) return pcs_fail_memory("step: driven bodies");
    drive_sum sum = {.dim = dim, .gaps = gaps, .part = -1};
    memset(u, 0, (ROLES + 1) * (size_t)dim * sizeof *u);
    for (int i = 0; i < ROLES; ++i) {
        sum.role[i] = u + (i + 1) * dim;
    }
    for (int side = 0; side < 2; ++side) {
        PCS_TRY(add_body(t, c, side, q, k->F, scope, &sum));
    }
    if (c->timed) PCS_TRY(add_time(t, c, &sum));

    double *const *role = sum.role;
    c->drive = c->drive_k + dim;
    c->drive_work = c->drive + dim;
    c->drive_leaving = c->drive_work + dim;
    c->kinked = sum.part >= 0 && law_is_unilateral(&c->law);
    const bool meets = meets_kink(t, c, k, &sum, u), before = c->kinked && !meets;
    for (int j = 0; j < dim; ++j) {
        c->drive_k[j] = role[meets ? STRUCK : START][j];
        c->drive[j] = role[j < gaps ? CLOSING : END][j];
        c->drive_work[j] =
            j >= gaps ? 0.5 * (c->drive_k[j] + c->drive[j]) : role[before ? START : WORK][j];
    }
    c->slack = fabs(role[LEAVING][0] - role[STRUCK][0]) + 4 * fabs(role[END][0] - role[LEAVING][0]);
    c->drive_leaving[0] = role[CLOSING][0];
    c->drive_leaving[1] = role[before ? START : LEAVING][0];
    c->yields = sum.recent && c->law.kind == PCS_LAW_EQUALITY;
    candidate_settle_kink(t, c);
    return PCS_OK;
}

const double *driven_velocity(const trial *t, int system, bool end)
{
    if (!is_driven(t->m, system) || t->m->system[system].disabled) return NULL;
    const double *of = t->driven + (size_t)DRIVEN * (size_t)t->m->system[system].driven;
    return of + 6 * (end ? END : START);
}

const double *driven_behind(const trial *t, int system, bool end)
{
    const double *of = t->driven + (size_t)DRIVEN * (size_t)t->m->system[system].driven;
    return of + (end ? BEHIND_END : BEHIND);
}
