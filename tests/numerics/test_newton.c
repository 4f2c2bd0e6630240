// Semismooth Newton and its proximal loop on problems with friction.
#include "friction.h"
#include "scratch.h"

#include "cone/cone.h"
#include "local/function.h"
#include "solver/polish.h"
#include "solver/semismooth.h"
#include "solver/solver.h"

#define ROWS 400

static const char *const function_name[4] = {"Fischer-Burmeister", "natural map", "Alart-Curnier",
                                             "Jean-Moreau"};

// ---- functions ---------------------------------------------------------------------------------

// central differences against the slopes, away from the kinks
TEST(slopes_are_derivatives)
{
    static const double of_mu[6] = {0, 1e-4, 0.3, 1, 3, 100};
    test_random rng = random_seed(3);
    int seen = 0;
    for (int draw = 0; draw < TEST_DRAWS(6000); ++draw) {
        const int d = 2 + draw % 2;
        const pcs_newton_function f = (pcs_newton_function)(draw / 2 % 4);
        const double mu = of_mu[draw / 8 % 6], h = 1e-6;
        double x[6], F[3], A[9], B[9];
        for (int c = 0; c < 2 * d; ++c) {
            x[c] = random_normal(&rng);
        }
        function_coulomb(f, d, mu, x, x + d, F, A, B);
        double worst = 0;
        bool smooth = true;
        for (int j = 0; j < 2 * d; ++j) {
            double up[3], down[3], Au[9], Bu[9], keep = x[j];
            x[j] = keep + h;
            function_coulomb(f, d, mu, x, x + d, up, Au, Bu);
            x[j] = keep - h;
            function_coulomb(f, d, mu, x, x + d, down, NULL, NULL);
            x[j] = keep;
            for (int i = 0; i < d; ++i) {
                const double by_hand = (up[i] - down[i]) / (2 * h);
                const double slope = j < d ? B[i + d * j] : A[i + d * (j - d)];
                const double size = 1 + fabs(slope) + mu + (mu > 0 ? 1 / mu : 0);
                const double error = fabs(by_hand - slope) / size;
                if (error > worst) worst = error;
            }
            // a slope that jumps within h: a kink
            for (int k = 0; k < d * d; ++k) {
                const double size = 1 + mu + (mu > 0 ? 1 / mu : 0);
                if (fabs(Au[k] - A[k]) + fabs(Bu[k] - B[k]) > 1e-3 * size) smooth = false;
            }
        }
        if (!smooth) continue;
        seen += 1;
        ck_assert_msg(worst < 1e-5, "%s, d = %d, mu = %g: %g", function_name[f], d, mu, worst);
    }
    ck_assert_int_gt(seen, TEST_DRAWS(6000) * 9 / 10);
}

// open, stick and slide are zeros of every function, and of no other pair
TEST(zeros_are_solutions)
{
    test_random rng = random_seed(5);
    for (int draw = 0; draw < 1000; ++draw) {
        const int d = 2 + draw % 2, mode = draw / 2 % 3;
        const double mu = draw % 5 == 0 ? 0 : random_between(&rng, 0.01, 2);
        const double angle = random_between(&rng, 0, 6.28), size = random_between(&rng, 0.1, 2);
        const double e[3] = {0, d == 3 ? cos(angle) : 1, sin(angle)};
        double r[3] = {0}, u[3] = {0};
        if (mode > 0) r[0] = size;
        for (int c = 1; c < d; ++c) {
            if (mode == 0) u[c] = random_normal(&rng);
            if (mode == 1) r[c] = 0.7 * mu * r[0] * e[c];
            if (mode == 2) r[c] = mu * r[0] * e[c];
            if (mode == 2) u[c] = -0.3 * e[c];
        }
        if (mode == 0) u[0] = size;
        for (int f = PCS_NEWTON_FUNCTION_FB; f <= PCS_NEWTON_FUNCTION_JM; ++f) {
            double F[3], wrong[3] = {r[0], r[1] + 0.1, r[2]};
            function_coulomb((pcs_newton_function)f, d, mu, r, u, F, NULL, NULL);
            for (int c = 0; c < d; ++c) {
                CK_NEAR(F[c], 0, 1e-14 * (1 + (mu > 0 ? 1 / mu : 0)));
            }
            if (mode == 1) continue; // else it may be another solution
            function_coulomb((pcs_newton_function)f, d, mu, wrong, u, F, NULL, NULL);
            ck_assert(fabs(F[0]) + fabs(F[1]) + (d == 3 ? fabs(F[2]) : 0) > 1e-4);
        }
    }
}

