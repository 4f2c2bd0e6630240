// From contacts to the cone problem on the velocities of bodies: the blocks of the active
// candidates, and the terms that laws add to u = H v,
//
//     shift = (e u_kN, e_t u_kT) (impact), (g / h, 0) (speculative, still apart), 0 (joints, and
//             contacts too slow to rebound),
//
// and the velocity of bodies that are driven. Joints with rows at q_m = q_k + theta h T v_k obey
//
//     H(q_m) [ theta v' + (1 - theta) v_k ] = (1 - theta) alpha H(q_k) v_k,
//
// which for theta = 1/2 and alpha = 0 is the midpoint rule: joints do no work, and H v is of order
// h^2 at both ends of the step. alpha removes the rest of H v that an impact leaves; with alpha = 0
// its sign would only alternate from step to step. Per joint alpha is |H(q_k) v_k| /
// |(H(q_m) - H(q_k)) v_k|, of order h where the motion is smooth, and at most 1. Where joints would
// gain energy by that, or cannot all hold, alpha is 0. Velocities that
// contradict the joints obey H(q_m) v' = 0, an inelastic impact. Redundant rows: loops.c.
//
// Limited forces (motors, dry friction) have the same row: what sticks keeps its coordinate, whose
// change is h H(q_m) [ theta v' + (1 - theta) v_k ] up to h^3. Where it slides, H(q_k) v_k is
// larger than its change, so that alpha is 1: friction acts against the velocity at the end. With
// alpha = 0 what it stops would turn back. Beside joints with rows at q_k, q_m = q_k + h/2 T v_k is
// the middle of the displacement. With theta = 1 rows stay at q_k (step_at_middle).
#include "step/step.h"

#include <string.h>

#include "model/carried.h"
#include "relations/joint_kinds.h"
#include "step/couple.h"

// part of the units for velocities that one solve may spend
#define SOLVE_PART 0.75

// Part of the sweeps of max_sweeps that the solve of a coarse pass may make. Any other one may make
// all: sweeps that continue are worth more than those of the next iterate or pass
#define COARSE_SWEEPS 0.5

// ---- the velocity problem ---------------------------------------------------------------------

double impact_shift(const candidate *c, int i)
{
    if (!law_is_unilateral(&c->law)) return 0;
    return (i == 0 ? c->law.e : c->law.e_t) * c->u_k[i];
}

// term of the law in row i of a contact that may rebound. Speeds within the error of the solver do
// not rebound: e = 1 would keep them for ever
static double rebound(const trial *t, const candidate *c, int i)
{
    return c->lands || fabs(c->u_k[i]) * t->h <= t->hold ? 0 : impact_shift(c, i);
}

// terms of driven bodies and of the law in row i; a contact with a gap that does not rebound only
// closes it
static double row_shift(const trial *t, const candidate *c, int i)
{
    const double drive = c->drive ? c->drive[i] : 0;
    if (!law_is_unilateral(&c->law)) return drive + (c->joint_shift ? c->joint_shift[i] : 0);
    const bool ahead = t->rule == PCS_ACTIVATION_SPECULATIVE && !c->bounces;
    // a gap within rounding is none: over a tiny h it would let a body at rest fall
    const bool apart = c->g[0] > step_gap_rounding(t, c);
    if (ahead && apart && t->h > 0) return i == 0 ? drive + c->g[0] / t->h : drive;
    return drive + rebound(t, c, i) + (i == 0 ? c->pull : 0);
}

// q_k advanced with v_k by theta of the step, or by half of it, or by gamma where rows are
// predicted; driven bodies have the pose of their motion at that time. The middle of a system that
// is ahead is q_k
static pcs_status advance_start(const trial *t, bool half, pcs_arena *mem, double **out)
{
    const pcs_model *m = t->m;
    double *q = *out = PCS_TAKE(mem, (size_t)m->nq, double);
    if (!q) return pcs_fail_memory("step: the rows");
    memcpy(q, t->st->q, (size_t)m->nq * sizeof *q);
    for (int i = 0; i < m->n_systems; ++i) {
        const model_system *s = &m->system[i];
        if (s->disabled) continue;
        const bool predicted = m->scheme.configuration == PCS_CONFIGURATION_PREDICTED;
        const bool ahead = !predicted && !half && t->ahead && t->ahead[i];
        const double theta = half ? 0.5 : t->end.theta[i];
        const double part = predicted ? m->scheme.gamma : ahead ? 0 : theta;
        double v[6];
        if (s->motion) PCS_TRY(system_motion(s, t->st->t + part * t->h, q + s->q_at, v));
        if (s->nv == 0) continue;
        system_advance(s, t->st->q + s->q_at, part * t->h, t->st->v + s->v_at, m->scheme.update,
                       q + s->q_at);
    }
    return model_carry(m, q);
}

