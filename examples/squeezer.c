// Andrews' squeezer: seven bodies in a plane, ten hinges, a spring and a constant torque.
//
// Masses, lengths and the solution at t = 0.03 s are those of the Test Set for IVP Solvers
// (Mazzia, Magherini; after Schiehlen, Multibody Systems Handbook, 1990), where the mechanism has
// the angles beta, Theta, gamma, Phi, delta, Omega, epsilon and six equations of closed loops. Here
// each body has six velocities and each hinge five rows: 50 rows hold 42 velocities, with rank 41,
// and the solver finds the reactions of least norm. K1 to K7 turn with
//
//     beta, beta + Theta, gamma, Phi + delta, delta, Omega + epsilon, epsilon.
//
// The steps are of second order with errors in even powers of h: two extrapolations from h, h/2
// and h/4 leave the error of order 6.
#include "args.h"
#include "checks/refined.h"
#include "example.h"
#include "flags/run_flags.h"
#include "scenes/mechanism.h"

#include <percuss/force.h>
#include <percuss/motion.h>

#include <math.h>
#include <string.h>

#define HEADER  "t,beta,theta,gamma,phi,delta,omega,epsilon,rate"
#define COLUMNS "write every step: time, the seven angles, within a turn of the start; rate of beta"

enum { BODIES = 7 };

typedef struct settings {
    run_settings run;
    pcs_load drive; // the torque on K1
} settings;

static const double angle_at_start[BODIES] = {
    -0.0617138900142764496358948458001, 0,
    0.455279819163070380255912382449,   0.222668390165885884674473185609,
    0.487364979543842550225598953530,   -0.222668390165885884674473185609,
    1.23054744454982119249735015568};

// the angles and the rate of beta at t = 0.03 s
static const double published[BODIES + 1] = {
    15.81077119629904,  -15.75637105984298, 0.04082224013073101, -0.5347301163226948,
    0.5244099658805304, 0.5347301163226948, 1.048080741042263,   1139.920302151208};

// bodies: kg, kg m^2
static const double mass[BODIES] = {.04325, .00365, .02373, .00706, .07050, .00706, .05498};
static const double inertia[BODIES] = {2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7,
                                       1.169e-5, 5.667e-7, 1.912e-5};

// lengths, m; fixed points A, B, C; the spring between D of K3 and C: N/m, m
static const double rr = 7e-3, ra = 92e-5, d = 28e-3, da = 115e-4, sa = 1874e-5, sb = 1043e-5,
                    sc = 18e-3, sd = 2e-2, ea = 1421e-5, zt = 4e-2, ta = 2308e-5, tb = 916e-5,
                    u = 4e-2, ua = 1228e-5, ub = 449e-5, fa = 1421e-5;
static const double A[2] = {-.06934, -.00227}, B[2] = {-.03635, .03273}, C[3] = {.014, .072};
static const double stiffness = 4530, unloaded = .07785;

static void read_flags(settings *set, int argc, char **argv)
{
    *set = (settings){.run = {.scheme = pcs_scheme_default(), .t_end = 0.03},
                      .drive = {.torque = {0, 0, 0.033}}};
    args a = {.about = "Andrews' squeezer, against its published solution.", .table = COLUMNS};
    int steps = 750;
    args_int(&a, "--steps", &steps, 500, 1500,
             "steps of the first run; two more have twice and four times as many");
    run_parse(&a, &set->run, 0, argc, argv);
    set->run.h = set->run.t_end / steps;
    set->run.scheme.solver.tol = 1e-13;
    set->run.scheme.proj_tol = 1e-14;
}

// a + s (cos phi, sin phi)
static void along(const double a[2], double s, double phi, double out[3])
{
    out[0] = a[0] + s * cos(phi);
    out[1] = a[1] + s * sin(phi);
    out[2] = 0;
}

// a + s (cos phi, sin phi) + across (-sin phi, cos phi)
static void beside(const double a[2], double s, double across, double phi, double out[3])
{
    double foot[3];
    along(a, s, phi, foot);
    along(foot, across, phi + 2 * atan(1), out);
}

static pcs_status add_bodies(const settings *set, pcs_model *model, pcs_system body[BODIES],
                             const double E[3])
{
    const double *q = angle_at_start, quarter = 2 * atan(1), O[2] = {0};
    double G[BODIES][3], K[3];
    along(O, rr, q[0], K);
    along(O, ra, q[0], G[0]);
    along(K, -da, q[0] + q[1], G[1]);
    beside(B, sb, -sa, q[2], G[2]);
    along(E, -ea, q[3] + q[4] - quarter, G[3]);
    beside(A, ta, tb, q[4], G[4]);
    along(E, -fa, q[5] + q[6], G[5]);
    beside(A, -ub, -ua, q[6], G[6]);
    for (int i = 0; i < BODIES; ++i) {
        pcs_body_def def = pcs_body_def_default();
        def.mass = mass[i];
        def.inertia[0] = def.inertia[4] = def.inertia[8] = inertia[i];
        memcpy(def.position, G[i], sizeof def.position);
        if (i == 0) {
            def.force = pcs_load_act;
            def.user = (void *)&set->drive; // the model borrows it
        }
        PCS_TRY(pcs_model_add_body(model, &def, &body[i]));
    }
    return PCS_OK;
}

