// The global form M v = H^T r + f, u = H v + w: its check, the local form
//
//     W = H M^-1 H^T,   q = H M^-1 f + w
//
// and the measures of theory 7.7 from v, for which only the diagonal blocks of W are formed.
#include "problem/global.h"

#include <float.h>
#include <string.h>

#include "linalg/bsr.h"
#include "linalg/mass.h"
#include "problem/measure.h"
#include "problem/problem.h"

// ---- check -------------------------------------------------------------------------------------

// the data for computing v from r
static pcs_status check_system(const pcs_global_problem *g)
{
    if (!g || !g->M) return pcs_fail(PCS_ERR_ARG, "global problem: it or its mass is null");
    PCS_TRY(pcs_bsr_check(&g->H));
    const int nv = pcs_mass_matrix_size(g->M);
    if (bsr_cols(&g->H) != nv) {
        return pcs_fail(PCS_ERR_SIZE, "global problem: H has %d columns, the mass %d rows",
                        bsr_cols(&g->H), nv);
    }
    const block_lu *F = mass_blocks(g->M);
    if (F && (g->H.n != F->nb ||
              memcmp(g->H.col, F->start, ((size_t)F->nb + 1) * sizeof *F->start) != 0)) {
        return pcs_fail(PCS_ERR_SIZE, "global problem: the block columns of H are not the blocks"
                                      " of the mass");
    }
    if (nv > 0 && !g->f) return pcs_fail(PCS_ERR_ARG, "global problem: f is null");
    for (int i = 0; i < nv; ++i) {
        if (!isfinite(g->f[i])) {
            return pcs_fail(PCS_ERR_ARG, "global problem: f[%d] is %g; it must be finite", i,
                            g->f[i]);
        }
    }
    for (int i = 0; g->w && i < bsr_rows(&g->H); ++i) {
        if (!isfinite(g->w[i])) {
            return pcs_fail(PCS_ERR_ARG, "global problem: w[%d] is %g; it must be finite", i,
                            g->w[i]);
        }
    }
    return PCS_OK;
}

pcs_status pcs_global_check(const pcs_global_problem *g)
{
    PCS_TRY(check_system(g));
    const pcs_problem p = {.n = bsr_rows(&g->H), .nb = g->nb, .block = g->block};
    PCS_TRY(problem_check_blocks(&p));
    return problem_check_rows(&p, g->H.row, "H");
}

// ---- far targets -------------------------------------------------------------------------------

// the rows of |H||v|
static void add_rows(const pcs_bsr *H, const double *v, far_sums *s)
{
    for (int i = 0; i < H->m; ++i) {
        const int h = H->row[i + 1] - H->row[i];
        for (int l = 0; l < h; ++l) {
            double sum = 0;
            for (int k = H->ptr[i]; k < H->ptr[i + 1]; ++k) {
                const double *x = H->val + H->off[k] + l;
                for (int c = H->col[H->idx[k]]; c < H->col[H->idx[k] + 1]; ++c, x += h) {
                    sum += fabs(*x * v[c]);
                }
            }
            squares_add(&s->rows, 1, &sum);
            s->velocity = fmax(s->velocity, sum);
        }
    }
}

// Where the free velocities are all zero, w is q, as in the global form of a local problem: it says
// nothing about what is far
static void find_far(const pcs_global_problem *g, const double *v_free, pcs_problem *out)
{
    far_sums s = {0};
    add_rows(&g->H, v_free, &s);
    if (s.velocity > 0) problem_find_far(out, g->w, &s);
}

// ---- to the local form and back ----------------------------------------------------------------

