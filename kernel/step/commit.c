// The end of a step: gaps at the end, results that can be read, and the replacement of the state.
#include "step/step.h"

#include <float.h>
#include <string.h>

#include "linalg/m3.h"
#include "problem/measure.h"
#include "step/couple.h"
#include "step/skip.h"

// candidates that a thread takes together
enum { PIECE = 256 };

// counts of a piece of the list
typedef struct count {
    int rows, active;
    double before, end; // deepest overlap, m
} count;

typedef struct publishing {
    const trial *t;
    candidates *list;
    bool projected; // the overlap at the end is known
    count *piece;
} publishing;

static void publish(const publishing *p, int i, count *here)
{
    const trial *t = p->t;
    candidate *c = &p->list->c[i];
    here->rows += c->dim;
    here->active += c->active;
    if (law_is_unilateral(&c->law) && !c->refuted && !c->other_face) {
        // fmax of 0 and -0 may be -0
        if (-c->g[0] > here->before) here->before = -c->g[0];
        if (!p->projected && -c->g_end[0] > here->end) here->end = -c->g_end[0];
    }
    candidate_velocity(t, i, t->end.v, c->drive, c->u);
    if (c->held) return;
    for (int j = 0; j < c->dim; ++j) {
        c->r[j] = c->active ? t->solution.r[c->at + j] : 0;
        if (c->joint_shift) c->u[j] += c->joint_shift[j];
    }
}

static void publish_pieces(void *arg, int begin, int end)
{
    const publishing *p = arg;
    const trial *t = p->t;
    feature_pose at[2] = {0};
    for (int k = begin; k < end; ++k) {
        p->piece[k] = (count){0};
        for (int i = k * PIECE; i < (k + 1) * PIECE && i < p->list->n; ++i) {
            candidate *c = &p->list->c[i];
            candidates_fetch(p->list, i);
            if (c->interaction < 0 && !(p->list->gaps_known && !c->held)) {
                contact_end_gap(t, c, at);
            }
            publish(p, i, &p->piece[k]);
        }
    }
}

// Error of velocities that were solved to the tolerance of the scheme: the residual is relative to
// |q| or |W r| <= |q| + |u|, over all contacts. Far targets are in u: there |u| <= |q| + |W r|
// would hold without them. Velocities accepted with a larger residual have a larger error, which is
// limited to a hundredth.
double step_velocity_tol(const pcs_scheme *s, const pcs_measure *m)
{
    const double size = fmin(m->norm_q + m->norm_u, 3 * measure_size(m));
    double part = fmax(s->solver.tol, 16 * DBL_EPSILON);
    if (!(m->residual <= part)) part = m->residual <= 1e-2 ? m->residual : fmax(part, 1e-2);
    return isfinite(size) ? part * size : 0;
}

pcs_status step_publish(const trial *t, pcs_arena *mem, candidates *list, pcs_state *st,
                        pcs_step_report *out)
{
    pcs_work *wk = t->work;
    const int pieces = (list->n + PIECE - 1) / PIECE;
    count only;
    publishing p = {t, list, list->projected, &only};
    if (pieces > 1) p.piece = PCS_TAKE(mem, (size_t)pieces, count);
    if (!p.piece) return pcs_fail_memory("step: the contacts");
    for (int i = 0; i < list->n; ++i) {
        candidate *c = &list->c[i];
        if (c->interaction >= 0) PCS_TRY(candidate_gap(t->m, c, t->end.q, *mem, c->g_end));
    }
    threads_each(pieces > 1 ? wk->team : NULL, pieces, publish_pieces, &p);

    // the overlap that a projection measures at q' replaces that of the features at the start
    int rows = 0;
    out->candidates = step_candidates(t);
    out->active = 0;
    out->penetration_before = 0;
    if (!p.projected) out->penetration = 0;
    for (int k = 0; k < pieces; ++k) {
        rows += p.piece[k].rows;
        out->active += p.piece[k].active;
        out->penetration_before = fmax(out->penetration_before, p.piece[k].before);
        if (!p.projected) out->penetration = fmax(out->penetration, p.piece[k].end);
    }
    if (t->skipped) {
        const step_skip *s = &wk->skip;
        rows += s->n_kept + st->memory->n;
        out->penetration_before = fmax(out->penetration_before, s->before);
        if (!p.projected) out->penetration = fmax(out->penetration, s->end);
    }
    // those that are broken stay so, and any other may break
    const int most = st->memory->broken + (t->m->breaks ? t->m->n_interactions : 0);
    PCS_TRY(state_reserve(st, rows + most));
    PCS_TRY(events_reserve(&wk->events, &wk->env, step_candidates(t)));
    wk->list = *list;
    wk->braked = t->braked;
    wk->skips = t->skipped;
    wk->u = t->solution.u;
    wk->measure = out->solve.measure;
    wk->kappa = t->solution.kappa;
    wk->model = t->m;
    wk->h = t->h;
    wk->problem = t->solution.problem;
    wk->v_free = t->solution.v_free;
    wk->rotation = t->rotation;
    wk->lu = t->solution.lu;
    if (t->joined && t->solution.v_free) {
        wk->problem = *t->solution.solved;
        wk->v_free = t->solution.solved_free;
        wk->lu = t->joined->solved;
    }
    wk->problem.A = &wk->lu;
    return PCS_OK;
}

