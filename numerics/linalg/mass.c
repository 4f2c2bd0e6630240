// The factorised mass matrix: LU of the blocks of a block-diagonal one; of a sparse one Cholesky
// where it is positive definite, LU with a step of refinement otherwise.
#include "linalg/mass.h"

#include <float.h>
#include <limits.h>
#include <string.h>

#include "linalg/block_sparse.h"
#include "linalg/bsr.h"
#include "linalg/chol.h"
#include "linalg/csc.h"
#include "linalg/dense.h"
#include "linalg/lu.h"
#include "linalg/sparse_lu.h"

struct pcs_mass_matrix {
    pcs_env env;
    int n;
    bool is_sparse;

    block_lu blocks; // factors of a block-diagonal matrix, and its values but in an arena
    int *start;
    size_t *off;
    unsigned char *kind;
    pcs_csc full;      // sparse, both triangles
    chol_factor *chol; // its Cholesky factors, or
    sparse_lu *lu;     // its LU factors
    pcs_arena memory;  // memory of lu
};

// larger blocks, those of Lagrangian systems, are factorised by products of blocks
enum { BLOCKS_FROM = 32 };

bool block_lu_factor_one(block_lu *F, int b)
{
    const int n = F->start[b + 1] - F->start[b];
    double *A = F->lu + F->off[b];
    int *piv = F->piv + F->start[b];
    const int kind = F->kind ? F->kind[b] : BLOCK_DENSE;
    if (kind == BLOCK_DIAGONAL || kind == BLOCK_ENVELOPE) return true;
    const size_t values = kind == BLOCK_RIGID ? 10 : (size_t)n * (size_t)n;
    if (F->val) memcpy(F->val + F->off[b], A, values * sizeof *A);
    if (kind == BLOCK_RIGID) return lu_factor(3, A + 1, piv);
    return n < BLOCKS_FROM ? lu_factor(n, A, piv) : dense_lu(n, A, piv);
}

int block_lu_factor(block_lu *F)
{
    for (int b = 0; b < F->nb; ++b) {
        if (!block_lu_factor_one(F, b)) return b;
    }
    return -1;
}

void block_lu_values(const block_lu *F, int b, double *A)
{
    const size_t n = (size_t)(F->start[b + 1] - F->start[b]);
    const int kind = F->kind ? F->kind[b] : BLOCK_DENSE;
    const double *val = kind == BLOCK_DIAGONAL ? F->lu : F->val;
    PCS_ASSERT(val);
    val += F->off[b];
    if (kind == BLOCK_DENSE) {
        memcpy(A, val, n * n * sizeof *A);
        return;
    }
    memset(A, 0, n * n * sizeof *A);
    for (size_t i = 0; i < n; ++i) {
        A[i * (n + 1)] = kind == BLOCK_DIAGONAL ? val[i] : val[0];
    }
    for (size_t i = 0; kind == BLOCK_RIGID && i < 9; ++i) {
        A[3 + i % 3 + n * (3 + i / 3)] = val[1 + i];
    }
}

void block_lu_solve(const block_lu *F, int b, double *x)
{
    const int n = F->start[b + 1] - F->start[b];
    const double *A = F->lu + F->off[b];
    const int *piv = F->piv + F->start[b];
    const int kind = F->kind ? F->kind[b] : BLOCK_DENSE;
    if (kind == BLOCK_ENVELOPE) {
        envelope_solve(F->of[b], x);
    } else if (kind == BLOCK_DIAGONAL) {
        for (int i = 0; i < 6; ++i) {
            x[i] /= A[i];
        }
    } else if (kind == BLOCK_RIGID) {
        for (int i = 0; i < 3; ++i) {
            x[i] /= A[0];
        }
        lu_solve(3, A + 1, piv, x + 3);
    } else if (n < BLOCKS_FROM) {
        lu_solve(n, A, piv, x);
    } else {
        dense_lu_solve(n, A, piv, false, 1, x);
    }
}

