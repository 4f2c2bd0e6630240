// Steps with contacts: the laws row by row, the ledger, closed forms and momenta, for every
// activation, theta and shape, and the results that can be read of the contacts of a step.
#include "scene.h"

#include <stdio.h>
#include <string.h>

#include "linalg/m3.h"

static void step_and_check(scene *s, double h)
{
    scene_step(s, h);
    scene_check_step(s);
}

// ---- one ball -----------------------------------------------------------------------------------

// the ball as a body, and as one coordinate with a linear relation: the same to rounding
TEST(both_formulations_of_the_bouncing_ball)
{
    for (int k = 0; k < 6; ++k) {
        scene s = scene_open();
        s.scheme.theta = k % 2 == 0 ? 0.5 : 0.8;
        s.scheme.activation = k / 2 == 2 ? PCS_ACTIVATION_END_OF_STEP : PCS_ACTIVATION_PREDICTIVE;
        s.scheme.gamma = k / 2 == 1 ? 1 : 0.5;
        scene_ground(&s, 0.9);
        const pcs_system ball = scene_solid_ball(&s, 1, 0.1, (double[3]){0, 0, 1}, NULL, 0.9);
        const double mass = 1, load = -9.81, q0 = 1, c = 1;
        const pcs_lagrangian_def def = {.n = 1, .mass = &mass, .load = &load, .q0 = &q0};
        const pcs_system height = scene_add_lagrangian(&s, &def);
        scene_join(&s, pcs_relation_linear(1, &c, -0.1), pcs_law_newton_impact(0.9), height,
                   (pcs_system){0});
        scene_start(&s);
        int impacts = 0;
        for (int i = 0; i < 500; ++i) {
            step_and_check(&s, 0.005);
            impacts += s.report.active > 0;
            CK_NEAR(scene_q(&s, ball)[2], scene_q(&s, height)[0], 1e-12);
            CK_NEAR(scene_v(&s, ball)[2], scene_v(&s, height)[0], 1e-12);
            ck_assert(scene_v(&s, ball)[3] == 0 && scene_v(&s, ball)[4] == 0);
        }
        ck_assert_int_ge(impacts, 3);
        scene_close(&s);
    }
}

// 1-dof oscillator against a stop at q = -0.1: between the impacts q = a cos(w t) + b sin(w t)
TEST(an_oscillator_hits_a_stop)
{
    const double w = 5, e = 0.6, stop = -0.1, q0 = 0.4, T = 1.5;
    double a = q0, b = 0, t = 0; // exact, from impact to impact
    for (;;) {
        // the first root of a cos + b sin = stop with negative speed, by bisection on a fine grid
        double hit = INFINITY;
        for (double x = 1e-6; x < 2; x += 1e-4) {
            const double g0 = a * cos(w * x) + b * sin(w * x) - stop;
            const double g1 = a * cos(w * (x + 1e-4)) + b * sin(w * (x + 1e-4)) - stop;
            if (!(g0 > 0 && g1 <= 0)) continue;
            double low = x, high = x + 1e-4;
            for (int i = 0; i < 60; ++i) {
                const double mid = 0.5 * (low + high);
                if (a * cos(w * mid) + b * sin(w * mid) - stop > 0) {
                    low = mid;
                } else {
                    high = mid;
                }
            }
            hit = low;
            break;
        }
        if (t + hit > T) break;
        const double v = w * (b * cos(w * hit) - a * sin(w * hit));
        t += hit;
        a = stop;
        b = -e * v / w;
    }
    const double exact = a * cos(w * (T - t)) + b * sin(w * (T - t));
    ck_assert(t > 0.5);

    double error[5];
    for (int k = 0; k < 5; ++k) {
        const double mass = 2, stiffness = 2 * w * w, c = 1;
        scene s = scene_open();
        const pcs_lagrangian_def def = {.n = 1, .mass = &mass, .stiffness = &stiffness, .q0 = &q0};
        const pcs_system slider = scene_add_lagrangian(&s, &def);
        scene_join(&s, pcs_relation_linear(1, &c, -stop), pcs_law_newton_impact(e), slider,
                   (pcs_system){0});
        scene_start(&s);
        const int n = 200 << k;
        error[k] = 0;
        for (int i = 0; i < n; ++i) {
            step_and_check(&s, T / n);
        }
        error[k] = fabs(s.st->q[0] - exact);
        ck_assert_msg(error[k] <= 5 * T / n, "error %g with %d steps", error[k], n);
        scene_close(&s);
    }
}

