// The forms of a constrained system for the integrators.
//
//     ode            x = (q, v)                 q' = T (v + w),  v' = a
//     semi-explicit  z = (a, lambda, [w, mu])   M a - F - A^T lambda = 0,  A a + gamma + ... = 0,
//                                               M w - A^T mu = 0,  A w + (A v + phi_t) + ... = 0
//     implicit       z = lambda                 q' - T v = 0,  M v' - F - A^T lambda = 0,
//                                               A v' + gamma + ... = 0                     (9.1)
//
// w = M^-1 A^T mu exists only with GGL.
#include "mechanics/constrained.h"

#include <string.h>

static bool has_second(const pcs_constrained *sys)
{
    return sys->def.stabilisation == PCS_STABILISATION_GGL && sys->m > 0;
}

// qdot = T (v + w)
static pcs_status move(pcs_constrained *sys, double t, const double *q, const double *v,
                       const double *w, double *qdot)
{
    for (int i = 0; i < sys->nv; ++i) {
        sys->v_try[i] = v[i] + w[i];
    }
    return constrained_qdot(sys, t, q, sys->v_try, qdot);
}

// ---- x' = f

static pcs_status rates(pcs_constrained *sys, double t, const double *q, const double *v,
                        double *qdot, double *a)
{
    PCS_TRY(constrained_factor(sys, t, q, v, a, "a constrained system"));
    PCS_TRY(constrained_target(sys, t, q, v, sys->g));
    saddle_mass_solve(&sys->S, a);
    saddle_nearest(&sys->S, sys->g, a, NULL);
    if (!has_second(sys)) return constrained_qdot(sys, t, q, v, qdot);

    PCS_TRY(constrained_second_target(sys, t, q, v, sys->g));
    memset(sys->w, 0, (size_t)sys->nv * sizeof *sys->w);
    saddle_nearest(&sys->S, sys->g, sys->w, NULL);
    return move(sys, t, q, v, sys->w, qdot);
}

static int ode_f(void *user, double t, const double *x, double *dxdt)
{
    pcs_constrained *sys = user;
    return (int)rates(sys, t, x, x + sys->nq, dxdt, dxdt + sys->nq);
}

static int ode_project(void *user, double t, double *x)
{
    pcs_constrained *sys = user;
    return (int)pcs_constrained_project(sys, t, x, x + sys->nq);
}

static int ode_normalise(void *user, double t, double *x)
{
    (void)t;
    const pcs_constrained *sys = user;
    return sys->def.normalise(sys->def.user, x);
}

static pcs_status check(const char *who, const void *sys, const void *out)
{
    if (sys && out) return PCS_OK;
    return pcs_fail(PCS_ERR_ARG, "%s: an argument is null", who);
}

pcs_status pcs_constrained_ode(pcs_constrained *sys, pcs_ode *out)
{
    PCS_TRY(check("pcs_constrained_ode", sys, out));
    *out = (pcs_ode){.n = sys->nq + sys->nv, .f = ode_f, .user = sys};
    if (sys->def.stabilisation == PCS_STABILISATION_PROJECT) {
        out->project = ode_project;
    } else if (sys->def.normalise) {
        out->project = ode_normalise;
    }
    return PCS_OK;
}

// ---- with algebraic unknowns

static pcs_status no_projection(const char *who, const pcs_constrained *sys)
{
    if (sys->def.stabilisation != PCS_STABILISATION_PROJECT) return PCS_OK;
    return pcs_fail(PCS_ERR_UNSUPPORTED,
                    "%s: a differential-algebraic system cannot project after a step; use "
                    "pcs_constrained_ode or another stabilisation",
                    who);
}

// out = M x - F - A^T lambda (F may be null)
static void balance(const pcs_constrained *sys, const double *M, const double *x, const double *F,
                    const double *lambda, double *out)
{
    const size_t n = (size_t)sys->nv;
    for (size_t i = 0; i < n; ++i) {
        double sum = F ? -F[i] : 0;
        for (size_t j = 0; j < n; ++j) {
            sum += (i < j ? M[j + n * i] : M[i + n * j]) * x[j];
        }
        for (int k = 0; k < sys->m; ++k) {
            sum -= sys->A[(size_t)k + (size_t)sys->m * i] * lambda[k];
        }
        out[i] = sum;
    }
}

