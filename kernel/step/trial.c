// The beginning of a trial: copies of q and v, the forces at the start, and bounds on the motion of
// every surface within the step.
#include "step/step.h"

#include <float.h>
#include <string.h>

#include "linalg/bsr.h"
#include "linalg/m3.h"
#include "model/carried.h"
#include "rotation/pose.h"
#include "step/couple.h"
#include "step/skip.h"
#include "systems/body_system.h"

// a gap counts as closed when errors of the velocities can open it in this many steps
#define HOLD 10

// takes the next n numbers of a block of memory
static double *next(double **room, size_t n)
{
    double *here = *room;
    *room += n;
    return here;
}

static system_force next_force(double **room, size_t nv)
{
    double *F = next(room, 3 * nv);
    return (system_force){F, F + nv, F + 2 * nv};
}

// all vectors of a trial, in one block
static pcs_status take_vectors(trial *t, pcs_arena *mem)
{
    const pcs_model *m = t->m;
    const size_t nq = (size_t)m->nq, nv = (size_t)m->nv, ns = (size_t)m->n_systems;
    const size_t rotations = 9 * ((size_t)m->n_blocks + (size_t)m->n_carried);
    const size_t moved = step_rows_follow(&m->scheme) ? rotations : 0;
    const size_t masses = m->variable_mass ? m->block_off[m->n_blocks] : 0;
    const size_t n = (size_t)m->n_blocks, factors = n > 0 ? m->factor_off[n] : 0;
    const size_t shifted = t->ahead ? nq : 0;
    const size_t numbers =
        2 * (nq + shifted) + 12 * nv + 5 * ns + rotations + moved + masses + 2 * factors;
    double *room = pcs_arena_take(mem, numbers * sizeof *room + nv * sizeof(int) + n + ns);
    if (!room) return pcs_fail_memory("step");
    t->end.q = next(&room, nq);
    t->end.q_room = next(&room, nq);
    if (shifted > 0) t->end.q_force = next(&room, nq);
    if (shifted > 0) t->q_force = next(&room, nq);
    t->end.v = next(&room, nv);
    t->end.R = next(&room, nv);
    t->end.p = next(&room, nv);
    t->end.v_before = next(&room, nv);
    t->Fk = next_force(&room, nv);
    t->end.F1 = next_force(&room, nv);
    t->F_k = next(&room, nv);
    t->end.v_mean = next(&room, nv);
    t->end.theta = next(&room, ns);
    t->reach = next(&room, ns);
    t->turn = next(&room, ns);
    t->gain = next(&room, ns);
    t->rounding = next(&room, ns);
    t->rotation = t->rotation_k = next(&room, rotations);
    if (moved > 0) t->rotation = next(&room, moved);
    if (masses > 0) t->end.M = next(&room, masses);
    block_lu *F = &t->solution.lu;
    *F = (block_lu){.nb = m->n_blocks, .start = m->block_start, .off = m->factor_off};
    if (t->work->sparse_blocks > 0) F->of = (const envelope *const *)t->work->sparse;
    F->lu = next(&room, factors);
    F->val = next(&room, factors);
    F->piv = (int *)room;
    F->kind = t->solution.lu_kind = (unsigned char *)(F->piv + nv);
    t->end.middle = (bool *)(F->kind + n);
    memset(t->end.middle, 0, ns * sizeof *t->end.middle);
    return PCS_OK;
}

// the runs between skipped systems
static pcs_status take_runs(trial *t, pcs_arena *mem)
{
    const pcs_model *m = t->m;
    for (int i = 0; i < m->n_systems; ++i) {
        t->n_runs += !skips(t, i) && (i == 0 || skips(t, i - 1));
    }
    t->run = PCS_TAKE(mem, (size_t)t->n_runs, trial_run);
    if (!t->run) return pcs_fail_memory("step");
    for (int i = 0, k = -1; i < m->n_systems; ++i) {
        const model_system *s = &m->system[i];
        if (skips(t, i)) continue;
        if (i == 0 || skips(t, i - 1)) t->run[++k] = (trial_run){.q = s->q_at, .v = s->v_at};
        t->run[k].nq += s->nq;
        t->run[k].nv += s->nv;
    }
    return PCS_OK;
}

