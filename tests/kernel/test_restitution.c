// Restitution with the scheme of dense scenes: a contact rebounds with e times the speed at which
// it closes, propagates no impulse before it closes, and comes to rest.
#include "scene.h"

#include <string.h>

#define R 0.05
#define G 9.81

static void open_dense(scene *s)
{
    *s = scene_open();
    s->scheme = pcs_scheme_dense(1e-12, 2 * R);
}

static pcs_system ball(scene *s, double e, const double x[3], const double v[3])
{
    const pcs_system b = scene_solid_ball(s, 1, R, x, v, e);
    return b;
}

static void step_and_check(scene *s, double h)
{
    scene_step(s, h);
    ck_assert(s->report.outcome == PCS_OUTCOME_CONVERGED);
    ck_assert(s->report.penetration <= s->scheme.proj_tol);
    scene_check_step(s);
}

// ---- a ball that is dropped -------------------------------------------------------------------

enum { APEXES = 2 };

// heights above the floor after the first impacts
static void bounce(double e, double h, double H, double apex[APEXES])
{
    scene s;
    open_dense(&s);
    scene_ground(&s, 0);
    const pcs_system b = ball(&s, e, (double[3]){0, 0, R + H}, NULL);
    scene_start(&s);
    double v = 0;
    for (int i = 0, n = 0; n < APEXES; ++i) {
        ck_assert_msg(i < 1e5, "e %g: apex %d of %d", e, n, APEXES);
        scene_step(&s, h);
        const double now = scene_v(&s, b)[2];
        if (v > 0 && now <= 0) apex[n++] = scene_q(&s, b)[2] - R;
        v = now;
    }
    scene_close(&s);
}

// e^2k H, with an error of order h; the worst of several heights, since it depends on the time of
// the impact within a step
TEST(rebounds_have_their_height)
{
    static const double all[4] = {0.3, 0.5, 0.8, 1};
    for (int j = 0; j < 4; ++j) {
        const double e = all[j];
        double error[3] = {0};
        for (int k = 0; k < 3; ++k) {
            const double h = 0.002 / (1 << k);
            for (int i = 0; i < TEST_DRAWS(10); ++i) {
                const double H = 0.5 + 0.0073 * i;
                double apex[APEXES];
                bounce(e, h, H, apex);
                for (int n = 0; n < APEXES; ++n) {
                    const double off = fabs(apex[n] - pow(e, 2 * n + 2) * H);
                    error[k] = fmax(error[k], off);
                    ck_assert_msg(off <= 2 * sqrt(2 * G * H) * h, "e %g h %g: %g", e, h, off);
                }
            }
        }
        // for e = 1 the impact restores the loss of the flight: the order is higher
        const double order = observed_order(3, error);
        if (TEST_DRAWS(10) == 20) ck_assert_msg(order > 0.7, "e %g: order %g", e, order);
    }
}

// the flights become shorter until a step cannot resolve them; then the ball lies on the floor
TEST(bounces_end_at_rest)
{
    for (int j = 0; j < 3; ++j) {
        const double e = j == 0 ? 0.3 : j == 1 ? 0.5 : 0.8, h = 0.002, H = 0.2;
        scene s;
        open_dense(&s);
        scene_ground(&s, 0);
        const pcs_system b = ball(&s, e, (double[3]){0, 0, R + H}, NULL);
        scene_start(&s);
        const double zeno = sqrt(2 * H / G) * (1 + e) / (1 - e);
        int flights = 0;
        for (int i = 0; i < (int)(1.2 * zeno / h); ++i) {
            const double v = scene_v(&s, b)[2];
            step_and_check(&s, h);
            flights += v < 0 && scene_v(&s, b)[2] > 0;
        }
        const double slowest = 2 * G * h / sqrt(2 * G * H); // the smallest speed of a rebound
        ck_assert_int_ge(flights, (int)(log(2 * slowest) / log(e)));
        ck_assert_int_le(flights, (int)(log(slowest / 4) / log(e)) + 1);
        for (int i = 0; i < 100; ++i) {
            step_and_check(&s, h);
            CK_NEAR(scene_v(&s, b)[2], 0, 1e-14);
            CK_NEAR(scene_q(&s, b)[2], R, 1e-14);
            ck_assert_int_eq(s.report.active, 1);
        }
        scene_close(&s);
    }
}

