// A heavy symmetric top in three formulations, against each other and against its closed form.
//
// Newton and Euler about the tip with a quaternion; a free body whose tip a ball joint holds, by
// Lagrange multipliers; Lagrange's equations in Euler angles. If its axis starts at rest, the
// cosine of the tilt is an elliptic function of t (checks/held_top), and the lowest points are
// events; with the angular velocity of steady precession it keeps its tilt. The energy, the
// momentum about the vertical and the one about the axis are constant; Gauss methods keep the
// quadratic ones to rounding.
#include "args.h"
#include "checks/held_top.h"
#include "example.h"
#include "method.h"
#include "scenes/top_forms.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_LEVELS = 8, MOST_LOWS = 64, SAMPLES = 400 };

typedef struct settings {
    heavy_top top;
    int lows, study, hold;
    double rtol, h, alpha;
    const char *method, *csv;
} settings;

static void read_flags(settings *set, int argc, char **argv)
{
    *set = (settings){.top = top_default(),
                      .lows = 6,
                      .study = 3,
                      .hold = PCS_STABILISATION_PROJECT,
                      .rtol = 1e-12,
                      .h = 1e-3,
                      .alpha = 100,
                      .method = "dormand_prince"};
    args a = {.about = "A heavy top with a quaternion, with a joint and with Euler angles: "
                       "nutation, precession, the force on its tip, and conserved quantities."};
    args_positive(&a, "--mass", &set->top.mass, 100, "kg", "mass of the top");
    args_positive(&a, "--J1", &set->top.J1, 10, "kg m^2",
                  "moment of inertia across the axis, about the centre of mass");
    args_positive(&a, "--J3", &set->top.J3, 10, "kg m^2", "moment of inertia about the axis");
    args_positive(&a, "--arm", &set->top.arm, 10, "m",
                  "distance of the centre of mass from the tip");
    args_positive(&a, "--spin", &set->top.spin, 10, "rad/s", "angular velocity about the axis");
    args_real(&a, "--tilt", &set->top.tilt, 0.05, 1.5, "rad", "tilt of the axis at the start");
    args_positive(&a, "--gravity", &set->top.gravity, 10, "m/s^2", "gravity, downwards");
    args_int(&a, "--nutations", &set->lows, 1, MOST_LOWS, "number of nutations");
    args_string(&a, "--method", &set->method, "NAME",
                "Runge-Kutta method of the long runs (dormand_prince, gauss6 ...)");
    args_real(&a, "--rtol", &set->rtol, 1e-14, 1e-3, "",
              "relative tolerance of methods that choose their steps");
    args_positive(&a, "--h", &set->h, 10, "s",
                  "fixed step of methods that do not, and of the study of orders");
    args_int(&a, "--study", &set->study, 2, MOST_LEVELS - 1, "halvings of h to observe orders");
    args_choice(&a, "--hold", &set->hold, "none|baumgarte|ggl|project",
                "method that keeps the tip in place");
    args_positive(&a, "--alpha", &set->alpha, 10, "1/s", "rate of baumgarte and ggl");
    args_output(
        &a, "--csv", &set->csv, "FILE",
        "write the nutating runs: form, time, axis (x, y, z), its z in closed form, force of "
        "the joint (vertical, along the axis), the same in closed form");
    args_parse(&a, argc, argv);
    args_check_method("--method", set->method);
    if (set->top.J3 > 2 * set->top.J1) args_refuse("no body has --J3 > 2 --J1");
    if (!(top_precession(&set->top) > 0)) args_refuse("too slow a --spin for steady precession");
    if (top_nutation(&set->top).lowest < 0.02) {
        args_refuse("it would lie down; take a faster --spin");
    }
    if (set->h * set->top.spin > 0.4) {
        args_refuse("with so large a --h or --spin it turns by more than 0.4 rad a step");
    }
    const double period = top_nutation(&set->top).period;
    if (set->h > period / 8) {
        args_refuse("--h must be at most an eighth of a nutation, %g s", period / 8);
    }
}

