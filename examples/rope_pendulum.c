// A mass on a rope: it falls with a slack rope, is caught, swings on the taut rope, and is released
// where the rope would have to push (theory 9.2).
//
// Two motions, a drop and a throw from the lowest point, each computed twice:
//
// - from event to event (scenes/rope_scene): smooth equations of flight and of the constrained
//   pendulum, integrated to the event that ends them;
// - in time steps, as a contact: a body in the plane y = 0 on a rope, with the gap
//   g = l - |x - x_R| and Newton's law of impact. There are no modes: impact, tension and release
//   follow from the law.
//
// The first is compared with closed forms (checks/rope_events), the second with the first.
#include "checks/rope_events.h"
#include "example.h"
#include "flags/rope_pendulum_flags.h"
#include "scenes/simulation.h"
#include "study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <percuss/kernel.h>

enum { SIZES = 8 }; // step sizes per level of a study

typedef struct motion {
    const char *name;
    double x0[2], v0[2];
    double thrown; // m/s from the lowest point; 0: not
} motion;

// ---- the rope as a contact ----------------------------------------------------------------------

// a body whose rope begins at its centre of mass: it does not rotate
static pcs_status build(const settings *set, const motion *m, pcs_scene **out)
{
    const rope_def *def = &set->rope;
    const double anchor[3] = {def->anchor[0], 0, def->anchor[1]};
    PCS_TRY(run_scene(&set->run, "A mass on a rope falls and is caught.", out));
    pcs_load *drag = pcs_scene_alloc(*out, sizeof *drag);
    if (!drag) return PCS_ERR_MEMORY;
    drag->damping = def->drag;
    pcs_body_def mass = pcs_body_def_default();
    pcs_interaction_def line = pcs_interaction_def_default();
    mass.mass = def->mass;
    for (int i = 0; i < 2; ++i) {
        mass.position[2 * i] = m->x0[i];
        mass.velocity[2 * i] = m->v0[i];
    }
    mass.force = pcs_load_act;
    mass.user = drag;
    line.relation = pcs_relation_rope((const double[3]){0}, anchor, def->length);
    line.law = pcs_law_newton_impact(def->e);
    // touches nothing, but gives an inertia, and replay pages show it
    const pcs_shape ball = pcs_shape_sphere(0.05 * def->length);
    PCS_TRY(pcs_model_add_body((*out)->model, &mass, &line.system1));
    PCS_TRY(pcs_model_add_shape((*out)->model, line.system1, &ball, (pcs_material){0}));
    return pcs_model_add_interaction((*out)->model, &line, NULL);
}

// one run in time steps
typedef struct stepped {
    simulation s;
    bool pulled;    // true when the rope gave an impulse in the last step
    double caught;  // largest impulse of a step after one without, N s
    double closure; // worst of the ledgers, J
    double least;   // least impulse of the rope, N s
    pcs_outcome outcome;
} stepped;

static pcs_status stepped_open(stepped *s, const settings *set, const motion *m)
{
    const rope_def *def = &set->rope;
    // a rope that is taut from the start is not caught in the first step
    const double d[2] = {m->x0[0] - def->anchor[0], m->x0[1] - def->anchor[1]};
    const bool taut = hypot(d[0], d[1]) >= def->length * (1 - 1e-12);
    *s = (stepped){.pulled = taut, .outcome = PCS_OUTCOME_CONVERGED};
    PCS_TRY(build(set, m, &s->s.scene));
    return simulation_start(&s->s, 1);
}

static pcs_status stepped_step(stepped *s, double h)
{
    pcs_step_report report;
    PCS_TRY(pcs_step(s->s.scene->model, s->s.state, s->s.work, h, &report));
    if (report.outcome != PCS_OUTCOME_CONVERGED) s->outcome = report.outcome;
    s->closure = fmax(s->closure, fabs(report.energy.closure));
    const pcs_contact *c;
    int n;
    PCS_TRY(pcs_work_contacts(s->s.work, &n, &c));
    const double r = n > 0 && c[0].active ? c[0].r[0] : 0;
    if (!s->pulled) s->caught = fmax(s->caught, r);
    s->pulled = r > 0;
    s->least = fmin(s->least, r);
    return PCS_OK;
}

