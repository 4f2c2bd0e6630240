// The global form as bodies: frames and levers out of rows, what has no bodies, and solutions of
// both forms.
#include "answer.h"

#include "bodies/from_global.h"
#include "linalg/bsr.h"
#include <percuss/bodies.h>

#define ROUNDING 1e-12

// a pile in the global form
typedef struct rows_of_pile {
    pile p;
    pcs_arena arena;
    pcs_global_problem g;
    pcs_mass_matrix *M;
    double *H; // the values, which may be changed
} rows_of_pile;

static int width_of(const pile *p, int s)
{
    return p->b.A->start[s + 1] - p->b.A->start[s];
}

static rows_of_pile rows_of(pile_kind kind, int n, uint64_t seed)
{
    rows_of_pile x = {.p = pile_make(kind, n, seed)};
    const bodies_problem *b = &x.p.b;
    const int ns = b->A->nb, nb = b->nb;
    CK_OK(pcs_arena_create(NULL, (size_t)1 << 24, &x.arena));
    int *size = PCS_TAKE(&x.arena, (size_t)ns, int), *row = PCS_TAKE(&x.arena, (size_t)nb + 1, int);
    int *ptr = PCS_TAKE(&x.arena, (size_t)nb + 1, int),
        *idx = PCS_TAKE(&x.arena, 2 * (size_t)nb, int);
    size_t *off = PCS_TAKE(&x.arena, 2 * (size_t)nb, size_t), used = 0, at = 0;
    double *M = PCS_TAKE(&x.arena, 400 * (size_t)ns, double);
    double *f = PCS_TAKE(&x.arena, (size_t)b->A->start[ns], double);
    pcs_block *block = PCS_TAKE(&x.arena, (size_t)nb, pcs_block);
    x.H = PCS_TAKE(&x.arena, 200 * (size_t)nb, double);
    for (int s = 0; s < ns; ++s) {
        size[s] = width_of(&x.p, s);
        block_lu_values(b->A, s, M + at);
        at += (size_t)size[s] * (size_t)size[s];
    }
    CK_OK(pcs_mass_matrix_create_blocks(NULL, ns, size, M, &x.M));
    pcs_mass_matrix_mul(x.M, x.p.v_free, f);
    ptr[0] = row[0] = 0;
    for (int i = 0; i < nb; ++i) {
        const bodies_block *k = &b->block[i];
        block[i] = (pcs_block){.cone = k->cone, .row = k->row, .dim = k->dim, .mu = k->mu};
        row[i + 1] = k->row + k->dim;
        ptr[i + 1] = ptr[i];
        for (int s = 0; s < ns; ++s) {
            for (int e = 0; e < 2; ++e) {
                if (k->sys[e] != s) continue;
                idx[ptr[i + 1]] = s;
                off[ptr[i + 1]++] = used;
                bodies_rows(b, i, e, x.H + used);
                used += (size_t)k->dim * (size_t)size[s];
            }
        }
    }
    x.g = (pcs_global_problem){.nb = nb,
                               .block = block,
                               .H = {nb, ns, row, (int *)b->A->start, ptr, idx, off, x.H},
                               .M = x.M,
                               .f = f,
                               .w = b->shift};
    CK_OK(pcs_global_check(&x.g));
    return x;
}

static void forget(rows_of_pile *x)
{
    pcs_mass_matrix_destroy(x->M);
    pcs_arena_destroy(NULL, &x->arena);
    pile_free(&x->p);
}

static bodies_problem bodies_of(rows_of_pile *x)
{
    bodies_problem b;
    CK_OK(bodies_from_global(&x->g, &x->arena, &b));
    return b;
}

// the rows of block i are those of H
static void expect_rows(const rows_of_pile *x, const bodies_problem *b, int i)
{
    const bodies_block *k = &b->block[i];
    const pcs_bsr *H = &x->g.H;
    double J[400];
    ck_assert_int_eq(k->row, x->g.block[i].row);
    ck_assert_int_eq((k->sys[0] >= 0) + (k->sys[1] >= 0), H->ptr[i + 1] - H->ptr[i]);
    for (int e = 0; e < 2; ++e) {
        if (k->sys[e] < 0) continue;
        const int at = H->idx[H->ptr[i]] == k->sys[e] ? H->ptr[i] : H->ptr[i] + 1;
        ck_assert_int_eq(H->idx[at], k->sys[e]);
        bodies_rows(b, i, e, J);
        expect_same(J, H->val + H->off[at], k->dim * width_of(&x->p, k->sys[e]),
                    k->rows[e] ? 0 : ROUNDING);
    }
}