// out = A x + g
static void on_constraints(const pcs_constrained *sys, const double *x, const double *g,
                           double *out)
{
    for (int k = 0; k < sys->m; ++k) {
        double sum = g[k];
        for (int j = 0; j < sys->nv; ++j) {
            sum += sys->A[(size_t)k + (size_t)sys->m * (size_t)j] * x[j];
        }
        out[k] = sum;
    }
}

static int semi_f(void *user, double t, const double *x, const double *z, double *out)
{
    pcs_constrained *sys = user;
    const int nv = sys->nv;
    const double *q = x, *v = x + sys->nq, *w = has_second(sys) ? z + nv + sys->m : sys->zero;
    memcpy(out + sys->nq, z, (size_t)nv * sizeof *out);
    return (int)move(sys, t, q, v, w, out);
}

static pcs_status semi_rows(pcs_constrained *sys, double t, const double *x, const double *z,
                            double *out)
{
    const int nv = sys->nv, m = sys->m;
    const double *q = x, *v = x + sys->nq;
    PCS_TRY(constrained_dynamics(sys, t, q, v, sys->S.L, sys->F));
    PCS_TRY(constrained_A(sys, t, q, sys->A));
    PCS_TRY(constrained_target(sys, t, q, v, sys->g));
    balance(sys, sys->S.L, z, sys->F, z + nv, out);
    on_constraints(sys, z, sys->g, out + nv);
    if (!has_second(sys)) return PCS_OK;

    PCS_TRY(constrained_second_target(sys, t, q, v, sys->g));
    balance(sys, sys->S.L, z + nv + m, NULL, z + 2 * nv + m, out + nv + m);
    on_constraints(sys, z + nv + m, sys->g, out + 2 * nv + m);
    return PCS_OK;
}

static int semi_g(void *user, double t, const double *x, const double *z, double *out)
{
    return (int)semi_rows(user, t, x, z, out);
}

pcs_status pcs_constrained_semi_explicit(pcs_constrained *sys, pcs_semi_explicit *out)
{
    const char *who = "pcs_constrained_semi_explicit";
    PCS_TRY(check(who, sys, out));
    PCS_TRY(no_projection(who, sys));
    *out = (pcs_semi_explicit){.nx = sys->nq + sys->nv,
                               .nz = (has_second(sys) ? 2 : 1) * (sys->nv + sys->m),
                               .f = semi_f,
                               .g = semi_g,
                               .user = sys};
    return PCS_OK;
}

static pcs_status implicit_rows(pcs_constrained *sys, double t, const double *xdot, const double *x,
                                const double *z, double *F)
{
    const int nq = sys->nq, nv = sys->nv;
    const double *q = x, *v = x + nq;
    PCS_TRY(constrained_dynamics(sys, t, q, v, sys->S.L, sys->F));
    PCS_TRY(constrained_A(sys, t, q, sys->A));
    PCS_TRY(constrained_target(sys, t, q, v, sys->g));
    PCS_TRY(constrained_qdot(sys, t, q, v, F));
    for (int i = 0; i < nq; ++i) {
        F[i] = xdot[i] - F[i];
    }
    balance(sys, sys->S.L, xdot + nq, sys->F, z, F + nq);
    on_constraints(sys, xdot + nq, sys->g, F + nq + nv);
    return PCS_OK;
}

static int implicit_F(void *user, double t, const double *xdot, const double *x, const double *z,
                      double *F)
{
    return (int)implicit_rows(user, t, xdot, x, z, F);
}

pcs_status pcs_constrained_dae(pcs_constrained *sys, pcs_dae *out)
{
    const char *who = "pcs_constrained_dae";
    PCS_TRY(check(who, sys, out));
    PCS_TRY(no_projection(who, sys));
    if (has_second(sys)) {
        return pcs_fail(PCS_ERR_UNSUPPORTED,
                        "%s: the second multiplier of GGL is not supported here; use "
                        "pcs_constrained_ode or pcs_constrained_semi_explicit",
                        who);
    }
    *out = (pcs_dae){.nx = sys->nq + sys->nv, .nz = sys->m, .F = implicit_F, .user = sys};
    return PCS_OK;
}
