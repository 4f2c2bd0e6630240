// A disc rolls on a plane: straight ahead, and leaning, round a circle.
//
// An upright disc with v = R omega rolls without end. A disc that leans inwards rolls steadily
// round a circle, with one speed for each lean and angular velocity (checks/rolling); lean, height
// and radius are then constant. As for the spinning top the errors are of order h, and two halvings
// extrapolate to h^2.
#include "args.h"
#include "checks/extrapolation.h"
#include "checks/rolling.h"
#include "checks/run_checks.h"
#include "example.h"
#include "flags/run_flags.h"
#include "scenes/rotating.h"
#include "scenes/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define HEADER "t,x,y,z,lean,azimuth"
#define COLUMNS                                                                              \
    "write every step of the coarsest run round the circle: time, centre, lean, azimuth of " \
    "the centre from the start"

typedef struct settings {
    run_settings run;
    disc disc;
    double thickness, speed, mu;
    int study;
} settings;

static void read_flags(settings *set, int argc, char **argv)
{
    *set = (settings){
        .run = {.h = 2e-4, .t_end = 3, .gravity = 9.81, .scheme = rotating_scheme(1e-13)},
        .disc = {.mass = 0.3, .R = 0.1, .lean = 0.3, .turn = 1.5},
        .thickness = 0.01,
        .speed = 1,
        .mu = 0.6,
        .study = 2};
    args a = {.about = "A disc rolls straight ahead and round a circle; both against closed forms.",
              .table = COLUMNS};
    args_positive(&a, "--mass", &set->disc.mass, 1000, "kg", "mass of the disc");
    args_positive(&a, "--radius", &set->disc.R, 10, "m", "radius of the disc");
    args_positive(&a, "--thickness", &set->thickness, 10, "m", "thickness of the disc");
    args_real(&a, "--lean", &set->disc.lean, 0.02, 1.2, "rad", "angle from upright, on the circle");
    args_positive(&a, "--turn", &set->disc.turn, 10, "rad/s", "angular velocity round the circle");
    args_positive(&a, "--speed", &set->speed, 10, "m/s", "speed straight ahead");
    args_real(&a, "--mu", &set->mu, 0, 10, "", "friction");
    args_int(&a, "--study", &set->study, 2, MOST_LEVELS - 1, "halvings of h to observe orders");
    run_parse(&a, &set->run, RUN_USUAL | RUN_THREADS, argc, argv);
    if (set->run.t_end > 30) {
        args_refuse(
            "--tend is %g s; it must be at most 30 s: later the lean of the disc has gone far "
            "from the circle",
            set->run.t_end);
    }
    disc *d = &set->disc;
    d->gravity = set->run.gravity;
    d->c = set->thickness / 2;
    d->C = 0.5 * d->mass * d->R * d->R;
    d->A = d->mass / 12 * (3 * d->R * d->R + set->thickness * set->thickness);
    const rolling r = rolling_steady(d);
    if (d->R * sin(d->lean) <= d->c * cos(d->lean)) {
        args_refuse(
            "it leans less than it is thick and would stand up: enlarge --lean or --radius, or "
            "reduce --thickness");
    }
    if (r.speed >= 0) args_refuse("so fast a --turn is no rolling round the outside");
    // an upright disc falls over at R omega with omega^2 <= m g R A / (C (C + m R^2)); one that
    // leans little does so at nearly the same speed
    const double around = d->C + d->mass * d->R * d->R;
    const double upright = d->R * sqrt(d->mass * d->gravity * d->R * d->A / (d->C * around));
    if (fabs(r.speed) <= upright) {
        args_refuse("with this --turn and --lean it rolls at %g m/s; a disc as slow as "
                    "%g m/s falls over: take a smaller --turn or a larger --lean",
                    fabs(r.speed), upright);
    }
    if (set->mu <= 1.05 * r.friction)
        args_refuse("--mu must be more than 1.05 times the friction of this motion, %g",
                    r.friction);
}

// the disc of r at t = 0, to be followed in steps of h
static pcs_status build(const settings *set, const rolling *r, double h, pcs_scene **out)
{
    PCS_TRY(run_scene(&set->run, "A disc rolls on a plane.", out));
    (*out)->settings.h = h;
    return rotating_disc(&set->disc, set->mu, r->x, r->Q, r->v, r->omega, (*out)->model);
}

static pcs_status roll(const settings *set, const rolling *r, double h, pcs_observer_fn observer,
                       void *user, simulation *s)
{
    PCS_TRY(build(set, r, h, &s->scene));
    return simulation_run(s, set->run.threads, observer, user);
}

// ---- straight ahead -----------------------------------------------------------------------------

