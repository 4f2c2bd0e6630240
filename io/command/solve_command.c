// percuss solve: problems one after another, a line each.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/bench_run.h"
#include "command/command.h"
#include "command/command_line.h"
#include "command/describe.h"
#include "command/output.h"
#include "command/setup.h"
#include "command/status.h"
#include "command/trace.h"
#include "problem_file/csv_table.h"

// repeated solves end after this many seconds in all
#define REPEAT_SECONDS 0.2
// rows of a problem for which a proof is looked for that it has no solution: always, on request
#define FEW_ROWS  300
#define MOST_ROWS 1500

typedef struct request {
    setup s;
    bool hash, json, csv, solution, certificate, intervals;
    int repeat;
    const char *trace, *out, *springs;
    int width; // width of the column of names

    // of the file at hand
    pcs_solver_opts o;
    double budget;     // of a problem of a step
    double *stiffness; // of the springs, or null
    const double *start;
} request;

// ---- output ------------------------------------------------------------------------------------

static void print_header(const request *q)
{
    if (q->json) return;
    if (q->csv) {
        run_csv_header(stdout);
        return;
    }
    printf("%-*s  %-6s %8s  %-15s %-10s %9s %9s  %8s %8s  %s\n", q->width, "problem", "kind",
           "contacts", "solver", "outcome", "iters", "seconds", "residual", "natural",
           "open/stick/slide/?");
}

static void print_human(const request *q, const run *x)
{
    char solver[40], status[80];
    const bool other = x->by[0] && strcmp(x->by, x->solver) != 0;
    snprintf(solver, sizeof solver, other ? "%s (%s)" : "%s", x->solver, x->by);
    if (x->contacts == 0) {
        snprintf(status, sizeof status, "%d open, %d closed, %d ?", x->open, x->closed,
                 x->undecided);
    } else {
        snprintf(status, sizeof status, "%d/%d/%d/%d", x->open, x->stick, x->slide, x->undecided);
        const size_t used = strlen(status);
        if (x->closed > 0) snprintf(status + used, sizeof status - used, ", %d closed", x->closed);
    }
    char *name = readable(run_problem(x));
    const int gap = q->width - columns_of(name);
    printf("%s%*s  %-6s %8d  %-15s %-10s %9d %9.2g  %8.1e %8.1e  %s\n", name, gap > 0 ? gap : 0, "",
           x->kind, x->contacts, solver, x->outcome, x->iterations, x->seconds, x->residual,
           x->relative, status);
    free(name);
}

// the hash of a solution, and that of the solution in the file of a step
typedef struct hashes {
    char now[17], stored[17]; // empty: none
} hashes;

static void print_hashes(const hashes *h)
{
    const bool same = strcmp(h->now, h->stored) == 0;
    printf("    hash %s%s%s\n", h->now,
           !h->stored[0] ? ""
           : same        ? ", the bits of the step"
                         : "; that of the step is ",
           same ? "" : h->stored);
}

// null: there is no solution, no report
static void print(const request *q, const run *x, int n, const double *r, const double *u,
                  const pcs_report *y, const hashes *h, const certificate *c, const opened *in)
{
    if (q->json) {
        json j = {.out = stdout};
        json_open(&j, NULL, '{');
        run_json(&j, x);
        if (q->solution && r && u) {
            json_reals(&j, "r", n, r);
            json_reals(&j, "u", n, u);
        }
        if (y && y->least > 0) {
            json_real(&j, "path_least", y->least);
            json_int(&j, "path_undecided", y->undecided);
        }
        if (h) json_text(&j, "hash", h->now);
        if (h && h->stored[0]) json_text(&j, "stored_hash", h->stored);
        if (c && c->proof) certificate_proof_json(&j, c);
        if (q->certificate && c) certificate_json(&j, c);
        json_close(&j, '}');
    } else if (q->csv) {
        run_csv(stdout, x);
    } else if (!x->message[0]) {
        print_human(q, x);
        if (c && !run_solved(x)) certificate_print_unsolved(c, in, x, y);
        if (h) print_hashes(h);
        if (q->certificate && c) certificate_print(c, in);
    }
    fflush(stdout);
}

// ---- one problem -------------------------------------------------------------------------------

// r, u and, for a global problem, v
typedef struct answer {
    double *r, *u, *v;
    pcs_report report;
} answer;

