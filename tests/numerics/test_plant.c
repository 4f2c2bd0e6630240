// Driven plants, and equations of n-th order with derivatives of the input, against closed forms
// and against the same equation solved for the highest derivative by hand.
#include "smooth.h"
#include "support.h"

#include <complex.h>

#include <percuss/lti.h>

static pcs_arena arena;

static void reset(const pcs_plant *plant)
{
    pcs_arena_destroy(NULL, &arena);
    CK_OK(pcs_arena_create(NULL, pcs_linearise_bytes(plant->nx, plant->nu, plant->ny), &arena));
}

// x(t_end) of a plant driven by `input`, to 1e-12
static void drive(const pcs_plant *plant, pcs_input_fn input, void *user, const double *x0,
                  double t_end, double *x, double *y)
{
    pcs_driven *driven;
    pcs_ode ode;
    CK_OK(pcs_driven_create(NULL, plant, input, user, &driven));
    CK_OK(pcs_driven_ode(driven, &ode));
    pcs_ode_opts opts = pcs_ode_opts_default();
    opts.rtol = opts.atol = 1e-12;
    pcs_integrator *run = smooth_run(&ode, &opts, 0, x0);
    CK_OK(pcs_integrator_advance(run, t_end, NULL));
    memcpy(x, pcs_integrator_x(run), (size_t)plant->nx * sizeof *x);
    if (y) CK_OK(pcs_driven_output(driven, t_end, x, NULL, y));
    pcs_integrator_destroy(run);
    pcs_driven_destroy(driven);
}

// (u^(m), ..., u) of u = sin(w t)
typedef struct sine {
    double w;
    int m;
    int fails;
} sine;

static double sine_derivative(const sine *s, int k, double t)
{
    return pow(s->w, k) * sin(s->w * t + k * acos(0));
}

static int sine_all(void *user, double t, double *U)
{
    const sine *s = user;
    for (int k = s->m; k >= 0; --k) {
        *U++ = sine_derivative(s, k, t);
    }
    return s->fails;
}

static int sine_highest(void *user, double t, double *u)
{
    const sine *s = user;
    *u = sine_derivative(s, s->m, t);
    return s->fails;
}

// ---- a wheel on a spring and a damper, on a road of height u: y'' + c (y' - u') + k (y - u) = 0

typedef struct suspension {
    double c, k;
} suspension;

static int rolls(void *user, double t, const double *Y, const double *U, double *phi)
{
    const suspension *w = user;
    phi[0] = Y[0] + w->c * (Y[1] - U[0]) + w->k * (Y[2] - U[1]);
    return 0;
}

// the steady motion of u = sin(w t): the imaginary part of G exp(i w t), and its rate
static void steady(const suspension *wheel, double w, double t, double chi[2])
{
    const double _Complex s = I * w,
                          G = (wheel->c * s + wheel->k) / (s * s + wheel->c * s + wheel->k);
    chi[0] = cimag(s * G * cexp(s * t));
    chi[1] = cimag(G * cexp(s * t));
}

TEST(a_sinusoidal_road)
{
    suspension wheel = {.c = 0.7, .k = 3};
    const pcs_input_output_def def = {
        .order = 2, .ny = 1, .input_order = 1, .nu = 1, .phi = rolls, .user = &wheel};
    pcs_input_output *equation;
    CK_OK(pcs_input_output_create(NULL, &def, &equation));
    pcs_plant given, chain;
    CK_OK(pcs_input_output_given(equation, &given));
    CK_OK(pcs_input_output_chain(equation, &chain));
    ck_assert_int_eq(given.nx, 2);
    ck_assert_int_eq(given.nu, 2);
    ck_assert_int_eq(chain.nx, 3);
    ck_assert_int_eq(chain.nu, 1);
    for (double w = 0.3; w < 9; w *= 3) {
        sine road = {.w = w, .m = 1};
        double x0[3], expected[2], x[3], y;
        steady(&wheel, w, 0, x0);
        steady(&wheel, w, 5, expected);
        x0[2] = 0; // u
        drive(&given, sine_all, &road, x0, 5, x, &y);
        CK_NEAR(x[0], expected[0], 1e-9);
        CK_NEAR(y, expected[1], 1e-9);
        drive(&chain, sine_highest, &road, x0, 5, x, &y);
        CK_NEAR(x[0], expected[0], 1e-9);
        CK_NEAR(y, expected[1], 1e-9);
        CK_NEAR(x[2], sin(5 * w), 1e-9);

        double highest;
        const double U[2] = {w, 0};
        CK_OK(pcs_input_output_highest(equation, 0, x0, U, &highest));
        CK_NEAR(highest, -wheel.c * (x0[0] - w) - wheel.k * x0[1], 1e-14 * (1 + wheel.c * w));
    }
    pcs_input_output_destroy(equation);
}

