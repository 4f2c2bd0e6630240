// `auto` without friction. In this order, each from the best r so far, until one converges:
//
//   1. block principal pivoting from the active set of the start: solve W_AA r_A = -q_A, move all
//      rows with the wrong sign while their number falls, and one at a time when it does not. A
//      warm start costs one solve; a P-matrix a few
//   2. proximal points, each found by pivoting: monotone problems of any rank; when W is dense
//      and large, lemke first, for a few pivots per row; if they fail, again from the result of ipm
//   3. newton; lemke with all its paths; enum when there are few rows; nsgs
//   4. a solve on the active set of the best r: the last digits
//
// Without unilateral rows the problem is linear: a direct solve, and 4. Where rows contradict each
// other no other part does better; lemke then looks for the proof, if they do so by much.
//
// J. Judice, F. Pires, A block principal pivoting algorithm for large-scale strictly monotone
// linear complementarity problems, Comput. Oper. Res. 21, 1994. K. Murty, 1974 (single pivots).
#include <float.h>
#include <string.h>

#include "cone/cone.h"
#include "problem/problem.h"
#include "solver/active.h"
#include "solver/portfolio.h"

// lemke takes eight n x n matrices, and n^2 operations per pivot; enum takes a matrix for each
// unilateral row, and its time may double with every row
#define LEMKE_ROWS 600
#define ENUM_ROWS  12
// with more rows, least squares on an active set cost more than they gain
#define LEAST_ROWS 64
// a wrong sign smaller than this, relative to the largest velocity, is rounding
#define SIGN_TOL (64 * DBL_EPSILON)
// block pivots without progress before single ones
#define BLOCK_TRIES 8
// plain pivoting: number of solves, and of block pivots with little progress, before proximal
// points follow
#define PLAIN_PIVOTS  30
#define PLAIN_STRIKES 2
// lemke precedes proximal points for a dense W with more rows than this: it is faster, but of
// several solutions it returns a vertex and not the one near the start
#define NEAR_ROWS    64
#define QUICK_PIVOTS 3
// proximal points: weights on the unit diagonal, number of points, solves for each
#define PROX_FIRST  1.0
#define PROX_FACTOR 0.1
#define PROX_LAST   1e-12
#define PROX_STEPS  20
#define PROX_PIVOTS 40
// cost of a sparse factorisation, in products with W
#define SPARSE_COST 30
// nsgs continues for as many sweeps again while these halve the stop value
#define NSGS_ROUND 2000
// proximal points start again from the interior point when its residual is below NEAR, with this
// first weight
#define NEAR      1e-3
#define PROX_NEAR 1e-4
// equalities that least squares leave with a larger stop value may have no solution
#define REFUTE_FROM 1e-3
// a smaller stop value may become worse by another solve
#define POLISH_FROM 1e-14

// with more rows, newton, which takes n x n matrices, is left out; and where W is sparse: there a
// step on sparse sets costs far less
#define NEWTON_ROWS   3000
#define NEWTON_SPARSE 600
// ipm keeps two matrices of this size
#define INTERIOR_ROWS 2000

// the parts in the order they are tried
static const solver_class *const parts[] = {&solver_direct, &solver_ipm,  &solver_lemke,
                                            &solver_newton, &solver_enum, &solver_nsgs};
#define PARTS ((int)(sizeof parts / sizeof *parts))

static bool takes(const solver_class *c, const pcs_problem *p)
{
    const int most = active_is_sparse(p) ? NEWTON_SPARSE : NEWTON_ROWS;
    if (c->info.kind == PCS_SOLVER_DIRECT && !active_takes(p)) return false;
    if (c->info.kind == PCS_SOLVER_NEWTON && p->n > most) return false;
    if (c->info.kind == PCS_SOLVER_IPM && p->n > INTERIOR_ROWS) return false;
    if (c->info.kind == PCS_SOLVER_LEMKE && p->n > LEMKE_ROWS) return false;
    int rows = 0;
    for (int b = 0; b < p->nb; ++b) {
        if (!(c->info.cones & 1u << p->block[b].cone)) return false;
        rows += p->block[b].cone == PCS_CONE_UNILATERAL;
    }
    return c->info.kind != PCS_SOLVER_ENUM || (rows <= ENUM_ROWS && p->n <= LEMKE_ROWS);
}

size_t portfolio_rows_bytes(const pcs_problem *p, const pcs_solver_opts *o)
{
    size_t most = active_takes(p) ? active_bytes(p) : 0;
    for (int k = 0; k < PARTS; ++k) {
        if (!takes(parts[k], p)) continue;
        pcs_solver_opts part = parts[k]->defaults;
        part.stop = o->stop;
        const size_t bytes = parts[k]->work_bytes(p, &part);
        if (bytes > most) most = bytes;
    }
    // the centre of the proximal points
    return solver_bytes((size_t)p->n, sizeof(double)) + most;
}

// ---- pivoting on active sets -----------------------------------------------------------------

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

// number of rows with the wrong sign; the last one in *last
static int count_wrong(const active_set *a, const double *r, const double *u, double tol, int *last)
{
    int wrong = 0;
    for (int b = 0; b < a->p->nb; ++b) {
        const int i = a->p->block[b].row;
        if (a->p->block[b].cone == PCS_CONE_EQUALITY) continue;
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
        if (a->p->block[b].cone == PCS_CONE_EQUALITY) continue;
        if (a->closed[i] ? a->s[i] * r[i] < -tol : u[i] < -tol) a->closed[i] = !a->closed[i];
    }
}

