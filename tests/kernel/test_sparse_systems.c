// Lagrangian systems with sparse matrices: the same motion as with dense ones, a bar of finite
// elements that hits a wall against the closed form of its waves, chains of 10 000 unknowns,
// matrices that are refused.
#include "scene.h"

#include <string.h>

#include <percuss/force.h>
#include <percuss/linalg.h>

// a symmetric tridiagonal matrix with the ends of its own
typedef struct band {
    int *p, *i;
    double *x;
    pcs_csc A;
} band;

static band make_band(int n, double inner, double end, double beside)
{
    band b = {.p = calloc((size_t)n + 1, sizeof(int)),
              .i = calloc(3 * (size_t)n, sizeof(int)),
              .x = calloc(3 * (size_t)n, sizeof(double))};
    int at = 0;
    for (int j = 0; j < n; ++j) {
        for (int i = j - 1; i <= j + 1; ++i) {
            if (i < 0 || i >= n) continue;
            b.i[at] = i;
            b.x[at++] = i != j ? beside : j == 0 || j == n - 1 ? end : inner;
        }
        b.p[j + 1] = at;
    }
    b.A = (pcs_csc){.m = n, .n = n, .p = b.p, .i = b.i, .x = b.x};
    return b;
}

static void free_band(band *b)
{
    free(b->p);
    free(b->i);
    free(b->x);
}

static double *dense_of(const band *b)
{
    const size_t n = (size_t)b->A.n;
    double *out = calloc(n * n, sizeof *out);
    for (size_t j = 0; j < n; ++j) {
        for (int k = b->p[j]; k < b->p[j + 1]; ++k) {
            out[(size_t)b->i[k] + n * j] = b->x[k];
        }
    }
    return out;
}

// the gap of the first unknown to a wall at 0: user points to the number of unknowns
static int end_gap(void *user, const double *q1, const double *q2, double *g)
{
    g[0] = q1[0];
    return 0;
}

static int end_gradient(void *user, const double *q1, const double *q2, double *C1, double *C2)
{
    C1[0] = 1;
    return 0;
}

static pcs_relation end_relation(void)
{
    return (pcs_relation){.dim = 1, .gap = end_gap, .gradient = end_gradient};
}

TEST(sparse_matrices_give_the_motion_of_dense_ones)
{
    enum { N = 40 };
    band M = make_band(N, 4, 2, 1), K = make_band(N, 200, 100, -100),
         D = make_band(N, 1, 0.5, -0.5);
    double *m = dense_of(&M), *k = dense_of(&K), *d = dense_of(&D), q0[N], v0[N], load[N];
    test_random r = random_seed(5);
    for (int i = 0; i < N; ++i) {
        q0[i] = 0.02 + 0.01 * random_normal(&r);
        v0[i] = -0.5 + 0.1 * random_normal(&r);
        load[i] = -1;
    }
    q0[0] = 0.01;
    const pcs_scheme schemes[3] = {pcs_scheme_default(), pcs_scheme_moreau_jean(),
                                   pcs_scheme_moreau_jean()};
    for (int kind = 0; kind < 3; ++kind) {
        scene s[2];
        pcs_system on[2];
        for (int e = 0; e < 2; ++e) {
            s[e] = scene_open();
            s[e].scheme = schemes[kind];
            s[e].scheme.solver.tol = 1e-12;
            if (kind == 2) s[e].scheme.projection = PCS_PROJECTION_DIRECT;
            pcs_lagrangian_def def = {.n = N, .q0 = q0, .v0 = v0, .load = load};
            if (e == 0) {
                def.mass = m;
                def.stiffness = k;
                def.damping = d;
            } else {
                def.sparse_mass = &M.A;
                def.sparse_stiffness = &K.A;
                def.sparse_damping = &D.A;
            }
            on[e] = scene_add_lagrangian(&s[e], &def);
            scene_join(&s[e], end_relation(), pcs_law_newton_impact(0.3), on[e], (pcs_system){0});
            scene_start(&s[e]);
        }
        CK_NEAR(scene_kinetic(&s[0]), scene_kinetic(&s[1]), 1e-10);
        CK_NEAR(scene_potential(&s[0]), scene_potential(&s[1]), 1e-10);
        int touched = 0;
        for (int i = 0; i < 60; ++i) {
            for (int e = 0; e < 2; ++e) {
                scene_step(&s[e], i < 30 ? 2e-3 : 3e-3); // the factors follow the step
                scene_check_ledger(&s[e]);
            }
            touched += s[1].report.active > 0;
            for (int j = 0; j < N; ++j) {
                CK_NEAR(scene_q(&s[0], on[0])[j], scene_q(&s[1], on[1])[j], 1e-9);
                CK_NEAR(scene_v(&s[0], on[0])[j], scene_v(&s[1], on[1])[j], 1e-7);
            }
        }
        ck_assert_int_ge(touched, 2);
        for (int e = 0; e < 2; ++e) {
            CK_OK(pcs_impact(s[e].m, s[e].st, s[e].wk, 1, NULL));
        }
        for (int j = 0; j < N; ++j) {
            CK_NEAR(scene_v(&s[0], on[0])[j], scene_v(&s[1], on[1])[j], 1e-7);
        }
        scene_close(&s[0]);
        scene_close(&s[1]);
    }
    free(m);
    free(k);
    free(d);
    free_band(&M);
    free_band(&K);
    free_band(&D);
}

