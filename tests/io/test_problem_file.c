// Problem files: every storage against the same problem written here.
#include "problem_texts.h"

#include <percuss/global.h>

static void expect_sound(const pcs_problem_file *file)
{
    const char *wrong = unsound(file);
    ck_assert_msg(!wrong, "%s", wrong);
}

// W and q by value; `M` row by row
static void expect_problem(const pcs_problem_file *file, int n, const double *M, const double *q)
{
    expect_sound(file);
    ck_assert_int_eq(file->problem.n, n);
    double W[64];
    ck_assert(n * n <= 64);
    pcs_bsr_to_dense(&file->problem.W, W);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            CK_NEAR(W[i + n * j], M[n * i + j], 0);
        }
        CK_NEAR(file->problem.q[i], q[i], 0);
    }
}

// ---- the same problem in every storage ---------------------------------------------------------

// a file read as its kind, which is given or recognised
static pcs_problem_file *read_kind(const char *name, pcs_file_kind kind, bool given)
{
    pcs_problem_file *f;
    CK_OK(pcs_problem_file_read(NULL, path_of(name), given ? kind : PCS_FILE_ANY, &f));
    ck_assert(f->kind == kind && f->recognised == !given);
    return f;
}

static const double lcp_M[9] = {4, -1, 0.5, 1, 3, -2, 0, 2, 5};
static const double lcp_q[3] = {-3, 2, -1};

TEST(an_lcp_reads_the_same_in_every_storage)
{
    static const struct {
        const char *name;
        pcs_file_storage storage;
        int block_rows, blocks;
    } file[] = {{"lcp_dense.dat", PCS_FILE_STORAGE_DENSE, 1, 1},
                {"lcp_blocks.dat", PCS_FILE_STORAGE_BLOCKS, 2, 4},
                {"lcp_triplets.dat", PCS_FILE_STORAGE_SPARSE, 3, 8},
                {"lcp_columns.dat", PCS_FILE_STORAGE_SPARSE, 3, 8},
                {"lcp_rows.dat", PCS_FILE_STORAGE_SPARSE, 3, 8}};
    for (size_t i = 0; i < sizeof file / sizeof *file; ++i) {
        for (int given = 0; given < 2; ++given) {
            pcs_problem_file *f = read_kind(file[i].name, PCS_FILE_LCP, given);
            expect_problem(f, 3, lcp_M, lcp_q);
            ck_assert(f->storage == file[i].storage && f->has_matrix && !f->has_parts);
            ck_assert(f->equalities == 0 && f->complementarities == 3 && f->problem.nb == 3);
            ck_assert_int_eq(f->problem.W.m, file[i].block_rows);
            ck_assert_int_eq(f->problem.W.ptr[f->problem.W.m], file[i].blocks);
            pcs_problem_file_destroy(f);
        }
    }
}

static const double mlcp_M[16] = {2, -1, 0, -1, 1, 0, 1, 3, 0, -1, 4, 0, 0.5, -2, 1, 6};
static const double mlcp_q[4] = {-7, 0.25, -2, 3};

static void expect_cones(const pcs_problem_file *f, int nb, const pcs_block *block)
{
    ck_assert_int_eq(f->problem.nb, nb);
    for (int i = 0; i < nb; ++i) {
        ck_assert_int_eq(f->problem.block[i].cone, block[i].cone);
        ck_assert_int_eq(f->problem.block[i].row, block[i].row);
        ck_assert_int_eq(f->problem.block[i].dim, block[i].dim);
    }
}

TEST(an_mlcp_keeps_the_order_of_its_rows)
{
    const pcs_block whole[3] = {{PCS_CONE_UNILATERAL, 0, 1, 0},
                                {PCS_CONE_EQUALITY, 1, 2, 0},
                                {PCS_CONE_UNILATERAL, 3, 1, 0}};
    const pcs_block cut[4] = {{PCS_CONE_UNILATERAL, 0, 1, 0},
                              {PCS_CONE_EQUALITY, 1, 1, 0},
                              {PCS_CONE_EQUALITY, 2, 1, 0},
                              {PCS_CONE_UNILATERAL, 3, 1, 0}};
    static const char *const name[] = {"mlcp_both.dat", "mlcp_triplets.dat", "mlcp_blocks.dat"};
    for (int i = 0; i < 3; ++i) {
        pcs_problem_file *f = read_kind(name[i], PCS_FILE_MLCP, false);
        expect_problem(f, 4, mlcp_M, mlcp_q);
        ck_assert(f->has_matrix && f->has_parts == (i < 2));
        ck_assert(f->equalities == 2 && f->complementarities == 2);
        expect_cones(f, i < 2 ? 3 : 4, i < 2 ? whole : cut);
        pcs_problem_file_destroy(f);
    }
}

