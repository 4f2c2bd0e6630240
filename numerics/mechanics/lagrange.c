// Systems given by a Lagrangian. With p = dL/dv the equations d/dt p - dL/dq = Q read M a = F,
//
//     M = dp/dv,   F = dL/dq + Q - d/ds p(t + s, q + s v, v) at s = 0:
//
// the Coriolis terms and those of explicit time are one derivative along the motion at constant v.
// Without callbacks for them p and dL/dq come from the complex step, and the derivatives of p from
// differences of order 8.
#include <percuss/mechanics.h>

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "mechanics/difference.h"
#include "mechanics/saddle.h"

struct pcs_lagrange {
    pcs_env env;
    pcs_lagrange_def def; // scale_q and point are copies
    double *memory;       // memory of the arrays below
    pcs_complex *qc, *vc; // n each
    double *x, *p, *Q;    // n
    double *work;         // 5 n, scratch of generalised forces
    double *rest;         // n zeros
    double *F;            // n
    pcs_lagrange_slopes slopes;
    saddle S; // its L is M
};

// ---- creation

static pcs_status check_def(const pcs_lagrange_def *def)
{
    const char *who = "pcs_lagrange_create";
    if (def->n < 1) return pcs_fail(PCS_ERR_ARG, "%s: n = %d; it must be positive", who, def->n);
    if (def->n > 10000) {
        return pcs_fail(PCS_ERR_SIZE, "%s: n = %d; M is dense, 10000 is the most", who, def->n);
    }
    if (!def->L_complex && !def->slopes) {
        return pcs_fail(PCS_ERR_ARG, "%s: neither L_complex nor slopes is given", who);
    }
    if (def->points < 0 || (def->points > 0 && !def->point)) {
        return pcs_fail(PCS_ERR_ARG,
                        "%s: points is %d; it must not be negative, and point not null", who,
                        def->points);
    }
    for (int k = 0; k < def->points; ++k) {
        const pcs_point_force *f = &def->point[k];
        if (!f->force || (!f->r && !f->jacobian)) {
            return pcs_fail(PCS_ERR_ARG, "%s: force %d needs `force` and one of r and jacobian",
                            who, k);
        }
    }
    bool good =
        def->scale_v >= 0 && isfinite(def->scale_v) && def->scale_t >= 0 && isfinite(def->scale_t);
    for (int i = 0; i < def->n && def->scale_q; ++i) {
        good = good && def->scale_q[i] > 0 && isfinite(def->scale_q[i]);
    }
    if (!good) return pcs_fail(PCS_ERR_ARG, "%s: a scale is not positive and finite", who);
    return PCS_OK;
}

static void lay_out(pcs_lagrange *sys)
{
    const size_t n = (size_t)sys->def.n;
    double *at = sys->memory;
    double **const vectors[] = {&sys->x, &sys->p,          &sys->Q,          &sys->rest,
                                &sys->F, &sys->slopes.L_q, &sys->slopes.L_v, &sys->slopes.L_vt};
    sys->qc = (pcs_complex *)(void *)at;
    sys->vc = sys->qc + n;
    at += 4 * n;
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; ++k, at += n) {
        *vectors[k] = at;
    }
    sys->work = at;
    at += 5 * n;
    sys->slopes.L_vq = at;
    at += n * n;
    sys->slopes.L_vv = at;
    at += n * n;
    saddle_lay_out(&sys->S, sys->def.n, 0, at, NULL);
}

static size_t doubles(int n)
{
    const size_t N = (size_t)n;
    return 17 * N + 2 * N * N + saddle_doubles(n, 0);
}

