// Linear systems on an active set of rows: sparse against dense, hyperstatic sets, symmetry up to
// rounding, failed allocations.
#include "problems.h"
#include "scratch.h"

#include "linalg/dense.h"
#include "solver/active.h"

#ifdef PERCUSS_TEST_SUITESPARSE
#include <SuiteSparse_config.h>
#endif

static void *need(size_t count, size_t size)
{
    void *x = pcs_arena_take(&arena, count * size);
    ck_assert(x != NULL);
    return x;
}

// the set of a problem with the memory that it asks for
static active_set begin(const pcs_problem *p)
{
    const size_t bytes = active_bytes(p) + 128;
    pcs_arena work = {.base = need(bytes, 1), .size = bytes};
    double *s = need((size_t)p->n, sizeof *s);
    problem_scales(p, s);
    active_set a;
    ck_assert(active_begin(&a, p, s, &work));
    return a;
}

// A tower of m storeys with `copies` contacts each and bodies of random masses: W is block
// tridiagonal, of rank m. skew is added above the diagonal, shift to the diagonal. With `units`
// each row has its own unit.
static pcs_problem tower(uint64_t seed, int m, int copies, double skew, double shift, bool units,
                         pcs_cone cone)
{
    test_random rng = random_seed(seed);
    const size_t n = (size_t)m * (size_t)copies, blocks = 3 * (size_t)m;
    int *row = need((size_t)m + 1, sizeof *row), *ptr = need((size_t)m + 1, sizeof *ptr);
    int *idx = need(blocks, sizeof *idx);
    size_t *off = need(blocks, sizeof *off), at = 0;
    double *val = need(blocks * (size_t)(copies * copies), sizeof *val);
    double *w = need((size_t)m + 1, sizeof *w), *d = need(n, sizeof *d), *q = need(n, sizeof *q);
    pcs_block *block = need(n, sizeof *block);
    for (int i = 0; i <= m; ++i) {
        w[i] = random_between(&rng, 0.5, 2);
    }
    for (size_t i = 0; i < n; ++i) {
        d[i] = units ? pow(10, random_between(&rng, -3, 3)) : 1;
        block[i] = (pcs_block){.cone = cone, .row = (int)i, .dim = 1};
    }
    int k = 0;
    row[0] = ptr[0] = 0;
    for (int i = 0; i < m; ++i) {
        row[i + 1] = row[i] + copies;
        for (int j = i - 1; j <= i + 1; ++j) {
            if (j < 0 || j >= m) continue;
            idx[k] = j;
            off[k++] = at;
            for (int b = 0; b < copies; ++b) {
                for (int a = 0; a < copies; ++a) {
                    const double x = j == i ? w[i] + w[i + 1] : -w[i < j ? j : i];
                    const double y = (j > i ? skew : 0) + (i == j && a == b ? shift : 0);
                    val[at++] = (x + y) * d[i * copies + a] * d[j * copies + b];
                }
            }
        }
        ptr[i + 1] = k;
    }
    pcs_problem p = {.n = (int)n, .nb = (int)n, .block = block, .q = q};
    p.W = (pcs_bsr){m, m, row, row, ptr, idx, off, val};

    // q of a solution
    double *r = need(n, sizeof *r);
    for (size_t i = 0; i < n; ++i) {
        r[i] = random_normal(&rng) / d[i];
        if (cone == PCS_CONE_UNILATERAL) r[i] = r[i] < 0 ? 0 : r[i];
    }
    pcs_bsr_mul(&p.W, r, q);
    for (size_t i = 0; i < n; ++i) {
        q[i] = -q[i];
    }
    for (int i = 0; cone == PCS_CONE_UNILATERAL && i < m; ++i) {
        // a storey that carries nothing opens
        double sum = 0;
        for (int a = 0; a < copies; ++a) {
            sum += r[i * copies + a];
        }
        for (int a = 0; sum == 0 && a < copies; ++a) {
            q[i * copies + a] += random_unit(&rng) * d[i * copies + a];
        }
    }
    CK_OK(pcs_problem_check(&p));
    return p;
}

// closes about this fraction of the rows
static void close_rows(active_set *a, test_random *rng, double share)
{
    for (int i = 0; i < a->p->n; ++i) {
        a->closed[i] = random_unit(rng) < share;
    }
}

