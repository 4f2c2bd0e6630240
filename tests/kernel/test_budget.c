// The budget of a step: in every scene a step ends within its units, with the same bits for any
// number of threads and any earlier use of the work, and an unfinished step is not committed.
#include "scene.h"

#include <limits.h>

#include <percuss/kernel.h>

// the largest excess over a budget: one iteration of a method, here on an assembled W of all rows
#define OVERDRAFT 2e6

// overlapping bodies, light and heavy, some on joints, above a floor
static void open_crowd(scene *s, uint64_t seed, int bodies, int joints, double ratio)
{
    test_random r = random_seed(seed);
    *s = scene_open();
    scene_ground(s, 0.5);
    const double none[3] = {0};
    pcs_system before = {0};
    for (int i = 0; i < bodies; ++i) {
        double x[3], v[3], omega[3], Q[4];
        for (int k = 0; k < 3; ++k) {
            x[k] = 0.3 * random_normal(&r);
            v[k] = 3 * random_normal(&r);
            omega[k] = 5 * random_normal(&r);
        }
        random_quaternion(&r, Q);
        const double mass = pow(ratio, random_unit(&r));
        const double edges[3] = {0.4, 0.3, 0.2 + 0.3 * random_unit(&r)};
        pcs_system b;
        if (random_unit(&r) < 0.3) {
            b = scene_ball(s, mass, 0.2, x, v);
            scene_rough(s, b, pcs_shape_sphere(0.2), 0.3, 0, 0.6);
        } else {
            b = scene_box(s, mass, edges, x, Q, v, omega);
            scene_rough(s, b, pcs_shape_box(edges[0], edges[1], edges[2]), 0.3, 0, 0.6);
        }
        if (i > 0 && i <= joints) {
            const pcs_interaction_def joint = {
                .relation = pcs_relation_ball_joint(none, none),
                .system1 = before,
                .system2 = b,
                .law = pcs_law_equality(),
            };
            CK_OK(pcs_model_add_interaction(s->m, &joint, NULL));
        }
        before = b;
    }
}

typedef enum kind { DENSE, EXACT, IN_Q, DIVIDED, KINDS } kind;

static void choose(scene *s, kind k)
{
    const double budget = s->scheme.budget;
    if (k == DENSE || k == IN_Q) s->scheme = pcs_scheme_dense(1e-8, 0.2);
    if (k == IN_Q) {
        s->scheme.metric = PCS_METRIC_Q;
        s->scheme.projection = PCS_PROJECTION_DIRECT;
    }
    if (k == DIVIDED) s->scheme.halvings = 8;
    s->scheme.solver.tol = k == EXACT ? 1e-14 : 1e-10;
    s->scheme.budget = budget;
}

static void run(kind k, uint64_t seed, double budget, int threads, pcs_step_report *out,
                uint64_t *hash)
{
    scene s;
    open_crowd(&s, seed, 12, seed % 3 == 0 ? 8 : 0, seed % 2 ? 1e6 : 10);
    s.scheme.budget = budget;
    choose(&s, k);
    scene_start(&s);
    CK_OK(pcs_work_set_threads(s.wk, threads));
    pcs_state *before;
    CK_OK(pcs_state_create(s.m, &before));
    CK_OK(pcs_state_copy(s.st, before));
    CK_OK(pcs_step(s.m, s.st, s.wk, 0.01, out));
    ck_assert(out->committed || pcs_state_equal(s.st, before));
    *hash = pcs_state_hash(s.st);
    pcs_state_destroy(before);
    scene_close(&s);
}

TEST(a_step_ends_within_its_units)
{
    for (int k = 0; k < KINDS; ++k) {
        for (uint64_t seed = 1; seed <= 6; ++seed) {
            const double budget = seed % 2 ? 1e5 : 2e6;
            pcs_step_report a;
            uint64_t hash;
            run((kind)k, seed, budget, 1, &a, &hash);
            ck_assert_double_eq(a.budget, budget);
            ck_assert_double_gt(a.units, 0);
            ck_assert_double_le(a.units, budget + OVERDRAFT);
            ck_assert_double_gt(a.seconds, 0);
        }
    }
}

