// The interior point method with friction: against other methods, at the limits of mu, in other
// units, without a solution; in body space against contact space.
#include "friction.h"
#include "scratch.h"

#include <percuss/global.h>

#include "base/base.h"

#define ROWS 400

static pcs_report solve(const pcs_problem *p, const pcs_solver_opts *o, double *r, double *u)
{
    pcs_report report;
    memset(r, 0, (size_t)p->n * sizeof *r);
    CK_OK(pcs_solve_alloc(NULL, p, o, r, u, &report));
    return report;
}

static pcs_solver_opts options(double tol)
{
    pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_IPM);
    o.tol = tol;
    return o;
}

// three nearly equal blocks, with the numbers of the given block
static pcs_problem with_mu(const pcs_problem *p, double mu)
{
    pcs_problem copy = *p;
    pcs_block *block = pcs_arena_take_array(&arena, (size_t)p->nb, sizeof *block);
    for (int b = 0; b < p->nb; ++b) {
        block[b] = p->block[b];
        if (block[b].cone == PCS_CONE_COULOMB) block[b].mu = mu;
    }
    copy.block = block;
    return copy;
}

// from nearly no friction to much of it: r in the cone and the law obeyed, and nearly none gives
// the result of mu = 0
TEST(small_and_large_mu)
{
    static const double mus[] = {0, 1e-14, 1e-12, 1e-8, 1e-4, 0.1};
    static const friction families[] = {FRICTION_DENSE, FRICTION_SKEWED, FRICTION_PLANAR};
    for (int f = 0; f < 3; ++f) {
        for (int seed = 0; seed < TEST_DRAWS(10); ++seed) {
            double r[ROWS], u[ROWS], none[ROWS] = {0};
            for (int k = 0; k < 6; ++k) {
                reset();
                const pcs_problem one =
                    friction_problem(families[f], 6, (uint64_t)seed, &arena, NULL);
                const pcs_problem p = with_mu(&one, mus[k]);
                const pcs_solver_opts o = options(1e-11);
                const pcs_report report = solve(&p, &o, r, u);
                ck_assert_msg(report.outcome == PCS_OUTCOME_CONVERGED, "%s %d, mu = %g: %s, %g",
                              friction_name[families[f]], seed, mus[k],
                              pcs_outcome_text(report.outcome), report.measure.residual);
                if (k == 0) memcpy(none, r, sizeof r);
                for (int i = 0; i < p.n; ++i) {
                    if (mus[k] > 1e-8) continue;
                    CK_NEAR(r[i], none[i], 1e-6 * (1 + report.measure.norm_r));
                }
            }
        }
    }
}

// mu = 10 on well-conditioned blocks pressed together: they stick where a linear solve gives an
// impulse inside the cone
TEST(large_mu_sticks)
{
    for (int seed = 0; seed < TEST_DRAWS(20); ++seed) {
        reset();
        const pcs_problem one = friction_problem(FRICTION_DENSE, 5, (uint64_t)seed, &arena, NULL);
        pcs_problem p = with_mu(&one, 10);
        double q[ROWS], r[ROWS], u[ROWS], stuck[ROWS];
        for (int i = 0; i < p.n; ++i) {
            stuck[i] = i % 3 == 0 ? 1 : 0.3;
        }
        pcs_bsr_mul(&p.W, stuck, q);
        for (int i = 0; i < p.n; ++i) {
            q[i] = -q[i];
        }
        p.q = q;
        const pcs_solver_opts o = options(1e-12);
        const pcs_report report = solve(&p, &o, r, u);
        ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
        for (int i = 0; i < p.n; ++i) {
            CK_NEAR(r[i], stuck[i], 1e-8);
            CK_NEAR(u[i], 0, 1e-8);
        }
    }
}

// velocities and impulses in units that are not powers of two: the same solution
TEST(units_do_not_matter)
{
    for (int f = FRICTION_DENSE; f < FRICTION_COUNT; ++f) {
        for (int k = 0; k < 4; ++k) {
            reset();
            const double velocity = k % 2 ? 1e6 : 1e-6, impulse = k / 2 ? 1e6 : 1e-6;
            pcs_problem p = friction_problem((friction)f, 4, 2, &arena, NULL);
            double r[ROWS], u[ROWS], x[ROWS], v[ROWS], q[ROWS];
            ck_assert_int_le(p.n, ROWS);
            const pcs_solver_opts o = options(1e-10);
            const pcs_report a = solve(&p, &o, x, v);
            const int count = p.W.m == 1 ? p.n * p.n : 9 * p.W.ptr[p.W.m];
            for (int i = 0; i < p.n; ++i) {
                q[i] = p.q[i] * velocity;
            }
            for (int i = 0; i < count; ++i) {
                p.W.val[i] *= velocity / impulse;
            }
            p.q = q;
            const pcs_report b = solve(&p, &o, r, u);
            ck_assert_int_eq(a.outcome, b.outcome);
            for (int i = 0; i < p.n && a.outcome == PCS_OUTCOME_CONVERGED; ++i) {
                CK_NEAR(u[i] / velocity, v[i], 1e-7 * (1 + a.measure.norm_u));
            }
        }
    }
}

