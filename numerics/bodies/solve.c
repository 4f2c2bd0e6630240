// Solves the contact problem of bodies, island by island, each by the row of the solver table that
// the options name.
//
// An island is solved to tol relative to its own |q| and |W r|. n islands together are then within
// tol sqrt(2), as |q|^2 + |W r|^2 <= 2 max(|q|^2, |W r|^2). So each has tol / sqrt(2), but the
// largest one, where it is most of the problem, is solved after all others and has what these leave
// of tol. The measure of the whole problem decides.
#include "bodies/bodies.h"

#include <float.h>
#include <stdatomic.h>
#include <string.h>

#include "bodies/islands.h"
#include "bodies/sweep.h"
#include "bodies/task.h"
#include "problem/measure.h"
#include "solver/solver.h"

// islands of at least this many blocks are solved by the whole team
#define LARGE 512
// part of what is left of tol, for rounding
#define LEFT 0.999

typedef struct solution {
    const bodies_problem *b;
    const pcs_solver_opts *o;
    islands s;
    double budget; // units per block
    double clock;
    const double *v_free;
    double *v, *r, *u;
    island_result *result;
    int last;          // the largest island, solved after all others; -1: none is that large
    task_watch *watch; // or null
    threads *team;     // solves large islands one by one
    struct lane *lane; // solves many small islands at a time
    atomic_int next;   // the next island that no thread has taken
} solution;

// a thread that solves islands of its own
typedef struct lane {
    pcs_arena work;
    size_t peak;
    pcs_status status; // status of the first island that failed
    int failed;
    char text[256];
} lane;

// ---- one island --------------------------------------------------------------------------------

static double budget_of(const solution *s, int i)
{
    return s->budget * islands_blocks(&s->s, i);
}

// solves an island of one block as the first sweep would, which is exact
static bool solve_one(solution *s, int i, int block, const pcs_solver_opts *o, pcs_far far,
                      const double *v_free)
{
    const bool sweeps = o->kind == PCS_SOLVER_AUTO || sweeps_honour(o);
    if (!sweeps || !(fmin(o->max_iters, budget_of(s, i)) >= 1)) return false;
    pcs_report report = {.outcome = PCS_OUTCOME_CONVERGED, .solver = PCS_SOLVER_NSGS, .iters = 1};
    if (!sweep_one(s->b, block, o, far, v_free, s->v, s->r, s->u, &report.measure)) return false;
    s->result[i] = (island_result){
        .solve = report, .sweeps = 1, .units = PREPARE + 1, .rounding = far.rounding};
    return true;
}

// |q|^2 of an island, without far targets; u is overwritten
static double square_of_q(const solution *s, int i, pcs_far far)
{
    const bodies_problem *b = s->b;
    double sum = 0;
    if (far.met > 0) return far.unit * far.unit;
    for (int e = s->s.block_start[i]; e < s->s.block_start[i + 1]; ++e) {
        const bodies_block *k = &b->block[s->s.block[e]];
        double *q = s->u + k->row;
        bodies_block_constant(b, s->s.block[e], s->v_free, q);
        for (int j = 0; j < k->dim; ++j) {
            sum += q[j] * q[j];
        }
    }
    return sum;
}

static double square_of_violation(const solution *s, int i)
{
    const pcs_measure *m = &s->result[i].solve.measure;
    const double violation = m->residual * measure_size(m);
    return violation * violation;
}

// several islands within these tolerances are within o->tol together
static double tol_of(const solution *s, int i, pcs_far far)
{
    const double tol = s->o->tol;
    if (s->s.n == 1) return tol;
    if (s->o->stop != PCS_STOP_RESIDUAL) return tol * sqrt(1.0 / 3);
    const double equal = tol * sqrt(0.5);
    if (i != s->last) return equal;
    double others = 0;
    for (int k = 0; k < s->s.n; ++k) {
        if (k != i) others += square_of_violation(s, k);
    }
    const double left = tol * tol - others / square_of_q(s, i, far);
    return left > 0 ? fmax(equal, LEFT * sqrt(left)) : equal;
}

// true when a system has an envelope in place of a dense block, which only products know
static bool has_envelope(const island_task *t)
{
    const block_lu *A = t->of.b->A;
    for (int i = 0; A->of && i < t->of.ns; ++i) {
        if (A->kind[t->of.sys[i]] == BLOCK_ENVELOPE) return true;
    }
    return false;
}