static bool has_frame(const bodies_block *k)
{
    return !k->rows[0] && !k->rows[1];
}

static bool is_rigid(const bodies_problem *b, const bodies_block *k)
{
    for (int e = 0; e < 2; ++e) {
        if (k->sys[e] >= 0 && b->A->kind[k->sys[e]] == BLOCK_DENSE) return false;
    }
    return k->cone == PCS_CONE_COULOMB && k->dim == 3;
}

// contacts of rigid bodies get a frame whose rows are those of H; all else keeps its rows
TEST(frames_come_back_from_rows)
{
    for (int kind = 0; kind < PILE_COUNT; ++kind) {
        for (uint64_t seed = 1; seed < 4; ++seed) {
            rows_of_pile x = rows_of((pile_kind)kind, TEST_FEW(40, 150), seed);
            const bodies_problem b = bodies_of(&x);
            for (int i = 0; i < b.nb; ++i) {
                const bool frame = is_rigid(&x.p.b, &x.p.b.block[i]) && has_frame(&x.p.b.block[i]);
                ck_assert_msg(has_frame(&b.block[i]) == frame, "pile %d, block %d", kind, i);
                expect_rows(&x, &b, i);
            }
            forget(&x);
        }
    }
}

// a contact whose rows do not come from a frame and levers keeps its rows, the others of its bodies
// get theirs
TEST(other_rows_remain)
{
    rows_of_pile x = rows_of(PILE_BOXES, 60, 2);
    const int spoiled = 7;
    const size_t first = x.g.H.off[x.g.H.ptr[spoiled]];
    for (int entry = 0; entry < 18; entry += 5) {
        const double was = x.H[first + (size_t)entry];
        x.H[first + (size_t)entry] += 1e-6;
        const bodies_problem b = bodies_of(&x);
        for (int i = 0; i < b.nb; ++i) {
            ck_assert_int_eq(has_frame(&b.block[i]), i != spoiled);
            expect_rows(&x, &b, i);
        }
        x.H[first + (size_t)entry] = was;
    }
    forget(&x);
}

// the velocities of both forms agree, and the outcome is that of the measure
TEST(bodies_and_the_condensed_problem_have_one_solution)
{
    for (int kind = 0; kind < PILE_HEAVY; ++kind) {
        rows_of_pile x = rows_of((pile_kind)kind, 60, 5);
        const size_t n = (size_t)x.p.b.n, nv = (size_t)x.p.b.A->start[x.p.b.A->nb];
        double *r = calloc(2 * n, sizeof *r), *u = calloc(2 * n, sizeof *u);
        double *v = calloc(2 * nv, sizeof *v);
        for (int k = 0; k < 2; ++k) {
            pcs_solver_opts o = pcs_solver_opts_default(k == 0 ? PCS_SOLVER_AUTO : PCS_SOLVER_NSGS);
            o.tol = 1e-12;
            o.max_iters = 100000;
            pcs_report report;
            pcs_problem p;
            pcs_arena rest = x.arena;
            CK_OK(pcs_solve_global(NULL, &x.g, &o, (pcs_watch){0}, v, r, u, &report));
            ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
            CK_OK(pcs_global_condense(&x.g, &rest, &p));
            CK_OK(pcs_solve_alloc(NULL, &p, &o, r + n, u + n, &report));
            ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
            CK_OK(pcs_global_velocity(&x.g, r + n, v + nv));
            // a contact that slides may have several solutions
            if (kind == PILE_SPHERES) expect_same(v, v + nv, (int)nv, 1e-9);
            memset(r, 0, 2 * n * sizeof *r);
        }
        free(r);
        free(u);
        free(v);
        forget(&x);
    }
}

