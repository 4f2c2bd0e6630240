// Bodies with prescribed motion: lifts, conveyors, walls and turntables against closed forms, the
// work they do, and motions that are refused.
#include "scene.h"

#include <percuss/kernel.h>

#include "linalg/m3.h"

#include <stdio.h>
#include <string.h>

// x(t) = x0 + v t + a t^2 / 2 + A sin(w t) e_z, rotating about e_z with rate spin; the reported
// velocity has `belt` in addition
typedef struct path {
    double x0[3], v[3], a[3], A, w, spin, belt[3];
    int fails; // counts down; the call at 1 fails
    bool forgets, flips;
} path;

static int follow(void *user, double t, double q[7], double v[6])
{
    path *p = user;
    if (p->fails > 0 && --p->fails == 0) return 7;
    for (int i = 0; i < 3; ++i) {
        q[i] = p->x0[i] + t * (p->v[i] + 0.5 * t * p->a[i]);
        v[i] = p->v[i] + t * p->a[i] + p->belt[i];
        v[3 + i] = i == 2 ? p->spin : 0;
    }
    q[2] += p->A * sin(p->w * t);
    v[2] += p->A * p->w * cos(p->w * t);
    const double sign = p->flips && fmod(t, 0.02) > 0.01 ? -2 : 1; // Q, -2 Q: one rotation
    q[3] = sign * cos(0.5 * p->spin * t);
    q[4] = q[5] = 0;
    if (!p->forgets) q[6] = sign * sin(0.5 * p->spin * t);
    return 0;
}

static pcs_system driven(scene *s, path *p)
{
    pcs_body_def def = pcs_body_def_default();
    def.motion = follow;
    def.user = p;
    const pcs_system out = scene_add(s, &def);
    return out;
}

// a platform 2 x 2 with its top at its own origin, 0.2 thick
static pcs_system platform(scene *s, path *p, double e, double mu)
{
    const pcs_system b = driven(s, p);
    pcs_shape top = pcs_shape_box(2, 2, 0.2);
    top.position[2] = -0.1;
    scene_rough(s, b, top, e, 0, mu);
    return b;
}

static pcs_system cube(scene *s, double z, const double v[3])
{
    const double edges[3] = {0.2, 0.2, 0.2}, x[3] = {0.1, -0.05, z + 0.1};
    const pcs_system b = scene_box(s, 3, edges, x, NULL, v, NULL);
    scene_shape(s, b, pcs_shape_box(0.2, 0.2, 0.2), 0);
    return b;
}

static void step_and_check(scene *s, double h)
{
    scene_step(s, h);
    scene_check_step(s);
}

// ---- lifts --------------------------------------------------------------------------------------

// In tiny steps the displacement of a platform is mostly rounding, of its place and of the time: a
// body on it has the velocity of the motion, and not rounding / h
TEST(a_lift_in_tiny_steps)
{
    for (int k = 0; k < 14; ++k) {
        const double h = pow(10, -6 - k / 2), g = 9.81, t = k % 2 ? 3 : 0, up = 1;
        scene s = scene_open();
        s.scheme = k % 4 < 2 ? pcs_scheme_default() : pcs_scheme_moreau_jean();
        path p = {.x0 = {10}, .v = {0.7, 0, up}};
        const pcs_system lift = platform(&s, &p, 0, 0);
        const double edges[3] = {0.2, 0.2, 0.2};
        const double x[3] = {10.1 + 0.7 * t, 0, 0.1 + up * t}, v[3] = {0.7, 0, up};
        const pcs_system box = scene_box(&s, 3, edges, x, NULL, v, NULL);
        scene_shape(&s, box, pcs_shape_box(0.2, 0.2, 0.2), 0);
        scene_gravity(&s, 0, 0, -g);
        scene_start(&s);
        double of[6];
        ck_assert_int_eq(follow(&p, t, scene_q(&s, lift), of), 0);
        s.st->t = t;
        for (int i = 0; i < 60; ++i) {
            scene_step(&s, h);
            // rounding of velocities of 1 m/s is what remains
            CK_NEAR(scene_v(&s, box)[2], up, 1e-3 * g * h + 1e-12);
        }
        scene_close(&s);
    }
}

