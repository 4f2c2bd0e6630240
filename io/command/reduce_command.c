// percuss reduce: the smallest part of a problem that still fails.
//
// Delta debugging on the blocks of constraints (Zeller, Hildebrandt, IEEE Trans. Softw. Eng. 28,
// 2002): divide the remaining blocks into n parts; try each part alone, then everything except one
// part; continue with the first that still fails; else with twice as many parts, until every part
// is one block and each is necessary. Leaving out blocks means leaving out rows and columns of W
// and entries of q. Nothing is random.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/bench_run.h"
#include "command/command_line.h"
#include "command/setup.h"

typedef struct reduction {
    setup s;
    pcs_solver_opts o;
    const char *out;
    const pcs_problem *p;
    int tries, blocks; // blocks: number in the smallest problem so far
    bool terminal, broken;
    pcs_report report; // report of the smallest problem so far
} reduction;

// ---- a part of a problem -----------------------------------------------------------------------

// a problem that keeps some blocks, with its memory
typedef struct part {
    pcs_problem p;
    pcs_block *block;
    double *q;
    int *place; // place of each scalar row of the whole problem, -1: left out
} part;

static void part_free(part *x)
{
    free(x->block);
    free(x->q);
    free(x->place);
    free(x->p.W.row);
    free(x->p.W.ptr);
    free(x->p.W.idx);
    free(x->p.W.off);
    free(x->p.W.val);
    *x = (part){0};
}

// makes the rows, blocks and q of the part
static void keep_blocks(const pcs_problem *p, const int *kept, int n, part *x)
{
    x->block = take((size_t)n, sizeof *x->block);
    x->q = take((size_t)p->n, sizeof *x->q);
    x->place = take((size_t)p->n, sizeof *x->place);
    memset(x->place, -1, (size_t)p->n * sizeof *x->place);
    int rows = 0;
    for (int k = 0; k < n; ++k) {
        const pcs_block *b = &p->block[kept[k]];
        x->block[k] = *b;
        x->block[k].row = rows;
        for (int c = 0; c < b->dim; ++c) {
            x->q[rows] = p->q[b->row + c];
            x->place[b->row + c] = rows++;
        }
    }
    x->p.n = rows;
    x->p.nb = n;
    x->p.block = x->block;
    x->p.q = x->q;
}

// the number of kept rows among first .. last - 1
static int count_kept(const part *x, int first, int last)
{
    int n = 0;
    for (int i = first; i < last; ++i) {
        n += x->place[i] >= 0;
    }
    return n;
}

// W of the part: its block rows are those of W with the rows left out, empty ones dropped
static void keep_matrix(const pcs_bsr *W, part *x)
{
    pcs_bsr *A = &x->p.W;
    int *number = take((size_t)W->m, sizeof *number);
    A->row = take((size_t)W->m + 1, sizeof *A->row);
    for (int i = 0; i < W->m; ++i) {
        const int h = count_kept(x, W->row[i], W->row[i + 1]);
        number[i] = h > 0 ? A->m : -1;
        if (h == 0) continue;
        A->row[A->m + 1] = A->row[A->m] + h;
        A->m += 1;
    }
    A->n = A->m;
    A->col = A->row;
    A->ptr = take((size_t)A->m + 1, sizeof *A->ptr);
    A->idx = take((size_t)W->ptr[W->m], sizeof *A->idx);
    A->off = take((size_t)W->ptr[W->m], sizeof *A->off);
    size_t values = 0;
    for (int i = 0; i < W->m; ++i) {
        for (int k = W->ptr[i]; k < W->ptr[i + 1] && number[i] >= 0; ++k) {
            const int j = number[W->idx[k]];
            if (j < 0) continue;
            values += (size_t)(A->row[number[i] + 1] - A->row[number[i]]) *
                      (size_t)(A->row[j + 1] - A->row[j]);
        }
    }
    A->val = take(values, sizeof *A->val);
    int stored = 0;
    size_t at = 0;
    for (int i = 0; i < W->m; ++i) {
        if (number[i] < 0) continue;
        const int height = W->row[i + 1] - W->row[i];
        for (int k = W->ptr[i]; k < W->ptr[i + 1]; ++k) {
            if (number[W->idx[k]] < 0) continue;
            A->idx[stored] = number[W->idx[k]];
            A->off[stored++] = at;
            const double *w = W->val + W->off[k];
            for (int c = W->col[W->idx[k]]; c < W->col[W->idx[k] + 1]; ++c, w += height) {
                for (int l = 0; l < height && x->place[c] >= 0; ++l) {
                    if (x->place[W->row[i] + l] >= 0) A->val[at++] = w[l];
                }
            }
        }
        A->ptr[number[i] + 1] = stored;
    }
    free(number);
}

