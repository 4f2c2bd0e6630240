// The hydrodynamic vehicle: each term against its closed form, powers against energies, rigid
// bodies and frames of reference against Newton-Euler.
#include "support.h"
#include "vehicle_ride.h"

#include <percuss/ode.h>
#include <percuss/rotation.h>
#include <percuss/vehicle.h>

#include "linalg/m3.h"
#include "rotations.h"

#define DRAWS TEST_DRAWS(1000)

// symmetric positive definite
static void random_mass(test_random *r, double size, double M[36])
{
    double B[36];
    random_vector(r, B, 36);
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) {
            M[i + 6 * j] = size * (i == j);
            for (int k = 0; k < 6; ++k) {
                M[i + 6 * j] += size * B[i + 6 * k] * B[j + 6 * k];
            }
        }
    }
}

static double dot6(const double *a, const double *b)
{
    double s = 0;
    for (int i = 0; i < 6; ++i) {
        s += a[i] * b[i];
    }
    return s;
}

// the mass matrix about O of a solid with centre of mass r_G and inertia J about it
static void solid_mass(double m, const double r_G[3], const double J[9], double M[36])
{
    double S[9], SS[9];
    m3_skew(r_G, S);
    m3_mul_m3(S, S, SS);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            M[i + 6 * j] = m * (i == j);
            M[i + 6 * (3 + j)] = -m * S[i + 3 * j];
            M[3 + i + 6 * j] = m * S[i + 3 * j];
            M[3 + i + 6 * (3 + j)] = J[i + 3 * j] - m * SS[i + 3 * j];
        }
    }
}

// random parameters within physical limits
static pcs_vehicle_def random_def(test_random *r)
{
    pcs_vehicle_def def = pcs_vehicle_def_default();
    random_mass(r, 3, def.mass_matrix);
    random_vector(r, def.r_G, 3);
    random_vector(r, def.r_B, 3);
    random_vector(r, def.thruster, 3);
    random_vector(r, def.thrust_axis, 3);
    def.weight = random_between(r, 10, 100);
    def.buoyancy = random_between(r, 10, 100);
    for (int i = 0; i < 6; ++i) {
        def.damping[i] = random_between(r, 0, 3);
        def.quadratic[i] = random_between(r, 0, 3);
    }
    for (int i = 0; i < def.n_fins; ++i) {
        def.fin[i].angle = random_between(r, -PI, PI);
        def.fin[i].x = random_normal(r);
    }
    return def;
}

// neither weight nor buoyancy
static pcs_vehicle_def in_vacuum(void)
{
    pcs_vehicle_def def = pcs_vehicle_def_default();
    memset(def.damping, 0, sizeof def.damping);
    memset(def.quadratic, 0, sizeof def.quadratic);
    def.weight = def.buoyancy = def.density = def.Yur = 0;
    return def;
}

static void random_state(test_random *r, double x[PCS_VEHICLE_STATE_SIZE])
{
    random_vector(r, x, PCS_VEHICLE_STATE_SIZE);
    random_quaternion(r, x + 3);
}

static pcs_vehicle_command random_command(test_random *r)
{
    pcs_vehicle_command c = {.thrust = 20 * random_normal(r)};
    for (int i = 0; i < PCS_VEHICLE_FINS_MAX; ++i) {
        c.deflection[i] = random_between(r, -1, 1);
    }
    return c;
}

// ---- terms

TEST(the_coriolis_term_has_no_power)
{
    test_random r = random_seed(1);
    for (int n = 0; n < DRAWS; ++n) {
        double M[36], nu[6], C[6];
        random_mass(&r, 1, M);
        random_vector(&r, nu, 6);
        pcs_vehicle_coriolis(M, nu, C);
        CK_NEAR(dot6(nu, C), 0, 1e-13 * (1 + sqrt(dot6(C, C) * dot6(nu, nu))));
    }
}

