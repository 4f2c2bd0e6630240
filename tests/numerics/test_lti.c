// Linear time-invariant systems: responses in closed form, discretisation, rest, eigenvalues.
#include "support.h"

#include <percuss/lti.h>
#include <percuss/tableau.h>

static pcs_arena arena;

static void reset(const pcs_lti *lti)
{
    pcs_arena_destroy(NULL, &arena);
    CK_OK(pcs_arena_create(NULL, pcs_lti_bytes(lti), &arena));
}

// a mass on a spring with a damper under a constant force from rest at x0, in closed form: the
// distance from the equilibrium F / k is exp(-d t) (a cos + b sin) with d = c / 2 m, or cosh and
// sinh, or linear
static void spring(double m, double c, double k, double F, const double x0[2], double t,
                   double x[2])
{
    const double d = c / (2 * m), w2 = k / m - d * d, w = sqrt(fabs(w2)), rest = F / k;
    const double away = x0[0] - rest, e = exp(-d * t);
    const double up = exp((w - d) * t), down = exp(-(w + d) * t); // cosh and sinh, with exp(-d t)
    const double C = w2 > 0 ? e * cos(w * t) : (up + down) / 2;
    const double S = w == 0 ? e * t : (w2 > 0 ? e * sin(w * t) : (up - down) / 2) / w;
    const double slope = x0[1] + d * away; // of the bracket at 0
    x[0] = rest + away * C + slope * S;
    x[1] = slope * C - w2 * away * S - d * (away * C + slope * S);
}

TEST(mass_spring_damper)
{
    const double m = 2, k = 50, F = 7, x0[2] = {0.1, -0.4};
    const double damping[5] = {0, 1, 20, 30, 400}; // 20 is critical
    for (int i = 0; i < 5; ++i) {
        const double A[4] = {0, -k / m, 1, -damping[i] / m}, B[2] = {0, 1 / m};
        const pcs_lti lti = {.nx = 2, .nu = 1, .A = A, .B = B};
        reset(&lti);
        for (double t = 1e-3; t < 20; t *= 1.7) {
            double x[2], expected[2], back[2];
            spring(m, damping[i], k, F, x0, t, expected);
            CK_OK(pcs_lti_response(&lti, t, x0, &F, arena, x));
            CK_NEAR(x[0], expected[0], 2e-15 * (1 + t) * 4);
            CK_NEAR(x[1], expected[1], 2e-14 * (1 + t));
            // backwards in time, while rounding does not grow too much
            const double growth = exp(damping[i] * t / m);
            if (growth > 1e6) continue;
            CK_OK(pcs_lti_response(&lti, -t, x, &F, arena, back));
            CK_NEAR(back[0], x0[0], 4e-15 * (1 + t) * growth);
            CK_NEAR(back[1], x0[1], 2e-14 * (1 + t) * growth);
        }
        // no input is the input zero
        double x[2], expected[2];
        spring(m, damping[i], k, 0, x0, 0.3, expected);
        CK_OK(pcs_lti_response(&lti, 0.3, x0, NULL, arena, x));
        CK_NEAR(x[0], expected[0], 1e-15);
        CK_NEAR(x[1], expected[1], 1e-14);
    }
}

// x' = -x + sin t: the integral contains u at tau, not at t (erratum E-25). Quadrature of the
// integral, and steps with u held constant or linear, converge to the closed form at their orders
TEST(forced_response)
{
    const double A = -1, B = 1, T = 2;
    const pcs_lti lti = {.nx = 1, .nu = 1, .A = &A, .B = &B};
    const double exact = (sin(T) - cos(T) + exp(-T)) / 2;
    CK_NEAR(exact, 0.7304, 5e-5);
    CK_NEAR(sin(T) * (1 - exp(-T)), 0.7862, 5e-5); // with u(t)

    pcs_tableau *gauss;
    CK_OK(pcs_tableau_create_gauss(NULL, 12, &gauss));
    double sum = 0;
    reset(&lti);
    for (int i = 0; i < 12; ++i) {
        const double tau = T * gauss->c[i];
        double e;
        CK_OK(pcs_expm(1, &A, T - tau, arena, &e));
        sum += T * gauss->b[i] * e * B * sin(tau);
    }
    CK_NEAR(sum, exact, 1e-15);
    pcs_tableau_destroy(gauss);

    double before[2] = {0};
    for (int n = 100; n <= 200; n *= 2) {
        const double h = T / n;
        double Ad, B0, b0, b1, held = 0, linear = 0;
        CK_OK(pcs_lti_discretise(&lti, h, arena, &Ad, &B0, NULL));
        CK_OK(pcs_lti_discretise(&lti, h, arena, &Ad, &b0, &b1));
        CK_NEAR(B0, -expm1(-h), 1e-17);
        CK_NEAR(b0 + b1, B0, 1e-17);
        for (int k = 0; k < n; ++k) {
            held = Ad * held + B0 * sin(k * h);
            linear = Ad * linear + b0 * sin(k * h) + b1 * sin((k + 1) * h);
        }
        const double error[2] = {fabs(held - exact), fabs(linear - exact)};
        if (n == 200) {
            CK_NEAR(log2(before[0] / error[0]), 1, 0.05);
            CK_NEAR(log2(before[1] / error[1]), 2, 0.05);
        }
        memcpy(before, error, sizeof before);
    }
}

