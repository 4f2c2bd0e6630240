// percuss bench: problems x solvers x tolerances, each cell a separate `percuss solve --csv`, so
// that a crash or an endless loop costs one cell. Finished cells are appended to runs.csv; a cell
// that is there already is not run again.
#define _DEFAULT_SOURCE // readlink, scandir

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command/child.h"
#include "command/command_line.h"
#include "command/describe.h"
#include "command/output.h"
#include "command/profile.h"
#include "command/report.h"
#include "command/runs.h"
#include "command/series.h"
#include "command/setup.h"
#include "command/solve_child.h"
#include "command/trace.h"
#include "problem_file/links.h"

// beyond its limit a cell has this much time to read the file and to notice the limit
#define GRACE_SECONDS 2.0
#define GRACE_FACTOR  1.25
#define MOST_TOLS     16
#define MOST_DEPTH    8 // largest depth of folders
#define FILE_NAME     40

typedef struct bench {
    setup s;
    args_list solvers, tols, problems, add;
    char (*digest)[17]; // digest of each problem
    double tol[MOST_TOLS];
    const char *out;
    int repeat, jobs;
    bool fresh, keep;
    char self[PATH_MAX];
    char settings[512];
    runs own, added;
    ledger file;
    // progress
    int cells, done, ran;
    double started;
    bool terminal, broken;
} bench;

// ---- the cells to run --------------------------------------------------------------------------

static void add_path(args_list *list, const char *path)
{
    char **at = realloc(list->at, (size_t)(list->n + 1) * sizeof *at);
    if (!at) exit(complain("out of memory while listing problems"));
    list->at = at;
    list->at[list->n++] = join(path, "", "");
}

static bool is_problem(const char *name)
{
    static const char *const ends[] = {".dat", ".hdf5", ".h5", ".pcs"};
    const size_t length = strlen(name);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i) {
        const size_t end = strlen(ends[i]);
        if (length > end && strcmp(name + length - end, ends[i]) == 0) return true;
    }
    return false;
}

// Files as named; from folders all files with the ending of a problem, in the order of their names.
// What is a trajectory or a scene is refused where it is named, and passed over in a folder.
static bool add_problems(args_list *list, const char *path, int depth)
{
    struct stat s;
    if (stat(path, &s) != 0) {
        complain("bench: %s cannot be read: %s", path, strerror(errno));
        return false;
    }
    if (!S_ISDIR(s.st_mode)) {
        if (depth > 0 && !(S_ISREG(s.st_mode) && is_problem(path))) return true;
        if (!is_other_content(path, CONTENT_PROBLEM)) {
            add_path(list, path);
        } else if (depth == 0) {
            complain_file(path, CONTENT_PROBLEM);
            return false;
        }
        return true;
    }
    struct dirent **entry;
    const int n = depth < MOST_DEPTH ? scandir(path, &entry, NULL, alphasort) : 0;
    if (n < 0) {
        complain("bench: %s cannot be read: %s", path, strerror(errno));
        return false;
    }
    bool good = true;
    for (int i = 0; i < n; ++i) {
        const bool slash = path[strlen(path) - 1] == '/';
        char *inside = join(path, slash ? "" : "/", entry[i]->d_name);
        if (good && entry[i]->d_name[0] != '.') good = add_problems(list, inside, depth + 1);
        free(inside);
        free(entry[i]);
    }
    if (n > 0) free(entry);
    return good;
}

// "nsgs:depth=0:order=shuffled" names a solver and its options
static bool check_solver(const bench *b, const char *text)
{
    char *name = join(text, "", "");
    char *more = strchr(name, ':');
    if (more) *more++ = '\0';
    setup s = b->s;
    s.solver = name;
    s.opt = (args_list){0};
    // the commas of the list have divided solvers, so that none is left here
    bool full = true;
    for (char *o = more; o && full;) {
        char *next = strchr(o, ':');
        if (next) *next++ = '\0';
        full = args_split(&s.opt, o);
        o = next;
    }
    if (!full) complain("bench: --solvers has '%s', with an empty option; write NAME:OPT=X", text);
    pcs_solver_opts options;
    const bool good = full && setup_options("bench", &s, NULL, &options);
    args_list_free(&s.opt);
    free(name);
    return good;
}

