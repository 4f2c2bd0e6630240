// A solid ball on a table with friction: struck or spinning, it slides until it rolls.
//
// With u0 = v0 - R omega0 the speed at which its lowest point slides (omega0 about the axis that
// rolling has), friction mu gives v = v0 -+ mu g t, and the ball rolls from t1 = 2 |u0| / (7 mu g)
// on with v1 = (5 v0 + 2 R omega0) / 7: a ball struck without spin keeps 5/7 of its speed, at 12
// v0^2 / (49 mu g). A contact in one point has no moment about the vertical, so a spin about it
// does not change.
#include "args.h"
#include "example.h"
#include "flags/run_flags.h"
#include "scenes/slider.h"

#include <math.h>
#include <stdio.h>

#define ABOUT                                                                                 \
    "A ball slides on a table until it rolls: time, distance and speed against their closed " \
    "forms."
#define HEADER  "case,t,x,v,R_omega,v_closed"
#define COLUMNS "write every step: case, time, distance, speed, R omega, speed in closed form"

typedef struct settings {
    run_settings run;
    slider_def def;
    double speed, spin;
} settings;

static void read_flags(settings *set, int argc, char **argv)
{
    // the textbook scheme: while a body slides its position is exact, by theta = 1/2
    *set = (settings){
        .def = {.ball = true, .mass = 0.17, .radius = 0.02625, .mu = 0.2},
        .run = {.h = 0.001, .t_end = 1, .gravity = 9.81, .scheme = pcs_scheme_moreau_jean()},
        .speed = 2,
        .spin = 100};
    set->run.scheme.solver.tol = 1e-13;
    args a = slider_args(&set->def, 1e-6, 1e3, ABOUT, COLUMNS);
    args_real(&a, "--v0", &set->speed, 0, 1e6, "m/s", "speed of the ball that is struck");
    args_real(&a, "--spin", &set->spin, 0, 1e6, "rad/s", "spin of the balls that spin");
    run_parse(&a, &set->run, RUN_USUAL, argc, argv);
}

// the motion in closed form
typedef struct motion {
    double v0, omega0;           // m/s, rad/s
    double direction, a;         // sign of the sliding, mu g
    double t1, v1, x1, R_omega1; // when it rolls
} motion;

static motion closed_form(const settings *set, double v0, double omega0)
{
    const slider_def *def = &set->def;
    const double R = def->radius, u = v0 - R * omega0;
    motion m = {
        .v0 = v0, .omega0 = omega0, .direction = u < 0 ? -1 : 1, .a = def->mu * set->run.gravity};
    m.t1 = 2 * fabs(u) / (7 * m.a);
    m.v1 = (5 * v0 + 2 * R * omega0) / 7;
    m.x1 = v0 * m.t1 - 0.5 * m.direction * m.a * m.t1 * m.t1;
    return m;
}

static double speed_at(const motion *m, double t)
{
    return t < m->t1 ? m->v0 - m->direction * m->a * t : m->v1;
}

static double place_at(const motion *m, double t)
{
    return t < m->t1 ? m->v0 * t - 0.5 * m->direction * m->a * t * t : m->x1 + m->v1 * (t - m->t1);
}

// one ball from t = 0 to t_end
static pcs_status play(checks *c, const settings *set, int number, const char *name, double v0,
                       double omega0, double vertical, csv *out)
{
    slider_def def = set->def;
    const double R = def.radius, h = set->run.h;
    const motion m = closed_form(set, v0, omega0);
    def.v[0] = v0;
    def.omega[1] = omega0;
    def.omega[2] = vertical;

    slider s;
    slider_view now;
    double rolls = NAN, worst_x = 0, worst_v = 0;
    pcs_status status = slider_open(&def, &set->run, &s);
    for (long i = 1; status == PCS_OK && (double)i * h < set->run.t_end + 0.5 * h; ++i) {
        status = slider_step(&s, h);
        if (status != PCS_OK || s.outcome != PCS_OUTCOME_CONVERGED) break;
        status = slider_look(&s, &now);
        if (status != PCS_OK) break;
        if (isnan(rolls) && now.status == PCS_CONTACT_STICK) rolls = now.t;
        worst_x = fmax(worst_x, fabs(now.x[0] - place_at(&m, now.t)));
        worst_v = fmax(worst_v, fabs(now.v[0] - speed_at(&m, now.t)));
        CSV_ROW(out, number, now.t, now.x[0], now.v[0], R * now.omega[1], speed_at(&m, now.t));
    }
    if (status == PCS_OK) status = slider_look(&s, &now);
    if (status == PCS_OK) {
        printf("%-9s %9s %9.6f %12.9f %12.9f %12.9f %12.9f %9.1e %9.1e\n", name,
               cell_of("%.6f", rolls).text, m.t1, now.v[0], speed_at(&m, now.t), now.x[0],
               place_at(&m, now.t), worst_x, worst_v);

        // the step in which rolling begins is solved as a whole: friction has the value it needs,
        // and the error of the position stays below mu g h^2 / 8 afterwards
        const double size = fabs(v0) + R * fabs(omega0);
        c->context = name;
        check_value(c, "outcome", s.outcome, PCS_OUTCOME_CONVERGED, 0);
        check_value(c, "speed", now.v[0], speed_at(&m, now.t), 1e-11 * size);
        check_value(c, "speed, every step", worst_v, 0, 1e-11 * size);
        check_value(c, "place, every step", worst_x, 0, m.a * h * h + 1e-11 * size * now.t);
        check_value(c, "spin about the vertical", now.omega[2], vertical,
                    1e-11 * (fabs(vertical) + size / R));
        check_value(c, "place across", now.x[1], 0, 1e-11 * (1 + size * now.t));
        if (m.t1 > 0 && m.t1 < set->run.t_end - h) {
            check_value(c, "when it rolls", rolls, m.t1, 1.001 * h);
            check_value(c, "R omega", R * now.omega[1], m.v1, 1e-10 * size);
        }
        check_value(c, "energy of every step", s.closure, 0, 1e-13 * def.mass * (1 + size * size));
    }
    slider_close(&s);
    return status;
}

static pcs_status run(const void *user, csv *out, checks *c)
{
    const settings *set = user;
    const double v = set->speed, w = set->spin;
    const struct {
        const char *name;
        double v0, omega0, vertical;
    } ball[] = {{"struck", v, 0, 0}, {"spinning", 0, w, 0}, {"draw", v, -w, 0},
                {"follow", v, w, 0}, {"top", 0, 0, w},      {"rolling", v, v / set->def.radius, 0}};
    printf("friction %g, h = %g s\n\n%-9s %9s %9s %12s %12s %12s %12s %9s %9s\n", set->def.mu,
           set->run.h, "ball", "rolls at", "closed", "speed", "closed", "place", "closed",
           "d place", "d speed");
    for (int k = 0; k < 6; ++k) {
        PCS_TRY(play(c, set, k, ball[k].name, ball[k].v0, ball[k].omega0, ball[k].vertical, out));
    }
    return PCS_OK;
}

// the ball that is struck
static pcs_status first_scene(const void *user, pcs_scene **out)
{
    const settings *set = user;
    slider_def def = set->def;
    def.v[0] = set->speed;
    return slider_scene(&def, &set->run, out);
}

int main(int argc, char **argv)
{
    settings set;
    read_flags(&set, argc, argv);
    return example_run_scene(first_scene, run, &set, &set.run, HEADER);
}
