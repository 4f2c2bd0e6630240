// A ball falls on a plane and bounces: the smallest driver, which compiles as C17 and as C++17.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <percuss/kernel.h>

static void must(pcs_status status)
{
    if (status == PCS_OK) return;
    fprintf(stderr, "%s: %s\n", pcs_status_text(status), pcs_error_text());
    exit(1);
}

int main(void)
{
    const double z0 = 1, radius = 0.1, g = 9.81, e = 0.9, h = 1e-3;

    // the model: gravity, a plane that belongs to the world, a ball
    pcs_model *model;
    must(pcs_model_create(NULL, &model));

    pcs_material_def rubber = pcs_material_def_default();
    rubber.e = e;
    pcs_material material;
    must(pcs_model_add_material(model, &rubber, &material));

    const pcs_system world = {0};
    const double up[3] = {0, 0, 1};
    const pcs_shape plane = pcs_shape_half_space(up, 0), sphere = pcs_shape_sphere(radius);
    must(pcs_model_add_shape(model, world, &plane, material));

    pcs_body_def def = pcs_body_def_default(); // 1 kg
    def.position[2] = z0;
    pcs_system ball;
    must(pcs_model_add_body(model, &def, &ball));
    must(pcs_model_add_shape(model, ball, &sphere, material));

    // the state, and the memory for its steps
    pcs_state *state;
    pcs_work *work;
    must(pcs_state_create(model, &state));
    must(pcs_work_create(model, &work));

    // height of the first apex: the ball falls for t0, bounces, and rises for e t0 to e^2 of its
    // height
    const double t0 = sqrt(2 * (z0 - radius) / g), apex = radius + (z0 - radius) * e * e;
    pcs_run_report report;
    must(pcs_run(model, state, work, h, t0 * (1 + e), NULL, NULL, &report));

    const double z = pcs_state_q(model, state, ball)[2];
    printf("percuss %s: first apex at %.4f m, in closed form %.4f m\n", pcs_version(), z, apex);
    const bool ok = report.outcome == PCS_OUTCOME_CONVERGED && fabs(z - apex) < 5 * h;

    pcs_work_destroy(work);
    pcs_state_destroy(state);
    pcs_model_destroy(model);
    return ok ? 0 : 1;
}
