// What each part of `auto` contributes (doc/solver-auto.md): over problem files, captured problems
// of steps, or the generated family, how often a part runs, how many problems end with it, and the
// processor time spent in it.
//
//     bench_course [--tol X] [--natural] [--seconds X] [--local] [--left-out] [--family MOST]
//                  [--rows SEEDS] [--without N] [-- FILE...]
//
// Problems of steps have the start, the tolerance and the budget of their files, all others r = 0
// and 1e-8. --natural compares the relative natural map with the tolerance, not the residual.
// --local solves the assembled W in place of bodies. --left-out solves all problems that a part has
// worked on again without it: how many are not solved then, and the time that all of them take.
// --without leaves the parts of a sum of 2^(number - 1) out of all solves.
// --family has the members of at most MOST contacts, --rows random problems without friction.
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <percuss/bodies.h>
#include <percuss/problem_file.h>
#include <percuss/solver.h>
#include <percuss/solver_table.h>

#include "family.h"
#include "options.h"
#include "problems.h"

#define COUNT(x) ((int)(sizeof(x) / sizeof *(x)))
#define PARTS    32 // numbers of parts; 0: the start, and what is not of auto

typedef struct wish {
    double tol, seconds;
    bool natural, local, left_out;
    int most;    // contacts of a member of the family; 0: no family
    int without; // sum of 2^(number - 1) of parts that all solves leave out
    int seeds;   // of each random problem without friction
} wish;

static double tol_of(const wish *w)
{
    return w->tol > 0 ? w->tol : 1e-8;
}

// a problem in one of its representations, and r, u, v for it
typedef struct problem {
    const char *name;
    const pcs_problem *p;
    const pcs_global_problem *g;
    const pcs_bodies_problem *b;
    const double *start;
    double tol, budget;
    int rows, velocities;
    double *r, *u, *v;
} problem;

// a solve
typedef struct course {
    double last; // time of the last call of the watch
    bool ran[PARTS];
    double seconds[PARTS];
    const char *solver[PARTS];
    pcs_report report;
    bool solved;
} course;

typedef struct row {
    const char *solver;
    int ran, ended, lost;
    double seconds, with, without;
} row;

typedef struct sums {
    int all, solved, refused;
    double seconds;
    row row[PARTS];
} sums;

// processor time
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void spend(course *c, int part, pcs_solver solver)
{
    const double t = now();
    c->ran[part] = true;
    c->seconds[part] += t - c->last;
    const pcs_solver_info *info = pcs_solver_at((int)solver);
    if (!c->solver[part] && info) c->solver[part] = info->name;
    c->last = t;
}

static int hear(void *user, const pcs_progress *progress)
{
    spend(user, progress->part, progress->solver);
    return 0;
}

static pcs_status solve(const problem *x, const pcs_solver_opts *o, pcs_watch watch,
                        pcs_report *out)
{
    if (x->b) return pcs_solve_bodies(NULL, x->b, o, x->budget, watch, x->v, x->r, x->u, out);
    if (x->g) return pcs_solve_global(NULL, x->g, o, watch, x->v, x->r, x->u, out);
    pcs_arena work;
    const pcs_status status = pcs_arena_create(NULL, pcs_solve_bytes(x->p, o), &work);
    if (status != PCS_OK) return status;
    const pcs_status solved = pcs_solve(x->p, o, watch, work, x->r, x->u, out);
    pcs_arena_destroy(NULL, &work);
    return solved;
}

// false after a sentence when the problem is refused
static bool run(const wish *w, const problem *x, int without, course *c)
{
    *c = (course){0};
    pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_AUTO);
    o.tol = x->tol;
    o.stop = w->natural ? PCS_STOP_NATURAL : PCS_STOP_RESIDUAL;
    o.max_seconds = w->seconds;
    o.as.portfolio.without = w->without | without;
    for (int i = 0; i < x->rows; ++i) {
        x->r[i] = x->start ? x->start[i] : 0;
    }
    c->last = now();
    if (solve(x, &o, (pcs_watch){hear, c}, &c->report) != PCS_OK) {
        fprintf(stderr, "%s: %s\n", x->name, pcs_error_text());
        return false;
    }
    spend(c, c->report.part, c->report.solver);
    c->solved = c->report.outcome == PCS_OUTCOME_CONVERGED;
    return true;
}

static double total(const course *c)
{
    double sum = 0;
    for (int k = 0; k < PARTS; ++k) {
        sum += c->seconds[k];
    }
    return sum;
}

