// Newton's cradle: a ball hits a row of balls, which touch or have gaps.
//
// While they touch, Newton's law acts on all contacts at once: 0 <= u' + e u, p >= 0, one of the
// two zero. Contacts of balls at rest have u = 0 and stay closed, so the row takes the impact as
// one body: three equal balls with e = 1 leave with -1/3, 2/3, 2/3 of the speed, not as the toy
// does. With gaps the same law acts on one pair after the other, and the speed passes on: 0, 0, 1.
// In a chain of masses m, m q, m q^2 ... the last ball leaves with ((1 + e) / (1 + q))^(n - 1).
#include "args.h"
#include "checks/line_impacts.h"
#include "checks/run_checks.h"
#include "example.h"
#include "flags/run_flags.h"
#include "scenes/rotating.h"
#include "scenes/simulation.h"

#include <math.h>
#include <stdio.h>

#define HEADER  "run,t,ball,x,v"
#define COLUMNS "write every step: run (0 without gaps, 1 with gaps), time, ball, position, speed"

typedef struct settings {
    run_settings run;
    int balls;
    double mass, ratio, radius, gap, speed, e;
} settings;

static void read_flags(settings *set, int argc, char **argv)
{
    *set = (settings){.run = {.h = 0.001, .t_end = 0.5, .tol = 1e-14},
                      .balls = 3,
                      .mass = 0.1,
                      .ratio = 1,
                      .radius = 0.02,
                      .gap = 0.02,
                      .speed = 1,
                      .e = 1};
    args a = {.about = "Newton's cradle: balls that touch, balls with gaps, chains of masses.",
              .table = COLUMNS};
    args_int(&a, "--balls", &set->balls, 2, MOST_BALLS, "balls in the row");
    args_positive(&a, "--mass", &set->mass, 1000, "kg", "mass of the first ball");
    args_real(&a, "--ratio", &set->ratio, 1e-3, 1e3, "",
              "mass of a ball over that of the ball before it");
    args_positive(&a, "--radius", &set->radius, 10, "m", "radius of every ball");
    args_positive(&a, "--gap", &set->gap, 10, "m", "gap between the balls, in the run with gaps");
    args_positive(&a, "--v0", &set->speed, 10, "m/s", "speed of the first ball");
    args_real(&a, "--e", &set->e, 0, 1, "", "restitution");
    run_parse(&a, &set->run, RUN_H | RUN_END | RUN_THREADS, argc, argv);
    run_scheme(&set->run, 2 * set->radius);
    if (set->run.t_end * set->speed < 2 * set->gap) {
        args_refuse("nothing is hit before the end; take a larger --tend");
    }
}

// ---- the balls in the library -------------------------------------------------------------------

static pcs_status build(const settings *set, const line *l, pcs_scene **out)
{
    PCS_TRY(run_scene(&set->run,
                      set->ratio == 1 ? "A ball hits a row of balls."
                                      : "A ball hits a chain of balls whose masses rise or fall.",
                      out));
    return rotating_balls(l, (*out)->model);
}

static pcs_status open_row(const settings *set, const line *l, simulation *s)
{
    PCS_TRY(build(set, l, &s->scene));
    return simulation_start(s, set->run.threads);
}

// the state of a row has seven coordinates and six velocities a ball
static void put(const line *l, pcs_state *state)
{
    for (int i = 0; i < l->n; ++i) {
        state->q[7 * i] = l->x[i];
        state->v[6 * i] = l->v[i];
    }
}

static void look(const pcs_state *state, int n, double v[MOST_BALLS])
{
    for (int i = 0; i < n; ++i) {
        v[i] = state->v[6 * i];
    }
}

// one impact at frozen configuration
static pcs_status strike(const simulation *s, int n, double v[MOST_BALLS], pcs_outcome *outcome)
{
    pcs_report report;
    PCS_TRY(pcs_impact(s->scene->model, s->state, s->work, 1e-9, &report));
    *outcome = report.outcome;
    look(s->state, n, v);
    return PCS_OK;
}

