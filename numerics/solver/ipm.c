// The interior point method: the method is in ipm_core.c, its linear systems in contact space in
// ipm_system.c, those in body space in ipm_body.c.
//
// S. Mehrotra, On the implementation of a primal-dual interior point method, SIAM J. Optim. 2,
// 1992. Yu. Nesterov, M. Todd, Self-scaled barriers and interior-point methods for convex
// programming, Math. Oper. Res. 22, 1997. V. Acary, P. Armand, H. M. Nguyen, M. Shpakovych, Second
// order cone programming for frictional contact mechanics using interior point algorithm, Optim.
// Methods Softw. 39, 2024.
#include "solver/ipm.h"

#include <stddef.h>
#include <string.h>

#include "problem/problem.h"
#include "solver/ipm_body.h"
#include "solver/ipm_system.h"

// this many consecutive steps below this length end the solve
#define SHORTEST_STEP 1e-5
#define SHORT_STEPS   5
// iterations without a better residual before the solve ends: only rounding is left
#define PATIENCE 8
// iterates beyond this size (the constant term has size 1) may follow a proof that there is no
// solution
#define LARGE 1e4

static size_t work_bytes(const pcs_problem *p, const pcs_solver_opts *o)
{
    (void)o;
    return track_bytes(p) + 2 * solver_bytes((size_t)p->n, sizeof(double)) +
           ipm_bytes(p->n, p->nb) + ipm_system_bytes(p);
}

// measures both impulses of an iterate: each is a candidate
static void measure(const ipm *w, solver_track *t, double *r, double *u)
{
    ipm_impulse(w, false, r);
    track_measure(t, r, u);
    ipm_impulse(w, true, r);
    track_measure(t, r, u);
}

// without a constant term r = 0 is a solution, which the iterates only approach
static bool try_zero(const pcs_problem *p, solver_track *t, double *r, double *u)
{
    for (int i = 0; i < p->n; ++i) {
        if (p->q[i] != 0) return false;
    }
    memset(r, 0, (size_t)p->n * sizeof *r);
    track_measure(t, r, u);
    return track_done(t, 0);
}

// Iterates until the track or the method ends the solve. Without scratch (2 n) no proof of
// infeasibility is tried, because t->p then has only the diagonal of W.
static void run(ipm *w, const ipm_space *space, solver_track *t, double *scratch, double *r,
                double *u)
{
    int shorts = 0, idle = 0;
    for (int iters = 1;; ++iters) {
        t->outcome = PCS_OUTCOME_STALLED;
        if (!ipm_iterate(w, space)) return;
        t->step = w->step;
        t->penalty = w->comp;
        const double before = t->best_value;
        measure(w, t, r, u);
        t->value = t->best_value;
        idle = t->best_value < before ? 0 : idle + 1;
        if (track_done(t, iters)) return;

        // without a solution the iterates diverge along a direction that proves it
        if (scratch && ipm_largest(w) > LARGE) {
            memcpy(w->dx, r, (size_t)w->n * sizeof *r);
            if (problem_refuted_by(t->p, w->dx, scratch)) {
                t->outcome = PCS_OUTCOME_INFEASIBLE;
                return;
            }
        }
        shorts = w->step < SHORTEST_STEP ? shorts + 1 : 0;
        t->outcome = PCS_OUTCOME_STALLED;
        if (shorts == SHORT_STEPS || (idle == PATIENCE && w->comp < 1e-8)) return;
    }
}

static pcs_status solve(const pcs_problem *p, const pcs_solver_opts *o, pcs_watch watch,
                        pcs_arena work, double *r, double *u, pcs_report *out)
{
    solver_track t;
    ipm w;
    ipm_system s;
    double *scratch = NULL;
    if (!track_begin(&t, p, o, watch, &work, r) ||
        !(scratch = PCS_TAKE(&work, 2 * (size_t)p->n, double)) ||
        !ipm_take(&w, &o->as.ipm, p->n, p->nb, p->block, &work)) {
        return pcs_fail_memory("ipm");
    }
    track_measure(&t, r, u);
    if (!track_done(&t, 0) && !try_zero(p, &t, r, u)) {
        problem_scales(p, scratch);
        ipm_begin(&w, scratch, p->q);
        t.outcome = PCS_OUTCOME_STALLED;
        if (ipm_system_begin(&s, &w, p, &work)) {
            const ipm_space space = ipm_system_space(&s);
            run(&w, &space, &t, scratch, r, u);
        }
        ipm_system_end(&s);
    }
    track_end(&t, r, out);
    return PCS_OK;
}

// ---- the global form ---------------------------------------------------------------------------

// arenas grow to the demand; the limit is above the number of parts that ask for memory
enum { ROUNDS = 20 };

typedef struct bodies {
    ipm w;
    ipm_body s;
    solver_track t;
    double *scales; // n
} bodies;

