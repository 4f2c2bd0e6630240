// Detection that proves that it has nothing to find does not search. Every step has the same bits
// as with the search, for all shapes, and the proof replaces most searches of bodies at rest; also
// where bodies sleep and wake, and models and states change between steps.
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

// ---- bodies that sleep beside bodies that move -------------------------------------------------

enum { LAYERS = 4, BALL = LAYERS * (LAYERS + 1) / 2 + 1, COLUMN = 3 };

// a pyramid of boxes, a ball that rolls by, a pillar of three boxes on the other side of it
static void sleepers(scene *s, int layers)
{
    const double e[3] = {EDGE, EDGE, EDGE};
    *s = scene_open();
    s->scheme = pcs_scheme_default();
    s->scheme.sleep = true;
    scene_rough(s, (pcs_system){0}, pcs_shape_half_space((double[]){0, 0, 1}, 0), 0, 0, 0.6);
    for (int row = 0; row < layers; ++row) {
        for (int k = 0; k < layers - row; ++k) {
            const double x[3] = {1.1 * EDGE * (k + 0.5 * row), 0, EDGE * (row + 0.5)};
            scene_rough(s, scene_box(s, 2, e, x, NULL, NULL, NULL), pcs_shape_box(EDGE, EDGE, EDGE),
                        0, 0, 0.6);
        }
    }
    const double x[3] = {-3 * EDGE, -3 * EDGE, 0.5 * EDGE}, v[3] = {0, 0.3, 0};
    scene_rough_ball(s, 1, 0.5 * EDGE, x, v, 0, 0, 0.6);
    for (int k = 0; k < COLUMN; ++k) {
        const double at[3] = {-6 * EDGE, 0, EDGE * (k + 0.5)};
        scene_rough(s, scene_box(s, 2, e, at, NULL, NULL, NULL), pcs_shape_box(EDGE, EDGE, EDGE), 0,
                    0, 0.6);
    }
    scene_start(s);
}

static void place_ball(scene *s, pcs_state *st, double x, double y, double z, double vx)
{
    const pcs_system ball = {BALL};
    const double at[3] = {x, y, z}, v[6] = {vx};
    memcpy(pcs_state_q(s->m, st, ball), at, sizeof at);
    memcpy(pcs_state_v(s->m, st, ball), v, sizeof v);
}

// what changes before a step, and when
enum {
    BRANCH = 15,  // another state continues from here, with the same work
    DROP = 40,    // the ball is over the pyramid
    DISABLE = 70, // a box of the lowest layer is gone
    ENABLE = 72,  // and back again
    SAVE = 85,    // a checkpoint
    GROW = 95,    // the world gets a block under the ball
    PASS = 110,   // the ball passes through what was the pillar
    LOAD = 125,   // of the checkpoint
    THROW = 135,  // the ball hits the pillar
    PUSH = 175,   // the user gives a box a velocity
    FALL = 200,   // gravity changes
    SLIP = 225,   // and friction
    REMOVE = 250, // a body of the pillar is disabled
    SHIFT = 275,  // the user moves a box
    WAKE = 300,   // and wakes one
    SPRING = 325, // a force element: no proof is left out
    STEPS = 340
};

