// A fast and a slow motion, and the algebraic equation that replaces the fast one:
//
//     x' = -z,  eps z' = -(z - x^2)        as eps -> 0:   x' = -z,  0 = z - x^2
//
// The limit is a system of index 1 with x = 1 / (1 + t), z = x^2. By Tikhonov's theorem the motion
// is within O(eps) of it outside of an initial layer, for the fast motion is asymptotically stable.
// The next terms of the expansion, matched through the layer, are known (L = z(0) - 1):
//
//     (x_eps - x) / eps -> -(L + 2 log(1 + t)) / (1 + t)^2
//     (z_eps - z) / eps -> (2 - 2 L - 4 log(1 + t)) / (1 + t)^3
//     z_eps = x_eps^2 + L exp(-t / eps) + O(eps) within the layer
//
// With the sign of the fast equation reversed the limit equations are the same, but the motion does
// not stay near them: it grows as exp(t / eps).
#include "args.h"
#include "example.h"
#include "study.h"

#include <percuss/ode.h>

#include <math.h>
#include <stdio.h>

enum { MOST_LEVELS = 12 };

typedef struct settings {
    double eps, factor, z0, t_end, rtol;
    int levels;
    const char *csv;
} settings;

static void read_flags(settings *set, int argc, char **argv)
{
    *set = (settings){.eps = 1e-2, .factor = 10, .z0 = 3, .t_end = 1, .rtol = 1e-10, .levels = 4};
    args a = {.about = "eps z' = g(x, z) and its limit 0 = g(x, z): the boundary layer, the "
                       "distance outside of it, and the cost of integrating each."};
    args_real(&a, "--eps", &set->eps, 1e-4, 0.05, "", "largest eps");
    args_real(&a, "--factor", &set->factor, 2, 10, "", "ratio of one eps to the next");
    args_int(&a, "--levels", &set->levels, 2, MOST_LEVELS, "number of values of eps");
    args_real(&a, "--z0", &set->z0, -20, 20, "", "z at the start; on the limit it is 1");
    args_real(&a, "--tend", &set->t_end, 0.5, 20, "s", "end of a run");
    args_real(&a, "--rtol", &set->rtol, 1e-11, 1e-8, "", "tolerance of the integrator");
    args_output(&a, "--csv", &set->csv, "FILE",
                "write every step: eps (0: the limit, negative: reversed), t, x, z");
    args_parse(&a, argc, argv);
    // differences of 1e-3 eps must be resolved
    if (set->eps * pow(set->factor, 1 - set->levels) < 1e4 * set->rtol) {
        args_refuse("the smallest eps is below 1e4 times --rtol: lower --levels or "
                    "--rtol");
    }
}

// ---- the systems

static int fast_and_slow(void *user, double t, const double *y, double *f)
{
    const double eps = *(const double *)user;
    (void)t;
    f[0] = -y[1];
    f[1] = -(y[1] - y[0] * y[0]) / eps;
    return 0;
}

static int slow(void *user, double t, const double *x, const double *z, double *f)
{
    (void)user;
    (void)t;
    (void)x;
    f[0] = -z[0];
    return 0;
}

static int fast(void *user, double t, const double *x, const double *z, double *g)
{
    (void)user;
    (void)t;
    g[0] = -(z[0] - x[0] * x[0]);
    return 0;
}

// the end of a run
typedef struct outcome {
    double x, z, in_layer; // at t_end; |z - x^2 - L exp(-t / eps)| / eps at most, for t < 10 eps
    pcs_ode_report report;
} outcome;

