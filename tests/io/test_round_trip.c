// A written problem is read back to the last bit in every format that can hold it; a problem that
// cannot be written leaves no file.
#define _DEFAULT_SOURCE
#define _POSIX_C_SOURCE 200809L
#include <percuss/global.h>
#include <percuss/problem_file.h>

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "friction.h"
#include "problems.h"
#include "sound.h"

#define FOLDER PERCUSS_TEST_SCRATCH "/round_trip"

static const char *const endings[] = {"dat", "hdf5", "pcs"};

static const char *path_of(const char *name)
{
    static _Thread_local char path[1000];
    mkdir(PERCUSS_TEST_SCRATCH, 0777);
    mkdir(FOLDER, 0777);
    snprintf(path, sizeof path, "%s/%s", FOLDER, name);
    return path;
}

static void expect_bits(const char *what, const double *a, const double *b, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        ck_assert_msg(a[i] == b[i], "%s(%zu): %.17g became %.17g", what, i, a[i], b[i]);
    }
}

static void expect_matrix(const char *what, const pcs_bsr *A, const pcs_bsr *B)
{
    const size_t n = (size_t)A->row[A->m] * (size_t)A->col[A->n];
    ck_assert_int_eq(A->row[A->m], B->row[B->m]);
    ck_assert_int_eq(A->col[A->n], B->col[B->n]);
    double *a = malloc((2 * n + 1) * sizeof *a);
    ck_assert_ptr_nonnull(a);
    pcs_bsr_to_dense(A, a);
    pcs_bsr_to_dense(B, a + n);
    expect_bits(what, a, a + n, n);
    free(a);
}

// `whole`: the equality rows also have the same blocks
static void expect_cones(int nb, const pcs_block *a, const pcs_problem_file *f, bool whole)
{
    const pcs_block *b = f->global ? f->global->block : f->problem.block;
    const int found = f->global ? f->global->nb : f->problem.nb;
    int at = 0;
    for (int i = 0; i < nb; ++i) {
        for (int row = 0; row < a[i].dim; row += b[at].dim, ++at) {
            ck_assert_int_lt(at, found);
            ck_assert(b[at].cone == a[i].cone && b[at].row == a[i].row + row);
            ck_assert(b[at].mu == a[i].mu);
            ck_assert(b[at].dim == a[i].dim || (!whole && a[i].cone == PCS_CONE_EQUALITY));
        }
    }
    ck_assert_int_eq(at, found);
}

static void expect_written(const char *path, const pcs_file_content *c, bool whole)
{
    pcs_problem_file *f;
    CK_OK(pcs_problem_file_read(NULL, path, PCS_FILE_ANY, &f));
    const char *wrong = unsound(f);
    ck_assert_msg(!wrong, "%s: %s", path, wrong);
    const size_t rows = (size_t)f->rows, velocities = (size_t)f->velocities;
    if (c->problem) {
        expect_cones(c->problem->nb, c->problem->block, f, whole);
        expect_matrix("W", &c->problem->W, &f->problem.W);
        expect_bits("q", c->problem->q, f->problem.q, rows);
    } else {
        expect_cones(c->global->nb, c->global->block, f, whole);
        expect_matrix("H", &c->global->H, &f->global->H);
        expect_bits("f", c->global->f, f->global->f, velocities);
        for (size_t i = 0; i < rows; ++i) {
            ck_assert(f->global->w[i] == (c->global->w ? c->global->w[i] : 0));
        }
        // the masses have the same columns
        double *e = calloc(3 * velocities + 1, sizeof *e);
        ck_assert_ptr_nonnull(e);
        for (size_t j = 0; j < velocities; ++j) {
            e[j] = 1;
            pcs_mass_matrix_mul(c->global->M, e, e + velocities);
            pcs_mass_matrix_mul(f->global->M, e, e + 2 * velocities);
            expect_bits("M", e + velocities, e + 2 * velocities, velocities);
            e[j] = 0;
        }
        free(e);
    }
    ck_assert(!c->r == !f->r && !c->u == !f->u && !c->v == !f->v);
    if (c->r) expect_bits("r", c->r, f->r, rows);
    if (c->v) expect_bits("v", c->v, f->v, velocities);
    const bool text = f->format == PCS_FILE_FORMAT_TEXT;
    ck_assert(!f->start == !(c->start && text));
    ck_assert_int_eq(f->guesses, c->start && !text);
    if (c->start) expect_bits("start", c->start, text ? f->start : f->guess_r, rows);
    pcs_problem_file_destroy(f);
}