// copies the parts of x of the joined blocks into the vector of their matrix, or back
static void exchange(const block_lu *F, bool back, double *x)
{
    for (int b = 0; b < F->nb; ++b) {
        if (F->node[b] < 0) continue;
        double *one = x + F->start[b], *two = F->joined->x + F->joined->start[F->node[b]];
        memcpy(back ? one : two, back ? two : one,
               (size_t)(F->start[b + 1] - F->start[b]) * sizeof *x);
    }
}

void block_lu_solve_all(const block_lu *F, double *x)
{
    for (int b = 0; b < F->nb; ++b) {
        if (!F->joined || F->node[b] < 0) block_lu_solve(F, b, x + F->start[b]);
    }
    if (!F->joined) return;
    exchange(F, false, x);
    block_sparse_solve(F->joined, F->joined->x);
    exchange(F, true, x);
}

// the kind of a block with the values A; LU finds that a zero on the diagonal makes it singular
static int kind_of(int n, const double *A)
{
    if (n != 6) return BLOCK_DENSE;
    bool diagonal = true, rigid = A[0] == A[7] && A[0] == A[14];
    for (int j = 0; j < 6; ++j) {
        if (A[7 * j] == 0) return BLOCK_DENSE;
        for (int i = 0; i < 6; ++i) {
            if (i == j || A[i + 6 * j] == 0) continue;
            diagonal = false;
            rigid = rigid && i >= 3 && j >= 3;
        }
    }
    return diagonal ? BLOCK_DIAGONAL : rigid ? BLOCK_RIGID : BLOCK_DENSE;
}

// the numbers of a block that its kind stores
static void pack(int n, int kind, const double *A, double *to)
{
    if (kind == BLOCK_DENSE) memcpy(to, A, (size_t)n * (size_t)n * sizeof *A);
    for (int i = 0; kind == BLOCK_DIAGONAL && i < 6; ++i) {
        to[i] = A[7 * i];
    }
    if (kind == BLOCK_RIGID) to[0] = A[0];
    for (int i = 0; kind == BLOCK_RIGID && i < 9; ++i) {
        to[1 + i] = A[3 + i % 3 + 6 * (3 + i / 3)];
    }
}

// the values of block b as a whole, in `room` where they are not stored so
static const double *whole_block(const block_lu *F, int b, double room[36])
{
    if (!F->kind || F->kind[b] == BLOCK_DENSE) return F->val + F->off[b];
    block_lu_values(F, b, room);
    return room;
}

// ---- the public object -----------------------------------------------------------------------

pcs_status pcs_mass_matrix_create_blocks(const pcs_env *env, int nb, const int *size,
                                         const double *val, pcs_mass_matrix **out)
{
    if (!out) return pcs_fail(PCS_ERR_ARG, "pcs_mass_matrix: out is null");
    *out = NULL;
    if (nb < 0 || (nb > 0 && (!size || !val))) {
        return pcs_fail(PCS_ERR_ARG, "pcs_mass_matrix: an argument is null, or %d blocks", nb);
    }
    long long rows = 0;
    size_t values = 0;
    for (int b = 0; b < nb; ++b) {
        if (size[b] <= 0) {
            return pcs_fail(PCS_ERR_SIZE, "pcs_mass_matrix: block %d has %d rows", b, size[b]);
        }
        rows += size[b];
        values += (size_t)size[b] * (size_t)size[b];
        if (rows > INT_MAX)
            return pcs_fail(PCS_ERR_SIZE, "pcs_mass_matrix: more rows than an int can count");
    }
    if (!pcs_all_finite(val, values)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_mass_matrix: the matrix has an entry that is not finite");
    }

    pcs_mass_matrix *mass = pcs_env_alloc(env, 1, sizeof *mass);
    if (!mass) return pcs_fail_memory("pcs_mass_matrix");
    if (env) mass->env = *env;
    mass->n = (int)rows;
    mass->start = pcs_env_alloc(env, (size_t)nb + 1, sizeof(int));
    mass->off = pcs_env_alloc(env, (size_t)nb + 1, sizeof(size_t));
    mass->kind = pcs_env_alloc(env, (size_t)nb + 1, 1);
    mass->blocks.lu = pcs_env_alloc(env, values, sizeof(double));
    mass->blocks.piv = pcs_env_alloc(env, (size_t)rows, sizeof(int));
    mass->blocks.val = pcs_env_alloc(env, values, sizeof(double));
    if (!mass->start || !mass->off || !mass->kind || !mass->blocks.lu || !mass->blocks.piv ||
        !mass->blocks.val) {
        pcs_mass_matrix_destroy(mass);
        return pcs_fail_memory("pcs_mass_matrix");
    }

    for (int b = 0; b < nb; ++b) {
        mass->start[b + 1] = mass->start[b] + size[b];
        mass->off[b + 1] = mass->off[b] + (size_t)size[b] * (size_t)size[b];
        mass->kind[b] = (unsigned char)kind_of(size[b], val + mass->off[b]);
        pack(size[b], mass->kind[b], val + mass->off[b], mass->blocks.lu + mass->off[b]);
    }
    mass->blocks.nb = nb;
    mass->blocks.start = mass->start;
    mass->blocks.off = mass->off;
    mass->blocks.kind = mass->kind;

    const int bad = block_lu_factor(&mass->blocks);
    if (bad >= 0) {
        pcs_mass_matrix_destroy(mass);
        return pcs_fail(PCS_ERR_SINGULAR, "pcs_mass_matrix: block %d is singular", bad);
    }
    *out = mass;
    return PCS_OK;
}

