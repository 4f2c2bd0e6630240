// FCLIB files of every kind that other codes write, and every kind of error: HDF5 itself changes a
// good file of percuss, one part at a time.
#define _DEFAULT_SOURCE
#define _POSIX_C_SOURCE 200809L
#include <percuss/global.h>
#include <percuss/problem_file.h>

#include <hdf5.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef PERCUSS_TEST_FCLIB
#include <fclib.h>
#endif

#include "damaged_hdf5.h"
#include "sound.h"
#include "support.h"

#define FOLDER PERCUSS_TEST_SCRATCH "/fclib"
#define FILE_L FOLDER "/local.hdf5"
#define FILE_G FOLDER "/global.hdf5"
#define WORK   FOLDER "/work.hdf5"

// two contacts, unsymmetric, an empty block (1, 0)
static double W_val[27] = {2,   0.1, -0.2, 0.1, 3, 0.2, -0.3, 0.25, 2.5, 0.5, 0,    0.1,  0, 0.3,
                           0.4, 0.1, 0,    0.2, 3, 0.1, 0.2,  0.1,  3,   0.3, 0.25, 0.35, 4};
static const double q_val[6] = {-1, 0.3, -0.6, -0.5, 2, -1};
static const double r_val[6] = {0.5, 0, 0.1, 0.2, 0, 0};
static const pcs_block blocks[2] = {{PCS_CONE_COULOMB, 0, 3, 0.3}, {PCS_CONE_COULOMB, 3, 3, 0.7}};

static pcs_problem local_problem(void)
{
    static int part[3] = {0, 3, 6}, ptr[3] = {0, 2, 3}, idx[3] = {0, 1, 1};
    static size_t off[3] = {0, 9, 18};
    return (pcs_problem){.n = 6,
                         .nb = 2,
                         .block = blocks,
                         .W = {2, 2, part, part, ptr, idx, off, W_val},
                         .q = q_val};
}

// two contacts on seven velocities, one equality row
static pcs_mass_matrix *make_global(pcs_global_problem *g)
{
    static int row[4] = {0, 3, 6, 7}, col[3] = {0, 3, 7}, ptr[4] = {0, 2, 3, 4},
               idx[4] = {0, 1, 1, 0};
    static size_t off[4] = {0, 9, 21, 33};
    static double val[36] = {0};
    static const double f[7] = {1, -2, 3, -4, 5, -6, 7}, w[7] = {0.1, 0, 0, -0.2, 0, 0, 0.3};
    static const pcs_block block[3] = {
        {PCS_CONE_COULOMB, 0, 3, 0.3}, {PCS_CONE_COULOMB, 3, 3, 0.7}, {PCS_CONE_EQUALITY, 6, 1, 0}};
    for (int i = 0; i < 36; ++i) {
        val[i] = (i * 7 % 11 - 5) / 4.0;
    }
    static const int size[2] = {3, 4};
    static const double M[25] = {4, 1, 0.5, 1, 5, 0.25, 0.5, 0.25, 6,   4, 1, 0, 0.5,
                                 1, 4, 1,   0, 0, 1,    4,   1,    0.5, 0, 1, 4};
    pcs_mass_matrix *mass;
    CK_OK(pcs_mass_matrix_create_blocks(NULL, 2, size, M, &mass));
    *g = (pcs_global_problem){.nb = 3,
                              .block = block,
                              .H = {3, 2, row, col, ptr, idx, off, val},
                              .M = mass,
                              .f = f,
                              .w = w};
    return mass;
}

static void write_files(void)
{
    mkdir(PERCUSS_TEST_SCRATCH, 0777);
    mkdir(FOLDER, 0777);
    const pcs_problem p = local_problem();
    const pcs_file_content local = {
        .problem = &p, .r = r_val, .u = q_val, .title = "two contacts", .description = "a test"};
    CK_OK(pcs_problem_file_write(NULL, FILE_L, PCS_FILE_FORMAT_BY_NAME, &local));
    pcs_global_problem g;
    pcs_mass_matrix *mass = make_global(&g);
    CK_OK(pcs_problem_file_write(NULL, FILE_G, PCS_FILE_FORMAT_BY_NAME,
                                 &(pcs_file_content){.global = &g, .r = g.f, .v = g.f}));
    pcs_mass_matrix_destroy(mass);
}