TEST(the_budget_is_the_same_for_any_number_of_threads)
{
    for (int k = 0; k < KINDS; ++k) {
        pcs_step_report a, b;
        uint64_t hash, other;
        run((kind)k, 4, 3e5, 1, &a, &hash);
        run((kind)k, 4, 3e5, 3, &b, &other);
        ck_assert_double_eq(a.units, b.units);
        ck_assert_int_eq(a.outcome, b.outcome);
        ck_assert_uint_eq(hash, other);
    }
}

// a budget of one unit is gone before the first sweep
TEST(nothing_is_committed_on_an_empty_budget)
{
    for (int k = 0; k < KINDS; ++k) {
        pcs_step_report a;
        uint64_t hash;
        run((kind)k, 2, 1, 1, &a, &hash);
        ck_assert(!a.committed);
        ck_assert_int_eq(a.outcome, PCS_OUTCOME_MAX_ITERS);
    }
}

// The first iterate of the velocities is always computed: the step has a residual, is committed
// where unsolved steps are accepted, and otherwise reports the limit that ended it
TEST(a_step_on_an_empty_budget_has_a_residual)
{
    for (int k = 0; k < KINDS; ++k) {
        for (int accept = 0; accept < 2; ++accept) {
            for (int clock = 0; clock < 2; ++clock) {
                scene s;
                open_crowd(&s, 2, 12, 6, 10);
                choose(&s, (kind)k);
                s.scheme.budget = clock ? 0 : 1;
                s.scheme.max_seconds = clock ? 1e-9 : 0;
                s.scheme.accept_unconverged = accept;
                scene_start(&s);
                pcs_step_report a;
                CK_OK(pcs_step(s.m, s.st, s.wk, 0.01, &a));
                ck_assert_int_eq(a.outcome, clock ? PCS_OUTCOME_TIME_LIMIT : PCS_OUTCOME_MAX_ITERS);
                ck_assert(isfinite(a.newton_residual) && isfinite(a.solve.measure.residual));
                ck_assert_int_eq(a.committed, accept);
                ck_assert_int_eq(a.doubt[PCS_DOUBT_UNSOLVED].count, accept);
                const pcs_status again = pcs_step(s.m, s.st, s.wk, 0.01, NULL);
                ck_assert_int_eq(again, accept ? PCS_OK : PCS_ERR_STEP);
                if (!accept) {
                    ck_assert_ptr_nonnull(
                        strstr(pcs_error_text(), clock ? "max_seconds" : "budget"));
                    ck_assert_ptr_null(strstr(pcs_error_text(), "nan"));
                }
                scene_close(&s);
            }
        }
    }
}

// a pyramid of boxes that falls on the ground from a little above it
static void open_pyramid(scene *s, int rows)
{
    const double edge = 0.2, edges[3] = {edge, edge, edge}, none[3] = {0};
    *s = scene_open();
    scene_ground(s, 0);
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < rows - i; ++j) {
            const double x[3] = {1.05 * edge * (j + 0.5 * i), 0, (i + 0.5) * edge * 1.02 + 0.01};
            const pcs_system b = scene_box(s, 1, edges, x, NULL, none, none);
            scene_rough(s, b, pcs_shape_box(edge, edge, edge), 0, 0, 0.6);
        }
    }
}

