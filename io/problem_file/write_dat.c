// Writes the text files of the field (doc/files.md) with all digits.
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "linalg/bsr.h"
#include "problem_file/assemble.h"
#include "problem_file/write.h"

// ---- matrices ----------------------------------------------------------------------------------

static void put_size(sink *s, int type, int rows, int cols)
{
    sink_int(s, type);
    sink_line(s);
    sink_ints(s, 2, (int[]){rows, cols});
}

// entries sorted by column, zeros in between
static pcs_status put_dense(const entries *A, pcs_pool *scratch, sink *s)
{
    // the columns of a matrix are the rows of its transpose
    const entries transposed = entries_transposed(A);
    partition row, col;
    block_order order;
    pcs_bsr T;
    PCS_TRY(partition_single(A->cols, scratch, &row));
    PCS_TRY(partition_single(A->rows, scratch, &col));
    PCS_TRY(entries_order(&transposed, row, col, scratch, &order));
    PCS_TRY(entries_to_bsr(&transposed, &order, "matrix", scratch, &T));

    put_size(s, PCS_FILE_STORAGE_DENSE, A->rows, A->cols);
    sink_ints(s, 2, (int[]){A->rows, A->cols});
    for (int j = 0; j < A->cols && !s->failed; ++j) {
        int k = T.ptr[j];
        for (int i = 0; i < A->rows; ++i) {
            const bool stored = k < T.ptr[j + 1] && T.idx[k] == i;
            sink_real(s, stored ? T.val[k] : 0);
            k += stored;
        }
        sink_line(s);
    }
    return PCS_OK;
}

static void put_blocks(const pcs_bsr *A, sink *s)
{
    const int blocks = A->ptr[A->m];
    put_size(s, PCS_FILE_STORAGE_BLOCKS, A->row[A->m], A->col[A->n]);
    sink_int(s, blocks);
    sink_line(s);
    sink_ints(s, 2, (int[]){A->m, A->n});
    sink_ints(s, (size_t)A->m, A->row + 1);
    sink_ints(s, (size_t)A->n, A->col + 1);
    sink_ints(s, 2, (int[]){A->m + 1, blocks});
    sink_ints(s, (size_t)A->m + 1, A->ptr);
    sink_ints(s, (size_t)blocks, A->idx);
    for (int i = 0; i < A->m; ++i) {
        const size_t h = (size_t)(A->row[i + 1] - A->row[i]);
        for (int k = A->ptr[i]; k < A->ptr[i + 1]; ++k) {
            const size_t w = (size_t)(A->col[A->idx[k] + 1] - A->col[A->idx[k]]);
            sink_int(s, k);
            sink_line(s);
            for (size_t e = 0; e < h * w; ++e) {
                sink_real(s, A->val[A->off[k] + e]);
                sink_line(s);
            }
        }
    }
}

static void put_entries(const entries *A, sink *s)
{
    put_size(s, PCS_FILE_STORAGE_SPARSE, A->rows, A->cols);
    char line[160];
    snprintf(line, sizeof line, "1\nCSparse Version 3.1.9\ntriplet: %d-by-%d, nzmax: %d nnz: %d\n",
             A->rows, A->cols, A->n > 0 ? A->n : 1, A->n);
    sink_text(s, line);
    for (int k = 0; k < A->n; ++k) {
        sink_text(s, "    ");
        sink_int(s, A->i[k]);
        sink_int(s, A->j[k]);
        sink_text(s, ": ");
        sink_real(s, A->x[k]);
        sink_line(s);
    }
}

static pcs_status put_matrix(const pcs_bsr *A, pcs_file_storage storage, pcs_pool *scratch, sink *s)
{
    if (storage == PCS_FILE_STORAGE_BLOCKS) {
        put_blocks(A, s);
        return PCS_OK;
    }
    entries list;
    PCS_TRY(bsr_to_entries(A, storage == PCS_FILE_STORAGE_DENSE, scratch, &list));
    if (storage == PCS_FILE_STORAGE_DENSE) return put_dense(&list, scratch, s);
    put_entries(&list, s);
    return PCS_OK;
}

// ---- problems ----------------------------------------------------------------------------------

static pcs_status put_local(const written *w, pcs_pool *scratch, sink *s)
{
    pcs_bsr W;
    PCS_TRY(written_W(w, scratch, &W));
    PCS_TRY(put_matrix(&W, w->content->storage, scratch, s));
    sink_reals(s, (size_t)w->rows, w->content->problem->q);
    return PCS_OK;
}

