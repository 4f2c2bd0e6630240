// Doubts of a step: reasons why its results may not be trusted, with their numbers (warn.c has the
// sentences).
#include "step/step.h"

#include <string.h>

#include "collide/collide.h"
#include "linalg/m3.h"
#include "problem/measure.h"
#include "step/couple.h"

// overlap relative to the thinner of two shapes
#define DOUBT_DEEP 0.1
// error of a joint relative to the smaller of two bodies
#define DOUBT_OFF 0.01
// energy gains above this fraction of the energies count; smaller ones are rounding
#define DOUBT_GAIN 1e-9
// gains above this many tolerances of the velocities count
#define DOUBT_GAIN_TOL 10
// the same for one joint: joints that together do no work do work of this order each
#define DOUBT_GAIN_JOINT 1e-3
// the same for torsional springs and bushings, of the kinetic energies and their potentials: where
// the angle jumps, and elsewhere
#define DOUBT_JUMP 1e-3
#define DOUBT_TURN 0.1
// relative difference below which two bodies are as fast as each other: rounding must not decide
#define EQUAL_SPEEDS 1e-9

static bool is_worse(const pcs_doubt *d, double value, double limit)
{
    return d->count == 0 || value * d->limit > d->value * limit;
}

void doubt_add(pcs_doubt *d, double value, double limit, int one, int two)
{
    if (is_worse(d, value, limit)) {
        d->value = value;
        d->limit = limit;
        d->one = one;
        d->two = two;
    }
    d->count += 1;
}

void doubt_join(const pcs_doubt *more, pcs_doubt *d)
{
    const long count = d->count + more->count;
    if (more->count > 0 && is_worse(d, more->value, more->limit)) *d = *more;
    d->count = count;
}

// ---- energy gained ------------------------------------------------------------------------------

// energies that a gain is compared with
typedef struct energy_scale {
    const trial *t;
    double kinetic; // J, at work at both ends
    double all;     // and those of forces; < 0: not computed yet
} energy_scale;

// energy that the forces at the start would give to a body at rest in the step, and their work over
// the size of the body (m g L), J
static double energy_of_forces(const trial *t)
{
    double sum = 0;
    for (int b = 0; b < t->m->n_blocks; ++b) {
        const model_system *s = &t->m->system[t->m->block_system[b]];
        if (s->disabled) continue;
        const double *M = s->varies ? t->end.M + t->m->block_off[b] : NULL;
        const double size = s->kind == SYSTEM_BODY ? system_size(s) : 0;
        for (int i = 0; i < s->nv; ++i) {
            const int k = s->v_at + i;
            const double p = t->h * t->F_k[k];
            sum += 0.5 * p * p / system_mass_diagonal(s, M, i);
            if (i < 3) sum += fabs(p) / t->h * size;
        }
    }
    return sum;
}

// adds a doubt when `work` is more than this part of the energies
static void doubt_gain(energy_scale *e, double work, double part, int one, int two, pcs_doubt *d)
{
    if (!(work > part * e->kinetic)) return;
    if (e->all < 0) e->all = e->kinetic + energy_of_forces(e->t);
    if (work > part * e->all) doubt_add(d, work, e->all, one, two);
}

// Torsional springs and bushings whose angle jumps, or that add much in a step: near half a turn
// about an axis across that of the twist, which has no value there
static pcs_status doubt_turns(const trial *t, pcs_arena mem, double kinetic, pcs_doubt *d)
{
    for (int i = 0; i < t->m->n_forces; ++i) {
        double gain, energy;
        bool jumps;
        PCS_TRY(couple_gain(t, &t->m->force[i], mem, &gain, &energy, &jumps));
        energy += kinetic;
        if (!(gain > (jumps ? DOUBT_JUMP : DOUBT_TURN) * energy)) continue;
        doubt_add(d, gain, energy, PCS_DOUBT_FORCE, i + 1);
    }
    return PCS_OK;
}

static double work_of_rows(const candidate *c)
{
    double work = 0;
    for (int j = 0; j < c->dim; ++j) {
        work += 0.5 * (c->u_k[j] + c->u[j]) * c->r[j];
    }
    return work;
}

