// |Q| = 1 of a rotating body, by six methods.
//
// dQ/dt = 1/2 Q (x) (0, omega) keeps |Q|; a step Q + h dQ/dt makes it grow by sqrt(1 + h^2 w^2 / 4)
// (erratum E-02). The others are Q / |Q|; the exponential; the multiplier of psi = (Q.Q - 1) / 2 in
// the 15 x 15 system of theory 9.3, with and without Baumgarte; a projection. The example compares
// the cost and the errors of |Q|, of the attitude and of the energy, and checks the properties of
// the multiplier: (i) it is zero on consistent data; (ii) without Baumgarte psi = psi0 + psi0' t;
// (iii) with it psi = (psi0 + (psi0' + alpha psi0) t) exp(-alpha t), unless A and phi do not belong
// together.
#include "args.h"
#include "checks/norm_ways.h"
#include "example.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <percuss/rotation.h>
#include <percuss/smooth.h>

enum { MOST_LEVELS = 8, SAMPLES = 40 };

typedef struct settings {
    quaternion_body body;
    double omega[3], alpha, psi, psi_rate, t_end, h;
    int study;
    const char *method, *csv;
} settings;

// psi(t) from psi0 and psi0' of the three: 0 no alpha, 1 alpha, 2 alpha that does not belong
static double psi_at(const settings *set, int kind, double t)
{
    const double a = set->alpha, p = set->psi, r = set->psi_rate;
    if (kind == 0) return p + r * t;
    if (kind == 1) return (p + (r + a * p) * t) * exp(-a * t);
    return exp(-a * t) * (p * cos(a * t) + (r + a * p) / a * sin(a * t));
}

static void read_flags(settings *set, int argc, char **argv)
{
    *set = (settings){.body = {.J = {1, 1, 1.6}},
                      .omega = {1.5, 0.5, 2.5},
                      .alpha = 2,
                      .psi_rate = 1e-3,
                      .t_end = 10,
                      .h = 0.05,
                      .study = 4,
                      .method = "rk4"};
    args a = {.about = "Six methods to keep |Q| = 1 of a rotating body: drift, attitude, energy "
                       "and cost of each, and the multiplier of the norm."};
    args_sizes(&a, "--inertia", set->body.J, 3, "kg m^2", "principal moments");
    args_vector(&a, "--torque", set->body.torque, 1, "N m", "constant torque, body axes");
    args_vector(&a, "--omega", set->omega, 10, "rad/s", "angular velocity at the start, body axes");
    args_positive(&a, "--alpha", &set->alpha, 10, "1/s", "rate of Baumgarte's stabilisation");
    args_real(&a, "--psi", &set->psi, -0.3, 1, "", "(|Q|^2 - 1) / 2 at the start of the drift");
    args_real(&a, "--psi-rate", &set->psi_rate, -1, 1, "1/s",
              "rate of psi at the start of the drift");
    args_positive(&a, "--tend", &set->t_end, 3, "s", "end of a run");
    args_positive(&a, "--h", &set->h, 10, "s", "time step, approximately");
    args_int(&a, "--study", &set->study, 2, MOST_LEVELS - 1, "halvings of h to observe orders");
    args_string(&a, "--method", &set->method, "NAME",
                "Runge-Kutta method of the 15 x 15 system (rk4, gauss2, dormand_prince ...)");
    args_output(&a, "--csv", &set->csv, "FILE",
                "write every step of the runs with h: way, time, |Q| - 1, attitude error, energy "
                "error; and |psi| of the drifts as ways psi_none, psi_baumgarte, psi_mismatched");
    args_parse(&a, argc, argv);
    args_check_method("--method", set->method);
    const double *J = set->body.J;
    for (int i = 0; i < 3; ++i) {
        if (!(J[i] > 0) || J[i] > J[(i + 1) % 3] + J[(i + 2) % 3]) {
            args_refuse("--inertia takes three moments > 0, none more than the "
                        "sum of the others");
        }
    }
    const double *w = set->omega;
    if (w[0] == 0 && w[1] == 0 && w[2] == 0) args_refuse("a body with --omega 0,0,0 does not turn");
    if (!(set->t_end >= 4 * set->h) || set->t_end / set->h > 1e5) {
        args_refuse("a run takes 4 to 1e5 steps; change --h or --tend");
    }
    if (set->h * sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) > 0.2) {
        args_refuse("with so large a --h the body turns by more than 0.2 rad a "
                    "step");
    }
    for (int i = 0; i <= 3 * SAMPLES; ++i) {
        // 1 + 2 psi = |Q|^2
        if (psi_at(set, i % 3, set->t_end * (i / 3) / SAMPLES) < -0.4) {
            args_refuse("--psi and --psi-rate would shrink the quaternion to "
                        "nothing before --tend");
        }
    }
    if (set->psi == 0 && set->psi_rate == 0) args_refuse("--psi and --psi-rate may not both be 0");
}