TEST(an_mlcp_in_parts_has_its_equalities_first)
{
    static const int order[4] = {1, 2, 0, 3};
    double M[16], q[4];
    for (int i = 0; i < 4; ++i) {
        q[i] = mlcp_q[order[i]];
        for (int j = 0; j < 4; ++j) {
            M[4 * i + j] = mlcp_M[4 * order[i] + order[j]];
        }
    }
    pcs_problem_file *f;
    CK_OK(pcs_problem_file_read(NULL, path_of("mlcp_parts.dat"), PCS_FILE_ANY, &f));
    expect_problem(f, 4, M, q);
    ck_assert(!f->has_matrix && f->has_parts && f->storage == PCS_FILE_STORAGE_DENSE);
    const pcs_block block[3] = {{PCS_CONE_EQUALITY, 0, 2, 0},
                                {PCS_CONE_UNILATERAL, 2, 1, 0},
                                {PCS_CONE_UNILATERAL, 3, 1, 0}};
    expect_cones(f, 3, block);
    pcs_problem_file_destroy(f);
}

TEST(blocks_may_come_in_any_order_within_a_row)
{
    pcs_problem_file *f;
    CK_OK(parse("3 1 3 3  3  2 2  1 3  1 3  3 3  0 2 3  1 0 1 "
                " 0 10 20  1 30  2 1 2 3 4  -1 -2 -3",
                PCS_FILE_LCP, &f));
    const double M[9] = {30, 10, 20, 0, 1, 3, 0, 2, 4}, q[3] = {-1, -2, -3};
    expect_problem(f, 3, M, q);
    pcs_problem_file_destroy(f);

    // pointers of empty last rows may be missing
    CK_OK(parse("3 1 3 3  1  3 3  1 2 3  1 2 3  2 1  0 1  2  0 5  1 1 1", PCS_FILE_LCP, &f));
    const double N[9] = {0, 0, 5}, p[3] = {1, 1, 1};
    expect_problem(f, 3, N, p);
    pcs_problem_file_destroy(f);

    // no block at all, with and without pointers
    CK_OK(parse("2 1 2 2  0  1 1  2  2  0 0  1 1", PCS_FILE_LCP, &f));
    pcs_problem_file_destroy(f);
    CK_OK(parse("2 1 2 2  0  1 1  2  2  2 0  0 0  1 1", PCS_FILE_LCP, &f));
    pcs_problem_file_destroy(f);
}

TEST(a_large_sparse_equality_block_is_taken_apart)
{
    // 300 equality rows with a diagonal W: one dense block would have 90000 numbers
    enum { ROWS = 300 };
    char *text = malloc(64 * ROWS + 200);
    ck_assert_ptr_nonnull(text);
    int n = sprintf(text,
                    "1 0 %d 0  0 %d  0\n2 %d %d 1\nCSparse\ntriplet: %d-by-%d, nzmax: %d nnz: %d\n",
                    ROWS, ROWS, ROWS, ROWS, ROWS, ROWS, ROWS, ROWS);
    for (int i = 0; i < ROWS; ++i) {
        n += sprintf(text + n, "    %d %d : %g\n", i, i, 1.0 + i);
    }
    for (int i = 0; i < ROWS; ++i) {
        n += sprintf(text + n, "%d ", -i);
    }
    pcs_problem_file *f;
    CK_OK(parse(text, PCS_FILE_MLCP, &f));
    expect_sound(f);
    ck_assert(f->problem.nb == ROWS && f->problem.W.m == ROWS && f->equalities == ROWS);
    CK_NEAR(f->problem.W.val[7], 8, 0);
    pcs_problem_file_destroy(f);
    free(text);
}

