// A row of the solver table. A new solver is: an enum value, its options in the union, a file that
// ends with its row, a line in registry.c, a page in doc/.
#ifndef SOLVER_SOLVER_H
#define SOLVER_SOLVER_H

#include "base/base.h"
#include <percuss/solver_table.h>

#include "problem/global.h"

typedef struct island_task island_task; // bodies/task.h

typedef struct solver_class {
    pcs_solver_info info;
    pcs_solver_opts defaults;

    // arena bytes that solve takes
    size_t (*work_bytes)(const pcs_problem *p, const pcs_solver_opts *o);

    // p, o and r have been checked. Writes r and u; fills outcome, iters and solver of *out. The
    // caller measures the r returned, and that measure decides about PCS_OUTCOME_CONVERGED.
    pcs_status (*solve)(const pcs_problem *p, const pcs_solver_opts *o, pcs_watch watch,
                        pcs_arena work, double *r, double *u, pcs_report *out);

    // An island of bodies without assembling W; null: W is assembled and solved by `solve`, island
    // by island. PCS_ERR_UNSUPPORTED, nothing changed, where the bodies or the options need W: it
    // is assembled.
    pcs_status (*solve_bodies)(island_task *t);
} solver_class;

// solve_bodies of the rows that have it (numerics/bodies)
pcs_status bodies_admm(island_task *t);
pcs_status bodies_auto(island_task *t);
pcs_status bodies_homotopy(island_task *t);
pcs_status bodies_ipm(island_task *t);
pcs_status bodies_nsgs(island_task *t);
pcs_status bodies_prox(island_task *t);

#define REAL_CONES (1u << PCS_CONE_EQUALITY | 1u << PCS_CONE_UNILATERAL | 1u << PCS_CONE_COULOMB)
#define ALL_CONES  (REAL_CONES | 1u << PCS_CONE_BOX)

// rows of an option table: the field within pcs_solver_opts.as, its range, its purpose; and, for an
// option that only some values of a choice read, that choice and the bits of these values
#define OPT_OF(name, type, field, low, high, help, ...)                               \
    {                                                                                 \
        name, type, offsetof(pcs_solver_opts, as.field), low, high, help, __VA_ARGS__ \
    }
#define OPT_INT(name, field, low, high, help) \
    OPT_OF(name, PCS_OPT_INT, field, low, high, help, NULL, NULL, 0)
#define OPT_REAL(name, field, low, high, help) \
    OPT_OF(name, PCS_OPT_REAL, field, low, high, help, NULL, NULL, 0)
#define OPT_WORD(name, field, low, high, help, words) \
    OPT_OF(name, PCS_OPT_CHOICE, field, low, high, help, words, NULL, 0)
#define OPT_BOOL(name, field, help, words) \
    OPT_OF(name, PCS_OPT_BOOL, field, 0, 1, help, words, NULL, 0)
#define OPT_INT_IF(name, field, low, high, help, needs, values) \
    OPT_OF(name, PCS_OPT_INT, field, low, high, help, NULL, needs, values)
#define OPT_REAL_IF(name, field, low, high, help, needs, values) \
    OPT_OF(name, PCS_OPT_REAL, field, low, high, help, NULL, needs, values)

// A row: the name of a solver, its kind, its cones, its default tolerance and number of iterations,
// a sentence, and the array of its own options. Its functions are work_bytes and solve of its file
#define SOLVER_ROW(name_, kind_, cones_, tol_, max_iters_, summary_)                        \
    .info.name = name_, .info.kind = kind_, .info.cones = cones_, .info.summary = summary_, \
    .defaults.kind = kind_, .defaults.tol = tol_, .defaults.max_iters = max_iters_,         \
    .work_bytes = work_bytes, .solve = solve
#define SOLVER_OPTIONS(options) .info.opt = options, .info.n_opts = sizeof options / sizeof *options

