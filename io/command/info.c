// percuss info: the contents of a file; of a contact problem properties of its matrix.
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <percuss/global.h>
#include <percuss/linalg.h>

#include "command/bench_run.h"
#include "command/command_line.h"
#include "command/describe.h"
#include "command/setup.h"
#include "problem_file/json.h"

// the rank is computed for at most this many rows: it costs n^3
#define RANK_ROWS 1500
// pivots below this part of the largest one of the scaled matrix count as zero
#define RANK_TOL 1e-10

typedef struct facts {
    double mu_low, mu_high; // NaN without contacts
    double largest;         // |W|
    double asymmetry;       // max |W - W'|
    double diagonal_low, diagonal_high;
    int negative, zero, zero_rows; // entries of the diagonal; rows of W without an entry
    double stored, nonzero;        // entries
    int rank;                      // -1: not computed
    double q_largest;
    double impulse; // the expected size of r: |q| / W_ii
} facts;

// ---- W -----------------------------------------------------------------------------------------

static double entry(const pcs_bsr *W, int k, int i, int row, int col)
{
    const size_t height = (size_t)(W->row[i + 1] - W->row[i]);
    return W->val[W->off[k] + (size_t)row + height * (size_t)col];
}

static void add_block_facts(const pcs_bsr *W, int i, int k, facts *f)
{
    const int j = W->idx[k], other = pcs_bsr_find(W, j, i);
    const int rows = W->row[i + 1] - W->row[i], cols = W->col[j + 1] - W->col[j];
    f->stored += (double)rows * cols;
    for (int c = 0; c < cols; ++c) {
        for (int l = 0; l < rows; ++l) {
            const double w = entry(W, k, i, l, c);
            const double mirror = other < 0 ? 0 : entry(W, other, j, c, l);
            f->nonzero += w != 0;
            f->largest = fmax(f->largest, fabs(w));
            f->asymmetry = fmax(f->asymmetry, fabs(w - mirror));
        }
    }
}

static void add_diagonal_facts(const pcs_problem *p, const double *diagonal, facts *f)
{
    f->diagonal_low = INFINITY;
    f->diagonal_high = -INFINITY;
    for (int i = 0; i < p->n; ++i) {
        f->negative += diagonal[i] < 0;
        f->zero += diagonal[i] == 0;
        f->diagonal_low = fmin(f->diagonal_low, diagonal[i]);
        f->diagonal_high = fmax(f->diagonal_high, diagonal[i]);
    }
}

// Elimination with complete pivoting of W, rows and columns scaled by the roots of the diagonal.
static int rank_of(const pcs_problem *p, const double *diagonal, double spare)
{
    const int n = p->n;
    double *A = malloc((size_t)n * (size_t)n * sizeof *A), *s = malloc((size_t)n * sizeof *s);
    int rank = A && s ? 0 : -1;
    if (rank == 0) pcs_bsr_to_dense(&p->W, A);
    for (int i = 0; i < n && rank == 0; ++i) {
        s[i] = 1 / sqrt(diagonal[i] > 0 ? diagonal[i] : spare);
    }
    for (int j = 0; j < n && rank == 0; ++j) {
        for (int i = 0; i < n; ++i) {
            A[i + (size_t)n * j] *= s[i] * s[j];
        }
    }
    double first = 0;
    for (int k = 0; k < n && rank == k; ++k) {
        // finds the largest remaining entry
        size_t at = (size_t)k + (size_t)n * k;
        for (int j = k; j < n; ++j) {
            for (int i = k; i < n; ++i) {
                if (fabs(A[i + (size_t)n * j]) > fabs(A[at])) at = (size_t)i + (size_t)n * j;
            }
        }
        const double pivot = A[at];
        if (k == 0) first = fabs(pivot);
        if (!(fabs(pivot) > RANK_TOL * first)) break;
        rank += 1;
        const int row = (int)(at % (size_t)n), col = (int)(at / (size_t)n);
        for (int j = 0; j < n; ++j) {
            const double t = A[k + (size_t)n * j];
            A[k + (size_t)n * j] = A[row + (size_t)n * j];
            A[row + (size_t)n * j] = t;
        }
        for (int i = 0; i < n; ++i) {
            const double t = A[i + (size_t)n * k];
            A[i + (size_t)n * k] = A[i + (size_t)n * col];
            A[i + (size_t)n * col] = t;
        }
        for (int j = k + 1; j < n; ++j) {
            const double factor = A[k + (size_t)n * j] / pivot;
            if (factor == 0) continue;
            for (int i = k + 1; i < n; ++i) {
                A[i + (size_t)n * j] -= factor * A[i + (size_t)n * k];
            }
        }
    }
    free(A);
    free(s);
    return rank;
}

