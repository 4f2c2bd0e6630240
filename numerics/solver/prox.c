// Proximal point method. r_{k+1} solves the problem with
//
//     W + alpha_k S  and  q - alpha_k S r_k,     S the scales of the rows,
//
// by semismooth Newton (semismooth.h) from r_k. The weight makes the matrix regular where contacts
// are hyperstatic; its effect on the solution vanishes as r_{k+1} - r_k does.
//
// R. T. Rockafellar, Monotone operators and the proximal point algorithm, SIAM J. Control Optim.
// 14, 1976.
#include <float.h>
#include <string.h>

#include "local/function.h"
#include "solver/semismooth.h"

#define MEMORY      8  // merits that the nonmonotone search compares with
#define HALVINGS    12 // largest number of halvings of a step
#define LEAST_ALPHA 1e-10
#define MOST_ALPHA  1e4
#define LEAST_PART  0.3 // least ratio of the weight to the error; doubled after a failure
#define PART        0.1 // part of alpha |a - center| to which F must fall
#define STALLS      40  // outer steps without a better iterate

static size_t work_bytes(const pcs_problem *p, const pcs_solver_opts *o)
{
    (void)o;
    return 64 + track_bytes(p) + semismooth_bytes(p);
}

// Newton on the proximal problem; 1: solved, 0: not solved, -1: the whole solve has ended
static int inner(semismooth *w, solver_track *t, const pcs_solver_opts *o, int *iters, int *steps,
                 double *r, double *u)
{
    const int n = w->z.n;
    double merits[MEMORY];
    int n_merits = 0;
    semismooth_slopes(w);
    const double first = sqrt(2 * w->merit);
    for (*steps = 0; *steps < o->as.prox.inner; ++*steps) {
        merits[n_merits++ % MEMORY] = w->merit;
        double worst = 0;
        for (int k = 0; k < MEMORY && k < n_merits; ++k) {
            if (merits[k] > worst) worst = merits[k];
        }
        if (semismooth_step(w, 1e-8) == STEP_NONE || !semismooth_search(w, worst, HALVINGS)) {
            return 0;
        }
        semismooth_slopes(w);
        semismooth_get(w, r);
        t->step = w->taken;
        track_measure(t, r, u);
        *iters += 1;
        if (track_done(t, *iters)) return -1;

        double moved = 0;
        for (int i = 0; i < n; ++i) {
            moved += (w->a[i] - w->center[i]) * (w->a[i] - w->center[i]);
        }
        const double left = sqrt(2 * w->merit);
        if (left <= PART * w->shift * sqrt(moved) && left <= 0.5 * first) {
            *steps += 1;
            return 1;
        }
        if (left <= 1e-16 * first) return 1;
    }
    return 0;
}

static pcs_status solve(const pcs_problem *p, const pcs_solver_opts *o, pcs_watch watch,
                        pcs_arena work, double *r, double *u, pcs_report *out)
{
    solver_track t;
    semismooth w = {0};
    if (!track_begin(&t, p, o, watch, &work, r) ||
        !semismooth_begin(&w, p, o->as.prox.function, &work)) {
        return pcs_fail_memory("prox");
    }
    const size_t bytes = (size_t)p->n * sizeof *r;
    semismooth_set(&w, r);
    w.shift = o->as.prox.alpha;
    t.penalty = w.shift;
    track_measure(&t, r, u);

    int iters = 0, stalls = 0;
    double part = LEAST_PART;
    bool done = track_done(&t, iters);
    while (!done) {
        memcpy(w.center, w.a, bytes);
        const double before = t.best_value;
        int steps = 0;
        const int end = inner(&w, &t, o, &iters, &steps, r, u);
        if (end < 0) break;
        if (end > 0) {
            w.shift *= steps <= 3 ? 0.1 : steps <= 6 ? 0.3 : 1;
            // a weight far below the error would make proximal problems as hard as the problem
            // itself
            if (w.shift < part * t.value) w.shift = part * t.value;
            if (w.shift < LEAST_ALPHA) w.shift = LEAST_ALPHA;
        } else {
            memcpy(w.a, w.center, bytes);
            w.shift *= 8;
            part *= 2;
            if (w.shift > MOST_ALPHA) w.shift = MOST_ALPHA;
        }
        t.penalty = w.shift;
        stalls = t.best_value < before ? 0 : stalls + 1;
        if (stalls > STALLS) {
            track_stall(&t, iters);
            break;
        }
        if (steps == 0) {
            // nothing changed: count it nevertheless
            iters += 1;
            done = track_done(&t, iters);
        }
    }
    semismooth_end(&w);
    track_end(&t, r, out);
    return PCS_OK;
}

static const pcs_opt options[] = {
    OPT_WORD("function", prox.function, PCS_NEWTON_FUNCTION_FB, PCS_NEWTON_FUNCTION_JM,
             "function whose zeros are the solutions", function_words),
    OPT_REAL("alpha", prox.alpha, 1e-10, 1e4,
             "first proximal weight, relative to the diagonal of W"),
    OPT_INT("inner", prox.inner, 1, 1000, "Newton steps for one proximal problem"),
};

const solver_class solver_prox = {
    SOLVER_ROW("prox", PCS_SOLVER_PROX, ALL_CONES, 1e-10, 1000,
               "proximal point loop around semismooth Newton"),
    .solve_bodies = bodies_prox,
    SOLVER_OPTIONS(options),
    .defaults.as.prox = {.function = PCS_NEWTON_FUNCTION_AC, .alpha = 0.1, .inner = 30},
};