// sparse factors give the same results as dense ones, for any set of rows
TEST(sparse_solves_as_dense_does)
{
    enum { N = 300 };
    test_random rng = random_seed(4);
    for (int trial = 0; trial < 10; ++trial) {
        reset();
        const pcs_problem p =
            tower((uint64_t)trial, N / 3, 3, 0, 0.5, trial % 2, PCS_CONE_UNILATERAL);
        double r[2][N] = {{0}}, u[2][N], center[N] = {0};
        active_set a = begin(&p);
        ck_assert(a.sp != NULL);
        for (int part = 0; part < 3; ++part) {
            if (part < 2) close_rows(&a, &rng, part == 0 ? 1 : 0.6);
            memset(r, 0, sizeof r);
            a.shift = part == 2 ? 0.3 : 0; // the same set once more
            a.center = center;
            ck_assert_int_eq(active_solve(&a, r[0], u[0]), ACTIVE_REGULAR);
            ck_assert(a.sparse);
            struct active_sparse *sp = a.sp;
            a.sp = NULL;
            ck_assert_int_eq(active_solve(&a, r[1], u[1]), ACTIVE_REGULAR);
            ck_assert(!a.sparse);
            a.sp = sp;
            for (int i = 0; i < N; ++i) {
                CK_NEAR(r[0][i] * sqrt(a.s[i]), r[1][i] * sqrt(a.s[i]), 1e-11);
            }
        }
        active_free(&a);
    }
}

// copies of contacts: singular, and of all solutions the one nearest to the start
TEST(hyperstatic_sets_are_solved)
{
    enum { N = 240 };
    for (int trial = 0; trial < 8; ++trial) {
        reset();
        const pcs_problem p = tower((uint64_t)trial, N / 4, 4, 0, 0, trial % 2, PCS_CONE_EQUALITY);
        double r[N] = {0}, u[N];
        active_set a = begin(&p);
        ck_assert_int_eq(active_solve(&a, r, u), ACTIVE_SINGULAR);
        ck_assert(a.sparse);
        // the copies carry the same load, in the scaled unknowns
        for (int i = 0; i < N; i += 4) {
            for (int c = 1; c < 4; ++c) {
                CK_NEAR(r[i] * sqrt(a.s[i]), r[i + c] * sqrt(a.s[i + c]), 1e-8);
            }
        }
        active_free(&a);
    }
}

// a matrix far from symmetric, or not definite, uses dense factors
TEST(other_matrices_use_dense_factors)
{
    enum { N = 200 };
    for (int part = 0; part < 2; ++part) {
        reset();
        const pcs_problem p =
            part == 0 ? tower(3, N, 1, 5, 0.5, false, PCS_CONE_EQUALITY)    // unsymmetric
                      : tower(3, N, 1, 0, -1.01, false, PCS_CONE_EQUALITY); // indefinite
        double r[N] = {0}, u[N];
        active_set a = begin(&p);
        ck_assert((a.sp != NULL) == (part == 1));
        ck_assert_int_eq(active_solve(&a, r, u), ACTIVE_REGULAR);
        ck_assert(!a.sparse);
        pcs_measure m;
        pcs_problem_measure(&p, r, u, &m);
        ck_assert(m.residual <= 1e-13);
        active_free(&a);
    }
}

// a nearly symmetric matrix uses sparse factors of its symmetric part, and refinement
TEST(nearly_symmetric_matrices_stay_sparse)
{
    enum { N = 200 };
    for (int k = 0; k < 4; ++k) {
        reset();
        const double skew[4] = {1e-9, 0.01, 0.1, 0.5};
        const pcs_problem p = tower(3, N, 1, skew[k], 0.5, k % 2, PCS_CONE_EQUALITY);
        double r[N] = {0}, u[N];
        active_set a = begin(&p);
        ck_assert(a.sp && a.skew);
        ck_assert_int_eq(active_solve(&a, r, u), ACTIVE_REGULAR);
        ck_assert(a.sparse);
        pcs_measure m;
        pcs_problem_measure(&p, r, u, &m);
        ck_assert(m.residual <= 1e-13);
        active_free(&a);
    }
}

