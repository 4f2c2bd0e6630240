// A scene as an object, and the data that it owns.
#include <string.h>

#include <percuss/meshes.h>

#include "base/base.h"
#include "scene/scene_memory.h"

pcs_status pcs_scene_create(const pcs_env *env, pcs_scene **out)
{
    static const char who[] = "pcs_scene_create";
    if (!out) return pcs_fail(PCS_ERR_ARG, "%s: out is null", who);
    *out = NULL;
    pcs_scene *scene = pcs_env_alloc(env, 1, sizeof *scene);
    struct pcs_scene_memory *memory = pcs_env_alloc(env, 1, sizeof *memory);
    if (!scene || !memory) {
        pcs_env_free(env, scene);
        pcs_env_free(env, memory);
        return pcs_fail_memory(who);
    }
    memory->pool = pool_begin(env);
    if (env) memory->env = *env;
    *scene = (pcs_scene){.name = "", .description = "", .memory = memory};
    const pcs_status status = pcs_model_create(env, &scene->model);
    if (status != PCS_OK) {
        pcs_scene_destroy(scene);
        return status;
    }
    *out = scene;
    return PCS_OK;
}

void pcs_scene_destroy(pcs_scene *scene)
{
    if (!scene) return;
    struct pcs_scene_memory *memory = scene->memory;
    const pcs_env env = memory->env;
    pcs_model_destroy(scene->model);
    for (size_t i = 0; i < memory->n_kept; ++i) {
        pcs_geometry_destroy(memory->kept[i].geometry);
    }
    for (struct kept_vehicle *v = memory->vehicles; v; v = v->next) {
        pcs_vehicle_destroy(v->vehicle);
    }
    pcs_env_free(&env, memory->kept);
    pool_release(&memory->pool);
    pcs_env_free(&env, memory);
    pcs_env_free(&env, scene);
}

// a copy of a text in the memory of the scene, or null
static const char *copy_text(pcs_scene *scene, const char *text)
{
    if (!text || !*text) return "";
    const size_t bytes = strlen(text) + 1;
    char *copy = pool_take_array(&scene->memory->pool, bytes, 1);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

pcs_status pcs_scene_describe(pcs_scene *scene, const char *name, const char *description)
{
    if (!scene) return pcs_fail(PCS_ERR_ARG, "pcs_scene_describe: the scene is null");
    const char *first = copy_text(scene, name), *second = copy_text(scene, description);
    if (!first || !second) return pcs_fail_memory("pcs_scene_describe");
    scene->name = first;
    scene->description = second;
    return PCS_OK;
}

// makes room for one more
static bool reserve(struct pcs_scene_memory *m)
{
    if (m->n_kept < m->cap_kept) return true;
    const size_t wanted = m->cap_kept > 0 ? 2 * m->cap_kept : 8;
    struct kept_geometry *larger = pcs_env_alloc(&m->env, wanted, sizeof *larger);
    if (!larger) return false;
    if (m->kept) memcpy(larger, m->kept, m->n_kept * sizeof *larger);
    pcs_env_free(&m->env, m->kept);
    m->kept = larger;
    m->cap_kept = wanted;
    return true;
}

pcs_status scene_keep(pcs_scene *scene, pcs_geometry *geometry, const char *name)
{
    struct pcs_scene_memory *m = scene->memory;
    const char *copy = copy_text(scene, name);
    if (!copy || !reserve(m)) {
        pcs_geometry_destroy(geometry);
        return pcs_fail_memory("pcs_scene_keep");
    }
    m->kept[m->n_kept++] = (struct kept_geometry){geometry, copy};
    return PCS_OK;
}

pcs_status pcs_scene_keep(pcs_scene *scene, pcs_geometry *geometry)
{
    if (scene && geometry) return scene_keep(scene, geometry, "");
    pcs_geometry_destroy(geometry);
    return pcs_fail(PCS_ERR_ARG, "pcs_scene_keep: an argument is null");
}

pcs_status pcs_scene_keep_vehicle(pcs_scene *scene, pcs_vehicle *vehicle)
{
    struct kept_vehicle *v = scene && vehicle ? pcs_scene_alloc(scene, sizeof *v) : NULL;
    if (!v) {
        pcs_vehicle_destroy(vehicle);
        if (scene && vehicle) return pcs_fail_memory("pcs_scene_keep_vehicle");
        return pcs_fail(PCS_ERR_ARG, "pcs_scene_keep_vehicle: an argument is null");
    }
    *v = (struct kept_vehicle){vehicle, scene->memory->vehicles};
    scene->memory->vehicles = v;
    return PCS_OK;
}

void *pcs_scene_alloc(pcs_scene *scene, size_t bytes)
{
    return scene ? pool_take_array(&scene->memory->pool, 1, bytes) : NULL;
}