// m (g + a) h on the floor of a lift, and a gap that does not change
TEST(a_lift_accelerates)
{
    for (int k = 0; k < 12; ++k) {
        scene s = scene_open();
        s.scheme.theta = k % 3 == 0 ? 1 : k % 3 == 1 ? 0.75 : 0.5;
        s.scheme.activation = k / 3 % 2 == 1 && s.scheme.theta == 1 ? PCS_ACTIVATION_SPECULATIVE
                                                                    : PCS_ACTIVATION_PREDICTIVE;
        const double a = k / 6 == 0 ? 3 : -4, h = 0.01;
        path up = {.x0 = {0, 0, 1}, .v = {0, 0, 0.5}, .a = {0, 0, a}, .flips = k % 2};
        const pcs_system lift = platform(&s, &up, 0, 0);
        const pcs_system box = cube(&s, 1, (double[3]){0, 0, 0.5});
        scene_start(&s);
        ck_assert_ptr_null(pcs_state_v(s.m, s.st, lift));
        ck_assert_int_eq(s.st->nv, 6);
        for (int i = 0; i < 40; ++i) {
            const double v = scene_v(&s, box)[2];
            step_and_check(&s, h);
            ck_assert_int_ge(s.report.active, 3);

            double wrench[6];
            pcs_work_contact_wrench(s.wk, box, wrench);
            const int settled = s.scheme.theta == 0.75 ? 25 : 0;
            if (i > settled) CK_NEAR(wrench[2], 3 * (9.81 + a) * h, 1e-11);

            // a box that follows the lift keeps its gap; for theta between 1/2 and 1 this takes a
            // step
            const double z = scene_q(&s, lift)[2], t = s.st->t;
            CK_NEAR(z, 1 + t * (0.5 + 0.5 * a * t), 1e-13);
            const double open = s.scheme.theta == 0.75 ? 0.0625 * fabs(a) * h * h : 0;
            CK_NEAR(scene_q(&s, box)[2] - z, 0.1, open + 1e-12);
            const pcs_energy *e = &s.report.energy;
            const double rise = 0.5 * (v + scene_v(&s, box)[2]);
            CK_NEAR(e->prescribed + e->normal, wrench[2] * rise, 1e-10);
        }
        scene_close(&s);
    }
}

// a floor that accelerates upwards holds a body that rests on it, and leaves a body a little above
// it
TEST(a_gap_above_a_lift_is_a_gap)
{
    for (int k = 0; k < 4; ++k) {
        const double gap = k < 2 ? 5e-5 : 0, a = k % 2 == 0 ? 2 : -2, h = 0.01;
        scene s = scene_open();
        scene_gravity(&s, 0, 0, k < 2 ? 0 : -9.81);
        s.scheme.theta = 1;
        path up = {.a = {0, 0, a}};
        platform(&s, &up, 0, 0);
        scene_solid_ball(&s, 1, 0.1, (double[3]){0, 0, 0.1 + gap}, NULL, 0);
        scene_start(&s);
        for (int i = 0; i < (k < 2 ? 1 : 50); ++i) {
            step_and_check(&s, h);
            ck_assert_int_eq(s.report.active, k < 2 ? 0 : 1);
        }
        scene_close(&s);
    }
}

// implicit Euler uses the displacement of the pose: no motion changes the gap; with theta = 1/2 it
// changes by about h^3 da/dt / 24
TEST(gaps_follow_a_shaking_table)
{
    for (int k = 0; k < 2; ++k) {
        scene s = scene_open();
        s.scheme.theta = k == 0 ? 1 : 0.5;
        s.scheme.activation = k == 0 ? PCS_ACTIVATION_SPECULATIVE : PCS_ACTIVATION_PREDICTIVE;
        path shake = {.A = 0.02, .w = 20};
        const pcs_system table = platform(&s, &shake, 0, 0);
        const pcs_system box = cube(&s, 0, (double[3]){0, 0, 0.4});
        scene_start(&s);
        for (int i = 0; i < 330; ++i) {
            step_and_check(&s, 1e-3);
            ck_assert_int_ge(s.report.active, 3);
            const double gap = scene_q(&s, box)[2] - 0.1 - scene_q(&s, table)[2];
            CK_NEAR(gap, 0, k == 0 ? 1e-13 : 1e-8);
        }
        scene_close(&s);
    }
}

// ---- walls --------------------------------------------------------------------------------------

