// An island to be solved, with all that its methods read: options, budget, clock, team. This is
// what solve_bodies of a row of the solver table receives (solver/solver.h). Every method starts
// from the r that the last one has left, writes r, u and v of the island, and its report.
#ifndef BODIES_TASK_H
#define BODIES_TASK_H

#include "bodies/finish.h"
#include "bodies/islands.h"
#include "bodies/prepared.h"
#include "solver/solver.h"

typedef struct island_result {
    pcs_report solve;
    int sweeps, finish; // sweeps; steps of the finish
    double units;
    double wants, path, kappa; // as those of bodies_report
    double seconds_sweeps, seconds_finish;
    double rounding; // of q
} island_result;

// the watch of a solve, shared by its islands
typedef struct task_watch {
    pcs_watch user;
    double *scale;         // per block: 1 / rho of theory 7.7
    unsigned char *status; // per block: at the last call
    bool stopped;          // it has returned non-zero
} task_watch;

struct island_task {
    const islands *all;
    int number; // of the island
    island of;
    pcs_solver_opts o; // tol: of this island
    int part;          // of auto (solver/portfolio.h); 0: none
    double below;      // largest measure of a result that replaces the last one; 0: any
    double budget;     // units
    double clock;      // time at which the whole solve began
    threads *team;     // null: one thread
    task_watch *watch; // null: none
    pcs_arena work;
    // vectors of the whole problem; the parts of the island are read and written
    const double *v_free;
    double *v, *r, *u;
    island_result *result;
};

// true when A has entries between systems of the island: a sweep, which visits one block after
// another, does not see them
bool task_is_joined(const island_task *t);
// W of such an island is dense: it is assembled up to JOINED_FEW rows where all other methods have
// failed, and up to JOINED_ROWS where none has a result
enum { JOINED_FEW = 1200, JOINED_ROWS = 5000 };

// units that are left
static inline double task_left(const island_task *t)
{
    return t->budget - t->result->units;
}

// what is compared with tol
static inline double task_value(const island_task *t)
{
    return solver_stop_value(&t->o, &t->result->solve.measure);
}

// the watch for a method that counts the changes of status itself
pcs_watch task_user_watch(island_task *t);

// true when another method may solve what the last one has left
bool task_fails(const island_task *t);

// True when the sweeps can do what options of nsgs ask: they have their own order, checks and
// momentum, and read depth as with (the default) or without (0)
bool sweeps_honour(const pcs_solver_opts *o);

// multiplications that take as long as a visit of a block
#define PER_VISIT 30
// Approximate units of an iteration of a solver whose systems have n rows and `entries` entries.
// step: products with the matrix that a factorisation of it costs at most
#define SPARSE_STEP 200
double task_cost(pcs_solver kind, int nb, double n, double entries, double step);

// true when the island has fewer velocities than rows, or is joined, so that W is dense: then
// systems in the velocities cost less than those of W
bool task_prefers_velocities(const island_task *t);
// the same where an option decides
bool task_wants_velocities(const island_task *t, pcs_ipm_space space);

// The options of a method whose iterations cost `cost` units each: no more of them than `units`
// allow, and what is left of t->o.max_seconds
pcs_solver_opts task_limits(const island_task *t, const pcs_solver_opts *o, double units,
                            double cost);

// cost of making the records of the sweeps, in visits of a block
#define PREPARE 10
// Sweeps, at most `most` (0: computes v, u and the measure of r), or until the patience ends (0: no
// limit)
pcs_status task_sweep(island_task *t, int most, int patience);

// The finish with options of prox; r stays where the finish has no better one.
// PCS_ERR_UNSUPPORTED, nothing changed, for a block of A that is not definite
pcs_status task_finish(island_task *t, const pcs_solver_opts *prox, finish_budget *budget);

// Of an island that was at rest before (bodies_rest), for auto: copies its r, block after block,
// into t->work; null for any other island. After the solve: where the solution slides, looks from
// there for one at rest, and takes it
pcs_status task_keep_start(island_task *t, double **start);
pcs_status task_stick(island_task *t, const double *start);

// Assembles W and solves with at most `units` units
pcs_status task_assemble(island_task *t, const pcs_solver_opts *o, double units, double step);

// Looks for the proof that the island has no solution (solver/exclude.h): then that is the outcome,
// and r stays. *cut: more than `units` units may find it
pcs_status task_exclude(island_task *t, double units, bool *cut);

// joints alone, on the velocities of the bodies; errors of bodies_joints
pcs_status task_joints(island_task *t);

// ---- the island as a problem of its own (part.c) -----------------------------------------------

// v holds v_free when it is opened, and belongs to r when it is closed
typedef struct part {
    bodies_problem b;
    double *v, *r, *u;
} part;

pcs_status part_open(const island_task *t, pcs_arena *arena, part *p);

// copies v, r and u into those of the whole problem
void part_close(const island_task *t, const part *p);

#endif
