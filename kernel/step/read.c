// Results that can be read after a step: contacts with their status, the problem that was solved.
// They are made on request.
#include "step/step.h"

#include <float.h>
#include <string.h>

#include "certificate/verdict.h"
#include "linalg/m3.h"
#include "problem/measure.h"
#include "relations/joint_kinds.h"

// ---- contacts ----------------------------------------------------------------------------------

// size: rows per unit of what they hold (joint_row_size)
static void publish_contact(const candidate *c, const bodies_block *k, int row, double size,
                            pcs_contact *out)
{
    const bool shapes = c->interaction < 0;
    const bool friction = candidate_cone(c) == PCS_CONE_COULOMB;
    *out = (pcs_contact){.system1 = {c->pose1 + 1},
                         .system2 = {c->pose2 + 1},
                         .shape1 = shapes ? c->key.shape1 : -1,
                         .shape2 = shapes ? c->key.shape2 : -1,
                         .interaction = shapes ? 0 : c->interaction + 1,
                         .row = shapes ? 0 : c->joint->row + row,
                         .feature = c->key.feature,
                         .law = c->law,
                         .active = c->active,
                         .status = c->status,
                         .gap = c->g[row] / size,
                         .gap_end = c->g_end[row] / size};
    for (int j = 0; j < (friction ? c->dim : 1); ++j) {
        out->r[j] = c->r[row + j] * size;
        out->u[j] = c->u[row + j] / size;
    }
    if (shapes) {
        memcpy(out->P1, c->P1, sizeof out->P1);
        memcpy(out->P2, c->P2, sizeof out->P2);
        memcpy(out->F, k->F, sizeof out->F);
    }
}

// width of the largest block of A
static size_t widest(const block_lu *A)
{
    int most = 0;
    for (int b = 0; b < A->nb; ++b) {
        const int width = A->start[b + 1] - A->start[b];
        if (width > most) most = width;
    }
    return (size_t)most;
}

static pcs_contact_status held_status(const candidate *c)
{
    const bool equality = c->law.kind == PCS_LAW_EQUALITY;
    if (!equality && !(c->r[0] > 0)) return PCS_CONTACT_OPEN;
    return equality || c->dim > 1 ? PCS_CONTACT_STICK : PCS_CONTACT_SLIDE;
}

// error (nb): that of the velocities of each block; in a solve that has failed each island has its
// own
static pcs_status find_errors(const pcs_work *wk, pcs_arena mem, double *error)
{
    const bodies_problem *b = &wk->problem;
    const double tol = wk->model->scheme.solver.tol, size = measure_size(&wk->measure);
    const size_t n = (size_t)b->n, nb = (size_t)b->nb;
    pcs_measure own = wk->measure;
    for (size_t k = 0; k < nb; ++k) {
        error[k] = measure_error(&own, tol) * size;
    }
    if (!(own.residual > tol)) return PCS_OK;

    double *r = PCS_TAKE(&mem, n, double);
    if (!r) return pcs_fail_memory("pcs_work_contacts");
    memset(r, 0, n * sizeof *r);
    for (int i = 0; i < wk->list.n; ++i) {
        const candidate *c = &wk->list.c[i];
        const bool solved = c->at >= 0 && (c->active || c->held);
        if (solved) memcpy(r + c->at, c->r, (size_t)c->dim * sizeof *r);
    }
    int *island;
    measure_sums *sum;
    PCS_TRY(bodies_island_sums(b, r, wk->u, &mem, &island, &sum));
    for (size_t k = 0; k < nb; ++k) {
        const measure_sums *m = &sum[island[k]];
        const double rounding = MEASURE_ROUNDINGS * DBL_EPSILON * squares_root(&m->load);
        own.residual = fmax(squares_root(&m->violation), rounding) / size;
        error[k] = measure_error(&own, tol) * size;
    }
    return PCS_OK;
}

// the status of every candidate, from r and w = u + shift of the problem last solved, with the
// error at which the solver stopped
static pcs_status find_status(pcs_work *wk, pcs_arena *mem)
{
    double *error = NULL;
    size_t most = 0;
    if (wk->v_free && wk->problem.nb > 0) {
        error = PCS_TAKE(mem, (size_t)wk->problem.nb, double);
        if (!error) return pcs_fail_memory("pcs_work_contacts");
        PCS_TRY(find_errors(wk, *mem, error));
        most = widest(wk->problem.A);
    }
    int block = 0;
    for (int i = 0; i < wk->list.n; ++i) {
        candidate *c = &wk->list.c[i];
        c->status = PCS_CONTACT_OPEN;
        if (c->held) {
            c->status = held_status(c);
            block += c->at >= 0;
            continue;
        }
        if (!c->active || !wk->v_free) continue; // a projection computes no impulses
        const pcs_cone cone = candidate_cone(c);
        if (cone == PCS_CONE_COULOMB) {
            double W[9], Z[2 * 3 * BODY_NV], *room = Z;
            pcs_arena scope = *mem;
            if (most > BODY_NV) room = PCS_TAKE(&scope, 6 * most, double);
            if (!room) return pcs_fail_memory("pcs_work_contacts");
            bodies_diagonal(&wk->problem, block, room, W);
            double trace = 0;
            for (int j = 0; j < c->dim; ++j) {
                trace += W[(c->dim + 1) * j];
            }
            const pcs_block cone_block = {cone, c->at, c->dim, c->law.mu};
            c->status =
                verdict_of(&cone_block, trace / c->dim, error[block], c->r, wk->u + c->at).status;
        } else if (cone == PCS_CONE_BOX) {
            const bool slides = fabs(c->r[0]) >= (1 - 1e-9) * wk->list.k[i].mu;
            c->status = slides ? PCS_CONTACT_SLIDE : PCS_CONTACT_STICK;
        } else if (cone == PCS_CONE_EQUALITY) {
            c->status = PCS_CONTACT_STICK;
        } else if (c->r[0] > 0) {
            c->status = PCS_CONTACT_SLIDE;
        }
        ++block;
    }
    for (int i = 0; wk->skips && i < wk->skip.list.n; ++i) {
        wk->skip.list.c[i].status = held_status(&wk->skip.list.c[i]);
    }
    return PCS_OK;
}

