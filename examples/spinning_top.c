// A heavy symmetric top whose tip a joint or a small ball on a smooth floor supports.
//
// With the right angular velocity of the axis it precesses steadily; if the axis starts at rest, it
// nutates between two tilts (checks/top_motion: rates, limits and periods). On a smooth floor the
// centre of mass stays above one point and the same formulas hold with the inertia about it.
//
// One impulse per step along H(q_k) holds the tip, so errors are of order h; two halvings
// extrapolate to order h^2.
#include "args.h"
#include "checks/extrapolation.h"
#include "checks/run_checks.h"
#include "checks/top_motion.h"
#include "example.h"
#include "flags/run_flags.h"
#include "scenes/rotating.h"
#include "scenes/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_LOWS = 8, JOINT = 1, FLOOR = 2, STEPS_A_NUTATION = 300 };

#define HEADER "run,t,tilt,azimuth,tip"
#define COLUMNS                                                                                 \
    "write every step of the coarsest runs: run (0 steady, 1 nutating; on the floor 2 and 3), " \
    "time, tilt, azimuth of the axis, height of the tip"

typedef struct settings {
    run_settings run;
    heavy_top top;
    double radius; // of the tip on the floor
    int on, lows, study;
} settings;

static void read_flags(settings *set, int argc, char **argv)
{
    *set = (settings){.run = {.h = 1e-4, .gravity = 9.81, .scheme = rotating_scheme(1e-14)},
                      .top = top_default(),
                      .radius = 0.003,
                      .lows = 6,
                      .study = 2};
    args a = {.about = "A spinning top: steady precession and nutation against their closed forms.",
              .table = COLUMNS};
    args_choice(&a, "--on", &set->on, "both|joint|floor", "what holds the tip");
    args_positive(&a, "--mass", &set->top.mass, 1000, "kg", "mass of the top");
    args_positive(&a, "--J1", &set->top.J1, 5, "kg m^2",
                  "moment of inertia across the axis, about the centre of mass");
    args_positive(&a, "--J3", &set->top.J3, 10, "kg m^2", "moment of inertia about the axis");
    args_positive(&a, "--arm", &set->top.arm, 10, "m",
                  "distance of the centre of mass from the tip");
    args_positive(&a, "--radius", &set->radius, 10, "m", "radius of the tip on the floor");
    args_positive(&a, "--spin", &set->top.spin, 10, "rad/s", "angular velocity about the axis");
    args_real(&a, "--tilt", &set->top.tilt, 0.01, 1.5, "rad", "tilt of the axis at the start");
    args_int(&a, "--nutations", &set->lows, 1, MOST_LOWS, "number of nutations");
    args_int(&a, "--study", &set->study, 2, MOST_LEVELS - 1, "halvings of h to observe orders");
    run_parse(&a, &set->run, RUN_H | RUN_GRAVITY | RUN_THREADS, argc, argv);
    set->top.gravity = set->run.gravity;
    heavy_top held = set->top;
    if (set->top.J3 > 2 * set->top.J1) args_refuse("no body has --J3 > 2 --J1");
    if (!(top_precession(&held) > 0)) args_refuse("too slow a --spin for steady precession");
    if (top_nutation(&held).lowest < 0.02) {
        args_refuse("it would lie down; take a faster --spin");
    }
    // the shortest nutation of those that are run
    double shortest = INFINITY;
    for (int floor = 0; floor < 2; ++floor) {
        heavy_top top = set->top;
        top.floor = floor == 1;
        if (set->on != (floor ? JOINT : FLOOR)) {
            shortest = fmin(shortest, top_nutation(&top).period);
        }
    }
    if (set->run.h > shortest / STEPS_A_NUTATION) {
        args_refuse("--h is %g s; errors of first order show from %d steps a nutation on,"
                    " at most %.3g s",
                    set->run.h, STEPS_A_NUTATION, shortest / STEPS_A_NUTATION);
    }
    set->run.t_end = (set->lows + 0.2) * top_nutation(&held).period;
    args_check_steps(set->run.h, set->run.t_end, 2e6);
}

