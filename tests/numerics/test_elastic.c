// Impulses of stiff springs: closed forms (plates on legs, hinges on a line), the problem with
// W + e C for e -> 0 solved by another method, every start the same answer.
#include <math.h>
#include <string.h>

#include <percuss/numerics.h>

#include "support.h"

enum { LEGS = 7, ROWS = 3 * LEGS, VELOCITIES = 6 };

// a plate of unit mass on legs, N T1 T2 each, height h of its centre above their ends
typedef struct plate {
    pcs_problem p;
    pcs_block block[LEGS];
    double H[ROWS * VELOCITIES], W[ROWS * ROWS], q[ROWS];
    unsigned char memory[65536];
    pcs_arena arena;
    int dim;
} plate;

static const double inverse_mass[VELOCITIES] = {1, 1, 1, 5, 7, 3};

// q = -H v: the plate moves with v; mu < 0: without friction, one row each
static void stand(plate *t, int legs, const double (*at)[2], double h, double mu, const double *v)
{
    const int d = mu < 0 ? 1 : 3, n = d * legs;
    static const int axis[3] = {2, 0, 1}; // rows z x y of v + omega x p
    *t = (plate){.dim = d};
    for (int i = 0; i < legs; ++i) {
        t->block[i] = (pcs_block){.cone = d == 1 ? PCS_CONE_UNILATERAL : PCS_CONE_COULOMB,
                                  .row = d * i,
                                  .dim = d,
                                  .mu = d == 1 ? 0 : mu};
        const double p[3] = {at[i][0], at[i][1], -h};
        const double cross[3][3] = {{0, p[2], -p[1]}, {-p[2], 0, p[0]}, {p[1], -p[0], 0}};
        for (int c = 0; c < d; ++c) {
            t->H[d * i + c + n * axis[c]] = 1;
            for (int k = 0; k < 3; ++k) {
                t->H[d * i + c + n * (3 + k)] = cross[axis[c]][k];
            }
        }
    }
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < VELOCITIES; ++k) {
            t->q[i] += t->H[i + n * k] * v[k];
            for (int j = 0; j < n; ++j) {
                t->W[i + n * j] += t->H[i + n * k] * inverse_mass[k] * t->H[j + n * k];
            }
        }
    }
    t->p = (pcs_problem){.n = n, .nb = legs, .block = t->block, .q = t->q};
    t->arena = (pcs_arena){.base = t->memory, .size = sizeof t->memory};
    CK_OK(pcs_bsr_from_dense(n, n, t->W, &t->arena, &t->p.W));
}

static void solve_to(const pcs_problem *p, double tol, double *r)
{
    double u[ROWS];
    pcs_report report;
    pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_AUTO);
    o.tol = tol;
    CK_OK(pcs_solve_alloc(NULL, p, &o, r, u, &report));
    ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
}

// r of the problem with W + e C and q - e C b, from r
static void solve_soft(const plate *t, double e, const double *stiffness, const double *before,
                       double *r)
{
    plate soft = *t;
    const int n = t->p.n;
    for (int i = 0; i < n; ++i) {
        soft.W[i + n * i] += e / stiffness[i];
        soft.q[i] -= e / stiffness[i] * before[i];
    }
    soft.p.block = soft.block;
    soft.p.q = soft.q;
    soft.arena = (pcs_arena){.base = soft.memory, .size = sizeof soft.memory};
    CK_OK(pcs_bsr_from_dense(n, n, soft.W, &soft.arena, &soft.p.W));
    solve_to(&soft.p, 1e-14, r);
}

static double apart(int n, const double *a, const double *b)
{
    double most = 0;
    for (int i = 0; i < n; ++i) {
        most = fmax(most, fabs(a[i] - b[i]));
    }
    return most;
}

static const double square[4][2] = {{0.7, 0.4}, {-0.7, 0.4}, {-0.7, -0.4}, {0.7, -0.4}};
static const double seven[LEGS][2] = {{0.8, 0.1},   {0.3, 0.7},    {-0.4, 0.6}, {-0.9, 0.05},
                                      {-0.5, -0.6}, {0.35, -0.75}, {0.1, -0.05}};

// ---- closed forms ------------------------------------------------------------------------------