static pcs_status straight(checks *c, const settings *set)
{
    const double R = set->disc.R, V = set->speed, q = sqrt(0.5);
    // the axis along y
    const rolling upright = {
        .x = {0, 0, R}, .Q = {q, -q, 0, 0}, .v = {V, 0, 0}, .omega = {0, 0, V / R}};
    simulation s = {0};
    run_tally tally = {0};
    const pcs_status status = roll(set, &upright, set->run.h, run_tally_step, &tally, &s);
    if (status == PCS_OK) {
        const double *at = s.state->q, *now = s.state->v, t = s.state->t;
        printf("straight ahead: after %g s at %.12g m, v = %.12g, R omega = %.12g m/s\n", t, at[0],
               now[0], R * now[5]);
        c->context = "straight";
        check_value(c, "steps not converged", (double)tally.loose, 0, 0);
        check_value(c, "speed (m/s)", now[0], V, 1e-11 * V);
        check_value(c, "R omega (m/s)", R * now[5], V, 1e-11 * V);
        check_value(c, "place (m)", at[0], V * t, 1e-11 * V * t);
        check_value(c, "to the side (m)", at[1], 0, 1e-11 * V * t);
        check_value(c, "height (m)", at[2], R, 1e-11 * R);
    }
    simulation_close(&s);
    return status;
}

// ---- round a circle -----------------------------------------------------------------------------

// data that the observer collects: errors at the end, with their signs
typedef struct errors {
    run_tally tally;
    const settings *set;
    const rolling *r;
    csv *out;
    double before; // azimuth, rad
    double lean, azimuth, radius;
    double slip; // largest speed of the contact point, m/s
} errors;

static int watch(void *user, const pcs_model *model, const pcs_state *state, pcs_work *work,
                 const pcs_step_report *report)
{
    errors *err = user;
    PCS_TRY(run_tally_step(&err->tally, model, state, work, report));
    if (!report) return 0;
    const double *q = state->q, whole = 8 * atan(1);
    double axis[3];
    pcs_quat_rotate(q + 3, (const double[]){0, 0, 1}, axis);
    const double lean = asin(axis[2]), angle = atan2(q[1], q[0]);
    const double azimuth = angle + whole * round((err->before - angle) / whole);
    err->before = azimuth;
    err->lean = lean - err->set->disc.lean;
    err->azimuth = azimuth - err->set->disc.turn * state->t;
    err->radius = hypot(q[0], q[1]) - err->r->radius;
    CSV_ROW(err->out, state->t, q[0], q[1], q[2], lean, azimuth);

    const pcs_contact *c;
    int n;
    PCS_TRY(pcs_work_contacts(work, &n, &c));
    for (int k = 0; k < n; ++k) {
        if (c[k].active && c[k].r[0] > 0) err->slip = fmax(err->slip, hypot(c[k].u[1], c[k].u[2]));
    }
    return 0;
}

static pcs_status circle(double h, errors *err)
{
    simulation s = {0};
    const pcs_status status = roll(err->set, err->r, h, watch, err, &s);
    simulation_close(&s);
    return status;
}

static pcs_status study(checks *c, const settings *set, const rolling *r, csv *out)
{
    const int n = set->study + 1;
    double h[MOST_LEVELS], y[3][MOST_LEVELS], slip = 0;
    long loose = 0;
    csv none = {0};
    c->context = "circle";
    printf("\n%12s %12s %12s %12s %12s\n", "h", "d lean", "d azimuth", "d radius", "slip");
    for (int k = 0; k < n; ++k) {
        errors err = {.set = set, .r = r, .out = k == 0 ? out : &none};
        h[k] = set->run.h / (1 << k);
        PCS_TRY(circle(h[k], &err));
        y[0][k] = err.lean;
        y[1][k] = err.azimuth;
        y[2][k] = err.radius;
        slip = fmax(slip, err.slip);
        loose += err.tally.loose;
        printf("%12.4g %+12.3e %+12.3e %+12.3e %12.3e\n", h[k], err.lean, err.azimuth, err.radius,
               err.slip);
    }
    check_value(c, "steps not converged", (double)loose, 0, 0);
    check_value(c, "slip (m/s)", slip, 0, 1e-10 * fabs(r->speed));
    static const char *const name[] = {"lean", "azimuth", "radius"};
    for (int i = 0; i < 3; ++i) {
        check_first_order(c, name[i], n, h, y[i], true);
    }
    return PCS_OK;
}

static pcs_status run(const void *user, csv *out, checks *c)
{
    const settings *set = user;
    const rolling r = rolling_steady(&set->disc);
    PCS_TRY(straight(c, set));
    printf("\nround a circle: radius %.9g m at %.9g m/s; needs a friction of %.6g\n", r.radius,
           fabs(r.speed), r.friction);
    return study(c, set, &r, out);
}

// round the circle
static pcs_status first_scene(const void *user, pcs_scene **out)
{
    const settings *set = user;
    const rolling r = rolling_steady(&set->disc);
    return build(set, &r, set->run.h, out);
}

int main(int argc, char **argv)
{
    settings set;
    read_flags(&set, argc, argv);
    return example_run_scene(first_scene, run, &set, &set.run, HEADER);
}