// writes a problem in every format that can hold it, and checks that the others refuse
static void round_trip(const pcs_file_content *content, bool dat, bool fclib)
{
    pcs_file_content c = *content;
    for (int k = 0; k < 3; ++k) {
        char name[60];
        snprintf(name, sizeof name, "problem.%s", endings[k]);
        const char *path = path_of(name);
        if (k == 0 && c.r) continue;
        if ((k == 0 && !dat) || (k == 1 && !fclib)) {
            CK_FAILS(pcs_problem_file_write(NULL, path, PCS_FILE_FORMAT_BY_NAME, &c),
                     PCS_ERR_UNSUPPORTED);
            continue;
        }
        for (pcs_file_storage s = PCS_FILE_STORAGE_DENSE;
             s <= (k == 0 ? PCS_FILE_STORAGE_SPARSE : PCS_FILE_STORAGE_DENSE); ++s) {
            c.storage = s;
            CK_OK(pcs_problem_file_write(NULL, path, PCS_FILE_FORMAT_BY_NAME, &c));
            expect_written(path, &c, k == 2);
        }
    }
}

TEST(local_problems_come_back_as_they_were)
{
    for (int f = 0; f < FRICTION_COUNT; ++f) {
        for (uint64_t seed = 1; seed <= 3; ++seed) {
            pcs_arena arena;
            CK_OK(pcs_arena_create(NULL, friction_bytes((friction)f, 12), &arena));
            double *r = NULL;
            const pcs_problem p = friction_problem((friction)f, 12, seed, &arena, &r);
            const bool plain = f != FRICTION_MIXED;
            round_trip(&(pcs_file_content){.problem = &p}, plain, plain);
            const pcs_file_content solved = {.problem = &p, .r = r, .start = p.q};
            if (r && plain) round_trip(&solved, true, true);
            pcs_arena_destroy(NULL, &arena);
        }
    }
}

TEST(boxes_come_back_as_they_were)
{
    const pcs_block block[] = {{PCS_CONE_UNILATERAL, 0, 1, 0}, {PCS_CONE_BOX, 1, 1, 0.1}};
    const int rows[] = {0, 1, 2}, ptr[] = {0, 1, 2}, at[] = {0, 1};
    const size_t off[] = {0, 1};
    const double W[] = {2, 3}, q[] = {-1, -1};
    const pcs_bsr matrix = {.m = 2,
                            .n = 2,
                            .row = (int *)rows,
                            .col = (int *)rows,
                            .ptr = (int *)ptr,
                            .idx = (int *)at,
                            .off = (size_t *)off,
                            .val = (double *)W};
    const pcs_problem p = {.n = 2, .nb = 2, .block = block, .W = matrix, .q = q};
    round_trip(&(pcs_file_content){.problem = &p}, false, false);
}

TEST(complementarity_problems_come_back_as_they_were)
{
    for (int f = 0; f < FAMILY_COUNT; ++f) {
        pcs_arena arena;
        CK_OK(pcs_arena_create(NULL, 1 << 20, &arena));
        double *r = NULL;
        const pcs_problem p = family_problem((family)f, 9, 5, &arena, &r);
        // an FCLIB file takes equalities, if these are all
        bool fclib = true;
        for (int i = 0; i < p.nb; ++i) {
            fclib = fclib && p.block[i].cone == PCS_CONE_EQUALITY;
        }
        round_trip(&(pcs_file_content){.problem = &p}, true, fclib);
        pcs_arena_destroy(NULL, &arena);
    }
}

// contacts, then equality rows, in `bodies` blocks of six velocities
typedef struct global_case {
    pcs_global_problem g;
    pcs_block block[64];
    int row[65], col[65], ptr[65], idx[200];
    size_t off[200];
    double val[200 * 18], f[400], w[200];
    double M[64 * 36];
    pcs_mass_matrix *mass;
} global_case;

