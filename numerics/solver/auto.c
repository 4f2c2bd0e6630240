// The portfolio. In this order, each from the best r found so far, until one converges:
//
//   1. the start itself; a single row in closed form
//   2. block principal pivoting from the active set of the start: solve W_AA r_A = -q_A, move the
//      rows with the wrong sign, all of them while their number falls, one at a time when it does
//      not. A warm start costs one solve; a P-matrix a few
//   3. proximal points, each reached by pivoting: monotone problems of any rank; when W is dense
//      and large lemke first, for a few pivots a row; if they fail, once more from where ipm ends
//   4. newton; lemke with all its paths; enum when there are few rows; nsgs
//   5. a solve on the active set of the best r: the last digits
//
// Of a problem with Coulomb blocks: the start itself, and nsgs, the second time damped.
//
// The budget is counted in products with W, so that the answer does not depend on the clock.
//
// J. Judice, F. Pires, A block principal pivoting algorithm for large-scale strictly monotone
// linear complementarity problems, Comput. Oper. Res. 21, 1994. K. Murty, 1974 (single pivots).
#include <float.h>
#include <string.h>

#include "cone/cone.h"
#include "problem/problem.h"
#include "solver/active.h"
#include "solver/solver.h"

// lemke takes eight n x n matrices, and n^2 per pivot; enum may double with every row
#define LEMKE_ROWS 600
#define ENUM_ROWS  12
// above this least squares on an active set cost more than they bring
#define LEAST_ROWS 64
// a wrong sign smaller than this, relative to the largest velocity, is rounding
#define SIGN_TOL (64 * DBL_EPSILON)
// block pivots without progress before single ones
#define BLOCK_TRIES 8
// plain pivoting: solves, and block pivots that bring little, before proximal points take over
#define PLAIN_PIVOTS  30
#define PLAIN_STRIKES 2
// where W is dense and larger than this, lemke is tried before proximal points: it is faster, but
// of many solutions it takes a vertex and not the one near the start
#define NEAR_ROWS    64
#define QUICK_PIVOTS 3
// proximal points: weights on the unit diagonal, number of points, solves for each
#define PROX_FIRST  1.0
#define PROX_FACTOR 0.1
#define PROX_LAST   1e-12
#define PROX_STEPS  20
#define PROX_PIVOTS 40
// a sparse factorisation, in products with W
#define SPARSE_COST 30
// sweeps of nsgs that must halve the stop value to be followed by as many
#define NSGS_ROUND 2000
// with friction nsgs may go round in circles where it is not damped
static const double relaxations[] = {1, 0.5};
#define RELAXATIONS ((int)(sizeof relaxations / sizeof *relaxations))
// once more from the interior point when its residual is below NEAR, with this first weight
#define NEAR      1e-3
#define PROX_NEAR 1e-4
// a stop value above this may lose digits by another solve
#define POLISH_FROM 1e-14

typedef struct portfolio {
    const pcs_problem *p;
    const pcs_solver_opts *o;
    pcs_watch watch;
    pcs_arena work;
    solver_track t;
    double budget;     // products with W left
    int rows;          // unilateral
    double relaxation; // of nsgs
    double *s;         // n scales
    double *scratch;   // 2 n, for certificates
    double *r, *u;     // n, of the caller
    pcs_solver winner;
    bool infeasible, over;
} portfolio;

// above this newton, which makes n x n matrices, is left out
#define NEWTON_ROWS 3000
// ipm keeps two matrices of this size
#define INTERIOR_ROWS 2000

// the parts in the order they are tried
static const solver_class *const parts[] = {&solver_direct, &solver_ipm,  &solver_lemke,
                                            &solver_newton, &solver_enum, &solver_nsgs};
#define PARTS ((int)(sizeof parts / sizeof *parts))

static pcs_solver_opts part_options(const pcs_solver_opts *o, const solver_class *c)
{
    pcs_solver_opts part = c->defaults;
    part.tol = o->tol;
    part.stop = o->stop;
    return part;
}