// a double integrator: A is singular and nilpotent, everything is a power of h
TEST(double_integrator)
{
    const double A[4] = {0, 0, 1, 0}, B[2] = {0, 1};
    const pcs_lti lti = {.nx = 2, .nu = 1, .A = A, .B = B};
    reset(&lti);
    for (double h = 1e-6; h < 1e4; h *= 10) {
        double Ad[4], B0[2], B1[2];
        CK_OK(pcs_lti_discretise(&lti, h, arena, Ad, B0, NULL));
        CK_NEAR(Ad[0], 1, 0);
        CK_NEAR(Ad[1], 0, 0);
        CK_NEAR(Ad[2], h, 1e-15 * h);
        CK_NEAR(Ad[3], 1, 0);
        CK_NEAR(B0[0], h * h / 2, 1e-15 * h * h);
        CK_NEAR(B0[1], h, 1e-15 * h);
        CK_OK(pcs_lti_discretise(&lti, h, arena, Ad, B0, B1));
        CK_NEAR(B0[0], h * h / 3, 1e-15 * h * h);
        CK_NEAR(B1[0], h * h / 6, 1e-15 * h * h);
        CK_NEAR(B0[1], h / 2, 1e-15 * h);
        CK_NEAR(B1[1], h / 2, 1e-15 * h);
    }
    double x[2];
    const double u = 1;
    CK_FAILS(pcs_lti_equilibrium(&lti, &u, arena, x), PCS_ERR_SINGULAR);
}

static void random_system(test_random *rng, int nx, int nu, double *A, double *B)
{
    for (int k = 0; k < nx * nx; ++k) {
        A[k] = random_normal(rng);
    }
    for (int i = 0; i < nx; ++i) {
        A[i * (nx + 1)] -= 3;
    }
    for (int k = 0; k < nx * nu; ++k) {
        B[k] = 1e3 * random_normal(rng);
    }
}

