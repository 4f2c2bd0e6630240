// Certified sleep: islands sleep only where impulses in the cones balance their loads, keep their
// bits and cost no solve while they do, and wake when anything that bears on the proof changes.
#include "scene.h"

#include "bodies/bodies.h"
#include "rotation/vector.h"
#include "step/step.h"

#define STEP 0.005
#define EDGE 0.1
#define MASS 2.0
#define G    9.81

enum { LAYERS = 4, BOXES = LAYERS * (LAYERS + 1) / 2, SETTLE = 20 };

// a pyramid of boxes on the ground of the world
static scene pyramid_on(pcs_system ground, scene s)
{
    const double e[3] = {EDGE, EDGE, EDGE};
    scene_rough(&s, ground, pcs_shape_half_space((double[]){0, 0, 1}, 0), 0, 0, 0.6);
    for (int row = 0; row < LAYERS; ++row) {
        for (int k = 0; k < LAYERS - row; ++k) {
            const double x[3] = {1.1 * EDGE * (k + 0.5 * row), 0, EDGE * (row + 0.5)};
            scene_rough(&s, scene_box(&s, MASS, e, x, NULL, NULL, NULL),
                        pcs_shape_box(EDGE, EDGE, EDGE), 0, 0, 0.6);
        }
    }
    return s;
}

static scene open_scene(bool sleep)
{
    scene s = scene_open();
    s.scheme = pcs_scheme_default();
    s.scheme.sleep = sleep;
    return s;
}

static scene pyramid(bool sleep)
{
    scene s = pyramid_on((pcs_system){0}, open_scene(sleep));
    return s;
}

static void steps(scene *s, int n)
{
    for (int i = 0; i < n; ++i) {
        scene_step(s, STEP);
        scene_check_ledger(s);
    }
}

static scene sleeping_pyramid(void)
{
    scene s = pyramid(true);
    scene_start(&s);
    steps(&s, SETTLE);
    ck_assert_int_eq(s.report.asleep, BOXES);
    return s;
}

// sum of the impulses on every body is -h load, and they are in their cones: read from the public
// list of contacts alone
static void check_equilibrium(const scene *s)
{
    const pcs_contact *c;
    const int n = scene_contacts(s, &c);
    double sum[BOXES + 1][6] = {{0}};
    ck_assert_int_ge(n, 4 * BOXES);
    for (int i = 0; i < n; ++i) {
        const double t = hypot(c[i].r[1], c[i].r[2]);
        ck_assert(c[i].active && c[i].r[0] >= 0 && t <= c[i].law.mu * c[i].r[0] * (1 + 1e-12));
        for (int k = 0; k < 3; ++k) {
            CK_NEAR(c[i].u[k], 0, 0);
        }
        ck_assert(c[i].status == (c[i].r[0] > 0 ? PCS_CONTACT_STICK : PCS_CONTACT_OPEN));
        double f[3], lever[3], m[3];
        for (int k = 0; k < 3; ++k) {
            f[k] = c[i].F[k] * c[i].r[0] + c[i].F[3 + k] * c[i].r[1] + c[i].F[6 + k] * c[i].r[2];
        }
        const int body[2] = {c[i].system1.id, c[i].system2.id};
        for (int side = 0; side < 2; ++side) {
            if (body[side] == 0) continue;
            const double *x = s->st->q + s->m->system[body[side] - 1].q_at;
            for (int k = 0; k < 3; ++k) {
                // the midpoint lever
                const double P = body[1] == 0 ? c[i].P1[k] : 0.5 * (c[i].P1[k] + c[i].P2[k]);
                lever[k] = P - x[k];
            }
            v3_cross(lever, f, m);
            for (int k = 0; k < 3; ++k) {
                sum[body[side]][k] += side == 0 ? f[k] : -f[k];
                sum[body[side]][3 + k] += side == 0 ? m[k] : -m[k];
            }
        }
    }
    for (int b = 1; b <= BOXES; ++b) {
        const double weight = MASS * G * STEP;
        sum[b][2] -= weight;
        for (int k = 0; k < 3; ++k) {
            CK_NEAR(sum[b][k], 0, 1e-11 * weight * BOXES);
            CK_NEAR(sum[b][3 + k], 0, 1e-10 * weight * EDGE * BOXES);
        }
    }
}

