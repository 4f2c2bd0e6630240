// Times of pcs_collide per call and pair of shapes, over 512 random poses.
//
//     bench_collide [--list] [--case NAME] [--repeats N] [--csv FILE]
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>

#include <percuss/features.h>
#include <percuss/meshes.h>
#include <percuss/shape.h>

#include "bench.h"
#include "options.h"
#include "support.h"

typedef enum scene {
    RANDOM,  // body 2 at the origin, body 1 near it, both rotated at random
    RESTING, // shape 1 flat on shape 2, rotated a little about the normal
    ROUND    // RANDOM, with hulls of many vertices
} scene;

typedef struct bench_case {
    const char *name, *text;
    pcs_shape_kind kind1, kind2;
    scene scene;
    double spread; // m, of body 1; shapes have a size of 1 m
    double reach;  // m
} bench_case;

static const bench_case cases[] = {
    {"sphere_plane", "sphere and half-space", PCS_SHAPE_SPHERE, PCS_SHAPE_HALF_SPACE, RANDOM, 0.3,
     0.1},
    {"sphere_sphere", "two spheres", PCS_SHAPE_SPHERE, PCS_SHAPE_SPHERE, RANDOM, 0.4, 0.1},
    {"sphere_box", "sphere and box", PCS_SHAPE_SPHERE, PCS_SHAPE_BOX, RANDOM, 0.5, 0.1},
    {"box_plane", "box and half-space, any rotation", PCS_SHAPE_BOX, PCS_SHAPE_HALF_SPACE, RANDOM, 0.5,
     0.01},
    {"box_rest", "box at rest on a half-space", PCS_SHAPE_BOX, PCS_SHAPE_HALF_SPACE, RESTING, 0,
     0.01},
    {"box_box", "boxes overlapping, or within a long reach", PCS_SHAPE_BOX, PCS_SHAPE_BOX, RANDOM,
     0.8, 1},
    {"box_deep", "boxes, nearly all overlapping", PCS_SHAPE_BOX, PCS_SHAPE_BOX, RANDOM, 0.4, 0.01},
    {"box_stack", "box at rest on a box, eight points", PCS_SHAPE_BOX, PCS_SHAPE_BOX, RESTING, 0,
     0.01},
    {"capsule_pair", "capsules overlapping, or within a long reach", PCS_SHAPE_CAPSULE,
     PCS_SHAPE_CAPSULE, RANDOM, 0.8, 1},
    {"capsule_ball", "capsule and sphere", PCS_SHAPE_CAPSULE, PCS_SHAPE_SPHERE, RANDOM, 0.8, 0.1},
    {"capsule_plane", "capsule and half-space", PCS_SHAPE_CAPSULE, PCS_SHAPE_HALF_SPACE, RANDOM,
     0.5, 0.01},
    {"capsule_box", "capsule and box, overlapping or within a long reach", PCS_SHAPE_CAPSULE,
     PCS_SHAPE_BOX, RANDOM, 0.8, 1},
    {"hull_ball", "cube as a hull and sphere", PCS_SHAPE_HULL, PCS_SHAPE_SPHERE, RANDOM, 0.5, 0.1},
    {"hull_capsule", "cube as a hull and capsule", PCS_SHAPE_HULL, PCS_SHAPE_CAPSULE, RANDOM, 0.8,
     1},
    {"hull_hull", "box_box with cubes as hulls", PCS_SHAPE_HULL, PCS_SHAPE_HULL, RANDOM, 0.8, 1},
    {"hull_deep", "box_deep with cubes as hulls", PCS_SHAPE_HULL, PCS_SHAPE_HULL, RANDOM, 0.4,
     0.01},
    {"hull_stack", "box_stack with cubes as hulls", PCS_SHAPE_HULL, PCS_SHAPE_HULL, RESTING, 0,
     0.01},
    {"hull_far", "box_far with cubes as hulls", PCS_SHAPE_HULL, PCS_SHAPE_HULL, RANDOM, 5, 0.01},
    {"ball_hulls", "hulls of 100 points on a sphere, within a long reach", PCS_SHAPE_HULL,
     PCS_SHAPE_HULL, ROUND, 1, 1},
    {"ball_hulls_deep", "the same, all overlapping", PCS_SHAPE_HULL, PCS_SHAPE_HULL, ROUND, 0.3,
     0.01},
    {"cylinder_plane", "cylinder and half-space", PCS_SHAPE_CYLINDER, PCS_SHAPE_HALF_SPACE, RANDOM,
     0.5, 0.01},
    {"cylinder_ball", "cylinder and sphere", PCS_SHAPE_CYLINDER, PCS_SHAPE_SPHERE, RANDOM, 0.8,
     0.1},
    {"cylinder_box", "cylinder and box, overlapping or within a long reach", PCS_SHAPE_CYLINDER,
     PCS_SHAPE_BOX, RANDOM, 0.8, 1},
    {"cylinder_pair", "cylinders overlapping, or within a long reach", PCS_SHAPE_CYLINDER,
     PCS_SHAPE_CYLINDER, RANDOM, 0.8, 1},
    {"cylinder_rest", "cylinder standing on a box", PCS_SHAPE_CYLINDER, PCS_SHAPE_BOX, RESTING, 0,
     0.01},
    {"ball_mesh", "sphere and 2048 triangles, flat, 4 m", PCS_SHAPE_SPHERE, PCS_SHAPE_MESH, RANDOM,
     0.3, 0.1},
    {"box_mesh", "box at rest on them", PCS_SHAPE_BOX, PCS_SHAPE_MESH, RESTING, 0, 0.01},
    {"box_field", "box at rest on the same as a height field", PCS_SHAPE_BOX,
     PCS_SHAPE_HEIGHT_FIELD, RESTING, 0, 0.01},
    {"hull_mesh", "cube as a hull and them, any rotation", PCS_SHAPE_HULL, PCS_SHAPE_MESH, RANDOM, 0.5,
     0.01},
    {"box_far", "boxes, nearly all out of reach", PCS_SHAPE_BOX, PCS_SHAPE_BOX, RANDOM, 5, 0.01},
};

