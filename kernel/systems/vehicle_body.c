// The vehicle as a body with added mass in a model with contacts: velocities of the kernel are v =
// (R V, omega), its mass is that of M rotated by R, and the gyroscopic part of the step is -C(nu)
// nu. The rest of the right-hand side is the force callback below.
#include "systems/vehicle.h"

#include <string.h>

#include <percuss/rotation.h>

#include "mass/m6.h"
#include "model/model.h"
#include "rotation/pose.h"

// the body itself has -C(nu) nu; a current adds terms to the inertia of the water
static void inertia_beyond(const pcs_vehicle *v, const double nu[6], double inertia[6])
{
    double C[6];
    m6_coriolis(v->def.mass_matrix, nu, C);
    for (int i = 0; i < 6; ++i) {
        inertia[i] = v->flows ? inertia[i] + C[i] : 0;
    }
}

static int force(void *user, double t, const double q[7], const double v[6], double F[6])
{
    (void)t;
    const pcs_vehicle_ride *ride = user;
    const pcs_vehicle *vehicle = ride->vehicle;
    if (!vehicle_command_finite(vehicle, &ride->command)) {
        return pcs_fail(PCS_ERR_ARG, "vehicle: the command is not finite");
    }
    double R[9], nu[6], wrench[6], rotated[3];
    pcs_vehicle_wrenches w;
    quat_matrix(q + 3, R);
    m3_mul_t(R, v, nu);
    v3_copy(v + 3, nu + 3);
    const pcs_status status = vehicle_terms(vehicle, R, nu, &ride->command, &w);
    if (status != PCS_OK) return (int)status;
    inertia_beyond(vehicle, nu, w.inertia);
    for (int i = 0; i < 6; ++i) {
        wrench[i] =
            w.inertia[i] + w.damping[i] + w.lateral[i] + w.restoring[i] + w.thruster[i] + w.fins[i];
    }
    m3_mul(R, wrench, rotated);
    for (int i = 0; i < 3; ++i) {
        F[i] = rotated[i] - vehicle->def.mass * ride->gravity[i];
        F[3 + i] = wrench[3 + i];
    }
    return 0;
}

pcs_status pcs_vehicle_body(pcs_vehicle_ride *ride, const double gravity[3], pcs_body_def *def)
{
    if (!ride || !ride->vehicle || !gravity || !def) {
        return pcs_fail(PCS_ERR_ARG, "pcs_vehicle_body: an argument is null");
    }
    const pcs_vehicle_def *vehicle = &ride->vehicle->def;
    def->mass = vehicle->mass;
    def->force = force;
    def->user = ride;
    memcpy(def->added_mass, vehicle->mass_matrix, sizeof def->added_mass);
    for (int i = 0; i < 3; ++i) {
        def->added_mass[7 * i] -= vehicle->mass;
        for (int j = 0; j < 3; ++j) {
            def->inertia[i + 3 * j] = vehicle->mass_matrix[(3 + i) + 6 * (3 + j)];
            def->added_mass[(3 + i) + 6 * (3 + j)] = 0;
        }
    }
    memcpy(ride->gravity, gravity, sizeof ride->gravity);
    return PCS_OK;
}

const pcs_vehicle_ride *pcs_vehicle_ride_of(const pcs_body_def *def)
{
    return def && def->force == force ? def->user : NULL;
}

pcs_status pcs_model_add_vehicle(pcs_model *m, pcs_vehicle_ride *ride, const double *x,
                                 pcs_system *out)
{
    if (!m || !ride || !ride->vehicle || !x) {
        return pcs_fail(PCS_ERR_ARG, "pcs_model_add_vehicle: an argument is null");
    }
    pcs_body_def def = {.mass = 0};
    memcpy(def.position, x, sizeof def.position);
    memcpy(def.orientation, x + 3, sizeof def.orientation);
    pcs_quat_rotate(x + 3, x + 7, def.velocity);
    memcpy(def.omega, x + 10, sizeof def.omega);
    PCS_TRY(pcs_vehicle_body(ride, m->gravity, &def));
    return pcs_model_add_body(m, &def, out);
}

void pcs_vehicle_from_body(const double q[7], const double v[6], double *x)
{
    double back[4];
    memcpy(x, q, 7 * sizeof *x);
    pcs_quat_conj(q + 3, back);
    pcs_quat_rotate(back, v, x + 7);
    memcpy(x + 10, v + 3, 3 * sizeof *x);
}