void trial_copy(const trial *t, const double *v, double *out)
{
    for (int k = 0; k < t->n_runs; ++k) {
        const trial_run *run = &t->run[k];
        const size_t size = (size_t)run->nv * sizeof *v;
        if (v) {
            memcpy(out + run->v, v + run->v, size);
        } else {
            memset(out + run->v, 0, size);
        }
    }
}

bool trial_in_range(const trial *t, const double *v)
{
    for (int k = 0; k < t->n_runs; ++k) {
        if (!model_in_range(v + t->run[k].v, (size_t)t->run[k].nv)) return false;
    }
    return true;
}

// the sum of the forces on a system; bodies have a constant n
static inline void add_up(int n, system_force F, double *restrict sum)
{
    for (int i = 0; i < n; ++i) {
        sum[i] = F.conservative[i] + F.other[i] + F.gyroscopic[i];
    }
}

// the largest of n coordinates; bodies have a constant n
static inline double largest(int n, const double *q)
{
    double most = 0;
    for (int i = 0; i < n; ++i) {
        const double x = fabs(q[i]);
        most = x > most ? x : most;
    }
    return most;
}

// body_reach of a body with added mass, which forces also rotate and moments also move
static double added_reach(const model_system *s, const double *q, const double *v, const double *F,
                          double h, double *turn, double *gain)
{
    double a[6];
    memcpy(a, F, sizeof a);
    body_accelerate(s, q, a);
    *turn = h * (v3_norm(v + 3) + h * v3_norm(a + 3));
    *gain = h * (v3_norm(a) + v3_norm(a + 3) * s->reach);
    return h * (v3_norm(v) + h * v3_norm(a)) + *turn * s->reach;
}

// h (|v| + |omega| R) with the speeds at the start plus those that forces give. Contact forces are
// left out: they reduce relative speeds, or act within the reach of the other body. So are motors
// (step_detect_end lists what these may move a body past)
static double body_reach(const model_system *s, const double *q, const double *v, const double *F,
                         double h, double *turn, double *gain)
{
    if (s->added) return added_reach(s, q, v, F, h, turn, gain);
    double a[3], alpha[3];
    for (int i = 0; i < 3; ++i) {
        a[i] = F[i] / s->mass;
    }
    // the gyroscopic moment of a slender body acts about the axes of its large moments of inertia,
    // but turns with the body: the bound of its rotation holds for any direction
    const double push = v3_norm(a), twist = s->inverse_bound * v3_norm(F + 3);
    m3_mul(s->J_inverse, F + 3, alpha);
    *turn = h * (v3_norm(v + 3) + h * twist);
    *gain = h * (push + v3_norm(alpha) * s->reach);
    return h * (v3_norm(v) + h * push) + *turn * s->reach;
}

pcs_status trial_accelerate(const trial *t, int system, pcs_arena mem, double *x)
{
    const model_system *s = &t->m->system[system];
    const size_t n = (size_t)s->nv, off = 0;
    if (s->sparse) {
        envelope_solve(&s->sparse->factor, x);
        return PCS_OK;
    }
    double *M = PCS_TAKE(&mem, n * n, double);
    int *piv = PCS_TAKE(&mem, n, int);
    if (!M || !piv) return pcs_fail_memory("step: a mass");
    block_lu one = {.nb = 1, .start = (const int[]){0, s->nv}, .off = &off, .lu = M, .piv = piv};
    PCS_TRY(system_mass(s, t->st->q + s->q_at, M));
    if (block_lu_factor_one(&one, 0)) {
        block_lu_solve(&one, 0, x);
    } else {
        memset(x, 0, n * sizeof *x); // step_velocity reports it
    }
    return PCS_OK;
}