TEST(a_pyramid_sleeps_in_equilibrium)
{
    scene s = sleeping_pyramid();
    double q[7 * BOXES];
    memcpy(q, s.st->q, sizeof q);
    const double potential = s.report.energy.potential_after, t0 = s.st->t;
    for (int i = 0; i < 200; ++i) {
        scene_step(&s, STEP);
        ck_assert_int_eq(s.report.asleep, BOXES);
        ck_assert_int_eq(s.report.solves, 0);
        ck_assert(memcmp(q, s.st->q, sizeof q) == 0);
    }
    for (int i = 0; i < s.st->nv; ++i) {
        CK_NEAR(s.st->v[i], 0, 0);
    }
    CK_NEAR(s.st->t, t0 + 200 * STEP, 1e-10);
    CK_NEAR(s.report.energy.potential_after, potential, 0);
    CK_NEAR(s.report.energy.kinetic_after, 0, 0);
    CK_NEAR(s.report.energy.potential_after, scene_potential(&s), 1e-12 * potential);
    check_equilibrium(&s);
    ck_assert(pcs_state_asleep(s.m, s.st, (pcs_system){1}));
    scene_close(&s);
}

TEST(it_is_the_rest_that_steps_find)
{
    scene one = sleeping_pyramid(), two = pyramid(false);
    scene_start(&two);
    steps(&two, SETTLE + 100);
    steps(&one, 100);
    ck_assert_int_eq(two.report.asleep, 0);
    for (int i = 0; i < one.st->nq; ++i) {
        CK_NEAR(one.st->q[i], two.st->q[i], 1e-8 * EDGE);
    }
    scene_close(&one);
    scene_close(&two);
}

// the same bits from any work: the one that has seen them fall asleep, a new one, one that keeps
// events (and tests the proof in every step), and after saving and loading
TEST(a_sleeping_state_is_complete)
{
    scene s = sleeping_pyramid();
    const size_t bytes = pcs_state_save_bytes(s.st);
    void *saved = malloc(bytes);
    pcs_state *loaded;
    pcs_work *tests;
    pcs_state_save(s.st, saved);
    CK_OK(pcs_state_create(s.m, &loaded));
    CK_OK(pcs_work_create(s.m, &tests));
    CK_OK(pcs_state_load(loaded, saved, bytes));
    ck_assert(pcs_state_equal(s.st, loaded));
    for (int i = 0; i < 30; ++i) {
        scene_step(&s, STEP);
        pcs_step_report r;
        tests->rest.known = false; // the proof is tested again
        CK_OK(pcs_step(s.m, loaded, tests, STEP, &r));
        ck_assert_int_eq(r.asleep, BOXES);
        ck_assert(pcs_state_equal(s.st, loaded));
        CK_NEAR(r.energy.potential_after, s.report.energy.potential_after, 0);
    }
    // another step size: forces are the same
    scene_step(&s, 0.3 * STEP);
    ck_assert_int_eq(s.report.asleep, BOXES);
    pcs_work_destroy(tests);
    pcs_state_destroy(loaded);
    free(saved);
    scene_close(&s);
}

static void ignore(void *user, const pcs_velocity_solve *solve)
{
    (void)user;
    (void)solve;
}

// a column of boxes for each of n x n places, on the ground; and a box that falls among them
typedef struct falling {
    int n, steps;
    double apart, tilt; // m; m/s^2
    double y, v, turn;
} falling;

static scene among_columns(const falling *f)
{
    const double e[3] = {EDGE, EDGE, EDGE};
    scene s = open_scene(true);
    scene_rough(&s, (pcs_system){0}, pcs_shape_half_space((double[]){0, 0, 1}, 0), 0, 0, 0.6);
    for (int i = 0; i < f->n * f->n * 3; ++i) {
        const double x[3] = {f->apart * (i / (3 * f->n)), f->apart * (i / 3 % f->n),
                             EDGE * (i % 3 + 0.5)};
        scene_rough(&s, scene_box(&s, 1, e, x, NULL, NULL, NULL), pcs_shape_box(EDGE, EDGE, EDGE),
                    0, 0, 0.6);
    }
    const double middle = f->apart * (f->n / 2), x[3] = {middle + 0.03, middle + f->y, 0.5};
    const double Q[4] = {1, f->turn, 0.2, 0}, v[3] = {f->v, 0, 0};
    scene_rough(&s, scene_box(&s, 1, e, x, Q, v, NULL), pcs_shape_box(EDGE, EDGE, EDGE), 0, 0, 0.6);
    scene_gravity(&s, f->tilt, 0, -G);
    scene_start(&s);
    return s;
}