static pcs_status solve_once(const request *q, const opened *in, pcs_watch watch, pcs_arena work,
                             answer *x)
{
    const pcs_problem_file *f = in->file;
    const size_t bytes = (size_t)f->rows * sizeof *x->r;
    memset(x->r, 0, bytes);
    if (q->start && bytes > 0) memcpy(x->r, q->start, bytes);
    if (in->p) return pcs_solve(in->p, &q->o, watch, work, x->r, x->u, &x->report);
    if (f->bodies) {
        return pcs_solve_bodies(NULL, f->bodies, &q->o, q->budget, watch, x->v, x->r, x->u,
                                &x->report);
    }
    return pcs_solve_global(NULL, in->g, &q->o, watch, x->v, x->r, x->u, &x->report);
}

// solves up to q->repeat times; the report has the shortest time
static pcs_status solve(const request *q, const opened *in, trace *t, answer *x)
{
    pcs_arena work = {0};
    if (in->p) {
        PCS_TRY(pcs_problem_check(in->p));
        PCS_TRY(pcs_arena_create(NULL, pcs_solve_bytes(in->p, &q->o), &work));
    }
    const pcs_watch watch = t ? trace_watch(t) : (pcs_watch){0};
    pcs_status status = PCS_OK;
    double total = 0, least = INFINITY;
    for (int k = 0; k < q->repeat && status == PCS_OK; ++k) {
        status = solve_once(q, in, watch, work, x);
        if (status != PCS_OK) break;
        if (x->report.seconds < least) least = x->report.seconds;
        total += x->report.seconds;
        if (total > REPEAT_SECONDS || interrupted()) break;
    }
    x->report.seconds = least;
    pcs_arena_destroy(NULL, &work);
    return status;
}

// A line on stderr where M is no mass: such a problem is solved all the same. The matrix of a step
// is none by right: the gyroscopic terms make it unsymmetric
static void warn_mass(const char *path, const opened *in)
{
    char words[PCS_GLOBAL_FORM_SIZE];
    if (!in->g || in->file->bodies) return;
    if (pcs_global_form(NULL, in->g, words) != PCS_OK) return;
    const char *what = strchr(words, ';');
    if (!what) return;
    char *name = readable(path);
    complain("%s: %s, so M is no mass; it is solved all the same", name, what + 2);
    free(name);
}

static void fill(const answer *y, run *x)
{
    const pcs_report *report = &y->report;
    const pcs_solver_info *by = pcs_solver_at((int)report->solver);
    x->outcome = pcs_outcome_text(report->outcome);
    x->by = by ? by->name : "";
    x->iterations = report->iters;
    x->seconds = report->seconds;
    x->residual = report->measure.residual;
    x->natural_map = report->measure.natural_map;
    x->relative = pcs_measure_relative_natural_map(&report->measure);
    x->norm_q = report->measure.norm_q;
    x->norm_r = report->measure.norm_r;
    x->norm_u = report->measure.norm_u;
}

static bool write_solution(const request *q, const opened *in, const answer *x)
{
    const pcs_problem_file *f = in->file;
    const pcs_file_content content = {.problem = in->p,
                                      .global = f->global,
                                      .bodies = f->bodies,
                                      .start = f->start,
                                      .opts = f->opts,
                                      .budget = f->budget,
                                      .r = x->r,
                                      .u = x->u,
                                      .v = in->p ? NULL : x->v,
                                      .storage = f->storage,
                                      .title = f->title,
                                      .description = f->description,
                                      .math_info = f->math_info};
    if (pcs_problem_file_write(NULL, q->out, PCS_FILE_FORMAT_BY_NAME, &content) == PCS_OK)
        return true;
    complain("%s", pcs_error_text());
    return false;
}

static int refuse(const request *q, const opened *in, run *x)
{
    x->outcome = "refused";
    x->message = pcs_error_text();
    print(q, x, 0, NULL, NULL, NULL, NULL, NULL, in);
    return complain("%s: %s", x->file, pcs_error_text());
}

// The accuracy of statuses: of a step not less than its own tolerance, with which earlier steps
// have left its gaps
static double accuracy(const request *q, const opened *in)
{
    const pcs_solver_opts *step = in->file->opts;
    return step && step->tol > q->o.tol ? step->tol : q->o.tol;
}

