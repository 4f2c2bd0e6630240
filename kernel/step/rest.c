// Certified sleep. An island (systems that contacts within reach and joints connect) sleeps when it
// is proven that it rests: impulses r in the cones of its contacts balance its loads to rounding,
//
//     H^T r + h F(t + h, q, 0) = 0,   r in K,
//
// so that v' = 0 with r solves the velocity problem, now and in every later step with the same
// loads. The state carries the proof: velocities that are zero, and remembered forces r / h that
// are marked. Every step tests it again at the present loads, rows and contacts, which costs a
// product with H^T and no solve; where it fails, for whatever reason, the island is awake in this
// step.
//
// The search for r starts from the impulses of a step that may be at rest; after 8, 16, 32 ... such
// steps in a row. In these no velocity of a contact that carries is larger than the error of the
// solver. A body may be faster: where the lowest contacts of a column open and close by that error,
// its top moves by the error times height over width. But contacts that carry must explain all of
// the motion: the part of the velocities that they do not resist, as of a ball that rolls, is no
// larger than the error.
#include "step/rest.h"

#include <string.h>

#include "cone/cone.h"
#include "forces/forces.h"
#include "linalg/m3.h"

// number of steps at rest before the first search for a proof
#define FIRST_SEARCH 8

// contacts and bodies rest that move no faster than this many errors of the velocities
#define ERRORS 10

// relative amount by which rounding moves an impulse out of its cone
#define OUT_OF_CONE 1e-12

// ---- islands -----------------------------------------------------------------------------------

// islands of all systems, by candidates: also by those without an impulse
static pcs_status join_all(const trial *t, pcs_arena *mem, int **up)
{
    const int ns = t->m->n_systems;
    *up = PCS_TAKE(mem, (size_t)ns, int);
    if (!*up) return pcs_fail_memory("step: bodies at rest");
    for (int s = 0; s < ns; ++s) {
        (*up)[s] = s;
    }
    for (int i = 0; i < t->list.n; ++i) {
        step_join(t, &t->list.c[i], *up);
    }
    return PCS_OK;
}

// the systems that a force element acts on
static void find_pulled(const pcs_model *m, bool *pulled)
{
    memset(pulled, 0, (size_t)m->n_systems * sizeof *pulled);
    for (int i = 0; i < m->n_forces; ++i) {
        const model_force *f = &m->force[i];
        for (int e = 0; e < 2 && force_acts(m, f); ++e) {
            if (f->system[e] >= 0) pulled[f->system[e]] = true;
        }
    }
}

// true for a body that may sleep: a plain one, on which no force element acts
static bool may_rest(const trial *t, int system)
{
    const model_system *s = &t->m->system[system];
    return s->kind == SYSTEM_BODY && s->nv == BODY_NV && !s->disabled && !s->added &&
           !t->pulled[system] && !is_mapped(t->m, system);
}

static bool drives(int n, const double *u)
{
    for (int i = 0; u && i < n; ++i) {
        if (u[i] != 0) return true;
    }
    return false;
}

// true for rows that can hold bodies at rest: not a motor, nor friction of a joint, nor what moves
static bool may_hold(const candidate *c)
{
    return c->law.kind != PCS_LAW_LIMITED && !c->timed && c->dim <= BODY_NV &&
           !drives(c->dim, c->drive_k) && !drives(c->dim, c->drive);
}

static int mover_of(const trial *t, const candidate *c)
{
    return system_moves(t->m, c->sys1) ? c->sys1 : system_moves(t->m, c->sys2) ? c->sys2 : -1;
}

// h F at the end of the step, at rest, of one system
static pcs_status load_of(const trial *t, int system, double *load)
{
    const model_system *s = &t->m->system[system];
    double F[3 * BODY_NV];
    const system_force at = {F, F + BODY_NV, F + 2 * BODY_NV};
    const double rest[BODY_NV] = {0};
    PCS_TRY(system_forces(t->m, s, t->st->t + t->h, t->st->q + s->q_at, rest, at));
    for (int i = 0; i < BODY_NV; ++i) {
        load[s->v_at + i] = t->h * (at.conservative[i] + at.other[i] + at.gyroscopic[i]);
    }
    return PCS_OK;
}

