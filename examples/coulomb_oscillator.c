// A mass on a spring with dry friction, whose other end is shaken: Den Hartog's oscillator (1931).
//
// With the stiffness k, the mass m, omega_n^2 = k / m, the end moved by a cos(omega t + phi), r =
// omega / omega_n, the friction F = f k a and motion without stops, the steady motion has the
// amplitude
//
//     X = a sqrt(V^2 - (f U)^2),   V = 1 / (1 - r^2),   U = sin(pi / r) / (r (1 + cos(pi / r))),
//
// X / a = 2.7114153 for r = 0.8 and 0.7659417 for r = 1.5, both with f = 0.2. From x = X, v = 0 at
// t = 0 and sin phi = -f U / V the half cycle in which the mass moves back is
//
//     x = a f - a f (cos w + s / (1 + c) sin w) + a V cos(omega t + phi),   w = omega_n t,
//
// c, s = cos, sin(pi / r). With an even number of steps per cycle
// the friction changes its sign at the end of a step, and the error is of order h^2; else of h.
#include "args.h"
#include "example.h"
#include "flags/run_flags.h"
#include "scenes/simulation.h"

#include <percuss/force.h>
#include <percuss/motion.h>

#include <math.h>
#include <stdio.h>

#define HEADER  "t,x,v,x_closed,tension"
#define COLUMNS "write every step: time, place, speed, place in closed form, tension of the spring"
#define PI      3.14159265358979323846
#define HEIGHT  0.01 // of the centre of the mass, m

typedef struct settings {
    run_settings run;
    double mass, stiffness, shake; // kg, N/m, m
    double ratio, friction;        // r, f
    int steps, cycles;
    double X, phi, V, omega; // m, rad, -, rad/s
    pcs_motion motion;       // of the end that is shaken
} settings;

// the steady motion at time t
static double place_at(const settings *set, double t)
{
    const double half = PI / set->omega, k = floor(t / half), sign = fmod(k, 2) == 0 ? 1 : -1;
    const double w = set->omega / set->ratio * (t - k * half), at = set->omega * (t - k * half);
    const double c = cos(PI / set->ratio), s = sin(PI / set->ratio), f = set->friction;
    const double x = f - f * (cos(w) + s / (1 + c) * sin(w)) + set->V * cos(at + set->phi);
    return sign * set->shake * x;
}

static void solve_steady(settings *set)
{
    const double r = set->ratio, f = set->friction;
    set->V = 1 / (1 - r * r);
    const double fU = f * sin(PI / r) / (r * (1 + cos(PI / r)));
    if (!(fabs(fU) < fabs(set->V))) args_refuse("with this friction the mass stops for a while");
    set->phi = asin(-fU / set->V);
    set->X = set->shake * set->V * cos(set->phi);
    if (set->V < 0) { // above resonance it moves against the end
        set->phi = PI - set->phi;
        set->X = -set->X;
    }
    set->omega = r * sqrt(set->stiffness / set->mass);

    // it moves back all the way from X to -X
    double before = set->X;
    for (int i = 1; i <= 1000; ++i) {
        const double x = place_at(set, i * 1e-3 * PI / set->omega * (1 - 1e-9));
        if (!(x < before)) args_refuse("with this friction the mass stops for a while");
        before = x;
    }
}

static void read_flags(settings *set, int argc, char **argv)
{
    *set = (settings){.run = {.gravity = 9.81, .scheme = pcs_scheme_moreau_jean()},
                      .mass = 1,
                      .stiffness = 100,
                      .shake = 0.05,
                      .ratio = 0.8,
                      .friction = 0.2,
                      .steps = 800,
                      .cycles = 10};
    args a = {.about =
                  "A mass on a spring with dry friction, shaken: its amplitude, by Den Hartog.",
              .table = COLUMNS};
    args_positive(&a, "--mass", &set->mass, 100, "kg", "mass");
    args_positive(&a, "--stiffness", &set->stiffness, 100, "N/m", "stiffness of the spring");
    args_positive(&a, "--shake", &set->shake, 10, "m", "amplitude of the end that is shaken");
    args_real(&a, "--ratio", &set->ratio, 0.6, 2, "", "frequency over that of the free mass");
    args_real(&a, "--friction", &set->friction, 0, 0.5, "", "friction over stiffness times shake");
    args_int(&a, "--steps", &set->steps, 50, 100000, "steps per cycle");
    args_int(&a, "--cycles", &set->cycles, 1, 1000, "number of cycles");
    run_parse(&a, &set->run, 0, argc, argv);
    if (fabs(set->ratio - 1) < 0.05) args_refuse("at resonance the amplitude has no limit");
    solve_steady(set);
    set->run.h = 2 * PI / set->omega / set->steps;
    set->run.t_end = set->run.h * set->steps * set->cycles;
    set->run.scheme.solver.tol = 1e-12;
    set->motion = pcs_motion_default();
    set->motion.position[0] = -10 * set->shake;
    set->motion.position[2] = HEIGHT;
    set->motion.amplitude[0] = set->shake;
    set->motion.frequency = set->omega / (2 * PI);
    set->motion.phase = set->phi + 0.5 * PI;
}

