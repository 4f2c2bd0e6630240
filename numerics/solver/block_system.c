// J = A W + B with A and B block diagonal, factorised and solved.
//
// The sparse pattern: column j has the rows of cone block b when W has a nonzero entry in those
// rows (A combines them), or when j belongs to b. Cone blocks follow one another, so that filling
// them in order sorts the rows of every column.
#include "solver/block_system.h"

#include <string.h>

#include "linalg/dense.h"

// J is a full matrix up to this many rows, or when the sparse one would have a larger part of all
// entries
#define DENSE_ROWS 120
#define DENSE_PART 0.25

// A group of rows that A combines: a unilateral or Coulomb block, or one row of an equality block.
typedef struct strip {
    int row, d;      // rows
    int wrow;        // block row of W
    int local;       // first row within it
    const double *A; // d x d, or null: the identity
    const double *B; // d x d
} strip;

static bool all_zero(int d, const double *w)
{
    for (int c = 0; c < d; ++c) {
        if (w[c] != 0) return false;
    }
    return true;
}

// Adds the rows of strip `id` to column j, and returns the place of their values; while S.i is null
// they are only counted.
static double *place(block_system *s, int id, const strip *g, int j)
{
    s->last[j] = id;
    const int at = s->next[j];
    s->next[j] += g->d;
    if (!s->S.i) return NULL;
    for (int c = 0; c < g->d; ++c) {
        s->S.i[at + c] = g->row + c;
    }
    return s->S.x + at;
}

static void write_column(const strip *g, int j, const double *w, double *dst)
{
    const int d = g->d;
    if (!w) {
        memset(dst, 0, (size_t)d * sizeof *dst);
    } else if (!g->A) {
        memcpy(dst, w, (size_t)d * sizeof *dst);
    } else {
        for (int r = 0; r < d; ++r) {
            double sum = 0;
            for (int c = 0; c < d; ++c) {
                sum += g->A[r + d * c] * w[c];
            }
            dst[r] = sum;
        }
    }
    const int own = j - g->row;
    for (int r = 0; own >= 0 && own < d && r < d; ++r) {
        dst[r] += g->B[r + d * own];
    }
}

// counts, or fills, the columns of one strip
static void walk_strip(block_system *s, int id, const strip *g)
{
    const pcs_bsr *W = &s->p->W;
    const bool counting = !s->dense && !s->S.i;
    const size_t n = (size_t)s->p->n;
    const int h = W->row[g->wrow + 1] - W->row[g->wrow];
    for (int k = W->ptr[g->wrow]; k < W->ptr[g->wrow + 1]; ++k) {
        const double *w = W->val + W->off[k] + g->local;
        for (int j = W->col[W->idx[k]]; j < W->col[W->idx[k] + 1]; ++j, w += h) {
            const bool own = j >= g->row && j < g->row + g->d;
            if (s->dense) {
                write_column(g, j, w, s->J + (size_t)g->row + n * (size_t)j);
            } else if (own || !all_zero(g->d, w)) {
                double *dst = place(s, id, g, j);
                if (!counting) write_column(g, j, w, dst);
            }
        }
    }
    // columns of the block itself that W does not store
    for (int j = g->row; j < g->row + g->d; ++j) {
        if (s->dense ? pcs_bsr_find(W, g->wrow, g->wrow) >= 0 : s->last[j] == id) continue;
        double *dst = s->dense ? s->J + (size_t)g->row + n * (size_t)j : place(s, id, g, j);
        if (!counting) write_column(g, j, NULL, dst);
    }
}

static void walk(block_system *s, const double *A, const double *B)
{
    const pcs_problem *p = s->p;
    int wrow = 0, id = 0;
    for (int j = 0; !s->dense && j < p->n; ++j) {
        s->last[j] = -1;
    }
    for (int b = 0; b < p->nb; ++b) {
        const pcs_block *block = &p->block[b];
        const size_t at = BLOCK_SYSTEM_STRIDE * (size_t)b;
        while (p->W.row[wrow + 1] <= block->row) {
            ++wrow;
        }
        const bool free = block->cone == PCS_CONE_EQUALITY;
        const int d = free ? 1 : block->dim;
        for (int row = block->row; row < block->row + block->dim; row += d) {
            const strip g = {
                row, d, wrow, row - p->W.row[wrow], A ? A + at : NULL, B ? B + at : NULL};
            walk_strip(s, id++, &g);
        }
    }
}

// an upper bound of the entries of the sparse pattern
static double pattern_bound(const pcs_problem *p)
{
    double sum = 0;
    int wrow = 0;
    for (int b = 0; b < p->nb; ++b) {
        const pcs_block *block = &p->block[b];
        while (p->W.row[wrow + 1] <= block->row) {
            ++wrow;
        }
        double columns = block->cone == PCS_CONE_EQUALITY ? 1 : block->dim;
        for (int k = p->W.ptr[wrow]; k < p->W.ptr[wrow + 1]; ++k) {
            columns += p->W.col[p->W.idx[k] + 1] - p->W.col[p->W.idx[k]];
        }
        sum += columns * block->dim;
    }
    return sum;
}

static bool is_small(const pcs_problem *p)
{
    return p->n <= DENSE_ROWS;
}

size_t block_system_bytes(const pcs_problem *p)
{
    const size_t n = (size_t)p->n;
    const size_t vectors = 6 * ((n + 1) * sizeof(double) + 64) + sparse_lu_bytes(p->n);
    if (is_small(p)) return n * n * sizeof(double) + 64 + vectors;
    const double bound = pattern_bound(p), full = (double)n * (double)n;
    const double entries = bound < full ? bound : full;
    double most = entries * (sizeof(double) + sizeof(int));
    // a pattern with this many entries may become a full matrix
    if (entries > DENSE_PART * full && most < full * sizeof(double)) most = full * sizeof(double);
    return (size_t)most + 2 * (size_t)64 + vectors;
}

