// A beam with a joint falls on a post and bounces: two bars on a hinge with a spring.
//
// Both bars have the length L and the mass m; the spring c in the hinge holds them in line. The
// beam falls level, with the hinge over the post, and stays symmetric: both bars droop by the angle
// a, and their centres have the height y. With J = m L^2 (1/12 + sin(a)^2 / 4) they obey
//
//     y'' = -g,  J a'' = -2 c a - m (L/2)^2 sin a cos a a'^2               in flight
//     y = -L/2 sin a,  m L^2/3 a'' = -2 c a + m g L/2 cos a                on the post
//
// The hinge, of the height y + L/2 sin a, lands without rebound: an impulse P = -w / (1/m + (L/2
// cos a)^2 / J) on each bar takes its speed w away, m v/4 for a level beam of the speed v. The
// force on the post is N = 2 m (g + y''), and the beam leaves it where N = 0. For small angles the
// bars swing on it at omega^2 = 6 c / (m L^2) about a_s = m g L / (4 c), from a = 0 to -a_s / 3.
//
// These equations are integrated with events. The model has two bodies, a hinge, a spring and a
// contact; its steps do not look for the impacts.
#include "args.h"
#include "example.h"
#include "flags/run_flags.h"
#include "scenes/rotating.h"
#include "scenes/simulation.h"
#include "study.h"

#include <percuss/force.h>
#include <percuss/joint.h>
#include <percuss/ode.h>
#include <percuss/touching.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#define HEADER "t,y,a,hinge,force,y_exact,a_exact,force_exact"
#define COLUMNS \
    "write every step: time, height of the bars, droop, height of the hinge, force on it"
#define THICK 0.02 // of the bars, m
#define PI    3.14159265358979323846

enum { LEVELS = 2, SIZES = 4, MOST_PHASES = 12 };

typedef struct settings {
    run_settings run;
    double mass, length, stiffness, height; // height: of the fall
    int landings;
} settings;

// ---- flights and swings on the post, by events --------------------------------------------------

// x = (y, a, y', a')
static int flight_rates(void *user, double t, const double *x, double *xdot)
{
    (void)t;
    const settings *set = user;
    const double L = set->length, m = set->mass, s = sin(x[1]);
    const double J = m * L * L * (1. / 12 + s * s / 4);
    memcpy(xdot, x + 2, 2 * sizeof *x);
    xdot[2] = -set->run.gravity;
    xdot[3] = (-2 * set->stiffness * x[1] - m * L * L / 4 * s * cos(x[1]) * x[3] * x[3]) / J;
    return 0;
}

static int post_rates(void *user, double t, const double *x, double *xdot)
{
    (void)t;
    const settings *set = user;
    const double L = set->length, m = set->mass, g = set->run.gravity;
    memcpy(xdot, x + 2, 2 * sizeof *x);
    xdot[3] = 3 / (m * L * L) * (-2 * set->stiffness * x[1] + 0.5 * m * g * L * cos(x[1]));
    xdot[2] = -0.5 * L * (cos(x[1]) * xdot[3] - sin(x[1]) * x[3] * x[3]);
    return 0;
}

static int hinge_height(void *user, double t, const double *x, double *g)
{
    (void)t;
    const settings *set = user;
    g[0] = x[0] + 0.5 * set->length * sin(x[1]);
    return 0;
}

static int post_force(void *user, double t, const double *x, double *g)
{
    const settings *set = user;
    double xdot[4];
    post_rates(user, t, x, xdot);
    g[0] = 2 * set->mass * (set->run.gravity + xdot[2]);
    return 0;
}

// the beam from one event to the next
typedef struct phase {
    bool on_post;
    double t, x[4]; // at its start
    double impulse; // of the landing at its start, on both bars, N s
} phase;

typedef struct course {
    const settings *set;
    pcs_integrator *run[2]; // in flight, on the post
    phase at[MOST_PHASES];
    int phases; // the first is the fall
    double end; // of the last
    // during a run: the phase that is integrated
    int now;
} course;

