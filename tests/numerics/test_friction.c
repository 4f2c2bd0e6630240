// Solvers on problems with friction.
#include "friction.h"
#include "scratch.h"

#include "cone/cone.h"
#include "problem/problem.h"
#include "solver/solver.h"

#define ROWS 400

// members of each family: at least one of each size
enum { DRAWS = TEST_DRAWS(10) < 10 ? 3 : 10 };

static pcs_report solve(const pcs_problem *p, const pcs_solver_opts *o, double *r)
{
    double u[ROWS], v[ROWS];
    pcs_report report;
    ck_assert(p->n <= ROWS);
    CK_OK(pcs_solve_alloc(NULL, p, o, r, u, &report));
    pcs_measure m;
    pcs_problem_measure(p, r, v, &m);
    for (int i = 0; i < p->n; ++i) {
        ck_assert(isfinite(r[i]));
        CK_NEAR(u[i], v[i], 0);
    }
    CK_NEAR(report.measure.residual, m.residual, 0);
    ck_assert((report.outcome == PCS_OUTCOME_CONVERGED) == (solver_stop_value(o, &m) <= o->tol));
    ck_assert(report.outcome != PCS_OUTCOME_INFEASIBLE);
    return report;
}

static pcs_solver_opts nsgs_options(double tol)
{
    pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_NSGS);
    o.tol = tol;
    o.max_iters = 100000;
    return o;
}

TEST(nsgs_solves_every_family)
{
    for (int f = 0; f < FRICTION_COUNT; ++f) {
        for (uint64_t seed = 0; seed < DRAWS; ++seed) {
            reset();
            const int nc = seed % 3 == 0 ? 1 : seed % 3 == 1 ? 6 : 24;
            const pcs_problem p = friction_problem((friction)f, nc, seed, &arena, NULL);
            for (int k = 0; k < 2; ++k) {
                pcs_solver_opts o = nsgs_options(1e-8);
                if (k == 1) o.kind = PCS_SOLVER_AUTO;
                double r[ROWS] = {0};
                const pcs_report report = solve(&p, &o, r);
                ck_assert_msg(report.outcome == PCS_OUTCOME_CONVERGED,
                              "%s %s, nc = %d, seed %d: %s, %g", k ? "auto" : "nsgs",
                              friction_name[f], nc, (int)seed, pcs_outcome_text(report.outcome),
                              report.measure.residual);
                ck_assert(k == 1 || report.solver == PCS_SOLVER_NSGS);
                // every impulse lies in its cone
                double x[ROWS];
                memcpy(x, r, sizeof x);
                cone_project(p.nb, p.block, x);
                for (int i = 0; i < p.n; ++i) {
                    CK_NEAR(x[i], r[i], 1e-14 * report.measure.norm_r);
                }
            }
        }
    }
}

// local solvers, orders, relaxation and acceleration: all of them converge
TEST(options_work)
{
    static const friction families[4] = {FRICTION_DENSE, FRICTION_MIXED, FRICTION_BOXES,
                                         FRICTION_GYRO};
    for (int f = 0; f < 4; ++f) {
        for (int k = 0; k < 10; ++k) {
            reset();
            const pcs_problem p = friction_problem(families[f], 12, 3, &arena, NULL);
            pcs_solver_opts o = nsgs_options(1e-7);
            pcs_nsgs_opts *s = &o.as.nsgs;
            if (k < 3) s->local = (pcs_nsgs_local)k;
            if (k >= 3 && k < 6) s->order = (pcs_nsgs_order)(k - 2);
            if (k == 6) s->relaxation = 0.7;
            if (k == 7) s->relaxation = 1.2;
            if (k < 8) s->depth = 0;
            if (k == 9) s->check_every = 3;
            double r[ROWS] = {0};
            const pcs_report report = solve(&p, &o, r);
            ck_assert_msg(report.outcome == PCS_OUTCOME_CONVERGED, "%s, variant %d: %s, %g",
                          friction_name[families[f]], k, pcs_outcome_text(report.outcome),
                          report.measure.residual);
        }
    }
}

