// A box and a solid ball on a slope of angle b, with friction mu, from rest.
//
// The box sticks iff tan b <= mu; otherwise it slides with a = g (sin b - mu cos b). The ball rolls
// without slipping, a = 5/7 g sin b, iff tan b <= 7/2 mu, and slides with the same a as the box
// beyond. Each runs a little below and a little above its limit. Last, a box that sticks stands for
// a long time, and the example measures how far it creeps.
#include "args.h"
#include "example.h"
#include "flags/run_flags.h"
#include "scenes/slider.h"

#include <math.h>
#include <stdio.h>

#define ABOUT                                                                             \
    "A box and a ball on a slope: stick and slip just below and just above the friction " \
    "angle, and the creep of a box that sticks."
#define HEADER "t,ball,slope,x,v,a"
#define COLUMNS                                                                                 \
    "write every step: time, body (0 box, 1 ball), slope (rad), distance, speed, acceleration " \
    "in closed form"

typedef struct settings {
    run_settings run;
    slider_def def;
    double near;                // rad off the border
    double creep_h, creep_time; // of the box that is left alone
} settings;

static void read_flags(settings *set, int argc, char **argv)
{
    *set =
        (settings){.def =
                       {
                           .mass = 3,
                           .size = {0.6, 0.5, 0.2},
                           .radius = 0.1,
                           .mu = 0.5,
                       },
                   .run = {.h = 0.005, .t_end = 1, .gravity = 9.81, .scheme = pcs_scheme_default()},
                   .near = 1e-3,
                   .creep_h = 0.01,
                   .creep_time = 1000};
    set->run.scheme.solver.tol = 1e-13; // some hundred roundings
    args a = slider_args(&set->def, 0.05, 2, ABOUT, COLUMNS);
    args_real(&a, "--near", &set->near, 1e-5, 0.1, "rad",
              "distance of the slopes from their limits");
    args_positive(&a, "--creep-h", &set->creep_h, 10, "s", "time step for the box that sticks");
    args_real(&a, "--creep", &set->creep_time, 0, 1000, "s",
              "duration of the run of the box that sticks");
    run_parse(&a, &set->run, RUN_USUAL | RUN_THETA, argc, argv);
    if (set->creep_time / set->creep_h > 1e8) {
        args_refuse("--creep takes at most 1e8 steps of --creep-h");
    }

    if (set->near >= atan(set->def.mu)) {
        args_refuse("--near must be smaller than the friction angle, %g rad", atan(set->def.mu));
    }

    // friction must not tip the box before it slides
    const double steepest = atan(set->def.mu) + set->near;
    if (tan(steepest) > set->def.size[0] / set->def.size[2]) {
        args_refuse("on this slope the box topples; take a smaller --mu");
    }
}

