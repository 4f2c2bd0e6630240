// A hash of the state at the end of a scene, which is the same for a straight run, a run saved and
// loaded half way, and a copied run.
#ifndef BENCH_SCENE_HASH_H
#define BENCH_SCENE_HASH_H

#include "scene_run.h"

// The hash of the state after `steps` steps of percuss. Half way the state is saved and loaded into
// a model built again, and copied to the state of another; each continues to the end. false, with a
// line on stderr: their hashes differ, or a run failed.
bool scene_hash(const char *name, const course *c, const engine_options *o, int steps,
                unsigned long long *hash);

#endif