// two contacts that exclude each other: u_0N = r_0N - r_1N - 1 and u_1N = -u_0N - 2; then Coulomb
// blocks that touch no body and approach
TEST(problems_without_a_solution_never_converge)
{
    for (int k = 0; k < 3; ++k) {
        double W[36] = {0}, q[6] = {-1, 0.2, 0, -1, 0, 0.1}, mu[2] = {0.4, 0.4}, r[6] = {0}, u[6];
        for (int i = 0; i < 6 && k < 2; ++i) {
            W[7 * i] = i % 3 == 0 ? 1 : 2;
        }
        if (k < 2) W[3] = W[18] = -1;
        if (k == 1) mu[0] = mu[1] = 0;
        pcs_solver_opts o = options(1e-8);
        o.max_iters = 1000;
        pcs_report report;
        CK_OK(pcs_solve_fc3d(2, W, q, mu, &o, r, u, &report));
        ck_assert_int_ne(report.outcome, PCS_OUTCOME_CONVERGED);
        ck_assert(pcs_all_finite(r, 6) && pcs_all_finite(u, 6));
    }
}

static int stop_third(void *user, const pcs_progress *now)
{
    *(int *)user = now->iters;
    return now->iters >= 3;
}

// a watch that stops, and a clock that has run out
TEST(stops_are_obeyed)
{
    reset();
    const pcs_problem p = friction_problem(FRICTION_BOXES, 20, 2, &arena, NULL);
    double r[ROWS] = {0}, u[ROWS];
    pcs_solver_opts o = options(1e-15);
    pcs_arena work;
    pcs_report report;
    int last = 0;
    CK_OK(pcs_arena_create(NULL, pcs_solve_bytes(&p, &o), &work));
    CK_OK(pcs_solve(&p, &o, (pcs_watch){stop_third, &last}, work, r, u, &report));
    ck_assert_int_eq(report.outcome, PCS_OUTCOME_STOPPED);
    ck_assert(last == 3 && report.iters == 3);

    o.max_seconds = 1e-9;
    memset(r, 0, sizeof r);
    CK_OK(pcs_solve(&p, &o, (pcs_watch){0}, work, r, u, &report));
    ck_assert_int_eq(report.outcome, PCS_OUTCOME_TIME_LIMIT);
    pcs_arena_destroy(NULL, &work);
}

// From a solution of which every impulse is changed by up to a hundred-thousandth of the largest,
// `given` comes back to the same velocities in at most two thirds of the iterations that the centre
// takes; from r = 0, and from impulses outside the cone, it converges too
TEST(starts_near_a_given_impulse)
{
    int centre = 0, given = 0;
    for (int seed = 0; seed < TEST_DRAWS(20); ++seed) {
        reset();
        const pcs_problem p = friction_problem(FRICTION_DENSE, 6, (uint64_t)seed, &arena, NULL);
        test_random rng = random_seed((unsigned)seed + 1);
        double r[ROWS], u[ROWS], again[ROWS], u_again[ROWS], most = 0;
        pcs_solver_opts o = options(1e-10);
        pcs_report report = solve(&p, &o, r, u);
        ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
        centre += report.iters;
        for (int i = 0; i < p.n; ++i) {
            most = fmax(most, fabs(r[i]));
        }
        o.as.ipm.start = PCS_IPM_START_GIVEN;
        for (int k = 0; k < 3; ++k) {
            for (int i = 0; i < p.n; ++i) {
                const double near = r[i] + 1e-5 * most * random_between(&rng, -1, 1);
                again[i] = k == 0 ? near : k == 1 ? 0 : most * random_between(&rng, -1, 1);
            }
            CK_OK(pcs_solve_alloc(NULL, &p, &o, again, u_again, &report));
            ck_assert_msg(report.outcome == PCS_OUTCOME_CONVERGED, "%d, start %d: %s, %g", seed, k,
                          pcs_outcome_text(report.outcome), report.measure.residual);
            for (int i = 0; i < p.n; ++i) {
                CK_NEAR(u_again[i], u[i], 1e-7 * report.measure.norm_q);
            }
            if (k == 0) given += report.iters;
        }
    }
    ck_assert_msg(3 * given <= 2 * centre, "%d iterations, %d from the centre", given, centre);
}

