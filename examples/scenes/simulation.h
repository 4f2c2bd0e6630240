// What a run takes: a scene, its states and a work, created by the calls of the library and
// released together.
#ifndef EXAMPLES_SCENES_SIMULATION_H
#define EXAMPLES_SCENES_SIMULATION_H

#include <percuss/kernel.h>
#include <percuss/scene.h>

// All null at first.
typedef struct simulation {
    pcs_scene *scene;        // owns the model
    pcs_state *state, *mark; // mark: a copy of the state at some time
    pcs_work *work;
} simulation;

// state, mark and work of its scene, with this number of threads
pcs_status simulation_start(simulation *s, int threads);

// The same, and runs the scene by its settings.
pcs_status simulation_run(simulation *s, int threads, pcs_observer_fn observer, void *user);

// Releases all that is there.
void simulation_close(simulation *s);

#endif
