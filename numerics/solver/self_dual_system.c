// A + C in contact space: dense Cholesky, CHOLMOD, or the LU of block_system.
#include "solver/self_dual_system.h"

#include <float.h>
#include <string.h>

#include "linalg/bsr.h"
#include "linalg/dense.h"
#include "problem/problem.h"

// a full matrix up to this many rows, or when the sparse one would have a larger part of all
// entries
#define DENSE_ROWS 120
#define DENSE_PART 0.25
// steps of refinement
#define REFINE 2
// C is added to A, whose null space is large where contacts are hyperstatic
#define FLOOR 1e-11
// entries (i, j) and (j, i) of A, whose diagonal is about 1, are equal when they differ by less
#define SYMMETRY_TOL (64 * DBL_EPSILON)
// largest number of entries of a factor, 8 bytes each
#define MOST_ENTRIES 2e8

// an upper bound of the entries of the upper triangle: those of W and the diagonal blocks
static double upper_bound(const pcs_problem *p)
{
    double sum = bsr_stored(&p->W) / 2;
    for (int b = 0; b < p->nb; ++b) {
        const double d = p->block[b].dim;
        sum += p->block[b].cone == PCS_CONE_EQUALITY ? 2 * d : d * (d + 1);
    }
    return sum + p->n;
}

static bool is_dense(const pcs_problem *p)
{
    return p->n <= DENSE_ROWS || bsr_stored(&p->W) > DENSE_PART * p->n * p->n;
}

size_t self_dual_system_bytes(const pcs_problem *p)
{
    const size_t n = (size_t)p->n, blocks = (size_t)p->W.ptr[p->W.m];
    size_t symmetric = 64;
    if (is_dense(p)) {
        symmetric += solver_bytes(n * n, sizeof(double));
    } else {
        const size_t entries = (size_t)upper_bound(p);
        symmetric += solver_bytes(entries, sizeof(double)) + solver_bytes(entries, sizeof(int)) +
                     5 * solver_bytes(n + 1, sizeof(int)) +
                     solver_bytes(3 * (size_t)p->nb, sizeof(int)) + chol_work_bytes() + 64;
    }
    const size_t lu = block_system_bytes(p);
    return 2 * solver_bytes((size_t)bsr_stored(&p->W), sizeof(double)) +
           solver_bytes(n, sizeof(int)) + solver_bytes(blocks, sizeof(size_t)) +
           3 * solver_bytes(n, sizeof(double)) + (symmetric > lu ? symmetric : lu) + 64;
}

// A = D W D, its blocks one after another
static bool scale(self_dual_system *s, const pcs_problem *p, pcs_arena *arena)
{
    const pcs_bsr *W = &p->W;
    size_t *off = PCS_TAKE(arena, (size_t)W->ptr[W->m], size_t), at = 0;
    s->A = PCS_TAKE(arena, (size_t)bsr_stored(W), double);
    s->block = PCS_TAKE(arena, (size_t)p->n, int);
    if (!s->A || !off || !s->block) return false;
    for (int i = 0; i < W->m; ++i) {
        const int h = W->row[i + 1] - W->row[i];
        for (int k = W->ptr[i]; k < W->ptr[i + 1]; ++k) {
            const double *w = W->val + W->off[k];
            off[k] = at;
            for (int c = W->col[W->idx[k]]; c < W->col[W->idx[k] + 1]; ++c) {
                for (int l = 0; l < h; ++l) {
                    s->A[at++] = s->k->D[W->row[i] + l] * *w++ * s->k->D[c];
                }
            }
        }
    }
    s->p = *p;
    s->p.W.val = s->A;
    s->p.W.off = off;
    bool rotates = false;
    for (int b = 0; b < p->nb; ++b) {
        rotates = rotates || s->k->dim[b] > 1;
        for (int c = 0; c < p->block[b].dim; ++c) {
            s->block[p->block[b].row + c] = b;
        }
    }
    if (!rotates) return true;
    s->rotated = PCS_TAKE(arena, (size_t)at, double);
    s->p.W.val = s->rotated;
    return s->rotated != NULL;
}

// Number of rows of a unit: those of a cone block, or one row of an equality block
static int unit_rows(const self_dual_system *s, int row)
{
    const pcs_block *k = &s->p.block[s->block[row]];
    return k->cone == PCS_CONE_EQUALITY ? 1 : k->dim;
}

// replaces a zero of Q' A Q where A itself is not zero, so that the pattern never changes
#define TINY 1e-300

