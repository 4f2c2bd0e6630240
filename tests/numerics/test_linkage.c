// Constrained systems of several bodies: more coordinates than velocities, linkages, chains, and
// the forms for the integrators.
#include "bob.h"

// ---- a plane compound pendulum in (x, y, c, s), dq/dt = T v with v = (x', y', w)

typedef struct compound {
    double m, J, l;
} compound;

static int compound_mass(void *user, double t, const double *q, double *M)
{
    const compound *p = user;
    M[0] = M[4] = p->m;
    M[8] = p->J;
    return 0;
}

static int compound_force(void *user, double t, const double *q, const double *v, double *F)
{
    F[1] = -((const compound *)user)->m * G;
    return 0;
}

static int compound_rate(void *user, double t, const double *q, const double *v, double *qdot)
{
    qdot[0] = v[0];
    qdot[1] = v[1];
    qdot[2] = -q[3] * v[2];
    qdot[3] = q[2] * v[2];
    return 0;
}

static int compound_phi(void *user, double t, const double *q, double *phi)
{
    const double l = ((const compound *)user)->l, r = hypot(q[2], q[3]);
    phi[0] = q[0] - l * q[3] / r;
    phi[1] = q[1] + l * q[2] / r;
    return 0;
}

static int compound_phi_complex(void *user, const pcs_complex *t, const pcs_complex *q,
                                pcs_complex *phi)
{
    const double l = ((const compound *)user)->l;
    const pcs_complex r = csqrt(q[2] * q[2] + q[3] * q[3]);
    phi[0] = q[0] - l * q[3] / r;
    phi[1] = q[1] + l * q[2] / r;
    return 0;
}

static int compound_normalise(void *user, double *q)
{
    const double r = hypot(q[2], q[3]);
    q[2] /= r;
    q[3] /= r;
    return !(r > 0);
}

static int compound_angle(void *user, double t, const double *x, double *dxdt)
{
    const compound *p = user;
    dxdt[0] = x[1];
    dxdt[1] = -p->m * G * p->l * sin(x[0]) / (p->J + p->m * p->l * p->l);
    return 0;
}

TEST(coordinates_may_be_more_than_velocities)
{
    const compound p = {2, 0.3, 0.5};
    const pcs_ode angle = {.n = 2, .f = compound_angle, .user = (void *)&p};
    for (int how = 0; how < 4; ++how) {
        const pcs_constrained_def def = {.nv = 3,
                                         .nq = 4,
                                         .m = 2,
                                         .mass = compound_mass,
                                         .force = compound_force,
                                         .rate = compound_rate,
                                         .normalise = compound_normalise,
                                         .phi = how % 2 == 0 ? compound_phi : NULL,
                                         .phi_complex = how % 2 == 0 ? NULL : compound_phi_complex,
                                         .stabilisation = how < 2 ? PCS_STABILISATION_PROJECT
                                                                  : PCS_STABILISATION_GGL,
                                         .alpha = how < 2 ? 0 : 5,
                                         .user = (void *)&p};
        pcs_constrained *sys = make(&def);
        const pcs_ode ode = form(sys);
        double y[2] = {2, 1};
        // an approximate state is made consistent: the rotation hardly changes
        double x[7] = {p.l * sin(2.0) + 0.01, -p.l * cos(2.0), 2 * cos(2.0), 2 * sin(2.0), 0, 0, 1};
        CK_SAYS(pcs_constrained_check(sys, 0, x, x + 4, 1e-9, 1e-9), PCS_ERR_ARG, "constraint 0");
        CK_OK(pcs_constrained_project(sys, 0, x, x + 4));
        CK_OK(pcs_constrained_check(sys, 0, x, x + 4, 1e-12, 1e-13));
        CK_NEAR(hypot(x[2], x[3]), 1, 1e-15);
        y[0] = atan2(x[3], x[2]);
        y[1] = x[6];
        rk4(&ode, 0, 2e-3, 500, x);
        rk4(&angle, 0, 2e-3, 500, y);
        CK_NEAR(x[2], cos(y[0]), 1e-9);
        CK_NEAR(x[3], sin(y[0]), 1e-9);
        CK_NEAR(x[6], y[1], 1e-8);
        pcs_constrained_destroy(sys);
    }
}

// ---- a four-bar linkage: three moving bars of (x, y, theta), four pins, one freedom

