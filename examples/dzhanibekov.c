// A free body with a spin about its middle axis flips again and again (Dzhanibekov's wing nut).
//
// Without forces 2K = w.Jw and R J w are constant. Rotation about the middle axis of inertia is
// unstable: a spin slightly off this axis flips every 2 K(m) / n, with w in Jacobi's elliptic
// functions (checks/free_top). The scheme with theta = 1/2 has errors of order h^2, a Runge-Kutta
// method those of its order; each flip is an event located by the length of a step.
#include "args.h"
#include "checks/flip_events.h"
#include "checks/free_top.h"
#include "checks/run_checks.h"
#include "example.h"
#include "flags/run_flags.h"
#include "method.h"
#include "scenes/rotating.h"
#include "scenes/simulation.h"
#include "study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_LEVELS = 8 };

#define HEADER "t,w1,w2,w3,exact1,exact2,exact3,energy,Lx,Ly,Lz"
#define COLUMNS                                                                              \
    "write every step h of the first method: time, omega (principal axes), omega in closed " \
    "form, energy, angular momentum (inertial axes)"

typedef struct settings {
    run_settings run;
    double I[3], spin, wobble;
    int flips, study, about; // 0 third, 1 first
    const char *method;      // null: the scheme and two of the smooth methods
    double rtol, smooth_h;
} settings;

static void read_flags(settings *set, int argc, char **argv)
{
    *set = (settings){.run = {.h = 0.002, .scheme = rotating_scheme(1e-14)},
                      .I = {1e-3, 2e-3, 2.8e-3},
                      .spin = 10,
                      .wobble = 0.1,
                      .flips = 5,
                      .study = 3,
                      .rtol = 1e-13,
                      .smooth_h = 0.05};
    args a = {.about = "A body spun about its middle axis flips: angular velocity and times of the "
                       "flips against elliptic functions; conserved quantities.",
              .table = COLUMNS};
    args_sizes(&a, "--inertia", set->I, 3, "kg m^2", "principal moments, ascending");
    args_positive(&a, "--spin", &set->spin, 10, "rad/s", "angular velocity about the middle axis");
    args_positive(&a, "--wobble", &set->wobble, 10, "rad/s",
                  "angular velocity about the other axis at the start");
    args_choice(&a, "--about", &set->about, "third|first", "the other axis");
    args_int(&a, "--flips", &set->flips, 1, MOST_FLIPS, "number of flips");
    args_string(&a, "--method", &set->method, "NAME",
                "theta, or a Runge-Kutta method (dormand_prince, rk4, gauss6 ...); "
                "default: theta, dormand_prince and gauss6");
    args_real(&a, "--rtol", &set->rtol, 1e-14, 1e-3, "",
              "relative tolerance of methods that choose their steps");
    args_positive(&a, "--smooth-h", &set->smooth_h, 10, "s", "fixed step of methods that do not");
    args_int(&a, "--study", &set->study, 2, MOST_LEVELS - 1, "halvings of h to observe orders");
    run_parse(&a, &set->run, RUN_H | RUN_THETA | RUN_THREADS, argc, argv);
    if (set->method && strcmp(set->method, "theta") != 0)
        args_check_method("--method", set->method);
    const double *I = set->I;
    if (!(I[0] > 0) || !(I[0] < I[1]) || !(I[1] < I[2]) || I[2] > I[0] + I[1]) {
        args_refuse("--inertia takes 0 < I1 < I2 < I3 <= I1 + I2");
    }
    const free_top top = free_top_make(I, set->spin, set->wobble, set->about == 1);
    if (!(top.m < 1) || !(top.m1 > 0) || !(top.m > 0)) {
        args_refuse("so large or small a --wobble does not flip");
    }
    if (set->smooth_h * set->spin > 1) {
        args_refuse("the body turns by %g rad in a step of --smooth-h; lower this or --spin: at "
                    "most 1 rad",
                    set->smooth_h * set->spin);
    }
    set->run.t_end = (set->flips + 0.2) * free_top_flip(&top);
    args_check_steps(set->run.h, set->run.t_end, 2e6);
}

