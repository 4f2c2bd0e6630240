// Bodies and joints as smooth systems, against steps, Euler angles and closed forms.
#include "smooth_scene.h"

// ---- bodies and joints

// a box that hangs from the origin by its upper face, with an initial velocity
static pcs_interaction hung_box(scene *s, const double omega[3])
{
    const double edges[3] = {0.2, 0.3, 0.8}, x[3] = {0, 0, -0.4}, still[3] = {0};
    double v[3];
    const double arm[3] = {0, 0, -0.4};
    v3_cross(omega, arm, v);
    const pcs_system box = scene_box(s, 2, edges, x, NULL, v, omega);
    const double top[3] = {0, 0, 0.4};
    pcs_interaction_def def = pcs_interaction_def_default();
    def.relation = pcs_relation_ball_joint(top, still);
    def.system1 = box;
    pcs_interaction joint;
    CK_OK(pcs_model_add_interaction(s->m, &def, &joint));
    return joint;
}

TEST(stepping_converges_to_a_pendulum_on_a_joint)
{
    scene s = scene_open();
    hung_box(&s, (double[3]){1, 2, 0.5});
    scene_start(&s);
    expect_same_motion(&s, 1, 100, 1, 1e-3);
    expect_same_motion_from_middle(&s, 1, 100, 1e-5);
    scene_close(&s);
}

TEST(stepping_converges_to_a_free_body)
{
    scene s = scene_open();
    const double edges[3] = {0.1, 0.5, 0.9}, x[3] = {1, 2, 3}, v[3] = {0.3, -1, 2};
    scene_box(&s, 3, edges, x, NULL, v, (double[3]){1, 4, 0.5});
    scene_start(&s);
    expect_same_motion(&s, 1, 100, 2, 1e-6);
    scene_close(&s);
}

TEST(stepping_converges_to_a_body_in_a_fluid)
{
    scene s = scene_open();
    pcs_body_def def = pcs_body_def_default();
    const double J[9] = {0.5, 0, 0, 0, 0.8, 0, 0, 0, 1.1}, omega[3] = {1, 2, 0.5};
    memcpy(def.inertia, J, sizeof J);
    memcpy(def.omega, omega, sizeof omega);
    def.velocity[0] = 1;
    for (int i = 0; i < 6; ++i) {
        def.added_mass[7 * i] = 0.3 * (1 + i);
    }
    def.added_mass[4] = def.added_mass[24] = 0.1; // surge and pitch
    scene_add(&s, &def);
    scene_start(&s);
    expect_same_motion(&s, 1, 100, 2, 1e-5);
    scene_close(&s);
}

TEST(energy_and_joints_hold_with_every_stabilisation)
{
    for (int how = PCS_STABILISATION_NONE; how <= PCS_STABILISATION_PROJECT; ++how) {
        for (int norm = PCS_SMOOTH_NORM_NORMALISE; norm <= PCS_SMOOTH_NORM_MULTIPLIER; ++norm) {
            scene s = scene_open();
            hung_box(&s, (double[3]){1, 2, 0.5});
            scene_start(&s);
            const pcs_smooth_def def = {.norm = (pcs_smooth_norm)norm,
                                        .norm_alpha = 1,
                                        .stabilisation = (pcs_stabilisation)how,
                                        .alpha = how == PCS_STABILISATION_PROJECT ? 0 : 5};
            pcs_smooth *sys = smooth_of(s.m, &def);
            double x[13], phi[3], rate[3];
            CK_OK(pcs_smooth_from_state(sys, s.st, x));
            const double before = smooth_energy(&s, sys, 0, x);
            integrate(sys, 2, 1e-10, x);
            CK_NEAR(smooth_energy(&s, sys, 2, x), before, 1e-7);
            CK_NEAR(pcs_quat_norm(x + 3), 1, norm == PCS_SMOOTH_NORM_NORMALISE ? 1e-15 : 1e-8);
            pcs_constrained *inner = pcs_smooth_constrained(sys);
            CK_OK(pcs_constrained_violation(inner, 2, x, x + 7, phi, rate));
            const double tol = how == PCS_STABILISATION_PROJECT ? 1e-12 : 1e-7;
            for (int i = 0; i < 3; ++i) {
                CK_NEAR(phi[i], 0, tol);
                CK_NEAR(rate[i], 0, tol);
            }
            pcs_smooth_destroy(sys);
            scene_close(&s);
        }
    }
}