pcs_status pcs_global_condense(const pcs_global_problem *g, pcs_arena *arena, pcs_problem *out)
{
    if (!arena || !out) return pcs_fail(PCS_ERR_ARG, "pcs_global_condense: an argument is null");
    PCS_TRY(pcs_global_check(g));

    const int n = bsr_rows(&g->H), nv = bsr_cols(&g->H);
    *out = (pcs_problem){.n = n, .nb = g->nb, .block = g->block};
    double *q = PCS_TAKE(arena, (size_t)n, double);

    // the demand of all parts is recorded even when the first does not fit
    const pcs_status condensed = pcs_delassus(&g->H, g->M, arena, &out->W);
    pcs_arena scratch = *arena;
    double *v = PCS_TAKE(&scratch, (size_t)nv, double);
    PCS_TRY(condensed);
    if (!q || !v) return pcs_fail_memory("pcs_global_condense");

    if (nv > 0) PCS_TRY(pcs_mass_matrix_solve(g->M, g->f, v));
    pcs_bsr_mul(&g->H, v, q);
    for (int i = 0; g->w && i < n; ++i) {
        q[i] += g->w[i];
    }
    out->q = q;
    find_far(g, v, out);
    return pcs_problem_check(out);
}

pcs_status pcs_global_velocity(const pcs_global_problem *g, const double *r, double *v)
{
    PCS_TRY(check_system(g));
    const int nv = pcs_mass_matrix_size(g->M);
    if ((!r && bsr_rows(&g->H) > 0) || (!v && nv > 0)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_global_velocity: an argument is null");
    }
    if (nv == 0) return PCS_OK;
    memcpy(v, g->f, (size_t)nv * sizeof *v);
    pcs_bsr_addmul_t(&g->H, r, v);
    return pcs_mass_matrix_solve(g->M, v, v);
}

// ---- the diagonal of W -------------------------------------------------------------------------

// x (whole) = row `local` of block row i of H, as a column
static void put_row(const pcs_bsr *H, int i, int local, double *x)
{
    const int h = H->row[i + 1] - H->row[i];
    for (int k = H->ptr[i]; k < H->ptr[i + 1]; ++k) {
        const int j = H->idx[k], w = H->col[j + 1] - H->col[j];
        for (int c = 0; c < w; ++c) {
            x[H->col[j] + c] = H->val[H->off[k] + (size_t)local + (size_t)h * (size_t)c];
        }
    }
}

// W_bb of rows first .. first + dim - 1 of block row i of H, one column at a time: x = M^-1 H^T e,
// with M^-1 applied to the blocks that the row touches, or as a whole
static pcs_status diagonal_block(const pcs_global_problem *g, int i, int first, int dim, double *x,
                                 double *D)
{
    const pcs_bsr *H = &g->H;
    const block_lu *F = mass_blocks(g->M);
    for (int c = 0; c < dim; ++c) {
        if (F) {
            put_row(H, i, first + c, x);
            for (int k = H->ptr[i]; k < H->ptr[i + 1]; ++k) {
                block_lu_solve(F, H->idx[k], x + H->col[H->idx[k]]);
            }
        } else {
            memset(x, 0, (size_t)bsr_cols(H) * sizeof *x);
            put_row(H, i, first + c, x);
            PCS_TRY(pcs_mass_matrix_solve(g->M, x, x));
        }
        for (int a = 0; a < dim; ++a) {
            D[a + (size_t)dim * (size_t)c] = bsr_row_dot(H, i, first + a, x);
        }
    }
    return PCS_OK;
}

static bool take_diagonal(pcs_problem *p, pcs_arena *arena)
{
    const size_t nb = (size_t)p->nb;
    pcs_bsr *W = &p->W;
    *W = (pcs_bsr){.m = p->nb, .n = p->nb};
    W->row = W->col = PCS_TAKE(arena, nb + 1, int);
    W->ptr = PCS_TAKE(arena, nb + 1, int);
    W->idx = PCS_TAKE(arena, nb, int);
    W->off = PCS_TAKE(arena, nb, size_t);
    size_t values = 0;
    for (int b = 0; b < p->nb; ++b) {
        values += (size_t)p->block[b].dim * (size_t)p->block[b].dim;
    }
    W->val = PCS_TAKE(arena, values, double);
    if (!W->row || !W->ptr || !W->idx || !W->off || !W->val) return false;

    size_t at = 0;
    W->row[0] = W->ptr[0] = 0;
    for (int b = 0; b < p->nb; ++b) {
        const int d = p->block[b].dim;
        W->row[b + 1] = W->row[b] + d;
        W->ptr[b + 1] = b + 1;
        W->idx[b] = b;
        W->off[b] = at;
        at += (size_t)d * (size_t)d;
    }
    return true;
}