// the impulse of a resting ball carries its weight
TEST(a_resting_ball_weighs)
{
    scene s = scene_open();
    scene_ground(&s, 0);
    scene_solid_ball(&s, 3, 0.1, (double[3]){0, 0, 0.1}, NULL, 0);
    scene_start(&s);
    for (int i = 0; i < 100; ++i) {
        step_and_check(&s, 0.01);
        const pcs_contact *c;
        ck_assert_int_eq(scene_contacts(&s, &c), 1);
        CK_NEAR(c[0].r[0], 3 * 9.81 * 0.01, 1e-13);
        ck_assert_int_eq(c[0].system1.id, 1);
        ck_assert_int_eq(c[0].system2.id, 0);
        ck_assert_int_eq(c[0].shape1, 1);
        ck_assert_int_eq(c[0].shape2, 0);
        ck_assert_int_eq(c[0].interaction, 0);
        CK_NEAR(c[0].P1[2], 0, 1e-13);
        CK_NEAR(s.st->q[2], 0.1, 1e-14);
        double wrench[6];
        pcs_work_contact_wrench(s.wk, c[0].system1, wrench);
        CK_NEAR(wrench[2], 3 * 9.81 * 0.01, 1e-13);
        pcs_work_contact_wrench(s.wk, (pcs_system){0}, wrench);
        ck_assert(wrench[2] == 0);
        pcs_work_contact_wrench(s.wk, (pcs_system){9}, wrench);
        ck_assert(wrench[2] == 0);
    }
    scene_close(&s);
}

// the impulses of the last step are the start of the next solve: at rest they are its solution
TEST(a_warm_start_is_the_answer)
{
    scene s = scene_open();
    s.scheme.solver = pcs_solver_opts_default(PCS_SOLVER_NSGS);
    s.scheme.solver.tol = 1e-9;
    s.scheme.solver.as.nsgs.check_every = 1;
    s.scheme.solver.as.nsgs.depth = 0;
    scene_ground(&s, 0);
    for (int i = 0; i < 6; ++i) {
        const double x[3] = {0, 0, 0.1 + 0.2 * i};
        scene_solid_ball(&s, 1, 0.1, x, NULL, 0);
    }
    scene_start(&s);
    scene_step(&s, 0.01);
    const int cold = s.report.solve.iters;
    ck_assert_int_gt(cold, 20);
    for (int i = 0; i < 10; ++i) {
        scene_step(&s, 0.01);
        ck_assert_int_le(s.report.solve.iters, cold / 5);
    }
    scene_close(&s);
}

// ---- random scenes ------------------------------------------------------------------------------

static void random_scenes(pcs_activation activation, double theta, double h, int lowest)
{
    int active = 0;
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        scene s;
        scene_random(&s, seed);
        s.scheme.activation = activation;
        s.scheme.theta = theta;
        // a fixed point, which converges slowly in a hard impact
        if (seed == 4 && activation != PCS_ACTIVATION_SPECULATIVE)
            s.scheme.configuration = PCS_CONFIGURATION_ITERATE;
        if (seed == 3) s.scheme.configuration = PCS_CONFIGURATION_MIDDLE;
        s.scheme.newton_max = 300;
        s.scheme.update = seed % 2 ? PCS_QUAT_UPDATE_EXP : PCS_QUAT_UPDATE_ADD;
        scene_start(&s);
        for (int i = 0; i < 60; ++i) {
            step_and_check(&s, h);
            active += s.report.active;
        }
        scene_close(&s);
    }
    ck_assert_msg(active >= lowest, "%d", active);
}

TEST(laws_and_ledger_predictive)
{
    random_scenes(PCS_ACTIVATION_PREDICTIVE, 0.5, 3e-3, 250);
    random_scenes(PCS_ACTIVATION_PREDICTIVE, 1, 5e-3, 250);
}

TEST(laws_and_ledger_speculative)
{
    random_scenes(PCS_ACTIVATION_SPECULATIVE, 1, 2e-3, 250);
}

TEST(laws_and_ledger_end_of_step)
{
    random_scenes(PCS_ACTIVATION_END_OF_STEP, 0.5, 3e-3, 250);
    random_scenes(PCS_ACTIVATION_END_OF_STEP, 0.8, 5e-3, 250);
}

// ---- momenta ------------------------------------------------------------------------------------

// two free bodies that collide: momentum to rounding whatever the scheme; for spheres with
// theta = 1 angular momentum too, with any rule of levers
TEST(collisions_conserve_momentum)
{
    test_random r = random_seed(12);
    int hits = 0;
    for (int k = 0; k < 60; ++k) {
        scene s = scene_open();
        scene_gravity(&s, 0, 0, 0);
        s.scheme.theta = k % 2 == 0 ? 1 : 0.5;
        const bool box = k % 4 >= 2;
        const double x1[3] = {-0.16, 0, 0}, v1[3] = {2, 0.2 * random_normal(&r), 0.1};
        const double x2[3] = {0.14, 0.03 * random_normal(&r), 0.02}, v2[3] = {-1, 0, 0};
        const double edges[3] = {0.2, 0.2, 0.2}, w[3] = {random_normal(&r), 1, 2};
        scene_solid_ball(&s, 1, 0.1, x1, v1, 0.7);
        pcs_system b;
        if (box) {
            double Q[4];
            random_quaternion(&r, Q);
            b = scene_box(&s, 2, edges, x2, Q, v2, w);
            scene_shape(&s, b, pcs_shape_box(0.2, 0.2, 0.2), 0);
        } else {
            b = scene_ball(&s, 2, 0.1, x2, v2);
            scene_shape(&s, b, pcs_shape_sphere(0.1), 0);
        }
        scene_start(&s);
        double p0[3], L0[3], p[3], L[3];
        CK_OK(pcs_state_momentum(s.m, s.st, p0, L0));
        for (int i = 0; i < 40; ++i) {
            step_and_check(&s, 2e-3);
            hits += s.report.energy.normal < -1e-6;
            CK_OK(pcs_state_momentum(s.m, s.st, p, L));
            for (int j = 0; j < 3; ++j) {
                CK_NEAR(p[j], p0[j], 1e-13);
                if (s.scheme.theta == 1 && !box) CK_NEAR(L[j], L0[j], 1e-13);
                if (!box) continue;
                CK_NEAR(L[j], L0[j], 2e-2);
            }
        }
        scene_close(&s);
    }
    ck_assert_int_ge(hits, 50);
}