// A joint that adds energy, no more than all rows of its island together: where a motor presses a
// body on its joint against others, joint, motor and contact have large impulses, whose works at
// the velocity of the start cancel
static pcs_status doubt_joint_gains(const trial *t, pcs_arena mem, energy_scale *e, pcs_doubt *d)
{
    const size_t n = (size_t)t->m->n_systems;
    if (!t->list.c[0].joint) return PCS_OK; // interactions come first
    int *up = PCS_TAKE(&mem, n, int);
    double *sum = PCS_TAKE(&mem, n, double);
    if (!up || !sum) return pcs_fail_memory("step: the doubts");
    memset(sum, 0, n * sizeof *sum);
    step_join_islands(t, up);
    for (int i = 0; i < t->list.n; ++i) {
        const candidate *c = &t->list.c[i];
        candidates_fetch(&t->list, i);
        const int mover = candidate_mover(t, c);
        if (c->active && mover >= 0) sum[island_root(up, mover)] += work_of_rows(c);
    }
    for (int i = 0; i < t->list.n && t->list.c[i].joint; ++i) {
        const candidate *c = &t->list.c[i];
        if (!c->active || c->law.kind != PCS_LAW_EQUALITY) continue;
        if (c->joint_shift) continue; // only all joints at the middle together do no work
        const int mover = candidate_mover(t, c);
        if (mover < 0) continue;
        const double work = fmin(work_of_rows(c), sum[island_root(up, mover)]);
        doubt_gain(e, work, DOUBT_GAIN_JOINT, -1, c->interaction + 1, d);
    }
    return PCS_OK;
}

// size: of the velocities that the tolerance of the solver is relative to, m/s
static pcs_status doubt_gains(const trial *t, pcs_arena mem, double size, energy_scale *e,
                              pcs_doubt *d)
{
    const double error = DOUBT_GAIN_TOL * t->m->scheme.solver.tol;
    const double part = fmax(DOUBT_GAIN, error);
    int *up;
    island_work *of;
    if (!t->solution.v_free || t->solution.rows == 0) return PCS_OK;
    PCS_TRY(step_island_works(t, error * size, &mem, &up, &of));
    for (int k = 0; k < t->m->n_systems; ++k) {
        const candidate *c = &t->list.c[of[k].worst];
        const bool shapes = c->interaction < 0;
        if (!(of[k].sum > error * size * of[k].pushed)) continue;
        doubt_gain(e, of[k].sum, part, shapes ? c->key.shape1 : -1,
                   shapes ? c->key.shape2 : c->interaction + 1, d);
    }
    return PCS_OK;
}

// ---- joints, travel, overlaps -------------------------------------------------------------------

// Error of a joint at the start, compared with the smaller of its bodies; and of a violated rope or
// stop, if a projection closes it: without one an impact overshoots by its last step.
static void doubt_joint(const trial *t, const candidate *c, pcs_doubt *d)
{
    const bool joint = c->law.kind == PCS_LAW_EQUALITY;
    double off = 0, size = INFINITY;
    if (!joint && t->m->scheme.projection == PCS_PROJECTION_NONE) return;
    for (int j = 0; j < candidate_gaps(c); ++j) {
        off = hypot(off, joint ? c->g[j] : fmin(0, c->g[j]));
    }
    for (int side = 0; side < 2; ++side) {
        const int system = side == 0 ? c->sys1 : c->sys2;
        if (system < 0 || t->m->system[system].kind != SYSTEM_BODY) continue;
        size = fmin(size, system_size(&t->m->system[system]));
    }
    if (off > DOUBT_OFF * size) doubt_add(d, off, size, -1, c->interaction + 1);
}

// the velocity of a body at the start or at the end of the step; that of carried bodies counts as 0
static const double *velocity_of(const trial *t, int system, bool end)
{
    static const double rest[6] = {0};
    const double *driven = driven_velocity(t, system, end);
    if (driven) return driven;
    const bool moves = system_moves(t->m, system) && t->m->system[system].kind == SYSTEM_BODY;
    return !moves ? rest : (end ? t->end.v : t->st->v) + t->m->system[system].v_at;
}

