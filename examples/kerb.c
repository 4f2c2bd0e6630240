// A wheel on a spring and a damper on a road of height u(t), whose slope enters the equation:
//
//     y'' + 2 zeta w (y' - u') + w^2 ((y - u) + k (y - u)^3) = 0
//
// Three uses of an equation with a derivative of its input:
//
// 1. A kerb, u = H from t = 0 on. u' does not exist at t = 0, but the linear equation (k = 0) has a
//    realisation without it (pcs_lti_realise), and the motion is known:
//        y = H - H exp(-d t) (cos W t - d / W sin W t),   d = zeta w,  W^2 = w^2 - d^2.
// 2. A smooth ramp. Its slope is given beside it, or its slope is the input and u is part of the
//    state (pcs_input_output). Both give the motion of the realisation; the kerb is the limit of
//    short ramps, with an error of the first order in their duration.
// 3. Small waves on the ramp, with a spring that hardens. The response of the system linearised
//    along the motion over the ramp agrees with the nonlinear response up to the square of their
//    height.
#include "args.h"
#include "example.h"

#include <percuss/lti.h>

#include <math.h>
#include <stdio.h>

enum { TIMES = 4001, WAVES = 3 };

// the wheel and its road
typedef struct wheel {
    double w, zeta, k;   // 1/s, 1, 1/m^2
    double height, rise; // m, s: a ramp from 0 to the height
    double wave;         // m: height of the waves
    bool waves_only;
} wheel;

typedef struct settings {
    double frequency, zeta, k, height, rise;
    const char *csv;
} settings;

static void read_flags(settings *set, int argc, char **argv)
{
    *set = (settings){.frequency = 1.2, .zeta = 0.25, .k = 40, .height = 0.1, .rise = 0.4};
    args a = {.about = "A wheel meets a kerb, a ramp, and waves: an equation with a derivative of "
                       "its input, and its linearisation along a motion."};
    args_real(&a, "--frequency", &set->frequency, 0.1, 20, "Hz",
              "natural frequency of the wheel on its spring");
    args_real(&a, "--damping", &set->zeta, 0, 2, "", "damping ratio zeta; 1 is critical");
    args_real(&a, "--hardening", &set->k, 0, 100, "1/m^2", "cubic part of the spring, k");
    args_real(&a, "--height", &set->height, 0.001, 0.2, "m", "height of the kerb and of the ramp");
    args_real(&a, "--rise", &set->rise, 0.05, 2, "", "duration of the ramp, in periods");
    args_output(&a, "--csv", &set->csv, "FILE", "write t, road, y on the ramp, y after the kerb");
    args_parse(&a, argc, argv);
}

// ---- the equation and its road

// Y = (y'', y', y), U = (u', u)
static int rolls(void *user, double t, const double *Y, const double *U, double *phi)
{
    const wheel *p = user;
    const double d = Y[2] - U[1];
    (void)t;
    phi[0] = Y[0] + 2 * p->zeta * p->w * (Y[1] - U[0]) + p->w * p->w * (d + p->k * d * d * d);
    return 0;
}

static int rolls_jacobian(void *user, double t, const double *Y, const double *U, double *by_Y,
                          double *by_U)
{
    const wheel *p = user;
    const double d = Y[2] - U[1];
    (void)t;
    by_Y[0] = 1;
    by_Y[1] = 2 * p->zeta * p->w;
    by_Y[2] = p->w * p->w * (1 + 3 * p->k * d * d);
    by_U[0] = -by_Y[1];
    by_U[1] = -by_Y[2];
    return 0;
}

// (u', u): a ramp with two continuous derivatives, and waves
static int road(void *user, double t, double *U)
{
    const wheel *p = user;
    const double s = fmin(t / p->rise, 1), c = 1.3 * p->w;
    U[0] = 30 * s * s * (1 - s) * (1 - s) * p->height / p->rise;
    U[1] = s * s * s * (10 - 15 * s + 6 * s * s) * p->height;
    if (p->waves_only) U[0] = U[1] = 0;
    U[0] += p->wave * c * cos(c * t);
    U[1] += p->wave * sin(c * t);
    return 0;
}

static int slope_of_road(void *user, double t, double *u)
{
    double U[2];
    const int code = road(user, t, U);
    *u = U[0];
    return code;
}

static int height_of_road(void *user, double t, double *u)
{
    double U[2];
    const int code = road(user, t, U);
    *u = U[1];
    return code;
}

// height of the wheel at t after the kerb
static double after_kerb(const wheel *p, double t)
{
    const double d = p->zeta * p->w, W2 = p->w * p->w - d * d, W = sqrt(fabs(W2));
    const double up = exp((W - d) * t), down = exp(-(W + d) * t);
    const double C = W2 > 0 ? exp(-d * t) * cos(W * t) : (up + down) / 2;
    const double S = W * t < 1e-6 ? exp(-d * t) * t
                     : W2 > 0     ? exp(-d * t) * sin(W * t) / W
                                  : (up - down) / (2 * W);
    return p->height * (1 - C + d * S);
}

