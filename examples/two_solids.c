// Two solids collide: spheres, and boxes on a corner, an edge and a face.
//
// First at a frozen configuration (pcs_impact): the solids touch, velocities jump. Momentum and
// angular momentum are kept, one contact alone loses (1 - e^2) u^2 / 2W of energy, and the
// velocities after are those of a small LCP worked out by hand (support/hand.c).
//
// Then by time stepping: the same solids come in from a distance along a motion known in closed
// form, each spinning about a principal axis, and touch in the middle of some step of size h. The
// scheme sees the contact up to a step away from where it is: velocities and loss are those of the
// first part up to C h. Linear momentum is kept to rounding; an oblique impact changes the angular
// momentum by (1 - theta) h sum_b (v x p + omega x (GP x p)) up to O(h^2), because levers move
// within the step.
#include "args.h"
#include "checks.h"
#include "csv.h"
#include "hand.h"
#include "motion.h"
#include "solids.h"
#include "study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <percuss/kernel.h>

typedef struct settings {
    solids_def def;
    double e, h, theta, t_end, hit;
    int scene, projection, metric, study;
    const char *csv;
} settings;

// ---- the model

static void close_world(world *w)
{
    pcs_work_destroy(w->work);
    pcs_state_destroy(w->state);
    pcs_model_destroy(w->model);
}

// a model of the scene as it was `before` seconds before the touch
static pcs_status open_world(const settings *set, const scene *s, double before, world *w)
{
    *w = (world){0};
    PCS_TRY(pcs_model_create(NULL, &w->model));
    PCS_TRY(pcs_model_set_gravity(w->model, (const double[]){0, 0, 0}));
    pcs_scheme scheme = pcs_scheme_default();
    scheme.theta = set->theta;
    scheme.projection = (pcs_projection)set->projection;
    scheme.metric = (pcs_metric)set->metric;
    scheme.solver.tol = 1e-14;
    PCS_TRY(pcs_model_set_scheme(w->model, &scheme));

    pcs_material material;
    PCS_TRY(pcs_model_add_material(w->model, &(pcs_material_def){.e = set->e}, &material));
    for (int b = 0; b < 2; ++b) {
        const hand_body *body = &s->body[b];
        if (!body->fixed) {
            pcs_body_def def = pcs_body_def_default();
            double q[7], v[6];
            memcpy(q, body->x, sizeof body->x);
            memcpy(q + 3, body->Q, sizeof body->Q);
            memcpy(v, body->v, sizeof body->v);
            memcpy(v + 3, body->omega, sizeof body->omega);
            pcs_body_advance(q, -before, v, PCS_UPDATE_EXP, q);
            def.mass = body->mass;
            memcpy(def.position, q, sizeof def.position);
            memcpy(def.orientation, q + 3, sizeof def.orientation);
            memcpy(def.velocity, v, sizeof def.velocity);
            memcpy(def.omega, v + 3, sizeof def.omega);
            for (int i = 0; i < 9; ++i) {
                def.inertia[i] = i % 4 == 0 ? body->inertia[i / 4] : 0;
            }
            PCS_TRY(pcs_model_add_body(w->model, &def, &w->system[b]));
        }
        PCS_TRY(pcs_model_add_shape(w->model, w->system[b], &s->shape[b], material));
    }
    PCS_TRY(pcs_state_create(w->model, &w->state));
    return pcs_work_create(w->model, &w->work);
}

// ---- impact at frozen configuration

