// Projections that lift. Where the velocities have no row for a motion that positions forbid,
// bodies fall in every step and the projection lifts them again, while their speed grows:
//
// Rows H at q_k do not oppose a motion that only the curvature of the joints prevents: a straight
// chain between two walls falls freely. Its rows are taken at the q' before the projection. There
// they oppose this motion and hold at the end of the step: H(q') v' = 0, an inelastic impact.
//
// A contact with e > 0 that another impact closes within the step has its own impact in the next
// one. The bodies of a column sink into each other, and into the floor. Such contacts land: their
// rows close the gap, as with e = 0.
#include "step/step.h"

#include <string.h>

#include "collide/collide.h"

// part of the energy at work in an island that a projection may add in a step; for joints it is of
// order h^2 where the motion is smooth
#define LIFTED 1e-2

// overlap relative to the thinner shape beyond which a contact lands in any case: the features of
// shapes that overlap deeper are not those that would have met
#define DEEP 0.25

// energy that the projection adds to an island, and energy at work there, J
typedef struct lift {
    double added, work;
    bool counts; // it has joints, or contacts that sink
} lift;

static bool is_joint(const candidate *c)
{
    return c->active && c->law.kind == PCS_LAW_EQUALITY;
}

// a contact that waits for its own impact
static bool waits(const trial *t, const candidate *c)
{
    return !c->active && !c->refuted && step_restores(t, &c->law);
}

// by more than the projection leaves, with the gap at the q' before the projection
static bool sinks(const trial *t, const candidate *c)
{
    return waits(t, c) && c->g_end[0] < -t->proj_tol;
}

static bool sinks_deep(const trial *t, const candidate *c)
{
    if (c->interaction >= 0) return false;
    const double thin = fmin(shape_thickness(&t->m->shape[c->key.shape1].shape),
                             shape_thickness(&t->m->shape[c->key.shape2].shape));
    return c->g_end[0] < -DEEP * thin;
}

static bool is_lifted(const lift *of)
{
    return of->added > LIFTED * of->work;
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

// `of` has an entry per system; those of the roots of islands are used
static pcs_status find_lifts(const trial *t, int *up, lift *of)
{
    const pcs_model *m = t->m;
    for (int i = 0; i < t->list.n; ++i) {
        const candidate *c = &t->list.c[i];
        if (is_joint(c) || sinks(t, c)) of[island_root(up, candidate_mover(t, c))].counts = true;
    }
    for (int b = 0; b < m->n_blocks; ++b) {
        const int i = m->block_system[b];
        const model_system *s = &m->system[i];
        lift *here = &of[island_root(up, i)];
        if (!here->counts || s->kind != SYSTEM_BODY || s->disabled) continue;
        double before, after, p2 = 0, v2 = 0;
        PCS_TRY(system_potential(m, s, t->end.q_free + s->q_at, &before));
        PCS_TRY(system_potential(m, s, t->end.q + s->q_at, &after));
        for (int k = s->v_at; k < s->v_at + 3; ++k) {
            const double p = t->h * (t->Fk.conservative[k] + t->Fk.other[k]);
            p2 += p * p;
            v2 += t->end.v[k] * t->end.v[k];
        }
        here->added += after - before;
        here->work += 0.5 * (p2 / s->mass + s->mass * v2);
    }
    return PCS_OK;
}

pcs_status step_lifted(const trial *t, bool joints, pcs_arena *mem, candidates *list, double *theta,
                       bool *any)
{
    const pcs_model *m = t->m;
    const size_t n = (size_t)m->n_systems;
    int *up = PCS_TAKE(mem, n, int);
    lift *of = PCS_TAKE(mem, n, lift);
    if (!up || !of) return pcs_fail_memory("projection");
    memset(of, 0, n * sizeof *of);
    PCS_TRY(find_islands(t, *mem, list, up, any));
    if (!*any) return PCS_OK;
    PCS_TRY(find_lifts(t, up, of));
    *any = false;
    for (int i = 0; i < t->list.n; ++i) {
        candidate *c = &list->c[i];
        const bool lifted = is_lifted(&of[island_root(up, candidate_mover(t, c))]);
        if (sinks(t, c) && (lifted || sinks_deep(t, c))) {
            candidate_land(c);
            *any = true;
        } else if (joints && lifted && is_joint(c)) {
            PCS_TRY(step_rows_at_end(t, i, mem, list));
            *any = true;
        }
    }
    for (int i = 0; i < m->n_systems && joints && *any; ++i) {
        if (is_lifted(&of[island_root(up, i)])) theta[i] = m->scheme.theta;
    }
    return PCS_OK;
}