// psi decays by the formula of its multiplier, and the rotation does not depend on it
TEST(the_multiplier_of_the_norm_lets_it_decay)
{
    scene s = scene_open();
    const double edges[3] = {0.1, 0.5, 0.9}, at[3] = {0};
    scene_box(&s, 3, edges, at, NULL, NULL, (double[3]){1, 4, 0.5});
    scene_start(&s);
    const pcs_smooth_def def = {.norm = PCS_SMOOTH_NORM_MULTIPLIER, .norm_alpha = 2};
    pcs_smooth *sys = smooth_of(s.m, &def);
    double x[13], y[13], R[9], S[9];
    CK_OK(pcs_smooth_from_state(sys, s.st, x));
    memcpy(y, x, sizeof x);
    for (int i = 3; i < 7; ++i) {
        y[i] *= 1.2;
    }
    integrate(sys, 1, 1e-11, x);
    integrate(sys, 1, 1e-11, y);
    const double psi0 = 0.5 * (1.44 - 1), n = pcs_quat_norm(y + 3);
    CK_NEAR(0.5 * (n * n - 1), psi0 * exp(-2), 1e-9);
    pcs_quat_to_matrix(x + 3, R);
    pcs_quat_to_matrix(y + 3, S);
    expect_same(R, S, 9, 1e-9);
    pcs_smooth_destroy(sys);
    scene_close(&s);
}

// the force of the joint is m (a_G - g), the limit of the impulses of steps over h
TEST(reactions_are_the_forces_of_the_joint)
{
    scene s = scene_open();
    const double omega[3] = {1, 2, 0.5};
    const pcs_interaction joint = hung_box(&s, omega);
    scene_start(&s);
    pcs_smooth *sys = smooth_of(s.m, NULL);
    pcs_ode ode;
    CK_OK(pcs_smooth_ode(sys, &ode));
    double x[13], dxdt[13] = {0}, r[3];
    CK_OK(pcs_smooth_from_state(sys, s.st, x));
    CK_OK(pcs_smooth_reaction(sys, 0, x, joint, r));
    ck_assert_int_eq(ode.f(ode.user, 0, x, dxdt), 0);
    for (int i = 0; i < 3; ++i) {
        CK_NEAR(r[i], 2 * (dxdt[7 + i] + (i == 2 ? G : 0)), 1e-11);
    }
    // conical motion about the vertical through the hinge: G moves in a circle
    const double spin[3] = {0, 0, 3};
    memcpy(x + 10, spin, sizeof spin);
    memset(x + 7, 0, 3 * sizeof *x);
    CK_OK(pcs_smooth_reaction(sys, 0, x, joint, r));
    CK_NEAR(r[2], 2 * G, 1e-11);
    CK_NEAR(r[0], 0, 1e-11);
    CK_FAILS(pcs_smooth_reaction(sys, 0, x, (pcs_interaction){7}, r), PCS_ERR_ARG);
    pcs_smooth_destroy(sys);
    scene_close(&s);
}

// a heavy top: L_z, the component along the axis of symmetry and the energy are constant; a top on
// a joint moves as one whose equations are written about its foot
typedef struct top {
    double m, l, J1, J3; // about the foot
} top;

