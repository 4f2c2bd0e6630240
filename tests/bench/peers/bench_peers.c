// The same friction problems, in the same run, through the solvers of Siconos and through `auto`:
// per problem and tolerance the time of every setting, the fastest of the peer's, and the ratio.
//
//     bench_peers [--tol 1e-4,1e-8,1e-12] [--max-seconds S] [--csv FILE] [--all] FILE...
//
// The CSV has columns of the runs.csv of `percuss bench`, whose --add puts the settings of the peer
// into its profiles and its report (the row of `auto` is left to that bench).
//
// Everything starts from r = 0 and stops on the relative natural map, which is measured again by
// percuss from the r returned: only that counts as solved. Every cell runs in a child process of
// its own, as a solver that crashes or hangs is to cost one cell.
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <percuss/linalg.h>
#include <percuss/problem_file.h>
#include <percuss/solver.h>

#include "../bench.h"

#include <siconos/numerics/FrictionContactProblem.h>
#include <siconos/numerics/Friction_cst.h>
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/NumericsMatrix.h>
#include <siconos/numerics/NumericsSparseMatrix.h>
#include <siconos/numerics/NumericsVerbose.h>
#include <siconos/numerics/SolverOptions.h>
#include <siconos/numerics/SparseBlockMatrix.h>

#define REPEATS 5

// ---- the peer's settings -----------------------------------------------------------------------

typedef struct setting {
    const char *name;
    int id; // 0: auto of percuss
    NM_types storage;
    int max_iters;
    int at[2], value[2]; // integer parameters to change, where at is not 0
} setting;

static const setting settings[] = {
    {.name = "percuss-auto"},
    {"nsgs", SICONOS_FRICTION_3D_NSGS, NM_SPARSE_BLOCK, 100000, {0}, {0}},
    {"nsgs-exact",
     SICONOS_FRICTION_3D_NSGS,
     NM_SPARSE_BLOCK,
     100000,
     {SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION},
     {SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_FULL}},
    {"nsn-ac-dense", SICONOS_FRICTION_3D_NSN_AC, NM_DENSE, 1000, {0}, {0}},
    {"nsn-ac", SICONOS_FRICTION_3D_NSN_AC, NM_SPARSE, 1000, {0}, {0}},
    {"nsn-ac-hybrid",
     SICONOS_FRICTION_3D_NSN_AC,
     NM_SPARSE,
     1000,
     {SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY},
     {SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY_VI_EG_NSN}},
    {"prox-dense", SICONOS_FRICTION_3D_PROX, NM_DENSE, 1000, {0}, {0}},
    {"prox", SICONOS_FRICTION_3D_PROX, NM_SPARSE, 1000, {0}, {0}},
    {"admm", SICONOS_FRICTION_3D_ADMM, NM_SPARSE, 20000, {0}, {0}},
    {"admm-balanced",
     SICONOS_FRICTION_3D_ADMM,
     NM_SPARSE,
     20000,
     {SICONOS_FRICTION_3D_ADMM_IPARAM_RHO_STRATEGY},
     {SICONOS_FRICTION_3D_ADMM_RHO_STRATEGY_RESIDUAL_BALANCING}},
    {"vi-eg", SICONOS_FRICTION_3D_VI_EG, NM_SPARSE_BLOCK, 100000, {0}, {0}},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

// ---- a problem as the peer stores it -----------------------------------------------------------

// the 3 x 3 block of contacts i and j, column-major; false when it is zero
static bool contact_block(const double *W, int nc, int i, int j, double *block)
{
    bool any = false;
    for (int c = 0; c < 3; ++c) {
        for (int r = 0; r < 3; ++r) {
            const double x = W[3 * i + r + 3 * (size_t)nc * (3 * (size_t)j + c)];
            block[r + 3 * c] = x;
            any |= x != 0;
        }
    }
    return any || i == j;
}

static NumericsMatrix *block_matrix(const double *W, int nc)
{
    SparseBlockStructuredMatrix *B = SBM_new();
    const size_t n = (size_t)nc, most = n * n;
    B->block = malloc(most * sizeof *B->block);
    B->blocknumber0 = B->blocknumber1 = (unsigned)nc;
    B->blocksize0 = malloc(n * sizeof *B->blocksize0);
    B->blocksize1 = malloc(n * sizeof *B->blocksize1);
    B->index1_data = malloc((n + 1) * sizeof *B->index1_data);
    B->index2_data = malloc(most * sizeof *B->index2_data);
    if (!B->block || !B->blocksize0 || !B->blocksize1 || !B->index1_data || !B->index2_data) {
        return NULL;
    }
    B->index1_data[0] = 0;
    for (int i = 0; i < nc; ++i) {
        B->blocksize0[i] = B->blocksize1[i] = 3 * (unsigned)(i + 1);
        for (int j = 0; j < nc; ++j) {
            double block[9];
            if (!contact_block(W, nc, i, j, block)) continue;
            double *copy = malloc(sizeof block);
            if (!copy) return NULL;
            memcpy(copy, block, sizeof block);
            B->index2_data[B->nbblocks] = (size_t)j;
            B->block[B->nbblocks++] = copy;
        }
        B->index1_data[i + 1] = B->nbblocks;
    }
    B->filled1 = n + 1;
    B->filled2 = B->nbblocks;
    return NM_new_SBM(3 * nc, 3 * nc, B);
}

static NumericsMatrix *sparse_matrix(const double *W, int nc)
{
    const int n = 3 * nc;
    int entries = 0;
    for (size_t k = 0; k < (size_t)n * (size_t)n; ++k) {
        entries += W[k] != 0;
    }
    NumericsMatrix *M = NM_create(NM_SPARSE, n, n);
    NM_triplet_alloc(M, entries);
    M->matrix2->origin = NSM_TRIPLET;
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
            const double x = W[i + (size_t)n * (size_t)j];
            if (x != 0) NM_entry(M, i, j, x);
        }
    }
    return M;
}