// ---- one run ------------------------------------------------------------------------------------

// data that the observer collects
typedef struct errors {
    const settings *set;
    const free_top *top;
    csv *out;
    double before[3];               // omega at the end of the last step
    double omega, energy, momentum; // largest over the run, relative
    double flip[MOST_FLIPS];        // when omega_2 changed sign, s
    int flips;
    run_tally tally;
} errors;

// the place in [0, 1] at which a cubic with values y and slopes d (times h) at the ends is zero
static double crossing(double y0, double d0, double y1, double d1)
{
    double low = 0, high = 1;
    for (int i = 0; i < 60; ++i) {
        const double s = 0.5 * (low + high), r = 1 - s;
        const double y = r * r * ((1 + 2 * s) * y0 + s * d0) + s * s * ((1 + 2 * r) * y1 - r * d1);
        if ((y > 0) == (y0 > 0)) {
            low = s;
        } else {
            high = s;
        }
    }
    return low;
}

static double slope2(const double I[3], const double w[3])
{
    return (I[2] - I[0]) * w[2] * w[0] / I[1];
}

static double energy2(const double I[3], const double w[3])
{
    return I[0] * w[0] * w[0] + I[1] * w[1] * w[1] + I[2] * w[2] * w[2];
}

static void momentum(const double I[3], const double *q, const double w[3], double L[3])
{
    pcs_quat_rotate(q + 3, (const double[]){I[0] * w[0], I[1] * w[1], I[2] * w[2]}, L);
}

static void watch(const pcs_state *state, errors *err)
{
    const settings *set = err->set;
    const double *q = state->q, *omega = state->v + 3, *I = set->I;
    const double L0[3] = {I[0] * (set->about == 1 ? set->wobble : 0), I[1] * set->spin,
                          I[2] * (set->about == 1 ? 0 : set->wobble)};
    double exact[3], L[3], size = 0, off = 0, far = 0;
    free_top_omega(err->top, state->t, exact);
    momentum(I, q, omega, L);
    for (int i = 0; i < 3; ++i) {
        off += pow(omega[i] - exact[i], 2);
        far += pow(L[i] - L0[i], 2);
        size += L0[i] * L0[i];
    }
    const double start[3] = {L0[0] / I[0], L0[1] / I[1], L0[2] / I[2]};
    const double E = energy2(I, omega);
    err->omega = fmax(err->omega, sqrt(off) / set->spin);
    err->energy = fmax(err->energy, fabs(E / energy2(I, start) - 1));
    err->momentum = fmax(err->momentum, sqrt(far / size));
    CSV_ROW(err->out, state->t, omega[0], omega[1], omega[2], exact[0], exact[1], exact[2], E / 2,
            L[0], L[1], L[2]);
}

static int observe(void *user, const pcs_model *model, const pcs_state *state, pcs_work *work,
                   const pcs_step_report *report)
{
    errors *err = user;
    PCS_TRY(run_tally_step(&err->tally, model, state, work, report));
    const double *now = state->v + 3, *I = err->set->I, *before = err->before;
    if (report) watch(state, err);
    if (report && before[1] * now[1] < 0 && err->flips < MOST_FLIPS) {
        const double h = pcs_work_step_size(work);
        const double part = crossing(before[1], h * slope2(I, before), now[1], h * slope2(I, now));
        err->flip[err->flips++] = state->t - h + part * h;
    }
    memcpy(err->before, now, sizeof err->before);
    return 0;
}

static pcs_status build(const void *user, pcs_scene **out)
{
    const settings *set = user;
    const bool first = set->about == 1;
    const double omega[3] = {first ? set->wobble : 0, set->spin, first ? 0 : set->wobble};
    PCS_TRY(run_scene(&set->run, "A free body spins about its middle axis and flips.", out));
    return rotating_free(set->I, omega, (*out)->model);
}