// v_k + M^-1 h F, and q_k advanced with it, of a Lagrangian system without contacts
static pcs_status free_motion(const trial *t, int system, pcs_arena *mem, double **q, double **dv)
{
    const model_system *s = &t->m->system[system];
    const size_t n = (size_t)s->nv;
    *q = PCS_TAKE(mem, n, double);
    *dv = PCS_TAKE(mem, n, double);
    if (!*q || !*dv) return pcs_fail_memory("step: a Lagrangian system");
    const double *q_k = t->st->q + s->q_at, *v_k = t->st->v + s->v_at;
    for (size_t i = 0; i < n; ++i) {
        (*dv)[i] = t->h * t->F_k[(size_t)s->v_at + i];
    }
    PCS_TRY(trial_accelerate(t, system, *mem, *dv));
    for (size_t i = 0; i < n; ++i) {
        (*q)[i] = q_k[i] + t->h * (v_k[i] + (*dv)[i]);
    }
    return PCS_OK;
}

// reach, turn and gain of a carried body: the motion J (v_k + M^-1 h F), and what the exact poses
// differ from it
static pcs_status carried_reach(trial *t, int i, pcs_arena mem)
{
    const model_system *s = &t->m->system[i], *by = &t->m->system[s->carrier.id - 1];
    const size_t n = (size_t)by->nv;
    const double *q_k = t->st->q + by->q_at, *v_k = t->st->v + by->v_at, h = t->h;
    double *q, *dv, *J, pose[7], d[6], V[6] = {0}, dV[6] = {0}, bent[6];
    PCS_TRY(free_motion(t, s->carrier.id - 1, &mem, &q, &dv));
    J = PCS_TAKE(&mem, 7 * n, double);
    if (!J) return pcs_fail_memory("step: a carried body");
    PCS_TRY(carried_rows(s, by->nv, q_k, J + 6 * n, J));
    block_addmul(6, by->nv, J, v_k, V);
    block_addmul(6, by->nv, J, dv, dV);
    PCS_TRY(carried_pose(s, q, pose));
    pose_displacement(t->st->q + s->q_at, pose, d);
    for (int k = 0; k < 6; ++k) {
        bent[k] = d[k] - h * (V[k] + dV[k]);
    }
    const double bend = v3_norm(bent), twist = v3_norm(bent + 3);
    t->turn[i] = h * (v3_norm(V + 3) + v3_norm(dV + 3)) + twist;
    t->reach[i] = h * (v3_norm(V) + v3_norm(dV)) + bend + t->turn[i] * s->reach;
    t->gain[i] = v3_norm(dV) + v3_norm(dV + 3) * s->reach + 2 * (bend + twist * s->reach) / h;
    return PCS_OK;
}

// the bounds of all carried bodies
static pcs_status bound_carried(trial *t, pcs_arena mem)
{
    const pcs_model *m = t->m;
    for (int i = 0; i < m->n_systems && m->n_carried > 0; ++i) {
        const model_system *s = &m->system[i];
        if (!is_carried(m, i) || is_disabled(m, i)) continue;
        t->rounding[i] = 8 * DBL_EPSILON * (largest(BODY_NQ, t->end.q + s->q_at) + s->reach);
        if (t->h > 0) PCS_TRY(carried_reach(t, i, mem));
    }
    return PCS_OK;
}

void trial_rotations(const trial *t, const double *q, double *R)
{
    const pcs_model *m = t->m;
    for (int b = 0; b < m->n_blocks; ++b) {
        if (skips(t, m->block_system[b])) continue;
        const model_system *s = &m->system[m->block_system[b]];
        if (s->kind == SYSTEM_BODY) quat_matrix(q + s->q_at + 3, R + 9 * (size_t)b);
    }
    for (int i = 0; i < m->n_systems && m->n_carried > 0; ++i) {
        const model_system *s = &m->system[i];
        if (is_carried(m, i)) quat_matrix(q + s->q_at + 3, R + 9 * (size_t)rotation_at(m, i));
    }
}

// where the forces at t_k act
static pcs_status place_forces(trial *t)
{
    const pcs_model *m = t->m;
    if (!t->ahead) {
        t->q_force = t->st->q; // only read
        t->end.q_force = t->end.q;
        return PCS_OK;
    }
    memcpy(t->q_force, t->st->q, (size_t)m->nq * sizeof(double));
    memcpy(t->end.q_force, t->end.q, (size_t)m->nq * sizeof(double));
    for (int i = 0; i < m->n_systems; ++i) {
        const model_system *s = &m->system[i];
        if (!t->ahead[i] || s->disabled || skips(t, i)) continue;
        system_advance(s, t->st->q + s->q_at, -0.5 * t->h, t->st->v + s->v_at, m->scheme.update,
                       t->q_force + s->q_at);
    }
    return model_carry(m, t->q_force);
}

