// A cam lifts a follower, which leaves it above a certain speed.
//
// The cam is a disc of the radius R that turns at omega about an axis at the distance d from its
// centre. With the angle phi = omega t - pi/2 of its centre, the follower has the height
//
//     s = d sin phi + R                                 with a flat face
//     s = d sin phi + sqrt((R + r)^2 - (d cos phi)^2)   with a round one of radius r (centre)
//
// A spring with the force P in the lowest position and the stiffness k presses the follower of the
// mass m on the cam, with the force
//
//     N = m (g + omega^2 s'') + P + k (s - s_low).
//
// It is positive all the way round up to the speed omega_c, the least of
//
//     omega_c^2 = (m g + P + k (s - s_low)) / (-m s'')
//
// over the angles with s'' < 0; with the flat face omega_c^2 = (k + (m g + P + k d) / d) / m. Above
// it the follower flies off where N = 0, as z'' = -g - (P + k (z - s_low)) / m, until it lands.
#include "args.h"
#include "example.h"
#include "flags/run_flags.h"
#include "scenes/rotating.h"
#include "scenes/simulation.h"

#include <percuss/force.h>
#include <percuss/joint.h>
#include <percuss/motion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#define HEADER "t,angle,z,z_closed,force,force_closed"
#define COLUMNS \
    "write every step: time, angle of the cam, height and force, both in closed form, too"
#define PI 3.14159265358979323846

enum { FLAT, ROUND };

typedef struct settings {
    run_settings run;
    int follower, steps;
    double radius, distance, roller, mass, stiffness, preload; // distance: over the radius
    double speed;                                              // over that of detachment
    double d, critical, omega;                                 // m; rad/s
    pcs_motion motion;                                         // of the cam
} settings;

// ---- the motion in closed form ------------------------------------------------------------------

// height, and its first and second derivative with respect to the angle
static void lift(const settings *set, double phi, double s[3])
{
    const double d = set->d, c = cos(phi), sn = sin(phi);
    s[0] = d * sn + set->radius;
    s[1] = d * c;
    s[2] = -d * sn;
    if (set->follower == FLAT) return;
    const double root = sqrt(pow(set->radius + set->roller, 2) - d * d * c * c);
    const double first = d * d * sn * c / root;
    s[0] = d * sn + root;
    s[1] += first;
    s[2] += (d * d * (c * c - sn * sn) - first * first) / root;
}

static double low(const settings *set)
{
    double s[3];
    lift(set, -0.5 * PI, s);
    return s[0];
}

// of spring and weight at the height z
static double press(const settings *set, double z)
{
    return set->mass * set->run.gravity + set->preload + set->stiffness * (z - low(set));
}

static double force_at(const settings *set, double phi)
{
    double s[3];
    lift(set, phi, s);
    return press(set, s[0]) + set->mass * set->omega * set->omega * s[2];
}

static double critical_speed(const settings *set)
{
    enum { PARTS = 20000 };
    double least = INFINITY;
    for (int i = 0; i < PARTS; ++i) {
        double s[3];
        lift(set, 2 * PI * i / PARTS, s);
        if (s[2] < 0) least = fmin(least, press(set, s[0]) / (-set->mass * s[2]));
    }
    return sqrt(least);
}

// the first flight
typedef struct flight {
    double start, end; // s; infinite when there is none
    double z, v;       // at its start
} flight;

static double height_in(const settings *set, const flight *f, double t)
{
    const double w = sqrt(set->stiffness / set->mass),
                 rest = low(set) - press(set, low(set)) / set->stiffness;
    return rest + (f->z - rest) * cos(w * (t - f->start)) + f->v / w * sin(w * (t - f->start));
}

static double angle_at(const settings *set, double t)
{
    return set->omega * t - 0.5 * PI;
}

static double clearance(const settings *set, const flight *f, double t)
{
    double s[3];
    lift(set, angle_at(set, t), s);
    return height_in(set, f, t) - s[0];
}

static flight first_flight(const settings *set)
{
    const double turn = 2 * PI / set->omega, look = turn / 5000;
    flight f = {INFINITY, INFINITY, 0, 0};
    for (double t = 0; t < turn; t += look) {
        if (force_at(set, angle_at(set, t)) > 0) continue;
        double before = t - look, after = t, s[3];
        for (int i = 0; i < 60; ++i) {
            const double middle = 0.5 * (before + after);
            *(force_at(set, angle_at(set, middle)) > 0 ? &before : &after) = middle;
        }
        lift(set, angle_at(set, after), s);
        f = (flight){after, INFINITY, s[0], set->omega * s[1]};
        break;
    }
    for (double t = f.start + look; t < f.start + 10 * turn; t += look) {
        if (clearance(set, &f, t) > 0) continue;
        double before = t - look, after = t;
        for (int i = 0; i < 60; ++i) {
            const double middle = 0.5 * (before + after);
            *(clearance(set, &f, middle) > 0 ? &before : &after) = middle;
        }
        f.end = after;
        break;
    }
    return f;
}

