// The global form M v = H^T r + f, u = H v + w: its measures against those of the condensed
// problem, its solvers, its conversions.
#include "support.h"

#include "friction.h"

#include <percuss/certificate.h>
#include <percuss/global.h>
#include <percuss/solver.h>
#include <percuss/solver_table.h>

#include "linalg/bsr.h"
#include "linalg/dense.h"
#include "solver/exclude.h"

#define TOL 1e-10

enum { BODIES = 6, WIDTH = 6, ROWS = 30, UNITS = 12, VELOCITIES = BODIES * WIDTH };

// the form of the mass matrix
typedef enum kind { BLOCKS, SKEWED_BLOCKS, SPARSE, SKEWED_SPARSE, KINDS } kind;

// bodies of six velocities, cones of every kind between one or two of them
typedef struct rig {
    pcs_global_problem g;
    pcs_mass_matrix *M;
    pcs_block block[ROWS];
    int row[ROWS + 1], col[BODIES + 1], ptr[ROWS + 1], idx[2 * ROWS];
    size_t off[2 * ROWS];
    double val[2 * WIDTH * ROWS], f[VELOCITIES], w[ROWS];
    double dense[VELOCITIES * VELOCITIES]; // M
} rig;

static _Alignas(64) unsigned char scratch[1 << 18];
static const pcs_arena again = {.base = scratch, .size = sizeof scratch};
static pcs_arena arena; // the part of the kind that remains

static void make_mass(rig *s, kind k, test_random *rng)
{
    // M_b = G G' / 6 + I, plus a skew part
    double val[BODIES * WIDTH * WIDTH];
    int size[BODIES];
    memset(s->dense, 0, sizeof s->dense);
    for (int b = 0; b < BODIES; ++b) {
        double G[WIDTH * WIDTH], *M = val + b * WIDTH * WIDTH;
        size[b] = WIDTH;
        for (int i = 0; i < WIDTH * WIDTH; ++i) {
            G[i] = random_normal(rng);
        }
        dense_mul_dense(false, true, WIDTH, WIDTH, WIDTH, 1.0 / WIDTH, G, G, 0, M);
        for (int j = 0; j < WIDTH; ++j) {
            M[j * (WIDTH + 1)] += 1;
            for (int i = 0; i < j; ++i) {
                M[i + WIDTH * j] = M[j + WIDTH * i];
                const double skew =
                    k == SKEWED_BLOCKS || k == SKEWED_SPARSE ? 0.3 * random_normal(rng) : 0;
                M[i + WIDTH * j] += skew;
                M[j + WIDTH * i] -= skew;
            }
            for (int i = 0; i < WIDTH; ++i) {
                s->dense[b * WIDTH + i + VELOCITIES * (b * WIDTH + j)] = 0;
            }
        }
        for (int j = 0; j < WIDTH; ++j) {
            for (int i = 0; i < WIDTH; ++i) {
                s->dense[b * WIDTH + i + VELOCITIES * (b * WIDTH + j)] = M[i + WIDTH * j];
            }
        }
    }
    if (k != SPARSE && k != SKEWED_SPARSE) {
        CK_OK(pcs_mass_matrix_create_blocks(NULL, BODIES, size, val, &s->M));
        return;
    }

    // coupling between neighbours
    for (int i = 0; i + WIDTH < VELOCITIES; ++i) {
        s->dense[i + VELOCITIES * (i + WIDTH)] = s->dense[i + WIDTH + VELOCITIES * i] = -0.3;
    }
    int p[VELOCITIES + 1], row[VELOCITIES * VELOCITIES], at = 0;
    double x[VELOCITIES * VELOCITIES];
    for (int j = 0; j < VELOCITIES; ++j) {
        p[j] = at;
        for (int i = 0; i < VELOCITIES; ++i) {
            if (s->dense[i + VELOCITIES * j] == 0) continue;
            row[at] = i;
            x[at++] = s->dense[i + VELOCITIES * j];
        }
    }
    p[VELOCITIES] = at;
    CK_OK(
        pcs_mass_matrix_create_sparse(NULL, &(pcs_csc){VELOCITIES, VELOCITIES, p, row, x}, &s->M));
}

static pcs_block random_block(test_random *rng, bool contacts)
{
    const double sort = contacts ? 0 : random_unit(rng), mu = random_unit(rng);
    if (sort < 0.5) return (pcs_block){.cone = PCS_CONE_COULOMB, .dim = 3, .mu = mu < 0.2 ? 0 : mu};
    if (sort < 0.7) return (pcs_block){.cone = PCS_CONE_COULOMB, .dim = 2, .mu = mu};
    if (sort < 0.85) return (pcs_block){.cone = PCS_CONE_UNILATERAL, .dim = 1};
    return (pcs_block){.cone = PCS_CONE_EQUALITY, .dim = 1 + (int)(3 * mu)};
}

