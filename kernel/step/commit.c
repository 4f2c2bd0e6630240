// The end of a step: gaps at the end, contacts for the reader, and the replacement of the state.
#include "step/step.h"

#include <string.h>

#include "certificate/verdict.h"
#include "linalg/m3.h"
#include "problem/problem.h"

static void publish_contact(const candidate *c, const bodies_block *k, int row, pcs_contact *out)
{
    const bool shapes = c->interaction < 0;
    const bool friction = candidate_cone(c) == PCS_COULOMB;
    *out = (pcs_contact){.system1 = {c->sys1 + 1},
                         .system2 = {c->sys2 + 1},
                         .shape1 = shapes ? c->key.shape1 : -1,
                         .shape2 = shapes ? c->key.shape2 : -1,
                         .interaction = shapes ? 0 : c->interaction + 1,
                         .row = shapes ? 0 : c->row + row,
                         .feature = c->key.feature,
                         .law = c->law,
                         .active = c->active,
                         .status = c->status,
                         .gap = c->g[row],
                         .gap_end = c->g_end[row]};
    memcpy(out->r, c->r + row, (friction ? (size_t)c->dim : 1) * sizeof *out->r);
    memcpy(out->u, c->u + row, (friction ? (size_t)c->dim : 1) * sizeof *out->u);
    if (shapes) {
        memcpy(out->P1, c->P1, sizeof out->P1);
        v3_along(c->P1, -c->g[0], k->F, out->P2);
        memcpy(out->F, k->F, sizeof out->F);
    }
}

// velocities of the largest system
static size_t widest(const pcs_model *m)
{
    int most = 0;
    for (int i = 0; i < m->n_systems; ++i) {
        if (m->system[i].nv > most) most = m->system[i].nv;
    }
    return (size_t)most;
}

// the status of every candidate, from r and w = u + shift of the problem last solved; errors of
// velocities are what the solver stops on
static pcs_status find_status(trial *t, const pcs_measure *measure, pcs_arena mem)
{

    const double size = fmax(measure->norm_q, measure->norm_u);
    const double error = fmax(t->m->scheme.solver.tol, 2 * measure->residual) * size;
    int block = 0;
    for (int i = 0; i < t->list.n; ++i) {
        candidate *c = &t->list.c[i];
        c->status = PCS_CONTACT_OPEN;
        if (!c->active || !t->v_free) continue; // a projection solves for no impulses
        const pcs_cone cone = candidate_cone(c);
        if (cone == PCS_COULOMB) {
            double W[9], Z[2 * 3 * BODY_NV], *room = Z;
            pcs_arena scope = mem;
            if (c->interaction >= 0) room = PCS_TAKE(&scope, 6 * widest(t->m), double);
            if (!room) return pcs_fail_memory("step: the contacts");
            bodies_diagonal(&t->problem, block, room, W);
            double trace = 0;
            for (int j = 0; j < c->dim; ++j) {
                trace += W[(c->dim + 1) * j];
            }
            const pcs_block cone_block = {cone, c->at, c->dim, c->law.mu};
            c->status = verdict_of(&cone_block, trace / c->dim, error, c->r, t->u + c->at).status;
        } else if (cone == PCS_EQUALITY) {
            c->status = PCS_CONTACT_STICK;
        } else if (c->r[0] > 0) {
            c->status = PCS_CONTACT_SLIDE;
        }
        ++block;
    }
    return PCS_OK;
}

pcs_status step_publish(trial *t, pcs_arena *mem, pcs_state *st, pcs_step_report *out)
{
    pcs_work *wk = t->work;
    int rows = 0;
    out->candidates = t->list.n;
    out->active = 0;
    out->penetration = 0;
    for (int i = 0; i < t->list.n; ++i) {
        candidate *c = &t->list.c[i];
        rows += c->dim;
        out->active += c->active;
        PCS_TRY(candidate_gap(t->m, c, t->q, *mem, c->g_end));
        if (c->law.kind != PCS_LAW_EQUALITY && -c->g_end[0] > out->penetration) {
            out->penetration = -c->g_end[0];
        }
        candidate_velocity(t, i, t->v, c->drive, c->u);
        for (int j = 0; j < c->dim; ++j) {
            c->r[j] = c->active ? t->r[c->at + j] : 0;
        }
    }
    PCS_TRY(find_status(t, &out->solve.measure, *mem));
    pcs_contact *contact = PCS_TAKE(mem, (size_t)rows, pcs_contact);
    if (!contact) return pcs_fail_memory("step: the contacts");
    PCS_TRY(state_reserve(st, rows));

    int n = 0;
    for (int i = 0; i < t->list.n; ++i) {
        for (int j = 0; j < candidate_gaps(&t->list.c[i]); ++j) {
            publish_contact(&t->list.c[i], candidate_first(&t->list, i), j, &contact[n++]);
        }
    }
    wk->contact = contact;
    wk->n_contacts = n;
    wk->list = t->list;
    wk->model = t->m;
    wk->problem = t->problem;
    wk->v_free = t->v_free;
    wk->rotation = t->rotation;
    wk->lu = t->lu;
    wk->problem.A = &wk->lu;
    return PCS_OK;
}