static pcs_smooth_def hold_of(const settings *set, int how)
{
    pcs_smooth_def def = pcs_smooth_def_default();
    def.stabilisation = (pcs_stabilisation)how;
    def.alpha = how == PCS_STABILISATION_BAUMGARTE || how == PCS_STABILISATION_GGL ? set->alpha : 0;
    def.tol = 1e-13 * set->top.arm; // m: the error of the tip gives an angle of the axis
    // the top of spinning_top, on its joint: its shape touches nothing
    def.ignore_contacts = true;
    return def;
}

// ---- one run

typedef struct errors {
    double cosine, azimuth;                   // worst of the samples
    double low_time, low_cosine, low_azimuth; // worst of the lows
    double energy, p_phi, p_psi, norm;        // worst; energy of m g arm, the momenta of themselves
    double tip, tip_speed;
    double vertical, axial, across; // of the force of the joint, relative to the weight
    int lows;
    pcs_ode_report report;
    double Q[SAMPLES + 1][4];
} errors;

static double about_zero(double angle)
{
    const double turn = 8 * atan(1);
    return fabs(angle - turn * round(angle / turn));
}

static void worst(double *most, double now)
{
    if (!(fabs(now) <= *most)) *most = fabs(now);
}

static void watch_invariants(const heavy_top *top, const top_look *first, const top_look *now,
                             errors *err)
{
    worst(&err->energy, (now->energy - first->energy) / (top->mass * top->gravity * top->arm));
    worst(&err->p_phi, now->p_phi / first->p_phi - 1);
    worst(&err->p_psi, now->p_psi / first->p_psi - 1);
    worst(&err->norm, now->norm - 1);
    worst(&err->tip, now->tip);
    worst(&err->tip_speed, now->tip_speed);
}

// `steady`: against the tilt and the azimuth of steady precession
static pcs_status sample(const settings *set, const top_system *s, bool steady, double t,
                         const double *x, const top_look *now, csv *out, errors *err)
{
    const heavy_top *top = &set->top;
    const double exact = steady ? cos(top->tilt) : held_top_cosine(top, t);
    const double rate = steady ? top_precession(top) : 0;
    worst(&err->cosine, now->e[2] - exact);
    if (steady) worst(&err->azimuth, about_zero(atan2(now->e[1], now->e[0]) - rate * t));
    double F[3] = {NAN, NAN, NAN};
    held_reaction r = held_top_reaction(top, exact, now->udot);
    double axial = NAN;
    if (s->form == TOP_JOINT) {
        const double weight = top->mass * top->gravity;
        PCS_TRY(top_reaction(s, t, x, F));
        if (steady) { // towards the vertical through the tip
            const double sine = sin(top->tilt), in = top->mass * top->arm * rate * rate * sine;
            r = (held_reaction){weight, weight * exact - in * sine, 0};
        }
        const double *e = now->e;
        axial = F[0] * e[0] + F[1] * e[1] + F[2] * e[2];
        worst(&err->vertical, (F[2] - r.vertical) / weight);
        worst(&err->axial, (axial - r.axial) / weight);
        worst(&err->across, (F[1] * e[0] - F[0] * e[1] - r.across) / weight);
    }
    if (!out->file || steady) return PCS_OK;
    csv_text(out, top_form_name(s->form));
    csv_reals(out,
              (const double[]){t, now->e[0], now->e[1], now->e[2], exact, F[2], axial, r.vertical,
                               r.axial},
              9);
    csv_end(out);
    return PCS_OK;
}

static int low_event(void *user, double t, const double *x, double *g)
{
    (void)t;
    *g = top_see(user, x).udot;
    return 0;
}

static void watch_low(const nutation *n, double t, const top_look *now, errors *err)
{
    const double k = err->lows + 0.5;
    worst(&err->low_time, t - k * n->period);
    worst(&err->low_cosine, now->e[2] - n->lowest);
    worst(&err->low_azimuth, about_zero(atan2(now->e[1], now->e[0]) - k * n->turn));
    err->lows += 1;
}

