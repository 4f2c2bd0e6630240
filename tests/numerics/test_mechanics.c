// Constrained systems on one point: reactions, drift, impacts, forms, definitions that are refused.
#include "bob.h"

TEST(tension_is_that_of_the_textbooks)
{
    const bob b = {2, 1.7, 0.8};
    pcs_constrained_def def = bob_def(&b);
    pcs_constrained *sys = make(&def);
    for (int k = 0; k < 20; ++k) {
        const double angle = 0.3 * k, w = 0.7 * k - 5; // from the downward vertical
        const double q[2] = {b.l * sin(angle), -b.l * cos(angle)};
        const double v[2] = {b.l * w * cos(angle), b.l * w * sin(angle)};
        const double S = b.m * b.l * w * w + b.m * G * cos(angle);
        double lambda, forces[2], a[2];
        CK_OK(pcs_constrained_reactions(sys, 0, q, v, &lambda, forces));
        CK_NEAR(-2 * b.l * lambda, S, 1e-13 * (fabs(S) + b.m * G));
        CK_NEAR(forces[0], -S * sin(angle), 1e-13 * (fabs(S) + b.m * G));
        CK_NEAR(forces[1], S * cos(angle), 1e-13 * (fabs(S) + b.m * G));
        CK_OK(pcs_constrained_solve(sys, 0, q, v, a, NULL));
        // tangential: l w' = -g sin
        CK_NEAR(a[0] * cos(angle) + a[1] * sin(angle), -G * sin(angle), 1e-12);
    }
    pcs_constrained_destroy(sys);
}

TEST(derivatives_by_every_method_agree)
{
    const bob b = {3, 1.2, 0.9};
    pcs_constrained_def def = bob_def(&b);
    pcs_constrained *all = make(&def);
    def.gamma = NULL;
    pcs_constrained *no_gamma = make(&def);
    def.A = NULL;
    pcs_constrained *real = make(&def);
    def.phi_complex = bob_phi_complex;
    pcs_constrained *stepped = make(&def);
    def.phi = NULL;
    pcs_constrained *only_complex = make(&def);
    pcs_constrained *const other[] = {no_gamma, real, stepped, only_complex};
    test_random r = random_seed(5);
    for (int k = 0; k < 100; ++k) {
        double q[3], v[3], a[3], lambda, phi, rate;
        for (int i = 0; i < 3; ++i) {
            q[i] = random_between(&r, -1, 1);
            v[i] = random_between(&r, -5, 5);
        }
        CK_OK(pcs_constrained_solve(all, 0, q, v, a, &lambda));
        CK_OK(pcs_constrained_violation(all, 0, q, v, &phi, &rate));
        for (int o = 0; o < 4; ++o) {
            double b_a[3], b_lambda, b_phi, b_rate;
            CK_OK(pcs_constrained_solve(other[o], 0, q, v, b_a, &b_lambda));
            CK_OK(pcs_constrained_violation(other[o], 0, q, v, &b_phi, &b_rate));
            CK_NEAR(b_lambda, lambda, 1e-11 * (fabs(lambda) + 1));
            CK_NEAR(b_phi, phi, 1e-15);
            CK_NEAR(b_rate, rate, 1e-12 * (largest(3, v) + 1));
            expect_same(b_a, a, 3, 1e-11 * (largest(3, a) + 1));
        }
    }
    pcs_constrained_destroy(all);
    for (int o = 0; o < 4; ++o) {
        pcs_constrained_destroy(other[o]);
    }
}

// ---- drift: phi obeys its own equation, whatever the motion

static void start_off(const bob *b, double *x, double *phi0, double *rate0)
{
    const double start[4] = {b->l * sin(1.0) + 1e-3, -b->l * cos(1.0), 0.4, 0.7};
    memcpy(x, start, sizeof start);
    *phi0 = x[0] * x[0] + x[1] * x[1] - b->l * b->l;
    *rate0 = 2 * (x[0] * x[2] + x[1] * x[3]);
}

// a bob with this stabilisation; projection has no rate alpha
static pcs_constrained *make_held(const bob *b, int how, double alpha)
{
    pcs_constrained_def def = bob_def(b);
    def.stabilisation = (pcs_stabilisation)how;
    def.alpha = how == PCS_STABILISATION_PROJECT ? 0 : alpha;
    return make(&def);
}