// A step depends on the state alone: with the work that has made all steps before, with a new one,
// and with one that is watched and tests all proofs. What sleeps does not move by a bit
TEST(every_step_is_that_of_a_new_work)
{
    const falling all[] = {
        {3, 90, 1.3 * EDGE, 0, 0.006, 0.6, 0.21},  {4, 250, 2 * EDGE, 3, 0.006, 0.6, 0.21},
        {3, 140, 1.3 * EDGE, 3, 0.002, 0.3, 0.12}, {3, 90, 1.3 * EDGE, 3, 0.012, 0.4, 0.06},
        {3, 90, 2 * EDGE, 0, 0.004, 1.1, 0.27},
    };
    int sleeping = 0;
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k) {
        scene s = among_columns(&all[k]);
        pcs_state *before, *next[2];
        pcs_work *watched;
        CK_OK(pcs_state_create(s.m, &before));
        CK_OK(pcs_work_create(s.m, &watched));
        CK_OK(pcs_work_set_capture(watched, ignore, NULL));
        for (int way = 0; way < 2; ++way) {
            CK_OK(pcs_state_create(s.m, &next[way]));
        }
        for (int i = 0; i < all[k].steps; ++i) {
            pcs_work *fresh;
            CK_OK(pcs_work_create(s.m, &fresh));
            CK_OK(pcs_state_copy(s.st, before));
            scene_step(&s, STEP);
            for (int way = 0; way < 2; ++way) {
                pcs_step_report r;
                CK_OK(pcs_state_copy(before, next[way]));
                CK_OK(pcs_step(s.m, next[way], way == 0 ? fresh : watched, STEP, &r));
                ck_assert_msg(pcs_state_equal(s.st, next[way]), "scene %d, step %d, way %d", (int)k,
                              i, way);
                ck_assert_int_eq(r.asleep, s.report.asleep);
                ck_assert_int_eq(r.candidates, s.report.candidates);
            }
            pcs_work_destroy(fresh);
            for (int b = 1; b <= s.m->n_systems; ++b) {
                const pcs_system body = {b};
                const size_t at = 7 * (size_t)(b - 1);
                if (!pcs_state_asleep(s.m, before, body)) continue;
                if (!pcs_state_asleep(s.m, s.st, body)) continue;
                ck_assert(memcmp(before->q + at, s.st->q + at, 7 * sizeof(double)) == 0);
                sleeping += 1;
            }
        }
        pcs_state_destroy(before);
        pcs_state_destroy(next[0]);
        pcs_state_destroy(next[1]);
        pcs_work_destroy(watched);
        scene_close(&s);
    }
    ck_assert_int_ge(sleeping, 5000);
}

// the user moves two boxes into each other, near one that sleeps: it is out of reach at first
TEST(a_projection_wakes_what_it_moves)
{
    enum { THREE = 3 };
    const double e[3] = {EDGE, EDGE, EDGE}, near = EDGE + 2e-3, deep = 0.02;
    scene s = open_scene(true);
    scene_rough(&s, (pcs_system){0}, pcs_shape_half_space((double[]){0, 0, 1}, 0), 0, 0, 0.6);
    for (int i = 0; i < THREE; ++i) {
        const double x[3] = {3 * EDGE * i, 0, 0.5 * EDGE};
        scene_rough(&s, scene_box(&s, MASS, e, x, NULL, NULL, NULL),
                    pcs_shape_box(EDGE, EDGE, EDGE), 0, 0, 0.6);
    }
    scene_start(&s);
    steps(&s, SETTLE);
    ck_assert_int_eq(s.report.asleep, THREE);
    const double x0 = scene_q(&s, (pcs_system){1})[0];
    scene_q(&s, (pcs_system){2})[0] = x0 + near;
    scene_q(&s, (pcs_system){3})[0] = x0 + near + EDGE - deep;
    scene_step(&s, STEP);
    ck_assert(scene_q(&s, (pcs_system){1})[0] < x0 - 1e-3);
    ck_assert(!pcs_state_asleep(s.m, s.st, (pcs_system){1}));
    ck_assert_int_eq(s.report.asleep, 0);
    steps(&s, 2 * SETTLE);
    ck_assert_int_eq(s.report.asleep, THREE);
    scene_close(&s);
}

TEST(any_team_falls_asleep_alike)
{
    scene one = sleeping_pyramid(), two = pyramid(true);
    scene_start(&two);
    CK_OK(pcs_work_set_threads(two.wk, 3));
    steps(&two, SETTLE);
    ck_assert(pcs_state_equal(one.st, two.st));
    scene_close(&one);
    scene_close(&two);
}

TEST(gravity_and_the_user_wake)
{
    scene s = sleeping_pyramid();
    scene_gravity(&s, 0, 0, -2 * G);
    scene_step(&s, STEP);
    ck_assert_int_eq(s.report.asleep, 0);
    ck_assert_int_eq(s.report.solves > 0, 1);
    steps(&s, SETTLE);
    ck_assert_int_eq(s.report.asleep, BOXES);

    CK_OK(pcs_state_wake(s.m, s.st, (pcs_system){3}));
    ck_assert(!pcs_state_asleep(s.m, s.st, (pcs_system){3}));
    scene_step(&s, STEP);
    ck_assert_int_eq(s.report.asleep, 0);
    steps(&s, SETTLE);
    ck_assert_int_eq(s.report.asleep, BOXES);
    CK_FAILS(pcs_state_wake(s.m, s.st, (pcs_system){99}), PCS_ERR_ARG);

    // a body that is moved by hand, and one that is pushed
    scene_q(&s, (pcs_system){BOXES})[2] += 0.3;
    scene_step(&s, STEP);
    ck_assert(s.report.asleep < BOXES && scene_v(&s, (pcs_system){BOXES})[2] < -0.9 * G * STEP);
    scene_close(&s);

    s = sleeping_pyramid();
    scene_v(&s, (pcs_system){1})[0] = -0.1;
    scene_step(&s, STEP);
    ck_assert_int_eq(s.report.asleep, 0);
    scene_close(&s);
}

