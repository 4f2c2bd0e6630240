// Implicit Runge-Kutta methods: orders, events, derivatives, conserved squares, stiff systems, cost
// of linear systems.
#include "smooth.h"
#include "support.h"

#include <percuss/ode.h>

#include <complex.h>
#include <float.h>

static const double PI = 3.14159265358979323846;

// ---- tableaus that are nobody's in particular

// Lobatto IIIA and IIIB of order 4: singular A, the first by its first row, the second by its last
// column (Hairer and Wanner, Solving ODEs II, IV.5)
static const double lobatto_A_A[] = {0, 0, 0, 5. / 24, 1. / 3, -1. / 24, 1. / 6, 2. / 3, 1. / 6};
static const double lobatto_B_A[] = {1. / 6, -1. / 6, 0, 1. / 6, 1. / 3, 0, 1. / 6, 5. / 6, 0};
static const double lobatto_b[] = {1. / 6, 2. / 3, 1. / 6}, lobatto_c[] = {0, 0.5, 1};
static const pcs_tableau lobatto_A = {
    .name = "Lobatto IIIA", .s = 3, .A = lobatto_A_A, .b = lobatto_b, .c = lobatto_c, .order = 4};
static const pcs_tableau lobatto_B = {
    .name = "Lobatto IIIB", .s = 3, .A = lobatto_B_A, .b = lobatto_b, .c = lobatto_c, .order = 4};

static pcs_integrator *begin(const pcs_ode *ode, const pcs_ode_opts *opts, const double *x0)
{
    pcs_integrator *run = smooth_run(ode, opts, 0, x0);
    return run;
}

// ---- (1 / cosh t, -tanh t, 1 / (1 + t^2)): nonlinear, time in it, with a conserved square

static int hyperbolic(void *user, double t, const double *x, double *f)
{
    f[0] = x[0] * x[1] + 0.3 * (x[2] - 1 / (1 + t * t));
    f[1] = -x[0] * x[0];
    f[2] = -2 * t * x[2] * x[2];
    return 0;
}

static int hyperbolic_jacobian(void *user, double t, const double *x, double *J)
{
    const double columns[9] = {x[1], -2 * x[0], 0, x[0], 0, 0, 0.3, 0, -4 * t * x[2]};
    memcpy(J, columns, sizeof columns);
    return 0;
}

static int hyperbolic_complex(void *user, double t, const pcs_complex *x, pcs_complex *f)
{
    f[0] = x[0] * x[1] + 0.3 * (x[2] - 1 / (1 + t * t));
    f[1] = -x[0] * x[0];
    f[2] = -2 * t * x[2] * x[2];
    return 0;
}

static const double hyperbolic_start[3] = {1, 0, 1};

static double hyperbolic_error(double t, const double *x)
{
    return fmax(fabs(x[0] - 1 / cosh(t)), fmax(fabs(x[1] + tanh(t)), fabs(x[2] - 1 / (1 + t * t))));
}

static double order_seen(const pcs_tableau *tableau, int count, const int *steps)
{
    const pcs_ode ode = {.n = 3, .f = hyperbolic, .jacobian = hyperbolic_jacobian};
    double h[8], e[8];
    for (int k = 0; k < count; ++k) {
        h[k] = 2.0 / steps[k];
        const pcs_ode_opts opts = pcs_ode_opts_fixed(tableau, h[k]);
        pcs_integrator *run = begin(&ode, &opts, hyperbolic_start);
        CK_OK(pcs_integrator_advance(run, 2, NULL));
        e[k] = hyperbolic_error(2, pcs_integrator_x(run));
        pcs_integrator_destroy(run);
    }
    return smooth_order(count, h, e);
}