static pcs_status put_global(const written *w, pcs_pool *scratch, sink *s)
{
    const pcs_global_problem *g = w->content->global;
    const pcs_file_storage storage = w->content->storage;
    pcs_bsr H, M;
    bool worth = false;
    if (storage == PCS_FILE_STORAGE_BLOCKS) PCS_TRY(written_M(w, scratch, &M, &worth));
    if (worth) {
        put_blocks(&M, s);
    } else if (storage == PCS_FILE_STORAGE_DENSE) {
        PCS_TRY(put_dense(&w->M_entries, scratch, s));
    } else {
        put_entries(&w->M_entries, s);
    }
    PCS_TRY(written_H(w, true, scratch, &H));
    PCS_TRY(put_matrix(&H, storage, scratch, s));
    sink_reals(s, (size_t)w->velocities, g->f);
    for (int i = 0; i < w->rows; ++i) {
        sink_real(s, g->w ? g->w[i] : 0);
    }
    sink_line(s);
    return PCS_OK;
}

static pcs_status put_friction(const written *w, int dim, pcs_pool *scratch, sink *s)
{
    sink_int(s, dim);
    sink_line(s);
    sink_int(s, w->nb);
    sink_line(s);
    PCS_TRY(w->content->global ? put_global(w, scratch, s) : put_local(w, scratch, s));
    for (int i = 0; i < w->nb; ++i) {
        sink_real(s, w->block[i].mu);
    }
    sink_line(s);
    return PCS_OK;
}

// the end of the run of rows that begins with block i: an equality block, or unilateral ones
static int run_end(const written *w, int i)
{
    if (w->block[i].cone == PCS_CONE_EQUALITY) return i + 1;
    while (i < w->nb && w->block[i].cone == PCS_CONE_UNILATERAL) {
        ++i;
    }
    return i;
}

static pcs_status put_mlcp(const written *w, pcs_pool *scratch, sink *s)
{
    int equalities = 0;
    for (int i = 0; i < w->nb; ++i) {
        if (w->block[i].cone == PCS_CONE_EQUALITY) equalities += w->block[i].dim;
    }
    sink_text(s, "1\n0\n");
    sink_ints(s, 2, (int[]){equalities, w->rows - equalities});
    sink_int(s, 0);
    for (int i = 0; i < w->nb;) {
        i = run_end(w, i);
        sink_int(s, i < w->nb ? w->block[i].row : w->rows);
    }
    sink_line(s);
    for (int i = 0; i < w->nb; i = run_end(w, i)) {
        sink_int(s, w->block[i].cone == PCS_CONE_UNILATERAL);
    }
    sink_line(s);
    return put_local(w, scratch, s);
}

pcs_status dat_write(const written *w, pcs_pool *scratch, sink *s)
{
    for (int i = 0; i < w->nb; ++i) {
        if (w->block[i].cone != PCS_CONE_BOX) continue;
        return fail_named(w->name, PCS_ERR_UNSUPPORTED,
                          "a .dat file cannot hold the box %d; write a .pcs file", i);
    }
    if (w->content->r || w->content->u || w->content->v || w->content->start) {
        return fail_named(w->name, PCS_ERR_UNSUPPORTED,
                          "a .dat file cannot hold a solution or a start; write .pcs or .hdf5");
    }
    if (w->content->storage < PCS_FILE_STORAGE_DENSE ||
        w->content->storage > PCS_FILE_STORAGE_SPARSE) {
        return fail_named(w->name, PCS_ERR_ARG, "storage %d is unknown", (int)w->content->storage);
    }
    switch (w->kind) {
    case PCS_FILE_LCP:
        sink_int(s, w->rows);
        sink_line(s);
        return put_local(w, scratch, s);
    case PCS_FILE_MLCP:
        return put_mlcp(w, scratch, s);
    case PCS_FILE_FC3D:
    case PCS_FILE_GFC3D:
        return put_friction(w, 3, scratch, s);
    case PCS_FILE_FC2D:
    case PCS_FILE_GFC2D:
        return put_friction(w, 2, scratch, s);
    default:
        return fail_named(w->name, PCS_ERR_UNSUPPORTED,
                          "a .dat file holds an LCP, an MLCP, or contacts of one dimension, not a"
                          " mixture of these%s; write .pcs",
                          w->content->global ? " nor a global problem without friction" : "");
    }
}