TEST(half_a_matrix_is_completed)
{
    // either triangle; entries at the same place are added before they are mirrored; zeros have no
    // side
    static const char *const texts[] = {
        HALF "4 nnz: 4\n 0 0 : 4\n 0 1 : 1\n 1 1 : 2\n 1 0 : 0\n -1 1",
        HALF "4 nnz: 4\n 0 0 : 4\n 1 0 : 0.25\n 1 1 : 2\n 1 0 : 0.75\n -1 1"};
    const double M[4] = {4, 1, 1, 2}, q[2] = {-1, 1};
    for (int i = 0; i < 2; ++i) {
        pcs_problem_file *f;
        CK_OK(parse(texts[i], PCS_FILE_LCP, &f));
        expect_problem(f, 2, M, q);
        ck_assert(f->half && f->storage == PCS_FILE_STORAGE_SPARSE);
        pcs_problem_file_destroy(f);
    }
    pcs_problem_file *f;
    CK_OK(parse(HALF "2 nnz: 2\n 0 0 : 4\n 1 1 : 2\n -1 1", PCS_FILE_LCP, &f));
    const double D[4] = {4, 0, 0, 2};
    expect_problem(f, 2, D, q);
    pcs_problem_file_destroy(f);
}

TEST(a_dense_matrix_of_contacts_apart_loses_its_zeros)
{
    // a chain of four has 10 blocks of 16 that are not zero, which stays dense; four contacts apart
    // have 4
    for (int chain = 0; chain < 2; ++chain) {
        const int nc = 4, n = 2 * nc;
        double W[64], q[8];
        char text[2000];
        int at = snprintf(text, sizeof text, "2 %d 0 %d %d %d %d", nc, n, n, n, n);
        for (int j = 0; j < n; ++j) {
            q[j] = 1 + j;
            for (int i = 0; i < n; ++i) {
                W[n * i + j] = abs(i / 2 - j / 2) <= chain ? 1 + i + 0.5 * j : 0;
                at += snprintf(text + at, sizeof text - (size_t)at, " %g", W[n * i + j]);
            }
        }
        for (int i = 0; i < n + nc; ++i) {
            at += snprintf(text + at, sizeof text - (size_t)at, " %d", i < n ? 1 + i : 1);
        }
        pcs_problem_file *f;
        CK_OK(parse(text, PCS_FILE_ANY, &f));
        expect_problem(f, n, W, q);
        ck_assert_int_eq(f->storage, PCS_FILE_STORAGE_DENSE);
        ck_assert_int_eq(f->problem.W.m, chain ? 1 : nc);
        ck_assert_int_eq(f->problem.W.ptr[f->problem.W.m], chain ? 1 : nc);
        pcs_problem_file_destroy(f);
    }
}

TEST(many_runs_in_any_order_are_read)
{
    // an equality block, none (empty), two of one row each, then a complementarity
    pcs_problem_file *f;
    CK_OK(parse("1 1 4 1  0 2 2 3 4 5  0 1 0 0 1  0 5 5 5 5"
                " 1 0 0 0 0  0 2 0 0 0  0 0 3 0 0  0 0 0 4 0  0 0 0 0 5  1 2 3 4 5"
                " 1 0 0 0  0 2 0 0  0 0 3 0  0 0 0 4  5  0 0 0 0  0 0 0 0  1 2 3 4 5",
                PCS_FILE_MLCP, &f));
    expect_sound(f);
    const pcs_block block[4] = {{PCS_CONE_EQUALITY, 0, 2, 0},
                                {PCS_CONE_EQUALITY, 2, 1, 0},
                                {PCS_CONE_EQUALITY, 3, 1, 0},
                                {PCS_CONE_UNILATERAL, 4, 1, 0}};
    expect_cones(f, 4, block);
    pcs_problem_file_destroy(f);
}

static const double fc3d_W[36] = {2,    0.1, -0.2, 0.5,  0, 0.1, 0.1, 3, 0.25, 0,   0.3,  0,
                                  -0.2, 0.2, 2.5,  0.1,  0, 0.4, 0.5, 0, 0.1,  1.5, -0.1, 0,
                                  0,    0.3, 0,    -0.1, 2, 0,   0.1, 0, 0.4,  0,   0.2,  2.25};
static const double fc3d_q[6] = {-1, 0.3, -0.6, -0.5, 2, -1};