// ---- solvers -----------------------------------------------------------------------------------

static pcs_report solve(const pcs_problem *p, const pcs_solver_opts *o, double *r, double *u)
{
    pcs_report report;
    ck_assert(p->n <= ROWS);
    CK_OK(pcs_solve_alloc(NULL, p, o, r, u, &report));
    pcs_measure m;
    double v[ROWS], x[ROWS];
    pcs_problem_measure(p, r, v, &m);
    ck_assert((report.outcome == PCS_OUTCOME_CONVERGED) == (solver_stop_value(o, &m) <= o->tol));
    memcpy(x, r, (size_t)p->n * sizeof *x);
    cone_project(p->nb, p->block, x);
    for (int i = 0; i < p->n; ++i) {
        ck_assert(isfinite(r[i]));
        CK_NEAR(x[i], r[i], 1e-14 * m.norm_r);
        CK_NEAR(u[i], v[i], 0);
    }
    return report;
}

// variants 0 .. 3: newton with each function; 4 .. 7: prox with each
static pcs_solver_opts variant(int k, double tol)
{
    pcs_solver_opts o = pcs_solver_opts_default(k < 4 ? PCS_SOLVER_NEWTON : PCS_SOLVER_PROX);
    if (k < 4) o.as.newton.function = (pcs_newton_function)k;
    if (k >= 4) o.as.prox.function = (pcs_newton_function)(k - 4);
    o.tol = tol;
    return o;
}

TEST(every_family_is_solved)
{
    for (int f = 0; f < FRICTION_COUNT; ++f) {
        for (uint64_t seed = 0; seed < 10; ++seed) {
            reset();
            const int nc = seed % 3 == 0 ? 1 : seed % 3 == 1 ? 6 : 24;
            const pcs_problem p = friction_problem((friction)f, nc, seed, &arena, NULL);
            for (int k = 0; k < 8; ++k) {
                // the guaranteed cases: the default functions on all problems, the others on small
                // ones
                if (k != 2 && k != 6 && nc > 6) continue;
                const pcs_solver_opts o = variant(k, 1e-11);
                double r[ROWS] = {0}, u[ROWS];
                const pcs_report report = solve(&p, &o, r, u);
                ck_assert_msg(report.outcome == PCS_OUTCOME_CONVERGED,
                              "%s, %s, %s, nc %d, seed %d: %s %g", k < 4 ? "newton" : "prox",
                              function_name[k % 4], friction_name[f], nc, (int)seed,
                              pcs_outcome_text(report.outcome), report.measure.residual);
            }
        }
    }
}

// the velocities of nsgs, though the impulses may differ where W is singular
TEST(velocities_agree_with_nsgs)
{
    static const friction families[3] = {FRICTION_DENSE, FRICTION_SPHERES, FRICTION_BOXES};
    for (int f = 0; f < 3; ++f) {
        reset();
        const pcs_problem p = friction_problem(families[f], 12, 4, &arena, NULL);
        pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_NSGS);
        o.tol = 1e-11;
        o.max_iters = 200000;
        double r[ROWS] = {0}, u[ROWS];
        const pcs_report by_sweeps = solve(&p, &o, r, u);
        ck_assert_int_eq(by_sweeps.outcome, PCS_OUTCOME_CONVERGED);
        for (int k = 2; k < 8; k += 4) {
            o = variant(k, 1e-12);
            double x[ROWS] = {0}, v[ROWS];
            ck_assert_int_eq(solve(&p, &o, x, v).outcome, PCS_OUTCOME_CONVERGED);
            for (int i = 0; i < p.n; ++i) {
                CK_NEAR(v[i], u[i], 1e-7 * (1 + by_sweeps.measure.norm_u));
            }
        }
    }
}

