// Impacts with friction at frozen configuration against the closed form for one sphere and for two
// (theory 7.4, 7.5): with W = diag(w_N, w_T, w_T) the impulse is r_N = -(1 + e) u_N / w_N, and r_T
// = -(1 + e_t) u_T / w_T if that lies in the cone, else mu r_N against u_T. Also the conditions of
// the law in any step.
#include "scene.h"

#include <stdio.h>

#include <percuss/meshes.h>

#include "linalg/m3.h"
#include "model/model.h"

static const pcs_system world = {0};

// v + R omega x (P - x)
static void point_velocity(const double q[7], const double v[6], const double P[3], double out[3])
{
    double w[3], lever[3];
    pcs_quat_rotate(q + 3, v + 3, w);
    v3_sub(P, q, lever);
    v3_cross(w, lever, out);
    v3_along(out, 1, v, out);
}

static void random_direction(test_random *r, double N[3])
{
    for (int i = 0; i < 3; ++i) {
        N[i] = random_normal(r);
    }
    v3_unit(N, N);
}

// the impulse on body 1 in space, by the closed form, for the velocity u of its point
static void closed_form(const double N[3], const double u[3], double w_N, double w_T, double e,
                        double e_t, double mu, double p[3])
{
    const double u_N = v3_dot(N, u);
    double u_T[3];
    v3_along(u, -u_N, N, u_T);
    memset(p, 0, 3 * sizeof *p);
    if (u_N >= 0) return;
    const double r_N = -(1 + e) * u_N / w_N, speed = v3_norm(u_T);
    double r_T = (1 + e_t) * speed / w_T;
    if (r_T > mu * r_N) r_T = mu * r_N;
    v3_scale(r_N, N, p);
    if (speed > 0) v3_along(p, -r_T / speed, u_T, p);
}

static void impact(scene *s, double touch)
{
    pcs_report report;
    memcpy(s->q_before, s->st->q, (size_t)s->st->nq * sizeof(double));
    memcpy(s->v_before, s->st->v, (size_t)s->st->nv * sizeof(double));
    CK_OK(pcs_impact(s->m, s->st, s->wk, touch, &report));
    ck_assert_msg(report.outcome == PCS_OUTCOME_CONVERGED, "%s", pcs_outcome_text(report.outcome));
}

// impulse of the first contact in space
static const pcs_contact *only_contact(const scene *s, double p[3])
{
    const pcs_contact *c;
    ck_assert_int_eq(scene_contacts(s, &c), 1);
    m3_mul(c->F, c->r, p);
    return c;
}

