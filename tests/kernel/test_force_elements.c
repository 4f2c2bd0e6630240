// Force elements: closed forms, conservation, Jacobians, contacts of coupled bodies, bad input.
#include "scene.h"

#include "linalg/m3.h"

static const pcs_system world = {0};
static const double PI = 3.14159265358979323846;

static pcs_force add(scene *s, const pcs_force_def *def)
{
    pcs_force out;
    CK_OK(pcs_model_add_force(s->m, def, &out));
    return out;
}

static pcs_force_def spring_of(pcs_system one, pcs_system two, double stiffness, double length)
{
    pcs_force_def def = pcs_force_def_default(PCS_FORCE_SPRING);
    def.system1 = one;
    def.system2 = two;
    def.stiffness = stiffness;
    def.length = length;
    return def;
}

static pcs_force_result read_force(const scene *s, pcs_force f)
{
    pcs_force_result out;
    CK_OK(pcs_state_force(s->m, s->st, f, &out));
    return out;
}

// a vector of numbers between -1 and 1
static void scatter(test_random *r, int n, double *x)
{
    for (int i = 0; i < n; ++i) {
        x[i] = random_between(r, -1, 1);
    }
}

// ---- springs between many bodies that slide -----------------------------------------------------

// Bodies that springs connect, too many for a dense matrix, without the finish (part 24), and
// without the methods in the velocities (28, 29): a solve ends when all that are left have ended
TEST(a_solve_without_the_finish_ends)
{
    enum { BOXES = 40 };
    for (int k = 0; k < 2; ++k) {
        scene s = scene_open();
        s.scheme = pcs_scheme_default();
        s.scheme.solver.as.portfolio.without = 1 << 23 | (k == 1 ? 3 << 27 : 0);
        s.scheme.accept_unconverged = true;
        scene_gravity(&s, 0, 0, -9.81);
        scene_ground(&s, 0);
        pcs_system before = world;
        for (int i = 0; i < BOXES; ++i) {
            const double x[3] = {0.5 * i, 0, 0.1}, v[3] = {1, 0.02 * i, 0}, none[3] = {0};
            const double edges[3] = {0.2, 0.2, 0.2};
            const pcs_system box = scene_box(&s, 1, edges, x, NULL, v, none);
            scene_rough(&s, box, pcs_shape_box(0.2, 0.2, 0.2), 0, 0, 0.3);
            const pcs_force_def def = spring_of(before, box, 1e3, 0.4);
            if (i > 0) add(&s, &def);
            before = box;
        }
        scene_start(&s);
        for (int i = 0; i < 3; ++i) {
            scene_step(&s, 1e-3);
            ck_assert_int_ge(s.report.active, 4 * BOXES);
            ck_assert_double_lt(s.report.units, 2 * s.report.budget);
        }
        scene_close(&s);
    }
}

// ---- two masses and a spring --------------------------------------------------------------------

// masses 2 kg and 3 kg on a spring of 100 N/m that is 0.2 m too long
static pcs_force open_pair(scene *s, double theta)
{
    *s = scene_open();
    s->scheme.theta = theta;
    scene_gravity(s, 0, 0, 0);
    const double x[3] = {0.3, 0.1, 0}, y[3] = {1.5, 0.1, 0};
    const pcs_system a = scene_ball(s, 2, 0.1, x, NULL), b = scene_ball(s, 3, 0.1, y, NULL);
    const pcs_force_def def = spring_of(a, b, 100, 1);
    const pcs_force out = add(s, &def);
    scene_start(s);
    return out;
}

static const double pair_rate = 9.128709291752769; // sqrt(100 (1/2 + 1/3))

TEST(two_masses_swing_with_second_order_and_one_iterate)
{
    double error[5];
    for (int k = 0; k < 5; ++k) {
        scene s;
        const pcs_force f = open_pair(&s, 0.5);
        const int n = 16 << k;
        const double T = 0.3;
        for (int i = 0; i < n; ++i) {
            scene_step(&s, T / n);
            ck_assert_int_eq(s.report.newton_iters, 1);
            CK_NEAR(2 * s.st->v[0] + 3 * s.st->v[6], 0, 1e-14);
            const double K = s.report.energy.kinetic_after, V = s.report.energy.potential_after;
            CK_NEAR(K + V, 2, 1e-13); // the midpoint rule conserves a quadratic energy
            scene_check_ledger(&s);
        }
        const pcs_force_result now = read_force(&s, f);
        const double x = 0.2 * cos(pair_rate * T), v = -0.2 * pair_rate * sin(pair_rate * T);
        error[k] = hypot(now.length - 1 - x, (now.speed - v) / pair_rate);
        CK_NEAR(now.energy, 50 * (now.length - 1) * (now.length - 1), 1e-13);
        CK_NEAR(now.force, 100 * (now.length - 1), 1e-12);
        CK_NEAR(now.F1[0], now.force, 1e-12); // the spring pulls body 1 along x
        CK_NEAR(now.F2[0], -now.force, 1e-12);
        scene_close(&s);
    }
    CK_NEAR(observed_order(5, error), 2, 0.02);
}

TEST(a_stiff_spring_is_stable_at_any_step)
{
    for (int k = 0; k < 2; ++k) {
        scene s;
        const pcs_force f = open_pair(&s, k == 0 ? 1 : 0.5);
        double before = 2;
        for (int i = 0; i < 20; ++i) {
            scene_step(&s, 1e3 * 2 * PI / pair_rate);
            const double E = s.report.energy.kinetic_after + s.report.energy.potential_after;
            ck_assert_int_eq(s.report.newton_iters, 1);
            ck_assert(E <= before * (1 + 1e-6) + 1e-20);
            before = E;
        }
        CK_NEAR(read_force(&s, f).length, 1, k == 0 ? 1e-9 : 0.21);
        scene_close(&s);
    }
}