static char *bytes_of(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    ck_assert_ptr_nonnull(f);
    char *bytes = malloc(1000000);
    ck_assert_ptr_nonnull(bytes);
    *size = fread(bytes, 1, 1000000, f);
    fclose(f);
    return bytes;
}

// a copy that HDF5 may change
static hid_t open_copy(const char *path)
{
    size_t size;
    char *bytes = bytes_of(path, &size);
    FILE *f = fopen(WORK, "wb");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(bytes, 1, size, f), size);
    fclose(f);
    free(bytes);
    const hid_t file = H5Fopen(WORK, H5F_ACC_RDWR, H5P_DEFAULT);
    ck_assert(file >= 0);
    return file;
}

static void replace_set(hid_t file, const char *path, hid_t type, int rank, const hsize_t *dims,
                        hid_t made, const void *x)
{
    if (H5Lexists(file, path, H5P_DEFAULT) > 0) ck_assert(H5Ldelete(file, path, H5P_DEFAULT) >= 0);
    const hid_t space = rank < 0 ? H5Screate(H5S_NULL) : H5Screate_simple(rank, dims, NULL);
    const hid_t set = H5Dcreate2(file, path, type, space, H5P_DEFAULT, made, H5P_DEFAULT);
    ck_assert_msg(set >= 0, "%s", path);
    if (x) ck_assert(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0);
    H5Dclose(set);
    H5Sclose(space);
}

static void put_ints(hid_t file, const char *path, int n, const int *x)
{
    const hsize_t dims = (hsize_t)n;
    replace_set(file, path, H5T_NATIVE_INT, 1, &dims, H5P_DEFAULT, x);
}

static void put_reals(hid_t file, const char *path, int n, const double *x)
{
    const hsize_t dims = (hsize_t)n;
    replace_set(file, path, H5T_NATIVE_DOUBLE, 1, &dims, H5P_DEFAULT, x);
}

// the changed copy is a sound problem, or an error with a sentence that names the file
static pcs_status judge(void)
{
    size_t size;
    char *bytes = bytes_of(WORK, &size);
    byte_count count = {.limit = fair_memory(size)};
    const pcs_env env = counting_env(&count);
    pcs_problem_file *f;
    const pcs_status status = pcs_problem_file_parse(&env, bytes, size, WORK, PCS_FILE_ANY, &f);
    ck_assert_msg(count.taken <= count.limit, "too much memory");
    if (status == PCS_OK) {
        const char *wrong = unsound(f);
        ck_assert_msg(!wrong, "%s", wrong);
        pcs_problem_file_destroy(f);
    } else {
        ck_assert_ptr_null(f);
        ck_assert_msg(strstr(pcs_error_text(), "work.hdf5") != NULL, "%s", pcs_error_text());
    }
    free(bytes);
    return status;
}

static void expect_local(const char *path)
{
    pcs_problem_file *f;
    CK_OK(pcs_problem_file_read(NULL, path, PCS_FILE_ANY, &f));
    ck_assert(!unsound(f) && f->format == PCS_FILE_FORMAT_FCLIB && f->kind == PCS_FILE_FC3D);
    const pcs_problem p = local_problem();
    double a[36], b[36];
    pcs_bsr_to_dense(&p.W, a);
    pcs_bsr_to_dense(&f->problem.W, b);
    expect_same(a, b, 36, 0);
    pcs_problem_file_destroy(f);
}

// ---- files of other programs -------------------------------------------------------------------

