// Lagrangian systems with constant and with varying mass, against closed forms and a fourth-order
// reference; masses and velocities that end a step.
#include "scene.h"

#include <string.h>

// the same linear system as matrices, as callbacks, and half as each
typedef struct linear {
    int n;
    const double *M, *K, *D, *load;
} linear;

static int linear_mass(void *user, const double *q, double *M)
{
    const linear *l = user;
    memcpy(M, l->M, (size_t)l->n * (size_t)l->n * sizeof *M);
    return 0;
}

static int linear_force(void *user, double t, const double *q, const double *v, double *F)
{
    const linear *l = user;
    for (int i = 0; i < l->n; ++i) {
        F[i] = l->load[i];
        for (int j = 0; j < l->n; ++j) {
            F[i] -= l->K[i + l->n * j] * q[j] + l->D[i + l->n * j] * v[j];
        }
    }
    return 0;
}

static int linear_jacobian(void *user, double t, const double *q, const double *v, double *Fq,
                           double *Fv)
{
    const linear *l = user;
    for (int i = 0; i < l->n * l->n; ++i) {
        Fq[i] = -l->K[i];
        Fv[i] = -l->D[i];
    }
    return 0;
}

// n = 3 and n = 40: elimination by hand and by LAPACK
static void linear_paths(int n)
{
    test_random r = random_seed((uint64_t)n);
    const size_t nn = (size_t)n * (size_t)n;
    double *a = calloc(3 * nn + 3 * (size_t)n, sizeof *a), *M = a, *K = a + nn, *D = a + 2 * nn;
    double *load = a + 3 * nn, *q0 = load + n, *v0 = q0 + n;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
            M[i + n * j] = M[j + n * i] = (i == j ? 3 : 0) + 0.3 * random_normal(&r) / n;
            K[i + n * j] = K[j + n * i] = (i == j ? 50 : 0) + 3 * random_normal(&r) / n;
            D[i + n * j] = D[j + n * i] = (i == j ? 1 : 0) + 0.1 * random_normal(&r) / n;
        }
        load[i] = random_normal(&r);
        q0[i] = random_normal(&r);
        v0[i] = random_normal(&r);
    }
    linear l = {n, M, K, D, load};
    scene s = scene_open();
    s.scheme.newton_tol = 1e-14;
    pcs_lagrangian_def def[4];
    for (int i = 0; i < 4; ++i) {
        def[i] = (pcs_lagrangian_def){.n = n, .q0 = q0, .v0 = v0, .mass = M, .user = &l};
    }
    def[0].stiffness = K;
    def[0].damping = D;
    def[0].load = load;
    def[1].force = linear_force;
    def[1].jacobian = linear_jacobian;
    def[2].mass = NULL;
    def[2].mass_fn = linear_mass;
    def[2].force = linear_force;
    def[3].force = linear_force;
    for (int i = 0; i < 4; ++i) {
        CK_OK(pcs_model_add_lagrangian(s.m, &def[i], NULL));
    }
    scene_start(&s);
    const double steps[3] = {0.01, 0.01, 0.02};
    for (int i = 0; i < 60; ++i) {
        scene_step(&s, steps[i % 3]);
        scene_check_step(&s);
        ck_assert_int_le(s.report.newton_iters, 4);
        for (int k = 1; k < 4; ++k) {
            for (int j = 0; j < n; ++j) {
                CK_NEAR(s.st->q[j + n * k], s.st->q[j], 1e-12);
                CK_NEAR(s.st->v[j + n * k], s.st->v[j], 1e-11);
            }
        }
    }
    free(a);
    scene_close(&s);
}

TEST(matrices_and_callbacks_agree)
{
    linear_paths(1);
    linear_paths(3);
    linear_paths(40);
}

// a mass on a spring under its weight, at rest where the two cancel
TEST(a_hanging_mass_rests)
{
    for (int k = 0; k < 60; ++k) {
        const double mass = 1, stiffness = pow(10, -2 + 0.2 * k), load = -9.81;
        const double q0 = load / stiffness, h = 0.01;
        scene s = scene_open();
        const pcs_lagrangian_def def = {
            .n = 1, .mass = &mass, .stiffness = &stiffness, .load = &load, .q0 = &q0};
        CK_OK(pcs_model_add_lagrangian(s.m, &def, NULL));
        scene_start(&s);
        for (int i = 0; i < 20; ++i) {
            scene_step(&s, h);
            CK_NEAR(s.st->q[0], q0, 1e-12 * fabs(q0));
            ck_assert_int_eq(s.report.newton_iters, 1); // exact for matrices
        }
        scene_close(&s);
    }
}

// an oscillator from rest at 1: q = cos(w t), order 2 for theta = 1/2 and 1 for theta = 1
TEST(an_oscillator)
{
    for (int k = 0; k < 2; ++k) {
        double error[5];
        for (int i = 0; i < 5; ++i) {
            const double mass = 2, stiffness = 18, one = 1, T = 1;
            scene s = scene_open();
            s.scheme.theta = k == 0 ? 0.5 : 1;
            const pcs_lagrangian_def def = {
                .n = 1, .mass = &mass, .stiffness = &stiffness, .q0 = &one};
            CK_OK(pcs_model_add_lagrangian(s.m, &def, NULL));
            scene_start(&s);
            const int n = 50 << i;
            scene_steps(&s, T / n, n);
            error[i] = fabs(s.st->q[0] - cos(3 * T));
            scene_close(&s);
        }
        const double order = observed_order(5, error);
        CK_NEAR(order, k == 0 ? 2 : 1, 0.05);
    }
}