// ---- a pendulum whose pivot is moved sideways by u, with a moment that grows with the cube of the
// acceleration: y'' + (y'')^3 + sin y + u'' cos y - y' u' = 0. The real root of v + v^3 = r is
// known

static int moved(void *user, double t, const double *Y, const double *U, double *phi)
{
    phi[0] = Y[0] + Y[0] * Y[0] * Y[0] + sin(Y[2]) + U[0] * cos(Y[2]) - Y[1] * U[1];
    return 0;
}

static int moved_complex(void *user, double t, const pcs_complex *Y, const pcs_complex *U,
                         pcs_complex *phi)
{
    phi[0] = Y[0] + Y[0] * Y[0] * Y[0] + csin(Y[2]) + U[0] * ccos(Y[2]) - Y[1] * U[1];
    return 0;
}

static int moved_jacobian(void *user, double t, const double *Y, const double *U, double *by_Y,
                          double *by_U)
{
    by_Y[0] = 1 + 3 * Y[0] * Y[0];
    by_Y[1] = -U[1];
    by_Y[2] = cos(Y[2]) - U[0] * sin(Y[2]);
    by_U[0] = cos(Y[2]);
    by_U[1] = -Y[1];
    by_U[2] = 0;
    return 0;
}

// v + v^3 = r by Cardano
static double cubic(double r)
{
    const double d = sqrt(r * r / 4 + 1.0 / 27), big = cbrt(fabs(r) / 2 + d);
    const double v = big - 1 / (3 * big);
    return r < 0 ? -v : v;
}

static int moved_by_hand(void *user, double t, const double *chi, double *highest)
{
    const sine *s = user;
    *highest = cubic(-sin(chi[1]) - sine_derivative(s, 2, t) * cos(chi[1]) +
                     chi[0] * sine_derivative(s, 1, t));
    return 0;
}

// a plant with the Jacobian, the complex version or neither
static pcs_input_output_def moved_def(int way)
{
    return (pcs_input_output_def){.order = 2,
                                  .ny = 1,
                                  .input_order = 2,
                                  .nu = 1,
                                  .phi = moved,
                                  .jacobian = way == 0 ? moved_jacobian : NULL,
                                  .phi_complex = way == 1 ? moved_complex : NULL};
}

TEST(nonlinear_in_everything)
{
    sine pivot = {.w = 1.7, .m = 2};
    const pcs_higher_order hand = {.order = 2, .m = 1, .fn = moved_by_hand, .user = &pivot};
    pcs_ode ode;
    CK_OK(pcs_ode_of_order(&hand, &ode));
    pcs_ode_opts opts = pcs_ode_opts_default();
    opts.rtol = opts.atol = 1e-13;
    pcs_integrator *run;
    const double x0[4] = {0.2, 0.9, 1.7, 0}; // y', y, u', u
    CK_OK(pcs_integrator_create(NULL, &ode, &opts, &run));
    CK_OK(pcs_integrator_start(run, 0, x0));
    CK_OK(pcs_integrator_advance(run, 4, NULL));
    const double *expected = pcs_integrator_x(run);

    for (int way = 0; way < 3; ++way) {
        const pcs_input_output_def def = moved_def(way);
        pcs_input_output *equation;
        pcs_plant plant;
        double x[4];
        CK_OK(pcs_input_output_create(NULL, &def, &equation));
        CK_OK(pcs_input_output_given(equation, &plant));
        drive(&plant, sine_all, &pivot, x0, 4, x, NULL);
        CK_NEAR(x[0], expected[0], 1e-10);
        CK_NEAR(x[1], expected[1], 1e-10);
        CK_OK(pcs_input_output_chain(equation, &plant));
        ck_assert_int_eq(plant.nx, 4);
        drive(&plant, sine_highest, &pivot, x0, 4, x, NULL);
        CK_NEAR(x[0], expected[0], 1e-10);
        CK_NEAR(x[1], expected[1], 1e-10);
        CK_NEAR(x[2], sine_derivative(&pivot, 1, 4), 1e-10);
        CK_NEAR(x[3], sine_derivative(&pivot, 0, 4), 1e-10);
        pcs_input_output_destroy(equation);
    }
    pcs_integrator_destroy(run);
}

