// Differential-algebraic systems: observed orders of both unknowns, tolerances, dense output,
// events, and systems of higher index, which are refused.
#include "smooth.h"
#include "support.h"

#include <percuss/ode.h>

// ---- a system with a known answer: x = (1 / cosh t, -tanh t), z = (-tanh t, 1 / cosh^2 t + t)

#define IMPLICIT_F(type, sine)                                       \
    const type a = xdot[0], b = x[0] * z[0], c = x[0] * x[0] + t;    \
    F[0] = a - b + 0.1 * (a * a * a - b * b * b);                    \
    F[1] = xdot[1] + z[1] - t;                                       \
    F[2] = 2 * z[0] + sine(z[0]) - 2 * x[1] - sine(x[1]) + z[1] - c; \
    F[3] = 3 * (z[1] + sine(z[1] - t) - c - sine(x[0] * x[0]));      \
    return 0

static int implicit_F(void *user, double t, const double *xdot, const double *x, const double *z,
                      double *F)
{
    IMPLICIT_F(double, sin);
}

static int implicit_jacobian(void *user, double t, const double *xdot, const double *x,
                             const double *z, double *Fd, double *Fx, double *Fz)
{
    const double a = xdot[0], b = x[0] * z[0], k = 1 + 0.3 * b * b;
    const double d[8] = {1 + 0.3 * a * a, 0, 0, 0, 0, 1, 0, 0};
    const double ex[8] = {-k * z[0], 0, -2 * x[0],      -6 * x[0] * (1 + cos(x[0] * x[0])),
                          0,         0, -2 - cos(x[1]), 0};
    const double ez[8] = {-k * x[0], 0, 2 + cos(z[0]), 0, 0, 1, 1, 3 * (1 + cos(z[1] - t))};
    memcpy(Fd, d, sizeof d);
    memcpy(Fx, ex, sizeof ex);
    memcpy(Fz, ez, sizeof ez);
    return 0;
}

static pcs_complex complex_sin(pcs_complex z)
{
    // sin(a + i b) for tiny b
    const double *p = (const double *)&z;
    pcs_complex out;
    double *q = (double *)&out;
    q[0] = sin(p[0]);
    q[1] = cos(p[0]) * p[1];
    return out;
}

static int implicit_complex(void *user, double t, const pcs_complex *xdot, const pcs_complex *x,
                            const pcs_complex *z, pcs_complex *F)
{
    IMPLICIT_F(pcs_complex, complex_sin);
}

static int semi_f(void *user, double t, const double *x, const double *z, double *f)
{
    f[0] = x[0] * z[0];
    f[1] = t - z[1];
    return 0;
}

static int semi_g(void *user, double t, const double *x, const double *z, double *g)
{
    const double zero[2] = {0, 0};
    double F[4];
    implicit_F(user, t, zero, x, z, F);
    g[0] = F[2];
    g[1] = F[3];
    return 0;
}

static const pcs_dae implicit_system = {.nx = 2, .nz = 2, .F = implicit_F};
static const pcs_semi_explicit semi_system = {.nx = 2, .nz = 2, .f = semi_f, .g = semi_g};
static const double known_x0[2] = {1, 0};

static double x_error(double t, const double *x)
{
    return fmax(fabs(x[0] - 1 / cosh(t)), fabs(x[1] + tanh(t)));
}

static double z_error(double t, const double *z)
{
    return fmax(fabs(z[0] + tanh(t)), fabs(z[1] - t - 1 / (cosh(t) * cosh(t))));
}

static void expect_orders(const pcs_tableau *tableau, bool semi, int order, const int *steps)
{
    double h[4], ex[4], ez[4];
    for (int k = 0; k < 4; ++k) {
        h[k] = 2.0 / steps[k];
        const pcs_ode_opts opts = pcs_ode_opts_fixed(tableau, h[k]);
        pcs_integrator *run;
        CK_OK(semi ? pcs_integrator_create_semi_explicit(NULL, &semi_system, &opts, &run)
                   : pcs_integrator_create_dae(NULL, &implicit_system, &opts, &run));
        CK_OK(pcs_integrator_start_dae(run, 0, known_x0, NULL, NULL));
        CK_NEAR(z_error(0, pcs_integrator_z(run)), 0, 1e-12);
        CK_OK(pcs_integrator_advance(run, 2, NULL));
        ex[k] = x_error(2, pcs_integrator_x(run));
        ez[k] = z_error(2, pcs_integrator_z(run));
        pcs_integrator_destroy(run);
    }
    const double at_x = smooth_order(4, h, ex), at_z = smooth_order(4, h, ez);
    ck_assert_msg(fabs(at_x - order) < 0.05 && fabs(at_z - order) < 0.05,
                  "%s%s: orders %g of x, %g of z", tableau->name, semi ? " (semi-explicit)" : "",
                  at_x, at_z);
}

