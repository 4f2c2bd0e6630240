// Problems from entries.
//
// A global problem is M v = H^T r + f, u = H v + w. If M has diagonal blocks (bodies), they become
// the blocks of the mass, and the block columns of H; W = H M^-1 H^T then couples constraints of
// one body only. A diagonal M does not show its bodies: they have six velocities, or three in the
// plane, if H then couples no more than two of them in a constraint. Otherwise M is factorised as a
// sparse matrix. An FCLIB file may store one triangle of a symmetric M; if one side of the diagonal
// has no entry, the other side is mirrored.
#include "problem_file/assemble.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "problem_file/object.h"

static pcs_status fail_memory(void)
{
    return pcs_fail_memory("problem file");
}

pcs_status fail_named(const char *name, pcs_status status, const char *format, ...)
{
    char words[300];
    va_list args;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    const size_t length = strlen(name), shown = 160;
    const bool cut = length > shown;
    return pcs_fail(status, "%s%s: %s", cut ? "..." : "", name + (cut ? length - shown : 0), words);
}

pcs_status pass_named(const char *name, pcs_status status)
{
    if (status == PCS_OK) return status;
    char words[300];
    snprintf(words, sizeof words, "%s", pcs_error_text());
    return fail_named(name, status, "%s", words);
}

// ---- cones -------------------------------------------------------------------------------------

pcs_status contact_blocks(const char *name, int dim, int nc, const double *mu, int equalities,
                          pcs_pool *keep, const pcs_block **out)
{
    pcs_block *block = POOL_TAKE(keep, (size_t)nc + (size_t)equalities, pcs_block);
    if (!block) return fail_memory();
    for (int i = 0; i < nc; ++i) {
        block[i] = (pcs_block){.cone = PCS_CONE_COULOMB, .row = dim * i, .dim = dim, .mu = mu[i]};
        if (!(mu[i] >= 0)) {
            return fail_named(name, PCS_ERR_FORMAT,
                              "mu of contact %d is %g; it must not be negative", i, mu[i]);
        }
    }
    for (int i = 0; i < equalities; ++i) {
        block[nc + i] = (pcs_block){.cone = PCS_CONE_EQUALITY, .row = dim * nc + i, .dim = 1};
    }
    *out = block;
    return PCS_OK;
}

void count_rows(int nb, const pcs_block *block, pcs_problem_file *file)
{
    file->equalities = file->complementarities = file->contacts = file->rows = 0;
    for (int i = 0; i < nb; ++i) {
        file->rows += block[i].dim;
        switch (block[i].cone) {
        case PCS_CONE_EQUALITY:
            file->equalities += block[i].dim;
            break;
        case PCS_CONE_UNILATERAL:
        case PCS_CONE_BOX:
            file->complementarities += 1;
            break;
        case PCS_CONE_COULOMB:
            file->contacts += 1;
            break;
        }
    }
}

pcs_file_kind kind_of(int nb, const pcs_block *block, int global)
{
    bool equality = false, unilateral = false, space = false, plane = false, box = false;
    for (int i = 0; i < nb; ++i) {
        equality = equality || block[i].cone == PCS_CONE_EQUALITY;
        unilateral = unilateral || block[i].cone == PCS_CONE_UNILATERAL;
        box = box || block[i].cone == PCS_CONE_BOX;
        space = space || (block[i].cone == PCS_CONE_COULOMB && block[i].dim == 3);
        plane = plane || (block[i].cone == PCS_CONE_COULOMB && block[i].dim == 2);
    }
    const bool contacts = space || plane;
    if (global) {
        if (equality || unilateral || box || (space && plane)) return PCS_FILE_GLOBAL;
        return plane ? PCS_FILE_GFC2D : PCS_FILE_GFC3D;
    }
    if (box) return PCS_FILE_MIXED;
    if (contacts && (equality || unilateral || (space && plane))) return PCS_FILE_MIXED;
    if (contacts) return plane ? PCS_FILE_FC2D : PCS_FILE_FC3D;
    return equality ? PCS_FILE_MLCP : PCS_FILE_LCP;
}

// ---- the mass ----------------------------------------------------------------------------------