// a rest of H v is large when its square is more than this part of that of the change of H v
#define MUCH 0.5
// velocities contradict joints when that square is more than this part: the first step of a motion
// from rest leaves as much as the change
#define CONTRADICTS 4

// adds the squares of H v at q_k, and of its change until the middle
static void add_squares(const candidate *c, double *left, double *change)
{
    const double *before = c->joint_before ? c->joint_before : c->u_k;
    for (int j = 0; j < c->dim; ++j) {
        const double d = c->joint_shift[j] - before[j];
        *left += before[j] * before[j];
        *change += d * d;
    }
}

// alpha of a candidate. The speed with which a limited motor reaches its position is that of the
// end (`approach` in driven.c): alpha = 1
static double alpha_of(const trial *t, const candidate *c, bool pure)
{
    double left = 0, change = 0;
    if (c->law.kind == PCS_LAW_LIMITED) {
        if (candidate_reaches(t, c)) return 1;
    } else if (pure) {
        return 0;
    }
    add_squares(c, &left, &change);
    return left < change ? sqrt(left / change) : 1;
}

// converts H v_k in the middle to the term added to u'
static void settle_joint(candidate *c, double theta, double alpha)
{
    const double *before = c->joint_before ? c->joint_before : c->u_k;
    for (int j = 0; j < c->dim; ++j) {
        c->joint_shift[j] = (1 - theta) / theta * (c->joint_shift[j] - alpha * before[j]);
    }
}

static pcs_status rows_in_middle(const trial *t, candidate *c, bodies_block *k, const double *q,
                                 pcs_arena *mem)
{
    const int mover = candidate_mover(t, c);
    if (!c->joint_shift) c->joint_shift = PCS_TAKE(mem, (size_t)c->dim, double);
    if (!c->joint_shift) return pcs_fail_memory("step: the rows");
    if (t->ahead && t->ahead[mover] && step_in_middle(t, mover)) {
        if (!c->joint_before) c->joint_before = PCS_TAKE(mem, (size_t)c->dim, double);
        if (!c->joint_before) return pcs_fail_memory("step: the rows");
        PCS_TRY(candidate_block(t->m, c, t->q_force, false, *mem, k, NULL));
        PCS_TRY(candidate_drive(t, c, k, t->q_force, mem));
        candidate_velocity(t, (int)(c - t->list.c), t->st->v, c->drive_k, c->joint_before);
    } else {
        c->joint_before = NULL;
    }
    PCS_TRY(candidate_block(t->m, c, q, false, *mem, k, NULL));
    PCS_TRY(candidate_drive(t, c, k, q, mem));
    candidate_velocity(t, (int)(c - t->list.c), t->st->v, c->drive_k, c->joint_shift);
    return PCS_OK;
}

// rows at q_k again, when a new contact makes the island keep the theta of the scheme; or where
// joints are closed
static pcs_status rows_back(const trial *t, candidate *c, bodies_block *k, const double *q,
                            pcs_arena *mem)
{
    c->joint_shift = NULL;
    PCS_TRY(candidate_block(t->m, c, q, false, *mem, k, NULL));
    return candidate_drive(t, c, k, q, mem);
}