// lets the contact at `root` sink in the heap of n
static void sink(remembered *c, int root, int n)
{
    for (int child; (child = 2 * root + 1) < n; root = child) {
        if (child + 1 < n && contact_key_compare(&c[child].key, &c[child + 1].key) < 0) {
            child += 1;
        }
        if (contact_key_compare(&c[root].key, &c[child].key) >= 0) return;
        const remembered swap = c[root];
        c[root] = c[child];
        c[child] = swap;
    }
}

// moves that a list nearly in order may need per contact before heapsort takes over
#define FEW_MOVES 4

// sorts what is nearly in order; false when it was given up, in any order
static bool insertion_sort(pcs_memory *mem)
{
    remembered *c = mem->contact;
    long long left = (long long)FEW_MOVES * mem->n;
    for (int i = 1; i < mem->n; ++i) {
        if (contact_key_compare(&c[i - 1].key, &c[i].key) <= 0) continue;
        const remembered moved = c[i];
        int j = i;
        for (; j > 0 && contact_key_compare(&c[j - 1].key, &moved.key) > 0; --j) {
            c[j] = c[j - 1];
        }
        c[j] = moved;
        left -= i - j;
        if (left < 0) return false;
    }
    return true;
}

// sorts by key, in place: nothing here may fail, and qsort may allocate
static void sort_memory(pcs_memory *mem)
{
    remembered *c = mem->contact;
    if (insertion_sort(mem)) return;
    for (int i = mem->n / 2 - 1; i >= 0; --i) {
        sink(c, i, mem->n);
    }
    for (int end = mem->n - 1; end > 0; --end) {
        const remembered last = c[end];
        c[end] = c[0];
        c[0] = last;
        sink(c, 0, end);
    }
}

void step_commit(const trial *t, pcs_state *st)
{
    pcs_memory *mem = st->memory;
    mem->n = 0;
    for (int i = 0; i < t->list.n; ++i) {
        const candidate *c = &t->list.c[i];
        if (!c->active) continue;
        contact_key key = c->key;
        if (remembers_force(c)) {
            remembered *r = &mem->contact[mem->n++];
            *r = (remembered){.key = key, .active = true};
            m3_mul(candidate_first(&t->list, i)->F, c->r, r->r);
            continue;
        }
        for (int j = 0; j < c->dim; ++j) {
            if (c->interaction >= 0) key.feature = (unsigned)(c->row + j);
            mem->contact[mem->n++] = (remembered){.key = key, .active = true, .r = {c->r[j], 0, 0}};
        }
    }
    sort_memory(mem);
    memcpy(st->q, t->q, (size_t)st->nq * sizeof(double));
    memcpy(st->v, t->v, (size_t)st->nv * sizeof(double));
    st->t += t->h;
}

// ---- what can be read afterwards --------------------------------------------------------------

int pcs_contacts(const pcs_work *wk, const pcs_contact **out)
{
    if (out) *out = wk ? wk->contact : NULL;
    return wk ? wk->n_contacts : 0;
}

void pcs_contact_wrench(const pcs_work *wk, pcs_system system, double wrench[6])
{
    memset(wrench, 0, 6 * sizeof *wrench);
    const int index = system.id - 1;
    if (!wk || !wk->model || !model_find(wk->model, system)) return;
    if (wk->model->system[index].kind != SYSTEM_BODY) return;
    const pcs_model *m = wk->model;
    const int block = m->system[index].block;
    for (int i = 0; i < wk->list.n && block >= 0; ++i) {
        const candidate *c = &wk->list.c[i];
        const bodies_block *k = &wk->list.k[i];
        for (int side = 0; side < 2; ++side) {
            if (k->sys[side] != block) continue;
            bodies_block one = *k;
            one.sys[1 - side] = -1;

            // as if the system were the only one
            const int start[2] = {0, BODY_NV};
            one.sys[side] = 0;
            bodies_block_impulse(&one, start, wk->rotation + 9 * (size_t)block, c->r, wrench);
        }
    }
}

// W of the problem last solved, in memory of the work
static pcs_status assemble_last(pcs_work *wk)
{
    size_t peak = 0;
    pcs_status status = PCS_ERR_MEMORY;
    for (int round = 0; round < 20 && status == PCS_ERR_MEMORY; ++round) {
        wk->assembled.used = 0;
        wk->assembled.peak = &peak;
        status = bodies_assemble(&wk->problem, wk->v_free, &wk->assembled, &wk->local);
        if (status != PCS_ERR_MEMORY || peak <= wk->assembled.size) break;
        pcs_arena_destroy(&wk->env, &wk->assembled);
        PCS_TRY(pcs_arena_create(&wk->env, peak + peak / 2, &wk->assembled));
    }
    wk->assembled.peak = NULL;
    return status;
}

pcs_problem pcs_last_problem(const pcs_work *work)
{
    // W is made when somebody asks: the work is the caller's own, and nobody sees it before
    pcs_work *wk = (pcs_work *)(uintptr_t)work;
    if (!wk || !wk->v_free || wk->problem.n == 0) return (pcs_problem){0};
    if (!wk->is_assembled && assemble_last(wk) != PCS_OK) return (pcs_problem){0};
    wk->is_assembled = true;
    return wk->local;
}
