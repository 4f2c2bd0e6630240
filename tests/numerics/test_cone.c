// The Coulomb cone: projection, natural map, measures and checks of problems with friction.
#include <percuss/linalg.h>

#include "friction.h"
#include "problems.h"
#include "scratch.h"

#include "cone/cone.h"
#include "problem/problem.h"

static const double frictions[7] = {0, 1e-12, 1e-3, 0.3, 1, 40, 1e9};

// K and its polar cone: x = P(x) + y with y in the polar cone and orthogonal to P(x)
TEST(projection_obeys_moreau)
{
    test_random rng = random_seed(11);
    for (int trial = 0; trial < 20000; ++trial) {
        const int d = 2 + trial % 2;
        const double mu = frictions[trial % 7], size = pow(10, random_between(&rng, -100, 100));
        double x[3] = {0}, p[3], y[3];
        for (int c = 0; c < d; ++c) {
            x[c] = size * random_normal(&rng) * (c == 0 && trial % 3 == 0 ? mu : 1);
        }
        memcpy(p, x, sizeof p);
        cone_project_coulomb(d, mu, p);
        double most = size, dot = 0;
        for (int c = 0; c < d; ++c) {
            if (fabs(x[c]) > most) most = fabs(x[c]);
        }
        for (int c = 0; c < d; ++c) {
            y[c] = x[c] - p[c];
            dot += p[c] / most * (y[c] / most);
        }
        const double eps = 1e-15 * most;
        ck_assert(p[0] >= 0 && cone_tangent(d, p) <= mu * p[0] * (1 + 1e-15) + 1e-300);
        CK_NEAR(dot, 0, 2e-15);
        // the polar cone is { mu |y_T| <= -y_N }; for a large mu the projection is compared from
        // its other side
        ck_assert(mu <= 1 ? mu * cone_tangent(d, y) <= -y[0] + 2 * eps
                          : cone_tangent(d, y) <= -y[0] / mu + 2 * eps);

        // a second projection changes nothing
        double again[3];
        memcpy(again, p, sizeof p);
        cone_project_coulomb(d, mu, again);
        expect_same(again, p, d, eps);
    }
}

// a NaN remains a NaN
TEST(nan_flows_through)
{
    for (int c = 0; c < 3; ++c) {
        for (int m = 0; m < 7; ++m) {
            double x[3] = {1, 0.1, -0.2}, f[3];
            x[c] = NAN;
            cone_project_coulomb(3, frictions[m], x);
            ck_assert(isnan(x[0] + x[1] + x[2]));
            for (int part = 0; part < 2; ++part) {
                double r[3] = {1, 0, 0}, u[3] = {0};
                (part ? r : u)[c] = NAN;
                cone_natural_coulomb(3, frictions[m], 1, r, u, f);
                ck_assert(isnan(f[0] + f[1] + f[2]));
            }
        }
    }
}

// the natural map is zero where one of open, stick and slide holds, and not elsewhere
TEST(complementarity_is_the_disjunction)
{
    test_random rng = random_seed(12);
    for (int trial = 0; trial < 20000; ++trial) {
        const double mu = trial % 5 == 0 ? 0 : random_between(&rng, 0.05, 2);
        const double a = random_between(&rng, 0, 6.3), s = random_between(&rng, 0.1, 10);
        const double n = random_between(&rng, 0.2, 2), t = random_between(&rng, 0.2, 2);
        const double c = cos(a), e = sin(a);
        const double in = mu * n * random_between(&rng, 0, 1);
        const double r[3][3] = {{0, 0, 0}, {n, in * c, in * e}, {n, mu * n * c, mu * n * e}};
        const double u[3][3] = {{n, t * c, t * e}, {0, 0, 0}, {0, -t * c, -t * e}};
        double f[3];
        for (int k = 0; k < 3; ++k) {
            cone_natural_coulomb(3, mu, s, r[k], u[k], f);
            CK_NEAR(sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]), 0, 1e-14 * (s * n + t));
        }
        // an impulse while open, a slide in the wrong direction, approach, pull: the natural map is
        // not zero
        const double wrong[4][6] = {{n, 0, 0, n, 0, 0},
                                    {n, mu * n * c, mu * n * e, 0, t * c, t * e},
                                    {0, 0, 0, -n, 0, 0},
                                    {-n, 0, 0, 0, 0, 0}};
        for (int k = 0; k < 4; ++k) {
            if (mu == 0 && k == 1) continue;
            cone_natural_coulomb(3, mu, s, wrong[k], wrong[k] + 3, f);
            ck_assert(f[0] * f[0] + f[1] * f[1] + f[2] * f[2] > 1e-6);
        }
    }
}

