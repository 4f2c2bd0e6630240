// FC3D and FC2D files:      dim nc MATRIX(W) q mu
// GFC3D and GFC2D files:    dim nc MATRIX(M) MATRIX(H_file) q b mu
//
// u = W r + q with dim rows for each of nc contacts, normal first, with a coefficient each; or M v
// = H_file r + q, u = H_file^T v + b, which is transposed here: H = H_file^T, f = q, w = b.
#include "problem_file/friction.h"

#include <limits.h>
#include <string.h>

#include "base/base.h"
#include "problem_file/assemble.h"
#include "problem_file/matrix_section.h"

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

bool global_fits(const text *t, int dim)
{
    // without contacts the dimension is 3; 2 0 2 2 2 begins an LCP
    long long x[5];
    return text_peek_ints(t, 5, x) == 5 && x[0] == dim && x[1] >= (dim == 2) && x[2] >= 0 &&
           x[2] <= 2 && x[3] >= 0 && x[4] == x[3];
}

pcs_status global_follows(const text *t, int dim, pcs_pool *scratch, bool *out)
{
    text s = *t;
    long long x[3];
    int given, nc;
    file_matrix A;
    *out = false;
    if (text_int(&s, "", dim, dim, "", &given) != PCS_OK || text_size(&s, "", &nc) != PCS_OK) {
        return PCS_OK;
    }
    const pcs_status status = matrix_read(&s, "M", scratch, scratch, &A);
    if (status != PCS_OK) return status == PCS_ERR_MEMORY ? status : PCS_OK;
    *out = text_peek_ints(&s, 3, x) == 3 && x[0] >= 0 && x[0] <= 2 && x[1] == A.rows &&
           x[2] == dim * (long long)nc && x[2] > 0;
    return PCS_OK;
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
    file->half = W.half;
    PCS_TRY(matrix_to_bsr(&W, t, nc, start, keep, scratch, &file->problem.W));
    return check_rows(t, &file->problem.W, dim);
}

// reads the coefficients into the blocks
static pcs_status read_friction(text *t, int dim, int nc, pcs_pool *keep, pcs_problem *p)
{
    PCS_TRY(text_room(t, "mu", (size_t)nc));
    pcs_block *block = POOL_TAKE(keep, (size_t)nc, pcs_block);
    if (!block) return fail_memory();
    for (int i = 0; i < nc; ++i) {
        block[i] = (pcs_block){.cone = PCS_CONE_COULOMB, .row = dim * i, .dim = dim};
        PCS_TRY(text_real(t, "mu, a number for each contact", &block[i].mu));
        if (block[i].mu < 0) {
            return text_fail(t, PCS_ERR_FORMAT, "mu of contact %d is %g; it must not be negative",
                             i, block[i].mu);
        }
    }
    p->nb = nc;
    p->block = block;
    return PCS_OK;
}

// the dimension, which must be dim, and the number of contacts
static pcs_status read_counts(text *t, int dim, const char *what, int *nc)
{
    int given;
    PCS_TRY(text_int(t, "the dimension", dim, dim, "", &given));
    PCS_TRY(text_size(t, "nc, the number of contacts", nc));
    PCS_TRY(text_room(t, what, (size_t)dim * (size_t)*nc));
    if (*nc <= INT_MAX / dim) return PCS_OK;
    return text_fail(t, PCS_ERR_SIZE, "%d contacts have more rows than an int can count", *nc);
}

static pcs_status read_vector(text *t, const char *what, int n, pcs_pool *keep, const double **out)
{
    PCS_TRY(text_room(t, what, (size_t)n));
    double *x = POOL_TAKE(keep, (size_t)n, double);
    if (!x) return fail_memory();
    *out = x;
    return text_reals(t, what, (size_t)n, x);
}

pcs_status friction_read(text *t, pcs_pool *keep, pcs_pool *scratch, pcs_problem_file *file)
{
    const int dim = file->kind == PCS_FILE_FC2D ? 2 : 3;
    int nc;
    PCS_TRY(read_counts(t, dim, "a friction problem", &nc));
    PCS_TRY(read_matrix(t, dim, nc, keep, scratch, file));
    file->problem.n = dim * nc;
    PCS_TRY(read_vector(t, "q", dim * nc, keep, &file->problem.q));
    PCS_TRY(read_friction(t, dim, nc, keep, &file->problem));

    file->has_matrix = true;
    file->contacts = nc;
    return PCS_OK;
}

// ---- global ------------------------------------------------------------------------------------

// reads M and H, and the blocks of M if the file has them
static pcs_status read_matrices(text *t, int n, pcs_pool *scratch, pcs_problem_file *file,
                                global_parts *g)
{
    file_matrix M, H;
    PCS_TRY(matrix_read(t, "M", scratch, scratch, &M));
    if (M.rows != M.cols) {
        return text_fail(t, PCS_ERR_SIZE, "M is %d x %d; it must be square", M.rows, M.cols);
    }
    PCS_TRY(matrix_read(t, "H", scratch, scratch, &H));
    if (H.rows != M.rows || H.cols != n) {
        return text_fail(t, PCS_ERR_SIZE,
                         "H is %d x %d; for %d velocities and %d rows of contacts it must be"
                         " %d x %d",
                         H.rows, H.cols, M.rows, n, M.rows, n);
    }
    file->storage = M.storage;
    file->half = M.half;
    if (M.storage == PCS_FILE_STORAGE_BLOCKS && M.bsr.m == M.bsr.n &&
        memcmp(M.bsr.row, M.bsr.col, ((size_t)M.bsr.m + 1) * sizeof(int)) == 0) {
        g->hint = (partition){.n = M.bsr.m, .start = M.bsr.row};
    }
    PCS_TRY(matrix_to_entries(&M, false, scratch, &g->M));
    PCS_TRY(matrix_to_entries(&H, true, scratch, &g->H));
    g->H = entries_transposed(&g->H);
    return PCS_OK;
}

pcs_status global_read(text *t, pcs_pool *keep, pcs_pool *scratch, pcs_problem_file *file)
{
    const int dim = file->kind == PCS_FILE_GFC2D ? 2 : 3;
    int nc;
    PCS_TRY(read_counts(t, dim, "a global friction problem", &nc));
    global_parts g = {.nb = nc};
    const double *mu = NULL;
    PCS_TRY(read_matrices(t, dim * nc, scratch, file, &g));
    PCS_TRY(read_vector(t, "q", g.M.rows, keep, &g.f));
    PCS_TRY(read_vector(t, "b", dim * nc, keep, &g.w));
    PCS_TRY(read_vector(t, "mu, a number for each contact", nc, scratch, &mu));
    PCS_TRY(contact_blocks(t->name, dim, nc, mu, 0, keep, &g.block));
    return global_build(t->name, &g, scratch, file);
}
