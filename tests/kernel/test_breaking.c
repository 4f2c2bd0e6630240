// Interactions that break: when and by how much, the motion after it, what ends with a joint, and
// that broken is a part of the state.
#include "scene.h"

#include <stdio.h>
#include <string.h>

#define G 9.81

static const pcs_system world = {0};
static const double origin[3] = {0}, e_z[3] = {0, 0, 1}, e_y[3] = {0, 1, 0};

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

static void limit_force(scene *s, pcs_interaction id, double force)
{
    CK_OK(pcs_model_set_strength(s->m, id, (pcs_strength){force, INFINITY}));
}

// a load that grows: RATE t downwards
#define RATE 40.0
static int grow(void *user, double t, const double q[7], const double v[6], double F[6])
{
    (void)user, (void)q, (void)v;
    F[2] = -RATE * t;
    return 0;
}

// A weight of 2 kg on a hook, under a load that grows: the hook bears m g + a (t + h/2) in the step
// from t, and breaks in the first step in which that is above its strength. Its momentum is until
// the end of that step zero, then that of the weight and the load.
TEST(a_hanging_weight_breaks_in_the_right_step)
{
    static const pcs_joint_kind kinds[] = {PCS_JOINT_BALL, PCS_JOINT_FIXED, PCS_JOINT_HINGE,
                                           PCS_JOINT_UNIVERSAL, PCS_JOINT_DISTANCE};
    const double mass = 2, h = 1e-3, strength = mass * G + RATE * 0.1004;
    for (int k = 0; k < 6; ++k) {
        scene s = scene_open();
        if (k % 2 == 0) s.scheme = pcs_scheme_default();
        s.scheme.theta = 0.5;
        scene_gravity(&s, 0, 0, -G);
        pcs_body_def def = pcs_body_def_of_inertia(pcs_inertia_box(mass, 0.1, 0.2, 0.3));
        def.force = grow;
        const pcs_system weight = scene_add(&s, &def);
        pcs_interaction hook;
        if (k < 4) {
            hook = place(&s, kinds[k], weight, world, origin, e_z);
        } else if (k == 4) {
            hook = scene_join(&s, pcs_relation_distance(origin, (double[]){0, 0, 1}, 1),
                              pcs_law_equality(), weight, world);
        } else {
            hook = scene_join(&s, pcs_relation_rope(origin, (double[]){0, 0, 1}, 1),
                              pcs_law_newton_impact(0), weight, world);
        }
        limit_force(&s, hook, strength);
        scene_start(&s);
        double lost = 0;
        int broken = 0;
        for (int i = 1; i <= 150; ++i) {
            const double mean = mass * G + RATE * h * (i - 0.5);
            scene_step(&s, h);
            scene_check_ledger(&s);
            ck_assert_int_eq(s.report.breaks, broken == 0 && mean > strength);
            if (s.report.breaks) {
                broken = i;
                ck_assert_int_eq(s.report.break_one, hook.id);
                CK_NEAR(s.report.break_load, mean / strength, 1e-9);
                CK_NEAR(scene_v(&s, weight)[2], 0, 1e-11);
            }
            ck_assert_int_eq(pcs_state_broken(s.m, s.st, hook), broken > 0);
            if (k < 5) {
                pcs_joint_state now;
                CK_OK(pcs_state_joint(s.m, s.st, s.wk, hook, &now));
                ck_assert_int_eq(now.broken, broken > 0);
                const double force =
                    sqrt(now.force1[0] * now.force1[0] + now.force1[1] * now.force1[1] +
                         now.force1[2] * now.force1[2]);
                CK_NEAR(force, broken > 0 && broken < i ? 0 : mean, 1e-8 * mean);
            }
            if (broken > 0 && broken < i) lost += h * mean;
            CK_NEAR(scene_v(&s, weight)[2], -lost / mass, 1e-9);
        }
        ck_assert_int_eq(broken, 101); // 0.1005 s is the first middle of a step after 0.1004 s
        scene_close(&s);
    }
}

