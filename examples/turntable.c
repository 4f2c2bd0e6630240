// A ball rolls on a table that turns, or on one that is shaken.
//
// A ball of the radius a and the moment of inertia k m a^2 rolls without slip on a table whose
// point below it has the velocity u. The friction accelerates the centre by F/m and turns the ball
// so that its lowest point is accelerated by F/(k m) more; both together are those of the table:
//
//     v' = k/(1 + k) u',   k/(1 + k) = 2/7 for a solid ball.
//
// On a table that turns at Omega, u = Omega z x x, so that v' = w z x v with w = Omega k/(1 + k):
// the ball goes round the circle about c = x + z x v / w at w, whatever its radius. On a table that
// moves by d(t) = A sin(2 pi f t) the centre has 2/7 of its motion, x = x0 + v0 t + 2/7 (d(t) -
// d'(0) t). The spin about the vertical stays.
#include "args.h"
#include "example.h"
#include "flags/run_flags.h"
#include "scenes/rotating.h"
#include "scenes/simulation.h"

#include <percuss/motion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#define HEADER    "t,x,y,x_closed,y_closed,vx,vy,spin,force"
#define COLUMNS   "write every step: time, place, place in closed form, velocity, spin, friction"
#define PI        3.14159265358979323846
#define THICKNESS 0.05 // of the table, m

enum { TURNING, SHAKEN };

typedef struct settings {
    run_settings run;
    int table;
    double rate, amplitude, frequency;  // rad/s, m, Hz
    double mass, radius, k, mu;         // of the ball
    double place, speed, heading, spin; // at the start: m along x, m/s, rad, rad/s
    pcs_motion motion;                  // of the table
    double v[2], centre[2], w;          // velocity at the start; circle of the ball
} settings;

// largest friction over weight until the time t
static double friction_needed(const settings *set, double t)
{
    const double shaking = 2 * PI * set->frequency;
    const double part = shaking * t < 0.5 * PI ? sin(shaking * t) : 1;
    const double u =
        set->table == TURNING ? set->rate * set->speed : set->amplitude * shaking * shaking * part;
    return set->k / (1 + set->k) * u / set->run.gravity;
}

static void complete(settings *set)
{
    const double part = set->k / (1 + set->k), needed = friction_needed(set, INFINITY);
    if (set->mu < 1.01 * needed) {
        args_refuse("the ball slips: enlarge --mu to %g, or lower --speed, --rate, --amplitude or "
                    "--frequency",
                    1.02 * needed);
    }
    set->v[0] = set->speed * cos(set->heading);
    set->v[1] = set->speed * sin(set->heading);
    set->w = part * set->rate;
    set->centre[0] = set->place - set->v[1] / set->w;
    set->centre[1] = set->v[0] / set->w;

    set->motion = pcs_motion_default();
    set->motion.position[2] = -THICKNESS / 2;
    if (set->table == TURNING) {
        set->motion.angle[1] = set->rate;
    } else {
        set->motion.amplitude[0] = set->amplitude;
        set->motion.frequency = set->frequency;
    }
}

static void read_flags(settings *set, int argc, char **argv)
{
    *set = (settings){
        .run = {.gravity = 9.81, .scheme = rotating_scheme(1e-13), .h = 4e-3, .t_end = 8},
        .rate = 3,
        .amplitude = 0.1,
        .frequency = 1,
        .mass = 0.2,
        .radius = 0.05,
        .k = 0.4,
        .mu = 0.5,
        .place = 0.3,
        .speed = 0.3,
        .heading = 1,
        .spin = 5};
    args a = {.about = "A ball rolls on a table that turns or is shaken, against closed forms.",
              .table = COLUMNS};
    args_choice(&a, "--table", &set->table, "turning|shaken", "motion of the table");
    args_real(&a, "--rate", &set->rate, 0.3, 30, "rad/s", "angular velocity of the turning table");
    args_real(&a, "--amplitude", &set->amplitude, 0, 1, "m", "of the shaken table, along x");
    args_real(&a, "--frequency", &set->frequency, 0.1, 5, "Hz", "of the shaken table");
    args_positive(&a, "--mass", &set->mass, 1000, "kg", "mass of the ball");
    args_positive(&a, "--radius", &set->radius, 10, "m", "radius of the ball");
    args_real(&a, "--inertia", &set->k, 0.01, 2. / 3, "", "moment of inertia over m a^2");
    args_real(&a, "--mu", &set->mu, 0, 10, "", "friction");
    args_real(&a, "--place", &set->place, -1, 1, "m", "of the ball at the start, along x");
    args_real(&a, "--speed", &set->speed, 0, 2, "m/s", "of the ball at the start");
    args_real(&a, "--heading", &set->heading, -4, 4, "rad", "of this speed, from x");
    args_real(&a, "--spin", &set->spin, -100, 100, "rad/s", "of the ball about the vertical");
    run_parse(&a, &set->run, RUN_USUAL, argc, argv);
    set->run.scheme.configuration = PCS_CONFIGURATION_PREDICTED; // of second order
    if (set->run.t_end > 100) {
        args_refuse("--tend is %g s; it must be at most 100 s: later the errors have added up",
                    set->run.t_end);
    }
    complete(set);
}