static bool takes(const solver_class *c, const pcs_problem *p)
{
    if (c->info.kind == PCS_DIRECT && !active_takes(p)) return false;
    if (c->info.kind == PCS_NEWTON && p->n > NEWTON_ROWS) return false;
    if (c->info.kind == PCS_IPM && p->n > INTERIOR_ROWS) return false;
    if (c->info.kind == PCS_LEMKE && p->n > LEMKE_ROWS) return false;
    int rows = 0;
    for (int b = 0; b < p->nb; ++b) {
        if (!(c->info.cones & 1u << p->block[b].cone)) return false;
        rows += p->block[b].cone == PCS_UNILATERAL;
        // friction is for nsgs alone
        if (p->block[b].cone == PCS_COULOMB && c->info.kind != PCS_NSGS) return false;
    }
    return c->info.kind != PCS_ENUM || rows <= ENUM_ROWS;
}

static size_t work_bytes(const pcs_problem *p, const pcs_solver_opts *o)
{
    if (problem_is_scalar(p)) return 0;
    size_t most = active_takes(p) ? active_bytes(p) : 0;
    for (int k = 0; k < PARTS; ++k) {
        if (!takes(parts[k], p)) continue;
        const pcs_solver_opts part = part_options(o, parts[k]);
        const size_t bytes = parts[k]->work_bytes(p, &part);
        if (bytes > most) most = bytes;
    }
    return 128 + track_bytes(p) + 4 * solver_bytes((size_t)p->n, sizeof(double)) + most;
}

// ---- one row ---------------------------------------------------------------------------------

// u = W r + q with one row: the bouncing ball lives here
static void solve_one(const pcs_problem *p, double *r, double *u, pcs_report *out)
{
    const double q = p->q[0];
    const double W = problem_scalar(p);
    out->outcome = PCS_CONVERGED;
    if (p->block[0].cone == PCS_EQUALITY) {
        r[0] = W != 0 ? -q / W : 0;
        if (W == 0 && q != 0) out->outcome = PCS_INFEASIBLE;
    } else {
        r[0] = q < 0 && W > 0 ? -q / W : 0;
        // W <= 0 and q < 0: u < 0 for every r >= 0
        if (q < 0 && !(W > 0)) out->outcome = PCS_INFEASIBLE;
    }
    u[0] = W * r[0] + q;
}

// ---- pivoting on active sets -----------------------------------------------------------------

// measures r moved into K; true when the solve is over
static bool look(portfolio *f, double *r)
{
    cone_project(f->p->nb, f->p->block, r);
    const double before = f->t.best_value;
    track_measure(&f->t, r, f->u);
    f->budget -= 1;
    if (f->t.best_value < before) f->winner = PCS_AUTO;
    f->over = track_done(&f->t, f->t.iters + 1);
    return f->over;
}

// cost of a factorisation in products with W
static double solve_cost(const active_set *a)
{
    double na = 0;
    for (int i = 0; i < a->p->n; ++i) {
        na += a->closed[i];
    }
    const double n = a->p->n;
    if (a->sp) return SPARSE_COST;
    return 4 + na * na * na / (3 * n * n);
}

// the rows on the wrong side; the last one in *last
static int count_wrong(const active_set *a, const double *r, const double *u, double tol, int *last)
{
    int wrong = 0;
    for (int b = 0; b < a->p->nb; ++b) {
        const int i = a->p->block[b].row;
        if (a->p->block[b].cone == PCS_EQUALITY) continue;
        if (a->closed[i] ? a->s[i] * r[i] < -tol : u[i] < -tol) {
            ++wrong;
            *last = i;
        }
    }
    return wrong;
}

