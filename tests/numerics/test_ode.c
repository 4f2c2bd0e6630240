// Explicit Runge-Kutta methods: observed orders, chosen steps, dense output, systems of n-th order,
// bad input.
#include "smooth.h"
#include "support.h"

#include <percuss/ode.h>

// ---- a system with a closed form: x' = -x y, y' = x^2, on the circle x^2 + y^2 = 1:
// x = sech(t), y = tanh(t)

static int circle(void *user, double t, const double *x, double *f)
{
    if (user) *(long *)user += 1;
    f[0] = -x[0] * x[1];
    f[1] = x[0] * x[0];
    return 0;
}

static double circle_error(double t, const double *x)
{
    return hypot(x[0] - 1 / cosh(t), x[1] - tanh(t));
}

// time-dependent: x' = x cos t, x = exp(sin t)
static int wave(void *user, double t, const double *x, double *f)
{
    f[0] = x[0] * cos(t);
    return 0;
}

// the largest error of the run: at one time it may be zero by chance
static double run_fixed(const pcs_tableau *tab, double h, double t_end)
{
    double error = 0;
    const pcs_ode ode = {.n = 1, .f = wave};
    const pcs_ode_opts opts = pcs_ode_opts_fixed(tab, h);
    pcs_integrator *run = smooth_run(&ode, &opts, 0, (double[]){1});
    while (pcs_integrator_t(run) < t_end - 0.5 * h) {
        CK_OK(pcs_integrator_step(run, NULL));
        error = fmax(error, fabs(pcs_integrator_x(run)[0] - exp(sin(pcs_integrator_t(run)))));
    }
    pcs_integrator_destroy(run);
    return error;
}

TEST(orders_are_those_of_the_tableaus)
{
    for (int i = 0; i < pcs_tableau_count(); ++i) {
        const pcs_tableau *tab = pcs_tableau_at(i);
        if (!pcs_tableau_is_explicit(tab)) continue;
        // two slopes of error = c h^p (1 + d h), extrapolated to h = 0: the leading term of Dormand
        // and Prince's method is so small that the next one matters
        double h[3], e[3];
        for (int k = 0; k < 3; ++k) {
            h[k] = (tab->order > 4 ? 0.1 : 0.02) / (1 << k);
            e[k] = run_fixed(tab, h[k], 3);
        }
        CK_NEAR(2 * log2(e[1] / e[2]) - log2(e[0] / e[1]), tab->order, 0.05);
    }
}

TEST(the_last_fixed_step_fits)
{
    // h does not divide the time; and rounding does not add a step
    const pcs_ode ode = {.n = 1, .f = wave};
    const pcs_ode_opts opts = pcs_ode_opts_fixed(pcs_tableau_rk4(), 0.1);
    pcs_integrator *run;
    pcs_ode_report report;
    CK_OK(pcs_integrator_create(NULL, &ode, &opts, &run));
    CK_OK(pcs_integrator_start(run, 0, (double[]){1}));
    CK_OK(pcs_integrator_advance(run, 100, &report));
    ck_assert_int_eq(report.steps, 1000);
    ck_assert_int_eq(report.end, PCS_ODE_REACHED);
    ck_assert_double_eq(pcs_integrator_t(run), 100);
    CK_NEAR(pcs_integrator_x(run)[0], exp(sin(100)), 1e-4);
    CK_OK(pcs_integrator_advance(run, 100.25, &report));
    ck_assert_int_eq(report.steps, 1003);
    CK_NEAR(report.h_last, 0.05, 1e-12);
    ck_assert_double_eq(pcs_integrator_t(run), 100.25);
    pcs_integrator_destroy(run);
}

