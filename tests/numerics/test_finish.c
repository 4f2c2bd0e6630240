// The finish: the last digits after sweeps, solutions that are recognised, time and memory limits,
// few steps for resting boxes.
#include "answer.h"

#include "bodies/finish.h"

static answer sweep(const pile *p, double tol)
{
    pcs_solver_opts o = options(PCS_SOLVER_NSGS, tol);
    o.max_iters = 3000;
    return answer_from(p, &o, NULL, NULL);
}

static answer finish_within(const pile *p, const pcs_solver_opts *o, finish_budget *budget,
                            const double *r)
{
    answer a = answer_new(p, r);
    pcs_arena arena;
    CK_OK(pcs_arena_create(NULL, answer_room(p), &arena));
    CK_OK(bodies_finish(&p->b, o, (pcs_watch){0}, arena, budget, a.v, a.r, a.u, &a.report));
    pcs_arena_destroy(NULL, &arena);
    return a;
}

static answer finish_with(const pile *p, const pcs_solver_opts *o, const double *r)
{
    return finish_within(p, o, NULL, r);
}

static answer finish(const pile *p, double tol, const double *r)
{
    const pcs_solver_opts o = options(PCS_SOLVER_PROX, tol);
    return finish_with(p, &o, r);
}

// ---- piles -------------------------------------------------------------------------------------

static const int sizes[PILE_COUNT] = {400, 200, 200, 150, 20};

TEST(the_last_digits_come_after_sweeps)
{
    for (int kind = 0; kind < PILE_HEAVY; ++kind) {
        for (uint64_t seed = 1; seed <= 2; ++seed) {
            pile p = pile_make((pile_kind)kind, sizes[kind], seed);
            answer start = sweep(&p, 1e-4), a = finish(&p, 1e-10, start.r);
            ck_assert_int_eq(a.report.solve.outcome, PCS_OUTCOME_CONVERGED);
            ck_assert_double_le(expect_honest(&p, &a), 1.1e-10);
            ck_assert_int_gt(a.report.finish, 0);
            answer_free(&start);
            answer_free(&a);
            pile_free(&p);
        }
    }
}

TEST(all_digits_come_where_there_is_one_solution)
{
    pile p = pile_make(PILE_SPHERES, 60, 1);
    answer start = sweep(&p, 1e-4), a = finish(&p, 1e-12, start.r), b = sweep(&p, 1e-12);
    ck_assert_int_eq(a.report.solve.outcome, PCS_OUTCOME_CONVERGED);
    for (int i = 0; i < p.b.A->start[p.b.A->nb]; ++i) {
        CK_NEAR(a.v[i], b.v[i], 1e-10);
    }
    answer_free(&start);
    answer_free(&a);
    answer_free(&b);
    pile_free(&p);
}

// the finish has nothing to do after the solution of the portfolio on an assembled W
TEST(solutions_are_recognised)
{
    for (int kind = 0; kind < PILE_HEAVY; ++kind) {
        pile p = pile_make((pile_kind)kind, 30, 3);
        pcs_arena arena;
        CK_OK(pcs_arena_create(NULL, answer_room(&p), &arena));
        pcs_arena work = arena;
        pcs_problem q;
        CK_OK(bodies_assemble(&p.b, p.v_free, &work, &q));
        double *r = calloc((size_t)q.n, sizeof *r), *u = calloc((size_t)q.n, sizeof *u);
        const pcs_solver_opts o = options(PCS_SOLVER_AUTO, 1e-10);
        pcs_report report;
        CK_OK(pcs_solve(&q, &o, (pcs_watch){0}, work, r, u, &report));
        ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
        answer a = finish(&p, 1.01e-10, r);
        ck_assert_int_eq(a.report.solve.outcome, PCS_OUTCOME_CONVERGED);
        ck_assert_int_eq(a.report.finish, 0);
        pcs_arena_destroy(NULL, &arena);
        free(r);
        free(u);
        answer_free(&a);
        pile_free(&p);
    }
}

