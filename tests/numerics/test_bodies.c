// Contact problems on the velocities of bodies: solutions of the assembled problem, momentum,
// power, memory, threads, islands.
#include "answer.h"

#include "linalg/m3.h"
#include "problem/measure.h"
#include "solver/auto_part.h"

static answer answer_of(const pile *p, const pcs_solver_opts *o, threads *team)
{
    return answer_from(p, o, team, NULL);
}

static void expect_measure(const pile *p, const answer *a, double tol)
{
    ck_assert_double_le(expect_honest(p, a), tol);
}

// residual at which only rounding is left
static double rounding_of(const answer *a)
{
    const pcs_measure *m = &a->report.solve.measure;
    return MEASURE_ROUNDINGS * m->rounding / measure_size(m);
}

static double furthest(int n, const double *a, const double *b)
{
    double most = 0;
    for (int i = 0; i < n; ++i) {
        if (!(fabs(a[i] - b[i]) <= most)) most = fabs(a[i] - b[i]);
    }
    return most;
}

TEST(sweeps_solve_the_assembled_problem)
{
    const int sizes[PILE_COUNT] = {80, 64, 60, 60, 16};
    for (int kind = 0; kind < PILE_HEAVY; ++kind) {
        pile p = pile_make((pile_kind)kind, sizes[kind], 1);
        pcs_solver_opts o = options(PCS_SOLVER_NSGS, 1e-12);
        o.max_iters = 100000;
        answer swept = answer_of(&p, &o, NULL);
        expect_measure(&p, &swept, 1e-12);
        // the options with which the bodies use an assembled W
        o.as.nsgs.relaxation = 0.999;
        answer same = answer_from(&p, &o, NULL, swept.r), cold = answer_of(&p, &o, NULL);
        expect_measure(&p, &same, 1e-12);
        const int nv = p.b.A->start[p.b.A->nb];
        ck_assert_double_le(furthest(nv, swept.v, same.v), 1e-12);
        // boxes and mixtures have several solutions
        if (kind == PILE_SPHERES) {
            ck_assert_double_le(furthest(nv, swept.v, cold.v), 1e-9);
        }
        answer_free(&swept);
        answer_free(&same);
        answer_free(&cold);
        pile_free(&p);
    }
}

// prox on the velocities of the bodies and on an assembled W: another function needs W
TEST(prox_has_the_same_solution_on_bodies_and_on_W)
{
    for (uint64_t seed = 1; seed <= 3; ++seed) {
        pile p = pile_make(PILE_SPHERES, 60, seed);
        const pcs_solver_opts rough = options(PCS_SOLVER_NSGS, 1e-3);
        pcs_solver_opts o = options(PCS_SOLVER_PROX, 1e-12);
        answer start = answer_of(&p, &rough, NULL), a = answer_from(&p, &o, NULL, start.r);
        o.as.prox.function = PCS_NEWTON_FUNCTION_JM;
        answer b = answer_from(&p, &o, NULL, start.r);
        const answer *both[2] = {&a, &b};
        for (int k = 0; k < 2; ++k) {
            ck_assert_int_eq(both[k]->report.solve.outcome, PCS_OUTCOME_CONVERGED);
            ck_assert_int_eq(both[k]->report.solve.solver, PCS_SOLVER_PROX);
            expect_measure(&p, both[k], 1e-12);
        }
        ck_assert_int_gt(a.report.finish, 0);
        ck_assert_int_eq(b.report.finish, 0);
        ck_assert_double_le(furthest(p.b.A->start[p.b.A->nb], a.v, b.v), 1e-9);
        answer_free(&start);
        answer_free(&a);
        answer_free(&b);
        pile_free(&p);
    }
}

TEST(the_portfolio_converges)
{
    const int sizes[PILE_COUNT] = {300, 300, 200, 200, 20};
    for (int kind = 0; kind < PILE_COUNT; ++kind) {
        for (int k = 0; k < 2; ++k) {
            pile p = pile_make((pile_kind)kind, sizes[kind], 7);
            const double tol = k == 0 ? 1e-4 : 1e-10;
            pcs_solver_opts o = options(PCS_SOLVER_AUTO, tol);
            answer a = answer_of(&p, &o, NULL);
            ck_assert_int_eq(a.report.solve.outcome, PCS_OUTCOME_CONVERGED);
            expect_measure(&p, &a, tol);
            answer_free(&a);
            pile_free(&p);
        }
    }
}