// ---- the model ----------------------------------------------------------------------------------

static pcs_status add_follower(pcs_model *model, const settings *set, pcs_system *follower)
{
    const double width = 3 * (set->radius + set->d), thick = 0.2 * set->radius, z = low(set);
    const bool flat = set->follower == FLAT;
    pcs_body_def def =
        pcs_body_def_of_inertia(flat ? pcs_inertia_box(set->mass, width, width, thick)
                                     : pcs_inertia_sphere(set->mass, set->roller));
    def.position[2] = z;
    PCS_TRY(pcs_model_add_body(model, &def, follower));
    pcs_shape shape = flat ? pcs_shape_box(width, width, thick) : pcs_shape_sphere(set->roller);
    if (flat) shape.position[2] = 0.5 * thick; // the height is that of the face
    PCS_TRY(pcs_model_add_shape(model, *follower, &shape, (pcs_material){0}));

    pcs_joint_def guide = pcs_joint_def_default(PCS_JOINT_SLIDER);
    guide.system1 = *follower;
    PCS_TRY(pcs_model_add_joint(model, &guide, NULL));
    pcs_force_def spring = pcs_force_def_default(PCS_FORCE_SPRING);
    spring.system1 = *follower;
    spring.p2[2] = z + 20 * set->radius;
    spring.stiffness = set->stiffness;
    spring.length = 20 * set->radius + set->preload / set->stiffness;
    return pcs_model_add_force(model, &spring, NULL);
}

static pcs_status build(const void *user, pcs_scene **out)
{
    const settings *set = user;
    PCS_TRY(run_scene(&set->run,
                      set->follower == FLAT ? "A cam lifts a follower with a flat face."
                                            : "A cam lifts a follower with a round face.",
                      out));
    pcs_model *model = (*out)->model;
    pcs_system follower, cam;
    PCS_TRY(add_follower(model, set, &follower));
    pcs_body_def def = pcs_body_def_default();
    def.motion = pcs_motion_follow;
    def.user = (void *)&set->motion; // the model borrows it
    PCS_TRY(pcs_model_add_body(model, &def, &cam));
    pcs_shape round = pcs_shape_cylinder(set->radius, 0.5 * set->radius);
    round.position[0] = set->d;
    const double across[3] = {1, 0, 0};
    PCS_TRY(pcs_quat_from_axis_angle(across, 0.5 * PI, round.orientation));
    return pcs_model_add_shape(model, cam, &round, (pcs_material){0});
}

// ---- a run --------------------------------------------------------------------------------------

// data that the observer collects, until the end of the first flight
typedef struct result {
    const settings *set;
    csv *out; // or null
    flight exact;
    double start, end;   // of the first flight, s
    double place, force; // largest errors: m; of the change of the inertia in a step
    double change;       // that change, N
    long loose;          // steps that did not converge
} result;

static int watch(void *user, const pcs_model *model, const pcs_state *state, pcs_work *work,
                 const pcs_step_report *report)
{
    (void)model;
    result *r = user;
    const settings *set = r->set;
    const pcs_contact *contact;
    const double t = state->t, h = set->run.h;
    double s[3], force = 0;
    int n = 0;
    if (report) {
        PCS_TRY(pcs_work_contacts(work, &n, &contact));
        r->loose += report->outcome != PCS_OUTCOME_CONVERGED;
    }
    for (int i = 0; i < n; ++i) {
        // along the guide, which holds the rest
        if (contact[i].interaction == 0) force += fabs(contact[i].F[2]) * contact[i].r[0] / h;
    }
    if (report && force == 0 && isinf(r->start)) r->start = t - 0.5 * h;
    if (force > 0 && !isinf(r->start) && isinf(r->end)) r->end = t - 0.5 * h;
    lift(set, angle_at(set, t), s);
    const bool flies = t > r->exact.start && t <= r->exact.end;
    const double z = flies ? height_in(set, &r->exact, t) : s[0];
    const double expected = flies ? 0 : force_at(set, angle_at(set, t - 0.5 * h));
    if (t < r->exact.end) {
        r->place = fmax(r->place, fabs(state->q[2] - z));
        // the first step starts with the velocity at t = 0, the others with that in the middle
        if (t > 1.5 * h) r->force = fmax(r->force, fabs(force - expected) / r->change);
    }
    if (r->out) CSV_ROW(r->out, t, angle_at(set, t), state->q[2], z, force, expected);
    return 0;
}