TEST(a_lost_support_wakes)
{
    scene s = sleeping_pyramid();
    // both boxes below the top
    CK_OK(pcs_model_set_enabled(s.m, (pcs_system){BOXES - 1}, false));
    CK_OK(pcs_model_set_enabled(s.m, (pcs_system){BOXES - 2}, false));
    steps(&s, 5);
    ck_assert(!pcs_state_asleep(s.m, s.st, (pcs_system){BOXES}));
    CK_NEAR(scene_v(&s, (pcs_system){BOXES})[2], -G * 5 * STEP, 1e-9);
    scene_close(&s);
}

TEST(a_ball_wakes_what_it_hits)
{
    scene s = pyramid(true);
    const double x[3] = {1.65 * EDGE, 0, 30 * EDGE}, far[3] = {50 * EDGE, 0, 0.5 * EDGE};
    const pcs_system ball = scene_rough_ball(&s, MASS, 0.5 * EDGE, x, NULL, 0, 0, 0.6);
    const double e[3] = {EDGE, EDGE, EDGE};
    const pcs_system alone = scene_box(&s, MASS, e, far, NULL, NULL, NULL);
    scene_rough(&s, alone, pcs_shape_box(EDGE, EDGE, EDGE), 0, 0, 0.6);
    scene_start(&s);
    steps(&s, SETTLE);
    ck_assert_int_eq(s.report.asleep, BOXES + 1); // the ball falls
    double q[7 * BOXES];
    memcpy(q, s.st->q, sizeof q);
    int k = 0;
    for (; s.report.asleep == BOXES + 1 && k < 400; ++k) {
        ck_assert(memcmp(q, s.st->q, sizeof q) == 0);
        CK_NEAR(scene_v(&s, ball)[2], -G * s.st->t, 1e-9);
        scene_step(&s, STEP);
        scene_check_ledger(&s);
    }
    // it falls on the top of the pyramid
    CK_NEAR(s.st->t, sqrt(2 * 25.5 * EDGE / G), 2 * STEP);
    ck_assert_int_eq(s.report.asleep, 1);
    ck_assert(pcs_state_asleep(s.m, s.st, alone));
    steps(&s, 3);
    ck_assert_int_eq(s.report.asleep, 1);
    scene_close(&s);
}

// stands still until t = 0.5, then moves
static int start_late(void *user, double t, double q[7], double v[6])
{
    const double late = t > 0.5 ? t - 0.5 : 0, pose[7] = {0.5 * late * late, 0, 0, 1, 0, 0, 0};
    const double speed[6] = {late};
    (void)user;
    memcpy(q, pose, sizeof pose);
    memcpy(v, speed, sizeof speed);
    return 0;
}

TEST(a_floor_that_starts_wakes)
{
    scene s = open_scene(true);
    pcs_body_def def = pcs_body_def_default();
    def.motion = start_late;
    const pcs_system floor = scene_add(&s, &def);
    s = pyramid_on(floor, s);
    scene_start(&s);
    steps(&s, 95);
    ck_assert_int_eq(s.report.asleep, BOXES);
    steps(&s, 15);
    ck_assert_int_eq(s.report.asleep, 0);
    // they are carried along
    CK_NEAR(scene_v(&s, (pcs_system){2})[0], s.st->t - 0.5, 0.1 * (s.st->t - 0.5));
    scene_close(&s);
}

static int push_late(void *user, double t, const double q[7], const double v[6], double F[6])
{
    (void)user;
    (void)q;
    (void)v;
    memset(F, 0, 6 * sizeof *F);
    F[0] = t > 0.5 ? 10 * MASS * G : 0;
    return 0;
}

TEST(a_force_that_starts_wakes)
{
    scene s = open_scene(true);
    scene_rough(&s, (pcs_system){0}, pcs_shape_half_space((double[]){0, 0, 1}, 0), 0, 0, 0.6);
    pcs_body_def def = pcs_body_def_default();
    def.mass = MASS;
    def.position[2] = 0.5 * EDGE;
    def.force = push_late;
    for (int k = 0; k < 3; ++k) {
        def.inertia[4 * k] = MASS * EDGE * EDGE / 6;
    }
    const pcs_system box = scene_add(&s, &def);
    scene_rough(&s, box, pcs_shape_box(EDGE, EDGE, EDGE), 0, 0, 0.6);
    scene_start(&s);
    steps(&s, 95);
    ck_assert_int_eq(s.report.asleep, 1);
    steps(&s, 10);
    ck_assert_int_eq(s.report.asleep, 0);
    ck_assert(scene_v(&s, box)[0] > 1);
    scene_close(&s);
}