// theory 7.5: over a step an oblique impact changes the angular momentum of two spheres by
// (1 - theta) h (v1 - v2) x p
TEST(angular_momentum_of_an_oblique_impact)
{
    const double h = 1e-3;
    for (int k = 0; k <= 4; ++k) {
        scene s = scene_open();
        scene_gravity(&s, 0, 0, 0);
        s.scheme.theta = 0.25 * k;
        const double x1[3] = {0, 0.05, 0}, v1[3] = {1, 0, 0}, x2[3] = {0.2, 0, 0};
        const double v2[3] = {-2, 0.5, 0.3};
        scene_solid_ball(&s, 1, 0.1, x1, v1, 1);
        scene_solid_ball(&s, 2, 0.1, x2, v2, 1);
        scene_start(&s);
        for (int i = 0; i < 5; ++i) {
            double before[3], after[3], wrench[6], dv[3], leak[3];
            CK_OK(pcs_state_momentum(s.m, s.st, NULL, before));
            v3_sub(s.st->v, s.st->v + 6, dv);
            step_and_check(&s, h);
            CK_OK(pcs_state_momentum(s.m, s.st, NULL, after));
            pcs_work_contact_wrench(s.wk, (pcs_system){1}, wrench);
            v3_cross(dv, wrench, leak);
            for (int j = 0; j < 3; ++j) {
                CK_NEAR(after[j] - before[j], (1 - s.scheme.theta) * h * leak[j], 1e-14);
            }
        }
        scene_close(&s);
    }
}

// ---- speculative --------------------------------------------------------------------------------

// balls thrown towards each other with theta = 1: none ever overlaps
TEST(speculative_contacts_never_overlap)
{
    test_random r = random_seed(13);
    for (int k = 0; k < 6; ++k) {
        scene s = scene_open();
        s.scheme.theta = 1;
        s.scheme.activation = PCS_ACTIVATION_SPECULATIVE;
        scene_ground(&s, 0);
        scene_shape(&s, (pcs_system){0}, pcs_shape_half_space((double[3]){1, 0, 0}, -0.3), 0);
        for (int i = 0; i < 12; ++i) {
            const double x[3] = {0.22 * (i % 3), 0.21 * (double)(i / 6),
                                 0.15 + 0.23 * (double)(i / 3 % 2)};
            const double v[3] = {5 * random_normal(&r), 5 * random_normal(&r),
                                 5 * random_normal(&r)};
            scene_solid_ball(&s, random_between(&r, 0.5, 2), 0.1, x, v, 0);
        }
        scene_start(&s);
        int active = 0;
        for (int i = 0; i < 100; ++i) {
            step_and_check(&s, 0.01);
            active += s.report.active;
            ck_assert_msg(s.report.penetration <= 1e-9, "overlap %g", s.report.penetration);
        }
        ck_assert_int_gt(active, 100);
        scene_close(&s);
    }
}

// a ball at rest and without reach is pushed into the next one within a step
TEST(speculative_contacts_beyond_reach)
{
    scene s = scene_open();
    scene_gravity(&s, 0, 0, 0);
    s.scheme.theta = 1;
    s.scheme.activation = PCS_ACTIVATION_SPECULATIVE;
    const double place[4] = {0, 0.2, 0.401, 0.602};
    for (int i = 0; i < 4; ++i) {
        const double x[3] = {place[i], 0, 0}, v[3] = {i == 0 ? 10 : 0, 0, 0};
        scene_solid_ball(&s, 1, 0.1, x, v, 0);
    }
    scene_start(&s);
    for (int i = 0; i < 5; ++i) {
        step_and_check(&s, 0.01);
        for (int j = 0; j < 3; ++j) {
            ck_assert_msg(s.st->q[7 * (j + 1)] - s.st->q[7 * j] >= 0.2 - 1e-12,
                          "step %d: ball %d overlaps by %g", i, j,
                          0.2 - (s.st->q[7 * (j + 1)] - s.st->q[7 * j]));
        }
    }
    for (int j = 0; j < 4; ++j) {
        CK_NEAR(s.st->v[6 * j], 2.5, 1e-12);
    }
    scene_close(&s);
}

// ---- detection ----------------------------------------------------------------------------------