// Steps that keep time are all committed, undivided and within their cap. Those that are not solved
// say so, and gain no energy; the pyramid stands in the end, with no more overlap than allowed.
TEST(steps_that_keep_time_are_committed_and_labelled)
{
    enum { SWEEPS = 12, STEPS = 150 };
    for (int clock = 0; clock < 2; ++clock) {
        scene s;
        open_pyramid(&s, 6);
        s.scheme = pcs_scheme_dense(1e-8, 0.2);
        CK_OK(pcs_scheme_keep_time(&s.scheme, clock ? 0 : SWEEPS, clock ? 1e-9 : 0));
        scene_start(&s);
        const double energy = scene_potential(&s);
        int unsolved = 0;
        for (int k = 0; k < STEPS; ++k) {
            pcs_step_report a;
            CK_OK(pcs_step(s.m, s.st, s.wk, 0.005, &a));
            const bool solved = a.outcome == PCS_OUTCOME_CONVERGED;
            unsolved += !solved;
            ck_assert(a.committed);
            ck_assert_int_eq(a.substeps, 1);
            ck_assert_int_eq(a.doubt[PCS_DOUBT_UNSOLVED].count, !solved);
            if (!solved) {
                ck_assert_int_eq(a.outcome, clock ? PCS_OUTCOME_TIME_LIMIT : PCS_OUTCOME_MAX_ITERS);
                ck_assert(isfinite(a.solve.measure.residual));
                // the doubt is the residual, whether the projection is cut, too, or not
                const pcs_doubt *d = &a.doubt[PCS_DOUBT_UNSOLVED];
                if (a.solve.measure.residual > s.scheme.solver.tol) {
                    ck_assert_int_eq(d->one, 0);
                    ck_assert(d->value == a.solve.measure.residual);
                }
            }
            if (!clock) ck_assert_int_le(a.sweeps, SWEEPS * a.solves);
            ck_assert_double_le(scene_kinetic(&s) + scene_potential(&s), 1.001 * energy);
        }
        ck_assert_int_gt(unsolved, 0);
        ck_assert_double_ge(scene_potential(&s), 0.9 * energy);
        ck_assert_double_le(scene_kinetic(&s), 1e-3 * energy);
        scene_close(&s);
    }
}

// a wall of bricks at rest on the ground
static void open_wall(scene *s, int rows, int bricks)
{
    const double edges[3] = {0.2, 0.1, 0.1};
    *s = scene_open();
    scene_ground(s, 0.6);
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < bricks - i % 2; ++j) {
            const double x[3] = {edges[0] * (j + 0.5 * (i % 2)), 0, edges[2] * (i + 0.5)};
            const pcs_system b = scene_box(s, 3.6, edges, x, NULL, NULL, NULL);
            scene_rough(s, b, pcs_shape_box(edges[0], edges[1], edges[2]), 0, 0, 0.6);
        }
    }
}

// A ball hits a wall of 600 contacts: each step is solved on the default budget, since the passes
// that change contacts do not solve them to the last digit
TEST(a_wall_that_is_hit_is_solved_within_its_budget)
{
    scene s;
    open_wall(&s, 6, 8);
    const double x[3] = {0.83, -0.6, 0.36}, v[3] = {0, 15, 0.5};
    scene_rough(&s, scene_ball(&s, 16.8, 0.1, x, v), pcs_shape_sphere(0.1), 0, 0, 0.6);
    s.scheme = pcs_scheme_default();
    s.scheme.solver.tol = 1e-8;
    scene_start(&s);
    int most = 0;
    for (int k = 0; k < TEST_FEW(6, 24); ++k) {
        scene_step(&s, 0.005);
        ck_assert_int_eq(s.report.outcome, PCS_OUTCOME_CONVERGED);
        ck_assert_int_eq(s.report.substeps, 1);
        most = s.report.active > most ? s.report.active : most;
    }
    ck_assert_int_gt(most, TEST_FEW(0, 400));
    scene_close(&s);
}

// All solves of a step share its sweeps, however many passes and iterates it takes. What a step
// leaves the next ones solve, as impulses are remembered: a wall at rest, which is one island, has
// no more work in any step than without a cap, and is solved in the end
TEST(the_sweeps_of_a_step_are_shared_and_a_wall_comes_to_be_solved)
{
    enum { SWEEPS = 20, STEPS = 400 };
    const double tol = 1e-5;
    double most = 0;
    for (int cap = 0; cap <= SWEEPS; cap += SWEEPS) {
        scene s;
        open_wall(&s, 6, 4);
        s.scheme = pcs_scheme_dense(tol, 0.1);
        if (cap > 0) CK_OK(pcs_scheme_keep_time(&s.scheme, cap, 0));
        scene_start(&s);
        int solved = 0, first = 0;
        for (int k = 0; k < (cap > 0 ? STEPS : 1); ++k) {
            pcs_step_report a;
            CK_OK(pcs_step(s.m, s.st, s.wk, 0.005, &a));
            ck_assert(a.committed);
            if (cap == 0) most = a.units;
            if (cap == 0) ck_assert_int_gt(a.sweeps, 2 * SWEEPS);
            if (cap > 0) ck_assert_int_le(a.sweeps, SWEEPS);
            if (cap > 0) ck_assert_double_le(a.units, most);
            if (k == 0) first = a.outcome == PCS_OUTCOME_CONVERGED;
            if (k >= STEPS - 50) solved += a.outcome == PCS_OUTCOME_CONVERGED;
        }
        ck_assert_int_eq(first, cap == 0);
        if (cap > 0) ck_assert_int_ge(solved, 10);
        scene_close(&s);
    }
}

