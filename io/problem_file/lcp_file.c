// LCP files:    n MATRIX(M) q
// MLCP files:   st1 st2 n m
//               if st1: row blocks, their kinds, MATRIX(M) q       w = M z + q
//               if st2: A B C D a b, each row by row               0 = A u + C v + a,
//                                                                  w = D u + B v + b
// with n equalities and m complementarities. If both forms are present they must agree.
#include "problem_file/complementarity.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "problem_file/matrix_section.h"

static pcs_status fail_memory(void)
{
    return pcs_fail_memory("problem file");
}

// ---- blocks of rows ----------------------------------------------------------------------------

// runs of rows of one kind: run i covers rows end[i - 1] .. end[i] - 1
typedef struct row_runs {
    int n;
    int *end;     // n, never decreasing
    int *is_comp; // n
} row_runs;

static int run_start(const row_runs *runs, int i)
{
    return i > 0 ? runs->end[i - 1] : 0;
}

// the partition that keeps the rows of an equality run together; its size in *n
static pcs_status partition_runs(const row_runs *runs, int rows, pcs_pool *scratch, int *n,
                                 int **out)
{
    int *start = POOL_TAKE(scratch, (size_t)rows + 1, int);
    if (!start) return fail_memory();

    *n = 0;
    for (int i = 0; i < runs->n; ++i) {
        const int first = run_start(runs, i);
        for (int r = first; r < runs->end[i]; r += runs->is_comp[i] ? 1 : runs->end[i] - first) {
            start[(*n)++] = r;
        }
    }
    start[*n] = rows;
    *out = start;
    return PCS_OK;
}

// the cone blocks: one per complementarity row; an equality run is cut where a block row of W
// ends, because the rows of a cone block lie within one
static pcs_status cone_blocks(const row_runs *runs, pcs_pool *keep, pcs_problem_file *file)
{
    pcs_problem *p = &file->problem;
    pcs_block *block = POOL_TAKE(keep, (size_t)p->n, pcs_block);
    if (!block) return fail_memory();

    int nb = 0, at = 0; // block row of W
    for (int i = 0; i < runs->n; ++i) {
        for (int r = run_start(runs, i); r < runs->end[i];) {
            while (p->W.row[at + 1] <= r) {
                ++at;
            }
            int dim = 1;
            if (!runs->is_comp[i]) {
                const int end = p->W.row[at + 1] < runs->end[i] ? p->W.row[at + 1] : runs->end[i];
                dim = end - r;
            }
            const pcs_cone cone = runs->is_comp[i] ? PCS_CONE_UNILATERAL : PCS_CONE_EQUALITY;
            block[nb++] = (pcs_block){.cone = cone, .row = r, .dim = dim};
            *(runs->is_comp[i] ? &file->complementarities : &file->equalities) += dim;
            r += dim;
        }
    }
    p->nb = nb;
    p->block = block;
    return PCS_OK;
}

static pcs_status build(const text *t, const file_matrix *M, const double *q, const row_runs *runs,
                        pcs_pool *keep, pcs_pool *scratch, pcs_problem_file *file)
{
    int n_part = 0, *part = NULL;
    PCS_TRY(partition_runs(runs, M->rows, scratch, &n_part, &part));
    file->storage = M->storage;
    file->half = M->half;
    file->problem = (pcs_problem){.n = M->rows, .q = q};
    PCS_TRY(matrix_to_bsr(M, t, n_part, part, keep, scratch, &file->problem.W));
    return cone_blocks(runs, keep, file);
}

// M and q of n rows
static pcs_status read_matrix_form(text *t, int n, pcs_pool *keep, pcs_pool *scratch,
                                   file_matrix *M, double **q)
{
    PCS_TRY(matrix_read(t, "M", keep, scratch, M));
    if (M->rows > n && M->cols == n) {
        return text_fail(t, PCS_ERR_SIZE,
                         "M has %d rows for %d unknowns; an over-determined"
                         " problem is not read, because such files are not written consistently",
                         M->rows, n);
    }
    if (M->rows != n || M->cols != n) {
        return text_fail(t, PCS_ERR_SIZE,
                         "M is %d x %d; for a problem with %d rows it must be"
                         " %d x %d",
                         M->rows, M->cols, n, n, n);
    }

    PCS_TRY(text_room(t, "q", (size_t)n));
    *q = POOL_TAKE(keep, (size_t)n, double);
    if (!*q) return fail_memory();
    return text_reals(t, "q", (size_t)n, *q);
}

// ---- LCP ---------------------------------------------------------------------------------------

