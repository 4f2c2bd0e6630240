// FCLIB's layout in HDF5, local and global, with the optional rows of equalities:
//
//     /fclib_local     u = W r + V l + q,  0 = V' r + R l + s
//     /fclib_global    M v = H_file r + G l + f,  u = H_file' v + w,  0 = G' v + b
//     /solution, /guesses
//
// The contacts come first, each equality becomes a block of one row after them; r = (r, l).
#include "problem_file/fclib.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "problem_file/assemble.h"
#include "problem_file/hdf5.h"
#include "problem_file/object.h"

typedef struct reader {
    h5_file h5;
    const char *name, *root;
    pcs_pool *keep, *scratch;
    pcs_problem_file *file;
    int dim, nc;
    int rows, equalities; // rows of contacts; then of equalities
    char path[200];
} reader;

// the path of a part of the problem, valid until the next call
static const char *part(reader *r, const char *group, const char *what)
{
    snprintf(r->path, sizeof r->path, "%s/%s%s%s", r->root, group, what[0] != '\0' ? "/" : "",
             what);
    return r->path;
}

static pcs_status read_vector(reader *r, const char *what, int *n, const double **out)
{
    double *x = NULL;
    PCS_TRY(h5_reals(&r->h5, part(r, "vectors", what), n, r->keep, &x));
    *out = x;
    return PCS_OK;
}

// ---- matrices ----------------------------------------------------------------------------------

typedef struct matrix_head {
    int m, n, nzmax, nz;
    int np, ni, nx; // lengths of the arrays
    int *p, *i;
    double *x;
} matrix_head;

static pcs_status read_head(reader *r, const char *name, matrix_head *A)
{
    const h5_file *f = &r->h5;
    *A = (matrix_head){.np = -1, .ni = -1, .nx = -1};
    PCS_TRY(h5_int(f, part(r, name, "m"), &A->m));
    PCS_TRY(h5_int(f, part(r, name, "n"), &A->n));
    PCS_TRY(h5_int(f, part(r, name, "nzmax"), &A->nzmax));
    PCS_TRY(h5_int(f, part(r, name, "nz"), &A->nz));
    if (A->m < 0 || A->n < 0 || A->nz < -2) {
        return fail_named(r->name, PCS_ERR_SIZE, "%s/%s: it is %d x %d with nz = %d", r->root, name,
                          A->m, A->n, A->nz);
    }
    PCS_TRY(h5_ints(f, part(r, name, "p"), &A->np, r->scratch, &A->p));
    PCS_TRY(h5_ints(f, part(r, name, "i"), &A->ni, r->scratch, &A->i));
    PCS_TRY(h5_reals(f, part(r, name, "x"), &A->nx, r->scratch, &A->x));
    return PCS_OK;
}

static pcs_status check_count(const reader *r, const char *name, const matrix_head *A, int n)
{
    if (n <= A->nzmax && n <= A->ni && n <= A->nx) return PCS_OK;
    return fail_named(r->name, PCS_ERR_SIZE,
                      "%s/%s: it has %d entries, but nzmax is %d, i has %d and x %d", r->root, name,
                      n, A->nzmax, A->ni, A->nx);
}

static pcs_status check_range(const reader *r, const char *name, const char *what, int n,
                              const int *x, int end)
{
    for (int k = 0; k < n; ++k) {
        if (x[k] >= 0 && x[k] < end) continue;
        return fail_named(r->name, PCS_ERR_FORMAT,
                          "%s/%s/%s: number %d is %d; it must be from 0 to"
                          " %d",
                          r->root, name, what, k, x[k], end - 1);
    }
    return PCS_OK;
}

// i = row, p = column
static pcs_status from_triplets(reader *r, const char *name, const matrix_head *A, entries *out)
{
    PCS_TRY(check_count(r, name, A, A->nz));
    if (A->np < A->nz) {
        return fail_named(r->name, PCS_ERR_SIZE, "%s/%s: it has %d entries, but p has %d", r->root,
                          name, A->nz, A->np);
    }
    PCS_TRY(check_range(r, name, "i", A->nz, A->i, A->m));
    PCS_TRY(check_range(r, name, "p", A->nz, A->p, A->n));
    *out = (entries){A->m, A->n, A->nz, A->i, A->p, A->x};
    return PCS_OK;
}

