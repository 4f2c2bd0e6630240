// The loop of control, physics and display: rates, the zero-order hold, separation of the parts,
// both kinds of physics, failures.
#include "support.h"

#include <percuss/simulator.h>

#include <stdio.h>

// ---- a double integrator: x = (position, speed), u = acceleration

static int double_integrator(void *user, double t, const double *x, const double *u, double *xdot)
{
    xdot[0] = x[1];
    xdot[1] = u[0];
    return 0;
}

typedef struct pilot {
    double times[1000];
    int calls;
    int fails_at; // the call that fails
    double bad;   // the error, or the value returned
} pilot;

static int pd_control(void *user, double t, const double *x, double *u)
{
    pilot *p = user;
    if (p->calls < 1000) p->times[p->calls] = t;
    p->calls += 1;
    u[0] = -4 * x[0] - 3 * x[1];
    if (p->fails_at && p->calls == p->fails_at) {
        if (p->bad == 0) return 1;
        u[0] = p->bad;
    }
    return 0;
}

typedef struct log_lines {
    int n, stop_at;
    double t[1000], x[1000], u[1000];
} log_lines;

static int write_line(void *user, double t, const double *x, const double *u)
{
    log_lines *l = user;
    if (l->n < 1000) {
        l->t[l->n] = t;
        l->x[l->n] = x[0];
        l->u[l->n] = u[0];
    }
    l->n += 1;
    return l->stop_at && l->n == l->stop_at;
}

static pcs_physics cart(const pcs_ode_opts *opts)
{
    const pcs_controlled system = {.n = 2, .m = 1, .f = double_integrator};
    pcs_physics physics;
    CK_OK(pcs_physics_of_system(NULL, &system, opts, &physics));
    return physics;
}

static pcs_simulator *simulate(const pcs_simulator_def *def)
{
    pcs_simulator *sim;
    CK_OK(pcs_simulator_create(NULL, def, &sim));
    return sim;
}

static void run_to(const pcs_simulator_def *def, double t_end, double x[2])
{
    pcs_simulator *sim = simulate(def);
    CK_OK(pcs_simulator_run(sim, t_end, NULL));
    memcpy(x, pcs_simulator_x(sim), 2 * sizeof *x);
    pcs_simulator_destroy(sim);
}

TEST(commands_are_held)
{
    // with the command held over T the cart moves by x + T v + T^2 u / 2 exactly: the closed loop
    // is a recursion
    const pcs_ode_opts opts = pcs_ode_opts_fixed(pcs_tableau_rk4(), 0.01);
    pilot p = {0};
    pcs_physics physics = cart(&opts);
    const pcs_simulator_def def = {.physics = physics,
                                   .x0 = (double[]){1, 0},
                                   .h = 0.01,
                                   .control = pd_control,
                                   .control_period = 0.25,
                                   .control_user = &p};
    pcs_simulator *sim = simulate(&def);
    double x = 1, v = 0;
    const double T = 0.25;
    for (int k = 0; k < 40; ++k) {
        const double u = -4 * x - 3 * v;
        CK_OK(pcs_simulator_run(sim, (k + 0.5) * T, NULL));
        CK_NEAR(pcs_simulator_u(sim)[0], u, 1e-13);
        CK_OK(pcs_simulator_run(sim, (k + 1) * T - 1e-6, NULL));
        x += T * v + T * T * u / 2;
        v += T * u;
        CK_NEAR(pcs_simulator_x(sim)[0], x, 1e-5);
    }
    CK_OK(pcs_simulator_run(sim, 10, NULL));
    CK_NEAR(pcs_simulator_x(sim)[0], x, 1e-13);
    CK_NEAR(pcs_simulator_x(sim)[1], v, 1e-13);
    pcs_simulator_destroy(sim);
    pcs_physics_release(&physics);
}

TEST(every_part_has_its_own_rate)
{
    // control every 0.03 s, inside steps of 0.02 s; display every 0.1 s
    pilot p = {0};
    log_lines log = {0};
    pcs_physics physics = cart(NULL);
    pcs_simulator_def def = {.physics = physics,
                             .t0 = 5,
                             .x0 = (double[]){1, 0},
                             .h = 0.02,
                             .control = pd_control,
                             .control_period = 0.03,
                             .control_user = &p,
                             .display = write_line,
                             .display_period = 0.1,
                             .display_user = &log};
    pcs_simulator *sim = simulate(&def);
    pcs_simulator_report report;
    CK_OK(pcs_simulator_run(sim, 8, &report));
    ck_assert_double_eq(pcs_simulator_t(sim), 8);
    ck_assert_int_eq(p.calls, 101);
    ck_assert_int_eq(report.controls, 101);
    ck_assert_int_eq(log.n, 31);
    for (int k = 0; k < p.calls; ++k) {
        CK_NEAR(p.times[k], 5 + k * 0.03, 1e-12);
    }
    for (int k = 0; k < log.n; ++k) {
        CK_NEAR(log.t[k], 5 + k * 0.1, 1e-12);
    }
    // 150 steps, half of the controls are within a step and divide it
    ck_assert_int_eq(report.steps, 200);
    ck_assert(!report.stopped);
    pcs_simulator_destroy(sim);
    pcs_physics_release(&physics);
}

