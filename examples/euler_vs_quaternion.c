// One motion in ZYX Euler angles and in quaternions, through and past gimbal lock.
//
// A free body of revolution with a known R(t) (checks/gimbal_pass): its axis comes within --miss of
// straight down, pitch = 90 degrees. Rates of Euler angles are omega / cos(pitch): chosen steps
// shrink with the distance, fixed steps lose digits, and at the pole the run ends with an error.
// The quaternion has no such difficulty.
#include "args.h"
#include "checks/gimbal_pass.h"
#include "example.h"
#include "method.h"
#include "study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <percuss/rigid.h>

enum { MOST_LEVELS = 16, PASSES = 5, SIZE = 7 };

typedef struct settings {
    gimbal_pass pass; // its miss is the smallest
    double away, rtol, h;
    const char *method, *fixed, *csv;
} settings;

static void read_flags(settings *set, int argc, char **argv)
{
    *set = (settings){
        .pass = {.along = 1, .across = 1.8, .rate = 1, .cone = 0.7, .miss = 1e-6, .roll = 0.3},
        .away = 0.5,
        .rtol = 1e-10,
        .h = 0.002,
        .method = "dormand_prince",
        .fixed = "rk4"};
    args a = {.about = "The same motion in Euler angles and in quaternions, near a pitch of 90 "
                       "degrees and through it."};
    args_positive(&a, "--along", &set->pass.along, 3, "kg m^2",
                  "moment of inertia about the axis of symmetry");
    args_positive(&a, "--across", &set->pass.across, 3, "kg m^2",
                  "moment of inertia across this axis");
    args_positive(&a, "--rate", &set->pass.rate, 10, "rad/s",
                  "angular velocity of the axis on its circle");
    args_real(&a, "--cone", &set->pass.cone, 0.1, 1.4, "rad",
              "half the opening angle of this circle");
    args_real(&a, "--roll", &set->pass.roll, -3, 3, "rad", "roll at the start");
    args_real(&a, "--miss", &set->pass.miss, 1e-7, 1e-3, "rad",
              "smallest distance from the pole; the others are 10, 100 ... times that, up to 0.1");
    args_real(&a, "--away", &set->away, 0.1, 1, "rad",
              "distance from the pole at which both runs must agree");
    args_string(&a, "--method", &set->method, "NAME",
                "method that chooses its steps (dormand_prince ...)");
    args_real(&a, "--rtol", &set->rtol, 1e-13, 1e-8, "", "relative tolerance of this method");
    args_string(&a, "--fixed", &set->fixed, "NAME", "method with fixed steps (rk4, gauss2 ...)");
    args_positive(&a, "--h", &set->h, 10, "s", "fixed step; 16 times that to observe orders");
    args_output(&a, "--csv", &set->csv, "FILE",
                "write every chosen step: form, miss, time, roll, pitch, yaw, step, error of the "
                "attitude; and one row for each run with fixed steps (forms euler_fixed, "
                "quaternion_fixed: its worst error)");
    args_parse(&a, argc, argv);
    if (set->pass.along > 2 * set->pass.across) args_refuse("no body has --along > 2 --across");
    if (set->pass.along < 0.1 * set->pass.across) {
        args_refuse("a body with --along < --across / 10 spins too fast for "
                    "these steps");
    }
    if (2 * set->pass.cone + set->away > 3) {
        args_refuse("the nose would come near the other pole; take a "
                    "smaller --cone or --away");
    }
    args_check_method("--method", set->method);
    args_check_method("--fixed", set->fixed);
    method m;
    const pcs_status status = method_open(&m, set->method, 0, set->rtol);
    const bool pair = m.opts.adaptive;
    method_close(&m);
    if (status != PCS_OK || !pair) {
        args_refuse("--method takes a method that chooses its steps: "
                    "dormand_prince, bogacki_shampine or sdirk4");
    }
    if (set->h * set->pass.rate > 0.01) args_refuse("--h must be at most 0.01 / --rate");
}

// ---- the two forms

// x = (roll, pitch, yaw, omega), rates of the angles by E
static int euler_rates(void *user, double t, const double *x, double *dxdt)
{
    (void)t;
    const quaternion_body *b = user;
    const double *w = x + 3, *J = b->J;
    double E[9];
    const pcs_status status = pcs_zyx_E(x, PCS_AXES_BODY, E);
    if (status != PCS_OK) return status;
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        dxdt[i] = E[i] * w[0] + E[i + 3] * w[1] + E[i + 6] * w[2];
        dxdt[3 + i] = (J[j] - J[k]) * w[j] * w[k] / J[i];
    }
    return 0;
}

