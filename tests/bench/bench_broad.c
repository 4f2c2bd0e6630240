// Times of the broad phase per pass: clouds and lattices of spheres.
//
//     bench_broad [--list] [--case NAME] [--repeats N]
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>

#include "bench.h"
#include "options.h"
#include "support.h"

#include "collide/broad.h"

typedef struct bench_case {
    const char *name, *text;
    double least, most; // radii, m
    double spacing;     // m, the edge of a cube with one sphere
    bool lattice;
} bench_case;

static const bench_case cases[] = {
    {"cloud", "radii 0.4 to 0.6 m at random, one to a cubic metre", 0.4, 0.6, 1, false},
    {"sizes", "radii 0.005 to 0.5 m at random, evenly in their logarithm", 0.005, 0.5, 0.6, false},
    {"lattice", "equal radii, each touching six", 0.50005, 0.50005, 1, true},
};

enum { COUNT = (int)(sizeof cases / sizeof *cases) };

typedef struct task {
    collide_item *item;
    int n, pairs;
    pcs_arena arena;
} task;

static void prepare(const bench_case *c, int n, task *t)
{
    test_random r = random_seed(17);
    t->n = n;
    t->item = calloc((size_t)n, sizeof *t->item);
    const double side = cbrt(n) * c->spacing;
    const int edge = (int)floor(cbrt(n) + 0.5);
    for (int i = 0; i < n; ++i) {
        const double radius = c->least * pow(c->most / c->least, random_unit(&r));
        double x[3] = {i % edge, i / edge % edge, (double)(i / edge / edge)};
        for (int k = 0; k < 3; ++k) {
            if (!c->lattice) x[k] = side * random_unit(&r);
            t->item[i].low[k] = x[k] - radius;
            t->item[i].high[k] = x[k] + radius;
        }
        t->item[i].body = i + 1;
        t->item[i].movable = true;
    }
    if (pcs_arena_create(NULL, 65536 + (size_t)2000 * (size_t)n, &t->arena) != PCS_OK) exit(1);
}

static void run(void *user)
{
    task *t = user;
    pcs_arena mem = t->arena;
    int(*pair)[2];
    if (collide_pairs(t->item, t->n, NULL, &mem, &pair, &t->pairs) == PCS_OK) return;
    fprintf(stderr, "bench_broad: %s\n", pcs_error_text());
    exit(1);
}

int main(int argc, char **argv)
{
    const char *only = NULL;
    int repeats = 21;
    const bench_option options[] = {BENCH_WORD("--case", &only),
                                    BENCH_COUNT("--repeats", &repeats)};
    if (bench_options(argc, argv, "bench_broad", options, 2)) {
        for (int k = 0; k < COUNT; ++k) {
            printf("%-8s %s\n", cases[k].name, cases[k].text);
        }
        return 0;
    }
    printf("%-8s %8s %9s %10s %10s\n", "case", "spheres", "pairs", "min ms", "median ms");
    for (int k = 0; k < COUNT; ++k) {
        if (only && strcmp(only, cases[k].name) != 0) continue;
        for (int n = 1000; n <= 100000; n *= 10) {
            task t;
            prepare(&cases[k], n, &t);
            const bench_time b = bench_run(run, &t, repeats);
            printf("%-8s %8d %9d %10.3f %10.3f\n", cases[k].name, n, t.pairs, 1e3 * b.minimum,
                   1e3 * b.median);
            pcs_arena_destroy(NULL, &t.arena);
            free(t.item);
        }
    }
    return 0;
}
