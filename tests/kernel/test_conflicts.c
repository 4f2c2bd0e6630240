// Constraints that contradict each other: a step or a projection that has no solution names those
// that take part, and nobody else.
#include "scene.h"

#include <stdio.h>
#include <string.h>

static const pcs_system world = {0};
static const double origin[3] = {0}, e_x[3] = {1, 0, 0}, e_z[3] = {0, 0, 1};

static pcs_interaction place(scene *s, pcs_joint_kind kind, pcs_system one, pcs_system two,
                             const double at[3], const double z[3])
{
    pcs_joint_def def = pcs_joint_def_default(kind);
    pcs_interaction out;
    def.system1 = one;
    def.system2 = two;
    CK_OK(pcs_model_place_joint(s->m, at, z, NULL, &def));
    CK_OK(pcs_model_add_joint(s->m, &def, &out));
    return out;
}

// a motor with a prescribed speed
static pcs_interaction drive(scene *s, pcs_interaction joint, double speed, bool of_speed)
{
    pcs_joint_motor motor = pcs_joint_motor_default(joint);
    motor.of_speed = of_speed;
    motor.target =
        of_speed ? (pcs_time_function){.offset = speed} : (pcs_time_function){.rate = speed};
    pcs_interaction out;
    CK_OK(pcs_model_add_joint_motor(s->m, &motor, &out));
    return out;
}

static pcs_system bar(scene *s, double x, double y)
{
    const double edges[3] = {0.4, 0.1, 0.1}, at[3] = {x, y, 0};
    return scene_box(s, 1, edges, at, NULL, origin, origin);
}

// a crank with its motor that has nothing to do with the rest
static void bystander(scene *s)
{
    const double at[3] = {9, 9, 0};
    drive(s, place(s, PCS_JOINT_HINGE, bar(s, 9, 9), world, at, e_z), 1, true);
}

// a step that must fail with these constraints, in any order, and leave the state as it was
static void check_conflict(scene *s, int n, const pcs_conflict *expected, const char *words)
{
    const unsigned long long before = pcs_state_hash(s->st);
    CK_OK(pcs_step(s->m, s->st, s->wk, 1e-3, &s->report));
    ck_assert(!s->report.committed);
    ck_assert_int_eq(s->report.conflicts, n);
    for (int i = 0; i < n && i < PCS_CONFLICTS; ++i) {
        bool found = false;
        for (int k = 0; k < n; ++k) {
            found = found || (s->report.conflict[k].one == expected[i].one &&
                              s->report.conflict[k].two == expected[i].two);
        }
        ck_assert_msg(found, "%d %d is not named", expected[i].one, expected[i].two);
    }
    ck_assert(pcs_state_hash(s->st) == before);
    CK_SAYS(pcs_step(s->m, s->st, s->wk, 1e-3, NULL), PCS_ERR_STEP, words);
}

TEST(two_motors_on_one_coordinate)
{
    for (int k = 0; k < 4; ++k) {
        scene s = scene_open();
        if (k >= 2) s.scheme = pcs_scheme_default();
        bystander(&s);
        const pcs_interaction hinge = place(&s, PCS_JOINT_HINGE, bar(&s, 0, 0), world, origin, e_z);
        const pcs_interaction left = drive(&s, hinge, 1, k % 2 == 0);
        const pcs_interaction right = drive(&s, hinge, 2, k % 2 == 0);
        CK_OK(pcs_model_set_interaction_name(s.m, right, "right"));
        scene_start(&s);
        check_conflict(&s, 2, (pcs_conflict[]){{-1, left.id}, {-1, right.id}},
                       "motor 4 and motor 5 'right' contradict each other");
        CK_OK(pcs_model_set_interaction_enabled(s.m, left, false));
        scene_step(&s, 1e-3);
        ck_assert_int_eq(s.report.conflicts, 0);
        scene_close(&s);
    }
}

