// Computes the last digits of an r that is nearly right.
//
// First Newton steps on the natural map, of least norm where the closed contacts are hyperstatic,
// with a line search: they converge to a solution near r when its contacts have the right status.
// The limit of rounding is reached in a few steps.
//
// Where some contacts have the wrong status, the line search ends at a kink of |F|. Then full steps
// follow:
//
//     d = -(J + alpha A)^-1 F,     F that of Alart and Curnier, J = A W^ + B,
//
// a Newton step on the proximal problem whose centre is the present iterate. |F| may grow a
// thousandfold until all contacts have their final status; then it falls to rounding in a few
// steps. Which alpha succeeds is not known: alpha decreases from a value at which the steps are
// short, each time from the best iterate so far, and a round that helped is followed by another.
#include "solver/polish.h"

#include <string.h>

#include "solver/semismooth.h"

#define HALVINGS 13 // largest number of halvings of a step
#define IDLE     3  // largest number of steps without a better iterate

// from a worse r full steps do not converge
#define FROM       1e-4
#define MOST_ALPHA 1e-3
#define ALPHAS     6 // number of values, each a tenth of the one before
#define ROUNDS     3
#define LOST       10  // full steps without a better iterate
#define BETTER     0.7 // a value below this part of the best counts as better
#define HELPED     0.5 // another round follows a value below this part of the one before the round
// delta of a step when J + alpha A is singular, too
#define DELTA 1e-8

size_t polish_bytes(const pcs_problem *p)
{
    return 64 + track_bytes(p) + semismooth_bytes(p);
}

// the tolerance is reached, or the time is over
static bool enough(const solver_track *t)
{
    return t->best_value <= t->o->tol || track_late(t);
}

static int searched(semismooth *w, solver_track *t, int steps, double *r, double *u)
{
    int k = 0;
    for (int idle = 0; k < steps && idle < IDLE && !enough(t); ++k) {
        const double before = t->best_value;
        if (semismooth_step(w, 0) == STEP_NONE || !semismooth_search(w, w->merit, HALVINGS)) {
            break;
        }
        semismooth_slopes(w);
        semismooth_get(w, r);
        track_measure(t, r, u);
        idle = t->best_value < before ? 0 : idle + 1;
    }
    return k;
}

// full steps from the best r so far
static int full(semismooth *w, solver_track *t, int steps, double *r, double *u)
{
    const size_t bytes = (size_t)w->z.n * sizeof *w->a;
    semismooth_set(w, t->best);
    int k = 0;
    for (int idle = 0; k < steps && idle < LOST && !enough(t); ++k) {
        const double before = t->best_value;
        memcpy(w->center, w->a, bytes);
        semismooth_slopes(w);
        if (semismooth_step(w, DELTA) == STEP_NONE) break;
        for (int i = 0; i < w->z.n; ++i) {
            w->a[i] += w->d[i];
        }
        semismooth_get(w, r);
        track_measure(t, r, u);
        idle = t->best_value < BETTER * before ? 0 : idle + 1;
    }
    return k;
}

int polish(const pcs_problem *p, const pcs_solver_opts *o, int steps, pcs_arena work, double *r,
           double *u, double *value)
{
    solver_track t;
    semismooth w = {0};
    if (!track_begin(&t, p, o, (pcs_watch){0}, &work, r) ||
        !semismooth_begin(&w, p, PCS_NEWTON_FUNCTION_NATURAL, &work)) {
        return -1;
    }
    semismooth_set(&w, r);
    semismooth_slopes(&w);
    track_measure(&t, r, u);
    int k = searched(&w, &t, steps, r, u);
    w.f = PCS_NEWTON_FUNCTION_AC;
    double before = INFINITY;
    for (int round = 0; round < ROUNDS && t.best_value <= FROM && t.best_value < HELPED * before;
         ++round) {
        before = t.best_value;
        w.shift = MOST_ALPHA;
        for (int a = 0; a < ALPHAS && !enough(&t); ++a, w.shift *= 0.1) {
            k += full(&w, &t, steps, r, u);
        }
    }
    semismooth_end(&w);
    memcpy(r, t.best, (size_t)p->n * sizeof *r);
    *value = track_measure(&t, r, u);
    return k;
}
