// Bodies that may rebound, in flight, and all bodies in contact: their coordinates are half a step
// ahead of their forces, and in flight of their joints (doc/stepping.md), which are of second
// order.
#include "scene.h"

#include <string.h>

#include "linalg/m3.h"

// the default scheme
static void open_default(scene *s)
{
    *s = scene_open();
    s->scheme = pcs_scheme_default();
}

static double energy(scene *s)
{
    return scene_kinetic(s) + scene_potential(s);
}

// ---- the identity ------------------------------------------------------------------------------

enum { PAIR = 2 };

// two bricks that spin, on a spring between their centres, with a damper in parallel; in gravity
static void open_pair(scene *s, double e, double damping, double x[PAIR][3])
{
    static const double edges[3] = {0.3, 0.2, 0.1};
    static const double v[PAIR][3] = {{0, 1, 0}, {0.2, -0.5, 0.3}};
    static const double omega[PAIR][3] = {{0.1, 10, 0.2}, {3, 2, -1}};
    open_default(s);
    pcs_force_def spring = pcs_force_def_default(PCS_FORCE_SPRING);
    for (int i = 0; i < PAIR; ++i) {
        const pcs_system b = scene_box(s, 1 + i, edges, x[i], NULL, v[i], omega[i]);
        scene_shape(s, b, pcs_shape_box(0.3, 0.2, 0.1), e);
        *(i == 0 ? &spring.system1 : &spring.system2) = b;
    }
    spring.stiffness = 400;
    spring.damping = damping;
    spring.length = 0.8;
    CK_OK(pcs_model_add_force(s->m, &spring, NULL));
    scene_start(s);
}

// With Q = q - h/2 v the steps of what may rebound are those of what may not, whatever the force
TEST(what_may_rebound_is_half_a_step_ahead)
{
    double x[PAIR][3] = {{0, 0, 0}, {1, 0.2, 0.1}};
    const double h = 4e-3;
    for (int damped = 0; damped < 2; ++damped) {
        scene ahead, behind;
        open_pair(&ahead, 0.5, damped * 2.0, x);
        double start[PAIR][3];
        for (int i = 0; i < PAIR; ++i) {
            v3_along(x[i], -h / 2, scene_v(&ahead, (pcs_system){i + 1}), start[i]);
        }
        open_pair(&behind, 0, damped * 2.0, start);
        for (int k = 0; k < 500; ++k) {
            scene_step(&ahead, h);
            scene_step(&behind, h);
            scene_check_ledger(&ahead);
        }
        for (int i = 0; i < PAIR; ++i) {
            const pcs_system b = {i + 1};
            const double *v = scene_v(&ahead, b), *w = scene_v(&behind, b);
            double Q[3];
            v3_along(scene_q(&ahead, b), -h / 2, v, Q);
            for (int j = 0; j < 3; ++j) {
                CK_NEAR(Q[j], scene_q(&behind, b)[j], 1e-10);
                CK_NEAR(v[j], w[j], 1e-9);
                CK_NEAR(v[3 + j], w[3 + j], 1e-9);
            }
        }
        scene_close(&ahead);
        scene_close(&behind);
    }
}

// ---- what is kept ------------------------------------------------------------------------------

// a brick that tumbles about its middle axis keeps its energy and its angular momentum
TEST(a_brick_that_may_rebound_tumbles_freely)
{
    const double edges[3] = {0.3, 0.2, 0.1}, x[3] = {0}, omega[3] = {0.1, 10, 0.2};
    scene s;
    open_default(&s);
    scene_gravity(&s, 0, 0, 0);
    const pcs_system b = scene_box(&s, 2, edges, x, NULL, NULL, omega);
    scene_shape(&s, b, pcs_shape_box(0.3, 0.2, 0.1), 0.8);
    scene_start(&s);
    double L[2], J[3];
    for (int j = 0; j < 3; ++j) {
        const double one = edges[(j + 1) % 3], two = edges[(j + 2) % 3];
        J[j] = 2 * (one * one + two * two) / 12;
    }
    const double first = energy(&s);
    for (int k = 0; k < 2; ++k) {
        const double *w = scene_v(&s, b) + 3;
        L[k] = sqrt(pow(J[0] * w[0], 2) + pow(J[1] * w[1], 2) + pow(J[2] * w[2], 2));
        for (int i = 0; k == 0 && i < 2500; ++i) {
            scene_step(&s, 4e-3);
        }
    }
    // the trapezoidal rule of the gyroscopic moment keeps both up to (h omega)^2
    CK_NEAR(energy(&s), first, 1e-3 * first);
    CK_NEAR(L[1], L[0], 1e-3 * L[0]);
    scene_close(&s);
}

