// The interface of an engine for bench_scenes: it takes a scene, makes steps, gives poses and
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
    int iterations; // at most, or exactly; 0: as it comes
    int threads;
} engine_options;

enum { MOST_STAGES = 12 };

// the report of a step; zero and NaN where an engine has none
typedef struct engine_step {
    int contacts;    // in reach
    int active;      // of them in the velocity problem
    int iterations;  // of the velocity problem
    int finish;      // iterations of what takes over where sweeps stall
    int projections; // of the positions
    int islands;     // groups of bodies, and contacts of the largest
    int largest;
    double residual;   // of the velocity problem
    double projected;  // worst residual of the linearised problems of the projection
    double violation;  // m, what the projection left
    bool good;         // everything converged
    const char *words; // how it ended
    int stages;        // seconds of each stage, and their names
    const char *stage[MOST_STAGES];
    double seconds[MOST_STAGES];
} engine_step;

typedef struct engine {
    const char *name;
    int iterations; // 0: the engine solves to a tolerance
    // null: it cannot, and has said why on stderr
    void *(*create)(const bodies *s, const engine_options *o);
    void (*destroy)(void *self);
    // false: it cannot continue, and has said why on stderr
    bool (*step)(void *self, double h, engine_step *out);
    // 7 and 6 entries a body: x, Q; velocity, and angular velocity in body axes
    void (*read)(void *self, double *q, double *v);
    void (*write)(void *self, const double *q, const double *v);
    // bytes held, and the part of them that the last step had no use for; or null
    size_t (*bytes)(void *self, size_t *spare);
    unsigned long long (*hash)(void *self); // of the state, or null
    // as create, of scenes only a model can say, what runs it, and its sums; or null
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