// place of the ball at the time t
static void place_at(const settings *set, double t, double x[2])
{
    if (set->table == TURNING) {
        const double c = cos(set->w * t), s = sin(set->w * t);
        const double d[2] = {set->place - set->centre[0], -set->centre[1]};
        x[0] = set->centre[0] + c * d[0] - s * d[1];
        x[1] = set->centre[1] + s * d[0] + c * d[1];
    } else {
        const double omega = 2 * PI * set->frequency, part = set->k / (1 + set->k);
        const double moved = part * set->amplitude * (sin(omega * t) - omega * t);
        x[0] = set->place + set->v[0] * t + moved;
        x[1] = set->v[1] * t;
    }
}

// half the edge of a square table on which the ball stays
static double table_reach(const settings *set)
{
    const double t = set->run.t_end, back = 2 * PI * set->frequency * set->amplitude * t;
    const double way = fabs(set->place) + set->speed * t + back + 2 * set->amplitude;
    const double orbit = hypot(set->centre[0], set->centre[1]) + set->speed / set->w;
    return 1.1 * (set->table == TURNING ? fmin(orbit, way) : way) + set->radius;
}

static pcs_status add_table(pcs_model *model, const settings *set, pcs_material rough)
{
    const double reach = table_reach(set);
    pcs_body_def def = pcs_body_def_default();
    pcs_system table;
    def.motion = pcs_motion_follow;
    def.user = (void *)&set->motion; // the model borrows it
    PCS_TRY(pcs_model_add_body(model, &def, &table));
    const pcs_shape top = set->table == TURNING ? pcs_shape_cylinder(reach, THICKNESS)
                                                : pcs_shape_box(2 * reach, 2 * reach, THICKNESS);
    return pcs_model_add_shape(model, table, &top, rough);
}

static pcs_status build(const void *user, pcs_scene **out)
{
    const settings *set = user;
    PCS_TRY(run_scene(&set->run,
                      set->table == TURNING ? "A ball rolls on a turntable."
                                            : "A ball rolls on a table that is shaken.",
                      out));
    pcs_model *model = (*out)->model;
    pcs_material rough;
    pcs_system ball;
    PCS_TRY(pcs_model_add_material(model, &(pcs_material_def){.mu = set->mu}, &rough));

    // the lowest point of the ball has the velocity of the table below it: v - a omega x z = u
    const double a = set->radius, I = set->k * set->mass * a * a;
    const double u[2] = {
        set->table == SHAKEN ? 2 * PI * set->frequency * set->amplitude : 0,
        set->table == TURNING ? set->rate * set->place : 0,
    };
    pcs_body_def def = pcs_body_def_default();
    def.mass = set->mass;
    def.inertia[0] = def.inertia[4] = def.inertia[8] = I;
    memcpy(def.position, (const double[]){set->place, 0, a}, sizeof def.position);
    memcpy(def.velocity, (const double[]){set->v[0], set->v[1], 0}, sizeof def.velocity);
    memcpy(def.omega, (const double[]){-(set->v[1] - u[1]) / a, (set->v[0] - u[0]) / a, set->spin},
           sizeof def.omega);
    PCS_TRY(pcs_model_add_body(model, &def, &ball));
    const pcs_shape sphere = pcs_shape_sphere(a);
    PCS_TRY(pcs_model_add_shape(model, ball, &sphere, rough));
    return add_table(model, set, rough);
}

// data that the observer collects; errors are those at the end unless a line says otherwise
typedef struct result {
    const settings *set;
    csv *out;                // or null
    double place[2], turned; // m; rad, of the direction of the velocity
    double most, slip;       // largest of all steps: error of the place, m; m/s
    double spin, friction;   // the same: error of the spin, rad/s; friction over weight
    long loose;              // steps that did not converge
} result;

