// Semismooth Newton with friction: steps J d = -F on the scaled problem (semismooth.h), halved
// until |F| is below the largest of its last values. Where that fails, and where no step has given
// a better iterate for a while, a few sweeps of Gauss-Seidel from the best iterate give a new
// start.
#include "solver/newton_cones.h"

#include <string.h>

#include "solver/semismooth.h"

#define MEMORY   8    // merits that the nonmonotone search compares with
#define PATIENCE 15   // steps without a better iterate before a restart
#define SWEEPS   10   // sweeps of the first restart; each further one has more
#define PROX     1e-8 // proximal weight of the steps where J is singular

size_t newton_cones_bytes(const pcs_problem *p)
{
    return 64 + track_bytes(p) + semismooth_bytes(p);
}

pcs_status newton_cones(const pcs_problem *p, const pcs_solver_opts *o, pcs_watch watch,
                        pcs_arena work, double *r, double *u, pcs_report *out)
{
    solver_track t;
    semismooth w = {0};
    if (!track_begin(&t, p, o, watch, &work, r) ||
        !semismooth_begin(&w, p, o->as.newton.function, &work)) {
        return pcs_fail_memory("newton");
    }
    semismooth_set(&w, r);
    semismooth_slopes(&w);
    track_measure(&t, r, u);

    double merits[MEMORY];
    int n_merits = 0, idle = 0, restarts = 0;
    for (int iters = 0; !track_done(&t, iters); ++iters) {
        merits[n_merits++ % MEMORY] = w.merit;
        double worst = 0;
        for (int k = 0; k < MEMORY && k < n_merits; ++k) {
            if (merits[k] > worst) worst = merits[k];
        }
        const double before = t.best_value;
        const bool moved = semismooth_step(&w, 0) != STEP_NONE &&
                           semismooth_search(&w, worst, o->as.newton.max_backtracks);
        if (moved) {
            t.step = w.taken;
            semismooth_slopes(&w);
            semismooth_get(&w, r);
            track_measure(&t, r, u);
        }
        idle = t.best_value < before ? 0 : idle + 1;
        if (moved && idle < PATIENCE) continue;

        if (restarts == o->as.newton.restarts) {
            track_stall(&t, iters + 1);
            break;
        }
        restarts += 1;
        idle = n_merits = 0;
        semismooth_set(&w, t.best);
        semismooth_sweep(&w, SWEEPS * restarts);
        semismooth_slopes(&w);
        semismooth_get(&w, r);
        track_measure(&t, r, u);
    }
    semismooth_end(&w);
    track_end(&t, r, out);
    return PCS_OK;
}