typedef struct linkage {
    double length[3]; // crank, coupler, rocker
    double base;
} linkage;

static const linkage crank_rocker = {{0.3, 1.0, 0.8}, 0.9};

static int linkage_mass(void *user, double t, const double *q, double *M)
{
    const linkage *k = user;
    for (int b = 0; b < 3; ++b) {
        const double m = k->length[b]; // 1 kg/m
        M[(3 * b) * 10] = M[(3 * b + 1) * 10] = m;
        M[(3 * b + 2) * 10] = m * k->length[b] * k->length[b] / 12;
    }
    return 0;
}

static int linkage_force(void *user, double t, const double *q, const double *v, double *F)
{
    const linkage *k = user;
    for (int b = 0; b < 3; ++b) {
        F[3 * b + 1] = -k->length[b] * G;
    }
    return 0;
}

static int linkage_phi(void *user, const pcs_complex *t, const pcs_complex *q, pcs_complex *phi)
{
    const linkage *k = user;
    pcs_complex end[3][2][2];
    for (int b = 0; b < 3; ++b) {
        for (int side = 0; side < 2; ++side) {
            const double along = (side == 0 ? -0.5 : 0.5) * k->length[b];
            end[b][side][0] = q[3 * b] + along * ccos(q[3 * b + 2]);
            end[b][side][1] = q[3 * b + 1] + along * csin(q[3 * b + 2]);
        }
    }
    for (int c = 0; c < 2; ++c) {
        phi[c] = end[0][0][c];
        phi[2 + c] = end[0][1][c] - end[1][0][c];
        phi[4 + c] = end[1][1][c] - end[2][1][c];
        phi[6 + c] = end[2][0][c] - (c == 0 ? k->base : 0);
    }
    return 0;
}

static double linkage_energy(const linkage *k, const double *x)
{
    double sum = 0;
    for (int b = 0; b < 3; ++b) {
        const double m = k->length[b], *v = x + 9 + 3 * b;
        sum += 0.5 * m * (v[0] * v[0] + v[1] * v[1]) + m * m * m / 24 * v[2] * v[2] +
               m * G * x[3 * b + 1];
    }
    return sum;
}

static pcs_constrained_def linkage_def(pcs_stabilisation how)
{
    return (pcs_constrained_def){.nv = 9,
                                 .m = 8,
                                 .mass = linkage_mass,
                                 .force = linkage_force,
                                 .phi_complex = linkage_phi,
                                 .stabilisation = how,
                                 .alpha = how == PCS_STABILISATION_PROJECT ? 0 : 20,
                                 .user = (void *)&crank_rocker};
}

TEST(a_four_bar_linkage_closes)
{
    const linkage *k = &crank_rocker;
    for (int how = PCS_STABILISATION_BAUMGARTE; how <= PCS_STABILISATION_PROJECT; ++how) {
        const pcs_constrained_def def = linkage_def((pcs_stabilisation)how);
        pcs_constrained *sys = make(&def);
        const pcs_ode ode = form(sys);
        // approximate initial bodies; the crank rotates
        double x[18] = {0.1, 0.1, 0.8, 0.6, 0.5, 0.6, 1.1, 0.4, 1.1, 0, 0, 9};
        CK_FAILS(pcs_constrained_check(sys, 0, x, x + 9, 1e-9, 1e-9), PCS_ERR_ARG);
        CK_OK(pcs_constrained_project(sys, 0, x, x + 9));
        CK_OK(pcs_constrained_check(sys, 0, x, x + 9, 1e-12, 1e-13));
        const double energy = linkage_energy(k, x);
        rk4(&ode, 0, 1e-3, 1000, x);
        CK_NEAR(linkage_energy(k, x), energy, 1e-5 * fabs(energy));
        CK_OK(pcs_constrained_check(sys, 0, x, x + 9, 1e-6, 1e-4));
        // Freudenstein: the coupler is the distance of the two moving pins
        const double px = k->length[0] * cos(x[2]), py = k->length[0] * sin(x[2]);
        const double rx = k->base + k->length[2] * cos(x[8]), ry = k->length[2] * sin(x[8]);
        CK_NEAR(hypot(px - rx, py - ry), k->length[1], 1e-6);
        pcs_constrained_destroy(sys);
    }
}

// ---- forms: the solution of one is a zero of the other

