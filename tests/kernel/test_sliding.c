// Motions with friction against closed forms: sliding, sticking, rolling, toppling, rest. A contact
// that slides on a plane under a constant force has a constant impulse, so the velocities of the
// scheme are exact, and with theta = 1/2 also the positions if the events are at ends of steps.
#include "scene.h"

#include "linalg/m3.h"
#include "model/model.h"
#include "state/state.h"

static const pcs_system world = {0};
static const double g = 9.81, pi = 3.14159265358979323846;

static void floor_of(scene *s, double mu)
{
    scene_rough(s, world, pcs_shape_half_space((double[3]){0, 0, 1}, 0), 0, 0, mu);
}

static void steps(scene *s, int n, double h)
{
    for (int i = 0; i < n; ++i) {
        scene_step(s, h);
        scene_check_step(s);
    }
}

static pcs_system add_box(scene *s, double mass, const double edges[3], const double x[3],
                          const double *Q, const double *v)
{
    const pcs_system b = scene_box(s, mass, edges, x, Q, v, NULL);
    scene_shape(s, b, pcs_shape_box(edges[0], edges[1], edges[2]), 0);
    return b;
}

// the rotation about y that maps z to x
static void tilt_of(double beta, double Q[4])
{
    Q[0] = cos(beta / 2);
    Q[1] = Q[3] = 0;
    Q[2] = sin(beta / 2);
}

// ---- sliding -----------------------------------------------------------------------------------

// it stops after v0 / (mu g) at v0^2 / (2 mu g), in any direction; friction has done the work -mu m
// g s
TEST(a_box_slides_to_a_stop)
{
    for (int k = 0; k < 8; ++k) {
        const double mu = 0.3, h = 2e-3, mass = 2, phi = 0.77 * k;
        const int n = 100;
        const double v0 = mu * g * h * n, s0 = v0 * v0 / (2 * mu * g);
        const double edges[3] = {0.6, 0.5, 0.2}, x[3] = {0, 0, 0.1};
        const double v[3] = {v0 * cos(phi), v0 * sin(phi), 0};
        scene s = scene_open();
        s.scheme.solver.tol = 1e-13;
        floor_of(&s, mu);
        const pcs_system b = add_box(&s, mass, edges, x, NULL, v);
        scene_start(&s);
        double work = 0;
        for (int i = 0; i < n; ++i) {
            scene_step(&s, h);
            scene_check_step(&s);
            work += s.report.energy.tangential;
            const pcs_contact *c;
            ck_assert_int_eq(scene_contacts(&s, &c), 4);
            for (int j = 0; j < 4 && i < n - 1; ++j) {
                ck_assert_int_eq(c[j].status, PCS_CONTACT_SLIDE);
            }
        }
        const double *q = scene_q(&s, b), *now = scene_v(&s, b);
        for (int i = 0; i < 6; ++i) {
            CK_NEAR(now[i], 0, 1e-10);
        }
        CK_NEAR(q[0], s0 * cos(phi), 1e-10);
        CK_NEAR(q[1], s0 * sin(phi), 1e-10);
        CK_NEAR(work, -mu * mass * g * s0, 1e-9);
        steps(&s, 50, h);
        CK_NEAR(q[0], s0 * cos(phi), 1e-10);
        CK_NEAR(q[1], s0 * sin(phi), 1e-10);
        scene_close(&s);
    }
}