typedef struct form {
    bool euler;
    gimbal_pass pass;
    quaternion_body body;
    pcs_ode ode;
    double x0[SIZE];
} form;

static form form_of(const gimbal_pass *pass, double miss, bool euler, quaternion_body *body)
{
    form f = {.euler = euler, .pass = *pass};
    f.pass.miss = miss;
    *body = pass_body(&f.pass);
    f.ode = quaternion_body_ode(body);
    pass_start(&f.pass, f.x0);
    if (euler) {
        f.ode = (pcs_ode){.n = 6, .f = euler_rates, .user = body};
        double Q[4], omega[3];
        memcpy(Q, f.x0, sizeof Q);
        memcpy(omega, f.x0 + 4, sizeof omega);
        pcs_quat_to_zyx(Q, &f.x0[0], &f.x0[1], &f.x0[2]);
        memcpy(f.x0 + 3, omega, sizeof omega);
    }
    return f;
}

// the attitude as a quaternion and as angles
static void see(const form *f, const double *x, double Q[4], double angles[3])
{
    if (f->euler) {
        memcpy(angles, x, 3 * sizeof *angles);
        pcs_quat_from_zyx(x[0], x[1], x[2], Q);
    } else {
        memcpy(Q, x, 4 * sizeof *Q);
        pcs_quat_to_zyx(Q, &angles[0], &angles[1], &angles[2]);
    }
}

static double error_at(const form *f, double t, const double *x)
{
    double Q[4], angles[3], exact[SIZE];
    see(f, x, Q, angles);
    pass_at(&f->pass, t, exact);
    return quaternion_angle(Q, exact);
}

typedef struct outcome {
    double worst, end; // error of the attitude over the run, and at its end, rad
    double smallest;   // step of the half of the circle that is nearer to the pole, s
    pcs_ode_report report;
} outcome;

static void note(const form *f, double h, double t, const double *x, csv *out, outcome *o)
{
    double Q[4], angles[3];
    see(f, x, Q, angles);
    o->end = error_at(f, t, x);
    if (!(o->end <= o->worst)) o->worst = o->end;
    // the first steps of a run are shorter than they need to be
    const bool near = cos(f->pass.rate * (t - 0.5 * h)) < 0;
    if (near && h > 0 && h < o->smallest) o->smallest = h;
    if (!out->file) return;
    csv_text(out, f->euler ? "euler" : "quaternion");
    csv_reals(out, (const double[]){f->pass.miss, t, angles[0], angles[1], angles[2], h, o->end},
              7);
    csv_end(out);
}

// a whole period
static pcs_status follow(const form *f, pcs_integrator *it, csv *out, outcome *o)
{
    const double end = pass_period(&f->pass);
    PCS_TRY(pcs_integrator_start(it, 0, f->x0));
    double t = 0;
    note(f, 0, 0, f->x0, out, o);
    while (t < end) {
        const pcs_ode_report now = pcs_integrator_report(it);
        const bool last = now.steps > 0 && end - t <= now.h_next * (1 + 1e-9);
        PCS_TRY(last ? pcs_integrator_advance(it, end, &o->report)
                     : pcs_integrator_step(it, &o->report));
        // the last step is cut to fit: its size says nothing
        note(f, last ? 0 : pcs_integrator_t(it) - t, pcs_integrator_t(it), pcs_integrator_x(it),
             out, o);
        t = pcs_integrator_t(it);
    }
    return PCS_OK;
}

static pcs_status run(const settings *set, double miss, bool euler, const method *m, csv *out,
                      outcome *o)
{
    quaternion_body body;
    const form f = form_of(&set->pass, miss, euler, &body);
    *o = (outcome){.smallest = INFINITY};
    pcs_integrator *it;
    PCS_TRY(pcs_integrator_create(NULL, &f.ode, &m->opts, &it));
    const pcs_status status = follow(&f, it, out, o);
    pcs_integrator_destroy(it);
    return status;
}

// ---- away from the pole

