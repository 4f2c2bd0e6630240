// Every row of the solver table on every family of problems: residuals, stopping measures, warm
// start, problems without a solution, bad data.
#include "options.h"
#include "problems.h"
#include "scratch.h"

#include "solver/solver.h"

#define ROWS 200

// conditions that hold after any solve
static void expect_truth(const pcs_problem *p, const pcs_solver_opts *o, const double *r,
                         const double *u, const pcs_report *report, const char *what)
{
    double v[ROWS];
    pcs_measure m;
    pcs_problem_measure(p, r, v, &m);
    for (int i = 0; i < p->n; ++i) {
        ck_assert_msg(isfinite(r[i]), "%s: r[%d] = %g", what, i, r[i]);
        CK_NEAR(u[i], v[i], 0);
    }
    CK_NEAR(report->measure.residual, m.residual, 0);
    CK_NEAR(report->measure.natural_map, m.natural_map, 0);
    const bool solved = solver_stop_value(o, &m) <= o->tol;
    ck_assert_msg((report->outcome == PCS_OUTCOME_CONVERGED) == solved, "%s says %s at %g", what,
                  pcs_outcome_text(report->outcome), solver_stop_value(o, &m));
    ck_assert(report->seconds >= 0);
}

static bool has_unilateral(const pcs_problem *p)
{
    for (int b = 0; b < p->nb; ++b) {
        if (p->block[b].cone == PCS_CONE_UNILATERAL) return true;
    }
    return false;
}

// solves from r with every row of the table; PCS_ERR_UNSUPPORTED only where the table says so
static bool solve_with(const pcs_solver_info *s, const pcs_problem *p, pcs_solver_opts *o,
                       double *r, pcs_report *report)
{
    double u[ROWS];
    const bool takes = !has_unilateral(p) || (s->cones & 1u << PCS_CONE_UNILATERAL);
    const pcs_status status = pcs_solve_alloc(NULL, p, o, r, u, report);
    if (!takes || (s->kind == PCS_SOLVER_ENUM && status != PCS_OK)) {
        ck_assert_int_eq(status, PCS_ERR_UNSUPPORTED);
        return false;
    }
    ck_assert_msg(status == PCS_OK, "%s: %s", s->name, pcs_error_text());
    expect_truth(p, o, r, u, report, s->name);
    return true;
}

// the families that a solver must solve to 1e-10 from zero
static bool must_solve(pcs_solver kind, family f, int n)
{
    const bool definite = f == FAMILY_SPD || f == FAMILY_DEGENERATE || f == FAMILY_EQUALITY ||
                          f == FAMILY_MIXED || f == FAMILY_ZERO || f == FAMILY_CHAIN;
    switch (kind) {
    case PCS_SOLVER_AUTO:
        return f != FAMILY_ANY || n <= 10;
    case PCS_SOLVER_DIRECT:
        return f == FAMILY_EQUALITY || f == FAMILY_DEFICIENT;
    case PCS_SOLVER_ENUM:
        return n <= 8;
    case PCS_SOLVER_LEMKE:
        return definite || f == FAMILY_SKEWED || f == FAMILY_PSD;
    case PCS_SOLVER_NSGS:
        return definite && n <= 30;
    case PCS_SOLVER_NEWTON:
        return f != FAMILY_ANY && f != FAMILY_PSD && f != FAMILY_MIXED_PSD;
    case PCS_SOLVER_PROX:
        return definite || f == FAMILY_SKEWED || f == FAMILY_PSD || f == FAMILY_MIXED_PSD ||
               f == FAMILY_DEFICIENT;
    case PCS_SOLVER_IPM:
    case PCS_SOLVER_HOMOTOPY:
        return definite || f == FAMILY_SKEWED;
    case PCS_SOLVER_ADMM:
    case PCS_SOLVER_TRESCA:
    case PCS_SOLVER_ACLM:
        return definite && n <= 30;
    case PCS_SOLVER_APGD:
        return definite && n <= 8;
    case PCS_SOLVER_EXTRAGRADIENT:
        return f == FAMILY_ZERO;
    }
    return false;
}