// ---- both together ------------------------------------------------------------------------------

#define HEADER "motion,t,x,y,vx,vy,taut,distance,tension,kinetic,potential,drag,x_steps,y_steps"

static double kinetic(const rope_def *def, const double v[2])
{
    return 0.5 * def->mass * (v[0] * v[0] + v[1] * v[1]);
}

static pcs_status write_row(const rope *r, const stepped *s, int number, csv *out)
{
    const rope_def *def = &r->def;
    const double *x = rope_state(r), *q = s->s.state->q;
    double S;
    PCS_TRY(rope_tension(r, &S));
    CSV_ROW(out, number, rope_time(r), x[0], x[1], x[2], x[3], r->mode == ROPE_TAUT,
            hypot(x[0] - def->anchor[0], x[1] - def->anchor[1]), S, kinetic(def, x + 2),
            def->mass * def->gravity * x[1], x[4], q[0], q[2]);
    return PCS_OK;
}

// the comparison over a run
typedef struct result {
    double apart;               // largest distance of the two, m
    double arc_x, arc_v, arc_S; // of taut arcs from those by the angle: m, m/s, N
    double ledger;              // worst of E + W + losses - E0, J
    stepped steps;              // closed: its numbers only
} result;

// the taut arcs of the rope beside those by the angle, up to now; `seen` events were known before
static pcs_status follow_arcs(rope_arc *arc, const rope *r, int seen, result *out)
{
    double x[2], v[2], S;
    for (int i = seen; i < r->events && i < ROPE_EVENTS; ++i) {
        const rope_event *e = &r->event[i];
        if (arc->run) {
            // the end of an arc: a release
            PCS_TRY(rope_arc_at(arc, e->t, x, v, &S));
            out->arc_x = fmax(out->arc_x, hypot(x[0] - e->x[0], x[1] - e->x[1]));
            out->arc_v = fmax(out->arc_v, hypot(v[0] - e->before[0], v[1] - e->before[1]));
            out->arc_S = fmax(out->arc_S, fabs(S));
        }
        rope_arc_end(arc);
        if (e->mode == ROPE_TAUT) PCS_TRY(rope_arc_begin(arc, &r->def, e->t, e->x, e->after));
    }
    if (!arc->run) return PCS_OK;
    const double *now = rope_state(r);
    double tension;
    PCS_TRY(rope_arc_at(arc, rope_time(r), x, v, &S));
    PCS_TRY(rope_tension(r, &tension));
    out->arc_x = fmax(out->arc_x, hypot(x[0] - now[0], x[1] - now[1]));
    out->arc_v = fmax(out->arc_v, hypot(v[0] - now[2], v[1] - now[3]));
    out->arc_S = fmax(out->arc_S, fabs(S - tension));
    return PCS_OK;
}

// the compared quantities of the rope at its present time; `seen` events were known before
static pcs_status look(const rope *r, rope_arc *arc, double E0, int seen, result *out)
{
    const double *x = rope_state(r);
    const double E = kinetic(&r->def, x + 2) + r->def.mass * r->def.gravity * x[1];
    out->ledger = fmax(out->ledger, fabs(E + x[4] + r->lost - E0));
    return follow_arcs(arc, r, seen, out);
}

static double energy_at_start(const rope_def *def, const motion *m)
{
    return kinetic(def, m->v0) + def->mass * def->gravity * m->x0[1];
}

// the place at t; at rest there, or in passing, by dense output
static pcs_status place_at(rope *r, double t, bool stop, double x[5])
{
    if (!stop) return rope_glance(r, t, x);
    PCS_TRY(rope_advance(r, t));
    memcpy(x, rope_state(r), 5 * sizeof *x);
    return PCS_OK;
}