// (11.1), with the three cross products
TEST(a_diagonal_mass_gives_the_printed_formula)
{
    test_random r = random_seed(2);
    for (int n = 0; n < DRAWS; ++n) {
        double M[36] = {0}, nu[6], C[6], d[6];
        for (int i = 0; i < 6; ++i) {
            d[i] = M[7 * i] = random_between(&r, 0.1, 20);
        }
        random_vector(&r, nu, 6);
        const double u = nu[0], v = nu[1], w = nu[2], p = nu[3], q = nu[4], s = nu[5];
        const double expected[6] = {d[2] * w * q - d[1] * v * s,
                                    d[0] * u * s - d[2] * w * p,
                                    d[1] * v * p - d[0] * u * q,
                                    (d[5] - d[4]) * q * s + (d[2] - d[1]) * v * w,
                                    (d[3] - d[5]) * s * p + (d[0] - d[2]) * w * u,
                                    (d[4] - d[3]) * p * q + (d[1] - d[0]) * u * v};
        pcs_vehicle_coriolis(M, nu, C);
        for (int i = 0; i < 6; ++i) {
            CK_NEAR(C[i], expected[i], 1e-13 * (1 + fabs(expected[i])) * 20);
        }
    }
}

// the vertical in body axes is (-sin theta, cos theta sin phi, cos theta cos phi)
TEST(weight_and_buoyancy_restore)
{
    pcs_vehicle_def def = pcs_vehicle_def_default();
    def.weight = 90;
    def.buoyancy = 110;
    v3_copy((double[3]){0.02, -0.01, -0.03}, def.r_G);
    pcs_vehicle *v = vehicle_make(&def);
    const pcs_vehicle_command none = {0};
    const double nu[6] = {0};
    for (int k = 0; k < 50; ++k) {
        const double phi = 0.3 * k, theta = 0.1 * k - 1.5, psi = 0.7 * k;
        const double zx = -sin(theta), zy = cos(theta) * sin(phi), zz = cos(theta) * cos(phi);
        double Q[4];
        pcs_quat_from_zyx(phi, theta, psi, Q);
        pcs_vehicle_wrenches w;
        CK_OK(pcs_vehicle_terms(v, Q, nu, &none, &w));
        CK_NEAR(w.restoring[0], 20 * zx, 1e-13);
        CK_NEAR(w.restoring[1], 20 * zy, 1e-13);
        CK_NEAR(w.restoring[2], 20 * zz, 1e-13);
        const double a = 110 * 0.01, W = 90;
        CK_NEAR(w.restoring[3], -a * zy - W * (-0.01 * zz + 0.03 * zy), 1e-13);
        CK_NEAR(w.restoring[4], a * zx - W * (-0.03 * zx - 0.02 * zz), 1e-13);
        CK_NEAR(w.restoring[5], -W * (0.02 * zy + 0.01 * zx), 1e-13);
        for (int i = 0; i < 6; ++i) {
            CK_NEAR(w.inertia[i] + w.damping[i] + w.lateral[i] + w.thruster[i] + w.fins[i], 0, 0);
        }
    }
    pcs_vehicle_destroy(v);
}

TEST(damping_sway_and_thrust)
{
    pcs_vehicle_def def = pcs_vehicle_def_default();
    def.thruster[1] = 0.2;
    v3_copy((double[3]){0, 0, -4}, def.thrust_axis);
    pcs_vehicle *v = vehicle_make(&def);
    const double Q[4] = {1, 0, 0, 0}, nu[6] = {2, -1, 0.5, -3, 0.25, 4};
    const double expected[6] = {-2 - 2 * 4, 5 + 20, -2.5 - 5, 0.3 + 0.45, -0.25 - 0.125, -4 - 32};
    const pcs_vehicle_command command = {.thrust = 3};
    pcs_vehicle_wrenches w;
    CK_OK(pcs_vehicle_terms(v, Q, nu, &command, &w));
    for (int i = 0; i < 6; ++i) {
        CK_NEAR(w.damping[i], expected[i], 1e-14);
        CK_NEAR(w.lateral[i], i == 1 ? 8 : 0, 0);
    }
    // (-0.76, 0.2, 0) x (0, 0, -3)
    const double thrust[6] = {0, 0, -3, -0.6, -0.76 * 3, 0};
    for (int i = 0; i < 6; ++i) {
        CK_NEAR(w.thruster[i], thrust[i], 1e-15);
    }
    pcs_vehicle_destroy(v);
}

// ---- fins

