// A stick falls on a floor with friction and bounces on its ends.
//
// The stick has the length L between the centres of its round ends (radius R), the mass m and the
// moment of inertia I; it moves in the plane x z and stands at the angle a from the floor. An end
// that strikes has the lever (l, z) from the centre of mass to the contact, and with the impulses N
// and T the changes of its velocities along the normal and the tangent
//
//     dn = (1/m + l^2/I) N - l z / I T,   dt = -l z / I N + (1/m + z^2/I) T.
//
// Newton's law, n+ = -e n-, and Coulomb's law leave three cases: with t+ = 0 and |T| <= mu N the
// end sticks; otherwise T = mu N or T = -mu N, against the velocity t+ after the impact. For mu <
// 4/3 exactly one of them holds for a thin stick.
//
// Between the impacts the stick flies freely, so that the whole motion is known but for the times
// at which an end reaches the floor; these are found by bisection. Time steps do not look for them.
#include "args.h"
#include "example.h"
#include "flags/run_flags.h"
#include "scenes/rotating.h"
#include "scenes/simulation.h"
#include "study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define HEADER  "t,x,z,a,vx,vz,a_dot,x_exact,z_exact,a_exact"
#define COLUMNS "write every step: time, place, angle, rates; place and angle by events"
#define ANGLES  181 // of the impacts of the table

enum { LEVELS = 3, SIZES = 6, MOST_IMPACTS = 6 };

typedef struct settings {
    run_settings run;
    double mass, length, radius, inertia; // inertia: over m L^2 / 12
    double e, mu, height, angle, speed, turn;
    int impacts;
} settings;

// place, angle from the floor and their rates
typedef struct motion {
    double t, x, z, a, vx, vz, w;
} motion;

// ---- the motion in closed form ------------------------------------------------------------------

static double moment(const settings *set)
{
    return set->inertia * set->mass * set->length * set->length / 12;
}

// the end +1 is the one that is higher for 0 < a < pi
static double gap_of(const settings *set, const motion *s, int end)
{
    return s->z + end * 0.5 * set->length * sin(s->a) - set->radius;
}

static motion fly(const settings *set, const motion *s, double t)
{
    const double d = t - s->t, g = set->run.gravity;
    motion out = {.t = t,
                  .x = s->x + s->vx * d,
                  .z = s->z + s->vz * d - 0.5 * g * d * d,
                  .a = s->a + s->w * d,
                  .vx = s->vx,
                  .vz = s->vz - g * d,
                  .w = s->w};
    return out;
}

typedef enum outcome { STICKS, SLIDES_UP, SLIDES_DOWN } outcome;

// The impact of an end. a turns from x to z, against the angular velocity about y.
static outcome strike(const settings *set, motion *s, int end, double impulse[2])
{
    const double l = end * 0.5 * set->length * cos(s->a);
    const double z = end * 0.5 * set->length * sin(s->a) - set->radius;
    const double m = set->mass, I = moment(set);
    const double n = s->vz + l * s->w, t = s->vx - z * s->w; // of the contact
    const double nn = 1 / m + l * l / I, tt = 1 / m + z * z / I, nt = -l * z / I;
    const double dn = -(1 + set->e) * n, det = nn * tt - nt * nt;
    outcome how = STICKS;
    double N = (tt * dn + nt * t) / det, T = (-nt * dn - nn * t) / det;
    if (fabs(T) > set->mu * N) {
        for (int sign = -1; sign <= 1; sign += 2) { // of the velocity after the impact
            N = dn / (nn - sign * set->mu * nt);
            T = -sign * set->mu * N;
            how = sign > 0 ? SLIDES_UP : SLIDES_DOWN;
            if (N >= 0 && sign * (t + nt * N + tt * T) >= 0) break;
        }
    }
    s->vx += T / m;
    s->vz += N / m;
    s->w += (l * N - z * T) / I;
    impulse[0] = N;
    impulse[1] = T;
    return how;
}

