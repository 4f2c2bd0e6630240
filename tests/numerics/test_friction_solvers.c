// Checks of every solver of friction problems, each with its own tolerances: methods of first order
// reach less than methods that factorise, and less still where W is singular.
#include <stdio.h>

#include "friction.h"
#include "scratch.h"
#include "solver/solver.h"

#define ROWS 200

static pcs_report solve(pcs_solver kind, const pcs_problem *p, double tol, double *r, double *u)
{
    pcs_solver_opts o = pcs_solver_opts_default(kind);
    o.tol = tol;
    if (kind == PCS_SOLVER_NSGS) o.max_iters = 100000;
    pcs_report report;
    memset(r, 0, (size_t)p->n * sizeof *r);
    CK_OK(pcs_solve_alloc(NULL, p, &o, r, u, &report));
    for (int i = 0; i < p->n; ++i) {
        ck_assert(isfinite(r[i]) && isfinite(u[i]));
    }
    ck_assert((report.outcome == PCS_OUTCOME_CONVERGED) == (report.measure.residual <= tol));
    return report;
}

static void expect_converged(pcs_report r, const char *what, int seed)
{
    ck_assert_msg(r.outcome == PCS_OUTCOME_CONVERGED, "%s, seed %d: %s after %d, %g", what, seed,
                  pcs_outcome_text(r.outcome), r.iters, r.measure.residual);
}

// little friction, and 2 on the diagonal of W
static pcs_problem easy(friction f, int nc, uint64_t seed)
{
    pcs_problem p = friction_problem(f, nc, seed, &arena, NULL);
    pcs_block *block = pcs_arena_take_array(&arena, (size_t)p.nb, sizeof *block);
    for (int b = 0; b < p.nb; ++b) {
        block[b] = p.block[b];
        block[b].mu *= 0.2;
    }
    for (int i = 0; i < p.n; ++i) {
        p.W.val[(size_t)i * ((size_t)p.n + 1)] += 2;
    }
    p.block = block;
    return p;
}

static void expect_same_impulses(const pcs_problem *p, pcs_solver kind, pcs_solver other,
                                 double tol, const char *what, int seed)
{
    double r[ROWS], u[ROWS], x[ROWS], v[ROWS];
    const pcs_report a = solve(other, p, 1e-12, x, v);
    ck_assert_int_eq(a.outcome, PCS_OUTCOME_CONVERGED);
    expect_converged(solve(kind, p, tol, r, u), what, seed);
    for (int i = 0; i < p->n; ++i) {
        CK_NEAR(r[i], x[i], 1e-6 * (a.measure.norm_r + 1));
        CK_NEAR(u[i], v[i], 1e-6 * (a.measure.norm_u + 1));
    }
}

// small friction and a well-conditioned W, symmetric or not, every mixture of cones: r and u of
// this solver are those of nsgs, to 1e-6 of their size, at tol
static void expect_agreement(pcs_solver kind, double tol)
{
    const friction families[4] = {FRICTION_DENSE, FRICTION_SKEWED, FRICTION_PLANAR, FRICTION_MIXED};
    for (int f = 0; f < 4; ++f) {
        for (int seed = 0; seed < TEST_DRAWS(20); ++seed) {
            reset();
            const pcs_problem p = easy(families[f], 2 + seed, (uint64_t)seed);
            expect_same_impulses(&p, kind, PCS_SOLVER_NSGS, tol, friction_name[families[f]], seed);
        }
    }
}

// one contact at a time: r and u are those of enum
static void expect_one_contact(pcs_solver kind, double tol)
{
    for (int f = FRICTION_DENSE; f <= FRICTION_MIXED; ++f) {
        if (f == FRICTION_DEFICIENT) continue;
        for (int seed = 0; seed < TEST_DRAWS(40); ++seed) {
            reset();
            const pcs_problem p = easy((friction)f, 1, (uint64_t)seed);
            expect_same_impulses(&p, kind, PCS_SOLVER_ENUM, tol, friction_name[f], seed);
        }
    }
}

// W of half rank and of few contacts: u of the constructed solution
static void expect_singular(pcs_solver kind, double tol)
{
    int solved = 0, tried = 0;
    for (int f = FRICTION_DEFICIENT; f <= FRICTION_GYRO; ++f) {
        if (f == FRICTION_PLANAR || f == FRICTION_MIXED) continue;
        for (int seed = 0; seed < TEST_DRAWS(20); ++seed) {
            reset();
            const pcs_problem p = friction_problem((friction)f, 8, (uint64_t)seed, &arena, NULL);
            double r[ROWS], u[ROWS];
            solved += solve(kind, &p, tol, r, u).outcome == PCS_OUTCOME_CONVERGED;
            ++tried;
        }
    }
    // one of few problems is more than a tenth
    ck_assert_msg(10 * (solved + 1) >= 9 * tried, "%d of %d", solved, tried);
}