TEST(only_drag_takes_energy_from_a_fin)
{
    test_random r = random_seed(4);
    for (int n = 0; n < DRAWS; ++n) {
        const pcs_vehicle_def def = random_def(&r);
        pcs_vehicle *v = vehicle_make(&def);
        double nu[6];
        random_vector(&r, nu, 6);
        for (int i = 0; i < def.n_fins; ++i) {
            pcs_fin_load f;
            CK_OK(pcs_vehicle_fin_load(v, i, nu, random_between(&r, -3, 3), &f));
            const double drag = 0.5 * 1000 * 0.008 * pow(f.speed, 3) * f.CD;
            CK_NEAR(dot6(nu, f.wrench), -drag, 1e-11 * (1 + drag) * (1 + fabs(f.CL / f.CD)));
            ck_assert(f.alpha > -PI && f.alpha <= PI);
        }
        pcs_vehicle_destroy(v);
    }
}

// the force in the form of the theory, with sines and cosines of alpha
TEST(a_fin_by_its_angles)
{
    test_random r = random_seed(5);
    for (int n = 0; n < DRAWS; ++n) {
        const pcs_vehicle_def def = random_def(&r);
        pcs_vehicle *v = vehicle_make(&def);
        double nu[6], at[3], slip[3];
        random_vector(&r, nu, 6);
        const double delta = random_between(&r, -1, 1), g = def.fin[1].angle;
        const double normal[3] = {0, -sin(g), cos(g)};
        const double point[3] = {def.fin[1].x, def.fin[1].radius * cos(g),
                                 def.fin[1].radius * sin(g)};
        v3_cross(nu + 3, point, slip);
        v3_along(slip, 1, nu, at);
        double chord[3], across[3], force[3], moment[3], CL, CD;
        for (int k = 0; k < 3; ++k) {
            chord[k] = cos(delta) * (k == 0) + sin(delta) * normal[k];
            across[k] = -sin(delta) * (k == 0) + cos(delta) * normal[k];
        }
        const double vc = v3_dot(at, chord), vn = v3_dot(at, across), alpha = atan2(-vn, vc);
        const double s = sin(alpha), c = cos(alpha), U2 = vc * vc + vn * vn;
        CK_OK(pcs_foil_coefficients(&def.foil, alpha, &CL, &CD));
        for (int k = 0; k < 3; ++k) {
            force[k] = 0.5 * def.density * def.fin[1].area * U2 *
                       (CL * (c * across[k] + s * chord[k]) + CD * (-c * chord[k] + s * across[k]));
        }
        v3_cross(point, force, moment);
        pcs_fin_load f;
        CK_OK(pcs_vehicle_fin_load(v, 1, nu, delta, &f));
        const double tol = 1e-12 * (1 + 4 * U2 * (fabs(CL) + CD));
        for (int k = 0; k < 3; ++k) {
            CK_NEAR(f.wrench[k], force[k], tol);
            CK_NEAR(f.wrench[3 + k], moment[k], tol * (1 + v3_norm(point)));
        }
        CK_NEAR(f.CL, CL, 1e-12);
        pcs_vehicle_destroy(v);
    }
}

// a tail fin that points left, with its leading edge up, lifts the tail: the nose descends
TEST(fins_steer_in_the_direction_of_their_angle)
{
    const pcs_vehicle_def def = pcs_vehicle_def_default();
    pcs_vehicle *v = vehicle_make(&def);
    const double ahead[6] = {1, 0, 0, 0, 0, 0}, rest[6] = {0}, astern[6] = {-1, 0, 0, 0, 0, 0};
    pcs_fin_load f;
    CK_OK(pcs_vehicle_fin_load(v, 0, ahead, 0.1, &f));
    CK_NEAR(f.alpha, 0.1, 1e-15);
    CK_NEAR(f.wrench[2], 0.5 * 1000 * 0.008 * f.CL, 1e-12);
    ck_assert(f.wrench[2] > 0 && f.wrench[4] > 0 && f.wrench[0] < 0);

    // the fin that points up rotates the vehicle about z
    CK_OK(pcs_vehicle_fin_load(v, 1, ahead, 0.1, &f));
    ck_assert(f.wrench[1] < 0 && f.wrench[5] > 0);

    CK_OK(pcs_vehicle_fin_load(v, 0, astern, 0, &f));
    CK_NEAR(f.alpha, PI, 0);
    CK_OK(pcs_vehicle_fin_load(v, 0, rest, 0.1, &f));
    CK_NEAR(f.speed + f.alpha + f.CL + f.CD + dot6(f.wrench, f.wrench), 0, 0);
    pcs_vehicle_destroy(v);
}

