// The multiplier that keeps |Q| = 1: closed form, drift with and without stabilisation, and the
// motion of a free body.
#include "smooth.h"
#include "support.h"

#include <percuss/rotation.h>
#include <percuss/smooth.h>

#include "linalg/lu.h"
#include "linalg/m3.h"

static double dot(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

// consistent: |Q| = 1 and Q' = Q (x) (0, omega) / 2
static pcs_quaternion_norm_motion consistent(test_random *r)
{
    pcs_quaternion_norm_motion m;
    random_quaternion(r, m.Q);
    for (int i = 0; i < 3; ++i) {
        m.V[i] = random_normal(r);
        m.Vdot[i] = random_normal(r);
        m.omega[i] = random_normal(r);
        m.omega_dot[i] = random_normal(r);
    }
    const double W[4] = {0, m.omega[0], m.omega[1], m.omega[2]};
    pcs_quat_mul(m.Q, W, m.Qdot);
    for (int i = 0; i < 4; ++i) {
        m.Qdot[i] *= 0.5;
    }
    pcs_quat_rotate(m.Q, m.V, m.Xdot);
    return m;
}

static pcs_quaternion_norm_motion anything(test_random *r)
{
    pcs_quaternion_norm_motion m = consistent(r);
    for (int i = 0; i < 4; ++i) {
        m.Q[i] *= 1.3;
        m.Qdot[i] += random_normal(r);
    }
    return m;
}

TEST(lambda_vanishes_on_consistent_data)
{
    test_random r = random_seed(1);
    for (int k = 0; k < 200; ++k) {
        const pcs_quaternion_norm_motion m = consistent(&r);
        const double size = 1 + dot(3, m.omega, m.omega) + dot(3, m.omega_dot, m.omega_dot);
        for (int alpha = 0; alpha <= 2; ++alpha) {
            double x[15];
            CK_OK(pcs_quaternion_norm_solve(&m, alpha, x));
            CK_NEAR(x[14], 0, 1e-15 * size);
            CK_NEAR(pcs_quaternion_norm_lambda(&m, alpha), 0, 1e-15 * size);
        }
    }
}

TEST(closed_form_is_the_solution)
{
    test_random r = random_seed(2);
    for (int k = 0; k < 200; ++k) {
        const pcs_quaternion_norm_motion m = anything(&r);
        const double alpha = k % 4;
        double A[225], b[15], x[15];
        pcs_quaternion_norm_fill(&m, alpha, A, b);
        CK_OK(pcs_quaternion_norm_solve(&m, alpha, x));
        const double lambda = pcs_quaternion_norm_lambda(&m, alpha);
        CK_NEAR(x[14], lambda, 2e-15 * (fabs(lambda) + dot(15, b, b)));
        // the whole system, and psi'' + 2 alpha psi' + alpha^2 psi = 0
        for (int i = 0; i < 15; ++i) {
            double sum = -b[i];
            for (int j = 0; j < 15; ++j) {
                sum += A[i + 15 * j] * x[j];
            }
            CK_NEAR(sum, 0, 1e-14 * (1 + dot(15, b, b)));
        }
        const double psi = 0.5 * (dot(4, m.Q, m.Q) - 1), rate = dot(4, m.Q, m.Qdot);
        const double second = dot(4, m.Q, x + 3) + dot(4, m.Qdot, m.Qdot);
        CK_NEAR(second + 2 * alpha * rate + alpha * alpha * psi, 0, 1e-13 * (1 + dot(15, b, b)));
        for (int i = 0; i < 3; ++i) {
            ck_assert_double_eq(x[7 + i], m.Xdot[i]);
        }
    }
}

// X'' = R (V' + omega x V) on consistent data
TEST(the_acceleration_is_that_of_the_body_frame)
{
    test_random r = random_seed(3);
    for (int k = 0; k < 100; ++k) {
        const pcs_quaternion_norm_motion m = consistent(&r);
        double x[15], carried[3], a[3];
        CK_OK(pcs_quaternion_norm_solve(&m, 0, x));
        v3_cross(m.omega, m.V, carried);
        v3_along(carried, 1, m.Vdot, carried);
        pcs_quat_rotate(m.Q, carried, a);
        expect_same(x, a, 3, 1e-14 * (1 + v3_norm(a)));
    }
}

// ---- drift

typedef struct faulty {
    const pcs_quaternion_norm_body *body;
    pcs_ode ode;
} faulty;

// the slide's phi = Q.Q - 1 with A = Q^T (E-20): Baumgarte's alpha^2 phi is twice too large
static int slide(void *user, double t, const double *x, double *dxdt)
{
    const faulty *f = user;
    if (f->ode.f(f->ode.user, t, x, dxdt) != 0) return 1;
    const double *Q = x + 3, square = dot(4, Q, Q), alpha = f->body->alpha;
    // lambda moves Q'' along Q: lambda += -alpha^2 psi / Q.Q
    for (int i = 0; i < 4; ++i) {
        dxdt[10 + i] -= alpha * alpha * 0.5 * (square - 1) / square * Q[i];
    }
    return 0;
}

static void run(const pcs_ode *ode, double t_end, const double *x0, double *x)
{
    pcs_ode_opts opts = pcs_ode_opts_default();
    opts.rtol = 1e-12;
    opts.atol = 1e-14;
    pcs_integrator *run = smooth_run(ode, &opts, 0, x0);
    CK_OK(pcs_integrator_advance(run, t_end, NULL));
    memcpy(x, pcs_integrator_x(run), (size_t)ode->n * sizeof *x);
    pcs_integrator_destroy(run);
}

// a free body whose quaternion starts with psi' = 1e-3
static void start(double rate, double x[14])
{
    test_random r = random_seed(4);
    const pcs_quaternion_norm_motion m = consistent(&r);
    memset(x, 0, 14 * sizeof *x);
    memcpy(x + 3, m.Q, sizeof m.Q);
    memcpy(x + 7, m.Xdot, sizeof m.Xdot);
    for (int i = 0; i < 4; ++i) {
        x[10 + i] = m.Qdot[i] + rate * m.Q[i];
    }
}

TEST(psi_drifts_without_alpha_and_decays_with_it)
{
    pcs_quaternion_norm_body body = {.mass = 2, .inertia = {1, 0, 0, 0, 2, 0, 0, 0, 2.5}};
    const double rate = 1e-3, t = 20;
    for (int alpha = 0; alpha <= 2; ++alpha) {
        body.alpha = alpha;
        pcs_ode ode;
        CK_OK(pcs_quaternion_norm_ode(&body, &ode));
        double x0[14], x[14];
        start(rate, x0);
        run(&ode, t, x0, x);
        const double psi = 0.5 * (dot(4, x + 3, x + 3) - 1);
        CK_NEAR(psi, rate * t * exp(-alpha * t), 1e-10);
    }
    // with the slide's constraint the roots are -1 +- i, not a double -1
    body.alpha = 1;
    faulty f = {&body, {0}};
    CK_OK(pcs_quaternion_norm_ode(&body, &f.ode));
    const pcs_ode ode = {.n = 14, .f = slide, .user = &f};
    for (int k = 1; k <= 4; ++k) {
        double x0[14], x[14];
        start(rate, x0);
        run(&ode, k, x0, x);
        CK_NEAR(0.5 * (dot(4, x + 3, x + 3) - 1), rate * exp(-k) * sin(k), 1e-11);
    }
}

// omega of the second-order form obeys Euler's equations. A drift of |Q| slows it: f_Q has no term
// for it, so that omega |Q| is constant. X still moves in a straight line
TEST(the_motion_is_that_of_a_free_body)
{
    pcs_quaternion_norm_body body = {.mass = 2, .inertia = {1, 0, 0, 0, 2, 0, 0, 0, 2.5}};
    pcs_ode ode;
    CK_OK(pcs_quaternion_norm_ode(&body, &ode));
    for (int drifting = 0; drifting < 2; ++drifting) {
        double x0[14], x[14], v0[6], v[6], L0[3], L[3], Jw[3];
        start(drifting ? 1e-3 : 0, x0);
        run(&ode, 5, x0, x);
        pcs_body_velocity(x0, x0 + 7, v0);
        pcs_body_velocity(x, x + 7, v);
        m3_mul(body.inertia, v0 + 3, Jw);
        pcs_quat_rotate(x0 + 3, Jw, L0);
        const double energy0 = v3_dot(Jw, v0 + 3);
        m3_mul(body.inertia, v + 3, Jw);
        pcs_quat_rotate(x + 3, Jw, L);
        const double square = dot(4, x + 3, x + 3), size = sqrt(square);
        CK_NEAR(square, drifting ? 1.01 : 1, 1e-9);
        CK_NEAR(v3_dot(Jw, v + 3) * square, energy0, 1e-9);
        for (int i = 0; i < 3; ++i) {
            CK_NEAR(L[i] * size, L0[i], 1e-9);
            CK_NEAR(x[i], 5 * x0[7 + i], 1e-9);
        }
    }
}

TEST(bad_input_is_refused)
{
    pcs_quaternion_norm_motion m = {.Qdot = {1}};
    double x[15];
    CK_FAILS(pcs_quaternion_norm_solve(&m, 0, x), PCS_ERR_SINGULAR);
    m.Q[0] = NAN;
    CK_FAILS(pcs_quaternion_norm_solve(&m, 0, x), PCS_ERR_ARG);
    m.Q[0] = 0;
    CK_FAILS(pcs_quaternion_norm_solve(NULL, 0, x), PCS_ERR_ARG);
    m.Q[0] = 1;
    m.Vdot[0] = NAN;
    CK_FAILS(pcs_quaternion_norm_solve(&m, 0, x), PCS_ERR_ARG);
    pcs_quaternion_norm_body body = {.mass = -1};
    pcs_ode ode;
    CK_FAILS(pcs_quaternion_norm_ode(&body, &ode), PCS_ERR_ARG);
    CK_FAILS(pcs_quaternion_norm_ode(NULL, &ode), PCS_ERR_ARG);
}