// largest and smallest mean energy of a revolution of a pendulum that may rebound, over its swings
// from the level
static double energy_lost(double h, bool hinge)
{
    const double edges[3] = {0.6, 0.05, 0.05}, x[3] = {0.3, 0, 0};
    const double origin[3] = {0}, axis[3] = {0, 1, 0};
    scene s;
    open_default(&s);
    const pcs_system b = scene_box(&s, 1, edges, x, NULL, NULL, NULL);
    scene_shape(&s, b, pcs_shape_box(0.6, 0.05, 0.05), 0.5);
    pcs_joint_def joint = pcs_joint_def_default(hinge ? PCS_JOINT_HINGE : PCS_JOINT_BALL);
    joint.system1 = b;
    CK_OK(pcs_model_place_joint(s.m, origin, axis, NULL, &joint));
    CK_OK(pcs_model_add_joint(s.m, &joint, NULL));
    scene_start(&s);
    const int second = (int)lround(1 / h);
    double mean[2] = {0};
    for (int k = 0; k < 2; ++k) {
        for (int i = 0; i < 2 * second; ++i) {
            scene_step(&s, h);
            ck_assert_int_eq(s.report.outcome, PCS_OUTCOME_CONVERGED);
            mean[k] += energy(&s) / (2 * second);
        }
        for (int i = 0; k == 0 && i < 6 * second; ++i) {
            scene_step(&s, h);
        }
    }
    for (int i = 0; i < PCS_DOUBT_COUNT; ++i) {
        ck_assert_int_eq(s.report.doubt[i].count, 0);
    }
    scene_close(&s);
    return mean[0] - mean[1];
}

// of 2.9 J that change between potential and kinetic; with theta = 1 it was 0.3 J at 1 ms
TEST(a_pendulum_that_may_rebound_keeps_its_energy)
{
    for (int hinge = 0; hinge < 2; ++hinge) {
        const double coarse = energy_lost(4e-3, hinge), fine = energy_lost(2e-3, hinge);
        ck_assert_msg(fabs(coarse) <= 6e-3, "%g J", coarse);
        ck_assert_msg(fabs(fine) <= 3e-3, "%g J", fine);
    }
}

// ---- in contact ---------------------------------------------------------------------------------

#define G 9.81

// a block of 1 kg at x on a plane, with a spring along x and a damper in parallel; it is at rest
static pcs_system open_block(scene *s, double e, double mu, double stiffness, double damping,
                             double x)
{
    const double edges[3] = {0.2, 0.2, 0.1}, at[3] = {x, 0, 0.05};
    open_default(s);
    scene_gravity(s, 0, 0, -G);
    scene_rough(s, (pcs_system){0}, pcs_shape_half_space((double[3]){0, 0, 1}, 0), e, 0, mu);
    const pcs_system b = scene_box(s, 1, edges, at, NULL, NULL, NULL);
    scene_rough(s, b, pcs_shape_box(0.2, 0.2, 0.1), e, 0, mu);
    pcs_force_def spring = pcs_force_def_default(PCS_FORCE_SPRING);
    spring.system1 = b;
    spring.stiffness = stiffness;
    spring.damping = damping;
    spring.length = 2;
    spring.p2[0] = -2;
    spring.p2[2] = 0.05;
    CK_OK(pcs_model_add_force(s->m, &spring, NULL));
    scene_start(s);
    return b;
}

// where it is after n steps of h
static double slide(double e, double mu, double damping, double h, int n)
{
    scene s;
    const pcs_system b = open_block(&s, e, mu, 100, damping, 0.1);
    for (int k = 0; k < n; ++k) {
        scene_step(&s, h);
        scene_check_ledger(&s);
    }
    const double x = scene_q(&s, b)[0];
    scene_close(&s);
    return x;
}

// Each swing is 2 mu m g / k shorter than the one before; the block stops once the spring is weaker
// than friction. With forces of theta = 1 it stops 4e-4 off at 2 ms
TEST(a_block_on_a_spring_stops_where_friction_holds_it)
{
    const double mu = 0.05, shorter = 2 * mu * G / 100;
    double x = 0.1, sign = 1;
    while (x > shorter / 2) {
        x -= shorter;
        sign = -sign;
    }
    CK_NEAR(slide(0, mu, 0, 2e-3, 2000), sign * x, 1e-5);
    CK_NEAR(slide(0, mu, 0, 1e-3, 4000), sign * x, 2.5e-6);
}