enum { POSES = 512, COUNT = (int)(sizeof cases / sizeof *cases) };

typedef struct task {
    pcs_shape s1, s2;
    double q1[POSES][7], q2[POSES][7];
    double reach;
    long contacts;
} task;

// a unit cube, or 100 points on a sphere of diameter 1
static pcs_shape hull(scene sc)
{
    double x[300];
    test_random r = random_seed(2);
    const int n = sc == ROUND ? 100 : 8;
    for (int v = 0; v < n; ++v) {
        double *p = x + 3 * v, square = 0;
        for (int i = 0; i < 3; ++i) {
            p[i] = sc == ROUND ? random_normal(&r) : (v >> i & 1) - 0.5;
            square += p[i] * p[i];
        }
        for (int i = 0; i < 3 && sc == ROUND; ++i) {
            p[i] *= 0.5 / sqrt(square);
        }
    }
    pcs_geometry *g;
    if (pcs_geometry_create_hull(NULL, n, x, &g) != PCS_OK) {
        fprintf(stderr, "bench_collide: %s\n", pcs_error_text());
        exit(1);
    }
    return pcs_shape_hull(g);
}

// a flat floor of 32 x 32 cells about the origin, two triangles each
enum { CELLS = 32, LINES = CELLS + 1 };

static pcs_shape ground(pcs_shape_kind kind)
{
    static double x[LINES * LINES][3], height[LINES * LINES];
    static int t[2 * CELLS * CELLS][3];
    const double d = 4.0 / CELLS;
    for (int v = 0; v < LINES * LINES; ++v) {
        x[v][0] = v % LINES * d - 2;
        x[v][1] = v / LINES * d - 2;
    }
    for (int c = 0; c < CELLS * CELLS; ++c) {
        const int a = c % CELLS + LINES * (c / CELLS), b = a + LINES;
        memcpy(t[2 * c], (int[3]){a, a + 1, b + 1}, sizeof *t);
        memcpy(t[2 * c + 1], (int[3]){a, b + 1, b}, sizeof *t);
    }
    pcs_geometry *g;
    const pcs_status status =
        kind == PCS_SHAPE_MESH
            ? pcs_geometry_create_mesh(NULL, LINES * LINES, x[0], 2 * CELLS * CELLS, t[0], &g)
            : pcs_geometry_create_height_field(NULL, LINES, LINES, d, d, height, &g);
    if (status != PCS_OK) {
        fprintf(stderr, "bench_collide: %s\n", pcs_error_text());
        exit(1);
    }
    if (kind == PCS_SHAPE_MESH) return pcs_shape_mesh(g);
    pcs_shape field = pcs_shape_height_field(g);
    field.position[0] = field.position[1] = -2;
    return field;
}