static answer solved_spheres(uint64_t seed, pile *p)
{
    *p = pile_make(PILE_SPHERES, 200, seed);
    const pcs_solver_opts o = options(PCS_SOLVER_AUTO, 1e-6);
    return answer_of(p, &o, NULL);
}

// the sum over bodies of m v changes only by the impulses of fixed sides: sum F r of those
TEST(momentum_comes_from_fixed_sides_only)
{
    pile p;
    answer a = solved_spheres(3, &p);
    double gained[3] = {0}, given[3] = {0}, size = 0;
    for (int s = 0; s < p.b.A->nb; ++s) {
        const int at = p.b.A->start[s];
        for (int i = 0; i < 3; ++i) {
            gained[i] += p.mass[at + i] * (a.v[at + i] - p.v_free[at + i]);
        }
    }
    for (int k = 0; k < p.b.nb; ++k) {
        double P[3];
        m3_mul(p.b.block[k].F, a.r + p.b.block[k].row, P);
        size += v3_norm(P);
        for (int i = 0; i < 3 && p.b.block[k].sys[1] < 0; ++i) {
            given[i] += P[i];
        }
    }
    expect_same(gained, given, 3, 1e-13 * size);
    answer_free(&a);
    pile_free(&p);
}

// u'r = v' A (v - v_free), with a diagonal A = M
TEST(power_is_the_same_in_both_spaces)
{
    pile p;
    answer a = solved_spheres(4, &p);
    double local = 0, bodies = 0, size = 0;
    for (int i = 0; i < p.b.n; ++i) {
        local += a.r[i] * (a.u[i] - p.b.shift[i]);
        size += fabs(a.r[i] * a.u[i]);
    }
    for (int i = 0; i < p.b.A->start[p.b.A->nb]; ++i) {
        bodies += a.v[i] * p.mass[i] * (a.v[i] - p.v_free[i]);
        size += fabs(a.v[i] * p.mass[i] * (a.v[i] - p.v_free[i]));
    }
    CK_NEAR(local, bodies, 1e-13 * size);
    answer_free(&a);
    pile_free(&p);
}

// solves without memory, and then with the demand of the previous attempt
static void expect_demand(const pile *p, threads *team)
{
    const pcs_solver_opts o = options(PCS_SOLVER_AUTO, 1e-8);
    pcs_arena own = {0};
    pcs_status status = PCS_ERR_MEMORY;
    size_t demand = 0;
    for (int tries = 0; tries < 50 && status == PCS_ERR_MEMORY; ++tries) {
        answer a = answer_new(p, NULL);
        pcs_arena work = own;
        work.peak = &demand;
        status =
            bodies_solve(&p->b, &o, (pcs_watch){0}, INFINITY, team, work, a.v, a.r, a.u, &a.report);
        if (status == PCS_OK) {
            ck_assert_int_eq(a.report.solve.outcome, PCS_OUTCOME_CONVERGED);
        } else {
            ck_assert_uint_gt(demand, own.size);
            pcs_arena_destroy(NULL, &own);
            CK_OK(pcs_arena_create(NULL, demand, &own));
        }
        answer_free(&a);
    }
    CK_OK(status);
    pcs_arena_destroy(NULL, &own);
}

TEST(the_demand_of_memory_suffices)
{
    for (int kind = 0; kind < PILE_COUNT; ++kind) {
        pile p = pile_make((pile_kind)kind, 60, 5);
        expect_demand(&p, NULL);
        pile_free(&p);
    }
}

TEST(nothing_is_solved)
{
    pile p = pile_make(PILE_SPHERES, 10, 5);
    p.b.nb = p.b.n = 0;
    pcs_solver_opts o = options(PCS_SOLVER_AUTO, 1e-8);
    answer a = answer_of(&p, &o, NULL);
    ck_assert_int_eq(a.report.solve.outcome, PCS_OUTCOME_CONVERGED);
    ck_assert_int_eq(memcmp(a.v, p.v_free, (size_t)p.b.A->start[p.b.A->nb] * sizeof(double)), 0);
    answer_free(&a);
    pile_free(&p);
}