pcs_status step_joint_rows(const trial *t, bool pure, pcs_arena *mem, candidates *list)
{
    double *middle = NULL, *half = NULL, left = 0, change = 0;
    const double *closed = NULL, *start = NULL;
    // interactions come first
    for (int i = 0; i < list->n && list->c[i].joint; ++i) {
        candidate *c = &list->c[i];
        if (!step_at_middle(t, c)) {
            const bool closes = c->closes && !step_rows_follow(&t->m->scheme);
            if (closes && !start) PCS_TRY(step_close_loops(t, t->st->q, list, mem, &start));
            const double *at = closes ? start : t->st->q;
            if (c->joint_shift || at != t->st->q) {
                PCS_TRY(rows_back(t, c, &list->k[i], at, mem));
            }
            continue;
        }
        if (!step_in_middle(t, candidate_mover(t, c)) && c->law.kind == PCS_LAW_LIMITED) {
            if (!half) PCS_TRY(advance_start(t, true, mem, &half));
            PCS_TRY(rows_in_middle(t, c, &list->k[i], half, mem));
            continue;
        }
        if (!middle) PCS_TRY(advance_start(t, false, mem, &middle));
        if (c->closes && !closed) PCS_TRY(step_close_loops(t, middle, list, mem, &closed));
        PCS_TRY(rows_in_middle(t, c, &list->k[i], c->closes ? closed : middle, mem));
        if (c->law.kind == PCS_LAW_EQUALITY) add_squares(c, &left, &change);
    }
    const bool contradicted = left > 0 && left >= CONTRADICTS * change;
    for (int i = 0; i < list->n && list->c[i].joint; ++i) {
        candidate *c = &list->c[i];
        if (!c->joint_shift) continue;
        // Such velocities open joints until the middle by order h: redundant rows there lock what
        // the joints leave free, with impulses that change the angular momentum
        if (contradicted && (c->loop || (c->closes && closed == middle))) {
            PCS_TRY(rows_back(t, c, &list->k[i], t->st->q, mem));
            continue;
        }
        const int mover = candidate_mover(t, c);
        const bool equality = c->law.kind == PCS_LAW_EQUALITY;
        if (equality && pure && contradicted) {
            memset(c->joint_shift, 0, (size_t)c->dim * sizeof *c->joint_shift);
        } else {
            const bool middle_row = equality || step_in_middle(t, mover);
            const double theta = middle_row ? step_force_part(t, mover) : t->end.theta[mover];
            settle_joint(c, theta, alpha_of(t, c, pure));
        }
    }
    list->pure = pure;
    list->settles = !pure && left > 0;
    list->settles_much = left > MUCH * change;
    list->joint_change = change;
    if (closed) PCS_TRY(step_agree_loops(t, closed, list, *mem));
    return PCS_OK;
}

// rows that follow q' start each pass from a copy of those at q_k
static pcs_status rows_at_start(const trial *t, pcs_arena *mem, candidates *list)
{
    if (!step_rows_follow(&t->m->scheme)) return PCS_OK;
    if (list->n_first < list->n) {
        bodies_block *first = PCS_TAKE(mem, (size_t)list->n, bodies_block);
        if (!first) return pcs_fail_memory("step: the problem");
        for (int i = 0; i < list->n; ++i) {
            first[i] = *candidate_first(list, i);
        }
        list->first = first;
        list->n_first = list->n;
    }
    trial_rotations(t, t->st->q, t->rotation);
    for (int i = 0; i < list->n; ++i) {
        list->k[i] = list->first[i];
    }
    return PCS_OK;
}

// memory for n blocks and the rows of a pass: that of the passes before where it is enough, else
// with a margin, as later passes have more contacts
static pcs_status take_problem(int n, pcs_arena *mem, solution *out)
{
    if (n > out->block_room) {
        out->block_room = n + n / 16;
        out->block_memory = PCS_TAKE(mem, (size_t)out->block_room, bodies_block);
    }
    if (!out->row_memory || out->rows > out->row_room) {
        out->row_room = out->rows + out->rows / 16;
        out->row_memory = PCS_TAKE(mem, 3 * (size_t)out->row_room, double);
    }
    return (n == 0 || out->block_memory) && out->row_memory ? PCS_OK
                                                            : pcs_fail_memory("step: the problem");
}

