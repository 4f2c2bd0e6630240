// The methods that solve an island of bodies, and the rows of the solver table that have one of
// them: nsgs the sweeps, prox the finish. All other rows solve the assembled W.
#include "bodies/task.h"

#include <string.h>

#include "bodies/hub.h"
#include "bodies/sweep.h"
#include "cone/cone.h"
#include "linalg/bsr.h"
#include "problem/measure.h"
#include "problem/problem.h"
#include "solver/auto_part.h"
#include "solver/exclude.h"

// cost of assembling W, in visits of a block
#define ASSEMBLE 100

// The rate of the sweeps is evaluated over windows, from the `first` sweep on, once the residual
// is at most `near`: in islands of more than SMALL blocks more contacts have the wrong status at
// first.
typedef struct pace {
    int window, first;
    double near; // largest residual
} pace;

#define SMALL 400
static const pace of_small = {16, 32, INFINITY}, of_large = {16, 48, 1e-4};

// ---- what all share ----------------------------------------------------------------------------

bool task_fails(const island_task *t)
{
    const pcs_outcome outcome = t->result->solve.outcome;
    return !(task_value(t) <= t->o.tol) && outcome != PCS_OUTCOME_STOPPED &&
           outcome != PCS_OUTCOME_TIME_LIMIT && outcome != PCS_OUTCOME_INFEASIBLE;
}

bool task_is_joined(const island_task *t)
{
    const block_lu *A = t->of.b->A;
    for (int i = 0; A->joined && i < t->of.ns; ++i) {
        if (A->node[t->of.sys[i]] >= 0) return true;
    }
    return false;
}

// the method at work
typedef struct task_method {
    const island_task *t;
    const part *p; // with its r and u; null: they are those of the whole problem
    bool heard;    // the watch has been called
} task_method;

// what the watch says of it, kept for the whole solve: a method may be done when it hears it
static int ask(task_watch *watch, const pcs_progress *now)
{
    const int stop = watch->user.fn(watch->user.user, now);
    if (stop) watch->stopped = true;
    return stop;
}

// calls the watch with the changes of status since its last call; -1 in the first
static int tell(void *user, const pcs_progress *now)
{
    task_method *m = user;
    const island_task *t = m->t;
    pcs_progress next = *now;
    next.part = t->part;
    next.status_changes = m->heard ? 0 : -1;
    for (int i = 0; i < t->of.nb; ++i) {
        const int block = t->of.block[i];
        const bodies_block *k = &t->of.b->block[block];
        const double *r = m->p ? m->p->r + m->p->b.block[i].row : t->r + k->row;
        const double *u = m->p ? m->p->u + m->p->b.block[i].row : t->u + k->row;
        const unsigned char status =
            problem_block_status(k->cone, k->dim, k->mu, t->watch->scale[block], r, u);
        if (m->heard) next.status_changes += status != t->watch->status[block];
        t->watch->status[block] = status;
    }
    m->heard = true;
    return ask(t->watch, &next);
}

static pcs_watch watch_of(task_method *m)
{
    return m->t->watch ? (pcs_watch){tell, m} : (pcs_watch){0};
}

static int tell_part(void *user, const pcs_progress *now)
{
    const island_task *t = user;
    pcs_progress next = *now;
    if (next.part == 0) next.part = t->part;
    return ask(t->watch, &next);
}

pcs_watch task_user_watch(island_task *t)
{
    return t->watch ? (pcs_watch){tell_part, t} : (pcs_watch){0};
}

pcs_solver_opts task_limits(const island_task *t, const pcs_solver_opts *o, double units,
                            double cost)
{
    pcs_solver_opts out = *o;
    const double most = fmax(0, units) / cost;
    if (out.max_iters > most) out.max_iters = (int)most;
    if (t->o.max_seconds > 0) {
        out.max_seconds = fmax(t->o.max_seconds - (solver_clock() - t->clock), 1e-9);
    }
    return out;
}

// ---- sweeps ------------------------------------------------------------------------------------