// the loop for 3x3 blocks makes the sweeps of the general one
TEST(both_loops_agree)
{
    for (int f = FRICTION_SPHERES; f <= FRICTION_GYRO; ++f) {
        for (int order = PCS_NSGS_ORDER_FORWARD; order <= PCS_NSGS_ORDER_SHUFFLE; ++order) {
            reset();
            const pcs_problem p = friction_problem((friction)f, 16, 2, &arena, NULL);
            double *W = pcs_arena_take_array(&arena, (size_t)p.n * (size_t)p.n, sizeof *W);
            double a[ROWS] = {0}, b[ROWS] = {0};
            pcs_bsr_to_dense(&p.W, W);
            pcs_problem dense = p;
            CK_OK(pcs_bsr_from_dense(p.n, p.n, W, &arena, &dense.W));
            pcs_solver_opts o = nsgs_options(1e-14);
            o.max_iters = 7;
            o.as.nsgs.order = (pcs_nsgs_order)order;
            o.as.nsgs.check_every = 7;
            const pcs_report sparse = solve(&p, &o, a);
            solve(&dense, &o, b);
            for (int i = 0; i < p.n; ++i) {
                CK_NEAR(a[i], b[i], 1e-10 * sparse.measure.norm_r);
            }
        }
    }
}

// mu = 0: an LCP of the normal rows
TEST(no_friction_is_an_lcp)
{
    for (uint64_t seed = 0; seed < DRAWS; ++seed) {
        reset();
        const pcs_problem p = friction_problem(FRICTION_DENSE, 10, seed, &arena, NULL);
        pcs_block block[10];
        double r[ROWS] = {0}, z[10] = {0}, w[10], M[100], q[10];
        for (int i = 0; i < 10; ++i) {
            block[i] = p.block[i];
            block[i].mu = 0;
            q[i] = p.q[3 * i];
            for (int j = 0; j < 10; ++j) {
                M[i + 10 * j] = p.W.val[3 * i + p.n * 3 * j];
            }
        }
        pcs_problem free = p;
        free.block = block;
        const pcs_solver_opts o = nsgs_options(1e-12);
        ck_assert_int_eq(solve(&free, &o, r).outcome, PCS_OUTCOME_CONVERGED);
        pcs_report report;
        CK_OK(pcs_solve_lcp(10, M, q, NULL, z, w, &report));
        for (int i = 0; i < 10; ++i) {
            CK_NEAR(r[3 * i], z[i], 1e-9 * (1 + z[i]));
            CK_NEAR(fabs(r[3 * i + 1]) + fabs(r[3 * i + 2]), 0, 0);
        }
    }
}

// tangents rotated by any angle, contact by contact: the same impulses in space
TEST(frames_do_not_matter)
{
    test_random rng = random_seed(6);
    for (uint64_t seed = 0; seed < DRAWS; ++seed) {
        reset();
        const pcs_problem p = friction_problem(FRICTION_SKEWED, 6, seed, &arena, NULL);
        const int n = p.n;
        double R[18 * 18] = {0}, W[18 * 18] = {0}, q[18] = {0}, a[ROWS] = {0}, b[ROWS] = {0};
        for (int c = 0; c < 6; ++c) {
            const double t = random_between(&rng, 0, 6.3);
            double *at = R + 3 * c + n * 3 * c;
            at[0] = 1;
            at[1 + n] = at[2 + 2 * n] = cos(t);
            at[2 + n] = sin(t);
            at[1 + 2 * n] = -sin(t);
        }
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                q[i] += R[i + n * j] * p.q[j];
                for (int k = 0; k < n; ++k) {
                    double s = 0;
                    for (int l = 0; l < n; ++l) {
                        s += p.W.val[k + n * l] * R[j + n * l];
                    }
                    W[i + n * j] += R[i + n * k] * s;
                }
            }
        }
        pcs_problem rotated = p;
        rotated.q = q;
        CK_OK(pcs_bsr_from_dense(n, n, W, &arena, &rotated.W));
        const pcs_solver_opts o = nsgs_options(1e-12);
        const pcs_report report = solve(&p, &o, a);
        ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
        ck_assert_int_eq(solve(&rotated, &o, b).outcome, PCS_OUTCOME_CONVERGED);
        for (int i = 0; i < n; ++i) {
            double x = 0;
            for (int j = 0; j < n; ++j) {
                x += R[i + n * j] * a[j];
            }
            CK_NEAR(b[i], x, 1e-8 * report.measure.norm_r);
        }
    }
}

