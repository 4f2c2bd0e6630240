// Creation and release of a geometry.
#include "collide/geometry.h"

#include "base/base.h"

pcs_geometry *geometry_new(const pcs_env *env, pcs_shape_kind kind)
{
    pcs_geometry *g = pcs_env_alloc(env, 1, sizeof *g);
    if (!g) return NULL;
    if (env) g->env = *env;
    g->kind = kind;
    return g;
}

void pcs_geometry_destroy(pcs_geometry *g)
{
    if (!g) return;
    const pcs_env env = g->env;
    if (g->kind == PCS_SHAPE_MESH) mesh_release(&env, &g->of.mesh);
    if (g->kind == PCS_SHAPE_HEIGHT_FIELD) pcs_env_free(&env, g->of.field.height);
    pcs_env_free(&env, g->owned);
    pcs_env_free(&env, g);
}