// Both methods side by side, in steps of h. `r` keeps the events. With `out` arcs are followed and
// rows written.
static pcs_status run_both(const settings *set, const motion *m, double h, int number, csv *out,
                           rope *r, result *res)
{
    *res = (result){0};
    stepped s = {0};
    rope_arc arc = {0};
    const double E0 = energy_at_start(&set->rope, m);
    pcs_status status = rope_open(r, &set->rope, m->x0, m->v0);
    if (status == PCS_OK) status = stepped_open(&s, set, m);
    if (status == PCS_OK && out) status = look(r, &arc, E0, 0, res);
    if (status == PCS_OK && out) status = write_row(r, &s, number, out);
    const long n = lround(set->run.t_end / h);
    for (long k = 1; k <= n && status == PCS_OK; ++k) {
        const int seen = r->events;
        double x[5];
        status = stepped_step(&s, h);
        if (s.outcome != PCS_OUTCOME_CONVERGED) break;
        if (status == PCS_OK) status = place_at(r, (double)k * h, out != NULL, x);
        if (status == PCS_OK && out) status = look(r, &arc, E0, seen, res);
        if (status == PCS_OK && out) status = write_row(r, &s, number, out);
        const double *q = s.s.state->q;
        if (status == PCS_OK) res->apart = fmax(res->apart, hypot(x[0] - q[0], x[1] - q[2]));
    }
    res->steps = s;
    simulation_close(&s.s);
    rope_arc_end(&arc);
    rope_close(r);
    return status;
}

// ---- from event to event, against closed forms --------------------------------------------------

static void print_events(const motion *m, const rope *r)
{
    printf("\n%s\n%12s %10s %13s %13s %11s %11s %12s %10s\n", m->name, "time (s)", "", "x (m)",
           "y (m)", "v- (m/s)", "v+ (m/s)", "impulse", "S (N)");
    for (int i = 0; i < r->events && i < ROPE_EVENTS; ++i) {
        const rope_event *e = &r->event[i];
        const char *what = i == 0 && e->impulse == 0 ? "start"
                           : e->impulse == 0         ? "release"
                           : e->mode == ROPE_TAUT    ? "capture"
                                                     : "rebound";
        printf("%12.9f %10s %13.9f %13.9f %11.8f %11.8f %12.9f %10.6f\n", e->t, what, e->x[0],
               e->x[1], hypot(e->before[0], e->before[1]), hypot(e->after[0], e->after[1]),
               e->impulse, e->tension);
    }
}

// errors of all captures, and of all releases
typedef struct event_errors {
    double t, v, projection, impulse, ratio;
    double length, pull, along; // of releases: m, N, m/s along the rope
    int captures, releases;
} event_errors;

static pcs_status look_at_capture(const rope_def *def, const rope_event *from, const rope_event *e,
                                  event_errors *err)
{
    double t, v[2];
    const double dx[2] = {e->x[0] - def->anchor[0], e->x[1] - def->anchor[1]};
    const double n[2] = {dx[0] / hypot(dx[0], dx[1]), dx[1] / hypot(dx[0], dx[1])};
    if (e->t > from->t) {
        PCS_TRY(rope_tautness(def, from->x, from->after, 1.5 * (e->t - from->t), &t, v));
        // the effect of a rounding of the position on a slow approach is no error
        const double u0 = n[0] * v[0] + n[1] * v[1],
                     slow = fmin(1, u0 / sqrt(def->gravity * def->length));
        err->t = fmax(err->t, slow * fabs(from->t + t - e->t));
        err->v = fmax(err->v, slow * hypot(v[0] - e->before[0], v[1] - e->before[1]));
    }
    // along n: -e u; along the tangent: as before
    const double u = n[0] * e->before[0] + n[1] * e->before[1];
    const double rest = u > def->settle ? def->e : 0;
    const double expected[2] = {e->before[0] - (1 + rest) * u * n[0],
                                e->before[1] - (1 + rest) * u * n[1]};
    err->projection =
        fmax(err->projection, hypot(e->after[0] - expected[0], e->after[1] - expected[1]));
    err->impulse = fmax(err->impulse, fabs(e->impulse - (1 + rest) * def->mass * u));
    const double part = u * u / (e->before[0] * e->before[0] + e->before[1] * e->before[1]);
    err->ratio = fmax(err->ratio, fabs(kinetic(def, e->after) / kinetic(def, e->before) -
                                       (1 - (1 - rest * rest) * part)));
    err->captures += 1;
    return PCS_OK;
}

