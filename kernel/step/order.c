// The theta of every system in a step. With second_order, bodies of an island without contacts move
// by the midpoint rule: theta = 1/2, with rows of joints in the middle of the step. An island keeps
// the theta of the scheme when it has a unilateral row that touches, a driven body or a limited
// motor with a position to reach, or when its bodies may rebound: the energy of impacts and of the
// flights between them is balanced only if both have the same theta.
//
// A system that may rebound is ahead: its coordinates move by theta = 1 in flight too, and its
// forces, in flight and in contact, are those of theta = 1/2 for coordinates Q half a step behind:
//
//     q' = q_k + h v',   M (v' - v_k) = h/2 [ F(Q_k, v_k) + F(Q', v') ],   Q = q - h/2 v,
//
// since then Q' = Q_k + h/2 (v_k + v'). Under a constant force the steps are those of theta = 1;
// others keep their energy as with theta = 1/2.
#include "step/step.h"

#include <math.h>
#include <string.h>

#include "step/couple.h"

static bool may_touch(const model_shape *s)
{
    return !s->disabled && s->group != 0 && s->mask != 0;
}

// true when shapes of this model may rebound; that there is only one does not count, so that a body
// moves alike beside others that it does not meet
static bool model_restores(const pcs_model *m)
{
    if (m->combine) return true;
    bool any = false;
    for (int i = 0; i < m->n_pair_laws; ++i) {
        any = any || m->pair_law[i].law.e > 0;
    }
    for (int i = 0; i < m->n_shapes; ++i) {
        const model_shape *s = &m->shape[i];
        any = any || (may_touch(s) && m->material[s->material].e > 0);
    }
    return any;
}

// joins the systems that joints and force elements connect, whatever touches
static void join_held(const pcs_model *m, int *parent)
{
    for (int i = 0; i < m->n_interactions; ++i) {
        const pcs_interaction_def *d = &m->interaction[i];
        const int one = system_mover(m, d->system1.id - 1),
                  two = system_mover(m, d->system2.id - 1);
        if (!system_moves(m, one) || !system_moves(m, two)) continue;
        parent[island_root(parent, one)] = island_root(parent, two);
    }
    for (int i = 0; i < m->n_forces; ++i) {
        const model_force *f = &m->force[i];
        if (!couple_joins(m, f)) continue;
        parent[island_root(parent, f->system[0])] = island_root(parent, f->system[1]);
    }
}

pcs_status step_find_ahead(trial *t, pcs_arena *mem)
{
    const pcs_model *m = t->m;
    if (!m->scheme.second_order || m->scheme.theta != 1) return PCS_OK;
    if (m->scheme.configuration == PCS_CONFIGURATION_MIDDLE) return PCS_OK;
    const size_t n = (size_t)m->n_systems;
    bool *ahead = PCS_TAKE(mem, n, bool), any = false;
    pcs_arena scratch = *mem;
    int *parent = PCS_TAKE(&scratch, n, int);
    bool *seeds = PCS_TAKE(&scratch, n, bool);
    if (!ahead || !parent || !seeds) return pcs_fail_memory("step");
    for (int i = 0; i < m->n_systems; ++i) {
        parent[i] = i;
        seeds[i] = false;
    }
    join_held(m, parent);
    const bool restores = model_restores(m);
    for (int i = 0; restores && i < m->n_shapes; ++i) {
        const model_shape *s = &m->shape[i];
        const int mover = system_mover(m, s->system);
        if (mover < 0 || !may_touch(s) || !(m->system[s->system].thickness > 0)) continue;
        seeds[island_root(parent, mover)] = true;
    }
    for (int i = 0; i < m->n_interactions; ++i) {
        const pcs_interaction_def *d = &m->interaction[i];
        if (!law_is_unilateral(&d->law) || !(d->law.e > 0)) continue;
        const int mover[2] = {system_mover(m, d->system1.id - 1),
                              system_mover(m, d->system2.id - 1)};
        for (int side = 0; side < 2; ++side) {
            if (mover[side] >= 0) seeds[island_root(parent, mover[side])] = true;
        }
    }
    for (int i = 0; i < m->n_systems; ++i) {
        ahead[i] = system_moves(m, i) && seeds[island_root(parent, i)];
        any = any || ahead[i];
    }
    if (any) t->ahead = ahead;
    return PCS_OK;
}

bool candidate_reaches(const trial *t, const candidate *c)
{
    return c->law.kind == PCS_LAW_LIMITED && c->timed &&
           !t->m->interaction[c->interaction].relation.of_speed;
}

// the speed that an impulse of 1 in the only row of an interaction gives its coordinate, W_ii of
// its systems alone: what holds them makes it smaller
static pcs_status speed_of_one(const trial *t, const candidate *c, pcs_arena mem, double *W)
{
    *W = 0;
    for (int side = 0; side < 2; ++side) {
        const int system = side == 0 ? c->sys1 : c->sys2;
        if (!system_moves(t->m, system)) continue;
        const size_t n = (size_t)t->m->system[system].nv;
        pcs_arena scope = mem;
        double *x = PCS_TAKE(&scope, n, double);
        if (!x) return pcs_fail_memory("step: an interaction");
        memcpy(x, c->J[side], n * sizeof *x);
        PCS_TRY(trial_accelerate(t, system, scope, x));
        for (size_t i = 0; i < n; ++i) {
            *W += c->J[side][i] * x[i];
        }
    }
    return PCS_OK;
}

