// A ball falls on a plane and bounces: from the model to a table of apexes and the Zeno time.
//
// The ball leaves bounce k with speed e^k V, V the speed of its first impact, so that flight k has
// its apex at e^2k V^2 / 2g above the floor and lasts 2 e^k V / g; infinitely many bounces end at
//     t_zeno = t_1 + 2 e V / (g (1 - e)),    t_1 = (v0 + V) / g,    V^2 = v0^2 + 2 g (z0 - R).
// The time-stepping scheme takes an impact within one step, so all of this holds up to C h; C is
// worked out in support/bounces.h, and the order is observed by halving h.
#include "args.h"
#include "bounces.h"
#include "checks.h"
#include "csv.h"
#include "study.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <percuss/kernel.h>

#define HEADER "t,x,y,z,q0,q1,q2,q3,vx,vy,vz,wx,wy,wz,impulse,gap,kinetic,potential"

// ---- the model

// a Newton-Euler body with the shape of a sphere, over a half-space that cannot move
static pcs_status add_ball(pcs_model *model, const settings *s)
{
    PCS_TRY(pcs_model_set_gravity(model, (const double[]){0, 0, -s->gravity}));

    pcs_body_def ball = pcs_body_def_default();
    ball.mass = s->mass;
    ball.position[2] = s->z0;
    memcpy(ball.velocity, s->v0, sizeof ball.velocity);
    memcpy(ball.omega, s->omega0, sizeof ball.omega);
    pcs_inertia_sphere(s->mass, s->radius, ball.inertia);
    for (int i = 0; s->inertia > 0 && i < 3; ++i) {
        ball.inertia[4 * i] = s->inertia;
    }
    pcs_system body;
    PCS_TRY(pcs_model_add_body(model, &ball, &body));

    pcs_material rubber, floor;
    PCS_TRY(pcs_model_add_material(model, &(pcs_material_def){.e = s->e}, &rubber));
    PCS_TRY(pcs_model_add_material(model, &(pcs_material_def){.e = s->e}, &floor));
    const pcs_shape sphere = pcs_shape_sphere(s->radius);
    const pcs_shape plane = pcs_shape_half_space((const double[]){0, 0, 1}, 0);
    PCS_TRY(pcs_model_add_shape(model, body, &sphere, rubber));
    return pcs_model_add_shape(model, (pcs_system){0}, &plane, floor);
}

// the same as a system with the one coordinate z: m z'' = -m g, gap z - R
static pcs_status add_coordinate(pcs_model *model, const settings *s)
{
    pcs_lagrangian_def def = pcs_lagrangian_def_default();
    const double load = -s->mass * s->gravity;
    def.n = 1;
    def.q0 = &s->z0;
    def.v0 = &s->v0[2];
    def.mass = &s->mass;
    def.load = &load;
    pcs_system ball;
    PCS_TRY(pcs_model_add_lagrangian(model, &def, &ball));

    const pcs_interaction_def floor = {.relation =
                                           pcs_relation_linear(1, (const double[]){1}, -s->radius),
                                       .law = pcs_law_newton_impact(s->e),
                                       .system1 = ball};
    return pcs_model_add_interaction(model, &floor, NULL);
}

static pcs_status build(const settings *s, pcs_model **out)
{
    PCS_TRY(pcs_model_create(NULL, out));
    pcs_scheme scheme = pcs_scheme_default();
    scheme.theta = s->theta;
    scheme.gamma = s->gamma;
    scheme.activation = (pcs_activation)s->activation;
    scheme.projection = (pcs_projection)s->projection;
    scheme.metric = (pcs_metric)s->metric;
    scheme.proj_tol = s->proj_tol;
    scheme.proj_max = s->proj_max;
    PCS_TRY(pcs_model_set_scheme(*out, &scheme));
    return s->formulation == LAGRANGIAN ? add_coordinate(*out, s) : add_ball(*out, s);
}

// ---- a run, watched step by step

// what the observer gathers
typedef struct motion {
    const settings *s;
    csv *out;
    int bounces_wanted; // stop when bounce number this has happened

    double q[7], v[6]; // the ball now
    double impulses;   // sum over the steps, N s
    double first;      // impulse of the first impact
    double closure;    // largest |closure| of an energy ledger, J
    double overlap;    // deepest, m
    double fastest;    // largest |vz|, m/s
    double energy;     // largest kinetic energy met, J

    int bounces;
    double apex[MOST_BOUNCES];  // [k]: the highest z before bounce k
    double time[MOST_BOUNCES];  // [k]: the end of the step with bounce k
    double speed[MOST_BOUNCES]; // [k]: with which the ball leaves it
    double top;                 // highest z of this flight
    bool striking;              // the last step had an impulse
} motion;