// stiffly accurate methods read z from their last stage, the others solve for it at the end: in an
// index 1 system it has the order of x
TEST(orders_of_both_unknowns)
{
    static const struct {
        const char *name;
        int order, steps[4];
    } methods[] = {{"implicit_euler", 1, {512, 1024, 2048, 4096}},
                   {"gauss1", 2, {16, 32, 64, 128}},
                   {"gauss2", 4, {16, 32, 64, 96}},
                   {"gauss3", 6, {10, 12, 16, 24}},
                   {"radau2", 3, {48, 64, 96, 128}},
                   {"radau3", 5, {32, 48, 64, 96}}};
    for (size_t k = 0; k < sizeof methods / sizeof *methods; ++k) {
        pcs_tableau *tableau = smooth_method(methods[k].name);
        expect_orders(tableau, false, methods[k].order, methods[k].steps);
        expect_orders(tableau, true, methods[k].order, methods[k].steps);
        pcs_tableau_destroy(tableau);
    }
    expect_orders(&smooth_sdirk2, false, 2, (const int[]){64, 96, 128, 192});
    expect_orders(pcs_tableau_sdirk4(), true, 4, (const int[]){48, 64, 96, 128});
}

TEST(explicit_methods_solve_for_z_at_every_stage)
{
    expect_orders(pcs_tableau_explicit_euler(), true, 1, (const int[]){512, 1024, 2048, 4096});
    expect_orders(pcs_tableau_midpoint(), true, 2, (const int[]){64, 128, 256, 512});
    expect_orders(pcs_tableau_rk4(), true, 4, (const int[]){64, 96, 128, 192});
    expect_orders(pcs_tableau_bogacki_shampine(), true, 3, (const int[]){96, 128, 192, 256});
}

TEST(derivatives_by_every_method)
{
    const pcs_dae dae = {.nx = 2,
                         .nz = 2,
                         .F = implicit_F,
                         .jacobian = implicit_jacobian,
                         .F_complex = implicit_complex};
    const pcs_derivative ways[] = {PCS_DERIVATIVE_CALLBACK, PCS_DERIVATIVE_COMPLEX,
                                   PCS_DERIVATIVE_DIFFERENCES};
    pcs_tableau *tableau = smooth_method("gauss2");
    double first[4] = {0};
    for (int k = 0; k < 3; ++k) {
        pcs_ode_opts opts = pcs_ode_opts_fixed(tableau, 0.1);
        opts.newton.derivative = ways[k];
        pcs_integrator *run;
        CK_OK(pcs_integrator_create_dae(NULL, &dae, &opts, &run));
        CK_OK(pcs_integrator_start_dae(run, 0, known_x0, NULL, NULL));
        CK_OK(pcs_integrator_advance(run, 2, NULL));
        for (int i = 0; i < 4; ++i) {
            const double y = i < 2 ? pcs_integrator_x(run)[i] : pcs_integrator_z(run)[i - 2];
            if (k == 0) first[i] = y;
            CK_NEAR(y, first[i], 1e-13);
        }
        pcs_integrator_destroy(run);
    }
    pcs_tableau_destroy(tableau);
}

// chosen steps by implicit and by explicit pairs
TEST(tolerances_are_kept)
{
    for (int k = 0; k < 3; ++k) {
        pcs_ode_opts opts = pcs_ode_opts_default();
        opts.tableau = k < 2 ? pcs_tableau_sdirk4() : pcs_tableau_dormand_prince();
        opts.rtol = opts.atol = k < 2 ? 1e-8 : 1e-9;
        pcs_integrator *run;
        CK_OK(k == 0 ? pcs_integrator_create_dae(NULL, &implicit_system, &opts, &run)
                     : pcs_integrator_create_semi_explicit(NULL, &semi_system, &opts, &run));
        CK_OK(pcs_integrator_start_dae(run, 0, known_x0, NULL, NULL));
        CK_OK(pcs_integrator_advance(run, 2, NULL));
        ck_assert(x_error(2, pcs_integrator_x(run)) < 5 * opts.rtol);
        ck_assert(z_error(2, pcs_integrator_z(run)) < 5 * opts.rtol);
        pcs_integrator_destroy(run);
    }
}