// (theta, phi', psi') of Lagrange's top from its three integrals
static int top_L(void *user, double t, const pcs_complex *q, const pcs_complex *v, pcs_complex *L)
{
    const top *p = user; // q = (theta, phi, psi)
    const pcs_complex s = csin(q[0]), c = ccos(q[0]), w3 = v[2] + v[1] * c;
    *L = 0.5 * p->J1 * (v[0] * v[0] + s * s * v[1] * v[1]) + 0.5 * p->J3 * w3 * w3 -
         p->m * G * p->l * c;
    return 0;
}

TEST(a_heavy_top_by_joint_and_by_euler_angles)
{
    const double m = 1.5, l = 0.4, J1 = 0.05, J3 = 0.03;
    top p = {m, l, J1 + m * l * l, J3};
    // angles and rates; R = Rz(phi) Ry(theta) Rz(psi)
    double y[6] = {0.5, 0, 0, 0, 1, 40};
    const double s0 = sin(y[0]), c0 = cos(y[0]);

    scene s = scene_open();
    pcs_body_def def = pcs_body_def_default();
    def.mass = m;
    const double J[9] = {J1, 0, 0, 0, J1, 0, 0, 0, J3};
    memcpy(def.inertia, J, sizeof J);
    pcs_quat_from_zyz(y[1], y[0], y[2], def.orientation);
    const double omega[3] = {-y[4] * s0, y[3], y[5] + y[4] * c0}, arm[3] = {0, 0, l};
    memcpy(def.omega, omega, sizeof omega);
    double turn[3];
    v3_cross(omega, arm, turn);
    pcs_quat_rotate(def.orientation, turn, def.velocity);
    pcs_quat_rotate(def.orientation, arm, def.position);
    const pcs_system body = scene_add(&s, &def);
    pcs_interaction_def joint = pcs_interaction_def_default();
    const double foot[3] = {0, 0, -l}, origin[3] = {0};
    joint.relation = pcs_relation_ball_joint(foot, origin);
    joint.system1 = body;
    CK_OK(pcs_model_add_interaction(s.m, &joint, NULL));
    scene_start(&s);

    pcs_smooth *sys = smooth_of(s.m, NULL);
    double x[13];
    CK_OK(pcs_smooth_from_state(sys, s.st, x));
    const double before = smooth_energy(&s, sys, 0, x);
    integrate(sys, 1, 1e-11, x);
    CK_NEAR(smooth_energy(&s, sys, 1, x), before, 1e-7);
    CK_NEAR(x[12], omega[2], 1e-9); // about the axis of symmetry

    const pcs_lagrange_def lagrange_def = {.n = 3, .L_complex = top_L, .user = &p};
    pcs_lagrange *lagrange;
    CK_OK(pcs_lagrange_create(NULL, &lagrange_def, &lagrange));
    pcs_ode angles;
    CK_OK(pcs_lagrange_ode(lagrange, &angles));
    pcs_ode_opts opts = pcs_ode_opts_default();
    opts.rtol = 1e-11;
    opts.atol = 1e-13;
    pcs_integrator *run = smooth_run(&angles, &opts, 0, y);
    CK_OK(pcs_integrator_advance(run, 1, NULL));
    const double *z = pcs_integrator_x(run);
    double Q[4], R[9], S[9];
    pcs_quat_from_zyz(z[1], z[0], z[2], Q);
    pcs_quat_to_matrix(Q, R);
    pcs_quat_to_matrix(x + 3, S);
    expect_same(S, R, 9, 1e-7);
    pcs_integrator_destroy(run);
    pcs_lagrange_destroy(lagrange);
    pcs_smooth_destroy(sys);

    // the same by steps
    expect_same_motion(&s, 0.25, 500, 1, 1e-3);
    expect_same_motion_from_middle(&s, 0.25, 500, 1e-5);
    scene_close(&s);
}

// ---- joints of every kind

// a ball joint by callbacks, for differences against the closed form
static int ball_gap(void *user, const double *q1, const double *q2, double *g)
{
    return pcs_relation_gap(user, q1, q2, g) != PCS_OK;
}