// a body without gravity, at rest, apart by less than the tolerance: the contact is active
TEST(tolerances_reach_resting_contacts)
{
    for (int k = 0; k < 2; ++k) {
        scene s = scene_open();
        scene_gravity(&s, 0, 0, 0);
        if (k == 0) {
            s.scheme.active_tol = 1e-6;
        } else {
            s.scheme.projection = PCS_PROJECTION_DIRECT_HYSTERESIS;
            s.scheme.hysteresis = 1e-6;
        }
        scene_ground(&s, 0);
        scene_solid_ball(&s, 1, 0.1, (double[3]){0, 0, 0.1 + 5e-7}, NULL, 0);
        scene_start(&s);
        step_and_check(&s, 0.01);
        ck_assert_int_eq(s.report.active, 1);
        scene_close(&s);
    }
}

// a plate that rotates meets a ball far from its centre
TEST(a_rotating_plate_reaches_far)
{
    for (int order = 0; order < 2; ++order) {
        scene s = scene_open();
        scene_gravity(&s, 0, 0, 0);
        s.scheme.gamma = 1;
        const double x[3] = {10, 0, 0.1 + 0.02}, o[3] = {0}, w[3] = {0, -1, 0};
        const double edges[3] = {1, 1, 1};
        pcs_system ball = {0}, plate;
        if (order == 1) ball = scene_ball(&s, 1, 0.1, x, NULL);
        plate = scene_box(&s, 1e6, edges, o, NULL, NULL, w);
        if (order == 0) ball = scene_ball(&s, 1, 0.1, x, NULL);
        scene_shape(&s, plate, pcs_shape_half_space((double[3]){0, 0, 1}, 0), 0);
        scene_shape(&s, ball, pcs_shape_sphere(0.1), 0);
        scene_start(&s);

        // 10 m/s upwards under the ball: within 10 ms the gap of 2 cm closes
        step_and_check(&s, 0.01);
        ck_assert_int_eq(s.report.active, 1);
        CK_NEAR(scene_v(&s, ball)[2], 10, 0.01);
        scene_close(&s);
    }
}

// fixed bodies, with and without an orientation, act like the world
TEST(fixed_bodies_hold)
{
    const double a = 0.3, Q[4] = {cos(a), 0, sin(a), 0};
    double n[3];
    pcs_quat_rotate(Q, (double[3]){0, 0, 1}, n);
    scene s = scene_open();
    pcs_body_def def = pcs_body_def_default();
    def.fixed = true;
    memcpy(def.orientation, Q, sizeof def.orientation);
    const pcs_system floor_body = scene_add(&s, &def);
    scene_shape(&s, floor_body, pcs_shape_half_space((double[3]){0, 0, 1}, 0), 0);
    const double x[3] = {0.1 * n[0], 0.1 * n[1], 0.1 * n[2]};
    const pcs_system ball = scene_solid_ball(&s, 1, 0.1, x, NULL, 0);
    scene_start(&s);
    const unsigned char *before = malloc(7 * sizeof(double));
    memcpy((void *)before, scene_q(&s, floor_body), 7 * sizeof(double));
    for (int i = 0; i < 100; ++i) {
        step_and_check(&s, 0.01);
    }
    ck_assert(memcmp(before, scene_q(&s, floor_body), 7 * sizeof(double)) == 0);
    free((void *)before);

    // slides down: g (e_z - n_z n) t
    for (int i = 0; i < 3; ++i) {
        CK_NEAR(scene_v(&s, ball)[i], -9.81 * ((i == 2) - n[2] * n[i]), 1e-11);
    }
    scene_close(&s);
}

// the default rule takes the larger restitution, whichever comes first
TEST(the_larger_restitution_counts)
{
    for (int k = 0; k < 2; ++k) {
        scene s = scene_open();
        scene_gravity(&s, 0, 0, 0);
        scene_ground(&s, k ? 0.75 : 0.25);
        scene_solid_ball(&s, 1, 0.1, (double[3]){0, 0, 0.1}, (double[3]){0, 0, -1},
                         k ? 0.25 : 0.75);
        scene_start(&s);
        step_and_check(&s, 0.01);
        CK_NEAR(s.st->v[2], 0.75, 1e-14);
        scene_close(&s);
    }
}

// ---- user relations -----------------------------------------------------------------------------

// y = x_body - 2 q_lagrangian in the first row, y_body - q^2 in the second
static int geared_gap(void *user, const double *q1, const double *q2, double *g)
{
    if (*(int *)user == 1) return 4;
    g[0] = q1[0] - 2 * q2[0];
    g[1] = q1[1] - q2[0] * q2[0] + (*(int *)user == 2 ? NAN : 0);
    return 0;
}

static int geared_gradient(void *user, const double *q1, const double *q2, double *C1, double *C2)
{
    if (*(int *)user == 3) return 4;
    C1[0] = 1;
    C1[3] = *(int *)user == 4 ? INFINITY : 1;
    C2[0] = -2;
    C2[1] = -2 * q2[0];
    return 0;
}