TEST(it_is_never_worse_and_says_so)
{
    for (int kind = 0; kind < PILE_COUNT; ++kind) {
        for (int cold = 0; cold < 2; ++cold) {
            pile p = pile_make((pile_kind)kind, sizes[kind], 5);
            answer start = sweep(&p, 1e-3);
            pcs_solver_opts o = options(PCS_SOLVER_PROX, 1e-15);
            o.max_iters = 1;
            answer before = finish_with(&p, &o, cold ? NULL : start.r);
            ck_assert_int_le(before.report.finish, 1);
            o.max_iters = 7;
            answer a = finish_with(&p, &o, cold ? NULL : start.r);
            ck_assert_int_le(a.report.finish, 7);
            ck_assert_int_ne(a.report.solve.outcome, PCS_OUTCOME_CONVERGED);
            const double residual = expect_honest(&p, &a);
            ck_assert_double_le(residual, 1.0001 * before.report.solve.measure.residual);
            if (!cold) {
                ck_assert_double_le(residual, 1.0001 * start.report.solve.measure.residual);
            }
            answer_free(&start);
            answer_free(&before);
            answer_free(&a);
            pile_free(&p);
        }
    }
}

TEST(a_factorisation_that_costs_too_much_is_not_made)
{
    for (int kind = 0; kind < PILE_HEAVY; ++kind) {
        pile p = pile_make((pile_kind)kind, 100, 5);
        answer start = sweep(&p, 1e-3);
        const pcs_solver_opts o = options(PCS_SOLVER_PROX, 1e-10);
        finish_budget budget = {.most = INFINITY, .patience = INFINITY, .factor = 1};
        answer none = finish_within(&p, &o, &budget, start.r);
        ck_assert_int_eq(none.report.solve.outcome, PCS_OUTCOME_MAX_ITERS);
        ck_assert_int_eq(none.report.finish, 0);
        ck_assert_double_gt(budget.factor, 1);
        ck_assert_double_lt(budget.spent, 1e3 * p.b.nb);
        for (int i = 0; i < p.b.n; ++i) {
            CK_NEAR(none.r[i], start.r[i], 1e-12 * fabs(start.r[i]));
        }
        // its cost was known before
        budget.patience = 1;
        answer one = finish_within(&p, &o, &budget, start.r);
        ck_assert_int_gt(one.report.finish, 0);
        answer_free(&start);
        answer_free(&none);
        answer_free(&one);
        pile_free(&p);
    }
}

// The problem of the next step, with almost the same solution. Where contacts are hyperstatic, the
// kappa at the end of the last finish is a better start than the usual one. Where Newton's method
// fails with it, the start is the usual one, after a step or two
TEST(the_last_kappa_saves_steps)
{
    int usual = 0, saved = 0, failed = 0;
    for (int kind = 0; kind < PILE_HEAVY; ++kind) {
        pile p = pile_make((pile_kind)kind, sizes[kind], 7);
        const pcs_solver_opts o = options(PCS_SOLVER_PROX, 1e-10);
        answer start = sweep(&p, 1e-3);
        finish_budget first = {.most = INFINITY, .patience = INFINITY, .factor = INFINITY};
        answer a = finish_within(&p, &o, &first, start.r);
        ck_assert_int_eq(a.report.solve.outcome, PCS_OUTCOME_CONVERGED);
        for (int i = 0; i < p.b.A->start[p.b.A->nb]; ++i) {
            p.v_free[i] *= 1 + 1e-6;
        }
        const double given[] = {0, first.kappa, 1e10};
        int steps[3];
        for (int k = 0; k < 3; ++k) {
            finish_budget next = {
                .most = INFINITY, .patience = INFINITY, .factor = INFINITY, .given = given[k]};
            answer b = finish_within(&p, &o, &next, a.r);
            ck_assert_int_eq(b.report.solve.outcome, PCS_OUTCOME_CONVERGED);
            ck_assert_double_le(expect_honest(&p, &b), 1.1e-10);
            steps[k] = b.report.finish;
            if (k == 2) failed += !next.straight;
            answer_free(&b);
        }
        ck_assert_int_le(steps[1], steps[0] + 2);
        ck_assert_int_le(steps[2], steps[0] + 2);
        if (kind == PILE_BOXES || kind == PILE_MIXED) {
            usual += steps[0];
            saved += steps[0] - steps[1];
        }
        answer_free(&start);
        answer_free(&a);
        pile_free(&p);
    }
    ck_assert_int_gt(4 * saved, usual);
    ck_assert_int_gt(failed, 0);
}