// moves the contact at `root` down in the heap of n
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

// largest number of moves per contact in a nearly sorted list; beyond it heapsort is used
#define FEW_MOVES 4

// sorts a nearly sorted list; false when it gives up and leaves the list in any order
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

// One contact for each key: a feature that has a row at the start of the step and another one where
// the shapes meet is remembered with the sum of their impulses.
static void join_equal(pcs_memory *mem)
{
    remembered *c = mem->contact;
    int n = 0;
    for (int i = 0; i < mem->n; ++i) {
        if (n == 0 || contact_key_compare(&c[n - 1].key, &c[i].key) != 0) {
            c[n++] = c[i];
            continue;
        }
        for (int k = 0; k < 3; ++k) {
            c[n - 1].r[k] += c[i].r[k];
        }
    }
    mem->n = n;
}

// the records of broken interactions stay, before all others
static void keep_broken(const pcs_memory *from, pcs_memory *to)
{
    to->n = 0;
    for (int i = 0; i < from->n && to->n < from->broken; ++i) {
        if (is_broken_key(&from->contact[i].key)) to->contact[to->n++] = from->contact[i];
    }
}

void step_commit(const trial *t, pcs_state *st)
{
    // beside skipped bodies the contacts are listed behind those of the last step
    pcs_memory own = *st->memory, *mem = &own;
    if (t->skipped) own.contact += own.n;
    for (int i = 0; i < t->list.n; ++i) {
        candidates_fetch(&t->list, i);
        if (t->list.c[i].held) t->list.c[i].active = true;
    }
    t->work->events.part += 1;
    events_add(&t->work->events, &t->list);
    if (t->skipped) events_add(&t->work->events, &t->work->skip.list);
    keep_broken(st->memory, mem);
    for (int i = 0; i < t->list.n; ++i) {
        const candidate *c = &t->list.c[i];
        candidates_fetch(&t->list, i);
        if (c->breaks) {
            mem->contact[mem->n++] = (remembered){.key = broken_key(c->interaction)};
            mem->broken += 1;
        }
        if (!c->active || c->breaks) continue;
        if (c->held) {
            memcpy(&mem->contact[mem->n], c->kept, (size_t)c->n_kept * sizeof *c->kept);
            mem->n += c->n_kept;
            continue;
        }
        contact_key key = c->key;
        if (remembers_force(c)) {
            remembered *r = &mem->contact[mem->n++];
            *r = (remembered){.key = key, .active = 1 + c->rests};
            double local[3] = {0};
            memcpy(local, c->r, (size_t)c->dim * sizeof *local);
            m3_mul(candidate_first(&t->list, i)->F, local, r->r);
            continue;
        }
        for (int j = 0; j < c->dim; ++j) {
            if (c->interaction >= 0) key.feature = (unsigned)(c->joint->row + j);
            mem->contact[mem->n++] =
                (remembered){.key = key, .active = 1 + c->rests, .r = {c->r[j], 0, 0}};
        }
    }
    sort_memory(mem);
    if (t->list.n > t->list.n_start) join_equal(mem);
    if (t->skipped) {
        skip_remember(&t->work->skip, mem, st);
    } else {
        st->memory->n = mem->n;
    }
    mem = st->memory;
    mem->broken = own.broken;

    // a gap from an earlier step takes some steps to close
    const double tol = step_velocity_tol(&t->m->scheme, &t->work->measure);
    mem->velocity_tol = fmax(tol, REST_DECAY * mem->velocity_tol);
    if (t->work->kappa != 0) mem->kappa = fmax(0, t->work->kappa);
    for (int k = 0; k < t->n_runs; ++k) {
        const trial_run *run = &t->run[k];
        memcpy(st->q + run->q, t->end.q + run->q, (size_t)run->nq * sizeof(double));
    }
    trial_copy(t, t->end.v, st->v);
    st->t += t->h;
    state_touch(st);
}