static void look_at_release(const rope_def *def, const rope_event *e, event_errors *err)
{
    const double d[2] = {e->x[0] - def->anchor[0], e->x[1] - def->anchor[1]}, l = hypot(d[0], d[1]);
    const double v2 = e->before[0] * e->before[0] + e->before[1] * e->before[1];
    err->length = fmax(err->length, fabs(l - def->length));
    err->pull = fmax(err->pull, fabs(def->mass * (v2 / l - def->gravity * d[1] / l)));
    err->along = fmax(err->along, fabs(d[0] * e->before[0] + d[1] * e->before[1]) / l);
    err->releases += 1;
}

static pcs_status check_events(const settings *set, const rope *r, checks *c)
{
    const rope_def *def = &set->rope;
    const double L = def->length, V = sqrt(def->gravity * L), T = L / V,
                 rel = fmax(1e-10, 100 * def->rtol);
    event_errors err = {0};
    const int n = r->events < ROPE_EVENTS ? r->events : ROPE_EVENTS;
    for (int i = 0; i < n; ++i) {
        const rope_event *e = &r->event[i];
        if (e->impulse > 0) {
            PCS_TRY(look_at_capture(def, &r->event[i > 0 ? i - 1 : 0], e, &err));
        } else if (i > 0) {
            look_at_release(def, e, &err);
        }
    }
    printf("%d captures, %d releases\n\n", err.captures, err.releases);
    if (err.captures > 0) {
        check_value(c, "times of tautness (s)", err.t, 0, rel * T);
        check_value(c, "velocities of captures (m/s)", err.v, 0, rel * V);
        check_value(c, "behind captures (m/s)", err.projection, 0, 1e-12 * V);
        check_value(c, "impulses (N s)", err.impulse, 0, 1e-12 * def->mass * V);
        check_value(c, "ratios of kinetic energy", err.ratio, 0, 1e-12);
    }
    if (err.releases > 0) {
        check_value(c, "releases: length (m)", err.length, 0, rel * L);
        check_value(c, "releases: m v^2 / l - m g sin (N)", err.pull, 0,
                    rel * def->mass * def->gravity);
        check_value(c, "releases: speed along the rope", err.along, 0, rel * V);
    }
    return PCS_OK;
}

static void check_arcs(const settings *set, const rope *r, const result *res, checks *c)
{
    const rope_def *def = &set->rope;
    const double L = def->length, V = sqrt(def->gravity * L), S = def->mass * def->gravity;
    const double rel = fmax(1e-9, 1e3 * def->rtol);
    if (!(r->least < INFINITY)) return;
    check_value(c, "taut: from the arc by angle (m)", res->arc_x, 0, rel * L);
    check_value(c, "taut: its velocity (m/s)", res->arc_v, 0, rel * V);
    check_value(c, "taut: its tension (N)", res->arc_S, 0, 10 * rel * S);
    check_value(c, "taut: length (m)", r->drift, 0, rel * L);
    check_order(c, "taut: least tension (N)", r->least, -rel * S);
    check_value(c, "energy + drag + captures (J)", res->ledger, 0, rel * S * L);
}

