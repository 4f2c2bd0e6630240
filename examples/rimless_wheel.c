// A wheel without a rim walks down a slope on its spokes, and comes to a steady speed.
//
// The n spokes have the length l and stand 2 alpha = 2 pi / n apart; the wheel has the mass m and
// the moment of inertia k m l^2. It turns about the foot of one spoke, with the angle a of the
// spoke from the normal of the slope gamma in [-alpha, alpha], until the next foot strikes. That
// impact is plastic and keeps the angular momentum about the foot that strikes:
//
//     omega+ = eta omega-,   eta = (k + cos 2 alpha) / (k + 1)
//     omega^2 + 2 kappa cos(a + gamma) = const,   kappa = g / (l (k + 1)), between the impacts.
//
// The squares of the speeds after the impacts are a linear sequence,
//
//     y' = eta^2 (y + 4 kappa sin alpha sin gamma),
//
// with the limit y = eta^2 / (1 - eta^2) 4 kappa sin alpha sin gamma. The model is a rigid prism
// with n corners on a plane with friction; the impacts are not located.
#include "args.h"
#include "example.h"
#include "flags/run_flags.h"
#include "scenes/rotating.h"
#include "scenes/simulation.h"
#include "study.h"

#include <percuss/meshes.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#define HEADER "t,x,height,a,omega,omega_closed"
#define COLUMNS                                                                                 \
    "write every step: time, place and height of the hub, angle of the spoke, speed, speed in " \
    "closed form"
#define PI 3.14159265358979323846

enum { MOST_SPOKES = 20, MOST_IMPACTS = 200, LEVELS = 3 };

typedef struct settings {
    run_settings run;
    double mass, length, k, slope, mu;
    double start; // speed at the start over that of the limit
    int spokes, impacts;
    double alpha, eta, kappa, limit; // limit: of the speed after an impact, rad/s
} settings;

// omega^2 at the angle a of a spoke that began with y = omega^2
static double speed2(const settings *set, double y, double a)
{
    return y + 2 * set->kappa * (cos(set->slope - set->alpha) - cos(a + set->slope));
}

static double next_speed2(const settings *set, double y)
{
    return set->eta * set->eta * speed2(set, y, set->alpha);
}

// the time from one impact to the next, by Simpson's rule
static double duration(const settings *set, double y)
{
    enum { PARTS = 400 };
    double sum = 0;
    for (int i = 0; i <= PARTS; ++i) {
        const double a = set->alpha * (2.0 * i / PARTS - 1);
        sum += (i == 0 || i == PARTS ? 1 : i % 2 ? 4 : 2) / sqrt(speed2(set, y, a));
    }
    return sum * 2 * set->alpha / (3 * PARTS);
}

// refuses what does not walk: wheels that stop, lift off or slip
static void refuse_others(const settings *set, double y)
{
    const double g = set->run.gravity, l = set->length;
    for (int i = 0; i <= 200; ++i) {
        const double a = set->alpha * (0.01 * i - 1), y_a = speed2(set, y, a);
        if (!(y_a > 0.01 * y))
            args_refuse("the wheel stops on a spoke: enlarge --slope or --start");
        const double turn = set->kappa * sin(a + set->slope);
        // of the hub, from the foot along the slope and normal to it
        const double along = l * (turn * cos(a) - y_a * sin(a)) - g * sin(set->slope);
        const double up = g * cos(set->slope) - l * (turn * sin(a) + y_a * cos(a));
        if (!(up > 0.1 * g)) args_refuse("the wheel lifts off: lower --slope or --start");
        if (!(fabs(along) < 0.95 * set->mu * up)) args_refuse("a foot slips: enlarge --mu");
    }
    // of the impact: from omega- / eta about the old foot to omega- about the new one
    const double along = (set->eta - 1) * cos(set->alpha), up = (set->eta + 1) * sin(set->alpha);
    if (!(fabs(along) < 0.95 * set->mu * up)) args_refuse("a foot slips: enlarge --mu");
}