// v' = w - e (v - w), in a step and as an impact; for e = 1 the wall does the work 1/2 m (v'^2 -
// v^2)
TEST(a_wall_hits_a_ball)
{
    for (int k = 0; k < 8; ++k) {
        const double e = k % 2 == 0 ? 1 : 0.3, w = 2, v = k / 2 % 2 == 0 ? -3 : 0.5, m = 2;
        scene s = scene_open();
        scene_gravity(&s, 0, 0, 0);
        s.scheme.theta = k / 4 == 0 ? 0.5 : 1;
        path toward = {.x0 = {0, 0, 0}, .v = {w, 0, 0}};
        const pcs_system wall = driven(&s, &toward);
        scene_shape(&s, wall, pcs_shape_box(1, 4, 4), e);
        const double gap = 0.004;
        const pcs_system ball =
            scene_solid_ball(&s, m, 0.1, (double[3]){0.6 + gap, 0, 0}, (double[3]){v, 0, 0}, e);
        scene_start(&s);

        pcs_state *at_rest;
        CK_OK(pcs_state_create(s.m, &at_rest));
        pcs_report report;
        CK_OK(pcs_impact(s.m, at_rest, s.wk, 2 * gap, &report));
        CK_NEAR(pcs_state_v(s.m, at_rest, ball)[0], w - e * (v - w), 1e-12);
        pcs_state_destroy(at_rest);

        double work = 0, lost = 0;
        for (int i = 0; i < 20; ++i) {
            step_and_check(&s, 1e-3);
            work += s.report.energy.prescribed;
            lost += s.report.energy.normal;
        }
        const double v1 = w - e * (v - w);
        CK_NEAR(scene_v(&s, ball)[0], v1, 1e-12);
        CK_NEAR(work + lost, 0.5 * m * (v1 * v1 - v * v), 1e-11);
        CK_NEAR(lost, -0.5 * m * (1 - e * e) * (v - w) * (v - w), 1e-11);
        CK_NEAR(work, m * (v1 - v) * w, 1e-11);
        scene_close(&s);
    }
}

// the wall crosses the ball within one step: the ball is within its reach and moves with the wall
TEST(a_fast_wall_is_seen_in_time)
{
    for (int k = 0; k < 2; ++k) {
        scene s = scene_open();
        scene_gravity(&s, 0, 0, 0);
        s.scheme.theta = 1;
        s.scheme.activation = k == 0 ? PCS_ACTIVATION_SPECULATIVE : PCS_ACTIVATION_END_OF_STEP;
        path fast = {.v = {90, 0, 0}};
        const pcs_system wall = driven(&s, &fast);
        scene_shape(&s, wall, pcs_shape_box(1, 4, 4), 0);
        const pcs_system ball = scene_solid_ball(&s, 1, 0.1, (double[3]){0.9, 0, 0}, NULL, 0);
        scene_start(&s);
        step_and_check(&s, 0.005);
        CK_NEAR(s.report.penetration, 0, 1e-12);
        ck_assert(scene_q(&s, ball)[0] >= 0.45 + 0.6 - 1e-12);
        scene_close(&s);
    }
}

// two systems that cannot be moved never touch
TEST(driven_bodies_pass_the_world_and_each_other)
{
    scene s = scene_open();
    scene_ground(&s, 0);
    path down = {.v = {0, 0, -1}}, other = {0};
    platform(&s, &down, 0, 0);
    platform(&s, &other, 0, 0);
    scene_start(&s);
    step_and_check(&s, 0.1);
    ck_assert_int_eq(s.report.candidates, 0);
    scene_close(&s);
}

// ---- conveyors ----------------------------------------------------------------------------------

// a belt that stands still and reports a speed: the acceleration is mu g until the box has this
// speed. The belt does the work m w^2, half of which is heat
TEST(a_conveyor_takes_a_box_along)
{
    for (int k = 0; k < 6; ++k) {
        scene s = scene_open();
        s.scheme.theta = k % 3 == 0 ? 0.5 : k % 3 == 1 ? 0.8 : 1;
        s.scheme.lever = k < 3 ? PCS_LEVER_MIDPOINT : PCS_LEVER_OWN;
        const double mu = 0.25, w = 0.6, h = 0.005;
        path belt = {.belt = {w, 0, 0}};
        const pcs_system conveyor = platform(&s, &belt, 0, mu);
        const pcs_system box = cube(&s, 0, NULL);
        scene_start(&s);
        double work = 0, heat = 0;
        for (int i = 1; i <= 60; ++i) {
            step_and_check(&s, h);
            work += s.report.energy.prescribed;
            heat -= s.report.energy.tangential;
            CK_NEAR(scene_v(&s, box)[0], fmin(w, mu * 9.81 * h * i), 1e-8);
            CK_NEAR(scene_q(&s, box)[2], 0.1, 1e-9);
        }
        for (int i = 0; i < 3; ++i) {
            ck_assert(scene_q(&s, conveyor)[i] == 0);
        }
        CK_NEAR(work, 3 * w * w, 1e-7);
        CK_NEAR(heat, 0.5 * 3 * w * w, 1e-7);
        scene_close(&s);
    }
}

