// A double pendulum given by its Lagrangian: as a smooth system, in time steps, with impacts and
// with joints.
#include "smooth.h"
#include "smooth_scene.h"

static int doubled_potential(void *user, const double *q, double *V)
{
    const smooth_doubled *d = pcs_lagrange_user(user);
    *V = -(d->m[0] + d->m[1]) * G * d->l[0] * cos(q[0]) - d->m[1] * G * d->l[1] * cos(q[1]);
    return 0;
}

static pcs_lagrange *add_doubled(scene *s, smooth_doubled *d, const double q0[2], pcs_system *out)
{
    pcs_lagrange *lagrange;
    const pcs_lagrange_def L = {.n = 2, .L_complex = smooth_doubled_L, .user = d};
    CK_OK(pcs_lagrange_create(NULL, &L, &lagrange));
    pcs_lagrangian_def def = pcs_lagrangian_def_default();
    def.n = 2;
    def.q0 = q0;
    def.mass_fn = pcs_lagrange_mass;
    def.force = pcs_lagrange_force;
    def.potential = doubled_potential;
    def.user = lagrange;
    CK_OK(pcs_model_add_lagrangian(s->m, &def, out));
    return lagrange;
}

TEST(stepping_converges_to_a_double_pendulum)
{
    scene s = scene_open();
    smooth_doubled d = {{1.3, 0.7}, {0.9, 0.6}};
    pcs_system system;
    pcs_lagrange *lagrange = add_doubled(&s, &d, (double[2]){1, 0.5}, &system);
    scene_start(&s);
    expect_same_motion(&s, 1, 100, 2, 1e-5);
    scene_close(&s);
    pcs_lagrange_destroy(lagrange);
}

// the tip against a wall at x = wall: g = wall - x_tip
static const double wall = 0.2;

static int tip_gap(void *user, const double *q1, const double *q2, double *g)
{
    const smooth_doubled *d = user;
    g[0] = wall - d->l[0] * sin(q1[0]) - d->l[1] * sin(q1[1]);
    return 0;
}

static int tip_gradient(void *user, const double *q1, const double *q2, double *C1, double *C2)
{
    const smooth_doubled *d = user;
    C1[0] = -d->l[0] * cos(q1[0]);
    C1[1] = -d->l[1] * cos(q1[1]);
    return 0;
}

static int tip_event(void *user, double t, const double *x, double *g)
{
    return tip_gap(user, x, NULL, g);
}

// a double pendulum bounces off a wall with e = 1: events and impacts of the smooth side against
// steps, and no energy lost
TEST(a_bouncing_pendulum_by_events_and_by_steps)
{
    scene s = scene_open();
    smooth_doubled d = {{1.3, 0.7}, {0.9, 0.6}};
    pcs_system system;
    pcs_lagrange *lagrange = add_doubled(&s, &d, (double[2]){-0.6, -0.3}, &system);
    pcs_interaction_def def = pcs_interaction_def_default();
    def.relation = (pcs_relation){.dim = 1, .gap = tip_gap, .gradient = tip_gradient, .user = &d};
    def.law = pcs_law_newton_impact(1);
    def.system1 = system;
    CK_OK(pcs_model_add_interaction(s.m, &def, NULL));
    scene_start(&s);

    pcs_smooth *sys = NULL;
    CK_FAILS(pcs_smooth_create(NULL, s.m, NULL, &sys), PCS_ERR_UNSUPPORTED);
    ck_assert_ptr_null(sys);
    pcs_smooth_def ignoring = pcs_smooth_def_default();
    ignoring.ignore_contacts = true;
    sys = smooth_of(s.m, &ignoring);

    pcs_ode ode;
    CK_OK(pcs_smooth_ode(sys, &ode));
    pcs_ode_opts opts = pcs_ode_opts_default();
    opts.rtol = 1e-11;
    opts.atol = 1e-13;
    pcs_integrator *run;
    CK_OK(pcs_integrator_create(NULL, &ode, &opts, &run));
    const pcs_event hit = {.g = tip_event, .direction = -1, .terminal = true, .user = &d};
    CK_OK(pcs_integrator_set_events(run, 1, &hit));
    double x[4], t_end = 3;
    int hits = 0;
    CK_OK(pcs_smooth_from_state(sys, s.st, x));
    const double before = smooth_energy(&s, sys, 0, x);
    CK_OK(pcs_integrator_start(run, 0, x));
    for (;;) {
        pcs_ode_report report;
        CK_OK(pcs_integrator_advance(run, t_end, &report));
        memcpy(x, pcs_integrator_x(run), sizeof x);
        if (report.end != PCS_ODE_EVENT) break;
        // v+ = v - 2 M^-1 C^T (C M^-1 C^T)^-1 C v
        double C[2], M[4], F[2];
        hits += 1;
        tip_gradient(&d, x, NULL, C, NULL);
        CK_OK(pcs_lagrange_equations(lagrange, 0, x, x + 2, M, F));
        const double det = M[0] * M[3] - M[1] * M[2];
        const double w[2] = {(M[3] * C[0] - M[2] * C[1]) / det, (M[0] * C[1] - M[1] * C[0]) / det};
        const double p = 2 * (C[0] * x[2] + C[1] * x[3]) / (C[0] * w[0] + C[1] * w[1]);
        x[2] -= p * w[0];
        x[3] -= p * w[1];
        CK_OK(pcs_integrator_jump(run, x));
    }
    ck_assert_int_ge(hits, 2);
    CK_NEAR(smooth_energy(&s, sys, t_end, x), before, 1e-8);
    pcs_integrator_destroy(run);

    // steps see an impact up to a step late: order 1
    double error[4];
    for (int k = 0; k < 4; ++k) {
        pcs_state *st;
        CK_OK(pcs_state_create(s.m, &st));
        const int steps = 1500 << k;
        for (int i = 0; i < steps; ++i) {
            pcs_step_report report;
            CK_OK(pcs_step(s.m, st, s.wk, t_end / steps, &report));
        }
        error[k] = fmax(fabs(st->q[0] - x[0]), fabs(st->q[1] - x[1]));
        pcs_state_destroy(st);
    }
    ck_assert_double_le(error[3], 0.02);
    ck_assert_double_le(error[3], 0.5 * error[0]);
    pcs_smooth_destroy(sys);
    scene_close(&s);
    pcs_lagrange_destroy(lagrange);
}