// contacts: nothing but Coulomb blocks of three rows, one in each block row of H; otherwise every
// cone, and some block rows with two of them
static void make(rig *s, kind k, bool contacts, uint64_t seed)
{
    test_random rng = random_seed(seed * 10 + k);
    memset(s, 0, sizeof *s);
    make_mass(s, k, &rng);

    int n = 0, m = 0, nb = 0;
    size_t at = 0;
    while (nb < UNITS - 1 && n <= ROWS - 9 && m < ROWS) {
        s->row[m] = n;
        for (int c = 0; c < (contacts || random_unit(&rng) < 0.7 ? 1 : 2); ++c) {
            s->block[nb] = random_block(&rng, contacts);
            s->block[nb].row = n;
            n += s->block[nb++].dim;
        }
        const int a = (int)(BODIES * random_unit(&rng)), b = (int)(BODIES * random_unit(&rng));
        const int first = a < b ? a : b, second = a < b ? b : a;
        s->ptr[m + 1] = s->ptr[m];
        for (int j = first; j <= second; j += second > first ? second - first : 1) {
            s->idx[s->ptr[m + 1]] = j;
            s->off[s->ptr[m + 1]++] = at;
            for (int v = 0; v < (n - s->row[m]) * WIDTH; ++v) {
                s->val[at++] = random_normal(&rng);
            }
        }
        ++m;
    }
    s->row[m] = n;
    for (int b = 0; b <= BODIES; ++b) {
        s->col[b] = WIDTH * b;
    }
    for (int i = 0; i < VELOCITIES; ++i) {
        s->f[i] = 3 * random_normal(&rng);
    }
    for (int i = 0; i < n; ++i) {
        s->w[i] = random_normal(&rng);
    }
    s->g = (pcs_global_problem){.nb = nb, .block = s->block, .M = s->M, .f = s->f, .w = s->w};
    s->g.H = (pcs_bsr){m, BODIES, s->row, s->col, s->ptr, s->idx, s->off, s->val};
    CK_OK(pcs_global_check(&s->g));
}