TEST(chosen_steps_keep_the_tolerance)
{
    const pcs_tableau *pairs[] = {pcs_tableau_bogacki_shampine(), pcs_tableau_dormand_prince()};
    for (int p = 0; p < 2; ++p) {
        double before = 1;
        for (double tol = 1e-4; tol > 1e-11; tol *= 0.1) {
            long calls = 0;
            const pcs_ode ode = {.n = 2, .f = circle, .user = &calls};
            pcs_ode_opts opts = pcs_ode_opts_default();
            opts.tableau = pairs[p];
            opts.rtol = opts.atol = tol;
            pcs_integrator *run;
            pcs_ode_report report;
            CK_OK(pcs_integrator_create(NULL, &ode, &opts, &run));
            CK_OK(pcs_integrator_start(run, 0, (double[]){1, 0}));
            CK_OK(pcs_integrator_advance(run, 8, &report));
            const double error = circle_error(8, pcs_integrator_x(run));
            // the error of each step is kept; of the run, within the sum of them
            ck_assert_msg(error < 50 * tol, "error %g at tolerance %g", error, tol);
            ck_assert_msg(error < before, "error %g after %g", error, before);
            ck_assert(report.error <= 1);
            ck_assert_int_eq(report.evaluations, calls);
            before = 2 * error;
            pcs_integrator_destroy(run);
        }
    }
}

TEST(evaluations_are_those_of_the_tableau)
{
    // fixed steps: s evaluations a step; the last stage is the first of the next step where the
    // tableau allows it
    const struct {
        const pcs_tableau *tab;
        int a_step;
    } cases[] = {{pcs_tableau_rk4(), 4},
                 {pcs_tableau_dormand_prince(), 6},
                 {pcs_tableau_bogacki_shampine(), 3},
                 {pcs_tableau_explicit_euler(), 1}};
    for (int i = 0; i < 4; ++i) {
        const pcs_ode ode = {.n = 2, .f = circle};
        const pcs_ode_opts opts = pcs_ode_opts_fixed(cases[i].tab, 0.01);
        pcs_integrator *run;
        pcs_ode_report report;
        CK_OK(pcs_integrator_create(NULL, &ode, &opts, &run));
        CK_OK(pcs_integrator_start(run, 0, (double[]){1, 0}));
        CK_OK(pcs_integrator_advance(run, 1, &report));
        ck_assert_int_le(report.evaluations, 100 * cases[i].a_step + 1);
        pcs_integrator_destroy(run);
    }
}

TEST(dense_output_has_its_order)
{
    // the largest error between the steps falls as h^(order of the interpolant); of the whole
    // solution, so the method itself counts too
    const struct {
        const pcs_tableau *tab;
        double order;
    } cases[] = {{pcs_tableau_dormand_prince(), 4.0 + 1},
                 {pcs_tableau_rk4(), 4},
                 {pcs_tableau_bogacki_shampine(), 3},
                 {pcs_tableau_heun(), 2}};
    for (int i = 0; i < 4; ++i) {
        double h[4], e[4];
        for (int k = 0; k < 4; ++k) {
            h[k] = 0.05 / (1 << k);
            e[k] = 0;
            const pcs_ode ode = {.n = 2, .f = circle};
            const pcs_ode_opts opts = pcs_ode_opts_fixed(cases[i].tab, h[k]);
            pcs_integrator *run = smooth_run(&ode, &opts, 0, (double[]){1, 0});
            while (pcs_integrator_t(run) < 1.5) {
                const double t0 = pcs_integrator_t(run);
                CK_OK(pcs_integrator_step(run, NULL));
                for (int j = 0; j <= 16; ++j) {
                    double x[2];
                    const double t = fmin(t0 + j * h[k] / 16, pcs_integrator_t(run));
                    CK_OK(pcs_integrator_at(run, t, x));
                    e[k] = fmax(e[k], circle_error(t, x));
                }
            }
            pcs_integrator_destroy(run);
        }
        ck_assert_msg(smooth_order(4, h, e) > cases[i].order - 0.15, "%s: dense output of order %g",
                      cases[i].tab->name, smooth_order(4, h, e));
    }
}

// x''' = -x' with x(0) = 0, x'(0) = 1, x''(0) = 0: x = sin t
static int third(void *user, double t, const double *chi, double *x3)
{
    x3[0] = -chi[2];
    x3[1] = -4 * chi[3];
    return 0;
}