pcs_status pcs_lagrange_create(const pcs_env *env, const pcs_lagrange_def *def, pcs_lagrange **out)
{
    if (out) *out = NULL;
    if (!def || !out) return pcs_fail(PCS_ERR_ARG, "pcs_lagrange_create: an argument is null");
    PCS_TRY(check_def(def));
    pcs_lagrange *sys = pcs_env_alloc(env, 1, sizeof *sys);
    if (!sys) return pcs_fail_memory("pcs_lagrange_create");
    if (env) sys->env = *env;
    sys->def = *def;
    sys->memory = pcs_env_alloc(env, doubles(def->n), sizeof(double));
    double *scale = pcs_env_alloc(env, (size_t)def->n, sizeof(double));
    pcs_point_force *point = pcs_env_alloc(env, (size_t)def->points + 1, sizeof *point);
    sys->def.scale_q = scale;
    sys->def.point = point;
    if (!sys->memory || !scale || !point) {
        pcs_lagrange_destroy(sys);
        return pcs_fail_memory("pcs_lagrange_create");
    }
    for (int i = 0; i < def->n; ++i) {
        scale[i] = def->scale_q ? def->scale_q[i] : 1;
    }
    if (def->points > 0) memcpy(point, def->point, (size_t)def->points * sizeof *point);
    if (def->scale_t == 0) sys->def.scale_t = 1;
    lay_out(sys);
    *out = sys;
    return PCS_OK;
}

void pcs_lagrange_destroy(pcs_lagrange *sys)
{
    if (!sys) return;
    const pcs_env env = sys->env;
    pcs_env_free(&env, sys->memory);
    pcs_env_free(&env, (void *)sys->def.scale_q);
    pcs_env_free(&env, (void *)sys->def.point);
    pcs_env_free(&env, sys);
}

int pcs_lagrange_size(const pcs_lagrange *sys)
{
    return sys ? sys->def.n : 0;
}

void *pcs_lagrange_user(const pcs_lagrange *sys)
{
    return sys ? sys->def.user : NULL;
}

// ---- derivatives of L by the complex step and differences

static pcs_status ask(pcs_lagrange *sys, double t, double *imaginary)
{
    pcs_complex L = 0;
    const unsigned long mark = pcs_fail_mark();
    const int answer = sys->def.L_complex(sys->def.user, t, sys->qc, sys->vc, &L);
    if (answer != 0 || !isfinite(creal(L)) || !isfinite(cimag(L))) {
        return pcs_fail_since(
            mark, PCS_ERR_CALLBACK,
            "the Lagrangian returned %d or gave a number that is not finite at t = %g", answer, t);
    }
    *imaginary = cimag(L);
    return PCS_OK;
}

static void set_point(pcs_lagrange *sys, const double *q, const double *v)
{
    for (int i = 0; i < sys->def.n; ++i) {
        sys->qc[i] = q[i];
        sys->vc[i] = v[i];
    }
}

// dL/dx_i for i = from .. n - 1, x the arguments in `z` (qc or vc)
static pcs_status slope(pcs_lagrange *sys, double t, pcs_complex *z, int from, double *out)
{
    for (int i = from; i < sys->def.n; ++i) {
        const double x = creal(z[i]);
        double imaginary = 0;
        z[i] = x + COMPLEX_STEP * I;
        const pcs_status status = ask(sys, t, &imaginary);
        z[i] = x;
        if (status != PCS_OK) return status;
        out[i] = imaginary / COMPLEX_STEP;
    }
    return PCS_OK;
}

// column j of M = dp/dv from the diagonal down, and the row above it by symmetry
static pcs_status mass_column(pcs_lagrange *sys, double t, const double *v, int j, double *M)
{
    const int n = sys->def.n;
    const double scale = sys->def.scale_v > 0 ? sys->def.scale_v : fmax(1, fabs(v[j]));
    const double d = difference_step(scale);
    double *column = M + (size_t)n * (size_t)j;
    for (int i = j; i < n; ++i) {
        column[i] = 0;
    }
    for (int k = -DIFFERENCE_POINTS; k <= DIFFERENCE_POINTS; ++k) {
        if (k == 0) continue;
        sys->vc[j] = v[j] + k * d;
        PCS_TRY(slope(sys, t, sys->vc, j, sys->p));
        const double w = (k > 0 ? 1 : -1) * difference_weight(abs(k)) / d;
        for (int i = j; i < n; ++i) {
            column[i] += w * sys->p[i];
        }
    }
    sys->vc[j] = v[j];
    for (int i = j + 1; i < n; ++i) {
        M[j + (size_t)n * (size_t)i] = column[i];
    }
    return PCS_OK;
}