// A prescribed coordinate whose speed jumps by more than the smallest body in a step: theta = 1/2
// would leave half of that motion to the projection, which follows no path. A motor whose limit
// does not give this speed within a step only pushes
static pcs_status jumps(const trial *t, const candidate *c, pcs_arena mem, bool *out)
{
    double W;
    *out = c->timed && c->dim == 1 && t->h * fabs(c->u_k[0]) > t->size;
    if (!*out || c->law.kind != PCS_LAW_LIMITED || isinf(c->law.limit)) return PCS_OK;
    PCS_TRY(speed_of_one(t, c, mem, &W));
    *out = t->h * (t->h * c->law.limit * W) > t->size;
    return PCS_OK;
}

// Joins the islands of the systems of a candidate; held: islands that keep the theta of the scheme.
// What may rebound by an interaction keeps it in flight, unless it is ahead
static pcs_status join(const trial *t, const candidate *c, pcs_arena mem, int *parent, bool *held)
{
    const bool moves1 = system_moves(t->m, c->sys1), moves2 = system_moves(t->m, c->sys2);
    const bool equality = !law_is_unilateral(&c->law);
    const bool rebounds = !t->ahead && !equality && c->interaction >= 0 && c->law.e > 0;
    const bool held_here = equality ? c->active : c->holds;
    if (!held_here && !rebounds) return PCS_OK;
    bool hold = !equality || candidate_reaches(t, c) || candidate_is_driven(t, c);
    if (!hold) PCS_TRY(jumps(t, c, mem, &hold));
    const int one = moves1 ? island_root(parent, c->sys1) : island_root(parent, c->sys2);
    const int two = moves2 ? island_root(parent, c->sys2) : one;
    held[one] = held[one] || held[two] || hold;
    parent[two] = one;
    return PCS_OK;
}

// A unilateral row holds its systems if it overlaps at q_k, if it had an impulse in the last step
// and is still closed, or if it has an impulse in any pass. A row that is only near does not, so
// that bodies that pass each other move as if alone. A body that rolls over an edge stays closed
// only up to the square of its rotation in a step, however small proj_tol is. The end-of-step rule
// adds only rows that the step closes: these hold at once.
static void find_holding(const trial *t, candidates *list)
{
    const double near = fmax(t->proj_tol, MODEL_OVERLAP * t->size);
    for (int i = 0; i < list->n; ++i) {
        candidate *c = &list->c[i];
        candidates_fetch(list, i);
        if (!law_is_unilateral(&c->law)) continue;
        const bool pushed = c->at >= 0 && t->solution.r[c->at] > 0;
        const bool closes = t->rule == PCS_ACTIVATION_END_OF_STEP;
        c->holds =
            c->active && (c->holds || pushed || closes || c->g[0] <= (c->r[0] > 0 ? near : 0));
    }
}

pcs_status step_order(const trial *t, pcs_arena mem, candidates *list, double *theta, bool *changed)
{
    const pcs_model *m = t->m;
    int *parent = PCS_TAKE(&mem, (size_t)m->n_systems, int);
    bool *held = PCS_TAKE(&mem, (size_t)m->n_systems, bool);
    if (!parent || !held) return pcs_fail_memory("step");
    const bool restores = !t->ahead && model_restores(m); // theta of the scheme is not 1
    find_holding(t, list);
    for (int i = 0; i < m->n_systems; ++i) {
        parent[i] = i;
        held[i] = false;
    }
    for (int i = 0; restores && i < m->n_shapes; ++i) {
        const model_shape *s = &m->shape[i];
        if (s->system >= 0 && may_touch(s)) held[s->system] = m->system[s->system].thickness > 0;
    }
    for (int i = 0; i < t->list.n; ++i) {
        const candidate *c = &t->list.c[i];
        candidates_fetch(list, i);
        if (!system_moves(m, c->sys1) && !system_moves(m, c->sys2)) continue;
        PCS_TRY(join(t, c, mem, parent, held));
    }
    for (int i = 0; i < m->n_forces; ++i) {
        const model_force *f = &m->force[i];
        if (!couple_joins(m, f)) continue;
        const int one = island_root(parent, f->system[0]), two = island_root(parent, f->system[1]);
        held[one] = held[one] || held[two];
        parent[two] = one;
    }
    for (int i = 0; i < m->n_systems; ++i) {
        if (skips(t, i)) continue;
        const bool middle = !held[island_root(parent, i)], ahead = t->ahead && t->ahead[i];
        const double own = middle && !ahead ? STEP_MIDDLE : m->scheme.theta;
        *changed = *changed || own != theta[i] || middle != t->end.middle[i];
        theta[i] = own;
        t->end.middle[i] = middle;
    }
    return PCS_OK;
}

bool step_at_middle(const trial *t, const candidate *c)
{
    const pcs_scheme *s = &t->m->scheme;
    const int system = system_moves(t->m, c->sys1) ? c->sys1 : c->sys2;
    if (c->held || law_is_unilateral(&c->law) || !system_moves(t->m, system)) return false;
    if (c->law.kind == PCS_LAW_LIMITED) {
        const bool follows = step_rows_follow(s) || s->configuration == PCS_CONFIGURATION_PREDICTED;
        // with theta = 1 a row at q_m is a couple: forces within turning bodies would brake them
        const bool mean = step_in_middle(t, system) || t->end.theta[system] < 1;
        return mean && t->end.theta[system] > 0 && !follows;
    }
    if (s->configuration == PCS_CONFIGURATION_MIDDLE) return t->end.theta[system] > 0;
    return s->second_order && s->configuration == PCS_CONFIGURATION_START &&
           step_in_middle(t, system);
}