// A bar of length 1 with wave speed 1 and linear elements hits a rigid wall with speed 1: a wave
// runs to its free end and back, it leaves the wall after 2 L / c, and bounces off with speed 1
// (for a continuous bar with all of it). While it touches the stress at the wall is rho c v.
static void hit(int n, double h, double *left, double *away, double *impulse)
{
    const double l = 1.0 / (n - 1);
    band M = make_band(n, 4 * l / 6, 2 * l / 6, l / 6), K = make_band(n, 2 / l, 1 / l, -1 / l);
    double *q0 = calloc((size_t)n, sizeof *q0), *v0 = calloc((size_t)n, sizeof *v0);
    for (int i = 0; i < n; ++i) {
        v0[i] = -1;
    }
    scene s = scene_open();
    s.scheme = pcs_scheme_moreau_jean();
    s.scheme.theta = 0.55;
    const pcs_system bar = scene_add_lagrangian(
        &s, &(pcs_lagrangian_def){
                .n = n, .q0 = q0, .v0 = v0, .sparse_mass = &M.A, .sparse_stiffness = &K.A});
    scene_join(&s, end_relation(), pcs_law_newton_impact(0), bar, (pcs_system){0});
    scene_start(&s);
    *left = *impulse = 0;
    const int steps = (int)(2.5 / h + 0.5);
    for (int i = 0; i < steps; ++i) {
        scene_step(&s, h);
        const pcs_contact *c;
        if (scene_contacts(&s, &c) == 0) continue;
        *impulse += c[0].r[0];
        if (c[0].r[0] > 0.1 * h) *left = (i + 1) * h;
    }
    double momentum = 0;
    for (int i = 0; i < n; ++i) {
        momentum += scene_v(&s, bar)[i] * (i == 0 || i == n - 1 ? 0.5 * l : l);
    }
    *away = momentum;
    scene_close(&s);
    free(q0);
    free(v0);
    free_band(&M);
    free_band(&K);
}

TEST(a_bar_leaves_the_wall_after_the_time_of_its_wave)
{
    double error[2];
    for (int k = 0; k < 2; ++k) {
        const int n = k == 0 ? 101 : 401;
        double left, away, impulse;
        hit(n, 0.5 / (n - 1), &left, &away, &impulse);
        CK_NEAR(impulse, 1 + away, 1e-9); // the change of momentum of a bar of mass 1
        error[k] = fmax(fabs(left - 2), fabs(away - 1));
    }
    ck_assert_msg(error[1] < 0.5 * error[0] && error[1] < 0.03, "errors %g and %g", error[0],
                  error[1]);
}