// A beam that is held at one end bears m g L there: one that may bear a thousandth less breaks in
// the first step, the other one stays
TEST(a_cantilever_breaks_at_its_moment)
{
    const double mass = 3, length = 1.6, edges[3] = {length, 0.1, 0.1},
                 at[3] = {0.5 * length, 0, 0};
    for (int k = 0; k < 2; ++k) {
        scene s = scene_open();
        scene_gravity(&s, 0, 0, -G);
        const pcs_system beam = scene_box(&s, mass, edges, at, NULL, origin, origin);
        const pcs_interaction wall = place(&s, PCS_JOINT_FIXED, beam, world, origin, e_y);
        const double moment = mass * G * 0.5 * length;
        CK_OK(pcs_model_set_strength(s.m, wall,
                                     (pcs_strength){INFINITY, moment * (k == 0 ? 1.001 : 0.999)}));
        scene_start(&s);
        for (int i = 0; i < 20; ++i) {
            scene_step(&s, 1e-3);
        }
        ck_assert_int_eq(pcs_state_broken(s.m, s.st, wall), k);
        CK_NEAR(scene_v(&s, beam)[2], k == 0 ? 0 : -G * 19e-3, 1e-9);
        scene_close(&s);
    }
}

// a chain of weights: the top joint bears all of them, and with equal strengths only it breaks
TEST(the_most_loaded_link_breaks)
{
    enum { LINKS = 5 };
    scene s = scene_open();
    scene_gravity(&s, 0, 0, -G);
    pcs_system link[LINKS];
    pcs_interaction joint[LINKS];
    for (int i = 0; i < LINKS; ++i) {
        const double at[3] = {0, 0, -0.5 - i};
        link[i] = scene_ball(&s, 1, 0.1, at, origin);
        const double up[3] = {0, 0, 0.5}, down[3] = {0, 0, i == 0 ? 0 : -0.5};
        joint[i] = scene_join(&s, pcs_relation_ball_joint(up, down), pcs_law_equality(), link[i],
                              i == 0 ? world : link[i - 1]);
        limit_force(&s, joint[i], (LINKS - 0.5) * G);
    }
    scene_start(&s);
    scene_step(&s, 1e-3);
    ck_assert_int_eq(s.report.breaks, 1);
    for (int i = 0; i < LINKS; ++i) {
        ck_assert_int_eq(pcs_state_broken(s.m, s.st, joint[i]), i == 0);
    }
    scene_step(&s, 1e-3);
    for (int i = 0; i < LINKS; ++i) {
        CK_NEAR(scene_v(&s, link[i])[2], -G * 1e-3, 1e-10); // and falls as a whole
    }
    scene_close(&s);
}