// the tip held on the wall by a joint of the model, and by a constraint on the Lagrangian
static int tip_phi(void *user, const pcs_complex *t, const pcs_complex *q, pcs_complex *phi)
{
    const smooth_doubled *d = user;
    phi[0] = wall - d->l[0] * csin(q[0]) - d->l[1] * csin(q[1]);
    return 0;
}

TEST(a_lagrangian_is_held_alike_in_a_model_and_alone)
{
    scene s = scene_open();
    smooth_doubled d = {{1.3, 0.7}, {0.9, 0.6}};
    pcs_system system;
    pcs_lagrange *lagrange = add_doubled(&s, &d, (double[2]){-0.6, 1.1}, &system);
    pcs_interaction_def def = pcs_interaction_def_default();
    def.relation = (pcs_relation){.dim = 1, .gap = tip_gap, .gradient = tip_gradient, .user = &d};
    def.system1 = system;
    pcs_interaction joint;
    CK_OK(pcs_model_add_interaction(s.m, &def, &joint));
    scene_start(&s);
    pcs_smooth *sys = smooth_of(s.m, NULL);
    const pcs_constrained_def held = {.nv = 2,
                                      .m = 1,
                                      .lagrange = lagrange,
                                      .phi_complex = tip_phi,
                                      .stabilisation = PCS_STABILISATION_PROJECT,
                                      .user = &d};
    pcs_constrained *alone;
    CK_OK(pcs_constrained_create(NULL, &held, &alone));
    double x[4], y[4], r, lambda;
    CK_OK(pcs_smooth_from_state(sys, s.st, x));
    x[2] = 2;
    memcpy(y, x, sizeof x);
    CK_OK(pcs_constrained_project(pcs_smooth_constrained(sys), 0, x, x + 2));
    CK_OK(pcs_constrained_project(alone, 0, y, y + 2));
    CK_OK(pcs_smooth_reaction(sys, 0, x, joint, &r));
    CK_OK(pcs_constrained_reactions(alone, 0, y, y + 2, &lambda, NULL));
    CK_NEAR(r, lambda, 1e-9 * fabs(lambda));
    expect_same(x, y, 4, 1e-12);
    integrate(sys, 0.7, 1e-10, x);
    double K, V, total;
    CK_OK(pcs_lagrange_energy(lagrange, 0, y, y + 2, &total));
    CK_OK(pcs_smooth_to_state(sys, 0.7, x, s.st));
    CK_OK(pcs_state_kinetic_energy(s.m, s.st, &K));
    CK_OK(pcs_state_potential_energy(s.m, s.st, &V));
    CK_NEAR(K + V, total, 1e-8 * fabs(total));
    pcs_constrained_destroy(alone);
    pcs_smooth_destroy(sys);
    scene_close(&s);
    pcs_lagrange_destroy(lagrange);
}
