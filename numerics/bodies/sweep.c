// Sweeps over one island until it converges or a limit is reached. The first thread of the team
// decides what is done; the others do their part of it. Clusters of one colour share no moving
// system, so that their order does not affect the result.
//
// The change of r in a sweep estimates the residual. The residual itself is computed when the
// estimate says that it may be small enough, and every few sweeps in any case. y is then computed
// from r again, so that its rounding does not accumulate.
//
// With momentum a sweep starts from x + b (x - x'), where x and x' are the results of the last two
// sweeps: the heavy ball of Polyak (1964). The start need not lie in K, as every block is solved
// from its velocity, and y is linear in r. Where changes grow, b is reduced, and later raised
// again.
#include "bodies/sweep.h"

#include <float.h>
#include <string.h>

#include "bodies/colours.h"
#include "bodies/packs.h"
#include "bodies/sweep_blocks.h"
#include "cone/cone.h"
#include "solver/solver.h"

// largest number of sweeps between two residuals
#define CHECK_EVERY 32
// with a patience, the best residual must fall to this part within it
#define STAGNANT_PART 0.7
// sweeps that the clock does not end: a step with fewer may gain energy
#define TIMED_LEAST 10
// islands of at most this many blocks are measured after every sweep
#define TINY 4
// The initial momentum, which is the largest. It is reduced when changes have grown by the factor
// GROWN, and raised after QUIET sweeps without such growth
#define MOMENTUM      0.8
#define MOMENTUM_STEP 0.2
#define GROWN         3
#define QUIET         128

typedef enum phase {
    PHASE_END,
    PHASE_SWEEP,
    PHASE_CLEAR,
    PHASE_PUSH,
    PHASE_MEASURE,
    PHASE_BEST,       // r is the best so far: store it
    PHASE_KEEP,       // store the start of the next extrapolation
    PHASE_EXTRAPOLATE // extrapolate y; r follows in the next sweep
} phase;

typedef struct job {
    const sweep_opts *o;
    prepared p;
    threads *team;
    phase phase;
    colours order;
    double *y, *r, *u, *best;
    double *whole_r, *whole_u;   // of the caller
    double *r_before, *y_before; // with momentum
    double *moved;               // per cluster
    measure_sums *sums;          // per cluster

    // used by the first thread only
    sweep_result *out;
    double changes, changes_before; // changes of r in the last two sweeps, over |q| or |W r|
    double least[2];                // least changes in this window of sweeps, and in the one before
    double momentum, low;           // low: the least changes with this momentum
    int quiet;                      // number of sweeps since the momentum changed
    bool accelerate;
    bool ahead; // the sweep starts from extrapolated r
    double size;
    double value, best_value;
    double factor; // residual over changes when both were last known
    int checked;   // sweeps at the last check
    double mark;   // the best value when it last fell far enough, and the number of sweeps then
    int marked;
    bool best_is_last;
} job;

// ---- in parallel -------------------------------------------------------------------------------

// the natural map is measured where something reads it
static bool wants_natural(const sweep_opts *o)
{
    return o->o->stop != PCS_STOP_RESIDUAL || o->watch.fn;
}

static void do_cluster(job *j, int c, double *spare)
{
    const int begin = j->order.cluster[c], end = j->order.cluster[c + 1];
    const size_t row = (size_t)prepared_row(&j->p, begin);
    const size_t rows = (size_t)prepared_row(&j->p, end) - row;
    switch (j->phase) {
    case PHASE_SWEEP:
        if (j->ahead) packs_extrapolate(j->momentum, rows, j->r + row, j->r_before + row);
        j->moved[c] = blocks_visit(&j->p, begin, end, spare, j->y, j->r);
        break;
    case PHASE_PUSH:
        blocks_push(&j->p, begin, end, spare, j->r, j->y);
        break;
    case PHASE_MEASURE:
        j->sums[c] = (measure_sums){0};
        blocks_measure(&j->p, begin, end, spare, j->y, j->r, wants_natural(j->o), j->u,
                       &j->sums[c]);
        break;
    case PHASE_KEEP:
        memcpy(j->r_before + row, j->r + row, rows * sizeof *j->r);
        break;
    case PHASE_BEST:
        memcpy(j->best + row, j->r + row, rows * sizeof *j->r);
        break;
    case PHASE_END:
    case PHASE_CLEAR:
    case PHASE_EXTRAPOLATE:
        break;
    }
}