// values between the ends of a step by the polynomial of the method, or by the slopes at the ends
TEST(dense_output)
{
    pcs_tableau *gauss = smooth_method("gauss3");
    for (int k = 0; k < 5; ++k) {
        const pcs_tableau *const tableaus[] = {gauss, &smooth_sdirk2, &smooth_sdirk2,
                                               pcs_tableau_rk4(), pcs_tableau_dormand_prince()};
        const pcs_ode_opts opts = pcs_ode_opts_fixed(tableaus[k], 0.02);
        pcs_integrator *run;
        CK_OK(k < 2 ? pcs_integrator_create_dae(NULL, &implicit_system, &opts, &run)
                    : pcs_integrator_create_semi_explicit(NULL, &semi_system, &opts, &run));
        CK_OK(pcs_integrator_start_dae(run, 0, known_x0, NULL, NULL));
        while (pcs_integrator_t(run) < 1) {
            const double t = pcs_integrator_t(run);
            CK_OK(pcs_integrator_step(run, NULL));
            for (double theta = 0.1; theta < 1; theta += 0.2) {
                double x[2];
                CK_OK(pcs_integrator_at(run, t + theta * 0.02, x));
                CK_NEAR(x_error(t + theta * 0.02, x), 0,
                        tableaus[k] == &smooth_sdirk2 ? 2e-5 : 1e-7);
            }
        }
        pcs_integrator_destroy(run);
    }
    pcs_tableau_destroy(gauss);
}

// ---- Robertson's kinetics with a conservation law in place of the third equation

static int robertson(void *user, double t, const double *xdot, const double *x, const double *z,
                     double *F)
{
    const double fast = 3e7 * x[1] * x[1], back = 1e4 * x[1] * z[0];
    F[0] = xdot[0] + 0.04 * x[0] - back;
    F[1] = xdot[1] - 0.04 * x[0] + back + fast;
    F[2] = x[0] + x[1] + z[0] - 1;
    return 0;
}

// Mazzia and Magherini, Test Set for IVP Solvers 2.4, t = 1e11
TEST(robertson_with_a_conservation_law)
{
    const pcs_dae dae = {.nx = 2, .nz = 1, .F = robertson};
    const double atol[2] = {1e-13, 1e-19};
    pcs_ode_opts opts = pcs_ode_opts_default();
    opts.tableau = pcs_tableau_sdirk4();
    opts.rtol = 1e-6;
    opts.atol_each = atol;
    pcs_integrator *run;
    CK_OK(pcs_integrator_create_dae(NULL, &dae, &opts, &run));
    CK_OK(pcs_integrator_start_dae(run, 0, (const double[]){1, 0}, NULL, NULL));
    CK_OK(pcs_integrator_advance(run, 1e11, NULL));
    const double *x = pcs_integrator_x(run), z = pcs_integrator_z(run)[0];
    CK_NEAR(x[0], 0.2083340149701255e-07, 1e-4 * 0.2083340149701255e-07);
    CK_NEAR(x[1], 0.8333360770334713e-13, 1e-4 * 0.8333360770334713e-13);
    CK_NEAR(z, 0.9999999791665050, 1e-11);
    CK_NEAR(x[0] + x[1] + z, 1, 1e-14);
    pcs_integrator_destroy(run);
}

// ---- a circuit: a source drives a capacitor through a diode; the current is algebraic

static const double thermal = 0.1, saturation = 1e-3;

static int diode(void *user, double t, const double *vdot, const double *v, const double *i,
                 double *F)
{
    F[0] = vdot[0] - i[0] + 0.5 * v[0];
    F[1] = i[0] - saturation * (exp((sin(3 * t) - v[0]) / thermal) - 1);
    return 0;
}

static int diode_reduced(void *user, double t, const double *v, double *f)
{
    f[0] = saturation * (exp((sin(3 * t) - v[0]) / thermal) - 1) - 0.5 * v[0];
    return 0;
}