// closed forms of a drop from rest, and of a throw without drag
static void check_closed_forms(const settings *set, const motion *m, const rope *r, checks *c)
{
    const rope_def *def = &set->rope;
    const double g = def->gravity, l = def->length;
    const rope_event *e = &r->event[1];
    const bool aside = m->x0[0] == 0 && m->x0[1] == 0 && m->v0[0] == 0 && m->v0[1] == 0 &&
                       def->anchor[0] == 0.5 * l && def->anchor[1] == 0;
    if (aside && r->events > 1) {
        const double v = hypot(e->before[0], e->before[1]), s = sqrt(0.75);
        check_value(c, "capture: y / l", e->x[1] / l, -s, 1e-10);
        check_value(c, "capture: energy ratio", kinetic(def, e->after) / kinetic(def, e->before),
                    0.25 + 0.75 * def->e * def->e, 1e-10);
        if (def->e == 0) {
            check_value(c, "capture: vx+ / v", e->after[0] / v, 0.5 * s, 1e-10);
            check_value(c, "capture: vy+ / v", e->after[1] / v, -0.25, 1e-10);
        }
        if (def->drag == 0) check_value(c, "capture: time (s)", e->t, sqrt(2 * s * l / g), 1e-10);
    }
    const double v2 = m->thrown * m->thrown, rel = fmax(1e-9, 1e3 * def->rtol);
    if (m->thrown == 0 || def->drag > 0 || r->events < 2 || v2 == 4 * g * l) return;
    check_value(c, "release: height / l", (e->x[1] - def->anchor[1]) / l,
                (v2 - 2 * g * l) / (3 * g * l), rel);
    double x[2];
    rope_elliptic(def, m->thrown, e->t, x);
    check_value(c, "release: x by elliptic functions", e->x[0], x[0], rel * l);
    check_value(c, "release: y by elliptic functions", e->x[1], x[1], rel * l);
}

// ---- what keeps the taut rope at its length -----------------------------------------------------

// a run from event to event with a loose tolerance, which shows the errors of the stabilisations
static pcs_status swing(const settings *set, const motion *m, pcs_stabilisation how, double rtol,
                        rope *r, result *res)
{
    *res = (result){0};
    rope_def def = set->rope;
    def.stabilisation = how;
    def.rtol = rtol;
    rope_arc arc = {0};
    const double E0 = energy_at_start(&def, m);
    pcs_status status = rope_open(r, &def, m->x0, m->v0);
    if (status == PCS_OK) status = look(r, &arc, E0, 0, res);
    for (int k = 1; k <= 10 && status == PCS_OK; ++k) {
        const int seen = r->events;
        status = rope_advance(r, k * set->run.t_end / 10);
        if (status == PCS_OK) status = look(r, &arc, E0, seen, res);
    }
    rope_arc_end(&arc);
    rope_close(r);
    return status;
}

static pcs_status check_stabilisations(const settings *set, const motion *m, checks *c)
{
    static const char *const name[] = {"none", "baumgarte", "ggl", "project"};
    const double rtol = 1e-5;
    static rope r;
    printf("\nwith rtol = %g: %15s %14s %14s\n", rtol, "length (m)", "arc (m)", "energy (J)");
    for (int how = PCS_STABILISATION_NONE; how <= PCS_STABILISATION_PROJECT; ++how) {
        result res;
        PCS_TRY(swing(set, m, (pcs_stabilisation)how, rtol, &r, &res));
        printf("%20s %14.3e %14.3e %14.3e\n", name[how], r.drift, res.arc_x, res.ledger);
        if (how == PCS_STABILISATION_PROJECT && r.least < INFINITY) {
            check_value(c, "projected: length (m)", r.drift, 0, 1e-12 * set->rope.length);
        }
    }
    return PCS_OK;
}

// ---- in time steps, against events --------------------------------------------------------------

