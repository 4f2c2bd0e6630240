// The curve of homotopy: its corrections and derivatives, the sign of its determinants, its turning
// points, what it reports, and its two spaces.
#include "friction.h"
#include "scratch.h"

#include <percuss/global.h>

#include "base/base.h"
#include "linalg/dense.h"
#include "linalg/lu_fronts.h"
#include "linalg/sparse_lu.h"
#include "problem/problem.h"
#include "solver/homotopy.h"
#include "solver/self_dual_system.h"

#define ROWS 400

static const pcs_homotopy_opts usual = {.steps = 300, .smoothing = 1};

typedef struct curve {
    homotopy w;
    self_dual_system s;
    self_dual_space space;
} curve;

static void open_curve(curve *c, const pcs_problem *p)
{
    double scales[ROWS];
    ck_assert_int_le(p->n, ROWS);
    ck_assert(homotopy_take(&c->w, &usual, p->n, p->nb, p->block, &arena));
    problem_scales(p, scales);
    self_dual_begin(&c->w.k, scales, p->q);
    ck_assert(self_dual_system_begin(&c->s, &c->w.k, false, p, &arena));
    c->space = self_dual_system_space(&c->s);
}

static double largest(int n, const double *x)
{
    double most = 0;
    for (int i = 0; i < n; ++i) {
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

// Newton's method from `now` at its t; the sizes of the first corrections
static void converge(curve *c, double size[8])
{
    homotopy *w = &c->w;
    for (int k = 0; k < 8; ++k) {
        ck_assert(homotopy_system(w, &c->space, &w->now, 0));
        size[k] = largest(w->k.n, w->newton);
        homotopy_move(w, &w->now, w->newton, &w->now);
    }
}

// Off the curve the corrections converge quadratically: the matrix is the derivative of the
// residual
TEST(corrections_converge_quadratically)
{
    for (int f = FRICTION_DENSE; f < FRICTION_COUNT; ++f) {
        for (int seed = 0; seed < TEST_DRAWS(5); ++seed) {
            reset();
            const pcs_problem p = friction_problem((friction)f, 4, (uint64_t)seed, &arena, NULL);
            curve c;
            double size[8];
            open_curve(&c, &p);
            ck_assert(homotopy_start_cold(&c.w, &c.space, 0));
            c.w.now.t = 0.7;
            converge(&c, size);
            ck_assert_msg(size[7] <= 1e-11, "%s %d: %g", friction_name[f], seed, size[7]);
            for (int k = 0; k < 7; ++k) {
                if (size[k] > 0.02 || size[k + 1] < 1e-12) continue;
                ck_assert_msg(size[k + 1] <= 200 * size[k] * size[k], "%s %d: %g after %g",
                              friction_name[f], seed, size[k + 1], size[k]);
            }
            self_dual_system_end(&c.s);
        }
    }
}

// the distance of the point extrapolated to t (1 + h) from the curve
static double extrapolation(curve *c, double h)
{
    homotopy *w = &c->w;
    double step[ROWS], size[8];
    homotopy_copy(w, &w->now, &w->probe);
    ck_assert(homotopy_system(w, &c->space, &w->now, 0));
    for (int i = 0; i < w->k.n; ++i) {
        step[i] = h * w->rate[i];
    }
    homotopy_move(w, &w->now, step, &w->now);
    w->now.t *= 1 + h;
    converge(c, size);
    homotopy_copy(w, &w->probe, &w->now);
    return size[0];
}

// the rate is the derivative of the curve: what it leaves is quadratic in the step
TEST(rate_is_the_derivative_by_log_t)
{
    for (int f = FRICTION_DENSE; f < FRICTION_COUNT; ++f) {
        for (int warm = 0; warm < 2; ++warm) {
            reset();
            const pcs_problem p = friction_problem((friction)f, 4, 3, &arena, NULL);
            curve c;
            double size[8], r[ROWS];
            open_curve(&c, &p);
            for (int i = 0; i < p.n; ++i) {
                r[i] = i % 3 == 0 ? 0.1 : 0.01;
            }
            ck_assert(warm ? homotopy_start_warm(&c.w, &c.space, r, 0.3, 1)
                           : homotopy_start_cold(&c.w, &c.space, 0));
            c.w.now.t *= 0.8;
            converge(&c, size);
            const double one = extrapolation(&c, 1e-3), two = extrapolation(&c, 2e-3);
            ck_assert_msg(one < 1e-4 && two < 5 * one && two > 3 * one, "%s, warm %d: %g, %g",
                          friction_name[f], warm, one, two);
            self_dual_system_end(&c.s);
        }
    }
}

// the sign of a determinant: of products, of exchanged rows, dense and sparse
TEST(signs_of_determinants)
{
    enum { N = 7 };
    test_random rng = random_seed(5);
    int negative = 0;
    for (int draw = 0; draw < 200; ++draw) {
        reset();
        double A[N * N], lu[N * N], x[N * N];
        int piv[N], ptr[N + 1] = {0}, row[N * N], nnz = 0;
        for (int i = 0; i < N * N; ++i) {
            A[i] = random_between(&rng, 0, 1) < 0.5 || i % (N + 1) == 0 ? random_normal(&rng) : 0;
        }
        for (int j = 0; j < N; ++j) {
            for (int i = 0; i < N; ++i) {
                if (A[i + N * j] == 0) continue;
                row[nnz] = i;
                x[nnz++] = A[i + N * j];
            }
            ptr[j + 1] = nnz;
        }
        memcpy(lu, A, sizeof A);
        if (!dense_lu(N, lu, piv)) continue;
        const int sign = dense_lu_sign(N, lu, piv);
        const pcs_csc S = {.m = N, .n = N, .p = ptr, .i = row, .x = x};
        sparse_lu *sparse = sparse_lu_begin(N, &arena);
        ck_assert_int_eq(sparse_lu_refactor(sparse, &S, false), SPARSE_LU_GOOD);
        ck_assert_int_eq(sparse_lu_sign(sparse), sign);
        sparse_lu_end(sparse);
        // two rows change places
        memcpy(lu, A, sizeof A);
        for (int j = 0; j < N; ++j) {
            swap_numbers(&lu[2 + N * j], &lu[5 + N * j]);
        }
        ck_assert(dense_lu(N, lu, piv));
        ck_assert_int_eq(dense_lu_sign(N, lu, piv), -sign);
        negative += sign < 0;
    }
    ck_assert(negative > 50 && negative < 150);
}

// LU by fronts against the dense one: bodies in a row and a column of them that touch all, with 6
// velocities each and entries of any sign. Both have the same solution and the same sign of the
// determinant, from memory of its own or the caller's, and again with other values
TEST(fronts_agree_with_dense_factors)
{
    enum { BODIES = 24, WIDTH = 6, N = BODIES * WIDTH };
    static double A[N * N], lu[N * N], x[N * N], b[N], y[N], z[N], work[2 * N];
    static int piv[N], ptr[N + 1], row[N * N];
    test_random rng = random_seed(11);
    int negative = 0, large = 0;
    for (int draw = 0; draw < 40; ++draw) {
        int nnz = 0;
        for (int j = 0; j < N; ++j) {
            for (int i = 0; i < N; ++i) {
                const int p = i / WIDTH, q = j / WIDTH, apart = p > q ? p - q : q - p;
                A[i + N * j] = 0;
                if (apart > 2 && p % 8 != 0 && q % 8 != 0) continue;
                A[i + N * j] = random_normal(&rng) * (i % 5 == 0 ? 1e6 : 1);
                row[nnz] = i;
                x[nnz++] = A[i + N * j];
            }
            ptr[j + 1] = nnz;
        }
        const pcs_csc S = {.m = N, .n = N, .p = ptr, .i = row, .x = x};
        lu_fronts *f = lu_fronts_create(&S);
        if (!f) continue; // without the supernodal part of CHOLMOD
        large += 1;
        for (int again = 0; again < 2; ++again) {
            for (int k = 0; k < N; ++k) {
                b[k] = random_normal(&rng);
            }
            memcpy(lu, A, sizeof A);
            ck_assert(dense_lu(N, lu, piv));
            ck_assert(lu_fronts_factor(f, &S) > 0);
            ck_assert_int_eq(lu_fronts_sign(f), dense_lu_sign(N, lu, piv));
            memcpy(y, b, sizeof b);
            memcpy(z, b, sizeof b);
            lu_fronts_solve(f, NULL, y);
            lu_fronts_solve(f, work, z);
            ck_assert_mem_eq(y, z, sizeof y);
            double most = 0;
            for (int i = 0; i < N; ++i) {
                double sum = -b[i], size = 0;
                for (int j = 0; j < N; ++j) {
                    sum += A[i + N * j] * y[j];
                    size += fabs(A[i + N * j] * y[j]);
                }
                most = fmax(most, fabs(sum) / size);
            }
            ck_assert_msg(most < 1e-9, "residual %g", most);
            negative += lu_fronts_sign(f) < 0;
            // a row of other sign
            for (int j = 0; j < N; ++j) {
                A[3 + N * j] = -A[3 + N * j];
            }
            for (int k = 0; k < nnz; ++k) {
                if (row[k] == 3) x[k] = -x[k];
            }
        }
        lu_fronts_destroy(f);
    }
    ck_assert_int_eq(negative, large);
    // a pattern that is not symmetric
    const pcs_csc odd = {.m = 2, .n = 2, .p = (int[]){0, 1, 3}, .i = (int[]){0, 0, 1}, .x = x};
    ck_assert_ptr_null(lu_fronts_create(&odd));
}

// Families with a solution: where the path turns, it is found all the same, and the report says how
// far the path came
TEST(paths_reach_solutions)
{
    for (int f = FRICTION_DENSE; f < FRICTION_COUNT; ++f) {
        for (int seed = 0; seed < TEST_DRAWS(10); ++seed) {
            reset();
            const pcs_problem p = friction_problem((friction)f, 6, (uint64_t)seed, &arena, NULL);
            pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_HOMOTOPY);
            double r[ROWS] = {0}, u[ROWS];
            pcs_report report;
            CK_OK(pcs_solve_alloc(NULL, &p, &o, r, u, &report));
            ck_assert_msg(report.outcome == PCS_OUTCOME_CONVERGED, "%s %d: %g, least t %g",
                          friction_name[f], seed, report.measure.residual, report.least);
            ck_assert(report.least > 0 && report.least <= 1);
            ck_assert(report.undecided >= 0 && report.undecided <= p.nb);
        }
    }
}

// Contacts with so much friction that some have several solutions. W is definite, so every contact
// can be opened: each path arrives at its first try, also those on which t turns
TEST(turning_points_are_passed)
{
    int turned = 0;
    for (int seed = 0; seed < 60; ++seed) {
        reset();
        test_random rng = random_seed((uint64_t)seed);
        const int nc = 1 + seed % 4, n = 2 * nc;
        double G[64], W[64], q[8], r[8] = {0}, u[8];
        for (int i = 0; i < n * n; ++i) {
            G[i] = random_normal(&rng);
        }
        dense_mul_dense(false, true, n, n, n, 1, G, G, 0, W);
        pcs_block block[4];
        for (int b = 0; b < nc; ++b) {
            block[b] = (pcs_block){PCS_CONE_COULOMB, 2 * b, 2, random_between(&rng, 0.5, 5)};
            W[(n + 1) * 2 * b] += 0.01;
            W[(n + 1) * (2 * b + 1)] += 0.01;
        }
        for (int i = 0; i < n; ++i) {
            q[i] = random_normal(&rng);
        }
        int row[2] = {0, n}, col[2] = {0, n}, ptr[2] = {0, 1}, idx[1] = {0};
        size_t off[1] = {0};
        const pcs_problem p = {
            .n = n, .W = {1, 1, row, col, ptr, idx, off, W}, .q = q, .nb = nc, .block = block};
        pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_HOMOTOPY);
        o.tol = 1e-12;
        curve c;
        solver_track t;
        open_curve(&c, &p);
        ck_assert(track_begin(&t, &p, &o, (pcs_watch){0}, &arena, r));
        if (track_is_over(&t, r, u)) continue;
        ck_assert(homotopy_start_cold(&c.w, &c.space, 0));
        const homotopy_path path = homotopy_follow(&c.w, &c.space, &t, r, u);
        ck_assert_msg(t.best_value <= o.tol, "%d: %g after %d steps, %d turns, least t %g", seed,
                      t.best_value, path.steps, path.turns, path.least);
        turned += path.turns > 0;
        // t falls again after it has risen
        ck_assert_int_eq(path.turns % 2, 0);
        self_dual_system_end(&c.s);
    }
    ck_assert_int_gt(turned, 0);
}