TEST(a_chain_of_ten_thousand_masses_stands_on_its_end)
{
    // masses 1 joined by springs k, each pressed down by 1: at rest the first one carries n
    const int n = TEST_FEW(2000, 10000);
    band M = make_band(n, 1, 1, 0), K = make_band(n, 2e6, 1e6, -1e6);
    double *q0 = calloc((size_t)n, sizeof *q0), *load = calloc((size_t)n, sizeof *load);
    double x = 0;
    for (int i = 0; i < n; ++i) {
        load[i] = -1;
        q0[i] = x;
        x -= (n - 1 - i) / 1e6;
    }
    scene s = scene_open();
    s.scheme = pcs_scheme_default();
    const pcs_system chain = scene_add_lagrangian(
        &s, &(pcs_lagrangian_def){
                .n = n, .q0 = q0, .load = load, .sparse_mass = &M.A, .sparse_stiffness = &K.A});
    scene_join(&s, end_relation(), pcs_law_newton_impact(0), chain, (pcs_system){0});
    scene_start(&s);
    for (int i = 0; i < 3; ++i) {
        scene_step(&s, 1e-3);
        scene_check_ledger(&s);
    }
    const pcs_contact *c;
    ck_assert_int_eq(scene_contacts(&s, &c), 1);
    CK_NEAR(c[0].r[0] / 1e-3, n, 1e-5 * n);
    CK_NEAR(scene_q(&s, chain)[n - 1], q0[n - 1], 1e-9 * n);
    scene_close(&s);
    free(q0);
    free(load);
    free_band(&M);
    free_band(&K);
}

TEST(one_triangle_is_a_symmetric_matrix)
{
    const int p[4] = {0, 2, 4, 5}, upper_p[4] = {0, 1, 3, 5};
    const int i[5] = {0, 1, 1, 2, 2}, upper_i[5] = {0, 0, 1, 1, 2};
    const double x[5] = {4, 1, 5, 2, 6}, upper_x[5] = {4, 1, 5, 2, 6};
    const double full[9] = {4, 1, 0, 1, 5, 2, 0, 2, 6}, v0[3] = {1, -2, 3};
    const pcs_csc lower = {3, 3, (int *)p, (int *)i, (double *)x};
    const pcs_csc upper = {3, 3, (int *)upper_p, (int *)upper_i, (double *)upper_x};
    double K[3];
    for (int k = 0; k < 3; ++k) {
        scene s = scene_open();
        pcs_lagrangian_def def = {.n = 3, .v0 = v0};
        if (k == 0) def.mass = full;
        if (k > 0) def.sparse_mass = k == 1 ? &lower : &upper;
        scene_add_lagrangian(&s, &def);
        scene_start(&s);
        K[k] = scene_kinetic(&s);
        scene_close(&s);
    }
    CK_NEAR(K[1], K[0], 1e-14 * K[0]);
    CK_NEAR(K[2], K[0], 1e-14 * K[0]);
}

TEST(sparse_matrices_that_are_refused)
{
    scene s = scene_open();
    band M = make_band(5, 4, 2, 1), K = make_band(5, 2, 1, -1);
    pcs_lagrangian_def def = {.n = 5, .sparse_mass = &M.A, .sparse_stiffness = &K.A};
    K.x[1] = -1.5;
    CK_SAYS(pcs_model_add_lagrangian(s.m, &def, NULL), PCS_ERR_ARG,
            "sparse stiffness is not symmetric");
    K.x[1] = -1;
    M.x[0] = -2;
    CK_SAYS(pcs_model_add_lagrangian(s.m, &def, NULL), PCS_ERR_ARG, "not positive definite");
    M.x[0] = NAN;
    CK_SAYS(pcs_model_add_lagrangian(s.m, &def, NULL), PCS_ERR_ARG, "not finite");
    M.x[0] = 2;
    M.i[0] = 7;
    CK_SAYS(pcs_model_add_lagrangian(s.m, &def, NULL), PCS_ERR_ARG, "sparse mass is no 5 x 5");
    M.i[0] = 0;
    def.n = 4;
    CK_SAYS(pcs_model_add_lagrangian(s.m, &def, NULL), PCS_ERR_ARG, "no 4 x 4");
    def.n = 5;
    def.sparse_mass = NULL;
    CK_SAYS(pcs_model_add_lagrangian(s.m, &def, NULL), PCS_ERR_ARG, "give either mass or mass_fn");
    def.sparse_mass = &M.A;
    const pcs_system bar = scene_add_lagrangian(&s, &def);
    pcs_force_def pull = pcs_force_def_default(PCS_FORCE_USER);
    pull.system1 = bar;
    CK_SAYS(pcs_model_add_force(s.m, &pull, NULL), PCS_ERR_UNSUPPORTED, "that the system carries");
    scene_start(&s);
    scene_close(&s);
    free_band(&M);
    free_band(&K);
}