// ---- held from the start -----------------------------------------------------------------------

static bool in_cone(const bodies_block *k, const double *r)
{
    if (k->cone == PCS_CONE_EQUALITY) return true;
    if (k->cone == PCS_CONE_UNILATERAL) return r[0] >= 0;
    return r[0] >= 0 && cone_tangent(k->dim, r) <= k->mu * r[0] * (1 + OUT_OF_CONE);
}

// the systems that claim to sleep: bodies without velocity, with marked contacts only
static void find_claims(const trial *t, bool *claims)
{
    const pcs_model *m = t->m;
    for (int s = 0; s < m->n_systems; ++s) {
        claims[s] = false;
    }
    for (int i = 0; i < t->list.n; ++i) {
        const candidate *c = &t->list.c[i];
        const int sys[2] = {c->sys1, c->sys2};
        for (int side = 0; c->rests == RESTS_PROVEN && side < 2; ++side) {
            if (system_moves(m, sys[side])) claims[sys[side]] = true;
        }
    }
    for (int s = 0; s < m->n_systems; ++s) {
        const model_system *of = &m->system[s];
        if (!claims[s]) continue;
        claims[s] = may_rest(t, s) && step_is_zero(t->st->v + of->v_at, of->nv);
    }
}

// Removes the claims of islands with a system that is awake, with a contact that the proof did not
// know, or whose proof does not hold
static pcs_status test_claims(const trial *t, pcs_arena mem, candidates *list, bool *claims)
{
    const pcs_model *m = t->m;
    const size_t ns = (size_t)m->n_systems, nv = (size_t)m->nv, n = (size_t)list->n;
    int *up, rows = 0;
    PCS_TRY(join_all(t, &mem, &up));
    bool *awake = PCS_TAKE(&mem, ns, bool);
    unsigned char *take = PCS_TAKE(&mem, n, unsigned char);
    double *load = PCS_TAKE(&mem, nv, double), *left = PCS_TAKE(&mem, ns, double);
    for (int i = 0; i < list->n; ++i) {
        list->k[i].row = rows;
        rows += list->c[i].dim;
    }
    double *r = PCS_TAKE(&mem, (size_t)rows, double);
    if (!awake || !take || !load || !left || !r) return pcs_fail_memory("step: bodies at rest");
    memset(awake, 0, ns * sizeof *awake);
    memset(load, 0, nv * sizeof *load);
    for (int s = 0; s < m->n_systems; ++s) {
        if (system_moves(m, s) && !claims[s]) awake[island_root(up, s)] = true;
        if (claims[s]) PCS_TRY(load_of(t, s, load));
    }
    for (int i = 0; i < list->n; ++i) {
        const candidate *c = &list->c[i];
        const int of = mover_of(t, c);
        memcpy(r + list->k[i].row, c->r, (size_t)c->dim * sizeof *r);
        if (of < 0) continue;
        const bool good = c->rests == RESTS_PROVEN && may_hold(c) && in_cone(&list->k[i], c->r);
        if (!good) awake[island_root(up, of)] = true;
    }
    for (int i = 0; i < list->n; ++i) {
        const int of = mover_of(t, &list->c[i]);
        take[i] = of >= 0 && !awake[island_root(up, of)];
    }
    const bodies_problem all = {
        .n = rows, .nb = list->n, .block = list->k, .A = &t->solution.lu, .R = t->rotation};
    PCS_TRY(bodies_imbalance(&all, take, load, r, mem, left));
    for (int s = 0; s < m->n_systems; ++s) {
        if (claims[s] && !(left[m->system[s].block] <= BODIES_BALANCED)) {
            awake[island_root(up, s)] = true;
        }
    }
    for (int s = 0; s < m->n_systems; ++s) {
        claims[s] = claims[s] && !awake[island_root(up, s)];
    }
    return PCS_OK;
}