// a box on a slope of angle beta: it sticks iff tan(beta) <= mu, else slides with g (sin - mu cos)
static void slope(double beta, double mu, bool ball, bool sticks, double tol)
{
    const double h = 5e-3, edges[3] = {0.6, 0.5, 0.2};
    const double N[3] = {sin(beta), 0, cos(beta)}, down[3] = {cos(beta), 0, -sin(beta)};
    double x[3], Q[4];
    tilt_of(beta, Q);
    scene s = scene_open();
    s.scheme.solver.tol = tol;
    scene_rough(&s, world, pcs_shape_half_space(N, 0), 0, 0, mu);
    pcs_system b;
    v3_scale(0.1, N, x);
    if (ball) {
        b = scene_ball(&s, 3, 0.1, x, NULL);
        scene_shape(&s, b, pcs_shape_sphere(0.1), 0);
    } else {
        b = add_box(&s, 3, edges, x, Q, NULL);
    }
    scene_start(&s);
    const int n = 200;
    steps(&s, n, h);

    // a ball that sticks rolls: 5/7 of the frictionless acceleration
    double a = sticks ? 0 : g * (sin(beta) - mu * cos(beta));
    if (ball && sticks) a = 5. / 7 * g * sin(beta);
    const double t = n * h;
    double moved[3];
    v3_sub(scene_q(&s, b), x, moved);
    CK_NEAR(v3_dot(scene_v(&s, b), down), a * t, 1e-9);
    CK_NEAR(v3_dot(moved, down), 0.5 * a * t * t, 1e-9);
    CK_NEAR(moved[1], 0, 1e-9);
    const pcs_contact *c;
    const int contacts = scene_contacts(&s, &c);
    ck_assert_int_ge(contacts, 1);
    // the impulses that hold a box are not unique; all of them may lie on the boundary of their
    // cones
    const pcs_contact_status right = sticks ? PCS_CONTACT_STICK : PCS_CONTACT_SLIDE;
    for (int i = 0; i < contacts; ++i) {
        ck_assert(c[i].status == right || (!ball && c[i].status == PCS_CONTACT_UNDECIDED));
    }
    scene_close(&s);
}

TEST(both_sides_of_the_friction_angle)
{
    const double mu[] = {0.05, 0.5, 0.9};
    for (int i = 0; i < 3; ++i) {
        slope(atan(mu[i]) - 1e-3, mu[i], false, true, 1e-13);
        slope(atan(mu[i]) + 1e-3, mu[i], false, false, 1e-13);

        // a solid ball rolls without slipping iff tan(beta) <= 3.5 mu
        slope(atan(3.5 * mu[i]) - 1e-3, mu[i], true, true, 1e-13);
        slope(atan(3.5 * mu[i]) + 1e-3, mu[i], true, false, 1e-13);
    }
    // the rounding of u_T counts mu times: eps mu = 2e-10 may exceed the tolerance
    slope(0.77, 1e6, false, true, 1e-9);
    slope(0.3, 1e-9, false, false, 1e-13);
}

// a box topples forward where tan(beta) > b / H, if friction holds it
TEST(a_box_topples_at_its_angle)
{
    const double edges[3] = {0.2, 0.3, 0.5}, ratio = 0.4;
    for (int k = 0; k < 4; ++k) {
        const double mu = k % 2 ? 0.2 : 1, beta = atan(ratio) + (k < 2 ? -2e-3 : 2e-3);
        const double N[3] = {sin(beta), 0, cos(beta)};
        double x[3], Q[4];
        tilt_of(beta, Q);
        v3_scale(0.25, N, x);
        scene s = scene_open();
        scene_rough(&s, world, pcs_shape_half_space(N, 0), 0, 0, mu);
        const pcs_system b = add_box(&s, 1, edges, x, Q, NULL);
        scene_start(&s);
        steps(&s, 200, 5e-3);
        const double turn = fabs(scene_v(&s, b)[4]), slides = v3_norm(scene_v(&s, b));
        const bool topples = k == 2;
        ck_assert_msg(topples ? turn > 1e-2 : turn < 1e-9, "mu %g beta %g: turns at %g", mu, beta,
                      turn);
        if (k == 0) ck_assert(slides < 1e-9);
        if (mu < 1) CK_NEAR(slides, g * (sin(beta) - mu * cos(beta)), 1e-8);
        scene_close(&s);
    }
}