// a solid ball of any spin against a wall of any direction
static void ball_on_wall(test_random *r, double mu, int *stuck)
{
    const double m = random_between(r, 0.1, 10), R = random_between(r, 0.05, 0.5);
    const double e = random_unit(r), e_t = random_unit(r) < 0.5 ? 0 : random_unit(r);
    double N[3], x[3], v[3];
    random_direction(r, N);
    for (int i = 0; i < 3; ++i) {
        v[i] = random_normal(r);
    }
    v3_scale(R, N, x);
    scene s = scene_open();
    scene_shape(&s, world, pcs_shape_half_space(N, 0), e);
    const pcs_system b = scene_rough_ball(&s, m, R, x, v, 0, e_t, mu);
    scene_start(&s);
    for (int i = 0; i < 3; ++i) {
        scene_v(&s, b)[3 + i] = 3 * random_normal(r) / R;
    }
    random_quaternion(r, scene_q(&s, b) + 3);

    double P[3], u[3], expected[3], p[3], before[6], after[3], L[3], turn[3];
    v3_along(x, -R, N, P);
    point_velocity(scene_q(&s, b), scene_v(&s, b), P, u);
    memcpy(before, scene_v(&s, b), sizeof before);
    closed_form(N, u, 1 / m, 3.5 / m, e, e_t, mu, expected);
    const double K = scene_kinetic(&s), size = m * (v3_norm(u) + v3_norm(v));
    impact(&s, 1e-9);
    const pcs_contact *c = only_contact(&s, p);
    const double *after_v = scene_v(&s, b);
    for (int i = 0; i < 3; ++i) {
        CK_NEAR(p[i], expected[i], 1e-11 * size * (1 + mu));
        CK_NEAR(after_v[i] - before[i], p[i] / m, 1e-11 * size * (1 + mu) / m);
    }

    // the moment of the impulse about G, and nothing about N
    double lever[3];
    v3_scale(-R, N, lever);
    v3_cross(lever, p, L);
    double dw[3];
    v3_sub(after_v + 3, before + 3, dw);
    pcs_quat_rotate(scene_q(&s, b) + 3, dw, turn);
    for (int i = 0; i < 3; ++i) {
        CK_NEAR(0.4 * m * R * R * turn[i], L[i], 1e-11 * size * R * (1 + mu));
    }
    CK_NEAR(v3_dot(turn, N), 0, 1e-13 * v3_norm(before + 3));

    // power: the change of K is the impulse times the mean velocity of the point
    point_velocity(scene_q(&s, b), after_v, P, after);
    v3_along(after, 1, u, after);
    CK_NEAR(scene_kinetic(&s) - K, 0.5 * v3_dot(after, p), 1e-10 * (1 + K) * (1 + mu));
    if (c->r[0] > 0) {
        const bool sticks = hypot(c->r[1], c->r[2]) < mu * c->r[0] * (1 - 1e-6);
        ck_assert_int_eq(c->status, sticks ? PCS_CONTACT_STICK : PCS_CONTACT_SLIDE);
        *stuck += sticks;
    } else {
        ck_assert_int_eq(c->status, PCS_CONTACT_OPEN);
    }
    scene_close(&s);
}

TEST(a_ball_on_a_wall)
{
    test_random r = random_seed(11);
    int stuck = 0;
    for (int k = 0; k < TEST_DRAWS(400); ++k) {
        ball_on_wall(&r, random_between(&r, 0.01, 1.5), &stuck);
    }
    ck_assert_int_gt(stuck, TEST_DRAWS(400) / 20);
    ck_assert_int_lt(stuck, TEST_DRAWS(400) / 2);
    ball_on_wall(&r, 1e-12, &stuck);
    ball_on_wall(&r, 1e-300, &stuck);
    ball_on_wall(&r, 1e6, &stuck);
}

// |u_T| = 3.5 mu (1 + e) |u_N| separates sticking from sliding, for a solid ball on a wall and for
// two balls of any masses and radii: w_T = 3.5 w_N
static pcs_contact_status oblique(double m1, double R1, double m2, double R2, double e, double mu,
                                  double factor)
{
    const double u_N = -1.3, u_T = 3.5 * mu * (1 + e) * 1.3 * factor;
    const double v[3] = {0.6 * u_T, 0.8 * u_T, u_N};
    scene s = scene_open();
    scene_rough_ball(&s, m1, R1, (double[3]){0, 0, R1}, v, e, 0, mu);
    if (m2 > 0) {
        scene_solid_ball(&s, m2, R2, (double[3]){0, 0, -R2}, NULL, 0);
    } else {
        scene_ground(&s, 0);
    }
    scene_start(&s);
    impact(&s, 1e-9);
    double p[3];
    const pcs_contact_status status = only_contact(&s, p)->status;
    scene_close(&s);
    return status;
}

TEST(oblique_impacts_stick_or_slide)
{
    const double mass[] = {0, 1e-3, 1, 1e3}, mu[] = {1e-3, 0.3, 20};
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 3; ++j) {
            for (int k = 0; k < 3; ++k) {
                const double e = 0.5 * k;
                ck_assert_int_eq(oblique(2, 0.1, mass[i], 0.3, e, mu[j], 1 - 1e-7),
                                 PCS_CONTACT_STICK);
                ck_assert_int_eq(oblique(2, 0.1, mass[i], 0.3, e, mu[j], 1 + 1e-7),
                                 PCS_CONTACT_SLIDE);
            }
        }
    }
}