TEST(orders_are_those_of_theory)
{
    static const struct {
        const char *name;
        int order, steps[5];
    } methods[] = {{"implicit_euler", 1, {256, 512, 1024, 2048, 4096}},
                   {"trapezoid", 2, {16, 32, 64, 128, 256}},
                   {"gauss1", 2, {16, 32, 64, 128, 256}},
                   {"gauss2", 4, {12, 16, 32, 64, 128}},
                   {"gauss3", 6, {8, 12, 16, 24, 32}},
                   {"gauss4", 8, {8, 10, 12, 14, 16}},
                   {"radau1", 1, {256, 512, 1024, 2048, 4096}},
                   {"radau2", 3, {32, 48, 64, 96, 128}},
                   {"radau3", 5, {24, 32, 48, 64, 96}}};
    for (size_t k = 0; k < sizeof methods / sizeof *methods; ++k) {
        pcs_tableau *tableau = smooth_method(methods[k].name);
        const double seen = order_seen(tableau, 5, methods[k].steps);
        ck_assert_msg(fabs(seen - methods[k].order) < 0.05, "%s: order %g", methods[k].name, seen);
        pcs_tableau_destroy(tableau);
    }
    const int steps[5] = {16, 24, 32, 64, 96};
    CK_NEAR(order_seen(&lobatto_A, 5, steps), 4, 0.05);
    CK_NEAR(order_seen(&lobatto_B, 5, steps), 4, 0.05);
    CK_NEAR(order_seen(&smooth_sdirk2, 5, (const int[]){64, 96, 128, 192, 256}), 2, 0.05);
    CK_NEAR(order_seen(pcs_tableau_sdirk4(), 5, (const int[]){32, 48, 64, 96, 128}), 4, 0.05);
}

// a few large steps of many stages
TEST(many_stages)
{
    const pcs_ode ode = {.n = 3, .f = hyperbolic, .jacobian = hyperbolic_jacobian};
    for (int s = 8; s <= 64; s *= 2) {
        pcs_tableau *tableau;
        CK_OK(pcs_tableau_create_gauss(NULL, s, &tableau));
        const pcs_ode_opts opts = pcs_ode_opts_fixed(tableau, 0.5);
        pcs_integrator *run = begin(&ode, &opts, hyperbolic_start);
        CK_OK(pcs_integrator_advance(run, 2, NULL));
        CK_NEAR(hyperbolic_error(2, pcs_integrator_x(run)), 0, 1e-14);
        pcs_integrator_destroy(run);
        pcs_tableau_destroy(tableau);
    }
}

// ---- the pendulum: at a quarter of its period (by the arithmetic-geometric mean) it hangs
// straight

static int pendulum(void *user, double t, const double *x, double *f)
{
    f[0] = x[1];
    f[1] = -sin(x[0]);
    return 0;
}

TEST(pendulum_at_a_quarter_of_its_period)
{
    const pcs_ode ode = {.n = 2, .f = pendulum};
    const double angle = 2, x0[2] = {angle, 0}, end = smooth_quarter_period(angle);
    for (int s = 2; s <= 4; ++s) {
        pcs_tableau *tableau;
        CK_OK(pcs_tableau_create_gauss(NULL, s, &tableau));
        static const int steps[3][4] = {{16, 24, 32, 48}, {12, 16, 20, 24}, {8, 10, 12, 14}};
        double h[4], e[4];
        for (int k = 0; k < 4; ++k) {
            h[k] = end / steps[s - 2][k];
            const pcs_ode_opts opts = pcs_ode_opts_fixed(tableau, h[k]);
            pcs_integrator *run = begin(&ode, &opts, x0);
            CK_OK(pcs_integrator_advance(run, end, NULL));
            const double *x = pcs_integrator_x(run);
            e[k] = fmax(fabs(x[0]), fabs(x[1] + 2 * sin(angle / 2)));
            pcs_integrator_destroy(run);
        }
        CK_NEAR(smooth_order(4, h, e), 2 * s, 0.05);
        pcs_tableau_destroy(tableau);
    }
}