static pcs_shape shape(pcs_shape_kind kind, scene sc)
{
    const double up[3] = {0, 0, 1};
    switch (kind) {
    case PCS_SHAPE_SPHERE:
        return pcs_shape_sphere(0.5);
    case PCS_SHAPE_BOX:
        return pcs_shape_box(1, 1, 1);
    case PCS_SHAPE_CAPSULE:
        return pcs_shape_capsule(0.25, 0.5);
    case PCS_SHAPE_CYLINDER:
        return pcs_shape_cylinder(0.5, 1);
    case PCS_SHAPE_HULL:
        return hull(sc);
    case PCS_SHAPE_MESH:
    case PCS_SHAPE_HEIGHT_FIELD:
        return ground(kind);
    default:
        return pcs_shape_half_space(up, 0);
    }
}

static void prepare(const bench_case *c, task *t)
{
    test_random r = random_seed(1);
    t->s1 = shape(c->kind1, c->scene);
    t->s2 = shape(c->kind2, c->scene);
    t->reach = c->reach;
    for (int k = 0; k < POSES; ++k) {
        double *q1 = t->q1[k], *q2 = t->q2[k];
        memset(q2, 0, sizeof t->q2[k]);
        random_quaternion(&r, q1 + 3);
        random_quaternion(&r, q2 + 3);
        for (int i = 0; i < 3; ++i) {
            q1[i] = random_between(&r, -c->spread, c->spread);
        }
        if (c->scene != RESTING) continue;
        const double z = c->kind2 == PCS_SHAPE_BOX || c->kind2 == PCS_SHAPE_HULL ? 1 : 0.5;
        const double rest[7] = {0.1, 0.05, z, cos(0.2), 0, 0, sin(0.2)};
        memcpy(q1, rest, sizeof rest);
        memcpy(q2 + 3, (double[4]){1, 0, 0, 0}, 4 * sizeof *q2);
    }
}

static void release(task *t)
{
    pcs_geometry_destroy((pcs_geometry *)t->s1.geometry);
    pcs_geometry_destroy((pcs_geometry *)t->s2.geometry);
}

static void run(void *user)
{
    task *t = user;
    pcs_feature f[PCS_FEATURES_MAX];
    t->contacts = 0;
    for (int k = 0; k < POSES; ++k) {
        t->contacts +=
            pcs_collide(&t->s1, t->q1[k], &t->s2, t->q2[k], t->reach, PCS_FEATURES_MAX, f);
    }
}

int main(int argc, char **argv)
{
    const char *only = NULL, *path = NULL;
    int repeats = 21, measured = 0;
    const bench_option options[] = {BENCH_WORD("--case", &only), BENCH_COUNT("--repeats", &repeats),
                                    BENCH_WORD("--csv", &path)};
    if (bench_options(argc, argv, "bench_collide", options, 3)) {
        for (int k = 0; k < COUNT; ++k) {
            printf("%-14s %s\n", cases[k].name, cases[k].text);
        }
        return 0;
    }
    FILE *csv = bench_table(path, "case,minimum_ns,median_ns,contacts");

    static task t;
    printf("%-14s %10s %10s %9s\n", "case", "min ns", "median ns", "contacts");
    for (int k = 0; k < COUNT; ++k) {
        if (only && strcmp(only, cases[k].name) != 0) continue;
        prepare(&cases[k], &t);
        const bench_time b = bench_run(run, &t, repeats);
        const double least = 1e9 * b.minimum / POSES, median = 1e9 * b.median / POSES;
        const double contacts = (double)t.contacts / POSES;
        printf("%-14s %10.1f %10.1f %9.2f\n", cases[k].name, least, median, contacts);
        if (csv) fprintf(csv, "%s,%.17g,%.17g,%.17g\n", cases[k].name, least, median, contacts);
        release(&t);
        measured += 1;
    }
    bench_table_close(csv, path);
    if (measured == 0)
        fprintf(stderr, "bench_collide: there is no case %s; --list names them\n", only);
    return measured > 0 ? 0 : 2;
}
