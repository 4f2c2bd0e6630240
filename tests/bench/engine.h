// The interface of an engine for bench_scenes: it takes a scene, makes steps, returns poses and
// velocities.
#ifndef BENCH_ENGINE_H
#define BENCH_ENGINE_H

#include <stddef.h>

#include "scenes/bodies.h"

#ifdef __cplusplus
extern "C" {
#endif

struct model_scene;
struct run_tally;
struct simulation;

typedef struct engine_options {
    double tol;     // of the velocity problem; the engines of others take a number of iterations
    int iterations; // a limit, or the exact number; 0: the default of the engine
    int threads;
} engine_options;

enum { MOST_STAGES = 12 };

// the report of a step; zero and NaN where an engine has none
typedef struct engine_step {
    int contacts;    // in reach
    int active;      // of them in the velocity problem
    int iterations;  // of the velocity problem
    int finish;      // iterations of the finish after the sweeps
    int projections; // of the positions
    int islands;     // the number of islands, and the contacts of the largest
    int largest;
    double residual;   // of the velocity problem
    double projected;  // worst residual of the linearised problems of the projection
    double violation;  // m, overlap after the projection
    bool good;         // all solves converged
    const char *words; // the outcome in words
    int stages;        // the number of stages, their names, and the seconds of each
    const char *stage[MOST_STAGES];
    double seconds[MOST_STAGES];
} engine_step;

typedef struct engine {
    const char *name;
    int iterations; // 0: the engine solves to a tolerance
    // null: the engine cannot take the scene, and has printed the reason to stderr
    void *(*create)(const bodies *s, const engine_options *o);
    void (*destroy)(void *self);
    // false: the engine cannot continue, and has printed the reason to stderr
    bool (*step)(void *self, double h, engine_step *out);
    // 7 and 6 entries a body: x, Q; velocity, and angular velocity in body axes
    void (*read)(void *self, double *q, double *v);
    void (*write)(void *self, const double *q, const double *v);
    // bytes held, and the part of them that the last step did not use; may be null
    size_t (*bytes)(void *self, size_t *spare);
    unsigned long long (*hash)(void *self); // of the state; may be null
    // as create, for scenes that exist only as models; the run of the scene, and its sums; may be
    // null
    void *(*create_model)(const struct model_scene *s, const engine_options *o);
    const struct simulation *(*simulation)(const void *self);
    const struct run_tally *(*tally)(const void *self);
} engine;

extern const engine engine_percuss;
extern const engine engine_ode_20, engine_ode_100, engine_bullet;

#ifdef __cplusplus
}
#endif

#endif