// events are located on steps of implicit methods, too: the step is repeated up to the event
TEST(pendulum_events)
{
    const pcs_ode ode = {.n = 2, .f = pendulum};
    const double angle = 2, x0[2] = {angle, 0}, quarter = smooth_quarter_period(angle);
    const pcs_event down = {.g = smooth_first, .terminal = true};
    pcs_tableau *gauss = smooth_method("gauss4");
    for (int k = 0; k < 2; ++k) {
        pcs_ode_opts opts = pcs_ode_opts_fixed(gauss, 0.07);
        if (k == 1) {
            opts = pcs_ode_opts_default();
            opts.tableau = pcs_tableau_sdirk4();
            opts.rtol = opts.atol = 1e-9;
        }
        const double tol = k == 0 ? 1e-11 : 1e-7;
        pcs_integrator *run = begin(&ode, &opts, x0);
        CK_OK(pcs_integrator_set_events(run, 1, &down));
        CK_OK(pcs_integrator_start(run, 0, x0));
        for (int i = 0; i < 4; ++i) {
            pcs_ode_report report;
            CK_OK(pcs_integrator_advance(run, 20, &report));
            ck_assert_int_eq(report.end, PCS_ODE_EVENT);
            CK_NEAR(pcs_integrator_t(run), (2 * i + 1) * quarter, tol * (i + 1));
            CK_NEAR(fabs(pcs_integrator_x(run)[1]), 2 * sin(angle / 2), tol);
        }
        pcs_integrator_destroy(run);
    }
    pcs_tableau_destroy(gauss);
}

TEST(derivatives_by_every_method)
{
    const pcs_ode ode = {
        .n = 3, .f = hyperbolic, .jacobian = hyperbolic_jacobian, .f_complex = hyperbolic_complex};
    const pcs_derivative ways[] = {PCS_DERIVATIVE_CALLBACK, PCS_DERIVATIVE_COMPLEX,
                                   PCS_DERIVATIVE_DIFFERENCES};
    pcs_tableau *tableau = smooth_method("radau3");
    double first[3] = {0};
    for (int k = 0; k < 3; ++k) {
        pcs_ode_opts opts = pcs_ode_opts_fixed(tableau, 0.1);
        opts.newton.derivative = ways[k];
        pcs_integrator *run = begin(&ode, &opts, hyperbolic_start);
        CK_OK(pcs_integrator_advance(run, 2, NULL));
        const double *x = pcs_integrator_x(run);
        for (int i = 0; i < 3; ++i) {
            if (k == 0) first[i] = x[i];
            CK_NEAR(x[i], first[i], 1e-13);
        }
        pcs_integrator_destroy(run);
    }
    pcs_tableau_destroy(tableau);
}

// ---- x' = lambda x: a step is a product with R(h lambda)

typedef struct eigenvalue {
    double re, im;
} eigenvalue;

static int spiral(void *user, double t, const double *x, double *f)
{
    const eigenvalue *l = user;
    f[0] = l->re * x[0] - l->im * x[1];
    f[1] = l->im * x[0] + l->re * x[1];
    return 0;
}

// R(z) = 1 + z b' (1 - z A)^-1 (1 ... 1), by elimination
static double _Complex multiplier(const pcs_tableau *tableau, double _Complex z)
{
    const int s = tableau->s;
    double _Complex M[8][9];
    for (int i = 0; i < s; ++i) {
        for (int j = 0; j < s; ++j) {
            M[i][j] = (i == j) - z * tableau->A[s * i + j];
        }
        M[i][s] = 1;
    }
    for (int k = 0; k < s; ++k) {
        int p = k;
        for (int i = k; i < s; ++i) {
            if (cabs(M[i][k]) > cabs(M[p][k])) p = i;
        }
        for (int j = 0; j <= s; ++j) {
            const double _Complex t = M[k][j];
            M[k][j] = M[p][j];
            M[p][j] = t;
        }
        for (int i = 0; i < s; ++i) {
            const double _Complex factor = M[i][k] / M[k][k];
            for (int j = k; j <= s && i != k; ++j) {
                M[i][j] -= factor * M[k][j];
            }
        }
    }
    double _Complex sum = 0;
    for (int k = 0; k < s; ++k) {
        sum += tableau->b[k] * M[k][s] / M[k][k];
    }
    return 1 + z * sum;
}

