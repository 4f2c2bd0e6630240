// Consistency of states with the constraints: check, correction, impacts.
#include "mechanics/constrained.h"

#include <string.h>

enum { PROJECT_ITERS = 20 };

static pcs_status null_argument(const char *who)
{
    return pcs_fail(PCS_ERR_ARG, "%s: an argument is null", who);
}

pcs_status pcs_constrained_violation(pcs_constrained *sys, double t, const double *q,
                                     const double *v, double *phi, double *rate)
{
    if (!sys || !q || (rate && !v)) return null_argument("pcs_constrained_violation");
    if (phi) PCS_TRY(constrained_phi(sys, t, q, phi));
    return rate ? constrained_rate(sys, t, q, v, rate) : PCS_OK;
}

// the largest entry; NaN if there is one
static int worst(int n, const double *x)
{
    int most = 0;
    for (int i = 1; i < n; ++i) {
        if (!(fabs(x[i]) <= fabs(x[most]))) most = i;
    }
    return most;
}

static bool within(int n, const double *x, double tol)
{
    return n == 0 || fabs(x[worst(n, x)]) <= tol;
}

pcs_status pcs_constrained_check(pcs_constrained *sys, double t, const double *q, const double *v,
                                 double tol_phi, double tol_rate)
{
    if (!sys || !q || !v) return null_argument("pcs_constrained_check");
    PCS_TRY(pcs_constrained_violation(sys, t, q, v, sys->phi, sys->rate));
    if (!within(sys->m, sys->phi, tol_phi)) {
        const int i = worst(sys->m, sys->phi);
        return pcs_fail(PCS_ERR_ARG,
                        "inconsistent state: constraint %d (from 0) is phi = %g, beyond %g; call"
                        " pcs_constrained_project",
                        i, sys->phi[i], tol_phi);
    }
    if (!within(sys->m, sys->rate, tol_rate)) {
        const int i = worst(sys->m, sys->rate);
        return pcs_fail(PCS_ERR_ARG,
                        "inconsistent velocities: constraint %d (from 0) changes at A v + phi_t ="
                        " %g, beyond %g; call pcs_constrained_project",
                        i, sys->rate[i], tol_rate);
    }
    return PCS_OK;
}

static pcs_status normalise(pcs_constrained *sys, double t, double *q)
{
    if (!sys->def.normalise) return PCS_OK;
    const unsigned long mark = pcs_fail_mark();
    const int answer = sys->def.normalise(sys->def.user, q);
    if (answer == 0 && pcs_all_finite(q, (size_t)sys->nq)) return PCS_OK;
    return pcs_fail_since(
        mark, PCS_ERR_CALLBACK,
        "the normalisation of a constrained system returned %d or gave a number that"
        " is not finite at t = %g",
        answer, t);
}

static pcs_status project_positions(pcs_constrained *sys, double t, double *q, const double *v)
{
    const char *who = "pcs_constrained_project";
    PCS_TRY(normalise(sys, t, q));
    for (int iter = 0;; ++iter) {
        PCS_TRY(constrained_phi(sys, t, q, sys->phi));
        if (within(sys->m, sys->phi, sys->def.tol)) return PCS_OK;
        if (iter == PROJECT_ITERS) break;

        PCS_TRY(constrained_factor(sys, t, q, v, NULL, who));
        memset(sys->w, 0, (size_t)sys->nv * sizeof *sys->w);
        saddle_nearest(&sys->S, sys->phi, sys->w, NULL);
        PCS_TRY(constrained_qdot(sys, t, q, sys->w, sys->qdot));
        for (int i = 0; i < sys->nq; ++i) {
            q[i] += sys->qdot[i];
        }
        PCS_TRY(normalise(sys, t, q));
    }
    const int i = worst(sys->m, sys->phi);
    return pcs_fail(PCS_ERR_ARG,
                    "%s: after %d iterations constraint %d (from 0) is still phi = %g, beyond %g at"
                    " t = %g; start nearer, or widen tol",
                    who, PROJECT_ITERS, i, sys->phi[i], sys->def.tol, t);
}

pcs_status pcs_constrained_project(pcs_constrained *sys, double t, double *q, double *v)
{
    const char *who = "pcs_constrained_project";
    if (!sys || !q || !v) return null_argument(who);
    const size_t nq = (size_t)sys->nq, nv = (size_t)sys->nv;
    memcpy(sys->q_try, q, nq * sizeof *q);
    memcpy(sys->v_try, v, nv * sizeof *v);
    PCS_TRY(project_positions(sys, t, sys->q_try, sys->v_try));

    PCS_TRY(constrained_factor(sys, t, sys->q_try, sys->v_try, NULL, who));
    PCS_TRY(constrained_phi_t(sys, t, sys->q_try, sys->g));
    saddle_nearest(&sys->S, sys->g, sys->v_try, NULL);
    memcpy(q, sys->q_try, nq * sizeof *q);
    memcpy(v, sys->v_try, nv * sizeof *v);
    return PCS_OK;
}

pcs_status pcs_constrained_impact(pcs_constrained *sys, double t, const double *q, const double *v,
                                  const double *e, double *v_plus, double *impulse)
{
    const char *who = "pcs_constrained_impact";
    if (!sys || !q || !v || !v_plus) return null_argument(who);
    for (int i = 0; e && i < sys->m; ++i) {
        if (!(e[i] >= 0 && e[i] <= 1)) {
            return pcs_fail(PCS_ERR_ARG, "%s: e = %g of constraint %d; it must lie in [0, 1]", who,
                            e[i], i);
        }
    }
    PCS_TRY(constrained_factor(sys, t, q, v, NULL, who));
    PCS_TRY(constrained_rate(sys, t, q, v, sys->rate));
    PCS_TRY(constrained_phi_t(sys, t, q, sys->g));
    for (int i = 0; e && i < sys->m; ++i) {
        sys->g[i] += e[i] * sys->rate[i];
    }
    memcpy(sys->v_try, v, (size_t)sys->nv * sizeof *v);
    saddle_nearest(&sys->S, sys->g, sys->v_try, impulse);
    memcpy(v_plus, sys->v_try, (size_t)sys->nv * sizeof *v);
    return PCS_OK;
}
