// The vehicle of doc/vehicle.md, in an integrator and in a model.
#include "frame.h"

static const double start[PCS_VEHICLE_STATE_SIZE] = {[3] = 1};

static pcs_status integrate(const pcs_vehicle *vehicle)
{
#include "block_1.c"
    pcs_integrator *run;
    PCS_TRY(pcs_integrator_create(NULL, &ode, NULL, &run));
    PCS_TRY(pcs_integrator_start(run, 0, start));
    PCS_TRY(pcs_integrator_advance(run, 20, NULL));
    double surge;
    PCS_TRY(pcs_vehicle_terminal_surge(vehicle, 20, &surge));
    EXPECT(fabs(pcs_integrator_x(run)[7] - surge) < 1e-3 * surge);
    pcs_integrator_destroy(run);
    return PCS_OK;
}

static pcs_status step(const pcs_vehicle *vehicle)
{
    const double h = 0.01;
    double x[PCS_VEHICLE_STATE_SIZE];
    for (int i = 0; i < PCS_VEHICLE_STATE_SIZE; ++i) {
        x[i] = start[i];
    }
    pcs_model *model;
    pcs_state *state;
    pcs_work *work;
    pcs_material material;
    pcs_step_report report;
    PCS_TRY(pcs_model_create(NULL, &model));
    PCS_TRY(pcs_model_add_material(model, &(pcs_material_def){.mu = 0.4}, &material));
#include "block_2.c"
    EXPECT(report.committed && x[7] > 0);
    pcs_work_destroy(work);
    pcs_state_destroy(state);
    pcs_model_destroy(model);
    return PCS_OK;
}

int main(void)
{
    const pcs_vehicle_def def = pcs_vehicle_def_default();
    pcs_vehicle *vehicle;
    EXPECT(pcs_vehicle_create(NULL, &def, &vehicle) == PCS_OK);
    EXPECT(integrate(vehicle) == PCS_OK && step(vehicle) == PCS_OK);
    pcs_vehicle_destroy(vehicle);
    return 0;
}
