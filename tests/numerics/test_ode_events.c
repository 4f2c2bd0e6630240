// Events: which are found, with what accuracy, and which zeros are not events.
#include "support.h"

#include <percuss/ode.h>

// ---- a ball under gravity: z, v

static int fall(void *user, double t, const double *x, double *f)
{
    f[0] = x[1];
    f[1] = -9.81;
    return 0;
}

static int height(void *user, double t, const double *x, double *g)
{
    *g = x[0];
    return 0;
}

static pcs_integrator *open(const pcs_ode *ode, const pcs_ode_opts *opts, int n,
                            const pcs_event *events, const double *x0)
{
    pcs_integrator *run;
    CK_OK(pcs_integrator_create(NULL, ode, opts, &run));
    CK_OK(pcs_integrator_set_events(run, n, events));
    CK_OK(pcs_integrator_start(run, 0, x0));
    return run;
}

TEST(a_ball_bounces_to_rest)
{
    // flight k lasts 2 e^k V / g: the times of all impacts are known
    const pcs_ode ode = {.n = 2, .f = fall};
    const pcs_event ground = {.g = height, .direction = -1, .terminal = true};
    pcs_integrator *run = open(&ode, NULL, 1, &ground, (double[]){1, 0});
    const double g = 9.81, e = 0.5, V = sqrt(2 * g);
    double t = V / g, flight = 2 * V / g;
    for (int k = 0; k < 30; ++k) {
        pcs_ode_report report;
        CK_OK(pcs_integrator_advance(run, 10, &report));
        ck_assert_int_eq(report.end, PCS_ODE_EVENT);
        ck_assert_int_eq(report.event.index, 0);
        ck_assert_int_eq(report.event.direction, -1);
        // rounding of z moves the time of the slow last impacts
        CK_NEAR(report.event.t, t, 1e-13 + 1e-16 / (V * pow(e, k)));
        ck_assert_double_eq(report.event.t, pcs_integrator_t(run));
        const double *x = pcs_integrator_x(run);
        CK_NEAR(x[0], 0, 1e-13);
        CK_NEAR(x[1], -V * pow(e, k), 1e-12);
        CK_OK(pcs_integrator_jump(run, (double[]){0, -e * x[1]}));
        flight *= e;
        t += flight;
    }
    pcs_integrator_destroy(run);
}

// ---- the circle x = sech t, y = tanh t

static int circle(void *user, double t, const double *x, double *f)
{
    f[0] = -x[0] * x[1];
    f[1] = x[0] * x[0];
    return 0;
}

static int level(void *user, double t, const double *x, double *g)
{
    *g = x[1] - *(const double *)user;
    return 0;
}

TEST(the_state_at_an_event_is_as_good_as_a_step)
{
    // the time at which tanh t = y, from the step itself and from the interpolant only
    const pcs_ode ode = {.n = 2, .f = circle};
    for (double y = 0.05; y < 1; y += 0.09) {
        for (int by_step = 0; by_step < 2; ++by_step) {
            pcs_ode_opts opts = pcs_ode_opts_default();
            opts.rtol = opts.atol = 1e-13;
            opts.event_by_step = by_step;
            const pcs_event event = {.g = level, .terminal = true, .user = &y};
            pcs_integrator *run = open(&ode, &opts, 1, &event, (double[]){1, 0});
            pcs_ode_report report;
            CK_OK(pcs_integrator_advance(run, 10, &report));
            ck_assert_int_eq(report.end, PCS_ODE_EVENT);
            CK_NEAR(report.event.t, atanh(y), by_step ? 2e-12 : 1e-9);
            CK_NEAR(pcs_integrator_x(run)[0], sqrt(1 - y * y), by_step ? 2e-12 : 1e-9);
            if (by_step) CK_NEAR(pcs_integrator_x(run)[1], y, 1e-13);
            pcs_integrator_destroy(run);
        }
    }
}