TEST(a_friction_problem_reads_the_same_in_every_storage)
{
    static const struct {
        const char *name;
        pcs_file_storage storage;
        int block_rows;
    } file[] = {{"fc3d_dense.dat", PCS_FILE_STORAGE_DENSE, 1},
                {"fc3d_blocks.dat", PCS_FILE_STORAGE_BLOCKS, 2},
                {"fc3d_triplets.dat", PCS_FILE_STORAGE_SPARSE, 2}};
    const double mu[2] = {0.3, 0.7};
    for (size_t i = 0; i < sizeof file / sizeof *file; ++i) {
        for (int given = 0; given < 2; ++given) {
            pcs_problem_file *f = read_kind(file[i].name, PCS_FILE_FC3D, given);
            expect_problem(f, 6, fc3d_W, fc3d_q);
            ck_assert(f->storage == file[i].storage && f->contacts == 2 && f->has_matrix);
            ck_assert(f->equalities == 0 && f->complementarities == 0);
            ck_assert_int_eq(f->problem.W.m, file[i].block_rows);
            ck_assert_int_eq(f->problem.nb, 2);
            for (int b = 0; b < 2; ++b) {
                ck_assert_int_eq(f->problem.block[b].cone, PCS_CONE_COULOMB);
                ck_assert_int_eq(f->problem.block[b].dim, 3);
                CK_NEAR(f->problem.block[b].mu, mu[b], 0);
            }
            CK_OK(pcs_problem_check(&f->problem));
            pcs_problem_file_destroy(f);
        }
    }
    pcs_problem_file *f = read_kind("fc2d_dense.dat", PCS_FILE_FC2D, false);
    ck_assert(f->contacts == 2 && f->problem.n == 4);
    ck_assert(f->problem.block[0].dim == 2 && f->problem.block[1].mu == 0);
    pcs_problem_file_destroy(f);
}

TEST(a_global_problem_is_transposed_once)
{
    // M = diag(2, 2, 2, 1/2), so W = H diag(1/2, 1/2, 1/2, 2) H' and q = H M^-1 f + w
    pcs_problem_file *f;
    const pcs_problem *p;
    CK_OK(pcs_problem_file_read(NULL, path_of("gfc3d_dense.dat"), PCS_FILE_ANY, &f));
    ck_assert(f->kind == PCS_FILE_GFC3D && f->recognised && f->global && f->problem.n == 0);
    ck_assert(f->rows == 3 && f->velocities == 4 && f->contacts == 1 && !f->half);
    expect_sound(f);
    CK_OK(pcs_problem_file_local(f, &p));
    const double W[9] = {0.5, 0, 0, 0, 1, -0.25, 0, -0.25, 0.625};
    const double q[3] = {-1.5 + 0.125, 0.5, -0.5 - 0.125 + 0.0625};
    double found[9];
    pcs_bsr_to_dense(&p->W, found);
    for (int i = 0; i < 9; ++i) {
        CK_NEAR(found[i], W[i], 1e-15);
        if (i < 3) CK_NEAR(p->q[i], q[i], 1e-15);
    }
    ck_assert(p->block[0].mu == 0.5 && p->nb == 1);
    pcs_problem_file_destroy(f);

    // a triangular M is taken as it is; only a matrix marked as one half (origin 4) is completed
    static const char *const masses[2] = {
        "2 1 0 2 2 2 2  4 0 1 2  0 2 2 2 2  1 0 0 1  1 2  0 0  0.5",
        "2 1 2 2 2 4\n\ntriplet: 2-by-2, nzmax: 4 nnz: 3\n0 0 : 4\n0 1 : 1\n1 1 : 2\n"
        "0 2 2 2 2  1 0 0 1  1 2  0 0  0.5"};
    const double inverse[2][4] = {{1.0 / 4, 0, -1.0 / 8, 1.0 / 2},
                                  {2.0 / 7, -1.0 / 7, -1.0 / 7, 4.0 / 7}};
    for (int half = 0; half < 2; ++half) {
        CK_OK(parse(masses[half], PCS_FILE_GFC2D, &f));
        ck_assert_int_eq(f->half, half);
        CK_OK(pcs_problem_file_local(f, &p));
        pcs_bsr_to_dense(&p->W, found);
        for (int i = 0; i < 4; ++i) {
            CK_NEAR(found[i], inverse[half][i], 1e-15);
        }
        pcs_problem_file_destroy(f);
    }

    // no contacts: velocities only
    CK_OK(parse("3 0 0 2 2 2 2 1 0 0 1  0 2 0 2 0  5 6", PCS_FILE_ANY, &f));
    ck_assert(f->kind == PCS_FILE_GFC3D && f->rows == 0 && f->velocities == 2);
    CK_OK(pcs_problem_file_local(f, &p));
    ck_assert_int_eq(p->n, 0);
    pcs_problem_file_destroy(f);
    CK_FAILS(pcs_problem_file_local(NULL, &p), PCS_ERR_ARG);
}

