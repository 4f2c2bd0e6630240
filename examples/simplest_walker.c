// The simplest walker: two legs without mass on a hip walk down a slope (Garcia, Chatterjee, Ruina
// and Coleman 1998).
//
// In the units of the leg and of gravity, with the angle theta of the stance leg from the normal of
// the slope gamma and the angle phi between the legs, a step obeys
//
//     theta'' = sin(theta - gamma)
//     phi''   = theta'' + theta'^2 sin phi - cos(theta - gamma) sin phi
//
// until the other foot comes down, phi = 2 theta. The impact there is plastic and the legs change
// roles: theta+ = -theta, theta'+ = cos(2 theta) theta', phi+ = -2 theta, phi'+ = (1 - cos(2
// theta)) theta'+. A gait is a fixed point of the map of (theta+, theta'+) from step to step. In it
// the slope gives the energy that the impact takes, 2 sin(theta) sin(gamma) = (theta' sin(2
// theta))^2 / 2.
//
// For gamma -> 0 the equations are linear. With the duration T of a step the gaits have
//
//     tan(T/2) = -3 tanh(T/2) (the long one) or T = pi,
//     theta = s gamma^(1/3),   theta' = -theta coth(T/2),   s^3 = tanh(T/2)^2,
//
// up to terms of gamma^(2/3) of these; s = 0.970956 and 0.943976. At gamma = 0.009 the long one has
// the published fixed point (0.200310900544, -0.199832473005). It is stable for gamma < 0.0151.
//
// The same by the equations of the whole machine: a Lagrangian of hip and feet of the mass beta in
// four coordinates, constraints that hold the stance foot, and the impact of the other foot by the
// library. Its gait goes over to that of the simplest walker with beta -> 0.
//
// The same once more as three planar bodies in time steps, which walk on tiles: a foot that swings
// past the other leg is below the slope, and has no tile there. Steps do not locate the impacts.
#include "args.h"
#include "example.h"
#include "flags/run_flags.h"
#include "scenes/simulation.h"
#include "scenes/walker_scene.h"

#include <percuss/mechanics.h>

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define PUBLISHED_SLOPE 0.009
#define STABLE_SLOPE    0.0151
#define LONGEST         10.0 // step: a walker that takes longer has fallen
#define HEADER          "t,step,theta,phi,theta_dot,phi_dot,foot"
#define COLUMNS         "write the walk: t, step, theta, phi, their rates, place of the stance foot"

// on tiles: mass of a foot, its moment of inertia, number of tiles
#define SCENE_FEET  3e-3
#define SCENE_TURN  3e-5
#define SCENE_TILES 8

enum { LONG, SHORT };
enum { MOST = 3, LEVELS = 4 }; // numbers that a map from step to step has; slopes

typedef struct settings {
    run_settings run;
    double slope, feet, rtol;
    int gait, steps;
} settings;

static void read_flags(settings *set, int argc, char **argv)
{
    *set = (settings){.run = {.gravity = 1, .scheme = pcs_scheme_moreau_jean(), .h = 4e-3},
                      .slope = PUBLISHED_SLOPE,
                      .feet = 1e-3,
                      .rtol = 1e-12,
                      .steps = 6};
    set->run.t_end = 12;
    set->run.scheme.projection = PCS_PROJECTION_DIRECT_HYSTERESIS;
    set->run.scheme.proj_tol = 1e-10;
    args a = {.about = "The simplest walker and its gaits: fixed points of the map from step to "
                       "step, and the same with feet that have a mass.",
              .table = COLUMNS};
    args_real(&a, "--slope", &set->slope, 1e-4, 0.018, "rad", "slope");
    args_choice(&a, "--gait", &set->gait, "long|short", "which of the two gaits");
    args_real(&a, "--feet", &set->feet, 1e-4, 1e-2, "", "mass of a foot over that of the hip");
    args_real(&a, "--rtol", &set->rtol, 1e-13, 1e-10, "", "tolerance of the integrator");
    args_int(&a, "--steps", &set->steps, 1, 100, "number of steps in the table");
    run_parse(&a, &set->run, 0, argc, argv);
}

// ---- the walker without masses in its feet ------------------------------------------------------

// x = (theta, phi, theta', phi')
static int leg_rates(void *user, double t, const double *x, double *xdot)
{
    (void)t;
    const double slope = *(const double *)user, s = sin(x[1]);
    xdot[0] = x[2];
    xdot[1] = x[3];
    xdot[2] = sin(x[0] - slope);
    xdot[3] = xdot[2] + x[2] * x[2] * s - cos(x[0] - slope) * s;
    return 0;
}