// a slider that moves a body which is fixed elsewhere, through a second body; the same with a
// spring between the two, whose systems are solved together
TEST(a_locked_mechanism)
{
    for (int k = 0; k < 2; ++k) {
        scene s = scene_open();
        bystander(&s);
        const pcs_system one = bar(&s, 0, 0), two = bar(&s, 1, 0);
        const pcs_interaction slider = place(&s, PCS_JOINT_SLIDER, one, world, origin, e_x);
        const pcs_interaction weld = place(&s, PCS_JOINT_FIXED, two, one, e_x, e_z);
        const pcs_interaction wall = place(&s, PCS_JOINT_FIXED, two, world, e_x, e_z);
        const pcs_interaction push = drive(&s, slider, 0.5, true);
        if (k == 1) {
            pcs_force_def spring = pcs_force_def_default(PCS_FORCE_SPRING);
            spring.system1 = one;
            spring.system2 = two;
            spring.stiffness = 1000;
            spring.length = 1;
            pcs_force f;
            CK_OK(pcs_model_add_force(s.m, &spring, &f));
        }
        scene_start(&s);
        check_conflict(&s, 3, (pcs_conflict[]){{-1, push.id}, {-1, weld.id}, {-1, wall.id}},
                       "motor 6, fixed joint 4 and fixed joint 5 contradict each other");
        scene_close(&s);
    }
}

// a four-bar that two motors drive: every joint of the loop takes part, and the motors come first
TEST(a_closed_loop_driven_at_two_places)
{
    static const double corner[4][3] = {{0, 0, 0}, {0.1, 0.4, 0}, {1, 0.6, 0}, {0.9, 0, 0}};
    scene s = scene_open();
    s.scheme = pcs_scheme_default();
    pcs_system link[3];
    pcs_interaction hinge[4];
    for (int i = 0; i < 3; ++i) {
        link[i] = bar(&s, 0.5 * (corner[i][0] + corner[i + 1][0]),
                      0.5 * (corner[i][1] + corner[i + 1][1]));
    }
    for (int i = 0; i < 4; ++i) {
        const pcs_system one = i < 3 ? link[i] : link[2];
        const pcs_system two = i == 0 || i == 3 ? world : link[i - 1];
        hinge[i] = place(&s, PCS_JOINT_HINGE, one, two, corner[i], e_z);
    }
    const pcs_interaction crank = drive(&s, hinge[0], 1, true);
    const pcs_interaction rocker = drive(&s, hinge[3], 3, true);
    scene_start(&s);
    check_conflict(
        &s, 6,
        (pcs_conflict[]){{-1, crank.id}, {-1, rocker.id}, {-1, 1}, {-1, 2}, {-1, 3}, {-1, 4}},
        "contradict each other");
    for (int i = 0; i < 2; ++i) {
        ck_assert_int_ge(s.report.conflict[i].two, crank.id);
    }
    CK_OK(pcs_model_set_interaction_enabled(s.m, rocker, false));
    scene_step(&s, 1e-3);
    scene_close(&s);
}

// a chain of sliders between two walls, each with its motor: all take part, six are named
TEST(a_chain_with_too_many_motors)
{
    enum { N = 12 };
    scene s = scene_open();
    pcs_system before = world;
    for (int i = 0; i < N; ++i) {
        const double at[3] = {i, 0, 0};
        const pcs_system now = bar(&s, i, 0);
        drive(&s, place(&s, PCS_JOINT_SLIDER, now, before, at, e_x), 0.1 * (i + 1), true);
        before = now;
    }
    place(&s, PCS_JOINT_FIXED, before, world, (double[]){N - 1, 0, 0}, e_x);
    scene_start(&s);
    CK_SAYS(pcs_step(s.m, s.st, s.wk, 1e-3, NULL), PCS_ERR_STEP, " and 7 more contradict");
    CK_OK(pcs_step(s.m, s.st, s.wk, 1e-3, &s.report));
    ck_assert_int_eq(s.report.conflicts, N + 1); // what the sliders hold does not matter
    for (int i = 0; i < PCS_CONFLICTS; ++i) {
        pcs_joint_motor motor;
        CK_OK(pcs_model_joint_motor(s.m, (pcs_interaction){s.report.conflict[i].two}, &motor));
    }
    scene_close(&s);
}

