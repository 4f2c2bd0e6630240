// Forces of the last step: reactions, forces of pairs, pressure; against statics and momentum.
#include "scene.h"

#include <string.h>

#include <percuss/parts.h>
#include <percuss/query.h>

static double norm3(const double x[3])
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

// a body at rest in any pose, held at a point above its centre: the reaction is its weight, without
// a moment about the joint; about G the moment is that of the weight at the joint
TEST(a_hanging_body)
{
    test_random r = random_seed(3);
    for (int k = 0; k < TEST_DRAWS(40); ++k) {
        scene s = scene_open();
        double Q[4], hook[3] = {0.3, -0.2, 1.5}, up[3], eye[3], x[3];
        for (int i = 0; i < 4; ++i) {
            Q[i] = 2 * random_unit(&r) - 1;
        }
        CK_OK(pcs_quat_normalise(Q));
        pcs_quat_rotate((double[4]){Q[0], -Q[1], -Q[2], -Q[3]}, (double[3]){0, 0, 0.4}, eye);
        pcs_quat_rotate(Q, eye, up);
        for (int i = 0; i < 3; ++i) {
            x[i] = hook[i] - up[i];
        }
        const pcs_system b = scene_box(&s, 2.5, (double[3]){0.1, 0.2, 0.3}, x, Q, NULL, NULL);
        pcs_interaction_def def = pcs_interaction_def_default();
        def.relation = pcs_relation_ball_joint(eye, hook);
        def.system1 = b;
        pcs_interaction joint;
        CK_OK(pcs_model_add_interaction(s.m, &def, &joint));
        scene_start(&s);
        const double h = 2e-3, weight = 2.5 * 9.81;
        scene_step(&s, h);
        ck_assert_double_eq(pcs_work_step_size(s.wk), h);
        double w[6], m[3];
        pcs_body_frame frame = pcs_body_frame_of(b);
        memcpy(frame.origin, eye, sizeof eye);
        frame.inertial = true;
        CK_OK(pcs_work_reaction(s.wk, joint, &frame, w));
        CK_NEAR(w[2] / h, weight, 1e-9 * weight);
        CK_NEAR(hypot(w[0], w[1]) / h, 0, 1e-9 * weight);
        CK_NEAR(norm3(w + 3) / h, 0, 1e-9 * weight);

        // about a point beside the joint, in axes rotated against the body
        frame.inertial = false;
        frame.origin[0] += 0.7;
        memcpy(frame.orientation, (double[4]){0.5, -0.2, 0.9, 0.1}, sizeof frame.orientation);
        CK_OK(pcs_work_reaction(s.wk, joint, &frame, w));
        double f[3] = {0, 0, weight * h}, lever[3] = {-0.7, 0, 0};
        const double back[4] = {Q[0], -Q[1], -Q[2], -Q[3]}, turn[4] = {0.5, 0.2, -0.9, -0.1};
        pcs_quat_rotate(back, f, f);
        for (int i = 0; i < 3; ++i) {
            const int j = (i + 1) % 3, l = (i + 2) % 3;
            m[i] = lever[j] * f[l] - lever[l] * f[j];
        }
        pcs_quat_rotate(turn, f, f);
        pcs_quat_rotate(turn, m, m);
        for (int i = 0; i < 3; ++i) {
            CK_NEAR(w[i], f[i], 1e-9 * weight * h);
            CK_NEAR(w[3 + i], m[i], 1e-9 * weight * h);
        }
        scene_close(&s);
    }
}