static void part_make(const pcs_problem *p, const int *kept, int n, part *x)
{
    *x = (part){0};
    keep_blocks(p, kept, n, x);
    keep_matrix(&p->W, x);
}

static const char *solver_of(const reduction *d)
{
    return pcs_solver_at((int)d->o.kind)->name;
}

// ---- failure -----------------------------------------------------------------------------

static bool fails(reduction *d, const int *kept, int n)
{
    if (n == 0 || d->broken) return false;
    part x;
    part_make(d->p, kept, n, &x);
    double *r = take((size_t)x.p.n, sizeof *r), *u = take((size_t)x.p.n, sizeof *u);
    pcs_report report;
    const pcs_status status = pcs_solve_alloc(NULL, &x.p, &d->o, r, u, &report);
    if (status != PCS_OK) {
        complain("reduce: %s", pcs_error_text());
        d->broken = true;
    }
    free(r);
    free(u);
    part_free(&x);
    d->tries += 1;
    if (d->terminal) {
        fprintf(stderr, "\r\033[K%d tries, %d of %d blocks left", d->tries, d->blocks, d->p->nb);
        fflush(stderr);
    }
    const bool bad = status == PCS_OK && report.outcome != PCS_OUTCOME_CONVERGED;
    if (bad) {
        d->report = report;
        d->blocks = n;
    }
    return bad;
}

// shrinks kept (n), which fails, until no block of it can be left out; returns the number of blocks
// left
static int shrink(reduction *d, int *kept, int n)
{
    int *trial = take((size_t)n, sizeof *trial);
    int parts = 2;
    while (n > 1 && !d->broken && !interrupted()) {
        if (parts > n) parts = n;
        bool found = false;
        // tries a part alone, then everything except a part
        for (int without = 0; without < (parts > 2 ? 2 : 1) && !found; ++without) {
            for (int k = 0; k < parts && !found && !interrupted(); ++k) {
                const int first = (int)((long)n * k / parts),
                          last = (int)((long)n * (k + 1) / parts);
                int m = 0;
                for (int i = 0; i < n; ++i) {
                    if ((i >= first && i < last) != (without == 1)) trial[m++] = kept[i];
                }
                if (!fails(d, trial, m)) continue;
                memcpy(kept, trial, (size_t)m * sizeof *kept);
                n = m;
                parts = without && parts > 3 ? parts - 1 : 2;
                found = true;
            }
        }
        if (found) continue;
        if (parts == n) break;
        parts *= 2;
    }
    free(trial);
    return n;
}

// ---- the subcommand ----------------------------------------------------------------------------