static bool is_half_space(const trial *t, int shape)
{
    return t->m->shape[shape].shape.kind == PCS_SHAPE_HALF_SPACE;
}

static bool any_spin(const double v[6])
{
    return v[3] != 0 || v[4] != 0 || v[5] != 0;
}

// what of a motion counts
typedef enum motion_part {
    OF_BODY, // that of its centre of mass
    OF_TURN, // what the rotation adds in the middle of the shape
    OF_SHAPE // both: that of the middle of the shape
} motion_part;

// this part of the velocity of one side of a candidate
static void velocity_part(const trial *t, const candidate *c, int side, motion_part part, bool end,
                          double out[3])
{
    const int system = side == 0 ? c->sys1 : c->sys2;
    const int shape = side == 0 ? c->key.shape1 : c->key.shape2;
    const double *v = velocity_of(t, system, end);
    const double *q = system_q(t->m, system, end ? t->end.q : t->st->q);
    double x[3], turn[3] = {0};
    if (part != OF_BODY && any_spin(v)) {
        shape_middle(&t->m->shape[shape].shape, x);
        v3_cross(v + 3, x, turn);
        pose_direction(q, turn, turn);
    }
    for (int i = 0; i < 3; ++i) {
        out[i] = (part == OF_TURN ? 0 : v[i]) + turn[i];
    }
}

// the size of a velocity where candidate i is; to a half-space along its normal: it has no other
// side
static double speed_of(const trial *t, int i, const double v[3])
{
    const candidate *c = &t->list.c[i];
    const bool flat = is_half_space(t, c->key.shape1) || is_half_space(t, c->key.shape2);
    return flat ? fabs(v3_dot(t->list.k[i].F, v)) : v3_norm(v);
}

// speed of one body of candidate i relative to the other, or this part of it
static double relative_speed(const trial *t, int i, motion_part part, bool end)
{
    double v1[3], v2[3];
    velocity_part(t, &t->list.c[i], 0, part, end, v1);
    velocity_part(t, &t->list.c[i], 1, part, end, v2);
    v3_sub(v1, v2, v1);
    return speed_of(t, i, v1);
}

// true when rotation moves the middle of a shape of candidate i
static bool is_carried_round(const trial *t, const candidate *c)
{
    for (int side = 0; side < 2; ++side) {
        const int system = side == 0 ? c->sys1 : c->sys2;
        const int shape = side == 0 ? c->key.shape1 : c->key.shape2;
        double x[3];
        shape_middle(&t->m->shape[shape].shape, x);
        if (x[0] == 0 && x[1] == 0 && x[2] == 0) continue;
        if (any_spin(velocity_of(t, system, false)) || any_spin(velocity_of(t, system, true))) {
            return true;
        }
    }
    return false;
}

// m: the way at this speed, at the faster end of the step
static double way_of(const trial *t, int i, motion_part part)
{
    return t->h * fmax(relative_speed(t, i, part, false), relative_speed(t, i, part, true));
}

// m: what rotation and forces add to the approach of a body
static double own_reach(const trial *t, int system)
{
    if (system < 0) return 0;
    return t->turn[system] * t->m->system[system].reach + t->h * t->gain[system];
}

// true when the path of a system in the step is straight: no joint and no motion leads it along an
// arc; `led` marks what interactions hold
static bool goes_straight(const trial *t, int system, const bool *led)
{
    const model_system *s = &t->m->system[system];
    return s->kind == SYSTEM_BODY && !s->motion && !led[system];
}

// True when the straight relative path of two free bodies, with these velocities, leads past:
// balls about their centres that hold all of their shapes stay apart by more than `slack`
static bool passes_by(const trial *t, int i, const bool *led, bool end, double slack)
{
    const candidate *c = &t->list.c[i];
    if (c->pose1 < 0 || c->pose2 < 0) return false;
    if (!goes_straight(t, c->pose1, led) || !goes_straight(t, c->pose2, led)) return false;
    const model_system *s1 = &t->m->system[c->pose1], *s2 = &t->m->system[c->pose2];
    if (is_half_space(t, c->key.shape1) || is_half_space(t, c->key.shape2)) return false;
    double x[3], d[3];
    v3_sub(t->st->q + s1->q_at, t->st->q + s2->q_at, x);
    v3_sub(velocity_of(t, c->sys1, end), velocity_of(t, c->sys2, end), d);
    const double square = v3_dot(d, d);
    const double when = square > 0 ? fmin(t->h, fmax(0, -v3_dot(x, d) / square)) : 0;
    v3_along(x, when, d, x);
    return v3_norm(x) > s1->reach + s2->reach + slack;
}

