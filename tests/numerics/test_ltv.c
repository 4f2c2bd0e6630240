// Linearisation along a trajectory: the matrices by three methods, the response against that of the
// nonlinear system, interpolation, runs.
#include "pendulum_plant.h"
#include "smooth.h"
#include "support.h"

enum { MOST = 201 };

// y = (height, rate u). With the torque of this input the angle is sin t + t / 4.
static double angle(double t, int derivative)
{
    return sin(t + derivative * acos(0)) + (derivative == 0 ? t / 4 : derivative == 1 ? 0.25 : 0);
}

static int measure(void *user, double t, const double *x, const double *u, double *out)
{
    out[0] = -cos(x[0]) + t * t;
    out[1] = x[1] * u[0];
    return 0;
}

static int measure_complex(void *user, double t, const pcs_complex *x, const pcs_complex *u,
                           pcs_complex *out)
{
    out[0] = -ccos(x[0]) + t * t;
    out[1] = x[1] * u[0];
    return 0;
}

static double torque(double friction, double t)
{
    return angle(t, 2) + 9.81 * sin(angle(t, 0)) + friction * angle(t, 1);
}

static int trajectory(void *user, double t, double *x, double *u)
{
    x[0] = angle(t, 0);
    x[1] = angle(t, 1);
    u[0] = torque(((const pendulum *)user)->friction, t);
    return 0;
}

static pcs_plant whole(pendulum *p)
{
    pcs_plant plant = pendulum_plant(p, measure, NULL, measure_complex);
    plant.f_jacobian = NULL;
    return plant;
}

// matrices at n times from 0 to t_end
typedef struct table {
    double t[MOST], x[2 * MOST], u[MOST], A[4 * MOST], B[2 * MOST], C[4 * MOST], D[2 * MOST];
    pcs_ltv ltv;
} table;

static void lay(table *b, int n, double t_end)
{
    for (int k = 0; k < n; ++k) {
        b->t[k] = n > 1 ? t_end * k / (n - 1) : 0;
    }
    b->ltv = (pcs_ltv){2, 1, 2, n, b->t, b->x, b->u, b->A, b->B, b->C, b->D};
}

static void along(pendulum *p, pcs_derivative how, int n, double t_end, table *b)
{
    const pcs_plant plant = whole(p);
    pcs_arena work;
    CK_OK(pcs_arena_create(NULL, pcs_linearise_bytes(2, 1, 2), &work));
    lay(b, n, t_end);
    CK_OK(pcs_linearise_along(&plant, how, trajectory, p, work, &b->ltv));
    pcs_arena_destroy(NULL, &work);
}

static void expect_matrices(const double *A, const double *B, const double *C, const double *D,
                            double friction, double t, double tol)
{
    const double expected[12] = {
        0, -9.81 * cos(angle(t, 0)), 1, -friction,  0, 1, sin(angle(t, 0)), 0,
        0, torque(friction, t),      0, angle(t, 1)};
    for (int i = 0; i < 12; ++i) {
        const double got = i < 4 ? A[i] : (i < 6 ? B[i - 4] : (i < 10 ? C[i - 6] : D[i - 10]));
        CK_NEAR(got, expected[i], tol * (1 + fabs(expected[i])));
    }
}

TEST(matrices_are_those_of_the_points)
{
    pendulum p = {.l = 1, .friction = 0.3};
    static table b;
    for (int way = 0; way < 2; ++way) {
        along(&p, way == 0 ? PCS_DERIVATIVE_COMPLEX : PCS_DERIVATIVE_DIFFERENCES, 31, 6, &b);
        for (int k = 0; k < 31; ++k) {
            expect_matrices(b.A + 4 * k, b.B + 2 * k, b.C + 4 * k, b.D + 2 * k, 0.3, b.t[k],
                            way == 0 ? 1e-14 : 1e-8);
            CK_NEAR(b.x[2 * k], angle(b.t[k], 0), 0);
            CK_NEAR(b.u[k], torque(0.3, b.t[k]), 0);
        }
    }
    // a matrix that is not requested is not formed
    const pcs_plant plant = whole(&p);
    pcs_arena work;
    CK_OK(pcs_arena_create(NULL, pcs_linearise_bytes(2, 1, 2), &work));
    b.ltv = (pcs_ltv){.nx = 2, .nu = 1, .ny = 2, .n = 31, .t = b.t, .D = b.D};
    CK_OK(pcs_linearise_along(&plant, PCS_DERIVATIVE_BEST, trajectory, &p, work, &b.ltv));
    CK_NEAR(b.D[61], angle(6, 1), 1e-14);
    pcs_arena_destroy(NULL, &work);
}