// W = 1 and a contact that closes and slides: r = 0 is no solution, with any friction; the body
// sticks
TEST(a_contact_that_closes_is_not_solved)
{
    double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, q[3] = {-0.1, 1, 0};
    for (int k = -4; k <= 16; ++k) {
        reset();
        pcs_block block = {.cone = PCS_CONE_COULOMB, .dim = 3, .mu = pow(10, 0.5 * k)};
        pcs_problem p = {.n = 3, .nb = 1, .block = &block, .q = q};
        CK_OK(pcs_bsr_from_dense(3, 3, W, &arena, &p.W));
        double r[3] = {0}, u[3];
        pcs_measure m;
        pcs_problem_measure(&p, r, u, &m);
        ck_assert_msg(m.residual > 0.009, "mu = %g: %g", block.mu, m.residual);
        ck_assert_msg(m.natural_map > 0.009, "mu = %g: %g", block.mu, m.natural_map);
        if (block.mu < 10) continue;
        const double stuck[3] = {0.1, -1, 0};
        pcs_problem_measure(&p, stuck, u, &m);
        CK_NEAR(m.residual, 0, 1e-14);
    }
}

// the same contact pushes along the border of the cone and separates at 40 % of |q|: r is no
// solution, with any friction. Without an impulse that matters a contact may separate
TEST(a_contact_that_opens_under_load_is_not_solved)
{
    double W[9] = {1, 0.5, 0, 0.5, 1, 0, 0, 0, 1}, q[3] = {-1, -1000, 0};
    for (int k = 2; k <= 18; ++k) {
        reset();
        pcs_block block = {.cone = PCS_CONE_COULOMB, .dim = 3, .mu = pow(10, 0.5 * k)};
        pcs_problem p = {.n = 3, .nb = 1, .block = &block, .q = q};
        CK_OK(pcs_bsr_from_dense(3, 3, W, &arena, &p.W));
        const double r[3] = {800 / block.mu, 800, 0}, none[3] = {1e-7 / block.mu, 1e-7, 0};
        double u[3];
        pcs_measure m;
        pcs_problem_measure(&p, r, u, &m);
        CK_NEAR(u[0], 399 + r[0], 1e-10);
        ck_assert_msg(m.residual > 0.04, "mu = %g: %g", block.mu, m.residual);
        ck_assert_msg(m.natural_map > 40, "mu = %g: %g", block.mu, m.natural_map);

        q[0] = 1;
        pcs_problem_measure(&p, none, u, &m);
        ck_assert_msg(m.residual < 2e-10, "mu = %g: %g", block.mu, m.residual);
        q[0] = -1;
    }
}

// a contact that sticks up to an error of u is solved up to this error, with any friction
TEST(a_contact_that_sticks_is_solved)
{
    double W[9] = {1, 0.5, 0, 0.5, 1, 0, 0, 0, 1}, q[3] = {-1.15, -0.8 + 1e-12, 1e-12};
    for (int k = 2; k <= 18; ++k) {
        reset();
        pcs_block block = {.cone = PCS_CONE_COULOMB, .dim = 3, .mu = pow(10, 0.5 * k)};
        pcs_problem p = {.n = 3, .nb = 1, .block = &block, .q = q};
        CK_OK(pcs_bsr_from_dense(3, 3, W, &arena, &p.W));
        const double r[3] = {1, 0.3, 0};
        double u[3];
        pcs_measure m;
        pcs_problem_measure(&p, r, u, &m);
        ck_assert_msg(m.residual < 2e-11, "mu = %g: %g", block.mu, m.residual);
        ck_assert_msg(m.natural_map < 2e-11, "mu = %g: %g", block.mu, m.natural_map);
    }
}

