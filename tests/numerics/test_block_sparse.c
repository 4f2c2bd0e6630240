// Matrices of sparse blocks against dense factors of the same numbers: random patterns and sizes,
// values that are not symmetric.
#include "support.h"

#include "linalg/block_sparse.h"
#include "linalg/lu.h"

enum { BLOCKS = 24, WIDEST = 7, MOST = BLOCKS * WIDEST };

typedef struct sparse_case {
    int start[BLOCKS + 1], first[BLOCKS + 1], index[BLOCKS * BLOCKS], order[BLOCKS], n;
    double dense[MOST * MOST];
    pcs_arena mem;
    block_sparse A;
} sparse_case;

// a part of all pairs is connected; each diagonal block outweighs its row
static void open_case(sparse_case *c, test_random *r, double part)
{
    bool near[BLOCKS][BLOCKS] = {{false}};
    c->start[0] = c->first[0] = 0;
    int entries = 0;
    for (int i = 0; i < BLOCKS; ++i) {
        const bool body = random_unit(r) < 0.6;
        c->start[i + 1] = c->start[i] + (body ? 6 : 1 + (int)(WIDEST * random_unit(r)));
        for (int j = 0; j <= i; ++j) {
            near[i][j] = near[j][i] = i == j || random_unit(r) < part;
        }
    }
    for (int j = 0; j < BLOCKS; ++j) {
        for (int i = 0; i < BLOCKS; ++i) {
            if (near[i][j]) c->index[entries++] = i;
        }
        c->first[j + 1] = entries;
    }
    c->n = c->start[BLOCKS];
    CK_OK(pcs_arena_create(NULL, 1 << 23, &c->mem));
    CK_OK(block_sparse_order(BLOCKS, c->first, c->index, c->mem, c->order));
    CK_OK(block_sparse_take(BLOCKS, c->start, c->first, c->index, c->order, &c->mem, &c->A));
    memset(c->dense, 0, sizeof c->dense);
    for (int j = 0; j < BLOCKS; ++j) {
        for (int k = c->first[j]; k < c->first[j + 1]; ++k) {
            const int i = c->index[k], h = c->start[i + 1] - c->start[i];
            double *to = block_sparse_entry(&c->A, i, j);
            for (int b = 0; b < c->start[j + 1] - c->start[j]; ++b) {
                for (int a = 0; a < h; ++a) {
                    const double x = random_normal(r) + (i == j && a == b ? 30 : 0);
                    to[a + h * b] = c->dense[c->start[i] + a + c->n * (c->start[j] + b)] = x;
                }
            }
        }
    }
}

TEST(a_solve_is_that_of_the_dense_matrix)
{
    test_random r = random_seed(5);
    static sparse_case c;
    for (int draw = 0; draw < 20; ++draw) {
        open_case(&c, &r, draw % 2 == 0 ? 0.1 : 0.4);
        double x[MOST], b[MOST] = {0};
        for (int i = 0; i < c.n; ++i) {
            x[i] = random_normal(&r);
        }
        for (int j = 0; j < c.n; ++j) {
            for (int i = 0; i < c.n; ++i) {
                b[i] += c.dense[i + c.n * j] * x[j];
            }
        }
        ck_assert(block_sparse_factor(&c.A));
        block_sparse_solve(&c.A, b);
        expect_same(b, x, c.n, 1e-13);
        pcs_arena_destroy(NULL, &c.mem);
    }
}

TEST(the_diagonal_blocks_of_the_inverse_are_those_of_the_dense_one)
{
    test_random r = random_seed(6);
    static sparse_case c;
    static double lu[MOST * MOST];
    int piv[MOST];
    for (int draw = 0; draw < 10; ++draw) {
        open_case(&c, &r, draw % 2 == 0 ? 0.1 : 0.3);
        ck_assert(block_sparse_factor(&c.A));
        CK_OK(block_sparse_invert(&c.A, &c.mem));
        memcpy(lu, c.dense, sizeof(double) * (size_t)(c.n * c.n));
        ck_assert(lu_factor(c.n, lu, piv));
        for (int b = 0; b < BLOCKS; ++b) {
            const int h = c.start[b + 1] - c.start[b];
            for (int k = 0; k < h; ++k) {
                double x[MOST] = {0};
                x[c.start[b] + k] = 1;
                lu_solve(c.n, lu, piv, x);
                expect_same(block_sparse_inverse(&c.A, b) + h * k, x + c.start[b], h, 1e-15);
            }
        }
        pcs_arena_destroy(NULL, &c.mem);
    }
}

TEST(a_singular_pivot_is_found)
{
    test_random r = random_seed(7);
    static sparse_case c;
    open_case(&c, &r, 0);
    double *A = block_sparse_entry(&c.A, 3, 3);
    const int h = c.start[4] - c.start[3];
    for (int i = 0; i < h; ++i) {
        A[i] = 0;
    }
    ck_assert(!block_sparse_factor(&c.A));
    pcs_arena_destroy(NULL, &c.mem);
}
