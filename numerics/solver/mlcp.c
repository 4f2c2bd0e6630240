// Entries for LCP and MLCP given as matrices, solved as a pcs_problem with W a single dense block.
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "solver/solver.h"

// neighbouring equality rows become one block; a unilateral row is a block of its own
static int blocks_of(int n, const pcs_cone *kind, pcs_block *block)
{
    int nb = 0;
    for (int i = 0; i < n; ++i) {
        if (nb > 0 && kind[i] == PCS_CONE_EQUALITY && kind[i - 1] == PCS_CONE_EQUALITY) {
            block[nb - 1].dim += 1;
        } else {
            block[nb++] = (pcs_block){.cone = kind[i], .row = i, .dim = 1};
        }
    }
    return nb;
}

static pcs_status check_size(const char *who, int n)
{
    if (n < 0) return pcs_fail(PCS_ERR_SIZE, "%s: the size is %d; it must not be negative", who, n);
    return PCS_OK;
}

// the index arrays of W and the blocks are in one arena, from malloc
static pcs_status solve_dense(int n, const pcs_cone *kind, const double *M, const double *q,
                              const pcs_solver_opts *opts, double *z, double *w, pcs_report *report)
{
    pcs_arena arena;
    const size_t bytes = solver_bytes((size_t)n, sizeof(pcs_block)) + 4 * 64;
    PCS_TRY(pcs_arena_create(NULL, bytes, &arena));

    pcs_problem p = {.n = n, .q = q};
    pcs_block *block = PCS_TAKE(&arena, (size_t)n, pcs_block);
    pcs_status status = block ? PCS_OK : pcs_fail_memory("mlcp");
    if (status == PCS_OK) {
        p.nb = blocks_of(n, kind, block);
        p.block = block;
        // W borrows M; nothing writes to W
        status = pcs_bsr_from_dense(n, n, (double *)(uintptr_t)M, &arena, &p.W);
    }
    if (status == PCS_OK) status = pcs_solve_alloc(NULL, &p, opts, z, w, report);
    pcs_arena_destroy(NULL, &arena);
    return status;
}

pcs_status pcs_solve_mlcp(int n, const pcs_cone *kind, const double *M, const double *q,
                          const pcs_solver_opts *opts, double *z, double *w, pcs_report *report)
{
    PCS_TRY(check_size("pcs_solve_mlcp", n));
    if (!report || (n > 0 && (!kind || !M || !q || !z || !w))) {
        return pcs_fail(PCS_ERR_ARG, "pcs_solve_mlcp: an argument is null");
    }
    return solve_dense(n, kind, M, q, opts, z, w, report);
}

pcs_status pcs_solve_lcp(int n, const double *M, const double *q, const pcs_solver_opts *opts,
                         double *z, double *w, pcs_report *report)
{
    PCS_TRY(check_size("pcs_solve_lcp", n));
    if (!report || (n > 0 && (!M || !q || !z || !w))) {
        return pcs_fail(PCS_ERR_ARG, "pcs_solve_lcp: an argument is null");
    }
    pcs_cone *kind = pcs_env_alloc(NULL, (size_t)n, sizeof *kind);
    if (!kind) return pcs_fail_memory("pcs_solve_lcp");
    for (int i = 0; i < n; ++i) {
        kind[i] = PCS_CONE_UNILATERAL;
    }
    const pcs_status status = solve_dense(n, kind, M, q, opts, z, w, report);
    free(kind);
    return status;
}

// copies an h x w block into the n-row matrix `big`, at row `row` and column `col`
static void place(int h, int w, const double *from, double *big, int n, int row, int col)
{
    if (h == 0) return;
    for (int j = 0; j < w; ++j) {
        memcpy(big + (size_t)row + (size_t)n * (size_t)(col + j), from + (size_t)h * (size_t)j,
               (size_t)h * sizeof *from);
    }
}

pcs_status pcs_solve_mlcp_abcd(int n, int m, const double *A, const double *B, const double *C,
                               const double *D, const double *a, const double *b,
                               const pcs_solver_opts *opts, double *u, double *v, double *w,
                               pcs_report *report)
{
    const char *who = "pcs_solve_mlcp_abcd";
    if (n < 0 || m < 0 || m > INT_MAX - n) {
        return pcs_fail(PCS_ERR_SIZE, "%s: the sizes are %d and %d; they must not be negative", who,
                        n, m);
    }
    if (!report || (n > 0 && (!A || !a || !u)) || (m > 0 && (!B || !b || !v || !w)) ||
        (n > 0 && m > 0 && (!C || !D))) {
        return pcs_fail(PCS_ERR_ARG, "%s: an argument is null", who);
    }

    // M = [A C; D B] and its vectors, in one allocation
    const int size = n + m;
    const size_t N = (size_t)size;
    if (N > 0 && N > SIZE_MAX / sizeof(double) / (N + 8)) return pcs_fail_memory(who);
    double *M = pcs_env_alloc(NULL, N * (N + 3), sizeof *M);
    pcs_cone *kind = pcs_env_alloc(NULL, N, sizeof *kind);
    pcs_status status = M && kind ? PCS_OK : pcs_fail_memory(who);
    if (status == PCS_OK) {
        double *q = M + N * N, *z = q + N, *y = z + N;
        place(n, n, A, M, size, 0, 0);
        place(n, m, C, M, size, 0, n);
        place(m, n, D, M, size, n, 0);
        place(m, m, B, M, size, n, n);
        place(n, n > 0, a, q, size, 0, 0);
        place(m, m > 0, b, q, size, n, 0);
        place(n, n > 0, u, z, size, 0, 0);
        place(m, m > 0, v, z, size, n, 0);
        for (int i = 0; i < size; ++i) {
            kind[i] = i < n ? PCS_CONE_EQUALITY : PCS_CONE_UNILATERAL;
        }
        status = solve_dense(size, kind, M, q, opts, z, y, report);
        if (status == PCS_OK) {
            place(n, n > 0, z, u, n, 0, 0);
            place(m, m > 0, z + n, v, m, 0, 0);
            place(m, m > 0, y + n, w, m, 0, 0);
        }
    }
    free(M);
    free(kind);
    return status;
}
