// A linear and a mixed linear complementarity problem from C, with numerics alone: solved by
// every solver that takes them, and compared.
//
// LCP    w = M z + q,  0 <= z _|_ w >= 0: a stretched string of five beads over a table; z is the
//        height of a bead above the table, w the force of the table on it.
// MLCP   0 = A u + C v + a,  0 <= v _|_ w = D u + B v + b >= 0: a source of 5 V feeds a node at u
//        volts through 1 ohm, 1 ohm and two diodes (0.7 V, 1 ohm), one each way, lead to earth;
//        v are their currents, w the voltages that hold them closed.
#include "args.h"
#include "csv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <percuss/numerics.h>
#include <percuss/problem_file.h>

// column-major
static const double string_M[25] = {2,  -1, 0, 0, 0,  -1, 2,  -1, 0, 0, 0,  -1, 2,
                                    -1, 0,  0, 0, -1, 2,  -1, 0,  0, 0, -1, 2};
static const double string_q[5] = {2.5, -2.5, 0.5, 2.5, 0.5};
static const double string_z[5] = {0, 1.5, 0.5, 0, 0};

static const double node_A[1] = {2}, node_B[4] = {1, 0, 0, 1}, node_C[2] = {1, -1};
static const double node_D[2] = {-1, 1}, node_a[1] = {-5}, node_b[2] = {0.7, 0.7};
static const double node_z[3] = {1.9, 1.2, 0};

// the problem: one of the two above, or a file
typedef struct task {
    const char *name;
    int n;
    unsigned cones;
    const double *z;        // the only solution, if it is known
    pcs_problem_file *file; // or null
} task;

static pcs_status solve(const task *t, const pcs_solver_opts *o, double *z, double *w,
                        pcs_report *report)
{
    if (t->file) return pcs_solve_alloc(NULL, &t->file->problem, o, z, w, report);
    if (t->z == string_z) return pcs_solve_lcp(5, string_M, string_q, o, z, w, report);
    return pcs_solve_mlcp_abcd(1, 2, node_A, node_B, node_C, node_D, node_a, node_b, o, z, z + 1, w,
                               report);
}

static void print_row(const task *t, const char *solver, const pcs_report *report, const double *z)
{
    printf("  %-8s %-10s %8d %10.1e %10.1e  ", solver, pcs_outcome_text(report->outcome),
           report->iters, report->measure.residual, report->seconds);
    for (int i = 0; i < t->n && i < 6; ++i) {
        printf(" %.6g", z[i]);
    }
    printf("%s\n", t->n > 6 ? " ..." : "");
}

static void write_rows(csv *out, const task *t, const char *solver, const pcs_report *report,
                       const double *z)
{
    for (int i = 0; i < t->n; ++i) {
        csv_text(out, t->name);
        csv_text(out, solver);
        csv_text(out, pcs_outcome_text(report->outcome));
        csv_reals(out, (const double[]){report->iters, report->measure.residual, report->seconds},
                  3);
        csv_reals(out, (const double[]){i, z[i]}, 2);
        csv_end(out);
    }
}

// converged to tol, and to the solution if that is known
static bool good(const task *t, double tol, const pcs_report *report, const double *z)
{
    bool ok = report->outcome == PCS_OUTCOME_CONVERGED && report->measure.residual <= tol;
    for (int i = 0; t->z && i < t->n; ++i) {
        ok = ok && fabs(z[i] - t->z[i]) <= 100 * tol;
    }
    return ok;
}

