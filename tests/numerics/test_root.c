// Newton's method for systems of equations: derivatives, units, line search, problems without a
// root, memory.
#include "support.h"

#include <percuss/root.h>

#include <complex.h>
#include <float.h>

static unsigned char memory[1 << 18];

static pcs_arena work_arena(void)
{
    return (pcs_arena){.base = memory + (64 - (uintptr_t)memory % 64) % 64,
                       .size = sizeof memory - 64};
}

// f = (x^2 + y^2 - 25, x y - 12) has the roots (3, 4), (4, 3) and their negatives; `unit` scales
// equations and unknowns
typedef struct units {
    double f[2], x[2];
    int calls;
} units;

static int circle(void *user, const double *x, double *f)
{
    units *u = user;
    const double a = x[0] / u->x[0], b = x[1] / u->x[1];
    u->calls += 1;
    f[0] = u->f[0] * (a * a + b * b - 25);
    f[1] = u->f[1] * (a * b - 12);
    return 0;
}

static int circle_jacobian(void *user, const double *x, double *J)
{
    const units *u = user;
    const double a = x[0] / u->x[0], b = x[1] / u->x[1];
    J[0] = u->f[0] * 2 * a / u->x[0];
    J[1] = u->f[1] * b / u->x[0];
    J[2] = u->f[0] * 2 * b / u->x[1];
    J[3] = u->f[1] * a / u->x[1];
    return 0;
}

static int circle_complex(void *user, const pcs_complex *x, pcs_complex *f)
{
    const units *u = user;
    const pcs_complex a = x[0] / u->x[0], b = x[1] / u->x[1];
    f[0] = u->f[0] * (a * a + b * b - 25);
    f[1] = u->f[1] * (a * b - 12);
    return 0;
}

static pcs_map circle_map(units *u)
{
    return (pcs_map){.n = 2,
                     .m = 2,
                     .f = circle,
                     .jacobian = circle_jacobian,
                     .f_complex = circle_complex,
                     .x_scale = u->x,
                     .user = u};
}

TEST(finds_the_root_by_every_derivative)
{
    units u = {{1, 1}, {1, 1}, 0};
    const pcs_map map = circle_map(&u);
    const pcs_derivative ways[] = {PCS_DERIVATIVE_BEST, PCS_DERIVATIVE_CALLBACK,
                                   PCS_DERIVATIVE_COMPLEX, PCS_DERIVATIVE_DIFFERENCES};
    for (int k = 0; k < 4; ++k) {
        pcs_root_opts opts = pcs_root_opts_default();
        opts.derivative = ways[k];
        double x[2] = {1, 6};
        pcs_root_report report;
        u.calls = 0;
        CK_OK(pcs_root_solve(&map, &opts, work_arena(), x, &report));
        ck_assert_int_eq(report.outcome, PCS_ROOT_CONVERGED);
        CK_NEAR(x[0], 3, 1e-14);
        CK_NEAR(x[1], 4, 1e-14);
        ck_assert_int_le(report.iters, 12);
        ck_assert(report.residual < 1e-12 && (report.residual == 0 || report.step <= 1e-13));
        // the count is the number of calls, also of f_complex
        const long complex_calls = ways[k] == PCS_DERIVATIVE_COMPLEX ? 2 * report.jacobians : 0;
        ck_assert_int_eq(report.evaluations, u.calls + complex_calls);
    }
}

// the iterates are the same numbers in other units: powers of two are exact
TEST(units_do_not_matter)
{
    double first[2];
    for (int k = 0; k < 4; ++k) {
        const double p[] = {1, 0x1p-60, 0x1p40, 0x1p-30};
        units u = {{p[k], p[(k + 1) % 4]}, {p[(k + 2) % 4], p[(k + 3) % 4]}, 0};
        const pcs_map map = circle_map(&u);
        pcs_root_opts opts = pcs_root_opts_default();
        opts.max_iters = 4;
        double x[2] = {1 * u.x[0], 20 * u.x[1]};
        pcs_root_report report;
        CK_OK(pcs_root_solve(&map, &opts, work_arena(), x, &report));
        ck_assert_int_eq(report.outcome, PCS_ROOT_MAX_ITERS);
        for (int i = 0; i < 2; ++i) {
            if (k == 0) {
                first[i] = x[i] / u.x[i];
            } else {
                CK_NEAR(x[i] / u.x[i], first[i], 0);
            }
        }
    }
}