// the three balances of a weight 1 on the point (x, y)
static void expect_balance(int legs, const double (*at)[2], int d, const double *r, double x,
                           double y, double tol)
{
    double sum[3] = {0};
    for (int i = 0; i < legs; ++i) {
        sum[0] += r[d * i];
        sum[1] += r[d * i] * at[i][0];
        sum[2] += r[d * i] * at[i][1];
    }
    CK_NEAR(sum[0], 1, tol);
    CK_NEAR(sum[1], x, tol);
    CK_NEAR(sum[2], y, tol);
}

TEST(the_legs_yield_in_a_plane)
{
    // with three balances the closed form: r / k is a plane over the four legs
    const double x = 0.15, y = -0.1, k[4] = {1, 2, 3, 5};
    const double v[6] = {0, 0, -1, -5 * y, 7 * x, 0};
    plate t;
    stand(&t, 4, square, 0.3, -1, v);
    double r[4] = {0}, out[4], energy = 0;
    solve_to(&t.p, 1e-13, r);
    pcs_elastic_report report;
    CK_OK(pcs_certificate_elastic_impulse(NULL, &t.p, 1e-10, r, k, NULL, out, &report));
    expect_balance(4, square, 1, out, x, y, 1e-12);
    CK_NEAR(out[0] / k[0] - out[1] / k[1] + out[2] / k[2] - out[3] / k[3], 0, 1e-12);
    for (int i = 0; i < 4; ++i) {
        energy += out[i] * out[i] / (2 * k[i]);
    }
    CK_NEAR(report.energy, energy, 1e-14);
    ck_assert(report.measure.residual < 1e-12 && report.violation < 1e-10);
    ck_assert_int_eq(report.unique, PCS_UNIQUENESS_YES);
    ck_assert_int_eq(report.programs, 1);
}

TEST(a_leg_that_is_too_short)
{
    // before = -k d h: legs 0 and 2 carry less by the same amount, until they carry nothing
    const double v[6] = {0, 0, -1, 0, 0, 0};
    for (int i = 0; i < 3; ++i) {
        const double gap = 0.5 * i, before[4] = {-gap, 0, 0, 0};
        plate t;
        stand(&t, 4, square, 0.3, -1, v);
        double r[4] = {0.3, 0.2, 0.3, 0.2}, out[4];
        CK_OK(pcs_certificate_elastic_impulse(NULL, &t.p, 1e-10, r, NULL, before, out, NULL));
        // a plane through w_i = r_i - before_i: r0 + gap - r1 + r2 - r3 = 0
        const double hand = fmax(0, 0.25 - gap / 4);
        for (int c = 0; c < 4; ++c) {
            CK_NEAR(out[c], c % 2 ? 0.5 - hand : hand, 1e-9);
        }
    }
}

TEST(hinges_share_by_stiffness)
{
    // a body held five times in z: one equality block of three rows, one of two
    const double k[5] = {1, 2, 3, 4, 10}, load = 1;
    double W[25], q[5], r[5] = {load}, out[5];
    for (int i = 0; i < 25; ++i) {
        W[i] = 2;
    }
    for (int i = 0; i < 5; ++i) {
        q[i] = -2 * load;
    }
    pcs_block block[2] = {{.cone = PCS_CONE_EQUALITY, .row = 0, .dim = 3},
                          {.cone = PCS_CONE_EQUALITY, .row = 3, .dim = 2}};
    unsigned char memory[4096];
    pcs_arena arena = {.base = memory, .size = sizeof memory};
    pcs_problem p = {.n = 5, .nb = 2, .block = block, .q = q};
    CK_OK(pcs_bsr_from_dense(5, 5, W, &arena, &p.W));
    pcs_elastic_report report;
    CK_OK(pcs_certificate_elastic_impulse(NULL, &p, 1e-10, r, k, NULL, out, &report));
    for (int i = 0; i < 5; ++i) {
        CK_NEAR(out[i], load * k[i] / 20, 1e-13);
    }
    ck_assert_int_eq(report.unique, PCS_UNIQUENESS_YES);

    // two motors instead, the stronger spring with a small limit: it gives all it has
    block[1] = (pcs_block){.cone = PCS_CONE_BOX, .row = 3, .dim = 1, .mu = 5};
    pcs_block three[3] = {
        block[0], block[1], {.cone = PCS_CONE_BOX, .row = 4, .dim = 1, .mu = 0.1}};
    p.nb = 3;
    p.block = three;
    CK_OK(pcs_certificate_elastic_impulse(NULL, &p, 1e-10, r, k, NULL, out, &report));
    CK_NEAR(out[4], 0.1, 1e-9);
    for (int i = 0; i < 4; ++i) {
        CK_NEAR(out[i], 0.9 * k[i] / 10, 1e-9);
    }
    ck_assert_int_eq(report.slips, 1);
}