TEST(the_form_of_percuss_is_read)
{
    pcs_problem_file *f;
    CK_OK(pcs_problem_file_read(NULL, path_of("mixed.pcs"), PCS_FILE_ANY, &f));
    expect_sound(f);
    ck_assert(f->kind == PCS_FILE_MIXED && f->format == PCS_FILE_FORMAT_TEXT && !f->recognised);
    ck_assert(f->contacts == 1 && f->equalities == 2 && f->complementarities == 1);
    ck_assert(f->r && !f->u && f->r[5] == 0.375 && f->problem.block[0].mu == 0.3);
    ck_assert_str_eq(f->title, "a contact, two equalities and a stop");
    double W[36];
    pcs_bsr_to_dense(&f->problem.W, W);
    ck_assert(W[1 + 6 * 4] == 0.125 && W[3 + 6 * 0] == 0 && W[4 + 6 * 3] == 1 && W[35] == 2);
    pcs_problem_file_destroy(f);

    CK_OK(pcs_problem_file_read(NULL, path_of("entries.pcs"), PCS_FILE_FC2D, &f));
    pcs_bsr_to_dense(&f->problem.W, W);
    ck_assert(W[2 + 4 * 2] == 2 && W[0 + 4 * 2] == 0.5 && W[2] == 0.25);
    pcs_problem_file_destroy(f);
    CK_OK(pcs_problem_file_read(NULL, path_of("global.pcs"), PCS_FILE_ANY, &f));
    expect_sound(f);
    ck_assert(f->kind == PCS_FILE_GLOBAL && f->v && f->global->H.n == 2 && f->equalities == 1);
    pcs_problem_file_destroy(f);

    // a large sparse equality block is taken apart
    CK_OK(parse(OWN
                "1 local cones 1\nequality 100 W entries 100 100 1 0 99 1 q"
                " 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1"
                " 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1"
                " 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 end",
                PCS_FILE_ANY, &f));
    expect_sound(f);
    ck_assert(f->problem.nb == 100 && f->equalities == 100);
    pcs_problem_file_destroy(f);
}

TEST(a_cut_file_of_the_form_of_percuss_is_an_error)
{
    // its last word shows that it is complete
    static const char *const name[] = {"mixed.pcs", "entries.pcs", "global.pcs", "step.pcs"};
    for (size_t i = 0; i < sizeof name / sizeof *name; ++i) {
        size_t size;
        char *bytes = bytes_of(name[i], &size);
        for (size_t cut = 0; cut + 2 <= size; ++cut) {
            pcs_problem_file *f;
            ck_assert_int_ne(pcs_problem_file_parse(NULL, bytes, cut, NULL, PCS_FILE_ANY, &f),
                             PCS_OK);
        }
        free(bytes);
    }
}

TEST(friction_is_distinguished_from_problems_that_begin_alike)
{
    // one contact; then a text that could also begin a global problem
    const char *one = "3 1\n\n0 3 3 3 3 1 0 0 0 1 0 0 0 1 1 1 1 0.5 2 a comment";
    const char *more = "3 1\n\n0 3 3 3 3 1 0 0 0 1 0 0 0 1 0 3 3 0.5";
    pcs_problem_file *f;
    CK_OK(parse(one, PCS_FILE_ANY, &f));
    ck_assert_int_eq(f->kind, PCS_FILE_FC3D);
    pcs_problem_file_destroy(f);
    CK_OK(parse(more, PCS_FILE_ANY, &f));
    ck_assert(f->kind == PCS_FILE_FC3D && f->recognised && f->problem.q[1] == 3);
    pcs_problem_file_destroy(f);
    CK_OK(parse(more, PCS_FILE_FC3D, &f));
    pcs_problem_file_destroy(f);
    CK_FAILS(parse(one, PCS_FILE_FC2D, &f), PCS_ERR_FORMAT);

    // a planar contact, sparse, and an LCP of two rows in blocks
    CK_SAYS(parse("2 1 2 2 2", PCS_FILE_ANY, &f), PCS_ERR_FORMAT, "lcp and fc2d");
    CK_OK(parse("3 0 0 0 0 0 0", PCS_FILE_ANY, &f));
    ck_assert(f->contacts == 0 && f->problem.n == 0);
    pcs_problem_file_destroy(f);
}

TEST(empty_problems_are_problems)
{
    static const char *const lcp[] = {"0 0 0 0 0 0", "0 1 0 0 0 0 0 0 0",
                                      "0 2 0 0 1\nCSparse\ntriplet: 0-by-0, nzmax: 0 nnz: 0\n"};
    pcs_problem_file *f;
    for (int i = 0; i < 3; ++i) {
        CK_OK(parse(lcp[i], PCS_FILE_LCP, &f));
        expect_sound(f);
        ck_assert(f->problem.n == 0 && f->problem.nb == 0);
        pcs_problem_file_destroy(f);
    }
    CK_OK(parse("0 1 0 0", PCS_FILE_MLCP, &f));
    expect_sound(f);
    pcs_problem_file_destroy(f);
    CK_OK(parse("1 1 0 0 0  0 0 0 0 0", PCS_FILE_MLCP, &f));
    expect_sound(f);
    pcs_problem_file_destroy(f);
}

