// Systems given by a Lagrangian: the double pendulum, moving pivots, rotating hoops, conserved
// momenta and energies, forces at points.
#include "smooth.h"
#include "support.h"

#include <complex.h>

#include <percuss/mechanics.h>

#include "rk4.h"

#define G 9.81

static pcs_lagrange *make(const pcs_lagrange_def *def)
{
    pcs_lagrange *sys = NULL;
    CK_OK(pcs_lagrange_create(NULL, def, &sys));
    return sys;
}

static void expect_close(int n, const double *a, const double *b, double tol)
{
    double size = 0;
    for (int i = 0; i < n; ++i) {
        size = fmax(size, fabs(b[i]));
    }
    expect_same(a, b, n, tol * size);
}

// ---- the double pendulum: masses m, lengths l, angles from the downward vertical

static const smooth_doubled arms = {{1.3, 0.7}, {0.9, 0.6}};

static double doubled_value(const double *q, const double *v)
{
    const pcs_complex qc[2] = {q[0], q[1]}, vc[2] = {v[0], v[1]};
    pcs_complex L;
    smooth_doubled_L((void *)&arms, 0, qc, vc, &L);
    return creal(L);
}

static int doubled_real_L(void *user, double t, const double *q, const double *v, double *L)
{
    *L = doubled_value(q, v);
    return 0;
}

static int doubled_slopes(void *user, double t, const double *q, const double *v,
                          const pcs_lagrange_slopes *out)
{
    const smooth_doubled *d = user;
    const double *m = d->m, *l = d->l, k = m[1] * l[0] * l[1];
    const double c = cos(q[0] - q[1]), s = sin(q[0] - q[1]);
    out->L_q[0] = -k * v[0] * v[1] * s - (m[0] + m[1]) * G * l[0] * sin(q[0]);
    out->L_q[1] = k * v[0] * v[1] * s - m[1] * G * l[1] * sin(q[1]);
    out->L_vv[0] = (m[0] + m[1]) * l[0] * l[0];
    out->L_vv[1] = out->L_vv[2] = k * c;
    out->L_vv[3] = m[1] * l[1] * l[1];
    out->L_v[0] = out->L_vv[0] * v[0] + k * c * v[1];
    out->L_v[1] = k * c * v[0] + out->L_vv[3] * v[1];
    out->L_vq[0] = -k * s * v[1];
    out->L_vq[1] = -k * s * v[0];
    out->L_vq[2] = k * s * v[1];
    out->L_vq[3] = k * s * v[0];
    return 0;
}

// accelerations by Newton's law: the equations of the textbooks, solved by Cramer's rule
static void doubled_by_hand(const double *q, const double *v, double *a)
{
    const double *m = arms.m, *l = arms.l, M = m[0] + m[1], d = q[0] - q[1];
    const double A = M * l[0], B = m[1] * l[1] * cos(d), C = l[0] * cos(d), D = l[1];
    const double f = -m[1] * l[1] * v[1] * v[1] * sin(d) - M * G * sin(q[0]);
    const double g = l[0] * v[0] * v[0] * sin(d) - G * sin(q[1]);
    a[0] = (f * D - B * g) / (A * D - B * C);
    a[1] = (A * g - C * f) / (A * D - B * C);
}

static pcs_lagrange *doubled_make(bool slopes)
{
    pcs_lagrange_def def = {.n = 2, .user = (void *)&arms, .L = doubled_real_L};
    if (slopes) {
        def.slopes = doubled_slopes;
    } else {
        def.L_complex = smooth_doubled_L;
    }
    return make(&def);
}