// ---- the limit of soft problems ----------------------------------------------------------------

// The problem of soft springs comes to within a multiple of e. The report is that of these impulses
// themselves: the r of the solver bears nothing on some legs, which may then be open
static void expect_limit(const plate *t, const double *stiffness, const double *before,
                         pcs_elastic_report *report)
{
    double r[ROWS] = {0}, out[ROWS], soft[ROWS];
    solve_to(&t->p, 1e-12, r);
    CK_OK(pcs_certificate_elastic_impulse(NULL, &t->p, 1e-9, r, stiffness, before, out, report));
    ck_assert_msg(report->violation < 1e-9, "violation %g", report->violation);
    ck_assert(report->measure.residual < 1e-9);
    double last = 0, size = 0;
    for (int i = 0; i < t->p.n; ++i) {
        size = fmax(size, fabs(out[i]));
    }
    memcpy(soft, out, sizeof soft);
    for (int k = 2; k <= 5; ++k) {
        solve_soft(t, pow(10, -k), stiffness, before, soft);
        const double now = apart(t->p.n, soft, out);
        ck_assert_msg(k == 2 || now < last / 5 || now < 1e-7 * size, "e %d: %g after %g", k, now,
                      last);
        last = now;
    }
    ck_assert_msg(last < 1e-3 * size, "%g", last);

    memcpy(r, out, sizeof r);
    CK_OK(pcs_certificate_elastic_impulse(NULL, &t->p, 1e-9, r, stiffness, before, out, report));
    ck_assert(apart(t->p.n, r, out) < 1e-8 * size);
}

TEST(soft_legs_without_friction)
{
    test_random random = random_seed(3);
    for (int draw = 0; draw < 8; ++draw) {
        double k[LEGS], before[LEGS];
        for (int i = 0; i < LEGS; ++i) {
            k[i] = exp(random_normal(&random));
            before[i] = draw < 4 ? 0 : 0.05 * random_normal(&random);
        }
        const double x = 0.4 * random_unit(&random), y = -0.3 * random_unit(&random);
        const double v[6] = {0, 0, -1, -5 * y, 7 * x, 0};
        plate t;
        stand(&t, LEGS, seven, 0.3, -1, v);
        pcs_elastic_report report;
        expect_limit(&t, k, before, &report);
        ck_assert_int_eq(report.unique, PCS_UNIQUENESS_YES);
    }
}

TEST(soft_legs_with_friction)
{
    test_random random = random_seed(4);
    int slips = 0, sticks = 0;
    for (int draw = 0; draw < 20; ++draw) {
        double k[ROWS], before[ROWS] = {0};
        for (int i = 0; i < LEGS; ++i) {
            k[3 * i] = exp(random_normal(&random));
            k[3 * i + 1] = k[3 * i + 2] = k[3 * i] * exp(0.5 * random_normal(&random));
        }
        // the second is near the limit: all sticks, and some springs slip
        const double push = draw % 2 ? 0.28 : 0.1;
        const double v[6] = {push, 0.3 * push, -1, 0.2, -0.3, draw % 3 ? 0.02 : 0};
        plate t;
        stand(&t, LEGS, seven, 0.3, 0.3, v);
        pcs_elastic_report report;
        expect_limit(&t, k, before, &report);
        slips += report.slips > 0;
        sticks += report.unique == PCS_UNIQUENESS_LOCAL;
    }
    ck_assert(slips > 3 && sticks > 3);
}

