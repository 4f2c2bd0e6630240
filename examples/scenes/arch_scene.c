// The stones of an arch: one hull of eight points about the middle of the circle, rotated into
// place.
#include <percuss/meshes.h>

#include "scenes/arch_scene.h"

#include <math.h>

arch_def arch_default(void)
{
    return (arch_def){
        .stones = 45, .radius = 1, .thickness = 0.112, .depth = 0.3, .density = 2400, .mu = 1};
}

double arch_size(const arch_def *def)
{
    const double inside = 2 * (def->radius - 0.5 * def->thickness);
    return fmin(inside * sin(2 * atan(1) / def->stones), fmin(def->thickness, def->depth));
}

pcs_status arch_build(const arch_def *def, pcs_scene *scene)
{
    pcs_model *model = scene->model;
    pcs_geometry *stone;
    pcs_material rough;
    const double part = 4 * atan(1) / def->stones;
    double points[24];
    for (int i = 0; i < 8; ++i) {
        const double r = def->radius + (i & 1 ? 0.5 : -0.5) * def->thickness;
        points[3 * i] = (i & 2 ? 1 : -1) * r * sin(part / 2);
        points[3 * i + 1] = (i & 4 ? 0.5 : -0.5) * def->depth;
        points[3 * i + 2] = r * cos(part / 2);
    }
    PCS_TRY(pcs_geometry_create_hull(NULL, 8, points, &stone));
    PCS_TRY(pcs_scene_keep(scene, stone));
    const pcs_shape ground = pcs_shape_half_space((const double[]){0, 0, 1}, 0);
    const pcs_shape about_middle = pcs_shape_hull(stone);
    PCS_TRY(pcs_model_add_material(model, &(pcs_material_def){.mu = def->mu}, &rough));
    PCS_TRY(pcs_model_add_shape(model, (pcs_system){0}, &ground, rough));
    for (int k = 0; k < def->stones; ++k) {
        const double half = 0.5 * (k - 0.5 * (def->stones - 1)) * part;
        pcs_body_def body = pcs_body_def_default();
        body.orientation[0] = cos(half);
        body.orientation[2] = sin(half);
        PCS_TRY(pcs_model_add_solid(model, &body, 1, &about_middle, def->density, rough, NULL));
    }
    return PCS_OK;
}
