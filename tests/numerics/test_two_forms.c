// ipm and admm compute the same iterates with W and on the velocities of bodies, and end in the
// same ways. Sweeps and the finish are compared with their forms on W in test_bodies.c.
#include "answer.h"

#include "bodies/islands.h"
#include "problem/problem.h"

// what the watch has seen: one row per iteration
typedef struct trace {
    int n;
    pcs_progress row[200];
    int stop; // after this many rows; 0: never
} trace;

static int record(void *user, const pcs_progress *now)
{
    trace *t = user;
    if (t->n < 200) t->row[t->n] = *now;
    return ++t->n == t->stop;
}

// an island of a pile as a problem of its own
typedef struct alone {
    bodies_problem b;
    double *v_free;
    int nv;
} alone;

static alone island_alone(const pile *p, const islands *s, int i, pcs_arena *arena)
{
    alone a;
    CK_OK(islands_extract(&p->b, s, i, arena, &a.b));
    a.nv = a.b.A->start[a.b.A->nb];
    a.v_free = PCS_TAKE(arena, (size_t)a.nv, double);
    for (int k = 0; k < a.b.A->nb; ++k) {
        const int from = p->b.A->start[s->sys[s->sys_start[i] + k]];
        memcpy(a.v_free + a.b.A->start[k], p->v_free + from,
               (size_t)(a.b.A->start[k + 1] - a.b.A->start[k]) * sizeof(double));
    }
    return a;
}

// the result of one form
typedef struct result {
    double *r, *u;
    pcs_report report;
    trace trace;
} result;

static void take_vectors(int n, pcs_arena *arena, result *x)
{
    x->r = PCS_TAKE(arena, (size_t)n, double);
    x->u = PCS_TAKE(arena, (size_t)n, double);
    memset(x->r, 0, (size_t)n * sizeof(double));
    x->trace = (trace){0};
}

typedef void solver_of_form(const alone *a, const pcs_solver_opts *o, pcs_arena arena, result *x);

static void solve_bodies(const alone *a, const pcs_solver_opts *o, pcs_arena arena, result *x)
{
    double *v = PCS_TAKE(&arena, (size_t)a->nv, double);
    const pcs_watch watch = {record, &x->trace};
    bodies_report report;
    memcpy(v, a->v_free, (size_t)a->nv * sizeof *v);
    CK_OK(bodies_solve(&a->b, o, watch, INFINITY, NULL, arena, v, x->r, x->u, &report));
    x->report = report.solve;
}

static void solve_assembled(const alone *a, const pcs_solver_opts *o, pcs_arena arena, result *x)
{
    pcs_problem p;
    CK_OK(bodies_assemble(&a->b, a->v_free, &arena, &p));
    CK_OK(pcs_solve(&p, o, (pcs_watch){record, &x->trace}, arena, x->r, x->u, &x->report));
}

static void solve_both(const alone *a, const pcs_solver_opts *o, pcs_arena *arena, result x[2])
{
    static solver_of_form *const form[2] = {solve_assembled, solve_bodies};
    for (int k = 0; k < 2; ++k) {
        take_vectors(a->b.n, arena, &x[k]);
        form[k](a, o, *arena, &x[k]);
    }
}

static void expect_near(double a, double b, double part)
{
    if (!isnan(a) || !isnan(b)) CK_NEAR(a, b, part * fabs(a) + 1e-12);
}

// the traces begin with the same iterates; returns how many were compared
static int expect_same_iterates(const result x[2], int rows, double part)
{
    int k = 0;
    for (; k < rows && k < x[0].trace.n && k < x[1].trace.n; ++k) {
        const pcs_progress *a = &x[0].trace.row[k], *b = &x[1].trace.row[k];
        ck_assert_int_eq(a->iters, b->iters);
        expect_near(a->residual, b->residual, part);
        expect_near(a->penalty, b->penalty, part);
        expect_near(a->step, b->step, part);
    }
    return k;
}

// islands of a pile with fewer velocities than rows: for others the assembled form is the faster
typedef int tester(const alone *a, const pcs_solver_opts *o, pcs_arena *arena);

static int for_islands(pile_kind kind, int n, uint64_t seed, tester *test, const pcs_solver_opts *o)
{
    pile p = pile_make(kind, n, seed);
    pcs_arena arena;
    islands s;
    int count = 0;
    CK_OK(pcs_arena_create(NULL, 2 * answer_room(&p), &arena));
    CK_OK(islands_find(&p.b, &arena, &s));
    for (int i = 0; i < s.n; ++i) {
        pcs_arena scope = arena;
        const alone a = island_alone(&p, &s, i, &scope);
        if (a.nv < a.b.n) count += test(&a, o, &scope);
    }
    pcs_arena_destroy(NULL, &arena);
    pile_free(&p);
    return count;
}