// ---- the whole

// dE/dt along the rates, by central differences of the energies, is the sum of the powers
TEST(energy_changes_by_the_powers)
{
    test_random r = random_seed(6);
    for (int n = 0; n < DRAWS; ++n) {
        const pcs_vehicle_def def = random_def(&r);
        pcs_vehicle *v = vehicle_make(&def);
        double x[PCS_VEHICLE_STATE_SIZE], rate[PCS_VEHICLE_STATE_SIZE], K[2], U[2];
        random_state(&r, x);
        const pcs_vehicle_command command = random_command(&r);
        pcs_vehicle_wrenches w;
        CK_OK(pcs_vehicle_terms(v, x + 3, x + 7, &command, &w));
        CK_OK(pcs_vehicle_rates(v, 0, x, &command, rate));
        const double d = 1e-6;
        for (int side = 0; side < 2; ++side) {
            double moved[PCS_VEHICLE_STATE_SIZE];
            for (int i = 0; i < PCS_VEHICLE_STATE_SIZE; ++i) {
                moved[i] = x[i] + (side ? d : -d) * rate[i];
            }
            pcs_vehicle_energy(v, moved, &K[side], &U[side]);
        }
        const double *nu = x + 7;
        const double lost = dot6(nu, w.damping) + dot6(nu, w.fins);
        const double power = lost + dot6(nu, w.lateral) + dot6(nu, w.thruster);
        const double work = fabs(lost) + fabs(power) + fabs(dot6(nu, w.restoring)) + 1;
        CK_NEAR((U[1] - U[0]) / (2 * d), -dot6(nu, w.restoring), 1e-6 * work);
        CK_NEAR((K[1] - K[0] + U[1] - U[0]) / (2 * d), power, 1e-6 * work);
        ck_assert(lost <= 0);
        CK_NEAR(dot6(nu, w.inertia), 0, 1e-11 * work * (1 + dot6(nu, nu)));
        pcs_vehicle_destroy(v);
    }
}

TEST(thrust_and_drag_balance)
{
    const pcs_vehicle_def def = pcs_vehicle_def_default();
    pcs_vehicle *v = vehicle_make(&def);
    for (int k = -20; k <= 20; ++k) {
        const pcs_vehicle_command command = {.thrust = 5.0 * k};
        double x[PCS_VEHICLE_STATE_SIZE] = {0, 0, 0, 1}, rate[PCS_VEHICLE_STATE_SIZE], u;
        CK_OK(pcs_vehicle_terminal_surge(v, command.thrust, &u));
        x[7] = u;
        CK_OK(pcs_vehicle_rates(v, 0, x, &command, rate));
        ck_assert(u * k >= 0);
        for (int i = 7; i < PCS_VEHICLE_STATE_SIZE; ++i) {
            CK_NEAR(rate[i], 0, 1e-14 * (1 + fabs(command.thrust)));
        }
        // moving ahead, in the form of the theory
        double CL, CD;
        CK_OK(pcs_foil_coefficients(&def.foil, 0, &CL, &CD));
        if (k > 0) CK_NEAR(u + (2 + 2 * 1000 * 0.008 * CD) * u * u, 5.0 * k, 1e-12 * k);
    }
    pcs_vehicle_destroy(v);

    const pcs_vehicle_def empty = in_vacuum();
    v = vehicle_make(&empty);
    double u;
    CK_FAILS(pcs_vehicle_terminal_surge(v, 1, &u), PCS_ERR_SINGULAR);
    CK_OK(pcs_vehicle_terminal_surge(v, 0, &u));
    CK_NEAR(u, 0, 0);
    CK_FAILS(pcs_vehicle_terminal_surge(v, NAN, &u), PCS_ERR_ARG);
    pcs_vehicle_destroy(v);
}

