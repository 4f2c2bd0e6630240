// Problem files: every storage against the same problem written here; every kind of malformed file.
#include <percuss/global.h>
#include <percuss/problem_file.h>

#include <stdio.h>

#include "sound.h"
#include "support.h"

static const char *const all_files[] = {
    "lcp_dense.dat",       "lcp_blocks.dat",     "lcp_triplets.dat",   "lcp_columns.dat",
    "lcp_rows.dat",        "lcp_degenerate.dat", "lcp_infeasible.dat", "mlcp_both.dat",
    "mlcp_parts.dat",      "mlcp_blocks.dat",    "mlcp_triplets.dat",  "mlcp_singular.dat",
    "mlcp_infeasible.dat", "fc3d_dense.dat",     "fc3d_blocks.dat",    "fc3d_triplets.dat",
    "fc2d_dense.dat",      "gfc3d_dense.dat",    "gfc3d_blocks.dat",   "gfc2d_triplets.dat",
    "mixed.pcs",           "entries.pcs",        "global.pcs"};
#define OWN "percuss-problem "
enum { N_FILES = sizeof all_files / sizeof *all_files };

static const char *path_of(const char *name)
{
    static _Thread_local char path[600];
    snprintf(path, sizeof path, "%s/%s", PERCUSS_TEST_DATA, name);
    return path;
}

// the bytes of a file of ours; caller frees
static char *bytes_of(const char *name, size_t *size)
{
    FILE *f = fopen(path_of(name), "rb");
    ck_assert_msg(f != NULL, "%s is missing", path_of(name));
    char *bytes = malloc(100000);
    ck_assert_ptr_nonnull(bytes);
    *size = fread(bytes, 1, 100000, f);
    ck_assert(*size > 0 && *size < 100000);
    fclose(f);
    return bytes;
}

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

#define HALF "2 2 2 2 4\nx\ntriplet: 2-by-2, nzmax: "

static pcs_status parse(const char *text, pcs_file_kind kind, pcs_problem_file **out)
{
    return pcs_problem_file_parse(NULL, text, strlen(text), "t", kind, out);
}

// ---- the same problem in every storage ---------------------------------------------------------

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
            pcs_problem_file *f;
            CK_OK(pcs_problem_file_read(NULL, path_of(file[i].name),
                                        given ? PCS_FILE_LCP : PCS_FILE_ANY, &f));
            expect_problem(f, 3, lcp_M, lcp_q);
            ck_assert(f->kind == PCS_FILE_LCP && f->recognised == !given);
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
        pcs_problem_file *f;
        CK_OK(pcs_problem_file_read(NULL, path_of(name[i]), PCS_FILE_ANY, &f));
        expect_problem(f, 4, mlcp_M, mlcp_q);
        ck_assert(f->kind == PCS_FILE_MLCP && f->has_matrix && f->has_parts == (i < 2));
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
    // 300 equality rows with a diagonal only: one dense block would be 90000 numbers
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
    // of a chain of four 10 blocks of 16 are not zero, which is not worth it; apart, 4
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
            pcs_problem_file *f;
            CK_OK(pcs_problem_file_read(NULL, path_of(file[i].name),
                                        given ? PCS_FILE_FC3D : PCS_FILE_ANY, &f));
            expect_problem(f, 6, fc3d_W, fc3d_q);
            ck_assert(f->kind == PCS_FILE_FC3D && f->recognised == !given);
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
    pcs_problem_file *f;
    CK_OK(pcs_problem_file_read(NULL, path_of("fc2d_dense.dat"), PCS_FILE_ANY, &f));
    ck_assert(f->kind == PCS_FILE_FC2D && f->contacts == 2 && f->problem.n == 4);
    ck_assert(f->problem.block[0].dim == 2 && f->problem.block[1].mu == 0);
    pcs_problem_file_destroy(f);
}

TEST(a_global_problem_is_turned_once)
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

    // a triangular M is one; only half a matrix that calls itself so (origin 4) is completed
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

    // no contacts: velocities alone
    CK_OK(parse("3 0 0 2 2 2 2 1 0 0 1  0 2 0 2 0  5 6", PCS_FILE_ANY, &f));
    ck_assert(f->kind == PCS_FILE_GFC3D && f->rows == 0 && f->velocities == 2);
    CK_OK(pcs_problem_file_local(f, &p));
    ck_assert_int_eq(p->n, 0);
    pcs_problem_file_destroy(f);
    CK_FAILS(pcs_problem_file_local(NULL, &p), PCS_ERR_ARG);
}

