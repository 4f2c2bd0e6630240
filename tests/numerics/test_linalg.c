// Linear algebra: LU, the Delassus operator, mass matrices, minimum-norm solutions, failed
// allocations.
#include <stdatomic.h>

#include "support.h"

#include "base/threads.h"
#include "linalg/bsr.h"
#include "linalg/chol.h"
#include "linalg/dense.h"
#include "linalg/kernels_wide.h"
#include "linalg/lu.h"
#include "linalg/mass.h"

TEST(lu_solves_random_systems)
{
    test_random rng = random_seed(1);
    for (int trial = 0; trial < 200; ++trial) {
        const int n = 1 + trial % 8;
        double A[64], F[64], x[8], b[8];
        int piv[8];
        for (int i = 0; i < n * n; ++i) {
            F[i] = A[i] = random_normal(&rng);
        }
        for (int i = 0; i < n; ++i) {
            x[i] = random_normal(&rng);
        }
        dense_mul(n, n, 1, A, x, 0, b);
        ck_assert(lu_factor(n, F, piv));
        lu_solve(n, F, piv, b);
        expect_same(b, x, n, 1e-9);
    }
    double Z[4] = {1, 2, 2, 4};
    int piv[2];
    ck_assert(!lu_factor(2, Z, piv));
}

// two bodies with unsymmetric blocks, four constraints in two block rows: W against the dense
// triple product, and u = W r against the product by H^T, M^-1 and H
TEST(delassus_is_the_triple_product)
{
    test_random rng = random_seed(2);
    pcs_arena arena;
    CK_OK(pcs_arena_create(NULL, 1 << 16, &arena));
    for (int trial = 0; trial < 50; ++trial) {
        pcs_arena scope = arena;
        const int size[3] = {6, 2, 3};
        double M[36 + 4 + 9];
        for (int i = 0; i < 49; ++i) {
            M[i] = random_normal(&rng);
        }
        double val[60];
        for (int i = 0; i < 60; ++i) {
            val[i] = random_normal(&rng);
        }
        // rows: 3 on bodies 0 and 2, 1 on body 1 and 2, 0 rows, 2 on body 0
        int row[5] = {0, 3, 4, 4, 6}, col[4] = {0, 6, 8, 11}, ptr[5] = {0, 2, 4, 4, 5};
        int idx[5] = {0, 2, 1, 2, 0};
        size_t off[5] = {0, 18, 27, 29, 32};
        const pcs_bsr H = {4, 3, row, col, ptr, idx, off, val};
        CK_OK(pcs_bsr_check(&H));

        pcs_mass_matrix *mass;
        CK_OK(pcs_mass_matrix_create_blocks(NULL, 3, size, M, &mass));
        ck_assert_int_eq(pcs_mass_matrix_size(mass), 11);
        pcs_bsr W;
        CK_OK(pcs_delassus(&H, mass, &scope, &W));
        CK_OK(pcs_bsr_check(&W));

        double r[6], p[11] = {0}, u[6], Wr[6];
        for (int i = 0; i < 6; ++i) {
            r[i] = random_normal(&rng);
        }
        pcs_bsr_addmul_t(&H, r, p);
        CK_OK(pcs_mass_matrix_solve(mass, p, p));
        pcs_bsr_mul(&H, p, u);
        pcs_bsr_mul(&W, r, Wr);

        // rows 3 and 4, 5 share no body: that block is not stored
        ck_assert_int_eq(pcs_bsr_find(&W, 1, 3), -1);
        double D[36], Dr[6];
        pcs_bsr_to_dense(&W, D);
        dense_mul(6, 6, 1, D, r, 0, Dr);
        for (int i = 0; i < 6; ++i) {
            CK_NEAR(Wr[i], u[i], 1e-9 * (1 + fabs(u[i])) * 100);
            CK_NEAR(Dr[i], Wr[i], 1e-11 * (1 + fabs(Wr[i])) * 100);
        }
        pcs_mass_matrix_destroy(mass);
    }
    pcs_arena_destroy(NULL, &arena);
}

