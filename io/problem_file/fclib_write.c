// FCLIB's layout in HDF5, so that libfclib reads it: compressed rows of W, and the columns of M and
// of H_file = H' (the rows of H). Equalities come after the contacts, as V, R, s or G, b.
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "problem_file/assemble.h"
#include "problem_file/hdf5.h"
#include "problem_file/write.h"

typedef struct writer {
    h5_file h5;
    const written *w;
    const char *root;
    pcs_pool *scratch;
    int dim, nc;
    int rows, equalities; // rows of contacts; then of equalities
    char path[200];
} writer;

static const char *part(writer *x, const char *group, const char *what)
{
    snprintf(x->path, sizeof x->path, "%s/%s/%s", x->root, group, what);
    return x->path;
}

// contacts of one dimension, then equalities
static pcs_status count(writer *x)
{
    const written *w = x->w;
    for (int i = 0; i < w->nb; ++i) {
        const pcs_block *b = &w->block[i];
        if (b->cone == PCS_CONE_EQUALITY) {
            x->equalities += b->dim;
            continue;
        }
        if (b->cone != PCS_CONE_COULOMB || x->equalities > 0 || (x->dim > 0 && b->dim != x->dim)) {
            return fail_named(w->name, PCS_ERR_UNSUPPORTED,
                              "an FCLIB file holds contacts of one dimension, then equalities; "
                              "block %d does not fit; write a .pcs file",
                              i);
        }
        x->dim = b->dim;
        x->nc += 1;
        x->rows += b->dim;
    }
    if (x->dim == 0) x->dim = 3;
    return PCS_OK;
}

// ---- matrices ----------------------------------------------------------------------------------

// the entries of A in the window (row, col) of size m x n
static pcs_status window(const entries *A, int row, int col, int m, int n, pcs_pool *scratch,
                         entries *out)
{
    PCS_TRY(entries_take(m, n, A->n, scratch, out));
    out->n = 0;
    for (int k = 0; k < A->n; ++k) {
        const int i = A->i[k] - row, j = A->j[k] - col;
        if (i < 0 || i >= m || j < 0 || j >= n) continue;
        out->i[out->n] = i;
        out->j[out->n] = j;
        out->x[out->n++] = A->x[k];
    }
    return PCS_OK;
}

// nz = -2: compressed rows, -1: compressed columns
static pcs_status put_matrix(writer *x, const char *name, const entries *A, int nz)
{
    const entries lines = nz == -2 ? *A : entries_transposed(A);
    partition row, col;
    block_order order;
    pcs_bsr C;
    PCS_TRY(partition_single(lines.rows, x->scratch, &row));
    PCS_TRY(partition_single(lines.cols, x->scratch, &col));
    PCS_TRY(entries_order(&lines, row, col, x->scratch, &order));
    PCS_TRY(entries_to_bsr(&lines, &order, x->w->name, x->scratch, &C));

    const int nnz = C.ptr[C.m];
    char group[100];
    snprintf(group, sizeof group, "%s/%s", x->root, name);
    PCS_TRY(h5_put_group(&x->h5, group));
    PCS_TRY(h5_put_ints(&x->h5, part(x, name, "nzmax"), 1, &nnz));
    PCS_TRY(h5_put_ints(&x->h5, part(x, name, "m"), 1, &A->rows));
    PCS_TRY(h5_put_ints(&x->h5, part(x, name, "n"), 1, &A->cols));
    PCS_TRY(h5_put_ints(&x->h5, part(x, name, "nz"), 1, &nz));
    PCS_TRY(h5_put_ints(&x->h5, part(x, name, "p"), (size_t)C.m + 1, C.ptr));
    PCS_TRY(h5_put_ints(&x->h5, part(x, name, "i"), (size_t)nnz, C.idx));
    return h5_put_reals(&x->h5, part(x, name, "x"), (size_t)nnz, C.val);
}

// ---- problems ----------------------------------------------------------------------------------