TEST(every_solver_on_every_family)
{
    const int sizes[4] = {1, 3, 8, 30};
    for (int k = 0; k < 4; ++k) {
        for (int f = 0; f < FAMILY_COUNT; ++f) {
            for (uint64_t seed = 0; seed < TEST_DRAWS(24); ++seed) {
                reset();
                const pcs_problem p = family_problem((family)f, sizes[k], seed, &arena, NULL);
                for (int s = 0; s < pcs_solver_count(); ++s) {
                    const pcs_solver_info *info = pcs_solver_at(s);
                    pcs_solver_opts o = pcs_solver_opts_default(info->kind);
                    o.tol = 1e-10;
                    // a few iterations are enough where a solver need not converge
                    if (info->kind == PCS_SOLVER_NSGS) o.max_iters = 200000;
                    if (!must_solve(info->kind, (family)f, sizes[k]) && o.max_iters > 1000) {
                        o.max_iters = 1000;
                    }
                    double r[ROWS] = {0};
                    pcs_report report;
                    if (!solve_with(info, &p, &o, r, &report)) continue;
                    ck_assert_msg(report.outcome == PCS_OUTCOME_CONVERGED ||
                                      !must_solve(info->kind, (family)f, sizes[k]),
                                  "%s on %s, n = %d, seed %d: %s, residual %g", info->name,
                                  family_name[f], sizes[k], (int)seed,
                                  pcs_outcome_text(report.outcome), report.measure.residual);
                    ck_assert_msg(report.outcome != PCS_OUTCOME_INFEASIBLE,
                                  "%s: %s is not infeasible", info->name, family_name[f]);
                }
            }
        }
    }
}

// auto lands at rounding, not merely below tol
TEST(auto_reaches_the_last_digits)
{
    for (int f = 0; f < FAMILY_COUNT; ++f) {
        for (uint64_t seed = 0; seed < TEST_DRAWS(40); ++seed) {
            reset();
            const int n = f == FAMILY_ANY ? 8 : 100;
            const pcs_problem p = family_problem((family)f, n, seed, &arena, NULL);
            pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_AUTO);
            o.tol = 1e-12;
            double r[ROWS] = {0}, u[ROWS];
            pcs_report report;
            CK_OK(pcs_solve_alloc(NULL, &p, &o, r, u, &report));
            ck_assert_msg(report.outcome == PCS_OUTCOME_CONVERGED, "%s seed %d: %s, %g",
                          family_name[f], (int)seed, pcs_outcome_text(report.outcome),
                          report.measure.residual);
        }
    }
}

// both functions of newton, and relaxation of nsgs
TEST(options_work)
{
    for (uint64_t seed = 0; seed < 10; ++seed) {
        reset();
        const pcs_problem p = family_problem(FAMILY_MIXED, 20, seed, &arena, NULL);
        for (int k = 0; k < 5; ++k) {
            pcs_solver_opts o =
                pcs_solver_opts_default(k < 2 ? PCS_SOLVER_NEWTON : PCS_SOLVER_NSGS);
            o.tol = 1e-9;
            if (k < 2) o.as.newton.function = (pcs_newton_function)k;
            if (k == 2) o.as.nsgs.relaxation = 0.7;
            if (k == 3) o.as.nsgs.relaxation = 1.4;
            if (k == 4) o.as.nsgs.check_every = 1;
            if (k >= 2) o.max_iters = 100000;
            double r[ROWS] = {0}, u[ROWS];
            pcs_report report;
            CK_OK(pcs_solve_alloc(NULL, &p, &o, r, u, &report));
            ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
            expect_truth(&p, &o, r, u, &report, "options");
        }
    }
}

// every measure to stop on is obeyed
TEST(stops_are_obeyed)
{
    reset();
    const pcs_problem p = family_problem(FAMILY_SPD, 30, 2, &arena, NULL);
    for (int stop = PCS_STOP_RESIDUAL; stop <= PCS_STOP_BOTH; ++stop) {
        pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_NSGS);
        o.tol = 1e-5;
        o.max_iters = 100000;
        o.stop = (pcs_stop)stop;
        double r[ROWS] = {0}, u[ROWS];
        pcs_report report;
        CK_OK(pcs_solve_alloc(NULL, &p, &o, r, u, &report));
        ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
        const double natural = pcs_measure_relative_natural_map(&report.measure);
        if (stop != PCS_STOP_NATURAL) ck_assert(report.measure.residual <= 1e-5);
        if (stop != PCS_STOP_RESIDUAL) ck_assert(natural <= 1e-5);
    }
}