// acceleration saves sweeps on a pile
TEST(acceleration_helps)
{
    int plain = 0, fast = 0;
    for (uint64_t seed = 0; seed < 6; ++seed) {
        for (int depth = 0; depth <= 8; depth += 8) {
            reset();
            const pcs_problem p = friction_problem(FRICTION_SPHERES, 60, seed, &arena, NULL);
            pcs_solver_opts o = nsgs_options(1e-8);
            o.as.nsgs.depth = depth;
            double r[ROWS] = {0};
            const pcs_report report = solve(&p, &o, r);
            ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
            *(depth ? &fast : &plain) += report.iters;
        }
    }
    ck_assert_msg(2 * fast < plain, "%d sweeps, accelerated %d", plain, fast);
}

// a solution does not change; the same call gives the same bits; the seed matters
TEST(starts_and_repeats)
{
    for (int f = 0; f < FRICTION_SPHERES; ++f) {
        reset();
        double *r, before[ROWS];
        const pcs_problem p = friction_problem((friction)f, 10, 4, &arena, &r);
        memcpy(before, r, (size_t)p.n * sizeof *r);
        pcs_solver_opts o = nsgs_options(1e-10);
        for (int k = 0; k < 2; ++k) {
            if (k == 1) o = pcs_solver_opts_default(PCS_SOLVER_AUTO);
            const pcs_report report = solve(&p, &o, r);
            ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
            ck_assert_int_eq(report.iters, 0);
            for (int i = 0; i < p.n; ++i) {
                CK_NEAR(r[i], before[i], 1e-14);
            }
        }
    }
    reset();
    const pcs_problem p = friction_problem(FRICTION_BOXES, 16, 4, &arena, NULL);
    double r[3][ROWS] = {{0}};
    for (int k = 0; k < 3; ++k) {
        pcs_solver_opts o = nsgs_options(1e-6);
        o.as.nsgs.order = PCS_NSGS_ORDER_SHUFFLE;
        o.as.nsgs.seed = k / 2;
        solve(&p, &o, r[k]);
    }
    ck_assert(memcmp(r[0], r[1], sizeof r[0]) == 0);
    ck_assert(memcmp(r[0], r[2], sizeof r[0]) != 0);
}

// a contact that no impulse can open: no solver reports converged, and auto proves it
TEST(problems_without_a_solution_never_converge)
{
    double W[36] = {0}, q[6] = {-1, 0.3, 0, -1, 0, 0}, mu[2] = {0.5, 0}, r[6] = {0}, u[6];
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 6; ++i) {
            W[7 * i] = k == 0 ? 0 : k == 1 ? -1 : i < 3 ? 1 : 0;
        }
        for (int s = 0; s < 2; ++s) {
            pcs_solver_opts o = pcs_solver_opts_default(s ? PCS_SOLVER_NSGS : PCS_SOLVER_AUTO);
            if (s) o.max_iters = 1000;
            pcs_report report;
            memset(r, 0, sizeof r);
            CK_OK(pcs_solve_fc3d(2, W, q, mu, &o, r, u, &report));
            ck_assert(report.outcome != PCS_OUTCOME_CONVERGED);
            ck_assert((report.outcome == PCS_OUTCOME_INFEASIBLE) == (s == 0));
            for (int i = 0; i < 6; ++i) {
                ck_assert(isfinite(r[i]) && isfinite(u[i]));
            }
        }
    }
}

TEST(extreme_numbers)
{
    for (int k = 0; k < FRICTION_EXTREMES; ++k) {
        reset();
        const pcs_problem p = friction_extreme(k, &arena);
        for (int s = 0; s < 2; ++s) {
            pcs_solver_opts o = pcs_solver_opts_default(s ? PCS_SOLVER_NSGS : PCS_SOLVER_AUTO);
            o.max_iters = 200;
            o.as.nsgs.depth = s ? 3 : 0;
            double r[ROWS] = {0};
            const pcs_report report = solve(&p, &o, r);
            ck_assert(report.iters <= 400);
        }
    }
}