// a body tied to a Lagrangian system, in both orders: two rows at once
TEST(a_body_geared_to_a_coordinate)
{
    for (int order = 0; order < 2; ++order) {
        for (int kind = 0; kind < 2; ++kind) {
            int fault = 0;
            scene s = scene_open();
            s.scheme.projection = PCS_PROJECTION_DIRECT;
            pcs_system body = {0}, slider;
            const double o[3] = {0}, mass = 3, load = 6, v0 = 0;
            if (order == 0) body = scene_ball(&s, 2, 0.1, o, NULL);
            const pcs_lagrangian_def def = {.n = 1, .mass = &mass, .load = &load, .v0 = &v0};
            CK_OK(pcs_model_add_lagrangian(s.m, &def, &slider));
            if (order == 1) body = scene_ball(&s, 2, 0.1, o, NULL);
            const pcs_relation gear = {
                .dim = 2, .gap = geared_gap, .gradient = geared_gradient, .user = &fault};
            const pcs_interaction_def d = {
                gear, kind == 0 ? pcs_law_equality() : pcs_law_newton_impact(0), body, slider};
            CK_OK(pcs_model_add_interaction(s.m, &d, NULL));
            scene_start(&s);
            for (int i = 0; i < 100; ++i) {
                step_and_check(&s, 0.01);
                const double *x = scene_q(&s, body), q = scene_q(&s, slider)[0];
                if (kind == 0) {
                    CK_NEAR(x[0], 2 * q, 1e-9);
                    CK_NEAR(x[1], q * q, 1e-9);
                } else {
                    ck_assert(x[0] >= 2 * q - 1e-3 && x[1] >= q * q - 1e-3);
                }
            }

            // x' = 2 q': (3 + 4 * 2) q'' = 6 as long as y is small
            if (kind == 0) ck_assert(scene_v(&s, slider)[0] > 0.4);
            const pcs_contact *c;
            ck_assert_int_eq(scene_contacts(&s, &c), 2);
            ck_assert_int_eq(c[0].row, 0);
            ck_assert_int_eq(c[1].row, 1);
            ck_assert_int_eq(c[1].interaction, 1);

            // errors in each callback are reported, and change nothing
            const unsigned long long before = pcs_state_hash(s.st);
            for (fault = 1; fault <= 4; ++fault) {
                CK_SAYS(pcs_step(s.m, s.st, s.wk, 0.01, NULL), PCS_ERR_CALLBACK, "interaction 1");
                CK_FAILS(pcs_impact(s.m, s.st, s.wk, 1e-9, NULL), PCS_ERR_CALLBACK);
                CK_FAILS(pcs_project(s.m, s.st, s.wk, NULL), PCS_ERR_CALLBACK);
                ck_assert(pcs_state_hash(s.st) == before);
            }
            fault = 0;
            step_and_check(&s, 0.01);
            scene_close(&s);
        }
    }
}

// ---- outcomes -----------------------------------------------------------------------------------

// a velocity problem that is not solved: the state does not change, unless the scheme accepts the
// step
TEST(an_unsolved_problem_is_an_outcome)
{
    for (int accept = 0; accept < 2; ++accept) {
        scene s = scene_open();
        scene_gravity(&s, 0, 0, 0);
        s.scheme.accept_unconverged = accept;
        scene_unsolvable(&s, 2);
        scene_start(&s);
        const unsigned long long before = pcs_state_hash(s.st);
        CK_OK(pcs_step(s.m, s.st, s.wk, 0.01, &s.report));
        ck_assert_int_eq(s.report.outcome, PCS_OUTCOME_MAX_ITERS);
        ck_assert_int_eq(s.report.solve.outcome, PCS_OUTCOME_MAX_ITERS);
        ck_assert(s.report.committed == (accept == 1));
        ck_assert((pcs_state_hash(s.st) != before) == (accept == 1));
        pcs_run_report run;
        const pcs_status status = pcs_run(s.m, s.st, s.wk, 0.01, 0.05, NULL, NULL, &run);
        ck_assert_int_eq(status, accept ? PCS_OK : PCS_ERR_STEP);
        ck_assert_int_eq(run.steps, accept ? 4 : 0);
        ck_assert_int_eq(run.outcome, accept ? PCS_OUTCOME_CONVERGED : PCS_OUTCOME_MAX_ITERS);
        if (!accept) {
            ck_assert_msg(strstr(pcs_error_text(), "step 1, from t = 0 s") != NULL &&
                              strstr(pcs_error_text(), "not committed: max_iters") != NULL,
                          "%s", pcs_error_text());
            ck_assert(!run.last.committed);
            // the status remains without a report
            CK_FAILS(pcs_run(s.m, s.st, s.wk, 0.01, 0.05, NULL, NULL, NULL), PCS_ERR_STEP);
            CK_FAILS(pcs_step(s.m, s.st, s.wk, 0.01, NULL), PCS_ERR_STEP);
            ck_assert(pcs_state_hash(s.st) == before);
        }
        scene_close(&s);
    }
}

// a ball that hits both walls of a corner at once: to leave one with mu = 1 it would have to slide
// up the other, so no step size has a solution; where nothing rebounds it stays
TEST(what_rebounds_in_a_corner_is_told_so)
{
    for (int k = 0; k < 2; ++k) {
        const double e = k == 0 ? 0.5 : 0, x[3] = {0.1, 0, 0.1}, v[3] = {-1, 0, -1};
        scene s = scene_open();
        scene_gravity(&s, 0, 0, 0);
        s.scheme.budget = 1e5;
        scene_rough(&s, (pcs_system){0}, pcs_shape_half_space((double[]){0, 0, 1}, 0), e, 0, 1);
        scene_rough(&s, (pcs_system){0}, pcs_shape_half_space((double[]){1, 0, 0}, 0), e, 0, 1);
        const pcs_system ball = scene_rough_ball(&s, 1, 0.1, x, v, e, 0, 1);
        scene_start(&s);
        const pcs_status status = pcs_run(s.m, s.st, s.wk, 0.01, 0.02, NULL, NULL, NULL);
        ck_assert_int_eq(status, k == 0 ? PCS_ERR_STEP : PCS_OK);
        if (k == 0) {
            ck_assert_ptr_nonnull(strstr(pcs_error_text(), "or e = 0"));
        } else {
            CK_NEAR(v3_norm(scene_v(&s, ball)), 0, 1e-7);
        }
        scene_close(&s);
    }
}

