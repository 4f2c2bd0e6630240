// Linearisation about a point by callbacks, the complex step and differences.
#include "pendulum_plant.h"
#include "support.h"

static pcs_arena arena;

static void reset(void)
{
    pcs_arena_destroy(NULL, &arena);
    CK_OK(pcs_arena_create(NULL, pcs_linearise_bytes(2, 1, 2), &arena));
}

static int measure(void *user, double t, const double *x, const double *u, double *out)
{
    const pendulum *p = user;
    out[0] = p->l * sin(x[0]);
    out[1] = x[0] * x[0] + t * u[0];
    return 0;
}

static int measure_complex(void *user, double t, const pcs_complex *x, const pcs_complex *u,
                           pcs_complex *out)
{
    const pendulum *p = user;
    out[0] = p->l * csin(x[0]);
    out[1] = x[0] * x[0] + t * u[0];
    return 0;
}

static int measure_jacobian(void *user, double t, const double *x, const double *u, double *by_x,
                            double *by_u)
{
    const pendulum *p = user;
    by_x[0] = p->l * cos(x[0]);
    by_x[1] = 2 * x[0];
    by_x[2] = by_x[3] = by_u[0] = 0;
    by_u[1] = t;
    return 0;
}

static pcs_plant whole(pendulum *p)
{
    return pendulum_plant(p, measure, measure_jacobian, measure_complex);
}

TEST(three_ways_agree)
{
    test_random rng = random_seed(10);
    pendulum p = {.l = 0.7, .friction = 0.3};
    const pcs_plant system = whole(&p);
    const pcs_derivative how[3] = {PCS_DERIVATIVE_CALLBACK, PCS_DERIVATIVE_COMPLEX,
                                   PCS_DERIVATIVE_DIFFERENCES};
    const double tol[3] = {0, 4e-15, 1e-8};
    for (int trial = 0; trial < 100; ++trial) {
        const double x[2] = {random_between(&rng, -3, 3), random_between(&rng, -3, 3)};
        const double u = random_normal(&rng), t = random_normal(&rng);
        double A[4], B[2], C[4], D[2];
        for (int k = 0; k < 3; ++k) {
            reset();
            CK_OK(pcs_linearise(&system, how[k], t, x, &u, arena, A, B, C, D));
            const double expected[12] = {
                0, -9.81 / 0.7 * cos(x[0]), 1, -0.3, 0, 1, 0.7 * cos(x[0]), 2 * x[0], 0, 0, 0, t};
            for (int i = 0; i < 12; ++i) {
                const double got =
                    i < 4 ? A[i] : (i < 6 ? B[i - 4] : (i < 10 ? C[i - 6] : D[i - 10]));
                CK_NEAR(got, expected[i], tol[k] * (1 + fabs(expected[i])));
            }
        }
    }
}

// f and g each use their best derivative; matrices that are not requested are not formed
TEST(best_is_chosen_for_each)
{
    pendulum p = {.l = 1};
    pcs_plant system = whole(&p);
    const double x[2] = {0.3, 0}, u = 0;
    double A[4], B[2], C[4];
    reset();
    system.f_jacobian = NULL;
    system.g_jacobian = NULL;
    system.g_complex = NULL;
    CK_OK(pcs_linearise(&system, PCS_DERIVATIVE_BEST, 0, x, &u, arena, A, B, C, NULL));
    CK_NEAR(A[1], -9.81 * cos(0.3), 2e-15);
    CK_NEAR(C[0], cos(0.3), 1e-9);
    ck_assert(C[0] != cos(0.3));

    p.fails = 1;
    CK_OK(pcs_linearise(&system, PCS_DERIVATIVE_BEST, 0, x, &u, arena, NULL, NULL, C, NULL));
    p.fails = 0;
    system.ny = 0;
    system.g = NULL;
    CK_OK(pcs_linearise(&system, PCS_DERIVATIVE_BEST, 0, x, &u, arena, A, NULL, C, NULL));
}