static void expect_drift(pcs_stabilisation how, double alpha)
{
    const bob b = {2, 1.7, 0.8};
    pcs_constrained *sys = make_held(&b, how, alpha);
    const pcs_ode ode = form(sys);
    double x[4], phi0, rate0, t = 0;
    start_off(&b, x, &phi0, &rate0);
    for (int k = 0; k < 10; ++k) {
        double phi, rate, law = 0, law_rate = 0;
        t = rk4(&ode, t, 5e-4, 200, x);
        CK_OK(pcs_constrained_violation(sys, t, x, x + 2, &phi, &rate));
        const double decay = exp(-alpha * t), slope = rate0 + alpha * phi0;
        if (how == PCS_STABILISATION_GGL) {
            law = phi0 * decay;
            law_rate = rate0 * decay;
        } else {
            law = (phi0 + slope * t) * decay;
            law_rate = (slope - alpha * (phi0 + slope * t)) * decay;
        }
        CK_NEAR(phi, law, 1e-10);
        // A rotates by v + w with GGL
        CK_NEAR(rate, law_rate, how == PCS_STABILISATION_GGL ? 0.2 * fabs(rate0) : 1e-9);
    }
    pcs_constrained_destroy(sys);
}

TEST(drift_follows_its_closed_form)
{
    expect_drift(PCS_STABILISATION_NONE, 0);
    expect_drift(PCS_STABILISATION_BAUMGARTE, 0);
    expect_drift(PCS_STABILISATION_BAUMGARTE, 3);
    expect_drift(PCS_STABILISATION_BAUMGARTE, 20);
    expect_drift(PCS_STABILISATION_GGL, 0);
    expect_drift(PCS_STABILISATION_GGL, 5);
}

// the remaining phi and A v after a coarse run, by stabilisation
TEST(stabilised_runs_stay_on_the_constraint)
{
    const bob b = {2, 1, 1};
    double phi[4], rate[4];
    for (int how = PCS_STABILISATION_NONE; how <= PCS_STABILISATION_PROJECT; ++how) {
        pcs_constrained *sys = make_held(&b, how, 10);
        const pcs_ode ode = form(sys);
        double x[4] = {1, 0, 0, 0};
        const double t = rk4(&ode, 0, 1e-2, 2000, x);
        CK_OK(pcs_constrained_violation(sys, t, x, x + 2, &phi[how], &rate[how]));
        pcs_constrained_destroy(sys);
    }
    ck_assert_double_gt(fabs(phi[PCS_STABILISATION_NONE]),
                        3 * fabs(phi[PCS_STABILISATION_BAUMGARTE]));
    ck_assert_double_le(fabs(phi[PCS_STABILISATION_BAUMGARTE]), 1e-6);
    ck_assert_double_le(fabs(phi[PCS_STABILISATION_GGL]), 1e-6);
    ck_assert_double_le(fabs(rate[PCS_STABILISATION_GGL]), 1e-6);
    ck_assert_double_le(fabs(phi[PCS_STABILISATION_PROJECT]), 1e-12);
    ck_assert_double_le(fabs(rate[PCS_STABILISATION_PROJECT]), 1e-14);
}

// ---- chosen steps

TEST(chosen_steps_take_every_stabilisation)
{
    const bob b = {2, 1, 1};
    for (int how = PCS_STABILISATION_NONE; how <= PCS_STABILISATION_PROJECT; ++how) {
        pcs_constrained *sys = make_held(&b, how, 5);
        const pcs_ode ode = form(sys);
        pcs_ode_opts opts = pcs_ode_opts_default();
        opts.rtol = 1e-10;
        opts.atol = 1e-12;
        pcs_integrator *run;
        CK_OK(pcs_integrator_create(NULL, &ode, &opts, &run));
        const double x0[4] = {1, 0, 0, 0};
        CK_OK(pcs_integrator_start(run, 0, x0));
        CK_OK(pcs_integrator_advance(run, 5, NULL));
        const double *x = pcs_integrator_x(run);
        CK_NEAR(0.5 * (x[2] * x[2] + x[3] * x[3]) + G * x[1], 0, 1e-7);
        CK_OK(pcs_constrained_check(sys, 5, x, x + 2, 1e-8, 1e-8));
        pcs_integrator_destroy(run);
        pcs_constrained_destroy(sys);
    }
}

// ---- the spherical pendulum, twice