// Slices of a budget: each call goes on from the centre at which the last one ended
TEST(a_finish_in_slices_goes_on)
{
    int slices = 0;
    for (int kind = 0; kind < PILE_HEAVY; ++kind) {
        pile p = pile_make((pile_kind)kind, sizes[kind], 3);
        const pcs_solver_opts o = options(PCS_SOLVER_PROX, 1e-10);
        answer a = sweep(&p, 1e-3), whole = finish(&p, 1e-10, a.r);
        double *centre = calloc((size_t)p.b.n, sizeof *centre);
        finish_budget slice = {
            .most = 300.0 * p.b.nb, .patience = INFINITY, .factor = INFINITY, .centre = centre};
        int steps = 0;
        for (bool done = false; !done; ++slices) {
            answer b = finish_within(&p, &o, &slice, a.r);
            done = b.report.solve.outcome == PCS_OUTCOME_CONVERGED;
            ck_assert(done || slice.goes_on);
            steps += b.report.finish;
            answer_free(&a);
            a = b;
            ck_assert_int_le(steps, 4 * whole.report.finish);
        }
        ck_assert_double_le(expect_honest(&p, &a), 1.1e-10);
        free(centre);
        answer_free(&a);
        answer_free(&whole);
        pile_free(&p);
    }
    ck_assert_int_gt(slices, 2 * PILE_HEAVY);
}

TEST(a_start_that_is_not_a_number_is_not_changed)
{
    pile p = pile_make(PILE_SPHERES, 30, 5);
    double *r = calloc((size_t)p.b.n, sizeof *r);
    r[4] = NAN;
    const pcs_solver_opts o = options(PCS_SOLVER_PROX, 1e-8);
    answer a = answer_new(&p, r);
    pcs_arena arena;
    CK_OK(pcs_arena_create(NULL, answer_room(&p), &arena));
    ck_assert_int_eq(bodies_finish(&p.b, &o, (pcs_watch){0}, arena, NULL, a.v, a.r, a.u, &a.report),
                     PCS_ERR_UNSUPPORTED);
    ck_assert(isnan(a.r[4]));
    pcs_arena_destroy(NULL, &arena);
    free(r);
    answer_free(&a);
    pile_free(&p);
}

// A Newton step as long as the longest so far would end after the time: it is not begun, the start
// comes back, and the outcome says why. Without a limit of time it is made
TEST(a_step_that_would_end_late_is_not_begun)
{
    pile p = pile_make(PILE_BOXES, 200, 5);
    answer start = sweep(&p, 1e-4);
    for (int timed = 0; timed < 2; ++timed) {
        pcs_solver_opts o = options(PCS_SOLVER_PROX, 1e-10);
        o.max_seconds = timed ? 1e6 : 0;
        finish_budget budget = {
            .most = INFINITY, .patience = INFINITY, .factor = INFINITY, .longest = 1e7};
        answer a = finish_within(&p, &o, &budget, start.r);
        if (timed) {
            ck_assert_int_eq(a.report.solve.outcome, PCS_OUTCOME_TIME_LIMIT);
            ck_assert_int_eq(a.report.finish, 0);
            expect_same(a.r, start.r, p.b.n, 1e-12); // it is projected on the cones
        } else {
            ck_assert_int_eq(a.report.solve.outcome, PCS_OUTCOME_CONVERGED);
            ck_assert_int_gt(a.report.finish, 0);
        }
        expect_honest(&p, &a);
        answer_free(&a);
    }
    answer_free(&start);
    pile_free(&p);
}

