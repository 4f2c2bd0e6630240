// The energy balance of a step (theory 7.6). With constant M the identity
//
//     K' - K_k = 1/2 (v' + v_k)^T M (v' - v_k) = vbar^T ( h F_theta + H^T p + R_left ),
//
// vbar = (v' + v_k) / 2, is exact; a mass that varies adds its change. Every term is computed
// separately, so that the remainder is an error and not a definition.
#include "step/step.h"

#include <string.h>

#include "step/couple.h"

// loops over the velocities of a body get a constant n: they are short

static inline double dot(const double *a, const double *b, int n)
{
    double s = 0;
    for (int i = 0; i < n; ++i) {
        s += a[i] * b[i];
    }
    return s;
}

// mean of a force, with the part of its end, times vbar times h
static inline double work_of(const trial *t, double part, const double *Fk, const double *F1, int n,
                             const double *vbar)
{
    double s = 0;
    for (int i = 0; i < n; ++i) {
        s += vbar[i] * (part * F1[i] + (1 - part) * Fk[i]);
    }
    return t->h * s;
}

// 1/2 v^T M v with M at q (Lagrangian systems with a mass callback evaluate it there)
static inline pcs_status kinetic(const model_system *s, int n, const double *q, const double *v,
                                 double *M, double *Mv, double *out)
{
    if (s->varies) PCS_TRY(system_mass(s, q, M));
    system_mass_mul(s, M, v, Mv);
    *out = 0.5 * dot(v, Mv, n);
    return PCS_OK;
}

// adds the terms of block b, of n velocities; M and Mv are memory for its mass and momentum
static inline pcs_status add_block(const trial *t, int b, int n, double *M, double *Mv,
                                   pcs_energy *e)
{
    const pcs_model *m = t->m;
    const model_system *s = &m->system[m->block_system[b]];
    const int at = s->v_at;
    const double *v_k = t->st->v + at, *v = t->end.v + at;
    const double *q_k = t->st->q + s->q_at;
    const double *q = (t->end.q_free ? t->end.q_free : t->end.q) + s->q_at;
    double *vbar = t->end.v_mean + at;
    for (int i = 0; i < n; ++i) {
        vbar[i] = 0.5 * (v[i] + v_k[i]);
    }
    if (s->disabled) return PCS_OK;

    // energies at both ends; K' belongs to the coordinates before the projection
    double K_k, K, V_k, V, V_projected;
    PCS_TRY(kinetic(s, n, q_k, v_k, M, Mv, &K_k));
    PCS_TRY(kinetic(s, n, q, v, M, Mv, &K));
    PCS_TRY(system_potential(m, s, q_k, &V_k));
    PCS_TRY(system_potential(m, s, q, &V));
    V_projected = V;
    if (t->end.q_free) PCS_TRY(system_potential(m, s, t->end.q + s->q_at, &V_projected));

    // a mass that varies: the change of K beyond that with the M of the scheme
    if (s->varies) {
        const double *Mt = t->end.M + m->block_off[b];
        system_mass_mul(s, Mt, v, Mv);
        double fixed = 0.5 * dot(v, Mv, n);
        system_mass_mul(s, Mt, v_k, Mv);
        fixed -= 0.5 * dot(v_k, Mv, n);
        e->mass += (K - K_k) - fixed;

        // the projection may change M, and with it the kinetic energy of the same velocity
        double K_projected = K;
        if (t->end.q_free) PCS_TRY(kinetic(s, n, t->end.q + s->q_at, v, M, Mv, &K_projected));
        e->mass += K_projected - K;
        K = K_projected;
    }

    const double part = step_force_part(t, m->block_system[b]);
    const system_force Fk = force_at(t->Fk, at), F1 = trial_end_force(t, s);
    const double conservative = work_of(t, part, Fk.conservative, F1.conservative, n, vbar);
    e->conservative += conservative;
    if (!s->plain) {
        e->forces += work_of(t, part, Fk.other, F1.other, n, vbar);
        e->gyroscopic += work_of(t, part, Fk.gyroscopic, F1.gyroscopic, n, vbar);
    }
    const double *R = t->end.R + at, *p = t->end.p + at;
    if (t->stiff) e->joints += step_tension_work(t, b);
    double newton = e->newton;
    for (int i = 0; i < n; ++i) {
        newton += vbar[i] * (R[i] - p[i]);
    }
    e->newton = newton;
    e->kinetic_before += K_k;
    e->kinetic_after += K;
    e->potential_before += V_k;
    e->potential_after += V_projected;
    e->integrator += (V - V_k) + conservative;
    e->projection += V_projected - V;
    return PCS_OK;
}