// motor, friction and limits of a joint end with it: a wheel keeps its speed after that
TEST(what_acts_on_a_joint_ends_with_it)
{
    scene s = scene_open();
    scene_gravity(&s, 0, 0, -G);
    const pcs_system wheel = scene_ball(&s, 2, 0.3, origin, origin);
    const pcs_interaction pivot = place(&s, PCS_JOINT_HINGE, wheel, world, origin, e_y);
    pcs_joint_motor motor = pcs_joint_motor_default(pivot);
    motor.of_speed = true;
    motor.limit = 0.2;
    motor.target.offset = 50;
    const pcs_joint_friction dry = {.joint = pivot, .limit = 0.05, .mu = 0.1, .radius = 0.01};
    const pcs_joint_limits stops = {.joint = pivot, .low = -0.5, .high = 0.5};
    pcs_interaction on[3];
    CK_OK(pcs_model_add_joint_motor(s.m, &motor, &on[0]));
    CK_OK(pcs_model_add_joint_friction(s.m, &dry, &on[1]));
    CK_OK(pcs_model_add_joint_limits(s.m, &stops, &on[2]));
    limit_force(&s, pivot, 100);
    scene_start(&s);
    for (int i = 0; i < 20; ++i) {
        scene_step(&s, 1e-3);
    }
    const double spin = scene_v(&s, wheel)[4];
    ck_assert_double_gt(fabs(spin), 0.01);
    CK_OK(pcs_state_set_broken(s.m, s.st, pivot, true));
    for (int i = 0; i < 3; ++i) {
        ck_assert(pcs_state_broken(s.m, s.st, on[i]));
        ck_assert_int_eq(pcs_state_set_broken(s.m, s.st, on[i], false), PCS_ERR_ARG);
        CK_SAYS(pcs_model_set_strength(s.m, on[i], (pcs_strength){1, 1}), PCS_ERR_ARG,
                "give the strength to the joint");
    }
    for (int i = 0; i < 2000; ++i) {
        scene_step(&s, 1e-3);
        scene_check_ledger(&s);
    }
    CK_NEAR(scene_v(&s, wheel)[4], spin, 1e-12);
    CK_NEAR(scene_v(&s, wheel)[2], -2 * G, 1e-9);
    scene_close(&s);
}

// Broken is a part of the state: copies, saved bytes and hashes have it, and a run that is
// continued from them has the same bits
TEST(broken_is_a_part_of_the_state)
{
    scene s = scene_open();
    scene_gravity(&s, 0, 0, -G);
    scene_ground(&s, 0);
    pcs_interaction hook[3];
    for (int i = 0; i < 3; ++i) {
        const double at[3] = {i, 0, 0.15};
        const pcs_system ball = scene_solid_ball(&s, 1 + i, 0.1, at, origin, 0);
        hook[i] = place(&s, PCS_JOINT_BALL, ball, world, at, e_z);
        CK_OK(pcs_model_set_touching(s.m, hook[i], true));
        limit_force(&s, hook[i], 2.5 * G);
    }
    scene_start(&s);
    pcs_state *copy, *loaded;
    CK_OK(pcs_state_create(s.m, &copy));
    CK_OK(pcs_state_create(s.m, &loaded));
    const unsigned long long before = pcs_state_hash(s.st);
    scene_step(&s, 1e-3);
    for (int i = 0; i < 3; ++i) {
        ck_assert_int_eq(pcs_state_broken(s.m, s.st, hook[i]), i == 2);
    }
    CK_OK(pcs_state_set_broken(s.m, s.st, hook[0], true));
    ck_assert(pcs_state_hash(s.st) != before);
    CK_OK(pcs_state_copy(s.st, copy));
    const size_t size = pcs_state_save_bytes(s.st);
    unsigned char *bytes = malloc(size);
    ck_assert_ptr_nonnull(bytes);
    pcs_state_save(s.st, bytes);
    CK_OK(pcs_state_load(loaded, bytes, size));
    free(bytes);
    ck_assert(pcs_state_equal(s.st, copy) && pcs_state_equal(s.st, loaded));
    pcs_state *of[] = {s.st, copy, loaded};
    for (int k = 0; k < 3; ++k) {
        pcs_work *wk;
        CK_OK(pcs_work_create(s.m, &wk));
        for (int i = 0; i < 300; ++i) {
            CK_OK(pcs_step(s.m, of[k], wk, 1e-3, NULL));
        }
        ck_assert(pcs_state_broken(s.m, of[k], hook[0]) && pcs_state_broken(s.m, of[k], hook[2]));
        ck_assert(!pcs_state_broken(s.m, of[k], hook[1]));
        pcs_work_destroy(wk);
    }
    ck_assert(pcs_state_equal(s.st, copy) && pcs_state_equal(s.st, loaded));
    CK_NEAR(scene_q(&s, (pcs_system){1})[2], 0.1, 1e-3); // on the floor
    CK_NEAR(scene_q(&s, (pcs_system){2})[2], 0.15, 1e-9);

    // mended, the joint takes its body back
    CK_OK(pcs_state_set_broken(s.m, s.st, hook[0], false));
    ck_assert(!pcs_state_broken(s.m, s.st, hook[0]) && pcs_state_broken(s.m, s.st, hook[2]));
    CK_OK(pcs_project(s.m, s.st, s.wk, NULL));
    scene_step(&s, 1e-3);
    CK_NEAR(scene_q(&s, (pcs_system){1})[2], 0.15, 1e-6);
    pcs_state_destroy(copy);
    pcs_state_destroy(loaded);
    scene_close(&s);
}