bool block_system_begin(block_system *s, const pcs_problem *p, pcs_arena *arena)
{
    const size_t n = (size_t)p->n;
    *s = (block_system){.p = p, .dense = is_small(p)};
    s->piv = PCS_TAKE(arena, n, int);
    s->t = PCS_TAKE(arena, n, double);
    s->t2 = PCS_TAKE(arena, n, double);
    s->next = PCS_TAKE(arena, n, int);
    s->last = PCS_TAKE(arena, n, int);
    s->S.p = PCS_TAKE(arena, n + 1, int);
    if (!s->piv || !s->t || !s->t2 || !s->next || !s->last || !s->S.p) return false;
    if (!s->dense) {
        // S.i is null: only count
        memset(s->next, 0, n * sizeof *s->next);
        walk(s, NULL, NULL);
        double entries = 0;
        for (size_t j = 0; j < n; ++j) {
            entries += s->next[j];
        }
        s->dense = entries > DENSE_PART * (double)n * (double)n;
    }
    if (s->dense) {
        s->J = PCS_TAKE(arena, n * n, double);
        return s->J != NULL;
    }

    s->S.m = s->S.n = p->n;
    s->S.p[0] = 0;
    for (size_t j = 0; j < n; ++j) {
        s->S.p[j + 1] = s->S.p[j] + s->next[j];
    }
    const size_t entries = (size_t)s->S.p[n];
    s->S.x = PCS_TAKE(arena, entries, double);
    s->S.i = PCS_TAKE(arena, entries, int);
    s->lu = sparse_lu_begin(p->n, arena);
    return s->S.x && s->S.i && s->lu;
}

void block_system_end(block_system *s)
{
    sparse_lu_end(s->lu);
    s->lu = NULL;
}

static double pivot_ratio(int n, const double *lu)
{
    double low = INFINITY, high = 0;
    for (size_t i = 0; i < (size_t)n; ++i) {
        const double x = fabs(lu[i + (size_t)n * i]);
        if (!(x >= low)) low = x;
        if (!(x <= high)) high = x;
    }
    return n == 0 ? 1 : low / high;
}

sparse_lu_outcome block_system_factor(block_system *s, const double *A, const double *B,
                                      double rcond)
{
    const int n = s->p->n;
    if (s->dense) {
        memset(s->J, 0, (size_t)n * (size_t)n * sizeof *s->J);
        walk(s, A, B);
        if (!dense_lu(n, s->J, s->piv)) return SPARSE_LU_SINGULAR;
        s->rcond = pivot_ratio(n, s->J);
    } else {
        memcpy(s->next, s->S.p, (size_t)n * sizeof *s->next);
        walk(s, A, B);
        const sparse_lu_outcome end = sparse_lu_refactor(s->lu, &s->S, s->analysed);
        if (end != SPARSE_LU_LOST) s->analysed = true;
        if (end != SPARSE_LU_GOOD) return end;
        s->rcond = sparse_lu_rcond(s->lu);
    }
    return s->rcond > rcond ? SPARSE_LU_GOOD : SPARSE_LU_SINGULAR;
}

int block_system_sign(const block_system *s)
{
    return s->dense ? dense_lu_sign(s->p->n, s->J, s->piv) : sparse_lu_sign(s->lu);
}

static bool apply(block_system *s, double *x)
{
    if (!s->dense) return sparse_lu_apply(s->lu, x);
    dense_lu_solve(s->p->n, s->J, s->piv, false, 1, x);
    return true;
}

bool block_system_solve(block_system *s, const double *A, const double *B, int refine, double *b)
{
    const size_t n = (size_t)s->p->n;
    if (refine == 0) return apply(s, b);

    double *x = s->t, *defect = s->t2;
    memcpy(x, b, n * sizeof *x);
    if (!apply(s, x)) return false;
    for (int k = 0; k < refine; ++k) {
        block_system_mul(s, A, B, x, defect);
        for (size_t i = 0; i < n; ++i) {
            defect[i] = b[i] - defect[i];
        }
        if (!apply(s, defect)) return false;
        for (size_t i = 0; i < n; ++i) {
            x[i] += defect[i];
        }
    }
    memcpy(b, x, n * sizeof *x);
    return true;
}

void block_system_mul(const block_system *s, const double *A, const double *B, const double *x,
                      double *y)
{
    const pcs_problem *p = s->p;
    pcs_bsr_mul(&p->W, x, y);
    for (int b = 0; b < p->nb; ++b) {
        const pcs_block *block = &p->block[b];
        const bool free = block->cone == PCS_CONE_EQUALITY;
        const double *Ab = A ? A + BLOCK_SYSTEM_STRIDE * (size_t)b : NULL;
        const double *Bb = B + BLOCK_SYSTEM_STRIDE * (size_t)b;
        const double *xb = x + block->row;
        double *yb = y + block->row;
        if (free) {
            for (int c = 0; c < block->dim; ++c) {
                yb[c] = (Ab ? Ab[0] : 1) * yb[c] + Bb[0] * xb[c];
            }
            continue;
        }
        const int d = block->dim;
        double wx[3];
        memcpy(wx, yb, (size_t)d * sizeof *wx);
        for (int r = 0; r < d; ++r) {
            double sum = Ab ? 0 : wx[r];
            for (int c = 0; c < d; ++c) {
                if (Ab) sum += Ab[r + d * c] * wx[c];
                sum += Bb[r + d * c] * xb[c];
            }
            yb[r] = sum;
        }
    }
}