static int ball_gradient(void *user, const double *q1, const double *q2, double *C1, double *C2)
{
    return pcs_relation_gradient(user, 7, q1, q2 ? 7 : 0, q2, C1, C2) != PCS_OK;
}

static int swing(void *user, double t, double q[7], double v[6])
{
    const double angle = 0.8 * sin(2 * t), rate = 1.6 * cos(2 * t);
    const double pose[7] = {0.3 * sin(3 * t), 0, 0.1 * t * t, cos(angle / 2), 0, sin(angle / 2), 0};
    const double motion[6] = {0.9 * cos(3 * t), 0, 0.2 * t, 0, rate, 0};
    memcpy(q, pose, sizeof pose);
    memcpy(v, motion, sizeof motion);
    return 0;
}

// two boxes joined to each other and to a body with a prescribed motion
static void add_chain(scene *s, bool callbacks, bool distance, pcs_relation kept[2])
{
    pcs_body_def carrier = pcs_body_def_default();
    carrier.motion = swing;
    pcs_system body[3];
    CK_OK(pcs_model_add_body(s->m, &carrier, &body[0]));
    const double edges[3] = {0.1, 0.2, 0.5}, x1[3] = {0, 0, -0.45}, x2[3] = {0, 0, -0.95};
    body[1] = scene_box(s, 1, edges, x1, NULL, (double[3]){0.9, 0, 0}, NULL);
    body[2] = scene_box(s, 2, edges, x2, NULL, (double[3]){0.9, 0, 0}, NULL);
    for (int k = 0; k < 2; ++k) {
        const double up[3] = {0, 0, 0.25}, down[3] = {0, 0, k == 0 ? -0.2 : -0.25};
        const double high[3] = {0, 0, k == 0 ? 0.1 : 0};
        kept[k] = distance ? pcs_relation_distance(up, high, k == 0 ? 0.3 : 0.25)
                           : pcs_relation_ball_joint(up, down);
        pcs_interaction_def def = pcs_interaction_def_default();
        def.relation = kept[k];
        if (callbacks) {
            def.relation = (pcs_relation){
                .dim = kept[k].dim, .gap = ball_gap, .gradient = ball_gradient, .user = &kept[k]};
        }
        def.system1 = body[k + 1];
        def.system2 = body[k];
        CK_OK(pcs_model_add_interaction(s->m, &def, NULL));
    }
}

TEST(joints_agree_for_every_second_derivative)
{
    for (int distance = 0; distance < 2; ++distance) {
        double rates[2][40] = {{0}};
        for (int callbacks = 0; callbacks < 2; ++callbacks) {
            scene s = scene_open();
            pcs_relation kept[2];

            add_chain(&s, callbacks, distance, kept);
            scene_start(&s);
            pcs_smooth_def def = pcs_smooth_def_default();
            pcs_smooth *sys = smooth_of(s.m, &def);
            pcs_ode ode;
            CK_OK(pcs_smooth_ode(sys, &ode));
            ck_assert_int_eq(ode.n, 33);
            double x[33];
            CK_OK(pcs_smooth_from_state(sys, s.st, x));
            pcs_constrained *inner = pcs_smooth_constrained(sys);
            test_random r = random_seed(9);
            for (int i = 0; i < 12; ++i) {
                x[21 + i] += 2 * random_normal(&r);
            }
            CK_OK(pcs_constrained_project(inner, 0.3, x, x + 21));
            CK_OK(pcs_constrained_check(inner, 0.3, x, x + 21, 1e-12, 1e-12));
            ck_assert_int_eq(ode.f(ode.user, 0.3, x, rates[callbacks]), 0);
            pcs_smooth_destroy(sys);
            scene_close(&s);
        }
        for (int i = 0; i < 33; ++i) {
            CK_NEAR(rates[0][i], rates[1][i], 1e-9 * (1 + fabs(rates[0][i])));
        }
    }
}