static pcs_status put_vectors(writer *x, const char *contacts, const char *equalities,
                              const double *values)
{
    const size_t rows = (size_t)x->rows, after = (size_t)x->equalities;
    PCS_TRY(h5_put_reals(&x->h5, part(x, "vectors", contacts), rows, values));
    if (after > 0) {
        PCS_TRY(h5_put_reals(&x->h5, part(x, "vectors", equalities), after, values + rows));
    }
    double *mu = POOL_TAKE(x->scratch, (size_t)x->nc, double);
    if (!mu) return pcs_fail_memory("FCLIB file");
    for (int i = 0; i < x->nc; ++i) {
        mu[i] = x->w->block[i].mu;
    }
    return h5_put_reals(&x->h5, part(x, "vectors", "mu"), (size_t)x->nc, mu);
}

// The coupling of contacts and equalities is stored once: true when V is T', except zeros.
static pcs_status same_transposed(writer *x, const entries *V, const entries *T, bool *same)
{
    const entries transposed = entries_transposed(T), *const side[2] = {V, &transposed};
    partition row, col;
    pcs_bsr C[2];
    PCS_TRY(partition_single(V->rows, x->scratch, &row));
    PCS_TRY(partition_single(V->cols, x->scratch, &col));
    for (int k = 0; k < 2; ++k) {
        block_order order;
        entries packed;
        PCS_TRY(entries_order(side[k], row, col, x->scratch, &order));
        PCS_TRY(entries_to_bsr(side[k], &order, x->w->name, x->scratch, &C[k]));
        PCS_TRY(bsr_to_entries(&C[k], false, x->scratch, &packed));
        PCS_TRY(entries_order(&packed, row, col, x->scratch, &order));
        PCS_TRY(entries_to_bsr(&packed, &order, x->w->name, x->scratch, &C[k]));
    }
    const size_t n = (size_t)C[0].ptr[C[0].m];
    *same = memcmp(C[0].ptr, C[1].ptr, ((size_t)C[0].m + 1) * sizeof(int)) == 0 &&
            memcmp(C[0].idx, C[1].idx, n * sizeof(int)) == 0;
    for (size_t k = 0; *same && k < n; ++k) {
        *same = C[0].val[k] == C[1].val[k];
    }
    return PCS_OK;
}

static pcs_status put_local(writer *x)
{
    const pcs_problem *p = x->w->content->problem;
    entries all, W, V, T, R;
    PCS_TRY(bsr_to_entries(&p->W, true, x->scratch, &all));
    const int n = x->rows, m = x->equalities;
    PCS_TRY(window(&all, 0, 0, n, n, x->scratch, &W));
    PCS_TRY(put_matrix(x, "W", &W, -2));
    if (m > 0) {
        PCS_TRY(window(&all, 0, n, n, m, x->scratch, &V));
        PCS_TRY(window(&all, n, 0, m, n, x->scratch, &T));
        PCS_TRY(window(&all, n, n, m, m, x->scratch, &R));
        bool same;
        PCS_TRY(same_transposed(x, &V, &T, &same));
        if (!same) {
            return fail_named(x->w->name, PCS_ERR_UNSUPPORTED,
                              "W couples contacts and equalities unsymmetrically, which an FCLIB "
                              "file cannot hold; write a .pcs file");
        }
        PCS_TRY(put_matrix(x, "V", &V, -2));
        PCS_TRY(put_matrix(x, "R", &R, -2));
    }
    return put_vectors(x, "q", "s", p->q);
}