// a closing speed of less than 2 g h lands without overlap
TEST(slow_contacts_land_without_overlap)
{
    scene s;
    open_dense(&s);
    scene_ground(&s, 0);
    const double h = 0.01;
    const pcs_system b =
        ball(&s, 1, (double[3]){0, 0, R + 1.5 * G * h * h}, (double[3]){0, 0, -0.9 * G * h});
    scene_start(&s);
    for (int i = 0; i < 5; ++i) {
        step_and_check(&s, h);
        CK_NEAR(s.report.penetration, 0, 1e-15);
    }
    CK_NEAR(scene_q(&s, b)[2], R, 1e-15);
    CK_NEAR(scene_v(&s, b)[2], 0, 1e-15);
    scene_close(&s);
}

// ---- rows of balls ----------------------------------------------------------------------------

// three balls along x with gaps, the first with speed 1
static void cradle(double e, double gap, double h, double v[3])
{
    scene s;
    open_dense(&s);
    scene_gravity(&s, 0, 0, 0);
    pcs_system b[3];
    for (int i = 0; i < 3; ++i) {
        const double x[3] = {2 * R * i + gap * (i == 2) - 0.01 * (i == 0), 0, 0};
        b[i] = ball(&s, e, x, (double[3]){i == 0, 0, 0});
    }
    scene_start(&s);
    for (int i = 0; i < 200; ++i) {
        step_and_check(&s, h);
        CK_NEAR(scene_kinetic(&s), 0.5, e == 1 ? 1e-12 : 0.5);
    }
    for (int i = 0; i < 3; ++i) {
        v[i] = scene_v(&s, b[i])[0];
    }
    scene_close(&s);
}

// balls that touch are hit at the same time; balls with gaps, even smaller than the motion in a
// step, one after the other
TEST(newtons_cradle)
{
    for (int j = 0; j < 2; ++j) {
        const double e = j == 0 ? 1 : 0.4;
        double v[3];
        cradle(e, 0, 1e-3, v);
        CK_NEAR(v[0], (1 - 2 * e) / 3, 1e-12);
        CK_NEAR(v[1], (1 + e) / 3, 1e-12);
        CK_NEAR(v[2], (1 + e) / 3, 1e-12);

        static const double gaps[4] = {0.02, 1e-3, 3e-4, 1e-6};
        for (int k = 0; k < 4; ++k) {
            cradle(e, gaps[k], 1e-3, v);
            CK_NEAR(v[2], 0.25 * (1 + e) * (1 + e), 1e-12);
            if (e < 1) continue;
            CK_NEAR(v[0], 0, 1e-12);
            CK_NEAR(v[1], 0, 1e-12);
        }
    }
}

// A light ball falls together with a heavy one, above it: it rebounds from this one, which the
// floor has just sent up, with V (3 M - m) / (M + m), also if it would be in it by a third at the
// end of the step
TEST(a_ball_on_a_ball_rebounds)
{
    static const double gaps[4] = {2e-4, 1e-3, 3e-3, 1e-2};
    const double h = 2e-3, H = 1, A = 0.12, a = 0.03, M = 0.6, m = 0.06;
    for (int k = 0; k < 4; ++k) {
        scene s = scene_open();
        s.scheme = pcs_scheme_default();
        scene_ground(&s, 1);
        const double low[3] = {0, 0, A + H}, high[3] = {0, 0, 2 * A + a + H + gaps[k]};
        scene_solid_ball(&s, M, A, low, NULL, 1);
        const pcs_system b = scene_solid_ball(&s, m, a, high, NULL, 1);
        scene_start(&s);
        double top = 0;
        for (int i = 0; i < 400; ++i) {
            scene_step(&s, h);
            const double z = scene_q(&s, b)[2] - 2 * A - a, v = scene_v(&s, b)[2];
            top = fmax(top, z + fmax(0, v) * v / (2 * G));
        }
        const double rise = H * pow((3 * M - m) / (M + m), 2);
        CK_NEAR(top, rise, 0.03 * rise);
        scene_close(&s);
    }
}

