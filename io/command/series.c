// percuss bench --series: `percuss solve --csv` on the problems of time series, many in one
// process, and the sums over each series.
//
// The problems of a step (its parts) have names that begin alike, step-NUMBER. A step is solved
// when all its problems are.
#define _POSIX_C_SOURCE 200809L // strsignal

#include "command/series.h"

#include <ctype.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command/bench_run.h"
#include "command/output.h"
#include "command/solve_child.h"
#include "command/trace.h"
#include "problem_file/csv_table.h"
#include "problem_file/worst.h"

// problems in one process, whose start costs as much as a small problem
#define MOST_FILES 200
// beyond its limit a problem has this much time to be read; a solve may be repeated just before it
#define GRACE_SECONDS 2.0
#define GRACE_FACTOR  2.5
#define MOST_OUTPUT   ((size_t)1 << 24)

// a series with a solver and a tolerance, and its sums
typedef struct sums {
    const char *name;
    const args_list *files;
    solve_line line;
    char solver[80], tol[32]; // those of all problems, or "various"
    int done, solved, steps, steps_solved, lost;
    double seconds, slowest, residual, natural;
    long iterations;
    bool step_unsolved; // of the step of the last problem
    bool warned, broken;
} sums;

// ---- one problem -------------------------------------------------------------------------------

// length of "step-NUMBER" at the start of the name of a captured file, else of the whole name
static size_t length_of_step(const char *name)
{
    size_t n = strncmp(name, "step-", 5) == 0 ? 5 : 0;
    while (n > 0 && isdigit((unsigned char)name[n])) {
        ++n;
    }
    return n > 5 ? n : strlen(name);
}

// whether the file is of the same step as the one before it
static bool continues_step(const sums *x, int i)
{
    if (i == 0) return false;
    const run now = {.file = x->files->at[i]}, last = {.file = x->files->at[i - 1]};
    const char *a = run_problem(&now), *b = run_problem(&last);
    const size_t n = length_of_step(a);
    return n == length_of_step(b) && strncmp(a, b, n) == 0;
}

static void agree(char *all, size_t size, const char *one)
{
    if (!all[0]) snprintf(all, size, "%s", one);
    if (strcmp(all, one) != 0) snprintf(all, size, "various");
}

// adds the next problem of the series
static void add(sums *x, const run *r)
{
    const bool good = run_solved(r);
    char tol[32];
    if (!continues_step(x, x->done)) {
        x->steps += 1;
        x->steps_solved += good;
        x->step_unsolved = !good;
    } else if (!good && !x->step_unsolved) {
        x->steps_solved -= 1;
        x->step_unsolved = true;
    }
    x->done += 1;
    x->solved += good;
    if (isnan(r->seconds)) {
        x->lost += 1;
        return;
    }
    snprintf(tol, sizeof tol, "%g", r->tol);
    agree(x->solver, sizeof x->solver, r->solver);
    agree(x->tol, sizeof x->tol, tol);
    x->seconds += r->seconds;
    x->slowest = fmax(x->slowest, r->seconds);
    x->residual = worst_of(x->residual, r->residual);
    x->natural = worst_of(x->natural, r->relative);
    x->iterations += r->iterations;
}

// the first reason for a problem without a result; the others are in problems.csv
static void warn(sums *x, const char *file, const char *why)
{
    if (!x->warned) complain("bench: %s: %s", file, why);
    x->warned = true;
}

static void lose(sums *x, const child *c, FILE *out)
{
    run r = run_none();
    char words[128];
    snprintf(words, sizeof words, "%s",
             c->killed                ? "it exceeded its time"
             : WIFSIGNALED(c->status) ? strsignal(WTERMSIG(c->status))
                                      : "its process ended");
    r.file = x->files->at[x->done];
    r.solver = x->line.solver ? x->line.solver : "";
    r.tol = x->line.tol;
    r.outcome = c->killed ? "timeout" : "crash";
    r.message = words;
    warn(x, r.file, words);
    if (out) run_csv(out, &r);
    add(x, &r);
}