// true when the bodies of candidate i may meet: how far other candidates are listed depends on the
// velocity of the frame
static bool may_meet(const trial *t, int i, const bool *led)
{
    const candidate *c = &t->list.c[i];
    const double slack = own_reach(t, c->pose1) + own_reach(t, c->pose2);
    if (!(c->g[0] <= way_of(t, i, OF_BODY) + slack)) return false;
    return !passes_by(t, i, led, false, slack) || !passes_by(t, i, led, true, slack);
}

// the speed of one side of candidate i
static double own_speed(const trial *t, int i, int side, motion_part part, bool end)
{
    double v[3];
    velocity_part(t, &t->list.c[i], side, part, end, v);
    return speed_of(t, i, v);
}

// The side of candidate i that moves, at that end of the step where they move faster relative to
// each other; of equal ones the thinner one
static int faster_side(const trial *t, int i, motion_part part)
{
    const candidate *c = &t->list.c[i];
    const bool end = relative_speed(t, i, part, true) > relative_speed(t, i, part, false);
    const double one = own_speed(t, i, 0, part, end), two = own_speed(t, i, 1, part, end);
    if (fabs(one - two) > EQUAL_SPEEDS * fmax(one, two)) return one > two ? 0 : 1;
    return shape_thickness(&t->m->shape[c->key.shape1].shape) <=
                   shape_thickness(&t->m->shape[c->key.shape2].shape)
               ? 0
               : 1;
}

// m: how far the bodies of candidate i may move relative to each other before one of them may pass
// through the other one: its thickness, where they only turn that of its shape; under a rule that
// does not follow paths also half of both shapes, over which the middle of one passes that of the
// other. Infinite for what nothing moves
static double most_travel(const trial *t, const candidate *c, int side, motion_part part)
{
    const int system = side == 0 ? c->sys1 : c->sys2;
    if (!system_moves(t->m, system)) return INFINITY;
    const model_system *s = &t->m->system[system];
    if (s->kind != SYSTEM_BODY || !(s->thickness > 0)) return INFINITY;
    const double one = shape_thickness(&t->m->shape[c->key.shape1].shape);
    const double two = shape_thickness(&t->m->shape[c->key.shape2].shape);
    const double own = part != OF_TURN ? s->thickness : side == 0 ? one : two;
    return t->rule == PCS_ACTIVATION_SPECULATIVE ? own : fmin(own, 0.5 * (one + two));
}

// Distance that the bodies of candidate i travel relative to each other, compared with what their
// sizes allow: their centres of mass, the middles of the two shapes, and what rotation adds in
// these to the motion of the centres. The doubt names the body that moves, a driven one too, and
// the shape that it may pass. `seen` marks the bodies that count.
static void doubt_travel(const trial *t, int i, const bool *led, bool *seen, pcs_doubt *d)
{
    const candidate *c = &t->list.c[i];
    const int system[2] = {c->sys1, c->sys2}, pose[2] = {c->pose1, c->pose2};
    const int shape[2] = {c->key.shape1, c->key.shape2};
    const int parts = is_carried_round(t, c) ? OF_SHAPE : OF_BODY; // the last one
    double way[3];
    for (int p = OF_BODY; p <= parts; ++p) {
        way[p] = way_of(t, i, (motion_part)p);
    }
    for (int k = 0; k < 2; ++k) {
        double far = 0, most = INFINITY;
        motion_part part = OF_BODY;
        for (int p = OF_BODY; p <= parts; ++p) {
            const double own = most_travel(t, c, k, (motion_part)p);
            if (!(way[p] > own) || !(far == 0 || way[p] * most > far * own)) continue;
            far = way[p];
            most = own;
            part = (motion_part)p;
        }
        if (far == 0 || !may_meet(t, i, led)) continue;
        const int side = faster_side(t, i, part);
        const long count = d->count + !seen[system[k]];
        doubt_add(d, far, most, pose[side] + 1, shape[1 - side]);
        d->count = count;
        seen[system[k]] = true;
    }
}