typedef struct heard {
    int warnings;
    char last[200];
} heard;

static void hear(pcs_log_level level, const char *message, void *user)
{
    heard *h = user;
    if (level == PCS_LOG_WARNING) h->warnings += 1;
    snprintf(h->last, sizeof h->last, "%s", message);
}

// the log names the contact that adds energy, and says why a step was not committed
TEST(the_log_names_gains_and_failures)
{
    heard h = {0};
    const pcs_env env = {.log = hear, .log_user = &h};
    pcs_model *m;
    CK_OK(pcs_model_create(&env, &m));
    CK_OK(pcs_model_set_gravity(m, (double[3]){0, 0, 0}));
    pcs_material bouncy;
    CK_OK(pcs_model_add_material(m, &(pcs_material_def){.e = 1}, &bouncy));

    // the first ball pushes the middle one with e = 1 into the third, which leaves it (u_k > 0)
    // with e = 0: Newton's law makes two balls as fast as the first was, which is a gain of energy
    const pcs_shape sphere = pcs_shape_sphere(0.5);
    for (int i = 0; i < 3; ++i) {
        pcs_body_def def = pcs_body_def_default();
        def.position[0] = i;
        def.velocity[0] = (double[3]){1, 0, 0.3}[i];
        pcs_system ball;
        CK_OK(pcs_model_add_body(m, &def, &ball));
        CK_OK(pcs_model_add_shape(m, ball, &sphere, i == 0 ? bouncy : (pcs_material){0}));
    }
    pcs_scheme scheme = pcs_scheme_moreau_jean();
    scheme.active_tol = 1e-3;
    CK_OK(pcs_model_set_scheme(m, &scheme));
    pcs_state *st;
    pcs_work *wk;
    pcs_step_report report;
    CK_OK(pcs_state_create(m, &st));
    CK_OK(pcs_work_create(m, &wk));
    scheme.solver = pcs_solver_opts_default(PCS_SOLVER_NSGS);
    scheme.solver.tol = 1e-15;
    scheme.solver.max_iters = 1;
    CK_OK(pcs_model_set_scheme(m, &scheme));
    CK_OK(pcs_step(m, st, wk, 1e-3, &report));
    ck_assert(!report.committed);
    ck_assert_int_eq(h.warnings, 1);
    ck_assert_msg(strstr(h.last, "not committed: max_iters"), "%s", h.last);

    scheme.solver = pcs_solver_opts_default(PCS_SOLVER_AUTO);
    CK_OK(pcs_model_set_scheme(m, &scheme));
    CK_OK(pcs_step(m, st, wk, 1e-3, &report));
    ck_assert(report.committed);
    ck_assert_int_eq(h.warnings, 2);
    ck_assert_msg(strstr(h.last, "shapes 1 and 2") && strstr(h.last, "add"), "%s", h.last);

    // bodies that are apart give no message
    CK_OK(pcs_step(m, st, wk, 1e-3, &report));
    ck_assert_int_eq(h.warnings, 2);
    pcs_work_destroy(wk);
    pcs_state_destroy(st);
    pcs_model_destroy(m);
}

// nothing can be read after a failed call, also no old result
TEST(nothing_is_read_after_a_failure)
{
    scene s = scene_open();
    scene_ground(&s, 0);
    scene_solid_ball(&s, 1, 0.1, (double[3]){0, 0, 0.1}, NULL, 0);
    scene_start(&s);
    scene_step(&s, 0.01);
    const pcs_contact *c;
    pcs_problem p;
    int n;
    // without memory nothing is returned, with an error; the next call returns everything
    s.memory->fail_at = 0;
    CK_FAILS(pcs_work_contacts(s.wk, &n, &c), PCS_ERR_MEMORY);
    s.memory->fail_at = 0;
    CK_FAILS(pcs_work_problem(s.wk, &p), PCS_ERR_MEMORY);
    s.memory->fail_at = -1;
    ck_assert_int_eq(scene_contacts(&s, &c), 1);
    CK_OK(pcs_work_problem(s.wk, &p));
    ck_assert_int_eq(p.n, 1);
    s.st->q[3] = s.st->q[4] = s.st->q[5] = s.st->q[6] = 0;
    CK_FAILS(pcs_step(s.m, s.st, s.wk, 0.01, NULL), PCS_ERR_ARG);
    ck_assert_int_eq(scene_contacts(&s, &c), 0);
    ck_assert_ptr_null(c);
    CK_OK(pcs_work_problem(s.wk, &p));
    ck_assert_int_eq(p.n, 0);
    CK_FAILS(pcs_work_contacts(NULL, &n, &c), PCS_ERR_ARG);
    CK_FAILS(pcs_work_problem(NULL, &p), PCS_ERR_ARG);
    scene_close(&s);
}