// x(t) = exp(-d t) a cos(w t - phi) half a step after the end: the coordinates are ahead
TEST(a_damped_block_that_slides_is_of_second_order)
{
    double error[3], h = 4e-3;
    for (int k = 0; k < 3; ++k, h /= 2) {
        const int n = (int)lround(2 / h);
        const double d = 0.25, w = sqrt(100 - d * d), t = (n + 0.5) * h;
        const double x = 0.1 * exp(-d * t) * (cos(w * t) + d / w * sin(w * t));
        error[k] = fabs(slide(0, 0, 2 * d, h, n) - x);
    }
    const double order = observed_order(3, error);
    ck_assert_msg(order > 1.9, "of order %g", order);
}

// what touches is ahead whether it may rebound or not
TEST(a_block_that_slides_moves_as_one_that_may_rebound)
{
    CK_NEAR(slide(0, 0.05, 1, 2e-3, 700), slide(0.5, 0.05, 1, 2e-3, 700), 1e-9);
}

// a ball with the inertia of a brick on a plane without friction keeps energy and angular momentum
TEST(a_gyroscope_on_a_smooth_plane_turns_as_in_flight)
{
    const double edges[3] = {0.3, 0.2, 0.1}, x[3] = {0, 0, 0.1}, omega[3] = {0.1, 10, 0.2};
    scene s;
    open_default(&s);
    scene_gravity(&s, 0, 0, -G);
    scene_ground(&s, 0);
    const pcs_system b = scene_box(&s, 2, edges, x, NULL, NULL, omega);
    scene_shape(&s, b, pcs_shape_sphere(0.1), 0);
    scene_start(&s);
    double L[2][3];
    const double first = scene_kinetic(&s);
    for (int k = 0; k < 2; ++k) {
        pcs_state_momentum(s.m, s.st, NULL, L[k]);
        for (int i = 0; k == 0 && i < 1000; ++i) {
            scene_step(&s, 4e-3);
            scene_check_ledger(&s);
        }
    }
    CK_NEAR(scene_kinetic(&s), first, 1e-4 * first);
    CK_NEAR(v3_norm(L[1]), v3_norm(L[0]), 1e-4 * v3_norm(L[0]));
    scene_close(&s);
}

// Springs and dampers that a step does not resolve keep theta = 1 in contact, which damps them: the
// trapezoidal rule would let them ring
TEST(what_a_step_does_not_resolve_comes_to_rest)
{
    static const double stiff[][2] = {{1e6, 0}, {1e10, 0}, {1e10, 2e5}, {0, 1e4}, {0, 1e8}};
    for (size_t k = 0; k < sizeof stiff / sizeof *stiff; ++k) {
        scene s;
        const pcs_system b = open_block(&s, 0, 0, stiff[k][0], stiff[k][1], 1e-3);
        scene_v(&s, b)[0] = 0.1;
        const double first = energy(&s) + 0.5 * stiff[k][0] * 1e-6;
        for (int i = 0; i < 200; ++i) {
            scene_step(&s, 1e-3);
            ck_assert_msg(energy(&s) <= first * (1 + 1e-9), "%g of %g J", energy(&s), first);
        }
        ck_assert_msg(fabs(scene_v(&s, b)[0]) <= 1e-6, "%g m/s", scene_v(&s, b)[0]);
        scene_close(&s);
    }
}

// a pair of bricks on a plane without friction, on a spring between their sides
TEST(bricks_on_a_spring_that_slide_keep_their_energy)
{
    static const double edges[3] = {0.3, 0.2, 0.1}, x[2][3] = {{0, 0, 0.05}, {1, 0, 0.05}};
    scene s;
    open_default(&s);
    scene_gravity(&s, 0, 0, -G);
    scene_ground(&s, 0);
    pcs_force_def spring = pcs_force_def_default(PCS_FORCE_SPRING);
    for (int i = 0; i < 2; ++i) {
        const pcs_system b =
            scene_box(&s, 1, edges, x[i], NULL, (double[3]){0, 1 - 2 * i, 0}, NULL);
        scene_shape(&s, b, pcs_shape_box(0.3, 0.2, 0.1), 0);
        *(i == 0 ? &spring.system1 : &spring.system2) = b;
    }
    spring.p1[0] = spring.p2[0] = 0.1;
    spring.stiffness = 100;
    spring.length = 0.8;
    CK_OK(pcs_model_add_force(s.m, &spring, NULL));
    scene_start(&s);
    const double first = energy(&s);
    for (int k = 0; k < 2500; ++k) {
        scene_step(&s, 2e-3);
        CK_NEAR(energy(&s), first, 1e-2 * first);
    }
    scene_close(&s);
}
