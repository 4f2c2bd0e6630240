// Time of a step of small scenes, and the memory for bodies and contacts.
//
//     bench_step [--list] [--case NAME] [--repeats N] [--csv FILE]
//
// Every measurement starts from the same state. The memory of a body or contact is the slope of the
// memory of models, states and works over the number of bodies or contacts.
#define _POSIX_C_SOURCE 200809L

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <percuss/kernel.h>

#include "bench.h"
#include "options.h"

#define COUNT(x) ((int)(sizeof(x) / sizeof *(x)))

#define CHECK(expr)                                                \
    do {                                                           \
        if ((expr) != PCS_OK) {                                    \
            fprintf(stderr, "bench_step: %s\n", pcs_error_text()); \
            exit(2);                                               \
        }                                                          \
    } while (0)

static const double up[3] = {0, 0, 1};

// ---- scenes ------------------------------------------------------------------------------------

static void material(pcs_model *m, double e, pcs_material *out)
{
    const pcs_material_def def = {.e = e};
    CHECK(pcs_model_add_material(m, &def, out));
}

static void ground(pcs_model *m, pcs_material mat)
{
    const pcs_shape plane = pcs_shape_half_space(up, 0);
    CHECK(pcs_model_add_shape(m, (pcs_system){0}, &plane, mat));
}

static void set_scheme(pcs_model *m, pcs_projection projection)
{
    pcs_scheme s = pcs_scheme_moreau_jean();
    s.projection = projection;
    CHECK(pcs_model_set_scheme(m, &s));
}

// the bouncing ball of the examples: 1 kg, radius 0.1 m, from 1 m, e = 0.9; the default scheme
static void ball_default(pcs_model *m)
{
    pcs_material mat;
    material(m, 0.9, &mat);
    ground(m, mat);
    pcs_body_def def = pcs_body_def_default();
    def.position[2] = 1;
    const pcs_shape sphere = pcs_shape_sphere(0.1);
    pcs_system b;
    CHECK(pcs_model_add_body(m, &def, &b));
    CHECK(pcs_model_add_shape(m, b, &sphere, mat));
}

static void ball(pcs_model *m)
{
    ball_default(m);
    set_scheme(m, PCS_PROJECTION_NONE);
}

static void ball_projected(pcs_model *m)
{
    ball_default(m);
    set_scheme(m, PCS_PROJECTION_COMBINED);
}

static void ball_lagrangian(pcs_model *m)
{
    const double mass = 1, load = -9.81, z0 = 1, one = 1;
    pcs_lagrangian_def def = pcs_lagrangian_def_default();
    def.n = 1;
    def.mass = &mass;
    def.load = &load;
    def.q0 = &z0;
    pcs_interaction_def stop = {.relation = pcs_relation_linear(1, &one, -0.1),
                                .law = pcs_law_newton_impact(0.9)};
    CHECK(pcs_model_add_lagrangian(m, &def, &stop.system1));
    CHECK(pcs_model_add_interaction(m, &stop, NULL));
    set_scheme(m, PCS_PROJECTION_NONE);
}

// slides or sticks on this, in the cases with friction
static void rough(pcs_model *m, double mu, pcs_material *out)
{
    const pcs_material_def def = {.mu = mu};
    CHECK(pcs_model_add_material(m, &def, out));
    ground(m, *out);
}

// slides for 2 s and rolls on
static void sliding_sphere(pcs_model *m)
{
    pcs_material mat;
    rough(m, 0.2, &mat);
    pcs_body_def def = pcs_body_def_default();
    def.position[2] = 0.1;
    def.velocity[0] = 14;
    const pcs_shape sphere = pcs_shape_sphere(0.1);
    pcs_system b;
    CHECK(pcs_model_add_body(m, &def, &b));
    CHECK(pcs_model_add_shape(m, b, &sphere, mat));
}

static void box(pcs_model *m, double z, pcs_material mat)
{
    pcs_body_def def = pcs_body_def_of_inertia(pcs_inertia_box(1, 1, 1, 1));
    def.position[2] = z;
    const pcs_shape cube = pcs_shape_box(1, 1, 1);
    pcs_system b;
    CHECK(pcs_model_add_body(m, &def, &b));
    CHECK(pcs_model_add_shape(m, b, &cube, mat));
}

static void box_4(pcs_model *m)
{
    ground(m, (pcs_material){0});
    box(m, 0.5, (pcs_material){0});
}