static int sphere_L(void *user, double t, const pcs_complex *q, const pcs_complex *v,
                    pcs_complex *L)
{
    const bob *b = user; // theta from the downward vertical
    *L = 0.5 * b->m * b->l * b->l * (v[0] * v[0] + csin(q[0]) * csin(q[0]) * v[1] * v[1]) +
         b->m * G * b->l * ccos(q[0]);
    return 0;
}

static void on_sphere(const bob *b, const double *angle, double *x)
{
    const double s = sin(angle[0]), c = cos(angle[0]), cp = cos(angle[1]), sp = sin(angle[1]);
    const double l = b->l, w = angle[2], p = angle[3];
    const double out[6] = {l * s * cp,
                           l * s * sp,
                           -l * c,
                           l * (c * cp * w - s * sp * p),
                           l * (c * sp * w + s * cp * p),
                           l * s * w};
    memcpy(x, out, sizeof out);
}

TEST(angles_and_multipliers_swing_alike)
{
    const bob b = {3, 1.3, 0.7};
    const pcs_lagrange_def angles_def = {.n = 2, .L_complex = sphere_L, .user = (void *)&b};
    pcs_lagrange *angles = NULL;
    CK_OK(pcs_lagrange_create(NULL, &angles_def, &angles));
    pcs_ode reduced;
    CK_OK(pcs_lagrange_ode(angles, &reduced));
    for (int how = PCS_STABILISATION_NONE; how <= PCS_STABILISATION_PROJECT; ++how) {
        pcs_constrained *sys = make_held(&b, how, 5);
        const pcs_ode full = form(sys);
        double angle[4] = {1, 0, 0.5, 2}, x[6], expected[6];
        on_sphere(&b, angle, x);
        rk4(&full, 0, 1e-3, 1000, x);
        rk4(&reduced, 0, 1e-3, 1000, angle);
        on_sphere(&b, angle, expected);
        expect_same(x, expected, 6, 2e-9);
        pcs_constrained_destroy(sys);
    }
    pcs_lagrange_destroy(angles);
}

// ---- L in Cartesian coordinates and a constraint: lambda = -z of L = T - U - z c

static int free_L(void *user, double t, const pcs_complex *q, const pcs_complex *v, pcs_complex *L)
{
    const bob *b = user;
    *L = 0.5 * b->m * (v[0] * v[0] + v[1] * v[1]) - b->m * G * q[1];
    return 0;
}

// the multiplier as a number: L = T - U - z c
static int held_L(void *user, double t, const pcs_complex *q, const pcs_complex *v, pcs_complex *L)
{
    const double *z = user;
    bob b = {2, 1.7, 0.8};
    free_L(&b, t, q, v, L);
    *L -= *z * (q[0] * q[0] + q[1] * q[1] - b.l * b.l);
    return 0;
}

TEST(z_is_minus_lambda)
{
    const bob b = {2, 1.7, 0.8};
    const pcs_lagrange_def free_def = {.n = 2, .L_complex = free_L, .user = (void *)&b};
    pcs_lagrange *lagrange = NULL;
    CK_OK(pcs_lagrange_create(NULL, &free_def, &lagrange));
    pcs_constrained_def def = bob_def(&b);
    pcs_constrained *by_callbacks = make(&def);
    def.mass = NULL;
    def.force = NULL;
    def.lagrange = lagrange;
    pcs_constrained *by_L = make(&def);

    const double q[2] = {0.8 * sin(0.4), -0.8 * cos(0.4)}, v[2] = {cos(0.4), sin(0.4)};
    double a[2], a2[2], a3[2], lambda, lambda2, z;
    CK_OK(pcs_constrained_solve(by_callbacks, 0, q, v, a, &lambda));
    CK_OK(pcs_constrained_solve(by_L, 0, q, v, a2, &lambda2));
    CK_NEAR(lambda, lambda2, 1e-12 * fabs(lambda));
    z = -lambda;
    const pcs_lagrange_def held_def = {.n = 2, .L_complex = held_L, .user = &z};
    pcs_lagrange *held = NULL;
    CK_OK(pcs_lagrange_create(NULL, &held_def, &held));
    CK_OK(pcs_lagrange_acceleration(held, 0, q, v, a3));
    for (int i = 0; i < 2; ++i) {
        CK_NEAR(a2[i], a[i], 1e-12 * G);
        CK_NEAR(a3[i], a[i], 1e-12 * G);
    }
    pcs_constrained_destroy(by_callbacks);
    pcs_constrained_destroy(by_L);
    pcs_lagrange_destroy(lagrange);
    pcs_lagrange_destroy(held);
}