// ---- a process ---------------------------------------------------------------------------------

// adds the rows that a process printed; returns their number
static int read_rows(sums *x, char *text, FILE *out)
{
    int place[RUN_COLUMNS], fields, rows = 0;
    char *line = text, *end = text ? strchr(text, '\n') : NULL;
    if (!end) return 0;
    *end = '\0';
    if (!run_read_header(line, place, &fields)) return 0;
    for (line = end + 1; (end = strchr(line, '\n')); line = end + 1) {
        run r;
        *end = '\0';
        if (!run_read(line, place, fields, &r)) break;
        // with its options
        if (x->line.solver) r.solver = x->line.solver;
        if (out) run_csv(out, &r);
        if (isnan(r.seconds)) warn(x, r.file, r.message[0] ? r.message : r.outcome);
        add(x, &r);
        rows += 1;
    }
    return rows;
}

static int count_lines(const char *text)
{
    int n = 0;
    for (; text && (text = strchr(text, '\n')); ++text) {
        ++n;
    }
    return n;
}

static void show(const sums *x, int done)
{
    if (!isatty(STDERR_FILENO)) return;
    char *name = readable(x->name);
    fprintf(stderr, "\r\033[K%d of %d  %.40s", x->done + done, x->files->n, name);
    fflush(stderr);
    free(name);
}

// the time for one problem counts from the end of the one before it
static void wait_for(const sums *x, child *c)
{
    const double limit = c->limit;
    for (int rows = 0; !child_ended(c) && !interrupted();) {
        children_wait(c, 1, 100);
        const int now = count_lines(c->out.text);
        if (now == rows) continue;
        rows = now;
        c->limit = clock_now() - c->started + limit;
        show(x, rows - 1);
    }
}

// solves the next problems in one process
static void solve_some(sums *x, FILE *out)
{
    const int left = x->files->n - x->done;
    const double most = x->line.s->max_seconds;
    child c = {.most = MOST_OUTPUT};
    x->line.file = x->files->at + x->done;
    x->line.files = left < MOST_FILES ? left : MOST_FILES;
    show(x, 0);
    if (!solve_child_start(&c, &x->line,
                           most > 0 ? GRACE_SECONDS + GRACE_FACTOR * most : INFINITY)) {
        x->broken = true;
        return;
    }
    wait_for(x, &c);
    const int rows = read_rows(x, c.out.text, out);
    if (rows < x->line.files && !interrupted()) lose(x, &c, out);
    child_kill(&c);
}

// ---- the table ---------------------------------------------------------------------------------

static void print_header(int width, int wide)
{
    printf("%-*s  %-*s %-7s %13s %10s %10s %9s %9s %6s\n", width, "series", wide, "solver", "tol",
           "steps solved", "seconds", "slowest", "iters", "residual", "lost");
}

static void print_sums(const sums *x, int width, int wide)
{
    char *name = readable(x->name);
    printf("%s%*s  %-*s %-7s %6d/%-6d %10.4g %10.3g %9ld %9.1e %6d\n", name,
           width - columns_of(name), "", wide, x->solver, x->tol, x->steps_solved, x->steps,
           x->seconds, x->slowest, x->iterations, x->residual, x->lost);
    fflush(stdout);
    free(name);
}

static void put_header(FILE *f)
{
    static const char *const columns[] = {
        "series", "solver",  "tol",     "steps",      "steps_solved", "problems",
        "solved", "seconds", "slowest", "iterations", "residual",     "relative_natural_map",
        "lost"};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; ++i) {
        csv_text(f, i == 0, columns[i]);
    }
    csv_end(f);
}