// falls where the other foot passes the stance leg, rises where it comes down
static int leg_height(void *user, double t, const double *x, double *g)
{
    (void)user;
    (void)t;
    g[0] = x[1] - 2 * x[0];
    return 0;
}

static void leg_start(const double map[2], double x[4])
{
    const double c = cos(2 * map[0]);
    memcpy(x, (const double[]){map[0], 2 * map[0], map[1], (1 - c) * map[1]}, 4 * sizeof *x);
}

static void leg_impact(const double x[4], double map[2])
{
    map[0] = -x[0];
    map[1] = cos(2 * x[0]) * x[2];
}

// ---- the walker with feet -----------------------------------------------------------------------

// The hip (x, y) in the axes of the slope, the angles a and b of the stance leg and of the other
// leg; the feet are at (x + sin, y - cos), the stance foot at the origin.
typedef struct walker {
    double slope, feet, turn; // turn: moment of inertia of a foot
    pcs_lagrange *lagrange;
    pcs_constrained *stance, *strike; // hold the foot of a; of b
    pcs_ode step;
} walker;

static int lagrangian(void *user, double t, const pcs_complex *q, const pcs_complex *v,
                      pcs_complex *L)
{
    (void)t;
    const walker *w = user;
    const double c = cos(w->slope), s = sin(w->slope);
    pcs_complex T = 0.5 * (v[0] * v[0] + v[1] * v[1]), U = c * q[1] - s * q[0];
    for (int leg = 2; leg < 4; ++leg) {
        const pcs_complex x = csin(q[leg]), y = -ccos(q[leg]);
        const pcs_complex vx = v[0] - y * v[leg], vy = v[1] + x * v[leg];
        T += 0.5 * w->feet * (vx * vx + vy * vy);
        T += 0.5 * w->turn * v[leg] * v[leg];
        U += w->feet * (c * (q[1] + y) - s * (q[0] + x));
    }
    *L = T - U;
    return 0;
}

static int stance_foot(void *user, const pcs_complex *t, const pcs_complex *q, pcs_complex *phi)
{
    (void)user;
    (void)t;
    phi[0] = q[0] + csin(q[2]);
    phi[1] = q[1] - ccos(q[2]);
    return 0;
}

static int other_foot(void *user, const pcs_complex *t, const pcs_complex *q, pcs_complex *phi)
{
    (void)user;
    (void)t;
    phi[0] = q[0] + csin(q[3]);
    phi[1] = q[1] - ccos(q[3]);
    return 0;
}

// phi - 2 theta
static int foot_height(void *user, double t, const double *x, double *g)
{
    (void)user;
    (void)t;
    g[0] = -x[2] - x[3];
    return 0;
}

static pcs_status walker_open(walker *w)
{
    const pcs_lagrange_def def = {.n = 4, .L_complex = lagrangian, .user = w};
    PCS_TRY(pcs_lagrange_create(NULL, &def, &w->lagrange));
    pcs_constrained_def held = {.nv = 4,
                                .m = 2,
                                .lagrange = w->lagrange,
                                .phi_complex = stance_foot,
                                .stabilisation = PCS_STABILISATION_PROJECT};
    PCS_TRY(pcs_constrained_create(NULL, &held, &w->stance));
    held.phi_complex = other_foot;
    PCS_TRY(pcs_constrained_create(NULL, &held, &w->strike));
    return pcs_constrained_ode(w->stance, &w->step);
}

static void walker_close(walker *w)
{
    pcs_constrained_destroy(w->stance);
    pcs_constrained_destroy(w->strike);
    pcs_lagrange_destroy(w->lagrange);
}

// from (a, a', b') with b = -a
static void foot_start(const double map[3], double x[8])
{
    const double s = sin(map[0]), c = cos(map[0]);
    memcpy(x, (const double[]){-s, c, map[0], -map[0], -c * map[1], -s * map[1], map[1], map[2]},
           8 * sizeof *x);
}

static pcs_status foot_impact(const walker *w, double t, const double x[8], double map[3])
{
    double after[4];
    PCS_TRY(pcs_constrained_impact(w->strike, t, x, x + 4, NULL, after, NULL));
    map[0] = x[3];
    map[1] = after[3];
    map[2] = after[2];
    return PCS_OK;
}

// ---- the map from step to step ------------------------------------------------------------------