// for every body the change of momentum is the impulse of its weight, of each other system and of
// its joints; the pairs have opposite forces; the sum of all pairs is the wrench of
// pcs_work_contact_wrench
TEST(pairs_and_joints_change_the_momentum)
{
    int pressed = 0;
    for (uint64_t seed = 1; seed <= 6; ++seed) {
        scene s;
        scene_random_rough(&s, seed, 0.6);
        s.scheme = pcs_scheme_moreau_jean();
        scene_start(&s);
        double g[3];
        pcs_model_gravity(s.m, g);
        const int n = pcs_model_system_count(s.m);
        const double h = 2e-3;
        for (int k = 0; k < 60; ++k) {
            scene_step(&s, h);
            for (int b = 1; b <= n; ++b) {
                const pcs_system body = {b};
                pcs_body_def def;
                CK_OK(pcs_model_body(s.m, body, &def));
                if (def.fixed || def.motion) continue;
                pcs_body_frame frame = pcs_body_frame_of(body);
                double sum[6] = {0}, all[6], w[6], back[6];
                for (int o = 0; o <= n; ++o) {
                    if (o == b) continue;
                    CK_OK(pcs_work_pair_wrench(s.wk, (pcs_system){o}, &frame, w));
                    // about G, in axes of the body
                    double f[3];
                    frame.inertial = true;
                    CK_OK(pcs_work_pair_wrench(s.wk, (pcs_system){o}, &frame, w));
                    memcpy(f, w, sizeof f);
                    frame.inertial = false;
                    CK_OK(pcs_work_pair_wrench(s.wk, (pcs_system){o}, &frame, w));
                    for (int i = 0; i < 3; ++i) {
                        sum[i] += f[i];
                        sum[3 + i] += w[3 + i];
                    }
                    if (o == 0 || norm3(f) == 0) continue;
                    pcs_body_frame other = pcs_body_frame_of((pcs_system){o});
                    other.inertial = true;
                    CK_OK(pcs_work_pair_wrench(s.wk, body, &other, back));
                    for (int i = 0; i < 3; ++i) {
                        CK_NEAR(f[i], -back[i], 1e-13 * (1 + norm3(f)));
                    }
                    pressed += 1;
                }
                frame.inertial = true;
                for (int j = 1; j <= pcs_model_interaction_count(s.m); ++j) {
                    pcs_interaction_def joint;
                    CK_OK(pcs_model_interaction(s.m, (pcs_interaction){j}, &joint));
                    if (joint.system1.id != b && joint.system2.id != b) continue;
                    frame.inertial = true;
                    CK_OK(pcs_work_reaction(s.wk, (pcs_interaction){j}, &frame, w));
                    frame.inertial = false;
                    CK_OK(pcs_work_reaction(s.wk, (pcs_interaction){j}, &frame, back));
                    for (int i = 0; i < 3; ++i) {
                        sum[i] += w[i];
                        sum[3 + i] += back[3 + i];
                    }
                }
                pcs_work_contact_wrench(s.wk, body, all);
                const double *v0 = s.v_before + (pcs_state_read_v(s.m, s.st, body) - s.st->v);
                expect_same(sum, all, 6, 1e-12 * (1 + norm3(all)));
                if (def.force) continue;
                const double *v = pcs_state_read_v(s.m, s.st, body);
                for (int i = 0; i < 3; ++i) {
                    const double change = def.mass * (v[i] - v0[i]);
                    CK_NEAR(change, sum[i] + def.mass * g[i] * h,
                            1e-10 * def.mass * (1 + norm3(v) + norm3(v0)));
                }
            }
        }
        scene_close(&s);
    }
    ck_assert_int_gt(pressed, 20);
}

// Bars in a row whose velocities contradict their joints, held by the world at the first one or
// free, without weight: the step strikes them, and then takes the energy that its projection adds.
// On each body the wrench, with the impulse of gravity, is the change of momentum, and it is the
// sum of the reactions of its joints; a joint pushes both of its bodies alike
static void expect_struck(uint64_t seed, bool held)
{
    enum { BARS = 3 };
    static const pcs_joint_kind kinds[] = {PCS_JOINT_HINGE, PCS_JOINT_SLIDER, PCS_JOINT_BALL,
                                           PCS_JOINT_FIXED, PCS_JOINT_UNIVERSAL};
    const double h = 0.01, mass = 2, weight = held ? 9.81 * mass : 0;
    test_random r = random_seed(seed);
    scene s = scene_open();
    s.scheme = pcs_scheme_default();
    scene_gravity(&s, 0, 0, -weight / mass);
    pcs_system bar[BARS];
    pcs_interaction joint[BARS];
    double before[6 * BARS], sum[BARS][6] = {{0}};
    for (int i = 0; i < BARS; ++i) {
        const double x[3] = {0.25 + 0.5 * i, 0, 0};
        double v[6];
        for (int j = 0; j < 6; ++j) {
            v[j] = random_between(&r, -2, 2);
        }
        bar[i] = scene_box(&s, mass, (double[]){0.4, 0.1, 0.1}, x, NULL, v, v + 3);
    }
    for (int i = held ? 0 : 1; i < BARS; ++i) {
        pcs_joint_def def = pcs_joint_def_default(kinds[(int)(5 * random_unit(&r))]);
        def.system1 = bar[i];
        if (i > 0) def.system2 = bar[i - 1];
        CK_OK(pcs_model_place_joint(s.m, (double[]){0.5 * i, 0, 0}, (double[]){i % 2, 1, 0},
                                    (double[]){0, 0, 1}, &def));
        CK_OK(pcs_model_add_joint(s.m, &def, &joint[i]));
    }
    scene_start(&s);
    memcpy(before, s.st->v, sizeof before);
    scene_step(&s, h);
    ck_assert_int_eq(s.report.outcome, PCS_OUTCOME_CONVERGED);
    for (int i = held ? 0 : 1; i < BARS; ++i) {
        double on[2][6] = {{0}};
        for (int side = 0; side < 2 && side <= i; ++side) {
            const pcs_body_frame frame = pcs_body_frame_of(bar[i - side]);
            pcs_body_frame across = frame;
            double own[6];
            across.inertial = true;
            CK_OK(pcs_work_reaction(s.wk, joint[i], &across, on[side]));
            CK_OK(pcs_work_reaction(s.wk, joint[i], &frame, own));
            for (int j = 0; j < 3; ++j) {
                sum[i - side][j] += on[side][j];
                sum[i - side][3 + j] += own[3 + j];
            }
        }
        for (int j = 0; j < 3 && i > 0; ++j) {
            CK_NEAR(on[0][j] + on[1][j], 0, 1e-9);
        }
    }
    for (int i = 0; i < BARS; ++i) {
        double w[6];
        pcs_work_contact_wrench(s.wk, bar[i], w);
        for (int j = 0; j < 3; ++j) {
            const double force = j == 2 ? -weight : 0, v = scene_v(&s, bar[i])[j];
            CK_NEAR(w[j] + h * force, mass * (v - before[6 * i + j]), 1e-9);
        }
        for (int j = 0; j < 6; ++j) {
            CK_NEAR(w[j], sum[i][j], 1e-9);
        }
    }
    scene_close(&s);
}