// p = pointers of columns (nz = -1) or rows (nz = -2), i = the other index
static pcs_status from_compressed(reader *r, const char *name, const matrix_head *A, entries *out)
{
    const bool by_rows = A->nz == -2;
    const int lines = by_rows ? A->m : A->n, across = by_rows ? A->n : A->m;
    if (A->np <= lines) {
        return fail_named(r->name, PCS_ERR_SIZE, "%s/%s/p: it has %d pointers for %d %s", r->root,
                          name, A->np, lines, by_rows ? "rows" : "columns");
    }
    for (int k = 0; k <= lines; ++k) {
        if (A->p[k] >= (k > 0 ? A->p[k - 1] : 0) && (k > 0 || A->p[0] == 0)) continue;
        return fail_named(r->name, PCS_ERR_FORMAT,
                          "%s/%s/p: pointer %d is %d; they start at 0 and never decrease", r->root,
                          name, k, A->p[k]);
    }
    const int n = A->p[lines];
    PCS_TRY(check_count(r, name, A, n));
    PCS_TRY(check_range(r, name, "i", n, A->i, across));

    int *line = POOL_TAKE(r->scratch, (size_t)n, int);
    if (!line) return pcs_fail_memory("FCLIB file");
    for (int k = 0; k < lines; ++k) {
        for (int e = A->p[k]; e < A->p[k + 1]; ++e) {
            line[e] = k;
        }
    }
    *out = (entries){A->m, A->n, n, by_rows ? line : A->i, by_rows ? A->i : line, A->x};
    return PCS_OK;
}

static pcs_status read_matrix(reader *r, const char *name, int m, int n, entries *out)
{
    matrix_head A;
    PCS_TRY(read_head(r, name, &A));
    if (A.m != m || A.n != n) {
        return fail_named(r->name, PCS_ERR_SIZE,
                          "%s/%s: it is %d x %d; the vectors require %d x %d", r->root, name, A.m,
                          A.n, m, n);
    }
    return A.nz >= 0 ? from_triplets(r, name, &A, out) : from_compressed(r, name, &A, out);
}

// places B at (row, col) of A, which has room; transposed on request
static void append(entries *A, const entries *B, bool transposed, int row, int col)
{
    for (int k = 0; k < B->n; ++k) {
        A->i[A->n] = row + (transposed ? B->j[k] : B->i[k]);
        A->j[A->n] = col + (transposed ? B->i[k] : B->j[k]);
        A->x[A->n++] = B->x[k];
    }
}

static pcs_status take_room(reader *r, int rows, int cols, size_t n, entries *out)
{
    if (n > INT_MAX) return pcs_fail_memory("FCLIB file");
    PCS_TRY(entries_take(rows, cols, (int)n, r->scratch, out));
    out->n = 0;
    return PCS_OK;
}

// x after y, both kept
static pcs_status join(reader *r, const double *x, const double *y, const double **out)
{
    if (r->equalities == 0) {
        *out = x;
        return PCS_OK;
    }
    const size_t n = (size_t)r->rows, m = (size_t)r->equalities;
    double *z = POOL_TAKE(r->keep, n + m, double);
    if (!z) return pcs_fail_memory("FCLIB file");
    if (n > 0) memcpy(z, x, n * sizeof *z);
    if (y) memcpy(z + n, y, m * sizeof *z);
    *out = z;
    return PCS_OK;
}

// ---- problems ----------------------------------------------------------------------------------

// spacedim, mu, the blocks; the number of contact rows is known
static pcs_status read_contacts(reader *r, const char *vector, const pcs_block **block)
{
    if (r->rows % r->dim != 0) {
        return fail_named(r->name, PCS_ERR_SIZE,
                          "%s/vectors/%s: it has %d numbers, which is not a multiple of %d",
                          r->root, vector, r->rows, r->dim);
    }
    r->nc = r->rows / r->dim;
    const double *mu = NULL;
    PCS_TRY(read_vector(r, "mu", &r->nc, &mu));
    if (r->equalities > INT_MAX - r->rows) {
        return fail_named(r->name, PCS_ERR_SIZE, "it has more rows than an int can count");
    }
    return contact_blocks(r->name, r->dim, r->nc, mu, r->equalities, r->keep, block);
}