TEST(our_own_form_is_read)
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

TEST(a_cut_file_of_our_own_is_an_error)
{
    // its last word shows that it is complete
    static const char *const name[] = {"mixed.pcs", "entries.pcs", "global.pcs"};
    for (int i = 0; i < 3; ++i) {
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

TEST(friction_is_told_from_what_begins_alike)
{
    // one contact; then one that would be a global problem
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

// an MLCP with a row of each kind, up to its parts
#define MLCP_11 "1 1 1 1  0 1 2  0 1  0 2 2 2 2  1 0 -1 1  -1 1 "

// ---- spaces, line ends, kinds ------------------------------------------------------------------

// every line end becomes `by`
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

    // the same beginning up to the fifth number
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

// ---- malformed ---------------------------------------------------------------------------------

#define TRIPLETS "1 2 1 1 1\nCSparse\n"
#define COLUMNS  "2 2 2 2 2\nCSparse\n2-by-2, nzmax: 2 nnz: 2, 1-norm: 1\n"

static const struct {
    pcs_file_kind kind;
    const char *text;
    pcs_status status;
    const char *says;
} malformed[] = {
    {PCS_FILE_LCP, "", PCS_ERR_FORMAT, "end of the file"},
    {PCS_FILE_LCP, "x", PCS_ERR_FORMAT, "found 'x'"},
    {PCS_FILE_LCP, "-1", PCS_ERR_SIZE, "n, the number of rows is -1"},
    {PCS_FILE_LCP, "2147483648", PCS_ERR_SIZE, "2147483647"},
    {PCS_FILE_LCP, "2147483647 0 2147483647 2147483647", PCS_ERR_SIZE, "bytes are left"},
    {PCS_FILE_LCP, "1 3 1 1 1 1 1 1", PCS_ERR_FORMAT, "type of the matrix is 3"},
    {PCS_FILE_LCP, "1 0 1 2 1 2 1 1 1", PCS_ERR_SIZE, "M is 1 x 2"},
    {PCS_FILE_LCP, "1 0 2 1 2 1 1 1 1", PCS_ERR_SIZE, "over-determined"},
    {PCS_FILE_LCP, "1 0 1 1 2 1 1 1", PCS_ERR_SIZE, "first 1 x 1, then 2 x 1"},
    {PCS_FILE_LCP, "1 0 1 1 1 1 nan 1", PCS_ERR_FORMAT, "found 'nan'"},
    {PCS_FILE_LCP, "1 0 1 1 1 1 1 inf", PCS_ERR_FORMAT, "q: number 1 of 1"},
    {PCS_FILE_LCP, "1 0 1 1 1 1 1e999 1", PCS_ERR_FORMAT, "range of a double"},
    {PCS_FILE_LCP, "1 0 1 1 1 1 1", PCS_ERR_SIZE, "q: 1 numbers are to follow"},
    {PCS_FILE_LCP, "1 0 1 1 1 1 1   ", PCS_ERR_FORMAT, "end of the file"},
    {PCS_FILE_LCP, "1 0 1 1 1 1 1,5 1", PCS_ERR_FORMAT, "found '1,5'"},
    {PCS_FILE_LCP, "1 0 1 65536 65536 65536 1 1", PCS_ERR_SIZE, ""},
    {PCS_FILE_LCP, "1 0 65536 65536 65536 65536 1 1", PCS_ERR_SIZE, "4294967296 numbers"},

    // blocks
    {PCS_FILE_LCP, "2 1 2 2 1 1 1  3  2  2 1  0 1  0  0 1 2 3 4  1 1", PCS_ERR_SIZE,
     "the last is 3"},
    {PCS_FILE_LCP, "2 1 2 2 1 2 1  1 1  2  3 1  0 1 1  0  0 1 2  1 1", PCS_ERR_FORMAT,
     "must increase"},
    {PCS_FILE_LCP, "2 1 2 2 1 1 1  -2  2  2 1  0 1  0  0 1 2 3 4  1 1", PCS_ERR_FORMAT, "is -2"},
    {PCS_FILE_LCP, "2 1 2 2 1 1 2  2  1 2  2 1  0 1  0  0 1 2  1 1", PCS_ERR_SIZE, "differ"},
    {PCS_FILE_LCP, "2 1 2 2 1 2 2  1 2  1 2  4 1  0 1 1 1  0  0 1  1 1", PCS_ERR_FORMAT,
     "row pointers is 4"},
    {PCS_FILE_LCP, "2 1 2 2 1 2 2  1 2  1 2  3 2  0 1 2  0 1  0 1  1 1", PCS_ERR_SIZE,
     "1 blocks, then 2"},
    {PCS_FILE_LCP, "2 1 2 2 2 2 2  1 2  1 2  3 2  0 3 2  0 1  0 1 1 1  1 1", PCS_ERR_FORMAT,
     "row pointer is 3"},
    {PCS_FILE_LCP, "2 1 2 2 2 2 2  1 2  1 2  3 2  1 2 2  0 1  0 1 1 1  1 1", PCS_ERR_FORMAT,
     "start at 0"},
    {PCS_FILE_LCP, "2 1 2 2 2 2 2  1 2  1 2  3 2  0 1 1  0 1  0 1 1 1  1 1", PCS_ERR_FORMAT,
     "must be 2"},
    {PCS_FILE_LCP, "2 1 2 2 2 2 2  1 2  1 2  0 2  0 1  0 1 1 1  1 1", PCS_ERR_SIZE,
     "with 0 pointers"},
    {PCS_FILE_LCP, "2 1 2 2 2 2 2  1 2  1 2  3 2  0 1 2  0 2  0 1 1 1  1 1", PCS_ERR_FORMAT,
     "column of a block is 2"},
    {PCS_FILE_LCP, "2 1 2 2 2 2 2  1 2  1 2  3 2  0 2 2  1 1  0 1 1 1  1 1", PCS_ERR_FORMAT,
     "stored twice"},
    {PCS_FILE_LCP, "2 1 2 2 2 2 2  1 2  1 2  3 2  0 1 2  0 1  0 1 2 1  1 1", PCS_ERR_FORMAT,
     "next block is 2"},
    {PCS_FILE_LCP, "2 1 2 2 2 2 2  1 2  1 2  3 2  0 1 2  0 1  0 1 1 x  1 1", PCS_ERR_FORMAT,
     "block 1 of M"},
    {PCS_FILE_LCP, "2 1 2 2 2147483647 2 2  1 2  1 2  3 2147483647  0 1 2147483647  0 1",
     PCS_ERR_SIZE, "bytes are left"},
    {PCS_FILE_LCP, "2 1 2 2 1 2147483647 2147483647  1 2", PCS_ERR_SIZE, "bytes are left"},
    {PCS_FILE_LCP, "1 1 1000000 1000000 1 1 1  1000000  1000000  2 1  0 1  0  0 1 2", PCS_ERR_SIZE,
     "1000000000000 numbers"},

    // sparse
    {PCS_FILE_LCP, "1 2 1 1 5\nx\n", PCS_ERR_FORMAT, "origin of the sparse matrix is 5"},
    {PCS_FILE_LCP, HALF "2 nnz: 2\n 0 1 : 1\n 1 0 : 1\n 1 1", PCS_ERR_FORMAT, "both sides"},
    {PCS_FILE_GFC2D,
     "2 1 0 1 1 1 1 1  2 1 2 4\n\ntriplet: 1-by-2, nzmax: 1 nnz: 1\n0 0 : 1\n 1  0 0  0.5",
     PCS_ERR_SIZE, "is symmetric, but H is 1 x 2"},
    {PCS_FILE_LCP, "1 2 1 1 1 x\n", PCS_ERR_FORMAT, "end of the line"},
    {PCS_FILE_LCP, "1 2 1 1 1", PCS_ERR_FORMAT, "another line"},
    {PCS_FILE_LCP, TRIPLETS "1-by-1, nzmax: 1 nnz: 1\n 0 0 : 1\n1", PCS_ERR_FORMAT, "'triplet:'"},
    {PCS_FILE_LCP, TRIPLETS "triplet: 1-by-2, nzmax: 1 nnz: 1\n 0 0 : 1\n1", PCS_ERR_SIZE,
     "then 1 x 2"},
    {PCS_FILE_LCP, TRIPLETS "triplet: 1 by 1, nzmax: 1 nnz: 1\n 0 0 : 1\n1", PCS_ERR_FORMAT,
     "-by-"},
    {PCS_FILE_LCP, TRIPLETS "triplet: 1-by-1, nzmax: 1 nnz: 2147483647\n 0 0 : 1\n1", PCS_ERR_SIZE,
     "bytes are left"},
    {PCS_FILE_LCP, TRIPLETS "triplet: 1-by-1, nzmax: 1 nnz: -1\n 0 0 : 1\n1", PCS_ERR_FORMAT,
     "number of entries is -1"},
    {PCS_FILE_LCP, TRIPLETS "triplet: 1-by-1, nzmax: 1 nnz: 1\n 1 0 : 1\n1", PCS_ERR_FORMAT,
     "row of an entry is 1"},
    {PCS_FILE_LCP, TRIPLETS "triplet: 1-by-1, nzmax: 1 nnz: 1\n 0 -1 : 1\n1", PCS_ERR_FORMAT,
     "column of an entry is -1"},
    {PCS_FILE_LCP, TRIPLETS "triplet: 1-by-1, nzmax: 1 nnz: 1\n 0 0 = 1\n1", PCS_ERR_FORMAT, ":"},
    {PCS_FILE_LCP, TRIPLETS "triplet: 1-by-1, nzmax: 1 nnz: 1\n 0 0 : inf\n1", PCS_ERR_FORMAT,
     "value of an entry"},
    {PCS_FILE_LCP, TRIPLETS "triplet: 1-by-1, nzmax: 2 nnz: 2\n 0 0 : 1e308\n 0 0 : 1e308\n1",
     PCS_ERR_FORMAT, "the sum of the entries"},
    {PCS_FILE_LCP, COLUMNS "col 1 : locations 0 to 1\n 0 : 1\n 1 : 1\n", PCS_ERR_FORMAT,
     "next column is 1"},
    {PCS_FILE_LCP, COLUMNS "col 0 : locations 1 to 1\n 0 : 1\n 1 : 1\n", PCS_ERR_FORMAT,
     "first location is 1"},
    {PCS_FILE_LCP, COLUMNS "col 0 : locations 0 to 2\n 0 : 1\n 1 : 1\n 1 1", PCS_ERR_FORMAT,
     "last location is 2"},
    {PCS_FILE_LCP, COLUMNS "col 0 : locations 0 to -2\n 0 : 1\n 1 : 1\n", PCS_ERR_FORMAT,
     "last location is -2"},
    {PCS_FILE_LCP, COLUMNS "col 0 : locations 0 to 0\n 2 : 1\n col 1 : locations 1 to 1\n 1 : 1",
     PCS_ERR_FORMAT, "index of an entry is 2"},
    {PCS_FILE_LCP, COLUMNS "col 0 : locations 0 to 0\n 0 : 1\n col 1 : locations 1 to 0\n 1 1",
     PCS_ERR_SIZE, "its columns hold 1"},
    {PCS_FILE_LCP, COLUMNS "row 0 : locations 0 to 0\n 0 : 1\n row 1 : locations 1 to 0\n 1 1",
     PCS_ERR_FORMAT, "'col'"},

    // MLCP
    {PCS_FILE_MLCP, "0 0 1 1", PCS_ERR_FORMAT, "neither form"},
    {PCS_FILE_MLCP, "2 0 1 1", PCS_ERR_FORMAT, "is 2"},
    {PCS_FILE_MLCP, "1 1 -1 1", PCS_ERR_SIZE, "n, the number of equalities is -1"},
    {PCS_FILE_MLCP, "1 1 2147483647 2147483647 0", PCS_ERR_SIZE, "more rows"},
    {PCS_FILE_MLCP, "0 1 1073741824 1073741823 0", PCS_ERR_SIZE, "more rows"},
    {PCS_FILE_MLCP, "0 1 100000 100000 0 1 2 3", PCS_ERR_SIZE, "bytes are left"},
    {PCS_FILE_MLCP, "0 1 1 2 1 2 3 4 5 6 7", PCS_ERR_SIZE, "A, B, C and D: 9 numbers"},
    {PCS_FILE_MLCP, "1 0 1 1  1 2  0 1", PCS_ERR_FORMAT, "first row block is 1"},
    {PCS_FILE_MLCP, "1 0 1 1  0 3  0 1", PCS_ERR_FORMAT, "end of a row block is 3"},
    {PCS_FILE_MLCP, "1 0 2 1  0 2 1 3  0 1 0", PCS_ERR_FORMAT, "end of a row block is 1"},
    {PCS_FILE_MLCP, "1 0 1 1  0 1 2  0 2", PCS_ERR_FORMAT, "kind of a row block is 2"},
    {PCS_FILE_MLCP, "1 0 1 1  0 1 2  1 1", PCS_ERR_SIZE, "0 equality rows"},
    {PCS_FILE_MLCP, "1 0 1 1  0 2  0", PCS_ERR_SIZE, "2 equality rows"},
    {PCS_FILE_MLCP, "1 0 1 1  0 1 2  0 1  0 3 2 3 2  1 2 3 4 5 6  1 2", PCS_ERR_SIZE,
     "over-determined"},
    {PCS_FILE_MLCP, "1 0 1 1  0 1 2  0 1  0 1 1 1 1  1  1 2", PCS_ERR_SIZE, "M is 1 x 1"},
    {PCS_FILE_MLCP, MLCP_11, PCS_ERR_SIZE, "A, B, C and D"},
    {PCS_FILE_MLCP, MLCP_11 " 1 1 -1 0  -1", PCS_ERR_SIZE, "b: 1 numbers"},
    {PCS_FILE_MLCP, MLCP_11 " 1 1 -1 x  -1 1", PCS_ERR_FORMAT, "an entry of D"},
    {PCS_FILE_MLCP, MLCP_11 " 2 1 -1 0  -1 1", PCS_ERR_FORMAT, "M(0, 0) is 1, but A(0, 0) is 2"},
    {PCS_FILE_MLCP, MLCP_11 " 1 3 -1 0  -1 1", PCS_ERR_FORMAT, "M(1, 1) is 1, but B(0, 0) is 3"},
    {PCS_FILE_MLCP, MLCP_11 " 1 1 -2 0  -1 1", PCS_ERR_FORMAT, "M(0, 1) is -1, but C(0, 0) is -2"},
    {PCS_FILE_MLCP, MLCP_11 " 1 1 -1 4  -1 1", PCS_ERR_FORMAT, "M(1, 0) is 0, but D(0, 0) is 4"},
    {PCS_FILE_MLCP, MLCP_11 " 1 1 -1 0  -2 1", PCS_ERR_FORMAT, "q(0) is -1, but a(0) is -2"},
    {PCS_FILE_MLCP, MLCP_11 " 1 1 -1 0  -1 0", PCS_ERR_FORMAT, "q(1) is 1, but b(0) is 0"},

    // global friction
    {PCS_FILE_GFC2D, "2 1 0 2 3 2 3 1 0 0 1 1 1", PCS_ERR_SIZE, "M is 2 x 3"},
    {PCS_FILE_GFC2D, "2 1 0 1 1 1 1 1  0 2 1 2 1 1 1", PCS_ERR_SIZE, "H is 2 x 1"},
    {PCS_FILE_GFC2D, "2 1 0 1 1 1 1 0  0 1 2 1 2 1 1  1  0 0  0.5", PCS_ERR_SINGULAR, "singular"},
    {PCS_FILE_GFC2D, "2 1 0 1 1 1 1 1  0 1 2 1 2 1 1  1  0 0  -1", PCS_ERR_FORMAT, "mu of contact"},
    {PCS_FILE_GFC2D, "2 1 0 1 1 1 1 1  0 1 2 1 2 1 1  1  0", PCS_ERR_FORMAT, "b: number 2 of 2"},
    {PCS_FILE_GFC3D, "3 2147483647 0 1 1", PCS_ERR_SIZE, "bytes are left"},
    {PCS_FILE_ANY, " \n", PCS_ERR_FORMAT, "the file is empty"},
    {PCS_FILE_ANY, "3 2 0 3 3 3 3 1 0 0 0 1 0 0 0 1 -1 0 0 -1 0 0 1 1", PCS_ERR_FORMAT,
     "2 contacts has 6 rows, not 3"},
    {PCS_FILE_ANY, "5 1 0 5 5", PCS_ERR_UNSUPPORTED, "rolling"},
    {PCS_FILE_ANY, "5 2 0 10 10", PCS_ERR_UNSUPPORTED, "rolling"},

    // our own form
    {PCS_FILE_ANY, OWN "2", PCS_ERR_FORMAT, "version of the form is 2"},
    {PCS_FILE_ANY, OWN "1 W", PCS_ERR_FORMAT, "the word local or global, found 'W'"},
    {PCS_FILE_ANY, OWN "1 local\ncones -1", PCS_ERR_SIZE, "number of cones is -1"},
    {PCS_FILE_ANY, OWN "1 local cones 2147483647", PCS_ERR_SIZE, "bytes are left"},
    {PCS_FILE_ANY, OWN "1 local cones 1\ncone 3 0.5", PCS_ERR_FORMAT, "a cone: coulomb"},
    {PCS_FILE_ANY, OWN "1 local cones 1\ncoulomb 4 0.5", PCS_ERR_FORMAT, "a contact is 4"},
    {PCS_FILE_ANY, OWN "1 local cones 1\ncoulomb 3 -1", PCS_ERR_FORMAT, "mu is -1"},
    {PCS_FILE_ANY, OWN "1 local cones 1\ncoulomb 3 nan", PCS_ERR_FORMAT, "mu, found 'nan'"},
    {PCS_FILE_ANY, OWN "1 local cones 1\nequality 2147483647", PCS_ERR_SIZE, "bytes are left"},
    {PCS_FILE_ANY, OWN "1 local cones 1\nunilateral W dense 2 2 1 0 0 1", PCS_ERR_SIZE,
     "must be 1 x 1"},
    {PCS_FILE_ANY, OWN "1 local cones 1\nunilateral W full 1 1 1", PCS_ERR_FORMAT,
     "dense, entries or blocks"},
    {PCS_FILE_ANY, OWN "1 local cones 1\nunilateral W entries 1 1 1 0 1 5", PCS_ERR_FORMAT,
     "column of an entry is 1"},
    {PCS_FILE_ANY, OWN "1 local cones 1\nunilateral W entries 1 1 2 0 0 1e308 0 0 1e308 q 1 end",
     PCS_ERR_FORMAT, "the sum of the entries"},
    {PCS_FILE_ANY, OWN "1 local cones 1\nunilateral W blocks 1 1 1 0 1 0 0 1 q 1", PCS_ERR_FORMAT,
     "height of a block row is 0"},
    {PCS_FILE_ANY, OWN "1 local cones 2\nunilateral unilateral W blocks 2 2 2 1 1 1 1 0 1 1 0 0 1",
     PCS_ERR_FORMAT, "out of order"},
    {PCS_FILE_ANY, OWN "1 local cones 1\nequality 2 W blocks 2 2 1 1 1 1 1 0 0 1 q 1 1 end",
     PCS_ERR_SIZE, ""},
    {PCS_FILE_ANY, OWN "1 local cones 1\nunilateral W dense 1 1 1 q 1 x", PCS_ERR_FORMAT,
     "r, u or end"},
    {PCS_FILE_ANY, OWN "1 local cones 1\nunilateral W dense 1 1 1 q 0x q", PCS_ERR_FORMAT,
     "found '0x'"},
    {PCS_FILE_ANY, OWN "1 local cones 1\nunilateral W dense 1 1 1 q 0x1p9999 end", PCS_ERR_FORMAT,
     "range of a double"},
    {PCS_FILE_LCP, OWN "1 local cones 1\nequality 1 W dense 1 1 1 q 1 end", PCS_ERR_FORMAT,
     "kind mlcp, not lcp"},
    {PCS_FILE_ANY, OWN "1 global cones 1\nunilateral M dense 1 2 1 1", PCS_ERR_SIZE, "M is 1 x 2"},
    {PCS_FILE_ANY, OWN "1 global cones 1\nunilateral M dense 1 1 0 H dense 1 1 1 f 1 w 1 end",
     PCS_ERR_SINGULAR, "singular"},

    // friction
    {PCS_FILE_FC3D, "", PCS_ERR_FORMAT, "the dimension"},
    {PCS_FILE_FC3D, "2 1 0 2 2 2 2 1 0 0 1 1 1 0", PCS_ERR_FORMAT, "dimension is 2"},
    {PCS_FILE_FC2D, "3 1 0", PCS_ERR_FORMAT, "dimension is 3"},
    {PCS_FILE_FC2D, "2 -1 0", PCS_ERR_SIZE, "number of contacts is -1"},
    {PCS_FILE_FC2D, "2 2147483647 0 2 2", PCS_ERR_SIZE, "bytes are left"},
    {PCS_FILE_FC2D, "2 1 0 3 3 3 3 1 2 3 4 5 6 7 8 9 1 1 0", PCS_ERR_SIZE, "W is 3 x 3"},
    {PCS_FILE_FC2D, "2 1 0 2 2 2 2 1 0 0 1 1", PCS_ERR_SIZE, "q: 2 numbers"},
    {PCS_FILE_FC2D, "2 1 0 2 2 2 2 1 0 0 1 1 x 0", PCS_ERR_FORMAT, "q: number 2 of 2"},
    {PCS_FILE_FC2D, "2 1 0 2 2 2 2 1 0 0 1 1 1", PCS_ERR_SIZE, "mu: 1 numbers"},
    {PCS_FILE_FC2D, "2 1 0 2 2 2 2 1 0 0 1 1 1 nan", PCS_ERR_FORMAT, "mu, a number"},
    {PCS_FILE_FC2D, "2 1 0 2 2 2 2 1 0 0 1 1 1 -0.5", PCS_ERR_FORMAT, "mu of contact 0 is -0.5"},
    {PCS_FILE_FC2D, "2 1 1 2 2 2 2 2  1 2  1 2  3 2  0 1 2  0 1  0 1 1 1  1 1  0", PCS_ERR_SIZE,
     "within contact 0"},
    {PCS_FILE_FC2D, "2 1 1 2 2 1 1 2  2  1 2  2 1  0 1  0  0 1 2  1 1 0", PCS_ERR_SIZE, "differ"},
};

TEST(malformed_files_are_refused_with_words)
{
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; ++i) {
        pcs_problem_file *f = (pcs_problem_file *)1;
        const pcs_status status = parse(malformed[i].text, malformed[i].kind, &f);
        ck_assert_msg(status == malformed[i].status, "%s\ngave: %s: %s", malformed[i].text,
                      pcs_status_text(status), status != PCS_OK ? pcs_error_text() : "");
        ck_assert_ptr_null(f);
        ck_assert_msg(strstr(pcs_error_text(), malformed[i].says), "%s\nsaid: %s\nnot: %s",
                      malformed[i].text, pcs_error_text(), malformed[i].says);
        ck_assert_msg(strncmp(pcs_error_text(), "t:", 2) == 0, "%s", pcs_error_text());
    }
    // the pair without a disagreement is fine
    pcs_problem_file *f;
    CK_OK(parse(MLCP_11 " 1 1 -1 0  -1 1", PCS_FILE_MLCP, &f));
    pcs_problem_file_destroy(f);
}

TEST(null_arguments_are_refused)
{
    pcs_problem_file *f;
    CK_FAILS(pcs_problem_file_parse(NULL, NULL, 3, NULL, PCS_FILE_LCP, &f), PCS_ERR_ARG);
    CK_FAILS(pcs_problem_file_parse(NULL, "1", 1, NULL, PCS_FILE_LCP, NULL), PCS_ERR_ARG);
    CK_FAILS(pcs_problem_file_parse(NULL, NULL, 0, NULL, PCS_FILE_LCP, &f), PCS_ERR_FORMAT);
    CK_FAILS(pcs_problem_file_read(NULL, NULL, PCS_FILE_LCP, &f), PCS_ERR_ARG);
    CK_FAILS(pcs_problem_file_read(NULL, "x", PCS_FILE_LCP, NULL), PCS_ERR_ARG);
    pcs_problem_file_destroy(NULL);
}

TEST(files_that_cannot_be_read_are_named)
{
    pcs_problem_file *f;
    CK_SAYS(pcs_problem_file_read(NULL, "no/such/file.dat", PCS_FILE_ANY, &f), PCS_ERR_FILE,
            "no/such/file.dat");
    CK_FAILS(pcs_problem_file_read(NULL, PERCUSS_TEST_DATA, PCS_FILE_ANY, &f), PCS_ERR_FILE);
    ck_assert_ptr_null(f);

    // of a path that is too long the end is shown
    char longer[900];
    memset(longer, 'x', sizeof longer);
    strcpy(longer + 880, "/end.dat");
    CK_SAYS(pcs_problem_file_parse(NULL, "q", 1, longer, PCS_FILE_LCP, &f), PCS_ERR_FORMAT,
            "/end.dat:1: expected n");
}

// ---- hostile -----------------------------------------------------------------------------------

TEST(a_file_cut_anywhere_is_a_problem_or_an_error)
{
    int read = 0;
    for (int i = 0; i < N_FILES; ++i) {
        size_t size;
        char *bytes = bytes_of(all_files[i], &size);
        for (size_t cut = 0; cut <= size; ++cut) {
            // memory of its own: reading beyond the cut is seen by the sanitizers
            char *part = malloc(cut + 1);
            ck_assert_ptr_nonnull(part);
            memcpy(part + 1, bytes, cut);
            const char *wrong = read_as_every_kind(part + 1, cut, &read);
            ck_assert_msg(!wrong, "%s cut at %zu: %s", all_files[i], cut, wrong);
            free(part);
        }
        free(bytes);
    }
    ck_assert_int_ge(read, 2 * N_FILES);
}

TEST(huge_sizes_take_no_memory)
{
    // every integer of every file becomes each of these in turn
    static const char *const huge[] = {
        "2147483647", "2147483646", "-2147483648", "4294967297", "99999999999999999999",
        "65536",      "1000000",    "-1",          "0"};
    int read = 0;
    for (int i = 0; i < N_FILES; ++i) {
        size_t size;
        char *bytes = bytes_of(all_files[i], &size);
        for (size_t at = 0; at < size; ++at) {
            const bool starts =
                (at == 0 || strchr(" \t\n", bytes[at - 1])) && bytes[at] >= '0' && bytes[at] <= '9';
            if (!starts) continue;
            size_t end = at;
            while (end < size && bytes[end] >= '0' && bytes[end] <= '9') {
                ++end;
            }
            for (size_t h = 0; h < sizeof huge / sizeof *huge; ++h) {
                char *text = malloc(size + 32);
                ck_assert_ptr_nonnull(text);
                const size_t n = strlen(huge[h]);
                memcpy(text, bytes, at);
                memcpy(text + at, huge[h], n);
                memcpy(text + at + n, bytes + end, size - end);
                const char *wrong = read_as_every_kind(text, at + n + size - end, &read);
                ck_assert_msg(!wrong, "%s with %s at %zu: %s", all_files[i], huge[h], at, wrong);
                free(text);
            }
        }
        free(bytes);
    }
}

// words that a mutation may put in
static const char *const words[] = {"0",          "1",      "-1",        "2",     "3",       "4",
                                    "2147483647", "nan",    "inf",       "1e308", "\n",      " ",
                                    ":",          "row",    "col",       "to",    "-by-",    ",",
                                    "nnz:",       "nzmax:", ".",         "e",     "\r\n",    "\t",
                                    "-",          "+",      "locations", "0 0 ",  "triplet:"};

static size_t mutate(test_random *r, const char *from, size_t size, char *to)
{
    memcpy(to, from, size);
    for (int times = 1 + (int)(4 * random_unit(r)); times > 0 && size > 0; --times) {
        const size_t at = (size_t)(random_unit(r) * (double)size);
        size_t n = (size_t)(random_unit(r) * 12);
        if (n > size - at) n = size - at;
        switch ((int)(random_unit(r) * 5)) {
        case 0: // another byte
            to[at] = (char)(256 * random_unit(r) - 128);
            break;
        case 1: // another digit
            to[at] = (char)('0' + (int)(10 * random_unit(r)));
            break;
        case 2: // a piece is lost
            memmove(to + at, to + at + n, size - at - n);
            size -= n;
            break;
        case 3: // a piece comes twice
            memmove(to + at + n, to + at, size - at);
            size += n;
            break;
        default: { // a word comes in
            const char *word = words[(size_t)(random_unit(r) * (sizeof words / sizeof *words))];
            n = strlen(word);
            memmove(to + at + n, to + at, size - at);
            memcpy(to + at, word, n);
            size += n;
        }
        }
    }
    return size;
}

TEST(mutations_of_good_files_never_do_harm)
{
    enum { PER_FILE = 4000 };
    test_random r = random_seed(20);
    int read = 0;
    for (int i = 0; i < N_FILES; ++i) {
        size_t size;
        char *bytes = bytes_of(all_files[i], &size);
        for (int k = 0; k < PER_FILE; ++k) {
            char *text = malloc(size + 100);
            ck_assert_ptr_nonnull(text);
            const size_t n = mutate(&r, bytes, size, text);
            const char *wrong = read_as_every_kind(text, n, &read);
            ck_assert_msg(!wrong, "%s, mutation %d: %s\n%.*s", all_files[i], k, wrong, (int)n,
                          text);
            free(text);
        }
        free(bytes);
    }
    // some survive, or the mutations would test nothing beyond the first line
    ck_assert_int_ge(read, N_FILES * PER_FILE / 10);
}

TEST(every_allocation_may_fail)
{
    for (int i = 0; i < N_FILES; ++i) {
        bool done = false;
        for (long k = 0; !done; ++k) {
            ck_assert_int_lt(k, 100);
            test_memory memory = {.fail_at = k};
            const pcs_env env = test_env(&memory);
            pcs_problem_file *f;
            const pcs_status status =
                pcs_problem_file_read(&env, path_of(all_files[i]), PCS_FILE_ANY, &f);
            done = status == PCS_OK;
            if (!done) {
                ck_assert_msg(status == PCS_ERR_MEMORY, "%s: allocation %ld: %s", all_files[i], k,
                              pcs_error_text());
                ck_assert_ptr_null(f);
            }
            pcs_problem_file_destroy(f);
            ck_assert_int_eq(memory.live, 0);
        }
    }
}