TEST(observing_changes_nothing)
{
    double end[3][2];
    for (int k = 0; k < 3; ++k) {
        pilot p = {0};
        log_lines log = {0};
        pcs_physics physics = cart(NULL);
        const pcs_simulator_def def = {.physics = physics,
                                       .x0 = (double[]){1, 0},
                                       .h = 0.02,
                                       .control = pd_control,
                                       .control_period = 0.04,
                                       .control_user = &p,
                                       .display = k > 0 ? write_line : NULL,
                                       .display_period = k == 1 ? 0 : 0.0333,
                                       .display_user = &log};
        run_to(&def, 3, end[k]);
        pcs_physics_release(&physics);
    }
    ck_assert(memcmp(end[0], end[1], sizeof end[0]) == 0);
    ck_assert(memcmp(end[0], end[2], sizeof end[0]) == 0);
}

TEST(the_display_may_stop)
{
    log_lines log = {.stop_at = 4};
    pcs_physics physics = cart(NULL);
    const pcs_simulator_def def = {.physics = physics,
                                   .x0 = (double[]){1, 2},
                                   .h = 0.1,
                                   .display = write_line,
                                   .display_user = &log};
    pcs_simulator *sim = simulate(&def);
    pcs_simulator_report report;
    CK_OK(pcs_simulator_run(sim, 3, &report));
    ck_assert(report.stopped);
    CK_NEAR(pcs_simulator_t(sim), 0.3, 1e-12);
    CK_NEAR(pcs_simulator_x(sim)[0], 1.6, 1e-12);
    // the run can continue
    CK_OK(pcs_simulator_run(sim, 3, &report));
    ck_assert(!report.stopped);
    CK_NEAR(pcs_simulator_x(sim)[0], 7, 1e-12);
    pcs_simulator_destroy(sim);
    pcs_physics_release(&physics);
}

// the same cart as an equation that reads its command from the caller's memory
static int cart_of_caller(void *user, double t, const double *x, double *xdot)
{
    xdot[0] = x[1];
    xdot[1] = *(const double *)user;
    return 0;
}

TEST(any_smooth_system_is_physics)
{
    double end[2][2], command = 7;
    for (int k = 0; k < 2; ++k) {
        const pcs_ode ode = {.n = 2, .f = cart_of_caller, .user = &command};
        pilot p = {0};
        pcs_physics physics;
        if (k == 0) {
            physics = cart(NULL);
        } else {
            CK_OK(pcs_physics_of_ode(NULL, &ode, NULL, 1, &command, &physics));
        }
        const pcs_simulator_def def = {.physics = physics,
                                       .x0 = (double[]){1, 0},
                                       .h = 0.02,
                                       .control = pd_control,
                                       .control_user = &p};
        run_to(&def, 1, end[k]);
        pcs_physics_release(&physics);
    }
    ck_assert(memcmp(end[0], end[1], sizeof end[0]) == 0);
    pcs_physics physics;
    CK_FAILS(pcs_physics_of_ode(NULL, NULL, NULL, 0, NULL, &physics), PCS_ERR_ARG);
}

// ---- a model: a ball pushed by the command, that falls on the ground

typedef struct ball_scene {
    pcs_model *model;
    pcs_state *state;
    pcs_work *work;
    double command[1];
} ball_scene;

static int push(void *user, double t, const double q[7], const double v[6], double F[6])
{
    const ball_scene *s = user;
    memset(F, 0, 6 * sizeof *F);
    F[0] = s->command[0];
    return 0;
}

static void open_ball(ball_scene *s)
{
    *s = (ball_scene){0};
    CK_OK(pcs_model_create(NULL, &s->model));
    pcs_material_def rough = {.e = 0.6, .mu = 0.3};
    pcs_material material;
    CK_OK(pcs_model_add_material(s->model, &rough, &material));
    pcs_body_def def = pcs_body_def_default();
    def.position[2] = 0.5;
    def.force = push;
    def.user = s;
    pcs_system ball;
    CK_OK(pcs_model_add_body(s->model, &def, &ball));
    const pcs_shape sphere = pcs_shape_sphere(0.1);
    const pcs_shape ground = pcs_shape_half_space((double[]){0, 0, 1}, 0);
    CK_OK(pcs_model_add_shape(s->model, ball, &sphere, material));
    CK_OK(pcs_model_add_shape(s->model, (pcs_system){0}, &ground, material));
    CK_OK(pcs_state_create(s->model, &s->state));
    CK_OK(pcs_work_create(s->model, &s->work));
}