TEST(entries_agree)
{
    reset();
    const pcs_problem p = friction_problem(FRICTION_BOXES, 8, 1, &arena, NULL);
    double W[24 * 24], mu[8], a[24] = {0}, b[24] = {0}, u[24], v[24];
    pcs_bsr_to_dense(&p.W, W);
    for (int i = 0; i < 8; ++i) {
        mu[i] = p.block[i].mu;
    }
    pcs_report report;
    CK_OK(pcs_solve_fc3d(8, W, p.q, mu, NULL, a, u, &report));
    ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
    CK_OK(pcs_solve_friction(3, 8, &p.W, p.q, mu, NULL, b, v, &report));
    ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
    expect_same(u, v, 24, 1e-7);

    reset();
    double *known;
    const pcs_problem plane = friction_problem(FRICTION_PLANAR, 5, 1, &arena, &known);
    for (int i = 0; i < 5; ++i) {
        mu[i] = plane.block[i].mu;
        a[2 * i] = a[2 * i + 1] = 0;
    }
    CK_OK(pcs_solve_fc2d(5, plane.W.val, plane.q, mu, NULL, a, u, &report));
    ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);

    CK_OK(pcs_solve_fc3d(0, NULL, NULL, NULL, NULL, NULL, NULL, &report));
    ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
    CK_FAILS(pcs_solve_fc3d(-1, W, p.q, mu, NULL, a, u, &report), PCS_ERR_SIZE);
    CK_FAILS(pcs_solve_fc3d(2000000000, W, p.q, mu, NULL, a, u, &report), PCS_ERR_SIZE);
    CK_FAILS(pcs_solve_fc3d(1, NULL, p.q, mu, NULL, a, u, &report), PCS_ERR_ARG);
    CK_FAILS(pcs_solve_fc3d(1, W, p.q, NULL, NULL, a, u, &report), PCS_ERR_ARG);
    CK_FAILS(pcs_solve_fc3d(1, W, p.q, mu, NULL, a, u, NULL), PCS_ERR_ARG);
    CK_FAILS(pcs_solve_friction(4, 1, &p.W, p.q, mu, NULL, a, u, &report), PCS_ERR_ARG);
    CK_FAILS(pcs_solve_friction(3, 1, NULL, p.q, mu, NULL, a, u, &report), PCS_ERR_ARG);
    mu[0] = -0.1;
    CK_FAILS(pcs_solve_fc2d(5, plane.W.val, plane.q, mu, NULL, a, u, &report), PCS_ERR_ARG);
    mu[0] = NAN;
    CK_FAILS(pcs_solve_fc2d(5, plane.W.val, plane.q, mu, NULL, a, u, &report), PCS_ERR_ARG);
}

// the modes of few contacts: constructed problems of every rank, against their measure
TEST(enum_finds_solutions)
{
    for (int f = 0; f <= FRICTION_GYRO; ++f) {
        for (uint64_t seed = 0; seed < TEST_FEW(4, 40); ++seed) {
            reset();
            const int nc = f >= FRICTION_SPHERES ? 1 : 1 + (int)seed % 4;
            const pcs_problem p = friction_problem((friction)f, nc, seed, &arena, NULL);
            const pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_ENUM);
            double r[ROWS] = {0};
            const pcs_report report = solve(&p, &o, r);
            ck_assert_msg(report.outcome == PCS_OUTCOME_CONVERGED, "%s, nc = %d, seed %d: %s, %g",
                          friction_name[f], nc, (int)seed, pcs_outcome_text(report.outcome),
                          report.measure.residual);
        }
    }
}

// little friction and a well-conditioned W: one solution, which both methods find
TEST(enum_agrees_with_nsgs)
{
    for (uint64_t seed = 0; seed < 3 * DRAWS; ++seed) {
        reset();
        pcs_problem p = friction_problem(FRICTION_DENSE, 3, seed, &arena, NULL);
        for (int i = 0; i < p.n; ++i) {
            p.W.val[i * (p.n + 1)] += 2;
        }
        pcs_block block[3];
        for (int b = 0; b < 3; ++b) {
            block[b] = p.block[b];
            block[b].mu *= 0.2;
        }
        p.block = block;
        double a[ROWS] = {0}, b[ROWS] = {0};
        pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_ENUM);
        o.tol = 1e-12;
        const pcs_report report = solve(&p, &o, a);
        ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
        o = nsgs_options(1e-13);
        ck_assert_int_eq(solve(&p, &o, b).outcome, PCS_OUTCOME_CONVERGED);
        for (int i = 0; i < p.n; ++i) {
            CK_NEAR(a[i], b[i], 1e-10 * report.measure.norm_r);
        }
    }
}