static pcs_status impact(checks *c, const settings *set, int kind)
{
    const scene s = solids_make(&set->def, kind, false);
    const char *name = solids_name[kind];
    c->context = name;
    hand_result hand;
    check_that(c, "an LCP by hand", hand_impact(s.body, s.n, s.contact, set->e, &hand), "solved");

    world w;
    pcs_report report;
    double P0[3], L0[3], P1[3], L1[3], p[3], m[3], K0, K1, impulse = 0;
    double q[2][7], v0[2][6], v1[2][6];
    pcs_status status = open_world(set, &s, 0, &w);
    if (status == PCS_OK) {
        pcs_momentum(w.model, w.state, P0, L0);
        read_bodies(&w, q, v0);
        status = pcs_kinetic_energy(w.model, w.state, &K0);
    }
    if (status == PCS_OK) status = pcs_impact(w.model, w.state, w.work, 1e-9, &report);
    if (status == PCS_OK) {
        pcs_momentum(w.model, w.state, P1, L1);
        read_bodies(&w, q, v1);
        sum_wrenches(&w, q, p, m);
        impulse = impulse_of(&w);
        status = pcs_kinetic_energy(w.model, w.state, &K1);
    }
    const int contacts = status == PCS_OK ? pcs_contacts(w.work, NULL) : 0;
    close_world(&w);
    if (status != PCS_OK) return status;

    // what the bodies have gained is what the ground gave
    double sum = 0;
    for (int i = 0; i < 3; ++i) {
        P1[i] -= s.ground ? p[i] : 0;
        L1[i] -= s.ground ? m[i] : 0;
    }
    for (int i = 0; i < s.n; ++i) {
        sum += hand.p[i];
    }
    const double speed = largest(12, v0[0], NULL), mass = s.body[0].mass + s.body[1].mass;
    const double dv = largest(12, v1[0], hand.v[0]);
    const double dP = largest(3, P1, P0), dL = largest(3, L1, L0);
    printf("%-11s %8d %12.9f %12.9f %12.9f %12.9f %9.1e %9.1e %9.1e\n", name, contacts, impulse,
           sum, K0 - K1, hand.loss, dv, dP, dL);
    check_value(c, "outcome of pcs_impact", report.outcome, PCS_CONVERGED, 0);
    check_value(c, "velocities after", dv, 0, 1e-12 * speed);
    check_value(c, "impulse", impulse, sum, 1e-12 * mass * speed);
    check_value(c, "momentum", dP, 0, 1e-12 * mass * speed);
    check_value(c, "angular momentum", dL, 0, 1e-12 * mass * speed);
    check_value(c, "energy lost", K0 - K1, hand.loss, 1e-12 * K0);
    if (s.n == 1 && hand.u[0] < 0) {
        const double u = hand.u[0], W = hand.W[0][0];
        check_value(c, "(1 - e^2) u^2 / 2W", K0 - K1, (1 - set->e * set->e) * u * u / (2 * W),
                    1e-12 * K0);
    }
    return PCS_OK;
}

// ---- time stepping

// steps of h from `before` seconds before the touch to t_end, or only to the impact
static pcs_status simulate(const settings *set, const scene *s, double h, double before, bool once,
                           csv *out, motion *m, pcs_run_report *report)
{
    world w;
    *m = (motion){.s = s, .w = &w, .out = out, .theta = set->theta, .once = once, .h = h};
    pcs_status status = open_world(set, s, before, &w);
    if (status == PCS_OK) {
        status = pcs_run(w.model, w.state, w.work, h, set->t_end, motion_observe, m, report);
    }
    close_world(&w);
    m->w = NULL;
    return status;
}

enum { PHASES = 8, MOST_HALVINGS = 8 };

// the order at which an error goes to zero with h, over the levels where it is more than rounding;
// infinite where there are not even two of them
static double order_of(int n, const double *h, const double *error, double rounding)
{
    int above = 0;
    while (above < n && error[above] > rounding) {
        ++above;
    }
    return above < 2 ? INFINITY : study_slope(above, h, error);
}

static void print_order(double order)
{
    if (isinf(order)) {
        printf(" %6s", "exact");
    } else {
        printf(" %6.2f", order);
    }
}