// ---- interpolation

// errors between the points fall as the fourth power of their distance, at the ends too
TEST(interpolation_is_of_order_four)
{
    pendulum p = {.l = 1, .friction = 0.3};
    static table b;
    double worst[2] = {0};
    for (int k = 0; k < 2; ++k) {
        along(&p, PCS_DERIVATIVE_BEST, k == 0 ? 51 : 101, 3, &b);
        for (double t = 0; t <= 3; t += 0.0037) {
            double A[4], B[2], C[4], D[2];
            CK_OK(pcs_ltv_at(&b.ltv, t, A, B, C, D));
            worst[k] = fmax(worst[k], fabs(A[1] + 9.81 * cos(angle(t, 0))));
            CK_NEAR(A[2], 1, 1e-14);
            CK_NEAR(B[1], 1, 1e-14);
            CK_NEAR(D[1], angle(t, 1), 1e-5);
        }
    }
    ck_assert(worst[0] < 1e-4);
    CK_NEAR(log2(worst[0] / worst[1]), 4, 0.2);
}

// cubics on any points, without error; fewer points, lower degree; one point, a constant system
TEST(cubics_are_exact)
{
    const double t[6] = {-1, 0, 0.1, 2, 2.5, 7};
    double A[6], out;
    for (int n = 1; n <= 6; ++n) {
        const int degree = n < 4 ? n - 1 : 3;
        for (int k = 0; k < n; ++k) {
            A[k] = pow(t[k] - 0.5, degree);
        }
        const pcs_ltv ltv = {.nx = 1, .n = n, .t = t, .A = A};
        for (double at = t[0]; at <= t[n - 1]; at += 0.013) {
            CK_OK(pcs_ltv_at(&ltv, at, &out, NULL, NULL, NULL));
            CK_NEAR(out, pow(at - 0.5, degree), 1e-12 * 300);
        }
        CK_OK(pcs_ltv_at(&ltv, t[n - 1], &out, NULL, NULL, NULL));
        CK_NEAR(out, A[n - 1], 0);
        if (n > 1) CK_FAILS(pcs_ltv_at(&ltv, -1.1, &out, NULL, NULL, NULL), PCS_ERR_ARG);
        if (n > 1) CK_FAILS(pcs_ltv_at(&ltv, 8, &out, NULL, NULL, NULL), PCS_ERR_ARG);
    }
}

// ---- responses

typedef struct pushed {
    double size, friction;
} pushed;

static int small_push(void *user, double t, double *u)
{
    *u = ((const pushed *)user)->size * cos(2 * t);
    return 0;
}

static int torque_and_push(void *user, double t, double *u)
{
    small_push(user, t, u);
    *u += torque(((const pushed *)user)->friction, t);
    return 0;
}

// the responses of both systems to a small input and a small initial change differ by the square of
// the size: from one size to half of it, by a quarter
TEST(the_difference_is_of_second_order)
{
    pendulum p = {.l = 1, .friction = 0.3};
    const pcs_plant plant = whole(&p);
    const double t_end = 3;
    static table b;
    along(&p, PCS_DERIVATIVE_BEST, MOST, t_end, &b);
    pcs_plant linear;
    CK_OK(pcs_ltv_plant(&b.ltv, &linear));
    double apart[3][4];
    for (int k = 0; k < 3; ++k) {
        pushed push = {.size = 0.004 / (1 << k), .friction = p.friction};
        const double dx0[2] = {push.size / 2, -push.size};
        const double x0[2] = {angle(0, 0) + dx0[0], angle(0, 1) + dx0[1]};
        double x[2], y[2], dx[2], dy[2], y0[2], u0 = torque(p.friction, t_end);
        const double end[2] = {angle(t_end, 0), angle(t_end, 1)};
        smooth_respond(&plant, torque_and_push, &push, x0, t_end, x, y);
        smooth_respond(&linear, small_push, &push, dx0, t_end, dx, dy);
        measure(&p, t_end, end, &u0, y0);
        for (int i = 0; i < 2; ++i) {
            apart[k][i] = fabs(x[i] - end[i] - dx[i]);
            apart[k][2 + i] = fabs(y[i] - y0[i] - dy[i]);
        }
        // the remainder is small beside the response itself
        ck_assert(hypot(apart[k][0], apart[k][1]) < 0.1 * hypot(dx[0], dx[1]));
    }
    for (int i = 0; i < 4; ++i) {
        CK_NEAR(2 * log2(apart[1][i] / apart[2][i]) - log2(apart[0][i] / apart[1][i]), 2, 0.05);
    }
}