// On a smooth table, under gravity: along the normal -e times the speed, across it no change, and
// no ball leaves the table. First the cushion, then another ball.
TEST(oblique_billiard)
{
    for (int j = 0; j < 4; ++j) {
        const double e = 0.25 + 0.25 * j;
        scene s;
        open_dense(&s);
        scene_ground(&s, e);
        scene_shape(&s, (pcs_system){0}, pcs_shape_half_space((double[3]){-1, 0, 0}, -1), 0);
        const double speed[3] = {3, 1.2, 0};
        const pcs_system a = ball(&s, e, (double[3]){0.6, 0, R}, speed);
        const double back = 0.35 / 3 + 0.4 / (3 * e); // the time at which it is at x = 0.55 again
        const pcs_system b = ball(&s, e, (double[3]){0.55, 1.2 * back + 0.3 * R, R}, NULL);
        scene_start(&s);
        bool met = false;
        for (int i = 0; i < 1000 && !met; ++i) {
            double x[3], d[3], v1[3], v2[3];
            memcpy(x, scene_q(&s, b), sizeof x);
            for (int k = 0; k < 3; ++k) {
                d[k] = scene_q(&s, a)[k] - x[k];
                v1[k] = scene_v(&s, a)[k];
            }
            step_and_check(&s, 1e-3);
            memcpy(v2, scene_v(&s, a), sizeof v2);
            CK_NEAR(v2[2], 0, 1e-14);
            CK_NEAR(scene_q(&s, a)[2], R, 1e-14);
            met = fabs(scene_v(&s, b)[0]) > 0;
            if (met) {
                const double length = sqrt(d[0] * d[0] + d[1] * d[1]);
                const double N[2] = {d[0] / length, d[1] / length};
                const double u = v1[0] * N[0] + v1[1] * N[1];
                const double *v3 = scene_v(&s, b);
                const double after = (v2[0] - v3[0]) * N[0] + (v2[1] - v3[1]) * N[1];
                CK_NEAR(after, -e * u, 1e-12);
                CK_NEAR(v2[0] + v3[0], v1[0], 1e-12);
                CK_NEAR(v2[1] + v3[1], v1[1], 1e-12);
                CK_NEAR(v3[0] * N[1] - v3[1] * N[0], 0, 1e-12);
            } else {
                CK_NEAR(v2[0], v2[0] > 0 ? 3 : -e * 3, 1e-12);
                CK_NEAR(v2[1], 1.2, 1e-12);
            }
        }
        ck_assert(met);
        scene_close(&s);
    }
}

// ---- heaps ------------------------------------------------------------------------------------

enum { SIDE = 4, BALLS = SIDE * SIDE * SIDE };

// Balls fall into a box and come to rest. The energy rises by no more than the work of the
// projection, which corrects the overlaps that impacts within a step leave.
TEST(a_heap_comes_to_rest)
{
    scene s;
    open_dense(&s);
    s.scheme.solver.tol = 1e-8;
    scene_ground(&s, 0);
    for (int k = 0; k < 4; ++k) {
        const double n[3] = {k == 0 ? 1 : k == 1 ? -1 : 0, k == 2 ? 1 : k == 3 ? -1 : 0, 0};
        scene_shape(&s, (pcs_system){0}, pcs_shape_half_space(n, -1.3 * SIDE * R), 0);
    }
    test_random r = random_seed(11);
    pcs_system b[BALLS];
    for (int i = 0; i < BALLS; ++i) {
        const double x[3] = {2.4 * R * (i % SIDE - 1.5) + 0.01 * (random_unit(&r) - 0.5),
                             2.4 * R * (i / SIDE % SIDE - 1.5) + 0.01 * (random_unit(&r) - 0.5),
                             4 * R + 2.4 * R * (i / SIDE / SIDE)};
        b[i] = ball(&s, 0.5, x, NULL);
    }
    scene_start(&s);
    const int steps = TEST_DRAWS(900);
    const double E0 = scene_potential(&s);
    double E = E0;
    int most = 0;
    for (int i = 0; i < steps; ++i) {
        scene_step(&s, 0.005);
        ck_assert(s.report.outcome == PCS_OUTCOME_CONVERGED);
        ck_assert(s.report.penetration <= s.scheme.proj_tol);
        const double now = s.report.energy.kinetic_after + s.report.energy.potential_after;
        ck_assert_msg(now <= E + fmax(0, s.report.energy.projection) + 1e-9 * E0,
                      "energy rises from %g to %g in step %d", E, now, i);
        CK_NEAR(s.report.energy.closure, 0, 1e-12 * E0);
        E = now;
        most = s.report.active > most ? s.report.active : most;
    }
    if (steps == 900) {
        ck_assert_int_gt(most, 2 * BALLS);
        // a ball that rolls without slip loses nothing: one may still roll by millimetres a second
        for (int i = 0; i < BALLS; ++i) {
            for (int k = 0; k < 3; ++k) {
                CK_NEAR(scene_v(&s, b[i])[k], 0, 1e-2);
            }
        }
    }
    scene_close(&s);
}

