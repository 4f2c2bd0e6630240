// The data of a scene beside its model.
#ifndef SCENE_SCENE_MEMORY_H
#define SCENE_SCENE_MEMORY_H

#include <percuss/scene.h>
#include <percuss/vehicle.h>

#include "problem_file/pool.h"

struct pcs_scene_memory {
    pcs_pool pool; // data that definitions refer to, names
    pcs_env env;
    struct kept_geometry {
        pcs_geometry *geometry; // owned
        const char *name;       // name in its file, or ""; from the pool
    } * kept;                   // in the order of pcs_scene_keep
    size_t n_kept, cap_kept;
    struct kept_vehicle {
        pcs_vehicle *vehicle; // owned
        struct kept_vehicle *next;
    } * vehicles; // from the pool
    struct named_file {
        const char *path;
        struct named_file *next;
    } * files; // that the text of the scene names and were read; from the pool
};

// pcs_scene_keep with the name that shapes of a file refer to
pcs_status scene_keep(pcs_scene *scene, pcs_geometry *geometry, const char *name);

#endif