static void make_global(global_case *c, int dim, int contacts, int equalities, int bodies)
{
    test_random r = random_seed(77);
    memset(c, 0, sizeof *c);
    size_t used = 0;
    int k = 0;
    for (int i = 0; i < contacts + equalities; ++i) {
        const bool contact = i < contacts;
        const int h = contact ? dim : 1;
        c->block[i] = (pcs_block){.cone = contact ? PCS_CONE_COULOMB : PCS_CONE_EQUALITY,
                                  .row = c->row[i],
                                  .dim = h,
                                  .mu = contact ? 0.1 * (i + 1) / 3 : 0};
        c->row[i + 1] = c->row[i] + h;
        for (int b = i % bodies; b <= i % bodies + 1 && b < bodies; ++b, ++k) {
            c->idx[k] = b;
            c->off[k] = used;
            for (int e = 0; e < 6 * h; ++e) {
                c->val[used++] = random_normal(&r);
            }
        }
        c->ptr[i + 1] = k;
    }
    int size[64];
    for (int b = 0; b < bodies; ++b) {
        size[b] = 6;
        c->col[b + 1] = 6 * (b + 1);
        for (int i = 0; i < 6; ++i) {
            for (int j = 0; j <= i; ++j) {
                const double x = i == j ? 8 + random_unit(&r) : 0.3 * random_normal(&r);
                c->M[36 * b + i + 6 * j] = c->M[36 * b + j + 6 * i] = b % 3 == 2 && i != j ? 0 : x;
            }
        }
    }
    for (int i = 0; i < 6 * bodies; ++i) {
        c->f[i] = random_normal(&r);
    }
    for (int i = 0; i < c->row[contacts + equalities]; ++i) {
        c->w[i] = random_normal(&r) * 1e-300;
    }
    CK_OK(pcs_mass_matrix_create_blocks(NULL, bodies, size, c->M, &c->mass));
    c->g = (pcs_global_problem){
        .nb = contacts + equalities,
        .block = c->block,
        .H = {contacts + equalities, bodies, c->row, c->col, c->ptr, c->idx, c->off, c->val},
        .M = c->mass,
        .f = c->f,
        .w = c->w};
}

TEST(global_problems_come_back_as_they_were)
{
    static const int shape[][4] = {{3, 7, 0, 5}, {2, 4, 0, 3}, {3, 3, 2, 4},
                                   {3, 0, 3, 2}, {3, 0, 0, 2}, {2, 2, 5, 6}};
    for (size_t i = 0; i < sizeof shape / sizeof *shape; ++i) {
        global_case *c = malloc(sizeof *c);
        ck_assert_ptr_nonnull(c);
        make_global(c, shape[i][0], shape[i][1], shape[i][2], shape[i][3]);
        pcs_file_content content = {.global = &c->g};
        round_trip(&content, shape[i][2] == 0, true);

        double v[36], r[64];
        for (int k = 0; k < 64; ++k) {
            r[k] = 1.0 / (k + 3);
            if (k < 36) v[k] = -r[k];
        }
        content.r = r;
        content.v = v;
        content.start = r;
        round_trip(&content, false, true);
        c->g.w = NULL;
        content.r = content.v = content.start = NULL;
        round_trip(&content, shape[i][2] == 0, true);
        pcs_mass_matrix_destroy(c->mass);
        free(c);
    }
}

TEST(the_blocks_of_bodies_survive)
{
    // the third block of every three is diagonal: the file says that it is one body, or H shows it
    global_case *c = malloc(sizeof *c);
    ck_assert_ptr_nonnull(c);
    make_global(c, 3, 7, 0, 6);
    const pcs_file_content content = {.global = &c->g, .storage = PCS_FILE_STORAGE_BLOCKS};
    for (int k = 0; k < 3; ++k) {
        char name[60];
        snprintf(name, sizeof name, "bodies.%s", endings[k]);
        const char *path = path_of(name);
        pcs_problem_file *f;
        const pcs_problem *p;
        CK_OK(pcs_problem_file_write(NULL, path, PCS_FILE_FORMAT_BY_NAME, &content));
        CK_OK(pcs_problem_file_read(NULL, path, PCS_FILE_ANY, &f));
        ck_assert_int_eq(f->global->H.n, 6);

        // W is that of the problem that was written, and as sparse
        CK_OK(pcs_problem_file_local(f, &p));
        pcs_arena arena;
        pcs_problem q;
        CK_OK(pcs_arena_create(NULL, 1 << 20, &arena));
        CK_OK(pcs_global_condense(&c->g, &arena, &q));
        ck_assert_int_eq(p->W.ptr[p->W.m], q.W.ptr[q.W.m]);
        double W[2][21 * 21];
        pcs_bsr_to_dense(&p->W, W[0]);
        pcs_bsr_to_dense(&q.W, W[1]);
        for (int i = 0; i < 21 * 21; ++i) {
            CK_NEAR(W[0][i], W[1][i], 1e-13 * (1 + fabs(W[1][i])));
        }
        pcs_arena_destroy(NULL, &arena);
        pcs_problem_file_destroy(f);
    }
    pcs_mass_matrix_destroy(c->mass);
    free(c);
}