static pcs_status step(checks *c, const settings *set, int kind, csv *out)
{
    const scene s = solids_make(&set->def, kind, true);
    const char *name = solids_name[kind];
    c->context = name;
    hand_result hand;
    if (!hand_impact(s.body, s.n, s.contact, set->e, &hand)) return PCS_OK;
    if (!(largest(s.n, hand.p, NULL) > 0)) {
        check_skip(c, "time stepping", "the solids do not approach each other");
        return PCS_OK;
    }
    motion m;
    pcs_run_report report;
    PCS_TRY(simulate(set, &s, set->h, set->hit, false, out, &m, &report));
    check_value(c, "outcome of the run", report.outcome, PCS_CONVERGED, 0);
    if (!check_that(c, "an impact", m.struck, "seen")) return PCS_OK;

    // errors over halvings: of the velocities, and of the jump beyond its prediction. They depend
    // on when the touch comes within a step: take the root mean square over all such phases
    double h[MOST_HALVINGS + 1], dv[MOST_HALVINGS + 1], dL[MOST_HALVINGS + 1];
    const int levels = set->study + 1;
    for (int j = 0; j < levels; ++j) {
        h[j] = ldexp(set->h, -j);
        dv[j] = dL[j] = 0;
        for (int i = 0; i < PHASES; ++i) {
            motion one;
            csv none = {0};
            const double before = set->hit + (i + 0.5) / PHASES * h[j];
            PCS_TRY(simulate(set, &s, h[j], before, true, &none, &one, &report));
            const double v = largest(12, one.after[0], hand.v[0]);
            const double L = largest(3, one.jump, one.predicted);
            dv[j] += v * v / PHASES;
            dL[j] += L * L / PHASES;
        }
        dv[j] = sqrt(dv[j]);
        dL[j] = sqrt(dL[j]);
    }
    const double speed = largest(12, hand.v[0], NULL), mass = s.body[0].mass + s.body[1].mass;
    const double order_v = order_of(levels, h, dv, 1e-11 * speed);
    const double order_L = order_of(levels, h, dL, 5e-12 * mass * speed);

    printf("%-11s %9.6f %9.6f %9.1e", name, m.loss, hand.loss, dv[0]);
    print_order(order_v);
    printf(" %11.4e %11.4e %9.1e", sqrt(hand_dot(m.jump, m.jump)),
           sqrt(hand_dot(m.predicted, m.predicted)), dL[0]);
    print_order(order_L);
    printf(" %9.1e %9.1e\n", m.leak, m.closure);

    check_value(c, "momentum of every step", m.leak, 0, 1e-13 * mass * speed);
    check_value(c, "energy of every step", m.closure, 0, 1e-13 * mass * speed * speed);

    // 1 and 2, less what coarse steps hide: a motion may be fast for them
    if (levels < 3) return PCS_OK;
    check_order(c, "order of the velocities", order_v, 0.8);
    if (set->projection != PCS_PROJECT_NONE) return PCS_OK;
    check_order(c, "order of the angular momentum", order_L, 1.6);
    return PCS_OK;
}

// ---- the program

static int run(const settings *set, csv *out)
{
    const int first = set->scene == ALL ? SPHERES : set->scene;
    const int last = set->scene == ALL ? SPACE : set->scene;
    checks c = {.quiet = true};
    pcs_status status = PCS_OK;

    printf("\nImpact at frozen configuration, beside an LCP worked out by hand\n"
           "%-11s %8s %12s %12s %12s %12s %9s %9s %9s\n",
           "scene", "contacts", "impulse", "by hand", "energy lost", "by hand", "d veloc.",
           "d moment.", "d ang.m.");
    for (int k = first; k <= last && status == PCS_OK; ++k) {
        status = impact(&c, set, k);
    }
    printf("\nTime stepping, h = %g s, theta = %g; orders over %d halvings\n"
           "%-11s %9s %9s %9s %6s %11s %11s %9s %6s %9s %9s\n",
           set->h, set->theta, set->study, "scene", "lost", "by hand", "d veloc.", "order",
           "d ang.mom.", "predicted", "beyond", "order", "d moment.", "d energy");
    for (int k = first; k <= last && status == PCS_OK; ++k) {
        status = step(&c, set, k, out);
    }
    if (status != PCS_OK) return say_error("two_solids", status);
    if (set->projection != PCS_PROJECT_NONE) {
        c.context = NULL;
        check_skip(&c, "order of the angular momentum", "a projection moves the bodies as well");
    }
    return checks_end(&c);
}