// a step near the solution at least nearly squares the error: from 1e-3 to 1e-11 in a few steps
TEST(the_end_is_superlinear)
{
    for (int k = 1; k < 8; k += k == 2 ? 3 : 1) {
        if (k == 3 || k == 7) continue;
        for (uint64_t seed = 0; seed < 5; ++seed) {
            reset();
            const pcs_problem p = friction_problem(FRICTION_DENSE, 20, seed, &arena, NULL);
            pcs_solver_opts o = variant(k, 1e-11);
            history h = {0};
            double r[ROWS] = {0}, u[ROWS];
            pcs_report report;
            pcs_arena work;
            CK_OK(pcs_arena_create(NULL, pcs_solve_bytes(&p, &o), &work));
            CK_OK(pcs_solve(&p, &o, (pcs_watch){history_keep, &h}, work, r, u, &report));
            pcs_arena_destroy(NULL, &work);
            ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
            int late = 0;
            for (int i = 0; i < h.n; ++i) {
                late += h.value[i] < 1e-3;
            }
            ck_assert_msg(late <= (k < 4 ? 5 : 12), "variant %d, seed %d: %d steps from 1e-3", k,
                          (int)seed, late);
        }
    }
}

// a step at a singular J has no part in its null space: J d = -F and no shorter d does
TEST(steps_are_shortest)
{
    reset();
    const pcs_problem p = friction_problem(FRICTION_BOXES, 8, 1, &arena, NULL);
    pcs_solver_opts o = variant(2, 1e-12);
    double r[ROWS] = {0}, u[ROWS], z[ROWS], step[ROWS];
    ck_assert_int_eq(solve(&p, &o, r, u).outcome, PCS_OUTCOME_CONVERGED);

    semismooth w;
    ck_assert(semismooth_begin(&w, &p, PCS_NEWTON_FUNCTION_AC, &arena));
    // a little away from the solution
    for (int i = 0; i < p.n; ++i) {
        r[i] *= 1 + 1e-4 * (i % 7);
    }
    semismooth_set(&w, r);
    semismooth_slopes(&w);
    ck_assert_int_eq(semismooth_step(&w, 0), STEP_NEAREST);
    memcpy(step, w.d, (size_t)p.n * sizeof *step);
    double d2 = 0;
    for (int i = 0; i < p.n; ++i) {
        d2 += step[i] * step[i];
    }
    // the solution itself is another solution of the linearised problem, as F is piecewise linear
    // where all contacts stick: longer by at least what the null space adds
    double longer = 0;
    for (int i = 0; i < p.n; ++i) {
        z[i] = w.a[i] / (1 + 1e-4 * (i % 7)) - w.a[i];
        longer += z[i] * z[i];
    }
    ck_assert(d2 <= longer * (1 + 1e-9));
    ck_assert(semismooth_search(&w, w.merit, 0));
    semismooth_slopes(&w);
    semismooth_end(&w);
}

TEST(polish_finds_the_last_digits)
{
    for (int f = 0; f < FRICTION_COUNT; ++f) {
        reset();
        const pcs_problem p = friction_problem((friction)f, 12, 2, &arena, NULL);
        pcs_solver_opts o = variant(6, 1e-7);
        double r[ROWS] = {0}, u[ROWS], value;
        ck_assert_int_eq(solve(&p, &o, r, u).outcome, PCS_OUTCOME_CONVERGED);
        o.tol = 1e-11;
        pcs_arena work;
        CK_OK(pcs_arena_create(NULL, polish_bytes(&p), &work));
        const int steps = polish(&p, &o, 10, work, r, u, &value);
        pcs_arena_destroy(NULL, &work);
        ck_assert_int_ge(steps, 0);
        ck_assert_msg(value <= 1e-11, "%s: %g after %d", friction_name[f], value, steps);
    }
}

