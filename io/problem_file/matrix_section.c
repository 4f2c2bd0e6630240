// The matrix section:
//
//     type rows cols BODY
//     type 0, dense:   rows cols, then the values column by column
//     type 1, blocks:  number of blocks, block rows, block columns; row ends; column ends;
//                      number of pointers, of blocks; pointers; block columns;
//                      then each block: its number and its values column by column
//     type 2, sparse:  origin, then the text that CSparse prints: triplets, or the compressed
//                      columns or rows one after another
#include "problem_file/matrix_section.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"

double matrix_digits(pcs_file_storage storage)
{
    // half a unit of the last of 25, 7 and 6 significant digits, with a margin for numbers written
    // by hand or computed twice
    switch (storage) {
    case PCS_FILE_STORAGE_DENSE:
        return 1e-12;
    case PCS_FILE_STORAGE_BLOCKS:
        return 1e-6;
    case PCS_FILE_STORAGE_SPARSE:
        return 1e-5;
    }
    return 0;
}

static pcs_status fail_memory(void)
{
    return pcs_fail_memory("problem file");
}

// ---- type 0 ------------------------------------------------------------------------------------

static pcs_status read_dense(text *t, const char *name, pcs_pool *keep, file_matrix *A)
{
    int rows, cols;
    PCS_TRY(text_size(t, "the number of rows of the dense matrix", &rows));
    PCS_TRY(text_size(t, "the number of columns of the dense matrix", &cols));
    if (rows != A->rows || cols != A->cols) {
        return text_fail(t, PCS_ERR_SIZE, "%s is first %d x %d, then %d x %d", name, A->rows,
                         A->cols, rows, cols);
    }

    const size_t n = (size_t)rows * (size_t)cols;
    PCS_TRY(text_room(t, name, n));
    A->dense = POOL_TAKE(keep, n, double);
    if (!A->dense) return fail_memory();
    return text_reals(t, name, n, A->dense);
}

// ---- type 1 ------------------------------------------------------------------------------------

// ends of blocks as starts: start[0] = 0, increasing, the last one is `total`
static pcs_status read_ends(text *t, const char *what, int n, int total, pcs_pool *keep, int **out)
{
    PCS_TRY(text_room(t, what, (size_t)n));
    int *start = POOL_TAKE(keep, (size_t)n + 1, int);
    if (!start) return fail_memory();

    for (int i = 0; i < n; ++i) {
        PCS_TRY(text_int(t, what, 0, INT_MAX, "", &start[i + 1]));
        if (start[i + 1] <= start[i]) {
            return text_fail(t, PCS_ERR_FORMAT, "%s: %d after %d; they must increase", what,
                             start[i + 1], start[i]);
        }
    }
    if (start[n] != total) {
        return text_fail(t, PCS_ERR_SIZE, "%s: the last is %d, but the matrix has %d", what,
                         start[n], total);
    }
    *out = start;
    return PCS_OK;
}

// the pointers of the block rows; a file may leave out those of empty last rows
static pcs_status read_pointers(text *t, pcs_pool *keep, pcs_bsr *B, int blocks)
{
    int given, stored;
    PCS_TRY(text_int(t, "the number of row pointers", 0, B->m == INT_MAX ? INT_MAX : B->m + 1, "",
                     &given));
    PCS_TRY(text_size(t, "the number of stored blocks", &stored));
    if (stored != blocks || (given == 0 && blocks > 0)) {
        return text_fail(t, PCS_ERR_SIZE, "the matrix has %d blocks, then %d with %d pointers",
                         blocks, stored, given);
    }

    PCS_TRY(text_room(t, "row pointers", (size_t)given));
    B->ptr = POOL_TAKE(keep, (size_t)B->m + 1, int);
    if (!B->ptr) return fail_memory();
    PCS_TRY(text_ints(t, "a row pointer", 0, blocks, (size_t)given, B->ptr));
    for (int i = 0; i < given; ++i) {
        if (B->ptr[i] < (i > 0 ? B->ptr[i - 1] : 0) || (i == 0 && B->ptr[0] != 0)) {
            return text_fail(t, PCS_ERR_FORMAT,
                             "row pointer %d is %d; they start at 0 and never"
                             " decrease",
                             i, B->ptr[i]);
        }
    }
    if (given > 0 && B->ptr[given - 1] != blocks) {
        return text_fail(t, PCS_ERR_FORMAT, "the last row pointer is %d; it must be %d",
                         B->ptr[given - 1], blocks);
    }
    for (int i = given; i <= B->m; ++i) {
        B->ptr[i] = blocks;
    }
    return PCS_OK;
}