static pcs_status build(const void *user, pcs_scene **out)
{
    const settings *set = user;
    const double edge = 0.4;
    PCS_TRY(run_scene(&set->run, "A mass on a spring with dry friction is shaken.", out));
    pcs_model *model = (*out)->model;
    pcs_material rough;
    const double mu = set->friction * set->stiffness * set->shake / (set->mass * set->run.gravity);
    PCS_TRY(pcs_model_add_material(model, &(pcs_material_def){.mu = mu}, &rough));
    const pcs_shape floor = pcs_shape_half_space((const double[]){0, 0, 1}, 0);
    PCS_TRY(pcs_model_add_shape(model, (pcs_system){0}, &floor, rough));

    pcs_force_def spring = pcs_force_def_default(PCS_FORCE_SPRING);
    pcs_body_def mass = pcs_body_def_of_inertia(pcs_inertia_box(set->mass, edge, edge, 2 * HEIGHT));
    mass.position[0] = set->X;
    mass.position[2] = HEIGHT;
    PCS_TRY(pcs_model_add_body(model, &mass, &spring.system1));
    const pcs_shape box = pcs_shape_box(edge, edge, 2 * HEIGHT);
    PCS_TRY(pcs_model_add_shape(model, spring.system1, &box, rough));

    pcs_body_def end = pcs_body_def_default();
    end.motion = pcs_motion_follow;
    end.user = (void *)&set->motion; // the model borrows it
    PCS_TRY(pcs_model_add_body(model, &end, &spring.system2));
    spring.stiffness = set->stiffness;
    spring.length = 10 * set->shake;
    return pcs_model_add_force(model, &spring, NULL);
}

// data that the observer collects
typedef struct result {
    const settings *set;
    csv *out;
    double most, error, closure; // m, m, J
} result;

static int watch(void *user, const pcs_model *model, const pcs_state *state, pcs_work *work,
                 const pcs_step_report *report)
{
    (void)work;
    result *r = user;
    pcs_force_result spring;
    const double x = state->q[0], closed = place_at(r->set, state->t);
    PCS_TRY(pcs_state_force(model, state, (pcs_force){1}, &spring));
    r->most = fmax(r->most, fabs(x));
    r->error = fmax(r->error, fabs(x - closed));
    if (report) r->closure = fmax(r->closure, fabs(report->energy.closure));
    CSV_ROW(r->out, state->t, x, state->v[0], closed, spring.force);
    return 0;
}

static pcs_status shake(const settings *set, result *r, simulation *s)
{
    PCS_TRY(build(set, &s->scene));
    return simulation_run(s, 1, watch, r);
}

static pcs_status run(const void *user, csv *out, checks *c)
{
    const settings *set = user;
    simulation s = {0};
    result r = {.set = set, .out = out};
    const pcs_status status = shake(set, &r, &s);
    simulation_close(&s);
    if (status != PCS_OK) return status;
    printf("frequency ratio %g, friction ratio %g: amplitude / shake %.7f, in closed form %.7f\n",
           set->ratio, set->friction, r.most / set->shake, set->X / set->shake);
    *c = checks_begin();
    const double step = 2 * PI / set->steps, size = (set->X + set->shake) * fmax(1, fabs(set->V));
    const double part = set->steps % 2 == 0 ? 2 * step * step : step;
    check_value(c, "amplitude (m)", r.most, set->X, part * size);
    check_value(c, "place, every step (m)", r.error, 0, part * size);
    const double energy = set->stiffness * size * size;
    check_value(c, "energy of every step (J)", r.closure, 0, 1e-12 * energy);
    return PCS_OK;
}

int main(int argc, char **argv)
{
    settings set;
    read_flags(&set, argc, argv);
    return example_run_scene(build, run, &set, &set.run, HEADER);
}
