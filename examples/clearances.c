// A four-bar with three hinges that have clearance: pins in larger holes.
//
// A pin may be anywhere in its hole, up to the clearance c from the centre, where it hits the wall
// or slides along it without friction: a rope of length c between the centres, with Newton's impact
// law. Planar joints keep rod and rocker in the plane of the crank, which turns about O on a hinge
// without clearance. With the directions u of crank, rod and rocker, which turns about C, and the
// distances d of the pins from the centres of their holes, the loop is open by no more than these,
//
//     | l1 u1 + l2 u2 - l3 u3 - (C - O) | <= d1 + d2 + d3 <= 3 c.
//
// Without clearance it is closed, and the angle of the rocker a function of that of the crank. With
// mu the angle between rod and rocker it differs from this by at most (d1 + d2 + d3) / (l3 sin mu),
// to first order. Impacts only take energy.
#include "args.h"
#include "checks/run_tally.h"
#include "example.h"
#include "flags/run_flags.h"
#include "scenes/mechanism.h"
#include "scenes/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define HEADER "t,crank,rocker,rocker_ideal,a,b,c"
#define COLUMNS                                                                              \
    "write every step: time, angles of crank and rocker, that without clearance, pins from " \
    "centres"
#define WIDTH 0.02 // of the bars, m

typedef struct settings {
    run_settings run;
    double length[3], base, mass[3]; // of crank, rod, rocker; from O to C: m, kg
    double clearance, e, rate;       // m; restitution; of the crank at the start, rad/s
} settings;

static void read_flags(settings *set, int argc, char **argv)
{
    *set = (settings){
        .run = {.gravity = 9.81, .scheme = pcs_scheme_moreau_jean(), .h = 5e-5, .t_end = 0.6},
        .length = {0.1, 0.4, 0.3},
        .base = 0.45,
        .mass = {2, 0.4, 0.3},
        .clearance = 5e-4,
        .e = 0.5,
        .rate = 20};
    args a = {.about = "A four-bar with clearance in three of its hinges.", .table = COLUMNS};
    args_real(&a, "--clearance", &set->clearance, 5e-5, 2e-3, "m", "of the three hinges");
    args_real(&a, "--e", &set->e, 0, 0.9, "", "restitution of pins and holes");
    args_real(&a, "--rate", &set->rate, 10, 40, "rad/s", "of the crank at the start");
    args_positive(&a, "--crank-mass", &set->mass[0], 4, "kg", "mass of the crank");
    run_parse(&a, &set->run, RUN_GRAVITY, argc, argv);
    set->run.scheme.configuration = PCS_CONFIGURATION_MIDDLE;
    set->run.scheme.projection = PCS_PROJECTION_DIRECT;
    set->run.scheme.proj_tol = 1e-12;
    set->run.scheme.solver.tol = 1e-10;
}

// The angle of the rocker from x without clearance, and the sine of that between rod and rocker.
static double ideal(const settings *set, double crank, double *sine)
{
    const double *l = set->length;
    const double x = l[0] * cos(crank) - set->base, z = l[0] * sin(crank), r = hypot(x, z);
    const double cosine = (l[1] * l[1] + l[2] * l[2] - r * r) / (2 * l[1] * l[2]);
    *sine = sqrt(1 - cosine * cosine);
    return atan2(z, x) - acos((r * r + l[2] * l[2] - l[1] * l[1]) / (2 * r * l[2]));
}

// a bar from a in the plane y = 0
static pcs_status add_bar(pcs_model *model, const settings *set, int which, double angle,
                          const double a[3], const double va[3], const double vb[3],
                          pcs_system *out)
{
    bar def = {.mass = set->mass[which], .width = WIDTH};
    memcpy(def.a, a, sizeof def.a);
    memcpy(def.va, va, sizeof def.va);
    memcpy(def.vb, vb, sizeof def.vb);
    def.b[0] = a[0] + set->length[which] * cos(angle);
    def.b[2] = a[2] + set->length[which] * sin(angle);
    return mechanism_bar(model, &def, out);
}

// a pin of body 1 in a hole of body 2, or of the world; places in the frames of the bodies
static pcs_status add_pin(pcs_model *model, const settings *set, pcs_system one, const double p1[3],
                          pcs_system two, const double p2[3])
{
    const pcs_interaction_def def = {pcs_relation_rope(p1, p2, set->clearance),
                                     pcs_law_newton_impact(set->e), one, two};
    return pcs_model_add_interaction(model, &def, NULL);
}