// Pivots from the active set in a, up to `steps` solves; true when all signs are right. Gives up
// when `strikes` block pivots have not reduced the number of wrong signs by a third.
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
        if (portfolio_measure(f, r) || wrong == 0) return wrong == 0;
        if (end != ACTIVE_REGULAR && a->p->n > NEAR_ROWS) strikes -= 1;
        if (strikes <= 0) return false;
    }
    return false;
}

// pivots on W itself, from the active set of the start r and its u
static bool plain(portfolio *f, bool *sparse)
{
    pcs_arena work = f->work;
    active_set a;
    const bool begun = active_begin(&a, f->p, f->s, &work);
    if (begun) {
        a.least = f->p->n <= LEAST_ROWS;
        *sparse = a.sp != NULL;
        active_guess(&a, f->r, f->u);
        if (portfolio_begins(f, PART_PIVOT)) pivot(f, &a, PLAIN_PIVOTS, PLAIN_STRIKES);
    }
    active_free(&a);
    return begun;
}

// Proximal points with decreasing weight: r_k+1 solves the problem of W + delta_k S, q - delta_k S
// r_k. For a monotone W this is a P-problem, close to the one before and well conditioned at first:
// each costs a few pivots. They end at a solution after finitely many steps; where there is none,
// they diverge along a direction that proves it.
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

        // the step is the direction of divergence
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

static bool proximal(portfolio *f, auto_part part, double *center, double first)
{
    if (f->over || f->infeasible || !portfolio_begins(f, part)) return true;
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

static pcs_status run_part(portfolio *f, auto_part part, const solver_class *c, int max_iters,
                           double cost)
{
    if (!takes(c, f->p) || !portfolio_begins(f, part)) return PCS_OK;
    pcs_solver_opts o = portfolio_options(f, c);
    o.max_iters = max_iters;
    return portfolio_run(f, c, &o, cost, NULL);
}

// the last digits: one solve on the active set of the best r
static void polish(portfolio *f)
{
    pcs_arena work = f->work;
    active_set a;
    if (!active_takes(f->p)) return;
    if (active_begin(&a, f->p, f->s, &work)) {
        a.least = f->p->n <= LEAST_ROWS;
        memcpy(f->r, f->t.best, (size_t)f->p->n * sizeof *f->r);
        track_measure(&f->t, f->r, f->u);
        active_guess(&a, f->r, f->u);
        active_solve(&a, f->r, f->u);
        cone_project(f->p->nb, f->p->block, f->r);
        if (pcs_all_finite(f->r, (size_t)f->p->n)) track_measure(&f->t, f->r, f->u);
    }
    active_free(&a);
}

pcs_status portfolio_rows(portfolio *f)
{
    const pcs_problem *p = f->p;
    const double step = portfolio_dense_step(p->n);
    const bool linear = f->rows == 0 && active_takes(p);
    if (linear) {
        PCS_TRY(run_part(f, PART_DIRECT, &solver_direct, 1, 1));
    } else if (active_takes(p)) {
        // r is still the start here; the last of the following parts may use it as its centre
        double *center = PCS_TAKE(&f->work, (size_t)p->n, double);
        if (!center) return pcs_fail_memory("auto");
        memcpy(center, f->r, (size_t)p->n * sizeof *center);

        bool sparse;
        if (!plain(f, &sparse)) return pcs_fail_memory("auto");
        if (!sparse && p->n > NEAR_ROWS) {
            PCS_TRY(run_part(f, PART_LEMKE_SHORT, &solver_lemke, QUICK_PIVOTS * p->n, 2));
        }
        if (!proximal(f, PART_PROXIMAL, center, PROX_FIRST)) return pcs_fail_memory("auto");

        // no convergence from the start: an interior point method comes close, then proximal points
        // again
        PCS_TRY(run_part(f, PART_INTERIOR, &solver_ipm, 100, step));
        if (f->t.best_value < NEAR) {
            memcpy(center, f->t.best, (size_t)p->n * sizeof *center);
            if (!proximal(f, PART_PROXIMAL_NEAR, center, PROX_NEAR)) return pcs_fail_memory("auto");
        }
    }
    if (!linear) {
        PCS_TRY(run_part(f, PART_NEWTON, &solver_newton, 500, step));
        PCS_TRY(run_part(f, PART_LEMKE, &solver_lemke, 200 + 20 * p->n, 2));
        PCS_TRY(run_part(f, PART_ENUM, &solver_enum, 20000, 10));
    }
    for (double before = INFINITY; !linear && f->t.best_value < 0.5 * before;) {
        before = f->t.best_value;
        PCS_TRY(run_part(f, PART_ROW_SWEEPS, &solver_nsgs, NSGS_ROUND, 1.1));
    }
    if (!f->infeasible && f->t.best_value > POLISH_FROM && portfolio_begins(f, PART_DIGITS)) {
        polish(f);
    }
    if (linear && f->t.best_value > REFUTE_FROM) {
        PCS_TRY(run_part(f, PART_LEMKE, &solver_lemke, 200 + 20 * p->n, 2));
    }
    return PCS_OK;
}