// boxes that fall into a narrow case
static void open_case(scene *s)
{
    const double edge = 0.1, edges[3] = {edge, 0.8 * edge, 0.6 * edge}, none[3] = {0};
    const double wall[][3] = {{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
    test_random r = random_seed(3);
    *s = scene_open();
    for (int i = 0; i < 5; ++i) {
        const pcs_shape plane = pcs_shape_half_space(wall[i], i == 0 ? 0 : -0.2);
        scene_rough(s, (pcs_system){0}, plane, 0, 0, 0.6);
    }
    for (int i = 0; i < 36; ++i) {
        const double x[3] = {1.2 * edge * (i % 3 - 1) + 0.02 * edge * random_unit(&r),
                             1.2 * edge * (i / 3 % 3 - 1) + 0.02 * edge * random_unit(&r),
                             edge * (0.5 + 1.1 * (i / 9))};
        const pcs_system b = scene_box(s, 1, edges, x, NULL, none, none);
        scene_rough(s, b, pcs_shape_box(edges[0], edges[1], edges[2]), 0, 0, 0.6);
    }
}

// A step whose time is over when it begins still makes a few sweeps and a projection, so that
// bodies do not fall through one another or the floor
TEST(a_cap_in_seconds_leaves_bodies_apart)
{
    scene s;
    open_case(&s);
    s.scheme = pcs_scheme_dense(1e-6, 0.06);
    CK_OK(pcs_scheme_keep_time(&s.scheme, 0, 1e-9));
    scene_start(&s);
    for (int k = 0; k < 100; ++k) {
        pcs_step_report a;
        CK_OK(pcs_step(s.m, s.st, s.wk, 0.005, &a));
        ck_assert(a.committed);
        ck_assert_double_le(a.penetration, 0.1 * 0.06);
    }
    scene_close(&s);
}

TEST(a_cap_is_a_number_of_sweeps_or_seconds)
{
    const pcs_scheme as_is = pcs_scheme_default();
    pcs_scheme s = as_is;
    ck_assert_int_eq(pcs_scheme_keep_time(&s, 0, 0), PCS_ERR_ARG);
    ck_assert_int_eq(pcs_scheme_keep_time(&s, -1, 1), PCS_ERR_ARG);
    ck_assert_int_eq(pcs_scheme_keep_time(&s, INT_MAX, 1), PCS_ERR_ARG);
    ck_assert_int_eq(pcs_scheme_keep_time(&s, 1, NAN), PCS_ERR_ARG);
    ck_assert_int_eq(pcs_scheme_keep_time(&s, 1, INFINITY), PCS_ERR_ARG);
    ck_assert_int_eq(pcs_scheme_keep_time(NULL, 1, 1), PCS_ERR_ARG);
    ck_assert_int_eq(s.halvings, as_is.halvings);
    ck_assert_int_eq(s.solver.max_iters, as_is.solver.max_iters);
    s.accept = 0.5; // of no use where every step is accepted
    CK_OK(pcs_scheme_keep_time(&s, 100, 0.01));
    CK_OK(pcs_scheme_check(&s));
    ck_assert_int_eq(s.max_sweeps, 100);
    ck_assert_int_eq(s.solver.max_iters, as_is.solver.max_iters);
    ck_assert(s.max_seconds == 0.01 && s.halvings == 0 && s.accept_unconverged);
}

TEST(the_clock_ends_a_step)
{
    scene s;
    open_crowd(&s, 2, 12, 0, 10);
    s.scheme.max_seconds = 1e-9;
    s.scheme.halvings = 20;
    scene_start(&s);
    pcs_step_report a;
    CK_OK(pcs_step(s.m, s.st, s.wk, 0.01, &a));
    ck_assert_int_eq(a.outcome, PCS_OUTCOME_TIME_LIMIT);
    ck_assert(!a.committed);
    ck_assert_int_eq(a.substeps, 1);
    scene_close(&s);
}

// the second step finds a work that has grown; the first one must make it grow
TEST(the_history_of_a_work_does_not_count)
{
    scene s;
    open_crowd(&s, 4, 12, 0, 10);
    s.scheme.budget = 3e5;
    choose(&s, DENSE);
    scene_start(&s);
    pcs_state *before;
    CK_OK(pcs_state_create(s.m, &before));
    CK_OK(pcs_state_copy(s.st, before));
    pcs_step_report a, b;
    CK_OK(pcs_step(s.m, s.st, s.wk, 0.01, &a));
    CK_OK(pcs_state_copy(before, s.st));
    CK_OK(pcs_step(s.m, s.st, s.wk, 0.01, &b));
    ck_assert_double_eq(a.units, b.units);
    pcs_state_destroy(before);
    scene_close(&s);
}

// boxes so fast that each may meet all others in a step: the contacts within reach are many more
// than those that can act, and the step does not cost as many times more
TEST(contacts_within_reach_of_fast_bodies_do_not_multiply_the_budget)
{
    scene s = scene_open();
    s.scheme = pcs_scheme_default();
    s.scheme.halvings = 0;
    s.scheme.accept_unconverged = true;
    scene_ground(&s, 0.5);
    const int n = TEST_FEW(10, 30);
    for (int i = 0; i < n; ++i) {
        const double x[3] = {0.3 * (i % 6), 0.3 * (double)(i / 6), 0.2}, v[3] = {100 - 7 * i, i, 0};
        const pcs_system box =
            scene_box(&s, 1, (double[3]){0.2, 0.2, 0.2}, x, NULL, v, (const double[3]){0});
        scene_rough(&s, box, pcs_shape_box(0.2, 0.2, 0.2), 0, 0, 0.5);
    }
    scene_start(&s);
    scene_step(&s, 0.02);
    ck_assert_double_le(s.report.budget, 1e7 + 450 * 1.5e5 + 30 * n * 2e4);
    ck_assert_double_le(s.report.units, s.report.budget + OVERDRAFT);
    scene_close(&s);
}

TEST(a_scene_without_contacts_has_a_budget_too)
{
    scene s = scene_open();
    const double x[3] = {0, 0, 1}, v[3] = {0};
    scene_ball(&s, 1, 0.1, x, v);
    scene_start(&s);
    scene_step(&s, 0.01);
    ck_assert_double_gt(s.report.budget, 0);
    ck_assert_double_le(s.report.units, s.report.budget);
    s.scheme.budget = -1;
    CK_FAILS(pcs_model_set_scheme(s.m, &s.scheme), PCS_ERR_ARG);
    s.scheme.budget = 0;
    s.scheme.max_seconds = NAN;
    CK_FAILS(pcs_model_set_scheme(s.m, &s.scheme), PCS_ERR_ARG);
    scene_close(&s);
}

// a step that is refused unless it is solved has 20 times the units, and a budget of the user stays
TEST(a_step_that_must_be_solved_has_a_larger_budget)
{
    static const struct {
        double accept, budget, times;
        bool unconverged;
    } of[] = {{1e-2, 0, 1, false}, {0, 0, 20, false}, {0, 0, 1, true}, {0, 1e6, 0, false}};
    for (size_t i = 0; i < sizeof of / sizeof *of; ++i) {
        scene s = scene_open();
        s.scheme = pcs_scheme_default();
        s.scheme.accept = of[i].accept;
        s.scheme.accept_unconverged = of[i].unconverged;
        s.scheme.halvings = 1; // so that accept is read
        s.scheme.budget = of[i].budget;
        scene_ground(&s, 0.5);
        const double x[3] = {0, 0, 0.1}, v[3] = {0};
        scene_rough(&s, scene_ball(&s, 1, 0.1, x, v), pcs_shape_sphere(0.1), 0, 0, 0.5);
        scene_start(&s);
        scene_step(&s, 0.01);
        ck_assert_int_eq(s.report.active, 1);
        ck_assert_double_eq(s.report.budget,
                            of[i].budget > 0 ? of[i].budget : of[i].times * (1e7 + 1.5e5));
        scene_close(&s);
    }
}

static int pick(test_random *r, int n)
{
    return (int)(n * random_unit(r));
}

// a random scheme that is consistent; the budget stays
static void choose_any(scene *s, test_random *r)
{
    static const double tol[3] = {1e-4, 1e-8, 1e-13};
    const double budget = s->scheme.budget;
    for (;;) {
        pcs_scheme t = pick(r, 2) ? pcs_scheme_default() : pcs_scheme_moreau_jean();
        t.activation = (pcs_activation)pick(r, PCS_ACTIVATION_END_OF_STEP + 1);
        t.projection = (pcs_projection)pick(r, PCS_PROJECTION_COMBINED_EQUALITY + 1);
        t.metric = (pcs_metric)pick(r, PCS_METRIC_Q1 + 1);
        t.configuration = (pcs_configuration)pick(r, PCS_CONFIGURATION_PREDICTED + 1);
        t.theta = pick(r, 2) ? 1 : 0.5;
        t.halvings = pick(r, 2) ? 8 : 0;
        t.proj_max = pick(r, 2) ? 1000 : 3;
        t.newton_max = pick(r, 2) ? 1000 : 3;
        t.solver.tol = tol[pick(r, 3)];
        t.budget = budget;
        if (pcs_scheme_check(&t) != PCS_OK) continue;
        s->scheme = t;
        return;
    }
}

TEST(every_scheme_ends_within_its_units)
{
    for (uint64_t seed = 1; seed <= (uint64_t)TEST_DRAWS(150); ++seed) {
        test_random r = random_seed(seed);
        const int bodies = 5 + pick(&r, 11), joints = pick(&r, 2) * bodies / 2;
        scene s;
        open_crowd(&s, seed, bodies, joints, pow(10, 6 * random_unit(&r)));
        s.scheme.budget = pow(10, 4 + 2 * random_unit(&r));
        choose_any(&s, &r);
        scene_start(&s);
        pcs_step_report a;
        CK_OK(pcs_step(s.m, s.st, s.wk, 0.01, &a));
        ck_assert_msg(a.units <= s.scheme.budget + OVERDRAFT, "seed %d: %g of %g units", (int)seed,
                      a.units, s.scheme.budget);
        scene_close(&s);
    }
}

// ---- stalls ------------------------------------------------------------------------------------

typedef struct stalls {
    int solves, stalled;
    double first, last; // budgets of the first solve and of the last one
} stalls;

static void watch_stalls(void *user, const pcs_velocity_solve *solve)
{
    stalls *s = user;
    s->solves += 1;
    s->stalled += solve->report->outcome == PCS_OUTCOME_STALLED;
    if (s->solves == 1) s->first = solve->budget;
    s->last = solve->budget;
}

// A step that must be solved has an eighth of its budget in the first pass. Where the solver has
// nothing left to try there, it has the rest in another one; a step that may be committed as it is
// does not
TEST(a_stall_has_the_rest_of_the_budget)
{
    for (int k = 0; k < 2; ++k) {
        scene s = scene_open();
        const bool strict = k == 0;
        s.scheme.budget = 2e8;
        s.scheme.accept_unconverged = !strict;
        s.scheme.solver.as.portfolio.without = INT_MAX & ~(1 << 22); // all but sweeps
        scene_rough(&s, (pcs_system){0}, pcs_shape_half_space((double[]){0, 0, 1}, 0), 0, 0, 0.5);
        for (int i = 0; i < 8; ++i) { // sweeps need millions of rounds for the last ball
            scene_rough_ball(&s, i == 7 ? 1e8 : 1, 0.1, (double[3]){0, 0, 0.1 + 0.2 * i}, NULL, 0,
                             0, 0.5);
        }
        scene_gravity(&s, 0, 0, -9.81);
        scene_start(&s);
        stalls seen = {0};
        CK_OK(pcs_work_set_capture(s.wk, watch_stalls, &seen));
        CK_OK(pcs_step(s.m, s.st, s.wk, 2e-3, &s.report));
        ck_assert(s.report.committed == !strict);
        ck_assert_int_eq(s.report.outcome, PCS_OUTCOME_STALLED);
        ck_assert_int_eq(s.report.passes, (strict ? 2 : 1));
        ck_assert_int_eq(seen.stalled, seen.solves);
        ck_assert(strict ? seen.last > 4 * seen.first : seen.last <= seen.first);
        scene_close(&s);
    }
}