TEST(circuit_as_its_differential_equation)
{
    const pcs_dae dae = {.nx = 1, .nz = 1, .F = diode};
    pcs_tableau *tableau = smooth_method("radau3");
    pcs_ode_opts opts = pcs_ode_opts_fixed(tableau, 0.01);
    pcs_integrator *run, *reference;
    CK_OK(pcs_integrator_create_dae(NULL, &dae, &opts, &run));
    CK_OK(pcs_integrator_start_dae(run, 0, (const double[]){0}, NULL, NULL));

    const pcs_ode ode = {.n = 1, .f = diode_reduced};
    opts = pcs_ode_opts_default();
    opts.rtol = opts.atol = 1e-12;
    CK_OK(pcs_integrator_create(NULL, &ode, &opts, &reference));
    CK_OK(pcs_integrator_start(reference, 0, (const double[]){0}));
    for (int k = 1; k <= 10; ++k) {
        CK_OK(pcs_integrator_advance(run, 0.5 * k, NULL));
        CK_OK(pcs_integrator_advance(reference, 0.5 * k, NULL));
        const double v = pcs_integrator_x(reference)[0];
        CK_NEAR(pcs_integrator_x(run)[0], v, 1e-8);
        CK_NEAR(pcs_integrator_z(run)[0], saturation * (exp((sin(1.5 * k) - v) / thermal) - 1),
                1e-7);
    }
    pcs_integrator_destroy(reference);
    pcs_integrator_destroy(run);
    pcs_tableau_destroy(tableau);
}

// ---- a pendulum in Cartesian coordinates (x, y, vx, vy) with a multiplier: the constraint at
// acceleration (index 1), velocity (2) or position level (3)

static int cartesian(void *user, double t, const double *d, const double *x, const double *z,
                     double *F)
{
    F[0] = d[0] - x[2];
    F[1] = d[1] - x[3];
    F[2] = d[2] + 2 * z[0] * x[0];
    F[3] = d[3] + 2 * z[0] * x[1] + 1;
    switch (*(const int *)user) {
    case 1:
        F[4] = 2 * (x[0] * d[2] + x[1] * d[3] + x[2] * x[2] + x[3] * x[3]);
        break;
    case 2:
        F[4] = 2 * (x[0] * x[2] + x[1] * x[3]);
        break;
    default:
        F[4] = x[0] * x[0] + x[1] * x[1] - 1;
    }
    return 0;
}

TEST(pendulum_with_a_multiplier)
{
    int index = 1;
    const pcs_dae dae = {.nx = 4, .nz = 1, .F = cartesian, .user = &index};
    const double angle = 1.5, end = smooth_quarter_period(angle);
    const double x0[4] = {sin(angle), -cos(angle), 0, 0};
    const char *const names[] = {"gauss2", "gauss3", "radau3"};
    for (int k = 0; k < 3; ++k) {
        pcs_tableau *tableau = smooth_method(names[k]);
        const pcs_ode_opts opts = pcs_ode_opts_fixed(tableau, end / 256);
        pcs_integrator *run;
        CK_OK(pcs_integrator_create_dae(NULL, &dae, &opts, &run));
        CK_OK(pcs_integrator_start_dae(run, 0, x0, NULL, NULL));
        // the rod carries the component of the weight along it: 2 lambda = cos(angle)
        CK_NEAR(pcs_integrator_z(run)[0], cos(angle) / 2, 1e-13);
        CK_OK(pcs_integrator_advance(run, end, NULL));
        const double *x = pcs_integrator_x(run), v = 2 * sin(angle / 2);
        const double tol = k == 0 ? 1e-8 : 1e-10;
        CK_NEAR(x[0], 0, tol);
        CK_NEAR(x[1], -1, tol);
        CK_NEAR(x[2], -v, tol);
        CK_NEAR(x[3], 0, tol);
        CK_NEAR(pcs_integrator_z(run)[0], (1 + v * v) / 2, tol); // weight and centripetal force
        pcs_integrator_destroy(run);
        pcs_tableau_destroy(tableau);
    }
}

TEST(events_of_a_constrained_system)
{
    int index = 1;
    const pcs_dae dae = {.nx = 4, .nz = 1, .F = cartesian, .user = &index};
    const double angle = 1.5, end = smooth_quarter_period(angle), v = 2 * sin(angle / 2);
    const double x0[4] = {sin(angle), -cos(angle), 0, 0};
    const pcs_event down = {.g = smooth_first, .terminal = true};
    pcs_tableau *tableau = smooth_method("radau3");
    const pcs_ode_opts opts = pcs_ode_opts_fixed(tableau, 0.01);
    pcs_integrator *run;
    CK_OK(pcs_integrator_create_dae(NULL, &dae, &opts, &run));
    CK_OK(pcs_integrator_set_events(run, 1, &down));
    CK_OK(pcs_integrator_start_dae(run, 0, x0, NULL, NULL));
    for (int k = 0; k < 3; ++k) {
        CK_OK(pcs_integrator_advance(run, 10, NULL));
        CK_NEAR(pcs_integrator_t(run), (2 * k + 1) * end, 1e-9 * (k + 1));
        CK_NEAR(pcs_integrator_z(run)[0], (1 + v * v) / 2, 1e-8);
    }
    pcs_integrator_destroy(run);
    pcs_tableau_destroy(tableau);
}