static pcs_status read_local(reader *r)
{
    const double *q = NULL, *s = NULL;
    const pcs_block *block = NULL;
    const bool mixed = h5_has(&r->h5, part(r, "V", ""));
    r->rows = -1;
    PCS_TRY(read_vector(r, "q", &r->rows, &q));
    if (mixed) {
        r->equalities = -1;
        PCS_TRY(read_vector(r, "s", &r->equalities, &s));
    }
    PCS_TRY(read_contacts(r, "q", &block));

    entries W, all;
    PCS_TRY(read_matrix(r, "W", r->rows, r->rows, &W));
    all = W;
    if (mixed) {
        entries V, R;
        const int n = r->rows + r->equalities;
        PCS_TRY(read_matrix(r, "V", r->rows, r->equalities, &V));
        PCS_TRY(read_matrix(r, "R", r->equalities, r->equalities, &R));
        PCS_TRY(take_room(r, n, n, (size_t)W.n + 2 * (size_t)V.n + (size_t)R.n, &all));
        append(&all, &W, false, 0, 0);
        append(&all, &V, false, 0, r->rows);
        append(&all, &V, true, r->rows, 0);
        append(&all, &R, false, r->rows, r->rows);
    }
    PCS_TRY(join(r, q, s, &q));
    return local_build(r->name, r->nc + r->equalities, block, &all, q, r->scratch, r->file);
}

static pcs_status read_global(reader *r)
{
    // finite element codes write one triangle
    global_parts g = {.may_be_half = true};
    const double *b = NULL;
    int velocities = -1;
    const bool mixed = h5_has(&r->h5, part(r, "G", ""));
    r->rows = -1;
    PCS_TRY(read_vector(r, "f", &velocities, &g.f));
    PCS_TRY(read_vector(r, "w", &r->rows, &g.w));
    if (mixed) {
        r->equalities = -1;
        PCS_TRY(read_vector(r, "b", &r->equalities, &b));
    }
    PCS_TRY(read_contacts(r, "w", &g.block));
    g.nb = r->nc + r->equalities;

    entries H;
    PCS_TRY(read_matrix(r, "M", velocities, velocities, &g.M));
    PCS_TRY(read_matrix(r, "H", velocities, r->rows, &H));
    g.H = entries_transposed(&H);
    if (mixed) {
        entries G;
        PCS_TRY(read_matrix(r, "G", velocities, r->equalities, &G));
        PCS_TRY(take_room(r, r->rows + r->equalities, velocities, (size_t)H.n + (size_t)G.n, &g.H));
        append(&g.H, &H, true, 0, 0);
        append(&g.H, &G, true, r->rows, 0);
    }
    PCS_TRY(join(r, g.w, b, &g.w));
    return global_build(r->name, &g, r->scratch, r->file);
}

// ---- solutions and guesses ---------------------------------------------------------------------

// a vector of rows: the contacts in `first`, the equalities, if any, in `second`
static pcs_status read_rows(reader *r, const char *folder, const char *first, const char *second,
                            const double **out)
{
    char path[100];
    *out = NULL;
    snprintf(path, sizeof path, "%s/%s", folder, first);
    if (!h5_has(&r->h5, path)) return PCS_OK;
    double *x = NULL, *y = NULL;
    PCS_TRY(h5_reals(&r->h5, path, &r->rows, r->keep, &x));
    if (second && r->equalities > 0) {
        snprintf(path, sizeof path, "%s/%s", folder, second);
        // impulses of contacts without those of equalities are no solution
        if (!h5_has(&r->h5, path)) return PCS_OK;
        PCS_TRY(h5_reals(&r->h5, path, &r->equalities, r->keep, &y));
    }
    return join(r, x, y, out);
}

static pcs_status read_solution(reader *r)
{
    PCS_TRY(read_rows(r, "/solution", "r", "l", &r->file->r));
    PCS_TRY(read_rows(r, "/solution", "u", NULL, &r->file->u));
    if (!r->file->global || !h5_has(&r->h5, "/solution/v")) return PCS_OK;
    double *v = NULL;
    PCS_TRY(h5_reals(&r->h5, "/solution/v", &r->file->velocities, r->keep, &v));
    r->file->v = v;
    return PCS_OK;
}