// F -= d/ds p(t + s, q + s v, v)
static pcs_status subtract_along(pcs_lagrange *sys, double t, const double *q, const double *v,
                                 double *F)
{
    const int n = sys->def.n;
    double rate = 1 / sys->def.scale_t;
    for (int i = 0; i < n; ++i) {
        rate = fmax(rate, fabs(v[i]) / sys->def.scale_q[i]);
    }
    const double d = difference_step(1 / rate);
    for (int k = -DIFFERENCE_POINTS; k <= DIFFERENCE_POINTS; ++k) {
        if (k == 0) continue;
        for (int i = 0; i < n; ++i) {
            sys->x[i] = q[i] + k * d * v[i];
        }
        set_point(sys, sys->x, v);
        PCS_TRY(slope(sys, t + k * d, sys->vc, 0, sys->p));
        const double w = (k > 0 ? 1 : -1) * difference_weight(abs(k)) / d;
        for (int i = 0; i < n; ++i) {
            F[i] -= w * sys->p[i];
        }
    }
    return PCS_OK;
}

static pcs_status equations_of_L(pcs_lagrange *sys, double t, const double *q, const double *v,
                                 double *M, double *F)
{
    set_point(sys, q, v);
    for (int j = 0; j < sys->def.n; ++j) {
        PCS_TRY(mass_column(sys, t, v, j, M));
    }
    PCS_TRY(slope(sys, t, sys->qc, 0, F));
    return subtract_along(sys, t, q, v, F);
}

// ---- derivatives by callback

static pcs_status ask_slopes(pcs_lagrange *sys, double t, const double *q, const double *v)
{
    const size_t n = (size_t)sys->def.n;
    const pcs_lagrange_slopes *s = &sys->slopes;
    memset(s->L_q, 0, n * sizeof(double));
    memset(s->L_v, 0, n * sizeof(double));
    memset(s->L_vt, 0, n * sizeof(double));
    memset(s->L_vv, 0, n * n * sizeof(double));
    memset(s->L_vq, 0, n * n * sizeof(double));
    const unsigned long mark = pcs_fail_mark();
    const int answer = sys->def.slopes(sys->def.user, t, q, v, s);
    if (answer == 0 && pcs_all_finite(s->L_q, n) && pcs_all_finite(s->L_v, n) &&
        pcs_all_finite(s->L_vt, n) && pcs_all_finite(s->L_vv, n * n) &&
        pcs_all_finite(s->L_vq, n * n)) {
        return PCS_OK;
    }
    return pcs_fail_since(mark, PCS_ERR_CALLBACK,
                          "the derivatives of a Lagrangian returned %d or are not finite at t = %g",
                          answer, t);
}

static pcs_status equations_of_slopes(pcs_lagrange *sys, double t, const double *q, const double *v,
                                      double *M, double *F)
{
    PCS_TRY(ask_slopes(sys, t, q, v));
    const size_t n = (size_t)sys->def.n;
    const pcs_lagrange_slopes *s = &sys->slopes;
    memcpy(M, s->L_vv, n * n * sizeof *M);
    for (size_t i = 0; i < n; ++i) {
        F[i] = s->L_q[i] - s->L_vt[i];
    }
    for (size_t j = 0; j < n; ++j) {
        for (size_t i = 0; i < n; ++i) {
            F[i] -= s->L_vq[i + n * j] * v[j];
        }
    }
    return PCS_OK;
}

// ---- forces