// However fast the belt is, the friction on a slab is mu m g, and the slab does not rise or turn by
// more than the error of its own velocities
TEST(a_fast_belt_hides_no_error)
{
    for (int k = 0; k < 3; ++k) {
        scene s = scene_open();
        s.scheme = pcs_scheme_default();
        const double mu = 0.4, h = 1e-3, edges[3] = {0.4, 0.4, 0.1}, x[3] = {0, 0, 0.05};
        path belt = {.belt = {pow(10, 2 + 2 * k), 0, 0}};
        platform(&s, &belt, 0, mu);
        const pcs_system slab = scene_box(&s, 3, edges, x, NULL, NULL, NULL);
        scene_shape(&s, slab, pcs_shape_box(0.4, 0.4, 0.1), 0);
        scene_start(&s);
        for (int i = 1; i <= 200; ++i) {
            scene_step(&s, h);
            const double *v = scene_v(&s, slab);
            CK_NEAR(v[0], mu * 9.81 * h * i, 1e-7);
            CK_NEAR(fmax(fabs(v[1]), fabs(v[2])), 0, 1e-7);
            CK_NEAR(fmax(fabs(v[3]), fmax(fabs(v[4]), fabs(v[5]))), 0, 5e-7);
        }
        scene_close(&s);
    }
}

// Two driven plates that close on a cube: when both touch, no impulses keep them apart, for any
// step. The sentence says which contacts prove it and by how much, and no step size is blamed
TEST(driven_plates_that_close)
{
    const double speed[2] = {0.12, 0.04};
    scene s = scene_open();
    path way[2] = {{.x0 = {-0.21}, .v = {speed[0]}}, {.x0 = {0.21}, .v = {-speed[1]}}};
    for (int k = 0; k < 2; ++k) {
        const pcs_system plate = driven(&s, &way[k]);
        scene_rough(&s, plate, pcs_shape_box(0.2, 1, 1), 0, 0, 0.5);
        CK_OK(pcs_model_set_system_name(s.m, plate, k == 0 ? "left" : "right"));
    }
    const double edges[3] = {0.2, 0.2, 0.2}, origin[3] = {0};
    const pcs_system body = scene_box(&s, 1, edges, origin, NULL, origin, NULL);
    scene_rough(&s, body, pcs_shape_box(0.2, 0.2, 0.2), 0, 0, 0.5);
    scene_start(&s);
    pcs_run_report report;
    CK_FAILS(pcs_run(s.m, s.st, s.wk, 0.005, 1, NULL, NULL, &report), PCS_ERR_STEP);
    const char *words = pcs_error_text();
    ck_assert_int_eq(report.outcome, PCS_OUTCOME_INFEASIBLE);
    ck_assert_msg(strstr(words, "'left'") && strstr(words, "'right'"), "%s", words);
    ck_assert_msg(strstr(words, "contradict each other by 0.08 m/s") != NULL, "%s", words);
    ck_assert(strstr(words, "smaller steps") == NULL);

    // a step with a report says the same, and leaves the error of another call alone
    char before[400];
    snprintf(before, sizeof before, "%s", words);
    CK_OK(pcs_step(s.m, s.st, s.wk, 0.005, &s.report));
    ck_assert(!s.report.committed);
    ck_assert_int_eq(s.report.outcome, PCS_OUTCOME_INFEASIBLE);
    ck_assert_int_eq(s.report.conflicts, 2);
    for (int k = 0; k < 2; ++k) {
        const pcs_conflict *c = &s.report.conflict[k];
        ck_assert(c->one >= 0 && (c->one == 2 || c->two == 2)); // the shape of the cube
    }
    ck_assert_str_eq(pcs_error_text(), before);

    // also where its memory grows
    pcs_work *fresh;
    const pcs_contact *contacts;
    int n;
    CK_OK(pcs_work_create(s.m, &fresh));
    const size_t held = pcs_work_held(fresh);
    CK_OK(pcs_step(s.m, s.st, fresh, 0.005, &s.report));
    CK_OK(pcs_work_contacts(fresh, &n, &contacts));
    ck_assert(n > 0 && pcs_work_held(fresh) > held);
    ck_assert_str_eq(pcs_error_text(), before);
    pcs_work_destroy(fresh);
    CK_SAYS(pcs_step(s.m, s.st, s.wk, 0.005, NULL), PCS_ERR_STEP, "is not committed: infeasible");
    // the plates touched the cube at the time at which their gap was its width
    ck_assert(s.st->t >= 0.02 / (speed[0] + speed[1]) - 0.01);
    scene_close(&s);
}