// a cube on a fixed one that is rotated by 45 degrees: the faces meet in an octagon
static void box_8(pcs_model *m)
{
    pcs_body_def def = pcs_body_def_default();
    def.fixed = true;
    CHECK(pcs_quat_from_axis_angle(up, 0.78539816339744831, def.orientation));
    def.position[2] = -0.5;
    const pcs_shape cube = pcs_shape_box(1, 1, 1);
    pcs_system b;
    CHECK(pcs_model_add_body(m, &def, &b));
    CHECK(pcs_model_add_shape(m, b, &cube, (pcs_material){0}));
    box(m, 0.5, (pcs_material){0});
}

static void box_4_projected(pcs_model *m)
{
    box_4(m);
    set_scheme(m, PCS_PROJECTION_DIRECT_HYSTERESIS);
}

static void stack_3(pcs_model *m)
{
    ground(m, (pcs_material){0});
    for (int i = 0; i < 3; ++i) {
        box(m, 0.5 + i, (pcs_material){0});
    }
}

static void pushed_box(pcs_model *m, double mu)
{
    pcs_material mat;
    rough(m, mu, &mat);
    const double pushed[3] = {2, 1, -9.81};
    CHECK(pcs_model_set_gravity(m, pushed));
    box(m, 0.5, mat);
}

static void rough_box_4(pcs_model *m)
{
    pushed_box(m, 0.5);
}

static void sliding_box_4(pcs_model *m)
{
    pushed_box(m, 0.1);
}

static void rough_stack_3(pcs_model *m)
{
    pcs_material mat;
    rough(m, 0.5, &mat);
    for (int i = 0; i < 3; ++i) {
        box(m, 0.5 + i, mat);
    }
}

typedef struct bench_case {
    const char *name, *text;
    void (*build)(pcs_model *);
    int steps; // from the initial state; the time is per step
} bench_case;

static const bench_case cases[] = {
    {"ball", "bouncing ball, Newton-Euler, Moreau-Jean, 10 s with h = 0.005 s", ball, 2000},
    {"ball_default", "the same with the default scheme", ball_default, 2000},
    {"ball_combined", "the first with combined projection", ball_projected, 2000},
    {"ball_lagrangian", "the first as a system of one coordinate", ball_lagrangian, 2000},
    {"box_4", "cube at rest on a plane, 4 contacts", box_4, 200},
    {"box_4_projected", "the same with direct projection and hysteresis", box_4_projected, 200},
    {"box_8", "cube at rest on a rotated cube, 8 contacts", box_8, 200},
    {"stack_3", "three cubes at rest, 12 contacts", stack_3, 200},
    {"sphere_mu", "a sphere slides, then rolls, 1 contact with friction", sliding_sphere, 600},
    {"box_4_mu", "cube held by friction on a slope, 4 contacts", rough_box_4, 200},
    {"box_4_slides", "cube sliding down a slope, 4 contacts", sliding_box_4, 200},
    {"stack_3_mu", "three cubes at rest with friction, 12 contacts", rough_stack_3, 200},
};

// ---- time --------------------------------------------------------------------------------------

typedef struct task {
    pcs_model *m;
    pcs_state *start, *st;
    pcs_work *wk;
    int steps;
    pcs_step_report report;
} task;

static void run(void *user)
{
    task *t = user;
    CHECK(pcs_state_copy(t->start, t->st));
    for (int k = 0; k < t->steps; ++k) {
        CHECK(pcs_step(t->m, t->st, t->wk, 0.005, &t->report));
        if (!t->report.committed) {
            fprintf(stderr, "bench_step: a step ended %s\n", pcs_outcome_text(t->report.outcome));
            exit(1);
        }
    }
}

static void measure(const bench_case *c, int repeats, FILE *csv)
{
    task t = {.steps = c->steps};
    CHECK(pcs_model_create(NULL, &t.m));
    c->build(t.m);
    CHECK(pcs_state_create(t.m, &t.start));
    CHECK(pcs_state_create(t.m, &t.st));
    CHECK(pcs_work_create(t.m, &t.wk));
    const bench_time time = bench_run(run, &t, repeats);
    const double low = time.minimum / c->steps, mid = time.median / c->steps;
    printf("%-16s %8.3f %8.3f %12.0f  %6d  %s\n", c->name, 1e6 * low, 1e6 * mid, 1 / mid,
           t.report.active, c->text);
    if (csv) fprintf(csv, "%s,%.17g,%.17g,%d\n", c->name, low, mid, t.report.active);
    pcs_work_destroy(t.wk);
    pcs_state_destroy(t.st);
    pcs_state_destroy(t.start);
    pcs_model_destroy(t.m);
}