// copies what the state remembers of a held candidate, which does not change while it sleeps
static pcs_status keep_memory(const trial *t, candidate *c, int *hint, pcs_arena *mem)
{
    const int n = remembers_force(c) ? 1 : c->dim;
    c->kept = PCS_TAKE(mem, (size_t)n, remembered);
    if (!c->kept) return pcs_fail_memory("step: bodies at rest");
    for (int j = 0; j < n; ++j) {
        contact_key key = c->key;
        if (c->interaction >= 0) key.feature = (unsigned)(c->joint->row + j);
        const remembered *r = remembers_force(c) ? c->recalled : state_recall(t->st, key, hint);
        c->kept[j] = r ? *r : (remembered){.key = key, .active = RESTS_PROVEN + 1};
    }
    c->n_kept = n;
    return PCS_OK;
}

pcs_status step_hold(trial *t, pcs_arena *mem, candidates *list)
{
    const pcs_model *m = t->m;
    const size_t ns = (size_t)m->n_systems;
    bool any = false;
    if (!m->scheme.sleep) return PCS_OK;
    t->held = PCS_TAKE(mem, ns, bool);
    t->slept = PCS_TAKE(mem, ns, bool);
    t->pulled = PCS_TAKE(mem, ns, bool);
    if (!t->held || !t->slept || !t->pulled) return pcs_fail_memory("step: bodies at rest");
    find_pulled(m, t->pulled);
    find_claims(t, t->held);
    for (int s = 0; s < m->n_systems; ++s) {
        any = any || t->held[s];
    }
    if (any) PCS_TRY(test_claims(t, *mem, list, t->held));
    for (int s = 0; s < m->n_systems; ++s) {
        if (skips(t, s)) {
            t->held[s] = true;
            t->n_held += 1;
            continue;
        }
        if (!t->held[s]) continue;
        const model_system *of = &m->system[s];
        const size_t at = (size_t)of->v_at, size = BODY_NV * sizeof(double);
        t->n_held += 1;
        // without a new rounding error of the norm of its quaternion
        memcpy(t->end.q + of->q_at, t->st->q + of->q_at, BODY_NQ * sizeof(double));
        memset(t->F_k + at, 0, size);
        const system_force F[2] = {force_at(t->Fk, (int)at), force_at(t->end.F1, (int)at)};
        for (int k = 0; k < 2; ++k) {
            memset(F[k].conservative, 0, size);
            memset(F[k].other, 0, size);
            memset(F[k].gyroscopic, 0, size);
        }
    }
    t->n_slept = t->n_held;
    memcpy(t->slept, t->held, ns * sizeof *t->held);
    for (int i = 0, hint = 0; i < list->n; ++i) {
        candidate *c = &list->c[i];
        const int of = mover_of(t, c);
        c->held = of >= 0 && t->held[of];
        if (!c->held) continue;
        c->active = false;
        PCS_TRY(keep_memory(t, c, &hint, mem));
    }
    return PCS_OK;
}

void step_wake_moved(trial *t, candidates *list)
{
    const pcs_model *m = t->m;
    for (int s = 0; t->held && s < m->n_systems; ++s) {
        const int at = m->system[s].q_at;
        if (!t->held[s] || skips(t, s)) continue;
        if (memcmp(t->end.q + at, t->st->q + at, BODY_NQ * sizeof(double)) == 0) continue;
        t->held[s] = t->slept[s] = false;
        t->n_held -= 1;
        t->n_slept -= 1;
    }
    for (int i = 0; t->held && i < list->n; ++i) {
        candidate *c = &list->c[i];
        const int sys[2] = {c->sys1, c->sys2};
        for (int side = 0; c->held && side < 2; ++side) {
            if (!system_moves(m, sys[side]) || t->held[sys[side]]) continue;
            for (int j = 0; j < c->n_kept; ++j) {
                c->kept[j].active = RESTS_WOKEN + 1;
            }
        }
    }
}

