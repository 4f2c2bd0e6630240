// The efficiency of every Runge-Kutta method: observed orders against the orders of the tableaus,
// and the number of evaluations for a tolerance.
//
// After one step the error is c1 h^(p + 1), over a fixed time c h^p, so that a tolerance Tol takes
// n / T >= s (Tol / c)^(-1 / p) evaluations of f per unit of time (theory 10). Two problems with
// closed forms: x' = x cos t, x = exp(sin t), and an orbit of Kepler.
#include "args.h"
#include "example.h"

#include <percuss/ode.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_LEVELS = 20, MOST_METHODS = 24, MOST_N = 4 };

typedef struct settings {
    int problem; // 0 kepler, 1 wave
    double t_end, h, tol, eccentricity;
    int stages;
    const char *method, *csv;
} settings;

static void read_flags(settings *set, int argc, char **argv)
{
    *set = (settings){.t_end = 10, .h = 0.4, .tol = 1e-8, .eccentricity = 0.3, .stages = 3};
    args a = {.about = "Work and precision of every Runge-Kutta tableau: observed orders, and the "
                       "evaluations for a tolerance against their estimate."};
    args_choice(&a, "--problem", &set->problem, "kepler|wave", "problem to integrate");
    args_string(&a, "--method", &set->method, "NAME",
                "this method only (explicit_euler, midpoint, heun, ralston, heun3, kutta3, rk4, "
                "bogacki_shampine, dormand_prince, implicit_euler, trapezoid, sdirk4, gauss1, "
                "gauss2, gauss3, gauss4, radau1, radau2, radau3 ...)");
    args_int(&a, "--stages", &set->stages, 1, 6, "limit of stages of Gauss and Radau methods");
    args_positive(&a, "--tend", &set->t_end, 10, "s", "end of a run");
    args_positive(
        &a, "--h", &set->h, 10, "s",
        "largest step; halved until an implicit method has solutions, and the error is rounding");
    args_real(&a, "--eccentricity", &set->eccentricity, 0, 0.9, "", "eccentricity of the orbit");
    args_real(&a, "--tol", &set->tol, 1e-10, 1e-3, "",
              "error for which the evaluations are estimated and measured");
    args_output(&a, "--csv", &set->csv, "FILE",
                "write every run: method, order, h, evaluations, error, error of one step");
    args_parse(&a, argc, argv);
    if (set->method) args_check_method("--method", set->method);
    if (set->h > set->t_end / 4) args_refuse("--h must be at most a quarter of --tend");
}

// ---- the problems

static int wave(void *user, double t, const double *x, double *f)
{
    (void)user;
    f[0] = x[0] * cos(t);
    return 0;
}

static int wave_jacobian(void *user, double t, const double *x, double *J)
{
    (void)user;
    (void)x;
    J[0] = cos(t);
    return 0;
}

static int kepler(void *user, double t, const double *x, double *f)
{
    (void)user;
    (void)t;
    const double r2 = x[0] * x[0] + x[1] * x[1], r3 = r2 * sqrt(r2);
    f[0] = x[2];
    f[1] = x[3];
    f[2] = -x[0] / r3;
    f[3] = -x[1] / r3;
    return 0;
}

static int kepler_jacobian(void *user, double t, const double *x, double *J)
{
    (void)user;
    (void)t;
    const double r2 = x[0] * x[0] + x[1] * x[1], r3 = r2 * sqrt(r2);
    memset(J, 0, 16 * sizeof *J);
    J[0 + 4 * 2] = J[1 + 4 * 3] = 1;
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
            J[2 + i + 4 * j] = 3 * x[i] * x[j] / (r2 * r3) - (i == j) / r3;
        }
    }
    return 0;
}

// x(t) in closed form; of the orbit, anomaly 1 at t = 0 so that no symmetry helps
static void exact(const settings *set, double t, double *x)
{
    if (set->problem == 1) {
        x[0] = exp(sin(t + 0.3));
        return;
    }
    const double e = set->eccentricity, mean = t + 1 - e * sin(1);
    double E = mean;
    for (int i = 0; i < 60; ++i) {
        E -= (E - e * sin(E) - mean) / (1 - e * cos(E));
    }
    const double b = sqrt(1 - e * e), rate = 1 / (1 - e * cos(E));
    x[0] = cos(E) - e;
    x[1] = b * sin(E);
    x[2] = -sin(E) * rate;
    x[3] = b * cos(E) * rate;
}