TEST(numbers_that_are_not_finite_are_refused)
{
    pile p = pile_make(PILE_SPHERES, 10, 5);
    pcs_solver_opts o = options(PCS_SOLVER_AUTO, 1e-8);
    pcs_arena arena;
    CK_OK(pcs_arena_create(NULL, answer_room(&p), &arena));
    double *r = calloc((size_t)p.b.n, sizeof(double)), *u = calloc((size_t)p.b.n, sizeof(double));
    bodies_report report;
    r[2] = NAN;
    CK_FAILS(bodies_solve(&p.b, &o, (pcs_watch){0}, INFINITY, NULL, arena, p.v_free, r, u, &report),
             PCS_ERR_ARG);
    r[2] = 0;
    p.v_free[3] = INFINITY;
    CK_FAILS(bodies_solve(&p.b, &o, (pcs_watch){0}, INFINITY, NULL, arena, p.v_free, r, u, &report),
             PCS_ERR_ARG);
    pcs_arena_destroy(NULL, &arena);
    free(r);
    free(u);
    pile_free(&p);
}

// ---- watches -----------------------------------------------------------------------------------

typedef struct listener {
    int calls, stop_at; // stop_at 0: never
    bool first_said;    // the first call had no changes of status
    unsigned solvers;   // bits of the solvers heard
    unsigned parts;     // bits of the parts heard
} listener;

static int listen(void *user, const pcs_progress *now)
{
    listener *l = user;
    l->calls += 1;
    if (l->calls == 1) l->first_said = now->status_changes == -1;
    ck_assert_int_ge(now->status_changes, -1);
    ck_assert(now->residual >= 0);
    ck_assert(now->natural_map >= 0);
    l->solvers |= 1u << now->solver;
    if (now->part > 0) l->parts |= part_bit((auto_part)now->part);
    return l->calls == l->stop_at;
}

static answer watched_within(const pile *p, const pcs_solver_opts *o, double budget, threads *team,
                             listener *l)
{
    answer a = answer_new(p, NULL);
    pcs_arena arena;
    CK_OK(pcs_arena_create(NULL, answer_room(p), &arena));
    CK_OK(bodies_solve(&p->b, o, (pcs_watch){listen, l}, budget, team, arena, a.v, a.r, a.u,
                       &a.report));
    pcs_arena_destroy(NULL, &arena);
    return a;
}

static answer watched(const pile *p, const pcs_solver_opts *o, threads *team, listener *l)
{
    return watched_within(p, o, INFINITY, team, l);
}

static const pcs_solver heard[] = {PCS_SOLVER_AUTO, PCS_SOLVER_NSGS, PCS_SOLVER_PROX,
                                   PCS_SOLVER_ADMM};

TEST(a_watch_hears_all_and_changes_no_bit)
{
    threads *team;
    CK_OK(threads_create(NULL, 3, &team));
    for (int kind = 0; kind < PILE_COUNT; ++kind) {
        pile p = pile_make((pile_kind)kind, 60, 5);
        for (size_t k = 0; k < sizeof heard / sizeof *heard; ++k) {
            pcs_solver_opts o = options(heard[k], 1e-9);
            if (heard[k] != PCS_SOLVER_AUTO) o.max_iters = 300;
            listener l = {0}, shared = {0};
            answer a = answer_of(&p, &o, NULL), b = watched(&p, &o, NULL, &l);
            answer c = watched(&p, &o, team, &shared);
            ck_assert_int_gt(l.calls, 0);
            ck_assert(l.first_said);
            if (heard[k] != PCS_SOLVER_AUTO) ck_assert_uint_eq(l.solvers, 1u << heard[k]);
            ck_assert_int_eq(shared.calls, l.calls);
            ck_assert_mem_eq(a.r, b.r, (size_t)p.b.n * sizeof(double));
            ck_assert_mem_eq(a.r, c.r, (size_t)p.b.n * sizeof(double));
            ck_assert_int_eq(a.report.solve.outcome, b.report.solve.outcome);
            answer_free(&a);
            answer_free(&b);
            answer_free(&c);
        }
        pile_free(&p);
    }
    threads_destroy(team);
}

TEST(a_watch_stops_all_islands)
{
    for (int kind = 0; kind < PILE_COUNT; ++kind) {
        pile p = pile_make((pile_kind)kind, 60, 5);
        for (size_t k = 0; k < sizeof heard / sizeof *heard; ++k) {
            for (int at = 1; at <= 7; at += 3) {
                const pcs_solver_opts o = options(heard[k], 1e-15);
                listener l = {.stop_at = at};
                answer a = watched(&p, &o, NULL, &l);
                ck_assert_int_eq(l.calls, at);
                ck_assert_int_eq(a.report.solve.outcome, PCS_OUTCOME_STOPPED);
                expect_honest(&p, &a);
                answer_free(&a);
            }
        }
        pile_free(&p);
    }
}