int main(int argc, char **argv)
{
    settings s = {.def = {.mass = {2, 3},
                          .radius = {0.1, 0.15},
                          .size = {{0.3, 0.2, 0.1}, {0.8, 0.7, 0.2}},
                          .speed = 1,
                          .sideways = 0.5,
                          .spin = {1.5, -1}},
                  .e = 0.6,
                  .h = 0.002,
                  .theta = 0.5,
                  .t_end = 0.2,
                  .hit = 0.0987, // not the end of a step: there rounding decides who touches
                  .study = 4};

    args a = {.about =
                  "Two solids collide: what is conserved and what is lost, at the impact and by "
                  "time stepping."};
    args_choice(&a, "--scene", &s.scene, SOLIDS_WORDS,
                "which; corner, edge and face are on the ground");
    args_positive(&a, "--mass1", &s.def.mass[0], "kg", "mass of the upper solid");
    args_positive(&a, "--mass2", &s.def.mass[1], "kg", "mass of the lower one, if it is free");
    args_positive(&a, "--radius1", &s.def.radius[0], "m", "radius of the upper sphere");
    args_positive(&a, "--radius2", &s.def.radius[1], "m", "radius of the lower sphere");
    args_vector(&a, "--size1", s.def.size[0], "m", "edges of the upper box");
    args_vector(&a, "--size2", s.def.size[1], "m", "edges of the lower box");
    args_real(&a, "--speed", &s.def.speed, -INFINITY, INFINITY, "m/s",
              "at which the upper one comes down; a free lower one comes up half as fast");
    args_real(&a, "--sideways", &s.def.sideways, -INFINITY, INFINITY, "m/s", "speed to the side");
    args_real(&a, "--spin1", &s.def.spin[0], -INFINITY, INFINITY, "rad/s", "of the upper one");
    args_real(&a, "--spin2", &s.def.spin[1], -INFINITY, INFINITY, "rad/s", "of the lower one");
    args_real(&a, "--e", &s.e, 0, 1, "", "restitution");
    args_positive(&a, "--h", &s.h, "s", "time step");
    args_real(&a, "--theta", &s.theta, 0, 1, "", "of the scheme");
    args_positive(&a, "--hit", &s.hit, "s", "when they touch");
    args_positive(&a, "--tend", &s.t_end, "s", "end of the run");
    args_choice(&a, "--projection", &s.projection,
                "none|direct|direct-hysteresis|combined|combined-equality",
                "how overlaps are removed");
    args_choice(&a, "--metric", &s.metric, "mass|v|q|q1", "of the projection");
    args_int(&a, "--study", &s.study, 0, MOST_HALVINGS,
             "halvings of h to observe orders; they need two");
    args_string(&a, "--csv", &s.csv, "FILE",
                "write the initial state and every step of every scene: time, positions, "
                "quaternions, velocities, angular velocities (body axes), impulse of the step "
                "(N s), smallest gap, energies (J), momentum, angular momentum about the origin");
    if (!args_parse(&a, argc, argv)) return a.exit_code;

    for (int b = 0; b < 2; ++b) {
        if (s.def.size[b][0] > 0 && s.def.size[b][1] > 0 && s.def.size[b][2] > 0) continue;
        fprintf(stderr, "two_solids: --size%d needs three edges > 0, such as 0.3,0.2,0.1\n", b + 1);
        return 2;
    }
    for (int kind = SPHERES; kind < SCENES; ++kind) {
        const scene touch = solids_make(&s.def, kind, true);
        if ((s.scene != ALL && s.scene != kind) || solids_fit(&touch)) continue;
        fprintf(stderr,
                "two_solids: in %s the upper box touches beyond the lower; enlarge --size2\n",
                solids_name[kind]);
        return 2;
    }
    if (s.t_end < s.hit + 2 * s.h || s.t_end / s.h > 1e8) {
        fprintf(stderr, "two_solids: --tend must lie two steps behind --hit, and at most 1e8 steps "
                        "from the start\n");
        return 2;
    }

    csv out;
    if (!csv_open(&out, s.csv, MOTION_HEADER)) return 2;
    const int code = run(&s, &out);
    if (!csv_close(&out)) return 2;
    return code;
}