// steps to t_end, one row each
static pcs_status follow(const settings *set, pcs_integrator *run, double eps, csv *out,
                         outcome *end)
{
    *end = (outcome){0};
    for (;;) {
        const double t = pcs_integrator_t(run), *x = pcs_integrator_x(run);
        end->x = x[0];
        end->z = eps != 0 ? x[1] : pcs_integrator_z(run)[0];
        CSV_ROW(out, eps, t, end->x, end->z);
        const double layer = (set->z0 - 1) * exp(-t / eps);
        if (eps > 0 && t < 10 * eps) {
            end->in_layer = fmax(end->in_layer, fabs(end->z - end->x * end->x - layer) / eps);
        }
        if (t >= set->t_end) break;
        // the steps are the integrator's own, the last one made to fit
        const double h = pcs_integrator_report(run).h_next;
        PCS_TRY(h > 0 && t + h < set->t_end ? pcs_integrator_step(run, NULL)
                : h > 0                     ? pcs_integrator_advance(run, set->t_end, NULL)
                                            : pcs_integrator_step(run, NULL));
    }
    end->report = pcs_integrator_report(run);
    return PCS_OK;
}

static pcs_ode_opts opts_of(const settings *set, const pcs_tableau *tableau)
{
    pcs_ode_opts opts = pcs_ode_opts_default();
    opts.tableau = tableau;
    opts.rtol = opts.atol = set->rtol;
    opts.max_steps = 10000000;
    return opts;
}

static pcs_status run_full(const settings *set, const pcs_tableau *tableau, double eps, csv *out,
                           outcome *end)
{
    const pcs_ode ode = {.n = 2, .f = fast_and_slow, .user = &eps};
    const pcs_ode_opts opts = opts_of(set, tableau);
    const double y0[2] = {1, set->z0};
    pcs_integrator *run;
    PCS_TRY(pcs_integrator_create(NULL, &ode, &opts, &run));
    pcs_status status = pcs_integrator_start(run, 0, y0);
    if (status == PCS_OK) status = follow(set, run, eps, out, end);
    pcs_integrator_destroy(run);
    return status;
}

static pcs_status run_limit(const settings *set, const pcs_tableau *tableau, csv *out, outcome *end)
{
    const pcs_semi_explicit limit = {.nx = 1, .nz = 1, .f = slow, .g = fast};
    const pcs_ode_opts opts = opts_of(set, tableau);
    const double x0 = 1;
    pcs_integrator *run;
    PCS_TRY(pcs_integrator_create_semi_explicit(NULL, &limit, &opts, &run));
    // z(0) follows from the equation, not from the start of the fast motion
    pcs_status status = pcs_integrator_start_dae(run, 0, &x0, NULL, NULL);
    if (status == PCS_OK) status = follow(set, run, 0, out, end);
    pcs_integrator_destroy(run);
    return status;
}

// the reversed system from beside the limit: how fast it leaves, times eps
static pcs_status leave(const settings *set, double eps, csv *out, double *rate)
{
    double reversed = -eps;
    const pcs_ode ode = {.n = 2, .f = fast_and_slow, .user = &reversed};
    const pcs_ode_opts opts = opts_of(set, NULL);
    const double y0[2] = {1, 1 + 1e-6};
    double apart[2] = {0, 0};
    pcs_integrator *run;
    PCS_TRY(pcs_integrator_create(NULL, &ode, &opts, &run));
    pcs_status status = pcs_integrator_start(run, 0, y0);
    for (int k = 0; k < 2 && status == PCS_OK; ++k) {
        // past the distance of order eps that the slow motion itself makes
        status = pcs_integrator_advance(run, (12 + 2 * k) * eps, NULL);
        const double *y = pcs_integrator_x(run);
        apart[k] = fabs(y[1] - y[0] * y[0]);
        CSV_ROW(out, reversed, pcs_integrator_t(run), y[0], y[1]);
    }
    *rate = log(apart[1] / apart[0]) / 2;
    pcs_integrator_destroy(run);
    return status;
}

// ---- closed forms

static void check_limit(checks *c, const settings *set, const outcome *end, const char *method)
{
    const double x = 1 / (1 + set->t_end), tol = 100 * set->rtol;
    c->context = method;
    check_value(c, "x of the limit", end->x, x, tol);
    check_value(c, "z of the limit", end->z, x * x, tol);
    printf("  limit     %-16s %8ld %10ld\n", method, end->report.steps, end->report.evaluations);
}

