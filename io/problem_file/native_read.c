// The text form of percuss, version 1 (doc/files.md):
//
//     percuss-problem 1
//     [title ...] [description ...] [math_info ...]      the rest of the line each
//     local | global | bodies (bodies_text.c)
//     cones NB  then for each: coulomb DIM MU | unilateral | equality DIM
//     W MATRIX  q ...             or     M MATRIX  H MATRIX  f ...  w ...
//     [r ...] [u ...] [v ...]
//     end
//
//     MATRIX := dense ROWS COLS values, column after column
//             | entries ROWS COLS N  { i j value }
//             | blocks BLOCK-ROWS BLOCK-COLUMNS N  heights widths  { i j values }
#include "problem_file/native.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "problem_file/assemble.h"
#include "problem_file/matrix_section.h"
#include "problem_file/object.h"

#define FIRST_WORD "percuss-problem"

static pcs_status fail_memory(void)
{
    return pcs_fail_memory("problem file");
}

bool native_fits(const text *t)
{
    text s = *t;
    return text_take_key(&s, FIRST_WORD);
}

pcs_status native_key(text *t, const char *key)
{
    if (text_take_key(t, key)) return PCS_OK;
    char what[80];
    snprintf(what, sizeof what, "the word %s", key);
    return text_expected(t, what);
}

// ---- words -------------------------------------------------------------------------------------

// appends the rest of the line to the text of earlier lines
static pcs_status read_words(text *t, pcs_pool *keep, const char **out)
{
    while (t->at < t->end && (*t->at == ' ' || *t->at == '\t')) {
        ++t->at;
    }
    const char *end = t->at;
    while (end < t->end && *end != '\n') {
        ++end;
    }
    size_t length = (size_t)(end - t->at);
    if (length > 0 && t->at[length - 1] == '\r') --length;

    const size_t before = *out ? strlen(*out) + 1 : 0;
    char *words = POOL_TAKE(keep, before + length + 1, char);
    if (!words) return fail_memory();
    if (*out) {
        memcpy(words, *out, before - 1);
        words[before - 1] = '\n';
    }
    memcpy(words + before, t->at, length);
    t->at = end;
    *out = words;
    return PCS_OK;
}

static pcs_status read_about(text *t, pcs_pool *keep, pcs_problem_file *file)
{
    // most lines of a text: each line copies the previous ones
    for (int lines = 0; lines < 100; ++lines) {
        const char **to = text_take_key(t, "title")         ? &file->title
                          : text_take_key(t, "description") ? &file->description
                          : text_take_key(t, "math_info")   ? &file->math_info
                                                            : NULL;
        if (!to) return PCS_OK;
        PCS_TRY(read_words(t, keep, to));
    }
    return text_fail(t, PCS_ERR_SIZE, "there are more than a hundred lines of words");
}

// ---- cones -------------------------------------------------------------------------------------

pcs_status native_cone(text *t, int row, pcs_block *block)
{
    *block = (pcs_block){.row = row, .dim = 1};
    if (text_take_key(t, "unilateral")) {
        block->cone = PCS_CONE_UNILATERAL;
        return PCS_OK;
    }
    if (text_take_key(t, "equality")) {
        block->cone = PCS_CONE_EQUALITY;
        return text_int(t, "the number of rows of an equality block", 1, INT_MAX - row, "",
                        &block->dim);
    }
    const bool box = text_take_key(t, "box");
    if (!box && !text_take_key(t, "coulomb")) {
        return text_expected(t, "a cone: coulomb, unilateral, equality or box");
    }
    block->cone = box ? PCS_CONE_BOX : PCS_CONE_COULOMB;
    if (!box) PCS_TRY(text_int(t, "the dimension of a contact", 2, 3, "", &block->dim));
    PCS_TRY(text_real(t, box ? "the bound of a box" : "mu", &block->mu));
    if (block->mu < 0) {
        return text_fail(t, PCS_ERR_FORMAT, "mu is %g; it must not be negative", block->mu);
    }
    return PCS_OK;
}