// an asymmetry of a few roundings counts as symmetric, in any entry
TEST(symmetry_is_judged_by_rounding)
{
    reset();
    pcs_problem p = tower(5, 100, 1, 0, 0.5, true, PCS_CONE_EQUALITY);
    for (int part = 0; part < 2; ++part) {
        for (int k = 0; k < p.W.ptr[p.W.m]; ++k) {
            const double keep = p.W.val[k];
            p.W.val[k] *= part == 0 ? 1 + 1e-15 : 1 + 1e-12;
            const pcs_arena scope = arena;
            active_set a = begin(&p);
            bool diagonal = false;
            for (int i = 0; i < 100; ++i) {
                diagonal |= k >= p.W.ptr[i] && k < p.W.ptr[i + 1] && p.W.idx[k] == i;
            }
            ck_assert(a.sp && a.skew == (part == 1 && !diagonal));
            active_free(&a);
            arena = scope;
            p.W.val[k] = keep;
        }
    }
}

static pcs_report solve(const pcs_problem *p, pcs_solver kind)
{
    double *r = need((size_t)p->n, sizeof *r), *u = need((size_t)p->n, sizeof *u);
    memset(r, 0, (size_t)p->n * sizeof *r);
    pcs_solver_opts o = pcs_solver_opts_default(kind);
    pcs_report report;
    CK_OK(pcs_solve_alloc(NULL, p, &o, r, u, &report));
    ck_assert(pcs_all_finite(r, (size_t)p->n));
    return report;
}

// A tolerance below the rounding of the data: the residual is this rounding, and counts as
// converged, also where redundant rows make W singular
TEST(a_tolerance_below_rounding)
{
    static const pcs_solver kinds[] = {PCS_SOLVER_AUTO, PCS_SOLVER_DIRECT};
    for (uint64_t seed = 1; seed <= TEST_DRAWS(200); ++seed) {
        reset();
        const int copies = 1 + (int)(seed % 2);
        pcs_problem p = tower(seed, 5, copies, 0, 0, seed % 3 == 0, PCS_CONE_EQUALITY);
        for (int k = 0; k < 2; ++k) {
            double r[10] = {0}, u[10];
            pcs_solver_opts o = pcs_solver_opts_default(kinds[k]);
            o.tol = seed % 5 == 0 ? 1e-16 : 1e-14;
            pcs_report report;
            CK_OK(pcs_solve_alloc(NULL, &p, &o, r, u, &report));
            ck_assert_msg(report.outcome == PCS_OUTCOME_CONVERGED, "%lu: %s, %g",
                          (unsigned long)seed, pcs_outcome_text(report.outcome),
                          report.measure.residual);
            ck_assert(report.measure.residual <= 1e-13);
        }
    }
}

// more rows than a dense matrix is made for
TEST(large_problems)
{
    for (int copies = 1; copies <= 2; ++copies) {
        reset();
        const double shift = copies == 1 ? 0.1 : 0;
        const pcs_problem contacts = tower(7, 4000, copies, 0, shift, false, PCS_CONE_UNILATERAL);
        const pcs_report a = solve(&contacts, PCS_SOLVER_AUTO);
        ck_assert_msg(a.outcome == PCS_OUTCOME_CONVERGED, "%d copies: %s, %g", copies,
                      pcs_outcome_text(a.outcome), a.measure.residual);

        const pcs_problem joints = tower(8, 4000, copies, 0, shift, false, PCS_CONE_EQUALITY);
        const pcs_report d = solve(&joints, PCS_SOLVER_DIRECT);
        ck_assert_msg(d.outcome == PCS_OUTCOME_CONVERGED, "%d copies: %s, %g", copies,
                      pcs_outcome_text(d.outcome), d.measure.residual);
    }

    // a matrix far from symmetric: only nsgs remains, and reports its residual
    reset();
    const pcs_problem skewed = tower(9, 4000, 1, 0.01, 2, false, PCS_CONE_UNILATERAL);
    ck_assert_int_eq(solve(&skewed, PCS_SOLVER_AUTO).outcome, PCS_OUTCOME_CONVERGED);
    const pcs_problem lost = tower(9, 4000, 1, 5, 2, false, PCS_CONE_EQUALITY);
    ck_assert_int_eq(solve(&lost, PCS_SOLVER_DIRECT).outcome, PCS_OUTCOME_STALLED);
}

#ifdef PERCUSS_TEST_SUITESPARSE
static long calls, fail_at, live;

static bool refused(void)
{
    return fail_at >= 0 && calls++ >= fail_at;
}

static void *counted_malloc(size_t size)
{
    if (refused()) return NULL;
    void *x = malloc(size);
    live += x != NULL;
    return x;
}

static void *counted_calloc(size_t count, size_t size)
{
    if (refused()) return NULL;
    void *x = calloc(count, size);
    live += x != NULL;
    return x;
}