// a thread has the same clusters in all phases, so that its data stays in its cache
static void do_clusters(job *j, int rank)
{
    const bool meet = j->phase == PHASE_SWEEP || j->phase == PHASE_PUSH;
    double spare[LINE] = {0};
    for (int k = 0; k < j->order.n; ++k) {
        const int first = j->order.colour[k], n = j->order.colour[k + 1] - first;
        int begin, end;
        if (k > 0 && meet) threads_barrier(j->team);
        threads_share(n, threads_count(j->team), rank, &begin, &end);
        for (int c = first + begin; c < first + end; ++c) {
            do_cluster(j, c, spare);
        }
    }
}

static void do_phase(job *j, int rank)
{
    int begin, end;
    threads_share(j->p.of.ns, threads_count(j->team), rank, &begin, &end);
    const size_t at = (size_t)j->p.at[begin], size = (size_t)j->p.at[end] - at;
    if (j->phase == PHASE_CLEAR) memset(j->y + at, 0, size * sizeof *j->y);
    if (j->phase == PHASE_KEEP) memcpy(j->y_before + at, j->y + at, size * sizeof *j->y);
    if (j->phase == PHASE_EXTRAPOLATE) {
        packs_extrapolate(j->momentum, size, j->y + at, j->y_before + at);
    } else if (j->phase != PHASE_CLEAR && j->phase != PHASE_END) {
        do_clusters(j, rank);
    }
}

// all threads do a phase; called by the first
static void run(job *j, phase what)
{
    j->phase = what;
    threads_barrier(j->team);
    do_phase(j, 0);
    threads_barrier(j->team);
}

// ---- measures ----------------------------------------------------------------------------------

static double stop_value(const job *j)
{
    return solver_stop_value(j->o->o, &j->out->measure);
}

// computes y from r, u, and the measure of r
static void measure(job *j)
{
    run(j, PHASE_CLEAR);
    run(j, PHASE_PUSH);
    run(j, PHASE_MEASURE);
    measure_sums s = {.far = j->p.of.far};
    for (int c = 0; c < colours_clusters(&j->order); ++c) {
        measure_join(&s, &j->sums[c]);
    }
    measure_close(&s, &j->out->measure);
    j->size = measure_size(&j->out->measure);
    j->value = stop_value(j);
}

// ---- the loop ----------------------------------------------------------------------------------

static void keep_best(job *j)
{
    j->best_is_last = j->value < j->best_value;
    if (!j->best_is_last) return;
    j->best_value = j->value;
    run(j, PHASE_BEST);
}

// reduces the momentum where the changes have grown, and raises it where they have not for long
static void mind_growth(job *j)
{
    if (j->changes < j->low) j->low = j->changes;
    j->quiet += 1;
    if (j->changes > GROWN * j->low) {
        j->momentum = j->momentum > MOMENTUM_STEP ? j->momentum - MOMENTUM_STEP : 0;
        run(j, PHASE_KEEP);
    } else if (j->momentum < MOMENTUM && j->quiet >= QUIET) {
        j->momentum = fmin(MOMENTUM, j->momentum + MOMENTUM_STEP);
    } else {
        return;
    }
    j->low = j->changes;
    j->quiet = 0;
}

// one sweep; stores how much it changed
static void sweep_once(job *j)
{
    if (j->accelerate) run(j, j->out->sweeps == 0 ? PHASE_KEEP : PHASE_EXTRAPOLATE);
    j->ahead = j->accelerate && j->out->sweeps > 0;
    run(j, PHASE_SWEEP);
    double sum = 0;
    for (int c = 0; c < colours_clusters(&j->order); ++c) {
        sum += j->moved[c];
    }
    if (j->out->sweeps % j->o->window == 0) {
        j->least[1] = j->least[0];
        j->least[0] = INFINITY;
    }
    j->out->sweeps += 1;
    j->changes_before = j->changes;
    j->changes = sum == 0 ? 0 : sqrt(sum) / j->size;
    if (j->changes < j->least[0]) j->least[0] = j->changes;
    if (j->accelerate) mind_growth(j);
}

