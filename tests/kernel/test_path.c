// Meetings on paths: compared with many places of the path, none is missed and none is found too
// early or too deep; and what rolls, or is taken along, needs few queries.
#include "contacts.h"
#include "scene.h"

#include "step/path.h"

enum { PLACES = 100 };

typedef struct pair {
    scene s;
    trial t;
    pcs_arena mem;
    pair_meeting m;
    double q1[7], q2[7];
} pair;

static void pair_open(pair *p, pcs_shape one, pcs_shape two)
{
    *p = (pair){.s = scene_open()};
    scene_rough(&p->s, (pcs_system){0}, one, 0, 0, 0);
    scene_rough(&p->s, (pcs_system){0}, two, 0, 0, 0);
    p->t.m = p->s.m;
    p->m.shape1 = 0;
    p->m.shape2 = 1;
    CK_OK(pcs_arena_create(NULL, 1 << 20, &p->mem));
}

static void pair_close(pair *p)
{
    pcs_arena_destroy(NULL, &p->mem);
    scene_start(&p->s);
    scene_close(&p->s);
}

// the first meeting on the paths from both poses
static void find_meeting(pair *p, double depth)
{
    pcs_arena scope = p->mem;
    p->m.path1.q = p->q1;
    p->m.path2.q = p->q2;
    CK_OK(path_meet(&p->t, depth, &scope, &p->m));
}

// the gap of the pair at s
static double gap_at(const pair *p, double s)
{
    double q1[7], q2[7];
    pcs_feature f[PCS_FEATURES_MAX];
    pcs_gap gap;
    path_pose(&p->m.path1, s, q1);
    path_pose(&p->m.path2, s, q2);
    if (!pcs_collide(&p->t.m->shape[0].shape, q1, &p->t.m->shape[1].shape, q2, 10, PCS_FEATURES_MAX,
                     f)) {
        return INFINITY;
    }
    pcs_feature_gap(&f[0], q1, q2, &gap);
    return gap.g;
}

// a capsule, a cylinder, a box, a ball or a half-space (second), of about 0.2 m
static pcs_shape shape_of(int kind)
{
    const double up[3] = {0, 0, 1};
    switch (kind) {
    case 0:
        return pcs_shape_capsule(0.1, 0.2);
    case 1:
        return pcs_shape_cylinder(0.15, 0.2);
    case 2:
        return pcs_shape_box(0.2, 0.3, 0.2);
    case 3:
        return pcs_shape_sphere(0.1);
    default:
        return pcs_shape_half_space(up, 0);
    }
}

TEST(meetings_are_the_first_overlaps)
{
    test_random r = random_seed(61);
    int met = 0, missed = 0;
    for (int k = 0; k < TEST_DRAWS(1000); ++k) {
        pair p;
        pcs_shape one = shape_of(k % 4), two = shape_of(k / 4 % 5);
        random_vector(&r, -0.2, 0.2, one.position);
        if (k % 3 == 0) random_vector(&r, -0.2, 0.2, two.position);
        pair_open(&p, one, two);
        random_pose(&r, 0.3, p.q1);
        random_pose(&r, 0.3, p.q2);
        p.q1[2] += 0.5;
        const double spread = k % 2 ? 0.02 : 0.5, depth = k % 5 ? 1e-3 : 1e-5;
        random_vector(&r, -spread, spread, p.m.path1.d);
        random_vector(&r, -spread, spread, p.m.path1.d + 3);
        random_vector(&r, -spread, spread, p.m.path2.d);
        random_vector(&r, -spread, spread, p.m.path2.d + 3);

        // near each other, apart or in an overlap that counts for nothing
        p.m.path1.q = p.q1;
        p.m.path2.q = p.q2;
        const double start[] = {0.01, 1e-4, 0, -0.8 * depth};
        for (int i = 0; i < 8; ++i) {
            pcs_feature f[PCS_FEATURES_MAX];
            pcs_gap gap;
            const int n = pcs_collide(&one, p.q1, &two, p.q2, 10, PCS_FEATURES_MAX, f);
            ck_assert_int_ge(n, 1);
            pcs_feature_gap(&f[0], p.q1, p.q2, &gap);
            v3_along(p.q1, start[k % 4] - gap.g, gap.N, p.q1);
        }
        find_meeting(&p, depth);
        const double end = p.m.meets ? p.m.s : 1;
        for (int i = 0; i <= PLACES; ++i) {
            ck_assert_msg(gap_at(&p, end * i / PLACES) > -1.001 * depth - 1e-9,
                          "pair %d: an overlap before %g is missed", k, end);
        }
        if (p.m.meets) {
            const double g = gap_at(&p, p.m.s);
            ck_assert(g <= -0.899 * depth && g >= -1.001 * depth - 1e-9);
        }
        *(p.m.meets ? &met : &missed) += 1;
        pair_close(&p);
    }
    ck_assert_int_ge(met, TEST_DRAWS(200));
    ck_assert_int_ge(missed, TEST_DRAWS(200));
}

// What a turning drum takes along, and what rolls on it, overlaps its wall by a little: the path
// does not close this, however far the wall moves.
TEST(what_stays_in_touch_needs_few_queries)
{
    const double R = 0.5, depth = 1e-5;
    for (int k = 0; k < 60; ++k) {
        const int kind = k % 4;
        const double turn = 0.005 + 0.003 * (k / 12), low = kind == 2   ? 0.1
                                                            : kind == 1 ? 0.15
                                                                        : 0.1;
        pcs_shape one = shape_of(kind), wall = pcs_shape_box(0.4, 0.6, 0.1);
        const double across[4] = {0.70710678118654752, 0.70710678118654752, 0, 0};
        if (kind < 2) memcpy(one.orientation, across, sizeof across); // its axis along y
        wall.position[2] = -R - 0.05;
        pair p;
        pair_open(&p, one, wall);
        p.q1[3] = p.q2[3] = 1;
        p.q1[2] = -R + low - 0.3 * depth;
        p.m.path2.d[4] = turn;
        const double roll = k / 4 % 3 * 0.05; // about y, on the wall
        p.m.path1.d[0] = turn * p.q1[2] + roll * low;
        p.m.path1.d[4] = turn + (kind == 2 ? 0 : roll);
        if (kind == 2) p.m.path1.d[0] = turn * p.q1[2];
        p.m.path1.d[2] = 0.5 * turn * turn * R;
        find_meeting(&p, depth);
        ck_assert_msg(!p.m.meets || gap_at(&p, p.m.s) <= -0.899 * depth, "pair %d", k);
        ck_assert_msg(p.m.looks <= 8, "pair %d: %d queries", k, p.m.looks);
        pair_close(&p);
    }
}