TEST(two_balls)
{
    test_random r = random_seed(12);
    for (int k = 0; k < TEST_DRAWS(200); ++k) {
        const double m1 = random_between(&r, 0.1, 10), m2 = random_between(&r, 0.1, 10);
        const double R1 = random_between(&r, 0.05, 0.5), R2 = random_between(&r, 0.05, 0.5);
        const double e = random_unit(&r), mu = random_between(&r, 0.01, 1);
        double N[3], x1[3], x2[3], v1[3], v2[3];
        random_direction(&r, N);
        for (int i = 0; i < 3; ++i) {
            x2[i] = random_normal(&r);
            v1[i] = random_normal(&r);
            v2[i] = random_normal(&r);
        }
        v3_along(x2, R1 + R2, N, x1);
        scene s = scene_open();
        const pcs_system a = scene_ball(&s, m1, R1, x1, v1), b = scene_ball(&s, m2, R2, x2, v2);
        scene_rough(&s, a, pcs_shape_sphere(R1), e, 0, mu);
        scene_rough(&s, b, pcs_shape_sphere(R2), e / 2, 0, mu / 3);
        scene_start(&s);
        for (int i = 0; i < 3; ++i) {
            scene_v(&s, a)[3 + i] = random_normal(&r) / R1;
            scene_v(&s, b)[3 + i] = random_normal(&r) / R2;
        }
        double P[3], u1[3], u2[3], u[3], expected[3], p[3], l0[3], l1[3], L0[3], L1[3];
        v3_along(x2, R2, N, P);
        point_velocity(scene_q(&s, a), scene_v(&s, a), P, u1);
        point_velocity(scene_q(&s, b), scene_v(&s, b), P, u2);
        v3_sub(u1, u2, u);
        const double w = 1 / m1 + 1 / m2;
        closed_form(N, u, w, 3.5 * w, e, 0, mu, expected);
        CK_OK(pcs_state_momentum(s.m, s.st, l0, L0));
        const double K = scene_kinetic(&s);
        impact(&s, 1e-9);
        CK_OK(pcs_state_momentum(s.m, s.st, l1, L1));
        only_contact(&s, p);
        const double size = 10 * (m1 + m2);
        for (int i = 0; i < 3; ++i) {
            CK_NEAR(p[i], expected[i], 1e-11 * size);
            CK_NEAR(l0[i], l1[i], 1e-13 * size);
            CK_NEAR(L0[i], L1[i], 1e-13 * size);
        }
        ck_assert(scene_kinetic(&s) <= K * (1 + 1e-12));
        scene_close(&s);
    }
}