// the first time after s at which an end comes to the floor, and which end
static double next_strike(const settings *set, const motion *s, int *which)
{
    const double look = 1e-3 * sqrt(set->length / set->run.gravity);
    for (double t = s->t + 1e-3 * look;; t += look) {
        for (int end = -1; end <= 1; end += 2) {
            const motion before = fly(set, s, t), after = fly(set, s, t + look);
            if (!(gap_of(set, &before, end) > 0 && gap_of(set, &after, end) <= 0)) continue;
            double low = t, high = t + look;
            for (int i = 0; i < 80; ++i) {
                const double middle = 0.5 * (low + high);
                const motion at = fly(set, s, middle);
                *(gap_of(set, &at, end) > 0 ? &low : &high) = middle;
            }
            *which = end;
            return high;
        }
    }
}

// the motions after 0, 1, 2 ... impacts, and the time of the one that follows
typedef struct course {
    motion after[MOST_IMPACTS + 1];
    double end;
} course;

static void follow(const settings *set, course *c)
{
    c->after[0] = (motion){.z = set->height, .a = set->angle, .vx = set->speed, .w = set->turn};
    for (int k = 0; k < set->impacts; ++k) {
        int end;
        double impulse[2];
        c->after[k + 1] = fly(set, &c->after[k], next_strike(set, &c->after[k], &end));
        strike(set, &c->after[k + 1], end, impulse);
    }
    int end;
    c->end = next_strike(set, &c->after[set->impacts], &end);
}

static motion exact_at(const settings *set, const course *c, double t)
{
    int k = 0;
    while (k < set->impacts && c->after[k + 1].t <= t) {
        ++k;
    }
    return fly(set, &c->after[k], t);
}

// ---- the model ----------------------------------------------------------------------------------

static pcs_status add_stick(pcs_model *model, const settings *set, const motion *s)
{
    pcs_body_def def = pcs_body_def_default();
    pcs_system stick;
    pcs_material rough;
    const double I = moment(set), half = 0.5 * (2 * atan(1) - s->a); // z of the body is along it
    def.mass = set->mass;
    def.inertia[0] = def.inertia[4] = I;
    def.inertia[8] = fmin(I, 0.5 * set->mass * set->radius * set->radius);
    memcpy(def.position, (const double[]){s->x, 0, s->z}, sizeof def.position);
    memcpy(def.orientation, (const double[]){cos(half), 0, sin(half), 0}, sizeof def.orientation);
    memcpy(def.velocity, (const double[]){s->vx, 0, s->vz}, sizeof def.velocity);
    def.omega[1] = -s->w;
    PCS_TRY(pcs_model_add_material(model, &(pcs_material_def){.e = set->e, .mu = set->mu}, &rough));
    PCS_TRY(pcs_model_add_body(model, &def, &stick));
    const pcs_shape capsule = pcs_shape_capsule(set->radius, set->length);
    const pcs_shape floor = pcs_shape_half_space((const double[]){0, 0, 1}, 0);
    PCS_TRY(pcs_model_add_shape(model, stick, &capsule, rough));
    return pcs_model_add_shape(model, (pcs_system){0}, &floor, rough);
}

static pcs_status build_at(const settings *set, const motion *s, pcs_scene **out)
{
    PCS_TRY(run_scene(&set->run, "A stick falls on a floor and bounces on its ends.", out));
    return add_stick((*out)->model, set, s);
}

static motion read_motion(const pcs_state *state, double a_near)
{
    const double *q = state->q, *v = state->v, turn = 4 * atan(1);
    const double a = 0.5 * turn - 2 * atan2(q[5], q[3]);
    return (motion){.t = state->t,
                    .x = q[0],
                    .z = q[2],
                    .a = a_near + remainder(a - a_near, 2 * turn),
                    .vx = v[0],
                    .vz = v[2],
                    .w = -v[4]};
}

// ---- single impacts -----------------------------------------------------------------------------

