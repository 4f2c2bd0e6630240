// Solves the contact problem of bodies, island by island: by sweeps on the velocities, by the
// finish where the sweeps do not converge, and, for small islands, finally with an assembled W.
//
// An island is solved to tol relative to its own |q| and |W r|. n islands together are then within
// tol sqrt(2), as |q|^2 + |W r|^2 <= 2 max(|q|^2, |W r|^2); the measure of the whole problem
// decides.
#include "bodies/bodies.h"

#include <float.h>
#include <stdatomic.h>
#include <string.h>

#include "bodies/finish.h"
#include "bodies/hub.h"
#include "bodies/islands.h"
#include "bodies/sweep.h"
#include "linalg/bsr.h"
#include "problem/measure.h"
#include "problem/problem.h"
#include "solver/solver.h"

// islands of at least this many blocks are solved by the whole team
#define LARGE 512
// without friction, islands of at most this many are assembled: pivoting solves them exactly
#define ASSEMBLE_FIRST 40
// islands that neither sweeps nor finish solved are assembled up to this many blocks
#define ASSEMBLE_LAST 400
// W is factorised up to LINEAR_MOST rows and up to LINEAR_FILL entries per row for joints alone,
// for which there is another method, or MIXED_FILL for joints with contacts; up to LINEAR_FEW or
// MIXED_FEW rows with any fill. The residual that factors leave is at most LINEAR_DONE
#define LINEAR_MOST 1000000
#define LINEAR_FEW  60
#define LINEAR_FILL 100
#define MIXED_FEW   1000
#define MIXED_FILL  400
#define LINEAR_DONE 1e-6
// Patience of the first round of the portfolio, in sweeps. The finish may cost FINISH_PART of what
// these sweeps cost, plus FINISH_LEAST units, which islands of few blocks need. The patience
// doubles in every round.
#define PATIENCE     100
#define FINISH_PART  1.0
#define FINISH_LEAST 5000
// The rounds end when the measure has not fallen to half while the cost since then is STAGNANT
// times the cost before, and at least STAGNANT_LEAST units plus STAGNANT_PER_BLOCK per block
#define STAGNANT           3.0
#define STAGNANT_LEAST     5e6
#define STAGNANT_PER_BLOCK 5e3
// part of the budget that the rounds leave to an assembled island; islands of at most
// ASSEMBLE_EARLY blocks are assembled after a cost of ASSEMBLE_AFTER sweeps
#define ASSEMBLE_PART  0.25
#define ASSEMBLE_EARLY 60
#define ASSEMBLE_AFTER 5000

// A step with sparse factors of W costs SPARSE_STEP products with W; in islands of joints with at
// most LINKED_LOOPS loops LINKED_STEP. There the interior point method is the first with factors
// unless the measure is at most LINKED_NEAR; where it arrives, it does so within 22 steps, and it
// has LINKED_IPM. Turns of the others have LINKED_PART steps for each sweep of the patience
#define SPARSE_STEP  200
#define LINKED_STEP  25
#define LINKED_LOOPS 100
#define LINKED_NEAR  1e-4
#define LINKED_PART  0.12
#define LINKED_IPM   30

// Cost, in visits of a block, of making the records of the sweeps and of assembling W;
// multiplications that take as long as a visit
#define PREPARE   10
#define ASSEMBLE  100
#define PER_VISIT 30

// The rate of the sweeps is evaluated over windows, from the `first` sweep on, once the residual
// is at most `near`: in large islands more contacts have the wrong status at first.
typedef struct pace {
    int window, first;
    double near; // largest residual
} pace;

static const pace of_small = {16, 32, INFINITY}, of_large = {16, 48, 1e-4};

// result of one island
typedef struct island_result {
    pcs_report solve;
    int sweeps, finish;
    double units;
    double seconds_sweeps, seconds_finish;
} island_result;

