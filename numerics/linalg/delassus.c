// The Delassus operator W = H M^-1 H^T.
//
// Block-diagonal mass: W_ij = sum over the blocks b that constraints i and j share of
// H_ib M_b^-1 H_jb^T. Sparse mass: the columns of M^-1 H^T one constraint block at a time.
#include <limits.h>
#include <string.h>

#include "linalg/bsr.h"
#include "linalg/mass.h"

// the entries of each block column of H, as positions k of H
typedef struct columns {
    int *ptr;   // n + 1
    int *row;   // block row of each entry
    int *entry; // position k in H
} columns;

static bool columns_of(const pcs_bsr *H, pcs_arena *arena, columns *c)
{
    const size_t nnz = (size_t)H->ptr[H->m];
    c->ptr = PCS_TAKE(arena, (size_t)H->n + 2, int);
    c->row = PCS_TAKE(arena, nnz, int);
    c->entry = PCS_TAKE(arena, nnz, int);
    if (!c->ptr || !c->row || !c->entry) return false;

    memset(c->ptr, 0, ((size_t)H->n + 2) * sizeof(int));
    for (size_t k = 0; k < nnz; ++k) {
        c->ptr[H->idx[k] + 2] += 1;
    }
    for (int j = 0; j < H->n; ++j) {
        c->ptr[j + 2] += c->ptr[j + 1];
    }
    for (int i = 0; i < H->m; ++i) {
        for (int k = H->ptr[i]; k < H->ptr[i + 1]; ++k) {
            const int at = c->ptr[H->idx[k] + 1]++;
            c->row[at] = i;
            c->entry[at] = k;
        }
    }
    return true;
}

static void sort_ints(int n, int *x)
{
    for (int i = 1; i < n; ++i) {
        const int v = x[i];
        int j = i - 1;
        while (j >= 0 && x[j] > v) {
            x[j + 1] = x[j];
            --j;
        }
        x[j + 1] = v;
    }
}

// the block pattern of W: rows that share a block column of H
static pcs_status pattern(const pcs_bsr *H, pcs_arena *arena, pcs_bsr *W, columns *cols)
{
    const int m = H->m;
    const char *where = "W = H M^-1 H^T";
    *W = (pcs_bsr){.m = m, .n = m, .row = H->row, .col = H->row};
    W->ptr = PCS_TAKE(arena, (size_t)m + 1, int);
    if (!W->ptr || !columns_of(H, arena, cols)) return pcs_fail_memory(where);
    int *mark = PCS_TAKE(arena, (size_t)m, int);
    if (!mark) return pcs_fail_memory(where);
    for (int i = 0; i < m; ++i) {
        mark[i] = -1;
    }

    // the first pass counts, the second lists
    for (int pass = 0; pass < 2; ++pass) {
        size_t nnz = 0, values = 0;
        for (int i = 0; i < m; ++i) {
            const size_t first = nnz;
            const size_t h = (size_t)(H->row[i + 1] - H->row[i]);
            for (int k = H->ptr[i]; k < H->ptr[i + 1]; ++k) {
                const int b = H->idx[k];
                for (int c = cols->ptr[b]; c < cols->ptr[b + 1]; ++c) {
                    const int j = cols->row[c];
                    if (mark[j] == i + m * pass) continue;
                    mark[j] = i + m * pass;
                    if (pass == 1) W->idx[nnz] = j;
                    ++nnz;
                    if (pass == 0) values += h * (size_t)(H->row[j + 1] - H->row[j]);
                }
            }
            if (pass == 1) sort_ints((int)(nnz - first), W->idx + first);
            if (nnz > INT_MAX)
                return pcs_fail(PCS_ERR_SIZE, "%s: more blocks than an int can count", where);
            W->ptr[i + 1] = (int)nnz;
        }
        W->ptr[0] = 0;
        if (pass == 0) {
            if (m > INT_MAX / 2)
                return pcs_fail(PCS_ERR_SIZE, "%s: more block rows than an int can count", where);
            W->idx = PCS_TAKE(arena, nnz, int);
            W->off = PCS_TAKE(arena, nnz, size_t);
            W->val = PCS_TAKE(arena, values, double);
            if (!W->idx || !W->off || !W->val) return pcs_fail_memory(where);
            memset(W->val, 0, values * sizeof(double));
        }
    }

    size_t at = 0;
    for (int i = 0; i < m; ++i) {
        const size_t h = (size_t)(H->row[i + 1] - H->row[i]);
        for (int k = W->ptr[i]; k < W->ptr[i + 1]; ++k) {
            W->off[k] = at;
            at += h * (size_t)(H->row[W->idx[k] + 1] - H->row[W->idx[k]]);
        }
    }
    return PCS_OK;
}