static void flip_wrong(active_set *a, const double *r, const double *u, double tol)
{
    for (int b = 0; b < a->p->nb; ++b) {
        const int i = a->p->block[b].row;
        if (a->p->block[b].cone == PCS_EQUALITY) continue;
        if (a->closed[i] ? a->s[i] * r[i] < -tol : u[i] < -tol) a->closed[i] = !a->closed[i];
    }
}

// From the active set in a, up to `steps` solves; true when it ended with every sign right. Gives
// up when `strikes` block pivots have not brought the wrong signs down by a third.
static bool pivot(portfolio *f, active_set *a, int steps, int strikes)
{
    int before = a->p->n + 1, best = before, tries = BLOCK_TRIES;
    double *r = f->r, *u = f->u;
    for (int k = 0; k < steps && f->budget > 0; ++k) {
        f->budget -= solve_cost(a);
        const active_end end = active_solve(a, r, u);
        if (end == ACTIVE_LOST || !pcs_all_finite(r, (size_t)a->p->n) ||
            !pcs_all_finite(u, (size_t)a->p->n)) {
            return false;
        }

        double size = 0;
        for (int i = 0; i < a->p->n; ++i) {
            const double x = fabs(a->p->q[i]), y = a->s[i] * fabs(r[i]);
            if (x > size) size = x;
            if (y > size) size = y;
        }
        int last = 0;
        const double tol = SIGN_TOL * size;
        const int wrong = count_wrong(a, r, u, tol, &last);
        tries = wrong < best ? BLOCK_TRIES : tries - 1;
        if (wrong < best) best = wrong;
        if (3 * wrong > 2 * before) strikes -= 1;
        before = wrong;

        if (tries > 0) {
            flip_wrong(a, r, u, tol);
        } else {
            a->closed[last] = !a->closed[last];
        }
        if (look(f, r) || wrong == 0) return wrong == 0;
        if (end != ACTIVE_REGULAR && a->p->n > NEAR_ROWS) strikes -= 1;
        if (strikes <= 0) return false;
    }
    return false;
}

// pivoting on W itself, from the active set of the start in r with its u
static bool plain(portfolio *f, bool *sparse)
{
    pcs_arena work = f->work;
    active_set a;
    const bool begun = active_begin(&a, f->p, f->s, &work);
    if (begun) {
        a.least = f->p->n <= LEAST_ROWS;
        *sparse = a.sp != NULL;
        active_guess(&a, f->r, f->u);
        pivot(f, &a, PLAIN_PIVOTS, PLAIN_STRIKES);
    }
    active_free(&a);
    return begun;
}

// Proximal points with a falling weight: r_k+1 solves the problem of W + delta_k S, q - delta_k S
// r_k, which for a monotone W is a P-problem, near the last one, and well conditioned at first:
// each costs a few pivots. They end at a solution after finitely many steps; where there is none
// they run off along a direction that proves it.
static void approach(portfolio *f, active_set *a, double *center, double first)
{
    const int n = f->p->n;
    memcpy(f->r, center, (size_t)n * sizeof *center);
    track_measure(&f->t, f->r, f->u);
    active_guess(a, f->r, f->u);
    a->center = center;
    for (int k = 0; k < PROX_STEPS && f->budget > 0; ++k) {
        a->shift = k == 0 ? first : PROX_FACTOR * a->shift;
        if (a->shift < PROX_LAST) a->shift = PROX_LAST;
        f->t.penalty = a->shift;
        if (!pivot(f, a, PROX_PIVOTS, PROX_PIVOTS) || f->over) return;

        // the step is the direction in which it runs
        for (int i = 0; i < n; ++i) {
            const double r = f->r[i];
            f->r[i] -= center[i];
            center[i] = r;
        }
        if (k > 0 && problem_refuted_by(f->p, f->r, f->scratch)) {
            f->infeasible = true;
            return;
        }
        memcpy(f->r, center, (size_t)n * sizeof *center);
    }
}

