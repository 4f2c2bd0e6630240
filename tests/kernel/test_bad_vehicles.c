// Vehicles that are refused, with a sentence, and failed allocations.
#include "support.h"
#include "vehicle_ride.h"

#include <percuss/vehicle.h>

#define PI 3.14159265358979323846

static void refused(const pcs_vehicle_def *def, pcs_status status)
{
    pcs_vehicle *v = (pcs_vehicle *)def;
    CK_FAILS(pcs_vehicle_create(NULL, def, &v), status);
    ck_assert_ptr_null(v);
}

#define REFUSED(status, change)                          \
    do {                                                 \
        pcs_vehicle_def def = pcs_vehicle_def_default(); \
        change;                                          \
        refused(&def, status);                           \
    } while (0)

static int failing_foil(void *user, double alpha, double *CL, double *CD)
{
    const int *mode = user;
    *CL = 0;
    if (*mode != 1) *CD = 0.1;
    return *mode == 2 ? 7 : 0;
}

TEST(definitions_are_checked)
{
    const double falling[] = {0, 0, 0, 0, 1, 1}, negative[] = {0, 0, 0, 1, 1, -1};
    const double broken[] = {0, 0, 0, 1, NAN, 1}, fine[] = {0, 0, 0, 1, 1, 1};
    REFUSED(PCS_ERR_ARG, def.mass_matrix[0] = NAN);
    REFUSED(PCS_ERR_ARG, def.mass_matrix[1] = 1);
    REFUSED(PCS_ERR_ARG, def.added_mass[6] = 1);
    REFUSED(PCS_ERR_SINGULAR, def.mass_matrix[35] = 0);
    REFUSED(PCS_ERR_SINGULAR, def.mass_matrix[0] = -1);
    REFUSED(PCS_ERR_SINGULAR, def.mass_matrix[1] = def.mass_matrix[6] = 10);
    REFUSED(PCS_ERR_ARG, def.mass = 0);
    REFUSED(PCS_ERR_ARG, def.weight = -1);
    REFUSED(PCS_ERR_ARG, def.buoyancy = NAN);
    REFUSED(PCS_ERR_ARG, def.density = INFINITY);
    REFUSED(PCS_ERR_ARG, def.damping[3] = -0.1);
    REFUSED(PCS_ERR_ARG, def.quadratic[5] = NAN);
    REFUSED(PCS_ERR_ARG, def.Yur = NAN);
    REFUSED(PCS_ERR_ARG, def.r_G[1] = NAN);
    REFUSED(PCS_ERR_ARG, def.r_B[1] = NAN);
    REFUSED(PCS_ERR_ARG, def.current[2] = INFINITY);
    REFUSED(PCS_ERR_ARG, def.thruster[0] = NAN);
    REFUSED(PCS_ERR_ARG, def.thrust_axis[0] = 0);
    REFUSED(PCS_ERR_ARG, def.thrust_axis[2] = NAN);
    REFUSED(PCS_ERR_ARG, def.n_fins = -1);
    REFUSED(PCS_ERR_ARG, def.n_fins = PCS_VEHICLE_FINS_MAX + 1);
    REFUSED(PCS_ERR_ARG, def.fin[3].area = -0.008);
    REFUSED(PCS_ERR_ARG, def.fin[0].angle = NAN);
    REFUSED(PCS_ERR_ARG, def.foil.stall = 0);
    REFUSED(PCS_ERR_ARG, def.foil.drag = -1);
    REFUSED(PCS_ERR_ARG, def.foil.slope = NAN);
    REFUSED(PCS_ERR_ARG, def.foil = ((pcs_foil){.table = falling, .rows = 2}));
    REFUSED(PCS_ERR_ARG, def.foil = ((pcs_foil){.table = negative, .rows = 2}));
    REFUSED(PCS_ERR_ARG, def.foil = ((pcs_foil){.table = broken, .rows = 2}));
    REFUSED(PCS_ERR_ARG, def.foil = ((pcs_foil){.table = fine, .rows = 1}));
    REFUSED(PCS_ERR_ARG, (def.foil.table = fine, def.foil.rows = 2, def.foil.fn = failing_foil));

    pcs_vehicle *v;
    CK_FAILS(pcs_vehicle_create(NULL, NULL, &v), PCS_ERR_ARG);
    const pcs_vehicle_def def = pcs_vehicle_def_default();
    CK_FAILS(pcs_vehicle_create(NULL, &def, NULL), PCS_ERR_ARG);
    pcs_vehicle_destroy(NULL);
}

