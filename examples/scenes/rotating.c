// Rotating bodies, and a row of balls.
#include "scenes/rotating.h"

#include <math.h>
#include <string.h>

// the textbook scheme with theta = 1/2, for bodies that turn for long while they touch
pcs_scheme rotating_scheme(double tol)
{
    pcs_scheme scheme = pcs_scheme_moreau_jean();
    scheme.newton_tol = 1e-14;
    scheme.projection = PCS_PROJECTION_DIRECT_HYSTERESIS;
    scheme.proj_tol = tol;
    scheme.solver.tol = tol;
    return scheme;
}

static pcs_body_def with_moments(double mass, double I1, double I2, double I3)
{
    pcs_body_def def = pcs_body_def_default();
    const double I[3] = {I1, I2, I3};
    def.mass = mass;
    for (int i = 0; i < 9; ++i) {
        def.inertia[i] = i % 4 == 0 ? I[i / 4] : 0;
    }
    return def;
}

// a body with one shape
static pcs_status add_solid(pcs_model *model, const pcs_body_def *def, pcs_shape shape,
                            pcs_material material, pcs_system *body)
{
    PCS_TRY(pcs_model_add_body(model, def, body));
    return pcs_model_add_shape(model, *body, &shape, material);
}

static pcs_status add_floor(pcs_model *model, pcs_material material)
{
    const pcs_shape floor = pcs_shape_half_space((const double[]){0, 0, 1}, 0);
    return pcs_model_add_shape(model, (pcs_system){0}, &floor, material);
}

pcs_status rotating_free(const double I[3], const double omega[3], pcs_model *model)
{
    pcs_body_def def = with_moments(1, I[0], I[1], I[2]);
    pcs_system body;
    memcpy(def.omega, omega, sizeof def.omega);
    PCS_TRY(pcs_model_set_gravity(model, (const double[]){0, 0, 0}));
    return add_solid(model, &def, pcs_shape_sphere(0.05), (pcs_material){0}, &body);
}

pcs_status rotating_top(const heavy_top *top, double radius, double turn, pcs_model *model)
{
    pcs_body_def def = with_moments(top->mass, top->J1, top->J1, top->J3);
    const double height = top->arm * cos(top->tilt);
    def.orientation[0] = cos(top->tilt / 2);
    def.orientation[2] = sin(top->tilt / 2);
    def.omega[0] = -turn * sin(top->tilt);
    def.omega[2] = top->spin;
    def.position[0] = top->floor ? 0 : top->arm * sin(top->tilt);
    def.position[2] = top->floor ? radius + height : height;
    def.velocity[1] = turn * def.position[0];

    pcs_shape tip = pcs_shape_sphere(radius);
    tip.position[2] = -top->arm;
    pcs_interaction_def joint = pcs_interaction_def_default();
    PCS_TRY(pcs_model_set_gravity(model, (const double[]){0, 0, -top->gravity}));
    PCS_TRY(add_solid(model, &def, tip, (pcs_material){0}, &joint.system1));
    if (top->floor) return add_floor(model, (pcs_material){0});
    joint.relation =
        pcs_relation_ball_joint((const double[]){0, 0, -top->arm}, (const double[]){0, 0, 0});
    return pcs_model_add_interaction(model, &joint, NULL);
}

pcs_status rotating_disc(const disc *d, double mu, const double x[3], const double Q[4],
                         const double v[3], const double omega[3], pcs_model *model)
{
    pcs_body_def def = with_moments(d->mass, d->A, d->A, d->C);
    pcs_material rough;
    pcs_system body;
    memcpy(def.position, x, sizeof def.position);
    memcpy(def.orientation, Q, sizeof def.orientation);
    memcpy(def.velocity, v, sizeof def.velocity);
    memcpy(def.omega, omega, sizeof def.omega);
    PCS_TRY(pcs_model_set_gravity(model, (const double[]){0, 0, -d->gravity}));
    PCS_TRY(pcs_model_add_material(model, &(pcs_material_def){.mu = mu}, &rough));
    PCS_TRY(add_solid(model, &def, pcs_shape_cylinder(d->R, 2 * d->c), rough, &body));
    return add_floor(model, rough);
}

pcs_status rotating_balls(const line *l, pcs_model *model)
{
    pcs_material steel;
    PCS_TRY(pcs_model_set_gravity(model, (const double[]){0, 0, 0}));
    PCS_TRY(pcs_model_add_material(model, &(pcs_material_def){.e = l->e}, &steel));
    for (int i = 0; i < l->n; ++i) {
        pcs_body_def def = pcs_body_def_default();
        pcs_system ball;
        def.mass = l->m[i];
        def.position[0] = l->x[i];
        def.velocity[0] = l->v[i];
        PCS_TRY(add_solid(model, &def, pcs_shape_sphere(l->radius), steel, &ball));
    }
    return PCS_OK;
}