// ---- impacts (theory 9.2)

TEST(a_rope_that_gets_taut_leaves_a_quarter_of_the_energy)
{
    const bob b = {2, 1, 1};
    pcs_constrained_def def = bob_def(&b); // anchor at the origin
    pcs_constrained *sys = make(&def);
    // dropped from (-l/2, 0): taut at y = -sqrt(3)/2 l with velocity (0, v)
    const double q[2] = {-0.5, -sqrt(3) / 2}, v = -sqrt(2 * G * sqrt(3) / 2);
    const double before[2] = {0, v};
    double after[2], impulse;
    CK_OK(pcs_constrained_impact(sys, 0, q, before, NULL, after, &impulse));
    CK_NEAR(after[0], -sqrt(3) / 4 * v, 1e-14);
    CK_NEAR(after[1], v / 4, 1e-14);
    CK_NEAR((after[0] * after[0] + after[1] * after[1]) / (v * v), 0.25, 1e-15);
    // M (v+ - v-) = A^T impulse
    for (int i = 0; i < 2; ++i) {
        CK_NEAR(b.m * (after[i] - before[i]), 2 * q[i] * impulse, 1e-14);
    }

    const double e = 0.6;
    double bounced[2], rate0, rate;
    CK_OK(pcs_constrained_impact(sys, 0, q, before, &e, bounced, NULL));
    CK_OK(pcs_constrained_violation(sys, 0, q, before, NULL, &rate0));
    CK_OK(pcs_constrained_violation(sys, 0, q, bounced, NULL, &rate));
    CK_NEAR(rate, -e * rate0, 1e-14);
    for (int i = 0; i < 2; ++i) {
        CK_NEAR(bounced[i] - before[i], (1 + e) * (after[i] - before[i]), 1e-14);
    }
    const double too_much = 1.5;
    CK_FAILS(pcs_constrained_impact(sys, 0, q, before, &too_much, bounced, NULL), PCS_ERR_ARG);
    pcs_constrained_destroy(sys);
}

// ---- a bead on a rod that turns at W: phi = y cos Wt - x sin Wt depends on time

typedef struct rod {
    double m, W;
} rod;

static int rod_mass(void *user, double t, const double *q, double *M)
{
    M[0] = M[3] = ((const rod *)user)->m;
    return 0;
}

static int rod_phi(void *user, double t, const double *q, double *phi)
{
    const double W = ((const rod *)user)->W;
    phi[0] = q[1] * cos(W * t) - q[0] * sin(W * t);
    return 0;
}

static int rod_phi_complex(void *user, const pcs_complex *t, const pcs_complex *q, pcs_complex *phi)
{
    const double W = ((const rod *)user)->W;
    phi[0] = q[1] * ccos(W * *t) - q[0] * csin(W * *t);
    return 0;
}

static int rod_A(void *user, double t, const double *q, double *A)
{
    const double W = ((const rod *)user)->W;
    A[0] = -sin(W * t);
    A[1] = cos(W * t);
    return 0;
}

static int rod_phi_t(void *user, double t, const double *q, double *phi_t)
{
    const double W = ((const rod *)user)->W;
    phi_t[0] = -W * (q[1] * sin(W * t) + q[0] * cos(W * t));
    return 0;
}

TEST(a_bead_moves_outwards_along_a_rotating_rod)
{
    const rod r = {0.4, 1.5};
    pcs_constrained_def def = {
        .nv = 2, .m = 1, .mass = rod_mass, .moving = true, .user = (void *)&r};
    for (int how = 0; how < 4; ++how) {
        def.phi = how != 1 ? rod_phi : NULL;
        def.phi_complex = how == 1 ? rod_phi_complex : NULL;
        def.A = how >= 2 ? rod_A : NULL;
        def.phi_t = how >= 3 ? rod_phi_t : NULL;
        def.stabilisation = how == 0 ? PCS_STABILISATION_PROJECT : PCS_STABILISATION_NONE;
        pcs_constrained *sys = make(&def);
        const pcs_ode ode = form(sys);
        // a bead at rest on the rod at distance 1
        double x[4] = {1, 0, 0, r.W};
        CK_OK(pcs_constrained_check(sys, 0, x, x + 2, 1e-14, 1e-12));
        const double t = rk4(&ode, 0, 2e-3, 500, x), d = cosh(r.W * t), dd = r.W * sinh(r.W * t);
        CK_NEAR(x[0], d * cos(r.W * t), 1e-10);
        CK_NEAR(x[1], d * sin(r.W * t), 1e-10);
        double lambda;
        CK_OK(pcs_constrained_reactions(sys, t, x, x + 2, &lambda, NULL));
        CK_NEAR(lambda, 2 * r.m * r.W * dd, 1e-9); // Coriolis

        // captured on a rotating rod: the velocity across the rod becomes that of the rod
        const double rest[2] = {0, 0};
        double after[2];
        CK_OK(pcs_constrained_impact(sys, t, x, rest, NULL, after, NULL));
        CK_NEAR(-sin(r.W * t) * after[0] + cos(r.W * t) * after[1], r.W * d, 1e-9);
        pcs_constrained_destroy(sys);
    }
}

