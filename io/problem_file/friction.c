// FC3D and FC2D files:    dim nc MATRIX(W) q mu
//
// u = W r + q with dim rows for each of nc contacts, normal first, and a coefficient for each.
#include "problem_file/friction.h"

#include <limits.h>
#include <string.h>

#include "base/base.h"
#include "problem_file/matrix.h"

static pcs_status fail_memory(void)
{
    return pcs_fail_memory("problem file");
}

bool friction_fits(const text *t, int dim)
{
    long long x[5];
    return text_peek_ints(t, 5, x) == 5 && x[0] == dim && x[1] >= 0 && x[2] >= 0 && x[2] <= 2 &&
           x[3] == dim * x[1] && x[4] == x[3];
}

// every contact lies within one block row of W
static pcs_status check_rows(const text *t, const pcs_bsr *W, int dim)
{
    for (int i = 0; i < W->m; ++i) {
        if (W->row[i] % dim == 0) continue;
        return text_fail(t, PCS_ERR_SIZE,
                         "block row %d of W starts at row %d, within contact %d; each contact must"
                         " lie in one block row",
                         i, W->row[i], W->row[i] / dim);
    }
    return PCS_OK;
}

static pcs_status read_matrix(text *t, int dim, int nc, pcs_pool *keep, pcs_pool *scratch,
                              pcs_problem_file *file)
{
    const int n = dim * nc;
    file_matrix W;
    PCS_TRY(matrix_read(t, "W", keep, scratch, &W));
    if (W.rows != n || W.cols != n) {
        return text_fail(t, PCS_ERR_SIZE, "W is %d x %d; for %d contacts it must be %d x %d",
                         W.rows, W.cols, nc, n, n);
    }

    int *start = POOL_TAKE(scratch, (size_t)nc + 1, int);
    if (!start) return fail_memory();
    for (int i = 0; i <= nc; ++i) {
        start[i] = dim * i;
    }
    file->storage = W.storage;
    PCS_TRY(matrix_to_bsr(&W, t, nc, start, keep, scratch, &file->problem.W));
    return check_rows(t, &file->problem.W, dim);
}

// the coefficients, into the blocks
static pcs_status read_friction(text *t, int dim, int nc, pcs_pool *keep, pcs_problem *p)
{
    PCS_TRY(text_room(t, "mu", (size_t)nc));
    pcs_block *block = POOL_TAKE(keep, (size_t)nc, pcs_block);
    if (!block) return fail_memory();
    for (int i = 0; i < nc; ++i) {
        block[i] = (pcs_block){.cone = PCS_COULOMB, .row = dim * i, .dim = dim};
        PCS_TRY(text_real(t, "mu, a number for each contact,", &block[i].mu));
        if (block[i].mu < 0) {
            return text_fail(t, PCS_ERR_FORMAT, "mu of contact %d is %g; it must not be negative",
                             i, block[i].mu);
        }
    }
    p->nb = nc;
    p->block = block;
    return PCS_OK;
}

// the header of another matrix of n columns comes next, as in a global problem with as many
// velocities as rows
static bool has_second_matrix(const text *t, int n)
{
    long long x[3];
    return n > 0 && text_peek_ints(t, 3, x) == 3 && x[0] >= 0 && x[0] <= 2 && x[1] == n &&
           x[2] == n;
}

pcs_status friction_read(text *t, pcs_pool *keep, pcs_pool *scratch, pcs_problem_file *file)
{
    const int dim = file->kind == PCS_FILE_FC2D ? 2 : 3;
    int given, nc;
    PCS_TRY(text_int(t, "the dimension", dim, dim, "", &given));
    PCS_TRY(text_size(t, "nc, the number of contacts", &nc));
    PCS_TRY(text_room(t, "a friction problem", (size_t)dim * (size_t)nc));
    if (nc > INT_MAX / dim) {
        return text_fail(t, PCS_ERR_SIZE, "%d contacts have more rows than an int can count", nc);
    }

    PCS_TRY(read_matrix(t, dim, nc, keep, scratch, file));
    const int n = dim * nc;
    if (file->recognised && has_second_matrix(t, n)) {
        return text_fail(
            t, PCS_ERR_FORMAT,
            "a second matrix seems to follow the first, as in a global friction problem;"
            " those are not read (say fc%dd if this is a local one)",
            dim);
    }
    PCS_TRY(text_room(t, "q", (size_t)n));
    double *q = POOL_TAKE(keep, (size_t)n, double);
    if (!q) return fail_memory();
    PCS_TRY(text_reals(t, "q", (size_t)n, q));
    file->problem.n = n;
    file->problem.q = q;
    PCS_TRY(read_friction(t, dim, nc, keep, &file->problem));

    file->has_matrix = 1;
    file->contacts = nc;
    return PCS_OK;
}