TEST(the_double_pendulum_is_that_of_the_textbooks)
{
    pcs_lagrange *by_step = doubled_make(false), *by_call = doubled_make(true);
    test_random r = random_seed(1);
    double worst = 0;
    for (int k = 0; k < 300; ++k) {
        double q[2], v[2], a[2], b[2], hand[2];
        const double speed = k % 3 == 0 ? 0.1 : k % 3 == 1 ? 3 : 50;
        for (int i = 0; i < 2; ++i) {
            q[i] = random_between(&r, -3, 3);
            v[i] = random_between(&r, -speed, speed);
        }
        CK_OK(pcs_lagrange_acceleration(by_step, 0, q, v, a));
        CK_OK(pcs_lagrange_acceleration(by_call, 0, q, v, b));
        doubled_by_hand(q, v, hand);
        const double size = fmax(fabs(hand[0]), fabs(hand[1]));
        for (int i = 0; i < 2; ++i) {
            worst = fmax(worst, fabs(a[i] - hand[i]) / size);
            CK_NEAR(a[i], hand[i], 1e-11 * size);
            CK_NEAR(b[i], hand[i], 1e-13 * size);
        }
        double p[2], p_call[2], h, h_call, M[4], F[4];
        CK_OK(pcs_lagrange_momenta(by_step, 0, q, v, p));
        CK_OK(pcs_lagrange_momenta(by_call, 0, q, v, p_call));
        expect_close(2, p, p_call, 1e-14);
        CK_OK(pcs_lagrange_energy(by_step, 0, q, v, &h));
        CK_OK(pcs_lagrange_energy(by_call, 0, q, v, &h_call));
        CK_NEAR(h, h_call, 1e-13 * (1 + fabs(h)));
        CK_OK(pcs_lagrange_equations(by_step, 0, q, v, M, F));
        double M2[4], F2[2];
        ck_assert_int_eq(pcs_lagrange_mass(by_step, q, M2), 0);
        ck_assert_int_eq(pcs_lagrange_force(by_step, 0, q, v, F2), 0);
        expect_close(4, M2, M, 1e-12);
        expect_close(2, F2, F, 0);
    }
    ck_assert_double_le(worst, 2e-12); // the bound in the header
    pcs_lagrange_destroy(by_step);
    pcs_lagrange_destroy(by_call);
}

TEST(energy_of_the_double_pendulum_stays)
{
    for (int slopes = 0; slopes < 2; ++slopes) {
        pcs_lagrange *sys = doubled_make(slopes);
        pcs_ode ode;
        CK_OK(pcs_lagrange_ode(sys, &ode));
        double x[4] = {2, 1, 0, -1}, before, after;
        CK_OK(pcs_lagrange_energy(sys, 0, x, x + 2, &before));
        rk4(&ode, 0, 1e-3, 1000, x);
        CK_OK(pcs_lagrange_energy(sys, 0, x, x + 2, &after));
        CK_NEAR(before, after, 1e-8 * fabs(before));
        pcs_lagrange_destroy(sys);
    }
}

// ---- L that depends on time

typedef struct driven {
    double length, amplitude, frequency;
} driven;

// the pivot moves as x_p = amplitude sin(frequency t)
static int driven_L(void *user, double t, const pcs_complex *q, const pcs_complex *v,
                    pcs_complex *L)
{
    const driven *d = user;
    const double l = d->length, xp = d->amplitude * d->frequency * cos(d->frequency * t);
    *L =
        0.5 * (l * l * v[0] * v[0] + 2 * l * xp * v[0] * ccos(q[0]) + xp * xp) + G * l * ccos(q[0]);
    return 0;
}

static int driven_slopes(void *user, double t, const double *q, const double *v,
                         const pcs_lagrange_slopes *out)
{
    const driven *d = user;
    const double l = d->length, xp = d->amplitude * d->frequency * cos(d->frequency * t);
    const double xpp = -d->amplitude * d->frequency * d->frequency * sin(d->frequency * t);
    out->L_q[0] = -l * xp * v[0] * sin(q[0]) - G * l * sin(q[0]);
    out->L_v[0] = l * l * v[0] + l * xp * cos(q[0]);
    out->L_vv[0] = l * l;
    out->L_vq[0] = -l * xp * sin(q[0]);
    out->L_vt[0] = l * xpp * cos(q[0]);
    return 0;
}

TEST(a_moving_pivot_pushes_the_pendulum)
{
    driven d = {0.7, 0.3, 2.5};
    pcs_lagrange_def def = {.n = 1, .L_complex = driven_L, .user = &d};
    pcs_lagrange *by_step = make(&def);
    def.slopes = driven_slopes;
    pcs_lagrange *by_call = make(&def);
    for (int k = 0; k < 50; ++k) {
        const double t = 0.37 * k, q = sin(1.7 * k), v = 3 * cos(0.9 * k);
        const double xpp = -d.amplitude * d.frequency * d.frequency * sin(d.frequency * t);
        const double hand = -(G * sin(q) + xpp * cos(q)) / d.length;
        double a, b;
        CK_OK(pcs_lagrange_acceleration(by_step, t, &q, &v, &a));
        CK_OK(pcs_lagrange_acceleration(by_call, t, &q, &v, &b));
        CK_NEAR(a, hand, 1e-11 * (1 + fabs(hand)));
        CK_NEAR(b, hand, 1e-13 * (1 + fabs(hand)));
    }
    pcs_lagrange_destroy(by_step);
    pcs_lagrange_destroy(by_call);
}