static pcs_status check_away(const settings *set, checks *c)
{
    csv none = {0};
    outcome o[2];
    method m;
    PCS_TRY(method_open(&m, set->method, 0, set->rtol));
    pcs_status status = run(set, set->away, false, &m, &none, &o[0]);
    if (status == PCS_OK) status = run(set, set->away, true, &m, &none, &o[1]);
    method_close(&m);
    PCS_TRY(status);
    const double allowed = 100 * set->rtol + 1e-12;
    check_value(c, "away: quaternion (rad)", o[0].worst, 0, allowed);
    check_value(c, "away: Euler angles (rad)", o[1].worst, 0, allowed);

    // the next term of the error is smaller by about what a step sweeps of the way to a pole
    const gimbal_pass *pass = &set->pass;
    const double way = fmin(set->away, 4 * atan(1) - 2 * pass->cone - set->away);
    const double next = 16 * set->h * pass->rate * sin(pass->cone) / way;
    for (int euler = 0; euler < 2; ++euler) {
        double e[4];
        PCS_TRY(method_open(&m, set->fixed, 16 * set->h, 0));
        for (int k = 0; k < 4 && status == PCS_OK; ++k) {
            m.opts.h = 16 * set->h / (1 << k);
            outcome at;
            status = run(set, set->away, euler == 1, &m, &none, &at);
            e[k] = at.end;
        }
        const int order = m.tab->order;
        method_close(&m);
        PCS_TRY(status);
        const char *name = euler ? "away: order, Euler angles" : "away: order, quaternion";
        const double fine = log2(e[2] / e[3]), coarse = log2(e[1] / e[2]);
        const double observed = 2 * fine - coarse;
        if (set->pass.along == set->pass.across) {
            check_order(c, name, observed, order - 0.05); // omega is constant
        } else if (e[3] > 1e-12) {
            check_value(c, name, observed, order, fmax(0.05, next));
        } else {
            check_skip(c, name, "the errors are rounding");
        }
    }
    return PCS_OK;
}

// ---- past the pole

// the rate of the yaw at the nearest point, by the angles' equations
static pcs_status check_yaw_rate(const settings *set, double miss, checks *c)
{
    quaternion_body body;
    form f = form_of(&set->pass, miss, true, &body);
    double x[SIZE], R[9], rates[6];
    pass_at(&f.pass, 0.5 * pass_period(&f.pass), x);
    pcs_quat_to_matrix(x, R);
    // closer to the pole than pcs_quat_to_zyx can separate roll and yaw
    double angles[6] = {atan2(R[5], R[8]), atan2(-R[2], hypot(R[0], R[1])), atan2(R[1], R[0])};
    memcpy(angles + 3, x + 4, 3 * sizeof *angles);
    if (f.ode.f(f.ode.user, 0, angles, rates) != 0) return PCS_ERR_SINGULAR;
    char name[64];
    snprintf(name, sizeof name, "%.0e: yaw rate cos(pitch) / speed", miss);
    // the distance from the pole is known to a rounding of an angle of about 1
    check_value(c, name, fabs(rates[2]) / fabs(pass_yaw_rate(&f.pass)), 1, 1e-12 + 4e-15 / miss);
    return PCS_OK;
}

static pcs_status pass_by(const settings *set, csv *out, checks *c)
{
    method m;
    PCS_TRY(method_open(&m, set->method, 0, set->rtol));
    double miss[MOST_LEVELS], smallest[MOST_LEVELS];
    int n = 0;
    for (double d = set->pass.miss; d < 0.11 && n < MOST_LEVELS; d *= 10) {
        miss[n++] = d;
    }
    long fewest = 0, most = 0, euler_least = 0, euler_most = 0;
    printf("\n%9s  %-26s    %-26s\n", "", "Euler angles", "quaternion");
    printf("%9s  %6s %8s %9s %9s  %6s %8s %9s\n", "miss", "steps", "evals", "smallest", "error",
           "steps", "evals", "error");
    pcs_status status = PCS_OK;
    double worst = 0;
    for (int k = n - 1; k >= 0 && status == PCS_OK; --k) {
        outcome e = {0}, q = {0};
        status = run(set, miss[k], true, &m, out, &e);
        if (status == PCS_OK) status = run(set, miss[k], false, &m, out, &q);
        if (status != PCS_OK) break;
        printf("%9.0e  %6ld %8ld %9.1e %9.1e  %6ld %8ld %9.1e\n", miss[k],
               e.report.steps + e.report.rejected, e.report.evaluations, e.smallest, e.worst,
               q.report.steps + q.report.rejected, q.report.evaluations, q.worst);
        smallest[k] = e.smallest;
        worst = fmax(worst, fmax(e.worst, q.worst));
        const long steps = q.report.steps + q.report.rejected;
        fewest = k == n - 1 || steps < fewest ? steps : fewest;
        most = k == n - 1 || steps > most ? steps : most;
        if (k == n - 1) euler_least = e.report.steps;
        euler_most = e.report.steps;
        status = check_yaw_rate(set, miss[k], c);
    }
    method_close(&m);
    PCS_TRY(status);
    // Near the first ones the smallest step is still set by the rest of the circle, near the last
    // ones by the rounding of the pitch, eps / miss of the rates, where that is not below rtol.
    int first = 0, few = n > 3 ? n - 2 : 2;
    while (few > 2 && miss[first] * set->rtol < 1e-17) {
        first += 1;
        few -= 1;
    }
    check_value(c, "smallest step: power of the distance",
                study_slope(few, miss + first, smallest + first), 1, 0.05);
    check_value(c, "quaternion: most steps less fewest", (double)(most - fewest), 0,
                0.03 * (double)fewest + 1);
    check_that(c, "Euler angles: steps grow", euler_most > euler_least, "yes");
    check_value(c, "worst error of chosen steps (rad)", worst, 0, 1000 * set->rtol + 1e-11);
    return PCS_OK;
}

