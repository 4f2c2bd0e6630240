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

pcs_status dominoes_build(world *w, const dominoes_def *def)
{
    const double *size = def->size, pitch = size[0] + def->gap;
    const double mass = def->density * size[0] * size[1] * size[2];
    PCS_TRY(world_material(w, def->mu, 0));
    for (int i = 0; i < def->n; ++i) {
        const double x[3] = {i * pitch, 0, size[2] / 2};
        PCS_TRY(world_box(w, mass, size, x, NULL, NULL));
    }
    PCS_TRY(world_material(w, fmax(def->mu, def->mu_floor), 0));
    PCS_TRY(world_floor(w));
    PCS_TRY(world_start(w));
    double *v = world_v(w, 0);
    v[4] = def->push;
    v[0] = def->push * size[2] / 2;
    v[2] = def->push * size[0] / 2;
    return world_energy(w);
}

double dominoes_tilt(const world *w, int i)
{
    double up[3];
    pcs_quat_rotate(world_q(w, i) + 3, (const double[]){0, 0, 1}, up);
    return atan2(up[0], up[2]);
}