pcs_status trial_begin(const pcs_model *m, const pcs_state *st, pcs_work *wk, double h,
                       pcs_arena *mem, trial *t)
{
    *t = (trial){.m = m, .st = st, .work = wk, .h = h, .share = 1};
    t->rule = pcs_scheme_activation(&m->scheme);
    t->size = model_size(m);
    t->proj_tol = m->scheme.proj_tol > 0 ? m->scheme.proj_tol : MODEL_OVERLAP * t->size;
    t->hold = HOLD * h * st->memory->velocity_tol;
    skip_begin(st, h, t);
    PCS_TRY(take_runs(t, mem));
    PCS_TRY(step_find_ahead(t, mem));
    PCS_TRY(take_vectors(t, mem));
    if (law_is_asked(m)) {
        t->laws = PCS_TAKE(mem, 1, law_cache);
        if (!t->laws) return pcs_fail_memory("step");
        *t->laws = (law_cache){0};
    }
    memcpy(t->end.q, st->q, (size_t)m->nq * sizeof(double));
    trial_copy(t, st->v, t->end.v);
    memset(t->reach, 0, 4 * (size_t)m->n_systems * sizeof(double));
    PCS_TRY(driven_begin(t, mem));
    PCS_TRY(place_forces(t));
    if (m->n_forces > 0 && h > 0) {
        PCS_TRY(couple_begin(t, mem, &t->joined));
        PCS_TRY(couple_start(t, *mem));
    }

    for (int i = 0; i < m->n_systems; ++i) {
        const model_system *s = &m->system[i];
        t->end.theta[i] = m->scheme.theta;
        if (skips(t, i)) {
            t->rounding[i] = wk->skip.rounding[i];
            memset(t->F_k + s->v_at, 0, BODY_NV * sizeof(double));
            memset(t->end.R + s->v_at, 0, BODY_NV * sizeof(double));
            memset(t->end.v + s->v_at, 0, BODY_NV * sizeof(double));
            continue;
        }
        if (!system_normalise(s, t->end.q + s->q_at)) {
            char words[PART_WORDS];
            return pcs_fail(PCS_ERR_ARG, "step: the quaternion of %s is zero",
                            part_words(m, PART_SYSTEM, "system ", i + 1, words));
        }
        // without a new rounding error of the norm
        if (s->disabled) {
            memcpy(t->end.q + s->q_at, st->q + s->q_at, (size_t)s->nq * sizeof(double));
        }
        if (s->nv == 0) continue;
        const double *q_end = t->end.q + s->q_at;
        const bool body = s->kind == SYSTEM_BODY;
        const double far = body ? largest(BODY_NQ, q_end) : largest(s->nq, q_end);
        t->rounding[i] = 8 * DBL_EPSILON * (far + s->reach);
        if (h == 0) continue; // at a frozen configuration no force acts

        const system_force F = force_at(t->Fk, s->v_at);
        const double *q = st->q + s->q_at, *v = st->v + s->v_at;
        double *sum = t->F_k + s->v_at;
        PCS_TRY(system_forces(m, s, st->t, t->q_force + s->q_at, v, F));
        if (s->forces > 0) couple_add_start(t, s, F);
        if (body) {
            add_up(BODY_NV, F, sum);
            t->reach[i] = body_reach(s, q, v, sum, h, &t->turn[i], &t->gain[i]);
        } else {
            add_up(s->nv, F, sum);
        }
    }

    PCS_TRY(bound_carried(t, *mem));

    // a rule that predicts beyond the end of the step needs candidates further away
    const double ahead = m->scheme.gamma;
    for (int i = 0; i < m->n_systems && ahead > 1; ++i) {
        t->reach[i] *= ahead;
        t->turn[i] *= ahead;
    }
    return PCS_OK;
}