// two steps of h are one of 2 h; the response is the step; for a large time it is the equilibrium
TEST(steps_compose)
{
    test_random rng = random_seed(11);
    for (int trial = 0; trial < TEST_DRAWS(100); ++trial) {
        const int nx = 1 + trial % 5, nu = 1 + trial % 3;
        double A[25], B[15], Ad[25], Bd[15], A2[25], B2[15], x0[5], u[3], x[5], y[5], rest[5];
        random_system(&rng, nx, nu, A, B);
        const pcs_lti lti = {.nx = nx, .nu = nu, .A = A, .B = B};
        reset(&lti);
        CK_OK(pcs_lti_discretise(&lti, 0.1, arena, Ad, Bd, NULL));
        CK_OK(pcs_lti_discretise(&lti, 0.2, arena, A2, B2, NULL));
        for (int i = 0; i < nx; ++i) {
            x0[i] = random_normal(&rng);
        }
        for (int j = 0; j < nu; ++j) {
            u[j] = random_normal(&rng);
        }
        memcpy(x, x0, sizeof x);
        double size = 1;
        for (int step = 0; step < 2; ++step) {
            for (int i = 0; i < nx; ++i) {
                y[i] = 0;
                for (int j = 0; j < nx; ++j) {
                    y[i] += Ad[i + nx * j] * x[j];
                }
                for (int j = 0; j < nu; ++j) {
                    y[i] += Bd[i + nx * j] * u[j];
                }
            }
            for (int i = 0; i < nx; ++i) {
                x[i] = y[i];
                size = fmax(size, fabs(x[i]));
            }
        }
        CK_OK(pcs_lti_response(&lti, 0.2, x0, u, arena, y));
        for (int i = 0; i < nx; ++i) {
            double sum = 0;
            for (int j = 0; j < nx; ++j) {
                sum += A2[i + nx * j] * x0[j];
            }
            for (int j = 0; j < nu; ++j) {
                sum += B2[i + nx * j] * u[j];
            }
            CK_NEAR(x[i], sum, 1e-13 * size);
            CK_NEAR(y[i], sum, 1e-13 * size);
        }

        // A x + B u = 0 stays
        double re[5], im[5];
        CK_OK(pcs_lti_equilibrium(&lti, u, arena, rest));
        CK_OK(pcs_lti_response(&lti, 0.7, rest, u, arena, y));
        CK_OK(pcs_lti_eigenvalues(&lti, arena, re, im));
        double far = 1;
        for (int i = 0; i < nx; ++i) {
            far = fmax(far, fabs(rest[i]));
        }
        expect_same(y, rest, nx, 1e-11 * far * fmax(1, exp(re[0])));
        double trace = 0, sum = 0;
        for (int i = 0; i < nx; ++i) {
            trace += A[i * (nx + 1)];
            sum += re[i];
            if (i > 0) ck_assert(re[i] <= re[i - 1]);
            if (im[i] > 0) CK_NEAR(im[i + 1], -im[i], 0);
        }
        CK_NEAR(sum, trace, 1e-13 * (1 + fabs(trace)));
    }
}

static int swing(void *user, double t, const double *x, const double *u, double *out)
{
    out[0] = x[1];
    out[1] = -9.81 * sin(x[0]) - 0.2 * x[1] + u[0];
    return 0;
}

// The lower equilibrium of the pendulum is stable with its frequency, the upper one is not; small
// motions of the linear system are those of the pendulum, by Gauss steps, to the third power of
// their size
TEST(linearised_pendulum)
{
    const pcs_plant system = {.nx = 2, .nu = 1, .f = swing};
    const double u = 0, top[2] = {3.14159265358979323846, 0};
    const double small[2] = {1e-3, 0};
    double A[4], B[2], re[2], im[2], bottom[2] = {0};
    pcs_arena work;
    CK_OK(pcs_arena_create(NULL, pcs_linearise_bytes(2, 1, 0), &work));
    CK_OK(pcs_linearise(&system, PCS_DERIVATIVE_BEST, 0, top, &u, work, A, B, NULL, NULL));
    const pcs_lti lti = {.nx = 2, .nu = 1, .A = A, .B = B};
    reset(&lti);
    CK_OK(pcs_lti_eigenvalues(&lti, arena, re, im));
    CK_NEAR(re[0], -0.1 + sqrt(0.01 + 9.81), 1e-9);
    CK_NEAR(re[1], -0.1 - sqrt(0.01 + 9.81), 1e-9);

    CK_OK(pcs_linearise(&system, PCS_DERIVATIVE_BEST, 0, bottom, &u, work, A, B, NULL, NULL));
    pcs_arena_destroy(NULL, &work);
    CK_OK(pcs_lti_eigenvalues(&lti, arena, re, im));
    CK_NEAR(re[0], -0.1, 1e-9);
    CK_NEAR(fabs(im[0]), sqrt(9.81 - 0.01), 1e-9);

    // classical Runge-Kutta steps of the nonlinear one, small enough
    const pcs_tableau *rk = pcs_tableau_rk4();
    double x[2] = {small[0], small[1]}, expected[2];
    for (int k = 0; k < 3000; ++k) {
        double K[4][2], at[2];
        for (int i = 0; i < 4; ++i) {
            memcpy(at, x, sizeof at);
            for (int j = 0; j < i; ++j) {
                at[0] += 1e-3 * rk->A[4 * i + j] * K[j][0];
                at[1] += 1e-3 * rk->A[4 * i + j] * K[j][1];
            }
            swing(NULL, 0, at, &u, K[i]);
        }
        for (int i = 0; i < 4; ++i) {
            x[0] += 1e-3 * rk->b[i] * K[i][0];
            x[1] += 1e-3 * rk->b[i] * K[i][1];
        }
    }
    CK_OK(pcs_lti_response(&lti, 3, small, NULL, arena, expected));
    CK_NEAR(x[0], expected[0], 3e-9);
    CK_NEAR(x[1], expected[1], 9e-9);
}

