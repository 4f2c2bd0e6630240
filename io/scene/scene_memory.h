// What a scene keeps beside its model.
#ifndef SCENE_SCENE_MEMORY_H
#define SCENE_SCENE_MEMORY_H

#include <percuss/scene.h>

#include "problem_file/pool.h"

struct pcs_scene_memory {
    pcs_pool pool; // what definitions lead to, names
    pcs_env env;
    pcs_geometry **geometry; // owned, in the order they were handed over
    size_t n_geometries, cap_geometries;
};

// a copy of a text in the memory of the scene, or null
const char *scene_text(pcs_scene *scene, const char *text);

#endif