TEST(soft_legs_that_slide)
{
    test_random random = random_seed(5);
    for (int draw = 0; draw < 8; ++draw) {
        double k[12], before[12] = {0};
        for (int i = 0; i < 12; ++i) {
            k[i] = exp(random_normal(&random));
            if (i % 3 == 0) before[i] = 0.1 * random_normal(&random);
        }
        const double v[6] = {2, 0, -1, 0, -0.2 * draw, 0};
        plate t;
        stand(&t, 4, square, 0.3, 0.3, v);
        pcs_elastic_report report;
        expect_limit(&t, k, before, &report);
        ck_assert_int_eq(report.slips, 0);
    }
}

TEST(a_turning_slide_has_other_velocities)
{
    // the pressures decide how the plate turns: with these velocities no springs agree, and it is
    // said
    const double v[6] = {0.6, 0.18, -1, 0.2, -0.3, 0};
    plate t;
    stand(&t, LEGS, seven, 0.3, 0.3, v);
    double r[ROWS] = {0}, out[ROWS];
    solve_to(&t.p, 1e-13, r);
    pcs_elastic_report report;
    CK_OK(pcs_certificate_elastic_impulse(NULL, &t.p, 1e-9, r, NULL, NULL, out, &report));
    ck_assert(isnan(out[0]) && report.violation > 1e-7);
    ck_assert_int_eq(report.unique, PCS_UNIQUENESS_UNKNOWN);
}

// ---- one answer --------------------------------------------------------------------------------

TEST(every_start_gives_the_same)
{
    const double v[6] = {0.1, 0, -1, 0.3, 0.2, 0};
    plate t;
    stand(&t, LEGS, seven, 0.3, 0.5, v);
    double k[ROWS], first[ROWS], out[ROWS];
    for (int i = 0; i < ROWS; ++i) {
        k[i] = 1 + 0.3 * (i % 5);
    }
    test_random random = random_seed(11);
    for (int draw = 0; draw < 6; ++draw) {
        double r[ROWS];
        for (int i = 0; i < ROWS; ++i) {
            r[i] = random_normal(&random);
        }
        solve_to(&t.p, 1e-13, r);
        CK_OK(pcs_certificate_elastic_impulse(NULL, &t.p, 1e-9, r, k, NULL, out, NULL));
        if (draw == 0) memcpy(first, out, sizeof first);
        CK_NEAR(apart(ROWS, first, out), 0, 1e-9);
    }
}

TEST(bad_springs_are_refused)
{
    const double v[6] = {0, 0, -1, 0, 0, 0};
    plate t;
    stand(&t, 4, square, 0.3, -1, v);
    double r[4] = {0.25, 0.25, 0.25, 0.25}, out[4], k[4] = {1, 1, 0, 1};
    CK_FAILS(pcs_certificate_elastic_impulse(NULL, &t.p, 0, r, k, NULL, out, NULL), PCS_ERR_ARG);
    k[2] = INFINITY;
    CK_FAILS(pcs_certificate_elastic_impulse(NULL, &t.p, 0, r, k, NULL, out, NULL), PCS_ERR_ARG);
    k[2] = NAN;
    CK_FAILS(pcs_certificate_elastic_impulse(NULL, &t.p, 0, r, NULL, k, out, NULL), PCS_ERR_ARG);
    CK_FAILS(pcs_certificate_elastic_impulse(NULL, &t.p, 0, r, NULL, NULL, NULL, NULL),
             PCS_ERR_ARG);
    CK_FAILS(pcs_certificate_elastic_impulse(NULL, NULL, 0, r, NULL, NULL, out, NULL), PCS_ERR_ARG);
    // an r that is no solution has no limit
    const double wrong[4] = {1, 0, 0, 0};
    pcs_elastic_report report;
    CK_OK(pcs_certificate_elastic_impulse(NULL, &t.p, 0, wrong, NULL, NULL, out, &report));
    ck_assert(isnan(out[0]) && isinf(report.violation));
    ck_assert_int_eq(report.unique, PCS_UNIQUENESS_UNKNOWN);
    for (int k2 = 0; k2 < 2; ++k2) {
        test_memory memory = {.fail_at = k2};
        pcs_env env = test_env(&memory);
        CK_FAILS(pcs_certificate_elastic_impulse(&env, &t.p, 0, r, NULL, NULL, out, NULL),
                 PCS_ERR_MEMORY);
        ck_assert_int_eq(memory.live, 0);
    }
}