// b = Qi' a Qj of h x w entries, both in matrices with leading dimension `ld`; null: the identity
static void rotate_unit(int h, int w, int ld, const double *a, const double *Qi, const double *Qj,
                        double *b)
{
    double t[9];
    bool zero = true;
    for (int j = 0; j < w; ++j) {
        for (int i = 0; i < h; ++i) {
            double sum = 0;
            for (int k = 0; k < w && Qj; ++k) {
                sum += a[(size_t)i + (size_t)ld * (size_t)k] * Qj[k + w * j];
            }
            const double x = a[(size_t)i + (size_t)ld * (size_t)j];
            t[i + h * j] = Qj ? sum : x;
            zero = zero && x == 0;
        }
    }
    for (int j = 0; j < w; ++j) {
        for (int i = 0; i < h; ++i) {
            double sum = 0;
            for (int k = 0; k < h && Qi; ++k) {
                sum += Qi[k + h * i] * t[k + h * j];
            }
            const double x = Qi ? sum : t[i + h * j];
            b[(size_t)i + (size_t)ld * (size_t)j] = x == 0 && !zero ? TINY : x;
        }
    }
}

// Q' A Q; Q null: the identity
static void turn(self_dual_system *s, const double *Q)
{
    const pcs_bsr *W = &s->p.W;
    const int *dim = s->k->dim;
    for (int i = 0; i < W->m && s->rotated; ++i) {
        const int h = W->row[i + 1] - W->row[i];
        for (int k = W->ptr[i]; k < W->ptr[i + 1]; ++k) {
            int cols = 0, rows = 0;
            for (int c = W->col[W->idx[k]]; c < W->col[W->idx[k] + 1]; c += cols) {
                cols = unit_rows(s, c);
                const int bj = s->block[c];
                const double *Qj = Q && dim[bj] > 1 ? Q + BLOCK_SYSTEM_STRIDE * (size_t)bj : NULL;
                const size_t column = W->off[k] + (size_t)h * (size_t)(c - W->col[W->idx[k]]);
                for (int l = W->row[i]; l < W->row[i + 1]; l += rows) {
                    rows = unit_rows(s, l);
                    const int bi = s->block[l];
                    const double *Qi =
                        Q && dim[bi] > 1 ? Q + BLOCK_SYSTEM_STRIDE * (size_t)bi : NULL;
                    const size_t at = column + (size_t)(l - W->row[i]);
                    rotate_unit(rows, cols, h, s->A + at, Qi, Qj, s->rotated + at);
                }
            }
        }
    }
}

static bool is_symmetric(const pcs_bsr *A)
{
    for (int i = 0; i < A->m; ++i) {
        const int h = A->row[i + 1] - A->row[i];
        for (int k = A->ptr[i]; k < A->ptr[i + 1]; ++k) {
            const int j = A->idx[k], mate = pcs_bsr_find(A, j, i);
            const int w = A->col[j + 1] - A->col[j];
            const double *x = A->val + A->off[k], *y = mate < 0 ? NULL : A->val + A->off[mate];
            for (int e = 0; e < h * w; ++e) {
                const double other = y ? y[e / h + w * (e % h)] : 0;
                if (!(fabs(x[e] - other) <= SYMMETRY_TOL * fmax(1, fabs(other)))) return false;
            }
        }
    }
    return true;
}

// ---- sparse Cholesky ---------------------------------------------------------------------------

// places an entry of the symmetric matrix, i and j in any order; only counts while U.i is null
static int place_entry(self_dual_system *s, int i, int j, double x)
{
    const int a = s->place[i], b = s->place[j];
    const int column = a > b ? a : b, at = s->next[column]++;
    if (!s->U.i) return at;
    s->U.i[at] = a > b ? b : a;
    s->U.x[at] = x;
    return at;
}

// the entries of A off the diagonal blocks
static void walk_entries(self_dual_system *s)
{
    const pcs_bsr *A = &s->p.W;
    const pcs_block *block = s->p.block;
    int b = 0;
    for (int i = 0; i < A->m; ++i) {
        const int h = A->row[i + 1] - A->row[i];
        for (int l = 0; l < h; ++l) {
            const int row = A->row[i] + l;
            while (block[b].row + block[b].dim <= row) {
                ++b;
            }
            const int end =
                block[b].cone == PCS_CONE_EQUALITY ? row + 1 : block[b].row + block[b].dim;
            for (int k = A->ptr[i]; k < A->ptr[i + 1]; ++k) {
                const double *a = A->val + A->off[k] + l;
                for (int c = A->col[A->idx[k]]; c < A->col[A->idx[k] + 1]; ++c, a += h) {
                    if (c >= end && *a != 0) place_entry(s, row, c, *a);
                }
            }
        }
    }
}