// mu = 0 is a unilateral row with r_T = 0; with a large mu contacts stick; with q >= 0 all open
static void expect_limits(pcs_solver kind, double tol)
{
    for (int seed = 0; seed < TEST_DRAWS(10); ++seed) {
        reset();
        pcs_problem p = easy(FRICTION_DENSE, 6, (uint64_t)seed);
        pcs_block block[6];
        double r[ROWS], u[ROWS], q[ROWS];
        memcpy(block, p.block, sizeof block);
        p.block = block;
        for (int b = 0; b < p.nb; ++b) {
            block[b].mu = 0;
        }
        expect_same_impulses(&p, kind, PCS_SOLVER_NSGS, tol, "mu = 0", seed);
        expect_converged(solve(kind, &p, tol, r, u), "mu = 0", seed);
        for (int b = 0; b < p.nb; ++b) {
            CK_NEAR(fabs(r[3 * b + 1]) + fabs(r[3 * b + 2]), 0, 0);
        }

        // contacts pressed on one another whose tangential speed comes only from W: they stick
        for (int i = 0; i < p.n; ++i) {
            q[i] = i % 3 == 0 ? -1 : 0.01;
        }
        for (int b = 0; b < p.nb; ++b) {
            block[b].mu = 20;
        }
        p.q = q;
        expect_converged(solve(kind, &p, tol, r, u), "mu = 20", seed);
        for (int i = 0; i < p.n; ++i) {
            CK_NEAR(u[i], 0, 1e-5);
            q[i] = i % 3 == 0 ? 2 : 0.1;
        }

        // open, whatever the start
        for (int b = 0; b < p.nb; ++b) {
            block[b].mu = 0.5;
        }
        pcs_solver_opts o = pcs_solver_opts_default(kind);
        o.tol = tol;
        pcs_report report;
        for (int i = 0; i < p.n; ++i) {
            r[i] = i % 3 == 0 ? 1 : 0.2;
        }
        CK_OK(pcs_solve_alloc(NULL, &p, &o, r, u, &report));
        expect_converged(report, "open", seed);
        for (int i = 0; i < p.n; ++i) {
            CK_NEAR(r[i], 0, 1e-6);
        }
    }
}

// velocities and impulses in other units: as many iterations, the same residual
static void expect_no_units(pcs_solver kind, double tol)
{
    for (int f = FRICTION_DENSE; f <= FRICTION_MIXED; ++f) {
        if (f == FRICTION_DEFICIENT) continue;
        for (int k = -1; k <= 1; k += 2) {
            for (int l = -1; l <= 1; ++l) {
                reset();
                // powers of two: the same numbers with other exponents
                const double velocity = ldexp(1, 20 * k), impulse = ldexp(1, 40 * l);
                pcs_problem p = easy((friction)f, 6, 3);
                double r[ROWS], u[ROWS], x[ROWS], v[ROWS], q[ROWS];
                const pcs_report a = solve(kind, &p, tol, x, v);
                for (int i = 0; i < p.n; ++i) {
                    q[i] = p.q[i] * velocity;
                }
                for (int i = 0; i < p.n * p.n; ++i) {
                    p.W.val[i] *= velocity / impulse;
                }
                p.q = q;
                const pcs_report b = solve(kind, &p, tol, r, u);
                expect_converged(b, friction_name[f], k);
                ck_assert_int_eq(a.iters, b.iters);
                for (int i = 0; i < p.n; ++i) {
                    CK_NEAR(r[i] / impulse, x[i], 1e-7 * (1 + fabs(x[i])));
                    CK_NEAR(u[i] / velocity, v[i], 1e-7 * (1 + fabs(v[i])));
                }
            }
        }
    }
}

static int stop_at_once(void *user, const pcs_progress *now)
{
    *(pcs_progress *)user = *now;
    return 1;
}