static double thinner(const trial *t, const candidate *c)
{
    return fmin(shape_thickness(&t->m->shape[c->key.shape1].shape),
                shape_thickness(&t->m->shape[c->key.shape2].shape));
}

bool step_doubts_overlap(const trial *t, const candidate *c)
{
    return c->g[0] < 0 && -c->g[0] > DOUBT_DEEP * thinner(t, c);
}

pcs_status step_doubts(const trial *t, pcs_arena mem, pcs_step_report *out)
{
    const pcs_model *m = t->m;
    pcs_doubt *d = out->doubt;
    for (int k = 0; k < PCS_DOUBT_COUNT; ++k) {
        d[k].t = t->st->t;
    }
    if (t->list.n == 0 && !t->joined) return PCS_OK;
    double before, after;
    PCS_TRY(step_common_energy(t, false, mem, &before));
    PCS_TRY(step_common_energy(t, true, mem, &after));
    before = motion_energy_left(out->energy.kinetic_before, before);
    after = motion_energy_left(out->energy.kinetic_after, after);
    t->work->kinetic = fmax(t->work->kinetic, fmax(before, after));
    energy_scale e = {t, before + after, -1};
    if (t->joined) PCS_TRY(doubt_turns(t, mem, e.kinetic, &d[PCS_DOUBT_GAIN]));
    if (t->list.n == 0) return PCS_OK;
    const size_t n = (size_t)m->n_systems;
    bool *seen = PCS_TAKE(&mem, n, bool), *led = PCS_TAKE(&mem, n, bool);
    if (!seen || !led) return pcs_fail_memory("step: the doubts");
    memset(seen, 0, n * sizeof *seen);
    memset(led, 0, n * sizeof *led);
    const double size = measure_size(&out->solve.measure);
    PCS_TRY(doubt_gains(t, mem, size, &e, &d[PCS_DOUBT_GAIN]));
    PCS_TRY(doubt_joint_gains(t, mem, &e, &d[PCS_DOUBT_GAIN]));
    for (int i = 0; i < t->list.n; ++i) {
        const candidate *c = &t->list.c[i];
        candidates_fetch(&t->list, i);
        if (c->interaction >= 0) { // these come first
            if (c->sys1 >= 0) led[c->sys1] = true;
            if (c->sys2 >= 0) led[c->sys2] = true;
            doubt_joint(t, c, &d[PCS_DOUBT_JOINT]);
            continue;
        }
        doubt_travel(t, i, led, seen, &d[PCS_DOUBT_TRAVEL]);
        if (!step_doubts_overlap(t, c)) continue;
        doubt_add(&d[PCS_DOUBT_OVERLAP], -c->g[0], thinner(t, c), c->key.shape1, c->key.shape2);
    }
    return PCS_OK;
}

// the part of a step that was not solved: `one` of the doubt
enum { VELOCITIES, PROJECTION, NEWTON, FRICTION };

void step_doubt_unsolved(const trial *t, bool moves, pcs_step_report *out)
{
    const pcs_scheme *s = &t->m->scheme;
    const double residual = out->solve.measure.residual, tol = s->solver.tol;
    const double friction = out->friction_residual;
    if (!out->committed || out->outcome == PCS_OUTCOME_CONVERGED) return;
    pcs_doubt *d = &out->doubt[PCS_DOUBT_UNSOLVED];
    if (moves) {
        doubt_add(d, out->violation_after, t->proj_tol, PROJECTION, 0);
    } else if (friction > tol && friction > residual) {
        doubt_add(d, friction, tol, FRICTION, 0);
    } else if (!(residual > tol) && out->newton_residual > s->newton_tol) {
        doubt_add(d, out->newton_residual, s->newton_tol, NEWTON, 0);
    } else {
        doubt_add(d, residual, tol, VELOCITIES, 0);
    }
}
