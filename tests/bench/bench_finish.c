// Success of the finish: the problems of tests/support/pile.h, solved to 1e-4 by sweeps and then by
// the finish to three tolerances. The bench prints the problems solved, their mean number of Newton
// steps, and the processor time of a step over all problems.
//
//     bench_finish [--list]
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <time.h>

#include "answer.h"
#include "bodies/finish.h"

enum { TOLERANCES = 3, SIZES = 5, SEEDS = 3 };

static const double tolerance[TOLERANCES] = {1e-8, 1e-10, 1e-12};

typedef struct row {
    const char *name;
    pile_kind kind;
    int sizes[SIZES]; // blocks, about; 0: no more
} row;

static const row rows[] = {
    {"spheres", PILE_SPHERES, {40, 100, 200, 400}},
    {"spheres, large", PILE_SPHERES, {1000, 3000}},
    {"boxes", PILE_BOXES, {40, 100, 200, 400}},
    {"boxes, large", PILE_BOXES, {1000, 2000}},
    {"mixed", PILE_MIXED, {40, 100, 200, 400, 1000}},
    {"loose", PILE_LOOSE, {40, 100, 200, 400, 1000}},
    {"heavy on light", PILE_HEAVY, {12, 20, 32, 40}},
};
enum { ROWS = sizeof rows / sizeof *rows };

typedef struct tally {
    int problems, solved, solved_steps, steps;
    double seconds;
} tally;

static double processor_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// sweeps to 1e-4, or finished
static pcs_status solve(const pile *p, const pcs_solver_opts *o, answer *a)
{
    pcs_arena arena;
    if (pcs_arena_create(NULL, answer_room(p), &arena) != PCS_OK) exit(2);
    const pcs_status status =
        o->kind == PCS_SOLVER_NSGS
            ? bodies_solve(&p->b, o, (pcs_watch){0}, INFINITY, NULL, arena, a->v, a->r, a->u,
                           &a->report)
            : bodies_finish(&p->b, o, (pcs_watch){0}, arena, NULL, a->v, a->r, a->u, &a->report);
    pcs_arena_destroy(NULL, &arena);
    return status;
}

static void finish(const pile *p, const double *start, double tol, tally *t)
{
    const pcs_solver_opts o = options(PCS_SOLVER_PROX, tol);
    answer a = answer_new(p, start);
    const double begin = processor_seconds();
    const pcs_status status = solve(p, &o, &a);
    t->seconds += processor_seconds() - begin;
    t->problems += 1;
    t->steps += a.report.finish;
    if (status == PCS_OK && a.report.solve.outcome == PCS_OUTCOME_CONVERGED) {
        t->solved += 1;
        t->solved_steps += a.report.finish;
    }
    answer_free(&a);
}

static void run(const row *c)
{
    tally t[TOLERANCES] = {{0}};
    int least = 0, most = 0;
    for (int i = 0; i < SIZES && c->sizes[i] > 0; ++i) {
        for (uint64_t seed = 1; seed <= SEEDS; ++seed) {
            pile p = pile_make(c->kind, c->sizes[i], seed);
            pcs_solver_opts o = options(PCS_SOLVER_NSGS, 1e-4);
            o.max_iters = 3000;
            answer start = answer_new(&p, NULL);
            if (solve(&p, &o, &start) != PCS_OK) exit(2);
            for (int k = 0; k < TOLERANCES; ++k) {
                finish(&p, start.r, tolerance[k], &t[k]);
            }
            if (least == 0 || p.b.nb < least) least = p.b.nb;
            if (p.b.nb > most) most = p.b.nb;
            answer_free(&start);
            pile_free(&p);
        }
    }
    printf("%-15s %8d %5d-%-5d", c->name, t[0].problems, least, most);
    for (int k = 0; k < TOLERANCES; ++k) {
        const double mean = t[k].solved > 0 ? (double)t[k].solved_steps / t[k].solved : 0;
        printf("  %3d %6.1f %7.3f", t[k].solved, mean, 1e3 * t[k].seconds / (t[k].steps + 1e-9));
    }
    printf("\n");
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        for (int k = 0; k < ROWS; ++k) {
            printf("%s\n", rows[k].name);
        }
        return strcmp(argv[1], "--list") == 0 ? 0 : 2;
    }
    printf("%-15s %8s %11s", "piles", "problems", "blocks");
    for (int k = 0; k < TOLERANCES; ++k) {
        printf("  %-18g", tolerance[k]);
    }
    printf("\n%-36s", "");
    for (int k = 0; k < TOLERANCES; ++k) {
        printf("  %3s %6s %7s", "ok", "steps", "ms each");
    }
    printf("\n");
    for (int k = 0; k < ROWS; ++k) {
        run(&rows[k]);
        fflush(stdout);
    }
    return 0;
}