pcs_status pcs_generalised_forces(int n, int points, const pcs_point_force *point, double t,
                                  const double *q, const double *v, double *work, double *Q)
{
    if (n < 1 || points < 0 || (points > 0 && !point) || !q || !v || !work || !Q) {
        return pcs_fail(PCS_ERR_ARG, "pcs_generalised_forces: an argument is null, or n = %d", n);
    }
    pcs_complex *z = (pcs_complex *)(void *)work;
    double *jacobian = work + 2 * (size_t)n;
    for (int k = 0; k < points; ++k) {
        const pcs_point_force *f = &point[k];
        double F[3] = {0};
        bool good = f->force && (f->jacobian || f->r) && f->force(f->user, t, q, v, F) == 0;
        memset(jacobian, 0, 3 * (size_t)n * sizeof *jacobian);
        if (good && f->jacobian) {
            good = f->jacobian(f->user, t, q, jacobian) == 0;
        } else if (good) {
            for (int i = 0; i < n; ++i) {
                z[i] = q[i];
            }
            for (int i = 0; i < n && good; ++i) {
                pcs_complex r[3] = {0};
                z[i] = q[i] + COMPLEX_STEP * I;
                good = f->r(f->user, t, z, r) == 0;
                z[i] = q[i];
                for (int c = 0; c < 3; ++c) {
                    jacobian[c + 3 * i] = cimag(r[c]) / COMPLEX_STEP;
                }
            }
        }
        if (!good || !pcs_all_finite(F, 3) || !pcs_all_finite(jacobian, 3 * (size_t)n)) {
            return pcs_fail(PCS_ERR_CALLBACK,
                            "generalised forces: a callback of force %d is missing, failed, or gave"
                            " a number that is not finite at t = %g",
                            k, t);
        }
        for (int i = 0; i < n; ++i) {
            const double *dr = jacobian + 3 * i;
            Q[i] += dr[0] * F[0] + dr[1] * F[1] + dr[2] * F[2];
        }
    }
    return PCS_OK;
}

static pcs_status add_forces(pcs_lagrange *sys, double t, const double *q, const double *v,
                             double *F)
{
    const size_t n = (size_t)sys->def.n;
    double *Q = sys->Q;
    memset(Q, 0, n * sizeof *Q);
    if (sys->def.force) {
        const unsigned long mark = pcs_fail_mark();
        const int answer = sys->def.force(sys->def.user, t, q, v, Q);
        if (answer != 0 || !pcs_all_finite(Q, n)) {
            return pcs_fail_since(
                mark, PCS_ERR_CALLBACK,
                "the forces on a Lagrangian returned %d or are not finite at t = %g", answer, t);
        }
    }
    if (sys->def.points > 0) {
        PCS_TRY(pcs_generalised_forces(sys->def.n, sys->def.points, sys->def.point, t, q, v,
                                       sys->work, Q));
    }
    for (size_t i = 0; i < n; ++i) {
        F[i] += Q[i];
    }
    return PCS_OK;
}

// ---- public

static pcs_status given(const char *who, const void *a, const void *b, const void *c, const void *d)
{
    if (a && b && c && d) return PCS_OK;
    return pcs_fail(PCS_ERR_ARG, "%s: an argument is null", who);
}

pcs_status pcs_lagrange_equations(pcs_lagrange *sys, double t, const double *q, const double *v,
                                  double *M, double *F)
{
    PCS_TRY(given("pcs_lagrange_equations", sys, q, v, M));
    PCS_TRY(given("pcs_lagrange_equations", F, F, F, F));
    PCS_TRY(sys->def.slopes ? equations_of_slopes(sys, t, q, v, M, F)
                            : equations_of_L(sys, t, q, v, M, F));
    return add_forces(sys, t, q, v, F);
}

pcs_status pcs_lagrange_acceleration(pcs_lagrange *sys, double t, const double *q, const double *v,
                                     double *a)
{
    PCS_TRY(given("pcs_lagrange_acceleration", sys, q, v, a));
    PCS_TRY(pcs_lagrange_equations(sys, t, q, v, sys->S.L, a));
    PCS_TRY(saddle_factor_mass(&sys->S, "pcs_lagrange_acceleration"));
    saddle_mass_solve(&sys->S, a);
    return PCS_OK;
}

