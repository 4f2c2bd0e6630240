// Problems without a solution: the proof in closed form, none where a solution exists, and the
// outcome of solvers that run out of time.
#include <float.h>
#include <math.h>
#include <string.h>

#include <percuss/numerics.h>

#include "friction.h"
#include "support.h"

// W = H H' of a free particle of unit mass in the plane, against walls at angles; N T each
typedef struct walls {
    pcs_problem p;
    pcs_block block[4];
    double W[64], q[8];
    unsigned char memory[4096];
} walls;

static void stand_between(walls *t, int count, const double *angle, const double *speed, double mu)
{
    double H[16];
    const int n = 2 * count;
    *t = (walls){0};
    for (int b = 0; b < count; ++b) {
        const double c = cos(angle[b]), s = sin(angle[b]), rows[4] = {c, s, -s, c};
        memcpy(H + 4 * b, rows, sizeof rows);
        t->block[b] = (pcs_block){.cone = PCS_CONE_COULOMB, .row = 2 * b, .dim = 2, .mu = mu};
        t->q[2 * b] = -speed[b];
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            t->W[i + n * j] = H[2 * i] * H[2 * j] + H[2 * i + 1] * H[2 * j + 1];
        }
    }
    t->p = (pcs_problem){.n = n, .nb = count, .block = t->block, .q = t->q};
    pcs_arena arena = {.base = t->memory, .size = sizeof t->memory};
    CK_OK(pcs_bsr_from_dense(n, n, t->W, &arena, &t->p.W));
}

TEST(two_walls_that_close)
{
    // the walls have the speeds v and w against the particle: y = (1, 1), closing at (v + w) / 2
    const double angle[2] = {0.3, 0.3 + 3.14159265358979323846}, speed[2] = {0.4, -0.1};
    walls t;
    stand_between(&t, 2, angle, speed, 0.5);
    double y[4], closing;
    CK_OK(pcs_certificate_refute(NULL, &t.p, y, &closing));
    CK_NEAR(y[0], 1, 1e-9);
    CK_NEAR(y[2], 1, 1e-9);
    ck_assert(y[1] == 0 && y[3] == 0);
    CK_NEAR(closing, 0.15, 1e-9);

    // they open
    t.q[2] = 0.5;
    CK_OK(pcs_certificate_refute(NULL, &t.p, y, &closing));
    ck_assert(y[0] == 0 && y[2] == 0 && closing == 0);
}

// W = (1 -1; -1 1 + e), q = (-1, 1/2) has the solution r = (1 + 1/(2e), 1/(2e)), u = 0, in exact
// numbers for e = 2^-k: W is not singular to rounding
TEST(what_is_nearly_singular_is_not_refuted)
{
    for (int k = 10; k <= 44; k += 2) {
        double e = ldexp(1, -k), W[4] = {1, -1, -1, 1 + e}, q[2] = {-1, 0.5};
        pcs_block block[2] = {{PCS_CONE_UNILATERAL, 0, 1, 0}, {PCS_CONE_UNILATERAL, 1, 1, 0}};
        unsigned char memory[4096];
        pcs_arena arena = {.base = memory, .size = sizeof memory};
        pcs_problem p = {.n = 2, .nb = 2, .block = block, .q = q};
        CK_OK(pcs_bsr_from_dense(2, 2, W, &arena, &p.W));
        double y[2], closing, r[2] = {0}, u[2];
        pcs_report report;
        CK_OK(pcs_certificate_refute(NULL, &p, y, &closing));
        ck_assert_msg(closing == 0 && y[0] == 0 && y[1] == 0, "e = 2^-%d", k);
        CK_OK(pcs_solve_alloc(NULL, &p, NULL, r, u, &report));
        ck_assert_msg(report.outcome != PCS_OUTCOME_INFEASIBLE, "e = 2^-%d", k);
    }
}

// q.y = 0 but for rounding: r = (1, 0) solves it
TEST(the_rounding_of_q_is_no_proof)
{
    double W[4] = {1, -1, -1, 1};
    pcs_block block[2] = {{PCS_CONE_UNILATERAL, 0, 1, 0}, {PCS_CONE_UNILATERAL, 1, 1, 0}};
    for (int k = 1; k <= 50; ++k) {
        double q[2] = {-0.1 * k, 0.1 * k * (1 - 4 * DBL_EPSILON)};
        unsigned char memory[4096];
        pcs_arena arena = {.base = memory, .size = sizeof memory};
        pcs_problem p = {.n = 2, .nb = 2, .block = block, .q = q};
        CK_OK(pcs_bsr_from_dense(2, 2, W, &arena, &p.W));
        double y[2], closing;
        CK_OK(pcs_certificate_refute(NULL, &p, y, &closing));
        ck_assert(closing == 0 && y[0] == 0 && y[1] == 0);
    }
}