TEST(jacobians_by_every_method_agree)
{
    test_random rng = random_seed(5);
    units u = {{2, 3}, {1, 1}, 0};
    const pcs_map map = circle_map(&u);
    for (int trial = 0; trial < TEST_DRAWS(200); ++trial) {
        const double x[2] = {random_between(&rng, -9, 9), random_between(&rng, -9, 9)};
        double by_hand[4], by_complex[4], by_differences[4];
        CK_OK(pcs_jacobian(&map, PCS_DERIVATIVE_CALLBACK, x, work_arena(), by_hand));
        CK_OK(pcs_jacobian(&map, PCS_DERIVATIVE_COMPLEX, x, work_arena(), by_complex));
        CK_OK(pcs_jacobian(&map, PCS_DERIVATIVE_DIFFERENCES, x, work_arena(), by_differences));
        for (int k = 0; k < 4; ++k) {
            CK_NEAR(by_complex[k], by_hand[k], 1e-14 * 60);
            CK_NEAR(by_differences[k], by_hand[k], 2e-6);
        }
        pcs_jacobian_mismatch apart;
        CK_OK(pcs_jacobian_check(&map, x, work_arena(), &apart));
        ck_assert(apart.relative < 1e-14 && apart.reference == PCS_DERIVATIVE_COMPLEX);
        pcs_map real = map;
        real.f_complex = NULL;
        CK_OK(pcs_jacobian_check(&real, x, work_arena(), &apart));
        ck_assert(apart.relative < 1e-8 && apart.reference == PCS_DERIVATIVE_DIFFERENCES);
    }
}

static int wrong_jacobian(void *user, const double *x, double *J)
{
    circle_jacobian(user, x, J);
    J[2] = -J[2]; // row 0, column 1
    return 0;
}

TEST(a_wrong_derivative_is_named)
{
    units u = {{1, 1}, {1, 1}, 0};
    pcs_map map = circle_map(&u);
    map.jacobian = wrong_jacobian;
    const double x[2] = {1, 2};
    pcs_jacobian_mismatch apart;
    CK_OK(pcs_jacobian_check(&map, x, work_arena(), &apart));
    ck_assert_int_eq(apart.row, 0);
    ck_assert_int_eq(apart.column, 1);
    CK_NEAR(apart.given, -4, 0);
    CK_NEAR(apart.found, 4, 1e-14);
    CK_NEAR(apart.relative, 2, 1e-14);
}

// a Jacobian that is a million times too large makes small steps, but they are not near a root
static int steep_jacobian(void *user, const double *x, double *J)
{
    circle_jacobian(user, x, J);
    for (int k = 0; k < 4; ++k) {
        J[k] *= 1e9;
    }
    return 0;
}

TEST(small_steps_are_not_a_root)
{
    units u = {{1, 1}, {1, 1}, 0};
    pcs_map map = circle_map(&u);
    map.jacobian = steep_jacobian;
    pcs_root_opts opts = pcs_root_opts_default();
    opts.tol = 1e-8;
    double x[2] = {1, 6};
    pcs_root_report report;
    CK_OK(pcs_root_solve(&map, &opts, work_arena(), x, &report));
    ck_assert_int_ne(report.outcome, PCS_ROOT_CONVERGED);
    // nor with full steps, whose size hardly changes
    opts.backtracks = 0;
    CK_OK(pcs_root_solve(&map, &opts, work_arena(), x, &report));
    ck_assert_int_ne(report.outcome, PCS_ROOT_CONVERGED);
}

// ---- one unknown

typedef double (*scalar)(double x);

static int scalar_f(void *user, const double *x, double *f)
{
    *f = (*(scalar *)user)(x[0]);
    return 0;
}

static pcs_status solve_scalar(scalar f, double *x, int backtracks, pcs_root_report *report)
{
    const pcs_map map = {.n = 1, .m = 1, .f = scalar_f, .user = &f};
    pcs_root_opts opts = pcs_root_opts_default();
    opts.backtracks = backtracks;
    return pcs_root_solve(&map, &opts, work_arena(), x, report);
}

static double parabola(double x)
{
    return x * x + 1;
}

static int square(void *user, const double *x, double *f)
{
    *f = x[0] * x[0];
    return 0;
}

static int square_jacobian(void *user, const double *x, double *J)
{
    *J = 2 * x[0];
    return 0;
}

static double logarithm(double x)
{
    return log(x);
}

static double reciprocal(double x)
{
    return 1 / x;
}

static double constant(double x)
{
    return 1 + 0 * x;
}

static double minus_one_only(double x)
{
    return x == -1 ? 1 : NAN;
}

TEST(the_line_search_reaches_what_full_steps_miss)
{
    pcs_root_report report;
    double x = 10;
    CK_OK(solve_scalar(atan, &x, 20, &report));
    ck_assert_int_eq(report.outcome, PCS_ROOT_CONVERGED);
    CK_NEAR(x, 0, 1e-13);

    // full steps leave the range of numbers: x does not change
    x = 10;
    const pcs_status status = solve_scalar(atan, &x, 0, &report);
    ck_assert(status != PCS_OK || report.outcome != PCS_ROOT_CONVERGED);

    // log is not defined where the first step leads
    x = 5;
    CK_OK(solve_scalar(logarithm, &x, 20, &report));
    ck_assert_int_eq(report.outcome, PCS_ROOT_CONVERGED);
    CK_NEAR(x, 1, 1e-14);
}