TEST(struck_joints_change_the_momentum)
{
    for (uint64_t seed = 1; seed <= TEST_FEW(20, 200); ++seed) {
        expect_struck(seed, true);
        expect_struck(seed, false);
    }
}

// A slack chain in flight with a load at each end, which fly apart: where the chain becomes taut
// within a step, it keeps its momentum and its angular momentum, so that joints alone give what is
// taken from its bodies
TEST(a_chain_that_becomes_taut_in_flight)
{
    enum { LINKS = 5 };
    test_random r = random_seed(5);
    for (int k = 0; k < TEST_FEW(2, 10); ++k) {
        scene s = scene_open();
        s.scheme = pcs_scheme_default();
        scene_gravity(&s, 0, 0, 0);
        const double length = 0.2, load = random_between(&r, 1, 30);
        double end[3] = {0};
        pcs_system link[LINKS];
        for (int i = 0; i < LINKS; ++i) {
            const bool heavy = i == 0 || i == LINKS - 1;
            const double angle = random_between(&r, 0, 1.3) * (i % 2 ? 1 : -1);
            const double along[3] = {length * cos(angle), length * sin(angle), 0};
            const double Q[4] = {cos(angle / 2), 0, 0, sin(angle / 2)};
            const double fast = heavy ? (i == 0 ? -3 : 3) : 0;
            const double v[3] = {fast, fast * random_between(&r, -1, 1), 0};
            const double x[3] = {end[0] + along[0] / 2, end[1] + along[1] / 2, 0};
            link[i] =
                scene_box(&s, heavy ? load : 0.1, (double[]){length, 0.02, 0.02}, x, Q, v, NULL);
            if (i > 0) {
                pcs_joint_def def = pcs_joint_def_default(PCS_JOINT_BALL);
                def.system1 = link[i];
                def.system2 = link[i - 1];
                CK_OK(pcs_model_place_joint(s.m, end, (double[]){0, 0, 1}, NULL, &def));
                CK_OK(pcs_model_add_joint(s.m, &def, NULL));
            }
            end[0] += along[0];
            end[1] += along[1];
        }
        scene_start(&s);
        for (int step = 0; step < 100; ++step) {
            scene_step(&s, 5e-3);
            for (int i = 0; i < LINKS; ++i) {
                const pcs_body_frame frame = pcs_body_frame_of(link[i]);
                double w[6], one[6], m[3] = {0};
                pcs_work_contact_wrench(s.wk, link[i], w);
                for (int id = i > 0 ? i : 1; id <= i + 1 && id < LINKS; ++id) {
                    CK_OK(pcs_work_reaction(s.wk, (pcs_interaction){id}, &frame, one));
                    for (int j = 0; j < 3; ++j) {
                        m[j] += one[3 + j];
                    }
                }
                for (int j = 0; j < 3; ++j) {
                    CK_NEAR(m[j], w[3 + j], 1e-10);
                }
            }
        }
        scene_close(&s);
    }
}