static bool read_tols(bench *b)
{
    if (b->tols.n > MOST_TOLS) {
        complain("bench: %d tolerances are too many; %d is the limit", b->tols.n, MOST_TOLS);
        return false;
    }
    for (int i = 0; i < b->tols.n; ++i) {
        if (!read_real(b->tols.at[i], &b->tol[i]) || !(b->tol[i] > 0 && b->tol[i] < 1)) {
            complain("bench: --tol is '%s'; it must be a number > 0 and < 1", b->tols.at[i]);
            return false;
        }
        // tables and names of figures have six digits
        char text[32], other[32];
        snprintf(text, sizeof text, "%g", b->tol[i]);
        for (int k = 0; k < i; ++k) {
            snprintf(other, sizeof other, "%g", b->tol[k]);
            if (strcmp(text, other) != 0) continue;
            complain("bench: --tol has %s and %s, the same in six digits; give it once",
                     b->tols.at[k], b->tols.at[i]);
            return false;
        }
    }
    return true;
}

static bool find_self(bench *b)
{
    const ssize_t length = readlink("/proc/self/exe", b->self, sizeof b->self - 1);
    if (length > 0) {
        b->self[length] = '\0';
        return true;
    }
    complain("bench: the path of this program cannot be found: %s", strerror(errno));
    return false;
}

static void describe(bench *b)
{
    char iters[32] = "own";
    if (b->s.max_iters >= 0) snprintf(iters, sizeof iters, "%d", b->s.max_iters);
    const char *start = b->s.start >= 0 ? setup_start_text[b->s.start] : NULL;
    // results of different builds are not mixed
    char build[17];
    fingerprint(b->self, build);
    snprintf(
        b->settings, sizeof b->settings,
        "percuss %s: measure %s, max-seconds %g, max-iters %s, repeat %d, kind %s%s%s, jobs %d, "
        "build %s",
        pcs_version(), setup_measure[b->s.measure], b->s.max_seconds, iters, b->repeat,
        pcs_file_kind_text((pcs_file_kind)b->s.kind), start ? ", start " : "", start ? start : "",
        b->jobs, build);
}

// ---- cells -------------------------------------------------------------------------------------

typedef struct cell {
    const char *file, *solver, *digest;
    double tol;
} cell;

static cell cell_at(const bench *b, int i)
{
    // a problem is finished before the next begins: within it solvers, then tolerances
    const int nt = b->tols.n, ns = b->solvers.n, p = i / (nt * ns);
    return (cell){b->problems.at[p], b->solvers.at[i / nt % ns], b->digest[p], b->tol[i % nt]};
}

static bool is_there(const bench *b, const cell *c)
{
    for (int i = 0; i < b->own.n; ++i) {
        const run *r = &b->own.at[i];
        if (r->tol == c->tol && strcmp(r->solver, c->solver) == 0 && strcmp(r->file, c->file) == 0)
            return true;
    }
    return false;
}

// removes the runs of a file that has changed since then
static void forget_changed(bench *b)
{
    b->digest = take((size_t)b->problems.n, sizeof *b->digest);
    int changed = 0;
    for (int p = 0; p < b->problems.n; ++p) {
        fingerprint(b->problems.at[p], b->digest[p]);
        changed += runs_forget(&b->own, b->problems.at[p], b->digest[p]) > 0;
    }
    if (changed > 0) {
        fprintf(stderr, "percuss: bench: %d problem%s changed since; run%s again\n", changed,
                changed == 1 ? " has" : "s have", changed == 1 ? " it" : " them");
    }
}

static bool start(const bench *b, const cell *c, child *out)
{
    char *file = join(c->file, "", "");
    const solve_line line = {.self = b->self,
                             .solver = c->solver,
                             .tol = c->tol,
                             .s = &b->s,
                             .repeat = b->repeat,
                             .file = &file,
                             .files = 1};
    // solve may repeat a solve that took slightly less than its limit
    const double limit =
        b->s.max_seconds > 0 ? GRACE_SECONDS + GRACE_FACTOR * b->s.max_seconds : INFINITY;
    const bool good = solve_child_start(out, &line, limit);
    free(file);
    return good;
}