// a chain: one large diagonal block that is nearly empty
TEST(a_sparse_mass_stays_sparse)
{
    enum { N = 300 };
    int *p = malloc((6 * N + 8) * sizeof *p), *idx = p + N + 1;
    double *x = malloc((5 * N) * sizeof *x), *f = x + 3 * N;
    ck_assert(p && x);
    int k = 0;
    for (int j = 0; j < N; ++j) {
        p[j] = k;
        f[j] = j;
        for (int i = j - 1; i <= j + 1; ++i) {
            if (i < 0 || i >= N) continue;
            idx[k] = i;
            x[k++] = i == j ? 2.5 + 1.0 / 3 : -1;
        }
    }
    p[N] = k;
    const pcs_csc M = {N, N, p, idx, x};
    pcs_mass_matrix *mass;
    CK_OK(pcs_mass_matrix_create_sparse(NULL, &M, &mass));

    int row[2] = {0, 3}, col[2] = {0, N}, ptr[2] = {0, 1}, zero = 0;
    size_t off = 0;
    double *val = calloc(3 * N, sizeof *val);
    ck_assert_ptr_nonnull(val);
    val[0] = val[4] = val[3 * N - 1] = 1;
    const pcs_block block = {.cone = PCS_CONE_COULOMB, .dim = 3, .mu = 0.5};
    const pcs_global_problem g = {
        .nb = 1, .block = &block, .H = {1, 1, row, col, ptr, &zero, &off, val}, .M = mass, .f = f};
    round_trip(&(pcs_file_content){.global = &g}, true, true);
    free(val);
    free(p);
    free(x);
    pcs_mass_matrix_destroy(mass);
}

// ---- refusals ----------------------------------------------------------------------------------

static pcs_problem one_contact(double *W, const double *q, const pcs_block *block)
{
    static int part[2] = {0, 3}, ptr[2] = {0, 1}, idx[1];
    static size_t off[1];
    return (pcs_problem){
        .n = 3, .nb = 1, .block = block, .W = {1, 1, part, part, ptr, idx, off, W}, .q = q};
}

static int files_in_folder(void)
{
    DIR *dir = opendir(FOLDER);
    ck_assert_ptr_nonnull(dir);
    int n = 0;
    while (readdir(dir)) {
        ++n;
    }
    closedir(dir);
    return n;
}

TEST(invalid_problems_are_not_written)
{
    double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, q[3] = {-1, 0, 0};
    pcs_block block = {.cone = PCS_CONE_COULOMB, .dim = 3, .mu = 0.5};
    const pcs_problem p = one_contact(W, q, &block);
    pcs_file_content c = {.problem = &p};
    char path[1000];
    snprintf(path, sizeof path, "%s", path_of("refused.pcs"));
    unlink(path);
    CK_FAILS(pcs_problem_file_write(NULL, NULL, PCS_FILE_FORMAT_TEXT, &c), PCS_ERR_ARG);
    CK_FAILS(pcs_problem_file_write(NULL, path, PCS_FILE_FORMAT_TEXT, NULL), PCS_ERR_ARG);
    CK_FAILS(pcs_problem_file_write(NULL, path, PCS_FILE_FORMAT_TEXT, &(pcs_file_content){0}),
             PCS_ERR_ARG);
    CK_FAILS(pcs_problem_file_write(NULL, path, (pcs_file_format)9, &c), PCS_ERR_ARG);
    CK_FAILS(pcs_problem_file_write(NULL, path_of("name.txt"), PCS_FILE_FORMAT_BY_NAME, &c),
             PCS_ERR_ARG);
    const double bad[3] = {0, NAN, 0};
    c.r = bad;
    CK_FAILS(pcs_problem_file_write(NULL, path, PCS_FILE_FORMAT_TEXT, &c), PCS_ERR_ARG);
    c.r = NULL;
    c.v = q;
    CK_FAILS(pcs_problem_file_write(NULL, path, PCS_FILE_FORMAT_TEXT, &c), PCS_ERR_ARG);
    c.v = NULL;
    c.r = q;
    CK_FAILS(pcs_problem_file_write(NULL, path, PCS_FILE_FORMAT_DAT, &c), PCS_ERR_UNSUPPORTED);
    c.r = NULL;
    c.start = q;
    CK_SAYS(pcs_problem_file_write(NULL, path, PCS_FILE_FORMAT_DAT, &c), PCS_ERR_UNSUPPORTED,
            "a start");
    c.start = bad;
    CK_SAYS(pcs_problem_file_write(NULL, path, PCS_FILE_FORMAT_TEXT, &c), PCS_ERR_ARG, "start");
    c.start = NULL;
    block.mu = -1;
    for (pcs_file_format f = PCS_FILE_FORMAT_DAT; f <= PCS_FILE_FORMAT_TEXT; ++f) {
        ck_assert_int_ne(pcs_problem_file_write(NULL, path, f, &c), PCS_OK);
    }
    ck_assert_int_ne(access(path, F_OK), 0);
}