// one of the two machines
typedef struct machine {
    double slope, rtol;
    const walker *walker; // null: without masses in its feet
    pcs_integrator *run;
    double duration; // of the last step
    double end[8];   // state at its end
    pcs_status status;
} machine;

static pcs_status machine_open(machine *m, double rtol)
{
    pcs_ode legs = {.n = 4, .f = leg_rates, .user = &m->slope};
    const pcs_event down = {
        .g = m->walker ? foot_height : leg_height, .direction = 1, .terminal = true};
    pcs_ode_opts opts = pcs_ode_opts_default();
    opts.rtol = rtol;
    opts.atol = 0.1 * rtol;
    PCS_TRY(pcs_integrator_create(NULL, m->walker ? &m->walker->step : &legs, &opts, &m->run));
    return pcs_integrator_set_events(m->run, 1, &down);
}

// PCS_ERR_STEP where the walker falls
static pcs_status take_step(machine *m, const double *from, double *to)
{
    double x[8];
    pcs_ode_report report;
    if (m->walker) {
        foot_start(from, x);
    } else {
        leg_start(from, x);
    }
    PCS_TRY(pcs_integrator_start(m->run, 0, x));
    PCS_TRY(pcs_integrator_advance(m->run, LONGEST, &report));
    if (report.end != PCS_ODE_EVENT) return PCS_ERR_STEP;
    m->duration = pcs_integrator_t(m->run);
    memcpy(m->end, pcs_integrator_x(m->run), (m->walker ? 8 : 4) * sizeof *x);
    if (m->walker) return foot_impact(m->walker, m->duration, m->end, to);
    leg_impact(m->end, to);
    return PCS_OK;
}

static int change(void *user, const double *from, double *out)
{
    machine *m = user;
    const int n = m->walker ? 3 : 2;
    double to[MOST];
    if (take_step(m, from, to) != PCS_OK) return 1;
    for (int i = 0; i < n; ++i) {
        out[i] = to[i] - from[i];
    }
    return 0;
}

// The gait near the guess in x, and the size of the largest multiplier of an error from step to
// step (of the machine without masses).
static pcs_status find_gait(machine *m, double x[MOST], double *multiplier)
{
    const int n = m->walker ? 3 : 2;
    const pcs_map map = {.n = n, .m = n, .f = change, .user = m};
    pcs_root_opts opts = pcs_root_opts_default();
    opts.tol = 1e-10; // Newton's method squares it
    double J[4], to[MOST];
    pcs_root_report report;
    pcs_arena work;
    PCS_TRY(pcs_arena_create(NULL, pcs_root_solve_bytes(3), &work));
    pcs_status status = pcs_root_solve(&map, &opts, work, x, &report);
    if (status == PCS_OK && report.outcome != PCS_ROOT_CONVERGED) status = PCS_ERR_STEP;
    if (status == PCS_OK && multiplier) {
        status = pcs_jacobian(&map, PCS_DERIVATIVE_BEST, x, work, J);
        const double half = 0.5 * (J[0] + J[3]) + 1;
        const double det = (J[0] + 1) * (J[3] + 1) - J[1] * J[2];
        const double root = half * half - det;
        *multiplier = root < 0 ? sqrt(det) : fabs(half) + sqrt(root);
    }
    pcs_arena_destroy(NULL, &work);
    return status == PCS_OK ? take_step(m, x, to) : status;
}

typedef struct gait {
    double x[MOST], duration, multiplier;
    double energy; // given by the slope, less that taken by the impact
} gait;

// s and T for slopes -> 0
static void limit_gait(int which, double *s, double *T)
{
    *T = 4 * atan(1);
    if (which == LONG) {
        // tan(T/2) = -3 tanh(T/2): a fixed point with T/2 in (pi/2, pi)
        for (int i = 0; i < 60; ++i) {
            *T = 2 * (4 * atan(1) - atan(3 * tanh(0.5 * *T)));
        }
    }
    *s = cbrt(pow(tanh(0.5 * *T), 2));
}