// finds the row that the cell printed, below its header; false if there is no row
static bool row_of(child *c, run *r)
{
    int place[RUN_COLUMNS], fields;
    char *text = c->out.text, *second = text ? strchr(text, '\n') : NULL;
    if (!second) return false;
    *second++ = '\0';
    char *end = strchr(second, '\n');
    if (!end) return false;
    *end = '\0';
    return run_read_header(text, place, &fields) && run_read(second, place, fields, r);
}

// `words` receives the first line of its stderr
static void judge(child *c, const cell *asked, run *r, char *words, size_t size)
{
    snprintf(words, size, "%s", c->err.text ? c->err.text : "");
    words[strcspn(words, "\n")] = '\0';
    const bool row = row_of(c, r);
    if (!row) *r = run_none();
    r->file = asked->file;
    r->solver = asked->solver;
    r->tol = asked->tol;
    r->digest = asked->digest;
    r->message = words;
    if (row && WIFEXITED(c->status)) return;
    r->seconds = NAN;
    if (c->killed) {
        r->outcome = "timeout";
        snprintf(words, size, "ended after %.3g s", c->limit);
    } else if (WIFSIGNALED(c->status)) {
        r->outcome = "crash";
        snprintf(words, size, "signal %d, %s", WTERMSIG(c->status), strsignal(WTERMSIG(c->status)));
    } else {
        r->outcome = WEXITSTATUS(c->status) == WRONG ? "refused" : "crash";
    }
}

// ---- progress ----------------------------------------------------------------------------------

static void show(const bench *b, const cell *c)
{
    if (!b->terminal) return;
    char left[32] = "";
    if (b->ran > 0) {
        const double each = (clock_now() - b->started) / b->ran;
        const long seconds = lround(each * (b->cells - b->done));
        snprintf(left, sizeof left, ", %ld:%02ld left", seconds / 60, seconds % 60);
    }
    const run name = {.file = c->file};
    char *words = readable(run_problem(&name));
    fprintf(stderr, "\r\033[K%d of %d%s  %s %g  %.40s", b->done, b->cells, left, c->solver, c->tol,
            words);
    fflush(stderr);
    free(words);
}

static void clear_line(const bench *b)
{
    if (b->terminal) fprintf(stderr, "\r\033[K");
}

static void finish(bench *b, child *c, const cell *asked)
{
    run r;
    char words[256];
    judge(c, asked, &r, words, sizeof words);
    if (!b->broken) {
        clear_line(b);
        b->broken = !ledger_append(&b->file, &r);
    }
    runs_put(&b->own, &r);
    b->done += 1;
    b->ran += 1;
    child_free(c);
}

// runs the cells that are missing
static void run_cells(bench *b)
{
    child *c = take((size_t)b->jobs, sizeof *c);
    cell *asked = take((size_t)b->jobs, sizeof *asked);
    int next = 0, alive = 0;
    b->started = clock_now();
    for (;;) {
        for (int k = 0; k < b->jobs && !interrupted() && !b->broken; ++k) {
            if (c[k].pid) continue;
            while (next < b->cells) {
                asked[k] = cell_at(b, next++);
                if (is_there(b, &asked[k])) {
                    b->done += 1;
                    continue;
                }
                if (start(b, &asked[k], &c[k])) {
                    alive += 1;
                    show(b, &asked[k]);
                } else {
                    b->broken = true;
                }
                break;
            }
        }
        if (alive == 0 || interrupted() || b->broken) break;
        children_wait(c, b->jobs, 100);
        for (int k = 0; k < b->jobs; ++k) {
            if (!c[k].pid || !child_ended(&c[k])) continue;
            alive -= 1;
            finish(b, &c[k], &asked[k]);
        }
    }
    for (int k = 0; k < b->jobs; ++k) {
        if (c[k].pid) child_kill(&c[k]);
    }
    clear_line(b);
    free(c);
    free(asked);
}

// ---- output ------------------------------------------------------------------------------------