static void read_flags(settings *set, int argc, char **argv)
{
    *set = (settings){.run = {.gravity = 9.81, .scheme = rotating_scheme(1e-12), .h = 4e-3},
                      .mass = 2,
                      .length = 0.3,
                      .k = 0.2,
                      .slope = 0.12,
                      .mu = 1.5,
                      .start = 1.4,
                      .spokes = 8,
                      .impacts = 8};
    args a = {.about = "A wheel without a rim walks down a slope: its impacts and steady speed.",
              .table = COLUMNS};
    args_positive(&a, "--mass", &set->mass, 1000, "kg", "mass of the wheel");
    args_positive(&a, "--length", &set->length, 10, "m", "length of a spoke");
    args_real(&a, "--inertia", &set->k, 0.01, 1, "", "moment of inertia over mass length^2");
    args_real(&a, "--slope", &set->slope, 0.01, 0.5, "rad", "slope");
    args_real(&a, "--mu", &set->mu, 0, 10, "", "friction");
    args_real(&a, "--start", &set->start, 0.5, 3, "", "speed at the start over the steady one");
    args_int(&a, "--spokes", &set->spokes, 5, MOST_SPOKES, "number of spokes");
    args_int(&a, "--impacts", &set->impacts, 3, MOST_IMPACTS, "number of impacts");
    run_parse(&a, &set->run, RUN_H | RUN_GRAVITY, argc, argv);
    set->alpha = PI / set->spokes;
    set->eta = (set->k + cos(2 * set->alpha)) / (set->k + 1);
    set->kappa = set->run.gravity / (set->length * (set->k + 1));
    const double gain = 4 * set->kappa * sin(set->alpha) * sin(set->slope),
                 eta2 = set->eta * set->eta;
    set->limit = sqrt(eta2 / (1 - eta2) * gain);
    double y = pow(set->start * set->limit, 2);
    set->run.t_end = 0;
    for (int i = 0; i < set->impacts; ++i) {
        refuse_others(set, y);
        set->run.t_end += duration(set, y);
        y = next_speed2(set, y);
    }
    set->run.t_end += 0.3 * duration(set, y);
    set->run.scheme.configuration = PCS_CONFIGURATION_PREDICTED; // of second order between impacts
}

static pcs_status add_wheel(pcs_scene *scene, const settings *set, pcs_material rough)
{
    const double l = set->length, width = 0.3 * l, y = pow(set->start * set->limit, 2);
    double corner[6 * MOST_SPOKES];
    for (int i = 0; i < 2 * set->spokes; ++i) {
        const double at = (i + 1 - i % 2) * set->alpha; // the first two feet stand on the slope
        corner[3 * i] = l * sin(at);
        corner[3 * i + 1] = i % 2 ? width / 2 : -width / 2;
        corner[3 * i + 2] = -l * cos(at);
    }
    pcs_geometry *prism;
    PCS_TRY(pcs_geometry_create_hull(NULL, 2 * set->spokes, corner, &prism));
    PCS_TRY(pcs_scene_keep(scene, prism));

    pcs_body_def def = pcs_body_def_default();
    def.mass = set->mass;
    def.inertia[4] = set->k * set->mass * l * l;
    def.inertia[0] = def.inertia[8] = 0.5 * def.inertia[4] + set->mass * width * width / 12;
    def.position[2] = l * cos(set->alpha);
    def.omega[1] = sqrt(y);
    def.velocity[0] = sqrt(y) * l * cos(set->alpha);
    def.velocity[2] = sqrt(y) * l * sin(set->alpha);
    pcs_system wheel;
    PCS_TRY(pcs_model_add_body(scene->model, &def, &wheel));
    const pcs_shape shape = pcs_shape_hull(prism);
    return pcs_model_add_shape(scene->model, wheel, &shape, rough);
}

// in the axes of the slope
static pcs_status build(const void *user, pcs_scene **out)
{
    const settings *set = user;
    const double g = set->run.gravity;
    pcs_material rough;
    PCS_TRY(run_scene(&set->run, "A wheel without a rim walks down a slope.", out));
    pcs_model *model = (*out)->model;
    PCS_TRY(pcs_model_set_gravity(model,
                                  (const double[]){g * sin(set->slope), 0, -g * cos(set->slope)}));
    PCS_TRY(pcs_model_add_material(model, &(pcs_material_def){.mu = set->mu}, &rough));
    const pcs_shape plane = pcs_shape_half_space((const double[]){0, 0, 1}, 0);
    PCS_TRY(pcs_model_add_shape(model, (pcs_system){0}, &plane, rough));
    return add_wheel(*out, set, rough);
}

// ---- a run --------------------------------------------------------------------------------------

// data that the observer collects
typedef struct result {
    const settings *set;
    csv *out;           // or null
    double before;      // speed at the end of the last step, rad/s
    double y;           // omega^2 after the last impact, closed form
    double t, due;      // time of the last impact, in closed form; of the next one
    double slip;        // largest of all steps, m/s
    double away;        // of the hub from the circle about the foot, at the end, m
    double speed, time; // sums of squares of relative errors: speed after an impact; time of it
    double last;        // speed after the last impact
    int impacts;
    long loose;
} result;