// the power of the joints drives the chain; and steps converge to the same motion
TEST(a_chain_follows_a_prescribed_motion)
{
    scene s = scene_open();
    pcs_relation kept[2];

    add_chain(&s, false, false, kept);
    scene_start(&s);
    pcs_smooth *sys = smooth_of(s.m, NULL);
    double x[33], phi[6];
    CK_OK(pcs_smooth_from_state(sys, s.st, x));
    pcs_constrained *inner = pcs_smooth_constrained(sys);
    CK_OK(pcs_constrained_project(inner, 0, x, x + 21));
    CK_OK(pcs_smooth_to_state(sys, 0, x, s.st));
    integrate(sys, 0.5, 1e-10, x);
    CK_OK(pcs_constrained_violation(inner, 0.5, x, x + 21, phi, NULL));
    for (int i = 0; i < 6; ++i) {
        CK_NEAR(phi[i], 0, 1e-12);
    }
    double q[7], v[6];
    swing(NULL, 0.5, q, v);
    expect_same(x, q, 7, 1e-15);
    pcs_smooth_destroy(sys);
    expect_same_motion(&s, 0.5, 200, 1, 1e-3);
    expect_same_motion_from_middle(&s, 0.5, 200, 1e-5);
    scene_close(&s);
}

// ---- bad input

TEST(contacts_and_redundant_joints_are_refused)
{
    scene s = scene_open();
    pcs_smooth *sys;

    CK_FAILS(pcs_smooth_create(NULL, s.m, NULL, &sys), PCS_ERR_UNSUPPORTED); // nothing moves
    CK_FAILS(pcs_smooth_create(NULL, NULL, NULL, &sys), PCS_ERR_ARG);
    hung_box(&s, (double[3]){0});
    scene_shape(&s, (pcs_system){1}, pcs_shape_sphere(0.1), 0);
    scene_start(&s);
    sys = smooth_of(s.m, NULL); // one shape alone touches nothing
    pcs_smooth_destroy(sys);
    scene_ground(&s, 0);
    CK_SAYS(pcs_smooth_create(NULL, s.m, NULL, &sys), PCS_ERR_UNSUPPORTED, "ignore_contacts");
    pcs_smooth_def def = pcs_smooth_def_default();
    def.ignore_contacts = true;
    sys = smooth_of(s.m, &def);

    // states of another size, numbers that are not finite
    double x[13];
    CK_OK(pcs_smooth_from_state(sys, s.st, x));
    x[3] = NAN;
    CK_FAILS(pcs_smooth_to_state(sys, 0, x, s.st), PCS_ERR_ARG);
    x[3] = 0;
    CK_FAILS(pcs_smooth_to_state(sys, 0, x, s.st), PCS_ERR_ARG);
    ck_assert_double_eq(s.st->q[3], 1);
    pcs_state other = *s.st;
    other.nq = 3;
    CK_FAILS(pcs_smooth_from_state(sys, &other, x), PCS_ERR_SIZE);
    pcs_smooth_destroy(sys);
    def.norm_alpha = -1;
    CK_FAILS(pcs_smooth_create(NULL, s.m, &def, &sys), PCS_ERR_ARG);
    def.norm_alpha = 0;
    def.norm = (pcs_smooth_norm)7;
    CK_FAILS(pcs_smooth_create(NULL, s.m, &def, &sys), PCS_ERR_ARG);
    def.norm = PCS_SMOOTH_NORM_FREE;

    // the same joint again
    pcs_interaction_def joint = pcs_interaction_def_default();
    joint.relation = pcs_relation_distance((double[3]){0}, (double[3]){0}, 0.4);
    joint.system1 = (pcs_system){1};
    CK_OK(pcs_model_add_interaction(s.m, &joint, NULL));
    sys = smooth_of(s.m, &def);
    CK_OK(pcs_smooth_from_state(sys, s.st, x));
    double r[3];
    CK_FAILS(pcs_smooth_reaction(sys, 0, x, (pcs_interaction){1}, r), PCS_ERR_SINGULAR);
    pcs_smooth_destroy(sys);
    joint.relation = pcs_relation_ball_joint((double[3]){0}, (double[3]){0});
    CK_OK(pcs_model_add_interaction(s.m, &joint, NULL));
    CK_FAILS(pcs_smooth_create(NULL, s.m, &def, &sys), PCS_ERR_SINGULAR); // 7 rows, 6 velocities
    scene_close(&s);
}