static pcs_status read_guesses(reader *r)
{
    if (!h5_has(&r->h5, "/guesses/number_of_guesses")) return PCS_OK;
    int n;
    PCS_TRY(h5_int(&r->h5, "/guesses/number_of_guesses", &n));
    const size_t rows = (size_t)r->rows + (size_t)r->equalities;
    // many links may lead to one stored vector
    if (n < 0 || (size_t)n > r->h5.size || (size_t)n * rows > r->h5.size / sizeof(double)) {
        return fail_named(r->name, PCS_ERR_SIZE,
                          "/guesses/number_of_guesses: %d guesses are more than the file holds", n);
    }
    double *all[2] = {POOL_TAKE(r->keep, (size_t)n * rows, double),
                      POOL_TAKE(r->keep, (size_t)n * rows, double)};
    if (!all[0] || !all[1]) return pcs_fail_memory("FCLIB file");

    bool complete[2] = {n > 0, n > 0};
    for (int k = 0; k < n; ++k) {
        for (int side = 0; side < 2; ++side) {
            char folder[40];
            const double *x = NULL;
            snprintf(folder, sizeof folder, "/guesses/%d", k + 1);
            PCS_TRY(read_rows(r, folder, side ? "u" : "r", side ? NULL : "l", &x));
            complete[side] = complete[side] && x;
            if (x && rows > 0) memcpy(all[side] + (size_t)k * rows, x, rows * sizeof *x);
        }
    }
    if (complete[0]) r->file->guess_r = all[0];
    if (complete[1]) r->file->guess_u = all[1];
    if (complete[0] || complete[1]) r->file->guesses = n;
    return PCS_OK;
}

static pcs_status read_about(reader *r)
{
    PCS_TRY(h5_words(&r->h5, part(r, "info", "title"), r->keep, &r->file->title));
    PCS_TRY(h5_words(&r->h5, part(r, "info", "description"), r->keep, &r->file->description));
    return h5_words(&r->h5, part(r, "info", "math_info"), r->keep, &r->file->math_info);
}

static pcs_status read_open(reader *r)
{
    const h5_file *f = &r->h5;
    if (h5_has(f, "/fclib_global_rolling") || h5_has(f, "/fclib_local_rolling")) {
        return fail_named(r->name, PCS_ERR_UNSUPPORTED,
                          "it holds rolling friction, which percuss does not solve");
    }
    const bool local = h5_has(f, "/fclib_local"), global = h5_has(f, "/fclib_global");
    if (local == global) {
        return fail_named(r->name, PCS_ERR_FORMAT,
                          "it has %s /fclib_local %s /fclib_global; one of them is expected",
                          local ? "both" : "neither", local ? "and" : "nor");
    }
    r->root = global ? "/fclib_global" : "/fclib_local";
    PCS_TRY(h5_int(f, part(r, "spacedim", ""), &r->dim));
    if (r->dim == 5) {
        return fail_named(r->name, PCS_ERR_UNSUPPORTED,
                          "%s/spacedim is 5: rolling friction, which percuss does not solve",
                          r->root);
    }
    if (r->dim != 2 && r->dim != 3) {
        return fail_named(r->name, PCS_ERR_FORMAT, "%s/spacedim is %d; it must be 2 or 3", r->root,
                          r->dim);
    }
    PCS_TRY(global ? read_global(r) : read_local(r));
    PCS_TRY(read_solution(r));
    PCS_TRY(read_guesses(r));
    return read_about(r);
}

pcs_status fclib_read(const char *name, const char *bytes, size_t size, pcs_pool *scratch,
                      pcs_problem_file *file)
{
    reader r = {.name = name, .keep = &file->memory->pool, .scratch = scratch, .file = file};
    PCS_TRY(h5_open(name, bytes, size, &r.h5));
    const pcs_status status = read_open(&r);
    h5_close(&r.h5);
    if (status != PCS_OK) return status;

    file->storage = PCS_FILE_STORAGE_SPARSE;
    file->kind = r.dim == 2 ? (file->global ? PCS_FILE_GFC2D : PCS_FILE_FC2D)
                            : (file->global ? PCS_FILE_GFC3D : PCS_FILE_FC3D);
    if (r.equalities > 0) file->kind = file->global ? PCS_FILE_GLOBAL : PCS_FILE_MIXED;
    return PCS_OK;
}