static double norm(int n, const double *x)
{
    double sum = 0;
    for (int i = 0; i < n; ++i) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

static void check_measures(const pcs_measure *a, const pcs_measure *b)
{
    CK_NEAR(a->residual, b->residual, 1e-12 * (1 + b->residual));
    CK_NEAR(a->natural_map, b->natural_map, 1e-12 * (1 + b->natural_map));
    CK_NEAR(a->norm_q, b->norm_q, 1e-12 * (1 + b->norm_q));
    CK_NEAR(a->norm_r, b->norm_r, 1e-12 * (1 + b->norm_r));
    CK_NEAR(a->norm_u, b->norm_u, 1e-12 * (1 + b->norm_u));
}

// v obeys M v = H^T r + f and u = H v + w, in dense arithmetic
static void check_motion(const rig *s, const double *r, const double *v, const double *u)
{
    const int n = bsr_rows(&s->g.H);
    double Mv[VELOCITIES], right[VELOCITIES], Hv[ROWS];
    dense_mul(VELOCITIES, VELOCITIES, 1, s->dense, v, 0, Mv);
    memcpy(right, s->f, sizeof right);
    pcs_bsr_addmul_t(&s->g.H, r, right);
    expect_same(Mv, right, VELOCITIES, 1e-12 * (1 + norm(VELOCITIES, right)));
    pcs_bsr_mul(&s->g.H, v, Hv);
    for (int i = 0; i < n; ++i) {
        CK_NEAR(u[i], Hv[i] + (s->g.w ? s->w[i] : 0), 1e-12 * (1 + norm(n, u)));
    }
}

TEST(measures_are_those_of_the_condensed_problem)
{
    for (int trial = 0; trial < TEST_DRAWS(200); ++trial) {
        rig s;
        make(&s, (kind)(trial % KINDS), trial % 2, (uint64_t)trial + 1);
        if (trial % 5 == 0) s.g.w = NULL;
        arena = again;
        pcs_problem p;
        CK_OK(pcs_global_condense(&s.g, &arena, &p));

        test_random rng = random_seed((uint64_t)trial + 7);
        double r[ROWS], u[ROWS], v[VELOCITIES], ul[ROWS];
        for (int i = 0; i < p.n; ++i) {
            r[i] = trial % 7 == 0 ? 0 : random_normal(&rng);
        }
        pcs_measure global, local;
        CK_OK(pcs_global_measure(&s.g, arena, r, v, u, &global));
        pcs_problem_measure(&p, r, ul, &local);
        check_measures(&global, &local);
        check_motion(&s, r, v, u);

        // a NaN comes out as one
        r[p.n / 2] = NAN;
        CK_OK(pcs_global_measure(&s.g, arena, r, v, u, &global));
        ck_assert(isnan(global.residual) && isnan(global.natural_map));
        pcs_mass_matrix_destroy(s.M);
    }
}

// every solver that takes the cones: a converged outcome is correct, and v and u belong to r; auto
// and nsgs always converge
TEST(every_solver_takes_the_global_form)
{
    for (int trial = 0; trial < TEST_DRAWS(40); ++trial) {
        rig s;
        make(&s, (kind)(trial % KINDS), trial % 2, (uint64_t)trial + 300);
        const int n = bsr_rows(&s.g.H);
        for (int c = 0; c < pcs_solver_count(); ++c) {
            const pcs_solver_info *info = pcs_solver_at(c);
            double v[VELOCITIES], r[ROWS] = {0}, u[ROWS], v2[VELOCITIES], u2[ROWS];
            pcs_solver_opts o = pcs_solver_opts_default(info->kind);
            o.tol = TOL;
            pcs_report report;
            const pcs_status status =
                pcs_solve_global(NULL, &s.g, &o, (pcs_watch){0}, v, r, u, &report);
            if (status == PCS_ERR_UNSUPPORTED) continue;
            CK_OK(status);
            if (info->kind == PCS_SOLVER_AUTO || info->kind == PCS_SOLVER_NSGS) {
                ck_assert_msg(report.outcome == PCS_OUTCOME_CONVERGED, "%s: %s at %g in trial %d",
                              info->name, pcs_outcome_text(report.outcome), report.measure.residual,
                              trial);
            }
            pcs_measure m;
            CK_OK(pcs_global_measure(&s.g, again, r, v2, u2, &m));
            ck_assert_mem_eq(v, v2, sizeof v);
            ck_assert_mem_eq(u, u2, (size_t)n * sizeof *u);
            ck_assert(m.residual == report.measure.residual &&
                      m.natural_map == report.measure.natural_map);
            ck_assert_int_eq(report.outcome == PCS_OUTCOME_CONVERGED, m.residual <= TOL);
            check_motion(&s, r, v, u);
        }
        pcs_mass_matrix_destroy(s.M);
    }
}

// Two bodies fly with one velocity, and some rows hold them to one another in the directions of
// others: u = H v is the rounding of v. Every solver says so and moves no body by more, and there
// is no proof that the rows contradict one another; where they demand more than rounding, there is
TEST(rows_that_agree_to_rounding)
{
    enum { N = 6, NV = 6, TRIALS = 40 };
    test_random rng = random_seed(3);
    for (int trial = 0; trial < TRIALS; ++trial) {
        const double apart = trial % 2 == 0 ? 0 : 1e-3;
        int row[N + 1], col[3] = {0, 3, 6}, ptr[N + 1], idx[2 * N];
        const int size[2] = {3, 3};
        size_t off[2 * N];
        double mass[18] = {0}, val[6 * N], f[NV], w[N] = {0}, d[3][3];
        pcs_block block[N];
        pcs_mass_matrix *M;
        for (int i = 0; i < 9; ++i) {
            d[i / 3][i % 3] = random_normal(&rng);
        }
        for (int i = 0; i < 3; ++i) {
            mass[4 * i] = 2;
            mass[9 + 4 * i] = 3;
            f[i] = 2 * d[2][i];
            f[3 + i] = 3 * d[2][i];
        }
        // the last rows are sums of the first two
        for (int k = 0; k < N; ++k) {
            const double a = k == 1 ? 0 : k == 0 ? 1 : random_normal(&rng);
            const double b = k == 0 ? 0 : k == 1 ? 1 : random_normal(&rng);
            for (int i = 0; i < 3; ++i) {
                val[6 * k + i] = a * d[0][i] + b * d[1][i];
                val[6 * k + 3 + i] = -val[6 * k + i];
            }
            block[k] = (pcs_block){.cone = PCS_CONE_EQUALITY, .row = k, .dim = 1};
            row[k] = k;
            ptr[k] = 2 * k;
            for (int e = 0; e < 2; ++e) {
                idx[2 * k + e] = e;
                off[2 * k + e] = (size_t)(6 * k + 3 * e);
            }
        }
        row[N] = N;
        ptr[N] = 2 * N;
        w[N - 1] = apart;
        CK_OK(pcs_mass_matrix_create_blocks(NULL, 2, size, mass, &M));
        const pcs_global_problem g = {.nb = N,
                                      .block = block,
                                      .M = M,
                                      .H = {N, 2, row, col, ptr, idx, off, val},
                                      .f = f,
                                      .w = w};
        for (int c = 0; c < pcs_solver_count(); ++c) {
            const pcs_solver_info *info = pcs_solver_at(c);
            double v[NV], r[N] = {0}, u[N];
            pcs_solver_opts o = pcs_solver_opts_default(info->kind);
            o.tol = trial % 4 < 2 ? 1e-8 : 1e-12;
            o.stop = PCS_STOP_RESIDUAL;
            pcs_report report;
            const pcs_status status =
                pcs_solve_global(NULL, &g, &o, (pcs_watch){0}, v, r, u, &report);
            if (status == PCS_ERR_UNSUPPORTED) continue;
            CK_OK(status);
            const bool solved = report.outcome == PCS_OUTCOME_CONVERGED;
            ck_assert_msg(solved == (apart == 0), "%s: %s at %g in trial %d", info->name,
                          pcs_outcome_text(report.outcome), report.measure.residual, trial);
            for (int i = 0; i < NV && solved; ++i) {
                CK_NEAR(v[i], d[2][i % 3], 1e-13);
            }
        }
        pcs_problem p;
        pcs_arena mem = again;
        double y[N], closing;
        CK_OK(pcs_global_condense(&g, &mem, &p));
        CK_OK(pcs_certificate_refute(NULL, &p, y, &closing));
        ck_assert((closing > 0) == (apart > 0));
        exclusion x = {.most = 1e6, .y = y};
        CK_OK(problem_exclude(&p, mem, &x));
        ck_assert(x.none == (apart > 0));
        double r[N] = {0}, u[N];
        pcs_report report;
        CK_OK(pcs_solve_alloc(NULL, &p, NULL, r, u, &report));
        ck_assert_int_eq(report.outcome,
                         apart > 0 ? PCS_OUTCOME_INFEASIBLE : PCS_OUTCOME_CONVERGED);
        pcs_mass_matrix_destroy(M);
    }
}

static int count_calls(void *user, const pcs_progress *now)
{
    (void)now;
    *(int *)user += 1;
    return 0;
}

TEST(a_watch_changes_no_bit)
{
    const pcs_solver kinds[] = {PCS_SOLVER_AUTO, PCS_SOLVER_NSGS, PCS_SOLVER_IPM};
    for (int k = 0; k < 3; ++k) {
        int calls = 0;
        for (int trial = 0; trial < TEST_DRAWS(40); ++trial) {
            rig s;
            make(&s, (kind)(trial % KINDS), trial / 4 % 2, (uint64_t)trial + 900);
            const size_t bytes = (size_t)bsr_rows(&s.g.H) * sizeof(double);
            const pcs_solver_opts o = pcs_solver_opts_default(kinds[k]);
            double r[2][ROWS] = {{0}, {0}}, u[ROWS], v[VELOCITIES];
            pcs_report report[2];
            for (int watched = 0; watched < 2; ++watched) {
                const pcs_watch watch = {watched ? count_calls : NULL, &calls};
                CK_OK(pcs_solve_global(NULL, &s.g, &o, watch, v, r[watched], u, &report[watched]));
            }
            ck_assert_mem_eq(r[0], r[1], bytes);
            ck_assert_int_eq(report[0].outcome, report[1].outcome);
            ck_assert_int_eq(report[0].iters, report[1].iters);
            pcs_mass_matrix_destroy(s.M);
        }
        ck_assert_int_gt(calls, 0);
    }
}

// ipm in body space is ipm in contact space: every kind of block and of cone, both shifts. A mass
// that couples bodies has no body space
TEST(interior_points_of_both_spaces_agree)
{
    int converged = 0, tried = 0;
    for (int trial = 0; trial < TEST_DRAWS(80); ++trial) {
        rig s;
        make(&s, (kind)(trial % KINDS), trial / 4 % 2, (uint64_t)trial + 500);
        const int n = bsr_rows(&s.g.H);
        double r[2][ROWS] = {{0}, {0}}, u[2][ROWS], v[VELOCITIES];
        pcs_report report[2];
        for (int k = 0; k < 2; ++k) {
            pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_IPM);
            o.tol = 1e-12;
            o.as.ipm.shift = trial / 8 % 2 ? PCS_IPM_SHIFT_LAGGED : PCS_IPM_SHIFT_DIFFERENTIATED;
            o.as.ipm.space = k == 0 ? PCS_IPM_SPACE_CONTACT : PCS_IPM_SPACE_BODY;
            if (k == 1 && (trial % KINDS == SPARSE || trial % KINDS == SKEWED_SPARSE)) {
                CK_SAYS(pcs_solve_global(NULL, &s.g, &o, (pcs_watch){0}, v, r[1], u[1], &report[1]),
                        PCS_ERR_UNSUPPORTED, "block-diagonal");
                o.as.ipm.space = PCS_IPM_SPACE_AUTOMATIC;
            }
            CK_OK(pcs_solve_global(NULL, &s.g, &o, (pcs_watch){0}, v, r[k], u[k], &report[k]));
        }
        check_motion(&s, r[1], v, u[1]);
        ++tried;
        if (report[0].outcome == PCS_OUTCOME_CONVERGED) {
            ++converged;
            ck_assert_msg(report[1].measure.residual < 1e-10, "trial %d: %s at %g", trial,
                          pcs_outcome_text(report[1].outcome), report[1].measure.residual);
            for (int i = 0; i < n; ++i) {
                CK_NEAR(u[1][i], u[0][i], 1e-8 * (1 + norm(n, u[0])));
            }
        }
        pcs_mass_matrix_destroy(s.M);
    }
    ck_assert_int_gt(10 * converged, 8 * tried);
}