static int keep_gap(void *user, const pcs_progress *now)
{
    int *gap = user;
    // gap[0]: the largest number of factorisations between two calls, gap[1]: their number so far
    if (now->iters - gap[1] > gap[0]) gap[0] = now->iters - gap[1];
    gap[1] = now->iters;
    return 0;
}

// the watch and, just after it, the clock: a solve ends within one factorisation, also while steps
// are rejected and corrected
TEST(each_factorisation_is_watched)
{
    static const friction families[] = {FRICTION_DEFICIENT, FRICTION_SPHERES, FRICTION_BOXES};
    for (int f = 0; f < 3; ++f) {
        reset();
        const pcs_problem p = friction_problem(families[f], 8, 1, &arena, NULL);
        pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_HOMOTOPY);
        int gap[2] = {0};
        double r[ROWS] = {0}, u[ROWS];
        pcs_report report;
        CK_OK(pcs_solve(&p, &o, (pcs_watch){keep_gap, gap}, arena, r, u, &report));
        ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
        ck_assert_int_gt(report.iters, 5);
        ck_assert_int_eq(gap[0], 1);
    }
}

// the two spaces follow the same curve: the same velocities, while neither path turns
TEST(body_space_is_contact_space)
{
    static const friction families[] = {FRICTION_DEFICIENT, FRICTION_SPHERES, FRICTION_BOXES};
    for (int f = 0; f < 3; ++f) {
        for (int seed = 0; seed < TEST_DRAWS(5); ++seed) {
            reset();
            const pcs_problem p = friction_problem(families[f], 8, (uint64_t)seed, &arena, NULL);
            pcs_mass_matrix *M;
            pcs_global_problem g;
            CK_OK(pcs_problem_to_global(NULL, &p, &arena, &M, &g));
            double v[ROWS], r[ROWS], u[2][ROWS];
            for (int k = 0; k < 2; ++k) {
                pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_HOMOTOPY);
                o.as.homotopy.space = k == 0 ? PCS_IPM_SPACE_CONTACT : PCS_IPM_SPACE_BODY;
                o.tol = 1e-12;
                pcs_report report;
                memset(r, 0, sizeof r);
                CK_OK(pcs_solve_global(NULL, &g, &o, (pcs_watch){0}, v, r, u[k], &report));
                ck_assert_msg(report.outcome == PCS_OUTCOME_CONVERGED, "%s %d, space %d: %g",
                              friction_name[families[f]], seed, k, report.measure.residual);
            }
            for (int i = 0; i < p.n; ++i) {
                CK_NEAR(u[1][i], u[0][i], 1e-8 * (1 + largest(p.n, p.q)));
            }
            pcs_mass_matrix_destroy(M);
        }
    }
}