// D-2: a gap d between two bodies and friction at two separate points make a spurious torque d x p;
// the two other choices of levers make none
TEST(levers_across_a_gap)
{
    const pcs_lever levers[] = {PCS_LEVER_MIDPOINT, PCS_LEVER_FIRST, PCS_LEVER_OWN};
    test_random r = random_seed(13);
    for (int k = 0; k < 60; ++k) {
        const double gap = 0.1, edges[3] = {0.4, 0.6, 0.5}, omega[3] = {0.1, -0.2, 3};
        double N[3], x[3], v[3], Q[4], o[3] = {0};
        random_direction(&r, N);
        random_quaternion(&r, Q);
        scene s = scene_open();
        s.scheme.lever = levers[k % 3];
        const pcs_system box = scene_box(&s, 2, edges, o, Q, NULL, omega);
        scene_shape(&s, box, pcs_shape_box(edges[0], edges[1], edges[2]), 0.5);
        v3_scale(0.9, N, x);
        v3_scale(-1, N, v);
        const pcs_system ball = scene_rough_ball(&s, 1, 0.2, x, v, 0.5, 0, 0.3);
        scene_start(&s);

        // a query finds the distance, then the ball moves to the wanted gap
        impact(&s, 2);
        const pcs_contact *c;
        ck_assert_int_eq(scene_contacts(&s, &c), 1);
        double *q = scene_q(&s, ball), towards[3];
        if (c->system1.id == ball.id) {
            v3_scale(1, c->F, towards);
        } else {
            v3_scale(-1, c->F, towards);
        }
        v3_along(q, gap - c->gap, towards, q);
        v3_scale(-3, towards, scene_v(&s, ball));
        scene_v(&s, ball)[3] = 5;
        memcpy(scene_v(&s, box), (double[6]){0, 0, 0, 0.1, -0.2, 3}, 6 * sizeof(double));

        double l0[3], l1[3], L0[3], L1[3], p[3], d[3], leak[3];
        CK_OK(pcs_state_momentum(s.m, s.st, l0, L0));
        const double K = scene_kinetic(&s);
        impact(&s, 2 * gap);
        CK_OK(pcs_state_momentum(s.m, s.st, l1, L1));
        c = only_contact(&s, p);
        ck_assert(c->r[0] > 0.1);
        CK_NEAR(c->gap, gap, 1e-12);
        v3_sub(c->P1, c->P2, d);
        v3_cross(d, p, leak);
        ck_assert(v3_norm(leak) > 1e-3);
        for (int i = 0; i < 3; ++i) {
            CK_NEAR(l0[i], l1[i], 1e-12);
            CK_NEAR(L1[i] - L0[i], s.scheme.lever == PCS_LEVER_OWN ? leak[i] : 0, 1e-12);
        }
        ck_assert(scene_kinetic(&s) < K);
        scene_close(&s);
    }
}

// against a system that cannot move, friction acts at the point of the body that moves
TEST(the_lever_against_the_world_is_that_of_the_body)
{
    const pcs_lever levers[] = {PCS_LEVER_MIDPOINT, PCS_LEVER_FIRST, PCS_LEVER_OWN};
    for (int k = 0; k < 3; ++k) {
        scene s = scene_open();
        s.scheme.lever = levers[k];
        scene_ground(&s, 0);
        const double v[3] = {1, 0, -1};
        const pcs_system b = scene_rough_ball(&s, 1, 0.5, (double[3]){0, 0, 0.7}, v, 0, 0, 0.1);
        scene_start(&s);
        impact(&s, 1);
        CK_NEAR(scene_v(&s, b)[0], 0.9, 1e-12);
        CK_NEAR(scene_v(&s, b)[4], 0.1 * 0.5 / (0.4 * 0.25), 1e-12);
        scene_close(&s);
    }
}

// with mu = 0 the problem is that of Newton's law: one row, the same bits
TEST(no_friction_is_one_row)
{
    double v[2][6];
    for (int k = 0; k < 2; ++k) {
        scene s = scene_open();
        scene_ground(&s, 0.3);
        const double v0[3] = {1, 2, -3};
        const pcs_system b =
            scene_rough_ball(&s, 1, 0.5, (double[3]){0, 0, 0.5}, v0, 0.5, k ? 0.7 : 0, 0);
        scene_start(&s);
        impact(&s, 1e-9);
        pcs_problem solved;
        CK_OK(pcs_work_problem(s.wk, &solved));
        ck_assert_int_eq(solved.n, 1);
        double p[3];
        ck_assert_int_eq(only_contact(&s, p)->status, PCS_CONTACT_SLIDE);
        memcpy(v[k], scene_v(&s, b), sizeof v[k]);
        scene_close(&s);
    }
    ck_assert(memcmp(v[0], v[1], sizeof v[0]) == 0);
}