// ---- falling asleep ----------------------------------------------------------------------------

// speed of the fastest point of a body
static double fastest(const model_system *s, const double *v)
{
    return v3_norm(v) + v3_norm(v + 3) * s->reach;
}

// the islands at rest in this step, at their roots, and for how many steps in a row
typedef struct resting {
    int *up;
    int *steps;  // at the root; 0: it is not at rest
    int *bodies; // at the root: their number
    bool *tried;
} resting;

static bool carries(const trial *t, const candidate *c)
{
    if (!c->active || c->at < 0) return false;
    return c->law.kind == PCS_LAW_EQUALITY || t->solution.r[c->at] > 0;
}

// true when the velocities of a contact that carries are within the error, at both ends of the step
static bool is_slow(const trial *t, int i, double slow)
{
    const candidate *c = &t->list.c[i];
    double u[BODY_NV];
    candidate_velocity(t, i, t->end.v, c->drive, u);
    for (int j = 0; j < c->dim; ++j) {
        if (!(fabs(u[j]) <= slow && fabs(c->u_k[j]) <= slow)) return false;
    }
    return true;
}

static double error_of(const trial *t)
{
    return ERRORS * t->st->memory->velocity_tol;
}

// true when the projection has not moved a body
static bool stays(const trial *t, const model_system *of)
{
    const double *before = t->end.q_free;
    return !before || memcmp(before + of->q_at, t->end.q + of->q_at, BODY_NQ * sizeof(double)) == 0;
}

static pcs_status find_resting(const trial *t, pcs_arena *mem, candidates *list, resting *out)
{
    const pcs_model *m = t->m;
    const size_t ns = (size_t)m->n_systems;
    PCS_TRY(join_all(t, mem, &out->up));
    out->steps = PCS_TAKE(mem, ns, int);
    out->bodies = PCS_TAKE(mem, ns, int);
    out->tried = PCS_TAKE(mem, ns, bool);
    if (!out->steps || !out->bodies || !out->tried) {
        return pcs_fail_memory("step: bodies at rest");
    }
    const double slow = error_of(t);
    for (int s = 0; s < m->n_systems; ++s) {
        out->steps[s] = RESTS_MOST;
        out->bodies[s] = 0;
        out->tried[s] = false;
    }
    for (int s = 0; s < m->n_systems; ++s) {
        if (!t->held[s] && system_moves(m, s)) out->bodies[island_root(out->up, s)] += 1;
    }
    for (int s = 0; s < m->n_systems; ++s) {
        const model_system *of = &m->system[s];
        if (!system_moves(m, s)) continue;
        // errors of k contacts in a column of n cubes, each times 2 (n - k), have this sum of
        // squares
        const int root = island_root(out->up, s), n = out->bodies[root];
        const double most = slow * n * sqrt(n);
        const bool rests = !t->held[s] && may_rest(t, s) && stays(t, of) &&
                           fastest(of, t->st->v + of->v_at) <= most &&
                           fastest(of, t->end.v + of->v_at) <= most;
        if (!rests) out->steps[root] = -1;
    }
    for (int i = 0; i < list->n; ++i) {
        const candidate *c = &list->c[i];
        const int of = mover_of(t, c);
        if (of < 0) continue;
        int *steps = &out->steps[island_root(out->up, of)];
        if (!may_hold(c)) *steps = -1;
        if (*steps >= 0 && carries(t, c) && !is_slow(t, i, slow)) *steps = -1;
        if (c->active && c->rests < *steps) *steps = c->rests;
    }
    for (int s = 0; s < m->n_systems; ++s) {
        out->steps[s] = out->steps[s] < RESTS_MOST ? out->steps[s] + 1 : 0;
    }
    for (int i = 0; i < list->n; ++i) {
        candidate *c = &list->c[i];
        const int of = mover_of(t, c);
        c->rests = of < 0 ? 0 : out->steps[island_root(out->up, of)];
    }
    return PCS_OK;
}