static pcs_status read_cones(text *t, pcs_pool *keep, int *nb, int *rows, const pcs_block **out)
{
    PCS_TRY(native_key(t, "cones"));
    PCS_TRY(text_size(t, "the number of cones", nb));
    // the shortest block has as many characters as five numbers
    PCS_TRY(text_room(t, "cones", 5 * (size_t)*nb));
    pcs_block *block = POOL_TAKE(keep, (size_t)*nb, pcs_block);
    if (!block) return fail_memory();
    *rows = 0;
    for (int i = 0; i < *nb; ++i) {
        PCS_TRY(native_cone(t, *rows, &block[i]));
        if (block[i].dim > INT_MAX - *rows) {
            return text_fail(t, PCS_ERR_SIZE, "the cones have more rows than an int can count");
        }
        *rows += block[i].dim;
    }
    *out = block;
    return text_room(t, "the rows of the problem", (size_t)*rows);
}

// ---- matrices ----------------------------------------------------------------------------------

static pcs_status read_sizes(text *t, const char *what, int n, pcs_pool *keep, int **out)
{
    PCS_TRY(text_room(t, what, (size_t)n));
    int *start = POOL_TAKE(keep, (size_t)n + 1, int);
    if (!start) return fail_memory();
    for (int b = 0; b < n; ++b) {
        PCS_TRY(text_int(t, what, 1, INT_MAX - start[b], "", &start[b + 1]));
        start[b + 1] += start[b];
    }
    *out = start;
    return PCS_OK;
}

static pcs_status read_block(text *t, pcs_pool *keep, pcs_bsr *B, int k, int *last, size_t *room,
                             size_t *used)
{
    int i, j;
    PCS_TRY(text_int(t, "the block row of a block", 0, B->m - 1, "", &i));
    PCS_TRY(text_int(t, "the block column of a block", 0, B->n - 1, "", &j));
    if (i < *last || (i == *last && B->ptr[i + 1] > 0 && j <= B->idx[k - 1])) {
        return text_fail(t, PCS_ERR_FORMAT,
                         "block (%d, %d) is out of order; blocks come row after row, in each by"
                         " increasing column",
                         i, j);
    }
    *last = i;
    B->ptr[i + 1] += 1;
    B->idx[k] = j;
    B->off[k] = *used;
    const size_t n = (size_t)(B->row[i + 1] - B->row[i]) * (size_t)(B->col[j + 1] - B->col[j]);
    PCS_TRY(text_room(t, "a block", n));
    if (n > *room - *used) {
        // moves values to an array of twice the size
        const size_t larger = 2 * (*used + n);
        double *val = POOL_TAKE(keep, larger, double);
        if (!val) return fail_memory();
        if (*used > 0) memcpy(val, B->val, *used * sizeof *val);
        B->val = val;
        *room = larger;
    }
    PCS_TRY(text_reals(t, "a block", n, B->val + *used));
    *used += n;
    return PCS_OK;
}

static pcs_status read_blocks(text *t, pcs_pool *keep, file_matrix *A)
{
    pcs_bsr *B = &A->bsr;
    int blocks, last = 0;
    A->storage = PCS_FILE_STORAGE_BLOCKS;
    PCS_TRY(text_size(t, "the number of block rows", &B->m));
    PCS_TRY(text_size(t, "the number of block columns", &B->n));
    PCS_TRY(text_size(t, "the number of blocks", &blocks));
    PCS_TRY(read_sizes(t, "the height of a block row", B->m, keep, &B->row));
    PCS_TRY(read_sizes(t, "the width of a block column", B->n, keep, &B->col));
    A->rows = B->row[B->m];
    A->cols = B->col[B->n];
    PCS_TRY(text_room(t, "blocks", 3 * (size_t)blocks));

    size_t room = 0, used = 0;
    B->ptr = POOL_TAKE(keep, (size_t)B->m + 1, int);
    B->idx = POOL_TAKE(keep, (size_t)blocks, int);
    B->off = POOL_TAKE(keep, (size_t)blocks, size_t);
    B->val = POOL_TAKE(keep, 1, double);
    if (!B->ptr || !B->idx || !B->off || !B->val) return fail_memory();
    for (int k = 0; k < blocks; ++k) {
        PCS_TRY(read_block(t, keep, B, k, &last, &room, &used));
    }
    for (int i = 0; i < B->m; ++i) {
        B->ptr[i + 1] += B->ptr[i];
    }
    return PCS_OK;
}