// bodies at rest do not move, for any e
TEST(a_stack_stays_at_rest)
{
    scene s;
    open_dense(&s);
    scene_ground(&s, 0);
    const double edges[3] = {0.1, 0.1, 0.1};
    pcs_system b[4];
    for (int i = 0; i < 4; ++i) {
        const double x[3] = {0.02 * (i % 2), 0, 0.05 + 0.1 * i};
        b[i] = scene_box(&s, 1, edges, x, NULL, NULL, NULL);
        scene_rough(&s, b[i], pcs_shape_box(0.1, 0.1, 0.1), 0.25 * (i + 1), 0, 0.3);
    }
    scene_start(&s);
    for (int i = 0; i < 200; ++i) {
        scene_step(&s, 0.005);
        ck_assert_int_ge(s.report.active, 12);
        for (int k = 0; k < 4; ++k) {
            const double *q = scene_q(&s, b[k]);
            CK_NEAR(q[0], 0.02 * (k % 2), 1e-9);
            CK_NEAR(q[2], 0.05 + 0.1 * k, 1e-9);
        }
    }
    scene_close(&s);
}

// ---- beside contacts without restitution --------------------------------------------------------

// A slender bar that tumbles strikes a fixed ball. The gyroscopic moment, whose a <= omega^2 R is,
// may make an impact land only below the speed 2 h a, as any force: it costs at most m (2 h a)^2
// / 2.
TEST(slender_bars_rebound)
{
    const double h = 1e-3, spin = 20, m = 1, edges[3] = {0.2, 0.04, 0.04};
    const double radius = 0.5 * sqrt(0.2 * 0.2 + 2 * 0.04 * 0.04);
    const double slow = 2 * h * spin * spin * radius;
    int hits = 0;
    for (uint64_t k = 0; k < TEST_FEW(40, 400); ++k) {
        test_random r = random_seed(k);
        double Q[4], omega[3], size = 0;
        for (int i = 0; i < 4; ++i) {
            Q[i] = random_normal(&r);
        }
        for (int i = 0; i < 3; ++i) {
            omega[i] = random_normal(&r);
            size += omega[i] * omega[i];
        }
        for (int i = 0; i < 3; ++i) {
            omega[i] *= spin / sqrt(size);
        }
        const double x[3] = {-0.25, random_between(&r, -0.1, 0.1), 0}, v[3] = {1, 0, 0};
        scene s;
        open_dense(&s);
        scene_gravity(&s, 0, 0, 0);
        const pcs_system bar = scene_box(&s, m, edges, x, Q, v, omega);
        scene_shape(&s, bar, pcs_shape_box(edges[0], edges[1], edges[2]), 1);
        scene_shape(&s, (pcs_system){0}, pcs_shape_sphere(0.1), 1);
        scene_start(&s);
        bool hit = false; // the first impact changes the spin
        for (int i = 0; i < 250 && !hit; ++i) {
            const pcs_contact *c;
            scene_step(&s, h);
            ck_assert_double_ge(s.report.energy.normal, -0.5 * m * slow * slow);
            for (int n = scene_contacts(&s, &c); n > 0; --n) {
                hit = hit || c[n - 1].r[0] > 0;
            }
        }
        hits += hit;
        scene_close(&s);
    }
    ck_assert_int_ge(hits, 20);
}

