#include "solver/shifted.h"

#include <limits.h>
#include <string.h>

#include "linalg/bsr.h"
#include "linalg/dense.h"
#include "problem/problem.h"
#include "solver/solver.h"

// dense up to this many rows, or where W stores more than this part of its entries
#define DENSE_ROWS 150
#define DENSE_PART 0.4
// largest number of entries of a factor
#define SPARSE_MOST 3e8

// entries include memory for the diagonal
static bool is_sparse(const pcs_problem *p)
{
    const double n = p->n, entries = bsr_stored(&p->W) + n;
    return p->n > DENSE_ROWS && entries < DENSE_PART * n * n && entries < INT_MAX;
}

size_t shifted_bytes(const pcs_problem *p)
{
    const size_t n = (size_t)p->n;
    if (!is_sparse(p)) return solver_bytes(n * n, sizeof(double)) + solver_bytes(n, sizeof(int));
    const size_t nz = (size_t)bsr_stored(&p->W) + n;
    const size_t lu = sparse_lu_bytes(p->n), chol = chol_work_bytes();
    return solver_bytes(1, lu > chol ? lu : chol) + solver_bytes(n + 1, sizeof(int)) +
           solver_bytes(nz, sizeof(int)) + solver_bytes(nz, sizeof(double)) +
           2 * solver_bytes(n, sizeof(int)) + solver_bytes(n, sizeof(double));
}

// ---- the matrix ----------------------------------------------------------------------------

// the block row that contains a row
static int block_row(const pcs_bsr *W, int row)
{
    int low = 0, high = W->m - 1;
    while (low < high) {
        const int mid = low + (high - low + 1) / 2;
        if (W->row[mid] <= row) {
            low = mid;
        } else {
            high = mid - 1;
        }
    }
    return low;
}

// the upper triangle of W + rho I, rows and columns in the order of the factor
static void assemble_upper(shifted_lu *f, double rho)
{
    const pcs_bsr *W = &f->s->p.W;
    const int n = f->s->p.n;
    int at = 0;
    for (int k = 0; k < n; ++k) {
        const int row = f->order[k], i = block_row(W, row);
        const int h = W->row[i + 1] - W->row[i], l = row - W->row[i];
        bool diagonal = false;
        f->B.p[k] = at;
        for (int b = W->ptr[i]; b < W->ptr[i + 1]; ++b) {
            const int j = W->idx[b];
            const double *w = W->val + W->off[b] + l;
            for (int c = W->col[j]; c < W->col[j + 1]; ++c, w += h) {
                // column k from the entries of row k: W is symmetric
                const int place = f->place[c];
                if (place > k) continue;
                diagonal |= place == k;
                f->B.i[at] = place;
                f->B.x[at++] = *w + (place == k ? rho : 0);
            }
        }
        if (!diagonal) {
            f->B.i[at] = k;
            f->B.x[at++] = rho;
        }
    }
    f->B.p[n] = at;
}

// stores one entry of a row, or only counts it
static void put(shifted_lu *f, bool count, int row, int col, double x)
{
    if (count) {
        f->B.p[col + 1] += 1;
        return;
    }
    const int at = f->place[col]++;
    f->B.i[at] = row;
    f->B.x[at] = x;
}

// the columns of W + rho I
static void assemble_columns(shifted_lu *f, double rho)
{
    const pcs_bsr *W = &f->s->p.W;
    const int n = f->s->p.n;
    memset(f->B.p, 0, ((size_t)n + 1) * sizeof(int));
    for (int pass = 0; pass < 2; ++pass) {
        for (int row = 0, i = 0; row < n; ++row) {
            while (W->row[i + 1] <= row) {
                ++i;
            }
            const int h = W->row[i + 1] - W->row[i];
            bool diagonal = false;
            for (int b = W->ptr[i]; b < W->ptr[i + 1]; ++b) {
                const int j = W->idx[b];
                const double *w = W->val + W->off[b] + (row - W->row[i]);
                for (int c = W->col[j]; c < W->col[j + 1]; ++c, w += h) {
                    diagonal |= c == row;
                    put(f, pass == 0, row, c, *w + (c == row ? rho : 0));
                }
            }
            if (!diagonal) put(f, pass == 0, row, row, rho);
        }
        for (int c = 0; pass == 0 && c < n; ++c) {
            f->B.p[c + 1] += f->B.p[c];
            f->place[c] = f->B.p[c];
        }
    }
}

