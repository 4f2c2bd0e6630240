// A slider-crank whose slider has clearance between its two guides: the example of Flores, Leine
// and Glocker (Multibody System Dynamics 23, 2010), with their masses and lengths;
// --spin 0 is their start, from which the slider never tilts.
//
// Each corner of the slider is in contact with a guide or not, with Newton's impact law and
// Coulomb friction: the slider flies, bounces, slides on one corner, two of a diagonal, or a side.
// Crank and rod of lengths l, L and the height z of the pin in the slider give its place exactly,
//
//     x = l cos a + sqrt(L^2 - (l sin a - z)^2),
//
// and with z = 0 that of the ideal slider-crank, from which x differs by at most the clearance
// times the largest slope of the rod. Its crank turns with
//
//     w^2 = 2 (E - V(a)) / I(a),   I(a) w^2 / 2 the kinetic energy, V(a) the potential one,
//
// which with the energy E of the start gives the ideal motion. Friction and impacts only take
// energy; the rate of the crank agrees with what is left of it, but for the flights of the slider.
#include "args.h"
#include "checks/run_tally.h"
#include "example.h"
#include "flags/run_flags.h"
#include "scenes/mechanism.h"
#include "scenes/simulation.h"

#include <percuss/integration.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#define HEADER "t,angle,angle_ideal,rate,x,z,tilt,corners"
#define COLUMNS \
    "write every step: time, crank angle, that without clearance, its rate, slider, corners"
#define WIDTH 0.01 // of the bars, m
#define DEPTH 0.02 // of the slider, m

typedef struct settings {
    run_settings run;
    double length[2], mass[3], J[3]; // of crank, rod, slider: m, kg, kg m^2
    double half[2], clearance;       // half length and height of the slider, m
    double rate, spin;               // of crank and slider at the start, rad/s
    double e, mu;
} settings;

static void read_flags(settings *set, int argc, char **argv)
{
    *set = (settings){
        .run = {.gravity = 9.81, .scheme = pcs_scheme_moreau_jean(), .h = 2e-5, .t_end = 0.08},
        .length = {0.153, 0.306},
        .mass = {0.038, 0.038, 0.076},
        .J = {7.4e-5, 5.9e-4, 2.7e-6},
        .half = {0.05, 0.025},
        .clearance = 1e-3,
        .rate = 150,
        .spin = 3,
        .e = 0.4,
        .mu = 0.01};
    args a = {.about = "A slider-crank with clearance between the slider and its guides.",
              .table = COLUMNS};
    args_real(&a, "--crank", &set->length[0], 0.1, 0.2, "m", "length of the crank");
    args_real(&a, "--rod", &set->length[1], 0.15, 1, "m", "length of the rod");
    args_positive(&a, "--slider-mass", &set->mass[2], 3, "kg", "mass of the slider");
    args_real(&a, "--clearance", &set->clearance, 2e-4, 3e-3, "m", "above and below the slider");
    args_real(&a, "--rate", &set->rate, 50, 200, "rad/s", "of the crank at the start");
    args_real(&a, "--spin", &set->spin, -20, 20, "rad/s", "of the slider at the start");
    args_real(&a, "--e", &set->e, 0, 0.9, "", "restitution of slider and guides");
    args_real(&a, "--mu", &set->mu, 0, 0.1, "", "friction of slider and guides");
    run_parse(&a, &set->run, RUN_GRAVITY, argc, argv);
    if (set->length[1] < 1.3 * set->length[0]) {
        args_refuse("--rod %g m must be at least 1.3 times as long as the crank", set->length[1]);
    }
    set->run.scheme.configuration = PCS_CONFIGURATION_MIDDLE;
    set->run.scheme.projection = PCS_PROJECTION_DIRECT;
    set->run.scheme.proj_tol = 1e-12;
    set->run.scheme.solver.tol = 1e-10;
}

static pcs_status add_guides(pcs_model *model, const settings *set)
{
    const double d = -set->half[1] - set->clearance;
    const pcs_shape guide[2] = {pcs_shape_half_space((const double[]){0, 0, 1}, d),
                                pcs_shape_half_space((const double[]){0, 0, -1}, d)};
    pcs_material steel;
    PCS_TRY(pcs_model_add_material(model, &(pcs_material_def){.e = set->e, .mu = set->mu}, &steel));
    for (int i = 0; i < 2; ++i) {
        PCS_TRY(pcs_model_add_shape(model, (pcs_system){0}, &guide[i], steel));
    }
    return PCS_OK;
}