// However slowly a plate presses a cube onto the ground, the step in which it would begin to has no
// solution. With friction impulses of any size reduce the residual below `accept`: that is no
// solution, also where the cube has come to rest and is turned by the error of the solver
TEST(a_slow_press_is_as_clear_as_a_fast_one)
{
    for (int k = 0; k < 4; ++k) {
        const double speed = k % 2 == 0 ? 1e-4 : 1e-6, h = 0.005, gap = k < 2 ? 0 : 3.3 * h * speed;
        scene s = scene_open();
        s.scheme = pcs_scheme_default();
        s.scheme.budget = 1e5;
        s.scheme.halvings = 0;
        scene_ground(&s, 0.5);
        path way = {.x0 = {0, 0, 0.55 + gap}, .v = {0, 0, -speed}};
        const pcs_system plate = driven(&s, &way);
        scene_rough(&s, plate, pcs_shape_box(1, 1, 0.1), 0, 0, 0.5);
        const double edges[3] = {0.5, 0.5, 0.5}, x[3] = {0, 0, 0.25};
        const pcs_system cube = scene_box(&s, 125, edges, x, NULL, NULL, NULL);
        scene_rough(&s, cube, pcs_shape_box(0.5, 0.5, 0.5), 0, 0, 0.5);
        scene_start(&s);
        pcs_run_report report;
        CK_FAILS(pcs_run(s.m, s.st, s.wk, h, 1, NULL, NULL, &report), PCS_ERR_STEP);
        ck_assert_int_eq(report.outcome, PCS_OUTCOME_INFEASIBLE);
        ck_assert_int_eq(report.last.conflicts, 2);
        ck_assert_int_eq((int)report.steps, k < 2 ? 0 : 3);
        ck_assert_int_eq((int)report.doubt[PCS_DOUBT_UNSOLVED].count, 0);
        scene_close(&s);
    }
}

// In a step that is committed without a solution only the contacts of the island that has none are
// undecided
TEST(statuses_are_those_of_the_island)
{
    scene s = scene_open();
    s.scheme.accept_unconverged = true;
    s.scheme.halvings = 0;
    scene_gravity(&s, 0, 0, -9.81);
    scene_ground(&s, 0);
    path way[2] = {{.x0 = {-0.2, 0, 0.1}, .v = {0.1}}, {.x0 = {0.2, 0, 0.1}, .v = {-0.1}}};
    for (int k = 0; k < 2; ++k) {
        scene_rough(&s, driven(&s, &way[k]), pcs_shape_box(0.2, 1, 1), 0, 0, 0.5);
    }
    const double edges[3] = {0.2, 0.2, 0.2}, origin[3] = {0};
    const double at[2][3] = {{0, 0, 0.1}, {0, 9, 0.1}};
    pcs_system body[2];
    for (int k = 0; k < 2; ++k) {
        body[k] = scene_box(&s, 1, edges, at[k], NULL, origin, NULL);
        const pcs_shape shape = k == 0 ? pcs_shape_box(0.2, 0.2, 0.2) : pcs_shape_sphere(0.1);
        scene_rough(&s, body[k], shape, 0, 0, 0.5);
    }
    scene_start(&s);
    CK_OK(pcs_step(s.m, s.st, s.wk, 0.005, &s.report));
    ck_assert(s.report.committed && s.report.outcome != PCS_OUTCOME_CONVERGED);
    const pcs_contact *c;
    int n, undecided[2] = {0}, all[2] = {0};
    CK_OK(pcs_work_contacts(s.wk, &n, &c));
    for (int i = 0; i < n; ++i) {
        const int k = c[i].system1.id == body[1].id || c[i].system2.id == body[1].id;
        undecided[k] += c[i].status == PCS_CONTACT_UNDECIDED;
        all[k] += 1;
    }
    ck_assert(undecided[0] > 0 && undecided[1] == 0);
    ck_assert_int_eq(all[1], 1);
    scene_close(&s);
}