// a run from rest to t_end: the acceleration beside its closed form
static pcs_status descend(checks *c, const settings *set, bool ball, double side, csv *out)
{
    slider_def def = set->def;
    def.ball = ball;
    def.slope = atan((ball ? 3.5 : 1) * def.mu) + side * set->near;
    const bool slips = side > 0;
    const double g = set->run.gravity;
    double a = g * (sin(def.slope) - def.mu * cos(def.slope));
    if (!slips) a = ball ? 5. / 7 * g * sin(def.slope) : 0;

    slider s;
    slider_view now;
    pcs_status status = slider_open(&def, &set->run, &s);
    for (long i = 1; status == PCS_OK && (double)i * set->run.h < set->run.t_end + 0.5 * set->run.h;
         ++i) {
        status = slider_step(&s, set->run.h);
        if (status != PCS_OK || s.outcome != PCS_OUTCOME_CONVERGED) break;
        status = slider_look(&s, &now);
        if (status != PCS_OK) break;
        CSV_ROW(out, now.t, ball, def.slope, now.x[0], now.v[0], a);
    }
    if (status == PCS_OK) status = slider_look(&s, &now);
    if (status == PCS_OK) {
        const double t = now.t, theta = set->run.scheme.theta;
        // the scheme integrates a constant acceleration exactly but for (theta - 1/2) h per step
        const double x = 0.5 * a * t * t + (theta - 0.5) * a * set->run.h * t;
        const double size = g * t * t;
        printf("%-5s %10.6f %-10s %14.10f %14.10f %10.1e %10.1e\n", ball ? "ball" : "box",
               def.slope, slider_status[now.status], now.v[0] / t, a, fabs(now.v[0] / t - a),
               fabs(now.x[0] - x));
        c->context = ball ? "ball" : "box";
        check_value(c, "outcome", s.outcome, PCS_OUTCOME_CONVERGED, 0);
        // the corners of a box that sticks share its friction in many ways, and each may reach its
        // limit
        if (ball || slips) {
            check_that(c, "status",
                       now.status == (slips ? PCS_CONTACT_SLIDE : PCS_CONTACT_STICK) ||
                           now.status == PCS_CONTACT_UNDECIDED,
                       slips ? "slides" : "sticks");
        }
        check_value(c, "acceleration", now.v[0] / t, a, 1e-10 * g);
        check_value(c, "distance", now.x[0], x, 1e-10 * size);
        check_value(c, "distance across", now.x[1], 0, 1e-10 * size);
        check_value(c, "energy of every step", s.closure, 0, 1e-13 * def.mass * g * size);
    }
    slider_close(&s);
    return status;
}

// a box just below the border for a long time
static pcs_status creep(checks *c, const settings *set)
{
    slider_def def = set->def;
    def.slope = atan(def.mu) - set->near;
    const long n = (long)(set->creep_time / set->creep_h + 0.5);
    slider s;
    slider_view now;
    pcs_status status = slider_open(&def, &set->run, &s);
    for (long i = 0; status == PCS_OK && i < n; ++i) {
        status = slider_step(&s, set->creep_h);
        if (s.outcome != PCS_OUTCOME_CONVERGED) break;
    }
    if (status == PCS_OK) status = slider_look(&s, &now);
    if (status == PCS_OK) {
        const double far = hypot(now.x[0], now.x[1]);
        // the solver leaves a velocity of tol g h, and without a start 1 / near times that
        const double left = set->run.scheme.solver.tol * set->run.gravity * set->creep_h;
        const double time = set->creep_time + set->creep_h / set->near;
        printf("\nbox left alone for %g s (%ld steps): moved %.1e m along, %.1e m across\n", now.t,
               n, now.x[0], now.x[1]);
        c->context = "box left alone";
        check_value(c, "outcome", s.outcome, PCS_OUTCOME_CONVERGED, 0);
        check_value(c, "creep", far, 0, fmax(1e-12, left * time));
    }
    slider_close(&s);
    return status;
}

static pcs_status run(const void *user, csv *out, checks *c)
{
    const settings *set = user;
    printf("friction %g: the box slides beyond %.6f rad, the ball beyond %.6f rad\n\n"
           "%-5s %10s %-10s %14s %14s %10s %10s\n",
           set->def.mu, atan(set->def.mu), atan(3.5 * set->def.mu), "body", "slope", "", "accel.",
           "closed form", "d accel.", "d distance");
    for (int k = 0; k < 4; ++k) {
        PCS_TRY(descend(c, set, k >= 2, k % 2 ? 1 : -1, out));
    }
    if (set->creep_time > 0) PCS_TRY(creep(c, set));
    return PCS_OK;
}

// the box that slides
static pcs_status first_scene(const void *user, pcs_scene **out)
{
    const settings *set = user;
    slider_def def = set->def;
    def.slope = atan(def.mu) + set->near;
    return slider_scene(&def, &set->run, out);
}

int main(int argc, char **argv)
{
    settings set;
    read_flags(&set, argc, argv);
    return example_run_scene(first_scene, run, &set, &set.run, HEADER);
}