extern const solver_class solver_auto, solver_direct, solver_enum, solver_lemke, solver_nsgs,
    solver_newton, solver_prox, solver_ipm, solver_homotopy, solver_admm, solver_apgd,
    solver_extragradient, solver_tresca, solver_aclm;

// the row of a kind, or null
const solver_class *solver_class_of(pcs_solver kind);

// the value that o->stop compares with o->tol; larger where r has diverged so far that the measure
// no longer depends on q
double solver_stop_value(const pcs_solver_opts *o, const pcs_measure *m);

// the outcome to report, from the outcome of the solver and the measure of the r returned: only the
// measure decides about convergence
PCS_API pcs_outcome solver_verdict(const pcs_solver_opts *o, const pcs_measure *m,
                                   pcs_outcome outcome);

// PCS_ERR_UNSUPPORTED when the solver does not take a cone among the nb blocks, which are numbered
// from `first` on
pcs_status solver_check_cones(const solver_class *c, int first, int nb, const pcs_block *block);

// PCS_ERR_ARG when one of the n starting values is not finite
pcs_status solver_check_start(int n, const double *r);

// The rule for giving up, of both forms of nsgs: true when a value that fell from `before` to `now`
// in `steps` sweeps reaches tol at this rate within `patience` more sweeps. False for a NaN
static inline bool solver_arrives(double before, double now, double steps, double tol,
                                  double patience)
{
    return log(before / now) * patience >= log(now / tol) * steps;
}

// seconds of a monotonic clock
PCS_API double solver_clock(void);

// arena bytes of count objects of size bytes, with alignment
static inline size_t solver_bytes(size_t count, size_t size)
{
    return (count * size + 63) / 64 * 64;
}

// The work of every iterative solver between two steps: it measures the iterate, keeps the best
// one, and checks tolerance, watch, clock and iteration limit.
typedef struct solver_track {
    const pcs_problem *p;
    const pcs_solver_opts *o;
    pcs_watch watch;
    // on velocities, set after track_begin (p is then terms->local): measures are computed from v
    const global_terms *terms;
    double *v;
    double norm_w;                     // Frobenius norm of W: bounds the rounding of u
    double start, last;                // time of the clock at the start, and at the last iteration
    double *best;                      // n, the best r so far
    double best_value;                 // stop value of best
    double value;                      // stop value of the last r measured
    pcs_measure measure, best_measure; // measures of the last r and of best
    double step, penalty; // values for the watch, set by a solver that has them, else NaN
    unsigned char *status,
        *reported; // nb each: status of the last r measured, and at the last call of the watch
    bool heard;    // the watch has been called
    int iters;
    pcs_outcome outcome; // set when track_done returns true
} solver_track;

// arena bytes of a track
size_t track_bytes(const pcs_problem *p);

// starts from r, which is the best so far; false when the arena is too small
bool track_begin(solver_track *t, const pcs_problem *p, const pcs_solver_opts *o, pcs_watch watch,
                 pcs_arena *work, const double *r);

// measures r (writing u) and keeps it if it is the best; returns its stop value
double track_measure(solver_track *t, const double *r, double *u);

// the same when the measure of r is known
void track_adopt(solver_track *t, const double *r, const pcs_measure *measure);

// after `iters` iterations and a measure: true when the solve ends, with the outcome in t. An
// iteration that would end after max_seconds, if it is as long as the last one, is not begun
bool track_done(solver_track *t, int iters);

// true when max_seconds are over
bool track_late(const solver_track *t);

// the part of track_done that calls the watch, if there is one; true when the watch ends the solve
bool track_watch(solver_track *t, int iters);

// the solver ends here without a solution
static inline void track_stall(solver_track *t, int iters)
{
    t->iters = iters;
    t->outcome = PCS_OUTCOME_STALLED;
}

// for methods with a start of their own: measures the start, and r = 0 where that is a solution;
// true when the solve ends here
bool track_is_over(solver_track *t, double *r, double *u);

// the best r, and the report; out->measure is that of r in the norms of the solver's own problem
void track_end(const solver_track *t, double *r, pcs_report *out);

#endif