static void expect_index_refused(pcs_integrator *run, const double *x0)
{
    CK_SAYS(pcs_integrator_start_dae(run, 0, x0, NULL, NULL), PCS_ERR_UNSUPPORTED,
            "index is above 1");
    ck_assert_msg(strstr(pcs_error_text(), "reduce") != NULL, "%s", pcs_error_text());
    // no integration was started
    CK_FAILS(pcs_integrator_step(run, NULL), PCS_ERR_ARG);
    pcs_integrator_destroy(run);
}

static int semi_velocity(void *user, double t, const double *x, const double *z, double *f)
{
    f[0] = x[1] + z[0];
    f[1] = -x[0];
    return 0;
}

// g does not depend on z
static int semi_position(void *user, double t, const double *x, const double *z, double *g)
{
    g[0] = x[0] - x[1];
    return 0;
}

// F does not depend on one combination of x', in a matrix without zero rows
static int hidden(void *user, double t, const double *d, const double *x, const double *z,
                  double *F)
{
    F[0] = 3 * d[0] + 2 * d[1] + sin(x[0]);
    F[1] = 6 * d[0] + 4 * d[1] + x[1] - t;
    return 0;
}

TEST(higher_indices_are_refused)
{
    pcs_tableau *tableau = smooth_method("radau2");
    const pcs_ode_opts opts = pcs_ode_opts_fixed(tableau, 0.01);
    pcs_integrator *run;
    for (int index = 2; index <= 3; ++index) {
        const pcs_dae dae = {.nx = 4, .nz = 1, .F = cartesian, .user = &index};
        CK_OK(pcs_integrator_create_dae(NULL, &dae, &opts, &run));
        expect_index_refused(run, (const double[]){0.6, -0.8, 0, 0});
    }
    const pcs_semi_explicit semi = {.nx = 2, .nz = 1, .f = semi_velocity, .g = semi_position};
    CK_OK(pcs_integrator_create_semi_explicit(NULL, &semi, &opts, &run));
    expect_index_refused(run, (const double[]){1, 1});

    const pcs_dae full = {.nx = 2, .nz = 0, .F = hidden};
    CK_OK(pcs_integrator_create_dae(NULL, &full, &opts, &run));
    expect_index_refused(run, (const double[]){1, 1});
    pcs_tableau_destroy(tableau);
}

// ---- Tikhonov: eps z' = g(x, z) and its limit 0 = g, where the fast motion is stable

typedef struct fast_slow {
    double eps, sign;
} fast_slow;

// x' = -z, eps z' = -(z - x^2): in the limit x = 1 / (1 + t)
static int fast_and_slow(void *user, double t, const double *y, double *f)
{
    const fast_slow *s = user;
    f[0] = -y[1];
    f[1] = s->sign * (y[1] - y[0] * y[0]) / s->eps;
    return 0;
}

static int limit_f(void *user, double t, const double *x, const double *z, double *f)
{
    f[0] = -z[0];
    return 0;
}

static int limit_g(void *user, double t, const double *x, const double *z, double *g)
{
    g[0] = -(z[0] - x[0] * x[0]);
    return 0;
}

// steps that begin well inside the layer and grow outside it
static void go_through_layer(pcs_integrator *run, double eps, double t_end)
{
    double h = eps / 8;
    while (pcs_integrator_t(run) + h < t_end) {
        CK_OK(pcs_integrator_step_by(run, h, NULL));
        h = fmin(1.25 * h, 0.02);
    }
    CK_OK(pcs_integrator_step_by(run, t_end - pcs_integrator_t(run), NULL));
}

