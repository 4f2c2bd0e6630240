// The factorised mass matrix and the Delassus operator W = H M^-1 H^T.
//
// Block-diagonal mass: W_ij = sum over the blocks b that constraints i and j share of
// H_ib M_b^-1 H_jb^T. Sparse mass: the columns of M^-1 H^T one constraint block at a time.
#include "linalg/mass.h"

#include "linalg/bsr.h"
#include "linalg/chol.h"
#include "linalg/csc.h"
#include "linalg/dense.h"
#include "linalg/lu.h"

#include <limits.h>
#include <string.h>

struct pcs_mass {
    pcs_env env;
    int n;
    chol_factor *sparse; // or null
    block_lu blocks;     // when sparse is null
    int *start;
    size_t *off;
    double *val;  // the blocks as given; null in an arena
    pcs_csc full; // of a sparse mass, both triangles
};

// blocks of bodies are small; those of Lagrangian systems may be worth a LAPACK call. Both store
// the factors alike, but LAPACK counts pivots from 1.
enum { LAPACK_FROM = 32 };

bool block_lu_factor_one(block_lu *F, int b)
{
    const int n = F->start[b + 1] - F->start[b];
    double *A = F->lu + F->off[b];
    int *piv = F->piv + F->start[b];
    return n < LAPACK_FROM ? lu_factor(n, A, piv) : dense_lu(n, A, piv);
}

int block_lu_factor(block_lu *F)
{
    for (int b = 0; b < F->nb; ++b) {
        if (!block_lu_factor_one(F, b)) return b;
    }
    return -1;
}

void block_lu_solve(const block_lu *F, int b, double *x)
{
    const int n = F->start[b + 1] - F->start[b];
    const double *A = F->lu + F->off[b];
    const int *piv = F->piv + F->start[b];
    const int kind = F->kind ? F->kind[b] : BLOCK_DENSE;
    if (kind == BLOCK_DIAGONAL) {
        for (int i = 0; i < n; ++i) {
            x[i] /= A[i];
        }
    } else if (kind == BLOCK_RIGID) {
        for (int i = 0; i < 3; ++i) {
            x[i] /= A[0];
        }
        lu_solve(3, A + 1, piv, x + 3);
    } else if (n < LAPACK_FROM) {
        lu_solve(n, A, piv, x);
    } else {
        dense_lu_solve(n, A, piv, false, 1, x);
    }
}

// ---- W ---------------------------------------------------------------------------------------

