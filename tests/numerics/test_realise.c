// Equations of n-th order with derivatives of the input as systems without them: the transfer
// function is that of the equation, and inputs may jump.
#include "smooth.h"
#include "support.h"

#include <complex.h>

#include <percuss/lti.h>

enum { MOST = 12 }; // states

typedef double _Complex cplx;

// a random equation with coefficients of all sizes; a_n well-conditioned
typedef struct random_equation {
    double a[5 * 9], b[5 * 9];
    pcs_lti_equation eq;
} random_equation;

static void draw(test_random *rng, random_equation *r)
{
    const int n = 1 + (int)random_between(rng, 0, 4), ny = 1 + (int)random_between(rng, 0, 3);
    const int nu = 1 + (int)random_between(rng, 0, 3);
    const int m = (int)random_between(rng, 0, n + 1);
    for (int k = 0; k < (n + 1) * ny * ny; ++k) {
        r->a[k] = random_normal(rng);
    }
    for (int i = 0; i < ny; ++i) {
        r->a[i * (ny + 1)] += 4;
    }
    for (int k = 0; k < (m + 1) * ny * nu; ++k) {
        r->b[k] = random_normal(rng);
    }
    r->eq =
        (pcs_lti_equation){.order = n, .input_order = m, .ny = ny, .nu = nu, .a = r->a, .b = r->b};
}

// x <- A^-1 x by elimination with pivots
static void solve(int n, cplx *A, cplx *x)
{
    for (int k = 0; k < n; ++k) {
        int p = k;
        for (int i = k; i < n; ++i) {
            if (cabs(A[i + n * k]) > cabs(A[p + n * k])) p = i;
        }
        for (int j = 0; j < n; ++j) {
            const cplx held = A[k + n * j];
            A[k + n * j] = A[p + n * j];
            A[p + n * j] = held;
        }
        const cplx held = x[k];
        x[k] = x[p];
        x[p] = held;
        for (int i = k + 1; i < n; ++i) {
            const cplx l = A[i + n * k] / A[k + n * k];
            for (int j = k; j < n; ++j) {
                A[i + n * j] -= l * A[k + n * j];
            }
            x[i] -= l * x[k];
        }
    }
    for (int k = n - 1; k >= 0; --k) {
        for (int j = k + 1; j < n; ++j) {
            x[k] -= A[k + n * j] * x[j];
        }
        x[k] /= A[k + n * k];
    }
}

// sum of coefficients (the highest first) times powers of s, times v
static void polynomial(int degree, int rows, int columns, const double *c, cplx s, const cplx *v,
                       cplx *M, cplx *out)
{
    for (int i = 0; i < rows * columns; ++i) {
        M[i] = 0;
        for (int k = 0; k <= degree; ++k) {
            M[i] = M[i] * s + c[k * rows * columns + i];
        }
    }
    for (int i = 0; i < rows && v; ++i) {
        out[i] = 0;
        for (int j = 0; j < columns; ++j) {
            out[i] += M[i + rows * j] * v[j];
        }
    }
}

// y = G(s) u by the equation
static void transfer(const pcs_lti_equation *eq, cplx s, const cplx *u, cplx *y)
{
    cplx M[9];
    polynomial(eq->input_order, eq->ny, eq->nu, eq->b, s, u, M, y);
    polynomial(eq->order, eq->ny, eq->ny, eq->a, s, NULL, M, NULL);
    solve(eq->ny, M, y);
}

typedef struct realisation {
    double A[MOST * MOST], B[3 * MOST], C[3 * MOST], D[9];
    pcs_lti lti;
} realisation;

static void realise(const pcs_lti_equation *eq, realisation *r)
{
    pcs_arena work;
    CK_OK(pcs_arena_create(NULL, pcs_lti_realise_bytes(eq), &work));
    CK_OK(pcs_lti_realise(eq, work, r->A, r->B, r->C, r->D));
    pcs_arena_destroy(NULL, &work);
    r->lti = (pcs_lti){eq->order * eq->ny, eq->nu, eq->ny, r->A, r->B, r->C, r->D};
    CK_OK(pcs_lti_check(&r->lti));
}