// ---- motions

static pcs_status follow(pcs_driven *driven, double tol, const double *x0, const double *t,
                         double *y)
{
    pcs_ode ode;
    pcs_integrator *run;
    pcs_ode_opts opts = pcs_ode_opts_default();
    opts.rtol = 1e-12;
    opts.atol = tol;
    PCS_TRY(pcs_driven_ode(driven, &ode));
    PCS_TRY(pcs_integrator_create(NULL, &ode, &opts, &run));
    pcs_status status = pcs_integrator_start(run, t[0], x0);
    for (int k = 0; k < TIMES && status == PCS_OK; ++k) {
        status = pcs_integrator_advance(run, t[k], NULL);
        if (status != PCS_OK) break;
        status = pcs_driven_output(driven, t[k], pcs_integrator_x(run), NULL, &y[k]);
    }
    pcs_integrator_destroy(run);
    return status;
}

// y at the times, from rest
static pcs_status move(const wheel *p, const pcs_plant *plant, pcs_input_fn input, const double *t,
                       double *y)
{
    const double x0[3] = {0};
    pcs_driven *driven;
    wheel own = *p;
    PCS_TRY(pcs_driven_create(NULL, plant, input, &own, &driven));
    const pcs_status status = follow(driven, 1e-13 * p->height, x0, t, y);
    pcs_driven_destroy(driven);
    return status;
}

static double apart(const double *a, const double *b, const double *c)
{
    double most = 0;
    for (int k = 0; k < TIMES; ++k) {
        most = fmax(most, fabs(a[k] - b[k] - (c ? c[k] : 0)));
    }
    return most;
}

// times over the ramp and three periods after it
static void lay_times(const wheel *p, double *t)
{
    const double end = p->rise + 6 * acos(-1) / p->w;
    for (int k = 0; k < TIMES; ++k) {
        t[k] = end * k / (TIMES - 1);
    }
}

static pcs_input_output_def equation_of(wheel *p)
{
    return (pcs_input_output_def){.order = 2,
                                  .ny = 1,
                                  .input_order = 1,
                                  .nu = 1,
                                  .phi = rolls,
                                  .jacobian = rolls_jacobian,
                                  .user = p};
}

// ---- 1 and 2: the kerb, and ramps

typedef struct realisation {
    double a[3], b[2], A[4], B[2], C[2];
    pcs_lti lti;
} realisation;

static pcs_status realise(const wheel *p, pcs_arena work, realisation *r)
{
    const double c = 2 * p->zeta * p->w, k = p->w * p->w;
    *r = (realisation){.a = {1, c, k}, .b = {c, k}};
    const pcs_lti_equation eq = {
        .order = 2, .input_order = 1, .ny = 1, .nu = 1, .a = r->a, .b = r->b};
    r->lti = (pcs_lti){.nx = 2, .nu = 1, .ny = 1, .A = r->A, .B = r->B, .C = r->C};
    return pcs_lti_realise(&eq, work, r->A, r->B, r->C, NULL);
}

static pcs_status meet_kerb(checks *c, const wheel *p, const realisation *r, pcs_arena work,
                            const double *t, double *y)
{
    const double at_rest[2] = {0, 0};
    double most = 0;
    for (int k = 0; k < TIMES; ++k) {
        double x[2];
        PCS_TRY(pcs_lti_response(&r->lti, t[k], at_rest, &p->height, work, x));
        PCS_TRY(pcs_lti_output(&r->lti, x, &p->height, &y[k]));
        most = fmax(most, fabs(y[k] - after_kerb(p, t[k])));
    }
    check_value(c, "kerb: y to the closed form, m", most, 0, 1e-11 * p->height);
    return PCS_OK;
}

static pcs_status climb(checks *c, const wheel *p, const realisation *r, pcs_input_output *equation,
                        const double *t)
{
    static double y[3][TIMES], kerb[TIMES], at[TIMES];
    pcs_plant given, chain, realised;
    PCS_TRY(pcs_input_output_given(equation, &given));
    PCS_TRY(pcs_input_output_chain(equation, &chain));
    PCS_TRY(pcs_lti_plant(&r->lti, &realised));
    PCS_TRY(move(p, &given, road, t, y[0]));
    PCS_TRY(move(p, &chain, slope_of_road, t, y[1]));
    PCS_TRY(move(p, &realised, height_of_road, t, y[2]));
    check_value(c, "ramp: slope given and in the state, m", apart(y[0], y[1], NULL), 0,
                1e-8 * p->height);
    check_value(c, "ramp: slope given and realised, m", apart(y[0], y[2], NULL), 0,
                1e-8 * p->height);

    double distance[2];
    for (int k = 0; k < 2; ++k) {
        wheel steep = *p;
        steep.rise = 0.01 / p->w / (1 << k) / (1 + p->zeta);
        lay_times(&steep, at);
        PCS_TRY(move(&steep, &given, road, at, y[0]));
        for (int i = 0; i < TIMES; ++i) {
            // a wheel that is still on the ramp is compared with itself
            kerb[i] = at[i] <= steep.rise ? y[0][i] : after_kerb(p, at[i]);
        }
        distance[k] = apart(y[0], kerb, NULL);
    }
    check_value(c, "short ramps: order of the distance to the kerb",
                log2(distance[0] / distance[1]), 1, 0.05);
    return PCS_OK;
}

