// Entries into blocks, in linear time: sorted by counting, first by block column, then, keeping
// that order, by block row.
#include "problem_file/entries.h"

#include <limits.h>
#include <string.h>

#include "base/base.h"

static pcs_status fail_memory(void)
{
    return pcs_fail_memory("problem file");
}

pcs_status entries_take(int rows, int cols, int n, pcs_pool *pool, entries *out)
{
    *out = (entries){.rows = rows,
                     .cols = cols,
                     .n = n,
                     .i = POOL_TAKE(pool, (size_t)n, int),
                     .j = POOL_TAKE(pool, (size_t)n, int),
                     .x = POOL_TAKE(pool, (size_t)n, double)};
    return out->i && out->j && out->x ? PCS_OK : fail_memory();
}

entries entries_transposed(const entries *A)
{
    return (entries){.rows = A->cols, .cols = A->rows, .n = A->n, .i = A->j, .j = A->i, .x = A->x};
}

static void sides(const entries *A, bool *lower, bool *upper)
{
    *lower = *upper = false;
    for (int k = 0; k < A->n; ++k) {
        *lower = *lower || (A->i[k] > A->j[k] && A->x[k] != 0);
        *upper = *upper || (A->i[k] < A->j[k] && A->x[k] != 0);
    }
}

bool entries_one_sided(const entries *A)
{
    bool lower, upper;
    sides(A, &lower, &upper);
    return lower != upper;
}

bool entries_diagonal(const entries *A)
{
    bool lower, upper;
    sides(A, &lower, &upper);
    return !lower && !upper;
}

pcs_status entries_mirror(const entries *A, pcs_pool *scratch, entries *out)
{
    size_t n = (size_t)A->n;
    for (int k = 0; k < A->n; ++k) {
        n += A->i[k] != A->j[k];
    }
    if (n > INT_MAX) return fail_memory();
    PCS_TRY(entries_take(A->rows, A->cols, (int)n, scratch, out));
    int at = 0;
    for (int k = 0; k < A->n; ++k) {
        for (int side = 0; side < (A->i[k] != A->j[k] ? 2 : 1); ++side) {
            out->i[at] = side ? A->j[k] : A->i[k];
            out->j[at] = side ? A->i[k] : A->j[k];
            out->x[at++] = A->x[k];
        }
    }
    return PCS_OK;
}

pcs_status partition_single(int n, pcs_pool *pool, partition *out)
{
    int *start = POOL_TAKE(pool, (size_t)n + 1, int);
    if (!start) return fail_memory();
    for (int i = 0; i <= n; ++i) {
        start[i] = i;
    }
    *out = (partition){.n = n, .start = start};
    return PCS_OK;
}

bool partition_refines(const partition *fine, const partition *coarse)
{
    if (fine->start[fine->n] != coarse->start[coarse->n]) return false;
    int f = 0;
    for (int c = 0; c <= coarse->n; ++c) {
        while (f < fine->n && fine->start[f] < coarse->start[c]) {
            ++f;
        }
        if (fine->start[f] != coarse->start[c]) return false;
    }
    return true;
}

static int width(const partition *p, int b)
{
    return p->start[b + 1] - p->start[b];
}

static int *part_of(const partition *p, pcs_pool *scratch)
{
    int *part = POOL_TAKE(scratch, (size_t)p->start[p->n], int);
    for (int b = 0; part && b < p->n; ++b) {
        for (int i = p->start[b]; i < p->start[b + 1]; ++i) {
            part[i] = b;
        }
    }
    return part;
}

// true if entry k of the order lies in another block than the one before
static bool opens_block(const entries *A, const block_order *o, int k)
{
    if (k == 0) return true;
    const int a = o->order[k - 1], b = o->order[k];
    return o->row_part[A->i[a]] != o->row_part[A->i[b]] ||
           o->col_part[A->j[a]] != o->col_part[A->j[b]];
}

static void deal(const entries *A, const int *key, const int *part, const int *from, int *count,
                 int n_part, int *to)
{
    memset(count, 0, ((size_t)n_part + 1) * sizeof *count);
    for (int k = 0; k < A->n; ++k) {
        count[part[key[k]] + 1] += 1;
    }
    for (int b = 0; b < n_part; ++b) {
        count[b + 1] += count[b];
    }
    for (int k = 0; k < A->n; ++k) {
        const int entry = from ? from[k] : k;
        to[count[part[key[entry]]]++] = entry;
    }
}