TEST(time_and_memory_run_out)
{
    pile p = pile_make(PILE_BOXES, 200, 5);
    pcs_solver_opts o = options(PCS_SOLVER_PROX, 1e-14);
    o.max_seconds = 1e-9;
    answer a = finish_with(&p, &o, NULL);
    ck_assert_int_eq(a.report.solve.outcome, PCS_OUTCOME_TIME_LIMIT);
    answer_free(&a);

    size_t demand = 0;
    pcs_arena none = {.peak = &demand};
    a = answer_new(&p, NULL);
    ck_assert_int_eq(bodies_finish(&p.b, &o, (pcs_watch){0}, none, NULL, a.v, a.r, a.u, &a.report),
                     PCS_ERR_MEMORY);
    ck_assert_uint_gt(demand, 0);
    answer_free(&a);
    pile_free(&p);
}

// ---- bodies at rest ----------------------------------------------------------------------------

#define STEP 0.005

// a box of these edges and density 1000 on the ground, a contact at each of its lower corners and,
// for eight, at the middle of each lower edge
static pile resting(const double edge[3], int contacts)
{
    const double m = 1000 * edge[0] * edge[1] * edge[2];
    block_lu *A = calloc(1, sizeof *A);
    int *start = calloc(2, sizeof *start);
    double *lu = calloc(6, sizeof *lu), *R = calloc(9, sizeof *R);
    for (int i = 0; i < 3; ++i) {
        const double y = edge[(i + 1) % 3], z = edge[(i + 2) % 3];
        lu[i] = m;
        lu[3 + i] = m / 12 * (y * y + z * z);
        R[4 * i] = 1;
    }
    start[1] = 6;
    unsigned char *kind = calloc(1, 1);
    kind[0] = BLOCK_DIAGONAL;
    *A = (block_lu){.nb = 1,
                    .start = start,
                    .off = calloc(1, sizeof(size_t)),
                    .lu = lu,
                    .piv = calloc(6, sizeof(int)),
                    .kind = kind};
    bodies_block *block = calloc((size_t)contacts, sizeof *block);
    static const int place[8][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1},
                                    {0, -1},  {1, 0},  {0, 1}, {-1, 0}};
    for (int i = 0; i < contacts; ++i) {
        block[i] = (bodies_block){
            .cone = PCS_CONE_COULOMB,
            .dim = 3,
            .row = 3 * i,
            .mu = 0.5,
            .sys = {0, -1},
            .F = {0, 0, 1, 1, 0, 0, 0, 1, 0},
            .core = {{place[i][0] * edge[0] / 2, place[i][1] * edge[1] / 2, -edge[2] / 2}}};
    }
    return (pile){.b = {.n = 3 * contacts,
                        .nb = contacts,
                        .block = block,
                        .shift = calloc(3 * (size_t)contacts, sizeof(double)),
                        .A = A,
                        .R = R},
                  .v_free = calloc(6, sizeof(double)),
                  .mass = calloc(6, sizeof(double)),
                  .x = calloc(3, sizeof(double))};
}

TEST(cube_and_plank_take_few_steps)
{
    const struct {
        double edge[3];
        int contacts;
    } body[2] = {{{1, 1, 1}, 4}, {{0.6, 0.2, 0.04}, 8}};
    for (int k = 0; k < 2; ++k) {
        pile p = resting(body[k].edge, body[k].contacts);
        test_random rng = random_seed(9);
        answer last = {0};
        int warm = 0;
        enum { STEPS = 40 };
        for (int step = 0; step <= STEPS; ++step) {
            // an island at rest, then with a velocity, then without change
            for (int i = 0; i < 6; ++i) {
                p.v_free[i] = step > 0 ? last.v[i] : 0;
                if (step == 1) p.v_free[i] += 1e-2 * random_normal(&rng);
            }
            p.v_free[2] -= 9.81 * STEP;
            answer a = finish(&p, 1e-10, last.r);
            ck_assert_int_eq(a.report.solve.outcome, PCS_OUTCOME_CONVERGED);
            ck_assert_double_le(expect_honest(&p, &a), 1.1e-10);
            if (step == 0) ck_assert_int_le(a.report.finish, 30);
            if (step > 0) warm += a.report.finish;
            answer_free(&last);
            last = a;
        }
        ck_assert_int_le(warm, 3 * STEPS);
        answer_free(&last);
        pile_free(&p);
    }
}