// The gaits of the slopes slope / 8^k, k = 0 .. LEVELS - 1, the last one first: there the limit is
// near, and each shows the difference from it, of slope^(2/3), that the next one has four times.
static pcs_status massless_gaits(double slope, int which, double rtol, gait g[LEVELS])
{
    machine m = {0};
    double s, T, ahead[2] = {0};
    limit_gait(which, &s, &T);
    const double limit[2] = {s, -s / tanh(0.5 * T)};
    pcs_status status = machine_open(&m, rtol);
    for (int k = LEVELS - 1; k >= 0 && status == PCS_OK; --k) {
        m.slope = ldexp(slope, -3 * k);
        const double root = cbrt(m.slope);
        for (int i = 0; i < 2; ++i) {
            g[k].x[i] = (limit[i] + ahead[i]) * root;
        }
        status = find_gait(&m, g[k].x, &g[k].multiplier);
        for (int i = 0; i < 2; ++i) {
            ahead[i] = 4 * (g[k].x[i] / root - limit[i]);
        }
        const double lost = sin(2 * m.end[0]) * m.end[2];
        g[k].energy = 2 * sin(g[k].x[0]) * sin(m.slope) - 0.5 * lost * lost;
        g[k].duration = m.duration;
    }
    pcs_integrator_destroy(m.run);
    return status;
}

// from the gait without masses
static pcs_status gait_with_feet(const settings *set, double feet, double turn, const gait *from,
                                 gait *g)
{
    walker w = {.slope = set->slope, .feet = feet, .turn = turn};
    machine m = {.slope = set->slope, .walker = &w};
    double legs[4];
    leg_start(from->x, legs);
    g->x[0] = legs[0];
    g->x[1] = legs[2];
    g->x[2] = legs[2] - legs[3];
    pcs_status status = walker_open(&w);
    if (status == PCS_OK) status = machine_open(&m, 100 * set->rtol);
    if (status == PCS_OK) status = find_gait(&m, g->x, NULL);
    g->duration = m.duration;
    pcs_integrator_destroy(m.run);
    walker_close(&w);
    return status;
}

// ---- bodies on tiles ----------------------------------------------------------------------------

static pcs_status gait_on_tiles(const settings *set, gait *g)
{
    gait walk[LEVELS];
    PCS_TRY(massless_gaits(set->slope, set->gait, set->rtol, walk));
    return gait_with_feet(set, SCENE_FEET, SCENE_TURN, &walk[0], g);
}

static pcs_status build(const void *user, pcs_scene **out)
{
    const settings *set = user;
    gait g;
    PCS_TRY(gait_on_tiles(set, &g));
    const walker_scene def = {.slope = set->slope,
                              .theta = g.x[0],
                              .rate = g.x[1],
                              .other = g.x[2],
                              .feet = SCENE_FEET,
                              .turn = SCENE_TURN,
                              .tiles = SCENE_TILES};
    return walker_scene_build(&set->run, &def, out);
}

// when and where a foot came down
typedef struct footfalls {
    int stance; // the foot that came down last, 0 or 1
    int n;
    double t[SCENE_TILES], x[SCENE_TILES];
    long loose; // steps that did not converge
} footfalls;

static int watch(void *user, const pcs_model *model, const pcs_state *state, pcs_work *work,
                 const pcs_step_report *report)
{
    (void)model;
    footfalls *f = user;
    const pcs_contact *contact;
    int n;
    if (!report) return 0;
    f->loose += report->outcome != PCS_OUTCOME_CONVERGED;
    PCS_TRY(pcs_work_contacts(work, &n, &contact));
    const int other = 1 - f->stance;
    for (int i = 0; i < n; ++i) {
        const pcs_contact *c = &contact[i];
        const double x = state->q[7 * (1 + other)], stance = state->q[7 * (1 + f->stance)];
        const bool foot = c->system1.id == 2 + other || c->system2.id == 2 + other;
        // at the start both feet are down, and the other one is behind
        if (!foot || !c->active || !(c->r[0] > 0) || !(x > stance) || f->n == SCENE_TILES) continue;
        f->t[f->n] = state->t;
        f->x[f->n++] = x;
        f->stance = other;
        return 0;
    }
    return 0;
}

static pcs_status walk_on_tiles(const settings *set, checks *c)
{
    gait g;
    footfalls f = {0};
    simulation sim = {0};
    PCS_TRY(gait_on_tiles(set, &g));
    pcs_status status = build(set, &sim.scene);
    if (status == PCS_OK) status = simulation_run(&sim, 1, watch, &f);
    simulation_close(&sim);
    if (status != PCS_OK) return status;
    check_value(c, "on tiles: steps not converged", (double)f.loose, 0, 0);
    check_value(c, "on tiles: footfalls", f.n, floor(set->run.t_end / g.duration), 0);
    if (f.n < 2) return PCS_OK;
    const int last = f.n - 1;
    const double step = 2 * sin(g.x[0]), order = 10 * set->run.h; // of the impacts: first order
    check_value(c, "on tiles: duration", (f.t[last] - f.t[0]) / last, g.duration,
                order * g.duration);
    check_value(c, "on tiles: length of a step", (f.x[last] - f.x[0]) / last, step, order * step);
    return PCS_OK;
}