// a box that hangs from the world by two ropes that are ball joints, until one is cut
TEST(a_broken_joint_wakes)
{
    scene s = open_scene(true);
    const double e[3] = {2 * EDGE, EDGE, EDGE}, x[3] = {0, 0, 1};
    const pcs_system box = scene_box(&s, MASS, e, x, NULL, NULL, NULL);
    pcs_interaction last = {0};
    for (int k = 0; k < 2; ++k) {
        const double side = k == 0 ? -EDGE : EDGE, own[3] = {side, 0, 0.5 * EDGE};
        const double anchor[3] = {side, 0, 1 + 0.5 * EDGE};
        last = scene_join(&s, pcs_relation_ball_joint(own, anchor), pcs_law_equality(), box,
                          (pcs_system){0});
    }
    scene_start(&s);
    steps(&s, 2 * SETTLE);
    ck_assert_int_eq(s.report.asleep, 1);
    CK_OK(pcs_model_set_interaction_enabled(s.m, last, false));
    steps(&s, 3);
    ck_assert_int_eq(s.report.asleep, 0);
    ck_assert(fabs(scene_v(&s, box)[4]) > 0.01);
    scene_close(&s);
}

// a pendulum whose joint is projected in every step: the pyramid beside it falls asleep as if it
// were alone, and the pendulum swings as without sleep
TEST(a_pendulum_lets_others_sleep)
{
    double end[2][BODY_NQ];
    for (int sleep = 0; sleep < 2; ++sleep) {
        scene s = pyramid(sleep == 1);
        const double e[3] = {EDGE, EDGE, 3 * EDGE}, x[3] = {30, 0, 3}, own[3] = {0, 0, 1.5 * EDGE};
        const double anchor[3] = {30, 0, 3 + 1.5 * EDGE};
        const pcs_system bob = scene_box(&s, MASS, e, x, NULL, NULL, NULL);
        scene_join(&s, pcs_relation_ball_joint(own, anchor), pcs_law_equality(), bob,
                   (pcs_system){0});
        scene_start(&s);
        scene_v(&s, bob)[0] = -1.5 * EDGE;
        scene_v(&s, bob)[4] = 1;
        int projected = 0;
        for (int k = 0; k < 2 * SETTLE; ++k) {
            scene_step(&s, STEP);
            scene_check_ledger(&s);
            projected += s.report.projection_iters > 0;
        }
        ck_assert_int_gt(projected, SETTLE);
        ck_assert_int_eq(s.report.asleep, sleep == 1 ? BOXES : 0);
        memcpy(end[sleep], scene_q(&s, bob), sizeof end[sleep]);
        scene_close(&s);
    }
    for (int i = 0; i < BODY_NQ; ++i) {
        CK_NEAR(end[0][i], end[1][i], 1e-9);
    }
}

// nothing that moves sleeps: a ball that rolls slowly, a box that slides, one on a slope that is
// too steep, and a ball on a slope, which no impulse in its cone holds
TEST(what_moves_is_awake)
{
    for (int kind = 0; kind < 4; ++kind) {
        scene s = open_scene(true);
        const double slope = kind == 2 ? 0.6 : kind == 3 ? 0.1 : 0;
        const double N[3] = {sin(slope), 0, cos(slope)}, e[3] = {EDGE, EDGE, EDGE};
        const double x[3] = {0.5 * EDGE * N[0], 0, 0.5 * EDGE * N[2]};
        const double Q[4] = {cos(slope / 2), 0, sin(slope / 2), 0};
        const double v[3] = {kind == 0 ? 1e-5 : kind == 1 ? 2 : 0, 0, 0};
        const double w[3] = {0, kind == 0 ? v[0] / (0.5 * EDGE) : 0, 0};
        scene_rough(&s, (pcs_system){0}, pcs_shape_half_space(N, 0), 0, 0, 0.5);
        if (kind == 0 || kind == 3) {
            const pcs_system ball = scene_rough_ball(&s, MASS, 0.5 * EDGE, x, v, 0, 0, 0.5);
            scene_start(&s);
            memcpy(scene_v(&s, ball) + 3, w, sizeof w);
        } else {
            scene_rough(&s, scene_box(&s, MASS, e, x, Q, v, NULL), pcs_shape_box(EDGE, EDGE, EDGE),
                        0, 0, 0.5);
            scene_start(&s);
        }
        for (int k = 0; k < 40; ++k) {
            scene_step(&s, STEP);
            ck_assert_int_eq(s.report.asleep, 0);
        }
        scene_close(&s);
    }
}