// for every block column of H the block rows that touch it, as positions k of H
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

    // count, then list: the same walk twice
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
            if (nnz > INT_MAX) return pcs_fail(PCS_ERR_SIZE, "%s: too many blocks", where);
            W->ptr[i + 1] = (int)nnz;
        }
        W->ptr[0] = 0;
        if (pass == 0) {
            if (m > INT_MAX / 2) return pcs_fail(PCS_ERR_SIZE, "%s: too many block rows", where);
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

            // W_ij += H_ib X for everyone who touches b
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
static pcs_status delassus_sparse(const pcs_bsr *H, const pcs_mass *mass, pcs_arena *arena,
                                  pcs_bsr *W)
{
    const int m = H->m, rows = bsr_rows(H), n = mass->n;
    if ((long long)m * m > INT_MAX) return pcs_fail(PCS_ERR_SIZE, "W: too many block rows");

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
            PCS_TRY(chol_solve(mass->sparse, 1, x, x));
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

pcs_status pcs_delassus(const pcs_bsr *H, const pcs_mass *mass, pcs_arena *arena, pcs_bsr *W)
{
    if (!mass || !arena || !W) return pcs_fail(PCS_ERR_ARG, "pcs_delassus: an argument is null");
    PCS_TRY(pcs_bsr_check(H));
    if (bsr_cols(H) != mass->n) {
        return pcs_fail(PCS_ERR_SIZE, "pcs_delassus: H has %d columns, the mass %d", bsr_cols(H),
                        mass->n);
    }
    if (mass->sparse) return delassus_sparse(H, mass, arena, W);

    if (H->n != mass->blocks.nb ||
        memcmp(H->col, mass->start, ((size_t)H->n + 1) * sizeof(int)) != 0) {
        return pcs_fail(PCS_ERR_SIZE, "pcs_delassus: the block columns of H are not the blocks of"
                                      " the mass");
    }
    return delassus_blocks(H, &mass->blocks, arena, W);
}

// ---- the public object -----------------------------------------------------------------------

pcs_status pcs_mass_create_blocks(const pcs_env *env, int nb, const int *size, const double *val,
                                  pcs_mass **out)
{
    if (!out) return pcs_fail(PCS_ERR_ARG, "pcs_mass: the place for the result is null");
    *out = NULL;
    if (nb < 0 || (nb > 0 && (!size || !val))) {
        return pcs_fail(PCS_ERR_ARG, "pcs_mass: an argument is null, or %d blocks", nb);
    }
    long long rows = 0;
    size_t values = 0;
    for (int b = 0; b < nb; ++b) {
        if (size[b] <= 0) {
            return pcs_fail(PCS_ERR_SIZE, "pcs_mass: block %d has %d rows", b, size[b]);
        }
        rows += size[b];
        values += (size_t)size[b] * (size_t)size[b];
        if (rows > INT_MAX) return pcs_fail(PCS_ERR_SIZE, "pcs_mass: too many rows");
    }
    if (!pcs_all_finite(val, values)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_mass: the matrix has an entry that is not finite");
    }

    pcs_mass *mass = pcs_env_alloc(env, 1, sizeof *mass);
    if (!mass) return pcs_fail_memory("pcs_mass");
    if (env) mass->env = *env;
    mass->n = (int)rows;
    mass->start = pcs_env_alloc(env, (size_t)nb + 1, sizeof(int));
    mass->off = pcs_env_alloc(env, (size_t)nb + 1, sizeof(size_t));
    mass->blocks.lu = pcs_env_alloc(env, values, sizeof(double));
    mass->blocks.piv = pcs_env_alloc(env, (size_t)rows, sizeof(int));
    mass->val = pcs_env_alloc(env, values, sizeof(double));
    if (!mass->start || !mass->off || !mass->blocks.lu || !mass->blocks.piv || !mass->val) {
        pcs_mass_destroy(mass);
        return pcs_fail_memory("pcs_mass");
    }

    for (int b = 0; b < nb; ++b) {
        mass->start[b + 1] = mass->start[b] + size[b];
        mass->off[b + 1] = mass->off[b] + (size_t)size[b] * (size_t)size[b];
    }
    mass->blocks.nb = nb;
    mass->blocks.start = mass->start;
    mass->blocks.off = mass->off;
    if (values > 0) {
        memcpy(mass->blocks.lu, val, values * sizeof *val);
        memcpy(mass->val, val, values * sizeof *val);
    }

    const int bad = block_lu_factor(&mass->blocks);
    if (bad >= 0) {
        pcs_mass_destroy(mass);
        return pcs_fail(PCS_ERR_SINGULAR, "pcs_mass: block %d is singular", bad);
    }
    *out = mass;
    return PCS_OK;
}

pcs_status pcs_mass_create_sparse(const pcs_env *env, const pcs_csc *M, pcs_mass **out)
{
    if (!out) return pcs_fail(PCS_ERR_ARG, "pcs_mass: the place for the result is null");
    *out = NULL;
    chol_factor *f;
    PCS_TRY(chol_create(env, M, &f));
    pcs_mass *mass = pcs_env_alloc(env, 1, sizeof *mass);
    if (!mass) {
        chol_destroy(f);
        return pcs_fail_memory("pcs_mass");
    }
    if (env) mass->env = *env;
    mass->n = M->n;
    mass->sparse = f;
    if (!csc_complete(env, M, &mass->full)) {
        pcs_mass_destroy(mass);
        return pcs_fail_memory("pcs_mass");
    }
    *out = mass;
    return PCS_OK;
}

pcs_status mass_in_arena(const block_lu *F, pcs_arena *arena, pcs_mass **out)
{
    *out = PCS_TAKE(arena, 1, pcs_mass);
    if (!*out) return pcs_fail_memory("mass matrix");
    **out = (pcs_mass){.n = F->nb > 0 ? F->start[F->nb] : 0, .blocks = *F};
    (*out)->start = (int *)F->start;
    (*out)->off = (size_t *)F->off;
    return PCS_OK;
}

void pcs_mass_destroy(pcs_mass *mass)
{
    if (!mass) return;
    const pcs_env env = mass->env;
    chol_destroy(mass->sparse);
    csc_free(&env, &mass->full);
    pcs_env_free(&env, mass->val);
    pcs_env_free(&env, mass->start);
    pcs_env_free(&env, mass->off);
    pcs_env_free(&env, mass->blocks.lu);
    pcs_env_free(&env, mass->blocks.piv);
    pcs_env_free(&env, mass);
}

int pcs_mass_size(const pcs_mass *mass)
{
    return mass ? mass->n : 0;
}

const block_lu *mass_blocks(const pcs_mass *mass)
{
    return mass->sparse ? NULL : &mass->blocks;
}

pcs_status pcs_mass_solve(const pcs_mass *mass, const double *b, double *x)
{
    if (!mass || (mass->n > 0 && (!b || !x))) {
        return pcs_fail(PCS_ERR_ARG, "pcs_mass_solve: an argument is null");
    }
    if (mass->sparse) return chol_solve(mass->sparse, 1, b, x);

    if (x != b && mass->n > 0) memmove(x, b, (size_t)mass->n * sizeof *x);
    for (int k = 0; k < mass->blocks.nb; ++k) {
        block_lu_solve(&mass->blocks, k, x + mass->start[k]);
    }
    return PCS_OK;
}

void pcs_mass_mul(const pcs_mass *mass, const double *x, double *y)
{
    if (mass->n == 0) return;
    memset(y, 0, (size_t)mass->n * sizeof *y);
    if (mass->sparse) {
        csc_addmul(&mass->full, x, y);
        return;
    }
    PCS_ASSERT(mass->val);
    for (int b = 0; b < mass->blocks.nb; ++b) {
        const int top = mass->start[b], h = mass->start[b + 1] - top;
        block_addmul(h, h, mass->val + mass->off[b], x + top, y + top);
    }
}

// a zero off the diagonal of a block is no entry
static bool is_entry(const double *A, int h, int i, int j)
{
    return i == j || A[i + (size_t)h * (size_t)j] != 0;
}

static pcs_status blocks_to_csc(const pcs_mass *mass, pcs_arena *arena, pcs_csc *out)
{
    PCS_ASSERT(mass->val);
    size_t nnz = 0;
    for (int b = 0; b < mass->blocks.nb; ++b) {
        const int h = mass->start[b + 1] - mass->start[b];
        for (int j = 0; j < h; ++j) {
            for (int i = 0; i < h; ++i) {
                nnz += is_entry(mass->val + mass->off[b], h, i, j);
            }
        }
    }
    if (nnz > INT_MAX) return pcs_fail(PCS_ERR_SIZE, "pcs_mass_to_csc: too many entries");
    if (!csc_take(arena, mass->n, (int)nnz, out)) return pcs_fail_memory("pcs_mass_to_csc");

    int at = 0;
    out->p[0] = 0;
    for (int b = 0; b < mass->blocks.nb; ++b) {
        const int top = mass->start[b], h = mass->start[b + 1] - top;
        const double *A = mass->val + mass->off[b];
        for (int j = 0; j < h; ++j) {
            for (int i = 0; i < h; ++i) {
                if (!is_entry(A, h, i, j)) continue;
                out->i[at] = top + i;
                out->x[at++] = A[i + (size_t)h * (size_t)j];
            }
            out->p[top + j + 1] = at;
        }
    }
    return PCS_OK;
}

pcs_status pcs_mass_to_csc(const pcs_mass *mass, pcs_arena *arena, pcs_csc *out)
{
    if (!mass || !arena || !out) {
        return pcs_fail(PCS_ERR_ARG, "pcs_mass_to_csc: an argument is null");
    }
    if (!mass->sparse) return blocks_to_csc(mass, arena, out);

    const int nnz = mass->full.p[mass->n];
    if (!csc_take(arena, mass->n, nnz, out)) return pcs_fail_memory("pcs_mass_to_csc");
    memcpy(out->p, mass->full.p, ((size_t)mass->n + 1) * sizeof(int));
    if (nnz > 0) {
        memcpy(out->i, mass->full.i, (size_t)nnz * sizeof(int));
        memcpy(out->x, mass->full.x, (size_t)nnz * sizeof(double));
    }
    return PCS_OK;
}