// one ball lands, one rebounds, and one rebounds from a ball that lies on the floor
// A ball that is shot into a wedge whose half angle is smaller than that of friction, with e > 0,
// would have to leave both planes: where it closes with both, Newton's law has no solution at any
// step size. It lands there, every step is solved, and it loses energy. A ball beside it rebounds
// as alone
TEST(a_wedge_that_locks_stops_a_ball)
{
    const double angle[3] = {0.2, 0.4, 0.6}, all[3] = {0.2, 0.5, 1}, speed = 1.5, h = 1e-3;
    for (int k = 0; k < 3; ++k) {
        const double a = angle[k], e = all[k], mu = 1.5 * tan(a / 2);
        const double roof[3] = {-sin(a), 0, -cos(a)};
        scene s = scene_open();
        s.scheme = pcs_scheme_default();
        scene_rough(&s, (pcs_system){0}, pcs_shape_half_space((double[]){0, 0, 1}, 0), e, 0, mu);
        scene_rough(&s, (pcs_system){0}, pcs_shape_half_space(roof, 0), e, 0, mu);
        // both planes are touched at a distance of R / tan(a / 2) from the edge
        const double from[3] = {-R / tan(a / 2) - 0.02, 0, R}, v[3] = {speed, 0, 0};
        const pcs_system b = scene_rough_ball(&s, 1, R, from, v, e, 0, mu);
        const double above[3] = {-3, 0, 2 * R}, down[3] = {0, 0, -1};
        const pcs_system other = scene_rough_ball(&s, 1, R, above, down, e, 0, mu);
        scene_start(&s);
        double most = 0;
        for (int i = 0; i < 100; ++i) {
            scene_step(&s, h);
            ck_assert_int_eq(s.report.outcome, PCS_OUTCOME_CONVERGED);
            // a proof that there is no solution costs less than a search for one
            ck_assert_double_lt(s.report.units, 1e6);
            // within that of the flight, m v h a / 2 for each ball
            const pcs_energy *E = &s.report.energy;
            const double gain =
                E->kinetic_after + E->potential_after - E->kinetic_before - E->potential_before;
            ck_assert_double_le(gain, 2 * h * G);
            most = fmax(most, scene_v(&s, other)[2]);
        }
        // not through the roof; v is lost but for a rebound of e
        ck_assert_double_le(scene_q(&s, b)[0], -R / tan(a / 2) + 1e-6);
        ck_assert_double_le(fabs(scene_v(&s, b)[0]), e * speed + 1e-9);
        CK_NEAR(most, e * hypot(1, sqrt(2 * G * R)), 3 * G * h);
        scene_close(&s);
    }
}

// A ball that bounces in a groove that locks meets both walls with small speeds: residuals of such
// steps are below `accept`. It lands all the same: every step is solved. So it does where each step
// is committed whatever its residual, and a step has one part
TEST(a_ball_lands_in_a_groove_before_a_step_is_accepted)
{
    for (int k = 0; k < 2; ++k) {
        const double a = 0.4, tilt = 0.1, e = 0.1, mu = 1.7, h = 1e-3;
        const double right[3] = {cos(a + tilt), 0, sin(a + tilt)};
        const double left[3] = {-cos(a - tilt), 0, sin(a - tilt)};
        scene s = scene_open();
        s.scheme = pcs_scheme_default();
        if (k == 1) CK_OK(pcs_scheme_keep_time(&s.scheme, 100000, 0));
        scene_rough(&s, (pcs_system){0}, pcs_shape_half_space(right, 0), e, 0, mu);
        scene_rough(&s, (pcs_system){0}, pcs_shape_half_space(left, 0), e, 0, mu);
        const double x[3] = {0, 0, R / sin(a) + 0.1}, v[3] = {0, 0, -0.5};
        const pcs_system b = scene_rough_ball(&s, 1, R, x, v, e, 0, mu);
        scene_start(&s);
        for (int i = 0; i < 400; ++i) {
            scene_step(&s, h);
            ck_assert_int_eq(s.report.outcome, PCS_OUTCOME_CONVERGED);
            ck_assert_int_eq(s.report.doubt[PCS_DOUBT_UNSOLVED].count, 0);
            ck_assert_double_lt(s.report.units, 1e6);
        }
        // at rest on both walls
        CK_NEAR(scene_v(&s, b)[2], 0, 1e-6);
        scene_close(&s);
    }
}

