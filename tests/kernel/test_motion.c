// Motion without contact: free flight, the gyroscopic term, force callbacks, Lagrangian systems
// with constant and with varying mass, against closed forms and a fourth-order reference.
#include "scene.h"

#include <percuss/force.h>
#include <percuss/joint.h>

#include <string.h>

#include "linalg/m3.h"

// ---- free flight --------------------------------------------------------------------------------

// theta = 1/2 is exact for a parabola, whatever the step
TEST(a_parabola_is_exact)
{
    scene s = scene_open();
    const double x[3] = {1, 2, 3}, v[3] = {3, -1, 4};
    const pcs_system ball = scene_ball(&s, 2.5, 0.1, x, v);
    scene_start(&s);
    const double steps[4] = {0.1, 0.25, 0.01, 0.003};
    double t = 0;
    for (int i = 0; i < 40; ++i) {
        scene_step(&s, steps[i % 4]);
        t += steps[i % 4];
        CK_NEAR(s.st->t, t, 0);
        CK_NEAR(scene_q(&s, ball)[0], 1 + 3 * t, 1e-13 * (1 + 3 * t));
        CK_NEAR(scene_q(&s, ball)[2], 3 + 4 * t - 0.5 * 9.81 * t * t, 1e-13 * (10 + 20 * t * t));
        CK_NEAR(scene_v(&s, ball)[2], 4 - 9.81 * t, 1e-13 * (4 + 10 * t));
        CK_NEAR(s.report.energy.integrator, 0, 1e-12);
        scene_check_step(&s);
        ck_assert_int_eq(s.report.newton_iters, 1);
        ck_assert_int_eq(s.report.solves, 0);
    }
    scene_close(&s);
}

// one step of the two schemes: x' = x + h (theta v' + (1 - theta) v)
TEST(theta_weighs_the_velocities)
{
    for (int k = 0; k <= 4; ++k) {
        scene s = scene_open();
        s.scheme.theta = 0.25 * k;
        scene_ball(&s, 1, 0.1, (double[3]){0, 0, 0}, (double[3]){0, 0, 1});
        scene_start(&s);
        const double h = 0.1, v1 = 1 - 9.81 * h;
        scene_step(&s, h);
        CK_NEAR(s.st->v[2], v1, 1e-15);
        CK_NEAR(s.st->q[2], h * (0.25 * k * v1 + (1 - 0.25 * k)), 1e-16);
        scene_check_step(&s);
        scene_close(&s);
    }
}

// constant rotation about a principal axis: exact with the exponential, 2 atan(h w / 2) without
TEST(both_updates_of_the_quaternion)
{
    const double h = 0.02, w = 9;
    for (int k = 0; k < 2; ++k) {
        scene s = scene_open();
        s.scheme.update = k == 0 ? PCS_QUAT_UPDATE_EXP : PCS_QUAT_UPDATE_ADD;
        const double edges[3] = {0.1, 0.2, 0.3}, o[3] = {0}, omega[3] = {0, 0, w};
        scene_box(&s, 1, edges, o, NULL, NULL, omega);
        scene_start(&s);
        scene_steps(&s, h, 10);
        const double angle = 10 * (k == 0 ? h * w : 2 * atan(h * w / 2));
        CK_NEAR(s.st->q[3], cos(angle / 2), 1e-13);
        CK_NEAR(s.st->q[6], sin(angle / 2), 1e-13);
        scene_close(&s);
    }
}

// d(Q, w)/dt of the torque-free body by classical Runge-Kutta with fine steps
static void reference_rate(const double J[9], const double y[7], double dy[7])
{
    const double Jw[3] = {J[0] * y[4], J[4] * y[5], J[8] * y[6]};
    const double half[4] = {0, 0.5 * y[4], 0.5 * y[5], 0.5 * y[6]};
    double torque[3];
    pcs_quat_mul(y, half, dy);
    v3_cross(Jw, y + 4, torque);
    for (int i = 0; i < 3; ++i) {
        dy[4 + i] = torque[i] / J[4 * i];
    }
}