static pcs_status read_values(text *t, const char *name, pcs_pool *keep, pcs_bsr *B, int blocks)
{
    // the start of each block; the file also has its number
    size_t total = 0;
    for (int i = 0; i < B->m; ++i) {
        for (int k = B->ptr[i]; k < B->ptr[i + 1]; ++k) {
            const int j = B->idx[k];
            B->off[k] = total;
            total += (size_t)(B->row[i + 1] - B->row[i]) * (size_t)(B->col[j + 1] - B->col[j]);
            PCS_TRY(text_room(t, name, total));
        }
    }
    B->val = POOL_TAKE(keep, total, double);
    if (!B->val) return fail_memory();

    for (int k = 0; k < blocks; ++k) {
        int number;
        PCS_TRY(text_int(t, "the number of the next block", k, k, "", &number));
        char what[80];
        snprintf(what, sizeof what, "block %d of %.40s", k, name);
        const size_t end = k + 1 < blocks ? B->off[k + 1] : total;
        PCS_TRY(text_reals(t, what, end - B->off[k], B->val + B->off[k]));
    }
    return PCS_OK;
}

static bool columns_increase(const pcs_bsr *B)
{
    for (int i = 0; i < B->m; ++i) {
        for (int k = B->ptr[i] + 1; k < B->ptr[i + 1]; ++k) {
            if (B->idx[k] <= B->idx[k - 1]) return false;
        }
    }
    return true;
}

// sorts the blocks of each row by column, in linear time: into lists by column, then into their
// rows column after column
static pcs_status sort_columns(const text *t, pcs_pool *scratch, pcs_bsr *B)
{
    if (columns_increase(B)) return PCS_OK;

    const size_t blocks = (size_t)B->ptr[B->m];
    int *next = POOL_TAKE(scratch, (size_t)B->n + 1, int);
    int *row = POOL_TAKE(scratch, blocks, int);
    size_t *off = POOL_TAKE(scratch, blocks, size_t);
    int *fill = POOL_TAKE(scratch, (size_t)B->m, int);
    if (!next || !row || !off || !fill) return fail_memory();

    for (size_t k = 0; k < blocks; ++k) {
        next[B->idx[k] + 1] += 1;
    }
    for (int j = 0; j < B->n; ++j) {
        next[j + 1] += next[j];
    }
    for (int i = 0; i < B->m; ++i) {
        fill[i] = B->ptr[i];
        for (int k = B->ptr[i]; k < B->ptr[i + 1]; ++k) {
            const int at = next[B->idx[k]]++;
            row[at] = i;
            off[at] = B->off[k];
        }
    }

    // next[j] is now the end of column j
    for (int j = 0, k = 0; j < B->n; ++j) {
        for (; k < next[j]; ++k) {
            const int at = fill[row[k]]++;
            if (at > B->ptr[row[k]] && B->idx[at - 1] == j) {
                return text_fail(t, PCS_ERR_FORMAT, "block (%d, %d) is stored twice", row[k], j);
            }
            B->idx[at] = j;
            B->off[at] = off[k];
        }
    }
    return PCS_OK;
}

static pcs_status read_blocks(text *t, const char *name, pcs_pool *keep, pcs_pool *scratch,
                              file_matrix *A)
{
    pcs_bsr *B = &A->bsr;
    int blocks;
    PCS_TRY(text_size(t, "the number of blocks", &blocks));
    PCS_TRY(text_size(t, "the number of block rows", &B->m));
    PCS_TRY(text_size(t, "the number of block columns", &B->n));
    PCS_TRY(read_ends(t, "the ends of the block rows", B->m, A->rows, keep, &B->row));
    PCS_TRY(read_ends(t, "the ends of the block columns", B->n, A->cols, keep, &B->col));
    PCS_TRY(read_pointers(t, keep, B, blocks));

    PCS_TRY(text_room(t, "block columns", (size_t)blocks));
    B->idx = POOL_TAKE(keep, (size_t)blocks, int);
    B->off = POOL_TAKE(keep, (size_t)blocks, size_t);
    if (!B->idx || !B->off) return fail_memory();
    if (blocks > 0 && B->n == 0) {
        return text_fail(t, PCS_ERR_SIZE, "the matrix has %d blocks in no column", blocks);
    }
    PCS_TRY(text_ints(t, "the column of a block", 0, B->n - 1, (size_t)blocks, B->idx));

    PCS_TRY(read_values(t, name, keep, B, blocks));
    return sort_columns(t, scratch, B);
}

// ---- type 2 ------------------------------------------------------------------------------------

enum { ORIGIN_TRIPLETS = 1, ORIGIN_COLUMNS = 2, ORIGIN_ROWS = 3, ORIGIN_HALF = 4 };

static pcs_status take_entries(text *t, const char *name, pcs_pool *scratch, size_t numbers,
                               file_matrix *A)
{
    PCS_TRY(text_room(t, name, numbers * (size_t)A->entries));
    A->i = POOL_TAKE(scratch, (size_t)A->entries, int);
    A->j = POOL_TAKE(scratch, (size_t)A->entries, int);
    A->x = POOL_TAKE(scratch, (size_t)A->entries, double);
    return A->i && A->j && A->x ? PCS_OK : fail_memory();
}