// A ball on a table that turns at `spin`, at the place (d, 0) with the velocity (v, 0), without
// slip: v + omega x (-R e_z) = spin e_z x x
static pcs_system turntable_ball(scene *s, path *turn, double d, double v)
{
    const double R = 0.1;
    const pcs_system table = driven(s, turn);
    scene_rough(s, table, pcs_shape_half_space((double[3]){0, 0, 1}, 0), 0, 0, 1);
    pcs_body_def def = pcs_body_def_of_inertia(pcs_inertia_sphere(1, R));
    memcpy(def.position, (double[3]){d, 0, R}, sizeof def.position);
    memcpy(def.velocity, (double[3]){v, 0, 0}, sizeof def.velocity);
    memcpy(def.omega, (double[3]){turn->spin * d / R, v / R, 0}, sizeof def.omega);
    const pcs_system ball = scene_add(s, &def);
    scene_shape(s, ball, pcs_shape_sphere(R), 0);
    scene_start(s);
    return ball;
}

// A ball rolling on a turntable moves in circles at 2/7 of its rate (solid sphere), whatever its
// speed, and a ball at rest stays at its place
TEST(a_ball_circles_on_a_turntable)
{
    const double spin = 3, d = 0.5, rate = 2 * spin / 7, h = 3e-3;
    for (int k = 0; k < 3; ++k) {
        scene s = scene_open();
        s.scheme.theta = k == 2 ? 1 : 0.5;
        path turn = {.spin = spin, .flips = k == 1};
        const double v = k == 0 ? 0 : 0.2;
        const pcs_system ball = turntable_ball(&s, &turn, d, v);
        for (int i = 1; i <= 500; ++i) {
            step_and_check(&s, h);
            const double t = s.st->t, *q = scene_q(&s, ball);
            CK_NEAR(q[0], d + v / rate * sin(rate * t), k == 0 ? 1e-8 : 6e-3);
            CK_NEAR(q[1], v / rate * (1 - cos(rate * t)), k == 0 ? 1e-8 : 6e-3);
        }
        scene_close(&s);
    }
}

// rows at the predicted middle know the place that the ball has there: the error is of second order
TEST(a_ball_circles_to_second_order)
{
    const double spin = 3, d = 0.5, v = 0.2, rate = 2 * spin / 7;
    double error[2];
    for (int k = 0; k < 2; ++k) {
        scene s = scene_open();
        s.scheme.configuration = PCS_CONFIGURATION_PREDICTED;
        path turn = {.spin = spin};
        const pcs_system ball = turntable_ball(&s, &turn, d, v);
        for (int i = 0; i < 200 << k; ++i) {
            step_and_check(&s, ldexp(8e-3, -k));
        }
        const double t = s.st->t, *q = scene_q(&s, ball);
        error[k] =
            hypot(q[0] - d - v / rate * sin(rate * t), q[1] - v / rate * (1 - cos(rate * t)));
        scene_close(&s);
    }
    CK_NEAR(error[0] / error[1], 4, 0.2);
}