// the same block mass as a sparse matrix, either triangle or both, gives the same W
TEST(sparse_and_block_mass_agree)
{
    // tridiagonal 2, -1: spd
    enum { n = 12 };
    int p[n + 1], i[3 * n];
    double x[3 * n], dense[n * n] = {0};
    for (int which = 0; which < 3; ++which) { // both, upper, lower
        int k = 0;
        for (int c = 0; c < n; ++c) {
            p[c] = k;
            for (int r = c - 1; r <= c + 1; ++r) {
                if (r < 0 || r >= n || (which == 1 && r > c) || (which == 2 && r < c)) continue;
                i[k] = r;
                x[k++] = r == c ? 2 : -1;
            }
        }
        p[n] = k;
        for (int c = 0; c < n; ++c) {
            for (int r = 0; r < n; ++r) {
                dense[r + n * c] = r == c ? 2 : abs(r - c) == 1 ? -1 : 0;
            }
        }
        const pcs_csc M = {n, n, p, i, x};
        pcs_mass_matrix *a, *b;
        const int size[1] = {n};
        CK_OK(pcs_mass_matrix_create_sparse(NULL, &M, &a));
        CK_OK(pcs_mass_matrix_create_blocks(NULL, 1, size, dense, &b));

        double h[4 * n];
        test_random rng = random_seed(3);
        for (int k2 = 0; k2 < 4 * n; ++k2) {
            h[k2] = random_normal(&rng);
        }
        int row[3] = {0, 1, 4}, col[2] = {0, n}, ptr[3] = {0, 1, 2}, idx[2] = {0, 0};
        size_t off[2] = {0, n};
        const pcs_bsr H = {2, 1, row, col, ptr, idx, off, h};
        pcs_arena arena;
        CK_OK(pcs_arena_create(NULL, 1 << 14, &arena));
        pcs_bsr Wa, Wb;
        CK_OK(pcs_delassus(&H, a, &arena, &Wa));
        CK_OK(pcs_delassus(&H, b, &arena, &Wb));
        double Da[16], Db[16];
        pcs_bsr_to_dense(&Wa, Da);
        pcs_bsr_to_dense(&Wb, Db);
        for (int k2 = 0; k2 < 16; ++k2) {
            CK_NEAR(Da[k2], Db[k2], 1e-11 * (1 + fabs(Db[k2])));
        }
        pcs_arena_destroy(NULL, &arena);
        pcs_mass_matrix_destroy(a);
        pcs_mass_matrix_destroy(b);
    }
}

// M x, and M written out in columns, against the dense M; the solve is the inverse of both
static void check_values(const pcs_mass_matrix *mass, int n, const double *dense, test_random *rng)
{
    pcs_arena arena;
    CK_OK(pcs_arena_create(NULL, 1 << 14, &arena));
    double x[16], y[16], z[16];
    for (int i = 0; i < n; ++i) {
        x[i] = random_normal(rng);
    }
    dense_mul(n, n, 1, dense, x, 0, z);
    pcs_mass_matrix_mul(mass, x, y);
    for (int i = 0; i < n; ++i) {
        CK_NEAR(y[i], z[i], 1e-14 * (1 + fabs(z[i])) * 10);
    }
    CK_OK(pcs_mass_matrix_solve(mass, y, y));
    expect_same(y, x, n, 1e-11);

    pcs_csc M;
    CK_OK(pcs_mass_matrix_to_csc(mass, &arena, &M));
    ck_assert(M.m == n && M.n == n && M.p[0] == 0);
    double D[256] = {0};
    for (int j = 0; j < n; ++j) {
        for (int k = M.p[j]; k < M.p[j + 1]; ++k) {
            ck_assert(M.i[k] >= 0 && M.i[k] < n && (k == M.p[j] || M.i[k] > M.i[k - 1]));
            D[M.i[k] + n * j] = M.x[k];
        }
    }
    ck_assert_mem_eq(D, dense, (size_t)(n * n) * sizeof *D);

    size_t peak = 0;
    pcs_arena none = {.peak = &peak};
    CK_FAILS(pcs_mass_matrix_to_csc(mass, &none, &M), PCS_ERR_MEMORY);
    pcs_arena_destroy(NULL, &arena);
    CK_OK(pcs_arena_create(NULL, peak, &arena));
    CK_OK(pcs_mass_matrix_to_csc(mass, &arena, &M));
    pcs_arena_destroy(NULL, &arena);
}