static pcs_status factor_lu(const pcs_env *env, pcs_mass_matrix *mass)
{
    PCS_TRY(pcs_arena_create(env, sparse_lu_bytes(mass->n), &mass->memory));
    mass->lu = sparse_lu_begin(mass->n, &mass->memory);
    if (!mass->lu) return pcs_fail_memory("pcs_mass_matrix");

    const sparse_lu_outcome end = sparse_lu_refactor(mass->lu, &mass->full, false);
    if (end == SPARSE_LU_LOST) return pcs_fail_memory("mass matrix factorisation");
    // NaN fails too
    if (end != SPARSE_LU_GOOD || !(sparse_lu_rcond(mass->lu) > DBL_EPSILON)) {
        return pcs_fail(PCS_ERR_SINGULAR,
                        "mass matrix: it is singular to working precision"
                        " (sparse LU of %d rows)",
                        mass->n);
    }
    return PCS_OK;
}

static pcs_status create_sparse(const pcs_env *env, const pcs_csc *M, pcs_mass_matrix *mass)
{
    mass->n = M->n;
    mass->is_sparse = true;
    if (!csc_complete(env, M, &mass->full)) return pcs_fail_memory("pcs_mass_matrix");
    if (csc_is_symmetric(&mass->full)) {
        const pcs_status status = chol_create(env, &mass->full, &mass->chol);
        if (status != PCS_ERR_SINGULAR) return status;
    }
    return factor_lu(env, mass);
}

pcs_status pcs_mass_matrix_create_sparse(const pcs_env *env, const pcs_csc *M,
                                         pcs_mass_matrix **out)
{
    if (!out) return pcs_fail(PCS_ERR_ARG, "pcs_mass_matrix: out is null");
    *out = NULL;
    PCS_TRY(csc_check_square(M, "mass matrix"));
    pcs_mass_matrix *mass = pcs_env_alloc(env, 1, sizeof *mass);
    if (!mass) return pcs_fail_memory("pcs_mass_matrix");
    if (env) mass->env = *env;
    const pcs_status status = create_sparse(env, M, mass);
    if (status != PCS_OK) {
        pcs_mass_matrix_destroy(mass);
        return status;
    }
    *out = mass;
    return PCS_OK;
}

pcs_status mass_in_arena(const block_lu *F, pcs_arena *arena, pcs_mass_matrix **out)
{
    *out = PCS_TAKE(arena, 1, pcs_mass_matrix);
    if (!*out) return pcs_fail_memory("mass matrix");
    **out = (pcs_mass_matrix){.n = F->nb > 0 ? F->start[F->nb] : 0, .blocks = *F};
    (*out)->start = (int *)F->start;
    (*out)->off = (size_t *)F->off;
    return PCS_OK;
}