// ---- spaces, line ends, kinds ------------------------------------------------------------------

// replaces every line end by `by`
static char *with_line_ends(const char *bytes, size_t size, const char *by, size_t *out)
{
    char *text = malloc(2 * size + 1);
    ck_assert_ptr_nonnull(text);
    *out = 0;
    for (size_t i = 0; i < size; ++i) {
        if (bytes[i] == '\n') {
            memcpy(text + *out, by, strlen(by));
            *out += strlen(by);
        } else {
            text[(*out)++] = bytes[i] == ' ' ? '\t' : bytes[i];
        }
    }
    return text;
}

TEST(tabs_and_carriage_returns_change_nothing)
{
    for (int i = 0; i < N_FILES; ++i) {
        size_t size, other;
        char *bytes = bytes_of(all_files[i], &size);
        char *crlf = with_line_ends(bytes, size, "\r\n", &other);
        pcs_problem_file *a, *b;
        CK_OK(pcs_problem_file_parse(NULL, bytes, size, NULL, PCS_FILE_ANY, &a));
        CK_OK(pcs_problem_file_parse(NULL, crlf, other, NULL, PCS_FILE_ANY, &b));
        expect_sound(a);

        double Wa[36], Wb[36];
        const pcs_problem *local;
        CK_OK(pcs_problem_file_local(a, &local));
        CK_OK(pcs_problem_file_local(b, &local));
        pcs_bsr_to_dense(&a->problem.W, Wa);
        pcs_bsr_to_dense(&b->problem.W, Wb);
        const size_t n = (size_t)a->problem.n;
        ck_assert_int_eq(a->problem.n, b->problem.n);
        ck_assert(memcmp(Wa, Wb, n * n * sizeof *Wa) == 0);
        ck_assert(memcmp(a->problem.q, b->problem.q, n * sizeof *Wa) == 0);
        pcs_problem_file_destroy(a);
        pcs_problem_file_destroy(b);
        free(bytes);
        free(crlf);
    }
}

TEST(a_kind_is_recognised_or_asked_for)
{
    pcs_problem_file *f;
    // an LCP without rows, in blocks, and an MLCP without rows, in parts
    const char *both = "0 1 0 0  0 0 0  0 0";
    CK_SAYS(parse(both, PCS_FILE_ANY, &f), PCS_ERR_FORMAT, "say which");
    CK_OK(parse(both, PCS_FILE_LCP, &f));
    ck_assert(!f->recognised && f->kind == PCS_FILE_LCP);
    pcs_problem_file_destroy(f);
    CK_OK(parse(both, PCS_FILE_MLCP, &f));
    ck_assert(!f->recognised && f->kind == PCS_FILE_MLCP);
    pcs_problem_file_destroy(f);

    // the same up to the fifth number
    CK_OK(parse("1 1 1 1  1 1 1  1  1  2 1  0 1  0  0 7  1", PCS_FILE_ANY, &f));
    ck_assert_int_eq(f->kind, PCS_FILE_LCP);
    pcs_problem_file_destroy(f);
    CK_OK(parse(MLCP_11 " 1 1 -1 0  -1 1", PCS_FILE_ANY, &f));
    ck_assert_int_eq(f->kind, PCS_FILE_MLCP);
    pcs_problem_file_destroy(f);

    // four dimensions are refused
    CK_FAILS(parse("4 1 0 4 4 4 4", PCS_FILE_ANY, &f), PCS_ERR_FORMAT);
    CK_FAILS(parse("", PCS_FILE_ANY, &f), PCS_ERR_FORMAT);
    CK_FAILS(parse("hello", PCS_FILE_ANY, &f), PCS_ERR_FORMAT);
    CK_FAILS(parse("1 0 1 1 1 1 1 1", (pcs_file_kind)77, &f), PCS_ERR_ARG);
    ck_assert_ptr_null(f);

    ck_assert_str_eq(pcs_file_kind_text(PCS_FILE_MLCP), "mlcp");
    ck_assert_str_eq(pcs_file_kind_text((pcs_file_kind)77), "unknown kind");
}
