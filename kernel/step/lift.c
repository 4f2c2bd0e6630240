// Projections that lift. If the velocities have no row for a motion that positions forbid, bodies
// fall in every step and the projection lifts them again, while their speed grows:
//
// Rows of joints are those of one configuration. They do not oppose a motion that only the
// curvature of the joints prevents: a straight chain between two walls falls freely, and light
// links under a large tension S move with rows that are too old where sqrt(S / (m l)) h > 2. The
// energy that the projection adds to an island of joints is taken from its velocities: v' is
// multiplied by
//
//     sqrt(1 - added / K'),    or by 0 where K' is less,
//
// which keeps H v' = 0 and closed contacts closed. An island without a joint to a fixed body, for
// example a chain on ice, keeps its momentum across gravity: the velocity of its centre of mass
// across gravity is not multiplied, and K' is the energy of the other motion. One that touches
// nothing fixed keeps all of its momentum.
//
// A contact with e > 0 that another impact closes within the step has its own impact in the next
// one. The bodies of a column sink into each other, and into the floor. Such contacts land: their
// rows close the gap, as with e = 0.
#include "step/step.h"

#include <string.h>

#include "collide/collide.h"
#include "forces/forces.h"
#include "step/confirm.h"

// part of the energy at work in an island that a projection may add in a step: with contacts that
// wait for their impacts; with joints, where it is of order h^2 in smooth motion
#define LIFTED 1e-2
#define PAID   1e-3

// overlap relative to the thinner shape beyond which a contact lands in any case: the features of
// shapes that overlap deeper are not those that would have met
#define DEEP 0.25

// energy that the projection adds to an island, and energy at work there, J
typedef struct lift {
    double added, work, kinetic;
    island_motion common;         // of its bodies
    bool jointed, driven, counts; // counts: it has joints, or contacts that sink
    bool held; // a joint to a fixed body, or a system whose momentum is not mass times velocity
} lift;

// energies per island, at the index of its root
typedef struct lifts {
    int *up;
    lift *of;
} lifts;

static bool is_joint(const candidate *c)
{
    return c->active && c->law.kind == PCS_LAW_EQUALITY;
}

// a contact that waits for its own impact
static bool waits(const trial *t, const candidate *c)
{
    return !c->active && !c->held && !c->refuted && step_restores(t, &c->law);
}

// true when it overlaps at q', before the projection, by more than the projection leaves
static bool sinks(const trial *t, const candidate *c)
{
    return waits(t, c) && c->g_end[0] < -t->proj_tol;
}

static bool sinks_deep(const trial *t, const candidate *c)
{
    if (c->interaction >= 0) return false;
    const double thin = fmin(shape_thickness(&t->m->shape[c->key.shape1].shape),
                             shape_thickness(&t->m->shape[c->key.shape2].shape));
    // the normal of two spheres depends on their centres alone
    return c->g_end[0] < -(contact_of_spheres(t, c) ? 2 * DEEP : DEEP) * thin;
}

// islands of active candidates and of contacts that sink; *any: some has one or a joint
static pcs_status find_islands(const trial *t, pcs_arena mem, candidates *list, int *up, bool *any)
{
    *any = false;
    step_join_islands(t, up);
    for (int i = 0; i < list->n; ++i) {
        candidate *c = &list->c[i];
        *any = *any || is_joint(c);
        if (!waits(t, c)) continue;
        PCS_TRY(candidate_gap(t->m, c, t->end.q_free, mem, c->g_end));
        if (!sinks(t, c)) continue;
        step_join(t, c, up);
        *any = true;
    }
    return PCS_OK;
}

static pcs_status add_kinetic(const trial *t, const model_system *s, pcs_arena mem, double *K)
{
    const size_t n = (size_t)s->nv;
    double *Mv = PCS_TAKE(&mem, n, double), *M = PCS_TAKE(&mem, s->varies ? n * n : 0, double);
    if (!Mv || !M) return pcs_fail_memory("projection");
    if (s->varies) PCS_TRY(system_mass(s, t->end.q + s->q_at, M));
    system_mass_mul(s, M, t->end.v + s->v_at, Mv);
    for (size_t i = 0; i < n; ++i) {
        *K += 0.5 * Mv[i] * t->end.v[(size_t)s->v_at + i];
    }
    return PCS_OK;
}

static pcs_status add_system(const trial *t, const model_system *s, pcs_arena mem, lift *here)
{
    if (here->jointed) PCS_TRY(add_kinetic(t, s, mem, &here->kinetic));
    here->held = here->held || s->kind != SYSTEM_BODY || s->varies;
    if (s->kind != SYSTEM_BODY) return PCS_OK;
    motion_add_body(s, t->end.v, &here->common);
    double before, after, p2 = 0, v2 = 0;
    PCS_TRY(system_potential(t->m, s, t->end.q_free + s->q_at, &before));
    PCS_TRY(system_potential(t->m, s, t->end.q + s->q_at, &after));
    for (int k = s->v_at; k < s->v_at + 3; ++k) {
        const double p = t->h * (t->Fk.conservative[k] + t->Fk.other[k]);
        p2 += p * p;
        v2 += t->end.v[k] * t->end.v[k];
    }
    here->added += after - before + step_tension_work(t, s->block);
    here->work += 0.5 * (p2 / s->mass + s->mass * v2);
    return PCS_OK;
}

