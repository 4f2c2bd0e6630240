// The solver auto and at least one more solve every file of the folders lcp/ and mlcp/ of
// $PERCUSS_PROBLEMS to a residual of 1e-10. Without the variable the
// test uses the files of tests/data. It prints a table: solvers x problems, residuals. nsgs solves
// the files of fc3d/ (and the friction files of tests/data) to 1e-4 and 1e-8.
#define _POSIX_C_SOURCE 200809L
#include <percuss/linalg.h>
#include <percuss/problem_file.h>
#include <percuss/solver.h>
#include <percuss/solver_table.h>

#include <dirent.h>
#include <stdio.h>

#include "sound.h"
#include "support.h"

#define TOL 1e-10
enum { MOST_FILES = 200, LONGEST = 256 };

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

// the names in a folder that end in .dat and begin with `prefix`, sorted
static int list_folder(const char *folder, const char *prefix, char (*name)[LONGEST])
{
    DIR *dir = opendir(folder);
    if (!dir) return 0;
    int n = 0;
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL && n < MOST_FILES;) {
        const size_t length = strlen(entry->d_name);
        if (length < 5 || length >= LONGEST || strcmp(entry->d_name + length - 4, ".dat") != 0 ||
            strncmp(entry->d_name, prefix, strlen(prefix)) != 0) {
            continue;
        }
        memcpy(name[n++], entry->d_name, length + 1);
    }
    closedir(dir);
    qsort(name, (size_t)n, LONGEST, by_name);
    return n;
}

static void print_header(const char *title)
{
    printf("%-28s %5s %5s", title, "eq", "comp");
    for (int k = 0; k < pcs_solver_count(); ++k) {
        printf(" %11s", pcs_solver_at(k)->name);
    }
    printf("\n");
}

static bool takes(const pcs_solver_info *s, const pcs_problem *p)
{
    for (int i = 0; i < p->nb; ++i) {
        if (!(s->cones & 1u << p->block[i].cone)) return false;
    }
    return true;
}

// |r - P_K(r - u)|: the complementarity conditions, written again here
static double violation(const pcs_problem *p, const double *r, double *u)
{
    double worst = 0;
    pcs_bsr_mul(&p->W, r, u);
    for (int b = 0; b < p->nb; ++b) {
        for (int i = p->block[b].row; i < p->block[b].row + p->block[b].dim; ++i) {
            u[i] += p->q[i];
            const double e =
                p->block[b].cone == PCS_CONE_EQUALITY ? fabs(u[i]) : fabs(fmin(r[i], u[i]));
            if (e > worst || isnan(e)) worst = e;
        }
    }
    return worst;
}

typedef struct tally {
    bool auto_converged;
    int others; // a solver beside auto converged
} tally;

static tally solve_by_all(const char *name, const pcs_problem_file *file)
{
    const pcs_problem *p = &file->problem;
    double *r = malloc(((size_t)p->n + 1) * sizeof *r), *u = malloc(((size_t)p->n + 1) * sizeof *u);
    ck_assert(r && u);

    tally t = {0};
    printf("%-28s %5d %5d", name, file->equalities, file->complementarities);
    for (int k = 0; k < pcs_solver_count(); ++k) {
        const pcs_solver_info *s = pcs_solver_at(k);
        if (!takes(s, p)) {
            printf(" %11s", "-");
            continue;
        }
        pcs_solver_opts o = pcs_solver_opts_default(s->kind);
        o.tol = TOL;
        pcs_report report;
        memset(r, 0, (size_t)p->n * sizeof *r);
        if (pcs_solve_alloc(NULL, p, &o, r, u, &report) != PCS_OK) {
            printf(" %11s", "refused");
            continue;
        }
        if (report.outcome != PCS_OUTCOME_CONVERGED) {
            printf(" %11s", pcs_outcome_text(report.outcome));
            continue;
        }
        printf(" %11.1e", report.measure.residual);
        ck_assert_msg(report.measure.residual <= TOL, "%s: %s says converged at %g", name, s->name,
                      report.measure.residual);
        const double scale = fmax(1, fmax(report.measure.norm_q, report.measure.norm_r));
        const double e = violation(p, r, u);
        ck_assert_msg(e <= 1e-6 * scale, "%s: %s leaves a violation of %g", name, s->name, e);
        if (s->kind == PCS_SOLVER_AUTO) {
            t.auto_converged = true;
        } else {
            t.others += 1;
        }
    }
    printf("\n");
    free(r);
    free(u);
    return t;
}

// a test of one file; false: the result differs from the promise
typedef bool file_test(const char *name, const pcs_problem_file *file);