// ---- a bead on a hoop that turns about its vertical diameter at Omega: L does not depend on t, h
// is constant, and is not the energy

typedef struct hoop {
    double radius, omega;
} hoop;

static int hoop_L(void *user, double t, const pcs_complex *q, const pcs_complex *v, pcs_complex *L)
{
    const hoop *p = user;
    const double R = p->radius, W = p->omega;
    *L = 0.5 * R * R * (v[0] * v[0] + W * W * csin(q[0]) * csin(q[0])) + G * R * ccos(q[0]);
    return 0;
}

TEST(jacobi_integral_of_a_bead_on_a_rotating_hoop)
{
    hoop p = {0.5, 7};
    pcs_lagrange_def def = {.n = 1, .L_complex = hoop_L, .user = &p};
    pcs_lagrange *sys = make(&def);
    pcs_ode ode;
    CK_OK(pcs_lagrange_ode(sys, &ode));

    // rest relative to the hoop at cos q = g / (R Omega^2)
    const double rest = acos(G / (p.radius * p.omega * p.omega)), zero = 0;
    double a;
    CK_OK(pcs_lagrange_acceleration(sys, 0, &rest, &zero, &a));
    CK_NEAR(a, 0, 1e-12 * G);

    double x[2] = {0.3, 0.2}, h0, h, least = INFINITY, most = -INFINITY;
    CK_OK(pcs_lagrange_energy(sys, 0, x, x + 1, &h0));
    for (int k = 0; k < 100; ++k) {
        rk4(&ode, 0, 1e-3, 20, x);
        CK_OK(pcs_lagrange_energy(sys, 0, x, x + 1, &h));
        CK_NEAR(h, h0, 1e-9 * fabs(h0));
        const double W = p.omega * sin(x[0]), R = p.radius;
        const double energy = 0.5 * R * R * (x[1] * x[1] + W * W) - G * R * cos(x[0]);
        least = fmin(least, energy);
        most = fmax(most, energy);
    }
    ck_assert_double_gt(most - least, 1); // the motor does work
    pcs_lagrange_destroy(sys);
}

// ---- L that is not quadratic in v: a relativistic oscillator

static int fast_L(void *user, double t, const pcs_complex *q, const pcs_complex *v, pcs_complex *L)
{
    const double c = *(const double *)user;
    *L = -c * c * csqrt(1 - v[0] * v[0] / (c * c)) - 2 * q[0] * q[0];
    return 0;
}

TEST(mass_grows_with_speed)
{
    double c = 2;
    pcs_lagrange_def def = {.n = 1, .L_complex = fast_L, .scale_v = 0.5, .user = &c};
    pcs_lagrange *sys = make(&def);
    for (int k = 0; k <= 8; ++k) {
        const double q = 0.3, v = 0.2 * k, gamma = 1 / sqrt(1 - v * v / (c * c));
        const double hand = -4 * q / (gamma * gamma * gamma);
        double a, h;
        CK_OK(pcs_lagrange_acceleration(sys, 0, &q, &v, &a));
        CK_NEAR(a, hand, 1e-11 * fabs(hand));
        CK_OK(pcs_lagrange_energy(sys, 0, &q, &v, &h));
        CK_NEAR(h, gamma * c * c + 2 * q * q, 1e-13 * h);
    }
    pcs_lagrange_destroy(sys);
}

// ---- a charge in a magnetic field: L is linear in v there

static int charge_L(void *user, double t, const pcs_complex *q, const pcs_complex *v,
                    pcs_complex *L)
{
    const double B = *(const double *)user;
    *L = 0.5 * (v[0] * v[0] + v[1] * v[1]) + 0.5 * B * (q[0] * v[1] - q[1] * v[0]);
    return 0;
}

