// Motions and loads that are given by numbers: velocities are rates of poses, a table of a motion
// is that motion, a conveyor carries, a load follows its formula.
#include "scene.h"

#include <percuss/motion.h>

#include "linalg/m3.h"

static pcs_motion random_motion(test_random *r)
{
    pcs_motion m = pcs_motion_default();
    for (int i = 0; i < 3; ++i) {
        m.position[i] = random_between(r, -1, 1);
        m.amplitude[i] = random_between(r, -0.3, 0.3);
        m.centre[i] = random_between(r, -1, 1);
        m.axis[i] = random_between(r, -2, 2);
        for (int k = 0; k < PCS_MOTION_TERMS; ++k) {
            m.polynomial[k][i] = random_between(r, -1, 1);
        }
    }
    for (int k = 0; k < PCS_MOTION_TERMS; ++k) {
        m.angle[k] = random_between(r, -1, 1);
    }
    random_quaternion(r, m.orientation);
    m.frequency = random_between(r, 0.1, 2);
    m.phase = random_between(r, 0, 6);
    m.swing = random_between(r, -1, 1);
    m.swing_frequency = random_between(r, 0.1, 2);
    m.swing_phase = random_between(r, 0, 6);
    return m;
}

// central difference of the pose, of second order: its error falls by 4 when the step is halved
static double rate_error(pcs_motion *m, double t, double h)
{
    double q[7], v[6], before[7], after[7], qdot[7], rate[6], worst = 0;
    ck_assert_int_eq(pcs_motion_follow(m, t, q, v), 0);
    ck_assert_int_eq(pcs_motion_follow(m, t - h, before, rate), 0);
    ck_assert_int_eq(pcs_motion_follow(m, t + h, after, rate), 0);
    for (int i = 0; i < 7; ++i) {
        qdot[i] = (after[i] - before[i]) / (2 * h);
    }
    pcs_body_velocity(q, qdot, rate);
    for (int i = 0; i < 6; ++i) {
        worst = fmax(worst, fabs(rate[i] - v[i]));
    }
    return worst;
}

static int no_height(void *user, double t, double q[7], double v[6])
{
    (void)user;
    (void)t;
    for (int i = 0; i < 7; ++i) {
        if (i != 2) q[i] = i == 3;
        if (i < 6) v[i] = 0;
    }
    return 0;
}

static int no_orientation(void *user, double t, double q[7], double v[6])
{
    no_height(user, t, q, v);
    q[2] = q[3] = 0;
    return 0;
}

static int gives_up(void *user, double t, double q[7], double v[6])
{
    no_height(user, t, q, v);
    return 7;
}

// a motion that cannot be followed: the sentence names what is wrong
TEST(the_fault_of_a_motion_is_named)
{
    const struct {
        pcs_body_motion_fn fn;
        const char *words;
    } all[] = {
        {no_height, "q[2] = nan"}, {no_orientation, "zero quaternion"}, {gives_up, "returned 7"}};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k) {
        pcs_model *m;
        pcs_state *st;
        pcs_body_def def = pcs_body_def_default();
        def.motion = all[k].fn;
        CK_OK(pcs_model_create(NULL, &m));
        CK_OK(pcs_model_add_body(m, &def, NULL));
        CK_SAYS(pcs_state_create(m, &st), PCS_ERR_CALLBACK, all[k].words);
        pcs_motion zero = {.axis = {0, 0, 1}};
        def.motion = pcs_motion_follow;
        def.user = &zero;
        CK_SAYS(pcs_model_add_body(m, &def, NULL), PCS_ERR_ARG, "the orientation is zero");
        pcs_model_destroy(m);
    }
}

TEST(the_velocity_of_a_motion_is_the_rate_of_its_pose)
{
    test_random r = random_seed(5);
    for (int k = 0; k < 20; ++k) {
        pcs_motion m = random_motion(&r);
        CK_OK(pcs_motion_check(&m));
        const double coarse = rate_error(&m, 0.4, 1e-3), fine = rate_error(&m, 0.4, 5e-4);
        CK_NEAR(coarse / fine, 4, 0.1);
    }
}

TEST(a_turntable_keeps_its_centre)
{
    pcs_motion m = pcs_motion_default();
    const double x[3] = {2, 1, 0.5};
    v3_copy(x, m.position);
    v3_copy((double[]){1, 1, 0}, m.centre);
    m.angle[1] = 3;
    for (int k = 0; k < 10; ++k) {
        double q[7], v[6];
        const double t = 0.3 * k;
        ck_assert_int_eq(pcs_motion_follow(&m, t, q, v), 0);
        CK_NEAR(q[0], 1 + cos(3 * t), 1e-14);
        CK_NEAR(q[1], 1 + sin(3 * t), 1e-14);
        CK_NEAR(q[2], 0.5, 0);
        CK_NEAR(v[0], -3 * sin(3 * t), 1e-13);
        CK_NEAR(v[1], 3 * cos(3 * t), 1e-13);
        CK_NEAR(v[5], 3, 1e-14);
    }
}