// W is assembled where the row has no method for bodies, or none that honours the options
static pcs_status solve_island(solution *s, int i, threads *team, pcs_arena work)
{
    const islands *all = &s->s;
    island_task t = {.all = all,
                     .number = i,
                     .of = {.b = s->b,
                            .nb = islands_blocks(all, i),
                            .ns = all->sys_start[i + 1] - all->sys_start[i],
                            .block = all->block + all->block_start[i],
                            .sys = all->sys + all->sys_start[i],
                            .place = all->place},
                     .o = *s->o,
                     .budget = budget_of(s, i),
                     .clock = s->clock,
                     .team = team,
                     .watch = s->watch,
                     .work = work,
                     .v_free = s->v_free,
                     .v = s->v,
                     .r = s->r,
                     .u = s->u,
                     .result = &s->result[i]};
    // any r is better than none
    t.result->solve = (pcs_report){.outcome = PCS_OUTCOME_STALLED,
                                   .measure = {.residual = INFINITY, .natural_map = INFINITY}};
    PCS_TRY(bodies_find_far(s->b, t.of.nb, t.of.block, s->v_free, work, &t.of.far));
    t.result->rounding = t.of.far.rounding;
    t.o.tol = tol_of(s, i, t.of.far);
    const bool joined = task_is_joined(&t);
    if (s->watch && s->watch->stopped) return joined ? PCS_OK : task_sweep(&t, 0, 0);
    if (has_envelope(&t)) return task_assemble(&t, &t.o, task_left(&t), SPARSE_STEP);
    if (t.of.nb == 1 && !joined && solve_one(s, i, *t.of.block, &t.o, t.of.far, s->v_free)) {
        return PCS_OK;
    }
    double *start;
    PCS_TRY(task_keep_start(&t, &start));
    const solver_class *c = solver_class_of(t.o.kind);
    const pcs_status status = c->solve_bodies ? c->solve_bodies(&t) : PCS_ERR_UNSUPPORTED;
    if (status == PCS_OK && start) return task_stick(&t, start);
    if (status != PCS_ERR_UNSUPPORTED) return status;
    return task_assemble(&t, &t.o, task_left(&t), SPARSE_STEP);
}

// ---- many islands at a time --------------------------------------------------------------------

static bool is_large(const solution *s, int i)
{
    return islands_blocks(&s->s, i) >= LARGE;
}

// a thread takes the next island; which thread solves it does not affect the result
static void solve_some(void *arg, int rank)
{
    solution *s = arg;
    lane *l = &s->lane[rank];
    for (;;) {
        const int i = atomic_fetch_add_explicit(&s->next, 1, memory_order_relaxed);
        if (i >= s->s.n) return;
        if (is_large(s, i) || i == s->last) continue;
        const pcs_status status = solve_island(s, i, NULL, l->work);
        if (status == PCS_OK || (l->status != PCS_OK && l->failed < i)) continue;
        l->status = status;
        l->failed = i;
        strncpy(l->text, pcs_error_text(), sizeof l->text - 1);
    }
}

// the first failure in the order of the islands
static pcs_status failure(const lane *l, int ranks)
{
    const lane *first = NULL;
    for (int k = 0; k < ranks; ++k) {
        if (l[k].status != PCS_OK && (!first || l[k].failed < first->failed)) first = &l[k];
    }
    return first ? pcs_fail(first->status, "%s", first->text) : PCS_OK;
}

// divides the rest of the arena into equal parts, one per thread
static pcs_status solve_together(solution *s, pcs_arena work)
{
    const int ranks = threads_count(s->team);
    const size_t line = 64;
    s->lane = PCS_TAKE(&work, (size_t)ranks, lane);
    if (!s->lane) return pcs_fail_memory("contacts");
    const size_t start = (work.used + line - 1) & ~(line - 1);
    const size_t room = work.size > start ? (work.size - start) / (size_t)ranks & ~(line - 1) : 0;
    for (int k = 0; k < ranks; ++k) {
        lane *l = &s->lane[k];
        *l = (lane){.work = {.size = room}};
        if (room > 0) l->work.base = work.base + start + (size_t)k * room;
        l->work.peak = &l->peak;
    }
    atomic_store(&s->next, 0);
    threads_run(s->team, solve_some, s);

    size_t most = 0;
    for (int k = 0; k < ranks; ++k) {
        if (s->lane[k].peak > most) most = s->lane[k].peak;
    }
    const size_t demand = start + (size_t)ranks * ((most + line - 1) & ~(line - 1));
    if (work.peak && demand > *work.peak) *work.peak = demand;
    return failure(s->lane, ranks);
}

// the largest island where it is large or has most of the blocks, else -1
static int largest_of(const solution *s)
{
    int last = 0;
    for (int i = 1; i < s->s.n; ++i) {
        if (islands_blocks(&s->s, i) > islands_blocks(&s->s, last)) last = i;
    }
    return is_large(s, last) || 2 * islands_blocks(&s->s, last) > s->b->nb ? last : -1;
}