static pcs_status system_ledger(const trial *t, int b, pcs_arena mem, pcs_energy *e)
{
    const model_system *s = &t->m->system[t->m->block_system[b]];
    if (s->kind == SYSTEM_BODY) {
        double Mv[BODY_NV], M[BODY_NV * BODY_NV];
        return add_block(t, b, BODY_NV, M, Mv, e);
    }
    const size_t n = (size_t)s->nv;
    double *Mv = PCS_TAKE(&mem, n, double), *M = PCS_TAKE(&mem, s->varies ? n * n : 0, double);
    if (!Mv || !M) return pcs_fail_memory("step: the ledger");
    return add_block(t, b, s->nv, M, Mv, e);
}

// candidates per piece: the threads add up pieces, and the sum is that of the pieces
enum { PIECE = 256 };

// contact work, row by row, with the mean of the local velocities
typedef struct working {
    const trial *t;
    double *ubar;
    pcs_energy *piece;
} working;

static void contact_work(const working *w, int i, pcs_energy *e)
{
    const trial *t = w->t;
    const candidate *c = &t->list.c[i];
    const bool limited = c->law.kind == PCS_LAW_LIMITED;
    double work = 0, tangential = 0, *u = w->ubar + c->at;
    bodies_block_velocity(&t->list.k[i], t->m->block_start, t->rotation, t->end.v_mean, u);
    for (int j = 0; j < c->dim; ++j) {
        // the law does work on the relative velocity, a driven body on the body that it pushes
        const double drive = c->drive ? 0.5 * (c->drive_k[j] + c->drive[j]) : 0;
        const double part = (u[j] + drive) * t->solution.r[c->at + j];
        if (limited) {
            // of a motor all of its work, of friction the loss
            *(c->timed ? &e->prescribed : &tangential) += u[j] * t->solution.r[c->at + j];
            continue;
        }
        e->prescribed -= drive * t->solution.r[c->at + j];
        if (j > 0 && candidate_cone(c) == PCS_CONE_COULOMB) {
            tangential += part;
        } else {
            work += part;
        }
    }
    e->tangential += tangential;
    if (c->law.kind == PCS_LAW_EQUALITY) {
        e->joints += work;
    } else {
        e->normal += work;
    }
}

static void work_pieces(void *arg, int begin, int end)
{
    const working *w = arg;
    for (int k = begin; k < end; ++k) {
        w->piece[k] = (pcs_energy){0};
        for (int i = k * PIECE; i < (k + 1) * PIECE && i < w->t->list.n; ++i) {
            if (w->t->list.c[i].active) contact_work(w, i, &w->piece[k]);
        }
    }
}

static pcs_status add_contact_work(const trial *t, pcs_arena mem, pcs_energy *e)
{
    const int pieces = (t->list.n + PIECE - 1) / PIECE;
    double *ubar = PCS_TAKE(&mem, (size_t)t->solution.rows, double);
    pcs_energy *piece = PCS_TAKE(&mem, (size_t)pieces, pcs_energy);
    if (!ubar || !piece) return pcs_fail_memory("step: the ledger");
    working w = {t, ubar, piece};
    threads_each(pieces > 1 ? t->work->team : NULL, pieces, work_pieces, &w);
    for (int k = 0; k < pieces; ++k) {
        e->prescribed += piece[k].prescribed;
        e->tangential += piece[k].tangential;
        e->joints += piece[k].joints;
        e->normal += piece[k].normal;
    }
    return PCS_OK;
}

pcs_status step_ledger(const trial *t, pcs_arena mem, pcs_energy *e)
{
    *e = (pcs_energy){0};
    for (int b = 0; b < t->m->n_blocks; ++b) {
        const int system = t->m->block_system[b];
        if (skips(t, system)) {
            e->potential_before += t->work->skip.potential[system];
            e->potential_after += t->work->skip.potential[system];
            continue;
        }
        PCS_TRY(system_ledger(t, b, mem, e));
    }
    if (t->joined) PCS_TRY(couple_ledger(t, e));
    if (t->solution.rows > 0) PCS_TRY(add_contact_work(t, mem, e));
    e->closure = e->kinetic_after - e->kinetic_before -
                 (e->forces + e->conservative + e->gyroscopic + e->normal + e->tangential +
                  e->joints + e->prescribed + e->mass + e->newton);
    return PCS_OK;
}