// pcs_bodies_to_global stacks the contacts of two bodies in one block row of H
TEST(stacked_contacts_are_divided)
{
    rows_of_pile x = rows_of(PILE_BOXES, 60, 5);
    pcs_bodies_problem b;
    pcs_global_problem g;
    pcs_mass_matrix *M;
    pcs_report report;
    bodies_problem back;
    CK_OK(bodies_publish(&x.p.b, x.p.v_free, &x.arena, &b));
    CK_OK(pcs_bodies_to_global(NULL, &b, &x.arena, &M, &g));
    ck_assert_int_lt(g.H.m, g.nb);
    CK_OK(bodies_from_global(&g, &x.arena, &back));
    for (int i = 0; i < back.nb; ++i) {
        ck_assert(has_frame(&back.block[i]));
        expect_rows(&x, &back, i);
    }
    double *r = calloc(2 * (size_t)b.n, sizeof *r), *v = calloc((size_t)b.start[b.ns], sizeof *v);
    CK_OK(pcs_solve_global(NULL, &g, NULL, (pcs_watch){0}, v, r, r + b.n, &report));
    ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
    free(r);
    free(v);
    pcs_mass_matrix_destroy(M);
    forget(&x);
}

// one row between bodies of one velocity each, with the masses m; H is all ones
static void solve_row(int bodies, const double *m, double w, bool dense, pcs_report *out)
{
    int size[4], row[2] = {0, 1}, col[5], ptr[2] = {0, bodies}, idx[4];
    size_t off[4];
    double val[4], f[4] = {0}, v[4], r[1] = {0}, u[1];
    const pcs_block block = {.cone = PCS_CONE_UNILATERAL, .row = 0, .dim = 1};
    for (int b = 0; b <= bodies; ++b) {
        col[b] = b;
        if (b == bodies) break;
        size[b] = 1;
        idx[b] = b;
        off[b] = (size_t)b;
        val[b] = 1;
    }
    pcs_global_problem g = {
        .nb = 1, .block = &block, .H = {1, bodies, row, col, ptr, idx, off, val}, .f = f, .w = &w};
    pcs_mass_matrix *M;
    int p[5] = {0, 1, 2, 3, 4};
    CK_OK(dense ? pcs_mass_matrix_create_sparse(NULL, &(pcs_csc){bodies, bodies, p, p, (double *)m},
                                                &M)
                : pcs_mass_matrix_create_blocks(NULL, bodies, size, m, &M));
    g.M = M;
    double bytes[200];
    pcs_arena arena = {.base = (unsigned char *)bytes, .size = sizeof bytes};
    bodies_problem b;
    ck_assert_int_eq(bodies_from_global(&g, &arena, &b),
                     dense || bodies > 2 ? PCS_ERR_UNSUPPORTED : PCS_OK);
    CK_OK(pcs_solve_global(NULL, &g, NULL, (pcs_watch){0}, v, r, u, out));
    pcs_mass_matrix_destroy(M);
    double sum = w;
    for (int i = 0; i < bodies; ++i) {
        CK_NEAR(m[i] * v[i], r[0], 1e-14 * fmax(1, r[0]));
        sum += v[i];
    }
    CK_NEAR(u[0], sum, 1e-14 * fmax(1, fabs(sum)));
    if (out->outcome == PCS_OUTCOME_CONVERGED)
        ck_assert(r[0] >= 0 && u[0] >= -1e-14 && r[0] * u[0] <= 1e-14);
}

// rows of three bodies, and a mass that is no blocks, are condensed
TEST(what_has_no_bodies_is_condensed)
{
    const double m[4] = {1, 2, 4, 0.5};
    for (int bodies = 1; bodies <= 4; ++bodies) {
        for (int dense = 0; dense < 2; ++dense) {
            pcs_report report;
            solve_row(bodies, m, -1, dense, &report);
            ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
        }
    }
}

// with a negative mass no impulse opens a closing row, and an opening row needs none
TEST(masses_need_not_be_positive)
{
    const double m[2] = {-1, -3};
    pcs_report report;
    for (int bodies = 1; bodies <= 2; ++bodies) {
        solve_row(bodies, m, 1, false, &report);
        ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
        solve_row(bodies, m, -1, false, &report);
        ck_assert_int_ne(report.outcome, PCS_OUTCOME_CONVERGED);
    }
}

TEST(memory_that_does_not_suffice_is_recorded)
{
    rows_of_pile x = rows_of(PILE_MIXED, 40, 3);
    size_t peak = 0;
    pcs_arena small = {.peak = &peak};
    bodies_problem b;
    pcs_status status = PCS_ERR_MEMORY;
    for (int k = 0; k < 10 && status == PCS_ERR_MEMORY; ++k) {
        pcs_arena_destroy(NULL, &small);
        CK_OK(pcs_arena_create(NULL, peak, &small));
        small.peak = &peak;
        status = bodies_from_global(&x.g, &small, &b);
    }
    CK_OK(status);
    pcs_arena_destroy(NULL, &small);
    forget(&x);
}