// position, heading and the length of Q have no effect
TEST(the_vertical_is_the_only_direction)
{
    test_random r = random_seed(7);
    for (int n = 0; n < DRAWS; ++n) {
        const pcs_vehicle_def def = random_def(&r);
        pcs_vehicle *v = vehicle_make(&def);
        double x[PCS_VEHICLE_STATE_SIZE], y[PCS_VEHICLE_STATE_SIZE], a[PCS_VEHICLE_STATE_SIZE],
            b[PCS_VEHICLE_STATE_SIZE], turn[4], moved[3];
        random_state(&r, x);
        const pcs_vehicle_command command = random_command(&r);
        memcpy(y, x, sizeof y);
        random_vector(&r, y, 3);
        CK_OK(pcs_quat_from_axis_angle((double[3]){0, 0, 1}, random_between(&r, -PI, PI), turn));
        pcs_quat_mul(turn, x + 3, y + 3);
        for (int i = 3; i < 7; ++i) {
            y[i] *= 3;
        }
        CK_OK(pcs_vehicle_rates(v, 0, x, &command, a));
        CK_OK(pcs_vehicle_rates(v, 5, y, &command, b));
        double size = 1;
        for (int i = 7; i < PCS_VEHICLE_STATE_SIZE; ++i) {
            size = fmax(size, fabs(a[i]));
        }
        for (int i = 7; i < PCS_VEHICLE_STATE_SIZE; ++i) {
            CK_NEAR(b[i], a[i], 1e-11 * size);
        }
        pcs_quat_rotate(turn, a, moved);
        expect_same(b, moved, 3, 1e-13);
        pcs_vehicle_destroy(v);
    }
}

// a solid under gravity and thrust, its centre of mass away from O: G moves as m a = F, the
// rotation follows Euler's equations about G (theory 3.1)
TEST(without_water_it_is_a_newton_euler_body)
{
    test_random r = random_seed(8);
    for (int n = 0; n < DRAWS; ++n) {
        pcs_vehicle_def def = in_vacuum();
        const double m = random_between(&r, 1, 5), weight = 9.81 * m;
        double J[9], S[9], R[9];
        const double principal[9] = {1, 0, 0, 0, 1.5, 0, 0, 0, 2};
        double axes[4];
        random_quaternion(&r, axes);
        pcs_quat_to_matrix(axes, R);
        m3_mul_m3(R, principal, S);
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                J[i + 3 * j] = S[i] * R[j] + S[i + 3] * R[j + 3] + S[i + 6] * R[j + 6];
            }
        }
        random_vector(&r, def.r_G, 3);
        random_vector(&r, def.thruster, 3);
        random_vector(&r, def.thrust_axis, 3);
        solid_mass(m, def.r_G, J, def.mass_matrix);
        def.weight = weight;
        pcs_vehicle *v = vehicle_make(&def);
        double x[PCS_VEHICLE_STATE_SIZE], rate[PCS_VEHICLE_STATE_SIZE];
        random_state(&r, x);
        const pcs_vehicle_command command = random_command(&r);
        CK_OK(pcs_vehicle_rates(v, 0, x, &command, rate));

        // the acceleration of G: that of O, a_B = V' + omega x V, and the transport terms
        const double *V = x + 7, *w = x + 10, *Vdot = rate + 7, *wdot = rate + 10;
        double wV[3], wr[3], wwr[3], wdr[3], a_B[3], a[3];
        v3_cross(w, V, wV);
        v3_cross(w, def.r_G, wr);
        v3_cross(w, wr, wwr);
        v3_cross(wdot, def.r_G, wdr);
        for (int i = 0; i < 3; ++i) {
            a_B[i] = Vdot[i] + wV[i] + wdr[i] + wwr[i];
        }
        pcs_quat_rotate(x + 3, a_B, a);

        double unit[3], thrust[3], push[3], lever[3], torque[3], Jw[3], wJw[3], Jwdot[3];
        v3_unit(def.thrust_axis, unit);
        v3_scale(command.thrust, unit, thrust);
        pcs_quat_rotate(x + 3, thrust, push);
        v3_sub(def.thruster, def.r_G, lever);
        v3_cross(lever, thrust, torque);
        m3_mul(J, w, Jw);
        v3_cross(w, Jw, wJw);
        m3_mul(J, wdot, Jwdot);
        const double tol = 1e-11 * (1 + v3_norm(torque) + v3_norm(wJw) + weight);
        for (int i = 0; i < 3; ++i) {
            CK_NEAR(m * a[i], push[i] - (i == 2 ? weight : 0), tol);
            CK_NEAR(Jwdot[i], torque[i] - wJw[i], tol);
        }
        pcs_vehicle_destroy(v);
    }
}