// Fixed steps: the swing of roll and yaw is resolved to (h v / miss)^p, and what of it is seen in
// R, where they almost cancel, is miss times that.
static pcs_status pass_by_fixed(const settings *set, csv *out, checks *c)
{
    csv none = {0};
    method m;
    PCS_TRY(method_open(&m, set->fixed, set->h, 0));
    const double swept = set->h * set->pass.rate * sin(set->pass.cone);
    double miss[PASSES], error[PASSES], other[PASSES], quaternion = 0;
    pcs_status status = PCS_OK;
    printf("\n%s, h = %g s\n%9s  %9s  %9s\n", m.tab->name, set->h, "miss", "Euler", "quaternion");
    for (int k = 0; k < PASSES && status == PCS_OK; ++k) {
        outcome e = {0}, q = {0};
        miss[k] = swept * exp2(5 - 0.5 * k);
        status = run(set, miss[k], true, &m, &none, &e);
        if (status == PCS_OK) status = run(set, miss[k], false, &m, &none, &q);
        error[k] = e.worst;
        quaternion = fmax(quaternion, q.worst);
        printf("%9.2e  %9.1e  %9.1e\n", miss[k], e.worst, q.worst);
        other[k] = q.worst;
    }
    for (int i = 0; i < 2 * PASSES && out->file && status == PCS_OK; ++i) {
        const int k = i % PASSES;
        csv_text(out, i < PASSES ? "euler_fixed" : "quaternion_fixed");
        csv_reals(out,
                  (const double[]){miss[k], pass_period(&set->pass), NAN, NAN, NAN, set->h,
                                   i < PASSES ? error[k] : other[k]},
                  7);
        csv_end(out);
    }
    const int order = m.tab->order;
    method_close(&m);
    PCS_TRY(status);
    if (error[0] > 10 * quaternion) {
        check_value(c, "fixed steps: power of the distance", study_slope(PASSES, miss, error),
                    1 - order, 0.15);
    } else {
        check_skip(c, "fixed steps: power of the distance", "the errors are those of the circle");
    }
    check_that(c, "fixed steps: the quaternion loses less", quaternion < error[PASSES - 1], "yes");
    return PCS_OK;
}

// ---- into the pole

// the run ends before the pole with its sentence, the state is the last good one, and a quaternion
// takes it on from there
static pcs_status go_on(const settings *set, const form *f, const double *x, double t, checks *c)
{
    quaternion_body body;
    const form q = form_of(&set->pass, 0, false, &body);
    double y[SIZE];
    pcs_quat_from_zyx(x[0], x[1], x[2], y);
    memcpy(y + 4, x + 3, 3 * sizeof *y);
    check_value(c, "pole: error of the last good state", error_at(f, t, x), 0,
                1000 * set->rtol + 1e-11);
    method m;
    pcs_integrator *it = NULL;
    PCS_TRY(method_open(&m, set->method, 0, set->rtol));
    pcs_status status = pcs_integrator_create(NULL, &q.ode, &m.opts, &it);
    if (status == PCS_OK) status = pcs_integrator_start(it, t, y);
    if (status == PCS_OK) status = pcs_integrator_advance(it, pass_period(&q.pass), NULL);
    if (status == PCS_OK) {
        check_value(c, "pole: the quaternion goes on (rad)",
                    error_at(&q, pass_period(&q.pass), pcs_integrator_x(it)), 0,
                    1000 * set->rtol + 1e-11);
    }
    pcs_integrator_destroy(it);
    method_close(&m);
    return status;
}