static bool proximal(portfolio *f, double *center, double first)
{
    if (f->over || f->infeasible) return true;
    pcs_arena work = f->work;
    active_set a;
    const bool begun = active_begin(&a, f->p, f->s, &work);
    if (begun) {
        a.least = f->p->n <= LEAST_ROWS;
        approach(f, &a, center, first);
        f->t.penalty = NAN;
    }
    active_free(&a);
    return begun;
}

// ---- the parts -------------------------------------------------------------------------------

static pcs_status run_part(portfolio *f, const solver_class *c, int max_iters, double cost)
{
    if (f->over || f->infeasible || !takes(c, f->p) || f->budget <= 0) return PCS_OK;

    pcs_solver_opts part = part_options(f->o, c);
    if (c->info.kind == PCS_NSGS) part.as.nsgs.relaxation = f->relaxation;
    const double allowed = f->budget / cost;
    part.max_iters = max_iters < allowed ? max_iters : (int)allowed + 1;
    if (f->o->max_seconds > 0) {
        part.max_seconds = f->o->max_seconds - (solver_clock() - f->t.start);
        if (!(part.max_seconds > 0)) {
            f->t.outcome = PCS_TIME_LIMIT;
            f->over = true;
            return PCS_OK;
        }
    }

    pcs_report report = {.outcome = PCS_STALLED, .solver = c->info.kind};
    memcpy(f->r, f->t.best, (size_t)f->p->n * sizeof *f->r);
    PCS_TRY(c->solve(f->p, &part, f->watch, f->work, f->r, f->u, &report));
    f->budget -= report.iters * cost;
    f->t.iters += report.iters;

    const double before = f->t.best_value;
    if (pcs_all_finite(f->r, (size_t)f->p->n)) track_measure(&f->t, f->r, f->u);
    if (f->t.best_value < before) f->winner = c->info.kind;
    f->infeasible = report.outcome == PCS_INFEASIBLE && !(f->t.best_value <= f->o->tol);
    if (f->t.best_value <= f->o->tol) {
        f->t.outcome = PCS_CONVERGED;
        f->over = true;
    } else if (report.outcome == PCS_STOPPED || report.outcome == PCS_TIME_LIMIT) {
        f->t.outcome = report.outcome;
        f->over = true;
    }
    return PCS_OK;
}

// the last digits: one solve on the active set of the best r
static void polish(portfolio *f)
{
    pcs_arena work = f->work;
    active_set a;
    if (!active_takes(f->p)) return;
    if (active_begin(&a, f->p, f->s, &work)) {
        memcpy(f->r, f->t.best, (size_t)f->p->n * sizeof *f->r);
        track_measure(&f->t, f->r, f->u);
        active_guess(&a, f->r, f->u);
        active_solve(&a, f->r, f->u);
        cone_project(f->p->nb, f->p->block, f->r);
        if (pcs_all_finite(f->r, (size_t)f->p->n)) track_measure(&f->t, f->r, f->u);
    }
    active_free(&a);
}

// a few directions that may prove that there is no solution
static bool refuted(portfolio *f)
{
    const int n = f->p->n;
    double *y = f->r, *t = f->scratch;
    for (int i = 0; i < n && n <= 200; ++i) {
        memset(y, 0, (size_t)n * sizeof *y);
        y[i] = f->p->q[i] > 0 ? -1 : 1;
        if (problem_refuted_by(f->p, y, t)) return true;
    }
    memcpy(y, f->t.best, (size_t)n * sizeof *y);
    if (problem_refuted_by(f->p, y, t)) return true;
    pcs_measure m;
    pcs_problem_measure(f->p, f->t.best, t, &m);
    for (int i = 0; i < n; ++i) {
        y[i] = -t[i] / f->s[i];
    }
    return problem_refuted_by(f->p, y, t);
}