// the same call gives the same bits; a watch stops; missing memory gives an error; no iterations
// return the start; an empty problem is solved
static void expect_manners(pcs_solver kind)
{
    reset();
    const pcs_problem p = friction_problem(FRICTION_BOXES, 8, 2, &arena, NULL);
    double r[2][ROWS], u[ROWS];
    solve(kind, &p, 1e-7, r[0], u);
    solve(kind, &p, 1e-7, r[1], u);
    ck_assert(memcmp(r[0], r[1], (size_t)p.n * sizeof(double)) == 0);

    pcs_solver_opts o = pcs_solver_opts_default(kind);
    pcs_report report;
    memset(r[0], 0, sizeof r[0]);
    o.max_iters = 0;
    CK_OK(pcs_solve_alloc(NULL, &p, &o, r[0], u, &report));
    ck_assert_int_eq(report.outcome, PCS_OUTCOME_MAX_ITERS);
    for (int i = 0; i < p.n; ++i) {
        CK_NEAR(r[0][i], 0, 0);
    }

    o = pcs_solver_opts_default(kind);
    pcs_progress seen = {0};
    CK_OK(
        pcs_solve(&p, &o, (pcs_watch){.fn = stop_at_once, .user = &seen}, arena, r[0], u, &report));
    ck_assert_int_eq(report.outcome, PCS_OUTCOME_STOPPED);
    ck_assert_int_eq(seen.solver, kind);
    ck_assert(seen.value > o.tol);

    pcs_arena none = {0};
    CK_FAILS(pcs_solve(&p, &o, (pcs_watch){0}, none, r[0], u, &report), PCS_ERR_MEMORY);

    const pcs_problem empty = {0};
    CK_OK(pcs_solve_alloc(NULL, &empty, &o, NULL, NULL, &report));
    ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
}

// a problem without a solution: finite numbers, neither converged nor infeasible
static void expect_honesty(pcs_solver kind, int max_iters)
{
    double W[36] = {0}, q[6] = {-1, 0.3, 0, -1, 0, 0}, mu[2] = {0.5, 0}, u[6];
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 6; ++i) {
            W[7 * i] = k == 0 ? 0 : k == 1 ? -1 : i < 3 ? 1 : 0;
        }
        pcs_solver_opts o = pcs_solver_opts_default(kind);
        o.max_iters = max_iters;
        pcs_report report;
        double r[6] = {0};
        CK_OK(pcs_solve_fc3d(2, W, q, mu, &o, r, u, &report));
        ck_assert(report.outcome != PCS_OUTCOME_CONVERGED);
        for (int i = 0; i < 6; ++i) {
            ck_assert(isfinite(r[i]) && isfinite(u[i]));
        }
    }
}

// sizes from 1e-300 to 1e300 in q, mu and W: finite numbers, and an end
static void expect_extremes(pcs_solver kind, int max_iters)
{
    for (int k = 0; k < FRICTION_EXTREMES; ++k) {
        reset();
        const pcs_problem p = friction_extreme(k, &arena);
        double r[ROWS] = {0}, u[ROWS];
        pcs_solver_opts o = pcs_solver_opts_default(kind);
        o.max_iters = max_iters;
        pcs_report report;
        CK_OK(pcs_solve_alloc(NULL, &p, &o, r, u, &report));
        for (int i = 0; i < p.n; ++i) {
            ck_assert(isfinite(r[i]));
        }
    }
}

static const struct {
    pcs_solver kind;
    double tol, singular, units;
    int patience, extremes; // iterations without a solution, and with numbers of any size
} row[] = {
    {PCS_SOLVER_ADMM, 1e-10, 1e-8, 1e-9, 1000, 100},
    {PCS_SOLVER_APGD, 1e-8, 1e-4, 1e-7, 1000, 100},
    {PCS_SOLVER_TRESCA, 1e-10, 1e-8, 1e-9, 1000, 100},
    {PCS_SOLVER_ACLM, 1e-10, 1e-8, 1e-9, 1000, 100},
    {PCS_SOLVER_EXTRAGRADIENT, 1e-8, 1e-4, 1e-7, 1000, 100},
    {PCS_SOLVER_IPM, 1e-11, 1e-8, 1e-10, 200, 50},
    {PCS_SOLVER_HOMOTOPY, 1e-11, 1e-8, 1e-10, 200, 50},
};

// prints the next solver, to which a later failure belongs
static bool take(size_t i)
{
    if (i == sizeof row / sizeof *row) return false;
    printf("%s\n", solver_class_of(row[i].kind)->info.name);
    return true;
}

#define EACH_ROW(i) for (size_t i = 0; take(i); ++i)