// the ball as seven coordinates and six velocities, whichever way it was modelled
static void read_ball(motion *m, const pcs_state *state)
{
    if (m->s->formulation == LAGRANGIAN) {
        memcpy(m->q, (const double[]){0, 0, state->q[0], 1, 0, 0, 0}, sizeof m->q);
        memcpy(m->v, (const double[]){0, 0, state->v[0], 0, 0, 0}, sizeof m->v);
    } else {
        memcpy(m->q, state->q, sizeof m->q);
        memcpy(m->v, state->v, sizeof m->v);
    }
}

// a bounce is a step with an impulse, or several in a row; flights lie between
static void count_bounces(motion *m, double t, double impulse)
{
    if (impulse > 0) {
        if (!m->striking && m->bounces < MOST_BOUNCES) {
            m->apex[m->bounces] = m->top;
            m->time[m->bounces] = t;
            m->speed[m->bounces] = m->v[2];
            if (m->bounces == 0) m->first = impulse;
            m->bounces += 1;
        }
        m->top = -INFINITY;
    }
    m->striking = impulse > 0;
    m->top = fmax(m->top, m->q[2]);
}

static int observe(void *user, const pcs_model *model, const pcs_state *state, const pcs_work *work,
                   const pcs_step_report *report)
{
    motion *m = user;
    read_ball(m, state);

    // row 0 is the initial state: no step, no impulse
    double impulse = 0, kinetic, potential;
    const pcs_contact *contact;
    for (int i = report ? pcs_contacts(work, &contact) : 0; i > 0; --i) {
        impulse += contact[i - 1].r[0];
    }
    if (pcs_kinetic_energy(model, state, &kinetic) != PCS_OK) return 1;
    if (pcs_potential_energy(model, state, &potential) != PCS_OK) return 1;

    m->impulses += impulse;
    m->energy = fmax(m->energy, kinetic);
    if (report) m->closure = fmax(m->closure, fabs(report->energy.closure));
    m->overlap = fmax(m->overlap, m->s->radius - m->q[2]);
    m->fastest = fmax(m->fastest, fabs(m->v[2]));
    count_bounces(m, state->t, impulse);

    csv_real(m->out, state->t);
    csv_reals(m->out, m->q, 7);
    csv_reals(m->out, m->v, 6);
    csv_reals(m->out, (double[]){impulse, m->q[2] - m->s->radius, kinetic, potential}, 4);
    csv_end(m->out);
    return m->bounces > m->bounces_wanted;
}

// steps of h until t_end, or until bounce number `bounces` has happened
static pcs_status simulate(const settings *s, double h, int bounces, csv *out, motion *m,
                           pcs_run_report *report)
{
    pcs_model *model = NULL;
    pcs_state *state = NULL;
    pcs_work *work = NULL;
    *m = (motion){.s = s, .out = out, .bounces_wanted = bounces, .top = -INFINITY};
    pcs_status status = build(s, &model);
    if (status == PCS_OK) status = pcs_state_create(model, &state);
    if (status == PCS_OK) status = pcs_work_create(model, &work);
    if (status == PCS_OK) {
        status = pcs_run(model, state, work, h, s->t_end, observe, m, report);
    }
    pcs_work_destroy(work);
    pcs_state_destroy(state);
    pcs_model_destroy(model);
    return status;
}

// ---- the checks

static void check_bounces(checks *c, const settings *s, const motion *m)
{
    const char *why = bounces_why_not(s);
    if (why) {
        check_skip(c, "bounces", why);
        return;
    }
    flight f[MOST_BOUNCES];
    const int n = bounces_closed_form(s, s->h, f);
    if (!check_value(c, "bounces of flights >= 20 steps", fmin(m->bounces, n), n, 0)) return;

    // the speed before the bounce is that of a gap away, and the weight acts over the step
    const double weight = s->mass * s->gravity * s->h;
    const double slower = 2 * s->gravity * gap_bound(s, s->h, f[0].speed) / f[0].speed;
    check_value(c, "impulse of the first bounce (N s)", m->first,
                s->mass * (1 + s->e) * f[0].speed + weight, s->mass * (1 + s->e) * slower + weight);
    for (int k = 0; k < n; ++k) {
        char name[40];
        snprintf(name, sizeof name, "apex of flight %d (m)", k);
        check_value(c, name, m->apex[k], s->radius + f[k].apex,
                    f[k].apex_bound + 0.5 * s->gravity * s->h * s->h);
    }
    if (s->e == 1) {
        check_skip(c, "Zeno time", "with e = 1 the ball never comes to rest");
        return;
    }
    const flight last = f[n - 1];
    const double late = last.time_bound + 4 * s->e / (1 - s->e) *
                                              (last.apex_bound + gap_bound(s, s->h, last.speed)) /
                                              last.speed;
    check_value(c, "Zeno time (s)", zeno_time(s, m->time[n - 1], m->speed[n - 1]),
                zeno_time(s, last.time, s->e * last.speed), late);
}