TEST(the_three_storages_agree_on_an_unsymmetric_matrix)
{
    write_files();
    const pcs_problem p = local_problem();
    double W[36];
    pcs_bsr_to_dense(&p.W, W);
    int i[80], j[80], ptr[7] = {0}, n = 0;
    double x[80];

    // columns with spare room: i and x are longer than necessary
    for (int c = 0; c < 6; ++c) {
        for (int r = 0; r < 6; ++r) {
            if (W[r + 6 * c] == 0) continue;
            i[n] = r;
            x[n++] = W[r + 6 * c];
        }
        ptr[c + 1] = n;
    }
    i[n] = -7;
    x[n] = 1e300;
    hid_t file = open_copy(FILE_L);
    put_ints(file, "/fclib_local/W/p", 7, ptr);
    put_ints(file, "/fclib_local/W/i", n + 1, i);
    put_reals(file, "/fclib_local/W/x", n + 1, x);
    put_ints(file, "/fclib_local/W/nz", 1, (int[]){-1});
    put_ints(file, "/fclib_local/W/nzmax", 1, (int[]){1968});
    H5Fclose(file);
    expect_local(WORK);

    // triplets in reverse order, each as two halves at the same place
    n = 0;
    for (int e = 35; e >= 0; --e) {
        for (int half = 0; half < 2 && W[e] != 0; ++half) {
            i[n] = e % 6;
            j[n] = e / 6;
            x[n++] = W[e] / 2;
        }
    }
    file = open_copy(FILE_L);
    put_ints(file, "/fclib_local/W/p", n, j);
    put_ints(file, "/fclib_local/W/i", n, i);
    put_reals(file, "/fclib_local/W/x", n, x);
    put_ints(file, "/fclib_local/W/nz", 1, &n);
    put_ints(file, "/fclib_local/W/nzmax", 1, &n);
    H5Fclose(file);
    expect_local(WORK);
}

TEST(other_types_and_layouts_are_read)
{
    write_files();
    hid_t file = open_copy(FILE_L);
    const hsize_t six = 6, piece = 2;
    const hid_t made = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(made, 1, &piece);
    H5Pset_deflate(made, 9);
    replace_set(file, "/fclib_local/vectors/q", H5T_NATIVE_DOUBLE, 1, &six, made, q_val);
    H5Pclose(made);
    const long long three = 3;
    replace_set(file, "/fclib_local/spacedim", H5T_NATIVE_LLONG, 0, NULL, H5P_DEFAULT, &three);
    H5Fclose(file);
    expect_local(WORK);

    // words of variable length are not read
    file = open_copy(FILE_L);
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    const char *words = "hello";
    replace_set(file, "/fclib_local/info/title", type, 0, NULL, H5P_DEFAULT, &words);
    H5Tclose(type);
    H5Fclose(file);
    expect_local(WORK);
}

TEST(half_of_a_symmetric_mass_is_completed)
{
    write_files();
    pcs_global_problem g;
    pcs_mass_matrix *mass = make_global(&g);
    double M[49];
    for (int c = 0; c < 7; ++c) {
        double e[7] = {0};
        e[c] = 1;
        pcs_mass_matrix_mul(mass, e, M + 7 * c);
    }
    for (int upper = 0; upper < 2; ++upper) {
        int i[49], j[49], n = 0;
        double x[49];
        for (int e = 0; e < 49; ++e) {
            const int r = e % 7, c = e / 7;
            if (M[e] == 0 || (upper ? r > c : r < c)) continue;
            i[n] = r;
            j[n] = c;
            x[n++] = M[e];
        }
        hid_t file = open_copy(FILE_G);
        put_ints(file, "/fclib_global/M/p", n, j);
        put_ints(file, "/fclib_global/M/i", n, i);
        put_reals(file, "/fclib_global/M/x", n, x);
        put_ints(file, "/fclib_global/M/nz", 1, &n);
        H5Fclose(file);

        pcs_problem_file *whole, *half;
        const pcs_problem *a, *b;
        CK_OK(pcs_problem_file_read(NULL, FILE_G, PCS_FILE_ANY, &whole));
        CK_OK(pcs_problem_file_read(NULL, WORK, PCS_FILE_ANY, &half));
        ck_assert(!whole->half && half->half && half->kind == PCS_FILE_GLOBAL);
        ck_assert(half->equalities == 1 && half->contacts == 2 && half->velocities == 7);
        CK_OK(pcs_problem_file_local(whole, &a));
        CK_OK(pcs_problem_file_local(half, &b));
        double A[49], B[49];
        pcs_bsr_to_dense(&a->W, A);
        pcs_bsr_to_dense(&b->W, B);
        expect_same(A, B, 49, 0);
        pcs_problem_file_destroy(whole);
        pcs_problem_file_destroy(half);
    }
    pcs_mass_matrix_destroy(mass);
}

