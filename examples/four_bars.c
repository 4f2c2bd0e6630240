// A row of four-bars: N + 1 upright bars on hinges, whose upper ends N bars connect; the benchmark
// of Gonzalez, Dopico, Luaces and Cuadrado (Multibody System Dynamics 16, 2006).
//
// All bars are 1 m long and 1 kg heavy and begin with 1 m/s at their upper ends. The parallelograms
// stay parallelograms: with the angle a of the upright bars from the vertical
//
//     a'^2 = v^2 / l^2 + 2 k / I (1 - cos a),  I = ((N + 1) / 3 + N) m l^2,  k = ((N + 1) / 2 + N)
//     m g l.
//
// Twice in a turn all bars lie on one line. There the loops could as well change to the other
// shape of a four-bar, N + 1 freedoms instead of one, and rows of the joints depend on each other.
// In space 5 rows for each of 3 N + 1 hinges hold 6 velocities of each of 2 N + 1 bars: 3 N of them
// are redundant. The cost of a step is proportional to N.
#include "args.h"
#include "checks/refined.h"
#include "example.h"
#include "flags/run_flags.h"
#include "scenes/mechanism.h"

#include <percuss/integration.h>

#include <math.h>

#define HEADER  "t,angle,rate,force"
#define COLUMNS "write every step: time, angle of the first bar, its rate, force in its hinge"

typedef struct settings {
    run_settings run;
    int loops;
    double mass, length, speed; // kg, m, m/s
} settings;

static void read_flags(settings *set, int argc, char **argv)
{
    *set = (settings){
        .run = {.gravity = 9.81, .scheme = pcs_scheme_default(), .h = 2.5e-3, .t_end = 2},
        .loops = 3,
        .mass = 1,
        .length = 1,
        .speed = 1};
    args a = {.about = "A row of four-bars that turns past its singular places, against the closed "
                       "form of its rate.",
              .table = COLUMNS};
    args_int(&a, "--loops", &set->loops, 1, 1000, "number of four-bars");
    args_positive(&a, "--mass", &set->mass, 10, "kg", "mass of a bar");
    args_positive(&a, "--length", &set->length, 3, "m", "length of a bar");
    args_real(&a, "--speed", &set->speed, 0.5, 5, "m/s", "of the upper ends at the start");
    run_parse(&a, &set->run, RUN_GRAVITY, argc, argv);
    set->run.scheme.solver.tol = 1e-10;
    set->run.scheme.proj_tol = 1e-12;
}

static pcs_status build(const void *user, pcs_scene **out)
{
    const settings *set = user;
    const pcs_system world = {0};
    const double l = set->length, y[3] = {0, 1, 0};
    PCS_TRY(run_scene(&set->run, "A row of four-bars turns.", out));
    pcs_model *model = (*out)->model;
    pcs_system left = world, right, across;
    for (int i = 0; i <= set->loops; ++i) {
        const bar upright = {.a = {i * l},
                             .b = {i * l, 0, l},
                             .vb = {set->speed},
                             .mass = set->mass,
                             .width = 0.05 * l,
                             .J = set->mass * l * l / 12};
        const bar level = {.a = {(i - 1) * l, 0, l},
                           .b = {i * l, 0, l},
                           .va = {set->speed},
                           .vb = {set->speed},
                           .mass = set->mass,
                           .width = 0.05 * l,
                           .J = set->mass * l * l / 12};
        const pcs_joint_kind hinge = PCS_JOINT_HINGE;
        PCS_TRY(mechanism_bar(model, &upright, &right));
        PCS_TRY(mechanism_joint(model, hinge, right, world, upright.a, y, NULL));
        if (i > 0) {
            PCS_TRY(mechanism_bar(model, &level, &across));
            PCS_TRY(mechanism_joint(model, hinge, across, left, level.a, y, NULL));
            PCS_TRY(mechanism_joint(model, hinge, across, right, level.b, y, NULL));
        }
        left = right;
    }
    return PCS_OK;
}

// the angle of the first bar, its rate, and the force in its hinge
static pcs_status read(const pcs_model *model, const pcs_state *state, pcs_work *work, double *y)
{
    pcs_joint_state hinge;
    PCS_TRY(pcs_state_joint(model, state, work, (pcs_interaction){1}, &hinge));
    y[0] = hinge.position[0];
    y[1] = hinge.speed[0];
    const double *F = hinge.force1;
    y[2] = sqrt(F[0] * F[0] + F[1] * F[1] + F[2] * F[2]);
    return PCS_OK;
}

static int rate(void *user, double t, const double *x, double *xdot)
{
    (void)t;
    const settings *set = user;
    const double N = set->loops, l = set->length, start = set->speed / l;
    const double I = (N + 1) / 3 + N, k = (N + 1) / 2 + N;
    xdot[0] = sqrt(start * start + 2 * k / I * set->run.gravity / l * (1 - cos(x[0])));
    return 0;
}

static pcs_status integrate(const settings *set, double exact[2])
{
    const pcs_ode ode = {.n = 1, .f = rate, .user = (void *)set};
    pcs_ode_opts opts = pcs_ode_opts_default();
    pcs_integrator *run = NULL;
    opts.rtol = opts.atol = 1e-12;
    PCS_TRY(pcs_integrator_create(NULL, &ode, &opts, &run));
    pcs_status status = pcs_integrator_start(run, 0, (const double[]){0});
    if (status == PCS_OK) status = pcs_integrator_advance(run, set->run.t_end, NULL);
    if (status == PCS_OK) {
        exact[0] = pcs_integrator_x(run)[0];
        rate((void *)set, set->run.t_end, exact, exact + 1);
    }
    pcs_integrator_destroy(run);
    return status;
}

static pcs_status run(const void *user, csv *out, checks *c)
{
    const settings *set = user;
    double exact[2];
    refined r = {.n = 2, .others = 1, .read = read, .out = out};
    PCS_TRY(integrate(set, exact));
    PCS_TRY(refined_run(&r, build, set));
    printf("%d loops: %.3f turns, past %d singular places\n", set->loops, exact[0] / (8 * atan(1)),
           (int)(exact[0] / (4 * atan(1)) + 0.5));
    for (int k = 0; k < REFINED_RUNS; ++k) {
        r.y[k][0] = exact[0] + remainder(r.y[k][0] - exact[0], 8 * atan(1));
    }
    *c = checks_begin();
    // a step that ends near a singular place adds an error of its own
    check_value(c, "angle with h / 4 (rad)", r.y[2][0], exact[0], 5e-3);
    check_value(c, "rate with h / 4 (rad/s)", r.y[2][1], exact[1], 5e-3 * exact[1]);
    check_joined(c, &r, 1e-11 * set->length,
                 2 * set->loops * set->mass * set->run.gravity * set->length);
    return PCS_OK;
}

int main(int argc, char **argv)
{
    settings set;
    read_flags(&set, argc, argv);
    return example_run_scene(build, run, &set, &set.run, HEADER);
}