// what holds to rounding, whatever the flags
static void check_balances(checks *c, const settings *s, const motion *m, double t)
{
    if (s->z0 >= s->radius) {
        check_value(c, "deepest overlap (m)", m->overlap, 0, overlap_bound(s, m->fastest));
    }
    const double rounding = 1e-15 * (10 + t / s->h);
    const double weight = s->mass * s->gravity * t;
    const double momentum = s->mass * (m->v[2] - s->v0[2]);
    check_value(c, "impulses - weight x time (N s)", m->impulses - weight, momentum,
                rounding * (weight + s->mass * fabs(s->v0[2]) + m->impulses));
    check_value(c, "largest energy not accounted for (J)", m->closure, 0,
                1e-14 * (m->energy + s->mass * s->gravity * fabs(s->z0)));
    if (s->formulation == LAGRANGIAN) return;

    // without friction nothing changes the sideways motion and the spin
    for (int i = 0; i < 2; ++i) {
        const double moved = s->v0[i] * t;
        check_value(c, i == 0 ? "x (m)" : "y (m)", m->q[i], moved, rounding * fabs(moved));
    }
    double Q[4], w[3], error = 0;
    for (int i = 0; i < 3; ++i) {
        w[i] = s->omega0[i] * t;
    }
    pcs_quat_exp(w, Q);
    for (int i = 0; i < 4; ++i) {
        error = fmax(error, fabs(m->q[3 + i] - Q[i]));
    }
    const double angle = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    check_value(c, "orientation: |Q - exp(omega t)|", error, 0, 10 * rounding + 1e-15 * angle);
    check_value(c, "|Q|", pcs_quat_norm(m->q + 3), 1, 1e-15);
}

enum { SIZES = 16, MOST_HALVINGS = 10 };

