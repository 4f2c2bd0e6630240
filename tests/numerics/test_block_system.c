// J = A W + B against the same matrix made entry by entry, dense and sparse.
#include "support.h"

#include "friction.h"
#include "linalg/dense.h"
#include "solver/block_system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A and B of every block from random numbers; B heavy enough on the diagonal to keep J regular
static void random_parts(const pcs_problem *p, test_random *rng, double *A, double *B)
{
    for (int b = 0; b < p->nb; ++b) {
        double *Ab = A + BLOCK_SYSTEM_STRIDE * b, *Bb = B + BLOCK_SYSTEM_STRIDE * b;
        const int d = p->block[b].cone == PCS_CONE_EQUALITY ? 1 : p->block[b].dim;
        for (int i = 0; i < d * d; ++i) {
            Ab[i] = random_normal(rng);
            Bb[i] = random_normal(rng);
        }
        for (int i = 0; i < d; ++i) {
            Bb[i * (d + 1)] += 30;
        }
    }
}

// J by its definition
static void slow_matrix(const pcs_problem *p, const double *A, const double *B, double *W,
                        double *J)
{
    const int n = p->n;
    pcs_bsr_to_dense(&p->W, W);
    for (int b = 0; b < p->nb; ++b) {
        const pcs_block *k = &p->block[b];
        const double *Ab = A ? A + BLOCK_SYSTEM_STRIDE * b : NULL;
        const double *Bb = B + BLOCK_SYSTEM_STRIDE * b;
        for (int i = 0; i < k->dim; ++i) {
            for (int j = 0; j < n; ++j) {
                double sum = 0;
                for (int c = 0; c < k->dim; ++c) {
                    double a = i == c;
                    if (Ab) {
                        a = k->cone != PCS_CONE_EQUALITY ? Ab[i + k->dim * c] : i == c ? Ab[0] : 0;
                    }
                    sum += a * W[k->row + c + (size_t)n * j];
                }
                const int own = j - k->row;
                if (own >= 0 && own < k->dim) {
                    sum += k->cone != PCS_CONE_EQUALITY ? Bb[i + k->dim * own]
                           : i == own                   ? Bb[0]
                                                        : 0;
                }
                J[k->row + i + (size_t)n * j] = sum;
            }
        }
    }
}

static void check_family(friction kind, int nc, bool dense)
{
    test_random rng = random_seed(7);
    pcs_arena arena;
    CK_OK(pcs_arena_create(NULL, friction_bytes(kind, nc) + (size_t)64 * 1024 * 1024, &arena));
    double *solution;
    const pcs_problem p = friction_problem(kind, nc, 3, &arena, &solution);
    const size_t n = (size_t)p.n, parts = BLOCK_SYSTEM_STRIDE * (size_t)p.nb;
    double *A = PCS_TAKE(&arena, parts, double), *B = PCS_TAKE(&arena, parts, double);
    double *W = PCS_TAKE(&arena, n * n, double), *J = PCS_TAKE(&arena, n * n, double);
    double *x = PCS_TAKE(&arena, n, double), *y = PCS_TAKE(&arena, n, double);
    double *z = PCS_TAKE(&arena, n, double);
    ck_assert(A && B && W && J && x && y && z);

    // the documented number of bytes suffices: the arena has just this size
    pcs_arena own;
    CK_OK(pcs_arena_create(NULL, block_system_bytes(&p), &own));
    block_system s;
    ck_assert(block_system_begin(&s, &p, &own));
    ck_assert_int_eq(s.dense, dense);
    for (int trial = 0; trial < 4; ++trial) {
        random_parts(&p, &rng, A, B);
        const double *used = trial % 2 ? A : NULL;
        slow_matrix(&p, used, B, W, J);
        for (size_t i = 0; i < n; ++i) {
            x[i] = random_normal(&rng);
        }
        block_system_mul(&s, used, B, x, y);
        dense_mul(p.n, p.n, 1, J, x, 0, z);
        for (size_t i = 0; i < n; ++i) {
            CK_NEAR(y[i], z[i], 1e-9);
        }
        ck_assert_int_eq(block_system_factor(&s, used, B, 0), SPARSE_LU_GOOD);
        for (int refine = 0; refine < 3; ++refine) {
            memcpy(y, z, n * sizeof *y);
            ck_assert(block_system_solve(&s, used, B, refine, y));
            for (size_t i = 0; i < n; ++i) {
                CK_NEAR(y[i], x[i], 1e-8);
            }
        }
    }

    // W alone is singular in places; without A and B everything is
    memset(A, 0, parts * sizeof *A);
    memset(B, 0, parts * sizeof *B);
    ck_assert_int_eq(block_system_factor(&s, A, B, 0), SPARSE_LU_SINGULAR);
    random_parts(&p, &rng, A, B);
    ck_assert_int_eq(block_system_factor(&s, NULL, B, 0), SPARSE_LU_GOOD);
    ck_assert_int_eq(block_system_factor(&s, NULL, B, 1), SPARSE_LU_SINGULAR);
    B[0] = NAN;
    ck_assert_int_ne(block_system_factor(&s, NULL, B, 0), SPARSE_LU_GOOD);
    block_system_end(&s);
    pcs_arena_destroy(NULL, &own);
    pcs_arena_destroy(NULL, &arena);
}