// one block row: W is one block, and there is no pattern to find
static pcs_status delassus_one(const pcs_bsr *H, const block_lu *F, pcs_arena *arena, pcs_bsr *W)
{
    const int h = H->row[1];
    *W = (pcs_bsr){.m = 1, .n = 1, .row = H->row, .col = H->row};
    int *index = PCS_TAKE(arena, 3, int);
    W->off = PCS_TAKE(arena, 1, size_t);
    W->val = PCS_TAKE(arena, (size_t)h * (size_t)h, double);
    int widest = 0;
    for (int k = 0; k < H->ptr[1]; ++k) {
        const int w = H->col[H->idx[k] + 1] - H->col[H->idx[k]];
        if (w > widest) widest = w;
    }
    pcs_arena scratch = *arena;
    double *x = PCS_TAKE(&scratch, (size_t)widest, double);
    if (!index || !W->off || !W->val || !x) return pcs_fail_memory("W = H M^-1 H^T");

    index[0] = 0;
    index[1] = 1;
    index[2] = 0;
    W->ptr = index;
    W->idx = index + 2;
    W->off[0] = 0;
    memset(W->val, 0, (size_t)h * (size_t)h * sizeof(double));
    for (int k = 0; k < H->ptr[1]; ++k) {
        const int b = H->idx[k], w = H->col[b + 1] - H->col[b];
        const double *A = H->val + H->off[k];
        for (int r = 0; r < h; ++r) {
            for (int c = 0; c < w; ++c) {
                x[c] = A[r + (size_t)h * (size_t)c];
            }
            block_lu_solve(F, b, x);
            block_addmul(h, w, A, x, W->val + (size_t)h * (size_t)r);
        }
    }
    return PCS_OK;
}

pcs_status delassus_blocks(const pcs_bsr *H, const block_lu *F, pcs_arena *arena, pcs_bsr *W)
{
    if (H->m == 1) return delassus_one(H, F, arena, W);

    columns cols = {0};
    PCS_TRY(pattern(H, arena, W, &cols));

    pcs_arena scratch = *arena;
    int widest = 0, tallest = 0;
    for (int b = 0; b < F->nb; ++b) {
        const int w = F->start[b + 1] - F->start[b];
        if (w > widest) widest = w;
    }
    for (int j = 0; j < H->m; ++j) {
        const int h = H->row[j + 1] - H->row[j];
        if (h > tallest) tallest = h;
    }
    double *X = PCS_TAKE(&scratch, (size_t)widest * (size_t)tallest, double);
    if (!X && widest > 0 && tallest > 0) return pcs_fail_memory("W = H M^-1 H^T");

    for (int j = 0; j < H->m; ++j) {
        const int hj = H->row[j + 1] - H->row[j];
        for (int k = H->ptr[j]; k < H->ptr[j + 1]; ++k) {
            const int b = H->idx[k], w = F->start[b + 1] - F->start[b];

            // X = M_b^-1 H_jb^T, a column per row of the constraint
            for (int r = 0; r < hj; ++r) {
                for (int c = 0; c < w; ++c) {
                    X[c + w * r] = H->val[H->off[k] + (size_t)(r + hj * c)];
                }
                block_lu_solve(F, b, X + (size_t)w * r);
            }

            // W_ij += H_ib X for every i that touches b
            for (int c = cols.ptr[b]; c < cols.ptr[b + 1]; ++c) {
                const int i = cols.row[c], hi = H->row[i + 1] - H->row[i];
                double *Wij = W->val + W->off[pcs_bsr_find(W, i, j)];
                for (int r = 0; r < hj; ++r) {
                    block_addmul(hi, w, H->val + H->off[cols.entry[c]], X + (size_t)w * r,
                                 Wij + (size_t)hi * r);
                }
            }
        }
    }
    return PCS_OK;
}