// two blocks that contradict one another: no r opens both
static void contradict(pile *p)
{
    bodies_block *b = (bodies_block *)p->b.block;
    double *shift = (double *)p->b.shift;
    const int row = b[1].row;
    b[1] = b[0];
    b[1].row = row;
    for (int e = 0; e < 2; ++e) {
        b[1].sys[e] = b[0].sys[1 - e];
        b[1].rows[e] = b[0].rows[1 - e];
        b[1].along[e] = b[0].along[1 - e];
        memcpy(b[1].core[e], b[0].core[1 - e], sizeof b[1].core[e]);
    }
    shift[b[0].row] = shift[row] = -1;
}

// the parts of a solve to a tolerance that no part can reach, with a budget for all
static unsigned parts_heard(const pile *p, int max_iters, int without)
{
    pcs_solver_opts o = options(PCS_SOLVER_AUTO, 1e-18);
    o.max_iters = max_iters;
    o.as.portfolio.without = without;
    listener l = {0};
    answer a = watched(p, &o, NULL, &l);
    expect_honest(p, &a);
    answer_free(&a);
    return l.parts;
}

// A budget that ends before the methods in the velocities says with which they begin
TEST(a_budget_that_leaves_a_method_out_says_what_it_wants)
{
    pile p = pile_make(PILE_SPHERES, 1200, 3);
    const pcs_solver_opts o = options(PCS_SOLVER_AUTO, 1e-18);
    const double little = 400.0 * p.b.nb;
    listener cut = {0}, whole = {0};
    answer a = watched_within(&p, &o, little, NULL, &cut);
    ck_assert(!(cut.parts & part_bit(PART_VELOCITIES)));
    ck_assert_int_eq(a.report.solve.outcome, PCS_OUTCOME_MAX_ITERS);
    ck_assert_double_gt(a.report.wants, little);
    // what the turns before cost depends on rounding where no residual is small enough: a budget
    // that is short after all says so again
    double wants = a.report.wants;
    for (int k = 0; k < 2 && wants > 0; ++k) {
        answer b = watched_within(&p, &o, wants, NULL, &whole);
        ck_assert(b.report.wants == 0 || b.report.wants > wants);
        wants = b.report.wants;
        answer_free(&b);
    }
    ck_assert(whole.parts & part_bit(PART_VELOCITIES));
    ck_assert_double_eq(wants, 0);
    answer_free(&a);
    pile_free(&p);
}

TEST(a_part_that_is_left_out_is_not_heard)
{
    for (int kind = 0; kind < PILE_COUNT; ++kind) {
        pile p = pile_make((pile_kind)kind, 80, 5);
        const unsigned all = parts_heard(&p, 2000, 0);
        ck_assert_uint_ne(all, 0);
        for (int k = 1; k <= PART_LAST; ++k) {
            const unsigned bit = part_bit((auto_part)k);
            if (all & bit) ck_assert_uint_eq(parts_heard(&p, 2000, (int)bit) & bit, 0);
        }
        ck_assert_uint_eq(parts_heard(&p, 2000, PART_MASK), 0);
        pile_free(&p);
    }
}

// Each method with its systems in the velocities solves an island of any size by itself, and the
// report names it. Where the velocity is unique it is that of all of them together.
TEST(the_velocities_alone_solve_large_islands)
{
    const auto_part part[] = {PART_VELOCITIES, PART_PATH};
    const int sizes[] = {450, 40};
    for (int kind = PILE_SPHERES; kind <= PILE_BOXES; ++kind) {
        pile p = pile_make((pile_kind)kind, sizes[kind], 4);
        pcs_solver_opts o = options(PCS_SOLVER_AUTO, 1e-9);
        answer whole = answer_of(&p, &o, NULL);
        expect_measure(&p, &whole, 1e-9);
        for (int k = 0; k < 2; ++k) {
            o.as.portfolio.without = (int)((unsigned)PART_MASK & ~part_bit(part[k]));
            answer a = answer_of(&p, &o, NULL);
            if (kind == PILE_SPHERES) ck_assert_int_gt(a.report.largest, 400);
            ck_assert_int_eq(a.report.solve.part, (int)part[k]);
            expect_measure(&p, &a, 1e-9);
            const int nv = p.b.A->start[p.b.A->nb];
            if (kind == PILE_SPHERES) ck_assert_double_le(furthest(nv, a.v, whole.v), 1e-6);
            answer_free(&a);
        }
        answer_free(&whole);
        pile_free(&p);
    }
}