// both forms of the second derivative of X (E-15b): R a_B with a_B = V' + omega x V, and the three
// terms Im(Q V' Q* + Q' V Q* + Q V Q'*)
TEST(two_forms_of_the_acceleration)
{
    test_random r = random_seed(9);
    for (int n = 0; n < DRAWS; ++n) {
        const pcs_vehicle_def def = pcs_vehicle_def_default();
        pcs_vehicle *v = vehicle_make(&def);
        double x[PCS_VEHICLE_STATE_SIZE], rate[PCS_VEHICLE_STATE_SIZE];
        random_state(&r, x);
        const pcs_vehicle_command command = random_command(&r);
        CK_OK(pcs_vehicle_rates(v, 0, x, &command, rate));
        const double *Q = x + 3, *Qdot = rate + 3;
        const double V[4] = {0, x[7], x[8], x[9]}, Vdot[4] = {0, rate[7], rate[8], rate[9]};
        double conj[4], conj_dot[4], half[4], terms[3][4], wV[3], a_B[3], frame[3];
        pcs_quat_conj(Q, conj);
        pcs_quat_conj(Qdot, conj_dot);
        pcs_quat_mul(Q, Vdot, half);
        pcs_quat_mul(half, conj, terms[0]);
        pcs_quat_mul(Qdot, V, half);
        pcs_quat_mul(half, conj, terms[1]);
        pcs_quat_mul(Q, V, half);
        pcs_quat_mul(half, conj_dot, terms[2]);
        v3_cross(x + 10, x + 7, wV);
        v3_along(wV, 1, rate + 7, a_B);
        pcs_quat_rotate(Q, a_B, frame);
        for (int i = 0; i < 3; ++i) {
            CK_NEAR(frame[i], terms[0][1 + i] + terms[1][1 + i] + terms[2][1 + i],
                    1e-12 * (1 + v3_norm(a_B)));
        }
        pcs_vehicle_destroy(v);
    }
}

TEST(euler_angles_agree_with_quaternions)
{
    test_random r = random_seed(10);
    const double d = 1e-6;
    for (int n = 0; n < DRAWS; ++n) {
        const pcs_vehicle_def def = random_def(&r);
        pcs_vehicle *v = vehicle_make(&def);
        double e[PCS_VEHICLE_STATE_EULER_SIZE], e_rate[PCS_VEHICLE_STATE_EULER_SIZE];
        random_vector(&r, e, PCS_VEHICLE_STATE_EULER_SIZE);
        e[4] = random_between(&r, -1.4, 1.4);
        const pcs_vehicle_command command = random_command(&r);
        double x[PCS_VEHICLE_STATE_SIZE], rate[PCS_VEHICLE_STATE_SIZE], Q[2][4];
        memcpy(x, e, 3 * sizeof *x);
        memcpy(x + 7, e + 6, 6 * sizeof *x);
        pcs_quat_from_zyx(e[3], e[4], e[5], x + 3);
        CK_OK(pcs_vehicle_rates(v, 0, x, &command, rate));
        CK_OK(pcs_vehicle_rates_euler(v, 0, e, &command, e_rate));
        expect_same(e_rate, rate, 3, 1e-14);
        for (int i = 0; i < 6; ++i) {
            CK_NEAR(e_rate[6 + i], rate[7 + i], 1e-12 * (1 + fabs(rate[7 + i])));
        }
        // dQ/dt by central differences along the rates of the angles
        for (int k = 0; k < 2; ++k) {
            const double s = k ? d : -d;
            pcs_quat_from_zyx(e[3] + s * e_rate[3], e[4] + s * e_rate[4], e[5] + s * e_rate[5],
                              Q[k]);
        }
        double speed = 1;
        for (int i = 3; i < 6; ++i) {
            speed = fmax(speed, fabs(e_rate[i]));
        }
        for (int i = 0; i < 4; ++i) {
            CK_NEAR((Q[1][i] - Q[0][i]) / (2 * d), rate[3 + i],
                    1e-9 * speed + d * d * pow(speed, 3));
        }
        pcs_vehicle_destroy(v);
    }
}