static pcs_law by_the_product(void *user, const pcs_material_def *a, const pcs_material_def *b)
{
    ++*(int *)user;
    return pcs_law_newton_coulomb(a->e * b->e, 0, a->mu * b->mu);
}

TEST(the_friction_of_two_materials)
{
    for (int own = 0; own < 2; ++own) {
        scene s;
        int asked = 0;
        s = scene_open();
        scene_rough(&s, world, pcs_shape_half_space((double[3]){0, 0, 1}, 0), 0.5, 0.25, 0.5);
        scene_rough_ball(&s, 1, 0.5, (double[3]){0, 0, 0.5}, NULL, 1, 0, 0.25);
        if (own) CK_OK(pcs_model_set_combine(s.m, by_the_product, &asked));
        scene_start(&s);
        impact(&s, 1e-9);
        double p[3];
        const pcs_law law = only_contact(&s, p)->law;
        ck_assert_int_eq(law.kind, PCS_LAW_NEWTON_COULOMB);
        ck_assert_int_eq(asked > 0, own);
        CK_NEAR(law.e, own ? 0.5 : 1, 0);
        CK_NEAR(law.e_t, own ? 0 : 0.25, 0);
        CK_NEAR(law.mu, own ? 0.125 : 0.5, 0);
        scene_close(&s);
    }
}

// ---- energy -------------------------------------------------------------------------------------

static void hear(pcs_log_level level, const char *message, void *user)
{
    snprintf(user, 200, "%s", message);
}

// A rod that strikes with its end: friction may reverse the sliding, and Newton's restitution then
// adds energy (D-7). The ledger contains the gain, and the log names the contact; without a gain it
// is silent.
TEST(contacts_that_add_energy_are_named)
{
    test_random r = random_seed(14);
    int gains = 0;
    for (int k = 0; k < 400; ++k) {
        char heard[200] = "";
        scene s = scene_open();
        pcs_model_destroy(s.m);
        s.env.log = hear;
        s.env.log_user = heard;
        CK_OK(pcs_model_create(&s.env, &s.m));
        scene_gravity(&s, 0, 0, 0);
        const double lean = random_between(&r, 0.2, 1.4), half = 0.5;
        const double edges[3] = {0.01, 0.01, 2 * half}, tip = half * cos(lean);
        const double x[3] = {0, 0, tip + 1e-3}, Q[4] = {cos(lean / 2), 0, sin(lean / 2), 0};
        const double v[3] = {random_normal(&r), 0, -random_unit(&r)};
        const double omega[3] = {0, random_normal(&r), 0};
        const pcs_system rod = scene_box(&s, 1, edges, x, Q, v, omega);
        pcs_shape ball = pcs_shape_sphere(1e-3);
        ball.position[2] = -half;
        scene_rough(&s, rod, ball, random_unit(&r), 0, random_unit(&r));
        scene_ground(&s, 0);
        scene_start(&s);
        scene_step(&s, 1e-9);
        scene_check_step(&s);
        const pcs_energy *e = &s.report.energy;
        const double gain = e->normal + e->tangential;
        CK_NEAR(gain, e->kinetic_after - e->kinetic_before, 1e-12);
        const bool gained = gain > 1e-9 * (e->kinetic_before + e->kinetic_after);
        gains += gained;
        ck_assert_msg((heard[0] != 0) == gained, "gain %g: %s", gain, heard);
        if (gained) ck_assert_msg(strstr(heard, "shapes 0 and 1") != NULL, "%s", heard);
        scene_close(&s);
    }
    ck_assert_int_gt(gains, 0);
}

// ---- any scene ---------------------------------------------------------------------------------

