// Steps by several threads, in scenes large enough that every stage has work for all of them:
// detection, rows, sweeps, projection. The bits are those of one thread; under ThreadSanitizer this
// test finds data races.
#include "scene.h"

enum { SIDE = 6, BODIES = SIDE * SIDE * SIDE, STEPS = TEST_FEW(2, 3), MOST = TEST_FEW(2, 3) };

#define EDGE 0.1

// balls, or cubes, or layers of both in an open box: overlapping a little, so that the projection
// has to separate them, and with random velocities
static void pack_open(scene *s, int kind, int threads)
{
    *s = scene_open();
    s->scheme = pcs_scheme_dense(1e-4, EDGE);
    s->scheme.accept_unconverged = true;
    s->scheme.solver.max_iters = 25;
    const double half = 0.5 * EDGE * SIDE,
                 n[5][3] = {{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
    for (int k = 0; k < 5; ++k) {
        scene_rough(s, (pcs_system){0}, pcs_shape_half_space(n[k], k == 0 ? 0 : -half), 0, 0, 0.5);
    }
    test_random r = random_seed(7);
    for (int i = 0; i < BODIES; ++i) {
        const int at[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
        const double e[3] = {EDGE, EDGE, EDGE};
        double x[3], v[3];
        for (int j = 0; j < 3; ++j) {
            x[j] = (0.999 * EDGE) * (at[j] + 0.5) - (j < 2 ? 0.999 * half : 0);
            v[j] = 0.05 * random_unit(&r);
        }
        const bool ball = kind == 0 || (kind == 2 && at[2] % 2 == 0);
        if (ball) {
            scene_rough_ball(s, 1, 0.5 * EDGE, x, v, 0, 0, 0.5);
        } else {
            scene_rough(s, scene_box(s, 1, e, x, NULL, v, NULL), pcs_shape_box(EDGE, EDGE, EDGE), 0,
                        0, 0.5);
        }
    }
    scene_start(s);
    CK_OK(pcs_work_set_threads(s->wk, threads));
}

static unsigned long long stepped(int kind, int threads, pcs_step_report *most)
{
    scene s;
    pack_open(&s, kind, threads);
    *most = (pcs_step_report){0};
    for (int i = 0; i < STEPS; ++i) {
        scene_step(&s, 0.005);
        if (s.report.largest_island > most->largest_island) {
            most->largest_island = s.report.largest_island;
        }
        most->sweeps += s.report.sweeps;
        most->projection_iters += s.report.projection_iters;
    }
    const unsigned long long hash = pcs_state_hash(s.st);
    scene_close(&s);
    return hash;
}

static void compare(int kind)
{
    pcs_step_report one, many;
    const unsigned long long hash = stepped(kind, 1, &one);
    // every stage has work for the team
    ck_assert_int_ge(one.largest_island, 512);
    ck_assert_int_ge(one.sweeps, 1);
    ck_assert_int_ge(one.projection_iters, 1);
    for (int team = 2; team <= MOST; ++team) {
        ck_assert(stepped(kind, team, &many) == hash);
        ck_assert_int_eq(many.sweeps, one.sweeps);
        ck_assert_int_eq(many.projection_iters, one.projection_iters);
    }
}

TEST(balls_have_the_same_bits_with_any_team)
{
    compare(0);
}

TEST(cubes_have_the_same_bits_with_any_team)
{
    compare(1);
}

TEST(a_mixture_has_the_same_bits_with_any_team)
{
    compare(2);
}