// x' = (a(t), -w(t); w(t), a(t)) x has a closed form: it rotates by the integral of w and grows by
// that of a
TEST(a_varying_system_in_closed_form)
{
    static double t[MOST], A[4 * MOST];
    const double t_end = 4;
    for (int k = 0; k < MOST; ++k) {
        t[k] = t_end * k / (MOST - 1);
        const double a = -0.2 * cos(t[k]), w = 1 + sin(2 * t[k]);
        const double Ak[4] = {a, w, -w, a};
        memcpy(A + 4 * k, Ak, sizeof Ak);
    }
    const pcs_ltv ltv = {.nx = 2, .n = MOST, .t = t, .A = A};
    pcs_plant plant;
    CK_OK(pcs_ltv_plant(&ltv, &plant));
    const double x0[2] = {1, 0};
    double x[2], y;
    smooth_respond(&plant, NULL, NULL, x0, t_end, x, &y);
    const double grown = exp(-0.2 * sin(t_end)), turn = t_end + (1 - cos(2 * t_end)) / 2;
    CK_NEAR(x[0], grown * cos(turn), 1e-7);
    CK_NEAR(x[1], grown * sin(turn), 1e-7);
}

// a constant system as a plant gives the response in closed form, also with one point in time
TEST(constant_systems_have_the_same_response)
{
    double A[4] = {-0.1, -4, 1, -0.3}, B[2] = {1, 0.5}, C[2] = {1, -1}, D[1] = {2}, t[1] = {0};
    const pcs_lti lti = {.nx = 2, .nu = 1, .ny = 1, .A = A, .B = B, .C = C, .D = D};
    const pcs_ltv ltv = {.nx = 2, .nu = 1, .ny = 1, .n = 1, .t = t, .A = A, .B = B, .C = C, .D = D};
    pcs_plant plant[2];
    CK_OK(pcs_lti_plant(&lti, &plant[0]));
    CK_OK(pcs_ltv_plant(&ltv, &plant[1]));
    pcs_arena work;
    CK_OK(pcs_arena_create(NULL, pcs_lti_bytes(&lti) + pcs_linearise_bytes(2, 1, 1), &work));
    pushed push = {.size = 0};
    const double x0[2] = {1, -2}, zero = 0;
    double expected[2], expected_y;
    CK_OK(pcs_lti_response(&lti, 2.5, x0, &zero, work, expected));
    CK_OK(pcs_lti_output(&lti, expected, &zero, &expected_y));
    for (int k = 0; k < 2; ++k) {
        double x[2], y, Ak[4], Bk[2], Ck[2], Dk[1];
        smooth_respond(&plant[k], small_push, &push, x0, 2.5, x, &y);
        CK_NEAR(x[0], expected[0], 1e-10);
        CK_NEAR(x[1], expected[1], 1e-10);
        CK_NEAR(y, expected_y, 1e-10);
        CK_OK(pcs_linearise(&plant[k], PCS_DERIVATIVE_BEST, 1, x0, &zero, work, Ak, Bk, Ck, Dk));
        ck_assert_int_eq(memcmp(A, Ak, sizeof A), 0);
        ck_assert_int_eq(memcmp(B, Bk, sizeof B), 0);
        ck_assert_int_eq(memcmp(C, Ck, sizeof C), 0);
        ck_assert_int_eq(memcmp(D, Dk, sizeof D), 0);
    }
    pcs_arena_destroy(NULL, &work);
}

// ---- runs

static int only_torque(void *user, double t, double *u)
{
    *u = torque(((const pendulum *)user)->friction, t);
    return 0;
}

static int past(void *user, double t, const double *x, double *g)
{
    *g = x[0] - 0.5;
    return 0;
}