// A ball swings about the world on a spring, of length 0 at its centre, or of a length and with its
// end beside the centre, at any omega h. With theta = 1 it never gains energy; with theta = 1/2 the
// first spring, which is linear, keeps it
TEST(a_stiff_spring_that_turns_gains_nothing_with_theta_1)
{
    const double h = 0.01;
    for (int k = 0; k < 2 * TEST_FEW(2, 8); ++k) {
        const bool turns = k % 2 == 1;
        for (int half = 0; half < (turns ? 1 : 2); ++half) {
            test_random r = random_seed(7 + k);
            scene s = scene_open();
            s.scheme = pcs_scheme_default();
            s.scheme.second_order = half == 1;
            scene_gravity(&s, 0, 0, 0);
            const double rate = pow(10, random_between(&r, -0.5, 3)) / h;
            const double x[3] = {0.1, 0, 0};
            double v[3];
            scatter(&r, 3, v);
            pcs_force_def def = spring_of(scene_ball(&s, 1, 0.05, x, v), (pcs_system){0},
                                          rate * rate, turns ? 0.1 : 0);
            if (turns) def.p1[1] = def.p2[1] = 0.05;
            add(&s, &def);
            scene_start(&s);
            double before = scene_kinetic(&s) + scene_potential(&s);
            for (int i = 0; i < 200; ++i) {
                scene_step(&s, h);
                const double E = scene_kinetic(&s) + scene_potential(&s);
                ck_assert(E <= before * (1 + 1e-9));
                if (half == 1) CK_NEAR(E, before, 1e-9 * before);
                before = E;
            }
            scene_close(&s);
        }
    }
}

TEST(a_damped_spring_follows_its_closed_form)
{
    scene s = scene_open();
    scene_gravity(&s, 0, 0, -9.81);
    const double x[3] = {0, 0, -1.25}, m = 2, k = 50, c = 4;
    const pcs_system b = scene_ball(&s, m, 0.1, x, NULL);
    pcs_force_def def = spring_of(b, world, k, 1);
    def.damping = c;
    const pcs_force f = add(&s, &def);
    scene_start(&s);
    const double h = 1e-3, rest = -1 - m * 9.81 / k, a = c / (2 * m), w = sqrt(k / m - a * a);
    double lost = 0;
    for (int i = 1; i <= 1000; ++i) {
        scene_step(&s, h);
        lost += s.report.energy.forces;
        const double t = i * h, y = -1.25 - rest;
        CK_NEAR(scene_q(&s, b)[2] - rest, exp(-a * t) * y * (cos(w * t) + a / w * sin(w * t)),
                2e-6);
    }
    const double E = s.report.energy.kinetic_after + s.report.energy.potential_after;
    CK_NEAR(E - (0.5 * k * 0.25 * 0.25 - m * 9.81 * 1.25), lost, 1e-11);
    const pcs_force_result now = read_force(&s, f);
    CK_NEAR(now.power, -c * now.speed * now.speed, 1e-12);
    scene_close(&s);
}

TEST(a_damper_alone_stops_a_body)
{
    scene s = scene_open();
    scene_gravity(&s, 0, 0, 0);
    const double x[3] = {1, 0, 0}, v[3] = {1, 0, 0};
    const pcs_system b = scene_ball(&s, 1, 0.1, x, v);
    pcs_force_def def = spring_of(b, world, 0, 0);
    def.damping = 2;
    add(&s, &def);
    s.scheme.theta = 1;
    scene_start(&s);
    scene_step(&s, 0.5);
    CK_NEAR(scene_v(&s, b)[0], 0.5, 1e-14); // 1 / (1 + 2 h)
    scene_close(&s);
}

// ---- torsion, bushing ---------------------------------------------------------------------------

TEST(a_torsional_pendulum_has_its_period)
{
    scene s = scene_open();
    scene_gravity(&s, 0, 0, 0);
    pcs_body_def def = pcs_body_def_default();
    const double angle = 1.2, k = 3, J = 0.5;
    const double inertia[9] = {0.4, 0, 0, 0, 0.6, 0, 0, 0, J};
    memcpy(def.inertia, inertia, sizeof inertia);
    def.orientation[0] = cos(0.5 * angle);
    def.orientation[3] = sin(0.5 * angle);
    const pcs_system b = scene_add(&s, &def);
    pcs_force_def f = pcs_force_def_default(PCS_FORCE_TORSION);
    f.system1 = b;
    f.axis[2] = 4;
    f.stiffness = k;
    const pcs_force torsion = add(&s, &f);
    scene_start(&s);
    const int n = 2000;
    const double T = 2 * PI * sqrt(J / k);
    for (int i = 0; i < n; ++i) {
        scene_step(&s, T / n);
        CK_NEAR(s.report.energy.kinetic_after + s.report.energy.potential_after,
                0.5 * k * angle * angle, 1e-11);
    }
    CK_NEAR(fabs(read_force(&s, torsion).length), angle, 1e-5);
    CK_NEAR(scene_v(&s, b)[5], 0, 1e-4);
    scene_close(&s);
}

// A body that turns past half a turn against a torsional spring (or a bushing, whose angle without
// moment is 0): the angle jumps by 2 pi, and the potential by 2 pi k angle. That is a doubt in the
// step of the jump, with the element and the energy, where energy is added, and nothing else is one
TEST(a_jump_of_an_angle_that_adds_energy_is_doubted)
{
    int doubts = 0;
    for (int k = 0; k < 3; ++k) {
        const double stiffness = 3, angle = k == 0 ? -0.3 : k == 1 ? 0.3 : 0, h = 1e-4;
        scene s = scene_open();
        scene_gravity(&s, 0, 0, 0);
        const double edges[3] = {0.3, 0.3, 0.3}, omega[3] = {0, 0, 40};
        const pcs_system b = scene_box(&s, 5, edges, (double[]){0, 0, 0}, NULL, NULL, omega);
        pcs_force_def f = pcs_force_def_default(k == 2 ? PCS_FORCE_BUSHING : PCS_FORCE_TORSION);
        f.system1 = b;
        f.axis[2] = 1;
        f.stiffness = stiffness;
        f.K[35] = stiffness;
        f.angle = angle;
        const pcs_force element = add(&s, &f);
        scene_start(&s);
        int jumps = 0;
        double before = read_force(&s, element).length;
        for (int i = 0; i < 1200; ++i) {
            const double E = scene_kinetic(&s) + scene_potential(&s);
            scene_step(&s, h);
            const double gain = scene_kinetic(&s) + scene_potential(&s) - E;
            const double now = read_force(&s, element).length;
            const bool jump = k < 2 && fabs(now - before) > PI;
            const pcs_doubt *d = &s.report.doubt[PCS_DOUBT_GAIN];
            before = now;
            jumps += jump;
            ck_assert_int_eq(d->count, jump && gain > 0.1);
            doubts += d->count > 0;
            if (d->count == 0) continue;
            ck_assert_int_eq(d->one, PCS_DOUBT_FORCE);
            ck_assert_int_eq(d->two, element.id);
            CK_NEAR(d->value, gain, 1e-6);
            // within a step the spring does the work of its moments on both sides
            CK_NEAR(d->value, 2 * PI * stiffness * fabs(angle), 2 * PI * stiffness * 40 * h);
            char text[PCS_DOUBT_TEXT_SIZE];
            pcs_doubt_text(PCS_DOUBT_GAIN, d, text);
            ck_assert_ptr_nonnull(strstr(text, "force element 1"));
        }
        ck_assert_int_eq(jumps, k < 2);
        scene_close(&s);
    }
    ck_assert_int_eq(doubts, 1);
}

