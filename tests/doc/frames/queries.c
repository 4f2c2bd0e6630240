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

int main(void)
{
    rays_and_distances();
    return 0;
}
