// Performance profile of solver k: rho_k(t) = share of the problems with time(p, k) <= t min_j
// time(p, j), where an unsolved problem never counts. Success curve: share with time(p, k) <= t.
//
// E. Dolan, J. More, Benchmarking optimization software with performance profiles, Math. Program.
// 91, 2002.
#include "command/profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command/command.h"

// shorter times depend on the clock and a cold cache
#define SHORTEST 1e-7

// ---- the table ---------------------------------------------------------------------------------

static int find_text(const char *const *list, int n, const char *text)
{
    for (int i = 0; i < n; ++i) {
        if (strcmp(list[i], text) == 0) return i;
    }
    return -1;
}

// finds the problem of a run by its path, else by the last part of it
static int find_problem(const study *s, const run *r)
{
    const int i = find_text(s->problem, s->problems, r->file);
    for (int k = 0; k < s->problems && i < 0; ++k) {
        const run other = {.file = s->problem[k]};
        if (strcmp(run_problem(&other), run_problem(r)) == 0) return k;
    }
    return i;
}

static int find_tol(const study *s, double tol)
{
    for (int i = 0; i < s->tols; ++i) {
        if (fabs(s->tol[i] - tol) <= 1e-9 * tol) return i;
    }
    return -1;
}

static size_t index_of(const study *s, int problem, int solver, int tol)
{
    return ((size_t)problem * (size_t)s->solvers + (size_t)solver) * (size_t)s->tols + (size_t)tol;
}

static void sort_in(study *s, const runs *x)
{
    for (int i = 0; x && i < x->n; ++i) {
        const run *r = &x->at[i];
        const int p = find_problem(s, r), k = find_text(s->solver, s->solvers, r->solver);
        const int t = find_tol(s, r->tol);
        // the last of several runs is used
        if (p >= 0 && k >= 0 && t >= 0) s->cell[index_of(s, p, k, t)] = r;
    }
}

void study_make(study *s, int problems, const char **problem, int solvers, const char **solver,
                int tols, const double *tol, const runs *own, const runs *added)
{
    *s = (study){.problems = problems, .problem = problem, .tols = tols, .tol = tol};
    s->solver = take((size_t)(solvers + (added ? added->n : 0)), sizeof *s->solver);
    for (int k = 0; k < solvers; ++k) {
        s->solver[s->solvers++] = solver[k];
    }
    for (int i = 0; added && i < added->n; ++i) {
        const run *r = &added->at[i];
        if (find_problem(s, r) < 0 || find_tol(s, r->tol) < 0) continue;
        if (find_text(s->solver, s->solvers, r->solver) < 0) s->solver[s->solvers++] = r->solver;
    }
    s->cell = take((size_t)problems * (size_t)s->solvers * (size_t)tols, sizeof *s->cell);
    sort_in(s, added);
    sort_in(s, own);
}

void study_free(study *s)
{
    free(s->solver);
    free(s->cell);
    *s = (study){0};
}

const run *study_run(const study *s, int problem, int solver, int tol)
{
    return s->cell[index_of(s, problem, solver, tol)];
}

double study_time(const study *s, int problem, int solver, int tol)
{
    const run *r = study_run(s, problem, solver, tol);
    if (!r || !run_solved(r) || !(r->seconds >= 0)) return INFINITY;
    return fmax(r->seconds, SHORTEST);
}

double study_best(const study *s, int problem, int tol)
{
    double best = INFINITY;
    for (int k = 0; k < s->solvers; ++k) {
        best = fmin(best, study_time(s, problem, k, tol));
    }
    return best;
}