// x = (s - A)^-1 B u and y = C x + D u
static void transfer_of(const pcs_lti *lti, cplx s, const cplx *u, cplx *x, cplx *y)
{
    cplx S[MOST * MOST];
    const int nx = lti->nx;
    for (int i = 0; i < nx; ++i) {
        x[i] = 0;
        for (int j = 0; j < nx; ++j) {
            S[i + nx * j] = (i == j ? s : 0) - lti->A[i + nx * j];
        }
        for (int j = 0; j < lti->nu; ++j) {
            x[i] += lti->B[i + nx * j] * u[j];
        }
    }
    solve(nx, S, x);
    for (int i = 0; i < lti->ny; ++i) {
        y[i] = 0;
        for (int j = 0; j < nx; ++j) {
            y[i] += lti->C[i + lti->ny * j] * x[j];
        }
        for (int j = 0; j < lti->nu; ++j) {
            y[i] += lti->D[i + lti->ny * j] * u[j];
        }
    }
}

// The transfer function, and with it the state: where u = u_s exp(s t), y = G(s) u, its derivatives
// are powers of s, and the state that belongs to them is (s - A)^-1 B u.
TEST(the_transfer_function_is_that_of_the_equation)
{
    test_random rng = random_seed(8);
    for (int trial = 0; trial < TEST_DRAWS(2000); ++trial) {
        random_equation r;
        realisation got;
        draw(&rng, &r);
        realise(&r.eq, &got);
        const int n = r.eq.order, m = r.eq.input_order, ny = r.eq.ny, nu = r.eq.nu;
        cplx u[3], y[3], y_of[3], x[MOST];
        // away from the eigenvalues, which are smaller
        const cplx s = (4 + random_unit(&rng)) * cexp(I * random_between(&rng, -1.5, 1.5));
        for (int j = 0; j < nu; ++j) {
            u[j] = random_normal(&rng) + I * random_normal(&rng);
        }
        transfer(&r.eq, s, u, y);
        transfer_of(&got.lti, s, u, x, y_of);
        for (int i = 0; i < ny; ++i) {
            CK_NEAR(cabs(y_of[i] - y[i]), 0, 1e-11 * (1 + cabs(y[i])));
        }

        double re[2 * MOST], im[2 * MOST], x_re[MOST], x_im[MOST];
        for (int k = 0; k < n; ++k) {
            for (int i = 0; i < ny; ++i) {
                const cplx v = cpow(s, n - 1 - k) * y[i];
                re[k * ny + i] = creal(v);
                im[k * ny + i] = cimag(v);
            }
        }
        for (int k = 0; k < m; ++k) {
            for (int i = 0; i < nu; ++i) {
                const cplx v = cpow(s, m - 1 - k) * u[i];
                re[n * ny + k * nu + i] = creal(v);
                im[n * ny + k * nu + i] = cimag(v);
            }
        }
        pcs_arena work;
        CK_OK(pcs_arena_create(NULL, pcs_lti_realise_bytes(&r.eq), &work));
        CK_OK(pcs_lti_realise_state(&r.eq, re, work, x_re));
        CK_OK(pcs_lti_realise_state(&r.eq, im, work, x_im));
        pcs_arena_destroy(NULL, &work);
        for (int i = 0; i < n * ny; ++i) {
            const double size = 1 + pow(cabs(s), n) * (1 + cabs(y[0]));
            CK_NEAR(cabs(x_re[i] + I * x_im[i] - x[i]), 0, 1e-11 * size);
        }
    }
}

// y'' + c y' + k y = c u' + k u, a wheel that meets a kerb: y does not jump, y' jumps by c, and
// then y moves as 1 - exp(-d t)(cos w t - d/w sin w t)
TEST(a_wheel_meets_a_kerb)
{
    const double c = 0.8, k = 9, d = c / 2, w = sqrt(k - d * d);
    const double a[3] = {1, c, k}, b[2] = {c, k}, one = 1;
    const pcs_lti_equation eq = {.order = 2, .input_order = 1, .ny = 1, .nu = 1, .a = a, .b = b};
    realisation r;
    realise(&eq, &r);
    pcs_arena work;
    CK_OK(pcs_arena_create(NULL, pcs_lti_bytes(&r.lti), &work));
    const double at_rest[2] = {0, 0};
    for (double t = 1e-3; t < 10; t *= 1.5) {
        double x[2], y;
        CK_OK(pcs_lti_response(&r.lti, t, at_rest, &one, work, x));
        CK_OK(pcs_lti_output(&r.lti, x, &one, &y));
        CK_NEAR(y, 1 - exp(-d * t) * (cos(w * t) - d / w * sin(w * t)), 1e-14 * (1 + t));
    }
    pcs_arena_destroy(NULL, &work);
}