static void change(scene *s, pcs_state *other, int step, void *bytes, size_t size)
{
    if (step == BRANCH) {
        CK_OK(pcs_state_copy(s->st, other));
        place_ball(s, other, 0.15, -6 * EDGE, 0.5 * EDGE, 0.2);
    }
    if (step == DROP) place_ball(s, s->st, 0.16, 0.01, (LAYERS + 0.6) * EDGE, 0);
    if (step == DISABLE) CK_OK(pcs_model_set_shape_enabled(s->m, 2, false));
    if (step == ENABLE) CK_OK(pcs_model_set_shape_enabled(s->m, 2, true));
    if (step == SAVE) pcs_state_save(s->st, bytes);
    if (step == GROW) {
        pcs_shape block = pcs_shape_box(4 * EDGE, 4 * EDGE, EDGE);
        block.position[0] = 10 * EDGE;
        block.position[2] = 0.5 * EDGE;
        scene_rough(s, (pcs_system){0}, block, 0, 0, 0.6);
        place_ball(s, s->st, 10 * EDGE, 0, 2 * EDGE, 0.1);
    }
    if (step == PASS) {
        CK_OK(pcs_model_set_groups(s->m, (pcs_system){BALL}, 2, 1));
        place_ball(s, s->st, -5.2 * EDGE, 0, 0.5 * EDGE, -1);
    }
    if (step == LOAD) {
        CK_OK(pcs_model_set_groups(s->m, (pcs_system){BALL}, 1, UINT32_MAX));
        CK_OK(pcs_state_load(s->st, bytes, size));
    }
    if (step == THROW) place_ball(s, s->st, -4 * EDGE, 0, 2.5 * EDGE, -2);
    if (step == PUSH) scene_v(s, (pcs_system){BALL + 1})[1] = 0.1;
    if (step == FALL) scene_gravity(s, 0, 0.5, -9);
    if (step == SLIP) {
        const pcs_law law = pcs_law_newton_coulomb(0, 0, 0.3);
        const pcs_material ground = {1}, box = {2};
        CK_OK(pcs_model_set_pair_law(s->m, ground, box, &law));
    }
    if (step == REMOVE) CK_OK(pcs_model_set_enabled(s->m, (pcs_system){BALL + 1}, false));
    if (step == SHIFT) scene_q(s, (pcs_system){BALL - 1})[0] += 0.01 * EDGE;
    if (step == WAKE) CK_OK(pcs_state_wake(s->m, s->st, (pcs_system){2}));
    if (step == SPRING) {
        pcs_force_def spring = pcs_force_def_default(PCS_FORCE_SPRING);
        spring.system1.id = 1;
        spring.system2.id = 2;
        spring.stiffness = 10;
        spring.length = EDGE;
        CK_OK(pcs_model_add_force(s->m, &spring, NULL));
    }
}

// the results of both steps that can be read
static void check_contacts(const scene *a, const scene *b)
{
    const pcs_contact *x, *y;
    const int n = scene_contacts(a, &x);
    ck_assert_int_eq(n, scene_contacts(b, &y));
    for (int i = 0; i < n; ++i) {
        ck_assert(x[i].shape1 == y[i].shape1 && x[i].shape2 == y[i].shape2);
        ck_assert(x[i].feature == y[i].feature && x[i].active == y[i].active);
        ck_assert(x[i].status == y[i].status && x[i].gap == y[i].gap);
        ck_assert(x[i].gap_end == y[i].gap_end);
        for (int k = 0; k < 3; ++k) {
            ck_assert(x[i].r[k] == y[i].r[k] && x[i].u[k] == y[i].u[k]);
            ck_assert(x[i].P1[k] == y[i].P1[k] && x[i].P2[k] == y[i].P2[k]);
        }
    }
    for (int body = 1; body <= BALL + COLUMN; ++body) {
        double f[6], g[6], pair[6];
        pcs_work_contact_wrench(a->wk, (pcs_system){body}, f);
        pcs_work_contact_wrench(b->wk, (pcs_system){body}, g);
        const pcs_body_frame frame = pcs_body_frame_of((pcs_system){body});
        CK_OK(pcs_work_pair_wrench(a->wk, (pcs_system){0}, &frame, pair));
        for (int k = 0; k < 6; ++k) {
            ck_assert(f[k] == g[k] && isfinite(pair[k]));
        }
        pcs_pressure p, q;
        const double up[3] = {0, 0, 1};
        CK_OK(pcs_work_pressure(a->wk, body, -1, up, &p));
        CK_OK(pcs_work_pressure(b->wk, body, -1, up, &q));
        ck_assert(p.contacts == q.contacts && p.normal == q.normal);
    }
    const pcs_contact_event *event[2];
    int events[2];
    CK_OK(pcs_work_events(a->wk, &events[0], &event[0]));
    CK_OK(pcs_work_events(b->wk, &events[1], &event[1]));
    ck_assert_int_eq(events[0], events[1]);
    for (int i = 0; i < events[0]; ++i) {
        const pcs_contact_event *one = &event[0][i], *two = &event[1][i];
        ck_assert(one->shape1 == two->shape1 && one->shape2 == two->shape2);
        ck_assert(one->begins == two->begins && one->ends == two->ends);
        ck_assert(one->normal == two->normal && one->point[0] == two->point[0]);
    }
    const pcs_energy *e = &a->report.energy, *f = &b->report.energy;
    ck_assert(e->potential_after == f->potential_after && e->closure == f->closure);
    ck_assert(a->report.penetration_before == b->report.penetration_before);
    ck_assert(a->report.units == b->report.units);
}