static void walk_blocks(self_dual_system *s)
{
    for (int b = 0, wrow = 0; b < s->p.nb; ++b) {
        const pcs_block *k = &s->p.block[b];
        int ld;
        const double *A = problem_diagonal(&s->p, b, &wrow, &ld);
        for (int j = 0; j < k->dim; ++j) {
            for (int i = 0; i <= j; ++i) {
                if (i < j && k->cone == PCS_CONE_EQUALITY) continue;
                const int at = place_entry(s, k->row + i, k->row + j,
                                           A ? A[(size_t)i + (size_t)ld * (size_t)j] : 0);
                if (i == j) {
                    s->diagonal[k->row + i] = at;
                } else {
                    s->off[3 * b + i + j - 1] = at;
                }
            }
        }
    }
}

// writes the values into the known pattern
static void fill(self_dual_system *s)
{
    memcpy(s->next, s->U.p, (size_t)s->p.n * sizeof *s->next);
    walk_entries(s);
    walk_blocks(s);
}

// the pattern, in the order given by place
static void lay_out(self_dual_system *s)
{
    const int n = s->p.n;
    int *const rows = s->U.i;
    memset(s->next, 0, (size_t)n * sizeof *s->next);
    s->U.i = NULL;
    walk_entries(s);
    walk_blocks(s);
    s->U.p[0] = 0;
    for (int j = 0; j < n; ++j) {
        s->U.p[j + 1] = s->U.p[j] + s->next[j];
    }
    s->U.i = rows;
    fill(s);
}

static bool begin_sparse(self_dual_system *s, pcs_arena *arena)
{
    const size_t n = (size_t)s->p.n, entries = (size_t)upper_bound(&s->p);
    s->U = (pcs_csc){.m = s->p.n, .n = s->p.n};
    s->U.p = PCS_TAKE(arena, n + 1, int);
    s->U.i = PCS_TAKE(arena, entries, int);
    s->U.x = PCS_TAKE(arena, entries, double);
    s->place = PCS_TAKE(arena, n, int);
    s->order = PCS_TAKE(arena, n, int);
    s->next = PCS_TAKE(arena, n, int);
    s->diagonal = PCS_TAKE(arena, n, int);
    s->off = PCS_TAKE(arena, 3 * (size_t)s->p.nb, int);
    s->chol = chol_begin(arena);
    if (!s->U.p || !s->U.i || !s->U.x || !s->place || !s->order || !s->next || !s->diagonal ||
        !s->off || !s->chol) {
        return false;
    }
    for (int i = 0; i < s->p.n; ++i) {
        s->place[i] = i;
    }
    lay_out(s);
    if (!chol_order(s->chol, &s->U, s->order)) return false;
    for (int i = 0; i < s->p.n; ++i) {
        s->place[s->order[i]] = i;
    }
    lay_out(s);
    return true;
}

static bool factor_sparse(self_dual_system *s, const double *C)
{
    fill(s);
    for (int b = 0; b < s->p.nb; ++b) {
        const pcs_block *k = &s->p.block[b];
        const double *c = C + BLOCK_SYSTEM_STRIDE * (size_t)b;
        for (int j = 0; j < k->dim; ++j) {
            if (k->cone == PCS_CONE_EQUALITY) {
                s->U.x[s->diagonal[k->row + j]] += c[0];
                continue;
            }
            for (int i = 0; i < j; ++i) {
                s->U.x[s->off[3 * b + i + j - 1]] += c[i + k->dim * j];
            }
            s->U.x[s->diagonal[k->row + j]] += c[j + k->dim * j];
        }
    }
    const chol_outcome end = chol_refactor(s->chol, &s->U, s->analysed, 0, MOST_ENTRIES);
    s->analysed = end != CHOL_LOST;
    return end == CHOL_GOOD;
}

static bool apply_sparse(self_dual_system *s, double *x)
{
    const int n = s->p.n;
    for (int i = 0; i < n; ++i) {
        s->t2[s->place[i]] = x[i];
    }
    if (!chol_apply(s->chol, s->t2)) return false;
    for (int i = 0; i < n; ++i) {
        x[i] = s->t2[s->place[i]];
    }
    return true;
}