// a ball on a spring: the pyramid beside it falls asleep as if it were alone, and the ball swings
// as without sleep
TEST(a_spring_lets_others_sleep)
{
    double end[2][BODY_NQ];
    for (int sleep = 0; sleep < 2; ++sleep) {
        scene s = open_scene(sleep == 1);
        const double x[3] = {3, 0, 3}, v[3] = {0};
        pcs_force_def spring = pcs_force_def_default(PCS_FORCE_SPRING);
        const pcs_system ball = scene_ball(&s, MASS, 0.5 * EDGE, x, v);
        spring.system1 = ball;
        spring.p2[0] = 3;
        spring.p2[2] = 4;
        spring.stiffness = 100;
        s = pyramid_on((pcs_system){0}, s);
        CK_OK(pcs_model_add_force(s.m, &spring, NULL));
        scene_start(&s);
        steps(&s, 3 * SETTLE);
        ck_assert_int_eq(s.report.asleep, sleep == 1 ? BOXES : 0);
        memcpy(end[sleep], scene_q(&s, ball), sizeof end[sleep]);
        scene_close(&s);
    }
    for (int i = 0; i < BODY_NQ; ++i) {
        CK_NEAR(end[0][i], end[1][i], 1e-9);
    }
}

// a chain of masses with sparse matrices, of which the proof has no factors, is no obstacle
TEST(a_sparse_system_lets_others_sleep)
{
    enum { N = 20 };
    int p[N + 1], row[N];
    double mass[N], stiffness[N];
    for (int i = 0; i < N; ++i) {
        p[i] = row[i] = i;
        mass[i] = 1 + i;
        stiffness[i] = 30;
    }
    p[N] = N;
    const pcs_csc M = {.m = N, .n = N, .p = p, .i = row, .x = mass};
    const pcs_csc K = {.m = N, .n = N, .p = p, .i = row, .x = stiffness};
    scene s = open_scene(true);
    pcs_lagrangian_def def = pcs_lagrangian_def_default();
    def.n = N;
    def.sparse_mass = &M;
    def.sparse_stiffness = &K;
    CK_OK(pcs_model_add_lagrangian(s.m, &def, NULL));
    s = pyramid_on((pcs_system){0}, s);
    scene_start(&s);
    steps(&s, SETTLE);
    ck_assert_int_eq(s.report.asleep, BOXES);
    scene_close(&s);
}

// the stone at the top, last of the pyramid, is pulled away by a spring that is added while all
// sleep, or was there and is enabled: the spring wakes it and what it lies on, and the rest falls
// asleep again
static void expect_pull(bool added)
{
    double end[2][7 * BOXES];
    for (int sleep = 0; sleep < 2; ++sleep) {
        scene s = pyramid(sleep == 1);
        const pcs_system top = {BOXES};
        const double height = EDGE * (LAYERS - 0.5);
        pcs_force_def spring = pcs_force_def_default(PCS_FORCE_SPRING);
        pcs_force pull;
        spring.system1 = top;
        spring.p2[0] = 1.1 * EDGE * 0.5 * (LAYERS - 1);
        spring.p2[2] = height + 5;
        spring.stiffness = 10 * MASS;
        if (!added) {
            CK_OK(pcs_model_add_force(s.m, &spring, &pull));
            CK_OK(pcs_model_set_force_enabled(s.m, pull, false));
        }
        scene_start(&s);
        steps(&s, SETTLE);
        ck_assert_int_eq(s.report.asleep, sleep == 1 ? BOXES : 0);
        if (added) {
            CK_OK(pcs_model_add_force(s.m, &spring, &pull));
        } else {
            CK_OK(pcs_model_set_force_enabled(s.m, pull, true));
        }
        scene_step(&s, STEP);
        ck_assert_int_eq(s.report.asleep, 0);
        steps(&s, 3 * SETTLE);
        ck_assert_int_eq(s.report.asleep, sleep == 1 ? BOXES - 1 : 0);
        ck_assert_double_gt(scene_q(&s, top)[2], height + 1e-2);
        memcpy(end[sleep], s.st->q, sizeof end[sleep]);
        scene_close(&s);
    }
    for (int i = 0; i < 7 * BOXES; ++i) {
        CK_NEAR(end[0][i], end[1][i], 1e-8);
    }
}

