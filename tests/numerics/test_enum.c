// Enumeration: singular sets, proofs that there is no solution, agreement with the definition,
// limits.
#include "support.h"

#include <percuss/numerics.h>

enum { MOST = 24 };

static pcs_report run_kinds(int n, const pcs_cone *kind, const double *M, const double *q,
                            double *z)
{
    double w[MOST];
    pcs_report report;
    const pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_ENUM);
    memset(z, 0, (size_t)n * sizeof *z);
    CK_OK(pcs_solve_mlcp(n, kind, M, q, &o, z, w, &report));
    for (int i = 0; i < n; ++i) {
        ck_assert(isfinite(z[i]));
    }
    ck_assert_int_eq(report.outcome == PCS_OUTCOME_CONVERGED, report.measure.residual <= o.tol);
    return report;
}

static pcs_report run(int n, const double *M, const double *q, double *z)
{
    pcs_cone kind[MOST];
    for (int i = 0; i < n; ++i) {
        kind[i] = PCS_CONE_UNILATERAL;
    }
    return run_kinds(n, kind, M, q, z);
}

// W r = -q on an active set may be singular and its shortest solution may have a wrong sign, while
// a longer one is valid
TEST(singular_sets_are_searched_by_their_vertices)
{
    double z[4];

    // w1 = z2 - 1, w2 = 0: z = (0, 1); every set that contains it is singular
    const double A[4] = {0, 0, 1, 0}, qa[2] = {-1, 0};
    ck_assert_int_eq(run(2, A, qa, z).outcome, PCS_OUTCOME_CONVERGED);
    ck_assert(z[0] * (z[1] - 1) == 0 && z[1] >= 1);

    // rows (1, -1; ...) of rank 1: z1 - z2 = 1 for all active, the shortest is (1/2, -1/2)
    const double B[4] = {1, -1, -1, 1}, qb[2] = {-1, 1};
    ck_assert_int_eq(run(2, B, qb, z).outcome, PCS_OUTCOME_CONVERGED);
    CK_NEAR(z[0], 1, 1e-15);
    CK_NEAR(z[1], 0, 0);

    // equality rows whose shortest multiplier is valid, and a unilateral row that must not be
    // missed
    const pcs_cone kind[3] = {PCS_CONE_EQUALITY, PCS_CONE_UNILATERAL, PCS_CONE_EQUALITY};
    const double C[9] = {0, -1, 0, 1, 0, 2, 0, -2, 0}, qc[3] = {-3, 1, -6};
    // 0 = z2 - 3 twice, w2 = -z1 - 2 z3 + 1 = 0
    ck_assert_int_eq(run_kinds(3, kind, C, qc, z).outcome, PCS_OUTCOME_CONVERGED);
    CK_NEAR(z[1], 3, 1e-14);
    CK_NEAR(z[0] + 2 * z[2], 1, 1e-14);
    CK_NEAR(z[0], 0.2, 1e-14); // of the multipliers the shortest
}

// W = (2s -1; -1 2/s), q = (-1, 3/4): for s > 2/3 the second row is open, for smaller s none is
TEST(units_of_rows_do_not_matter)
{
    for (int k = -8; k <= 44; k += 4) {
        const double s = ldexp(1, k), W[4] = {2 * s, -1, -1, 2 / s}, q[2] = {-1, 0.75};
        const double z0 = s > 0.6 ? 0.5 / s : (2 / s - 0.75) / 3;
        const double z1 = s > 0.6 ? 0 : (1 - 1.5 * s) / 3;
        double z[4];
        ck_assert_msg(run(2, W, q, z).outcome == PCS_OUTCOME_CONVERGED, "s = 2^%d", k);
        CK_NEAR(z[0], z0, 1e-10 * z0);
        CK_NEAR(z[1], z1, 1e-10 * z1);
    }
}

TEST(fewest_active_rows_first)
{
    // (1, 0), (0, 1) and (1/3, 1/3) solve it
    const double M[4] = {1, 2, 2, 1}, q[2] = {-1, -1};
    double z[4];
    ck_assert_int_eq(run(2, M, q, z).outcome, PCS_OUTCOME_CONVERGED);
    ck_assert((z[0] > 0) + (z[1] > 0) == 1);
    CK_NEAR(z[0] + z[1], 1, 0);

    // a box on four corners of which two opposite ones carry it
    const double H[4][3] = {{1, 1, 1}, {1, 1, -1}, {1, -1, 1}, {1, -1, -1}};
    double W[16], b[4] = {-1, -1, -1, -1};
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
            W[i + 4 * j] = H[i][0] * H[j][0] + H[i][1] * H[j][1] + H[i][2] * H[j][2];
        }
    }
    ck_assert_int_eq(run(4, W, b, z).outcome, PCS_OUTCOME_CONVERGED);
    ck_assert_int_eq((z[0] > 0) + (z[1] > 0) + (z[2] > 0) + (z[3] > 0), 2);
    CK_NEAR(z[0] - z[3], 0, 1e-15);
    CK_NEAR(z[1] - z[2], 0, 1e-15);

    // zero where zero is a solution
    const double Z[4] = {0}, good[2] = {0, 3};
    ck_assert_int_eq(run(2, Z, good, z).outcome, PCS_OUTCOME_CONVERGED);
    ck_assert(z[0] == 0 && z[1] == 0);
}

