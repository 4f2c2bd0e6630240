// The ball leaves bounce k with speed e^k V, V the speed of its first impact, so that flight k has
// its apex at e^2k V^2 / 2g above the floor and lasts 2 e^k V / g; infinitely many bounces end at
//     t_zeno = t_1 + 2 e V / (g (1 - e)),    t_1 = (v0 + V) / g,    V^2 = v0^2 + 2 g (z0 - R).
//
// A scheme takes an impact within one step, so all of this holds up to C h. It takes bounce k in a
// step that starts with a gap of at most a h s, s the speed of approach: a = max(gamma, 1 - gamma)
// when the contact is predicted, 1 when it is seen at the end of the step. Over that step the ball
// moves by (1 - theta - theta e) h s, and its speed is multiplied by exactly -e. So its energy,
// read as the height H = gap + v^2 / 2g, goes from H to e^2 H within c h s, c = a (1 + e^2) + |1 -
// theta - theta e|. In flight H changes by g h^2 (1/2 - theta) per step.
//
// Whatever the scheme: momentum is impulses less weight, the ledger accounts for every joule, and
// without friction x, y and the spin never notice the floor.
#include "checks/bounces.h"

#include "study.h"

#include <math.h>
#include <stdio.h>

// ---- the record of a run

void history_add(history *run, const sample *now, const pcs_step_report *report)
{
    if (!report) run->start = now->kinetic + now->potential;
    run->now = *now;
    run->impulses += now->impulse;
    run->energy = fmax(run->energy, now->kinetic);
    if (report) run->closure = fmax(run->closure, fabs(report->energy.closure));
    run->overlap = fmax(run->overlap, -now->gap);
    run->fastest = fmax(run->fastest, fabs(now->v[2]));

    if (now->impulse > 0) {
        if (!run->striking) {
            if (run->bounces < MOST_BOUNCES) {
                run->apex[run->bounces] = run->top;
                run->time[run->bounces] = now->t;
                run->speed[run->bounces] = now->v[2];
            }
            if (run->bounces == 0) run->first = now->impulse;
            run->bounces += 1;
        }
        run->top = -INFINITY;
    }
    run->striking = now->impulse > 0;
    run->top = fmax(run->top, now->q[2]);
}

// ---- the closed form

// flight k, from bounce k - 1 to bounce k, and bounds on the error of a run
typedef struct flight {
    double apex, speed, time; // above the floor; at its end; of bounce k
    double apex_bound, time_bound;
} flight;

static bool speculative(const settings *s)
{
    return pcs_scheme_activation(&s->run.scheme) == PCS_ACTIVATION_SPECULATIVE;
}

// the largest gap at the start of a step that takes a bounce, with this speed of approach
static double gap_bound(const settings *s, double h, double speed)
{
    const bool ahead = pcs_scheme_activation(&s->run.scheme) == PCS_ACTIVATION_PREDICTIVE;
    const double a = ahead ? fmax(s->run.scheme.gamma, 1 - s->run.scheme.gamma) : 1;
    return a * h * (speed + s->run.gravity * h) + s->run.scheme.proj_tol + 1e-7;
}

static flight first_flight(const settings *s, double h)
{
    const double g = s->run.gravity, v = s->v0[2], up = fmax(v, 0);
    flight f = {.speed = sqrt(v * v + 2 * g * (s->z0 - s->radius))};
    f.apex = s->z0 - s->radius + up * up / (2 * g);
    f.time = (v + f.speed) / g;
    f.apex_bound = fabs(0.5 - s->run.scheme.theta) * g * h * (f.time + h);
    f.time_bound = h + 2 * (2 * f.apex_bound + gap_bound(s, h, f.speed)) / f.speed;
    return f;
}

static flight next_flight(const settings *s, double h, flight f)
{
    const double g = s->run.gravity, e = s->e;
    const double speed = sqrt(f.speed * f.speed + 2 * g * f.apex_bound);
    const double moved = fabs(1 - s->run.scheme.theta - s->run.scheme.theta * e) * h * speed;
    const double G = gap_bound(s, h, speed);

    flight n = {.speed = e * f.speed};
    n.apex = n.speed * n.speed / (2 * g);
    n.time = f.time + 2 * n.speed / g;
    n.apex_bound = e * e * (f.apex_bound + G) + G + moved +
                   fabs(0.5 - s->run.scheme.theta) * h * (2 * e * speed + g * h);
    n.time_bound = f.time_bound + h + 2 * (2 * n.apex_bound + 2 * G + moved) / n.speed;
    return n;
}