static pcs_status spin(const settings *set, const free_top *top, double h, csv *out, errors *err)
{
    simulation s = {0};
    *err = (errors){.set = set, .top = top, .out = out};
    pcs_status status = build(set, &s.scene);
    if (status == PCS_OK) s.scene->settings.h = h;
    if (status == PCS_OK) status = simulation_run(&s, set->run.threads, observe, err);
    simulation_close(&s);
    return status;
}

// ---- all runs -----------------------------------------------------------------------------------

static void check_levels(const settings *set, const free_top *top, const errors *err, checks *c)
{
    const double flip = free_top_flip(top);
    const int n = set->study + 1, last = set->flips - 1;
    double h[MOST_LEVELS], y[4][MOST_LEVELS];
    long loose = 0;
    bool flips = true;
    printf("\n%12s %12s %12s %12s %16s\n", "h", "d omega", "d energy", "d momentum", "last flip");
    for (int k = 0; k < n; ++k) {
        h[k] = set->run.h / (1 << k);
        const bool all = err[k].flips == set->flips;
        y[0][k] = err[k].omega;
        y[1][k] = err[k].energy;
        y[2][k] = err[k].momentum;
        y[3][k] = all ? fabs(err[k].flip[last] - (last + 0.5) * flip) : NAN;
        printf("%12.6g %12.3e %12.3e %12.3e %16s\n", h[k], y[0][k], y[1][k], y[2][k],
               cell_of("%.9f", all ? err[k].flip[last] : NAN).text);
        loose += err[k].tally.loose;
        flips = flips && all;
    }
    *c = checks_begin();
    check_value(c, "steps not converged", (double)loose, 0, 0);
    check_that(c, "every run flips", flips, flips ? "so often" : "not so often");
    static const char *const name[] = {"order of omega", "order of the energy",
                                       "order of R J omega", "order of the last flip"};
    const double least = set->run.scheme.theta == 0.5 ? 1.8 : 0.7;
    for (int i = 0; i < 4; ++i) {
        check_order(c, name[i], study_slope(n, h, y[i]), least);
    }
    // two steps of Richardson's extrapolation with the order the scheme has; the velocities of each
    // step are solved to 1e-12 or so
    if (set->run.scheme.theta == 0.5) {
        const double a = err[n - 3].flip[last], b = err[n - 2].flip[last],
                     d = err[n - 1].flip[last];
        const double ab = b + (b - a) / 3, bd = d + (d - b) / 3;
        check_value(c, "last flip, extrapolated (s)", bd + (bd - ab) / 15, (last + 0.5) * flip,
                    fmax(1e-2 * fabs(d - (last + 0.5) * flip), 1e-10 * (last + 0.5) * flip));
    }
}

// the scheme with h, h/2, ...
static pcs_status by_scheme(const settings *set, const free_top *top, csv *out, checks *c)
{
    errors err[MOST_LEVELS];
    csv none = {0};
    for (int k = 0; k <= set->study; ++k) {
        PCS_TRY(spin(set, top, set->run.h / (1 << k), k == 0 ? out : &none, &err[k]));
    }
    printf("\n%6s %16s %16s\n", "flip", "last run", "closed form");
    for (int i = 0; i < err[set->study].flips; ++i) {
        printf("%6d %16.9f %16.9f\n", i + 1, err[set->study].flip[i],
               (i + 0.5) * free_top_flip(top));
    }
    check_levels(set, top, err, c);
    return PCS_OK;
}

// ---- Runge-Kutta methods

static flip_run smooth_run(const settings *set, const free_top *top, csv *out)
{
    const bool first = set->about == 1;
    return (flip_run){
        .top = top,
        .omega = {first ? set->wobble : 0, set->spin, first ? 0 : set->wobble},
        .t_end = set->run.t_end,
        .sample = set->run.h,
        .out = out,
    };
}

static void print_flips(const method *m, const flip_errors *err, double flip)
{
    const pcs_ode_report *r = &err->report;
    printf("\n%s: %ld steps, %ld rejected, %ld evaluations\n", m->tab->name, r->steps, r->rejected,
           r->evaluations);
    printf("%6s %20s %20s %12s\n", "flip", "event", "closed form", "error");
    for (int i = 0; i < err->flips; ++i) {
        printf("%6d %20.14f %20.14f %12.1e\n", i + 1, err->flip[i], (i + 0.5) * flip,
               err->flip[i] - (i + 0.5) * flip);
    }
}