// a sparse mass couples every constraint with every other: W is stored as one dense block
static pcs_status delassus_sparse(const pcs_bsr *H, const pcs_mass_matrix *mass, pcs_arena *arena,
                                  pcs_bsr *W)
{
    const int m = H->m, rows = bsr_rows(H), n = pcs_mass_matrix_size(mass);
    if ((long long)m * m > INT_MAX)
        return pcs_fail(PCS_ERR_SIZE, "W: more block rows than an int can count");

    // all blocks present, W partitioned as H
    *W = (pcs_bsr){.m = m, .n = m, .row = H->row, .col = H->row};
    const size_t nnz = (size_t)m * (size_t)m;
    W->ptr = PCS_TAKE(arena, (size_t)m + 1, int);
    W->idx = PCS_TAKE(arena, nnz, int);
    W->off = PCS_TAKE(arena, nnz, size_t);
    W->val = PCS_TAKE(arena, (size_t)rows * (size_t)rows, double);
    pcs_arena scratch = *arena;
    double *x = PCS_TAKE(&scratch, (size_t)n, double);
    double *e = PCS_TAKE(&scratch, (size_t)rows, double);
    double *y = PCS_TAKE(&scratch, (size_t)rows, double);
    if (!W->ptr || !W->idx || !W->off || !W->val || !x || !e || !y) {
        return pcs_fail_memory("W = H M^-1 H^T");
    }

    size_t at = 0;
    W->ptr[0] = 0;
    for (int i = 0; i < m; ++i) {
        W->ptr[i + 1] = m * (i + 1);
        for (int j = 0; j < m; ++j) {
            W->idx[m * i + j] = j;
            W->off[m * i + j] = at;
            at += (size_t)(H->row[i + 1] - H->row[i]) * (size_t)(H->row[j + 1] - H->row[j]);
        }
    }

    memset(e, 0, (size_t)rows * sizeof *e);
    for (int j = 0; j < m; ++j) {
        for (int c = H->row[j]; c < H->row[j + 1]; ++c) {
            e[c] = 1;
            memset(x, 0, (size_t)n * sizeof *x);
            pcs_bsr_addmul_t(H, e, x);
            e[c] = 0;
            PCS_TRY(pcs_mass_matrix_solve(mass, x, x));
            pcs_bsr_mul(H, x, y);
            for (int i = 0; i < m; ++i) {
                const int h = H->row[i + 1] - H->row[i];
                memcpy(W->val + W->off[m * i + j] + (size_t)h * (size_t)(c - H->row[j]),
                       y + H->row[i], (size_t)h * sizeof *y);
            }
        }
    }
    return PCS_OK;
}

pcs_status pcs_delassus(const pcs_bsr *H, const pcs_mass_matrix *mass, pcs_arena *arena, pcs_bsr *W)
{
    if (!mass || !arena || !W) return pcs_fail(PCS_ERR_ARG, "pcs_delassus: an argument is null");
    PCS_TRY(pcs_bsr_check(H));
    if (bsr_cols(H) != pcs_mass_matrix_size(mass)) {
        return pcs_fail(PCS_ERR_SIZE, "pcs_delassus: H has %d columns, the mass %d", bsr_cols(H),
                        pcs_mass_matrix_size(mass));
    }
    const block_lu *F = mass_blocks(mass);
    if (!F || F->joined) return delassus_sparse(H, mass, arena, W);

    if (H->n != F->nb || memcmp(H->col, F->start, ((size_t)H->n + 1) * sizeof(int)) != 0) {
        return pcs_fail(PCS_ERR_SIZE, "pcs_delassus: the block columns of H are not the blocks of"
                                      " the mass");
    }
    return delassus_blocks(H, F, arena, W);
}