static pcs_status read_entries(text *t, pcs_pool *scratch, file_matrix *A)
{
    A->storage = PCS_FILE_STORAGE_SPARSE;
    PCS_TRY(text_size(t, "the number of rows", &A->rows));
    PCS_TRY(text_size(t, "the number of columns", &A->cols));
    PCS_TRY(text_size(t, "the number of entries", &A->entries));
    PCS_TRY(text_room(t, "entries", 3 * (size_t)A->entries));
    entries list;
    PCS_TRY(entries_take(A->rows, A->cols, A->entries, scratch, &list));
    A->i = list.i;
    A->j = list.j;
    A->x = list.x;
    for (int k = 0; k < A->entries; ++k) {
        PCS_TRY(text_int(t, "the row of an entry", 0, A->rows - 1, "", &A->i[k]));
        PCS_TRY(text_int(t, "the column of an entry", 0, A->cols - 1, "", &A->j[k]));
        PCS_TRY(text_real(t, "the value of an entry", &A->x[k]));
    }
    return PCS_OK;
}

static pcs_status read_dense(text *t, pcs_pool *keep, file_matrix *A)
{
    A->storage = PCS_FILE_STORAGE_DENSE;
    PCS_TRY(text_size(t, "the number of rows", &A->rows));
    PCS_TRY(text_size(t, "the number of columns", &A->cols));
    const size_t n = (size_t)A->rows * (size_t)A->cols;
    PCS_TRY(text_room(t, "a dense matrix", n));
    A->dense = POOL_TAKE(keep, n, double);
    if (!A->dense) return fail_memory();
    return text_reals(t, "a dense matrix", n, A->dense);
}

static pcs_status read_matrix(text *t, const char *name, int rows, int cols, pcs_pool *keep,
                              pcs_pool *scratch, file_matrix *A)
{
    *A = (file_matrix){0};
    PCS_TRY(native_key(t, name));
    if (text_take_key(t, "dense")) {
        PCS_TRY(read_dense(t, keep, A));
    } else if (text_take_key(t, "entries")) {
        PCS_TRY(read_entries(t, scratch, A));
    } else if (text_take_key(t, "blocks")) {
        PCS_TRY(read_blocks(t, keep, A));
    } else {
        return text_expected(t, "a matrix: dense, entries or blocks");
    }
    if ((rows >= 0 && A->rows != rows) || (cols >= 0 && A->cols != cols)) {
        return text_fail(t, PCS_ERR_SIZE, "%s is %d x %d; it must be %d x %d", name, A->rows,
                         A->cols, rows >= 0 ? rows : A->rows, cols >= 0 ? cols : A->cols);
    }
    return PCS_OK;
}

pcs_status native_vector(text *t, const char *name, int n, pcs_pool *keep, const double **out)
{
    PCS_TRY(native_key(t, name));
    PCS_TRY(text_room(t, name, (size_t)n));
    double *x = POOL_TAKE(keep, (size_t)n, double);
    if (!x) return fail_memory();
    *out = x;
    return text_reals(t, name, (size_t)n, x);
}

// ---- problems ----------------------------------------------------------------------------------