TEST(dense_systems_are_their_definition)
{
    check_family(FRICTION_DENSE, 12, true);
    check_family(FRICTION_SKEWED, 60, true);
    check_family(FRICTION_PLANAR, 9, true);
    check_family(FRICTION_MIXED, 11, true);
    check_family(FRICTION_BOXES, 20, true);
}

// a band that fills between a quarter and two thirds of the matrix, which then is stored dense
TEST(half_full_systems_fit_their_memory)
{
    enum { N = 150, MOST = N * N };
    for (int width = 20; width <= 65; width += 5) {
        static double val[MOST], x[N], y[N], z[N], A[BLOCK_SYSTEM_STRIDE * N];
        static double B[BLOCK_SYSTEM_STRIDE * N];
        static int idx[MOST], row[N + 1], ptr[N + 1];
        static size_t off[MOST];
        static pcs_block block[N];
        int count = 0;
        for (int i = 0; i < N; ++i) {
            block[i] = (pcs_block){.cone = PCS_CONE_UNILATERAL, .dim = 1, .row = i};
            for (int j = 0; j < N; ++j) {
                if (abs(i - j) > width) continue;
                val[count] = i == j ? 4 * N : cos(i + 3.0 * j);
                idx[count] = j;
                off[count] = (size_t)count;
                count += 1;
            }
            row[i + 1] = i + 1;
            ptr[i + 1] = count;
            A[BLOCK_SYSTEM_STRIDE * i] = 1 + 0.1 * (i % 3);
            B[BLOCK_SYSTEM_STRIDE * i] = 0.5;
            x[i] = sin(i);
        }
        const pcs_problem p = {
            .n = N, .W = {N, N, row, row, ptr, idx, off, val}, .nb = N, .block = block, .q = z};
        pcs_arena own;
        CK_OK(pcs_arena_create(NULL, block_system_bytes(&p), &own));
        block_system s;
        ck_assert_msg(block_system_begin(&s, &p, &own), "%d of %d entries", count, MOST);
        ck_assert_int_eq(s.dense, 4 * count > MOST);
        block_system_mul(&s, A, B, x, y);
        ck_assert_int_eq(block_system_factor(&s, A, B, 0), SPARSE_LU_GOOD);
        ck_assert(block_system_solve(&s, A, B, 1, y));
        expect_same(y, x, N, 1e-12);
        block_system_end(&s);
        pcs_arena_destroy(NULL, &own);
    }
}

TEST(sparse_systems_are_their_definition)
{
    check_family(FRICTION_SPHERES, 140, false);
    check_family(FRICTION_BOXES, 120, false);
    check_family(FRICTION_GYRO, 120, false);
}

TEST(a_small_arena_is_refused)
{
    pcs_arena arena;
    CK_OK(pcs_arena_create(NULL, friction_bytes(FRICTION_BOXES, 60), &arena));
    double *solution;
    const pcs_problem p = friction_problem(FRICTION_BOXES, 60, 1, &arena, &solution);
    pcs_arena own;
    CK_OK(pcs_arena_create(NULL, block_system_bytes(&p) / 4, &own));
    block_system s = {0};
    ck_assert(!block_system_begin(&s, &p, &own));
    block_system_end(&s);
    pcs_arena_destroy(NULL, &own);
    pcs_arena_destroy(NULL, &arena);
}