// ---- 3: along the motion over the ramp

static pcs_status linearise(const wheel *p, pcs_input_output *equation, pcs_arena work,
                            pcs_ltv *ltv)
{
    const double x0[2] = {0, 0};
    pcs_plant plant;
    pcs_driven *driven;
    pcs_ode ode;
    pcs_integrator *run = NULL;
    wheel own = *p;
    pcs_ode_opts opts = pcs_ode_opts_default();
    opts.rtol = 1e-12;
    opts.atol = 1e-13 * p->height;
    PCS_TRY(pcs_input_output_given(equation, &plant));
    PCS_TRY(pcs_driven_create(NULL, &plant, road, &own, &driven));
    pcs_status status = pcs_driven_ode(driven, &ode);
    if (status == PCS_OK) status = pcs_integrator_create(NULL, &ode, &opts, &run);
    if (status == PCS_OK) status = pcs_integrator_start(run, ltv->t[0], x0);
    if (status == PCS_OK) {
        status = pcs_linearise_run(driven, PCS_DERIVATIVE_BEST, run, work, ltv);
    }
    pcs_integrator_destroy(run);
    pcs_driven_destroy(driven);
    return status;
}

static pcs_status ride_waves(checks *c, const wheel *p, pcs_input_output *equation, pcs_arena work,
                             const double *t, double *y_ramp)
{
    static double A[4 * TIMES], B[4 * TIMES], C[2 * TIMES], x[2 * TIMES], y[TIMES], dy[TIMES];
    pcs_ltv along = {.nx = 2, .nu = 2, .ny = 1, .n = TIMES, .t = t, .x = x, .A = A, .B = B, .C = C};
    pcs_plant given, linear;
    PCS_TRY(linearise(p, equation, work, &along));
    PCS_TRY(pcs_input_output_given(equation, &given));
    PCS_TRY(pcs_ltv_plant(&along, &linear));
    for (int k = 0; k < TIMES; ++k) {
        y_ramp[k] = x[2 * k + 1];
    }
    double left[WAVES];
    printf("\n  waves, m     answer, m    beyond the linear one, m\n");
    for (int k = 0; k < WAVES; ++k) {
        double most = 0;
        wheel waves = *p;
        waves.wave = 0.001 * p->height / (1 << k);
        PCS_TRY(move(&waves, &given, road, t, y));
        waves.waves_only = true;
        PCS_TRY(move(&waves, &linear, road, t, dy));
        left[k] = apart(y, y_ramp, dy);
        for (int i = 0; i < TIMES; ++i) {
            most = fmax(most, fabs(dy[i]));
        }
        printf("  %.3e    %.3e    %.3e\n", waves.wave, most, left[k]);
    }
    const double cubic = p->k * p->height * p->height;
    if (cubic < 0.01) {
        check_skip(c, "waves: order of what is left", "the spring is all but linear");
        return PCS_OK;
    }
    // the order is tested without the next term, which is not negligible beside the square
    const double order = 2 * log2(left[1] / left[2]) - log2(left[0] / left[1]);
    check_value(c, "waves: order of what is left", order, 2, 0.1);
    return PCS_OK;
}

// ---- the whole

static pcs_status run(const void *user, csv *out, checks *c)
{
    const settings *set = user;
    *c = checks_begin();
    static double t[TIMES], y_kerb[TIMES], y_ramp[TIMES];
    wheel p = {.w = 2 * acos(-1) * set->frequency,
               .zeta = set->zeta,
               .height = set->height,
               .rise = set->rise / set->frequency};
    lay_times(&p, t);
    const pcs_input_output_def def = equation_of(&p);
    pcs_input_output *equation;
    realisation r;
    pcs_arena work;
    PCS_TRY(pcs_arena_create(NULL, 1 << 16, &work));
    pcs_status status = pcs_input_output_create(NULL, &def, &equation);
    if (status == PCS_OK) {
        status = realise(&p, work, &r);
        if (status == PCS_OK) status = meet_kerb(c, &p, &r, work, t, y_kerb);
        if (status == PCS_OK) status = climb(c, &p, &r, equation, t);
        p.k = set->k;
        if (status == PCS_OK) status = ride_waves(c, &p, equation, work, t, y_ramp);
        pcs_input_output_destroy(equation);
    }
    pcs_arena_destroy(NULL, &work);
    for (int k = 0; k < TIMES && status == PCS_OK; ++k) {
        double U[2];
        road(&p, t[k], U);
        CSV_ROW(out, t[k], U[1], y_ramp[k], y_kerb[k]);
    }
    return status;
}

int main(int argc, char **argv)
{
    settings set;
    read_flags(&set, argc, argv);
    return example_run(run, &set, set.csv, "t,road,y_ramp,y_kerb");
}