TEST(a_mass_remembers_its_values)
{
    test_random rng = random_seed(4);
    // blocks of 2, 1 and 4 rows, one with a zero off its diagonal
    const int size[3] = {2, 1, 4};
    double val[21], dense[49] = {0};
    for (int k = 0, top = 0, at = 0; k < 3; top += size[k++]) {
        for (int j = 0; j < size[k]; ++j) {
            for (int i = 0; i < size[k]; ++i, ++at) {
                val[at] = i == j ? 5 : random_unit(&rng);
                if (k == 2 && i == 3 && j == 1) val[at] = 0;
                dense[top + i + 7 * (top + j)] = val[at];
            }
        }
    }
    pcs_mass_matrix *mass;
    CK_OK(pcs_mass_matrix_create_blocks(NULL, 3, size, val, &mass));
    check_values(mass, 7, dense, &rng);
    pcs_mass_matrix_destroy(mass);

    // sparse: given as both triangles, the upper, the lower; and a diagonal
    for (int which = 0; which < 4; ++which) {
        enum { n = 9 };
        int p[n + 1], row[n * n], k = 0;
        double x[n * n], full[n * n] = {0};
        for (int j = 0; j < n; ++j) {
            p[j] = k;
            for (int i = 0; i < n; ++i) {
                const int apart = abs(i - j);
                if (apart != 0 && (which == 3 || (apart != 1 && apart != 4))) continue;
                full[i + n * j] = apart == 0 ? 5 + i : apart == 1 ? -1 - 0.1 * (i + j) : 0.5;
                if ((which == 1 && i > j) || (which == 2 && i < j)) continue;
                row[k] = i;
                x[k++] = full[i + n * j];
            }
        }
        p[n] = k;
        CK_OK(pcs_mass_matrix_create_sparse(NULL, &(pcs_csc){n, n, p, row, x}, &mass));
        check_values(mass, n, full, &rng);
        pcs_mass_matrix_destroy(mass);
    }

    // no velocities
    int none = 0;
    pcs_mass_matrix_destroy(NULL);
    CK_OK(pcs_mass_matrix_create_sparse(NULL, &(pcs_csc){0, 0, &none, NULL, NULL}, &mass));
    check_values(mass, 0, dense, &rng);
    pcs_mass_matrix_destroy(mass);
    CK_OK(pcs_mass_matrix_create_blocks(NULL, 0, NULL, NULL, &mass));
    check_values(mass, 0, dense, &rng);
    pcs_mass_matrix_destroy(mass);
    pcs_csc M;
    CK_FAILS(pcs_mass_matrix_to_csc(NULL, NULL, &M), PCS_ERR_ARG);
}