static facts look(const pcs_problem *p)
{
    facts f = {.mu_low = NAN, .mu_high = NAN, .rank = -1};
    for (int b = 0; b < p->nb; ++b) {
        if (p->block[b].cone != PCS_CONE_COULOMB) continue;
        f.mu_low = fmin(f.mu_low, p->block[b].mu);
        f.mu_high = fmax(f.mu_high, p->block[b].mu);
    }
    double *diagonal = take((size_t)p->n, sizeof *diagonal);
    for (int i = 0; i < p->W.m; ++i) {
        f.zero_rows += p->W.ptr[i] == p->W.ptr[i + 1] ? p->W.row[i + 1] - p->W.row[i] : 0;
        for (int k = p->W.ptr[i]; k < p->W.ptr[i + 1]; ++k) {
            add_block_facts(&p->W, i, k, &f);
            for (int l = p->W.row[i]; l < p->W.row[i + 1] && p->W.idx[k] == i; ++l) {
                diagonal[l] = entry(&p->W, k, i, l - p->W.row[i], l - p->W.row[i]);
            }
        }
    }
    add_diagonal_facts(p, diagonal, &f);
    for (int i = 0; i < p->n; ++i) {
        f.q_largest = fmax(f.q_largest, fabs(p->q[i]));
        if (diagonal[i] > 0) f.impulse = fmax(f.impulse, fabs(p->q[i]) / diagonal[i]);
    }
    const double spare = f.diagonal_high > 0 ? f.diagonal_high : 1;
    if (p->n <= RANK_ROWS) f.rank = rank_of(p, diagonal, spare);
    free(diagonal);
    return f;
}

// ---- output ------------------------------------------------------------------------------------

static const char *const storages[] = {"dense", "block-sparse", "sparse"};

// prints words of a file on one line, control characters escaped; prints nothing if there are none
static void print_words(const char *label, const char *text)
{
    bool begun = false;
    for (int gap = 0; text && *text; ++text) {
        const int n = readable_length((const unsigned char *)text);
        if (*text == ' ' || n == 0) {
            gap = 1;
            continue;
        }
        if (!begun) printf("  %-11s", label);
        if (gap || !begun) putchar(' ');
        printf("%.*s", n, text);
        text += n - 1;
        begun = true;
        gap = 0;
    }
    if (begun) putchar('\n');
}

static void print_file(const pcs_problem_file *f, const char *path)
{
    char *name = readable(path);
    printf("%s\n", name);
    free(name);
    printf("  kind        %s%s, %s, %s\n", pcs_file_kind_text(f->kind),
           f->recognised ? " (guessed from its first numbers; --kind insists on another)" : "",
           pcs_file_format_text(f->format), storages[f->storage]);
    print_words("title", f->title);
    print_words("description", f->description);
    print_words("math info", f->math_info);
    printf("  rows        %d", f->rows);
    if (f->bodies) {
        printf(", %d velocities of %d systems (condensed below)", f->velocities, f->bodies->ns);
    } else if (f->velocities > 0) {
        printf(", %d velocities (global form, condensed below)", f->velocities);
    }
    printf("\n  constraints %d contacts with friction, %d complementarities, %d equalities\n",
           f->contacts, f->complementarities, f->equalities);
    if (f->global) {
        char words[PCS_GLOBAL_FORM_SIZE];
        if (pcs_global_form(NULL, f->global, words) == PCS_OK) printf("  form        %s\n", words);
    }
    if (f->opts) {
        printf("  solve       %s, tol %g (%s)", pcs_solver_at((int)f->opts->kind)->name,
               f->opts->tol, setup_measure[f->opts->stop]);
        if (isfinite(f->budget)) printf(", at most %g units", f->budget);
        printf(", from %s\n", f->start ? "the start of the step" : "r = 0");
    }
    if (f->bodies && f->r) {
        char hash[17];
        solution_hash(f, f->v, f->r, f->u, hash);
        printf("  hash        %s of the solution of the step\n", hash);
    }
    if (f->half)
        printf("  note        one triangle of a symmetric M is stored; the other was completed\n");
    if (f->has_matrix && f->has_parts) {
        printf("  note        both forms are there, (M, q) and (A, B, C, D, a, b); they agree\n");
    }
    if ((f->r && !f->bodies) || f->guesses > 0) {
        printf("  note        brings %s%d guess%s; not used as a start\n",
               f->r ? "a solution and " : "", f->guesses, f->guesses == 1 ? "" : "es");
    }
}