static void reference_top(const double J[9], double T, int n, double y[7])
{
    const double h = T / n, at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
    for (int k = 0; k < n; ++k) {
        double sum[7] = {0}, dy[7] = {0};
        for (int stage = 0; stage < 4; ++stage) {
            double x[7];
            for (int i = 0; i < 7; ++i) {
                x[i] = y[i] + h * at[stage] * dy[i];
            }
            reference_rate(J, x, dy);
            for (int i = 0; i < 7; ++i) {
                sum[i] += weight[stage] * dy[i];
            }
        }
        for (int i = 0; i < 7; ++i) {
            y[i] += h / 6 * sum[i];
        }
    }
}

// the asymmetric body rotates about its middle axis, which is unstable; errors of orientation,
// velocity, energy and angular momentum all fall with the square of the step for theta = 1/2, else
// in proportion to the step
static void torque_free(double theta, pcs_quat_update update, double lowest, double highest)
{
    const double edges[3] = {0.3, 0.2, 0.1}, x[3] = {1, 2, 3}, w[3] = {0.1, 6, 0.2}, T = 1;
    double J[9], y[7] = {0.8, 0, 0.6, 0, w[0], w[1], w[2]};
    memcpy(J, pcs_inertia_box(2, edges[0], edges[1], edges[2]).J, sizeof J);
    reference_top(J, T, 4000, y);
    double error[4], drift[4];
    for (int k = 0; k < 4; ++k) {
        scene s = scene_open();
        s.scheme.theta = theta;
        s.scheme.update = update;
        scene_gravity(&s, 0, 0, 0);
        scene_box(&s, 2, edges, x, (double[4]){0.8, 0, 0.6, 0}, NULL, w);
        scene_start(&s);
        double L0[3], L1[3];
        const double K0 = scene_kinetic(&s);
        CK_OK(pcs_state_momentum(s.m, s.st, NULL, L0));
        const int n = 80 << k;
        scene_steps(&s, T / n, n);
        CK_OK(pcs_state_momentum(s.m, s.st, NULL, L1));
        v3_sub(L1, L0, L1);
        drift[k] = v3_norm(L1) / v3_norm(L0) + fabs(scene_kinetic(&s) / K0 - 1);

        double sum = 0;
        for (int i = 0; i < 4; ++i) {
            sum += (s.st->q[3 + i] - y[i]) * (s.st->q[3 + i] - y[i]);
        }
        for (int i = 0; i < 3; ++i) {
            sum += 0.01 * (s.st->v[3 + i] - y[4 + i]) * (s.st->v[3 + i] - y[4 + i]);
        }
        error[k] = sqrt(sum);
        for (int i = 0; i < 3; ++i) {
            ck_assert(s.st->q[i] == x[i]);
        }
        scene_close(&s);
    }
    const double p = observed_order(4, error), pd = observed_order(4, drift);
    ck_assert_msg(p > lowest && p < highest, "order %g (errors %g ... %g)", p, error[0], error[3]);
    ck_assert_msg(pd > lowest, "order of the drift %g (%g ... %g)", pd, drift[0], drift[3]);
}

TEST(a_torque_free_body)
{
    torque_free(0.5, PCS_QUAT_UPDATE_EXP, 1.95, 2.05);
    torque_free(0.5, PCS_QUAT_UPDATE_ADD, 1.95, 2.05);
    torque_free(1, PCS_QUAT_UPDATE_EXP, 0.9, 1.1);
    torque_free(0.7, PCS_QUAT_UPDATE_ADD, 0.9, 1.1);
}

// ---- forces on bodies ---------------------------------------------------------------------------

// a spring from the point p of the body to the inertial origin, and a drag
typedef struct spring {
    double k, drag, p[3];
    int calls, jacobians;
    int bad; // result 1: an error, 2: a NaN
    double bad_from;
} spring;

static int spring_force(void *user, double t, const double q[7], const double v[6], double F[6])
{
    spring *s = user;
    s->calls += 1;
    double a[3], f[3], moment[3], R[9];
    pcs_quat_to_matrix(q + 3, R);
    m3_mul(R, s->p, a);
    for (int i = 0; i < 3; ++i) {
        f[i] = -s->k * (q[i] + a[i]);
    }
    v3_cross(a, f, moment);
    m3_mul_t(R, moment, F + 3);
    for (int i = 0; i < 3; ++i) {
        F[i] = f[i] - s->drag * v[i];
    }
    if (s->bad == 1 && t >= s->bad_from) return 7;
    if (s->bad == 2 && t >= s->bad_from) F[4] = NAN;
    return 0;
}