static pcs_ode system_of(const settings *set)
{
    return set->problem == 1 ? (pcs_ode){.n = 1, .f = wave, .jacobian = wave_jacobian}
                             : (pcs_ode){.n = 4, .f = kepler, .jacobian = kepler_jacobian};
}

// the wave starts at t = 0.3
static double start_of(const settings *set)
{
    return set->problem == 1 ? 0.3 : 0;
}

static double error_at(const settings *set, int n, double t, const double *x)
{
    double there[MOST_N], sum = 0;
    exact(set, t - start_of(set), there);
    for (int i = 0; i < n; ++i) {
        sum += (x[i] - there[i]) * (x[i] - there[i]);
    }
    return sqrt(sum);
}

// ---- one method

typedef struct level {
    double h, error, one_step; // root mean square over the run; of its first step
    long evaluations;
} level;

typedef struct method {
    const pcs_tableau *tab;
    int levels;
    level at[MOST_LEVELS];
} method;

static pcs_status run(const settings *set, const pcs_tableau *tab, double h, level *out)
{
    const pcs_ode ode = system_of(set);
    const pcs_ode_opts opts = pcs_ode_opts_fixed(tab, h);
    const double t0 = start_of(set);
    pcs_integrator *it;
    double x0[MOST_N];
    exact(set, 0, x0);
    PCS_TRY(pcs_integrator_create(NULL, &ode, &opts, &it));
    *out = (level){.h = h};
    pcs_ode_report report = {0};
    pcs_status status = pcs_integrator_start(it, t0, x0);
    const long steps = (long)floor(set->t_end / h + 0.5);
    for (long k = 1; k <= steps && status == PCS_OK; ++k) {
        status = pcs_integrator_step(it, &report);
        const double e = error_at(set, ode.n, pcs_integrator_t(it), pcs_integrator_x(it));
        if (k == 1) out->one_step = e;
        out->error += e * e / (double)steps;
    }
    out->error = sqrt(out->error);
    out->evaluations = report.evaluations;
    pcs_integrator_destroy(it);
    return status;
}

// rounding shows in errors below this
static const double rounding = 3e-13;

static pcs_status measure(const settings *set, method *m)
{
    double h = set->h;
    for (m->levels = 0; m->levels < MOST_LEVELS; h /= 2) {
        level *now = &m->at[m->levels];
        const pcs_status status = run(set, m->tab, h, now);
        // The equations of an implicit method may have no solution for so long a step. A longer one
        // may have solutions by chance
        if (status == PCS_ERR_STEP) {
            m->levels = 0;
            if (h < 1e-3 * set->h) break; // the orbit falls into its centre
            continue;
        }
        PCS_TRY(status);
        m->levels += 1;
        if (now->error < rounding || now->evaluations > 100000) break;
    }
    return PCS_OK;
}

// slopes that change by more from one to the next give no order
#define UNSETTLED 0.4

// Slopes of the last three errors above rounding, extrapolated to h = 0: the term behind the
// leading one is then out of the way. *change: from one slope to the next, which is how far the
// extrapolation goes. NaN if there are too few, if they are larger than `most`, or if the slopes
// have not settled above rounding.
static double order_seen(const method *m, bool one_step, double most, double *change)
{
    *change = NAN;
    double e[3];
    int n = 0;
    for (int k = m->levels - 1; k >= 0 && n < 3; --k) {
        const double error = one_step ? m->at[k].one_step : m->at[k].error;
        if (error > (one_step ? 2e-14 : rounding)) e[n++] = error;
    }
    if (n < 3 || e[2] > most) return NAN;
    const double last = log2(e[1] / e[0]), before = log2(e[2] / e[1]);
    *change = fabs(last - before);
    return *change <= UNSETTLED ? last + (last - before) : NAN;
}

// ---- the table

static void write_rows(csv *out, const method *m)
{
    for (int k = 0; k < m->levels; ++k) {
        csv_text(out, m->tab->name);
        csv_real(out, m->tab->order);
        csv_real(out, m->at[k].h);
        csv_real(out, (double)m->at[k].evaluations);
        csv_real(out, m->at[k].error);
        csv_real(out, m->at[k].one_step);
        csv_end(out);
    }
}

// the step that makes an error of tol by the constant of a level
static double step_for(const method *m, int k, double tol)
{
    return m->at[k].h * pow(tol / m->at[k].error, 1.0 / m->tab->order);
}