// From a thousand blocks on the systems of ipm are factorised by fronts: it solves such islands
// alone, and where all are unique its velocities are those of the whole course
TEST(ipm_solves_islands_of_a_thousand_blocks)
{
    pile p = pile_make(PILE_SPHERES, 800, 7);
    pcs_solver_opts o = options(PCS_SOLVER_AUTO, 1e-9);
    answer whole = answer_of(&p, &o, NULL);
    expect_measure(&p, &whole, 1e-9);
    ck_assert_int_ge(whole.report.largest, 1000);
    o.as.portfolio.without = (int)((unsigned)PART_MASK & ~part_bit(PART_VELOCITIES));
    answer a = answer_of(&p, &o, NULL);
    ck_assert_int_eq(a.report.solve.part, PART_VELOCITIES);
    expect_measure(&p, &a, 1e-9);
    ck_assert_double_le(furthest(p.b.A->start[p.b.A->nb], a.v, whole.v), 1e-6);
    answer_free(&a);
    answer_free(&whole);
    pile_free(&p);
}

// sweeps and the finish are nsgs and prox: what they give up is not theirs on W again
TEST(no_part_runs_again_on_w)
{
    const unsigned tried = part_bit(PART_NSGS) | part_bit(PART_PROX);
    for (int seed = 1; seed <= TEST_FEW(1, 3); ++seed) {
        pile p = pile_make(PILE_SPHERES, 80, (uint64_t)seed);
        contradict(&p);
        // without those that end it, the first of them with a proof that there is no solution
        const unsigned without = part_bit(PART_VELOCITIES) | part_bit(PART_PATH);
        const unsigned parts = parts_heard(&p, 50000, (int)without);
        const unsigned on_w = part_bit(PART_HOMOTOPY + 1) - 1;
        ck_assert_uint_ne(parts & part_bit(PART_SWEEPS), 0);
        ck_assert_uint_ne(parts & part_bit(PART_FINISH), 0);
        ck_assert_uint_ne(parts & on_w, 0);
        ck_assert_uint_eq(parts & tried, 0);
        const pcs_solver_opts o = options(PCS_SOLVER_AUTO, 1e-9);
        answer a = answer_of(&p, &o, NULL);
        ck_assert_int_eq(a.report.solve.outcome, PCS_OUTCOME_INFEASIBLE);
        expect_honest(&p, &a);
        answer_free(&a);
        pile_free(&p);
    }
}

// ---- threads and islands -----------------------------------------------------------------------

static void expect_same_bits(pile_kind kind, int n, pcs_solver solver, double tol)
{
    pile p = pile_make(kind, n, 11);
    pcs_solver_opts o = options(solver, tol);
    if (solver == PCS_SOLVER_NSGS) o.max_iters = 60;
    answer one = answer_of(&p, &o, NULL);
    for (int count = 1; count <= 3; ++count) {
        threads *team;
        CK_OK(threads_create(NULL, count, &team));
        answer more = answer_of(&p, &o, team);
        const size_t nv = (size_t)p.b.A->start[p.b.A->nb], n_r = (size_t)p.b.n;
        ck_assert_int_eq(memcmp(one.v, more.v, nv * sizeof(double)), 0);
        ck_assert_int_eq(memcmp(one.r, more.r, n_r * sizeof(double)), 0);
        ck_assert_int_eq(memcmp(one.u, more.u, n_r * sizeof(double)), 0);
        ck_assert_int_eq(one.report.sweeps, more.report.sweeps);
        ck_assert(one.report.solve.measure.residual == more.report.solve.measure.residual);
        answer_free(&more);
        threads_destroy(team);
    }
    answer_free(&one);
    pile_free(&p);
}

// one island of many clusters; and many islands
TEST(threads_do_not_change_the_bits)
{
    expect_same_bits(PILE_SPHERES, 1500, PCS_SOLVER_NSGS, 1e-6);
    expect_same_bits(PILE_BOXES, 700, PCS_SOLVER_AUTO, 1e-6);
    expect_same_bits(PILE_MIXED, 600, PCS_SOLVER_NSGS, 1e-9);
    expect_same_bits(PILE_LOOSE, 600, PCS_SOLVER_AUTO, 1e-6);
}

// the bytes needed include the memory of all threads
TEST(the_demand_includes_the_memory_of_a_team)
{
    pile p = pile_make(PILE_LOOSE, 600, 5);
    threads *team;
    CK_OK(threads_create(NULL, 3, &team));
    expect_demand(&p, team);
    threads_destroy(team);
    pile_free(&p);
}

