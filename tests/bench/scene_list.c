// The scenes of the examples as cases of a bench, and the expected ends of those that have one.
#include "scene_list.h"

#include <math.h>
#include <string.h>

#include "checks/free_top.h"
#include "checks/run_tally.h"
#include "scenes/arch_scene.h"
#include "scenes/cards.h"
#include "scenes/dominoes_scene.h"
#include "scenes/friction_scenes.h"
#include "scenes/lattice.h"
#include "scenes/resting.h"
#include "scenes/rotating.h"
#include "scenes/stacks_scene.h"

#define G 9.81

// ---- boxes at rest ----------------------------------------------------------------------------

static bool heavy(bodies *s)
{
    const heavy_def def = heavy_default();
    return resting_heavy(s, &def);
}

static bool stack(bodies *s, int kind)
{
    const stack_def def = stack_default(kind);
    return stack_bodies(s, &def);
}

static bool pyramid(bodies *s)
{
    return stack(s, STACK_PYRAMID);
}

// 5050 boxes, at rest from the start
static bool pyramid_100(bodies *s)
{
    stack_def def = stack_default(STACK_PYRAMID);
    def.layers = 100;
    def.jolt = def.speed = 0;
    return stack_bodies(s, &def);
}

static bool wall(bodies *s)
{
    return stack(s, STACK_WALL);
}

static bool tower(bodies *s)
{
    return stack(s, STACK_KAPLA);
}

// ---- structures that stand or fall -------------------------------------------------------------

static double moved(const simulation *s)
{
    return tally_moved(s->scene->model, s->mark, s->state);
}

static pcs_status build_arch(simulation *s)
{
    const arch_def def = arch_default();
    return arch_build(&def, s->scene);
}

// below the least thickness, 0.1073 of the radius (examples/arch)
static arch_def thin_arch(void)
{
    arch_def def = arch_default();
    def.thickness = 0.103;
    return def;
}

static pcs_status build_thin_arch(simulation *s)
{
    const arch_def def = thin_arch();
    return arch_build(&def, s->scene);
}

static double key_height(const simulation *s)
{
    const arch_def def = thin_arch();
    return pcs_state_q(s->scene->model, s->state, (pcs_system){1 + def.stones / 2})[2] / def.radius;
}

static pcs_status build_dominoes(simulation *s)
{
    const dominoes_def def = dominoes_default();
    return dominoes_build(&def, s->scene->model);
}

static double dominoes_up(const simulation *s)
{
    const dominoes_def def = dominoes_default();
    int up = 0;
    for (int i = 0; i < def.n; ++i) {
        up += !(dominoes_tilt(s->scene->model, s->state, i) > atan(def.size[0] / def.size[2]));
    }
    return up;
}

static pcs_status build_cards(simulation *s)
{
    const cards_def def = cards_default();
    return cards_build(&def, s->scene->model);
}

// ---- closed forms -----------------------------------------------------------------------------

// three balls that touch, hit by a ball from 20 mm away; five balls apart, each half as heavy as
// the previous one
static line cradle_row(void)
{
    line l = line_row(3, 0.1, 1, 0.02, 0, 1, 1);
    l.x[0] -= 0.02;
    return l;
}

static line chain_row(void)
{
    return line_row(5, 0.1, 0.5, 0.02, 0.02, 1, 1);
}

static pcs_status build_cradle(simulation *s)
{
    const line l = cradle_row();
    return rotating_balls(&l, s->scene->model);
}

static pcs_status build_chain(simulation *s)
{
    const line l = chain_row();
    return rotating_balls(&l, s->scene->model);
}

static double speeds_off(const simulation *s, int n, const double *v)
{
    double worst = 0;
    for (int i = 0; i < n; ++i) {
        const double off =
            fabs(pcs_state_v(s->scene->model, s->state, (pcs_system){i + 1})[0] - v[i]);
        if (!(off <= worst)) worst = off;
    }
    return worst;
}

static double cradle_off(const simulation *s)
{
    const line l = cradle_row();
    double v[MOST_BALLS];
    line_at_once(&l, v);
    return speeds_off(s, l.n, v);
}

static double chain_off(const simulation *s)
{
    line l = chain_row();
    int pair;
    while (line_next(&l, s->state->t, &pair)) {
        line_impact(&l, pair);
    }
    return speeds_off(s, l.n, l.v);
}