TEST(arguments_are_checked_and_nothing_is_written)
{
    int mode = 0;
    pcs_vehicle_def def = pcs_vehicle_def_default();
    def.foil = (pcs_foil){.fn = failing_foil, .user = &mode};
    pcs_vehicle *v = vehicle_make(&def);
    double x[PCS_VEHICLE_STATE_SIZE] = {0, 0, 0, 1, 0, 0, 0, 1}, out[PCS_VEHICLE_STATE_SIZE] = {42};
    pcs_vehicle_command command = {.thrust = 1};
    CK_OK(pcs_vehicle_rates(v, 0, x, &command, out));
    out[0] = 42;

    for (mode = 1; mode <= 2; ++mode) {
        CK_FAILS(pcs_vehicle_rates(v, 0, x, &command, out), PCS_ERR_CALLBACK);
    }
    mode = 0;
    for (int i = 0; i < PCS_VEHICLE_STATE_SIZE; ++i) {
        const double kept = x[i];
        x[i] = NAN;
        CK_FAILS(pcs_vehicle_rates(v, 0, x, &command, out), PCS_ERR_ARG);
        x[i] = kept;
    }
    x[3] = 0;
    CK_FAILS(pcs_vehicle_rates(v, 0, x, &command, out), PCS_ERR_ARG);
    x[3] = 1;
    command.deflection[3] = NAN;
    CK_FAILS(pcs_vehicle_rates(v, 0, x, &command, out), PCS_ERR_ARG);
    command.deflection[3] = 0;
    command.deflection[4] = NAN; // not a fin of this vehicle
    CK_OK(pcs_vehicle_rates(v, 0, x, &command, x));
    command.thrust = INFINITY;
    CK_FAILS(pcs_vehicle_rates(v, 0, x, &command, out), PCS_ERR_ARG);
    command.thrust = 0;
    CK_FAILS(pcs_vehicle_rates(NULL, 0, x, &command, out), PCS_ERR_ARG);

    double e[PCS_VEHICLE_STATE_EULER_SIZE] = {0};
    for (int k = 0; k < 2; ++k) {
        e[4] = (k ? 0.5 : -0.5) * PI;
        CK_FAILS(pcs_vehicle_rates_euler(v, 0, e, &command, out), PCS_ERR_SINGULAR);
    }
    e[4] = 0.5 * PI - 1e-7;
    CK_OK(pcs_vehicle_rates_euler(v, 0, e, &command, e));
    e[11] = NAN;
    CK_FAILS(pcs_vehicle_rates_euler(v, 0, e, &command, out), PCS_ERR_ARG);

    pcs_fin_load load;
    CK_FAILS(pcs_vehicle_fin_load(v, 4, x + 7, 0, &load), PCS_ERR_ARG);
    CK_FAILS(pcs_vehicle_fin_load(v, -1, x + 7, 0, &load), PCS_ERR_ARG);
    CK_FAILS(pcs_vehicle_fin_load(v, 0, x + 7, NAN, &load), PCS_ERR_ARG);
    CK_NEAR(out[0], 42, 0);
    pcs_vehicle_destroy(v);
}

TEST(memory_is_allocated_once)
{
    const double table[] = {-4, -1, 0, 4, 1, 1};
    pcs_vehicle_def def = pcs_vehicle_def_default();
    def.foil = (pcs_foil){.table = table, .rows = 2};
    for (int k = 0; k < 2; ++k) {
        test_memory memory = {.fail_at = k};
        const pcs_env env = test_env(&memory);
        pcs_vehicle *v;
        CK_FAILS(pcs_vehicle_create(&env, &def, &v), PCS_ERR_MEMORY);
        ck_assert_int_eq(memory.live, 0);
    }
    test_memory memory = {.fail_at = 2};
    const pcs_env env = test_env(&memory);
    pcs_vehicle *v;
    CK_OK(pcs_vehicle_create(&env, &def, &v));
    ck_assert_ptr_ne(pcs_vehicle_definition(v)->foil.table, table);
    CK_NEAR(pcs_vehicle_definition(v)->foil.table[3], 4, 0);
    const long before = memory.allocated;
    double x[PCS_VEHICLE_STATE_SIZE] = {0, 0, 0, 1, 0, 0, 0, 1};
    const pcs_vehicle_command command = {.thrust = 5, .deflection = {0.1}};
    vehicle_ride(v, &command, 1, 100, x);
    ck_assert_int_eq(memory.allocated, before);
    pcs_vehicle_destroy(v);
    ck_assert_int_eq(memory.live, 0);
}