static void run_random(uint64_t seed, double mu, pcs_projection projection,
                       pcs_activation activation, double theta)
{
    scene s;
    scene_random_rough(&s, seed, mu);
    s.scheme.projection = projection;
    s.scheme.activation = activation;
    s.scheme.theta = theta;
    s.scheme.solver.tol = 1e-10;
    s.scheme.accept_unconverged = true;
    scene_start(&s);
    int rough = 0, unsolved = 0;
    for (int k = 0; k < TEST_DRAWS(150); ++k) {
        scene_step(&s, 2e-3);
        rough += s.report.energy.tangential != 0;
        unsolved += s.report.outcome != PCS_OUTCOME_CONVERGED;
        if (s.report.outcome == PCS_OUTCOME_CONVERGED) scene_check_step(&s);
    }

    // an unsolved problem is reported
    ck_assert_msg(unsolved == 0, "seed %d projection %d activation %d: %d steps not solved",
                  (int)seed, (int)projection, (int)activation, unsolved);
    ck_assert_int_gt(rough, TEST_DRAWS(150) / 20);
    scene_close(&s);
}

TEST(every_step_obeys_the_law)
{
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        run_random(seed, 0.8, PCS_PROJECTION_NONE, PCS_ACTIVATION_PREDICTIVE, 0.5);
        run_random(seed, 0.8, PCS_PROJECTION_NONE, PCS_ACTIVATION_SPECULATIVE, 1);
        run_random(seed, 0.8, PCS_PROJECTION_NONE, PCS_ACTIVATION_END_OF_STEP, 0.7);
        run_random(seed, 0.3, PCS_PROJECTION_DIRECT, PCS_ACTIVATION_PREDICTIVE, 0.5);
        run_random(seed, 0.3, PCS_PROJECTION_DIRECT_HYSTERESIS, PCS_ACTIVATION_PREDICTIVE, 1);
        run_random(seed, 0.3, PCS_PROJECTION_COMBINED, PCS_ACTIVATION_END_OF_STEP, 0.5);
    }
}

// so much friction that nothing slips
TEST(steps_without_slip_are_solved)
{
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        run_random(seed, 1e6, PCS_PROJECTION_NONE, PCS_ACTIVATION_PREDICTIVE, 0.5);
    }
}

// Two cards that lean on each other with their top edges. With z the height of the edges, f and c
// the horizontal distances of edge and centre from the foot, and W the weights, the moments about
// both feet give the force (H, V) of the edges,
//     z H + f1 V = c1 W1,     z H - f2 V = c2 W2,
// and the feet need the friction H / (W1 - V) and H / (W2 + V). The frame stands up to this limit,
// though the force may be far from the normals of the faces, and falls beyond it
typedef struct frame {
    double angle[2], gap, yaw, e, h;
    int first;
    bool hull, smooth; // smooth: no friction between the cards
} frame;

static const double card_edges[3] = {0.004, 0.1, 0.2}; // the last one is the height of the frame

static pcs_shape card_shape(const frame *f, const double edges[3], pcs_geometry **own)
{
    if (!f->hull) return pcs_shape_box(edges[0], edges[1], edges[2]);
    double p[8][3];
    for (int k = 0; k < 24; ++k) {
        p[k / 3][k % 3] = ((k / 3) >> (k % 3) & 1 ? 0.5 : -0.5) * edges[k % 3];
    }
    CK_OK(pcs_geometry_create_hull(NULL, 8, p[0], own));
    return pcs_shape_hull(*own);
}