// ---- functions of time only: every crossing is known

typedef struct wave {
    double rate, shift, offset;
} wave;

static int rest(void *user, double t, const double *x, double *f)
{
    f[0] = 1;
    return 0;
}

static int sine(void *user, double t, const double *x, double *g)
{
    const wave *w = user;
    *g = sin(w->rate * t + w->shift) + w->offset;
    return 0;
}

TEST(directions_are_distinguished)
{
    // sin(t + 0.5) over 20 s rises through zero 3 times and falls 3 times
    const pcs_ode ode = {.n = 1, .f = rest};
    const int expected[3] = {3, 6, 3}, direction[3] = {-1, 0, 1};
    for (int k = 0; k < 3; ++k) {
        wave w = {1, 0.5, 0};
        const pcs_event event = {.g = sine, .direction = direction[k], .user = &w};
        pcs_ode_opts opts = pcs_ode_opts_default();
        opts.h_max = 1;
        pcs_integrator *run = open(&ode, &opts, 1, &event, (double[]){0});
        pcs_ode_report report;
        CK_OK(pcs_integrator_advance(run, 20, &report));
        ck_assert_int_eq(report.events, expected[k]);
        ck_assert_int_eq(report.end, PCS_ODE_REACHED);
        pcs_integrator_destroy(run);
    }
}

TEST(two_crossings_within_a_step_are_found)
{
    // sin falls below its offset for a short time in the middle of a step of 2
    const pcs_ode ode = {.n = 1, .f = rest};
    for (double offset = 0.9; offset < 0.9999; offset = 0.5 * (1 + offset)) {
        wave w = {1, 0, offset};
        const pcs_event event = {.g = sine, .user = &w};
        const pcs_ode_opts opts = pcs_ode_opts_fixed(pcs_tableau_rk4(), 2);
        pcs_integrator *run = open(&ode, &opts, 1, &event, (double[]){0});
        pcs_ode_report report;
        CK_OK(pcs_integrator_advance(run, 6, &report));
        ck_assert_msg(report.events == 2, "%ld events at offset %g", report.events, offset);
        CK_NEAR(report.event.t, 2 * acos(-1) - asin(offset), 1e-11);
        ck_assert_int_eq(report.event.direction, 1);
        pcs_integrator_destroy(run);
    }
}

TEST(a_touch_is_reported_and_does_not_stop)
{
    // 1 + sin t touches zero at 3 pi / 2
    const pcs_ode ode = {.n = 1, .f = rest};
    wave w = {1, 0, 1};
    const pcs_event event = {.g = sine, .terminal = true, .user = &w};
    for (int fixed = 0; fixed < 2; ++fixed) {
        pcs_ode_opts opts =
            fixed ? pcs_ode_opts_fixed(pcs_tableau_rk4(), 0.77) : pcs_ode_opts_default();
        opts.h_max = 1;
        pcs_integrator *run = open(&ode, &opts, 1, &event, (double[]){0});
        pcs_ode_report report;
        CK_OK(pcs_integrator_advance(run, 9, &report));
        ck_assert_int_eq(report.end, PCS_ODE_REACHED);
        ck_assert_int_eq(report.events, 0);
        ck_assert_int_eq(report.touches, 1);
        ck_assert_int_eq(report.event.direction, 0);
        CK_NEAR(report.event.t, 1.5 * acos(-1), 1e-7);
        pcs_integrator_destroy(run);
    }
}

static int clock(void *user, double t, const double *x, double *g)
{
    *g = t - *(const double *)user;
    return 0;
}

