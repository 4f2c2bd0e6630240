// The limits of doc/joints.md: a rod on a hinge that turns upwards against its stop; its motor,
// which turns the rod against its weight; and a hook that breaks.
#include "frame.h"

static pcs_status stop(void)
{
    pcs_model *model;
    pcs_state *state;
    pcs_work *work;
    pcs_interaction pivot;
    pcs_body_def rod = pcs_body_def_of_inertia(pcs_inertia_box(2, 0.6, 0.04, 0.04));
    rod.omega[2] = 3;
    pcs_joint_def hinge = pcs_joint_def_default(PCS_JOINT_HINGE);
    pcs_joint_state now;
    PCS_TRY(pcs_model_create(NULL, &model));
    PCS_TRY(pcs_model_add_body(model, &rod, &hinge.system1));
    PCS_TRY(pcs_model_add_joint(model, &hinge, &pivot));
#include "block_1.c"
    PCS_TRY(pcs_state_create(model, &state));
    PCS_TRY(pcs_work_create(model, &work));
    PCS_TRY(pcs_run(model, state, work, 1e-3, 0.5, NULL, NULL, NULL));
    PCS_TRY(pcs_state_joint(model, state, work, pivot, &now));
    EXPECT(fabs(now.speed[0] + 0.9) < 1e-9);
    pcs_work_destroy(work);
    pcs_state_destroy(state);
    pcs_model_destroy(model);
    return PCS_OK;
}

static pcs_status crank_it(void)
{
    pcs_model *model;
    pcs_state *state;
    pcs_work *work;
    pcs_interaction pivot, motor;
    pcs_body_def rod = pcs_body_def_of_inertia(pcs_inertia_box(2, 0.6, 0.04, 0.04));
    rod.position[0] = 0.3;
    rod.velocity[1] = 0.9;
    rod.omega[2] = 3;
    pcs_joint_def hinge = pcs_joint_def_default(PCS_JOINT_HINGE);
    pcs_joint_state now;
    double effort;
    PCS_TRY(pcs_model_create(NULL, &model));
    PCS_TRY(pcs_model_set_gravity(model, (double[]){0, -9.81, 0}));
    PCS_TRY(pcs_model_add_body(model, &rod, &hinge.system1));
    hinge.point1[0] = -0.3;
    PCS_TRY(pcs_model_add_joint(model, &hinge, &pivot));
#include "block_2.c"
#include "block_3.c"
    PCS_TRY(pcs_state_create(model, &state));
    PCS_TRY(pcs_work_create(model, &work));
    PCS_TRY(pcs_run(model, state, work, 1e-3, 0.5, NULL, NULL, NULL));
    PCS_TRY(pcs_state_joint(model, state, work, pivot, &now));
    PCS_TRY(pcs_work_joint_effort(work, motor, &effort));
    EXPECT(fabs(now.position[0] - 1.6) < 1e-6);
    EXPECT(fabs(effort - 2 * 9.81 * 0.3 * cos(1.6)) < 0.05);
    pcs_work_destroy(work);
    pcs_state_destroy(state);
    pcs_model_destroy(model);
    return PCS_OK;
}

// 30 kg bear 294 N: the hook breaks in the first step
static pcs_status load_it(void)
{
    pcs_model *model;
    pcs_state *state;
    pcs_work *work;
    pcs_interaction hook;
    pcs_run_report report;
    pcs_body_def weight = pcs_body_def_of_inertia(pcs_inertia_box(30, 0.3, 0.3, 0.3));
    pcs_joint_def ball = pcs_joint_def_default(PCS_JOINT_BALL);
    PCS_TRY(pcs_model_create(NULL, &model));
    PCS_TRY(pcs_model_add_body(model, &weight, &ball.system1));
    PCS_TRY(pcs_model_add_joint(model, &ball, &hook));
#include "block_4.c"
    PCS_TRY(pcs_state_create(model, &state));
    PCS_TRY(pcs_work_create(model, &work));
    PCS_TRY(pcs_run(model, state, work, 1e-3, 0.1, NULL, NULL, &report));
    EXPECT(report.breaks == 1 && pcs_state_broken(model, state, hook));
    pcs_work_destroy(work);
    pcs_state_destroy(state);
    pcs_model_destroy(model);
    return PCS_OK;
}

int main(void)
{
    if (stop() == PCS_OK && crank_it() == PCS_OK && load_it() == PCS_OK) return 0;
    fprintf(stderr, "%s\n", pcs_error_text());
    return 1;
}