static pcs_status course_open(course *c, const settings *set)
{
    *c = (course){.set = set, .now = -1};
    for (int k = 0; k < 2; ++k) {
        const pcs_ode ode = {.n = 4, .f = k ? post_rates : flight_rates, .user = (void *)set};
        const pcs_event end = {.g = k ? post_force : hinge_height,
                               .direction = -1,
                               .terminal = true,
                               .user = (void *)set};
        pcs_ode_opts opts = pcs_ode_opts_default();
        opts.rtol = 1e-11;
        opts.atol = 1e-13;
        opts.h_max = 0.1 / sqrt(24 * set->stiffness / (set->mass * set->length * set->length));
        PCS_TRY(pcs_integrator_create(NULL, &ode, &opts, &c->run[k]));
        PCS_TRY(pcs_integrator_set_events(c->run[k], 1, &end));
    }
    return PCS_OK;
}

static void course_close(course *c)
{
    pcs_integrator_destroy(c->run[0]);
    pcs_integrator_destroy(c->run[1]);
}

static void land(const settings *set, phase *p)
{
    const double m = set->mass, arm = 0.5 * set->length * cos(p->x[1]), s = sin(p->x[1]);
    const double J = m * set->length * set->length * (1. / 12 + s * s / 4);
    const double P = -(p->x[2] + arm * p->x[3]) / (1 / m + arm * arm / J);
    p->x[2] += P / m;
    p->x[3] += arm * P / J;
    p->impulse = 2 * P;
}

// The fall and what follows each landing: a swing on the post, unless the spring lifts the hinge at
// once, and a flight.
static pcs_status follow(course *c)
{
    const settings *set = c->set;
    phase p = {.x = {set->height}};
    c->phases = 0;
    for (int landings = 0;;) {
        c->at[c->phases++] = p;
        pcs_integrator *run = c->run[p.on_post];
        pcs_ode_report report;
        PCS_TRY(pcs_integrator_start(run, p.t, p.x));
        PCS_TRY(pcs_integrator_advance(run, p.t + 100, &report));
        if (report.end != PCS_ODE_EVENT) return PCS_ERR_STEP;
        const bool lands = !p.on_post;
        p = (phase){.t = pcs_integrator_t(run)};
        memcpy(p.x, pcs_integrator_x(run), sizeof p.x);
        if (!lands) continue;
        if (landings++ == set->landings) break;
        double force;
        land(set, &p);
        post_force((void *)set, p.t, p.x, &force);
        p.on_post = force > 0;
    }
    c->end = p.t;
    return PCS_OK;
}

// state and force at increasing times
static pcs_status exact_at(course *c, double t, double x[4], double *force)
{
    int k = c->phases - 1;
    while (k > 0 && c->at[k].t > t) {
        --k;
    }
    const phase *p = &c->at[k];
    pcs_integrator *run = c->run[p->on_post];
    if (k != c->now) PCS_TRY(pcs_integrator_start(run, p->t, p->x));
    c->now = k;
    if (t > pcs_integrator_t(run)) PCS_TRY(pcs_integrator_advance(run, t, NULL));
    memcpy(x, pcs_integrator_x(run), 4 * sizeof *x);
    *force = 0;
    if (p->on_post) post_force((void *)c->set, t, x, force);
    return PCS_OK;
}

// ---- the model ----------------------------------------------------------------------------------

static pcs_status add_bar(pcs_model *model, const settings *set, double side, pcs_system *bar)
{
    const double L = set->length;
    pcs_body_def def = pcs_body_def_of_inertia(pcs_inertia_box(set->mass, L, THICK, THICK));
    const double I = set->mass * L * L / 12; // of a thin bar
    def.inertia[4] = def.inertia[8] = I;
    def.position[0] = side * 0.5 * L;
    def.position[2] = set->height;
    PCS_TRY(pcs_model_add_body(model, &def, bar));
    pcs_shape box = pcs_shape_box(L, THICK, THICK);
    PCS_TRY(pcs_model_add_shape(model, *bar, &box, (pcs_material){0}));
    // only the hinge touches the post
    return pcs_model_set_shape_groups(model, pcs_model_shape_count(model) - 1, 0, 0);
}