// the derivatives of the implicit function are those of the closed form, and those of differences
// of f
TEST(derivatives_of_the_implicit_function)
{
    test_random rng = random_seed(3);
    for (int way = 0; way < 3; ++way) {
        const pcs_input_output_def def = moved_def(way);
        const double tol = way == 2 ? 1e-9 : 1e-14;
        pcs_input_output *equation;
        pcs_plant given, chain;
        CK_OK(pcs_input_output_create(NULL, &def, &equation));
        CK_OK(pcs_input_output_given(equation, &given));
        CK_OK(pcs_input_output_chain(equation, &chain));
        for (int trial = 0; trial < 50; ++trial) {
            double x[4], U[3]; // y', y, u', u; u'', u', u
            for (int i = 0; i < 4; ++i) {
                x[i] = random_normal(&rng);
            }
            U[0] = random_normal(&rng);
            U[1] = x[2];
            U[2] = x[3];
            const double v = cubic(-sin(x[1]) - U[0] * cos(x[1]) + x[0] * U[1]);
            const double slope = 1 + 3 * v * v;
            const double by[5] = {U[1] / slope, -(cos(x[1]) - U[0] * sin(x[1])) / slope,
                                  -cos(x[1]) / slope, x[0] / slope, 0}; // y', y, u'', u', u
            double A[16], B[6], C[4], D[3];
            reset(&chain);
            CK_OK(pcs_linearise(&given, PCS_DERIVATIVE_BEST, 0, x, U, arena, A, B, C, D));
            const double A2[4] = {by[0], 1, by[1], 0}, B2[6] = {by[2], 0, by[3], 0, by[4], 0};
            expect_same(A, A2, 4, tol * 8);
            expect_same(B, B2, 6, tol * 8);
            CK_NEAR(C[0], 0, 0);
            CK_NEAR(C[1], 1, 0);
            CK_NEAR(fabs(D[0]) + fabs(D[1]) + fabs(D[2]), 0, 0);

            CK_OK(pcs_linearise(&chain, PCS_DERIVATIVE_BEST, 0, x, U, arena, A, B, C, D));
            const double A4[16] = {by[0], 1, 0, 0, by[1], 0, 0, 0, by[3], 0, 0, 1, by[4], 0, 0, 0};
            const double B4[4] = {by[2], 0, 1, 0};
            expect_same(A, A4, 16, tol * 8);
            expect_same(B, B4, 4, tol * 8);
            CK_OK(pcs_linearise(&chain, PCS_DERIVATIVE_DIFFERENCES, 0, x, U, arena, A, B, C, D));
            expect_same(A, A4, 16, 1e-8);
        }
        pcs_input_output_destroy(equation);
    }
}

// ---- two unknowns, two inputs: M (y''' - y_s''') + N (y'' - y_s'') + y - y_s = 0 with y_s = P u +
// Q u' is solved by y = P u + Q u', whatever M and N; u = (sin t, exp(-t))

typedef struct pair {
    double M[4], N[4], P[4], Q[4];
} pair;

static void add(const double M[4], double sign, const double *x, double *out)
{
    out[0] += sign * (M[0] * x[0] + M[2] * x[1]);
    out[1] += sign * (M[1] * x[0] + M[3] * x[1]);
}

static int two(void *user, double t, const double *Y, const double *U, double *phi)
{
    const pair *p = user;
    const double *y3 = Y, *y2 = Y + 2, *y = Y + 6; // U = (u'''', u''', u'', u', u)
    double d3[2] = {y3[0], y3[1]}, d2[2] = {y2[0], y2[1]}, d[2] = {y[0], y[1]};
    add(p->P, -1, U + 2, d3);
    add(p->Q, -1, U, d3);
    add(p->P, -1, U + 4, d2);
    add(p->Q, -1, U + 2, d2);
    add(p->P, -1, U + 8, d);
    add(p->Q, -1, U + 6, d);
    phi[0] = phi[1] = 0;
    add(p->M, 1, d3, phi);
    add(p->N, 1, d2, phi);
    phi[0] += d[0];
    phi[1] += d[1];
    return 0;
}