// slides that Newton's method reaches from no direction of the grid: one contact has a closed form
TEST(enum_solves_one_contact)
{
    const double W[2][9] = {{1, -1, 1, -2, 2, 2, 1, -1, 1}, {5, 0, -6, 0, 0, 0, -6, 0, 8}};
    const double mu[2] = {0.77170369133271621, 10};
    const double q[2][3] = {{-0.61997412598346546, -0.35717588012394419, 0.067868137646754256},
                            {-3.688144576358363, 2.0633083594718382, -6.6401449436853528}};
    for (int k = 0; k < 2; ++k) {
        const pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_ENUM);
        double r[3] = {0}, u[3];
        pcs_report report;
        CK_OK(pcs_solve_fc3d(1, W[k], q[k], &mu[k], &o, r, u, &report));
        ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
        const double rt = hypot(r[1], r[2]), ut = hypot(u[1], u[2]);
        CK_NEAR(rt, mu[k] * r[0], 1e-12 * rt);
        CK_NEAR(r[1] * u[1] + r[2] * u[2], -rt * ut, 1e-9 * rt * ut);
        CK_NEAR(u[0], 0, 1e-9);
    }
}

TEST(enum_says_what_it_cannot_do)
{
    reset();
    pcs_problem p = friction_problem(FRICTION_DENSE, 5, 1, &arena, NULL);
    pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_ENUM);
    double r[ROWS] = {0}, u[ROWS];
    pcs_report report;
    CK_FAILS(pcs_solve_alloc(NULL, &p, &o, r, u, &report), PCS_ERR_UNSUPPORTED);
    o.as.enumerate.max_contacts = 5;
    o.max_iters = 100;
    p = friction_problem(FRICTION_DEFICIENT, 5, 1, &arena, NULL);
    report = solve(&p, &o, r);
    ck_assert(report.outcome == PCS_OUTCOME_CONVERGED || report.outcome == PCS_OUTCOME_MAX_ITERS);
    ck_assert(report.iters <= 100);
    o.max_iters = 0;
    memset(r, 0, sizeof r);
    report = solve(&p, &o, r);
    ck_assert_int_eq(report.iters, 0);

    // W = 0 and q < 0: enum tries every mode, which is no proof
    const double W[9] = {0}, q[3] = {-1, 0.2, 0}, mu = 0.3;
    o = pcs_solver_opts_default(PCS_SOLVER_ENUM);
    memset(r, 0, sizeof r);
    CK_OK(pcs_solve_fc3d(1, W, q, &mu, &o, r, u, &report));
    ck_assert_int_eq(report.outcome, PCS_OUTCOME_STALLED);
}

// the others refuse with an error; exactly the memory requested is enough
TEST(refusals_and_memory)
{
    reset();
    const pcs_problem p = friction_problem(FRICTION_MIXED, 5, 2, &arena, NULL);
    for (int s = 0; s < pcs_solver_count(); ++s) {
        const pcs_solver_info *info = pcs_solver_at(s);
        pcs_solver_opts o = pcs_solver_opts_default(info->kind);
        if (info->kind == PCS_SOLVER_NSGS) o.as.nsgs.depth = 4;
        double r[ROWS] = {0}, u[ROWS];
        pcs_report report;
        if (!(info->cones & 1u << PCS_CONE_COULOMB)) {
            CK_FAILS(pcs_solve_alloc(NULL, &p, &o, r, u, &report), PCS_ERR_UNSUPPORTED);
            continue;
        }
        pcs_arena exact;
        CK_OK(pcs_arena_create(NULL, pcs_solve_bytes(&p, &o), &exact));
        CK_OK(pcs_solve(&p, &o, (pcs_watch){0}, exact, r, u, &report));
        pcs_arena_destroy(NULL, &exact);
    }
}