TEST(tikhonov)
{
    pcs_tableau *tableau = smooth_method("radau3");
    const pcs_ode_opts opts = pcs_ode_opts_fixed(tableau, 0.02);
    const pcs_semi_explicit limit = {.nx = 1, .nz = 1, .f = limit_f, .g = limit_g};
    pcs_integrator *run;
    CK_OK(pcs_integrator_create_semi_explicit(NULL, &limit, &opts, &run));
    CK_OK(pcs_integrator_start_dae(run, 0, (const double[]){1}, NULL, NULL));
    CK_OK(pcs_integrator_advance(run, 1, NULL));
    const double x = pcs_integrator_x(run)[0], z = pcs_integrator_z(run)[0];
    CK_NEAR(x, 0.5, 1e-10);
    CK_NEAR(z, 0.25, 1e-10);
    pcs_integrator_destroy(run);

    // z starts away from x^2: the solution leaves the layer, and its distance from the limit is of
    // order eps in x and z
    double eps[5], ex[5], ez[5];
    for (int k = 0; k < 5; ++k) {
        eps[k] = pow(10, -3 - 0.5 * k);
        fast_slow system = {eps[k], -1};
        const pcs_ode ode = {.n = 2, .f = fast_and_slow, .user = &system};
        CK_OK(pcs_integrator_create(NULL, &ode, &opts, &run));
        CK_OK(pcs_integrator_start(run, 0, (const double[]){1, 3}));
        go_through_layer(run, eps[k], 1);
        ex[k] = fabs(pcs_integrator_x(run)[0] - x);
        ez[k] = fabs(pcs_integrator_x(run)[1] - z);
        pcs_integrator_destroy(run);
    }
    CK_NEAR(smooth_order(5, eps, ex), 1, 0.05);
    CK_NEAR(smooth_order(5, eps, ez), 1, 0.05);
    ck_assert(ex[0] < 10 * eps[0] && ez[0] < 10 * eps[0]);

    // the other sign of g has the same limit equations, but the fast motion departs from them as
    // exp(t / eps)
    fast_slow unstable = {1e-3, 1};
    const pcs_ode ode = {.n = 2, .f = fast_and_slow, .user = &unstable};
    pcs_ode_opts explicit_opts = pcs_ode_opts_default();
    CK_OK(pcs_integrator_create(NULL, &ode, &explicit_opts, &run));
    CK_OK(pcs_integrator_start(run, 0, (const double[]){1, 1.001}));
    CK_OK(pcs_integrator_advance(run, 0.02, NULL));
    ck_assert(fabs(pcs_integrator_x(run)[1] - 1 / (1.02 * 1.02)) > 1e5);
    pcs_integrator_destroy(run);
    pcs_tableau_destroy(tableau);
}

// ---- errors

// z^2 = -x has no solution for x > 0; from x < 0 on x grows to 0, where z becomes zero
static int square_g(void *user, double t, const double *x, const double *z, double *g)
{
    g[0] = z[0] * z[0] + x[0];
    return 0;
}

static int unit_f(void *user, double t, const double *x, const double *z, double *f)
{
    f[0] = 1;
    return 0;
}

static int nan_g(void *user, double t, const double *x, const double *z, double *g)
{
    g[0] = t > 0.25 ? NAN : z[0] - x[0];
    return 0;
}

static int refusing_F(void *user, double t, const double *d, const double *x, const double *z,
                      double *F)
{
    F[0] = d[0] - z[0];
    F[1] = z[0] - x[0];
    return t < 0.25 ? 0 : 7;
}

static void expect_at(pcs_integrator *run, double t, double x, double z)
{
    ck_assert(pcs_integrator_t(run) == t);
    ck_assert(pcs_integrator_x(run)[0] == x);
    ck_assert(pcs_integrator_z(run)[0] == z);
}