// sparse, not positive definite: unsymmetric, skew, a saddle; and symmetric indefinite given by one
// triangle
TEST(a_sparse_mass_need_not_be_definite)
{
    enum { n = 12 };
    test_random rng = random_seed(5);
    for (int which = 0; which < 5; ++which) {
        int p[n + 1], row[n * n], k = 0;
        double x[n * n], dense[n * n] = {0};
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j <= i; ++j) {
                const double a = random_normal(&rng), b = random_normal(&rng);
                if (i - j > 2 && i - j != 7) continue;
                // skew with a small diagonal; a saddle with a zero block
                dense[i + n * j] = i == j && which == 1 ? 0.1 : a;
                dense[j + n * i] = i == j ? dense[i + n * j] : which == 0 ? b : which == 1 ? -a : a;
                if (which == 2 && j >= n / 2) dense[i + n * j] = dense[j + n * i] = 0;
                if (which == 2 && i - j == 7) dense[i + n * j] = dense[j + n * i] = 4;
                if (which == 2 && i - j == 6) dense[i + n * j] = dense[j + n * i] = 0;
            }
        }
        for (int i = 0; which == 2 && i < n / 2; ++i) {
            dense[i + n / 2 + n * i] = dense[i + n * (i + n / 2)] = 3;
        }
        for (int j = 0; j < n; ++j) {
            p[j] = k;
            for (int i = 0; i < n; ++i) {
                if (dense[i + n * j] == 0 || (which == 3 && i > j) || (which == 4 && i < j))
                    continue;
                row[k] = i;
                x[k++] = dense[i + n * j];
            }
        }
        p[n] = k;
        pcs_mass_matrix *mass;
        CK_OK(pcs_mass_matrix_create_sparse(NULL, &(pcs_csc){n, n, p, row, x}, &mass));
        check_values(mass, n, dense, &rng);

        // W = H M^-1 H^T against the dense solve
        double h[4 * n], W[16], Y[4 * n], D[16];
        int piv[n];
        for (int i = 0; i < 4 * n; ++i) {
            h[i] = random_normal(&rng);
        }
        int hrow[3] = {0, 1, 4}, col[2] = {0, n}, ptr[3] = {0, 1, 2}, idx[2] = {0, 0};
        size_t off[2] = {0, n};
        const pcs_bsr H = {2, 1, hrow, col, ptr, idx, off, h};
        double whole[4 * n];
        pcs_bsr_to_dense(&H, whole);
        for (int i = 0; i < 4; ++i) {
            for (int j = 0; j < n; ++j) {
                Y[j + n * i] = whole[i + 4 * j];
            }
        }
        ck_assert(dense_lu(n, dense, piv));
        dense_lu_solve(n, dense, piv, false, 4, Y);
        dense_mul_dense(false, false, 4, 4, n, 1, whole, Y, 0, D);
        pcs_arena arena;
        CK_OK(pcs_arena_create(NULL, 1 << 14, &arena));
        pcs_bsr Ws;
        CK_OK(pcs_delassus(&H, mass, &arena, &Ws));
        pcs_bsr_to_dense(&Ws, W);
        for (int i = 0; i < 16; ++i) {
            CK_NEAR(W[i], D[i], 1e-10 * (1 + fabs(D[i])));
        }
        pcs_arena_destroy(NULL, &arena);
        pcs_mass_matrix_destroy(mass);
    }
}

// columns of the inverse, a share of them for every thread
typedef struct inversion {
    const pcs_mass_matrix *mass;
    int n;
    double *inverse;
    atomic_int failed;
} inversion;

static void invert(void *arg, int begin, int end)
{
    inversion *v = arg;
    for (int j = begin; j < end; ++j) {
        double *x = v->inverse + (size_t)v->n * (size_t)j;
        x[j] = 1;
        if (pcs_mass_matrix_solve(v->mass, x, x) != PCS_OK) atomic_fetch_add(&v->failed, 1);
    }
}

// many threads solve with the same factors, LU and Cholesky
TEST(a_solve_does_not_change_a_mass)
{
    enum { n = 200, REPEATS = 20 };
    threads *team;
    CK_OK(threads_create(NULL, 4, &team));
    test_random rng = random_seed(9);
    for (int symmetric = 0; symmetric < 2; ++symmetric) {
        int p[n + 1], row[3 * n], k = 0;
        double x[3 * n];
        for (int j = 0; j < n; ++j) {
            p[j] = k;
            for (int i = j - 1; i <= j + 1; ++i) {
                if (i < 0 || i >= n) continue;
                row[k] = i;
                x[k++] = i == j ? 4 : symmetric ? -1 : random_normal(&rng);
            }
        }
        p[n] = k;
        pcs_mass_matrix *mass;
        CK_OK(pcs_mass_matrix_create_sparse(NULL, &(pcs_csc){n, n, p, row, x}, &mass));
        inversion one = {.mass = mass, .n = n, .inverse = calloc(n * n, sizeof(double))};
        ck_assert_ptr_nonnull(one.inverse);
        invert(&one, 0, n);
        for (int i = 0; i < REPEATS; ++i) {
            inversion many = {.mass = mass, .n = n, .inverse = calloc(n * n, sizeof(double))};
            ck_assert_ptr_nonnull(many.inverse);
            threads_each(team, n, invert, &many);
            ck_assert_int_eq(atomic_load(&many.failed), 0);
            ck_assert_mem_eq(many.inverse, one.inverse, n * n * sizeof(double));
            free(many.inverse);
        }
        ck_assert_int_eq(atomic_load(&one.failed), 0);
        free(one.inverse);
        pcs_mass_matrix_destroy(mass);
    }
    threads_destroy(team);
}