TEST(outputs_and_bad_systems)
{
    double A[4] = {0, -4, 1, -1}, B[2] = {0, 1}, C[2] = {1, 2}, D = 3, x[2] = {5, 7}, u = 2, y;
    const pcs_lti good = {.nx = 2, .nu = 1, .ny = 1, .A = A, .B = B, .C = C, .D = &D};
    CK_OK(pcs_lti_check(&good));
    CK_OK(pcs_lti_output(&good, x, &u, &y));
    CK_NEAR(y, 5 + 14 + 6, 0);
    CK_OK(pcs_lti_output(&good, x, NULL, &y));
    CK_NEAR(y, 19, 0);
    CK_FAILS(pcs_lti_output(&good, NULL, NULL, &y), PCS_ERR_ARG);
    CK_FAILS(pcs_lti_output(&good, x, NULL, NULL), PCS_ERR_ARG);

    pcs_lti lti;
#define REFUSED(field, value, status) \
    lti = good;                       \
    lti.field = (value);              \
    CK_FAILS(pcs_lti_check(&lti), status)
    REFUSED(nx, 0, PCS_ERR_SIZE);
    REFUSED(nu, -1, PCS_ERR_SIZE);
    REFUSED(ny, -1, PCS_ERR_SIZE);
    REFUSED(nx, 1 << 20, PCS_ERR_SIZE);
    REFUSED(A, NULL, PCS_ERR_ARG);
    REFUSED(B, NULL, PCS_ERR_ARG);
    REFUSED(C, NULL, PCS_ERR_ARG);
    CK_FAILS(pcs_lti_check(NULL), PCS_ERR_ARG);
    ck_assert_int_eq((int)pcs_lti_bytes(NULL), 0);
    double *const entries[4] = {&A[1], &B[0], &C[1], &D};
    for (int k = 0; k < 4; ++k) {
        const double keep = *entries[k];
        *entries[k] = NAN;
        CK_FAILS(pcs_lti_check(&good), PCS_ERR_ARG);
        *entries[k] = keep;
    }

    reset(&good);
    double Ad[4], Bd[2], re[2], im[2];
    const double steps[4] = {0, -1, NAN, INFINITY};
    for (int k = 0; k < 4; ++k) {
        CK_FAILS(pcs_lti_discretise(&good, steps[k], arena, Ad, Bd, NULL), PCS_ERR_ARG);
    }
    CK_FAILS(pcs_lti_discretise(&good, 1, arena, NULL, Bd, NULL), PCS_ERR_ARG);
    CK_FAILS(pcs_lti_discretise(&good, 1, arena, Ad, NULL, NULL), PCS_ERR_ARG);
    CK_FAILS(pcs_lti_response(&good, NAN, x, &u, arena, x), PCS_ERR_ARG);
    CK_FAILS(pcs_lti_response(&good, 1, NULL, &u, arena, x), PCS_ERR_ARG);
    CK_FAILS(pcs_lti_equilibrium(&good, NULL, arena, x), PCS_ERR_ARG);
    CK_FAILS(pcs_lti_eigenvalues(&good, arena, NULL, im), PCS_ERR_ARG);
    const pcs_arena none = {0};
    CK_FAILS(pcs_lti_discretise(&good, 1, none, Ad, Bd, NULL), PCS_ERR_MEMORY);
    CK_FAILS(pcs_lti_response(&good, 1, x, &u, none, x), PCS_ERR_MEMORY);
    CK_FAILS(pcs_lti_equilibrium(&good, &u, none, x), PCS_ERR_MEMORY);
    CK_FAILS(pcs_lti_eigenvalues(&good, none, re, im), PCS_ERR_MEMORY);

    // rows and columns of any size are still regular
    const double wide[4] = {1e-9, 0, 0, 1e12};
    lti = good;
    lti.A = wide;
    B[0] = 1;
    CK_OK(pcs_lti_equilibrium(&lti, &u, arena, x));
    CK_NEAR(x[0], -2e9, 1e-6);
    CK_NEAR(x[1], -2e-12, 1e-27);
    pcs_arena_destroy(NULL, &arena);
}
