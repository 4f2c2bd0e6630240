// Sweeps over one island until it converges or does not get there. The first rank of the team
// decides what is done, the others do their part of it. Blocks of clusters of one colour share no
// moving system, so that the order within a colour does not show.
//
// The changes of r in a sweep tell about what the residual was; it is computed when they say that
// it may be small enough, and every few sweeps in any case. y is made anew from r then, so that its
// rounding does not pile up.
#include "bodies/sweep.h"

#include <float.h>
#include <string.h>

#include "bodies/sweep_blocks.h"
#include "cone/cone.h"
#include "problem/problem.h"
#include "solver/solver.h"

// sweeps between two residuals, at most
#define CHECK_EVERY 32
// sweeps before their rate is believed, and those that it is taken over
#define FIRST_SWEEPS 24
#define WINDOW       12
// islands of no more blocks than this are measured after every sweep
#define TINY 4

typedef enum phase { PHASE_END, PHASE_SWEEP, PHASE_CLEAR, PHASE_PUSH, PHASE_MEASURE } phase;

typedef struct job {
    const sweep_opts *o;
    prepared p;
    threads *team;
    phase phase;
    int colours;
    int *colour;  // colours + 1, into clusters
    int *cluster; // clusters + 1, into visits
    double *y, *r, *u, *best;
    double *moved;    // of the clusters
    block_sums *sums; // of the clusters

    // of the first rank
    sweep_result *out;
    double last[WINDOW]; // changes in the last sweeps
    double changes;      // relative to |q| or |W r|
    double size;
    double value, best_value;
    double factor; // residual over changes when both were known
    int checked;   // sweeps at the last check
    bool best_is_last;
} job;

// ---- in parallel -------------------------------------------------------------------------------

static void do_colour(job *j, int colour, int rank, double *spare)
{
    const int *cluster = j->cluster + j->colour[colour];
    const int n = j->colour[colour + 1] - j->colour[colour];
    int begin, end;
    threads_share(n, threads_count(j->team), rank, &begin, &end);
    for (int c = begin; c < end; ++c) {
        if (j->phase == PHASE_SWEEP) {
            j->moved[cluster + c - j->cluster] =
                blocks_visit(&j->p, cluster[c], cluster[c + 1], spare, j->y, j->r);
        } else {
            blocks_push(&j->p, cluster[c], cluster[c + 1], spare, j->r, j->y);
        }
    }
}

static void do_phase(job *j, int rank)
{
    double spare[LINE] = {0};
    int begin, end;
    switch (j->phase) {
    case PHASE_SWEEP:
    case PHASE_PUSH:
        for (int c = 0; c < j->colours; ++c) {
            if (c > 0) threads_barrier(j->team);
            do_colour(j, c, rank, spare);
        }
        break;
    case PHASE_CLEAR:
        threads_share(j->p.of.ns, threads_count(j->team), rank, &begin, &end);
        memset(j->y + j->p.at[begin], 0, (size_t)(j->p.at[end] - j->p.at[begin]) * sizeof *j->y);
        break;
    case PHASE_MEASURE:
        threads_share(j->colour[j->colours], threads_count(j->team), rank, &begin, &end);
        for (int c = begin; c < end; ++c) {
            blocks_measure(&j->p, j->cluster[c], j->cluster[c + 1], spare, j->y, j->r,
                           j->o->o->stop != PCS_STOP_RESIDUAL, j->u, &j->sums[c]);
        }
        break;
    case PHASE_END:
        break;
    }
}

// all ranks do a phase; called by the first
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

// y from r, u, and the measure of r
static void measure(job *j)
{
    run(j, PHASE_CLEAR);
    run(j, PHASE_PUSH);
    run(j, PHASE_MEASURE);
    block_sums s = {0};
    for (int c = 0; c < j->colour[j->colours]; ++c) {
        s.f += j->sums[c].f;
        s.q += j->sums[c].q;
        s.wr += j->sums[c].wr;
        s.u += j->sums[c].u;
        s.natural += j->sums[c].natural;
        s.r += j->sums[c].r;
    }
    pcs_measure *m = &j->out->measure;
    const double unit = 1 / j->p.per_unit, most = s.q > s.wr || isnan(s.q) ? s.q : s.wr;
    m->norm_q = unit * sqrt(s.q);
    j->out->norm_wr = unit * sqrt(s.wr);
    m->norm_u = unit * sqrt(s.u);
    m->residual = s.f == 0 ? 0 : sqrt(s.f / most);
    if (!isfinite(most) || !isfinite(s.f)) m->residual = NAN;
    m->natural_map = unit * sqrt(s.natural);
    m->norm_r = unit * sqrt(s.r);
    j->size = sqrt(most);
    j->value = stop_value(j);
}