// By solver `only`, or by all. Of a file only auto, or the one asked for, must succeed: nobody
// promises that every method solves every problem. False if one that must does not.
static bool compare(const task *t, const char *only, double tol, csv *out)
{
    double *z = malloc(((size_t)t->n + 1) * sizeof *z), *w = malloc(((size_t)t->n + 1) * sizeof *w);
    if (!z || !w) {
        fprintf(stderr, "%s: out of memory\n", t->name);
        free(z);
        free(w);
        return false;
    }

    printf("%s, %d unknowns\n", t->name, t->n);
    printf("  solver   outcome    iterations  residual    seconds   z\n");
    bool all_good = true;
    for (int k = 0; k < pcs_solver_count(); ++k) {
        const pcs_solver_info *s = pcs_solver_at(k);
        const bool asked = strcmp(only, "all") == 0 || strcmp(only, s->name) == 0;
        if (!asked) continue;
        const bool must = !t->file || s->kind == PCS_SOLVER_AUTO || strcmp(only, s->name) == 0;
        if ((t->cones & ~s->cones) != 0) {
            printf("  %-8s does not take this kind of problem\n", s->name);
            continue;
        }

        pcs_solver_opts o = pcs_solver_opts_default(s->kind);
        o.tol = tol;
        pcs_report report;
        memset(z, 0, (size_t)t->n * sizeof *z);
        const bool ran = solve(t, &o, z, w, &report) == PCS_OK;
        if (ran) {
            print_row(t, s->name, &report, z);
            write_rows(out, t, s->name, &report, z);
        } else {
            printf("  %-8s refused: %s\n", s->name, pcs_error_text());
        }
        if (must && !(ran && good(t, tol, &report, z))) {
            fprintf(stderr, "%s: %s did not solve it\n", t->name, s->name);
            all_good = false;
        }
    }
    free(z);
    free(w);
    return all_good;
}

// false after saying that the solver asked for does not take the task
static bool taken(const task *t, int solver)
{
    const pcs_solver_info *s = solver > 0 ? pcs_solver_at(solver - 1) : NULL;
    if (!s || (t->cones & ~s->cones) == 0) return true;
    fprintf(stderr, "%s: --solver %s does not take this kind of problem; choose another\n", t->name,
            s->name);
    return false;
}

// replaces a task by a file; false after saying why not
static bool open_file(task *t, const char *path, pcs_file_kind kind)
{
    if (!path) return true;
    if (pcs_problem_file_read(NULL, path, kind, &t->file) != PCS_OK) {
        fprintf(stderr, "%s\n", pcs_error_text());
        return false;
    }
    t->name = path;
    t->n = t->file->problem.n;
    t->z = NULL;
    t->cones = 0;
    for (int i = 0; i < t->file->problem.nb; ++i) {
        t->cones |= 1u << t->file->problem.block[i].cone;
    }
    return true;
}

// "all|auto|direct|..." from the table of solvers
static void list_solvers(char *words, size_t size)
{
    int n = snprintf(words, size, "all");
    for (int k = 0; k < pcs_solver_count() && n < (int)size; ++k) {
        n += snprintf(words + n, size - (size_t)n, "|%s", pcs_solver_at(k)->name);
    }
}

int main(int argc, char **argv)
{
    double tol = 1e-10;
    int solver = 0;
    const char *lcp_path = NULL, *mlcp_path = NULL, *csv_path = NULL;
    char words[400];
    list_solvers(words, sizeof words);

    args a = {.about = "Solves an LCP and an MLCP by every solver and compares the answers."};
    args_positive(&a, "--tol", &tol, 1000, "", "residual to reach");
    args_choice(&a, "--solver", &solver, words, "solver");
    args_input(&a, "--lcp", &lcp_path, "FILE", "LCP to read instead of the string");
    args_input(&a, "--mlcp", &mlcp_path, "FILE", "MLCP to read instead of the circuit");
    args_output(&a, "--csv", &csv_path, "FILE", "table to write");
    args_parse(&a, argc, argv);

    const unsigned unilateral = 1u << PCS_CONE_UNILATERAL, equality = 1u << PCS_CONE_EQUALITY;
    task lcp = {.name = "LCP: string over a table", .n = 5, .cones = unilateral, .z = string_z};
    task mlcp = {
        .name = "MLCP: node with two diodes", .n = 3, .cones = unilateral | equality, .z = node_z};

    csv out;
    int code = 2;
    if (!csv_open(&out, csv_path, "problem,solver,outcome,iterations,residual,seconds,row,z")) {
        return code;
    }
    if (open_file(&lcp, lcp_path, PCS_FILE_LCP) && open_file(&mlcp, mlcp_path, PCS_FILE_MLCP) &&
        taken(&lcp, solver) && taken(&mlcp, solver)) {
        const char *only = solver == 0 ? "all" : pcs_solver_at(solver - 1)->name;
        const bool lcp_good = compare(&lcp, only, tol, &out);
        const bool mlcp_good = compare(&mlcp, only, tol, &out);
        code = lcp_good && mlcp_good ? 0 : 1;
        if (!csv_close(&out)) code = 2;
    }
    csv_drop(&out);
    pcs_problem_file_destroy(lcp.file);
    pcs_problem_file_destroy(mlcp.file);
    return code;
}
