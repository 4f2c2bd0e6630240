// The first driver: the lines of C in the README, with what they need around them. A ball falls
// from the origin to a floor 1 m below and bounces; its height above the floor is printed twice a
// second.
#include <stdio.h>

#include <percuss/percuss.h>

static pcs_model *model;
static pcs_state *state;
static pcs_work *work;

static int print_height(void *user, const pcs_model *m, const pcs_state *s, pcs_work *w,
                        const pcs_step_report *report)
{
    int *calls = user;
    (void)m;
    (void)w;
    (void)report;
    if ((*calls)++ % 100 == 0) printf("%5.2f s %8.4f m\n", s->t, s->q[2] + 1);
    return 0;
}

// PCS_TRY hands a failure up
static pcs_status bounce(void)
{
    int calls = 0;
    pcs_material rubber;
    pcs_system ball;

    pcs_shape plane = pcs_shape_half_space((double[]){0, 0, 1}, -1), sphere = pcs_shape_sphere(0.1);
    pcs_body_def def = pcs_body_def_default(); // at rest, at the origin
    PCS_TRY(pcs_model_create(NULL, &model));   // gravity is there already
    PCS_TRY(pcs_model_add_material(model, &(pcs_material_def){.e = 0.9}, &rubber));
    PCS_TRY(pcs_model_add_solid(model, &def, 1, &sphere, 1100, rubber, &ball)); // kg/m^3
    PCS_TRY(pcs_model_add_shape(model, (pcs_system){0}, &plane, rubber)); // {0} is the world
    PCS_TRY(pcs_state_create(model, &state));
    PCS_TRY(pcs_work_create(model, &work));
    PCS_TRY(pcs_run(model, state, work, 0.005, 10, print_height, &calls, NULL)); // steps of 5 ms
    return PCS_OK;
}

int main(void)
{
    const pcs_status status = bounce();
    if (status != PCS_OK) fprintf(stderr, "first: %s\n", pcs_error_text());

    // after 10 s it lies still on the floor
    const bool still = status == PCS_OK && state->q[2] > -0.91 && state->q[2] < -0.89;
    pcs_work_destroy(work);
    pcs_state_destroy(state);
    pcs_model_destroy(model);
    return still ? 0 : 1;
}