// ---- memory -------------------------------------------------------------------------------------

// malloc with the size in front, so that the bytes held can be counted
static size_t held;

static void *counted_alloc(size_t bytes, void *user)
{
    (void)user;
    size_t *p = malloc(bytes + 16);
    if (!p) return NULL;
    p[0] = bytes;
    held += bytes;
    return p + 2;
}

static void counted_release(void *pointer, void *user)
{
    (void)user;
    size_t *p = (size_t *)pointer - 2;
    held -= p[0];
    free(p);
}

// bytes held by model, state and work, and of those the work's demand in the last step
static size_t memory_of(int n, bool touching, double mu, int *contacts)
{
    const pcs_env env = {.alloc = counted_alloc, .release = counted_release};
    pcs_model *m;
    pcs_state *st;
    pcs_work *wk;
    held = 0;
    CHECK(pcs_model_create(&env, &m));
    pcs_material mat;
    rough(m, mu, &mat);
    for (int i = 0; i < n; ++i) {
        pcs_body_def def = pcs_body_def_of_inertia(pcs_inertia_box(1, 1, 1, 1));
        def.position[0] = 2.5 * i;
        def.position[2] = touching ? 0.5 : 10;
        const pcs_shape cube = pcs_shape_box(1, 1, 1);
        pcs_system b;
        CHECK(pcs_model_add_body(m, &def, &b));
        CHECK(pcs_model_add_shape(m, b, &cube, mat));
    }
    pcs_scheme s = pcs_scheme_moreau_jean();
    s.solver = pcs_solver_opts_default(PCS_SOLVER_NSGS);
    CHECK(pcs_model_set_scheme(m, &s));
    CHECK(pcs_state_create(m, &st));
    CHECK(pcs_work_create(m, &wk));
    pcs_step_report report;
    for (int k = 0; k < 3; ++k) {
        CHECK(pcs_step(m, st, wk, 0.005, &report));
    }
    *contacts = report.active;
    const size_t bytes = held - pcs_work_held(wk) + pcs_work_step_bytes(wk);
    pcs_work_destroy(wk);
    pcs_state_destroy(st);
    pcs_model_destroy(m);
    return bytes;
}

static void memory(void)
{
    int none, few, many;
    const double free_1 = (double)memory_of(100, false, 0, &none);
    const double free_2 = (double)memory_of(200, false, 0, &none);
    printf("\nmemory (bytes, in all)\nper body with one shape    %.0f\n",
           (free_2 - free_1) / 100);
    for (int rough_too = 0; rough_too < 2; ++rough_too) {
        const double mu = rough_too ? 0.5 : 0;
        const double touch_1 = (double)memory_of(100, true, mu, &few);
        const double touch_2 = (double)memory_of(200, true, mu, &many);
        printf("per contact%s  %.0f\n", rough_too ? " with friction " : "                ",
               ((touch_2 - touch_1) - (free_2 - free_1)) / (many - few));
    }
}

int main(int argc, char **argv)
{
    const char *only = NULL, *path = NULL;
    int repeats = 11;
    const bench_option options[] = {BENCH_WORD("--case", &only), BENCH_COUNT("--repeats", &repeats),
                                    BENCH_WORD("--csv", &path)};
    if (bench_options(argc, argv, "bench_step", options, COUNT(options))) {
        for (int k = 0; k < COUNT(cases); ++k) {
            printf("%-16s %s\n", cases[k].name, cases[k].text);
        }
        return 0;
    }

    FILE *csv = bench_table(path, "case,minimum_seconds,median_seconds,active");
    printf("%-16s %8s %8s %12s  %6s\n", "case", "us min", "us med", "steps/s med", "active");
    bool found = false;
    for (int k = 0; k < COUNT(cases); ++k) {
        if (only && strcmp(only, cases[k].name) != 0) continue;
        measure(&cases[k], repeats, csv);
        found = true;
    }
    if (!found) {
        fprintf(stderr, "bench_step: there is no case %s; --list names them\n", only);
        return 2;
    }
    if (!only) memory();
    bench_table_close(csv, path);
    return 0;
}