static int push_nowhere(void *user, double t, const double q[7], const double v[6], double F[6])
{
    F[1] = NAN;
    return 0;
}

TEST(the_sentence_of_a_failed_callback_is_kept)
{
    scene s = scene_open();
    pcs_body_def def = pcs_body_def_default();
    def.force = push_nowhere;
    CK_OK(pcs_model_add_body(s.m, &def, NULL));
    scene_start(&s);
    pcs_smooth *sys = smooth_of(s.m, NULL);
    double x[13], a[6];
    CK_OK(pcs_smooth_from_state(sys, s.st, x));
    CK_FAILS(pcs_constrained_solve(pcs_smooth_constrained(sys), 0, x, x + 7, a, NULL),
             PCS_ERR_CALLBACK);
    // the sentence also has the number of the body
    ck_assert_msg(strstr(pcs_error_text(), "callback of body 1") != NULL, "%s", pcs_error_text());
    pcs_smooth_destroy(sys);
    scene_close(&s);
}

TEST(disabled_systems_stand_still)
{
    scene s = scene_open();
    hung_box(&s, (double[3]){1, 0, 0});
    const double at[3] = {5, 0, 0}, v[3] = {0, 0, 1};
    scene_ball(&s, 1, 0.1, at, v);
    scene_start(&s);
    CK_OK(pcs_model_set_enabled(s.m, (pcs_system){1}, false));
    pcs_smooth *sys = smooth_of(s.m, NULL);
    double x[26], y[26];
    CK_OK(pcs_smooth_from_state(sys, s.st, x));
    memcpy(y, x, sizeof x);
    integrate(sys, 0.5, 1e-9, y);
    for (int i = 0; i < 7; ++i) {
        ck_assert_double_eq(y[i], x[i]);
    }
    CK_NEAR(y[9], 0.5 - 0.5 * G * 0.25, 1e-12);
    pcs_smooth_destroy(sys);
    scene_close(&s);
}

TEST(only_making_one_allocates)
{
    scene s = scene_open();
    pcs_relation kept[2];

    add_chain(&s, true, false, kept);
    scene_start(&s);
    for (long k = 0;; ++k) {
        test_memory memory = {.fail_at = k};
        const pcs_env env = test_env(&memory);
        pcs_smooth *sys = NULL;
        const pcs_status status = pcs_smooth_create(&env, s.m, NULL, &sys);
        if (out_of_memory(&memory, status)) continue;
        const long before = memory.allocated, of_model = s.memory->allocated;
        pcs_ode ode;
        CK_OK(pcs_smooth_ode(sys, &ode));
        double x[33], dxdt[33];
        CK_OK(pcs_smooth_from_state(sys, s.st, x));
        memset(dxdt, 0, sizeof dxdt);
        ck_assert_int_eq(ode.project(ode.user, 0, x), 0);
        ck_assert_int_eq(ode.f(ode.user, 0, x, dxdt), 0);
        ck_assert_int_eq(memory.allocated, before);
        ck_assert_int_eq(s.memory->allocated, of_model);
        pcs_smooth_destroy(sys);
        ck_assert_int_eq(memory.live, 0);
        break;
    }
    pcs_smooth_destroy(NULL);
    scene_close(&s);
}