// The constant of the error from the usable run whose step is nearest to the one it asks for, the
// evaluations it promises for --tol, and the result of a run with that step. *got: error over
// tolerance; *varies: the part by which the evaluations change with the constants of two runs.
static pcs_status estimate(const settings *set, const method *m, double *promised, double *got,
                           double *varies)
{
    int k = m->levels - 1;
    *promised = *got = *varies = NAN;
    if (k < 1) return PCS_OK;
    while (k > 0 && m->at[k].error < rounding) {
        --k;
    }
    while (k > 0 && step_for(m, k, set->tol) > sqrt(2) * m->at[k].h) {
        --k;
    }
    const double c = m->at[k].error / pow(m->at[k].h, m->tab->order);
    *promised = pcs_tableau_cost(m->tab, set->tol, c);
    const int next = k > 0 ? k - 1 : 1;
    *varies = fabs(log(step_for(m, next, set->tol) / step_for(m, k, set->tol)));
    const double steps = ceil(set->t_end / step_for(m, k, set->tol));
    // too many for a demonstration, too few to speak of a constant, or longer than those it is of
    if (steps > 50000 || steps < 8 || set->t_end > 1.5 * steps * m->at[0].h) return PCS_OK;
    level there;
    PCS_TRY(run(set, m->tab, set->t_end / steps, &there));
    *got = there.error / set->tol;
    return PCS_OK;
}

static pcs_status examine(const settings *set, const pcs_tableau *tab, csv *out, checks *c)
{
    method m = {.tab = tab};
    PCS_TRY(measure(set, &m));
    write_rows(out, &m);
    double promised, got, varies;
    PCS_TRY(estimate(set, &m, &promised, &got, &varies));
    // errors are small beside the least distance from the centre, or the size of the wave
    double change, of_one, most = 0.1 * (set->problem == 1 ? 1 : 1 - set->eccentricity);
    const double seen = order_seen(&m, false, most, &change);
    const double one = order_seen(&m, true, most, &of_one);
    printf("%-18s %3d %3d %9s %9s %14s %10s\n", tab->name, tab->s, tab->order,
           cell_of("%.3f", seen).text, cell_of("%.3f", one).text, cell_of("%.4g", promised).text,
           cell_of("%.2f", got).text);
    char name[64];
    c->quiet = true;
    if (isfinite(seen)) {
        snprintf(name, sizeof name, "order of %s", tab->name);
        check_value(c, name, seen, tab->order, fmin(0.05 + change, 0.25));
    }
    if (isfinite(got)) {
        // the tolerance needs (error / tolerance)^(1/p) times the evaluations that were promised
        snprintf(name, sizeof name, "evaluations needed / promised of %s", tab->name);
        check_value(c, name, pow(got, 1.0 / tab->order), 1, 0.15 + varies); // c is of other steps
    }
    return PCS_OK;
}

static pcs_status examine_named(const settings *set, const char *name, csv *out, checks *c)
{
    pcs_tableau *tab;
    PCS_TRY(pcs_tableau_create_named(NULL, name, &tab));
    const pcs_status status = examine(set, tab, out, c);
    pcs_tableau_destroy(tab);
    return status;
}

static pcs_status examine_all(const settings *set, csv *out, checks *c)
{
    if (set->method) return examine_named(set, set->method, out, c);
    for (int i = 0; pcs_tableau_at(i); ++i) {
        PCS_TRY(examine(set, pcs_tableau_at(i), out, c));
    }
    for (int s = 1; s <= set->stages; ++s) {
        char name[16];
        snprintf(name, sizeof name, "gauss%d", s);
        PCS_TRY(examine_named(set, name, out, c));
        snprintf(name, sizeof name, "radau%d", s);
        if (s > 1) PCS_TRY(examine_named(set, name, out, c)); // radau1 is implicit Euler
    }
    return PCS_OK;
}

static pcs_status show_orders(const void *user, csv *out, checks *c)
{
    const settings *set = user;
    printf("%-18s %3s %3s %9s %9s %14s %10s\n", "method", "s", "p", "order", "one step",
           "evals / s", "error/tol");
    PCS_TRY(examine_all(set, out, c));
    printf("\nevals / s: s (Tol / c)^(-1/p) for a tolerance of %g; error/tol: what a run with that "
           "step gives\n",
           set->tol);
    return PCS_OK;
}

int main(int argc, char **argv)
{
    settings set;
    read_flags(&set, argc, argv);
    return example_run(show_orders, &set, set.csv, "method,order,h,evaluations,error,one_step");
}