TEST(failures_leave_the_state)
{
    const pcs_tableau *const tableaus[] = {pcs_tableau_implicit_euler(), pcs_tableau_rk4()};
    for (int k = 0; k < 2; ++k) {
        const pcs_ode_opts opts = pcs_ode_opts_fixed(tableaus[k], 0.5);
        pcs_semi_explicit semi = {.nx = 1, .nz = 1, .f = unit_f, .g = square_g};
        pcs_integrator *run;
        CK_OK(pcs_integrator_create_semi_explicit(NULL, &semi, &opts, &run));
        const double guess = 0.7;
        CK_FAILS(pcs_integrator_start_dae(run, 0, (const double[]){1}, &guess, NULL), PCS_ERR_ARG);
        CK_FAILS(pcs_integrator_step(run, NULL), PCS_ERR_ARG); // not started

        CK_OK(pcs_integrator_start_dae(run, 0, (const double[]){-0.25}, &guess, NULL));
        CK_NEAR(pcs_integrator_z(run)[0], 0.5, 1e-13);
        const double z = pcs_integrator_z(run)[0];
        const pcs_status status = pcs_integrator_step(run, NULL);
        ck_assert(status == PCS_ERR_STEP || status == PCS_ERR_SINGULAR);
        expect_at(run, 0, -0.25, z);
        CK_OK(pcs_integrator_step_by(run, 0.125, NULL));
        CK_NEAR(pcs_integrator_z(run)[0], sqrt(0.125), 1e-13);
        pcs_integrator_destroy(run);

        semi.g = nan_g;
        CK_OK(pcs_integrator_create_semi_explicit(NULL, &semi, &opts, &run));
        CK_OK(pcs_integrator_start_dae(run, 0, (const double[]){2}, NULL, NULL));
        CK_FAILS(pcs_integrator_step(run, NULL), PCS_ERR_CALLBACK);
        expect_at(run, 0, 2, 2);
        CK_FAILS(pcs_integrator_start_dae(run, 1, (const double[]){2}, NULL, NULL),
                 PCS_ERR_CALLBACK);
        pcs_integrator_destroy(run);
    }
    const pcs_dae dae = {.nx = 1, .nz = 1, .F = refusing_F};
    const pcs_ode_opts opts = pcs_ode_opts_fixed(pcs_tableau_implicit_euler(), 0.5);
    pcs_integrator *run;
    CK_OK(pcs_integrator_create_dae(NULL, &dae, &opts, &run));
    CK_OK(pcs_integrator_start_dae(run, 0, (const double[]){2}, NULL, NULL));
    CK_FAILS(pcs_integrator_step(run, NULL), PCS_ERR_CALLBACK);
    expect_at(run, 0, 2, 2);
    CK_OK(pcs_integrator_step_by(run, 0.125, NULL));
    CK_NEAR(pcs_integrator_x(run)[0], 2 / 0.875, 1e-14);
    pcs_integrator_destroy(run);
}

// z is computed again from another state, else nothing changes
TEST(jumps_are_consistent)
{
    const pcs_ode_opts opts = pcs_ode_opts_fixed(pcs_tableau_implicit_euler(), 0.01);
    const pcs_semi_explicit semi = {.nx = 1, .nz = 1, .f = unit_f, .g = square_g};
    pcs_integrator *run;
    CK_OK(pcs_integrator_create_semi_explicit(NULL, &semi, &opts, &run));
    const double guess = 0.7;
    CK_OK(pcs_integrator_start_dae(run, 0, (const double[]){-0.25}, &guess, NULL));
    CK_OK(pcs_integrator_step(run, NULL));
    CK_OK(pcs_integrator_jump(run, (const double[]){-0.16}));
    CK_NEAR(pcs_integrator_z(run)[0], 0.4, 1e-13);
    const double t = pcs_integrator_t(run), z = pcs_integrator_z(run)[0];
    CK_FAILS(pcs_integrator_jump(run, (const double[]){1}), PCS_ERR_ARG);
    expect_at(run, t, -0.16, z);
    CK_OK(pcs_integrator_step(run, NULL));
    CK_NEAR(pcs_integrator_z(run)[0], sqrt(0.15), 1e-13);
    pcs_integrator_destroy(run);
}

TEST(unsuitable_methods_are_refused)
{
    pcs_integrator *run;
    const pcs_tableau *const refused[] = {pcs_tableau_rk4(), pcs_tableau_trapezoid()};
    for (int k = 0; k < 2; ++k) {
        const pcs_ode_opts opts = pcs_ode_opts_fixed(refused[k], 0.1);
        CK_FAILS(pcs_integrator_create_dae(NULL, &implicit_system, &opts, &run),
                 PCS_ERR_UNSUPPORTED);
        ck_assert_ptr_null(run);
    }
    const pcs_ode_opts opts = pcs_ode_opts_fixed(pcs_tableau_trapezoid(), 0.1);
    CK_FAILS(pcs_integrator_create_semi_explicit(NULL, &semi_system, &opts, &run),
             PCS_ERR_UNSUPPORTED);
    const pcs_semi_explicit half = {.nx = 2, .nz = 2, .f = semi_f};
    CK_FAILS(pcs_integrator_create_semi_explicit(NULL, &half, &opts, &run), PCS_ERR_ARG);
}

