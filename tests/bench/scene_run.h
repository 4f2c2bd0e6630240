// A run of a scene in an engine: its cost and its results.
#ifndef BENCH_SCENE_RUN_H
#define BENCH_SCENE_RUN_H

#include <stdio.h>

#include "engine.h"
#include "scene_list.h"

// a scene about to be run: numbers, or a model
typedef struct course {
    const bodies *s;
    const model_scene *m; // where s is null
    double h, size, still_from;
    int steps, perturb_at;
} course;

course course_of_bodies(const bodies *s);
course course_of_model(const model_scene *m);

// of a run; of several, the measures of the first and the times of the fastest
typedef struct result {
    bool ran;
    int steps;
    double cpu, cpu_most, wall; // s: mean and most of a step, mean
    double contacts, active, iterations, finish, islands, projections;
    double contact_steps; // sum of contacts over all steps
    int most_contacts, most_iterations, cold_iterations;
    int most_finish, cold_finish, largest;
    double warm_finish;
    double warm_iterations; // mean since the perturbation, or of all but the first step
    double residual;        // worst
    double projected;       // worst residual of the projections
    int bad;                // steps that did not converge
    const char *bad_words;
    double deepest, energy, rise; // m; over its first value, at the end; largest rise, of that too
    double highest;               // energy, over its first value
    int outside;
    double moved; // m, since still_from
    double off;   // what a model scene measures at its end; NaN before
    int n;        // bodies
    double per_body, per_contact, held, resident;
    unsigned long long hash;
    int stages;
    const char *stage[MOST_STAGES];
    double seconds[MOST_STAGES];
} result;

// `every` steps overlap and energy are measured, 0: never; trace may be null
result scene_run(const engine *e, const course *c, const engine_options *o, int steps, int every,
                 FILE *trace);

// of the lines for trace
extern const char *const scene_trace_head;

// the times of the faster run; what was measured stays
void scene_keep_faster(result *best, const result *now);

#endif
