// The hydrodynamic vehicle (theory 11): M dnu/dt = -C(nu) nu + damping + lateral + restoring +
// thruster + fins in body axes, with nu = (V, omega).
//
// In a constant current c the part M_A of M that belongs to the water moves relative to it. With
// V_c = R^T c and nu_r = nu - (V_c; 0), whose derivative is that of nu plus (omega x V_c; 0), the
// inertia on the right-hand side is
//
//     -C_S(nu) nu - C_A(nu_r) nu_r - M_A (omega x V_c; 0),    M = M_S + M_A.
#include "systems/vehicle.h"

#include <math.h>
#include <string.h>

#include <percuss/rigid.h>
#include <percuss/rotation.h>

#include "mass/m6.h"
#include "rotation/pose.h"

void pcs_vehicle_coriolis(const double M[36], const double nu[6], double out[6])
{
    m6_coriolis(M, nu, out);
}

// ---- the terms

static void inertia_still(const pcs_vehicle *v, const double nu[6], double out[6])
{
    m6_coriolis(v->def.mass_matrix, nu, out);
    for (int i = 0; i < 6; ++i) {
        out[i] = -out[i];
    }
}

static void inertia_flowing(const pcs_vehicle *v, const double nu[6], const double relative[6],
                            double out[6])
{
    double solid[6], fluid[6], transport[6] = {0}, carried[6], current[3];
    m6_coriolis(v->solid, nu, solid);
    m6_coriolis(v->def.added_mass, relative, fluid);
    v3_sub(nu, relative, current);
    v3_cross(nu + 3, current, transport);
    m6_mul(v->def.added_mass, transport, carried);
    for (int i = 0; i < 6; ++i) {
        out[i] = -solid[i] - fluid[i] - carried[i];
    }
}

static void damping(const pcs_vehicle_def *d, const double nu[6], double out[6])
{
    for (int i = 0; i < 6; ++i) {
        out[i] = -(d->damping[i] + d->quadratic[i] * fabs(nu[i])) * nu[i];
    }
}

// ((B - W) z; r_B x B z - r_G x W z), z the inertial vertical in body axes
static void restoring(const pcs_vehicle_def *d, const double R[9], double out[6])
{
    const double z[3] = {R[2], R[5], R[8]};
    double lever[3];
    for (int i = 0; i < 3; ++i) {
        out[i] = (d->buoyancy - d->weight) * z[i];
        lever[i] = d->buoyancy * d->r_B[i] - d->weight * d->r_G[i];
    }
    v3_cross(lever, z, out + 3);
}

static void thruster(const pcs_vehicle_def *d, double thrust, double out[6])
{
    v3_scale(thrust, d->thrust_axis, out);
    v3_cross(d->thruster, out, out + 3);
}

pcs_status vehicle_terms(const pcs_vehicle *v, const double R[9], const double nu[6],
                         const pcs_vehicle_command *command, pcs_vehicle_wrenches *out)
{
    const pcs_vehicle_def *d = &v->def;
    double relative[6];
    memcpy(relative, nu, sizeof relative);
    if (v->flows) {
        double current[3];
        m3_mul_t(R, d->current, current);
        v3_sub(nu, current, relative);
        inertia_flowing(v, nu, relative, out->inertia);
    } else {
        inertia_still(v, nu, out->inertia);
    }

    damping(d, relative, out->damping);
    memset(out->lateral, 0, sizeof out->lateral);
    out->lateral[1] = d->Yur * relative[0] * relative[5];
    restoring(d, R, out->restoring);
    thruster(d, command->thrust, out->thruster);
    memset(out->fins, 0, sizeof out->fins);
    for (int k = 0; k < d->n_fins; ++k) {
        pcs_fin_load load;
        PCS_TRY(fin_load(v, k, relative, command->deflection[k], &load));
        for (int i = 0; i < 6; ++i) {
            out->fins[i] += load.wrench[i];
        }
    }
    return PCS_OK;
}

pcs_status vehicle_acceleration(const pcs_vehicle *v, const double R[9], const double nu[6],
                                const pcs_vehicle_command *command, double nudot[6])
{
    pcs_vehicle_wrenches w;
    PCS_TRY(vehicle_terms(v, R, nu, command, &w));
    for (int i = 0; i < 6; ++i) {
        nudot[i] =
            w.inertia[i] + w.damping[i] + w.lateral[i] + w.restoring[i] + w.thruster[i] + w.fins[i];
    }
    m6_cholesky_solve(v->L, nudot);
    return PCS_OK;
}

// ---- public functions

bool vehicle_command_finite(const pcs_vehicle *v, const pcs_vehicle_command *command)
{
    return isfinite(command->thrust) && pcs_all_finite(command->deflection, (size_t)v->def.n_fins);
}

