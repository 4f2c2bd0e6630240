// Limits for a run of a scene in percuss.
#include "scene_check.h"

#include <math.h>

// relative to the size of the smallest body
#define OVERLAP 1e-3
// relative to the initial energy; rounding may lift bodies at rest
#define ENERGY 1e-9
// m, after the time from which nothing moves
#define CREEP 1e-6
// Residual of a step of a settling pile, whose hard problems end at the budget: an error of a
// hundredth of the largest relative velocity.
#define LOOSE 1e-2

bool verdict_holds(const verdict *v)
{
    return v->value <= v->most;
}

int scene_verdicts(const bench_scene *b, const course *c, const engine_options *o, const result *r,
                   verdict v[MOST_VERDICTS])
{
    int n = 0;
    if (!r->ran) return 0;

    v[n++] = (verdict){"deepest overlap over size", r->deepest / c->size, OVERLAP};
    if (c->s) v[n++] = (verdict){"bodies outside", r->outside, 0};

    // a limit of sweeps is meant to be reached: no further checks
    if (o->iterations > 0) return n;
    if (!c->m || !c->m->driven) {
        v[n++] = c->perturb_at >= 0
                     ? (verdict){"largest rise of energy over E0", r->rise, ENERGY}
                     : (verdict){"highest energy over E0, less 1", r->highest - 1, ENERGY};
    }
    v[n++] = b->of_side ? (verdict){"largest residual of a step", r->residual, LOOSE}
                        : (verdict){"steps not solved to the tolerance", r->bad, b->missed};
    if (r->steps * c->h > c->still_from) {
        v[n++] = (verdict){"motion of a body at rest (m)", r->moved, CREEP};
    }
    if (c->m && r->steps == c->steps) v[n++] = (verdict){c->m->what, r->off, c->m->most};
    return n;
}
