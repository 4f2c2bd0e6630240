// One interface for all kinds of force elements, and what an element does in a state.
#include "forces/forces.h"

#include <string.h>

#include "rotation/pose.h"
#include "systems/systems.h"

const char *force_words(const pcs_model *m, const model_force *f, char words[PART_WORDS])
{
    return part_words(m, PART_FORCE, "force element ", f->id, words);
}

bool force_acts(const pcs_model *m, const model_force *f)
{
    for (int e = 0; e < 2; ++e) {
        if (f->system[e] >= 0 && m->system[f->system[e]].disabled) return false;
        if (f->pose[e] >= 0 && m->system[f->pose[e]].disabled) return false;
    }
    return !f->disabled;
}

void force_sides(const pcs_model *m, const model_force *f, const double *q, const double *v,
                 const double *const driven[2], force_side side[2])
{
    static const double rest[6] = {0};
    for (int e = 0; e < 2; ++e) {
        side[e] = (force_side){NULL, NULL, 0};
        if (f->system[e] < 0) continue;
        const model_system *s = &m->system[f->system[e]];
        side[e].q = q + s->q_at;
        side[e].n = s->kind == SYSTEM_LAGRANGIAN ? s->nv : BODY_NV;
        side[e].v = s->nv > 0 ? v + s->v_at : driven && driven[e] ? driven[e] : rest;
    }
}

pcs_status force_evaluate(const pcs_model *m, const model_force *f, double t,
                          const force_side side[2], force_sum F, double *V)
{
    return f->carried ? carried_evaluate(m, f, t, side, F, V) : force_between(m, f, t, side, F, V);
}

pcs_status force_between(const pcs_model *m, const model_force *f, double t,
                         const force_side side[2], force_sum F, double *V)
{
    switch (f->def.kind) {
    case PCS_FORCE_SPRING:
    case PCS_FORCE_GRAVITY:
        return central_evaluate(m, f, side, F, V, NULL);
    case PCS_FORCE_USER:
        return user_force_evaluate(m, f, t, side, F, V);
    default:
        strain_evaluate(f, side, F, V, NULL);
        return PCS_OK;
    }
}

size_t force_work(const pcs_model *m, const model_force *f, const force_side side[2])
{
    const size_t N = (size_t)side[0].n + (size_t)side[1].n;
    if (f->carried) return 5 * N + 2 + force_room(m, f);
    if (f->def.kind != PCS_FORCE_USER) return 0;
    return f->def.jacobian ? N * (N + 2) : 5 * N + 2; // a pose has one number more than velocities
}

pcs_status force_jacobian(const pcs_model *m, const model_force *f, double t,
                          const force_side side[2], double *work, double *K, double *D)
{
    if (f->carried) return force_differences(m, f, t, side, work, K, D);
    switch (f->def.kind) {
    case PCS_FORCE_SPRING:
    case PCS_FORCE_GRAVITY:
        return central_jacobian(m, f, side, K, D);
    case PCS_FORCE_USER:
        return user_force_jacobian(m, f, t, side, work, K, D);
    default:
        strain_jacobian(f, side, K, D);
        return PCS_OK;
    }
}

// the largest number of velocities of an element between bodies
enum { PAIR = 2 * BODY_NV };

pcs_status force_potential(const pcs_model *m, const model_force *f, const double *q, double *V)
{
    *V = 0;
    if (!force_acts(m, f)) return PCS_OK;
    force_side side[2];
    static const double rest[6] = {0};
    for (int e = 0; e < 2; ++e) {
        const int system = f->pose[e];
        side[e] = (force_side){NULL, rest, 0};
        if (system >= 0) side[e] = (force_side){q + m->system[system].q_at, rest, BODY_NV};
    }
    if (f->def.kind == PCS_FORCE_USER) {
        if (!f->def.potential) return PCS_OK;
        const int answer = f->def.potential(f->def.user, side[0].q, side[1].q, V);
        if (answer == 0 && isfinite(*V)) return PCS_OK;
        char words[PART_WORDS];
        return pcs_fail(PCS_ERR_CALLBACK, "the potential callback of %s returned %d or gave %g",
                        force_words(m, f, words), answer, *V);
    }
    double sum[2 * PAIR];
    return force_between(m, f, 0, side, (force_sum){sum, sum + PAIR, NULL}, V);
}

// ---- the energy of a state -----------------------------------------------------------------------

pcs_status pcs_state_potential_energy(const pcs_model *m, const pcs_state *st, double *out)
{
    PCS_TRY(system_check_state("pcs_state_potential_energy", m, st, out));
    double sum = 0, V;
    for (int b = 0; b < m->n_blocks; ++b) {
        const model_system *s = &m->system[m->block_system[b]];
        if (s->disabled) continue;
        PCS_TRY(system_potential(m, s, st->q + s->q_at, &V));
        sum += V;
    }
    for (int i = 0; i < m->n_forces; ++i) {
        PCS_TRY(force_potential(m, &m->force[i], st->q, &V));
        sum += V;
    }
    *out = sum;
    return PCS_OK;
}