// derivatives of a spring at G: -k and -drag
static int spring_jacobian(void *user, double t, const double q[7], const double v[6],
                           double dFdq[42], double dFdv[36])
{
    spring *s = user;
    s->jacobians += 1;
    for (int i = 0; i < 3; ++i) {
        dFdq[i + 6 * i] = -s->k;
        dFdv[i + 6 * i] = -s->drag;
    }
    return 0;
}

static int spring_potential(void *user, const double *q, double *V)
{
    const spring *s = user;
    double a[3];
    pcs_quat_rotate(q + 3, s->p, a);
    *V = 0;
    for (int i = 0; i < 3; ++i) {
        *V += 0.5 * s->k * (q[i] + a[i]) * (q[i] + a[i]);
    }
    return 0;
}

static void open_spring(scene *s, spring *k, bool jacobian, bool potential)
{
    *s = scene_open();
    scene_gravity(s, 0, 0, 0);
    pcs_body_def def = pcs_body_def_of_inertia(pcs_inertia_box(2, 0.3, 0.2, 0.1));
    def.position[0] = 1;
    def.velocity[1] = 2;
    def.omega[2] = 0.5;
    def.force = spring_force;
    if (jacobian) def.jacobian = spring_jacobian;
    if (potential) def.potential = spring_potential;
    def.user = k;
    CK_OK(pcs_model_add_body(s->m, &def, NULL));
}

// an ellipse: x = cos(w t), y = 2/w sin(w t)
TEST(a_spring_is_an_ellipse)
{
    for (int jacobian = 0; jacobian < 2; ++jacobian) {
        double error[4];
        for (int k = 0; k < 4; ++k) {
            spring p = {.k = 18};
            scene s;
            open_spring(&s, &p, jacobian, true);
            scene_start(&s);
            const double w = 3, T = 1.3;
            const int n = 40 << k;
            const double E0 = scene_kinetic(&s) + scene_potential(&s);
            for (int i = 0; i < n; ++i) {
                scene_step(&s, T / n);
                scene_check_step(&s);
                ck_assert(s.report.energy.forces == 0);

                // linear: one iteration with the exact matrix, few with differences
                ck_assert_int_le(s.report.newton_iters, jacobian ? 2 : 4);
            }
            ck_assert((p.jacobians > 0) == (jacobian == 1));
            error[k] = hypot(s.st->q[0] - cos(w * T), s.st->q[1] - 2 / w * sin(w * T));

            // trapezoid: the energy of a linear spring is kept to rounding
            CK_NEAR(scene_kinetic(&s) + scene_potential(&s), E0, 1e-10 * E0);
            scene_close(&s);
        }
        const double order = observed_order(4, error);
        ck_assert_msg(order > 1.95 && order < 2.05, "order %g", order);
    }
}

// off the centre the spring rotates the body: the ledger contains the work, and the energy error
// has its order
TEST(a_spring_off_the_centre)
{
    double drift[4];
    for (int k = 0; k < 4; ++k) {
        spring p = {.k = 40, .p = {0.3, 0.1, -0.2}};
        scene s;
        open_spring(&s, &p, false, true);
        scene_start(&s);
        const double E0 = scene_kinetic(&s) + scene_potential(&s);
        const int n = 100 << k;
        double work = 0;
        for (int i = 0; i < n; ++i) {
            scene_step(&s, 1.0 / n);
            scene_check_step(&s);
            work += s.report.energy.conservative + s.report.energy.gyroscopic;
            CK_NEAR(s.report.energy.potential_after, scene_potential(&s), 1e-13 * E0);
        }
        CK_NEAR(scene_kinetic(&s) - work, E0 - p.k * 0.5 * (1.69 + 0.01 + 0.04), 1e-9 * E0);
        drift[k] = fabs(scene_kinetic(&s) + scene_potential(&s) - E0);
        scene_close(&s);
    }
    const double order = observed_order(4, drift);
    ck_assert_msg(order > 1.8, "order %g", order);
}