static int sine_and_decay(void *user, double t, double *U)
{
    for (int k = 4; k >= 0; --k) {
        *U++ = sin(t + k * acos(0));
        *U++ = (k % 2 ? -1 : 1) * exp(-t);
    }
    return 0;
}

static int sine_and_decay_4(void *user, double t, double *u)
{
    u[0] = sin(t);
    u[1] = exp(-t);
    return 0;
}

TEST(vectors)
{
    pair p = {.M = {2, 0.3, -0.4, 1},
              .N = {1, 0.2, 0.1, 3},
              .P = {1, 0.5, -1, 2},
              .Q = {0.3, 1, 0.2, -0.6}};
    const pcs_input_output_def def = {
        .order = 3, .ny = 2, .input_order = 4, .nu = 2, .phi = two, .user = &p};
    pcs_input_output *equation;
    pcs_plant given, chain;
    CK_OK(pcs_input_output_create(NULL, &def, &equation));
    CK_OK(pcs_input_output_given(equation, &given));
    CK_OK(pcs_input_output_chain(equation, &chain));
    ck_assert_int_eq(given.nu, 10);
    ck_assert_int_eq(chain.nx, 14);
    double U[2][10], x0[14] = {0}, x[14], expected[6] = {0};
    const double t_end = 1.5;
    sine_and_decay(NULL, 0, U[0]);
    sine_and_decay(NULL, t_end, U[1]);
    for (int k = 0; k < 3; ++k) { // y'', y', y
        const int at = 4 + 2 * k;
        add(p.P, 1, U[0] + at, x0 + 2 * k);
        add(p.Q, 1, U[0] + at - 2, x0 + 2 * k);
        add(p.P, 1, U[1] + at, expected + 2 * k);
        add(p.Q, 1, U[1] + at - 2, expected + 2 * k);
    }
    memcpy(x0 + 6, U[0] + 2, 8 * sizeof *x0);
    drive(&given, sine_and_decay, NULL, x0, t_end, x, NULL);
    expect_same(x, expected, 6, 1e-9);
    drive(&chain, sine_and_decay_4, NULL, x0, t_end, x, NULL);
    for (int i = 0; i < 14; ++i) {
        CK_NEAR(x[i], i < 6 ? expected[i] : U[1][i - 4], 1e-9);
    }
    pcs_input_output_destroy(equation);
}

// ---- an implicit system of first order, F(x', x, u) = 0: x'^2 = 4 x with two roots, x = (t + c)^2

static int rooted(void *user, double t, const double *Y, const double *U, double *phi)
{
    phi[0] = Y[0] * Y[0] - 4 * Y[1];
    return 0;
}

static int guess_side(void *user, double t, const double *chi, const double *U, double *highest)
{
    *highest = *(const double *)user;
    return 0;
}

TEST(the_guess_decides_between_roots)
{
    for (double side = -1; side < 2; side += 2) {
        const pcs_input_output_def def = {
            .order = 1, .ny = 1, .phi = rooted, .guess = guess_side, .user = &side};
        pcs_input_output *equation;
        pcs_plant plant;
        CK_OK(pcs_input_output_create(NULL, &def, &equation));
        CK_OK(pcs_input_output_given(equation, &plant));
        ck_assert_int_eq(plant.nx, 1);
        ck_assert_int_eq(plant.nu, 0);
        const double x0 = 9;
        double x;
        drive(&plant, NULL, NULL, &x0, 2, &x, NULL);
        CK_NEAR(x, side > 0 ? 25 : 1, 1e-9);
        pcs_input_output_destroy(equation);
    }
}

// ---- algebraic unknowns: a mass on a rod of the length l about a pivot, in index 1: y = (y1, y2),
// z the tension over the mass and the length; y'' = -z y + (u', -g), y . y'' + y' . y' = 0