static void note_impact(result *r, double t, double omega)
{
    const settings *set = r->set;
    r->y = next_speed2(set, r->y);
    r->t = r->due;
    r->due += duration(set, r->y);
    r->speed += pow(omega / sqrt(r->y) - 1, 2);
    r->time += pow((t - r->t) / (r->due - r->t), 2);
    r->last = omega;
    r->impacts += 1;
}

static int watch(void *user, const pcs_model *model, const pcs_state *state, pcs_work *work,
                 const pcs_step_report *report)
{
    (void)model;
    result *r = user;
    const settings *set = r->set;
    const double *q = state->q, omega = state->v[4];
    if (report) {
        const pcs_contact *contact;
        int n;
        PCS_TRY(pcs_work_contacts(work, &n, &contact));
        for (int i = 0; i < n; ++i) {
            if (contact[i].active && contact[i].r[0] > 0) {
                r->slip = fmax(r->slip, hypot(contact[i].u[1], contact[i].u[2]));
            }
        }
        r->loose += report->outcome != PCS_OUTCOME_CONVERGED;
        // no other step changes the speed so much
        if (omega < 0.5 * (1 + set->eta) * r->before) note_impact(r, state->t, omega);
    }
    r->before = omega;
    const double turned = 2 * atan2(q[5], q[3]) - (1 + 2 * r->impacts) * set->alpha;
    const double a = remainder(turned, 2 * PI), l = set->length;
    const double foot = (1 + 2 * r->impacts) * l * sin(set->alpha);
    r->away = hypot(q[0] - foot - l * sin(a), q[2] - l * cos(a));
    if (!r->out) return 0;
    CSV_ROW(r->out, state->t, q[0], q[2], a, omega, sqrt(speed2(set, r->y, a)));
    return 0;
}

static pcs_status walk(const settings *set, double h, csv *out, result *r)
{
    settings finer = *set;
    finer.run.h = h;
    simulation s = {0};
    const double y = pow(set->start * set->limit, 2);
    *r = (result){.set = set, .out = out, .y = y, .due = duration(set, y)};
    pcs_status status = build(&finer, &s.scene);
    if (status == PCS_OK) status = simulation_run(&s, 1, watch, r);
    simulation_close(&s);
    return status;
}

static pcs_status run(const void *user, csv *out, checks *c)
{
    const settings *set = user;
    double h[LEVELS], speed[LEVELS], time[LEVELS], slip = 0, loose = 0;
    printf("eta %.9f, steady speed after an impact %.9f rad/s\n", set->eta, set->limit);
    result r = {0};
    for (int k = 0; k < LEVELS; ++k) {
        h[k] = ldexp(set->run.h, -2 * k);
        PCS_TRY(walk(set, h[k], k == 0 ? out : NULL, &r));
        speed[k] = sqrt(r.speed / r.impacts);
        time[k] = sqrt(r.time / r.impacts);
        slip = fmax(slip, r.slip);
        loose += (double)r.loose;
        printf("h = %g ms: %d impacts, the last with %.9f rad/s; relative errors: speed %.1e, time "
               "%.1e\n",
               1e3 * h[k], r.impacts, r.last, speed[k], time[k]);
    }
    *c = checks_begin();
    // a step turns beyond the angle of an impact by at most h omega; errors of omega^2 fall by
    // eta^2 from impact to impact
    const double last = h[LEVELS - 1], rate = set->kappa / set->limit;
    const double part = last * rate / (1 - set->eta * set->eta);
    check_value(c, "steps not converged", loose, 0, 0);
    check_value(c, "impacts", r.impacts, set->impacts, 0);
    check_value(c, "speed after impacts, relative", speed[LEVELS - 1], 0, part);
    check_order(c, "order of these speeds", study_slope(LEVELS, h, speed), 0.6);
    check_value(c, "times of impacts, relative", time[LEVELS - 1], 0, part * set->impacts);
    check_value(c, "slip (m/s)", slip, 0, 1e-9 * set->limit * set->length);
    const double arc = last * fmax(1, set->start) * set->limit * set->length;
    check_value(c, "hub from its circle (m)", r.away, 0, 2 * set->impacts * arc);
    return PCS_OK;
}

int main(int argc, char **argv)
{
    settings set;
    read_flags(&set, argc, argv);
    return example_run_scene(build, run, &set, &set.run, HEADER);
}