static void close_ball(ball_scene *s)
{
    pcs_work_destroy(s->work);
    pcs_state_destroy(s->state);
    pcs_model_destroy(s->model);
}

TEST(a_simulator_steps_a_model_as_pcs_step_does)
{
    ball_scene alone, within;
    open_ball(&alone);
    open_ball(&within);
    alone.command[0] = 2;
    CK_OK(pcs_run(alone.model, alone.state, alone.work, 0.01, 2, NULL, NULL, NULL));

    double x0[13];
    memcpy(x0, within.state->q, 7 * sizeof *x0);
    memcpy(x0 + 7, within.state->v, 6 * sizeof *x0);
    pcs_physics physics;
    CK_OK(pcs_physics_of_model(NULL, within.model, within.state, within.work, 1, within.command,
                               &physics));
    ck_assert_int_eq(physics.n, 13);
    const pcs_simulator_def def = {.physics = physics, .x0 = x0, .u0 = (double[]){2}, .h = 0.01};
    pcs_simulator *sim = simulate(&def);
    CK_OK(pcs_simulator_run(sim, 2, NULL));
    const double *x = pcs_simulator_x(sim);
    for (int i = 0; i < 13; ++i) {
        CK_NEAR(x[i], i < 7 ? alone.state->q[i] : alone.state->v[i - 7], 1e-11);
    }
    ck_assert(x[0] > 0.5); // it was pushed
    pcs_simulator_destroy(sim);
    pcs_physics_release(&physics);
    close_ball(&alone);
    close_ball(&within);
}

// keeps the ball near the origin
static int bring_back(void *user, double t, const double *x, double *u)
{
    u[0] = -5 * (x[0] - 0.3) - 3 * x[7];
    return 0;
}

TEST(a_model_obeys_a_control)
{
    ball_scene s;
    open_ball(&s);
    double x0[13];
    memcpy(x0, s.state->q, 7 * sizeof *x0);
    memcpy(x0 + 7, s.state->v, 6 * sizeof *x0);
    pcs_physics physics;
    CK_OK(pcs_physics_of_model(NULL, s.model, s.state, s.work, 1, s.command, &physics));
    const pcs_simulator_def def = {
        .physics = physics, .x0 = x0, .h = 0.005, .control = bring_back, .control_period = 0.02};
    pcs_simulator *sim = simulate(&def);
    CK_OK(pcs_simulator_run(sim, 12, NULL));
    // the ball is on the ground, at its target, at rest
    CK_NEAR(pcs_simulator_x(sim)[0], 0.3, 5e-3);
    CK_NEAR(pcs_simulator_x(sim)[2], 0.1, 1e-3);
    CK_NEAR(pcs_simulator_x(sim)[7], 0, 5e-3);
    pcs_simulator_destroy(sim);
    pcs_physics_release(&physics);
    close_ball(&s);
}

// ---- failures

static int fails_late(void *user, double t, const double *x, const double *u, double *xdot)
{
    xdot[0] = 1;
    xdot[1] = t > *(double *)user ? NAN : 0;
    return 0;
}

TEST(failures_leave_the_records)
{
    // the control refuses, or returns NaN, at its fifth call
    for (int k = 0; k < 2; ++k) {
        pilot p = {.fails_at = 5, .bad = k == 0 ? 0 : NAN};
        pcs_physics physics = cart(NULL);
        const pcs_simulator_def def = {.physics = physics,
                                       .x0 = (double[]){1, 0},
                                       .h = 0.1,
                                       .control = pd_control,
                                       .control_user = &p};
        pcs_simulator *sim = simulate(&def);
        CK_FAILS(pcs_simulator_run(sim, 3, NULL), PCS_ERR_CALLBACK);
        CK_NEAR(pcs_simulator_t(sim), 0.4, 1e-12);
        ck_assert(isfinite(pcs_simulator_u(sim)[0]));
        // a control that works again is called again
        CK_OK(pcs_simulator_run(sim, 3, NULL));
        ck_assert_double_eq(pcs_simulator_t(sim), 3);
        pcs_simulator_destroy(sim);
        pcs_physics_release(&physics);
    }

    double until = 1.05;
    const pcs_controlled system = {.n = 2, .m = 0, .f = fails_late, .user = &until};
    pcs_physics physics;
    const pcs_ode_opts opts = pcs_ode_opts_fixed(pcs_tableau_rk4(), 0.1);
    CK_OK(pcs_physics_of_system(NULL, &system, &opts, &physics));
    const pcs_simulator_def def = {.physics = physics, .x0 = (double[]){0, 0}, .h = 0.1};
    pcs_simulator *sim = simulate(&def);
    CK_FAILS(pcs_simulator_run(sim, 3, NULL), PCS_ERR_CALLBACK);
    CK_NEAR(pcs_simulator_t(sim), 1, 1e-12);
    CK_NEAR(pcs_simulator_x(sim)[0], 1, 1e-12);
    until = 10;
    CK_OK(pcs_simulator_run(sim, 3, NULL));
    CK_NEAR(pcs_simulator_x(sim)[0], 3, 1e-12);
    pcs_simulator_destroy(sim);
    pcs_physics_release(&physics);
}