static void print_facts(const pcs_problem *p, const facts *f)
{
    if (p->n == 0) {
        printf("  empty       no constraints: solved by r = ()\n");
        return;
    }
    if (!isnan(f->mu_low)) printf("  mu          %g to %g\n", f->mu_low, f->mu_high);
    printf("  |W|         %.3g at most", f->largest);
    if (f->asymmetry == 0) {
        printf(", symmetric to the last bit\n");
    } else {
        printf(", max |W - W'| = %.2g (relative %.1e)\n", f->asymmetry, f->asymmetry / f->largest);
    }
    printf("  diagonal    %.3g to %.3g; %d negative, %d zero\n", f->diagonal_low, f->diagonal_high,
           f->negative, f->zero);
    printf("  density     %.3g %% of the entries are not zero", 100 * f->nonzero / p->n / p->n);
    printf("; %.3g %% stored, %.3g MB\n", 100 * f->stored / p->n / p->n, 8e-6 * f->stored);
    if (f->rank >= 0) {
        printf("  rank        %d of %d (%.2f), pivots above %g\n", f->rank, p->n,
               (double)f->rank / p->n, RANK_TOL);
    } else {
        printf("  rank        not computed above %d rows\n", RANK_ROWS);
    }
    printf("  scaling     |q| up to %.3g, |q_i| / W_ii up to %.3g\n", f->q_largest, f->impulse);
    if (f->zero_rows > 0) printf("  note        %d rows of W have no entry\n", f->zero_rows);
}

static void write_json(const opened *in, const char *path, const facts *f)
{
    const pcs_problem_file *file = in->file;
    json j = {.out = stdout};
    json_open(&j, NULL, '{');
    json_text(&j, "file", path);
    json_text(&j, "kind", pcs_file_kind_text(file->kind));
    json_bool(&j, "guessed", file->recognised);
    json_text(&j, "format", pcs_file_format_text(file->format));
    json_text(&j, "storage", storages[file->storage]);
    json_text(&j, "title", file->title);
    json_text(&j, "description", file->description);
    json_bool(&j, "half", file->half);
    json_int(&j, "rows", in->p->n);
    json_int(&j, "blocks", in->p->nb);
    json_int(&j, "velocities", file->velocities);
    char form[PCS_GLOBAL_FORM_SIZE];
    if (file->global && pcs_global_form(NULL, file->global, form) == PCS_OK) {
        json_text(&j, "form", form);
    }
    json_int(&j, "contacts", file->contacts);
    json_int(&j, "complementarities", file->complementarities);
    json_int(&j, "equalities", file->equalities);
    json_real(&j, "mu_min", f->mu_low);
    json_real(&j, "mu_max", f->mu_high);
    json_real(&j, "w_max", f->largest);
    json_real(&j, "asymmetry", f->asymmetry);
    json_real(&j, "diagonal_min", f->diagonal_low);
    json_real(&j, "diagonal_max", f->diagonal_high);
    json_int(&j, "diagonal_negative", f->negative);
    json_int(&j, "diagonal_zero", f->zero);
    json_real(&j, "density", in->p->n ? f->nonzero / in->p->n / in->p->n : NAN);
    json_int(&j, "rank", f->rank);
    json_real(&j, "q_max", f->q_largest);
    if (file->opts) {
        json_text(&j, "solver", pcs_solver_at((int)file->opts->kind)->name);
        json_real(&j, "tol", file->opts->tol);
        json_text(&j, "measure", setup_measure[file->opts->stop]);
        json_real(&j, "budget", file->budget);
        json_bool(&j, "start", file->start != NULL);
    }
    json_bool(&j, "solution", file->r != NULL);
    if (file->bodies && file->r) {
        char hash[17];
        solution_hash(file, file->v, file->r, file->u, hash);
        json_text(&j, "hash", hash);
    }
    json_int(&j, "guesses", file->guesses);
    json_close(&j, '}');
}

static int describe_problem(const input *from, int kind, bool as_json, const char *before)
{
    opened in;
    if (!setup_open_input(from, kind, true, &in)) return WRONG;
    const facts f = look(in.p);
    if (as_json) {
        write_json(&in, from->path, &f);
    } else {
        printf("%s", before);
        print_file(in.file, from->path);
        print_facts(in.p, &f);
    }
    setup_close(&in);
    return DONE;
}

static int run_info(int argc, char **argv)
{
    int kind = PCS_FILE_ANY;
    bool as_json = false;
    const args_flag flags[] = {
        {"--kind", 0, ARGS_CHOICE, &kind, .what = setup_kinds,
         .help = "kind of problem, for files that do not state it"},
        {"--json", 0, ARGS_BOOL, &as_json, .help = "one object per file and line"},
    };
    args a = {
        .command = "info",
        .words = "FILE...",
        .about =
            "Describes problem files (kind, sizes, friction, symmetry, rank and scaling of W), "
            "scenes, trajectories, checkpoints and meshes.",
        .least = 1,
        ARGS_FLAGS(flags)};
    if (!args_parse(&a, argc, argv)) return a.exit_code;
    int code = DONE;
    const char *before = ""; // an empty line between two files
    for (int i = 0; i < a.n_words; ++i) {
        input in;
        int one = WRONG;
        if (input_open(a.word[i], &in) && !describe_file(&in, as_json, before, &one)) {
            one = describe_problem(&in, kind, as_json, before);
        }
        input_close(&in);
        if (one == DONE) {
            before = "\n";
        } else {
            code = one;
        }
    }
    return finish_output(code);
}

const command command_info = {"info", "describe a problem, a scene, a trajectory, a checkpoint or a mesh",
                              run_info};