// why there is no closed form of this ball, null if there is: it must be a ball that falls onto a
// floor below it, in steps that resolve the fall
static const char *why_not(const settings *s)
{
    if (s->run.gravity == 0) return "without gravity there is no apex";
    if (s->z0 < s->radius) return "the ball starts inside the floor";
    if (s->z0 == s->radius && s->v0[2] <= 0) return "the ball starts at rest on the floor";
    const flight f = first_flight(s, s->run.h);
    if (!(f.time + f.time_bound <= s->run.t_end))
        return "the ball does not reach the floor before --tend";
    if (f.speed < 10 * s->run.gravity * s->run.h)
        return "the step is too coarse for the first fall";
    if (speculative(s) && s->e == 0) return "the ball is slowed down before it touches the floor";
    return NULL;
}

// Fills in flights 0 .. n - 1 for steps of h and returns n: those that end before t_end and, after
// the first, last at least 20 steps each.
static int closed_form(const settings *s, double h, flight f[MOST_BOUNCES])
{
    int n = 1;
    for (f[0] = first_flight(s, h); n < MOST_BOUNCES; ++n) {
        f[n] = next_flight(s, h, f[n - 1]);
        const bool resolved = 2 * f[n].speed >= 20 * s->run.gravity * h;
        if (!resolved || !(f[n].time + f[n].time_bound <= s->run.t_end)) break;
    }
    return n;
}

// the end of all bounces, from the time of one and the speed after it; infinite when e = 1
static double zeno_time(const settings *s, double time, double speed)
{
    return time + 2 * speed / (s->run.gravity * (1 - s->e));
}

// depth to which the ball may sink before its contact is active, and in the step of the bounce
static double overlap_bound(const settings *s, double speed)
{
    const double rounding = 1e-14 * (s->z0 + s->radius);
    if (s->run.scheme.projection >= PCS_PROJECTION_COMBINED)
        return s->run.scheme.proj_tol + rounding;
    if (speculative(s))
        return (1 - s->run.scheme.theta) * s->run.h * (speed + s->run.gravity * s->run.h) +
               rounding;
    return gap_bound(s, s->run.h, speed) +
           fabs(1 - s->run.scheme.theta - s->run.scheme.theta * s->e) * s->run.h * speed;
}

// ---- one run

void check_bounces(checks *c, const settings *s, const history *run)
{
    const char *why = why_not(s);
    if (why) {
        check_skip(c, "bounces", why);
        return;
    }
    flight f[MOST_BOUNCES];
    const int n = closed_form(s, s->run.h, f);
    if (!check_value(c, "bounces of flights >= 20 steps", fmin(run->bounces, n), n, 0)) return;

    // the speed before the bounce is that of a gap away, and the weight acts over the step
    const double weight = s->mass * s->run.gravity * s->run.h;
    const double slower = 2 * s->run.gravity * gap_bound(s, s->run.h, f[0].speed) / f[0].speed;
    check_value(c, "impulse of the first bounce (N s)", run->first,
                s->mass * (1 + s->e) * f[0].speed + weight, s->mass * (1 + s->e) * slower + weight);
    for (int k = 0; k < n; ++k) {
        char name[40];
        snprintf(name, sizeof name, "apex of flight %d (m)", k);
        check_value(c, name, run->apex[k], s->radius + f[k].apex,
                    f[k].apex_bound + 0.5 * s->run.gravity * s->run.h * s->run.h);
    }
    if (s->e == 1) {
        check_skip(c, "Zeno time", "with e = 1 the ball never comes to rest");
        return;
    }
    const flight last = f[n - 1];
    const double late =
        last.time_bound +
        4 * s->e / (1 - s->e) * (last.apex_bound + gap_bound(s, s->run.h, last.speed)) / last.speed;
    check_value(c, "Zeno time (s)", zeno_time(s, run->time[n - 1], run->speed[n - 1]),
                zeno_time(s, last.time, s->e * last.speed), late);
}