static void name_figure(study_plot plot, double tol, char name[FILE_NAME])
{
    snprintf(name, FILE_NAME, "%s-%g.svg", plot == STUDY_PROFILE ? "profile" : "success", tol);
}

static bool write_figure(const bench *b, const study *s, study_plot plot, int tol)
{
    char name[FILE_NAME];
    name_figure(plot, s->tol[tol], name);
    char *path = join(b->out, "/", name);
    output o;
    bool good = output_open(&o, path);
    if (good) {
        study_draw(o.f, s, plot, tol, true);
        good = output_commit(&o);
    }
    free(path);
    return good;
}

static bool write_report(const bench *b, const study *s)
{
    bool good = true;
    for (int t = 0; t < s->tols && good; ++t) {
        good = write_figure(b, s, STUDY_PROFILE, t) && write_figure(b, s, STUDY_SUCCESS, t);
    }
    char *path = join(b->out, "/", "report.html");
    output o;
    if (good) good = output_open(&o, path);
    if (good) {
        report_write(o.f, s, b->settings);
        good = output_commit(&o);
    }
    free(path);
    return good;
}

static void print_summary(const study *s)
{
    size_t width = strlen("solver");
    for (int k = 0; k < s->solvers; ++k) {
        if (strlen(s->solver[k]) > width) width = strlen(s->solver[k]);
    }
    printf("%-7s %-*s %9s %9s %12s %9s %6s\n", "tol", (int)width, "solver", "solved", "fastest",
           "time / best", "worst", "lost");
    for (int t = 0; t < s->tols; ++t) {
        for (int k = 0; k < s->solvers; ++k) {
            const study_sum x = study_summary(s, k, t);
            printf("%-7g %-*s %4d/%-4d %9d", s->tol[t], (int)width, s->solver[k], x.solved,
                   s->problems, x.fastest);
            if (x.solved > 0) {
                printf(" %12.3g %9.3g", x.ratio, x.worst);
            } else {
                printf(" %12s %9s", "-", "-");
            }
            printf(" %6d\n", x.lost);
        }
    }
}

static int conclude(bench *b)
{
    study s;
    study_make(&s, b->problems.n, (const char **)b->problems.at, b->solvers.n,
               (const char **)b->solvers.at, b->tols.n, b->tol, &b->own, &b->added);
    const bool written = write_report(b, &s);
    int code = written ? DONE : WRONG;
    // cells behind the one that was interrupted may be there from an earlier call
    int there = 0, solved = 0;
    for (int i = 0; i < b->cells; ++i) {
        const int nt = b->tols.n, ns = b->solvers.n;
        const run *r = study_run(&s, i / (nt * ns), i / nt % ns, i % nt);
        there += r != NULL;
        solved += r && run_solved(r);
    }
    if (written) {
        print_summary(&s);
        char *out = readable(b->out);
        printf("\n%s/report.html\n", out);
        free(out);
    }
    study_free(&s);
    if (there < b->cells && interrupted() && !b->broken) {
        complain("bench: interrupted after %d of %d cells; run the same command again to continue",
                 there, b->cells);
    }
    if (b->broken) return WRONG;
    return code == DONE && solved < b->cells ? UNCONVERGED : code;
}

// ---- the subcommand ----------------------------------------------------------------------------

static bool check_solvers(const bench *b)
{
    for (int k = 0; k < b->solvers.n; ++k) {
        if (!check_solver(b, b->solvers.at[k])) return false;
        for (int l = 0; l < k; ++l) {
            if (strcmp(b->solvers.at[k], b->solvers.at[l]) != 0) continue;
            complain("bench: --solvers has %s twice; give it once", b->solvers.at[k]);
            return false;
        }
    }
    return true;
}

static bool find_problems(args_list *list, char *const *word, int words)
{
    for (int i = 0; i < words; ++i) {
        if (!add_problems(list, word[i], 0)) return false;
    }
    if (list->n > 0) return true;
    complain("bench: %s has no problem files; their names end with .dat, .hdf5, .h5 or .pcs",
             word[0]);
    return false;
}