// ---- the loop ----------------------------------------------------------------------------------

static void keep_best(job *j)
{
    j->best_is_last = j->value < j->best_value;
    if (!j->best_is_last) return;
    j->best_value = j->value;
    memcpy(j->best, j->r, (size_t)j->p.n * sizeof *j->r);
}

// one sweep; how much it changed goes into the history
static void sweep_once(job *j)
{
    run(j, PHASE_SWEEP);
    double sum = 0;
    for (int c = 0; c < j->colour[j->colours]; ++c) {
        sum += j->moved[c];
    }
    j->changes = sum == 0 ? 0 : j->p.per_unit * sqrt(sum) / j->size;
    j->last[j->out->sweeps % WINDOW] = j->changes;
    j->out->sweeps += 1;
}

// what the next sweep will probably change
static double expected(const job *j)
{
    if (j->out->sweeps < 2) return j->changes;
    const double before = j->last[(j->out->sweeps - 2) % WINDOW];
    return j->changes < before ? j->changes * (j->changes / before) : j->changes;
}

static bool worth_measuring(const job *j)
{
    const int since = j->out->sweeps - j->checked;
    if (j->p.of.nb <= TINY || since >= CHECK_EVERY || j->out->sweeps >= j->o->max_sweeps) {
        return true;
    }
    // a NaN is worth it
    return !(expected(j) * j->factor > j->o->tol);
}

// whether the rate of the last sweeps does not lead to tol within the patience
static bool hopeless(const job *j)
{
    const int n = j->out->sweeps;
    if (j->o->patience == 0 || n < FIRST_SWEEPS) return false;
    // the oldest entry is the next to be written
    const double digits = log(j->last[n % WINDOW] / j->changes);
    const double left = log(j->changes * j->factor / j->o->tol);
    return !(digits * j->o->patience >= left * (WINDOW - 1));
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
        j->out->outcome = PCS_CONVERGED;
        return true;
    }
    if (!isfinite(j->value)) {
        j->out->outcome = PCS_DIVERGED;
        return true;
    }
    if (j->o->o->max_seconds > 0 && solver_clock() - j->o->clock > j->o->o->max_seconds) {
        j->out->outcome = PCS_TIME_LIMIT;
        return true;
    }
    j->out->outcome = PCS_MAX_ITERS;
    return j->out->sweeps >= j->o->max_sweeps;
}

static void iterate(job *j)
{
    // a block by itself is solved exactly, however good its start
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
                j->out->outcome = j->value <= j->o->tol ? PCS_CONVERGED : PCS_STALLED;
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
    const size_t n = (size_t)j->p.n, clusters = (size_t)j->colour[j->colours];
    j->y = PCS_TAKE(arena, (size_t)j->p.at[j->p.of.ns], double);
    j->r = PCS_TAKE(arena, n, double);
    j->u = PCS_TAKE(arena, n, double);
    j->best = PCS_TAKE(arena, n, double);
    j->moved = PCS_TAKE(arena, clusters, double);
    j->sums = PCS_TAKE(arena, clusters, block_sums);
    return j->y && j->r && j->u && j->best && j->moved && j->sums;
}

static void project(const prepared *p, double *r)
{
    for (int k = 0, row = 0; k < p->of.nb; ++k) {
        const bodies_block *b = &p->of.b->block[p->of.block[p->order[k]]];
        const pcs_block block = {b->cone, row, b->dim, b->mu};
        cone_project(1, &block, r);
        row += b->dim;
    }
}

pcs_status sweep_island(const island *of, const sweep_opts *o, threads *team, pcs_arena arena,
                        const double *v_free, double *v, double *r, double *u, sweep_result *out)
{
    job j = {.o = o, .team = team, .out = out, .best_value = INFINITY, .factor = 1};
    int colour[2] = {0, 1}, cluster[2] = {0, of->nb};
    j.colours = 1;
    j.colour = colour;
    j.cluster = cluster;
    *out = (sweep_result){.outcome = PCS_MAX_ITERS};
    PCS_TRY(prepared_make(of, NULL, v_free, &arena, &j.p));
    if (!take(&j, &arena)) return pcs_fail_memory("sweeps");

    prepared_gather(&j.p, r, j.r);
    project(&j.p, j.r);
    threads_run(team, work, &j);
    prepared_scatter(&j.p, j.r, r);
    prepared_scatter(&j.p, j.u, u);
    prepared_add(&j.p, v_free, j.y, v);
    return PCS_OK;
}
