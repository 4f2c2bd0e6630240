// Times of LCP and MLCP by size and solver.
//
//     bench_lcp [--list] [--case NAME] [--solver NAME] [--size N] [--repeats N] [--tol T] [--csv
//     FILE]
//
// Every solve starts from r = 0. A solver that takes more than ten seconds is not run again.
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <string.h>

#include <percuss/solver_table.h>

#include "bench.h"
#include "options.h"
#include "problems.h"

#define MAX_SECONDS 10

typedef struct bench_case {
    const char *name, *text;
    family family;
} bench_case;

static const bench_case cases[] = {
    {"spd", "LCP, W dense symmetric positive definite", FAMILY_SPD},
    {"psd", "LCP, W dense of half rank", FAMILY_PSD},
    {"chain", "LCP, contacts between the bodies of a chain, W block-sparse", FAMILY_CHAIN},
    {"mlcp", "MLCP, 40 % equality rows in any order, W dense positive definite", FAMILY_MIXED},
    {"mlcp_psd", "the same, W of half rank", FAMILY_MIXED_PSD},
    {"skewed", "LCP, W dense unsymmetric, positive definite", FAMILY_SKEWED},
};
static const int sizes[] = {1, 2, 10, 30, 100, 300, 1000};

#define COUNT(x) ((int)(sizeof(x) / sizeof *(x)))

typedef struct task {
    pcs_problem p;
    pcs_solver_opts o;
    pcs_arena work;
    double *r, *u;
    pcs_report report;
} task;

static void solve(void *user)
{
    task *t = user;
    memset(t->r, 0, (size_t)t->p.n * sizeof *t->r);
    if (pcs_solve(&t->p, &t->o, (pcs_watch){0}, t->work, t->r, t->u, &t->report) != PCS_OK) {
        fprintf(stderr, "bench_lcp: %s\n", pcs_error_text());
        exit(2);
    }
}

// one line of the table; false when the solver does not take the problem
static bool measure(const bench_case *c, int n, const pcs_solver_info *s, double tol, int repeats,
                    FILE *csv)
{
    pcs_arena arena;
    const size_t bytes = (size_t)n * (size_t)n * 40 + ((size_t)n + 64) * 512;
    if (pcs_arena_create(NULL, bytes, &arena) != PCS_OK) exit(2);
    task t = {.o = pcs_solver_opts_default(s->kind)};
    t.o.tol = tol;
    t.o.max_seconds = MAX_SECONDS;
    if (s->kind == PCS_SOLVER_NSGS) t.o.max_iters = 1000000;
    t.p = family_problem(c->family, n, 1, &arena, NULL);
    t.r = PCS_TAKE(&arena, (size_t)n, double);
    t.u = PCS_TAKE(&arena, (size_t)n, double);
    const size_t work = pcs_solve_bytes(&t.p, &t.o);
    if (pcs_arena_create(NULL, work, &t.work) != PCS_OK) exit(2);

    const pcs_status status = pcs_solve(&t.p, &t.o, (pcs_watch){0}, t.work,
                                        memset(t.r, 0, (size_t)n * sizeof *t.r), t.u, &t.report);
    if (status == PCS_OK) {
        const bench_time time = bench_run(solve, &t, t.report.seconds > 1 ? 1 : repeats);
        const double natural = pcs_measure_relative_natural_map(&t.report.measure);
        printf("%-9s %5d %-7s %11.3e %11.3e %-10s %8.1e %8.1e %8d %10zu\n", c->name, n, s->name,
               time.minimum, time.median, pcs_outcome_text(t.report.outcome),
               t.report.measure.residual, natural, t.report.iters, work);
        fflush(stdout);
        if (csv) {
            fprintf(csv, "%s,%d,%s,%.17g,%.17g,%s,%.17g,%.17g,%d,%zu\n", c->name, n, s->name,
                    time.minimum, time.median, pcs_outcome_text(t.report.outcome),
                    t.report.measure.residual, natural, t.report.iters, work);
        }
    }
    const bool again = status == PCS_OK && t.report.seconds < MAX_SECONDS / 2;
    pcs_arena_destroy(NULL, &t.work);
    pcs_arena_destroy(NULL, &arena);
    return again;
}

int main(int argc, char **argv)
{
    const char *only_case = NULL, *only_solver = NULL, *path = NULL;
    int repeats = 11, only_size = 0;
    double tol = 1e-10;
    const bench_option options[] = {
        BENCH_WORD("--case", &only_case),  BENCH_WORD("--solver", &only_solver),
        BENCH_COUNT("--size", &only_size), BENCH_COUNT("--repeats", &repeats),
        BENCH_REAL("--tol", &tol),         BENCH_WORD("--csv", &path),
    };
    if (bench_options(argc, argv, "bench_lcp", options, COUNT(options))) {
        for (int k = 0; k < COUNT(cases); ++k) {
            printf("%-9s %s\n", cases[k].name, cases[k].text);
        }
        return 0;
    }
    FILE *csv =
        bench_table(path, "case,n,solver,min_s,median_s,outcome,residual,natural_map,iters,bytes");

    printf("%-9s %5s %-7s %11s %11s %-10s %8s %8s %8s %10s\n", "case", "n", "solver", "min s",
           "median s", "outcome", "residual", "natural", "iters", "bytes");
    int lines = 0;
    for (int k = 0; k < COUNT(cases); ++k) {
        if (only_case && strcmp(only_case, cases[k].name) != 0) continue;
        for (int s = 0; s < pcs_solver_count(); ++s) {
            const pcs_solver_info *info = pcs_solver_at(s);
            if (only_solver && strcmp(only_solver, info->name) != 0) continue;
            if (!(info->cones & 1u << PCS_CONE_UNILATERAL)) continue;
            for (int j = 0; j < COUNT(sizes); ++j) {
                if (only_size > 0 && sizes[j] != only_size) continue;
                ++lines;
                if (!measure(&cases[k], sizes[j], info, tol, repeats, csv)) break;
            }
        }
    }
    bench_table_close(csv, path);
    if (lines == 0) fprintf(stderr, "bench_lcp: there is no such case, solver or size\n");
    return lines > 0 ? 0 : 2;
}