TEST(a_bushing_swings_as_six_oscillators)
{
    scene s = scene_open();
    scene_gravity(&s, 0, 0, 0);
    pcs_body_def def = pcs_body_def_default();
    const double K[6] = {100, 200, 300, 4, 5, 6}, J[3] = {0.3, 0.4, 0.5}, m = 2;
    const double small = 1e-5;
    def.mass = m;
    for (int i = 0; i < 3; ++i) {
        def.inertia[4 * i] = J[i];
        def.position[i] = small;
        def.orientation[1 + i] = 0.5 * small;
    }
    const pcs_system b = scene_add(&s, &def);
    pcs_force_def f = pcs_force_def_default(PCS_FORCE_BUSHING);
    f.system1 = b;
    for (int i = 0; i < 6; ++i) {
        f.K[7 * i] = K[i];
    }
    const pcs_force bushing = add(&s, &f);
    scene_start(&s);
    const int n = 1000;
    const double T = 0.2;
    for (int i = 0; i < n; ++i) {
        scene_step(&s, T / n);
    }
    const pcs_force_result now = read_force(&s, bushing);
    for (int i = 0; i < 6; ++i) {
        // of the frame of the world from that of the body: the other sign
        const double w = sqrt(K[i] / (i < 3 ? m : J[i - 3]));
        CK_NEAR(now.strain[i] / small, -cos(w * T), 1e-4);
        CK_NEAR(now.stress[i], K[i] * now.strain[i], 1e-12);
    }
    scene_close(&s);
}

// a full stiffness or damping, positive definite
static void random_definite(test_random *r, double size, double A[36])
{
    double B[36];
    scatter(r, 36, B);
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) {
            A[i + 6 * j] = i == j ? 0.1 * size : 0;
            for (int k = 0; k < 6; ++k) {
                A[i + 6 * j] += size * B[i + 6 * k] * B[j + 6 * k];
            }
        }
    }
}

TEST(bodies_on_a_bushing_keep_energy_and_momentum)
{
    test_random r = random_seed(4);
    double error[3], P0[3], L0[3];
    for (int k = 0; k < 3; ++k) {
        scene s = scene_open();
        scene_gravity(&s, 0, 0, 0);
        const double edges[3] = {0.3, 0.5, 0.4}, x[3] = {0, 0, 0}, y[3] = {0.6, 0.1, -0.2};
        const double v[3] = {0.1, 0.2, -0.3}, omega[3] = {1, -2, 0.5};
        const pcs_system a = scene_box(&s, 2, edges, x, NULL, v, omega);
        const pcs_system b = scene_box(&s, 3, edges, y, NULL, NULL, NULL);
        pcs_force_def f = pcs_force_def_default(PCS_FORCE_BUSHING);
        f.system1 = a;
        f.system2 = b;
        f.p1[0] = 0.3;
        f.p2[0] = -0.25;
        r = random_seed(4);
        random_definite(&r, 10, f.K);
        random_quaternion(&r, f.frame1);
        memcpy(f.frame2, f.frame1, sizeof f.frame2);
        add(&s, &f);
        scene_start(&s);
        const double E0 = scene_kinetic(&s) + scene_potential(&s);
        CK_OK(pcs_state_momentum(s.m, s.st, P0, L0));
        const int n = 100 << k;
        for (int i = 0; i < n; ++i) {
            scene_step(&s, 1.0 / n);
            scene_check_ledger(&s);
        }
        double P[3], L[3];
        CK_OK(pcs_state_momentum(s.m, s.st, P, L));
        expect_same(P, P0, 3, 1e-12);
        error[k] = fabs(scene_kinetic(&s) + scene_potential(&s) - E0) +
                   hypot(hypot(L[0] - L0[0], L[1] - L0[1]), L[2] - L0[2]);
        scene_close(&s);
    }
    ck_assert(observed_order(3, error) > 1.8);
}

// ---- gravity ------------------------------------------------------------------------------------

TEST(an_orbit_closes_after_its_period)
{
    double error[3];
    for (int k = 0; k < 3; ++k) {
        scene s = scene_open();
        scene_gravity(&s, 0, 0, 0);
        // masses m1, m2 with G = 1: semi-major axis 1, eccentricity 0.3, from the pericentre
        const double m1 = 3, m2 = 2, M = m1 + m2, e = 0.3, l = 1 - e;
        const double speed = sqrt(M * (1 + e) / (1 - e));
        const double x[3] = {-l * m2 / M, 0, 0}, y[3] = {l * m1 / M, 0, 0};
        const double v[3] = {0, -speed * m2 / M, 0}, w[3] = {0, speed * m1 / M, 0};
        pcs_force_def f = pcs_force_def_default(PCS_FORCE_GRAVITY);
        f.system1 = scene_ball(&s, m1, 0.01, x, v);
        f.system2 = scene_ball(&s, m2, 0.01, y, w);
        f.strength = m1 * m2;
        add(&s, &f);
        scene_start(&s);
        const double T = 2 * PI / sqrt(M), E0 = scene_kinetic(&s) + scene_potential(&s);
        CK_NEAR(E0, -0.5 * m1 * m2, 1e-13); // - G m1 m2 / 2a
        const int n = 500 << k;
        for (int i = 0; i < n; ++i) {
            scene_step(&s, T / n);
            scene_check_ledger(&s);
        }
        const double *q = s.st->q;
        error[k] = hypot(q[7] - q[0] - l, q[8] - q[1]);
        CK_NEAR(m1 * s.st->v[0] + m2 * s.st->v[6], 0, 1e-12);
        CK_NEAR(scene_kinetic(&s) + scene_potential(&s), E0, 20 * (2 * PI / n) * (2 * PI / n));
        scene_close(&s);
    }
    CK_NEAR(observed_order(3, error), 2, 0.1);
}

