// Scenes of bodies as models of percuss.
#include "scenes/bodies_model.h"

#include <string.h>

pcs_scheme bodies_scheme(double tol)
{
    return pcs_scheme_dense(tol, 0.12);
}

static pcs_status add_body(pcs_model *m, const rigid *b, pcs_material material)
{
    pcs_body_def def = pcs_body_def_default();
    const pcs_shape shape = b->radius > 0
                                ? pcs_shape_sphere(b->radius)
                                : pcs_shape_box(2 * b->half[0], 2 * b->half[1], 2 * b->half[2]);
    def.fixed = b->fixed;
    def.mass = b->mass;
    memset(def.inertia, 0, sizeof def.inertia);
    for (int i = 0; i < 3; ++i) {
        def.inertia[4 * i] = b->inertia[i];
    }
    memcpy(def.position, b->position, sizeof def.position);
    memcpy(def.orientation, b->orientation, sizeof def.orientation);
    memcpy(def.velocity, b->velocity, sizeof def.velocity);
    memcpy(def.omega, b->omega, sizeof def.omega);
    pcs_system system;
    PCS_TRY(pcs_model_add_body(m, &def, &system));
    return pcs_model_add_shape(m, system, &shape, material);
}

static pcs_status fill(pcs_model *m, const bodies *s, const pcs_scheme *scheme)
{
    pcs_material_def def = pcs_material_def_default();
    def.mu = s->mu;
    pcs_material material;
    PCS_TRY(pcs_model_set_scheme(m, scheme));
    PCS_TRY(pcs_model_set_gravity(m, s->gravity));
    PCS_TRY(pcs_model_add_material(m, &def, &material));
    for (int k = 0; k < s->planes; ++k) {
        const pcs_shape plane = pcs_shape_half_space(s->plane[k], s->plane[k][3]);
        PCS_TRY(pcs_model_add_shape(m, (pcs_system){0}, &plane, material));
    }
    for (int i = 0; i < s->n; ++i) {
        PCS_TRY(add_body(m, &s->body[i], material));
    }
    return PCS_OK;
}

pcs_status bodies_model(const pcs_env *env, const bodies *s, const pcs_scheme *scheme,
                        pcs_model **out)
{
    PCS_TRY(pcs_model_create(env, out));
    const pcs_status status = fill(*out, s, scheme);
    if (status != PCS_OK) {
        pcs_model_destroy(*out);
        *out = NULL;
    }
    return status;
}