// y' + y = u' : a high-pass filter. A step of u is a step of y, which decays; D = 1
TEST(direct_feedthrough)
{
    const double a[2] = {1, 1}, b[2] = {1, 0}, one = 1, rest = 0;
    const pcs_lti_equation eq = {.order = 1, .input_order = 1, .ny = 1, .nu = 1, .a = a, .b = b};
    realisation r;
    realise(&eq, &r);
    CK_NEAR(r.D[0], 1, 0);
    pcs_arena work;
    CK_OK(pcs_arena_create(NULL, pcs_lti_bytes(&r.lti), &work));
    for (double t = 0; t < 5; t += 0.25) {
        double x, y;
        CK_OK(pcs_lti_response(&r.lti, t, &rest, &one, work, &x));
        CK_OK(pcs_lti_output(&r.lti, &x, &one, &y));
        CK_NEAR(y, exp(-t), 1e-15);
    }
    pcs_arena_destroy(NULL, &work);
}

// ---- a step of u as the limit of steep ramps, on which the derivatives exist

typedef struct ramp {
    double width;
} ramp;

// a polynomial ramp from 0 to 1 with two derivatives: (u'', u', u)
static int ramp_all(void *user, double t, double *U)
{
    const double T = ((const ramp *)user)->width, s = t / T;
    U[0] = U[1] = 0;
    U[2] = 1;
    if (s >= 1) return 0;
    U[0] = (60 * s - 180 * s * s + 120 * s * s * s) / (T * T);
    U[1] = (30 * s * s - 60 * s * s * s + 30 * s * s * s * s) / T;
    U[2] = s * s * s * (10 - 15 * s + 6 * s * s);
    return 0;
}

// 2 y'' + 0.6 y' + 5 y = 3 u'' - u' + 4 u
static const double ramp_a[3] = {2, 0.6, 5}, ramp_b[3] = {3, -1, 4};

static int ramp_phi(void *user, double t, const double *Y, const double *U, double *phi)
{
    phi[0] = 0;
    for (int k = 0; k < 3; ++k) {
        phi[0] += ramp_a[k] * Y[k] - ramp_b[k] * U[k];
    }
    return 0;
}

// (y', y) at t_end after a ramp from given initial data
static void after_ramp(double width, const double x0[2], double t_end, double x[2])
{
    const pcs_input_output_def def = {
        .order = 2, .ny = 1, .input_order = 2, .nu = 1, .phi = ramp_phi};
    pcs_input_output *equation;
    pcs_plant plant;
    pcs_driven *driven;
    pcs_ode ode;
    pcs_integrator *run;
    ramp up = {.width = width};
    pcs_ode_opts opts = pcs_ode_opts_default();
    opts.rtol = opts.atol = 1e-11;
    CK_OK(pcs_input_output_create(NULL, &def, &equation));
    CK_OK(pcs_input_output_given(equation, &plant));
    CK_OK(pcs_driven_create(NULL, &plant, ramp_all, &up, &driven));
    CK_OK(pcs_driven_ode(driven, &ode));
    CK_OK(pcs_integrator_create(NULL, &ode, &opts, &run));
    CK_OK(pcs_integrator_start(run, 0, x0));
    CK_OK(pcs_integrator_advance(run, width, NULL)); // the third derivative jumps there
    CK_OK(pcs_integrator_advance(run, t_end, NULL));
    memcpy(x, pcs_integrator_x(run), 2 * sizeof *x);
    pcs_integrator_destroy(run);
    pcs_driven_destroy(driven);
    pcs_input_output_destroy(equation);
}

TEST(a_step_is_the_limit_of_ramps)
{
    const pcs_lti_equation eq = {
        .order = 2, .input_order = 2, .ny = 1, .nu = 1, .a = ramp_a, .b = ramp_b};
    realisation r;
    realise(&eq, &r);
    pcs_arena work;
    CK_OK(pcs_arena_create(NULL, pcs_lti_bytes(&r.lti) + pcs_lti_realise_bytes(&eq), &work));
    // state before the step: y' = -0.4, y = 0.7, u = u' = 0
    const double chain[4] = {-0.4, 0.7, 0, 0}, one = 1, t_end = 1.3;
    double x0[2], x[2], y, error[2];
    CK_OK(pcs_lti_realise_state(&eq, chain, work, x0));
    CK_OK(pcs_lti_response(&r.lti, t_end, x0, &one, work, x));
    CK_OK(pcs_lti_output(&r.lti, x, &one, &y));
    for (int k = 0; k < 2; ++k) {
        double after[2];
        after_ramp(k == 0 ? 0.002 : 0.001, chain, t_end, after);
        error[k] = fabs(after[1] - y);
    }
    // proportional to the width
    ck_assert(error[1] < 0.01);
    CK_NEAR(error[0] / error[1], 2, 0.05);
    pcs_arena_destroy(NULL, &work);
}

