// The claims of a solve, checked with the measures in higher precision: problems with and without a
// solution, with a W that lacks rank, is badly scaled or zero in part. No solver reports converged
// without a solution, for any stopping measure; a solution that is exact to rounding counts.
#include "support.h"

#include <float.h>
#include <stdio.h>

#include "exact.h"
#include "problem/measure.h"
#include <percuss/certificate.h>
#include <percuss/numerics.h>

// the limit for a tolerance below the rounding of the data, see numerics/solver/stop.c
#define HALF_THE_DIGITS 1.5e-8
// the natural map may be smaller than the residual by this factor
#define NATURAL_FINER 1e3
// factor of claims: rounding may double the measured value
#define TWICE 2.01

// ---- problems ----------------------------------------------------------------------------------

typedef enum kind { LCP, MLCP, FC2D, FC3D, MIXED, KINDS } kind;

typedef struct sample {
    pcs_problem p;
    pcs_block block[EXACT_ROWS];
    int index[7];
    size_t off[1];
    double W[EXACT_ROWS * EXACT_ROWS], q[EXACT_ROWS], start[EXACT_ROWS];
    bool psd;
    // all rows of similar size: where the problem is refuted, no solver may solve it by ignoring
    // small ones
    bool even;
} sample;

static int below(test_random *g, int n)
{
    return (int)(random_unit(g) * n);
}

static void add_block(sample *s, pcs_cone cone, int dim, double mu)
{
    s->block[s->p.nb++] = (pcs_block){.cone = cone, .row = s->p.n, .dim = dim, .mu = mu};
    s->p.n += dim;
}

static void take_blocks(sample *s, kind k, int nb, test_random *g)
{
    static const double mu[] = {0, 0.25, 0.5, 1, 4};
    for (int b = 0; b < nb; ++b) {
        const int of = k == MIXED ? below(g, 4) : -1;
        const double friction = mu[below(g, 5)];
        if (k == FC2D || of == 2) {
            add_block(s, PCS_CONE_COULOMB, 2, friction);
        } else if (k == FC3D || of == 3) {
            add_block(s, PCS_CONE_COULOMB, 3, friction);
        } else if (of == 1 || (k == MLCP && below(g, 2))) {
            add_block(s, PCS_CONE_EQUALITY, 1 + below(g, 2), 0);
        } else {
            add_block(s, PCS_CONE_UNILATERAL, 1, 0);
        }
    }
}

// W = H H^T of small whole numbers, exact, with fewer columns than rows in most cases
static void whole_gram(sample *s, test_random *g)
{
    const int n = s->p.n, m = 1 + below(g, n);
    double H[EXACT_ROWS * EXACT_ROWS];
    for (int i = 0; i < n * m; ++i) {
        H[i] = below(g, 9) - 4;
    }
    for (int i = 0; i < n * n; ++i) {
        s->W[i] = 0;
        for (int k = 0; k < m; ++k) {
            s->W[i] += H[i % n + n * k] * H[i / n + n * k];
        }
    }
    s->psd = true;
}

static void take_matrix(sample *s, test_random *g)
{
    const int n = s->p.n, how = below(g, 6);
    whole_gram(s, g);
    if (how < 3) return;
    s->psd = false;
    for (int i = 0; i < n * n; ++i) {
        // any, nearly of low rank, or zero in some rows and columns
        if (how == 3) s->W[i] = below(g, 7) - 3;
        if (how == 4) s->W[i] += 1e-9 * random_normal(g);
    }
    for (int k = below(g, 2); how == 5 && k < n; k += 2) {
        for (int i = 0; i < n; ++i) {
            s->W[i + n * k] = 0;
            if (k % 3) s->W[k + n * i] = 0;
        }
    }
}

// q: whole numbers, or numbers of all sizes; in half of the cases in the range of W
static void take_q(sample *s, test_random *g)
{
    const int n = s->p.n, how = below(g, 4);
    for (int i = 0; i < n; ++i) {
        s->q[i] = below(g, 7) - 3;
        if (how == 1) s->q[i] *= pow(10, random_between(g, -12, 0));
    }
    s->even = how != 1;
    if (how < 2) return;
    double x[EXACT_ROWS];
    memcpy(x, s->q, sizeof x);
    for (int i = 0; i < n; ++i) {
        s->q[i] = how == 3 ? 1e-6 * (below(g, 3) - 1) : 0;
        for (int j = 0; j < n; ++j) {
            s->q[i] += s->W[i + n * j] * x[j];
        }
    }
}