static int rod(void *user, double t, const double *Y, const double *U, double *phi)
{
    const double *a = Y, *v = Y + 2, *y = Y + 4, z = Y[6];
    phi[0] = a[0] + z * y[0] - U[0];
    phi[1] = a[1] + z * y[1] + 9.81;
    phi[2] = y[0] * a[0] + y[1] * a[1] + v[0] * v[0] + v[1] * v[1];
    return 0;
}

static int rod_complex(void *user, double t, const pcs_complex *Y, const pcs_complex *U,
                       pcs_complex *phi)
{
    const pcs_complex *a = Y, *v = Y + 2, *y = Y + 4, z = Y[6];
    phi[0] = a[0] + z * y[0] - U[0];
    phi[1] = a[1] + z * y[1] + 9.81;
    phi[2] = y[0] * a[0] + y[1] * a[1] + v[0] * v[0] + v[1] * v[1];
    return 0;
}

// z = (v . v + y . (u', -g)) / y . y, and the accelerations
static void rod_by_hand(const double *x, const double *U, double *a, double *z)
{
    const double *v = x, *y = x + 2;
    *z = (v[0] * v[0] + v[1] * v[1] + y[0] * U[0] - 9.81 * y[1]) / (y[0] * y[0] + y[1] * y[1]);
    a[0] = -*z * y[0] + U[0];
    a[1] = -*z * y[1] - 9.81;
}

TEST(algebraic_unknowns)
{
    for (int way = 0; way < 2; ++way) {
        const pcs_input_output_def def = {.order = 2,
                                          .ny = 2,
                                          .nz = 1,
                                          .input_order = 1,
                                          .nu = 1,
                                          .phi = rod,
                                          .phi_complex = way == 0 ? rod_complex : NULL};
        const double tol = way == 0 ? 1e-9 : 1e-7; // of the differences below, or of both
        pcs_input_output *equation;
        pcs_plant plant[2];
        CK_OK(pcs_input_output_create(NULL, &def, &equation));
        CK_OK(pcs_input_output_given(equation, &plant[0]));
        CK_OK(pcs_input_output_chain(equation, &plant[1]));
        ck_assert_int_eq(plant[0].ny, 3);
        // (y', y, u) and (u', u), the length 1.5
        double x[5] = {0.4, -0.3, 0.9, 1.2, 0.7}, U[2] = {2, 0.7}, a[2], z, got[5], y[3];
        rod_by_hand(x, U, a, &z);
        for (int k = 0; k < 2; ++k) {
            CK_OK(plant[k].f(plant[k].user, 0, x, U, got) == 0 ? PCS_OK : PCS_ERR_CALLBACK);
            CK_NEAR(got[0], a[0], 1e-13);
            CK_NEAR(got[1], a[1], 1e-13);
            CK_NEAR(got[2], x[0], 0);
            CK_NEAR(got[3], x[1], 0);
            if (k == 1) CK_NEAR(got[4], U[0], 0);
            CK_OK(plant[k].g(plant[k].user, 0, x, U, y) == 0 ? PCS_OK : PCS_ERR_CALLBACK);
            CK_NEAR(y[0], x[2], 0);
            CK_NEAR(y[1], x[3], 0);
            CK_NEAR(y[2], z, 1e-13);
        }
        double A[25], B[10], C[15], D[6], by[5 + 2][3];
        reset(&plant[1]);
        CK_OK(pcs_linearise(&plant[0], PCS_DERIVATIVE_BEST, 0, x, U, arena, A, B, C, D));
        // the matrices for (y', y, u', u), by central differences of the solution by hand
        for (int j = 0; j < 6; ++j) {
            const double h = 1e-5;
            double up[3], down[3], *at = j < 4 ? x + j : &U[j - 4];
            const double held = *at;
            *at = held + h;
            rod_by_hand(x, U, up, up + 2);
            *at = held - h;
            rod_by_hand(x, U, down, down + 2);
            *at = held;
            for (int i = 0; i < 3; ++i) {
                by[j][i] = (up[i] - down[i]) / (2 * h);
            }
        }
        for (int j = 0; j < 6; ++j) {
            const double *rate = j < 4 ? A + 4 * j : B + 4 * (j - 4);
            const double *out = j < 4 ? C + 3 * j : D + 3 * (j - 4);
            CK_NEAR(rate[0], by[j][0], tol);
            CK_NEAR(rate[1], by[j][1], tol);
            CK_NEAR(rate[2], j == 0 ? 1 : 0, 0);
            CK_NEAR(rate[3], j == 1 ? 1 : 0, 0);
            CK_NEAR(out[0], j == 2 ? 1 : 0, 0);
            CK_NEAR(out[1], j == 3 ? 1 : 0, 0);
            CK_NEAR(out[2], by[j][2], tol);
        }
        CK_OK(pcs_linearise(&plant[1], PCS_DERIVATIVE_BEST, 0, x, U, arena, A, B, C, D));
        for (int j = 0; j < 6; ++j) {
            const int of = j < 4 ? j : 5; // the state u is the last argument
            const double *rate = j < 5 ? A + 5 * j : B, *out = j < 5 ? C + 3 * j : D;
            const double *expected = j < 5 ? by[of] : by[4];
            CK_NEAR(rate[0], expected[0], tol);
            CK_NEAR(rate[1], expected[1], tol);
            CK_NEAR(rate[4], j == 5 ? 1 : 0, 0);
            CK_NEAR(out[2], expected[2], tol);
        }
        pcs_input_output_destroy(equation);
    }
}

