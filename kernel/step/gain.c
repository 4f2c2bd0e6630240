// The work of the impulses r of an island, M (v' - v_free) = H^T r, is
//
//     K(v') - K(v_free) = 1/2 r^T (u_free + u') = r^T u' - 1/2 r^T W r,
//
// summed over its contacts: contacts transfer energy to each other, so that a single one may gain.
// For e = 0 the sum is never positive, since r_N u'_N = 0 and r_T . u'_T <= 0. With Newton's law it
// may be positive, for several contacts at once or with friction. But forces that press a body onto
// a contact, or pull it off, are part of the sum: below a ceiling u_free = u_k + h g, and a ball
// that rebounds with e = 1 would seem to gain. So a gain must also be positive with u_k in place of
// u_free: r^T (u_k + u') / 2 is the contact work of the ledger. Under the speculative rule the
// contacts of such an island land, as with e = 0.
//
// Motors with a limit and dry friction of joints are loads here: their impulses are part of the
// motion v_free with which that of the contacts is compared. A motor that presses a body onto a
// contact adds energy as the same force does. Joints answer the forces in this motion, too: without
// its hinge a pendulum would not be pressed to its stop. What they answer costs a solve, which is
// made where the work with u_k alone is a gain.
//
// With friction, Newton's law for several contacts at once may have no solution, at any step size:
// a ball that closes between two planes with e > 0, whose half angle is smaller than that of
// friction, would have to leave both. The last attempt of a step lets the contacts of such islands
// land, too.
//
// Joints with rows in the middle of the step do the work r^T (u_k + u') / 2; where they gain
// energy, the velocities are solved again by the midpoint rule (assemble.c).
#include "step/step.h"

#include <math.h>
#include <string.h>

#include "problem/measure.h"
#include "step/couple.h"
#include "step/jointed.h"

// least gain, relative to the energy that the contacts of an island exchange; a smaller one is an
// error of the solver, and so is one below ten times the residual of the velocities
#define GAIN  1e-6
#define NOISE 10
// energy that joints may add, relative to the kinetic energy at work: more than they do in smooth
// motion. When they remove a large rest of H v, they may add none
#define JOINTS_GAIN 1e-3

void step_join_islands(const trial *t, int *up)
{
    for (int i = 0; i < t->m->n_systems; ++i) {
        up[i] = i;
    }
    for (int i = 0; i < t->list.n; ++i) {
        const candidate *c = &t->list.c[i];
        candidates_fetch(&t->list, i);
        if (c->active) step_join(t, c, up);
    }
    for (int i = 0; i < t->m->n_forces; ++i) {
        const model_force *f = &t->m->force[i];
        if (!couple_joins(t->m, f)) continue;
        const int one = island_root(up, f->system[0]), two = island_root(up, f->system[1]);
        up[one > two ? one : two] = one > two ? two : one;
    }
}

static bool is_contact(const candidate *c)
{
    return c->active && law_is_unilateral(&c->law);
}

// The motion without contacts: v_free, with the impulses of limited forces of joints where there
// are any
static pcs_status without_contacts(const trial *t, pcs_arena *mem, const double **out)
{
    double *p = NULL;
    *out = t->solution.v_free;
    // interactions come first
    for (int i = 0; i < t->list.n && t->list.c[i].joint; ++i) {
        const candidate *c = &t->list.c[i];
        if (!c->active || c->law.kind != PCS_LAW_LIMITED) continue;
        if (!p) {
            p = PCS_TAKE(mem, (size_t)t->m->nv, double);
            if (!p) return pcs_fail_memory("step: the energy of contacts");
            trial_copy(t, NULL, p);
        }
        bodies_block_impulse(&t->list.k[i], t->m->block_start, t->rotation, t->solution.r + c->at,
                             p);
    }
    if (!p) return PCS_OK;
    PCS_TRY(step_solve_blocks(t, *mem, p));
    for (int k = 0; k < t->n_runs; ++k) {
        const trial_run *run = &t->run[k];
        for (int i = run->v; i < run->v + run->nv; ++i) {
            p[i] += t->solution.v_free[i];
        }
    }
    *out = p;
    return PCS_OK;
}