// a stiff spring, far beyond the step size of an explicit scheme
TEST(a_stiff_spring_stays)
{
    spring p = {.k = 1e10, .drag = 1e3};
    scene s;
    open_spring(&s, &p, true, true);
    s.scheme.theta = 1;
    scene_start(&s);
    double E = scene_kinetic(&s) + scene_potential(&s);
    for (int i = 0; i < 50; ++i) {
        scene_step(&s, 0.01);
        scene_check_step(&s);
        const double E1 = scene_kinetic(&s) + scene_potential(&s);
        ck_assert(E1 <= E * (1 + 1e-14));
        E = E1;
    }
    CK_NEAR(s.st->q[0], 0, 1e-9);
    CK_NEAR(s.st->q[1], 0, 1e-9);
    scene_close(&s);
}

// a body that hangs at rest: the forces cancel to rounding, and the iteration must not act on this
// rounding
TEST(an_equilibrium_is_kept)
{
    for (int k = 0; k < 60; ++k) {
        const double stiffness = pow(10, -2 + 0.2 * k);
        spring p = {.k = stiffness};
        scene s;
        open_spring(&s, &p, k % 2 == 0, k % 3 == 0);
        scene_gravity(&s, 1, 2, -9.81);
        scene_start(&s);
        const double g[3] = {1, 2, -9.81};
        for (int i = 0; i < 3; ++i) {
            s.st->q[i] = 2 * g[i] / stiffness;
            s.st->v[i] = 0;
        }
        s.st->v[5] = 0;
        for (int i = 0; i < 20; ++i) {
            scene_step(&s, 0.01);
            ck_assert_int_le(s.report.newton_iters, 12);
        }
        for (int i = 0; i < 3; ++i) {
            CK_NEAR(s.st->q[i], 2 * g[i] / stiffness, 1e-11 * 20 / stiffness);
        }
        scene_close(&s);
    }
}

// F = -k x^3 e_x: with its Jacobian Newton doubles the number of correct digits
static int cubic_force(void *user, double t, const double q[7], const double v[6], double F[6])
{
    F[0] = -*(double *)user * q[0] * q[0] * q[0];
    return 0;
}

static int cubic_jacobian(void *user, double t, const double q[7], const double v[6],
                          double dFdq[42], double dFdv[36])
{
    dFdq[0] = -3 * *(double *)user * q[0] * q[0];
    return 0;
}

TEST(newton_converges_quadratically)
{
    double residual[6], k = 2000;
    for (int most = 1; most <= 6; ++most) {
        scene s = scene_open();
        scene_gravity(&s, 0, 0, 0);
        s.scheme.newton_max = most;
        s.scheme.newton_tol = 1e-300;
        s.scheme.accept_unconverged = true;
        pcs_body_def def = pcs_body_def_default();
        def.position[0] = 1;
        def.force = cubic_force;
        def.jacobian = cubic_jacobian;
        def.user = &k;
        CK_OK(pcs_model_add_body(s.m, &def, NULL));
        scene_start(&s);
        scene_step(&s, 0.05);
        residual[most - 1] = s.report.newton_residual;
        scene_close(&s);
    }
    // slope of log(next) over log(this) while above rounding
    int seen = 0;
    for (int i = 1; i + 1 < 6; ++i) {
        if (residual[i] > 0.1 || residual[i + 1] < 1e-13) continue;
        const double slope = log(residual[i + 1]) / log(residual[i]);
        ck_assert_msg(slope > 1.6, "residuals %g, %g", residual[i], residual[i + 1]);
        seen += 1;
    }
    ck_assert_int_ge(seen, 1);
    ck_assert(residual[5] < 1e-13);
}

// ---- when the iterates end ----------------------------------------------------------------------

enum { TUMBLES, BALL_ON_SPRING, ON_BUSHING, ON_BALL_JOINT, SMALL_MOTIONS };

