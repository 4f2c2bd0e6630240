// Rotating bodies, and a row of balls.
#include "scenes/turning.h"

#include <math.h>
#include <string.h>

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

pcs_status turning_free(world *w, const double I[3], const double omega[3])
{
    pcs_body_def def = with_moments(1, I[0], I[1], I[2]);
    memcpy(def.omega, omega, sizeof def.omega);
    const pcs_shape shape = pcs_shape_sphere(0.05);
    PCS_TRY(world_solid(w, &def, &shape, NULL));
    return world_start(w);
}

pcs_status turning_top(world *w, const heavy_top *top, double radius, double turn)
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
    pcs_system body;
    PCS_TRY(world_solid(w, &def, &tip, &body));
    if (top->floor) {
        PCS_TRY(world_floor(w));
    } else {
        pcs_interaction_def joint = pcs_interaction_def_default();
        joint.relation =
            pcs_relation_ball_joint((const double[]){0, 0, -top->arm}, (const double[]){0, 0, 0});
        joint.system1 = body;
        PCS_TRY(pcs_model_add_interaction(w->model, &joint, NULL));
    }
    return world_start(w);
}

pcs_status turning_disc(world *w, const disc *d, double mu, const double x[3], const double Q[4],
                        const double v[3], const double omega[3])
{
    PCS_TRY(world_material(w, mu, 0));
    pcs_body_def def = with_moments(d->mass, d->A, d->A, d->C);
    memcpy(def.position, x, sizeof def.position);
    memcpy(def.orientation, Q, sizeof def.orientation);
    memcpy(def.velocity, v, sizeof def.velocity);
    memcpy(def.omega, omega, sizeof def.omega);
    const pcs_shape shape = pcs_shape_cylinder(d->R, 2 * d->c);
    PCS_TRY(world_solid(w, &def, &shape, NULL));
    PCS_TRY(world_floor(w));
    return world_start(w);
}

pcs_status turning_balls(world *w, const line *l)
{
    PCS_TRY(world_material(w, 0, l->e));
    for (int i = 0; i < l->n; ++i) {
        PCS_TRY(world_sphere(w, l->m[i], l->radius, (const double[]){l->x[i], 0, 0}, NULL));
    }
    PCS_TRY(world_start(w));
    for (int i = 0; i < l->n; ++i) {
        world_v(w, i)[0] = l->v[i];
    }
    return world_energy(w);
}