// smooth inputs: the chain of the input and the realisation are one motion
static int wave(void *user, double t, double *u)
{
    u[0] = sin(3 * t) + cos(t);
    return 0;
}

static int wave_2(void *user, double t, double *u)
{
    u[0] = -9 * sin(3 * t) - cos(t);
    return 0;
}

TEST(the_chain_is_the_same_motion)
{
    const pcs_lti_equation eq = {
        .order = 2, .input_order = 2, .ny = 1, .nu = 1, .a = ramp_a, .b = ramp_b};
    const pcs_input_output_def def = {
        .order = 2, .ny = 1, .input_order = 2, .nu = 1, .phi = ramp_phi};
    pcs_input_output *equation;
    pcs_plant chain, realised;
    realisation r;
    realise(&eq, &r);
    CK_OK(pcs_input_output_create(NULL, &def, &equation));
    CK_OK(pcs_input_output_chain(equation, &chain));
    CK_OK(pcs_lti_plant(&r.lti, &realised));
    const double x_chain[4] = {0.3, -1, 3, 1}; // y', y, u', u
    double x[2];
    pcs_arena work;
    CK_OK(pcs_arena_create(NULL, pcs_linearise_bytes(4, 3, 1), &work));
    CK_OK(pcs_lti_realise_state(&eq, x_chain, work, x));
    for (double t = 0; t < 4; t += 0.7) {
        double end[4], y_chain, y;
        smooth_respond(&chain, wave_2, NULL, x_chain, t, end, &y_chain);
        smooth_respond(&realised, wave, NULL, x, t, end, &y);
        CK_NEAR(y_chain, y, 1e-9);
    }

    // the linearised equation returns its coefficients
    pcs_plant given;
    double A[4], B[6];
    const double zero[3] = {0};
    CK_OK(pcs_input_output_given(equation, &given));
    CK_OK(pcs_linearise(&given, PCS_DERIVATIVE_BEST, 0, zero, zero, work, A, B, NULL, NULL));
    for (int k = 0; k < 3; ++k) {
        if (k > 0) CK_NEAR(A[2 * (k - 1)], -ramp_a[k] / ramp_a[0], 1e-10);
        CK_NEAR(B[2 * k], ramp_b[k] / ramp_a[0], 1e-10);
    }
    pcs_arena_destroy(NULL, &work);
    pcs_input_output_destroy(equation);
}

TEST(bad_equations_are_refused)
{
    const double a[8] = {1, 0, 0, 1, 1, 2, 3, 4}, b[12] = {1};
    const pcs_lti_equation good = {.order = 1, .input_order = 1, .ny = 2, .nu = 2, .a = a, .b = b};
    pcs_lti_equation eq = good;
    double A[4], B[4], C[4], D[4];
    pcs_arena work;
    CK_OK(pcs_arena_create(NULL, pcs_lti_realise_bytes(&eq), &work));
    CK_OK(pcs_lti_realise(&eq, work, A, B, C, D));
#define REFUSED(status)                                       \
    CK_FAILS(pcs_lti_realise(&eq, work, A, B, C, D), status); \
    CK_FAILS(pcs_lti_realise_state(&eq, b, work, A), status); \
    eq = good
    eq.input_order = 2;
    CK_SAYS(pcs_lti_realise(&eq, work, A, B, C, D), PCS_ERR_UNSUPPORTED, "impulses");
    REFUSED(PCS_ERR_UNSUPPORTED);
    eq.order = 0;
    REFUSED(PCS_ERR_SIZE);
    eq.nu = 0;
    REFUSED(PCS_ERR_SIZE);
    eq.a = NULL;
    REFUSED(PCS_ERR_ARG);
    const double singular[8] = {1e6, 2e-3, 3e6, 6e-3, 1, 2, 3, 4};
    eq.a = singular;
    REFUSED(PCS_ERR_SINGULAR);
    const double none[8] = {NAN};
    eq.a = none;
    REFUSED(PCS_ERR_ARG);
    CK_FAILS(pcs_lti_realise(&eq, work, A, B, C, NULL), PCS_ERR_ARG);
    CK_FAILS(pcs_lti_realise(&eq, (pcs_arena){0}, A, B, C, D), PCS_ERR_MEMORY);
    eq.input_order = 0;
    CK_OK(pcs_lti_realise(&eq, work, A, B, C, NULL));
    pcs_arena_destroy(NULL, &work);
}