// A body of 1 g that moves in one of these ways; lengths are multiples of a, and V is the velocity
// of the frame
static pcs_system small_motion(scene *s, int which, double a, double V)
{
    const double mass = 1e-3, edges[3] = {0.01 * a, 0.02 * a, 0.03 * a};
    const double x[3] = {which == BALL_ON_SPRING ? 0.1 * a : 0, 0, 0}, omega[3] = {0.1, 20, 0.1};
    const double v[3] = {V, which == BALL_ON_SPRING ? 3 * a : 0, 0};
    const pcs_system b = scene_box(s, mass, edges, x, NULL, v, omega);
    pcs_force_def element = pcs_force_def_default(PCS_FORCE_SPRING);
    element.system1 = b;
    element.stiffness = 1e4 * mass;
    element.length = 0.1 * a;
    pcs_force_def bushing = pcs_force_def_default(PCS_FORCE_BUSHING);
    bushing.system1 = b;
    for (int i = 0; i < 6; ++i) {
        bushing.K[7 * i] = i < 3 ? 1e4 * mass : mass * a * a;
    }
    bushing.K[1] = bushing.K[6] = 3e3 * mass;
    pcs_joint_def ball = pcs_joint_def_default(PCS_JOINT_BALL);
    ball.system1 = b;
    ball.point1[0] = ball.point2[0] = 0.05 * a;
    if (which == BALL_ON_SPRING) CK_OK(pcs_model_add_force(s->m, &element, NULL));
    if (which == ON_BUSHING) CK_OK(pcs_model_add_force(s->m, &bushing, NULL));
    if (which == ON_BALL_JOINT) CK_OK(pcs_model_add_joint(s->m, &ball, NULL));
    return b;
}

// a heavy body that flies past and touches nothing changes no bit
TEST(a_stranger_does_not_decide_when_newton_ends)
{
    for (int which = 0; which < SMALL_MOTIONS; ++which) {
        double end[2][6];
        for (int k = 0; k < 2; ++k) {
            scene s = scene_open();
            scene_gravity(&s, 0, 0, 0);
            const pcs_system b = small_motion(&s, which, 1, 0);
            const double x[3] = {0, 50, 0}, v[3] = {0, 0, 30};
            if (k == 1) scene_ball(&s, 1e5, 1, x, v);
            scene_start(&s);
            for (int i = 0; i < 200; ++i) {
                scene_step(&s, 2e-3);
            }
            memcpy(end[k], scene_v(&s, b), sizeof end[k]);
            scene_close(&s);
        }
        ck_assert_msg(memcmp(end[0], end[1], sizeof end[0]) == 0, "motion %d: %.17g, %.17g", which,
                      end[0][4], end[1][4]);
    }
}

// Nor do the units of length and mass, and the velocity of the frame: powers of two leave the bits
// of a rotation as they are
TEST(no_unit_and_no_frame_decides_when_newton_ends)
{
    for (int which = 0; which < SMALL_MOTIONS; ++which) {
        double end[4][3];
        for (int k = 0; k < 4; ++k) {
            if (k == 3 && which != TUMBLES) continue; // the others are held by the world
            scene s = scene_open();
            scene_gravity(&s, 0, 0, 0);
            const pcs_system b =
                small_motion(&s, which, ldexp(1, k == 3 ? 0 : -10 * k), k == 3 ? 1000 : 0);
            scene_start(&s);
            scene_steps(&s, 2e-3, 200);
            memcpy(end[k], scene_v(&s, b) + 3, sizeof end[k]);
            scene_close(&s);
            ck_assert_msg(memcmp(end[0], end[k], sizeof end[0]) == 0, "motion %d, %d: %.17g, %.17g",
                          which, k, end[0][1], end[k][1]);
        }
    }
}

// a pendulum, and beside it a coordinate with another unit of length that is pushed
static int pendulum_force(void *user, double t, const double *q, const double *v, double *F)
{
    F[0] = -1e-3 * sin(q[0]);
    F[1] = *(double *)user;
    return 0;
}