static void expect_stability_function(const pcs_tableau *tableau, eigenvalue l)
{
    const pcs_ode ode = {.n = 2, .f = spiral, .user = &l};
    const pcs_ode_opts opts = pcs_ode_opts_fixed(tableau, 1);
    const double x0[2] = {0.6, 0.8};
    const double _Complex R = multiplier(tableau, l.re + l.im * I);
    const double re = creal(R), im = cimag(R);
    pcs_integrator *run = begin(&ode, &opts, x0);
    pcs_ode_report report;
    CK_OK(pcs_integrator_step(run, &report));
    const double *x = pcs_integrator_x(run);
    // differences give the factors half of the digits: two iterations, or three
    ck_assert_int_le(report.newton_iters, 8 * tableau->s);
    CK_NEAR(x[0], re * x0[0] - im * x0[1], 1e-11);
    CK_NEAR(x[1], im * x0[0] + re * x0[1], 1e-11);
    pcs_integrator_destroy(run);
}

TEST(a_step_is_the_stability_function)
{
    test_random rng = random_seed(11);
    const char *const names[] = {"implicit_euler", "trapezoid", "gauss2",
                                 "gauss5",         "radau2",    "radau4"};
    for (int k = 0; k < 9; ++k) {
        pcs_tableau *made = k < 6 ? smooth_method(names[k]) : NULL;
        const pcs_tableau *tableau =
            k < 6 ? made
                  : (const pcs_tableau *const[]){&lobatto_A, &lobatto_B, &smooth_sdirk2}[k - 6];
        for (int trial = 0; trial < 20; ++trial) {
            const double size = pow(10, random_between(&rng, -2, k < 6 ? 6 : 1));
            const double angle = random_between(&rng, PI / 2, 3 * PI / 2);
            expect_stability_function(tableau, (eigenvalue){size * cos(angle), size * sin(angle)});
        }
        pcs_tableau_destroy(made);
    }
}

// The collocation polynomial itself between the ends of large steps, also for degrees at which the
// sum of powers of theta would lose its digits
TEST(collocation_has_its_polynomial_as_dense_output)
{
    eigenvalue l = {-0.1, 1};
    const pcs_ode ode = {.n = 2, .f = spiral, .user = &l};
    const char *const names[] = {"gauss7", "gauss10", "radau12", "gauss20"};
    const double tol[] = {1e-6, 1e-9, 1e-12, 1e-13};
    for (int k = 0; k < 4; ++k) {
        pcs_tableau *tableau = smooth_method(names[k]);
        const pcs_ode_opts opts = pcs_ode_opts_fixed(tableau, 2);
        pcs_integrator *run = begin(&ode, &opts, (const double[]){1, 0});
        CK_OK(pcs_integrator_advance(run, 4, NULL));
        for (double t = 2; t < 4; t += 0.0625) {
            double x[2];
            CK_OK(pcs_integrator_at(run, t, x));
            CK_NEAR(x[0], exp(-0.1 * t) * cos(t), tol[k]);
            CK_NEAR(x[1], exp(-0.1 * t) * sin(t), tol[k]);
        }
        pcs_integrator_destroy(run);
        pcs_tableau_destroy(tableau);
    }
}