// the whole team solves large islands one after another; single threads solve the others, and with
// a watch the calling thread alone
static pcs_status solve_islands(solution *s, pcs_arena work)
{
    const bool several = threads_count(s->team) > 1 && s->s.n > 1 && s->b->nb >= LARGE;
    const bool together = several && !s->watch;
    s->last = largest_of(s);
    for (int i = 0; i < s->s.n; ++i) {
        if (i == s->last) continue;
        if (is_large(s, i)) {
            PCS_TRY(solve_island(s, i, s->team, work));
        } else if (!together) {
            PCS_TRY(solve_island(s, i, NULL, work));
        }
    }
    if (together) PCS_TRY(solve_together(s, work));
    if (s->last < 0) return PCS_OK;
    return solve_island(s, s->last, is_large(s, s->last) ? s->team : NULL, work);
}

// ---- all islands -------------------------------------------------------------------------------

static pcs_status check(const bodies_problem *b, const pcs_solver_opts *o, const double *v,
                        const double *r)
{
    PCS_TRY(pcs_solver_opts_check(o));
    const solver_class *c = solver_class_of(o->kind);
    for (int i = 0; i < b->nb && !(c->info.cones & 1u << PCS_CONE_BOX); ++i) {
        const pcs_block k = bodies_cone(&b->block[i]);
        if (k.cone == PCS_CONE_BOX) return solver_check_cones(c, i, 1, &k);
    }
    if (!pcs_all_finite(v, (size_t)b->A->start[b->A->nb]) ||
        !pcs_all_finite(b->shift, (size_t)b->n)) {
        return pcs_fail_range(PCS_ERR_ARG, "contacts: a velocity or shift is not finite");
    }
    return solver_check_start(b->n, r);
}

static pcs_status begin(solution *s, const double *v, pcs_arena *work)
{
    const size_t nv = (size_t)s->b->A->start[s->b->A->nb];
    double *free = PCS_TAKE(work, nv, double);
    PCS_TRY(islands_find(s->b, work, &s->s));
    s->result = PCS_TAKE(work, (size_t)s->s.n, island_result);
    if (!free || !s->result) return pcs_fail_memory("contacts");
    memcpy(free, v, nv * sizeof *v);
    memset(s->result, 0, (size_t)s->s.n * sizeof *s->result);
    s->v_free = free;
    return PCS_OK;
}

// the outcome of all is that of the worst island; this order defines worst
static int rank_of(pcs_outcome outcome)
{
    static const pcs_outcome worst_first[] = {
        PCS_OUTCOME_STOPPED, PCS_OUTCOME_DIVERGED,  PCS_OUTCOME_INFEASIBLE, PCS_OUTCOME_TIME_LIMIT,
        PCS_OUTCOME_STALLED, PCS_OUTCOME_MAX_ITERS, PCS_OUTCOME_CONVERGED};
    int k = 0;
    while (k < 6 && worst_first[k] != outcome) {
        ++k;
    }
    return k;
}

static void sum_up(const solution *s, bodies_report *out)
{
    out->islands = s->s.n;
    for (int i = 0; i < s->s.n; ++i) {
        const island_result *one = &s->result[i];
        if (rank_of(one->solve.outcome) < rank_of(out->solve.outcome)) {
            out->solve.outcome = one->solve.outcome;
        }
        if (one->solve.iters > out->solve.iters) out->solve.iters = one->solve.iters;
        if (islands_blocks(&s->s, i) > out->largest) {
            out->largest = islands_blocks(&s->s, i);
            out->solve.solver = one->solve.solver;
            out->solve.part = one->solve.part;
            out->solve.least = one->solve.least;
            out->solve.undecided = one->solve.undecided;
        }
        out->sweeps += one->sweeps;
        out->finish += one->finish;
        out->units += one->units;
        if (one->kappa != 0) {
            out->kappa = out->kappa == 0 ? one->kappa : fmin(out->kappa, one->kappa);
        }
        const double share = (double)islands_blocks(&s->s, i) / s->b->nb;
        out->wants = fmax(out->wants, one->wants / share);
        out->path = fmax(out->path, one->path / share);
        out->seconds_sweeps += one->seconds_sweeps;
        out->seconds_finish += one->seconds_finish;
    }
    out->rounds = fmax(0, out->units / s->b->nb - PREPARE);
}