// Two walls that close on a block, W = (1 -1; -1 1) and q = (-1, -1): there is no solution. By
// symmetry the path has x = t / z and z = 2 t - 1, with friction z = 3 t - 1 - t^2, so that x grows
// without bound where z is zero. The report says that the path came so far, in both spaces; with W
// the direction of x proves that there is no solution
TEST(without_a_solution_the_path_stops)
{
    static const double stop[] = {0.5, 0.38196601125010515};
    for (int k = 0; k < 4; ++k) {
        reset();
        const int dim = 1 + k / 2, n = 2 * dim;
        double W[16] = {0}, q[4] = {0}, v[4], r[4] = {0}, u[4];
        for (int i = 0; i < n; ++i) {
            W[i + n * i] = 1;
            W[i + n * ((i + dim) % n)] = -1;
            q[i] = i % dim == 0 ? -1 : 0;
        }
        const pcs_cone cone = dim == 1 ? PCS_CONE_UNILATERAL : PCS_CONE_COULOMB;
        const double mu = dim == 1 ? 0 : 0.5;
        const pcs_block block[] = {{cone, 0, dim, mu}, {cone, dim, dim, mu}};
        int row[2] = {0, n}, ptr[2] = {0, 1}, idx[1] = {0};
        size_t off[1] = {0};
        const pcs_problem p = {
            .n = n, .W = {1, 1, row, row, ptr, idx, off, W}, .q = q, .nb = 2, .block = block};
        pcs_mass_matrix *M;
        pcs_global_problem g;
        CK_OK(pcs_problem_to_global(NULL, &p, &arena, &M, &g));
        pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_HOMOTOPY);
        o.as.homotopy.space = k % 2 == 0 ? PCS_IPM_SPACE_CONTACT : PCS_IPM_SPACE_BODY;
        o.max_iters = 14; // those of the first path: others stop elsewhere
        pcs_report report;
        CK_OK(pcs_solve_global(NULL, &g, &o, (pcs_watch){0}, v, r, u, &report));
        const bool body = k % 2 == 1;
        ck_assert_int_eq(report.outcome, body ? PCS_OUTCOME_MAX_ITERS : PCS_OUTCOME_INFEASIBLE);
        ck_assert_msg(fabs(report.least - stop[k / 2]) < 0.01, "%d: least t %.17g", k,
                      report.least);
        // x is far above its smoothing: closed for certain
        ck_assert_int_eq(report.undecided, 0);
        pcs_mass_matrix_destroy(M);
    }
}