// neither measure jumps where much friction begins
TEST(measures_are_continuous_in_mu)
{
    test_random rng = random_seed(14);
    for (int trial = 0; trial < 20000; ++trial) {
        double r[3], u[3], f[2][3];
        for (int c = 0; c < 3; ++c) {
            r[c] = random_normal(&rng) * (c > 0 && trial % 2 ? 10 : 1);
            u[c] = random_normal(&rng) * (trial % 3 ? 0.01 : 1);
        }
        if (trial % 4) cone_project_coulomb(3, CONE_STEEP, r);
        const double s = random_between(&rng, 0.1, 10);
        double size[2];
        for (int k = 0; k < 2; ++k) {
            cone_violation_coulomb(3, CONE_STEEP * (1 + 1e-10 * k), s, r, u, f[k]);
            size[k] = sqrt(f[k][0] * f[k][0] + f[k][1] * f[k][1] + f[k][2] * f[k][2]);
        }
        CK_NEAR(size[0], size[1], 1e-6);
    }
}

TEST(friction_is_measured_as_in_the_theory)
{
    test_random rng = random_seed(13);
    for (int f = 0; f < FRICTION_COUNT; ++f) {
        for (uint64_t seed = 0; seed < 12; ++seed) {
            reset();
            double *known, r[60], u[60];
            pcs_problem p = friction_problem((friction)f, 9, seed, &arena, &known);
            CK_OK(pcs_problem_check(&p));
            ck_assert(p.n <= 60);
            pcs_measure m;
            if (known) {
                pcs_problem_measure(&p, known, u, &m);
                CK_NEAR(m.residual, 0, 1e-14);
                CK_NEAR(pcs_measure_relative_natural_map(&m), 0, 1e-14);
            }

            // points at random, and on the boundary of the cones
            pcs_block *block = pcs_arena_take_array(&arena, (size_t)p.nb, sizeof *block);
            memcpy(block, p.block, (size_t)p.nb * sizeof *block);
            for (int b = 0; b < p.nb; ++b) {
                if (seed % 3 == 1 && block[b].cone == PCS_CONE_COULOMB)
                    block[b].mu = frictions[b % 7];
            }
            p.block = block;
            for (int i = 0; i < p.n; ++i) {
                r[i] = random_normal(&rng);
            }
            if (seed % 2 == 0) cone_project(p.nb, p.block, r);
            pcs_problem_measure(&p, r, u, &m);
            const double slow = slow_residual(&p, r, arena);
            CK_NEAR(m.residual, slow, 1e-12 * slow);

            // the residual has no unit, also for large factors
            const double by[4] = {1e-3, 1e140, 1e-150, 1e250};
            for (int k = 0; k < 4 && seed % 3 != 1; ++k) {
                double q[60], s[60];
                for (int i = 0; i < p.n; ++i) {
                    q[i] = by[k] * p.q[i];
                    s[i] = by[k] * r[i];
                }
                pcs_problem scaled = p;
                pcs_measure far;
                scaled.q = q;
                pcs_problem_measure(&scaled, s, u, &far);
                CK_NEAR(far.residual, m.residual, 1e-12 * m.residual);
            }

            // a NaN anywhere
            r[seed % (uint64_t)p.n] = NAN;
            pcs_problem_measure(&p, r, u, &m);
            ck_assert(isnan(m.residual) && isnan(m.natural_map));
        }
    }
}