static int solve_into(const request *q, const opened *in, trace *t, answer *y, run *x)
{
    if (solve(q, in, t, y) != PCS_OK) return refuse(q, in, x);
    fill(y, x);
    certificate c = {.ranks = q->certificate, .intervals = q->intervals, .stiffness = q->stiffness};
    int code = y->report.outcome == PCS_OUTCOME_CONVERGED ? DONE : UNCONVERGED;
    // dense: of large problems only on request
    c.refute = code == UNCONVERGED && !q->csv && (q->certificate || in->file->rows <= FEW_ROWS) &&
               in->file->rows <= MOST_ROWS;
    if (!certificate_make(in, 2 * accuracy(q, in), y->r, &c, x)) {
        code = refuse(q, in, x);
    } else {
        const pcs_problem_file *f = in->file;
        hashes h = {.stored = ""};
        solution_hash(f, in->p ? NULL : y->v, y->r, y->u, h.now);
        if (f->bodies && f->r) solution_hash(f, f->v, f->r, f->u, h.stored);
        print(q, x, f->rows, y->r, y->u, &y->report, q->hash ? &h : NULL, &c, in);
    }
    certificate_free(&c);
    if (code != WRONG && q->out && !write_solution(q, in, y)) return WRONG;
    return code;
}

static int solve_problem(const request *q, const opened *in, run *x)
{
    const size_t rows = (size_t)in->file->rows, velocities = (size_t)in->file->velocities;
    answer y = {.r = take(rows, sizeof(double)),
                .u = take(rows, sizeof(double)),
                .v = take(velocities, sizeof(double))};
    trace t;
    int code = WRONG;
    if (!q->trace || trace_open(&t, q->trace)) {
        code = solve_into(q, in, q->trace ? &t : NULL, &y, x);
        if (q->trace && !trace_close(&t)) code = WRONG;
    }
    free(y.r);
    free(y.u);
    free(y.v);
    return code;
}

static void fill_settings(const request *q, run *x)
{
    x->solver = pcs_solver_at((int)q->o.kind)->name;
    x->tol = q->o.tol;
    x->measure = setup_measure[q->o.stop];
}

static int solve_file(request *q, const char *path)
{
    run x = run_none();
    char digest[17];
    fingerprint(path, digest);
    x.file = path;
    x.digest = digest;
    fill_settings(q, &x);
    opened in;
    if (!setup_open(path, q->s.kind, false, &in)) {
        x.outcome = "unreadable";
        char words[REFUSAL];
        x.message = refusal(path, CONTENT_PROBLEM, words);
        print(q, &x, 0, NULL, NULL, NULL, NULL, NULL, NULL);
        return WRONG;
    }
    x.kind = pcs_file_kind_text(in.file->kind);
    x.rows = in.file->rows;
    warn_mass(path, &in);
    x.blocks = in.p ? in.p->nb : in.g->nb;
    x.contacts = in.file->contacts;
    // the budget of a step is one for its solver
    q->budget = q->s.solver || q->s.max_iters >= 0 ? INFINITY : in.file->budget;
    int code = WRONG;
    if (setup_options("solve", &q->s, in.file->opts, &q->o) &&
        setup_start_of("solve", &q->s, path, in.file, &q->start)) {
        fill_settings(q, &x);
        q->stiffness = q->springs ? take((size_t)in.file->rows, sizeof *q->stiffness) : NULL;
        if (!q->springs || springs_read(q->springs, &in, q->stiffness)) {
            code = solve_problem(q, &in, &x);
        }
        free(q->stiffness);
    } else {
        x.outcome = "refused";
        print(q, &x, 0, NULL, NULL, NULL, NULL, NULL, &in);
    }
    setup_close(&in);
    return code;
}

// ---- the subcommand ----------------------------------------------------------------------------

static int measure_names(char **file, int n)
{
    int width = (int)strlen("problem");
    for (int i = 0; i < n; ++i) {
        const run x = {.file = file[i]};
        char *name = readable(run_problem(&x));
        if (columns_of(name) > width) width = columns_of(name);
        free(name);
    }
    return width < 48 ? width : 48;
}

// outputs are checked before the work
static bool holds_solution(const char *path)
{
    static const char *const ends[] = {".hdf5", ".h5", ".pcs"};
    const size_t length = strlen(path);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i) {
        const size_t end = strlen(ends[i]);
        if (length > end && strcmp(path + length - end, ends[i]) == 0) return true;
    }
    complain("solve: -o is '%s'; a solution goes to a .hdf5, .h5 or .pcs file", path);
    return false;
}