pcs_status diagonal_blocks(const entries *M, pcs_pool *pool, partition *out)
{
    // the last row coupled to the rows up to i
    const int n = M->rows;
    int *reach = POOL_TAKE(pool, (size_t)n, int);
    out->start = POOL_TAKE(pool, (size_t)n + 1, int);
    if (!reach || !out->start) return fail_memory();
    for (int k = 0; k < M->n; ++k) {
        const int low = M->i[k] < M->j[k] ? M->i[k] : M->j[k];
        const int high = M->i[k] < M->j[k] ? M->j[k] : M->i[k];
        if (M->x[k] != 0 && high > reach[low]) reach[low] = high;
    }

    out->n = 0;
    for (int i = 0, last = -1; i < n; ++i) {
        if (i > last) out->start[out->n++] = i;
        if (i > last) last = i;
        if (reach[i] > last) last = reach[i];
    }
    out->start[out->n] = n;
    return PCS_OK;
}

static size_t block_values(const partition *p)
{
    size_t values = 0;
    for (int b = 0; b < p->n; ++b) {
        const size_t w = (size_t)(p->start[b + 1] - p->start[b]);
        values += w * w;
    }
    return values;
}

static pcs_status mass_from_blocks(const entries *M, const partition *p, pcs_pool *scratch,
                                   const pcs_env *env, pcs_mass_matrix **out)
{
    int *size = POOL_TAKE(scratch, (size_t)p->n, int);
    int *part = POOL_TAKE(scratch, (size_t)M->rows, int);
    size_t *off = POOL_TAKE(scratch, (size_t)p->n + 1, size_t);
    double *val = POOL_TAKE(scratch, block_values(p), double);
    if (!size || !part || !off || !val) return fail_memory();
    for (int b = 0; b < p->n; ++b) {
        size[b] = p->start[b + 1] - p->start[b];
        off[b + 1] = off[b] + (size_t)size[b] * (size_t)size[b];
        for (int i = p->start[b]; i < p->start[b + 1]; ++i) {
            part[i] = b;
        }
    }
    for (int k = 0; k < M->n; ++k) {
        if (M->x[k] == 0) continue;
        const int b = part[M->i[k]], i = M->i[k] - p->start[b], j = M->j[k] - p->start[b];
        val[off[b] + (size_t)i + (size_t)size[b] * (size_t)j] += M->x[k];
    }
    return pcs_mass_matrix_create_blocks(env, p->n, size, val, out);
}

static pcs_status mass_from_entries(const char *name, const entries *M, pcs_pool *scratch,
                                    const pcs_env *env, pcs_mass_matrix **out)
{
    // block-sparse rows of the transpose with blocks of one are sparse columns
    const entries transposed = entries_transposed(M);
    partition single;
    block_order order;
    pcs_bsr T;
    PCS_TRY(partition_single(M->rows, scratch, &single));
    PCS_TRY(entries_order(&transposed, single, single, scratch, &order));
    PCS_TRY(entries_to_bsr(&transposed, &order, name, scratch, &T));
    const pcs_csc columns = {.m = M->rows, .n = M->cols, .p = T.ptr, .i = T.idx, .x = T.val};
    return pcs_mass_matrix_create_sparse(env, &columns, out);
}

static pcs_status cone_partition(int nb, const pcs_block *block, pcs_pool *keep, partition *out)
{
    *out = (partition){.n = nb, .start = POOL_TAKE(keep, (size_t)nb + 1, int)};
    if (!out->start) return fail_memory();
    for (int i = 0; i < nb; ++i) {
        out->start[i] = block[i].row;
        out->start[i + 1] = block[i].row + block[i].dim;
    }
    return PCS_OK;
}

// true when no block of rows has entries in more than two blocks of columns
static pcs_status couples_two(const entries *H, partition row, partition col, pcs_pool *scratch,
                              bool *out)
{
    block_order o;
    PCS_TRY(entries_order(H, row, col, scratch, &o));
    int last_row = -1, last_col = -1, count = 0;
    for (int k = 0; k < H->n && count <= 2; ++k) {
        const int e = o.order[k], i = o.row_part[H->i[e]], j = o.col_part[H->j[e]];
        if (H->x[e] == 0 || (i == last_row && j == last_col)) continue;
        count = i == last_row ? count + 1 : 1;
        last_row = i;
        last_col = j;
    }
    *out = count <= 2;
    return PCS_OK;
}