static const double moments[3] = {1e-3, 2e-3, 2.8e-3}, spin = 10, wobble = 0.1;

static pcs_status build_wing_nut(simulation *s)
{
    return rotating_free(moments, (const double[]){0, spin, wobble}, s->scene->model);
}

static double wing_nut_off(const simulation *s)
{
    const free_top top = free_top_make(moments, spin, wobble, false);
    double omega[3], square = 0;
    free_top_omega(&top, s->state->t, omega);
    for (int i = 0; i < 3; ++i) {
        square += pow(s->state->v[3 + i] - omega[i], 2);
    }
    return sqrt(square) / spin;
}

static const heavy_top steady = {
    .mass = 0.5, .J1 = 4e-4, .J3 = 6e-4, .arm = 0.04, .spin = 150, .tilt = 0.5, .gravity = G};

static pcs_status build_top(simulation *s)
{
    return rotating_top(&steady, 0.003, top_precession(&steady), s->scene->model);
}

static double top_off(const simulation *s)
{
    double axis[3];
    pcs_quat_rotate(s->state->q + 3, (const double[]){0, 0, 1}, axis);
    return fabs(acos(axis[2]) - steady.tilt);
}

static disc rolls(void)
{
    disc d = {.mass = 0.3, .R = 0.1, .c = 0.005, .lean = 0.3, .turn = 1.5, .gravity = G};
    d.C = 0.5 * d.mass * d.R * d.R;
    d.A = d.mass / 12 * (3 * d.R * d.R + 4 * d.c * d.c);
    return d;
}

static pcs_status build_disc(simulation *s)
{
    const disc d = rolls();
    const rolling r = rolling_steady(&d);
    return rotating_disc(&d, 0.6, r.x, r.Q, r.v, r.omega, s->scene->model);
}

static double disc_off(const simulation *s)
{
    const disc d = rolls();
    const rolling r = rolling_steady(&d);
    return fabs(hypot(s->state->q[0], s->state->q[1]) / r.radius - 1);
}

// ---- six public scenes with friction (examples/friction_scenes) --------------------------------

static friction_def slope(void)
{
    return friction_default(FRICTION_SLOPE);
}

static friction_def held_cube(void)
{
    friction_def def = friction_default(FRICTION_TURNTABLE);
    def.mu = 0.5;
    return def;
}

static friction_def tumbling_box(void)
{
    friction_def def = friction_default(FRICTION_PAINLEVE);
    def.mu = 0.55;
    return def;
}

static friction_def house(int levels)
{
    friction_def def = friction_default(FRICTION_CARDS);
    def.levels = levels;
    return def;
}

static friction_def stones(int n, bool literal)
{
    friction_def def = friction_default(FRICTION_ARCH);
    def.stones = n;
    def.literal = literal;
    return def;
}

// without the cubes, which move by more than their size in a step
static friction_def standing(int n)
{
    friction_def def = stones(n, true);
    def.cubes = false;
    return def;
}

static pcs_status build_friction(simulation *s, friction_def def)
{
    return friction_build(&def, s->scene);
}

static double backspin_off(const simulation *s)
{
    const double *v = pcs_state_v(s->scene->model, s->state, (pcs_system){1});
    return fmax(fabs(v[0] + 80. / 7), 0.25 * fabs(v[4] + 320. / 7));
}

static double slope_off(const simulation *s)
{
    const friction_def def = slope();
    const double *a = pcs_state_q(s->scene->model, s->mark, (pcs_system){1});
    const double *b = pcs_state_q(s->scene->model, s->state, (pcs_system){1});
    const double way = hypot(b[0] - a[0], b[2] - a[2]);
    return fabs(way - friction_slope_way(&def, friction_times_of(&def).steps, G));
}

static double held_cube_off(const simulation *s)
{
    const double *q = pcs_state_q(s->scene->model, s->state, (pcs_system){1});
    return hypot(q[0], q[1]);
}

static double tumbling_box_off(const simulation *s)
{
    const double *q = pcs_state_q(s->scene->model, s->state, (pcs_system){1});
    return fabs(1 - 2 * (q[4] * q[4] + q[5] * q[5]));
}

static double lowered(const simulation *s, friction_def def)
{
    const pcs_system part = friction_watched(&def);
    return pcs_state_q(s->scene->model, s->mark, part)[2] -
           pcs_state_q(s->scene->model, s->state, part)[2];
}