// contacts with the wrong status: a solution disturbed so that they open, close, stick and slide
TEST(polish_passes_wrong_statuses)
{
    static const double size[] = {1e-3, 1e-2, 3e-2, 1e-1};
    int tried = 0, found = 0;
    for (int f = 0; f < FRICTION_COUNT; ++f) {
        for (int k = 0; k < 4; ++k) {
            reset();
            const pcs_problem p = friction_problem((friction)f, 12, 2, &arena, NULL);
            test_random rng = random_seed(40 + k);
            const pcs_solver_opts o = variant(6, 1e-11);
            double r[ROWS] = {0}, u[ROWS], largest = 0, value;
            ck_assert_int_eq(solve(&p, &o, r, u).outcome, PCS_OUTCOME_CONVERGED);
            for (int i = 0; i < p.n; ++i) {
                largest = fmax(largest, fabs(r[i]));
            }
            for (int i = 0; i < p.n; ++i) {
                r[i] += size[k] * largest * random_normal(&rng);
            }
            cone_project(p.nb, p.block, r);
            pcs_arena work;
            CK_OK(pcs_arena_create(NULL, polish_bytes(&p), &work));
            ck_assert_int_ge(polish(&p, &o, 20, work, r, u, &value), 0);
            pcs_arena_destroy(NULL, &work);
            tried += 1;
            found += value <= 1e-11;
        }
    }
    ck_assert_int_eq(found, tried);
}

// other units of mass, length and time: the same steps
TEST(units_do_not_matter)
{
    for (int k = 2; k < 8; k += 4) {
        reset();
        const pcs_problem p = friction_problem(FRICTION_GYRO, 12, 5, &arena, NULL);
        double *q = pcs_arena_take_array(&arena, (size_t)p.n, sizeof *q);
        int iters[3];
        for (int unit = 0; unit < 3; ++unit) {
            const double time = unit == 0 ? 1 : unit == 1 ? 1e6 : 1e-6;
            pcs_problem s = p;
            for (int i = 0; i < p.n; ++i) {
                q[i] = p.q[i] * time;
            }
            s.q = q;
            const pcs_solver_opts o = variant(k, 1e-10);
            double r[ROWS] = {0}, u[ROWS];
            const pcs_report report = solve(&s, &o, r, u);
            ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
            iters[unit] = report.iters;
        }
        ck_assert_int_le(abs(iters[1] - iters[0]), 1);
        ck_assert_int_le(abs(iters[2] - iters[0]), 1);
    }
}

// such a problem gives no crash, no endless loop, and no converged outcome without a solution
TEST(unusual_problems_end)
{
    static const double of_mu[4] = {0, 1e-8, 0.5, 10};
    for (int draw = 0; draw < TEST_DRAWS(200); ++draw) {
        reset();
        test_random rng = random_seed((uint64_t)draw + 1);
        pcs_block block[3];
        double W[81], q[9];
        for (int b = 0; b < 3; ++b) {
            block[b] = (pcs_block){PCS_CONE_COULOMB, 3 * b, 3, of_mu[(draw + b) % 4]};
        }
        for (int i = 0; i < 81; ++i) {
            W[i] = draw % 4 == 0 ? 0 : draw % 4 == 1 ? random_normal(&rng) : -(i % 10 == 0);
            if (draw % 4 == 3) W[i] = i % 10 == 0 && i > 30 ? 1e-300 : 0;
        }
        for (int i = 0; i < 9; ++i) {
            q[i] = random_normal(&rng) * (draw % 7 == 0 ? 1e300 : 1);
        }
        pcs_problem p = {.n = 9, .nb = 3, .block = block, .q = q};
        CK_OK(pcs_bsr_from_dense(9, 9, W, &arena, &p.W));
        for (int k = 0; k < 8; ++k) {
            pcs_solver_opts o = variant(k, 1e-10);
            o.max_iters = 60;
            double r[ROWS] = {0}, u[ROWS];
            pcs_report report;
            CK_OK(pcs_solve_alloc(NULL, &p, &o, r, u, &report));
            ck_assert(pcs_all_finite(r, 9));
            ck_assert(report.outcome != PCS_OUTCOME_INFEASIBLE);
        }
    }
    pcs_problem none = {0};
    for (int k = 0; k < 8; k += 4) {
        const pcs_solver_opts o = variant(k, 1e-10);
        pcs_report report;
        CK_OK(pcs_solve_alloc(NULL, &none, &o, NULL, NULL, &report));
        ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
    }
}