TEST(a_mass_that_is_singular_is_refused)
{
    int p[3] = {0, 2, 4}, i[4] = {0, 1, 0, 1}, half[3] = {0, 1, 3}, ih[3] = {0, 0, 1};
    int hollow[3] = {0, 1, 1}, back[3] = {0, 2, 4}, ib[4] = {1, 0, 0, 1};
    double ones[4] = {1, 2, 2, 4}, wild[4] = {1, 3, NAN, 4};
    pcs_mass_matrix *m;
    // rank one, symmetric and not, given by one triangle, and with an empty column
    CK_FAILS(pcs_mass_matrix_create_sparse(NULL, &(pcs_csc){2, 2, p, i, ones}, &m),
             PCS_ERR_SINGULAR);
    ones[1] = 1;
    ones[3] = 2;
    CK_FAILS(pcs_mass_matrix_create_sparse(NULL, &(pcs_csc){2, 2, p, i, ones}, &m),
             PCS_ERR_SINGULAR);
    CK_FAILS(
        pcs_mass_matrix_create_sparse(NULL, &(pcs_csc){2, 2, half, ih, (double[]){1, 2, 4}}, &m),
        PCS_ERR_SINGULAR);
    CK_FAILS(pcs_mass_matrix_create_sparse(NULL, &(pcs_csc){2, 2, hollow, i, ones}, &m),
             PCS_ERR_SINGULAR);
    ck_assert_ptr_null(m);
    CK_FAILS(pcs_mass_matrix_create_sparse(NULL, &(pcs_csc){2, 2, p, i, wild}, &m), PCS_ERR_ARG);
    CK_FAILS(pcs_mass_matrix_create_sparse(NULL, &(pcs_csc){2, 2, back, ib, ones}, &m),
             PCS_ERR_SIZE);
    CK_FAILS(pcs_mass_matrix_create_sparse(NULL, &(pcs_csc){2, 3, p, i, ones}, &m), PCS_ERR_ARG);
    CK_FAILS(pcs_mass_matrix_create_sparse(NULL, NULL, &m), PCS_ERR_ARG);
    const int size[2] = {1, 2}, zero[1] = {0};
    const double singular[5] = {1, 1, 2, 2, 4}, nan_block[5] = {NAN, 1, 0, 0, 1};
    CK_FAILS(pcs_mass_matrix_create_blocks(NULL, 2, size, singular, &m), PCS_ERR_SINGULAR);
    CK_FAILS(pcs_mass_matrix_create_blocks(NULL, 2, size, nan_block, &m), PCS_ERR_ARG);
    CK_FAILS(pcs_mass_matrix_create_blocks(NULL, 1, zero, singular, &m), PCS_ERR_SIZE);
    pcs_mass_matrix_destroy(NULL);
}

TEST(mass_survives_every_failing_allocation)
{
    const int size[2] = {1, 2};
    const double val[5] = {1, 2, 0, 0, 4};
    int p[3] = {0, 1, 3}, row[3] = {0, 0, 1};
    double x[3] = {2, 1, 2};
    const pcs_csc upper = {2, 2, p, row, x};
    for (int sparse = 0; sparse < 3; ++sparse) {
        if (sparse == 2) x[1] = 9; // indefinite
        for (long k = 0;; ++k) {
            test_memory memory = {.fail_at = k};
            const pcs_env env = test_env(&memory);
            pcs_mass_matrix *m;
            const pcs_status s = sparse ? pcs_mass_matrix_create_sparse(&env, &upper, &m)
                                        : pcs_mass_matrix_create_blocks(&env, 2, size, val, &m);
            pcs_mass_matrix_destroy(s == PCS_OK ? m : NULL);
            ck_assert_int_eq(memory.live, 0);
            if (s == PCS_OK) break;
            ck_assert_int_eq(s, PCS_ERR_MEMORY);
            ck_assert_ptr_null(m);
            ck_assert_int_lt(k, 100);
        }
    }
}