bool lcp_fits(const text *t)
{
    long long x[5];
    const int found = text_peek_ints(t, 5, x);
    if (found < 4 || x[0] < 0 || x[1] < 0 || x[1] > 2 || x[2] != x[0] || x[3] != x[0]) return false;

    // 1 1 1 1 0 begins an MLCP with one row of each kind, rather than a 1 x 1 matrix of no block
    return !(x[0] == 1 && x[1] == 1 && found == 5 && x[4] == 0);
}

pcs_status lcp_read(text *t, pcs_pool *keep, pcs_pool *scratch, pcs_problem_file *file)
{
    int n;
    PCS_TRY(text_size(t, "n, the number of rows", &n));
    PCS_TRY(text_room(t, "an LCP", (size_t)n));

    file_matrix M;
    double *q = NULL;
    PCS_TRY(read_matrix_form(t, n, keep, scratch, &M, &q));
    file->has_matrix = true;

    int end = n, is_comp = 1;
    const row_runs all = {.n = 1, .end = &end, .is_comp = &is_comp};
    return build(t, &M, q, &all, keep, scratch, file);
}

// ---- MLCP --------------------------------------------------------------------------------------

bool mlcp_fits(const text *t)
{
    // the row blocks of the form (M, q) begin with 0
    long long x[5];
    const int found = text_peek_ints(t, 5, x);
    if (found < 4 || x[0] < 0 || x[0] > 1 || x[1] < 0 || x[1] > 1 || x[2] < 0 || x[3] < 0) {
        return false;
    }
    return x[0] == 1 ? found == 5 && x[4] == 0 : x[1] == 1;
}

// the starts of the row blocks, from 0 until one reaches `rows`, then a kind for each
static pcs_status read_runs(text *t, int n, int rows, pcs_pool *scratch, row_runs *out)
{
    int start;
    PCS_TRY(text_int(t, "the first row of the first row block", 0, 0, "", &start));

    // the first pass counts them
    text probe = *t;
    out->n = 0;
    for (int last = 0; last < rows; ++out->n) {
        PCS_TRY(text_int(&probe, "the end of a row block", last, rows, "", &last));
    }

    out->end = POOL_TAKE(scratch, (size_t)out->n, int);
    out->is_comp = POOL_TAKE(scratch, (size_t)out->n, int);
    if (!out->end || !out->is_comp) return fail_memory();
    PCS_TRY(text_ints(t, "the end of a row block", 0, rows, (size_t)out->n, out->end));
    PCS_TRY(text_ints(t, "the kind of a row block", 0, 1, (size_t)out->n, out->is_comp));

    int equalities = 0;
    for (int i = 0; i < out->n; ++i) {
        if (!out->is_comp[i]) equalities += out->end[i] - run_start(out, i);
    }
    if (equalities != n) {
        return text_fail(t, PCS_ERR_SIZE, "the row blocks have %d equality rows, but n is %d",
                         equalities, n);
    }
    return PCS_OK;
}

// the rows of M in the order of (u, v): equalities first, each kind in the order of the file
static pcs_status order_rows(const row_runs *runs, int rows, pcs_pool *scratch, int **out)
{
    int *order = POOL_TAKE(scratch, (size_t)rows, int);
    if (!order) return fail_memory();

    int at = 0;
    for (int comp = 0; comp < 2; ++comp) {
        for (int i = 0; i < runs->n; ++i) {
            for (int r = run_start(runs, i); r < runs->end[i] && runs->is_comp[i] == comp; ++r) {
                order[at++] = r;
            }
        }
    }
    *out = order;
    return PCS_OK;
}

// one of A, B, C, D: h rows written row by row, its entry (0, 0) at `to`, columns `stride` apart
static pcs_status read_part(text *t, const char *name, int h, int w, size_t stride, double *to)
{
    PCS_TRY(text_room(t, name, (size_t)h * (size_t)w));
    for (int i = 0; i < h; ++i) {
        for (int j = 0; j < w; ++j) {
            PCS_TRY(text_real(t, name, &to[(size_t)i + stride * (size_t)j]));
        }
    }
    return PCS_OK;
}

// [A C; D B], column-major, and (a, b)
static pcs_status read_parts(text *t, int n, int m, pcs_pool *keep, double **full, double **q)
{
    const size_t N = (size_t)n + (size_t)m, right = N * (size_t)n, below = (size_t)n;
    if (N > 0 && N > SIZE_MAX / N) return fail_memory();
    PCS_TRY(text_room(t, "A, B, C and D", N * N));
    double *M = POOL_TAKE(keep, N * N, double);
    *q = POOL_TAKE(keep, N, double);
    if (!M || !*q) return fail_memory();

    PCS_TRY(read_part(t, "an entry of A", n, n, N, M));
    PCS_TRY(read_part(t, "an entry of B", m, m, N, M + right + below));
    PCS_TRY(read_part(t, "an entry of C", n, m, N, M + right));
    PCS_TRY(read_part(t, "an entry of D", m, n, N, M + below));
    PCS_TRY(text_reals(t, "a", (size_t)n, *q));
    PCS_TRY(text_reals(t, "b", (size_t)m, *q + n));
    *full = M;
    return PCS_OK;
}