// A box that sticks to a turntable moves in a circle with it. In a second it creeps outwards by w^4
// h^3 r / 4 and forwards by 5 w^3 h^2 r / 12, terms of higher order of an arc; the textbook scheme
// with theta = 1/2 as the default
TEST(a_box_stays_on_its_circle)
{
    const double spin = 2, r = 0.5, edge = 0.1, t_end = 2;
    for (int k = 0; k < 4; ++k) {
        scene s = scene_open();
        if (k % 2) {
            s.scheme = pcs_scheme_default();
        } else {
            s.scheme.projection = PCS_PROJECTION_DIRECT_HYSTERESIS;
        }
        path turn = {.spin = spin};
        const pcs_system table = driven(&s, &turn);
        scene_rough(&s, table, pcs_shape_half_space((double[3]){0, 0, 1}, 0), 0, 0, 0.8);
        const double edges[3] = {edge, edge, edge}, x[3] = {r, 0, 0.5 * edge};
        const double v[3] = {0, spin * r, 0}, omega[3] = {0, 0, spin}, h = k < 2 ? 0.02 : 0.01;
        const pcs_system box = scene_box(&s, 1, edges, x, NULL, v, omega);
        scene_shape(&s, box, pcs_shape_box(edge, edge, edge), 0);
        scene_start(&s);
        for (int i = 0; i < (int)(t_end / h + 0.5); ++i) {
            scene_step(&s, h);
            ck_assert(s.report.committed);
        }
        const double *q = scene_q(&s, box), creep = 0.25 * pow(spin, 4) * pow(h, 3) * r * t_end;
        CK_NEAR(hypot(q[0], q[1]) - r, creep, 0.05 * creep);
        const double ahead = 5 * pow(spin, 3) * h * h * t_end / 12, turned = spin * t_end + ahead;
        CK_NEAR(cos(turned) * q[1] - sin(turned) * q[0], 0, 0.05 * ahead * r);
        scene_close(&s);
    }
}

// ---- joints -------------------------------------------------------------------------------------

// a body that hangs by its centre from a driven one follows it; the joint bears m (g + a)
TEST(a_joint_follows)
{
    for (int k = 0; k < 4; ++k) {
        scene s = scene_open();
        s.scheme.theta = k % 2 == 0 ? 0.5 : 1;
        const double h = 0.01, a[3] = {1, -2, 3}, o[3] = {0}, at[3] = {0, 0, 0.3};
        path up = {.x0 = {0, 0, 1}, .a = {1, -2, 3}, .spin = 2};
        const pcs_system crane = driven(&s, &up);
        const pcs_system load = scene_ball(&s, 2, 0.1, (double[3]){0, 0, 1.3}, NULL);
        const bool first = k / 2 == 0; // the crane as first or as second system
        scene_join(&s, first ? pcs_relation_ball_joint(at, o) : pcs_relation_ball_joint(o, at),
                   pcs_law_equality(), first ? crane : load, first ? load : crane);
        scene_start(&s);
        for (int i = 0; i < 50; ++i) {
            step_and_check(&s, h);
            double wrench[6];
            pcs_work_contact_wrench(s.wk, load, wrench);
            for (int c = 0; c < 3; ++c) {
                CK_NEAR(scene_q(&s, load)[c] - at[c], scene_q(&s, crane)[c], 1e-12);
                const double weight = c == 2 ? 9.81 : 0;
                if (i > 0) CK_NEAR(wrench[c], 2 * (a[c] + weight) * h, 1e-11);
            }
        }
        scene_close(&s);
    }
}

// joints are placed where the motion has the body at the start, whatever the pose of its definition
TEST(joints_are_placed_on_the_motion)
{
    for (int k = 0; k < 2; ++k) {
        scene s = scene_open();
        path up = {.x0 = {3, 2, 1}, .a = {1, -2, 3}, .spin = 2};
        const pcs_system crane = driven(&s, &up);
        const pcs_system load = scene_ball(&s, 2, 0.1, (double[3]){0, 0, 1.3}, NULL);
        pcs_joint_def def = pcs_joint_def_default(PCS_JOINT_FIXED);
        def.system1 = k == 0 ? crane : load;
        def.system2 = k == 0 ? load : crane;
        pcs_interaction joint;
        pcs_joint_state now;
        CK_OK(pcs_model_place_joint(s.m, (double[3]){1, 2, 3}, (double[3]){1, 1, 0}, NULL, &def));
        CK_OK(pcs_model_add_joint(s.m, &def, &joint));
        scene_start(&s);
        CK_OK(pcs_state_joint(s.m, s.st, NULL, joint, &now));
        CK_NEAR(now.violation, 0, 1e-14);
        scene_close(&s);
    }
}

// ---- everything at once -------------------------------------------------------------------------