// the same in a column of boxes of different edges, whose inertia is no multiple of 1
TEST(a_disabled_spring_lets_a_column_sleep)
{
    enum { BODIES = 3 };
    for (int on = 0; on < BODIES; ++on) {
        scene s = open_scene(true);
        pcs_force_def spring = pcs_force_def_default(PCS_FORCE_SPRING);
        pcs_force pull;
        scene_rough(&s, (pcs_system){0}, pcs_shape_half_space((double[]){0, 0, 1}, 0), 0, 0, 0.5);
        for (int i = 0; i < BODIES; ++i) {
            const double e[3] = {0.3 - 0.02 * i, 0.3, 0.2}, x[3] = {0, 0, 0.1 + 0.2 * i};
            const pcs_system b = scene_box(&s, MASS, e, x, NULL, NULL, NULL);
            scene_rough(&s, b, pcs_shape_box(e[0], e[1], e[2]), 0, 0, 0.6);
            if (i == on) spring.system1 = b;
        }
        spring.p2[0] = 2;
        spring.stiffness = 100;
        CK_OK(pcs_model_add_force(s.m, &spring, &pull));
        CK_OK(pcs_model_set_force_enabled(s.m, pull, false));
        scene_start(&s);
        steps(&s, 2 * SETTLE);
        ck_assert_int_eq(s.report.asleep, BODIES);
        scene_close(&s);
    }
}

TEST(a_spring_that_begins_to_act_wakes)
{
    expect_pull(true);
    expect_pull(false);
}

TEST(a_slope_that_holds_lets_sleep)
{
    scene s = open_scene(true);
    const double slope = atan(0.45), N[3] = {sin(slope), 0, cos(slope)}, e[3] = {EDGE, EDGE, EDGE};
    const double Q[4] = {cos(slope / 2), 0, sin(slope / 2), 0};
    scene_rough(&s, (pcs_system){0}, pcs_shape_half_space(N, 0), 0, 0, 0.5);
    for (int k = 0; k < 2; ++k) {
        const double z = (k + 0.5) * EDGE, x[3] = {z * N[0], 0, z * N[2]};
        scene_rough(&s, scene_box(&s, MASS, e, x, Q, NULL, NULL), pcs_shape_box(EDGE, EDGE, EDGE),
                    0, 0, 0.5);
    }
    scene_start(&s);
    steps(&s, 40);
    ck_assert_int_eq(s.report.asleep, 2);
    scene_close(&s);
}

// a box of these edges on the ground, tilted by an angle about the edge along y at the origin
static pcs_system tilted(scene *s, double width, double height, double angle)
{
    const double e[3] = {width, width, height}, Q[4] = {cos(angle / 2), 0, sin(angle / 2), 0};
    const double c = cos(angle), d = sin(angle), X = -0.5 * width, Z = 0.5 * height;
    const double x[3] = {c * X + d * Z, 0, c * Z - d * X};
    const pcs_system box = scene_box(s, MASS, e, x, Q, NULL, NULL);
    scene_rough(s, box, pcs_shape_box(width, width, height), 0, 0, 0.6);
    return box;
}

// speeds of the size of the error of the solver are not enough: these bodies are not balanced, or
// their contacts do not resist their motion
TEST(what_barely_moves_is_awake)
{
    const double up[3] = {0, 0, 1}, e[3] = {EDGE, EDGE, EDGE}, low[3] = {0, 0, -1};
    for (int kind = 0; kind < 6; ++kind) {
        scene s = open_scene(true);
        if (kind == 0) { // on a slope steeper than friction by 1e-6, at 1e-9 m/s
            const double slope = atan(0.5) + 1e-6, N[3] = {sin(slope), 0, cos(slope)};
            const double Q[4] = {cos(slope / 2), 0, sin(slope / 2), 0};
            const double x[3] = {0.5 * EDGE * N[0], 0, 0.5 * EDGE * N[2]};
            const double v[3] = {1e-9 * N[2], 0, -1e-9 * N[0]};
            scene_rough(&s, (pcs_system){0}, pcs_shape_half_space(N, 0), 0, 0, 0.5);
            scene_rough(&s, scene_box(&s, MASS, e, x, Q, v, NULL), pcs_shape_box(EDGE, EDGE, EDGE),
                        0, 0, 0.5);
        } else if (kind == 1) { // a pendulum that turns back
            const double x[3] = {1, 0, 0}, own[3] = {-1, 0, 0}, anchor[3] = {0};
            scene_join(&s, pcs_relation_ball_joint(own, anchor), pcs_law_equality(),
                       scene_box(&s, MASS, e, x, NULL, NULL, NULL), (pcs_system){0});
        } else if (kind == 2) { // one that passes below its support at 2e-7 m/s
            const double own[3] = {0, 0, 1}, anchor[3] = {0}, v[3] = {2e-7}, w[3] = {0, -2e-7};
            scene_join(&s, pcs_relation_ball_joint(own, anchor), pcs_law_equality(),
                       scene_box(&s, MASS, e, low, NULL, v, w), (pcs_system){0});
        } else {
            scene_rough(&s, (pcs_system){0}, pcs_shape_half_space(up, 0), 0, 0, 0.6);
        }
        if (kind == 3) tilted(&s, EDGE, 10 * EDGE, 1e-2);             // falls back
        if (kind == 4) tilted(&s, EDGE, 10 * EDGE, atan(0.1) + 1e-7); // tips over
        pcs_system ball = {0};
        if (kind == 5) { // a ball that rolls by a column, within reach of it
            for (int k = 0; k < 30; ++k) {
                const double x[3] = {0, 0, (k + 0.5) * EDGE};
                scene_rough(&s, scene_box(&s, MASS, e, x, NULL, NULL, NULL),
                            pcs_shape_box(EDGE, EDGE, EDGE), 0, 0, 0.6);
            }
            const double x[3] = {1.001 * EDGE, 0, 0.5 * EDGE}, v[3] = {0, 2e-7};
            ball = scene_rough_ball(&s, MASS, 0.5 * EDGE, x, v, 0, 0, 0.6);
        }
        scene_start(&s);
        if (kind == 5) scene_v(&s, ball)[3] = -2e-7 / (0.5 * EDGE);
        const int few = kind == 3 ? 12 : kind == 2 ? 40 : 70;
        for (int k = 0; k < few; ++k) {
            scene_step(&s, STEP);
            ck_assert_msg(s.report.asleep == 0, "kind %d, step %d", kind, k);
        }
        scene_close(&s);
    }
}