// ---- memory --------------------------------------------------------------------------------

static bool begin_sparse(shifted_lu *f, pcs_arena *work)
{
    const int n = f->s->p.n;
    const size_t rows = (size_t)n, nz = (size_t)bsr_stored(&f->s->p.W) + rows;
    f->order = PCS_TAKE(work, rows, int);
    f->place = PCS_TAKE(work, rows, int);
    f->x = PCS_TAKE(work, rows, double);
    f->B = (pcs_csc){.m = n,
                     .n = n,
                     .p = PCS_TAKE(work, rows + 1, int),
                     .i = PCS_TAKE(work, nz, int),
                     .x = PCS_TAKE(work, nz, double)};
    if (!f->order || !f->place || !f->x || !f->B.p || !f->B.i || !f->B.x) return false;
    if (!f->s->symmetric) {
        f->lu = sparse_lu_begin(n, work);
        return f->lu != NULL;
    }
    f->chol = chol_begin(work);
    if (!f->chol) return false;
    for (int i = 0; i < n; ++i) {
        f->order[i] = f->place[i] = i;
    }
    assemble_upper(f, 1);
    // no memory for a better order: keep this one
    if (!chol_order(f->chol, &f->B, f->order)) {
        for (int i = 0; i < n; ++i) {
            f->order[i] = i;
        }
    }
    for (int k = 0; k < n; ++k) {
        f->place[f->order[k]] = k;
    }
    return true;
}

bool shifted_begin(shifted_lu *f, const scaled *s, pcs_arena *work)
{
    const size_t n = (size_t)s->p.n;
    *f = (shifted_lu){.s = s};
    if (s->on) return true;
    if (is_sparse(&s->p)) return begin_sparse(f, work);
    f->A = PCS_TAKE(work, n * n, double);
    f->piv = PCS_TAKE(work, n, int);
    return f->A && f->piv;
}

void shifted_free(shifted_lu *f)
{
    if (f->chol) chol_end(f->chol);
    sparse_lu_end(f->lu);
    f->chol = NULL;
    f->lu = NULL;
}

// ---- factors and solves ----------------------------------------------------------------------

bool shifted_factor(shifted_lu *f, double rho)
{
    const int n = f->s->p.n;
    const bool same = f->analysed;
    f->analysed = true;
    if (f->s->on) return f->s->on->factor(f->s->on->user, rho);
    if (f->chol) {
        assemble_upper(f, rho);
        return chol_refactor(f->chol, &f->B, same, 0, SPARSE_MOST) == CHOL_GOOD;
    }
    if (f->lu) {
        assemble_columns(f, rho);
        return sparse_lu_refactor(f->lu, &f->B, same) == SPARSE_LU_GOOD;
    }
    for (int attempt = f->s->symmetric ? 0 : 1; attempt < 2; ++attempt) {
        pcs_bsr_to_dense(&f->s->p.W, f->A);
        for (int i = 0; i < n; ++i) {
            f->A[(size_t)i * ((size_t)n + 1)] += rho;
        }
        f->cholesky = attempt == 0;
        if (f->cholesky ? dense_cholesky(n, f->A) : dense_lu(n, f->A, f->piv)) return true;
    }
    return false;
}

bool shifted_solve(shifted_lu *f, double *x)
{
    const int n = f->s->p.n;
    if (f->s->on) return f->s->on->solve(f->s->on->user, x);
    if (f->lu) return sparse_lu_apply(f->lu, x);
    if (!f->chol) {
        if (f->cholesky) {
            dense_cholesky_solve(n, f->A, x);
        } else {
            dense_lu_solve(n, f->A, f->piv, false, 1, x);
        }
        return true;
    }
    for (int k = 0; k < n; ++k) {
        f->x[k] = x[f->order[k]];
    }
    if (!chol_apply(f->chol, f->x)) return false;
    for (int k = 0; k < n; ++k) {
        x[f->order[k]] = f->x[k];
    }
    return true;
}