TEST(an_event_at_the_seam_of_two_steps_is_found_once)
{
    // steps of 0.1 end at 1 up to rounding, on either side of it
    const pcs_ode ode = {.n = 1, .f = rest};
    for (double when = 0.1; when < 5; when += 0.1) {
        for (int off = -2; off <= 2; ++off) {
            double at = when * (1 + off * 2e-16);
            const pcs_event event = {.g = clock, .user = &at};
            const pcs_ode_opts opts = pcs_ode_opts_fixed(pcs_tableau_rk4(), 0.1);
            pcs_integrator *run = open(&ode, &opts, 1, &event, (double[]){0});
            pcs_ode_report report;
            CK_OK(pcs_integrator_advance(run, 6, &report));
            ck_assert_int_eq(report.events, 1);
            CK_NEAR(report.event.t, when, 1e-11);
            pcs_integrator_destroy(run);
        }
    }
}

TEST(the_first_of_two_events_stops)
{
    const pcs_ode ode = {.n = 1, .f = rest};
    double at[3] = {1.7, 1.3, 1.1};
    const pcs_event events[3] = {{.g = clock, .terminal = true, .user = &at[0]},
                                 {.g = clock, .terminal = true, .user = &at[1]},
                                 {.g = clock, .user = &at[2]}};
    const pcs_ode_opts opts = pcs_ode_opts_fixed(pcs_tableau_rk4(), 2);
    pcs_integrator *run = open(&ode, &opts, 3, events, (double[]){0});
    pcs_ode_report report;
    CK_OK(pcs_integrator_advance(run, 6, &report));
    ck_assert_int_eq(report.event.index, 1);
    ck_assert_int_eq(report.events, 2);
    CK_NEAR(pcs_integrator_t(run), 1.3, 1e-12);
    CK_NEAR(pcs_integrator_x(run)[0], 1.3, 1e-12);
    // continued without a jump, the next event comes
    CK_OK(pcs_integrator_advance(run, 6, &report));
    ck_assert_int_eq(report.event.index, 0);
    CK_NEAR(pcs_integrator_t(run), 1.7, 1e-12);
    CK_OK(pcs_integrator_advance(run, 6, &report));
    ck_assert_int_eq(report.end, PCS_ODE_REACHED);
    pcs_integrator_destroy(run);
}

// ---- zeros at the seams, several at once, failures

static int power(void *user, double t, const double *x, double *g)
{
    const double *p = user; // place, power
    *g = pow(t - p[0], p[1]);
    return 0;
}

TEST(a_touch_is_distinguished_from_a_crossing_at_any_time)
{
    // steps and samples of 2^-n hit the zero exactly, or are a little before or after it
    const pcs_ode ode = {.n = 1, .f = rest};
    const double place[] = {0.5, 0.53125, 0.5 - 1e-3, 0.5 + 1e-3, 0.5 - 1e-8, 0.5 + 1e-8, 0.61};
    for (int i = 0; i < 7; ++i) {
        double touch[2] = {place[i], 2}, cross[2] = {place[i], 3};
        const pcs_event events[2] = {{.g = power, .terminal = true, .user = touch},
                                     {.g = power, .user = cross}};
        const pcs_ode_opts opts = pcs_ode_opts_fixed(pcs_tableau_rk4(), 0.25);
        pcs_integrator *run = open(&ode, &opts, 2, events, (double[]){0});
        pcs_ode_report report;
        CK_OK(pcs_integrator_advance(run, 3, &report));
        ck_assert_int_eq(report.end, PCS_ODE_REACHED);
        ck_assert_msg(report.touches == 1 && report.events == 1, "%ld touches, %ld events at %g",
                      report.touches, report.events, place[i]);
        pcs_integrator_destroy(run);
    }
}