static bool is_time(int steps)
{
    return steps >= FIRST_SEARCH && (steps & (steps - 1)) == 0;
}

// freezes the islands whose bodies all hold: the impulses r of the proof replace those of the step
static pcs_status freeze(trial *t, const double *r, const bool *holds, resting *at, pcs_arena *mem,
                         candidates *list)
{
    const pcs_model *m = t->m;
    for (int s = 0; s < m->n_systems; ++s) {
        if (!system_moves(m, s)) continue;
        bool *tried = &at->tried[island_root(at->up, s)];
        *tried = *tried && holds[m->system[s].block];
    }
    for (int s = 0; s < m->n_systems; ++s) {
        const model_system *of = &m->system[s];
        if (!system_moves(m, s) || !at->tried[island_root(at->up, s)]) continue;
        t->held[s] = true;
        t->n_held += 1;
        double *v = t->end.v + of->v_at, *R = t->end.R + of->v_at, Mv[BODY_NV];
        memset(v, 0, BODY_NV * sizeof *v);
        memcpy(t->end.q + of->q_at, t->st->q + of->q_at, BODY_NQ * sizeof *v);
        if (t->end.q_free) {
            memcpy(t->end.q_free + of->q_at, t->st->q + of->q_at, BODY_NQ * sizeof *v);
        }
        memset(t->end.p + of->v_at, 0, BODY_NV * sizeof *v);
        // the residual of the ledger: M (v' - v_k) - h F
        const system_force F = trial_end_force(t, of), F_k = force_at(t->Fk, of->v_at);
        const double part = step_force_part(t, s);
        system_mass_mul(of, NULL, t->st->v + of->v_at, Mv);
        for (int i = 0; i < BODY_NV; ++i) {
            const double F_1 = F.conservative[i] + F.other[i] + F.gyroscopic[i];
            const double F_0 = F_k.conservative[i] + F_k.other[i] + F_k.gyroscopic[i];
            R[i] = -Mv[i] - t->h * (part * F_1 + (1 - part) * F_0);
        }
    }
    for (int i = 0; i < list->n; ++i) {
        candidate *c = &list->c[i];
        const int of = mover_of(t, c);
        if (of < 0 || !t->held[of] || c->held) continue;
        c->held = true;
        for (int j = 0; j < c->dim; ++j) {
            c->r[j] = c->active ? r[c->at + j] : 0;
            if (c->active) t->solution.r[c->at + j] = c->r[j];
        }
        if (c->active) {
            bodies_block_impulse(&list->k[i], m->block_start, t->rotation, c->r, t->end.p);
        }
        c->n_kept = remembers_force(c) ? 1 : c->dim;
        c->kept = PCS_TAKE(mem, (size_t)c->n_kept, remembered);
        if (!c->kept) return pcs_fail_memory("step: bodies at rest");
        double f[3] = {0}, F[3];
        for (int j = 0; j < c->dim && j < 3; ++j) {
            f[j] = c->r[j] / t->h;
        }
        m3_mul(candidate_first(list, i)->F, f, F);
        for (int j = 0; j < c->n_kept; ++j) {
            contact_key key = c->key;
            if (c->interaction >= 0) key.feature = (unsigned)(c->joint->row + j);
            c->kept[j] =
                (remembered){.key = key, .active = RESTS_PROVEN + 1, .r = {c->r[j] / t->h, 0, 0}};
            if (remembers_force(c)) v3_copy(F, c->kept[j].r);
        }
    }
    return PCS_OK;
}