// The crank is along x, and rod and rocker at rest as in the ideal four-bar at this place, where
// the crank moves the end of the rod across; pins are beside the centres of their holes.
static pcs_status build(const void *user, pcs_scene **out)
{
    const settings *set = user;
    const double *l = set->length, y[3] = {0, 1, 0}, back[3] = {0, -1, 0}, still[3] = {0};
    double sine;
    const double rocker_angle = ideal(set, 0, &sine), low = 0.5 * set->clearance;
    const double O[3] = {0}, C[3] = {set->base, 0, 0}, up[3] = {0, 0, set->rate * l[0]};
    const double A[3] = {l[0], 0, -low}, foot[3] = {set->base - low, 0, 0};
    const double end[2] = {set->base + l[2] * cos(rocker_angle), l[2] * sin(rocker_angle)};
    const double rod_angle = atan2(end[1], end[0] - l[0]);
    pcs_system crank, rod, rocker;
    PCS_TRY(run_scene(&set->run, "A four-bar with clearance in three of its hinges.", out));
    pcs_model *model = (*out)->model;
    PCS_TRY(add_bar(model, set, 0, 0, O, still, up, &crank));
    PCS_TRY(add_bar(model, set, 1, rod_angle, A, up, still, &rod));
    PCS_TRY(add_bar(model, set, 2, rocker_angle, foot, still, still, &rocker));
    PCS_TRY(mechanism_joint(model, PCS_JOINT_HINGE, crank, (pcs_system){0}, O, back, NULL));
    PCS_TRY(mechanism_joint(model, PCS_JOINT_PLANAR, rod, (pcs_system){0}, A, y, NULL));
    PCS_TRY(mechanism_joint(model, PCS_JOINT_PLANAR, rocker, (pcs_system){0}, foot, y, NULL));
    const double ends[3][2][3] = {{{0, 0, -l[0] / 2}, {0, 0, l[0] / 2}},
                                  {{0, 0, -l[1] / 2}, {0, 0, l[1] / 2}},
                                  {{0, 0, -l[2] / 2}, {0, 0, l[2] / 2}}};
    PCS_TRY(add_pin(model, set, rod, ends[1][0], crank, ends[0][1]));
    PCS_TRY(add_pin(model, set, rod, ends[1][1], rocker, ends[2][1]));
    return add_pin(model, set, rocker, ends[2][0], (pcs_system){0}, C);
}

typedef struct result {
    const settings *set;
    csv *out;
    run_tally tally;
    double pin[3], loop, rocker; // largest: m; m, beyond its bound; over its bound
    double turned;               // rad, of the crank
    long hits;                   // steps in which a pin pushes
} result;

// the direction of a bar, and its ends
static void place(const pcs_model *model, const pcs_state *state, int id, double length,
                  double u[3], double ends[2][3])
{
    const double *q = pcs_state_read_q(model, state, (pcs_system){id});
    pcs_quat_rotate(q + 3, (const double[]){0, 0, 1}, u);
    for (int i = 0; i < 3; ++i) {
        ends[0][i] = q[i] - 0.5 * length * u[i];
        ends[1][i] = q[i] + 0.5 * length * u[i];
    }
}

static double distance(const double a[3], const double b[3])
{
    return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

static int watch(void *user, const pcs_model *model, const pcs_state *state, pcs_work *work,
                 const pcs_step_report *report)
{
    result *r = user;
    const settings *set = r->set;
    const double *l = set->length, C[3] = {set->base, 0, 0};
    double u[3][3], ends[3][2][3], loop[3], sine;
    int count = 0;
    const pcs_contact *contact = NULL;
    PCS_TRY(run_tally_step(&r->tally, model, state, work, report));
    if (report) PCS_TRY(pcs_work_contacts(work, &count, &contact));
    for (int i = 0; i < 3; ++i) {
        place(model, state, i + 1, l[i], u[i], ends[i]);
    }
    const double pin[3] = {distance(ends[1][0], ends[0][1]), distance(ends[1][1], ends[2][1]),
                           distance(ends[2][0], C)};
    for (int i = 0; i < 3; ++i) {
        r->pin[i] = fmax(r->pin[i], pin[i]);
        loop[i] = l[0] * u[0][i] + l[1] * u[1][i] - l[2] * u[2][i];
    }
    const double sum = pin[0] + pin[1] + pin[2];
    r->loop = fmax(r->loop, distance(loop, C) - sum);
    const double crank = atan2(u[0][2], u[0][0]), rocker = atan2(u[2][2], u[2][0]);
    const double exact = ideal(set, crank, &sine), bound = sum / (l[2] * sine);
    r->rocker = fmax(r->rocker, fabs(remainder(rocker - exact, 8 * atan(1))) / bound);
    r->turned += remainder(crank - r->turned, 8 * atan(1));
    for (int i = 0; i < count; ++i) {
        r->hits += contact[i].law.kind == PCS_LAW_NEWTON_IMPACT && contact[i].r[0] > 0;
    }
    CSV_ROW(r->out, state->t, crank, rocker, exact, pin[0], pin[1], pin[2]);
    return 0;
}

static pcs_status turn(const settings *set, result *r, simulation *s)
{
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
    if (status != PCS_OK) return status;
    const double step = set->rate * set->run.h;
    printf("%ld steps, %.3f turns of the crank; pins push %ld times; energy %.4f J, %.4f J lost\n",
           r.tally.steps, r.turned / (8 * atan(1)), r.hits, r.tally.start,
           r.tally.start - r.tally.energy);
    *c = checks_begin();
    const double pin = fmax(r.pin[0], fmax(r.pin[1], r.pin[2]));
    check_value(c, "pins beyond their holes (m)", fmax(0, pin - set->clearance), 0,
                set->length[0] * step);
    check_that(c, "loop of the bars", r.loop <= 1e-10, "open by what the pins allow");
    check_that(c, "angle of the rocker", r.rocker <= 1.1, "off the ideal one by what they allow");
    check_value(c, "joints (m)", r.tally.open, 0, 1e-11);
    check_value(c, "rise of energy in a step (J)", r.tally.rise, 0, step * step * r.tally.start);
    check_that(c, "energy is lost", r.tally.energy < r.tally.start, "by impacts");
    check_value(c, "energy ledger of every step (J)", r.tally.closure, 0, 1e-12 * r.tally.start);
    return PCS_OK;
}

int main(int argc, char **argv)
{
    settings set;
    read_flags(&set, argc, argv);
    return example_run_scene(build, run, &set, &set.run, HEADER);
}