// the same during a run: the tension is an output, and the length is constant
static int shaken(void *user, double t, double *U)
{
    U[0] = 3 * cos(2 * t);
    U[1] = 1.5 * sin(2 * t);
    return 0;
}

TEST(algebraic_unknowns_during_a_run)
{
    const pcs_input_output_def def = {
        .order = 2, .ny = 2, .nz = 1, .input_order = 1, .nu = 1, .phi = rod};
    pcs_input_output *equation;
    pcs_plant plant;
    CK_OK(pcs_input_output_create(NULL, &def, &equation));
    CK_OK(pcs_input_output_given(equation, &plant));
    const double x0[4] = {0, 0, 0.9, -1.2};
    double x[4], y[3], U[2], a[2], z;
    drive(&plant, shaken, NULL, x0, 3, x, y);
    CK_NEAR(hypot(x[2], x[3]), 1.5, 1e-9);
    CK_NEAR(x[0] * x[2] + x[1] * x[3], 0, 1e-9);
    shaken(NULL, 3, U);
    rod_by_hand(x, U, a, &z);
    CK_NEAR(y[2], z, 1e-11);
    pcs_input_output_destroy(equation);
}

TEST(singular_equations_are_reported)
{
    const pcs_input_output_def def = {.order = 1, .ny = 1, .phi = rooted};
    pcs_input_output *equation;
    pcs_plant plant;
    double highest, A;
    CK_OK(pcs_input_output_create(NULL, &def, &equation));
    CK_OK(pcs_input_output_given(equation, &plant));
    // phi does not depend on x' at the guess, zero, and at the root of x = 0
    CK_SAYS(pcs_input_output_highest(equation, 0, (double[]){1}, NULL, &highest), PCS_ERR_SINGULAR,
            "derivative of order 1");
    CK_OK(pcs_input_output_highest(equation, 0, (double[]){0}, NULL, &highest));
    reset(&plant);
    CK_SAYS(pcs_linearise(&plant, PCS_DERIVATIVE_BEST, 0, (double[]){0}, NULL, arena, &A, NULL,
                          NULL, NULL),
            PCS_ERR_CALLBACK, "singular");
    CK_FAILS(pcs_input_output_highest(equation, 0, (double[]){NAN}, NULL, &highest), PCS_ERR_ARG);
    CK_FAILS(pcs_input_output_highest(equation, 0, NULL, NULL, &highest), PCS_ERR_ARG);
    pcs_input_output_destroy(equation);

    // there is no root at all
    double side = 1;
    const pcs_input_output_def none = {
        .order = 1, .ny = 1, .phi = rooted, .guess = guess_side, .user = &side};
    CK_OK(pcs_input_output_create(NULL, &none, &equation));
    ck_assert(pcs_input_output_highest(equation, 0, (double[]){-1}, NULL, &highest) != PCS_OK);
    // a guess that is no number
    side = NAN;
    CK_SAYS(pcs_input_output_highest(equation, 2, (double[]){1}, NULL, &highest), PCS_ERR_CALLBACK,
            "the guess returned 0 at t = 2, or gave a number that is not finite");
    pcs_input_output_destroy(equation);
}