// ---- Jacobians ----------------------------------------------------------------------------------

// a user's spring between the centres of two bodies; `wrong`: an error in its Jacobian
typedef struct own_spring {
    double k, l;
    bool wrong;
} own_spring;

// d and its length, from the second centre, or the origin, to the first
static double own_length(const double *q1, const double *q2, double d[3])
{
    for (int i = 0; i < 3; ++i) {
        d[i] = q1[i] - (q2 ? q2[i] : 0);
    }
    return v3_norm(d);
}

static int own_force(void *user, double t, const double *q1, const double *v1, const double *q2,
                     const double *v2, double *F1, double *F2)
{
    const own_spring *s = user;
    double d[3];
    const double l = own_length(q1, q2, d);
    for (int i = 0; i < 3; ++i) {
        F1[i] = -s->k * (l - s->l) * d[i] / l;
        if (F2) F2[i] = -F1[i];
    }
    return 0;
}

static int own_jacobian(void *user, double t, const double *q1, const double *v1, const double *q2,
                        const double *v2, double *dFdq, double *dFdv)
{
    const own_spring *s = user;
    double d[3];
    const double l = own_length(q1, q2, d);
    const int rows = q2 ? 12 : 6;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            const double K = s->k * ((1 - s->l / l) * (i == j) + s->l * d[i] * d[j] / (l * l * l));
            dFdq[i + rows * j] = s->wrong && i == 1 && j == 2 ? -1.01 * K : -K;
            if (!q2) continue;
            dFdq[i + rows * (7 + j)] = K;
            dFdq[6 + i + rows * j] = K;
            dFdq[6 + i + rows * (7 + j)] = -K;
        }
    }
    return 0;
}

static int own_potential(void *user, const double *q1, const double *q2, double *V)
{
    const own_spring *s = user;
    double l = 0;
    for (int i = 0; i < 3; ++i) {
        const double d = q1[i] - (q2 ? q2[i] : 0);
        l += d * d;
    }
    *V = 0.5 * s->k * (sqrt(l) - s->l) * (sqrt(l) - s->l);
    return 0;
}

static pcs_force_def random_element(test_random *r, pcs_force_kind kind, pcs_system one,
                                    pcs_system two, own_spring *own)
{
    pcs_force_def f = pcs_force_def_default(kind);
    f.system1 = one;
    f.system2 = two;
    scatter(r, 3, f.p1);
    scatter(r, 3, f.p2);
    scatter(r, 3, f.axis);
    f.stiffness = random_between(r, 0, 100);
    f.damping = random_between(r, 0.1, 10);
    f.length = random_between(r, 0, 1);
    f.angle = random_between(r, -1, 1);
    f.strength = random_between(r, -5, 5);
    random_definite(r, 30, f.K);
    random_definite(r, 3, f.D);
    random_quaternion(r, f.frame1);
    random_quaternion(r, f.frame2);
    if (kind == PCS_FORCE_USER) {
        f.force = own_force;
        f.jacobian = own_jacobian;
        f.potential = own_potential;
        f.user = own;
    }
    return f;
}

TEST(jacobians_and_potentials_of_all_kinds_agree_with_differences)
{
    test_random r = random_seed(11);
    own_spring own = {40, 0.4, false};
    for (int i = 0; i < TEST_DRAWS(300); ++i) {
        scene s = scene_open();
        pcs_system body[3];
        for (int k = 0; k < 3; ++k) {
            pcs_body_def def = pcs_body_def_default();
            def.fixed = k == 2;
            scatter(&r, 3, def.position);
            scatter(&r, 3, def.velocity);
            scatter(&r, 3, def.omega);
            random_quaternion(&r, def.orientation);
            body[k] = scene_add(&s, &def);
        }
        const pcs_system other[3] = {body[1], body[2], world};
        const pcs_force_kind kind = (pcs_force_kind)(i % 5);
        const pcs_force_def def = random_element(&r, kind, body[0], other[(i / 5) % 3], &own);
        const pcs_force f = add(&s, &def);
        scene_start(&s);
        pcs_force_errors error;
        const pcs_status status = pcs_force_check(s.m, s.st, f, 0, &error);
        // beside the half turns at which an angle jumps
        const pcs_force_result now = read_force(&s, f);
        double turn = fabs(now.length);
        if (kind == PCS_FORCE_BUSHING) {
            turn = hypot(hypot(now.strain[3], now.strain[4]), now.strain[5]);
        }
        const bool jumps = (kind == PCS_FORCE_TORSION || kind == PCS_FORCE_BUSHING) && turn > 2.9;
        if (!jumps) ck_assert_msg(status == PCS_OK, "kind %d: %s", (int)kind, pcs_error_text());

        // a damper takes energy
        ck_assert(kind == PCS_FORCE_USER || now.power <= 0);
        scene_close(&s);
    }
}

TEST(a_wrong_jacobian_is_found)
{
    scene s = scene_open();
    own_spring own = {40, 0.4, true};
    const double x[3] = {0, 0, 0}, y[3] = {0.3, 0.7, 0.4};
    pcs_force_def f = pcs_force_def_default(PCS_FORCE_USER);
    f.system1 = scene_ball(&s, 1, 0.1, x, NULL);
    f.system2 = scene_ball(&s, 1, 0.1, y, NULL);
    f.force = own_force;
    f.jacobian = own_jacobian;
    f.user = &own;
    const pcs_force id = add(&s, &f);
    scene_start(&s);
    CK_SAYS(pcs_force_check(s.m, s.st, id, 0, NULL), PCS_ERR_ARG, "entry (1, 2)");
    own.wrong = false;
    CK_OK(pcs_force_check(s.m, s.st, id, 0, NULL));
    CK_SAYS(pcs_force_check(s.m, s.st, (pcs_force){2}, 0, NULL), PCS_ERR_ARG, "no force element 2");
    scene_close(&s);
}