// ---- a carried body at the end of a bar

static int tip_pose(void *user, const double *q, double pose[7])
{
    const double of[7] = {q[0] + 0.1, 0, 0, 1, 0, 0, 0};
    memcpy(pose, of, sizeof of);
    return 0;
}

static int tip_jacobian(void *user, const double *q, double *J)
{
    J[0] = 1;
    return 0;
}

TEST(a_shape_at_the_end_of_a_bar_hits_as_its_relation_does)
{
    enum { N = 200 };
    band M = make_band(N, 4, 2, 1), K = make_band(N, 2e4, 1e4, -1e4);
    double v0[N], q0[N] = {0};
    for (int i = 0; i < N; ++i) {
        v0[i] = -0.5;
        q0[i] = 0.002;
    }
    scene s[2];
    pcs_system bar[2];
    for (int e = 0; e < 2; ++e) {
        s[e] = scene_open();
        s[e].scheme = pcs_scheme_default();
        s[e].scheme.solver.tol = 1e-12;
        bar[e] = scene_add_lagrangian(
            &s[e], &(pcs_lagrangian_def){
                       .n = N, .q0 = q0, .v0 = v0, .sparse_mass = &M.A, .sparse_stiffness = &K.A});
    }
    scene_join(&s[0], end_relation(), pcs_law_newton_impact(0), bar[0], (pcs_system){0});
    pcs_body_def tip = pcs_body_def_default();
    tip.carrier = bar[1];
    tip.pose = tip_pose;
    tip.pose_jacobian = tip_jacobian;
    scene_shape(&s[1], scene_add(&s[1], &tip), pcs_shape_sphere(0.1), 0);
    scene_shape(&s[1], (pcs_system){0}, pcs_shape_half_space((double[3]){1, 0, 0}, 0), 0);
    int touched = 0;
    long before = 0;
    for (int e = 0; e < 2; ++e) {
        scene_start(&s[e]);
    }
    for (int i = 0; i < 100; ++i) {
        if (i == 50) before = s[1].memory->allocated;
        for (int e = 0; e < 2; ++e) {
            scene_step(&s[e], 1e-3);
            scene_check_ledger(&s[e]);
        }
        touched += s[1].report.active > 0;
        for (int j = 0; j < N; ++j) {
            CK_NEAR(scene_q(&s[0], bar[0])[j], scene_q(&s[1], bar[1])[j], 1e-8);
        }
    }
    ck_assert_int_gt(touched, 20);
    ck_assert_int_eq(s[1].memory->allocated, before); // a warm step allocates nothing
    scene_close(&s[0]);
    scene_close(&s[1]);
    free_band(&M);
    free_band(&K);
}

// ---- force elements on bodies that a bar carries

static pcs_system carried_tip(scene *s, pcs_system bar)
{
    pcs_body_def tip = pcs_body_def_default();
    tip.carrier = bar;
    tip.pose = tip_pose;
    tip.pose_jacobian = tip_jacobian;
    return scene_add(s, &tip);
}