TEST(all_forms_are_the_same_equations)
{
    for (int how = PCS_STABILISATION_NONE; how <= PCS_STABILISATION_GGL; ++how) {
        const pcs_constrained_def def = linkage_def((pcs_stabilisation)how);
        pcs_constrained *sys = make(&def);
        const pcs_ode ode = form(sys);
        pcs_semi_explicit semi;
        CK_OK(pcs_constrained_semi_explicit(sys, &semi));
        ck_assert_int_eq(semi.nx, 18);
        ck_assert_int_eq(semi.nz, how == PCS_STABILISATION_GGL ? 34 : 17);
        // a state that is not quite consistent
        const double x[18] = {0.1, 0.1, 0.8, 0.6, 0.5, 0.6, 1.1, 0.4, 1.1, 0, 0, 9, 1};
        double dxdt[18], back[18], residual[34];
        ck_assert_int_eq(ode.f(ode.user, 0, x, dxdt), 0);

        // (a, lambda) by normal equations of the linear part: lambda from the balance of forces
        double z[34] = {0}, at_zero[34], column[34], N[64] = {0}, b[8] = {0};
        memcpy(z, dxdt + 9, 9 * sizeof *z);
        ck_assert_int_eq(semi.g(semi.user, 0, x, z, at_zero), 0);
        double A[72];
        for (int j = 0; j < 8; ++j) {
            z[9 + j] = 1;
            ck_assert_int_eq(semi.g(semi.user, 0, x, z, column), 0);
            z[9 + j] = 0;
            for (int i = 0; i < 9; ++i) {
                A[i + 9 * j] = column[i] - at_zero[i];
            }
        }
        for (int j = 0; j < 8; ++j) {
            for (int i = 0; i < 9; ++i) {
                b[j] -= A[i + 9 * j] * at_zero[i];
                for (int l = 0; l < 8; ++l) {
                    N[j + 8 * l] += A[i + 9 * j] * A[i + 9 * l];
                }
            }
        }
        for (int p = 0; p < 8; ++p) { // Gauss, N is definite
            for (int i = p + 1; i < 8; ++i) {
                const double f = N[i + 8 * p] / N[p + 8 * p];
                for (int j = p; j < 8; ++j) {
                    N[i + 8 * j] -= f * N[p + 8 * j];
                }
                b[i] -= f * b[p];
            }
        }
        for (int p = 7; p >= 0; --p) {
            for (int j = p + 1; j < 8; ++j) {
                b[p] -= N[p + 8 * j] * z[9 + j];
            }
            z[9 + p] = b[p] / N[p + 8 * p];
        }
        if (how == PCS_STABILISATION_GGL) {
            for (int i = 0; i < 9; ++i) {
                z[17 + i] = dxdt[i] - x[9 + i]; // w
            }
        }
        ck_assert_int_eq(semi.g(semi.user, 0, x, z, residual), 0);
        CK_NEAR(largest(17, residual), 0, 1e-9);
        ck_assert_int_eq(semi.f(semi.user, 0, x, z, back), 0);
        for (int i = 0; i < 18; ++i) {
            CK_NEAR(back[i], dxdt[i], 1e-13 * (1 + fabs(dxdt[i])));
        }

        pcs_dae dae;
        if (how == PCS_STABILISATION_GGL) {
            CK_NEAR(largest(8, residual + 26), 0, 1e-11);
            CK_FAILS(pcs_constrained_dae(sys, &dae), PCS_ERR_UNSUPPORTED);
        } else {
            CK_OK(pcs_constrained_dae(sys, &dae));
            double F[26];
            ck_assert_int_eq(dae.F(dae.user, 0, dxdt, x, z + 9, F), 0);
            CK_NEAR(largest(26, F), 0, 1e-9);
        }
        pcs_constrained_destroy(sys);
    }
}

// ---- two free masses on a rod: nothing moves their centre of mass

static int dumbbell_mass(void *user, double t, const double *q, double *M)
{
    M[0] = M[5] = 1;
    M[10] = M[15] = 4;
    return 0;
}

static int dumbbell_phi(void *user, double t, const double *q, double *phi)
{
    phi[0] = hypot(q[2] - q[0], q[3] - q[1]) - 1;
    return 0;
}