// two constraints that are nearly equal: z = (x - x^2, x^2) to five digits less than working
// precision
static int nearly_one_g(void *user, double t, const double *x, const double *z, double *g)
{
    const double d = *(const double *)user;
    g[0] = z[0] + z[1] - x[0];
    g[1] = z[0] + (1 + d) * z[1] - x[0] - d * x[0] * x[0];
    return 0;
}

static int nearly_one_f(void *user, double t, const double *x, const double *z, double *f)
{
    f[0] = -z[1];
    return 0;
}

TEST(ill_conditioned_constraints)
{
    const char *const names[] = {"gauss2", "radau3", "rk4"};
    for (int k = 0; k < 3; ++k) {
        pcs_tableau *tableau = smooth_method(names[k]);
        double d = 1e-5;
        pcs_semi_explicit semi = {
            .nx = 1, .nz = 2, .f = nearly_one_f, .g = nearly_one_g, .user = &d};
        const pcs_ode_opts opts = pcs_ode_opts_fixed(tableau, 0.05);
        pcs_integrator *run;
        CK_OK(pcs_integrator_create_semi_explicit(NULL, &semi, &opts, &run));
        CK_OK(pcs_integrator_start_dae(run, 0, (const double[]){1}, NULL, NULL));
        CK_OK(pcs_integrator_advance(run, 1, NULL));
        CK_NEAR(pcs_integrator_x(run)[0], 0.5, 1e-6);
        CK_NEAR(pcs_integrator_z(run)[1], 0.25, 1e-6);

        // equations that are too nearly equal: they cannot be distinguished from a higher index
        d = 1e-13;
        CK_FAILS(pcs_integrator_start_dae(run, 0, (const double[]){1}, NULL, NULL),
                 PCS_ERR_UNSUPPORTED);
        pcs_integrator_destroy(run);
        pcs_tableau_destroy(tableau);
    }
}

// both forms are ordinary systems without algebraic unknowns
static int plain_f(void *user, double t, const double *x, const double *z, double *f)
{
    f[0] = -2 * t * x[0] * x[0];
    return 0;
}

static int plain_F(void *user, double t, const double *d, const double *x, const double *z,
                   double *F)
{
    F[0] = 5 * (d[0] + 2 * t * x[0] * x[0]);
    return 0;
}

TEST(nothing_algebraic)
{
    const pcs_semi_explicit semi = {.nx = 1, .f = plain_f};
    const pcs_dae dae = {.nx = 1, .F = plain_F};
    pcs_tableau *tableau = smooth_method("gauss3");
    for (int k = 0; k < 3; ++k) {
        const pcs_ode_opts opts =
            pcs_ode_opts_fixed(k == 2 ? pcs_tableau_rk4() : tableau, k == 2 ? 0.002 : 0.05);
        pcs_integrator *run;
        CK_OK(k == 0 ? pcs_integrator_create_dae(NULL, &dae, &opts, &run)
                     : pcs_integrator_create_semi_explicit(NULL, &semi, &opts, &run));
        CK_OK(pcs_integrator_start_dae(run, 0, (const double[]){1}, NULL, NULL));
        CK_OK(pcs_integrator_advance(run, 2, NULL));
        CK_NEAR(pcs_integrator_x(run)[0], 0.2, 1e-10);
        ck_assert_ptr_null(pcs_integrator_z(run));
        pcs_integrator_destroy(run);
    }
    pcs_tableau_destroy(tableau);
}

TEST(memory_is_allocated_once)
{
    pcs_tableau *tableau = smooth_method("gauss2");
    for (int kind = 0; kind < 3; ++kind) {
        const pcs_ode_opts opts = pcs_ode_opts_fixed(kind == 2 ? pcs_tableau_rk4() : tableau, 0.1);
        for (long k = 0;; ++k) {
            test_memory memory = {.fail_at = k};
            const pcs_env env = test_env(&memory);
            pcs_integrator *run = NULL;
            const pcs_status status =
                kind == 0 ? pcs_integrator_create_dae(&env, &implicit_system, &opts, &run)
                          : pcs_integrator_create_semi_explicit(&env, &semi_system, &opts, &run);
            if (out_of_memory(&memory, status)) continue;
            const long before = memory.allocated;
            CK_OK(pcs_integrator_start_dae(run, 0, known_x0, NULL, NULL));
            CK_OK(pcs_integrator_advance(run, 2, NULL));
            ck_assert_int_eq(memory.allocated, before);
            pcs_integrator_destroy(run);
            ck_assert_int_eq(memory.live, 0);
            break;
        }
    }
    pcs_tableau_destroy(tableau);
}
