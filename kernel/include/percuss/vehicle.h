/// @file
/// A hydrodynamic vehicle: a rigid body in a fluid with added mass, damping, restoring forces, fins
/// and a thruster (theory 11). Its state is X, Q, nu: position of the body origin O (m, inertial),
/// orientation (body to inertial, any |Q| > 0), and nu = (V_B, omega_B), both in body axes (m/s,
/// rad/s). Body axes: x forward, y left, z up; the inertial z axis points up (ASM-1). A wrench is
/// force (N) and moment about O (N m) in body axes.
///
///     dX/dt = R V_B,  dQ/dt = 1/2 Q (x) (0, omega_B)
///     M dnu/dt + C(nu) nu = damping + lateral + restoring + thruster + fins
#ifndef PERCUSS_VEHICLE_H
#define PERCUSS_VEHICLE_H

#include <percuss/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Sizes of the vehicle's arrays.
enum {
    PCS_VEHICLE_FINS_MAX = 16,        ///< most fins of a vehicle
    PCS_VEHICLE_STATE_SIZE = 13,      ///< X (3), Q (4), nu (6)
    PCS_VEHICLE_STATE_EULER_SIZE = 12 ///< X (3), roll pitch yaw (3), nu (6)
};

/// Lift and drag coefficient at an angle of attack alpha in (-pi, pi] rad. A non-zero return value,
/// or a number that is not finite, is PCS_ERR_CALLBACK.
typedef int (*pcs_foil_fn)(void *user, double alpha, double *CL, double *CD);

/// The coefficients of a profile: a callback, else a table, else the smooth fit
///
///     pre = slope alpha
///     CL  = (1 - sigma) pre + sigma plate sin(alpha) |sin(alpha)| cos(alpha)
///     CD  = drag + (1 - sigma) rise pre^2 + sigma plate |sin(alpha)|^3
///
/// where sigma goes from 0 to 1 around |alpha| = stall: 1 - sigma is the product of
/// 1 / (1 + exp(-sharpness (stall - alpha))) and the same with + alpha (ASM-15).
typedef struct pcs_foil {
    pcs_foil_fn fn;      ///< or null
    void *user;          ///< passed to fn; must outlive the vehicle
    const double *table; ///< or null: `rows` rows alpha, CL, CD with alpha (rad) strictly ascending
                         ///< and CD >= 0; linear between the rows, constant beyond them. A vehicle
                         ///< copies it
    int rows;            ///< number of rows of the table, >= 2
    double slope;        ///< 1/rad, attached flow
    double stall;        ///< rad, > 0
    double sharpness;    ///< 1/rad, > 0
    double drag;         ///< CD at alpha = 0, >= 0
    double rise;         ///< rise of CD with the square of the attached CL, >= 0
    double plate;        ///< coefficient of the flat plate beyond the stall, >= 0
} pcs_foil;

/// The fit of NACA 0012 (ASM-15: no table is supplied): slope 5.73, stall at 15 degrees,
/// sharpness 50, drag 0.0065, rise 0.01, plate 2.
PCS_API pcs_foil pcs_foil_naca0012(void);

/// The coefficients at alpha. PCS_ERR_ARG for a foil that pcs_vehicle_create would refuse.
PCS_NODISCARD PCS_API pcs_status pcs_foil_coefficients(const pcs_foil *foil, double alpha,
                                                       double *CL, double *CD);

/// A fin (ASM-11): its span points away from the x axis at the angle gamma from y towards z.
typedef struct pcs_vehicle_fin {
    double angle;  ///< gamma, rad: span (0, cos, sin), normal n = e_x x span
    double x;      ///< m, coordinate of the point at which the force acts
    double radius; ///< r_c, m, distance of that point from the x axis
    double area;   ///< S, m^2, >= 0
} pcs_vehicle_fin;

