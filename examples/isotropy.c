// A box and a ball slide on a level plane, in many directions: friction must not prefer any.
//
// Coulomb's cone is round, so the box slows down with mu g in every direction, stops after
// v0 / (mu g) at v0^2 / (2 mu g), and the work of friction is mu m g times this distance. It stays
// at its height. The
// pyramids that many engines put in place of the cone are up to 41 % too strong along their edges.
#include "args.h"
#include "example.h"
#include "flags/run_flags.h"
#include "scenes/slider.h"

#include <math.h>
#include <stdio.h>

#define ABOUT                                                                              \
    "A box and a ball slide in many directions: the same deceleration, the same stopping " \
    "distance, the same work."
#define HEADER "ball,heading,deceleration,across,distance,work"
#define COLUMNS                                                                               \
    "write a row per body and direction: body (0 box, 1 ball), heading (rad), deceleration, " \
    "largest speed across, stopping distance, work of friction (J)"

typedef struct settings {
    run_settings run;
    slider_def def;
    double speed;
    int directions;
} settings;

static void read_flags(settings *set, int argc, char **argv)
{
    // the textbook scheme: while a body slides its position is exact, by theta = 1/2
    *set = (settings){.def = {.mass = 2, .size = {0.6, 0.5, 0.2}, .radius = 0.1, .mu = 0.3},
                      .run = {.h = 0.001, .gravity = 9.81, .scheme = pcs_scheme_moreau_jean()},
                      .speed = 1,
                      .directions = 24};
    set->run.scheme.solver.tol = 1e-13;
    args a = slider_args(&set->def, 1e-6, 0.5, ABOUT, COLUMNS);
    args_sizes(&a, "--size", set->def.size, 10, "m", "edges of the box");
    args_positive(&a, "--v0", &set->speed, 10, "m/s", "speed at the start");
    args_int(&a, "--directions", &set->directions, 1, 500, "number of directions, evenly spread");
    run_parse(&a, &set->run, RUN_H | RUN_GRAVITY, argc, argv);
    const double steps = set->speed / (set->def.mu * set->run.gravity * set->run.h);
    const double *size = set->def.size;
    if (set->def.mu * size[2] > fmin(size[0], size[1])) {
        args_refuse("the box tips before it slides: lower --mu or the third edge of --size");
    }
    if (!(steps > 8 && steps * set->directions < 2e6)) {
        args_refuse(
            "a body would stop after %g steps, which must be 8 to %g: change --h, --mu, --v0 "
            "or --directions",
            steps, 2e6 / set->directions);
    }
}

typedef struct result {
    double deceleration, across, distance, work, closure;
    double stop, lift; // s, when it comes to rest; m, largest change of height
    pcs_outcome outcome;
} result;

// a run until the box rests (the ball: until it is about to roll)
static pcs_status slide(const settings *set, bool ball, double heading, result *out)
{
    slider_def def = set->def;
    const double c = cos(heading), d = sin(heading), stop = def.mu * set->run.gravity * set->run.h;
    def.ball = ball;
    def.v[0] = set->speed * c;
    def.v[1] = set->speed * d;
    *out = (result){0};

    slider s;
    slider_view now;
    pcs_status status = slider_open(&def, &set->run, &s);
    const double slides = (ball ? 2. / 7 : 1) * set->speed / stop;
    const long braking = (long)(slides - 1e-9), all = ball ? braking : braking + 3;
    for (long i = 1; i <= all && status == PCS_OK; ++i) {
        status = slider_step(&s, set->run.h);
        if (status != PCS_OK || s.outcome != PCS_OUTCOME_CONVERGED) break;
        status = slider_look(&s, &now);
        if (status != PCS_OK) break;
        const double along = c * now.v[0] + d * now.v[1];
        out->across = fmax(out->across, fabs(-d * now.v[0] + c * now.v[1]));
        out->lift = fmax(out->lift, fabs(now.x[2]));
        if (i == braking) {
            out->deceleration = (set->speed - along) / now.t;
            out->stop = now.t + along / out->deceleration;
        }
        out->distance = c * now.x[0] + d * now.x[1];
    }
    out->work = s.tangential;
    out->closure = s.closure;
    out->outcome = s.outcome;
    slider_close(&s);
    return status;
}

static void check_slide(checks *c, const settings *set, bool ball, const result *r)
{
    const double a = set->def.mu * set->run.gravity, v = set->speed;
    check_value(c, "outcome", r->outcome, PCS_OUTCOME_CONVERGED, 0);
    check_value(c, "deceleration", r->deceleration, a, 1e-10 * a);
    check_value(c, "speed across", r->across, 0, 1e-11 * v);
    check_value(c, "energy of every step", r->closure, 0, 1e-13 * set->def.mass * v * v);
    check_value(c, "time until it would stop (s)", r->stop, v / a, 1e-10 * v / a);
    check_value(c, "change of height (m)", r->lift, 0, 1e-12 * v * v / a);
    if (ball) return;

    // the last step brings the box to rest before its end: the distance is exact but for mu g h^2 /
    // 8
    const double distance = v * v / (2 * a), late = a * set->run.h * set->run.h / 8;
    check_value(c, "stopping distance", r->distance, distance, 1.001 * late + 1e-10 * distance);
    check_value(c, "work of friction", r->work, -0.5 * set->def.mass * v * v,
                1e-10 * set->def.mass * v * v);
}

static pcs_status run(const void *user, csv *out, checks *c)
{
    const settings *set = user;
    printf("friction %g, %d directions, h = %g s\n\n%-5s %16s %16s %10s %14s %14s %14s %10s\n",
           set->def.mu, set->directions, set->run.h, "body", "deceleration", "closed form",
           "spread", "distance", "time", "work", "lift");
    for (int body = 0; body < 2; ++body) {
        double low = INFINITY, high = -INFINITY, lift = 0;
        result r = {0};
        c->context = body ? "ball" : "box";
        for (int k = 0; k < set->directions; ++k) {
            const double heading = 6.283185307179586 * k / set->directions;
            PCS_TRY(slide(set, body == 1, heading, &r));
            CSV_ROW(out, body, heading, r.deceleration, r.across, r.distance, r.work);
            check_slide(c, set, body == 1, &r);
            low = fmin(low, r.deceleration);
            high = fmax(high, r.deceleration);
            lift = fmax(lift, r.lift);
        }
        const double a = set->def.mu * set->run.gravity;
        printf("%-5s %16.13f %16.13f %10.1e %14.10f %14.10f %14.10f %10.1e\n",
               body ? "ball" : "box", high, a, (high - low) / a, r.distance,
               body ? r.stop * 2 / 7 : r.stop, r.work, lift);
        check_value(c, "spread of the decelerations", high - low, 0, 1e-10 * a);
    }
    return PCS_OK;
}

// the box in the first direction, until it rests
static pcs_status first_scene(const void *user, pcs_scene **out)
{
    const settings *set = user;
    slider_def def = set->def;
    def.v[0] = set->speed;
    PCS_TRY(slider_scene(&def, &set->run, out));
    const double stop = set->speed / (def.mu * set->run.gravity);
    (*out)->settings.t_end = (ceil(stop / set->run.h) + 2) * set->run.h;
    return PCS_OK;
}

int main(int argc, char **argv)
{
    settings set;
    read_flags(&set, argc, argv);
    return example_run_scene(first_scene, run, &set, &set.run, HEADER);
}