TEST(all_events_of_a_call_are_listed_in_order)
{
    const pcs_ode ode = {.n = 1, .f = rest};
    double at[4] = {1.7, 0.4, 1.3, 1.3};
    pcs_event events[4];
    for (int i = 0; i < 4; ++i) {
        events[i] = (pcs_event){.g = clock, .terminal = i >= 2, .user = &at[i]};
    }
    const pcs_ode_opts opts = pcs_ode_opts_fixed(pcs_tableau_rk4(), 2);
    pcs_integrator *run = open(&ode, &opts, 4, events, (double[]){0});
    const pcs_event_found *found;
    ck_assert_int_eq(pcs_integrator_found(run, &found), 0);
    pcs_ode_report report;
    // two events at the same time: both are reported, once
    CK_OK(pcs_integrator_advance(run, 6, &report));
    ck_assert_int_eq(report.end, PCS_ODE_EVENT);
    ck_assert_int_eq(pcs_integrator_found(run, &found), 3);
    ck_assert_int_eq(found[0].index, 1);
    CK_NEAR(found[0].t, 0.4, 1e-12);
    ck_assert_int_eq(found[1].index + found[2].index, 5);
    ck_assert_double_eq(found[1].t, found[2].t);
    ck_assert_int_eq(report.events, 3);
    CK_OK(pcs_integrator_advance(run, 6, &report));
    ck_assert_int_eq(report.end, PCS_ODE_REACHED);
    ck_assert_int_eq(pcs_integrator_found(run, &found), 1);
    ck_assert_int_eq(found[0].index, 0);
    ck_assert_int_eq(report.event.index, 0);

    // many of one kind
    wave w = {1, 0, 0};
    CK_OK(pcs_integrator_set_events(run, 1, &(pcs_event){.g = sine, .user = &w}));
    CK_OK(pcs_integrator_start(run, 0.5, (double[]){0}));
    CK_OK(pcs_integrator_advance(run, 1000.5, &report));
    ck_assert_int_eq(pcs_integrator_found(run, &found), 318);
    for (int k = 0; k < 318; ++k) {
        CK_NEAR(found[k].t, (k + 1) * acos(-1), 1e-9);
        ck_assert_int_eq(found[k].direction, k % 2 ? 1 : -1);
    }
    pcs_integrator_destroy(run);
}

typedef struct zeros {
    int n;
    double at[8];
    int power[8]; // 1 or 2
} zeros;

static int product(void *user, double t, const double *x, double *g)
{
    const zeros *z = user;
    *g = 1;
    for (int i = 0; i < z->n; ++i) {
        *g *= z->power[i] == 2 ? (t - z->at[i]) * (t - z->at[i]) : t - z->at[i];
    }
    return 0;
}

TEST(every_zero_of_a_polynomial_is_found)
{
    // simple and double zeros, at least 0.12 apart, anywhere in steps of up to 0.3
    const pcs_ode ode = {.n = 1, .f = rest};
    test_random rng = random_seed(7);
    int missed = 0;
    for (int k = 0; k < 300; ++k) {
        zeros z = {.n = 1 + k % 8};
        double t = 0.1;
        int simple = 0;
        for (int i = 0; i < z.n; ++i) {
            z.at[i] = t += 0.12 + 0.5 * random_between(&rng, 0, 1);
            z.power[i] = random_between(&rng, 0, 1) < 0.25 ? 2 : 1;
            simple += z.power[i] == 1;
        }
        const pcs_event event = {.g = product, .user = &z};
        const double h = k % 2 ? 0.25 : random_between(&rng, 0.02, 0.3);
        const pcs_ode_opts opts = pcs_ode_opts_fixed(pcs_tableau_rk4(), h);
        pcs_integrator *run = open(&ode, &opts, 1, &event, (double[]){0});
        pcs_ode_report report;
        CK_OK(pcs_integrator_advance(run, t + 0.3, &report));
        ck_assert_int_eq(report.events, simple);
        ck_assert_int_le(report.touches, z.n - simple);
        missed += (int)(z.n - simple - report.touches);
        const pcs_event_found *found;
        const int n = pcs_integrator_found(run, &found);
        for (int i = 0, j = 0; i < n; ++i, ++j) {
            while (j < z.n && fabs(z.at[j] - found[i].t) > 1e-6)
                ++j; // a touch that was missed
            ck_assert_int_lt(j, z.n);
            ck_assert_int_eq(z.power[j] == 2, found[i].direction == 0);
            if (z.power[j] == 1) CK_NEAR(found[i].t, z.at[j], 1e-10);
        }
        pcs_integrator_destroy(run);
    }
    ck_assert_int_le(missed, 2); // next to the seam of two steps
}