// rows and columns in units from 1e-6 to 1e6 (W: 1e-12 to 1e12), or all in one such unit
static void take_units(sample *s, test_random *g)
{
    const int n = s->p.n, how = below(g, 4);
    double unit[EXACT_ROWS] = {0};
    const double common = pow(10, random_between(g, -6, 6));
    if (how < 2) return;
    s->even = s->even && how == 2;
    for (int b = 0; b < s->p.nb; ++b) {
        const double own = how == 2 ? common : pow(10, random_between(g, -6, 6));
        for (int i = s->block[b].row; i < s->block[b].row + s->block[b].dim; ++i) {
            unit[i] = own;
        }
    }
    for (int i = 0; i < n * n; ++i) {
        s->W[i] *= unit[i % n] * unit[i / n];
    }
    for (int i = 0; i < n; ++i) {
        s->q[i] *= unit[i] * common;
    }
}

// a start from rest, from some impulses, or from far away
static void take_start(sample *s, test_random *g)
{
    const int how = below(g, 4);
    const double far = how == 3 ? pow(10, random_between(g, 0, 18)) : 1;
    for (int i = 0; i < s->p.n; ++i) {
        s->start[i] = how < 2 ? 0 : far * random_normal(g);
    }
}

// the matrix with its entries
static void close_sample(sample *s)
{
    const int n = s->p.n, index[7] = {0, n, 0, n, 0, 1, 0};
    memcpy(s->index, index, sizeof index);
    s->p.block = s->block;
    s->p.q = s->q;
    s->p.W = (pcs_bsr){.m = 1,
                       .n = 1,
                       .row = s->index,
                       .col = s->index + 2,
                       .ptr = s->index + 4,
                       .idx = s->index + 6,
                       .off = s->off,
                       .val = s->W};
}

static void draw(sample *s, kind k, uint64_t seed)
{
    test_random g = random_seed(7919 * seed + (uint64_t)k + 1);
    memset(s, 0, sizeof *s);
    take_blocks(s, k, 1 + below(&g, 4), &g);
    take_matrix(s, &g);
    take_q(s, &g);
    take_units(s, &g);
    take_start(s, &g);
    close_sample(s);
}

// ---- claims ------------------------------------------------------------------------------------

// the claims of a campaign
typedef struct tally {
    long solves, converged, infeasible;
} tally;

static void expect_true(const exact_measure *e, const sample *s, const pcs_solver_opts *o,
                        const pcs_report *report, const char *what, uint64_t seed)
{
    const double tol = fmax(o->tol, HALF_THE_DIGITS);
    const bool loose = o->stop == PCS_STOP_NATURAL || o->stop == PCS_STOP_RELAXED;
    const double residual = loose ? NATURAL_FINER * tol : tol;
    const bool natural = o->stop == PCS_STOP_RESIDUAL || e->natural <= TWICE * tol;
    const bool seen =
        problem_norm(s->p.n, s->q) == 0 || e->against_q <= TWICE * fmax(Q_FORGOTTEN, tol);
    ck_assert_msg(e->residual <= TWICE * residual && natural && seen,
                  "%s: %s %lu, stop %d, tol %g: converged with %g, natural %g, in truth %g, %g, "
                  "%g of q",
                  pcs_solver_at((int)o->kind)->name, what, (unsigned long)seed, (int)o->stop,
                  o->tol, report->measure.residual,
                  pcs_measure_relative_natural_map(&report->measure), e->residual, e->natural,
                  e->against_q);
}

static const char *const kind_name[KINDS] = {"lcp", "mlcp", "fc2d", "fc3d", "mixed"};

static void count(tally *t, const pcs_report *report)
{
    t->solves += 1;
    t->converged += report->outcome == PCS_OUTCOME_CONVERGED;
    t->infeasible += report->outcome == PCS_OUTCOME_INFEASIBLE;
}

// small limits of iterations: only the claim at the end matters
static pcs_solver_opts options(pcs_solver solver, pcs_stop stop, double tol)
{
    pcs_solver_opts o = pcs_solver_opts_default(solver);
    o.stop = stop;
    o.tol = tol;
    if (o.max_iters > 300) o.max_iters = solver == PCS_SOLVER_AUTO ? 5000 : 300;
    return o;
}