// The contacts of the islands that are tried, block by block of the problem. One that is open
// carries nothing at rest: what the step has there is an error of the solver, or closes it
static void choose(const trial *t, const resting *at, unsigned char *take, double *r)
{
    const double closed = step_tolerance(t);
    for (int i = 0, b = 0; i < t->list.n; ++i) {
        const candidate *c = &t->list.c[i];
        if (!c->active) continue;
        const int of = mover_of(t, c);
        const bool open = law_is_unilateral(&c->law) && c->g[0] > closed;
        take[b++] = !open && of >= 0 && at->tried[island_root(at->up, of)];
        if (open) memset(r + c->at, 0, (size_t)c->dim * sizeof *r);
    }
}

pcs_status step_fall_asleep(trial *t, pcs_arena *mem, candidates *list)
{
    const pcs_model *m = t->m;
    resting at;
    bool any = false;
    if (!m->scheme.sleep || !t->held) return PCS_OK;
    PCS_TRY(find_resting(t, mem, list, &at));
    for (int s = 0; s < m->n_systems; ++s) {
        at.tried[s] = at.up[s] == s && system_moves(m, s) && is_time(at.steps[s]);
        any = any || at.tried[s];
    }
    if (!any || t->solution.rows == 0) return PCS_OK;
    const bodies_problem *b = &t->solution.problem;
    double *r = PCS_TAKE(mem, (size_t)b->n, double);
    double *load = PCS_TAKE(mem, (size_t)m->nv, double);
    double *free = PCS_TAKE(mem, (size_t)m->nv, double);
    bool *holds = PCS_TAKE(mem, (size_t)m->n_blocks, bool);
    unsigned char *take = PCS_TAKE(mem, (size_t)b->nb, unsigned char);
    if (!r || !load || !free || !holds || !take) return pcs_fail_memory("step: bodies at rest");
    memcpy(r, t->solution.r, (size_t)b->n * sizeof *r);
    memset(load, 0, (size_t)m->nv * sizeof *load);
    block_lu F = t->solution.lu;
    for (int s = 0; s < m->n_systems; ++s) {
        if (!system_moves(m, s) || !at.tried[island_root(at.up, s)]) continue;
        PCS_TRY(load_of(t, s, load));
        // where force elements join blocks, the step has not the factors of single ones
        const int k = m->system[s].block;
        if (t->joined) PCS_TRY(step_block_factors(t, k, *mem, &F, t->solution.lu_kind, k));
    }
    choose(t, &at, take, r);
    PCS_TRY(bodies_balance(b, take, load, t->end.v, *mem, r, holds, free));
    for (int s = 0; s < m->n_systems; ++s) {
        const model_system *of = &m->system[s];
        if (!system_moves(m, s) || !holds[of->block]) continue;
        holds[of->block] = fastest(of, free + of->v_at) <= error_of(t);
    }
    return freeze(t, r, holds, &at, mem, list);
}

// ---- by the caller -----------------------------------------------------------------------------

// true when a remembered contact is one of a system; system 0: any
static bool is_of(const pcs_model *m, const remembered *c, int id)
{
    const contact_key *k = &c->key;
    if (is_broken_key(k)) return false;
    if (id == 0) return true;
    if (k->shape1 < 0) {
        const pcs_interaction_def *def = &m->interaction[k->shape2];
        return k->shape2 < m->n_interactions && (def->system1.id == id || def->system2.id == id);
    }
    if (k->shape1 >= m->n_shapes || k->shape2 >= m->n_shapes) return false;
    return m->shape[k->shape1].system == id - 1 || m->shape[k->shape2].system == id - 1;
}

pcs_status pcs_state_wake(const pcs_model *m, pcs_state *st, pcs_system system)
{
    if (!m || !st || system.id < 0 || system.id > m->n_systems) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_state_wake: an argument is null, or there is no system %d", system.id);
    }
    for (int i = 0; i < st->memory->n; ++i) {
        remembered *c = &st->memory->contact[i];
        // the forces of the proof stay as a start of the solver, which need not know the step
        if (is_of(m, c, system.id) && c->active == RESTS_PROVEN + 1) c->active = RESTS_WOKEN + 1;
    }
    state_touch(st);
    return PCS_OK;
}