TEST(a_charge_goes_in_circles)
{
    double B = 3;
    pcs_lagrange_def def = {.n = 2, .L_complex = charge_L, .user = &B};
    pcs_lagrange *sys = make(&def);
    const double q[2] = {0.4, -2}, v[2] = {1.5, 0.5}, hand[2] = {B * v[1], -B * v[0]};
    double a[2];
    CK_OK(pcs_lagrange_acceleration(sys, 0, q, v, a));
    expect_close(2, a, hand, 1e-12);
    pcs_lagrange_destroy(sys);
}

// ---- the spherical pendulum: p_phi is conserved

static int sphere_L(void *user, double t, const pcs_complex *q, const pcs_complex *v,
                    pcs_complex *L)
{
    *L = 0.5 * (v[0] * v[0] + csin(q[0]) * csin(q[0]) * v[1] * v[1]) + G * ccos(q[0]);
    return 0;
}

TEST(the_momentum_of_a_cyclic_coordinate_stays)
{
    pcs_lagrange_def def = {.n = 2, .L_complex = sphere_L};
    pcs_lagrange *sys = make(&def);
    pcs_ode ode;
    CK_OK(pcs_lagrange_ode(sys, &ode));
    double x[4] = {1, 0, 0.5, 2}, p0[2], p[2];
    CK_OK(pcs_lagrange_momenta(sys, 0, x, x + 2, p0));
    rk4(&ode, 0, 1e-3, 1000, x);
    CK_OK(pcs_lagrange_momenta(sys, 0, x, x + 2, p));
    CK_NEAR(p[1], p0[1], 1e-9);
    pcs_lagrange_destroy(sys);
}

// ---- forces at points of the double pendulum

static int tip(void *user, double t, const pcs_complex *q, pcs_complex r[3])
{
    const smooth_doubled *d = user;
    r[0] = d->l[0] * csin(q[0]) + d->l[1] * csin(q[1]);
    r[1] = -d->l[0] * ccos(q[0]) - d->l[1] * ccos(q[1]);
    return 0;
}

static int tip_jacobian(void *user, double t, const double *q, double *drdq)
{
    const smooth_doubled *d = user;
    for (int i = 0; i < 2; ++i) {
        drdq[3 * i] = d->l[i] * cos(q[i]);
        drdq[1 + 3 * i] = d->l[i] * sin(q[i]);
    }
    return 0;
}

static int tip_force(void *user, double t, const double *q, const double *v, double F[3])
{
    F[0] = 2 * sin(t) - 0.1 * v[0];
    F[1] = q[1] - 0.3 * v[1];
    F[2] = 17; // out of the plane
    return 0;
}

static int friction(void *user, double t, const double *q, const double *v, double *Q)
{
    Q[0] = -0.2 * v[0];
    return 0;
}

TEST(forces_at_points_work_as_their_power_says)
{
    const pcs_point_force by_step = {.r = tip, .force = tip_force, .user = (void *)&arms};
    const pcs_point_force by_call = {
        .jacobian = tip_jacobian, .force = tip_force, .user = (void *)&arms};
    const double t = 0.8, q[2] = {0.7, -1.1}, v[2] = {2, 3};
    double work[10], Q[2] = {0}, Q2[2] = {0}, J[6] = {0}, F[3], power = 0;
    CK_OK(pcs_generalised_forces(2, 1, &by_step, t, q, v, work, Q));
    CK_OK(pcs_generalised_forces(2, 1, &by_call, t, q, v, work, Q2));
    expect_close(2, Q, Q2, 1e-15);
    tip_jacobian((void *)&arms, t, q, J);
    tip_force(NULL, t, q, v, F);
    for (int c = 0; c < 3; ++c) {
        power += F[c] * (J[c] * v[0] + J[c + 3] * v[1]);
    }
    CK_NEAR(Q[0] * v[0] + Q[1] * v[1], power, 1e-14 * fabs(power));

    // they act in the equations, besides other forces
    const pcs_point_force both[2] = {by_step, by_call};
    pcs_lagrange_def def = {.n = 2, .L_complex = smooth_doubled_L, .user = (void *)&arms};
    pcs_lagrange *bare = make(&def);
    def.points = 2;
    def.point = both;
    def.force = friction;
    pcs_lagrange *pushed = make(&def);
    double M[4], F0[2], F1[2];
    CK_OK(pcs_lagrange_equations(bare, t, q, v, M, F0));
    CK_OK(pcs_lagrange_equations(pushed, t, q, v, M, F1));
    CK_NEAR(F1[0] - F0[0], 2 * Q[0] - 0.2 * v[0], 1e-13);
    CK_NEAR(F1[1] - F0[1], 2 * Q[1], 1e-13);
    pcs_lagrange_destroy(bare);
    pcs_lagrange_destroy(pushed);
}