// checks the claims of one solver; *least: the smallest violation of all converged solves
static void solve_one(const sample *s, kind k, uint64_t seed, const pcs_solver_opts *o, tally *t,
                      double *least, bool *refuted)
{
    double r[EXACT_ROWS], u[EXACT_ROWS];
    memcpy(r, s->start, sizeof r);
    pcs_report report;
    const pcs_status status = pcs_solve_alloc(NULL, &s->p, o, r, u, &report);
    if (status == PCS_ERR_UNSUPPORTED) return;
    CK_OK(status);
    count(t, &report);
    if (report.outcome == PCS_OUTCOME_INFEASIBLE) *refuted = true;
    if (report.outcome != PCS_OUTCOME_CONVERGED) return;
    const exact_measure e = exact_measure_of(&s->p, r);
    expect_true(&e, s, o, &report, kind_name[k], seed);
    if (e.against_q < *least) *least = e.against_q;
}

// the same problem as v = H^T r, u = H v + q, where W is semidefinite
static void solve_global(const sample *s, kind k, uint64_t seed, const pcs_solver_opts *o, tally *t)
{
    double r[EXACT_ROWS], u[EXACT_ROWS], v[EXACT_ROWS], H[EXACT_ROWS * EXACT_ROWS];
    pcs_arena arena;
    pcs_mass_matrix *M = NULL;
    pcs_global_problem g;
    pcs_report report;
    CK_OK(pcs_arena_create(NULL, 1 << 20, &arena));
    pcs_arena work = arena;
    if (pcs_problem_to_global(NULL, &s->p, &work, &M, &g) == PCS_OK &&
        pcs_mass_matrix_size(M) > 0) {
        memcpy(r, s->start, sizeof r);
        CK_OK(pcs_solve_global(NULL, &g, o, (pcs_watch){0}, v, r, u, &report));
        count(t, &report);
        pcs_bsr_to_dense(&g.H, H);
        const exact_measure e = exact_measure_of_gram(&s->p, pcs_mass_matrix_size(M), H, r);
        if (report.outcome == PCS_OUTCOME_CONVERGED) {
            expect_true(&e, s, o, &report, kind_name[k], seed);
        }
    }
    pcs_mass_matrix_destroy(M);
    pcs_arena_destroy(NULL, &arena);
}

// no other solver refutes a problem whose violation is below this
#define SOLVED 1e-14

static void campaign(kind k, uint64_t first, uint64_t problems, tally *t)
{
    static const double tols[] = {1e-4, 1e-8, 1e-12, 1e-14};
    sample s;
    for (uint64_t seed = first; seed < first + problems; ++seed) {
        draw(&s, k, seed);
        double least = INFINITY;
        bool refuted = false;
        for (int row = 0; row < pcs_solver_count(); ++row) {
            const pcs_solver_opts o =
                options(pcs_solver_at(row)->kind, (pcs_stop)((seed + (uint64_t)row) % 4),
                        tols[seed / 4 % 4]);
            solve_one(&s, k, seed, &o, t, &least, &refuted);
            const bool own =
                o.kind == PCS_SOLVER_AUTO || o.kind == PCS_SOLVER_NSGS || o.kind == PCS_SOLVER_IPM;
            if (s.psd && own) solve_global(&s, k, seed, &o, t);
        }
        ck_assert_msg(!s.even || !refuted || !(least <= SOLVED),
                      "%s %lu: infeasible, and solved to %g", kind_name[k], (unsigned long)seed,
                      least);
    }
}

// PERCUSS_CLAIMS=FIRST:PROBLEMS runs a longer campaign with other problems
static void run_campaign(kind k)
{
    unsigned long first = 1, problems = TEST_DRAWS(400);
    const char *asked = getenv("PERCUSS_CLAIMS");
    if (asked) ck_assert_int_eq(sscanf(asked, "%lu:%lu", &first, &problems), 2);
    tally t = {0};
    campaign(k, first, problems, &t);
    ck_assert_int_gt(t.converged, t.solves / 10);
    if (asked) {
        printf("%s: %lu problems, %ld solves, %ld converged, %ld infeasible\n", kind_name[k],
               problems, t.solves, t.converged, t.infeasible);
    }
}

TEST(claims_of_lcps)
{
    run_campaign(LCP);
}

TEST(claims_of_mlcps)
{
    run_campaign(MLCP);
}

TEST(claims_in_the_plane)
{
    run_campaign(FC2D);
}