// A ball without friction slides over a valley between two planes at the angles -a and a, wherever
// its steps begin. With e = 0 it loses the velocity into the second plane, v^2 / 2 sin^2 2a; and
// with theta = 1 each step loses (h g sin a)^2 / 2 on a slope. The weight takes nothing.
TEST(a_valley_takes_what_an_impact_takes)
{
    const double R = 0.1, h = 2e-3, a = 0.01, v0 = 0.4;
    for (int phase = 0; phase < 16; ++phase) {
        scene s = scene_open();
        s.scheme = pcs_scheme_default();
        for (int side = -1; side <= 1; side += 2) {
            const double N[3] = {side * sin(a), 0, cos(a)};
            scene_shape(&s, world, pcs_shape_half_space(N, 0), 0);
        }
        const double x0 = -0.02 - v0 * h * phase / 16;
        const double x[3] = {x0, 0, R / cos(a) - x0 * tan(a)};
        const pcs_system b =
            scene_solid_ball(&s, 1, R, x, (double[3]){v0 * cos(a), 0, -v0 * sin(a)}, 0);
        scene_start(&s);
        const double E = scene_kinetic(&s) + g * x[2];
        const int n = 60;
        steps(&s, n, h);
        const double *q = scene_q(&s, b), *v = scene_v(&s, b);
        ck_assert_double_gt(q[0], 0.01);
        const double there = v0 * v0 - 2 * g * x0 * tan(a); // v^2 in the valley
        const double hit = 0.5 * there * pow(sin(2 * a), 2),
                     slope = 0.5 * n * pow(h * g * sin(a), 2);
        const double lost = E - 0.5 * v3_dot(v, v) - g * q[2];
        CK_NEAR(lost, hit + slope, 0.05 * hit);
        scene_close(&s);
    }
}

// ---- balls --------------------------------------------------------------------------------------

// slides with mu g until 2 v0 / (7 mu g), then rolls with 5/7 v0 for ever
TEST(a_ball_slides_then_rolls)
{
    for (int k = 0; k < 5; ++k) {
        const double mu = 0.2, R = 0.05, h = 1e-3, phi = 1.1 * k;
        const int n = 150;
        const double v0 = 3.5 * mu * g * h * n, t1 = 2 * v0 / (7 * mu * g);
        const double along[3] = {cos(phi), sin(phi), 0}, x[3] = {0, 0, R};
        double v[3];
        v3_scale(v0, along, v);
        scene s = scene_open();
        s.scheme.solver.tol = 1e-13;
        floor_of(&s, mu);
        const pcs_system b = scene_solid_ball(&s, 0.2, R, x, v, 0);
        scene_start(&s);
        CK_NEAR(t1, n * h, 1e-12);
        steps(&s, n, h);
        CK_NEAR(v3_dot(scene_q(&s, b), along), 12 * v0 * v0 / (49 * mu * g), 1e-11);
        CK_NEAR(v3_dot(scene_v(&s, b), along), 5. / 7 * v0, 1e-11);
        steps(&s, 100, h);
        CK_NEAR(v3_dot(scene_v(&s, b), along), 5. / 7 * v0, 1e-11);
        CK_NEAR(v3_norm(scene_v(&s, b) + 3), 5. / 7 * v0 / R, 1e-9);
        const pcs_contact *c;
        ck_assert_int_eq(scene_contacts(&s, &c), 1);
        ck_assert_int_eq(c[0].status, PCS_CONTACT_STICK);
        scene_close(&s);
    }
}

// a point contact does not change the spin about its normal; one about a horizontal axis drives the
// ball with mu g until it rolls with 2/7 of R omega
TEST(a_spinning_ball)
{
    const double mu = 0.3, R = 0.1, h = 1e-3;
    const int n = 100;
    const double most = 3.5 * mu * g * h * n / R;
    for (int k = 0; k < 3; ++k) {
        // both spins at once: the moment rotates with the body within a step, an error O(h)
        const double tol = k == 2 ? 1e-5 : 1e-11;
        const double omega = k == 0 ? 0 : most, spin = k == 1 ? 0 : 7;
        scene s = scene_open();
        s.scheme.solver.tol = 1e-13;
        floor_of(&s, mu);
        const pcs_system b = scene_solid_ball(&s, 1, R, (double[3]){1e3, -2e3, R}, NULL, 0);
        scene_start(&s);
        double *v = scene_v(&s, b), w[3];
        v[4] = omega;
        v[5] = spin;
        for (int i = 0; i < 2; ++i) {
            steps(&s, n, h);
            pcs_quat_rotate(scene_q(&s, b) + 3, v + 3, w);
            CK_NEAR(v[0], 2. / 7 * R * omega, tol);
            CK_NEAR(v[1], 0, 100 * tol);
            CK_NEAR(w[1], 2. / 7 * omega, 100 * tol);
            CK_NEAR(w[2], spin, k == 2 ? 1e-2 : 1e-12);
        }
        scene_close(&s);
    }
}

// ---- rest --------------------------------------------------------------------------------------

