// Times of one contact with friction, and of a sweep of nsgs by the number of contacts.
//
//     bench_friction [--list] [--case NAME] [--size NC] [--repeats N] [--csv FILE]
//
// The contacts are a thousand random ones, each solved from zero and from its own solution. A sweep
// is timed as the difference of sixty sweeps and ten, no residual in between.
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "friction.h"
#include "local/coulomb.h"
#include "options.h"

#define CONTACTS 1000

typedef struct bench_case {
    const char *name, *text;
    int family; // -1: single contacts
} bench_case;

static const bench_case cases[] = {
    {"contact", "single contacts: exact, Newton, fixed point (20 steps)", -1},
    {"spheres", "sweeps over a pyramid of spheres", FRICTION_SPHERES},
    {"boxes", "sweeps over a tower of boxes, four contacts between two", FRICTION_BOXES},
    {"dense", "sweeps over a dense W", FRICTION_DENSE},
};
static const int sizes[] = {10, 100, 1000, 10000};

#define COUNT(x) ((int)(sizeof(x) / sizeof *(x)))

typedef struct single {
    contact c[CONTACTS];
    double q[CONTACTS][3], r[CONTACTS][3];
    int kind;  // 0 exact, 1 Newton, 2 fixed point
    bool warm; // starts from the last solution
} single;

static void solve_contacts(void *user)
{
    single *s = user;
    for (int i = 0; i < CONTACTS; ++i) {
        if (!s->warm) memset(s->r[i], 0, sizeof s->r[i]);
        if (s->kind == 0) contact_solve(&s->c[i], s->q[i], s->r[i]);
        if (s->kind == 1) contact_newton(&s->c[i], s->q[i], 20, s->r[i]);
        if (s->kind == 2) contact_fixed_point(&s->c[i], s->q[i], 20, s->r[i]);
    }
}

static void bench_contacts(int repeats, FILE *csv)
{
    static const char *const kind[3] = {"exact", "newton", "fixed_point"};
    single *s = malloc(sizeof *s);
    if (!s) exit(2);
    test_random rng = random_seed(1);
    for (int i = 0; i < CONTACTS; ++i) {
        double G[9], W[9] = {0};
        for (int k = 0; k < 9; ++k) {
            G[k] = random_normal(&rng);
        }
        for (int k = 0; k < 27; ++k) {
            W[k % 9] += G[k % 3 + 3 * (k / 9)] * G[k / 3 % 3 + 3 * (k / 9)];
        }
        contact_prepare(&s->c[i], 3, random_between(&rng, 0.1, 1), W, 3, 1);
        for (int k = 0; k < 3; ++k) {
            s->q[i][k] = random_normal(&rng);
        }
        s->q[i][0] = -fabs(s->q[i][0]);
        memset(s->r[i], 0, sizeof s->r[i]);
    }
    for (int k = 0; k < 6; ++k) {
        s->kind = k / 2;
        s->warm = k % 2;
        const bench_time t = bench_run(solve_contacts, s, repeats);
        printf("contact  %-12s from %-8s  %8.1f ns  (median %.1f)\n", kind[s->kind],
               s->warm ? "solution" : "zero", 1e9 * t.minimum / CONTACTS,
               1e9 * t.median / CONTACTS);
        if (csv) {
            fprintf(csv, "contact,%s_%s,1,%.6g,%.6g\n", kind[s->kind], s->warm ? "warm" : "cold",
                    t.minimum / CONTACTS, t.median / CONTACTS);
        }
    }
    free(s);
}

typedef struct task {
    pcs_problem p;
    pcs_solver_opts o;
    pcs_arena work;
    double *r, *u;
} task;

static void solve(void *user)
{
    task *t = user;
    pcs_report report;
    if (pcs_solve(&t->p, &t->o, (pcs_watch){0}, t->work, t->r, t->u, &report) != PCS_OK) {
        fprintf(stderr, "bench_friction: %s\n", pcs_error_text());
        exit(2);
    }
}

static void bench_sweeps(const bench_case *c, int nc, int repeats, FILE *csv)
{
    pcs_arena arena, work;
    if (c->family < FRICTION_SPHERES && nc > 1000) return;
    if (pcs_arena_create(NULL, friction_bytes((friction)c->family, nc), &arena) != PCS_OK) exit(2);
    task t = {.p = friction_problem((friction)c->family, nc, 1, &arena, NULL),
              .o = pcs_solver_opts_default(PCS_SOLVER_NSGS)};
    const size_t bytes = pcs_solve_bytes(&t.p, &t.o);
    if (pcs_arena_create(NULL, bytes, &work) != PCS_OK) exit(2);
    t.work = work;
    t.r = calloc(2 * (size_t)t.p.n, sizeof *t.r);
    if (!t.r) exit(2);
    t.u = t.r + t.p.n;
    t.o.tol = 1e-300;
    t.o.as.nsgs.depth = 0;
    t.o.as.nsgs.check_every = 1000000;

    // the difference of two lengths excludes the work before the first sweep
    double seconds[2];
    for (int k = 0; k < 2; ++k) {
        t.o.max_iters = k == 0 ? 10 : 60;
        seconds[k] = bench_run(solve, &t, repeats).minimum;
    }
    const double sweep = (seconds[1] - seconds[0]) / 50;
    const size_t blocks = t.p.W.m == t.p.nb ? (size_t)t.p.W.ptr[t.p.W.m] : (size_t)t.p.nb * t.p.nb;
    printf("%-8s %6d contacts  %8.3g us a sweep  %7.1f ns a contact  %5.2f ns a 3x3 block  %zu"
           " bytes of work\n",
           c->name, t.p.nb, 1e6 * sweep, 1e9 * sweep / t.p.nb, 1e9 * sweep / (double)blocks, bytes);
    if (csv) fprintf(csv, "%s,sweep,%d,%.6g,%.6g\n", c->name, t.p.nb, sweep, sweep / t.p.nb);
    free(t.r);
    pcs_arena_destroy(NULL, &work);
    pcs_arena_destroy(NULL, &arena);
}

int main(int argc, char **argv)
{
    const char *only = NULL, *path = NULL;
    int size = 0, repeats = 11;
    const bench_option options[] = {BENCH_WORD("--case", &only), BENCH_COUNT("--size", &size),
                                    BENCH_COUNT("--repeats", &repeats), BENCH_WORD("--csv", &path)};
    if (bench_options(argc, argv, "bench_friction", options, COUNT(options))) {
        for (int k = 0; k < COUNT(cases); ++k) {
            printf("%-8s %s\n", cases[k].name, cases[k].text);
        }
        return 0;
    }
    FILE *csv = bench_table(path, "case,what,contacts,seconds,seconds_per_contact");
    for (int k = 0; k < COUNT(cases); ++k) {
        if (only && strcmp(only, cases[k].name) != 0) continue;
        if (cases[k].family < 0) {
            bench_contacts(repeats, csv);
            continue;
        }
        for (int j = 0; j < COUNT(sizes); ++j) {
            if (size == 0 || size == sizes[j]) bench_sweeps(&cases[k], sizes[j], repeats, csv);
        }
    }
    bench_table_close(csv, path);
    return 0;
}