// Two stops on one coordinate, closed from both sides, with e = 0 and e = 1: one requires v' >= 0,
// the other v' <= -v. No solver may report a solution, however far its impulses diverge.
TEST(stops_that_contradict_one_another)
{
    for (int k = 0; k < pcs_solver_count(); ++k) {
        const pcs_solver_info *solver = pcs_solver_at(k);
        if (solver->kind == PCS_SOLVER_DIRECT) continue;
        scene s = scene_open();
        s.scheme.gamma = 0;
        s.scheme.solver = pcs_solver_opts_default(solver->kind);
        const double one = 1, minus = -1;
        pcs_lagrangian_def def = pcs_lagrangian_def_default();
        def.n = 1;
        def.mass = &one;
        def.v0 = &one;
        pcs_interaction_def stop = pcs_interaction_def_default();
        CK_OK(pcs_model_add_lagrangian(s.m, &def, &stop.system1));
        stop.relation = pcs_relation_linear(1, &one, 0);
        stop.law = pcs_law_newton_impact(0);
        CK_OK(pcs_model_add_interaction(s.m, &stop, NULL));
        stop.relation = pcs_relation_linear(1, &minus, 0);
        stop.law = pcs_law_newton_impact(1);
        CK_OK(pcs_model_add_interaction(s.m, &stop, NULL));
        scene_start(&s);
        const unsigned long long before = pcs_state_hash(s.st);
        CK_OK(pcs_step(s.m, s.st, s.wk, 0.01, &s.report));
        ck_assert_msg(s.report.outcome != PCS_OUTCOME_CONVERGED && !s.report.committed, "%s: %s",
                      solver->name, pcs_outcome_text(s.report.outcome));
        ck_assert(pcs_state_hash(s.st) == before);
        scene_close(&s);
    }
}

// A ball of 10^8 kg on balls of 1 kg: the sums in W r cancel to 1e-8 of their terms, so no impulse
// can have a residual of 1e-12. The step is still committed, and nothing moves.
TEST(heavy_on_light_ends_at_rounding)
{
    scene s = scene_open();
    s.scheme.theta = 1;
    s.scheme.active_tol = 1e-9; // gaps open by rounding, too
    const double none[3] = {0};
    scene_ground(&s, 0);
    pcs_system ball[4];
    for (int i = 0; i < 4; ++i) {
        const double x[3] = {0, 0, 0.1 + 0.2 * i};
        ball[i] = scene_ball(&s, i == 3 ? 1e8 : 1, 0.1, x, none);
        scene_shape(&s, ball[i], pcs_shape_sphere(0.1), 0);
    }
    scene_start(&s);
    for (int k = 0; k < 100; ++k) {
        scene_step(&s, 2e-3);
        for (int i = 0; i < 4; ++i) {
            CK_NEAR(scene_q(&s, ball[i])[2], 0.1 + 0.2 * i, 1e-9);
        }
    }
    const pcs_contact *contact;
    const int n = scene_contacts(&s, &contact);
    for (int i = 0; i < n; ++i) {
        CK_NEAR(contact[i].r[0], 9.81 * 2e-3 * 1e8, 1e-6 * 9.81 * 2e-3 * 1e8);
    }
    scene_close(&s);
}

// a run whose end is before its start, or nearer than half a step, makes no step
TEST(runs_that_would_make_no_step_are_refused)
{
    static const double bad[][3] = {{0, 10, 1},    {0, 10, 0.005},   {1, 1e-3, 0.5},
                                    {1, 1e-3, 0},  {2, 1e-3, 1.999}, {0, 1e300, 1},
                                    {-1, 0.1, -2}, {0, 0.1, 0.04}};
    static const double good[][4] = {{0, 1e-3, 0, 0},    {1, 1e-3, 1, 0}, {0.3, 0.1, 0.1 * 3, 0},
                                     {0, 0.01, 0.1, 10}, {0, 1, 0.6, 1},  {-1, 0.1, -0.5, 5},
                                     {5, 0.1, 5.04, 0}};
    scene s = scene_open();
    scene_ball(&s, 1, 0.1, (double[3]){0, 0, 1}, NULL);
    scene_start(&s);
    pcs_run_report run;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        s.st->t = bad[i][0];
        const unsigned long long hash = pcs_state_hash(s.st);
        CK_FAILS(pcs_run(s.m, s.st, s.wk, bad[i][1], bad[i][2], NULL, NULL, &run), PCS_ERR_ARG);
        ck_assert_int_eq(run.outcome, PCS_OUTCOME_STOPPED);
        ck_assert(pcs_state_hash(s.st) == hash);
    }
    for (size_t i = 0; i < sizeof good / sizeof *good; ++i) {
        s.st->t = good[i][0];
        CK_OK(pcs_run(s.m, s.st, s.wk, good[i][1], good[i][2], NULL, NULL, &run));
        ck_assert_int_eq(run.steps, (long)good[i][3]);
        ck_assert_int_eq(run.outcome, PCS_OUTCOME_CONVERGED);
    }
    scene_close(&s);
}

