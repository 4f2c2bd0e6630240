// The public form of the problem of bodies: its local and its global form are the same problem, a
// solve has the bits of that of the private form, and bad input is refused with a sentence.
#include "answer.h"

#include <percuss/bodies.h>

typedef struct shown {
    pile p;
    pcs_bodies_problem b;
    pcs_arena arena;
    double *v, *r, *u;
} shown;

static shown show(pile_kind kind, int n)
{
    shown s = {.p = pile_make(kind, n, 3)};
    CK_OK(pcs_arena_create(NULL, (size_t)1 << 24, &s.arena));
    CK_OK(bodies_publish(&s.p.b, s.p.v_free, &s.arena, &s.b));
    const size_t nv = (size_t)s.b.start[s.b.ns], rows = (size_t)s.b.n;
    s.v = calloc(nv + 1, sizeof *s.v);
    s.r = calloc(rows + 1, sizeof *s.r);
    s.u = calloc(rows + 1, sizeof *s.u);
    return s;
}

static void forget(shown *s)
{
    free(s->v);
    free(s->r);
    free(s->u);
    pcs_arena_destroy(NULL, &s->arena);
    pile_free(&s->p);
}

static pcs_status solve(shown *s, const pcs_solver_opts *o, pcs_report *out)
{
    return pcs_solve_bodies(NULL, &s->b, o, INFINITY, (pcs_watch){0}, s->v, s->r, s->u, out);
}

TEST(a_solve_has_the_bits_of_the_private_form)
{
    for (int kind = 0; kind < PILE_COUNT; ++kind) {
        shown s = show((pile_kind)kind, TEST_FEW(30, 100));
        const pcs_solver_opts o = options(PCS_SOLVER_AUTO, 1e-9);
        pcs_report report;
        CK_OK(solve(&s, &o, &report));
        answer a = answer_from(&s.p, &o, NULL, NULL);
        ck_assert(memcmp(s.r, a.r, (size_t)s.b.n * sizeof *s.r) == 0);
        ck_assert(memcmp(s.u, a.u, (size_t)s.b.n * sizeof *s.u) == 0);
        ck_assert(memcmp(s.v, a.v, (size_t)s.b.start[s.b.ns] * sizeof *s.v) == 0);
        ck_assert_int_eq(report.outcome, a.report.solve.outcome);
        answer_free(&a);
        forget(&s);
    }
}

TEST(the_three_forms_are_one_problem)
{
    for (int kind = 0; kind < PILE_COUNT; ++kind) {
        shown s = show((pile_kind)kind, 40);
        pcs_report report;
        CK_OK(solve(&s, NULL, &report));

        // the measure of the solution in the local and in the global form
        pcs_problem local;
        pcs_global_problem global;
        pcs_mass_matrix *M;
        pcs_measure m, g;
        CK_OK(pcs_bodies_condense(&s.b, &s.arena, &local));
        CK_OK(pcs_problem_check(&local));
        CK_OK(pcs_bodies_to_global(NULL, &s.b, &s.arena, &M, &global));
        CK_OK(pcs_global_check(&global));
        double *u = calloc((size_t)s.b.n, sizeof *u);
        double *v = calloc((size_t)s.b.start[s.b.ns], sizeof *v);
        pcs_problem_measure(&local, s.r, u, &m);
        const double most = m.norm_u + m.norm_q + m.norm_wr;
        expect_same(s.u, u, s.b.n, 1e-10 * most);
        CK_OK(pcs_global_measure(&global, s.arena, s.r, v, u, &g));
        expect_same(s.u, u, s.b.n, 1e-10 * most);
        expect_same(s.v, v, s.b.start[s.b.ns], 1e-10 * most);
        CK_NEAR(m.norm_q, g.norm_q, 1e-10 * most);
        CK_NEAR(m.residual, report.measure.residual, 1e-9);
        CK_NEAR(g.residual, report.measure.residual, 1e-9);
        pcs_mass_matrix_destroy(M);
        free(u);
        free(v);
        forget(&s);
    }
}