static pcs_status build(const void *user, pcs_scene **out)
{
    const settings *set = user;
    PCS_TRY(run_scene(&set->run, "A beam with a joint falls on a post.", out));
    pcs_model *model = (*out)->model;
    const double y[3] = {0, 1, 0}, middle[3] = {0, 0, set->height};
    pcs_joint_def hinge = pcs_joint_def_default(PCS_JOINT_HINGE);
    PCS_TRY(add_bar(model, set, -1, &hinge.system1));
    PCS_TRY(add_bar(model, set, 1, &hinge.system2));
    PCS_TRY(pcs_model_place_joint(model, middle, y, NULL, &hinge));
    PCS_TRY(pcs_model_add_joint(model, &hinge, NULL));
    pcs_force_def spring = pcs_force_def_default(PCS_FORCE_TORSION);
    spring.system1 = hinge.system1;
    spring.system2 = hinge.system2;
    spring.axis[1] = 1;
    spring.stiffness = set->stiffness;
    PCS_TRY(pcs_model_add_force(model, &spring, NULL));

    pcs_shape pin = pcs_shape_sphere(THICK),
              post = pcs_shape_box(3 * THICK, 3 * THICK, set->length);
    pin.position[0] = 0.5 * set->length;
    post.position[2] = -THICK - 0.5 * set->length;
    PCS_TRY(pcs_model_add_shape(model, hinge.system1, &pin, (pcs_material){0}));
    pin.position[0] = -pin.position[0];
    PCS_TRY(pcs_model_add_shape(model, hinge.system2, &pin, (pcs_material){0}));
    return pcs_model_add_shape(model, (pcs_system){0}, &post, (pcs_material){0});
}

// ---- a run --------------------------------------------------------------------------------------

// data that the observer collects
typedef struct result {
    const settings *set;
    course *exact;
    csv *out;             // or null
    double x[4];          // at the end
    double impulse;       // of the first landing, N s
    double closure, open; // largest of all steps: of the ledger, J; of the hinge, m
    long loose;
} result;

static int watch(void *user, const pcs_model *model, const pcs_state *state, pcs_work *work,
                 const pcs_step_report *report)
{
    result *r = user;
    const double *q = state->q, *v = state->v, L = r->set->length;
    const pcs_contact *contact;
    int n = 0;
    double impulse = 0, x[4], force;
    if (report) {
        PCS_TRY(pcs_work_contacts(work, &n, &contact));
        pcs_joint_state hinge;
        PCS_TRY(pcs_state_joint(model, state, work, (pcs_interaction){1}, &hinge));
        r->open = fmax(r->open, hinge.violation);
        r->closure = fmax(r->closure, fabs(report->energy.closure));
        r->loose += report->outcome != PCS_OUTCOME_CONVERGED;
    }
    for (int i = 0; i < n; ++i) {
        if (contact[i].interaction == 0) impulse += contact[i].r[0];
    }
    if (r->impulse == 0) r->impulse = impulse;
    // of the second bar, which droops by turning about y
    r->x[0] = q[7 + 2];
    r->x[1] = 2 * atan2(q[7 + 5], q[7 + 3]);
    r->x[2] = v[6 + 2];
    r->x[3] = v[6 + 4];
    if (!r->out) return 0;
    PCS_TRY(exact_at(r->exact, state->t, x, &force));
    CSV_ROW(r->out, state->t, r->x[0], r->x[1], r->x[0] + 0.5 * L * sin(r->x[1]),
            report ? impulse / pcs_work_step_size(work) : 0, x[0], x[1], force);
    return 0;
}

// a run with steps of about h; x: less the state by events
static pcs_status bounce(const settings *set, course *exact, double h, csv *out, result *r)
{
    settings now = *set;
    now.run.h = set->run.t_end / ceil(set->run.t_end / h);
    simulation sim = {0};
    *r = (result){.set = set, .exact = exact, .out = out};
    exact->now = -1;
    double x[4], force;
    pcs_status status = build(&now, &sim.scene);
    if (status == PCS_OK) status = simulation_run(&sim, 1, watch, r);
    simulation_close(&sim);
    if (status == PCS_OK) status = exact_at(exact, set->run.t_end, x, &force);
    for (int i = 0; i < 4; ++i) {
        r->x[i] -= x[i];
    }
    return status;
}