// one eps by both methods; the distances to the limit
static pcs_status level(checks *c, const settings *set, double eps, csv *out, double *dx,
                        double *dz)
{
    const double T = 1 + set->t_end, L = set->z0 - 1, l = log(T);
    const double x1 = -(L + 2 * l) / (T * T), z1 = (2 - 2 * L - 4 * l) / (T * T * T);
    outcome by_sdirk, by_dp;
    csv none = {0};
    PCS_TRY(run_full(set, pcs_tableau_sdirk4(), eps, out, &by_sdirk));
    PCS_TRY(run_full(set, pcs_tableau_dormand_prince(), eps, &none, &by_dp));
    *dx = by_sdirk.x - 1 / T;
    *dz = by_sdirk.z - 1 / (T * T);
    printf("  %-9.1e %-16s %8ld %10ld %12.3e %12.3e %12.6f %12.6f\n", eps, "sdirk4",
           by_sdirk.report.steps, by_sdirk.report.evaluations, *dx, *dz, *dx / eps, *dz / eps);
    printf("  %-9.1e %-16s %8ld %10ld\n", eps, "dormand_prince", by_dp.report.steps,
           by_dp.report.evaluations);

    // the next terms are of order eps^2, with coefficients of the size of L^2
    const double next = 40 * (1 + L * L) * eps + 100 * set->rtol / eps;
    char name[32];
    snprintf(name, sizeof name, "eps = %.1e", eps);
    c->context = name;
    check_value(c, "(x - limit) / eps", *dx / eps, x1, next);
    check_value(c, "(z - limit) / eps", *dz / eps, z1, next);
    check_value(c, "layer, over eps", by_sdirk.in_layer, 0, 10 * (1 + L * L));
    check_value(c, "x by both", by_dp.x, by_sdirk.x, 1000 * set->rtol);
    c->context = NULL;
    return PCS_OK;
}

static pcs_status run(const void *user, csv *out, checks *c)
{
    const settings *set = user;
    outcome end;
    csv none = {0};
    printf("  eps       %-16s %8s %10s %12s %12s %12s %12s\n", "method", "steps", "evals",
           "x - limit", "z - limit", "/ eps", "/ eps");
    PCS_TRY(run_limit(set, pcs_tableau_sdirk4(), out, &end));
    check_limit(c, set, &end, "sdirk4");
    PCS_TRY(run_limit(set, pcs_tableau_dormand_prince(), &none, &end));
    check_limit(c, set, &end, "dormand_prince");

    double eps[MOST_LEVELS], dx[MOST_LEVELS], dz[MOST_LEVELS];
    for (int k = 0; k < set->levels; ++k) {
        eps[k] = set->eps * pow(set->factor, -k);
        PCS_TRY(level(c, set, eps[k], out, &dx[k], &dz[k]));
        dx[k] = fabs(dx[k]);
        dz[k] = fabs(dz[k]);
    }
    // the smallest two: the others still show the next term
    const int last = set->levels - 2;
    const double at_x = study_slope(2, eps + last, dx + last),
                 at_z = study_slope(2, eps + last, dz + last);
    printf("\nslope over eps: %.4f of x, %.4f of z\n", at_x, at_z);
    check_value(c, "slope of x over eps", at_x, 1, 0.05);
    check_value(c, "slope of z over eps", at_z, 1, 0.05);

    double rate;
    PCS_TRY(leave(set, eps[last + 1], out, &rate));
    printf("reversed: leaves the limit like exp(%.4f t / eps)\n", rate);
    check_value(c, "rate of the reversed, times eps", rate, 1, 0.05);
    return PCS_OK;
}

int main(int argc, char **argv)
{
    settings set;
    read_flags(&set, argc, argv);
    return example_run(run, &set, set.csv, "eps,t,x,z");
}
