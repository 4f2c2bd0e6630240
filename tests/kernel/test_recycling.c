// Detection that proves that it has nothing to find does not search. Every step has the same bits
// as with the search, for all shapes, and the proof replaces most searches of bodies at rest.
#include "scene.h"

#include "step/step.h"

enum { BODIES = 12 };

#define EDGE 0.1

// a shape of about EDGE, by kind
static pcs_shape shape_of(int kind, const pcs_geometry *hull)
{
    switch (kind) {
    case 0:
        return pcs_shape_sphere(0.5 * EDGE);
    case 1:
        return pcs_shape_box(EDGE, EDGE, EDGE);
    case 2:
        return pcs_shape_capsule(0.3 * EDGE, 0.5 * EDGE);
    case 3:
        return pcs_shape_cylinder(0.5 * EDGE, EDGE);
    default:
        return pcs_shape_hull(hull);
    }
}

// bodies of one kind (5: of all) that fall on a floor and on each other
static void heap(scene *s, int kind, double e, const pcs_geometry *hull)
{
    *s = scene_open();
    s->scheme = pcs_scheme_dense(1e-8, EDGE);
    s->scheme.accept_unconverged = true;
    scene_rough(s, (pcs_system){0}, pcs_shape_half_space((double[]){0, 0, 1}, 0), 0, 0, 0.6);
    test_random r = random_seed(3 + (uint64_t)kind);
    for (int i = 0; i < BODIES; ++i) {
        const int layer = i / 4;
        const double x[3] = {0.9 * EDGE * (i % 2) + 0.02 * EDGE * random_unit(&r),
                             0.9 * EDGE * (i / 2 % 2) + 0.02 * EDGE * random_unit(&r),
                             EDGE * (0.51 + 1.01 * layer)};
        const double v[3] = {0}, edges[3] = {EDGE, EDGE, EDGE};
        const pcs_system b = scene_box(s, 1, edges, x, NULL, v, NULL);
        scene_rough(s, b, shape_of(kind == 5 ? i % 5 : kind, hull), e, 0, 0.6);
    }
    scene_start(s);
}

static pcs_geometry *cube(void)
{
    double at[8][3];
    for (int i = 0; i < 8; ++i) {
        for (int k = 0; k < 3; ++k) {
            at[i][k] = (i >> k & 1 ? 0.5 : -0.5) * EDGE;
        }
    }
    pcs_geometry *hull;
    CK_OK(pcs_geometry_create_hull(NULL, 8, at[0], &hull));
    return hull;
}

static void compare(int kind, double e, int steps, int rests)
{
    pcs_geometry *hull = cube();
    scene with, without;
    heap(&with, kind, e, hull);
    heap(&without, kind, e, hull);
    without.wk->always_searches = true;
    for (int i = 0; i < steps; ++i) {
        scene_step(&with, 0.005);
        scene_step(&without, 0.005);
        ck_assert(pcs_state_equal(with.st, without.st));
    }
    ck_assert_int_eq(without.wk->proofs, 0);
    ck_assert_int_ge(with.wk->proofs, rests);
    scene_close(&with);
    scene_close(&without);
    pcs_geometry_destroy(hull);
}

TEST(all_shapes_have_the_same_bits)
{
    // boxes, cylinders and hulls come to rest, round bodies roll
    for (int kind = 0; kind < 5; ++kind) {
        compare(kind, 0, TEST_DRAWS(40), kind == 1 || kind == 4 ? TEST_FEW(0, 20) : 0);
    }
}

TEST(mixed_heaps_have_the_same_bits)
{
    compare(5, 0, TEST_DRAWS(40), 0);
    compare(5, 0.5, TEST_DRAWS(40), 0);
}

// a body of one kind that slides over tiles of boxes, beside a wall that it touches
static void slide(scene *s, int kind, const pcs_geometry *hull)
{
    *s = scene_open();
    s->scheme = pcs_scheme_default();
    for (int i = 0; i < 8; ++i) {
        pcs_shape tile = pcs_shape_box(0.13, 1, 0.2);
        tile.position[0] = 0.13 * i;
        tile.position[2] = -0.1;
        scene_rough(s, (pcs_system){0}, tile, 0, 0, 0.1);
    }
    pcs_shape wall = pcs_shape_box(2, 0.1, 1);
    wall.position[1] = 0.05 + 0.5 * EDGE;
    scene_rough(s, (pcs_system){0}, wall, 0, 0, 0.1);
    const double x[3] = {0, 0, 0.5 * EDGE}, v[3] = {1, 0.02, 0}, edges[3] = {EDGE, EDGE, EDGE};
    const double turn = 1e-5, Q[4] = {cos(turn), sin(turn), 0, 0}; // rows of two directions
    const pcs_system b = scene_box(s, 1, edges, x, kind == 1 ? Q : NULL, v, NULL);
    scene_rough(s, b, shape_of(kind, hull), 0, 0, 0.1);
    scene_start(s);
}

TEST(seams_have_the_same_bits)
{
    int refuted = 0;
    pcs_geometry *hull = cube();
    for (int kind = 0; kind < 5; ++kind) {
        scene with, without;
        slide(&with, kind, hull);
        slide(&without, kind, hull);
        without.wk->always_searches = true;
        for (int i = 0; i < 80; ++i) {
            scene_step(&with, 0.005);
            scene_step(&without, 0.005);
            ck_assert(pcs_state_equal(with.st, without.st));
            for (int k = 0; k < with.wk->list.n; ++k) {
                refuted += with.wk->list.c[k].refuted;
            }
        }
        scene_close(&with);
        scene_close(&without);
    }
    ck_assert_int_gt(refuted, 20);
    pcs_geometry_destroy(hull);
}