static NumericsMatrix *peer_matrix(NM_types storage, const double *W, int nc)
{
    if (storage == NM_SPARSE_BLOCK) return block_matrix(W, nc);
    if (storage == NM_SPARSE) return sparse_matrix(W, nc);
    NumericsMatrix *M = NM_create(NM_DENSE, 3 * nc, 3 * nc);
    memcpy(M->matrix0, W, 9 * (size_t)nc * (size_t)nc * sizeof *W);
    return M;
}

// ---- one cell ----------------------------------------------------------------------------------

typedef struct cell {
    const setting *with;
    const pcs_problem *p;
    double tol;
    pcs_env *env;
    pcs_arena work;
    FrictionContactProblem *peer;
    double *r, *u, *W, *mu;
} cell;

typedef struct result {
    int solved; // natural map <= tol, by percuss
    double seconds, natural_map, residual, norm_q, norm_r, norm_u;
    char how[16]; // the word of runs.csv
} result;

static void run_percuss(void *user)
{
    cell *c = user;
    pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_AUTO);
    o.tol = c->tol;
    o.stop = PCS_STOP_NATURAL;
    pcs_report report;
    memset(c->r, 0, (size_t)c->p->n * sizeof *c->r);
    if (pcs_solve(c->p, &o, (pcs_watch){0}, c->work, c->r, c->u, &report) != PCS_OK) {
        fprintf(stderr, "%s\n", pcs_error_text());
    }
}

static void run_peer(void *user)
{
    cell *c = user;
    memset(c->r, 0, (size_t)c->p->n * sizeof *c->r);
    memset(c->u, 0, (size_t)c->p->n * sizeof *c->u);
    SolverOptions *o = solver_options_create(c->with->id);
    o->dparam[SICONOS_DPARAM_TOL] = c->tol;
    o->iparam[SICONOS_IPARAM_MAX_ITER] = c->with->max_iters;
    for (int k = 0; k < 2; ++k) {
        if (c->with->at[k]) o->iparam[c->with->at[k]] = c->with->value[k];
    }
    fc3d_driver(c->peer, c->r, c->u, o);
    solver_options_delete(o);
}

