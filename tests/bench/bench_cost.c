// Growth of costs with the number of contacts: processor time of a sweep of nsgs and of an
// iteration of ipm, on the assembled W and on the velocities of the bodies.
//
//     bench_cost [--list] [--scene NAME] [--size NC] [--repeats N] [--csv FILE]
//
// The time of a sweep is the difference of sixty sweeps and ten, divided by fifty, without a
// residual in between; that of an iteration is the difference of the first twelve and the first
// four, divided by eight. Both are differences of minima. Then the bench solves the problem by ipm:
// time, iterations, residual.
#define _POSIX_C_SOURCE 200809L

#include <float.h>
#include <stdio.h>
#include <string.h>

#include <percuss/global.h>
#include <percuss/solver.h>

#include "bench.h"
#include "cost_scene.h"
#include "options.h"

// blocks of W beyond which it is not assembled
#define MOST_BLOCKS 4e6
// seconds after which no further repetition is begun
#define PATIENCE 15

typedef struct method {
    const char *name;
    pcs_solver kind;
    bool bodies; // global form
    pcs_ipm_shift shift;
} method;

static const method methods[] = {
    {"nsgs, W", PCS_SOLVER_NSGS, false, 0},
    {"nsgs, bodies", PCS_SOLVER_NSGS, true, 0},
    {"ipm, contact, differentiated", PCS_SOLVER_IPM, false, PCS_IPM_SHIFT_DIFFERENTIATED},
    {"ipm, contact, lagged", PCS_SOLVER_IPM, false, PCS_IPM_SHIFT_LAGGED},
    {"ipm, body, differentiated", PCS_SOLVER_IPM, true, PCS_IPM_SHIFT_DIFFERENTIATED},
    {"ipm, body, lagged", PCS_SOLVER_IPM, true, PCS_IPM_SHIFT_LAGGED},
};
static const int sizes[] = {100, 1000, 10000};

#define COUNT(x) ((int)(sizeof(x) / sizeof *(x)))

static double processor_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct vectors {
    double *v, *r, *u;
} vectors;

static double solve(const cost_scene *s, const method *m, const pcs_solver_opts *o,
                    const vectors *x, pcs_report *report)
{
    pcs_status status;
    memset(x->r, 0, 3 * (size_t)s->nc * sizeof *x->r);
    const double start = processor_seconds();
    if (m->bodies) {
        status = pcs_solve_global(NULL, &s->g, o, (pcs_watch){0}, x->v, x->r, x->u, report);
    } else {
        status = pcs_solve_alloc(NULL, &s->p, o, x->r, x->u, report);
    }
    if (status != PCS_OK) {
        fprintf(stderr, "bench_cost: %s\n", pcs_error_text());
        exit(2);
    }
    return processor_seconds() - start;
}

static double fastest(const cost_scene *s, const method *m, const pcs_solver_opts *o,
                      const vectors *x, int repeats, pcs_report *report)
{
    double best = DBL_MAX, total = 0;
    for (int k = 0; k < repeats && (k == 0 || total < PATIENCE); ++k) {
        const double t = solve(s, m, o, x, report);
        total += t;
        if (t < best) best = t;
    }
    return best;
}

static void bench(const cost_scene *s, const char *scene, const method *m, int repeats, FILE *csv)
{
    const vectors x = {malloc(6 * (size_t)s->bodies * sizeof(double)),
                       malloc(3 * (size_t)s->nc * sizeof(double)),
                       malloc(3 * (size_t)s->nc * sizeof(double))};
    if (!x.v || !x.r || !x.u) exit(2);
    const bool sweeps = m->kind == PCS_SOLVER_NSGS;
    const int few = sweeps ? 10 : 4, many = sweeps ? 60 : 12;
    pcs_solver_opts o = pcs_solver_opts_default(m->kind);
    pcs_report report;
    o.tol = 1e-300;
    if (sweeps) {
        o.as.nsgs.depth = 0;
        o.as.nsgs.check_every = 1000000;
    } else {
        o.as.ipm.shift = m->shift;
        o.as.ipm.space = m->bodies ? PCS_IPM_SPACE_BODY : PCS_IPM_SPACE_CONTACT;
    }
    o.max_iters = few;
    const double begin = fastest(s, m, &o, &x, repeats, &report);
    o.max_iters = many;
    const double end = fastest(s, m, &o, &x, repeats, &report);
    const double one = (end - begin) / (report.iters - few);
    printf("%-6s %6d contacts  %-29s %10.1f ns a contact and %s", scene, s->nc, m->name,
           1e9 * one / s->nc, sweeps ? "sweep" : "iteration");

    double whole = 0;
    if (!sweeps) {
        o.max_iters = 100;
        o.tol = 1e-8;
        whole = fastest(s, m, &o, &x, 1 + repeats / 4, &report);
        printf("; %s at %.1e after %d iterations, %.3g s", pcs_outcome_text(report.outcome),
               report.measure.residual, report.iters, whole);
    }
    printf("\n");
    fflush(stdout);
    if (csv) {
        fprintf(csv, "%s,%d,\"%s\",%.6g,%.6g,%d,%.3g\n", scene, s->nc, m->name, one / s->nc, whole,
                report.iters, report.measure.residual);
    }
    free(x.v);
    free(x.r);
    free(x.u);
}

int main(int argc, char **argv)
{
    const char *only = NULL, *path = NULL;
    int size = 0, repeats = 9;
    const bench_option options[] = {BENCH_WORD("--scene", &only), BENCH_COUNT("--size", &size),
                                    BENCH_COUNT("--repeats", &repeats), BENCH_WORD("--csv", &path)};
    if (bench_options(argc, argv, "bench_cost", options, COUNT(options))) {
        for (int k = 0; k < COST_KINDS; ++k) {
            printf("%s\n", cost_name[k]);
        }
        return 0;
    }
    FILE *csv =
        bench_table(path, "scene,contacts,method,seconds_per_contact,solve,iterations,residual");
    for (int k = 0; k < COST_KINDS; ++k) {
        if (only && strcmp(only, cost_name[k]) != 0) continue;
        for (int j = 0; j < COUNT(sizes); ++j) {
            if (size > 0 && size != sizes[j]) continue;
            cost_scene s;
            cost_create((cost_kind)k, sizes[j], &s);
            const bool assembled = cost_blocks(&s) <= MOST_BLOCKS;
            if (assembled) cost_condense(&s);
            for (int i = 0; i < COUNT(methods); ++i) {
                if (assembled || methods[i].bodies) {
                    bench(&s, cost_name[k], &methods[i], repeats, csv);
                }
            }
            cost_destroy(&s);
        }
    }
    bench_table_close(csv, path);
    return 0;
}