TEST(min_norm_is_minimal_and_solves)
{
    // rank 1: x1 + x2 = 2 twice; the shortest solution is (1, 1)
    double A[4] = {1, 1, 1, 1}, b[2] = {2, 2};
    pcs_arena arena;
    CK_OK(pcs_arena_create(NULL, dense_min_norm_bytes(2, 2), &arena));
    ck_assert_int_eq(dense_min_norm(2, 2, A, b, 1e-12, arena), 1);
    CK_NEAR(b[0], 1, 1e-14);
    CK_NEAR(b[1], 1, 1e-14);
    pcs_arena_destroy(NULL, &arena);
}

// a chain in random order, its upper triangle by columns: the ordering finds its band again, the
// factors solve, and a matrix that is not definite is detected
TEST(chol_follows_a_matrix_that_changes)
{
    enum { N = 40 };
    test_random rng = random_seed(6);
    pcs_arena arena;
    CK_OK(pcs_arena_create(NULL, chol_work_bytes(), &arena));
    chol_work *w = chol_begin(&arena);
    ck_assert(w != NULL);
    ck_assert(chol_begin(&arena) == NULL);

    int name[N], p[N + 1], row[2 * N], order[N], seen[N] = {0};
    double x[2 * N], A[N * N];
    pcs_csc U = {N, N, p, row, x};
    for (int i = 0; i < N; ++i) {
        name[i] = i;
    }
    for (int i = N - 1; i > 0; --i) {
        const int j = (int)((i + 1) * random_unit(&rng)), t = name[i];
        name[i] = name[j];
        name[j] = t;
    }
    for (int pass = 0; pass < 4; ++pass) {
        // the factors in the random order first, then in the computed order
        int k = 0;
        memset(A, 0, sizeof A);
        for (int j = 0; j < N; ++j) {
            p[j] = k;
            for (int i = 0; i <= j; ++i) {
                const int a = pass == 0 ? i : order[i], b = pass == 0 ? j : order[j];
                if (abs(name[a] - name[b]) > 1) continue;
                row[k] = i;
                x[k] = a == b ? (pass == 3 ? 1.99 : 2 + pass) : -1;
                A[i + N * j] = A[j + N * i] = x[k++];
            }
        }
        p[N] = k;
        if (pass == 0) {
            ck_assert(chol_order(w, &U, order));
            for (int i = 0; i < N; ++i) {
                ck_assert(order[i] >= 0 && order[i] < N && !seen[order[i]]++);
            }
            continue;
        }
        // a chain has no fill: 2 n - 1 entries
        ck_assert_int_eq(chol_refactor(w, &U, pass > 1, 1e-14, 2 * N - 2), CHOL_LOST);
        const chol_outcome end = chol_refactor(w, &U, pass > 1, 1e-14, 2 * N - 1);
        ck_assert_int_eq(end, pass == 3 ? CHOL_SINGULAR : CHOL_GOOD);
        if (end != CHOL_GOOD) continue;
        double b[N], c[N];
        int piv[N];
        for (int i = 0; i < N; ++i) {
            b[i] = c[i] = random_normal(&rng);
        }
        ck_assert(chol_apply(w, b));
        ck_assert(dense_lu(N, A, piv));
        dense_lu_solve(N, A, piv, false, 1, c);
        expect_same(b, c, N, 1e-12);
    }
    chol_end(w);
    chol_end(NULL);
    pcs_arena_destroy(NULL, &arena);
}