// mu = 0: the normal rows are those of a unilateral block, the tangential rows require r_T = 0
TEST(frictionless_blocks_are_unilateral)
{
    test_random rng = random_seed(14);
    for (int trial = 0; trial < 200; ++trial) {
        reset();
        pcs_problem p = friction_problem(FRICTION_DENSE, 1, (uint64_t)trial, &arena, NULL);
        const pcs_block slippery = {.cone = PCS_CONE_COULOMB, .row = 0, .dim = 3, .mu = 0};
        p.block = &slippery;
        double r[3] = {random_normal(&rng), 0, 0}, u[3];
        pcs_measure m;
        pcs_problem_measure(&p, r, u, &m);
        const double s = (p.W.val[0] + p.W.val[4] + p.W.val[8]) / 3;
        CK_NEAR(m.natural_map, fabs(cone_min(r[0], u[0])), 1e-15);
        double q2 = 0, w2 = 0;
        for (int c = 0; c < 3; ++c) {
            q2 += p.q[c] * p.q[c];
            w2 += (u[c] - p.q[c]) * (u[c] - p.q[c]);
        }
        CK_NEAR(m.residual, fabs(cone_min(s * r[0], u[0])) / sqrt(q2 > w2 ? q2 : w2), 1e-14);
        r[1] = 0.25;
        pcs_problem_measure(&p, r, u, &m);
        ck_assert(m.natural_map >= 0.25);
    }
}

TEST(one_scale_per_contact)
{
    reset();
    const pcs_problem p = friction_problem(FRICTION_MIXED, 12, 3, &arena, NULL);
    double s[60], W[60 * 60];
    pcs_bsr_to_dense(&p.W, W);
    problem_scales(&p, s);
    for (int b = 0; b < p.nb; ++b) {
        const pcs_block *k = &p.block[b];
        double trace = 0;
        for (int i = k->row; i < k->row + k->dim; ++i) {
            trace += W[i * (p.n + 1)];
        }
        for (int i = k->row; i < k->row + k->dim; ++i) {
            CK_NEAR(s[i], k->cone == PCS_CONE_COULOMB ? trace / k->dim : W[i * (p.n + 1)], 1e-14);
        }
    }
}

TEST(bad_friction_is_refused)
{
    reset();
    const pcs_problem good = friction_problem(FRICTION_DENSE, 2, 0, &arena, NULL);
    pcs_block block[2] = {good.block[0], good.block[1]};
    pcs_problem p = good;
    p.block = block;
    CK_OK(pcs_problem_check(&p));
    const double bad[4] = {-1e-300, -1, NAN, INFINITY};
    for (int k = 0; k < 4; ++k) {
        block[1].mu = bad[k];
        CK_FAILS(pcs_problem_check(&p), PCS_ERR_ARG);
    }
    block[1].mu = 1e300;
    CK_OK(pcs_problem_check(&p));
    block[1] = (pcs_block){.cone = PCS_CONE_EQUALITY, .row = 3, .dim = 3, .mu = 0.3};
    CK_FAILS(pcs_problem_check(&p), PCS_ERR_ARG);
    block[1].mu = NAN;
    CK_FAILS(pcs_problem_check(&p), PCS_ERR_ARG);
    block[1] = (pcs_block){.cone = PCS_CONE_COULOMB, .row = 3, .dim = 1, .mu = 0.3};
    CK_FAILS(pcs_problem_check(&p), PCS_ERR_SIZE);
    block[0].dim = 4;
    CK_FAILS(pcs_problem_check(&p), PCS_ERR_SIZE);
}

// u_N >= 0 in every solution of friction; u_T may be anything
TEST(normals_alone_refute_friction)
{
    reset();
    pcs_problem p = friction_problem(FRICTION_DENSE, 2, 0, &arena, NULL);
    double y[6] = {0, 1, 0, 0, 0, -1}, t[12], q[6] = {-1, 0, 0, -1, 0, 0}, W[36] = {0};
    p.q = q;
    p.W.val = W;
    ck_assert(!problem_refuted_by(&p, y, t));
    // u_N = -1 for any r
    y[0] = 1;
    ck_assert(problem_refuted_by(&p, y, t));
    q[0] = 1;
    ck_assert(!problem_refuted_by(&p, y, t));
}