// two bricks that a bond holds together do not touch; apart they do
TEST(bodies_of_a_broken_joint_touch)
{
    const double edges[3] = {0.4, 0.4, 0.2}, low[3] = {0, 0, 0.1}, high[3] = {0, 0, 0.3};
    scene s = scene_open();
    scene_gravity(&s, 0, 0, -G);
    scene_ground(&s, 0);
    const pcs_system under = scene_box(&s, 1, edges, low, NULL, origin, origin);
    const pcs_system over = scene_box(&s, 1, edges, high, NULL, origin, origin);
    const pcs_shape brick = pcs_shape_box(edges[0], edges[1], edges[2]);
    scene_shape(&s, under, brick, 0);
    scene_shape(&s, over, brick, 0);
    const pcs_interaction bond =
        place(&s, PCS_JOINT_FIXED, over, under, (double[]){0, 0, 0.2}, e_z);
    scene_start(&s);
    for (int k = 0; k < 2; ++k) {
        int between = 0;
        const pcs_contact *contact;
        CK_OK(pcs_state_set_broken(s.m, s.st, bond, k == 1));
        for (int i = 0; i < 50; ++i) {
            scene_step(&s, 1e-3);
        }
        const int n = scene_contacts(&s, &contact);
        for (int i = 0; i < n; ++i) {
            between += contact[i].system1.id > 0 && contact[i].system2.id > 0 &&
                       contact[i].interaction == 0 && contact[i].active;
        }
        ck_assert_int_eq(between > 0, k == 1);
        CK_NEAR(scene_q(&s, over)[2], 0.3, 1e-4);
    }
    scene_close(&s);
}

// A weight that sleeps on its hook falls when the hook has become too weak, and sleeps again on the
// floor, beside what is broken
TEST(a_sleeping_joint_breaks)
{
    const double at[3] = {0, 0, 0.15};
    scene s = scene_open();
    s.scheme = pcs_scheme_default();
    s.scheme.sleep = true;
    scene_gravity(&s, 0, 0, -G);
    scene_ground(&s, 0);
    const pcs_system ball = scene_solid_ball(&s, 1, 0.1, at, origin, 0);
    const pcs_interaction hook = place(&s, PCS_JOINT_FIXED, ball, world, at, e_z);
    CK_OK(pcs_model_set_touching(s.m, hook, true));
    limit_force(&s, hook, 2 * G);
    scene_start(&s);
    for (int i = 0; i < 100; ++i) {
        scene_step(&s, 1e-3);
    }
    ck_assert(pcs_state_asleep(s.m, s.st, ball));
    limit_force(&s, hook, 0.5 * G);
    scene_step(&s, 1e-3);
    ck_assert_int_eq(s.report.breaks, 1);
    CK_NEAR(s.report.break_load, 2, 1e-9);
    scene_step(&s, 1e-3);
    ck_assert_int_eq(s.report.breaks, 0);
    CK_NEAR(scene_v(&s, ball)[2], -G * 1e-3, 1e-12);
    for (int i = 0; i < 600; ++i) {
        scene_step(&s, 1e-3);
    }
    ck_assert(pcs_state_asleep(s.m, s.st, ball) && pcs_state_broken(s.m, s.st, hook));
    CK_NEAR(scene_q(&s, ball)[2], 0.1, 1e-4);
    scene_close(&s);
}