// false after a line where a file of the folder of the report would replace an input, or another
// one of them
static bool outputs_are_free(const bench *b, char (*name)[FILE_NAME], int n, const args_list *in,
                             int lists)
{
    char **path = take((size_t)n, sizeof *path);
    bool good = true;
    for (int i = 0; i < n; ++i) {
        path[i] = join(b->out, "/", name[i]);
    }
    for (int i = 0; i < n && good; ++i) {
        for (int k = 0; k < i && good; ++k) {
            good = !same_place(path[i], path[k]);
            if (good) continue;
            complain("bench: %s is also %s, and one would replace the other; remove the link",
                     path[i], path[k]);
        }
        for (int k = 0; k < lists; ++k) {
            for (int p = 0; p < in[k].n && good; ++p) {
                good = !replaces_input(path[i], in[k].at[p]);
            }
        }
    }
    for (int i = 0; i < n; ++i) {
        free(path[i]);
    }
    free(path);
    return good;
}

static bool report_is_free(const bench *b)
{
    char name[2 + 2 * MOST_TOLS][FILE_NAME] = {"runs.csv", "report.html"};
    for (int t = 0; t < b->tols.n; ++t) {
        name_figure(STUDY_PROFILE, b->tol[t], name[2 + 2 * t]);
        name_figure(STUDY_SUCCESS, b->tol[t], name[3 + 2 * t]);
    }
    const args_list in[] = {b->problems, b->add};
    return outputs_are_free(b, name, 2 + 2 * b->tols.n, in, 2);
}

// false after a line where a problem is given twice, also by another path
static bool problems_differ(const args_list *list)
{
    for (int i = 0; i < list->n; ++i) {
        const run a = {.file = list->at[i]};
        for (int k = 0; k < i; ++k) {
            const run b = {.file = list->at[k]};
            if (strcmp(run_problem(&a), run_problem(&b)) != 0 || !same_place(a.file, b.file)) {
                continue;
            }
            if (strcmp(a.file, b.file) == 0) {
                complain("bench: %s is given twice; give it once", a.file);
            } else {
                complain("bench: %s is given twice, also as %s; give it once", a.file, b.file);
            }
            return false;
        }
    }
    return true;
}

static bool make_folder(const bench *b)
{
    if (!b->out || mkdir(b->out, 0777) == 0 || errno == EEXIST) return true;
    complain("bench: the folder %s cannot be created: %s", b->out, strerror(errno));
    return false;
}

// each word is a captured time series; what is not given is as in its files
static int run_series(bench *b, const args *a)
{
    if (b->add.n > 0 || b->fresh || b->keep || b->jobs != 1) {
        return complain("bench: --series takes no --add, --fresh, --keep or --jobs");
    }
    if (!read_tols(b) || !find_self(b) || !check_solvers(b)) return WRONG;
    args_list *files = take((size_t)a->n_words, sizeof *files);
    bool good = true;
    for (int i = 0; i < a->n_words && good; ++i) {
        good = find_problems(&files[i], a->word + i, 1);
    }
    const series_bench all = {.self = b->self,
                              .solvers = &b->solvers,
                              .tols = b->tols.n,
                              .tol = b->tol,
                              .n = a->n_words,
                              .name = a->word,
                              .files = files,
                              .out = b->out,
                              .s = &b->s,
                              .repeat = b->repeat};
    char name[][FILE_NAME] = {"series.csv", "problems.csv"};
    int code = WRONG;
    if (good && b->out) good = outputs_are_free(b, name, 2, files, a->n_words);
    if (good && make_folder(b)) {
        interrupts_begin();
        code = series_run(&all);
    }
    for (int i = 0; i < a->n_words; ++i) {
        args_list_free(&files[i]);
    }
    free(files);
    return code;
}