static void add(const wish *w, problem *x, sums *s)
{
    course c, other;
    x->r = calloc((size_t)x->rows + 1, sizeof *x->r);
    x->u = calloc((size_t)x->rows + 1, sizeof *x->u);
    x->v = calloc((size_t)x->velocities + 1, sizeof *x->v);
    if (!x->r || !x->u || !x->v) exit(2);
    s->all += 1;
    const bool taken = run(w, x, 0, &c);
    s->refused += !taken;
    s->solved += taken && c.solved;
    for (int k = 0; k < PARTS && taken; ++k) {
        if (!c.ran[k]) continue;
        row *part = &s->row[k];
        if (!part->solver) part->solver = c.solver[k];
        part->ran += 1;
        part->seconds += c.seconds[k];
        part->ended += c.solved && c.report.part == k;
        s->seconds += c.seconds[k];
        if (k == 0 || !w->left_out || !run(w, x, (int)(1u << (k - 1)), &other)) continue;
        part->lost += c.solved && !other.solved;
        part->lost -= !c.solved && other.solved;
        part->with += total(&c);
        part->without += total(&other);
    }
    free(x->r);
    free(x->u);
    free(x->v);
}

static void add_family(const wish *w, sums *s)
{
    for (int i = 0; i < family_count(); ++i) {
        family_member m;
        family_create(i, &m);
        if (m.contacts <= w->most) {
            if (w->local) family_condense(&m);
            problem x = {.name = m.name,
                         .tol = tol_of(w),
                         .rows = m.g.H.row[m.g.H.m],
                         .velocities = m.g.H.col[m.g.H.n]};
            if (w->local) {
                x.p = &m.p;
            } else {
                x.g = &m.g;
            }
            add(w, &x, s);
        }
        family_destroy(&m);
    }
}

static bool add_file(const wish *w, const char *path, sums *s)
{
    pcs_problem_file *f;
    const pcs_problem *local = NULL;
    if (pcs_problem_file_read(NULL, path, PCS_FILE_ANY, &f) != PCS_OK) {
        fprintf(stderr, "%s\n", pcs_error_text());
        return false;
    }
    const bool ready =
        (!w->local && (f->bodies || f->global)) || pcs_problem_file_local(f, &local) == PCS_OK;
    if (ready) {
        problem x = {.name = path,
                     .p = local,
                     .start = f->start,
                     .tol = f->opts && !(w->tol > 0) ? f->opts->tol : tol_of(w),
                     .budget = f->bodies ? f->budget : INFINITY,
                     .rows = f->rows,
                     .velocities = f->velocities};
        if (!local) {
            x.b = f->bodies;
            x.g = f->global;
        }
        add(w, &x, s);
    } else {
        fprintf(stderr, "%s\n", pcs_error_text());
    }
    pcs_problem_file_destroy(f);
    return ready;
}

static void print_sums(const wish *w, const sums *s)
{
    printf("%d problems, %d solved, %d refused, %.3f s\n", s->all, s->solved, s->refused,
           s->seconds);
    printf("part  solver            ran    ends   seconds%s\n",
           w->left_out ? "    lost without it   seconds with it     without" : "");
    for (int k = 0; k < PARTS; ++k) {
        const row *x = &s->row[k];
        if (x->ran == 0) continue;
        printf("%4d  %-14s %6d  %6d  %8.3f", k, x->solver ? x->solver : "", x->ran, x->ended,
               x->seconds);
        if (w->left_out && k > 0) printf("  %17d  %16.3f  %10.3f", x->lost, x->with, x->without);
        printf("\n");
    }
}

// random problems without friction
static void add_rows(const wish *w, sums *s)
{
    static const int sizes[] = {2, 5, 12, 30, 80};
    for (int f = 0; f < FAMILY_COUNT; ++f) {
        for (int k = 0; k < COUNT(sizes) * w->seeds; ++k) {
            const int n = sizes[k / w->seeds], seed = 1 + k % w->seeds;
            pcs_arena arena;
            const size_t bytes = (size_t)n * (size_t)n * 40 + ((size_t)n + 64) * 512;
            if (pcs_arena_create(NULL, bytes, &arena) != PCS_OK) exit(2);
            const pcs_problem p = family_problem((family)f, n, (uint64_t)seed, &arena, NULL);
            problem x = {.name = family_name[f], .p = &p, .tol = tol_of(w), .rows = p.n};
            add(w, &x, s);
            pcs_arena_destroy(NULL, &arena);
        }
    }
}

int main(int argc, char **argv)
{
    wish w = {.seconds = 60};
    static sums all;
    const bench_option options[] = {
        BENCH_REAL("--tol", &w.tol),           BENCH_REAL("--seconds", &w.seconds),
        BENCH_COUNT("--family", &w.most),      BENCH_COUNT("--rows", &w.seeds),
        BENCH_FLAG("--natural", &w.natural),   BENCH_FLAG("--local", &w.local),
        BENCH_FLAG("--left-out", &w.left_out), BENCH_COUNT("--without", &w.without),
    };
    int flags = 1;
    while (flags < argc && strcmp(argv[flags], "--") != 0) {
        ++flags;
    }
    if (bench_options(flags, argv, "bench_course", options, COUNT(options))) return 0;
    bool good = true;
    for (int i = flags + 1; i < argc; ++i) {
        good = add_file(&w, argv[i], &all) && good;
    }
    if (w.most > 0) add_family(&w, &all);
    if (w.seeds > 0) add_rows(&w, &all);
    print_sums(&w, &all);
    return good ? 0 : 2;
}