static void publish_rows(const pcs_model *m, const candidates *list, int i, pcs_contact *contact,
                         int *n)
{
    const candidate *c = &list->c[i];
    double turn, size = 1;
    if (c->interaction >= 0) size = joint_row_size(&m->interaction[c->interaction].relation, &turn);
    for (int j = 0; j < candidate_measures(c) && !c->kept_on; ++j) {
        publish_contact(c, candidate_first(list, i), j, size, &contact[(*n)++]);
    }
}

static pcs_status list_contacts(pcs_work *wk, pcs_arena *mem)
{
    const candidates *list = &wk->list, *others = &wk->skip.list;
    const int n_others = wk->skips ? others->n : 0;
    int n = n_others;
    for (int i = 0; i < list->n; ++i) {
        n += candidate_measures(&list->c[i]);
    }
    pcs_contact *contact = PCS_TAKE(mem, (size_t)n, pcs_contact);
    if (!contact) return pcs_fail_memory("pcs_work_contacts");
    PCS_TRY(find_status(wk, mem));
    n = 0;
    int k = 0; // both lists are sorted, up to those that the end of the step has added
    for (int i = 0; i < list->n; ++i) {
        while (k < n_others && (i >= list->n_start ||
                                contact_key_compare(&others->c[k].key, &list->c[i].key) < 0)) {
            publish_rows(wk->owner, others, k++, contact, &n);
        }
        publish_rows(wk->owner, list, i, contact, &n);
    }
    while (k < n_others) {
        publish_rows(wk->owner, others, k++, contact, &n);
    }
    wk->contact = contact;
    wk->n_contacts = n;
    return PCS_OK;
}

static pcs_status local_problem(pcs_work *wk, pcs_arena *mem)
{
    bodies_problem *p = &wk->problem;
    PCS_TRY(bodies_find_far(p, p->nb, NULL, wk->v_free, *mem, &p->far));
    return bodies_assemble(p, wk->v_free, mem, &wk->local);
}

// runs `make` in an arena of the work, which grows until it is large enough
static pcs_status make_grown(pcs_work *wk, pcs_arena *arena,
                             pcs_status (*make)(pcs_work *wk, pcs_arena *mem))
{
    pcs_failure before;
    pcs_failure_keep(&before);
    for (;;) {
        size_t peak = 0;
        pcs_arena mem = *arena;
        mem.used = 0;
        mem.peak = &peak;
        const pcs_status status = make(wk, &mem);
        if (status == PCS_OK) pcs_failure_restore(&before);
        if (status != PCS_ERR_MEMORY || peak <= arena->size) return status;
        pcs_arena bigger;
        PCS_TRY(pcs_arena_create(&wk->env, peak + peak / 2 + 1024, &bigger));
        pcs_arena_destroy(&wk->env, arena);
        *arena = bigger;
    }
}

pcs_status pcs_work_contacts(pcs_work *wk, int *count, const pcs_contact **out)
{
    if (!wk || !count) return pcs_fail(PCS_ERR_ARG, "pcs_work_contacts: work or count is null");
    *count = 0;
    if (out) *out = NULL;
    if (!wk->model || wk->list.n + (wk->skips ? wk->skip.list.n : 0) == 0) return PCS_OK;
    if (!wk->contact) PCS_TRY(make_grown(wk, &wk->listed, list_contacts));
    *count = wk->n_contacts;
    if (out) *out = wk->contact;
    return PCS_OK;
}

// ---- the problem -----------------------------------------------------------------------------

pcs_status pcs_work_problem(pcs_work *wk, pcs_problem *out)
{
    if (!wk || !out) return pcs_fail(PCS_ERR_ARG, "pcs_work_problem: an argument is null");
    *out = (pcs_problem){0};
    if (!wk->v_free || wk->problem.n == 0) return PCS_OK;
    if (!wk->is_assembled) PCS_TRY(make_grown(wk, &wk->assembled, local_problem));
    wk->is_assembled = true;
    *out = wk->local;
    return PCS_OK;
}