// the expected change of the next sweep
static double expected(const job *j)
{
    const bool falls = j->out->sweeps > 1 && j->changes < j->changes_before;
    return falls ? j->changes * (j->changes / j->changes_before) : j->changes;
}

// true when the time is over
static bool late(const job *j)
{
    const double most = j->o->o->max_seconds;
    return most > 0 && (j->out->sweeps >= TIMED_LEAST || j->o->max_sweeps == 0) &&
           solver_clock() - j->o->clock > most;
}

static bool worth_measuring(const job *j)
{
    const int since = j->out->sweeps - j->checked;
    if (j->p.of.nb <= TINY || since >= CHECK_EVERY || j->out->sweeps >= j->o->max_sweeps ||
        late(j)) {
        return true;
    }
    // written so that a NaN is measured
    return !(expected(j) * j->factor > j->o->tol);
}

// True at the end of a window when the rate of the last sweeps does not lead to tol within the
// patience. False while the residual is above `near`: until then the rate varies with the contacts
// that open and slide, and Newton's method is less efficient from far away.
static bool hopeless(const job *j)
{
    const int n = j->out->sweeps, window = j->o->window;
    if (j->o->patience == 0 || n < j->o->first || n % window != 0) return false;
    const double before = j->least[1] * j->factor, now = j->least[0] * j->factor;
    return !(now > j->o->near) && !solver_arrives(before, now, window, j->o->tol, j->o->patience);
}

// true when the residual no longer falls: where contacts slide, the iteration need not contract
static bool stagnates(job *j)
{
    if (!(j->best_value > STAGNANT_PART * j->mark)) {
        j->mark = j->best_value;
        j->marked = j->out->sweeps;
    }
    return j->o->patience > 0 && j->out->sweeps - j->marked >= j->o->patience;
}

// true when the watch stops the solve
static bool stopped(job *j)
{
    const pcs_watch watch = j->o->watch;
    if (!watch.fn) return false;
    prepared_scatter(&j->p, j->r, j->whole_r);
    prepared_scatter(&j->p, j->u, j->whole_u);
    const pcs_measure *m = &j->out->measure;
    const pcs_progress now = {.solver = PCS_SOLVER_NSGS,
                              .iters = j->out->sweeps,
                              .value = j->value,
                              .residual = m->residual,
                              .natural_map = pcs_measure_relative_natural_map(m),
                              .step = NAN,
                              .penalty = NAN};
    return watch.fn(watch.user, &now) != 0;
}

static bool measured_end(job *j)
{
    measure(j);
    keep_best(j);
    if (j->checked < j->out->sweeps && j->changes > 0 && j->value > 0) {
        j->factor = j->value / expected(j);
    }
    j->checked = j->out->sweeps;
    if (j->value <= j->o->tol) {
        j->out->outcome = PCS_OUTCOME_CONVERGED;
        return true;
    }
    if (!isfinite(j->value)) {
        j->out->outcome = PCS_OUTCOME_DIVERGED;
        return true;
    }
    if (stopped(j)) {
        j->out->outcome = PCS_OUTCOME_STOPPED;
        return true;
    }
    if (late(j)) {
        j->out->outcome = PCS_OUTCOME_TIME_LIMIT;
        return true;
    }
    if (stagnates(j)) {
        j->out->outcome = PCS_OUTCOME_STALLED;
        return true;
    }
    j->out->outcome = PCS_OUTCOME_MAX_ITERS;
    return j->out->sweeps >= j->o->max_sweeps;
}

static void iterate(job *j)
{
    // one block alone is solved exactly, even when its start is good enough
    if (j->p.of.nb == 1 && j->o->max_sweeps > 0) {
        run(j, PHASE_CLEAR);
        run(j, PHASE_PUSH);
        j->size = 1;
        sweep_once(j);
    }
    while (!measured_end(j)) {
        do {
            sweep_once(j);
            if (hopeless(j)) {
                measure(j);
                keep_best(j);
                j->out->outcome =
                    j->value <= j->o->tol ? PCS_OUTCOME_CONVERGED : PCS_OUTCOME_STALLED;
                return;
            }
        } while (!worth_measuring(j));
    }
}