TEST(bad_definitions_are_refused)
{
    suspension wheel = {.c = 1, .k = 1};
    const pcs_input_output_def good = {
        .order = 2, .ny = 1, .input_order = 1, .nu = 1, .phi = rolls, .user = &wheel};
    pcs_input_output *equation;
    pcs_input_output_def def = good;
#define REFUSED(status)                                               \
    CK_FAILS(pcs_input_output_create(NULL, &def, &equation), status); \
    def = good
    CK_FAILS(pcs_input_output_create(NULL, NULL, &equation), PCS_ERR_ARG);
    def.phi = NULL;
    REFUSED(PCS_ERR_ARG);
    def.order = 0;
    REFUSED(PCS_ERR_SIZE);
    def.ny = 0;
    REFUSED(PCS_ERR_SIZE);
    def.input_order = -1;
    REFUSED(PCS_ERR_SIZE);
    def.nu = 5000;
    REFUSED(PCS_ERR_SIZE);
    def.nz = -1;
    REFUSED(PCS_ERR_SIZE);
    const double scale[3] = {1, 0, 1};
    def.Y_scale = scale;
    REFUSED(PCS_ERR_ARG);
    def.U_scale = scale;
    REFUSED(PCS_ERR_ARG);
    // options of Newton's method that no evaluation could use
    const pcs_root_opts usual = pcs_root_opts_default();
    pcs_root_opts newton = usual;
    def.newton = &newton;
    newton.tol = NAN;
    REFUSED(PCS_ERR_ARG);
    newton = usual;
    newton.max_iters = 0;
    def.newton = &newton;
    REFUSED(PCS_ERR_ARG);
    newton = usual;
    newton.derivative = PCS_DERIVATIVE_COMPLEX; // without phi_complex
    def.newton = &newton;
    REFUSED(PCS_ERR_ARG);
    newton.derivative = PCS_DERIVATIVE_CALLBACK;
    def.newton = &newton;
    REFUSED(PCS_ERR_ARG);

    for (long k = 0; k < 2; ++k) {
        test_memory memory = {.fail_at = k};
        const pcs_env env = test_env(&memory);
        CK_FAILS(pcs_input_output_create(&env, &good, &equation), PCS_ERR_MEMORY);
        ck_assert_ptr_null(equation);
        ck_assert_int_eq(memory.live, 0);
    }
    pcs_input_output_destroy(NULL);
}

// ---- driven plants

typedef struct swing {
    double l;
} swing;

static int swing_f(void *user, double t, const double *x, const double *u, double *out)
{
    const swing *s = user;
    out[0] = x[1];
    out[1] = -9.81 / s->l * sin(x[0]) + u[0] * x[1];
    return 0;
}

static int swing_complex(void *user, double t, const pcs_complex *x, const pcs_complex *u,
                         pcs_complex *out)
{
    const swing *s = user;
    out[0] = x[1];
    out[1] = -9.81 / s->l * csin(x[0]) + u[0] * x[1];
    return 0;
}

static int swing_jacobian(void *user, double t, const double *x, const double *u, double *by_x,
                          double *by_u)
{
    const swing *s = user;
    by_x[0] = 0;
    by_x[1] = -9.81 / s->l * cos(x[0]);
    by_x[2] = 1;
    by_x[3] = u[0];
    by_u[0] = 0;
    by_u[1] = x[1];
    return 0;
}

static int swing_g(void *user, double t, const double *x, const double *u, double *out)
{
    out[0] = x[0] + t * u[0];
    return 0;
}