// a block of a lattice of k^3 nodes of w unknowns each: diagonally dominant, and with enough fill
// for fronts. A solution is checked by the matrix itself, to a few roundings of the largest row;
// entries below the diagonal are not read; and a diagonal entry that is too small is detected in
// any front
TEST(chol_of_a_lattice_by_fronts)
{
    enum { K = 7, N = K * K * K, W = 3, ROWS = N * W, MOST = 4 * N * W * W };
    static int at[N + 1], node[4 * N], order[N], p[ROWS + 1], row[MOST];
    static double ones[4 * N], x[MOST], b[ROWS], y[ROWS];
    test_random rng = random_seed(12);
    int place[N], count = 0;
    for (int j = 0; j < N; ++j) {
        at[j] = count;
        if (j / (K * K) > 0) node[count++] = j - K * K;
        if (j / K % K > 0) node[count++] = j - K;
        if (j % K > 0) node[count++] = j - 1;
        node[count++] = j;
    }
    at[N] = count;
    pcs_arena arena;
    CK_OK(pcs_arena_create(NULL, chol_work_bytes(), &arena));
    chol_work *w = chol_begin(&arena);
    const pcs_csc graph = {N, N, at, node, ones};
    ck_assert(chol_order(w, &graph, order));
    for (int i = 0; i < N; ++i) {
        place[order[i]] = i;
    }
    for (int pass = 0; pass < 3; ++pass) {
        int e = 0;
        for (int j = 0; j < N; ++j) {
            for (int c = 0; c < W; ++c) {
                p[W * j + c] = e;
                for (int other = 0; other < N; ++other) {
                    const int a = order[other], o = order[j];
                    bool near = a == o;
                    for (int l = at[o]; l < at[o + 1]; ++l) {
                        near = near || node[l] == a;
                    }
                    for (int l = at[a]; l < at[a + 1]; ++l) {
                        near = near || node[l] == o;
                    }
                    if (!near || place[a] > place[o]) continue;
                    for (int r = 0; r < W; ++r) {
                        row[e] = W * other + r;
                        x[e++] = a != o || r < c ? random_between(&rng, -1, 1)
                                 : r == c        ? 7 * W
                                                 : NAN;
                    }
                }
            }
        }
        p[ROWS] = e;
        for (int l = p[ROWS / 2]; pass == 2 && l < p[ROWS / 2 + 1]; ++l) {
            if (row[l] == ROWS / 2) x[l] = -1;
        }
        const pcs_csc U = {ROWS, ROWS, p, row, x};
        ck_assert_int_eq(chol_refactor(w, &U, pass > 0, 1e-3, 1e8),
                         pass == 2 ? CHOL_SINGULAR : CHOL_GOOD);
        if (pass == 2) break;
        for (int i = 0; i < ROWS; ++i) {
            b[i] = y[i] = random_normal(&rng);
        }
        ck_assert(chol_apply(w, y));
        for (int j = 0; j < ROWS; ++j) {
            for (int l = p[j]; l < p[j + 1]; ++l) {
                if (row[l] > j) continue;
                b[row[l]] -= x[l] * y[j];
                if (row[l] != j) b[j] -= x[l] * y[row[l]];
            }
        }
        for (int i = 0; i < ROWS; ++i) {
            CK_NEAR(b[i], 0, 1e-13);
        }
    }
    chol_end(w);
    pcs_arena_destroy(NULL, &arena);
}

