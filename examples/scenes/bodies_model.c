// Bodies as numbers become bodies of a model.
#include "scenes/bodies_model.h"

#include <string.h>

static pcs_status add_body(const rigid *b, pcs_model *model, pcs_material material)
{
    pcs_system body;
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
    PCS_TRY(pcs_model_add_body(model, &def, &body));
    return pcs_model_add_shape(model, body, &shape, material);
}

pcs_status bodies_build(const bodies *s, pcs_model *model)
{
    pcs_material material;
    PCS_TRY(pcs_model_add_material(model, &(pcs_material_def){.mu = s->mu}, &material));
    for (int k = 0; k < s->planes; ++k) {
        const pcs_shape plane = pcs_shape_half_space(s->plane[k], s->plane[k][3]);
        PCS_TRY(pcs_model_add_shape(model, (pcs_system){0}, &plane, material));
    }
    for (int i = 0; i < s->n; ++i) {
        PCS_TRY(add_body(&s->body[i], model, material));
    }
    return PCS_OK;
}

pcs_status bodies_move(bodies *s, pcs_model *model)
{
    const pcs_status status = bodies_build(s, model);
    bodies_destroy(s);
    return status;
}