/// All parameters of a vehicle. The assumptions ASM-n are those of the theory document: the
/// sources of the model leave these choices open.
typedef struct pcs_vehicle_def {
    double mass_matrix[36]; ///< M, rigid and added together (ASM-5), about O, column-major,
                            ///< symmetric positive definite; kg, kg m, kg m^2
    double added_mass[36];  ///< the fluid's share of M, symmetric. It has an effect only in a
                            ///< current, where the fluid's share moves relative to the water; zero:
                            ///< unknown
    double mass;            ///< kg, > 0: of the solid alone (ASM-9). pcs_model_add_vehicle divides
                            ///< M by it; no result depends on it
    double weight;          ///< W, N, >= 0, acts at r_G (ASM-9)
    double buoyancy;        ///< B, N, >= 0, acts at r_B (ASM-9: neutral)
    double r_G[3];          ///< m, centre of gravity (ASM-10)
    double r_B[3];          ///< m, centre of buoyancy (ASM-10)
    double damping[6];      ///< d >= 0: wrench -d nu (ASM-6)
    double quadratic[6];    ///< dq >= 0: wrench -dq |nu| nu, entry by entry (ASM-7)
    double Yur;             ///< kg: sway force +Yur u r, nothing else (ASM-8)
    double density;         ///< rho of the water, kg/m^3, >= 0 (ASM-12)
    double current[3];      ///< m/s, inertial: damping, lateral force and fins depend on the
                            ///< velocity relative to it (ASM-14)
    double thruster[3];     ///< m, where the thrust acts
    double thrust_axis[3];  ///< its direction, any length > 0 (ASM-13)
    int n_fins;             ///< 0 to PCS_VEHICLE_FINS_MAX
    pcs_vehicle_fin fin[PCS_VEHICLE_FINS_MAX]; ///< the first n_fins are used
    pcs_foil foil;                             ///< coefficients of all fins (ASM-15)
} pcs_vehicle_def;

/// The numbers of theory 11: M = diag(10, 10, 10, 1, 5, 5), 10 kg, neutral, r_B 0.01 m above O,
/// four NACA 0012 fins of 0.008 m^2 (of three values in the texts, ASM-11) at x = -0.6 and 0, 90,
/// 180, 270 degrees, thruster at x = -0.76 along x, still water.
PCS_API pcs_vehicle_def pcs_vehicle_def_default(void);

/// The command of a vehicle.
typedef struct pcs_vehicle_command {
    double thrust;                           ///< T, N, along the thrust axis
    double deflection[PCS_VEHICLE_FINS_MAX]; ///< delta, rad, of each fin: rotates its chord from
                                             ///< e_x towards its normal n
} pcs_vehicle_command;

/// A vehicle. Opaque and immutable: several states may use it at the same time.
typedef struct pcs_vehicle pcs_vehicle;

/// Copies def and factorises M; env null: malloc. PCS_ERR_ARG with a sentence when a number is not
/// finite or out of range, PCS_ERR_SINGULAR when M is not positive definite. Nothing is allocated
/// afterwards. Release with pcs_vehicle_destroy.
PCS_NODISCARD PCS_API pcs_status pcs_vehicle_create(const pcs_env *env, const pcs_vehicle_def *def,
                                                    pcs_vehicle **out);

/// Accepts null.
PCS_API void pcs_vehicle_destroy(pcs_vehicle *vehicle);

/// The parameters of the vehicle; the table is the vehicle's copy.
PCS_API const pcs_vehicle_def *pcs_vehicle_definition(const pcs_vehicle *vehicle);

/// out = C(nu) nu of any symmetric mass matrix (6x6, column-major), with P = M11 V + M12 omega and
/// H = M21 V + M22 omega: (omega x P; omega x H + V x P). nu^T C(nu) nu = 0. out must not overlap.
PCS_API void pcs_vehicle_coriolis(const double mass_matrix[36], const double nu[6], double out[6]);

/// The right-hand side, term by term: M dnu/dt is their sum. Wrenches about O in body axes.
typedef struct pcs_vehicle_wrenches {
    double inertia[6];   ///< -C(nu) nu, in a current with the part of the moving water
    double damping[6];   ///< linear and quadratic
    double lateral[6];   ///< Yur u r along y
    double restoring[6]; ///< weight and buoyancy
    double thruster[6];  ///< thrust and its moment
    double fins[6];      ///< sum over the fins
} pcs_vehicle_wrenches;

/// The wrenches at orientation Q, velocity nu.
PCS_NODISCARD PCS_API pcs_status pcs_vehicle_terms(const pcs_vehicle *vehicle, const double Q[4],
                                                   const double nu[6],
                                                   const pcs_vehicle_command *command,
                                                   pcs_vehicle_wrenches *out);

/// The load of the water on one fin.
typedef struct pcs_fin_load {
    double speed;     ///< U, m/s, across the span
    double alpha;     ///< rad, angle of attack in (-pi, pi]; 0 at rest
    double CL;        ///< lift coefficient
    double CD;        ///< drag coefficient
    double wrench[6]; ///< about O, body axes; its power relative to the water is
                      ///< -1/2 rho S U^3 CD
} pcs_fin_load;

/// The load of fin i (from 0) at velocity nu relative to the water and deflection delta (rad).
/// Zero where U^2 < 1e-24.
PCS_NODISCARD PCS_API pcs_status pcs_vehicle_fin_load(const pcs_vehicle *vehicle, int i,
                                                      const double nu[6], double delta,
                                                      pcs_fin_load *out);