pcs_status step_assemble(const trial *t, pcs_arena *mem, candidates *list, solution *out)
{
    PCS_TRY(rows_at_start(t, mem, list));
    int n = 0;
    out->rows = 0;
    for (int i = 0; i < list->n; ++i) {
        candidate *c = &list->c[i];
        candidates_fetch(list, i);
        if (!c->active) continue;
        c->at = out->rows;
        list->k[i].row = out->rows;
        out->rows += c->dim;
        ++n;
    }

    // no copy when all candidates are active
    const bool copies = n < list->n;
    PCS_TRY(take_problem(copies ? n : 0, mem, out));
    bodies_block *block = copies ? out->block_memory : list->k;
    for (int i = 0, at = 0; copies && i < list->n; ++i) {
        if (list->c[i].active) block[at++] = list->k[i];
    }
    out->r = out->row_memory;
    out->u = out->r + out->rows;
    out->shift = out->u + out->rows;

    for (int i = 0; i < list->n; ++i) {
        const candidate *c = &list->c[i];
        candidates_fetch(list, i);
        if (!c->active) continue;
        for (int j = 0; j < c->dim; ++j) {
            out->shift[c->at + j] = row_shift(t, c, j);
            out->r[c->at + j] = c->r[j];
        }
    }
    out->v_free = NULL;
    out->part_of_tol = 1;
    out->block = block;
    out->problem = (bodies_problem){.n = out->rows,
                                    .nb = n,
                                    .block = block,
                                    .shift = out->shift,
                                    .A = &out->lu,
                                    .R = t->rotation};
    return PCS_OK;
}

// moves the rows to q; `again`: u_k, too
static pcs_status move_rows(const trial *t, const double *q, bool again, pcs_arena mem,
                            candidates *list, solution *out)
{
    const double *closed = NULL;
    trial_rotations(t, q, t->rotation);
    PCS_ASSERT(list->first);
    for (int i = 0, at = 0; i < list->n; ++i) {
        candidate *c = &list->c[i];
        bodies_block *k = &list->k[i];
        memcpy(k->F, list->first[i].F, sizeof k->F);
        if (c->closes && !closed) PCS_TRY(step_close_loops(t, q, list, &mem, &closed));
        const double *there = c->closes ? closed : q;
        PCS_TRY(candidate_block(t->m, c, there, true, mem, k, NULL));
        PCS_TRY(candidate_drive(t, c, k, there, &mem));
        if (again) candidate_velocity(t, i, t->st->v, c->drive_k, c->u_k);
        if (!c->active) continue;
        for (int j = 0; (again || c->drive) && j < c->dim; ++j) {
            out->shift[c->at + j] = row_shift(t, c, j);
        }

        // the problem may have copies of the blocks
        bodies_block *to = &out->block[at++];
        if (to != k) *to = *k;
    }
    return PCS_OK;
}

pcs_status step_update_rows(const trial *t, pcs_arena mem, candidates *list, solution *out)
{
    return move_rows(t, t->end.q, false, mem, list, out);
}

pcs_status step_predict_rows(const trial *t, pcs_arena mem, candidates *list, solution *out)
{
    double *q;
    PCS_TRY(advance_start(t, false, &mem, &q));
    return move_rows(t, q, true, mem, list, out);
}

// what a solve overwrites is copied for the capture
static pcs_status begin_capture(const trial *t, const solution *s, pcs_arena *mem,
                                pcs_velocity_solve *out)
{
    step_capture *capture = &t->work->capture;
    *out = (pcs_velocity_solve){.part = capture->part,
                                .solve = ++capture->solve,
                                .t = t->st->t,
                                .h = t->h,
                                .r = s->r,
                                .u = s->u};
    const size_t n = (size_t)s->problem.n;
    double *start = PCS_TAKE(mem, n, double);
    PCS_TRY(bodies_publish(s->solved, s->solved_free, mem, &out->problem));
    if (!start) return pcs_fail_memory("step: the capture");
    if (n > 0) memcpy(start, s->r, n * sizeof *start);
    out->start = start;
    return PCS_OK;
}

// one solve of s->solved, from s->r, with its capture; v: v_free on entry
static pcs_status solve_once(const trial *t, double units, pcs_arena scratch, double *v,
                             solution *s, bodies_report *out)
{
    pcs_solver_opts opts = t->m->scheme.solver;
    opts.tol = fmax(opts.tol, t->coarse) * s->part_of_tol;
    if (opts.kind == PCS_SOLVER_AUTO && t->st->memory->kappa > 0) {
        opts.as.portfolio.kappa = t->st->memory->kappa;
    }
    t->work->budget.ends_solve = units < (double)opts.max_iters * s->problem.nb;
    const double share = t->coarse > 0 ? COARSE_SWEEPS : 1;
    units = fmin(units, fmax(1, share * step_sweeps(t->work)) * s->problem.nb);
    step_limit_seconds(t->work, &opts);
    pcs_velocity_solve shown;
    const step_capture *capture = &t->work->capture;
    if (capture->fn) PCS_TRY(begin_capture(t, s, &scratch, &shown));
    PCS_TRY(bodies_solve(s->solved, &opts, t->work->watch, units, t->work->team, scratch, v, s->r,
                         s->u, out));
    s->kappa = out->kappa;
    step_spend(t->work, out->units);
    t->work->budget.sweeps += out->rounds;
    if (!capture->fn) return PCS_OK;
    shown.opts = opts;
    shown.budget = units;
    shown.v = v;
    shown.report = &out->solve;
    capture->fn(capture->user, &shown);
    return PCS_OK;
}