TEST(a_failure_leaves_the_old_file)
{
    double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, q[3] = {-1, 0, 0};
    const pcs_block block = {.cone = PCS_CONE_COULOMB, .dim = 3, .mu = 0.5};
    const pcs_problem p = one_contact(W, q, &block);
    const pcs_file_content c = {.problem = &p};
    for (pcs_file_format f = PCS_FILE_FORMAT_DAT; f <= PCS_FILE_FORMAT_TEXT; ++f) {
        // a full disk, paths whose folders are not folders
        CK_FAILS(pcs_problem_file_write(NULL, "/dev/full", f, &c), PCS_ERR_FILE);
        CK_FAILS(pcs_problem_file_write(NULL, path_of("nowhere/x"), f, &c), PCS_ERR_FILE);
        CK_FAILS(pcs_problem_file_write(NULL, FOLDER, f, &c), PCS_ERR_FILE);

        const char *path = path_of("old");
        q[0] = -1;
        CK_OK(pcs_problem_file_write(NULL, path, f, &c));
        CK_FAILS(pcs_problem_file_write(NULL, path_of("old/x"), f, &c), PCS_ERR_FILE);

        // a file that may grow to 40 bytes only
        const int before = files_in_folder();
        struct rlimit old, small;
        ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &old), 0);
        small = old;
        small.rlim_cur = 40;
        void (*const handler)(int) = signal(SIGXFSZ, SIG_IGN);
        ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
        q[0] = -2;
        path = path_of("old");
        const pcs_status status = pcs_problem_file_write(NULL, path, f, &c);
        ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &old), 0);
        signal(SIGXFSZ, handler);
        ck_assert_int_eq(status, PCS_ERR_FILE);
        ck_assert_int_eq(files_in_folder(), before);
        q[0] = -1;
        expect_written(path, &c, true);

        // every allocation fails in turn
        for (long k = 0;; ++k) {
            ck_assert_int_lt(k, 200);
            test_memory memory = {.fail_at = k};
            const pcs_env env = test_env(&memory);
            const pcs_status s = pcs_problem_file_write(&env, path_of("memory"), f, &c);
            ck_assert_int_eq(memory.live, 0);
            if (s == PCS_OK) break;
            ck_assert_int_eq(s, PCS_ERR_MEMORY);
        }
    }
}

TEST(links_and_permissions_stay)
{
    double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double q[3] = {-1, 0.1, 1e-310};
    const pcs_block block = {.cone = PCS_CONE_COULOMB, .dim = 3, .mu = 0.5};
    const pcs_problem p = one_contact(W, q, &block);
    const pcs_file_content c = {.problem = &p, .title = "t", .description = "two\nlines # here"};
    char real[1000], link[1000];
    snprintf(real, sizeof real, "%s", path_of("real.pcs"));
    snprintf(link, sizeof link, "%s", path_of("link.pcs"));
    unlink(link);
    CK_OK(pcs_problem_file_write(NULL, real, PCS_FILE_FORMAT_BY_NAME, &c));
    ck_assert_int_eq(chmod(real, 0640), 0);
    ck_assert_int_eq(symlink("real.pcs", link), 0);
    CK_OK(pcs_problem_file_write(NULL, link, PCS_FILE_FORMAT_BY_NAME, &c));
    struct stat s;
    ck_assert(lstat(link, &s) == 0 && S_ISLNK(s.st_mode));
    ck_assert(stat(real, &s) == 0 && (s.st_mode & 0777) == 0640);
    expect_written(real, &c, true);

    pcs_problem_file *f;
    CK_OK(pcs_problem_file_read(NULL, link, PCS_FILE_FC3D, &f));
    ck_assert_str_eq(f->title, c.title);
    ck_assert_str_eq(f->description, c.description);
    ck_assert(!f->recognised && f->format == PCS_FILE_FORMAT_TEXT);
    pcs_problem_file_destroy(f);
    CK_FAILS(pcs_problem_file_read(NULL, link, PCS_FILE_LCP, &f), PCS_ERR_FORMAT);
    ck_assert_ptr_null(f);
}