TEST(what_sleeps_beside_what_moves_has_the_same_bits)
{
    enum { WAYS = 2 };
    scene s[WAYS];
    pcs_state *other[WAYS];
    void *bytes[WAYS] = {NULL};
    size_t size[WAYS] = {0};
    int slept = 0, woke = 0, skipped = 0;
    long hits = 0;
    for (int k = 0; k < WAYS; ++k) {
        sleepers(&s[k], LAYERS);
        CK_OK(pcs_state_create(s[k].m, &other[k]));
        CK_OK(pcs_work_watch_events(s[k].wk, true));
    }
    s[1].wk->always_searches = true;
    for (int i = 0; i < STEPS; ++i) {
        for (int k = 0; k < WAYS; ++k) {
            if (i == SAVE) {
                size[k] = pcs_state_save_bytes(s[k].st);
                bytes[k] = malloc(size[k]);
                ck_assert_ptr_nonnull(bytes[k]);
            }
            change(&s[k], other[k], i, bytes[k], size[k]);
            scene_step(&s[k], 0.005);
            if (i < BRANCH || i % 2 == 0) continue;
            pcs_step_report report;
            CK_OK(pcs_step(s[k].m, other[k], s[k].wk, 0.005, &report));
        }
        ck_assert_msg(pcs_state_equal(s[0].st, s[1].st), "step %d", i);
        ck_assert_msg(pcs_state_equal(other[0], other[1]), "the other state, step %d", i);
        ck_assert_int_eq(s[0].report.asleep, s[1].report.asleep);
        ck_assert_int_eq(s[0].report.candidates, s[1].report.candidates);
        if (i % 2 == 0) check_contacts(&s[0], &s[1]);
        skipped += s[0].wk->skip.hits > hits;
        hits = s[0].wk->skip.hits;
        woke += i > 0 && s[0].report.asleep < slept;
        slept = s[0].report.asleep;
    }
    ck_assert_int_ge(woke, 7);
    ck_assert_int_ge(skipped, 80);
    ck_assert_int_eq(s[1].wk->skip.hits, 0);
    ck_assert_int_eq(s[1].wk->part_proofs, 0);
    ck_assert_int_ge(s[0].wk->part_proofs, 20);
    ck_assert_int_eq(s[1].wk->still.hits + s[1].wk->kept.hits, 0);
    ck_assert_int_ge(s[0].wk->still.hits, 1000);
    for (int k = 0; k < WAYS; ++k) {
        free(bytes[k]);
        pcs_state_destroy(other[k]);
        scene_close(&s[k]);
    }
}

// with so many pairs that threads share them
TEST(threads_share_what_sleeps)
{
    scene with, without;
    sleepers(&with, 12);
    sleepers(&without, 12);
    without.wk->always_searches = true;
    CK_OK(pcs_work_set_threads(with.wk, 3));
    for (int i = 0; i < 40; ++i) {
        scene_step(&with, 0.005);
        scene_step(&without, 0.005);
        ck_assert_msg(pcs_state_equal(with.st, without.st), "step %d", i);
    }
    ck_assert_int_ge(with.report.asleep, 12 * 13 / 2);
    ck_assert_int_ge(with.wk->still.hits, 400);
    ck_assert_int_ge(with.wk->kept.hits, 20);
    scene_close(&with);
    scene_close(&without);
}
