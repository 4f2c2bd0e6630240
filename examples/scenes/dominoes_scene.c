// Dominoes in a row along x; the first rotates about its front lower edge.
#include "scenes/dominoes_scene.h"

#include <math.h>

dominoes_def dominoes_default(void)
{
    return (dominoes_def){.n = 20,
                          .size = {0.0075, 0.024, 0.048},
                          .gap = 0.018,
                          .density = 600,
                          .push = 4,
                          .mu = 0.2,
                          .mu_floor = 1};
}

dominoes_def dominoes_scaled(const dominoes_def *def, double s)
{
    dominoes_def large = *def;
    for (int i = 0; i < 3; ++i) {
        large.size[i] *= s;
    }
    large.gap *= s;
    large.push /= sqrt(s);
    return large;
}

pcs_status dominoes_build(const dominoes_def *def, pcs_model *model)
{
    const double *size = def->size, mass = def->density * size[0] * size[1] * size[2];
    const pcs_shape box = pcs_shape_box(size[0], size[1], size[2]);
    const pcs_shape floor = pcs_shape_half_space((const double[]){0, 0, 1}, 0);
    const pcs_material_def rough = {.mu = fmax(def->mu, def->mu_floor)};
    pcs_material smooth, ground;
    PCS_TRY(pcs_model_add_material(model, &(pcs_material_def){.mu = def->mu}, &smooth));
    for (int i = 0; i < def->n; ++i) {
        pcs_body_def body =
            pcs_body_def_of_inertia(pcs_inertia_box(mass, size[0], size[1], size[2]));
        pcs_system domino;
        body.position[0] = i * (size[0] + def->gap);
        body.position[2] = size[2] / 2;
        if (i == 0) {
            body.omega[1] = def->push;
            body.velocity[0] = def->push * size[2] / 2;
            body.velocity[2] = def->push * size[0] / 2;
        }
        PCS_TRY(pcs_model_add_body(model, &body, &domino));
        PCS_TRY(pcs_model_add_shape(model, domino, &box, smooth));
    }
    PCS_TRY(pcs_model_add_material(model, &rough, &ground));
    return pcs_model_add_shape(model, (pcs_system){0}, &floor, ground);
}

double dominoes_tilt(const pcs_model *model, const pcs_state *state, int i)
{
    double up[3];
    const double *q = pcs_state_read_q(model, state, (pcs_system){i + 1});
    pcs_quat_rotate(q + 3, (const double[]){0, 0, 1}, up);
    return atan2(up[0], up[2]);
}