static pcs_status put_global(writer *x)
{
    const pcs_global_problem *g = x->w->content->global;
    const int nv = x->w->velocities;
    entries all, part_of_H;
    if (entries_one_sided(&x->w->M_entries)) {
        return fail_named(x->w->name, PCS_ERR_UNSUPPORTED,
                          "M has entries on one side of its diagonal only; readers of FCLIB files "
                          "treat it as half of a symmetric matrix; write a .pcs file");
    }
    PCS_TRY(put_matrix(x, "M", &x->w->M_entries, -1));
    PCS_TRY(bsr_to_entries(&g->H, true, x->scratch, &all));
    all = entries_transposed(&all);
    PCS_TRY(window(&all, 0, 0, nv, x->rows, x->scratch, &part_of_H));
    PCS_TRY(put_matrix(x, "H", &part_of_H, -1));
    if (x->equalities > 0) {
        PCS_TRY(window(&all, 0, x->rows, nv, x->equalities, x->scratch, &part_of_H));
        PCS_TRY(put_matrix(x, "G", &part_of_H, -1));
    }
    PCS_TRY(h5_put_reals(&x->h5, part(x, "vectors", "f"), (size_t)nv, g->f));

    double *zero = POOL_TAKE(x->scratch, (size_t)x->w->rows, double);
    if (!zero) return pcs_fail_memory("FCLIB file");
    return put_vectors(x, "w", "b", g->w ? g->w : zero);
}

static pcs_status put_about(writer *x)
{
    const pcs_file_content *c = x->w->content;
    char group[100];
    snprintf(group, sizeof group, "%s/info", x->root);
    PCS_TRY(h5_put_group(&x->h5, group));
    PCS_TRY(h5_put_words(&x->h5, part(x, "info", "title"), c->title ? c->title : ""));
    PCS_TRY(
        h5_put_words(&x->h5, part(x, "info", "description"), c->description ? c->description : ""));
    return h5_put_words(&x->h5, part(x, "info", "math_info"), c->math_info ? c->math_info : "");
}

static pcs_status put_solution(writer *x)
{
    const pcs_file_content *c = x->w->content;
    const size_t rows = (size_t)x->rows, after = (size_t)x->equalities;
    if (!c->r && !c->u && !c->v) return PCS_OK;
    PCS_TRY(h5_put_group(&x->h5, "/solution"));
    if (c->v) PCS_TRY(h5_put_reals(&x->h5, "/solution/v", (size_t)x->w->velocities, c->v));
    if (c->u) PCS_TRY(h5_put_reals(&x->h5, "/solution/u", rows, c->u));
    if (c->r) PCS_TRY(h5_put_reals(&x->h5, "/solution/r", rows, c->r));
    if (!c->r || after == 0) return PCS_OK;
    return h5_put_reals(&x->h5, "/solution/l", after, c->r + rows);
}

static pcs_status put_guess(writer *x)
{
    const double *start = x->w->content->start;
    const size_t rows = (size_t)x->rows, after = (size_t)x->equalities;
    const int one = 1;
    if (!start) return PCS_OK;
    PCS_TRY(h5_put_group(&x->h5, "/guesses"));
    PCS_TRY(h5_put_ints(&x->h5, "/guesses/number_of_guesses", 1, &one));
    PCS_TRY(h5_put_group(&x->h5, "/guesses/1"));
    PCS_TRY(h5_put_reals(&x->h5, "/guesses/1/r", rows, start));
    if (after == 0) return PCS_OK;
    return h5_put_reals(&x->h5, "/guesses/1/l", after, start + rows);
}

static pcs_status put_all(writer *x, sink *s)
{
    char group[100];
    PCS_TRY(h5_put_group(&x->h5, x->root));
    snprintf(group, sizeof group, "%s/spacedim", x->root);
    PCS_TRY(h5_put_ints(&x->h5, group, 1, &x->dim));
    snprintf(group, sizeof group, "%s/vectors", x->root);
    PCS_TRY(h5_put_group(&x->h5, group));
    PCS_TRY(x->w->content->global ? put_global(x) : put_local(x));
    PCS_TRY(put_about(x));
    PCS_TRY(put_solution(x));
    PCS_TRY(put_guess(x));
    return h5_image(&x->h5, s);
}

pcs_status fclib_write(const written *w, pcs_pool *scratch, sink *s)
{
    writer x = {
        .w = w, .root = w->content->global ? "/fclib_global" : "/fclib_local", .scratch = scratch};
    PCS_TRY(count(&x));
    PCS_TRY(h5_create(w->name, &x.h5));
    const pcs_status status = put_all(&x, s);
    h5_close(&x.h5);
    return status;
}