// W = H H', in the global form: the space of bodies gives the u of contact space
static void compare_spaces(const pcs_problem *p, pcs_ipm_shift shift, const char *what, int seed)
{
    pcs_mass_matrix *M;
    pcs_global_problem g;
    CK_OK(pcs_problem_to_global(NULL, p, &arena, &M, &g));
    const size_t nv = (size_t)pcs_mass_matrix_size(M);
    double *v = pcs_arena_take_array(&arena, nv, sizeof *v), r[2][ROWS], u[2][ROWS];
    pcs_report report[2];
    ck_assert(v && p->n <= ROWS);
    for (int k = 0; k < 2; ++k) {
        pcs_solver_opts o = options(shift == PCS_IPM_SHIFT_LAGGED ? 1e-9 : 1e-12);
        o.as.ipm.shift = shift;
        o.as.ipm.space = k == 0 ? PCS_IPM_SPACE_CONTACT : PCS_IPM_SPACE_BODY;
        memset(r[k], 0, sizeof r[k]);
        CK_OK(pcs_solve_global(NULL, &g, &o, (pcs_watch){0}, v, r[k], u[k], &report[k]));
    }
    ck_assert_msg(report[0].outcome == report[1].outcome, "%s %d, shift %d: %s at %g, %s at %g",
                  what, seed, (int)shift, pcs_outcome_text(report[0].outcome),
                  report[0].measure.residual, pcs_outcome_text(report[1].outcome),
                  report[1].measure.residual);
    for (int i = 0; i < p->n && report[0].outcome == PCS_OUTCOME_CONVERGED; ++i) {
        CK_NEAR(u[1][i], u[0][i], 1e-8 * report[0].measure.norm_q);
    }
    pcs_mass_matrix_destroy(M);
}

TEST(body_space_is_contact_space)
{
    int families = 0;
    for (int f = 0; f < FRICTION_COUNT; ++f) {
        if (f == FRICTION_SKEWED || f == FRICTION_GYRO) continue;
        ++families;
        for (int seed = 0; seed < TEST_DRAWS(10); ++seed) {
            for (int shift = PCS_IPM_SHIFT_DIFFERENTIATED; shift <= PCS_IPM_SHIFT_LAGGED; ++shift) {
                reset();
                const pcs_problem p =
                    friction_problem((friction)f, 4 + 4 * seed, (uint64_t)seed, &arena, NULL);
                compare_spaces(&p, (pcs_ipm_shift)shift, friction_name[f], seed);
            }
        }
    }
    ck_assert_int_gt(families, 4);
}

// many contacts on one body: a plate pressed on the ground at random points, many more than it has
// velocities
TEST(many_contacts_on_one_body)
{
    enum { NC = 300 };
    test_random rng = random_seed(4);
    static double val[18 * NC], r[3 * NC], u[3 * NC];
    static pcs_block block[NC];
    static int row[NC + 1], ptr[NC + 1], idx[NC];
    static size_t off[NC];
    for (int b = 0; b < NC; ++b) {
        const double x = random_between(&rng, -1, 1), y = random_between(&rng, -1, 1);
        // rows n = z, t = x, s = y; columns velocity and spin of the plate about its centre
        const double H[3][6] = {{0, 0, 1, y, -x, 0}, {1, 0, 0, 0, 0, -y}, {0, 1, 0, 0, 0, x}};
        for (int i = 0; i < 18; ++i) {
            val[18 * b + i] = H[i % 3][i / 3];
        }
        block[b] = (pcs_block){.cone = PCS_CONE_COULOMB, .row = 3 * b, .dim = 3, .mu = 0.3};
        row[b + 1] = 3 * (b + 1);
        ptr[b + 1] = b + 1;
        off[b] = 18 * (size_t)b;
    }
    const int size[1] = {6};
    int col[2] = {0, 6};
    double M[36] = {0};
    for (int i = 0; i < 6; ++i) {
        M[7 * i] = i < 3 ? 2 : 0.5;
    }
    // pushed along x with a third of the limit of friction, then with three times the limit
    for (int k = 0; k < 2; ++k) {
        pcs_mass_matrix *mass;
        CK_OK(pcs_mass_matrix_create_blocks(NULL, 1, size, M, &mass));
        const double push = k == 0 ? 0.1 : 0.9, f[6] = {push, 0, -1, 0, 0, 0};
        const pcs_global_problem g = {.M = mass,
                                      .H = {NC, 1, row, col, ptr, idx, off, val},
                                      .f = f,
                                      .nb = NC,
                                      .block = block};
        pcs_solver_opts o = options(1e-12);
        double v[6];
        pcs_report report;
        memset(r, 0, sizeof r);
        CK_OK(pcs_solve_global(NULL, &g, &o, (pcs_watch){0}, v, r, u, &report));
        ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
        // the body rests, or slides without rotating: the momentum is reduced by friction alone
        CK_NEAR(v[2], 0, 1e-10);
        if (k == 0) CK_NEAR(v[0], 0, 1e-10);
        double normal = 0, tangent = 0;
        for (int b = 0; b < NC; ++b) {
            normal += r[3 * b];
            tangent += r[3 * b + 1];
        }
        CK_NEAR(normal, 1, 1e-9);
        CK_NEAR(2 * v[0], push + tangent, 1e-9);
        if (k == 1) CK_NEAR(tangent, -0.3, 1e-6 + fabs(v[5]));
        pcs_mass_matrix_destroy(mass);
    }
}