// A chain between two walls, and its weight: the rows of a straight chain do not hold it, and what
// the projection then takes is what its joints give
TEST(a_straight_chain_hangs_from_its_ends)
{
    enum { LINKS = 5 };
    scene s = scene_open();
    s.scheme = pcs_scheme_default();
    pcs_interaction end[2] = {{0}, {0}};
    pcs_system link[LINKS];
    for (int i = 0; i <= LINKS; ++i) {
        const double x[3] = {0.25 + 0.5 * i, 0, 0};
        pcs_joint_def def = pcs_joint_def_default(PCS_JOINT_BALL);
        pcs_interaction joint;
        if (i < LINKS) {
            link[i] = scene_box(&s, 1, (double[]){0.5, 0.05, 0.05}, x, NULL, NULL, NULL);
        }
        def.system1 = link[i < LINKS ? i : LINKS - 1];
        if (i > 0 && i < LINKS) def.system2 = link[i - 1];
        CK_OK(
            pcs_model_place_joint(s.m, (double[]){0.5 * i, 0, 0}, (double[]){0, 0, 1}, NULL, &def));
        CK_OK(pcs_model_add_joint(s.m, &def, &joint));
        if (i == 0 || i == LINKS) end[i > 0] = joint;
    }
    scene_start(&s);
    double mean = 0;
    for (int k = 0; k < 20; ++k) {
        double w[2][6], p0[3], p1[3];
        CK_OK(pcs_state_momentum(s.m, s.st, p0, NULL));
        scene_step(&s, 0.01);
        CK_OK(pcs_state_momentum(s.m, s.st, p1, NULL));
        for (int e = 0; e < 2; ++e) {
            pcs_body_frame frame = pcs_body_frame_of(link[e > 0 ? LINKS - 1 : 0]);
            frame.inertial = true;
            CK_OK(pcs_work_reaction(s.wk, end[e], &frame, w[e]));
        }
        for (int j = 0; j < 3; ++j) {
            const double weight = j == 2 ? -9.81 * LINKS * 0.01 : 0;
            CK_NEAR(w[0][j] + w[1][j] + weight, p1[j] - p0[j], 1e-8);
        }
        mean += (w[0][2] + w[1][2]) / (20 * 0.01);
    }
    CK_NEAR(mean, 9.81 * LINKS, 0.02 * 9.81 * LINKS);
    scene_close(&s);
}

// two boxes on each other under gravity tilted by a: the forces on the upper one act on the line of
// its weight, half its height times tan a downhill; those of the ground on that of both
TEST(the_centre_of_pressure_of_a_tilted_stack)
{
    const double tilt[3] = {0, 0.05, 0.12};
    for (int k = 0; k < 3; ++k) {
        scene s = scene_open();
        s.scheme = pcs_scheme_default();
        s.scheme.solver.tol = 1e-12;
        const double g = 9.81, a = tilt[k], edges[3] = {1, 0.8, 0.6};
        scene_gravity(&s, g * sin(a), 0, -g * cos(a));
        pcs_system b[2];
        for (int i = 0; i < 2; ++i) {
            b[i] =
                scene_box(&s, 2 + i, edges, (double[3]){0.2, 0.1, 0.3 + 0.6 * i}, NULL, NULL, NULL);
            scene_rough(&s, b[i], pcs_shape_box(1, 0.8, 0.6), 0, 0, 0.8);
        }
        scene_rough(&s, (pcs_system){0}, pcs_shape_half_space((double[3]){0, 0, 1}, 0), 0, 0, 0.8);
        scene_start(&s);
        const double h = 1e-3, down[3] = {0, 0, -2}, up[3] = {0, 0, 1}, side[3] = {1, 0, 0};
        for (int i = 0; i < 20; ++i) {
            scene_step(&s, h);
        }
        pcs_pressure p;
        CK_OK(pcs_work_pressure(s.wk, 1, 0, NULL, &p));
        CK_NEAR(p.normal / h, 3 * g * cos(a), 1e-6);
        CK_NEAR(p.impulse[0] / h, -3 * g * sin(a), 1e-6);
        CK_NEAR(p.impulse[2] / h, 3 * g * cos(a), 1e-6);
        CK_NEAR(p.centre[0], 0.2 + 0.3 * tan(a), 1e-6);
        CK_NEAR(p.centre[1], 0.1, 1e-6);
        CK_NEAR(p.centre[2], 0.6, 1e-6);

        // heights of G over the ground: 0.3 of 2 kg, 0.9 of 3 kg
        CK_OK(pcs_work_pressure(s.wk, 0, 2, down, &p));
        CK_NEAR(p.normal / h, 5 * g * cos(a), 1e-6);
        CK_NEAR(p.centre[0], 0.2 + (2 * 0.3 + 3 * 0.9) / 5 * tan(a), 1e-6);

        // the faces of the lower box, and the ground from its own side
        pcs_pressure q;
        CK_OK(pcs_work_pressure(s.wk, 0, -1, down, &q));
        ck_assert_mem_eq(&p, &q, sizeof p);
        CK_OK(pcs_work_pressure(s.wk, 2, 0, up, &q));
        CK_NEAR(q.normal, p.normal, 1e-12);
        CK_NEAR(q.impulse[2], -p.impulse[2], 1e-12);
        CK_NEAR(q.centre[0], p.centre[0], 1e-6);
        CK_OK(pcs_work_pressure(s.wk, 0, -1, up, &q));
        CK_NEAR(q.normal / h, 3 * g * cos(a), 1e-6);
        CK_NEAR(q.impulse[2] / h, -3 * g * cos(a), 1e-6);
        CK_OK(pcs_work_pressure(s.wk, 0, -1, side, &q));
        ck_assert(q.contacts == 0 && q.normal == 0 && q.centre[0] == 0);
        scene_close(&s);
    }
}