// the top of a column moves by the errors of all contacts below it, times height over width
TEST(tall_stacks_sleep)
{
    enum { COLUMNS = 3, HEIGHT = 12, WIDTH = 8 };
    const int height[COLUMNS] = {10, 50, 100};
    const double e[3] = {EDGE, EDGE, EDGE};
    for (int k = 0; k <= COLUMNS; ++k) {
        scene s = open_scene(true);
        if (k == 1) s.scheme = pcs_scheme_dense(1e-8, EDGE);
        s.scheme.sleep = true;
        scene_rough(&s, (pcs_system){0}, pcs_shape_half_space((double[]){0, 0, 1}, 0), 0, 0, 0.6);
        const int boxes = k < COLUMNS ? height[k] : HEIGHT * WIDTH;
        for (int i = 0; i < boxes; ++i) {
            const int row = k < COLUMNS ? i : i / WIDTH;
            const double x[3] = {k < COLUMNS ? 0 : 1.05 * EDGE * (i % WIDTH + 0.3 * (row % 2)), 0,
                                 (row + 0.5) * EDGE};
            scene_rough(&s, scene_box(&s, MASS, e, x, NULL, NULL, NULL),
                        pcs_shape_box(EDGE, EDGE, EDGE), 0, 0, 0.6);
        }
        scene_start(&s);
        steps(&s, SETTLE);
        ck_assert_msg(s.report.asleep == boxes, "%d of %d", s.report.asleep, boxes);
        scene_close(&s);
    }
}

// boxes that come to rest on two corners: their other contacts carry nearly nothing, and the proof
// needs them
TEST(what_stands_on_two_corners_sleeps)
{
    enum { TWO = 2 };
    const double e[3] = {EDGE, EDGE, EDGE},
                 off[][TWO][3] = {
                     {{0.0037, 0.0019, 0.000475}},
                     {{0.0015, 0.0008, 0.00095}, {0.0005, 0.0018, 0.00085}},
                     {{0.0037, 0.001, 0.0003}, {0.0032, 0.0004, 0.00025}},
                 };
    for (int k = 0; k < (int)(sizeof off / sizeof *off); ++k) {
        const int boxes = k == 0 ? 1 : TWO;
        scene s = open_scene(true);
        scene_rough(&s, (pcs_system){0}, pcs_shape_half_space((double[]){0, 0, 1}, 0), 0, 0, 0.6);
        for (int i = 0; i < boxes; ++i) {
            const double x[3] = {off[k][i][0], off[k][i][1], EDGE * (i + 0.5) + off[k][i][2]};
            scene_rough(&s, scene_box(&s, 1, e, x, NULL, NULL, NULL),
                        pcs_shape_box(EDGE, EDGE, EDGE), 0, 0, 0.6);
        }
        scene_start(&s);
        steps(&s, 3 * SETTLE);
        ck_assert_msg(s.report.asleep == boxes, "%d of %d", s.report.asleep, boxes);
        scene_close(&s);
    }
}

TEST(schemes_that_cannot_sleep_say_so)
{
    pcs_scheme s = pcs_scheme_moreau_jean();
    s.sleep = true;
    CK_FAILS(pcs_scheme_check(&s), PCS_ERR_ARG);
    s = pcs_scheme_dense(1e-6, 0.1);
    s.sleep = true;
    CK_OK(pcs_scheme_check(&s));
}