// the kernels for wide registers give the same bits as the plain ones, edges included, and the same
// factors as lu_factor where one panel suffices
TEST(kernels_agree_to_the_bit)
{
    enum { M = 37, N = 29, K = 150 };
    static double A[K * K], C[K * K], D[K * K];
    test_random rng = random_seed(13);
    for (int i = 0; i < K * K; ++i) {
        A[i] = random_normal(&rng);
    }
#ifdef PERCUSS_AVX2
    static double B[K * K];
    for (int i = 0; i < K * K; ++i) {
        B[i] = random_normal(&rng);
    }
    if (__builtin_cpu_supports("avx2")) {
        for (int m = 1; m < M; ++m) {
            for (int n = 1; n < N; ++n) {
                memset(C, 0, sizeof C);
                memset(D, 0, sizeof D);
                columns_add_plain(m, n, 0.3, A, K, B, C);
                columns_add_avx2(m, n, 0.3, A, K, B, D);
                columns_dot_plain(m, n, A, K, B, C + K);
                columns_dot_avx2(m, n, A, K, B, D + K);
                multiply_tile_plain(m * n, A, B, C + 2 * K);
                multiply_tile_avx2(m * n, A, B, D + 2 * K);
                ck_assert_mem_eq(C, D, sizeof C);
            }
        }
        for (int kind = 0; kind < 8; ++kind) {
            const triangle T = {kind & 1, kind & 2, kind & 4};
            for (int n = 1; n <= TRIANGLE; ++n) {
                memcpy(C, B, sizeof C);
                memcpy(D, B, sizeof D);
                solve_tile_plain(T, n, A, K, C, K);
                solve_tile_avx2(T, n, A, K, D, K);
                ck_assert_mem_eq(C, D, sizeof C);
            }
        }
    }
#endif
    int piv[N], own[N];
    memcpy(C, A, sizeof C);
    memcpy(D, A, sizeof D);
    ck_assert(dense_lu(N, C, piv) && lu_factor(N, D, own));
    ck_assert_mem_eq(C, D, sizeof(double) * N * N);
    ck_assert_mem_eq(piv, own, sizeof piv);
}

// every product and triangular solve at sizes about the edges of tiles and blocks, against plain
// sums; exact where entries are small integers
TEST(products_and_triangles_are_right)
{
    enum { MOST = 140 };
    static double A[MOST * MOST], B[MOST * MOST], C[MOST * MOST], T[MOST * MOST], X[MOST * MOST];
    const int size[] = {1, 3, 4, 7, 8, 9, 16, 17, 33, 64, 65, 129};
    test_random rng = random_seed(14);
    for (int s = 0; s < (int)(sizeof size / sizeof *size); ++s) {
        const int n = size[s], m = n + 1, k = n > 100 ? n + 2 : n;
        for (int i = 0; i < MOST * MOST; ++i) {
            A[i] = floor(random_between(&rng, -9, 10));
            B[i] = floor(random_between(&rng, -9, 10));
        }
        for (int way = 0; way < 4; ++way) {
            const bool ta = way & 1, tb = way & 2;
            memset(C, 0, sizeof C);
            dense_mul_dense(ta, tb, m, n, k, 2, A, B, 0, C);
            for (int j = 0; j < n; ++j) {
                for (int i = 0; i < m; ++i) {
                    double sum = 0;
                    for (int l = 0; l < k; ++l) {
                        sum +=
                            (ta ? A[l + k * i] : A[i + m * l]) * (tb ? B[j + n * l] : B[l + k * j]);
                    }
                    ck_assert(C[i + m * j] == 2 * sum);
                }
            }
        }
        // a triangle of small integers with a diagonal of ones, times integers, is solved exactly
        // while the numbers stay integers; most off-diagonal entries are zero, so that they do
        for (int kind = 0; kind < 8; ++kind) {
            const triangle t = {kind & 1, kind & 2, kind & 4};
            const int nrhs = 1 + 5 * (kind & 1);
            for (int j = 0; j < n; ++j) {
                for (int i = 0; i < n; ++i) {
                    const bool stored = t.lower ? i > j : i < j;
                    T[i + n * j] = i == j ? t.unit ? NAN : 1 : !stored ? NAN : (i + j) % 11 == 0;
                }
            }
            memset(X, 0, sizeof X);
            for (int c = 0; c < nrhs; ++c) {
                for (int i = 0; i < n; ++i) {
                    double sum = B[i + n * c];
                    for (int j = 0; j < n; ++j) {
                        const bool inside = i != j && (t.lower != t.transposed ? j < i : j > i);
                        if (inside)
                            sum += (t.transposed ? T[j + n * i] : T[i + n * j]) * B[j + n * c];
                    }
                    X[i + n * c] = sum;
                }
            }
            triangle_solve(t, n, T, (size_t)n, nrhs, X, (size_t)n);
            for (int i = 0; i < n * nrhs; ++i) {
                ck_assert(X[i] == B[i]);
            }
        }
    }
}