static pcs_status build(const void *user, pcs_scene **out)
{
    const settings *set = user;
    const double *q = angle_at_start, quarter = 2 * atan(1), O[3] = {0}, z[3] = {0, 0, 1};
    const pcs_system world = {0};
    double K[3], E[3], V[3], W[3];
    pcs_system body[BODIES];
    along(O, rr, q[0], K);
    along(K, -d, q[0] + q[1], E);
    along(A, zt, q[4], V);
    along(A, u, q[6] - quarter, W);
    PCS_TRY(run_scene(&set->run, "Andrews' squeezer: seven bodies driven by a torque.", out));
    pcs_model *model = (*out)->model;
    PCS_TRY(add_bodies(set, model, body, E));
    const struct {
        pcs_system one, two;
        const double *at;
    } hinge[] = {{body[0], world, O},   {body[1], body[0], K}, {body[2], body[1], E},
                 {body[3], body[1], E}, {body[5], body[1], E}, {body[2], world, B},
                 {body[4], world, A},   {body[6], world, A},   {body[4], body[3], V},
                 {body[6], body[5], W}};
    for (size_t i = 0; i < sizeof hinge / sizeof *hinge; ++i) {
        const double at[3] = {hinge[i].at[0], hinge[i].at[1], 0};
        PCS_TRY(mechanism_joint(model, PCS_JOINT_HINGE, hinge[i].one, hinge[i].two, at, z, NULL));
    }
    pcs_force_def spring = pcs_force_def_default(PCS_FORCE_SPRING);
    spring.system1 = body[2];
    // D from B, and from G of K3, whose axes are those of the world at the start
    double D[3], G[3];
    beside(O, sd, -sc, q[2], D);
    beside(O, sb, -sa, q[2], G);
    spring.p1[0] = D[0] - G[0];
    spring.p1[1] = D[1] - G[1];
    memcpy(spring.p2, C, sizeof C);
    spring.stiffness = stiffness;
    spring.length = unloaded;
    return pcs_model_add_force(model, &spring, NULL);
}

// the seven angles, between half a turn before and after those at the start, and the rate of beta
static pcs_status read(const pcs_model *model, const pcs_state *state, pcs_work *work, double *y)
{
    (void)work;
    double turn[BODIES];
    for (int i = 0; i < BODIES; ++i) {
        const double *Q = pcs_state_read_q(model, state, (pcs_system){i + 1}) + 3;
        turn[i] = 2 * atan2(Q[3], Q[0]);
    }
    // K2, K4 and K6 turn with two angles
    turn[1] -= turn[0];
    turn[3] -= turn[4];
    turn[5] -= turn[6];
    for (int i = 0; i < BODIES; ++i) {
        y[i] = angle_at_start[i] + remainder(turn[i], 8 * atan(1));
    }
    y[BODIES] = pcs_state_read_v(model, state, (pcs_system){1})[5];
    return PCS_OK;
}

static pcs_status run(const void *user, csv *out, checks *c)
{
    const settings *set = user;
    refined r = {.n = BODIES + 1, .read = read, .out = out};
    double angles = 0, rate = 0, order = 0;
    PCS_TRY(refined_run(&r, build, set));
    for (int i = 0; i <= BODIES; ++i) {
        double error[REFINED_RUNS];
        for (int k = 0; k < REFINED_RUNS; ++k) {
            error[k] = r.y[k][i] - published[i];
            if (i < BODIES) error[k] = remainder(error[k], 8 * atan(1));
        }
        const double coarse = (4 * error[1] - error[0]) / 3, fine = (4 * error[2] - error[1]) / 3;
        const double left = fabs((16 * fine - coarse) / 15 / published[i]);
        if (i == 0) order = log2(error[1] / error[2]);
        if (i == BODIES) rate = left;
        if (i < BODIES) angles = fmax(angles, left);
    }
    *c = checks_begin();
    check_value(c, "angles at the end (relative)", angles, 0, 1e-6);
    check_value(c, "rate of beta (relative)", rate, 0, 1e-6);
    check_value(c, "order of beta", order, 2, 0.05);
    const run_tally *t = &r.tally[2];
    const double work = set->drive.torque[2] * (published[0] - angle_at_start[0]);
    check_value(c, "energy that the torque gives (J)", t->energy - t->start, work, 1e-4 * work);
    check_value(c, "joints (m)", r.tally[0].open, 0, 1e-12);
    check_value(c, "energy ledger of every step (J)", t->closure, 0, 1e-12 * work);
    return PCS_OK;
}

int main(int argc, char **argv)
{
    settings set;
    read_flags(&set, argc, argv);
    return example_run_scene(build, run, &set, &set.run, HEADER);
}