static way_run run_of(const settings *set)
{
    way_run run = {
        .body = &set->body, .alpha = set->alpha, .t_end = set->t_end, .method = set->method};
    pcs_quat_from_zyx(0.3, -0.2, 0.5, run.Q);
    memcpy(run.omega, set->omega, sizeof run.omega);
    return run;
}

// ---- the six methods

typedef struct table {
    int n, levels; // steps of the coarsest run
    way_result at[WAYS][MOST_LEVELS];
} table;

static pcs_status measure(const settings *set, csv *out, table *all)
{
    const way_run run = run_of(set);
    csv none = {0};
    all->n = (int)ceil(set->t_end / set->h);
    all->levels = set->study + 1;
    const int finest = all->n << set->study;
    way_reference *ref;
    pcs_status status = reference_create(&run, set->t_end / finest, &ref);
    for (int way = 0; way < WAYS; ++way) {
        for (int k = 0; k < all->levels && status == PCS_OK; ++k) {
            status = way_follow(&run, (norm_way)way, all->n << k, ref, 1 << (set->study - k),
                                k == 0 ? out : &none, &all->at[way][k]);
        }
    }
    reference_destroy(ref);
    return status;
}

// From the three finest runs, extrapolated once; NaN where an error is rounding, which grows with
// the number of steps.
static double order_of(const table *all, int way, int what)
{
    double e[3];
    for (int i = 0; i < 3; ++i) {
        const way_result *r = &all->at[way][all->levels - 1 - i];
        e[i] = what == 0 ? log1p(r->norm) : what == 1 ? r->attitude : r->energy;
        if (!(e[i] > 1e-10)) return NAN;
    }
    const double fine = log2(e[1] / e[0]), coarse = log2(e[2] / e[1]);
    return 2 * fine - coarse;
}

static void print_table(const settings *set, const table *all)
{
    printf("%d steps of %g s, the last three ways by %s; orders from %d halvings\n\n", all->n,
           set->t_end / all->n, set->method, set->study);
    printf("%-12s %10s %6s %10s %6s %10s %6s %8s %9s\n", "way", "|Q| - 1", "order", "attitude",
           "order", "energy", "order", "evals", "us/step");
    for (int way = 0; way < WAYS; ++way) {
        const way_result *r = &all->at[way][0];
        printf("%-12s %10.2e %6s %10.2e %6s %10.2e %6s %8.1f %9.2f\n", way_name((norm_way)way),
               r->norm, cell_of("%.3f", order_of(all, way, 0)).text, r->attitude,
               cell_of("%.3f", order_of(all, way, 1)).text, r->energy,
               cell_of("%.3f", order_of(all, way, 2)).text, r->evaluations,
               1e6 * all->at[way][all->levels - 1].seconds);
    }
}

static void check_orders(const settings *set, const table *all, checks *c)
{
    method m;
    double high = NAN;
    if (method_open(&m, set->method, set->h, 0) == PCS_OK) high = m.tab->order;
    method_close(&m);
    for (int way = 0; way < WAYS; ++way) {
        char name[64];
        const double seen = order_of(all, way, 1), p = way < WAY_MULTIPLIER ? 2 : high;
        snprintf(name, sizeof name, "order of the attitude, %s", way_name((norm_way)way));
        if (isfinite(seen)) {
            check_value(c, name, seen, p, 0.05);
        } else {
            check_skip(c, name, "the errors are rounding");
        }
    }
    check_value(c, "order of |Q| - 1, additive", order_of(all, WAY_ADDITIVE, 0), 1, 0.05);
    for (int k = 0; k < all->levels; ++k) {
        const int steps = all->n << k;
        const way_result *r = &all->at[WAY_ADDITIVE][k];
        if (k == 0 || k == all->levels - 1) {
            check_value(c, "additive: |Q|, product of its steps", pcs_quat_norm(r->x), r->growth,
                        1e-15 * steps * r->growth);
        }
    }
}