static int watch(void *user, const pcs_model *model, const pcs_state *state, pcs_work *work,
                 const pcs_step_report *report)
{
    (void)model;
    result *r = user;
    const settings *set = r->set;
    const double *q = state->q, *v = state->v;
    const pcs_contact *contact;
    int n = 0;
    double x[2], omega[3], force = 0;
    if (report) PCS_TRY(pcs_work_contacts(work, &n, &contact));
    for (int k = 0; k < n; ++k) {
        force = hypot(contact[k].r[1], contact[k].r[2]) / pcs_work_step_size(work);
        r->slip = fmax(r->slip, hypot(contact[k].u[1], contact[k].u[2]));
        r->friction = fmax(r->friction, force / (set->mass * set->run.gravity));
    }
    if (report) r->loose += report->outcome != PCS_OUTCOME_CONVERGED;
    place_at(set, state->t, x);
    for (int i = 0; i < 2; ++i) {
        r->place[i] = q[i] - x[i];
    }
    r->most = fmax(r->most, hypot(r->place[0], r->place[1]));
    pcs_quat_rotate(q + 3, v + 3, omega);
    r->spin = fmax(r->spin, fabs(omega[2] - set->spin));
    r->turned = remainder(atan2(v[1], v[0]) - set->heading - set->w * state->t, 2 * PI);
    if (r->out) {
        CSV_ROW(r->out, state->t, q[0], q[1], x[0], x[1], v[0], v[1], omega[2], force);
    }
    return 0;
}

// a run in steps of h / 2^halvings
static pcs_status roll(const settings *set, int halvings, csv *out, result *r)
{
    settings finer = *set;
    finer.run.h = ldexp(set->run.h, -halvings);
    simulation s = {0};
    *r = (result){.set = set, .out = out};
    pcs_status status = build(&finer, &s.scene);
    if (status == PCS_OK) status = simulation_run(&s, 1, watch, r);
    simulation_close(&s);
    return status;
}

enum { RUNS = 3 };

// the error of second order falls by four with each halving, and is gone after an extrapolation
static void check_second_order(checks *c, const char *name, double y[2][RUNS], double rounding)
{
    double left = 0, error = 0;
    for (int i = 0; i < 2; ++i) {
        left = hypot(left, 4 * y[i][2] - y[i][1]);
        error = hypot(error, y[i][0]);
    }
    check_value(c, name, left, 0, 0.1 * error + rounding);
}

static pcs_status run(const void *user, csv *out, checks *c)
{
    const settings *set = user;
    const bool turning = set->table == TURNING;
    const double t = set->run.t_end, size = table_reach(set);
    double place[2][RUNS], spin[2][RUNS] = {0}, turned[RUNS], slip = 0, loose = 0;
    result r = {0};
    for (int k = 0; k < RUNS; ++k) {
        PCS_TRY(roll(set, k, k == 0 ? out : NULL, &r));
        printf("h = %g ms: place within %.2e m, spin within %.2e rad/s",
               1e3 * ldexp(set->run.h, -k), r.most, r.spin);
        if (turning && set->speed > 0) {
            printf(", orbit at %.8f of the rate", (set->w + r.turned / t) / set->rate);
        }
        printf("\n");
        place[0][k] = r.place[0];
        place[1][k] = r.place[1];
        spin[0][k] = r.spin;
        turned[k] = r.turned;
        slip = fmax(slip, r.slip);
        loose += (double)r.loose;
    }
    *c = checks_begin();
    check_value(c, "steps not converged", loose, 0, 0);
    check_value(c, "slip (m/s)", slip, 0, 1e-9 * size);
    check_value(c, "place in the shortest steps (m)", r.most, 0, 0.01 * size);
    check_second_order(c, "place, extrapolated (m)", place, 1e-10 * size);
    check_second_order(c, "spin, extrapolated (rad/s)", spin, 1e-9);
    if (turning && set->speed > 0) {
        const double error = (4 * turned[RUNS - 1] - turned[RUNS - 2]) / (3 * t);
        check_value(c, "rate of the orbit (rad/s)", set->w + error, set->w, 1e-4 * set->w);
    } else {
        check_skip(c, "rate of the orbit (rad/s)", turning ? "it stays" : "there is none");
    }
    const double bound = friction_needed(set, t);
    check_value(c, "friction over weight", r.friction, bound, 0.02 * bound + 1e-9);
    return PCS_OK;
}

int main(int argc, char **argv)
{
    settings set;
    read_flags(&set, argc, argv);
    return example_run_scene(build, run, &set, &set.run, HEADER);
}