// a build function and the way down of the watched part, for each structure
#define STRUCTURE(name, def)                      \
    static pcs_status build_##name(simulation *s) \
    {                                             \
        return build_friction(s, def);            \
    }                                             \
    static double name##_off(const simulation *s) \
    {                                             \
        return lowered(s, def);                   \
    }
STRUCTURE(cards_4, house(4))
STRUCTURE(cards_5, house(5))
STRUCTURE(cards_10, house(10))
STRUCTURE(arch_25, stones(25, false))
STRUCTURE(arch_101, stones(101, false))
STRUCTURE(literal_25, stones(25, true))
STRUCTURE(literal_101, standing(101))

static pcs_status build_backspin(simulation *s)
{
    return build_friction(s, friction_default(FRICTION_BACKSPIN));
}

static pcs_status build_slope(simulation *s)
{
    return build_friction(s, slope());
}

static pcs_status build_held_cube(simulation *s)
{
    return build_friction(s, held_cube());
}

static pcs_status build_tumbling_box(simulation *s)
{
    return build_friction(s, tumbling_box());
}

// ---- all --------------------------------------------------------------------------------------

// step, steps, size; build function; distance from the expected end, its name, and its limit;
// overlap at the start, whether it is driven
static const model_scene arch = {0.005, 200, 0.06, build_arch, moved, "a stone has moved (m)",
                                 1e-6,  0,   false};
static const model_scene arch_falls = {
    0.005, 80, 0.06, build_thin_arch, key_height, "height of the key stone over the radius",
    0.99,  0,  false};
static const model_scene dominoes = {
    0.0005, 1600, 0.0075, build_dominoes, dominoes_up, "dominoes that have not fallen",
    0,      0,    false};
static const model_scene cards = {0.002, 500, 0.0005, build_cards, moved, "a card has moved (m)",
                                  1e-5,  0,   false};
static const model_scene cradle = {0.001,        200,        0.04,
                                   build_cradle, cradle_off, "velocities, from Newton's law (m/s)",
                                   1e-11,        0,          false};
static const model_scene chain = {0.001,       200,       0.04,
                                  build_chain, chain_off, "velocities, from pair by pair (m/s)",
                                  1e-11,       0,         false};
static const model_scene wing_nut = {0.001,        2000,
                                     0.1,          build_wing_nut,
                                     wing_nut_off, "angular velocity over the spin, from Jacobi's",
                                     1e-2,         0,
                                     false};
static const model_scene top = {1e-4,      5000,    0.006,
                                build_top, top_off, "tilt, from that of steady precession (rad)",
                                5e-3,      0,       false};
static const model_scene rolling_disc = {
    2e-4, 5000, 0.01, build_disc, disc_off, "radius of the circle, relative", 1e-2, 0, false};

static const model_scene backspin = {
    1. / 60, 240, 0.5,  build_backspin, backspin_off, "speed, from that of rolling (m/s)",
    1e-6,    0,   false};
static const model_scene slope_scene = {
    1. / 60, 120, 1,    build_slope, slope_off, "distance, from that of the scheme (m)",
    1e-6,    0,   false};
static const model_scene disc_drop = {
    1. / 60, 360, 0.3, build_held_cube, held_cube_off, "distance from the axis (m)", 1.25, 0, true};
static const model_scene painleve = {
    1. / 60, 120, 0.3,  build_tumbling_box, tumbling_box_off, "cosine of a box on its side",
    0.25,    0,   false};
// How far a hit house collapses is chaotic: the limit is the way of the highest card to the floor,
// which only a card that falls through it exceeds.
static const model_scene cards_4 = {1. / 240,      2400,        0.04,
                                    build_cards_4, cards_4_off, "the watched part is lower (m)",
                                    8.46,          1.7e-3,      false};
static const model_scene cards_5 = {1. / 240,      3200,        0.04,
                                    build_cards_5, cards_5_off, "the watched part is lower (m)",
                                    10.88,         1.7e-3,      false};
static const model_scene cards_10 = {1. / 240,       3200,         0.04,
                                     build_cards_10, cards_10_off, "the watched part is lower (m)",
                                     22.96,          1.7e-3,       false};
static const model_scene arch_25 = {1. / 240,      2000,        3.2,
                                    build_arch_25, arch_25_off, "the watched part is lower (m)",
                                    2.5,           0,           false};
static const model_scene arch_101 = {
    1. / 240, 2000, 0.79, build_arch_101, arch_101_off, "the watched part is lower (m)",
    10,       0,    false};