TEST(no_unit_of_a_coordinate_decides_when_newton_ends)
{
    double end[3];
    for (int k = 0; k < 3; ++k) {
        const double unit = ldexp(1, 20 * (k - 1)); // of the second coordinate, 1/m
        double push = 1e-2 / unit;
        scene s = scene_open();
        const pcs_lagrangian_def def = {.n = 2,
                                        .q0 = (double[]){1, 0},
                                        .v0 = (double[]){0, unit},
                                        .mass = (double[]){1e-4, 0, 0, 1 / (unit * unit)},
                                        .force = pendulum_force,
                                        .user = &push};
        scene_add_lagrangian(&s, &def);
        scene_start(&s);
        scene_steps(&s, 5e-3, 100);
        end[k] = s.st->v[0];
        scene_close(&s);
        ck_assert_msg(end[k] == end[0], "%d: %.17g, %.17g", k, end[0], end[k]);
    }
}

// Free flight takes one iterate in any frame: a residual that is rounding of M v is none
TEST(rounding_of_the_velocity_is_no_residual)
{
    for (int k = 0; k < 4; ++k) {
        const double V = k == 0 ? 0 : pow(10, 2 * k), edges[3] = {0.1, 0.2, 0.5};
        scene s = scene_open();
        scene_box(&s, 1, edges, (double[3]){0}, NULL, (double[3]){V, V, 0}, (double[3]){0, 0, 300});
        scene_start(&s);
        for (int i = 0; i < 50; ++i) {
            scene_step(&s, 1e-3);
            ck_assert_int_eq(s.report.newton_iters, 1);
        }
        scene_close(&s);
    }
}

TEST(a_failing_force_changes_nothing)
{
    for (int bad = 1; bad <= 2; ++bad) {
        for (int late = 0; late < 2; ++late) {
            spring p = {.k = 18, .p = {0.1, 0, 0}};
            scene s;
            open_spring(&s, &p, false, false);
            scene_start(&s);
            for (int i = 0; i < 5; ++i) {
                scene_step(&s, 0.01);
            }
            const unsigned long long before = pcs_state_hash(s.st);

            // the callback fails at the start of the step, or only at its end
            p.bad = bad;
            p.bad_from = s.st->t + 0.005 * late;
            CK_SAYS(pcs_step(s.m, s.st, s.wk, 0.01, &s.report), PCS_ERR_CALLBACK,
                    bad == 1 ? "7" : "not finite");
            ck_assert(pcs_state_hash(s.st) == before);
            pcs_run_report report;
            CK_FAILS(pcs_run(s.m, s.st, s.wk, 0.01, 1, NULL, NULL, &report), PCS_ERR_CALLBACK);
            ck_assert(pcs_state_hash(s.st) == before);
            ck_assert_int_eq(report.steps, 0);

            // the run continues when the force works again
            p.bad = 0;
            scene_step(&s, 0.01);
            scene_close(&s);
        }
    }
}

static int bad_jacobian(void *user, double t, const double q[7], const double v[6], double dFdq[42],
                        double dFdv[36])
{
    if (*(double *)user > 0) dFdq[5] = INFINITY;
    return *(double *)user > 0 ? 0 : 3;
}

static int bad_potential(void *user, const double *q, double *V)
{
    *V = NAN;
    return *(double *)user > 0 ? 0 : 3;
}

TEST(failing_jacobians_and_potentials_too)
{
    for (int k = 0; k < 4; ++k) {
        double number = k % 2 == 0 ? 1 : -1, energy;
        scene s = scene_open();
        pcs_body_def def = pcs_body_def_default();
        def.force = cubic_force;
        if (k < 2) def.jacobian = bad_jacobian;
        if (k >= 2) def.potential = bad_potential;
        def.user = &number;
        CK_OK(pcs_model_add_body(s.m, &def, NULL));
        scene_start(&s);
        const unsigned long long before = pcs_state_hash(s.st);
        CK_FAILS(pcs_step(s.m, s.st, s.wk, 0.01, NULL), PCS_ERR_CALLBACK);
        ck_assert(pcs_state_hash(s.st) == before);
        if (k >= 2) CK_FAILS(pcs_state_potential_energy(s.m, s.st, &energy), PCS_ERR_CALLBACK);
        scene_close(&s);
    }
}