pcs_status global_terms_take(const pcs_global_problem *g, const double *v_free, pcs_arena *arena,
                             global_terms *out)
{
    const int n = bsr_rows(&g->H), nv = bsr_cols(&g->H);
    *out = (global_terms){.g = g, .n = n, .nv = nv};
    out->local = (pcs_problem){.n = n, .nb = g->nb, .block = g->block};
    double *q = PCS_TAKE(arena, (size_t)n, double);
    out->v_free = PCS_TAKE(arena, (size_t)nv, double);
    out->load = PCS_TAKE(arena, (size_t)nv, double);
    const bool taken = take_diagonal(&out->local, arena);
    pcs_arena scratch = *arena;
    double *x = PCS_TAKE(&scratch, (size_t)nv, double);
    if (!q || !out->v_free || !out->load || !taken || !x) return pcs_fail_memory("global problem");

    if (nv > 0 && v_free) memcpy(out->v_free, v_free, (size_t)nv * sizeof *v_free);
    if (nv > 0 && !v_free) PCS_TRY(pcs_mass_matrix_solve(g->M, g->f, out->v_free));
    pcs_bsr_mul(&g->H, out->v_free, q);
    for (int i = 0; g->w && i < n; ++i) {
        q[i] += g->w[i];
    }
    out->local.q = q;

    for (int b = 0, i = 0; b < g->nb; ++b) {
        const pcs_block *k = &g->block[b];
        while (g->H.row[i + 1] <= k->row) {
            ++i;
        }
        double *D = global_terms_diagonal(out, b);
        PCS_TRY(diagonal_block(g, i, k->row - g->H.row[i], k->dim, x, D));
        for (int c = 0; c < k->dim; ++c) {
            out->norm_w += fabs(D[(size_t)c * ((size_t)k->dim + 1)]);
        }
    }
    find_far(g, out->v_free, &out->local);
    // overflow
    return pcs_problem_check(&out->local);
}

// ---- measures ----------------------------------------------------------------------------------

// y += |A|^T |x|
static void add_sizes_t(const pcs_bsr *A, const double *x, double *y)
{
    for (int i = 0; i < A->m; ++i) {
        const int h = A->row[i + 1] - A->row[i];
        for (int k = A->ptr[i]; k < A->ptr[i + 1]; ++k) {
            const double *a = A->val + A->off[k];
            for (int c = A->col[A->idx[k]]; c < A->col[A->idx[k] + 1]; ++c, a += h) {
                for (int l = 0; l < h; ++l) {
                    y[c] += fabs(a[l] * x[A->row[i] + l]);
                }
            }
        }
    }
}

// an estimate of | |W||r| | without W: | |H| |M^-1 |H|^T |r|| |
static pcs_status find_load(const global_terms *t, const double *r, double *load)
{
    *load = 0;
    if (t->nv == 0) return PCS_OK;
    memset(t->load, 0, (size_t)t->nv * sizeof *t->load);
    add_sizes_t(&t->g->H, r, t->load);
    PCS_TRY(pcs_mass_matrix_solve(t->g->M, t->load, t->load));
    *load = problem_load(&t->g->H, t->load);
    return PCS_OK;
}