// work with u' from c->u; *start: the sum with u_k in place of u_free
static island_work work_of(const trial *t, int i, const double *v_free, double *u_free,
                           double *start)
{
    const candidate *c = &t->list.c[i];
    const double *r = &t->solution.r[c->at];
    double before = 0, after = 0, r2 = 0;
    *start = 0;
    candidate_velocity(t, i, v_free, c->drive, u_free);
    for (int j = 0; j < c->dim; ++j) {
        before += 0.5 * u_free[j] * r[j];
        after += 0.5 * c->u[j] * r[j];
        *start += 0.5 * (c->u_k[j] + c->u[j]) * r[j];
        r2 += r[j] * r[j];
    }
    const double sum = before + after;
    return (island_work){sum, fabs(before) + fabs(after), sqrt(r2), sum, i};
}

// Replaces v by the motion without contacts in which joints hold, for the bodies that they connect,
// in the islands in `asked`. Where they cannot hold, the island leaves `asked`
static pcs_status with_joints(const trial *t, int *up, pcs_arena mem, bool *asked, double *v)
{
    jointed joints;
    PCS_TRY(jointed_find(t, &mem, &joints));
    if (joints.n == 0) return PCS_OK;
    double *p = PCS_TAKE(&mem, (size_t)t->m->nv, double);
    if (!p) return pcs_fail_memory("step: the energy of contacts");
    trial_copy(t, NULL, p);
    for (int i = 0; i < t->list.n && t->list.c[i].joint; ++i) {
        const candidate *c = &t->list.c[i];
        if (!c->active || is_contact(c)) continue;
        bodies_block_impulse(&t->list.k[i], t->m->block_start, t->rotation, t->solution.r + c->at,
                             p);
    }
    for (int g = 0; g < joints.n; ++g) {
        const int b = joints.block[joints.start[g]];
        const int root = island_root(up, t->m->block_system[b]);
        if (!asked[root]) continue;
        PCS_TRY(jointed_velocity(t, &joints, b, mem, p, v));
        asked[root] = !joints.loose[g];
    }
    return PCS_OK;
}

// sums over the contacts of each island, or of those in `asked`; start: with u_k in place of u_free
static void sum_works(const trial *t, int *up, const bool *asked, const double *v_free,
                      double *u_free, island_work *of, double *start)
{
    for (int k = 0; k < t->m->n_systems; ++k) {
        if (asked && !asked[k]) continue;
        of[k] = (island_work){0};
        start[k] = 0;
    }
    for (int i = 0; i < t->list.n; ++i) {
        const candidate *c = &t->list.c[i];
        candidates_fetch(&t->list, i);
        if (!is_contact(c)) continue;
        const int root = island_root(up, candidate_mover(t, c));
        if (asked && !asked[root]) continue;
        double own_start;
        island_work *w = &of[root];
        const island_work own = work_of(t, i, v_free, u_free, &own_start);
        start[root] += own_start;
        w->sum += own.sum;
        w->exchanged += own.exchanged;
        w->pushed += own.pushed;
        if (!(own.sum > w->most)) continue;
        w->most = own.sum;
        w->worst = i;
    }
}