TEST(functions_without_a_root_are_reported)
{
    pcs_root_report report;
    double x = 3;
    pcs_status status = solve_scalar(parabola, &x, 20, &report);
    ck_assert(status == PCS_ERR_SINGULAR ||
              (status == PCS_OK && report.outcome != PCS_ROOT_CONVERGED));
    ck_assert(isfinite(x));

    x = 3; // runs away
    status = solve_scalar(reciprocal, &x, 20, &report);
    ck_assert(status != PCS_OK || report.outcome != PCS_ROOT_CONVERGED);
    ck_assert(isfinite(x));

    x = 3;
    CK_FAILS(solve_scalar(constant, &x, 20, &report), PCS_ERR_SINGULAR);
    ck_assert(x == 3);

    // a double root: the error halves in each step, but converges
    x = 1;
    const pcs_map map = {.n = 1, .m = 1, .f = square, .jacobian = square_jacobian};
    CK_OK(pcs_root_solve(&map, NULL, work_arena(), &x, &report));
    ck_assert_int_eq(report.outcome, PCS_ROOT_CONVERGED);
    CK_NEAR(x, 0, 1e-12);
}

TEST(bad_input_is_refused)
{
    units u = {{1, 1}, {1, 1}, 0};
    pcs_map map = circle_map(&u);
    pcs_root_report report;
    double x[2] = {1, 6};
    CK_FAILS(pcs_root_solve(NULL, NULL, work_arena(), x, &report), PCS_ERR_ARG);
    CK_FAILS(pcs_root_solve(&map, NULL, work_arena(), NULL, &report), PCS_ERR_ARG);
    CK_FAILS(pcs_root_solve(&map, NULL, work_arena(), x, NULL), PCS_ERR_ARG);
    CK_FAILS(pcs_root_solve(&map, NULL, (pcs_arena){0}, x, &report), PCS_ERR_MEMORY);
    pcs_root_opts opts = pcs_root_opts_default();
    opts.tol = NAN;
    CK_FAILS(pcs_root_solve(&map, &opts, work_arena(), x, &report), PCS_ERR_ARG);
    map.jacobian = NULL;
    opts = pcs_root_opts_default();
    opts.derivative = PCS_DERIVATIVE_CALLBACK;
    CK_FAILS(pcs_root_solve(&map, &opts, work_arena(), x, &report), PCS_ERR_ARG);
    map.m = 1;
    CK_FAILS(pcs_root_solve(&map, NULL, work_arena(), x, &report), PCS_ERR_SIZE);
    map = circle_map(&u);
    double bad[2] = {1, NAN};
    CK_FAILS(pcs_root_solve(&map, NULL, work_arena(), bad, &report), PCS_ERR_ARG);
    const double no_size[2] = {1, 0};
    map.x_scale = no_size;
    CK_FAILS(pcs_root_solve(&map, NULL, work_arena(), x, &report), PCS_ERR_ARG);
    ck_assert(x[0] == 1 && x[1] == 6);

    // f is defined at the guess only: no step, no derivative
    double y = -1;
    CK_FAILS(solve_scalar(minus_one_only, &y, 20, &report), PCS_ERR_CALLBACK);
    ck_assert(y == -1);
    y = 2;
    CK_FAILS(solve_scalar(minus_one_only, &y, 20, &report), PCS_ERR_CALLBACK);
    ck_assert(y == 2);
}

// an arena of the exact size suffices
TEST(the_documented_bytes_suffice)
{
    units u = {{1, 1}, {1, 1}, 0};
    const pcs_map map = circle_map(&u);
    pcs_arena work = work_arena();
    pcs_root_report report;
    double x[2] = {1, 6}, J[4];
    work.size = pcs_root_solve_bytes(2);
    for (int how = 0; how < 4; ++how) {
        pcs_root_opts opts = pcs_root_opts_default();
        opts.derivative = (pcs_derivative)how;
        CK_OK(pcs_root_solve(&map, &opts, work, x, &report));
    }
    work.size = pcs_jacobian_bytes(2, 2);
    for (int how = 0; how < 4; ++how) {
        CK_OK(pcs_jacobian(&map, (pcs_derivative)how, x, work, J));
    }
    work.size = 2 * pcs_jacobian_bytes(2, 2);
    pcs_jacobian_mismatch apart;
    CK_OK(pcs_jacobian_check(&map, x, work, &apart));
}

// -u'' + u^3 = g on a grid with the solution u = sin(pi x): many unknowns, by LAPACK
enum { MANY = 60 };
static const double PI = 3.14159265358979323846;

static int many(void *user, const double *x, double *f)
{
    for (int i = 0; i < MANY; ++i) {
        const double s = sin(PI * (i + 1) / (MANY + 1));
        const double left = i > 0 ? x[i - 1] : 0, right = i < MANY - 1 ? x[i + 1] : 0;
        const double c = 2 - 2 * cos(PI / (MANY + 1));
        f[i] = 2 * x[i] - left - right + x[i] * x[i] * x[i] - (c * s + s * s * s);
    }
    return 0;
}

TEST(many_unknowns)
{
    const pcs_map map = {.n = MANY, .m = MANY, .f = many};
    double x[MANY] = {0};
    pcs_root_report report;
    CK_OK(pcs_root_solve(&map, NULL, work_arena(), x, &report));
    ck_assert_int_eq(report.outcome, PCS_ROOT_CONVERGED);
    for (int i = 0; i < MANY; ++i) {
        CK_NEAR(x[i], sin(PI * (i + 1) / (MANY + 1)), 1e-12);
    }
}