// two points on rods, angles from the vertical: M(q) v' = F(q, v)
typedef struct pendulum {
    double m[2], l[2], g;
} pendulum;

static int pendulum_mass(void *user, const double *q, double *M)
{
    const pendulum *p = user;
    const double c = p->m[1] * p->l[0] * p->l[1] * cos(q[0] - q[1]);
    M[0] = (p->m[0] + p->m[1]) * p->l[0] * p->l[0];
    M[1] = M[2] = c;
    M[3] = p->m[1] * p->l[1] * p->l[1];
    return 0;
}

static int pendulum_force(void *user, double t, const double *q, const double *v, double *F)
{
    const pendulum *p = user;
    const double s = p->m[1] * p->l[0] * p->l[1] * sin(q[0] - q[1]);
    F[0] = -s * v[1] * v[1] - (p->m[0] + p->m[1]) * p->g * p->l[0] * sin(q[0]);
    F[1] = s * v[0] * v[0] - p->m[1] * p->g * p->l[1] * sin(q[1]);
    return 0;
}

static double pendulum_potential(const pendulum *p, const double *q)
{
    return -(p->m[0] + p->m[1]) * p->g * p->l[0] * cos(q[0]) - p->m[1] * p->g * p->l[1] * cos(q[1]);
}

// dv/dt for the reference
static void pendulum_rate(const pendulum *p, const double y[4], double dy[4])
{
    double M[4], F[2];
    pendulum_mass((void *)p, y, M);
    pendulum_force((void *)p, 0, y, y + 2, F);
    const double det = M[0] * M[3] - M[1] * M[2];
    dy[0] = y[2];
    dy[1] = y[3];
    dy[2] = (M[3] * F[0] - M[2] * F[1]) / det;
    dy[3] = (M[0] * F[1] - M[1] * F[0]) / det;
}

TEST(a_double_pendulum)
{
    pendulum p = {{1, 0.5}, {0.7, 0.4}, 9.81};
    const double q0[2] = {1.2, -0.5}, T = 0.8;
    double y[4] = {q0[0], q0[1], 0, 0};
    for (int k = 0; k < 8000; ++k) {
        const double h = T / 8000, at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
        double sum[4] = {0}, dy[4] = {0};
        for (int stage = 0; stage < 4; ++stage) {
            double x[4];
            for (int i = 0; i < 4; ++i) {
                x[i] = y[i] + h * at[stage] * dy[i];
            }
            pendulum_rate(&p, x, dy);
            for (int i = 0; i < 4; ++i) {
                sum[i] += weight[stage] * dy[i];
            }
        }
        for (int i = 0; i < 4; ++i) {
            y[i] += h / 6 * sum[i];
        }
    }
    double error[4], drift[4];
    for (int k = 0; k < 4; ++k) {
        scene s = scene_open();
        const pcs_lagrangian_def def = {
            .n = 2, .q0 = q0, .mass_fn = pendulum_mass, .force = pendulum_force, .user = &p};
        CK_OK(pcs_model_add_lagrangian(s.m, &def, NULL));
        scene_start(&s);
        const int n = 200 << k;
        scene_steps(&s, T / n, n); // the ledger closes at every step, also with M(q)
        error[k] = hypot(s.st->q[0] - y[0], s.st->q[1] - y[1]);
        drift[k] =
            fabs(scene_kinetic(&s) + pendulum_potential(&p, s.st->q) - pendulum_potential(&p, q0));
        scene_close(&s);
    }
    const double order = observed_order(4, error), energy = observed_order(4, drift);
    ck_assert_msg(order > 1.9 && order < 2.1, "order %g (%g ... %g)", order, error[0], error[3]);
    ck_assert_msg(energy > 1.8, "order of the energy %g", energy);
}

static int bad_mass(void *user, const double *q, double *M)
{
    for (int i = 0; i < 4; ++i) {
        M[i] = *(double *)user;
    }
    return *(double *)user < 0 ? 5 : 0;
}

// a NaN, an error, a singular matrix
TEST(a_failing_mass_changes_nothing)
{
    const double answers[3] = {NAN, -1, 1};
    const pcs_status wanted[3] = {PCS_ERR_CALLBACK, PCS_ERR_CALLBACK, PCS_ERR_SINGULAR};
    for (int k = 0; k < 3; ++k) {
        double answer = answers[k];
        scene s = scene_open();
        const pcs_lagrangian_def def = {.n = 2, .mass_fn = bad_mass, .user = &answer};
        CK_OK(pcs_model_add_lagrangian(s.m, &def, NULL));
        scene_start(&s);
        const unsigned long long before = pcs_state_hash(s.st);
        CK_FAILS(pcs_step(s.m, s.st, s.wk, 0.01, NULL), wanted[k]);
        ck_assert(pcs_state_hash(s.st) == before);
        scene_close(&s);
    }
}