pcs_status entries_order(const entries *A, partition row, partition col, pcs_pool *scratch,
                         block_order *out)
{
    PCS_ASSERT(row.start[row.n] == A->rows && col.start[col.n] == A->cols);
    const int most = row.n > col.n ? row.n : col.n;
    int *count = POOL_TAKE(scratch, (size_t)most + 1, int);
    int *by_column = POOL_TAKE(scratch, (size_t)A->n, int);
    *out = (block_order){.row = row,
                         .col = col,
                         .row_part = part_of(&row, scratch),
                         .col_part = part_of(&col, scratch),
                         .order = POOL_TAKE(scratch, (size_t)A->n, int)};
    if (!count || !by_column || !out->row_part || !out->col_part || !out->order) {
        return fail_memory();
    }
    deal(A, A->j, out->col_part, NULL, count, col.n, by_column);
    deal(A, A->i, out->row_part, by_column, count, row.n, out->order);

    for (int k = 0; k < A->n; ++k) {
        if (!opens_block(A, out, k)) continue;
        const int e = out->order[k];
        out->blocks += 1;
        out->values += (size_t)width(&row, out->row_part[A->i[e]]) *
                       (size_t)width(&col, out->col_part[A->j[e]]);
    }
    return PCS_OK;
}

pcs_status entries_to_bsr(const entries *A, const block_order *o, const char *where, pcs_pool *keep,
                          pcs_bsr *out)
{
    const int m = o->row.n;
    *out = (pcs_bsr){.m = m,
                     .n = o->col.n,
                     .row = o->row.start,
                     .col = o->col.start,
                     .ptr = POOL_TAKE(keep, (size_t)m + 1, int),
                     .idx = POOL_TAKE(keep, (size_t)o->blocks, int),
                     .off = POOL_TAKE(keep, (size_t)o->blocks, size_t),
                     .val = POOL_TAKE(keep, o->values, double)};
    if (!out->ptr || !out->idx || !out->off || !out->val) return fail_memory();

    int b = -1;
    size_t next = 0;
    for (int k = 0; k < A->n; ++k) {
        const int e = o->order[k], i = A->i[e], j = A->j[e];
        const int pi = o->row_part[i], pj = o->col_part[j], h = width(&o->row, pi);
        if (opens_block(A, o, k)) {
            b += 1;
            out->idx[b] = pj;
            out->off[b] = next;
            out->ptr[pi + 1] += 1;
            next += (size_t)h * (size_t)width(&o->col, pj);
        }
        const size_t r = (size_t)(i - o->row.start[pi]), c = (size_t)(j - o->col.start[pj]);
        out->val[out->off[b] + r + (size_t)h * c] += A->x[e];
    }
    for (int i = 0; i < m; ++i) {
        out->ptr[i + 1] += out->ptr[i];
    }
    if (!pcs_all_finite(out->val, o->values)) {
        return pcs_fail(
            PCS_ERR_FORMAT,
            "%s: the sum of the entries at one place of the matrix exceeds the range of a double",
            where);
    }
    return PCS_OK;
}

pcs_status bsr_to_entries(const pcs_bsr *A, bool zeros, pcs_pool *scratch, entries *out)
{
    // the first pass counts, the second lists
    *out = (entries){0};
    for (int pass = 0; pass < 2; ++pass) {
        size_t n = 0;
        for (int i = 0; i < A->m; ++i) {
            const int h = A->row[i + 1] - A->row[i];
            for (int k = A->ptr[i]; k < A->ptr[i + 1]; ++k) {
                const int b = A->idx[k], w = A->col[b + 1] - A->col[b];
                for (size_t e = 0; e < (size_t)h * (size_t)w; ++e) {
                    const double x = A->val[A->off[k] + e];
                    if (!zeros && x == 0) continue;
                    if (pass == 1) {
                        out->i[n] = A->row[i] + (int)(e % (size_t)h);
                        out->j[n] = A->col[b] + (int)(e / (size_t)h);
                        out->x[n] = x;
                    }
                    ++n;
                }
            }
        }
        if (n > INT_MAX) {
            return pcs_fail(PCS_ERR_SIZE, "problem file: a matrix has more entries than an int"
                                          " can count");
        }
        if (pass == 0) {
            PCS_TRY(entries_take(A->row[A->m], A->col[A->n], (int)n, scratch, out));
        }
    }
    return PCS_OK;
}