static pcs_status read_local(text *t, int nb, const pcs_block *block, int rows, pcs_pool *scratch,
                             pcs_problem_file *file)
{
    pcs_pool *keep = &file->memory->pool;
    const double *q = NULL;
    file_matrix W;
    PCS_TRY(read_matrix(t, "W", rows, rows, keep, scratch, &W));
    PCS_TRY(native_vector(t, "q", rows, keep, &q));
    file->storage = W.storage;
    if (W.storage == PCS_FILE_STORAGE_SPARSE) {
        const entries list = {W.rows, W.cols, W.entries, W.i, W.j, W.x};
        return local_build(t->name, nb, block, &list, q, scratch, file);
    }

    file->problem = (pcs_problem){.n = rows, .nb = nb, .block = block, .q = q};
    PCS_TRY(matrix_to_bsr(&W, t, 0, NULL, keep, scratch, &file->problem.W));
    count_rows(nb, block, file);
    file->has_matrix = true;
    return pass_named(t->name, pcs_problem_check(&file->problem));
}

static pcs_status read_global(text *t, int nb, const pcs_block *block, int rows, pcs_pool *scratch,
                              pcs_problem_file *file)
{
    pcs_pool *keep = &file->memory->pool;
    global_parts g = {.nb = nb, .block = block};
    file_matrix M, H;
    PCS_TRY(read_matrix(t, "M", -1, -1, scratch, scratch, &M));
    if (M.rows != M.cols) {
        return text_fail(t, PCS_ERR_SIZE, "M is %d x %d; it must be square", M.rows, M.cols);
    }
    PCS_TRY(read_matrix(t, "H", rows, M.rows, scratch, scratch, &H));
    PCS_TRY(native_vector(t, "f", M.rows, keep, &g.f));
    PCS_TRY(native_vector(t, "w", rows, keep, &g.w));

    file->storage = M.storage;
    if (M.storage == PCS_FILE_STORAGE_BLOCKS && M.bsr.m == M.bsr.n &&
        memcmp(M.bsr.row, M.bsr.col, ((size_t)M.bsr.m + 1) * sizeof(int)) == 0) {
        g.hint = (partition){.n = M.bsr.m, .start = M.bsr.row};
    }
    PCS_TRY(matrix_to_entries(&M, false, scratch, &g.M));
    PCS_TRY(matrix_to_entries(&H, true, scratch, &g.H));
    return global_build(t->name, &g, scratch, file);
}

static pcs_status read_solution(text *t, pcs_pool *keep, pcs_problem_file *file)
{
    text probe = *t;
    if (text_take_key(&probe, "r")) PCS_TRY(native_vector(t, "r", file->rows, keep, &file->r));
    probe = *t;
    if (text_take_key(&probe, "u")) PCS_TRY(native_vector(t, "u", file->rows, keep, &file->u));
    probe = *t;
    if (file->velocities == 0 || !text_take_key(&probe, "v")) return PCS_OK;
    return native_vector(t, "v", file->velocities, keep, &file->v);
}

pcs_status native_read(text *t, pcs_pool *scratch, pcs_problem_file *file)
{
    pcs_pool *keep = &file->memory->pool;
    int version, nb = 0, rows = 0;
    const pcs_block *block = NULL;
    t->free_form = true;
    PCS_TRY(native_key(t, FIRST_WORD));
    PCS_TRY(text_int(t, "the version of the form", 1, 1, "", &version));
    PCS_TRY(read_about(t, keep, file));
    if (text_take_key(t, "bodies")) {
        PCS_TRY(bodies_text_read(t, file));
    } else {
        const bool global = text_take_key(t, "global");
        if (!global && !text_take_key(t, "local")) {
            return text_expected(t, "the word local, global or bodies");
        }
        PCS_TRY(read_cones(t, keep, &nb, &rows, &block));
        PCS_TRY((global ? read_global : read_local)(t, nb, block, rows, scratch, file));
        file->kind = kind_of(nb, block, global);
    }
    text probe = *t;
    if (text_take_key(&probe, "start")) {
        PCS_TRY(native_vector(t, "start", file->rows, keep, &file->start));
    }
    if (file->bodies) PCS_TRY(bodies_text_read_options(t, file));
    PCS_TRY(read_solution(t, keep, file));
    if (text_take_key(t, "end")) return PCS_OK;
    return text_expected(t, file->velocities > 0 ? "r, u, v or end" : "r, u or end");
}