// The first iterates, before rounding grows, and the outcome. Systems of ipm are solved to at worst
// 1e-10, of which residuals down to 1e-6 have this part
#define FIRST 6
#define PART  1e-4

static int expect_one_method(const alone *a, const pcs_solver_opts *o, pcs_arena *arena)
{
    result x[2];
    solve_both(a, o, arena, x);
    const int same = expect_same_iterates(x, FIRST, PART);
    ck_assert_int_eq(x[1].report.solver, o->kind);
    ck_assert_int_gt(same, 0);
    return same;
}

TEST(iterates_of_interior_points_agree)
{
    for (int kind = 0; kind < PILE_COUNT; ++kind) {
        for (int shift = PCS_IPM_SHIFT_DIFFERENTIATED; shift <= PCS_IPM_SHIFT_LAGGED; ++shift) {
            pcs_solver_opts o = options(PCS_SOLVER_IPM, 1e-9);
            o.as.ipm.shift = (pcs_ipm_shift)shift;
            const int n = TEST_FEW(40, 100);
            int same = 0;
            for (uint64_t seed = 1; seed <= TEST_FEW(1, 3); ++seed) {
                same += for_islands((pile_kind)kind, n, seed, expect_one_method, &o);
            }
            if (kind != PILE_SPHERES) ck_assert_int_ge(same, FIRST);
        }
    }
}

TEST(iterates_of_admm_agree)
{
    for (int kind = 0; kind < PILE_COUNT; ++kind) {
        for (int penalty = PCS_ADMM_PENALTY_LADDER; penalty <= PCS_ADMM_PENALTY_FIXED; ++penalty) {
            pcs_solver_opts o = options(PCS_SOLVER_ADMM, 1e-9);
            o.max_iters = 200;
            o.as.admm.penalty = (pcs_admm_penalty)penalty;
            // the acceleration makes rounding grow
            o.as.admm.depth = penalty == PCS_ADMM_PENALTY_LADDER ? 15 : 0;
            o.as.admm.check_every = penalty == PCS_ADMM_PENALTY_LADDER ? 1 : 5;
            const int n = TEST_FEW(40, 100);
            int same = 0;
            for (uint64_t seed = 1; seed <= TEST_FEW(1, 3); ++seed) {
                same += for_islands((pile_kind)kind, n, seed, expect_one_method, &o);
            }
            if (kind != PILE_SPHERES) ck_assert_int_ge(same, FIRST);
        }
    }
}

// two contacts of one body that face one another, and no velocity that opens both
static pcs_bodies_problem refuted_problem(void)
{
    static const double A[1] = {2}, v_free[1] = {0.05}, shift[2] = {-1, -1}, rows[2] = {1, -1};
    static const int start[2] = {0, 1};
    static const unsigned char kind[1] = {PCS_MASS_DENSE};
    static const size_t off[1] = {0};
    static pcs_bodies_block block[2];
    for (int i = 0; i < 2; ++i) {
        block[i] = (pcs_bodies_block){.cone = PCS_CONE_UNILATERAL,
                                      .dim = 1,
                                      .row = i,
                                      .sys = {0, -1},
                                      .rows = {rows + i, NULL}};
    }
    return (pcs_bodies_problem){.n = 2,
                                .nb = 2,
                                .block = block,
                                .shift = shift,
                                .ns = 1,
                                .start = start,
                                .kind = kind,
                                .off = off,
                                .A = A,
                                .v_free = v_free};
}

// the solvers that have a method for bodies
static const pcs_solver kind[] = {PCS_SOLVER_AUTO, PCS_SOLVER_NSGS,     PCS_SOLVER_PROX,
                                  PCS_SOLVER_IPM,  PCS_SOLVER_HOMOTOPY, PCS_SOLVER_ADMM};

