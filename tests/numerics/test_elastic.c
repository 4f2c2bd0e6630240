// Impulses of stiff springs: closed forms (plates on legs, hinges on a line), the problem with
// W + e C for e -> 0 solved by another method, random tables against six equations of their motion,
// every start the same answer.
#include <math.h>
#include <string.h>

#include <percuss/numerics.h>

#include "support.h"

enum { DRAWS = 300, LEGS = 7, MOST = 10, ROWS = 3 * MOST, VELOCITIES = 6 };

// a plate of unit mass on legs, N T1 T2 each, height h of its centre above their ends
typedef struct plate {
    pcs_problem p;
    pcs_block block[MOST];
    double H[ROWS * VELOCITIES], W[ROWS * ROWS], q[ROWS];
    unsigned char memory[65536];
    pcs_arena arena;
    int dim;
} plate;

static const double inverse_mass[VELOCITIES] = {1, 1, 1, 5, 7, 3};

// q = H v: the plate moves with v; mu < 0: without friction, one row each. F: rows N, T1, T2 of the
// plane
static void stand_on(plate *t, const double (*F)[3], int legs, const double (*at)[2], double h,
                     double mu, const double *v)
{
    const int d = mu < 0 ? 1 : 3, n = d * legs;
    *t = (plate){.dim = d};
    for (int i = 0; i < legs; ++i) {
        t->block[i] = (pcs_block){.cone = d == 1 ? PCS_CONE_UNILATERAL : PCS_CONE_COULOMB,
                                  .row = d * i,
                                  .dim = d,
                                  .mu = d == 1 ? 0 : mu};
        double p[3];
        for (int k = 0; k < 3; ++k) {
            p[k] = at[i][0] * F[1][k] + at[i][1] * F[2][k] - h * F[0][k];
        }
        // F . (v + omega x p)
        for (int c = 0; c < d; ++c) {
            for (int k = 0; k < 3; ++k) {
                const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
                t->H[d * i + c + n * k] = F[c][k];
                t->H[d * i + c + n * (3 + k)] = p[k1] * F[c][k2] - p[k2] * F[c][k1];
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

static void stand(plate *t, int legs, const double (*at)[2], double h, double mu, const double *v)
{
    static const double level[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    stand_on(t, level, legs, at, h, mu, v);
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

static void random_frame(test_random *random, double (*F)[3])
{
    double q[4];
    random_quaternion(random, q);
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double R[3][3] = {
        {1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
        {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
        {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)},
    };
    memcpy(F, R, sizeof R);
}

TEST(three_legs_do_not_pull_at_one_another)
{
    // the normal impulses of three legs are known, to rounding in any frame; only friction can be
    // shared: each leg carries a third of the weight and of the push, and all inward pulls vanish
    const double push = 0.2, size = 0.6;
    test_random random = random_seed(2);
    for (int draw = 0; draw < 30; ++draw) {
        double at[3][2], F[3][3], r[9], out[9], v[VELOCITIES];
        const double pull = 0.1 * random_unit(&random), turn = 7 * random_unit(&random);
        random_frame(&random, F);
        for (int i = 0; i < 3; ++i) {
            const double angle = turn + 2 * acos(-1) / 3 * i;
            at[i][0] = size * cos(angle);
            at[i][1] = size * sin(angle);
            r[3 * i] = 1.0 / 3;
            r[3 * i + 1] = -push / 3 - pull * cos(angle);
            r[3 * i + 2] = -pull * sin(angle);
        }
        for (int k = 0; k < 3; ++k) {
            v[k] = push * F[1][k] - F[0][k];
            v[3 + k] = 0;
        }
        plate t;
        stand_on(&t, (const double(*)[3])F, 3, (const double(*)[2])at, 0, 0.9, v);
        pcs_elastic_report report;
        CK_OK(pcs_certificate_elastic_impulse(NULL, &t.p, 1e-9, r, NULL, NULL, out, &report));
        for (int i = 0; i < 9; ++i) {
            CK_NEAR(out[i], i % 3 == 0 ? 1.0 / 3 : i % 3 == 1 ? -push / 3 : 0, 1e-11);
        }
        ck_assert_int_eq(report.slips, 0);
        ck_assert_int_eq(report.programs, 1);
    }
}

TEST(a_block_between_walls)
{
    // it only touches them: wedged it may rest with any large normal impulses, but springs that
    // bear nothing before let it fall, with all of its weight. Pressed before, they hold it
    double W[16], q[4] = {0, -1, 0, -1}, out[4];
    const double H[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, 1}}, r[4] = {1, 0.5, 1, 0.5};
    const double pressed[4] = {2, 0, 2, 0};
    for (int i = 0; i < 16; ++i) {
        W[i] = H[i % 4][0] * H[i / 4][0] + H[i % 4][1] * H[i / 4][1];
    }
    pcs_block block[2] = {{.cone = PCS_CONE_COULOMB, .row = 0, .dim = 2, .mu = 0.6},
                          {.cone = PCS_CONE_COULOMB, .row = 2, .dim = 2, .mu = 0.6}};
    unsigned char memory[4096];
    pcs_arena arena = {.base = memory, .size = sizeof memory};
    pcs_problem p = {.n = 4, .nb = 2, .block = block, .q = q};
    CK_OK(pcs_bsr_from_dense(4, 4, W, &arena, &p.W));
    pcs_elastic_report report;
    CK_OK(pcs_certificate_elastic_impulse(NULL, &p, 1e-10, r, NULL, NULL, out, &report));
    ck_assert(isnan(out[0]) && report.violation > 0.1);
    CK_NEAR(report.moved, 1, 1e-9);
    CK_OK(pcs_certificate_elastic_impulse(NULL, &p, 1e-10, r, NULL, pressed, out, &report));
    for (int i = 0; i < 4; ++i) {
        CK_NEAR(out[i], i % 2 ? 0.5 : 2, 1e-12);
    }
    ck_assert(report.moved == 0);
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

// ---- random tables -----------------------------------------------------------------------------

typedef struct table {
    plate t;
    int legs;
    double load[VELOCITIES]; // impulses and moments that r balances
    double k[ROWS];
} table;

// on 3 to 10 legs, on a plane of any direction, with springs between 0.1 and 10; W of any size. The
// load is pushed aside by push times its weight at most, and turned by moments of that size
static void random_table(test_random *random, double push, double turning, table *a)
{
    const double turn = 2 * acos(-1);
    double F[3][3], at[MOST][2], v[VELOCITIES], aside[2];
    *a = (table){.legs = 3 + (int)(8 * random_unit(random))};
    random_frame(random, F);
    for (int i = 0; i < a->legs; ++i) {
        const double angle = turn * (i + 0.6 * random_unit(random)) / a->legs;
        const double length = random_between(random, 0.4, 0.8);
        at[i][0] = length * cos(angle);
        at[i][1] = length * sin(angle);
        a->k[3 * i] = pow(10, random_between(random, -1, 1));
        a->k[3 * i + 1] = a->k[3 * i + 2] = a->k[3 * i] * random_between(random, 0.1, 2.1);
    }
    const double mu = random_between(random, 0.1, 1), h = random_between(random, 0.2, 0.7);
    const double by = push * random_unit(random) * random_unit(random);
    const double angle = turn * random_unit(random);
    aside[0] = by * cos(angle);
    aside[1] = by * sin(angle);
    for (int k = 0; k < 3; ++k) {
        a->load[k] = -F[0][k] + aside[0] * F[1][k] + aside[1] * F[2][k];
        a->load[3 + k] = turning * random_between(random, -1, 1);
    }
    for (int k = 0; k < VELOCITIES; ++k) {
        v[k] = inverse_mass[k] * a->load[k];
    }
    stand_on(&a->t, (const double(*)[3])F, a->legs, (const double(*)[2])at, h, mu, v);
    const double size = pow(10, random_between(random, -4, 4));
    for (int i = 0; i < a->t.p.n; ++i) {
        a->t.q[i] *= size;
        for (int j = 0; j < a->t.p.n; ++j) {
            a->t.W[i + a->t.p.n * j] *= size;
        }
    }
}

// |W r + q| / |q|
static double moves(const plate *t, const double *r)
{
    double u[ROWS], sum = 0, all = 0;
    pcs_bsr_mul(&t->p.W, r, u);
    for (int i = 0; i < t->p.n; ++i) {
        sum += (u[i] + t->q[i]) * (u[i] + t->q[i]);
        all += t->q[i] * t->q[i];
    }
    return sqrt(sum / all);
}

// A y = b, A positive definite
static void solve_six(double (*A)[VELOCITIES], double *b)
{
    for (int k = 0; k < VELOCITIES; ++k) {
        for (int i = 0; i < VELOCITIES; ++i) {
            const double f = A[i][k] / A[k][k];
            if (i == k) continue;
            for (int j = k; j < VELOCITIES; ++j) {
                A[i][j] -= f * A[k][j];
            }
            b[i] -= f * b[k];
        }
    }
    for (int k = 0; k < VELOCITIES; ++k) {
        b[k] /= A[k][k];
    }
}

// r of springs that do not slip: the table moves by y, r = -k H y where H y points downwards, and
// balances the load. False where a leg would slip, or no set of legs was found
static bool stuck(const table *a, double *r)
{
    const int n = a->t.p.n;
    bool bears[MOST];
    for (int i = 0; i < a->legs; ++i) {
        bears[i] = true;
    }
    for (int pass = 0; pass < 20; ++pass) {
        double A[VELOCITIES][VELOCITIES] = {{0}}, y[VELOCITIES];
        for (int k = 0; k < VELOCITIES; ++k) {
            y[k] = a->load[k];
            for (int j = 0; j < VELOCITIES; ++j) {
                for (int i = 0; i < n; ++i) {
                    if (bears[i / 3]) A[k][j] += a->t.H[i + n * k] * a->k[i] * a->t.H[i + n * j];
                }
            }
        }
        solve_six(A, y);
        bool changed = false, slips = false;
        for (int i = 0; i < a->legs; ++i) {
            double f[3];
            for (int c = 0; c < 3; ++c) {
                f[c] = 0;
                for (int k = 0; k < VELOCITIES; ++k) {
                    f[c] -= a->k[3 * i + c] * a->t.H[3 * i + c + n * k] * y[k];
                }
                r[3 * i + c] = bears[i] ? f[c] : 0;
            }
            changed = changed || bears[i] != (f[0] > 0);
            slips = slips || (bears[i] && hypot(f[1], f[2]) > 0.999 * a->t.block[i].mu * f[0]);
            bears[i] = f[0] > 0;
        }
        if (!changed) return !slips;
    }
    return false;
}

// r balances the load
static void expect_statics(const table *a, const double *r)
{
    const int n = a->t.p.n;
    for (int k = 0; k < VELOCITIES; ++k) {
        double sum = a->load[k];
        for (int i = 0; i < n; ++i) {
            sum += a->t.H[i + n * k] * r[i];
        }
        CK_NEAR(sum, 0, 1e-9);
    }
    for (int i = 0; i < a->legs; ++i) {
        ck_assert(hypot(r[3 * i + 1], r[3 * i + 2]) <= a->t.block[i].mu * r[3 * i] + 1e-15);
    }
}

typedef struct tally {
    int rest, slip, stuck, none;
} tally;

// One answer, from any r with these velocities: in the cones, in balance, that of an independent
// method where nothing slips, and the limit of soft springs. None only where soft springs let the
// table move
static void expect_table(test_random *random, tally *count)
{
    table a;
    double r[3][ROWS] = {{0}}, out[3][ROWS], hand[ROWS], soft[ROWS];
    const double zero[ROWS] = {0};
    random_table(random, 0.6, 0.15, &a);
    const int n = a.t.p.n;
    pcs_elastic_report report[3];
    solve_to(&a.t.p, 1e-13, r[0]);
    if (!(moves(&a.t, r[0]) < 1e-10)) return;
    ++count->rest;
    CK_OK(pcs_certificate_least_impulse(NULL, &a.t.p, 1e-9, r[0], r[1]));
    for (int i = 0; i < n; ++i) {
        r[2][i] = random_between(random, -0.3, 0.3) + (i % 3 == 0 ? 0.3 : 0);
    }
    solve_to(&a.t.p, 1e-13, r[2]);
    // slides are other solutions of some tables
    if (!(moves(&a.t, r[2]) < 1e-10)) memcpy(r[2], r[0], sizeof r[2]);
    for (int k = 0; k < 3; ++k) {
        CK_OK(pcs_certificate_elastic_impulse(NULL, &a.t.p, 1e-9, r[k], a.k, NULL, out[k],
                                              &report[k]));
        ck_assert_msg(isnan(out[k][0]) == isnan(out[0][0]), "start %d: %g and %g", k,
                      report[k].violation, report[0].violation);
    }
    memcpy(soft, isnan(out[0][0]) ? r[0] : out[0], sizeof soft);
    double stiffness[ROWS];
    for (int i = 0; i < n; ++i) {
        stiffness[i] = a.k[i] / a.t.W[0];
    }
    solve_soft(&a.t, 1e-6, stiffness, zero, soft);
    if (isnan(out[0][0])) {
        ++count->none;
        ck_assert_msg(moves(&a.t, soft) > 1e-4, "at rest, %g", moves(&a.t, soft));
        ck_assert(report[0].violation > 1e-7 && report[0].moved > 1e-4);
        return;
    }
    for (int k = 0; k < 3; ++k) {
        ck_assert(report[k].violation < 1e-9 && report[k].moved == 0);
        CK_NEAR(apart(n, out[k], out[0]), 0, 1e-9);
        expect_statics(&a, out[k]);
    }
    CK_NEAR(apart(n, soft, out[0]), 0, 1e-3);
    count->slip += report[0].slips > 0;
    if (!stuck(&a, hand)) return;
    ++count->stuck;
    ck_assert_int_eq(report[0].slips, 0);
    CK_NEAR(apart(n, hand, out[0]), 0, 1e-10);
}

TEST(random_tables)
{
    tally count = {0};
    for (int draw = 0; draw < DRAWS; ++draw) {
        test_random random = random_seed((uint64_t)draw);
        expect_table(&random, &count);
    }
    ck_assert_msg(count.slip > DRAWS / 8 && count.stuck > DRAWS / 8, "%d %d %d %d", count.rest,
                  count.slip, count.stuck, count.none);
}

// What is returned for a table that slides has the velocities of r, and lies in the cones; most of
// them turn, and have none
TEST(random_tables_that_slide)
{
    int slide = 0, found = 0;
    for (int draw = 0; draw < DRAWS; ++draw) {
        test_random random = random_seed((uint64_t)draw);
        const double turning = pow(10, random_between(&random, -6, -1));
        table a;
        double r[ROWS] = {0}, out[ROWS], change[ROWS];
        random_table(&random, 2, turning, &a);
        const int n = a.t.p.n;
        solve_to(&a.t.p, 1e-12, r);
        if (!(moves(&a.t, r) > 1e-6)) continue;
        ++slide;
        pcs_elastic_report report;
        CK_OK(pcs_certificate_elastic_impulse(NULL, &a.t.p, 1e-9, r, a.k, NULL, out, &report));
        if (isnan(out[0])) continue;
        ++found;
        double carried[ROWS], off = 0, size = 0, q = 0;
        pcs_bsr_mul(&a.t.p.W, r, carried);
        pcs_bsr_mul(&a.t.p.W, out, change);
        for (int i = 0; i < n; ++i) {
            off = hypot(off, change[i] - carried[i]);
            size = hypot(size, carried[i]);
            q = hypot(q, a.t.q[i]);
        }
        // as near as the report says; slides that are nearly parallel are near to a lower rank
        ck_assert(off <= (report.violation + 1e-8) * fmax(size, q));
        ck_assert(report.violation <= 1e-7);
        ck_assert(report.measure.residual < 1e-6);
    }
    ck_assert_msg(found > 10 && slide - found > 10, "%d of %d", found, slide);
}

// The springs of two legs slip. Convex programs, each with the shifts of the one before, do not
// converge here: the limit comes from springs of a finite stiffness
TEST(shifts_that_do_not_converge)
{
    const struct {
        double mu, h, load[VELOCITIES], at[4][2], k[4][2];
    } tables[] = {
        {.mu = 0.7578,
         .h = 0.6935,
         .load = {0.1735, 0.4718, -1, 0.01121, 0.06294, 0.1592},
         .at = {{0.4282, 0.5571}, {-0.2301, 0.4031}, {-0.4803, -0.1307}, {0.1803, -0.4298}},
         .k = {{0.2417, 0.04054}, {6.619, 9.379}, {0.6951, 0.3334}, {0.122, 0.0213}}},
        {.mu = 0.6527,
         .h = 0.363,
         .load = {-0.1796, 0.04815, -1, 0.1222, -0.1288, 0.1731},
         .at = {{0.5057, 0.3901}, {-0.4663, 0.57}, {-0.4707, -0.1518}, {0.09229, -0.7395}},
         .k = {{1.382, 2.259}, {4.747, 7.849}, {1.592, 0.2594}, {0.2397, 0.03578}}},
    };
    for (int i = 0; i < 2; ++i) {
        double k[12], before[12] = {0}, v[VELOCITIES];
        for (int c = 0; c < 12; ++c) {
            k[c] = tables[i].k[c / 3][c % 3 > 0];
        }
        for (int c = 0; c < VELOCITIES; ++c) {
            v[c] = inverse_mass[c] * tables[i].load[c];
        }
        plate t;
        stand(&t, 4, tables[i].at, tables[i].h, tables[i].mu, v);
        pcs_elastic_report report;
        expect_limit(&t, k, before, &report);
        ck_assert(report.slips > 0);
    }
}

// ---- one answer --------------------------------------------------------------------------------

TEST(every_start_gives_the_same)
{
    const double v[6] = {0.1, 0, -1, 0.3, 0.2, 0};
    plate t;
    stand(&t, LEGS, seven, 0.3, 0.5, v);
    double k[ROWS], first[ROWS], out[ROWS];
    for (int i = 0; i < t.p.n; ++i) {
        k[i] = 1 + 0.3 * (i % 5);
    }
    test_random random = random_seed(11);
    for (int draw = 0; draw < 6; ++draw) {
        double r[ROWS];
        for (int i = 0; i < t.p.n; ++i) {
            r[i] = random_normal(&random);
        }
        solve_to(&t.p, 1e-13, r);
        CK_OK(pcs_certificate_elastic_impulse(NULL, &t.p, 1e-9, r, k, NULL, out, NULL));
        if (draw == 0) memcpy(first, out, sizeof first);
        CK_NEAR(apart(t.p.n, first, out), 0, 1e-9);
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
