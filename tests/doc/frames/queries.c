// The blocks of doc/queries.md.
#include "frame.h"

#define TRY(call) EXPECT((call) == PCS_OK)

// a box of 1 m that lies 1 mm over the ground
static void rays_and_distances(void)
{
    pcs_model *model;
    pcs_state *state;
    EXPECT(pcs_model_create(NULL, &model) == PCS_OK);
    pcs_shape ground = pcs_shape_half_space((double[3]){0, 0, 1}, 0),
              cube = pcs_shape_box(1, 1, 0.5);
    EXPECT(pcs_model_add_shape(model, (pcs_system){0}, &ground, (pcs_material){0}) == PCS_OK);
    pcs_body_def def = pcs_body_def_default();
    pcs_system box;
    def.position[2] = 0.251;
    EXPECT(pcs_model_add_solid(model, &def, 1, &cube, 500, (pcs_material){0}, &box) == PCS_OK);
    EXPECT(pcs_model_set_shape_name(model, 1, "lid") == PCS_OK);
    EXPECT(pcs_state_create(model, &state) == PCS_OK);
#include "block_1.c"
    EXPECT(hit.shape == 1 && fabs(hit.distance - 4.499) < 1e-14);
    EXPECT(nearest.shape2 == 1 && fabs(nearest.distance - 1.5) < 1e-14);
    EXPECT(fabs(gap.distance - 1e-3) < 1e-15);
    pcs_state_destroy(state);
    pcs_model_destroy(model);
}

// a lamp on a hinge beside a box on the ground
static void what_acted(void)
{
    pcs_model *model;
    pcs_state *state;
    pcs_work *work;
    EXPECT(pcs_model_create(NULL, &model) == PCS_OK);
    pcs_shape ground = pcs_shape_half_space((double[3]){0, 0, 1}, 0), cube = pcs_shape_box(1, 1, 1);
    EXPECT(pcs_model_add_shape(model, (pcs_system){0}, &ground, (pcs_material){0}) == PCS_OK);
    pcs_body_def def = pcs_body_def_default();
    pcs_system box, lamp;
    const int shape_of_box = 1;
    def.position[2] = 0.5;
    EXPECT(pcs_model_add_solid(model, &def, 1, &cube, 500, (pcs_material){0}, &box) == PCS_OK);
    def.position[0] = 3;
    def.mass = 2;
    EXPECT(pcs_model_add_body(model, &def, &lamp) == PCS_OK);
    pcs_interaction_def joint = pcs_interaction_def_default();
    pcs_interaction hinge;
    joint.relation = pcs_relation_ball_joint((double[3]){0, 0, 0.4}, (double[3]){3, 0, 0.9});
    joint.system1 = lamp;
    EXPECT(pcs_model_add_interaction(model, &joint, &hinge) == PCS_OK);
    EXPECT(pcs_state_create(model, &state) == PCS_OK);
    EXPECT(pcs_work_create(model, &work) == PCS_OK);
    EXPECT(pcs_step(model, state, work, 1e-3, NULL) == PCS_OK);
#include "block_2.c"
    EXPECT(fabs(wrench[2] / h - 500 * 9.81) < 1e-3);
    EXPECT(fabs(pressure.normal / h - 500 * 9.81) < 1e-3);
    EXPECT(hypot(pressure.centre[0], pressure.centre[1]) < 1e-6);
    pcs_work_destroy(work);
    pcs_state_destroy(state);
    pcs_model_destroy(model);
}

// a ball that falls and rebounds
static void events(void)
{
    pcs_model *model;
    pcs_state *state;
    pcs_work *work;
    EXPECT(pcs_model_create(NULL, &model) == PCS_OK);
    pcs_shape ground = pcs_shape_half_space((double[3]){0, 0, 1}, 0), round = pcs_shape_sphere(0.1);
    pcs_material_def rubber = pcs_material_def_default();
    pcs_material material;
    rubber.e = 0.5;
    EXPECT(pcs_model_add_material(model, &rubber, &material) == PCS_OK);
    EXPECT(pcs_model_add_shape(model, (pcs_system){0}, &ground, material) == PCS_OK);
    pcs_body_def def = pcs_body_def_default();
    pcs_system ball;
    def.position[2] = 0.4;
    EXPECT(pcs_model_add_solid(model, &def, 1, &round, 500, material, &ball) == PCS_OK);
    EXPECT(pcs_model_set_system_name(model, ball, "ball") == PCS_OK);
    EXPECT(pcs_state_create(model, &state) == PCS_OK);
    EXPECT(pcs_work_create(model, &work) == PCS_OK);
#include "block_3.c"
    EXPECT(state->t > 0.499);
    pcs_work_destroy(work);
    pcs_state_destroy(state);
    pcs_model_destroy(model);
}

int main(void)
{
    events();
    what_acted();
    rays_and_distances();
    return 0;
}