// ---- implicit methods: multipliers as unknowns of the stages

TEST(implicit_methods_take_every_form)
{
    const bob b = {2, 1.5, 1};
    const double x0[4] = {1, 0, 0, 0.5};
    pcs_tableau *radau, *gauss;
    CK_OK(pcs_tableau_create_radau(NULL, 3, &radau));
    CK_OK(pcs_tableau_create_gauss(NULL, 3, &gauss));
    for (int how = PCS_STABILISATION_NONE; how <= PCS_STABILISATION_GGL; ++how) {
        pcs_constrained_def def = bob_def(&b);
        def.stabilisation = (pcs_stabilisation)how;
        def.alpha = 5;
        pcs_constrained *sys = make(&def);
        const pcs_ode ode = form(sys);
        double x[4], exact[4];
        memcpy(exact, x0, sizeof x0);
        rk4(&ode, 0, 1e-4, 10000, exact);
        pcs_semi_explicit semi;
        pcs_dae dae;
        CK_OK(pcs_constrained_semi_explicit(sys, &semi));
        for (int k = 0; k < 5; ++k) {
            if (k >= 3 && how == PCS_STABILISATION_GGL) break; // it has no fully implicit form
            const pcs_ode_opts opts = pcs_ode_opts_fixed(k % 2 == 0 ? radau : gauss, 0.01);
            pcs_integrator *run;
            if (k == 0) {
                CK_OK(pcs_integrator_create(NULL, &ode, &opts, &run));
                CK_OK(pcs_integrator_start(run, 0, x0));
            } else if (k <= 2) {
                CK_OK(pcs_integrator_create_semi_explicit(NULL, &semi, &opts, &run));
                CK_OK(pcs_integrator_start_dae(run, 0, x0, NULL, NULL));
            } else {
                CK_OK(pcs_constrained_dae(sys, &dae));
                CK_OK(pcs_integrator_create_dae(NULL, &dae, &opts, &run));
                CK_OK(pcs_integrator_start_dae(run, 0, x0, NULL, NULL));
            }
            CK_OK(pcs_integrator_advance(run, 1, NULL));
            memcpy(x, pcs_integrator_x(run), sizeof x);
            expect_same(x, exact, 4, 1e-8);
            // the multiplier is the tension
            if (k > 0) {
                double lambda;
                CK_OK(pcs_constrained_reactions(sys, 1, x, x + 2, &lambda, NULL));
                CK_NEAR(pcs_integrator_z(run)[k <= 2 ? 2 : 0], lambda, 1e-6);
            }
            pcs_integrator_destroy(run);
        }
        pcs_constrained_destroy(sys);
    }
    pcs_tableau_destroy(radau);
    pcs_tableau_destroy(gauss);
}

// ---- bad input

static int three_phi(void *user, double t, const double *q, double *phi)
{
    bob_phi(user, t, q, phi);
    phi[1] = q[0] - q[2];
    phi[2] = 3 * phi[1] - 2 * phi[0];
    return 0;
}

static int half_mass(void *user, double t, const double *q, double *M)
{
    bob_mass(user, t, q, M);
    M[0] = 0;
    return 0;
}

static int lost_phi(void *user, double t, const double *q, double *phi)
{
    phi[0] = NAN;
    return 0;
}

static int failing_force(void *user, double t, const double *q, const double *v, double *F)
{
    return 3;
}

