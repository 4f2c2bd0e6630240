// With the places i, j > k of column k of the factors, D_k the pivot after the columns before it,
//
//     A = L U,   L_ik = A_ik (what is left of it),   U_kk = I,   U_ki = D_k^-1 A_ki,
//     A_ij <- A_ij - L_ik U_kj.
//
// The blocks of Z = A^-1 in the pattern follow backwards from those of later columns:
//
//     Z_ki = -sum_j U_kj Z_ji,   Z_ik = -(sum_j Z_ij L_jk) D_k^-1,   Z_kk = D_k^-1 - sum_j U_kj
//     Z_jk.
#include "linalg/block_sparse.h"

#include <string.h>

#include "linalg/bsr.h"
#include "linalg/chol.h"

// ---- pattern -----------------------------------------------------------------------------------

pcs_status block_sparse_order(int n, const int *first, const int *index, pcs_arena scratch,
                              int *order)
{
    const size_t entries = (size_t)first[n];
    int *p = PCS_TAKE(&scratch, (size_t)n + 1, int), *i = PCS_TAKE(&scratch, entries, int);
    double *x = PCS_TAKE(&scratch, entries, double);
    chol_work *chol = chol_begin(&scratch);
    bool good = p && i && x && chol;
    int count = 0;
    for (int b = 0; good && b < n; ++b) {
        p[b] = count;
        for (int k = first[b]; k < first[b + 1]; ++k) {
            if (index[k] < b) i[count++] = index[k];
        }
    }
    if (good) {
        p[n] = count;
        const pcs_csc graph = {.m = n, .n = n, .p = p, .i = i, .x = x};
        good = chol_order(chol, &graph, order);
    }
    chol_end(chol);
    return good ? PCS_OK : pcs_fail_memory("sparse blocks");
}

// The elimination tree (Liu): of each place the first one that its column updates. `reached` is
// scratch
static void find_tree(const block_sparse *A, int *up, int *reached)
{
    for (int k = 0; k < A->n; ++k) {
        up[k] = reached[k] = -1;
        const int b = A->order[k];
        for (int e = A->first[b]; e < A->first[b + 1]; ++e) {
            for (int j = A->place[A->index[e]]; j >= 0 && j < k;) {
                const int next = reached[j];
                reached[j] = k;
                if (next < 0) up[j] = k;
                j = next;
            }
        }
    }
}

// counts row k in count[j + 1] of the columns j that have it, or puts it into them
static void visit_rows(const block_sparse *A, const int *up, int *mark, int *count, int *row)
{
    for (int k = 0; k < A->n; ++k) {
        mark[k] = -1;
    }
    for (int k = 0; k < A->n; ++k) {
        const int b = A->order[k];
        mark[k] = k;
        for (int e = A->first[b]; e < A->first[b + 1]; ++e) {
            for (int j = A->place[A->index[e]]; j < k && mark[j] != k; j = up[j]) {
                mark[j] = k;
                if (row) row[count[j]] = k;
                count[row ? j : j + 1] += 1;
            }
        }
    }
}

static int height(const block_sparse *A, int place)
{
    return A->start[A->order[place] + 1] - A->start[A->order[place]];
}

static pcs_status lay_out(block_sparse *A, pcs_arena *mem)
{
    const size_t n = (size_t)A->n;
    int *start = PCS_TAKE(mem, n + 1, int);
    size_t *diagonal = PCS_TAKE(mem, n, size_t);
    A->off = PCS_TAKE(mem, (size_t)A->ptr[A->n], size_t);
    A->at = PCS_TAKE(mem, (size_t)A->first[A->n], size_t);
    if (!start || !diagonal || !A->off || !A->at) return pcs_fail_memory("sparse blocks");
    size_t values = 0;
    start[0] = 0;
    for (int k = 0; k < A->n; ++k) {
        const size_t w = (size_t)height(A, k);
        start[k + 1] = start[k] + (int)w;
        diagonal[k] = values;
        values += w * w;
        for (int e = A->ptr[k]; e < A->ptr[k + 1]; ++e) {
            A->off[e] = values;
            values += 2 * w * (size_t)height(A, A->row[e]);
        }
    }
    size_t mine = 0;
    for (int b = 0; b < A->n; ++b) {
        for (int e = A->first[b]; e < A->first[b + 1]; ++e) {
            A->at[e] = mine;
            mine += (size_t)height(A, A->place[b]) * (size_t)height(A, A->place[A->index[e]]);
        }
    }
    A->values = values;
    A->val = PCS_TAKE(mem, mine, double);
    A->lu = PCS_TAKE(mem, values, double);
    A->x = PCS_TAKE(mem, (size_t)start[n], double);
    int *piv = PCS_TAKE(mem, (size_t)start[n], int);
    if (!A->val || !A->lu || !A->x || !piv) return pcs_fail_memory("sparse blocks");
    A->pivots = (block_lu){.nb = A->n, .start = start, .off = diagonal, .lu = A->lu, .piv = piv};
    return PCS_OK;
}