static pcs_status measure_all(const solution *s, pcs_arena work, pcs_report *out)
{
    const bodies_problem *b = s->b;
    measure_sums sums = {0};
    squares unit = {0}, rounding = {0};
    const double load = bodies_load(b, NULL, 0, s->r, work);
    if (load < 0) return pcs_fail_memory("contacts");
    squares_add(&sums.load, 1, &load);
    for (int i = 0; i < b->nb; ++i) {
        const pcs_block k = bodies_cone(&b->block[i]);
        measure_add_natural(&sums, &k, s->r + k.row, s->u + k.row);
    }
    for (int i = 0; i < s->s.n; ++i) {
        const pcs_measure *one = &s->result[i].solve.measure;
        const double violation = one->residual * measure_size(one);
        squares_add(&sums.violation, 1, &violation);
        squares_add(&sums.q, 1, &one->norm_q);
        squares_add(&unit, 1, &one->q_unit);
        squares_add(&sums.wr, 1, &one->norm_wr);
        squares_add(&rounding, 1, &s->result[i].rounding);
    }
    sums.far = (pcs_far){squares_root(&unit), squares_root(&sums.q), squares_root(&rounding)};
    measure_close(&sums, &out->measure);
    return PCS_OK;
}

// status and scales of the blocks, for the watch
static pcs_status begin_watch(const bodies_problem *b, pcs_watch user, pcs_arena *work,
                              task_watch *out)
{
    *out = (task_watch){.user = user};
    out->scale = PCS_TAKE(work, (size_t)b->nb, double);
    out->status = PCS_TAKE(work, (size_t)b->nb, unsigned char);
    if (!out->scale || !out->status) return pcs_fail_memory("contacts");
    return bodies_scales(b, *work, out->scale);
}

pcs_status bodies_solve(const bodies_problem *b, const pcs_solver_opts *o, pcs_watch watch,
                        double budget, threads *team, pcs_arena work, double *v, double *r,
                        double *u, bodies_report *out)
{
    *out = (bodies_report){.solve = {.outcome = PCS_OUTCOME_CONVERGED, .solver = o->kind}};
    PCS_TRY(check(b, o, v, r));
    if (b->nb == 0) return PCS_OK;

    const bool timed = b->nb > 1;
    solution s = {.b = b, .o = o, .team = team, .v = v, .r = r, .u = u};
    s.budget = budget / b->nb;
    s.clock = timed || o->max_seconds > 0 ? solver_clock() : 0;
    task_watch shared;
    if (watch.fn) {
        PCS_TRY(begin_watch(b, watch, &work, &shared));
        s.watch = &shared;
    }
    island_result result;
    int start[2] = {0, 1};
    const bool one = b->nb == 1 && !b->A->joined;
    pcs_far far = {0};
    if (one) {
        PCS_TRY(bodies_find_far(b, 1, NULL, v, work, &far));
        // one block needs no search for islands
        s.s = (islands){.n = 1, .block_start = start};
        s.result = &result;
    }
    if (!one || !solve_one(&s, 0, 0, o, far, v)) {
        PCS_TRY(begin(&s, v, &work));
        PCS_TRY(solve_islands(&s, work));
    }
    sum_up(&s, out);

    PCS_TRY(measure_all(&s, work, &out->solve));
    out->solve.outcome = solver_verdict(o, &out->solve.measure, out->solve.outcome);
    if (s.watch && s.watch->stopped) out->solve.outcome = PCS_OUTCOME_STOPPED;
    if (timed) out->solve.seconds = solver_clock() - s.clock;
    return PCS_OK;
}

// ---- memory of its own -------------------------------------------------------------------------

// memory that suffices for most solves, as a solve without enough of it begins again
#define PER_BLOCK 16384

pcs_status bodies_solve_alloc(const pcs_env *env, const bodies_problem *b, const double *v_free,
                              const pcs_solver_opts *o, pcs_watch watch, double budget, double *v,
                              double *r, double *u, bodies_report *out)
{
    const size_t n = (size_t)b->n, nv = (size_t)b->A->start[b->A->nb];
    size_t size = PER_BLOCK * ((size_t)b->nb + (size_t)b->A->nb) + n * sizeof *r, peak = 0;
    pcs_failure before;
    pcs_failure_keep(&before);
    for (;; size = 2 * peak) {
        pcs_arena work;
        PCS_TRY(pcs_arena_create(env, size, &work));
        double *start = PCS_TAKE(&work, n, double);
        work.peak = &peak;
        if (n > 0) memcpy(start, r, n * sizeof *r);
        if (nv > 0) memcpy(v, v_free, nv * sizeof *v);
        const pcs_status status = bodies_solve(b, o, watch, budget, NULL, work, v, r, u, out);
        if (status == PCS_ERR_MEMORY && n > 0) memcpy(r, start, n * sizeof *r);
        pcs_arena_destroy(env, &work);
        if (status == PCS_OK) pcs_failure_restore(&before);
        // where it fits, memory ran out elsewhere
        if (status != PCS_ERR_MEMORY || peak <= size) return status;
    }
}