// no velocity opens the two contacts of one body that face one another: both spaces refute it
TEST(body_space_refutes)
{
    for (int space = PCS_IPM_SPACE_AUTOMATIC; space <= PCS_IPM_SPACE_BODY; ++space) {
        pcs_mass_matrix *M;
        const int size[1] = {1};
        const double one[1] = {2}, f[1] = {0.1}, w[2] = {-1, -1};
        double val[2] = {1, -1}, v[1], r[2] = {0}, u[2];
        int row[3] = {0, 1, 2}, col[2] = {0, 1}, ptr[3] = {0, 1, 2}, idx[2] = {0, 0};
        size_t off[2] = {0, 1};
        const pcs_block block[2] = {{.cone = PCS_CONE_UNILATERAL, .row = 0, .dim = 1},
                                    {.cone = PCS_CONE_UNILATERAL, .row = 1, .dim = 1}};
        CK_OK(pcs_mass_matrix_create_blocks(NULL, 1, size, one, &M));
        const pcs_global_problem g = {.nb = 2,
                                      .block = block,
                                      .M = M,
                                      .H = {2, 1, row, col, ptr, idx, off, val},
                                      .f = f,
                                      .w = w};
        pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_IPM);
        o.as.ipm.space = (pcs_ipm_space)space;
        pcs_report report;
        CK_OK(pcs_solve_global(NULL, &g, &o, (pcs_watch){0}, v, r, u, &report));
        ck_assert_int_eq(report.outcome, PCS_OUTCOME_INFEASIBLE);
        ck_assert(isfinite(r[0]) && isfinite(r[1]));
        pcs_mass_matrix_destroy(M);
    }
}