static pcs_status follow(const settings *set, const top_system *s, bool steady, double t_end,
                         pcs_integrator *it, csv *out, errors *err)
{
    const nutation n = top_nutation(&set->top);
    const top_look first = top_see(s, s->x0);
    PCS_TRY(pcs_integrator_start(it, 0, s->x0));
    for (int i = 0; i <= SAMPLES; ++i) {
        const double t = t_end * i / SAMPLES;
        do {
            PCS_TRY(pcs_integrator_advance(it, t, &err->report));
            const top_look now = top_see(s, pcs_integrator_x(it));
            watch_invariants(&set->top, &first, &now, err);
            if (err->report.end == PCS_ODE_EVENT) {
                watch_low(&n, pcs_integrator_t(it), &now, err);
            }
        } while (err->report.end == PCS_ODE_EVENT);
        const double *x = pcs_integrator_x(it);
        const top_look now = top_see(s, x);
        memcpy(err->Q[i], now.Q, sizeof now.Q);
        PCS_TRY(sample(set, s, steady, t, x, &now, out, err));
    }
    return PCS_OK;
}

static pcs_status turn_top(const settings *set, top_form form, int hold, bool steady,
                           const method *m, csv *out, errors *err)
{
    memset(err, 0, sizeof *err);
    const pcs_smooth_def def = hold_of(set, hold);
    const double t_end = (set->lows + 0.2) * top_nutation(&set->top).period;
    top_system s;
    pcs_integrator *it = NULL;
    pcs_status status = top_open(&s, form, &set->top, steady ? top_precession(&set->top) : 0, &def);
    if (status == PCS_OK) status = pcs_integrator_create(NULL, &s.ode, &m->opts, &it);
    const pcs_event low = {.g = low_event, .direction = 1, .terminal = true, .user = &s};
    if (status == PCS_OK && !steady) status = pcs_integrator_set_events(it, 1, &low);
    if (status == PCS_OK) status = follow(set, &s, steady, t_end, it, out, err);
    pcs_integrator_destroy(it);
    top_close(&s);
    return status;
}

// ---- the three forms

static double apart(const errors *a, const errors *b)
{
    double most = 0;
    for (int i = 0; i <= SAMPLES; ++i) {
        worst(&most, quaternion_angle(a->Q[i], b->Q[i]));
    }
    return most;
}

static void check_form(const settings *set, top_form form, const errors *err, bool steady,
                       double allowed, checks *c)
{
    char context[40];
    snprintf(context, sizeof context, "%s, %s", top_form_name(form),
             steady ? "steady" : "nutating");
    c->context = context;
    check_value(c, "cosine of the tilt", err->cosine, 0, allowed);
    if (steady) {
        check_value(c, "azimuth (rad)", err->azimuth, 0, allowed);
    } else {
        check_that(c, "lows", err->lows == set->lows, "as many as asked for");
        check_value(c, "time of the lows (s)", err->low_time, 0, allowed / 100);
        check_value(c, "cosine at the lows", err->low_cosine, 0, allowed);
        check_value(c, "azimuth at the lows", err->low_azimuth, 0, allowed);
    }
    check_value(c, "energy", err->energy, 0, allowed);
    check_value(c, "p_phi", err->p_phi, 0, allowed);
    check_value(c, "p_psi", err->p_psi, 0, allowed);
    if (form == TOP_JOINT) {
        check_value(c, "tip (m)", err->tip, 0, allowed * set->top.arm);
        check_value(c, "vertical force / weight", err->vertical, 0, 10 * allowed);
        check_value(c, "axial force / weight", err->axial, 0, 10 * allowed);
        check_value(c, "force across / weight", err->across, 0, 10 * allowed);
    }
    c->context = NULL;
}