// a Newton loop that cannot converge: the state does not change unless the scheme accepts the step
TEST(an_unconverged_loop_is_an_outcome)
{
    for (int accept = 0; accept < 2; ++accept) {
        double k = 2000;
        scene s = scene_open();
        s.scheme.newton_max = 1;
        s.scheme.accept_unconverged = accept;
        pcs_body_def def = pcs_body_def_default();
        def.position[0] = 1;
        def.force = cubic_force;
        def.user = &k;
        CK_OK(pcs_model_add_body(s.m, &def, NULL));
        scene_start(&s);
        const unsigned long long before = pcs_state_hash(s.st);
        CK_OK(pcs_step(s.m, s.st, s.wk, 0.05, &s.report));
        ck_assert_int_eq(s.report.outcome, PCS_OUTCOME_MAX_ITERS);
        ck_assert(s.report.newton_residual > 1e-12);
        ck_assert(s.report.committed == (accept == 1));
        ck_assert((pcs_state_hash(s.st) == before) == (accept == 0));
        pcs_run_report report;
        const pcs_status status = pcs_run(s.m, s.st, s.wk, 0.05, 1, NULL, NULL, &report);
        ck_assert_int_eq(status, accept ? PCS_OK : PCS_ERR_STEP);
        ck_assert_int_eq(report.outcome, accept ? PCS_OUTCOME_CONVERGED : PCS_OUTCOME_MAX_ITERS);
        ck_assert(accept || pcs_state_hash(s.st) == before);
        scene_close(&s);
    }
}

// ---- runs ---------------------------------------------------------------------------------------

typedef struct watch {
    int calls, stop_at;
    double last;
} watch;

static int observe(void *user, const pcs_model *m, const pcs_state *st, pcs_work *wk,
                   const pcs_step_report *report)
{
    watch *w = user;
    ck_assert_ptr_nonnull(m);
    ck_assert_ptr_nonnull(wk);
    ck_assert((report == NULL) == (w->calls == 0));
    ck_assert(w->calls == 0 || st->t > w->last);
    w->last = st->t;
    return w->calls++ == w->stop_at ? 1 : 0;
}

TEST(a_run_ends_at_its_time)
{
    scene s = scene_open();
    scene_ball(&s, 1, 0.1, (double[3]){0, 0, 0}, NULL);
    scene_start(&s);
    watch w = {.stop_at = -1};
    pcs_run_report report;
    CK_OK(pcs_run(s.m, s.st, s.wk, 0.1, 10, observe, &w, &report));
    ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
    ck_assert_int_eq(report.steps, 100);
    ck_assert_int_eq(w.calls, 101);
    CK_NEAR(s.st->t, 10, 1e-14);
    CK_NEAR(s.st->q[2], -0.5 * 9.81 * 100, 1e-10);

    // the end is accurate to half a step
    CK_OK(pcs_run(s.m, s.st, s.wk, 0.1, 10.249, NULL, NULL, &report));
    ck_assert_int_eq(report.steps, 2);
    CK_OK(pcs_run(s.m, s.st, s.wk, 0.1, 10.22, NULL, NULL, &report));
    ck_assert_int_eq(report.steps, 0);
    ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
    CK_FAILS(pcs_run(s.m, s.st, s.wk, 0.1, 0, NULL, NULL, &report), PCS_ERR_ARG);
    ck_assert_int_eq(report.steps, 0);

    // the observer stops it: before the first step, and after the third
    w = (watch){.stop_at = 0};
    const double t0 = s.st->t;
    CK_OK(pcs_run(s.m, s.st, s.wk, 0.1, t0 + 1, observe, &w, &report));
    ck_assert_int_eq(report.outcome, PCS_OUTCOME_STOPPED);
    ck_assert_int_eq(report.steps, 0);
    ck_assert(s.st->t == t0);
    w = (watch){.stop_at = 3};
    CK_OK(pcs_run(s.m, s.st, s.wk, 0.1, t0 + 1, observe, &w, &report));
    ck_assert_int_eq(report.outcome, PCS_OUTCOME_STOPPED);
    ck_assert_int_eq(report.steps, 3);
    CK_NEAR(s.st->t, t0 + 0.3, 1e-14);
    CK_OK(pcs_run(s.m, s.st, s.wk, 0.1, t0 + 1, NULL, NULL, NULL));
    CK_NEAR(s.st->t, t0 + 1, 1e-14);
    scene_close(&s);
}