// "    i j : value"
static pcs_status read_triplets(text *t, const char *name, pcs_pool *scratch, file_matrix *A)
{
    PCS_TRY(take_entries(t, name, scratch, 3, A));
    for (int k = 0; k < A->entries; ++k) {
        PCS_TRY(text_int(t, "the row of an entry", 0, A->rows - 1, "", &A->i[k]));
        PCS_TRY(text_int(t, "the column of an entry", 0, A->cols - 1, ":", &A->j[k]));
        PCS_TRY(text_real(t, "the value of an entry", &A->x[k]));
    }
    return PCS_OK;
}

// "    col 3 : locations 7 to 9", then "      i : value" for each of these; for compressed rows
// the same with rows and columns exchanged
static pcs_status read_compressed(text *t, const char *name, bool by_rows, pcs_pool *scratch,
                                  file_matrix *A)
{
    PCS_TRY(take_entries(t, name, scratch, 2, A));
    int *outer = by_rows ? A->i : A->j, *inner = by_rows ? A->j : A->i;
    const int n_outer = by_rows ? A->rows : A->cols, n_inner = by_rows ? A->cols : A->rows;

    int at = 0;
    for (int c = 0; c < n_outer; ++c) {
        int number, first, last;
        if (!by_rows || !text_take_word(t, "row")) PCS_TRY(text_word(t, "col"));
        PCS_TRY(text_int(t, "the number of the next column", c, c, ":", &number));
        PCS_TRY(text_word(t, "locations"));
        PCS_TRY(text_int(t, "the first location", at, at, "", &first));
        PCS_TRY(text_word(t, "to"));
        PCS_TRY(text_int(t, "the last location", at - 1, A->entries - 1, "", &last));
        for (; at <= last; ++at) {
            outer[at] = c;
            PCS_TRY(text_int(t, "the index of an entry", 0, n_inner - 1, ":", &inner[at]));
            PCS_TRY(text_real(t, "the value of an entry", &A->x[at]));
        }
    }
    if (at != A->entries) {
        return text_fail(t, PCS_ERR_SIZE, "%s has %d entries, but its columns hold %d", name,
                         A->entries, at);
    }
    return PCS_OK;
}

// one half of a symmetric matrix, with or without its diagonal: the other half is its mirror image
static pcs_status read_half(text *t, const char *name, pcs_pool *scratch, file_matrix *A)
{
    PCS_TRY(read_triplets(t, name, scratch, A));
    if (A->rows != A->cols) {
        return text_fail(t, PCS_ERR_SIZE,
                         "half a matrix (origin 4) is symmetric, but %s is %d x %d", name, A->rows,
                         A->cols);
    }
    entries half = {A->rows, A->cols, A->entries, A->i, A->j, A->x}, whole;
    if (!entries_one_sided(&half) && !entries_diagonal(&half)) {
        return text_fail(t, PCS_ERR_FORMAT,
                         "%s has entries on both sides of its diagonal; half a matrix (origin 4)"
                         " has them on one",
                         name);
    }
    PCS_TRY(entries_mirror(&half, scratch, &whole));
    A->half = true;
    A->entries = whole.n;
    A->i = whole.i;
    A->j = whole.j;
    A->x = whole.x;
    return PCS_OK;
}

static pcs_status read_sparse(text *t, const char *name, pcs_pool *scratch, file_matrix *A)
{
    int origin;
    PCS_TRY(text_int(t, "the origin of the sparse matrix", 1, 4, "", &origin));
    PCS_TRY(text_skip_line(t, true));
    PCS_TRY(text_skip_line(t, false));

    // "triplet: m-by-n, nzmax: N nnz: N" or "m-by-n, nzmax: N nnz: N, 1-norm: x"
    const bool triplets = origin == ORIGIN_TRIPLETS || origin == ORIGIN_HALF;
    int rows, cols, most;
    if (triplets) PCS_TRY(text_word(t, "triplet:"));
    PCS_TRY(text_int(t, "the rows of the sparse matrix", 0, INT_MAX, "-by-", &rows));
    PCS_TRY(text_int(t, "the columns of the sparse matrix", 0, INT_MAX, ",", &cols));
    PCS_TRY(text_word(t, "nzmax:"));
    PCS_TRY(text_size(t, "the room for entries", &most));
    PCS_TRY(text_word(t, "nnz:"));
    PCS_TRY(text_int(t, "the number of entries", 0, INT_MAX, triplets ? "" : ",", &A->entries));
    if (rows != A->rows || cols != A->cols) {
        return text_fail(t, PCS_ERR_SIZE, "%s is first %d x %d, then %d x %d", name, A->rows,
                         A->cols, rows, cols);
    }
    if (origin == ORIGIN_HALF) return read_half(t, name, scratch, A);
    if (triplets) return read_triplets(t, name, scratch, A);

    PCS_TRY(text_skip_line(t, false));
    return read_compressed(t, name, origin == ORIGIN_ROWS, scratch, A);
}

