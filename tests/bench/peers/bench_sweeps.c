// A sweep of nsgs over the same assembled W by percuss and by Siconos: nanoseconds of processor
// time per contact, and the ratio.
//
//     bench_sweeps [--list] [--scene NAME] [--size NC] [--repeats N]
//
// A sweep is the difference of sixty sweeps and ten, divided by fifty, both the fastest of some
// runs. Settings of the peer: its default, and one projection per contact, its cheapest local step.
// Both evaluate the light error of every sweep. percuss solves every contact exactly and measures
// no residual in between.
#define _POSIX_C_SOURCE 200809L

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <percuss/solver.h>

#include "../cost_scene.h"
#include "../options.h"

#include <siconos/numerics/FrictionContactProblem.h>
#include <siconos/numerics/Friction_cst.h>
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/NumericsMatrix.h>
#include <siconos/numerics/NumericsSparseMatrix.h>
#include <siconos/numerics/NumericsVerbose.h>
#include <siconos/numerics/SolverOptions.h>
#include <siconos/numerics/SparseBlockMatrix.h>

#define MOST_BLOCKS 4e6

typedef struct setting {
    const char *name;
    int local; // 0: the default
} setting;

static const setting settings[] = {
    {"default", 0},
    {"projection", SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnCone},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

static double processor_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *need(size_t count, size_t size)
{
    void *x = calloc(count, size);
    if (!x) {
        fprintf(stderr, "bench_sweeps: out of memory\n");
        exit(2);
    }
    return x;
}

// W as the peer stores it
static NumericsMatrix *block_matrix(const pcs_problem *p)
{
    SparseBlockStructuredMatrix *B = SBM_new();
    const size_t nc = (size_t)p->nb, nz = (size_t)p->W.ptr[nc];
    B->block = need(nz, sizeof *B->block);
    B->blocknumber0 = B->blocknumber1 = (unsigned)nc;
    B->blocksize0 = need(nc, sizeof *B->blocksize0);
    B->blocksize1 = need(nc, sizeof *B->blocksize1);
    B->index1_data = need(nc + 1, sizeof *B->index1_data);
    B->index2_data = need(nz, sizeof *B->index2_data);
    for (size_t i = 0; i < nc; ++i) {
        B->blocksize0[i] = B->blocksize1[i] = 3 * (unsigned)(i + 1);
        B->index1_data[i + 1] = (size_t)p->W.ptr[i + 1];
    }
    for (size_t k = 0; k < nz; ++k) {
        B->block[k] = need(9, sizeof(double));
        memcpy(B->block[k], p->W.val + p->W.off[k], 9 * sizeof(double));
        B->index2_data[k] = (size_t)p->W.idx[k];
    }
    B->filled1 = nc + 1;
    B->filled2 = nz;
    B->nbblocks = (unsigned)nz;
    return NM_new_SBM(p->n, p->n, B);
}

typedef struct task {
    const pcs_problem *p;
    pcs_arena work;
    FrictionContactProblem *peer;
    double *r, *u;
} task;

static double ours(task *t, int sweeps)
{
    pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_NSGS);
    pcs_report report;
    o.tol = 1e-300;
    o.max_iters = sweeps;
    o.as.nsgs.depth = 0;
    o.as.nsgs.check_every = 1000000;
    memset(t->r, 0, (size_t)t->p->n * sizeof *t->r);
    const double start = processor_seconds();
    if (pcs_solve(t->p, &o, (pcs_watch){0}, t->work, t->r, t->u, &report) != PCS_OK) {
        fprintf(stderr, "bench_sweeps: %s\n", pcs_error_text());
        exit(2);
    }
    return processor_seconds() - start;
}

static double theirs(task *t, const setting *s, int sweeps)
{
    memset(t->r, 0, (size_t)t->p->n * sizeof *t->r);
    memset(t->u, 0, (size_t)t->p->n * sizeof *t->u);
    const double start = processor_seconds();
    SolverOptions *o = solver_options_create(SICONOS_FRICTION_3D_NSGS);
    o->dparam[SICONOS_DPARAM_TOL] = 1e-300;
    o->iparam[SICONOS_IPARAM_MAX_ITER] = sweeps;
    if (s->local) solver_options_update_internal(o, 0, s->local);
    fc3d_driver(t->peer, t->r, t->u, o);
    solver_options_delete(o);
    return processor_seconds() - start;
}

// seconds of one sweep; null: of percuss
static double sweep(task *t, const setting *s, int repeats)
{
    double best[2] = {DBL_MAX, DBL_MAX};
    for (int k = 0; k < repeats; ++k) {
        for (int i = 0; i < 2; ++i) {
            const int sweeps = i == 0 ? 10 : 60;
            const double x = s ? theirs(t, s, sweeps) : ours(t, sweeps);
            if (x < best[i]) best[i] = x;
        }
    }
    return (best[1] - best[0]) / 50;
}

static void bench(const char *scene, const pcs_problem *p, int repeats)
{
    task t = {.p = p};
    const pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_NSGS);
    if (pcs_arena_create(NULL, pcs_solve_bytes(p, &o), &t.work) != PCS_OK) exit(2);
    t.r = need((size_t)p->n, sizeof *t.r);
    t.u = need((size_t)p->n, sizeof *t.u);
    double *mu = need((size_t)p->nb, sizeof *mu), *q = need((size_t)p->n, sizeof *q);
    memcpy(q, p->q, (size_t)p->n * sizeof *q);
    for (int b = 0; b < p->nb; ++b) {
        mu[b] = p->block[b].mu;
    }
    // the memory of the peer's problem is not released
    t.peer = frictionContactProblem_new_with_data(3, p->nb, block_matrix(p), q, mu);

    const double mine = sweep(&t, NULL, repeats);
    printf("%-6s %6d contacts  %-22s %9.1f ns a contact and sweep\n", scene, p->nb, "percuss",
           1e9 * mine / p->nb);
    for (int k = 0; k < SETTINGS; ++k) {
        const double other = sweep(&t, &settings[k], repeats);
        printf("%-6s %6d contacts  %-22s %9.1f  ratio %.2f\n", scene, p->nb, settings[k].name,
               1e9 * other / p->nb, mine / other);
        fflush(stdout);
    }
    pcs_arena_destroy(NULL, &t.work);
    free(t.r);
    free(t.u);
}

int main(int argc, char **argv)
{
    static const int sizes[] = {100, 1000, 10000};
    const char *only = NULL;
    int size = 0, repeats = 9;
    const bench_option options[] = {BENCH_WORD("--scene", &only), BENCH_COUNT("--size", &size),
                                    BENCH_COUNT("--repeats", &repeats)};
    if (bench_options(argc, argv, "bench_sweeps", options, 3)) {
        for (int k = 0; k < COST_KINDS; ++k) {
            printf("%s\n", cost_name[k]);
        }
        return 0;
    }
    numerics_set_verbose(0);
    for (int k = 0; k < COST_KINDS; ++k) {
        if (only && strcmp(only, cost_name[k]) != 0) continue;
        for (int j = 0; j < 3; ++j) {
            if (size > 0 && size != sizes[j]) continue;
            cost_scene s;
            cost_create((cost_kind)k, sizes[j], &s);
            if (cost_blocks(&s) <= MOST_BLOCKS) {
                cost_condense(&s);
                bench(cost_name[k], &s.p, repeats);
            }
            cost_destroy(&s);
        }
    }
    return 0;
}