TEST(three_walls_that_close)
{
    // y_i ~ sin of the angle between the other two normals
    const double angle[3] = {0, 2.2, 4.4}, speed[3] = {0.2, 0.1, 0.3};
    double hand[3], most = 0, close = 0, sum = 0, y[6], closing;
    walls t;
    stand_between(&t, 3, angle, speed, 0.2);
    for (int i = 0; i < 3; ++i) {
        hand[i] = sin(angle[(i + 2) % 3] - angle[(i + 1) % 3]);
        if (i == 1) hand[i] = -sin(angle[2] - angle[0]);
        hand[i] = fabs(hand[i]);
        most = fmax(most, hand[i]);
    }
    CK_OK(pcs_certificate_refute(NULL, &t.p, y, &closing));
    for (int i = 0; i < 3; ++i) {
        CK_NEAR(y[2 * i], hand[i] / most, 1e-9);
        close += hand[i] * speed[i];
        sum += hand[i];
    }
    CK_NEAR(closing, close / sum, 1e-9);
}

// A particle between walls that lean by an angle a may leave along them, at some (v + w) / a: 1e5
// times the speeds of the walls is none
TEST(velocities_beyond_all_others_are_no_solution)
{
    const double pi = 3.14159265358979323846, lean[2] = {1e-8, 1e-3}, speed[2] = {0.4, -0.1};
    for (int k = 0; k < 2; ++k) {
        const double angle[2] = {0.3, 0.3 + pi + lean[k]};
        double y[4], closing;
        walls t;
        stand_between(&t, 2, angle, speed, 0.5);
        CK_OK(pcs_certificate_refute(NULL, &t.p, y, &closing));
        CK_NEAR(closing, k == 0 ? 0.15 : 0, 1e-8);
        ck_assert((y[0] != 0) == (k == 0));
    }
}

// A ball of 1 kg on the ground below one of M kg, which fall at 1 m/s: the impulses M + 1 and M
// stop them, however large, and y = (1, 1) with W y = (0, 1 / M) is no proof
TEST(large_impulses_are_solutions)
{
    for (int k = 2; k <= 8; k += 2) {
        const double M = pow(10, k), q[2] = {-1, 0};
        double W[4] = {1, -1, -1, 1 + 1 / M};
        const pcs_block block[2] = {{.cone = PCS_CONE_UNILATERAL, .row = 0, .dim = 1},
                                    {.cone = PCS_CONE_UNILATERAL, .row = 1, .dim = 1}};
        unsigned char memory[1024];
        double y[2], closing;
        pcs_arena arena = {.base = memory, .size = sizeof memory};
        pcs_problem p = {.n = 2, .nb = 2, .block = block, .q = q};
        CK_OK(pcs_bsr_from_dense(2, 2, W, &arena, &p.W));
        CK_OK(pcs_certificate_refute(NULL, &p, y, &closing));
        ck_assert(y[0] == 0 && y[1] == 0 && closing == 0);
    }
}

TEST(solvers_say_so)
{
    const double angle[2] = {0.3, 0.3 + 3.14159265358979323846}, speed[2] = {0.4, -0.1};
    walls t;
    stand_between(&t, 2, angle, speed, 0.7);
    double r[8] = {0}, u[8];
    pcs_report report;
    CK_OK(pcs_solve_alloc(NULL, &t.p, NULL, r, u, &report));
    ck_assert_int_eq(report.outcome, PCS_OUTCOME_INFEASIBLE);
}

TEST(what_has_a_solution_is_not_refuted)
{
    static const friction families[] = {FRICTION_DENSE, FRICTION_DEFICIENT, FRICTION_MIXED,
                                        FRICTION_SPHERES, FRICTION_BOXES};
    for (size_t f = 0; f < sizeof families / sizeof *families; ++f) {
        for (uint64_t seed = 1; seed <= (uint64_t)TEST_DRAWS(8); ++seed) {
            pcs_arena arena;
            CK_OK(pcs_arena_create(NULL, friction_bytes(families[f], 6), &arena));
            double *unused, closing;
            pcs_arena work = arena;
            const pcs_problem p = friction_problem(families[f], 6, seed, &work, &unused);
            double *y = calloc((size_t)p.n, sizeof *y);
            CK_OK(pcs_certificate_refute(NULL, &p, y, &closing));
            for (int i = 0; i < p.n; ++i) {
                ck_assert(y[i] == 0);
            }
            ck_assert(closing == 0);
            free(y);
            pcs_arena_destroy(NULL, &arena);
        }
    }
}

TEST(bad_arguments)
{
    const double angle[2] = {0, 3}, speed[2] = {1, 1};
    walls t;
    stand_between(&t, 2, angle, speed, 0.5);
    double y[4];
    CK_FAILS(pcs_certificate_refute(NULL, NULL, y, NULL), PCS_ERR_ARG);
    CK_FAILS(pcs_certificate_refute(NULL, &t.p, NULL, NULL), PCS_ERR_ARG);
    CK_OK(pcs_certificate_refute(NULL, &t.p, y, NULL));
    for (int k = 0; k < 2; ++k) {
        test_memory memory = {.fail_at = k};
        pcs_env env = test_env(&memory);
        CK_FAILS(pcs_certificate_refute(&env, &t.p, y, NULL), PCS_ERR_MEMORY);
        ck_assert_int_eq(memory.live, 0);
    }
}