pcs_status pcs_lagrange_momenta(pcs_lagrange *sys, double t, const double *q, const double *v,
                                double *p)
{
    PCS_TRY(given("pcs_lagrange_momenta", sys, q, v, p));
    if (sys->def.slopes) {
        PCS_TRY(ask_slopes(sys, t, q, v));
        memcpy(p, sys->slopes.L_v, (size_t)sys->def.n * sizeof *p);
        return PCS_OK;
    }
    set_point(sys, q, v);
    return slope(sys, t, sys->vc, 0, p);
}

pcs_status pcs_lagrange_energy(pcs_lagrange *sys, double t, const double *q, const double *v,
                               double *h)
{
    PCS_TRY(given("pcs_lagrange_energy", sys, q, v, h));
    if (!sys->def.L && !sys->def.L_complex) {
        return pcs_fail(PCS_ERR_UNSUPPORTED,
                        "pcs_lagrange_energy: the value of the Lagrangian is not known; give L");
    }
    PCS_TRY(pcs_lagrange_momenta(sys, t, q, v, sys->F));
    double L = NAN;
    const unsigned long mark = pcs_fail_mark();
    int answer = 0;
    if (sys->def.L) {
        answer = sys->def.L(sys->def.user, t, q, v, &L);
    } else {
        pcs_complex value = NAN;
        set_point(sys, q, v);
        answer = sys->def.L_complex(sys->def.user, t, sys->qc, sys->vc, &value);
        L = creal(value);
    }
    if (answer != 0 || !isfinite(L)) {
        return pcs_fail_since(mark, PCS_ERR_CALLBACK,
                              "the Lagrangian returned %d or gave %g at t = %g", answer, L, t);
    }
    double sum = -L;
    for (int i = 0; i < sys->def.n; ++i) {
        sum += v[i] * sys->F[i];
    }
    *h = sum;
    return PCS_OK;
}

static int rates(void *user, double t, const double *x, double *dxdt)
{
    pcs_lagrange *sys = user;
    const size_t n = (size_t)sys->def.n;
    memcpy(dxdt, x + n, n * sizeof *dxdt);
    return (int)pcs_lagrange_acceleration(sys, t, x, x + n, dxdt + n);
}

pcs_status pcs_lagrange_ode(pcs_lagrange *sys, pcs_ode *out)
{
    PCS_TRY(given("pcs_lagrange_ode", sys, out, out, out));
    *out = (pcs_ode){.n = 2 * sys->def.n, .f = rates, .user = sys};
    return PCS_OK;
}

int pcs_lagrange_mass(void *lagrange, const double *q, double *M)
{
    pcs_lagrange *sys = lagrange;
    if (!sys || !q || !M) return PCS_ERR_ARG;
    const size_t n = (size_t)sys->def.n;
    if (sys->def.slopes) {
        const pcs_status status = ask_slopes(sys, 0, q, sys->rest);
        memcpy(M, sys->slopes.L_vv, n * n * sizeof *M);
        return (int)status;
    }
    set_point(sys, q, sys->rest);
    for (int j = 0; j < sys->def.n; ++j) {
        const pcs_status status = mass_column(sys, 0, sys->rest, j, M);
        if (status != PCS_OK) return (int)status;
    }
    return 0;
}

int pcs_lagrange_force(void *lagrange, double t, const double *q, const double *v, double *F)
{
    pcs_lagrange *sys = lagrange;
    if (!sys || !q || !v || !F) return PCS_ERR_ARG;
    if (sys->def.slopes) return (int)pcs_lagrange_equations(sys, t, q, v, sys->S.L, F);
    set_point(sys, q, v);
    pcs_status status = slope(sys, t, sys->qc, 0, F);
    if (status == PCS_OK) status = subtract_along(sys, t, q, v, F);
    if (status == PCS_OK) status = add_forces(sys, t, q, v, F);
    return (int)status;
}