static int square(void *user, double t, const double *x, const double *u, double *out)
{
    out[0] = x[0] * x[0];
    return 0;
}

// the output's change, not its rate (erratum E-26b); central differences are exact on a parabola,
// and their steps are of the size of x
TEST(changes_of_the_output)
{
    pcs_plant system = {.nx = 1, .ny = 1, .f = square, .g = square};
    double A, C, x = 1;
    reset();
    CK_OK(pcs_linearise(&system, PCS_DERIVATIVE_BEST, 0, &x, NULL, arena, &A, NULL, &C, NULL));
    CK_NEAR(C, 2, 1e-10);
    const double dx = 1e-4, dy = (x + dx) * (x + dx) - x * x;
    CK_NEAR(dy, 2.0001e-4, 1e-15);
    CK_NEAR(C * dx, dy, 1.001 * dx * dx);

    x = 3e-7;
    const double scale = 1e-7;
    system.x_scale = &scale;
    CK_OK(pcs_linearise(&system, PCS_DERIVATIVE_BEST, 0, &x, NULL, arena, &A, NULL, &C, NULL));
    CK_NEAR(C, 6e-7, 1e-16);
}

static int nowhere(void *user, double t, const double *x, const double *u, double *out)
{
    out[0] = out[1] = sqrt(x[0] - 100);
    return 0;
}

TEST(bad_systems_are_refused)
{
    pendulum p = {.l = 1};
    pcs_plant system = whole(&p);
    double x[2] = {0.3, 0}, u = 0, A[4], B[2], C[4], D[2];
    const pcs_derivative best = PCS_DERIVATIVE_BEST;
    reset();
#define REFUSED(status) CK_FAILS(pcs_linearise(&system, best, 0, x, &u, arena, A, B, C, D), status)
    p.fails = 1;
    REFUSED(PCS_ERR_CALLBACK);
    system.f_jacobian = NULL;
    REFUSED(PCS_ERR_CALLBACK);
    system.f_complex = NULL;
    REFUSED(PCS_ERR_CALLBACK);
    p.fails = 0;
    system.f = nowhere;
    REFUSED(PCS_ERR_CALLBACK);
    system = whole(&p);
    p.l = 0;
    REFUSED(PCS_ERR_CALLBACK);
    p.l = 1;
    system.nx = 0;
    REFUSED(PCS_ERR_SIZE);
    system.nx = 2;
    system.nu = -1;
    REFUSED(PCS_ERR_SIZE);
    system.nu = 1;
    system.g = NULL;
    REFUSED(PCS_ERR_ARG);
    system = whole(&p);
    const double scale[2] = {1, 0};
    system.x_scale = scale;
    REFUSED(PCS_ERR_ARG);
    system = whole(&p);
    system.f = NULL;
    REFUSED(PCS_ERR_ARG);
    system = whole(&p);
    system.f_jacobian = NULL;
    CK_FAILS(pcs_linearise(&system, PCS_DERIVATIVE_CALLBACK, 0, x, &u, arena, A, B, C, D),
             PCS_ERR_ARG);
    CK_FAILS(pcs_linearise(NULL, best, 0, x, &u, arena, A, B, C, D), PCS_ERR_ARG);
    CK_FAILS(pcs_linearise(&system, best, NAN, x, &u, arena, A, B, C, D), PCS_ERR_ARG);
    CK_FAILS(pcs_linearise(&system, best, 0, NULL, &u, arena, A, B, C, D), PCS_ERR_ARG);
    CK_FAILS(pcs_linearise(&system, best, 0, x, NULL, arena, A, B, C, D), PCS_ERR_ARG);
    CK_FAILS(pcs_linearise(&system, best, 0, x, &u, (pcs_arena){0}, A, B, C, D), PCS_ERR_MEMORY);
    u = NAN;
    REFUSED(PCS_ERR_ARG);
    pcs_arena_destroy(NULL, &arena);
}