/// xdot = dx/dt for x = (X, Q, nu) and xdot of PCS_VEHICLE_STATE_SIZE numbers. t is only named in
/// sentences: the vehicle does not depend on time. PCS_ERR_ARG when an input is not finite or Q is
/// zero, PCS_ERR_CALLBACK from the foil; xdot is then untouched.
PCS_NODISCARD PCS_API pcs_status pcs_vehicle_rates(const pcs_vehicle *vehicle, double t,
                                                   const double *x,
                                                   const pcs_vehicle_command *command,
                                                   double *xdot);

/// The same with ZYX Euler angles (roll, pitch, yaw) for Q: PCS_VEHICLE_STATE_EULER_SIZE numbers.
/// PCS_ERR_SINGULAR where |cos(pitch)| < PCS_EULER_LOCK (<percuss/euler.h>).
PCS_NODISCARD PCS_API pcs_status pcs_vehicle_rates_euler(const pcs_vehicle *vehicle, double t,
                                                         const double *x,
                                                         const pcs_vehicle_command *command,
                                                         double *xdot);

/// Energies (J) of x = (X, Q, nu): kinetic 1/2 nu^T M nu, the water's share included, and potential
/// W z_G - B z_B. Their sum changes by the power of damping, lateral force, thruster and fins (and,
/// in a current, of `inertia`): that of a wrench w is nu^T w. Either may be null.
PCS_API void pcs_vehicle_energy(const pcs_vehicle *vehicle, const double *x, double *kinetic,
                                double *potential);

/// The surge speed (m/s) at which the x component of a thrust T (N) is balanced with all fins
/// centred: T_x = d u + (dq + 1/2 rho sum(S) CD) |u| u, CD at alpha = 0, or at pi for motion
/// astern. PCS_ERR_SINGULAR when there is no resistance.
PCS_NODISCARD PCS_API pcs_status pcs_vehicle_terminal_surge(const pcs_vehicle *vehicle,
                                                            double thrust, double *u);

/// A vehicle with its command, in an integrator or in a model among bodies and contacts. The
/// command may be changed between steps.
typedef struct pcs_vehicle_ride {
    const pcs_vehicle *vehicle;  ///< must outlive the ride
    pcs_vehicle_command command; ///< held over a step
    double gravity[3]; ///< gravity of the model, filled in by pcs_model_add_vehicle: the model
                       ///< applies it to the mass, and the force callback subtracts it again, since
                       ///< weight and buoyancy replace it
} pcs_vehicle_ride;

/// pcs_vehicle_rates in the form of pcs_ode_fn; `ride` is a pcs_vehicle_ride. Returns the status.
PCS_API int pcs_vehicle_ode(void *ride, double t, const double *x, double *dxdt);

/// The same with Euler angles, pcs_vehicle_rates_euler.
PCS_API int pcs_vehicle_ode_euler(void *ride, double t, const double *x, double *dxdt);

/// Normalises Q of x, in the form of pcs_ode_project_fn; `ride` is not read. Returns non-zero when
/// Q is zero or not finite.
PCS_API int pcs_vehicle_normalise(void *ride, double t, double *x);

/// Adds the vehicle as a body in the state x = (X, Q, nu), O in the place of G: a pcs_body_def of
/// its mass, the rotational block of M as inertia, the rest of M as added mass, and a force
/// callback. Set the gravity of the model before, and give the body its shapes (from O, body axes)
/// afterwards. The ride is borrowed and must outlive the model. In the energy ledger all forces of
/// the vehicle, its buoyancy too, are those of a callback without potential. `out` may be null.
PCS_NODISCARD PCS_API pcs_status pcs_model_add_vehicle(pcs_model *model, pcs_vehicle_ride *ride,
                                                       const double *x, pcs_system *out);

/// Fills in the members of `def` as pcs_model_add_vehicle does: mass, inertia, added mass, force
/// and user; pose and velocities stay. `gravity` must be that of the model to which the body is
/// added with pcs_model_add_body.
PCS_NODISCARD PCS_API pcs_status pcs_vehicle_body(pcs_vehicle_ride *ride, const double gravity[3],
                                                  pcs_body_def *def);

/// The ride of a body that is a vehicle; null for other bodies.
PCS_API const pcs_vehicle_ride *pcs_vehicle_ride_of(const pcs_body_def *def);

/// x = (X, Q, nu) of the body's slices of a state, q (7) and v (6).
PCS_API void pcs_vehicle_from_body(const double q[7], const double v[6], double *x);

#ifdef __cplusplus
}
#endif

#endif