// the laws and the ledger with shaking, rotating and dragging bodies among the others
TEST(random_scenes_with_driven_bodies)
{
    for (int k = 0; k < TEST_DRAWS(12); ++k) {
        scene s;
        scene_random_rough(&s, 500 + (uint64_t)k, k % 3 == 0 ? 0 : 0.8);
        test_random r = random_seed(900 + (uint64_t)k);
        s.scheme.activation = (pcs_activation)(PCS_ACTIVATION_PREDICTIVE + k % 3);
        const bool ahead = s.scheme.activation == PCS_ACTIVATION_SPECULATIVE;
        s.scheme.theta = ahead ? 1 : k % 2 == 0 ? 0.5 : 0.9;
        s.scheme.configuration =
            k % 4 == 3 && !ahead ? PCS_CONFIGURATION_ITERATE : PCS_CONFIGURATION_START;
        s.scheme.projection = k % 5 == 0 ? PCS_PROJECTION_DIRECT : PCS_PROJECTION_NONE;
        s.scheme.solver.tol = 1e-10;
        // a body may be squeezed: u' >= 0 is impossible on both sides
        s.scheme.accept_unconverged = true;
        s.scheme.solver.max_iters = 2000;
        path p[2];
        for (int i = 0; i < 2; ++i) {
            p[i] = (path){.x0 = {random_normal(&r) * 0.3, 0, 0.2},
                          .A = 0.02,
                          .w = 15,
                          .spin = 3 * random_normal(&r),
                          .belt = {random_normal(&r), 0, 0}};
            const pcs_system b = driven(&s, &p[i]);
            scene_rough(&s, b, pcs_shape_box(0.3, 0.2, 0.1), 0.4, 0, 0.5);
        }
        scene_start(&s);
        for (int i = 0; i < 12; ++i) {
            scene_step(&s, 0.002);
            scene_check_ledger(&s);
            if (s.scheme.configuration != PCS_CONFIGURATION_ITERATE &&
                s.report.outcome == PCS_OUTCOME_CONVERGED)
                scene_check_step(&s);
        }
        scene_close(&s);
    }
}

// ---- bad input ----------------------------------------------------------------------------------

TEST(motions_that_cannot_be_used)
{
    scene s = scene_open();
    path p = {0};
    pcs_body_def def = pcs_body_def_default();
    def.motion = follow;
    def.user = &p;
    def.fixed = true;
    CK_FAILS(pcs_model_add_body(s.m, &def, NULL), PCS_ERR_ARG);
    def.fixed = false;
    CK_OK(pcs_model_add_body(s.m, &def, NULL));
    const pcs_system ball = scene_ball(&s, 1, 0.1, (double[3]){0, 0, 1}, NULL);

    // the callback fails at the start
    pcs_state *st = NULL;
    p.fails = 1;
    CK_FAILS(pcs_state_create(s.m, &st), PCS_ERR_CALLBACK);
    ck_assert_ptr_null(st);
    pcs_joint_def joint = pcs_joint_def_default(PCS_JOINT_FIXED);
    joint.system1 = ball;
    joint.system2 = (pcs_system){1};
    p.fails = 1;
    CK_FAILS(pcs_model_place_joint(s.m, (double[3]){1, 0, 0}, (double[3]){0, 0, 1}, NULL, &joint),
             PCS_ERR_CALLBACK);
    ck_assert(joint.point1[0] == 0);
    p.forgets = true;
    CK_FAILS(pcs_state_create(s.m, &st), PCS_ERR_CALLBACK);
    p.forgets = false;
    p.x0[1] = NAN;
    CK_FAILS(pcs_state_create(s.m, &st), PCS_ERR_CALLBACK);
    p.x0[1] = 0;

    // within a step: the state does not change
    scene_start(&s);
    CK_OK(pcs_state_create(s.m, &st));
    for (int k = 0; k < 4; ++k) {
        CK_OK(pcs_state_copy(s.st, st));
        p.fails = k < 2 ? k + 1 : 0;
        p.forgets = k == 2;
        p.belt[0] = k == 3 ? INFINITY : 0;
        CK_FAILS(pcs_step(s.m, s.st, s.wk, 0.01, &s.report), PCS_ERR_CALLBACK);
        ck_assert(pcs_state_equal(s.st, st));
        p.forgets = false;
        p.belt[0] = 0;
        CK_OK(pcs_step(s.m, s.st, s.wk, 0.01, &s.report));
        ck_assert(s.report.committed);
    }
    CK_NEAR(scene_v(&s, ball)[2], -4 * 0.0981, 1e-12);
    pcs_state_destroy(st);
    scene_close(&s);
}