// every file of a folder whose name begins with `prefix`: of this kind, sound, and with the
// promised result
static void each_file(const char *folder, const char *prefix, pcs_file_kind kind, file_test *test)
{
    char(*name)[LONGEST] = malloc(MOST_FILES * sizeof *name);
    ck_assert_ptr_nonnull(name);
    const int n = list_folder(folder, prefix, name);
    ck_assert_msg(n > 0, "%s has no problem files", folder);
    int failed = 0;
    for (int i = 0; i < n; ++i) {
        char path[2 * LONGEST + 1024];
        snprintf(path, sizeof path, "%s/%s", folder, name[i]);
        pcs_problem_file *file;
        CK_OK(pcs_problem_file_read(NULL, path, PCS_FILE_ANY, &file));
        ck_assert_int_eq(file->kind, kind);
        const char *wrong = unsound(file);
        ck_assert_msg(!wrong, "%s: %s", path, wrong);
        CK_OK(pcs_problem_check(&file->problem));
        failed += !test(name[i], file);
        pcs_problem_file_destroy(file);
    }
    free(name);
    fflush(stdout);
    ck_assert_msg(failed == 0, "%d of %d problems are not as promised", failed, n);
}

// the folder of a kind among the public problems; false without them
static bool public_folder(const char *kind, char folder[1024])
{
    const char *root = getenv("PERCUSS_PROBLEMS");
    if (!root || root[0] == '\0') return false;
    ck_assert_int_lt(snprintf(folder, 1024, "%s/%s", root, kind), 1024);
    return true;
}

// ---- complementarity --------------------------------------------------------------------------

static bool solved_by_auto_and_another(const char *name, const pcs_problem_file *file)
{
    const tally t = solve_by_all(name, file);
    const bool hopeless = strstr(name, "infeasible") != NULL;
    if (hopeless ? !t.auto_converged && t.others == 0 : t.auto_converged && t.others > 0)
        return true;
    fprintf(stderr, "%s: auto %s, %d others converged\n", name,
            t.auto_converged ? "converged" : "did not converge", t.others);
    return false;
}

// a folder of the public problems, or tests/data
static void solve_kind(const char *kind, pcs_file_kind expected)
{
    char folder[1024], prefix[16];
    print_header(kind);
    snprintf(prefix, sizeof prefix, "%s_", kind);
    if (public_folder(kind, folder)) {
        each_file(folder, "", expected, solved_by_auto_and_another);
    } else {
        each_file(PERCUSS_TEST_DATA, prefix, expected, solved_by_auto_and_another);
    }
}

TEST(linear_complementarity_problems)
{
    solve_kind("lcp", PCS_FILE_LCP);
}

TEST(mixed_linear_complementarity_problems)
{
    solve_kind("mlcp", PCS_FILE_MLCP);
}

// ---- friction -----------------------------------------------------------------------------------

// nsgs without damping does not reach 1e-4 here, nor 1e-8
static const char *const slow[] = {"OneObject-i100000-499.hdf5.dat", NULL};

// the larger of residual and natural map, from zero
static double solve_friction(const pcs_problem *p, pcs_solver kind, double tol, int *sweeps)
{
    double *r = calloc(2 * (size_t)p->n + 1, sizeof *r), *u = r + p->n;
    ck_assert_ptr_nonnull(r);
    pcs_solver_opts o = pcs_solver_opts_default(kind);
    o.tol = tol;
    o.stop = PCS_STOP_BOTH;
    if (kind == PCS_SOLVER_NSGS) o.max_iters = 20000;
    pcs_report report;
    CK_OK(pcs_solve_alloc(NULL, p, &o, r, u, &report));
    free(r);
    *sweeps = report.iters;
    const double value =
        fmax(report.measure.residual, pcs_measure_relative_natural_map(&report.measure));
    ck_assert((report.outcome == PCS_OUTCOME_CONVERGED) == (value <= tol));
    return value;
}

static bool solved_to_both_tolerances(const char *name, const pcs_problem_file *file)
{
    bool excused = false, good = true;
    for (int k = 0; slow[k]; ++k) {
        excused = excused || strcmp(slow[k], name) == 0;
    }
    printf("%-32s %8d", name, file->contacts);
    for (int k = 0; k < 4; ++k) {
        const double tol = k < 2 ? 1e-4 : 1e-8;
        const pcs_solver solver = k % 2 == 0 ? PCS_SOLVER_NSGS : PCS_SOLVER_AUTO;
        int sweeps;
        const double value = solve_friction(&file->problem, solver, tol, &sweeps);
        printf(" %7d %8.1e", sweeps, value);
        good = good && (value <= tol || (excused && solver == PCS_SOLVER_NSGS));
    }
    printf("\n");
    return good;
}

TEST(friction_problems)
{
    char folder[1024];
    printf("%-32s %8s %16s %16s %16s %16s\n", "friction", "contacts", "nsgs 1e-4", "auto 1e-4",
           "nsgs 1e-8", "auto 1e-8");
    if (public_folder("fc3d", folder)) {
        each_file(folder, "", PCS_FILE_FC3D, solved_to_both_tolerances);
    }
    each_file(PERCUSS_TEST_DATA, "fc3d_", PCS_FILE_FC3D, solved_to_both_tolerances);
    each_file(PERCUSS_TEST_DATA, "fc2d_", PCS_FILE_FC2D, solved_to_both_tolerances);
}