// a mass of zero, of infinity, and below zero; the last is solved as far as a measure confirms it
TEST(bad_masses_and_velocities_have_a_status)
{
    static const double mass[] = {0, INFINITY, -2}, bad[] = {NAN};
    for (size_t k = 0; k < sizeof kind / sizeof *kind; ++k) {
        const pcs_solver_opts o = options(kind[k], 1e-8);
        for (int m = 0; m < 3; ++m) {
            pcs_bodies_problem b = refuted_problem();
            b.A = &mass[m];
            double v[1], r[2] = {0}, u[2];
            pcs_report report;
            const pcs_status status =
                pcs_solve_bodies(NULL, &b, &o, INFINITY, (pcs_watch){0}, v, r, u, &report);
            ck_assert_int_eq(status, m == 0 ? PCS_ERR_SINGULAR : m == 1 ? PCS_ERR_ARG : PCS_OK);
            if (m < 2) continue;
            ck_assert(isfinite(r[0]) && isfinite(r[1]) && isfinite(v[0]));
            if (report.outcome == PCS_OUTCOME_CONVERGED) {
                for (int i = 0; i < 2; ++i) {
                    ck_assert(r[i] >= 0 && u[i] >= -1e-6 && fabs(r[i] * u[i]) <= 1e-6);
                }
            }
        }
        pcs_bodies_problem b = refuted_problem();
        b.v_free = bad;
        double v[1], r[2] = {0}, u[2];
        pcs_report report;
        CK_FAILS(pcs_solve_bodies(NULL, &b, &o, INFINITY, (pcs_watch){0}, v, r, u, &report),
                 PCS_ERR_ARG);
        b = refuted_problem();
        r[1] = NAN;
        CK_FAILS(pcs_solve_bodies(NULL, &b, &o, INFINITY, (pcs_watch){0}, v, r, u, &report),
                 PCS_ERR_ARG);
    }
}

TEST(no_form_solves_what_has_no_solution)
{
    const pcs_bodies_problem b = refuted_problem();
    for (size_t k = 0; k < sizeof kind / sizeof *kind; ++k) {
        const pcs_solver_opts o = options(kind[k], 1e-8);
        double v[1], r[2] = {0}, u[2];
        pcs_report report;
        CK_OK(pcs_solve_bodies(NULL, &b, &o, INFINITY, (pcs_watch){0}, v, r, u, &report));
        ck_assert_int_ne(report.outcome, PCS_OUTCOME_CONVERGED);
        ck_assert(isfinite(r[0]) && isfinite(r[1]) && isfinite(v[0]));
        if (kind[k] == PCS_SOLVER_IPM || kind[k] == PCS_SOLVER_AUTO) {
            ck_assert_int_eq(report.outcome, PCS_OUTCOME_INFEASIBLE);
        }
    }
}

// the watch of a solve of several islands stops all of them
TEST(a_watch_stops_all_islands)
{
    pile p = pile_make(PILE_LOOSE, 60, 3);
    pcs_arena arena;
    CK_OK(pcs_arena_create(NULL, 2 * answer_room(&p), &arena));
    alone a = {.b = p.b, .v_free = p.v_free, .nv = p.b.A->start[p.b.A->nb]};
    for (size_t k = 0; k < sizeof kind / sizeof *kind; ++k) {
        const pcs_solver_opts o = options(kind[k], 1e-12);
        pcs_arena scope = arena;
        result x;
        take_vectors(a.b.n, &scope, &x);
        x.trace.stop = 3;
        solve_bodies(&a, &o, scope, &x);
        ck_assert_int_eq(x.report.outcome, PCS_OUTCOME_STOPPED);
        ck_assert_int_eq(x.trace.n, 3);
        ck_assert(pcs_all_finite(x.r, (size_t)a.b.n) && pcs_all_finite(x.u, (size_t)a.b.n));
    }
    pcs_arena_destroy(NULL, &arena);
    pile_free(&p);
}

// a budget and a clock that have run out
TEST(limits_end_every_form)
{
    pile p = pile_make(PILE_BOXES, 40, 3);
    static const pcs_solver which[] = {PCS_SOLVER_IPM, PCS_SOLVER_ADMM, PCS_SOLVER_HOMOTOPY};
    for (int trial = 0; trial < 6; ++trial) {
        const int k = trial % 2;
        pcs_solver_opts o = options(which[trial / 2], 1e-12);
        o.max_seconds = k == 0 ? 1e-9 : 0;
        answer a = answer_new(&p, NULL);
        pcs_arena arena;
        CK_OK(pcs_arena_create(NULL, answer_room(&p), &arena));
        CK_OK(bodies_solve(&p.b, &o, (pcs_watch){0}, k == 0 ? INFINITY : 100, NULL, arena, a.v, a.r,
                           a.u, &a.report));
        ck_assert_int_eq(a.report.solve.outcome,
                         k == 0 ? PCS_OUTCOME_TIME_LIMIT : PCS_OUTCOME_MAX_ITERS);
        expect_honest(&p, &a);
        pcs_arena_destroy(NULL, &arena);
        answer_free(&a);
    }
    pile_free(&p);
}