// ---- sticking ----------------------------------------------------------------------------------

// changes v_free so that impulses inside all cones hold everything at v = 0; returns them
static double *hold(pile *p, test_random *rng)
{
    const bodies_problem *b = &p->b;
    const int nv = b->A->start[b->A->nb];
    double *r = calloc((size_t)b->n, sizeof *r);
    for (int i = 0; i < b->nb; ++i) {
        const bodies_block *k = &b->block[i];
        double *ri = r + k->row;
        for (int j = 0; j < k->dim; ++j) {
            ri[j] = random_normal(rng);
        }
        if (k->cone == PCS_CONE_EQUALITY) continue;
        ri[0] = 0.5 + random_unit(rng);
        double size = 1e-3;
        for (int j = 1; j < k->dim; ++j) {
            size = fmax(size, 1.5 * fabs(ri[j]));
        }
        for (int j = 1; j < k->dim; ++j) {
            ri[j] *= 0.99 * k->mu * ri[0] / size;
        }
    }
    bodies_impulses(b, r, p->v_free);
    block_lu_solve_all(b->A, p->v_free);
    for (int i = 0; i < nv; ++i) {
        p->v_free[i] = -p->v_free[i];
    }
    memset((void *)(uintptr_t)b->shift, 0, (size_t)b->n * sizeof *b->shift);
    return r;
}

static answer stick(const pile *p, double tol)
{
    answer a = answer_new(p, NULL);
    const pcs_solver_opts o = options(PCS_SOLVER_PROX, tol);
    pcs_arena arena;
    CK_OK(pcs_arena_create(NULL, answer_room(p), &arena));
    CK_OK(bodies_stick(&p->b, &o, (pcs_watch){0}, arena, NULL, a.v, a.r, a.u, &a.report));
    pcs_arena_destroy(NULL, &arena);
    return a;
}

// where some impulses hold all bodies at rest, such impulses are found from zero
TEST(what_can_stick_sticks)
{
    test_random rng = random_seed(7);
    for (int k = 0; k < 40; ++k) {
        pile p = pile_make((pile_kind)(k % PILE_LOOSE), 10 + 2 * k, (uint64_t)k + 1);
        const int nv = p.b.A->start[p.b.A->nb];
        double *r = hold(&p, &rng);
        answer a = stick(&p, 1e-10);
        ck_assert_int_eq(a.report.solve.outcome, PCS_OUTCOME_CONVERGED);
        ck_assert_double_le(expect_honest(&p, &a), 1.1e-10);
        const double size = a.report.solve.measure.norm_q;
        for (int i = 0; i < p.b.n; ++i) {
            ck_assert_double_le(fabs(a.u[i]), 1e-8 * size);
        }
        for (int i = 0; i < nv; ++i) {
            ck_assert(isfinite(a.v[i]));
        }
        free(r);
        answer_free(&a);
        pile_free(&p);
    }
}

// A tower is pushed by one per cent more than friction of the ground can hold: the search says so
// after a few steps
TEST(what_must_slide_is_said_to_slide)
{
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        pile p = pile_make(PILE_BOXES, 30, seed);
        double mu = 0;
        for (int i = 0; i < p.b.nb; ++i) {
            mu = fmax(mu, p.b.block[i].mu);
        }
        free(hold(&p, &(test_random){seed}));
        for (int i = 0; i < p.b.A->start[p.b.A->nb]; ++i) {
            p.v_free[i] = i % 6 == 0 ? 1.01 * mu : i % 6 == 2 ? -1 : 0;
        }
        answer a = stick(&p, 1e-10);
        ck_assert_int_eq(a.report.solve.outcome, PCS_OUTCOME_STALLED);
        ck_assert_int_lt(a.report.finish, 80);
        answer_free(&a);
        pile_free(&p);
    }
}