void check_balances(checks *c, const settings *s, const history *run, double t)
{
    if (s->z0 >= s->radius) {
        check_value(c, "deepest overlap (m)", run->overlap, 0, overlap_bound(s, run->fastest));
    }
    const double rounding = 1e-15 * (10 + t / s->run.h);
    const double weight = s->mass * s->run.gravity * t;
    const double momentum = s->mass * (run->now.v[2] - s->v0[2]);
    check_value(c, "impulses - weight x time (N s)", run->impulses - weight, momentum,
                rounding * (weight + s->mass * fabs(s->v0[2]) + run->impulses));
    check_value(c, "largest energy not accounted for (J)", run->closure, 0,
                1e-14 * (run->energy + s->mass * s->run.gravity * fabs(s->z0)));
    // a bounce leaves the height of its step where it is, and turns the speed round
    const pcs_scheme *scheme = &s->run.scheme;
    if (s->e == 1 && scheme->theta == 0.5 && scheme->projection == PCS_PROJECTION_NONE) {
        char name[48];
        snprintf(name, sizeof name, "energy after %d bounces (J)", run->bounces);
        check_value(c, name, run->now.kinetic + run->now.potential, run->start,
                    rounding * (run->energy + fabs(run->start)));
    }
    if (s->formulation == LAGRANGIAN) return;

    // without friction nothing changes the sideways motion and the spin
    for (int i = 0; i < 2; ++i) {
        const double moved = s->v0[i] * t;
        check_value(c, i == 0 ? "x (m)" : "y (m)", run->now.q[i], moved, rounding * fabs(moved));
    }
    double Q[4], w[3], error = 0;
    for (int i = 0; i < 3; ++i) {
        w[i] = s->omega0[i] * t;
    }
    pcs_quat_exp(w, Q);
    for (int i = 0; i < 4; ++i) {
        error = fmax(error, fabs(run->now.q[3 + i] - Q[i]));
    }
    const double angle = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    check_value(c, "orientation: |Q - exp(omega t)|", error, 0, 10 * rounding + 1e-15 * angle);
    check_value(c, "|Q|", pcs_quat_norm(run->now.q + 3), 1, 1e-15);
}

// ---- many runs

enum { SIZES = 16 };

// Errors for h, h/2, h/4 ...: each level over all flights and over 16 step sizes. With few flights
// the order still scatters.
pcs_status check_orders(checks *c, const settings *s, run_fn simulate)
{
    const char *why = why_not(s);
    flight f[MOST_BOUNCES];
    const int n = why ? 0 : closed_form(s, s->run.h, f);
    if (!why && n < 4) why = "fewer than three flights behind the first bounce last 20 steps";
    if (!why && s->e == 1) why = "with e = 1 there is no Zeno time";
    if (!why && f[n - 1].time / s->run.h * SIZES * ldexp(2, s->study) > 2e7) {
        why = "more than 2e7 steps; take a larger --h or a smaller --study";
    }
    if (why) {
        check_skip(c, "orders of convergence", why);
        return PCS_OK;
    }

    // the observed order of fewer flights or fewer halvings scatters
    const double least = s->study < 4 ? 0.5 : n > 8 ? 0.9 : 0.75;
    const double exact = zeno_time(s, f[n - 1].time, s->e * f[n - 1].speed);
    double h[MOST_HALVINGS + 1], apex[MOST_HALVINGS + 1], zeno[MOST_HALVINGS + 1];
    printf("\n%-12s %14s %10s %14s %10s   (flights 1 to %d)\n", "step (s)", "apexes: error",
           "error / h", "Zeno: error", "error / h", n - 1);
    for (int j = 0; j <= s->study; ++j) {
        double apexes = 0, times = 0;
        for (int i = 0; i < SIZES; ++i) {
            history run;
            csv none = {0};
            pcs_run_report report;
            const double size = study_size(s->run.h, j, i);
            PCS_TRY(simulate(s, size, n - 1, &none, &run, &report));
            if (run.bounces < n) {
                check_that(c, "orders of convergence", false, "a run ended too early");
                return PCS_OK;
            }
            for (int k = 1; k < n; ++k) {
                const double high = run.apex[k] - s->radius - f[k].apex;
                const double late = zeno_time(s, run.time[k], run.speed[k]) - exact;
                apexes += high * high / (n - 1) / SIZES;
                times += late * late / (n - 1) / SIZES;
            }
        }
        h[j] = ldexp(s->run.h, -j);
        apex[j] = sqrt(apexes);
        zeno[j] = sqrt(times);
        printf("%-12g %14.3e %10.3g %14.3e %10.3g\n", h[j], apex[j], apex[j] / h[j], zeno[j],
               zeno[j] / h[j]);
    }
    printf("\n");
    check_order(c, "order of the apexes", study_slope(s->study + 1, h, apex), least);
    check_order(c, "order of the Zeno time", study_slope(s->study + 1, h, zeno), least);
    return PCS_OK;
}
