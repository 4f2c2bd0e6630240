// A scene as an object: what it owns.
#include <string.h>

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
    for (size_t i = 0; i < memory->n_geometries; ++i) {
        pcs_geometry_destroy(memory->geometry[i]);
    }
    pcs_env_free(&env, memory->geometry);
    pool_release(&memory->pool);
    pcs_env_free(&env, memory);
    pcs_env_free(&env, scene);
}

const char *scene_text(pcs_scene *scene, const char *text)
{
    if (!text || !*text) return "";
    const size_t bytes = strlen(text) + 1;
    char *copy = pool_take_array(&scene->memory->pool, bytes, 1);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

pcs_status pcs_scene_describe(pcs_scene *scene, const char *name, const char *description)
{
    if (!scene) return pcs_fail(PCS_ERR_ARG, "pcs_scene_describe: the scene is null");
    const char *first = scene_text(scene, name), *second = scene_text(scene, description);
    if (!first || !second) return pcs_fail_memory("pcs_scene_describe");
    scene->name = first;
    scene->description = second;
    return PCS_OK;
}

pcs_status pcs_scene_keep(pcs_scene *scene, pcs_geometry *geometry)
{
    if (!scene || !geometry) {
        pcs_geometry_destroy(geometry);
        return pcs_fail(PCS_ERR_ARG, "pcs_scene_keep: an argument is null");
    }
    struct pcs_scene_memory *m = scene->memory;
    if (m->n_geometries == m->cap_geometries) {
        const size_t wanted = m->cap_geometries > 0 ? 2 * m->cap_geometries : 8;
        pcs_geometry **larger = pcs_env_alloc(&m->env, wanted, sizeof(pcs_geometry *));
        if (!larger) {
            pcs_geometry_destroy(geometry);
            return pcs_fail_memory("pcs_scene_keep");
        }
        if (m->geometry) memcpy(larger, m->geometry, m->n_geometries * sizeof(pcs_geometry *));
        pcs_env_free(&m->env, m->geometry);
        m->geometry = larger;
        m->cap_geometries = wanted;
    }
    m->geometry[m->n_geometries++] = geometry;
    return PCS_OK;
}

void *pcs_scene_alloc(pcs_scene *scene, size_t bytes)
{
    return scene ? pool_take_array(&scene->memory->pool, 1, bytes) : NULL;
}