typedef struct solution {
    const bodies_problem *b;
    const pcs_solver_opts *o;
    islands s;
    double budget; // units per block
    double clock;
    const double *v_free;
    double *v, *r, *u;
    double *norm[3]; // per island: |F / rho|, |q|, |W r|
    island_result *result;
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

// v += A^-1 H^T r
static pcs_status add_impulses(const bodies_problem *b, const double *r, pcs_arena mem, double *v)
{
    const block_lu *A = b->A;
    double *p = PCS_TAKE(&mem, (size_t)A->start[A->nb], double);
    if (!p) return pcs_fail_memory("contacts");
    bodies_impulses(b, r, p);
    for (int s = 0; s < A->nb; ++s) {
        block_lu_solve(A, s, p + A->start[s]);
    }
    for (int i = 0; i < A->start[A->nb]; ++i) {
        v[i] += p[i];
    }
    return PCS_OK;
}

// an island as a problem of its own; v holds v_free
typedef struct part {
    bodies_problem b;
    double *v, *r, *u;
} part;

static pcs_status part_open(const solution *s, int i, pcs_arena *arena, part *p)
{
    *p = (part){.b = *s->b};
    if (s->s.n > 1) PCS_TRY(islands_extract(s->b, &s->s, i, arena, &p->b));
    p->v = PCS_TAKE(arena, (size_t)p->b.A->start[p->b.A->nb], double);
    p->r = PCS_TAKE(arena, (size_t)p->b.n, double);
    p->u = PCS_TAKE(arena, (size_t)p->b.n, double);
    if (!p->v || !p->r || !p->u) return pcs_fail_memory("contacts");
    if (s->s.n == 1) {
        memcpy(p->v, s->v_free, (size_t)p->b.A->start[p->b.A->nb] * sizeof *p->v);
        memcpy(p->r, s->r, (size_t)p->b.n * sizeof *p->r);
        return PCS_OK;
    }
    const int *sys = s->s.sys + s->s.sys_start[i], *start = p->b.A->start;
    for (int k = 0; k < p->b.A->nb; ++k) {
        memcpy(p->v + start[k], s->v_free + s->b->A->start[sys[k]],
               (size_t)(start[k + 1] - start[k]) * sizeof *p->v);
    }
    const int *block = s->s.block + s->s.block_start[i];
    for (int k = 0; k < p->b.nb; ++k) {
        memcpy(p->r + p->b.block[k].row, s->r + s->b->block[block[k]].row,
               (size_t)p->b.block[k].dim * sizeof *p->r);
    }
    return PCS_OK;
}

// copies v, r and u of the island into those of the whole problem
static void part_close(const solution *s, int i, const part *p)
{
    if (s->s.n == 1) {
        memcpy(s->v, p->v, (size_t)p->b.A->start[p->b.A->nb] * sizeof *p->v);
        memcpy(s->r, p->r, (size_t)p->b.n * sizeof *p->r);
        memcpy(s->u, p->u, (size_t)p->b.n * sizeof *p->u);
        return;
    }
    const int *sys = s->s.sys + s->s.sys_start[i], *start = p->b.A->start;
    for (int k = 0; k < p->b.A->nb; ++k) {
        memcpy(s->v + s->b->A->start[sys[k]], p->v + start[k],
               (size_t)(start[k + 1] - start[k]) * sizeof *p->v);
    }
    const int *block = s->s.block + s->s.block_start[i];
    for (int k = 0; k < p->b.nb; ++k) {
        const size_t bytes = (size_t)p->b.block[k].dim * sizeof *p->r;
        memcpy(s->r + s->b->block[block[k]].row, p->r + p->b.block[k].row, bytes);
        memcpy(s->u + s->b->block[block[k]].row, p->u + p->b.block[k].row, bytes);
    }
}

static void keep_norms(solution *s, int i, const pcs_measure *m)
{
    s->norm[0][i] = m->residual == 0 ? 0 : m->residual * measure_size(m);
    s->norm[1][i] = m->norm_q;
    s->norm[2][i] = m->norm_wr;
}

static double cube(double x)
{
    return x * x * x;
}

// approximate units of an iteration of a solver with W; step: most products of a factorisation
static double iteration_cost(const pcs_problem *p, pcs_solver kind, double step)
{
    const double n = p->n;
    const double product = p->nb + bsr_stored(&p->W) / PER_VISIT, dense = cube(n) / 3 / PER_VISIT;
    switch (kind) {
    case PCS_SOLVER_DIRECT:
    case PCS_SOLVER_NEWTON:
    case PCS_SOLVER_PROX:
    case PCS_SOLVER_IPM:
        return product + fmin(dense, step * product);
    case PCS_SOLVER_ENUM:
    case PCS_SOLVER_LEMKE:
        return product + n * n / PER_VISIT;
    case PCS_SOLVER_ADMM:
        return 4 * product;
    default:
        return kind == PCS_SOLVER_AUTO ? product : 2 * product;
    }
}

// seconds left of those allowed; not positive: none
static double seconds_left(const solution *s, const pcs_solver_opts *o)
{
    return o->max_seconds - (solver_clock() - s->clock);
}

// units that the island may still spend
static double units_left(const solution *s, int i)
{
    return s->budget * islands_blocks(&s->s, i) - s->result[i].units;
}

// assembles W and solves with at most `units` units
static pcs_status assembled_at(solution *s, int i, const pcs_solver_opts *opts, double units,
                               double step, pcs_arena work, pcs_report *out)
{
    part p;
    pcs_problem local;
    pcs_solver_opts o = *opts;
    if (o.max_seconds > 0) {
        o.max_seconds = fmax(seconds_left(s, opts), 1e-9);
    }
    PCS_TRY(part_open(s, i, &work, &p));
    PCS_TRY(bodies_assemble(&p.b, p.v, &work, &local));
    const double cost = iteration_cost(&local, o.kind, step), most = fmax(0, units) / cost;
    if (o.max_iters > most) o.max_iters = (int)most;
    PCS_TRY(pcs_solve(&local, &o, (pcs_watch){0}, work, p.r, p.u, out));
    s->result[i].units += (double)ASSEMBLE * p.b.nb;
    s->result[i].units += cost * (o.kind == PCS_SOLVER_AUTO ? out->units : out->iters);
    PCS_TRY(add_impulses(&p.b, p.r, work, p.v));
    keep_norms(s, i, &out->measure);
    part_close(s, i, &p);
    return PCS_OK;
}

static pcs_status assembled(solution *s, int i, const pcs_solver_opts *opts, double units,
                            pcs_arena work, pcs_report *out)
{
    return assembled_at(s, i, opts, units, SPARSE_STEP, work, out);
}

// sweeps from r, at most `most` (0: only measures r), or until the patience ends (0: no limit)
static pcs_status swept(solution *s, int i, const pcs_solver_opts *o, int most, int patience,
                        threads *team, pcs_arena work, pcs_report *out)
{
    const islands *all = &s->s;
    const island of = {.b = s->b,
                       .nb = islands_blocks(all, i),
                       .ns = all->sys_start[i + 1] - all->sys_start[i],
                       .block = all->block + all->block_start[i],
                       .sys = all->sys + all->sys_start[i],
                       .place = all->place};
    const pace *p = of.nb > ASSEMBLE_LAST ? &of_large : &of_small;
    const sweep_opts opts = {.o = o,
                             .tol = o->tol,
                             .max_sweeps = most,
                             .patience = patience,
                             .window = patience / 4 > p->window ? patience / 4 : p->window,
                             .first = patience / 2 > p->first ? patience / 2 : p->first,
                             .near = p->near,
                             .accelerate = o->kind != PCS_SOLVER_NSGS || o->as.nsgs.depth > 0,
                             .clock = s->clock};
    sweep_result result;
    PCS_TRY(sweep_island(&of, &opts, team, work, s->v_free, s->v, s->r, s->u, &result));
    *out = (pcs_report){.outcome = result.outcome,
                        .solver = PCS_SOLVER_NSGS,
                        .iters = result.sweeps,
                        .measure = result.measure};
    keep_norms(s, i, &result.measure);
    s->result[i].sweeps += result.sweeps;
    s->result[i].units += (double)of.nb * (PREPARE + result.sweeps);
    return PCS_OK;
}

// Newton or interior point from the r of the sweeps. Its result is measured in the same way, and
// kept if it is better
static pcs_status finished(solution *s, int i, const pcs_solver_opts *opts, finish_budget *budget,
                           threads *team, pcs_arena work, pcs_report *out)
{
    part p, before;
    bodies_report report = {0};
    pcs_solver_opts whole = *opts, *o = &whole;
    if (o->max_seconds > 0) o->max_seconds = fmax(seconds_left(s, opts), 1e-9);
    PCS_TRY(part_open(s, i, &work, &before));
    PCS_TRY(part_open(s, i, &work, &p));
    PCS_TRY(bodies_finish(&p.b, o, work, budget, p.v, p.r, p.u, &report));
    s->result[i].finish += report.finish;
    s->result[i].units += budget->spent;
    part_close(s, i, &p);
    pcs_report after;
    PCS_TRY(swept(s, i, o, 0, 0, team, work, &after));
    if (solver_stop_value(o, &after.measure) < solver_stop_value(o, &out->measure)) {
        after.outcome = report.solve.outcome;
        after.solver = report.solve.solver;
        after.iters = report.solve.iters;
        *out = after;
        return PCS_OK;
    }
    part_close(s, i, &before);
    const pcs_report kept = *out;
    PCS_TRY(swept(s, i, o, 0, 0, team, work, out));
    *out = kept;
    return PCS_OK;
}

static bool fails(const pcs_solver_opts *o, const pcs_report *report)
{
    return !(solver_stop_value(o, &report->measure) <= o->tol) &&
           report->outcome != PCS_OUTCOME_TIME_LIMIT;
}

static bool has_friction(const solution *s, int i)
{
    for (int k = s->s.block_start[i]; k < s->s.block_start[i + 1]; ++k) {
        if (s->b->block[s->s.block[k]].cone == PCS_CONE_COULOMB) return true;
    }
    return false;
}

// ---- the portfolio -----------------------------------------------------------------------------

// Its methods take turns, each from the best r so far and with twice the patience of the round
// before: whichever method suits the island, the whole costs a few times as much as that method
// alone, and a method that has failed is called again only after as much has been spent on the
// others.
typedef struct turns {
    solution *s;
    int i, nb;
    const pcs_solver_opts *o;
    threads *team;
    pcs_arena work;
    pcs_report *out;
    double most;           // units
    double patience;       // in sweeps
    finish_budget spend;   // budget of the finish
    bool finish, assemble; // the finish, and assembling, may still help
    bool linked;           // factors of W cost little
    int factors;           // number of turns with these factors
    double mark, marked;   // the measure when it last fell to half, and the units spent until then
} turns;

static double value_of(const turns *t)
{
    return solver_stop_value(t->o, &t->out->measure);
}

static double left_of(const turns *t)
{
    return t->most - t->s->result[t->i].units;
}

static pcs_status turn_of_sweeps(turns *t)
{
    const double start = t->nb > 1 ? solver_clock() : 0;
    PCS_TRY(swept(t->s, t->i, t->o, (int)fmin(1e9, left_of(t) / t->nb), (int)fmin(1e9, t->patience),
                  t->team, t->work, t->out));
    if (t->nb > 1) t->s->result[t->i].seconds_sweeps += solver_clock() - start;
    return PCS_OK;
}

static pcs_status turn_of_finish(turns *t)
{
    const double start = solver_clock();
    t->spend.most = left_of(t);
    t->spend.patience = FINISH_LEAST + FINISH_PART * t->patience * t->nb;
    const pcs_status status = finished(t->s, t->i, t->o, &t->spend, t->team, t->work, t->out);
    t->s->result[t->i].seconds_finish += solver_clock() - start;
    t->finish = status == PCS_OK;
    return status == PCS_ERR_UNSUPPORTED ? PCS_OK : status;
}

// true when the cost since the measure last fell to half is too large
static bool stagnates(turns *t)
{
    const double units = t->s->result[t->i].units, value = value_of(t);
    if (isnan(value)) return true;
    if (!(value > 0.5 * t->mark)) {
        t->mark = value;
        t->marked = units;
    }
    const double least = STAGNANT_LEAST + STAGNANT_PER_BLOCK * t->nb;
    return units - t->marked > fmax(STAGNANT * t->marked, least);
}

// true when the island is solved, or the budget is spent
static bool over(const turns *t)
{
    return !fails(t->o, t->out) || t->out->outcome == PCS_OUTCOME_INFEASIBLE || left_of(t) < t->nb;
}

// solves an island of few blocks with W, once, after the cost of ASSEMBLE_AFTER sweeps
static pcs_status turn_of_assembled(turns *t)
{
    if (t->s->result[t->i].units < (double)ASSEMBLE_AFTER * t->nb) return PCS_OK;
    t->assemble = false;
    return assembled(t->s, t->i, t->o, 0.5 * left_of(t), t->work, t->out);
}

// The methods with factors of W in turn: proximal points and Newton's method take few steps from an
// r that is near, the interior point method twenty from anywhere
static pcs_status turn_of_factors(turns *t)
{
    static const pcs_solver method[] = {PCS_SOLVER_PROX, PCS_SOLVER_IPM, PCS_SOLVER_NEWTON};
    if (t->factors == 0 && value_of(t) > LINKED_NEAR) t->factors = 1;
    pcs_solver_opts o = pcs_solver_opts_default(method[t->factors % 3]);
    o.tol = t->o->tol;
    o.stop = t->o->stop;
    o.max_seconds = t->o->max_seconds;
    o.max_iters = o.kind == PCS_SOLVER_IPM ? LINKED_IPM : (int)fmin(1e6, LINKED_PART * t->patience);
    t->factors += 1;
    return assembled_at(t->s, t->i, &o, left_of(t), LINKED_STEP, t->work, t->out);
}

static pcs_status take_turns(turns *t)
{
    for (;; t->patience *= 2) {
        PCS_TRY(turn_of_sweeps(t));
        for (int k = 0; k < 2 && t->linked && !over(t); ++k) {
            PCS_TRY(turn_of_factors(t));
        }
        if (over(t)) return PCS_OK;
        if (t->finish) PCS_TRY(turn_of_finish(t));
        if (over(t)) return PCS_OK;
        if (t->assemble) PCS_TRY(turn_of_assembled(t));
        if (over(t) || stagnates(t)) return PCS_OK;
    }
}

static pcs_status portfolio(solution *s, int i, const pcs_solver_opts *o, bool linked,
                            threads *team, pcs_arena work, pcs_report *out)
{
    const int nb = islands_blocks(&s->s, i);
    const double most = fmin(units_left(s, i), (double)o->max_iters * nb);
    if (nb > 1 && nb <= ASSEMBLE_FIRST && !has_friction(s, i)) {
        return assembled(s, i, o, most, work, out);
    }
    turns t = {.s = s, .i = i, .nb = nb, .o = o, .team = team, .work = work, .out = out};
    const bool assemble = nb > ASSEMBLE_EARLY && nb <= ASSEMBLE_LAST;
    t.most = assemble ? (1 - ASSEMBLE_PART) * most : most;
    t.patience = PATIENCE;
    t.finish = true;
    t.assemble = nb > 1 && nb <= ASSEMBLE_EARLY;
    t.linked = linked;
    t.mark = INFINITY;
    PCS_TRY(take_turns(&t));
    const double rest = most - s->result[i].units;
    if (!fails(o, out) || out->outcome == PCS_OUTCOME_INFEASIBLE) return PCS_OK;
    if (assemble && rest > ASSEMBLE * nb) return assembled(s, i, o, rest, work, out);
    if (out->outcome != PCS_OUTCOME_DIVERGED)
        out->outcome = rest < nb ? PCS_OUTCOME_MAX_ITERS : PCS_OUTCOME_STALLED;
    return PCS_OK;
}

// True when the sweeps of this folder can do what the options of nsgs ask: they have their own
// order, checks and momentum, and read depth as with (the default) or without (0). For any other
// option W is assembled, and nsgs of the solver table reads all options.
static bool plain_sweeps(const pcs_solver_opts *o)
{
    const pcs_nsgs_opts usual = pcs_solver_opts_default(PCS_SOLVER_NSGS).as.nsgs, *n = &o->as.nsgs;
    return o->kind == PCS_SOLVER_NSGS && n->local == usual.local &&
           n->relaxation == usual.relaxation && n->order == usual.order &&
           n->check_every == usual.check_every && (n->depth == usual.depth || n->depth == 0);
}

// contents of an island
typedef struct row_count {
    int rows, joints; // number of scalar rows, and of those of equalities
    bool friction;
    double fill; // entries of W per row: a system with k rows adds k^2
    int loops;   // independent loops in the graph of systems and blocks
} row_count;

static row_count count_rows(const solution *s, int i, pcs_arena mem)
{
    const islands *all = &s->s;
    const int ns = all->sys_start[i + 1] - all->sys_start[i];
    row_count out = {.loops = 1 - ns};
    int *rows = PCS_TAKE(&mem, (size_t)ns, int);
    if (!rows) return out;
    memset(rows, 0, (size_t)ns * sizeof *rows);
    for (int k = all->block_start[i]; k < all->block_start[i + 1]; ++k) {
        const bodies_block *b = &s->b->block[all->block[k]];
        out.rows += b->dim;
        if (b->cone == PCS_CONE_EQUALITY) out.joints += b->dim;
        out.friction = out.friction || b->cone == PCS_CONE_COULOMB;
        out.loops += b->sys[0] >= 0 && b->sys[1] >= 0 && b->sys[0] != b->sys[1];
        for (int e = 0; e < 2; ++e) {
            if (b->sys[e] >= 0) rows[all->place[b->sys[e]]] += b->dim;
        }
    }
    double entries = 0;
    for (int k = 0; k < ns; ++k) {
        entries += (double)rows[k] * rows[k];
    }
    out.fill = entries / out.rows;
    return out;
}

// true when W is sparse enough for factors
static bool is_sparse(const row_count *c, int few, double fill)
{
    return c->rows <= few || (c->rows <= LINEAR_MOST && c->fill <= fill);
}

// true when joints make chains and trees, with few loops: then W and its factors are sparse
static bool is_linked(const row_count *c)
{
    return c->joints > 0 && c->friction && c->rows <= LINEAR_MOST && c->fill <= LINEAR_FILL &&
           c->loops <= LINKED_LOOPS;
}

// solves joints on the velocities of bodies, where W is dense
static pcs_status on_bodies(solution *s, int i, const pcs_solver_opts *o, threads *team,
                            pcs_arena work, pcs_report *out)
{
    part p;
    double units;
    PCS_TRY(part_open(s, i, &work, &p));
    PCS_TRY(bodies_joints(&p.b, work, p.v, p.r, p.u, &units));
    part_close(s, i, &p);
    s->result[i].units += units;
    PCS_TRY(swept(s, i, o, 0, 0, team, work, out));
    out->outcome = solver_verdict(o, &out->measure, PCS_OUTCOME_STALLED);
    out->solver = PCS_SOLVER_DIRECT;
    out->iters = 1;
    return PCS_OK;
}

static pcs_status on_rows(solution *s, int i, const pcs_solver_opts *o, pcs_arena work,
                          pcs_report *out)
{
    pcs_solver_opts direct = pcs_solver_opts_default(PCS_SOLVER_DIRECT);
    direct.tol = o->tol;
    direct.stop = o->stop;
    // of several solutions the one of least norm is computed, whatever the start is
    for (int k = s->s.block_start[i]; k < s->s.block_start[i + 1]; ++k) {
        const bodies_block *b = &s->b->block[s->s.block[k]];
        memset(s->r + b->row, 0, (size_t)b->dim * sizeof *s->r);
    }
    return assembled(s, i, &direct, units_left(s, i), work, out);
}

// Joints alone are a linear problem, solved with W where it is sparse or small, else on the
// velocities of bodies. Rounding, or rows that contradict one another, determine the residual;
// other methods are tried only where factorisation failed.
static pcs_status linear(solution *s, int i, const row_count *count, const pcs_solver_opts *o,
                         threads *team, pcs_arena work, pcs_report *out)
{
    const bool sparse = is_sparse(count, LINEAR_FEW, LINEAR_FILL);
    if (!sparse) {
        const pcs_status status = on_bodies(s, i, o, team, work, out);
        if (status != PCS_OK && status != PCS_ERR_UNSUPPORTED) return status;
        if (status == PCS_OK && out->measure.residual <= LINEAR_DONE) return PCS_OK;
    }
    if (sparse || is_sparse(count, MIXED_FEW, MIXED_FILL)) {
        PCS_TRY(on_rows(s, i, o, work, out));
        if (!fails(o, out) || out->outcome == PCS_OUTCOME_INFEASIBLE) return PCS_OK;
        if (out->measure.residual <= LINEAR_DONE) return PCS_OK;
    }
    return portfolio(s, i, o, false, team, work, out);
}

// Joints are solved by factors, because a sweep propagates an impulse along them by one body only:
// alone, or with few contacts without friction, by active sets.
static pcs_status automatic(solution *s, int i, const pcs_solver_opts *o, threads *team,
                            pcs_arena work, pcs_report *out)
{
    const row_count count = count_rows(s, i, work);
    if (count.joints == count.rows) return linear(s, i, &count, o, team, work, out);
    const bool mixed = !count.friction && 2 * count.joints >= count.rows;
    if (mixed && is_sparse(&count, MIXED_FEW, MIXED_FILL)) {
        PCS_TRY(assembled(s, i, o, 0.5 * units_left(s, i), work, out));
        if (!fails(o, out) || out->outcome == PCS_OUTCOME_INFEASIBLE) return PCS_OK;
    }
    return portfolio(s, i, o, is_linked(&count), team, work, out);
}

// solves an island of one block as the first sweep would, which is exact
static bool solve_one(solution *s, int i, int block, const pcs_solver_opts *o, const double *v_free)
{
    pcs_measure m;
    const bool sweeps = o->kind == PCS_SOLVER_AUTO || plain_sweeps(o);
    if (!sweeps || !(fmin(o->max_iters, units_left(s, i)) >= 1)) return false;
    if (!sweep_one(s->b, block, o, v_free, s->v, s->r, s->u, &m)) return false;
    s->result[i] = (island_result){.solve = {.outcome = PCS_OUTCOME_CONVERGED,
                                             .solver = PCS_SOLVER_NSGS,
                                             .iters = 1,
                                             .measure = m},
                                   .sweeps = 1,
                                   .units = PREPARE + 1};
    keep_norms(s, i, &m);
    return true;
}

static pcs_status solve_island(solution *s, int i, threads *team, pcs_arena work)
{
    pcs_solver_opts o = *s->o;
    pcs_report *out = &s->result[i].solve;
    *out = (pcs_report){.outcome = PCS_OUTCOME_STALLED};
    // several islands within these tolerances are within o.tol together
    if (s->s.n > 1) o.tol *= o.stop == PCS_STOP_RESIDUAL ? sqrt(0.5) : sqrt(1.0 / 3);
    const int *block = s->s.block + s->s.block_start[i];
    if (islands_blocks(&s->s, i) == 1 && solve_one(s, i, *block, &o, s->v_free)) return PCS_OK;
    if (o.kind == PCS_SOLVER_AUTO) return automatic(s, i, &o, team, work, out);
    const double most = units_left(s, i);
    if (!plain_sweeps(&o)) return assembled(s, i, &o, most, work, out);
    const double sweeps = fmin(o.max_iters, most / islands_blocks(&s->s, i));
    return swept(s, i, &o, (int)sweeps, 0, team, work, out);
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
        if (is_large(s, i)) continue;
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

// the whole team solves large islands one after another; single threads solve the others
static pcs_status solve_islands(solution *s, pcs_arena work)
{
    const bool together = threads_count(s->team) > 1 && s->s.n > 1 && s->b->nb >= LARGE;
    for (int i = 0; i < s->s.n; ++i) {
        if (is_large(s, i)) {
            PCS_TRY(solve_island(s, i, s->team, work));
        } else if (!together) {
            PCS_TRY(solve_island(s, i, NULL, work));
        }
    }
    return together ? solve_together(s, work) : PCS_OK;
}

// ---- all islands -------------------------------------------------------------------------------

static pcs_status check(const bodies_problem *b, const pcs_solver_opts *o, const double *v,
                        const double *r)
{
    PCS_TRY(pcs_solver_opts_check(o));
    if (!pcs_all_finite(v, (size_t)b->A->start[b->A->nb]) ||
        !pcs_all_finite(b->shift, (size_t)b->n)) {
        return pcs_fail_range(PCS_ERR_ARG, "contacts: a velocity or shift is not finite");
    }
    return solver_check_start(b->n, r);
}

static pcs_status begin(solution *s, const double *v, pcs_arena *work)
{
    const bodies_problem *b = s->b;
    const size_t nv = (size_t)b->A->start[b->A->nb];
    double *free = PCS_TAKE(work, nv, double);
    PCS_TRY(islands_find(b, work, &s->s));
    const size_t n = (size_t)s->s.n;
    for (int k = 0; k < 3; ++k) {
        s->norm[k] = PCS_TAKE(work, n, double);
    }
    s->result = PCS_TAKE(work, n, island_result);
    if (!free || !s->norm[0] || !s->norm[1] || !s->norm[2] || !s->result) {
        return pcs_fail_memory("contacts");
    }
    memcpy(free, v, nv * sizeof *v);
    memset(s->result, 0, n * sizeof *s->result);
    s->v_free = free;
    return PCS_OK;
}

// the outcome of all is that of the worst island; this order defines worst
static int rank_of(pcs_outcome outcome)
{
    static const pcs_outcome worst_first[] = {PCS_OUTCOME_DIVERGED,   PCS_OUTCOME_INFEASIBLE,
                                              PCS_OUTCOME_TIME_LIMIT, PCS_OUTCOME_STALLED,
                                              PCS_OUTCOME_MAX_ITERS,  PCS_OUTCOME_CONVERGED};
    int k = 0;
    while (k < 5 && worst_first[k] != outcome) {
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
        }
        out->sweeps += one->sweeps;
        out->finish += one->finish;
        out->units += one->units;
        out->seconds_sweeps += one->seconds_sweeps;
        out->seconds_finish += one->seconds_finish;
    }
}

static pcs_status measure_all(const solution *s, pcs_arena work, pcs_report *out)
{
    const bodies_problem *b = s->b;
    double *f = PCS_TAKE(&work, (size_t)b->n, double);
    if (!f) return pcs_fail_memory("contacts");
    pcs_measure *m = &out->measure;
    m->norm_q = problem_norm(s->s.n, s->norm[1]);
    m->norm_r = problem_norm(b->n, s->r);
    m->norm_u = problem_norm(b->n, s->u);
    m->norm_wr = problem_norm(s->s.n, s->norm[2]);
    m->rounding = DBL_EPSILON * bodies_load(b, NULL, s->r, work);
    if (m->rounding < 0) return pcs_fail_memory("contacts");
    bodies_natural(b, NULL, s->r, s->u, f);
    m->natural_map = problem_norm(b->n, f);
    measure_close(problem_norm(s->s.n, s->norm[0]), m);
    return PCS_OK;
}

pcs_status bodies_solve(const bodies_problem *b, const pcs_solver_opts *o, double budget,
                        threads *team, pcs_arena work, double *v, double *r, double *u,
                        bodies_report *out)
{
    *out = (bodies_report){.solve = {.outcome = PCS_OUTCOME_CONVERGED, .solver = o->kind}};
    PCS_TRY(check(b, o, v, r));
    if (b->nb == 0) return PCS_OK;

    const bool timed = b->nb > 1;
    solution s = {.b = b, .o = o, .team = team, .v = v, .r = r, .u = u};
    s.budget = budget / b->nb;
    s.clock = timed || o->max_seconds > 0 ? solver_clock() : 0;
    island_result result;
    double norm[3];
    int start[2] = {0, 1};
    if (b->nb == 1) {
        // one block needs no search for islands
        s.s = (islands){.n = 1, .block_start = start};
        for (int k = 0; k < 3; ++k) {
            s.norm[k] = &norm[k];
        }
        s.result = &result;
        result.units = 0;
    }
    if (b->nb > 1 || !solve_one(&s, 0, 0, o, v)) {
        PCS_TRY(begin(&s, v, &work));
        PCS_TRY(solve_islands(&s, work));
    }
    sum_up(&s, out);

    PCS_TRY(measure_all(&s, work, &out->solve));
    out->solve.outcome = solver_verdict(o, &out->solve.measure, out->solve.outcome);
    if (timed) out->solve.seconds = solver_clock() - s.clock;
    return PCS_OK;
}