TEST(redundant_constraints_are_named)
{
    const bob b = {3, 1, 1};
    pcs_constrained_def def = bob_def(&b);
    def.phi = three_phi;
    def.A = NULL;
    def.gamma = NULL;
    def.m = 3;
    pcs_constrained *sys = make(&def);
    const double q[3] = {0.6, 0.2, 0.6}, v[3] = {0, 1, 0};
    double a[3];
    CK_SAYS(pcs_constrained_solve(sys, 0, q, v, a, NULL), PCS_ERR_SINGULAR, "rank 2 for 3");
    pcs_constrained_destroy(sys);

    // a force has no direction where the gradient vanishes
    def = bob_def(&b);
    pcs_constrained *one = make(&def);
    const double centre[3] = {0};
    CK_SAYS(pcs_constrained_solve(one, 0, centre, v, a, NULL), PCS_ERR_SINGULAR, "constraint 0");
    pcs_constrained_destroy(one);
}

TEST(bad_systems_are_refused)
{
    const bob b = {2, 1, 1};
    const double q[2] = {0.6, 0.8}, v[2] = {1, 0};
    double a[2];
    pcs_constrained *sys;
    CK_FAILS(pcs_constrained_create(NULL, NULL, &sys), PCS_ERR_ARG);

    pcs_constrained_def def = bob_def(&b);
    def.nv = 0;
    CK_FAILS(pcs_constrained_create(NULL, &def, &sys), PCS_ERR_ARG);
    def = bob_def(&b);
    def.nq = 3;
    CK_FAILS(pcs_constrained_create(NULL, &def, &sys), PCS_ERR_ARG);
    def = bob_def(&b);
    def.m = 3;
    CK_FAILS(pcs_constrained_create(NULL, &def, &sys), PCS_ERR_SINGULAR);
    def = bob_def(&b);
    def.mass = NULL;
    CK_FAILS(pcs_constrained_create(NULL, &def, &sys), PCS_ERR_ARG);
    def = bob_def(&b);
    def.phi = NULL;
    CK_FAILS(pcs_constrained_create(NULL, &def, &sys), PCS_ERR_ARG);
    def = bob_def(&b);
    def.alpha = NAN;
    CK_FAILS(pcs_constrained_create(NULL, &def, &sys), PCS_ERR_ARG);

    def = bob_def(&b);
    def.mass = half_mass;
    sys = make(&def);
    CK_SAYS(pcs_constrained_solve(sys, 0, q, v, a, NULL), PCS_ERR_SINGULAR, "velocity 0");
    pcs_constrained_destroy(sys);

    def = bob_def(&b);
    def.force = failing_force;
    sys = make(&def);
    CK_FAILS(pcs_constrained_solve(sys, 0, q, v, a, NULL), PCS_ERR_CALLBACK);
    pcs_constrained_destroy(sys);

    // the constraint has no gradient at the centre: the state is unchanged
    def = bob_def(&b);
    sys = make(&def);
    double x[2] = {0, 0}, w[2] = {1, 2};
    CK_FAILS(pcs_constrained_project(sys, 0, x, w), PCS_ERR_SINGULAR);
    ck_assert_double_eq(w[0], 1);
    ck_assert_double_eq(x[0], 0);
    // initial data off the constraint, and moving off it
    const double off[2] = {0.6, 0.7};
    CK_SAYS(pcs_constrained_check(sys, 0, off, v, 1e-10, 1e-10), PCS_ERR_ARG, "phi = -0.15");
    CK_SAYS(pcs_constrained_check(sys, 0, q, v, 1e-10, 1e-10), PCS_ERR_ARG, "1.2");
    CK_FAILS(pcs_constrained_check(sys, 0, q, NULL, 1e-10, 1e-10), PCS_ERR_ARG);
    pcs_constrained_destroy(sys);

    def = bob_def(&b);
    def.phi = lost_phi;
    def.stabilisation = PCS_STABILISATION_PROJECT;
    sys = make(&def);
    CK_FAILS(pcs_constrained_project(sys, 0, x, w), PCS_ERR_CALLBACK);
    pcs_dae dae;
    pcs_semi_explicit semi;
    CK_FAILS(pcs_constrained_dae(sys, &dae), PCS_ERR_UNSUPPORTED);
    CK_FAILS(pcs_constrained_semi_explicit(sys, &semi), PCS_ERR_UNSUPPORTED);
    pcs_constrained_destroy(sys);
    pcs_constrained_destroy(NULL);
}