// Errors for h, h/2, h/4 ...: each level over all flights and over 16 step sizes. With few flights
// the order still scatters.
static pcs_status study(checks *c, const settings *s)
{
    const char *why = bounces_why_not(s);
    flight f[MOST_BOUNCES];
    const int n = why ? 0 : bounces_closed_form(s, s->h, f);
    if (!why && n < 4) why = "fewer than three flights behind the first bounce last 20 steps";
    if (!why && s->e == 1) why = "with e = 1 there is no Zeno time";
    if (!why && f[n - 1].time / s->h * SIZES * ldexp(2, s->study) > 2e7) {
        why = "more than 2e7 steps; take a larger --h or a smaller --study";
    }
    if (why) {
        check_skip(c, "orders of convergence", why);
        return PCS_OK;
    }

    const double least = n > 8 ? 0.9 : 0.75;
    const double exact = zeno_time(s, f[n - 1].time, s->e * f[n - 1].speed);
    double h[MOST_HALVINGS + 1], apex[MOST_HALVINGS + 1], zeno[MOST_HALVINGS + 1];
    printf("\n%-12s %14s %10s %14s %10s   (flights 1 to %d)\n", "step (s)", "apexes: error",
           "error / h", "Zeno: error", "error / h", n - 1);
    for (int j = 0; j <= s->study; ++j) {
        double apexes = 0, times = 0;
        for (int i = 0; i < SIZES; ++i) {
            motion m;
            csv none = {0};
            pcs_run_report report;
            const double size = study_size(s->h, j, i);
            PCS_TRY(simulate(s, size, n - 1, &none, &m, &report));
            if (m.bounces < n) {
                check_that(c, "orders of convergence", false, "a run ended too early");
                return PCS_OK;
            }
            for (int k = 1; k < n; ++k) {
                const double high = m.apex[k] - s->radius - f[k].apex;
                const double late = zeno_time(s, m.time[k], m.speed[k]) - exact;
                apexes += high * high / (n - 1) / SIZES;
                times += late * late / (n - 1) / SIZES;
            }
        }
        h[j] = ldexp(s->h, -j);
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

int main(int argc, char **argv)
{
    settings s = {.mass = 1, .radius = 0.1, .z0 = 1, .e = 0.9, .gravity = 9.81};
    s.h = 0.005;
    s.theta = 0.5;
    s.gamma = 0.5;
    s.t_end = 10;
    s.proj_tol = 1e-10;
    s.proj_max = 50;
    s.study = 4;

    args a = {.about = "A ball falls on a plane and bounces; apexes and Zeno time beside their "
                       "closed forms."};
    args_positive(&a, "--mass", &s.mass, "kg", "mass");
    args_positive(&a, "--radius", &s.radius, "m", "radius");
    args_real(&a, "--inertia", &s.inertia, 0, INFINITY, "kg m^2",
              "about any axis; 0: of a solid sphere");
    args_real(&a, "--z0", &s.z0, -INFINITY, INFINITY, "m", "first height of the centre");
    args_vector(&a, "--v0", s.v0, "m/s", "first velocity; one number: upwards");
    args_vector(&a, "--omega0", s.omega0, "rad/s",
                "first angular velocity, body axes; one number: about z");
    args_real(&a, "--e", &s.e, 0, 1, "", "restitution");
    args_real(&a, "--gravity", &s.gravity, 0, INFINITY, "m/s^2", "downwards");
    args_positive(&a, "--h", &s.h, "s", "time step");
    args_real(&a, "--theta", &s.theta, 0, 1, "", "of the scheme; 1/2 is exact for a parabola");
    args_real(&a, "--tend", &s.t_end, 0, INFINITY, "s", "end of the run");
    args_choice(&a, "--activation", &s.activation, "predictive|speculative|end-of-step",
                "which contacts take part in a step");
    args_real(&a, "--gamma", &s.gamma, 0, 1, "", "how far predictive looks ahead, in steps");
    args_choice(&a, "--projection", &s.projection,
                "none|direct|direct-hysteresis|combined|combined-equality",
                "how overlaps are removed; the combined ones activate at the end of the step");
    args_choice(&a, "--metric", &s.metric, "mass|v|q|q1", "of the projection");
    args_positive(&a, "--proj-tol", &s.proj_tol, "m", "overlap left by the projection");
    args_int(&a, "--proj-max", &s.proj_max, 1, 1000000, "most projection iterations");
    args_choice(&a, "--formulation", &s.formulation, "newton-euler|lagrangian",
                "a body in space or the one coordinate z");
    args_int(&a, "--study", &s.study, 0, MOST_HALVINGS,
             "halvings of h to observe the order of convergence; 0: no study");
    args_string(&a, "--csv", &s.csv, "FILE",
                "write the initial state and every step: time, position, quaternion, velocity, "
                "angular velocity (body axes), impulse of the step (N s), gap, energies (J)");
    if (!args_parse(&a, argc, argv)) return a.exit_code;

    if (s.formulation == LAGRANGIAN && (s.v0[0] != 0 || s.v0[1] != 0 || s.omega0[0] != 0 ||
                                        s.omega0[1] != 0 || s.omega0[2] != 0)) {
        fprintf(stderr, "bouncing_ball: the lagrangian ball has one coordinate, z; give --v0 one "
                        "number and no --omega0\n");
        return 2;
    }
    if (s.t_end / s.h > 1e9) {
        fprintf(stderr, "bouncing_ball: --tend %g takes more than 1e9 steps of --h %g\n", s.t_end,
                s.h);
        return 2;
    }

    // the run itself, row by row into the table
    csv out;
    motion m;
    pcs_run_report report = {0};
    if (!csv_open(&out, s.csv, HEADER)) return 2;
    const pcs_status status = simulate(&s, s.h, INT_MAX - 1, &out, &m, &report);
    if (status != PCS_OK || report.outcome != PCS_CONVERGED) {
        csv_drop(&out);
        if (status != PCS_OK) return say_error("bouncing_ball", status);
        fprintf(stderr, "bouncing_ball: step %ld ended with: %s\n", report.steps + 1,
                pcs_outcome_text(report.outcome));
        return 1;
    }
    if (!csv_close(&out)) return 2;

    printf("bouncing_ball: %ld steps of %g s, %s\n", report.steps, s.h,
           s.formulation == LAGRANGIAN ? "one coordinate" : "a Newton-Euler body");
    checks c = checks_begin();
    check_bounces(&c, &s, &m);
    check_balances(&c, &s, &m, (double)report.steps * s.h);
    if (s.study > 0) {
        const pcs_status studied = study(&c, &s);
        if (studied != PCS_OK) return say_error("bouncing_ball: study", studied);
    }
    return checks_end(&c);
}