static int solve_all(request *q, const args *a)
{
    if ((q->trace || q->out) && a->n_words > 1) {
        return complain("solve: %s takes one problem, not %d", q->out ? "-o" : "--trace",
                        a->n_words);
    }
    if (q->out && !holds_solution(q->out)) return WRONG;
    if (q->json && q->csv) return complain("solve: give --json or --csv, not both");
    if (q->solution && !q->json) {
        return complain(
            "solve: --solution prints r and u with --json; a file of them: -o FILE.pcs");
    }
    if (q->intervals || q->springs) q->certificate = true;
    if (q->certificate && q->csv) {
        return complain("solve: a row of --csv cannot hold a certificate; use --json");
    }
    if (q->hash && q->csv) return complain("solve: a row of --csv has no hash; use --json");
    // options without a solver may be those of the solver in the file
    const bool of_file = !q->s.solver && q->s.opt.n > 0;
    if (of_file) q->o = pcs_solver_opts_default(PCS_SOLVER_AUTO);
    if (!of_file && !setup_options("solve", &q->s, NULL, &q->o)) return WRONG;
    if (q->trace) interrupts_begin();
    q->width = measure_names(a->word, a->n_words);
    print_header(q);
    int worst = DONE;
    for (int i = 0; i < a->n_words && !interrupted(); ++i) {
        const int code = solve_file(q, a->word[i]);
        if (code > worst) worst = code;
    }
    return finish_output(worst);
}

static int run_solve(int argc, char **argv)
{
    request q = {.s = setup_none(), .repeat = 1};
    const args_flag flags[] = {
        {"--solver", 's', ARGS_STRING, &q.s.solver, .what = "NAME",
         .help = "'percuss solvers' lists them (auto; of a captured step its own)"},
        {"--tol", 't', ARGS_REAL, &q.s.tol, .high = 1, .low_excluded = true, .what = "X",
         .help = "tolerance of the measure (1e-8; of a captured step its own)"},
        SETUP_FLAGS(q.s),
        SETUP_OPTIONS(q.s),
        SETUP_START(q.s),
        {"--json", 0, ARGS_BOOL, &q.json, .help = "one object per problem and line"},
        {"--hash", 0, ARGS_BOOL, &q.hash,
         .help = "a hash of the bits of v, r and u, and whether they are those of the step"},
        {"--solution", 0, ARGS_BOOL, &q.solution, .help = "with --json: r and u as well"},
        {"--certificate", 0, ARGS_BOOL, &q.certificate,
         .help = "margins, the rank of the active set, whether r and u are unique"},
        {"--intervals", 0, ARGS_BOOL, &q.intervals,
         .help = "as --certificate, and the shortest r and the range of every normal impulse"},
        {"--springs", 0, ARGS_IN, &q.springs, .what = "RATIO|FILE",
         .help = "as --certificate, and the r that stiff springs leave: equal ones with this ratio "
                 "of tangential to normal stiffness, or those of a file, a number for each row"},
        {"--csv", 0, ARGS_BOOL, &q.csv, .help = "the rows of runs.csv of percuss bench"},
        {"--repeat", 0, ARGS_INT, &q.repeat, .low = 1, .high = 1e6, .what = "N",
         .help = "repeats short solves up to N times; prints the shortest time"},
        {"--trace", 0, ARGS_OUT, &q.trace, .what = "T.csv",
         .help = "a row per iteration; a traced solve is slower"},
        {"--output", 'o', ARGS_OUT, &q.out, .what = "FILE",
         .help = "the problem with r and u: .hdf5, .h5 (FCLIB) or .pcs"},
    };
    args a = {.command = "solve",
              .words = "FILE...",
              .about =
                  "Solves problems and prints the residuals: LCP, MLCP, friction; local, global "
                  "or in the velocities\nof bodies; .dat, FCLIB HDF5 or .pcs. The problem of a "
                  "step (percuss run --capture) is solved from\nthe start and with the options "
                  "of the step, with the same bits, unless flags say otherwise. The\nresidual "
                  "has no unit. natural: natural map / max(|q|, |r|, |u|).",
              .more = "Exit codes: 0 all converged, 1 at least one did not, 2 at least one could "
                      "not be read or solved.",
              .least = 1,
              ARGS_FLAGS(flags)};
    const bool good = args_parse(&a, argc, argv);
    const int code = good ? solve_all(&q, &a) : a.exit_code;
    args_list_free(&q.s.opt);
    return code;
}

const command command_solve = {"solve", "solve problems and print the residuals", run_solve};
