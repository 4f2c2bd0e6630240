// The run of doc/which-scheme.md: a ball that falls on a floor.
#include "frame.h"

static pcs_status fall(pcs_run_report *out)
{
    const pcs_shape plane = pcs_shape_half_space((double[]){0, 0, 1}, 0);
    const pcs_shape sphere = pcs_shape_sphere(0.1);
    pcs_body_def def = pcs_body_def_default();
    def.position[2] = 0.5;
    pcs_model *model;
    pcs_state *state;
    pcs_work *work;
    pcs_material steel;
    pcs_run_report report;
    PCS_TRY(pcs_model_create(NULL, &model));
    PCS_TRY(pcs_model_add_material(model, &(pcs_material_def){.e = 0.5}, &steel));
    PCS_TRY(pcs_model_add_solid(model, &def, 1, &sphere, 7800, steel, NULL));
    PCS_TRY(pcs_model_add_shape(model, (pcs_system){0}, &plane, steel));
    PCS_TRY(pcs_state_create(model, &state));
    PCS_TRY(pcs_work_create(model, &work));
#include "block_1.c"
    EXPECT(fabs(pcs_state_q(model, state, (pcs_system){1})[2] - 0.1) < 1e-4); // at rest
    *out = report;
    pcs_work_destroy(work);
    pcs_state_destroy(state);
    pcs_model_destroy(model);
    return PCS_OK;
}

int main(void)
{
    pcs_run_report report;
    EXPECT(fall(&report) == PCS_OK);
    EXPECT(report.doubts[0] == '\0');
    return 0;
}