TEST(a_stack_stays)
{
    const double edges[3] = {0.3, 0.3, 0.2};
    for (int k = 0; k < 2; ++k) {
        scene s = scene_open();
        s.scheme.solver.tol = 1e-13;
        if (k) s.scheme.projection = PCS_PROJECTION_DIRECT_HYSTERESIS;
        floor_of(&s, 0.5);
        pcs_system b[3];
        double x[3][3];
        for (int i = 0; i < 3; ++i) {
            x[i][0] = 0.03 * i;
            x[i][1] = -0.02 * i;
            x[i][2] = 0.1 + 0.2 * i;
            b[i] = add_box(&s, 1 + i, edges, x[i], NULL, NULL);
        }
        scene_start(&s);
        for (int i = 0; i < TEST_DRAWS(2000); ++i) {
            scene_step(&s, 5e-3);
        }
        scene_check_step(&s);
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                CK_NEAR(scene_q(&s, b[i])[j], x[i][j], 1e-10);
                CK_NEAR(scene_q(&s, b[i])[4 + j], 0, 1e-10);
            }
        }
        scene_close(&s);
    }
}

// the impulses of the last step solve this one: no sweep after the first measure
TEST(a_step_at_rest_needs_no_sweep)
{
    const double edges[3] = {0.3, 0.4, 0.2}, x[3] = {0, 0, 0.1};
    double Q[4];
    scene s = scene_open();
    s.scheme.solver.tol = 1e-10;
    scene_gravity(&s, 2, 1, -9);
    tilt_of(0, Q);
    floor_of(&s, 0.5);
    add_box(&s, 1, edges, x, Q, NULL);
    scene_start(&s);
    scene_step(&s, 5e-3);
    ck_assert_int_gt(s.report.solve.iters, 1);
    for (int i = 0; i < 20; ++i) {
        scene_step(&s, 5e-3);
        ck_assert_int_le(s.report.solve.iters, 1);
    }
    scene_close(&s);
}

// impulses are remembered in space: where the frame of a contact has rotated in its plane between
// two steps they still solve it. The slope is a fixed body, so that a state can be rotated with it
TEST(a_rotated_frame_keeps_the_impulses)
{
    test_random r = random_seed(22);
    const double edges[3] = {0.3, 0.4, 0.2}, x[3] = {0, 0, 0.1}, pull[3] = {2, 1, -9};
    for (int k = 0; k < 20; ++k) {
        scene s = scene_open();
        s.scheme.solver.tol = 1e-10;
        scene_gravity(&s, pull[0], pull[1], pull[2]);
        pcs_body_def def = pcs_body_def_default();
        def.fixed = true;
        const pcs_system slope = scene_add(&s, &def);
        scene_rough(&s, slope, pcs_shape_half_space((double[3]){0, 0, 1}, 0), 0, 0, 0.5);
        add_box(&s, 1, edges, x, NULL, NULL);
        scene_start(&s);
        for (int i = 0; i < 3; ++i) {
            scene_step(&s, 5e-3);
        }

        // the remembered impulse is F r
        const pcs_contact *c;
        pcs_memory *memory = s.st->memory;
        ck_assert_int_eq(scene_contacts(&s, &c), memory->n);
        double sum[3] = {0}, turn[4], G[3];
        for (int i = 0; i < memory->n; ++i) {
            v3_along(sum, 1, memory->contact[i].r, sum);
        }
        for (int i = 0; i < 3; ++i) {
            CK_NEAR(sum[i], -pull[i] * 5e-3, 1e-10);
        }
        random_quaternion(&r, turn);
        for (int b = 0; b < 2; ++b) {
            double *q = s.st->q + 7 * b, Q[4], X[3];
            pcs_quat_rotate(turn, q, X);
            pcs_quat_mul(turn, q + 3, Q);
            memcpy(q, X, sizeof X);
            memcpy(q + 3, Q, sizeof Q);
        }
        for (int i = 0; i < memory->n; ++i) {
            double p[3];
            pcs_quat_rotate(turn, memory->contact[i].r, p);
            memcpy(memory->contact[i].r, p, sizeof p);
        }
        pcs_quat_rotate(turn, pull, G);
        scene_gravity(&s, G[0], G[1], G[2]);
        scene_step(&s, 5e-3);
        ck_assert_int_eq(s.report.active, 4);
        ck_assert_int_le(s.report.solve.iters, 1);
        scene_close(&s);
    }
}