pcs_status step_island_works(const trial *t, double least, pcs_arena *mem, int **up,
                             island_work **of)
{
    const size_t n = (size_t)t->m->n_systems, nv = (size_t)t->m->nv;
    *up = PCS_TAKE(mem, n, int);
    *of = PCS_TAKE(mem, n, island_work);
    double *u_free = PCS_TAKE(mem, (size_t)t->solution.rows, double);
    double *start = PCS_TAKE(mem, n, double);
    if (!*up || !*of || !u_free || !start) return pcs_fail_memory("step: the energy of contacts");
    step_join_islands(t, *up);
    const double *v_free;
    PCS_TRY(without_contacts(t, mem, &v_free));
    sum_works(t, *up, NULL, v_free, u_free, *of, start);

    bool *asked = PCS_TAKE(mem, n, bool), any = false;
    if (!asked) return pcs_fail_memory("step: the energy of contacts");
    for (size_t i = 0; i < n; ++i) {
        asked[i] = start[i] > least * (*of)[i].pushed;
        any = any || asked[i];
    }
    if (any && t->list.c[0].joint) { // interactions come first
        double *v = PCS_TAKE(mem, nv, double);
        if (!v) return pcs_fail_memory("step: the energy of contacts");
        trial_copy(t, v_free, v);
        PCS_TRY(with_joints(t, *up, *mem, asked, v));
        sum_works(t, *up, asked, v, u_free, *of, start);
    }
    for (size_t i = 0; i < n; ++i) {
        (*of)[i].sum = fmin((*of)[i].sum, start[i]);
    }
    return PCS_OK;
}

void candidate_land(candidate *c)
{
    c->active = c->lands = true;
    c->bounces = false;
}

pcs_status step_land_gains(const trial *t, pcs_arena mem, double residual, candidates *list,
                           bool *any)
{
    const double part = fmax(GAIN, NOISE * residual);
    bool bounces = false;
    *any = false;
    for (int i = 0; i < list->n && !bounces; ++i) {
        bounces = list->c[i].active && list->c[i].bounces;
    }
    if (!bounces || !t->solution.v_free || !trial_in_range(t, t->end.v)) return PCS_OK;
    for (int i = 0; i < list->n; ++i) {
        const candidate *c = &list->c[i];
        if (is_contact(c)) candidate_velocity(t, i, t->end.v, c->drive, c->u);
    }
    int *up;
    island_work *of;
    PCS_TRY(step_island_works(t, 0, &mem, &up, &of));
    for (int i = 0; i < list->n; ++i) {
        candidate *c = &list->c[i];
        if (!c->active || !c->bounces) continue;
        const island_work *w = &of[island_root(up, candidate_mover(t, c))];
        if (!(w->sum > part * w->exchanged)) continue;
        candidate_land(c);
        *any = true;
    }
    return PCS_OK;
}

pcs_status step_land_unsolved(const trial *t, pcs_arena mem, const pcs_measure *measure,
                              candidates *list, bool *any)
{
    int *island;
    measure_sums *of;
    *any = false;
    if (!t->solution.v_free) return PCS_OK;
    PCS_TRY(
        bodies_island_sums(t->solution.solved, t->solution.r, t->solution.u, &mem, &island, &of));
    const double most = t->m->scheme.solver.tol * measure_size(measure);
    // the blocks are those of the active candidates, in their order
    for (int i = 0, b = 0; i < list->n; ++i) {
        candidate *c = &list->c[i];
        if (!c->active) continue;
        const bool solved = squares_root(&of[island[b++]].violation) <= most;
        if (solved || !c->bounces) continue;
        candidate_land(c);
        *any = true;
    }
    return PCS_OK;
}

bool step_joints_gain(const trial *t, pcs_arena mem)
{
    double work = 0, K = 0, common = 0;
    if (pcs_state_kinetic_energy(t->m, t->st, &K) != PCS_OK) return true;
    if (step_common_energy(t, false, mem, &common) != PCS_OK) return true;
    for (int i = 0; i < t->list.n; ++i) {
        const candidate *c = &t->list.c[i];
        if (!c->joint_shift || !c->active || c->law.kind != PCS_LAW_EQUALITY) continue;
        pcs_arena scope = mem;
        double *u = PCS_TAKE(&scope, 2 * (size_t)c->dim, double);
        if (!u) return true;
        candidate_velocity(t, i, t->st->v, c->drive_k, u);
        candidate_velocity(t, i, t->end.v, c->drive, u + c->dim);
        for (int j = 0; j < c->dim; ++j) {
            work += 0.5 * (u[j] + u[c->dim + j]) * t->solution.r[c->at + j];
        }
    }
    return !(work <= (t->list.settles_much ? 0 : JOINTS_GAIN * motion_energy_left(K, common)));
}
