// The row homotopy: tries of the path of homotopy_path.c from several starts.
//
// J. C. Alexander, J. A. Yorke, The homotopy continuation method: numerically implementable
// topological procedures, Trans. Amer. Math. Soc. 242, 1978.
#include "solver/homotopy.h"

#include <stddef.h>
#include <string.h>

#include "problem/problem.h"
#include "solver/self_dual_system.h"

// a warm path starts at this t; the best r so far must have a value below WARM_NEAR
#define WARM_T    1e-7
#define WARM_NEAR 1e-2
// number of steps of a try; blocks for which the first one has a step, where this makes more
#define STEPS    300
#define PER_STEP 2
// a path that becomes too short below this t has come to its end
#define ARRIVED 1e-10

static size_t work_bytes(const pcs_problem *p, const pcs_solver_opts *o)
{
    (void)o;
    return track_bytes(p) + 2 * solver_bytes((size_t)p->n, sizeof(double)) +
           homotopy_bytes(p->n, p->nb) + self_dual_system_bytes(p);
}

// The first path has more steps where there are many blocks: it has more turns. The others are
// short: several of them arrive more often than one long one
static int steps_of(const homotopy *w, int number)
{
    if (w->o.steps > 0) return w->o.steps;
    return number > 0 || w->k.nb < STEPS * PER_STEP ? STEPS : w->k.nb / PER_STEP;
}

// The starts in turn: cold, warm, and from then on with another seed each time, from the seventh
// on also with another smoothing. A wide smoothing leads through other branches, in some problems
// through far fewer.
static bool start(homotopy *w, const self_dual_space *space, const solver_track *t, int number)
{
    static const double from[] = {WARM_T, 100 * WARM_T, 10 * WARM_T}, wider[] = {1, 30, 3, 100};
    const int k = number / 2;
    w->smoothing = (k < 3 ? 1 : wider[k % 4]) * w->o.smoothing;
    const bool warm = number % 2 == 1 && t->best_value < WARM_NEAR;
    if (!warm) return homotopy_start_cold(w, space, (uint64_t)(number == 0 ? 0 : number));
    return homotopy_start_warm(w, space, t->best, from[k % 3], (uint64_t)(k == 0 ? 0 : number));
}

// true when the direction in which a path has gone far proves that there is no solution
static bool refuted(homotopy *w, const solver_track *t, double *scratch)
{
    homotopy_impulse(w, &w->now, w->now.t, w->step);
    return problem_refuted_by(t->p, w->step, scratch);
}

void homotopy_run(homotopy *w, const self_dual_space *space, solver_track *t, double *scratch,
                  double *r, double *u, pcs_report *out)
{
    out->least = 1;
    for (int k = 0; k < t->o->max_iters && w->factors < t->o->max_iters; ++k) {
        t->outcome = PCS_OUTCOME_STALLED;
        t->iters = w->factors;
        if (!start(w, space, t, w->o.first + k)) continue;
        w->steps = steps_of(w, w->o.first + k);
        const homotopy_path path = homotopy_follow(w, space, t, r, u);
        // the start of a warm path is no result
        if (!w->warm && path.least < out->least) {
            out->least = path.least;
            out->undecided = path.undecided;
        }
        if (path.end == HOMOTOPY_OVER) return;
        const bool end = path.end == HOMOTOPY_ENDED || path.end == HOMOTOPY_SHORT;
        if (w->once && end && path.least < ARRIVED) break;
        if (path.end == HOMOTOPY_FAR && scratch && refuted(w, t, scratch)) {
            t->iters = w->factors;
            t->outcome = PCS_OUTCOME_INFEASIBLE;
            return;
        }
    }
    t->iters = w->factors;
    if (t->iters >= t->o->max_iters) t->outcome = PCS_OUTCOME_MAX_ITERS;
}

static pcs_status solve(const pcs_problem *p, const pcs_solver_opts *o, pcs_watch watch,
                        pcs_arena work, double *r, double *u, pcs_report *out)
{
    solver_track t;
    homotopy w;
    self_dual_system s;
    double *scratch = NULL;
    if (!track_begin(&t, p, o, watch, &work, r) ||
        !(scratch = PCS_TAKE(&work, 2 * (size_t)p->n, double)) ||
        !homotopy_take(&w, &o->as.homotopy, p->n, p->nb, p->block, &work)) {
        return pcs_fail_memory("homotopy");
    }
    if (!track_is_over(&t, r, u)) {
        problem_scales(p, scratch);
        self_dual_begin(&w.k, scratch, p->q);
        t.outcome = PCS_OUTCOME_STALLED;
        if (self_dual_system_begin(&s, &w.k, w.k.half_lines, p, &work)) {
            const self_dual_space space = self_dual_system_space(&s);
            homotopy_run(&w, &space, &t, scratch, r, u, out);
        }
        self_dual_system_end(&s);
    }
    track_end(&t, r, out);
    return PCS_OK;
}

static const char *const space_words[] = {"automatic", "contact", "body"};

static const pcs_opt options[] = {
    OPT_INT("steps", homotopy.steps, 0, 1000000,
            "steps after which another start is tried; 0: 300, or more"),
    OPT_INT("first", homotopy.first, 0, 1000000, "number of the first start"),
    OPT_REAL("smoothing", homotopy.smoothing, 0, 100,
             "width c of the smoothed shift sqrt(|z_T|^2 + (c t)^2)"),
    OPT_WORD("space", homotopy.space, PCS_IPM_SPACE_AUTOMATIC, PCS_IPM_SPACE_BODY,
             "space of the linear systems; body needs bodies, or M and H", space_words),
};

const solver_class solver_homotopy = {
    SOLVER_ROW("homotopy", PCS_SOLVER_HOMOTOPY, ALL_CONES, 1e-10, 3000,
               "follows the curve of a smoothed problem past its turning points; friction"),
    SOLVER_OPTIONS(options),
    .defaults.as.homotopy = {.smoothing = 1},
    .solve_bodies = bodies_homotopy,
};