TEST(claims_in_space)
{
    run_campaign(FC3D);
}

TEST(claims_of_mixtures)
{
    run_campaign(MIXED);
}

// ---- cases -------------------------------------------------------------------------------------

// a Coulomb problem in the plane with W = h h^T
static void take_rank_one(sample *s, int nb, const double *h, const double *q, const double *mu)
{
    memset(s, 0, sizeof *s);
    for (int b = 0; b < nb; ++b) {
        add_block(s, PCS_CONE_COULOMB, 2, mu[b]);
    }
    const int n = s->p.n;
    for (int i = 0; i < n * n; ++i) {
        s->W[i] = h[i % n] * h[i / n];
    }
    memcpy(s->q, q, (size_t)n * sizeof *q);
    close_sample(s);
}

// With W = h h^T the velocities are q + a h; no a and no r give a solution. An r of 1e16 makes
// noise in u that may be complementary by chance
TEST(noise_is_no_solution)
{
    sample s;
    take_rank_one(&s, 2, (const double[]){3, 2, -2, -1}, (const double[]){-1, 0, 0, -2},
                  (const double[]){0.25, 4});
    for (int row = 0; row < pcs_solver_count(); ++row) {
        for (int stop = PCS_STOP_RESIDUAL; stop <= PCS_STOP_RELAXED; ++stop) {
            pcs_solver_opts o = options(pcs_solver_at(row)->kind, (pcs_stop)stop, 1e-8);
            o.max_iters = pcs_solver_opts_default(o.kind).max_iters;
            double r[4] = {0}, u[4];
            pcs_report report;
            const pcs_status status = pcs_solve_alloc(NULL, &s.p, &o, r, u, &report);
            if (status == PCS_ERR_UNSUPPORTED) continue;
            CK_OK(status);
            ck_assert_int_ne(report.outcome, PCS_OUTCOME_CONVERGED);
            ck_assert(report.measure.residual > 1e-3);
        }
    }
}

// The measure is never below the rounding of u, and the true value is not far above it
TEST(measures_include_rounding)
{
    sample s;
    test_random g = random_seed(5);
    for (uint64_t seed = 1; seed <= TEST_DRAWS(2000); ++seed) {
        draw(&s, (kind)(seed % KINDS), seed);
        double u[EXACT_ROWS];
        pcs_measure m;
        const double far = pow(10, random_between(&g, -3, 17));
        for (int i = 0; i < s.p.n; ++i) {
            s.start[i] = far * random_normal(&g);
        }
        pcs_problem_measure(&s.p, s.start, u, &m);
        const exact_measure e = exact_measure_of(&s.p, s.start);
        const double size = measure_size(&m);
        if (!(size > 0)) continue;
        ck_assert(m.residual >= m.rounding / size * (1 - 1e-12));
        ck_assert(m.natural_map >= m.rounding * (1 - 1e-12));
        // u has the error of its sums, which the shift mu |u_T| multiplies by up to 1 + mu
        const double room = 1e-12 * e.residual + 6 * 16 * m.rounding / size;
        if (m.rounding < 1e-3 * size)
            ck_assert_msg(fabs(m.residual - e.residual) <= room,
                          "%s %lu: %g, in truth %g; rounding %g of %g", kind_name[seed % KINDS],
                          (unsigned long)seed, m.residual, e.residual, m.rounding, size);
    }
}

// A sliding impulse without any effect (W = 0) is a solution at every length; that of a long one is
// mu r_N to rounding only, and the residual says so
TEST(long_impulses_are_rounded)
{
    test_random g = random_seed(7);
    for (int k = 0; k < TEST_DRAWS(500); ++k) {
        sample s = {0};
        const double mu = random_between(&g, 0.05, 4), a = random_between(&g, 0, 6.3);
        const double length = pow(10, random_between(&g, 0, 16));
        add_block(&s, PCS_CONE_COULOMB, 3, mu);
        close_sample(&s);
        s.q[1] = -cos(a);
        s.q[2] = -sin(a);
        const double r[3] = {length, mu * length * cos(a), mu * length * sin(a)};
        double u[3];
        pcs_measure m;
        pcs_problem_measure(&s.p, r, u, &m);
        ck_assert(exact_measure_of(&s.p, r).residual <= TWICE * m.residual);
        ck_assert(m.residual <= 2.3e-16 * (1 + mu) * length + 1e-15);
    }
}

