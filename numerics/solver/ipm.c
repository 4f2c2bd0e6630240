// The interior point method: an iteration is in ipm_core.c, its linear systems with W in
// self_dual_system.c, those in the velocities of bodies in bodies/ipm_bodies.c.
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
#include "solver/self_dual_system.h"

// this many consecutive steps below this length end the solve
#define SHORTEST_STEP 1e-5
#define SHORT_STEPS   5
// iterations in which the residual does not fall to half before the solve ends, once comp is, or
// was before the iterate was recentred, below NEAR_END: only rounding is left
#define PATIENCE 8
#define NEAR_END 1e-8
// iterates beyond this size (the constant term has size 1) may follow a proof that there is no
// solution
#define LARGE 1e4
// iterates of a larger comp are far from a solution: they are measured only where somebody looks
#define MEASURED 1e-3

static size_t work_bytes(const pcs_problem *p, const pcs_solver_opts *o)
{
    (void)o;
    return track_bytes(p) + 2 * solver_bytes((size_t)p->n, sizeof(double)) +
           ipm_bytes(p->n, p->nb) + self_dual_system_bytes(p);
}

// measures both impulses of an iterate: each is a candidate
static void measure(const ipm *w, solver_track *t, double *r, double *u)
{
    ipm_impulse(w, false, r);
    track_measure(t, r, u);
    ipm_impulse(w, true, r);
    track_measure(t, r, u);
}

// an iterate that may be the best one, or that the watch or a proof needs
static bool wanted(const ipm *w, const solver_track *t, int iters)
{
    return w->comp <= MEASURED || t->watch.fn || iters >= t->o->max_iters || ipm_diverges(w);
}

bool ipm_diverges(const ipm *w)
{
    double most = 0;
    for (int i = 0; i < w->k.n; ++i) {
        if (fabs(w->x[i]) > most) most = fabs(w->x[i]);
    }
    return most > LARGE;
}

void ipm_start(ipm *w, const self_dual_space *space, const double *r)
{
    if (w->o.start == PCS_IPM_START_GIVEN) ipm_begin_near(w, space, r);
}

// *measured: the last iterate was
static void iterate(ipm *w, const self_dual_space *space, solver_track *t, double *scratch,
                    double *r, double *u, bool *measured)
{
    int shorts = 0, idle = 0;
    double mark = t->best_value, least = INFINITY; // of comp
    for (int iters = t->iters + 1;; ++iters) {
        t->outcome = PCS_OUTCOME_STALLED;
        if (!ipm_iterate(w, space)) return;
        t->step = w->step;
        t->penalty = w->comp;
        *measured = wanted(w, t, iters);
        if (*measured) measure(w, t, r, u);
        t->value = t->best_value;
        idle = t->best_value < 0.5 * mark ? 0 : idle + 1;
        if (idle == 0) mark = t->best_value;
        if (track_done(t, iters)) return;

        // without a solution the iterates diverge along a direction that proves it
        if (scratch && ipm_diverges(w)) {
            memcpy(w->dx, r, (size_t)w->k.n * sizeof *r);
            if (problem_refuted_by(t->p, w->dx, scratch)) {
                t->outcome = PCS_OUTCOME_INFEASIBLE;
                return;
            }
        }
        shorts = w->step < SHORTEST_STEP ? shorts + 1 : 0;
        t->outcome = PCS_OUTCOME_STALLED;
        least = w->k.half_lines ? w->comp : fmin(least, w->comp);
        if (shorts == SHORT_STEPS || (idle == PATIENCE && least < NEAR_END)) return;
    }
}

void ipm_run(ipm *w, const self_dual_space *space, solver_track *t, double *scratch, double *r,
             double *u)
{
    bool measured = true;
    iterate(w, space, t, scratch, r, u, &measured);
    if (!measured) measure(w, t, r, u);
}

static pcs_status solve(const pcs_problem *p, const pcs_solver_opts *o, pcs_watch watch,
                        pcs_arena work, double *r, double *u, pcs_report *out)
{
    solver_track t;
    ipm w;
    self_dual_system s;
    double *scratch = NULL;
    if (!track_begin(&t, p, o, watch, &work, r) ||
        !(scratch = PCS_TAKE(&work, 2 * (size_t)p->n, double)) ||
        !ipm_take(&w, &o->as.ipm, p->n, p->nb, p->block, &work)) {
        return pcs_fail_memory("ipm");
    }
    if (!track_is_over(&t, r, u)) {
        problem_scales(p, scratch);
        ipm_begin(&w, scratch, p->q);
        t.outcome = PCS_OUTCOME_STALLED;
        if (self_dual_system_begin(&s, &w.k, ipm_symmetric(&w), p, &work)) {
            const self_dual_space space = self_dual_system_space(&s);
            ipm_start(&w, &space, r);
            ipm_run(&w, &space, &t, scratch, r, u);
        }
        self_dual_system_end(&s);
    }
    track_end(&t, r, out);
    return PCS_OK;
}

static const char *const shift_words[] = {"differentiated", "lagged"};
static const char *const space_words[] = {"automatic", "contact", "body"};

static const char *const start_words[] = {"centre", "given"};

static const pcs_opt options[] = {
    OPT_WORD("shift", ipm.shift, PCS_IPM_SHIFT_DIFFERENTIATED, PCS_IPM_SHIFT_LAGGED,
             "shift mu |u_T| of a Newton step; lagged: that of the last iterate", shift_words),
    OPT_REAL("step_fraction", ipm.step_fraction, 0.1, 0.9999,
             "length of a step over the distance to the boundary"),
    OPT_REAL("regularisation", ipm.regularisation, 0, 1,
             "proximal weight on the scaled W, whose diagonal is about 1"),
    OPT_WORD("space", ipm.space, PCS_IPM_SPACE_AUTOMATIC, PCS_IPM_SPACE_BODY,
             "space of the linear systems; body needs bodies, or M and H", space_words),
    OPT_WORD("start", ipm.start, PCS_IPM_START_CENTRE, PCS_IPM_START_GIVEN,
             "first point; given: near the given r", start_words),
};

const solver_class solver_ipm = {
    SOLVER_ROW("ipm", PCS_SOLVER_IPM, ALL_CONES, 1e-10, 100,
               "primal-dual interior point; monotone problems of any rank, friction"),
    SOLVER_OPTIONS(options),
    .defaults.as.ipm = {.shift = PCS_IPM_SHIFT_DIFFERENTIATED,
                        .step_fraction = 0.99,
                        .regularisation = 1e-12},
    .solve_bodies = bodies_ipm,
};
