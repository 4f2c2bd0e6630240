#include "support.h"

#include "linalg/bsr.h"
#include "linalg/dense.h"
#include "linalg/skyline.h"

enum { M = 20, MOST = 60 };

// a random block-sparse matrix, dominated by its diagonal, its pattern structurally symmetric
typedef struct sparse {
    pcs_bsr W;
    int row[M + 1], ptr[M + 1], idx[M * M];
    size_t off[M * M];
    double val[MOST * MOST];
} sparse;

static void make(test_random *rng, sparse *s)
{
    bool linked[M][M] = {{false}};
    s->row[0] = s->ptr[0] = 0;
    for (int i = 0; i < M; ++i) {
        s->row[i + 1] = s->row[i] + 1 + (int)(2.999 * random_unit(rng));
        linked[i][i] = true;
        // a tree of random shape leaves one block row alone
        if (i > 1) {
            const int j = (int)(i * random_unit(rng));
            linked[i][j] = linked[j][i] = true;
        }
    }
    size_t at = 0;
    int k = 0;
    for (int i = 0; i < M; ++i) {
        for (int j = 0; j < M; ++j) {
            if (!linked[i][j]) continue;
            const int h = s->row[i + 1] - s->row[i], w = s->row[j + 1] - s->row[j];
            s->idx[k] = j;
            s->off[k++] = at;
            for (int c = 0; c < h * w; ++c) {
                s->val[at++] = random_normal(rng) + (i == j && c % (h + 1) == 0 ? 20 : 0);
            }
        }
        s->ptr[i + 1] = k;
    }
    s->W = (pcs_bsr){M, M, s->row, s->row, s->ptr, s->idx, s->off, s->val};
}

START_TEST(solves_as_dense_does)
{
    test_random rng = random_seed(4);
    for (int trial = 0; trial < 60; ++trial) {
        sparse s;
        make(&rng, &s);
        CK_OK(pcs_bsr_check(&s.W));
        const int n = s.row[M];
        int order[MOST], work[2 * M], place[MOST], first[MOST], seen[MOST] = {0};
        skyline_order(&s.W, order, work);
        for (int i = 0; i < n; ++i) {
            ck_assert(order[i] >= 0 && order[i] < n && !seen[order[i]]);
            seen[order[i]] = 1;
        }

        // all rows, then about two thirds of them in the order induced
        size_t start[MOST + 1], full = 0;
        for (int part = 0; part < 2; ++part) {
            int na = 0, list[MOST];
            for (int k = 0; k < n; ++k) {
                for (int i = 0; i < n; ++i) {
                    if (order[i] != k) continue;
                    const bool kept = part == 0 || random_unit(&rng) < 0.67;
                    place[i] = kept ? na : -1;
                    if (kept) list[na++] = i;
                }
            }
            const size_t entries = skyline_profile(&s.W, place, na, first, start);
            if (part == 0) full = entries;
            ck_assert(entries <= full);

            double L[MOST * MOST], U[MOST * MOST], D[MOST], scale[MOST], x[MOST], b[MOST];
            double A[MOST * MOST], W[MOST * MOST];
            int piv[MOST];
            skyline f = {na, first, start, L, U, D};
            for (int i = 0; i < n; ++i) {
                scale[i] = random_between(&rng, 0.5, 2);
            }
            pcs_bsr_to_dense(&s.W, W);
            for (int j = 0; j < na; ++j) {
                x[j] = b[j] = random_normal(&rng);
                for (int i = 0; i < na; ++i) {
                    A[i + na * j] =
                        W[list[i] + n * list[j]] / sqrt(scale[list[i]] * scale[list[j]]) +
                        (i == j ? 0.3 : 0);
                }
            }
            ck_assert(skyline_factor(&f, &s.W, place, scale, 0.3));
            skyline_solve(&f, x);
            ck_assert(dense_lu(na, A, piv));
            dense_lu_solve(na, A, piv, false, 1, b);
            for (int i = 0; i < na; ++i) {
                CK_NEAR(x[i], b[i], 1e-13);
            }
        }
    }
}
END_TEST

// a chain shuffled: the order finds its band again
START_TEST(order_finds_a_band)
{
    enum { N = 40 };
    test_random rng = random_seed(6);
    int name[N], row[N + 1], ptr[N + 1], idx[3 * N], order[N], work[2 * N], first[N], k = 0;
    size_t start[N + 1];
    for (int i = 0; i < N; ++i) {
        row[i] = name[i] = i;
    }
    row[N] = N;
    for (int i = N - 1; i > 0; --i) {
        const int j = (int)((i + 1) * random_unit(&rng)), t = name[i];
        name[i] = name[j];
        name[j] = t;
    }
    ptr[0] = 0;
    for (int i = 0; i < N; ++i) {
        for (int j = 0; j < N; ++j) {
            if (abs(name[i] - name[j]) <= 1) idx[k++] = j;
        }
        ptr[i + 1] = k;
    }
    const pcs_bsr W = {N, N, row, row, ptr, idx, NULL, NULL};
    skyline_order(&W, order, work);
    ck_assert_int_eq((int)skyline_profile(&W, order, N, first, start), N - 1);
}
END_TEST

START_TEST(singular_is_seen)
{
    int row[3] = {0, 1, 2}, ptr[3] = {0, 2, 4}, idx[4] = {0, 1, 0, 1}, place[2] = {0, 1}, first[2];
    size_t off[4] = {0, 1, 2, 3}, start[3];
    double val[4] = {1, 1, 1, 1}, L[1], U[1], D[2];
    const double scale[2] = {1, 1};
    const pcs_bsr W = {2, 2, row, row, ptr, idx, off, val};
    ck_assert_int_eq((int)skyline_profile(&W, place, 2, first, start), 1);
    skyline f = {2, first, start, L, U, D};
    ck_assert(!skyline_factor(&f, &W, place, scale, 0));
    ck_assert(skyline_factor(&f, &W, place, scale, 1e-3));
}
END_TEST

PCS_TEST_MAIN("skyline", solves_as_dense_does, order_finds_a_band, singular_is_seen)