// feasible, but without a complementary point: only a complete enumeration proves it
TEST(no_solution_is_proved)
{
    // w1 = z2 - z1 + 1 and w2 = z1 - z2 - 2 >= 0: z1 - z2 would be in [2, 1]
    const double A[4] = {-1, 1, 1, -1}, qa[2] = {1, -2};
    double z[MOST];
    ck_assert_int_eq(run(2, A, qa, z).outcome, PCS_OUTCOME_INFEASIBLE);

    // w1 = z1 + z2 - 1, w2 = z1 - 1: feasible for large z1, but z1 > 0 requires w1 = 0, so z2 = 1 -
    // z1 and w2 = z1 - 1 <= 0 makes z = (1, 0) a solution; with w2 = z1 - 2 there is no solution
    const double B[4] = {1, 1, 1, 0};
    ck_assert_int_eq(run(2, B, (double[]){-1, -1}, z).outcome, PCS_OUTCOME_CONVERGED);
    ck_assert_int_eq(run(2, B, (double[]){-1, -2}, z).outcome, PCS_OUTCOME_INFEASIBLE);

    // nine pairs with three solutions each, and that one: every combination has to be excluded
    double M[400] = {0}, q[20];
    for (int k = 0; k < 10; ++k) {
        const int i = 2 * k, j = i + 1;
        M[i + 20 * i] = 1;
        M[j + 20 * j] = k < 9 ? 1 : 0;
        M[i + 20 * j] = k < 9 ? 2 : 1;
        M[j + 20 * i] = k < 9 ? 2 : 1;
        q[i] = -1;
        q[j] = k < 9 ? -1 : -2;
    }
    const pcs_report r = run(20, M, q, z);
    ck_assert_int_eq(r.outcome, PCS_OUTCOME_INFEASIBLE);
    ck_assert_int_lt(r.iters, 1 << 20);
}

// against the definition: every active set of a regular problem, one linear solve each
TEST(agrees_with_the_definition)
{
    test_random rng = random_seed(21);
    for (int trial = 0; trial < 500; ++trial) {
        const int n = 1 + trial % 5;
        double M[25], q[5], z[MOST], x[5];
        for (int i = 0; i < n * n; ++i) {
            M[i] = random_normal(&rng);
        }
        for (int i = 0; i < n; ++i) {
            q[i] = random_normal(&rng);
        }
        int least = n + 1;
        for (int mask = 0; mask < 1 << n; ++mask) {
            // Gauss-Jordan on the rows in the mask, r = 0 elsewhere
            double A[30] = {0};
            bool good = true;
            int count = 0;
            for (int i = 0; i < n; ++i) {
                const bool on = mask >> i & 1;
                count += on;
                for (int j = 0; j < n; ++j) {
                    A[i + 5 * j] = on ? (mask >> j & 1 ? M[i + n * j] : 0) : i == j;
                }
                A[i + 25] = on ? -q[i] : 0;
            }
            for (int k = 0; k < n; ++k) {
                int p = k;
                for (int i = k; i < n; ++i) {
                    if (fabs(A[i + 5 * k]) > fabs(A[p + 5 * k])) p = i;
                }
                for (int j = 0; j <= 5; ++j) {
                    const double t = A[k + 5 * j];
                    A[k + 5 * j] = A[p + 5 * j];
                    A[p + 5 * j] = t;
                }
                for (int i = 0; i < n; ++i) {
                    const double f = i == k ? 0 : A[i + 5 * k] / A[k + 5 * k];
                    for (int j = 0; j <= 5; ++j) {
                        A[i + 5 * j] -= f * A[k + 5 * j];
                    }
                }
            }
            for (int i = 0; i < n; ++i) {
                x[i] = A[i + 25] / A[i + 5 * i];
                good = good && x[i] >= 0;
            }
            for (int i = 0; i < n && good; ++i) {
                double w = q[i];
                for (int j = 0; j < n; ++j) {
                    w += M[i + n * j] * x[j];
                }
                good = mask >> i & 1 || w >= 0;
            }
            if (good && count < least) least = count;
        }
        const pcs_report r = run(n, M, q, z);
        ck_assert_int_eq(r.outcome, least <= n ? PCS_OUTCOME_CONVERGED : PCS_OUTCOME_INFEASIBLE);
        int active = 0;
        for (int i = 0; i < n; ++i) {
            active += z[i] > 0;
        }
        if (least <= n) ck_assert_int_eq(active, least);
    }
}