// R(Q); refuses a Q that is no rotation
static pcs_status rotation_of(const char *name, const double Q[4], double R[9])
{
    double unit[4] = {Q[0], Q[1], Q[2], Q[3]};
    if (pcs_quat_normalise(unit) != PCS_OK) {
        return pcs_fail(PCS_ERR_ARG, "%s: the orientation quaternion is zero or not finite", name);
    }
    quat_matrix(unit, R);
    return PCS_OK;
}

pcs_status pcs_vehicle_terms(const pcs_vehicle *v, const double Q[4], const double nu[6],
                             const pcs_vehicle_command *command, pcs_vehicle_wrenches *out)
{
    if (!v || !Q || !nu || !command || !out) {
        return pcs_fail(PCS_ERR_ARG, "pcs_vehicle_terms: an argument is null");
    }
    if (!pcs_all_finite(nu, 6) || !vehicle_command_finite(v, command)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_vehicle_terms: the velocity or the command is not"
                                     " finite");
    }
    double R[9];
    PCS_TRY(rotation_of("pcs_vehicle_terms", Q, R));
    return vehicle_terms(v, R, nu, command, out);
}

pcs_status pcs_vehicle_rates(const pcs_vehicle *v, double t, const double *x,
                             const pcs_vehicle_command *command, double *xdot)
{
    if (!v || !x || !command || !xdot) {
        return pcs_fail(PCS_ERR_ARG, "pcs_vehicle_rates: an argument is null");
    }
    if (!pcs_all_finite(x, PCS_VEHICLE_STATE_SIZE) || !vehicle_command_finite(v, command)) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_vehicle_rates: the state or the command is not finite at t = %g s", t);
    }
    const double *Q = x + 3, *nu = x + 7;
    double R[9], nudot[6];
    PCS_TRY(rotation_of("pcs_vehicle_rates", Q, R));
    PCS_TRY(vehicle_acceleration(v, R, nu, command, nudot));

    double rate[7];
    pcs_pose_rate(x, nu, rate);
    memcpy(xdot, rate, sizeof rate);
    memcpy(xdot + 7, nudot, sizeof nudot);
    return PCS_OK;
}

// W z_G - B z_B = (W - B) z_O + (W r_G - B r_B).z
void pcs_vehicle_energy(const pcs_vehicle *v, const double *x, double *kinetic, double *potential)
{
    const pcs_vehicle_def *d = &v->def;
    const double *nu = x + 7;
    if (kinetic) {
        double momentum[6];
        m6_mul(d->mass_matrix, nu, momentum);
        *kinetic = 0.5 * v6_dot(nu, momentum);
    }
    if (potential) {
        double R[9], sum = (d->weight - d->buoyancy) * x[2];
        pcs_quat_to_matrix(x + 3, R);
        for (int i = 0; i < 3; ++i) {
            sum += R[2 + 3 * i] * (d->weight * d->r_G[i] - d->buoyancy * d->r_B[i]);
        }
        *potential = sum;
    }
}

// the root of q u^2 + d u = T without cancellation, ahead or astern
pcs_status pcs_vehicle_terminal_surge(const pcs_vehicle *v, double thrust, double *u)
{
    if (!v || !u || !isfinite(thrust)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_vehicle_terminal_surge: an argument is null or the"
                                     " thrust is not finite");
    }
    const pcs_vehicle_def *d = &v->def;
    const double T = thrust * d->thrust_axis[0];
    double CL, CD, area = 0;
    PCS_TRY(foil_coefficients(&d->foil, T >= 0 ? 0 : 3.14159265358979323846, &CL, &CD));
    for (int i = 0; i < d->n_fins; ++i) {
        area += d->fin[i].area;
    }
    const double q = d->quadratic[0] + 0.5 * d->density * area * CD;
    const double slope = d->damping[0] + sqrt(d->damping[0] * d->damping[0] + 4 * q * fabs(T));
    if (T != 0 && !(slope > 0)) {
        return pcs_fail(PCS_ERR_SINGULAR, "pcs_vehicle_terminal_surge: nothing resists the surge;"
                                          " there is no terminal speed");
    }
    *u = T == 0 ? 0 : 2 * T / slope;
    return PCS_OK;
}

// ---- for integrators

int pcs_vehicle_ode(void *user, double t, const double *x, double *dxdt)
{
    const pcs_vehicle_ride *ride = user;
    if (!ride) return PCS_ERR_ARG;
    return (int)pcs_vehicle_rates(ride->vehicle, t, x, &ride->command, dxdt);
}

int pcs_vehicle_ode_euler(void *user, double t, const double *x, double *dxdt)
{
    const pcs_vehicle_ride *ride = user;
    if (!ride) return PCS_ERR_ARG;
    return (int)pcs_vehicle_rates_euler(ride->vehicle, t, x, &ride->command, dxdt);
}

int pcs_vehicle_normalise(void *user, double t, double *x)
{
    (void)user;
    (void)t;
    return x ? (int)pcs_quat_normalise(x + 3) : (int)PCS_ERR_ARG;
}