TEST(bad_definitions_are_refused)
{
    pcs_physics physics = cart(NULL);
    pcs_simulator *sim;
    const pcs_simulator_def good = {.physics = physics, .x0 = (double[]){1, 0}, .h = 0.1};
    pcs_simulator_def d = good;
    d.h = 0;
    CK_FAILS(pcs_simulator_create(NULL, &d, &sim), PCS_ERR_ARG);
    d = good;
    d.x0 = (double[]){NAN, 0};
    CK_FAILS(pcs_simulator_create(NULL, &d, &sim), PCS_ERR_ARG);
    d = good;
    d.control_period = -1;
    CK_FAILS(pcs_simulator_create(NULL, &d, &sim), PCS_ERR_ARG);
    d = good;
    d.physics = (pcs_physics){0};
    CK_FAILS(pcs_simulator_create(NULL, &d, &sim), PCS_ERR_ARG);
    CK_FAILS(pcs_simulator_create(NULL, NULL, &sim), PCS_ERR_ARG);
    CK_OK(pcs_simulator_create(NULL, &good, &sim));
    CK_FAILS(pcs_simulator_run(sim, -1, NULL), PCS_ERR_ARG);
    CK_FAILS(pcs_simulator_run(sim, NAN, NULL), PCS_ERR_ARG);
    pcs_simulator_destroy(sim);
    ck_assert_double_eq(pcs_simulator_t(NULL), 0);
    ck_assert_ptr_null(pcs_simulator_x(NULL));
    ck_assert_ptr_null(pcs_simulator_u(NULL));
    pcs_simulator_destroy(NULL);
    pcs_physics_release(&physics);
    pcs_physics_release(&physics);
    pcs_physics_release(NULL);
    CK_FAILS(pcs_physics_of_system(NULL, NULL, NULL, &physics), PCS_ERR_ARG);
    CK_FAILS(pcs_physics_of_model(NULL, NULL, NULL, NULL, 0, NULL, &physics), PCS_ERR_ARG);
}

// ---- a failure in the middle, and going on

static long until_failure;

static int pushed(void *user, double t, const double *x, const double *u, double *xdot)
{
    xdot[0] = x[1];
    xdot[1] = u[0] - x[0];
    return until_failure > 0 && --until_failure == 0;
}

static int against(void *user, double t, const double *x, double *u)
{
    u[0] = -x[1];
    return 0;
}

TEST(a_run_goes_on_after_any_failure)
{
    // the first call with a new command may fail too: the stored f belongs to the old command
    const pcs_controlled system = {.n = 2, .m = 1, .f = pushed};
    double reference[2] = {0};
    for (long k = 0; k < 300; ++k) {
        pcs_physics physics;
        const pcs_ode_opts opts = pcs_ode_opts_fixed(pcs_tableau_dormand_prince(), 0.01);
        CK_OK(pcs_physics_of_system(NULL, &system, &opts, &physics));
        const pcs_simulator_def def = {.physics = physics,
                                       .x0 = (double[]){1, 0.5},
                                       .h = 0.01,
                                       .control = against,
                                       .control_period = 0.033};
        pcs_simulator *sim = simulate(&def);
        until_failure = k;
        if (pcs_simulator_run(sim, 0.2, NULL) != PCS_OK) CK_OK(pcs_simulator_run(sim, 0.2, NULL));
        for (int i = 0; i < 2; ++i) {
            if (k == 0) reference[i] = pcs_simulator_x(sim)[i];
            CK_NEAR(pcs_simulator_x(sim)[i], reference[i], 1e-15);
        }
        pcs_simulator_destroy(sim);
        pcs_physics_release(&physics);
    }
    until_failure = 0;
}