// ---- one run ------------------------------------------------------------------------------------

// errors, with their signs, at the end of a steady run or the last low of a nutating one
typedef struct errors {
    double tilt, azimuth; // rad
    double time;          // of the last low, s
    double tip;           // worst distance of the tip from where it belongs, m
    double astray;        // on the floor: of the centre of mass to the side, m
    int lows;
    run_tally tally;
} errors;

// the axis of the top and how it moves
typedef struct axis {
    double e[3], fall; // fall: of e[2], 1/s
    double azimuth;    // without jumps
} axis;

static axis look(const pcs_state *state, double azimuth)
{
    const double *q = state->q, *v = state->v;
    axis now;
    double omega[3];
    pcs_quat_rotate(q + 3, (const double[]){0, 0, 1}, now.e);
    pcs_quat_rotate(q + 3, v + 3, omega);
    now.fall = omega[0] * now.e[1] - omega[1] * now.e[0];
    const double turn = 8 * atan(1), angle = atan2(now.e[1], now.e[0]);
    now.azimuth = angle + turn * round((azimuth - angle) / turn);
    return now;
}

static void watch_tip(const settings *set, const heavy_top *top, const double q[7], const axis *now,
                      errors *err)
{
    double tip[3];
    for (int i = 0; i < 3; ++i) {
        tip[i] = q[i] - top->arm * now->e[i];
    }
    if (top->floor) {
        err->tip = fmax(err->tip, fabs(tip[2] - set->radius));
        err->astray = fmax(err->astray, hypot(q[0], q[1]));
    } else {
        err->tip = fmax(err->tip, hypot(hypot(tip[0], tip[1]), tip[2]));
    }
}

// data that the observer collects
typedef struct follower {
    const settings *set;
    const heavy_top *top;
    nutation n;
    double rate; // of steady precession, rad/s; 0: from an axis at rest
    int number;  // of the run in the table
    axis before;
    csv *out;
    errors *err;
} follower;

static int observe(void *user, const pcs_model *model, const pcs_state *state, pcs_work *work,
                   const pcs_step_report *report)
{
    follower *f = user;
    PCS_TRY(run_tally_step(&f->err->tally, model, state, work, report));
    errors *err = f->err;
    const axis *before = &f->before, now = look(state, report ? before->azimuth : 0);
    const double t = state->t, h = pcs_work_step_size(work);
    if (!report) {
        f->before = now;
        return 0;
    }
    watch_tip(f->set, f->top, state->q, &now, err);
    CSV_ROW(f->out, f->number, t, acos(now.e[2]), now.azimuth,
            state->q[2] - f->top->arm * now.e[2]);
    if (f->rate > 0) {
        err->tilt = acos(now.e[2]) - f->top->tilt;
        err->azimuth = now.azimuth - f->rate * t;
    } else if (before->fall < 0 && now.fall >= 0 && err->lows < f->set->lows) {
        const double part = before->fall / (before->fall - now.fall);
        const double low = before->e[2] + part * (now.e[2] - before->e[2]);
        const double azimuth = before->azimuth + part * (now.azimuth - before->azimuth);
        err->tilt = acos(low) - acos(f->n.lowest);
        err->azimuth = azimuth - (err->lows + 0.5) * f->n.turn;
        err->time = t - h + part * h - (err->lows + 0.5) * f->n.period;
        err->lows += 1;
    }
    f->before = now;
    return 0;
}

static pcs_status build(const settings *set, const heavy_top *top, double rate, double h,
                        pcs_scene **out)
{
    PCS_TRY(run_scene(&set->run,
                      top->floor ? "A top spins on a smooth floor."
                                 : "A top spins, its tip held by a joint.",
                      out));
    (*out)->settings.h = h;
    return rotating_top(top, set->radius, rate, (*out)->model);
}