pcs_status block_sparse_take(int n, const int *start, const int *first, const int *index,
                             const int *order, pcs_arena *mem, block_sparse *out)
{
    block_sparse *A = out;
    *A = (block_sparse){.n = n, .start = start, .first = first, .index = index, .order = order};
    A->place = PCS_TAKE(mem, (size_t)n, int);
    A->ptr = PCS_TAKE(mem, (size_t)n + 1, int);
    int *up = PCS_TAKE(mem, (size_t)n, int), *mark = PCS_TAKE(mem, (size_t)n, int);
    if (!A->place || !A->ptr || !up || !mark) return pcs_fail_memory("sparse blocks");
    for (int k = 0; k < n; ++k) {
        A->place[order[k]] = k;
    }
    find_tree(A, up, mark);
    memset(A->ptr, 0, ((size_t)n + 1) * sizeof *A->ptr);
    visit_rows(A, up, mark, A->ptr, NULL);
    for (int k = 0; k < n; ++k) {
        A->ptr[k + 1] += A->ptr[k];
    }
    A->row = PCS_TAKE(mem, (size_t)A->ptr[n], int);
    if (!A->row) return pcs_fail_memory("sparse blocks");
    visit_rows(A, up, mark, A->ptr, A->row);
    // ptr[k] is now the end of column k
    memmove(A->ptr + 1, A->ptr, (size_t)n * sizeof *A->ptr);
    A->ptr[0] = 0;
    return lay_out(A, mem);
}

// the entry of index x among from .. to - 1, which ascend
static int find(const int *index, int from, int to, int x)
{
    int low = from, high = to - 1;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (index[middle] < x) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    PCS_ASSERT(low < to && index[low] == x);
    return low;
}

double *block_sparse_entry(const block_sparse *A, int i, int j)
{
    return A->val + A->at[find(A->index, A->first[j], A->first[j + 1], i)];
}

// the block of places (i, j) in lu, or in the inverse
static double *factor_at(const block_sparse *A, double *values, int i, int j)
{
    if (i == j) return values + A->pivots.off[i];
    const int low = i < j ? i : j, high = i < j ? j : i;
    const int e = find(A->row, A->ptr[low], A->ptr[low + 1], high);
    const size_t lower = (size_t)height(A, low) * (size_t)height(A, high);
    return values + A->off[e] + (i < j ? lower : 0);
}

// ---- products ----------------------------------------------------------------------------------

// C += f A B, A m x k, B k x n; constant sizes let the compiler unroll the loops
static inline void add_product_of(int m, int k, int n, double f, const double *restrict A,
                                  const double *restrict B, double *restrict C)
{
    for (int j = 0; j < n; ++j) {
        for (int l = 0; l < k; ++l) {
            const double b = f * B[l + k * j];
            for (int i = 0; i < m; ++i) {
                C[i + m * j] += A[i + m * l] * b;
            }
        }
    }
}

static void add_product(int m, int k, int n, double f, const double *A, const double *B, double *C)
{
    if (m == 6 && k == 6 && n == 6) {
        add_product_of(6, 6, 6, f, A, B, C);
    } else {
        add_product_of(m, k, n, f, A, B, C);
    }
}

// ---- factors -----------------------------------------------------------------------------------

static void fill(block_sparse *A)
{
    memset(A->lu, 0, A->values * sizeof *A->lu);
    for (int b = 0; b < A->n; ++b) {
        const int k = A->place[b], w = height(A, k);
        for (int e = A->first[b]; e < A->first[b + 1]; ++e) {
            const int i = A->place[A->index[e]];
            memcpy(factor_at(A, A->lu, i, k), A->val + A->at[e],
                   (size_t)w * (size_t)height(A, i) * sizeof *A->val);
        }
    }
}

bool block_sparse_factor(block_sparse *A)
{
    A->inverse = NULL;
    fill(A);
    for (int k = 0; k < A->n; ++k) {
        const int w = height(A, k), end = A->ptr[k + 1];
        if (!block_lu_factor_one(&A->pivots, k)) return false;
        for (int e = A->ptr[k]; e < end; ++e) {
            const int h = height(A, A->row[e]);
            double *U = A->lu + A->off[e] + (size_t)h * (size_t)w;
            for (int c = 0; c < h; ++c) {
                block_lu_solve(&A->pivots, k, U + (size_t)w * (size_t)c);
            }
        }
        for (int e = A->ptr[k]; e < end; ++e) {
            const int j = A->row[e], hj = height(A, j);
            const double *Lj = A->lu + A->off[e], *Uj = Lj + (size_t)hj * (size_t)w;
            add_product(hj, w, hj, -1, Lj, Uj, A->lu + A->pivots.off[j]);
            for (int f = e + 1, at = A->ptr[j]; f < end; ++f) {
                const int i = A->row[f], hi = height(A, i);
                const double *Li = A->lu + A->off[f], *Ui = Li + (size_t)hi * (size_t)w;
                while (A->row[at] != i) {
                    ++at;
                }
                double *to = A->lu + A->off[at];
                add_product(hi, w, hj, -1, Li, Uj, to);
                add_product(hj, w, hi, -1, Lj, Ui, to + (size_t)hi * (size_t)hj);
            }
        }
    }
    return true;
}