// the farthest that a card moves within half a second, with `part` of the friction at the limit
static double frame_motion(const frame *f, double part)
{
    const double thick = card_edges[0], wide = card_edges[1], z = card_edges[2];
    double high[2], foot[2], c[2], W[2] = {1, 1}, up[2], most = 0;
    for (int i = 0; i < 2; ++i) {
        const double a = f->angle[i];
        high[i] = z / cos(a);
        foot[i] = high[i] * sin(a);
        c[i] = 0.5 * foot[i] - 0.5 * thick * cos(a);
        up[i] = 0.5 * z + 0.5 * thick * sin(a);
    }
    W[1] = (f->smooth ? 1 : 1.1) * c[0] / c[1];
    const double zH = (foot[1] * c[0] * W[0] + foot[0] * c[1] * W[1]) / (foot[0] + foot[1]);
    const double V = (c[0] * W[0] - zH) / foot[0];
    const double mu = part * zH / z / fmin(W[0] - V, W[1] + V);

    scene s = scene_open();
    s.scheme = pcs_scheme_default();
    const pcs_shape ground = pcs_shape_half_space((double[]){0, 0, 1}, 0);
    scene_rough(&s, world, ground, f->e, 0, mu);
    pcs_system card[2];
    pcs_shape shape[2];
    pcs_geometry *own[2] = {NULL, NULL};
    double x[2][3];
    for (int n = 0; n < 2; ++n) {
        const int i = n == 0 ? f->first : 1 - f->first;
        const double side = i == 0 ? 1 : -1, half = 0.5 * f->angle[i];
        const double edges[3] = {thick, wide, high[i]};
        const double lean[4] = {cos(half), 0, side * sin(half), 0};
        const double about_z[4] = {cos(0.5 * f->yaw), 0, 0, sin(0.5 * f->yaw)};
        const double at = side * (c[i] - foot[i] - 0.5 * f->gap);
        double Q[4];
        pcs_quat_mul(about_z, lean, Q);
        x[i][0] = at * cos(f->yaw);
        x[i][1] = at * sin(f->yaw);
        x[i][2] = up[i];
        card[i] = scene_box(&s, W[i], edges, x[i], Q, NULL, NULL);
        shape[i] = card_shape(f, edges, &own[i]);
        scene_rough(&s, card[i], shape[i], f->e, 0, mu);
    }
    if (f->smooth) {
        const pcs_law law = pcs_law_newton_impact(f->e);
        const pcs_material one = {2}, two = {3};
        CK_OK(pcs_model_set_pair_law(s.m, one, two, &law));
    }
    scene_start(&s);
    for (int n = 0; n * f->h < 0.5; ++n) {
        scene_step(&s, f->h);
        // edges overlap by the least way out of both faces
        const double *q0 = scene_q(&s, card[0]), *q1 = scene_q(&s, card[1]);
        const double depth = fmax(pair_depth(&shape[0], q0, &shape[1], q1),
                                  fmax(pair_depth(&shape[0], q0, &ground, NULL),
                                       pair_depth(&shape[1], q1, &ground, NULL)));
        ck_assert_double_le(s.report.penetration, depth + 1e-9);
    }
    for (int k = 0; k < 6; ++k) {
        most = fmax(most, fabs(scene_q(&s, card[k / 3])[k % 3] - x[k / 3][k % 3]));
    }
    scene_close(&s);
    pcs_geometry_destroy(own[0]);
    pcs_geometry_destroy(own[1]);
    return most;
}

TEST(an_a_frame_stands_up_to_its_limit)
{
    const double angles[][2] = {{0.2, 0.2}, {0.4, 0.4}, {0.3, 0.4}, {0.55, 0.5}};
    const double gaps[] = {0, -1e-6, 1e-6, 1e-9}, steps[] = {5e-3, 2e-3, 1e-2};
    for (int k = 0; k < 32; ++k) {
        const frame f = {.angle = {angles[k % 4][0], angles[k % 4][1]},
                         .gap = gaps[k / 4 % 4],
                         .yaw = k % 3 == 0 ? 0 : 0.7 * k,
                         .e = k % 5 == 0 ? 0.3 : 0,
                         .h = steps[k % 3],
                         .first = k / 2 % 2,
                         .hull = k >= 16};
        ck_assert_double_le(frame_motion(&f, 1.02), 1e-8 + 8 * fabs(f.gap));
        ck_assert_double_ge(frame_motion(&f, 0.97), 0.05 * card_edges[0]);
    }
}

