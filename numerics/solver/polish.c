// The last digits of an r that is nearly right: on the natural map, with steps of least norm where
// the closed contacts are hyperstatic, as they converge to a solution near r. The limit of what
// rounding leaves is reached in a few steps.
#include "solver/polish.h"

#include <string.h>

#include "solver/semismooth.h"

#define HALVINGS 13 // of a step
#define IDLE     3  // steps without a better iterate

size_t polish_bytes(const pcs_problem *p)
{
    return 64 + track_bytes(p) + semismooth_bytes(p);
}

int polish(const pcs_problem *p, const pcs_solver_opts *o, int steps, pcs_arena work, double *r,
           double *u, double *value)
{
    solver_track t;
    semismooth w = {0};
    if (!track_begin(&t, p, o, (pcs_watch){0}, &work, r) ||
        !semismooth_begin(&w, p, PCS_NEWTON_NATURAL, &work)) {
        return -1;
    }
    semismooth_set(&w, r);
    semismooth_slopes(&w);
    track_measure(&t, r, u);
    int k = 0;
    for (int idle = 0; k < steps && idle < IDLE && !(t.best_value <= o->tol); ++k) {
        const double before = t.best_value;
        if (semismooth_step(&w, 0) == STEP_NONE || !semismooth_search(&w, w.merit, HALVINGS)) {
            break;
        }
        semismooth_slopes(&w);
        semismooth_get(&w, r);
        track_measure(&t, r, u);
        idle = t.best_value < before ? 0 : idle + 1;
    }
    semismooth_end(&w);
    memcpy(r, t.best, (size_t)p->n * sizeof *r);
    *value = track_measure(&t, r, u);
    return k;
}