TEST(higher_orders_are_reduced)
{
    const pcs_higher_order def = {.order = 3, .m = 2, .fn = third};
    pcs_ode ode;
    CK_OK(pcs_ode_of_order(&def, &ode));
    ck_assert_int_eq(ode.n, 6);
    pcs_ode_opts opts = pcs_ode_opts_default();
    opts.rtol = opts.atol = 1e-12;
    pcs_integrator *run;
    CK_OK(pcs_integrator_create(NULL, &ode, &opts, &run));
    // (x'', x', x) of sin t and of sin 2t
    CK_OK(pcs_integrator_start(run, 0, (double[]){0, 0, 1, 2, 0, 0}));
    CK_OK(pcs_integrator_advance(run, 3, NULL));
    const double *x = pcs_integrator_x(run);
    CK_NEAR(x[0], -sin(3), 1e-10);
    CK_NEAR(x[2], cos(3), 1e-10);
    CK_NEAR(x[4], sin(3), 1e-10);
    CK_NEAR(x[1], -4 * sin(6), 1e-10);
    CK_NEAR(x[3], 2 * cos(6), 1e-10);
    CK_NEAR(x[5], sin(6), 1e-10);
    pcs_integrator_destroy(run);

    CK_FAILS(pcs_ode_of_order(NULL, &ode), PCS_ERR_ARG);
    CK_FAILS(pcs_ode_of_order(&(pcs_higher_order){.order = 0, .m = 1, .fn = third}, &ode),
             PCS_ERR_SIZE);
}

static int onto_circle(void *user, double t, double *x)
{
    const double r = hypot(x[0], x[1]);
    x[0] /= r;
    x[1] /= r;
    return 0;
}

TEST(a_projection_follows_every_step)
{
    const pcs_ode ode = {.n = 2, .f = circle, .project = onto_circle, .user = NULL};
    pcs_ode_opts opts = pcs_ode_opts_fixed(pcs_tableau_heun(), 0.01);
    pcs_integrator *run = smooth_run(&ode, &opts, 0, (double[]){1, 0});
    for (int i = 0; i < 300; ++i) {
        CK_OK(pcs_integrator_step(run, NULL));
        const double *x = pcs_integrator_x(run);
        CK_NEAR(hypot(x[0], x[1]), 1, 4e-16);
    }
    CK_NEAR(circle_error(3, pcs_integrator_x(run)), 0, 1e-4);
    pcs_integrator_destroy(run);
}

// ---- memory

typedef struct counter {
    long live, made;
} counter;

static void *counted_alloc(size_t bytes, void *user)
{
    counter *c = user;
    c->live += 1;
    c->made += 1;
    return malloc(bytes);
}

static void counted_release(void *p, void *user)
{
    if (p) ((counter *)user)->live -= 1;
    free(p);
}

TEST(steps_do_not_allocate)
{
    counter c = {0};
    const pcs_env env = {counted_alloc, counted_release, &c, NULL, NULL};
    const pcs_ode ode = {.n = 2, .f = circle};
    pcs_integrator *run;
    CK_OK(pcs_integrator_create(&env, &ode, NULL, &run));
    const long made = c.made;
    CK_OK(pcs_integrator_start(run, 0, (double[]){1, 0}));
    CK_OK(pcs_integrator_advance(run, 5, NULL));
    CK_OK(pcs_integrator_jump(run, (double[]){1, 0}));
    CK_OK(pcs_integrator_step(run, NULL));
    ck_assert_int_eq(c.made, made);
    pcs_integrator_destroy(run);
    ck_assert_int_eq(c.live, 0);
}

// ---- bad input

static int refuses_late(void *user, double t, const double *x, double *f)
{
    f[0] = x[0];
    return t > 1;
}

static int blows_up(void *user, double t, const double *x, double *f)
{
    f[0] = x[0] * x[0]; // x = 1 / (1 - t)
    return 0;
}

static int nan_late(void *user, double t, const double *x, double *f)
{
    f[0] = t > 0.5 ? NAN : x[0];
    return 0;
}

// calls a function of the library that refuses, and returns its error
static int fails_inside(void *user, double t, const double *x, double *f)
{
    f[0] = x[0];
    return t > 0.35 ? (int)pcs_tableau_check(NULL) : 0;
}