// the largest |x|
static double largest(int n, const double *x)
{
    double most = 0;
    for (int i = 0; i < n; ++i) {
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

// A belt below a pile, from 1 to 9e4 m/s: what solves to 1e-8 has the velocities of what solves to
// 1e-10, in units of the velocities, and the residual is the same in all forms
TEST(a_fast_belt_hides_no_error)
{
    for (int kind = 0; kind < PILE_COUNT; ++kind) {
        for (int speed = 1; speed < 100000; speed *= 300) {
            shown s = show((pile_kind)kind, TEST_FEW(20, 40));
            double *shift = (double *)s.b.shift;
            for (int i = 0; i < s.b.nb; ++i) {
                const pcs_bodies_block *k = &s.b.block[i];
                const bool lowest = k->sys[0] < 0 || k->sys[1] < 0;
                if (lowest && k->cone == PCS_CONE_COULOMB) shift[k->row + 1] += speed;
            }
            const int nv = s.b.start[s.b.ns];
            const size_t rows = (size_t)s.b.n;
            double *v = calloc((size_t)nv, sizeof *v), *r = calloc(rows, sizeof *r),
                   *u = calloc(rows, sizeof *u);
            pcs_report report, finer;
            pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_AUTO);
            o.tol = 1e-8;
            CK_OK(solve(&s, &o, &report));
            ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
            o.tol = 1e-10;
            CK_OK(pcs_solve_bodies(NULL, &s.b, &o, INFINITY, (pcs_watch){0}, v, r, u, &finer));
            ck_assert_int_eq(finer.outcome, PCS_OUTCOME_CONVERGED);
            const double size = fmax(largest(nv, v), largest(nv, s.b.v_free));
            expect_same(s.v, v, nv, 1e-4 * size);

            pcs_problem local;
            pcs_global_problem global;
            pcs_mass_matrix *M;
            pcs_measure m, g;
            CK_OK(pcs_bodies_condense(&s.b, &s.arena, &local));
            CK_OK(pcs_bodies_to_global(NULL, &s.b, &s.arena, &M, &global));
            pcs_problem_measure(&local, s.r, u, &m);
            CK_OK(pcs_global_measure(&global, s.arena, s.r, v, u, &g));
            CK_NEAR(m.q_unit, g.q_unit, 1e-12 * m.q_unit);
            CK_NEAR(m.norm_q, g.norm_q, 1e-12 * m.norm_q);
            ck_assert_double_le(m.q_unit, 10 * size * sqrt((double)s.b.n));
            CK_NEAR(m.residual, report.measure.residual, 1e-9);
            pcs_mass_matrix_destroy(M);
            free(v);
            free(r);
            free(u);
            forget(&s);
        }
    }
}

TEST(a_copy_borrows_nothing)
{
    for (int kind = 0; kind < PILE_COUNT; ++kind) {
        shown s = show((pile_kind)kind, 40);
        pcs_report report;
        pcs_bodies_problem copy;
        size_t demand = 0;
        pcs_arena arena = {.peak = &demand};
        CK_FAILS(pcs_bodies_copy(&s.b, &arena, &copy), PCS_ERR_MEMORY);
        CK_OK(pcs_arena_create(NULL, demand, &arena));
        CK_OK(pcs_bodies_copy(&s.b, &arena, &copy));
        CK_OK(solve(&s, NULL, &report));
        const size_t n = (size_t)s.b.n, nv = (size_t)s.b.start[s.b.ns];
        double *r = calloc(2 * n + nv, sizeof *r), *u = r + n, *v = u + n;
        double *was = malloc(n * sizeof *was);
        memcpy(was, s.r, n * sizeof *was);
        forget(&s);
        CK_OK(pcs_solve_bodies(NULL, &copy, NULL, INFINITY, (pcs_watch){0}, v, r, u, &report));
        ck_assert(memcmp(r, was, n * sizeof *r) == 0);
        free(r);
        free(was);
        pcs_arena_destroy(NULL, &arena);
    }
}

TEST(memory_may_run_out)
{
    shown s = show(PILE_MIXED, 30);
    pcs_report report;
    bool failed = true;
    for (long k = 0; failed; ++k) {
        test_memory memory = {.fail_at = k};
        const pcs_env env = test_env(&memory);
        memset(s.r, 0, (size_t)s.b.n * sizeof *s.r);
        failed = out_of_memory(&memory, pcs_solve_bodies(&env, &s.b, NULL, INFINITY, (pcs_watch){0},
                                                         s.v, s.r, s.u, &report));
    }
    forget(&s);
}

// the problem with one thing changed
#define REFUSED(status, words, ...)                           \
    do {                                                      \
        pcs_bodies_problem b = s.b;                           \
        pcs_bodies_block block[64];                           \
        ck_assert_int_le(b.nb, 64);                           \
        memcpy(block, b.block, (size_t)b.nb * sizeof *block); \
        b.block = block;                                      \
        __VA_ARGS__;                                          \
        CK_SAYS(pcs_bodies_check(&b), status, words);         \
    } while (0)

TEST(bad_problems_are_refused)
{
    shown s = show(PILE_SPHERES, 20);
    double A[1000], R[1000], shift[200];
    const size_t numbers = s.b.off[s.b.ns - 1] + 36;
    ck_assert(numbers <= 1000 && s.b.ns <= 100 && s.b.n <= 200);
    memset(A, 0, sizeof A);
    memcpy(A, s.b.A, (s.b.off[s.b.ns - 1] + 6) * sizeof *A);
    memcpy(R, s.b.R, 9 * (size_t)s.b.ns * sizeof *R);
    memcpy(shift, s.b.shift, (size_t)s.b.n * sizeof *shift);
    REFUSED(PCS_ERR_ARG, "null", b.A = NULL);
    REFUSED(PCS_ERR_ARG, "mass that is not positive", b.A = A; A[b.off[1]] = 0);
    REFUSED(PCS_ERR_ARG, "system 1 is not finite", A[b.off[1]] = NAN; b.A = A);
    REFUSED(PCS_ERR_ARG, "rotation of system", memset(R, 0, sizeof R); b.R = R);
    REFUSED(PCS_ERR_ARG, "not finite", shift[3] = INFINITY; b.shift = shift);
    REFUSED(PCS_ERR_SIZE, "has the system 100000", block[2].sys[0] = 100000);
    REFUSED(PCS_ERR_SIZE, "row", block[2].row += 1);
    REFUSED(PCS_ERR_SIZE, "rows", b.nb -= 1);
    REFUSED(PCS_ERR_ARG, "frame of block 2", block[2].F[0] += 1);
    REFUSED(PCS_ERR_ARG, "lever of block 2", block[2].along[block[2].sys[0] < 0] = NAN);
    REFUSED(PCS_ERR_ARG, "mu of block 2", block[2].mu = -1; block[2].cone = PCS_CONE_COULOMB);

    // a dense block is judged when it is factorised
    pcs_bodies_problem b = s.b;
    unsigned char kind[100];
    size_t off[100];
    pcs_report report;
    memset(A, 0, sizeof A);
    memcpy(kind, b.kind, (size_t)b.ns);
    memcpy(off, b.off, (size_t)b.ns * sizeof *off);
    memcpy(A, b.A, (b.off[b.ns - 1] + 6) * sizeof *A);
    kind[0] = PCS_MASS_DENSE;
    off[0] = numbers;
    b.kind = kind;
    b.off = off;
    b.A = A;
    CK_SAYS(pcs_solve_bodies(NULL, &b, NULL, INFINITY, (pcs_watch){0}, s.v, s.r, s.u, &report),
            PCS_ERR_SINGULAR, "system 0 is singular");
    CK_SAYS(pcs_solve_bodies(NULL, &s.b, NULL, -1, (pcs_watch){0}, s.v, s.r, s.u, &report),
            PCS_ERR_ARG, "budget");
    forget(&s);
}