// Errors of a fixed step and its halvings, as long as they are not rounding: the observed order.
// If that is from the first ones on, the finest run is held to `allowed` (s).
static pcs_status smooth_order(const settings *set, const method *m, const flip_run *run,
                               double allowed, checks *c)
{
    double y[MOST_LEVELS];
    int n = 0;
    flip_errors err;
    flip_run silent = *run;
    silent.out = &(csv){0};
    printf("\n%12s %12s %12s\n", "h", "d omega", "last flip");
    for (int k = 0; k <= set->study; ++k) {
        method finer = *m;
        finer.opts.h = m->opts.h / (1 << k);
        PCS_TRY(flips_by_events(&silent, &finer, &err));
        const double off =
            err.flips == set->flips
                ? fabs(err.flip[set->flips - 1] - (set->flips - 0.5) * free_top_flip(run->top))
                : NAN;
        printf("%12.6g %12.3e %12s\n", finer.opts.h, err.omega, cell_of("%.3e", off).text);
        y[n] = err.omega;
        if (err.omega > 1e-10) n += 1;
    }
    if (n < 3) {
        check_skip(c, "order of omega", "the errors are rounding");
        check_flip_events(c, run, &err, set->flips, allowed);
    } else {
        const double fine = log2(y[n - 2] / y[n - 1]), coarse = log2(y[n - 3] / y[n - 2]);
        check_value(c, "order of omega", 2 * fine - coarse, m->tab->order, 0.05);
    }
    return PCS_OK;
}

// named methods are held to `allowed` (s) if they choose their steps, to their order if not; the
// two of the default both to `allowed`
static pcs_status by_method(const settings *set, const free_top *top, const char *name,
                            double allowed, csv *out, checks *c)
{
    method m;
    flip_errors err;
    const flip_run run = smooth_run(set, top, out);
    PCS_TRY(method_open(&m, name, set->smooth_h, set->rtol));
    pcs_status status = flips_by_events(&run, &m, &err);
    if (status == PCS_OK) {
        print_flips(&m, &err, free_top_flip(top));
        c->context = m.tab->name;
        if (m.opts.adaptive || !set->method) {
            check_flip_events(c, &run, &err, set->flips, allowed);
        } else {
            status = smooth_order(set, &m, &run, allowed, c);
        }
    }
    c->context = NULL;
    method_close(&m);
    return status;
}

// What may be lost of a time, s. A flip takes the logarithm of 1 - m, a difference of the
// invariants: the smaller it is, the more an error of theirs weighs.
static double allowed_of(const settings *set, const free_top *top)
{
    return 2 * set->run.t_end * (set->rtol + 1e-14) * (1 + 1e-3 / top->m1);
}

static pcs_status run_all(const settings *set, const free_top *top, csv *out, checks *c)
{
    const double allowed = allowed_of(set, top);
    csv none = {0};
    if (!set->method) {
        PCS_TRY(by_scheme(set, top, out, c));
        PCS_TRY(by_method(set, top, "dormand_prince", allowed, &none, c));
        return by_method(set, top, "gauss6", allowed, &none, c);
    }
    if (strcmp(set->method, "theta") == 0) return by_scheme(set, top, out, c);
    return by_method(set, top, set->method, allowed, out, c);
}

static pcs_status run(const void *user, csv *out, checks *c)
{
    const settings *set = user;
    const free_top top = free_top_make(set->I, set->spin, set->wobble, set->about == 1);
    printf("a flip every %.9g s (parameter 1 - m = %.3g)\n", free_top_flip(&top), top.m1);
    return run_all(set, &top, out, c);
}

int main(int argc, char **argv)
{
    settings set;
    read_flags(&set, argc, argv);
    return example_run_scene(build, run, &set, &set.run, HEADER);
}
