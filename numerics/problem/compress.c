// The same problem with W in block rows of its cone blocks, without the blocks that are zero: dense
// files and callers often have matrices in which most pairs of contacts are not coupled.
#include "linalg/bsr.h"
#include "problem/problem.h"

#include <limits.h>
#include <string.h>

// used when at most this part of the entries is left
#define LEFT 0.5

typedef struct part {
    const double *val; // values of a stored block of W
    int ld;            // number of its rows
    int row, rows;     // first row and number of rows of the part
    int col, cols;
} part;

static bool part_is_zero(const part *a)
{
    for (int c = 0; c < a->cols; ++c) {
        const double *x = a->val + a->row + (size_t)a->ld * (size_t)(a->col + c);
        for (int r = 0; r < a->rows; ++r) {
            if (x[r] != 0) return false;
        }
    }
    return true;
}

// first cone block of every block row of W, nb for the one after the last
static void first_blocks(const pcs_problem *p, int *first)
{
    int b = 0;
    for (int i = 0; i < p->W.m; ++i) {
        while (b < p->nb && p->block[b].row < p->W.row[i]) {
            ++b;
        }
        first[i] = b;
    }
    first[p->W.m] = p->nb;
}

// Counts the remaining blocks and their entries; writes them when W->val is not null. Diagonal
// blocks always remain.
static void walk(const pcs_problem *p, const int *first, pcs_bsr *W, size_t *blocks,
                 size_t *entries)
{
    const pcs_bsr *A = &p->W;
    size_t k = 0, at = 0;
    for (int i = 0; i < A->m; ++i) {
        for (int b = first[i]; b < first[i + 1]; ++b) {
            for (int s = A->ptr[i]; s < A->ptr[i + 1]; ++s) {
                const int j = A->idx[s];
                part a = {A->val + A->off[s],
                          A->row[i + 1] - A->row[i],
                          p->block[b].row - A->row[i],
                          p->block[b].dim,
                          0,
                          0};
                for (int c = first[j]; c < first[j + 1]; ++c) {
                    a.col = p->block[c].row - A->col[j];
                    a.cols = p->block[c].dim;
                    if (b != c && part_is_zero(&a)) continue;
                    if (W->val) {
                        W->idx[k] = c;
                        W->off[k] = at;
                        for (int y = 0; y < a.cols; ++y) {
                            memcpy(W->val + at + (size_t)y * (size_t)a.rows,
                                   a.val + a.row + (size_t)a.ld * (size_t)(a.col + y),
                                   (size_t)a.rows * sizeof *a.val);
                        }
                    }
                    k += 1;
                    at += (size_t)a.rows * (size_t)a.cols;
                }
            }
            if (W->val) W->ptr[b + 1] = (int)k;
        }
    }
    *blocks = k;
    *entries = at;
}

pcs_status pcs_problem_compress(const pcs_problem *p, pcs_arena *arena, pcs_problem *out)
{
    if (!arena || !out) return pcs_fail(PCS_ERR_ARG, "pcs_problem_compress: an argument is null");
    PCS_TRY(pcs_problem_check(p));
    *out = *p;
    // nothing to do when block rows already are cone blocks
    if (p->n == 0 || p->W.m >= p->nb) return PCS_OK;

    const size_t nb = (size_t)p->nb;
    int *first = PCS_TAKE(arena, (size_t)p->W.m + 1, int);
    if (!first) return pcs_fail_memory("pcs_problem_compress");
    first_blocks(p, first);
    pcs_bsr W = {.m = p->nb, .n = p->nb};
    size_t blocks, entries;
    walk(p, first, &W, &blocks, &entries);
    if ((double)entries > LEFT * bsr_stored(&p->W) || blocks > INT_MAX) return PCS_OK;

    W.row = PCS_TAKE(arena, nb + 1, int);
    W.ptr = PCS_TAKE(arena, nb + 1, int);
    W.idx = PCS_TAKE(arena, blocks, int);
    W.off = PCS_TAKE(arena, blocks, size_t);
    W.val = PCS_TAKE(arena, entries, double);
    if (!W.row || !W.ptr || !W.idx || !W.off || !W.val) {
        return pcs_fail_memory("pcs_problem_compress");
    }
    W.col = W.row;
    W.row[0] = W.ptr[0] = 0;
    for (size_t b = 0; b < nb; ++b) {
        W.row[b + 1] = W.row[b] + p->block[b].dim;
    }
    walk(p, first, &W, &blocks, &entries);
    out->W = W;
    return PCS_OK;
}

size_t problem_compress_bytes(const pcs_problem *p)
{
    if (p->n == 0 || p->W.m >= p->nb) return 0;
    const size_t nb = (size_t)p->nb;
    // a block has one entry at least, and at most half of all entries are kept
    const size_t kept = (size_t)(LEFT * bsr_stored(&p->W)) + 1;
    return kept * (sizeof(double) + sizeof(size_t) + sizeof(int)) +
           (2 * nb + 2 + (size_t)p->W.m + 1) * sizeof(int) + 6 * (size_t)64;
}