// data that the observer collects
typedef struct watch {
    run_tally tally;
    csv *out;
    int run, balls;
} watch;

static int observe(void *user, const pcs_model *model, const pcs_state *state, pcs_work *work,
                   const pcs_step_report *report)
{
    watch *w = user;
    PCS_TRY(run_tally_step(&w->tally, model, state, work, report));
    for (int i = 0; report && i < w->balls; ++i) {
        CSV_ROW(w->out, w->run, state->t, i, state->q[7 * i], state->v[6 * i]);
    }
    return 0;
}

// steps from where the balls of `l` are until the end; how many did not converge
static pcs_status march(const settings *set, const line *l, int run, csv *out, double v[MOST_BALLS],
                        long *loose)
{
    simulation s = {0};
    watch w = {.run = run, .balls = l->n, .out = out};
    pcs_status status = build(set, l, &s.scene);
    if (status == PCS_OK) status = simulation_run(&s, set->run.threads, observe, &w);
    if (status == PCS_OK) look(s.state, l->n, v);
    *loose = w.tally.loose;
    simulation_close(&s);
    return status;
}

// ---- the two rows -------------------------------------------------------------------------------

static void show(const char *title, const line *l, const double *frozen, const double *steps,
                 const double *exact)
{
    printf("\n%s\n%4s %12s %18s %18s %18s\n", title, "ball", "mass", "impact by impact", "in steps",
           "closed form");
    for (int i = 0; i < l->n; ++i) {
        printf("%4d %12.6g %18.12f %18.12f %18.12f\n", i + 1, l->m[i], frozen[i], steps[i],
               exact[i]);
    }
}

static void compare(checks *c, const char *name, const line *l, const double *v,
                    const double *exact, double speed)
{
    double worst = 0;
    for (int i = 0; i < l->n; ++i) {
        // a light ball takes little momentum, and its speed is as uncertain as it is light
        const double off = fabs(v[i] - exact[i]) * fmin(1, l->m[i] / l->m[0]);
        if (!(off <= worst)) worst = off;
    }
    check_value(c, name, worst, 0, 1e-11 * speed);
}

static void conserved(checks *c, const line *l, const double *v, double speed, bool elastic)
{
    const double p = l->m[0] * speed, k = 0.5 * p * speed;
    check_value(c, "momentum", line_momentum(l, v), p, 1e-11 * p);
    if (elastic) check_value(c, "kinetic energy", line_kinetic(l, v), k, 1e-11 * k);
}

static line row(const settings *set, double gap)
{
    return line_row(set->balls, set->mass, set->ratio, set->radius, gap, set->speed, set->e);
}

// the others touch: all contacts at once
static pcs_status touching(checks *c, const settings *set, csv *out, double ends[3][MOST_BALLS])
{
    line l = row(set, 0);
    line_at_once(&l, ends[2]);

    simulation s = {0};
    pcs_outcome outcome;
    pcs_status status = open_row(set, &l, &s);
    if (status == PCS_OK) status = strike(&s, l.n, ends[0], &outcome);
    simulation_close(&s);
    if (status != PCS_OK) return status;
    check_that(c, "impact", outcome == PCS_OUTCOME_CONVERGED, pcs_outcome_text(outcome));

    // the first comes from a gap away
    l.x[0] -= set->gap;
    long loose;
    PCS_TRY(march(set, &l, 0, out, ends[1], &loose));
    c->context = "touching";
    check_value(c, "steps not converged", (double)loose, 0, 0);
    compare(c, "one impact", &l, ends[0], ends[2], set->speed);
    compare(c, "in steps", &l, ends[1], ends[2], set->speed);
    // e < 1 loses energy; so does e = 1 where contacts that were closed do not open again: not
    // here, since nothing in the row moves against its neighbour
    conserved(c, &l, ends[1], set->speed, set->e == 1);
    show("touching: all contacts at once", &l, ends[0], ends[1], ends[2]);
    return PCS_OK;
}

