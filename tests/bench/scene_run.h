// A run of a scene in an engine: its cost and its results.
#ifndef BENCH_SCENE_RUN_H
#define BENCH_SCENE_RUN_H

#include <stdio.h>

#include "engine.h"
#include "scene_list.h"

// a scene to run: bodies, or a model
typedef struct course {
    const bodies *s;
    const model_scene *m; // when s is null
    double h, size, still_from;
    int steps, perturb_at;
} course;

course course_of_bodies(const bodies *s);
course course_of_model(const model_scene *m);

// measures of a run; of several, those of the first run and the times of the fastest
typedef struct result {
    bool ran;
    int steps;
    double cpu, cpu_most, wall; // s: mean and maximum of a step, mean
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
    // m; at the end over the initial value; largest rise over the same
    double deepest, energy, rise;
    double highest; // largest energy over the initial value
    int outside;
    double moved; // m, since still_from
    double off;   // distance of a model scene from its expected end; NaN before the end
    int n;        // bodies
    double per_body, per_contact, held, resident;
    unsigned long long hash;
    int stages;
    const char *stage[MOST_STAGES];
    double seconds[MOST_STAGES];
} result;

// overlap and energy are measured every `every` steps, 0: never; trace may be null
result scene_run(const engine *e, const course *c, const engine_options *o, int steps, int every,
                 FILE *trace);

// header of the lines of trace
extern const char *const scene_trace_head;

// keeps the times of the faster run, and the measures of the first
void scene_keep_faster(result *best, const result *now);

#endif