TEST(sentences_of_callbacks_are_propagated)
{
    const pcs_ode ode = {.n = 1, .f = fails_inside}, own = {.n = 1, .f = refuses_late};
    const pcs_ode_opts opts = pcs_ode_opts_fixed(pcs_tableau_rk4(), 0.5);
    pcs_integrator *run = smooth_run(&ode, &opts, 0, (double[]){1});
    CK_SAYS(pcs_integrator_step(run, NULL), PCS_ERR_CALLBACK, "pcs_tableau_check");
    ck_assert_ptr_nonnull(strstr(pcs_error_text(), "integration"));
    pcs_integrator_destroy(run);
    // the message does not name an earlier failure
    CK_OK(pcs_integrator_create(NULL, &own, &opts, &run));
    CK_OK(pcs_integrator_start(run, 0.9, (double[]){1}));
    CK_FAILS(pcs_integrator_step(run, NULL), PCS_ERR_CALLBACK);
    ck_assert_ptr_null(strstr(pcs_error_text(), "pcs_tableau_check"));
    pcs_integrator_destroy(run);
}

static void state_is_intact(pcs_integrator *run, double x0)
{
    const double t = pcs_integrator_t(run);
    ck_assert(isfinite(pcs_integrator_x(run)[0]));
    if (x0 > 0) CK_NEAR(pcs_integrator_x(run)[0] / (x0 * exp(t)), 1, 1e-6);
}

TEST(callbacks_that_fail_leave_the_state)
{
    const pcs_ode_fn fs[] = {refuses_late, nan_late, blows_up};
    const double until[] = {1, 0.5, 1};
    for (int i = 0; i < 3; ++i) {
        for (int fixed = 0; fixed < 2; ++fixed) {
            const pcs_ode ode = {.n = 1, .f = fs[i]};
            pcs_ode_opts opts =
                fixed ? pcs_ode_opts_fixed(pcs_tableau_rk4(), 0.01) : pcs_ode_opts_default();
            pcs_integrator *run = smooth_run(&ode, &opts, 0, (double[]){1});
            const pcs_status status = pcs_integrator_advance(run, 3, NULL);
            ck_assert(status == PCS_ERR_CALLBACK || status == PCS_ERR_STEP);
            ck_assert(pcs_error_text()[0]);
            state_is_intact(run, i < 2 ? 1 : 0);
            // adaptive steps come close to the end of the solution
            ck_assert(pcs_integrator_t(run) <= until[i] + (fixed && i == 2 ? 2 : 1e-9));
            if (!fixed) ck_assert(pcs_integrator_t(run) > until[i] - 1e-3);
            pcs_integrator_destroy(run);
        }
    }
}