static void work(void *arg, int rank)
{
    job *j = arg;
    if (rank == 0) {
        iterate(j);
        if (!j->best_is_last) {
            memcpy(j->r, j->best, (size_t)j->p.n * sizeof *j->r);
            measure(j);
        }
        j->phase = PHASE_END;
        threads_barrier(j->team);
        return;
    }
    for (;;) {
        threads_barrier(j->team);
        if (j->phase == PHASE_END) return;
        do_phase(j, rank);
        threads_barrier(j->team);
    }
}

// ---- the island --------------------------------------------------------------------------------

static bool take(job *j, pcs_arena *arena)
{
    const size_t n = (size_t)j->p.n, clusters = (size_t)colours_clusters(&j->order);
    const size_t ny = (size_t)j->p.at[j->p.of.ns];
    j->y = PCS_TAKE(arena, ny, double);
    j->r = PCS_TAKE(arena, n, double);
    j->u = PCS_TAKE(arena, n, double);
    j->best = PCS_TAKE(arena, n, double);
    j->moved = PCS_TAKE(arena, clusters, double);
    j->sums = PCS_TAKE(arena, clusters, measure_sums);
    bool good = j->y && j->r && j->u && j->best && j->moved && j->sums;
    if (j->accelerate) {
        j->y_before = PCS_TAKE(arena, ny, double);
        j->r_before = PCS_TAKE(arena, n, double);
        good = good && j->y_before && j->r_before;
    }
    return good;
}

pcs_status sweep_island(const island *of, const sweep_opts *o, threads *team, pcs_arena arena,
                        const double *v_free, double *v, double *r, double *u, sweep_result *out)
{
    job j = {.o = o,
             .team = team,
             .out = out,
             .whole_r = r,
             .whole_u = u,
             .best_value = INFINITY,
             .mark = INFINITY,
             .factor = 1,
             .least = {INFINITY, INFINITY},
             .low = INFINITY};
    *out = (sweep_result){.outcome = PCS_OUTCOME_MAX_ITERS};
    j.accelerate = o->accelerate && of->nb > TINY && o->max_sweeps > 1;
    j.momentum = MOMENTUM;
    PCS_TRY(colours_make(of, team, &arena, &j.order));
    PCS_TRY(prepared_make(of, j.order.order, j.order.cluster, colours_clusters(&j.order),
                          j.order.rank, v_free, r, team, &arena, &j.p));
    if (!take(&j, &arena)) return pcs_fail_memory("sweeps");

    prepared_gather(&j.p, r, j.r);
    memcpy(j.best, j.r, (size_t)j.p.n * sizeof *r);
    threads_run(team, work, &j);
    prepared_scatter(&j.p, j.r, r);
    prepared_scatter(&j.p, j.u, u);
    prepared_add(&j.p, v_free, j.y, v);
    return PCS_OK;
}

bool sweep_one(const bodies_problem *b, int block, const pcs_solver_opts *o, pcs_far far,
               const double *v_free, double *v, double *r, double *u, pcs_measure *out)
{
    prepared_one one;
    if (!prepared_make_one(b, block, v_free, &one)) return false;

    const prepared *p = &one.p;
    double y[ONE_SIZE] = {0}, spare[LINE] = {0}, x[3], velocity[3];
    measure_sums sums = {.far = far};
    prepared_gather(p, r, x);
    blocks_push(p, 0, 1, spare, x, y);
    blocks_visit(p, 0, 1, spare, y, x);
    memset(y, 0, sizeof y);
    blocks_push(p, 0, 1, spare, x, y);
    blocks_measure(p, 0, 1, spare, y, x, o->stop != PCS_STOP_RESIDUAL, velocity, &sums);
    measure_close(&sums, out);
    if (!(solver_stop_value(o, out) <= o->tol)) return false;

    prepared_scatter(p, x, r);
    prepared_scatter(p, velocity, u);
    prepared_add(p, v_free, y, v);
    return true;
}