static void *counted_realloc(void *old, size_t size)
{
    if (refused()) return NULL;
    void *x = realloc(old, size);
    live += x != NULL && !old;
    return x;
}

static void counted_free(void *x)
{
    live -= x != NULL;
    free(x);
}

// CHOLMOD without memory from its k-th request on: nothing leaks, and dense factors or an error
// follow
TEST(cholmod_runs_out_of_memory)
{
    const struct SuiteSparse_config_struct keep = SuiteSparse_config;
    SuiteSparse_config.malloc_func = counted_malloc;
    SuiteSparse_config.calloc_func = counted_calloc;
    SuiteSparse_config.realloc_func = counted_realloc;
    SuiteSparse_config.free_func = counted_free;
    // one that fits a dense matrix, and one that does not
    for (int part = 0; part < 2; ++part) {
        reset();
        const pcs_problem p = part == 0 ? tower(11, 60, 2, 0, 0, false, PCS_CONE_UNILATERAL)
                                        : tower(11, 3500, 1, 0, 0.1, false, PCS_CONE_EQUALITY);
        bool ended = false;
        for (long k = 0; !ended; ++k) {
            ck_assert(k < 1000);
            calls = live = 0;
            fail_at = k;
            pcs_arena scope = arena;
            const pcs_report report = solve(&p, part == 0 ? PCS_SOLVER_AUTO : PCS_SOLVER_DIRECT);
            arena = scope;
            ck_assert_int_eq((int)live, 0);
            ended = calls <= k;
            if (k > 20) k += k / 10;
            if (part == 0 || ended) {
                ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
            } else {
                ck_assert(report.outcome == PCS_OUTCOME_STALLED ||
                          report.outcome == PCS_OUTCOME_CONVERGED);
            }
        }
    }
    fail_at = -1;
    SuiteSparse_config = keep;
}
#endif

// Two ball joints of a free body with M = 1 at the points +-p: of six rows five are independent. A
// p that lies nearly in a plane of axes leaves a small pivot before the last one, which is rounding
// over that
TEST(a_dependent_row_is_found_at_any_place)
{
    test_random rng = random_seed(7);
    int singular = 0;
    for (int k = 0; k < 3000; ++k) {
        reset();
        double p[3], H[6][6] = {0}, q[6] = {0}, W[36], r[6] = {0}, u[6];
        pcs_block block[6];
        for (int i = 0; i < 3; ++i) {
            p[i] = random_normal(&rng);
        }
        p[k % 3] *= pow(10, random_between(&rng, -6, 0));
        for (int side = 0; side < 2; ++side) {
            const double s = side == 0 ? 0.5 : -0.5;
            const double cross[3][3] = {
                {0, s * p[2], -s * p[1]}, {-s * p[2], 0, s * p[0]}, {s * p[1], -s * p[0], 0}};
            for (int i = 0; i < 3; ++i) {
                H[3 * side + i][i] = 1;
                memcpy(H[3 * side + i] + 3, cross[i], sizeof cross[i]);
            }
        }
        for (int j = 0; j < 6; ++j) {
            const double v = random_normal(&rng);
            for (int i = 0; i < 6; ++i) {
                q[i] += H[i][j] * v;
            }
        }
        for (int i = 0; i < 36; ++i) {
            W[i] = 0;
            for (int j = 0; j < 6; ++j) {
                W[i] += H[i % 6][j] * H[i / 6][j];
            }
            block[i / 6] = (pcs_block){.cone = PCS_CONE_EQUALITY, .row = i / 6, .dim = 1};
        }
        pcs_problem x = {.n = 6, .nb = 6, .block = block, .q = q};
        CK_OK(pcs_bsr_from_dense(6, 6, W, &arena, &x.W));
        active_set a = begin(&x);
        singular += active_solve(&a, r, u) != ACTIVE_REGULAR;
        active_free(&a);
        double most = 0, size = 0;
        for (int i = 0; i < 6; ++i) {
            most = fmax(most, fabs(r[i]));
            size = fmax(size, fabs(q[i]));
            CK_NEAR(u[i], 0, 1e-10 * size);
        }
        // the least singular value of H that is not zero is that of rotations, about |p|
        const double least = fmin(1, 0.5 * (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]));
        ck_assert_double_le(most, 10 * size / least);
    }
    ck_assert_int_eq(singular, 3000);
}