// Impacts at many angles: the largest difference between the velocities of the library and of the
// three cases, over the size of the velocities.
static pcs_status compare_impacts(const settings *set, double *error)
{
    const double first = 0.02, last = 4 * atan(1) - 0.02,
                 fast = sqrt(set->run.gravity * set->length);
    double worst = 0, impulse[2];
    int count[3] = {0};
    for (int k = 0; k < ANGLES; ++k) {
        motion s = {.a = first + (last - first) * k / (ANGLES - 1),
                    .vx = set->speed,
                    .vz = -fast,
                    .w = 0.3 * fast / set->length * (k % 7 - 3)};
        s.z = 0.5 * set->length * sin(s.a) + set->radius;
        simulation sim = {0};
        pcs_report report;
        pcs_status status = build_at(set, &s, &sim.scene);
        if (status == PCS_OK) status = simulation_start(&sim, 1);
        if (status == PCS_OK) {
            status = pcs_impact(sim.scene->model, sim.state, sim.work, 1e-9, &report);
        }
        if (status == PCS_OK) {
            count[strike(set, &s, -1, impulse)] += 1;
            const motion now = read_motion(sim.state, s.a);
            worst = fmax(worst, fabs(now.vx - s.vx));
            worst = fmax(worst, fabs(now.vz - s.vz));
            worst = fmax(worst, fabs(now.w - s.w) * set->length);
        }
        simulation_close(&sim);
        if (status != PCS_OK) return status;
    }
    printf("%d impacts: %d stick, %d and %d slide along and against x\n", ANGLES, count[STICKS],
           count[SLIDES_UP], count[SLIDES_DOWN]);
    *error = worst / (fast + fabs(set->speed));
    return PCS_OK;
}

// ---- runs ---------------------------------------------------------------------------------------

// data that the observer collects
typedef struct result {
    const settings *set;
    const course *exact;
    csv *out; // or null
    motion last;
    long loose;
} result;

static int watch(void *user, const pcs_model *model, const pcs_state *state, pcs_work *work,
                 const pcs_step_report *report)
{
    (void)model;
    (void)work;
    result *r = user;
    const motion exact = exact_at(r->set, r->exact, state->t);
    r->last = read_motion(state, exact.a);
    if (report) r->loose += report->outcome != PCS_OUTCOME_CONVERGED;
    const motion *s = &r->last;
    if (r->out) {
        CSV_ROW(r->out, s->t, s->x, s->z, s->a, s->vx, s->vz, s->w, exact.x, exact.z, exact.a);
    }
    return 0;
}

static pcs_status build(const void *user, pcs_scene **out)
{
    const settings *set = user;
    course c;
    follow(set, &c);
    return build_at(set, &c.after[0], out);
}

// A run: the square of its error at the end, in lengths of the stick; the change of its speed along
// the floor and the number of steps that did not converge go to the largest and to the sum.
static pcs_status bounce(const settings *set, const course *known, double h, csv *out,
                         double *error, double *along, long *loose)
{
    settings finer = *set;
    finer.run.h = h;
    finer.run.t_end = h * ceil(set->run.t_end / h - 1e-9);
    simulation sim = {0};
    result r = {.set = set, .exact = known, .out = out};
    pcs_status status = build_at(&finer, &known->after[0], &sim.scene);
    if (status == PCS_OK) status = simulation_run(&sim, 1, watch, &r);
    simulation_close(&sim);
    const motion exact = exact_at(set, known, r.last.t);
    const double L = set->length, T = sqrt(L / set->run.gravity);
    const double d[6] = {
        (r.last.x - exact.x) / L,       (r.last.z - exact.z) / L,       r.last.a - exact.a,
        (r.last.vx - exact.vx) * T / L, (r.last.vz - exact.vz) * T / L, (r.last.w - exact.w) * T};
    *error = 0;
    for (int i = 0; i < 6; ++i) {
        *error += d[i] * d[i];
    }
    *loose += r.loose;
    *along = fmax(*along, fabs(r.last.vx - set->speed));
    return status;
}