static const model_scene literal_25 = {
    1. / 60, 720,    0.032, build_literal_25, literal_25_off, "the watched part is lower (m)",
    1e-3,    1.1e-6, false};
static const model_scene literal_101 = {
    1. / 60, 600,    0.0079, build_literal_101, literal_101_off, "the watched part is lower (m)",
    1e-3,    1.1e-6, true};

static const bench_scene scenes[] = {
    {"a", "a lattice of spheres falls into an open box", lattice_spheres, NULL, NULL, 1e-4, 1, 0},
    {"b", "a lattice of cubes falls into an open box", lattice_cubes, NULL, NULL, 1e-4, 1, 0},
    {"cube", "a cube at rest on the floor, then perturbed", NULL, resting_cube, NULL, 1e-10, 0, 0},
    {"plank", "a plank at rest on two blocks, then perturbed", NULL, resting_plank, NULL, 1e-10,
     false, 0},
    {"heavy", "a cube of 1e4 kg on one of 1 kg", NULL, heavy, NULL, 1e-10, 0, 0},
    {"pyramid", "six layers of boxes, jolted", NULL, pyramid, NULL, 1e-8, 0, 0},
    {"pyramid_100", "a hundred layers of boxes at rest", NULL, pyramid_100, NULL, 1e-8, 2, 0},
    {"wall", "six layers of bricks, jolted", NULL, wall, NULL, 1e-8, 0, 0},
    {"tower", "ten layers of three planks, jolted, 60 s", NULL, tower, NULL, 1e-10, 1, 0},
    {"arch", "45 stones that stand", NULL, NULL, &arch, 1e-8, 0, 0},
    {"arch_falls", "45 stones that are too thin to stand", NULL, NULL, &arch_falls, 1e-8, 0, 4},
    {"dominoes", "twenty dominoes, the first pushed", NULL, NULL, &dominoes, 1e-6, 0, 4},
    {"cards", "a house of cards, three storeys", NULL, NULL, &cards, 1e-8, 0, 0},
    {"cradle", "a ball meets two that touch, e = 1", NULL, NULL, &cradle, 1e-14, 0, 0},
    {"chain", "five balls apart, each half as heavy, e = 1", NULL, NULL, &chain, 1e-14, 0, 0},
    {"wing_nut", "a free body spun about its middle axis", NULL, NULL, &wing_nut, 1e-14, 0, 0},
    {"top", "a heavy top on a joint precesses", NULL, NULL, &top, 1e-14, 0, 0},
    {"disc", "a disc rolls round a circle", NULL, NULL, &rolling_disc, 1e-13, 0, 0},
    {"backspin", "a ball with backspin turns back and rolls", NULL, NULL, &backspin, 1e-8, 0, 0},
    {"slope", "a cube slides down a slope", NULL, NULL, &slope_scene, 1e-8, 0, 0},
    {"disc_drop", "a cube falls on a disc that begins to turn", NULL, NULL, &disc_drop, 1e-8, 0, 0},
    {"painleve", "a box slides, tips and tumbles", NULL, NULL, &painleve, 1e-8, 0, 0},
    {"cards_4", "26 cards, then four cubes", NULL, NULL, &cards_4, 1e-8, 2, 100},
    {"cards_5", "40 cards, then four cubes", NULL, NULL, &cards_5, 1e-8, 2, 200},
    {"cards_10", "155 cards, then four cubes", NULL, NULL, &cards_10, 1e-8, 2, 1600},
    {"arch_25", "25 stones of 65 m, then three cubes", NULL, NULL, &arch_25, 1e-8, 1, 0},
    {"arch_101", "101 stones of 70 m, then three cubes", NULL, NULL, &arch_101, 1e-8, 2, 20},
    {"literal_25", "25 stones that touch, then three cubes", NULL, NULL, &literal_25, 1e-8, 1, 0},
    {"literal_101", "101 stones that touch", NULL, NULL, &literal_101, 1e-8, 2, 0},
};

int scene_list(const bench_scene **first)
{
    *first = scenes;
    return (int)(sizeof scenes / sizeof *scenes);
}

bool scene_listed(const char *names, const char *name)
{
    if (!names) return true;
    const size_t n = strlen(name);
    for (const char *p = names; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL) {
        if (strncmp(p, name, n) == 0 && (p[n] == ',' || p[n] == '\0')) return true;
    }
    return false;
}