void pcs_mass_matrix_destroy(pcs_mass_matrix *mass)
{
    if (!mass) return;
    const pcs_env env = mass->env;
    chol_destroy(mass->chol);
    sparse_lu_end(mass->lu);
    pcs_arena_destroy(&env, &mass->memory);
    csc_free(&env, &mass->full);
    pcs_env_free(&env, mass->blocks.val);
    pcs_env_free(&env, mass->start);
    pcs_env_free(&env, mass->off);
    pcs_env_free(&env, mass->kind);
    pcs_env_free(&env, mass->blocks.lu);
    pcs_env_free(&env, mass->blocks.piv);
    pcs_env_free(&env, mass);
}

int pcs_mass_matrix_size(const pcs_mass_matrix *mass)
{
    return mass ? mass->n : 0;
}

// x = x0 + M^-1 (b - M x0), x0 = M^-1 b; vectors and the memory of KLU belong to the call, so that
// the factors are only read
static pcs_status solve_lu(const pcs_mass_matrix *mass, const double *b, double *x)
{
    const size_t n = (size_t)mass->n;
    const size_t room = (sparse_lu_room(mass->lu) + sizeof *x - 1) / sizeof *x;
    double *first = pcs_env_alloc(&mass->env, 2 * n + room, sizeof *x);
    if (!first) return pcs_fail_memory("mass matrix solve");
    double *rest = first + n;
    memcpy(first, b, n * sizeof *x);
    bool good = sparse_lu_solve(mass->lu, rest + n, first);
    pcs_mass_matrix_mul(mass, first, rest);
    for (size_t i = 0; i < n; ++i) {
        rest[i] = b[i] - rest[i];
    }
    good = good && sparse_lu_solve(mass->lu, rest + n, rest);
    for (size_t i = 0; i < n; ++i) {
        x[i] = first[i] + rest[i];
    }
    pcs_env_free(&mass->env, first);
    return good ? PCS_OK : pcs_fail_memory("mass matrix solve");
}

const block_lu *mass_blocks(const pcs_mass_matrix *mass)
{
    return mass->is_sparse ? NULL : &mass->blocks;
}

pcs_status pcs_mass_matrix_solve(const pcs_mass_matrix *mass, const double *b, double *x)
{
    if (!mass || (mass->n > 0 && (!b || !x))) {
        return pcs_fail(PCS_ERR_ARG, "pcs_mass_matrix_solve: an argument is null");
    }
    if (mass->chol) return chol_solve(mass->chol, 1, b, x);
    if (mass->lu) return solve_lu(mass, b, x);

    if (x != b && mass->n > 0) memmove(x, b, (size_t)mass->n * sizeof *x);
    block_lu_solve_all(&mass->blocks, x);
    return PCS_OK;
}

// y += A x with the entries of column block b outside of the diagonal
static void add_neighbours(const block_lu *F, int b, const double *x, double *y)
{
    if (F->node[b] < 0) return;
    const block_sparse *A = F->joined;
    const int w = F->start[b + 1] - F->start[b], j = F->node[b];
    for (int e = A->first[j]; e < A->first[j + 1]; ++e) {
        const int i = A->index[e];
        if (i == j) continue;
        block_addmul(A->start[i + 1] - A->start[i], w, A->val + A->at[e], x + F->start[b],
                     y + F->start[F->of_node[i]]);
    }
}

void pcs_mass_matrix_mul(const pcs_mass_matrix *mass, const double *x, double *y)
{
    if (mass->n == 0) return;
    memset(y, 0, (size_t)mass->n * sizeof *y);
    if (mass->is_sparse) {
        csc_addmul(&mass->full, x, y);
        return;
    }
    PCS_ASSERT(mass->blocks.val);
    double room[36];
    for (int b = 0; b < mass->blocks.nb; ++b) {
        const int top = mass->start[b], h = mass->start[b + 1] - top;
        block_addmul(h, h, whole_block(&mass->blocks, b, room), x + top, y + top);
    }
    for (int b = 0; mass->blocks.joined && b < mass->blocks.nb; ++b) {
        add_neighbours(&mass->blocks, b, x, y);
    }
}