// ---- reading -----------------------------------------------------------------------------------

pcs_status force_check_id(const char *who, const pcs_model *m, const pcs_state *st, pcs_force force)
{
    PCS_TRY(system_check_state(who, m, st, m));
    if (force.id >= 1 && force.id <= m->n_forces) return PCS_OK;
    return pcs_fail(PCS_ERR_ARG, "%s: there is no force element %d; the model has %d, from 1", who,
                    force.id, m->n_forces);
}

pcs_status force_now(const pcs_model *m, const model_force *f, const pcs_state *st,
                     double motion[12], force_side side[2])
{
    const double *driven[2] = {NULL, NULL};
    for (int e = 0; e < 2; ++e) {
        const model_system *s = f->system[e] < 0 ? NULL : &m->system[f->system[e]];
        double q[7];
        if (!s || !s->motion) continue;
        PCS_TRY(system_motion(s, st->t, q, motion + 6 * e));
        driven[e] = motion + 6 * e;
    }
    force_sides(m, f, st->q, st->v, driven, side);
    return PCS_OK;
}

static double power_of(const force_side side[2], const double *F)
{
    double sum = 0;
    for (int e = 0, k = 0; e < 2; ++e) {
        for (int i = 0; i < side[e].n; ++i, ++k) {
            sum += F[k] * side[e].v[i];
        }
    }
    return sum;
}

static pcs_status measure(const pcs_model *m, const model_force *f, double t,
                          const force_side side[2], double *room, pcs_force_result *out)
{
    const int n1 = side[0].n, N = n1 + side[1].n;
    const force_sum F = {room, room + N, NULL};
    force_measure of = {0};
    switch (f->def.kind) {
    case PCS_FORCE_SPRING:
    case PCS_FORCE_GRAVITY:
        PCS_TRY(central_evaluate(m, f, side, F, &out->energy, &of));
        break;
    case PCS_FORCE_USER:
        PCS_TRY(user_force_evaluate(m, f, t, side, F, &out->energy));
        break;
    default:
        strain_evaluate(f, side, F, &out->energy, &of);
    }
    out->length = of.length;
    out->speed = of.speed;
    out->force = of.force;
    memcpy(out->strain, of.strain, sizeof out->strain);
    memcpy(out->stress, of.stress, sizeof out->stress);
    out->power = power_of(side, F.other);
    for (int e = 0; e < 2; ++e) {
        const bool body = f->pose[e] >= 0 && m->system[f->pose[e]].kind != SYSTEM_LAGRANGIAN;
        double *to = e == 0 ? out->F1 : out->F2;
        for (int i = 0; body && i < BODY_NV; ++i) {
            const int k = (e == 0 ? 0 : n1) + i;
            to[i] = F.conservative[k] + F.other[k];
        }
    }
    return PCS_OK;
}

static void set_points(const pcs_model *m, const model_force *f, const double *q,
                       pcs_force_result *out)
{
    const bool points = f->def.kind != PCS_FORCE_TORSION && f->def.kind != PCS_FORCE_USER;
    static const double origin[3] = {0};
    for (int e = 0; e < 2; ++e) {
        const int system = f->pose[e];
        if (system >= 0 && m->system[system].kind == SYSTEM_LAGRANGIAN) continue;
        const double *p = !points ? origin : e == 0 ? f->def.p1 : f->def.p2;
        pose_point(system < 0 ? NULL : q + m->system[system].q_at, p, e == 0 ? out->P1 : out->P2);
    }
}

pcs_status pcs_state_force(const pcs_model *m, const pcs_state *st, pcs_force force,
                           pcs_force_result *out)
{
    if (!out) return pcs_fail(PCS_ERR_ARG, "pcs_state_force: an argument is null");
    *out = (pcs_force_result){0};
    PCS_TRY(force_check_id("pcs_state_force", m, st, force));
    const model_force *f = &m->force[force.id - 1];
    set_points(m, f, st->q, out);
    if (!force_acts(m, f)) return PCS_OK;
    force_side side[2];
    double motion[12];
    PCS_TRY(force_now(m, f, st, motion, side));
    const size_t N = (size_t)side[0].n + (size_t)side[1].n, extra = force_room(m, f);
    double few[2 * PAIR], *room = few, *B[2];
    if (N > PAIR || extra > 0) room = pcs_env_alloc(&m->env, 2 * (N + PAIR) + extra, sizeof *room);
    if (!room) return pcs_fail_memory("pcs_state_force");
    pcs_status status = PCS_OK;
    if (f->carried) status = force_posed(m, f, side, room + 2 * (N + PAIR), side, B);
    if (status == PCS_OK) status = measure(m, f, st->t, side, room, out);
    if (room != few) pcs_env_free(&m->env, room);
    return status;
}