// `0 z - 1 = w`: the natural map is relative to |r|, and vanishes at infinity
TEST(infinity_is_no_solution)
{
    static const struct {
        int n;
        double W[4], q[2];
    } cases[] = {{1, {0}, {-1}},
                 {2, {0}, {-1, 1}},
                 {2, {0}, {-1e-4, 1}},
                 {2, {0, 0, 0, 1e-6}, {-1, -1}},
                 {2, {1, -1, -1, 1}, {-1, 0}},
                 {2, {1, 0, 0, -1}, {1e-4, -1}}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        for (int row = 0; row < pcs_solver_count(); ++row) {
            for (int stop = PCS_STOP_RESIDUAL; stop <= PCS_STOP_RELAXED; ++stop) {
                pcs_solver_opts o = options(pcs_solver_at(row)->kind, (pcs_stop)stop, 1e-8);
                double W[4], r[2] = {0}, w[2];
                pcs_report report;
                memcpy(W, cases[k].W, sizeof W);
                const pcs_status status =
                    pcs_solve_lcp(cases[k].n, W, cases[k].q, &o, r, w, &report);
                if (status == PCS_ERR_UNSUPPORTED) continue;
                CK_OK(status);
                ck_assert_msg(report.outcome != PCS_OUTCOME_CONVERGED, "%s: case %zu, r = %g %g",
                              pcs_solver_at(row)->name, k, r[0], r[1]);
            }
        }
    }
}

// A regular system of a few equalities is solved to rounding, which counts as converged for any
// tolerance
TEST(rounding_is_enough)
{
    test_random g = random_seed(3);
    for (int k = 0; k < TEST_DRAWS(2000); ++k) {
        const int n = 1 + below(&g, 8);
        sample s;
        memset(&s, 0, sizeof s);
        for (int i = 0; i < n; ++i) {
            add_block(&s, k % 2 ? PCS_CONE_EQUALITY : PCS_CONE_UNILATERAL, 1, 0);
        }
        double G[64];
        for (int i = 0; i < n * n; ++i) {
            G[i] = random_normal(&g);
        }
        for (int i = 0; i < n * n; ++i) {
            for (int j = 0; j < n; ++j) {
                s.W[i] += G[i % n + n * j] * G[i / n + n * j];
            }
            s.W[i] += i % n == i / n ? 1e-3 : 0;
        }
        for (int i = 0; i < n; ++i) {
            s.q[i] = random_normal(&g);
        }
        close_sample(&s);
        double r[EXACT_ROWS] = {0}, u[EXACT_ROWS];
        pcs_report report;
        const pcs_solver_opts o = options(PCS_SOLVER_AUTO, PCS_STOP_RESIDUAL, 1e-15);
        CK_OK(pcs_solve_alloc(NULL, &s.p, &o, r, u, &report));
        ck_assert_msg(report.outcome == PCS_OUTCOME_CONVERGED, "%d rows: %s at %g", n,
                      pcs_outcome_text(report.outcome), report.measure.residual);
        const exact_measure e = exact_measure_of(&s.p, r);
        ck_assert(e.residual <=
                  16 * report.measure.rounding / measure_size(&report.measure) + 1e-15);
    }
}

// Where r solves nothing, or u is noise, the certificate claims neither a status nor uniqueness
TEST(certificates_of_noise_are_empty)
{
    sample s;
    take_rank_one(&s, 2, (const double[]){3, 2, -2, -1}, (const double[]){-1, 0, 0, -2},
                  (const double[]){0.25, 4});
    // r = t (2, 0.5, 3.5, 0) / ... has h'r = 0 up to rounding, for any t
    static const double direction[4] = {1, 0.25, 1.75, 0};
    for (double t = 1; t < 1e17; t *= 10) {
        double r[4];
        for (int i = 0; i < 4; ++i) {
            r[i] = t * direction[i] / 3;
        }
        pcs_contact_status status[2];
        pcs_certificate c;
        CK_OK(pcs_certificate_compute(NULL, &s.p, 1e-8, r, status, NULL, &c));
        ck_assert_int_eq(c.undecided, 2);
        ck_assert_int_eq(c.r, PCS_UNIQUENESS_UNKNOWN);
        ck_assert_int_eq(c.u, PCS_UNIQUENESS_UNKNOWN);
        CK_OK(pcs_certificate_statuses(NULL, &s.p, 1e-8, r, status, NULL, &c));
        ck_assert_int_eq(c.undecided, 2);
    }
}