// units of one solve: it leaves some for another Newton iterate or pass
static double solve_units(const trial *t)
{
    return SOLVE_PART * step_units(t->work, t->share * step_velocity_part(&t->m->scheme));
}

// True when a first attempt may go on with all of the budget: this admits a path of homotopy, which
// solves most of what sweeps, the finish and ipm leave, or no step has been solved yet, so that all
// impulses are unknown, and it admits ipm. A step divided into parts would not have these methods
static bool may_widen(const trial *t, const bodies_report *report)
{
    pcs_work *wk = t->work;
    if (report->solve.outcome != PCS_OUTCOME_MAX_ITERS || !wk->budget.ends_solve) return false;
    const bool cold = t->st->memory->velocity_tol == 0;
    return (cold && report->wants > 0 && step_budget_widen(wk, report->wants / SOLVE_PART)) ||
           (report->path > 0 && step_budget_widen(wk, report->path / SOLVE_PART));
}

// contacts were at rest if they moved no faster than this many times the error of the velocities
#define RESTED 100

static bool was_slow(const trial *t, const candidate *c)
{
    const double most = RESTED * t->st->memory->velocity_tol;
    for (int i = 0; i < c->dim; ++i) {
        if (!(fabs(c->u_k[i]) <= most)) return false;
    }
    return true;
}

// The contacts at rest at the start of the step. Joints may have any velocity: what moves with its
// contacts at rest may go on so. A gap that counts as closed need not close
static pcs_status find_rest(const trial *t, pcs_arena *mem, solution *s)
{
    const double closed = step_tolerance(t);
    const size_t nb = (size_t)s->problem.nb;
    unsigned char *rested = PCS_TAKE(mem, nb, unsigned char);
    double *still = PCS_TAKE(mem, nb, double);
    bodies_rest *rest = PCS_TAKE(mem, 1, bodies_rest);
    if (!rested || !still || !rest) return pcs_fail_memory("step: the problem");
    *rest = (bodies_rest){.rested = rested, .still = still, .shift = s->shift};
    s->problem.rest = rest;
    for (int i = 0; i < t->list.n; ++i) {
        const candidate *c = &t->list.c[i];
        if (!c->active) continue;
        const bool contact = law_is_unilateral(&c->law);
        const bool open = contact && c->g[0] > 0 && c->g[0] <= closed;
        *rested++ = !contact || was_slow(t, c);
        *still++ = !open ? s->shift[c->at] : c->drive ? c->drive[0] : 0;
    }
    return PCS_OK;
}

pcs_status step_solve(const trial *t, pcs_arena *mem, double *v, solution *s, bodies_report *out)
{
    const size_t nv = (size_t)t->m->nv;
    s->v_free = PCS_TAKE(mem, nv, double);
    if (!s->v_free) return pcs_fail_memory("step: the problem");
    trial_copy(t, v, s->v_free);
    s->problem.rest = NULL;
    if (t->coarse == 0) PCS_TRY(find_rest(t, mem, s));
    s->solved = &s->problem;
    s->solved_free = s->v_free;
    double *joined = v;
    if (t->joined) PCS_TRY(couple_problem(t, &s->problem, v, mem, s, &joined));
    PCS_TRY(solve_once(t, solve_units(t), *mem, joined, s, out));
    if (may_widen(t, out)) {
        const block_lu *A = s->solved->A;
        const bodies_report first = *out;
        memcpy(joined, s->solved_free, (size_t)A->start[A->nb] * sizeof *joined);
        PCS_TRY(solve_once(t, solve_units(t), *mem, joined, s, out));
        out->sweeps += first.sweeps;
        out->finish += first.finish;
    }
    if (t->joined) PCS_TRY(couple_velocities(t, s, *mem, joined, v));
    if (out->solve.outcome == PCS_OUTCOME_STOPPED) t->work->budget.stopped = true;
    return PCS_OK;
}