static bool prepare(cell *c)
{
    const int nc = c->p->nb;
    const size_t n = (size_t)c->p->n;
    c->r = calloc(n + 1, sizeof(double));
    c->u = calloc(n + 1, sizeof(double));
    c->mu = calloc((size_t)nc + 1, sizeof(double));
    if (!c->r || !c->u || !c->mu) return false;
    if (c->with->id == 0) {
        pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_AUTO);
        o.tol = c->tol;
        o.stop = PCS_STOP_NATURAL;
        return pcs_arena_create(NULL, pcs_solve_bytes(c->p, &o), &c->work) == PCS_OK;
    }
    c->W = malloc((n * n + 1) * sizeof(double));
    if (!c->W) return false;
    pcs_bsr_to_dense(&c->p->W, c->W);
    for (int b = 0; b < nc; ++b) {
        c->mu[b] = c->p->block[b].mu;
    }
    NumericsMatrix *M = peer_matrix(c->with->storage, c->W, nc);
    if (!M) return false;
    c->peer = frictionContactProblem_new_with_data(3, nc, M, (double *)c->p->q, c->mu);
    return c->peer != NULL;
}

// the child writes the result to `to`
static void run_cell(cell *c, double limit, int to)
{
    alarm((unsigned)ceil(2 * limit + 30));
    if (!prepare(c)) _exit(1);
    // the peer prints much on both
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(1);
    numerics_set_verbose(0);
    // the limit is for one run: the first run counts alone; it is repeated only if it was quick
    void (*run)(void *) = c->with->id == 0 ? run_percuss : run_peer;
    alarm((unsigned)ceil(limit));
    const double start = bench_clock();
    run(c);
    double seconds = bench_clock() - start;
    if (seconds < 0.5) {
        alarm((unsigned)ceil(limit) + 20);
        const bench_time t = bench_run(run, c, REPEATS);
        if (t.minimum < seconds) seconds = t.minimum;
    }
    pcs_measure m;
    pcs_problem_measure(c->p, c->r, c->u, &m);
    result out = {.seconds = seconds, .residual = m.residual};
    out.natural_map = pcs_measure_relative_natural_map(&m);
    out.solved = out.natural_map <= c->tol;
    out.norm_q = m.norm_q;
    out.norm_r = m.norm_r;
    out.norm_u = m.norm_u;
    snprintf(out.how, sizeof out.how, "%s", out.solved ? "converged" : "inaccurate");
    if (write(to, &out, sizeof out) != (ssize_t)sizeof out) _exit(1);
    _exit(0);
}

static result cell_result(cell *c, double limit)
{
    result out = {.seconds = INFINITY, .natural_map = NAN, .residual = NAN};
    snprintf(out.how, sizeof out.how, "crash");
    int ends[2];
    if (pipe(ends) != 0) return out;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        run_cell(c, limit, ends[1]);
    }
    close(ends[1]);
    result got;
    const ssize_t size = read(ends[0], &got, sizeof got);
    close(ends[0]);
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) return out;
    if (size == (ssize_t)sizeof got) return got;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
        snprintf(out.how, sizeof out.how, "timeout");
    }
    return out;
}

// ---- the table ---------------------------------------------------------------------------------

typedef struct tally {
    double log_ratio, worst;
    int compared, ours, theirs, problems;
} tally;

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// unknown numbers are left empty
static void put_number(FILE *csv, double x)
{
    fputc(',', csv);
    if (isfinite(x)) fprintf(csv, "%.17g", x);
}

static void put_row(FILE *csv, const char *path, const pcs_problem *p, const char *solver,
                    double tol, const result *x)
{
    fputc('"', csv);
    for (; *path; ++path) {
        if (*path == '"') fputc('"', csv);
        fputc(*path, csv);
    }
    fprintf(csv, "\",fc3d,%d,%d,%d,siconos-%s,%.17g,natural,%s", p->n, p->nb, p->nb, solver, tol,
            x->how);
    put_number(csv, x->solved ? x->seconds : NAN);
    put_number(csv, x->residual);
    put_number(csv, x->natural_map);
    put_number(csv, x->norm_q);
    put_number(csv, x->norm_r);
    put_number(csv, x->norm_u);
    fputc('\n', csv);
    fflush(csv);
}