// advances to the moment at which the axis points straight down: `end` is the status
static pcs_status reach(const settings *set, const form *f, pcs_integrator *it, pcs_status end,
                        bool implicit, checks *c)
{
    const double pole = 0.5 * pass_period(&f->pass), t = pcs_integrator_t(it);
    printf("\ninto the pole: stopped %.2e s before it, %s\n  %s\n", pole - t, pcs_status_text(end),
           pcs_error_text());
    if (end == PCS_OK) { // its error led the path past the pole, where angles still have rates
        check_value(c, "pole: error of the path past it (rad)",
                    error_at(f, t, pcs_integrator_x(it)), 0, 1000 * set->rtol + 1e-11);
        return PCS_OK;
    }
    check_that(c, "pole: a status", end == PCS_ERR_STEP || end == PCS_ERR_CALLBACK, "an error");
    // an implicit method speaks of its stages
    const bool names = strstr(pcs_error_text(), "cos(pitch)") != NULL;
    check_that(c, "pole: its sentence", implicit ? pcs_error_text()[0] != '\0' : names,
               "names the pitch");
    check_that(c, "pole: where it ends", t > 0.9 * pole && t < pole, "before the pole");
    // a step across it is refused, and changes nothing
    double x[6];
    memcpy(x, pcs_integrator_x(it), sizeof x);
    const pcs_status step = pcs_integrator_step_by(it, pole - t, NULL);
    const bool same = pcs_integrator_t(it) == t && memcmp(x, pcs_integrator_x(it), sizeof x) == 0;
    check_that(c, "pole: a step onto it", step != PCS_OK && same, "refused, state intact");
    return go_on(set, f, x, t, c);
}

static pcs_status into_pole(const settings *set, checks *c)
{
    quaternion_body body;
    const form f = form_of(&set->pass, 0, true, &body);
    method m;
    pcs_integrator *it = NULL;
    PCS_TRY(method_open(&m, set->method, 0, set->rtol));
    pcs_status status = pcs_integrator_create(NULL, &f.ode, &m.opts, &it);
    if (status == PCS_OK) status = pcs_integrator_start(it, 0, f.x0);
    if (status == PCS_OK) {
        const pcs_status end = pcs_integrator_advance(it, 0.5 * pass_period(&f.pass), NULL);
        status = reach(set, &f, it, end, !pcs_tableau_is_explicit(m.tab), c);
    }
    pcs_integrator_destroy(it);
    method_close(&m);
    return status;
}

// at the pole itself
static void check_pole(checks *c)
{
    const double right = 2 * atan(1), eta[6] = {0, 0, 0, 0.2, right, 0.4};
    const double nu[6] = {1, 2, 3, 0.1, 0.2, 0.3};
    double rate[6] = {7, 7, 7, 7, 7, 7}, q[7], qdot[7], E[9] = {7};
    check_that(c, "pole: E", pcs_zyx_E(eta + 3, PCS_AXES_BODY, E) == PCS_ERR_SINGULAR && E[0] == 7,
               "refused, output untouched");
    bool same = pcs_euler_rate(eta, nu, rate) == PCS_ERR_SINGULAR;
    for (int i = 0; i < 6; ++i) {
        same = same && rate[i] == 7;
    }
    check_that(c, "pole: rate of the state", same, "refused, output untouched");
    // the quaternion there: a rate of the usual size, and omega back from it
    double omega[3], off = 0;
    pcs_euler_to_pose(eta, q);
    pcs_pose_rate(q, nu, qdot);
    pcs_quat_omega(q + 3, qdot + 3, omega);
    for (int i = 0; i < 3; ++i) {
        off = fmax(off, fabs(omega[i] - nu[3 + i]));
    }
    check_value(c, "pole: omega by the quaternion", off, 0, 1e-15);
    check_that(c, "pole: its angles",
               pcs_quat_case(q + 3, PCS_ROTATION_FORM_ZYX) == PCS_ROTATION_CASE_GIMBAL,
               "said not to be unique");
}

static pcs_status compare(const void *user, csv *out, checks *c)
{
    const settings *set = user;
    PCS_TRY(check_away(set, c));
    PCS_TRY(pass_by(set, out, c));
    PCS_TRY(pass_by_fixed(set, out, c));
    PCS_TRY(into_pole(set, c));
    check_pole(c);
    return PCS_OK;
}

int main(int argc, char **argv)
{
    settings set;
    read_flags(&set, argc, argv);
    return example_run(compare, &set, set.csv, "form,miss,t,roll,pitch,yaw,h,error");
}