// The diagonal blocks of M, merged to those of the hint if that is possible; without a hint to six
// velocities or three, if constraints couple two such blocks but more of M
static pcs_status choose_blocks(const global_parts *g, const entries *M, partition row,
                                pcs_pool *scratch, pcs_pool *keep, partition *out)
{
    PCS_TRY(diagonal_blocks(M, keep, out));
    if (g->hint.n > 0) {
        if (!partition_refines(out, &g->hint)) return PCS_OK;
        out->n = g->hint.n;
        memcpy(out->start, g->hint.start, ((size_t)g->hint.n + 1) * sizeof *out->start);
        return PCS_OK;
    }
    bool fine;
    PCS_TRY(couples_two(&g->H, row, *out, scratch, &fine));
    partition body = {.start = POOL_TAKE(keep, (size_t)M->rows / 3 + 1, int)};
    if (!body.start) return fail_memory();
    for (int width = 6; !fine && width >= 3; width -= 3) {
        body.n = M->rows / width;
        for (int k = 0; k <= body.n; ++k) {
            body.start[k] = width * k;
        }
        if (M->rows % width != 0 || !partition_refines(out, &body)) continue;
        PCS_TRY(couples_two(&g->H, row, body, scratch, &fine));
        if (fine) *out = body;
    }
    return PCS_OK;
}

pcs_status global_build(const char *name, const global_parts *g, pcs_pool *scratch,
                        pcs_problem_file *file)
{
    struct pcs_file_memory *memory = file->memory;
    pcs_pool *keep = &memory->pool;
    PCS_ASSERT(g->M.rows == g->M.cols && g->H.cols == g->M.rows);

    entries M = g->M;
    if (g->may_be_half && entries_one_sided(&g->M)) {
        file->half = true;
        PCS_TRY(entries_mirror(&g->M, scratch, &M));
    }

    partition row, col;
    block_order order;
    PCS_TRY(cone_partition(g->nb, g->block, keep, &row));
    PCS_TRY(choose_blocks(g, &M, row, scratch, keep, &col));
    PCS_TRY(entries_order(&g->H, row, col, scratch, &order));

    // nearly empty blocks would waste memory
    const size_t fair = 16 * ((size_t)M.n + (size_t)g->H.n) + 4096;
    if (block_values(&col) + order.values <= fair) {
        PCS_TRY(pass_named(name, mass_from_blocks(&M, &col, scratch, &keep->env, &memory->mass)));
    } else {
        PCS_TRY(partition_single(M.rows, keep, &col));
        PCS_TRY(entries_order(&g->H, row, col, scratch, &order));
        PCS_TRY(pass_named(name, mass_from_entries("M", &M, scratch, &keep->env, &memory->mass)));
    }

    memory->global = (pcs_global_problem){
        .nb = g->nb, .block = g->block, .M = memory->mass, .f = g->f, .w = g->w};
    PCS_TRY(entries_to_bsr(&g->H, &order, name, keep, &memory->global.H));
    file->global = &memory->global;
    file->velocities = M.rows;
    file->has_matrix = true;
    count_rows(g->nb, g->block, file);
    return PCS_OK;
}

// ---- local -------------------------------------------------------------------------------------

// the same blocks with each equality row on its own
static pcs_status split_equalities(int nb, const pcs_block *block, pcs_pool *keep, int *n,
                                   const pcs_block **out)
{
    size_t most = 0;
    for (int i = 0; i < nb; ++i) {
        most += block[i].cone == PCS_CONE_EQUALITY ? (size_t)block[i].dim : 1;
    }
    pcs_block *split = POOL_TAKE(keep, most, pcs_block);
    if (!split) return fail_memory();
    *n = 0;
    for (int i = 0; i < nb; ++i) {
        if (block[i].cone != PCS_CONE_EQUALITY) split[(*n)++] = block[i];
        for (int r = 0; block[i].cone == PCS_CONE_EQUALITY && r < block[i].dim; ++r) {
            split[(*n)++] =
                (pcs_block){.cone = PCS_CONE_EQUALITY, .row = block[i].row + r, .dim = 1};
        }
    }
    *out = split;
    return PCS_OK;
}

pcs_status local_build(const char *name, int nb, const pcs_block *block, const entries *W,
                       const double *q, pcs_pool *scratch, pcs_problem_file *file)
{
    pcs_pool *keep = &file->memory->pool;
    partition part;
    block_order order;
    PCS_TRY(cone_partition(nb, block, keep, &part));
    PCS_TRY(entries_order(W, part, part, scratch, &order));
    if (order.values > 16 * (size_t)W->n + 4096) {
        PCS_TRY(split_equalities(nb, block, keep, &nb, &block));
        PCS_TRY(cone_partition(nb, block, keep, &part));
        PCS_TRY(entries_order(W, part, part, scratch, &order));
    }
    pcs_problem *p = &file->problem;
    *p = (pcs_problem){.n = W->rows, .nb = nb, .block = block, .q = q};
    PCS_TRY(entries_to_bsr(W, &order, name, keep, &p->W));
    count_rows(nb, block, file);
    file->has_matrix = true;
    return pass_named(name, pcs_problem_check(p));
}