// the published error: zero at a solution; with a separate v it includes the equation of motion
TEST(published_error_is_the_sum_of_two)
{
    rig s;
    make(&s, BLOCKS, true, 5);
    const int n = bsr_rows(&s.g.H);
    double v[VELOCITIES], r[ROWS] = {0}, u[ROWS], error;
    pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_NSGS);
    o.tol = 1e-13;
    pcs_report report;
    CK_OK(pcs_solve_global(NULL, &s.g, &o, (pcs_watch){0}, v, r, u, &report));
    CK_OK(pcs_global_published_error(&s.g, again, r, v, u, &error));
    ck_assert(error < 1e-11);

    // v too long by a factor: the error is computed by hand
    double Mv[VELOCITIES], Hr[VELOCITIES] = {0}, miss[VELOCITIES];
    pcs_measure m;
    for (int i = 0; i < VELOCITIES; ++i) {
        v[i] *= 2;
    }
    dense_mul(VELOCITIES, VELOCITIES, 1, s.dense, v, 0, Mv);
    pcs_bsr_addmul_t(&s.g.H, r, Hr);
    for (int i = 0; i < VELOCITIES; ++i) {
        miss[i] = s.f[i] + Hr[i] - Mv[i];
    }
    const double size =
        fmax(norm(VELOCITIES, s.f), fmax(norm(VELOCITIES, Mv), norm(VELOCITIES, Hr)));
    CK_OK(pcs_global_published_error(&s.g, again, r, v, u, &error));
    double zero[ROWS * ROWS] = {0};
    pcs_problem law = {.n = n, .nb = s.g.nb, .block = s.block, .q = u};
    arena = again;
    CK_OK(pcs_bsr_from_dense(n, n, zero, &arena, &law.W));
    double same[ROWS];
    pcs_problem_measure(&law, r, same, &m);
    CK_NEAR(error, norm(VELOCITIES, miss) / size + m.natural_map / fmax(norm(n, u), norm(n, r)),
            1e-13 * error);
    pcs_mass_matrix_destroy(s.M);
}

TEST(nothing_to_solve_is_solved)
{
    rig s;
    make(&s, BLOCKS, true, 6);
    pcs_report report;
    pcs_problem p;
    pcs_measure m;
    double v[VELOCITIES], Mv[VELOCITIES], r[ROWS] = {0}, u[ROWS], error;
    const int full = s.g.H.m, blocks = s.g.nb, rows = bsr_rows(&s.g.H);

    // no contacts: the bodies move freely
    s.g.nb = s.g.H.m = 0;
    CK_OK(pcs_global_check(&s.g));
    CK_OK(pcs_solve_global(NULL, &s.g, NULL, (pcs_watch){0}, v, NULL, NULL, &report));
    ck_assert(report.outcome == PCS_OUTCOME_CONVERGED && report.measure.residual == 0);
    dense_mul(VELOCITIES, VELOCITIES, 1, s.dense, v, 0, Mv);
    for (int i = 0; i < VELOCITIES; ++i) {
        CK_NEAR(Mv[i], s.f[i], 1e-12);
    }
    CK_OK(pcs_global_measure(&s.g, again, NULL, v, NULL, &m));
    CK_OK(pcs_global_published_error(&s.g, again, NULL, v, NULL, &error));
    ck_assert(m.residual == 0 && error < 1e-14);
    arena = again;
    CK_OK(pcs_global_condense(&s.g, &arena, &p));
    ck_assert_int_eq(p.n, 0);

    // no bodies: u = w for any r
    pcs_mass_matrix *none;
    int start[1] = {0};
    CK_OK(pcs_mass_matrix_create_blocks(NULL, 0, NULL, NULL, &none));
    memset(s.ptr, 0, sizeof s.ptr);
    s.g = (pcs_global_problem){.nb = blocks, .block = s.block, .M = none, .w = s.w};
    s.g.H = (pcs_bsr){full, 0, s.row, start, s.ptr, NULL, NULL, NULL};
    for (int i = 0; i < rows; ++i) {
        s.w[i] = i % 3 == 0 ? 5 : 1;
    }
    for (int k = 0; k < pcs_solver_count(); ++k) {
        const pcs_solver_opts o = pcs_solver_opts_default(pcs_solver_at(k)->kind);
        memset(r, 0, sizeof r);
        const pcs_status status =
            pcs_solve_global(NULL, &s.g, &o, (pcs_watch){0}, NULL, r, u, &report);
        if (status == PCS_ERR_UNSUPPORTED) continue;
        CK_OK(status);
        ck_assert_msg(report.outcome == PCS_OUTCOME_CONVERGED, "%s", pcs_solver_at(k)->name);
        ck_assert_mem_eq(u, s.w, (size_t)rows * sizeof *u);
    }
    s.g.nb = s.g.H.m = 0;
    s.g.w = NULL;
    CK_OK(pcs_solve_global(NULL, &s.g, NULL, (pcs_watch){0}, NULL, NULL, NULL, &report));
    ck_assert(report.outcome == PCS_OUTCOME_CONVERGED);
    pcs_mass_matrix_destroy(none);
    pcs_mass_matrix_destroy(s.M);
}