// ---- symmetry, bits -----------------------------------------------------------------------------

// a box thrown on a floor, everything rotated by R: with one start Q, another with R Q
static void thrown(const double turn[4], int n, double out[7])
{
    const double edges[3] = {0.3, 0.2, 0.1}, up[3] = {0, 0, 1}, x0[3] = {0, 0, 0.3};
    const double v0[3] = {1.5, 0.4, -1}, G[3] = {0, 0, -g};
    double N[3], x[3], v[3], down[3], Q[4];
    const double Q0[4] = {0.8, 0.3, 0.4, 0.33};
    pcs_quat_rotate(turn, up, N);
    pcs_quat_rotate(turn, x0, x);
    pcs_quat_rotate(turn, v0, v);
    pcs_quat_rotate(turn, G, down);
    pcs_quat_mul(turn, Q0, Q);
    scene s = scene_open();
    s.scheme.solver.tol = 1e-11;
    scene_gravity(&s, down[0], down[1], down[2]);
    scene_rough(&s, world, pcs_shape_half_space(N, 0), 0, 0, 0.4);
    const pcs_system b = add_box(&s, 1, edges, x, Q, v);
    scene_start(&s);
    int contacts = 0;
    for (int i = 0; i < n; ++i) {
        scene_step(&s, 2e-3);
        contacts += s.report.active;
    }
    ck_assert_int_gt(contacts, 20);
    double back[4];
    pcs_quat_conj(turn, back);
    pcs_quat_rotate(back, scene_q(&s, b), out);
    pcs_quat_mul(back, scene_q(&s, b) + 3, out + 3);
    scene_close(&s);
}

TEST(no_direction_is_special)
{
    const double here[4] = {1, 0, 0, 0};
    double q[7], other[7];
    thrown(here, 250, q);
    test_random r = random_seed(21);
    for (int k = 0; k < 10; ++k) {
        double turn[4];
        random_quaternion(&r, turn);
        thrown(turn, 250, other);
        expect_same(other, q, 7, 1e-7);
    }
}

// a state saved in the middle of a run continues with the same bits
TEST(replay)
{
    unsigned long long end[3];
    unsigned char bytes[1 << 16];
    size_t size = 0;
    for (int k = 0; k < 3; ++k) {
        scene s;
        scene_random_rough(&s, 9, 0.7);
        scene_start(&s);
        if (k == 2) CK_OK(pcs_state_load(s.st, bytes, size));
        for (int i = k == 2 ? 60 : 0; i < 120; ++i) {
            if (i == 60 && k == 0) {
                size = pcs_state_save_bytes(s.st);
                ck_assert(size <= sizeof bytes);
                pcs_state_save(s.st, bytes);
            }
            scene_step(&s, 2e-3);
        }
        end[k] = pcs_state_hash(s.st);
        scene_close(&s);
    }
    ck_assert(end[0] == end[1]);
    ck_assert(end[0] == end[2]);
}

// ---- hard cases ---------------------------------------------------------------------------------

// A uniform rod slides on its tip, leaning so that the normal velocity of the tip grows with the
// normal force, 1 + 3 cos^2 - 3 mu sin cos < 0 (Painleve): no force allows further sliding. The
// step stops the tip with an impulse, or says that it has not converged.
TEST(the_rod_of_painleve)
{
    const double theta[] = {0.5, 1.1, 1.3}, mu[] = {0.5, 2, 4};
    for (int k = 0; k < 36; ++k) {
        const double lean = theta[k % 3], f = mu[k / 3 % 3], way = k / 9 % 2 ? 1 : -1;
        const double half = 0.5, e = k < 18 ? 0 : 0.5;
        double Q[4];
        tilt_of(pi / 2 - lean, Q);
        scene s = scene_open();
        s.scheme.accept_unconverged = true;
        floor_of(&s, f);
        pcs_body_def def = pcs_body_def_of_inertia(pcs_inertia_box(1, 1e-3, 1e-3, 2 * half));
        def.position[0] = -half * cos(lean);
        def.position[2] = half * sin(lean);
        memcpy(def.orientation, Q, sizeof Q);
        def.velocity[0] = way;
        const pcs_system b = scene_add(&s, &def);
        pcs_shape tip = pcs_shape_sphere(1e-9);
        tip.position[2] = -half;
        scene_shape(&s, b, tip, e);
        scene_start(&s);
        for (int i = 0; i < 100; ++i) {
            scene_step(&s, 1e-3);
            ck_assert(pcs_all_finite(s.st->v, 6));
            ck_assert(v3_norm(scene_v(&s, b)) < 20);
            if (s.report.outcome == PCS_OUTCOME_CONVERGED) scene_check_step(&s);
        }
        scene_close(&s);
    }
}