// The walls of a body squeezed between two walls, where the normals alone have no solution, with
// tangents f times as large and friction `by` times as large: W' = F W F and q' = F q with F =
// diag(1, f, f). With by = 1 / f this is the same problem in another unit of the tangents. block
// and q are memory for p
static void scale_tangents(double f, double by, pcs_problem *p, pcs_block *block, double *q)
{
    double F[ROWS];
    for (int b = 0; b < p->nb; ++b) {
        block[b] = p->block[b];
        block[b].mu *= by;
        for (int c = 0; c < block[b].dim; ++c) {
            const int row = block[b].row + c;
            F[row] = c > 0 ? f : 1;
            q[row] = F[row] * p->q[row];
        }
    }
    p->block = block;
    p->q = q;
    for (int i = 0; i < p->W.m; ++i) {
        const int top = p->W.row[i], h = p->W.row[i + 1] - top;
        for (int k = p->W.ptr[i]; k < p->W.ptr[i + 1]; ++k) {
            const int left = p->W.col[p->W.idx[k]], right = p->W.col[p->W.idx[k] + 1];
            for (int e = 0; e < h * (right - left); ++e) {
                p->W.val[p->W.off[k] + (size_t)e] *= F[top + e % h] * F[left + e / h];
            }
        }
    }
}

// For 1e-5 <= f <= 1e5 nsgs converges as well with each local solver.
TEST(local_solvers_where_tangents_are_large_or_small)
{
    static const friction families[4] = {FRICTION_DENSE, FRICTION_PLANAR, FRICTION_SPHERES,
                                         FRICTION_BOXES};
    static const pcs_nsgs_local locals[3] = {PCS_NSGS_LOCAL_EXACT, PCS_NSGS_LOCAL_NEWTON,
                                             PCS_NSGS_LOCAL_FIXED_POINT};
    int solved[3] = {0};
    for (int trial = 0; trial < 160; ++trial) {
        reset();
        const int decade = trial % 10;
        const double f = pow(10, decade < 5 ? decade - 5 : decade - 4);
        pcs_problem p =
            friction_problem(families[trial / 10 % 4], 6, (uint64_t)trial, &arena, NULL);
        pcs_block block[ROWS];
        double q[ROWS];
        scale_tangents(f, trial / 40 % 2 == 0 ? 1 / f : 1, &p, block, q);
        for (int k = 0; k < 3; ++k) {
            pcs_solver_opts o = nsgs_options(1e-8);
            o.max_iters = 20000;
            o.as.nsgs.local = locals[k];
            double r[ROWS] = {0};
            solved[k] += solve(&p, &o, r).outcome == PCS_OUTCOME_CONVERGED;
        }
    }
    for (int k = 0; k < 3; ++k) {
        ck_assert_msg(solved[k] >= 150, "local solver %d: %d", k, solved[k]);
    }
}

// a gap that opens, and random directions on problems that have a solution, prove nothing
TEST(normals_that_contradict_are_refuted)
{
    const double H[6][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double W[36];
    for (int i = 0; i < 36; ++i) {
        W[i] = 0;
        for (int k = 0; k < 3; ++k) {
            W[i] += H[i % 6][k] * H[i / 6][k];
        }
    }
    for (int k = 0; k < 4; ++k) {
        const double q[6] = {k == 3 ? 2 : -1, 0.1 * k, 0, -1, 0, 0.2}, mu[2] = {0.1 + 0.4 * k, 0.5};
        pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_AUTO);
        double r[6] = {0}, u[6];
        pcs_report report;
        CK_OK(pcs_solve_fc3d(2, W, q, mu, &o, r, u, &report));
        ck_assert_int_eq(report.outcome, k == 3 ? PCS_OUTCOME_CONVERGED : PCS_OUTCOME_INFEASIBLE);
    }

    test_random rng = random_seed(9);
    for (int f = 0; f < FRICTION_COUNT; ++f) {
        for (uint64_t seed = 0; seed < 2 * DRAWS; ++seed) {
            reset();
            const pcs_problem p = friction_problem((friction)f, 6, seed, &arena, NULL);
            double y[ROWS], t[2 * ROWS];
            for (int i = 0; i < p.n; ++i) {
                y[i] = random_normal(&rng);
            }
            ck_assert(!problem_refuted_by(&p, y, t));
        }
    }
}