// ---- callbacks ----------------------------------------------------------------------------------

TEST(a_callback_is_the_spring_that_it_computes)
{
    double q[3][14];
    own_spring own = {40, 0.4, false};
    for (int k = 0; k < 3; ++k) {
        scene s = scene_open();
        const double x[3] = {0, 0, 0}, y[3] = {0.3, 0.7, 0.4}, v[3] = {1, 0, 0};
        pcs_force_def f = pcs_force_def_default(k == 0 ? PCS_FORCE_SPRING : PCS_FORCE_USER);
        f.system1 = scene_ball(&s, 1, 0.1, x, v);
        f.system2 = scene_ball(&s, 2, 0.1, y, NULL);
        f.stiffness = own.k;
        f.length = own.l;
        f.force = own_force;
        f.jacobian = k == 1 ? own_jacobian : NULL; // else finite differences
        f.potential = own_potential;
        f.user = &own;
        add(&s, &f);
        scene_start(&s);
        for (int i = 0; i < 50; ++i) {
            scene_step(&s, 0.01);
            scene_check_ledger(&s);
        }
        memcpy(q[k], s.st->q, sizeof q[k]);
        scene_close(&s);
    }
    expect_same(q[0], q[1], 14, 1e-10);
    expect_same(q[0], q[2], 14, 1e-10);
}

// a linear spring and damper between the first coordinates of two Lagrangian systems
static int link_force(void *user, double t, const double *q1, const double *v1, const double *q2,
                      const double *v2, double *F1, double *F2)
{
    F1[0] = -30 * (q1[0] - q2[1]) - 2 * (v1[0] - v2[1]);
    F2[1] = -F1[0];
    return 0;
}

static int link_jacobian(void *user, double t, const double *q1, const double *v1, const double *q2,
                         const double *v2, double *dFdq, double *dFdv)
{
    const double sign[4] = {-1, 1, 1, -1};
    const int at[2] = {0, 2}; // of (q1; q2) with one and two coordinates
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
            dFdq[at[i] + 3 * at[j]] = 30 * sign[i + 2 * j];
            dFdv[at[i] + 3 * at[j]] = 2 * sign[i + 2 * j];
        }
    }
    return 0;
}

TEST(lagrangian_systems_on_a_callback_move_as_one)
{
    const double one = 2, two[4] = {3, 0.5, 0.5, 4}, K2[4] = {20, 0, 0, 0},
                 q0[3] = {0.1, 0.2, -0.1};
    double q[2][3];
    for (int k = 0; k < 2; ++k) {
        scene s = scene_open();
        if (k == 0) {
            pcs_lagrangian_def a = {.n = 1, .mass = &one, .q0 = q0};
            pcs_lagrangian_def b = {.n = 2, .mass = two, .stiffness = K2, .q0 = q0 + 1};
            pcs_force_def f = pcs_force_def_default(PCS_FORCE_USER);
            f.system1 = scene_add_lagrangian(&s, &a);
            f.system2 = scene_add_lagrangian(&s, &b);
            f.force = link_force;
            f.jacobian = link_jacobian;
            add(&s, &f);
        } else {
            const double M[9] = {2, 0, 0, 0, 3, 0.5, 0, 0.5, 4};
            const double K[9] = {30, 0, -30, 0, 20, 0, -30, 0, 30};
            const double D[9] = {2, 0, -2, 0, 0, 0, -2, 0, 2};
            pcs_lagrangian_def all = {.n = 3, .mass = M, .stiffness = K, .damping = D, .q0 = q0};
            scene_add_lagrangian(&s, &all);
        }
        scene_start(&s);
        for (int i = 0; i < 40; ++i) {
            scene_step(&s, 0.02);
            ck_assert_int_eq(s.report.newton_iters, 1);
        }
        memcpy(q[k], s.st->q, sizeof q[k]);
        scene_close(&s);
    }
    expect_same(q[0], q[1], 3, 1e-13);
}

// ---- contacts -----------------------------------------------------------------------------------

TEST(a_spring_carries_a_part_of_the_weight)
{
    scene s = scene_open();
    s.scheme = pcs_scheme_default();
    scene_ground(&s, 0);
    const double edges[3] = {0.4, 0.4, 0.2}, x[3] = {0, 0, 0.1}, top[3] = {0, 0, 1.3}, m = 2;
    const pcs_system b = scene_box(&s, m, edges, x, NULL, NULL, NULL);
    scene_shape(&s, b, pcs_shape_box(0.4, 0.4, 0.2), 0);
    const pcs_system hook = scene_ball(&s, 1, 0.1, top, NULL);
    pcs_force_def f = spring_of(b, hook, 40, 1);
    add(&s, &f);
    f = spring_of(hook, world, 1e7, 0.5); // holds the hook where it is
    f.p2[2] = 1.8;
    add(&s, &f);
    scene_start(&s);
    for (int i = 0; i < 200; ++i) {
        scene_step(&s, 0.01);
    }
    const pcs_contact *c;
    const int n = scene_contacts(&s, &c);
    double push = 0;
    for (int i = 0; i < n; ++i) {
        push += c[i].r[0] / 0.01;
    }
    CK_NEAR(push, m * 9.81 - 40 * (scene_q(&s, hook)[2] - 0.1 - 1), 1e-4);
    scene_close(&s);
}

// the orientation of a frame on a body that is along the inertial axes at the start
static void align(const scene *s, pcs_system body, double frame[4])
{
    pcs_body_def def;
    if (body.id > 0 && pcs_model_body(s->m, body, &def) == PCS_OK) {
        pcs_quat_conj(def.orientation, frame);
    } else {
        memcpy(frame, (double[]){1, 0, 0, 0}, 4 * sizeof *frame);
    }
}