pcs_status matrix_read(text *t, const char *name, pcs_pool *keep, pcs_pool *scratch,
                       file_matrix *out)
{
    *out = (file_matrix){0};
    int type;
    PCS_TRY(text_int(t, "the type of the matrix", 0, 2, "", &type));
    PCS_TRY(text_size(t, "the number of rows of the matrix", &out->rows));
    PCS_TRY(text_size(t, "the number of columns of the matrix", &out->cols));

    out->storage = (pcs_file_storage)type;
    switch (out->storage) {
    case PCS_FILE_STORAGE_DENSE:
        return read_dense(t, name, keep, out);
    case PCS_FILE_STORAGE_BLOCKS:
        return read_blocks(t, name, keep, scratch, out);
    case PCS_FILE_STORAGE_SPARSE:
        return read_sparse(t, name, scratch, out);
    }
    return PCS_OK;
}

// ---- block-sparse rows -------------------------------------------------------------------------

static pcs_status dense_to_bsr(const file_matrix *A, int n, pcs_pool *keep, pcs_bsr *out)
{
    const int blocks = n > 0;
    int *index = POOL_TAKE(keep, 7, int);
    size_t *off = POOL_TAKE(keep, 1, size_t);
    if (!index || !off) return fail_memory();

    const int values[7] = {0, n, 0, n, 0, blocks, 0};
    memcpy(index, values, sizeof values);
    *out = (pcs_bsr){.m = blocks,
                     .n = blocks,
                     .row = index,
                     .col = index + 2,
                     .ptr = index + 4,
                     .idx = index + 6,
                     .off = off,
                     .val = A->dense};
    return PCS_OK;
}

static pcs_status sparse_to_bsr(const file_matrix *A, const text *t, int n, const int *start,
                                pcs_pool *keep, pcs_pool *scratch, pcs_bsr *out)
{
    const entries list = {A->rows, A->cols, A->entries, A->i, A->j, A->x};
    partition own = {.n = n, .start = POOL_TAKE(keep, (size_t)n + 1, int)};
    if (!own.start) return fail_memory();
    memcpy(own.start, start, ((size_t)n + 1) * sizeof *start);
    block_order order;
    PCS_TRY(entries_order(&list, own, own, scratch, &order));

    // nearly empty blocks would waste memory
    if (order.values > 16 * (size_t)A->entries + 4096) {
        PCS_TRY(partition_single(A->rows, keep, &own));
        PCS_TRY(entries_order(&list, own, own, scratch, &order));
    }
    char where[240];
    text_where(t, where, sizeof where);
    return entries_to_bsr(&list, &order, where, keep, out);
}

pcs_status matrix_to_entries(const file_matrix *A, bool zeros, pcs_pool *scratch, entries *out)
{
    if (A->storage == PCS_FILE_STORAGE_SPARSE) {
        *out = (entries){A->rows, A->cols, A->entries, A->i, A->j, A->x};
        return PCS_OK;
    }

    // a dense matrix is one block
    int row[2] = {0, A->rows}, col[2] = {0, A->cols}, ptr[2] = {0, A->rows > 0 && A->cols > 0};
    int idx = 0;
    size_t off = 0;
    const pcs_bsr one = {1, 1, row, col, ptr, &idx, &off, A->dense};
    return bsr_to_entries(A->storage == PCS_FILE_STORAGE_DENSE ? &one : &A->bsr,
                          zeros && A->storage == PCS_FILE_STORAGE_BLOCKS, scratch, out);
}

pcs_status matrix_to_bsr(const file_matrix *A, const text *t, int n, const int *start,
                         pcs_pool *keep, pcs_pool *scratch, pcs_bsr *out)
{
    PCS_ASSERT(A->rows == A->cols);
    switch (A->storage) {
    case PCS_FILE_STORAGE_DENSE:
        return dense_to_bsr(A, A->rows, keep, out);
    case PCS_FILE_STORAGE_SPARSE:
        return sparse_to_bsr(A, t, n, start, keep, scratch, out);
    case PCS_FILE_STORAGE_BLOCKS:
        break;
    }

    *out = A->bsr;
    if (out->m != out->n || memcmp(out->row, out->col, ((size_t)out->m + 1) * sizeof(int)) != 0) {
        return text_fail(
            t, PCS_ERR_SIZE,
            "the block rows and the block columns of the matrix differ; they must be the same");
    }
    return PCS_OK;
}