// zeros off the diagonal of a block are left out
static bool is_entry(const double *A, int h, int i, int j)
{
    return i == j || A[i + (size_t)h * (size_t)j] != 0;
}

static bool is_joined(const block_lu *F, int b)
{
    return F->joined && F->node[b] >= 0;
}

// rows of the column of a joined block
static int joined_rows(const block_lu *F, int b)
{
    const block_sparse *A = F->joined;
    int rows = 0;
    for (int e = A->first[F->node[b]]; e < A->first[F->node[b] + 1]; ++e) {
        rows += A->start[A->index[e] + 1] - A->start[A->index[e]];
    }
    return rows;
}

// writes these columns from entry `at` on; returns the next one
static int joined_columns(const block_lu *F, int b, int at, pcs_csc *out)
{
    const block_sparse *A = F->joined;
    for (int j = 0; j < F->start[b + 1] - F->start[b]; ++j) {
        for (int e = A->first[F->node[b]]; e < A->first[F->node[b] + 1]; ++e) {
            const int to = F->of_node[A->index[e]], h = F->start[to + 1] - F->start[to];
            memcpy(out->x + at, A->val + A->at[e] + (size_t)h * (size_t)j,
                   (size_t)h * sizeof *out->x);
            for (int i = 0; i < h; ++i) {
                out->i[at++] = F->start[to] + i;
            }
        }
        out->p[F->start[b] + j + 1] = at;
    }
    return at;
}

static pcs_status blocks_to_csc(const pcs_mass_matrix *mass, pcs_arena *arena, pcs_csc *out)
{
    PCS_ASSERT(mass->blocks.val);
    size_t nnz = 0;
    double room[36];
    const block_lu *F = &mass->blocks;
    for (int b = 0; b < F->nb; ++b) {
        const int h = mass->start[b + 1] - mass->start[b];
        if (is_joined(F, b)) {
            nnz += (size_t)h * (size_t)joined_rows(F, b);
            continue;
        }
        const double *A = whole_block(F, b, room);
        for (int j = 0; j < h; ++j) {
            for (int i = 0; i < h; ++i) {
                nnz += is_entry(A, h, i, j);
            }
        }
    }
    if (nnz > INT_MAX)
        return pcs_fail(PCS_ERR_SIZE, "pcs_mass_matrix_to_csc: more entries than an int can count");
    if (!csc_take(arena, mass->n, (int)nnz, out)) return pcs_fail_memory("pcs_mass_matrix_to_csc");

    int at = 0;
    out->p[0] = 0;
    for (int b = 0; b < F->nb; ++b) {
        const int top = mass->start[b], h = mass->start[b + 1] - top;
        if (is_joined(F, b)) {
            at = joined_columns(F, b, at, out);
            continue;
        }
        const double *A = whole_block(F, b, room);
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

pcs_status pcs_mass_matrix_to_csc(const pcs_mass_matrix *mass, pcs_arena *arena, pcs_csc *out)
{
    if (!mass || !arena || !out) {
        return pcs_fail(PCS_ERR_ARG, "pcs_mass_matrix_to_csc: an argument is null");
    }
    if (!mass->is_sparse) return blocks_to_csc(mass, arena, out);

    const int nnz = mass->full.p[mass->n];
    if (!csc_take(arena, mass->n, nnz, out)) return pcs_fail_memory("pcs_mass_matrix_to_csc");
    memcpy(out->p, mass->full.p, ((size_t)mass->n + 1) * sizeof(int));
    if (nnz > 0) {
        memcpy(out->i, mass->full.i, (size_t)nnz * sizeof(int));
        memcpy(out->x, mass->full.x, (size_t)nnz * sizeof(double));
    }
    return PCS_OK;
}