// implicit methods see the Jacobian, the complex version or neither, and end at the same state
TEST(derivatives_reach_implicit_methods)
{
    swing s = {.l = 0.5};
    sine input = {.w = 2, .m = 0};
    const double x0[2] = {1, 0};
    double reference[2] = {0};
    for (int way = 0; way < 3; ++way) {
        const pcs_plant plant = {.nx = 2,
                                 .nu = 1,
                                 .ny = 1,
                                 .f = swing_f,
                                 .g = swing_g,
                                 .f_jacobian = way == 1 ? swing_jacobian : NULL,
                                 .f_complex = way == 2 ? swing_complex : NULL,
                                 .user = &s};
        pcs_driven *driven;
        pcs_ode ode;
        pcs_tableau *gauss;
        pcs_integrator *run;
        test_memory memory = {.fail_at = -1};
        const pcs_env env = test_env(&memory);
        CK_OK(pcs_driven_create(&env, &plant, sine_all, &input, &driven));
        CK_OK(pcs_driven_ode(driven, &ode));
        ck_assert_int_eq(ode.jacobian != NULL, way == 1);
        ck_assert_int_eq(ode.f_complex != NULL, way == 2);
        CK_OK(pcs_tableau_create_gauss(NULL, 3, &gauss));
        const pcs_ode_opts opts = pcs_ode_opts_fixed(gauss, 0.05);
        CK_OK(pcs_integrator_create(&env, &ode, &opts, &run));
        CK_OK(pcs_integrator_start(run, 0, x0));
        const long allocated = memory.allocated;
        CK_OK(pcs_integrator_advance(run, 3, NULL));
        ck_assert_int_eq(memory.allocated, allocated);
        const double *x = pcs_integrator_x(run);
        if (way == 0) memcpy(reference, x, sizeof reference);
        CK_NEAR(x[0], reference[0], 1e-12);
        CK_NEAR(x[1], reference[1], 1e-12);
        double u, y;
        CK_OK(pcs_driven_output(driven, 3, x, &u, &y));
        CK_NEAR(u, sin(6), 1e-15);
        CK_NEAR(y, x[0] + 3 * sin(6), 1e-15);
        pcs_integrator_destroy(run);
        pcs_driven_destroy(driven);
        pcs_tableau_destroy(gauss);
        ck_assert_int_eq(memory.live, 0);
    }
}

TEST(inputs_that_fail_are_named)
{
    swing s = {.l = 0.5};
    sine input = {.w = 2, .m = 0, .fails = 7};
    pcs_plant plant = {.nx = 2, .nu = 1, .ny = 1, .f = swing_f, .g = swing_g, .user = &s};
    pcs_driven *driven;
    pcs_ode ode;
    pcs_integrator *run;
    const double x0[2] = {1, 0};
    double y;
    CK_OK(pcs_driven_create(NULL, &plant, sine_all, &input, &driven));
    CK_OK(pcs_driven_ode(driven, &ode));
    CK_OK(pcs_integrator_create(NULL, &ode, NULL, &run));
    CK_SAYS(pcs_integrator_start(run, 0, x0), PCS_ERR_CALLBACK, "the input returned 7");
    CK_FAILS(pcs_driven_output(driven, 0, x0, NULL, &y), PCS_ERR_CALLBACK);
    input.fails = 0;
    input.w = INFINITY;
    CK_FAILS(pcs_integrator_start(run, 0, x0), PCS_ERR_CALLBACK);
    CK_FAILS(pcs_driven_output(driven, 0, NULL, NULL, &y), PCS_ERR_ARG);
    pcs_integrator_destroy(run);
    pcs_driven_destroy(driven);

    CK_FAILS(pcs_driven_create(NULL, &plant, NULL, NULL, &driven), PCS_ERR_ARG);
    plant.g = NULL;
    CK_FAILS(pcs_driven_create(NULL, &plant, sine_all, &input, &driven), PCS_ERR_ARG);
    plant.ny = 0;
    plant.nx = 0;
    CK_FAILS(pcs_driven_create(NULL, &plant, sine_all, &input, &driven), PCS_ERR_SIZE);
    plant.f = NULL;
    CK_FAILS(pcs_driven_create(NULL, &plant, sine_all, &input, &driven), PCS_ERR_ARG);
    CK_FAILS(pcs_driven_ode(NULL, &ode), PCS_ERR_ARG);
    for (long k = 0; k < 2; ++k) {
        test_memory memory = {.fail_at = k};
        const pcs_env env = test_env(&memory);
        plant = (pcs_plant){.nx = 2, .nu = 1, .f = swing_f, .user = &s};
        CK_FAILS(pcs_driven_create(&env, &plant, sine_all, &input, &driven), PCS_ERR_MEMORY);
        ck_assert_int_eq(memory.live, 0);
    }
    pcs_driven_destroy(NULL);
    pcs_arena_destroy(NULL, &arena);
}