// crank and rod along x
static pcs_status build(const void *user, pcs_scene **out)
{
    const settings *set = user;
    const double l = set->length[0], L = set->length[1], origin[3] = {0}, back[3] = {0, -1, 0};
    const double knee[3] = {l, 0, 0}, pin[3] = {l + L, 0, 0};
    pcs_system crank, rod, slider;
    PCS_TRY(run_scene(&set->run, "A slider-crank with clearance between slider and guides.", out));
    pcs_model *model = (*out)->model;
    const bar turning = {.b = {l},
                         .vb = {0, 0, set->rate * l},
                         .mass = set->mass[0],
                         .J = set->J[0],
                         .width = WIDTH};
    const bar pushing = {.a = {l},
                         .b = {l + L},
                         .va = {0, 0, set->rate * l},
                         .mass = set->mass[1],
                         .J = set->J[1],
                         .width = WIDTH};
    PCS_TRY(mechanism_bar(model, &turning, &crank));
    PCS_TRY(mechanism_bar(model, &pushing, &rod));
    pcs_body_def def = pcs_body_def_default();
    const pcs_shape box = pcs_shape_box(2 * set->half[0], DEPTH, 2 * set->half[1]);
    def.mass = set->mass[2];
    def.inertia[0] = def.inertia[4] = def.inertia[8] = set->J[2];
    def.position[0] = pin[0];
    def.omega[1] = -set->spin;
    PCS_TRY(pcs_model_add_body(model, &def, &slider));
    PCS_TRY(pcs_model_add_shape(model, slider, &box, (pcs_material){0}));
    PCS_TRY(add_guides(model, set));
    PCS_TRY(mechanism_joint(model, PCS_JOINT_HINGE, crank, (pcs_system){0}, origin, back, NULL));
    PCS_TRY(mechanism_joint(model, PCS_JOINT_HINGE, rod, crank, knee, back, NULL));
    return mechanism_joint(model, PCS_JOINT_HINGE, slider, rod, pin, back, NULL);
}

// ---- without clearance ---------------------------------------------------------------------------

// I(a) and V(a)
static void ideal(const settings *set, double a, double *inertia, double *potential)
{
    const double l = set->length[0], L = set->length[1], s = l * sin(a), c = l * cos(a);
    const double along = sqrt(L * L - s * s), *m = set->mass;
    // speeds for a rate of 1: of the rod about its centre, its centre, the slider
    const double turn = -c / along, x = -s - s * c / along, rod_x = 0.5 * (x - s), rod_z = 0.5 * c;
    *inertia = set->J[0] + m[0] * l * l / 4 + m[1] * (rod_x * rod_x + rod_z * rod_z) +
               set->J[1] * turn * turn + m[2] * x * x;
    *potential = (m[0] + m[1]) * set->run.gravity * s / 2;
}

// the crank angle: its rate by the energy, of which the crank has more than enough to turn
static int ideal_rate(void *user, double t, const double *x, double *xdot)
{
    (void)t;
    const settings *set = user;
    double start, inertia, potential;
    ideal(set, 0, &start, &potential);
    const double energy = 0.5 * start * set->rate * set->rate + potential;
    ideal(set, x[0], &inertia, &potential);
    xdot[0] = sqrt(2 * (energy - potential) / inertia);
    return 0;
}

// ---- steps ---------------------------------------------------------------------------------------

typedef struct result {
    const settings *set;
    csv *out;
    pcs_integrator *ideal;
    run_tally tally;
    double angle;                     // rad, of the crank, all turns
    double place, kinematics, most_z; // m, largest of all steps
    double rate;                      // relative, of the crank, from that by its energy
    double late;                      // rad, the ideal crank ahead
    long corners[5];                  // steps by the corners of the front face that touch
} result;