// one Jacobian and one factorisation serve a whole linear run
TEST(linear_systems_cost_little)
{
    eigenvalue l = {-1, 5};
    const pcs_ode ode = {.n = 2, .f = spiral, .user = &l};
    pcs_tableau *tableau = smooth_method("gauss3");
    const pcs_ode_opts opts = pcs_ode_opts_fixed(tableau, 0.125);
    pcs_integrator *run = begin(&ode, &opts, (const double[]){1, 0});
    pcs_ode_report report;
    CK_OK(pcs_integrator_advance(run, 10, &report));
    ck_assert_int_eq(report.steps, 80);
    ck_assert_int_eq(report.jacobians, 1);
    ck_assert_int_eq(report.factors, 1);
    ck_assert_int_le(report.newton_iters, 3 * 80);
    ck_assert_int_le(report.evaluations, 3 * 3 * 80 + 4);
    pcs_integrator_destroy(run);
    pcs_tableau_destroy(tableau);
}

// ---- conserved squares: the free top, |L|^2 and the energy

static int top(void *user, double t, const double *w, double *f)
{
    f[0] = (2. - 3.) / 1. * w[1] * w[2];
    f[1] = (3. - 1.) / 2. * w[2] * w[0];
    f[2] = (1. - 2.) / 3. * w[0] * w[1];
    return 0;
}

static double top_energy(const double *w)
{
    return w[0] * w[0] + 2 * w[1] * w[1] + 3 * w[2] * w[2];
}

static double top_momentum(const double *w)
{
    return w[0] * w[0] + 4 * w[1] * w[1] + 9 * w[2] * w[2];
}

TEST(gauss_keeps_squares)
{
    const pcs_ode ode = {.n = 3, .f = top};
    const double w0[3] = {0.1, 2, 0.1};
    for (int s = 1; s <= 3; ++s) {
        pcs_tableau *tableau;
        CK_OK(pcs_tableau_create_gauss(NULL, s, &tableau));
        const pcs_ode_opts opts = pcs_ode_opts_fixed(tableau, 0.25);
        pcs_integrator *run = begin(&ode, &opts, w0);
        for (int k = 0; k < 2000; ++k) {
            CK_OK(pcs_integrator_step(run, NULL));
        }
        const double *w = pcs_integrator_x(run);
        CK_NEAR(top_energy(w), top_energy(w0), 1e-12 * top_energy(w0));
        CK_NEAR(top_momentum(w), top_momentum(w0), 1e-12 * top_momentum(w0));
        pcs_integrator_destroy(run);
        pcs_tableau_destroy(tableau);
    }
}

// ---- stiff systems

// Prothero and Robinson 1974: x = cos t for any lambda
static int prothero(void *user, double t, const double *x, double *f)
{
    f[0] = *(const double *)user * (x[0] - cos(t)) - sin(t);
    return 0;
}

TEST(stiffness_does_no_harm)
{
    pcs_tableau *tableau = smooth_method("radau3");
    for (double lambda = -1; lambda > -1e13; lambda *= 100) {
        const pcs_ode ode = {.n = 1, .f = prothero, .user = &lambda};
        const pcs_ode_opts opts = pcs_ode_opts_fixed(tableau, 0.1);
        pcs_integrator *run = begin(&ode, &opts, (const double[]){1});
        pcs_ode_report report;
        CK_OK(pcs_integrator_advance(run, 2, &report));
        CK_NEAR(pcs_integrator_x(run)[0], cos(2), 1e-6);
        ck_assert_int_eq(report.jacobians, 1);
        pcs_integrator_destroy(run);

        // an initial error disappears in one step (L-stable)
        run = begin(&ode, &opts, (const double[]){3});
        CK_OK(pcs_integrator_advance(run, 2, NULL));
        CK_NEAR(pcs_integrator_x(run)[0], cos(2), 2 * exp(lambda * 2) * 1.01 + 1e-6);
        pcs_integrator_destroy(run);
    }
    pcs_tableau_destroy(tableau);
}

