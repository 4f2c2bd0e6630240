// Scenes of bodies as models of percuss.
#include "scenes/bodies_model.h"

#include <string.h>

static pcs_status add_body(world *w, const rigid *b)
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
    return world_solid(w, &def, &shape, NULL);
}

pcs_status world_bodies(world *w, const bodies *s)
{
    PCS_TRY(world_material(w, s->mu, 0));
    for (int k = 0; k < s->planes; ++k) {
        PCS_TRY(world_plane(w, s->plane[k], s->plane[k][3]));
    }
    for (int i = 0; i < s->n; ++i) {
        PCS_TRY(add_body(w, &s->body[i]));
    }
    return world_start(w);
}
