// Limits for a run of a scene in percuss.
#ifndef BENCH_SCENE_CHECK_H
#define BENCH_SCENE_CHECK_H

#include "scene_run.h"

typedef struct verdict {
    const char *what;
    double value, most; // holds iff value <= most
} verdict;

enum { MOST_VERDICTS = 8 };

// Fills in the checks of a run and returns their number: overlap, energy, bodies outside, steps
// that were not solved, motion of bodies that should rest, and the expected end of a model.
int scene_verdicts(const bench_scene *b, const course *c, const engine_options *o, const result *r,
                   verdict v[MOST_VERDICTS]);

bool verdict_holds(const verdict *v);

#endif