// properties of the six methods that hold to rounding
static void check_ways(const settings *set, const table *all, checks *c)
{
    const way_result *first = all->at[WAY_ADDITIVE], *second = all->at[WAY_NORMALISED];
    const int n = all->n;
    check_value(c, "additive, normalised: same attitude", quaternion_angle(first->x, second->x), 0,
                1e-15 * n);
    check_value(c, "|Q| - 1, normalised", second->norm, 0, 1e-15);
    check_value(c, "|Q| - 1, projected", all->at[WAY_PROJECTED][0].norm, 0, 1e-15);
    check_value(c, "|Q| - 1, exponential", all->at[WAY_EXPONENTIAL][0].norm, 0, 1e-15 * n);
    check_value(c, "energy, midpoint rule", all->at[WAY_EXPONENTIAL][0].energy, 0, 1e-14 * n);
    // the free axisymmetric body: |omega| of the means is constant
    const double *J = set->body.J, *w = set->omega, *M = set->body.torque;
    if (J[0] == J[1] && M[0] == 0 && M[1] == 0 && M[2] == 0) {
        const double h = set->t_end / n, own = (J[2] - J[0]) / J[0] * w[2];
        const double square =
            w[2] * w[2] + (w[0] * w[0] + w[1] * w[1]) / (1 + h * h * own * own / 4);
        check_value(c, "additive: (1 + h^2 w^2 / 4)^(n/2)", pcs_quat_norm(first->x),
                    pow(1 + h * h * square / 4, 0.5 * n), 1e-14 * n * first->growth);
    }
}

// the figures of the erratum: h = 0.01, |omega| = 3, 1000 steps
static void check_erratum(checks *c)
{
    const double h = 0.01, w[3] = {1, 2, 2};
    double Q[4] = {1, 0, 0, 0}, rate[4];
    for (int i = 0; i < 1000; ++i) {
        pcs_quat_rate(Q, w, rate);
        for (int k = 0; k < 4; ++k) {
            Q[k] += h * rate[k];
        }
    }
    check_value(c, "E-02: |Q| after 1000 steps", pcs_quat_norm(Q), pow(1 + h * h * 9 / 4, 500),
                1e-12);
}

// ---- the facts

// (i) along the motion
static pcs_status check_multiplier(const settings *set, checks *c)
{
    const way_run run = run_of(set);
    way_reference *ref;
    pcs_status status = reference_create(&run, set->t_end / SAMPLES, &ref);
    double worst = 0, apart = 0;
    for (int i = 0; i <= SAMPLES && status == PCS_OK; ++i) {
        const double *x = reference_at(ref, i), *w = x + QUATERNION_BODY_OMEGA;
        const double *J = set->body.J;
        double dxdt[QUATERNION_BODY_N], solution[15];
        const pcs_ode ode = quaternion_body_ode(&set->body);
        if (ode.f(ode.user, 0, x, dxdt) != 0) break;
        pcs_quaternion_norm_motion m = {.V = {1, -2, 0.5}, .Vdot = {0.3, 0, J[0]}};
        memcpy(m.Q, x, sizeof m.Q);
        if (pcs_quat_normalise(m.Q) != PCS_OK) break;
        memcpy(m.omega, w, sizeof m.omega);
        memcpy(m.omega_dot, dxdt + QUATERNION_BODY_OMEGA, sizeof m.omega_dot);
        pcs_quat_rate(m.Q, w, m.Qdot);
        pcs_quat_rotate(m.Q, m.V, m.Xdot);
        status = pcs_quaternion_norm_solve(&m, 0, solution);
        const double *wdot = m.omega_dot;
        const double size =
            w[0] * w[0] + w[1] * w[1] + w[2] * w[2] + fabs(wdot[0]) + fabs(wdot[1]) + fabs(wdot[2]);
        worst = fmax(worst, fabs(solution[14]) / size);
        apart = fmax(apart, fabs(solution[14] - pcs_quaternion_norm_lambda(&m, 0)) / size);
    }
    reference_destroy(ref);
    PCS_TRY(status);
    check_value(c, "(i) lambda on consistent data", worst, 0, 1e-15);
    check_value(c, "(i) 15 x 15 less closed form", apart, 0, 1e-15);
    return PCS_OK;
}