static void put_sums(FILE *f, const sums *x)
{
    csv_text(f, true, x->name);
    csv_text(f, false, x->solver);
    csv_text(f, false, x->tol);
    csv_int(f, false, x->steps);
    csv_int(f, false, x->steps_solved);
    csv_int(f, false, x->done);
    csv_int(f, false, x->solved);
    csv_real(f, false, x->seconds);
    csv_real(f, false, x->slowest);
    csv_int(f, false, x->iterations);
    csv_real(f, false, x->residual);
    csv_real(f, false, x->natural);
    csv_int(f, false, x->lost);
    csv_end(f);
}

static int width_of(const char *head, char *const *name, int n)
{
    int width = (int)strlen(head);
    for (int i = 0; i < n; ++i) {
        char *words = readable(name[i]);
        if (columns_of(words) > width) width = columns_of(words);
        free(words);
    }
    return width;
}

// ---- all series --------------------------------------------------------------------------------

// series.csv and problems.csv, if asked for
typedef struct tables {
    char *path[2];
    output out[2];
} tables;

static bool open_tables(const series_bench *b, tables *t)
{
    *t = (tables){.path = {NULL}};
    if (!b->out) return true;
    t->path[0] = join(b->out, "/", "series.csv");
    t->path[1] = join(b->out, "/", "problems.csv");
    if (!output_open(&t->out[0], t->path[0]) || !output_open(&t->out[1], t->path[1])) return false;
    put_header(t->out[0].f);
    run_csv_header(t->out[1].f);
    return true;
}

// the larger file first, nothing after a failure
static bool close_tables(tables *t, bool good)
{
    for (int i = 1; i >= 0; --i) {
        if (good && t->path[i]) {
            good = output_commit(&t->out[i]);
        } else {
            output_abandon(&t->out[i]);
        }
    }
    free(t->path[0]);
    free(t->path[1]);
    return good;
}

// the line of a series, a solver and a tolerance; an exit code
static int solve_series(const series_bench *b, int i, int k, int t, sums *x, FILE *out)
{
    *x = (sums){.name = b->name[i], .files = &b->files[i]};
    x->line = (solve_line){.self = b->self,
                           .solver = b->solvers->n ? b->solvers->at[k] : NULL,
                           .tol = b->tols ? b->tol[t] : NAN,
                           .s = b->s,
                           .repeat = b->repeat};
    while (x->done < x->files->n && !x->broken && !interrupted()) {
        solve_some(x, out);
    }
    if (isatty(STDERR_FILENO)) fprintf(stderr, "\r\033[K");
    if (x->broken || interrupted()) return WRONG;
    // without any result these are still as asked for
    if (!x->solver[0])
        snprintf(x->solver, sizeof x->solver, "%s", x->line.solver ? x->line.solver : "-");
    if (!x->tol[0]) snprintf(x->tol, sizeof x->tol, b->tols ? "%g" : "-", x->line.tol);
    return x->solved == x->files->n ? DONE : UNCONVERGED;
}

int series_run(const series_bench *b)
{
    tables t;
    if (!open_tables(b, &t)) return close_tables(&t, false), WRONG;
    const int width = width_of("series", b->name, b->n);
    const int wide = width_of("solver", b->solvers->at, b->solvers->n);
    const int solvers = b->solvers->n ? b->solvers->n : 1, tols = b->tols ? b->tols : 1;
    const int lines = b->n * solvers * tols;
    int code = DONE, done = 0;
    print_header(width, wide);
    for (int i = 0; i < lines && code != WRONG; ++i) {
        sums x;
        const int one =
            solve_series(b, i / (solvers * tols), i / tols % solvers, i % tols, &x, t.out[1].f);
        if (one > code) code = one;
        if (one == WRONG) break;
        print_sums(&x, width, wide);
        if (t.out[0].f) put_sums(t.out[0].f, &x);
        done += 1;
    }
    if (interrupted() && done < lines) {
        complain("bench: interrupted after %d of %d lines%s", done, lines,
                 b->out ? "; no table is written" : "");
    }
    return close_tables(&t, code != WRONG) ? code : WRONG;
}