// a negative stiffness may cancel the mass: the data are valid, but a step of that length has no
// solution
TEST(a_singular_iteration_matrix)
{
    const double mass = 1, stiffness = -4e4, one = 1;
    scene s = scene_open();
    const pcs_lagrangian_def def = {.n = 1, .mass = &mass, .stiffness = &stiffness, .q0 = &one};
    CK_OK(pcs_model_add_lagrangian(s.m, &def, NULL));
    scene_start(&s);
    for (int accept = 0; accept < 2; ++accept) {
        s.scheme.accept_unconverged = accept;
        CK_OK(pcs_model_set_scheme(s.m, &s.scheme));
        const unsigned long long before = pcs_state_hash(s.st);
        CK_OK(pcs_step(s.m, s.st, s.wk, 0.01, &s.report));
        ck_assert_int_eq(s.report.outcome, PCS_OUTCOME_DIVERGED);
        ck_assert(!s.report.committed && pcs_state_hash(s.st) == before);
        CK_SAYS(pcs_step(s.m, s.st, s.wk, 0.01, NULL), PCS_ERR_STEP, "iteration matrix");

        // other steps succeed, and the same one diverges again
        scene_step(&s, 0.005);
    }
    s.scheme.halvings = 1;
    CK_OK(pcs_model_set_scheme(s.m, &s.scheme));
    CK_OK(pcs_step(s.m, s.st, s.wk, 0.01, &s.report));
    ck_assert(s.report.committed && s.report.substeps == 2);
    scene_close(&s);
}

// |v|^power at 1 m/s and above
static int drag(void *user, double t, const double *q, const double *v, double *F)
{
    for (int i = 0; i < 6; ++i) {
        F[i] = -v[i] * pow(fabs(v[i]), *(double *)user - 1);
    }
    return 0;
}

static int no_slope(void *user, double t, const double *q, const double *v, double *Fq, double *Fv)
{
    memset(Fq, 0, 42 * sizeof *Fq);
    memset(Fv, 0, 36 * sizeof *Fv);
    return 0;
}

// A light fast body whose drag has no Jacobian, so that iterates square the speed, or raise it to a
// power at which the drag overflows before the speed does: with a contact, a joint, and free. The
// data are valid: the step ends without an error; its parts succeed; or it is accepted.
TEST(velocities_that_run_off_end_a_step)
{
    for (int run = 0; run < 18; ++run) {
        const int k = run % 9;
        double power = run < 9 ? 2 : 9;
        scene s = scene_open();
        s.scheme.halvings = k % 3 == 1 ? 18 : 0;
        s.scheme.accept_unconverged = k % 3 == 2;
        pcs_body_def def = pcs_body_def_of_inertia(pcs_inertia_sphere(1e-4, 0.1));
        def.velocity[0] = run < 9 ? 100 : 2;
        def.force = drag;
        def.jacobian = no_slope;
        def.user = &power;
        const pcs_system ball = scene_add(&s, &def);
        if (k / 3 == 0) {
            const pcs_shape ground = pcs_shape_half_space((double[]){0, 0, 1}, -0.1);
            scene_rough(&s, (pcs_system){0}, ground, 0, 0, 0.5);
            scene_rough(&s, ball, pcs_shape_sphere(0.1), 0, 0, 0.5);
        } else if (k / 3 == 1) {
            const double arm[3] = {0, 0, 1}, anchor[3] = {0, 0, 1};
            const pcs_interaction_def joint = {
                pcs_relation_ball_joint(arm, anchor), pcs_law_equality(), ball, {0}};
            CK_OK(pcs_model_add_interaction(s.m, &joint, NULL));
        }
        scene_start(&s);
        const unsigned long long before = pcs_state_hash(s.st);
        CK_OK(pcs_step(s.m, s.st, s.wk, 0.01, &s.report));
        ck_assert_int_eq(s.report.outcome,
                         k % 3 == 1 ? PCS_OUTCOME_CONVERGED : PCS_OUTCOME_DIVERGED);
        ck_assert(s.report.committed == (k % 3 != 0));
        ck_assert((pcs_state_hash(s.st) == before) == (k % 3 == 0));
        for (int i = 0; i < 6; ++i) {
            ck_assert(isfinite(s.st->v[i]) && fabs(s.st->v[i]) <= 1e6);
        }
        if (k % 3 == 0) {
            CK_FAILS(pcs_step(s.m, s.st, s.wk, 0.01, NULL), PCS_ERR_STEP);
            const bool said = strstr(pcs_error_text(), "not finite") != NULL;
            // a joint may increase the speed beyond the range before the drag
            if (k / 3 == 2) ck_assert_msg(said == (run >= 9), "%s", pcs_error_text());
        }
        const pcs_contact *contact;
        if (k % 3 != 0 && k / 3 == 0) ck_assert_int_eq(scene_contacts(&s, &contact), 1);
        scene_close(&s);
    }
}