static pcs_status solve(const pcs_problem *p, const pcs_solver_opts *o, pcs_watch watch,
                        pcs_arena work, double *r, double *u, pcs_report *out)
{
    if (problem_is_scalar(p)) {
        solve_one(p, r, u, out);
        return PCS_OK;
    }

    portfolio f = {.p = p, .o = o, .watch = watch, .r = r, .u = u, .winner = PCS_AUTO};
    f.budget = o->max_iters;
    int variants = 1; // of nsgs
    f.s = PCS_TAKE(&work, (size_t)p->n, double);
    f.scratch = PCS_TAKE(&work, 2 * (size_t)p->n, double);
    if (!f.s || !f.scratch || !track_begin(&f.t, p, o, watch, &work, r))
        return pcs_fail_memory("auto");
    f.work = work;
    for (int b = 0; b < p->nb; ++b) {
        f.rows += p->block[b].cone == PCS_UNILATERAL;
        if (p->block[b].cone == PCS_COULOMB) variants = RELAXATIONS;
    }

    // perhaps nothing is to be done
    track_measure(&f.t, r, u);
    f.over = track_done(&f.t, 0);
    if (f.over) {
        track_end(&f.t, r, out);
        return PCS_OK;
    }
    problem_scales(p, f.s);

    // products with W that a factorisation costs
    const double step = 10 + 2.0 * p->n / 3;
    if (f.rows == 0) PCS_TRY(run_part(&f, &solver_direct, 1, 1));
    if (f.rows > 0 && active_takes(p)) {
        // r is still the start here, and the last of what follows may want it as its centre
        double *center = PCS_TAKE(&work, (size_t)p->n, double);
        if (!center) return pcs_fail_memory("auto");
        memcpy(center, r, (size_t)p->n * sizeof *r);
        f.work = work;

        bool sparse;
        if (!plain(&f, &sparse)) return pcs_fail_memory("auto");
        if (!sparse && p->n > NEAR_ROWS) {
            PCS_TRY(run_part(&f, &solver_lemke, QUICK_PIVOTS * p->n, 2));
        }
        if (!proximal(&f, center, PROX_FIRST)) return pcs_fail_memory("auto");

        // from afar they did not get there: an interior point comes near, and they end it
        PCS_TRY(run_part(&f, &solver_ipm, 100, step));
        if (f.t.best_value < NEAR) {
            memcpy(center, f.t.best, (size_t)p->n * sizeof *center);
            if (!proximal(&f, center, PROX_NEAR)) return pcs_fail_memory("auto");
        }
    }
    PCS_TRY(run_part(&f, &solver_newton, 500, step));
    PCS_TRY(run_part(&f, &solver_lemke, 200 + 20 * p->n, 2));
    PCS_TRY(run_part(&f, &solver_enum, 20000, 10));
    for (int k = 0; k < variants; ++k) {
        f.relaxation = relaxations[k];
        for (double before = INFINITY; f.t.best_value < 0.5 * before;) {
            before = f.t.best_value;
            PCS_TRY(run_part(&f, &solver_nsgs, NSGS_ROUND, 1.1));
        }
    }
    if (!f.infeasible && f.t.best_value > POLISH_FROM) polish(&f);

    if (f.t.best_value <= o->tol) {
        f.t.outcome = PCS_CONVERGED;
    } else if (f.infeasible || (!f.over && refuted(&f))) {
        f.t.outcome = PCS_INFEASIBLE;
    } else if (!f.over) {
        f.t.outcome = f.budget > 0 ? PCS_STALLED : PCS_MAX_ITERS;
    }
    track_end(&f.t, r, out);
    out->solver = f.winner;
    return PCS_OK;
}

const solver_class solver_auto = {
    .info = {.name = "auto",
             .summary = "the portfolio: active sets first, then whatever converges",
             .kind = PCS_AUTO,
             .cones = 1u << PCS_EQUALITY | 1u << PCS_UNILATERAL | 1u << PCS_COULOMB},
    .defaults = {.kind = PCS_AUTO, .tol = 1e-10, .max_iters = 200000},
    .work_bytes = work_bytes,
    .solve = solve,
};