static void compare(const char *path, const pcs_problem *p, double tol, double limit, FILE *csv,
                    bool all, tally *t)
{
    double best = INFINITY;
    const char *winner = "none";
    result ours = {0};
    for (int k = 0; k < SETTINGS; ++k) {
        cell c = {.with = &settings[k], .p = p, .tol = tol};
        const result got = cell_result(&c, limit);
        if (csv && k > 0) put_row(csv, path, p, settings[k].name, tol, &got);
        if (all) {
            printf("    %-16s %-10s %10.3e s  natural map %8.1e\n", settings[k].name, got.how,
                   got.seconds, got.natural_map);
        }
        if (k == 0) ours = got;
        if (k > 0 && got.solved && got.seconds < best) {
            best = got.seconds;
            winner = settings[k].name;
        }
    }
    t->problems += 1;
    t->ours += ours.solved;
    t->theirs += isfinite(best);
    printf("%-44s %5d %6.0e  %-10s %10.3e  %-14s %10.3e", base_name(path), p->nb, tol, ours.how,
           ours.seconds, winner, best);
    if (ours.solved && isfinite(best)) {
        const double ratio = ours.seconds / best;
        t->compared += 1;
        t->log_ratio += log(ratio);
        if (ratio > t->worst) t->worst = ratio;
        printf("  %8.2f", ratio);
    }
    printf("\n");
}

static int parse_tolerances(char *text, double *tol, int most)
{
    int n = 0;
    for (char *word = strtok(text, ","); word && n < most; word = strtok(NULL, ",")) {
        tol[n++] = strtod(word, NULL);
        if (!(tol[n - 1] > 0)) return 0;
    }
    return n;
}

int main(int argc, char **argv)
{
    double tol[8] = {1e-4, 1e-8, 1e-12}, limit = 10;
    int n_tol = 3, first = argc;
    bool all = false;
    FILE *csv = NULL;
    for (int k = 1; k < argc; ++k) {
        if (strcmp(argv[k], "--list") == 0) {
            for (int s = 0; s < SETTINGS; ++s) {
                printf("%s\n", settings[s].name);
            }
            return 0;
        }
        if (strcmp(argv[k], "--all") == 0) {
            all = true;
        } else if (strcmp(argv[k], "--tol") == 0 && k + 1 < argc) {
            n_tol = parse_tolerances(argv[++k], tol, 8);
        } else if (strcmp(argv[k], "--max-seconds") == 0 && k + 1 < argc) {
            limit = strtod(argv[++k], NULL);
        } else if (strcmp(argv[k], "--csv") == 0 && k + 1 < argc) {
            csv = fopen(argv[++k], "w");
            if (!csv) return perror(argv[k]), 2;
            fprintf(csv, "file,kind,rows,blocks,contacts,solver,tol,measure,outcome,seconds,"
                         "residual,relative_natural_map,norm_q,norm_r,norm_u\n");
        } else {
            first = k;
            break;
        }
    }
    if (first == argc || n_tol == 0 || !(limit > 0)) {
        fprintf(stderr,
                "usage: %s [--list] [--tol T,T...] [--max-seconds S] [--csv FILE] [--all] "
                "FILE...\n",
                argv[0]);
        return 2;
    }

    printf("%-44s %5s %6s  %-10s %10s  %-14s %10s  %8s\n", "problem", "nc", "tol", "auto",
           "seconds", "fastest peer", "seconds", "ratio");
    for (int k = 0; k < n_tol; ++k) {
        tally t = {0};
        for (int f = first; f < argc; ++f) {
            pcs_problem_file *file;
            if (pcs_problem_file_read(NULL, argv[f], PCS_FILE_ANY, &file) != PCS_OK &&
                pcs_problem_file_read(NULL, argv[f], PCS_FILE_FC3D, &file) != PCS_OK) {
                fprintf(stderr, "%s\n", pcs_error_text());
                continue;
            }
            if (file->kind == PCS_FILE_FC3D) {
                compare(argv[f], &file->problem, tol[k], limit, csv, all, &t);
            } else {
                fprintf(stderr, "%s: not a local friction problem in space\n", argv[f]);
            }
            pcs_problem_file_destroy(file);
        }
        printf("tolerance %.0e: %d problems, auto %d, some peer %d; geometric mean of the ratio of "
               "times %.3f, worst %.2f\n\n",
               tol[k], t.problems, t.ours, t.theirs,
               t.compared ? exp(t.log_ratio / t.compared) : NAN, t.worst);
    }
    if (csv && fclose(csv) != 0) return perror("csv"), 2;
    return 0;
}