typedef struct mismatched {
    pcs_ode right;
    double alpha;
} mismatched;

// phi = Q.Q - 1 with A = Q^T: the slide's alpha^2 phi is twice too large (E-20)
static int mismatched_rates(void *user, double t, const double *x, double *dxdt)
{
    const mismatched *m = user;
    if (m->right.f(m->right.user, t, x, dxdt) != 0) return 1;
    const double *Q = x + 3, square = Q[0] * Q[0] + Q[1] * Q[1] + Q[2] * Q[2] + Q[3] * Q[3];
    for (int i = 0; i < 4; ++i) {
        dxdt[10 + i] -= m->alpha * m->alpha * 0.5 * (square - 1) / square * Q[i];
    }
    return 0;
}

static pcs_status drift(const settings *set, int kind, csv *out, double *worst)
{
    static const char *const name[] = {"psi_none", "psi_baumgarte", "psi_mismatched"};
    const way_run run = run_of(set);
    const double *J = set->body.J;
    const pcs_quaternion_norm_body body = {.mass = 1,
                                           .inertia = {J[0], 0, 0, 0, J[1], 0, 0, 0, J[2]},
                                           .alpha = kind == 0 ? 0 : set->alpha};
    mismatched slide = {.alpha = set->alpha};
    PCS_TRY(pcs_quaternion_norm_ode(&body, &slide.right));
    const pcs_ode wrong = {.n = 14, .f = mismatched_rates, .user = &slide};
    double x[14] = {0};
    const double square = 1 + 2 * set->psi;
    for (int i = 0; i < 4; ++i) {
        x[3 + i] = sqrt(square) * run.Q[i];
    }
    pcs_quat_rate(x + 3, run.omega, x + 10);
    for (int i = 0; i < 4; ++i) {
        x[10 + i] += set->psi_rate / square * x[3 + i];
    }
    method m;
    PCS_TRY(method_open(&m, "dormand_prince", 0, 1e-12));
    pcs_integrator *it = NULL;
    pcs_status status =
        pcs_integrator_create(NULL, kind == 2 ? &wrong : &slide.right, &m.opts, &it);
    if (status == PCS_OK) status = pcs_integrator_start(it, 0, x);
    *worst = 0;
    for (int i = 0; i <= SAMPLES && status == PCS_OK; ++i) {
        const double t = set->t_end * i / SAMPLES;
        status = pcs_integrator_advance(it, t, NULL);
        const double size = pcs_quat_norm(pcs_integrator_x(it) + 3);
        const double psi = 0.5 * (size - 1) * (size + 1);
        if (!(fabs(psi - psi_at(set, kind, t)) <= *worst))
            *worst = fabs(psi - psi_at(set, kind, t));
        csv_text(out, name[kind]);
        csv_reals(out, (const double[]){t, psi, 0, 0}, 4);
        csv_end(out);
    }
    pcs_integrator_destroy(it);
    method_close(&m);
    return status;
}

static pcs_status check_drifts(const settings *set, csv *out, checks *c)
{
    static const char *const name[] = {"(ii) psi without alpha", "(iii) psi with alpha",
                                       "E-20: psi, A of another phi"};
    const double *w = set->omega;
    const double turned = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) * set->t_end; // rad
    for (int kind = 0; kind < 3; ++kind) {
        double worst;
        PCS_TRY(drift(set, kind, out, &worst));
        check_value(c, name[kind], worst, 0, 1e-11 * (1 + turned));
    }
    return PCS_OK;
}

static pcs_status run(const void *user, csv *out, checks *c)
{
    const settings *set = user;
    static table all;
    PCS_TRY(measure(set, out, &all));
    print_table(set, &all);
    *c = checks_begin();
    check_ways(set, &all, c);
    check_orders(set, &all, c);
    check_erratum(c);
    PCS_TRY(check_multiplier(set, c));
    return check_drifts(set, out, c);
}

int main(int argc, char **argv)
{
    settings set;
    read_flags(&set, argc, argv);
    return example_run(run, &set, set.csv, "way,t,norm,attitude,energy");
}