pcs_status task_sweep(island_task *t, int most, int patience)
{
    task_method method = {.t = t};
    const bool timed = most > 0 && t->of.nb > 1;
    const double start = timed ? solver_clock() : 0;
    const pace *p = t->of.nb > SMALL ? &of_large : &of_small;
    const sweep_opts opts = {.o = &t->o,
                             .tol = t->o.tol,
                             .max_sweeps = most,
                             .patience = patience,
                             .window = patience / 4 > p->window ? patience / 4 : p->window,
                             .first = patience / 2 > p->first ? patience / 2 : p->first,
                             .near = p->near,
                             .accelerate = t->o.kind != PCS_SOLVER_NSGS || t->o.as.nsgs.depth > 0,
                             .clock = t->clock,
                             .watch = most > 0 ? watch_of(&method) : (pcs_watch){0}};
    sweep_result result;
    PCS_TRY(sweep_island(&t->of, &opts, t->team, t->work, t->v_free, t->v, t->r, t->u, &result));
    t->result->solve = (pcs_report){.outcome = result.outcome,
                                    .solver = PCS_SOLVER_NSGS,
                                    .part = t->part,
                                    .iters = result.sweeps,
                                    .measure = result.measure};
    t->result->sweeps += result.sweeps;
    t->result->units += (double)t->of.nb * (PREPARE + result.sweeps);
    if (timed) t->result->seconds_sweeps += solver_clock() - start;
    return PCS_OK;
}

bool sweeps_honour(const pcs_solver_opts *o)
{
    const pcs_nsgs_opts usual = pcs_solver_opts_default(PCS_SOLVER_NSGS).as.nsgs, *n = &o->as.nsgs;
    return o->kind == PCS_SOLVER_NSGS && n->local == usual.local &&
           n->relaxation == usual.relaxation && n->order == usual.order &&
           n->check_every == usual.check_every && (n->depth == usual.depth || n->depth == 0);
}

pcs_status bodies_nsgs(island_task *t)
{
    if (!sweeps_honour(&t->o) || task_is_joined(t)) return PCS_ERR_UNSUPPORTED;
    return task_sweep(t, (int)fmin(t->o.max_iters, task_left(t) / t->of.nb), 0);
}

// ---- the finish --------------------------------------------------------------------------------

pcs_status task_finish(island_task *t, const pcs_solver_opts *prox, finish_budget *budget)
{
    const double start = solver_clock();
    part p;
    task_method method = {.t = t, .p = &p};
    bodies_report report = {0};
    const pcs_solver_opts o = task_limits(t, prox, INFINITY, 1);
    pcs_arena work = t->work;
    PCS_TRY(part_open(t, &work, &p));
    const pcs_status status =
        bodies_finish(&p.b, &o, watch_of(&method), work, budget, p.v, p.r, p.u, &report);
    t->result->seconds_finish += solver_clock() - start;
    PCS_TRY(status);
    t->result->finish += report.finish;
    t->result->units += budget->spent;

    pcs_report *best = &t->result->solve;
    const pcs_outcome outcome = report.solve.outcome;
    if (solver_stop_value(&t->o, &report.solve.measure) < task_value(t)) {
        part_close(t, &p);
        *best = report.solve;
        best->part = t->part;
    } else if (outcome == PCS_OUTCOME_STOPPED || best->outcome == PCS_OUTCOME_MAX_ITERS) {
        best->outcome = outcome;
    }
    return PCS_OK;
}

// its own function is that of Alart and Curnier; for another one W is assembled
pcs_status bodies_prox(island_task *t)
{
    if (t->o.as.prox.function != PCS_NEWTON_FUNCTION_AC) return PCS_ERR_UNSUPPORTED;
    finish_budget spend = {.most = task_left(t), .patience = INFINITY, .factor = INFINITY};
    PCS_TRY(task_finish(t, &t->o, &spend));
    t->result->solve.solver = PCS_SOLVER_PROX;
    t->result->solve.iters = t->result->finish;
    return PCS_OK;
}

// ---- rest first --------------------------------------------------------------------------------

// Coulomb's law may have several solutions: impulses hold an island at rest, and with others it
// slides. One that was at rest must not begin to slide then.

// Units that the search may spend: those of so many sweeps, and what small islands need. Newton
// steps of it at most, and of one of its proximal problems
#define STICK_SWEEPS 500
#define STICK_LEAST  20000
#define STICK_STEPS  200
#define STICK_INNER  12
// kappa of the first one: the start is near rest
#define STICK_KAPPA 1e3
// part of the tolerance to which rest is solved: errors would open gaps in step after step
#define STICK_TOL 0.1

static bool is_contact(const bodies_block *k)
{
    return k->cone == PCS_CONE_COULOMB || k->cone == PCS_CONE_UNILATERAL;
}

// true when the contacts of the island with impulses were at rest before
static bool rested(const island_task *t)
{
    const bodies_problem *b = t->of.b;
    for (int i = 0; i < t->of.nb; ++i) {
        const int block = t->of.block[i];
        const bodies_block *k = &b->block[block];
        if (is_contact(k) && t->r[k->row] > 0 && !b->rest->rested[block]) return false;
    }
    return true;
}