TEST(a_projection_leaves_the_centre_of_mass)
{
    const pcs_constrained_def def = {.nv = 4, .m = 1, .mass = dumbbell_mass, .phi = dumbbell_phi};
    pcs_constrained *sys = make(&def);
    double q[4] = {0.1, 0.2, 0.9, 1.1}, v[4] = {1, -2, 0.5, 3}, impulse;
    double place[2], momentum[2];
    for (int i = 0; i < 2; ++i) {
        place[i] = q[i] + 4 * q[2 + i];
        momentum[i] = v[i] + 4 * v[2 + i];
    }
    CK_OK(pcs_constrained_project(sys, 0, q, v));
    CK_OK(pcs_constrained_check(sys, 0, q, v, 1e-12, 1e-12));
    for (int i = 0; i < 2; ++i) {
        CK_NEAR(q[i] + 4 * q[2 + i], place[i], 1e-14);
        CK_NEAR(v[i] + 4 * v[2 + i], momentum[i], 1e-13);
    }
    // an impact of a consistent state changes nothing
    double after[4];
    CK_OK(pcs_constrained_impact(sys, 0, q, v, NULL, after, &impulse));
    CK_NEAR(impulse, 0, 1e-12);
    pcs_constrained_destroy(sys);
}

TEST(only_making_one_allocates)
{
    const pcs_constrained_def def = linkage_def(PCS_STABILISATION_GGL);
    for (long k = 0;; ++k) {
        test_memory memory = {.fail_at = k};
        const pcs_env env = test_env(&memory);
        pcs_constrained *sys = NULL;
        const pcs_status status = pcs_constrained_create(&env, &def, &sys);
        if (out_of_memory(&memory, status)) continue;
        double x[18] = {0.1, 0.1, 0.8, 0.6, 0.5, 0.6, 1.1, 0.4, 1.1, 0, 0, 9};
        const long before = memory.allocated;
        const pcs_ode ode = form(sys);
        rk4(&ode, 0, 1e-3, 3, x);
        CK_OK(pcs_constrained_project(sys, 0, x, x + 9));
        ck_assert_int_eq(memory.allocated, before);
        pcs_constrained_destroy(sys);
        ck_assert_int_eq(memory.live, 0);
        break;
    }
}

// ---- many freedoms: a chain of points on rods, past the size where LAPACK factorises M

enum { CHAIN = 40 };

static int chain_mass(void *user, double t, const double *q, double *M)
{
    for (int i = 0; i < 2 * CHAIN; ++i) {
        M[i * (2 * CHAIN + 1)] = 1 + i % 3;
    }
    return 0;
}

static int chain_force(void *user, double t, const double *q, const double *v, double *F)
{
    for (int i = 0; i < CHAIN; ++i) {
        F[2 * i + 1] = -G * (1 + (2 * i + 1) % 3);
    }
    return 0;
}

static int chain_phi(void *user, double t, const double *q, double *phi)
{
    for (int i = 0; i < CHAIN; ++i) {
        const double x = q[2 * i] - (i > 0 ? q[2 * i - 2] : 0);
        const double y = q[2 * i + 1] - (i > 0 ? q[2 * i - 1] : 0);
        phi[i] = x * x + y * y - 0.01;
    }
    return 0;
}

TEST(a_long_chain_hangs_by_its_weight)
{
    const pcs_constrained_def def = {
        .nv = 2 * CHAIN, .m = CHAIN, .mass = chain_mass, .force = chain_force, .phi = chain_phi};
    pcs_constrained *sys = make(&def);
    double q[2 * CHAIN], v[2 * CHAIN] = {0}, a[2 * CHAIN], lambda[CHAIN], weight = 0;
    for (int i = 0; i < CHAIN; ++i) {
        q[2 * i] = 0;
        q[2 * i + 1] = -0.1 * (i + 1);
    }
    CK_OK(pcs_constrained_check(sys, 0, q, v, 1e-14, 1e-14));
    CK_OK(pcs_constrained_solve(sys, 0, q, v, a, lambda));
    CK_NEAR(largest(2 * CHAIN, a), 0, 1e-8);
    for (int i = CHAIN - 1; i >= 0; --i) {
        weight += G * (1 + (2 * i + 1) % 3);
        CK_NEAR(-2 * 0.1 * lambda[i], weight, 1e-9 * weight);
    }
    pcs_constrained_destroy(sys);
}