TEST(random_scenes_with_springs_obey_the_laws)
{
    test_random r = random_seed(3);
    for (int seed = 1; seed <= TEST_DRAWS(20); ++seed) {
        scene s;
        scene_random_rough(&s, (uint64_t)seed, 0.6);
        const int n = pcs_model_system_count(s.m);
        own_spring own = {10, 0.3, false};
        for (int k = 0; k < 8; ++k) {
            const pcs_system one = {1 + (int)(n * random_unit(&r))};
            const pcs_system two = {(int)((n + 1) * random_unit(&r))};
            // no torsion: bodies that tumble swing through the half turn that it cannot measure
            const pcs_force_kind kind =
                k % 5 == PCS_FORCE_TORSION ? PCS_FORCE_BUSHING : (pcs_force_kind)(k % 5);
            pcs_force_def f = random_element(&r, kind, one, two, &own);
            align(&s, one, f.frame1);
            align(&s, two, f.frame2);
            if (kind == PCS_FORCE_GRAVITY) f.strength *= 0.01;
            const pcs_status status = pcs_model_add_force(s.m, &f, NULL);
            ck_assert(status == PCS_OK || status == PCS_ERR_ARG); // systems that are equal, fixed
        }
        ck_assert_int_gt(pcs_model_force_count(s.m), 0);
        scene_start(&s);
        scene_steps(&s, 0.002, 30);
        scene_close(&s);
    }
}

// two balls on the ground at this distance, and the spring between them
static scene two_on_spring(double distance, double stiffness, double length, pcs_system ball[2],
                           pcs_force *spring)
{
    scene s = scene_open();
    s.scheme = pcs_scheme_default();
    scene_ground(&s, 0);
    for (int i = 0; i < 2; ++i) {
        ball[i] = scene_rough_ball(&s, 1, 0.1, (double[3]){i * distance, 0, 0.1}, NULL, 0, 0, 0.3);
    }
    const pcs_force_def f = spring_of(ball[0], ball[1], stiffness, length);
    *spring = add(&s, &f);
    scene_start(&s);
    return s;
}

TEST(coupled_bodies_that_touch_have_one_problem)
{
    pcs_system ball[2];
    pcs_force spring;
    // it pulls while they are pushed apart
    scene s = two_on_spring(0.19, 1e6, 0.19, ball, &spring);
    for (int i = 0; i < 50; ++i) {
        scene_step(&s, 0.005);
    }
    // the projection has separated them; the spring is in balance with the contact
    const pcs_force_result now = read_force(&s, spring);
    const pcs_contact *c;
    const int n = scene_contacts(&s, &c);
    double push = 0;
    for (int i = 0; i < n; ++i) {
        if (c[i].system1.id > 0 && c[i].system2.id > 0) push += c[i].r[0] / 0.005;
    }
    ck_assert(push > 0);
    CK_NEAR(push, now.force, 1e-3 * now.force);
    CK_NEAR(scene_q(&s, ball[0])[0] + scene_q(&s, ball[1])[0], 0.19, 1e-6);
    pcs_problem problem;
    CK_OK(pcs_work_problem(s.wk, &problem));
    ck_assert_int_gt(problem.nb, 0);
    scene_close(&s);
}

// ---- many bodies --------------------------------------------------------------------------------

// n balls in a row on springs between two walls, displaced by their first mode; on the ground or in
// the air. By the midpoint rule the mode turns by 2 atan(omega h / 2) a step
static void swing_chain(int n, bool ground)
{
    scene s = scene_open();
    if (ground) {
        scene_ground(&s, 0);
    } else {
        scene_gravity(&s, 0, 0, 0);
    }
    const double m = 2, k = 500, gap = 0.5, small = 0.01, h = 0.01, radius = 0.1;
    pcs_system before = world;
    for (int i = 1; i <= n + 1; ++i) {
        const double x[3] = {gap * i + small * sin(PI * i / (n + 1)), 0, radius};
        const pcs_system next = i > n ? world : scene_solid_ball(&s, m, radius, x, NULL, 0);
        pcs_force_def f = spring_of(i > n ? before : next, i > n ? next : before, k, gap);
        if (i == 1) f.p2[2] = radius;
        if (i > n) {
            f.p2[0] = gap * i;
            f.p2[2] = radius;
        }
        add(&s, &f);
        before = next;
    }
    scene_start(&s);
    const double turn = 2 * atan(sqrt(k / m) * sin(0.5 * PI / (n + 1)) * h);
    for (int step = 1; step <= 20; ++step) {
        scene_step(&s, h);
        ck_assert_int_eq(s.report.newton_iters, 1);
        for (int i = 1; i <= n; ++i) {
            const double *q = s.st->q + 7 * (i - 1);
            const double x = gap * i + small * sin(PI * i / (n + 1)) * cos(step * turn);
            CK_NEAR(q[0], x, 1e-12 * gap * n);
            CK_NEAR(q[2], radius, 1e-12);
        }
        if (!ground) continue;
        const pcs_contact *c;
        ck_assert_int_eq(scene_contacts(&s, &c), n);
        for (int i = 0; i < n; ++i) {
            CK_NEAR(c[i].r[0], m * 9.81 * h, 1e-10);
        }
    }
    scene_check_ledger(&s);
    scene_close(&s);
}

TEST(a_chain_of_any_length_swings_in_its_first_mode)
{
    swing_chain(3, false);
    swing_chain(3, true);
    swing_chain(40, false); // factorised as a sparse matrix
    swing_chain(TEST_FEW(60, 1000), false);
}

TEST(a_long_chain_lies_on_the_ground)
{
    swing_chain(40, true);
    swing_chain(TEST_FEW(50, 300), true);
}

