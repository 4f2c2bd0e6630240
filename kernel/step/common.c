// Energy at work, as a measure for energies that errors add or take. It must not depend on the
// velocity of the frame, so the motion that the bodies of an island have in common does not count:
// with the mass M and the velocity V of the centre of mass of its bodies
//
//     K - 1/2 M |V|^2 + 1/2 M u^2,
//
// where u is the speed of V towards what the island touches that has no mass: the world, fixed and
// driven bodies. That of a contact is the one along its normal, since nothing opposes the motion
// along a floor without friction; that of a joint or a force element is |V - V_driven|. Of several
// the largest counts. Lagrangian systems count with all of their energy.
#include "step/step.h"

#include <float.h>
#include <string.h>

#include "linalg/m3.h"
#include "step/couple.h"

// relative rounding error of a kinetic energy and of its parts
#define ROUNDING (16 * DBL_EPSILON)

void motion_add_body(const model_system *s, const double *v, island_motion *of)
{
    if (s->kind != SYSTEM_BODY || s->nv == 0) return;
    of->mass += s->mass;
    v3_along(of->momentum, s->mass, v + s->v_at, of->momentum);
}

// |V - V_driven|; system: the one without mass, negative for the world
static void add_hold(const trial *t, int system, bool end, island_motion *of)
{
    const double *driven = driven_velocity(t, system, end);
    double u[3];
    v3_scale(1 / of->mass, of->momentum, u);
    if (driven) v3_sub(u, driven, u);
    of->grounded = true;
    of->approach = fmax(of->approach, v3_norm(u));
}

void motion_add_ground(const trial *t, int i, bool end, island_motion *of)
{
    const candidate *c = &t->list.c[i];
    const bool moves1 = system_moves(t->m, c->sys1), moves2 = system_moves(t->m, c->sys2);
    if (moves1 == moves2 || !(of->mass > 0)) return;
    if (c->interaction >= 0) {
        add_hold(t, moves1 ? c->sys2 : c->sys1, end, of);
        return;
    }
    const double along = v3_dot(t->list.k[i].F, of->momentum) / of->mass;
    const double *drive = end ? c->drive : c->drive_k;
    of->grounded = true;
    of->approach = fmax(of->approach, fabs((moves1 ? along : -along) + (drive ? drive[0] : 0)));
}

double motion_energy(const island_motion *of)
{
    if (!(of->mass > 0)) return 0;
    const double p2 = v3_dot(of->momentum, of->momentum);
    return 0.5 * (p2 / of->mass - of->mass * of->approach * of->approach);
}

double motion_energy_left(double all, double common)
{
    return fmax(all - common, ROUNDING * all);
}

pcs_status step_common_energy(const trial *t, bool end, pcs_arena mem, double *out)
{
    const pcs_model *m = t->m;
    const size_t n = (size_t)m->n_systems;
    int *up = PCS_TAKE(&mem, n, int);
    island_motion *of = PCS_TAKE(&mem, n, island_motion);
    if (!up || !of) return pcs_fail_memory("step: energies");
    memset(of, 0, n * sizeof *of);
    *out = 0;
    step_join_islands(t, up);
    for (int b = 0; b < m->n_blocks; ++b) {
        const int i = m->block_system[b];
        if (skips(t, i) || m->system[i].disabled) continue;
        motion_add_body(&m->system[i], end ? t->end.v : t->st->v, &of[island_root(up, i)]);
    }
    for (int i = 0; i < t->list.n; ++i) {
        const candidate *c = &t->list.c[i];
        candidates_fetch(&t->list, i);
        const int mover = candidate_mover(t, c);
        if (c->active && mover >= 0) motion_add_ground(t, i, end, &of[island_root(up, mover)]);
    }
    for (int i = 0; i < m->n_forces; ++i) {
        const model_force *f = &m->force[i];
        const bool first = system_moves(m, f->system[0]);
        const int mover = f->system[first ? 0 : 1];
        if (!force_acts(m, f) || first == system_moves(m, f->system[1])) continue;
        island_motion *here = &of[island_root(up, mover)];
        if (here->mass > 0) add_hold(t, f->system[first ? 1 : 0], end, here);
    }
    for (size_t i = 0; i < n; ++i) {
        *out += motion_energy(&of[i]);
    }
    return PCS_OK;
}
