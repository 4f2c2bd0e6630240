// Projections that lift. Rows H at q_k do not oppose a motion that only the curvature of the joints
// prevents: a straight chain between two walls falls freely and is projected back in every step,
// while its speed grows. Where a projection adds energy to an island with joints, the rows of these
// joints are taken at the q' before the projection. There they oppose this motion and hold at the
// end of the step: H(q') v' = 0, an inelastic impact.
#include "step/step.h"

#include <string.h>

// part of the energy at work in an island that the projection of its joints may add in a step; it
// is of order h^2 where the motion is smooth
#define LIFTED 1e-2

// energy that the projection adds to an island, and energy at work there, J
typedef struct lift {
    double added, work;
    bool jointed;
} lift;

static int moving_side(const trial *t, const candidate *c)
{
    return system_moves(t->m, c->sys1) ? c->sys1 : c->sys2;
}

static bool is_joint(const candidate *c)
{
    return c->active && c->law.kind == PCS_LAW_EQUALITY;
}

static bool is_lifted(const lift *of)
{
    return of->added > LIFTED * of->work;
}

// `of` has an entry per system; those of the roots of islands are used
static pcs_status find_lifts(const trial *t, int *up, lift *of)
{
    const pcs_model *m = t->m;
    for (int i = 0; i < t->list.n; ++i) {
        const candidate *c = &t->list.c[i];
        if (is_joint(c)) of[island_root(up, moving_side(t, c))].jointed = true;
    }
    for (int b = 0; b < m->n_blocks; ++b) {
        const int i = m->block_system[b];
        const model_system *s = &m->system[i];
        lift *here = &of[island_root(up, i)];
        if (!here->jointed || s->kind != SYSTEM_BODY || s->disabled) continue;
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

pcs_status step_joints_lifted(const trial *t, pcs_arena *mem, candidates *list, double *theta,
                              bool *any)
{
    const pcs_model *m = t->m;
    const size_t n = (size_t)m->n_systems;
    int *up = PCS_TAKE(mem, n, int);
    lift *of = PCS_TAKE(mem, n, lift);
    if (!up || !of) return pcs_fail_memory("projection");
    memset(of, 0, n * sizeof *of);
    step_join_islands(t, up);
    PCS_TRY(find_lifts(t, up, of));
    *any = false;
    for (int i = 0; i < m->n_systems; ++i) {
        if (!is_lifted(&of[island_root(up, i)])) continue;
        theta[i] = m->scheme.theta;
        *any = true;
    }
    for (int i = 0; i < t->list.n && *any; ++i) {
        const candidate *c = &t->list.c[i];
        if (!is_joint(c)) continue;
        if (is_lifted(&of[island_root(up, moving_side(t, c))])) {
            PCS_TRY(step_rows_at_end(t, i, mem, list));
        }
    }
    return PCS_OK;
}