// a relation by callbacks with three rows: a point of a Lagrangian system over the plane z = 0
static int height(void *user, const double *q1, const double *q2, double *y)
{
    y[0] = q1[2];
    y[1] = y[2] = 0;
    return 0;
}

static int axes(void *user, const double *q1, const double *q2, double *C1, double *C2)
{
    C1[0 + 3 * 2] = C1[1 + 3 * 0] = C1[2 + 3 * 1] = 1;
    return 0;
}

TEST(friction_by_a_relation)
{
    const double M[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2}, load[3] = {0, 0, -2 * g};
    for (int k = 0; k < 2; ++k) {
        const double mu = k ? 0.25 : 0, h = 1e-3, v0[3] = {0.25 * g * 0.06, 0.25 * g * 0.08, 0};
        scene s = scene_open();
        s.scheme.projection = PCS_PROJECTION_DIRECT;
        const pcs_lagrangian_def def = {.n = 3, .mass = M, .load = load, .v0 = v0};
        pcs_interaction_def contact = pcs_interaction_def_default();
        contact.relation = (pcs_relation){.dim = 3, .gap = height, .gradient = axes};
        contact.law = pcs_law_newton_coulomb(0, 0, mu);
        CK_OK(pcs_model_add_lagrangian(s.m, &def, &contact.system1));
        CK_OK(pcs_model_add_interaction(s.m, &contact, NULL));
        scene_start(&s);
        for (int i = 0; i < 100; ++i) {
            scene_step(&s, h);
        }
        const pcs_contact *c;
        ck_assert_int_eq(scene_contacts(&s, &c), 1);
        CK_NEAR(c[0].r[0], 2 * g * h, 1e-12);
        CK_NEAR(hypot(c[0].r[1], c[0].r[2]), 2 * mu * g * h, 1e-9);
        for (int i = 0; i < 2; ++i) {
            CK_NEAR(s.st->v[i], k ? 0 : v0[i], 1e-11);
            CK_NEAR(s.st->q[i], v0[i] * (k ? 0.05 : 0.1), 1e-11);
        }
        CK_NEAR(s.report.energy.closure, 0, 1e-14);
        contact.relation.dim = 1;
        CK_FAILS(pcs_model_add_interaction(s.m, &contact, NULL), PCS_ERR_SIZE);
        contact.relation.dim = 3;
        contact.law.mu = -1;
        CK_FAILS(pcs_model_add_interaction(s.m, &contact, NULL), PCS_ERR_ARG);
        contact.law.mu = NAN;
        CK_FAILS(pcs_model_add_interaction(s.m, &contact, NULL), PCS_ERR_ARG);
        scene_close(&s);
    }
}

// a ball that rolls down a sphere: H with its frames follows the motion within the step
TEST(rows_that_follow_the_motion)
{
    scene s = scene_open();
    s.scheme.configuration = PCS_CONFIGURATION_ITERATE;
    s.scheme.newton_max = 100;
    pcs_body_def def = pcs_body_def_default();
    def.fixed = true;
    const pcs_system dome = scene_add(&s, &def);
    scene_rough(&s, dome, pcs_shape_sphere(1), 0, 0, 0.5);
    const double lean = 0.1, x[3] = {1.1 * sin(lean), 0, 1.1 * cos(lean)};
    const pcs_system b = scene_solid_ball(&s, 1, 0.1, x, NULL, 0);
    scene_start(&s);
    const double V = scene_potential(&s);
    for (int i = 0; i < 300; ++i) {
        scene_step(&s, 2e-3);
        CK_NEAR(s.report.energy.closure, 0, 1e-13);
    }
    // rolling without slipping: 7/10 v^2 = g times the fall
    const double v = v3_norm(scene_v(&s, b));
    ck_assert(v > 0.3);
    CK_NEAR(0.7 * v * v, V - scene_potential(&s), 0.02 * v * v);
    scene_close(&s);
}