study_sum study_summary(const study *s, int solver, int tol)
{
    study_sum x = {.ratio = NAN, .worst = NAN};
    double logs = 0;
    for (int p = 0; p < s->problems; ++p) {
        const run *r = study_run(s, p, solver, tol);
        if (!r) continue;
        x.tried += 1;
        x.lost += strcmp(r->outcome, "crash") == 0 || strcmp(r->outcome, "timeout") == 0;
        const double time = study_time(s, p, solver, tol);
        if (!isfinite(time)) continue;
        const double ratio = time / study_best(s, p, tol);
        x.solved += 1;
        x.fastest += ratio == 1;
        x.seconds += time;
        x.worst = fmax(x.worst, ratio);
        logs += log(ratio);
    }
    if (x.solved > 0) x.ratio = exp(logs / x.solved);
    return x;
}

// ---- the curves --------------------------------------------------------------------------------

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// fills x and y (problems each) and returns the number of steps of the curve
static int make_curve(const study *s, study_plot plot, int solver, int tol, double *x, double *y)
{
    int n = 0;
    for (int p = 0; p < s->problems; ++p) {
        const double time = study_time(s, p, solver, tol);
        if (!isfinite(time)) continue;
        x[n++] = plot == STUDY_PROFILE ? time / study_best(s, p, tol) : time;
    }
    qsort(x, (size_t)n, sizeof *x, compare);
    for (int i = 0; i < n; ++i) {
        y[i] = (i + 1.0) / s->problems;
    }
    return n;
}

// sorts curves by their end value, then by the mean of -log x over their steps: early ones first
static int better(const void *a, const void *b)
{
    const svg_curve *x = a, *y = b;
    if (x->n != y->n) return y->n - x->n;
    double sum[2] = {0, 0};
    for (int i = 0; i < x->n; ++i) {
        sum[0] += log(x->x[i]);
        sum[1] += log(y->x[i]);
    }
    if (sum[0] != sum[1]) return sum[0] < sum[1] ? -1 : 1;
    return x->color - y->color;
}

// the axis: a little longer than the data, but not beyond the range where curves differ
static void make_axis(svg_figure *g, study_plot plot)
{
    double low = INFINITY, high = 0;
    for (int k = 0; k < g->n; ++k) {
        const svg_curve *c = &g->curve[k];
        if (c->n == 0) continue;
        low = fmin(low, c->x[0]);
        high = fmax(high, c->x[c->n - 1]);
    }
    if (plot == STUDY_PROFILE) {
        g->low = 1;
        g->high = fmin(1e4, fmax(10, pow(10, ceil(log10(fmax(high, 1)) * 2) / 2)));
    } else {
        g->low = isfinite(low) ? pow(10, floor(log10(low))) : 1e-3;
        g->high = high > 0 ? pow(10, ceil(log10(high))) : 1;
        if (g->high < 10 * g->low) g->high = 10 * g->low;
    }
}

void study_draw(FILE *f, const study *s, study_plot plot, int tol, bool standalone)
{
    const size_t n = (size_t)s->problems;
    double *numbers = take(2 * n * (size_t)s->solvers, sizeof *numbers);
    svg_curve *curve = take((size_t)s->solvers, sizeof *curve);
    for (int k = 0; k < s->solvers; ++k) {
        double *x = numbers + 2 * n * (size_t)k, *y = x + n;
        curve[k] = (svg_curve){.name = s->solver[k],
                               .n = make_curve(s, plot, k, tol, x, y),
                               .x = x,
                               .y = y,
                               .strong = strcmp(s->solver[k], "auto") == 0,
                               .color = k};
    }
    qsort(curve, (size_t)s->solvers, sizeof *curve, better);

    char title[128];
    snprintf(title, sizeof title,
             plot == STUDY_PROFILE ? "Performance profile at %g, %d problem%s"
                                   : "Solved within a time at %g, %d problem%s",
             s->tol[tol], s->problems, s->problems == 1 ? "" : "s");
    svg_figure g = {.title = title,
                    .x_label = plot == STUDY_PROFILE ? "time / time of the fastest" : "time",
                    .y_label = "problems solved",
                    .unit = plot == STUDY_PROFILE ? "\xc3\x97" : "s",
                    .n = s->solvers,
                    .curve = curve};
    make_axis(&g, plot);
    svg_write(f, &g, standalone);
    free(curve);
    free(numbers);
}