// ---- dense Cholesky ----------------------------------------------------------------------------

static bool factor_dense(self_dual_system *s, const double *C)
{
    const size_t n = (size_t)s->p.n;
    pcs_bsr_to_dense(&s->p.W, s->K);
    for (int b = 0; b < s->p.nb; ++b) {
        const pcs_block *k = &s->p.block[b];
        const double *c = C + BLOCK_SYSTEM_STRIDE * (size_t)b;
        double *K = s->K + (size_t)k->row * (n + 1);
        const bool free = k->cone == PCS_CONE_EQUALITY;
        for (int j = 0; j < k->dim; ++j) {
            for (int i = free ? j : 0; i < (free ? j + 1 : k->dim); ++i) {
                K[(size_t)i + n * (size_t)j] += free ? c[0] : c[i + k->dim * j];
            }
        }
    }
    return dense_cholesky(s->p.n, s->K);
}

// ---- either ------------------------------------------------------------------------------------

// replaces the symmetric factors by those of block_system, in the same memory
static bool turn_to_lu(self_dual_system *s)
{
    chol_end(s->chol);
    s->chol = NULL;
    s->symmetric = false;
    pcs_arena arena = s->arena;
    return block_system_begin(&s->lu, &s->p, &arena);
}

bool self_dual_system_begin(self_dual_system *s, const self_dual *k, bool symmetric,
                            const pcs_problem *p, pcs_arena *arena)
{
    *s = (self_dual_system){.k = k};
    if (!scale(s, p, arena)) return false;
    s->t = PCS_TAKE(arena, (size_t)p->n, double);
    s->t2 = PCS_TAKE(arena, (size_t)p->n, double);
    s->right = PCS_TAKE(arena, (size_t)p->n, double);
    if (!s->t || !s->t2 || !s->right) return false;
    s->arena = *arena;
    turn(s, NULL);

    s->symmetric = symmetric && is_symmetric(&s->p.W);
    if (!s->symmetric) return turn_to_lu(s);
    s->dense = is_dense(p);
    if (!s->dense) return begin_sparse(s, arena) || turn_to_lu(s);
    s->K = PCS_TAKE(arena, (size_t)p->n * (size_t)p->n, double);
    return s->K != NULL;
}

void self_dual_system_end(self_dual_system *s)
{
    chol_end(s->chol);
    block_system_end(&s->lu);
}

static bool factor(void *user, const double *Q, const double *C)
{
    self_dual_system *s = user;
    turn(s, Q);
    if (s->symmetric) {
        if (s->dense ? factor_dense(s, C) : factor_sparse(s, C)) return true;
        // not definite: use LU
        if (!turn_to_lu(s)) return false;
    }
    return block_system_factor(&s->lu, NULL, C, 0) == SPARSE_LU_GOOD;
}

static bool apply(self_dual_system *s, double *x)
{
    if (!s->dense) return apply_sparse(s, x);
    dense_cholesky_solve(s->p.n, s->K, x);
    return true;
}

// the number of refinement steps is fixed
static bool solve(void *user, const double *C, double enough, double *b)
{
    (void)enough;
    self_dual_system *s = user;
    if (!s->symmetric) return block_system_solve(&s->lu, NULL, C, REFINE, b);

    const size_t n = (size_t)s->p.n;
    memcpy(s->right, b, n * sizeof *b);
    if (!apply(s, b)) return false;
    const block_system product = {.p = &s->p};
    for (int k = 0; k < REFINE; ++k) {
        block_system_mul(&product, NULL, C, b, s->t);
        for (size_t i = 0; i < n; ++i) {
            s->t[i] = s->right[i] - s->t[i];
        }
        if (!apply(s, s->t)) return false;
        for (size_t i = 0; i < n; ++i) {
            b[i] += s->t[i];
        }
    }
    return true;
}

static void mul(void *user, const double *x, double *y)
{
    const self_dual_system *s = user;
    pcs_bsr A = s->p.W;
    A.val = s->A;
    pcs_bsr_mul(&A, x, y);
}

// Cholesky factors exist for a positive determinant only
static int sign(void *user)
{
    const self_dual_system *s = user;
    return s->symmetric ? 1 : block_system_sign(&s->lu);
}

self_dual_space self_dual_system_space(self_dual_system *s)
{
    return (self_dual_space){s, mul, factor, solve, sign, FLOOR};
}