// a solution as start: no iteration
TEST(warm_start_is_free)
{
    for (int f = 0; f < FAMILY_COUNT; ++f) {
        reset();
        double *r, u[ROWS], before[ROWS];
        const pcs_problem p = family_problem((family)f, 20, 3, &arena, &r);
        memcpy(before, r, 20 * sizeof *r);
        pcs_report report;
        CK_OK(pcs_solve_alloc(NULL, &p, NULL, r, u, &report));
        ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
        ck_assert_int_eq(report.iters, 0);
        expect_same(r, before, 20, 0);

        // its active set with other numbers: one linear solve
        if (f == FAMILY_ANY || f == FAMILY_DEGENERATE) continue;
        for (int i = 0; i < 20; ++i) {
            r[i] *= 1.001;
        }
        CK_OK(pcs_solve_alloc(NULL, &p, NULL, r, u, &report));
        ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
        ck_assert_msg(report.iters <= 2, "%s: %d", family_name[f], report.iters);
    }
}

// a flat box on four corners: rank 3, only the velocities are unique
TEST(resting_box)
{
    reset();
    // unit mass, inertia 1/6: W_ij = 1 + 6 (x_i x_j + y_i y_j)
    const double x[4] = {0.5, 0.5, -0.5, -0.5}, y[4] = {0.5, -0.5, 0.5, -0.5};
    double W[16], q[4], r[4] = {0}, u[4];
    pcs_cone kind[4];
    for (int i = 0; i < 4; ++i) {
        kind[i] = PCS_CONE_UNILATERAL;
        q[i] = -0.0981 - 0.01 * x[i];
        for (int j = 0; j < 4; ++j) {
            W[i + 4 * j] = 1 + 6 * (x[i] * x[j] + y[i] * y[j]);
        }
    }
    const pcs_problem p = dense_problem(4, kind, false, W, q, &arena);
    pcs_report report;
    CK_OK(pcs_solve_alloc(NULL, &p, NULL, r, u, &report));
    ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
    ck_assert(report.measure.residual <= 1e-14);
    for (int i = 0; i < 4; ++i) {
        CK_NEAR(u[i], 0, 1e-15);
        ck_assert(r[i] >= 0);
    }
    CK_NEAR(r[0] + r[1] + r[2] + r[3], 0.0981, 1e-14);
    // the symmetric one of all solutions
    CK_NEAR(r[0], r[1], 1e-11);
    CK_NEAR(r[2], r[3], 1e-11);
}

static void expect_not_converged(int n, const pcs_cone *kind, double *W, const double *q,
                                 bool auto_proves)
{
    const pcs_problem p = dense_problem(n, kind, true, W, q, &arena);
    for (int s = 0; s < pcs_solver_count(); ++s) {
        const pcs_solver_info *info = pcs_solver_at(s);
        pcs_solver_opts o = pcs_solver_opts_default(info->kind);
        o.tol = 1e-6;
        double r[ROWS] = {0};
        pcs_report report;
        if (!solve_with(info, &p, &o, r, &report)) continue;
        ck_assert_msg(report.outcome != PCS_OUTCOME_CONVERGED,
                      "%s found a solution where none is: %g %g, %g", info->name, r[0],
                      n > 1 ? r[1] : 0, report.measure.residual);
        if (info->kind == PCS_SOLVER_AUTO && auto_proves) {
            ck_assert_msg(report.outcome == PCS_OUTCOME_INFEASIBLE, "auto says %s, n = %d",
                          pcs_outcome_text(report.outcome), n);
        }
    }
}