static pcs_status compare_forms(const settings *set, csv *out, checks *c)
{
    static errors err[TOP_FORMS];
    const double allowed = 1e4 * (set->rtol + 1e-14);
    csv none = {0};
    method m;
    PCS_TRY(method_open(&m, set->method, set->h, set->rtol));
    pcs_status status = PCS_OK;
    for (int steady = 0; steady < 2 && status == PCS_OK; ++steady) {
        printf("\n%-22s %9s %9s %9s %9s %9s %9s %7s\n", steady ? "steady" : "nutating", "cos tilt",
               "azimuth", "energy", "p_phi", "p_psi", "|Q| - 1", "evals");
        for (int form = 0; form < TOP_FORMS && status == PCS_OK; ++form) {
            errors *e = &err[form];
            status =
                turn_top(set, (top_form)form, set->hold, steady == 1, &m, steady ? &none : out, e);
            if (status != PCS_OK) break;
            printf("%-22s %9.1e %9.1e %9.1e %9.1e %9.1e %9.1e %7ld\n",
                   top_form_name((top_form)form), e->cosine, steady ? e->azimuth : e->low_azimuth,
                   e->energy, e->p_phi, e->p_psi, e->norm, e->report.evaluations);
            check_form(set, (top_form)form, e, steady == 1, allowed, c);
        }
        if (status != PCS_OK) break;
        check_value(c, "attitude, quaternion and joint", apart(&err[0], &err[1]), 0, 100 * allowed);
        check_value(c, "attitude, quaternion and angles", apart(&err[0], &err[2]), 0,
                    100 * allowed);
        printf("%-22s %9.1e %9.1e rad\n", "apart (joint, angles)", apart(&err[0], &err[1]),
               apart(&err[0], &err[2]));
        const errors *held = &err[TOP_JOINT];
        printf("%-22s %9.1e %9.1e %9.1e of the weight\n", "force (z, axis, across)", held->vertical,
               held->axial, held->across);
    }
    method_close(&m);
    return status;
}

// ---- what keeps the tip

static pcs_status compare_holds(const settings *set, checks *c)
{
    static const char *const name[] = {"none", "baumgarte", "ggl", "project"};
    static errors err;
    csv none = {0};
    method m;
    double tip[4];
    PCS_TRY(method_open(&m, "rk4", set->h, 0));
    printf("\n%-22s %9s %9s %9s\n", "joint by rk4, held by", "tip, m", "tip, m/s", "energy");
    pcs_status status = PCS_OK;
    for (int how = 0; how < 4 && status == PCS_OK; ++how) {
        status = turn_top(set, TOP_JOINT, how, false, &m, &none, &err);
        tip[how] = err.tip;
        printf("%-22s %9.1e %9.1e %9.1e\n", name[how], err.tip, err.tip_speed, err.energy);
    }
    method_close(&m);
    PCS_TRY(status);
    check_value(c, "tip, project (m)", tip[PCS_STABILISATION_PROJECT], 0, 2e-13 * set->top.arm);
    check_that(c, "baumgarte holds the tip better", tip[PCS_STABILISATION_BAUMGARTE] < tip[0],
               "yes");
    check_that(c, "ggl holds the tip better", tip[PCS_STABILISATION_GGL] < tip[0], "yes");
    return PCS_OK;
}

// ---- Gauss, and orders

static pcs_status check_gauss(const settings *set, checks *c)
{
    static errors err;
    csv none = {0};
    printf("\n%-22s %9s %9s %9s %9s\n", "quaternion by", "energy", "p_psi", "|Q| - 1", "p_phi");
    for (int s = 1; s <= 3; ++s) {
        char name[32];
        snprintf(name, sizeof name, "gauss%d", s);
        method m;
        PCS_TRY(method_open(&m, name, set->h, 0));
        const pcs_status status = turn_top(set, TOP_QUATERNION, 0, false, &m, &none, &err);
        method_close(&m);
        PCS_TRY(status);
        printf("%-22s %9.1e %9.1e %9.1e %9.1e\n", name, err.energy, err.p_psi, err.norm, err.p_phi);
        c->context = s == 1 ? "gauss1" : s == 2 ? "gauss2" : "gauss3";
        check_value(c, "energy, quadratic in (Q, omega)", err.energy, 0, 1e-12);
        check_value(c, "p_psi", err.p_psi, 0, 1e-12);
        check_value(c, "|Q| - 1", err.norm, 0, 1e-12);
        c->context = NULL;
    }
    return PCS_OK;
}