// ---- the program --------------------------------------------------------------------------------

// from the gait; an unstable one leaves it by rounding, and the table ends where the walker falls
static pcs_status write_walk(const settings *set, const gait *g, csv *out)
{
    machine m = {.slope = set->slope};
    double map[2] = {g->x[0], g->x[1]}, t = 0, place = 0;
    pcs_status status = machine_open(&m, set->rtol);
    for (int k = 0; k < set->steps && status == PCS_OK && t < INFINITY; ++k) {
        double x[4];
        pcs_ode_report report = {.end = PCS_ODE_STEPPED};
        leg_start(map, x);
        status = pcs_integrator_start(m.run, 0, x);
        CSV_ROW(out, t, k, x[0], x[1], x[2], x[3], place);
        while (status == PCS_OK && report.end != PCS_ODE_EVENT &&
               pcs_integrator_t(m.run) < LONGEST) {
            status = pcs_integrator_step(m.run, &report);
            memcpy(x, pcs_integrator_x(m.run), sizeof x);
            CSV_ROW(out, t + pcs_integrator_t(m.run), k, x[0], x[1], x[2], x[3], place);
        }
        t = report.end == PCS_ODE_EVENT ? t + pcs_integrator_t(m.run) : INFINITY;
        place += 2 * sin(-x[0]);
        leg_impact(x, map);
    }
    pcs_integrator_destroy(m.run);
    return status;
}

static void print_gait(const char *name, const gait *g)
{
    printf("%-24s theta %.12f  theta' %.12f  T %.9f\n", name, g->x[0], g->x[1], g->duration);
}

static pcs_status run(const void *user, csv *out, checks *c)
{
    const settings *set = user;
    gait walk[LEVELS], known[LEVELS], feet[2];
    const gait *g = &walk[0], *flat = &walk[1], *published = &known[0];
    double s, T;
    PCS_TRY(massless_gaits(set->slope, set->gait, set->rtol, walk));
    PCS_TRY(massless_gaits(PUBLISHED_SLOPE, LONG, set->rtol, known));
    for (int k = 0; k < 2; ++k) {
        PCS_TRY(gait_with_feet(set, ldexp(set->feet, -k), 0, g, &feet[k]));
    }
    if (set->run.csv) PCS_TRY(write_walk(set, g, out));
    print_gait("massless legs", g);
    print_gait("an eighth of the slope", flat);
    print_gait("with feet", &feet[0]);
    print_gait("with feet of half mass", &feet[1]);
    printf("an error grows by %.6f per step\n", g->multiplier);

    *c = checks_begin();
    const double digits = 1e-12 + 10 * set->rtol;
    check_value(c, "published theta", published->x[0], 0.200310900544, digits);
    check_value(c, "published theta'", published->x[1], -0.199832473005, digits);
    check_value(c, "energy of a step", g->energy, 0, 10 * digits * set->slope + 1e-14);
    check_that(c, "stable", (g->multiplier < 1) == (set->gait == LONG && set->slope < STABLE_SLOPE),
               g->multiplier < 1 ? "yes" : "no");

    // the next term of the limit is of gamma^(2/3): four times less at an eighth of the slope
    limit_gait(set->gait, &s, &T);
    const double root = cbrt(set->slope), left = 2 * root * root * root * root;
    check_value(c, "theta of small slopes", (8 * flat->x[0] - g->x[0]) / (3 * root), s, left);
    check_value(c, "T of small slopes", (4 * flat->duration - g->duration) / 3, T, left);
    for (int i = 0; i < 2; ++i) {
        const double change = fabs(feet[0].x[i] - g->x[i]);
        check_value(c, i == 0 ? "theta, feet -> 0" : "theta', feet -> 0",
                    2 * feet[1].x[i] - feet[0].x[i], g->x[i], 0.05 * change + 1e-9);
    }
    // the tiles are as wide as the steps of the published gait allow
    const bool walks = set->gait == LONG && set->slope == PUBLISHED_SLOPE;
    return walks ? walk_on_tiles(set, c) : PCS_OK;
}

int main(int argc, char **argv)
{
    settings set;
    read_flags(&set, argc, argv);
    return example_run_scene(build, run, &set, &set.run, HEADER);
}