static int other_pose(void *user, const double *q, double pose[7])
{
    const double of[7] = {5 + q[39], 0.1 * q[38] * q[38], 0, 1, 0, 0, 0.1 * q[39]};
    memcpy(pose, of, sizeof of);
    return 0;
}

static int other_jacobian(void *user, const double *q, double *J)
{
    J[6 * 39] = 1;
    J[1 + 6 * 38] = 0.2 * q[38];
    J[5 + 6 * 39] = 0.2 / (1 + 0.01 * q[39] * q[39]);
    return 0;
}

static void add_element(scene *s, pcs_force_kind kind, pcs_system one, pcs_system two, double k,
                        double d, double length)
{
    pcs_force_def f = pcs_force_def_default(kind);
    f.system1 = one;
    f.system2 = two;
    f.stiffness = k;
    f.damping = d;
    f.length = length;
    for (int i = 0; kind == PCS_FORCE_BUSHING && i < 6; ++i) {
        f.K[7 * i] = k;
        f.D[7 * i] = d;
    }
    CK_OK(pcs_model_add_force(s->m, &f, NULL));
}

// A bar of masses and springs, and a ball of the same mass on such a spring at its tip, are a free
// chain of n + 1 masses. By the midpoint rule its modes turn by 2 atan(omega h / 2) a step
TEST(a_ball_on_a_spring_lengthens_a_chain_of_ten_thousand_masses)
{
    const int n = TEST_FEW(1000, 10000), steps = 20;
    const double m = 2, k = 500, h = 0.05, small = 1e-3, PI = 3.14159265358979323846;
    band M = make_band(n, m, m, 0), K = make_band(n, 2 * k, k, -k);
    double *mode = calloc((size_t)n + 1, sizeof *mode);
    const int number = (n + 1) / 3;
    for (int i = 0; i <= n; ++i) {
        mode[i] = small * cos(PI * number * (i + 0.5) / (n + 1));
    }
    scene s = scene_open();
    scene_gravity(&s, 0, 0, 0);
    const double x[3] = {-0.9 + mode[0], 0, 0};
    const pcs_system ball = scene_solid_ball(&s, m, 0.1, x, NULL, 0);
    const pcs_system bar = scene_add_lagrangian(
        &s, &(pcs_lagrangian_def){
                .n = n, .q0 = mode + 1, .sparse_mass = &M.A, .sparse_stiffness = &K.A});
    add_element(&s, PCS_FORCE_SPRING, carried_tip(&s, bar), ball, k, 0, 1);
    scene_start(&s);
    const double omega = 2 * sqrt(k / m) * sin(0.5 * PI * number / (n + 1));
    long before = 0;
    for (int step = 1; step <= steps; ++step) {
        if (step == steps / 2) before = s.memory->allocated;
        scene_step(&s, h);
        scene_check_ledger(&s);
        const double now = cos(step * 2 * atan(0.5 * omega * h));
        CK_NEAR(scene_q(&s, ball)[0], -0.9 + mode[0] * now, 1e-12);
        for (int i = 0; i < n; ++i) {
            CK_NEAR(scene_q(&s, bar)[i], mode[i + 1] * now, 1e-12);
        }
    }
    ck_assert_int_eq(s.memory->allocated, before); // a warm step allocates nothing
    if (n > 2000) {
        CK_SAYS(pcs_force_check(s.m, s.st, (pcs_force){1}, 0, NULL), PCS_ERR_UNSUPPORTED,
                "at most 2000");
    }
    scene_close(&s);
    free(mode);
    free_band(&M);
    free_band(&K);
}

static int mean_pose(void *user, const double *q, double pose[7])
{
    const int *n = user;
    memset(pose, 0, 7 * sizeof *pose);
    pose[3] = 1;
    for (int i = 0; i < *n; ++i) {
        pose[0] += q[i] / *n;
    }
    return 0;
}