// `steady`: with the turn of steady precession; else from an axis at rest
static pcs_status turn_top(const settings *set, const heavy_top *top, bool steady, double h,
                           csv *out, errors *err)
{
    follower f = {.set = set,
                  .top = top,
                  .n = top_nutation(top),
                  .rate = steady ? top_precession(top) : 0,
                  .number = 2 * top->floor + !steady,
                  .out = out,
                  .err = err};
    simulation s = {0};
    *err = (errors){0};
    pcs_status status = build(set, top, f.rate, h, &s.scene);
    if (status == PCS_OK) status = simulation_run(&s, set->run.threads, observe, &f);
    simulation_close(&s);
    return status;
}

// ---- all runs -----------------------------------------------------------------------------------

static pcs_status study(checks *c, const settings *set, const heavy_top *top, bool steady, csv *out)
{
    const int n = set->study + 1;
    double h[MOST_LEVELS], y[3][MOST_LEVELS];
    errors err = {0};
    csv none = {0};
    long loose = 0;
    bool lows = true;
    double tip = 0, astray = 0;
    c->context = top->floor ? steady ? "floor, steady" : "floor, nutating"
                 : steady   ? "joint, steady"
                            : "joint, nutating";
    printf("\n%-16s %10s %12s %12s %12s\n", c->context, "h", "d tilt", "d azimuth",
           steady ? "" : "d time");
    for (int k = 0; k < n; ++k) {
        h[k] = set->run.h / (1 << k);
        PCS_TRY(turn_top(set, top, steady, h[k], k == 0 ? out : &none, &err));
        y[0][k] = err.tilt;
        y[1][k] = err.azimuth;
        y[2][k] = err.time;
        tip = fmax(tip, err.tip);
        astray = fmax(astray, err.astray);
        loose += err.tally.loose;
        lows = lows && (steady || err.lows == set->lows);
        printf("%16s %10.3g %+12.3e %+12.3e", "", h[k], err.tilt, err.azimuth);
        if (!steady) printf(" %+12.3e", err.time);
        printf("\n");
    }
    check_value(c, "steps not converged", (double)loose, 0, 0);
    check_that(c, "nutations", lows, "as many as asked for");
    static const char *const name[] = {"tilt", "azimuth", "time"};
    for (int i = 0; lows && i < (steady ? 2 : 3); ++i) {
        // two terms of an azimuth may cancel: its order means little
        check_first_order(c, name[i], n, h, y[i], i != 1);
    }
    check_value(c, "tip (m)", tip, 0, 1e-10);
    if (top->floor) check_value(c, "centre to the side (m)", astray, 0, 1e-12);
    return PCS_OK;
}

static pcs_status run(const void *user, csv *out, checks *c)
{
    const settings *set = user;
    for (int floor = 0; floor < 2; ++floor) {
        if (set->on == (floor ? JOINT : FLOOR)) continue;
        heavy_top top = set->top;
        top.floor = floor == 1;
        const nutation n = top_nutation(&top);
        printf(
            "\n%s: precesses at %.9g rad/s; nutates down to %.9g rad every %.9g s, by %.9g rad\n",
            floor ? "on a smooth floor" : "tip held by a joint", top_precession(&top),
            acos(n.lowest), n.period, n.turn);
        PCS_TRY(study(c, set, &top, true, out));
        PCS_TRY(study(c, set, &top, false, out));
    }
    return PCS_OK;
}

// steady precession
static pcs_status first_scene(const void *user, pcs_scene **out)
{
    const settings *set = user;
    heavy_top top = set->top;
    top.floor = set->on == FLOOR;
    return build(set, &top, top_precession(&top), set->run.h, out);
}

int main(int argc, char **argv)
{
    settings set;
    read_flags(&set, argc, argv);
    return example_run_scene(first_scene, run, &set, &set.run, HEADER);
}