static int watch(void *user, const pcs_model *model, const pcs_state *state, pcs_work *work,
                 const pcs_step_report *report)
{
    result *r = user;
    const double l = r->set->length[0], L = r->set->length[1];
    pcs_joint_state crank;
    int count = 0, corners = 0;
    const pcs_contact *contact = NULL;
    PCS_TRY(run_tally_step(&r->tally, model, state, work, report));
    PCS_TRY(pcs_state_joint(model, state, NULL, (pcs_interaction){1}, &crank));
    if (report) PCS_TRY(pcs_work_contacts(work, &count, &contact));
    for (int i = 0; i < count; ++i) {
        corners += contact[i].shape1 >= 0 && contact[i].P1[1] > 0 && contact[i].r[0] > 0;
    }
    r->corners[corners] += 1;
    r->angle += remainder(crank.position[0] - r->angle, 8 * atan(1));
    if (report) PCS_TRY(pcs_integrator_advance(r->ideal, state->t, NULL));
    const double *q = pcs_state_read_q(model, state, (pcs_system){3});
    const double x = q[0], z = q[2], *w = pcs_integrator_x(r->ideal);
    const double s = l * sin(r->angle), c = l * cos(r->angle);
    r->kinematics = fmax(r->kinematics, fabs(x - c - sqrt(L * L - (s - z) * (s - z))));
    r->place = fmax(r->place, fabs(x - c - sqrt(L * L - s * s)));
    r->most_z = fmax(r->most_z, fabs(z));
    double inertia, potential;
    ideal(r->set, r->angle, &inertia, &potential);
    const double by_energy = sqrt(2 * (r->tally.energy - potential) / inertia);
    r->rate = fmax(r->rate, fabs(crank.speed[0] / by_energy - 1));
    r->late = w[0] - r->angle;
    CSV_ROW(r->out, state->t, r->angle, w[0], crank.speed[0], x, z, 2 * atan2(-q[5], q[3]),
            corners);
    return 0;
}

static pcs_status turn(const settings *set, result *r, simulation *s)
{
    const pcs_ode ode = {.n = 1, .f = ideal_rate, .user = (void *)set};
    pcs_ode_opts opts = pcs_ode_opts_default();
    opts.rtol = opts.atol = 1e-10;
    PCS_TRY(pcs_integrator_create(NULL, &ode, &opts, &r->ideal));
    PCS_TRY(pcs_integrator_start(r->ideal, 0, (const double[]){0}));
    PCS_TRY(build(set, &s->scene));
    return simulation_run(s, 1, watch, r);
}

static pcs_status run(const void *user, csv *out, checks *c)
{
    const settings *set = user;
    result r = {.set = set, .out = out};
    simulation s = {0};
    const pcs_status status = turn(set, &r, &s);
    simulation_close(&s);
    pcs_integrator_destroy(r.ideal);
    if (status != PCS_OK) return status;
    printf("%ld steps; with 0, 1, 2 corners in contact: %ld, %ld, %ld\n"
           "crank: %.3f turns, %.4f behind that without clearance; energy: %.4f J, %.4f J lost\n",
           r.tally.steps, r.corners[0], r.corners[1], r.corners[2], r.angle / (8 * atan(1)),
           r.late / (8 * atan(1)), r.tally.start, r.tally.start - r.tally.energy);
    *c = checks_begin();
    const double l = set->length[0], L = set->length[1], most = l + set->clearance;
    check_value(c, "joints (m)", r.tally.open, 0, 1e-11);
    check_value(c, "place by angle and height (m)", r.kinematics, 0, 1e-10);
    check_value(c, "place without clearance (m)", r.place, 0,
                set->clearance * most / sqrt(L * L - most * most));
    // the slider has the energy of its flights besides
    check_value(c, "rate of the crank by its energy", r.rate, 0, 0.02 + 5 * set->clearance / l);
    const double angle = set->rate * set->run.h; // of a step, whose energy is of second order
    check_value(c, "rise of energy in a step (J)", r.tally.rise, 0, angle * angle * r.tally.start);
    check_that(c, "energy is lost", r.tally.energy < r.tally.start, "by friction and impacts");
    check_value(c, "energy ledger of every step (J)", r.tally.closure, 0, 1e-12 * r.tally.start);
    return PCS_OK;
}

int main(int argc, char **argv)
{
    settings set;
    read_flags(&set, argc, argv);
    return example_run_scene(build, run, &set, &set.run, HEADER);
}