TEST(along_a_run)
{
    pendulum p = {.l = 1, .friction = 0.3};
    const pcs_plant plant = whole(&p);
    static table b;
    lay(&b, 41, 4);
    pcs_driven *driven, *other;
    pcs_ode ode;
    pcs_integrator *run;
    pcs_ode_opts opts = pcs_ode_opts_default();
    opts.rtol = opts.atol = 1e-11;
    test_memory memory = {.fail_at = -1};
    const pcs_env env = test_env(&memory);
    pcs_arena work;
    CK_OK(pcs_arena_create(NULL, pcs_linearise_bytes(2, 1, 2), &work));
    CK_OK(pcs_driven_create(NULL, &plant, only_torque, &p, &driven));
    CK_OK(pcs_driven_create(NULL, &plant, only_torque, &p, &other));
    CK_OK(pcs_driven_ode(driven, &ode));
    CK_OK(pcs_integrator_create(&env, &ode, &opts, &run));
    const pcs_derivative best = PCS_DERIVATIVE_BEST;
    CK_FAILS(pcs_linearise_run(driven, best, run, work, &b.ltv), PCS_ERR_ARG); // not started
    const double x0[2] = {angle(0, 0), angle(0, 1)};
    CK_OK(pcs_integrator_start(run, 0, x0));
    CK_FAILS(pcs_linearise_run(other, best, run, work, &b.ltv), PCS_ERR_ARG);
    CK_FAILS(pcs_linearise_run(NULL, best, run, work, &b.ltv), PCS_ERR_ARG);
    const long allocated = memory.allocated;
    CK_OK(pcs_linearise_run(driven, best, run, work, &b.ltv));
    ck_assert_int_eq(memory.allocated, allocated);
    CK_NEAR(pcs_integrator_t(run), 4, 0);
    for (int k = 0; k < 41; ++k) {
        CK_NEAR(b.x[2 * k], angle(b.t[k], 0), 1e-8);
        expect_matrices(b.A + 4 * k, b.B + 2 * k, b.C + 4 * k, b.D + 2 * k, 0.3, b.t[k], 1e-7);
    }
    CK_FAILS(pcs_linearise_run(driven, best, run, work, &b.ltv), PCS_ERR_ARG); // t[0] is past

    // a terminal event during the run
    CK_OK(pcs_integrator_set_events(run, 1, &(pcs_event){.g = past, .terminal = true}));
    CK_OK(pcs_integrator_start(run, 0, x0));
    CK_SAYS(pcs_linearise_run(driven, best, run, work, &b.ltv), PCS_ERR_ARG, "event");
    pcs_integrator_destroy(run);
    pcs_driven_destroy(driven);
    pcs_driven_destroy(other);
    pcs_arena_destroy(NULL, &work);
}

// the transition of a run, column by column, is the derivative of its end by its start
TEST(the_transition_is_the_derivative_of_the_flow)
{
    pendulum p = {.l = 1, .friction = 0.3};
    const pcs_plant plant = whole(&p);
    const double t_end = 3, h = 1e-4;
    static table b;
    along(&p, PCS_DERIVATIVE_BEST, MOST, t_end, &b);
    pcs_plant linear;
    CK_OK(pcs_ltv_plant(&b.ltv, &linear));
    pushed none = {.size = 0, .friction = 0.3};
    for (int j = 0; j < 2; ++j) {
        double e[2] = {0}, column[2], ends[2][2], y[2];
        e[j] = 1;
        smooth_respond(&linear, small_push, &none, e, t_end, column, y);
        for (int side = 0; side < 2; ++side) {
            double x0[2] = {angle(0, 0), angle(0, 1)};
            x0[j] += side == 0 ? -h : h;
            smooth_respond(&plant, torque_and_push, &none, x0, t_end, ends[side], y);
        }
        for (int i = 0; i < 2; ++i) {
            CK_NEAR(column[i], (ends[1][i] - ends[0][i]) / (2 * h), 1e-6);
        }
    }
}

// ---- an implicit system: F(x', x, u) = 0 along a trajectory, x' (1 + x^2) = u; x = tan-like

static int thick(void *user, double t, const double *Y, const double *U, double *phi)
{
    phi[0] = Y[0] * (1 + Y[1] * Y[1]) - U[0];
    return 0;
}

static int thick_trajectory(void *user, double t, double *x, double *u)
{
    x[0] = sin(t);
    u[0] = cos(t) * (1 + sin(t) * sin(t));
    return 0;
}

