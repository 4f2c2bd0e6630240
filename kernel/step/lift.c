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
// nothing fixed keeps all of its momentum, and the rotation that has its angular momentum. The
// impulses that this takes are those of the joints (brake.c).
//
// A contact with e > 0 that another impact closes within the step has its own impact in the next
// one. The bodies of a column sink into each other, and into the floor. Such contacts land: their
// rows close the gap, as with e = 0.
#include "step/step.h"

#include <string.h>

#include "collide/collide.h"
#include "forces/forces.h"
#include "linalg/m3.h"
#include "rotation/pose.h"
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
    // of its bodies about the point `from`: mass times position, angular momentum, inertia
    double from[3], moment[3], spin[3], inertia[9];
    bool flat; // some body is planar
} lift;

// the motion that an island keeps: velocity of the point X and angular velocity, inertial; `rest`:
// the kinetic energy of the other motion
typedef struct kept_motion {
    double X[3], V[3], Omega[3], rest;
} kept_motion;

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

// adds m (|d|^2 I - d d^T)
static void add_point_inertia(double mass, const double d[3], double I[9])
{
    for (int j = 0; j < 3; ++j) {
        I[4 * j] += mass * v3_dot(d, d);
        for (int i = 0; i < 3; ++i) {
            I[i + 3 * j] -= mass * d[i] * d[j];
        }
    }
}

static void add_spin(const trial *t, const model_system *s, lift *here)
{
    const double *q = t->end.q + s->q_at, *v = t->end.v + s->v_at;
    double d[3], dv[3], Jw[3], spin[3], R[9], Rt[9], RJ[9], turned[9];
    if (here->common.mass == 0) v3_copy(q, here->from);
    here->flat = here->flat || s->plane != PCS_PLANE_NONE;
    v3_sub(q, here->from, d);
    v3_along(here->moment, s->mass, d, here->moment);
    v3_cross(d, v, dv);
    m3_mul(s->J, v + 3, Jw);
    quat_matrix(q + 3, R);
    m3_mul(R, Jw, spin);
    v3_along(spin, s->mass, dv, spin);
    v3_along(here->spin, 1, spin, here->spin);
    add_point_inertia(s->mass, d, here->inertia);
    for (int j = 0; j < 3; ++j) {
        for (int i = 0; i < 3; ++i) {
            Rt[i + 3 * j] = R[j + 3 * i];
        }
    }
    m3_mul_m3(R, s->J, RJ);
    m3_mul_m3(RJ, Rt, turned);
    for (int i = 0; i < 9; ++i) {
        here->inertia[i] += turned[i];
    }
}

static pcs_status add_system(const trial *t, const model_system *s, pcs_arena mem, lift *here)
{
    if (here->jointed) PCS_TRY(add_kinetic(t, s, mem, &here->kinetic));
    here->held = here->held || s->kind != SYSTEM_BODY || s->varies;
    if (s->kind != SYSTEM_BODY) return PCS_OK;
    if (here->jointed) add_spin(t, s, here);
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

// The angular velocity of the rigid motion with the angular momentum of an island, whose centre of
// mass is at d; returns twice its energy
static double kept_rotation(const lift *of, const double d[3], double Omega[3])
{
    const double *p = of->common.momentum, mass = of->common.mass;
    double L[3], I[9], bc[3], Lc[3], bL[3];
    v3_cross(d, p, L);
    v3_sub(of->spin, L, L);
    memcpy(I, of->inertia, sizeof I);
    add_point_inertia(-mass, d, I);
    v3_cross(I + 3, I + 6, bc);
    v3_cross(L, I + 6, Lc);
    v3_cross(I + 3, L, bL);
    const double det = v3_dot(I, bc);
    if (!(det > 0)) return 0;
    Omega[0] = v3_dot(L, bc) / det;
    Omega[1] = v3_dot(I, Lc) / det;
    Omega[2] = v3_dot(I, bL) / det;
    return v3_dot(Omega, L);
}

static kept_motion kept_of(const trial *t, const lift *of)
{
    kept_motion k = {.rest = of->kinetic};
    const island_motion *c = &of->common;
    if (of->held) return k;
    const double *g = t->m->gravity, g2 = v3_dot(g, g);
    const double along = g2 > 0 && c->grounded ? v3_dot(c->momentum, g) / g2 : 0;
    double d[3];
    for (int i = 0; i < 3; ++i) {
        k.V[i] = (c->momentum[i] - along * g[i]) / c->mass;
        d[i] = of->moment[i] / c->mass;
        k.X[i] = of->from[i] + d[i];
    }
    k.rest -= 0.5 * c->mass * v3_dot(k.V, k.V);
    if (!c->grounded && !of->flat) k.rest -= 0.5 * kept_rotation(of, d, k.Omega);
    return k;
}

// adds the velocities of a body that its island keeps, times a sign
static void add_kept(const trial *t, const model_system *s, const kept_motion *k, double sign)
{
    if (s->kind != SYSTEM_BODY) return;
    const double *q = t->end.q + s->q_at;
    double d[3], turned[3], *v = t->end.v + s->v_at;
    v3_sub(q, k->X, d);
    v3_cross(k->Omega, d, turned);
    v3_along(k->V, 1, turned, turned);
    v3_along(v, sign, turned, v);
    quat_turn(q + 3, -1, k->Omega, turned);
    v3_along(v + 3, sign, turned, v + 3);
}

// takes M v from the impulses of a body, or adds it
static pcs_status add_momentum(const trial *t, const model_system *s, double sign, double *lost)
{
    double M[36], Mv[BODY_NV];
    if (s->kind != SYSTEM_BODY) return PCS_OK;
    if (s->varies) PCS_TRY(system_mass(s, t->end.q + s->q_at, M));
    system_mass_mul(s, s->varies ? M : NULL, t->end.v + s->v_at, Mv);
    v3_along(lost + s->v_at, sign, Mv, lost + s->v_at);
    v3_along(lost + s->v_at + 3, sign, Mv + 3, lost + s->v_at + 3);
    return PCS_OK;
}

pcs_status step_pay_lifts(trial *t, pcs_arena *mem, pcs_energy *e)
{
    const pcs_model *m = t->m;
    lifts l;
    bool any;
    double *lost = NULL;
    PCS_TRY(find_lifts(t, mem, &t->list, &l, &any));
    for (int b = 0; b < m->n_blocks && any; ++b) {
        const model_system *s = &m->system[m->block_system[b]];
        const lift *of = lift_of(&l, m->block_system[b]);
        if (!of->jointed || of->driven || !(of->added > PAID * of->work)) continue;
        if (!lost) {
            lost = PCS_TAKE(mem, (size_t)m->nv, double);
            if (!lost) return pcs_fail_memory("projection");
            memset(lost, 0, (size_t)m->nv * sizeof *lost);
        }
        PCS_TRY(add_momentum(t, s, -1, lost));
        const kept_motion kept = kept_of(t, of);
        const double left = kept.rest > 0 ? fmax(0, 1 - of->added / kept.rest) : 0;
        double K = 0;
        add_kept(t, s, &kept, -1);
        PCS_TRY(add_kinetic(t, s, *mem, &K));
        for (int i = s->v_at; i < s->v_at + s->nv; ++i) {
            t->end.v[i] *= sqrt(left);
        }
        add_kept(t, s, &kept, 1);
        e->kinetic_after -= (1 - left) * K;
        e->joints -= (1 - left) * K;
        PCS_TRY(add_momentum(t, s, 1, lost));
    }
    return lost ? step_brake(t, mem, lost) : PCS_OK;
}
