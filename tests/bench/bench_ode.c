// Evaluations and time for an accuracy with the pair of Dormand and Prince; if the peers are built
// and SUNDIALS is found, also with its ERKStep for the same pair, problems and tolerances.
//
//     bench_ode [--list] [--csv FILE]
#define _POSIX_C_SOURCE 199309L

#include "ode_case.h"

#include "bench.h"

#include <percuss/ode.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static int rates(void *user, double t, const double *x, double *f)
{
    const ode_case *c = user;
    c->rates(t, x, f);
    return 0;
}

typedef struct timed {
    const ode_case *c;
    pcs_integrator *run;
    double x0[ODE_CASE_MOST];
    pcs_status status;
    pcs_ode_report report;
} timed;

static void whole(void *user)
{
    timed *t = user;
    t->status = pcs_integrator_start(t->run, 0, t->x0);
    if (t->status == PCS_OK) t->status = pcs_integrator_advance(t->run, t->c->t_end, &t->report);
}

static bool own_run(const ode_case *c, ode_run *r)
{
    timed t = {.c = c};
    const pcs_ode ode = {.n = c->n, .f = rates, .user = (void *)c};
    pcs_ode_opts opts = pcs_ode_opts_default();
    opts.rtol = opts.atol = r->tol;
    c->start(t.x0);
    if (pcs_integrator_create(NULL, &ode, &opts, &t.run) != PCS_OK) return false;
    r->seconds = bench_run(whole, &t, 9).minimum;
    r->error = ode_case_error(c, pcs_integrator_x(t.run));
    r->evaluations = t.report.evaluations;
    r->steps = t.report.steps;
    pcs_integrator_destroy(t.run);
    return t.status == PCS_OK;
}

enum { LEVELS = 10 };

#ifdef BENCH_PEERS
// evaluations that reach `error`, between the runs: straight lines of logarithms
static double evaluations_at(const ode_run *run, double error)
{
    for (int k = 0; k + 1 < LEVELS; ++k) {
        const double a = run[k].error, b = run[k + 1].error;
        if (!(a >= error && error >= b) || a == b) continue;
        const double s = log(a / error) / log(a / b);
        return exp((1 - s) * log((double)run[k].evaluations) +
                   s * log((double)run[k + 1].evaluations));
    }
    return NAN;
}
#endif

static void print(const char *name, const char *who, const ode_run *r, FILE *csv)
{
    printf("%-8s %-9s %8.0e %10.2e %8ld %6ld %10.1f\n", name, who, r->tol, r->error, r->evaluations,
           r->steps, 1e9 * r->seconds / (double)r->evaluations);
    if (csv) {
        fprintf(csv, "%s,%s,%.17g,%.17g,%ld,%ld,%.17g\n", name, who, r->tol, r->error,
                r->evaluations, r->steps, r->seconds);
    }
}

int main(int argc, char **argv)
{
    FILE *csv = NULL;
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        for (int i = 0; ode_case_at(i); ++i) {
            puts(ode_case_at(i)->name);
        }
        return 0;
    }
    if (argc == 3 && strcmp(argv[1], "--csv") == 0) {
        csv = fopen(argv[2], "w");
        if (!csv) {
            fprintf(stderr, "bench_ode: cannot write %s\n", argv[2]);
            return 2;
        }
        fprintf(csv, "case,who,tol,error,evaluations,steps,seconds\n");
    } else if (argc > 1) {
        fprintf(stderr, "usage: bench_ode [--list] [--csv FILE]\n");
        return 2;
    }
    printf("%-8s %-9s %8s %10s %8s %6s %10s\n", "case", "who", "rtol", "error", "evals", "steps",
           "ns/eval");
    for (int i = 0; ode_case_at(i); ++i) {
        const ode_case *c = ode_case_at(i);
        ode_run own[LEVELS];
        for (int k = 0; k < LEVELS; ++k) {
            own[k] = (ode_run){.tol = pow(10, -3 - k)};
            if (!own_run(c, &own[k])) {
                fprintf(stderr, "bench_ode: %s: %s\n", c->name, pcs_error_text());
                return 1;
            }
            print(c->name, "percuss", &own[k], csv);
        }
#ifdef BENCH_PEERS
        ode_run peer[LEVELS];
        double sum = 0, most = 0;
        int n = 0;
        for (int k = 0; k < LEVELS; ++k) {
            peer[k] = (ode_run){.tol = pow(10, -3 - k)};
            if (!ode_peer_run(c, &peer[k])) {
                fprintf(stderr, "bench_ode: the peer fails on %s\n", c->name);
                return 1;
            }
            print(c->name, "sundials", &peer[k], csv);
        }
        for (int k = 0; k < LEVELS; ++k) {
            const double other = evaluations_at(peer, own[k].error);
            if (!isfinite(other)) continue;
            const double ratio = (double)own[k].evaluations / other;
            sum += log(ratio);
            most = fmax(most, ratio);
            n += 1;
        }
        printf("%-8s evaluations at equal error, percuss / sundials: mean %.2f, worst %.2f\n",
               c->name, exp(sum / n), most);
#endif
    }
    return csv && fclose(csv) != 0 ? 2 : 0;
}