static pcs_status check_steps(const settings *set, const motion *m, const rope *reference,
                              checks *c)
{
    const int n = set->study + 1;
    double h[MOST_LEVELS], apart[MOST_LEVELS], caught[MOST_LEVELS], closure = 0, least = 0;
    double P = 0;
    for (int i = 1; i < reference->events && i < ROPE_EVENTS; ++i) {
        P = fmax(P, reference->event[i].impulse);
    }
    const bool compare = P > 0;
    bool converged = true;
    static rope r;
    printf("\n%12s %14s %14s\n", "h (s)", "apart (m)", "capture (N s)");
    for (int k = 0; k < n; ++k) {
        double sum = 0, off = 0;
        for (int i = 0; i < SIZES; ++i) {
            result res;
            const double size =
                set->run.t_end / round(set->run.t_end / study_size(set->run.h, k, i));
            PCS_TRY(run_both(set, m, size, 0, NULL, &r, &res));
            sum += res.apart * res.apart / SIZES;
            off += pow(res.steps.caught - P, 2) / SIZES;
            closure = fmax(closure, res.steps.closure);
            least = fmin(least, res.steps.least);
            converged = converged && res.steps.outcome == PCS_OUTCOME_CONVERGED;
        }
        h[k] = set->run.h / (1 << k);
        apart[k] = sqrt(sum);
        caught[k] = sqrt(off);
        printf("%12.6g %14.4e %14s\n", h[k], apart[k],
               cell_of("%.4e", compare ? caught[k] : NAN).text);
    }
    printf("\n");
    const double E = set->rope.mass * set->rope.gravity * set->rope.length;
    check_that(c, "outcome of every step", converged, converged ? "converged" : "not converged");
    check_value(c, "ledger of every step (J)", closure, 0, 1e-12 * E);
    check_order(c, "least impulse of the rope (N s)", least, 0);
    if (set->rope.e > 0.5) {
        check_skip(c, "orders", "e > 1/2: errors grow over the many rebounds");
        return PCS_OK;
    }
    if (apart[0] > 0.5 * set->rope.length) {
        check_skip(c, "orders", "the longest steps end half a rope away; take a smaller --h");
        return PCS_OK;
    }
    check_order(c, "order of the place", study_slope(n, h, apart), 0.6);
    if (compare) check_order(c, "order of the largest capture", study_slope(n, h, caught), 0.6);
    return PCS_OK;
}

// ---- the program --------------------------------------------------------------------------------

static motion drop_of(const settings *set)
{
    return (motion){.name = "drop", .x0 = {set->x0[0], set->x0[1]}, .v0 = {set->v0[0], set->v0[1]}};
}

static pcs_status run(const void *user, csv *out, checks *c)
{
    const settings *set = user;
    motion m[2] = {drop_of(set), {.name = "throw", .thrown = set->throw_speed}};
    m[1].x0[0] = set->rope.anchor[0];
    m[1].x0[1] = set->rope.anchor[1] - set->rope.length;
    m[1].v0[0] = set->throw_speed;

    static rope r;
    *c = checks_begin();
    for (int i = 0; i < (set->throw_speed > 0 ? 2 : 1); ++i) {
        result res;
        PCS_TRY(run_both(set, &m[i], set->run.h, i, out, &r, &res));
        c->context = m[i].name;
        print_events(&m[i], &r);
        PCS_TRY(check_events(set, &r, c));
        check_closed_forms(set, &m[i], &r, c);
        check_arcs(set, &r, &res, c);
        PCS_TRY(check_stabilisations(set, &m[i], c));
        PCS_TRY(check_steps(set, &m[i], &r, c));
    }
    return PCS_OK;
}

static pcs_status first_scene(const void *user, pcs_scene **out)
{
    const settings *set = user;
    const motion drop = drop_of(set);
    return build(set, &drop, out);
}

int main(int argc, char **argv)
{
    settings set;
    read_flags(&set, argc, argv);
    return example_run_scene(first_scene, run, &set, &set.run, HEADER);
}