static void read_flags(settings *set, int argc, char **argv)
{
    *set = (settings){.run = {.gravity = 9.81, .scheme = rotating_scheme(1e-12), .h = 5e-4},
                      .mass = 0.4,
                      .length = 0.5,
                      .radius = 0.01,
                      .inertia = 1,
                      .e = 0.6,
                      .mu = 0.3,
                      .height = 0.6,
                      .angle = 0.6,
                      .speed = 0.5,
                      .turn = 1,
                      .impacts = 3};
    args a = {.about = "A stick falls on a floor: its impacts in closed form, and its bounces by "
                       "time steps and by events.",
              .table = COLUMNS};
    args_positive(&a, "--mass", &set->mass, 1000, "kg", "mass of the stick");
    args_positive(&a, "--length", &set->length, 10, "m", "length between the round ends");
    args_positive(&a, "--radius", &set->radius, 4, "m", "radius of the ends");
    args_real(&a, "--inertia", &set->inertia, 0.5, 3, "", "moment of inertia over m L^2 / 12");
    args_real(&a, "--e", &set->e, 0.3, 1, "", "restitution");
    args_real(&a, "--mu", &set->mu, 0, 1.2, "", "friction");
    args_real(&a, "--height", &set->height, 0.3, 3, "m", "of the centre at the start");
    args_real(&a, "--angle", &set->angle, 0.2, 1.4, "rad", "from the floor at the start");
    args_real(&a, "--speed", &set->speed, -3, 3, "m/s", "along the floor at the start");
    args_real(&a, "--turn", &set->turn, -10, 10, "rad/s", "angular velocity at the start");
    args_int(&a, "--impacts", &set->impacts, 1, MOST_IMPACTS, "number of impacts");
    run_parse(&a, &set->run, RUN_H | RUN_GRAVITY, argc, argv);
    if (set->height < 0.5 * set->length * sin(set->angle) + 2 * set->radius) {
        args_refuse(
            "the stick begins on the floor: enlarge --height, or reduce --length or --angle");
    }
    course c;
    follow(set, &c);
    const double last = c.after[set->impacts].t;
    set->run.t_end = last + 0.5 * (c.end - last);
}

static pcs_status run(const void *user, csv *out, checks *c)
{
    const settings *set = user;
    course known;
    follow(set, &known);
    for (int k = 1; k <= set->impacts; ++k) {
        const motion *s = &known.after[k];
        printf("impact %d at %.6f s: then %.6f, %.6f m/s, %.6f rad/s\n", k, s->t, s->vx, s->vz,
               s->w);
    }
    double h[LEVELS], error[LEVELS], along = 0;
    long loose = 0;
    for (int k = 0; k < LEVELS; ++k) {
        double sum = 0;
        for (int i = 0; i < SIZES; ++i) {
            double one;
            PCS_TRY(bounce(set, &known, study_size(set->run.h, 2 * k, i), k + i == 0 ? out : NULL,
                           &one, &along, &loose));
            sum += one;
        }
        h[k] = ldexp(set->run.h, -2 * k);
        error[k] = sqrt(sum / SIZES);
        printf("h = %g ms and less: error %.2e of the length\n", 1e3 * h[k], error[k]);
    }
    double worst;
    PCS_TRY(compare_impacts(set, &worst));
    *c = checks_begin();
    check_value(c, "velocities after an impact, relative", worst, 0, 1e-9);
    check_value(c, "steps not converged", (double)loose, 0, 0);
    check_order(c, "order of place and velocity", study_slope(LEVELS, h, error), 0.6);
    if (set->mu > 0) {
        check_skip(c, "speed along the floor (m/s)", "friction changes it");
    } else {
        check_value(c, "speed along the floor (m/s)", along, 0, 1e-12 * (1 + fabs(set->speed)));
    }
    return PCS_OK;
}

int main(int argc, char **argv)
{
    settings set;
    read_flags(&set, argc, argv);
    return example_run_scene(build, run, &set, &set.run, HEADER);
}