static pcs_status take_bodies(bodies *x, const global_terms *terms, const pcs_solver_opts *o,
                              pcs_watch watch, const double *r, pcs_arena *work)
{
    const pcs_problem *p = &terms->local;
    x->scales = PCS_TAKE(work, (size_t)p->n, double);
    const bool tracked = track_begin(&x->t, p, o, watch, work, r);
    const bool taken = ipm_take(&x->w, &o->as.ipm, p->n, p->nb, p->block, work);
    if (!x->scales || !tracked || !taken) return pcs_fail_memory("ipm");
    problem_scales(p, x->scales);
    ipm_begin(&x->w, x->scales, p->q);
    return ipm_body_take(&x->s, &x->w, terms->g, work);
}

// For diverging iterates: assembles W to check whether their direction proves that there is no
// solution.
static bool refuted(const pcs_env *env, const pcs_global_problem *g, const ipm *w, double *r)
{
    if (!(ipm_largest(w) > LARGE)) return false;
    pcs_arena arena = {0}, work = {0};
    pcs_problem p;
    bool proved = false;
    if (solver_condense(env, g, &arena, &p) == PCS_OK &&
        pcs_arena_create(env, solver_bytes(2 * (size_t)p.n, sizeof(double)), &work) == PCS_OK) {
        double *scratch = PCS_TAKE(&work, 2 * (size_t)p.n, double);
        ipm_impulse(w, true, r);
        proved = problem_refuted_by(&p, r, scratch);
        ipm_impulse(w, false, r);
        proved = proved || problem_refuted_by(&p, r, scratch);
    }
    pcs_arena_destroy(env, &work);
    pcs_arena_destroy(env, &arena);
    return proved;
}

static pcs_status solve_global(const pcs_env *env, const global_terms *terms,
                               const pcs_solver_opts *o, pcs_watch watch, double *v, double *r,
                               double *u, pcs_report *out)
{
    const pcs_ipm_space space = o->as.ipm.space;
    if (terms->nv == 0 || space == PCS_IPM_SPACE_CONTACT ||
        (space == PCS_IPM_SPACE_AUTOMATIC && terms->nv >= terms->n)) {
        return PCS_ERR_UNSUPPORTED;
    }
    bodies x;
    pcs_arena arena = {0};
    size_t peak = 0;
    pcs_status status = PCS_ERR_MEMORY;
    for (int k = 0; k < ROUNDS && status == PCS_ERR_MEMORY; ++k) {
        const size_t had = peak;
        pcs_arena_destroy(env, &arena);
        PCS_TRY(pcs_arena_create(env, peak, &arena));
        arena.peak = &peak;
        pcs_arena work = arena;
        status = take_bodies(&x, terms, o, watch, r, &work);
        // it fits, but memory ran out
        if (peak <= had) break;
    }
    if (status == PCS_OK) {
        solver_track *t = &x.t;
        t->terms = terms;
        t->v = v;
        track_measure(t, r, u);
        if (!track_done(t, 0) && !try_zero(t->p, t, r, u)) {
            const ipm_space systems = ipm_body_space(&x.s);
            t->outcome = PCS_OUTCOME_STALLED;
            if (ipm_body_begin(&x.s)) run(&x.w, &systems, t, NULL, r, u);
            if ((t->outcome == PCS_OUTCOME_STALLED || t->outcome == PCS_OUTCOME_MAX_ITERS) &&
                refuted(env, terms->g, &x.w, r)) {
                t->outcome = PCS_OUTCOME_INFEASIBLE;
            }
            ipm_body_end(&x.s);
        }
        track_end(t, r, out);
    }
    pcs_arena_destroy(env, &arena);
    return status;
}

static const char *const shift_words[] = {"differentiated", "lagged"};
static const char *const space_words[] = {"automatic", "contact", "body"};

static const pcs_opt options[] = {
    OPT_WORD("shift", ipm.shift, PCS_IPM_SHIFT_DIFFERENTIATED, PCS_IPM_SHIFT_LAGGED,
             "shift mu |u_T| of a Newton step; lagged: that of the last iterate", shift_words),
    OPT_REAL("step_fraction", ipm.step_fraction, 0.1, 0.9999,
             "length of a step over the distance to the boundary"),
    OPT_REAL("regularisation", ipm.regularisation, 0, 1,
             "proximal weight on the scaled W, whose diagonal is about 1"),
    OPT_WORD("space", ipm.space, PCS_IPM_SPACE_AUTOMATIC, PCS_IPM_SPACE_BODY,
             "space of the linear systems; body needs the global form", space_words),
};

const solver_class solver_ipm = {
    SOLVER_ROW("ipm", PCS_SOLVER_IPM, ALL_CONES, 1e-10, 100,
               "primal-dual interior point; monotone problems of any rank, friction"),
    SOLVER_OPTIONS(options),
    .defaults.as.ipm = {.shift = PCS_IPM_SHIFT_DIFFERENTIATED,
                        .step_fraction = 0.99,
                        .regularisation = 1e-12},
    .solve_global = solve_global,
};