// one pair after the other: by hand, by pcs_impact at the events, in steps
static pcs_status apart(checks *c, const settings *set, csv *out, double ends[3][MOST_BALLS])
{
    enum { MOST_EVENTS = 10000 };
    // an impact at the very end belongs to the next interval
    const double speed = set->speed, end = set->run.t_end * (1 - 1e-9);
    const line start = row(set, set->gap);
    line hand = start, ours = start;
    simulation s = {0};
    pcs_outcome outcome = PCS_OUTCOME_CONVERGED;
    double relay = NAN;
    int pair;
    c->context = "gaps";
    pcs_status status = open_row(set, &start, &s);
    while (status == PCS_OK && hand.events < MOST_EVENTS && line_next(&hand, end, &pair)) {
        line_impact(&hand, pair);
        if (!line_next(&ours, end, &pair)) break;
        put(&ours, s.state);
        status = strike(&s, ours.n, ours.v, &outcome);
        if (outcome != PCS_OUTCOME_CONVERGED) break;
        if (pair == set->balls - 2 && isnan(relay)) relay = ours.v[set->balls - 1];
    }
    simulation_close(&s);
    if (status != PCS_OK) return status;
    check_that(c, "impacts", outcome == PCS_OUTCOME_CONVERGED, pcs_outcome_text(outcome));

    long loose;
    PCS_TRY(march(set, &start, 1, out, ends[1], &loose));
    for (int i = 0; i < set->balls; ++i) {
        ends[0][i] = ours.v[i];
        ends[2][i] = hand.v[i];
    }
    check_value(c, "steps not converged", (double)loose, 0, 0);
    show("with gaps: one pair after the other", &start, ends[0], ends[1], ends[2]);
    printf("%d impacts, those of one ball at least %s s apart\n", hand.events,
           cell_of("%.3g", hand.closest).text);
    if (hand.events == MOST_EVENTS || (set->e > 0 && hand.closest < 1e-6)) {
        check_skip(c, "speeds", "the row collapses: ever more impacts in ever less time");
        return PCS_OK;
    }
    compare(c, "one after the other", &start, ends[0], ends[2], speed);
    conserved(c, &start, ends[0], speed, set->e == 1);
    if (isnan(relay)) {
        check_skip(c, "last ball", "it is not reached before the end; take a larger --tend");
    } else {
        check_value(c, "last ball, first sent off", relay, line_relay(&start),
                    1e-11 * line_relay(&start));
    }
    // an impact is taken in the step in which it happens or the next: not two of a ball in one, and
    // none about the end
    double last = 0;
    for (int i = 0; i < set->balls; ++i) {
        last = fmax(last, hand.last[i]);
    }
    line next = hand;
    const double clear = 3 * set->run.h;
    const bool between = last < end - clear && !line_next(&next, end + clear, &pair);
    if (!between) {
        check_skip(c, "in steps", "there is an impact within 3 h of the end");
    } else if (hand.closest > clear && end - hand.t < 1e-9) {
        compare(c, "in steps", &start, ends[1], ends[2], speed);
    } else {
        check_skip(c, "in steps", "two impacts of a ball are less than 3 h apart");
    }
    return PCS_OK;
}

static pcs_status run(const void *user, csv *out, checks *c)
{
    const settings *set = user;
    double ends[3][MOST_BALLS] = {{0}}; // impact by impact, in steps, closed form
    PCS_TRY(touching(c, set, out, ends));
    return apart(c, set, out, ends);
}

// the first ball comes from a gap away, the others touch
static pcs_status first_scene(const void *user, pcs_scene **out)
{
    const settings *set = user;
    line l = row(set, 0);
    l.x[0] -= set->gap;
    return build(set, &l, out);
}

int main(int argc, char **argv)
{
    settings set;
    read_flags(&set, argc, argv);
    return example_run_scene(first_scene, run, &set, &set.run, HEADER);
}