// the attitude after one nutation, by steps that divide it
static pcs_status end_of(const settings *set, top_form form, const pcs_ode_opts *opts, double Q[4])
{
    const pcs_smooth_def def = hold_of(set, set->hold);
    top_system s;
    pcs_integrator *it = NULL;
    pcs_status status = top_open(&s, form, &set->top, 0, &def);
    if (status == PCS_OK) status = pcs_integrator_create(NULL, &s.ode, opts, &it);
    if (status == PCS_OK) status = pcs_integrator_start(it, 0, s.x0);
    if (status == PCS_OK) {
        status = pcs_integrator_advance(it, top_nutation(&set->top).period, NULL);
    }
    if (status == PCS_OK) memcpy(Q, top_see(&s, pcs_integrator_x(it)).Q, 4 * sizeof *Q);
    pcs_integrator_destroy(it);
    top_close(&s);
    return status;
}

static pcs_status order_of(const settings *set, top_form form, const char *name,
                           const double there[4], checks *c)
{
    const double period = top_nutation(&set->top).period;
    const double n = ceil(period / set->h);
    double e[MOST_LEVELS] = {0};
    method m;
    PCS_TRY(method_open(&m, name, set->h, 0));
    pcs_status status = PCS_OK;
    for (int k = 0; k <= set->study && status == PCS_OK; ++k) {
        double Q[4] = {1};
        m.opts.h = period / (n * (1 << k));
        status = end_of(set, form, &m.opts, Q);
        e[k] = quaternion_angle(there, Q);
    }
    if (status == PCS_OK) {
        // the finest three that are not rounding
        int k = set->study;
        while (k > 2 && e[k] < 1e-10) {
            --k;
        }
        const double fine = log2(e[k - 1] / e[k]), coarse = log2(e[k - 2] / e[k - 1]);
        char what[64];
        printf("%-12s %-10s %10.2e %10.2e %8.3f\n", top_form_name(form), name, e[0], e[k],
               2 * fine - coarse);
        snprintf(what, sizeof what, "order, %s by %s", top_form_name(form), name);
        if (e[k] > 1e-11) {
            check_value(c, what, 2 * fine - coarse, m.tab->order, 0.05);
        } else {
            check_skip(c, what, "the errors are rounding");
        }
    }
    method_close(&m);
    return status;
}

static pcs_status check_orders(const settings *set, checks *c)
{
    static const char *const name[] = {"rk4", "gauss2", "midpoint"};
    method fine;
    double there[4] = {1};
    PCS_TRY(method_open(&fine, "dormand_prince", 0, 1e-14));
    pcs_status status = end_of(set, TOP_QUATERNION, &fine.opts, there);
    method_close(&fine);
    printf("\n%-12s %-10s %10s %10s %8s\n", "form", "method", "first", "last", "order");
    for (int k = 0; k < 3; ++k) {
        for (int form = 0; form < TOP_FORMS && status == PCS_OK; ++form) {
            status = order_of(set, (top_form)form, name[k], there, c);
        }
    }
    return status;
}

static pcs_status run(const void *user, csv *out, checks *c)
{
    const settings *set = user;
    const nutation n = top_nutation(&set->top);
    printf("precesses at %.9g rad/s; nutates down to %.9g rad every %.9g s, by %.9g rad\n",
           top_precession(&set->top), acos(n.lowest), n.period, n.turn);
    PCS_TRY(compare_forms(set, out, c));
    PCS_TRY(compare_holds(set, c));
    PCS_TRY(check_gauss(set, c));
    return check_orders(set, c);
}

int main(int argc, char **argv)
{
    settings set;
    read_flags(&set, argc, argv);
    return example_run(run, &set, set.csv,
                       "form,t,ex,ey,ez,exact,vertical,axial,vertical_exact,axial_exact");
}