// Two chains of balls on bushings and damped springs fall onto rough ground, one of them obliquely.
// A spring without noticeable stiffness makes one group of both, which is large enough for a matrix
// of sparse blocks: its contacts are solved with all systems (many of them touch) or with those
// that contacts touch (few do)
static scene falling_chains(bool joined, bool few)
{
    enum { LONG = 20 };
    scene s = scene_open();
    s.scheme = pcs_scheme_default();
    s.scheme.solver.tol = 1e-12;
    scene_ground(&s, 0.3);
    pcs_system first = world;
    for (int chain = 0; chain < 2; ++chain) {
        pcs_system before = world;
        const double slope = few ? 0.3 : 0.002 * (chain + 1);
        for (int i = 0; i < LONG; ++i) {
            const double x[3] = {0.25 * i, 3.0 * chain, 0.105 + slope * i},
                         v[3] = {0.2, 0.1 * i, -1};
            const pcs_system next = scene_solid_ball(&s, 0.5, 0.1, x, v, 0.3);
            if (i > 0) {
                pcs_force_def f = spring_of(next, before, 800, 0.25);
                f.damping = 2;
                add(&s, &f);
                f = pcs_force_def_default(PCS_FORCE_BUSHING);
                f.system1 = before;
                f.system2 = next;
                f.p1[0] = 0.125;
                f.p2[0] = -0.125;
                for (int k = 0; k < 6; ++k) {
                    f.K[7 * k] = k < 3 ? 200 : 5;
                    f.D[7 * k] = k < 3 ? 1 : 0.05;
                }
                add(&s, &f);
            }
            if (i == 0 && chain == 0) first = next;
            before = next;
        }
        if (chain == 1 && joined) {
            const pcs_force_def f = spring_of(first, before, 1e-200, 0);
            add(&s, &f);
        }
    }
    scene_start(&s);
    return s;
}

TEST(a_group_moves_alike_as_a_dense_and_as_a_sparse_matrix)
{
    for (int few = 0; few < 2; ++few) {
        scene dense = falling_chains(false, few), sparse = falling_chains(true, few);
        int most = 0;
        for (int i = 0; i < TEST_FEW(40, 60); ++i) {
            scene_step(&dense, 0.004);
            scene_step(&sparse, 0.004);
            if (sparse.report.active > most) most = sparse.report.active;
            scene_check_step(&sparse);
            expect_same(sparse.st->q, dense.st->q, dense.st->nq, 1e-9);
        }
        ck_assert_int_ge(most, few ? 2 : TEST_FEW(9, 38));
        pcs_problem problem;
        CK_OK(pcs_work_problem(sparse.wk, &problem));
        ck_assert_int_eq(problem.nb, sparse.report.active);
        scene_close(&dense);
        scene_close(&sparse);
    }
}

// a heavy ball falls on a long chain of light ones in the air
TEST(a_contact_moves_a_whole_chain)
{
    scene s = scene_open();
    s.scheme.theta = 1;
    s.scheme.solver.tol = 1e-12;
    scene_gravity(&s, 0, 0, 0);
    pcs_system before = world;
    const int n = 50;
    for (int i = 0; i < n; ++i) {
        const double x[3] = {0.3 * i, 0, 0};
        const pcs_system next = scene_solid_ball(&s, 1, 0.1, x, NULL, 0);
        if (i > 0) {
            const pcs_force_def f = spring_of(next, before, 1e4, 0.3);
            add(&s, &f);
        }
        before = next;
    }
    const double y[3] = {-0.25, 0, 0}, v[3] = {5, 0, 0};
    scene_solid_ball(&s, 10, 0.1, y, v, 0);
    scene_start(&s);
    for (int i = 0; i < 100; ++i) {
        scene_step(&s, 0.002);
        scene_check_step(&s);
        double P[3], L[3];
        CK_OK(pcs_state_momentum(s.m, s.st, P, L));
        CK_NEAR(P[0], 50, 1e-9);
    }
    ck_assert(s.st->v[0] > 0.1); // of the first ball of the chain
    scene_close(&s);
}

// ---- motion of the other end --------------------------------------------------------------------

static int shake(void *user, double t, double q[7], double v[6])
{
    memset(q, 0, 7 * sizeof *q);
    memset(v, 0, 6 * sizeof *v);
    q[3] = 1;
    q[0] = 0.1 * sin(3 * t);
    v[0] = 0.3 * cos(3 * t);
    return 0;
}

TEST(a_driven_end_shakes_a_body)
{
    scene s = scene_open();
    scene_gravity(&s, 0, 0, 0);
    pcs_body_def base = pcs_body_def_default();
    base.motion = shake;
    const double x[3] = {1, 0, 0}, m = 2, k = 50;
    const pcs_system driven = scene_add(&s, &base), b = scene_ball(&s, m, 0.1, x, NULL);
    const pcs_force_def f = spring_of(b, driven, k, 1);
    add(&s, &f);
    scene_start(&s);
    const double w = sqrt(k / m), A = 0.1 * w * w / (w * w - 9), h = 1e-3;
    for (int i = 1; i <= 500; ++i) {
        scene_step(&s, h);
        const double t = i * h;
        CK_NEAR(scene_q(&s, b)[0] - 1, A * (sin(3 * t) - 3 / w * sin(w * t)), 1e-6);
    }
    scene_close(&s);
}

// ---- parts of a model ---------------------------------------------------------------------------

TEST(an_element_has_a_name_and_can_be_disabled)
{
    scene s;
    const pcs_force f = open_pair(&s, 0.5);
    const unsigned long long hash = pcs_model_hash(s.m);
    pcs_force found;
    pcs_force_def def;
    CK_OK(pcs_model_set_force_name(s.m, f, "leg"));
    ck_assert_str_eq(pcs_model_force_name(s.m, f), "leg");
    CK_OK(pcs_model_find_force(s.m, "leg", &found));
    ck_assert_int_eq(found.id, f.id);
    CK_OK(pcs_model_force(s.m, f, &def));
    ck_assert_int_eq((int)def.kind, (int)PCS_FORCE_SPRING);
    CK_NEAR(def.stiffness, 100, 0);
    ck_assert(pcs_model_force_enabled(s.m, f));
    CK_OK(pcs_model_set_force_enabled(s.m, f, false));
    ck_assert(pcs_model_hash(s.m) != hash);
    scene_step(&s, 0.01);
    CK_NEAR(s.st->v[0], 0, 0);
    CK_NEAR(read_force(&s, f).energy, 0, 0);
    CK_OK(pcs_model_set_force_enabled(s.m, f, true));
    ck_assert(pcs_model_hash(s.m) == hash);
    scene_step(&s, 0.01);
    ck_assert(s.st->v[0] > 0);
    scene_close(&s);
}

TEST(a_warm_step_allocates_nothing)
{
    pcs_system ball[2];
    pcs_force spring;
    scene s = two_on_spring(0.5, 1e4, 0.4, ball, &spring);
    for (int i = 0; i < 20; ++i) {
        scene_step(&s, 0.005);
    }
    const long before = s.memory->allocated;
    for (int i = 0; i < 20; ++i) {
        scene_step(&s, 0.005);
    }
    ck_assert_int_eq(s.memory->allocated, before);
    scene_close(&s);
}