// in a frame that drifts with the water there is no current: nu - (R^T c; 0) obeys the equations of
// still water, for a solid in added mass
TEST(a_current_is_a_change_of_frame)
{
    test_random r = random_seed(11);
    for (int n = 0; n < DRAWS; ++n) {
        pcs_vehicle_def def = random_def(&r);
        const double J[9] = {1, 0.1, 0, 0.1, 2, -0.2, 0, -0.2, 3};
        random_mass(&r, 2, def.added_mass);
        solid_mass(4, def.r_G, J, def.mass_matrix);
        for (int i = 0; i < 36; ++i) {
            def.mass_matrix[i] += def.added_mass[i];
        }
        pcs_vehicle *still = vehicle_make(&def);
        random_vector(&r, def.current, 3);
        pcs_vehicle *flowing = vehicle_make(&def);

        double x[PCS_VEHICLE_STATE_SIZE], y[PCS_VEHICLE_STATE_SIZE], a[PCS_VEHICLE_STATE_SIZE],
            b[PCS_VEHICLE_STATE_SIZE], back[4], c[3], transport[3];
        random_state(&r, x);
        const pcs_vehicle_command command = random_command(&r);
        pcs_quat_conj(x + 3, back);
        pcs_quat_rotate(back, def.current, c);
        memcpy(y, x, sizeof y);
        v3_along(x + 7, 1, c, y + 7);
        v3_cross(x + 10, c, transport);
        CK_OK(pcs_vehicle_rates(still, 0, x, &command, a));
        CK_OK(pcs_vehicle_rates(flowing, 0, y, &command, b));
        double size = 1;
        for (int i = 7; i < PCS_VEHICLE_STATE_SIZE; ++i) {
            size = fmax(size, fabs(a[i]));
        }
        for (int i = 0; i < 3; ++i) {
            CK_NEAR(b[i], a[i] + def.current[i], 1e-13 * size);
            CK_NEAR(b[7 + i], a[7 + i] - transport[i], 1e-11 * size);
            CK_NEAR(b[10 + i], a[10 + i], 1e-11 * size);
        }
        pcs_vehicle_destroy(still);
        pcs_vehicle_destroy(flowing);
    }
}

// Kirchhoff: without damping and fins the energy is constant, and with neither weight nor buoyancy
// the inertial momenta R P and X x R P + R H are constant too
static void momenta(const double *M, const double *x, double out[6])
{
    double P[6] = {0}, moment[3], arm[3];
    for (int j = 0; j < 6; ++j) {
        for (int i = 0; i < 6; ++i) {
            P[i] += M[i + 6 * j] * x[7 + j];
        }
    }
    pcs_quat_rotate(x + 3, P, out);
    pcs_quat_rotate(x + 3, P + 3, moment);
    v3_cross(x, out, arm);
    v3_along(moment, 1, arm, out + 3);
}

TEST(an_ideal_fluid_conserves)
{
    test_random r = random_seed(12);
    for (int heavy = 0; heavy < 2; ++heavy) {
        pcs_vehicle_def def = in_vacuum();
        random_mass(&r, 1, def.mass_matrix);
        if (heavy) {
            def.weight = 20;
            def.buoyancy = 19;
            def.r_B[2] = 0.1;
        }
        pcs_vehicle *v = vehicle_make(&def);
        double x[PCS_VEHICLE_STATE_SIZE], before[6], after[6], K[2], U[2];
        random_state(&r, x);
        const pcs_vehicle_command none = {0};
        momenta(def.mass_matrix, x, before);
        pcs_vehicle_energy(v, x, &K[0], &U[0]);
        vehicle_ride(v, &none, 1, 4000, x);
        momenta(def.mass_matrix, x, after);
        pcs_vehicle_energy(v, x, &K[1], &U[1]);
        CK_NEAR(K[1] + U[1], K[0] + U[0], 1e-9 * (1 + K[0]));
        // the vertical force and moments about horizontal axes through O are those of the weight
        for (int i = 0; i < 6; ++i) {
            const bool kept = !heavy || i < 2 || i == 5;
            if (kept) CK_NEAR(after[i], before[i], 1e-9 * (1 + fabs(before[i])));
        }
        if (heavy) CK_NEAR(after[2] - before[2], -1, 1e-9);
        pcs_vehicle_destroy(v);
    }
}