// a contact that touches no body has zero rows in W: the solve converges where its w opens, and the
// report is correct where it cannot open
// the first constraint touches the blocks of M that it has numbers for
TEST(the_form_in_words)
{
    char words[PCS_GLOBAL_FORM_SIZE];
    rig s;
    make(&s, BLOCKS, true, 3);
    CK_OK(pcs_global_form(NULL, &s.g, words));
    ck_assert_str_eq(words, "bodies: 6 blocks of M");
    memset(s.val, 0, 2 * 3 * WIDTH * sizeof *s.val);
    CK_OK(pcs_global_form(NULL, &s.g, words));
    ck_assert_str_eq(words, "condensed: constraint 1 touches 0 blocks of M");
    pcs_mass_matrix_destroy(s.M);

    make(&s, SKEWED_BLOCKS, true, 3);
    CK_OK(pcs_global_form(NULL, &s.g, words));
    ck_assert_str_eq(words, "bodies: 6 blocks of M; block 1 of M is not symmetric");
    pcs_mass_matrix_destroy(s.M);

    make(&s, SPARSE, true, 3);
    CK_OK(pcs_global_form(NULL, &s.g, words));
    ck_assert_str_eq(words, "condensed: M is not block-diagonal");
    pcs_mass_matrix_destroy(s.M);

    // a constraint on three masses of one number each, the second negative
    const int one[3] = {1, 1, 1}, start[4] = {0, 1, 2, 3}, row[2] = {0, 1}, ptr[2] = {0, 3};
    const int idx[3] = {0, 1, 2};
    const size_t off[3] = {0, 1, 2};
    const double mass[3] = {1, -1, 1}, f[3] = {0};
    double val[3] = {1, 1, 1};
    const pcs_block block = {.cone = PCS_CONE_UNILATERAL, .dim = 1};
    pcs_mass_matrix *M;
    CK_OK(pcs_mass_matrix_create_blocks(NULL, 3, one, mass, &M));
    const pcs_global_problem g = {
        .nb = 1,
        .block = &block,
        .M = M,
        .H = {1, 3, (int *)row, (int *)start, (int *)ptr, (int *)idx, (size_t *)off, val},
        .f = f};
    CK_OK(pcs_global_form(NULL, &g, words));
    ck_assert_str_eq(words, "condensed: constraint 1 touches 3 blocks of M; block 2 of M is not"
                            " positive definite");
    pcs_mass_matrix_destroy(M);
}

TEST(contacts_that_touch_nothing)
{
    for (int k = 0; k < KINDS; ++k) {
        rig s;
        make(&s, (kind)k, true, 20 + (uint64_t)k);
        const int rows = bsr_rows(&s.g.H), last = s.g.H.m - 1;
        s.ptr[last + 1] = s.ptr[last];
        for (int good = 1; good >= 0; --good) {
            s.w[rows - 3] = good ? 9 : -1;
            s.w[rows - 2] = s.w[rows - 1] = 1;
            double v[VELOCITIES], r[ROWS] = {0}, u[ROWS];
            pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_NSGS);
            pcs_report report;
            CK_OK(pcs_solve_global(NULL, &s.g, &o, (pcs_watch){0}, v, r, u, &report));
            ck_assert_int_eq(report.outcome == PCS_OUTCOME_CONVERGED, good);
            check_motion(&s, r, v, u);
        }
        pcs_mass_matrix_destroy(s.M);
    }
}

// local -> global -> local: W to rounding, q to the bit, and the same measures
TEST(local_problems_have_a_global_form)
{
    static const friction which[] = {FRICTION_DENSE, FRICTION_DEFICIENT, FRICTION_PLANAR,
                                     FRICTION_MIXED, FRICTION_SPHERES,   FRICTION_BOXES};
    for (int trial = 0; trial < 36; ++trial) {
        const friction f = which[trial % 6];
        const int nc = 1 + trial;
        pcs_arena given, out;
        CK_OK(pcs_arena_create(NULL, friction_bytes(f, nc), &given));
        const pcs_problem p = friction_problem(f, nc, (uint64_t)trial, &given, NULL);

        size_t peak = 0;
        pcs_arena none = {.peak = &peak};
        pcs_global_problem g;
        pcs_mass_matrix *M;
        pcs_problem back;
        CK_FAILS(pcs_problem_to_global(NULL, &p, &none, &M, &g), PCS_ERR_MEMORY);
        const size_t N = (size_t)p.n * (size_t)p.n * sizeof(double);
        CK_OK(pcs_arena_create(NULL, peak + 8 * N + 100000 * (size_t)p.W.m, &out));
        pcs_arena exact = {.base = out.base, .size = peak};
        CK_OK(pcs_problem_to_global(NULL, &p, &exact, &M, &g));
        CK_OK(pcs_global_check(&g));
        const int rank = pcs_mass_matrix_size(M);
        ck_assert_int_le(rank, p.n);
        if (f == FRICTION_DEFICIENT) ck_assert_int_eq(rank, (p.n + 1) / 2);
        if (f == FRICTION_BOXES && nc >= 4) ck_assert_int_eq(rank, p.n / 2);

        out.used = exact.used;
        CK_OK(pcs_global_condense(&g, &out, &back));
        ck_assert_mem_eq(back.q, p.q, (size_t)p.n * sizeof *p.q);
        double *A = PCS_TAKE(&out, (size_t)p.n * (size_t)p.n, double);
        double *B = PCS_TAKE(&out, (size_t)p.n * (size_t)p.n, double), most = 0;
        double *r = PCS_TAKE(&out, 3 * (size_t)p.n, double), *u = r + p.n, *v = u + p.n;
        ck_assert(A && B && r);
        pcs_bsr_to_dense(&p.W, A);
        pcs_bsr_to_dense(&back.W, B);
        for (int i = 0; i < p.n; ++i) {
            most = fmax(most, A[i * (p.n + 1)]);
        }
        for (int i = 0; i < p.n * p.n; ++i) {
            CK_NEAR(A[i], B[i], 1e-15 * p.n * most * 10);
        }

        test_random rng = random_seed(4);
        for (int i = 0; i < p.n; ++i) {
            r[i] = random_normal(&rng);
        }
        pcs_measure local, global;
        pcs_problem_measure(&p, r, u, &local);
        CK_OK(pcs_global_measure(&g, out, r, v, u, &global));
        check_measures(&global, &local);
        pcs_mass_matrix_destroy(M);
        pcs_arena_destroy(NULL, &out);
        pcs_arena_destroy(NULL, &given);
    }
}