TEST(bad_arguments_are_refused)
{
    const pcs_ode ode = {.n = 2, .f = circle};
    pcs_integrator *run;
    pcs_ode_opts opts = pcs_ode_opts_default();
    CK_FAILS(pcs_integrator_create(NULL, NULL, &opts, &run), PCS_ERR_ARG);
    CK_FAILS(pcs_integrator_create(NULL, &(pcs_ode){.n = 2}, &opts, &run), PCS_ERR_ARG);
    CK_FAILS(pcs_integrator_create(NULL, &(pcs_ode){.n = 0, .f = circle}, &opts, &run),
             PCS_ERR_SIZE);
    opts.tableau = pcs_tableau_rk4(); // no pair
    CK_FAILS(pcs_integrator_create(NULL, &ode, &opts, &run), PCS_ERR_ARG);
    opts = pcs_ode_opts_default();
    opts.rtol = NAN;
    CK_FAILS(pcs_integrator_create(NULL, &ode, &opts, &run), PCS_ERR_ARG);
    opts = pcs_ode_opts_default();
    opts.atol_each = (double[]){1e-3, -1};
    CK_FAILS(pcs_integrator_create(NULL, &ode, &opts, &run), PCS_ERR_ARG);
    opts = pcs_ode_opts_default();
    opts.h_min = 1;
    opts.h_max = 0.1;
    CK_FAILS(pcs_integrator_create(NULL, &ode, &opts, &run), PCS_ERR_ARG);
    opts = pcs_ode_opts_fixed(pcs_tableau_rk4(), 0);
    CK_FAILS(pcs_integrator_create(NULL, &ode, &opts, &run), PCS_ERR_ARG);
    const double A[4] = {0, 0, 0.5, 0}, b[2] = {0, 0.5}, c[2] = {0, 0.5};
    const pcs_tableau inconsistent = {.s = 2, .A = A, .b = b, .c = c, .order = 2};
    opts = pcs_ode_opts_fixed(&inconsistent, 0.1);
    CK_FAILS(pcs_integrator_create(NULL, &ode, &opts, &run), PCS_ERR_ARG);
    ck_assert_ptr_null(run);

    CK_OK(pcs_integrator_create(NULL, &ode, NULL, &run));
    double x[2];
    CK_FAILS(pcs_integrator_advance(run, 1, NULL), PCS_ERR_ARG);
    CK_FAILS(pcs_integrator_at(run, 0, x), PCS_ERR_ARG);
    CK_FAILS(pcs_integrator_start(run, 0, (double[]){1, NAN}), PCS_ERR_ARG);
    CK_FAILS(pcs_integrator_start(run, INFINITY, (double[]){1, 0}), PCS_ERR_ARG);
    CK_OK(pcs_integrator_start(run, 0, (double[]){1, 0}));
    CK_FAILS(pcs_integrator_advance(run, -1, NULL), PCS_ERR_ARG);
    CK_FAILS(pcs_integrator_advance(run, NAN, NULL), PCS_ERR_ARG);
    CK_FAILS(pcs_integrator_step_by(run, 0, NULL), PCS_ERR_ARG);
    CK_FAILS(pcs_integrator_jump(run, (double[]){NAN, 0}), PCS_ERR_ARG);
    CK_OK(pcs_integrator_advance(run, 1, NULL));
    CK_FAILS(pcs_integrator_at(run, 2, x), PCS_ERR_ARG);
    // a start that is refused leaves the run as it was
    CK_FAILS(pcs_integrator_start(run, NAN, (double[]){1, 0}), PCS_ERR_ARG);
    ck_assert_double_eq(pcs_integrator_t(run), 1);
    CK_OK(pcs_integrator_advance(run, 2, NULL));
    pcs_integrator_destroy(run);
    pcs_integrator_destroy(NULL);
}

TEST(too_many_steps_are_reported)
{
    const pcs_ode ode = {.n = 2, .f = circle};
    pcs_ode_opts opts = pcs_ode_opts_default();
    opts.max_steps = 3;
    pcs_integrator *run = smooth_run(&ode, &opts, 0, (double[]){1, 0});
    CK_FAILS(pcs_integrator_advance(run, 50, NULL), PCS_ERR_STEP);
    CK_NEAR(circle_error(pcs_integrator_t(run), pcs_integrator_x(run)), 0, 1e-6);
    // the integrator can continue
    opts.max_steps = 0;
    pcs_integrator_destroy(run);
}

static int nothing(void *user, double t, const double *x, double *f)
{
    f[0] = 0;
    return 0;
}

TEST(null_and_constant_systems_are_accepted)
{
    ck_assert_double_eq(pcs_integrator_t(NULL), 0);
    ck_assert_ptr_null(pcs_integrator_x(NULL));
    ck_assert_ptr_null(pcs_integrator_z(NULL));
    ck_assert_int_eq(pcs_integrator_report(NULL).event.index, -1);
    ck_assert_int_eq(pcs_integrator_found(NULL, NULL), 0);
    // steps grow where nothing changes; the time stays finite
    const pcs_ode ode = {.n = 1, .f = nothing};
    pcs_integrator *run = smooth_run(&ode, NULL, 0, (double[]){1});
    int steps = 0;
    while (pcs_integrator_step(run, NULL) == PCS_OK && steps < 5000) {
        ++steps;
        ck_assert(isfinite(pcs_integrator_t(run)));
    }
    ck_assert(steps > 100 && steps < 5000);
    CK_FAILS(pcs_integrator_step_by(run, 1e308, NULL), PCS_ERR_STEP);
    pcs_integrator_destroy(run);
}