// ---- bad input

static int no_number(void *user, double t, const pcs_complex *q, const pcs_complex *v,
                     pcs_complex *L)
{
    *L = q[0] / 0.0;
    return 0;
}

static int refusing(void *user, double t, const pcs_complex *q, const pcs_complex *v,
                    pcs_complex *L)
{
    *L = q[0];
    return 7;
}

static int massless(void *user, double t, const pcs_complex *q, const pcs_complex *v,
                    pcs_complex *L)
{
    *L = 0.5 * v[0] * v[0] - q[1] * q[1];
    return 0;
}

TEST(bad_lagrangians_are_refused)
{
    pcs_lagrange *sys;
    CK_FAILS(pcs_lagrange_create(NULL, NULL, &sys), PCS_ERR_ARG);
    pcs_lagrange_def def = {.n = 2};
    CK_FAILS(pcs_lagrange_create(NULL, &def, &sys), PCS_ERR_ARG);
    ck_assert_ptr_null(sys);
    def.L_complex = smooth_doubled_L;
    def.n = 0;
    CK_FAILS(pcs_lagrange_create(NULL, &def, &sys), PCS_ERR_ARG);
    def.n = 2;
    def.scale_t = NAN;
    CK_FAILS(pcs_lagrange_create(NULL, &def, &sys), PCS_ERR_ARG);
    def.scale_t = 0;
    def.points = 1;
    CK_FAILS(pcs_lagrange_create(NULL, &def, &sys), PCS_ERR_ARG);
    const pcs_point_force nothing = {.r = tip};
    def.point = &nothing;
    CK_FAILS(pcs_lagrange_create(NULL, &def, &sys), PCS_ERR_ARG);
    def.points = 0;

    const double q[2] = {1, 2}, v[2] = {0, 1};
    double a[2], h;
    const pcs_lagrange_complex_fn wrong[3] = {no_number, refusing, massless};
    const pcs_status status[3] = {PCS_ERR_CALLBACK, PCS_ERR_CALLBACK, PCS_ERR_SINGULAR};
    for (int k = 0; k < 3; ++k) {
        def.L_complex = wrong[k];
        sys = make(&def);
        CK_FAILS(pcs_lagrange_acceleration(sys, 0, q, v, a), status[k]);
        pcs_lagrange_destroy(sys);
    }
    ck_assert_ptr_nonnull(strstr(pcs_error_text(), "velocity 1"));

    def.L_complex = NULL;
    def.slopes = doubled_slopes;
    def.user = (void *)&arms;
    sys = make(&def);
    CK_OK(pcs_lagrange_acceleration(sys, 0, q, v, a));
    CK_FAILS(pcs_lagrange_energy(sys, 0, q, v, &h), PCS_ERR_UNSUPPORTED);
    CK_FAILS(pcs_lagrange_energy(sys, 0, q, NULL, &h), PCS_ERR_ARG);
    const double lost[2] = {NAN, 0};
    CK_FAILS(pcs_lagrange_acceleration(sys, 0, lost, v, a), PCS_ERR_CALLBACK);
    pcs_lagrange_destroy(sys);
    pcs_lagrange_destroy(NULL);
}

TEST(only_making_one_allocates)
{
    pcs_lagrange_def def = {.n = 2, .L_complex = smooth_doubled_L, .user = (void *)&arms};
    for (long k = 0;; ++k) {
        test_memory memory = {.fail_at = k};
        const pcs_env env = test_env(&memory);
        pcs_lagrange *sys = NULL;
        const pcs_status status = pcs_lagrange_create(&env, &def, &sys);
        if (out_of_memory(&memory, status)) continue;
        const double q[2] = {1, 2}, v[2] = {0, 1};
        double a[2];
        const long before = memory.allocated;
        CK_OK(pcs_lagrange_acceleration(sys, 0, q, v, a));
        ck_assert_int_eq(memory.allocated, before);
        pcs_lagrange_destroy(sys);
        ck_assert_int_eq(memory.live, 0);
        break;
    }
}