// twenty rows: positive definite, and hyperstatic of every rank. The solution is that of lemke
// where it is unique, and the velocity W r always is
TEST(twenty_rows_are_enough)
{
    test_random rng = random_seed(22);
    enum { n = 20 };
    for (int rank = 1; rank <= n; ++rank) {
        double H[n * n], W[n * n] = {0}, q[n], z[n], y[n], w[n], v[n];
        for (int k = 0; k < rank; ++k) {
            v[k] = random_normal(&rng);
        }
        for (int i = 0; i < n; ++i) {
            q[i] = 0;
            for (int k = 0; k < rank; ++k) {
                H[i + n * k] = random_normal(&rng);
                q[i] += H[i + n * k] * v[k];
            }
        }
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                for (int k = 0; k < rank; ++k) {
                    W[i + n * j] += H[i + n * k] * H[j + n * k];
                }
            }
        }
        ck_assert_int_eq(run(n, W, q, z).outcome, PCS_OUTCOME_CONVERGED);
        pcs_report report;
        const pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_LEMKE);
        memset(y, 0, sizeof y);
        CK_OK(pcs_solve_lcp(n, W, q, &o, y, w, &report));
        ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
        for (int i = 0; i < n; ++i) {
            double u = q[i];
            for (int j = 0; j < n; ++j) {
                u += W[i + n * j] * z[j];
            }
            CK_NEAR(u, w[i], 1e-10);
        }
    }
}

TEST(too_many_rows_are_refused)
{
    enum { n = 21 };
    double M[n * n] = {0}, q[n] = {0}, z[n] = {0}, w[n];
    pcs_report report;
    pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_ENUM);
    CK_FAILS(pcs_solve_lcp(n, M, q, &o, z, w, &report), PCS_ERR_UNSUPPORTED);
    o.as.enumerate.max_rows = 21;
    CK_OK(pcs_solve_lcp(n, M, q, &o, z, w, &report));
    ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);

    // equality rows do not count
    pcs_cone kind[n];
    for (int i = 0; i < n; ++i) {
        kind[i] = i % 2 ? PCS_CONE_UNILATERAL : PCS_CONE_EQUALITY;
    }
    o = pcs_solver_opts_default(PCS_SOLVER_ENUM);
    CK_OK(pcs_solve_mlcp(n, kind, M, q, &o, z, w, &report));
    ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
}

// equalities are eliminated before the search: a limit of time ends that too
TEST(the_time_may_end_before_the_search)
{
    enum { n = 200 };
    static double M[(size_t)n * n];
    double q[n], z[n] = {0}, w[n];
    pcs_cone kind[n];
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            M[i + n * j] = i == j ? 2 : 1.0 / (1 + abs(i - j));
        }
        q[i] = -1;
        kind[i] = i < n - 1 ? PCS_CONE_EQUALITY : PCS_CONE_UNILATERAL;
    }
    pcs_report report;
    pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_ENUM);
    o.max_seconds = 1e-9;
    CK_OK(pcs_solve_mlcp(n, kind, M, q, &o, z, w, &report));
    ck_assert_int_eq(report.outcome, PCS_OUTCOME_TIME_LIMIT);
    for (int i = 0; i < n; ++i) {
        CK_NEAR(z[i], 0, 0);
        CK_NEAR(w[i], -1, 0);
    }
}

static int stop_at_once(void *user, const pcs_progress *now)
{
    *(int *)user += 1;
    return 1;
}

TEST(limits_end_the_search)
{
    // eight pairs with solutions, one without
    double M[324] = {0}, q[18], r[18] = {0}, u[18];
    pcs_block block[18];
    for (int i = 0; i < 18; ++i) {
        M[19 * i] = 1;
        M[i + 18 * (i ^ 1)] = 2;
        q[i] = i == 17 ? -4 : -1;
        block[i] = (pcs_block){PCS_CONE_UNILATERAL, i, 1, 0};
    }
    M[19 * 17] = 0;
    pcs_arena arena, work;
    pcs_problem p = {.n = 18, .nb = 18, .block = block, .q = q};
    pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_ENUM);
    CK_OK(pcs_arena_create(NULL, 1 << 12, &arena));
    CK_OK(pcs_bsr_from_dense(18, 18, M, &arena, &p.W));
    CK_OK(pcs_arena_create(NULL, pcs_solve_bytes(&p, &o), &work));
    pcs_report report;
    o.max_iters = 2;
    CK_OK(pcs_solve(&p, &o, (pcs_watch){0}, work, r, u, &report));
    ck_assert_int_eq(report.outcome, PCS_OUTCOME_MAX_ITERS);
    ck_assert_int_eq(report.iters, 2);
    int calls = 0;
    o = pcs_solver_opts_default(PCS_SOLVER_ENUM);
    memset(r, 0, sizeof r);
    CK_OK(pcs_solve(&p, &o, (pcs_watch){stop_at_once, &calls}, work, r, u, &report));
    ck_assert_int_le(calls, 1);
    pcs_arena_destroy(NULL, &work);
    pcs_arena_destroy(NULL, &arena);
}
