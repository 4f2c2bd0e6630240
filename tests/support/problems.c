// Families of cone problems for the tests of solvers and for the bench.
#include "problems.h"

#include <stdio.h>

#include <percuss/linalg.h>

const char *const family_name[FAMILY_COUNT] = {
    "spd",   "degenerate", "psd",   "skewed", "equality", "deficient",
    "mixed", "mixed_psd",  "chain", "zero",   "any",
};

// the benches use this too, outside any test, where the assertions of Check do not work
static void must(bool good, const char *what)
{
    if (good) return;
    fprintf(stderr, "problems: %s\n", what);
    abort();
}

// the caller makes the arena large enough
static void *need(pcs_arena *arena, size_t count, size_t size)
{
    void *p = pcs_arena_take_array(arena, count, size);
    must(p != NULL, "the arena is too small");
    return p;
}

pcs_problem dense_problem(int n, const pcs_cone *kind, bool merge, double *W, const double *q,
                          pcs_arena *arena)
{
    pcs_problem p = {.n = n, .q = q};
    pcs_block *block = need(arena, (size_t)n, sizeof *block);
    for (int i = 0; i < n; ++i) {
        if (merge && i > 0 && kind[i] == PCS_CONE_EQUALITY && kind[i - 1] == PCS_CONE_EQUALITY) {
            block[p.nb - 1].dim += 1;
        } else {
            block[p.nb++] = (pcs_block){.cone = kind[i], .row = i, .dim = 1};
        }
    }
    p.block = block;
    must(pcs_bsr_from_dense(n, n, W, arena, &p.W) == PCS_OK, pcs_error_text());
    return p;
}

// W = G G' / m + shift I, G n x m
static void gram(test_random *rng, int n, int m, double shift, double *G, double *W)
{
    for (int k = 0; k < n * m; ++k) {
        G[k] = random_normal(rng);
    }
    memset(W, 0, (size_t)n * (size_t)n * sizeof *W);
    for (int k = 0; k < m; ++k) {
        const double *g = G + (size_t)n * (size_t)k;
        for (int j = 0; j < n; ++j) {
            for (int i = 0; i <= j; ++i) {
                W[i + (size_t)n * (size_t)j] += g[i] * g[j];
            }
        }
    }
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i <= j; ++i) {
            const double s = W[i + (size_t)n * (size_t)j] / m + (i == j ? shift : 0);
            W[i + (size_t)n * (size_t)j] = W[j + (size_t)n * (size_t)i] = s;
        }
    }
}

// a chain: row i is a contact between bodies i and i + 1 of different masses, each row a block
static void chain(test_random *rng, int n, pcs_arena *arena, pcs_problem *p)
{
    int *row = need(arena, (size_t)n + 1, sizeof *row),
        *ptr = need(arena, (size_t)n + 1, sizeof *ptr);
    int *idx = need(arena, 3 * (size_t)n, sizeof *idx);
    size_t *off = need(arena, 3 * (size_t)n, sizeof *off);
    double *val = need(arena, 3 * (size_t)n, sizeof *val);
    double *mass = need(arena, (size_t)n + 1, sizeof *mass);
    for (int i = 0; i <= n; ++i) {
        mass[i] = random_between(rng, 0.5, 2);
        row[i] = i;
    }
    int k = 0;
    for (int i = 0; i < n; ++i) {
        ptr[i] = k;
        for (int j = i - 1; j <= i + 1; ++j) {
            if (j < 0 || j >= n) continue;
            idx[k] = j;
            off[k] = (size_t)k;
            val[k] = j == i ? 1 / mass[i] + 1 / mass[i + 1] : -1 / mass[j < i ? i : j];
            ++k;
        }
    }
    ptr[n] = k;
    p->W = (pcs_bsr){
        .m = n, .n = n, .row = row, .col = row, .ptr = ptr, .idx = idx, .off = off, .val = val};
}

pcs_problem family_problem(family f, int n, uint64_t seed, pcs_arena *arena, double **solution)
{
    test_random rng = random_seed(seed * 100 + f);
    const size_t N = (size_t)n;
    double *W = need(arena, N * N, sizeof *W), *q = need(arena, N, sizeof *q);
    double *r = need(arena, N, sizeof *r), *u = need(arena, N, sizeof *u);
    pcs_cone *kind = need(arena, N, sizeof *kind);

    // cones: runs of equality rows between unilateral ones
    for (int i = 0; i < n; ++i) {
        kind[i] = PCS_CONE_UNILATERAL;
        if (f == FAMILY_EQUALITY || f == FAMILY_DEFICIENT) kind[i] = PCS_CONE_EQUALITY;
        if ((f == FAMILY_MIXED || f == FAMILY_MIXED_PSD) && random_unit(&rng) < 0.4) {
            kind[i] = PCS_CONE_EQUALITY;
        }
    }
    pcs_problem p = dense_problem(n, kind, seed % 2 == 0, W, q, arena);

    const bool half = f == FAMILY_PSD || f == FAMILY_DEFICIENT || f == FAMILY_MIXED_PSD;
    pcs_arena scratch = *arena;
    double *G = need(&scratch, N * (N + 1), sizeof *G);
    if (f == FAMILY_CHAIN) {
        chain(&rng, n, arena, &p);
    } else if (f == FAMILY_ZERO) {
        memset(W, 0, N * N * sizeof *W);
    } else if (f == FAMILY_ANY) {
        for (size_t k = 0; k < N * N; ++k) {
            W[k] = random_normal(&rng);
        }
    } else {
        gram(&rng, n, half ? (n + 1) / 2 : n + 1, half ? 0 : 0.1, G, W);
    }
    for (int j = 0; f == FAMILY_SKEWED && j < n; ++j) {
        for (int i = 0; i < j; ++i) {
            const double s = random_normal(&rng) / n;
            W[i + N * (size_t)j] += s;
            W[j + N * (size_t)i] -= s;
        }
    }

    // a solution, and the q that belongs to it
    for (int i = 0; i < n; ++i) {
        const double x = random_normal(&rng), side = random_unit(&rng);
        r[i] = u[i] = 0;
        if (kind[i] == PCS_CONE_EQUALITY) {
            r[i] = x;
        } else if (f == FAMILY_DEGENERATE && i % 3 == 0) {
            continue;
        } else if (side < 0.6) {
            r[i] = fabs(x);
        } else {
            u[i] = fabs(x);
        }
    }
    pcs_bsr_mul(&p.W, r, q);
    for (int i = 0; i < n; ++i) {
        q[i] = u[i] - q[i];
    }
    if (solution) *solution = r;
    return p;
}

int history_keep(void *user, const pcs_progress *now)
{
    history *h = user;
    if (h->n < (int)(sizeof h->value / sizeof *h->value)) h->value[h->n++] = now->value;
    return 0;
}