// true when a contact that carries slides faster than the error of the solve
static bool slides(double most, int nb, const int *of, const bodies_problem *b, const double *r,
                   const double *u)
{
    for (int i = 0; i < nb; ++i) {
        const bodies_block *k = &b->block[of ? of[i] : i];
        if (k->cone != PCS_CONE_COULOMB || !(r[k->row] > 0)) continue;
        if (cone_tangent(k->dim, u + k->row) > most) return true;
    }
    return false;
}

static double slow(const island_task *t, const pcs_report *solve)
{
    return STICK_SLIPS * t->o.tol * measure_size(&solve->measure);
}

pcs_status task_keep_start(island_task *t, double **start)
{
    const bodies_problem *b = t->of.b;
    *start = NULL;
    if (!b->rest || t->o.kind != PCS_SOLVER_AUTO || !part_runs(&t->o, PART_FINISH)) return PCS_OK;
    if (t->o.max_iters < STICK_SWEEPS) return PCS_OK; // a search would cost more than its limit
    if (!rested(t)) return PCS_OK;
    size_t n = 0;
    for (int i = 0; i < t->of.nb; ++i) {
        n += (size_t)b->block[t->of.block[i]].dim;
    }
    double *to = *start = PCS_TAKE(&t->work, n, double);
    if (!to) return pcs_fail_memory("contacts");
    for (int i = 0; i < t->of.nb; ++i) {
        const bodies_block *k = &b->block[t->of.block[i]];
        memcpy(to, t->r + k->row, (size_t)k->dim * sizeof *to);
        to += k->dim;
    }
    return PCS_OK;
}

// the shift with which no gap of the island closes, by the rows of its part; null: out of memory
static const double *still_shift(const island_task *t, const part *p, pcs_arena *work)
{
    double *shift = PCS_TAKE(work, (size_t)p->b.n, double);
    if (!shift) return NULL;
    memcpy(shift, p->b.shift, (size_t)p->b.n * sizeof *shift);
    for (int i = 0; i < t->of.nb; ++i) {
        const bodies_block *k = &p->b.block[i];
        if (is_contact(k)) shift[k->row] = t->of.b->rest->still[t->of.block[i]];
    }
    return shift;
}

pcs_status task_stick(island_task *t, const double *start)
{
    const bodies_problem *b = t->of.b;
    island_result *to = t->result;
    if (task_fails(t) || !rested(t)) return PCS_OK;
    if (!slides(slow(t, &to->solve), t->of.nb, t->of.block, b, t->r, t->u)) return PCS_OK;
    part p;
    bodies_report report = {0};
    task_method method = {.t = t, .p = &p};
    pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_PROX);
    o.tol = STICK_TOL * t->o.tol;
    o.stop = t->o.stop;
    o.max_iters = STICK_STEPS;
    o.as.prox.inner = STICK_INNER;
    o.as.prox.alpha = 1 / STICK_KAPPA;
    o = task_limits(t, &o, INFINITY, 1);
    const double most = fmin(task_left(t), STICK_LEAST + STICK_SWEEPS * (double)t->of.nb);
    finish_budget spend = {.most = most, .patience = INFINITY, .factor = most};
    pcs_arena work = t->work;
    const double clock = solver_clock();
    PCS_TRY(part_open(t, &work, &p));
    p.b.shift = still_shift(t, &p, &work);
    if (!p.b.shift) return pcs_fail_memory("contacts");
    memcpy(p.r, start, (size_t)p.b.n * sizeof *p.r);
    t->part = PART_FINISH;
    const pcs_status status =
        bodies_stick(&p.b, &o, watch_of(&method), work, &spend, p.v, p.r, p.u, &report);
    to->seconds_finish += solver_clock() - clock;
    if (status == PCS_ERR_UNSUPPORTED) return PCS_OK;
    PCS_TRY(status);
    to->finish += report.finish;
    to->units += spend.spent;
    if (!(solver_stop_value(&t->o, &report.solve.measure) <= t->o.tol)) return PCS_OK;
    if (slides(slow(t, &report.solve), p.b.nb, NULL, &p.b, p.r, p.u)) return PCS_OK;
    for (int i = 0; i < t->of.nb; ++i) {
        const bodies_block *k = &b->block[t->of.block[i]];
        if (is_contact(k)) b->rest->shift[k->row] = p.b.shift[p.b.block[i].row];
    }
    part_close(t, &p);
    to->solve = report.solve;
    to->solve.outcome = PCS_OUTCOME_CONVERGED;
    to->solve.part = t->part;
    return PCS_OK;
}

// ---- the assembled W ---------------------------------------------------------------------------