TEST(both_kinds_in_one_scene)
{
    scene s;
    open_dense(&s);
    scene_ground(&s, 0);
    const double H = 0.3, h = 0.002, e = 0.6;
    const pcs_system soft = ball(&s, 0, (double[3]){0, 0, R + H}, NULL);
    const pcs_system hard = ball(&s, e, (double[3]){1, 0, R + H}, NULL);
    const pcs_system below = ball(&s, 0, (double[3]){2, 0, R}, NULL);
    const pcs_system above = ball(&s, e, (double[3]){2, 0, 3 * R + H}, NULL);
    scene_start(&s);
    double v_hard = 0, v_above = 0;
    bool landed = false, hit = false;
    for (int i = 0; i < 200; ++i) {
        const double v = scene_v(&s, hard)[2], w = scene_v(&s, above)[2];
        step_and_check(&s, h);
        ck_assert(scene_q(&s, soft)[2] >= R - 1e-15);
        landed = landed || scene_q(&s, soft)[2] <= R + 1e-15;
        if (landed) CK_NEAR(scene_q(&s, soft)[2], R, 1e-14);
        CK_NEAR(scene_q(&s, below)[2], R, 1e-14);
        if (v < 0 && scene_v(&s, hard)[2] > 0 && v_hard == 0) {
            v_hard = scene_v(&s, hard)[2];
            CK_NEAR(v_hard, -e * v, 1e-12);
        }
        if (w < 0 && scene_v(&s, above)[2] > 0 && v_above == 0) {
            v_above = scene_v(&s, above)[2];
            CK_NEAR(v_above, -e * w, 1e-12);
        }
        hit = hit || v_above > 0;
    }
    ck_assert(landed && hit);
    CK_NEAR(v_hard, e * sqrt(2 * G * H), 4 * G * h);
    CK_NEAR(v_above, v_hard, 1e-12);
    scene_close(&s);
}

// down a plane, sliding or rolling, without leaving it
TEST(down_a_tilted_plane)
{
    for (int j = 0; j < 2; ++j) {
        const double a = 0.4, N[3] = {-sin(a), 0, cos(a)}, h = 0.002;
        scene s;
        open_dense(&s);
        scene_rough(&s, (pcs_system){0}, pcs_shape_half_space(N, 0), 0.7, 0, j == 0 ? 0 : 1);
        const pcs_system b = ball(&s, 0.7, (double[3]){R * N[0], 0, R * N[2]}, NULL);
        scene_start(&s);
        for (int i = 0; i < 300; ++i) {
            step_and_check(&s, h);
            ck_assert_int_eq(s.report.active, 1);
            const double *q = scene_q(&s, b), *v = scene_v(&s, b);
            CK_NEAR(q[0] * N[0] + q[2] * N[2], R, 1e-12);
            const double down = -(v[0] * cos(a) + v[2] * sin(a));
            CK_NEAR(down, (j == 0 ? 1 : 5.0 / 7) * G * sin(a) * (i + 1) * h, 1e-9);
        }
        scene_close(&s);
    }
}

// ---- interactions -------------------------------------------------------------------------------

static int height(void *user, const double *q1, const double *q2, double *g)
{
    g[0] = q1[0];
    return 0;
}

static int one(void *user, const double *q1, const double *q2, double *C1, double *C2)
{
    C1[0] = 1;
    return 0;
}

// a mass with one coordinate, whose law is that of a relation
TEST(a_relation_rebounds_and_rests)
{
    scene s;
    open_dense(&s);
    const double m = 2, load = -m * G, H = 0.1, e = 0.5, h = 0.002;
    pcs_lagrangian_def def = pcs_lagrangian_def_default();
    def.n = 1;
    def.q0 = &H;
    def.mass = &m;
    def.load = &load;
    const pcs_system b = scene_add_lagrangian(&s, &def);
    pcs_interaction_def floor = pcs_interaction_def_default();
    floor.relation = (pcs_relation){.dim = 1, .gap = height, .gradient = one};
    floor.law = pcs_law_newton_impact(e);
    floor.system1 = b;
    CK_OK(pcs_model_add_interaction(s.m, &floor, NULL));
    scene_start(&s);
    double v = 0, first = 0;
    for (int i = 0; i < 400; ++i) {
        scene_step(&s, h);
        const double now = scene_v(&s, b)[0];
        if (v < 0 && now > 0 && first == 0) {
            first = now;
            CK_NEAR(now, -e * v, 1e-12);
        }
        v = now;
    }
    CK_NEAR(first, e * sqrt(2 * G * H), 4 * G * h);
    CK_NEAR(v, 0, 1e-14);
    CK_NEAR(scene_q(&s, b)[0], 0, 1e-14);
    scene_close(&s);
}