// y -= B x
static inline void subtract_mul_of(int m, int n, const double *restrict B, const double *restrict x,
                                   double *restrict y)
{
    for (int c = 0; c < n; ++c) {
        for (int i = 0; i < m; ++i) {
            y[i] -= B[i + m * c] * x[c];
        }
    }
}

static inline void subtract_mul(int m, int n, const double *B, const double *x, double *y)
{
    if (m == 6 && n == 6) {
        subtract_mul_of(6, 6, B, x, y);
    } else {
        subtract_mul_of(m, n, B, x, y);
    }
}

void block_sparse_solve(const block_sparse *A, double *x)
{
    for (int k = 0; k < A->n; ++k) {
        double *xk = x + A->start[A->order[k]];
        block_lu_solve(&A->pivots, k, xk);
        for (int e = A->ptr[k]; e < A->ptr[k + 1]; ++e) {
            subtract_mul(height(A, A->row[e]), height(A, k), A->lu + A->off[e], xk,
                         x + A->start[A->order[A->row[e]]]);
        }
    }
    for (int k = A->n - 1; k >= 0; --k) {
        double *xk = x + A->start[A->order[k]];
        const int w = height(A, k);
        for (int e = A->ptr[k]; e < A->ptr[k + 1]; ++e) {
            const int h = height(A, A->row[e]);
            subtract_mul(w, h, A->lu + A->off[e] + (size_t)h * (size_t)w,
                         x + A->start[A->order[A->row[e]]], xk);
        }
    }
}

// ---- the inverse -------------------------------------------------------------------------------

// the sums of column k over the later ones, into its entries of Z
static void sum_column(const block_sparse *A, int k, double *Z)
{
    const int w = height(A, k), end = A->ptr[k + 1];
    for (int e = A->ptr[k]; e < end; ++e) {
        const int i = A->row[e], hi = height(A, i);
        const size_t size = (size_t)hi * (size_t)w;
        const double *Li = A->lu + A->off[e], *Ui = Li + size;
        double *down = Z + A->off[e], *right = down + size;
        const double *Zii = Z + A->pivots.off[i];
        add_product(hi, hi, w, -1, Zii, Li, down);
        add_product(w, hi, hi, -1, Ui, Zii, right);
        for (int f = e + 1, at = A->ptr[i]; f < end; ++f) {
            const int j = A->row[f], hj = height(A, j);
            const double *Lj = A->lu + A->off[f], *Uj = Lj + (size_t)hj * (size_t)w;
            while (A->row[at] != j) {
                ++at;
            }
            const double *Zji = Z + A->off[at], *Zij = Zji + (size_t)hi * (size_t)hj;
            double *down_j = Z + A->off[f], *right_j = down_j + (size_t)hj * (size_t)w;
            add_product(hi, hj, w, -1, Zij, Lj, down);
            add_product(hj, hi, w, -1, Zji, Li, down_j);
            add_product(w, hj, hi, -1, Uj, Zji, right);
            add_product(w, hi, hj, -1, Ui, Zij, right_j);
        }
    }
}

pcs_status block_sparse_invert(block_sparse *A, pcs_arena *mem)
{
    int widest = 0;
    for (int k = 0; k < A->n; ++k) {
        if (height(A, k) > widest) widest = height(A, k);
    }
    const size_t most = (size_t)widest * (size_t)widest;
    double *Z = PCS_TAKE(mem, A->values, double);
    pcs_arena scratch = *mem;
    double *D = PCS_TAKE(&scratch, 2 * most, double), *sum = D + most;
    if (!Z || !D) return pcs_fail_memory("sparse blocks");
    memset(Z, 0, A->values * sizeof *Z);
    for (int k = A->n - 1; k >= 0; --k) {
        const int w = height(A, k);
        double *Zkk = Z + A->pivots.off[k];
        for (int c = 0; c < w; ++c) {
            Zkk[c + w * c] = 1;
            block_lu_solve(&A->pivots, k, Zkk + (size_t)w * (size_t)c);
        }
        memcpy(D, Zkk, (size_t)w * (size_t)w * sizeof *D);
        sum_column(A, k, Z);
        for (int e = A->ptr[k]; e < A->ptr[k + 1]; ++e) {
            const int h = height(A, A->row[e]);
            const size_t size = (size_t)h * (size_t)w;
            double *down = Z + A->off[e];
            memcpy(sum, down, size * sizeof *sum);
            memset(down, 0, size * sizeof *down);
            add_product(h, w, w, 1, sum, D, down);
            add_product(w, h, w, -1, A->lu + A->off[e] + size, down, Zkk);
        }
    }
    A->inverse = Z;
    return PCS_OK;
}

const double *block_sparse_inverse(const block_sparse *A, int b)
{
    return A->inverse + A->pivots.off[A->place[b]];
}