TEST(a_motor_that_presses_on_a_wall)
{
    scene s = scene_open();
    bystander(&s);
    const double at[3] = {0, 0, 0.1};
    const pcs_system ball = scene_solid_ball(&s, 1, 0.1, at, origin, 0);
    scene_ground(&s, 0);
    const pcs_interaction push =
        drive(&s, place(&s, PCS_JOINT_SLIDER, ball, world, at, e_z), -1, true);
    scene_start(&s);
    check_conflict(&s, 2, (pcs_conflict[]){{-1, push.id}, {0, 1}},
                   "motor 4 and the contact of shapes 0 and 1 contradict each other");
    scene_close(&s);
}

// two points of one bar, held at places that are further apart than its points; limits of a joint
// without a common angle: no positions, and no step
TEST(positions_that_no_state_has)
{
    for (int k = 0; k < 2; ++k) {
        scene s = scene_open();
        s.scheme = pcs_scheme_default();
        bystander(&s);
        const pcs_system one = bar(&s, 0, 0);
        pcs_interaction of[2];
        if (k == 0) {
            for (int i = 0; i < 2; ++i) {
                const double sign = i == 0 ? 1 : -1, own[3] = {0.2 * sign, 0, 0},
                             there[3] = {0.3 * sign, 0.1, 0};
                of[i] = scene_join(&s, pcs_relation_ball_joint(own, there), pcs_law_equality(), one,
                                   world);
            }
        } else {
            const pcs_interaction hinge = place(&s, PCS_JOINT_HINGE, one, world, origin, e_z);
            const pcs_joint_limits low = {.joint = hinge, .low = -0.5, .high = -0.3},
                                   high = {.joint = hinge, .low = 0.3, .high = 0.5};
            CK_OK(pcs_model_add_joint_limits(s.m, &low, &of[0]));
            CK_OK(pcs_model_add_joint_limits(s.m, &high, &of[1]));
        }
        scene_start(&s);
        const char *words = k == 0 ? "ball joint 3 and ball joint 4 contradict each other"
                                   : "limits 4 and limits 5 contradict each other";
        CK_SAYS(pcs_project(s.m, s.st, s.wk, NULL), PCS_ERR_STEP, words);
        check_conflict(&s, 2, (pcs_conflict[]){{-1, of[0].id}, {-1, of[1].id}}, words);
        scene_close(&s);
    }
}

// a pebble under a cube of 2 m, of one density: the impulses are the weights, whatever the ratio
TEST(a_pebble_under_a_cube_is_no_contradiction)
{
    static const double ratio[] = {100, 600, 1000, 3000, 10000, 20000};
    for (size_t k = 0; k < sizeof ratio / sizeof *ratio; ++k) {
        for (int box = 0; box < 2; ++box) {
            scene s = scene_open();
            const double a = 2 / ratio[k], small[3] = {a, a, a}, large[3] = {2, 2, 2};
            const double at[3] = {0, 0, a / 2}, above[3] = {0, 0, a + 1};
            scene_rough(&s, world, pcs_shape_half_space(e_z, 0), 0, 0, 0.5);
            s.scheme = pcs_scheme_default();
            scene_gravity(&s, 0, 0, -9.81);
            const pcs_system pebble =
                box ? scene_box(&s, 2500 * a * a * a, small, at, NULL, origin, origin)
                    : scene_ball(&s, 1300 * a * a * a, a / 2, at, origin);
            const pcs_system cube = scene_box(&s, 20000, large, above, NULL, origin, origin);
            scene_rough(&s, pebble, box ? pcs_shape_box(a, a, a) : pcs_shape_sphere(a / 2), 0, 0,
                        0.5);
            scene_rough(&s, cube, pcs_shape_box(2, 2, 2), 0, 0, 0.5);
            scene_start(&s);
            for (int step = 0; step < 4; ++step) {
                CK_OK(pcs_step(s.m, s.st, s.wk, 5e-3, &s.report));
                ck_assert_msg(s.report.outcome != PCS_OUTCOME_INFEASIBLE &&
                                  s.report.solve.outcome != PCS_OUTCOME_INFEASIBLE,
                              "ratio %g, box %d, step %d", ratio[k], box, step);
            }
            scene_close(&s);
        }
    }
}