// uniform motion and rotation, by functions and as a table of some of its poses
TEST(a_table_of_a_uniform_motion_is_that_motion)
{
    enum { ROWS = 7 };
    double table[8 * ROWS];
    pcs_motion m = pcs_motion_default();
    m.polynomial[1][0] = 0.7;
    m.polynomial[1][2] = -0.2;
    m.angle[1] = 1.5;
    for (int i = 0; i < ROWS; ++i) {
        double v[6], *row = table + 8 * i;
        row[0] = 0.1 * i * (1 + 0.1 * i);
        ck_assert_int_eq(pcs_motion_follow(&m, row[0], row + 1, v), 0);
    }
    pcs_motion t = pcs_motion_default();
    t.table = table;
    t.rows = ROWS;
    t.columns = 8;
    CK_OK(pcs_motion_check(&t));
    for (double at = 0; at < table[8 * (ROWS - 1)]; at += 0.037) {
        double q[7], v[6], q1[7], v1[6];
        ck_assert_int_eq(pcs_motion_follow(&m, at, q, v), 0);
        ck_assert_int_eq(pcs_motion_follow(&t, at, q1, v1), 0);
        for (int i = 0; i < 7; ++i) {
            CK_NEAR(q[i], q1[i], 1e-14);
        }
        for (int i = 0; i < 6; ++i) {
            CK_NEAR(v[i], v1[i], 1e-13);
        }
    }
    // the body stands still before the first row and after the last
    double q[7], v[6];
    ck_assert_int_eq(pcs_motion_follow(&t, 99, q, v), 0);
    CK_NEAR(q[0], table[8 * (ROWS - 1) + 1], 0);
    CK_NEAR(v3_norm(v) + v3_norm(v + 3), 0, 0);
    table[8] = table[0];
    CK_FAILS(pcs_motion_check(&t), PCS_ERR_ARG);
}

TEST(a_belt_carries_a_box)
{
    scene s = scene_open();
    pcs_motion belt = pcs_motion_default();
    belt.belt[0] = 0.5;
    pcs_body_def def = pcs_body_def_default();
    def.motion = pcs_motion_follow;
    def.user = &belt;
    const pcs_system carrier = scene_add(&s, &def);
    pcs_shape top = pcs_shape_box(20, 2, 0.2);
    top.position[2] = -0.1;
    scene_rough(&s, carrier, top, 0, 0, 0.5);
    const double edges[3] = {0.2, 0.2, 0.2}, x[3] = {0, 0, 0.1};
    const pcs_system cube = scene_box(&s, 3, edges, x, NULL, NULL, NULL);
    scene_shape(&s, cube, pcs_shape_box(0.2, 0.2, 0.2), 0);
    scene_start(&s);
    for (int k = 0; k < 100; ++k) {
        scene_step(&s, 0.01);
    }
    CK_NEAR(scene_v(&s, cube)[0], 0.5, 1e-10);
    CK_NEAR(scene_q(&s, carrier)[0], 0, 0);
    scene_close(&s);
}

TEST(a_load_follows_its_formula)
{
    test_random r = random_seed(3);
    pcs_load l = {.damping = 0.3, .angular_damping = 0.2};
    double q[7] = {0}, v[6], F[6], R[9], rotated[3], torque[3];
    for (int i = 0; i < 3; ++i) {
        l.force[i] = random_between(&r, -1, 1);
        l.torque[i] = random_between(&r, -1, 1);
        l.body_force[i] = random_between(&r, -1, 1);
        l.body_torque[i] = random_between(&r, -1, 1);
    }
    for (int i = 0; i < 6; ++i) {
        v[i] = random_between(&r, -1, 1);
    }
    random_quaternion(&r, q + 3);
    CK_OK(pcs_load_check(&l));
    ck_assert_int_eq(pcs_load_act(&l, 0, q, v, F), 0);
    pcs_quat_to_matrix(q + 3, R);
    pcs_matrix_apply(R, l.body_force, rotated);
    pcs_matrix_apply_back(R, l.torque, torque);
    for (int i = 0; i < 3; ++i) {
        CK_NEAR(F[i], l.force[i] + rotated[i] - 0.3 * v[i], 1e-14);
        CK_NEAR(F[3 + i], torque[i] + l.body_torque[i] - 0.2 * v[3 + i], 1e-14);
    }
    l.damping = -1;
    CK_FAILS(pcs_load_check(&l), PCS_ERR_ARG);
}

// m dv/dt = F - c v: theta = 1/2 is of second order, and v tends to F / c
TEST(a_damped_load_tends_to_its_terminal_speed)
{
    scene s = scene_open();
    pcs_load l = {.force = {2, 0, 0}, .damping = 4};
    pcs_body_def def = pcs_body_def_default();
    def.force = pcs_load_act;
    def.user = &l;
    scene_gravity(&s, 0, 0, 0);
    const pcs_system body = scene_add(&s, &def);
    scene_start(&s);
    for (int k = 0; k < 1000; ++k) {
        scene_step(&s, 0.01);
        scene_check_step(&s);
    }
    CK_NEAR(scene_v(&s, body)[0], 0.5, 1e-12);
    scene_close(&s);
}