bool pcs_state_asleep(const pcs_model *m, const pcs_state *st, pcs_system system)
{
    const model_system *s = model_find(m, system);
    bool some = false;
    if (!s || !st || s->nv == 0 || !step_is_zero(st->v + s->v_at, s->nv)) return false;
    for (int i = 0; i < st->memory->n; ++i) {
        const remembered *c = &st->memory->contact[i];
        if (!is_of(m, c, system.id)) continue;
        if (c->active != RESTS_PROVEN + 1) return false;
        some = true;
    }
    return some;
}

// ---- steps in which everything sleeps ----------------------------------------------------------

// sums that change with any bit of q
static uint64_t check_sum(const double *q, int n)
{
    uint64_t a[4] = {1, 2, 3, 4}, b[4] = {0};
    int i = 0;
    for (; i + 4 <= n; i += 4) { // four sums fill registers
        uint64_t bits[4];
        memcpy(bits, q + i, sizeof bits);
        for (int k = 0; k < 4; ++k) {
            a[k] += bits[k];
            b[k] += a[k];
        }
    }
    for (; i < n; ++i) {
        uint64_t bits;
        memcpy(&bits, q + i, sizeof bits);
        a[i & 3] += bits;
        b[i & 3] += a[i & 3];
    }
    uint64_t sum = 0;
    for (int k = 0; k < 4; ++k) {
        sum = (sum ^ a[k]) * 0x9E3779B97F4A7C15u;
        sum = (sum ^ b[k]) * 0x9E3779B97F4A7C15u;
    }
    return sum;
}

// true when nothing outside of the model and the state can change the loads
static bool is_autonomous(const pcs_model *m)
{
    if (m->n_driven > 0 || m->n_carried > 0 || m->n_forces > 0 || m->n_interactions > 0 ||
        m->filter || m->combine) {
        return false;
    }
    for (int s = 0; s < m->n_systems; ++s) {
        const model_system *of = &m->system[s];
        if (of->kind == SYSTEM_LAGRANGIAN || of->body_force) return false;
    }
    return true;
}

void step_remember_rest(const pcs_model *m, const pcs_state *st, pcs_work *wk, double h, int slept,
                        const pcs_step_report *out)
{
    int moving = 0;
    wk->rest.known = false;
    if (!m->scheme.sleep || slept == 0 || !out->committed || out->substeps != 1) return;
    for (int s = 0; s < m->n_systems; ++s) {
        moving += system_moves(m, s) && !m->system[s].disabled;
    }
    if (slept != moving || !is_autonomous(m)) return;
    wk->rest = (step_rest){.known = true,
                           .h = h,
                           .stamp = st->memory->stamp,
                           .changes = model_changes(m),
                           .q = check_sum(st->q, st->nq),
                           .report = *out};
}

bool step_rests(const pcs_model *m, pcs_state *st, pcs_work *wk, double h, pcs_step_report *out)
{
    const step_rest *rest = &wk->rest;
    if (!rest->known || wk->busy || wk->owner != m || wk->events.on) return false;
    if (rest->h != h || rest->changes != model_changes(m) || st->memory->stamp != rest->stamp ||
        !isfinite(st->t) || !(st->t + h > st->t) || st->nq != m->nq || st->nv != m->nv) {
        return false;
    }
    if (!step_is_zero(st->v, st->nv) || check_sum(st->q, st->nq) != rest->q) return false;
    *out = rest->report;
    out->times = (pcs_step_times){0};
    out->seconds = out->units = 0;
    st->t += h;
    st->memory->velocity_tol *= REST_DECAY;
    return true;
}