TEST(a_vehicle_reaches_the_terminal_surge)
{
    const pcs_vehicle_def def = pcs_vehicle_def_default();
    pcs_vehicle *v = vehicle_make(&def);
    const pcs_vehicle_command command = {.thrust = 30};
    double x[PCS_VEHICLE_STATE_SIZE] = {0, 0, 0, 1}, u;
    CK_OK(pcs_vehicle_terminal_surge(v, 30, &u));
    vehicle_ride(v, &command, 20, 2000, x);
    CK_NEAR(x[7], u, 1e-12);
    for (int i = 8; i < PCS_VEHICLE_STATE_SIZE; ++i) {
        CK_NEAR(x[i], 0, 1e-14);
    }
    pcs_vehicle_destroy(v);
}

// the vehicle with an integrator, open loop
static void advance(pcs_vehicle_ride *ride, bool euler, const pcs_tableau *tableau, double h,
                    double T, double *x)
{
    const pcs_ode ode = {.n = euler ? PCS_VEHICLE_STATE_EULER_SIZE : PCS_VEHICLE_STATE_SIZE,
                         .f = euler ? pcs_vehicle_ode_euler : pcs_vehicle_ode,
                         .project = euler ? NULL : pcs_vehicle_normalise,
                         .user = ride};
    const pcs_ode_opts opts = pcs_ode_opts_fixed(tableau, h);
    pcs_integrator *run = smooth_run(&ode, &opts, 0, x);
    CK_OK(pcs_integrator_advance(run, T, NULL));
    memcpy(x, pcs_integrator_x(run), (size_t)ode.n * sizeof *x);
    pcs_integrator_destroy(run);
}

// The order of the method is visible down to 1e-10. No velocity changes its sign here: where one
// does, |nu| nu of the quadratic damping has a kink in its second derivative, which lowers the
// order of any method.
TEST(integrators_keep_their_order)
{
    const pcs_vehicle_def def = pcs_vehicle_def_default();
    pcs_vehicle *v = vehicle_make(&def);
    pcs_vehicle_ride ride = {.vehicle = v,
                             .command = {.thrust = 20, .deflection = {0.1, 0.05, -0.1, -0.05}}};
    const double x0[PCS_VEHICLE_STATE_SIZE] = {0, 0, 0, 1, 0, 0, 0, 0.5}, T = 2;
    double exact[PCS_VEHICLE_STATE_SIZE], error[4];
    memcpy(exact, x0, sizeof exact);
    advance(&ride, false, pcs_tableau_dormand_prince(), T / 1024, T, exact);
    for (int k = 0; k < 4; ++k) {
        double x[PCS_VEHICLE_STATE_SIZE];
        memcpy(x, x0, sizeof x);
        advance(&ride, false, pcs_tableau_rk4(), T / (40 << k), T, x);
        error[k] = 0;
        for (int i = 0; i < PCS_VEHICLE_STATE_SIZE; ++i) {
            error[k] = fmax(error[k], fabs(x[i] - exact[i]));
        }
        if (k > 0) CK_NEAR(log2(error[k - 1] / error[k]), 4, 0.05);
    }
    ck_assert(error[3] < 1e-10);

    // Euler angles give the same end
    double e[PCS_VEHICLE_STATE_EULER_SIZE] = {0, 0, 0, 0, 0, 0, 0.5}, Q[4];
    advance(&ride, true, pcs_tableau_dormand_prince(), T / 1024, T, e);
    pcs_quat_from_zyx(e[3], e[4], e[5], Q);
    expect_same(e, exact, 3, 1e-12);
    for (int i = 0; i < 4; ++i) {
        CK_NEAR(Q[i], exact[3 + i], 1e-12);
    }
    for (int i = 0; i < 6; ++i) {
        CK_NEAR(e[6 + i], exact[7 + i], 1e-12);
    }

    // a state that the rates refuse is an error of the integrator
    const double bad[PCS_VEHICLE_STATE_SIZE] = {NAN, 0, 0, 1};
    double out[PCS_VEHICLE_STATE_SIZE];
    ck_assert_int_ne(pcs_vehicle_ode(&ride, 0, bad, out), 0);
    ck_assert_int_ne(pcs_vehicle_ode_euler(&ride, 0, bad, out), 0);
    ck_assert_int_ne(pcs_vehicle_normalise(NULL, 0, (double[PCS_VEHICLE_STATE_SIZE]){0}), 0);
    pcs_vehicle_destroy(v);
}