// memory that holds the byte *user everywhere: 0xff is a NaN, or -1
static void *take_filled(size_t bytes, void *user)
{
    void *p = malloc(bytes);
    if (p) memset(p, *(const unsigned char *)user, bytes);
    return p;
}

static void give_back(void *p, void *user)
{
    (void)user;
    free(p);
}

// what a solver computes does not depend on what its memory held before
TEST(old_memory_changes_no_bit)
{
    static const friction which[] = {FRICTION_DENSE, FRICTION_PLANAR, FRICTION_MIXED};
    for (int trial = 0; trial < 9; ++trial) {
        const int nc = 1 + trial / 3;
        pcs_arena given;
        CK_OK(pcs_arena_create(NULL, 1 << 20, &given));
        const pcs_problem p = friction_problem(which[trial % 3], nc, (uint64_t)trial, &given, NULL);
        pcs_global_problem g;
        pcs_mass_matrix *M;
        CK_OK(pcs_problem_to_global(NULL, &p, &given, &M, &g));
        for (int s = 0; s < pcs_solver_count(); ++s) {
            const pcs_solver_info *info = pcs_solver_at(s);
            pcs_solver_opts o = pcs_solver_opts_default(info->kind);
            if (o.max_iters > 200) o.max_iters = 200;
            for (int form = 0; form < 2; ++form) {
                double r[2][ROWS] = {{0}}, u[2][ROWS] = {{0}}, v[2][ROWS] = {{0}};
                pcs_report report[2];
                pcs_status done[2];
                for (int k = 0; k < 2; ++k) {
                    unsigned char fill = k == 0 ? 0 : 0xff;
                    const pcs_env env = {
                        .alloc = take_filled, .release = give_back, .alloc_user = &fill};
                    done[k] = form == 0 ? pcs_solve_alloc(&env, &p, &o, r[k], u[k], &report[k])
                                        : pcs_solve_global(&env, &g, &o, (pcs_watch){0}, v[k], r[k],
                                                           u[k], &report[k]);
                }
                ck_assert_int_eq(done[0], done[1]);
                if (done[0]) continue;
                ck_assert_msg(report[0].outcome == report[1].outcome &&
                                  memcmp(r[0], r[1], sizeof r[0]) == 0 &&
                                  memcmp(u[0], u[1], sizeof u[0]) == 0 &&
                                  memcmp(v[0], v[1], sizeof v[0]) == 0,
                              "%s, %s %d, form %d: %s, then %s", info->name,
                              friction_name[which[trial % 3]], nc, form,
                              pcs_outcome_text(report[0].outcome),
                              pcs_outcome_text(report[1].outcome));
            }
        }
        pcs_mass_matrix_destroy(M);
        pcs_arena_destroy(NULL, &given);
    }
}

TEST(some_local_problems_have_none)
{
    pcs_block block[2] = {{PCS_CONE_COULOMB, 0, 3, 0.5}, {PCS_CONE_COULOMB, 3, 3, 0.5}};
    double W[36] = {0}, q[6] = {-1, 0, 0, -1, 0, 0};
    arena = again;
    pcs_problem p = {.n = 6, .nb = 2, .block = block, .q = q};
    CK_OK(pcs_bsr_from_dense(6, 6, W, &arena, &p.W));
    pcs_global_problem g;
    pcs_mass_matrix *M;

    // W = 0 has rank 0
    pcs_arena rest = arena;
    CK_OK(pcs_problem_to_global(NULL, &p, &rest, &M, &g));
    CK_OK(pcs_global_check(&g));
    ck_assert_int_eq(pcs_mass_matrix_size(M), 0);
    pcs_mass_matrix_destroy(M);

    for (int i = 0; i < 6; ++i) {
        W[7 * i] = 1;
    }
    for (int k = 0; k < 3; ++k) {
        W[1] = k == 0 ? 1e-6 : 0;
        W[7] = k == 1 ? -1e-6 : 1;
        W[14] = k == 2 ? 1e-3 : 1;
        W[15] = W[20] = k == 2 ? 0.1 : 0;
        rest = arena;
        CK_FAILS(pcs_problem_to_global(NULL, &p, &rest, &M, &g), PCS_ERR_UNSUPPORTED);
        ck_assert_ptr_null(M);
    }
    W[0] = NAN;
    CK_FAILS(pcs_problem_to_global(NULL, &p, &arena, &M, &g), PCS_ERR_ARG);
    CK_FAILS(pcs_problem_to_global(NULL, &p, NULL, &M, &g), PCS_ERR_ARG);

    // no contacts
    rest = again;
    CK_OK(pcs_problem_to_global(NULL, &(pcs_problem){0}, &rest, &M, &g));
    CK_OK(pcs_global_check(&g));
    pcs_mass_matrix_destroy(M);
}