static bool same(double x, double y, double digits)
{
    return fabs(x - y) <= digits * fmax(fabs(x), fabs(y));
}

// reads the second form and compares it with the first one, which is in `file`
static pcs_status compare_forms(text *t, int n, int m, const row_runs *runs, pcs_pool *scratch,
                                const pcs_problem_file *file)
{
    const int N = n + m;
    double *full = NULL, *q = NULL;
    PCS_TRY(read_parts(t, n, m, scratch, &full, &q));

    int *order = NULL;
    double *W = POOL_TAKE(scratch, (size_t)N * (size_t)N, double);
    if (!W) return fail_memory();
    PCS_TRY(order_rows(runs, N, scratch, &order));
    pcs_bsr_to_dense(&file->problem.W, W);

    const double digits = matrix_digits(file->storage);
    for (int j = 0; j < N; ++j) {
        for (int i = 0; i < N; ++i) {
            const double x = W[(size_t)order[i] + (size_t)N * (size_t)order[j]];
            const double y = full[(size_t)i + (size_t)N * (size_t)j];
            if (same(x, y, digits)) continue;
            return text_fail(t, PCS_ERR_FORMAT,
                             "the two forms disagree: M(%d, %d) is %.17g, but"
                             " %c(%d, %d) is %.17g; correct one or remove it",
                             order[i], order[j], x,
                             i < n ? (j < n ? 'A' : 'C') : (j < n ? 'D' : 'B'), i < n ? i : i - n,
                             j < n ? j : j - n, y);
        }
    }
    for (int i = 0; i < N; ++i) {
        const double x = file->problem.q[order[i]];
        if (same(x, q[i], matrix_digits(PCS_FILE_STORAGE_DENSE))) continue;
        return text_fail(t, PCS_ERR_FORMAT,
                         "the two forms disagree: q(%d) is %.17g, but %c(%d) is"
                         " %.17g; correct one or remove it",
                         order[i], x, i < n ? 'a' : 'b', i < n ? i : i - n, q[i]);
    }
    return PCS_OK;
}

// the second form alone has the equalities first
static pcs_status build_from_parts(text *t, int n, int m, pcs_pool *keep, pcs_pool *scratch,
                                   pcs_problem_file *file)
{
    file_matrix M = {.storage = PCS_FILE_STORAGE_DENSE, .rows = n + m, .cols = n + m};
    double *q = NULL;
    PCS_TRY(read_parts(t, n, m, keep, &M.dense, &q));

    int end[2] = {n, n + m}, is_comp[2] = {0, 1};
    const row_runs runs = {.n = 2, .end = end, .is_comp = is_comp};
    return build(t, &M, q, &runs, keep, scratch, file);
}

pcs_status mlcp_read(text *t, pcs_pool *keep, pcs_pool *scratch, pcs_problem_file *file)
{
    int n, m, st1, st2;
    PCS_TRY(text_int(t, "st1, 1 if the form (M, q) is there,", 0, 1, "", &st1));
    PCS_TRY(text_int(t, "st2, 1 if (A, B, C, D, a, b) is there,", 0, 1, "", &st2));
    file->has_matrix = st1 == 1;
    file->has_parts = st2 == 1;
    PCS_TRY(text_size(t, "n, the number of equalities", &n));
    PCS_TRY(text_size(t, "m, the number of complementarities", &m));
    if (!file->has_matrix && !file->has_parts) {
        return text_fail(t, PCS_ERR_FORMAT, "the file says that neither form of the MLCP is there");
    }
    if (n > INT_MAX - 1 - m) {
        return text_fail(t, PCS_ERR_SIZE,
                         "%d equalities and %d complementarities are more rows"
                         " than an int can count",
                         n, m);
    }
    PCS_TRY(text_room(t, "an MLCP", (size_t)n + (size_t)m));
    if (!file->has_matrix) return build_from_parts(t, n, m, keep, scratch, file);

    row_runs runs;
    file_matrix M;
    double *q = NULL;
    PCS_TRY(read_runs(t, n, n + m, scratch, &runs));
    PCS_TRY(read_matrix_form(t, n + m, keep, scratch, &M, &q));
    PCS_TRY(build(t, &M, q, &runs, keep, scratch, file));
    return file->has_parts ? compare_forms(t, n, m, &runs, scratch, file) : PCS_OK;
}