TEST(agrees_with_others)
{
    EACH_ROW(i)
    {
        expect_agreement(row[i].kind, row[i].tol);
        expect_one_contact(row[i].kind, row[i].tol);
    }
}

TEST(singular_problems)
{
    EACH_ROW(i) expect_singular(row[i].kind, row[i].singular);
}

TEST(limits_of_friction)
{
    EACH_ROW(i) expect_limits(row[i].kind, row[i].tol);
}

TEST(units_do_not_matter)
{
    EACH_ROW(i) expect_no_units(row[i].kind, row[i].units);
}

TEST(other_outcomes)
{
    EACH_ROW(i)
    {
        expect_manners(row[i].kind);
        expect_honesty(row[i].kind, row[i].patience);
        expect_extremes(row[i].kind, row[i].extremes);
    }
}

// how far a contact is from the nearest state that obeys the law, in the unit of u; s = 1 / rho
static double law_distance(const pcs_block *k, double s, const double *r, const double *u)
{
    const bool space = k->dim == 3;
    const double rt = hypot(r[1], space ? r[2] : 0), ut = hypot(u[1], space ? u[2] : 0);
    const double open = hypot(s * hypot(r[0], rt), fmin(u[0], 0));
    // the change of r_N by which r_T lies in the cone, and on its border
    const double in = fmax(0, s * (rt / k->mu - r[0])), on = s * fabs(rt / k->mu - r[0]);
    const double stick = hypot(hypot(u[0], ut), in);
    double turned = 0;
    for (int c = 1; c < k->dim && rt > 0; ++c) {
        turned = hypot(turned, u[c] + ut * r[c] / rt);
    }
    return fmin(open, fmin(stick, hypot(hypot(u[0], turned), on)));
}

static double worst_of_law(const pcs_problem *p, const double *r, const double *u)
{
    double worst = 0;
    for (int b = 0; b < p->nb; ++b) {
        const pcs_block *k = &p->block[b];
        double trace = 0;
        for (int c = k->row; c < k->row + k->dim; ++c) {
            trace += p->W.val[(size_t)c * ((size_t)p->n + 1)];
        }
        worst = fmax(worst, law_distance(k, trace / k->dim, r + k->row, u + k->row));
    }
    return worst;
}

// with any friction a result that is converged obeys the law, and auto solves one contact. Where it
// slides under load u_N enters the natural map as u_N / mu: solvers had converged far from the law
TEST(much_friction)
{
    for (int trial = 0; trial < 20; ++trial) {
        const double mu = pow(10, 1 + trial / 2);
        reset();
        double W[9] = {1, 0.5, 0, 0.5, 1, 0, 0, 0, 1}, q[3] = {-1, -1000, 0}, r[ROWS], u[ROWS];
        pcs_block one = {.cone = PCS_CONE_COULOMB, .dim = 3}, *block = &one;
        pcs_problem p = {.n = 3, .nb = 1, .q = q};
        if (trial % 2 == 0) {
            CK_OK(pcs_bsr_from_dense(3, 3, W, &arena, &p.W));
        } else {
            p = friction_problem(trial % 4 == 1 ? FRICTION_DENSE : FRICTION_PLANAR, 5,
                                 (uint64_t)trial, &arena, NULL);
            block = pcs_arena_take_array(&arena, (size_t)p.nb, sizeof *block);
            memcpy(block, p.block, (size_t)p.nb * sizeof *block);
        }
        for (int b = 0; b < p.nb; ++b) {
            block[b].mu = mu;
        }
        p.block = block;
        for (int s = 0; s < pcs_solver_count(); ++s) {
            const pcs_solver_info *info = pcs_solver_at(s);
            pcs_solver_opts o = pcs_solver_opts_default(info->kind);
            pcs_report report;
            o.tol = 1e-8;
            if (o.max_iters > 300) o.max_iters = 300;
            memset(r, 0, sizeof r);
            if (pcs_solve_alloc(NULL, &p, &o, r, u, &report)) continue;
            ck_assert(p.nb > 1 || info->kind != PCS_SOLVER_AUTO ||
                      report.outcome == PCS_OUTCOME_CONVERGED);
            if (report.outcome != PCS_OUTCOME_CONVERGED) continue;
            const double worst = worst_of_law(&p, r, u) / report.measure.norm_q;
            ck_assert_msg(worst <= 2e-7, "%s, mu = %g, %d contacts: the law is violated by %g",
                          info->name, mu, p.nb, worst);
        }
    }
}