static void read_flags(settings *set, int argc, char **argv)
{
    *set = (settings){.run = {.gravity = 9.81, .scheme = rotating_scheme(1e-12), .h = 1e-3},
                      .mass = 0.5,
                      .length = 0.4,
                      .stiffness = 20,
                      .height = 0.05,
                      .landings = 2};
    args a = {.about = "A beam with a joint bounces on a post, against the same by events.",
              .table = COLUMNS};
    args_positive(&a, "--mass", &set->mass, 10, "kg", "mass of a bar");
    args_positive(&a, "--length", &set->length, 4, "m", "length of a bar");
    args_positive(&a, "--stiffness", &set->stiffness, 10, "N m/rad", "of the spring in the hinge");
    args_real(&a, "--height", &set->height, 0.005, 0.3, "m", "of the fall");
    args_int(&a, "--landings", &set->landings, 1, 5, "number of landings");
    run_parse(&a, &set->run, RUN_H | RUN_GRAVITY, argc, argv);
    set->run.scheme.configuration = PCS_CONFIGURATION_MIDDLE;
    // until the middle of the last flight
    course c;
    pcs_status status = course_open(&c, set);
    if (status == PCS_OK) status = follow(&c);
    const double last = c.phases > 0 ? c.at[c.phases - 1].t : 0;
    set->run.t_end = 0.5 * (last + c.end);
    course_close(&c);
    if (status != PCS_OK) args_refuse("the beam does not leave the post: enlarge --height");
    args_check_steps(set->run.h, set->run.t_end, 2e5);
}

// The time on the post after the first landing for small angles, with the largest angle.
static double small_swing(const settings *set, double v, double *largest)
{
    const double m = set->mass, L = set->length, c = set->stiffness;
    const double omega = sqrt(6 * c / (m * L * L)), rest = m * set->run.gravity * L / (4 * c);
    // a = rest + A sin(omega t - before), a(0) = 0, a'(0) = 3 v / (2 L); it leaves at -rest / 3
    const double A = hypot(rest, 1.5 * v / (L * omega)), before = asin(rest / A);
    *largest = rest + A;
    return (before + PI + asin(4 * rest / (3 * A))) / omega;
}

static pcs_status compare(const settings *set, course *exact, csv *out, checks *c)
{
    PCS_TRY(follow(exact));
    for (int k = 1; k < exact->phases; ++k) {
        const phase *p = &exact->at[k];
        printf("%.6f s: %s, droop %.6f rad\n", p->t, p->on_post ? "on the post" : "in flight",
               p->x[1]);
    }
    double h[LEVELS], error[LEVELS], open = 0, closure = 0, last = 0;
    long loose = 0;
    result r = {0};
    for (int k = 0; k < LEVELS; ++k) {
        double sum = 0;
        for (int i = 0; i < SIZES; ++i) {
            last = study_size(set->run.h, 2 * k, i);
            PCS_TRY(bounce(set, exact, last, k + i == 0 ? out : NULL, &r));
            sum += pow(r.x[0] / set->height, 2) + pow(r.x[1], 2);
            open = fmax(open, r.open);
            closure = fmax(closure, r.closure);
            loose += r.loose;
        }
        h[k] = ldexp(set->run.h, -2 * k);
        error[k] = sqrt(sum / SIZES);
        printf("h = %g ms and less: error %.2e (heights of the fall, rad)\n", 1e3 * h[k], error[k]);
    }

    const double m = set->mass, g = set->run.gravity, v = sqrt(2 * g * set->height);
    const double impulse = 0.5 * m * v, size = m * g * (set->height + set->length);
    *c = checks_begin();
    check_value(c, "steps not converged", (double)loose, 0, 0);
    check_value(c, "hinge (m)", open, 0, 1e-9 * set->length);
    check_value(c, "energy of every step (J)", closure, 0, 1e-12 * size);
    check_value(c, "first impulse by events (N s)", exact->at[1].impulse, impulse, 1e-8 * impulse);
    // a step after the last one above the post: faster by h g, and with the weight in it
    check_value(c, "first impulse (N s)", r.impulse, impulse, 4 * m * g * last);
    double swing;
    const double time = exact->at[2].t - exact->at[1].t, small = small_swing(set, v, &swing);
    check_value(c, "first time on the post, small angles", time / small, 1, swing * swing);
    check_order(c, "order of height and droop", study_slope(LEVELS, h, error), 0.6);
    return PCS_OK;
}

static pcs_status run(const void *user, csv *out, checks *c)
{
    const settings *set = user;
    course exact;
    pcs_status status = course_open(&exact, set);
    if (status == PCS_OK) status = compare(set, &exact, out, c);
    course_close(&exact);
    return status;
}

int main(int argc, char **argv)
{
    settings set;
    read_flags(&set, argc, argv);
    return example_run_scene(build, run, &set, &set.run, HEADER);
}
