// Entries for friction problems given as matrices: all blocks are Coulomb blocks.
#include <limits.h>

#include "solver/solver.h"

static pcs_status check_arguments(int dim, int nc, bool null, const pcs_report *report)
{
    if (dim != 2 && dim != 3) {
        return pcs_fail(PCS_ERR_ARG, "friction: the dimension is %d; it must be 2 or 3", dim);
    }
    if (nc < 0)
        return pcs_fail(PCS_ERR_SIZE,
                        "friction: the number of contacts is %d; it must not be negative", nc);
    if (nc > INT_MAX / 3) {
        return pcs_fail(PCS_ERR_SIZE, "friction: %d contacts have more rows than an int can count",
                        nc);
    }
    if (!report || (nc > 0 && null)) return pcs_fail(PCS_ERR_ARG, "friction: an argument is null");
    return PCS_OK;
}

// W from `dense` if that is not null
static pcs_status solve(int dim, int nc, const pcs_bsr *W, double *dense, const double *q,
                        const double *mu, const pcs_solver_opts *opts, double *r, double *u,
                        pcs_report *report)
{
    pcs_arena arena;
    const size_t bytes = solver_bytes((size_t)nc, sizeof(pcs_block)) + (size_t)4 * 64;
    PCS_TRY(pcs_arena_create(NULL, bytes, &arena));

    pcs_problem p = {.n = dim * nc, .nb = nc, .q = q};
    pcs_block *block = PCS_TAKE(&arena, (size_t)nc, pcs_block);
    pcs_status status = block ? PCS_OK : pcs_fail_memory("friction");
    if (status == PCS_OK) {
        for (int i = 0; i < nc; ++i) {
            block[i] =
                (pcs_block){.cone = PCS_CONE_COULOMB, .row = dim * i, .dim = dim, .mu = mu[i]};
        }
        p.block = block;
        if (W) {
            p.W = *W;
        } else {
            status = pcs_bsr_from_dense(p.n, p.n, dense, &arena, &p.W);
        }
    }
    if (status == PCS_OK) status = pcs_solve_alloc(NULL, &p, opts, r, u, report);
    pcs_arena_destroy(NULL, &arena);
    return status;
}

static pcs_status solve_dense(int dim, int nc, const double *W, const double *q, const double *mu,
                              const pcs_solver_opts *opts, double *r, double *u, pcs_report *report)
{
    PCS_TRY(check_arguments(dim, nc, !W || !q || !mu || !r || !u, report));
    // the problem borrows W; nothing writes to it
    return solve(dim, nc, NULL, (double *)(uintptr_t)W, q, mu, opts, r, u, report);
}

pcs_status pcs_solve_fc3d(int nc, const double *W, const double *q, const double *mu,
                          const pcs_solver_opts *opts, double *r, double *u, pcs_report *report)
{
    return solve_dense(3, nc, W, q, mu, opts, r, u, report);
}

pcs_status pcs_solve_fc2d(int nc, const double *W, const double *q, const double *mu,
                          const pcs_solver_opts *opts, double *r, double *u, pcs_report *report)
{
    return solve_dense(2, nc, W, q, mu, opts, r, u, report);
}

pcs_status pcs_solve_friction(int dim, int nc, const pcs_bsr *W, const double *q, const double *mu,
                              const pcs_solver_opts *opts, double *r, double *u, pcs_report *report)
{
    PCS_TRY(check_arguments(dim, nc, !W || !q || !mu || !r || !u, report));
    return solve(dim, nc, W, NULL, q, mu, opts, r, u, report);
}