static lift *lift_of(const lifts *l, int system)
{
    return &l->of[island_root(l->up, system)];
}

// *any: some island counts
static pcs_status find_lifts(const trial *t, pcs_arena *mem, candidates *list, lifts *out,
                             bool *any)
{
    const pcs_model *m = t->m;
    const size_t n = (size_t)m->n_systems;
    *out = (lifts){PCS_TAKE(mem, n, int), PCS_TAKE(mem, n, lift)};
    if (!out->up || !out->of) return pcs_fail_memory("projection");
    memset(out->of, 0, n * sizeof *out->of);
    PCS_TRY(find_islands(t, *mem, list, out->up, any));
    for (int i = 0; i < t->list.n && *any; ++i) {
        const candidate *c = &t->list.c[i];
        lift *here = lift_of(out, candidate_mover(t, c));
        here->jointed = here->jointed || is_joint(c);
        here->held =
            here->held || (is_joint(c) && !(system_moves(m, c->sys1) && system_moves(m, c->sys2)));
        here->driven = here->driven || (c->active && c->drive);
        here->counts = here->jointed || here->counts || sinks(t, c);
    }
    for (int b = 0; b < m->n_blocks && *any; ++b) {
        const model_system *s = &m->system[m->block_system[b]];
        lift *here = lift_of(out, m->block_system[b]);
        if (here->counts && !s->disabled) PCS_TRY(add_system(t, s, *mem, here));
    }
    for (int i = 0; i < m->n_forces && *any; ++i) {
        const model_force *f = &m->force[i];
        lift *here = lift_of(out, system_moves(m, f->system[0]) ? f->system[0] : f->system[1]);
        double before, after;
        if (!here->counts) continue;
        PCS_TRY(force_potential(m, f, t->end.q_free, &before));
        PCS_TRY(force_potential(m, f, t->end.q, &after));
        here->added += after - before;
    }
    for (int i = 0; i < list->n && *any; ++i) {
        const candidate *c = &list->c[i];
        lift *here = lift_of(out, candidate_mover(t, c));
        if (here->counts && (c->active || sinks(t, c))) {
            motion_add_ground(t, i, true, &here->common);
        }
    }
    for (int i = 0; i < m->n_systems && *any; ++i) {
        lift *of = &out->of[i];
        if (of->counts) of->work = motion_energy_left(of->work, motion_energy(&of->common));
    }
    return PCS_OK;
}

pcs_status step_land_lifted(const trial *t, pcs_arena mem, candidates *list, bool *any)
{
    lifts l;
    PCS_TRY(find_lifts(t, &mem, list, &l, any));
    if (!*any) return PCS_OK;
    *any = false;
    for (int i = 0; i < t->list.n; ++i) {
        candidate *c = &list->c[i];
        const lift *of = lift_of(&l, candidate_mover(t, c));
        if (!sinks(t, c) || !(of->added > LIFTED * of->work || sinks_deep(t, c))) continue;
        candidate_land(c);
        *any = true;
    }
    return PCS_OK;
}

// the velocity V that an island keeps, and its kinetic energy without that of V
static double kept_velocity(const trial *t, const lift *of, double V[3])
{
    const island_motion *c = &of->common;
    const double *g = t->m->gravity, g2 = v3_dot(g, g);
    const double along = g2 > 0 && c->grounded ? v3_dot(c->momentum, g) / g2 : 0;
    for (int i = 0; i < 3; ++i) {
        V[i] = of->held ? 0 : (c->momentum[i] - along * g[i]) / c->mass;
    }
    return of->kinetic - 0.5 * c->mass * v3_dot(V, V);
}

pcs_status step_pay_lifts(const trial *t, pcs_arena mem, candidates *list, motion *end,
                          pcs_energy *e)
{
    const pcs_model *m = t->m;
    lifts l;
    bool any;
    PCS_TRY(find_lifts(t, &mem, list, &l, &any));
    for (int b = 0; b < m->n_blocks && any; ++b) {
        const model_system *s = &m->system[m->block_system[b]];
        const lift *of = lift_of(&l, m->block_system[b]);
        if (!of->jointed || of->driven || !(of->added > PAID * of->work)) continue;
        double V[3], K = 0, *v = end->v + s->v_at;
        const double kinetic = kept_velocity(t, of, V);
        const double left = kinetic > 0 ? fmax(0, 1 - of->added / kinetic) : 0;
        for (int i = 0; i < 3 && !of->held; ++i) {
            v[i] -= V[i];
        }
        PCS_TRY(add_kinetic(t, s, mem, &K));
        for (int i = 0; i < s->nv; ++i) {
            v[i] = sqrt(left) * v[i] + (i < 3 && !of->held ? V[i] : 0);
        }
        e->kinetic_after -= (1 - left) * K;
        e->joints -= (1 - left) * K;
    }
    return PCS_OK;
}