TEST(implicit_systems_too)
{
    const pcs_input_output_def def = {.order = 1, .ny = 1, .nu = 1, .phi = thick};
    pcs_input_output *equation;
    pcs_plant plant;
    CK_OK(pcs_input_output_create(NULL, &def, &equation));
    CK_OK(pcs_input_output_given(equation, &plant));
    double t[21], A[21], B[21], C[21], D[21];
    for (int k = 0; k < 21; ++k) {
        t[k] = 0.1 * k;
    }
    pcs_ltv ltv = {.nx = 1, .nu = 1, .ny = 1, .n = 21, .t = t, .A = A, .B = B, .C = C, .D = D};
    pcs_arena work;
    CK_OK(pcs_arena_create(NULL, pcs_linearise_bytes(1, 1, 1), &work));
    CK_OK(pcs_linearise_along(&plant, PCS_DERIVATIVE_BEST, thick_trajectory, NULL, work, &ltv));
    for (int k = 0; k < 21; ++k) {
        const double x = sin(t[k]), rate = cos(t[k]), m = 1 + x * x;
        CK_NEAR(A[k], -2 * x * rate / m, 1e-9);
        CK_NEAR(B[k], 1 / m, 1e-9);
        CK_NEAR(C[k], 1, 0);
        CK_NEAR(D[k], 0, 0);
    }
    pcs_arena_destroy(NULL, &work);
    pcs_input_output_destroy(equation);
}

// ---- refusals

static int fails_at_two(void *user, double t, double *x, double *u)
{
    trajectory(user, t, x, u);
    if (t > 2) u[0] = NAN;
    return t > 3 ? 5 : 0;
}

TEST(bad_arguments_are_refused)
{
    pendulum p = {.l = 1, .friction = 0.3};
    const pcs_plant plant = whole(&p);
    static table b;
    pcs_arena work;
    const pcs_derivative best = PCS_DERIVATIVE_BEST;
    CK_OK(pcs_arena_create(NULL, pcs_linearise_bytes(2, 1, 2), &work));
    lay(&b, 11, 4);
    CK_SAYS(pcs_linearise_along(&plant, best, fails_at_two, &p, work, &b.ltv), PCS_ERR_CALLBACK,
            "t = 2.4");
    CK_FAILS(pcs_linearise_along(&plant, best, NULL, &p, work, &b.ltv), PCS_ERR_ARG);
    CK_FAILS(pcs_linearise_along(&plant, best, trajectory, &p, (pcs_arena){0}, &b.ltv),
             PCS_ERR_MEMORY);
    CK_FAILS(pcs_linearise_along(&plant, best, trajectory, &p, work, NULL), PCS_ERR_ARG);
    b.ltv.nu = 2;
    CK_FAILS(pcs_linearise_along(&plant, best, trajectory, &p, work, &b.ltv), PCS_ERR_SIZE);
    b.ltv.nu = 1;
    b.t[5] = b.t[4];
    CK_FAILS(pcs_linearise_along(&plant, best, trajectory, &p, work, &b.ltv), PCS_ERR_ARG);
    b.t[5] = NAN;
    CK_FAILS(pcs_linearise_along(&plant, best, trajectory, &p, work, &b.ltv), PCS_ERR_ARG);
    lay(&b, 11, 4);
    CK_OK(pcs_linearise_along(&plant, best, trajectory, &p, work, &b.ltv));
    pcs_plant out;
    double A[4], B[2];
    b.ltv.B = NULL;
    CK_FAILS(pcs_ltv_plant(&b.ltv, &out), PCS_ERR_ARG);
    CK_FAILS(pcs_ltv_at(&b.ltv, 1, A, B, NULL, NULL), PCS_ERR_ARG);
    CK_OK(pcs_ltv_at(&b.ltv, 1, A, NULL, NULL, NULL));
    CK_FAILS(pcs_ltv_at(&b.ltv, NAN, A, NULL, NULL, NULL), PCS_ERR_ARG);
    b.ltv.B = b.B;
    b.A[7] = INFINITY;
    CK_FAILS(pcs_ltv_plant(&b.ltv, &out), PCS_ERR_ARG);
    CK_FAILS(pcs_lti_plant(NULL, &out), PCS_ERR_ARG);
    pcs_arena_destroy(NULL, &work);
}