TEST(equalities_of_a_local_file_are_kept)
{
    // V and R make the last row of [W V; V' R]
    write_files();
    hid_t file = open_copy(FILE_L);
    static const char *const group[2] = {"/fclib_local/V", "/fclib_local/R"};
    for (int k = 0; k < 2; ++k) {
        char path[100];
        H5Gclose(H5Gcreate2(file, group[k], H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        const int value[4] = {k == 0 ? 6 : 1, 1, 1, 1};
        static const char *const name[4] = {"m", "n", "nzmax", "nz"};
        for (int e = 0; e < 4; ++e) {
            snprintf(path, sizeof path, "%s/%s", group[k], name[e]);
            put_ints(file, path, 1, &value[e]);
        }
        snprintf(path, sizeof path, "%s/p", group[k]);
        put_ints(file, path, 1, (int[]){0});
        snprintf(path, sizeof path, "%s/i", group[k]);
        put_ints(file, path, 1, (int[]){k == 0 ? 4 : 0});
        snprintf(path, sizeof path, "%s/x", group[k]);
        put_reals(file, path, 1, (double[]){k == 0 ? 0.75 : 8});
    }
    put_reals(file, "/fclib_local/vectors/s", 1, (double[]){-5});
    H5Fclose(file);

    pcs_problem_file *f;
    CK_OK(pcs_problem_file_read(NULL, WORK, PCS_FILE_ANY, &f));
    ck_assert(f->kind == PCS_FILE_MIXED && f->equalities == 1 && f->problem.n == 7 && !unsound(f));
    double W[49];
    pcs_bsr_to_dense(&f->problem.W, W);
    ck_assert(W[4 + 7 * 6] == 0.75 && W[6 + 7 * 4] == 0.75 && W[48] == 8 && f->problem.q[6] == -5);
    // impulses of the contacts alone solve nothing
    ck_assert(!f->r && f->u);

    // the problem is written again
    const pcs_file_content c = {.problem = &f->problem};
    CK_OK(pcs_problem_file_write(NULL, FOLDER "/mixed.hdf5", PCS_FILE_FORMAT_FCLIB, &c));
    pcs_problem_file *again;
    CK_OK(pcs_problem_file_read(NULL, FOLDER "/mixed.hdf5", PCS_FILE_ANY, &again));
    double again_W[49];
    pcs_bsr_to_dense(&again->problem.W, again_W);
    ck_assert(memcmp(W, again_W, sizeof W) == 0);
    pcs_problem_file_destroy(again);

    // the format has no place for an unsymmetric coupling
    for (int k = 0; k < f->problem.W.ptr[f->problem.W.m]; ++k) {
        if (f->problem.W.idx[k] == 2) f->problem.W.val[f->problem.W.off[k]] += 1;
    }
    CK_FAILS(pcs_problem_file_write(NULL, FOLDER "/mixed.hdf5", PCS_FILE_FORMAT_FCLIB, &c),
             PCS_ERR_UNSUPPORTED);
    pcs_problem_file_destroy(f);
}

TEST(guesses_are_read)
{
    write_files();
    hid_t file = open_copy(FILE_L);
    H5Gclose(H5Gcreate2(file, "/guesses", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    put_ints(file, "/guesses/number_of_guesses", 1, (int[]){2});
    for (int k = 1; k <= 2; ++k) {
        char path[40];
        snprintf(path, sizeof path, "/guesses/%d", k);
        H5Gclose(H5Gcreate2(file, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        snprintf(path, sizeof path, "/guesses/%d/r", k);
        put_reals(file, path, 6, k == 1 ? r_val : q_val);
        snprintf(path, sizeof path, "/guesses/%d/u", k);
        put_reals(file, path, 6, q_val);
    }
    H5Fclose(file);
    pcs_problem_file *f;
    CK_OK(pcs_problem_file_read(NULL, WORK, PCS_FILE_ANY, &f));
    ck_assert(f->guesses == 2 && f->guess_r && f->guess_u);
    ck_assert(f->guess_r[2] == 0.1 && f->guess_r[6] == -1 && f->guess_u[4] == 2);
    ck_assert(f->r[0] == 0.5 && f->u[1] == 0.3 && strcmp(f->title, "two contacts") == 0);
    pcs_problem_file_destroy(f);

    file = H5Fopen(WORK, H5F_ACC_RDWR, H5P_DEFAULT);
    put_ints(file, "/guesses/number_of_guesses", 1, (int[]){INT_MAX});
    H5Fclose(file);
    ck_assert_int_eq(judge(), PCS_ERR_SIZE);
}

// ---- hostile -----------------------------------------------------------------------------------

static const char *const sets[] = {
    "/fclib_local/spacedim",  "/fclib_local/W/m",       "/fclib_local/W/n", "/fclib_local/W/nzmax",
    "/fclib_local/W/nz",      "/fclib_local/W/p",       "/fclib_local/W/i", "/fclib_local/W/x",
    "/fclib_local/vectors/q", "/fclib_local/vectors/mu"};
static const char *const global_sets[] = {
    "/fclib_global/spacedim",  "/fclib_global/M/m",        "/fclib_global/M/n",
    "/fclib_global/M/nzmax",   "/fclib_global/M/nz",       "/fclib_global/M/p",
    "/fclib_global/M/i",       "/fclib_global/M/x",        "/fclib_global/H/m",
    "/fclib_global/H/n",       "/fclib_global/H/nzmax",    "/fclib_global/H/nz",
    "/fclib_global/H/p",       "/fclib_global/H/i",        "/fclib_global/H/x",
    "/fclib_global/G/m",       "/fclib_global/G/n",        "/fclib_global/G/nz",
    "/fclib_global/G/p",       "/fclib_global/G/i",        "/fclib_global/G/x",
    "/fclib_global/vectors/f", "/fclib_global/vectors/mu", "/fclib_global/vectors/w",
    "/fclib_global/vectors/b"};
enum { N_LOCAL = sizeof sets / sizeof *sets, N_GLOBAL = sizeof global_sets / sizeof *global_sets };

static const char *set_at(int k)
{
    return k < N_LOCAL ? sets[k] : global_sets[k - N_LOCAL];
}

static hid_t copy_of(int k)
{
    return open_copy(k < N_LOCAL ? FILE_L : FILE_G);
}

TEST(every_set_must_be_there)
{
    write_files();
    for (int k = 0; k < N_LOCAL + N_GLOBAL; ++k) {
        hid_t file = copy_of(k);
        ck_assert(H5Ldelete(file, set_at(k), H5P_DEFAULT) >= 0);
        H5Fclose(file);
        ck_assert_int_eq(judge(), PCS_ERR_FORMAT);
        ck_assert_msg(strstr(pcs_error_text(), set_at(k)), "%s", pcs_error_text());

        // nor may it refer to another file
        file = copy_of(k);
        ck_assert(H5Lmove(file, set_at(k), file, "/elsewhere", H5P_DEFAULT, H5P_DEFAULT) >= 0);
        ck_assert(H5Lcreate_soft("/elsewhere", file, set_at(k), H5P_DEFAULT, H5P_DEFAULT) >= 0);
        H5Fclose(file);
        ck_assert_int_eq(judge(), PCS_ERR_FORMAT);

        // a group in its place
        file = copy_of(k);
        ck_assert(H5Ldelete(file, set_at(k), H5P_DEFAULT) >= 0);
        H5Gclose(H5Gcreate2(file, set_at(k), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        H5Fclose(file);
        ck_assert_int_eq(judge(), PCS_ERR_FORMAT);
    }
}

TEST(types_and_shapes_are_checked)
{
    write_files();
    for (int k = 0; k < N_LOCAL + N_GLOBAL; ++k) {
        const char *path = set_at(k);
        const bool reals = strstr(path, "vectors") || strstr(path, "/x");
        for (int what = 0; what < 6; ++what) {
            hid_t file = copy_of(k);
            const hsize_t one = 1, square[2] = {2, 3}, huge = 2147483647, beyond = 1ull << 40,
                          many = 5000;
            const hid_t type = reals ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT;
            const hid_t other = reals ? H5T_NATIVE_INT : H5T_NATIVE_DOUBLE;
            const long long zero[6] = {0};
            if (what == 0) replace_set(file, path, other, 1, &one, H5P_DEFAULT, zero);
            if (what == 1) replace_set(file, path, type, 2, square, H5P_DEFAULT, zero);
            if (what == 2) replace_set(file, path, type, -1, NULL, H5P_DEFAULT, NULL);
            if (what == 3) replace_set(file, path, type, 1, &huge, H5P_DEFAULT, NULL);
            if (what == 4) replace_set(file, path, type, 1, &beyond, H5P_DEFAULT, NULL);
            if (what == 5) {
                // stored outside the file
                const hid_t made = H5Pcreate(H5P_DATASET_CREATE);
                H5Pset_external(made, "/etc/passwd", 0, H5F_UNLIMITED);
                replace_set(file, path, type, 1, &many, made, NULL);
                H5Pclose(made);
            }
            H5Fclose(file);
            const pcs_status status = judge();
            ck_assert_msg(status == PCS_ERR_FORMAT || status == PCS_ERR_SIZE, "%s, %d", path, what);
            ck_assert_msg(strstr(pcs_error_text(), path), "%s", pcs_error_text());
        }
    }
}

TEST(hostile_numbers_are_sentences)
{
    write_files();
    static const int value[] = {INT_MAX, INT_MAX - 1, INT_MIN, -3, -2, -1, 0, 1, 2, 5, 77, 1 << 20};
    for (int k = 0; k < N_LOCAL + N_GLOBAL; ++k) {
        for (size_t v = 0; v < sizeof value / sizeof *value; ++v) {
            hid_t file = copy_of(k);
            const hid_t set = H5Dopen2(file, set_at(k), H5P_DEFAULT), space = H5Dget_space(set);
            const int n = (int)H5Sget_simple_extent_npoints(space);
            // the first and the last number of the set
            int x[200];
            double y[200];
            ck_assert_int_le(n, 200);
            const bool reals = strstr(set_at(k), "vectors") || strstr(set_at(k), "/x");
            const hid_t type = reals ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT;
            for (int last = 0; last < 2; ++last) {
                H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, reals ? (void *)y : (void *)x);
                const int at = last ? n - 1 : 0;
                x[at] = value[v];
                y[at] = v == 0 ? NAN : v == 1 ? INFINITY : v == 2 ? -1e300 : value[v];
                H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, reals ? (void *)y : (void *)x);
                H5Fflush(file, H5F_SCOPE_GLOBAL);
                const pcs_status status = judge();
                ck_assert_msg(status == PCS_OK || status == PCS_ERR_FORMAT ||
                                  status == PCS_ERR_SIZE || status == PCS_ERR_UNSUPPORTED ||
                                  status == PCS_ERR_SINGULAR,
                              "%s: %s", set_at(k), pcs_error_text());
                if (reals && v < 2) ck_assert_int_eq(status, PCS_ERR_FORMAT);
            }
            H5Sclose(space);
            H5Dclose(set);
            H5Fclose(file);
        }
    }
}

TEST(rolling_friction_is_refused_with_a_sentence)
{
    write_files();
    hid_t file = open_copy(FILE_L);
    put_ints(file, "/fclib_local/spacedim", 1, (int[]){5});
    H5Fclose(file);
    ck_assert_int_eq(judge(), PCS_ERR_UNSUPPORTED);
    file = open_copy(FILE_G);
    ck_assert(H5Lmove(file, "/fclib_global", file, "/fclib_global_rolling", H5P_DEFAULT,
                      H5P_DEFAULT) >= 0);
    H5Fclose(file);
    ck_assert_int_eq(judge(), PCS_ERR_UNSUPPORTED);
    file = open_copy(FILE_G);
    ck_assert(H5Ldelete(file, "/fclib_global", H5P_DEFAULT) >= 0);
    H5Fclose(file);
    ck_assert_int_eq(judge(), PCS_ERR_FORMAT);
}

static herr_t count_calls(hid_t stack, void *data)
{
    *(int *)data += 1;
    return 0;
}

TEST(a_file_cut_anywhere_is_an_error)
{
    // HDF5 prints nothing about it; its error printer is as before
    write_files();
    int calls = 0;
    H5E_auto2_t before, after;
    void *before_data, *after_data;
    H5Eget_auto2(H5E_DEFAULT, &before, &before_data);
    H5Eset_auto2(H5E_DEFAULT, count_calls, &calls);
    for (int k = 0; k < 2; ++k) {
        size_t size;
        char *bytes = bytes_of(k == 0 ? FILE_L : FILE_G, &size);
        for (size_t cut = 0; cut < size; cut += 10 / TEST_DRAWS(10)) {
            char *piece = malloc(cut + 1);
            ck_assert_ptr_nonnull(piece);
            memcpy(piece, bytes, cut);
            pcs_problem_file *f;
            const pcs_status status =
                pcs_problem_file_parse(NULL, piece, cut, "cut", PCS_FILE_ANY, &f);
            ck_assert_msg(status == PCS_ERR_FORMAT || status == PCS_ERR_SIZE, "cut at %zu", cut);
            ck_assert_ptr_null(f);
            free(piece);
        }
        free(bytes);
    }
    H5Eget_auto2(H5E_DEFAULT, &after, &after_data);
    H5Eset_auto2(H5E_DEFAULT, before, before_data);
    ck_assert(after == count_calls && after_data == &calls);
    ck_assert_int_eq(calls, 0);
}

TEST(a_triangular_mass_is_not_written)
{
    // it would be read as a symmetric one
    pcs_global_problem g;
    pcs_mass_matrix_destroy(make_global(&g));
    static const int size[2] = {3, 4};
    double M[25] = {0};
    for (int i = 0; i < 7; ++i) {
        M[i < 3 ? 4 * i : 9 + 5 * (i - 3)] = 1;
    }
    M[3] = 0.5;
    pcs_mass_matrix *mass;
    CK_OK(pcs_mass_matrix_create_blocks(NULL, 2, size, M, &mass));
    g.M = mass;
    CK_SAYS(pcs_problem_file_write(NULL, WORK, PCS_FILE_FORMAT_FCLIB,
                                   &(pcs_file_content){.global = &g}),
            PCS_ERR_UNSUPPORTED, "one side of its diagonal");
    pcs_mass_matrix_destroy(mass);
}

// the same pseudo-random numbers everywhere
static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state * 0x2545f4914f6cdd1du;
}

// a few bytes, or a number from the ends of its range, or a piece of the file at another place
static void damage(char *bytes, size_t size, uint64_t *state)
{
    static const uint64_t numbers[] = {0, UINT64_MAX, INT32_MAX, 0x80000000u, 1, INT64_MAX};
    const uint64_t what = draw(state) % 3;
    const size_t to = draw(state) % (size - 64), n = 1 + draw(state) % (what == 2 ? 64 : 8);
    if (what == 2) {
        memmove(bytes + to, bytes + draw(state) % (size - 64), n);
    } else if (what == 1) {
        memcpy(bytes + to, &numbers[draw(state) % 6], n);
    } else {
        for (uint64_t k = 0; k < n; k += 3) {
            bytes[draw(state) % size] = (char)draw(state);
        }
    }
}

TEST(damaged_files_do_no_harm)
{
    write_files();
    int read = 0;
    for (int k = 0; k < 2; ++k) {
        size_t size;
        char *good = bytes_of(k == 0 ? FILE_L : FILE_G, &size), *bad = malloc(size);
        ck_assert_ptr_nonnull(bad);
        for (uint64_t seed = 1; seed <= TEST_DRAWS(1500); ++seed) {
            uint64_t state = seed * 0x9e3779b97f4a7c15u;
            memcpy(bad, good, size);
            damage(bad, size, &state);
            // HDF5 does not release all of its memory for a damaged file
            H5garbage_collect();
            __lsan_disable();
            const char *wrong = read_as(PCS_FILE_ANY, bad, size, &read);
            __lsan_enable();
            ck_assert_msg(!wrong, "seed %d: %s", (int)seed, wrong);
        }
        free(good);
        free(bad);
    }
    // most of a file is free space that HDF5 keeps
    ck_assert_int_gt(read, TEST_DRAWS(1000));
}

TEST(every_allocation_may_fail)
{
    write_files();
    for (int k = 0; k < 2; ++k) {
        for (long at = 0;; ++at) {
            ck_assert_int_lt(at, 300);
            test_memory memory = {.fail_at = at};
            const pcs_env env = test_env(&memory);
            pcs_problem_file *f;
            const pcs_status status =
                pcs_problem_file_read(&env, k == 0 ? FILE_L : FILE_G, PCS_FILE_ANY, &f);
            pcs_problem_file_destroy(f);
            ck_assert_int_eq(memory.live, 0);
            if (status == PCS_OK) break;
            ck_assert_int_eq(status, PCS_ERR_MEMORY);
        }
    }
}

// ---- libfclib ----------------------------------------------------------------------------------

TEST(libfclib_reads_what_we_write)
{
#ifdef PERCUSS_TEST_FCLIB
    write_files();
    struct fclib_local *l = fclib_read_local(FILE_L);
    ck_assert_ptr_nonnull(l);
    ck_assert(l->spacedim == 3 && l->W->m == 6 && l->W->n == 6 && l->W->nz == -2);
    const pcs_problem p = local_problem();
    double W[36];
    pcs_bsr_to_dense(&p.W, W);
    for (int i = 0; i < 6; ++i) {
        CK_NEAR(l->q[i], q_val[i], 0);
        for (int k = l->W->p[i]; k < l->W->p[i + 1]; ++k) {
            CK_NEAR(l->W->x[k], W[i + 6 * l->W->i[k]], 0);
        }
    }
    ck_assert(l->mu[0] == 0.3 && l->mu[1] == 0.7 && strcmp(l->info->title, "two contacts") == 0);
    struct fclib_solution *s = fclib_read_solution(FILE_L);
    ck_assert_ptr_nonnull(s);
    for (int i = 0; i < 6; ++i) {
        CK_NEAR(s->r[i], r_val[i], 0);
        CK_NEAR(s->u[i], q_val[i], 0);
    }
    fclib_delete_solutions(s, 1);
    fclib_delete_local(l);
    free(l);

    struct fclib_global *g = fclib_read_global(FILE_G);
    ck_assert_ptr_nonnull(g);
    ck_assert(g->M->m == 7 && g->H->m == 7 && g->H->n == 6 && g->G->m == 7 && g->G->n == 1);
    ck_assert(g->f[6] == 7 && g->w[3] == -0.2 && g->b[0] == 0.3 && g->mu[1] == 0.7);
    fclib_delete_global(g);
    free(g);
#else
    printf("libfclib is not installed: nothing to compare with\n");
#endif
}