TEST(bad_global_problems_are_refused)
{
    rig s;
    make(&s, BLOCKS, true, 8);
    double v[VELOCITIES], r[ROWS] = {0}, u[ROWS], error;
    pcs_measure m;
    pcs_report report;
    const pcs_global_problem good = s.g;
    const pcs_watch watch = {0};
#define SOLVE(g) pcs_solve_global(NULL, g, NULL, watch, v, r, u, &report)

    CK_FAILS(pcs_global_check(NULL), PCS_ERR_ARG);
    s.g.M = NULL;
    CK_FAILS(SOLVE(&s.g), PCS_ERR_ARG);
    s.g = good;
    s.g.f = NULL;
    CK_FAILS(SOLVE(&s.g), PCS_ERR_ARG);
    s.g = good;
    s.g.H.n = BODIES - 1;
    CK_FAILS(SOLVE(&s.g), PCS_ERR_SIZE);
    s.g = good;
    s.col[1] = 5; // the columns of H are not the blocks of M
    CK_FAILS(SOLVE(&s.g), PCS_ERR_SIZE);
    s.col[1] = WIDTH;
    s.g.nb -= 1;
    CK_FAILS(SOLVE(&s.g), PCS_ERR_SIZE);
    s.g = good;
    s.row[1] = 2; // the first contact lies across two block rows
    CK_FAILS(SOLVE(&s.g), PCS_ERR_SIZE);
    s.row[1] = 3;
    s.block[1].mu = -1;
    CK_FAILS(SOLVE(&s.g), PCS_ERR_ARG);
    s.block[1].mu = NAN;
    CK_FAILS(SOLVE(&s.g), PCS_ERR_ARG);
    s.block[1].mu = 0.5;
    s.f[7] = NAN;
    CK_FAILS(SOLVE(&s.g), PCS_ERR_ARG);
    s.f[7] = 1;
    s.w[2] = INFINITY;
    CK_FAILS(SOLVE(&s.g), PCS_ERR_ARG);
    s.w[2] = 1;
    s.val[3] = NAN;
    CK_FAILS(SOLVE(&s.g), PCS_ERR_ARG);
    s.val[3] = 1;
    r[1] = INFINITY;
    CK_FAILS(SOLVE(&s.g), PCS_ERR_ARG);
    r[1] = 0;
    // numbers whose products overflow
    s.val[3] = 1e200;
    CK_FAILS(SOLVE(&s.g), PCS_ERR_ARG);
    s.val[3] = 1;
    CK_OK(SOLVE(&s.g));

    CK_FAILS(pcs_solve_global(NULL, &s.g, NULL, watch, v, r, u, NULL), PCS_ERR_ARG);
    CK_FAILS(pcs_solve_global(NULL, &s.g, NULL, watch, NULL, r, u, &report), PCS_ERR_ARG);
    CK_FAILS(pcs_solve_global(NULL, &s.g, NULL, watch, v, r, NULL, &report), PCS_ERR_ARG);
    pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_NSGS);
    o.tol = -1;
    CK_FAILS(pcs_solve_global(NULL, &s.g, &o, watch, v, r, u, &report), PCS_ERR_ARG);
    o.kind = (pcs_solver)99;
    CK_FAILS(pcs_solve_global(NULL, &s.g, &o, watch, v, r, u, &report), PCS_ERR_ARG);
    o = pcs_solver_opts_default(PCS_SOLVER_DIRECT);
    CK_FAILS(pcs_solve_global(NULL, &s.g, &o, watch, v, r, u, &report), PCS_ERR_UNSUPPORTED);

    CK_FAILS(pcs_global_measure(&s.g, again, r, v, NULL, &m), PCS_ERR_ARG);
    CK_FAILS(pcs_global_published_error(&s.g, again, NULL, v, u, &error), PCS_ERR_ARG);

    // the demand is recorded, and suffices
    size_t peak = 0;
    pcs_arena small = {.peak = &peak};
    CK_FAILS(pcs_global_measure(&s.g, small, r, v, u, &m), PCS_ERR_MEMORY);
    CK_OK(pcs_arena_create(NULL, peak, &small));
    CK_OK(pcs_global_measure(&s.g, small, r, v, u, &m));
    pcs_arena_destroy(NULL, &small);
    peak = 0;
    small = (pcs_arena){.peak = &peak};
    CK_FAILS(pcs_global_published_error(&s.g, small, r, v, u, &error), PCS_ERR_MEMORY);
    CK_OK(pcs_arena_create(NULL, peak, &small));
    CK_OK(pcs_global_published_error(&s.g, small, r, v, u, &error));
    pcs_arena_destroy(NULL, &small);
    pcs_mass_matrix_destroy(s.M);
#undef SOLVE
}

TEST(solve_survives_every_failing_allocation)
{
    static const pcs_solver which[] = {PCS_SOLVER_AUTO, PCS_SOLVER_NSGS, PCS_SOLVER_IPM,
                                       PCS_SOLVER_ADMM, PCS_SOLVER_HOMOTOPY};
    rig s;
    make(&s, BLOCKS, false, 9);
    for (int c = 0; c < 5; ++c) {
        pcs_solver_opts o = pcs_solver_opts_default(which[c]);
        if (c == 2) o.as.ipm.space = PCS_IPM_SPACE_BODY;
        for (long k = 0;; ++k) {
            test_memory memory = {.fail_at = k};
            const pcs_env env = test_env(&memory);
            double v[VELOCITIES], r[ROWS] = {0}, u[ROWS];
            pcs_report report;
            const pcs_status status =
                pcs_solve_global(&env, &s.g, &o, (pcs_watch){0}, v, r, u, &report);
            ck_assert_int_eq(memory.live, 0);
            if (status == PCS_OK) break;
            ck_assert_int_eq(status, PCS_ERR_MEMORY);
            ck_assert_int_lt(k, 100);
        }
    }
    pcs_mass_matrix_destroy(s.M);
}