// ---- bad input ----------------------------------------------------------------------------------

static int no_force(void *user, double t, const double *q1, const double *v1, const double *q2,
                    const double *v2, double *F1, double *F2)
{
    F1[0] = NAN;
    return 0;
}

TEST(bad_elements_are_refused_with_a_sentence)
{
    scene s = scene_open();
    const double x[3] = {0, 0, 0}, y[3] = {1, 0, 0}, M = 1;
    const pcs_system a = scene_ball(&s, 1, 0.1, x, NULL), b = scene_ball(&s, 1, 0.1, y, NULL);
    pcs_body_def fixed = pcs_body_def_default();
    fixed.fixed = true;
    const pcs_system wall = scene_add(&s, &fixed);
    const pcs_lagrangian_def lagrangian = {.n = 1, .mass = &M};
    const pcs_system other = scene_add_lagrangian(&s, &lagrangian);
    const pcs_force_def good = spring_of(a, b, 10, 0.5);
    struct {
        pcs_system one, two;
        const char *words;
    } systems[] = {{a, a, "both systems are 1"}, {world, a, "system1 is the world"},
                   {a, {9}, "no system 9"},      {{-1}, a, "no system -1"},
                   {wall, world, "neither"},     {a, other, "no pose"}};
    for (size_t i = 0; i < sizeof systems / sizeof *systems; ++i) {
        pcs_force_def f = good;
        f.system1 = systems[i].one;
        f.system2 = systems[i].two;
        CK_SAYS(pcs_model_add_force(s.m, &f, NULL), PCS_ERR_ARG, systems[i].words);
    }
    const double bad[] = {-1, NAN, INFINITY};
    for (int i = 0; i < 3; ++i) {
        pcs_force_def f = good;
        f.stiffness = bad[i];
        CK_SAYS(pcs_model_add_force(s.m, &f, NULL), PCS_ERR_ARG, "stiffness");
        f = good;
        f.damping = bad[i];
        CK_SAYS(pcs_model_add_force(s.m, &f, NULL), PCS_ERR_ARG, "damping");
        f = good;
        f.length = bad[i];
        CK_SAYS(pcs_model_add_force(s.m, &f, NULL), PCS_ERR_ARG, "length");
        f = pcs_force_def_default(PCS_FORCE_BUSHING);
        f.system1 = a;
        f.K[7] = bad[i];
        CK_SAYS(pcs_model_add_force(s.m, &f, NULL), PCS_ERR_ARG, "stiffness K");
    }
    pcs_force_def f = good;
    f.stiffness = 0;
    CK_SAYS(pcs_model_add_force(s.m, &f, NULL), PCS_ERR_ARG, "no force");
    f = good;
    f.p1[0] = 1;
    CK_SAYS(pcs_model_add_force(s.m, &f, NULL), PCS_ERR_ARG, "points meet");
    f.length = 0;
    CK_OK(pcs_model_add_force(s.m, &f, NULL));
    f.p1[1] = NAN;
    CK_SAYS(pcs_model_add_force(s.m, &f, NULL), PCS_ERR_ARG, "point p1");
    f = good;
    f.kind = PCS_FORCE_TORSION;
    CK_SAYS(pcs_model_add_force(s.m, &f, NULL), PCS_ERR_ARG, "axis");
    f.axis[0] = 1;
    f.angle = 4;
    CK_SAYS(pcs_model_add_force(s.m, &f, NULL), PCS_ERR_ARG, "angle");
    f = good;
    f.kind = PCS_FORCE_BUSHING;
    CK_SAYS(pcs_model_add_force(s.m, &f, NULL), PCS_ERR_ARG, "K and D");
    f.K[0] = f.K[7] = 1;
    f.K[1] = f.K[6] = 2;
    CK_SAYS(pcs_model_add_force(s.m, &f, NULL), PCS_ERR_ARG, "negative eigenvalue");
    f.K[1] = f.K[6] = 1; // semidefinite
    CK_OK(pcs_model_add_force(s.m, &f, NULL));
    memset(f.frame2, 0, sizeof f.frame2);
    CK_SAYS(pcs_model_add_force(s.m, &f, NULL), PCS_ERR_ARG, "zero quaternion");
    f = good;
    f.kind = PCS_FORCE_GRAVITY;
    CK_SAYS(pcs_model_add_force(s.m, &f, NULL), PCS_ERR_ARG, "strength");
    f.kind = PCS_FORCE_USER;
    CK_SAYS(pcs_model_add_force(s.m, &f, NULL), PCS_ERR_ARG, "callback");
    f.kind = (pcs_force_kind)17;
    CK_SAYS(pcs_model_add_force(s.m, &f, NULL), PCS_ERR_ARG, "kind 17");
    CK_FAILS(pcs_model_add_force(NULL, &good, NULL), PCS_ERR_ARG);
    CK_FAILS(pcs_model_add_force(s.m, NULL, NULL), PCS_ERR_ARG);

    // a callback that fails leaves the state as it was
    f = good;
    f.kind = PCS_FORCE_USER;
    f.force = no_force;
    CK_OK(pcs_model_add_force(s.m, &f, NULL));
    scene_start(&s);
    CK_SAYS(pcs_step(s.m, s.st, s.wk, 0.01, NULL), PCS_ERR_CALLBACK, "not finite");
    CK_NEAR(s.st->t, 0, 0);
    scene_close(&s);
}

TEST(no_memory_is_a_status)
{
    for (long k = 0;; ++k) {
        scene s = scene_open();
        const double x[3] = {0, 0, 0}, y[3] = {1, 0, 0};
        const pcs_system a = scene_ball(&s, 1, 0.1, x, NULL), b = scene_ball(&s, 1, 0.1, y, NULL);
        const pcs_force_def f = spring_of(a, b, 10, 0.5);
        s.memory->fail_at = k;
        const pcs_status status = pcs_model_add_force(s.m, &f, NULL);
        s.memory->fail_at = -1;
        scene_close(&s);
        if (status == PCS_OK) return;
        ck_assert_int_eq((int)status, (int)PCS_ERR_MEMORY);
    }
}