// an island has the same solution alone and among others
TEST(islands_do_not_affect_one_another)
{
    pile p = pile_make(PILE_LOOSE, 60, 2), first = p;
    pcs_solver_opts o = options(PCS_SOLVER_NSGS, 1e-11);
    answer all = answer_of(&p, &o, NULL);
    // the first part has nine blocks and three systems
    first.b.nb = 9;
    first.b.n = p.b.block[9].row;
    block_lu F = *p.b.A;
    F.nb = 3;
    first.b.A = &F;
    answer one = answer_of(&first, &o, NULL);
    ck_assert_int_gt(all.report.islands, one.report.islands);
    ck_assert_double_le(furthest(F.start[3], one.v, all.v), 1e-9);
    answer_free(&all);
    answer_free(&one);
    pile_free(&p);
}

// An island with most of the blocks has what the others leave of the tolerance, not an equal part
// of it. Two towers, the second one a face lower and solved: a start with 1 / 1.2 of the tolerance
// in the first one is a solution as it is
TEST(the_largest_island_has_the_tolerance_that_others_leave)
{
    pile p = pile_make(PILE_BOXES, 40, 2), first = p;
    p.b.nb -= 4;
    p.b.n = p.b.block[p.b.nb].row;
    first.b.nb = p.b.nb / 2 + 2;
    first.b.n = p.b.block[first.b.nb].row;
    const pcs_solver_opts fine = options(PCS_SOLVER_AUTO, 1e-12);
    const pcs_solver_opts coarse = options(PCS_SOLVER_NSGS, 1e-3);
    answer exact = answer_of(&p, &fine, NULL), rough = answer_of(&first, &coarse, NULL);
    const double left = rough.report.solve.measure.residual, tol = 1.2 * left;
    memcpy(exact.r, rough.r, (size_t)first.b.n * sizeof(double));
    const pcs_solver_opts o = options(PCS_SOLVER_AUTO, tol);
    answer both = answer_from(&p, &o, NULL, exact.r);
    ck_assert_int_eq(both.report.islands, 2);
    ck_assert_int_eq(both.report.largest, first.b.nb);
    ck_assert_double_gt(left, 1e-6);
    ck_assert_int_eq(both.report.sweeps + both.report.finish, 0);
    expect_measure(&p, &both, tol);
    answer_free(&exact);
    answer_free(&rough);
    answer_free(&both);
    pile_free(&p);
}

// Each block of the piles by itself has one solution: the same by its closed form and with W
// assembled, and the same from any start
TEST(a_block_alone_is_solved_exactly)
{
    for (int kind = 0; kind < PILE_COUNT; ++kind) {
        pile p = pile_make((pile_kind)kind, 60, 3), alone = p;
        const double tol = 1e-13;
        pcs_solver_opts o = options(PCS_SOLVER_AUTO, tol), w = options(PCS_SOLVER_NSGS, tol);
        w.as.nsgs.relaxation = 0.999;
        const int nv = p.b.A->start[p.b.A->nb];
        for (int k = 0; k < p.b.nb; ++k) {
            bodies_block block = p.b.block[k];
            alone.b.shift = p.b.shift + block.row;
            block.row = 0;
            alone.b.block = &block;
            alone.b.nb = 1;
            alone.b.n = block.dim;
            double start[6] = {1, 0.25, -0.125};
            answer cold = answer_of(&alone, &o, NULL), assembled = answer_of(&alone, &w, NULL);
            answer warm = answer_from(&alone, &o, NULL, start);
            // q is a rounded number
            expect_measure(&alone, &cold, fmax(tol, rounding_of(&cold)));
            expect_measure(&alone, &warm, fmax(tol, rounding_of(&warm)));
            expect_measure(&alone, &assembled, fmax(tol, rounding_of(&assembled)));
            ck_assert_int_eq(cold.report.islands, 1);
            ck_assert_int_eq(cold.report.largest, 1);
            ck_assert_int_eq(cold.report.solve.outcome, PCS_OUTCOME_CONVERGED);
            // tol is relative to q, about 1, which A^-1 H^T W^-1 multiplies by at most 100
            ck_assert_double_le(furthest(nv, cold.v, warm.v), 100 * tol);
            ck_assert_double_le(furthest(nv, cold.v, assembled.v), 100 * tol);
            answer_free(&cold);
            answer_free(&warm);
            answer_free(&assembled);
        }
        pile_free(&p);
    }
}