// every callback counts down to a failure
static long until_failure;

static bool fails_now(void)
{
    return until_failure > 0 && --until_failure == 0;
}

static int swing(void *user, double t, const double *x, double *f)
{
    f[0] = x[1];
    f[1] = fails_now() ? NAN : -x[0];
    return 0;
}

static int first(void *user, double t, const double *x, double *g)
{
    *g = fails_now() ? NAN : x[0] - *(const double *)user;
    return 0;
}

static int normal(void *user, double t, double *x)
{
    const double size = hypot(x[0], x[1]);
    x[0] /= size;
    x[1] /= size;
    return fails_now();
}

TEST(a_failure_anywhere_changes_nothing)
{
    // at whichever call: time, state, dense output and events are those before the step, and the
    // run continues to the same end
    double level[2] = {0.3, -0.5};
    const pcs_event events[2] = {{.g = first, .user = &level[0]},
                                 {.g = first, .terminal = true, .user = &level[1]}};
    for (int kind = 0; kind < 4; ++kind) {
        const pcs_ode ode = {.n = 2, .f = swing, .project = kind & 1 ? normal : NULL};
        pcs_ode_opts opts = pcs_ode_opts_fixed(pcs_tableau_sdirk4(), 0.1);
        if (kind < 2) opts = pcs_ode_opts_default();
        long k = 0;
        do {
            pcs_integrator *run = open(&ode, &opts, 2, events, (double[]){1, 0});
            until_failure = ++k;
            pcs_ode_report report;
            for (int tries = 0; tries < 4 && pcs_integrator_t(run) < 3; ++tries) {
                const pcs_status status = pcs_integrator_advance(run, 3, &report);
                const double t = pcs_integrator_t(run), *x = pcs_integrator_x(run);
                CK_NEAR(x[0], cos(t), 1e-5);
                CK_NEAR(x[1], -sin(t), 1e-5);
                if (status == PCS_OK) continue;
                double y[2];
                for (double back = 0; pcs_integrator_at(run, t - back, y) == PCS_OK; back += 0.01) {
                    CK_NEAR(y[0], cos(t - back), 1e-5);
                }
            }
            ck_assert_double_eq(pcs_integrator_t(run), 3);
            ck_assert_int_eq(report.events, 2);
            pcs_integrator_destroy(run);
        } while (until_failure == 0);
        until_failure = 0;
        ck_assert(k > 100);
    }
}

static int fails_late(void *user, double t, const double *x, double *g)
{
    *g = t > 1 ? NAN : 1;
    return 0;
}

TEST(bad_event_functions_leave_the_state)
{
    const pcs_ode ode = {.n = 1, .f = rest};
    const pcs_event event = {.g = fails_late};
    const pcs_ode_opts opts = pcs_ode_opts_fixed(pcs_tableau_rk4(), 0.3);
    pcs_integrator *run = open(&ode, &opts, 1, &event, (double[]){0});
    CK_FAILS(pcs_integrator_advance(run, 6, NULL), PCS_ERR_CALLBACK);
    ck_assert(pcs_integrator_t(run) < 1);
    CK_NEAR(pcs_integrator_x(run)[0], pcs_integrator_t(run), 1e-15);
    CK_FAILS(pcs_integrator_set_events(run, 1, &(pcs_event){.g = NULL}), PCS_ERR_ARG);
    CK_FAILS(pcs_integrator_set_events(run, 1, &(pcs_event){.g = clock, .direction = 2}),
             PCS_ERR_ARG);
    pcs_integrator_destroy(run);
}