TEST(a_body_that_many_unknowns_move_gets_no_element)
{
    int n = 300;
    band M = make_band(n, 1, 1, 0);
    scene s = scene_open();
    pcs_body_def mean = pcs_body_def_default();
    mean.carrier = scene_add_lagrangian(&s, &(pcs_lagrangian_def){.n = n, .sparse_mass = &M.A});
    mean.pose = mean_pose;
    mean.user = &n;
    add_element(&s, PCS_FORCE_SPRING, scene_add(&s, &mean), (pcs_system){0}, 10, 0, 0);
    scene_start(&s);
    CK_SAYS(pcs_step(s.m, s.st, s.wk, 1e-3, NULL), PCS_ERR_UNSUPPORTED,
            "more than 192 coordinates");
    ck_assert(s.st->t == 0);
    scene_close(&s);
    free_band(&M);
}

// a bar between a wall that its tip hits, bushings, a spring to a falling ball, and a spring to
// its own other end: with sparse matrices as with dense ones
TEST(elements_act_on_sparse_systems_as_on_dense_ones)
{
    enum { N = 40 };
    band M = make_band(N, 4, 2, 1), K = make_band(N, 2000, 1000, -1000),
         D = make_band(N, 1, 0.5, -0.5);
    double *m = dense_of(&M), *k = dense_of(&K), *d = dense_of(&D), q0[N], v0[N];
    for (int i = 0; i < N; ++i) {
        q0[i] = 0.01 + 1e-3 * i;
        v0[i] = -0.5;
    }
    scene s[2];
    pcs_system bar[2], ball[2];
    for (int e = 0; e < 2; ++e) {
        s[e] = scene_open();
        s[e].scheme = pcs_scheme_default();
        s[e].scheme.solver.tol = 1e-12;
        scene_gravity(&s[e], 0, 0, -9.81);
        pcs_lagrangian_def def = {.n = N, .q0 = q0, .v0 = v0};
        if (e == 0) {
            def.mass = m;
            def.stiffness = k;
            def.damping = d;
        } else {
            def.sparse_mass = &M.A;
            def.sparse_stiffness = &K.A;
            def.sparse_damping = &D.A;
        }
        bar[e] = scene_add_lagrangian(&s[e], &def);
        const pcs_system tip = carried_tip(&s[e], bar[e]);
        pcs_body_def far = pcs_body_def_default();
        far.carrier = bar[e];
        far.pose = other_pose;
        far.pose_jacobian = other_jacobian;
        const pcs_system other = scene_add(&s[e], &far);
        scene_shape(&s[e], tip, pcs_shape_sphere(0.1), 0);
        scene_shape(&s[e], (pcs_system){0}, pcs_shape_half_space((double[3]){1, 0, 0}, 0), 0);
        scene_shape(&s[e], (pcs_system){0}, pcs_shape_half_space((double[3]){0, 0, 1}, -1.3), 0);
        ball[e] = scene_solid_ball(&s[e], 1, 0.1, (double[3]){0.3, 0, -1}, NULL, 0);
        add_element(&s[e], PCS_FORCE_SPRING, ball[e], tip, 200, 1, 0.9);
        add_element(&s[e], PCS_FORCE_SPRING, tip, other, 50, 2, 4.5);
        add_element(&s[e], PCS_FORCE_BUSHING, other, (pcs_system){0}, 30, 3, 0);
        scene_start(&s[e]);
    }
    int touched = 0;
    for (int i = 0; i < TEST_FEW(40, 150); ++i) {
        for (int e = 0; e < 2; ++e) {
            scene_step(&s[e], 2e-3);
            scene_check_ledger(&s[e]);
        }
        touched += s[1].report.active > 0;
        expect_same(scene_q(&s[0], bar[0]), scene_q(&s[1], bar[1]), N, 1e-8);
        expect_same(scene_q(&s[0], ball[0]), scene_q(&s[1], ball[1]), 7, 1e-8);
    }
    ck_assert_int_gt(touched, 5);
    for (int e = 0; e < 2; ++e) {
        scene_close(&s[e]);
    }
    free(m);
    free(k);
    free(d);
    free_band(&M);
    free_band(&K);
    free_band(&D);
}