TEST(invalid_queries_are_refused)
{
    scene s = scene_open();
    const pcs_system a = scene_ball(&s, 1, 0.1, (double[3]){0, 0, 0.1}, NULL);
    const pcs_system b = scene_ball(&s, 1, 0.1, (double[3]){3, 0, 0.1}, NULL);
    scene_shape(&s, a, pcs_shape_sphere(0.1), 0);
    scene_ground(&s, 0);
    pcs_interaction_def def = pcs_interaction_def_default();
    def.relation = pcs_relation_ball_joint((double[3]){0}, (double[3]){0, 0, 0.1});
    def.system1 = a;
    pcs_interaction joint;
    CK_OK(pcs_model_add_interaction(s.m, &def, &joint));
    CK_OK(pcs_model_set_interaction_enabled(s.m, joint, false));
    scene_start(&s);
    pcs_body_frame frame = pcs_body_frame_of(a), other = pcs_body_frame_of(b),
                   world = pcs_body_frame_of((pcs_system){0});
    pcs_pressure p;
    double w[6] = {1, 2, 3, 4, 5, 6};

    // nothing acts before a step
    CK_OK(pcs_work_reaction(s.wk, joint, &frame, w));
    ck_assert(norm3(w) == 0 && norm3(w + 3) == 0 && pcs_work_step_size(s.wk) == 0);
    CK_OK(pcs_work_pressure(s.wk, 0, -1, NULL, &p));
    ck_assert(p.contacts == 0);
    scene_step(&s, 1e-3);
    CK_OK(pcs_work_reaction(s.wk, joint, &frame, w)); // disabled
    ck_assert(norm3(w) == 0);
    CK_OK(pcs_work_pair_wrench(s.wk, (pcs_system){0}, &frame, w));
    CK_NEAR(w[2], 9.81e-3, 1e-9);
    CK_FAILS(pcs_work_reaction(s.wk, joint, &other, w), PCS_ERR_ARG);
    CK_FAILS(pcs_work_reaction(s.wk, joint, &world, w), PCS_ERR_ARG);
    CK_FAILS(pcs_work_reaction(s.wk, (pcs_interaction){2}, &frame, w), PCS_ERR_ARG);
    CK_FAILS(pcs_work_reaction(NULL, joint, &frame, w), PCS_ERR_ARG);
    CK_FAILS(pcs_work_pair_wrench(s.wk, (pcs_system){7}, &frame, w), PCS_ERR_ARG);
    CK_FAILS(pcs_work_pressure(s.wk, 2, -1, NULL, &p), PCS_ERR_ARG);
    CK_FAILS(pcs_work_pressure(s.wk, 0, -2, NULL, &p), PCS_ERR_ARG);
    CK_FAILS(pcs_work_pressure(s.wk, 0, -1, (double[3]){0}, &p), PCS_ERR_ARG);
    frame.orientation[0] = 0;
    CK_FAILS(pcs_work_pair_wrench(s.wk, (pcs_system){0}, &frame, w), PCS_ERR_ARG);
    frame.inertial = true;
    CK_OK(pcs_work_pair_wrench(s.wk, (pcs_system){0}, &frame, w));
    scene_close(&s);
}
