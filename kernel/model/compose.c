// A body made of several shapes: its mass properties, and the shapes seen from its centre of mass.
#include <string.h>

#include <percuss/planar.h>

#include "base/base.h"
#include "model/model.h"
#include "rotation/pose.h"

pcs_body_def pcs_body_def_of_inertia(pcs_inertia inertia)
{
    pcs_body_def def = pcs_body_def_default();
    def.mass = inertia.m;
    memcpy(def.inertia, inertia.J, sizeof def.inertia);
    memcpy(def.position, inertia.G, sizeof def.position);
    return def;
}

pcs_status model_shapes_about(const char *who, const pcs_inertia *b, int n, const pcs_shape *shapes,
                              pcs_body_def *def, pcs_shape *about_G)
{
    double Q[4], moved[3];
    memcpy(Q, def->orientation, sizeof Q);
    if (!pcs_all_finite(Q, 4) || pcs_quat_normalise(Q) != PCS_OK) {
        return pcs_fail(PCS_ERR_ARG, "%s: the orientation of the body is zero or not finite", who);
    }
    if (!pcs_all_finite(def->position, 3)) {
        return pcs_fail(PCS_ERR_ARG, "%s: the position of the body is not finite", who);
    }

    quat_turn(Q, 1, b->G, moved);
    v3_along(def->position, 1, moved, def->position);
    def->mass = b->m;
    memcpy(def->inertia, b->J, sizeof def->inertia);
    for (int k = 0; k < n; ++k) {
        pcs_shape s = shapes[k];
        v3_sub(s.position, b->G, s.position);
        about_G[k] = s;
    }
    return PCS_OK;
}

pcs_status pcs_body_def_of_shapes(int n, const pcs_shape *shapes, const double *densities,
                                  pcs_body_def *def, pcs_shape *about_G)
{
    static const char who[] = "pcs_body_def_of_shapes";
    if (!def || !about_G) return pcs_fail(PCS_ERR_ARG, "%s: an argument is null", who);
    pcs_inertia b;
    PCS_TRY(pcs_inertia_of_shapes(n, shapes, densities, &b));
    return model_shapes_about(who, &b, n, shapes, def, about_G);
}

// memory for n more shapes, so that none of them fails later
static bool reserve_shapes(pcs_model *m, int n)
{
    while (m->cap_shapes - m->n_shapes < n) {
        if (!model_grow(&m->env, (void **)&m->shape, m->cap_shapes, &m->cap_shapes,
                        sizeof *m->shape)) {
            return false;
        }
    }
    return true;
}

// pcs_body_def_of_shapes, or the same in a plane
typedef pcs_status solid_of(int n, const pcs_shape *shapes, const double *densities,
                            pcs_body_def *def, pcs_shape *about_G);

// makes the definition of n shapes of one density; about_G has room for them
static pcs_status define_solid(const pcs_env *env, solid_of *of_shapes, int n,
                               const pcs_shape *shapes, double density, pcs_body_def *def,
                               pcs_shape *about_G)
{
    if (!body_def_moves(def)) {
        memcpy(about_G, shapes, (size_t)n * sizeof *shapes);
        return PCS_OK;
    }
    double *densities = pcs_env_alloc(env, (size_t)n, sizeof *densities);
    if (!densities) return pcs_fail_memory("pcs_model_add_solid");
    for (int k = 0; k < n; ++k) {
        densities[k] = density;
    }
    const pcs_status status = of_shapes(n, shapes, densities, def, about_G);
    pcs_env_free(env, densities);
    return status;
}

static pcs_status fill_solid(pcs_model *m, solid_of *of_shapes, pcs_body_def *def, int n,
                             const pcs_shape *shapes, double density, pcs_material material,
                             pcs_shape *about_G, pcs_system *out)
{
    pcs_system body;
    PCS_TRY(define_solid(&m->env, of_shapes, n, shapes, density, def, about_G));
    PCS_TRY(pcs_model_add_body(m, def, &body));
    for (int k = 0; k < n; ++k) {
        PCS_TRY(pcs_model_add_shape(m, body, &about_G[k], material));
    }
    if (out) *out = body;
    return PCS_OK;
}

static pcs_status add_solid(const char *who, pcs_model *m, solid_of *of_shapes,
                            const pcs_body_def *def, int n, const pcs_shape *shapes, double density,
                            pcs_material material, pcs_system *out)
{
    if (!m || !def || !shapes || n < 1) {
        return pcs_fail(PCS_ERR_ARG, "%s: %d shapes, or an argument is null", who, n);
    }
    PCS_TRY(model_may_change(m, who));
    // all checks of the shapes come before the body is added
    for (int k = 0; k < n; ++k) {
        PCS_TRY(model_check_shape(m, who, (pcs_system){0}, &shapes[k], material));
        const bool ground =
            shapes[k].kind == PCS_SHAPE_MESH || shapes[k].kind == PCS_SHAPE_HEIGHT_FIELD;
        if (ground && (body_def_moves(def) || def->carrier.id > 0)) {
            return pcs_fail(PCS_ERR_ARG,
                            "%s: a mesh or a height field must be on a fixed body or one with a"
                            " prescribed motion",
                            who);
        }
    }
    pcs_shape *about_G = pcs_env_alloc(&m->env, (size_t)n, sizeof *about_G);
    if (!about_G || !reserve_shapes(m, n)) {
        pcs_env_free(&m->env, about_G);
        return pcs_fail_memory(who);
    }
    pcs_body_def own = *def;
    const pcs_status status =
        fill_solid(m, of_shapes, &own, n, shapes, density, material, about_G, out);
    pcs_env_free(&m->env, about_G);
    return status;
}

pcs_status pcs_model_add_solid(pcs_model *m, const pcs_body_def *def, int n,
                               const pcs_shape *shapes, double density, pcs_material material,
                               pcs_system *out)
{
    return add_solid("pcs_model_add_solid", m, pcs_body_def_of_shapes, def, n, shapes, density,
                     material, out);
}

pcs_status pcs_model_add_planar_solid(pcs_model *m, const pcs_body_def *def, int n,
                                      const pcs_shape *shapes, double density,
                                      pcs_material material, pcs_system *out)
{
    return add_solid("pcs_model_add_planar_solid", m, pcs_body_def_of_planar_shapes, def, n, shapes,
                     density, material, out);
}