static bool prepare(bench *b, const args *a)
{
    if (!b->out) {
        complain("bench: -o is missing: the folder for the report");
        return false;
    }
    if (b->s.measure < 0) b->s.measure = PCS_STOP_RELAXED;
    if (b->tols.n == 0) (void)args_split(&b->tols, "1e-4,1e-8,1e-12");
    if (b->solvers.n == 0) (void)args_split(&b->solvers, "auto");
    if (!read_tols(b) || !find_self(b) || !check_solvers(b) ||
        !find_problems(&b->problems, a->word, a->n_words) || !problems_differ(&b->problems)) {
        return false;
    }
    if (b->problems.n > INT_MAX / (b->solvers.n * b->tols.n)) {
        complain(
            "bench: there are too many cells (problems x solvers x tolerances); divide the run");
        return false;
    }
    b->cells = b->problems.n * b->solvers.n * b->tols.n;
    for (int i = 0; i < b->add.n; ++i) {
        if (!runs_read(&b->added, b->add.at[i])) return false;
    }
    describe(b);
    if (!report_is_free(b) || !make_folder(b)) return false;
    char *path = join(b->out, "/", "runs.csv");
    const bool good = ledger_open(&b->file, path, b->settings, b->fresh, b->keep, &b->own);
    free(path);
    return good;
}

static int run_bench(int argc, char **argv)
{
    bench b = {.s = setup_none(), .repeat = 5, .jobs = 1, .file.fd = -1};
    b.s.max_seconds = 10;
    bool in_time = false;
    const args_flag flags[] = {
        {"--solvers", 's', ARGS_LIST, &b.solvers, .what = "A,B:OPT=X,...",
         .help =
             "solvers, options after colons: nsgs:depth=0:order=shuffled (auto; with --series that "
             "of each file)"},
        {"--tol", 't', ARGS_LIST, &b.tols, .what = "X,Y,...",
         .help = "tolerances (1e-4,1e-8,1e-12; with --series that of each file)"},
        {"--output", 'o', ARGS_STRING, &b.out, .what = "REPORT",
         .help = "folder for runs.csv, report.html and figures; with --series for two tables"},
        {"--series", 0, ARGS_BOOL, &in_time,
         .help =
             "each word is the folder of a captured run: its problems in the order of time, from "
             "their starts"},
        {"--add", 0, ARGS_LIST, &b.add, .what = "OTHER.csv,...",
         .help = "runs of other codes, with the columns of runs.csv"},
        SETUP_FLAGS(b.s),
        SETUP_START(b.s),
        {"--opt", 0, ARGS_LIST, &b.s.opt, .help = NULL}, // refused with the remedy
        {"--repeat", 0, ARGS_INT, &b.repeat, .low = 1, .high = 1e6, .what = "N",
         .help = "repeats short solves up to N times; the shortest time counts"},
        {"--jobs", 'j', ARGS_INT, &b.jobs, .low = 1, .high = 256, .what = "N",
         .help = "cells that run at the same time; this disturbs their times"},
        {"--fresh", 0, ARGS_BOOL, &b.fresh, .help = "deletes the old runs in REPORT"},
        {"--keep", 0, ARGS_BOOL, &b.keep,
         .help = "keeps the old runs, also of other settings or another program"},
    };
    args a = {.command = "bench",
              .words = "FILE|FOLDER...",
              .about =
                  "Runs problems x solvers x tolerances, each cell in a separate process, and "
                  "writes runs.csv,\nperformance profiles, success curves and report.html. The "
                  "same command continues where it ended.",
              .least = 1,
              ARGS_FLAGS(flags)};
    int code = a.exit_code = WRONG;
    if (!args_parse(&a, argc, argv)) {
        code = a.exit_code;
    } else if (b.s.opt.n > 0) {
        code = complain("bench: options belong to a solver: --solvers NAME:%s", b.s.opt.at[0]);
    } else if (in_time) {
        code = run_series(&b, &a);
    } else if (prepare(&b, &a)) {
        forget_changed(&b);
        interrupts_begin();
        b.terminal = isatty(STDERR_FILENO);
        run_cells(&b);
        code = conclude(&b);
    }
    ledger_close(&b.file);
    runs_free(&b.own);
    runs_free(&b.added);
    free(b.digest);
    args_list_free(&b.solvers);
    args_list_free(&b.tols);
    args_list_free(&b.problems);
    args_list_free(&b.add);
    args_list_free(&b.s.opt);
    return finish_output(code);
}

const command command_bench = {"bench", "compare solvers on many problems, write a report",
                               run_bench};