static pcs_status measure(const global_terms *t, double norm_w, const double *r, double *v,
                          double *u, pcs_measure *out)
{
    *out = (pcs_measure){0};
    const pcs_global_problem *g = t->g;
    if (t->nv > 0) {
        memset(v, 0, (size_t)t->nv * sizeof *v);
        pcs_bsr_addmul_t(&g->H, r, v);
        PCS_TRY(pcs_mass_matrix_solve(g->M, v, v));
    }
    pcs_bsr_mul(&g->H, v, u);
    for (int i = 0; i < t->nv; ++i) {
        v[i] += t->v_free[i];
    }
    if (t->n == 0) return PCS_OK;
    measure_sums m = problem_sums(&t->local, r, u);
    if (measure_is_coarse(&m, norm_w, out)) return PCS_OK;
    double load;
    PCS_TRY(find_load(t, r, &load));
    problem_measure_from(&t->local, load, r, &m, out);
    return PCS_OK;
}

pcs_status global_terms_measure(const global_terms *t, const double *r, double *v, double *u,
                                pcs_measure *out)
{
    return measure(t, INFINITY, r, v, u, out);
}

pcs_status global_terms_measure_near(const global_terms *t, const double *r, double *v, double *u,
                                     pcs_measure *out)
{
    return measure(t, t->norm_w, r, v, u, out);
}

static pcs_status check_vectors(const pcs_global_problem *g, const char *who, const double *r,
                                const double *v, const double *u, const void *out)
{
    const int n = bsr_rows(&g->H), nv = bsr_cols(&g->H);
    if (!out || (n > 0 && (!r || !u)) || (nv > 0 && !v)) {
        return pcs_fail(PCS_ERR_ARG, "%s: an argument is null", who);
    }
    return PCS_OK;
}

pcs_status pcs_global_measure(const pcs_global_problem *g, pcs_arena work, const double *r,
                              double *v, double *u, pcs_measure *out)
{
    PCS_TRY(pcs_global_check(g));
    PCS_TRY(check_vectors(g, "pcs_global_measure", r, v, u, out));
    global_terms t;
    PCS_TRY(global_terms_take(g, NULL, &work, &t));
    return global_terms_measure(&t, r, v, u, out);
}

// a / b, undivided when b is nearly zero
static double relative(double a, double b)
{
    return b <= DBL_EPSILON ? a : a / b;
}

static double larger(double a, double b)
{
    return a > b || isnan(a) ? a : b;
}

pcs_status pcs_global_published_error(const pcs_global_problem *g, pcs_arena work, const double *r,
                                      const double *v, double *u, double *error)
{
    PCS_TRY(pcs_global_check(g));
    PCS_TRY(check_vectors(g, "pcs_global_published_error", r, v, u, error));
    const int n = bsr_rows(&g->H), nv = bsr_cols(&g->H);
    double *Mv = PCS_TAKE(&work, (size_t)nv, double);
    double *Hr = PCS_TAKE(&work, (size_t)nv, double);
    double *x = PCS_TAKE(&work, (size_t)nv, double);
    if (!Mv || !Hr || !x) return pcs_fail_memory("pcs_global_published_error");

    // the equation of motion
    for (int i = 0; i < nv; ++i) {
        Hr[i] = 0;
    }
    pcs_mass_matrix_mul(g->M, v, Mv);
    pcs_bsr_addmul_t(&g->H, r, Hr);
    for (int i = 0; i < nv; ++i) {
        x[i] = g->f[i] + Hr[i] - Mv[i];
    }
    const double size =
        larger(problem_norm(nv, g->f), larger(problem_norm(nv, Mv), problem_norm(nv, Hr)));
    const double motion = relative(problem_norm(nv, x), size);

    // the law, with u of this v
    pcs_bsr_mul(&g->H, v, u);
    for (int i = 0; g->w && i < n; ++i) {
        u[i] += g->w[i];
    }
    const pcs_problem p = {.n = n, .nb = g->nb, .block = g->block};
    *error = motion + relative(problem_natural_map(&p, r, u),
                               larger(problem_norm(n, u), problem_norm(n, r)));
    return PCS_OK;
}