// Symmetric cards without friction between them: the force is horizontal, between the normals of
// both faces. Up to 1.1 of the limit edges may leave their place, and beyond it they may slip by
// less than the thickness
TEST(an_a_frame_of_smooth_cards_stands_up_to_its_limit)
{
    const double angles[] = {0.35, 0.5}, gaps[] = {0, 1e-9, -1e-9, 1e-6, -1e-6};
    for (int k = 0; k < 20; ++k) {
        const double angle = angles[k % 2];
        const frame f = {.angle = {angle, angle},
                         .gap = gaps[k / 2 % 5],
                         .h = 5e-3,
                         .hull = k >= 10,
                         .smooth = true};
        ck_assert_double_le(frame_motion(&f, 1.15), card_edges[0]);
        ck_assert_double_ge(frame_motion(&f, 0.95), 10 * card_edges[0]);
    }
}

// A box at the edge of a wall, flush beside it, passes the top of the wall without an impulse, also
// where its lower edge begins level with that of the wall
TEST(a_box_falls_flush_past_the_edge_of_a_wall)
{
    const double edges[3] = {0.1, 0.1, 0.1}, gaps[] = {0, 1e-12, 1e-10, 1e-8, 1e-6};
    const double levels[] = {0, -1e-9, -1e-7, -0.1, 0.01};
    for (int k = 0; k < 50; ++k) {
        const double gap = gaps[k % 5], level = levels[k / 5 % 5];
        if (gap == 0 && level > 0) continue; // it comes down edge on edge, and may be held
        scene s = scene_open();
        s.scheme = pcs_scheme_default();
        const double mu = k >= 25 ? 0.5 : 0, x[3] = {0.1 + gap, 0, 0.1 + level};
        scene_rough(&s, world, pcs_shape_box(0.1, 0.1, 0.1), 0, 0, mu);
        const pcs_system box = scene_box(&s, 1, edges, x, NULL, NULL, NULL);
        scene_rough(&s, box, pcs_shape_box(0.1, 0.1, 0.1), 0, 0, mu);
        scene_start(&s);
        const double h = 2e-3;
        for (int n = 1; n <= 60; ++n) {
            scene_step(&s, h);
        }
        CK_NEAR(scene_v(&s, box)[2], -60 * h * 9.81, 1e-9);
        scene_close(&s);
    }
}

// the place of a box after 0.15 s that begins with its lower edge over that of a table by `over`
static void tip_over(double over, double mu, double h, double x[3])
{
    const double edges[3] = {0.1, 0.1, 0.1}, from[3] = {0.1 - over, 0, 0.1};
    scene s = scene_open();
    s.scheme = pcs_scheme_default();
    scene_rough(&s, world, pcs_shape_box(0.1, 0.1, 0.1), 0, 0, mu);
    const pcs_system box = scene_box(&s, 1, edges, from, NULL, NULL, NULL);
    scene_rough(&s, box, pcs_shape_box(0.1, 0.1, 0.1), 0, 0, mu);
    scene_start(&s);
    while (s.st->t < 0.15 - 0.5 * h) {
        scene_step(&s, h);
    }
    memcpy(x, scene_q(&s, box), 3 * sizeof *x);
    scene_close(&s);
}

// A box whose edge lies over that of a table tips about it and slides, by the normal of one face
// only: the motion is continuous in the overlap of the edges, down to rounding
TEST(a_box_tips_over_an_edge_that_it_hardly_overlaps)
{
    const double steps[] = {1e-3, 2e-3, 5e-3};
    for (int k = 0; k < 6; ++k) {
        const double mu = k < 3 ? 0 : 0.3;
        double far[3], x[3];
        tip_over(1e-5, mu, steps[k % 3], far);
        for (double over = 1e-13; over < 5e-6; over *= 10) {
            tip_over(over, mu, steps[k % 3], x);
            CK_NEAR(x[0], far[0], 3e-5);
            CK_NEAR(x[2], far[2], 3e-5);
        }
    }
}