// with so many steps in a turn, at this part of the speed of detachment
static void set_speed(settings *set, double speed, int steps)
{
    set->omega = speed * set->critical;
    set->run.h = 2 * PI / set->omega / steps;
    // on the way down the follower lags behind by an error of this size: it must not count as
    // lifted
    set->run.scheme.hysteresis = 5 * pow(2 * PI / steps, 2) * set->d;
    set->motion = pcs_motion_default();
    set->motion.axis[1] = -1;
    set->motion.axis[2] = 0;
    set->motion.angle[0] = -0.5 * PI;
    set->motion.angle[1] = set->omega;
    // a turn, and a little of what follows the landing
    const double landing = first_flight(set).end;
    set->run.t_end = set->run.h * steps;
    if (isfinite(landing))
        set->run.t_end = fmax(set->run.t_end, landing + 0.05 * set->run.h * steps);
}

static pcs_status turn_cam(const settings *set, double speed, int steps, csv *out, result *r)
{
    settings now = *set;
    set_speed(&now, speed, steps);
    *r = (result){
        .set = &now, .out = out, .exact = first_flight(&now), .start = INFINITY, .end = INFINITY};
    r->change = 2 * PI / steps * now.mass * now.omega * now.omega * now.d;
    simulation sim = {0};
    pcs_status status = build(&now, &sim.scene);
    if (status == PCS_OK) status = simulation_run(&sim, 1, watch, r);
    simulation_close(&sim);
    r->set = NULL;
    return status;
}

static void read_flags(settings *set, int argc, char **argv)
{
    *set = (settings){.run = {.gravity = 9.81, .scheme = rotating_scheme(1e-13)},
                      .steps = 1000,
                      .radius = 0.04,
                      .distance = 0.3,
                      .roller = 0.01,
                      .mass = 0.5,
                      .stiffness = 2000,
                      .preload = 20,
                      .speed = 1.2};
    args a = {.about = "A cam lifts a follower: its lift, its force, and the speed at which it "
                       "leaves the cam.",
              .table = COLUMNS};
    args_choice(&a, "--follower", &set->follower, "flat|round", "face of the follower");
    args_positive(&a, "--radius", &set->radius, 10, "m", "radius of the cam");
    args_real(&a, "--distance", &set->distance, 0.02, 0.8, "",
              "of its axis from its centre, over the radius");
    args_positive(&a, "--roller", &set->roller, 5, "m", "radius of the round face");
    args_positive(&a, "--mass", &set->mass, 100, "kg", "mass of the follower");
    args_positive(&a, "--stiffness", &set->stiffness, 20, "N/m", "of the spring");
    args_real(&a, "--preload", &set->preload, 0, 500, "N",
              "force of the spring in the lowest position");
    args_real(&a, "--speed", &set->speed, 1.05, 2, "", "of the cam over the speed of detachment");
    args_int(&a, "--steps", &set->steps, 200, 20000, "steps per turn");
    run_parse(&a, &set->run, RUN_GRAVITY, argc, argv);
    set->d = set->distance * set->radius;
    set->critical = critical_speed(set);
    set->run.scheme.configuration = PCS_CONFIGURATION_PREDICTED;
    set_speed(set, set->speed, set->steps);
}

static pcs_status run(const void *user, csv *out, checks *c)
{
    const settings *set = user;
    const double around = 2 * PI / set->steps;
    result under, over, stays[2], flies[2];
    long loose = 0;
    printf("it leaves the cam above %.9g rad/s\n", set->critical);
    PCS_TRY(turn_cam(set, 0.99, set->steps, NULL, &under));
    PCS_TRY(turn_cam(set, 1.01, set->steps, NULL, &over));
    for (int k = 0; k < 2; ++k) {
        PCS_TRY(turn_cam(set, 0.8, set->steps << k, NULL, &stays[k]));
        PCS_TRY(turn_cam(set, set->speed, set->steps << k, k == 0 ? out : NULL, &flies[k]));
        loose += stays[k].loose + flies[k].loose;
    }
    const flight *f = &flies[0].exact;
    printf("at %g of this speed it flies from %.6g s to %.6g s\n", set->speed, f->start, f->end);
    *c = checks_begin();
    check_value(c, "steps not converged", (double)loose, 0, 0);
    check_that(c, "on the cam at 0.99 of the speed", isinf(under.start), "yes");
    check_that(c, "flies at 1.01 of the speed", isfinite(over.start), "yes");
    const double fine = around * around * set->d;
    check_value(c, "height on the cam (m)", stays[0].place, 0, 2 * fine);
    check_order(c, "order of this height", log2(stays[0].place / stays[1].place), 1.7);
    check_value(c, "height in flight (m)", flies[0].place, 0, 20 * fine);
    check_value(c, "force, over the change in a step", stays[0].force, 0, 2);
    const double h = 2 * PI / (set->speed * set->critical * set->steps);
    check_value(c, "start of the flight (steps)", (flies[0].start - f->start) / h, 0, 2);
    check_value(c, "end of the flight (steps)", (flies[0].end - f->end) / h, 0, 3);
    return PCS_OK;
}

int main(int argc, char **argv)
{
    settings set;
    read_flags(&set, argc, argv);
    return example_run_scene(build, run, &set, &set.run, HEADER);
}