// where t + h is t, steps would never reach an end
TEST(steps_below_the_rounding_of_the_time_are_refused)
{
    static const double bad[][3] = {{1e6, 1e-11, 1e6 + 1}, {0, 1e-11, 1e6}, {-1e6, 1e-11, 1}};
    scene s = scene_open();
    scene_ball(&s, 1, 0.1, (double[3]){0, 0, 1}, NULL);
    scene_start(&s);
    pcs_run_report run;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        s.st->t = bad[i][0];
        const unsigned long long hash = pcs_state_hash(s.st);
        CK_FAILS(pcs_run(s.m, s.st, s.wk, bad[i][1], bad[i][2], NULL, NULL, &run), PCS_ERR_ARG);
        ck_assert_ptr_nonnull(strstr(pcs_error_text(), "at least 8.9e-10 s"));
        ck_assert_int_eq(run.steps, 0);
        ck_assert(pcs_state_hash(s.st) == hash);
    }
    s.st->t = 1e6;
    CK_FAILS(pcs_step(s.m, s.st, s.wk, 1e-11, NULL), PCS_ERR_ARG);
    ck_assert_ptr_nonnull(strstr(pcs_error_text(), "the time would not pass"));
    // the least step, and what is left until an end that is one rounding away
    CK_OK(pcs_run(s.m, s.st, s.wk, 1e-9, 1e6 + 2e-8, NULL, NULL, &run));
    ck_assert_int_eq(run.outcome, PCS_OUTCOME_CONVERGED);
    CK_NEAR(s.st->t, 1e6 + 2e-8, 1e-9);
    const double next = nextafter(s.st->t, INFINITY);
    CK_OK(pcs_step(s.m, s.st, s.wk, next - s.st->t, NULL));
    ck_assert(s.st->t == next);
    // no step to make
    CK_OK(pcs_run(s.m, s.st, s.wk, 1e-11, next, NULL, NULL, &run));
    ck_assert_int_eq(run.steps, 0);
    scene_close(&s);
}

// all steps of a run are h: an end that h does not divide is met to half a step, with no remainder
TEST(a_run_has_no_remainder)
{
    static const double ends[][2] = {{0.1 + 1e-12, 10}, {0.1 - 1e-12, 10}, {0.1, 10}, {0.104, 10}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i) {
        scene s = scene_open();
        scene_ball(&s, 1, 0.1, (double[3]){0, 0, 1}, NULL);
        scene_start(&s);
        pcs_run_report run;
        CK_OK(pcs_run(s.m, s.st, s.wk, 0.01, ends[i][0], NULL, NULL, &run));
        ck_assert_int_eq(run.steps, (long)ends[i][1]);
        ck_assert(s.st->t == 10 * 0.01);
        scene_close(&s);
    }
}

// a number whose square overflows is refused at the input; a number just below gives a step or
// diverges, and the sentence about it has neither inf nor nan
TEST(numbers_that_overflow_are_refused)
{
    for (int k = 0; k < 5; ++k) {
        for (int i = 0; i < 3; ++i) {
            static const double value[3] = {1e200, -1e51, 1e300};
            scene s = scene_open();
            pcs_body_def def = pcs_body_def_of_inertia(pcs_inertia_sphere(1, 0.1));
            double *at[5] = {&def.velocity[i], &def.omega[i], &def.position[i], &def.mass,
                             &def.inertia[4 * i]};
            *at[k] = fabs(value[i]);
            CK_FAILS(pcs_model_add_body(s.m, &def, NULL), PCS_ERR_ARG);
            ck_assert_ptr_null(strstr(pcs_error_text(), "inf"));
            *at[k] = NAN;
            CK_FAILS(pcs_model_add_body(s.m, &def, NULL), PCS_ERR_ARG);

            const pcs_system ball = scene_solid_ball(&s, 1, 0.1, (double[3]){0, 0, 1}, NULL, 0);
            scene_ground(&s, 0);
            scene_start(&s);
            if (k < 2) scene_v(&s, ball)[3 * k + i] = value[i];
            if (k >= 2) scene_q(&s, ball)[i] = value[i];
            CK_FAILS(pcs_step(s.m, s.st, s.wk, 1e-3, NULL), PCS_ERR_ARG);
            CK_FAILS(pcs_run(s.m, s.st, s.wk, 1e-3, 1, NULL, NULL, NULL), PCS_ERR_ARG);

            // every number of the report is finite below the limit
            if (k < 2) scene_v(&s, ball)[3 * k + i] = 1e49;
            if (k >= 2) scene_q(&s, ball)[i] = 1e49;
            pcs_run_report run;
            const pcs_status status = pcs_run(s.m, s.st, s.wk, 1e-3, 2e-3, NULL, NULL, &run);
            ck_assert(status == PCS_OK || status == PCS_ERR_STEP);
            ck_assert_ptr_null(strstr(run.doubts, "inf"));
            ck_assert_ptr_null(strstr(run.doubts, "nan"));
            ck_assert(isfinite(run.last.energy.kinetic_after));
            scene_close(&s);
        }
    }
}