static int write_part(const reduction *d, const char *path, const int *kept, int n)
{
    char name[256], *made = NULL;
    if (!d->out) {
        // the default output: stack.hdf5 becomes stack-reduced.pcs, in the current folder
        const char *slash = strrchr(path, '/');
        snprintf(name, sizeof name, "%.200s", slash ? slash + 1 : path);
        char *dot = strrchr(name, '.');
        if (dot && dot > name) *dot = '\0';
        made = join(name, "-reduced", ".pcs");
    }
    const char *out = d->out ? d->out : made;
    part x;
    part_make(d->p, kept, n, &x);
    const pcs_file_content content = {.problem = &x.p, .title = "reduced by percuss reduce"};
    // a .dat file cannot hold a title; a small problem is readable when dense
    pcs_file_content bare = content;
    bare.title = NULL;
    const size_t length = strlen(out);
    const bool dat = length > 4 && strcmp(out + length - 4, ".dat") == 0;
    const pcs_status status =
        pcs_problem_file_write(NULL, out, PCS_FILE_FORMAT_BY_NAME, dat ? &bare : &content);
    if (status != PCS_OK) {
        complain("%s", pcs_error_text());
    } else {
        char *shown = readable(out);
        printf("%s: %d of %d blocks, %d of %d rows still fail (%s, %s, residual %.1e, natural map "
               "%.1e) after %d tries\n",
               shown, n, d->p->nb, x.p.n, d->p->n, solver_of(d),
               pcs_outcome_text(d->report.outcome), d->report.measure.residual,
               pcs_measure_relative_natural_map(&d->report.measure), d->tries);
        free(shown);
    }
    part_free(&x);
    free(made);
    return status == PCS_OK ? DONE : WRONG;
}

static int reduce(reduction *d, const char *path)
{
    opened in;
    if (!setup_open(path, d->s.kind, true, &in)) return WRONG;
    if (!setup_options("reduce", &d->s, in.file->opts, &d->o)) {
        setup_close(&in);
        return WRONG;
    }
    d->p = in.p;
    int n = d->blocks = in.p->nb;
    int *kept = take((size_t)n, sizeof *kept);
    for (int k = 0; k < n; ++k) {
        kept[k] = k;
    }
    int code = WRONG;
    interrupts_begin();
    if (fails(d, kept, n)) {
        n = shrink(d, kept, n);
        if (d->terminal) fprintf(stderr, "\r\033[K");
        if (interrupted())
            complain("reduce: interrupted; the problem written so far can be reduced further");
        if (!d->broken) code = write_part(d, path, kept, n);
    } else if (!d->broken) {
        if (d->terminal) fprintf(stderr, "\r\033[K");
        complain("reduce: %s is solved by %s to %g; give a problem on which the solver fails", path,
                 solver_of(d), d->o.tol);
    }
    free(kept);
    setup_close(&in);
    return code;
}

static int run_reduce(int argc, char **argv)
{
    reduction d = {.s = setup_none()};
    const args_flag flags[] = {
        {"--solver", 's', ARGS_STRING, &d.s.solver, .what = "NAME",
         .help = "'percuss solvers' lists them (auto; of a captured step its own)"},
        {"--tol", 't', ARGS_REAL, &d.s.tol, .high = 1, .low_excluded = true, .what = "X",
         .help = "tolerance of the measure (1e-8; of a captured step its own)"},
        SETUP_FLAGS(d.s),
        SETUP_OPTIONS(d.s),
        {"--output", 'o', ARGS_OUT, &d.out, .what = "FILE",
         .help = "the small problem: .pcs, .dat, .hdf5 (NAME-reduced.pcs)"},
    };
    args a = {
        .command = "reduce",
        .words = "FILE",
        .about =
            "Removes contacts while the solver still fails, and writes the remaining problem."
            "\nA problem that is not local is condensed first. The result is reproducible, unless "
            "--max-seconds ends a solve.",
        .least = 1,
        .most = 1,
        ARGS_FLAGS(flags)};
    d.terminal = isatty(STDERR_FILENO);
    const int code = args_parse(&a, argc, argv) ? reduce(&d, a.word[0]) : a.exit_code;
    args_list_free(&d.s.opt);
    return finish_output(code);
}

const command command_reduce = {"reduce", "find a smaller problem on which a solver fails",
                                run_reduce};