TEST(infeasible_is_never_converged)
{
    reset();
    const pcs_cone uni[3] = {PCS_CONE_UNILATERAL, PCS_CONE_UNILATERAL, PCS_CONE_UNILATERAL};
    const pcs_cone equ[3] = {PCS_CONE_EQUALITY, PCS_CONE_EQUALITY, PCS_CONE_EQUALITY};
    const pcs_cone mix[3] = {PCS_CONE_EQUALITY, PCS_CONE_UNILATERAL, PCS_CONE_UNILATERAL};

    // W = 0, q < 0
    double Z[9] = {0};
    const double q0[3] = {1, -1, 2};
    expect_not_converged(3, uni, Z, q0, true);
    expect_not_converged(1, uni, Z, q0 + 1, true);
    expect_not_converged(3, equ, Z, q0, true);
    expect_not_converged(1, equ, Z, q0, true);

    // a negative row
    double N[1] = {-2};
    expect_not_converged(1, uni, N, q0 + 1, true);

    // skew: u2 = -r1 - 1
    double K[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1};
    expect_not_converged(3, uni, K, q0, true);

    // inconsistent equalities: rank one
    double R[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    const double q1[3] = {1, 2, 3};
    expect_not_converged(3, equ, R, q1, true);

    // a ball pressed between two walls that approach: q'y < 0 with W y = 0
    double S[4] = {1, -1, -1, 1};
    const double q2[2] = {-1, -2};
    expect_not_converged(2, uni, S, q2, true);

    // an equality that contradicts a unilateral row: u0 = r0 + r1 + 1 = 0, u1 = u0 - 1.5
    double E[9] = {1, 1, 0, 1, 1, 0, 0, 0, 1};
    const double q3[3] = {1, -0.5, 1};
    expect_not_converged(3, mix, E, q3, true);

    // negative entries: u1 = -r1 - r2 - 1 < 0
    double F[4] = {-1, -1, -1, -1};
    const double q4[2] = {-1, 1};
    expect_not_converged(2, uni, F, q4, true);

    // feasible, without a solution: u1 = r2 - 1 >= 0 requires r2 > 0, but u2 = r1 + r2 is not 0
    // then
    double C[4] = {0, 1, 1, 1};
    const double q5[2] = {-1, 0};
    expect_not_converged(2, uni, C, q5, true);
}

TEST(random_infeasible_problems)
{
    // PSD W of half rank, q pushed against the null space by a positive vector
    test_random rng = random_seed(21);
    for (uint64_t seed = 0; seed < TEST_DRAWS(60); ++seed) {
        reset();
        const int n = 12;
        double G[12 * 6], W[144], q[12], y[12];
        pcs_cone kind[12];
        for (int i = 0; i < n; ++i) {
            kind[i] = PCS_CONE_UNILATERAL;
            y[i] = random_between(&rng, 0.5, 1);
            q[i] = random_normal(&rng);
        }
        // G'y = 0 makes W y = 0
        double yy = 0, yq = 0;
        for (int i = 0; i < n; ++i) {
            yy += y[i] * y[i];
            yq += y[i] * q[i];
        }
        for (int k = 0; k < 6; ++k) {
            double s = 0;
            for (int i = 0; i < n; ++i) {
                G[i + n * k] = random_normal(&rng);
                s += G[i + n * k] * y[i];
            }
            for (int i = 0; i < n; ++i) {
                G[i + n * k] -= s / yy * y[i];
            }
        }
        for (int j = 0; j < n; ++j) {
            for (int i = 0; i < n; ++i) {
                double s = 0;
                for (int k = 0; k < 6; ++k) {
                    s += G[i + n * k] * G[j + n * k];
                }
                W[i + n * j] = s;
            }
        }
        for (int i = 0; i < n; ++i) {
            q[i] -= (yq + 0.3 * yy) / yy * y[i];
        }
        expect_not_converged(n, kind, W, q, true);
    }
}

TEST(empty_problem)
{
    const pcs_problem p = {0};
    for (int s = 0; s < pcs_solver_count(); ++s) {
        const pcs_solver_opts o = pcs_solver_opts_default(pcs_solver_at(s)->kind);
        pcs_report report;
        CK_OK(pcs_solve_alloc(NULL, &p, &o, NULL, NULL, &report));
        ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
        ck_assert_int_eq((int)pcs_solve_bytes(&p, &o), 0);
    }
    pcs_report report;
    CK_OK(pcs_solve_lcp(0, NULL, NULL, NULL, NULL, NULL, &report));
    ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
    CK_OK(pcs_solve_mlcp(0, NULL, NULL, NULL, NULL, NULL, NULL, &report));
    CK_OK(pcs_solve_mlcp_abcd(0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                              &report));
}

TEST(bad_data_is_refused)
{
    reset();
    pcs_problem p = family_problem(FAMILY_SPD, 5, 1, &arena, NULL);
    double r[5] = {0}, u[5];
    pcs_report report;
    CK_FAILS(pcs_solve_alloc(NULL, NULL, NULL, r, u, &report), PCS_ERR_ARG);
    CK_FAILS(pcs_solve_alloc(NULL, &p, NULL, NULL, u, &report), PCS_ERR_ARG);
    CK_FAILS(pcs_solve_alloc(NULL, &p, NULL, r, NULL, &report), PCS_ERR_ARG);
    CK_FAILS(pcs_solve_alloc(NULL, &p, NULL, r, u, NULL), PCS_ERR_ARG);
    const double bad[3] = {NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 3; ++k) {
        r[2] = bad[k];
        CK_FAILS(pcs_solve_alloc(NULL, &p, NULL, r, u, &report), PCS_ERR_ARG);
        r[2] = 0;
        const double keep = p.W.val[7];
        p.W.val[7] = bad[k];
        CK_FAILS(pcs_solve_alloc(NULL, &p, NULL, r, u, &report), PCS_ERR_ARG);
        p.W.val[7] = keep;
        const double q[5] = {0, bad[k], 0, 0, 0};
        pcs_problem other = p;
        other.q = q;
        CK_FAILS(pcs_solve_alloc(NULL, &other, NULL, r, u, &report), PCS_ERR_ARG);
    }

    double M[4] = {1, 0, 0, 1}, q[2] = {-1, 1}, z[2] = {0}, w[2];
    pcs_cone kind[2] = {PCS_CONE_UNILATERAL, PCS_CONE_EQUALITY};
    CK_FAILS(pcs_solve_lcp(-1, M, q, NULL, z, w, &report), PCS_ERR_SIZE);
    CK_FAILS(pcs_solve_lcp(2, NULL, q, NULL, z, w, &report), PCS_ERR_ARG);
    CK_FAILS(pcs_solve_lcp(2, M, NULL, NULL, z, w, &report), PCS_ERR_ARG);
    CK_FAILS(pcs_solve_lcp(2, M, q, NULL, NULL, w, &report), PCS_ERR_ARG);
    CK_FAILS(pcs_solve_lcp(2, M, q, NULL, z, NULL, &report), PCS_ERR_ARG);
    CK_FAILS(pcs_solve_lcp(2, M, q, NULL, z, w, NULL), PCS_ERR_ARG);
    CK_FAILS(pcs_solve_mlcp(-2, kind, M, q, NULL, z, w, &report), PCS_ERR_SIZE);
    CK_FAILS(pcs_solve_mlcp(2, NULL, M, q, NULL, z, w, &report), PCS_ERR_ARG);
    kind[0] = (pcs_cone)9;
    CK_FAILS(pcs_solve_mlcp(2, kind, M, q, NULL, z, w, &report), PCS_ERR_ARG);
    CK_FAILS(pcs_solve_mlcp_abcd(-1, 1, M, M, M, M, q, q, NULL, z, z, w, &report), PCS_ERR_SIZE);
    CK_FAILS(pcs_solve_mlcp_abcd(1, 1, M, M, NULL, M, q, q, NULL, z, z, w, &report), PCS_ERR_ARG);
    CK_FAILS(pcs_solve_mlcp_abcd(1, 1, M, M, M, M, q, q, NULL, z, z, w, NULL), PCS_ERR_ARG);
    M[0] = NAN;
    CK_FAILS(pcs_solve_lcp(2, M, q, NULL, z, w, &report), PCS_ERR_ARG);
}

// numbers at the ends of the range must not become NaN or a false success
TEST(extreme_numbers)
{
    const double sizes[6] = {1e-300, 1e-160, 1e-20, 1e20, 1e150, 1e300};
    for (int k = 0; k < 6; ++k) {
        for (int part = 0; part < 2; ++part) {
            reset();
            pcs_problem p = family_problem(FAMILY_MIXED, 6, 3, &arena, NULL);
            double q[6];
            for (int i = 0; i < 6; ++i) {
                q[i] = part == 0 ? p.q[i] * sizes[k] : p.q[i];
            }
            for (int i = 0; part == 1 && i < 36; ++i) {
                p.W.val[i] *= sizes[k];
            }
            p.q = q;
            for (int s = 0; s < pcs_solver_count(); ++s) {
                pcs_solver_opts o = pcs_solver_opts_default(pcs_solver_at(s)->kind);
                double r[ROWS] = {0};
                pcs_report report;
                solve_with(pcs_solver_at(s), &p, &o, r, &report);
            }
        }
    }
}

TEST(arena_too_small)
{
    reset();
    const pcs_problem p = family_problem(FAMILY_MIXED, 9, 1, &arena, NULL);
    for (int s = 0; s < pcs_solver_count(); ++s) {
        const pcs_solver_opts o = pcs_solver_opts_default(pcs_solver_at(s)->kind);
        if (!(pcs_solver_at(s)->cones & 1u << PCS_CONE_UNILATERAL)) continue;
        const size_t bytes = pcs_solve_bytes(&p, &o);
        double r[ROWS] = {0}, u[ROWS];
        pcs_report report;
        size_t peak = 0;
        pcs_arena none = {.peak = &peak};
        CK_FAILS(pcs_solve(&p, &o, (pcs_watch){0}, none, r, u, &report), PCS_ERR_MEMORY);
        ck_assert(peak >= bytes && bytes > 0);

        // exactly the requested bytes are enough, at any offset in the arena
        for (size_t used = 0; used < 3; ++used) {
            pcs_arena exact;
            CK_OK(pcs_arena_create(NULL, bytes + 64 * (used > 0), &exact));
            exact.used = used;
            CK_OK(pcs_solve(&p, &o, (pcs_watch){0}, exact, r, u, &report));
            pcs_arena_destroy(NULL, &exact);
        }
    }
}

TEST(failing_allocations)
{
    reset();
    const pcs_problem p = family_problem(FAMILY_MIXED, 9, 1, &arena, NULL);
    for (int s = 0; s < pcs_solver_count(); ++s) {
        const pcs_solver_opts o = pcs_solver_opts_default(pcs_solver_at(s)->kind);
        if (!(pcs_solver_at(s)->cones & 1u << PCS_CONE_UNILATERAL)) continue;
        for (long k = 0;; ++k) {
            test_memory memory = {.fail_at = k};
            const pcs_env env = test_env(&memory);
            double r[ROWS] = {0}, u[ROWS];
            pcs_report report;
            const pcs_status status = pcs_solve_alloc(&env, &p, &o, r, u, &report);
            ck_assert_int_eq((int)memory.live, 0);
            if (status == PCS_OK) {
                ck_assert(k > 0);
                break;
            }
            ck_assert_int_eq(status, PCS_ERR_MEMORY);
        }
    }
}

static int stop_at(void *user, const pcs_progress *now)
{
    int *calls = user;
    *calls += 1;
    return now->iters >= 2;
}

TEST(watch_stops)
{
    reset();
    // hard enough that no solver ends within two steps
    const pcs_problem p = family_problem(FAMILY_PSD, 60, 1, &arena, NULL);
    for (int s = 0; s < pcs_solver_count(); ++s) {
        pcs_solver_opts o = pcs_solver_opts_default(pcs_solver_at(s)->kind);
        o.tol = 1e-16;
        double r[ROWS] = {0}, u[ROWS];
        pcs_report report;
        int calls = 0;
        pcs_arena work;
        CK_OK(pcs_arena_create(NULL, pcs_solve_bytes(&p, &o), &work));
        const pcs_watch watch = {stop_at, &calls};
        const pcs_status status = pcs_solve(&p, &o, watch, work, r, u, &report);
        pcs_arena_destroy(NULL, &work);
        if (status == PCS_ERR_UNSUPPORTED) continue;
        CK_OK(status);
        ck_assert(calls >= 1);
        ck_assert_msg(report.outcome == PCS_OUTCOME_STOPPED, "%s: %s after %d calls",
                      pcs_solver_at(s)->name, pcs_outcome_text(report.outcome), calls);
    }
}

typedef struct listener {
    int calls, iters;
    pcs_solver solver;
} listener;

static int listen(void *user, const pcs_progress *now)
{
    listener *l = user;
    const char *name = pcs_solver_at((int)now->solver)->name;
    // one part of auto starts again
    const bool first = l->calls == 0 || now->solver != l->solver || now->iters < l->iters;
    ck_assert_msg(now->iters >= 0, "%s: iteration %d", name, now->iters);
    ck_assert_msg(now->value >= 0 && now->residual >= 0 && now->natural_map >= 0,
                  "%s: %g %g %g after %d", name, now->value, now->residual, now->natural_map,
                  now->iters);
    ck_assert_msg(isnan(now->step) || (now->step >= 0 && now->step <= 1), "%s: step %g", name,
                  now->step);
    ck_assert_msg(isnan(now->penalty) || now->penalty >= 0, "%s: penalty %g", name, now->penalty);
    ck_assert_msg(now->status_changes <= 60, "%s: %d changes", name, now->status_changes);
    if (l->calls == 0) ck_assert_int_eq(now->status_changes, -1);
    if (!first && now->solver != PCS_SOLVER_AUTO) ck_assert_int_ge(now->status_changes, 0);
    *l = (listener){l->calls + 1, now->iters, now->solver};
    return 0;
}

TEST(watching_changes_nothing)
{
    reset();
    const pcs_problem p = family_problem(FAMILY_PSD, 60, 1, &arena, NULL);
    for (int s = 0; s < pcs_solver_count(); ++s) {
        pcs_solver_opts o = pcs_solver_opts_default(pcs_solver_at(s)->kind);
        o.max_iters = o.max_iters < 200 ? o.max_iters : 200;
        double r[2][60] = {{0}}, u[60];
        pcs_report report[2];
        listener l = {0};
        pcs_arena work;
        CK_OK(pcs_arena_create(NULL, pcs_solve_bytes(&p, &o), &work));
        const pcs_status status = pcs_solve(&p, &o, (pcs_watch){0}, work, r[0], u, &report[0]);
        if (status == PCS_OK) {
            CK_OK(pcs_solve(&p, &o, (pcs_watch){listen, &l}, work, r[1], u, &report[1]));
            ck_assert_int_ge(l.calls, 1);
            ck_assert_int_eq(report[0].outcome, report[1].outcome);
            ck_assert_int_eq(report[0].iters, report[1].iters);
            ck_assert_mem_eq(r[0], r[1], sizeof r[0]);
        }
        pcs_arena_destroy(NULL, &work);
        if (status != PCS_OK) ck_assert_int_eq(status, PCS_ERR_UNSUPPORTED);
    }
}

TEST(clock_aborts)
{
    reset();
    const pcs_problem p = family_problem(FAMILY_PSD, 60, 1, &arena, NULL);
    for (int s = 0; s < pcs_solver_count(); ++s) {
        pcs_solver_opts o = pcs_solver_opts_default(pcs_solver_at(s)->kind);
        if (!(pcs_solver_at(s)->cones & 1u << PCS_CONE_UNILATERAL)) continue;
        o.tol = 1e-17;
        o.max_seconds = 1e-7;
        double r[ROWS] = {0}, u[ROWS];
        pcs_report report;
        const pcs_status status = pcs_solve_alloc(NULL, &p, &o, r, u, &report);
        if (status == PCS_ERR_UNSUPPORTED) continue;
        CK_OK(status);
        ck_assert_msg(report.outcome == PCS_OUTCOME_TIME_LIMIT, "%s: %s", pcs_solver_at(s)->name,
                      pcs_outcome_text(report.outcome));
    }
}

// counts the calls of the watch, each of which takes more than half of a tenth of a second
static int wait_and_count(void *user, const pcs_progress *now)
{
    const double start = solver_clock();
    while (solver_clock() < start + 0.06) {
    }
    *(int *)user += 1;
    return 0;
}

// an iteration as long as the last one would end after max_seconds: it is not begun
TEST(an_iteration_that_would_end_late_is_not_begun)
{
    reset();
    const pcs_problem p = family_problem(FAMILY_PSD, 60, 1, &arena, NULL);
    static const pcs_solver kinds[] = {PCS_SOLVER_NEWTON, PCS_SOLVER_IPM, PCS_SOLVER_PROX};
    for (int k = 0; k < 3; ++k) {
        pcs_solver_opts o = pcs_solver_opts_default(kinds[k]);
        o.tol = 1e-17;
        o.max_seconds = 0.1;
        double r[ROWS] = {0}, u[ROWS];
        int calls = 0;
        pcs_arena work;
        pcs_report report;
        CK_OK(pcs_arena_create(NULL, pcs_solve_bytes(&p, &o), &work));
        CK_OK(pcs_solve(&p, &o, (pcs_watch){wait_and_count, &calls}, work, r, u, &report));
        ck_assert_int_eq(report.outcome, PCS_OUTCOME_TIME_LIMIT);
        ck_assert_int_eq(calls, 1);
        pcs_arena_destroy(NULL, &work);
    }
}

// no iterations: the start comes back, measured
TEST(no_iterations)
{
    reset();
    const pcs_problem p = family_problem(FAMILY_SPD, 10, 1, &arena, NULL);
    for (int s = 0; s < pcs_solver_count(); ++s) {
        pcs_solver_opts o = pcs_solver_opts_default(pcs_solver_at(s)->kind);
        o.max_iters = 0;
        double r[ROWS];
        for (int i = 0; i < 10; ++i) {
            r[i] = 0.1 * i;
        }
        pcs_report report;
        if (!solve_with(pcs_solver_at(s), &p, &o, r, &report)) continue;
        // enum counts nodes and checks its limit after a few of them
        ck_assert(report.iters == 0 || pcs_solver_at(s)->kind == PCS_SOLVER_ENUM);
    }
}

TEST(same_answer_twice)
{
    for (int f = 0; f < FAMILY_COUNT; ++f) {
        for (int s = 0; s < pcs_solver_count(); ++s) {
            reset();
            const pcs_problem p = family_problem((family)f, TEST_FEW(12, 25), 9, &arena, NULL);
            pcs_solver_opts o = pcs_solver_opts_default(pcs_solver_at(s)->kind);
            double r[2][ROWS] = {{0}};
            pcs_report report;
            if (!solve_with(pcs_solver_at(s), &p, &o, r[0], &report)) continue;
            solve_with(pcs_solver_at(s), &p, &o, r[1], &report);
            ck_assert(memcmp(r[0], r[1], sizeof r[0]) == 0);
        }
    }
}

// the three functions and the problem itself agree
TEST(entries_agree)
{
    test_random rng = random_seed(31);
    for (int trial = 0; trial < 30; ++trial) {
        const int n = trial % 4, m = 1 + trial % 5, N = n + m;
        double M[81], q[9], A[9], B[25], C[15], D[15], z[9] = {0}, y[9] = {0}, u[3] = {0};
        double v[5] = {0}, w[5];
        pcs_cone kind[9];
        for (int j = 0; j < N; ++j) {
            kind[j] = j < n ? PCS_CONE_EQUALITY : PCS_CONE_UNILATERAL;
            q[j] = random_normal(&rng);
            for (int i = 0; i < N; ++i) {
                const double x = (i == j ? 6 : 0) + random_normal(&rng);
                M[i + N * j] = x;
                if (i < n && j < n) A[i + n * j] = x;
                if (i >= n && j >= n) B[i - n + m * (j - n)] = x;
                if (i < n && j >= n) C[i + n * (j - n)] = x;
                if (i >= n && j < n) D[i - n + m * j] = x;
            }
        }
        pcs_report report;
        CK_OK(pcs_solve_mlcp(N, kind, M, q, NULL, z, y, &report));
        ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
        CK_OK(pcs_solve_mlcp_abcd(n, m, A, B, C, D, q, q + n, NULL, u, v, w, &report));
        ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
        for (int i = 0; i < N; ++i) {
            CK_NEAR(i < n ? u[i] : v[i - n], z[i], 1e-12);
            if (i >= n) CK_NEAR(w[i - n], y[i], 1e-12);
        }
        if (n > 0) continue;
        double x[9] = {0};
        CK_OK(pcs_solve_lcp(N, M, q, NULL, x, w, &report));
        expect_same(x, z, N, 1e-12);
    }
}