// v += A^-1 H^T r
static pcs_status add_impulses(const bodies_problem *b, const double *r, pcs_arena mem, double *v)
{
    const block_lu *A = b->A;
    double *p = PCS_TAKE(&mem, (size_t)A->start[A->nb], double);
    if (!p) return pcs_fail_memory("contacts");
    bodies_impulses(b, r, p);
    block_lu_solve_all(A, p);
    for (int i = 0; i < A->start[A->nb]; ++i) {
        v[i] += p[i];
    }
    return PCS_OK;
}

static double cube(double x)
{
    return x * x * x;
}

bool task_prefers_velocities(const island_task *t)
{
    if (task_is_joined(t)) return true;
    const int *start = t->of.b->A->start;
    int rows = 0, velocities = 0;
    for (int k = 0; k < t->of.nb; ++k) {
        rows += t->of.b->block[t->of.block[k]].dim;
    }
    for (int k = 0; k < t->of.ns; ++k) {
        velocities += start[t->of.sys[k] + 1] - start[t->of.sys[k]];
    }
    return velocities < rows;
}

bool task_wants_velocities(const island_task *t, pcs_ipm_space space)
{
    if (t->of.ns == 0) return false;
    return space == PCS_IPM_SPACE_AUTOMATIC ? task_prefers_velocities(t)
                                            : space == PCS_IPM_SPACE_BODY;
}

double task_cost(pcs_solver kind, int nb, double n, double entries, double step)
{
    const double product = nb + entries / PER_VISIT, dense = cube(n) / 3 / PER_VISIT;
    switch (kind) {
    case PCS_SOLVER_DIRECT:
    case PCS_SOLVER_NEWTON:
    case PCS_SOLVER_PROX:
    case PCS_SOLVER_IPM:
    case PCS_SOLVER_HOMOTOPY:
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

pcs_status task_assemble(island_task *t, const pcs_solver_opts *opts, double units, double step)
{
    part p;
    pcs_problem local;
    pcs_report report;
    pcs_arena work = t->work;
    PCS_TRY(part_open(t, &work, &p));
    PCS_TRY(bodies_assemble(&p.b, p.v, &work, &local));
    const double cost =
        task_cost(opts->kind, local.nb, local.n, (double)bsr_stored(&local.W), step);
    const pcs_solver_opts o = task_limits(t, opts, units, cost);
    PCS_TRY(pcs_solve(&local, &o, task_user_watch(t), work, p.r, p.u, &report));
    if (report.outcome == PCS_OUTCOME_INFEASIBLE) {
        // its proof is not known: it may have impulses in all rows
        problem_masses masses;
        double *y = PCS_TAKE(&work, (size_t)local.n, double);
        if (!y) return pcs_fail_memory("contacts");
        PCS_TRY(bodies_masses(&p.b, &work, &masses));
        for (int i = 0; i < local.n; ++i) {
            y[i] = 1;
        }
        if (!problem_masses_allow(&local, &masses, y)) report.outcome = PCS_OUTCOME_STALLED;
    }
    t->result->units += (double)ASSEMBLE * p.b.nb;
    t->result->units += cost * (o.kind == PCS_SOLVER_AUTO ? report.units : report.iters);
    PCS_TRY(add_impulses(&p.b, p.r, work, p.v));
    part_close(t, &p);
    if (report.part == 0) report.part = t->part;
    t->result->solve = report;
    return PCS_OK;
}

pcs_status task_exclude(island_task *t, double units, bool *cut)
{
    part p;
    pcs_problem local;
    pcs_arena work = t->work;
    PCS_TRY(part_open(t, &work, &p));
    PCS_TRY(bodies_assemble(&p.b, p.v, &work, &local));
    exclusion x = {.most = PER_VISIT * units};
    PCS_TRY(bodies_masses(&p.b, &work, &x.masses));
    PCS_TRY(problem_exclude(&local, work, &x));
    t->result->units += (double)ASSEMBLE * p.b.nb + x.spent / PER_VISIT;
    *cut = x.cut;
    if (x.none) t->result->solve.outcome = PCS_OUTCOME_INFEASIBLE;
    return PCS_OK;
}

// ---- joints ------------------------------------------------------------------------------------

pcs_status task_joints(island_task *t)
{
    part p;
    double units;
    pcs_report out = {.solver = PCS_SOLVER_DIRECT, .part = t->part, .iters = 1};
    pcs_arena work = t->work;
    PCS_TRY(part_open(t, &work, &p));
    PCS_TRY(bodies_joints(&p.b, work, p.v, p.r, p.u, &out.measure, &units));
    part_close(t, &p);
    out.outcome = solver_verdict(&t->o, &out.measure, PCS_OUTCOME_STALLED);
    t->result->units += units;
    t->result->solve = out;
    return PCS_OK;
}