// a run counts what breaks, and its log says it
static void keep_log(pcs_log_level level, const char *message, void *user)
{
    if (level == PCS_LOG_INFO) snprintf(user, 200, "%s", message);
}

TEST(reports_and_log_of_a_break)
{
    char said[200] = "";
    const pcs_env env = {.log = keep_log, .log_user = said};
    pcs_model *m;
    pcs_state *st;
    pcs_work *wk;
    pcs_run_report report;
    CK_OK(pcs_model_create(&env, &m));
    pcs_body_def def = pcs_body_def_default();
    pcs_system body;
    pcs_interaction hook;
    CK_OK(pcs_model_add_body(m, &def, &body));
    const pcs_interaction_def held = {pcs_relation_ball_joint(origin, origin), pcs_law_equality(),
                                      body, world};
    CK_OK(pcs_model_add_interaction(m, &held, &hook));
    CK_OK(pcs_model_set_interaction_name(m, hook, "hook"));
    CK_OK(pcs_model_set_strength(m, hook, (pcs_strength){0.5 * G * def.mass, INFINITY}));
    CK_OK(pcs_state_create(m, &st));
    CK_OK(pcs_work_create(m, &wk));
    CK_OK(pcs_run(m, st, wk, 1e-3, 0.1, NULL, NULL, &report));
    ck_assert_int_eq(report.breaks, 1);
    ck_assert_msg(strstr(said, "'hook' breaks in the step from t = 0 s: it bears 2 times"), "%s",
                  said);
    pcs_work_destroy(wk);
    pcs_state_destroy(st);
    pcs_model_destroy(m);
}

TEST(strengths_that_are_refused)
{
    scene s = scene_open();
    const pcs_system one = scene_ball(&s, 1, 0.1, origin, origin);
    const pcs_interaction joint = place(&s, PCS_JOINT_HINGE, one, world, origin, e_z);
    const pcs_interaction rope = scene_join(&s, pcs_relation_rope(origin, (double[]){0, 0, 1}, 1),
                                            pcs_law_newton_impact(0), one, world);
    static const double bad[][2] = {{0, 1}, {1, 0}, {-1, 1}, {1, -1}, {NAN, 1}, {1, NAN}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        CK_SAYS(pcs_model_set_strength(s.m, joint, (pcs_strength){bad[i][0], bad[i][1]}),
                PCS_ERR_ARG, "both must be positive");
    }
    CK_SAYS(pcs_model_set_strength(s.m, rope, (pcs_strength){1, 1}), PCS_ERR_ARG, "no moment");
    CK_SAYS(pcs_model_set_strength(s.m, (pcs_interaction){9}, (pcs_strength){1, 1}), PCS_ERR_ARG,
            "there is no interaction 9");
    CK_SAYS(pcs_model_set_strength(NULL, joint, (pcs_strength){1, 1}), PCS_ERR_ARG, "null");
    CK_OK(pcs_model_set_strength(s.m, joint, (pcs_strength){3, 4}));
    const pcs_strength back = pcs_model_strength(s.m, joint);
    ck_assert(back.force == 3 && back.moment == 4);
    ck_assert(isinf(pcs_model_strength(s.m, rope).force));
    scene_start(&s);
    CK_SAYS(pcs_state_set_broken(s.m, s.st, (pcs_interaction){9}, true), PCS_ERR_ARG,
            "there is no interaction 9");
    ck_assert(!pcs_state_broken(s.m, s.st, (pcs_interaction){9}));
    pcs_smooth *smooth;
    CK_OK(pcs_model_set_interaction_enabled(s.m, rope, false));
    CK_SAYS(pcs_smooth_create(NULL, s.m, NULL, &smooth), PCS_ERR_UNSUPPORTED,
            "breaks at its strength");
    scene_close(&s);
}