// Robertson's kinetics at t = 1e11: Mazzia and Magherini, Test Set for IVP Solvers 2.4
static int robertson(void *user, double t, const double *y, double *f)
{
    f[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
    f[2] = 3e7 * y[1] * y[1];
    f[1] = -f[0] - f[2];
    return 0;
}

static int robertson_jacobian(void *user, double t, const double *y, double *J)
{
    const double a = 1e4 * y[2], b = 1e4 * y[1], c = 6e7 * y[1];
    const double columns[9] = {-0.04, 0.04, 0, a, -a - c, c, b, -b, 0};
    memcpy(J, columns, sizeof columns);
    return 0;
}

TEST(robertson_over_eleven_decades)
{
    const double atol[3] = {1e-13, 1e-19, 1e-10};
    for (int jacobian = 0; jacobian < 2; ++jacobian) {
        const pcs_ode ode = {
            .n = 3, .f = robertson, .jacobian = jacobian ? robertson_jacobian : NULL};
        pcs_ode_opts opts = pcs_ode_opts_default();
        opts.tableau = pcs_tableau_sdirk4();
        opts.rtol = 1e-6;
        opts.atol_each = atol;
        pcs_integrator *run = begin(&ode, &opts, (const double[]){1, 0, 0});
        pcs_ode_report report;
        CK_OK(pcs_integrator_advance(run, 1e11, &report));
        const double *y = pcs_integrator_x(run);
        CK_NEAR(y[0], 0.2083340149701255e-07, 1e-4 * 0.2083340149701255e-07);
        CK_NEAR(y[1], 0.8333360770334713e-13, 1e-4 * 0.8333360770334713e-13);
        CK_NEAR(y[2], 0.9999999791665050, 1e-11);
        CK_NEAR(y[0] + y[1] + y[2], 1, 1e-12);
        ck_assert_int_le(report.steps, 1500);
        pcs_integrator_destroy(run);
    }
}

static int van_der_pol(void *user, double t, const double *x, double *f)
{
    const double mu = *(const double *)user;
    f[0] = x[1];
    f[1] = mu * ((1 - x[0] * x[0]) * x[1]) - x[0];
    return 0;
}

// Relaxation oscillations: on the slow branch (1 - x^2) x' = x / mu, which integrates to log x -
// x^2 / 2 = t / mu + const. Adaptive steps pass two jumps.
TEST(van_der_pol_relaxes)
{
    double mu = 1000;
    const pcs_ode ode = {.n = 2, .f = van_der_pol, .user = &mu};
    pcs_ode_opts opts = pcs_ode_opts_default();
    opts.tableau = pcs_tableau_sdirk4();
    opts.rtol = 1e-6;
    opts.atol = 1e-8;
    pcs_integrator *run = begin(&ode, &opts, (const double[]){2, 0});
    CK_OK(pcs_integrator_advance(run, 500, NULL));
    const double x = pcs_integrator_x(run)[0];
    CK_NEAR(log(x) - x * x / 2, log(2) - 2 + 500 / mu, 1e-4); // up to terms in 1 / mu^2
    pcs_ode_report report;
    CK_OK(pcs_integrator_advance(run, 2000, &report));
    ck_assert(fabs(pcs_integrator_x(run)[0]) < 2.01);
    // an explicit method needs mu steps per unit of time
    ck_assert_int_le(report.steps, 4000);
    pcs_integrator_destroy(run);
}

// the heat equation on a grid: each step multiplies an eigenvector by R; for more than 32 unknowns
// the factors are blocked
enum { GRID = 20 };

static int heat(void *user, double t, const double *x, double *f)
{
    for (int i = 0; i < GRID; ++i) {
        const double left = i > 0 ? x[i - 1] : 0, right = i < GRID - 1 ? x[i + 1] : 0;
        f[i] = (left - 2 * x[i] + right) * (GRID + 1) * (GRID + 1);
    }
    return 0;
}

TEST(larger_systems)
{
    const pcs_ode ode = {.n = GRID, .f = heat};
    pcs_tableau *tableau = smooth_method("radau2");
    const double h = 0.01, lambda = (2 * cos(PI / (GRID + 1)) - 2) * (GRID + 1) * (GRID + 1);
    const double R = creal(multiplier(tableau, h * lambda));
    double x0[GRID];
    for (int i = 0; i < GRID; ++i) {
        x0[i] = sin(PI * (i + 1) / (GRID + 1));
    }
    const pcs_ode_opts opts = pcs_ode_opts_fixed(tableau, h);
    pcs_integrator *run = begin(&ode, &opts, x0);
    CK_OK(pcs_integrator_advance(run, 10 * h, NULL));
    for (int i = 0; i < GRID; ++i) {
        CK_NEAR(pcs_integrator_x(run)[i], pow(R, 10) * x0[i], 1e-12);
    }
    pcs_integrator_destroy(run);
    pcs_tableau_destroy(tableau);
}

// ---- chosen steps

TEST(tolerances_are_kept)
{
    const pcs_ode ode = {.n = 3, .f = hyperbolic};
    double before = INFINITY;
    for (double tol = 1e-3; tol > 1e-8; tol /= 10) {
        pcs_ode_opts opts = pcs_ode_opts_default();
        opts.tableau = &smooth_sdirk2;
        opts.rtol = opts.atol = tol;
        pcs_integrator *run = begin(&ode, &opts, hyperbolic_start);
        CK_OK(pcs_integrator_advance(run, 2, NULL));
        const double e = hyperbolic_error(2, pcs_integrator_x(run));
        ck_assert(e < 2 * tol && e < before);
        before = e;
        pcs_integrator_destroy(run);
    }
}

// ---- errors

static int explosion(void *user, double t, const double *x, double *f)
{
    f[0] = x[0] * x[0];
    return 0;
}

static int root(void *user, double t, const double *x, double *f)
{
    f[0] = -sqrt(x[0]);
    return 0;
}

static int refuses_later(void *user, double t, const double *x, double *f)
{
    f[0] = -x[0];
    return t > 0.25;
}

static int nan_later(void *user, double t, const double *x, double *f)
{
    f[0] = t > 0.25 ? NAN : -x[0];
    return 0;
}

static void expect_intact(pcs_integrator *run, double t, double x)
{
    ck_assert(pcs_integrator_t(run) == t);
    ck_assert(pcs_integrator_x(run)[0] == x);
}

TEST(failures_leave_the_state)
{
    pcs_tableau *tableau = smooth_method("implicit_euler");
    pcs_ode_opts opts = pcs_ode_opts_fixed(tableau, 0.5);

    // x = 1 + x^2 / 2 has no real root: the step fails
    pcs_ode ode = {.n = 1, .f = explosion};
    pcs_integrator *run = begin(&ode, &opts, (const double[]){1});
    const pcs_status status = pcs_integrator_step(run, NULL);
    ck_assert(status == PCS_ERR_STEP || status == PCS_ERR_SINGULAR);
    expect_intact(run, 0, 1);
    CK_OK(pcs_integrator_step_by(run, 0.1, NULL)); // a smaller step has one
    CK_NEAR(pcs_integrator_x(run)[0], 5 - sqrt(15), 1e-12);
    pcs_integrator_destroy(run);

    ode.f = refuses_later;
    run = begin(&ode, &opts, (const double[]){1});
    CK_FAILS(pcs_integrator_step(run, NULL), PCS_ERR_CALLBACK);
    expect_intact(run, 0, 1);
    pcs_integrator_destroy(run);

    ode.f = nan_later;
    run = begin(&ode, &opts, (const double[]){1});
    CK_FAILS(pcs_integrator_step(run, NULL), PCS_ERR_CALLBACK);
    expect_intact(run, 0, 1);
    CK_OK(pcs_integrator_step_by(run, 0.25, NULL));
    CK_NEAR(pcs_integrator_x(run)[0], 0.8, 1e-14);
    pcs_integrator_destroy(run);

    // f is not defined at the guess, but at the solution: x + h sqrt x = 0.04
    ode.f = root;
    run = begin(&ode, &opts, (const double[]){0.04});
    CK_OK(pcs_integrator_step(run, NULL));
    const double y = (-0.5 + sqrt(0.25 + 0.16)) / 2;
    CK_NEAR(pcs_integrator_x(run)[0], y * y, 1e-13);
    pcs_integrator_destroy(run);

    // a pole: adaptive steps approach it and report it
    ode.f = explosion;
    opts = pcs_ode_opts_default();
    opts.tableau = &smooth_sdirk2;
    opts.rtol = opts.atol = 1e-4;
    run = begin(&ode, &opts, (const double[]){1});
    ck_assert(pcs_integrator_advance(run, 2, NULL) != PCS_OK);
    CK_NEAR(pcs_integrator_t(run), 1, 0.01);
    ck_assert(isfinite(pcs_integrator_x(run)[0]));
    pcs_integrator_destroy(run);
    pcs_tableau_destroy(tableau);
}

TEST(bad_options_are_refused)
{
    const pcs_ode ode = {.n = 1, .f = explosion};
    pcs_ode_opts opts = pcs_ode_opts_fixed(pcs_tableau_implicit_euler(), 0.1);
    pcs_integrator *run;
    opts.newton.tol = 0;
    CK_FAILS(pcs_integrator_create(NULL, &ode, &opts, &run), PCS_ERR_ARG);
    opts.newton.tol = NAN;
    CK_FAILS(pcs_integrator_create(NULL, &ode, &opts, &run), PCS_ERR_ARG);
    opts.newton = pcs_root_opts_default();
    opts.newton.max_iters = 0;
    CK_FAILS(pcs_integrator_create(NULL, &ode, &opts, &run), PCS_ERR_ARG);
    opts.newton = pcs_root_opts_default();
    opts.newton.derivative = PCS_DERIVATIVE_CALLBACK;
    CK_FAILS(pcs_integrator_create(NULL, &ode, &opts, &run), PCS_ERR_ARG);
    const pcs_ode many = {.n = 1 << 20, .f = explosion};
    opts.newton = pcs_root_opts_default();
    CK_FAILS(pcs_integrator_create(NULL, &many, &opts, &run), PCS_ERR_SIZE);
}

TEST(memory_is_allocated_once)
{
    const pcs_ode ode = {.n = 3, .f = hyperbolic};
    pcs_tableau *tableau = smooth_method("gauss3");
    const pcs_ode_opts opts = pcs_ode_opts_fixed(tableau, 0.1);
    for (long k = 0;; ++k) {
        test_memory memory = {.fail_at = k};
        const pcs_env env = test_env(&memory);
        pcs_integrator *run = NULL;
        const pcs_status status = pcs_integrator_create(&env, &ode, &opts, &run);
        ck_assert(status == PCS_OK || !run);
        if (out_of_memory(&memory, status)) continue;
        const long before = memory.allocated;
        CK_OK(pcs_integrator_start(run, 0, hyperbolic_start));
        CK_OK(pcs_integrator_advance(run, 2, NULL));
        ck_assert_int_eq(memory.allocated, before);
        pcs_integrator_destroy(run);
        ck_assert_int_eq(memory.live, 0);
        break;
    }
    pcs_tableau_destroy(tableau);
}

// the same numbers every time, also after a restart
TEST(runs_repeat)
{
    const pcs_ode ode = {.n = 3, .f = hyperbolic};
    pcs_ode_opts opts = pcs_ode_opts_default();
    opts.tableau = &smooth_sdirk2;
    pcs_integrator *run = begin(&ode, &opts, hyperbolic_start);
    double first[3];
    CK_OK(pcs_integrator_advance(run, 2, NULL));
    memcpy(first, pcs_integrator_x(run), sizeof first);
    CK_OK(pcs_integrator_start(run, 0, hyperbolic_start));
    CK_OK(pcs_integrator_advance(run, 2, NULL));
    ck_assert_mem_eq(first, pcs_integrator_x(run), sizeof first);
    pcs_integrator_destroy(run);
}
